"""Decide what happens to a KIP-848 group without a request: a member that is too late is removed.

The group is armed for the earliest timer of its members. A heartbeat that moves a member's session leaves the
group armed too early, which costs one idle call. Each member is removed by a step of its own, as in Kafka:
each raises the group epoch.
"""

from __future__ import annotations

from functools import partial

from tidemark.core.context import Now
from tidemark.core.result import NOTHING, Result
from tidemark.groups.consumer.leaving import members_left
from tidemark.groups.consumer.model import NEVER, ConsumerGroupModel, MemberTimer
from tidemark_protocol.errors import KafkaError


def settle_group(group: ConsumerGroupModel, now: Now, armed_ms: int | None) -> Result[None]:
    """Return the next step, or NOTHING. armed_ms: the next time for which the group is armed; None: never."""
    assert group.store is not None, group.group_id
    expired = group.timers.passed(now.due_ms, 1)
    if not expired:
        due_ms = group.timers.next()
        if due_ms is None or due_ms >= NEVER or (armed_ms is not None and armed_ms <= due_ms):
            return NOTHING
        return Result(after=(partial(group.store.deadlines.set, group.group_id, due_ms),))
    member = group.members[expired[0]]
    timer = member.first_passed(now.due_ms)
    stopped: Result[None] = Result(after=(partial(group.set_timer, member, timer, NEVER),))
    if timer is MemberTimer.REBALANCE and member.epoch != member.rebalance_epoch:
        return stopped  # it has moved on since
    try:
        return members_left(group, (member,), now, timer.value)
    except KafkaError:  # the others cannot become a classic group, so Kafka keeps the member
        return stopped
