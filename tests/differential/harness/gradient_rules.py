"""The differences of gradients that are known, each with its reason.

As harness/rules.py: nothing is tolerated without a rule.
"""

import dataclasses
from typing import Callable, Tuple

import numpy as np

from harness import case as cases

_LARGE = 1e30  # products of a few numbers up to here are finite


@dataclasses.dataclass(frozen=True)
class Gradients:
    """Two gradients of one operand: `which` is "data" or "updates"."""

    case: cases.Case
    grad_output: np.ndarray
    which: str
    theirs: np.ndarray
    ours: np.ndarray


@dataclasses.dataclass(frozen=True)
class GradientRule:
    """A known difference; `explains` says where it may show."""

    name: str
    frameworks: Tuple[str, ...]
    who_is_right: str
    reason: str
    refusals: Tuple[str, ...] = ()  # pieces of the framework's messages
    explains: Callable = None


def _index(case):
    """NumPy's index of the elements of data that the updates go to."""
    if case.function.operator == "ScatterND":
        return tuple(np.moveaxis(case.indices, -1, 0))
    index = list(np.indices(case.indices.shape))
    index[case.axis] = case.indices
    return tuple(index)


def _valid(case):
    """Which updates have an element of data, and NumPy's index of those."""
    index = _index(case)
    valid = np.ones(index[0].shape if index else (), bool)
    for component, extent in zip(index, case.data.shape):
        valid &= (component >= -extent) & (component < extent)
    return valid, tuple(component[valid] for component in index)


def _of(found, mask, valid, index):
    """A mask of data as one of the operand that is looked at."""
    if found.which == "data":
        return mask
    of_updates = np.zeros(found.case.updates.shape, bool)
    of_updates[valid] = mask[index]
    return of_updates


def _mark(mask, index, marks):
    """Sets the mask where an update has a mark."""
    # Tuples of no components select by a scalar, which adds an axis.
    np.logical_or.at(mask, index, marks.reshape(mask[index].shape))


def untouched_nan(found):
    case = found.case
    if found.which != "data" or case.reduction not in ("MAX", "MIN"):
        return False
    hits = np.zeros(case.data.shape, np.int64)
    np.add.at(hits, _index(case), 1)
    return (np.isnan(case.data) & (hits == 0) & np.isnan(found.theirs) &
            (found.ours == found.grad_output))


def excluded_self(found):
    """The share of a tie, with self among those who share."""
    case = found.case
    if found.which != "updates" or not case.exclude_self:
        return False
    if case.reduction not in ("MAX", "MIN"):
        return False
    index, ties = _index(case), np.zeros(case.data.shape, np.int64)
    select = np.maximum if case.reduction == "MAX" else np.minimum
    best = np.full(case.data.shape,
                   -np.inf if case.reduction == "MAX" else np.inf)
    select.at(best, index, case.updates)
    np.add.at(ties, index, case.updates == best[index])
    self_ties = (case.data == best)[index]
    count = ties[index]
    return self_ties & np.isclose(found.theirs * (count + 1),
                                  found.ours * count, rtol=1e-12, atol=0)


def product_quotient(found):
    """Where a factor is infinite, NaN, very large or very small."""
    case = found.case
    if case.reduction not in ("MUL", "DIV"):
        return False

    def odd(factors):
        size = np.abs(factors)
        least = 0 if case.reduction == "DIV" else np.nextafter(0, 1)
        return ~(size < _LARGE) | ((size >= least) & (size < 1 / _LARGE))
    valid, index = _valid(case)
    mask = odd(case.data)
    _mark(mask, index, odd(case.updates[valid]))
    return _of(found, mask, valid, index)


def clamped(found):
    """Nothing for indices out of bounds, though the gather clamps them."""
    case = found.case
    if case.function.name != "x[i]":
        return False
    extents = np.array(case.data.shape[:case.indices.shape[-1]])
    valid = ((case.indices >= -extents) & (case.indices < extents)).all(-1)
    wanted = np.zeros_like(case.data)
    np.add.at(wanted, tuple(np.moveaxis(case.indices[valid], -1, 0)),
              found.grad_output[valid])
    return np.isclose(found.theirs, wanted, rtol=1e-12, atol=1e-12)


def nan_extremes(found):
    """Zero for an element whose operands have a NaN; here it is NaN."""
    case = found.case
    if case.reduction not in ("MAX", "MIN"):
        return False
    valid, index = _valid(case)
    mask = np.isnan(case.data)
    _mark(mask, index, np.isnan(case.updates[valid]))
    mask = _of(found, mask, valid, index)
    return mask & (found.theirs == 0) & np.isnan(found.ours)


