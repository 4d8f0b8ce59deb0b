"""The section about what groups do: lag, rewinds, rebalances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from xml.etree.ElementTree import Element

from tidemark_pipeline.report.charts import columns
from tidemark_pipeline.report.data import Behind, Lagging, ReportData, Rewind, Rewound
from tidemark_pipeline.report.html import Cell, at, name, nothing, opened, section, table, tag
from tidemark_pipeline.report.words import count, partitions, plural, span

TITLE: Final = "Who lags, rewinds, rebalances"
POSITIONS: Final = {
    "below_start": ", records were removed before they were read",
    "past_end": ", past the end of the log",
}


def groups(data: ReportData) -> Element:
    return section(TITLE, _lead(data), *_lag(data), *_rewinds(data), *_rebalances(data), *_activity(data))


def _lead(data: ReportData) -> str:
    totals = data.totals
    known = data.lag.known or not data.coming.offsets
    lag = f"{plural(data.lag.groups, 'group')} lag{_s(data.lag.groups)}" if known else "Lag is not known"
    rewound = f"{plural(totals.rewound_groups, 'group')} rewound"
    return f"{lag}, {rewound}, {plural(totals.rebalanced, 'group')} rebalanced."


def _why_none(data: ReportData) -> str:
    if data.lag.known:
        return "No group lags."
    if not data.coming.offsets:
        return "No committed offset is stored."
    return "The logs of the topics are not in the directories."


def _s(number: int) -> str:
    return "s" if number == 1 else ""


def _first(shown: int, total: int, command: str) -> str:
    if shown >= total:
        return ""
    return f" The table has the first {count(shown)}; tidemark-pipeline {command} has all."


def _lag(data: ReportData) -> list[Element]:
    title = tag("h3", "Lag")
    if not data.lagging:
        return [title, nothing(_why_none(data))]
    lead = (
        f"{plural(data.lag.groups, 'group')} lag{_s(data.lag.groups)}, by "
        f"{plural(data.lag.records, 'record')} between a committed offset and the end of its partition."
        f"{_first(len(data.lagging), data.lag.groups, 'lag')}"
    )
    head = ("group", "lag", "partitions", "worst partition")
    return [title, tag("p", lead, class_="quiet"), table(head, map(_lagging, data.lagging))]


def _lagging(each: Lagging) -> list[Cell]:
    items = _items(map(_behind, each.worst), each.partitions)
    return [name(each.group), each.lag, each.partitions, opened(_behind(each.worst[0]), tag("ul", *items))]


def _behind(each: Behind) -> str:
    return f"{each.topic}-{each.partition}: {count(each.lag)}{POSITIONS.get(each.position, '')}"


def _items(texts: Iterable[str], total: int) -> list[Element]:
    """Return a list of these texts, and how many of the total are not among them."""
    items = [tag("li", text) for text in texts]
    rest = total - len(items)
    return items + ([tag("li", f"and {count(rest)} more")] if rest > 0 else [])


def _rewinds(data: ReportData) -> list[Element]:
    title = tag("h3", "Rewinds")
    if not data.rewinds:
        return [title, nothing("No group committed a lower offset than before.")]
    lead = (
        f"{plural(data.totals.rewound, 'commit')} of a lower offset than the one before, by "
        f"{plural(data.totals.rewound_groups, 'group')}: a reset, or a consumer that reads records again."
        f"{_first(sum(each.offsets for each in data.rewinds), data.totals.rewound, 'rewinds')}"
    )
    rows = (_rewound(each, data.subject.as_of_ms) for each in data.rewinds)
    head = ("at", "group", "offsets", "by", "partitions")
    return [title, tag("p", lead, class_="quiet"), table(head, rows)]


def _rewound(each: Rewound, as_of_ms: int) -> list[Cell]:
    items = _items(map(_rewind, each.first), each.offsets)
    if len(items) == 1:
        which: Cell = _rewind(each.first[0])
    else:
        which = opened(partitions((one.topic, one.partition) for one in each.first), tag("ul", *items))
    return [at(each.at_ms, as_of_ms), name(each.group), each.offsets, each.records, which]


def _rewind(each: Rewind) -> str:
    return f"{each.topic}-{each.partition}: {count(each.from_offset)} to {count(each.to_offset)}"


def _rebalances(data: ReportData) -> list[Element]:
    title = tag("h3", "Rebalances")
    if not data.rebalanced:
        return [title, nothing("The log has no rebalance.")]
    lead = (
        f"{plural(data.totals.rebalances, 'rebalance')} of {plural(data.totals.rebalanced, 'group')} "
        f"{'is' if data.totals.rebalances == 1 else 'are'} still in the log."
        f"{_first(len(data.rebalanced), data.totals.rebalanced, 'timeline')}"
    )
    as_of_ms = data.subject.as_of_ms
    rows: list[list[Cell]] = [
        [name(each.group), each.rebalances, at(each.last_ms, as_of_ms)] for each in data.rebalanced
    ]
    return [title, tag("p", lead, class_="quiet"), table(("group", "rebalances", "the last"), rows)]


def _activity(data: ReportData) -> list[Element]:
    if not data.activity:
        return []
    lead = (
        f"Commits and rebalances per {span(data.activity_bin_ms)}. Compaction may have removed older commits "
        "of the same partition."
    )
    plots = [
        columns([each for each in data.activity if each.series == one], data.activity_bin_ms, (one,))
        for one in sorted({each.series for each in data.activity})
    ]
    return [tag("h3", "Over time"), tag("p", lead, class_="quiet"), *plots]
