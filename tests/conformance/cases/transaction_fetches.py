"""Fetch and ListOffsets of partitions with transactions, for both isolation levels."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_admin import delete_records
from tests.conformance.build_data import batch, fetch, list_offsets, produce, record
from tests.conformance.build_transactions import describe_producers
from tests.conformance.case import Fields, Talk, case
from tests.conformance.transactional import (
    READ_COMMITTED,
    Producer,
    ends,
    look,
    producers_in_order,
    read,
)
from tidemark_protocol.batch import TRANSACTIONAL

FETCH_VERSIONS: Final = range(4, 19)
WITH_IDS: Final = 13
LIST_VERSIONS: Final = range(1, 12)


def by(k: Talk, topic: str, version: int) -> str:
    return k.topic_id(topic) if version >= WITH_IDS else topic


def three_transactions(k: Talk) -> tuple[str, Producer]:
    """Return a topic with a committed, an aborted and an open transaction, and the producer of the last."""
    one, topic = Producer(k), k.topic()
    for commit in (True, False):
        one.send({topic: {0: 2}})
        one.finish(commit=commit)
    one.send({topic: {0: 1}})
    return topic, one


def short(response: Fields) -> Any:
    """keep= of a Fetch: what depends on transactions, by partition."""
    return [
        {
            "ErrorCode": p["ErrorCode"],
            "ends": [p["HighWatermark"], p["LastStableOffset"]],
            "AbortedTransactions": p["AbortedTransactions"],
            "offsets": [one["offset"] for one in p["Records"] or ()],
        }
        for p in read(response)["Partitions"]
    ]


@case(versions=FETCH_VERSIONS)
def transactions_are_fetched(k: Talk, version: int) -> None:
    topic, _ = three_transactions(k)
    for isolation in (0, READ_COMMITTED):
        k.ask(*fetch({by(k, topic, version): {0: 0}}, isolation=isolation, version=version), keep=read)


@case
def transactions_are_fetched_from_each_offset(k: Talk) -> None:
    """The list names aborted transactions that overlap what is returned."""
    topic, one = three_transactions(k)
    for _ in range(2):
        for isolation in (0, READ_COMMITTED):
            for offset in range(9):
                k.ask(*fetch({topic: {0: offset}}, isolation=isolation), keep=short)
        one.finish(commit=False)


@case
def transactions_of_two_producers_overlap(k: Talk) -> None:
    """The last stable offset is the first offset of the oldest open transaction."""
    one, two, topic = Producer(k), Producer(k), k.topic()
    one.send({topic: {0: 1}})
    two.send({topic: {0: 1}})
    k.do(*produce({topic: {0: batch(record())}}))
    two.finish(commit=False)
    look(k, {topic: [0]})
    ends(k, topic)
    two.send({topic: {0: 1}})
    one.finish(commit=False)
    for offset in range(7):
        k.ask(*fetch({topic: {0: offset}}, isolation=READ_COMMITTED), keep=short)
    two.finish(commit=True)
    for offset in range(8):
        k.ask(*fetch({topic: {0: offset}}, isolation=READ_COMMITTED), keep=short)


@case
def aborted_transactions_are_many(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    for number in range(12):
        one.send({topic: {0: 1}})
        one.finish(commit=number % 3 == 0)
    for offset in (0, 5, 11, 23):
        k.ask(*fetch({topic: {0: offset}}, isolation=READ_COMMITTED), keep=short)
    for size in (1, 200, 600):
        k.ask(
            *fetch({topic: {0: 2}}, isolation=READ_COMMITTED, partition_bytes=size),
            keep=lambda told: told["Responses"][0]["Partitions"][0]["AbortedTransactions"],
        )


@case
def unknown_isolation_levels_are_fetched(k: Talk) -> None:
    topic, _ = three_transactions(k)
    for isolation in (2, 3, 127):
        peer = k.connect()
        peer.send(*fetch({topic: {0: 0}}, isolation=isolation))
        k.keep("fate", peer.fate())


@case
def fetch_waits_for_the_end_of_a_transaction(k: Talk) -> None:
    """Open data counts for read_uncommitted only."""
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    k.ask(*fetch({topic: {0: 0}}, min_bytes=1, max_wait_ms=20000), keep=short)
    k.took(0, 10000)
    k.ask(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED, min_bytes=1, max_wait_ms=100), keep=short)
    k.took(95, 10000)


@case
def fetch_is_answered_at_the_end_of_a_transaction(k: Talk) -> None:
    for commit in (True, False):
        one, topic = Producer(k), k.topic()
        one.send({topic: {0: 1}})
        peer = k.connect()
        peer.park(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED, min_bytes=1, max_wait_ms=20000), ms=100)
        one.finish(commit=commit)
        peer.receive(short)
        peer.took(0, 10000)


@case
def fetch_is_answered_at_the_end_of_the_oldest_transaction(k: Talk) -> None:
    one, two, topic = Producer(k), Producer(k), k.topic()
    one.send({topic: {0: 1}})
    two.send({topic: {0: 1}})
    peer = k.connect()
    peer.park(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED, min_bytes=1, max_wait_ms=20000), ms=100)
    two.finish(commit=True)
    peer.quiet(100)
    one.finish(commit=True)
    peer.receive(short)


@case
def session_of_a_consumer_of_committed_records(k: Talk) -> None:
    """A partition is left out of an incremental response if neither end has moved."""
    one, topic = Producer(k), k.topic(2)
    peer = k.connect()
    wanted: dict[str, dict[int, int | dict[str, Any]]] = {topic: {0: 0, 1: 0}}
    first = peer.ask(*fetch(wanted, isolation=READ_COMMITTED, session=0, epoch=0), keep=_session)
    session = first["SessionId"]
    number = 0

    def again() -> None:
        nonlocal number
        number += 1
        peer.ask(*fetch({}, isolation=READ_COMMITTED, session=session, epoch=number), keep=_session)

    again()
    one.send({topic: {0: 1}})
    again()
    again()
    one.finish(commit=True)
    again()
    one.send({topic: {1: 1}})
    one.finish(commit=False)
    again()


def _session(response: Fields) -> Any:
    return [
        (
            p["PartitionIndex"],
            p["ErrorCode"],
            p["HighWatermark"],
            p["LastStableOffset"],
            p["AbortedTransactions"],
            len(p["Records"] or "") > 0,
        )
        for topic in response["Responses"]
        for p in topic["Partitions"]
    ]


@case(versions=LIST_VERSIONS)
def offsets_of_transactions_are_listed(k: Talk, version: int) -> None:
    topic, _ = three_transactions(k)
    for isolation in (0, READ_COMMITTED):
        for timestamp in (-1, -2, -3):
            k.ask(*list_offsets({topic: {0: timestamp}}, isolation=isolation, version=version))


@case
def offsets_of_times_in_transactions_are_listed(k: Talk) -> None:
    """A record that is not committed yet is not found, one that was aborted is."""
    one, topic = Producer(k), k.topic(segment_ms=str(2**62))
    for time_ms, ending in ((1000, True), (2000, False), (3000, None)):
        data = batch(
            record(timestamp=time_ms),
            attributes=TRANSACTIONAL,
            producer_id=one.id,
            producer_epoch=one.epoch,
            base_sequence=0,
        )
        k.do(*produce({topic: {0: data}}, transactional_id=one.name, version=12))
        if ending is not None:
            one.finish(commit=ending)
    for isolation in (0, READ_COMMITTED):
        for timestamp in (0, 1500, 2000, 2500, 3000, -3):
            response = list_offsets({topic: {0: timestamp}}, isolation=isolation, version=7)
            k.ask(*response)


@case
def unknown_isolation_levels_are_listed(k: Talk) -> None:
    topic, _ = three_transactions(k)
    for isolation in (2, 127):
        peer = k.connect()
        peer.send(*list_offsets({topic: {0: -1}}, isolation=isolation))
        k.keep("fate", peer.fate())


@case
def records_of_an_open_transaction_are_deleted(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 3}})
    one.send({topic: {0: 2}})
    k.ask(*delete_records({topic: {0: 3}}))
    look(k, {topic: [0]}, offset=3)
    ends(k, topic)
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)
    k.ask(*delete_records({topic: {0: -1}}))
    ends(k, topic)
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)
    one.finish(commit=True)
    ends(k, topic)
    look(k, {topic: [0]}, offset=5)
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@case(differs="The last stable offset of a log that starts within a batch")
def records_of_an_open_transaction_are_deleted_within_a_batch(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 3}})
    k.ask(*delete_records({topic: {0: 2}}))
    look(k, {topic: [0]}, offset=2)
    ends(k, topic)


@case
def records_of_an_aborted_transaction_are_deleted(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 3}})
    one.finish(commit=False)
    one.send({topic: {0: 1}})
    one.finish(commit=False)
    for offset in (2, 3, 4):
        k.ask(*delete_records({topic: {0: offset}}))
        k.ask(*fetch({topic: {0: offset}}, isolation=READ_COMMITTED), keep=short)


@case
def records_before_an_open_transaction_are_deleted(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    k.do(*produce({topic: {0: batch(record(), record())}}))
    one.send({topic: {0: 1}})
    k.ask(*delete_records({topic: {0: 2}}))
    ends(k, topic)
    one.finish(commit=True)
    k.ask(*fetch({topic: {0: 2}}, isolation=READ_COMMITTED), keep=short)


@case
def transactions_in_several_segments_are_fetched(k: Talk) -> None:
    """A segment's index names the transactions that were aborted in it."""
    one, topic = Producer(k), k.topic(segment_bytes="1048576")
    for number in range(4):
        header = {"attributes": TRANSACTIONAL, "producer_id": one.id, "producer_epoch": one.epoch}
        for part in range(3):
            large = record(b"x" * 400_000, timestamp=k.broker.wall_ms())
            data = batch(large, base_sequence=part, **header)
            response = k.do(*produce({topic: {0: data}}, transactional_id=one.name, version=12))
            assert response["Responses"][0]["PartitionResponses"][0]["ErrorCode"] == 0, response
        one.finish(commit=number % 2 == 0)
    for offset in range(0, 16, 3):
        k.ask(*fetch({topic: {0: offset}}, isolation=READ_COMMITTED, partition_bytes=1 << 24), keep=short)


