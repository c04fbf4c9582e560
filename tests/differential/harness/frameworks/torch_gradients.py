"""PyTorch's autograd of the functions in torch_functions."""

import dataclasses

import torch

from harness.frameworks import torch_functions


def _gradient(forward):
    def call(case, grad_output):
        data, indices, updates = torch_functions.tensors(case)
        leaves = [data.requires_grad_()]
        if updates is not None:
            leaves.append(updates.requires_grad_())
        output = forward(case, data, indices, updates)
        found = torch.autograd.grad(output, leaves,
                                    torch.from_numpy(grad_output),
                                    allow_unused=True)
        return tuple(torch.zeros_like(leaf).detach().numpy()
                     if grad is None else grad.numpy()
                     for grad, leaf in zip(found, leaves))
    return call


def _functions():
    forwards = {
        "index_select": torch_functions.index_select,
        "gather": torch_functions.gather,
        "x[i]": torch_functions.get,
        "scatter": torch_functions.scatter,
        "scatter_reduce": torch_functions.scatter_reduce,
        "index_put": torch_functions.index_put,
        "index_add": torch_functions.index_add,
        "index_reduce": torch_functions.index_reduce,
    }
    for function in torch_functions.FUNCTIONS:
        yield dataclasses.replace(
            function, call=_gradient(forwards[function.name]),
            dtypes=("DOUBLE",), reduction_dtypes=(), updates="exact",
            index_styles=("in_range", "in_range", "negative"))


FUNCTIONS = tuple(_functions())
