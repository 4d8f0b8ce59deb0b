"""What the two console tools share: settings as properties, and options that were renamed (KIP-1147)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tidemark.cli.options import Parsed, UsageError

BITS: Final = {"INT": 31, "LONG": 63}


class ConfigError(Exception):
    """A setting that the tool cannot work with, in Kafka's words."""


class Renamed(NamedTuple):
    """An option that has another name by now."""

    new: str
    old: str


def take_old_names(parsed: Parsed, clash: str, warning: str, *renamed: Renamed) -> None:
    """Takes the old spelling of an option for the new one, and says so on stdout.

    clash, warning: what is said, with {new} and {old} in it. UsageError where both were given.
    """
    for each in renamed:
        if parsed.has(each.new) and parsed.has(each.old):
            raise UsageError(clash.format(new=each.new, old=each.old))
    for each in renamed:
        if parsed.has(each.old):
            print(warning.format(new=each.new, old=each.old))
            for value in parsed.values(each.old):
                parsed.add(each.new, value)


def given_properties(given: Iterable[str]) -> dict[str, str]:
    """key=value of options; without a value it is empty."""
    properties = {}
    for text in given:
        key, _, value = text.partition("=")
        if key:
            properties[key] = value
    return properties


def number_of(properties: Mapping[str, str], name: str, kind: str) -> int:
    """A setting that is an INT or a LONG. Raises ConfigError."""
    text = properties[name].strip()
    if not re.fullmatch("[+-]?[0-9]+", text) or not -(2 ** BITS[kind]) <= int(text) < 2 ** BITS[kind]:
        raise ConfigError(
            f"Invalid value {properties[name]} for configuration {name}: Not a number of type {kind}"
        )
    return int(text)


def truth_of(properties: Mapping[str, str], name: str, default: str = "false") -> bool:
    """Whether a setting is true: in whatever case, with blanks around it; anything else is not."""
    return properties.get(name, default).strip().lower() == "true"


def drawn() -> int:
    """A number drawn at random. Ids would bring uuid and secrets, which take longer than all the rest."""
    return int.from_bytes(os.urandom(4), "big")
