"""A share partition: the records of one partition that a share group has in flight (KIP-932).

A record in flight is available, acquired by a member, acknowledged or archived. All others are below the
start offset, where every record is acknowledged or archived, or above the end offset, where none was
delivered yet. The share coordinator stores what changes: an acknowledgement counts once it is written there.
Acquisition is not stored: after a restart, acquired records are available again.

If the group has a dead-letter queue (KIP-1191), rejected records and those that were delivered too often are
first archiving. They are archived once the queue has them, or cannot have them. The share coordinator stores
both states, so that a restart goes on with records that are archiving.

Kafka: SharePartition of 4.3.1, and of 4.4.0 for dead letters. It keeps one state per batch, and one per
offset once a part of the batch was acquired or acknowledged. We keep runs of offsets with the same state, so
that a batch of a million records takes no more memory than its acknowledgements.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import islice
from operator import attrgetter, ne
from typing import Final, NamedTuple

from tidemark.core.decision import Steps, at_once
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.share_batches import NO_OFFSET, StateBatch

AVAILABLE: Final = 0
ACQUIRED: Final = 1
ACKNOWLEDGED: Final = 2
ARCHIVING: Final = 3  # a dead letter is being written (KIP-1191)
ARCHIVED: Final = 4
TERMINAL: Final = (ACKNOWLEDGED, ARCHIVED)
STATE_NAMES: Final = {
    AVAILABLE: "available",
    ACQUIRED: "acquired",
    ACKNOWLEDGED: "acknowledged",
    ARCHIVING: "archiving",
    ARCHIVED: "archived",
}

GAP: Final = 0
ACCEPT: Final = 1
RELEASE: Final = 2
REJECT: Final = 3
RENEW: Final = 4
STATE_AFTER: Final = {GAP: ARCHIVED, ACCEPT: ACKNOWLEDGED, RELEASE: AVAILABLE, REJECT: ARCHIVED}

# Why records are archived. Their state is stored, the cause is not: after a restart it is unknown.
UNKNOWN: Final = 0
REJECTED: Final = 1
DELIVERED_TOO_OFTEN: Final = 2
IS_GAP: Final = 3
BELOW_START: Final = 4
COMPACTED: Final = 5
ABORTED: Final = 6
CAUSE_AFTER: Final = {GAP: IS_GAP, ACCEPT: UNKNOWN, RELEASE: UNKNOWN, REJECT: REJECTED}
WRITTEN: Final = ""  # the `letter` of a Run

NO_MEMBER: Final = ""
THROTTLED_COUNT_MIN: Final = 2
# The heap of lock ends keeps so many outdated entries, of locks that were renewed or have ended early.
OUTDATED_MAX: Final = 1_000
# A record batch may have any number of records beyond locks_max, each of which could become a run: 4 MB.
RUNS_MAX: Final = 20_000
# Ranges with the same type that one request may acknowledge: as many as records may be in flight
# (group.share.max.partition.max.record.locks), and 100 ms of work. Kafka has no such limit.
RANGES_MAX: Final = 10_000
FEW_RANGES: Final = 2  # for a partition with more than RUNS_MAX
# Runs below the start offset of which a partition remembers the end, so that a test can query it.
REMEMBERED_MAX: Final = 200
RESTORED_PER_STEP: Final = 200  # stored batches: half a millisecond


@dataclass(slots=True)
class Limits:
    """Limits from the settings of the group and the broker.

    lock_ms          share.record.lock.duration.ms
    deliveries_max   share.delivery.count.limit
    locks_max        share.partition.max.record.locks
    renews           share.renew.acknowledge.enable
    letters_topic    errors.deadletterqueue.topic.name; "": the group has no dead-letter queue
    """

    lock_ms: int = 30_000
    deliveries_max: int = 5
    locks_max: int = 2_000
    renews: bool = True
    letters_topic: str = ""


class Acquired(NamedTuple):
    first: int
    last: int
    delivery_count: int


class Letters(NamedTuple):
    """Records that are archiving, for each of which a dead letter must be written. cause: as of a Run"""

    first: int
    last: int
    delivery_count: int
    cause: int


class Acknowledgement(NamedTuple):
    """types: one for all offsets, or one for each."""

    first: int
    last: int
    types: Sequence[int]


@dataclass(slots=True, eq=False)
class Transition:
    """A change of acquired records that is being written. They are acquired again if that fails.

    number      of its `Write`
    member_id   who had acquired them
    """

    number: int
    member_id: str
    deliveries_max: int


@dataclass(slots=True, eq=False)
class Run:
    """Consecutive offsets of a batch with the same state.

    member_id     who has acquired them
    since_ms      when they were acquired (steady)
    lock_end_ms   when the lock of the member ends (steady)
    transition    set while the change to this state is being written
    cause         why it is archived or archiving
    letter        why the dead-letter queue does not have it, or WRITTEN. None: there was no queue, or this is
                  unknown, because it is not stored, either
    is_final      archived while a change was being written: it is not undone
    """

    first: int
    last: int
    state: int
    delivery_count: int
    member_id: str = NO_MEMBER
    since_ms: int | None = None
    lock_end_ms: int | None = None
    transition: Transition | None = None
    is_final: bool = False
    cause: int = UNKNOWN
    letter: str | None = None

    @property
    def is_available(self) -> bool:
        return self.state == AVAILABLE and self.transition is None

    def archive(self, cause: int) -> None:
        self.is_final = True
        self.state, self.cause = ARCHIVED, cause
        self.unlock()

    def unlock(self) -> None:
        self.member_id = NO_MEMBER
        self.since_ms = self.lock_end_ms = None

    def part(self, first: int, last: int) -> Run:
        return Run(
            first,
            last,
            self.state,
            self.delivery_count,
            self.member_id,
            self.since_ms,
            self.lock_end_ms,
            self.transition,
            self.is_final,
            self.cause,
            self.letter,
        )

    def continues(self, other: Run) -> bool:
        return (
            self.state == other.state
            and self.delivery_count == other.delivery_count
            and self.member_id == other.member_id
            and self.lock_end_ms == other.lock_end_ms
            and self.since_ms == other.since_ms
            and self.transition is other.transition
            and self.is_final == other.is_final
            and self.cause == other.cause
            and self.letter == other.letter
        )


@dataclass(slots=True, eq=False)
class Batch:
    """Offsets that were acquired together for the first time.

    is_divided   Kafka keeps the state of each offset from now on. Until then, there is one run
    """

    first: int
    last: int
    runs: list[Run]
    is_divided: bool = False

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def within(self, first: int, last: int) -> Iterator[Run]:
        """Return the runs of these offsets. Runs at the borders are divided, so that none goes beyond."""
        at = self._divide(max(first, self.first))
        end = self._divide(min(last, self.last) + 1)
        return iter(self.runs[at:end])

    def touching(self, first: int, last: int) -> Iterator[Run]:
        """Return the runs with at least one of these offsets."""
        at = max(0, bisect_right(self.runs, first, key=_first_of) - 1)
        while at < len(self.runs) and self.runs[at].first <= last:
            if self.runs[at].last >= first:
                yield self.runs[at]
            at += 1

    def _divide(self, offset: int) -> int:
        """Let a run begin at this offset, and return its place."""
        at = bisect_left(self.runs, offset, key=_first_of)
        if at and self.runs[at - 1].last >= offset:
            whole = self.runs[at - 1]
            self.runs.insert(at, whole.part(offset, whole.last))
            whole.last = offset - 1
        return at

    def join(self) -> None:
        """Join neighbours that no longer differ."""
        if len(self.runs) < 2:
            return
        joined = [self.runs[0]]
        for run in self.runs[1:]:
            if run.continues(joined[-1]):
                joined[-1].last = run.last
            else:
                joined.append(run)
        self.runs = joined


_first_of: Final = attrgetter("first")  # of a run or a batch


@dataclass(slots=True, eq=False)
class Write:
    """Changes to write to the share coordinator. `SharePartition.complete` ends them.

    state_batches   what the coordinator stores
    batches         those with changes
    """

    number: int
    state_batches: list[StateBatch] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    transition: Transition | None = None


@dataclass(slots=True)
class Gap:
    """Offsets between the batches that a start has read: up to `end`, nothing is known of those from `start`.

    It ends once records above `end` are acquired.
    """

    end: int
    start: int


class SharePartition:
    """The records of a partition that a share group has in flight.

    start_offset     all offsets below it are acknowledged or archived
    end_offset       none above it was delivered. Without batches, it is the start offset
    complete_count   acknowledged and archived offsets from start_offset on
    state_epoch      of the stored state: a write with another one is refused
    remembered       the last runs that were removed because they are below the start offset
    """

    def __init__(
        self, limits: Limits, start_offset: int, state_epoch: int = 0, stored: Sequence[StateBatch] = ()
    ) -> None:
        """Begin with what the share coordinator has stored. Raises ValueError if it contradicts itself."""
        self.limits = limits
        self.start_offset = self.end_offset = start_offset
        self.state_epoch = state_epoch
        self.complete_count = 0
        self.remembered: deque[Run] = deque(maxlen=REMEMBERED_MAX)
        self._batches: list[Batch] = []
        self._lock_ends: list[tuple[int, int, int]] = []  # a heap of (end, first, last)
        self._lock_ends_max = OUTDATED_MAX
        self._may_have_available = False
        self._gap: Gap | None = None
        self._writes = 0
        at_once(self.restore(stored))

    def restore(self, stored: Sequence[StateBatch]) -> Steps[None]:
        """Begin with what the share coordinator has stored, in steps. Raises ValueError as `__init__`.

        Call it once, with an object that has nothing in flight.
        """
        start_offset = self.start_offset
        previous, gap_start = start_offset - 1, NO_OFFSET
        for number, each in enumerate(stored, 1):
            if number % RESTORED_PER_STEP == 0:
                yield 0
            first, last, count, state = each
            if first < start_offset or last < first or state not in STATE_NAMES:
                raise ValueError(f"stored batch {each} with start offset {start_offset}")
            if gap_start == NO_OFFSET and first > previous + 1:
                gap_start = previous + 1
            previous = last
            self._add(Batch(first, last, [Run(first, last, state, count)]))
            if state in TERMINAL:
                self.complete_count += last - first + 1
        if self._batches:
            self._may_have_available = True
            self.end_offset = self._batches[-1].last
            if gap_start != NO_OFFSET:
                self._gap = Gap(self.end_offset, gap_start)
            self.advance()

    # what is in flight

    @property
    def in_flight(self) -> int:
        """The number of offsets that count for `locks_max`."""
        return self.end_offset - self.start_offset + 1 if self._batches else 0

    @property
    def batches(self) -> int:
        return len(self._batches)

    def runs(self) -> Iterator[Run]:
        """Return all offsets in flight, as runs in order."""
        for batch in self._batches:
            yield from batch.runs

    def copied_from(self, first: int, runs_max: int) -> list[Run]:
        """Return copies of at most so many runs from this offset on, those remembered before the others."""
        found = [run for run in self.remembered if run.first >= first]
        batches = self._batches_around(first, self.end_offset) if self._batches else []
        found += islice((run for batch in batches for run in batch.runs if run.first >= first), runs_max)
        return [run.part(run.first, run.last) for run in found[:runs_max]]

    def run_at(self, offset: int) -> Run | None:
        """Return a copy of the run with this offset, or None if nothing is known of it."""
        batches = self._batches_around(offset, offset) if self._batches else []
        for run in (*(run for batch in batches for run in batch.runs), *self.remembered):
            if run.first <= offset <= run.last:
                return run.part(run.first, run.last)
        return None

    def ended(self) -> list[Run]:
        """Return the last acknowledged and archived runs, whether they are in flight or remembered."""
        in_flight = (run for run in self.runs() if run.state in TERMINAL)
        return [*deque((*self.remembered, *in_flight), REMEMBERED_MAX)]

    def recall(self, ended: Sequence[Run]) -> None:
        """Remember how records ended before the partition was closed."""
        for run in ended:
            if run.first < self.start_offset:
                self.remembered.append(run.part(run.first, min(run.last, self.start_offset - 1)))
            for batch in self._batches_around(run.first, run.last) if self._batches else ():
                for each in batch.touching(run.first, run.last):
                    if each.state == run.state and run.first <= each.first and each.last <= run.last:
                        each.cause, each.letter = run.cause, run.letter

    def is_in_flight(self, offset: int) -> bool:
        return bool(self._batches) and self.start_offset <= offset <= self.end_offset

    def undelivered(self, log_end: int) -> int:
        """Return the number of offsets above those in flight. log_end: the end of the log"""
        return max(0, log_end - (self.end_offset + 1 if self._batches else self.start_offset))

    def counts(self) -> dict[str, int]:
        """Return the number of offsets in flight by the name of their state."""
        counts = dict.fromkeys(STATE_NAMES.values(), 0)
        for run in self.runs():
            counts[STATE_NAMES[run.state]] += self._counted(run.first, run.last)
        return counts

    def next_fetch_offset(self) -> int:
        """Return the first offset to deliver: an available one, one in a gap, or the one after the end."""
        if not self._batches or self._batches[-1].last < self.start_offset:
            self._may_have_available = False
            return self.end_offset
        if not self._may_have_available:
            return self.end_offset + 1
        gap = self._open_gap
        gap_at = NO_OFFSET if gap is None else gap.start
        for batch in self._batches:
            if gap_at != NO_OFFSET:
                if batch.first > gap_at:
                    return gap_at
                gap_at = max(batch.last + 1, gap_at)
            for run in batch.runs:
                if run.is_available:
                    return run.first
        self._may_have_available = False
        return self.end_offset + 1

    def can_acquire(self) -> bool:
        return self.next_fetch_offset() != self.end_offset + 1 or self.in_flight < self.limits.locks_max

    # acquire

    def acquire(
        self,
        member_id: str,
        fetched: Sequence[tuple[int, int]],
        fetch_offset: int,
        *,
        records_max: int,
        batch_size: int,
        strict: bool,
        now_ms: int,
    ) -> list[Acquired]:
        """Acquire fetched records for a member.

        fetched       first and last offset of each record batch that was read
        fetch_offset  where reading began
        records_max   at most so many, or a record batch more
        batch_size    new batches in flight have about so many records
        strict        no record more than records_max (acquire mode record_limit)
        """
        if records_max <= 0 or not fetched:
            return []
        last = fetched[-1][1]
        if last < self.start_offset:
            return []
        room = min(records_max, self.limits.locks_max - self.in_flight)
        if room <= 0:
            if fetch_offset > self.end_offset:
                return []
            room = min(records_max, self.end_offset - fetch_offset + 1)
            last = min(last, self.end_offset)
        begin = base = fetched[0][0]
        self._archive_missing(fetch_offset, base)
        floor = self._floor(base)
        if floor is None:
            base = max(base, self.start_offset)
        elif floor.last >= base:
            base = floor.first
        if min(begin, base) > last:
            return []
        acquiring = _Acquiring(member_id, fetched, batch_size, strict, now_ms)
        overlap = self._batches_from(min(begin, base), last)
        if not overlap:
            return self._acquire_new(acquiring, base, last, room)[0]

        result: list[Acquired] = []
        count, next_known = 0, base
        for batch in overlap:
            if count >= room:
                break
            if self._open_gap is not None:
                if next_known < batch.first:
                    found, found_count = self._acquire_new(
                        acquiring, next_known, batch.first - 1, room - count
                    )
                    result += found
                    count += found_count
                next_known = batch.last + 1
                if count >= room:
                    break
            is_throttled = self._is_throttled(batch, begin, last)
            if is_throttled and count:
                room = 0
                break
            is_whole = begin <= batch.first and batch.last <= last
            is_too_long = strict and batch.size > room - count
            if not batch.is_divided and not batch.runs[0].is_available:
                continue
            if is_whole and not batch.is_divided and not is_too_long and not is_throttled:
                run = batch.runs[0]
                self._lock(run, member_id, now_ms, run.delivery_count + 1)
                result.append(Acquired(run.first, run.last, run.delivery_count))
                count += batch.size
                continue
            batch.is_divided = True
            found_count = self._acquire_part(acquiring, batch, begin, last, room - count, result)
            count += found_count
            if is_throttled and found_count:
                room = 0
                break
        if count < room and overlap[-1].last < last:
            result += self._acquire_new(acquiring, overlap[-1].last + 1, last, room - count)[0]
        if result:
            self._move_gap(result[-1].last + 1)
        return result

    def _acquire_new(
        self, acquiring: _Acquiring, first: int, last: int, room: int
    ) -> tuple[list[Acquired], int]:
        """Acquire offsets that are in no batch yet, up to the end of the record batch with the last one."""
        if room < last - first + 1:
            up_to = last
            last = acquiring.end_of_record_batch(first + room - 1)
            if self._open_gap is not None:
                last = min(last, up_to)
        begins: list[int] = [first]
        if not acquiring.strict and last - first + 1 > acquiring.batch_size:
            for base, _ in acquiring.fetched:
                if base > last:
                    break
                if base - begins[-1] >= acquiring.batch_size:
                    begins.append(base)
        acquired: list[Acquired] = []
        for begin, end in zip(begins, [*(each - 1 for each in begins[1:]), last], strict=True):
            run = Run(begin, end, AVAILABLE, 0)
            batch = Batch(begin, end, [run])
            if acquiring.strict and batch.size > room:
                # The rest of the record batch is known, and available.
                batch.is_divided = True
                (run,) = batch.within(begin, begin + room - 1)
                self._may_have_available = True
            self._lock(run, acquiring.member_id, acquiring.now_ms, 1)
            self._add(batch)
            acquired.append(Acquired(run.first, run.last, 1))
        if self._batches[0].first == first:
            self.start_offset = first
        self.end_offset = max(self.end_offset, last)
        if acquiring.strict:
            last = acquired[0].last
        self._move_gap(last + 1)
        return acquired, last - first + 1

    def _acquire_part(
        self, acquiring: _Acquiring, batch: Batch, first: int, last: int, room: int, result: list[Acquired]
    ) -> int:
        """Acquire the available offsets of a batch, and return their number.

        A record that may be delivered only once more is delivered alone. From half of the deliveries on, a
        batch is delivered in parts that become smaller with each delivery: one of its records may be what
        its consumers fail at.
        """
        deliveries_max = self.limits.deliveries_max
        slow_from = _slow_from(deliveries_max)
        throttle, count, begin = NO_OFFSET, 0, len(result)
        for run in list(batch.within(first, last)):
            if not run.is_available:
                continue
            is_last_delivery = deliveries_max > 2 and run.delivery_count == deliveries_max - 1
            if is_last_delivery and count:
                break
            if run.delivery_count >= slow_from and throttle < 0:
                throttle = max(1, batch.size >> (run.delivery_count - slow_from + 1))
            size = run.last - run.first + 1
            stops = False
            for limit in (
                1 if is_last_delivery else 0,
                room - count if acquiring.strict else 0,
                throttle - count,
            ):
                if 0 < limit <= size:
                    size, stops = limit, True
            (taken,) = batch.within(run.first, run.first + size - 1)
            self._lock(taken, acquiring.member_id, acquiring.now_ms, taken.delivery_count + 1)
            count += size
            acquired = Acquired(taken.first, taken.last, taken.delivery_count)
            if len(result) > begin and _continues(result[-1], acquired):
                acquired = Acquired(result.pop().first, acquired.last, acquired.delivery_count)
            result.append(acquired)
            if stops:
                break
        return count

    def _is_throttled(self, batch: Batch, first: int, last: int) -> bool:
        slow_from = _slow_from(self.limits.deliveries_max)
        runs = batch.touching(first, last) if batch.is_divided else batch.runs
        return any(run.is_available and run.delivery_count >= slow_from for run in runs)

    def archive_aborted(self, aborted: Sequence[tuple[int, int]], acquired: list[Acquired]) -> list[Acquired]:
        """Archive acquired records of aborted transactions. Returns what is left to deliver.

        aborted   first and last offset of each record batch of an aborted transaction
        """
        for first, last in aborted:
            floor = self._floor(first)
            for batch in self._batches_from(first if floor is None else floor.first, last):
                self._archive(batch, first, last, ACQUIRED, ABORTED, counts=True)
        left: list[Acquired] = []
        rest = iter(aborted)
        hole = next(rest, None)
        for each in acquired:
            first = each.first
            while hole is not None and hole[0] <= each.last:
                if hole[1] >= first:
                    if first < hole[0]:
                        left.append(Acquired(first, hole[0] - 1, each.delivery_count))
                    first = hole[1] + 1
                if hole[1] > each.last:
                    break
                hole = next(rest, None)
            if first <= each.last:
                left.append(Acquired(first, each.last, each.delivery_count))
        return left

    # acknowledge

    def acknowledge(
        self, member_id: str, acknowledgements: Sequence[Acknowledgement], now_ms: int
    ) -> Write | None:
        """Acknowledge acquired records. Returns what must be written; None if that is nothing.

        Raises KafkaError with Kafka's message at the first record that the member may not acknowledge.
        Nothing is acknowledged then. Locks that were renewed before it stay renewed.
        """
        write = self._new_write()
        ranges, ranges_max = 0, FEW_RANGES if self._has_too_many_runs() else RANGES_MAX
        try:
            for each in self._joined(acknowledgements):
                if each.last < self.start_offset:
                    continue
                batches = self._acquired_batches(each)
                ranges += 1 + sum(map(ne, each.types, islice(each.types, 1, None)))
                if ranges > ranges_max:
                    text = f"A request may not acknowledge more than {ranges_max} ranges of a partition."
                    raise KafkaError(ErrorCode.INVALID_REQUEST, text)
                self._acknowledge(write, member_id, batches, each, now_ms)
        except KafkaError:
            self.complete(write, written=False, now_ms=now_ms)
            raise
        return write if write.state_batches else None

    def _joined(self, acknowledgements: Sequence[Acknowledgement]) -> Iterator[Acknowledgement]:
        """Join those of adjoining offsets of one batch that have a type for each offset.

        To divide a run once is cheaper. The outcome is the same: only the first one may find the batch
        undivided, and none of the others goes beyond it.
        """
        types: list[int] = []
        first, last, batch_last = 0, -1, -1  # what is being joined, and the end of its batch
        for each in acknowledgements:
            if each.first == last + 1 and each.last <= batch_last and len(each.types) == each.last - last:
                last = each.last
                types += each.types
                continue
            if types:
                yield Acknowledgement(first, last, types)
                types = []
            if len(each.types) != each.last - each.first + 1:
                batch_last = -1
                yield each
                continue
            first, last, types = each.first, each.last, [*each.types]
            floor = self._floor(max(first, self.start_offset))
            batch_last = -1 if floor is None else floor.last
        if types:
            yield Acknowledgement(first, last, types)

    def _has_too_many_runs(self) -> bool:
        """Return whether only requests that hardly divide runs may go on."""
        return self.in_flight > RUNS_MAX and sum(len(each.runs) for each in self._batches) > RUNS_MAX

    def _acquired_batches(self, request: Acknowledgement) -> list[Batch]:
        """Return the batches of an acknowledgement. Raises KafkaError if it goes beyond them."""
        floor = self._floor(max(request.first, self.start_offset))
        if floor is None:
            raise _refused("Batch record not found. The request batch offsets are not found in the cache.")
        batches = self._batches_from(floor.first, request.last)
        for which, offset in (("first", request.first), ("last", request.last)):
            if batches[-1].last < offset:
                raise KafkaError(
                    ErrorCode.INVALID_REQUEST,
                    f"Batch record not found. The {which} offset in request is past acquired records.",
                )
        return batches

    def _acknowledge(
        self, write: Write, member_id: str, batches: list[Batch], request: Acknowledgement, now_ms: int
    ) -> None:
        start = self.start_offset
        for batch in batches:
            if batch.last < start:
                continue
            if not batch.is_divided:
                (run,) = batch.runs
                if run.member_id == NO_MEMBER:
                    raise _refused(
                        "The batch cannot be acknowledged. The batch is not in the acquired state."
                    )
                if run.member_id != member_id:
                    raise _refused("Member is not the owner of batch record")
                is_whole = request.first <= batch.first and batch.last <= request.last
                if is_whole and len(request.types) == 1 and batch.first >= start:
                    self._acknowledge_run(write, batch, run, request.types[0], now_ms)
                    continue
                batch.is_divided = True
            for run in list(batch.within(max(request.first, start), request.last)):
                if run.state != ACQUIRED:
                    raise _refused("The offset cannot be acknowledged. The offset is not acquired.")
                if run.member_id != member_id:
                    raise _refused("Member is not the owner of offset")
                for part, kind in _by_type(batch, run, request.types, request.first):
                    self._acknowledge_run(write, batch, part, kind, now_ms)

    def _acknowledge_run(self, write: Write, batch: Batch, run: Run, kind: int, now_ms: int) -> None:
        if kind == RENEW:
            if not self.limits.renews:
                raise _refused("Renewing acquisition locks is not enabled for the group.")
            self._lock_until(run, now_ms + self.limits.lock_ms)
            return
        state = ARCHIVING if kind == REJECT and self.limits.letters_topic else STATE_AFTER[kind]
        self._begin(write, batch, run, state, CAUSE_AFTER[kind])

    def release(self, member_id: str) -> Write | None:
        """Release everything that a member has acquired, because its session has ended."""
        write = self._new_write()
        for batch in self._batches:
            for run in tuple(batch.runs):
                if run.state == ACQUIRED and run.member_id == member_id:
                    self._begin_release(write, batch, run)
        return write if write.state_batches else None

    def _new_write(self) -> Write:
        self._writes += 1
        return Write(self._writes)

    def _begin_release(self, write: Write, batch: Batch, run: Run) -> None:
        """Release a run; offsets below the start are archived."""
        for part in self._parted_at_start(batch, run):
            self._begin(write, batch, part, *self._after_release(part))

    def _after_release(self, part: Run) -> tuple[int, int]:
        """Return the state of released records, and why they are archived if they are."""
        return (ARCHIVED, BELOW_START) if part.last < self.start_offset else (AVAILABLE, UNKNOWN)

    def _parted_at_start(self, batch: Batch, run: Run) -> list[Run]:
        start, last = self.start_offset, run.last
        if not run.first < start <= last:
            return [run]
        batch.is_divided = True
        return [*batch.within(run.first, start - 1), *batch.within(start, last)]

    def _begin(self, write: Write, batch: Batch, run: Run, state: int, cause: int) -> None:
        """Begin the transition of acquired records. Their lock stays until it is written."""
        if write.transition is None:  # all runs of a write are of one member
            write.transition = Transition(write.number, run.member_id, self.limits.deliveries_max)
        self._change(run, state, cause)
        run.transition = write.transition
        if not write.batches or write.batches[-1] is not batch:
            write.batches.append(batch)
        write.state_batches.append(StateBatch(run.first, run.last, run.delivery_count, run.state))

    def _change(self, run: Run, state: int, cause: int) -> None:
        if state == AVAILABLE and run.delivery_count >= self.limits.deliveries_max:
            state, cause = ARCHIVING if self.limits.letters_topic else ARCHIVED, DELIVERED_TOO_OFTEN
        run.state, run.cause = state, cause
        run.member_id = NO_MEMBER
        if state in TERMINAL:
            self.complete_count += self._counted(run.first, run.last)

    def complete(self, write: Write, *, written: bool, now_ms: int) -> bool:
        """End the transitions of a write. Returns whether the start offset has moved.

        written: the share coordinator has stored them. Otherwise the records are acquired again. If their
        lock has ended in the meantime, they are available, or archived after their last delivery.
        """
        for batch in write.batches:
            for run in batch.runs:
                transition = run.transition
                if transition is None or transition.number != write.number:
                    continue
                run.transition = None
                if written or run.is_final:
                    run.unlock()
                else:
                    if run.state in TERMINAL:
                        self.complete_count -= self._counted(run.first, run.last)
                    self._undo(run, transition, now_ms)
                if run.state == AVAILABLE:
                    self._may_have_available = True
            batch.join()
        return written and self.advance()

    def _undo(self, run: Run, transition: Transition, now_ms: int) -> None:
        if run.lock_end_ms is not None and run.lock_end_ms <= now_ms:
            is_last = run.delivery_count >= transition.deliveries_max
            run.state = ARCHIVED if is_last else AVAILABLE
            run.cause = DELIVERED_TOO_OFTEN if is_last else UNKNOWN
            run.unlock()
            if is_last:
                self.complete_count += self._counted(run.first, run.last)
        else:
            run.state, run.member_id, run.cause = ACQUIRED, transition.member_id, UNKNOWN

    # dead letters

    def letters(self, batches: Sequence[StateBatch] | None = None) -> list[Letters]:
        """Return the dead letters that these stored batches require. None: everything that is archiving.

        The cause is not stored. If it is unknown, the delivery count tells it. Kafka:
        SharePartition.maybeResumeDlqArchiving.
        """
        if batches is None:
            batches = [StateBatch(run.first, run.last, run.delivery_count, run.state) for run in self.runs()]
        return [
            Letters(first, last, count, self._cause(first, count))
            for first, last, count, state in batches
            if state == ARCHIVING
        ]

    def archive(self, ended: Sequence[tuple[Letters, str]]) -> list[StateBatch]:
        """Archive records whose dead letters were written, or cannot be. Returns what to store.

        ended: with the `letter` of a Run
        """
        changed: dict[int, Batch] = {}
        for letters, letter in ended:
            for batch in self._batches_around(letters.first, letters.last):
                changed[batch.first] = batch
                for run in list(batch.within(letters.first, letters.last)):
                    if run.state == ARCHIVING:
                        run.archive(letters.cause)
                        run.letter = letter
                        self.complete_count += self._counted(run.first, run.last)
        for batch in changed.values():
            batch.join()
        return [StateBatch(each.first, each.last, each.delivery_count, ARCHIVED) for each, _ in ended]

    def _cause(self, offset: int, delivery_count: int) -> int:
        for batch in self._batches_around(offset, offset):
            for run in batch.touching(offset, offset):
                if run.cause != UNKNOWN:
                    return run.cause
        return DELIVERED_TOO_OFTEN if delivery_count >= self.limits.deliveries_max else REJECTED

    # locks

    def next_lock_end(self) -> int | None:
        """Return when the next lock ends (steady ms), or an earlier time."""
        return self._lock_ends[0][0] if self._lock_ends else None

    def end_locks(self, now_ms: int, runs_max: int) -> list[StateBatch]:
        """End locks that are due, and look at no more than so many runs. Returns what to write.

        The records are available at once, or archived after their last delivery. Kafka, too, writes this
        afterwards: if the write fails, they are available all the same.
        """
        changed: list[StateBatch] = []
        left = runs_max
        while left > 0 and self._lock_ends and self._lock_ends[0][0] <= now_ms:
            end_ms, first, last = heappop(self._lock_ends)
            left -= 1
            for batch in self._batches_around(first, last):
                # Acknowledgements may have divided what was locked together.
                for run in list(islice(batch.touching(first, last), left + 2)):
                    if left < 0:
                        heappush(self._lock_ends, (end_ms, run.first, last))
                        return changed
                    left -= 1
                    if run.state != ACQUIRED or run.lock_end_ms != end_ms:
                        continue
                    for part in self._parted_at_start(batch, run):
                        self._change(part, *self._after_release(part))
                        part.unlock()
                        self._may_have_available |= part.state == AVAILABLE
                        changed.append(StateBatch(part.first, part.last, part.delivery_count, part.state))
        return changed

    def expire_locks(self, now_ms: int) -> int:
        """Let every lock end now, and return how many records are locked. `end_locks` ends them."""
        locked = [run for run in self.runs() if run.lock_end_ms is not None]
        for run in locked:
            run.lock_end_ms = now_ms
        self._lock_ends = [(now_ms, run.first, run.last) for run in locked]
        return sum(run.last - run.first + 1 for run in locked if run.state == ACQUIRED)

    def _lock(self, run: Run, member_id: str, now_ms: int, delivery_count: int) -> None:
        run.state = ACQUIRED
        run.delivery_count = delivery_count
        run.member_id = member_id
        run.since_ms = now_ms
        self._lock_until(run, now_ms + self.limits.lock_ms)

    def _lock_until(self, run: Run, end_ms: int) -> None:
        run.lock_end_ms = end_ms
        if len(self._lock_ends) > self._lock_ends_max:
            self._lock_ends = [
                (each.lock_end_ms, each.first, each.last)
                for each in self.runs()
                if each.lock_end_ms is not None
            ]
            heapify(self._lock_ends)
            self._lock_ends_max = OUTDATED_MAX + 2 * len(self._lock_ends)
        heappush(self._lock_ends, (end_ms, run.first, run.last))

    # the log

    def move_log_start(self, log_start: int) -> None:
        """Archive the available records below a new start of the log. Acquired records stay acquired.

        A fetch acquires whole record batches, so that deleted records below the start offset may have become
        available. Kafka leaves them so if its start offset does not move: every fetch begins there in vain.
        """
        if log_start <= self.start_offset:
            for batch in self._batches_from(0, log_start - 1):
                self._archive(batch, batch.first, log_start - 1, AVAILABLE, BELOW_START, counts=False)
            return
        if not self._batches:
            self.start_offset = self.end_offset = log_start
            self.complete_count = 0
            return
        complete = sum(
            min(run.last, log_start - 1) - max(run.first, self.start_offset) + 1
            for run in self.runs()
            if run.state in TERMINAL and run.last >= self.start_offset and run.first < log_start
        )
        archived = False
        for batch in self._batches_from(self._batches[0].first, log_start - 1):
            archived |= self._archive(
                batch, self.start_offset, log_start - 1, AVAILABLE, BELOW_START, counts=False
            )
        self._may_have_available |= archived
        if self._gap is not None:
            # Kafka leaves it below the start of the log, where it reads in vain from then on.
            self._gap.start = max(self._gap.start, log_start)
        self.start_offset = log_start
        self.complete_count -= complete
        self.end_offset = max(self.end_offset, log_start)

    def _archive_missing(self, fetch_offset: int, base: int) -> None:
        """Archive available offsets that the log no longer has, because it was compacted."""
        if fetch_offset < base:
            for batch in self._batches_around(fetch_offset, base - 1):
                if self._archive(batch, fetch_offset, base - 1, AVAILABLE, COMPACTED, counts=True):
                    self._may_have_available = True

    def _archive(self, batch: Batch, first: int, last: int, state: int, cause: int, *, counts: bool) -> bool:
        """Archive the offsets of a batch that are in this state."""
        is_whole = first <= batch.first and batch.last <= last
        if not batch.is_divided and not is_whole:
            if batch.runs[0].state != state:
                return False
            batch.is_divided = True
        archived = False
        for run in list(batch.within(first, last)) if batch.is_divided else batch.runs:
            if run.state == state:
                run.archive(cause)
                if counts:
                    self.complete_count += run.last - run.first + 1
                archived = True
        return archived

    # offsets

    def advance(self) -> bool:
        """Move the start offset over what is acknowledged or archived. Returns whether it has moved."""
        floor = self._floor(self.start_offset)
        if floor is None:
            return False
        first = (
            next(floor.touching(self.start_offset, self.start_offset), None)
            if floor.is_divided
            else floor.runs[0]
        )
        if first is None or first.transition is not None or first.state not in TERMINAL:
            return False
        acknowledged, complete = self._last_complete()
        if acknowledged == NO_OFFSET:
            return False
        if acknowledged == self._batches[-1].last:
            self.start_offset = self.end_offset = acknowledged + 1
            self._remember(self._batches)
            self._batches.clear()
            self._lock_ends.clear()
            self.complete_count = 0
            return True
        at = bisect_right(self._batches, acknowledged, key=_first_of) - 1
        if self._batches[at].last == acknowledged:
            at += 1
            self.start_offset = max(self.start_offset, self._batches[at].first)
            if (gap := self._open_gap) is not None:
                self.start_offset = min(gap.start, self.start_offset)
        else:
            self.start_offset = max(self.start_offset, acknowledged + 1)
        self.complete_count -= complete
        self._remember(self._batches[:at])
        del self._batches[:at]
        return True

    def _remember(self, removed: Sequence[Batch]) -> None:
        """Remember how the records of batches ended that are removed."""
        for batch in removed[-REMEMBERED_MAX:]:
            for run in batch.runs[-REMEMBERED_MAX:]:
                last = self.remembered[-1] if self.remembered else None
                if last is not None and last.last == run.first - 1 and run.continues(last):
                    last.last = run.last
                else:
                    self.remembered.append(run)

    def _last_complete(self) -> tuple[int, int]:
        """Return the last offset up to which all are complete, and how many of them count."""
        last, complete, gap = NO_OFFSET, 0, self._open_gap
        for batch in self._batches:
            if gap is not None and batch.last >= gap.start:
                break
            for run in batch.runs:
                if run.transition is not None or run.state not in TERMINAL:
                    return last, complete
                last = run.last
                complete += self._counted(run.first, run.last)
        return last, complete

    @property
    def _open_gap(self) -> Gap | None:
        return self._gap if self._gap is not None and self._gap.end == self.end_offset else None

    def _move_gap(self, offset: int) -> None:
        gap = self._open_gap
        if gap is not None and offset <= gap.end:
            gap.start = offset
        else:
            self._gap = None

    def _counted(self, first: int, last: int) -> int:
        """Return how many of these offsets are not below the start."""
        if first >= self.start_offset:  # almost always
            return last - first + 1
        return max(0, last - self.start_offset + 1)

    def _add(self, batch: Batch) -> None:
        at = bisect_left(self._batches, batch.first, key=_first_of)
        self._batches.insert(at, batch)

    def _floor(self, offset: int) -> Batch | None:
        """Return the last batch that begins at this offset or below."""
        at = bisect_right(self._batches, offset, key=_first_of)
        return self._batches[at - 1] if at else None

    def _batches_from(self, first: int, last: int) -> list[Batch]:
        """Return the batches that begin with one of these offsets."""
        at = bisect_left(self._batches, first, key=_first_of)
        return self._batches[at : bisect_right(self._batches, last, key=_first_of)]

    def _batches_around(self, first: int, last: int) -> list[Batch]:
        """Return the batches with at least one of these offsets."""
        floor = self._floor(first)
        if floor is not None and floor.last >= first:
            first = floor.first
        return self._batches_from(first, last)


@dataclass(slots=True)
class _Acquiring:
    member_id: str
    fetched: Sequence[tuple[int, int]]
    batch_size: int
    strict: bool
    now_ms: int

    def end_of_record_batch(self, offset: int) -> int:
        """Return the last offset of the record batch with this offset, or the offset if there is none."""
        at = bisect_right(self.fetched, offset, key=lambda each: each[0]) - 1
        return max(offset, self.fetched[at][1]) if at >= 0 else offset


def _refused(message: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_RECORD_STATE, message)


def _slow_from(deliveries_max: int) -> int:
    """Return the delivery count from which on a batch is delivered in parts."""
    return max(THROTTLED_COUNT_MIN, -(-deliveries_max // 2))


def _continues(before: Acquired, after: Acquired) -> bool:
    return before.last + 1 == after.first and before.delivery_count == after.delivery_count


def _by_type(batch: Batch, run: Run, types: Sequence[int], base: int) -> list[tuple[Run, int]]:
    """Divide a run by the types of its offsets, and return the parts. types: of the offsets from base on."""
    if len(types) == 1:
        return [(run, types[0])]
    parts: list[tuple[Run, int]] = []
    kinds = types[run.first - base : run.last - base + 1]
    begin, count = 0, len(kinds)
    for end in range(1, count + 1):
        if end == count or kinds[end] != kinds[begin]:
            parts.append((run.part(run.first + begin, run.first + end - 1), kinds[begin]))
            begin = end
    at = bisect_left(batch.runs, run.first, key=_first_of)
    batch.runs[at : at + 1] = [part for part, _ in parts]
    return parts
