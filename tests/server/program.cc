#include "tests/server/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace scatterd::test {
namespace {

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fd, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

}  // namespace

Program::Program(const std::string& path,
                 const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment) {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) std::abort();
  err_ = memfd_create("stderr", MFD_CLOEXEC);
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err_, STDERR_FILENO);
    for (const auto& [name, value] : environment) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    execv(path.c_str(), argv.data());
    _exit(127);
  }
  close(out[1]);
  out_ = out[0];
}

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    Wait();
  }
  close(out_);
  close(err_);
}

void Program::Signal(int signal) { kill(pid_, signal); }

std::string Program::ReadLine() {
  std::string line;
  for (char c; read(out_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

int Program::Wait() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string Program::ReadOut() { return ReadAll(out_); }

std::string Program::ReadErr() {
  lseek(err_, 0, SEEK_SET);
  return ReadAll(err_);
}

}  // namespace scatterd::test
