"""The rows of the comparison: which call on which shapes."""

import dataclasses
import math

import numpy as np

from compare import targets
from compare.library import DTYPES

_MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Row:
    """One call."""
    name: str
    kind: str  # which peers' calls do the same, see peers_*.py
    op: str  # scatterd's name of the operator
    data: tuple
    indices: tuple
    dtype: str = "f32"
    pattern: str = "uniform"  # of the indices
    reduction: str = "none"
    axis: int = 0
    batch_dims: int = 0
    in_place: bool = False

    @property
    def is_scatter(self):
        """Whether it has updates."""
        return self.op.startswith("scatter")

    @property
    def result(self):
        """Shape of the slices that move: a scatter's updates or a gather's
        output."""
        if self.op.endswith("elements"):
            return self.indices
        if self.op == "gather":
            return self.indices + self.data[1:]
        depth = self.indices[-1] + self.batch_dims
        return self.indices[:-1] + self.data[depth:]

    @property
    def output(self):
        """Shape of the output."""
        return self.data if self.is_scatter else self.result

    @property
    def targets(self):
        """What it is checked for; may be empty."""
        return targets.of_row(self.name)

    def bytes_moved(self):
        """Indices + updates + rows, + data twice where it is copied."""
        width = (16 if self.dtype == "string" else
                 np.dtype(DTYPES[self.dtype][1]).itemsize)
        moved = math.prod(self.result) * width
        total = math.prod(self.indices) * 8
        if not self.is_scatter:
            return total + 2 * moved
        if not self.in_place:
            return total + moved + 2 * math.prod(self.data) * width
        return total + moved * (2 if self.reduction == "none" else 3)


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How large the rows are.  Those of a quick run still exceed the L2."""
    table: int  # bytes that gathers read from
    gathered: dict  # rows gathered, by columns
    tuples: int
    batches: int
    rows: dict  # rows of the table scattered into, by bytes per element
    in_place: int  # 1/this of those rows are updated in place; 1/10 otherwise
    singles: int  # elements scattered into; a quarter are updates
    side: tuple  # of the elements operators' data
    strings: int
    issue_rows: int  # divisor of issue 28584's rows


FULL = Sizes(
    table=256 * _MIB, gathered={4: 100000, 16: 100000, 64: 100000,
                                256: 100000, 1024: 100000},
    tuples=1000000, batches=64,
    rows={1: 1000000, 2: 1000000, 4: 1000000, 8: 1000000}, in_place=10,
    singles=16 * _MIB, side=(4096, 4096), strings=1000000, issue_rows=4)

QUICK = Sizes(
    table=64 * _MIB, gathered={4: 100000, 16: 100000, 64: 80000,
                               256: 25000, 1024: 8000},
    tuples=500000, batches=32,
    rows={1: 800000, 2: 400000, 4: 200000, 8: 100000}, in_place=5,
    singles=4 * _MIB, side=(2048, 4096), strings=250000, issue_rows=16)


def _gather(name, dtype, columns, size):
    width = np.dtype(DTYPES[dtype][1]).itemsize
    return Row(name, "gather_rows", "gather",
               (size.table // (columns * width), columns),
               (size.gathered[columns],), dtype)


def _gathers(size):
    for columns in (4, 16, 64, 256, 1024):
        yield _gather(f"a{columns}", "f32", columns, size)
    yield Row("b1", "gather_tuples", "gather_nd", (4096, 4096),
              (size.tuples, 2))
    yield Row("b2", "gather_batches", "gather_nd", (size.batches, 4096, 64),
              (size.batches, 1024, 1), batch_dims=1)


def _places(row):
    for in_place in (True, False):
        suffix = "in-place" if in_place else "out-of-place"
        yield dataclasses.replace(row, name=f"{row.name} {suffix}",
                                  in_place=in_place)


def _scatter_rows(name, dtype, reduction, size):
    table = size.rows[min(8, np.dtype(DTYPES[dtype][1]).itemsize)]
    for row in _places(Row(name, "scatter_rows", "scatter_nd", (table, 64),
                           (table // 10, 1), dtype, reduction=reduction)):
        if row.in_place:
            row = dataclasses.replace(row, indices=(table // size.in_place, 1))
        yield row


def _scatters(size):
    for reduction in ("none", "add", "max", "mul"):
        yield from _scatter_rows(f"c-rows-{reduction}", "f32", reduction, size)
    for reduction, pattern in (("none", "uni"), ("add", "uni"), ("max", "uni"),
                               ("none", "zipf"), ("add", "zipf"),
                               ("none", "same"), ("add", "same")):
        yield from _places(Row(
            f"c-el-{reduction}-{pattern}", "scatter_singles",
            "scatter_elements", (size.singles,), (size.singles // 4,),
            pattern={"uni": "uniform"}.get(pattern, pattern),
            reduction=reduction))


def _elements(size):
    outer, inner = size.side
    shapes = ((outer // 4, inner), (outer, inner // 4))
    for axis in (0, 1):
        yield Row(f"d-gather-axis{axis}", "gather_elements", "gather_elements",
                  size.side, shapes[axis], axis=axis)
    for axis in (0, 1):
        for reduction in ("none", "add"):
            yield from _places(Row(
                f"d-scatter-axis{axis}-{reduction}", "scatter_elements",
                "scatter_elements", size.side, shapes[axis], axis=axis,
                reduction=reduction))


def _dtypes(size):
    for dtype in ("f16", "bf16", "i64", "f64", "u8", "bool", "c64"):
        yield _gather(f"f-gather-{dtype}", dtype, 64, size)
        for reduction in ("none", "add"):
            if (dtype, reduction) != ("c64", "add"):
                yield from _scatter_rows(f"f-{reduction}-{dtype}", dtype,
                                         reduction, size)


def _issues(size):
    # microsoft/onnxruntime#28584, "ScatterElements(reduction="add") is very
    # slow": axis 0, data [556416, 80], indices and updates [481385, 80] of
    # f32; here with fewer rows.
    divisor = size.issue_rows
    yield from _places(Row("ort-issue-28584", "scatter_elements",
                           "scatter_elements", (556416 // divisor, 80),
                           (481385 // divisor, 80), reduction="add"))
    # microsoft/onnxruntime#11195, "Performance degradation on
    # GatherElements": axis 1, data and indices [1, 4, 353, 128], every index
    # 0; as it is.
    yield Row("ort-issue-11195", "gather_elements", "gather_elements",
              (1, 4, 353, 128), (1, 4, 353, 128), pattern="zero", axis=1)


def _strings(size):
    yield Row("strings", "strings", "gather", (size.strings,),
              (size.strings,), "string")


def rows(size):
    """All rows, in the order of the report."""
    for group in (_gathers, _scatters, _elements, _dtypes, _strings, _issues):
        yield from group(size)


def in_quick_run(row):
    """Whether a quick run without a choice of rows has it: not the further
    dtypes' without a target."""
    return bool(row.targets) or not row.name.startswith("f-")


