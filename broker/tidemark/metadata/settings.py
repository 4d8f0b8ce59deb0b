"""What a setting may be: kinds, bounds, and the sentences in which Kafka refuses a value.

The texts are those of Kafka's ConfigDef, byte for byte: people and scripts grep for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum
from math import inf
from typing import Final, NamedTuple

Value = bool | int | float | str | list[str]
Check = Callable[[str, Value], str | None]

LONG_MAX: Final = 2**63 - 1


class Kind(IntEnum):
    """Kafka's ConfigDef types under the codes that DescribeConfigs sends."""

    UNKNOWN = 0  # some plugin's: Kafka takes it for a secret
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class InvalidSetting(Exception):
    """A value that Kafka refuses; the text is Kafka's."""


class Setting(NamedTuple):
    """One setting. synonyms are the broker's settings that stand in for it, the first that is set wins; each
    with its unit in the setting's own (hours for milliseconds). distinct: a second copy of an item is dropped
    (KIP-1161).
    """

    name: str
    kind: Kind
    default: str | None
    check: Check | None = None
    synonyms: tuple[tuple[str, int], ...] = ()
    about: str = ""
    distinct: bool = False

    def parse(self, text: str) -> Value:
        """The value in its own type, or InvalidSetting with Kafka's sentence."""
        value = parse(self.name, self.kind, text)
        if self.check is not None:
            refused = self.check(self.name, value)
            if refused is not None:
                raise InvalidSetting(refused)
        return list(dict.fromkeys(value)) if self.distinct and isinstance(value, list) else value


def invalid(name: str, value: Value, why: str) -> str:
    return f"Invalid value {text_of(value)} for configuration {name}: {why}"


def parse(name: str, kind: Kind, text: str) -> Value:
    """As Kafka's ConfigDef reads it: blanks around do not matter, an empty list is a list."""
    trimmed = text.strip()
    if kind is Kind.BOOLEAN:
        if trimmed.lower() not in ("true", "false"):
            raise InvalidSetting(invalid(name, text, "Expected value to be either true or false"))
        return trimmed.lower() == "true"
    if kind in _BITS:
        return _integer(name, kind, trimmed, text)
    if kind is Kind.DOUBLE:
        if not _DOUBLE.fullmatch(trimmed):
            raise InvalidSetting(invalid(name, text, "Not a number of type DOUBLE"))
        return float(trimmed)
    if kind is Kind.LIST:
        return re.split(r"\s*,\s*", trimmed) if trimmed else []
    return trimmed


def text_of(value: Value) -> str:
    """A parsed value as Kafka prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _java_double(value)
    return ",".join(value) if isinstance(value, list) else str(value)


def _java_double(value: float) -> str:
    """Java's Double.toString: an exponent below a thousandth and from ten million on."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value) if "e" not in repr(value) else f"{value:f}"
    if value in (inf, -inf):
        return "Infinity" if value > 0 else "-Infinity"
    digits, _, exponent = f"{Decimal(repr(value)).normalize():E}".partition("E")
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


def _integer(name: str, kind: Kind, trimmed: str, text: str) -> int:
    limit = 1 << (_BITS[kind] - 1)
    if not _INTEGER.fullmatch(trimmed) or not -limit <= int(trimmed) < limit:
        raise InvalidSetting(invalid(name, text, f"Not a number of type {kind.name}"))
    return int(trimmed)


_BITS: Final = {Kind.SHORT: 16, Kind.INT: 32, Kind.LONG: 64}
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_DOUBLE: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?")


def at_least(lowest: float) -> Check:
    def check(name: str, value: Value) -> str | None:
        if not isinstance(value, int | float) or value >= lowest:
            return None
        return invalid(name, value, f"Value must be at least {lowest}")

    return check


def between(lowest: float, highest: float) -> Check:
    def check(name: str, value: Value) -> str | None:
        assert isinstance(value, int | float)
        if value < lowest:
            return invalid(name, value, f"Value must be at least {lowest}")
        return invalid(name, value, f"Value must be no more than {highest}") if value > highest else None

    return check


def gzip_level(name: str, value: Value) -> str | None:
    if value == -1 or (isinstance(value, int) and 1 <= value <= 9):
        return None
    return invalid(name, value, "Value must be between 1 and 9 or equal to -1")


def one_of(*words: str) -> Check:
    """For strings and for every item of a list."""

    def check(name: str, value: Value) -> str | None:
        for item in value if isinstance(value, list) else [value]:
            if isinstance(value, list) and not item:
                return f"Configuration '{name}' values must not be empty."
            if item not in words:
                return invalid(name, item, f"String must be one of: {', '.join(words)}")
        return None

    return check


def throttled_replicas(name: str, value: Value) -> str | None:
    assert isinstance(value, list)
    if not value or value == ["*"] or all(_REPLICA.fullmatch(item) for item in value):
        return None
    return invalid(
        name,
        f"[{', '.join(value)}]",
        f"{name} must be the literal '*' or a list of replicas in the following format: "
        "[partitionId]:[brokerId],[partitionId]:[brokerId],...",
    )


_REPLICA: Final = re.compile(r"[0-9]+:[0-9]+")
