#include "server/listener.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace scatterd {
namespace {

// A socket that closes itself.
class Socket {
 public:
  explicit Socket(int family)
      : fd_(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Both kinds of Unix names must leave room for a 0 byte.
constexpr size_t kMaxUnixName = sizeof(sockaddr_un::sun_path) - 1;

absl::Status CheckUnixName(absl::string_view name) {
  if (!name.empty() && name.size() <= kMaxUnixName) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a name of 1 to ", kMaxUnixName, " bytes after the colon"));
}

absl::StatusOr<Listener> ParseUnix(Listener::Kind kind,
                                   absl::string_view name) {
  const absl::Status status = CheckUnixName(name);
  if (!status.ok()) return status;
  return Listener{kind, std::string(name), 0};
}

bool IsHost(absl::string_view host) {
  if (absl::ConsumePrefix(&host, "[")) {
    return absl::ConsumeSuffix(&host, "]") && absl::StrContains(host, ':');
  }
  return !host.empty() && !absl::StrContains(host, ':');
}

absl::StatusOr<Listener> ParseTcp(absl::string_view value) {
  const size_t colon = value.rfind(':');
  Listener listener;
  if (colon == value.npos || !IsHost(value.substr(0, colon)) ||
      !absl::SimpleAtoi(value.substr(colon + 1), &listener.port) ||
      listener.port < 0 || listener.port > 65535) {
    return absl::InvalidArgumentError(
        "expected host:port, [IPv6 host]:port, unix:/path or "
        "unix-abstract:name");
  }
  listener.name = std::string(value.substr(0, colon));
  return listener;
}

sockaddr_un UnixAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

bool SomebodyListens(const std::string& path) {
  const sockaddr_un address = UnixAddress(path);
  const Socket socket(AF_UNIX);
  return connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address),
                 sizeof(address)) == 0;
}

std::string WhyCannotBind(const addrinfo& address) {
  const Socket socket(address.ai_family);
  const int on = 1;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool ok = bind(socket.fd(), address.ai_addr, address.ai_addrlen) == 0 &&
                  listen(socket.fd(), 1) == 0;
  return ok ? "" : std::strerror(errno);
}

std::string WhyCannotListenTcp(const Listener& listener) {
  absl::string_view host = listener.name;
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(std::string(host).c_str(),
                  absl::StrCat(listener.port).c_str(), &hints, &found);
  if (error != 0) return gai_strerror(error);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found,
                                                                 &freeaddrinfo);
  return WhyCannotBind(*owned);
}

std::string WhyCannotListenUnix(const Listener& listener) {
  const bool abstract = listener.kind == Listener::Kind::kUnixAbstract;
  const sockaddr_un address = UnixAddress(
      abstract ? absl::StrCat(absl::string_view("\0", 1), listener.name)
               : listener.name);
  const size_t length =
      offsetof(sockaddr_un, sun_path) + listener.name.size() + 1;
  const Socket socket(AF_UNIX);
  if (bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address),
           static_cast<socklen_t>(length)) != 0) {
    return std::strerror(errno);
  }
  if (!abstract) unlink(listener.name.c_str());
  return "";
}

}  // namespace

std::string Listener::ToString() const {
  switch (kind) {
    case Kind::kTcp:
      return absl::StrCat(name, ":", port);
    case Kind::kUnix:
      return absl::StrCat("unix:", name);
    case Kind::kUnixAbstract:
      return absl::StrCat("unix-abstract:", name);
  }
  return "";
}

std::string Listener::ClientTarget() const {
  Listener reachable = *this;
  if (kind == Kind::kTcp && name == "0.0.0.0") reachable.name = "127.0.0.1";
  if (kind == Kind::kTcp && name == "[::]") reachable.name = "[::1]";
  return reachable.ToString();
}

absl::StatusOr<Listener> ParseListener(absl::string_view value) {
  if (absl::ConsumePrefix(&value, "unix:")) {
    return ParseUnix(Listener::Kind::kUnix, value);
  }
  if (absl::ConsumePrefix(&value, "unix-abstract:")) {
    return ParseUnix(Listener::Kind::kUnixAbstract, value);
  }
  return ParseTcp(value);
}

absl::Status PrepareToListen(const Listener& listener) {
  if (listener.kind != Listener::Kind::kUnix) return absl::OkStatus();
  struct stat info;
  if (lstat(listener.name.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError("the path is not a socket");
  }
  if (SomebodyListens(listener.name)) {
    return absl::AlreadyExistsError("another server listens there");
  }
  if (unlink(listener.name.c_str()) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot remove the old socket: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

std::string WhyCannotListen(const Listener& listener) {
  return listener.kind == Listener::Kind::kTcp ? WhyCannotListenTcp(listener)
                                               : WhyCannotListenUnix(listener);
}

}  // namespace scatterd
