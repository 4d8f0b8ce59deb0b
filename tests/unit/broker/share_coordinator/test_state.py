"""The state machine of share partitions. Codes, texts and records are those of Kafka 4.3.1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.broker.share_story import COLD_MS, KEY, OTHER, START_MS, TOPIC, ShareStory
from tidemark.share_coordinator.state import (
    BATCHES_MAX,
    NO_EPOCH,
    UNINITIALIZED,
    SharePartition,
    ShareState,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.share_batches import NO_OFFSET, StateBatch, combine


@pytest.fixture
def story() -> ShareStory:
    return ShareStory(share_coordinator_snapshot_update_records_per_snapshot=3)


def refusal(call: Callable[[], object]) -> tuple[ErrorCode, str]:
    with pytest.raises(KafkaError) as error:
        call()
    return error.value.code, str(error.value)


UNKNOWN_TOPIC = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.text)
NEGATIVE = (ErrorCode.INVALID_REQUEST, "The partition id cannot be a negative number.")
UNKNOWN = ErrorCode.UNKNOWN_SERVER_ERROR
FENCED_STATE = (ErrorCode.FENCED_STATE_EPOCH, ErrorCode.FENCED_STATE_EPOCH.text)
FENCED_LEADER = (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.FENCED_LEADER_EPOCH.text)


# The order of checks: each request has all faults that come later in the order.


def test_checks_of_initialize_in_their_order(story: ShareStory) -> None:
    story.initialize(epoch=5)
    lost = SharePartition("g", TOPIC, -1)
    assert refusal(lambda: story.initialize(lost, 1)) == NEGATIVE
    story.cluster.topics_by_id.pop(TOPIC)
    assert refusal(lambda: story.initialize(KEY, 4)) == FENCED_STATE
    assert refusal(lambda: story.initialize(KEY, 5)) == UNKNOWN_TOPIC
    assert refusal(lambda: story.initialize(KEY, NO_EPOCH)) == UNKNOWN_TOPIC


def test_checks_of_read_in_their_order(story: ShareStory) -> None:
    text = "Read operation on uninitialized share partition not allowed."
    assert refusal(lambda: story.read(0, SharePartition("g", OTHER, -1))) == NEGATIVE
    assert refusal(lambda: story.read(0, SharePartition("g", bytes(16), 9))) == (
        ErrorCode.INVALID_REQUEST, text
    )  # fmt: skip
    story.initialize()
    story.read(5)
    story.cluster.topics_by_id.pop(TOPIC)
    assert refusal(lambda: story.read(4)) == FENCED_LEADER
    assert refusal(lambda: story.read(5)) == UNKNOWN_TOPIC


def test_checks_of_write_in_their_order(story: ShareStory) -> None:
    text = "Write operation on uninitialized share partition not allowed."
    assert refusal(lambda: story.write(key=SharePartition("g", OTHER, -1))) == NEGATIVE
    assert refusal(lambda: story.write(key=SharePartition("g", bytes(16), 9))) == (
        ErrorCode.INVALID_REQUEST, text
    )  # fmt: skip
    story.initialize(epoch=2)
    story.read(5)
    story.cluster.topics_by_id.pop(TOPIC)
    assert refusal(lambda: story.write(epoch=1, leader=4)) == FENCED_LEADER
    assert refusal(lambda: story.write(epoch=1, leader=5)) == FENCED_STATE
    assert refusal(lambda: story.write(epoch=2, leader=5)) == UNKNOWN_TOPIC
    assert refusal(story.write) == UNKNOWN_TOPIC


def test_checks_of_delete_and_summary_in_their_order(story: ShareStory) -> None:
    for call in (story.delete, story.states.summary):
        assert refusal(partial(call, SharePartition("g", bytes(16), -1))) == NEGATIVE
        assert refusal(partial(call, SharePartition("g", TOPIC, 2))) == UNKNOWN_TOPIC
    assert story.states.summary(KEY) == UNINITIALIZED == ShareState(0, 0, 0, -1, -1)
    story.delete()
    assert story.kinds() == ""


# Epochs.


def test_the_leader_epoch_of_a_read_is_stored_and_fences_older_leaders(story: ShareStory) -> None:
    story.initialize()
    story.read(NO_EPOCH)
    story.read(0)
    assert story.kinds() == "S"
    story.read(7)
    story.read(7)
    assert story.kinds() == "SU"
    assert story.states.summary(KEY).leader_epoch == 7
    assert refusal(lambda: story.read(6)) == FENCED_LEADER


def test_a_write_of_a_newer_leader_fences_nobody(story: ShareStory) -> None:
    story.initialize()
    story.write(leader=9, epoch=9)
    assert story.states.summary(KEY).leader_epoch == 0
    story.write(leader=0, epoch=1)


def test_a_state_that_begins_anew_keeps_the_highest_epochs(story: ShareStory) -> None:
    story.initialize(epoch=5)
    story.read(7)
    story.write(3, StateBatch(3, 4, 1, 2), count=1)
    assert story.initialize(epoch=NO_EPOCH, start=NO_OFFSET) == ShareState(
        1, NO_EPOCH, 0, NO_OFFSET, -1, (), START_MS, START_MS
    )
    assert refusal(lambda: story.initialize(epoch=4)) == FENCED_STATE
    assert refusal(lambda: story.read(6)) == FENCED_LEADER
    story.read(7)  # is the highest epoch, so nothing is written
    assert story.kinds() == "SUUS"


# Snapshots, updates and what is redundant.


def test_the_write_after_the_configured_number_of_updates_is_a_snapshot(story: ShareStory) -> None:
    story.initialize()
    for start in range(9):
        story.write(start, StateBatch(start, start + 2, 1, 2))
    assert story.kinds() == "S" + "UUUS" * 2 + "U"
    assert story.current()[KEY].snapshot_epoch == 2
    assert story.current()[KEY].batches == (StateBatch(8, 10, 1, 2),)


def test_every_write_is_a_snapshot_if_no_updates_are_configured() -> None:
    story = ShareStory(share_coordinator_snapshot_update_records_per_snapshot=0)
    story.initialize()
    story.write(1)
    story.read(3)
    assert story.kinds() == "SSS"


def test_an_update_has_only_its_own_batches_and_the_start_that_was_requested(story: ShareStory) -> None:
    story.initialize(start=4)
    story.write(NO_OFFSET, StateBatch(1, 9, 1, 0), StateBatch(10, 11, 1, 0))
    story.write(6, StateBatch(5, 7, 2, 2), count=2)
    first, second = (record.value for record in story.logs[0][1:])
    assert (first.start_offset, [(b.first_offset, b.last_offset) for b in first.state_batches]) == (
        -1,
        [(1, 11)],
    )
    assert (second.start_offset, [(b.first_offset, b.last_offset) for b in second.state_batches]) == (
        6,
        [(6, 7)],
    )
    state = story.current()[KEY]
    assert (state.start_offset, state.delivery_complete_count) == (6, 2)
    assert state.batches == (StateBatch(6, 7, 2, 2), StateBatch(8, 11, 1, 0))


def test_a_state_is_snapshotted_an_interval_after_its_last_snapshot_until_all_are_cold(
    story: ShareStory,
) -> None:
    other = SharePartition("h", TOPIC, 1)
    story.initialize()
    story.write(5)
    story.now_ms += COLD_MS - 1
    story.initialize(other)
    story.snapshot_cold()
    assert story.kinds() == "SUS"
    story.now_ms += 1
    story.snapshot_cold()
    assert story.kinds() == "SUSS"
    assert story.current()[KEY] == ShareState(1, 1, 0, 5, 0, (), START_MS, story.now_ms)
    story.now_ms += COLD_MS
    story.snapshot_cold()
    assert story.kinds() == "SUSSSS"
    story.now_ms += COLD_MS
    story.snapshot_cold()  # Kafka: all share snapshot records already cold snapshotted, skipping
    assert story.kinds() == "SUSSSS"


def test_records_before_the_oldest_last_snapshot_are_redundant(story: ShareStory) -> None:
    other = SharePartition("h", TOPIC, 1)
    assert story.states.redundant_before(0) is None
    story.initialize()
    assert story.states.redundant_before(0) is None
    story.write(1)
    story.initialize(other)
    story.initialize(epoch=2)
    assert story.states.redundant_before(0) == 2
    story.delete(other)
    assert story.states.redundant_before(0) == 3
    story.delete()
    assert story.states.redundant_before(0) == 5


def test_states_of_deleted_topics_are_deleted(story: ShareStory) -> None:
    keys = [SharePartition(f"g{number}", topic, 0) for number in range(300) for topic in (TOPIC, OTHER)]
    for key in keys:
        story.initialize(key)
    story.run(story.states.forget_topics({OTHER}))
    assert {*story.current()} == {key for key in keys if key.topic_id == TOPIC}
    story.cluster.topics_by_id.pop(TOPIC)
    story.run(story.states.forget_dead())
    assert story.current() == {}


# Bad input.


def test_a_batch_that_ends_before_it_begins_is_refused(story: ShareStory) -> None:
    story.initialize()
    code, text = refusal(lambda: story.write(0, StateBatch(5, 4, 1, 2)))
    assert code is ErrorCode.INVALID_REQUEST
    assert text == "The last offset of a state batch is below its first offset."


def test_a_state_of_too_many_batches_is_refused_and_the_stored_one_stays(story: ShareStory) -> None:
    story.initialize()
    some = [StateBatch(offset, offset, 1, 2) for offset in range(0, 2 * BATCHES_MAX, 2)]
    story.write(0, *some)
    assert refusal(lambda: story.write(0, StateBatch(2 * BATCHES_MAX, 2 * BATCHES_MAX, 1, 2)))[0] is UNKNOWN
    assert refusal(lambda: story.write(0, *some, some[0]))[0] is UNKNOWN
    story.write(0, StateBatch(0, 0, 2, 4))
    assert len(story.current()[KEY].batches) == BATCHES_MAX
    story.write(4, StateBatch(2 * BATCHES_MAX, 2 * BATCHES_MAX, 1, 2))
    assert len(story.current()[KEY].batches) == BATCHES_MAX - 1


@pytest.mark.parametrize("start", [NO_OFFSET, 0, 700])
def test_a_long_write_is_combined_in_steps_beforehand(story: ShareStory, start: int) -> None:
    """The state is the same as without, and another write in between is not lost."""
    story.initialize()
    story.write(NO_OFFSET, *[StateBatch(at, at, 1, 2) for at in range(0, 4_000, 2)])
    batches = [StateBatch(at, at + 5, 1 + at % 3, 2 * (at % 2)) for at in range(0, 6_000, 3)]
    expected = combine(story.states.entries[KEY].state.batches, batches, start, merges_all=True)
    steps = story.states.prepare(KEY, start, batches)
    assert next(steps) == 0
    story.write(NO_OFFSET, StateBatch(9_000, 9_000, 1, 2))
    assert len(list(steps)) > 10
    story.write(start, *batches)
    assert story.current()[KEY].batches == (*expected, StateBatch(9_000, 9_000, 1, 2))


def test_a_coordinator_key_has_the_form_of_kafka_and_is_parsed_again() -> None:
    key = SharePartition("a:b", TOPIC, 12)
    assert key.coordinator_key == "a:b:AAECAwQFBgcICQoLDA0ODw:12"
    assert SharePartition.of_coordinator_key(key.coordinator_key) == key
    assert SharePartition.of_coordinator_key("a:b:AAECAwQFBgcICQoLDA0ODw==:+012") == key
    for wrong in ("", "a:b", "a:AAECAwQFBgcICQoLDA0ODw:", "a:AAECAwQFBgcICQoLDA0ODw:2147483648", "::::",
                  "a:AAECAwQFBgcICQoLDA0ODw=:1", "\t:AAECAwQFBgcICQoLDA0ODw:1", "a:AAEC+wQFBgcICQoLDA0ODw:1",
                  "a:AAECAwQFBgcICQoLDA0ODw:1_0", "a:AAECAwQFBgcICQoLDA0ODw:" + "9" * 9_000):  # fmt: skip
        with pytest.raises(ValueError):
            SharePartition.of_coordinator_key(wrong)


# A restart, and a model with one state for each offset.

OFFSETS = 20
KEYS = [SharePartition(group, topic, index) for group in "gh" for topic in (TOPIC, OTHER) for index in (0, 1)]
BATCHES = st.lists(
    st.builds(
        lambda first, length, count, state: StateBatch(first, min(first + length, OFFSETS), count, state),
        st.integers(0, OFFSETS), st.integers(0, 5), st.integers(1, 3), st.sampled_from((0, 2, 4)),
    ),
    max_size=4,
)  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("initialize"), st.sampled_from(KEYS), st.integers(-1, OFFSETS)),
        st.tuples(st.just("write"), st.sampled_from(KEYS), st.integers(-1, OFFSETS), BATCHES),
        st.tuples(st.just("read"), st.sampled_from(KEYS), st.integers(-1, 4)),
        st.tuples(st.just("delete"), st.sampled_from(KEYS)),
        st.tuples(st.just("cold"), st.integers(0, COLD_MS)),
        st.tuples(st.just("topic"), st.sampled_from((TOPIC, OTHER))),
    ),
    max_size=40,
)


class Model:
    """The expected state of each share partition: a start, and the strongest state of each offset."""

    def __init__(self) -> None:
        self.found: dict[SharePartition, tuple[int, dict[int, tuple[int, int]]]] = {}

    def write(self, key: SharePartition, start: int, batches: list[StateBatch]) -> None:
        before, states = self.found[key]
        start = before if start == NO_OFFSET else start
        for batch in batches:
            for offset in range(batch.first_offset, batch.last_offset + 1):
                state = batch.delivery_count, batch.delivery_state
                states[offset] = max(states.get(offset, state), state)
        self.found[key] = start, {offset: state for offset, state in states.items() if offset >= start}


def seen(states: dict[SharePartition, ShareState]) -> dict[SharePartition, Any]:
    return {
        key: (
            state.start_offset,
            {
                offset: (batch.delivery_count, batch.delivery_state)
                for batch in state.batches
                for offset in range(batch.first_offset, batch.last_offset + 1)
            },
        )
        for key, state in states.items()
    }


@given(STEPS, st.sampled_from((1, 3)), st.integers(0, 4))
def test_states_survive_restarts_and_pruning_and_equal_a_model(
    steps: list[tuple[Any, ...]], partitions: int, updates: int
) -> None:
    story = ShareStory(partitions, share_coordinator_snapshot_update_records_per_snapshot=updates)
    model = Model()
    for name, *arguments in steps:
        key = arguments[0]
        try:
            if name == "initialize":
                story.initialize(key, NO_EPOCH, arguments[1])
                model.found[key] = arguments[1], {}
            elif name == "write":
                story.write(arguments[1], *arguments[2], key=key)
                model.write(key, *arguments[1:])
            elif name == "read":
                assert story.read(arguments[1], key) is not None
            elif name == "delete":
                story.delete(key)
                model.found.pop(key, None)
            elif name == "topic":
                story.run(story.states.forget_topics({key}))
                model.found = {each: state for each, state in model.found.items() if each.topic_id != key}
            else:
                story.now_ms += key
                story.snapshot_cold()
        except KafkaError as refused:
            if refused.code not in (ErrorCode.INVALID_REQUEST, ErrorCode.FENCED_LEADER_EPOCH):
                raise
        assert seen(story.current()) == model.found
    assert story.after_restart() == story.current()
    assert story.after_restart(pruned=True) == story.current()
