// The scatterd program, started by a test.

#ifndef SCATTERD_TESTS_INTEGRATION_SERVER_PROCESS_H_
#define SCATTERD_TESTS_INTEGRATION_SERVER_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace scatterd::test {

// A scatterd of this build as a child process.  It listens on a Unix socket in
// a folder of its own, writes errors to standard error, and reads no SCATTERD_
// variables.  It ends with the test program, however that ends.
class ServerProcess {
 public:
  // Returns when the server says that it is ready; ends the program if it does
  // not start.
  explicit ServerProcess(const std::vector<std::string>& flags = {});

  // Stop().
  ~ServerProcess();

  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // "unix:/tmp/...".
  const std::string& address() const { return address_; }

  // SIGTERM, then waits.  The exit status, or 128 + the signal that ended it;
  // the same again when called again.
  int Stop();

 private:
  void WaitUntilReady(int read_end);

  std::string folder_;
  std::string address_;
  pid_t pid_ = -1;  // -1: not running
  int exit_status_ = 0;
};

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_INTEGRATION_SERVER_PROCESS_H_
