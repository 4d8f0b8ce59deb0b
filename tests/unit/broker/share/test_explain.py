"""Why records of a share partition are not delivered, by the rules of Kafka's SharePartition."""

from __future__ import annotations

import pytest

from tests.unit.broker.share.test_partition import LOCK_MS, Story
from tidemark.share.explain import Described, describe_offset
from tidemark.share.partition import (
    ACCEPT,
    ACKNOWLEDGED,
    ARCHIVED,
    GAP,
    REJECT,
    RELEASE,
    REMEMBERED_MAX,
    RENEW,
    WRITTEN,
    Acknowledgement,
    SharePartition,
)
from tidemark_protocol.share_batches import StateBatch

NOW_MS = 1_793_527_200_000  # date -u -d 2026-11-01T10:00:00Z +%s


def of(story: Story, offset: int) -> Described:
    wall_ms = NOW_MS + story.now
    return describe_offset(story.partition, offset, steady_ms=story.now, wall_ms=wall_ms)


def ended(story: Story, offset: int) -> tuple[str, str | None]:
    found = of(story, offset)
    return found.state, found.cause


def test_an_acquired_record_has_its_member_and_the_end_of_the_lock() -> None:
    story = Story()
    story.acquire((0, 4))
    story.now += 1_000
    held = of(story, 3)
    assert (held.first_offset, held.last_offset, held.state, held.member_id) == (0, 4, "acquired", "a")
    assert (held.delivery_count, held.since_ms, held.lock_end_ms) == (1, NOW_MS, NOW_MS + LOCK_MS)
    assert held.explanation == (
        "Member a has acquired offsets 0 to 4 at 2026-11-01T10:00:00Z, in delivery 1 of 5. If it does not "
        "acknowledge them before 2026-11-01T10:00:30Z, they are available again."
    )


def test_a_renewed_lock_ends_later() -> None:
    story = Story()
    story.acquire((0, 0))
    story.now += 10_000
    assert story.partition.acknowledge("a", [Acknowledgement(0, 0, (RENEW,))], story.now) is None
    assert of(story, 0).lock_end_ms == NOW_MS + 10_000 + LOCK_MS


def test_the_last_delivery_is_announced() -> None:
    story = Story(deliveries_max=2)
    story.acquire((0, 0))
    story.acknowledge(0, 0, RELEASE)
    assert of(story, 0).explanation == (
        "Offset 0 is available after 1 delivery: the next fetch delivers it again, for the last time."
    )
    story.acquire((0, 0))
    assert of(story, 0).explanation.endswith("it is archived, because this is the last delivery.")


def test_a_record_of_a_known_batch_may_never_have_been_delivered() -> None:
    story = Story()
    story.acquire((0, 4), records_max=2, strict=True)
    assert of(story, 3).explanation == "Offsets 2 to 4 are available, and were never delivered."


@pytest.mark.parametrize(("kind", "cause"), [(REJECT, "rejected"), (GAP, "gap")])
def test_an_acknowledgement_archives(kind: int, cause: str) -> None:
    story = Story()
    story.acquire((0, 2))
    story.acknowledge(1, 1, kind)
    assert ended(story, 1) == ("archived", cause)
    assert of(story, 1).is_stored


def test_the_state_is_not_stored_while_it_is_being_written() -> None:
    story = Story()
    story.acquire((0, 2))
    write = story.begin(1, 1, REJECT)
    assert not of(story, 1).is_stored
    assert "is storing this" in of(story, 1).explanation
    story.complete(write, written=False)
    assert ended(story, 1) == ("acquired", None)


def test_a_record_is_archived_after_its_last_delivery_by_release_and_by_the_end_of_a_lock() -> None:
    story = Story(deliveries_max=2)
    story.acquire((0, 1), (2, 3), batch_size=1)
    story.passes(LOCK_MS)
    story.acquire((0, 1), (2, 3))
    story.acknowledge(2, 3, RELEASE)
    assert ended(story, 2) == ("archived", "delivered_too_often")
    story.acquire((0, 1))
    story.now += LOCK_MS
    story.partition.end_locks(story.now, 100)
    assert ended(story, 0) == ("archived", "delivered_too_often")
    assert "delivered 2 times, as often as share.delivery.count.limit allows" in of(story, 0).explanation


def test_available_records_below_a_new_log_start_are_deleted() -> None:
    story = Story()
    story.acquire((0, 1), (2, 9), batch_size=1)
    story.acknowledge(2, 9, RELEASE)
    story.partition.move_log_start(5)
    assert ended(story, 3) == ("archived", "deleted")
    assert ended(story, 6) == ("available", None)
    story.complete(story.partition.release("a"))
    assert ended(story, 0) == ("archived", "deleted")  # acquired below the start, then released


