// Which operator a call names.  Rows in core/ops/ops.inc.

#ifndef SCATTERD_CORE_OPERATOR_ID_H_
#define SCATTERD_CORE_OPERATOR_ID_H_

#include "absl/strings/string_view.h"

namespace scatterd {

enum class OperatorId {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) id,
#include "core/ops/ops.inc"
};

// The method of service TensorOps: "ScatterND".
inline absl::string_view OperatorRpcName(OperatorId id) {
  switch (id) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  case OperatorId::id:                               \
    return #rpc;
#include "core/ops/ops.inc"
  }
  return "";
}

// The name that errors begin with: "scatter_nd".
inline absl::string_view OperatorName(OperatorId id) {
  switch (id) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  case OperatorId::id:                               \
    return #name;
#include "core/ops/ops.inc"
  }
  return "";
}

// True for operators with `updates`.
inline bool IsScatter(OperatorId id) {
  switch (id) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  case OperatorId::id:                               \
    return is_scatter;
#include "core/ops/ops.inc"
  }
  return false;
}

}  // namespace scatterd

#endif  // SCATTERD_CORE_OPERATOR_ID_H_
