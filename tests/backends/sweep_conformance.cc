// Every operator with every dtype, reduction and option over a sweep of
// shapes.  Pairs without a meaning are part of the sweep: the oracle says that
// they are refused.

#include "tests/backends/call_sweep.h"
#include "tests/backends/conformance.h"

namespace scatterd::test {
namespace {

constexpr int kRounds = 2;

// Random calls of `op` for each dtype: some for each small shape, and a few
// with more indices than one block of a kernel takes.
std::vector<OperatorCall> SweepCalls(OperatorId op, Reduction reduction) {
  std::vector<OperatorCall> calls;
  for (const DType dtype : AllDTypes()) {
    RandomTensors random(10000 * static_cast<uint64_t>(op) +
                         100 * static_cast<uint64_t>(reduction) +
                         static_cast<uint64_t>(dtype));
    for (int round = 0; round < kRounds; ++round) {
      for (const ShapeCase& shapes : SweepShapes(op, random)) {
        calls.push_back(RandomCall(op, shapes, dtype, reduction, random));
      }
      calls.push_back(RandomCall(op, LargeShape(op, 2500, random), dtype,
                                 reduction, random));
    }
  }
  return calls;
}

TEST_P(Conformance, GatherEqualsTheOracleForEveryDType) {
  CheckAll(SweepCalls(OperatorId::kGather, Reduction::kNone));
}

TEST_P(Conformance, GatherElementsEqualsTheOracleForEveryDType) {
  CheckAll(SweepCalls(OperatorId::kGatherElements, Reduction::kNone));
}

TEST_P(Conformance, GatherNDEqualsTheOracleForEveryDType) {
  CheckAll(SweepCalls(OperatorId::kGatherND, Reduction::kNone));
}

TEST_P(Conformance, ScatterElementsEqualsTheOracleForEveryReduction) {
  for (const Reduction reduction : AllReductions()) {
    CheckAll(SweepCalls(OperatorId::kScatterElements, reduction));
  }
}

TEST_P(Conformance, ScatterNDEqualsTheOracleForEveryReduction) {
  for (const Reduction reduction : AllReductions()) {
    CheckAll(SweepCalls(OperatorId::kScatterND, reduction));
  }
}

}  // namespace
}  // namespace scatterd::test
