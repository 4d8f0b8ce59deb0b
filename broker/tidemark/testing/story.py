"""What became of a group's offsets, told in the order in which it happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from tidemark.testing.answers import Group, Moved, Offset, Removal

GROUPS_MAX: Final = 10
LINES_MAX: Final = 40
UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms"))


@dataclass(frozen=True, order=True)
class Line:
    """One thing that happened, or will."""

    at_ms: int
    text: str


def timeline(
    group: Group | None,
    offsets: Iterable[Offset],
    removals: Iterable[Removal],
    moves: Iterable[Moved],
    now_ms: int,
) -> list[str]:
    """The lines of one group, in order. What is still to come stands behind "now"."""
    lines = [Line(now_ms, "now")]
    if group is not None and group.state_since_ms is not None:
        lines.append(Line(group.state_since_ms, f"the group is {group.state}"))
    lines += [Line(move.now_ms - move.moved_ms, f"time was moved by {span(move.moved_ms)}") for move in moves]
    for offset in offsets:
        lines.append(Line(offset.committed_ms, f"committed {place(offset)}"))
        due_ms = now_ms if offset.due_ms is None else max(offset.due_ms, now_ms)
        lines.append(Line(due_ms, f"still there: {place(offset)}: {offset.explanation}"))
    for gone in removals:
        lines.append(Line(gone.committed_ms, f"committed {place(gone)}"))
        lines.append(Line(gone.at_ms, f"gone: {place(gone)} ({gone.cause}): {gone.explanation}"))
    told = [f"{moment(line.at_ms)}  {line.text}" for line in sorted(lines, key=lambda line: line.at_ms)]
    return _shortened(told, LINES_MAX)


def story(
    groups: Sequence[Group],
    offsets: Sequence[Offset],
    removals: Sequence[Removal],
    moves: Sequence[Moved],
    now_ms: int,
) -> str:
    """Of every group that is there or has lost an offset, each with its timeline."""
    by_name = {group.group: group for group in groups}
    names = sorted(by_name.keys() | {gone.group for gone in removals})
    parts = [f"now {moment(now_ms)}"]
    for name in names[:GROUPS_MAX]:
        group = by_name.get(name)
        parts.append(f"group {name!r}: {'is gone' if group is None else head(group)}")
        of_group = timeline(
            group,
            [each for each in offsets if each.group == name],
            [each for each in removals if each.group == name],
            moves,
            now_ms,
        )
        parts += [f"  {line}" for line in of_group]
    if len(names) > GROUPS_MAX:
        parts.append(f"... and {len(names) - GROUPS_MAX} more groups")
    if not names:
        parts.append("no group, and no offset was removed")
    return "\n".join(parts)


def head(group: Group) -> str:
    return f"{group.type}, {group.state}, {len(group.members)} members, {group.offsets} offsets"


def place(of: Offset | Removal) -> str:
    return f"{of.topic}-{of.partition} at offset {of.offset}"


def moment(at_ms: int) -> str:
    """In UTC, to the millisecond; a moment that no calendar has, as it is."""
    try:
        at = datetime.fromtimestamp(at_ms / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return f"{at_ms} ms"
    return at.strftime("%Y-%m-%d %H:%M:%S.") + f"{at_ms % 1000:03d}"


def span(ms: int) -> str:
    """8 d, 1 h 30 min, -1 ms."""
    parts, left = [], abs(ms)
    for size, unit in UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
    return ("-" if ms < 0 else "") + (" ".join(parts) or "0 ms")


def _shortened(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    half = most // 2
    return [*lines[:half], f"... {len(lines) - 2 * half} lines left out ...", *lines[-half:]]
