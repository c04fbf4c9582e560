#!/usr/bin/env python3
"""Compares scatterd's CPU backend with NumPy, PyTorch and ONNX Runtime.

All run in this process, in turn, on the same memory, with 1 and 2 threads;
only ratios of one run mean something.  Prints a table, or with --check a line
for each row with its ratios and the targets (compare/targets.py); then the
exit status is 0 if every target holds, 1 if one is missed.

Needs the target scatterd_bench_capi and Python 3.11; makes an environment
with the libraries, build/venv/bench, when it runs first (about 5 GB).
Where it may, it goes before all other work on the machine (as `chrt -r 1`):
a woken thread that waits for its CPU would spoil the times.
"""

import argparse
import fcntl
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_VENV = _ROOT / "build" / "venv" / "bench"
_LIBRARY = (_ROOT / "build" / "release" / "tests" / "bench" /
            "libscatterd_bench_capi.so")
_READY = "SCATTERD_COMPARE_READY"


def _install():
    """Makes the environment, unless it has what requirements.txt names."""
    wanted, has = _HERE / "requirements.txt", _VENV / "requirements.txt"
    if has.exists() and has.read_bytes() == wanted.read_bytes():
        return
    print(f"compare.py: installing NumPy, PyTorch and ONNX Runtime in {_VENV}",
          file=sys.stderr)
    shutil.rmtree(_VENV, ignore_errors=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", _VENV], check=True)
        subprocess.run(
            [_VENV / "bin" / "pip", "install", "-q", "--no-deps",
             "--disable-pip-version-check", "-r", wanted], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"compare.py: cannot install the libraries: {error}")
    shutil.copy(wanted, has)


def _start_over(cpus):
    """This program again, in its environment and with what only a new process
    takes up."""
    environment = dict(os.environ)
    environment[_READY] = "1"
    # OpenMP's threads (PyTorch) each on a CPU, as scatterd's and ONNX
    # Runtime's are.
    environment["OMP_NUM_THREADS"] = str(len(cpus))
    environment["OMP_PLACES"] = ",".join(f"{{{cpu}}}" for cpu in cpus)
    environment["OMP_PROC_BIND"] = "true"
    # Old results' memory serves new ones, without page faults: a favour to
    # the calls of the peers that allocate.
    environment["GLIBC_TUNABLES"] = ":".join((
        "glibc.malloc.hugetlb=1", "glibc.malloc.mmap_max=0",
        "glibc.malloc.trim_threshold=17179869184",
        "glibc.malloc.top_pad=67108864"))
    environment.pop("OPENBLAS_CORETYPE", None)
    python = _VENV / "bin" / "python"
    os.execve(python, [str(python), *sys.argv], environment)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="compare with the targets")
    parser.add_argument("--quick", action="store_true",
                        help="smaller shapes, fewer rounds: under a minute")
    parser.add_argument("--threads", default="1,2", metavar="N,...",
                        help="numbers of threads (default: %(default)s)")
    parser.add_argument("--rows", default="", metavar="REGEX",
                        help="only rows whose name it matches somewhere")
    parser.add_argument("--list", action="store_true",
                        help="only list the rows and their targets")
    parser.add_argument("--json", metavar="FILE", help="write everything")
    parser.add_argument("--plot", metavar="FILE", help="write a PNG")
    parser.add_argument("--polite", action="store_true",
                        help="leave the scheduling as it is")
    parser.add_argument("--verbose", action="store_true",
                        help="all calls of the peers, and notes")
    parser.add_argument("--lib", default=_LIBRARY, metavar="FILE",
                        help="libscatterd_bench_capi.so")
    return parser.parse_args()


def _list(rows):
    for row in rows:
        wanted = "; ".join(f"{t.threads}T {t.peer} {t.ratio:g}"
                           for t in row.targets)
        print(f"{row.name:28} {wanted}")


def _details(result):
    for threads, times in result.times.items():
        for label in sorted({*times.peers, *times.notes}):
            ms = times.peers.get(label)
            print(f"      {threads}T {label:28} "
                  f"{'' if ms is None else f'{ms:.3f} ms'} "
                  f"{times.notes.get(label, '')}")


