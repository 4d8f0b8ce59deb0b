"""Reads messages with kafka-python-ng's structs and writes them again, in a Python environment of its own.

Each input line is a JSON object {"name", "version", "hex"}, each output line is {"values", "hex"} or
{"error"}. With --list it prints the names and versions that it supports.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from typing import Any

RENAMED = {
    "ApiVersionRequest": "ApiVersionsRequest",
    "ApiVersionResponse": "ApiVersionsResponse",
    "GroupCoordinatorRequest": "FindCoordinatorRequest",
    "GroupCoordinatorResponse": "FindCoordinatorResponse",
    "OffsetRequest": "ListOffsetsRequest",
    "OffsetResponse": "ListOffsetsResponse",
    "SaslHandShakeRequest": "SaslHandshakeRequest",
    "SaslHandShakeResponse": "SaslHandshakeResponse",
}


def structs() -> dict[tuple[str, int], Any]:
    found = {}
    for module_name in ("admin", "commit", "fetch", "group", "metadata", "offset", "produce"):
        module = importlib.import_module(f"kafka.protocol.{module_name}")
        for name in dir(module):
            if match := re.fullmatch(r"(\w+(?:Request|Response))_v(\d+)", name):
                found[RENAMED.get(match[1], match[1]), int(match[2])] = getattr(module, name)
    return found


def plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value if not isinstance(item, dict)]  # a dict holds tagged fields
    return value.hex() if isinstance(value, bytes) else value


def read(struct: Any, data: bytes) -> dict[str, Any]:
    message = struct.decode(data)
    fields = [getattr(message, name) for name in struct.SCHEMA.names]
    return {"values": plain(fields), "hex": message.encode().hex()}


def main() -> None:
    known = structs()
    if "--list" in sys.argv:
        print(json.dumps(sorted(known)))
        return
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = read(known[asked["name"], asked["version"]], bytes.fromhex(asked["hex"]))
        except Exception as error:  # noqa: BLE001  whatever its hand-written structs raise is an answer
            answer = {"error": repr(error)}
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
