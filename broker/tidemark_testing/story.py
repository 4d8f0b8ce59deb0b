"""The timeline of a group's offsets, in the order of events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tidemark_expiry.sentences import moment, shown
from tidemark_testing.responses import Group, Moved, Offset, Removal

GROUPS_MAX: Final = 10
LINES_MAX: Final = 40
MOMENT_WIDTH: Final = len("2026-11-21T10:35:43.019Z")
UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms"))

Entry = tuple[int, str]  # time, and text


def story(
    groups: Sequence[Group],
    offsets: Sequence[Offset],
    removals: Sequence[Removal],
    moves: Sequence[Moved],
    now_ms: int,
) -> str:
    """Return a summary and timeline of every group that exists or has lost an offset."""
    by_name = {group.group: group for group in groups}
    names = sorted(by_name.keys() | {gone.group for gone in removals})
    lines = []
    for name in names[:GROUPS_MAX]:
        group = by_name.get(name)
        what = "gone"
        if group is not None:
            what = f"{group.type}, {group.state}, {len(group.members)} members, {group.offsets} offsets"
        lines.append(f"group {shown(name)}: {what}")
        kept = [each for each in offsets if each.group == name]
        gone = [each for each in removals if each.group == name]
        lines += [f"  {line}" for line in timeline(group, kept, gone, moves, now_ms)]
    if len(names) > GROUPS_MAX:
        lines.append(f"... and {len(names) - GROUPS_MAX} more groups")
    return "\n".join(lines) or "There is no group, and no offset was removed."


def timeline(
    group: Group | None,
    offsets: Iterable[Offset],
    removals: Iterable[Removal],
    moves: Iterable[Moved],
    now_ms: int,
) -> list[str]:
    """Return one line for each event of a group. Future events follow the line "now"."""
    kept, gone = list(offsets), list(removals)
    both: list[Offset | Removal] = [*kept, *gone]
    # Within one millisecond, causes precede their effects.
    events: list[Entry] = [(of.committed_ms, f"{place(of)} committed at offset {of.offset}") for of in both]
    if group is not None and group.state_since_ms is not None:
        events.append((group.state_since_ms, f"the group is {group.state}"))
    events += [(of.since_ms, f"{of.rule} counts from here") for of in both if of.since_ms is not None]
    events += [(move.now_ms - move.moved_ms, f"time moved by {span(move.moved_ms)}") for move in moves]
    events += [(each.at_ms, f"{place(each)} gone. {each.explanation}") for each in gone]
    still: list[Entry] = []
    for each in kept:
        if each.due_ms is None:
            still.append((now_ms, f"{place(each)} stays. {each.explanation}"))
        else:
            due = "is due; the next pass takes it" if each.expired else "due"
            still.append((max(each.due_ms, now_ms), f"{place(each)} {due}. {each.explanation}"))
    in_order = sorted([*dict.fromkeys(events), (now_ms, "now"), *still], key=lambda event: event[0])
    lines = [f"{moment(at_ms):{MOMENT_WIDTH}}  {text}" for at_ms, text in in_order]
    half = LINES_MAX // 2
    if len(lines) > LINES_MAX:
        lines[half:-half] = [f"... {len(lines) - 2 * half} lines left out ..."]
    return lines


def place(of: Offset | Removal) -> str:
    return f"{shown(of.topic)}-{of.partition}"


def span(ms: int) -> str:
    """Format a time span: 8 d, 1 h 30 min, -1 ms."""
    parts, left = [], abs(ms)
    for size, unit in UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
    return ("-" if ms < 0 else "") + (" ".join(parts) or "0 ms")
