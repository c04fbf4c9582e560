"""When a rule about MindSpore holds (see harness/explain.py)."""

import itertools

import numpy as np

from harness import dtypes
from harness import explain
from harness import folds


def scalar(pair):
    """A scalar index counts as a tuple of one component."""
    if not pair.we_refuse or pair.they_refuse or pair.case.indices_shape != ():
        return False
    ours = pair.ask(indices=pair.case.indices.reshape(1))
    return isinstance(ours, np.ndarray) and dtypes.same(
        pair.theirs.reshape(ours.shape), ours, pair.case.dtype)


def _elements(pair):
    return pair.case.function.name == "ops.tensor_scatter_elements"


def _outside(case):
    extent = case.data_shape[case.axis]
    return ((case.indices < -extent) | (case.indices >= extent)).any()


def _some_of(pair, element, subsets):
    """The possible values of an element, and how far rounding moves them."""
    case = pair.case
    data, updates = case.data.ravel()[element], case.updates.ravel()
    for chosen in subsets:
        some = updates[list(chosen)]
        if case.reduction == "NONE":
            yield (some[-1] if len(some) else data), 0
            continue
        with np.errstate(all="ignore"):
            some = np.concatenate([[data], some]).astype(updates.dtype)
            total = some[0]
            for value in some[1:]:
                total = total + value
            if case.dtype in dtypes.INTEGERS + ("BOOL",):
                yield total, 0
                continue
            yield total, _rounding(some)


def _rounding(numbers):
    """How far sums in two orders may be apart; anything if one overflows.

    Subnormal numbers may count as zeros.
    """
    info = explain.finfo(numbers.dtype)
    finite = np.isfinite(numbers)
    size = np.abs(numbers[finite].astype(np.float64)).sum()
    if size > float(info.max):
        return np.inf
    if not finite.all():
        return 0
    return len(numbers) * (float(info.eps) * size + float(info.tiny))


_MAX_HITS = 10  # of which all subsets are tried


def _subsets(hits):
    """Of many updates: all, all but one or two, or the first few."""
    counts = range(len(hits) + 1)
    if len(hits) > _MAX_HITS:
        yield from (hits[:count] for count in counts)
        counts = range(len(hits) - 2, len(hits) + 1)
    for count in counts:
        yield from itertools.combinations(hits, count)


def _made_of(pair, subsets_of):
    if not _elements(pair):
        return False

    def judge(element, their, _):
        return any(explain.near(their, total, bound) for total, bound in
                   _some_of(pair, element, subsets_of(pair.hits[element])))
    return folds.where(pair, np.ones(pair.ours.shape, bool), judge)


def lost(pair):
    """Made of some of the updates, where an index is out of bounds."""
    if not _elements(pair) or not _outside(pair.case):
        return False
    return _made_of(pair, _subsets)


def order(pair):
    """One of several updates, or a sum of several in another order."""
    if pair.case.reduction == "NONE":
        return _made_of(pair, lambda hits: [[hit] for hit in hits])
    return _made_of(pair, lambda hits: (_subsets(hits) if len(hits) > 1
                                        else [hits]))


def narrows(pair):
    found = np.zeros(pair.ours.shape, bool)
    if _elements(pair):
        for narrowed in explain.narrowed_pairs(pair)[:1]:
            found |= (explain.same_bits(narrowed) | lost(narrowed) |
                      order(narrowed) | explain.flushed(narrowed))
    return found
