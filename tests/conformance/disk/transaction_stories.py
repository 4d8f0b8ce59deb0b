"""Stories of transactions: the transaction log, markers, aborted transactions and producers of logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.conformance.build_data import batch, produce, record
from tests.conformance.build_transactions import marker, write_markers
from tests.conformance.case import Talk
from tests.conformance.cases.transaction_offsets import pending
from tests.conformance.cases.transaction_timeouts import EXPIRY, PASSES, gone
from tests.conformance.disk.stories import Run, Story
from tests.conformance.transactional import AT_LEVEL_0, AT_LEVEL_1, Producer, level, wait_for_state
from tidemark_protocol.batch import TRANSACTIONAL

TRANSACTION_STORIES: Final[dict[str, Story]] = {}


def with_settings(settings: dict[str, str]) -> Callable[[Run], Run]:
    """Register a story on a broker with these settings."""

    def register(run: Run) -> Run:
        TRANSACTION_STORIES[run.__name__] = Story(run.__name__, run, settings)
        return run

    return register


story: Final = with_settings({})


def below_2(run: Run) -> Run:
    """Register a story for transaction.version 0 and for 1."""
    for number, settings in enumerate((AT_LEVEL_0, AT_LEVEL_1)):
        name = f"{run.__name__}_at_level_{number}"
        TRANSACTION_STORIES[name] = Story(name, _at_level(run, number), settings)
    return run


def _at_level(run: Run, number: int) -> Run:
    def told(k: Talk) -> None:
        level(k, number)
        run(k)

    return told


@story
def a_transactional_id_is_initialised_again(k: Talk) -> None:
    one = Producer(k)
    k.do(*one.init(timeout_ms=30000))
    k.do(*one.init(one.id, one.epoch + 1, timeout_ms=20000))
    k.do(*one.init(one.id, one.epoch + 1, timeout_ms=10000))
    k.do(*one.init(one.id, 77))


@story
def a_transaction_is_committed(k: Talk) -> None:
    one, topic = Producer(k), k.topic(2)
    one.send({topic: {0: 2, 1: 1}})
    one.finish(commit=True)


@story
def a_transaction_is_aborted(k: Talk) -> None:
    one, topic = Producer(k), k.topic(2)
    one.send({topic: {0: 2, 1: 1}})
    one.finish(commit=False)


@story
def transactions_follow_each_other(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    for commit in (True, False, False, True):
        one.send({topic: {0: 1}})
        one.finish(commit=commit)


@story
def transactions_of_an_old_client_follow_each_other(k: Talk) -> None:
    one, topic = Producer(k, level=1), k.topic()
    for commit in (True, False, True):
        one.send({topic: {0: 1}})
        one.finish(commit=commit)


@story
def a_transaction_grows(k: Talk) -> None:
    """Partitions that are in it already write no record."""
    one, topic, other = Producer(k), k.topic(3), k.topic()
    one.has({topic: [0]})
    one.has({topic: [0]})
    one.send({topic: {2: 1}})
    one.has({topic: [0, 1], other: [0]})
    k.do(*one.add({topic: [0], k.name(): [0]}))
    one.finish(commit=True)


@story
def a_transaction_of_partitions_without_data(k: Talk) -> None:
    for commit in (True, False):
        one, topic = Producer(k), k.topic()
        one.has({topic: [0]})
        one.finish(commit=commit)


@story
def a_transaction_without_partitions(k: Talk) -> None:
    one = Producer(k)
    one.has({})
    one.finish(commit=True)


@story
def an_abort_of_nothing(k: Talk) -> None:
    one = Producer(k)
    one.finish(commit=False)
    one.finish(commit=False)
    k.do(*one.end(commit=True))


@story
def an_end_that_is_repeated(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    before = one.epoch
    one.finish(commit=True)
    for commit in (True, False):
        k.do(*one.end(commit=commit, epoch=before))


@story
def a_transaction_is_left_open(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    k.do(*produce({topic: {0: batch(record())}}))
    one.send({topic: {0: 2}})
    one.send({topic: {0: 1}})
    pending(k, one, group, {topic: {0: 5}})


@story
def a_producer_starts_again_in_an_open_transaction(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    one.send({topic: {0: 1}})
    pending(k, one, group, {topic: {0: 5}})
    k.do(*one.init())
    one.settle()
    k.do(*one.init())


@story
def a_producer_asks_for_its_next_epoch_in_an_open_transaction(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    k.do(*one.init(one.id, one.epoch))
    one.settle()
    k.do(*one.init(one.id, one.epoch))
    k.do(*one.init(one.id, one.epoch))


@story
def offsets_are_committed_in_a_transaction(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(2), k.group()
    pending(k, one, group, {topic: {0: 5, 1: 6}}, metadata="a note", leader_epoch=0)
    pending(k, one, group, {topic: {0: 7}})
    one.finish(commit=True)


@story
def offsets_are_aborted_in_a_transaction(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    pending(k, one, group, {topic: {0: 5}})
    one.finish(commit=False)
    pending(k, one, group, {topic: {0: 6}})
    one.finish(commit=True)


@story
def offsets_are_committed_in_each_version(k: Talk) -> None:
    one, topic, group = Producer(k, level=1), k.topic(6), k.group()
    k.do(*one.add_offsets(group))
    for version in range(6):
        pending(k, one, group, {topic: {version: version}}, version=version, leader_epoch=4)
    one.finish(commit=True)


@story
def offsets_are_added_but_not_committed(k: Talk) -> None:
    one, group = Producer(k), k.group()
    k.do(*one.add_offsets(group))
    k.do(*one.add_offsets(group))
    one.finish(commit=True)


@story
def offsets_that_are_pending_are_deleted(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    pending(k, one, group, {topic: {0: 5}})
    k.do("DeleteGroups", 2, {"GroupsNames": [group]})
    one.finish(commit=True)


@story
def transactions_of_two_producers_overlap(k: Talk) -> None:
    """The index has the last stable offset at the time of each marker."""
    one, two, topic = Producer(k), Producer(k), k.topic()
    one.send({topic: {0: 1}})
    two.send({topic: {0: 2}})
    two.finish(commit=False)
    two.send({topic: {0: 1}})
    k.do(*produce({topic: {0: batch(record())}}))
    one.finish(commit=False)
    two.finish(commit=False)
    one.send({topic: {0: 1}})
    one.finish(commit=True)


@story
def transactions_in_several_segments(k: Talk) -> None:
    """A transaction is in the index of the segment of its marker."""
    one, topic = Producer(k), k.topic(segment_ms="60000", retention_ms="-1")
    header = {"attributes": TRANSACTIONAL, "producer_id": one.id, "producer_epoch": one.epoch}
    for number in range(4):
        old = record(timestamp=1000 + number * 70000)
        data = batch(old, base_sequence=number, **header)
        k.do(*produce({topic: {0: data}}, transactional_id=one.name, version=12))
    one.finish(commit=False)


@story
def markers_of_somebody_else(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    k.do(*write_markers(marker(one.id, one.epoch, {topic: [0]}, commit=False, coordinator_epoch=3)))
    k.do(*write_markers(marker(one.id, 5, {topic: [0]}, coordinator_epoch=4)))


@story
def a_topic_is_deleted_in_a_transaction(k: Talk) -> None:
    one, topic, other = Producer(k), k.topic(), k.topic()
    one.send({topic: {0: 1}, other: {0: 1}})
    k.delete_topic(topic)
    one.finish(commit=True)


@with_settings(PASSES)
def a_transaction_times_out(k: Talk) -> None:
    topic = k.topic()
    one = Producer(k, timeout_ms=1)
    one.has({topic: [0]})
    wait_for_state(k, one.name, "CompleteAbort")
    k.do(*one.init(one.id, one.epoch))


@with_settings(EXPIRY)
def a_transactional_id_expires(k: Talk) -> None:
    topic = k.topic()
    one = Producer(k)
    gone(k, one.name)
    one.start()
    one.has({topic: [0]})
    one.finish(commit=True)
    gone(k, one.name)


@below_2
def transactions_are_committed_and_aborted(k: Talk) -> None:
    one, topic = Producer(k, level=1), k.topic()
    for commit in (True, False):
        one.send({topic: {0: 1}})
        one.finish(commit=commit)


@below_2
def a_producer_starts_again(k: Talk) -> None:
    one, topic = Producer(k, level=1), k.topic()
    one.send({topic: {0: 1}})
    k.do(*one.init())
    one.settle()
    one.start()
    k.do(*one.init(one.id, one.epoch))


@below_2
def offsets_are_committed_in_an_old_transaction(k: Talk) -> None:
    one, topic, group = Producer(k, level=1), k.topic(), k.group()
    k.do(*one.add_offsets(group))
    pending(k, one, group, {topic: {0: 5}})
    one.finish(commit=True)
