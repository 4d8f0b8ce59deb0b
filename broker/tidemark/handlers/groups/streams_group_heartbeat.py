"""StreamsGroupHeartbeat (KIP-1071): an instance of Kafka Streams joins, is alive, or leaves.

v1  the broker may request a topology description (KIP-1331), which it never does without a plugin for them
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision, Steps
from tidemark.groups.consumer.member import JOIN_EPOCH, LEAVE_EPOCH, STATIC_LEAVE_EPOCH
from tidemark.groups.state import Groups
from tidemark.groups.streams.heartbeat import CreateInternalTopics, heartbeat, leave
from tidemark.groups.streams.internal_topics import Status as StatusCode
from tidemark.groups.streams.topology import (
    check_supported,
    check_topic_names,
    check_topology,
    topology_record,
)
from tidemark.handlers.groups.share_group_heartbeat import JAVA_BLANKS
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed_or_else, topic_allowed
from tidemark.settings.release import Change, Release
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.streams_group_heartbeat import (
    Status,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
)

LISTED_ERRORS_MAX: Final = 3


@command(StreamsGroupHeartbeatRequest, state=Groups, versions=range(0, 2))
def streams_group_heartbeat(
    groups: Groups, ctx: Context, request: StreamsGroupHeartbeatRequest
) -> Steps[Decision[StreamsGroupHeartbeatResponse]]:
    if not groups.settings.serves_streams_protocol(ctx.cluster.features):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    try:
        if request.topology is not None:
            for name in (yield from check_topic_names(request.topology)):
                if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, name):
                    raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)
                yield 0
        yield from _check(request, groups.settings.release)
        if request.member_epoch in (LEAVE_EPOCH, STATIC_LEAVE_EPOCH):
            return leave(groups, ctx, request)
        sent = None if request.topology is None else (yield from topology_record(request.topology))
        decided = yield from heartbeat(groups, ctx, request, sent)
    except KafkaError as error:
        return Decision(StreamsGroupHeartbeatResponse(error_code=error.code, error_message=error.message))
    for effect in decided.effects:
        if isinstance(effect, CreateInternalTopics):
            _create_topics(groups, ctx, decided, effect)
    return decided


def _check(request: StreamsGroupHeartbeatRequest, release: Release) -> Steps[None]:
    """Check the request by itself. Raises KafkaError.

    Kafka: throwIfStreamsGroupHeartbeatRequestIsUsingUnsupportedFeatures, then
    throwIfStreamsGroupHeartbeatRequestIsInvalid.
    """
    epoch, topology = request.member_epoch, request.topology
    if request.instance_id is not None and not release.has(Change.STREAMS_MEMBERS_MAY_BE_STATIC):
        raise _invalid("Static membership is not yet supported.")
    if not release.has(Change.TASK_OFFSETS):
        if request.task_offsets is not None:
            raise _invalid("TaskOffsets are not supported yet.")
        if request.task_end_offsets is not None:
            raise _invalid("TaskEndOffsets are not supported yet.")
    if request.warmup_tasks and not release.has(Change.TASKS_CHANGE_THEIR_ROLE):
        raise _invalid("WarmupTasks are not supported yet.")
    if topology is not None:
        yield from check_supported(topology)
    for name, text in (
        ("MemberId", request.member_id),
        ("GroupId", request.group_id),
        ("InstanceId", request.instance_id),
        ("RackId", request.rack_id),
    ):
        if text is not None and text[:1] <= " " and not text.strip(JAVA_BLANKS):
            raise _invalid(f"{name} can't be empty.")
    tasks = (
        ("ActiveTasks", request.active_tasks),
        ("StandbyTasks", request.standby_tasks),
        ("WarmupTasks", request.warmup_tasks),
    )
    if epoch == JOIN_EPOCH:
        if request.rebalance_timeout_ms == -1:
            raise _invalid("RebalanceTimeoutMs must be provided in first request.")
        for name, sent in tasks:
            if sent is None or sent:
                raise _invalid(f"{name} must be empty when (re-)joining.")
        if topology is None:
            raise _invalid("Topology must be non-null when (re-)joining.")
        yield from check_topology(topology)
    elif epoch == STATIC_LEAVE_EPOCH and request.instance_id is None:
        raise _invalid("InstanceId can't be null.")
    elif epoch < STATIC_LEAVE_EPOCH:
        raise _invalid(f"MemberEpoch is {epoch}, but must be greater than or equal to -2.")
    given = [sent is not None for _, sent in tasks]
    if any(given) and not all(given):
        raise _invalid("If one task-type is non-null, all must be non-null.")
    if epoch != JOIN_EPOCH and topology is not None:
        raise _invalid("Topology can only be provided when (re-)joining.")


def _create_topics(
    groups: Groups,
    ctx: Context,
    decided: Decision[StreamsGroupHeartbeatResponse],
    effect: CreateInternalTopics,
) -> None:
    """Say why internal topics cannot be created. Without the permission, none is.

    Kafka: KafkaApis.handleStreamsGroupHeartbeat, after the coordinator has responded.
    """
    assert isinstance(decided.response, StreamsGroupHeartbeatResponse)
    statuses = decided.response.status
    assert statuses is not None
    missing = next(
        (each for each in statuses if each.status_code == StatusCode.MISSING_INTERNAL_TOPICS), None
    )
    refused: list[str] = []
    if not cluster_allowed_or_else(ctx, Operation.CREATE):
        refused = [name for name in effect.topics if not topic_allowed(ctx, Operation.CREATE, name)]
    if refused:
        decided.effects = tuple(each for each in decided.effects if each is not effect)
        why = f"Unauthorized to CREATE on topics {', '.join(refused)}."
        if missing is None:
            statuses.append(Status(int(StatusCode.MISSING_INTERNAL_TOPICS), why))
        else:
            missing.status_detail = f"{missing.status_detail}; {why}"
        return
    group = groups.groups.get(effect.group_id)
    known = getattr(group, "creation_errors", {})
    errors = [
        f"{name} ({known[name][0]})"
        for name in effect.topics
        if name in known and known[name][1] > ctx.wall_ms
    ]
    if missing is not None and errors:
        listed = ", ".join(errors[:LISTED_ERRORS_MAX])
        if len(errors) > LISTED_ERRORS_MAX:
            listed = f"{listed} and {len(errors) - LISTED_ERRORS_MAX} more"
        missing.status_detail = f"{missing.status_detail}; Creation failed: {listed}."


def _invalid(message: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, message)
