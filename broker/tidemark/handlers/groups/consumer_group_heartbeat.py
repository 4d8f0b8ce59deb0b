"""ConsumerGroupHeartbeat (KIP-848): a member joins, is alive, gets partitions or gives them up, or leaves.

v1  subscribed_topic_regex; the client generates its member id
v2  new_partitions (KIP-1327, the accepted text; in no release of Kafka)
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision, Steps
from tidemark.groups.consumer.heartbeat import Decided, heartbeat, leave, response_to
from tidemark.groups.consumer.member import JOIN_EPOCH, LEAVE_EPOCH, STATIC_LEAVE_EPOCH
from tidemark.groups.consumer.member_change import without_repetitions
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

CLIENT_IDS_FROM: Final = 1
NOT_GIVEN: Final = -1
JAVA_BLANKS: Final = "".join(map(chr, range(0x21)))  # String.trim removes every character up to the space


@command(ConsumerGroupHeartbeatRequest, state=Groups, versions=range(0, 3))
def consumer_group_heartbeat(groups: Groups, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Decided:
    _check_allowed(groups, ctx, request)
    for name in request.subscribed_topic_names or ():
        _check_topic(ctx, name)
    return _decided(groups, ctx, request)


def consumer_group_heartbeat_in_steps(
    groups: Groups, ctx: Context, request: ConsumerGroupHeartbeatRequest
) -> Steps[Decision[ConsumerGroupHeartbeatResponse]]:
    """Decide a request with thousands of topics or partitions. Names that it repeats count once."""
    _check_allowed(groups, ctx, request)
    if request.subscribed_topic_names is not None:
        names: dict[str, None] = {}
        for name in request.subscribed_topic_names:
            _check_topic(ctx, name)
            names[name] = None
            yield 0
        request.subscribed_topic_names = [*names]
    if request.topic_partitions:
        request.topic_partitions = yield from without_repetitions(ctx.cluster, request.topic_partitions)
    decided = _decided(groups, ctx, request)
    return decided if isinstance(decided, Decision) else (yield from decided)


def _check_allowed(groups: Groups, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> None:
    if not groups.settings.serves_consumer_protocol(ctx.cluster.features):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)


def _check_topic(ctx: Context, name: str) -> None:
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)


def _decided(groups: Groups, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Decided:
    """Check the request by itself, then decide. Kafka: throwIfConsumerGroupHeartbeatRequestIsInvalid."""
    epoch, assignor = request.member_epoch, request.server_assignor
    needs_id = ctx.version >= CLIENT_IDS_FROM or epoch > 0 or epoch == LEAVE_EPOCH
    try:
        for name, text in (
            ("MemberId", request.member_id if needs_id else None),
            ("GroupId", request.group_id),
            ("InstanceId", request.instance_id),
            ("RackId", request.rack_id),
        ):
            if text is not None and text[:1] <= " " and not text.strip(JAVA_BLANKS):
                raise _invalid(f"{name} can't be empty.")
        if epoch == JOIN_EPOCH:
            _check_join(request)
        elif epoch == STATIC_LEAVE_EPOCH:
            if request.instance_id is None:
                raise _invalid("InstanceId can't be null.")
        elif epoch < STATIC_LEAVE_EPOCH:
            raise _invalid("MemberEpoch is invalid.")
        if assignor is not None:
            assignors = groups.settings.assignors
            if assignor not in assignors:
                raise KafkaError(
                    ErrorCode.UNSUPPORTED_ASSIGNOR,
                    f"ServerAssignor {assignor} is not supported. Supported assignors: "
                    f"{', '.join(assignors)}.",
                )
        if epoch < 0:
            return leave(groups, ctx, request)
        return heartbeat(groups, ctx, request)
    except KafkaError as error:
        return Decision(response_to(error))


def _check_join(request: ConsumerGroupHeartbeatRequest) -> None:
    if request.rebalance_timeout_ms == NOT_GIVEN:
        raise _invalid("RebalanceTimeoutMs must be provided in first request.")
    if request.topic_partitions is None or request.topic_partitions:
        raise _invalid("TopicPartitions must be empty when (re-)joining.")
    if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        raise _invalid(
            "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining."
        )


def _invalid(message: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, message)
