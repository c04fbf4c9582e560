"""What is compared: a framework's function, a configuration of it, a case."""

import dataclasses
from typing import Callable, Optional, Tuple

import numpy as np


@dataclasses.dataclass(frozen=True)
class Function:
    """A function of a framework that an operator in its dialect stands for.

    `call` takes a Case and returns an array, or raises what the framework
    raises.  The other fields say which cases make sense for it.
    """

    name: str
    operator: str
    call: Callable = dataclasses.field(compare=False)
    dtypes: Tuple[str, ...]
    reductions: Tuple[str, ...] = ("NONE",)
    index_dtypes: Tuple[str, ...] = ("int64", "int32")
    # Fields of ExecutionOptions beside the dialect.
    options: Tuple[Tuple[str, str], ...] = ()
    batch_dims: bool = False
    exclude_self: bool = False
    # Shapes that updates may have: "exact", "leading" or "broadcast".
    updates: str = "exact"
    # Extents of indices off the axis: "equal", "less" or "broadcast".
    off_axis: str = "less"
    indices_rank: Optional[int] = None
    # Tuples of no components: "any" indices, "vector" (rank 1 only).
    empty_tuple: str = "any"
    # The only depth of tuples that the function has.
    depth: Optional[int] = None
    # Whether batch_dims may count from the rank of indices.
    negative_batch_dims: bool = False
    # Whether data is zeros that do not travel.
    zeros: bool = False
    # What the framework does not survive: larger index magnitudes, other
    # styles of indices (see harness/values.py); `restriction` says why.
    index_limit: int = 2**63 - 1
    index_styles: Tuple[str, ...] = ("in_range", "in_range", "negative",
                                     "around", "extreme")
    empty: bool = True  # whether extents may be 0
    restriction: str = ""
    # Dtypes that only some reductions have: {reduction: dtypes}.
    reduction_dtypes: Tuple[Tuple[str, Tuple[str, ...]], ...] = ()

    @property
    def scatters(self):
        return self.operator.startswith("Scatter")

    def dtypes_for(self, reduction):
        return dict(self.reduction_dtypes).get(reduction, self.dtypes)


@dataclasses.dataclass(frozen=True)
class Configuration:
    """Everything but the values; with the seed, those too."""

    function: Function
    dtype: str
    index_dtype: str
    data_shape: Tuple[int, ...]
    indices_shape: Tuple[int, ...]
    updates_shape: Tuple[int, ...] = ()
    axis: int = 0
    batch_dims: int = 0
    reduction: str = "NONE"
    exclude_self: bool = False
    index_style: str = "in_range"
    value_style: str = "small"
    seed: int = 0

    def __str__(self):
        parts = [self.function.name, self.dtype, str(list(self.data_shape)),
                 f"{self.index_dtype}{list(self.indices_shape)}"]
        if self.function.scatters:
            parts += [str(list(self.updates_shape)), self.reduction]
        if self.function.operator not in ("GatherND", "ScatterND"):
            parts.append(f"axis={self.axis}")
        if self.batch_dims:
            parts.append(f"batch_dims={self.batch_dims}")
        if self.exclude_self:
            parts.append("exclude_self")
        return " ".join(parts + [self.index_style, self.value_style,
                                 f"seed={self.seed}"])


@dataclasses.dataclass(frozen=True)
class Case:
    """One call: a configuration with values."""

    configuration: Configuration
    data: np.ndarray
    indices: np.ndarray
    updates: Optional[np.ndarray]

    def __getattr__(self, name):
        return getattr(self.configuration, name)


@dataclasses.dataclass(frozen=True)
class Failure:
    """The answer of a framework or of the server that is an error."""

    kind: str
    message: str


@dataclasses.dataclass(frozen=True)
class Missing:
    """A framework has no kernel for the case."""

    message: str
