// Fields that occur more than once, told one by one.  differential_test.cc
// holds the same rules against protobuf at random.

#include <string>

#include "core/errors.h"
#include "gtest/gtest.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

// The call in several messages of the operator, one after another.
absl::StatusOr<OperatorCall> DecodeParts(
    std::initializer_list<v1::ScatterNDRequest> parts) {
  std::string bytes;
  for (const v1::ScatterNDRequest& part : parts) {
    bytes += part.SerializeAsString();
  }
  return DecodeCallBytes(OperatorId::kScatterND, bytes);
}

TEST(CallMerge, TheLastScalarWins) {
  v1::ScatterNDRequest first, second;
  first.set_batch_dims(5);
  first.set_reduction(v1::REDUCTION_ADD);
  first.set_exclude_self(true);
  second.set_batch_dims(6);
  second.set_reduction(v1::REDUCTION_MAX);
  const absl::StatusOr<OperatorCall> call = DecodeParts({first, second});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->attributes.batch_dims, 6);
  EXPECT_EQ(call->attributes.reduction, Reduction::kMax);
  EXPECT_TRUE(call->attributes.exclude_self);
}

TEST(CallMerge, AnExplicitZeroTakesAScalarBack) {
  v1::ScatterNDRequest first;
  first.set_batch_dims(5);
  first.set_reduction(v1::REDUCTION_ADD);
  const absl::StatusOr<OperatorCall> call = DecodeCallBytes(
      OperatorId::kScatterND,
      first.SerializeAsString() + std::string("\x20\0\x30\0", 4));
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->attributes.batch_dims, 0);
  EXPECT_EQ(call->attributes.reduction, Reduction::kNone);
}

TEST(CallMerge, PartsOfATensorAddUp) {
  v1::ScatterNDRequest dtype, dims, values, more_values;
  dtype.mutable_data()->mutable_tensor()->set_data_type(v1::DATA_TYPE_FLOAT);
  dims.mutable_data()->mutable_tensor()->add_dims(3);
  values.mutable_data()->mutable_tensor()->add_float_data(1);
  more_values.mutable_data()->mutable_tensor()->add_float_data(2);
  more_values.mutable_data()->mutable_tensor()->add_float_data(3);
  const absl::StatusOr<OperatorCall> call =
      DecodeParts({values, dims, more_values, dtype});
  ASSERT_THAT(call, IsOk());
  EXPECT_THAT(std::get<Tensor>(call->data),
              EqualsTensor(TensorOf<float>({3}, {1, 2, 3})));
}

TEST(CallMerge, TheLastRawDataWins) {
  v1::ScatterNDRequest first, second;
  v1::TensorProto& tensor = *first.mutable_data()->mutable_tensor();
  tensor.set_data_type(v1::DATA_TYPE_UINT8);
  tensor.add_dims(2);
  tensor.set_raw_data("far too much");
  second.mutable_data()->mutable_tensor()->set_raw_data("\x01\x02");
  const absl::StatusOr<OperatorCall> call = DecodeParts({first, second});
  ASSERT_THAT(call, IsOk());
  EXPECT_THAT(std::get<Tensor>(call->data),
              EqualsTensor(TensorOf<uint8_t>({2}, {1, 2})));
}

TEST(CallMerge, AnotherSourceReplacesWhatWasThere) {
  v1::ScatterNDRequest tensor, resident, more_resident;
  tensor.mutable_data()->mutable_tensor()->set_data_type(99);
  tensor.mutable_data()->mutable_tensor()->set_raw_data("refused, if read");
  resident.mutable_data()->mutable_resident()->set_name("x");
  more_resident.mutable_data()->mutable_resident()->set_if_version(4);

  absl::StatusOr<OperatorCall> call =
      DecodeParts({tensor, resident, more_resident});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(std::get<ResidentRef>(call->data).name, "x");
  EXPECT_EQ(std::get<ResidentRef>(call->data).if_version, 4u);

  // Coming back to a source starts anew.
  call = DecodeParts({resident, tensor, more_resident});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(std::get<ResidentRef>(call->data).name, "");
  EXPECT_EQ(std::get<ResidentRef>(call->data).if_version, 4u);
}

TEST(CallMerge, AnEmptyOperandChangesNothing) {
  v1::ScatterNDRequest resident, empty;
  resident.mutable_data()->mutable_resident()->set_name("x");
  empty.mutable_data();
  const absl::StatusOr<OperatorCall> call = DecodeParts({resident, empty});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(std::get<ResidentRef>(call->data).name, "x");
}

TEST(CallMerge, OptionsAndTheirFillValueAddUp) {
  v1::ScatterNDRequest first, second;
  first.mutable_options()->set_device("cpu");
  first.mutable_options()->set_nan(v1::NAN_POLICY_IGNORE);
  first.mutable_options()->mutable_fill_value()->set_data_type(
      v1::DATA_TYPE_UINT8);
  second.mutable_options()->set_nan(v1::NAN_POLICY_PROPAGATE);
  second.mutable_options()->mutable_fill_value()->set_raw_data("\x07");
  const absl::StatusOr<OperatorCall> call = DecodeParts({first, second});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->options.device, "cpu");
  EXPECT_EQ(call->options.nan, NanPolicy::kPropagate);
  ASSERT_TRUE(call->options.fill_value.has_value());
  EXPECT_THAT(*call->options.fill_value,
              EqualsTensor(TensorOf<uint8_t>({}, {7})));
}

TEST(CallMerge, OutputTargetsAddUpOrReplace) {
  v1::ScatterNDRequest name, version, memory;
  name.mutable_output()->mutable_resident()->set_name("x");
  version.mutable_output()->mutable_resident()->set_if_version(2);
  memory.mutable_output()->mutable_shared_memory()->set_region("r");

  absl::StatusOr<OperatorCall> call = DecodeParts({name, version});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(std::get<ResidentTarget>(call->output).name, "x");
  EXPECT_EQ(std::get<ResidentTarget>(call->output).if_version, 2u);

  call = DecodeParts({name, memory, version});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(std::get<ResidentTarget>(call->output).name, "");
  EXPECT_EQ(std::get<ResidentTarget>(call->output).if_version, 2u);
}

TEST(CallMerge, KnownFieldsOfAnotherWireTypeAreUnknownFields) {
  v1::ScatterNDRequest request;
  request.set_batch_dims(3);
  const std::string bytes = request.SerializeAsString() +
                            WireBytes(6, "x") +  // batch_dims
                            "\x0d"
                            "1234"  // data, as fixed32
                            "\x09"
                            "12345678"   // data, as fixed64
                            "\x70\x01";  // options, as varint
  const absl::StatusOr<OperatorCall> call =
      DecodeCallBytes(OperatorId::kScatterND, bytes);
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->attributes.batch_dims, 3);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(call->data));
}

}  // namespace
}  // namespace scatterd::test
