#!/usr/bin/env python3
"""Replays the recorded answers of the frameworks (golden/*.json.gz).

Usage: replay_golden.py ADDRESS STUBS

STUBS is the folder that make_stubs.sh filled.  Needs no framework: grpcio,
protobuf and NumPy.  Exit status: 0 every answer is the recorded one.
"""

import base64
import glob
import gzip
import json
import os
import sys

import grpc
import numpy as np

_TIMEOUT = 60
_REFUSALS = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE)
# DataType's numbers of the floating types: how to find their NaN.
_FLOATS = {1: "f4", 10: "f2", 11: "f8", 14: "f4", 15: "f8"}
_BFLOAT16 = 16


def _is_nan(raw, data_type):
    """The elements' bits, and which of them are NaN."""
    if data_type in _FLOATS:
        elements = np.frombuffer(raw, _FLOATS[data_type])
        return elements.view(f"u{elements.itemsize}"), np.isnan(elements)
    if data_type == _BFLOAT16:
        bits = np.frombuffer(raw, "u2")
        return bits, (bits & 0x7FFF) > 0x7F80
    bits = np.frombuffer(raw, "u1")
    return bits, np.zeros(bits.shape, bool)


def _same(got, wanted, moves):
    if (list(got.dims), got.data_type) != (list(wanted.dims),
                                           wanted.data_type):
        return False
    if list(got.string_data) != list(wanted.string_data):
        return False
    if moves or got.raw_data == wanted.raw_data:
        return got.raw_data == wanted.raw_data
    got_bits, got_nan = _is_nan(got.raw_data, got.data_type)
    wanted_bits, wanted_nan = _is_nan(wanted.raw_data, wanted.data_type)
    return (got_bits.shape == wanted_bits.shape and
            bool(np.all((got_bits == wanted_bits) | (got_nan & wanted_nan))))


def _check(stub, pb, tensor_pb2, case):
    """What is wrong with the answer to a case; None if nothing."""
    request = getattr(pb, case["method"] + "Request").FromString(
        base64.b64decode(case["request"]))
    try:
        got = getattr(stub, case["method"])(request, timeout=_TIMEOUT).output
    except grpc.RpcError as error:
        if error.code() in _REFUSALS and case["answer"] is None:
            return None
        return f"{error.code().name}: {error.details()}"
    if case["answer"] is None:
        return "an answer where the framework refuses"
    wanted = tensor_pb2.TensorProto.FromString(
        base64.b64decode(case["answer"]))
    moves = getattr(request, "reduction", 1) <= pb.REDUCTION_NONE
    if _same(got, wanted, moves):
        return None
    return f"got {got}\nwanted {wanted}"


def main():
    address, stubs = sys.argv[1:]
    sys.path.insert(0, stubs)
    # pylint: disable=import-outside-toplevel,import-error
    from scatterd.v1 import operators_pb2 as pb
    from scatterd.v1 import operators_pb2_grpc, tensor_pb2

    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
    wrong = total = 0
    with grpc.insecure_channel(address) as channel:
        stub = operators_pb2_grpc.TensorOpsStub(channel)
        for path in sorted(glob.glob(os.path.join(folder, "*.json.gz"))):
            with gzip.open(path) as file:
                recorded = json.load(file)
            for number, case in enumerate(recorded["cases"]):
                problem = _check(stub, pb, tensor_pb2, case)
                total += 1
                if problem:
                    wrong += 1
                    print(f"WRONG {recorded['framework']} case {number}, "
                          f"{case['method']}: {problem}")
            print(f"{recorded['framework']} {recorded['version']}: "
                  f"{len(recorded['cases'])} answers")
    print(f"{total - wrong} right, {wrong} wrong")
    return 0 if total and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
