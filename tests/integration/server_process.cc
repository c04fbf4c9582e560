#include "tests/integration/server_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace scatterd::test {
namespace {

[[noreturn]] void Die(const std::string& what) {
  std::cerr << "test server: " << what << std::endl;
  std::abort();
}

std::string MakeFolder() {
  std::string folder = "/tmp/scatterd_test.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) Die("no temporary folder");
  return folder;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> CleanEnvironment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!absl::StartsWith(*variable, "SCATTERD_")) {
      variables.emplace_back(*variable);
    }
  }
  return variables;
}

// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void RunChild(char** arguments, char** environment,
                           int standard_output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(standard_output, STDOUT_FILENO);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

int StatusOf(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                : 128 + WTERMSIG(wait_status);
}

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& flags)
    : folder_(MakeFolder()),
      address_(absl::StrCat("unix:", folder_, "/server.sock")) {
  std::vector<std::string> arguments = {SCATTERD_SERVER_PATH, "--listen",
                                        address_, "--log_level", "error"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  std::vector<std::string> environment = CleanEnvironment();
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Die("no pipe");
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) Die("no process");
  if (pid_ == 0) {
    RunChild(const_cast<char**>(argv.data()), const_cast<char**>(envp.data()),
             ends[1], parent);
  }
  close(ends[1]);
  WaitUntilReady(ends[0]);
  close(ends[0]);
}

ServerProcess::~ServerProcess() {
  Stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void ServerProcess::WaitUntilReady(int read_end) {
  std::string line;
  char c = 0;
  while (c != '\n') {
    const ssize_t n = read(read_end, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      Die(absl::StrCat("ended before it was ready, with status ", Stop()));
    }
    line.push_back(c);
  }
  if (!absl::StrContains(line, address_)) Die("is not where it should be");
}

int ServerProcess::Stop() {
  if (pid_ < 0) return exit_status_;
  kill(pid_, SIGTERM);
  int wait_status = 0;
  while (waitpid(pid_, &wait_status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  exit_status_ = StatusOf(wait_status);
  return exit_status_;
}

}  // namespace scatterd::test
