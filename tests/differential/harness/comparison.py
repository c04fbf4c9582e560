"""Compares a framework's answer with the server's, bit for bit.

What is not equal has to be explained by a rule (harness/rules.py), else it is
a difference.
"""

import dataclasses
import functools
from typing import Callable, Tuple

import numpy as np

from harness import case as cases
from harness import dtypes
from harness import folds
from harness import server


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two answers to one case, each an array or a Failure.

    `ask` asks the server about a changed case: its arguments replace the
    case's and the configuration's fields; `options` adds to the request's.
    """

    framework: str
    case: cases.Case
    theirs: object
    ours: object
    ask: Callable = None

    @property
    def they_refuse(self):
        return isinstance(self.theirs, cases.Failure)

    @property
    def we_refuse(self):
        return isinstance(self.ours, cases.Failure)

    @functools.cached_property
    def hits(self):
        """The updates of each element of data (see folds.hits)."""
        return folds.hits(self)

    def components(self):
        """Their and our elements as real numbers (parts of complex ones)."""
        name = self.case.dtype
        return dtypes.parts(self.theirs, name), dtypes.parts(self.ours, name)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How a case came out.

    outcome is "equal" (the same bits), "refused" (by both), "explained" (by
    the named rules), "missing" (the framework has no kernel) or "different".
    """

    outcome: str
    rules: Tuple[str, ...] = ()
    reason: str = ""


def _text(answer):
    if isinstance(answer, cases.Failure):
        return f"{answer.kind}: {answer.message[:160]}"
    return f"{answer.shape} {answer.tolist()}"


def _different(pair, reason):
    return Verdict("different", (), (
        f"{reason}\n    framework: {_text(pair.theirs)}\n"
        f"    scatterd:  {_text(pair.ours)}"))


def _explained_outcome(pair, rules):
    for rule in rules:
        if rule.outcome and rule.outcome(pair):
            return Verdict("explained", (rule.name,))
    if pair.they_refuse:
        return _different(pair, "only the framework refuses")
    if pair.we_refuse:
        return _different(pair, "only scatterd refuses")
    return _different(pair, "the shapes differ")


def _compare_values(pair, rules):
    theirs = dtypes.bits(pair.theirs, pair.case.dtype)
    ours = dtypes.bits(pair.ours, pair.case.dtype)
    unequal = np.asarray(theirs != ours)
    if not unequal.any():
        return Verdict("equal")
    applied = []
    for rule in rules:
        if not rule.values:
            continue
        explained = np.asarray(rule.values(pair)) & unequal
        if explained.any():
            applied.append(rule.name)
            unequal &= ~explained
        if not unequal.any():
            return Verdict("explained", tuple(applied))
    return _different(pair, f"{int(unequal.sum())} components differ")


def compare(pair, rules):
    """The verdict on one case."""
    if isinstance(pair.theirs, cases.Missing):
        return Verdict("missing", (), pair.theirs.message)
    if pair.we_refuse and pair.ours.kind not in server.REFUSALS:
        return _different(pair, "the server failed")
    if pair.they_refuse and pair.we_refuse:
        return Verdict("refused")
    if pair.they_refuse or pair.we_refuse:
        return _explained_outcome(pair, rules)
    if pair.theirs.dtype != pair.ours.dtype:
        return _different(pair, f"the dtype is {pair.theirs.dtype}")
    if pair.theirs.shape != pair.ours.shape:
        return _explained_outcome(pair, rules)
    return _compare_values(pair, rules)
