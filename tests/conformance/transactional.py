"""Transactional producers, for cases and stories.

    producer = Producer(k)
    topic = k.topic()
    k.ask(*producer.produce({topic: {0: 2}}))
    producer.finish(commit=True)

A producer has a transactional id of its own. It knows its producer id, its epoch and its next sequences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.conformance.build import Request
from tests.conformance.build_data import batch, fetch, list_offsets, produce, record
from tests.conformance.build_transactions import (
    TRANSACTION,
    Partitions,
    add,
    add_offsets,
    commit_offsets,
    describe_transactions,
    end,
    init,
    set_features,
)
from tests.conformance.case import NONE, RETRIABLE, Fields, Peer, Talk
from tidemark_protocol.batch import TRANSACTIONAL, BatchHeader, control_type, headers, records

READ_COMMITTED: Final = 1
TRANSACTIONAL_ID_NOT_FOUND: Final = 105
CONCURRENT_TRANSACTIONS: Final = 51
FEATURE: Final = "transaction.version"
RAISE, LOWER, FORCE = 1, 2, 3  # upgrade types of UpdateFeatures

# A level belongs to the whole broker, so brokers differ in a setting that no case depends on.
AT_LEVEL_1: Final = {"transaction.state.log.load.buffer.size": "5242881"}
AT_LEVEL_0: Final = {"transaction.state.log.load.buffer.size": "5242882"}


def transactional_id(k: Talk, name: str = "") -> str:
    """Return a transactional id that is not used yet, once its coordinator is loaded."""
    found = name or k.name("tx")
    k.until(
        lambda: k.do("FindCoordinator", 4, {"KeyType": TRANSACTION, "CoordinatorKeys": [found]}),
        lambda response: response["Coordinators"][0]["ErrorCode"] == NONE,
    )
    k.until(
        lambda: k.do(*describe_transactions(found))["TransactionStates"][0]["ErrorCode"],
        lambda error: error not in RETRIABLE,
    )
    return found


class Producer:
    """A transactional producer: its requests, its id and its epoch.

    level: the transaction.version that it uses, 2 by default. Then EndTxn returns the next epoch, and Produce
    adds its partitions by itself.
    """

    def __init__(self, k: Talk, *, name: str = "", timeout_ms: int = 60000, level: int = 2) -> None:
        self.talk = k
        self.peer: Peer = k
        self.name = transactional_id(k, name)
        self.timeout_ms = timeout_ms
        self.level = level
        self.id = -1
        self.epoch = -1
        self._sequences: dict[tuple[str, int], int] = defaultdict(int)
        self.start()

    def start(self) -> None:
        """Get id and epoch from the coordinator, as a client does at its start."""
        found: list[Fields] = []

        def ask() -> int:
            found[:] = [self.peer.do(*self.init())]
            error: int = found[0]["ErrorCode"]
            return error

        self.talk.until(ask, lambda error: error not in (*RETRIABLE, CONCURRENT_TRANSACTIONS))
        assert found[0]["ErrorCode"] == NONE, found
        self.now_is(found[0])

    def now_is(self, response: Fields) -> Fields:
        """Adopt the id and epoch of an InitProducerId or EndTxn response."""
        if response["ErrorCode"] == NONE and response["ProducerId"] >= 0:
            if (self.id, self.epoch) != (response["ProducerId"], response["ProducerEpoch"]):
                self._sequences.clear()
            self.id, self.epoch = response["ProducerId"], response["ProducerEpoch"]
        return response

    def init(self, producer: int = -1, epoch: int = -1, **other: Any) -> Request:
        return init(self.name, producer, epoch, **{"timeout_ms": self.timeout_ms, **other})

    def add(self, partitions: Partitions, **other: Any) -> Request:
        """Build an AddPartitionsToTxn. other: id, epoch and arguments of the builder."""
        return add(*self._whom(other), partitions, **other)

    def add_offsets(self, group: str, **other: Any) -> Request:
        return add_offsets(*self._whom(other), group, **other)

    def commit_offsets(self, group: str, offsets: Mapping[str, Mapping[int, int]], **other: Any) -> Request:
        name, producer, epoch = self._whom(other)
        return commit_offsets(name, group, producer, epoch, offsets, **{"version": self._v(5, 3), **other})

    def end(self, *, commit: bool, **other: Any) -> Request:
        return end(*self._whom(other), commit=commit, **{"version": self._v(5, 4), **other})

    def produce(
        self, counts: Mapping[str, Mapping[int, int]], *, version: int | None = None, **header: Any
    ) -> Request:
        """Build a Produce of so many records to each partition, in the next sequence."""
        data = {
            topic: {index: self.batch(topic, index, count, **header) for index, count in partitions.items()}
            for topic, partitions in counts.items()
        }
        return produce(data, transactional_id=self.name, version=version or self._v(12, 11))

    def batch(self, topic: str, index: int = 0, count: int = 1, **header: Any) -> bytes:
        """Build a transactional batch. header: of the batch, in place of the usual one."""
        sequence = self._sequences[topic, index]
        self._sequences[topic, index] += count
        usual = {
            "attributes": TRANSACTIONAL,
            "producer_id": self.id,
            "producer_epoch": self.epoch,
            "base_sequence": sequence,
        }
        # A marker has the time of the broker, and would start a segment of its own after old records.
        return batch(*[record(timestamp=self.talk.broker.wall_ms())] * count, **{**usual, **header})

    def send(self, counts: Mapping[str, Mapping[int, int]]) -> None:
        """Write so many records to each partition. Before level 2, add the partitions first."""
        if self.level < 2:
            self.has({topic: list(partitions) for topic, partitions in counts.items()})
        response = self.peer.do(*self.produce(counts))
        codes = [p["ErrorCode"] for topic in response["Responses"] for p in topic["PartitionResponses"]]
        assert not any(codes), response

    def has(self, partitions: Partitions) -> None:
        """Add the partitions to the transaction."""
        response = self.peer.do(*self.add(partitions))
        codes = [
            p["PartitionErrorCode"]
            for topic in response["ResultsByTopicV3AndBelow"]
            for p in topic["ResultsByPartition"]
        ]
        assert not any(codes), response

    def finish(self, *, commit: bool) -> None:
        """End the transaction and wait until its markers are written."""
        response = self.peer.do(*self.end(commit=commit))
        assert response["ErrorCode"] == NONE, response
        self.now_is(response)
        self.settle()

    def settle(self) -> None:
        """Wait until no markers are owed."""
        settle(self.talk, self.name)

    def describe(self) -> None:
        """Keep DescribeTransactions of the transactional id."""
        self.talk.ask(*describe_transactions(self.name), keep=described)

    def describe_without_partitions(self) -> None:
        """Keep DescribeTransactions, but not the partitions, one of which depends on the name of a group."""

        def keep(response: Fields) -> list[Fields]:
            return [{**state, "Topics": len(state["Topics"])} for state in response["TransactionStates"]]

        self.talk.ask(*describe_transactions(self.name), keep=keep)

    def _whom(self, other: dict[str, Any]) -> tuple[str, int, int]:
        """Take name, id and epoch out of the arguments."""
        return other.pop("name", self.name), other.pop("id", self.id), other.pop("epoch", self.epoch)

    def _v(self, since_2: int, before: int) -> int:
        return since_2 if self.level >= 2 else before


def settle(k: Talk, name: str) -> None:
    """Wait until the transactional id owes no markers."""
    k.until(lambda: state_of(k, name), lambda state: not state.startswith("Prepare"))


def state_of(k: Talk, name: str) -> str:
    state: str = k.do(*describe_transactions(name))["TransactionStates"][0]["TransactionState"]
    return state


def wait_for_state(k: Talk, name: str, *states: str) -> None:
    k.until(lambda: state_of(k, name), lambda state: state in states)


def described(response: Fields) -> list[Fields]:
    """keep= of DescribeTransactions: sort the partitions, whose order is that of a hash set."""
    return [
        {
            **state,
            "Topics": {topic["Topic"]: sorted(topic["Partitions"]) for topic in
                       sorted(state["Topics"], key=lambda topic: str(topic["Topic"]))},
        }
        for state in response["TransactionStates"]
    ]  # fmt: skip


def own(k: Talk, *names: str) -> Any:
    """keep= of ListTransactions: only these transactional ids, sorted."""

    def keep(response: Fields) -> Fields:
        states = [s for s in response["TransactionStates"] if s["TransactionalId"] in names]
        return {
            **response,
            "UnknownStateFilters": sorted(response["UnknownStateFilters"]),
            "TransactionStates": sorted(states, key=lambda state: str(state["TransactionalId"])),
        }

    return keep


def producers_in_order(response: Fields) -> list[Fields]:
    """keep= of DescribeProducers: sort the producers of each partition by their last sequence and epoch."""
    return [
        {
            "Topic": topic["Name"],
            **partition,
            "ActiveProducers": sorted(
                partition["ActiveProducers"], key=lambda p: (p["ProducerEpoch"], p["LastSequence"])
            ),
        }
        for topic in response["Topics"]
        for partition in topic["Partitions"]
    ]


def read(response: Fields) -> Fields:
    """keep= of a Fetch: decode the batches, with the producer and the type of markers."""
    partitions = [
        {"Topic": topic["Topic"], **partition, "Records": _batches(partition["Records"])}
        for topic in response["Responses"]
        for partition in topic["Partitions"]
    ]
    return {"ErrorCode": response["ErrorCode"], "Partitions": partitions}


def _batches(data: str | None) -> list[Fields] | None:
    if data is None:
        return None
    found = bytes.fromhex(data)
    return [_batch(found, pos, header) for pos, header in headers(found)]


def _batch(data: bytes, pos: int, header: BatchHeader) -> Fields:
    shown: Fields = {
        "offset": header.base_offset,
        "attributes": header.attributes,
        "ProducerId": header.producer_id,
        "epoch": header.producer_epoch,
        "sequence": header.base_sequence,
        "time": header.max_timestamp,
    }
    found = list(records(data, pos, header))
    if header.is_control:
        value = found[0].value
        kind = "commit" if control_type(found[0].key) else "abort"
        return {**shown, "marker": kind, "value": None if value is None else value.hex()}
    return {**shown, "records": len(found)}


def look(
    k: Talk, partitions: Mapping[str, Sequence[int]], *, isolation: int = READ_COMMITTED, offset: int = 0
) -> None:
    """Keep what a consumer reads of these partitions."""
    wanted: dict[str, dict[int, int | dict[str, Any]]] = {
        topic: dict.fromkeys(indexes, offset) for topic, indexes in partitions.items()
    }
    k.ask(*fetch(wanted, isolation=isolation), keep=read)


def ends(k: Talk, topic: str, index: int = 0) -> None:
    """Keep the end of a partition for each isolation level."""
    for isolation in (0, 1):
        k.ask(*list_offsets({topic: {index: -1}}, isolation=isolation))


def level(k: Talk, wanted: int) -> None:
    """Bring the broker to this transaction.version. Only for cases whose broker is not used by others."""
    if _level(k) != wanted:
        for upgrade in (RAISE, LOWER, FORCE):
            if k.do(*set_features((FEATURE, wanted), upgrade=upgrade))["ErrorCode"] == NONE:
                break
        k.until(lambda: _level(k), lambda found: found == wanted)


def _level(k: Talk) -> int:
    """Return the finalized transaction.version, as ApiVersions reports it."""
    fields = {"ClientSoftwareName": "cases", "ClientSoftwareVersion": "1"}
    for feature in k.do("ApiVersions", 4, fields)["FinalizedFeatures"]:
        if feature["Name"] == FEATURE:
            found: int = feature["MaxVersionLevel"]
            return found
    return 0
