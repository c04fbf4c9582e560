"""Gathers rows of a matrix through scatterd, with plain grpcio and NumPy.

Usage: gather_nd.py [address]        default: localhost:50051

Needs the modules that protoc generates from the .proto files; README.md shows
the command.
"""

import sys

import grpc
import numpy as np

from scatterd.v1 import operators_pb2, operators_pb2_grpc, tensor_pb2

DATA_TYPES = {
    np.dtype("float32"): tensor_pb2.DATA_TYPE_FLOAT,
    np.dtype("int64"): tensor_pb2.DATA_TYPE_INT64,
}

# Python's gRPC refuses replies over 4 MB unless told otherwise.
CHANNEL_OPTIONS = [("grpc.max_receive_message_length", -1)]


def to_operand(array):
    """A NumPy array as an operand of a request."""
    return operators_pb2.Operand(
        tensor=tensor_pb2.TensorProto(
            dims=array.shape,
            data_type=DATA_TYPES[array.dtype],
            raw_data=array.tobytes(),
        )
    )


def to_array(tensor):
    """A reply's tensor as a NumPy array."""
    dtype = {v: k for k, v in DATA_TYPES.items()}[tensor.data_type]
    return np.frombuffer(tensor.raw_data, dtype).reshape(tensor.dims)


def main():
    address = sys.argv[1] if len(sys.argv) > 1 else "localhost:50051"
    with grpc.insecure_channel(address, CHANNEL_OPTIONS) as channel:
        tensor_ops = operators_pb2_grpc.TensorOpsStub(channel)
        response = tensor_ops.GatherND(
            operators_pb2.GatherNDRequest(
                data=to_operand(np.array([[1, 2], [3, 4]], np.float32)),
                indices=to_operand(np.array([[1], [0]], np.int64)),
            ),
            timeout=10,
        )
    print(to_array(response.output))


if __name__ == "__main__":
    main()
