"""AddPartitionsToTxn and AddOffsetsToTxn."""

from __future__ import annotations

from typing import Final

from tests.conformance.build_transactions import add, add_all, add_offsets, init, transaction
from tests.conformance.case import Talk, case
from tests.conformance.transactional import Producer, look, transactional_id

VERSIONS: Final = range(6)
BATCHED: Final = (4, 5)
OFFSETS_VERSIONS: Final = range(5)


@case(versions=VERSIONS)
def partitions_are_added(k: Talk, version: int) -> None:
    one, topic, other = Producer(k), k.topic(3), k.topic()
    k.ask(*one.add({topic: [0, 2]}, version=version))
    one.describe()
    k.ask(*one.add({topic: [1, 2], other: [0]}, version=version))
    one.describe()
    one.finish(commit=True)
    one.describe()


@case(versions=VERSIONS)
def partitions_are_added_twice(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic(2)
    k.ask(*one.add({topic: [0, 0, 1, 0]}, version=version))
    k.ask(*one.add({topic: [0, 1]}, version=version))
    one.describe()


@case(versions=VERSIONS)
def partitions_of_a_topic_that_is_unknown_are_added(k: Talk, version: int) -> None:
    """One unknown partition refuses all of them."""
    one, topic = Producer(k), k.topic()
    k.ask(*one.add({k.name(): [0, 1]}, version=version))
    k.ask(*one.add({topic: [0], k.name(): [0]}, version=version))
    k.ask(*one.add({topic: [0, 1, -1, 2**31 - 1]}, version=version))
    k.ask(*one.add({"": [0], "a b": [0], "x" * 300: [0], topic: [0]}, version=version))
    one.describe()


@case(versions=VERSIONS)
def no_partitions_are_added(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    k.ask(*one.add({}, version=version))
    k.ask(*one.add({topic: []}, version=version))
    k.ask(*one.add({k.name(): []}, version=version))
    one.describe()


@case(versions=VERSIONS)
def no_partitions_are_added_by_nobody(k: Talk, version: int) -> None:
    one = Producer(k)
    k.ask(*add("", -1, -1, {}, version=version))
    k.ask(*add(transactional_id(k), 5, 0, {}, version=version))
    k.ask(*one.add({}, epoch=9, version=version))
    k.ask(*one.add({}, id=9, version=version))


@case(versions=VERSIONS)
def partitions_are_added_by_an_unknown_transactional_id(k: Talk, version: int) -> None:
    topic = k.topic()
    k.ask(*add(transactional_id(k), 5, 0, {topic: [0]}, version=version))
    k.ask(*add("", 5, 0, {topic: [0]}, version=version))
    k.ask(*add("", 5, 0, {topic: [0], k.name(): [0]}, version=version))
    k.ask(*add(transactional_id(k), 5, 0, {topic: [0], k.name(): [0]}, version=version))


@case(versions=VERSIONS)
def partitions_are_added_with_wrong_producer_ids_and_epochs(k: Talk, version: int) -> None:
    one, other, topic = Producer(k), Producer(k), k.topic()
    one.start()
    k.ask(*one.add({topic: [0]}, id=other.id, epoch=0, version=version))
    for producer in (2**60, -1, 0):
        k.ask(*one.add({topic: [0]}, id=producer + 10**9, version=version))
    for epoch in (0, 2, 32767, -1):
        k.ask(*one.add({topic: [0]}, epoch=epoch, version=version))
    one.describe()
    k.ask(*one.add({topic: [0]}, version=version))
    for epoch in (0, 2):
        k.ask(*one.add({topic: [0]}, epoch=epoch, version=version))
    one.describe()


@case(versions=BATCHED)
def partitions_of_several_transactions_are_added(k: Talk, version: int) -> None:
    one, two, topic = Producer(k), Producer(k), k.topic(2)
    requests = [
        transaction(one.name, one.id, one.epoch, {topic: [0]}, verify=False),
        transaction(two.name, two.id, two.epoch, {topic: [0, 1]}, verify=False),
        transaction(transactional_id(k), 5, 0, {topic: [0]}, verify=False),
    ]
    k.ask(*add_all(*requests, version=version))
    one.describe()
    two.describe()


@case(versions=BATCHED)
def transaction_is_named_twice_in_a_request(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic(2)
    requests = [
        transaction(one.name, one.id, one.epoch, {topic: [0]}, verify=False),
        transaction(one.name, one.id, one.epoch, {topic: [1]}, verify=False),
    ]
    peer = k.connect()
    peer.send(*add_all(*requests, version=version))
    k.keep("fate", peer.fate())


@case(versions=BATCHED, differs="AddPartitionsToTxn without transactions")
def no_transactions_are_named(k: Talk, version: int) -> None:
    """Kafka never responds."""
    Producer(k)
    k.park(*add_all(version=version))


@case(versions=BATCHED)
def partitions_are_verified(k: Talk, version: int) -> None:
    one, topic, other = Producer(k), k.topic(3), k.topic()
    k.do(*one.add({topic: [0, 1]}))
    for partitions in ({topic: [0, 1]}, {topic: [0, 2], other: [0]}, {k.name(): [0]}, {topic: [0, 0]}, {}):
        k.ask(*add_all(transaction(one.name, one.id, one.epoch, partitions, verify=True), version=version))
    one.describe()


@case(versions=BATCHED)
def partitions_are_verified_by_the_wrong_one(k: Talk, version: int) -> None:
    one, other, topic = Producer(k), Producer(k), k.topic()
    one.start()
    k.do(*one.add({topic: [0]}))
    for name, producer, epoch in (
        (one.name, one.id, one.epoch - 1),
        (one.name, one.id, one.epoch + 1),
        (one.name, other.id, other.epoch),
        (transactional_id(k), one.id, one.epoch),
        ("", one.id, one.epoch),
    ):
        wanted = transaction(name, producer, epoch, {topic: [0]}, verify=True)
        k.ask(*add_all(wanted, version=version))


@case(versions=BATCHED)
def partitions_are_verified_before_and_after_a_transaction(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()

    def verify() -> None:
        k.ask(*add_all(transaction(one.name, one.id, one.epoch, {topic: [0]}, verify=True), version=version))

    verify()
    k.do(*one.add({topic: [0]}))
    verify()
    one.finish(commit=True)
    verify()
    one.start()
    verify()


@case(versions=BATCHED)
def transactions_are_added_and_verified_in_one_request(k: Talk, version: int) -> None:
    one, two, topic = Producer(k), Producer(k), k.topic()
    requests = [
        transaction(one.name, one.id, one.epoch, {topic: [0]}, verify=False),
        transaction(two.name, two.id, two.epoch, {topic: [0]}, verify=True),
    ]
    k.ask(*add_all(*requests, version=version))
    two.describe()


@case
def partitions_are_added_while_the_transaction_ends(k: Talk) -> None:
    """A finished transaction makes room for the next one, which has no partitions yet."""
    one, topic = Producer(k, level=1), k.topic(2)
    for commit in (True, False):
        k.ask(*one.add({topic: [0]}))
        one.finish(commit=commit)
        one.describe()
    k.ask(*one.add({topic: [1]}))
    one.describe()


@case(versions=range(1, 6))
def partitions_are_added_with_an_epoch_of_the_previous_transaction(k: Talk, version: int) -> None:
    """At level 2 each EndTxn moves the epoch."""
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    one.finish(commit=True)
    k.ask(*one.add({topic: [0]}, epoch=one.epoch - 1, version=version))
    k.ask(*one.add({topic: [0]}, version=version))
    one.describe()


@case
def partitions_of_an_internal_topic_are_added(k: Talk) -> None:
    one = Producer(k)
    k.group()
    k.ask(*one.add({"__consumer_offsets": [0, 99]}))
    k.ask(*one.add({"__transaction_state": [0]}))
    one.describe()
    one.finish(commit=False)


@case
def partitions_of_a_topic_that_is_deleted_are_added(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    k.delete_topic(topic)
    k.ask(*one.add({topic: [0]}))
    one.describe()


@case(versions=OFFSETS_VERSIONS)
def offsets_are_added(k: Talk, version: int) -> None:
    one, group = Producer(k), k.group()
    k.ask(*one.add_offsets(group, version=version))
    k.ask(*one.add_offsets(group, version=version))
    one.describe()
    one.finish(commit=True)
    one.describe()


@case(versions=OFFSETS_VERSIONS)
def offsets_are_added_by_the_wrong_one(k: Talk, version: int) -> None:
    one, group = Producer(k), k.group()
    one.start()
    for epoch in (0, 2, -1):
        k.ask(*one.add_offsets(group, epoch=epoch, version=version))
    k.ask(*one.add_offsets(group, id=10**12, version=version))
    k.ask(*one.add_offsets(group, id=-1, epoch=-1, version=version))
    k.ask(*add_offsets(transactional_id(k), one.id, one.epoch, group, version=version))
    k.ask(*add_offsets("", one.id, one.epoch, group, version=version))
    one.describe()


@case(versions=OFFSETS_VERSIONS)
def offsets_of_the_group_without_a_name_are_added(k: Talk, version: int) -> None:
    one = Producer(k)
    k.group()
    k.ask(*one.add_offsets("", version=version))
    one.describe()


@case
def offsets_of_two_groups_and_partitions_are_added(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    k.ask(*one.add_offsets(k.group()))
    k.ask(*one.add({topic: [0]}))
    k.ask(*one.add_offsets(k.group()))
    one.describe()
    one.finish(commit=True)
    look(k, {topic: [0]})


@case
def thousand_partitions_are_added(k: Talk) -> None:
    one, topic = Producer(k), k.topic(100)
    k.ask(*one.add({topic: list(range(100))}))
    one.describe()
    one.finish(commit=True)
    one.describe()


@case
def partitions_are_added_to_an_initialised_id_by_its_former_epoch(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    k.do(*init(one.name))
    k.ask(*one.add({topic: [0]}))
    k.ask(*one.add_offsets(k.group()))
    one.describe()
