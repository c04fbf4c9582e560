#include "client/prepared_call.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/byte_buffer.h"

namespace scatterd {
namespace {

// Calls a function when the last owner goes.
class ReleaseSignal {
 public:
  explicit ReleaseSignal(std::function<void()> signal)
      : signal_(std::move(signal)) {}
  ~ReleaseSignal() { signal_(); }

 private:
  std::function<void()> signal_;
};

// What one part of a message in flight owns.  Members are destroyed from the
// last to the first: the part's memory is let go before the signal.
struct PartInFlight {
  std::shared_ptr<ReleaseSignal> signal;
  Buffer part;
};

bool IsLegalKey(absl::string_view key) {
  return !key.empty() && !absl::StartsWith(key, "grpc-") &&
         std::all_of(key.begin(), key.end(), [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) ||
                  c == '-' || c == '_' || c == '.';
         });
}

bool IsLegalValue(absl::string_view key, absl::string_view value) {
  return absl::EndsWith(key, "-bin") ||
         std::all_of(value.begin(), value.end(), absl::ascii_isprint);
}

}  // namespace

absl::Status CheckMetadata(const CallOptions& options) {
  for (const auto& [key, value] : options.metadata) {
    if (!IsLegalKey(key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("client: metadata key \"", key, "\" is not allowed"));
    }
    if (!IsLegalValue(key, value)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "client: metadata value of \"", key, "\" is not printable ASCII"));
    }
  }
  return absl::OkStatus();
}

absl::Time EffectiveDeadline(const CallOptions& options,
                             absl::Duration default_timeout, absl::Time now) {
  absl::Time deadline = options.deadline.value_or(absl::InfiniteFuture());
  if (options.timeout) {
    deadline = std::min(deadline, now + *options.timeout);
  } else if (!options.deadline) {
    deadline = now + default_timeout;
  }
  // gRPC takes a time before 1970 for "never".
  return std::max(deadline, absl::UnixEpoch());
}

grpc::ByteBuffer MakeRequest(const EncodedMessage& message,
                             std::function<void()> on_released) {
  const auto signal = std::make_shared<ReleaseSignal>(std::move(on_released));
  EncodedMessage in_flight;
  for (const Buffer& part : message.parts()) {
    auto held = std::make_shared<PartInFlight>(PartInFlight{signal, part});
    in_flight.Append(
        Buffer::Wrap(part.data(), part.size(), [held = std::move(held)] {}));
  }
  return ToByteBuffer(std::move(in_flight));
}

}  // namespace scatterd
