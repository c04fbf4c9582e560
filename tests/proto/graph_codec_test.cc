#include "proto/graph_codec.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/graph_messages.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/graph_literals.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr int kRounds = 3000;

absl::StatusOr<GraphCall> Decode(const std::string& bytes) {
  return DecodeGraphCall(CutMessage(bytes, {}).pieces(), ReserveAnything);
}

absl::StatusOr<Graph> DecodeModelBytes(const std::string& bytes) {
  return DecodeModel(CutMessage(bytes, {}).pieces(), ReserveAnything);
}

GraphCall EverythingCall() {
  GraphCall call;
  Graph& graph = call.graph;
  graph.name = "g";
  graph.nodes = {{.name = "n",
                  .op_type = "Gather",
                  .domain = "ai.onnx",
                  .inputs = {"x", "", "i"},
                  .outputs = {"y"},
                  .attributes = {{"i", int64_t{-1}},
                                 {"f", 0.5f},
                                 {"s", std::string("\xff\0", 2)},
                                 {"t", Named("t", Indices({2}, {1, 2}))},
                                 {"is", std::vector<int64_t>{0, -1}},
                                 {"fs", std::vector<float>{0, 1}},
                                 {"ss", std::vector<std::string>{"", "b"}},
                                 {"zero", int64_t{0}},
                                 {"none", std::vector<int64_t>{}}}}};
  graph.initializers = {Named("w", Iota<float>({2000}))};
  graph.inputs = {{.name = "x",
                   .dtype = DType::kFloat,
                   .dims = {{{.extent = 0, .symbol = ""},
                             {.extent = {}, .symbol = "n"},
                             {}}}},
                  {.name = "scalar", .dtype = DType::kInt64, .dims = {{}}},
                  {.name = "anything"}};
  graph.outputs = {{.name = "y"}};
  call.feeds = {{"x", Iota<int64_t>({1000})},
                {"z", ZerosSpec{{DType::kFloat, {3}}}},
                {"r", ResidentRef{"name", 3}},
                {"empty", Operand()}};
  call.fetches = {"y", "x", "y"};
  call.options.dialect = Dialect::kJax;
  call.options.fill_value = TensorOf<float>({}, {1});
  return call;
}

TEST(GraphCodec, CallsComeBack) {
  const GraphCall call = EverythingCall();
  const auto message = EncodeGraphCall(call);
  ASSERT_THAT(message, IsOk());
  const auto again = Decode(message->Flatten());
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(Describe(*again), Describe(call));
}

TEST(GraphCodec, PayloadsAreReferredToNotCopied) {
  const GraphCall call = EverythingCall();
  const auto message = EncodeGraphCall(call);
  ASSERT_THAT(message, IsOk());
  const auto has_part = [&message](const Tensor& tensor) {
    for (const Buffer& part : message->parts()) {
      if (part.data() == tensor.bytes()) return true;
    }
    return false;
  };
  EXPECT_TRUE(has_part(call.graph.initializers[0]));
  EXPECT_TRUE(has_part(std::get<Tensor>(call.feeds.at("x"))));
}

TEST(GraphCodec, NamesThatAreNotUtf8AreNotSent) {
  for (const auto& change : std::vector<void (*)(GraphCall&)>{
           [](GraphCall& c) { c.graph.name = "\xff"; },
           [](GraphCall& c) { c.graph.nodes[0].inputs[0] = "\xff"; },
           [](GraphCall& c) { c.graph.nodes[0].attributes[0].name = "\xff"; },
           [](GraphCall& c) { c.graph.inputs[0].name = "\xff"; },
           [](GraphCall& c) { c.graph.initializers[0].set_name("\xff"); },
           [](GraphCall& c) { c.fetches[0] = "\xff"; },
           [](GraphCall& c) { c.feeds["\xff"] = Operand(); }}) {
    GraphCall call = EverythingCall();
    change(call);
    EXPECT_THAT(EncodeGraphCall(call), StatusIs(kInvalid, HasSubstr("UTF-8")));
  }
}

TEST(GraphCodec, RequestsInEveryEncodingMeanTheSame) {
  WireScrambler random(7);
  int num_calls = 0;
  for (int round = 0; round < kRounds && !testing::Test::HasFailure();
       ++round) {
    v1::RunRequest request;
    FillRunRequest(random, &request);
    const std::string bytes = random.Serialize(request);
    SCOPED_TRACE(absl::BytesToHexString(bytes));
    const CutMessage message = CutMessage::AtRandom(bytes, 12, random.engine());
    const auto actual = DecodeGraphCall(message.pieces(), ReserveAnything);
    v1::RunRequest parsed;
    ASSERT_TRUE(parsed.ParseFromString(bytes));
    const auto expected = GraphCallOf(parsed);
    if (!expected) {
      EXPECT_THAT(actual, StatusIs(kInvalid, StartsWith("run: C0: ")));
      continue;
    }
    ++num_calls;
    ASSERT_THAT(actual, IsOk());
    EXPECT_EQ(Describe(*actual), Describe(*expected));
    const auto encoded = EncodeGraphCall(*actual);
    ASSERT_THAT(encoded, IsOk());
    const auto again = Decode(encoded->Flatten());
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(Describe(*again), Describe(*actual));
  }
  EXPECT_GT(num_calls, kRounds / 4);
}

