// Bytes as every message that the codec decodes.
//
// The first byte chooses the message, the second how the rest is cut into
// pieces.  Whatever the bytes are, the codec must answer what protobuf's parser
// and the contract (tests/proto/wire_oracle.h) do; and what it decodes must
// survive being encoded and decoded again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/graph_plan.h"
#include "google/protobuf/message.h"
#include "proto/codec.h"
#include "proto/graph_codec.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/graph_messages.h"
#include "tests/proto/wire_oracle.h"
#include "tests/testing/tensor_matchers.h"

#if __has_include("google/protobuf/stubs/logging.h")
#include "google/protobuf/stubs/logging.h"
#endif

namespace scatterd::test {
namespace {

void Check(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  std::abort();
}

// Decodes may refuse as they are documented to, and in no other way.
template <typename T>
void CheckRefusal(const absl::StatusOr<T>& result) {
  Check(result.ok() ||
            result.status().code() == absl::StatusCode::kInvalidArgument,
        result.status().ToString());
}

// Both skip unknown groups down to some depth, but not to the same one.
bool NestsDeeply(const std::string& bytes) {
  return std::count_if(bytes.begin(), bytes.end(),
                       [](char byte) { return (byte & 7) == 3; }) > 90;
}

void FuzzTensor(const std::string& bytes, MessagePieces pieces) {
  const absl::StatusOr<Tensor> tensor = DecodeTensor(pieces, ReserveAnything);
  CheckRefusal(tensor);
  v1::TensorProto wire;
  std::optional<Tensor> expected;
  if (wire.ParseFromString(bytes)) expected = TensorOf(wire);
  if (!NestsDeeply(bytes)) {
    Check(tensor.ok() == expected.has_value(), tensor.status().ToString());
  }
  if (!tensor.ok() || !expected) return;
  Check(Difference(*tensor, *expected).empty(), "tensor differs");

  const absl::StatusOr<EncodedMessage> encoded = EncodeTensor(*tensor);
  Check(encoded.ok(), encoded.status().ToString());
  Check(encoded->size() == EncodedTensorSize(*tensor), "size differs");
  const absl::StatusOr<Tensor> again = DecodeTensorBytes(encoded->Flatten());
  Check(again.ok(), again.status().ToString());
  Check(again->name() == tensor->name(), "name differs");
  Check(Difference(*again, *tensor).empty(), "tensor changed");
}

void FuzzCall(OperatorId op, const std::string& bytes, MessagePieces pieces) {
  const absl::StatusOr<OperatorCall> call =
      DecodeCall(op, pieces, ReserveAnything);
  CheckRefusal(call);
  const auto request = NewRequest(op);
  std::optional<OperatorCall> expected;
  if (request->ParseFromString(bytes)) expected = CallOf(op, *request);
  if (!NestsDeeply(bytes)) {
    Check(call.ok() == expected.has_value(), call.status().ToString());
  }
  if (!call.ok() || !expected) return;
  Check(CallDifference(*call, *expected).empty(),
        CallDifference(*call, *expected));

  const absl::StatusOr<EncodedMessage> encoded = EncodeCall(*call);
  Check(encoded.ok(), encoded.status().ToString());
  const absl::StatusOr<OperatorCall> again =
      DecodeCallBytes(op, encoded->Flatten());
  Check(again.ok(), again.status().ToString());
  Check(CallDifference(*again, *call).empty(), CallDifference(*again, *call));
}

void FuzzResult(MessagePieces pieces) {
  const absl::StatusOr<OperatorResult> result =
      DecodeResult(pieces, ReserveAnything);
  CheckRefusal(result);
  if (!result.ok()) return;
  const absl::StatusOr<EncodedMessage> encoded = EncodeResult(*result);
  Check(encoded.ok(), encoded.status().ToString());
  const absl::StatusOr<OperatorResult> again =
      DecodeResultBytes(encoded->Flatten());
  Check(again.ok(), again.status().ToString());
  Check(again->output.has_value() == result->output.has_value(), "output");
  if (result->output) {
    Check(Difference(*again->output, *result->output).empty(),
          "output changed");
  }
  Check(again->stats.device == result->stats.device, "stats changed");
  Check(again->stats.compute_ns == result->stats.compute_ns, "stats changed");
}

void FuzzGradientCall(const std::string& bytes, MessagePieces pieces) {
  const absl::StatusOr<GradientCall> call =
      DecodeGradientCall(pieces, ReserveAnything);
  CheckRefusal(call);
  v1::GradientRequest wire;
  std::optional<GradientCall> expected;
  if (wire.ParseFromString(bytes)) expected = GradientCallOf(wire);
  if (!NestsDeeply(bytes)) {
    Check(call.ok() == expected.has_value(), call.status().ToString());
  }
  if (!call.ok() || !expected) return;
  Check(GradientCallDifference(*call, *expected).empty(),
        GradientCallDifference(*call, *expected));

  const absl::StatusOr<EncodedMessage> encoded = EncodeGradientCall(*call);
  Check(encoded.ok(), encoded.status().ToString());
  const absl::StatusOr<GradientCall> again =
      DecodeGradientCallBytes(encoded->Flatten());
  Check(again.ok(), again.status().ToString());
  Check(GradientCallDifference(*again, *call).empty(),
        GradientCallDifference(*again, *call));
}

void FuzzGradientResult(MessagePieces pieces) {
  const absl::StatusOr<GradientResult> result =
      DecodeGradientResult(pieces, ReserveAnything);
  CheckRefusal(result);
  if (!result.ok()) return;
  const absl::StatusOr<EncodedMessage> encoded = EncodeGradientResult(*result);
  Check(encoded.ok(), encoded.status().ToString());
  const absl::StatusOr<GradientResult> again =
      DecodeGradientResultBytes(encoded->Flatten());
  Check(again.ok(), again.status().ToString());
  Check(Difference(again->grad_data, result->grad_data).empty(),
        "grad_data changed");
  Check(again->grad_updates.has_value() == result->grad_updates.has_value(),
        "grad_updates");
  if (result->grad_updates) {
    Check(Difference(*again->grad_updates, *result->grad_updates).empty(),
          "grad_updates changed");
  }
  Check(again->stats.device == result->stats.device, "stats changed");
}

// A graph call that survives, as it is, being encoded and decoded again.
void CheckGraphCall(const GraphCall& call) {
  const absl::StatusOr<EncodedMessage> encoded = EncodeGraphCall(call);
  Check(encoded.ok(), encoded.status().ToString());
  const std::string flat = encoded->Flatten();
  const absl::string_view piece = flat;
  const absl::StatusOr<GraphCall> again =
      DecodeGraphCall({&piece, 1}, ReserveAnything);
  Check(again.ok(), again.status().ToString());
  Check(Describe(*again) == Describe(call), "graph call changed");
}

// Whatever the graph is, planning it has an answer.
void CheckPlan(const GraphCall& call) {
  const absl::StatusOr<GraphPlan> plan = PlanGraph(call);
  Check(plan.ok() || absl::IsInvalidArgument(plan.status()) ||
            absl::IsUnimplemented(plan.status()),
        plan.status().ToString());
}

void FuzzGraphCall(const std::string& bytes, MessagePieces pieces) {
  const absl::StatusOr<GraphCall> call =
      DecodeGraphCall(pieces, ReserveAnything);
  CheckRefusal(call);
  if (!call.ok()) return;
  Check(NestsDeeply(bytes) || v1::RunRequest().ParseFromString(bytes),
        "protobuf refuses it");
  CheckGraphCall(*call);
  CheckPlan(*call);
}

void FuzzModel(MessagePieces pieces) {
  absl::StatusOr<Graph> graph = DecodeModel(pieces, ReserveAnything);
  CheckRefusal(graph);
  if (!graph.ok()) return;
  GraphCall call{.graph = *std::move(graph)};
  CheckGraphCall(call);
  for (const GraphNode& node : call.graph.nodes) {
    call.fetches.insert(call.fetches.end(), node.outputs.begin(),
                        node.outputs.end());
  }
  CheckPlan(call);
}

void FuzzGraphResult(MessagePieces pieces) {
  const absl::StatusOr<GraphResult> result =
      DecodeGraphResult(pieces, ReserveAnything);
  CheckRefusal(result);
  if (!result.ok()) return;
  const absl::StatusOr<EncodedMessage> encoded = EncodeGraphResult(*result);
  Check(encoded.ok(), encoded.status().ToString());
  const std::string flat = encoded->Flatten();
  const absl::string_view piece = flat;
  const absl::StatusOr<GraphResult> again =
      DecodeGraphResult({&piece, 1}, ReserveAnything);
  Check(again.ok(), again.status().ToString());
  Check(again->outputs.size() == result->outputs.size(), "outputs changed");
  for (size_t i = 0; i < again->outputs.size(); ++i) {
    Check(Difference(again->outputs[i], result->outputs[i]).empty(),
          "an output changed");
  }
}

void FuzzOne(uint8_t message, uint8_t cuts, const std::string& bytes) {
  std::mt19937_64 engine(cuts);
  const CutMessage cut = CutMessage::AtRandom(bytes, cuts % 16, engine);
  const size_t num_operators = kAllOperators.size();
  const size_t which = message % (num_operators + 7);
  if (which < num_operators) {
    FuzzCall(kAllOperators[which], bytes, cut.pieces());
  } else if (which == num_operators) {
    FuzzTensor(bytes, cut.pieces());
  } else if (which == num_operators + 1) {
    FuzzResult(cut.pieces());
  } else if (which == num_operators + 2) {
    FuzzGradientCall(bytes, cut.pieces());
  } else if (which == num_operators + 3) {
    FuzzGradientResult(cut.pieces());
  } else if (which == num_operators + 4) {
    FuzzGraphCall(bytes, cut.pieces());
  } else if (which == num_operators + 5) {
    FuzzModel(cut.pieces());
  } else {
    FuzzGraphResult(cut.pieces());
  }
}

}  // namespace
}  // namespace scatterd::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
#if __has_include("google/protobuf/stubs/logging.h")
  static const google::protobuf::LogSilencer silencer;
#endif
  if (size < 2) return 0;
  scatterd::test::FuzzOne(
      data[0], data[1],
      std::string(reinterpret_cast<const char*>(data) + 2, size - 2));
  return 0;
}