def _verdict(verdicts, started):
    missed = [verdict for verdict in verdicts if not verdict.held]
    print(f"{len(verdicts) - len(missed)} of {len(verdicts)} targets held, "
          f"{len(missed)} missed, in {time.monotonic() - started:.0f} s")
    return 1 if missed or not verdicts else 0


def _alone():
    """Waits until no other run of this program is under way; returns what to
    keep until the end."""
    lock = open(Path(tempfile.gettempdir()) / "scatterd-compare.lock", "w",
                encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print("compare.py: waiting for another run to end", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _go_first():
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError as error:
        print("compare.py: no real-time scheduling, so other work on this "
              f"machine disturbs: {error}", file=sys.stderr)


def _run(arguments, cpus, started):
    # pylint: disable=import-outside-toplevel
    if not arguments.polite:
        _go_first()
    from compare.library import Library
    threads = tuple(int(count) for count in arguments.threads.split(","))
    # Before any OpenMP is loaded: see there.
    library = Library(str(arguments.lib), sorted({1, *threads}))

    import numpy as np

    from compare import measure, report, small, workloads
    os.sched_setaffinity(0, {cpus[0]})
    quick = arguments.quick
    copy_bytes = (32 if quick else 256) << 20
    settings = measure.Settings(
        threads=threads, least_rounds=3 if quick else 5,
        most_rounds=7 if quick else 9, budget=0.12 if quick else 1.5,
        hurry_from=started + 42 if quick else math.inf,
        sleep=0.001 if quick else 0.02, copy_bytes=copy_bytes)
    size = workloads.QUICK if quick else workloads.FULL
    rows = [row for row in workloads.rows(size)
            if re.search(arguments.rows, row.name) and
            (arguments.rows or not quick or workloads.in_quick_run(row))]
    measurer = measure.Measurer(library, settings, np.random.default_rng(1))
    results, verdicts, small_calls = [], [], []
    if not arguments.check:
        print(report.table_head(threads))
    for row in rows:
        try:
            result = report.Result(row, measurer.row(row), copy_bytes)
        except measure.WrongResult as wrong:
            print(f"FAIL {wrong}", flush=True)
            verdicts.append(report.Verdict(row.name, str(wrong), False))
            continue
        results.append(result)
        line, found = report.check_line(result)
        verdicts.extend(found)
        print(line if arguments.check else report.table_line(result),
              flush=True)
        if arguments.verbose:
            _details(result)
    if re.search(arguments.rows, "small"):
        small_calls = small.measure(library, 10000 if quick else 100000)
    overall = [*report.of_small(small_calls), *report.of_all(results)]
    if arguments.check:
        for verdict in overall:
            print(f"{'PASS' if verdict.held else 'FAIL'} {verdict.name:28} "
                  f"{verdict.text}")
    else:
        for call in small_calls:
            print(report.small_line(*call))
        for verdict in report.of_all(results):
            print(f"{verdict.name}: {verdict.text}")
    if arguments.json:
        Path(arguments.json).write_text(
            json.dumps(report.as_json(results, small_calls), indent=1) + "\n",
            "utf-8")
    if arguments.plot:
        from compare import plot
        plot.write(arguments.plot, results, "scatterd's CPU backend against "
                   f"its peers{', small shapes' if quick else ''}")
    if arguments.check:
        return _verdict(verdicts + overall, started)
    return 0 if len(results) == len(rows) else 1


def main():
    """Returns the exit status."""
    arguments = _arguments()
    cpus = sorted(os.sched_getaffinity(0))
    most = max(int(count) for count in arguments.threads.split(","))
    if most > len(cpus):
        sys.exit(f"compare.py: {most} threads on {len(cpus)} CPUs")
    if os.environ.get(_READY) != "1":
        _install()
        _start_over(cpus[:most])
    if arguments.list:
        from compare import workloads  # pylint: disable=C0415
        _list(workloads.rows(workloads.FULL))
        return 0
    if not Path(arguments.lib).exists():
        sys.exit(f"compare.py: no {arguments.lib}: build the target "
                 "scatterd_bench_capi")
    with _alone():
        return _run(arguments, cpus, time.monotonic())


if __name__ == "__main__":
    sys.exit(main())
