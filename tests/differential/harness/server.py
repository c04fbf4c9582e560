"""The server under test: its requests and its answers."""

import grpc
import numpy as np
from scatterd.v1 import operators_pb2 as pb
from scatterd.v1 import operators_pb2_grpc
from scatterd.v1 import tensor_pb2

from harness import case as cases
from harness import dtypes

_TIMEOUT = 1200  # seconds for one call; never reached by a healthy server
_CHANNEL = [("grpc.max_receive_message_length", -1)]
_NUMBERS = {name: tensor_pb2.DataType.Value(f"DATA_TYPE_{name}")
            for name in dtypes.NUMPY}
_NAMES = {number: name for name, number in _NUMBERS.items()}
# What a server may answer to a wrong request.
REFUSALS = ("INVALID_ARGUMENT", "OUT_OF_RANGE")


def to_tensor(array, dtype):
    """A tensor message."""
    tensor = tensor_pb2.TensorProto(dims=array.shape,
                                    data_type=_NUMBERS[dtype])
    if dtype == "STRING":
        tensor.string_data.extend(array.ravel().tolist())
    else:
        tensor.raw_data = array.tobytes()
    return tensor


def to_array(tensor):
    """A tensor message as an array, and the name of its type."""
    name = _NAMES[tensor.data_type]
    if name == "STRING":
        array = np.empty(len(tensor.string_data), object)
        array[:] = list(tensor.string_data)
    else:
        array = np.frombuffer(tensor.raw_data, dtypes.NUMPY[name])
    return array.reshape(tuple(tensor.dims)), name


def to_operand(array, dtype):
    """An operand that travels in the request."""
    return pb.Operand(tensor=to_tensor(array, dtype))


def _data(case):
    if case.function.zeros:
        return pb.Operand(zeros=tensor_pb2.TensorSpec(
            data_type=_NUMBERS[case.dtype], dims=case.data_shape))
    return to_operand(case.data, case.dtype)


_REQUESTS = {
    "Gather": (pb.GatherRequest, ("axis", "batch_dims")),
    "GatherElements": (pb.GatherElementsRequest, ("axis",)),
    "GatherND": (pb.GatherNDRequest, ("batch_dims",)),
    "ScatterElements": (pb.ScatterElementsRequest, ("axis", "exclude_self")),
    "ScatterND": (pb.ScatterNDRequest, ("batch_dims", "exclude_self")),
}


def to_request(case, dialect, **options):
    """The operator's request for a case."""
    message, attributes = _REQUESTS[case.function.operator]
    fields = {name: getattr(case, name) for name in attributes}
    if case.function.scatters:
        fields["updates"] = to_operand(case.updates, case.dtype)
        fields["reduction"] = f"REDUCTION_{case.reduction}"
    options = {"dialect": f"DIALECT_{dialect}", **dict(case.function.options),
               **options}
    return message(data=_data(case),
                   indices=to_operand(case.indices, case.index_dtype.upper()),
                   options=pb.ExecutionOptions(**options), **fields)


class Client:
    """Calls of a server, several in flight."""

    def __init__(self, address):
        self._channel = grpc.insecure_channel(address, _CHANNEL)
        self._stub = operators_pb2_grpc.TensorOpsStub(self._channel)

    def send(self, case, dialect, **options):
        """Starts a call; what it returns is for `receive`."""
        method = getattr(self._stub, case.function.operator)
        return method.future(to_request(case, dialect, **options),
                             timeout=_TIMEOUT)

    def send_gradient(self, request):
        return self._stub.Gradient.future(request, timeout=_TIMEOUT)

    def receive(self, call):
        """The answer's output, or a Failure."""
        try:
            return to_array(call.result().output)
        except grpc.RpcError as error:
            return cases.Failure(error.code().name, error.details())

    def receive_gradient(self, call):
        """grad_data and grad_updates (None for gathers), or a Failure."""
        try:
            answer = call.result()
        except grpc.RpcError as error:
            return cases.Failure(error.code().name, error.details())
        updates = None
        if answer.HasField("grad_updates"):
            updates = to_array(answer.grad_updates)[0]
        return to_array(answer.grad_data)[0], updates

    def close(self):
        self._channel.close()
