"""MindSpore's operators on the CPU."""

import os

os.environ.setdefault("GLOG_v", "4")

# pylint: disable=wrong-import-position
import mindspore
import numpy as np
from mindspore import Tensor, ops

from harness import dtypes
from harness.case import Function

mindspore.set_device("CPU")
mindspore.set_context(runtime_num_threads=1)

NAME = "mindspore"
DIALECT = "MINDSPORE"

# What ends the process.  In some calls of gather, gather_nd, scatter_nd and
# tensor_scatter_update an index out of bounds throws in a thread where nothing
# catches.
_ABORTS = ("an index out of bounds may end the process (an exception that "
           "nothing catches), extents of 0 do (division by zero)")
_DIVIDES = ("extents of 0, and integer division by 0 or -1, end the process "
            "(division by zero)")
_OVERFLOWS = ("; an index whose offset overflows (2**62) is not seen to be out "
              "of bounds and may write elsewhere")
_WRAPPING = ("in_range", "negative")
_MOVABLE = dtypes.NUMBERS + ("BOOL",)
_SCATTERS = {
    "NONE": ops.tensor_scatter_update,
    "ADD": ops.tensor_scatter_add,
    "SUB": ops.tensor_scatter_sub,
    "MUL": ops.tensor_scatter_mul,
    "DIV": ops.tensor_scatter_div,
    "MAX": ops.tensor_scatter_max,
    "MIN": ops.tensor_scatter_min,
}


def version():
    return mindspore.__version__


def missing(error):
    text = str(error)
    return any(phrase in text for phrase in (
        "nsupported op", "not support", "does not support", "nsupported data",
        "upport data type", "dtype of", "type of", "_type cannot be"))


def _tensor(array, dtype):
    if dtype == "BFLOAT16":
        return Tensor(array.astype(np.float32), mindspore.bfloat16)
    return Tensor(array)


def _array(tensor, dtype):
    if dtype == "BFLOAT16":
        return tensor.float().asnumpy().astype(dtypes.NUMPY[dtype])
    return tensor.asnumpy()


def _function(forward):
    def call(case):
        arguments = [_tensor(case.data, case.dtype), Tensor(case.indices)]
        if case.updates is not None:
            arguments.append(_tensor(case.updates, case.dtype))
        return _array(forward(case, *arguments), case.dtype)
    return call


def _gather(case, data, indices):
    return ops.gather(data, indices, case.axis, case.batch_dims)


def _gather_elements(case, data, indices):
    return ops.gather_elements(data, case.axis, indices)


def _gather_nd(_, data, indices):
    return ops.gather_nd(data, indices)


def _scatter_elements(case, data, indices, updates):
    return ops.tensor_scatter_elements(data, indices, updates, case.axis,
                                       case.reduction.lower())


def _tensor_scatter(case, data, indices, updates):
    return _SCATTERS[case.reduction](data, indices, updates)


def _scatter_nd(case, _, indices, updates):
    return ops.scatter_nd(indices, updates, case.data_shape)


FUNCTIONS = (
    Function("ops.gather", "Gather", _function(_gather), _MOVABLE,
             batch_dims=True, index_styles=_WRAPPING, empty=False,
             restriction=_ABORTS),
    Function("ops.gather_elements", "GatherElements",
             _function(_gather_elements), _MOVABLE, index_styles=_WRAPPING,
             empty=False, restriction=_ABORTS),
    Function("ops.gather_nd", "GatherND", _function(_gather_nd), _MOVABLE,
             index_styles=("in_range",), empty=False, restriction=_ABORTS),
    Function("ops.tensor_scatter_elements", "ScatterElements",
             _function(_scatter_elements), _MOVABLE,
             reductions=("NONE", "ADD"), empty=False,
             restriction=_DIVIDES),
    Function("ops.tensor_scatter_update", "ScatterND",
             _function(_tensor_scatter), _MOVABLE, index_styles=("in_range",),
             empty=False, restriction=_ABORTS),
    Function("ops.tensor_scatter_*", "ScatterND", _function(_tensor_scatter),
             _MOVABLE, reductions=tuple(_SCATTERS)[1:], empty=False,
             index_limit=2**31 - 1, restriction=_DIVIDES + _OVERFLOWS),
    Function("ops.scatter_nd", "ScatterND", _function(_scatter_nd), _MOVABLE,
             reductions=("ADD",), zeros=True, index_styles=("in_range",),
             empty=False, restriction=_ABORTS),
)