@case
def transactions_that_are_compressed_anew_are_fetched(k: Talk) -> None:
    for codec in ("gzip", "uncompressed"):
        one, topic = Producer(k), k.topic(compression_type=codec)
        for commit in (False, True):
            one.send({topic: {0: 2}})
            for isolation in (0, READ_COMMITTED):
                k.ask(*fetch({topic: {0: 0}}, isolation=isolation), keep=read)
            one.finish(commit=commit)
        k.ask(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED), keep=read)


@case
def partitions_with_and_without_transactions_are_fetched(k: Talk) -> None:
    one, topic = Producer(k), k.topic(4)
    one.send({topic: {0: 1, 1: 1}})
    k.do(*produce({topic: {1: batch(record()), 2: batch(record())}}))
    k.ask(*fetch({topic: dict.fromkeys(range(5), 0)}, isolation=READ_COMMITTED), keep=short)
    k.ask(*fetch({topic: dict.fromkeys(range(5), 1)}, isolation=READ_COMMITTED), keep=short)
    k.ask(*fetch({topic: dict.fromkeys(range(5), 3)}, isolation=READ_COMMITTED), keep=short)


@case
def transaction_log_and_offsets_are_fetched(k: Talk) -> None:
    """Consumers may read internal topics. The transaction log has no transactional batches."""
    one, group, topic = Producer(k), k.group(), k.topic()
    k.do(*one.commit_offsets(group, {topic: {0: 1}}))
    one.finish(commit=True)
    shown = k.do(*fetch({"__transaction_state": {0: 0, 1: 0, 2: 0, 3: 0}}, isolation=READ_COMMITTED))
    attributes = {found["attributes"] for p in read(shown)["Partitions"] for found in p["Records"] or ()}
    k.keep("attributes", sorted(attributes))
