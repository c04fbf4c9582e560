"""What scatterd is held to: the least ratios to its peers.

A ratio is the peer's time over scatterd's, both of this run and with the same
number of threads (NumPy's time always with one).  "any" is the fastest peer;
a name after a colon is one call of a library; "memcpy" compares bytes moved
per second with one thread.
"""

import dataclasses
import fnmatch

# fnmatch pattern of rows: targets, "THREADS: PEER RATIO, ...; ..."
_ROWS = {
    "a4": "1: numpy 1.0, torch 1.8, ort 3; 2: numpy 1.3, torch 1.5, ort 2.5;"
          "memcpy 0.10",
    "a16": "1: any 1.9; 2: any 1.8; memcpy 0.33",
    "a64": "1: any 1.5; 2: any 1.2; memcpy 0.4",
    "a256": "1: any 1.3; 2: any 1.3; memcpy 0.5",
    "a1024": "1: any 1.3; 2: any 1.4; memcpy 0.55",
    "b1": "1: numpy:take(flat) 0.9, numpy:[tuples] 2.3, torch:[tuples] 3,"
          "ort 3; 2: any 1.6; memcpy 0.08",
    "b2": "1: torch 1.3, ort 1.7; 2: torch 1.3, ort 1.7; memcpy 0.8",
    "c-rows-none in-place": "1: torch 1.7; 2: torch 1.4; memcpy 0.4",
    "c-rows-add in-place": "1: torch 2.7; 2: torch 9; memcpy 0.5",
    "c-rows-max in-place": "1: torch 7; 2: torch 9; memcpy 0.5",
    "c-rows-mul in-place": "1: torch 7; 2: torch 8; memcpy 0.5",
    "c-rows-none out-of-place": "1: any 1.05; 2: any 1.2; memcpy 0.7",
    "c-rows-add out-of-place": "1: any 1.5; 2: any 2; memcpy 0.7",
    "c-rows-max out-of-place": "1: any 1.5; 2: any 1.8; memcpy 0.7",
    "c-rows-mul out-of-place": "1: any 1.4; 2: any 1.8; memcpy 0.7",
    "c-el-none-uni out-of-place":
        "1: torch 1.2, ort 1.6; 2: torch 2, ort 2.2; memcpy 0.2",
    "c-el-add-uni out-of-place":
        "1: torch 1.5, ort 3; 2: torch 2.5, ort 4; memcpy 0.25",
    "c-el-max-uni out-of-place":
        "1: torch 1.6, ort 3; 2: torch 2.6, ort 4; memcpy 0.25",
    "c-el-add-zipf in-place": "1: torch 1.0; 2: torch 1.5",
    "c-el-add-zipf out-of-place":
        "1: torch 1.0, ort 2.5; 2: torch 1.5, ort 3.5",
    "c-el-none-zipf in-place": "1: any 1.0; 2: any 1.0",
    "c-el-none-zipf out-of-place": "1: any 1.0, ort 1.5; 2: any 1.0, ort 1.4",
    "c-el-add-same *": "1: torch 2.5; 2: torch 2",
    "c-el-none-same *": "1: any 1.0; 2: any 1.0",
    "d-gather-axis0": "1: any 3.5; 2: any 2.2; memcpy 0.2",
    "d-gather-axis1": "1: any 1.4; 2: any 1.4; memcpy 0.2",
    "d-scatter-axis0-none in-place": "1: torch 1.7; 2: torch 1.9",
    "d-scatter-axis0-add in-place": "1: torch 3.5; 2: torch 3",
    "d-scatter-axis0-none out-of-place":
        "1: torch 1.7, ort 5; 2: torch 1.9, ort 5; memcpy 0.4",
    "d-scatter-axis0-add out-of-place":
        "1: torch 3.5, ort 5; 2: torch 3, ort 5; memcpy 0.4",
    "d-scatter-axis1-* in-place": "1: torch 0.95; 2: torch 0.95",
    "d-scatter-axis1-none out-of-place":
        "1: torch 1.15, ort 1.7; 2: torch 1.15, ort 2.2; memcpy 0.55",
    "d-scatter-axis1-add out-of-place":
        "1: torch 1.7, ort 3; 2: torch 1.7, ort 3.3; memcpy 0.55",
    "f-add-f16 in-place": "1: torch 12; 2: torch 12; memcpy 0.45",
    "f-add-bf16 in-place": "1: torch 4.5; 2: torch 3; memcpy 0.45",
    "f-add-[if]64 in-place": "1: torch 2.3; 2: torch 3.5; memcpy 0.6",
    "f-add-[if]64 out-of-place": "1: ort 1.5; 2: ort 1.5; memcpy 0.6",
    "f-gather-u8": "1: any 2.2; 2: any 2.2; memcpy 0.5",
    "f-gather-bool": "1: any 2.2; 2: any 2.2; memcpy 0.5",
    "f-add-u8 in-place": "1: any 8; 2: any 9; memcpy 0.5",
    "f-add-bool in-place": "1: any 8; 2: any 9; memcpy 0.5",
    "strings": "1: numpy 4, ort 4; 2: ort 3",
}

# Over all rows that scatter, with two threads: the fastest peer.
SCATTERS_GEOMETRIC_MEAN = 2.5

# scatterd's time with one thread over that with two, geometric mean of the
# rows that take longer with one.  Not for an index that all share: its row
# is one thread's work.
SPEEDUP = 1.6
SPEEDUP_FROM_MS = 2.0

# A call with eight indices.
SMALL_RUN_NS = 100  # the kernel
SMALL_CALL_NS = 200  # the plan and the kernel
SMALL_RATIO = 12  # an ORT Run over the plan and the kernel


@dataclasses.dataclass(frozen=True)
class Target:
    """At least `ratio` over `peer`."""
    threads: int
    peer: str  # "any", "memcpy", a library or "library:call"
    ratio: float


def _parse(text):
    for part in text.split(";"):
        threads, colon, peers = part.strip().partition(":")
        if not threads.isdigit() or not colon:
            threads, peers = "1", part
        for peer in peers.split(","):
            name, ratio = peer.strip().rsplit(" ", 1)
            yield Target(int(threads), name, float(ratio))


def of_row(name):
    """The targets of a row."""
    found = []
    for pattern, text in _ROWS.items():
        if fnmatch.fnmatchcase(name, pattern):
            found.extend(_parse(text))
    return tuple(found)
