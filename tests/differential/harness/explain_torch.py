"""When a rule about PyTorch holds (see harness/explain.py)."""

import numpy as np

from harness import dtypes
from harness import explain
from harness import folds


def half_nan(pair):
    """A moved or untouched NaN, which has kept its bits here."""
    case = pair.case
    if case.dtype not in dtypes.HALVES:
        return False
    ours = dtypes.bits(pair.ours, case.dtype)
    data = dtypes.bits(case.data, case.dtype)
    nan = dtypes.both_nan(pair.theirs, pair.ours)
    if case.reduction != "NONE":
        return nan & ~folds.touched(pair) & (ours == data)
    if not case.function.scatters:
        return nan & np.isin(ours, data)
    updates = dtypes.bits(case.updates, case.dtype)
    return nan & (np.isin(ours, updates) | (ours == data))


def half_mean(pair):
    """The sum, rounded to a half, and then the quotient."""
    case = pair.case
    if case.reduction != "MEAN" or case.dtype not in dtypes.HALVES:
        return False
    sums = pair.ask(reduction="ADD")
    counts = np.array([len(found) for found in pair.hits])
    counts += 0 if case.exclude_self else 1
    with np.errstate(all="ignore"):
        means = (sums.astype(np.float32) / counts.reshape(sums.shape))
    means = means.astype(sums.dtype)
    return folds.touched(pair) & (
        (pair.theirs == means) | dtypes.both_nan(pair.theirs, means))


def complex_alpha(pair):
    """The sum of updates that were multiplied by 1+0i."""
    case = pair.case
    if case.function.name != "index_add" or case.dtype not in dtypes.COMPLEX:
        return False
    re, im = case.updates.real, case.updates.imag
    scaled = np.empty_like(case.updates)
    with np.errstate(all="ignore"):
        scaled.real, scaled.imag = re - im * 0, im + re * 0
    scaled = dtypes.parts(pair.ask(updates=scaled), case.dtype)
    theirs, _ = pair.components()
    return (theirs == scaled) | dtypes.both_nan(theirs, scaled)


def assertion(pair):
    return pair.they_refuse and not pair.we_refuse and (
        "INTERNAL ASSERT FAILED" in pair.theirs.message)


def scalar_index(pair):
    """A scalar index (and source) counts as one of rank 1."""
    case = pair.case
    if not pair.we_refuse or pair.they_refuse or case.indices_shape != ():
        return False
    changes = {"indices": case.indices.reshape(1)}
    if case.updates is not None and case.updates.ndim == 0:
        changes["updates"] = case.updates.reshape(1)
    ours = pair.ask(**changes)
    return isinstance(ours, np.ndarray) and dtypes.same(
        pair.theirs.reshape(ours.shape), ours, case.dtype)


def index_reduce_shape(pair):
    return (pair.case.function.name in ("index_reduce", "index_add") and
            pair.they_refuse and not pair.we_refuse and
            tuple(pair.case.updates_shape) !=
            pair.case.indices_shape[:1] + pair.case.data_shape[1:])


def complex_mean(pair):
    """Also elements without updates, which PyTorch divides by 1+0i."""
    if pair.case.dtype not in dtypes.COMPLEX or pair.case.reduction != "MEAN":
        return False
    theirs, ours = pair.components()
    data = dtypes.parts(pair.case.data, pair.case.dtype)
    kept = dtypes.bits(data, "") == dtypes.bits(ours, "")
    odd = ~np.isfinite(ours).all(-1, keepdims=True)
    divided = ~folds.touched(pair) & kept & (odd | (theirs == ours))
    return divided | explain.close_complex(pair, ("MEAN",))
