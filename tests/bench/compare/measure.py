"""Times a row: everybody in turn, round after round, on the same memory."""

import dataclasses
import os
import statistics
import threading
import time

from compare import peers_numpy, peers_ort, peers_torch, strings
from compare.buffers import Buffers

# A peer's call that takes this many times its library's best is dropped after
# the warm-up, and after a first timed run, unless a target names it.
_HOPELESS_WARM = 2.5
_HOPELESS = 1.25
# Measured once is enough where a call takes this many times all others' best.
_SLOW = 8.0

_REFUSALS = (RuntimeError, TypeError, NotImplementedError,
             *peers_ort.Refusal)


# At most this long, in seconds, until others' workers have gone to sleep.
_PATIENCE = 0.1


class WrongResult(Exception):
    """A result that nothing excuses."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """How much is measured."""
    threads: tuple
    least_rounds: int
    most_rounds: int
    budget: float  # seconds, after which there are only the least rounds
    hurry_from: float  # time.monotonic() from which there are only two
    sleep: float  # seconds before each run
    copy_bytes: int


@dataclasses.dataclass
class Times:
    """Medians in ms with one number of threads."""
    ours: float = 0.0
    memcpy: float = 0.0
    peers: dict = dataclasses.field(default_factory=dict)  # by label
    notes: dict = dataclasses.field(default_factory=dict)  # by label


def _timed(run):
    begin = time.perf_counter()
    result = run()
    return (time.perf_counter() - begin) * 1e3, result


def _others_run():
    """Whether a thread beside this one runs or could: workers of OpenMP spin
    for milliseconds after their work."""
    own = str(threading.get_native_id())
    for task in os.listdir("/proc/self/task"):
        if task == own:
            continue
        try:
            with open(f"/proc/self/task/{task}/stat", "rb") as stat:
                state = stat.read().rsplit(b")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        if state == b"R":
            return True
    return False


def _settle(seconds):
    """Sleeps that long, and until all others do."""
    end = time.perf_counter() + _PATIENCE
    time.sleep(seconds)
    while _others_run() and time.perf_counter() < end:
        time.sleep(0.001)


def _best(times):
    """By library."""
    best = {}
    for label, ms in times.items():
        library = label.split(":")[0]
        best[library] = min(ms, best.get(library, ms))
    return best


class Measurer:
    """Measures rows with one library."""

    def __init__(self, library, settings, random):
        self._library = library
        self._settings = settings
        self._random = random
        size = settings.copy_bytes
        self._copies = [library.new_tensor("u8", (size,)) for _ in range(2)]

    def row(self, row):
        """Times by number of threads."""
        kind = strings.StringBuffers if row.dtype == "string" else Buffers
        buffers = kind(self._library, row, self._random)
        try:
            buffers.reset()
            buffers.call.run(1)
            buffers.keep_expected()
            found = {}
            numpy_times = None
            for threads in self._settings.threads:
                times = self._with_threads(buffers, threads, numpy_times)
                if numpy_times is None:
                    numpy_times = {label: ms for label, ms
                                   in times.peers.items()
                                   if label.startswith("numpy:")}
                times.peers.update(numpy_times)
                found[threads] = times
            return found
        finally:
            buffers.free()

    def _candidates(self, buffers, threads, with_numpy):
        if buffers.row.dtype == "string":
            return strings.candidates(buffers, threads, with_numpy)
        libraries = [peers_torch, peers_ort]
        if with_numpy:
            libraries.insert(0, peers_numpy)
        return [candidate for library in libraries
                for candidate in library.candidates(buffers, threads)]

    def _with_threads(self, buffers, threads, numpy_times):
        peers_torch.use_threads(threads)
        times = Times()

        def ours():
            buffers.call.run(threads)
        buffers.reset()
        ours()
        if len(buffers.differences()):
            raise WrongResult(f"{buffers.row.name}: scatterd with {threads} "
                              "threads differs from itself with 1")
        candidates, warm = [], {}
        for candidate in self._candidates(buffers, threads,
                                          numpy_times is None):
            try:
                buffers.reset()
                warm[candidate.label], result = _timed(candidate.run)
            except _REFUSALS as refusal:
                times.notes[candidate.label] = f"refuses: {refusal}"
                continue
            result = (peers_torch.as_array(result) if candidate.returns
                      else None)
            note = self._judge(buffers, candidate, result)
            if note:
                times.notes[candidate.label] = note
            candidates.append(candidate)
        hopeful = self._hopeful(buffers, candidates, warm)
        times.peers = {label: ms for label, ms in warm.items()
                       if label not in {c.label for c in hopeful}}
        buffers.reset()
        self._rounds(buffers, threads, ours, hopeful, times)
        return times

    @staticmethod
    def _hopeful(buffers, candidates, warm):
        """Who may be the best of its library, by the times of a first run
        and, in doubt, of a second."""
        named = {target.peer for target in buffers.row.targets}
        best = _best(warm)
        hopeful = []
        for candidate in candidates:
            label = candidate.label
            limit = _HOPELESS_WARM * best[candidate.library]
            if limit < warm[label] < _SLOW * best[candidate.library]:
                _settle(0)
                warm[label] = min(warm[label], _timed(candidate.run)[0])
            if label in named or warm[label] <= limit:
                hopeful.append(candidate)
        return hopeful

    def _judge(self, buffers, candidate, result):
        """What there is to say about a peer's result; WrongResult if it is
        not the operator's."""
        where = buffers.differences(result)
        if not len(where):
            if candidate.racy and candidate.library == "ort":
                return "races, though no element differs this time"
            return ""
        row = buffers.row
        floating = row.dtype in ("f16", "bf16", "f32", "f64", "c64")
        if (row.reduction in ("add", "mul") and floating and
                buffers.close_enough(where, result)):
            return f"{len(where)} elements differ by rounding"
        if ((candidate.racy or row.reduction == "none") and row.is_scatter and
                buffers.all_duplicated(where)):
            why = "races" if candidate.racy else "takes duplicates otherwise"
            return f"{why}: {len(where)} elements differ"
        raise WrongResult(f"{row.name}: {candidate.label} differs from "
                          f"scatterd in {len(where)} elements")

    def _rounds(self, buffers, threads, ours, candidates, times):
        settings = self._settings
        runs = {"ours": ours}
        if threads == 1:
            to, source = self._copies
            runs["memcpy"] = lambda: self._library.copy(
                self._library.pools[1], to.address, source.address, to.nbytes)
        runs.update({c.label: c.run for c in candidates})
        probes = {}
        begin = time.perf_counter()
        for label, run in runs.items():
            _settle(settings.sleep)
            probes[label], _ = _timed(run)
        kept = self._worth_more(buffers, probes)
        samples = {label: [ms] for label, ms in probes.items()}
        least = settings.least_rounds
        if time.monotonic() > settings.hurry_from:
            least = 2
        for done in range(1, settings.most_rounds):
            if (done >= least and
                    time.perf_counter() - begin > settings.budget):
                break
            for label in kept:
                _settle(settings.sleep)
                samples[label].append(_timed(runs[label])[0])
        medians = {label: statistics.median(of)
                   for label, of in samples.items()}
        times.ours = medians.pop("ours")
        times.memcpy = medians.pop("memcpy", 0.0)
        times.peers.update(medians)

    @staticmethod
    def _worth_more(buffers, probes):
        """Labels to measure again."""
        named = {target.peer for target in buffers.row.targets}
        best = _best(probes)
        fastest = min((ms for library, ms in best.items()
                       if library not in ("ours", "memcpy")), default=0.0)
        slow = _SLOW * max(probes["ours"], fastest)
        return [label for label, ms in probes.items()
                if label in ("ours", "memcpy") or ms <= slow and
                (label in named or
                 ms <= _HOPELESS * best[label.split(":")[0]])]
