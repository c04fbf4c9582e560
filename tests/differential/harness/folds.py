"""Computes single elements of a scatter anew, to judge a difference.

A fold combines what an element of data holds with its updates, one by one.
"""

import ml_dtypes
import numpy as np

from harness import dtypes


def hits(pair):
    """For each element of data (flat), its updates' flat positions, in order.

    The server's own addressing, which it tells by joining strings.
    """
    case = pair.case
    names = [f"{n},".encode() for n in range(case.updates.size)]
    updates = np.array(names + [None], object)[:-1]
    data = np.full(case.data.shape, b"", object)
    joined = pair.ask(data=data, updates=updates.reshape(case.updates.shape),
                      dtype="STRING", reduction="ADD", exclude_self=False)
    return [[int(n) for n in text.split(b",")[:-1]]
            for text in joined.ravel()]


def touched(pair):
    """Which elements have updates, as a mask for `pair.components()`."""
    mask = np.array([bool(found) for found in pair.hits])
    mask = mask.reshape(pair.case.data.shape)
    return mask[..., None] if pair.case.dtype in dtypes.PART else mask


def operands(pair, element):
    """What is combined in an element: an array, in order."""
    case = pair.case
    found = case.updates.ravel()[pair.hits[element]]
    if case.exclude_self:
        return found
    return np.concatenate([case.data.ravel()[element:element + 1], found])


def fold(pair, element, combine):
    """The element's value."""
    values = operands(pair, element)
    with np.errstate(all="ignore"):
        result = values[0]
        for value in values[1:]:
            result = combine(result, value)
    return result


def where(pair, mask, judge):
    """The components of `mask` in elements that `judge` accepts.

    judge(element, theirs, ours) takes a flat position and the components'
    values there; it is called only where `mask` holds and there are updates.
    """
    mask = mask & touched(pair)
    theirs, ours = pair.components()
    shape = mask.shape
    width = 2 if pair.case.dtype in dtypes.PART else 1
    flat = mask.reshape(-1, width).copy()
    theirs, ours = theirs.reshape(-1, width), ours.reshape(-1, width)
    for element in np.flatnonzero(flat.any(-1)):
        flat[element] &= judge(int(element), theirs[element], ours[element])
    return flat.reshape(shape)


def canonical_nan(dtype):
    """The quiet NaN of sign 0 with one bit, as an unsigned integer."""
    bits = {"float16": 0x7E00, "bfloat16": 0x7FC0, "float32": 0x7FC00000,
            "float64": 0x7FF8000000000000}
    return bits[dtype.name]


def flush(value):
    """The number, or a zero of its sign if it is subnormal."""
    tiny = ml_dtypes.finfo(value.dtype).tiny
    return value * 0 if 0 < abs(value) < tiny else value
