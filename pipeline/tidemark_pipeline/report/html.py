"""HTML as a tree, so that text of clients can never be taken for markup."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final
from urllib.parse import quote
from xml.etree.ElementTree import Element, tostring

from tidemark_pipeline.report.words import count, hint, moment, seen

Cell = Element | str | int
_VERBATIM: Final = ("viewBox",)


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
    return name if name in _VERBATIM else name.rstrip("_").replace("_", "-")


def _number(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else seen(str(value))


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Element:
    """Return a table, numbers right-aligned. Each cell also has the name of its column, for narrow
    screens.

    The script makes it searchable and sortable. A cell is sorted by its text, unless it is a number or has
    the attribute data-key.
    """
    cells = [list(row) for row in rows]
    numbers = [isinstance(value, int) for value in (cells[0] if cells else head)]
    names = (tag("th", name, **_class(is_number=number)) for name, number in zip(head, numbers, strict=True))
    body = (tag("tr", *map(_cell, head, row)) for row in cells)
    return tag("div", tag("table", tag("thead", tag("tr", *names)), tag("tbody", *body)), class_="list")


def _cell(name: str, value: Cell) -> Element:
    if isinstance(value, int):
        return tag("td", count(value), data_column=name, data_key=value, class_="number")
    cell = tag("td", value, data_column=name)
    if isinstance(value, Element) and "data-key" in value.attrib:
        cell.set("data-key", value.attrib.pop("data-key"))
    return cell


def _class(*, is_number: bool) -> dict[str, str]:
    return {"class_": "number"} if is_number else {}


def at(ms: int, as_of_ms: int) -> Element:
    """Return a time with its distance from as_of_ms, sorted by the time."""
    said = tag("div", moment(ms), class_="time", data_key=ms)
    distance = hint(ms, as_of_ms)
    if distance:
        said.append(tag("small", distance))
    return said


def section(title: str, lead: str, *content: Element) -> Element:
    return tag("section", tag("h2", title), tag("p", lead, class_="quiet"), *content, id=anchor(title))


def anchor(title: str) -> str:
    return title.lower().replace(" ", "-").replace(",", "")


def nothing(said: str) -> Element:
    return tag("p", said, class_="nothing")


def name(text: str) -> Element:
    """Return a name that a client chose. The empty one is visible too."""
    return tag("b", text or '""')


def opened(summary: Element | str, *content: Element) -> Element:
    """Return content that a reader opens."""
    return tag("details", tag("summary", summary), *content)


def download(name: str, text: str, label: str) -> Element:
    """Return a link to a CSV file within the page."""
    content = quote(text, safe=",/:", errors="surrogatepass")
    return tag("a", label, download=name, href=f"data:text/csv;charset=utf-8,{content}", class_="download")


def document(title: str, style: str, script: str, body: Sequence[Element]) -> str:
    """Return the whole page. The policy lets a browser use our style and our script, and nothing else."""
    ours = f"style-src {_hash(style)}; script-src {_hash(script)}"
    policy = f"default-src 'none'; {ours}; base-uri 'none'; form-action 'none'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        _ours("style", style),
    )
    root = tag("html", head, tag("body", *body, _ours("script", script)), lang="en")
    return "<!doctype html>\n" + tostring(root, encoding="unicode", method="html") + "\n"


def _ours(name: str, text: str) -> Element:
    """Return a style or script: its text is not escaped, so it must never be text of a client."""
    made = tag(name)
    made.text = text
    return made


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