TEST(GraphCodec, DamagedRequestsAreRefusedOrCalls) {
  WireScrambler random(8);
  int num_refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    v1::RunRequest request;
    FillRunRequest(random, &request);
    const std::string bytes = random.Damage(random.Serialize(request));
    SCOPED_TRACE(absl::BytesToHexString(bytes));
    const CutMessage message = CutMessage::AtRandom(bytes, 12, random.engine());
    const auto call = DecodeGraphCall(message.pieces(), ReserveAnything);
    if (!call.ok()) {
      ASSERT_THAT(call, StatusIs(kInvalid, StartsWith("run: C0: ")));
      ++num_refused;
      continue;
    }
    const auto encoded = EncodeGraphCall(*call);
    ASSERT_THAT(encoded, IsOk());
    const auto again = Decode(encoded->Flatten());
    ASSERT_THAT(again, IsOk());
    ASSERT_EQ(Describe(*again), Describe(*call));
  }
  EXPECT_GT(num_refused, kRounds / 20);
  EXPECT_LT(num_refused, kRounds);
}

// --- Attributes -------------------------------------------------------------

// The request with one node that has this attribute.
absl::StatusOr<GraphAttribute> DecodeAttribute(const std::string& attribute) {
  const std::string node = WireBytes(5, attribute);
  absl::StatusOr<GraphCall> call = Decode(WireBytes(1, WireBytes(1, node)));
  if (!call.ok()) return call.status();
  return call->graph.nodes[0].attributes[0];
}

const std::string kType = WireVarint(20 << 3);  // the tag of `type`

TEST(GraphCodec, AttributesWithoutTypeHaveThatOfTheirValue) {
  auto attribute = DecodeAttribute("\x18\x05");
  ASSERT_THAT(attribute, IsOk());
  EXPECT_EQ(std::get<int64_t>(attribute->value), 5);
  attribute = DecodeAttribute(std::string("\x18\x00", 2));
  ASSERT_THAT(attribute, IsOk());
  EXPECT_EQ(std::get<int64_t>(attribute->value), 0);
  attribute = DecodeAttribute(WireBytes(4, "add"));
  ASSERT_THAT(attribute, IsOk());
  EXPECT_EQ(std::get<std::string>(attribute->value), "add");
  attribute = DecodeAttribute(WireBytes(8, "\x01\x02"));
  ASSERT_THAT(attribute, IsOk());
  EXPECT_EQ(std::get<std::vector<int64_t>>(attribute->value),
            (std::vector<int64_t>{1, 2}));
}

TEST(GraphCodec, DefaultsNeedNotTravel) {
  const auto attribute = DecodeAttribute(kType + "\x02");
  ASSERT_THAT(attribute, IsOk());
  EXPECT_EQ(std::get<int64_t>(attribute->value), 0);
}

TEST(GraphCodec, AttributesOfOtherKindsAreKeptAsUnknown) {
  for (const std::string& bytes :
       {std::string(), kType + "\x05" + WireBytes(6, "\x12\x01g"),
        kType + "\x0b", WireBytes(6, "")}) {
    const auto attribute = DecodeAttribute(bytes);
    ASSERT_THAT(attribute, IsOk());
    EXPECT_EQ(attribute->value.index(), 0u);
  }
}

TEST(GraphCodec, AttributesOfTwoMindsAreRefused) {
  EXPECT_THAT(DecodeAttribute("\x18\x05" + WireBytes(4, "add")),
              StatusIs(kInvalid, HasSubstr("several values and no type")));
  const auto attribute = DecodeAttribute("\x18\x05" + kType + "\x03");
  EXPECT_THAT(attribute,
              StatusIs(kInvalid, HasSubstr("a value of another type")));
  EXPECT_EQ(GetPayload(attribute.status(), kFieldPayload),
            "graph.node[0].attribute[0].type");
}

// --- Errors -----------------------------------------------------------------

