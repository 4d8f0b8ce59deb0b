"""Numbers, times and lists as text, in one form for the whole page. No HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

MINUTE_MS: Final = 60_000
DAY_MS: Final = 86_400_000
NAMES_SHOWN: Final = 3
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DATES_MS: Final = range(-62_135_596_800_000, 253_402_300_800_000)  # the years 1 to 9999
_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_ISO: Final = re.compile(r"(\d{4,}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d{3})?Z")
_SECONDS: Final = re.compile(r"\b(\d+)\.\d s\b")
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def count(number: int) -> str:
    return f"{number:,}"


def plural(number: int, name: str) -> str:
    """Return the number and the name, with an s unless the number is 1."""
    return f"{count(number)} {name}{'' if number == 1 else 's'}"


def moment(ms: int) -> str:
    """Return a time in UTC, to the second; a number if it has no date."""
    return f"{_text(ms, 'seconds')} UTC" if ms in _DATES_MS else f"{ms} ms"


def minute(ms: int) -> str:
    """Return a time to the minute, without its zone; a number if it has no date."""
    return _text(ms, "minutes") if ms in _DATES_MS else f"{ms} ms"


def _text(ms: int, precision: str) -> str:
    date = _EPOCH + timedelta(milliseconds=ms)
    return date.replace(tzinfo=None).isoformat(sep=" ", timespec=precision)


def span(ms: int) -> str:
    """Return a duration in its two largest units."""
    left = abs(ms) // 1000
    said: list[str] = []
    for unit, seconds in _UNITS:
        if left >= seconds and len(said) < 2:
            said.append(f"{left // seconds} {unit}")
            left %= seconds
    return " ".join(said) or "0 s"


def hint(ms: int, as_of_ms: int) -> str:
    """Return how far the time is from as_of_ms: "3 h 5 min earlier", "in 2 d 4 h"."""
    if ms not in _DATES_MS or ms == as_of_ms:
        return ""
    distance = span(ms - as_of_ms)
    return f"in {distance}" if ms > as_of_ms else f"{distance} earlier"


def listed(names: Sequence[str], total: int | None = None, shown: int = NAMES_SHOWN) -> str:
    """Return the first few names, and how many more there are. total: if names are not all of them."""
    first = [name or '""' for name in names[:shown]]
    more = (len(names) if total is None else total) - len(first)
    return ", ".join(first) + (f" and {count(more)} more" if more > 0 else "")


def partitions(found: Iterable[tuple[str, int]]) -> str:
    """Return partitions by topic, with ranges: "orders-0 to 3, orders-7, payments-1"."""
    runs: list[tuple[str, int, int]] = []
    for topic, partition in sorted(found):
        if runs and runs[-1][0] == topic and runs[-1][2] == partition - 1:
            runs[-1] = (topic, runs[-1][1], partition)
        else:
            runs.append((topic, partition, partition))
    return ", ".join(f"{topic}-{a}" if a == b else f"{topic}-{a} to {b}" for topic, a, b in runs)


def in_words(parts: Sequence[str], last: str = "and") -> str:
    """Return "a", "a and b", "a, b and c"."""
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def retold(sentence: str, names: Iterable[str] = ()) -> str:
    """Return a sentence of a table with its times and durations as the page writes them.

    names: chosen by clients, in the sentence. If one of them looks like a time, the sentence is not changed.
    """
    if any(_ISO.search(name) or _SECONDS.search(name) for name in names):
        return sentence
    return _SECONDS.sub(_long_duration, _ISO.sub(r"\1 \2 UTC", sentence))


def _long_duration(found: re.Match[str]) -> str:
    seconds = int(found[1])
    return span(seconds * 1000) if seconds >= 60 else found[0]


def seen(text: str) -> str:
    """Replace characters that are invisible, or change the direction of text, by their code."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def is_unseen(text: str) -> bool:
    """Return whether `seen` would change the text."""
    return _UNSEEN.search(text) is not None
