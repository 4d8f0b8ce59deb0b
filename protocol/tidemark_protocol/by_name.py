"""Messages by name: slow, but convenient.

Dicts have the form of `tests/golden/vectors.jsonl`: the schema's field names, bytes and records as hex, uuids
with dashes, null as None.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from tidemark_protocol.index import MODULES
from tidemark_protocol.wire import WireError


@cache
def message_class(name: str) -> Any:
    """Return the class of a message such as "OffsetCommitRequest". Raises KeyError for an unknown name."""
    return getattr(importlib.import_module(MODULES[name]), name)


def decode(name: str, version: int, data: bytes | bytearray | memoryview) -> Any:
    """Return the object in data, a message without its header. Bytes after it are ignored, as in Kafka.

    Raises WireError for invalid bytes and for an unknown version.
    """
    decoders = message_class(name).DECODERS
    if version not in decoders:
        raise WireError(f"{name} has no version {version}")
    body = bytes(data)
    message, _ = decoders[version](body, 0, len(body))
    return message


def encode(name: str, version: int, message: Any) -> bytes:
    """Return the bytes of the message in that version, without the fields that the version does not have.

    Raises WireError if a field is null that may not be, and for an unknown version.
    """
    encoders = message_class(name).ENCODERS
    if version not in encoders:
        raise WireError(f"{name} has no version {version}")
    out = bytearray()
    encoders[version](out, message)
    return bytes(out)


def to_dict(message: Any) -> dict[str, Any]:
    """Return every field of every version by its schema name, as a dict for JSON."""
    return {
        name: _to_json(getattr(message, attribute), kind, inner)
        for name, attribute, kind, inner in message.FIELDS
    }


def from_dict(name: str, value: dict[str, Any]) -> Any:
    """Return the object of a `to_dict` value. Missing fields get defaults. Raises WireError for unknown
    names.
    """
    return _build(message_class(name), value)


def _to_json(value: Any, kind: str, inner: Any) -> Any:
    if value is None:
        # A tagged struct with default values only is stored as None, but written out in JSON.
        return to_dict(inner()) if kind == "tagged struct" else None
    if kind.startswith("[]"):
        return [_to_json(item, kind[2:], inner) for item in value]
    if inner is not None:
        return to_dict(value)
    if kind == "uuid":
        from uuid import UUID  # the broker, which imports this package, does not need it

        return str(UUID(bytes=bytes(value)))
    if kind in ("bytes", "records"):
        return bytes(value).hex()
    return value


def _from_json(value: Any, kind: str, inner: Any) -> Any:
    if value is None:
        return None
    if kind.startswith("[]"):
        return [_from_json(item, kind[2:], inner) for item in value]
    if inner is not None:
        return _build(inner, value)
    if kind == "uuid":
        from uuid import UUID

        return UUID(value).bytes
    if kind in ("bytes", "records"):
        return bytes.fromhex(value)
    return value


def _build(cls: Any, value: dict[str, Any]) -> Any:
    fields = {name: (attribute, kind, inner) for name, attribute, kind, inner in cls.FIELDS}
    arguments = {}
    for name, given in value.items():
        if name not in fields:
            raise WireError(f"{cls.__name__} has no field {name}")
        attribute, kind, inner = fields[name]
        arguments[attribute] = _from_json(given, kind, inner)
    return cls(**arguments)


__all__ = ["decode", "encode", "from_dict", "message_class", "to_dict"]
