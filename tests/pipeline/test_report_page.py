"""The report's page: its content, escaped text of clients, and no use of the network."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Final

import pytest

from tidemark_pipeline.report import ReportData, page
from tidemark_pipeline.report.charts import columns
from tidemark_pipeline.report.data import ROWS_MAX, Count, Lagging, Losing, Removed, Rewound, Subject, Totals
from tidemark_pipeline.report.html import DAY_MS, moment, seen, span, table
from tidemark_pipeline.retention import Retention

NOW_MS: Final = 1_795_262_400_000  # 2026-11-21 12:00:00 UTC
HOSTILE: Final = '<script>alert("x")</script>'
DATA: Final = ReportData(
    subject=Subject(
        ("/disk1",),
        NOW_MS,
        "log",
        Retention.known([604_800_000]),
        4,
        1234,
        NOW_MS - DAY_MS,
        None,
        ("A remark.",),
    ),
    totals=Totals(groups=3, offsets=40, due=1, next_day=2, never=5, removed=7, lag=None),
    forecast=(Count(NOW_MS, "10080 (7 d)", 12),),
    losing=(
        Losing(HOSTILE, "Empty", 4, 3, NOW_MS + 5_400_000, False, "group_empty", f"Group {HOSTILE} expires."),
    ),
    removals=(Count(NOW_MS, "expired", 7),),
    removals_bin_ms=DAY_MS,
    removed=(Removed(NOW_MS, "gone", 7, "orders & <b>more</b>", "expired", "due since <then>"),),
    lagging=(Lagging("slow\u202e", 99, 2, "orders-1", 60),),
    activity=(Count(NOW_MS, "commits", 3), Count(NOW_MS, "rebalances", 1)),
    activity_bin_ms=60_000,
    rewinds=(Rewound(NOW_MS, "", "orders", 0, 100, 40),),
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


def test_text_of_clients_is_never_markup() -> None:
    read = Read(page(DATA))
    assert not [tag for tag, _ in read.tags if tag == "script"]
    assert HOSTILE in read.texts
    assert "orders & <b>more</b>" in read.texts
    assert "due since <then>" in read.texts


def test_the_page_needs_no_network_and_has_no_scripts() -> None:
    text = page(DATA)
    names = {name for _, attributes in Read(text).tags for name in attributes}
    assert not names & {"src", "href", "xlink:href", "onclick", "onload"}
    assert "://" not in text and "url(" not in text and "@import" not in text


def test_characters_that_reverse_text_are_visible() -> None:
    assert "slow\\u202e" in Read(page(DATA)).texts
    assert seen("a\0b\nc\ud800") == "a\\u0000b\\u000ac\\ud800"


def test_every_section_is_there_with_its_numbers() -> None:
    texts = Read(page(DATA)).texts
    for expected in (
        "1,234 records of 4 log partitions, the oldest of 2026-11-20 12:00:00 UTC.",
        "in 1 h 30 min",
    ):
        assert any(expected in text for text in texts), expected
    assert "A remark." in texts
    assert "not known" in texts  # the lag


def test_the_page_reports_an_empty_log() -> None:
    empty = replace(
        DATA, forecast=(), losing=(), removals=(), removed=(), lagging=(), activity=(), rewinds=()
    )
    said = " ".join(Read(page(empty)).texts)
    assert "No offset expires." in said
    assert "The log has no tombstone of an offset." in said


def test_a_shortened_table_names_the_command_for_all_rows() -> None:
    all_of_it = replace(DATA, lagging=[Lagging(f"g{number}", 9, 1, "t-0", 9) for number in range(ROWS_MAX)])
    more = replace(all_of_it, lagging=[*all_of_it.lagging, Lagging("one more", 1, 1, "t-0", 1)])
    said = " The first 25; tidemark-pipeline lag lists all."
    assert said not in " ".join(Read(page(all_of_it)).texts)
    read = Read(page(more))
    assert said in " ".join(read.texts) and "one more" not in read.texts


def test_cells_have_their_columns_name_and_numbers_are_right_aligned() -> None:
    drawn = table(("group", "lag"), [("a", 1234)])
    assert [each.get("class") for each in drawn.iter("th")] == [None, "number"]
    assert [(each.get("data-column"), each.get("class"), each.text) for each in drawn.iter("td")] == [
        ("group", None, "a"),
        ("lag", "number", "1,234"),
    ]


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


@pytest.mark.parametrize(
    ("ms", "said"),
    [(0, "0 s"), (59_000, "59 s"), (90_000, "1 min 30 s"), (604_800_000, "7 d"), (-3_700_000, "1 h 1 min")],
)
def test_a_duration_is_printed_in_its_two_largest_units(ms: int, said: str) -> None:
    assert span(ms) == said


def test_a_moment_beyond_all_dates_is_a_number() -> None:
    assert moment(NOW_MS) == "2026-11-21 12:00:00"
    assert moment(2**63 - 1) == "9223372036854775807 ms"
