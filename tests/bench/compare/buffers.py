"""The memory of a row, lent to scatterd and to all peers."""

import dataclasses
import math
from typing import Callable

import numpy as np

from compare import workloads


@dataclasses.dataclass
class Candidate:
    """One way of a peer to do a row's call."""
    library: str  # "numpy", "torch", "ort"
    name: str
    run: Callable
    # Concurrent writes: which of several updates stays, or with a reduction
    # whether all of them count, is left to chance.
    racy: bool = False
    # Returns its result instead of writing it to the output.
    returns: bool = False

    @property
    def label(self):
        """As targets name it."""
        return f"{self.library}:{self.name}"


class Buffers:
    """data, indices, updates (scatters) and out: tensors of the library.

    A scatter in place works on `out`, which `reset` fills with data.
    """

    def __init__(self, library, row, random):
        self.library = library
        self.row = row
        self.data = library.new_tensor(row.dtype, row.data)
        workloads.fill(self.data.array, random, row.reduction == "mul")
        self.indices = library.new_tensor("i64", row.indices)
        self.indices.array[...] = workloads.make_indices(row, random)
        self.updates = None
        if row.is_scatter:
            self.updates = library.new_tensor(row.dtype, row.result)
            workloads.fill(self.updates.array, random, row.reduction == "mul")
        self.out = library.new_tensor(row.dtype, row.output)
        self.expected = library.new_tensor(row.dtype, row.output)
        source = self.out if row.in_place else self.data
        self.call = library.new_call(
            row.op, source, self.indices, self.updates, self.out,
            axis=row.axis, batch_dims=row.batch_dims, reduction=row.reduction)
        self.flat_indices = self._flatten()
        self._duplicated = None

    def _flatten(self):
        """What a caller of a library without index tuples computes first
        (not timed)."""
        row, indices = self.row, self.indices.array
        if row.kind == "gather_tuples":
            return indices[:, 0] * row.data[1] + indices[:, 1]
        if row.kind == "gather_batches":
            first = np.arange(row.data[0])[:, None] * row.data[1]
            return (indices[..., 0] + first).reshape(-1)
        return np.ascontiguousarray(indices.reshape(-1))

    def reset(self):
        """Before a run whose result counts."""
        target, pools = self.out, self.library.pools
        if self.row.in_place:
            self.library.copy(pools[1], target.address, self.data.address,
                              target.nbytes)
        else:
            # A little here and there: who does not write it is found out.
            target.array.reshape(-1).view(np.uint8)[::4099] ^= 1

    def keep_expected(self):
        """Remembers `out` as the right result."""
        self.library.copy(self.library.pools[1], self.expected.address,
                          self.out.address, self.out.nbytes)

    def differences(self, result=None):
        """Flat positions where `result` (None: out) is not as expected."""
        wanted = self.expected
        if result is None:
            if self.library.equal(self.out.address, wanted.address,
                                  wanted.nbytes):
                return np.zeros(0, np.int64)
            result = self.out.array
        bits = f"u{wanted.array.itemsize}"
        if bits == "u16":  # complex128
            bits = "u8"
        result = np.ascontiguousarray(result).astype(
            wanted.array.dtype, copy=False).reshape(-1).view(bits)
        return np.flatnonzero(result != wanted.array.reshape(-1).view(bits))

    def close_enough(self, where, result=None):
        """Whether sums there differ by rounding only."""
        result = self.out.array if result is None else result
        got = np.asarray(result).reshape(-1)[where].astype(np.complex128)
        want = self.expected.array.reshape(-1)[where].astype(np.complex128)
        loose = self.row.dtype in ("f16", "bf16")
        return np.allclose(got, want, rtol=2e-2 if loose else 1e-4,
                           atol=1e-2 if loose else 1e-3)

    def all_duplicated(self, where):
        """Whether more than one update went to each of these positions."""
        if self._duplicated is None:
            row = self.row
            if row.kind == "scatter_elements":
                axis = np.moveaxis(self.indices.array, row.axis, -1)
                lines = axis.reshape(-1, axis.shape[-1])
                size = row.data[row.axis]
                keys = lines + np.arange(len(lines))[:, None] * size
                counts = np.bincount(keys.reshape(-1),
                                     minlength=len(lines) * size)
                shape = axis.shape[:-1] + (size,)
                counts = np.moveaxis(counts.reshape(shape), -1, row.axis)
                where_counted = tuple(map(slice, counts.shape))
                full = np.zeros(row.data, bool)
                full[where_counted] = counts > 1
                self._duplicated = full.reshape(-1)
            else:
                counts = np.bincount(self.flat_indices, minlength=row.data[0])
                self._duplicated = np.repeat(
                    counts > 1, math.prod(row.data[1:]))
        return bool(self._duplicated[where].all())

    def free(self):
        """Gives everything back."""
        self.call.free()
        for tensor in (self.data, self.indices, self.updates, self.out,
                       self.expected):
            if tensor is not None:
                tensor.free()