def make_indices(row, random):
    """Index values of the row, as int64."""
    if row.op == "gather":
        limits = np.int64(row.data[0])
    elif row.op.endswith("nd"):
        first = row.batch_dims
        limits = np.array(row.data[first:first + row.indices[-1]])
    else:
        limits = np.int64(row.data[row.axis])
    if row.pattern == "zero":
        return np.zeros(row.indices, np.int64)
    if row.pattern == "same":
        return np.full(row.indices, limits // 2)
    if row.pattern == "zipf":  # density 1/x
        unit = random.random(row.indices)
        return (np.power(float(limits), unit) - 1).astype(np.int64)
    return random.integers(0, limits, row.indices)


def fill(array, random, mixed_signs):
    """Small whole numbers: sums of a few are exact in every dtype, so that
    the order of additions does not matter to a comparison of results.
    `mixed_signs`: -1 and 1 only, for products that neither grow nor vanish.
    """
    flat = array.reshape(-1)
    if flat.dtype == np.bool_:
        values = random.integers(0, 2, 65521)
    elif mixed_signs:
        values = random.integers(0, 2, 65521) * 2 - 1
    elif flat.dtype == np.uint8:
        values = random.integers(0, 256, 65521)
    else:
        values = random.integers(-2, 3, 65521)
    block = values.astype(flat.dtype)
    filled = min(block.size, flat.size)
    flat[:filled] = block[:filled]
    while filled < flat.size:  # a period of an odd number of elements
        step = min(filled, flat.size - filled)
        flat[filled:filled + step] = flat[:step]
        filled += step
