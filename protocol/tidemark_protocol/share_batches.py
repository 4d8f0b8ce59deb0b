"""Combine the state batches of a share partition: those that are stored, and those of a write.

Where batches overlap, the one with the higher delivery count wins, and of two with the same count the one
with the higher state. Batches with the same count and state are merged if they overlap or adjoin. Kafka:
PersisterStateBatchCombiner.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from heapq import heappop, heappush
from itertools import count as counter
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

NO_OFFSET: Final = -1
STEP: Final = 500  # batches that are combined in one step
MERGES_PER_BATCH: Final = 2  # by Kafka's method. Without overlaps among the written ones, 1 is enough

T = TypeVar("T")


class StateBatch(NamedTuple):
    """The delivery state of records with adjoining offsets. The order of batches is Kafka's `compareTo`."""

    first_offset: int
    last_offset: int
    delivery_count: int
    delivery_state: int

    def between(self, first_offset: int, last_offset: int) -> StateBatch:
        return StateBatch(first_offset, last_offset, self.delivery_count, self.delivery_state)


def combine(
    stored: Sequence[StateBatch],
    written: Sequence[StateBatch],
    start_offset: int,
    *,
    merges_all: bool = False,
) -> tuple[StateBatch, ...]:
    """Return batches without overlaps that begin at start_offset, in the order and cut of Kafka.

    merges_all: merge all batches that adjoin and are alike, as Kafka 4.4 does. Kafka 4.3 does not always
    merge them: a batch that was passed is not compared again.

    The first offset of a batch must not be above its last one. NO_OFFSET as the start keeps everything. If
    very many batches overlap, `strongest` combines the rest, and may cut it elsewhere than Kafka 4.3, whose
    method needs quadratic time for them.
    """
    batches = _sorted(stored, written, start_offset)
    return _at_once(_combined(batches, merges_all=merges_all)) if _touch(batches) else tuple(batches)


def combine_in_steps(
    stored: Sequence[StateBatch],
    written: Sequence[StateBatch],
    start_offset: int,
    *,
    merges_all: bool = False,
) -> Generator[int, None, tuple[StateBatch, ...]]:
    """Return the same as `combine`. It yields after each STEP batches."""
    batches = _sorted(stored, written, start_offset)
    yield 0
    return (yield from _combined(batches, merges_all=merges_all)) if _touch(batches) else tuple(batches)


def _sorted(
    stored: Sequence[StateBatch], written: Sequence[StateBatch], start_offset: int
) -> list[StateBatch]:
    batches: list[StateBatch] = [*stored, *written]
    if start_offset != NO_OFFSET:
        batches = [
            each if each[0] >= start_offset else each.between(start_offset, each[1])
            for each in batches
            if each[1] >= start_offset
        ]
    batches.sort()
    return batches


def _touch(batches: list[StateBatch]) -> bool:
    """Return whether any overlap, or adjoin and are alike. Those of most writes do not."""
    return True in [
        b[0] <= a[1] + 1 and (b[0] <= a[1] or (a[3] == b[3] and a[2] == b[2])) for a, b in pairwise(batches)
    ]


def _combined(batches: list[StateBatch], *, merges_all: bool) -> Generator[int, None, tuple[StateBatch, ...]]:
    merges_left = MERGES_PER_BATCH * len(batches)
    combined: list[StateBatch] = []
    parts: list[StateBatch] = []  # a heap of those that were cut or merged, before the next of `batches`
    previous, index, count = batches[0], 1, len(batches)
    for turn in counter(1):
        if not turn % STEP:
            yield 0
        if parts and (index == count or parts[0] < batches[index]):
            candidate = heappop(parts)
        elif index < count:
            candidate = batches[index]
            index += 1
        else:
            combined.append(previous)
            break
        past = previous[1] + 1
        if candidate[0] > past or (
            candidate[0] == past and (candidate[3] != previous[3] or candidate[2] != previous[2])
        ):
            combined.append(previous)
            previous = candidate
            continue
        for each in _merged(previous, candidate):
            heappush(parts, each)
        previous = heappop(parts)  # it begins where the previous one began, so it is the first of all
        merges_left -= 1
        if not merges_left:
            combined += yield from _strongest([previous, *parts, *batches[index:]])
            break
    return joined(combined) if merges_all else tuple(combined)


def _at_once(steps: Generator[int, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result


def joined(batches: Iterable[StateBatch]) -> tuple[StateBatch, ...]:
    """Join batches that adjoin and are alike, in the order of their offsets."""
    found: list[StateBatch] = []
    for batch in batches:
        if found and found[-1][1] + 1 == batch[0] and found[-1][2:] == batch[2:]:
            found[-1] = batch.between(found[-1][0], batch[1])
        else:
            found.append(batch)
    return tuple(found)


def _merged(previous: StateBatch, candidate: StateBatch) -> Iterable[StateBatch]:
    """Return what replaces two batches that overlap, or that adjoin and are alike."""
    if candidate[2:] == previous[2:]:
        last_offset = max(previous.last_offset, candidate.last_offset)
        return (previous.between(previous.first_offset, last_offset),)
    if candidate[2:] < previous[2:]:  # the candidate is cut
        if candidate.last_offset <= previous.last_offset:
            return (previous,)
        return previous, candidate.between(previous.last_offset + 1, candidate.last_offset)
    if candidate.first_offset == previous.first_offset:  # then its last offset is not lower
        return (candidate,)
    before = previous.between(previous.first_offset, candidate.first_offset - 1)
    if candidate.last_offset >= previous.last_offset:
        return before, candidate
    return before, candidate, previous.between(candidate.last_offset + 1, previous.last_offset)


def strongest(batches: Sequence[StateBatch]) -> list[StateBatch]:
    """Return batches with the strongest state of each offset, merged where they can be. O(n log n)."""
    return _at_once(_strongest(batches))


def _strongest(batches: Sequence[StateBatch]) -> Generator[int, None, list[StateBatch]]:
    waiting = sorted(batches, reverse=True)
    edges = {each[0] for each in batches} | {each[1] + 1 for each in batches}
    active: list[tuple[int, int, int]] = []  # negative count and state, and the last offset
    found: list[StateBatch] = []
    turn = 0
    for first_offset, past in pairwise(sorted(edges)):
        turn += 1
        while waiting and waiting[-1].first_offset <= first_offset:
            each = waiting.pop()
            heappush(active, (-each.delivery_count, -each.delivery_state, each.last_offset))
            turn += 1
            if not turn % STEP:
                yield 0
        while active and active[0][2] < first_offset:
            heappop(active)
        if active:
            found.append(StateBatch(first_offset, past - 1, -active[0][0], -active[0][1]))
        if not turn % STEP:
            yield 0
    return [*joined(found)]