def flushed_ties(found):
    """What comes out if subnormal numbers are zeros, and so tie."""
    case = found.case
    if case.reduction not in ("MAX", "MIN"):
        return False
    tiny = np.finfo(np.float64).tiny
    data, updates = (np.where(np.abs(array) < tiny, 0, array)
                     for array in (case.data, case.updates))
    valid, index = _valid(case)
    best, ties = data.copy(), np.zeros(data.shape, np.int64)
    select = np.maximum if case.reduction == "MAX" else np.minimum
    select.at(best, index, updates[valid])
    ties += data == best
    np.add.at(ties, index, updates[valid] == best[index])
    share = found.grad_output / np.maximum(ties, 1)
    if found.which == "data":
        wanted = np.where(data == best, share, 0)
    else:
        wanted = np.zeros(updates.shape)
        wanted[valid] = np.where(updates[valid] == best[index], share[index],
                                 0)
    return np.isclose(found.theirs, wanted, rtol=1e-12, atol=1e-12)


RULES = (
    GradientRule(
        "jax-product-of-duplicates", ("jax",), "both",
        "JAX has no gradient of a product unless the caller promises that no "
        "two updates meet.",
        refusals=("only implemented if `unique_indices=True`",)),
    GradientRule(
        "jax-clamped-gradient", ("jax",), "both",
        "The gradient of x[i] drops what belongs to indices out of bounds, "
        "which x[i] itself clamps; here the gradient goes where the value "
        "came from.",
        explains=clamped),
    GradientRule(
        "jax-nan-gradient", ("jax",), "both",
        "Where the maximum or minimum is a NaN, no operand equals it and JAX "
        "gives 0; here, as in PyTorch, the gradient is NaN.",
        explains=nan_extremes),
    GradientRule(
        "jax-flushed-ties", ("jax",), "both",
        "XLA compares subnormal numbers as zeros, so that more operands tie "
        "and share the gradient; here comparisons follow IEEE 754.",
        explains=flushed_ties),
    GradientRule(
        "jax-empty-axis", ("jax",), "scatterd",
        "jnp.take, and the gradients of x.at[i].max and min, refuse an axis of "
        "size 0; here nothing comes from it or goes to it.",
        refusals=("non-empty jnp.take() from an empty axis",
                  "in gather op is out of range, must be within [0, 0 + 1)")),
    GradientRule(
        "jax-empty-take", ("jax",), "scatterd",
        "jnp.take along an axis of size 0 with indices without elements gives "
        "the shape of indices alone.",
        refusals=("because the corresponding output of the differentiated",)),
    GradientRule(
        "torch-index-reduce-int32", ("torch",), "scatterd",
        "The gradient of index_reduce without self refuses INT32 indices, "
        "which the function itself takes.",
        refusals=("index_fill_(): Expected dtype int64 for index",)),
    GradientRule(
        "torch-longer-source", ("torch",), "scatterd",
        "torch.scatter takes a source that is longer than its index; its "
        "gradient refuses that. Here what is not read gets no gradient.",
        refusals=("ScatterBackward0 returned an invalid gradient",)),
    GradientRule(
        "torch-untouched-nan", ("torch",), "scatterd",
        "amax and amin divide the gradient by the number of elements equal to "
        "the result, which is 0 for NaN, even where no update arrives; here "
        "such an element hands its gradient on.",
        explains=untouched_nan),
    GradientRule(
        "torch-excluded-self", ("torch",), "scatterd",
        "Without self, an element that equals the result still counts among "
        "those who share the gradient, and its share is lost (pytorch#168358).",
        explains=excluded_self),
    GradientRule(
        "product-quotient", ("torch", "jax"), "scatterd",
        "The gradient of a product or quotient is computed from the result "
        "and the factor, which gives NaN for infinite factors and after "
        "overflow or underflow; here it is the product of the other factors.",
        explains=product_quotient),
)


def refusal(framework, error):
    """The name of the rule for a framework's refusal; None if there is none."""
    for rule in RULES:
        if framework in rule.frameworks and any(
                piece in str(error) for piece in rule.refusals):
            return rule.name
    return None


def explain(framework, differing, found):
    """The names of the rules that explain all that differs, or None."""
    names = []
    for rule in RULES:
        if framework not in rule.frameworks or not rule.explains:
            continue
        explained = differing & np.asarray(rule.explains(found))
        if explained.any():
            names.append(rule.name)
            differing = differing & ~explained
        if not differing.any():
            return names
    return None
