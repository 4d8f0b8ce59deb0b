"""The section about removed offsets: by group, equal rows together, and how to give them back."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element

from tidemark_pipeline.report.charts import columns
from tidemark_pipeline.report.data import PARTITIONS_MAX, ROWS_MAX, LostGroup, LostOffset, ReportData
from tidemark_pipeline.report.give_back import ALL_FILE, command, file_names, write_rows
from tidemark_pipeline.report.html import Cell, at, download, name, nothing, opened, section, table, tag
from tidemark_pipeline.report.verdict import CAUSES, LIKELY_EXPIRED, REQUESTS, missing_offsets, restorable
from tidemark_pipeline.report.words import count, in_words, listed, moment, plural, retold

TITLE: Final = "What was lost"
SAME_PASS_MS: Final = 5_000  # removals of one cleanup pass or request are written within this time
_NUMBER: Final = re.compile(r"\d[\d.]*")


@dataclass(slots=True, frozen=True)
class Equal:
    """Offsets of a group that were removed together, for the same cause, with the same kind of evidence."""

    offsets: Sequence[LostOffset]

    @property
    def cause(self) -> str:
        first = self.offsets[0]
        if first.likely is not None:
            return CAUSES[LIKELY_EXPIRED]
        if first.cause != "unknown":
            return CAUSES[first.cause]
        return f"unknown: {' or '.join(CAUSES[each] for each in first.possible)}"


def equal_rows(offsets: Iterable[LostOffset]) -> list[Equal]:
    """Group the removed offsets of one group, the latest first."""

    def kind(each: LostOffset) -> tuple[object, ...]:
        return each.cause, tuple(each.possible), _NUMBER.sub("#", each.evidence), each.likely or ""

    found: list[Equal] = []
    ordered = sorted(
        offsets, key=lambda each: (str(kind(each)), -each.removed_at_ms, each.topic, each.partition)
    )
    for _, same in groupby(ordered, key=kind):
        together: list[LostOffset] = []
        for each in same:
            if together and together[-1].removed_at_ms - each.removed_at_ms > SAME_PASS_MS:
                found.append(Equal(together))
                together = []
            together.append(each)
        found.append(Equal(together))
    return sorted(found, key=lambda each: -each.offsets[0].removed_at_ms)


def lost(data: ReportData) -> Element:
    missing = [group for each in data.lost if (group := _only(each, again=False)).offsets]
    again = [group for each in data.lost if (group := _only(each, again=True)).offsets]
    if not data.removed.offsets:
        return section(
            TITLE,
            "Kafka keeps the record of a removal for a day or longer, until the cleaner removes it.",
            nothing("The log has no removal of a committed offset."),
        )
    removed = data.removed.offsets
    restored = f"{'It was' if removed == 1 else 'All of them were'} committed again since, perhaps lower."
    content = [_missing(missing, data)] if missing else [nothing(restored)]
    if again:
        content.append(_again(again, data))
    content.append(columns(data.removals, data.removals_bin_ms, _series(data)))
    return section(TITLE, _lead(missing, data), *content)


def _only(group: LostGroup, *, again: bool) -> LostGroup:
    return LostGroup(
        group.group, [each for each in group.offsets if each.committed_again == again], group.reset_csv
    )


def _lead(missing: Sequence[LostGroup], data: ReportData) -> str:
    number = missing_offsets(missing) if missing else data.removed.offsets
    was = "was" if number == 1 else "were"
    if missing:
        said = (
            f"{plural(number, 'offset')} of {plural(len(missing), 'group')} {was} removed and not committed "
            "again since, the newest removal first."
        )
    else:
        said = f"{plural(number, 'committed offset')} {was} removed."
    said += (
        " The log records that an offset was removed, not why. A cause is named if nothing else fits the "
        "records; one that is not certain is called likely, or unknown."
    )
    if data.lost_is_cut:
        number = sum(len(each.offsets) for each in data.lost)
        said += f" This page has {count(number)} removed offsets; tidemark-pipeline removals has all."
    return said + _cut(missing, "removals")


def _cut(found: Sequence[LostGroup], command: str) -> str:
    if len(found) <= ROWS_MAX:
        return ""
    return f" The table has the first {count(ROWS_MAX)} groups; tidemark-pipeline {command} has all."


def _series(data: ReportData) -> list[str]:
    return sorted({each.series for each in data.removals})


def _missing(missing: Sequence[LostGroup], data: ReportData) -> Element:
    files = file_names(each.group for each in missing)
    rows = [
        [*_row(group, data), _give_back(group, file)]
        for group, file in zip(missing[:ROWS_MAX], files, strict=False)
    ]
    head = ("group", "offsets", "last removed", "why", "give back")
    return tag("div", *_all_back(missing, data), table(head, rows))


def _row(group: LostGroup, data: ReportData) -> list[Cell]:
    last = max(each.removed_at_ms for each in group.offsets)
    return [
        name(group.group),
        len(group.offsets),
        at(last, data.subject.as_of_ms),
        _why(equal_rows(group.offsets)),
    ]


def _why(found: Sequence[Equal]) -> Element:
    causes: Counter[str] = Counter()
    for each in found:
        causes[each.cause] += len(each.offsets)
    many = len(causes) > 1
    summary = in_words(
        [f"{count(number)} {cause}" if many else cause for cause, number in causes.most_common()]
    )
    return opened(
        summary,
        *(_equal(each, many=many) for each in found[:PARTITIONS_MAX]),
        *_rest(len(found) - PARTITIONS_MAX),
    )


def _rest(more: int) -> list[Element]:
    return [nothing(f"and {plural(more, 'more removal')}")] if more > 0 else []


def _equal(found: Equal, *, many: bool) -> Element:
    first = found.offsets[0]
    shown = found.offsets[:PARTITIONS_MAX]
    more = len(found.offsets) - len(shown)
    return tag(
        "div",
        tag("div", moment(first.removed_at_ms) + (f": {found.cause}" if many else "")),
        tag("div", retold(first.evidence), class_="quiet"),
        *([] if first.likely is None else [tag("div", f"Likely expired: {first.likely}.")]),
        tag(
            "ul",
            *(tag("li", _offset(each)) for each in shown),
            *([tag("li", f"and {count(more)} more")] if more > 0 else []),
        ),
        class_="equal",
    )


def _offset(each: LostOffset) -> str:
    said = f"{each.topic}-{each.partition}"
    said += " (commit not in the log)" if each.offset is None else f" at {count(each.offset)}"
    return said + (f", removed {count(each.times)} times" if each.times > 1 else "")


def _give_back(group: LostGroup, file: str) -> Element:
    back = sum(each.left_out is None for each in group.offsets)
    parts: list[Element] = []
    if back:
        shown = [f"{each.topic}-{each.partition} to {count(each.offset or 0)}"
                 for each in group.offsets if each.left_out is None]  # fmt: skip
        parts.append(tag("div", f"sets {listed(shown)}"))
        parts.append(download(file, group.reset_csv, f"{file} ({plural(back, 'offset')})"))
        parts.append(opened("Command", tag("code", command([group.group], file), class_="command")))
    parts += [tag("div", f"Left out: {each}", class_="quiet") for each in _left_out([group])]
    return tag("div", *parts)


def _left_out(groups: Iterable[LostGroup]) -> list[str]:
    """Return how many offsets the reset file omits, and why."""
    reasons = Counter(
        each.left_out for group in groups for each in group.offsets if each.left_out is not None
    )
    return [f"{count(number)} {reason}" for reason, number in sorted(reasons.items())]


def _all_back(missing: Sequence[LostGroup], data: ReportData) -> list[Element]:
    """Return the file for all groups and its command."""
    back = sorted((each for each in missing if each.reset_csv), key=lambda each: each.group)
    left_out = (
        [tag("p", f"Left out: {', '.join(_left_out(missing))}.", class_="quiet")]
        if _left_out(missing)
        else []
    )
    if not back:
        return [tag("p", "None of them can be given back."), *left_out]
    file = io.StringIO(newline="")
    write_rows(
        (
            (group.group, each.topic, each.partition, each.offset)
            for group in back
            for each in group.offsets
            if each.left_out is None and each.offset is not None
        ),
        file,
    )
    reset = command([each.group for each in back], ALL_FILE)
    traces = (
        " Kafka's tool prints a stack trace for each group (InvalidFormatException) and sets the offsets "
        "nevertheless."
        if len(back) > 1
        else ""
    )
    label = f"{ALL_FILE} ({plural(restorable(back), 'offset')} of {plural(len(back), 'group')})"
    return [
        tag("p", f"To give {_of(missing)} back, download ", download(ALL_FILE, file.getvalue(), label),
            " and run the command below with the address of your broker. Stop the consumers of the groups "
            "before, and look at what they have committed since "
            f"{moment(data.subject.as_of_ms)}.{_on_purpose(back)}" + traces),
        opened("Command for all groups", tag("code", reset, class_="command")),
        *left_out,
    ]  # fmt: skip


def _on_purpose(back: Sequence[LostGroup]) -> str:
    """Return how many offsets of the file a client deleted, certainly or possibly."""
    own = [each for group in back for each in group.offsets if each.left_out is None]
    asked = sum(each.cause in REQUESTS for each in own)
    perhaps = sum(each.cause not in REQUESTS and not set(REQUESTS).isdisjoint(each.possible) for each in own)
    said = f" A client deleted {_number(asked, len(own))}: was that on purpose?" if asked else ""
    return said + (f" A client may have deleted {_number(perhaps, len(own))}." if perhaps else "")


def _number(number: int, total: int) -> str:
    return f"{count(number)} of them" if total > 1 else "it"


def _of(missing: Sequence[LostGroup]) -> str:
    back, every = restorable(missing), missing_offsets(missing)
    return ("it" if every == 1 else "them") if back == every else f"{count(back)} of them"


def _again(again: Sequence[LostGroup], data: ReportData) -> Element:
    offsets = sum(len(each.offsets) for each in again)
    summary = (
        f"Removed, and committed again since: {plural(offsets, 'offset')} of {plural(len(again), 'group')}"
    )
    head = ("group", "offsets", "last removed", "why")
    return opened(
        summary,
        tag(
            "p",
            "No file has these, because that would undo the later commits. If those are too low, set the "
            "offsets by hand (--reset-offsets --to-offset).",
        ),
        table(head, [_row(group, data) for group in again[:ROWS_MAX]]),
    )
