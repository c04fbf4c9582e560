// What a parsed message means, written from the contract alone: the codec's
// answer must be this one.  protobuf's own parser does the wire's part.

#ifndef SCATTERD_TESTS_PROTO_WIRE_ORACLE_H_
#define SCATTERD_TESTS_PROTO_WIRE_ORACLE_H_

#include <optional>

#include "core/call.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd::test {

// nullopt: the contract refuses it.
std::optional<Tensor> TensorOf(const v1::TensorProto& wire);
std::optional<OperatorCall> CallOf(OperatorId op,
                                   const google::protobuf::Message& request);
std::optional<GradientCall> GradientCallOf(const v1::GradientRequest& request);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_PROTO_WIRE_ORACLE_H_
