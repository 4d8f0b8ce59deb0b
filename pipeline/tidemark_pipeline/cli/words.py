"""Times, counts and names as text, and durations from text. Needs no Spark."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MS: Final = 253_402_300_799_999  # the end of the year 9999
UNITS_MS: Final = {
    "s": 1_000,
    "min": 60_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 7 * 86_400_000,
}
PART: Final = re.compile(rf"(\d{{1,9}})({'|'.join(UNITS_MS)})", re.ASCII)


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
    """Return a duration such as 90s, 1h or 1d12h in ms. Raises argparse.ArgumentTypeError for anything
    else.
    """
    if not re.fullmatch(rf"(?:{PART.pattern})+", text, re.ASCII):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a duration such as 90s, 15min, 1h, 1d, 2w or 1d12h"
        )
    return sum(int(number) * UNITS_MS[unit] for number, unit in PART.findall(text))


def printable(text: str) -> str:
    """Return text with unprintable characters as \\n, \\x1b or \\u202e; an empty name as ""."""
    if not text:
        return '""'
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
