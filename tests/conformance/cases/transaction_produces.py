"""Produce of transactional batches."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_data import batch, produce, record
from tests.conformance.build_transactions import describe_producers, init
from tests.conformance.case import Talk, case
from tests.conformance.transactional import (
    Producer,
    ends,
    look,
    producers_in_order,
    transactional_id,
)
from tidemark_protocol.batch import CONTROL, TRANSACTIONAL

VERSIONS: Final = range(3, 14)
WITH_IDS: Final = 13
SOME_VERSIONS: Final = (3, 9, 11, 12, 13)
NO_VERIFICATION: Final = {"transaction.partition.verification.enable": "false"}


def by(k: Talk, topic: str, version: int) -> str:
    """Return how this version names the topic."""
    return k.topic_id(topic) if version >= WITH_IDS else topic


def sent(
    one: Producer, topic: str, data: bytes, *, version: int = 12, name: str | None = "", **how: Any
) -> Any:
    """Build a Produce of one batch to partition 0. name: the transactional id; its own by default."""
    whose = one.name if name == "" else name
    return produce({by(one.talk, topic, version): {0: data}}, transactional_id=whose, version=version, **how)


@case(versions=VERSIONS)
def transactional_batches_are_written(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    for count in (2, 1):
        k.ask(*sent(one, topic, one.batch(topic, 0, count), version=version))
    ends(k, topic)
    one.finish(commit=True)
    ends(k, topic)
    look(k, {topic: [0]})


@case(versions=VERSIONS)
def partition_that_is_not_in_the_transaction_is_written(k: Talk, version: int) -> None:
    """Since version 12 the broker adds it."""
    one, topic = Producer(k), k.topic()
    k.ask(*sent(one, topic, one.batch(topic), version=version))
    one.describe()
    other = k.topic()
    one.has({other: [0]})
    k.ask(*sent(one, topic, one.batch(topic, base_sequence=1), version=version))
    one.describe()
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def partition_is_written_with_wrong_producer_ids_and_epochs(k: Talk, version: int) -> None:
    one, other, topic = Producer(k), Producer(k), k.topic()
    one.start()
    one.has({topic: [0]})
    for epoch in (0, 2, 32767):
        k.ask(*sent(one, topic, one.batch(topic, producer_epoch=epoch, base_sequence=0), version=version))
    for producer in (other.id, 10**12):
        data = one.batch(topic, producer_id=producer, producer_epoch=0, base_sequence=0)
        k.ask(*sent(one, topic, data, version=version))
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def partition_is_written_with_wrong_transactional_ids(k: Talk, version: int) -> None:
    one, other, topic = Producer(k), Producer(k), k.topic()
    one.has({topic: [0]})
    for name in (other.name, transactional_id(k), None):
        k.ask(*sent(one, topic, one.batch(topic, base_sequence=0), version=version, name=name))
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def partition_is_written_with_an_empty_transactional_id(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    data = one.batch(topic)
    k.ask(*produce({by(k, topic, version): {0: data}}, transactional_id="", version=version))
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def partition_is_written_with_wrong_ids_while_it_has_data(k: Talk, version: int) -> None:
    """Nothing is verified while the producer has an open transaction in the partition."""
    one, other, topic = Producer(k), Producer(k), k.topic()
    one.start()
    one.send({topic: {0: 1}})
    k.ask(*sent(one, topic, one.batch(topic), version=version, name=other.name))
    k.ask(*sent(one, topic, one.batch(topic), version=version, name=transactional_id(k)))
    for epoch, sequence in ((0, 3), (2, 3), (2, 0), (1, 3)):
        k.ask(
            *sent(one, topic, one.batch(topic, producer_epoch=epoch, base_sequence=sequence), version=version)
        )
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def sequences_in_a_transaction(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    for sequence in (3, 4, 4, 3, 6, 5):
        k.ask(*sent(one, topic, one.batch(topic, base_sequence=sequence), version=version))
    one.finish(commit=True)
    one.has({topic: [0]})
    for sequence in (6, 0, 0, 2, 1):
        k.ask(*sent(one, topic, one.batch(topic, base_sequence=sequence), version=version))


@case(versions=(9, 11))
def sequences_go_on_in_the_next_transaction_of_an_old_client(k: Talk, version: int) -> None:
    one, topic = Producer(k, level=1), k.topic()
    for first in (0, 2, 0, 4):
        one.has({topic: [0]})
        k.ask(*sent(one, topic, one.batch(topic, 0, 2, base_sequence=first), version=version))
        one.finish(commit=first != 2)
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@case(versions=SOME_VERSIONS)
def batch_is_repeated_in_a_transaction(k: Talk, version: int) -> None:
    """Its first offset is returned again, also after the end of the transaction."""
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    data = one.batch(topic, 0, 2)
    for _ in range(2):
        k.ask(*sent(one, topic, data, version=version))
    one.finish(commit=True)
    k.ask(*sent(one, topic, data, version=version))
    one.describe()
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def batch_that_is_not_transactional_is_written_in_a_transaction(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic(2)
    one.send({topic: {0: 1}})
    k.ask(*sent(one, topic, one.batch(topic, attributes=0), version=version))
    k.ask(*sent(one, topic, one.batch(topic, attributes=0), version=version, name=None))
    k.ask(*sent(one, topic, batch(record()), version=version))
    k.ask(*sent(one, topic, batch(record()), version=version, name=None))
    ends(k, topic)
    one.finish(commit=True)
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def transactional_and_plain_batches_in_one_request(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic(3)
    one.has({topic: [0, 1, 2]})
    batches = {0: one.batch(topic), 1: batch(record()), 2: one.batch(topic, 2, attributes=0)}
    k.ask(*produce({by(k, topic, version): batches}, transactional_id=one.name, version=version))
    one.finish(commit=True)
    look(k, {topic: [0, 1, 2]})


@case(versions=SOME_VERSIONS)
def one_of_two_partitions_is_in_the_transaction(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic(2)
    one.has({topic: [1]})
    batches: dict[int, bytes | None] = {0: one.batch(topic, 0), 1: one.batch(topic, 1)}
    k.ask(*produce({by(k, topic, version): batches}, transactional_id=one.name, version=version))
    one.describe()
    for index in (0, 1):
        ends(k, topic, index)


@case(versions=SOME_VERSIONS)
def batches_of_two_producers_in_one_request(k: Talk, version: int) -> None:
    one, two, topic = Producer(k), Producer(k), k.topic(2)
    one.has({topic: [0]})
    two.has({topic: [1]})
    batches: dict[int, bytes | None] = {0: one.batch(topic, 0), 1: two.batch(topic, 1)}
    peer = k.connect()
    peer.ask(*produce({by(k, topic, version): batches}, transactional_id=one.name, version=version))
    for index in (0, 1):
        ends(k, topic, index)


@case(versions=SOME_VERSIONS)
def transactional_batches_without_a_producer(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    for producer, epoch, sequence in ((-1, -1, -1), (-1, 0, 0), (one.id, -1, 0), (one.id, 0, -1)):
        data = one.batch(topic, producer_id=producer, producer_epoch=epoch, base_sequence=sequence)
        k.ask(*sent(one, topic, data, version=version))
    ends(k, topic)


@case(versions=(9, 12))
def control_batches_of_clients(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    for attributes in (CONTROL, CONTROL | TRANSACTIONAL):
        k.ask(*sent(one, topic, one.batch(topic, attributes=attributes, base_sequence=-1), version=version))
        k.ask(*sent(one, topic, one.batch(topic, attributes=attributes, base_sequence=0), version=version))
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def transaction_writes_topics_that_are_unknown(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    unknown = "b" * 8 + "-0000-0000-0000-" + "b" * 12 if version >= WITH_IDS else k.name()
    what: dict[str, dict[int, bytes | None]] = {
        unknown: {0: one.batch(topic, 0)},
        by(k, topic, version): {0: one.batch(topic, 0, base_sequence=0), 5: one.batch(topic, 5)},
    }
    k.ask(*produce(what, transactional_id=one.name, version=version))
    one.describe()


@case(versions=(9, 11, 12))
def transaction_writes_with_every_acks(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    for acks in (1, -1, 2):
        k.ask(*sent(one, topic, one.batch(topic), version=version, acks=acks))
    peer = k.connect()
    peer.send(*sent(one, topic, one.batch(topic, base_sequence=2), version=version, acks=0))
    peer.quiet()
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def partition_is_written_after_the_transaction(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    before = one.epoch
    one.finish(commit=True)
    data = one.batch(topic, producer_epoch=before, base_sequence=1)
    k.ask(*sent(one, topic, data, version=version))
    k.ask(*sent(one, topic, one.batch(topic, base_sequence=0), version=version))
    one.describe()
    ends(k, topic)


@case(versions=SOME_VERSIONS)
def producer_that_was_fenced_writes(k: Talk, version: int) -> None:
    """The marker of the abort carries the new epoch."""
    one, topic, other = Producer(k), k.topic(), k.topic()
    one.send({topic: {0: 1}})
    k.do(*one.init())
    one.settle()
    k.ask(*sent(one, topic, one.batch(topic), version=version))
    k.ask(*sent(one, other, one.batch(other), version=version))
    k.do(*one.init())
    k.ask(*sent(one, topic, one.batch(topic), version=version))
    k.ask(*sent(one, other, one.batch(other, base_sequence=0), version=version))


@case
def producer_writes_without_a_transaction_after_one(k: Talk) -> None:
    """A batch of the same producer that is not transactional continues its sequence."""
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    one.finish(commit=True)
    k.ask(*sent(one, topic, one.batch(topic, attributes=0), name=None))
    one.send({topic: {0: 1}})
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@case
def producers_of_open_and_ended_transactions(k: Talk) -> None:
    one, two, topic = Producer(k), Producer(k), k.topic(2)
    two.start()
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)
    one.send({topic: {0: 3}})
    two.send({topic: {0: 1}})
    k.ask(*describe_producers({topic: [0, 1]}), keep=producers_in_order)
    one.finish(commit=True)
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)
    two.finish(commit=False)
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)
    one.has({topic: [1]})
    one.finish(commit=True)
    k.ask(*describe_producers({topic: [1]}), keep=producers_in_order)


@case
def compressed_batches_in_a_transaction(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    for codec in (1, 2, 3, 4):
        data = one.batch(topic, 0, 2, attributes=TRANSACTIONAL, compression=codec)
        k.ask(*sent(one, topic, data))
    one.finish(commit=True)
    look(k, {topic: [0]})


@case
def transactions_in_a_topic_of_append_time(k: Talk) -> None:
    one, topic = Producer(k), k.topic(message_timestamp_type="LogAppendTime")
    k.ask(*sent(one, topic, one.batch(topic)), keep=_without_time)
    one.finish(commit=True)
    look(k, {topic: [0]})


def _without_time(response: dict[str, Any]) -> Any:
    return [
        (p["ErrorCode"], p["BaseOffset"])
        for topic in response["Responses"]
        for p in topic["PartitionResponses"]
    ]


@case
def transactions_in_a_compacted_topic(k: Talk) -> None:
    one, topic = Producer(k), k.topic(cleanup_policy="compact")
    k.ask(*sent(one, topic, one.batch(topic)))
    data = batch(
        record(key=None), attributes=TRANSACTIONAL, producer_id=one.id, producer_epoch=0, base_sequence=1
    )
    k.ask(*sent(one, topic, data))
    one.finish(commit=True)
    look(k, {topic: [0]})


@case
def transaction_of_old_records_ends_in_another_segment(k: Talk) -> None:
    """The marker has the broker's time, and so it starts a segment."""
    one, topic = Producer(k), k.topic()
    data = batch(record(), attributes=TRANSACTIONAL, producer_id=one.id, producer_epoch=0, base_sequence=0)
    k.ask(*sent(one, topic, data))
    one.finish(commit=False)
    look(k, {topic: [0]})
    look(k, {topic: [0]}, offset=1)


