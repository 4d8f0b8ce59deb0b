"""The report's page: its order and content, escaped text of clients, and no use of the network."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from tests.pipeline.report_data import DATA, HOSTILE, HOUR_MS, NOW_MS, TOPIC, at_the_bounds, lost_offset
from tidemark_pipeline.report import page
from tidemark_pipeline.report.charts import columns
from tidemark_pipeline.report.data import (
    Behind,
    Coming,
    Count,
    Lag,
    Lagging,
    LostGroup,
    Removed,
    Told,
    Totals,
)
from tidemark_pipeline.report.html import table
from tidemark_pipeline.report.lost import equal_rows
from tidemark_pipeline.report.words import DAY_MS

EMPTY = replace(
    DATA,
    removed=Removed(),
    coming=Coming(),
    lag=Lag(),
    totals=Totals(),
    lost=(),
    forecast=(),
    losing=(),
    removals=(),
    lagging=(),
    activity=(),
    rewinds=(),
    rebalanced=(),
)


class Read(HTMLParser):
    """Collects tags and text as a browser parses them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def said(self) -> str:
        return " ".join(self.texts)

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def test_text_of_clients_is_never_markup_or_script() -> None:
    read = Read(page(DATA))
    assert len(read.all("script")) == 1 and not read.all("b")[0]
    assert read.texts.count(HOSTILE) == 2  # what it lost, and what it loses
    assert any(TOPIC in text for text in read.texts)
    assert any("0.5 s before <then>" in text for text in read.texts)
    assert "alert" not in page(EMPTY)


def test_the_page_needs_no_network() -> None:
    text = page(DATA)
    read = Read(text)
    names = {name for _, attributes in read.tags for name in attributes}
    assert not names & {"src", "xlink:href", "onclick", "onload", "style"}
    assert "://" not in text and "url(" not in text and "@import" not in text
    links = {(link["href"] or "").split(",")[0] for link in read.all("a")}
    assert all(link.startswith(("#", "data:text/csv;")) for link in links)


def test_the_policy_permits_our_style_and_script_and_nothing_else() -> None:
    text = page(DATA)
    (policy,) = (each["content"] for each in Read(text).all("meta") if "http-equiv" in each)
    parts = dict(part.split(" ", 1) for part in (policy or "").split("; "))
    assert parts["default-src"] == "'none'"
    for name in ("style", "script"):
        ours = text.split(f"<{name}>")[1].split(f"</{name}>")[0]
        expected = b64encode(sha256(ours.encode()).digest()).decode()
        assert parts[f"{name}-src"] == f"'sha256-{expected}'"


def test_the_verdict_comes_before_all_tables() -> None:
    text = page(DATA)
    titles = [
        "2 committed offsets are lost, 1 group went back to lower offsets, 3 more expire within a day, the "
        "first in 1 h 30 min.",
        "2 committed offsets were removed between 2026-11-21 10:00 and 2026-11-21 11:00 UTC",
        "=10080 (7 d), assumed",
        "What was lost</h2>",
        "What expires next</h2>",
        "Who lags, rewinds, rebalances</h2>",
        "How it was read</h2>",
    ]
    places = [text.index(each, text.index("<body>")) for each in titles]
    assert places == sorted(places)
    assert f"<title>{titles[0].removesuffix('.')} - tidemark</title>" in text


def test_the_page_about_one_group_tells_what_happened_in_order() -> None:
    events = [(NOW_MS - HOUR_MS, "the last member left"), (NOW_MS, f"it lost offset 7 of {HOSTILE}-0")]
    told = Told("billing lost offset 7 of orders-0.", events, ["No committed offset is stored now."])
    text = page(replace(DATA, subject=replace(DATA.subject, group="billing", told=told)))
    assert "<h1><code>billing</code> lost offset 7 of orders-0.</h1>" in text
    said = Read(text).said
    assert said.index("the last member left") < said.index(f"it lost offset 7 of {HOSTILE}-0")
    assert "2026-11-21 11:00:00 UTC" in said


def test_characters_that_reverse_text_are_visible() -> None:
    assert "slow\\u202e" in Read(page(DATA)).texts


def test_every_section_has_its_numbers_and_times_in_one_format() -> None:
    said = Read(page(DATA)).said
    for expected in (
        "1,234 records of 4 log partitions",
        "2026-11-20 12:00:00 UTC, 1 d earlier",
        "in 1 h 30 min",
        "1 h earlier",
        "1 group will lose offsets. 3 of 40 committed offsets expire",
        "expires at 2026-11-21 13:30:00 UTC.",
        "1 group lags, by 99 records",
        "5 rebalances of 1 group",
        "orders-0: 100 to 40",
        "A remark.",
    ):
        assert expected in said, expected
    assert "T13:30" not in said


def test_a_report_about_some_groups_names_them_first() -> None:
    text = page(replace(DATA, subject=replace(DATA.subject, group="billing-*")))
    assert "Committed offsets of groups <code>billing-*</code> in <code>/disk1</code> as of" in text
    assert "(--group)" in text and "(--group)" not in page(DATA)


