"""The report as one HTML page that needs nothing else: no script, no network, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final
from xml.etree.ElementTree import Element

from tidemark_pipeline.report.charts import bars, columns
from tidemark_pipeline.report.data import ROWS_MAX, Count, ReportData, Subject, Totals
from tidemark_pipeline.report.html import DAY_MS, count, document, moment, span, table, tag
from tidemark_pipeline.retention import SETTING, Retention, minutes_text

REBALANCING: Final = (
    "The log does not record that a group is rebalancing. Its offsets do not expire meanwhile, so the time "
    "of a classic group means: not before."
)


def page(data: ReportData) -> str:
    """Return the whole page. Text of clients is escaped, and invisible characters are shown."""
    style = (files("tidemark_pipeline.report") / "style.css").read_text(encoding="utf-8")
    sections = (
        _figures(data.totals, data.subject),
        _forecast(data),
        _losing(data),
        _removals(data),
        _lag(data),
        _activity(data),
        _rewinds(data),
        _limits(data.subject),
    )
    return document("Committed offsets", style, [_header(data.subject), tag("main", *sections)])


def _header(subject: Subject) -> Element:
    where = ", ".join(subject.directories)
    said = [
        tag(
            "p",
            "As of ",
            tag("b", f"{moment(subject.as_of_ms)} UTC"),
            f" ({subject.as_of}), read from ",
            tag("code", where),
            ".",
        ),
        tag(
            "p",
            f"{_records(subject)} The forecast goes by ",
            tag("b", retentions(subject.retention)),
            f" ({subject.retention.why}). All times are UTC.",
            class_="quiet",
        ),
    ]
    if subject.retention.contradiction is not None:
        said.append(tag("p", tag("b", "Warning: "), subject.retention.contradiction))
    return tag("header", tag("h1", "Where did my committed offsets go?"), *said)


def _records(subject: Subject) -> str:
    said = f"{_plural(subject.records, 'record')} of {_plural(subject.log_partitions, 'log partition')}"
    if subject.first_ms is not None:
        said += f", the oldest of {moment(subject.first_ms)} UTC"
    return f"{said}."


def retentions(retention: Retention) -> str:
    told = (retention_name(each, retention) for each in retention.forecast_ms)
    return f"{SETTING}=" + " and ".join(told)


def retention_name(retention_ms: int, retention: Retention) -> str:
    name = f"{minutes_text(retention_ms)} ({span(retention_ms)})"
    return name if retention.is_known else f"{name}, {retention.origin}"


def _figures(totals: Totals, subject: Subject) -> Element:
    lag = "not known" if totals.lag is None else count(totals.lag)
    by = "" if subject.retention.is_known else f" ({subject.retention.origin} retention)"
    tiles = (
        (count(totals.groups), "groups"),
        (count(totals.offsets), "committed offsets"),
        (count(totals.due), f"due now{by}"),
        (count(totals.next_day), f"more expire within a day{by}"),
        (count(totals.never), "do not expire"),
        (count(totals.removed), "removals in the log"),
        (lag, "records of lag"),
    )
    drawn = (tag("div", tag("b", number), tag("span", name)) for number, name in tiles)
    return tag("section", *drawn, class_="tiles")


def _section(title: str, lead: str, *content: Element) -> Element:
    return tag("section", tag("h2", title), tag("p", lead, class_="quiet"), *content)


def _more(found: Sequence[object], command: str) -> str:
    """Return a sentence if there are more rows than shown, with the command that has them all."""
    return f" The first {ROWS_MAX}; tidemark-pipeline {command} lists all." if len(found) > ROWS_MAX else ""


def _forecast(data: ReportData) -> Element:
    subject = data.subject
    series = [retention_name(each, subject.retention) for each in subject.retention.forecast_ms]
    lead = (
        "Offsets that expire, by day and by offsets.retention.minutes, if no consumer commits, joins or "
        "leaves. The broker's next cleanup pass removes them, by default at most ten minutes later."
    )
    if not data.forecast:
        return _section("The coming days", lead, _nothing("No offset expires."))
    plot = columns(data.forecast, DAY_MS, series, stacked=False)
    return _section("The coming days", lead, plot)


def _losing(data: ReportData) -> Element:
    title = "Groups that lose offsets next"
    retention = data.subject.retention
    by = f"{SETTING}={retention_name(retention.forecast_ms[0], retention)}"
    lead = f"With {by}. The earliest expiry is first."
    lead += _more(data.losing, "forecast")
    if not data.losing:
        return _section(title, lead, _nothing("None."))
    rows = (
        (
            tag("b", each.group or '""'),
            each.state,
            f"{count(each.going)} of {count(each.offsets)}",
            _expires(each.expires_at_ms, data.subject.as_of_ms, due=each.due),
            tag("div", tag("code", each.rule), tag("div", each.sentence)),
        )
        for each in data.losing[:ROWS_MAX]
    )
    return _section(title, lead, table(("group", "state", "offsets", "from", "why"), rows))


def _expires(expires_at_ms: int, as_of_ms: int, *, due: bool) -> Element:
    if due:
        return tag(
            "div", tag("b", "due", class_="warn"), tag("div", f"since {moment(expires_at_ms)}"), class_="time"
        )
    return tag(
        "div",
        tag("b", f"in {span(expires_at_ms - as_of_ms)}"),
        tag("div", moment(expires_at_ms)),
        class_="time",
    )


def _removals(data: ReportData) -> Element:
    title = "Removals found"
    lead = (
        "Tombstones of offsets that are still in the log. The log does not say why an offset was removed: "
        "the cause is inferred from the evidence beside it."
        f"{_more(data.removed, 'removals')}"
    )
    if not data.subject.retention.is_known:
        lead += " A cause is stated only if it holds for every retention that fits the log."
    if not data.removed:
        return _section(title, lead, _nothing("The log has no tombstone of an offset."))
    rows = (
        (_at(each.at_ms), tag("b", each.group or '""'), each.offsets, each.topics, tag("code", each.cause),
         each.evidence)
        for each in data.removed[:ROWS_MAX]
    )  # fmt: skip
    drawn = columns(data.removals, data.removals_bin_ms, _series(data.removals))
    head = ("at", "group", "offsets", "topics", "cause", "evidence")
    return _section(title, lead, drawn, table(head, rows))


def _lag(data: ReportData) -> Element:
    lead = "Records between a committed offset and the end of its partition, if the directories have its log."
    lead += _more(data.lagging, "lag")
    if not data.lagging:
        return _section(
            "Lag", lead, _nothing("No group lags, or the logs of its topics are not in the directories.")
        )
    shown = data.lagging[:ROWS_MAX]
    rows = ((tag("b", each.group or '""'), each.lag, each.partitions, each.worst, each.worst_lag)
            for each in shown)  # fmt: skip
    head = ("group", "lag", "partitions", "worst partition", "its lag")
    return _section("Lag", lead, bars({each.group: each.lag for each in shown}), table(head, rows))


def _activity(data: ReportData) -> Element:
    title = "Commits and rebalances"
    width = span(data.activity_bin_ms)
    lead = f"Counts per {width}. Compaction may have removed older commits of the same key."
    if not data.activity:
        return _section(title, lead, _nothing("None."))
    return _section(
        title,
        lead,
        *(
            columns([each for each in data.activity if each.series == name], data.activity_bin_ms, (name,))
            for name in _series(data.activity)
        ),
    )


def _rewinds(data: ReportData) -> Element:
    lead = "Commits of a lower offset than the one before: a reset, or a consumer that reads records again."
    lead += _more(data.rewinds, "rewinds")
    if not data.rewinds:
        return _section("Rewinds", lead, _nothing("None."))
    rows = (
        (_at(each.at_ms), tag("b", each.group or '""'), f"{each.topic}-{each.partition}", each.from_offset,
         each.to_offset, each.from_offset - each.to_offset)
        for each in data.rewinds[:ROWS_MAX]
    )  # fmt: skip
    return _section("Rewinds", lead, table(("at", "group", "partition", "from", "to", "by"), rows))


def _limits(subject: Subject) -> Element:
    complete = (
        "It is not known since when this log is complete."
        if subject.complete_from_ms is None
        else f"Nothing has been compacted away since {moment(subject.complete_from_ms)} UTC."
    )
    said = (
        complete,
        REBALANCING,
        "Offsets that were removed before the log was compacted leave no trace.",
        *subject.remarks,
    )
    return tag(
        "section", tag("h2", "What this page cannot know"), tag("ul", *(tag("li", each) for each in said))
    )


def _at(ms: int) -> Element:
    return tag("span", moment(ms), class_="time")


def _series(counts: Iterable[Count]) -> list[str]:
    return sorted({each.series for each in counts})


def _nothing(said: str) -> Element:
    return tag("p", said, class_="nothing")


def _plural(number: int, name: str) -> str:
    return f"{count(number)} {name}{'' if number == 1 else 's'}"
