"""One setting: its name, kind, default, unit and bounds, and Kafka's words for a value that is wrong.

A `Setting` stands in the class body of `Config` and names itself after its attribute:
`offsets_retention_minutes` is `offsets.retention.minutes`. It is a non-data descriptor: an instance's own
value is a plain attribute read. The wording is Apache Kafka 4.3.1's, seen on the real one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, overload

T = TypeVar("T")
Bound = int | float

INT: Final = (-(2**31), 2**31 - 1)
LONG: Final = (-(2**63), 2**63 - 1)
SHORT: Final = (-(2**15), 2**15 - 1)

_WHOLE_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class ConfigError(Exception):
    """A setting that the broker cannot start with. The text is one line for the person who wrote it."""


class Invalid(Exception):
    """Why a text is no value of its setting; the setting adds its name."""

    def __init__(self, why: str, shown: object = None) -> None:
        super().__init__(why)
        self.shown = shown


class Setting(Generic[T]):
    """name is Kafka's dotted one; low and high are the bounds, in unit.

    parse turns a text into a value, or raises Invalid or Empty.
    """

    __slots__ = ("about", "attribute", "default", "high", "kind", "low", "name", "parse", "unit")

    def __init__(self, kind: str, default: T, parse: Callable[[str], T], *, unit: str, low: Bound | None =
    None,
                 high: Bound | None = None, about: str = "") -> None:  # fmt: skip
        self.kind = kind
        self.default = default
        self.parse = parse
        self.unit = unit
        self.low = low
        self.high = high
        self.about = about
        self.attribute = self.name = ""

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
        """The value that a text stands for; ConfigError in Kafka's words."""
        text = text.strip()
        try:
            return self.parse(text)
        except Invalid as error:
            shown = text if error.shown is None else error.shown
            raise ConfigError(f"Invalid value {shown} for configuration {self.name}: {error}") from None
        except Empty as error:
            raise ConfigError(f"Configuration '{self.name}' {error}") from None

    def text(self, value: T | None) -> str | None:
        """A value as Kafka writes it in a properties file."""
        if value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, tuple):
            return ",".join(value)
        return str(value)


class Empty(Exception):
    """A list that may not be empty, or an element of one."""


def whole(kind: str, span: tuple[int, int], low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text) if _WHOLE_NUMBER.fullmatch(text) else None
        if value is None or not span[0] <= value <= span[1]:
            raise Invalid(f"Not a number of type {kind}")
        within(value, low, high)
        return value

    return parse


def within(value: Bound, low: Bound, high: Bound) -> None:
    if value < low:
        raise Invalid(f"Value must be at least {low}", value)
    if value > high:
        raise Invalid(f"Value must be no more than {high}", value)


def _whole_setting(kind: str, span: tuple[int, int], default: Any, unit: str, low: int | None, high: int |
None,
                   about: str) -> Any:  # fmt: skip
    lowest, highest = span[0] if low is None else low, span[1] if high is None else high
    return Setting(
        kind, default, whole(kind, span, lowest, highest), unit=unit, low=lowest, high=highest, about=about
    )


def integer(
    default: int, unit: str, low: int | None = None, high: int | None = None, about: str = ""
) -> Setting[int]:
    """Kafka's INT: 32 bits."""
    setting: Setting[int] = _whole_setting("INT", INT, default, unit, low, high, about)
    return setting


def optional_integer(unit: str, low: int | None = None, about: str = "") -> Setting[int | None]:
    """An INT that is not there unless somebody sets it."""
    setting: Setting[int | None] = _whole_setting("INT", INT, None, unit, low, None, about)
    return setting


def long(
    default: int, unit: str, low: int | None = None, high: int | None = None, about: str = ""
) -> Setting[int]:
    """Kafka's LONG: 64 bits."""
    setting: Setting[int] = _whole_setting("LONG", LONG, default, unit, low, high, about)
    return setting


def optional_long(unit: str, low: int | None = None, about: str = "") -> Setting[int | None]:
    """A LONG that is not there unless somebody sets it."""
    setting: Setting[int | None] = _whole_setting("LONG", LONG, None, unit, low, None, about)
    return setting


