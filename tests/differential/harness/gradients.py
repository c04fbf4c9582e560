"""Compares the gradients of torch and jax with the Gradient method's.

In DOUBLE and within a relative tolerance, for the frameworks form products and
sums in other orders than here.
"""

import collections

import numpy as np
from scatterd.v1 import operators_pb2 as pb

from harness import case as cases
from harness import gradient_rules
from harness import server
from harness import values

# Relative to the largest gradient of the case: rounding of a few operations.
TOLERANCE = 1e-12
_FIELDS = {"Gather": "gather", "GatherElements": "gather_elements",
           "GatherND": "gather_nd", "ScatterElements": "scatter_elements",
           "ScatterND": "scatter_nd"}


def _request(case, dialect, grad_output):
    field = _FIELDS[case.function.operator]
    return pb.GradientRequest(
        grad_output=server.to_operand(grad_output, case.dtype),
        **{field: server.to_request(case, dialect)})


def _differing(theirs, ours):
    """Where two gradients differ."""
    size = max((float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
                for array in (theirs, ours)))
    with np.errstate(invalid="ignore"):
        close = np.abs(theirs - ours) <= TOLERANCE * max(size, 1.0)
    return ~(close | (theirs == ours) | (np.isnan(theirs) & np.isnan(ours)))


class GradientComparer:
    """Compares batches and counts what comes out, as main.Comparer."""

    def __init__(self, framework, client, repeats):
        self.framework = framework
        self.client = client
        self.repeats = repeats
        self.outcomes = collections.Counter()
        self.per_rule = collections.Counter()
        self.differences = collections.defaultdict(list)

    def compare(self, configuration):
        """Compares a batch; what differs."""
        found = []
        forward = [(case, self.client.send(case, self.framework.DIALECT))
                   for case in values.draw_cases(configuration, self.repeats)]
        rng = np.random.Generator(np.random.PCG64(configuration.seed + 1))
        for case, call in forward:
            output = self.client.receive(call)
            if isinstance(output, cases.Failure):
                self.outcomes["refused"] += 1
                continue
            grad_output = rng.standard_normal(output[0].shape)
            reason = self._compare_one(case, grad_output)
            if reason:
                self.outcomes["different"] += 1
                key = case.function.name, case.reduction, case.exclude_self
                self.differences[key].append((configuration, reason))
                found.append((case, reason))
        return found

    def _compare_one(self, case, grad_output):
        call = self.client.send_gradient(
            _request(case, self.framework.DIALECT, grad_output))
        try:
            theirs = case.function.call(case, grad_output)
        except Exception as error:  # pylint: disable=broad-except
            call.cancel()
            known = gradient_rules.refusal(self.framework.NAME, error)
            if known:
                self.outcomes["missing"] += 1
                self.per_rule[known] += 1
                return None
            return f"only the framework refuses: {error}"
        ours = self.client.receive_gradient(call)
        if isinstance(ours, cases.Failure):
            return f"only scatterd refuses: {ours.kind}: {ours.message}"
        return self._judge(case, grad_output, theirs, ours)

    def _judge(self, case, grad_output, theirs, ours):
        applied = set()
        for name, their, our in zip(("data", "updates"), theirs, ours):
            if their is None:
                continue
            their = np.asarray(their)
            differing = _differing(their, our)
            if not differing.any():
                continue
            names = gradient_rules.explain(
                self.framework.NAME, differing,
                gradient_rules.Gradients(case, grad_output, name, their, our))
            if names is None:
                return (f"grad_{name} differs\n    framework: "
                        f"{their.tolist()}\n    scatterd:  {our.tolist()}")
            applied.update(names)
        self.outcomes["explained" if applied else "equal"] += 1
        self.per_rule.update(applied)
        return None
