// What a message may cost: every allocation is asked for, and a hostile
// message cannot make more of them than its own size pays for.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "proto/graph_codec.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace {

std::atomic<uint64_t> allocated_bytes{0};

}  // namespace

// Counts.  Buffers come from the pool, not from here.  Inlining would let the
// compiler see new meet free.
[[gnu::noinline]] void* operator new(size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace scatterd::test {
namespace {

// What decoding a message asked for and took.
struct Cost {
  absl::Status status;
  uint64_t reserved = 0;
  uint64_t allocated = 0;  // not counting Buffers
};

using Decoder = absl::FunctionRef<absl::Status(MessagePieces, ReserveBytes)>;

Cost CostOf(Decoder decode, const std::string& bytes) {
  const CutMessage message(bytes, {});
  Cost cost;
  const auto reserve = [&cost](uint64_t size) {
    cost.reserved += size;
    return absl::OkStatus();
  };
  const uint64_t before = allocated_bytes;
  cost.status = decode(message.pieces(), reserve);
  cost.allocated = allocated_bytes - before;
  return cost;
}

Cost CostOfCall(OperatorId op, const std::string& bytes) {
  return CostOf(
      [op](MessagePieces message, ReserveBytes reserve) {
        return DecodeCall(op, message, reserve).status();
      },
      bytes);
}

Cost CostOfGraphCall(const std::string& bytes) {
  return CostOf(
      [](MessagePieces message, ReserveBytes reserve) {
        return DecodeGraphCall(message, reserve).status();
      },
      bytes);
}

// What a decoder may allocate without asking: error texts, small vectors.
constexpr uint64_t kSmallChange = 4096;

void ExpectPaidFor(const std::string& request) {
  const Cost cost = CostOfCall(OperatorId::kScatterND, request);
  // A std::string may take twice what it holds.
  EXPECT_LE(cost.allocated, 2 * cost.reserved + kSmallChange) << cost.status;
  EXPECT_LE(cost.reserved, 128 * request.size() + kSmallChange);
}

std::string Repeated(const std::string& unit, int times) {
  std::string bytes;
  for (int i = 0; i < times; ++i) bytes += unit;
  return bytes;
}

// `tensor` as the data of a scatter_nd request.
std::string AsData(const std::string& tensor) {
  return WireBytes(1, WireBytes(1, tensor));
}

TEST(CodecAllocations, OfHostileMessagesArePaidFor) {
  constexpr int kMany = 100000;
  const std::string int32_entry("\x28\x01");
  const std::string float_entry("\x25\0\0\0\0", 5);
  ExpectPaidFor(AsData(Repeated(int32_entry + float_entry, kMany)));
  ExpectPaidFor(AsData(Repeated(int32_entry + WireBytes(8, ""), kMany)));
  ExpectPaidFor(
      AsData(Repeated(WireBytes(8, "long enough for the heap"), kMany)));
  ExpectPaidFor(AsData(Repeated(WireBytes(6, ""), kMany)));
  ExpectPaidFor(AsData(Repeated("\x08\x01", kMany)));
  ExpectPaidFor(AsData(Repeated(WireBytes(13, ""), kMany)));
  ExpectPaidFor(Repeated(WireBytes(1, ""), kMany));
  ExpectPaidFor(Repeated(
      WireBytes(1, WireBytes(1, "")) + WireBytes(1, WireBytes(2, "")), kMany));
  ExpectPaidFor(WireBytes(14, Repeated(WireBytes(7, ""), kMany)));
  ExpectPaidFor(
      WireBytes(14, Repeated(WireBytes(9, std::string(100, 'k')), kMany)));
  ExpectPaidFor(
      WireBytes(15, Repeated(WireBytes(1, "") + WireBytes(2, ""), kMany)));
  ExpectPaidFor(WireBytes(1, WireBytes(3, Repeated("\x10\x01", kMany))));
  ExpectPaidFor(Repeated("\xab\x06\xac\x06", kMany));
}

// The parts of a graph are larger in memory than their fewest bytes are, but
// nothing is made that was not asked for.
void ExpectGraphPaidFor(const std::string& request) {
  const Cost cost = CostOfGraphCall(request);
  EXPECT_LE(cost.allocated, 2 * cost.reserved + kSmallChange) << cost.status;
  EXPECT_LE(cost.reserved, 1024 * request.size() + kSmallChange);
}

TEST(CodecAllocations, OfHostileGraphsArePaidFor) {
  constexpr int kMany = 20000;
  const auto graph = [](const std::string& bytes) {
    return WireBytes(1, bytes);
  };
  const auto node = [&](const std::string& bytes) {
    return graph(WireBytes(1, bytes));
  };
  for (const uint32_t field : {1, 5, 11, 12}) {
    ExpectGraphPaidFor(graph(Repeated(WireBytes(field, ""), kMany)));
    ExpectGraphPaidFor(Repeated(graph(WireBytes(field, "")), kMany));
  }
  for (const uint32_t field : {1, 2, 3, 4, 5, 7}) {
    ExpectGraphPaidFor(node(Repeated(WireBytes(field, ""), kMany)));
    ExpectGraphPaidFor(
        node(Repeated(WireBytes(field, "long enough for the heap"), kMany)));
  }
  const auto attribute = [&](const std::string& bytes) {
    return node(WireBytes(5, bytes));
  };
  const std::string one_float("\x3d\0\0\0\0", 5);
  ExpectGraphPaidFor(attribute(Repeated(WireBytes(4, ""), kMany)));
  ExpectGraphPaidFor(attribute(Repeated(WireBytes(5, ""), kMany)));
  ExpectGraphPaidFor(attribute(Repeated(WireBytes(9, ""), kMany)));
  ExpectGraphPaidFor(attribute(Repeated(one_float, kMany)));
  ExpectGraphPaidFor(attribute(Repeated("\x40\x01", kMany)));
  ExpectGraphPaidFor(
      attribute(WireBytes(8, Repeated(std::string(1, '\0'), kMany))));
  const auto shape = [&](const std::string& bytes) {
    return graph(
        WireBytes(11, WireBytes(2, WireBytes(1, WireBytes(2, bytes)))));
  };
  ExpectGraphPaidFor(shape(Repeated(WireBytes(1, ""), kMany)));
  ExpectGraphPaidFor(shape(Repeated(WireBytes(1, WireBytes(2, "n")), kMany)));
  ExpectGraphPaidFor(Repeated(WireBytes(2, ""), kMany));
  std::string feeds;
  for (int i = 0; i < kMany; ++i) {
    feeds += WireBytes(2, WireBytes(1, std::to_string(i)));
  }
  ExpectGraphPaidFor(feeds);
  ExpectGraphPaidFor(Repeated(WireBytes(3, ""), kMany));
}

TEST(CodecAllocations, AreNotMadeFromDeclaredDims) {
  v1::ScatterNDRequest request;
  v1::TensorProto& tensor = *request.mutable_data()->mutable_tensor();
  tensor.set_data_type(v1::DATA_TYPE_DOUBLE);
  tensor.add_dims(int64_t{1} << 50);
  tensor.set_raw_data("12345678");
  Cost cost = CostOfCall(OperatorId::kScatterND, request.SerializeAsString());
  EXPECT_THAT(cost.status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(cost.reserved, 0u);
  EXPECT_LE(cost.allocated, kSmallChange);

  tensor.clear_raw_data();
  tensor.set_data_type(v1::DATA_TYPE_STRING);
  tensor.add_string_data("x");
  cost = CostOfCall(OperatorId::kScatterND, request.SerializeAsString());
  EXPECT_THAT(cost.status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(cost.reserved, 0u);
  EXPECT_LE(cost.allocated, kSmallChange);
}

// Calls with each kind of payload, and the bytes of their Buffers.
struct PayloadCase {
  v1::TensorProto tensor;
  uint64_t buffer_bytes;
};

std::vector<PayloadCase> PayloadCases() {
  std::vector<PayloadCase> cases(3);
  cases[0].tensor.set_data_type(v1::DATA_TYPE_FLOAT);
  cases[0].tensor.set_raw_data(std::string(4000, '\0'));
  cases[0].buffer_bytes = 4000;
  cases[1].tensor.set_data_type(v1::DATA_TYPE_COMPLEX128);
  cases[1].buffer_bytes = 16000;
  cases[2].tensor.set_data_type(v1::DATA_TYPE_STRING);
  cases[2].buffer_bytes = 1000 * sizeof(StringRef) + 3000;
  for (PayloadCase& test : cases) test.tensor.add_dims(1000);
  for (int i = 0; i < 1000; ++i) {
    cases[1].tensor.add_double_data(i);
    cases[1].tensor.add_double_data(i);
    cases[2].tensor.add_string_data("abc");
  }
  return cases;
}

TEST(CodecAllocations, OfPayloadsAreAskedForInFull) {
  for (const PayloadCase& test : PayloadCases()) {
    const Cost cost = CostOfCall(OperatorId::kScatterND,
                                 AsData(test.tensor.SerializeAsString()));
    EXPECT_THAT(cost.status, IsOk());
    EXPECT_EQ(cost.reserved, test.buffer_bytes);
  }
}

TEST(CodecAllocations, AreNotMadeOnceRefused) {
  v1::ScatterNDRequest request;
  v1::TensorProto text;
  text.set_data_type(v1::DATA_TYPE_STRING);
  text.set_name("a name");
  text.add_dims(1);
  text.add_string_data("some text");
  *request.mutable_data()->mutable_tensor() = text;
  *request.mutable_updates()->mutable_tensor() = text;
  *request.mutable_options()->mutable_fill_value() = text;
  request.mutable_options()->set_device("cpu");
  request.mutable_indices()->mutable_resident()->set_name("indices");
  request.mutable_output()->mutable_resident()->set_name("output");
  const CutMessage message(request.SerializeAsString(), {});

  const absl::Status refused = absl::ResourceExhaustedError("no more");
  int num_asked = 0;
  absl::StatusOr<OperatorCall> call = refused;
  for (int allowed = 0; !call.ok() && allowed < 100; ++allowed) {
    num_asked = 0;
    call = DecodeCall(OperatorId::kScatterND, message.pieces(), [&](uint64_t) {
      return ++num_asked > allowed ? refused : absl::OkStatus();
    });
    if (!call.ok()) {
      EXPECT_EQ(call.status(), refused);
      EXPECT_EQ(num_asked, allowed + 1);  // and not again
    }
  }
  EXPECT_THAT(call, IsOk());
  EXPECT_GE(num_asked, 3 + 3 + 3 + 3);  // names, refs, blobs, other texts
}

}  // namespace
}  // namespace scatterd::test
