"""Durations as users write them: on command lines and in queries of the HTTP API."""

from __future__ import annotations

import re
from typing import Final

DURATION_MS_MAX: Final = 2**53  # the largest exact integer in JavaScript: 285,000 years
UNITS_MS: Final = {
    "ms": 1,
    "s": 1_000,
    "min": 60_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 7 * 86_400_000,
}
A_DURATION: Final = "a duration such as 90s, 30min, 7d or 1d12h (units: ms, s, min or m, h, d, w)"
_PART: Final = re.compile(rf"([0-9]{{1,16}})({'|'.join(UNITS_MS)})")
_PARTS: Final = re.compile(rf"(?:{_PART.pattern})+")


def read_duration(text: str) -> int | None:
    """Return the milliseconds of a duration, None if the text is not one or exceeds DURATION_MS_MAX."""
    if not _PARTS.fullmatch(text):
        return None
    span_ms = sum(int(number) * UNITS_MS[unit] for number, unit in _PART.findall(text))
    return span_ms if span_ms <= DURATION_MS_MAX else None
