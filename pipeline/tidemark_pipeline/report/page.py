"""The report as one HTML page that needs nothing else: no network, light and dark, phone and print."""

from __future__ import annotations

from importlib.resources import files
from typing import Final
from xml.etree.ElementTree import Element

from tidemark_pipeline.report import expiring, groups, lost, verdict
from tidemark_pipeline.report.data import ReportData, Subject, Told
from tidemark_pipeline.report.html import anchor, document, tag
from tidemark_pipeline.report.words import hint, listed, moment, plural

READ: Final = "How it was read"
REBALANCING: Final = (
    "The log does not record that a group is rebalancing. Its offsets do not expire meanwhile, so the time "
    "of a classic group means: not before."
)
LEAVES_NO_TRACE: Final = "Offsets that were removed before the log was compacted leave no trace."


def page(data: ReportData) -> str:
    """Return the whole page. Text of clients is escaped, and invisible characters are shown."""
    told = data.subject.told
    said = verdict.headline(data) if told is None else told.headline.rstrip(".")
    sections = (lost.lost(data), expiring.expiring(data), groups.groups(data), _read(data.subject))
    body = [_header(data, said), tag("main", *sections)]
    return document(f"{said} - tidemark", _file("style.css"), _file("page.js"), body)


def _file(name: str) -> str:
    return (files("tidemark_pipeline.report") / name).read_text(encoding="utf-8")


def _header(data: ReportData, headline: str) -> Element:
    subject = data.subject
    of = tag(
        "p",
        "Committed offsets ",
        *(() if subject.group is None else ("of groups ", tag("code", listed([subject.group])), " ")),
        "in ",
        tag("code", listed(subject.directories, shown=1)),
        f" as of {moment(subject.as_of_ms)} ({subject.as_of}): what happened later is not here",
        class_="quiet",
    )
    title: list[Element | str] = [headline]
    if subject.told is not None and subject.group is not None and headline.startswith(subject.group):
        title = [tag("code", subject.group), headline.removeprefix(subject.group)]
    return tag("header", of, tag("h1", *title, "."), _verdict(data, headline), _contents())


def _verdict(data: ReportData, headline: str) -> Element:
    """Return what the log cannot say, the answer, and the retention that it assumes."""
    subject, told = data.subject, data.subject.told
    assumed, *doubt = verdict.retention_sentences(subject.retention)
    limits = told.limits if told is not None else [*subject.coverage.limits()]
    beyond = [tag("p", _sentence(limit), class_="limit") for limit in limits if limit not in headline]
    quiet = [
        tag("p", each, class_="quiet") for each in ((assumed,) if told is not None else (assumed, *doubt))
    ]
    if told is not None:
        return tag("div", *beyond, *_of_one_group(told), *quiet, id="verdict")
    said = [
        " ".join(
            [
                verdict.removals_sentence(data.removed, subject.retention),
                *verdict.lost_sentences(data.removed, data.lost, is_cut=data.lost_is_cut),
            ]
        ),
        verdict.coming_sentence(data.coming, data.losing, subject.as_of_ms, more=bool(data.removed.offsets)),
    ]
    return tag("div", *beyond, *(tag("p", each) for each in said), *quiet, id="verdict")


def _sentence(limit: str) -> str:
    """Return the clause as a sentence of its own, which names the log."""
    said = f"the log {limit.removeprefix('it ')}" if limit.startswith("it ") else limit
    return said[:1].upper() + said[1:] + ("" if said.endswith("?") else ".")


def _of_one_group(told: Told) -> list[Element]:
    events = (tag("li", tag("span", moment(at_ms), class_="quiet"), " ", what) for at_ms, what in told.events)
    return [tag("ol", *events), *(tag("p", each) for each in told.now)]


def _contents() -> Element:
    titles = (lost.TITLE, expiring.TITLE, groups.TITLE, READ)
    return tag("nav", *(tag("a", title, href=f"#{anchor(title)}") for title in titles))


def _read(subject: Subject) -> Element:
    facts = [
        ("directories", ", ".join(subject.directories)),
        ("groups", "all" if subject.group is None else f"{listed([subject.group])} (--group)"),
        ("as of", f"{moment(subject.as_of_ms)}, {subject.as_of}. “Earlier” and “in” count from then."),
        (
            "records",
            f"{plural(subject.records, 'record')} of {plural(subject.log_partitions, 'log partition')}",
        ),
        ("oldest record", _time(subject.first_ms, subject.as_of_ms)),
        ("complete from", _complete(subject)),
        ("retention", subject.retention.text),
        *(("remark", each) for each in subject.remarks),
        ("limits", f"{REBALANCING} {LEAVES_NO_TRACE}"),
    ]
    rows = (part for term, said in facts for part in (tag("dt", term), tag("dd", said)))
    return tag("section", tag("h2", READ), tag("dl", *rows), id=anchor(READ))


def _time(ms: int | None, as_of_ms: int) -> str:
    if ms is None:
        return "none"
    distance = "just then" if ms == as_of_ms else hint(ms, as_of_ms)
    return ", ".join(filter(None, (moment(ms), distance)))


def _complete(subject: Subject) -> str:
    since_ms = subject.coverage.complete_from_ms
    if since_ms is None:
        return "not known: compaction may have removed records at any time"
    return f"{moment(since_ms)}: compaction has removed no record written since"
