// Random messages, most of which the contract accepts.

#ifndef SCATTERD_TESTS_PROTO_RANDOM_MESSAGES_H_
#define SCATTERD_TESTS_PROTO_RANDOM_MESSAGES_H_

#include "scatterd/v1/operators.pb.h"
#include "tests/proto/wire_scrambler.h"

namespace scatterd::test {

// A tensor of any dtype, with raw_data or a typed field; about one in five has
// something wrong with it.
void FillTensor(WireScrambler& random, v1::TensorProto* tensor);

// A request message of any operator, every field of which may be set.
void FillRequest(WireScrambler& random, google::protobuf::Message* request);

// A gradient request of any operator, or of none.
void FillGradientRequest(WireScrambler& random, v1::GradientRequest* request);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_PROTO_RANDOM_MESSAGES_H_