def test_available_records_that_compaction_has_removed_are_archived() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(0, 9, RELEASE)
    story.acquire((5, 9), at=0)
    assert ended(story, 2) == ("archived", "compacted")


def test_records_of_an_aborted_transaction_are_archived() -> None:
    story = Story()
    acquired = story.partition.acquire(
        "a", [(0, 2), (3, 5)], 0, records_max=500, batch_size=500, strict=False, now_ms=0
    )
    story.partition.archive_aborted([(0, 2)], acquired)
    assert ended(story, 1) == ("archived", "aborted")
    assert ended(story, 4) == ("acquired", None)


def test_ended_records_are_remembered_below_the_start_offset() -> None:
    story = Story()
    story.acquire((0, 2))
    story.acknowledge(0, 2, ACCEPT)
    story.acquire((3, 5))
    story.acknowledge(3, 5, ACCEPT, REJECT, ACCEPT)
    assert story.partition.start_offset == 6
    assert [ended(story, offset)[0] for offset in (0, 3, 4, 5)] == [
        "acknowledged", "acknowledged", "archived", "acknowledged",
    ]  # fmt: skip
    assert of(story, 0).last_offset == 3  # neighbours with the same end are one range
    assert ended(story, 6) == ("undelivered", None)


def test_a_bounded_number_of_ranges_is_remembered() -> None:
    story = Story()
    for offset in range(2 * REMEMBERED_MAX):
        story.acquire((offset, offset))
        story.acknowledge(offset, offset, ACCEPT if offset % 2 else REJECT)
    assert len(story.partition.remembered) == REMEMBERED_MAX
    assert ended(story, 0) == ("forgotten", None)
    assert ended(story, 2 * REMEMBERED_MAX - 2) == ("archived", "rejected")


def test_stored_states_have_no_cause_until_it_is_recalled() -> None:
    story = Story()
    story.acquire((0, 9))
    story.acknowledge(0, 3, ACCEPT, ACCEPT, REJECT, ACCEPT)
    story.acknowledge(5, 5, REJECT)
    story.acknowledge(7, 7, ACCEPT)
    assert story.partition.start_offset == 4
    stored = [StateBatch(5, 5, 1, ARCHIVED), StateBatch(7, 7, 1, ACKNOWLEDGED)]
    opened = Story(4)
    opened.partition = SharePartition(story.partition.limits, 4, 0, stored)
    assert "not known, because the state was stored" in of(opened, 5).explanation
    assert ended(opened, 2) == ("forgotten", None)
    opened.partition.recall(story.partition.ended())
    assert ended(opened, 5) == ("archived", "rejected")
    assert ended(opened, 2) == ("archived", "rejected")
    assert ended(opened, 0) == ("acknowledged", None)
    assert ended(opened, 7) == ("acknowledged", None)


def test_locks_expire_at_once() -> None:
    story = Story()
    story.acquire((0, 2), (3, 5), batch_size=1)
    assert story.partition.expire_locks(story.now) == 6
    assert [(each.first_offset, each.last_offset) for each in story.partition.end_locks(story.now, 100)] == [
        (0, 2),
        (3, 5),
    ]
    assert story.states == [(0, 5, "available")]
    assert story.partition.expire_locks(story.now) == 0


def test_a_lock_that_expires_during_a_write_makes_its_failure_available() -> None:
    story = Story()
    story.acquire((0, 0))
    write = story.begin(0, 0, ACCEPT)
    assert story.partition.expire_locks(story.now) == 0
    story.complete(write, written=False)
    assert story.states == [(0, 0, "available")]


@pytest.mark.parametrize(
    ("letter", "sentence"),
    [
        (WRITTEN, "The dead-letter queue has it."),
        ("Topic dlq.a does not exist.", "Its dead letter could not be written: Topic dlq.a does not exist."),
    ],
)
def test_an_archived_record_has_the_outcome_of_its_dead_letter(letter: str, sentence: str) -> None:
    story = Story(letters_topic="dlq.a")
    story.acquire((0, 2))
    write = story.begin(1, 1, REJECT)
    story.complete(write)
    assert ended(story, 1) == ("archiving", "rejected")
    assert of(story, 1).explanation == (
        "Offset 1 is not delivered any more: a member has rejected it. "
        "Its dead letter is being written to topic dlq.a."
    )
    (letters,) = story.partition.letters(write.state_batches)
    story.partition.archive([(letters, letter)])
    assert ended(story, 1) == ("archived", "rejected")
    assert of(story, 1).explanation == (
        f"Offset 1 is not delivered any more: a member has rejected it. {sentence}"
    )
