"""Records a framework's answers for replay_golden.py.

A file is gzipped JSON: the framework, its version and cases.  A case is the
method, the serialized request, and the framework's answer as a serialized
TensorProto, or null where it refuses.  Only answers that scatterd gives too are
recorded, apart from the payload of NaN.
"""

import base64
import gzip
import json
import os

from harness import server

_MAX_ELEMENTS = 16
_PER_KEY = 2  # for each function, reduction and type
_MAX_CASES = 420
_ALLOWED_RULES = ({"nan-payload"}, set())


def _text(message):
    return base64.b64encode(
        message.SerializeToString(deterministic=True)).decode()


class Recorder:
    """Collects cases from a Comparer."""

    def __init__(self, framework):
        self._framework = framework
        self._counts = {}
        self._cases = []

    def on_pair(self, pair, verdict):
        """Keeps the case if its kind is not there yet."""
        case = pair.case
        if verdict.outcome not in ("equal", "refused", "explained"):
            return
        if set(verdict.rules) not in _ALLOWED_RULES:
            return
        if max(case.data.size, case.indices.size) > _MAX_ELEMENTS:
            return
        if pair.they_refuse:
            key = case.function.name, case.reduction, pair.ours.kind
        elif pair.theirs.size == 0:
            key = case.function.name, "empty"
        else:
            key = case.function.name, case.reduction, case.dtype
        self._counts[key] = self._counts.get(key, 0) + 1
        if self._counts[key] <= _PER_KEY:
            self._cases.append(self._record(pair))

    def _record(self, pair):
        case = pair.case
        answer = None
        if not pair.they_refuse:
            answer = _text(server.to_tensor(pair.theirs, case.dtype))
        request = server.to_request(case, self._framework.DIALECT)
        return {"method": case.function.operator, "request": _text(request),
                "answer": answer}

    def write(self, folder):
        """Writes FOLDER/<framework>.json.gz."""
        step = max(1, -(-len(self._cases) // _MAX_CASES))
        content = json.dumps({
            "framework": self._framework.NAME,
            "version": self._framework.version(),
            "cases": self._cases[::step]}, separators=(",", ":"))
        path = os.path.join(folder, f"{self._framework.NAME}.json.gz")
        with open(path, "wb") as file:
            file.write(gzip.compress(content.encode(), 9, mtime=0))
        print(f"  recorded {len(self._cases[::step])} cases in {path}")
