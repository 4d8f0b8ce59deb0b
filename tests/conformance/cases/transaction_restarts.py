"""Transactions over a restart of the broker, and transactional ids whose epochs are exhausted.

A state that clients reach too slowly is written into the transaction log. It counts from the restart on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.conformance.build import fetch_offsets
from tests.conformance.build_data import batch, fetch, produce, record
from tests.conformance.build_transactions import (
    add_all,
    describe_producers,
    describe_transactions,
    init,
    list_transactions,
    transaction,
)
from tests.conformance.case import NONE, RETRIABLE, Talk, case
from tests.conformance.cases.transaction_offsets import both, pending
from tests.conformance.transactional import (
    READ_COMMITTED,
    Producer,
    described,
    look,
    own,
    producers_in_order,
    read,
    transactional_id,
    wait_for_state,
)
from tidemark_protocol import encode, from_dict
from tidemark_protocol.java import partition_of_group

TRANSACTION_LOG: Final = "__transaction_state"
SHARDS: Final = 4  # transaction.state.log.num.partitions of the broker
ADMIN_CLIENT: Final = "__admin_client"  # it may write to internal topics
EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT = range(6)
EPOCH_MAX: Final = 32767
HOUR_MS: Final = 3_600_000


def store(k: Talk, name: str, producer: int, epoch: int, status: int, **fields: Any) -> None:
    """Write this state of a transactional id into the transaction log."""
    now = k.broker.wall_ms()
    value = {
        "ProducerId": producer,
        "PreviousProducerId": -1,
        "NextProducerId": -1,
        "ProducerEpoch": epoch,
        "NextProducerEpoch": -1,
        "TransactionTimeoutMs": 60000,
        "TransactionStatus": status,
        "TransactionPartitions": None if status == EMPTY else [],
        "TransactionLastUpdateTimestampMs": now,
        "TransactionStartTimestampMs": -1 if status == EMPTY else now,
        "ClientTransactionVersion": 2,
        **fields,
    }
    key = b"\0\0" + encode("TransactionLogKey", 0, from_dict("TransactionLogKey", {"TransactionalId": name}))
    data = b"\0\1" + encode("TransactionLogValue", 1, from_dict("TransactionLogValue", value))
    peer = k.connect(ADMIN_CLIENT)
    stored = batch(record(data, key, timestamp=now))
    written = peer.do(*produce({TRANSACTION_LOG: {partition_of_group(name, SHARDS): stored}}))
    assert written["Responses"][0]["PartitionResponses"][0]["ErrorCode"] == NONE, written


def partitions_of(topic: str) -> list[dict[str, Any]]:
    return [{"Topic": topic, "PartitionIds": [0]}]


def loaded(k: Talk, *names: str) -> None:
    """Wait until the coordinator has loaded these transactional ids."""
    for name in names:
        transactional_id(k, name)
    k.until(
        lambda: k.do(*init(None))["ErrorCode"],
        lambda error: error not in RETRIABLE,
    )


@case
def open_transaction_goes_on_after_a_restart(k: Talk) -> Iterator[None]:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 2}})
    yield
    loaded(k, one.name)
    one.describe()
    k.ask(*list_transactions(["Ongoing"]), keep=own(k, one.name))
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)
    look(k, {topic: [0]})
    k.ask(*one.produce({topic: {0: 1}}))
    one.now_is(k.ask(*one.end(commit=True)))
    one.settle()
    one.describe()
    k.ask(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED), keep=_offsets)


def _offsets(response: dict[str, Any]) -> Any:
    """keep= of a Fetch: without leader epochs, which grow with each restart in Kafka."""
    return [
        ([one["offset"] for one in p["Records"]], p["LastStableOffset"], p["AbortedTransactions"])
        for p in read(response)["Partitions"]
    ]


@case
def open_transaction_is_aborted_after_a_restart(k: Talk) -> Iterator[None]:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 2}})
    yield
    loaded(k, one.name)
    k.ask(*one.init())
    one.settle()
    one.describe()
    k.ask(*one.init())
    k.ask(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED), keep=_offsets)


@case
def pending_offsets_are_committed_after_a_restart(k: Talk) -> Iterator[None]:
    one, topic, group = Producer(k), k.topic(), k.group()
    pending(k, one, group, {topic: {0: 5}})
    yield
    loaded(k, one.name)
    k.until(lambda: k.do(*fetch_offsets(group))["Groups"][0]["ErrorCode"], lambda error: error == NONE)
    both(k, group, topic)
    one.finish(commit=True)
    both(k, group, topic)


@case
def ends_are_repeated_after_a_restart(k: Talk) -> Iterator[None]:
    several, topic = [Producer(k) for _ in range(4)], k.topic()
    before = [one.epoch for one in several]
    for number, one in enumerate(several):
        one.send({topic: {0: 1}})
        one.finish(commit=number % 2 == 0)
    yield
    loaded(k, *(one.name for one in several))
    for number, one in enumerate(several):
        for commit in (number % 2 == 0, number % 2 == 1):
            epoch = before[number] if number < 2 else one.epoch
            k.ask(*one.end(commit=commit, epoch=epoch))
            one.settle()
        one.describe()
    k.ask(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED), keep=_offsets)


@case
def producers_ask_for_their_next_epochs_after_a_restart(k: Talk) -> Iterator[None]:
    """The last epoch is not stored, so a repeated request is refused."""
    one, two, three = Producer(k), Producer(k), Producer(k)
    for each in (one, two, three):
        k.do(*each.init(each.id, 0))
    yield
    loaded(k, one.name, two.name, three.name)
    k.ask(*one.init(one.id, 0))
    k.ask(*two.init(two.id, 1))
    k.ask(*two.init(two.id, 1))
    k.ask(*three.init())
    for each in (one, two, three):
        each.describe()


@case
def zombie_after_a_restart(k: Talk) -> Iterator[None]:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 1}})
    one.finish(commit=True)
    yield
    loaded(k, one.name)
    k.ask(*one.produce({topic: {0: 1}}, producer_epoch=0, base_sequence=1))
    k.ask(*one.add({topic: [0]}, epoch=0))
    k.ask(*one.produce({topic: {0: 1}}, base_sequence=0))
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@case
def partitions_are_verified_after_a_restart(k: Talk) -> Iterator[None]:
    one, topic = Producer(k), k.topic(2)
    one.has({topic: [0]})
    yield
    loaded(k, one.name)
    k.ask(*add_all(transaction(one.name, one.id, one.epoch, {topic: [0, 1]}, verify=True)))
    k.ask(*one.produce({topic: {0: 1}}, version=11))
    k.ask(*one.produce({topic: {1: 1}}, version=11))


@case
def transactional_ids_are_listed_after_a_restart(k: Talk) -> Iterator[None]:
    several, topic = [Producer(k) for _ in range(4)], k.topic()
    for one in several[1:]:
        one.send({topic: {0: 1}})
    several[2].finish(commit=True)
    several[3].finish(commit=False)
    names = [one.name for one in several]
    yield
    loaded(k, *names)
    k.ask(*describe_transactions(*names), keep=described)
    k.ask(*list_transactions(), keep=own(k, *names))


@case
def exhausted_epoch_of_an_idle_transactional_id(k: Talk) -> Iterator[None]:
    """The next producer id begins at epoch 0."""
    names = [transactional_id(k) for _ in range(6)]
    for number, epoch in enumerate((32764, 32765, 32766, 32767)):
        store(k, names[number], 10**6 + number, epoch, EMPTY)
    store(k, names[4], 10**6 + 4, EPOCH_MAX - 1, COMPLETE_COMMIT)
    store(k, names[5], 10**6 + 5, EPOCH_MAX - 1, EMPTY)
    yield
    loaded(k, *names)
    for number, name in enumerate(names[:5]):
        for _ in range(3):
            k.ask(*init(name))
        k.keep("the same id", k.do(*init(name))["ProducerId"] == 10**6 + number)
    for _ in range(2):
        k.ask(*init(names[5], 10**6 + 5, EPOCH_MAX - 1))
    k.ask(*init(names[5], 10**6 + 5, EPOCH_MAX))
    k.ask(*init(names[5], 10**6 + 5, 0))


@case
def exhausted_epoch_at_the_end_of_a_transaction(k: Talk) -> Iterator[None]:
    """EndTxn returns another producer id. The marker has the highest epoch of the old one."""
    topic = k.topic(4)
    names = [transactional_id(k) for _ in range(4)]
    for number, epoch in enumerate((32765, 32766, 32766, 32766)):
        partitions = [{"Topic": topic, "PartitionIds": [number]}]
        store(k, names[number], 2 * 10**6 + number, epoch, ONGOING, TransactionPartitions=partitions)
    yield
    loaded(k, *names)
    for number, (name, epoch) in enumerate(zip(names, (32765, 32766, 32766, 32766), strict=True)):
        producer = 2 * 10**6 + number
        if number == 3:
            k.ask(*init(name, producer, epoch))
            wait_for_state(k, name, "CompleteAbort", "CompleteCommit")
            k.ask(*describe_transactions(name), keep=described)
            k.ask(*init(name, producer, epoch))
            k.ask(*init(name))
            k.ask(*describe_transactions(name), keep=described)
            continue
        commit = number != 2
        fields = {
            "TransactionalId": name,
            "ProducerId": producer,
            "ProducerEpoch": epoch,
            "Committed": commit,
        }
        k.ask("EndTxn", 5, fields)
        wait_for_state(k, name, "CompleteAbort", "CompleteCommit")
        k.ask("EndTxn", 5, fields)
        k.ask("EndTxn", 5, {**fields, "Committed": not commit})
        k.ask(*describe_transactions(name), keep=described)
    for index in range(4):
        k.ask(*fetch({topic: {index: 0}}, isolation=READ_COMMITTED), keep=_markers)


def _markers(response: dict[str, Any]) -> Any:
    """keep= of a Fetch: the markers, without the coordinator's epoch, which grows in Kafka."""
    return [
        {name: value for name, value in one.items() if name != "value"}
        for p in read(response)["Partitions"]
        for one in p["Records"]
    ]


