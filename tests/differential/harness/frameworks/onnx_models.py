"""One-node ONNX models for the operators, shared by their two runners."""

import functools

import onnx
from onnx import helper

from harness import dtypes
from harness.case import Function

OPSET = 21
# What ONNX lets the operators move and, of that, what has arithmetic.
MOVABLE = dtypes.NUMBERS + ("BOOL", "STRING")
_MAX_MIN = dtypes.REALS + ("BOOL", "STRING")
_REDUCTIONS = ("NONE", "ADD", "MUL", "MAX", "MIN")
_REDUCTION_DTYPES = tuple({
    "MUL": dtypes.NUMBERS + ("BOOL",), "MAX": _MAX_MIN,
    "MIN": _MAX_MIN}.items())
_ATTRIBUTES = {
    "Gather": ("axis",),
    "GatherElements": ("axis",),
    "GatherND": ("batch_dims",),
    "ScatterElements": ("axis", "reduction"),
    "ScatterND": ("reduction",),
}


def _attributes(case):
    found = {}
    for name in _ATTRIBUTES[case.function.operator]:
        value = getattr(case, name)
        found[name] = value.lower() if name == "reduction" else value
    return found


def key(case):
    """What tells one model from another."""
    attributes = _attributes(case)
    return (case.function.operator, case.dtype, case.index_dtype,
            tuple(attributes.items()))


@functools.lru_cache(maxsize=None)
def model(key_of_case, cast_output_to=None):
    """The model: inputs data, indices, updates of any shape; output y."""
    operator, dtype, index_dtype, attributes = key_of_case
    element = getattr(onnx.TensorProto, dtype)
    types = {"data": element,
             "indices": getattr(onnx.TensorProto, index_dtype.upper())}
    if operator.startswith("Scatter"):
        types["updates"] = element
    node = helper.make_node(operator, list(types), ["y"], **dict(attributes))
    nodes = [node]
    if cast_output_to is not None:
        node.output[0] = "uncast"
        nodes.append(helper.make_node("Cast", ["uncast"], ["y"],
                                      to=cast_output_to))
        element = cast_output_to
    graph = helper.make_graph(
        nodes, "case",
        [helper.make_tensor_value_info(name, number, None)
         for name, number in types.items()],
        [helper.make_tensor_value_info("y", element, None)])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def feeds(case):
    """The model's inputs."""
    found = {"data": case.data, "indices": case.indices}
    if case.updates is not None:
        found["updates"] = case.updates
    return found


def functions(call, **elements):
    """The five operators, run by `call`; more fields for GatherElements."""
    int64 = ("int64",)
    return (
        Function("Gather", "Gather", call, MOVABLE),
        Function("GatherElements", "GatherElements", call, MOVABLE,
                 **elements),
        Function("GatherND", "GatherND", call, MOVABLE, index_dtypes=int64,
                 batch_dims=True),
        Function("ScatterElements", "ScatterElements", call, MOVABLE,
                 reductions=_REDUCTIONS, reduction_dtypes=_REDUCTION_DTYPES),
        Function("ScatterND", "ScatterND", call, MOVABLE, index_dtypes=int64,
                 reductions=_REDUCTIONS, reduction_dtypes=_REDUCTION_DTYPES),
    )
