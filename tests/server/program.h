// A child process whose output a test reads.

#ifndef SCATTERD_TESTS_SERVER_PROGRAM_H_
#define SCATTERD_TESTS_SERVER_PROGRAM_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace scatterd::test {

// Starts with its construction; is killed, if it still runs, and reaped with
// its destruction.
class Program {
 public:
  // The environment is the test's own plus `environment`.
  Program(const std::string& path, const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& environment = {});
  ~Program();

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Signal(int signal);

  // The next line of standard output, without its end; empty at the end.
  std::string ReadLine();

  // Waits for the end: the exit status, or minus the signal that ended it.
  int Wait();

  // All that is left of standard output and all of standard error; call after
  // Wait.
  std::string ReadOut();
  std::string ReadErr();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;  // a file without name: it never fills
};

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_SERVER_PROGRAM_H_