@case
def transaction_that_was_refused_everywhere_is_committed(k: Talk) -> None:
    """The partition is in the transaction although its batch was refused."""
    one, topic = Producer(k), k.topic(max_message_bytes="100")
    data = one.batch(topic, 0, 20)
    k.ask(*sent(one, topic, data))
    one.describe()
    one.finish(commit=True)
    one.describe()
    look(k, {topic: [0]})


@case(settings=NO_VERIFICATION, versions=SOME_VERSIONS)
def partition_is_written_without_verification(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    k.ask(*sent(one, topic, one.batch(topic), version=version))
    one.describe()
    k.ask(*sent(one, topic, one.batch(topic, base_sequence=5), version=version))
    k.ask(*sent(one, topic, one.batch(topic, producer_epoch=3, base_sequence=0), version=version))
    k.ask(*sent(one, topic, one.batch(topic, producer_epoch=0, base_sequence=1), version=version))
    ends(k, topic)


@case(settings=NO_VERIFICATION)
def partition_is_written_without_verification_by_nobody(k: Talk) -> None:
    """The transaction hangs: no coordinator knows it."""
    topic = k.topic()
    data = batch(record(), attributes=TRANSACTIONAL, producer_id=77, producer_epoch=0, base_sequence=0)
    for name in (transactional_id(k), None, ""):
        k.ask(*produce({topic: {0: data}}, transactional_id=name, version=11))
    k.ask(*produce({topic: {0: data}}, transactional_id=transactional_id(k), version=12))
    ends(k, topic)
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@case
def transactional_id_is_initialised_while_data_is_written(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.has({topic: [0]})
    k.do(*init(one.name))
    one.settle()
    k.ask(*sent(one, topic, one.batch(topic), version=11))
    k.ask(*sent(one, topic, one.batch(topic), version=12))
    look(k, {topic: [0]})
