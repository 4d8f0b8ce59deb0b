"""Clients of both protocols in one group `g`, for stories and laws about migration."""

from __future__ import annotations

import uuid
from typing import Any

from tests.unit.broker.group_story import ParkedRequest
from tests.unit.broker.groups.consumer_story import ConsumerStory
from tests.unit.broker.steps import finished
from tidemark.core.context import Context
from tidemark.core.result import Result
from tidemark.groups.classic.model import ClassicModel
from tidemark.handlers.groups.heartbeat import heartbeat
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.sync_group import sync_group
from tidemark_protocol import encode
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tidemark_protocol.records.consumer_protocol_subscription import (
    ConsumerProtocolSubscription,
    TopicPartition,
)
from tidemark_protocol.subscriptions import read_assignment, write_assignment

SESSION_MS = 10_000
REBALANCE_MS = 60_000

Partitions = dict[str, list[int]]  # topic -> partitions


def subscription(*topics: str, owns: Partitions | None = None, version: int = 3) -> bytes:
    parts = [TopicPartition(topic, partitions) for topic, partitions in (owns or {}).items()]
    value = ConsumerProtocolSubscription([*topics], None, parts, -1, None)
    return version.to_bytes(2, "big") + encode("ConsumerProtocolSubscription", version, value)


def assignment(owns: Partitions) -> bytes:
    return write_assignment([*owns.items()], 3)


def assigned(response: Any) -> Partitions:
    """Return the partitions in the response to a SyncGroup."""
    assert response.error_code == ErrorCode.NONE, response
    return {part.topic: part.partitions for part in read_assignment(response.assignment).assigned_partitions}


class MigrationStory(ConsumerStory):
    """Topic c has 6 partitions. Requests of classic members return what was asked, parked or not."""

    def send(self, decide: Any, version: int, request: Any) -> ParkedRequest:
        """Return the request. Its answer is None as long as it is parked."""
        pending = ParkedRequest(version)
        ctx = Context(
            wall_ms=self.wall_ms,
            steady_ms=self.steady_ms,
            version=version,
            pending=pending,
            client_id="client",
            cluster=self.cluster,
            new_id=lambda: str(uuid.uuid4()),
        )
        try:
            decided = finished(decide(self.groups, ctx, request), self.accept)
        except KafkaError as error:
            pending.answer = error
            return pending
        assert isinstance(decided, Result)
        if decided.response is not None:
            pending.answer = decided.response
        self.accept(decided)
        self.settle()
        return pending

    def classic_join(
        self,
        member_id: str = "",
        *,
        instance_id: str | None = None,
        owns: Partitions | None = None,
        topics: tuple[str, ...] = ("c",),
        names: tuple[str, ...] = ("range",),
        version: int = 0,
        session_ms: int = SESSION_MS,
        rebalance_ms: int = REBALANCE_MS,
    ) -> ParkedRequest:
        version = version or (5 if instance_id is not None else 3)
        metadata = subscription(*topics, owns=owns)
        protocols = [JoinGroupRequestProtocol(name, metadata) for name in names]
        request = JoinGroupRequest(
            "g", session_ms, rebalance_ms, member_id, instance_id, "consumer", protocols
        )
        return self.send(join_group, version, request)

    def classic_sync(
        self, member_id: str, generation: int, assignments: dict[str, Partitions] | None = None
    ) -> ParkedRequest:
        given = [
            SyncGroupRequestAssignment(each, assignment(owns)) for each, owns in (assignments or {}).items()
        ]
        return self.send(sync_group, 3, SyncGroupRequest("g", generation, member_id, assignments=given))

    def classic_beat(self, member_id: str, generation: int) -> int:
        return code_of(self.send(heartbeat, 3, HeartbeatRequest("g", generation, member_id)))

    def classic_leave(self, *member_ids: str) -> Any:
        request = LeaveGroupRequest("g", members=[MemberIdentity(each) for each in member_ids])
        return self.send(leave_group, 3, request).answer

    def stable_classic(self, *owned: list[int], instances: tuple[str, ...] = ()) -> list[str]:
        """Return the ids of the members of a Stable classic group, each with these partitions of c."""
        names = [*instances, *[None] * (len(owned) - len(instances))]
        first = self.classic_join(instance_id=names[0])
        member_ids = [first.answer.member_id]
        for name in names[1:]:
            joining = self.classic_join(instance_id=name)
            rejoining = [self.classic_join(each, instance_id=names[i]) for i, each in enumerate(member_ids)]
            assert all(each.answer is not None for each in rejoining)
            member_ids.append(joining.answer.member_id)
        generation = self.classic.generation
        given = {each: {"c": partitions} for each, partitions in zip(member_ids, owned, strict=True)}
        for member_id in member_ids:
            self.classic_sync(member_id, generation, given)
        for member_id in member_ids:
            assert assigned(self.classic_sync(member_id, generation).answer) == given[member_id]
        return member_ids

    @property
    def classic(self) -> ClassicModel:
        group = self.groups.groups["g"]
        assert isinstance(group, ClassicModel)
        return group


def code_of(request: ParkedRequest) -> int:
    """Return the error code of a response that has come."""
    if isinstance(request.answer, KafkaError):
        return request.answer.code
    assert request.answer is not None, "the request is parked"
    code: int = request.answer.error_code
    return code
