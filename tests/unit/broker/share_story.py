"""The state machine of share partitions, without log and sockets."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from tidemark.core.context import Caller, Context, Now
from tidemark.core.decision import Decision, Record
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark.settings.release import RELEASES
from tidemark.share_coordinator.state import NO_EPOCH, SharePartition, ShareState, ShareStates
from tidemark_protocol import to_dict
from tidemark_protocol.by_name import from_dict
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.share_snapshot import ShareSnapshotKey
from tidemark_protocol.records.share_update import ShareUpdateKey
from tidemark_protocol.records.topic_record import TopicRecord
from tidemark_protocol.share_batches import NO_OFFSET, StateBatch

TOPIC = bytes(range(16))
OTHER = bytes(range(16, 32))
KEY = SharePartition("g", TOPIC, 0)
START_MS = 1_000
COLD_MS = 300_000  # share.coordinator.cold.partition.snapshot.interval.ms


class ShareStory:
    """The state machine and its log."""

    def __init__(self, partitions: int = 1, **settings: Any) -> None:
        self.cluster = Cluster(Identity("cluster"), BrokerSettings(**settings))
        self.cluster.settings.release = RELEASES["4.3"]
        for name, topic_id in (("t", TOPIC), ("u", OTHER)):
            self.cluster.replay(Record(None, TopicRecord(name, topic_id)))
            for index in range(2):
                self.cluster.replay(Record(None, PartitionRecord(index, topic_id, [1], [1], leader=1)))
        self.now_ms = START_MS
        self.states = self.loaded(partitions)
        self.logs: list[list[Record]] = [[] for _ in range(partitions)]

    def loaded(self, partitions: int) -> ShareStates:
        states = ShareStates(self.cluster.settings)
        states.cluster = self.cluster
        states.serve(partitions)
        states.loaded(range(partitions))
        return states

    @property
    def now(self) -> Now:
        return Now(self.now_ms, 0)

    def accept(self, decision: Decision[Any]) -> Any:
        for record in decision.records:
            self.logs[self.states.partition_of(record)].append(record)
            self.states.replay(record)
        return decision.response

    def ask(
        self,
        decide: Any,
        topics: dict[bytes, list[dict[str, int]]] | list[tuple[bytes, list[Any]]],
        *,
        group: str = "g",
        version: int = 0,
        allowed: bool = True,
    ) -> list[tuple[bytes, list[dict[str, Any]]]]:
        """Send a request. Return the results of each topic of the response.

        topics: the partitions of each topic of the request, with Kafka's names of their fields
        """
        caller = Caller(authorizers=lambda *_: lambda *_: allowed)
        ctx = Context(wall_ms=self.now_ms, steady_ms=0, version=version, caller=caller, cluster=self.cluster)
        api = "".join(word.capitalize() for word in decide.__name__.split("_"))
        given = [*topics.items()] if isinstance(topics, dict) else topics
        fields = {
            "GroupId": group,
            "Topics": [{"TopicId": str(UUID(bytes=each)), "Partitions": parts} for each, parts in given],
        }
        steps = decide(self.states, ctx, from_dict(f"{api}Request", fields))
        while True:
            try:
                step = next(steps)
            except StopIteration as done:
                answered = done.value
                break
            if isinstance(step, Decision):
                self.accept(step)
        response = to_dict(self.accept(answered) if isinstance(answered, Decision) else answered)
        return [(UUID(each["TopicId"]).bytes, each["Partitions"]) for each in response["Results"]]

    def initialize(self, key: SharePartition = KEY, epoch: int = 1, start: int = 0) -> ShareState:
        state: ShareState = self.accept(self.states.initialize(self.now, key, epoch, start))
        return state

    def read(self, leader_epoch: int, key: SharePartition = KEY) -> ShareState:
        state: ShareState = self.accept(self.states.read(self.now, key, leader_epoch))
        return state

    def write(
        self,
        start: int = NO_OFFSET,
        *batches: StateBatch,
        key: SharePartition = KEY,
        epoch: int = NO_EPOCH,
        leader: int = NO_EPOCH,
        count: int = 0,
    ) -> None:
        self.accept(self.states.write(self.now, key, epoch, leader, start, count, batches))

    def delete(self, key: SharePartition = KEY) -> None:
        self.accept(self.states.delete(key))

    def run(self, steps: Any) -> None:
        for decision in steps:
            if decision is not None:
                self.accept(decision)

    def snapshot_cold(self) -> None:
        self.run(self.states.cold_snapshots(self.now))

    def kinds(self) -> str:
        """Return a letter for each record: Snapshot, Update, Tombstone."""
        letters = {ShareSnapshotKey: "S", ShareUpdateKey: "U"}
        return "".join("T" if each.value is None else letters[type(each.key)] for each in self.logs[0])

    def after_restart(self, *, pruned: bool = False) -> dict[SharePartition, ShareState]:
        """Return the states that a start finds. pruned: redundant records are deleted before that."""
        again = self.loaded(len(self.logs))
        for index, log in enumerate(self.logs):
            first = (self.states.redundant_before(index) or 0) if pruned else 0
            again.at(index, first)
            for record in log[first:]:
                again.replay(record)
        return {key: entry.state for key, entry in again.entries.items()}

    def current(self) -> dict[SharePartition, ShareState]:
        return {key: entry.state for key, entry in self.states.entries.items()}
