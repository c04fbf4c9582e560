"""When a rule about JAX holds (see harness/explain.py)."""

import functools

import numpy as np

from harness import dtypes
from harness import explain
from harness import folds


def empty_axis(pair):
    """Nothing can be valid: data stays, or all is the fill value."""
    if not pair.they_refuse or pair.we_refuse:
        return False
    if "non-empty jnp.take() from an empty axis" in pair.theirs.message:
        filled = np.full(pair.ours.shape, _fill(pair.case.dtype))
        return dtypes.same(filled, pair.ours, pair.case.dtype)
    return ("is out of bounds for axis" in pair.theirs.message and
            "with size 0" in pair.theirs.message and
            dtypes.same(pair.case.data, pair.ours, pair.case.dtype))


def _fill(dtype):
    """The element that jnp.take puts where an index is out of bounds."""
    if dtype in dtypes.INTEGERS:
        info = np.iinfo(dtypes.NUMPY[dtype])
        return info.min if dtype in dtypes.SIGNED else info.max
    return True if dtype == "BOOL" else dtypes.NUMPY[dtype].type(np.nan)


def empty_axis_values(pair):
    """Zeros along an axis on which no index can be valid."""
    case = pair.case
    if (case.function.operator != "GatherElements" or
            case.data_shape[case.axis] != 0):
        return False
    theirs, _ = pair.components()
    return theirs == 0


def empty_take(pair):
    """No elements either way."""
    case = pair.case
    if case.function.name != "jnp.take" or pair.they_refuse or pair.we_refuse:
        return False
    axis = range(len(case.data_shape))[case.axis]
    shape = (case.data_shape[:axis] + case.indices_shape +
             case.data_shape[axis + 1:])
    return (case.data_shape[axis] == 0 and case.indices.size == 0 and
            pair.theirs.size == 0 and pair.ours.shape == shape)


def narrows(pair):
    theirs, _ = pair.components()
    found = np.zeros(theirs.shape, bool)
    for narrowed in explain.narrowed_pairs(pair):
        found |= explain.same_bits(narrowed)
        for rule in (explain.nan_payload, explain.zero_order, explain.flushed,
                     explain.complex_product, float8_nan, flushed_product,
                     divide, complex_select):
            found |= rule(narrowed)
    return found


def complex_select(pair):
    """What is left when comparisons decide, also with NaN and subnormals."""
    case = pair.case
    if case.reduction not in ("MAX", "MIN"):
        return False
    if case.dtype not in dtypes.COMPLEX:
        return False
    sign = 1 if case.reduction == "MAX" else -1

    def precedes(a, b, flush):
        parts = [(flush(sign * x.real), flush(sign * x.imag)) for x in (a, b)]
        (a_re, a_im), (b_re, b_im) = parts
        return b_re < a_re or (b_re == a_re and b_im < a_im)

    def ways():
        for flush in (folds.flush, lambda value: value):
            yield lambda a, b: a if precedes(a, b, flush) else b
            yield lambda a, b: b if precedes(b, a, flush) else a

    def judge(element, their, _):
        found = [folds.fold(pair, element, way) for way in ways()]
        found = dtypes.parts(np.array(found, case.data.dtype), case.dtype)
        same = (found == their) | dtypes.both_nan(found, their)
        return np.bool_(same.all(-1).any())
    return folds.where(pair, np.ones(pair.ours.shape + (2,), bool), judge)


def float8_nan(pair):
    if pair.case.dtype not in dtypes.FLOAT8:
        return False
    return dtypes.both_nan(pair.theirs, pair.ours)


def divide(pair):
    """Data, divided once: by the product, or by 1 without updates."""
    case = pair.case
    if case.reduction != "DIV":
        return False
    product = pair.ask(data=np.ones_like(case.data), reduction="MUL")
    with np.errstate(all="ignore"):
        expected = dtypes.parts(case.data / product, case.dtype)
    theirs, ours = pair.components()
    data = dtypes.parts(case.data, case.dtype)
    tiny = explain.finfo(data.dtype).tiny
    untouched = ~folds.touched(pair) & (
        dtypes.bits(ours, "") == dtypes.bits(data, ""))
    with np.errstate(invalid="ignore"):
        odd = np.abs(data) < tiny  # flushed
        if case.dtype in dtypes.COMPLEX:
            odd |= ~np.isfinite(data).all(-1, keepdims=True)
            odd |= (theirs == ours)  # the sign of a zero
    same = (theirs == expected) | dtypes.both_nan(theirs, expected)
    return same | (untouched & odd)


def flushed_product(pair):
    """The product when every factor and every result is flushed.

    The quotient by updates one by one, or by their product.
    """
    case = pair.case
    if case.reduction not in ("MUL", "DIV"):
        return False
    if case.dtype not in dtypes.FLOATS + ("BFLOAT16",):
        return False

    def multiply(a, b):
        return folds.flush(np.multiply(folds.flush(a), folds.flush(b)))

    def divide_by(a, b):
        return folds.flush(np.divide(folds.flush(a), folds.flush(b)))

    def judge(element, their, _):
        if case.reduction == "MUL":
            found = (folds.fold(pair, element, multiply),)
        else:
            operands = folds.operands(pair, element)
            with np.errstate(all="ignore"):
                product = functools.reduce(multiply, operands[1:])
                found = (folds.fold(pair, element, divide_by),
                         divide_by(operands[0], product))
        return np.bool_(any(explain.near(their, way, 0) for way in found))
    return folds.where(pair, np.ones(pair.ours.shape, bool), judge)
