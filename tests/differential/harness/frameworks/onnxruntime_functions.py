"""onnxruntime's CPU kernels, with one thread.

With more, ScatterND of old versions adds duplicates in parallel without
atomics.
"""

import functools

import numpy as np
import onnx
import onnxruntime

from harness import dtypes
from harness.frameworks import onnx_models

NAME = "onnxruntime"
DIALECT = "ONNX"


class _NoKernel(Exception):
    pass


def version():
    return onnxruntime.__version__


def missing(error):
    return isinstance(error, _NoKernel) or (
        "is not supported with Scatter" in str(error) or
        "not supported with Scatter" in str(error))


@functools.lru_cache(maxsize=None)
def _session(key):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # There is no way to get bfloat16 out, and every one is a float.
    cast = onnx.TensorProto.FLOAT if key[1] == "BFLOAT16" else None
    try:
        return onnxruntime.InferenceSession(
            onnx_models.model(key, cast).SerializeToString(), options,
            providers=["CPUExecutionProvider"])
    except Exception as error:  # pylint: disable=broad-except
        return str(error)


def _encoded(array):
    """An array of bytes as the str that onnxruntime wants."""
    return np.array([value.decode() for value in array.ravel()],
                    object).reshape(array.shape)


def _call(case):
    session = _session(onnx_models.key(case))
    if isinstance(session, str):
        raise _NoKernel(session)
    feeds = onnx_models.feeds(case)
    if case.dtype == "STRING":
        for name in feeds:
            if name != "indices":
                feeds[name] = _encoded(feeds[name])
    elif case.dtype == "BFLOAT16":
        return _run_bfloat16(session, feeds)
    try:
        output = session.run(None, feeds)[0]
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as error:
        raise _NoKernel(str(error)) from error
    if case.dtype == "STRING":
        flat = [value.encode() for value in output.ravel()]
        output = np.array(flat + [None], object)[:-1].reshape(output.shape)
    return output


def _run_bfloat16(session, feeds):
    """NumPy has no bfloat16: its bits travel, labelled."""
    ort = {}
    for name, array in feeds.items():
        if name == "indices":
            ort[name] = onnxruntime.OrtValue.ortvalue_from_numpy(array)
        else:
            ort[name] = (
                onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
                    array.view(np.uint16), 16))
    output = session.run_with_ort_values(["y"], ort)[0].numpy()
    bits = np.asarray(output).view(np.uint32) >> 16
    return bits.astype(np.uint16).view(dtypes.NUMPY["BFLOAT16"])


FUNCTIONS = onnx_models.functions(_call)
