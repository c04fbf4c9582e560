"""NumPy's calls for a row."""

import numpy as np

from compare.buffers import Candidate


def _candidate(name, run, **more):
    return Candidate("numpy", name, run, **more)


def _gather_rows(b):
    data, index, out = b.data.array, b.flat_indices, b.out.array
    yield _candidate("take", lambda: np.take(data, index, axis=0, out=out,
                                             mode="clip"))
    yield _candidate("[]", lambda: data[index], returns=True)


def _gather_tuples(b):
    data, flat, out = b.data.array.reshape(-1), b.flat_indices, b.out.array
    table, tuples = b.data.array, b.indices.array
    yield _candidate("take(flat)", lambda: np.take(data, flat, out=out,
                                                   mode="clip"))
    yield _candidate("[flat]", lambda: data[flat], returns=True)
    yield _candidate("[tuples]", lambda: table[tuples[:, 0], tuples[:, 1]],
                     returns=True)


def _gather_batches(b):
    data, flat = b.data.array.reshape(-1, b.data.shape[-1]), b.flat_indices
    out = b.out.array.reshape(-1, b.out.shape[-1])
    yield _candidate("take(flat)", lambda: np.take(data, flat, axis=0,
                                                   out=out, mode="clip"))
    yield _candidate("[flat]", lambda: data[flat], returns=True)


def _gather_elements(b):
    data, index, axis = b.data.array, b.indices.array, b.row.axis
    yield _candidate("take_along_axis", lambda: np.take_along_axis(
        data, index, axis), returns=True)


_UFUNCS = {"add": np.add, "max": np.maximum, "mul": np.multiply}


def _from_data(b, scatter):
    """`scatter` after what out of place asks for."""
    if b.row.in_place:
        return scatter
    data, out = b.data.array, b.out.array

    def run():
        np.copyto(out, data)
        scatter()
    return run


def _scatter_first_axis(b):
    out, index, updates = b.out.array, b.flat_indices, b.updates.array

    def assign():
        out[index] = updates
    reduction = b.row.reduction
    if reduction == "none":
        yield _candidate("[]=", _from_data(b, assign))
        return
    ufunc = _UFUNCS[reduction]
    yield _candidate(f"{ufunc.__name__}.at", _from_data(
        b, lambda: ufunc.at(out, index, updates)))
    if reduction == "add" and out.ndim == 1:
        size = out.size
        yield _candidate("bincount", _from_data(b, lambda: np.add(
            out, np.bincount(index, updates, size), out=out,
            casting="unsafe")))


def _scatter_elements(b):
    out, index, updates = b.out.array, b.indices.array, b.updates.array
    axis = b.row.axis
    if b.row.reduction == "none":
        yield _candidate("put_along_axis", _from_data(
            b, lambda: np.put_along_axis(out, index, updates, axis)))
        return
    ufunc = _UFUNCS[b.row.reduction]
    place = list(np.ogrid[tuple(map(slice, index.shape))])
    place[axis] = index
    place = tuple(place)
    yield _candidate(f"{ufunc.__name__}.at", _from_data(
        b, lambda: ufunc.at(out, place, updates)))


_KINDS = {
    "gather_rows": _gather_rows,
    "gather_tuples": _gather_tuples,
    "gather_batches": _gather_batches,
    "gather_elements": _gather_elements,
    "scatter_rows": _scatter_first_axis,
    "scatter_singles": _scatter_first_axis,
    "scatter_elements": _scatter_elements,
}


def candidates(buffers, _threads):
    """All of its calls that do the row's.  Always one thread."""
    return list(_KINDS[buffers.row.kind](buffers))
