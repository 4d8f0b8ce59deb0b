"""Numbers, times and lists as text, in one form for the whole page. No HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from tidemark_expiry.rules import Rule

MINUTE_MS: Final = 60_000
DAY_MS: Final = 86_400_000
NAMES_SHOWN: Final = 3
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DATES_MS: Final = range(-62_135_596_800_000, 253_402_300_800_000)  # the years 1 to 9999
_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_ISO: Final = re.compile(r"(\d{4,}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d{3})?Z")
_SECONDS: Final = re.compile(r"\b(\d+)\.\d s\b")
_RETENTION: Final = re.compile(r"\bretention of \d[\d, to]* min\b")
_RULE: Final = re.compile(rf"\brule ({'|'.join(Rule)})\b")
_NOT_DUE: Final = re.compile(r"(\bwas not due [^;(]*?) \(rule \w+\)")
_RULES: Final = {
    Rule.GROUP_EMPTY: "group empty",
    Rule.TOPIC_NOT_SUBSCRIBED: "topic not subscribed",
    Rule.STANDALONE: "never had members",
    Rule.EXPLICIT_RETENTION: "own retention",
    Rule.ACTIVE: "in use",
    Rule.PENDING_TRANSACTION: "open transaction",
    Rule.NOT_SERVED: "group type not served",
}
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
    return worded(_ISO.sub(r"\1 \2 UTC", sentence))


def rule_words(rule: str) -> str:
    """Return the name of a rule as words; any other text unchanged."""
    return _RULES[Rule(rule)] if rule in list(Rule) else rule


def worded(evidence: str) -> str:
    """Return the evidence of a removal with its rule as words, and with durations in units up to days.

    The rule under which an offset was not due is left out: it would read like the reason.
    """
    evidence = _NOT_DUE.sub(r"\1", evidence)
    text = _RULE.sub(lambda found: rule_words(found[1]), evidence)
    text = _SECONDS.sub(_long_duration, text)
    return _RETENTION.sub(_days, text)


def _long_duration(found: re.Match[str]) -> str:
    seconds = int(found[1])
    return span(seconds * 1000) if seconds >= 60 else found[0]


def _days(found: re.Match[str]) -> str:
    """Return "retention of 7 d 1 h 3 min" for "retention of 10143 min": unlike an age, it stays exact."""

    def exact(number: re.Match[str]) -> str:
        hours, minutes = divmod(int(number[0]), 60)
        parts = ((hours // 24, "d"), (hours % 24, "h"), (minutes, "min"))
        return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 min"

    return re.sub(r"\d+", exact, found[0].removesuffix(" min"))


def seen(text: str) -> str:
    """Replace characters that are invisible, or change the direction of text, by their code."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def is_unseen(text: str) -> bool:
    """Return whether `seen` would change the text."""
    return _UNSEEN.search(text) is not None
