"""HTML as a tree, so that text of clients can never be taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from xml.etree.ElementTree import Element, tostring

DAY_MS: Final = 86_400_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DATES_MS: Final = range(-62_135_596_800_000, 253_402_300_800_000)  # the years 1 to 9999
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def tag(name: str, /, *children: Element | str | int, **attributes: str | float) -> Element:
    """Return an element. `class_` is the attribute class; a `_` within a name is a `-`."""
    made = Element(name, {_attribute(key): _number(value) for key, value in attributes.items()})
    for child in children:
        if isinstance(child, Element):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + seen(str(child))
        else:
            made.text = (made.text or "") + seen(str(child))
    return made


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-") if name != "viewBox" else name


def _number(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else seen(str(value))


def seen(text: str) -> str:
    """Replace characters that are invisible, or change the direction of text, by their code."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def table(head: Sequence[str], rows: Iterable[Sequence[Element | str | int]]) -> Element:
    """Return a table, numbers right-aligned. Each cell also has the name of its column, for narrow
    screens.
    """
    cells = [list(row) for row in rows]
    numbers = [isinstance(value, int) for value in (cells[0] if cells else head)]
    names = (tag("th", name, **_class(is_number=number)) for name, number in zip(head, numbers, strict=True))
    body = (tag("tr", *map(_cell, head, row)) for row in cells)
    return tag("div", tag("table", tag("thead", tag("tr", *names)), tag("tbody", *body)), class_="scroll")


def _cell(name: str, value: Element | str | int) -> Element:
    number = isinstance(value, int)
    shown = count(value) if isinstance(value, int) else value
    return tag("td", shown, data_column=name, **_class(is_number=number))


def _class(*, is_number: bool) -> dict[str, str]:
    return {"class_": "number"} if is_number else {}


def count(number: int) -> str:
    return f"{number:,}"


def moment(ms: int) -> str:
    """Return a time in UTC, to the second; a number if it has no date."""
    if ms not in _DATES_MS:
        return f"{ms} ms"
    date = _EPOCH + timedelta(milliseconds=ms)
    return date.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")


def span(ms: int) -> str:
    """Return a duration in its two largest units."""
    left = abs(ms) // 1000
    said: list[str] = []
    for unit, seconds in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if left >= seconds and len(said) < 2:
            said.append(f"{left // seconds} {unit}")
            left %= seconds
    return " ".join(said) or "0 s"


def document(title: str, style: str, body: Sequence[Element]) -> str:
    rules = tag("style")
    rules.text = style  # our own style, not text of a client
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        rules,
    )
    root = tag("html", head, tag("body", *body), lang="en")
    return "<!doctype html>\n" + tostring(root, encoding="unicode", method="html") + "\n"
