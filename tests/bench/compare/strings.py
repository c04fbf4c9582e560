"""The row of strings: short ones, gathered.

scatterd moves 16-byte references to bytes that the tensors share; NumPy moves
references to Python objects; ONNX Runtime copies std::strings.
"""

import ctypes

import numpy as np
import onnx

from compare import peers_ort
from compare.buffers import Candidate
from compare.workloads import make_indices

_ONNX_STRING = 8
_ONNX_INT64 = 7
_MEAN = 9.9  # bytes of a string


class StringBuffers:
    """As Buffers, for the row of strings."""

    def __init__(self, library, row, random):
        self.library = library
        self.row = row
        count = row.data[0]
        lengths = random.poisson(_MEAN, count)
        letters = random.integers(97, 123, int(lengths.sum()),
                                  np.uint8).tobytes()
        ends = np.cumsum(lengths)
        self.values = [letters[end - length:end]
                       for end, length in zip(ends.tolist(),
                                              lengths.tolist())]
        self.data = library.new_strings(self.values)
        self.objects = np.array([value.decode() for value in self.values],
                                object)
        self.indices = library.new_tensor("i64", row.indices)
        self.indices.array[...] = make_indices(row, random)
        self.out_objects = np.empty(row.indices, object)
        self.out = library.new_empty_strings(row.indices[0])
        self.call = library.new_call("gather", self.data, self.indices,
                                     output=self.out)

    def reset(self):
        """Nothing of a gather stays."""

    def keep_expected(self):
        """Nothing: the right strings are at hand."""

    def differences(self, result=None):
        """Positions, of a sample, that differ."""
        sample = range(0, self.row.indices[0], 997)
        if result is None:
            words = np.frombuffer((ctypes.c_char * (16 * self.out.shape[0]))
                                  .from_address(self.out.address), np.uint64)
            result = {i: ctypes.string_at(int(words[2 * i]),
                                          int(words[2 * i + 1])).decode()
                      for i in sample}
        index = self.indices.array
        return np.array([i for i in sample
                         if result[i] != self.objects[index[i]]])

    def free(self):
        """Gives everything back."""
        self.call.free()
        for tensor in (self.data, self.indices, self.out):
            tensor.free()


def _ort(b, threads):
    # Python cannot bind strings, and converting them is no part of the
    # operator: the table is in the model, and a Shape stands between the
    # result and Python.  The result is a new one in every Run, from ONNX
    # Runtime's arena.
    helper = onnx.helper
    count = b.row.indices[0]
    table = helper.make_tensor("data", _ONNX_STRING, b.row.data, b.values)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["data", "indices"], ["output"], axis=0),
         helper.make_node("Shape", ["output"], ["shape"])], "strings",
        [helper.make_tensor_value_info("indices", _ONNX_INT64, (count,))],
        [helper.make_tensor_value_info("output", _ONNX_STRING, (count,)),
         helper.make_tensor_value_info("shape", _ONNX_INT64, (1,))], [table])
    session = peers_ort.session_of(graph, threads, optimise=False)
    binding = session.io_binding()
    binding.bind_input("indices", "cpu", 0, _ONNX_INT64, (count,),
                       b.indices.address)
    shape = np.zeros(1, np.int64)
    binding.bind_output("shape", "cpu", 0, _ONNX_INT64, (1,),
                        shape.ctypes.data)
    first = []

    def run():
        if not first:
            first.append(shape)  # which the binding writes to
            return session.run(["output"], {"indices": b.indices.array})[0]
        session.run_with_iobinding(binding)
        return None
    return Candidate("ort", "Gather", run, returns=True)


def candidates(buffers, threads, with_numpy):
    """The peers' calls."""
    data, index, out = (buffers.objects, buffers.indices.array,
                        buffers.out_objects)
    found = []
    if with_numpy:
        def take():
            np.take(data, index, out=out, mode="clip")
            return out
        found = [Candidate("numpy", "take", take, returns=True),
                 Candidate("numpy", "[]", lambda: data[index], returns=True)]
    return found + [_ort(buffers, threads)]
