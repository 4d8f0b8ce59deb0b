"""Columns as Java's format pads them: a character beyond the basic plane counts as two."""

from __future__ import annotations

from collections.abc import Iterable


def java_length(text: str) -> int:
    """Return the length of the text as a Java String: in units of UTF-16."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def padded(text: str, width: int) -> str:
    """Pad the text with blanks on the right, as `%-10s` does."""
    return text + " " * (width - java_length(text))


def width(least: int, texts: Iterable[str]) -> int:
    """Return the width of a column for these texts: the longest, and at least `least`."""
    return max([least, *map(java_length, texts)])
