"""The groups of a broker without disk and sockets."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from tests.unit.broker.story import START_MS, Story
from tidemark.core.context import Context
from tidemark.core.decision import Effect, Record, ResolveRegularExpressions
from tidemark.groups.expirations import due_groups, expirations
from tidemark.groups.forgetting import name_topic
from tidemark.groups.state import Groups
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.offset_commit import offset_commit
from tidemark.handlers.groups.offset_fetch import offset_fetch
from tidemark.handlers.groups.sync_group import sync_group
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import NewTopic, create_topic_records
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec, decode_coordinator


class GroupStory(Story):
    """Topics are created at START_MS - 1000; groups live in one partition of `__consumer_offsets`, which is
    served.
    """

    def __init__(self, topics: dict[str, int] | None = None, *, partitions: int = 1, **settings: Any) -> None:
        super().__init__(Groups(BrokerSettings(**settings)))
        self.cluster = Cluster(Identity("cluster", node_id=1), self.groups.settings)
        self.cluster.replay(Record(None, FeatureLevelRecord("group.version", 1)))
        self.groups.cluster = self.cluster
        self.appended_ms: list[int] = []
        self.resolutions: list[ResolveRegularExpressions] = []
        for name, count in ({"orders": 3, "payments": 2} if topics is None else topics).items():
            self.create_topic(name, count, START_MS - 1_000)
        self.groups.serve(partitions)
        for partition in range(partitions):
            self.groups.loaded(partition, self.now)

    @property
    def groups(self) -> Groups:
        groups: Groups = self.state
        return groups

    @groups.setter
    def groups(self, groups: Groups) -> None:
        self.state = groups

    def context(self, version: int, **more: Any) -> Context:
        return super().context(version, **({"client_id": "client", "cluster": self.cluster} | more))

    def create_topic(self, name: str, partitions: int, created_ms: int) -> None:
        new = NewTopic(name, uuid.uuid4().bytes, [[1]] * partitions)
        for record in create_topic_records(self.cluster, new, created_ms):
            self.cluster.replay(record)

    def topic_id(self, name: str) -> bytes:
        return self.cluster.topics[name].topic_id

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        super().write(records, wall_ms)
        self.appended_ms += [wall_ms] * len(records)

    def carry_out(self, effect: Effect) -> None:
        """Regular expressions are resolved after the response. Groups have no effects on others."""
        if isinstance(effect, ResolveRegularExpressions):
            self.resolutions.append(effect)

    def clean_up(self) -> None:
        """Run one cleanup pass now."""
        due = [*filter(None, due_groups(self.groups, self.wall_ms))]
        for result in filter(None, expirations(self.groups, due, self.wall_ms)):
            self.accept(result)

    def restarted(self, release: str = "") -> Groups:
        """Return the groups that a load of the log makes. release: whose record versions are written."""
        codec = CoordinatorCodec(VERSIONS_OF[release])
        groups = Groups(self.groups.settings)
        groups.cluster = self.cluster
        groups.serve(len(self.groups.status))
        for record, appended_ms in zip(self.log, self.appended_ms, strict=True):
            key, value = decode_coordinator(*codec.encode(record.key, record.value))
            name_topic(self.cluster, key, value, appended_ms)
            groups.replay_record(key, value)
        for partition in range(len(groups.status)):
            groups.loaded(partition, self.now)
        return groups

    # Requests that many stories need.

    def commit(
        self,
        group: str,
        topic: str = "orders",
        partition: int = 0,
        offset: int = 42,
        version: int = 8,
        **more: Any,
    ) -> int:
        """Commit one offset and return the error code. more: fields of the request."""
        partitions = [OffsetCommitRequestPartition(partition, offset)]
        topics = [OffsetCommitRequestTopic(topic, partitions=partitions)]
        response = self.ask(offset_commit, OffsetCommitRequest(group, topics=topics, **more), version)
        code: int = response.topics[0].partitions[0].error_code
        return code

    def offsets(self, group: str) -> dict[tuple[str, int], int]:
        """Return the offsets as a client fetches them."""
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)])
        response = self.ask(offset_fetch, request, 8).groups[0]
        assert response.error_code == 0
        return {
            (topic.name, partition.partition_index): partition.committed_offset
            for topic in response.topics
            for partition in topic.partitions
        }

    def join_group(
        self,
        group: str,
        topics: Iterable[str] = ("orders",),
        *,
        instance_id: str | None = None,
        protocol_type: str = "consumer",
    ) -> str:
        """Join a member and return its id, or '' if it is parked until other members rejoin."""
        metadata = subscription(topics)
        protocols = [JoinGroupRequestProtocol("range", metadata)]
        request = JoinGroupRequest(group, 10_000, 60_000, "", instance_id, protocol_type, protocols)
        response = self.ask(join_group, request, 5 if instance_id else 3)
        return "" if response is None else response.member_id

    def sync_group(self, group: str, member_id: str, generation: int = 1) -> int:
        assignments = [SyncGroupRequestAssignment(member_id, b"assigned")]
        request = SyncGroupRequest(group, generation, member_id, assignments=assignments)
        code: int = self.ask(sync_group, request, 3).error_code
        return code

    def a_stable_group(
        self, group: str, topics: Iterable[str] = ("orders",), *, protocol_type: str = "consumer"
    ) -> str:
        """Make a stable group with one member, and return the id of the member. The generation is 1."""
        member_id = self.join_group(group, topics, protocol_type=protocol_type)
        assert self.sync_group(group, member_id) == 0
        return member_id


def subscription(topics: Iterable[str]) -> bytes:
    """Return a consumer's metadata: version 0, topics, no user data."""
    names = [name.encode() for name in topics]
    out = b"\x00\x00" + len(names).to_bytes(4, "big")
    return out + b"".join(len(name).to_bytes(2, "big") + name for name in names) + b"\xff\xff\xff\xff"
