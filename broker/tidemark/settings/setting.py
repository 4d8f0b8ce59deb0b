"""The definition of a setting: its name, kind, default, unit, bounds, and how its text is read.

A `Setting` in a class body names itself after its attribute: `offsets_retention_minutes` is
`offsets.retention.minutes`. It is a non-data descriptor. An instance of the class that has a value of its own
returns that value, any other instance returns the default.

Kafka: `ConfigDef`. Error messages are Kafka 4.3.1's, byte for byte, because people and scripts search for
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Final, Generic, TypeVar, overload

from tidemark_protocol.java import java_double, java_integer

T = TypeVar("T")
Bound = int | float
Value = bool | int | float | str | tuple[str, ...]
# Returns Kafka's message if the setting of this name may not have this value.
Check = Callable[[str, Any], str | None]
Synonyms = tuple[tuple[str, int], ...]

INT: Final = (-(2**31), 2**31 - 1)
LONG: Final = (-(2**63), 2**63 - 1)
SHORT: Final = (-(2**15), 2**15 - 1)
LONG_MAX: Final = LONG[1]
HIDDEN: Final = "[hidden]"  # as Kafka shows the value of a password
TOKEN_LENGTH_MIN: Final = 8


class Kind(IntEnum):
    """The types of Kafka's ConfigDef, with the codes that DescribeConfigs sends."""

    UNKNOWN = 0  # the setting of a plugin, which Kafka treats as secret
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigError(Exception):
    """A configuration that the broker cannot start with. The text is one line for the administrator."""


class InvalidSetting(ConfigError):
    """A value that Kafka refuses, with Kafka's message."""


