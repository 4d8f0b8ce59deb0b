"""Strategies for any message in any version, derived from the schemas. Values have the golden files' form."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from hypothesis import strategies as st

from tidemark_protocol.generator import schema
from tidemark_protocol.generator.schema import Field, Message, Struct

ROOT: Final = Path(__file__).parents[3]
MESSAGES: Final[dict[str, Message]] = {message.name: message for message in schema.load(ROOT / "schemas")}
VERSIONS: Final = [(message.name, version) for message in MESSAGES.values() for version in message.versions]

Value = dict[str, Any]
Kinds = dict[str, st.SearchStrategy[Any]]


def _int(bits: int, *, signed: bool = True) -> st.SearchStrategy[int]:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.integers(low, high) | st.sampled_from((0, -1 if signed else 1, low, high))


_TEXT = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ("", "x" * 127, "é" * 64, "y" * 300)
)
_BYTES = (st.binary(max_size=12) | st.sampled_from((b"", b"z" * 127, b"z" * 20_000))).map(bytes.hex)
_KINDS: Final[Kinds] = {
    "bool": st.booleans(),
    "int8": _int(8),
    "int16": _int(16),
    "uint16": _int(16, signed=False),
    "int32": _int(32),
    "uint32": _int(32, signed=False),
    "int64": _int(64),
    "float64": st.floats(allow_nan=False),
    "uuid": st.binary(min_size=16, max_size=16).map(lambda data: str(UUID(bytes=data))),
    "string": _TEXT,
    "bytes": _BYTES,
    "records": _BYTES,
}


_MODEST: Final = {kind: st.integers(0, 100) for kind in _KINDS if "int" in kind}


@cache
def values(name: str, version: int) -> st.SearchStrategy[Value]:
    """Return values for all fields that the message has in that version."""
    return _struct(MESSAGES[name].struct, version, _KINDS)


@cache
def modest_values(name: str, version: int) -> st.SearchStrategy[Value]:
    """Return values with small numbers, for libraries that convert some to error codes, dates or times."""
    return _struct(MESSAGES[name].struct, version, _KINDS | _MODEST)


def _struct(struct: Struct, version: int, kinds: Kinds) -> st.SearchStrategy[Value]:
    found = {
        field.name: _field(field, version, kinds) for field in struct.fields if version in field.versions
    }
    return st.fixed_dictionaries(found).map(
        lambda value: {name: value[name] for name in found}
    )  # the schema's order


def _field(field: Field, version: int, kinds: Kinds) -> st.SearchStrategy[Any]:
    one = kinds[field.kind] if field.struct is None else _struct(field.struct, version, kinds)
    found = st.lists(one, max_size=3) if field.array else one
    return st.none() | found if version in field.nullable else found
