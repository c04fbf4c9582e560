"""scatterd's CPU backend through tests/bench/capi.cc."""

import ctypes
import math

import ml_dtypes
import numpy as np

# name: (ONNX's number, NumPy's dtype)
DTYPES = {
    "f32": (1, np.float32),
    "u8": (2, np.uint8),
    "i64": (7, np.int64),
    "bool": (9, np.bool_),
    "f16": (10, np.float16),
    "f64": (11, np.float64),
    "c64": (14, np.complex64),
    "bf16": (16, ml_dtypes.bfloat16),
}

_ONNX_STRING = 8

_P = ctypes.c_void_p
_I64 = ctypes.c_int64
_INT = ctypes.c_int
_TEXT = ctypes.c_char_p
_SIGNATURES = {
    "error": (_TEXT, []),
    "pool": (_P, [_INT]),
    "tensor": (_P, [_I64, _P, _INT]),
    "strings": (_P, [_TEXT, _P, _I64]),
    "bytes": (_P, [_P]),
    "free_tensor": (None, [_P]),
    "call": (_P, [_TEXT, _P, _P, _P, _I64, _I64, _TEXT, _P]),
    "free_call": (None, [_P]),
    "run": (_INT, [_P, _P]),
    "repeat": (_INT, [_P, _P, _INT, _I64, _P, _P]),
    "copy": (None, [_P, _P, _P, _I64]),
    "time": (ctypes.c_double, [_P, _P, _I64]),
    "equal": (_INT, [_P, _P, _I64]),
}


class Tensor:
    """A tensor of the library; `array` is its memory as NumPy sees it."""

    def __init__(self, library, handle, dtype, shape):
        self._library = library
        self.handle = handle
        self.dtype = dtype
        self.shape = tuple(shape)
        self.array = None
        self.address = library.bytes(handle)
        if dtype != "string":
            numpy_type = np.dtype(DTYPES[dtype][1])
            self.nbytes = math.prod(self.shape) * numpy_type.itemsize
            raw = (ctypes.c_char * self.nbytes).from_address(self.address)
            self.array = np.frombuffer(raw, np.uint8).view(numpy_type)
            self.array = self.array.reshape(self.shape)

    def free(self):
        """Gives the memory back: nobody may look at `array` any more."""
        self.array = None
        self._library.free_tensor(self.handle)


class Call:
    """A planned call on fixed tensors."""

    def __init__(self, library, handle):
        self._library = library
        self._handle = handle

    def run(self, threads):
        """Runs it with that many threads."""
        library = self._library
        if library.run(self._handle, library.pools[threads]):
            library.fail()

    def repeat(self, threads, plan, iterations):
        """Nanoseconds of one run, and heap allocations of all."""
        library = self._library
        nanoseconds, heap = ctypes.c_double(), _I64()
        if library.repeat(self._handle, library.pools[threads], int(plan),
                          iterations, ctypes.byref(nanoseconds),
                          ctypes.byref(heap)):
            library.fail()
        return nanoseconds.value, heap.value

    def free(self):
        """Ends its life."""
        self._library.free_call(self._handle)


class Library:
    """The shared library, and a pool for each number of threads.

    Make it before anything pins this process or loads an OpenMP: its pools
    look at the CPUs that they may use.
    """

    def __init__(self, path, threads):
        loaded = ctypes.CDLL(path)
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(loaded, "scatterd_bench_" + name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)
        self.pools = {count: self.pool(count) for count in threads}

    def fail(self):
        """Raises what the last call that failed said."""
        raise RuntimeError(self.error().decode())

    def new_tensor(self, dtype, shape):
        """Zeros."""
        dims = (_I64 * len(shape))(*shape)
        handle = self.tensor(DTYPES[dtype][0], dims, len(shape))
        if not handle:
            self.fail()
        return Tensor(self, handle, dtype, shape)

    def new_strings(self, values):
        """A 1-D tensor of byte strings."""
        offsets = np.zeros(len(values) + 1, np.int64)
        np.cumsum([len(value) for value in values], out=offsets[1:])
        handle = self.strings(b"".join(values), offsets.ctypes.data,
                              len(values))
        if not handle:
            self.fail()
        return Tensor(self, handle, "string", (len(values),))

    def new_empty_strings(self, count):
        """A 1-D tensor of empty strings."""
        handle = self.tensor(_ONNX_STRING, (_I64 * 1)(count), 1)
        if not handle:
            self.fail()
        return Tensor(self, handle, "string", (count,))

    def new_call(self, op, data, indices, updates=None, output=None, axis=0,
                 batch_dims=0, reduction="none"):
        """Plans a call.  output == data: in place; None: a new tensor."""
        handle = self.call(op.encode(), data.handle, indices.handle,
                           updates.handle if updates else None, axis,
                           batch_dims, reduction.encode(),
                           output.handle if output else None)
        if not handle:
            self.fail()
        return Call(self, handle)
