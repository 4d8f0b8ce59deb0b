"""A plot as SVG: columns over time, stacked by series or side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from tidemark_pipeline.report.data import Count
from tidemark_pipeline.report.html import tag
from tidemark_pipeline.report.words import DAY_MS, count, minute

WIDTH: Final = 960.0
HEIGHT: Final = 240.0
LEFT: Final = 76.0
BOTTOM: Final = 28.0
TOP: Final = 12.0
TICKS: Final = 4
LABELS_MAX: Final = 8
GAP: Final = 0.18  # a fraction of a column's width
COLORS: Final = 6  # classes .c0 to .c5 of style.css


@dataclass(slots=True, frozen=True)
class _Columns:
    """The common properties of the columns of one plot. top: the highest number of the axis."""

    series: Sequence[str]
    bin_ms: int
    width: float
    top: int

    def y(self, value: int) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / self.top)

    def stacked(self, place: int, start: int, values: Sequence[int]) -> Iterable[Element]:
        below = 0
        for color, value in enumerate(values):
            if value:
                yield self._column(place, 0.0, 1.0, start, color, below, value)
            below += value

    def side_by_side(self, place: int, start: int, values: Sequence[int]) -> Iterable[Element]:
        share = 1 / len(values)
        for color, value in enumerate(values):
            if value:
                yield self._column(place, color * share, share, start, color, 0, value)

    def _column(
        self, place: int, left: float, share: float, start: int, color: int, below: int, value: int
    ) -> Element:
        """Draw one column. left, share: fractions of its width. A value above zero is always visible."""
        room = self.width * (1 - GAP)
        y = self.y(below + value)
        return tag(
            "rect",
            tag("title", f"{when(start, self.bin_ms)}: {count(value)} {self.series[color]}"),
            x=LEFT + self.width * (place + GAP / 2) + room * left,
            y=y,
            width=room * share,
            height=max(1.0, self.y(below) - y),
            class_=f"c{color % COLORS}",
        )

    def axis(self) -> Iterable[Element]:
        for tick in range(TICKS + 1):
            value = self.top * tick // TICKS
            y = self.y(value)
            yield tag("line", x1=LEFT, x2=WIDTH, y1=y, y2=y, class_="grid")
            yield tag("text", count(value), x=LEFT - 8, y=y + 4, text_anchor="end")

    def times(self, starts: Sequence[int]) -> Iterable[Element]:
        for place in range(0, len(starts), -(-len(starts) // LABELS_MAX) or 1):
            x = LEFT + (place + 0.5) * self.width
            label = when(starts[place], self.bin_ms)
            yield tag("text", label[5:], x=x, y=HEIGHT - 8, text_anchor="middle")


def columns(counts: Sequence[Count], bin_ms: int, series: Sequence[str], *, stacked: bool = True) -> Element:
    """Plot counts over time. series: in the order of their colours; if not stacked, they are side by side."""
    starts = _starts(counts, bin_ms)
    by_place = {(each.start_ms, each.series): each.count for each in counts}
    heights = [[by_place.get((start, name), 0) for name in series] for start in starts]
    top = _nice(max((sum(each) if stacked else max(each) for each in heights), default=0))
    drawn = _Columns(series, bin_ms, (WIDTH - LEFT) / max(1, len(starts)), top)
    draw = drawn.stacked if stacked else drawn.side_by_side
    plot = tag("svg", *drawn.axis(), viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}", role="img")
    for place, (start, values) in enumerate(zip(starts, heights, strict=True)):
        plot.extend(draw(place, start, values))
    plot.extend(drawn.times(starts))
    return tag("figure", plot, _legend(series))


def _starts(counts: Sequence[Count], bin_ms: int) -> Sequence[int]:
    """Return every bin from the first to the last, including empty ones."""
    if not counts:
        return ()
    first = min(each.start_ms for each in counts)
    return range(first, max(each.start_ms for each in counts) + 1, bin_ms)


def _nice(highest: int) -> int:
    """Return the next number that suits an axis of four ticks."""
    step = next(number for number in _round_numbers() if number * TICKS >= highest)
    return step * TICKS


def _round_numbers() -> Iterable[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def when(start: int, bin_ms: int) -> str:
    said = minute(start)
    return said[:10] if bin_ms >= DAY_MS else said


def _legend(series: Sequence[str]) -> Element:
    items: list[Element | str] = []
    for color, name in enumerate(series):
        items += [tag("i", class_=f"c{color % COLORS}"), tag("span", name)]
    return tag("figcaption", *items)
