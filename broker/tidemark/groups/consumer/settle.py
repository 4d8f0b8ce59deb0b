"""Decide what happens to a KIP-848 group without a request: sessions and revocations that took too long.

The group is armed for the earliest timer of its members. A heartbeat that moves a member's session leaves the
group armed too early, which costs one idle call.
"""

from __future__ import annotations

from tidemark.core.context import Now
from tidemark.core.result import NOTHING, Result
from tidemark.groups.consumer.model import NEVER, ConsumerGroupModel
from tidemark.groups.events import DeadlineArmed


def settle_group(group: ConsumerGroupModel, now: Now, armed_ms: int | None) -> Result[None]:
    """Return the next step, or NOTHING. armed_ms: the next time for which the group is armed; None: never."""
    due_ms = group.timers.next()
    if due_ms is None or due_ms >= NEVER or (armed_ms is not None and armed_ms <= due_ms):
        return NOTHING
    return Result(events=(DeadlineArmed(group.group_id, due_ms),))
