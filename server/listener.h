// Listeners: the addresses that the server listens on.
//
//   host:port            TCP; [host] for IPv6; port 0 takes a free one
//   unix:/path           a Unix socket
//   unix-abstract:name   a Unix socket without a file (Linux)

#ifndef SCATTERD_SERVER_LISTENER_H_
#define SCATTERD_SERVER_LISTENER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace scatterd {

// A checked --listen value.
struct Listener {
  enum class Kind { kTcp, kUnix, kUnixAbstract };

  Kind kind = Kind::kTcp;
  std::string name;  // TCP: host as written, with brackets; else path or name
  int port = 0;      // TCP

  // What the value was, and what gRPC takes: "[::]:50051", "unix:/run/s".
  std::string ToString() const;

  // Where a client on this machine reaches it: the wildcard hosts become the
  // loopback ones.
  std::string ClientTarget() const;
};

// INVALID_ARGUMENT says what is expected.
absl::StatusOr<Listener> ParseListener(absl::string_view value);

// Makes way for a Unix listener: removes the socket file that a server that is
// gone has left behind.  ALREADY_EXISTS if a server answers on it, or if the
// path is something else than a socket.  Nothing to do for other kinds.
//
// gRPC replaces a socket file without asking, also a live server's.
absl::Status PrepareToListen(const Listener& listener);

// Why the system does not let this process listen there ("Address already in
// use"); empty if it does.
std::string WhyCannotListen(const Listener& listener);

}  // namespace scatterd

#endif  // SCATTERD_SERVER_LISTENER_H_
