// Plans: validated descriptions of the loops over data.
//
// Every operator lowers to one of two address forms; a backend implements the
// few kernels that run them and knows no operator.
//
//   SliceAddressing    an index tuple selects a contiguous slice of data.
//                      gather, gather_nd, scatter_nd.
//   ElementAddressing  an index selects one element; its other coordinates
//                      come from the index's own position.
//                      gather_elements, scatter_elements.
//
// Shapes are checked when a plan is made.  Index values are not: a backend
// checks each one per axis, in 64 bits, before it forms an offset, by the rule
// in core/index_rule.h.

#ifndef SCATTERD_CORE_PLAN_H_
#define SCATTERD_CORE_PLAN_H_

#include <cstdint>
#include <optional>
#include <variant>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "core/options.h"
#include "core/reduction.h"
#include "core/strided_view.h"
#include "core/tensor.h"

namespace scatterd {

// One component of an index tuple.
struct IndexAxis {
  int64_t size;    // valid indices: [0, size)
  int64_t stride;  // slices of data between neighbouring indices
  int axis;        // data's axis, for error messages
};

// Data is num_batches x num_outer x rows slices of slice_elements each.
// Batch b of indices holds tuples_per_batch tuples; they apply to each of the
// num_outer blocks of batch b of data.  The gathered side (a gather's output,
// a scatter's updates) is num_batches x num_outer x tuples_per_batch slices.
struct SliceAddressing {
  int64_t num_batches = 1;
  int64_t num_outer = 1;
  int64_t tuples_per_batch = 0;
  absl::InlinedVector<IndexAxis, 4> tuple;  // k axes; k = 0 selects row 0
  int64_t rows = 1;                         // product of the tuple's sizes
  int64_t slice_elements = 1;

  int64_t num_tuples() const { return num_batches * tuples_per_batch; }
};

// A run of index positions along one or more axes of `indices`, and how far
// apart their elements are in data.
struct Extent {
  int64_t size;         // positions in indices
  int64_t data_stride;  // elements of data between neighbours
};

// indices (and a scatter's updates, a gather's output) is the row-major product
// outer x axis_positions x inner; position (o, a, i) addresses the element of
// data at  sum(outer strides) + index * axis_stride + sum(inner strides).
// Positions that differ in o or i never address the same element, unless a
// stride is 0 (a dialect that broadcasts data).
struct ElementAddressing {
  absl::InlinedVector<Extent, 4> outer;  // axes before `axis`, merged
  int64_t axis_positions = 0;            // extent of indices on the axis
  int64_t axis_size = 0;                 // extent of data on the axis
  int64_t axis_stride = 1;               // elements of data
  absl::InlinedVector<Extent, 4> inner;  // axes after `axis`, merged
  int axis = 0;                          // for error messages

  int64_t outer_positions() const;
  int64_t inner_positions() const;
  int64_t num_positions() const {
    return outer_positions() * axis_positions * inner_positions();
  }
};

using Addressing = std::variant<SliceAddressing, ElementAddressing>;

// All that a backend needs to run an operator.  A value; holds no data.
struct Plan {
  absl::string_view op;  // "scatter_nd": begins error messages
  bool is_scatter = false;
  Addressing addressing;
  DType dtype = DType::kUnspecified;  // of data, updates and output
  Shape indices_shape;                // for error messages
  bool indices_are_tuples = false;    // the last axis of indices is the tuple
  Reduction reduction = Reduction::kNone;
  bool exclude_self = false;
  ResolvedOptions options;
  TensorSpec output;

  // Some dialects read an operand as one of another shape.  Whoever runs the
  // plan expands the operand first (Expand in core/strided_view.h).
  std::optional<StridedView> indices_view;
  std::optional<StridedView> updates_view;

  // Numbers of the constraints that only data can break (see errors.h): index
  // in range, no duplicates under REJECT, no integer division by zero.
  int index_constraint = 0;
  int duplicates_constraint = 0;
  int divisor_constraint = 0;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_PLAN_H_