TEST(GraphCodec, ErrorsNameThePath) {
  const auto expect_path = [](const std::string& bytes,
                              const std::string& path) {
    const auto call = Decode(bytes);
    EXPECT_THAT(call, StatusIs(kInvalid, StartsWith("run: C0: ")));
    EXPECT_EQ(GetPayload(call.status(), kFieldPayload), path);
  };
  const std::string no_dtype = WireBytes(9, "1234");
  const std::string node = WireBytes(1, "");
  const std::string tensor_attribute = WireBytes(5, no_dtype);
  expect_path(WireBytes(1, node + WireBytes(1, WireBytes(5, tensor_attribute))),
              "graph.node[1].attribute[0].t.data_type");
  expect_path(WireBytes(1, WireBytes(5, no_dtype)),
              "graph.initializer[0].data_type");
  expect_path(WireBytes(1, WireBytes(1, WireBytes(3, "\xff"))),
              "graph.node[0].name");
  expect_path(WireBytes(1, "\x0a\x7f"), "graph");
  expect_path(
      WireBytes(2, WireBytes(1, "x") + WireBytes(2, WireBytes(1, no_dtype))),
      "feeds['x'].tensor.data_type");
  expect_path(WireBytes(14, "\x08\x63"), "options.dialect");
  // elem_type INT4.
  expect_path(
      WireBytes(1, WireBytes(11, WireBytes(2, WireBytes(1, "\x08\x16")))),
      "graph.input[0].type");
}

TEST(GraphCodec, AKeyThatComesTwiceHasItsLastValue) {
  const auto feed = [](const std::string& version) {
    return WireBytes(
        2, WireBytes(1, "x") + WireBytes(2, WireBytes(2, "\x10" + version)));
  };
  const auto call = Decode(feed("\x01") + feed("\x02"));
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(std::get<ResidentRef>(call->feeds.at("x")).if_version, 2u);
}

TEST(GraphCodec, EveryAllocationIsAskedFor) {
  const std::string bytes = EncodeGraphCall(EverythingCall())->Flatten();
  const CutMessage message(bytes, {});
  // However little is allowed, the answer is the refusal of what is too much.
  uint64_t needed = 0;
  const auto measure = [&needed](uint64_t size) {
    needed += size;
    return absl::OkStatus();
  };
  ASSERT_THAT(DecodeGraphCall(message.pieces(), measure), IsOk());
  for (uint64_t allowed = 0; allowed < needed; allowed += needed / 100) {
    uint64_t reserved = 0;
    const auto reserve = [&](uint64_t size) {
      reserved += size;
      return reserved <= allowed ? absl::OkStatus()
                                 : absl::ResourceExhaustedError("enough");
    };
    EXPECT_THAT(DecodeGraphCall(message.pieces(), reserve),
                StatusIs(absl::StatusCode::kResourceExhausted, "enough"));
  }
}

// --- Results and models -----------------------------------------------------

TEST(GraphCodec, ResultsComeBack) {
  GraphResult result;
  result.outputs = {Named("y", Iota<float>({2000})),
                    Named("s", Strings({2}, {"a", ""}))};
  result.stats.device = "cpu";
  result.stats.compute_ns = 5;
  const auto message = EncodeGraphResult(result);
  ASSERT_THAT(message, IsOk());
  const std::string bytes = message->Flatten();
  v1::RunResponse wire;
  ASSERT_TRUE(wire.ParseFromString(bytes));
  EXPECT_EQ(wire.outputs_size(), 2);
  EXPECT_EQ(wire.stats().compute_ns(), 5u);
  const auto again =
      DecodeGraphResult(CutMessage(bytes, {5, 100}).pieces(), ReserveAnything);
  ASSERT_THAT(again, IsOk());
  ASSERT_THAT(again->outputs, SizeIs(2));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(again->outputs[i], EqualsTensor(result.outputs[i]));
    EXPECT_EQ(again->outputs[i].name(), result.outputs[i].name());
  }
  EXPECT_EQ(again->stats.device, "cpu");
}

TEST(GraphCodec, ModelsGiveTheirGraph) {
  const std::string node = WireBytes(4, "Gather");
  const std::string model =
      "\x08\x0d" + WireBytes(2, "producer") + WireBytes(7, WireBytes(1, node)) +
      WireBytes(8, "\x10\x12") + WireBytes(25, "a function");
  const auto graph = DecodeModelBytes(model);
  ASSERT_THAT(graph, IsOk());
  ASSERT_THAT(graph->nodes, SizeIs(1));
  EXPECT_EQ(graph->nodes[0].op_type, "Gather");
}

TEST(GraphCodec, FilesThatAreNoModelsAreRefused) {
  EXPECT_THAT(DecodeModelBytes(""),
              StatusIs(kInvalid, "model: C0: the model has no graph"));
  EXPECT_THAT(DecodeModelBytes("no model"),
              StatusIs(kInvalid, StartsWith("model: C0: ")));
  EXPECT_THAT(DecodeModelBytes(WireBytes(7, "\x0a\x7f")),
              StatusIs(kInvalid, HasSubstr("model: C0: graph: malformed")));
}

}  // namespace
}  // namespace scatterd::test