def test_the_page_reports_an_empty_log() -> None:
    said = Read(page(EMPTY)).said
    for expected in (
        "Nothing in this log says that committed offsets were lost; it has every record since",
        "No committed offset is stored when the log ends.",
        "No stored offset expires.",
        "The log has no removal of a committed offset.",
        "0 groups lag, 0 groups rewound, 0 groups rebalanced.",
        "No committed offset is stored.",
    ):
        assert expected in said, expected


def test_each_group_has_its_reset_file_and_command() -> None:
    topic = lost_offset(0).topic
    groups = [
        LostGroup("a b", [lost_offset(0)], f"{topic},0,82\n"),
        LostGroup(
            "A_B", [lost_offset(0), lost_offset(1, left_out="of a negative offset")], f"{topic},0,82\n"
        ),
    ]
    read = Read(page(replace(DATA, lost=groups)))
    files = {
        link["download"]: unquote((link["href"] or "").split(",", 1)[1])
        for link in read.all("a")
        if "download" in link
    }
    assert files == {
        "reset-a_b.csv": f"{topic},0,82\n",
        "reset-A_B-2.csv": f"{topic},0,82\n",
        "reset-all.csv": f"A_B,{topic},0,82\na b,{topic},0,82\n",
    }
    end = "--reset-offsets --from-file reset-a_b.csv --execute"
    assert f"kafka-consumer-groups --bootstrap-server localhost:9092 --group 'a b' {end}" in read.texts
    assert "Left out: 1 of a negative offset" in read.texts


def test_offsets_that_were_committed_again_are_not_among_the_lost() -> None:
    group = LostGroup(
        "g", [lost_offset(0), lost_offset(1, committed_again=True, left_out="committed again since")], ""
    )
    read = Read(page(replace(DATA, lost=[group])))
    assert "1 offset of 1 group was removed and not committed again since" in read.said
    assert "Removed, and committed again since: 1 offset of 1 group" in read.texts


def test_a_report_of_offsets_that_were_all_committed_again_says_that() -> None:
    again = lost_offset(0, committed_again=True, left_out="committed again since")
    read = Read(page(replace(DATA, lost=[LostGroup("g", [again], "")])))
    removed = DATA.removed.offsets
    assert (
        f"{removed} committed offsets were removed. The log records that an offset was removed, not why"
        in read.said
    )
    assert "All of them were committed again since, perhaps lower." in read.said


def test_a_time_without_a_date_is_not_said_to_be_now() -> None:
    subject = replace(DATA.subject, first_ms=2**62)
    said = Read(page(replace(DATA, subject=subject))).said
    assert f"{2**62} ms" in said and f"{2**62} ms, just then" not in said


def test_equal_rows_are_one_row() -> None:
    offsets = [
        *(lost_offset(each, NOW_MS - each) for each in range(3)),
        lost_offset(3, NOW_MS - DAY_MS),  # another pass
        lost_offset(4, cause="unknown", possible=("expired", "group_delete"), at_ms=NOW_MS),
        lost_offset(5, evidence="something else", at_ms=NOW_MS - 10),
    ]
    found = [[each.partition for each in row.offsets] for row in equal_rows(offsets)]
    assert sorted(found) == [[0, 1, 2], [3], [4], [5]]
    assert found[-1] == [3]


def test_a_shortened_table_names_the_total_and_the_command_for_all_rows() -> None:
    lagging = [Lagging(f"g{each}", 9, 1, [Behind("t", 0, 9, "within")]) for each in range(3)]
    whole = page(replace(DATA, lagging=lagging, lag=Lag(3, 27, 3)))
    assert "3 groups lag, by 27 records" in whole and "tidemark-pipeline lag" not in whole
    cut = page(replace(DATA, lagging=lagging, lag=Lag(2500, 27, 3)))
    assert "2,500 groups lag, by 27 records" in cut
    assert "The table has the first 3; tidemark-pipeline lag has all." in cut


def test_the_size_of_the_page_is_bounded() -> None:
    assert len(page(at_the_bounds())) < 10_000_000


def test_cells_have_their_columns_name_and_a_key_to_sort_by() -> None:
    drawn = table(("group", "lag"), [("a", 1234)])
    assert [each.get("class") for each in drawn.iter("th")] == [None, "number"]
    cells = [
        (each.get("data-column"), each.get("class"), each.get("data-key"), each.text)
        for each in drawn.iter("td")
    ]
    assert cells == [("group", None, None, "a"), ("lag", "number", "1234", "1,234")]


def test_columns_are_as_high_as_their_counts() -> None:
    drawn = columns([Count(0, "a", 50), Count(0, "b", 100), Count(2 * DAY_MS, "a", 100)], DAY_MS, ("a", "b"))
    rects = [(float(each.get("x", "")), float(each.get("height", ""))) for each in drawn.iter("rect")]
    assert rects[1][1] == pytest.approx(2 * rects[0][1], abs=0.02)
    assert rects[0][0] == rects[1][0]  # stacked
    assert rects[2][0] > rects[0][0]  # and a day without anything between them
    assert [each.text for each in drawn.iter("title")] == [
        "1970-01-01: 50 a",
        "1970-01-01: 100 b",
        "1970-01-03: 100 a",
    ]
