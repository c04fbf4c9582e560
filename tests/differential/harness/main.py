"""Runs random cases through a framework and through scatterd.

Usage: main.py --framework NAME --address ADDRESS [--cases N] [--seed N]
         [--shrink] [--record FOLDER]
Exit status: 0 no unexplained difference, 1 there are some.
"""

import argparse
import collections
import dataclasses
import faulthandler
import functools
import sys
import time

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from harness import case as cases
from harness import comparison
from harness import frameworks
from harness import golden
from harness import gradients
from harness import rules
from harness import server
from harness import shapes
from harness import values

_MAX_BATCH_SECONDS = 1200  # a framework that hangs ends the run


def _ask(framework, case):
    """The framework's answer to a case."""
    try:
        answer = case.function.call(case)
    except Exception as error:  # pylint: disable=broad-except
        if framework.missing(error):
            return cases.Missing(f"{type(error).__name__}: {error}")
        return cases.Failure(type(error).__name__, str(error))
    return np.asarray(answer, object if case.dtype == "STRING" else None)


class Comparer:
    """Compares batches and counts what comes out."""

    def __init__(self, framework, client, repeats):
        self.framework = framework
        self.client = client
        self.repeats = repeats
        self.rules = rules.rules_for(framework.NAME)
        self.outcomes = collections.Counter()
        self.per_function = collections.Counter()
        self.per_rule = collections.Counter()
        self.missing = collections.Counter()
        self.differences = collections.defaultdict(list)
        self.on_pair = None

    def compare(self, configuration):
        """Compares a batch; the verdicts that are differences."""
        faulthandler.dump_traceback_later(_MAX_BATCH_SECONDS, exit=True)
        batch = list(values.draw_cases(configuration, self.repeats))
        calls = [self.client.send(case, self.framework.DIALECT)
                 for case in batch]
        answers = [_ask(self.framework, case) for case in batch]
        found = []
        for case, call, theirs in zip(batch, calls, answers):
            ours = self.client.receive(call)
            if not isinstance(ours, cases.Failure):
                ours = ours[0]
            pair = comparison.Pair(
                self.framework.NAME, case, theirs, ours,
                functools.partial(self._ask_server, case))
            verdict = comparison.compare(pair, self.rules)
            self._count(configuration, verdict)
            if self.on_pair:
                self.on_pair(pair, verdict)
            if verdict.outcome == "different":
                found.append((case, verdict.reason))
        return found

    def _ask_server(self, case, **changes):
        options = changes.pop("options", {})
        arrays = {name: changes.pop(name) for name in tuple(changes)
                  if name in ("data", "indices", "updates")}
        changed = dataclasses.replace(
            case, **arrays, configuration=dataclasses.replace(
                case.configuration, **changes))
        answer = self.client.receive(
            self.client.send(changed, self.framework.DIALECT, **options))
        return answer if isinstance(answer, cases.Failure) else answer[0]

    def _count(self, configuration, verdict):
        self.outcomes[verdict.outcome] += 1
        self.per_function[configuration.function.name, verdict.outcome] += 1
        self.per_rule.update(verdict.rules)
        if verdict.outcome == "missing":
            what = (configuration.function.name, configuration.reduction,
                    configuration.dtype)
            self.missing[what] += 1
        if verdict.outcome == "different":
            key = (configuration.function.name, configuration.reduction,
                   verdict.reason.split("\n")[0].split(" components")[-1])
            self.differences[key].append((configuration, verdict.reason))


def _run(comparer, functions, count, arguments):
    """Draws `count` configurations of the functions and compares each."""
    @seed(arguments.seed)
    @settings(max_examples=count, database=None, deadline=None,
              phases=[Phase.generate, Phase.shrink],
              suppress_health_check=list(HealthCheck))
    @given(shapes.configurations(functions))
    def batch(configuration):
        found = comparer.compare(configuration)
        if arguments.shrink and found:
            case, reason = found[0]
            raise AssertionError(
                f"{configuration}\n    data {case.data.tolist()}\n"
                f"    indices {case.indices.tolist()}\n    updates "
                f"{None if case.updates is None else case.updates.tolist()}\n"
                f"    {reason}")
    batch()


def _report(comparer, seconds):
    total = sum(comparer.outcomes.values())
    framework = comparer.framework
    print(f"{framework.NAME} {framework.version()}: {total} cases in "
          f"{seconds:.0f} s: {dict(comparer.outcomes)}")
    for name in sorted({name for name, _ in comparer.per_function}):
        counts = {outcome: count
                  for (function, outcome), count
                  in sorted(comparer.per_function.items())
                  if function == name}
        print(f"  {name}: {counts}")
    for function in framework.FUNCTIONS:
        if function.restriction:
            print(f"  restricted: {function.name}: {function.restriction}")
    for name, count in sorted(comparer.per_rule.items()):
        print(f"  rule {name}: {count}")
    kernels = collections.defaultdict(set)
    for function, reduction, dtype in comparer.missing:
        kernels[function, reduction].add(dtype)
    for (function, reduction), names in sorted(kernels.items()):
        print(f"  no kernel: {function} {reduction}: {sorted(names)}")


def _show_differences(comparer):
    for key, found in sorted(comparer.differences.items()):
        print(f"DIFFERENT {key}: {len(found)} cases")
        for configuration, reason in found[:2]:
            print(f"  {configuration}\n    {reason[:1200]}")


def _report_gradients(comparer):
    print(f"{comparer.framework.NAME} gradients: "
          f"{sum(comparer.outcomes.values())} cases: {dict(comparer.outcomes)}")
    for name, count in sorted(comparer.per_rule.items()):
        print(f"  rule {name}: {count}")
    _show_differences(comparer)


def _arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--framework", required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--record", help="folder for the golden vectors")
    parser.add_argument("--shrink", action="store_true")
    return parser.parse_args()


def main():
    arguments = _arguments()
    framework = frameworks.load(arguments.framework)
    client = server.Client(arguments.address)
    repeats = getattr(framework, "REPEATS", 8)
    comparer = Comparer(framework, client, repeats)
    recorder = golden.Recorder(framework)
    if arguments.record:
        comparer.on_pair = recorder.on_pair
    started = time.monotonic()
    count = -(-arguments.cases // repeats)
    _run(comparer, framework.FUNCTIONS, count, arguments)
    faulthandler.cancel_dump_traceback_later()
    _report(comparer, time.monotonic() - started)
    _show_differences(comparer)
    different = bool(comparer.differences)
    if arguments.record:
        recorder.write(arguments.record)

    functions = frameworks.load_gradients(arguments.framework)
    if functions:
        comparer = gradients.GradientComparer(framework, client, repeats)
        _run(comparer, functions, -(-count // 5), arguments)
        _report_gradients(comparer)
        different |= bool(comparer.differences)
    client.close()
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
