"""PyTorch's functions on the CPU."""

import warnings

import numpy as np
import torch

from harness import dtypes
from harness.case import Function

NAME = "torch"
DIALECT = "PYTORCH"

torch.set_num_threads(1)
warnings.filterwarnings("ignore", message="index_reduce")

_MOVABLE = tuple(name for name in dtypes.NUMPY if name != "STRING")
_COMPUTABLE = dtypes.NUMBERS + ("BOOL",)
_ORDERED = dtypes.REALS + ("BOOL",)
_REDUCES = {"ADD": "sum", "MUL": "prod", "MEAN": "mean", "MAX": "amax",
            "MIN": "amin"}
_REDUCTION_DTYPES = (("MAX", _ORDERED), ("MIN", _ORDERED),
                     ("MEAN", dtypes.NUMBERS))
# Types that NumPy has not: their bits travel as integers.
_FOREIGN = {
    "BFLOAT16": torch.bfloat16,
    "FLOAT8E4M3FN": torch.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": torch.float8_e4m3fnuz,
    "FLOAT8E5M2": torch.float8_e5m2,
    "FLOAT8E5M2FNUZ": torch.float8_e5m2fnuz,
    "FLOAT8E8M0": torch.float8_e8m0fnu,
}


def version():
    return torch.__version__


def missing(error):
    return isinstance(error, NotImplementedError) or (
        "not implemented for" in str(error))


def to_torch(array, dtype):
    if dtype not in _FOREIGN:
        return torch.from_numpy(np.array(array))
    bits = np.asarray(array, order="C").view(f"i{array.dtype.itemsize}")
    return torch.from_numpy(bits.copy()).view(_FOREIGN[dtype])


def to_numpy(tensor, dtype):
    if dtype not in _FOREIGN:
        return tensor.numpy()
    bits = torch.int16 if dtype == "BFLOAT16" else torch.int8
    return tensor.contiguous().view(bits).numpy().view(dtypes.NUMPY[dtype])


def tensors(case):
    """data, indices and updates."""
    updates = case.updates
    if updates is not None:
        updates = to_torch(updates, case.dtype)
    return (to_torch(case.data, case.dtype), torch.from_numpy(case.indices),
            updates)


def _function(forward):
    return lambda case: to_numpy(forward(case, *tensors(case)), case.dtype)


def _tuple(indices):
    return tuple(torch.unbind(indices.long(), -1))


def index_select(case, data, indices, _):
    return torch.index_select(data, case.axis, indices)


def gather(case, data, indices, _):
    return torch.gather(data, case.axis, indices)


def get(_, data, indices, __):
    return data[_tuple(indices)]


def scatter(case, data, indices, updates):
    return torch.scatter(data, case.axis, indices, updates)


def scatter_reduce(case, data, indices, updates):
    return torch.scatter_reduce(data, case.axis, indices, updates,
                                _REDUCES[case.reduction],
                                include_self=not case.exclude_self)


def index_put(case, data, indices, updates):
    return data.index_put(_tuple(indices), updates,
                          accumulate=case.reduction == "ADD")


def index_add(case, data, indices, updates):
    alpha = -1 if case.reduction == "SUB" else 1
    return torch.index_add(data, 0, indices[..., 0], updates, alpha=alpha)


def index_reduce(case, data, indices, updates):
    return torch.index_reduce(data, 0, indices[..., 0], updates,
                              _REDUCES[case.reduction],
                              include_self=not case.exclude_self)


_NEGATIVE = (("negative_indices", "NEGATIVE_INDICES_OUT_OF_BOUNDS"),)

FUNCTIONS = (
    Function("index_select", "Gather", _function(index_select), _MOVABLE,
             indices_rank=1),
    Function("gather", "GatherElements", _function(gather), _MOVABLE),
    Function("x[i]", "GatherND", _function(get), _MOVABLE,
             empty_tuple="vector"),
    Function("scatter", "ScatterElements", _function(scatter), _MOVABLE,
             updates="leading"),
    Function("scatter_reduce", "ScatterElements", _function(scatter_reduce),
             _COMPUTABLE, reductions=tuple(_REDUCES), exclude_self=True,
             updates="leading", reduction_dtypes=_REDUCTION_DTYPES),
    Function("index_put", "ScatterND", _function(index_put), _MOVABLE,
             reductions=("NONE", "ADD"), updates="broadcast",
             reduction_dtypes=(("ADD", _COMPUTABLE),), empty_tuple="vector"),
    Function("index_add", "ScatterND", _function(index_add), _COMPUTABLE,
             reductions=("ADD", "SUB"), options=_NEGATIVE, indices_rank=2,
             depth=1,
             # alpha=-1 multiplies, which is no subtraction for complex.
             reduction_dtypes=(("SUB", dtypes.REALS),)),
    Function("index_reduce", "ScatterND", _function(index_reduce),
             _COMPUTABLE, reductions=("MUL", "MEAN", "MAX", "MIN"),
             exclude_self=True, options=_NEGATIVE, indices_rank=2, depth=1,
             reduction_dtypes=_REDUCTION_DTYPES),
)
