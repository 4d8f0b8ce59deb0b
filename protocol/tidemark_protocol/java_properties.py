"""The properties files of Java, as `java.util.Properties` reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SEPARATOR: Final = r"(?P<key>(?:\\.|[^\\=:\s])*)(?:\s*[=:]\s*|\s+|$)(?P<value>.*)"
_ESCAPE: Final = r"\\(u[0-9a-fA-F]{4}|.)"
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_properties(text: str) -> dict[str, str]:
    """Return the values by key. The last value of a key counts.

    Comments begin with # or !. A key ends at `=`, `:` or a blank. A line that ends with `\\` continues.
    """
    values: dict[str, str] = {}
    for line in _logical_lines(text):
        match = re.fullmatch(_SEPARATOR, line, re.DOTALL)
        assert match is not None, "the pattern matches any line"
        values[_unescape(match["key"])] = _unescape(match["value"])
    return values


def _logical_lines(text: str) -> Iterable[str]:
    begun = ""
    for natural in re.split(r"\r\n|\r|\n", text):
        line = natural.lstrip(" \t\f")
        if not begun and (not line or line[0] in "#!"):
            continue
        line = begun + line
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            begun = line[:-1]
            continue
        begun = ""
        yield line
    if begun:
        yield begun


def _unescape(text: str) -> str:
    return re.sub(_ESCAPE, lambda match: _unescaped(match[1]), text, flags=re.DOTALL)


def _unescaped(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _LETTERS.get(escape, escape)
