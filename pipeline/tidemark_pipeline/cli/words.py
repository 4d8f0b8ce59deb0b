"""Times, counts and names as text, and durations from text. Needs no Spark."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import Final

from tidemark_expiry.durations import A_DURATION, read_duration

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MS: Final = 253_402_300_799_999  # the end of the year 9999


def time_text(ms: int) -> str:
    """Return a time as ISO 8601 in UTC; a number if it has no date."""
    if not 0 <= ms <= LAST_MS:
        return str(ms)
    moment = (EPOCH + timedelta(milliseconds=ms)).astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def number_text(number: int) -> str:
    """Return 12 345 for 12345."""
    return f"{number:,}".replace(",", " ")


def count_text(count: int, what: str) -> str:
    """Return `1 record`, `12 345 records`."""
    return f"{number_text(count)} {what}{'' if count == 1 else 's'}"


def duration_ms(text: str) -> int:
    """Return the value of an option that is a duration. Raises argparse.ArgumentTypeError."""
    span_ms = read_duration(text)
    if span_ms is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not {A_DURATION}")
    return span_ms


def printable(text: str) -> str:
    """Return text with unprintable characters as \\n, \\x1b or \\u202e; an empty name as ""."""
    if not text:
        return '""'
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
