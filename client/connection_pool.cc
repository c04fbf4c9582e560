#include "client/connection_pool.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpc/grpc.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"

namespace scatterd {
namespace {

grpc::ChannelArguments MakeArguments(const ClientOptions& options) {
  grpc::ChannelArguments args;
  args.SetUserAgentPrefix("scatterd-cpp/" SCATTERD_VERSION);
  args.SetMaxReceiveMessageSize(static_cast<int>(options.max_reply_bytes));
  args.SetMaxSendMessageSize(-1);
  // gRPC's own retries keep a copy of each message, up to a limit.
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // Channels with equal arguments would share one connection.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Sets TCP_USER_TIMEOUT: a peer that does not take what is sent, because it
  // is gone or stuck, breaks the connection.  The pings that come with it are
  // as rare as every server allows.
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 600'000);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  const auto milliseconds = [](absl::Duration d) {
    return static_cast<int>(
        std::clamp<int64_t>(absl::ToInt64Milliseconds(d), 100, 120'000));
  };
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
              milliseconds(options.retry.initial_backoff));
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS,
              milliseconds(options.retry.max_backoff));
  return args;
}

// The end of gRPC's last object stops its threads, and after a large message
// one of them may sleep for ten seconds first.  So gRPC runs until the process
// ends.
void KeepGrpcRunning() {
  static const bool kRunning = [] {
    grpc_init();
    return true;
  }();
  (void)kRunning;
}

// True for "host:port" and "[v6]:port" with a port in [1, 65535].
bool IsHostAndPort(absl::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  int port;
  if (!absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 1 ||
      port > 65535) {
    return false;
  }
  const absl::string_view host = address.substr(0, colon);
  if (host.front() == '[') return host.size() > 2 && host.back() == ']';
  return host.find_first_of(":/[] \t\n") == absl::string_view::npos;
}

bool HasNameAfter(absl::string_view prefix, absl::string_view address) {
  return absl::StartsWith(address, prefix) && address.size() > prefix.size();
}

}  // namespace

ConnectionPool::ConnectionPool(const std::string& target,
                               const ClientOptions& options) {
  KeepGrpcRunning();
  for (int i = 0; i < options.num_connections; ++i) {
    stubs_.emplace_back(grpc::CreateCustomChannel(
        target, grpc::InsecureChannelCredentials(), MakeArguments(options)));
  }
}

absl::StatusOr<std::string> ParseAddress(absl::string_view address) {
  if (HasNameAfter("unix:", address) ||
      HasNameAfter("unix-abstract:", address)) {
    return std::string(address);
  }
  if (IsHostAndPort(address)) return absl::StrCat("dns:///", address);
  return absl::InvalidArgumentError(
      absl::StrCat("client: \"", address,
                   "\" is no address (host:port, [::1]:port, unix:/path or "
                   "unix-abstract:name)"));
}

}  // namespace scatterd
