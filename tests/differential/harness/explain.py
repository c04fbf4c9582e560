"""When a rule of harness/rules.py holds: one function for each.

A function takes a comparison.Pair. For an outcome it says whether the rule
explains it; for values, which components.
"""

import dataclasses
import functools

import ml_dtypes
import numpy as np

from harness import case as cases
from harness import dtypes
from harness import folds
from harness import shapes
from harness import values


def _computes(pair):
    return pair.case.reduction != "NONE"


def nan_payload(pair):
    """Both NaN, and ours the one that docs/operators.md promises."""
    case = pair.case
    if not _computes(pair) or not dtypes.floating(case.dtype):
        return False
    theirs, ours = pair.components()
    canonical = folds.canonical_nan(ours.dtype)

    def judge(element, _, our):
        ours = dtypes.bits(our, "")
        if case.reduction in ("MAX", "MIN"):
            operands = dtypes.parts(folds.operands(pair, element), case.dtype)
            return np.isin(ours, dtypes.bits(operands, ""))
        return ours == canonical
    return folds.where(pair, dtypes.both_nan(theirs, ours), judge)


def zero_order(pair):
    """Both zero, and ours the zero that docs/operators.md promises."""
    case = pair.case
    if case.reduction not in ("MAX", "MIN"):
        return False
    if not dtypes.floating(case.dtype):
        return False
    theirs, ours = pair.components()
    with np.errstate(invalid="ignore"):
        zeros = (theirs == 0) & (ours == 0)

    def judge(element, _, our):
        if case.dtype in dtypes.COMPLEX:  # a whole operand is selected
            return np.True_
        found = folds.operands(pair, element)
        negative = np.signbit(found[found == 0].astype(np.float64))
        wanted = negative.all() if case.reduction == "MAX" else negative.any()
        return np.signbit(our.astype(np.float64)) == wanted
    return folds.where(pair, zeros, judge)


def scalar_data(pair):
    return (pair.we_refuse and not pair.they_refuse and
            pair.case.data_shape == () and
            ": C1: data is a scalar" in pair.ours.message)


def unchecked_empty(pair):
    return (pair.we_refuse and pair.ours.kind == "OUT_OF_RANGE" and
            not pair.they_refuse and pair.theirs.size == 0)


def leading_ones(pair):
    if not pair.we_refuse or pair.they_refuse or pair.case.updates is None:
        return False
    shape = pair.case.updates_shape
    while shape and shape[0] == 1:
        shape = shape[1:]
        ours = pair.ask(updates=pair.case.updates.reshape(shape))
        if isinstance(ours, np.ndarray):
            return dtypes.same(pair.theirs, ours, pair.case.dtype)
    return False


def empty_assignment(pair):
    return (pair.we_refuse and not pair.they_refuse and
            "updates has the wrong shape" in pair.ours.message and
            0 in pair.case.updates_shape and
            dtypes.same(pair.theirs, pair.case.data, pair.case.dtype))


def empty_index(pair):
    if not pair.we_refuse or pair.they_refuse or pair.case.indices.size:
        return False
    if pair.case.function.scatters:
        return dtypes.same(pair.theirs, pair.case.data, pair.case.dtype)
    return pair.theirs.size == 0


def ort_empty_tuple(pair):
    return (pair.case.function.operator == "GatherND" and pair.we_refuse and
            not pair.they_refuse and pair.case.indices_shape[-1:] == (0,))


def unchecked_batch(pair):
    if (pair.case.function.operator != "GatherND" or not pair.we_refuse or
            pair.they_refuse):
        return False
    if "differ in batch dimension" in pair.ours.message:
        return pair.framework == "onnxruntime" or pair.theirs.size == 0
    ranks = len(pair.case.data_shape), len(pair.case.indices_shape)
    return not 0 <= pair.case.batch_dims < min(ranks)


def ort_string_gather(pair):
    if pair.case.function.name != "Gather" or pair.case.dtype != "STRING":
        return False
    return pair.theirs == b""


