"""InitProducerId and DescribeProducers."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_data import batch, produce, record
from tests.conformance.case import Talk, case

LOADING: Final = 14


def _init(
    transactional_id: str | None = None, *, timeout_ms: int = 60000, version: int = 5, **others: Any
) -> tuple[str, int, dict[str, Any]]:
    fields = {"TransactionalId": transactional_id, "TransactionTimeoutMs": timeout_ms}
    return "InitProducerId", version, fields | others


def _warm(k: Talk) -> None:
    """Wait until the broker has producer ids: the first request may fail with error 14."""
    k.until(lambda: k.do(*_init()), lambda response: response["ErrorCode"] != LOADING)


@case
def producer_ids_in_every_version(k: Talk) -> None:
    _warm(k)
    for version in range(6):
        k.ask(*_init(version=version))


@case
def producer_ids_are_new_each_time(k: Talk) -> None:
    _warm(k)
    found = [k.do(*_init())["ProducerId"] for _ in range(20)]
    found += [peer.do(*_init())["ProducerId"] for peer in (k.connect(), k.connect())]
    k.keep("all different", len(set(found)) == len(found))


@case
def producer_ids_over_more_than_a_block(k: Talk) -> None:
    _warm(k)
    found = [k.do(*_init()) for _ in range(1500)]
    k.keep("errors", sorted({response["ErrorCode"] for response in found} - {LOADING}))
    ids = [response["ProducerId"] for response in found if response["ErrorCode"] == 0]
    k.keep("all different", len(set(ids)) == len(ids))


@case
def producer_ids_whatever_id_and_epoch_are_given(k: Talk) -> None:
    _warm(k)
    for producer, epoch in ((-1, -1), (5, 3), (0, 0), (2**60, 32767), (-2, -2), (-5, 0)):
        response = k.ask(*_init(ProducerId=producer, ProducerEpoch=epoch))
        k.keep("the one given", response["ProducerId"] == producer)


@case
def producer_ids_with_only_one_of_id_and_epoch(k: Talk) -> None:
    _warm(k)
    for version in (3, 5):
        k.ask(*_init(ProducerId=5, ProducerEpoch=-1, version=version))
        k.ask(*_init(ProducerId=-1, ProducerEpoch=5, version=version))


@case
def producer_ids_whatever_timeout_is_given(k: Talk) -> None:
    _warm(k)
    for timeout_ms in (0, -1, 2**31 - 1):
        k.ask(*_init(timeout_ms=timeout_ms))


@case
def producer_ids_of_a_transactional_id(k: Talk) -> None:
    response = k.do(*_init(k.name()))
    k.keep("may go on", response["ErrorCode"] in (0, 14, 15, 16))


@case
def producer_ids_in_unknown_versions_closes_the_connection(k: Talk) -> None:
    for version in (6, 7):
        peer = k.connect()
        frame = bytearray(peer.frame(*_init(version=5)))
        frame[6:8] = version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def producer_with_an_id_of_the_brokers_writes(k: Talk) -> None:
    _warm(k)
    topic = k.topic()
    found = k.do(*_init())
    header = {"producer_id": found["ProducerId"], "producer_epoch": found["ProducerEpoch"]}
    for sequence in (0, 1, 1, 3):
        k.ask(*produce({topic: {0: batch(base_sequence=sequence, **header)}}))


def _describe(*topics: tuple[str, list[int]]) -> tuple[str, int, dict[str, Any]]:
    asked = [{"Name": topic, "PartitionIndexes": partitions} for topic, partitions in topics]
    return "DescribeProducers", 0, {"Topics": asked}


def _from(producer: int, epoch: int, sequence: int, count: int = 1, timestamp: int = 1000) -> bytes:
    some = [record(timestamp=timestamp)] * count
    return batch(*some, producer_id=producer, producer_epoch=epoch, base_sequence=sequence)


@case
def producers_of_a_partition(k: Talk) -> None:
    topic = k.topic(2)
    k.ask(*_describe((topic, [0, 1])))
    k.do(*produce({topic: {0: _from(70, 0, 0, 3)}}))
    k.ask(*_describe((topic, [0, 1])))
    k.do(*produce({topic: {0: _from(70, 0, 3, 2, 5000)}}))
    k.ask(*_describe((topic, [0])))
    k.do(*produce({topic: {0: _from(70, 4, 0, 1, 2000)}}))
    k.ask(*_describe((topic, [0])))


@case
def producers_are_several(k: Talk) -> None:
    topic = k.topic()
    for producer in (71, 72, 73):
        k.do(*produce({topic: {0: _from(producer, producer - 71, 5)}}))
    k.ask(*_describe((topic, [0])), keep=_by_epoch)


def _by_epoch(response: dict[str, Any]) -> Any:
    (partition,) = response["Topics"][0]["Partitions"]
    return sorted(partition["ActiveProducers"], key=lambda state: int(state["ProducerEpoch"]))


@case
def producers_of_plain_batches_are_none(k: Talk) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: batch()}}))
    k.ask(*_describe((topic, [0])))


@case
def producers_of_what_is_not_there(k: Talk) -> None:
    topic = k.topic()
    k.ask(*_describe((topic, [0, 1, -1]), (k.name(), [0, 1]), ("", [0]), ("a b", [0]), ("x" * 250, [0])))


@case
def producers_of_nothing(k: Talk) -> None:
    topic = k.topic()
    k.ask(*_describe())
    k.ask(*_describe((topic, [])))
    k.ask(*_describe((k.name(), [])))


@case
def producers_of_a_partition_named_twice(k: Talk) -> None:
    topic = k.topic()
    k.ask(*_describe((topic, [0, 0]), (topic, [0])))


@case
def producers_stay_when_their_records_are_deleted(k: Talk) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: _from(74, 1, 0)}}))
    partitions = [{"PartitionIndex": 0, "Offset": -1}]
    k.do("DeleteRecords", 2, {"Topics": [{"Name": topic, "Partitions": partitions}], "TimeoutMs": 30000})
    k.ask(*_describe((topic, [0])))


@case(settings={"offsets.topic.num.partitions": "5"})  # alone: other cases' transactions write markers there
def producers_of_an_internal_topic(k: Talk) -> None:
    k.group()
    k.ask(*_describe(("__consumer_offsets", [0, 99])))


@case
def producers_after_refused_batches(k: Talk) -> None:
    topic = k.topic()
    for epoch, sequence in ((2, 0), (2, 5), (1, 1), (3, 4), (2, 1), (2, 1)):
        k.do(*produce({topic: {0: _from(75, epoch, sequence)}}))
        k.ask(*_describe((topic, [0])))


@case
def producers_of_a_topic_that_is_deleted(k: Talk) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: _from(76, 0, 0)}}))
    k.delete_topic(topic)
    k.ask(*_describe((topic, [0])))


@case
def producers_of_a_topic_of_append_time(k: Talk) -> None:
    topic = k.topic(message_timestamp_type="LogAppendTime")
    k.do(*produce({topic: {0: _from(77, 0, 0)}}))
    k.ask(*_describe((topic, [0])))


@case
def producers_whose_sequences_wrap(k: Talk) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: _from(78, 0, 2**31 - 2, 4)}}))
    k.ask(*_describe((topic, [0])))
