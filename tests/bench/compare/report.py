"""What was measured, as text: a table, or targets held and missed."""

import dataclasses
import math

from compare import targets

LIBRARIES = ("numpy", "torch", "ort")


@dataclasses.dataclass
class Result:
    """A row and its times by number of threads."""
    row: object
    times: dict
    copy_bytes: int

    def peer(self, threads, name):
        """(ms, label) of the fastest call of a library, of "any", or of one
        call; (None, name) if it has none."""
        found = [(ms, label) for label, ms in self.times[threads].peers.items()
                 if name in ("any", label, label.split(":")[0])]
        return min(found, default=(None, name))

    def ratio(self, threads, name):
        """That time over ours; None if there is no such peer."""
        ms = self.peer(threads, name)[0]
        return ms and ms / self.times[threads].ours

    def rate(self, threads):
        """GB/s."""
        return self.row.bytes_moved() / self.times[threads].ours / 1e6

    def memcpy_ratio(self):
        """Our rate with one thread over memcpy's."""
        copied = 2 * self.copy_bytes / self.times[1].memcpy / 1e6
        return self.rate(1) / copied

    def mark(self, threads, label):
        """"*" for a peer whose threads race for the result."""
        note = self.times[threads].notes.get(label, "")
        return "*" if note.startswith("races") else ""


def _ms(value):
    return f"{value:8.2f}" if value is not None else f"{'-':>8}"


def table_head(threads):
    """Two lines."""
    cells = [f"{'ms (ratio: fastest peer / scatterd)':32}"]
    names = ("numpy", "torch", "ort", "ours")
    for count in threads:
        head = "".join(f"{name:>8}" for name in names)
        cells.append(f"{head}{f'ratio {count}T':>10} {'(peer)':24}")
    cells.append(f"{'GB/s':>12}{'memcpy 1T':>11}")
    line = " |".join(cells)
    return f"{line}\n{'-' * len(line)}"


def table_line(result):
    """A row of it."""
    cells = [f"{result.row.name:32}"]
    for threads, times in result.times.items():
        text = "".join(_ms(result.peer(threads, name)[0])
                       for name in LIBRARIES) + _ms(times.ours)
        _, label = result.peer(threads, "any")
        ratio = result.ratio(threads, "any")
        text += f"{ratio:9.2f}x" if ratio else f"{'-':>10}"
        label += result.mark(threads, label)
        cells.append(f"{text} {'(' + label + ')':24}")
    rates = "/".join(f"{result.rate(threads):.1f}"
                     for threads in result.times)
    copy = f"{result.memcpy_ratio():10.2f}x" if 1 in result.times else ""
    cells.append(f"{rates:>12}{copy}")
    return " |".join(cells)


@dataclasses.dataclass
class Verdict:
    """A target, and what was measured."""
    name: str
    text: str
    held: bool


def _compare(value, limit):
    """"1.20 >= 1.1", and whether that is true."""
    held = value >= limit
    shown = math.floor(value * 100) / 100  # never up to a limit it misses
    return f"{shown:.2f} {'>=' if held else '<'} {limit:g}", held


def of_targets(result):
    """A verdict for each target of the row that its threads allow."""
    for target in result.row.targets:
        if target.threads not in result.times:
            continue
        if target.peer == "memcpy":
            value, label = result.memcpy_ratio(), ""
        else:
            value = result.ratio(target.threads, target.peer)
            label = result.peer(target.threads, target.peer)[1]
            label += result.mark(target.threads, label)
            label = f" ({label})" if label != target.peer else ""
        where = f"{target.threads}T {target.peer}"
        if value is None:
            yield Verdict(result.row.name, f"{where} not measured", False)
            continue
        text, held = _compare(value, target.ratio)
        yield Verdict(result.row.name, f"{where} {text}{label}", held)


def check_line(result):
    """A line with all ratios and targets of a row, and its verdicts."""
    verdicts = list(of_targets(result))
    if not verdicts:
        shown = "; ".join(
            f"{threads}T any {result.ratio(threads, 'any'):.2f}"
            f" ({result.peer(threads, 'any')[1]})"
            for threads in result.times if result.ratio(threads, "any"))
        return f"  -  {result.row.name:28} {shown} (no target)", []
    good = all(verdict.held for verdict in verdicts)
    shown = "; ".join(("" if verdict.held else "MISSED ") + verdict.text
                      for verdict in verdicts)
    line = f"{'PASS' if good else 'FAIL'} {result.row.name:28} {shown}"
    return line, verdicts


def _geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def of_all(results):
    """The verdicts about many rows at once."""
    scatters = [ratio for result in results
                if result.row.is_scatter and 2 in result.times
                and (ratio := result.ratio(2, "any"))]
    if scatters:
        text, held = _compare(_geometric_mean(scatters),
                              targets.SCATTERS_GEOMETRIC_MEAN)
        yield Verdict("all scatters", f"2T any, geometric mean of "
                      f"{len(scatters)} rows: {text}", held)
    speedups = [result.times[1].ours / result.times[2].ours
                for result in results
                if 1 in result.times and 2 in result.times
                and result.row.pattern != "same"
                and result.times[1].ours > targets.SPEEDUP_FROM_MS]
    if speedups:
        text, held = _compare(_geometric_mean(speedups), targets.SPEEDUP)
        yield Verdict("two threads", "ours 1T / ours 2T, geometric mean of "
                      f"{len(speedups)} rows above "
                      f"{targets.SPEEDUP_FROM_MS:g} ms: {text}", held)


def of_small(small):
    """The verdicts about small calls."""
    for op, times, heap in small:
        name = f"small {op}"
        for what, ns in times.items():
            limit = (targets.SMALL_CALL_NS if what.startswith("plan") else
                     targets.SMALL_RUN_NS if what.startswith("run") else None)
            if limit is not None:
                sign = "<=" if ns <= limit else ">"
                yield Verdict(name, f"{what} {ns:.0f} ns {sign} {limit}",
                              ns <= limit)
        ratio = times["ort"] / times["plan+run 1T"]
        text, held = _compare(ratio, targets.SMALL_RATIO)
        yield Verdict(name, f"ort {text}", held)
        yield Verdict(name, f"{heap} heap allocations", heap == 0)


def small_line(op, times, heap):
    """What a small call costs, for the table."""
    costs = ", ".join(f"{name} {ns:.0f}" for name, ns in times.items())
    return f"small {op}, 8 indices, ns: {costs}; {heap} heap allocations"


def as_json(results, small):
    """Everything, as JSON takes it."""
    return {
        "rows": [{
            "name": result.row.name,
            "gb_per_s": {t: result.rate(t) for t in result.times},
            "ms": {t: {"scatterd": times.ours, "memcpy": times.memcpy,
                       **times.peers} for t, times in result.times.items()},
            "notes": {t: times.notes for t, times in result.times.items()},
            "targets": [dataclasses.asdict(v) for v in of_targets(result)],
        } for result in results],
        "small": [{"op": op, "ns": times, "heap_allocations": heap}
                  for op, times, heap in small],
        "all": [dataclasses.asdict(v) for v in of_all(results)],
    }
