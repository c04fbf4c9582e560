"""ONNX Runtime's call for a row: the operator itself, in a model of one node,
through an I/O binding to the buffers of the row."""

import onnx
import onnxruntime

from compare.buffers import Candidate
from compare.library import DTYPES

_OPERATORS = {"gather": "Gather", "gather_nd": "GatherND",
              "gather_elements": "GatherElements", "scatter_nd": "ScatterND",
              "scatter_elements": "ScatterElements"}
# What it says about a dtype or a reduction that it does not have.
Refusal = (onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented,
           onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph,
           onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument,
           onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException,
           onnxruntime.capi.onnxruntime_pybind11_state.Fail)
_OPSET = 18  # ScatterND and ScatterElements with every reduction


def graph_of(op, inputs, output, attributes):
    """One node.  inputs and output: (name, ONNX's dtype number, shape)."""
    values = [onnx.helper.make_tensor_value_info(*value)
              for value in (*inputs, output)]
    node = onnx.helper.make_node(op, [value[0] for value in inputs],
                                 [output[0]], **attributes)
    return onnx.helper.make_graph([node], "row", values[:-1], values[-1:])


def model_of(graph):
    """A graph as ONNX Runtime reads it."""
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", _OPSET)],
        ir_version=10).SerializeToString()


def session_of(graph, threads, optimise=True):
    """A session that runs a graph."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if not optimise:
        options.graph_optimization_level = (
            onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    # Spin within a Run only: afterwards its workers would spin for 40 ms, at
    # the expense of whoever comes next.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    if threads > 1:  # the calling thread is pinned to the first CPU
        options.add_session_config_entry(
            "session.intra_op_thread_affinities",
            ";".join(str(cpu + 1) for cpu in range(1, threads)))
    return onnxruntime.InferenceSession(
        model_of(graph), options, providers=["CPUExecutionProvider"])


def _candidate(b, op, attributes, threads, indices_shape):
    row = b.row
    number = DTYPES[row.dtype][0]
    inputs = [("data", number, row.data, b.data.address),
              ("indices", DTYPES["i64"][0], indices_shape, b.indices.address)]
    if row.is_scatter:
        inputs.append(("updates", number, row.result, b.updates.address))
    output = ("output", number, row.output, b.out.address)
    session = session_of(graph_of(op, [value[:3] for value in inputs],
                                  output[:3], attributes), threads)
    binding = session.io_binding()
    for name, dtype, shape, address in inputs:
        binding.bind_input(name, "cpu", 0, dtype, shape, address)
    name, dtype, shape, address = output
    binding.bind_output(name, "cpu", 0, dtype, shape, address)
    return Candidate("ort", op, lambda: session.run_with_iobinding(binding),
                     racy=op == "ScatterND" and threads > 1)


def candidates(buffers, threads):
    """All of its calls that do the row's: none in place, none for dtypes that
    it refuses."""
    row = buffers.row
    if row.in_place:
        return []
    attributes = {}
    if row.op in ("gather", "gather_elements", "scatter_elements"):
        attributes["axis"] = row.axis
    if row.batch_dims:
        attributes["batch_dims"] = row.batch_dims
    if row.reduction != "none":
        attributes["reduction"] = row.reduction
    calls = [(_OPERATORS[row.op], attributes, row.indices)]
    if row.kind == "scatter_singles":  # the same, as tuples of one
        more = {k: v for k, v in attributes.items() if k != "axis"}
        calls.append(("ScatterND", more, row.indices + (1,)))
    found = []
    for op, its_attributes, shape in calls:
        try:
            found.append(_candidate(buffers, op, its_attributes, threads,
                                    shape))
        except Refusal:
            continue
    return found