def short(default: int, unit: str, low: int | None = None, about: str = "") -> Setting[int]:
    """Kafka's SHORT: 16 bits."""
    setting: Setting[int] = _whole_setting("SHORT", SHORT, default, unit, low, None, about)
    return setting


def double(default: float, unit: str, low: int, high: int, about: str = "") -> Setting[float]:
    """Kafka's DOUBLE. The bounds are whole numbers, because that is how Kafka prints them."""

    def parse(text: str) -> float:
        if not _DECIMAL.fullmatch(text):
            raise Invalid("Not a number of type DOUBLE")
        value = float(text)
        within(value, low, high)
        return value

    return Setting("DOUBLE", default, parse, unit=unit, low=low, high=high, about=about)


def boolean(default: bool, about: str = "") -> Setting[bool]:  # noqa: FBT001 the default of a switch
    """Kafka's BOOLEAN: true or false, in any case."""

    def parse(text: str) -> bool:
        word = text.lower()
        if word not in ("true", "false"):
            raise Invalid("Expected value to be either true or false")
        return word == "true"

    return Setting("BOOLEAN", default, parse, unit="true or false", about=about)


def string(default: str, unit: str = "text", about: str = "") -> Setting[str]:
    """Kafka's STRING."""
    return Setting("STRING", default, str, unit=unit, about=about)


def optional_string(unit: str = "text", about: str = "") -> Setting[str | None]:
    """A STRING that is not there unless somebody sets it."""
    return Setting("STRING", None, str, unit=unit, about=about)


def one_of(default: str, *words: str, about: str = "") -> Setting[str]:
    """A STRING out of a few. The order of words is that of Kafka's message."""

    def parse(text: str) -> str:
        if text not in words:
            raise Invalid(f"String must be one of: {', '.join(words)}")
        return text

    return Setting("STRING", default, parse, unit=" | ".join(words), about=about)


def one_of_any_case(default: str, *words: str, about: str = "") -> Setting[str]:
    """A STRING out of a few, written in any case; the value is in lower case."""

    def parse(text: str) -> str:
        if text.upper() not in words:
            raise Invalid(f"String must be one of (case insensitive): {', '.join(words)}")
        return text.lower()

    return Setting("STRING", default, parse, unit=" | ".join(words).lower(), about=about)


def split_list(text: str) -> tuple[str, ...]:
    """Kafka's LIST: separated by commas, blanks around them ignored, a second copy of an element dropped."""
    if not text:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise Empty("values must not be empty.")
    return tuple(dict.fromkeys(parts))


def strings(*default: str, unit: str = "list", about: str = "") -> Setting[tuple[str, ...]]:
    """A LIST that may not be empty once it is given."""

    def parse(text: str) -> tuple[str, ...]:
        found = split_list(text)
        if not found:
            raise Empty("must not be empty. Valid values include: any non-empty value")
        return found

    return Setting("LIST", default, parse, unit=unit, about=about)


def strings_out_of(default: str, *words: str, about: str = "") -> Setting[tuple[str, ...]]:
    """A LIST whose elements are out of a few. The order of words is that of Kafka's message."""

    def parse(text: str) -> tuple[str, ...]:
        found = split_list(text)
        for part in found:
            if part not in words:
                raise Invalid(f"String must be one of: {', '.join(words)}", part)
        return found

    return Setting("LIST", split_list(default), parse, unit="list of " + " | ".join(words), about=about)


def level(default: int, low: int, high: int, also: int, about: str = "") -> Setting[int]:
    """An INT between two bounds, or one more value that means the codec's own default."""
    read = whole("INT", INT, *INT)

    def parse(text: str) -> int:
        value = read(text)
        if value != also and not low <= value <= high:
            raise Invalid(f"Value must be between {low} and {high} or equal to {also}", value)
        return value

    return Setting(
        "INT", default, parse, unit="compression level", low=min(low, also), high=high, about=about
    )
