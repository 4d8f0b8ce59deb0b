"""ShareGroupHeartbeat (KIP-932): a member joins, is alive, changes its topics, or leaves.

v1  the first one of a release; v0 was an early access
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision, Steps
from tidemark.groups.consumer.member import JOIN_EPOCH, LEAVE_EPOCH
from tidemark.groups.consumer.subscriptions import metadata_hash
from tidemark.groups.share.heartbeat import Decided, heartbeat, leave
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)

MEMBER_ID_MAX: Final = 36  # UTF-16 units
JAVA_BLANKS: Final = "".join(map(chr, range(0x21)))  # String.trim removes every character up to the space


@command(ShareGroupHeartbeatRequest, state=Groups, versions=range(1, 2))
def share_group_heartbeat(groups: Groups, ctx: Context, request: ShareGroupHeartbeatRequest) -> Decided:
    _check_allowed(ctx, request)
    for name in request.subscribed_topic_names or ():
        _check_topic(ctx, name)
    return _decided(groups, ctx, request)


def share_group_heartbeat_in_steps(
    groups: Groups, ctx: Context, request: ShareGroupHeartbeatRequest
) -> Steps[Decision[ShareGroupHeartbeatResponse]]:
    """Decide a request with thousands of topics. Names that it repeats count once."""
    _check_allowed(ctx, request)
    if request.subscribed_topic_names is not None:
        names: dict[str, None] = {}
        for name in request.subscribed_topic_names:
            _check_topic(ctx, name)
            names[name] = None
            yield 0
        request.subscribed_topic_names = [*names]
        # Hash each topic in steps, so that the decision has no topic to hash.
        yield from metadata_hash(ctx.cluster, request.subscribed_topic_names)
    decided = _decided(groups, ctx, request)
    return decided if isinstance(decided, Decision) else (yield from decided)


def _check_allowed(ctx: Context, request: ShareGroupHeartbeatRequest) -> None:
    if not ctx.cluster.serves_share_groups:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    units = len(request.member_id.encode("utf-16-le", "surrogatepass")) // 2
    if not 0 < units <= MEMBER_ID_MAX:
        raise KafkaError(ErrorCode.INVALID_REQUEST)


def _check_topic(ctx: Context, name: str) -> None:
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)


def _decided(groups: Groups, ctx: Context, request: ShareGroupHeartbeatRequest) -> Decided:
    """Check the request by itself, then decide. Kafka: throwIfShareGroupHeartbeatRequestIsInvalid."""
    epoch = request.member_epoch
    try:
        for name, text in (
            ("MemberId", request.member_id),
            ("GroupId", request.group_id),
            ("RackId", request.rack_id),
        ):
            if text is not None and text[:1] <= " " and not text.strip(JAVA_BLANKS):
                raise KafkaError(ErrorCode.INVALID_REQUEST, f"{name} can't be empty.")
        if epoch == JOIN_EPOCH and not request.subscribed_topic_names:
            why = "SubscribedTopicNames must be set in first request."
            raise KafkaError(ErrorCode.INVALID_REQUEST, why)
        if epoch < LEAVE_EPOCH:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "MemberEpoch is invalid.")
        if epoch == LEAVE_EPOCH:
            return leave(groups, ctx, request)
        return heartbeat(groups, ctx, request)
    except KafkaError as error:
        return Decision(ShareGroupHeartbeatResponse(error_code=error.code, error_message=error.message))
