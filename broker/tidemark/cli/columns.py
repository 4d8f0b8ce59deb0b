"""Columns as Java's format makes them: a character beyond the basic plane counts as two."""

from __future__ import annotations

from collections.abc import Iterable


def java_length(text: str) -> int:
    """The length of Java's String: in units of UTF-16."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def padded(text: str, width: int) -> str:
    """Blanks behind it, as of `%-10s`."""
    return text + " " * (width - java_length(text))


def width(least: int, texts: Iterable[str]) -> int:
    """Of a column that is as wide as its longest text."""
    return max([least, *map(java_length, texts)])
