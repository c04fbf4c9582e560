// What the codec's tests share.

#ifndef SCATTERD_TESTS_PROTO_CODEC_TESTING_H_
#define SCATTERD_TESTS_PROTO_CODEC_TESTING_H_

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/call.h"
#include "proto/codec.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd::test {

// All dtypes and all operators, row by row.
extern const std::vector<DType> kAllDTypes;
extern const std::vector<OperatorId> kAllOperators;

// A message in pieces, each in an allocation of exactly its size, so that
// AddressSanitizer sees a read beyond a piece.
class CutMessage {
 public:
  // Cut after each of the positions, which grow; equal ones make empty pieces.
  CutMessage(const std::string& bytes, const std::vector<size_t>& cuts);

  // Cut at up to `max_cuts` random positions.
  static CutMessage AtRandom(const std::string& bytes, size_t max_cuts,
                             std::mt19937_64& engine);

  MessagePieces pieces() const { return pieces_; }

 private:
  void Add(absl::string_view piece);

  std::vector<std::unique_ptr<char[]>> storage_;
  std::vector<absl::string_view> pieces_;
};

// Decodes bytes in one piece, with ReserveAnything.
absl::StatusOr<Tensor> DecodeTensorBytes(const std::string& bytes);
absl::StatusOr<OperatorCall> DecodeCallBytes(OperatorId op,
                                             const std::string& bytes);
absl::StatusOr<OperatorResult> DecodeResultBytes(const std::string& bytes);
absl::StatusOr<GradientCall> DecodeGradientCallBytes(const std::string& bytes);
absl::StatusOr<GradientResult> DecodeGradientResultBytes(
    const std::string& bytes);

// The same for messages, which are serialized first.
template <typename Message>
absl::StatusOr<Tensor> DecodeTensorMessage(const Message& message) {
  return DecodeTensorBytes(message.SerializeAsString());
}

// What differs between two calls, names and untouched defaults included; empty
// if nothing does.
std::string CallDifference(const OperatorCall& actual,
                           const OperatorCall& expected);

// The same for two gradient calls.
std::string GradientCallDifference(const GradientCall& actual,
                                   const GradientCall& expected);

// A new request message of the operator: GatherRequest for kGather, ...
std::unique_ptr<google::protobuf::Message> NewRequest(OperatorId op);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_PROTO_CODEC_TESTING_H_
