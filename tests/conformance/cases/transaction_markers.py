"""WriteTxnMarkers."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import fetch_offsets
from tests.conformance.build_transactions import describe_producers, marker, write_markers
from tests.conformance.case import Talk, case
from tests.conformance.transactional import Producer, ends, look, producers_in_order, transactional_id

VERSIONS: Final = (1, 2)
OFFSETS: Final = "__consumer_offsets"


def producers(k: Talk, topic: str) -> None:
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@case(versions=VERSIONS)
def markers_of_an_unknown_producer(k: Talk, version: int) -> None:
    """A marker is written to every log, also if its producer is unknown there."""
    topic = k.topic(2)
    for commit, epoch in ((True, 0), (False, 5)):
        one = marker(901, epoch, {topic: [0, 1]}, commit=commit)
        k.ask(*write_markers(one, version=version))
    look(k, {topic: [0, 1]})
    producers(k, topic)


@case(versions=VERSIONS)
def markers_end_a_transaction_in_the_log(k: Talk, version: int) -> None:
    """The coordinator still has the transaction."""
    for commit in (True, False):
        one, topic = Producer(k), k.topic()
        one.send({topic: {0: 2}})
        k.ask(*write_markers(marker(one.id, one.epoch, {topic: [0]}, commit=commit), version=version))
        look(k, {topic: [0]})
        one.describe()
        producers(k, topic)
        one.finish(commit=True)
        look(k, {topic: [0]})


@case(versions=VERSIONS)
def markers_with_other_epochs(k: Talk, version: int) -> None:
    for epoch in (0, 1, 2, 32767, -1):
        one, topic = Producer(k), k.topic()
        one.start()
        one.send({topic: {0: 1}})
        k.ask(*write_markers(marker(one.id, epoch, {topic: [0]}), version=version))
        ends(k, topic)
        producers(k, topic)


@case
def markers_with_other_epochs_at_each_level(k: Talk) -> None:
    """At level 2 a marker must have a newer epoch than the data."""
    for level in (0, 1, 2, 3, 127, -1):
        one, topic = Producer(k), k.topic()
        one.start()
        one.send({topic: {0: 1}})
        for epoch in (0, 1, 2):
            k.ask(*write_markers(marker(one.id, epoch, {topic: [0]}, transaction_version=level)))
            ends(k, topic)


@case
def markers_are_repeated_at_each_level(k: Talk) -> None:
    for level in (0, 1, 2):
        one, topic = Producer(k), k.topic()
        one.send({topic: {0: 1}})
        for epoch in (1, 1, 1, 0):
            k.ask(*write_markers(marker(one.id, epoch, {topic: [0]}, transaction_version=level)))
        look(k, {topic: [0]})
        producers(k, topic)


@case(versions=VERSIONS)
def markers_with_other_coordinator_epochs(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    for epoch in (5, 4, 5, 6, 0, -1):
        given = marker(one.id, 1, {topic: [0]}, coordinator_epoch=epoch)
        k.ask(*write_markers(given, version=version))
    producers(k, topic)


@case(versions=VERSIONS)
def markers_of_topics_that_are_unknown(k: Talk, version: int) -> None:
    topic = k.topic()
    given = marker(902, 0, {k.name(): [0, 1], topic: [0, 7, -1], "": [0]})
    k.ask(*write_markers(given, version=version))


@case(versions=VERSIONS)
def markers_of_nothing(k: Talk, version: int) -> None:
    topic = k.topic()
    k.ask(*write_markers(version=version))
    k.ask(*write_markers(marker(903, 0, {topic: [0]}), marker(904, 0, {topic: [0]}), version=version))


@case(versions=VERSIONS)
def markers_of_no_partition(k: Talk, version: int) -> None:
    topic = k.topic()
    k.ask(*write_markers(marker(905, 0, {}), version=version))
    k.ask(*write_markers(marker(905, 0, {topic: []}), version=version))
    k.ask(*write_markers(marker(905, 0, {}), marker(906, 0, {topic: [0]}), version=version))


@case(versions=VERSIONS)
def markers_of_several_producers(k: Talk, version: int) -> None:
    one, two, topic = Producer(k), Producer(k), k.topic(2)
    one.send({topic: {0: 1, 1: 1}})
    two.send({topic: {0: 1}})
    given = [
        marker(one.id, 0, {topic: [0]}),
        marker(one.id, 0, {topic: [1]}, commit=False),
        marker(two.id, 0, {topic: [0, 1]}, commit=False),
    ]
    k.ask(*write_markers(*given, version=version), keep=_partitions)
    for index in (0, 1):
        ends(k, topic, index)


def _partitions(response: dict[str, Any]) -> Any:
    found = [
        (index, topic["Name"], p["PartitionIndex"], p["ErrorCode"])
        for index, one in enumerate(response["Markers"])
        for topic in one["Topics"]
        for p in topic["Partitions"]
    ]
    return sorted(found)


@case(versions=VERSIONS)
def markers_for_pending_offsets(k: Talk, version: int) -> None:
    """They act on the offsets of every group in that partition."""
    for commit in (True, False):
        one, topic, group = Producer(k), k.topic(), k.group()
        k.do(*one.commit_offsets(group, {topic: {0: 5}}))
        (found,) = k.do("DescribeTransactions", 0, {"TransactionalIds": [one.name]})["TransactionStates"]
        partitions = found["Topics"][0]["Partitions"]
        k.ask(
            *write_markers(marker(one.id, 0, {OFFSETS: partitions}, commit=commit), version=version),
            keep=_codes,
        )
        k.ask(*fetch_offsets(group, {topic: [0]}))
        one.describe_without_partitions()
        one.finish(commit=True)
        k.ask(*fetch_offsets(group, {topic: [0]}))


def _codes(response: dict[str, Any]) -> Any:
    return [
        p["ErrorCode"] for one in response["Markers"] for topic in one["Topics"] for p in topic["Partitions"]
    ]


@case(versions=VERSIONS)
def markers_for_offsets_of_an_unknown_producer(k: Talk, version: int) -> None:
    k.group()
    k.ask(*write_markers(marker(906, 0, {OFFSETS: [0, 1]}), version=version))
    k.ask(*write_markers(marker(906, 0, {OFFSETS: [99]}), version=version))


@case
def markers_of_an_unknown_producer_for_the_transaction_log(k: Talk) -> None:
    transactional_id(k)
    k.ask(*write_markers(marker(907, 0, {"__transaction_state": [0]})), keep=_codes)


@case
def markers_after_which_the_producer_goes_on(k: Talk) -> None:
    """Its next batch begins a transaction that the coordinator has already."""
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    k.do(*write_markers(marker(one.id, one.epoch, {topic: [0]}, commit=False)))
    k.ask(*one.produce({topic: {0: 1}}))
    ends(k, topic)
    one.finish(commit=True)
    look(k, {topic: [0]})
