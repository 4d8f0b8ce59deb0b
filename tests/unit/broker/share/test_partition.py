"""Rules of a share partition. tests/conformance/share_partitions compares all of it with Kafka's class."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import pytest

from tidemark.share.partition import (
    ACCEPT,
    ACKNOWLEDGED,
    ARCHIVED,
    ARCHIVING,
    AVAILABLE,
    DELIVERED_TOO_OFTEN,
    GAP,
    OUTDATED_MAX,
    RANGES_MAX,
    REJECT,
    REJECTED,
    RELEASE,
    RENEW,
    RUNS_MAX,
    WRITTEN,
    Acknowledgement,
    Letters,
    Limits,
    SharePartition,
    Write,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.share_batches import StateBatch

LOCK_MS = 30_000
STATES = {0: "available", 1: "acquired", 2: "acknowledged", 3: "archiving", 4: "archived"}


class Story:
    """A share partition whose writes succeed at once, unless a test completes them itself."""

    def __init__(self, start: int = 0, stored: Sequence[StateBatch] = (), **limits: int | str) -> None:
        settings = Limits(LOCK_MS)
        for name, value in limits.items():
            setattr(settings, name, value)
        self.partition = SharePartition(settings, start, 0, stored)
        self.now = 0

    def acquire(
        self,
        *fetched: tuple[int, int],
        member: str = "a",
        at: int | None = None,
        records_max: int = 500,
        batch_size: int = 500,
        strict: bool = False,
    ) -> list[tuple[int, int, int]]:
        """Return (first, last, delivery count) of what is acquired."""
        acquired = self.partition.acquire(
            member,
            fetched,
            self.partition.next_fetch_offset() if at is None else at,
            records_max=records_max,
            batch_size=batch_size,
            strict=strict,
            now_ms=self.now,
        )
        return [(*each,) for each in acquired]

    def begin(self, first: int, last: int, *types: int, member: str = "a") -> Write:
        write = self.partition.acknowledge(member, [Acknowledgement(first, last, types)], self.now)
        assert write is not None
        return write

    def acknowledge(self, first: int, last: int, *types: int, member: str = "a") -> None:
        self.complete(self.begin(first, last, *types, member=member))

    def complete(self, write: Write | None, *, written: bool = True) -> None:
        assert write is not None
        self.partition.complete(write, written=written, now_ms=self.now)

    def refused(self, first: int, last: int, *types: int, member: str = "a") -> tuple[str, str | None]:
        with pytest.raises(KafkaError) as refusal:
            self.begin(first, last, *types, member=member)
        return refusal.value.code.name, refusal.value.message

    def passes(self, ms: int) -> list[tuple[int, int, str]]:
        """Let this time pass, and return what to write for the locks that end."""
        self.now += ms
        changed: list[StateBatch] = []
        while (end := self.partition.next_lock_end()) is not None and end <= self.now:
            changed += self.partition.end_locks(self.now, 100)
        self.partition.advance()
        return [(each.first_offset, each.last_offset, STATES[each.delivery_state]) for each in changed]

    def redeliver(self, first: int, last: int, times: int) -> None:
        """Acquire and release these offsets so often."""
        for _ in range(times):
            assert self.acquire((first, last))
            self.complete(self.partition.release("a"))

    @property
    def states(self) -> list[tuple[int, int, str]]:
        """First and last offset of neighbours with the same state."""
        found: list[tuple[int, int, str]] = []
        for run in self.partition.runs():
            state = STATES[run.state]
            if found and found[-1][1:] == (run.first - 1, state):
                found[-1] = (found[-1][0], run.last, state)
            else:
                found.append((run.first, run.last, state))
        return found


# acquire


def test_new_records_are_acquired_from_the_next_fetch_offset_on() -> None:
    story = Story(5)
    assert story.partition.next_fetch_offset() == 5
    assert story.acquire((5, 14)) == [(5, 14, 1)]
    assert story.partition.next_fetch_offset() == 15
    assert story.acquire((15, 15), member="b") == [(15, 15, 1)]


def test_records_below_the_start_offset_are_not_acquired() -> None:
    assert Story(5).acquire((0, 9)) == [(5, 9, 1)]
    assert Story(10).acquire((0, 9)) == []


def test_start_offset_moves_to_the_first_record_of_the_log() -> None:
    story = Story(0)
    story.acquire((10, 12))
    assert story.partition.start_offset == 10


def test_nothing_is_acquired_without_records_or_without_demand() -> None:
    assert Story().acquire() == []
    assert Story().acquire((0, 9), records_max=0) == []


def test_new_batches_in_flight_end_with_a_record_batch() -> None:
    fetched = ((0, 3), (4, 6), (7, 7), (8, 12))
    assert Story().acquire(*fetched, batch_size=5) == [(0, 6, 1), (7, 12, 1)]


def test_a_record_batch_is_acquired_whole_even_beyond_the_maximum() -> None:
    assert Story().acquire((0, 4), (5, 9), records_max=3) == [(0, 4, 1)]


def test_record_limit_divides_a_record_batch() -> None:
    story = Story()
    assert story.acquire((0, 9), records_max=3, strict=True) == [(0, 2, 1)]
    assert story.states == [(0, 2, "acquired"), (3, 9, "available")]
    assert story.partition.next_fetch_offset() == 3
    assert story.acquire((0, 9), records_max=5, strict=True, member="b") == [(3, 7, 1)]


def test_what_another_member_has_acquired_is_left_out() -> None:
    story = Story()
    story.acquire((0, 9))
    assert story.acquire((0, 9), (10, 12), member="b", at=0) == [(10, 12, 1)]


def test_released_records_are_acquired_again_with_a_higher_delivery_count() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(3, 5, RELEASE)
    assert story.partition.next_fetch_offset() == 3
    assert story.acquire((0, 9), (10, 11)) == [(3, 5, 2), (10, 11, 1)]


def test_offsets_that_compaction_has_removed_are_archived() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(0, 9, RELEASE)
    assert story.acquire((4, 9)) == [(4, 9, 2)]
    assert story.states == [(0, 3, "archived"), (4, 9, "acquired")]


# limits


def test_no_new_record_is_acquired_beyond_the_limit_of_locks() -> None:
    story = Story(locks_max=10)
    story.acquire((0, 9))
    assert not story.partition.can_acquire()
    assert story.acquire((10, 19)) == []


def test_the_limit_counts_from_the_start_offset_to_the_end_offset() -> None:
    story = Story(locks_max=10)
    story.acquire((0, 9))
    story.acknowledge(1, 9, ACCEPT)
    assert not story.partition.can_acquire()
    story.acknowledge(0, 0, ACCEPT)
    assert story.partition.can_acquire()
    assert story.acquire((10, 19)) == [(10, 19, 1)]


def test_available_records_are_acquired_at_the_limit() -> None:
    story = Story(locks_max=10)
    story.acquire((0, 9))
    story.acknowledge(5, 9, RELEASE)
    assert story.partition.can_acquire()
    assert story.acquire((5, 14)) == [(5, 9, 2)]


def test_nothing_is_acquired_at_the_limit_if_compaction_has_removed_what_was_available() -> None:
    story = Story(locks_max=10)
    story.acquire((0, 9))
    story.acknowledge(8, 9, RELEASE)
    assert story.acquire((12, 14)) == []
    assert story.states[-1] == (8, 9, "archived")


# poisonous records


def test_from_half_of_the_deliveries_on_a_batch_is_delivered_in_parts() -> None:
    story = Story(deliveries_max=6)
    story.redeliver(0, 15, 3)
    assert story.acquire((0, 15)) == [(0, 7, 4)]
    assert story.acquire((0, 15)) == [(8, 15, 4)]
    story.acknowledge(0, 15, RELEASE)
    assert story.acquire((0, 15)) == [(0, 3, 5)]


def test_a_record_is_delivered_alone_for_the_last_time() -> None:
    story = Story(stored=[StateBatch(0, 9, 4, AVAILABLE)], deliveries_max=5)
    assert story.acquire((0, 9)) == [(0, 0, 5)]
    assert story.acquire((0, 9)) == [(1, 1, 5)]


def test_a_batch_that_is_delivered_in_parts_is_not_delivered_with_others() -> None:
    story = Story(stored=[StateBatch(0, 9, 0, AVAILABLE), StateBatch(10, 19, 3, AVAILABLE)], deliveries_max=5)
    assert story.acquire((0, 9), (10, 19), (20, 29)) == [(0, 9, 1)]
    assert story.acquire((10, 19), (20, 29)) == [(10, 14, 4)]


def test_two_deliveries_are_too_few_to_slow_down() -> None:
    story = Story(deliveries_max=2)
    story.redeliver(0, 9, 1)
    assert story.acquire((0, 9)) == [(0, 9, 2)]


# acknowledge


def test_start_offset_moves_once_the_acknowledgement_is_written() -> None:
    story = Story()
    story.acquire((0, 9))
    write = story.begin(0, 4, ACCEPT)
    assert write.state_batches == [StateBatch(0, 4, 1, ACKNOWLEDGED)]
    assert (story.partition.start_offset, story.partition.complete_count) == (0, 5)
    story.complete(write)
    assert (story.partition.start_offset, story.partition.complete_count) == (5, 0)


def test_start_offset_stays_below_an_acquired_record() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(1, 9, ACCEPT)
    assert (story.partition.start_offset, story.partition.complete_count) == (0, 9)


def test_nothing_is_kept_once_all_records_are_acknowledged() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(0, 9, ACCEPT)
    assert (story.partition.start_offset, story.partition.batches) == (10, 0)
    assert story.partition.next_lock_end() is None


def test_each_offset_may_have_its_own_type() -> None:
    story = Story()
    story.acquire((0, 9))
    write = story.begin(0, 5, RELEASE, RELEASE, ACCEPT, REJECT, GAP, RENEW)
    assert write.state_batches == [
        StateBatch(0, 1, 1, AVAILABLE),
        StateBatch(2, 2, 1, ACKNOWLEDGED),
        StateBatch(3, 3, 1, ARCHIVED),
        StateBatch(4, 4, 1, ARCHIVED),
    ]
    story.complete(write)
    assert story.states == [
        (0, 1, "available"),
        (2, 2, "acknowledged"),
        (3, 4, "archived"),
        (5, 9, "acquired"),
    ]


def test_a_record_that_is_released_after_its_last_delivery_is_archived() -> None:
    story = Story(stored=[StateBatch(0, 0, 4, AVAILABLE), StateBatch(1, 1, 0, AVAILABLE)], deliveries_max=5)
    story.acquire((0, 1))
    assert story.begin(0, 0, RELEASE).state_batches == [StateBatch(0, 0, 5, ARCHIVED)]


def test_released_records_are_not_acquired_before_the_release_is_written() -> None:
    story = Story()
    story.acquire((0, 9))
    write = story.begin(0, 9, RELEASE)
    assert story.acquire((0, 9), member="b", at=0) == []
    story.complete(write)
    assert story.acquire((0, 9), member="b") == [(0, 9, 2)]


def test_offsets_below_the_start_are_ignored() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(0, 4, ACCEPT)
    assert story.partition.acknowledge("a", [Acknowledgement(0, 4, [ACCEPT])], 0) is None
    assert story.begin(3, 6, REJECT).state_batches == [StateBatch(5, 6, 1, ARCHIVED)]


UNKNOWN = "Batch record not found. The request batch offsets are not found in the cache."
FIRST_PAST = "Batch record not found. The first offset in request is past acquired records."
LAST_PAST = "Batch record not found. The last offset in request is past acquired records."
BATCH_NOT_ACQUIRED = "The batch cannot be acknowledged. The batch is not in the acquired state."
OFFSET_NOT_ACQUIRED = "The offset cannot be acknowledged. The offset is not acquired."


@pytest.mark.parametrize(
    ("first", "last", "member", "code", "message"),
    [
        (5, 6, "a", ErrorCode.INVALID_RECORD_STATE, UNKNOWN),
        (40, 40, "a", ErrorCode.INVALID_REQUEST, FIRST_PAST),
        (25, 30, "a", ErrorCode.INVALID_REQUEST, LAST_PAST),
        (10, 14, "a", ErrorCode.INVALID_RECORD_STATE, BATCH_NOT_ACQUIRED),
        (15, 19, "b", ErrorCode.INVALID_RECORD_STATE, "Member is not the owner of batch record"),
        (17, 18, "b", ErrorCode.INVALID_RECORD_STATE, "Member is not the owner of batch record"),
        (20, 21, "a", ErrorCode.INVALID_RECORD_STATE, OFFSET_NOT_ACQUIRED),
        (22, 24, "b", ErrorCode.INVALID_RECORD_STATE, "Member is not the owner of offset"),
    ],
)
def test_refusals_have_kafkas_words(
    first: int, last: int, member: str, code: ErrorCode, message: str
) -> None:
    story = Story(5, [StateBatch(10, 14, 1, AVAILABLE)])
    story.acquire((10, 14), at=10)
    story.acquire((15, 19))
    story.acquire((20, 29))
    story.acknowledge(10, 14, REJECT)
    story.acknowledge(20, 20, ACCEPT)
    assert story.refused(first, last, ACCEPT, member=member) == (code.name, message)


def test_a_second_acknowledgement_is_refused_while_the_first_is_being_written() -> None:
    story = Story()
    story.acquire((0, 9))
    story.begin(0, 9, ACCEPT)
    assert story.refused(0, 9, RELEASE) == ("INVALID_RECORD_STATE", BATCH_NOT_ACQUIRED)


def test_nothing_is_acknowledged_if_one_record_is_refused() -> None:
    story = Story()
    story.acquire((0, 4))
    story.acquire((5, 9), member="b")
    assert story.refused(0, 9, ACCEPT)[1] == "Member is not the owner of batch record"
    assert story.states == [(0, 9, "acquired")]
    assert story.partition.complete_count == 0
    story.acknowledge(0, 4, ACCEPT)


def test_an_ended_session_releases_what_its_member_has_acquired() -> None:
    story = Story()
    story.acquire((0, 4))
    story.acquire((5, 9), member="b")
    write = story.partition.release("a")
    assert write is not None
    assert write.state_batches == [StateBatch(0, 4, 1, AVAILABLE)]
    assert story.partition.release("a") is None


# locks


def test_a_record_is_available_once_its_lock_ends() -> None:
    story = Story()
    story.acquire((0, 9))
    assert story.passes(LOCK_MS - 1) == []
    assert story.passes(1) == [(0, 9, "available")]
    assert story.acquire((0, 9), member="b") == [(0, 9, 2)]


def test_a_record_is_archived_once_the_lock_of_its_last_delivery_ends() -> None:
    story = Story(stored=[StateBatch(0, 0, 4, AVAILABLE)], deliveries_max=5)
    story.acquire((0, 0))
    assert story.passes(LOCK_MS) == [(0, 0, "archived")]
    assert story.partition.start_offset == 1


def test_the_lock_ends_of_what_is_not_acknowledged() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(2, 3, ACCEPT)
    story.acknowledge(6, 6, RELEASE)
    story.passes(1)
    story.acquire((6, 6))
    assert story.passes(LOCK_MS - 1) == [
        (0, 1, "available"),
        (4, 5, "available"),
        (7, 9, "available"),
    ]
    assert story.passes(1) == [(6, 6, "available")]


def test_a_renewed_lock_ends_later() -> None:
    story = Story()
    story.acquire((0, 9))
    story.passes(LOCK_MS - 1)
    assert story.partition.acknowledge("a", [Acknowledgement(0, 4, [RENEW])], story.now) is None
    assert story.passes(1) == [(5, 9, "available")]
    assert story.passes(LOCK_MS - 2) == []
    assert story.passes(1) == [(0, 4, "available")]


def test_a_lock_is_not_renewed_if_the_group_does_not_allow_it() -> None:
    story = Story(renews=False)
    story.acquire((0, 9))
    message = "Renewing acquisition locks is not enabled for the group."
    assert story.refused(0, 9, RENEW) == ("INVALID_RECORD_STATE", message)


def test_a_lock_that_was_renewed_before_a_refusal_stays_renewed() -> None:
    story = Story()
    story.acquire((0, 4))
    story.acquire((5, 9), member="b")
    story.passes(10)
    story.refused(0, 9, RENEW)
    assert story.passes(LOCK_MS - 10) == [(5, 9, "available")]


# failed writes


def test_records_are_acquired_again_if_the_write_fails() -> None:
    story = Story()
    story.acquire((0, 9))
    story.complete(story.begin(0, 9, ACCEPT), written=False)
    assert (story.states, story.partition.complete_count) == ([(0, 9, "acquired")], 0)
    story.acknowledge(0, 9, ACCEPT)
    assert story.partition.start_offset == 10


def test_records_are_available_if_the_write_fails_after_the_end_of_their_lock() -> None:
    story = Story()
    story.acquire((0, 9))
    write = story.begin(0, 9, ACCEPT)
    assert story.passes(LOCK_MS) == []
    assert story.states == [(0, 9, "acknowledged")]
    story.complete(write, written=False)
    assert story.acquire((0, 9), member="b") == [(0, 9, 2)]


def test_last_delivery_is_archived_if_the_write_fails_after_the_end_of_its_lock() -> None:
    story = Story(stored=[StateBatch(0, 0, 4, AVAILABLE)], deliveries_max=5)
    story.acquire((0, 0))
    write = story.begin(0, 0, ACCEPT)
    story.passes(LOCK_MS)
    story.complete(write, written=False)
    assert (story.states, story.partition.complete_count) == ([(0, 0, "archived")], 1)


def test_a_release_that_fails_does_not_make_records_below_the_log_start_available() -> None:
    story = Story()
    story.acquire((0, 9))
    write = story.begin(0, 9, RELEASE)
    story.partition.move_log_start(5)
    story.complete(write, written=False)
    assert story.states == [(0, 4, "archived"), (5, 9, "acquired")]


# the log start


def test_available_records_below_a_new_log_start_are_archived() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(2, 9, RELEASE)
    story.partition.move_log_start(6)
    assert story.states == [(0, 1, "acquired"), (2, 5, "archived"), (6, 9, "available")]
    assert story.partition.next_fetch_offset() == 6
    assert story.partition.complete_count == 0


def test_records_below_the_log_start_are_archived_once_their_lock_ends() -> None:
    story = Story()
    story.acquire((0, 9))
    story.partition.move_log_start(6)
    assert story.passes(LOCK_MS) == [(0, 5, "archived"), (6, 9, "available")]


def test_a_session_that_ends_archives_what_is_below_the_log_start() -> None:
    story = Story()
    story.acquire((0, 9))
    story.partition.move_log_start(6)
    write = story.partition.release("a")
    assert write is not None
    assert write.state_batches == [StateBatch(0, 5, 1, ARCHIVED), StateBatch(6, 9, 1, AVAILABLE)]


def test_reading_goes_on_at_a_log_start_beyond_what_is_in_flight() -> None:
    story = Story()
    story.acquire((0, 9))
    story.partition.move_log_start(20)
    assert story.partition.next_fetch_offset() == 20


def test_records_that_the_log_has_deleted_are_not_fetched_for_ever() -> None:
    story = Story()
    story.acquire((0, 9))
    story.partition.move_log_start(15)
    assert story.acquire((10, 17), strict=True, records_max=1) == [(10, 10, 1)]
    assert story.partition.next_fetch_offset() == 11
    story.partition.move_log_start(15)  # a fetch has found nothing at 11
    assert story.states == [(0, 10, "acquired"), (11, 14, "archived"), (15, 17, "available")]
    assert story.partition.next_fetch_offset() == 15
    assert story.partition.complete_count == 0


def test_log_start_moves_forward_only() -> None:
    story = Story(10)
    story.partition.move_log_start(5)
    assert story.partition.start_offset == 10
    story.partition.move_log_start(15)
    assert (story.partition.start_offset, story.partition.next_fetch_offset()) == (15, 15)


# after a restart


def test_stored_batches_that_are_complete_move_the_start_offset() -> None:
    stored = [StateBatch(5, 9, 1, ACKNOWLEDGED), StateBatch(10, 14, 2, AVAILABLE)]
    partition = SharePartition(Limits(), 5, 0, stored)
    assert (partition.start_offset, partition.end_offset, partition.complete_count) == (10, 14, 0)


def test_gaps_between_stored_batches_are_delivered() -> None:
    story = Story(0, [StateBatch(5, 9, 1, ACKNOWLEDGED), StateBatch(12, 14, 1, ARCHIVED)])
    assert story.partition.next_fetch_offset() == 0
    assert story.acquire((0, 20)) == [(0, 4, 1), (10, 11, 1), (15, 20, 1)]


def test_start_offset_does_not_pass_a_gap() -> None:
    story = Story(0, [StateBatch(0, 4, 1, AVAILABLE), StateBatch(8, 9, 1, AVAILABLE)])
    story.acquire((0, 4), at=0, records_max=5)
    story.acknowledge(0, 4, ACCEPT)
    assert (story.partition.start_offset, story.partition.next_fetch_offset()) == (5, 5)


def test_a_gap_is_read_from_the_log_start_on() -> None:
    story = Story(0, [StateBatch(10, 14, 1, ACKNOWLEDGED)])
    story.partition.move_log_start(6)
    assert story.partition.next_fetch_offset() == 6
    assert story.acquire((6, 9)) == [(6, 9, 1)]


@pytest.mark.parametrize("stored", [StateBatch(4, 9, 1, AVAILABLE), StateBatch(9, 8, 1, AVAILABLE)])
def test_stored_state_that_contradicts_itself_is_refused(stored: StateBatch) -> None:
    with pytest.raises(ValueError, match="stored batch"):
        SharePartition(Limits(), 5, 0, [stored])


# aborted transactions


def test_aborted_records_are_archived_and_not_delivered() -> None:
    story = Story()
    partition = story.partition
    acquired = partition.acquire(
        "a", [(0, 3), (4, 6), (7, 9)], 0, records_max=500, batch_size=500, strict=False, now_ms=0
    )
    left = partition.archive_aborted([(0, 1), (4, 6)], acquired)
    assert [(*each,) for each in left] == [(2, 3, 1), (7, 9, 1)]
    assert story.states == [(0, 1, "archived"), (2, 3, "acquired"), (4, 6, "archived"), (7, 9, "acquired")]
    assert partition.complete_count == 5


def test_aborted_records_that_were_not_acquired_stay_as_they_are() -> None:
    story = Story()
    partition = story.partition
    acquired = partition.acquire(
        "a", [(0, 3), (4, 9)], 0, records_max=2, batch_size=500, strict=True, now_ms=0
    )
    assert partition.archive_aborted([(4, 9)], acquired) == acquired
    assert story.states == [(0, 1, "acquired"), (2, 3, "available")]


# bounds


def test_a_batch_of_a_million_records_stays_small() -> None:
    story = Story()
    tracemalloc.start()
    try:
        story.acquire((0, 999_999))
        for first in range(0, 100_000, 1000):
            story.acknowledge(first, first, ACCEPT)
        story.acknowledge(500_000, 999_999, RELEASE)
        assert tracemalloc.get_traced_memory()[0] < 200_000
    finally:
        tracemalloc.stop()


def test_locks_that_end_together_are_ended_in_slices() -> None:
    story = Story(locks_max=10_000)
    story.acquire(*((at, at) for at in range(10_000)), records_max=10_000, batch_size=1)
    assert story.partition.batches == 10_000
    slices = 0
    while story.partition.next_lock_end() is not None:
        assert len(story.partition.end_locks(LOCK_MS, 100)) <= 100
        slices += 1
    assert 100 <= slices <= 200
    assert story.states == [(0, 9_999, "available")]


def test_renewals_do_not_grow_the_heap_of_lock_ends() -> None:
    story = Story()
    story.acquire((0, 9))
    renewal = [Acknowledgement(0, 9, [RENEW])]
    for _ in range(10_000):
        story.now += 1
        story.partition.acknowledge("a", renewal, story.now)
    assert len(story.partition._lock_ends) <= OUTDATED_MAX + 10
    assert story.passes(LOCK_MS - 1) == []
    assert story.passes(1) == [(0, 9, "available")]


def test_many_types_divide_a_batch_once() -> None:
    story = Story()
    story.acquire((0, 5))
    story.partition.acknowledge("a", [Acknowledgement(1, 4, [ACCEPT, ACCEPT, RELEASE, REJECT])], 0)
    runs = [(each.first, each.last, STATES[each.state]) for each in story.partition.runs()]
    assert runs == [
        (0, 0, "acquired"),
        (1, 2, "acknowledged"),
        (3, 3, "available"),
        (4, 4, "archived"),
        (5, 5, "acquired"),
    ]


@pytest.mark.parametrize("kind", [REJECT, RENEW])
def test_a_request_acknowledges_a_bounded_number_of_ranges(kind: int) -> None:
    story = Story()
    story.acquire((0, 999_999))
    alternating = [ACCEPT, kind] * 500_000
    with pytest.raises(KafkaError) as refused:
        story.partition.acknowledge("a", [Acknowledgement(0, 999_999, alternating)], 0)
    assert refused.value.code == ErrorCode.INVALID_REQUEST
    again = [Acknowledgement(0, 0, [RENEW])] * (RANGES_MAX + 1)
    with pytest.raises(KafkaError):
        story.partition.acknowledge("a", again, 0)
    assert sum(1 for _ in story.partition.runs()) == 2


def test_a_lock_of_many_runs_ends_in_steps() -> None:
    story = Story(locks_max=10_000)
    story.acquire((0, 9_999), records_max=10_000)
    for first in range(0, 10_000, 5_000):
        story.acknowledge(first, first + 2_499, *[ACCEPT, REJECT] * 1_250)
    held = [each for first in (2_500, 7_500) for each in range(first, first + 2_500, 2)]
    for each in held:
        story.acknowledge(each, each, ACCEPT)
    ended: list[int] = []
    while story.partition.next_lock_end() is not None:
        step = story.partition.end_locks(LOCK_MS, 100)
        assert len(step) <= 101
        ended += [each.first_offset for each in step]
    assert ended == [each + 1 for each in held]


def test_the_runs_of_a_huge_batch_are_bounded() -> None:
    story = Story()
    story.acquire((0, 999_999))
    accepted = 0
    for first in range(0, 100_000, 5_000):
        try:
            story.partition.acknowledge(
                "a", [Acknowledgement(first, first + 4_999, [ACCEPT, REJECT] * 2_500)], 0
            )
            accepted += 1
        except KafkaError as refused:
            assert refused.code == ErrorCode.INVALID_REQUEST  # noqa: PT017
    assert sum(1 for _ in story.partition.runs()) <= RUNS_MAX + RANGES_MAX
    assert accepted == 4
    # The rest may be acknowledged as a whole.
    assert story.partition.acknowledge("a", [Acknowledgement(100_000, 999_999, [ACCEPT])], 0) is not None


# dead letters (KIP-1191). Kafka: SharePartition of 4.4.0, initiateDLQAndArchive and maybeResumeDlqArchiving.


def test_rejected_records_are_archived_only_after_their_dead_letters() -> None:
    story = Story(letters_topic="dlq.a")
    story.acquire((0, 9))
    write = story.begin(0, 4, REJECT)
    story.complete(write)
    assert write.state_batches == [StateBatch(0, 4, 1, ARCHIVING)]
    assert not story.partition.advance()
    (letters,) = story.partition.letters(write.state_batches)
    assert letters == Letters(0, 4, 1, REJECTED)
    assert story.partition.archive([(letters, WRITTEN)]) == [StateBatch(0, 4, 1, ARCHIVED)]
    assert story.states == [(0, 4, "archived"), (5, 9, "acquired")]
    assert story.partition.complete_count == 5
    assert story.partition.advance()
    assert story.partition.start_offset == 5


def test_records_that_are_archiving_are_neither_delivered_nor_acknowledged() -> None:
    story = Story(letters_topic="dlq.a")
    story.acquire((0, 3))
    story.acknowledge(0, 1, REJECT)
    assert story.refused(0, 0, ACCEPT)[0] == "INVALID_RECORD_STATE"
    story.complete(story.partition.release("a"))
    assert story.acquire((0, 3)) == [(2, 3, 2)]


def test_rejected_records_are_acquired_again_if_their_state_cannot_be_stored() -> None:
    story = Story(letters_topic="dlq.a")
    story.acquire((0, 3))
    write = story.begin(0, 3, REJECT)
    story.complete(write, written=False)
    assert story.states == [(0, 3, "acquired")]


def test_records_that_were_delivered_too_often_have_dead_letters() -> None:
    story = Story(letters_topic="dlq.a", deliveries_max=2)
    story.redeliver(0, 3, 1)
    story.acquire((0, 3))
    changed = story.passes(LOCK_MS)
    assert changed == [(0, 3, "archiving")]
    assert story.partition.letters() == [Letters(0, 3, 2, DELIVERED_TOO_OFTEN)]


def test_neighbours_have_one_dead_letter_each() -> None:
    story = Story(letters_topic="dlq.a")
    story.acquire((0, 3))
    write = story.begin(0, 3, REJECT, ACCEPT, REJECT, REJECT)
    story.complete(write)
    found = story.partition.letters(write.state_batches)
    assert found == [Letters(0, 0, 1, REJECTED), Letters(2, 3, 1, REJECTED)]


def test_restart_goes_on_with_records_that_are_archiving() -> None:
    stored = [StateBatch(0, 1, 1, ARCHIVING), StateBatch(2, 3, 5, ARCHIVING), StateBatch(4, 4, 1, AVAILABLE)]
    story = Story(0, stored)
    assert story.partition.start_offset == 0
    assert story.partition.letters() == [Letters(0, 1, 1, REJECTED), Letters(2, 3, 5, DELIVERED_TOO_OFTEN)]


def test_records_have_no_dead_letters_without_a_queue() -> None:
    story = Story()
    story.acquire((0, 3))
    write = story.begin(0, 1, REJECT)
    story.complete(write)
    assert story.partition.letters(write.state_batches) == []
    assert story.states[0] == (0, 1, "archived")


def test_state_that_kafka_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="stored batch"):
        SharePartition(Limits(), 0, 0, [StateBatch(0, 1, 1, 5)])


def test_a_stored_state_of_many_batches_is_restored_in_steps() -> None:
    stored = [StateBatch(at, at, 1, 2 if at % 2 else 0) for at in range(10_000)]
    whole, restored = Story(0, stored).partition, SharePartition(Limits(LOCK_MS), 0)
    assert sum(1 for _ in restored.restore(stored)) >= 40
    assert [*map(str, restored.runs())] == [*map(str, whole.runs())]
    assert (restored.end_offset, restored.complete_count) == (9_999, 5_000)
    assert (restored.in_flight, restored.next_fetch_offset()) == (whole.in_flight, 0)
