"""NumPy: take, take_along_axis, put_along_axis, fancy indexing, ufunc.at."""

import numpy as np

from harness import dtypes
from harness.case import Function

NAME = "numpy"
DIALECT = "NUMPY"

_ALL = tuple(dtypes.NUMPY)
_COMPUTABLE = dtypes.NUMBERS + ("BOOL",)
# Where NumPy's ufunc means what the reduction means.  Integer division floors
# in NumPy and truncates here; no ufunc averages; subtract refuses bool.
_REDUCTIONS = ("ADD", "MUL", "MAX", "MIN", "SUB", "DIV")
_REDUCTION_DTYPES = tuple({
    "ADD": _COMPUTABLE + ("STRING",),
    "MUL": _COMPUTABLE,
    "MAX": _COMPUTABLE + ("STRING",),
    "MIN": _COMPUTABLE + ("STRING",),
    "SUB": _COMPUTABLE,
    "DIV": dtypes.FLOATS + dtypes.HALVES + dtypes.COMPLEX,
}.items())
_UFUNCS = {"ADD": np.add, "MUL": np.multiply, "MAX": np.maximum,
           "MIN": np.minimum, "SUB": np.subtract, "DIV": np.true_divide}


def version():
    return np.__version__


def missing(error):
    del error
    return False


def _take(mode):
    return lambda case: np.take(case.data, case.indices, case.axis, mode=mode)


def _take_along_axis(case):
    return np.take_along_axis(case.data, case.indices, case.axis)


def _put_along_axis(case):
    output = case.data.copy()
    np.put_along_axis(output, case.indices, case.updates, case.axis)
    return output


def _along_axis(case):
    """The index that take_along_axis makes."""
    rank = case.data.ndim
    if case.indices.ndim != rank:
        raise ValueError("the ranks differ")
    axis = range(rank)[case.axis]
    index = [np.arange(extent).reshape((-1,) + (1,) * (rank - 1 - d))
             for d, extent in enumerate(case.data_shape)]
    index[axis] = case.indices
    return tuple(index)


def _at(make_index):
    def call(case):
        output = case.data.copy()
        ufunc = _UFUNCS[case.reduction]
        with np.errstate(all="ignore"):
            ufunc.at(output, make_index(case), case.updates)
        return output
    return call


def _tuple(case):
    return tuple(np.moveaxis(case.indices, -1, 0))


def _get(case):
    return case.data[_tuple(case)]


def _set(case):
    output = case.data.copy()
    output[_tuple(case)] = case.updates
    return output


def _options(**options):
    return tuple(options.items())


FUNCTIONS = (
    Function("take", "Gather", _take("raise"), _ALL),
    Function("take(mode='wrap')", "Gather", _take("wrap"), _ALL,
             options=_options(out_of_bounds="OUT_OF_BOUNDS_WRAP"),
             index_limit=1000, empty=False,
             restriction="the extent is added to an index until it fits, "
             "which never ends for an extent of 0 and takes for ever for "
             "large indices (numpy#28630)"),
    Function("take(mode='clip')", "Gather", _take("clip"), _ALL,
             options=_options(
                 out_of_bounds="OUT_OF_BOUNDS_CLAMP",
                 negative_indices="NEGATIVE_INDICES_OUT_OF_BOUNDS")),
    Function("take_along_axis", "GatherElements", _take_along_axis, _ALL,
             off_axis="broadcast"),
    Function("x[i]", "GatherND", _get, _ALL, empty_tuple="vector"),
    Function("put_along_axis", "ScatterElements", _put_along_axis, _ALL,
             off_axis="broadcast", updates="broadcast"),
    Function("ufunc.at along axis", "ScatterElements", _at(_along_axis), _ALL,
             reductions=_REDUCTIONS, reduction_dtypes=_REDUCTION_DTYPES,
             off_axis="broadcast", updates="broadcast"),
    Function("x[i] = u", "ScatterND", _set, _ALL, updates="broadcast",
             empty_tuple="vector"),
    Function("ufunc.at", "ScatterND", _at(_tuple), _ALL,
             reductions=_REDUCTIONS, reduction_dtypes=_REDUCTION_DTYPES,
             updates="broadcast", empty_tuple="vector"),
)