def close_complex(pair, reductions):
    """Equal but for rounding, or made of numbers that may overflow."""
    if pair.case.reduction not in reductions:
        return False
    if pair.case.dtype not in dtypes.COMPLEX:
        return False

    def judge(element, their, our):
        operands = folds.operands(pair, element)
        if _extreme(dtypes.parts(operands, pair.case.dtype)):
            return np.True_
        with np.errstate(all="ignore"):
            bound = (4 * (len(operands) + 1) * np.abs(our).max() *
                     np.finfo(our.dtype).eps)
            return np.abs(their - our) <= bound
    return folds.where(pair, np.ones(pair.ours.shape + (2,), bool), judge)


def _extreme(operands):
    """Whether a product of all the numbers may overflow or underflow."""
    info = np.finfo(operands.dtype)
    power = 0.25 / len(operands)
    with np.errstate(all="ignore"):
        size = np.abs(operands)
        odd = ~(size < info.max**power)
        odd |= (size > 0) & (size < info.tiny**power)
    return bool((odd | (size.max(-1, keepdims=True) == 0)).any())


def complex_product(pair):
    return close_complex(pair, ("MUL", "DIV"))


def reference_empty_batch(pair):
    return (pair.case.function.operator == "GatherND" and pair.they_refuse and
            "cannot reshape array of size 0" in pair.theirs.message)


def tf_batch(pair):
    return (pair.case.function.name == "tf.gather_nd" and pair.we_refuse and
            not pair.they_refuse and
            "differ in batch dimension" in pair.ours.message)


def tf_no_tuples(pair):
    return (pair.we_refuse and not pair.they_refuse and
            ("the last dimension of indices" in pair.ours.message or
             "indices has too few axes" in pair.ours.message) and
            0 in pair.case.updates_shape and
            dtypes.same(pair.theirs, pair.case.data, pair.case.dtype))


def _changed(pair, indices, options=None):
    """The pair as if the server had been asked with these indices."""
    ask = functools.partial(pair.ask, indices=indices, index_dtype="int32",
                            options=options or {})
    ours = ask()
    if not isinstance(ours, np.ndarray):
        return None
    case = dataclasses.replace(
        pair.case, indices=indices, configuration=dataclasses.replace(
            pair.case.configuration, index_dtype="int32"))
    return dataclasses.replace(pair, case=case, ours=ours, ask=ask)


def narrowed_pairs(pair):
    """The pairs as if indices were cut to 32 bits, where that is a cut.

    First as they are, then with the extent added to negative ones before.
    """
    if pair.case.index_dtype != "int64":
        return []
    indices = pair.case.indices
    if np.all(indices == indices.astype(np.int32)):
        return []
    counted = indices + (indices < 0) * values.sizes(pair.case.configuration)
    pairs = (_changed(pair, indices.astype(np.int32)), _changed(
        pair, counted.astype(np.int32),
        {"negative_indices": "NEGATIVE_INDICES_OUT_OF_BOUNDS"}))
    return [changed for changed in pairs if changed]


def same_bits(pair):
    return (dtypes.bits(pair.theirs, pair.case.dtype) ==
            dtypes.bits(pair.ours, pair.case.dtype))


def reference_wraps(pair):
    if (pair.case.function.operator != "GatherElements" or pair.they_refuse or
            not pair.we_refuse or pair.ours.kind != "OUT_OF_RANGE"):
        return False
    wrapped = pair.ask(options={"out_of_bounds": "OUT_OF_BOUNDS_WRAP"})
    return isinstance(wrapped, np.ndarray) and dtypes.same(
        pair.theirs, wrapped, pair.case.dtype)


def reference_extents(pair):
    return (pair.case.function.operator == "GatherElements" and
            pair.they_refuse and
            "Except for dimension" in pair.theirs.message)


