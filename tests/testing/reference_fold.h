// The oracle's arithmetic: what updates do to the element that they meet.
// See reference_ops.h.

#ifndef SCATTERD_TESTS_TESTING_REFERENCE_FOLD_H_
#define SCATTERD_TESTS_TESTING_REFERENCE_FOLD_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "core/options.h"
#include "core/tensor.h"

namespace scatterd::test {

// For each flat position of data that is hit: the flat positions of updates
// that hit it, in the order in which they apply.
using Hits = std::map<int64_t, std::vector<int64_t>>;

struct FoldRule {
  Reduction reduction = Reduction::kNone;
  bool exclude_self = false;
  Duplicates duplicates = Duplicates::kLastWins;
  NanPolicy nan = NanPolicy::kPropagate;
  Accumulation accumulation = Accumulation::kNative;
};

// data with every hit applied; the other elements keep their bits.  The
// reduction has a meaning for the dtype.  INVALID_ARGUMENT for an integer
// division by zero and for a second hit under REJECT.
absl::StatusOr<Tensor> FoldHits(const Tensor& data, const Tensor& updates,
                                const Hits& hits, const FoldRule& rule);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_REFERENCE_FOLD_H_
