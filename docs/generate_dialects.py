#!/usr/bin/env python3
"""Writes docs/dialects.md from core/dialects.inc.

Usage: docs/generate_dialects.py [--check]
With --check nothing is written; exit status 1 if the page is out of date.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ROOT / "core" / "dialects.inc"
PAGE = ROOT / "docs" / "dialects.md"

# In the order of the rows' arguments.
COLUMNS = [
    "negative_indices",
    "out_of_bounds",
    "fill value",
    "duplicates",
    "accumulation",
    "shapes",
    "k = 0",
    "indices of rank 1",
    "negative batch_dims",
    "MAX, MIN of complex",
    "gradient of NONE",
]

# Which of them an operator has.
OPERATORS = {
    "gather": ("kGather", [0, 1, 2, 8]),
    "gather_elements": ("kGatherElements", [0, 1, 2, 5]),
    "gather_nd": ("kGatherND", [0, 1, 2, 6]),
    "scatter_elements": ("kScatterElements", [0, 1, 3, 4, 5, 9, 10]),
    "scatter_nd": ("kScatterND", [0, 1, 3, 4, 5, 6, 7, 9, 10]),
}

DIALECTS = {
    "kOnnx": "ONNX",
    "kTensorflow": "TENSORFLOW",
    "kTensorflowGpu": "TENSORFLOW_GPU",
    "kMindspore": "MINDSPORE",
    "kPytorch": "PYTORCH",
    "kJax": "JAX",
    "kNumpy": "NUMPY",
}

INTRODUCTION = """\
# Dialects

`options.dialect` makes the service answer as a framework does where the
frameworks disagree. It sets the default of every option below, operator by
operator; an option that the request sets wins. Without a dialect, ONNX's
defaults apply.

This page is generated from [`core/dialects.inc`](../core/dialects.inc) by
`docs/generate_dialects.py`.

## Whose behaviour a dialect is

| dialect | follows |
|---|---|
| ONNX | Gather, GatherElements, GatherND, ScatterElements, ScatterND |
| TENSORFLOW | tf.gather, tf.gather_nd, tf.tensor_scatter_nd_* on a CPU |
| TENSORFLOW_GPU | the same on a GPU, where nothing is raised |
| MINDSPORE | ops.gather, gather_elements, gather_nd, tensor_scatter_elements, \
tensor_scatter_* |
| PYTORCH | index_select, gather, indexing and index_put with tensors, \
scatter_reduce |
| JAX | jnp.take, jnp.take_along_axis, x[i], x.at[i] |
| NUMPY | take, take_along_axis, fancy indexing, ufunc.at |

Where a framework has no such operator, the row is what the framework does in
its nearest relative.

One option has the same default in every dialect: `nan` is PROPAGATE.
"""

EXPLANATION = """\
## What the rows say

Options, which a request may also set itself:

- **negative_indices**: FROM_END counts once from the end of the axis;
  OUT_OF_BOUNDS makes a negative index out of bounds.
- **out_of_bounds**: ERROR fails the call; SKIP drops the update or gathers the
  fill value; CLAMP takes the nearest valid index.
- **duplicates**: which update stays under reduction NONE, in row-major order of
  the indices.
- **accumulation** of FLOAT16 and BFLOAT16: NATIVE rounds after every update,
  WIDE computes in FLOAT and rounds once.

What only a dialect decides:

- **fill value**: what a gather writes where SKIP has nothing to read, if the
  request has no `fill_value`. ZERO is 0, false or ""; LIMIT is NaN for floats
  (with an imaginary part of 0 for complex numbers), the lowest value of signed
  and the highest of unsigned integers, and true.
- **shapes**: which shapes fit beside ONNX's own. EXACT: none. LEADING: updates
  may be longer on any axis, and only the leading corner is read. BROADCAST:
  updates may be what broadcasts to ONNX's shape by NumPy's rule, and off the
  axis the data and indices of the elements operators broadcast to each other.
- **k = 0**: index tuples of no components. REFUSE: INVALID_ARGUMENT. WHOLE: the
  empty tuple names the whole tensor (of the batch). DEFAULT is ONNX's: refused
  by gather_nd, whole in scatter_nd.
- **indices of rank 1** in scatter_nd. TUPLE: they are one tuple. REFUSE:
  INVALID_ARGUMENT.
- **negative batch_dims** of gather. REFUSE: INVALID_ARGUMENT. FROM_END: counts
  from the rank of the indices, and an `axis` of 0, the default, means
  `batch_dims`.
- **MAX, MIN of complex** numbers. REFUSE: INVALID_ARGUMENT. LEXICOGRAPHIC: real
  parts are compared first, then imaginary parts.
- **gradient of NONE**: WINNER gives gradient only to the update that stayed,
  ALL to every update of the position.
"""


def words(enumerator):
    """kLastWins -> LAST_WINS."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enumerator[1:]).upper()


def read_rows():
    text = re.sub(r"//.*", "", ROWS.read_text())
    rows = {}
    for arguments in re.findall(r"SCATTERD_DIALECT\(([^)]*)\)", text):
        dialect, operator, *values = re.split(r"[\s,]+", arguments.strip())
        assert len(values) == len(COLUMNS), arguments
        rows[operator, dialect] = [words(value) for value in values]
    assert len(rows) == len(OPERATORS) * len(DIALECTS), len(rows)
    return rows


def table(rows, operator, columns):
    yield "| | " + " | ".join(DIALECTS.values()) + " |"
    yield "|---" * (len(DIALECTS) + 1) + "|"
    for column in columns:
        cells = [rows[operator, dialect][column] for dialect in DIALECTS]
        yield f"| {COLUMNS[column]} | " + " | ".join(cells) + " |"


def page():
    rows = read_rows()
    parts = [INTRODUCTION]
    for name, (operator, columns) in OPERATORS.items():
        lines = [f"## {name}", "", *table(rows, operator, columns)]
        parts.append("\n".join(lines) + "\n")
    parts.append(EXPLANATION)
    return "\n".join(parts)


def main():
    if sys.argv[1:] == ["--check"]:
        if PAGE.exists() and PAGE.read_text() == page():
            return 0
        print(f"{PAGE.name} is out of date: run docs/generate_dialects.py")
        return 1
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
