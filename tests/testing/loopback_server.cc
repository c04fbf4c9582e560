#include "tests/testing/loopback_server.h"

#include <cstdlib>
#include <iostream>
#include <utility>

namespace scatterd::test {
namespace {

ServerOptions OnLoopback(ServerOptions options) {
  if (options.listen.empty()) {
    options.listen.push_back({Listener::Kind::kTcp, "127.0.0.1", 0});
  }
  return options;
}

}  // namespace

LoopbackServer::LoopbackServer(ServerOptions options,
                               std::unique_ptr<Backend> backend)
    : log_(LogLevel::kError, LogFormat::kText) {
  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(OnLoopback(std::move(options)), log_, std::move(backend));
  if (!server.ok()) {
    std::cerr << server.status() << std::endl;
    std::abort();
  }
  server_ = *std::move(server);
}

std::string LoopbackServer::address() const {
  return server_->listeners().front().ClientTarget();
}

}  // namespace scatterd::test
