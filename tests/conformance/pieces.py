"""Write a request from its schema in pieces, so that a test can replace one piece.

The codec of the project cannot be used for this: it writes valid requests only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from struct import pack
from typing import Final

from tests.wire import header, sized
from tidemark_protocol.generator.schema import Field, Message, Struct, load
from tidemark_protocol.wire import write_uvarint

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"
CORRELATION_ID: Final = 7

# Every number is 1: larger values of some fields would make the broker do more than a test needs.
NUMBERS: Final = {
    "bool": b"\0",
    "int8": b"\x01",
    "int16": b"\0\x01",
    "uint16": b"\0\x01",
    "int32": b"\0\0\0\x01",
    "uint32": b"\0\0\0\x01",
    "int64": b"\0\0\0\0\0\0\0\x01",
    "float64": b"\x3f\xf0\0\0\0\0\0\0",
    "uuid": bytes(15) + b"\x01",
}


@dataclass(slots=True, frozen=True)
class Piece:
    """One piece.

    field   its path
    kind    the field's kind, `length` (of a string, bytes or array) or `tags`
    """

    field: str
    kind: str
    data: bytes
    compact: bool = False
    wide: bool = False  # a length that is not compact is an int32; that of a string is an int16


@cache
def _requests() -> dict[str, Message]:
    return {message.name: message for message in load(SCHEMAS) if message.type == "request"}


def pieces(api: str, version: int, text: str) -> list[Piece]:
    """Return the pieces of the body, with one element in each array and the same text in every string."""
    message = _requests()[f"{api}Request"]
    return list(_struct(message.struct, version, version in message.flexible, text.encode(), ""))


def frame(api: str, version: int, body: bytes) -> bytes:
    """Return a complete frame with this body."""
    message = _requests()[f"{api}Request"]
    head = header(message.api_key, version, CORRELATION_ID, flexible=version in message.flexible)
    return sized(head + body)


def joined(found: list[Piece], at: int = -1, instead: bytes = b"") -> bytes:
    """Return the body with the piece at index `at` replaced."""
    return b"".join(instead if index == at else piece.data for index, piece in enumerate(found))


def _struct(struct: Struct, version: int, flexible: bool, text: bytes, path: str) -> Iterator[Piece]:
    for field in struct.fields:
        if version in field.versions and version not in field.tagged:
            yield from _field(field, version, flexible, text, f"{path}{field.name}")
    if flexible:
        yield Piece(f"{path}tags", "tags", b"\0")


def _field(field: Field, version: int, flexible: bool, text: bytes, path: str) -> Iterator[Piece]:
    if field.array:
        yield _length(path, 1, flexible, wide=True)
    if field.kind == "struct":
        assert field.struct is not None
        if not field.array and version in field.nullable:
            yield Piece(path, "int8", b"\x01")
        yield from _struct(field.struct, version, flexible, text, f"{path}.")
    elif field.kind in ("string", "bytes", "records"):
        data = text if field.kind == "string" else b""
        yield _length(path, len(data), flexible, wide=field.kind != "string")
        yield Piece(path, field.kind, data)
    else:
        yield Piece(path, field.kind, NUMBERS[field.kind])


def _length(path: str, count: int, flexible: bool, *, wide: bool) -> Piece:
    return Piece(path, "length", length(count, compact=flexible, wide=wide), flexible, wide)


def length(count: int, *, compact: bool, wide: bool) -> bytes:
    """Encode a length; -1 means null. A compact length below -1 wraps around to a huge number."""
    if not compact:
        return pack(">i" if wide else ">h", count)
    out = bytearray()
    write_uvarint(out, count + 1 & 0xFFFFFFFF)
    return bytes(out)
