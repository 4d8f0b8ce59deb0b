"""JAAS configurations: the login module of a SASL mechanism, with its options.

Kafka: `JaasConfig` and `JaasContext`. Error messages never quote values, because they may be passwords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tidemark.settings.setting import ConfigError

FLAGS: Final = ("required", "requisite", "sufficient", "optional")
_TOKEN: Final = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/"""
    r"""|(?P<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<word>[\w$.:/+*@-]+)|(?P<sign>[=;])""",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
_ESCAPES: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def read_jaas(name: str, text: str) -> tuple[str, dict[str, str]]:
    """Return the class of the login module, and its options. name: of the setting. Raises ConfigError."""
    tokens = list(_tokens(name, text))
    if len(tokens) < 2 or tokens[1].lower() not in FLAGS:
        raise ConfigError(f'{name} must have the form: MODULE required KEY="VALUE" ...;')
    options: dict[str, str] = {}
    pos = 2
    while pos < len(tokens) and tokens[pos] != ";":
        if tokens[pos + 1 : pos + 2] != ["="] or pos + 2 >= len(tokens) or tokens[pos + 2] in ("=", ";"):
            raise ConfigError(f"{name}: option {number_of(pos)} has no value")
        options[_unquoted(tokens[pos])] = _unquoted(tokens[pos + 2])
        pos += 3
    if pos == len(tokens):
        raise ConfigError(f"{name} must end with a semicolon")
    if pos + 1 < len(tokens):
        raise ConfigError(f"{name} must have one login module")
    return _unquoted(tokens[0]), options


def number_of(pos: int) -> int:
    """Return the number, from 1, of the option whose first token is at this position."""
    return (pos - 2) // 3 + 1


def _tokens(name: str, text: str) -> Iterator[str]:
    pos = 0
    while pos < len(text):
        match = _TOKEN.match(text, pos)
        if match is None:
            raise ConfigError(f"{name} cannot be read from character {pos + 1} on")
        if match.lastgroup is not None:
            yield match[0]
        pos = match.end()


def _unquoted(token: str) -> str:
    if token[:1] not in ("'", '"'):
        return token
    return _ESCAPE.sub(_escaped, token[1:-1])


def _escaped(match: re.Match[str]) -> str:
    char = match[1]
    return chr(int(char, 8)) if char[0] in "01234567" else _ESCAPES.get(char, char)
