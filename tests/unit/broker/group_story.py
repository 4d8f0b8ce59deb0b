"""A broker without disk and sockets for stories about groups. It decides, replays and settles as usual."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from tests.unit.broker.lone_machine import LoneMachine
from tests.unit.broker.steps import finished
from tidemark.core.apply import apply, settle_due, settle_marked
from tidemark.core.context import Caller, Context, Now, everything_is_allowed
from tidemark.core.result import Effect, Record, Released, ResolveRegularExpressions, Result
from tidemark.groups.expirations import due_groups, expirations
from tidemark.groups.forgetting import name_topic
from tidemark.groups.limits import GroupLimits
from tidemark.groups.state import Groups
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.offset_commit import offset_commit
from tidemark.handlers.groups.offset_fetch import offset_fetch
from tidemark.handlers.groups.sync_group import sync_group
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import NewTopic, create_topic_records
from tidemark_protocol.errors import KafkaError
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

SETTLE_PASSES_MAX = 100
DUE_MAX = 100
START_MS = 1_795_000_000_000


class ParkedRequest:
    def __init__(self, version: int) -> None:
        self.version = version
        self.answer: Any = None


class StoryMachine(LoneMachine):
    """Keeps records in the story's log, and responses in its parked requests."""

    def __init__(self, story: Story) -> None:
        super().__init__(story.groups)
        self._story = story

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        self._story.keep(records)

    def release_parked(self, released: Released) -> None:
        assert isinstance(released.pending, ParkedRequest)
        released.pending.answer = released.response

    def carry_out(self, effect: Effect) -> None:
        """Stories about groups have no other state. Regular expressions are resolved after the response."""
        if isinstance(effect, ResolveRegularExpressions):
            self._story.resolutions.append(effect)


class Story:
    """Topics are created at START_MS - 1000; groups live in one partition of `__consumer_offsets`, which is
    served.
    """

    def __init__(self, topics: dict[str, int] | None = None, *, partitions: int = 1, **limits: int) -> None:
        self.cluster = Cluster(Identity("cluster", node_id=1))
        self.cluster.replay(Record(None, FeatureLevelRecord("group.version", 1)))
        self.groups = Groups(GroupLimits(**{"initial_rebalance_delay_ms": 0, **limits}))
        self.groups.cluster = self.cluster
        self.wall_ms = START_MS
        self.steady_ms = 0
        self.log: list[Record] = []
        self.appended_ms: list[int] = []
        self.resolutions: list[ResolveRegularExpressions] = []
        for name, count in ({"orders": 3, "payments": 2} if topics is None else topics).items():
            self.create_topic(name, count, START_MS - 1_000)
        self.groups.serve(partitions)
        for partition in range(partitions):
            self.groups.loaded(partition, self.now)

    @property
    def _machine(self) -> StoryMachine:
        return StoryMachine(self)  # tests replace the groups

    @property
    def now(self) -> Now:
        return Now(self.wall_ms, self.steady_ms)

    def create_topic(self, name: str, partitions: int, created_ms: int) -> None:
        new = NewTopic(name, uuid.uuid4().bytes, [[1]] * partitions)
        for record in create_topic_records(self.cluster.identity, new, created_ms):
            self.cluster.replay(record)

    def topic_id(self, name: str) -> bytes:
        return self.cluster.topics[name].topic_id

    def passes(self, ms: int) -> None:
        self.wall_ms += ms
        self.steady_ms += ms

    def ask(
        self,
        decide: Callable[..., Any],
        version: int,
        request: Any,
        allowed: Callable[[int, int, str], bool] = everything_is_allowed,
        client_id: str = "client",
    ) -> Any:
        """Return the response, after what follows from a command is settled. None: the request is parked."""
        pending = ParkedRequest(version)
        ctx = Context(
            wall_ms=self.wall_ms,
            steady_ms=self.steady_ms,
            version=version,
            pending=pending,
            client_id=client_id,
            cluster=self.cluster,
            new_id=lambda: str(uuid.uuid4()),
            caller=Caller(authorizers=lambda *_: allowed),
        )
        try:
            decided = finished(decide(self.groups, ctx, request), self.accept)
        except KafkaError as error:
            return _refused(decide, request, error.code)
        if not isinstance(decided, Result):
            return decided
        self.accept(decided)
        self.settle()
        return decided.response if decided.response is not None else pending.answer

    def accept(self, result: Result[Any]) -> None:
        apply(self._machine, result, self.wall_ms)

    def keep(self, records: tuple[Record, ...]) -> None:
        """Append to the log."""
        self.log += records
        self.appended_ms += [self.wall_ms] * len(records)

    def settle(self) -> None:
        """Settle what is marked and what is due now, until nothing more follows."""
        settle_marked(self._machine, self.now)
        for _ in range(SETTLE_PASSES_MAX):
            if self.groups.deadlines.next() is None or not self.groups.deadlines.peek_due(self.steady_ms, 1):
                return
            settle_due(self._machine, self.now, self.steady_ms, DUE_MAX, lambda: False)
        raise AssertionError("settle finds no end")

    def clean_up(self) -> None:
        """Run one cleanup pass now."""
        due = [*filter(None, due_groups(self.groups, self.wall_ms))]
        for result in filter(None, expirations(self.groups, due, self.wall_ms)):
            self.accept(result)

    def restarted(self, release: str = "") -> Groups:
        """Return the groups that a load of the log makes. release: whose record versions are written."""
        codec = CoordinatorCodec(VERSIONS_OF[release])
        groups = Groups(self.groups.limits)
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
        response = self.ask(offset_commit, version, OffsetCommitRequest(group, topics=topics, **more))
        code: int = response.topics[0].partitions[0].error_code
        return code

    def offsets(self, group: str) -> dict[tuple[str, int], int]:
        """Return the offsets as a client fetches them."""
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)])
        response = self.ask(offset_fetch, 8, request).groups[0]
        assert response.error_code == 0
        return {
            (topic.name, partition.partition_index): partition.committed_offset
            for topic in response.topics
            for partition in topic.partitions
        }

    def join(
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
        response = self.ask(join_group, 5 if instance_id else 3, request)
        return "" if response is None else response.member_id

    def sync(self, group: str, member_id: str, generation: int = 1) -> int:
        assignments = [SyncGroupRequestAssignment(member_id, b"assigned")]
        request = SyncGroupRequest(group, generation, member_id, assignments=assignments)
        code: int = self.ask(sync_group, 3, request).error_code
        return code

    def a_stable_group(
        self, group: str, topics: Iterable[str] = ("orders",), *, protocol_type: str = "consumer"
    ) -> str:
        """Make a stable group with one member, and return the id of the member. The generation is 1."""
        member_id = self.join(group, topics, protocol_type=protocol_type)
        assert self.sync(group, member_id) == 0
        return member_id


def _refused(decide: Callable[..., Any], request: Any, code: int) -> Any:
    """Return the response of the router if a decider raises."""
    error_response = getattr(sys.modules[decide.__module__], "error_response", None)
    if error_response is not None:
        return error_response(request, code)
    kind = type(request)
    response = getattr(sys.modules[kind.__module__], kind.__name__.replace("Request", "Response"))()
    response.error_code = code
    return response


def subscription(topics: Iterable[str]) -> bytes:
    """Return a consumer's metadata: version 0, topics, no user data."""
    names = [name.encode() for name in topics]
    out = b"\x00\x00" + len(names).to_bytes(4, "big")
    return out + b"".join(len(name).to_bytes(2, "big") + name for name in names) + b"\xff\xff\xff\xff"