class Setting(Generic[T]):
    """One setting, defined once. Documentation, DescribeConfigs and every default derive from it.

    name      Kafka's dotted name
    parse     turns name and text into a value, or raises InvalidSetting
    low, high bounds in `unit`
    synonyms  settings of the broker that replace this one if it is not set: the first that is set applies,
              each with the factor that converts its unit into this setting's (hours to milliseconds)
    """

    __slots__ = ("about", "attribute", "default", "high", "kind", "low", "name", "parse", "synonyms", "unit")

    def __init__(
        self,
        kind: Kind,
        default: T,
        parse: Callable[[str, str], Any],
        *,
        name: str = "",
        unit: str = "",
        low: Bound | None = None,
        high: Bound | None = None,
        about: str = "",
        synonyms: Synonyms = (),
    ) -> None:
        self.kind = kind
        self.default = default
        self.parse = parse
        self.name = name
        self.unit = unit
        self.low = low
        self.high = high
        self.about = about
        self.synonyms = synonyms
        self.attribute = ""

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute
        self.name = attribute.replace("_", ".")

    @overload
    def __get__(self, instance: None, owner: type) -> Setting[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Setting[T] | T:
        return self if instance is None else self.default

    def read(self, text: str) -> T:
        """Return the value of a text. Raises InvalidSetting with Kafka's message."""
        value: T = self.parse(self.name, text)
        return value

    def text(self, value: T | None) -> str | None:
        """Return a value as Kafka prints it."""
        return None if value is None else text_of(value)

    @property
    def default_text(self) -> str:
        """The default as Kafka prints it; "" if there is none."""
        return self.text(self.default) or ""


def settings_of(definitions: type) -> dict[str, Setting[Any]]:
    """Return the settings that a class body defines, by name, in their order."""
    return {found.name: found for found in vars(definitions).values() if isinstance(found, Setting)}


# Reading texts.

_BITS: Final = {Kind.SHORT: 16, Kind.INT: 32, Kind.LONG: 64}
_DOUBLE: Final = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?"


def invalid(name: str, value: object, why: str) -> str:
    return f"Invalid value {text_of(value)} for configuration {name}: {why}"


def parse(name: str, kind: Kind, text: str) -> Any:
    """Return the value of a text, without checking bounds. Raises InvalidSetting.

    Blanks around the text are ignored. An empty list is a list.
    """
    trimmed = text.strip()
    if kind is Kind.BOOLEAN:
        if trimmed.lower() not in ("true", "false"):
            raise InvalidSetting(invalid(name, text, "Expected value to be either true or false"))
        return trimmed.lower() == "true"
    if kind in _BITS:
        number = java_integer(trimmed, _BITS[kind])
        if number is None:
            raise InvalidSetting(invalid(name, text, f"Not a number of type {kind.name}"))
        return number
    if kind is Kind.DOUBLE:
        if not re.fullmatch(_DOUBLE, trimmed):
            raise InvalidSetting(invalid(name, text, "Not a number of type DOUBLE"))
        return float(trimmed.rstrip("dDfF"))
    if kind is Kind.LIST:
        return tuple(re.split(r"\s*,\s*", trimmed)) if trimmed else ()
    return trimmed


def text_of(value: object) -> str:
    """Return a value as Kafka prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_double(value)
    return ",".join(value) if isinstance(value, tuple) else str(value)


def parser(kind: Kind, check: Check | None = None, *, distinct: bool = False) -> Callable[[str, str], Any]:
    """Return a `Setting.parse` for a kind and a check. distinct: drop repeated items of a list (KIP-1161)."""

    def read(name: str, text: str) -> Any:
        value = parse(name, kind, text)
        refused = None if check is None else check(name, value)
        if refused is not None:
            raise InvalidSetting(refused)
        return tuple(dict.fromkeys(value)) if distinct else value

    return read


# Checks.


def between(lowest: Bound | None, highest: Bound | None) -> Check:
    """Check bounds. None: no bound on that side."""

    def check(name: str, value: Bound) -> str | None:
        if lowest is not None and value < lowest:
            return invalid(name, value, f"Value must be at least {lowest}")
        if highest is not None and value > highest:
            return invalid(name, value, f"Value must be no more than {highest}")
        return None

    return check


def at_least(lowest: Bound) -> Check:
    return between(lowest, None)


def words(*known: str) -> Check:
    """Accept these words only, as a string or as each item of a list. Their order is that of the message."""

    def check(name: str, value: str | tuple[str, ...]) -> str | None:
        for item in value if isinstance(value, tuple) else [value]:
            if isinstance(value, tuple) and not item:
                return empty_item(name)
            if item not in known:
                return invalid(name, item, f"String must be one of: {', '.join(known)}")
        return None

    return check


def empty_item(name: str) -> str:
    """Return the error of a list with an empty item."""
    return f"Configuration '{name}' values must not be empty."


def not_empty(name: str, value: tuple[str, ...]) -> str | None:
    """Accept a list that has items, none of them empty."""
    if not value:
        return f"Configuration '{name}' must not be empty. Valid values include: any non-empty value"
    return None if all(value) else empty_item(name)


def distinct_tags(name: str, value: tuple[str, ...]) -> str | None:
    """Accept different client tags, none of them empty."""
    if len({*value}) < len(value):
        return f"{name} must not contain duplicate tag keys."
    return None if all(value) else empty_item(name)


# Definitions, one function per kind.


def _number(
    kind: Kind, span: tuple[int, int], default: Any, unit: str, low: int | None, high: int | None,
    about: str, synonyms: Synonyms,
) -> Any:  # fmt: skip
    return Setting(
        kind, default, parser(kind, between(low, high)), unit=unit, about=about, synonyms=synonyms,
        low=span[0] if low is None else low, high=span[1] if high is None else high,
    )  # fmt: skip


def integer(
    default: int, unit: str, low: int | None = None, high: int | None = None, about: str = "",
    synonyms: Synonyms = (),
) -> Setting[int]:  # fmt: skip
    """Define an INT: 32 bits."""
    setting: Setting[int] = _number(Kind.INT, INT, default, unit, low, high, about, synonyms)
    return setting


def optional_integer(unit: str, low: int | None = None, about: str = "") -> Setting[int | None]:
    """Define an INT without a default."""
    setting: Setting[int | None] = _number(Kind.INT, INT, None, unit, low, None, about, ())
    return setting


def long(
    default: int, unit: str, low: int | None = None, high: int | None = None, about: str = "",
    synonyms: Synonyms = (),
) -> Setting[int]:  # fmt: skip
    """Define a LONG: 64 bits."""
    setting: Setting[int] = _number(Kind.LONG, LONG, default, unit, low, high, about, synonyms)
    return setting


def optional_long(unit: str, low: int | None = None, about: str = "") -> Setting[int | None]:
    """Define a LONG without a default."""
    setting: Setting[int | None] = _number(Kind.LONG, LONG, None, unit, low, None, about, ())
    return setting


def short(default: int, unit: str, low: int | None = None, about: str = "") -> Setting[int]:
    """Define a SHORT: 16 bits."""
    setting: Setting[int] = _number(Kind.SHORT, SHORT, default, unit, low, None, about, ())
    return setting


def double(default: float, unit: str, low: int, high: int, about: str = "") -> Setting[float]:
    """Define a DOUBLE. The bounds are whole numbers, because Kafka prints them so."""
    read = parser(Kind.DOUBLE, between(low, high))
    return Setting(Kind.DOUBLE, default, read, unit=unit, low=low, high=high, about=about)


def level(default: int, low: int, high: int, also: int, about: str = "") -> Setting[int]:
    """Define an INT between two bounds. One more value is allowed: it means the codec's own default."""

    def check(name: str, value: int) -> str | None:
        if value == also or low <= value <= high:
            return None
        return invalid(name, value, f"Value must be between {low} and {high} or equal to {also}")

    unit, lowest = "compression level", min(low, also)
    return Setting(Kind.INT, default, parser(Kind.INT, check), unit=unit, low=lowest, high=high, about=about)


def boolean(default: bool, about: str = "") -> Setting[bool]:  # noqa: FBT001 the default of a switch
    """Define a BOOLEAN: true or false, in any case."""
    return Setting(Kind.BOOLEAN, default, parser(Kind.BOOLEAN), unit="true or false", about=about)


def string(default: str, unit: str = "text", about: str = "") -> Setting[str]:
    """Define a STRING."""
    return Setting(Kind.STRING, default, parser(Kind.STRING), unit=unit, about=about)


def optional_string(unit: str = "text", about: str = "") -> Setting[str | None]:
    """Define a STRING without a default."""
    return Setting(Kind.STRING, None, parser(Kind.STRING), unit=unit, about=about)


def plugin_text(unit: str, check: Check | None = None, about: str = "") -> Setting[str]:
    """Define a text that a plugin of Kafka's reads. DescribeConfigs shows it if it is set, but no value."""
    return Setting(Kind.UNKNOWN, "", parser(Kind.UNKNOWN, check), unit=unit, about=about)


def token(about: str = "") -> Setting[str | None]:
    """Define a PASSWORD of tidemark's own, without a default. DescribeConfigs does not show its value."""
    return Setting(Kind.PASSWORD, None, parser(Kind.PASSWORD, _long_enough), unit="text", about=about)


def _long_enough(name: str, value: str) -> str | None:
    if len(value) >= TOKEN_LENGTH_MIN:
        return None
    return invalid(name, HIDDEN, f"must have at least {TOKEN_LENGTH_MIN} characters")


def password(about: str = "") -> Setting[str | None]:
    """Define a PASSWORD without a default. Its value is never shown."""
    return Setting(Kind.PASSWORD, None, parser(Kind.PASSWORD), unit="secret", about=about)


def one_of(default: str, *known: str, about: str = "", synonyms: Synonyms = ()) -> Setting[str]:
    """Define a STRING that is one of a few words."""
    read, unit = parser(Kind.STRING, words(*known)), " | ".join(known)
    return Setting(Kind.STRING, default, read, unit=unit, about=about, synonyms=synonyms)


def one_of_any_case(default: str, *known: str, about: str = "") -> Setting[str]:
    """Define a STRING that is one of a few words in any case. The value is in lower case."""

    def read(name: str, text: str) -> str:
        if text.strip().upper() not in known:
            why = f"String must be one of (case insensitive): {', '.join(known)}"
            raise InvalidSetting(invalid(name, text.strip(), why))
        return text.strip().lower()

    return Setting(Kind.STRING, default, read, unit=" | ".join(known).lower(), about=about)


def strings(*default: str, unit: str = "list", about: str = "") -> Setting[tuple[str, ...]]:
    """Define a LIST that may not be empty if it is set."""
    read = parser(Kind.LIST, not_empty, distinct=True)
    return Setting(Kind.LIST, default, read, unit=unit, about=about)


def strings_out_of(default: str, *known: str, about: str = "") -> Setting[tuple[str, ...]]:
    """Define a LIST whose items are among a few words."""
    read = parser(Kind.LIST, words(*known), distinct=True)
    items: tuple[str, ...] = parse("", Kind.LIST, default)
    return Setting(Kind.LIST, items, read, unit="list of " + " | ".join(known), about=about)


def any_strings(
    check: Check | None = None, about: str = "", default: tuple[str, ...] = ()
) -> Setting[tuple[str, ...]]:
    """Define a LIST that may be empty and keeps repeated items."""
    return Setting(Kind.LIST, default, parser(Kind.LIST, check), unit="list", about=about)


def inherited(setting: Setting[T], about: str = "") -> Setting[T]:
    """Define a setting of a topic or group like the broker's setting, which is its synonym."""
    return Setting(
        setting.kind, setting.default, setting.parse, unit=setting.unit, low=setting.low, high=setting.high,
        about=about, synonyms=((setting.name, 1),),
    )  # fmt: skip


def under_name(name: str, setting: Setting[T]) -> Setting[T]:
    """Return a setting that is read like another one, under another name."""
    return Setting(setting.kind, setting.default, setting.parse, name=name)


def closest(name: str, valid: Iterable[str]) -> str:
    """Return "; did you mean 'x'?", to be appended to a message, or "" if no valid name is similar."""
    from difflib import get_close_matches  # only an error needs it

    found = get_close_matches(name, list(valid), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
