"""Values for a configuration, from its seed."""

import numpy as np

from harness import case as cases
from harness import dtypes

_STRINGS = [b"", b"a", b"b", b"ab", b"B", "\u00e9".encode(), b"zz"]
# Odd values of each float type are read from these, so that all types have
# infinities, the greatest and the least number and so on.
_SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, "max",
            "lowest", "tiny", "subnormal")


def _floats_of(dtype):
    if dtype == np.float16 or dtype.kind == "f":
        return np.finfo(dtype)
    import ml_dtypes
    return ml_dtypes.finfo(dtype)


def _special(dtype):
    info = _floats_of(dtype)
    named = {"max": info.max, "lowest": info.min, "tiny": info.tiny,
             "subnormal": info.smallest_subnormal}
    with np.errstate(all="ignore"):
        return np.array([dtype.type(named.get(v, v)) for v in _SPECIAL],
                        dtype)


_SPECIAL_OF = {name: _special(dtypes.NUMPY[name])
               for name in dtypes.FLOATS + dtypes.HALVES}


def _integers(rng, name, shape, style):
    dtype = dtypes.NUMPY[name]
    info = np.iinfo(dtype)
    if style == "small":
        return rng.integers(max(info.min, -3), 4, shape).astype(dtype)
    if style == "special":
        low = [info.min, info.min + 1, max(info.min, -1)]
        odd = np.array(low + [0, 1, 2, info.max - 1, info.max], dtype)
        return odd[rng.integers(0, len(odd), shape)]
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def _bits(rng, dtype, shape):
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(rng.bytes(size), dtype).reshape(shape).copy()


def _reals(rng, name, shape, style):
    dtype = dtypes.NUMPY[name]
    if style == "small":
        return rng.integers(-3, 4, shape).astype(dtype)
    if style == "normal":
        return rng.standard_normal(shape).astype(dtype)
    if style == "special":
        odd = _SPECIAL_OF[name]
        return odd[rng.integers(0, len(odd), shape)]
    return _bits(rng, dtype, shape)


def values(rng, name, shape, style):
    """An array of the type with values of the style."""
    if name == "BOOL":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if name == "STRING":
        array = np.empty(shape, object)
        chosen = rng.integers(0, len(_STRINGS), shape)
        array[...] = np.array(_STRINGS, object)[chosen]
        return array
    if name in dtypes.INTEGERS:
        return np.asarray(_integers(rng, name, shape, style))
    if name in dtypes.COMPLEX:
        part = dtypes.PART[name]
        pairs = _reals(rng, part, tuple(shape) + (2,), style)
        pairs = np.ascontiguousarray(pairs)
        return pairs.view(dtypes.NUMPY[name]).reshape(shape)
    if name in dtypes.FLOAT8:
        return _bits(rng, dtypes.NUMPY[name], shape)
    return np.asarray(_reals(rng, name, shape, style))


def _extreme(rng, dtype, shape, limit):
    info = np.iinfo(dtype)
    odd = [info.min, info.min + 1, -2**31, -2**31 + 1, 2**31 - 1, 2**31, 2**32,
           -2**32, 2**62, -2**62, info.max]
    odd = [v for v in odd if abs(v) <= limit and info.min <= v <= info.max]
    odd = np.array(odd or [limit], dtype)
    return odd[rng.integers(0, len(odd), shape)]


def _indices(rng, configuration, extents):
    """Index values; `extents` broadcasts to the shape of indices."""
    dtype = np.dtype(configuration.index_dtype)
    shape = configuration.indices_shape
    extents = np.broadcast_to(np.asarray(extents, np.int64), shape)
    safe = np.maximum(extents, 1)
    chosen = rng.integers(0, safe)
    style = configuration.index_style
    if style == "negative":
        chosen = rng.integers(-safe, safe)
    elif style == "around":
        wide = rng.integers(-extents - 2, extents + 2)
        rare = rng.random(shape) < 1.2 / max(1, chosen.size)
        chosen = np.where(rare, wide, rng.integers(-safe, safe))
    elif style == "extreme":
        rare = rng.random(shape) < 1.2 / max(1, chosen.size)
        limit = configuration.function.index_limit
        chosen = np.where(rare, _extreme(rng, dtype, shape, limit), chosen)
    return np.ascontiguousarray(chosen).astype(dtype).reshape(shape)


def sizes(configuration):
    """The extents that the components of indices select on."""
    data = configuration.data_shape
    if configuration.function.operator in ("GatherND", "ScatterND"):
        shape = configuration.indices_shape
        if not shape:
            return 1
        begin = max(configuration.batch_dims, 0)
        found = data[begin:begin + shape[-1]]
        return found + (1,) * (shape[-1] - len(found))
    if not -len(data) <= configuration.axis < len(data):
        return 1
    return data[configuration.axis]


def _make_divisible(updates, dtype):
    """Replaces the integers by which a processor cannot divide.

    It traps on 0 and on lowest / -1, and so does the only framework that
    divides integers (MindSpore).
    """
    if dtype in dtypes.INTEGERS:
        updates[updates == 0] = 1
        if dtype in dtypes.SIGNED:
            updates[updates == -1] = 1


def draw_cases(configuration, count):
    """`count` cases of the configuration, always the same ones."""
    rng = np.random.Generator(np.random.PCG64(configuration.seed))
    extents = sizes(configuration)
    for _ in range(count):
        if configuration.function.zeros:
            data = np.zeros(configuration.data_shape,
                            dtypes.NUMPY[configuration.dtype])
            if configuration.dtype == "STRING":
                data[...] = b""
        else:
            data = values(rng, configuration.dtype, configuration.data_shape,
                          configuration.value_style)
        indices = _indices(rng, configuration, extents)
        updates = None
        if configuration.function.scatters:
            updates = values(rng, configuration.dtype,
                             configuration.updates_shape,
                             configuration.value_style)
            if configuration.reduction == "DIV":
                _make_divisible(updates, configuration.dtype)
        yield cases.Case(configuration, data, indices, updates)
