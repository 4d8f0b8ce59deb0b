"""Clients of both protocols in one group `g`, for stories and laws about migration."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.groups.consumer_story import ConsumerStory
from tests.unit.broker.story import PendingRequest
from tidemark.groups.classic.group import ClassicGroup
from tidemark.handlers.groups.heartbeat import heartbeat
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.sync_group import sync_group
from tidemark_protocol import encode
from tidemark_protocol.errors import ErrorCode
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
    ) -> PendingRequest:
        version = version or (5 if instance_id is not None else 3)
        metadata = subscription(*topics, owns=owns)
        protocols = [JoinGroupRequestProtocol(name, metadata) for name in names]
        request = JoinGroupRequest(
            "g", session_ms, rebalance_ms, member_id, instance_id, "consumer", protocols
        )
        return self.send(join_group, request, version)

    def classic_sync(
        self, member_id: str, generation: int, assignments: dict[str, Partitions] | None = None
    ) -> PendingRequest:
        given = [
            SyncGroupRequestAssignment(each, assignment(owns)) for each, owns in (assignments or {}).items()
        ]
        return self.send(sync_group, SyncGroupRequest("g", generation, member_id, assignments=given), 3)

    def classic_beat(self, member_id: str, generation: int) -> int:
        return self.send(heartbeat, HeartbeatRequest("g", generation, member_id), 3).error

    def classic_leave(self, *member_ids: str) -> Any:
        request = LeaveGroupRequest("g", members=[MemberIdentity(each) for each in member_ids])
        return self.send(leave_group, request, 3).response

    def stable_classic(self, *owned: list[int], instances: tuple[str, ...] = ()) -> list[str]:
        """Return the ids of the members of a Stable classic group, each with these partitions of c."""
        names = [*instances, *[None] * (len(owned) - len(instances))]
        first = self.classic_join(instance_id=names[0])
        member_ids = [first.response.member_id]
        for name in names[1:]:
            joining = self.classic_join(instance_id=name)
            rejoining = [self.classic_join(each, instance_id=names[i]) for i, each in enumerate(member_ids)]
            assert all(each.response is not None for each in rejoining)
            member_ids.append(joining.response.member_id)
        generation = self.classic.generation
        given = {each: {"c": partitions} for each, partitions in zip(member_ids, owned, strict=True)}
        for member_id in member_ids:
            self.classic_sync(member_id, generation, given)
        for member_id in member_ids:
            assert assigned(self.classic_sync(member_id, generation).response) == given[member_id]
        return member_ids

    @property
    def classic(self) -> ClassicGroup:
        group = self.groups.groups["g"]
        assert isinstance(group, ClassicGroup)
        return group
