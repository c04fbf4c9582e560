"""Element types: the wire's names as NumPy's types.

STRING is an array of Python bytes (dtype object).  Frameworks that lack a type
leave it out of their functions' lists.
"""

import ml_dtypes
import numpy as np

_TYPES = {
    "FLOAT": np.float32,
    "UINT8": np.uint8,
    "INT8": np.int8,
    "UINT16": np.uint16,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "STRING": object,
    "BOOL": np.bool_,
    "FLOAT16": np.float16,
    "DOUBLE": np.float64,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "COMPLEX64": np.complex64,
    "COMPLEX128": np.complex128,
    "BFLOAT16": ml_dtypes.bfloat16,
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "FLOAT8E8M0": ml_dtypes.float8_e8m0fnu,
}
NUMPY = {name: np.dtype(numpy_type) for name, numpy_type in _TYPES.items()}

SIGNED = ("INT8", "INT16", "INT32", "INT64")
UNSIGNED = ("UINT8", "UINT16", "UINT32", "UINT64")
INTEGERS = SIGNED + UNSIGNED
HALVES = ("FLOAT16", "BFLOAT16")
FLOATS = ("FLOAT", "DOUBLE")
COMPLEX = ("COMPLEX64", "COMPLEX128")
REALS = INTEGERS + HALVES + FLOATS
NUMBERS = REALS + COMPLEX
FLOAT8 = ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
          "FLOAT8E8M0")

# The parts of a complex number.
PART = {"COMPLEX64": "FLOAT", "COMPLEX128": "DOUBLE"}


def floating(name):
    """Whether the type has NaN and signed zeros in its arithmetic."""
    return name in HALVES or name in FLOATS or name in COMPLEX


def same(theirs, ours, name):
    """Whether two arrays are equal; the bits of a NaN do not matter."""
    if theirs.shape != ours.shape:
        return False
    theirs, ours = parts(theirs, name), parts(ours, name)
    return bool(np.all((theirs == ours) | both_nan(theirs, ours)))


def both_nan(theirs, ours):
    """Where both are NaN."""
    with np.errstate(invalid="ignore"):
        return (theirs != theirs) & (ours != ours)


def parts(array, name):
    """The components as an array of the real type, last axis re and im."""
    if name not in PART:
        return array
    pairs = np.asarray(array, order="C").reshape(array.shape + (1,))
    return pairs.view(NUMPY[PART[name]])


def bits(array, name):
    """What is stored, as unsigned integers (bytes objects for STRING)."""
    array = parts(array, name)
    if name == "STRING":
        return array
    return np.asarray(array, order="C").view(f"u{array.dtype.itemsize}")