@case
def exhausted_epoch_of_an_old_client(k: Talk) -> Iterator[None]:
    """Its transactions keep their epoch, and InitProducerId moves it."""
    topic = k.topic()
    name = transactional_id(k)
    fields = {"TransactionPartitions": partitions_of(topic), "ClientTransactionVersion": 0}
    store(k, name, 3 * 10**6, EPOCH_MAX - 1, ONGOING, **fields)
    yield
    loaded(k, name)
    end = {
        "TransactionalId": name,
        "ProducerId": 3 * 10**6,
        "ProducerEpoch": EPOCH_MAX - 1,
        "Committed": True,
    }
    for _ in range(2):
        k.ask("EndTxn", 4, end)
        wait_for_state(k, name, "CompleteCommit")
    k.ask(*describe_transactions(name), keep=described)
    k.ask(*init(name))
    k.ask(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED), keep=_markers)


@case
def transactions_that_were_ending_are_completed_after_a_restart(k: Talk) -> Iterator[None]:
    topic = k.topic(3)
    names = [transactional_id(k) for _ in range(3)]
    for index, (name, status) in enumerate(zip(names, (PREPARE_COMMIT, PREPARE_ABORT, ONGOING), strict=True)):
        partitions = [{"Topic": topic, "PartitionIds": [index]}]
        store(k, name, 4 * 10**6 + index, 7, status, TransactionPartitions=partitions)
    yield
    loaded(k, *names)
    wait_for_state(k, names[0], "CompleteCommit")
    wait_for_state(k, names[1], "CompleteAbort")
    k.ask(*describe_transactions(*names), keep=described)
    for index in range(3):
        k.ask(*fetch({topic: {index: 0}}, isolation=READ_COMMITTED), keep=_markers)


