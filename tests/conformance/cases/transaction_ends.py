"""EndTxn."""

from __future__ import annotations

from typing import Final

from tests.conformance.build_transactions import end
from tests.conformance.case import Talk, case
from tests.conformance.transactional import Producer, look, transactional_id

VERSIONS: Final = range(6)
BEFORE_2: Final = range(5)  # versions of clients that do not know transactions V2


@case(versions=VERSIONS)
def transaction_is_committed(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic(2)
    one.send({topic: {0: 2, 1: 1}})
    k.ask(*one.end(commit=True, version=version))
    one.settle()
    one.describe()
    look(k, {topic: [0, 1]})


@case(versions=VERSIONS)
def transaction_is_aborted(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic(2)
    one.send({topic: {0: 2, 1: 1}})
    k.ask(*one.end(commit=False, version=version))
    one.settle()
    one.describe()
    look(k, {topic: [0, 1]})


@case(versions=VERSIONS)
def transaction_that_never_began_is_ended(k: Talk, version: int) -> None:
    """At level 2 a client may abort it, because it does not know whether a partition was added."""
    for commit in (True, False):
        one = Producer(k)
        k.ask(*one.end(commit=commit, version=version))
        one.settle()
        one.describe()
        k.ask(*one.end(commit=commit, version=version))
        one.settle()
        one.describe()


@case(versions=VERSIONS)
def transaction_is_ended_again(k: Talk, version: int) -> None:
    for commit in (True, False):
        one, topic = Producer(k), k.topic()
        one.send({topic: {0: 1}})
        k.ask(*one.end(commit=commit, version=version))
        one.settle()
        for again in (commit, not commit, commit):
            k.ask(*one.end(commit=again, version=version))
            one.settle()
        one.describe()
        look(k, {topic: [0]})


@case(versions=VERSIONS)
def transaction_is_ended_again_with_the_new_epoch(k: Talk, version: int) -> None:
    for commit in (True, False):
        one, topic = Producer(k), k.topic()
        one.send({topic: {0: 1}})
        one.finish(commit=commit)
        for again in (commit, not commit, commit):
            one.now_is(k.ask(*one.end(commit=again, version=version)))
            one.settle()
            one.describe()


@case(versions=VERSIONS)
def transaction_is_ended_by_the_wrong_one(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.start()
    one.send({topic: {0: 1}})
    for epoch in (0, 2, 3, 32767, -1):
        k.ask(*one.end(commit=True, epoch=epoch, version=version))
    k.ask(*one.end(commit=True, id=10**12, version=version))
    k.ask(*one.end(commit=True, id=-1, epoch=-1, version=version))
    k.ask(*end(transactional_id(k), one.id, one.epoch, commit=True, version=version))
    k.ask(*end("", one.id, one.epoch, commit=True, version=version))
    one.describe()


@case(versions=VERSIONS)
def transaction_without_data_is_ended(k: Talk, version: int) -> None:
    """The partitions are in the transaction, and get a marker."""
    for commit in (True, False):
        one, topic = Producer(k), k.topic(2)
        one.has({topic: [0, 1]})
        k.ask(*one.end(commit=commit, version=version))
        one.settle()
        one.describe()
        look(k, {topic: [0, 1]})


@case(versions=VERSIONS)
def transaction_is_ended_after_a_restart_of_the_producer(k: Talk, version: int) -> None:
    """The abort of InitProducerId counts as an abort of the transaction."""
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    k.do(*one.init())
    one.settle()
    for epoch in range(one.epoch, one.epoch + 4):
        for commit in (False, True):
            k.ask(*one.end(commit=commit, epoch=epoch, version=version))
            one.settle()
    one.describe()


@case(versions=VERSIONS)
def transaction_is_ended_after_initialising_again(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    one.finish(commit=True)
    one.start()
    for epoch in (one.epoch - 2, one.epoch - 1, one.epoch + 1, one.epoch):
        for commit in (True, False):
            k.ask(*one.end(commit=commit, epoch=epoch, version=version))
            one.settle()
    one.describe()


@case
def transactions_follow_each_other(k: Talk) -> None:
    """The markers have the epoch that EndTxn returns."""
    one, topic = Producer(k), k.topic()
    for commit in (True, False, False, True):
        one.send({topic: {0: 2}})
        one.finish(commit=commit)
    look(k, {topic: [0]})
    one.describe()


@case(versions=BEFORE_2)
def transactions_of_old_clients_follow_each_other(k: Talk, version: int) -> None:
    """They keep their epoch. AddPartitionsToTxn v3 and EndTxn v4 do not use transactions V2."""
    one, topic = Producer(k, level=1), k.topic()
    for commit in (True, False, False, True):
        one.send({topic: {0: 2}})
        k.ask(*one.end(commit=commit, version=version))
        one.settle()
        one.describe()
    look(k, {topic: [0]})


@case
def old_and_new_ways_of_ending_alternate(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    for version in (5, 4, 5, 3, 4, 5):
        one.has({topic: [0]})
        response = k.ask(*one.end(commit=True, version=version))
        one.now_is(response)
        one.settle()
        one.describe()


@case
def transaction_begun_by_an_old_request_is_ended_by_a_new_one(k: Talk) -> None:
    one, topic = Producer(k, level=1), k.topic()
    one.send({topic: {0: 1}})
    one.describe()
    one.now_is(k.ask(*one.end(commit=True, version=5)))
    one.settle()
    one.describe()
    look(k, {topic: [0]})


@case
def transaction_begun_by_a_new_request_is_ended_by_an_old_one(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    k.ask(*one.end(commit=True, version=4))
    one.settle()
    one.describe()
    k.ask(*one.produce({topic: {0: 1}}))
    one.describe()
    look(k, {topic: [0]})


@case
def transaction_of_a_deleted_topic_is_ended(k: Talk) -> None:
    """Kafka forgets the partition and completes the transaction."""
    for commit in (True, False):
        one, topic, other = Producer(k), k.topic(), k.topic()
        one.send({topic: {0: 1}, other: {0: 1}})
        k.delete_topic(topic)
        one.describe()
        one.finish(commit=commit)
        one.describe()
        look(k, {other: [0]})


@case
def transaction_is_ended_after_its_topic_was_created_anew(k: Talk) -> None:
    """The new topic gets the marker of a producer that it does not know."""
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    k.delete_topic(topic)
    create = {"Name": topic, "NumPartitions": 1, "ReplicationFactor": 1}
    made = {"Topics": [create], "timeoutMs": 30000}
    k.until(lambda: k.do("CreateTopics", 7, made)["Topics"][0]["ErrorCode"], lambda error: error in (0, 36))
    k.until_there(topic)
    one.finish(commit=True)
    look(k, {topic: [0]})


@case
def transaction_over_many_partitions_is_committed(k: Talk) -> None:
    one, topic = Producer(k), k.topic(20)
    one.send({topic: dict.fromkeys(range(20), 1)})
    one.describe()
    one.finish(commit=True)
    look(k, {topic: list(range(20))})


@case
def transaction_of_another_coordinator_partition(k: Talk) -> None:
    """Each transactional id has a state of its own, also with the same topic."""
    several, topic = [Producer(k) for _ in range(6)], k.topic()
    for one in several:
        one.send({topic: {0: 1}})
    for number, one in enumerate(several):
        one.finish(commit=number % 2 == 0)
    look(k, {topic: [0]})
