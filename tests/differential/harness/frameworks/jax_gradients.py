"""JAX's vector-Jacobian products of the functions in jax_functions."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from harness.frameworks import jax_functions


def _is_unique(case):
    """Whether each update has a destination of its own.

    JAX has no gradient of products without that promise.
    """
    if case.reduction not in ("MUL", "DIV"):
        return False
    counts = np.zeros(case.data.shape, np.int64)
    try:
        if case.function.operator == "ScatterND":
            np.add.at(counts, tuple(np.moveaxis(case.indices, -1, 0)), 1)
        else:
            index = list(np.indices(case.indices.shape))
            index[case.axis] = case.indices
            np.add.at(counts, tuple(index), 1)
    except IndexError:
        return False
    return counts.max(initial=0) <= 1


@functools.lru_cache(maxsize=4096)
def _jitted(forward, axis, reduction, num_updates, unique):
    def vjp(data, indices, updates, grad_output):
        def of(*arrays):
            promise = {"unique": True} if unique else {}
            return forward(axis, reduction, arrays[0], indices, *arrays[1:],
                           **promise)
        arrays = (data,) + ((updates,) if num_updates else ())
        return jax.vjp(of, *arrays)[1](grad_output)
    return jax.jit(vjp)


def _gradient(forward):
    def call(case, grad_output):
        num_updates = 0 if case.updates is None else 1
        updates = jnp.zeros(()) if case.updates is None else case.updates
        jitted = _jitted(forward, case.axis, case.reduction, num_updates,
                         _is_unique(case))
        found = jitted(case.data, case.indices, updates, grad_output)
        return tuple(np.asarray(grad) for grad in found)
    return call


def _functions():
    forwards = {
        "jnp.take": jax_functions.take,
        "jnp.take_along_axis": jax_functions.take_along_axis,
        "x[i]": jax_functions.get,
        "x.at[along axis]": jax_functions.at_axis,
        "x.at[i]": jax_functions.at_tuple,
    }
    for function in jax_functions.FUNCTIONS:
        yield dataclasses.replace(
            function, call=_gradient(forwards[function.name]),
            dtypes=("DOUBLE",), reduction_dtypes=(), updates="exact",
            off_axis="equal", index_styles=("in_range", "negative", "around"))


FUNCTIONS = tuple(_functions())