@case(settings={"transaction.abort.timed.out.transaction.cleanup.interval.ms": "100"})
def transaction_that_timed_out_while_the_broker_was_down(k: Talk) -> Iterator[None]:
    """The time since the start of the transaction counts."""
    topic = k.topic(2)
    old, new = transactional_id(k), transactional_id(k)
    for index, name in enumerate((old, new)):
        partitions = [{"Topic": topic, "PartitionIds": [index]}]
        start = k.broker.wall_ms() - (HOUR_MS if name == old else 0)
        how = {"TransactionPartitions": partitions, "TransactionStartTimestampMs": start}
        store(k, name, 5 * 10**6 + index, 7, ONGOING, **how)
    yield
    loaded(k, old, new)
    wait_for_state(k, old, "CompleteAbort")
    k.ask(*describe_transactions(old, new), keep=described)
    k.ask(*fetch({topic: {0: 0}}, isolation=READ_COMMITTED), keep=_markers)


@case
def transactional_ids_with_odd_states_are_loaded(k: Talk) -> Iterator[None]:
    """A partition that does not exist, none at all, and a tombstone."""
    missing, none, dead = (transactional_id(k) for _ in range(3))
    gone = [{"Topic": k.name(), "PartitionIds": [0, 5]}]
    store(k, missing, 6 * 10**6, 3, PREPARE_COMMIT, TransactionPartitions=gone)
    store(k, none, 6 * 10**6 + 1, 3, PREPARE_ABORT)
    store(k, dead, 6 * 10**6 + 2, 3, EMPTY)
    key = b"\0\0" + encode("TransactionLogKey", 0, from_dict("TransactionLogKey", {"TransactionalId": dead}))
    tombstone = batch(record(None, key, timestamp=k.broker.wall_ms()))
    admin = k.connect(ADMIN_CLIENT)
    admin.do(*produce({TRANSACTION_LOG: {partition_of_group(dead, SHARDS): tombstone}}))
    yield
    loaded(k, missing, none, dead)
    wait_for_state(k, missing, "CompleteCommit")
    wait_for_state(k, none, "CompleteAbort")
    k.ask(*describe_transactions(missing, none, dead), keep=described)
