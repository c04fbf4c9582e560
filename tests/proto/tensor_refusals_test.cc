// What the contract refuses about tensors.  The message and the field are
// checked: a refusal for another reason is no pass.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/status_matchers.h"

namespace scatterd::test {
namespace {

v1::TensorProto Wire(int data_type, const std::vector<int64_t>& dims) {
  v1::TensorProto wire;
  wire.set_data_type(data_type);
  for (const int64_t dim : dims) wire.add_dims(dim);
  return wire;
}

v1::TensorProto Raw(int data_type, const std::vector<int64_t>& dims,
                    size_t num_bytes) {
  v1::TensorProto wire = Wire(data_type, dims);
  wire.set_raw_data(std::string(num_bytes, '\0'));
  return wire;
}

// The tensor's bytes are refused with "tensor: C0: <what>" about `field`.
void ExpectRefused(const std::string& bytes, const std::string& field,
                   const std::string& what) {
  const absl::StatusOr<Tensor> tensor = DecodeTensorBytes(bytes);
  EXPECT_THAT(tensor, StatusIs(absl::StatusCode::kInvalidArgument,
                               absl::StrCat("tensor: C0: ", what)));
  EXPECT_EQ(GetPayload(tensor.status(), kFieldPayload), field);
}

void ExpectRefused(const v1::TensorProto& wire, const std::string& field,
                   const std::string& what) {
  SCOPED_TRACE(wire.ShortDebugString());
  ExpectRefused(wire.SerializeAsString(), field, what);
}

TEST(TensorRefusals, Case16RawDataShorterThanTheShape) {
  ExpectRefused(Raw(v1::DATA_TYPE_FLOAT, {1000000}, 4), "raw_data",
                "raw_data has the wrong length (4 vs 4000000 bytes)");
}

TEST(TensorRefusals, Case16RawDataLongerThanTheShape) {
  ExpectRefused(Raw(v1::DATA_TYPE_INT64, {1}, 4096), "raw_data",
                "raw_data has the wrong length (4096 vs 8 bytes)");
}

TEST(TensorRefusals, Case16OddNumberOfComplexParts) {
  v1::TensorProto wire = Wire(v1::DATA_TYPE_COMPLEX64, {2});
  for (int i = 0; i < 3; ++i) wire.add_float_data(1);
  ExpectRefused(wire, "float_data",
                "float_data has the wrong length (3 vs 4 entries)");
}

TEST(TensorRefusals, Case16TooFewStrings) {
  v1::TensorProto wire = Wire(v1::DATA_TYPE_STRING, {2});
  wire.add_string_data("one");
  ExpectRefused(wire, "string_data",
                "string_data has the wrong length (1 vs 2 entries)");
}

TEST(TensorRefusals, Case16PayloadOfAnEmptyTensor) {
  ExpectRefused(Raw(v1::DATA_TYPE_FLOAT, {0}, 4), "raw_data",
                "raw_data has the wrong length (4 vs 0 bytes)");
}

TEST(TensorRefusals, Case16RawAndTypedData) {
  v1::TensorProto wire = Raw(v1::DATA_TYPE_FLOAT, {1}, 4);
  wire.add_float_data(1);
  ExpectRefused(wire, "float_data",
                "two value fields are set (raw_data and float_data vs one)");
}

TEST(TensorRefusals, Case16BoolInFloatData) {
  v1::TensorProto wire = Wire(v1::DATA_TYPE_BOOL, {1});
  wire.add_float_data(1);
  ExpectRefused(wire, "float_data",
                "wrong value field for BOOL (float_data vs int32_data)");
}

TEST(TensorRefusals, DTypesSmallerThanAByte) {
  const std::vector<std::pair<int, std::string>> kTypes = {{21, "UINT4"},
                                                           {22, "INT4"},
                                                           {23, "FLOAT4E2M1"},
                                                           {25, "UINT2"},
                                                           {26, "INT2"}};
  for (const auto& [number, name] : kTypes) {
    ExpectRefused(Raw(number, {3}, 1), "data_type",
                  absl::StrCat("data_type ", name,
                               " is not supported, its elements are smaller "
                               "than one byte"));
  }
}

TEST(TensorRefusals, UnknownDTypes) {
  ExpectRefused(Raw(0, {1}, 1), "data_type", "data_type is not set");
  ExpectRefused("", "data_type", "data_type is not set");
  for (const int number : {27, 100, -1, INT32_MAX, INT32_MIN}) {
    ExpectRefused(Raw(number, {1}, 1), "data_type",
                  absl::StrCat("unknown data_type (", number, ")"));
  }
}

TEST(TensorRefusals, NoPayload) {
  ExpectRefused(Wire(v1::DATA_TYPE_FLOAT, {2}), "raw_data",
                "raw_data has the wrong length (0 vs 8 bytes)");
  ExpectRefused(Wire(v1::DATA_TYPE_FLOAT, {}), "raw_data",
                "raw_data has the wrong length (0 vs 4 bytes)");
  ExpectRefused(Wire(v1::DATA_TYPE_STRING, {2}), "string_data",
                "string_data has the wrong length (0 vs 2 entries)");
}

TEST(TensorRefusals, StringsInRawData) {
  ExpectRefused(Raw(v1::DATA_TYPE_STRING, {1}, 1), "raw_data",
                "wrong value field for STRING (raw_data vs string_data)");
}

TEST(TensorRefusals, TwoTypedFields) {
  v1::TensorProto wire = Wire(v1::DATA_TYPE_INT32, {1});
  wire.add_int32_data(1);
  wire.add_int64_data(1);
  ExpectRefused(wire, "int64_data",
                "two value fields are set (int32_data and int64_data vs one)");
}

TEST(TensorRefusals, TheTypedFieldOfAnotherDType) {
  v1::TensorProto wire = Wire(v1::DATA_TYPE_UINT32, {1});
  wire.add_int32_data(1);
  ExpectRefused(wire, "int32_data",
                "wrong value field for UINT32 (int32_data vs uint64_data)");
}

TEST(TensorRefusals, NegativeDims) {
  ExpectRefused(Raw(v1::DATA_TYPE_FLOAT, {2, -1}, 0), "dims",
                "dimension 1 of shape [2,-1] is negative (-1 vs at least 0)");
  ExpectRefused(Raw(v1::DATA_TYPE_FLOAT, {0, -1}, 0), "dims",
                "dimension 1 of shape [0,-1] is negative (-1 vs at least 0)");
}

void ExpectOverflow(const std::vector<int64_t>& dims) {
  EXPECT_THAT(DecodeTensorMessage(Raw(v1::DATA_TYPE_DOUBLE, dims, 0)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::HasSubstr("overflows")));
}

TEST(TensorRefusals, ElementCountsThatOverflow) {
  ExpectOverflow({INT64_MAX});
  ExpectOverflow({int64_t{1} << 32, int64_t{1} << 32});
  ExpectOverflow({int64_t{1} << 61});
  ExpectOverflow({0, int64_t{1} << 40, int64_t{1} << 40});
  ExpectOverflow(std::vector<int64_t>(32, 256));
}

TEST(TensorRefusals, RankAbove32) {
  EXPECT_THAT(DecodeTensorMessage(
                  Raw(v1::DATA_TYPE_UINT8, std::vector<int64_t>(32, 1), 1)),
              IsOk());
  ExpectRefused(Raw(v1::DATA_TYPE_UINT8, std::vector<int64_t>(33, 1), 1),
                "dims", "rank is too large (33 vs at most 32)");
  ExpectRefused(Raw(v1::DATA_TYPE_UINT8, std::vector<int64_t>(100000, 1), 1),
                "dims", "rank is too large (100000 vs at most 32)");
}

TEST(TensorRefusals, ElementsInFiles) {
  v1::TensorProto wire = Wire(v1::DATA_TYPE_FLOAT, {1});
  wire.set_data_location(v1::TensorProto::DATA_LOCATION_EXTERNAL);
  ExpectRefused(wire, "data_location", "external data is not supported");
  v1::TensorProto complete = Raw(v1::DATA_TYPE_FLOAT, {1}, 4);
  complete.add_external_data()->set_key("location");
  complete.mutable_external_data(0)->set_value("/etc/passwd");
  ExpectRefused(complete, "external_data", "external data is not supported");
}

TEST(TensorRefusals, UnknownDataLocations) {
  v1::TensorProto wire = Raw(v1::DATA_TYPE_FLOAT, {1}, 4);
  wire.set_data_location(static_cast<v1::TensorProto::DataLocation>(2));
  ExpectRefused(wire, "data_location", "unknown data_location (2 vs 0)");
}

TEST(TensorRefusals, Segments) {
  const std::string tensor =
      Raw(v1::DATA_TYPE_FLOAT, {1}, 4).SerializeAsString();
  ExpectRefused(tensor + WireBytes(3, "\x08\x00\x10\x01"), "segment",
                "segments are not supported");
  ExpectRefused(tensor + WireBytes(3, ""), "segment",
                "segments are not supported");
}

TEST(TensorRefusals, NamesThatAreNotUtf8) {
  const std::string tensor =
      Raw(v1::DATA_TYPE_FLOAT, {1}, 4).SerializeAsString();
  ExpectRefused(tensor + WireBytes(8, "\xc3"), "name", "name is not UTF-8");
  ExpectRefused(tensor + WireBytes(12, "\xff"), "doc_string",
                "doc_string is not UTF-8");
}

TEST(TensorRefusals, EveryTruncation) {
  v1::TensorProto wire = Raw(v1::DATA_TYPE_FLOAT, {3, 2}, 24);
  wire.set_name("name");
  const std::string bytes = wire.SerializeAsString();
  ASSERT_THAT(DecodeTensorBytes(bytes), IsOk());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(DecodeTensorBytes(bytes.substr(0, size)),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << size;
  }
}

TEST(TensorRefusals, PackedFieldsOfBrokenEntries) {
  const std::string header("\x08\x01\x10\x01", 4);  // dims 1, FLOAT
  ExpectRefused(header + WireBytes(4, "12345"), "float_data",
                "malformed float_data");
  ExpectRefused(header + WireBytes(10, "1234567"), "double_data",
                "malformed double_data");
  ExpectRefused(header + WireBytes(5, "\x80"), "int32_data",
                "malformed int32_data");
  ExpectRefused(header + WireBytes(1, "\x80"), "dims", "malformed dims");
}

TEST(TensorRefusals, NameTheOperatorAndTheOperand) {
  v1::ScatterNDRequest request;
  *request.mutable_data()->mutable_tensor() =
      Raw(v1::DATA_TYPE_FLOAT, {1000000}, 4);
  const absl::StatusOr<OperatorCall> call =
      DecodeCallBytes(OperatorId::kScatterND, request.SerializeAsString());
  EXPECT_THAT(call, StatusIs(absl::StatusCode::kInvalidArgument,
                             "scatter_nd: C0: data: raw_data has the wrong "
                             "length (4 vs 4000000 bytes)"));
  EXPECT_EQ(GetPayload(call.status(), kFieldPayload), "data.tensor.raw_data");
}

}  // namespace
}  // namespace scatterd::test
