"""JAX's NumPy layer, compiled by XLA for the CPU."""

import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

# pylint: disable=wrong-import-position
import jax
import jax.numpy as jnp
import numpy as np

from harness import dtypes
from harness.case import Function

jax.config.update("jax_enable_x64", True)

NAME = "jax"
DIALECT = "JAX"
# A new shape is compiled, which takes much longer than a call.
REPEATS = 64

_MOVABLE = tuple(name for name in dtypes.NUMPY if name != "STRING")
_COMPUTABLE = dtypes.NUMBERS + ("BOOL",)
_METHODS = {"NONE": "set", "ADD": "add", "MUL": "multiply", "DIV": "divide",
            "MAX": "max", "MIN": "min", "SUB": "subtract"}
_REDUCTION_DTYPES = (
    ("DIV", dtypes.FLOATS + dtypes.HALVES + dtypes.COMPLEX),
    ("SUB", dtypes.NUMBERS), ("ADD", _COMPUTABLE), ("MUL", dtypes.NUMBERS),
    ("MAX", _COMPUTABLE), ("MIN", _COMPUTABLE))


def version():
    return jax.__version__


def missing(error):
    return isinstance(error, NotImplementedError) or (
        "does not accept dtype" in str(error))


@functools.lru_cache(maxsize=4096)
def _jitted(forward, axis, reduction):
    return jax.jit(lambda *arrays: forward(axis, reduction, *arrays))


def _function(forward):
    def call(case):
        arrays = [case.data, case.indices]
        if case.updates is not None:
            arrays.append(case.updates)
        jitted = _jitted(forward, case.axis, case.reduction)
        return np.asarray(jitted(*arrays))
    return call


def _tuple(indices):
    return tuple(jnp.moveaxis(indices, -1, 0))


def _along_axis(data, indices, axis):
    if indices.ndim != data.ndim:
        raise ValueError("the ranks differ")
    axis = range(data.ndim)[axis]
    index = [jnp.arange(extent).reshape((-1,) + (1,) * (data.ndim - 1 - d))
             for d, extent in enumerate(data.shape)]
    index[axis] = indices
    return tuple(index)


def take(axis, _, data, indices):
    return jnp.take(data, indices, axis)


def take_along_axis(axis, _, data, indices):
    return jnp.take_along_axis(data, indices, axis)


def get(_, __, data, indices):
    return data[_tuple(indices)]


def at_tuple(_, reduction, data, indices, updates, unique=False):
    at = data.at[_tuple(indices)]
    return getattr(at, _METHODS[reduction])(updates, unique_indices=unique)


def at_axis(axis, reduction, data, indices, updates, unique=False):
    at = data.at[_along_axis(data, indices, axis)]
    return getattr(at, _METHODS[reduction])(updates, unique_indices=unique)


FUNCTIONS = (
    Function("jnp.take", "Gather", _function(take), _MOVABLE),
    Function("jnp.take_along_axis", "GatherElements",
             _function(take_along_axis), _MOVABLE, off_axis="broadcast"),
    Function("x[i]", "GatherND", _function(get), _MOVABLE,
             empty_tuple="vector"),
    Function("x.at[along axis]", "ScatterElements", _function(at_axis),
             _MOVABLE, reductions=tuple(_METHODS), updates="broadcast",
             off_axis="broadcast", reduction_dtypes=_REDUCTION_DTYPES),
    Function("x.at[i]", "ScatterND", _function(at_tuple), _MOVABLE,
             reductions=tuple(_METHODS), updates="broadcast",
             reduction_dtypes=_REDUCTION_DTYPES, empty_tuple="vector"),
)
