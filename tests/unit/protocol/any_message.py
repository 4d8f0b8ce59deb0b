"""Any message in any version, derived from the schemas. Values have the golden files' form.

Strategies find new examples and shrink them, but drawing a message takes them far longer than its round trip.
So they draw among all messages, and `drawn` makes the messages of each version.
"""

from __future__ import annotations

import math
import os
import random
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Kind:
    """The values of one type on the wire: a strategy, and the same by chance."""

    strategy: st.SearchStrategy[Any]
    by_chance: Callable[[random.Random], Any]
    edges: tuple[Any, ...]

    @property
    def values(self) -> st.SearchStrategy[Any]:
        return self.strategy | st.sampled_from(self.edges)

    def draw(self, chance: random.Random) -> Any:
        """Draw every third value from the edges."""
        return chance.choice(self.edges) if chance.random() < 1 / 3 else self.by_chance(chance)


Kinds = Mapping[str, Kind]

_ASCII, _TWO_BYTES, _THREE_BYTES, _FOUR_BYTES = (32, 127), (128, 2048), (0xE000, 0x10000), (0x10000, 0x110000)


def _int(bits: int, *, signed: bool = True) -> Kind:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    edges = (0, -1 if signed else 1, low, high)
    return Kind(st.integers(low, high), lambda chance: _few_bits(chance, bits, low, high), edges)


def _few_bits(chance: random.Random, bits: int, low: int, high: int) -> int:
    """Draw numbers of each length alike, as a uniform draw has no small ones."""
    number = chance.getrandbits(chance.randint(1, bits))
    return max(low, -number) if low and chance.random() < 1 / 3 else min(number, high)


def _text(chance: random.Random) -> str:
    ranges = chance.choices((_ASCII, _TWO_BYTES, _THREE_BYTES, _FOUR_BYTES, (0, 32)), k=chance.randint(0, 12))
    return "".join(chr(chance.randrange(*limits)) for limits in ranges)


def _float(chance: random.Random) -> float:
    number: float = struct.unpack(">d", chance.randbytes(8))[0]
    return 0.5 if math.isnan(number) else number


_TEXT = Kind(st.text(st.characters(codec="utf-8"), max_size=12), _text, ("", "x" * 127, "é" * 64, "y" * 300))
_BYTES = Kind(
    st.binary(max_size=12).map(bytes.hex),
    lambda chance: chance.randbytes(chance.randint(0, 12)).hex(),
    tuple(data.hex() for data in (b"", b"z" * 127, b"z" * 20_000)),
)
_KINDS: Final[Kinds] = {
    "bool": Kind(st.booleans(), lambda chance: chance.random() < 0.5, (False, True)),
    "int8": _int(8),
    "int16": _int(16),
    "uint16": _int(16, signed=False),
    "int32": _int(32),
    "uint32": _int(32, signed=False),
    "int64": _int(64),
    "float64": Kind(st.floats(allow_nan=False), _float, (0.0, -0.0, 5e-324, math.inf, -math.inf)),
    "uuid": Kind(
        st.binary(min_size=16, max_size=16).map(lambda data: str(UUID(bytes=data))),
        lambda chance: str(UUID(bytes=chance.randbytes(16))),
        tuple(str(UUID(bytes=data)) for data in (bytes(16), bytes(15) + b"\1", b"\xff" * 16)),
    ),
    "string": _TEXT,
    "bytes": _BYTES,
    "records": _BYTES,
}
_MODEST: Final[Kinds] = {
    kind: Kind(st.integers(0, 100), lambda chance: chance.randint(0, 100), (0, 1, 100))
    for kind in _KINDS
    if "int" in kind
}
# TIDEMARK_TEST_EXPLORE=1 draws other messages in each run. A failed assertion shows the message.
_RUN: Final = os.urandom(8).hex() if os.environ.get("TIDEMARK_TEST_EXPLORE") == "1" else ""


@cache
def values(name: str, version: int) -> st.SearchStrategy[Value]:
    """Return values for all fields that the message has in that version."""
    return _struct(MESSAGES[name].struct, version)


def _struct(struct: Struct, version: int) -> st.SearchStrategy[Value]:
    found = {field.name: _field(field, version) for field in _fields(struct, version)}
    return st.fixed_dictionaries(found).map(
        lambda value: {name: value[name] for name in found}
    )  # the schema's order


def _field(field: Field, version: int) -> st.SearchStrategy[Any]:
    one = _KINDS[field.kind].values if field.struct is None else _struct(field.struct, version)
    found = st.lists(one, max_size=3) if field.array else one
    return st.none() | found if version in field.nullable else found


def _fields(struct: Struct, version: int) -> list[Field]:
    return [field for field in struct.fields if version in field.versions]


def drawn(name: str, version: int, count: int) -> Iterator[Value]:
    """Draw messages of that version, the same in every run."""
    return _drawn(name, version, count, _KINDS)


def modest(name: str, version: int, count: int) -> Iterator[Value]:
    """Draw messages with small numbers, for libraries that convert some to error codes, dates or times."""
    return _drawn(name, version, count, {**_KINDS, **_MODEST})


def _drawn(name: str, version: int, count: int, kinds: Kinds) -> Iterator[Value]:
    """Draw a message with every nullable field null, one with each list empty, then any."""
    chance = random.Random(f"{name} {version} {_RUN}")
    for null, most in [(1.0, 1), (0.0, 0), (0.0, 3), *[(0.25, 3)] * (count - 3)][:count]:
        yield _Draw(chance, version, kinds, null, most).struct(MESSAGES[name].struct)


@dataclass(frozen=True)
class _Draw:
    chance: random.Random
    version: int
    kinds: Kinds
    null: float  # how often a nullable field is null
    most: int  # items of a list

    def struct(self, struct: Struct) -> Value:
        return {field.name: self._field(field) for field in _fields(struct, self.version)}

    def _field(self, field: Field) -> Any:
        if self.version in field.nullable and self.chance.random() < self.null:
            return None
        if field.array:
            return [self._one(field) for _ in range(self.chance.randint(0, self.most))]
        return self._one(field)

    def _one(self, field: Field) -> Any:
        if field.struct is not None:
            return self.struct(field.struct)
        return self.kinds[field.kind].draw(self.chance)
