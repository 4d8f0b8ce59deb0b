"""Heartbeat, SyncGroup and LeaveGroup of classic members in a KIP-848 group. classic_joins.py has JoinGroup.

Such a member has the epoch as its generation. It learns of a new assignment from REBALANCE_IN_PROGRESS, joins
again with the partitions that it owns, and fetches its assignment with SyncGroup.
Kafka: GroupMetadataManager.classicGroupHeartbeatToConsumerGroup and the methods beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.result import Result
from tidemark.groups.consumer.model import (
    NEVER,
    UNRELEASED,
    UNREVOKED,
    ConsumerGroupModel,
    ConsumerMember,
    MemberTimer,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatResponse
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata
from tidemark_protocol.subscriptions import CONSUMER, version_of, write_assignment
from tidemark_protocol.wire import WireError

NO_MEMBER_ID: Final = ""


def heartbeat(
    group: ConsumerGroupModel, member: ConsumerMember, generation: int, steady_ms: int
) -> Result[HeartbeatResponse]:
    """Decide the heartbeat of a classic member. Raises KafkaError."""
    metadata = classic_metadata(member)
    check_generation(member, generation)
    heard = partial(group.heard, member, steady_ms + metadata.session_timeout_ms)
    if not _must_rejoin(group, member):
        return Result(HeartbeatResponse(error_code=ErrorCode.NONE), after=(heard,))
    after = (heard, partial(group.await_join, member, steady_ms))
    return Result(HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS), after=after)


def _must_rejoin(group: ConsumerGroupModel, member: ConsumerMember) -> bool:
    """Return whether the member is behind, has to revoke partitions, or can get more."""
    if member.epoch < group.assignment_epoch or member.state == UNREVOKED:
        return True
    return member.state == UNRELEASED and not _waits_for_others(group, member)


def _waits_for_others(group: ConsumerGroupModel, member: ConsumerMember) -> bool:
    """Return whether a partition of its target still belongs to another member."""
    return any(
        partition not in member.assigned.get(topic_id, ()) and group.is_owned(topic_id, partition)
        for topic_id, partitions in group.targets.get(member.member_id, {}).items()
        for partition in partitions
    )


def sync(ctx: Context, group: ConsumerGroupModel, request: SyncGroupRequest) -> Result[Any]:
    """Decide a SyncGroup. The response has the current assignment. Raises KafkaError."""
    member = identified(group, request.member_id, request.group_instance_id)
    metadata = classic_metadata(member)
    check_generation(member, request.generation_id)
    _check_protocol(metadata, request)
    if group.assignment_epoch > member.epoch and member.state != UNREVOKED:
        awaits_join = partial(group.await_join, member, ctx.steady_ms)
        return Result(_refused_sync(ErrorCode.REBALANCE_IN_PROGRESS), after=(awaits_join,))
    try:
        version = version_of(metadata.supported_protocols[0].metadata)
    except WireError:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
    response = SyncGroupResponse(
        error_code=ErrorCode.NONE,
        protocol_type=request.protocol_type,
        protocol_name=request.protocol_name,
        assignment=assignment_bytes(ctx.cluster, member.assigned, version),
    )
    stop = partial(group.set_timer, member, MemberTimer.SYNC, NEVER)
    heard = partial(group.heard, member, ctx.steady_ms + metadata.session_timeout_ms)
    return Result(response, after=(stop, heard))


def _refused_sync(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=code, protocol_type=None, protocol_name=None, assignment=b"")


def _check_protocol(metadata: ClassicMemberMetadata, request: SyncGroupRequest) -> None:
    """Raise INCONSISTENT_GROUP_PROTOCOL unless the request names what the response to the join did."""
    if request.protocol_type is not None and request.protocol_type != CONSUMER:
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    name = metadata.supported_protocols[0].name
    if request.protocol_name is not None and request.protocol_name != name:
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def assignment_bytes(cluster: Any, partitions: Mapping[bytes, Iterable[int]], version: int) -> bytes:
    """Return an assignment as classic members read it. Topics that do not exist are left out.

    partitions: by topic id. Raises WireError if there is no such version.
    """
    if version < 0:
        raise WireError(f"version {version} does not exist")
    named = [
        (topic.name, sorted(indexes))
        for topic_id, indexes in partitions.items()
        if (topic := cluster.topics_by_id.get(topic_id)) is not None
    ]
    return write_assignment(named, version)


def leaver(group: ConsumerGroupModel, member_id: str, instance_id: str | None) -> str:
    """Return the id of the member that a LeaveGroup removes, of either protocol. Raises KafkaError.

    A static member may be named by its instance alone. One that is named twice leaves once.
    """
    if instance_id is None or member_id != NO_MEMBER_ID:
        return identified(group, member_id, instance_id).member_id
    static = group.static_member(instance_id)
    if static is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    return static.member_id


def identified(group: ConsumerGroupModel, member_id: str, instance_id: str | None) -> ConsumerMember:
    """Return the member with these ids. Raises UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID.

    A static member that leaves out its instance is found by its id. Kafka: validateConsumerGroupMember.
    """
    member = group.members.get(member_id) if instance_id is None else group.static_member(instance_id)
    if member is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    if member.member_id != member_id:
        raise KafkaError(ErrorCode.FENCED_INSTANCE_ID)
    return member


def classic_metadata(member: ConsumerMember) -> ClassicMemberMetadata:
    """Return the fields of the member's JoinGroup. Raises UNKNOWN_MEMBER_ID if it is no classic member."""
    if member.classic is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    return member.classic


def check_generation(member: ConsumerMember, generation: int) -> None:
    if member.epoch != generation:
        raise KafkaError(ErrorCode.ILLEGAL_GENERATION)
