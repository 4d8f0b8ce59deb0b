"""Shared by both console tools: settings as properties, and options that were renamed (KIP-1147)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tidemark_protocol.java import java_integer
from tidemark_tools.options import Parsed, UsageError

BITS: Final = {"INT": 32, "LONG": 64}


class InvalidProperty(Exception):
    """A setting has a value that the tool does not support. The message is Kafka's where it has one."""


class Renamed(NamedTuple):
    """An option that was renamed."""

    new: str
    old: str


def take_old_names(parsed: Parsed, clash: str, warning: str, *renamed: Renamed) -> None:
    """Treat the old name of an option as the new one, and print a warning on stdout.

    clash, warning: message templates with {new} and {old}. Raises UsageError if both names were given.
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
    """Parse key=value options. A missing value is empty."""
    properties = {}
    for text in given:
        key, _, value = text.partition("=")
        if key:
            properties[key] = value
    return properties


def number_of(properties: Mapping[str, str], name: str, kind: str) -> int:
    """Return the value of a setting of kind INT or LONG. Raises InvalidProperty."""
    number = java_integer(properties[name].strip(), BITS[kind])
    if number is None:
        raise InvalidProperty(
            f"Invalid value {properties[name]} for configuration {name}: Not a number of type {kind}"
        )
    return number


def truth_of(properties: Mapping[str, str], name: str, default: str = "false") -> bool:
    """Return whether a setting is "true", ignoring case and blanks around it."""
    return properties.get(name, default).strip().lower() == "true"


def drawn() -> int:
    """Return a random number. Importing Ids would load uuid and secrets, which is slow."""
    return int.from_bytes(os.urandom(4), "big")