def reference_unchecked(pair):
    return (pair.case.function.operator == "ScatterElements" and
            pair.we_refuse and not pair.they_refuse and
            ("indices must have the rank of data" in pair.ours.message or
             "axis is out of range" in pair.ours.message))


def numpy_broadcast(pair):
    """Where NumPy agrees once it gets the updates that it has to broadcast."""
    case = pair.case
    if case.function.name != "ufunc.at":
        return False
    shape = shapes.exact_updates(case.function, case.data_shape,
                                 case.indices_shape, 0)
    if case.updates_shape == shape:
        return False
    updates = np.broadcast_to(case.updates, shape).copy()
    theirs = case.function.call(dataclasses.replace(case, updates=updates))
    return same_bits(dataclasses.replace(pair, theirs=theirs))


def reference_updates(pair):
    return (pair.we_refuse and not pair.they_refuse and
            "updates has the wrong shape" in pair.ours.message)


def lost_nan(pair):
    """What is left when a comparison with NaN decides."""
    case = pair.case
    if case.reduction not in ("MAX", "MIN") or case.dtype in dtypes.COMPLEX:
        return False
    if not dtypes.floating(case.dtype):
        return False
    _, ours = pair.components()
    sign = 1 if case.reduction == "MAX" else -1

    def ways():
        for flush in (lambda value: value, folds.flush):
            yield lambda a, b: a if flush(sign * a) > flush(sign * b) else b
            yield lambda a, b: b if flush(sign * b) > flush(sign * a) else a

    def judge(element, their, _):
        found = [folds.fold(pair, element, way) for way in ways()]
        return np.bool_(any(their in (value, folds.flush(value))
                            for value in found))
    with np.errstate(invalid="ignore"):
        lost = (ours != ours)
        return folds.where(pair, lost, judge)


def _with_raw_axis(pair):
    """What the server says to batch_dims, still negative, as the axis."""
    case = pair.case
    if case.function.operator != "Gather" or case.axis or case.batch_dims >= 0:
        return None
    return pair.ask(axis=case.batch_dims)


def default_axis(pair):
    answer = _with_raw_axis(pair)
    if answer is None or pair.they_refuse:
        return answer is not None and isinstance(answer, cases.Failure)
    return (isinstance(answer, np.ndarray) and
            dtypes.same(pair.theirs, answer, pair.case.dtype))


def default_axis_values(pair):
    return np.bool_(default_axis(pair))


def tf_empty(pair):
    return pair.they_refuse and not pair.we_refuse and (
        pair.ours.size == 0) and (
        "but params is empty" in pair.theirs.message or
        "specified for empty output" in pair.theirs.message)


def flushed(pair):
    """Sums and selections; what flushing adds to them is bounded."""
    if pair.case.reduction not in ("ADD", "SUB", "MAX", "MIN"):
        return False
    if not dtypes.floating(pair.case.dtype):
        return False
    theirs, ours = pair.components()
    info = finfo(theirs.dtype)

    def judge(element, their, our):
        bound = float(info.tiny) * len(folds.operands(pair, element))
        with np.errstate(all="ignore"):
            return np.abs(their.astype(np.float64) -
                          our.astype(np.float64)) <= bound
    return folds.where(pair, np.ones(ours.shape, bool), judge)


def near(theirs, value, bound):
    """Whether both are NaN, or equal but for the bound."""
    if bound == np.inf or theirs == value:
        return True
    if theirs != theirs and value != value:
        return True
    with np.errstate(all="ignore"):
        return bool(np.abs(np.float64(theirs) - np.float64(value)) <= bound)


def finfo(dtype):
    return ml_dtypes.finfo(dtype)


def wide_sums(pair):
    """The sum of halves in FLOAT."""
    case = pair.case
    if case.function.name not in ("ops.scatter_nd", "index_add"):
        return False
    if case.dtype not in dtypes.HALVES:
        return False
    wide = pair.ask(options={"accumulation": "ACCUMULATION_WIDE"})
    return (pair.theirs == wide) | dtypes.both_nan(pair.theirs, wide)
