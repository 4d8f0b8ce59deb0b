"""Stored records in the JSON of Kafka's tools: kafka-dump-log and the formatters of the console consumer.

The JSON has the fields of the record's version, and a tagged field only if it is not its default. Names begin
in lower case, uuids are 22 characters of base 64, bytes are base 64, and text is not escaped to ASCII.
"""

from __future__ import annotations

import math
from base64 import b64encode, urlsafe_b64encode
from functools import cache
from typing import Any, Final

from tidemark_protocol.java import java_double
from tidemark_protocol.presence import PRESENCE, Presence

_ALWAYS: Final = Presence(0, 1 << 15, 1 << 15)
_SHORT_ESCAPES: Final = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}
_ESCAPES: Final = str.maketrans({**{chr(n): f"\\u{n:04X}" for n in range(32)}, **_SHORT_ESCAPES})


def kafka_json(message: Any, version: int) -> dict[str, Any]:
    """Return a message of that version as Kafka's JSON converters do, with fields in the schema's order."""
    shown = {}
    cls: Any = message.__class__
    for name, attribute, kind, inner, presence, default in _fields(cls):
        value = getattr(message, attribute)
        if not presence.lowest <= version <= presence.highest:
            continue
        if version < presence.tagged_from or value != default:
            shown[name] = _value(value, kind, inner, version)
    return shown


def text(value: object) -> str:
    """Return JSON as Jackson writes it: no blanks, escapes in upper case, other characters unchanged."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return java_double(value) if math.isfinite(value) else f'"{java_double(value)}"'
        case str():
            return f'"{value.translate(_ESCAPES)}"'
        case list():
            return f"[{','.join(text(item) for item in value)}]"
        case dict():
            return "{" + ",".join(f'"{name}":{text(item)}' for name, item in value.items()) + "}"
    return str(value)


@cache
def _fields(cls: Any) -> list[tuple[str, str, str, Any, Presence, Any]]:
    """Return (name in JSON, attribute, kind, struct class, presence, default) of each field."""
    module = ".".join(cls.__module__.split(".")[-2:])
    known = PRESENCE.get(f"{module}.{cls.__name__}", {})
    empty = cls()
    return [
        (
            name[0].lower() + name[1:],
            attribute,
            kind,
            inner,
            known.get(name, _ALWAYS),
            getattr(empty, attribute),
        )
        for name, attribute, kind, inner in cls.FIELDS
    ]


def _value(value: Any, kind: str, inner: Any, version: int) -> Any:
    if value is None:
        return None
    if kind.startswith("[]"):
        return [_value(item, kind[2:], inner, version) for item in value]
    if inner is not None:
        return kafka_json(value, version)
    if kind == "uuid":
        return uuid_text(value)
    if kind in ("bytes", "records"):
        return b64encode(value).decode()
    return value


def uuid_text(value: bytes) -> str:
    """Return a uuid as Kafka prints it."""
    return urlsafe_b64encode(value).decode().rstrip("=")


__all__ = ["kafka_json", "text", "uuid_text"]
