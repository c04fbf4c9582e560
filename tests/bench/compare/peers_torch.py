"""PyTorch's calls for a row."""

import warnings

import ml_dtypes
import numpy as np
import torch

from compare.buffers import Candidate

warnings.filterwarnings("ignore", "index_reduce.* is in beta")


def use_threads(count):
    """For the calls that follow; starts them."""
    torch.set_num_threads(count)
    torch.zeros(1 << 20).add_(1)


def _view(tensor):
    array = tensor.array
    if tensor.dtype == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def as_array(result):
    """A result as NumPy sees it; others' as they are."""
    if not isinstance(result, torch.Tensor):
        return result
    if result.dtype == torch.bfloat16:
        return result.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return result.numpy()


def _candidate(name, run, **more):
    return Candidate("torch", name, run, **more)


def _gather_rows(b):
    data, out = _view(b.data), _view(b.out)
    index = torch.from_numpy(b.flat_indices)
    wide = index[:, None].expand(out.shape)
    yield _candidate("index_select",
                     lambda: torch.index_select(data, 0, index, out=out))
    yield _candidate("gather", lambda: torch.gather(data, 0, wide, out=out))
    yield _candidate("[]", lambda: data[index], returns=True)


def _gather_tuples(b):
    data, out = _view(b.data), _view(b.out)
    line, flat = data.view(-1), torch.from_numpy(b.flat_indices)
    tuples = _view(b.indices)
    yield _candidate("take(flat)", lambda: torch.take(line, flat, out=out))
    yield _candidate("index_select(flat)", lambda: torch.index_select(
        line, 0, flat, out=out))
    yield _candidate("gather(flat)",
                     lambda: torch.gather(line, 0, flat, out=out))
    yield _candidate("[flat]", lambda: line[flat], returns=True)
    yield _candidate("[tuples]", lambda: data[tuples[:, 0], tuples[:, 1]],
                     returns=True)


def _gather_batches(b):
    data, out = _view(b.data), _view(b.out)
    table, flat = data.view(-1, data.shape[-1]), torch.from_numpy(
        b.flat_indices)
    flat_out = out.view(-1, out.shape[-1])
    wide = _view(b.indices).expand(out.shape)
    yield _candidate("index_select(flat)", lambda: torch.index_select(
        table, 0, flat, out=flat_out))
    yield _candidate("gather", lambda: torch.gather(data, 1, wide, out=out))
    yield _candidate("[flat]", lambda: table[flat], returns=True)


def _gather_elements(b):
    data, index, out = _view(b.data), _view(b.indices), _view(b.out)
    axis = b.row.axis
    yield _candidate("gather",
                     lambda: torch.gather(data, axis, index, out=out))


def _from_data(b, out, scatter):
    """`scatter` after what out of place asks for."""
    if b.row.in_place:
        return scatter
    data = _view(b.data)

    def run():
        out.copy_(data)
        scatter()
    return run


_REDUCE = {"max": "amax", "mul": "prod"}


def _scatter_first_axis(b):
    out, updates = _view(b.out), _view(b.updates)
    index = torch.from_numpy(b.flat_indices)
    wide = index.view([-1] + [1] * (out.dim() - 1)).expand(updates.shape)
    reduction = b.row.reduction
    if reduction == "none":
        calls = {
            "index_copy_": lambda: out.index_copy_(0, index, updates),
            "index_put_": lambda: out.index_put_((index,), updates),
            "scatter_": lambda: out.scatter_(0, wide, updates),
        }
        if out.dim() == 1:
            calls["put_"] = lambda: out.put_(index, updates)
    elif reduction == "add":
        calls = {
            "index_add_": lambda: out.index_add_(0, index, updates),
            "scatter_add_": lambda: out.scatter_add_(0, wide, updates),
            "index_put_(accumulate)": lambda: out.index_put_(
                (index,), updates, accumulate=True),
        }
        if out.dim() == 1:
            calls["put_(accumulate)"] = lambda: out.put_(
                index, updates, accumulate=True)
    else:
        how = _REDUCE[reduction]
        calls = {
            "index_reduce_": lambda: out.index_reduce_(0, index, updates, how),
            "scatter_reduce_": lambda: out.scatter_reduce_(0, wide, updates,
                                                           how),
        }
    for name, call in calls.items():
        yield _candidate(name, _from_data(b, out, call), racy=True)


def _scatter_elements(b):
    out, index, updates = _view(b.out), _view(b.indices), _view(b.updates)
    axis, reduction = b.row.axis, b.row.reduction
    if reduction == "none":
        calls = {"scatter_": lambda: out.scatter_(axis, index, updates)}
    elif reduction == "add":
        calls = {"scatter_add_": lambda: out.scatter_add_(axis, index,
                                                          updates)}
    else:
        calls = {"scatter_reduce_": lambda: out.scatter_reduce_(
            axis, index, updates, _REDUCE[reduction])}
    for name, call in calls.items():
        yield _candidate(name, _from_data(b, out, call))


_KINDS = {
    "gather_rows": _gather_rows,
    "gather_tuples": _gather_tuples,
    "gather_batches": _gather_batches,
    "gather_elements": _gather_elements,
    "scatter_rows": _scatter_first_axis,
    "scatter_singles": _scatter_first_axis,
    "scatter_elements": _scatter_elements,
}


def candidates(buffers, threads):
    """All of its calls that do the row's."""
    found = list(_KINDS[buffers.row.kind](buffers))
    for candidate in found:
        candidate.racy = candidate.racy and threads > 1
    return found
