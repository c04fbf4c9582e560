"""Hypothesis strategies for configurations.

Most configurations are valid; about one in ten has a flaw in a shape or an
attribute, so that refusals are compared too.
"""

import math

from hypothesis import strategies as st

from harness import case

# Earlier entries are what a failing example shrinks to.
_EXTENTS = st.sampled_from([1, 2, 3] * 6 + [4, 0])
_RANKS = st.sampled_from([1, 2, 3, 2, 1, 3, 2, 4, 4, 5, 6, 0])
_EXTRA_RANKS = st.sampled_from([0, 1, 1, 2, 1, 2, 3])
_FLAWS = st.sampled_from([None] * 40 + ["rank", "extent", "axis", "updates",
                                        "depth", "batch"])
_VALUE_STYLES = st.sampled_from(
    ["small", "normal", "special", "special", "bits"])
_MAX_ELEMENTS = 400
_SEEDS = st.integers(0, 2**32 - 1)


def _capped(shape):
    """The shape with trailing extents cut to 1 until it is small."""
    shape = list(shape)
    for axis in reversed(range(len(shape))):
        if math.prod(max(extent, 1) for extent in shape) <= _MAX_ELEMENTS:
            break
        shape[axis] = min(shape[axis], 1)
    return tuple(shape)


@st.composite
def _shapes(draw, rank):
    return _capped(draw(_EXTENTS) for _ in range(rank))


def _flip(draw):
    return draw(st.integers(0, 1)) == 1


def _one_of_four(draw):
    return draw(st.integers(0, 3)) == 3


def _axis(draw, rank, flaw):
    if flaw == "axis":
        return draw(st.sampled_from([rank, -rank - 1]))
    if rank == 0:
        return 0
    return draw(st.integers(-rank, rank - 1))


@st.composite
def _gather(draw, function, flaw):
    data = draw(_shapes(draw(_RANKS)))
    rank = len(data)
    axis = _axis(draw, rank, flaw)
    extra = function.indices_rank
    batch_dims = 0
    if function.batch_dims and rank and _flip(draw):
        position = axis % rank if flaw != "axis" else 0
        batch_dims = draw(st.integers(0, position))
    if extra is None:
        extra = draw(_EXTRA_RANKS)
    indices = data[:batch_dims] + draw(_shapes(extra))
    if flaw == "batch" and function.batch_dims:
        batch_dims = draw(st.sampled_from([batch_dims + 1, rank + 1]))
    elif function.negative_batch_dims and len(indices) and _flip(draw):
        batch_dims -= len(indices)
    return dict(data_shape=data, indices_shape=_capped(indices), axis=axis,
                batch_dims=batch_dims)


def _off_axis(draw, function, extent):
    if function.off_axis == "equal" or not _one_of_four(draw):
        return extent
    if function.off_axis == "less":
        return draw(st.integers(0, extent))
    return draw(_EXTENTS) if extent == 1 else 1


@st.composite
def _elements(draw, function, flaw):
    data = draw(_shapes(draw(_RANKS)))
    rank = len(data)
    axis = _axis(draw, rank, flaw)
    indices = [_off_axis(draw, function, extent) for extent in data]
    if rank and flaw != "axis":
        indices[axis] = draw(_EXTENTS)
    if flaw == "rank":
        indices = indices[1:] if _flip(draw) else indices + [1]
    if flaw == "extent" and indices:
        indices[draw(st.integers(0, len(indices) - 1))] += 1
    return dict(data_shape=data, indices_shape=_capped(indices), axis=axis)


@st.composite
def _tuples(draw, function, flaw):
    data = draw(_shapes(draw(_RANKS)))
    rank = len(data)
    batch_dims = 0
    if function.batch_dims and rank and _flip(draw):
        batch_dims = draw(st.integers(0, rank - 1))
    depth = draw(st.integers(0, rank - batch_dims))
    if depth == 0 and not _one_of_four(draw):
        depth = min(1, rank - batch_dims)
    if function.depth is not None:
        depth = function.depth
    elif flaw == "depth":
        depth = rank - batch_dims + 1
    extra = 0 if flaw == "rank" else draw(_EXTRA_RANKS)
    if function.indices_rank is not None:
        extra = function.indices_rank - 1
    elif depth == 0 and function.empty_tuple == "vector":
        extra = 0
    leading = _capped(data[:batch_dims] + draw(_shapes(extra)))
    indices = leading + (depth,)
    if flaw == "rank" and function.indices_rank is None:
        indices = indices[1:]
    if flaw == "batch" and function.batch_dims:
        batch_dims = draw(st.sampled_from([batch_dims + 1, rank, -1]))
    return dict(data_shape=data, indices_shape=indices, batch_dims=batch_dims)


def exact_updates(function, data, indices, batch_dims):
    """The shape that updates have where nothing is broadcast."""
    if function.operator == "ScatterElements":
        return indices
    depth = indices[-1] if indices else 0
    return indices[:-1] + data[batch_dims + depth:]


def _broadcast(draw, shape):
    shape = [1 if _one_of_four(draw) else extent for extent in shape]
    if shape and _flip(draw):
        shape = shape[draw(st.integers(0, len(shape))):]
    return tuple(shape)


def _flawed(draw, shape):
    shape = list(shape)
    if shape and _flip(draw):
        axis = draw(st.integers(0, len(shape) - 1))
        shape[axis] += draw(st.sampled_from([1, -1])) if shape[axis] else 1
    else:
        shape.insert(0, draw(_EXTENTS))
    return tuple(shape)


def _updates(draw, function, shape, flaw):
    if flaw == "updates":
        return _flawed(draw, shape)
    if function.updates == "exact" or not _flip(draw):
        return shape
    if function.updates == "leading":
        return tuple(extent + draw(st.integers(0, 2)) for extent in shape)
    return _broadcast(draw, shape)


_SHAPES = {
    "Gather": _gather,
    "GatherElements": _elements,
    "GatherND": _tuples,
    "ScatterElements": _elements,
    "ScatterND": _tuples,
}


@st.composite
def configurations(draw, functions):
    """Configurations of the given functions."""
    function = draw(st.sampled_from(functions))
    flaw = draw(_FLAWS)
    reduction = draw(st.sampled_from(function.reductions))
    fields = draw(_SHAPES[function.operator](function, flaw))
    if not function.empty:
        for name in ("data_shape", "indices_shape"):
            fields[name] = tuple(max(1, extent) for extent in fields[name])
    if function.scatters:
        exact = exact_updates(function, fields["data_shape"],
                              fields["indices_shape"],
                              fields.get("batch_dims", 0))
        fields["updates_shape"] = _updates(draw, function, exact, flaw)
        fields["exclude_self"] = (function.exclude_self and
                                  reduction != "NONE" and _flip(draw))
    return case.Configuration(
        function=function,
        dtype=draw(st.sampled_from(function.dtypes_for(reduction))),
        index_dtype=draw(st.sampled_from(function.index_dtypes)),
        reduction=reduction,
        index_style=draw(st.sampled_from(function.index_styles)),
        value_style=draw(_VALUE_STYLES),
        seed=draw(_SEEDS),
        **fields)
