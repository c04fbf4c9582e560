"""TensorFlow's eager operators on the CPU."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

# pylint: disable=wrong-import-position
import numpy as np
import tensorflow as tf

from harness import dtypes
from harness.case import Function

NAME = "tensorflow"
DIALECT = "TENSORFLOW"

_ALL = tuple(name for name in dtypes.NUMPY if name != "FLOAT8E8M0")
_SCATTER = dtypes.NUMBERS + ("BOOL", "STRING")
_SCATTERS = {
    "NONE": tf.tensor_scatter_nd_update,
    "ADD": tf.tensor_scatter_nd_add,
    "SUB": tf.tensor_scatter_nd_sub,
    "MAX": tf.tensor_scatter_nd_max,
    "MIN": tf.tensor_scatter_nd_min,
}


def version():
    return tf.__version__


def missing(error):
    text = str(error)
    return ("Could not find device for node" in text or
            "not in the list of allowed values" in text or
            "is not supported" in text and "dtype" in text or
            isinstance(error, tf.errors.UnimplementedError))


def _answer(tensor):
    return tensor.numpy()


def _gather(case):
    # Axis 0 stands for the default here, which is batch_dims.
    return _answer(tf.gather(case.data, case.indices, axis=case.axis or None,
                             batch_dims=case.batch_dims))


def _gather_nd(case):
    return _answer(tf.gather_nd(case.data, case.indices, case.batch_dims))


def _tensor_scatter_nd(case):
    return _answer(_SCATTERS[case.reduction](case.data, case.indices,
                                             case.updates))


def _scatter_nd(case):
    shape = np.array(case.data_shape, case.index_dtype)
    return _answer(tf.scatter_nd(case.indices, case.updates, shape))


FUNCTIONS = (
    Function("tf.gather", "Gather", _gather, _ALL, batch_dims=True,
             negative_batch_dims=True),
    Function("tf.gather_nd", "GatherND", _gather_nd, _ALL, batch_dims=True),
    Function("tf.tensor_scatter_nd_*", "ScatterND", _tensor_scatter_nd,
             _SCATTER, reductions=tuple(_SCATTERS),
             reduction_dtypes=(("MAX", dtypes.REALS), ("MIN", dtypes.REALS),
                               ("SUB", dtypes.NUMBERS))),
    Function("tf.scatter_nd", "ScatterND", _scatter_nd, _SCATTER,
             reductions=("ADD",), zeros=True),
)
