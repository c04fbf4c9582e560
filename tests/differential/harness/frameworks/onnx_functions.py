"""ONNX's own reference evaluator."""

import functools

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from harness.frameworks import onnx_models

NAME = "onnx"
DIALECT = "ONNX"


def version():
    return onnx.__version__


def missing(error):
    # NumPy's ufuncs, of which the reference is made, lack some types.
    return "UFunc" in type(error.__cause__ or error).__name__


@functools.lru_cache(maxsize=None)
def _evaluator(key):
    return ReferenceEvaluator(onnx_models.model(key))


def _call(case):
    evaluator = _evaluator(onnx_models.key(case))
    with np.errstate(all="ignore"):
        return evaluator.run(None, onnx_models.feeds(case))[0]


FUNCTIONS = onnx_models.functions(
    _call, index_limit=1000,
    restriction="numpy.choose adds the extent to an index until it fits, "
    "which takes for ever for large ones")
