"""The section about offsets that expire next."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element

from tidemark_pipeline.report.charts import columns
from tidemark_pipeline.report.data import Expiring, Losing, ReportData
from tidemark_pipeline.report.html import Cell, at, name, nothing, opened, section, table, tag
from tidemark_pipeline.report.verdict import retention_name
from tidemark_pipeline.report.words import DAY_MS, count, moment, partitions, plural, retold, rule_words
from tidemark_pipeline.retention import SETTING

TITLE: Final = "What expires next"


def expiring(data: ReportData) -> Element:
    if not data.losing:
        lead = "Offsets that expire unless consumers commit, join or leave."
        return section(TITLE, lead, nothing("No stored offset expires."))
    head = ("group", "state", "offsets that expire", "the first", "why")
    content = table(head, (_row(each, data.subject.as_of_ms) for each in data.losing))
    return section(TITLE, _lead(data), *_plot(data), content)


def _lead(data: ReportData) -> str:
    coming, by = data.coming, data.subject.retention
    said = f"{plural(coming.losing, 'group')} will lose offsets"
    if coming.losing > len(data.losing):
        said += f"; the table has the first {count(len(data.losing))}, and tidemark-pipeline forecast has all"
    going = coming.offsets - coming.never
    said += (
        f". {count(going)} of {plural(coming.offsets, 'committed offset')} expire{'s' if going == 1 else ''} "
        "unless consumers commit, join or leave. The broker's next cleanup pass removes them, by default at "
        "most ten minutes later."
    )
    if len(by.forecast_ms) > 1:
        said += f" The table is for {SETTING}={retention_name(by.forecast_ms[0], by)}."
    return said


def _plot(data: ReportData) -> list[Element]:
    by = data.subject.retention
    series = [retention_name(each, by) for each in by.forecast_ms]
    found = [each for each in data.forecast if each.series in series]
    return [columns(found, DAY_MS, series, stacked=False)] if found else []


def _row(each: Losing, as_of_ms: int) -> list[Cell]:
    first = each.first[0]
    offsets = tag("span", f"{count(each.going)} of {count(each.offsets)}", data_key=each.going)
    expires = at(first.expires_at_ms, as_of_ms)
    if first.due:
        expires.append(tag("b", "overdue", class_="warn"))
    return [name(each.group), each.state, offsets, expires, _why(each)]


def _why(each: Losing) -> Element:
    names = [each.group, *(at.topic for at in each.first)]
    rules = ", ".join(dict.fromkeys(rule_words(at.rule) for at in each.first))
    rest = each.going - len(each.first)
    return opened(
        rules,
        tag("div", retold(each.sentence, names)),
        tag("ul", *_times(each.first), *([tag("li", f"and {count(rest)} more")] if rest > 0 else [])),
    )


def _times(first: Iterable[Expiring]) -> Iterable[Element]:
    """Yield the partitions that expire in the same second by the same rule."""
    for (when, rule), same in groupby(first, key=lambda each: (moment(each.expires_at_ms), each.rule)):
        yield tag(
            "li", f"{when}: {partitions((each.topic, each.partition) for each in same)} ({rule_words(rule)})"
        )
