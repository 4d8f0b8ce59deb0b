"""Decide what happens to a KIP-848 group without a request: a member that is too late is removed.

The group is armed for the earliest timer of its members. A heartbeat that moves a member's session leaves the
group armed too early, which costs one idle call. Each member is removed by a step of its own, as in Kafka:
each raises the group epoch.
"""

from __future__ import annotations

from tidemark.core.context import Now
from tidemark.core.result import NOTHING, Result
from tidemark.groups.consumer.events import ConsumerSeen, MemberTimer, TimerStopped
from tidemark.groups.consumer.leaving import members_left
from tidemark.groups.consumer.model import NEVER, ConsumerGroupModel, ConsumerMember
from tidemark.groups.events import DeadlineArmed
from tidemark_protocol.errors import KafkaError


def settle_group(group: ConsumerGroupModel, now: Now, armed_ms: int | None) -> Result[None]:
    """Return the next step, or NOTHING. armed_ms: the next time for which the group is armed; None: never."""
    expired = group.timers.passed(now.due_ms, 1)
    if expired:
        return _expire(group, group.members[expired[0]], now)
    due_ms = group.timers.next()
    if due_ms is None or due_ms >= NEVER or (armed_ms is not None and armed_ms <= due_ms):
        return NOTHING
    return Result(events=(DeadlineArmed(group.group_id, due_ms),))


def _expire(group: ConsumerGroupModel, member: ConsumerMember, now: Now) -> Result[None]:
    if member.session_ms <= now.due_ms:
        timer, reason = None, "session expired"
    elif member.join_ms <= now.due_ms:
        timer, reason = MemberTimer.JOIN, "no JoinGroup within the rebalance timeout"
    elif member.sync_ms <= now.due_ms:
        timer, reason = MemberTimer.SYNC, "no SyncGroup within the rebalance timeout"
    elif member.epoch == member.rebalance_epoch:
        timer, reason = MemberTimer.REBALANCE, "partitions not revoked within the rebalance timeout"
    else:  # it has moved on since
        return _stopped(group, member, MemberTimer.REBALANCE)
    try:
        return members_left(group, (member,), now, reason)
    except KafkaError:  # the others cannot become a classic group, so Kafka keeps the member
        return _stopped(group, member, timer)


def _stopped(group: ConsumerGroupModel, member: ConsumerMember, timer: MemberTimer | None) -> Result[None]:
    """Stop a timer of the member, or its session (None)."""
    if timer is None:
        return Result(events=(ConsumerSeen(group.group_id, member.member_id, NEVER),))
    return Result(events=(TimerStopped(group.group_id, member.member_id, timer),))
