"""Columns as Java's format pads them, where a character beyond the basic plane counts as two; times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime


def java_length(text: str) -> int:
    """Return the length of the text as a Java String: in units of UTF-16."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def padded(text: str, width: int) -> str:
    """Pad the text with blanks on the right, as `%-10s` does."""
    return text + " " * (width - java_length(text))


def width(least: int, texts: Iterable[str]) -> int:
    """Return the width of a column for these texts: the longest, and at least `least`."""
    return max([least, *map(java_length, texts)])


def time_text(time_ms: int | None) -> str:
    """Return the time in UTC to the millisecond, `-` for None, or ms if it is outside of the calendar."""
    if time_ms is None:
        return "-"
    try:
        text = datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return str(time_ms)
    return text.replace("+00:00", "Z")
