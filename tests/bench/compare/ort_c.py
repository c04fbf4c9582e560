"""ONNX Runtime through its C interface: for calls so small that Python's
layers would be most of their time."""

import ctypes
from pathlib import Path

import onnxruntime

# Places in struct OrtApi, which only grows at its end.
_VERSION = 16
_GET_ERROR_MESSAGE = 2
_CREATE_ENV = 3
_CREATE_SESSION_FROM_ARRAY = 8
_RUN = 9
_CREATE_SESSION_OPTIONS = 10
_SET_INTRA_OP_NUM_THREADS = 24
_CREATE_TENSOR_WITH_DATA = 49
_CREATE_CPU_MEMORY_INFO = 69

_P = ctypes.c_void_p
_SIZE = ctypes.c_size_t
_ERRORS_ONLY = 3  # logging level
_ARENA_ALLOCATOR = 1


class _Api:
    """The functions; each call raises what a status says."""

    def __init__(self):
        folder = Path(onnxruntime.__file__).parent / "capi"
        library = ctypes.CDLL(str(next(folder.glob("libonnxruntime.so*"))))
        library.OrtGetApiBase.restype = _P
        base = ctypes.cast(library.OrtGetApiBase(), ctypes.POINTER(_P))
        get_api = ctypes.CFUNCTYPE(_P, ctypes.c_uint32)(base[0])
        self._functions = ctypes.cast(get_api(_VERSION), ctypes.POINTER(_P))

    def address(self, place):
        """Of a function."""
        return self._functions[place]

    def make(self, place, *arguments):
        """Calls a function whose last argument is what it makes."""
        made = _P()
        self.call(place, *arguments, ctypes.byref(made))
        return made

    def call(self, place, *arguments):
        """Calls a function."""
        function = ctypes.CFUNCTYPE(_P)(self.address(place))
        function.argtypes = None
        status = function(*arguments)
        if status:
            message = ctypes.CFUNCTYPE(ctypes.c_char_p, _P)(
                self.address(_GET_ERROR_MESSAGE))
            raise RuntimeError(message(status).decode())


class Run:
    """A Run of a model on fixed tensors, with one thread.  It and what it
    needs live until the process ends."""

    def __init__(self, model, inputs, output):
        api = _Api()
        environment = api.make(_CREATE_ENV, _ERRORS_ONLY, b"compare")
        options = api.make(_CREATE_SESSION_OPTIONS)
        api.call(_SET_INTRA_OP_NUM_THREADS, options, 1)
        session = api.make(_CREATE_SESSION_FROM_ARRAY, environment, model,
                           _SIZE(len(model)), options)
        memory = api.make(_CREATE_CPU_MEMORY_INFO, _ARENA_ALLOCATOR, 0)
        values = []
        for _, dtype, tensor in (*inputs, output):
            dims = (ctypes.c_int64 * len(tensor.shape))(*tensor.shape)
            values.append(api.make(
                _CREATE_TENSOR_WITH_DATA, memory, _P(tensor.address),
                _SIZE(tensor.nbytes), dims, _SIZE(len(dims)), dtype).value)
        count = len(inputs)
        names = (ctypes.c_char_p * count)(*(v[0].encode() for v in inputs))
        result = (ctypes.c_char_p * 1)(output[0].encode())
        given = (_P * count)(*values[:-1])
        taken = (_P * 1)(values[-1])
        self._kept = (model, names, result, given, taken)
        self._function = api.address(_RUN)
        self._arguments = (_P * 8)(
            session.value, None, ctypes.addressof(names),
            ctypes.addressof(given), count, ctypes.addressof(result), 1,
            ctypes.addressof(taken))

    def per_call(self, library, iterations):
        """Nanoseconds."""
        nanoseconds = library.time(self._function, self._arguments, iterations)
        if nanoseconds < 0:
            raise RuntimeError("ONNX Runtime's Run failed")
        return nanoseconds
