"""What the two console tools share: settings as properties, and options that were renamed (KIP-1147)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final

from tidemark.cli.options import Parsed, UsageError

BITS: Final = {"INT": 31, "LONG": 63}


class ConfigError(Exception):
    """A setting that the tool cannot work with, in Kafka's words."""


def renamed(parsed: Parsed, warning: str, *pairs: tuple[str, str]) -> None:
    """Takes the old spelling of an option for the new one, and says so on stdout.

    pairs: new name, old name. UsageError where both were given.
    """
    for new, old in pairs:
        if parsed.has(new) and parsed.has(old):
            raise UsageError(f"Options --{new} and --{old} cannot be specified together.")
    for new, old in pairs:
        if parsed.has(old):
            print(warning.format(old, new))
            for value in parsed.values(old):
                parsed.add(new, value)


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


def drawn() -> int:
    """A number drawn at random. Ids would bring uuid and secrets, which take longer than all the rest."""
    return int.from_bytes(os.urandom(4), "big")
