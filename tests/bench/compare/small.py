"""A call with eight indices: what calls cost beside their bytes."""

import time

import numpy as np
import torch

from compare import ort_c, peers_ort

_ROUNDS = 15
_DATA = 64
_INDICES = (0, 9, 18, 27, 36, 45, 54, 63)
_F32, _I64 = 1, 7


def _per_call(run, iterations):
    begin = time.perf_counter()
    for _ in range(iterations):
        run()
    return (time.perf_counter() - begin) * 1e9 / iterations


def _noop():
    """The cost of calling at all."""


def _ort(op, tensors):
    """A Run through the C interface."""
    inputs = [("data", _F32, tensors["data"]),
              ("indices", _I64, tensors["indices"])]
    attributes = {}
    if op == "ScatterND":
        inputs.append(("updates", _F32, tensors["updates"]))
        attributes["reduction"] = "add"
    output = ("result", _F32, tensors["result"])
    return ort_c.Run(peers_ort.model_of(peers_ort.graph_of(
        op, [(name, dtype, tensor.shape) for name, dtype, tensor in inputs],
        ("result", _F32, tensors["result"].shape), attributes)),
        inputs, output)


def measure(library, iterations):
    """[(op, {what: ns}, heap allocations of all our calls)]."""
    found = []
    for op, onnx_op in (("gather_nd", "GatherND"), ("scatter_nd",
                                                    "ScatterND")):
        shape = (_DATA,) if op == "scatter_nd" else (len(_INDICES),)
        tensors = {
            "data": library.new_tensor("f32", (_DATA,)),
            "indices": library.new_tensor("i64", (len(_INDICES), 1)),
            "updates": library.new_tensor("f32", (len(_INDICES),)),
            "result": library.new_tensor("f32", shape),
        }
        tensors["indices"].array[:, 0] = _INDICES
        tensors["updates"].array[:] = 1
        updates = tensors["updates"] if op == "scatter_nd" else None
        reduction = "add" if updates else "none"
        call = library.new_call(op, tensors["data"], tensors["indices"],
                                updates, reduction=reduction)
        data, index = tensors["data"].array, tensors["indices"].array[:, 0]
        index = np.ascontiguousarray(index)
        slots = torch.from_numpy(data), torch.from_numpy(index)
        moved = tensors["updates"].array
        if updates:
            peers = {
                "numpy": lambda d=data, i=index, u=moved: np.add.at(d, i, u),
                "torch": lambda s=slots, u=torch.from_numpy(moved):
                    s[0].index_add_(0, s[1], u)}
        else:
            peers = {"numpy": lambda d=data, i=index: d[i],
                     "torch": lambda s=slots:
                         torch.index_select(s[0], 0, s[1])}
        ort_run = _ort(onnx_op, tensors)
        samples, heap = {}, 0
        for threads in library.pools:
            call.repeat(threads, True, iterations // 10)
        for _ in range(_ROUNDS):
            for threads in library.pools:
                for plan in (False, True):
                    ns, allocations = call.repeat(threads, plan, iterations)
                    what = "plan+run" if plan else "run"
                    samples.setdefault(f"{what} {threads}T", []).append(ns)
                    heap += allocations
            overhead = _per_call(_noop, iterations // 10)
            samples.setdefault("ort", []).append(
                ort_run.per_call(library, iterations // 10))
            for name, run in peers.items():
                ns = _per_call(run, iterations // 20)
                samples.setdefault(name, []).append(ns - overhead)
        # The least: what disturbs so short a loop only ever adds.
        found.append((op, {name: min(of) for name, of in samples.items()},
                      heap))
        call.free()
        for tensor in tensors.values():
            tensor.free()
    return found
