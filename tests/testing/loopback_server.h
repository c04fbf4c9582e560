// A real server inside the test program.

#ifndef SCATTERD_TESTS_TESTING_LOOPBACK_SERVER_H_
#define SCATTERD_TESTS_TESTING_LOOPBACK_SERVER_H_

#include <memory>
#include <string>

#include "core/backends/backend.h"
#include "server/logging.h"
#include "server/options.h"
#include "server/server.h"

namespace scatterd::test {

// Serves from its construction to its destruction.  Listens on a free port of
// the loopback interface, unless the options say where.
class LoopbackServer {
 public:
  // Ends the program if the server does not start.  `backend` null: the CPU.
  explicit LoopbackServer(ServerOptions options = {},
                          std::unique_ptr<Backend> backend = nullptr);

  // The first listener as a gRPC target: "127.0.0.1:45123".
  std::string address() const;

  Server& server() { return *server_; }

 private:
  Log log_;
  std::unique_ptr<Server> server_;
};

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_LOOPBACK_SERVER_H_
