"""The cost of a request does not depend on the number of members or pending ids of its group.

Cost is counted in calls of functions, which is the same on any machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.broker.group_story import subscription
from tests.unit.broker.groups.classic_story import SESSION_MS, ClassicStory
from tidemark.groups.classic.group import EXPIRED_MAX

SMALL, LARGE = 50, 1_000
GROWTH_MAX = 1.5
PROTOCOLS = {"range": subscription(["orders"]), "roundrobin": subscription(["orders"])}


def calls(work: Callable[[], object]) -> int:
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


class Large(ClassicStory):
    """A group that grows request by request."""

    def __init__(self) -> None:
        super().__init__(initial_rebalance_delay_ms=3_000)
        self.checks = False

    def hand_out_ids(self, count: int) -> list[str]:
        return [self.join(protocols=PROTOCOLS).member_id for _ in range(count)]

    def join_all(self, count: int) -> list[str]:
        ids = self.hand_out_ids(count)
        for member_id in ids:
            self.join(member_id, protocols=PROTOCOLS, session_ms=100_000)
        return ids

    def completing(self, count: int) -> list[str]:
        """Return the ids of the members, the leader first."""
        ids = self.join_all(count)
        while not self.group().generation:
            self.advance(3_000)
        leader = self.group().leader
        return sorted(ids, key=lambda member_id: member_id != leader)

    def stable(self, count: int) -> list[str]:
        ids = self.completing(count)
        for member_id in ids[1:] + ids[:1]:
            self.sync(member_id, 1)
        return ids


def id_handed_out(story: Large, size: int) -> Callable[[], object]:
    story.hand_out_ids(size)
    return story.join


def join_during_the_initial_delay(story: Large, size: int) -> Callable[[], object]:
    story.join_all(size)
    (member_id,) = story.hand_out_ids(1)
    return lambda: story.join(member_id, protocols=PROTOCOLS)


def join_of_a_stable_group(story: Large, size: int) -> Callable[[], object]:
    """Join the second of two members, while a rebalance is open."""
    story.stable(size)
    first, second = story.hand_out_ids(2)
    story.join(first, protocols=PROTOCOLS)
    return lambda: story.join(second, protocols=PROTOCOLS)


def rejoin(story: Large, size: int) -> Callable[[], object]:
    first, second, *_ = story.stable(size)
    story.join(first, protocols=PROTOCOLS)
    return lambda: story.join(second, protocols=PROTOCOLS)


def static_member_that_restarts(story: Large, size: int) -> Callable[[], object]:
    for number in range(size):
        story.join(instance_id=f"i{number}", protocols=PROTOCOLS)
    return lambda: story.join(instance_id="i0", protocols=PROTOCOLS)


def sync_before_the_leaders(story: Large, size: int) -> Callable[[], object]:
    member_id = story.completing(size)[-1]
    return lambda: story.sync(member_id, 1)


def heartbeat(story: Large, size: int) -> Callable[[], object]:
    member_id = story.stable(size)[-1]
    return lambda: story.heartbeat(member_id, 1)


def leave_while_others_rejoin(story: Large, size: int) -> Callable[[], object]:
    *_, first, second = story.stable(size)
    story.leave(first)
    return lambda: story.leave(second)


def expiry_of_one_pending_id(story: Large, size: int) -> Callable[[], object]:
    story.join(session_ms=SESSION_MS - 1, protocols=PROTOCOLS)
    story.hand_out_ids(size)
    return lambda: story.advance(SESSION_MS - 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "prepare",
    [
        id_handed_out,
        join_during_the_initial_delay,
        join_of_a_stable_group,
        rejoin,
        static_member_that_restarts,
        sync_before_the_leaders,
        heartbeat,
        leave_while_others_rejoin,
        expiry_of_one_pending_id,
    ],
)
def test_a_request_costs_as_much_in_a_small_group_as_in_a_large_one(
    prepare: Callable[[Large, int], Callable[[], object]],
) -> None:
    small, large = calls(prepare(Large(), SMALL)), calls(prepare(Large(), LARGE))
    assert large <= small * GROWTH_MAX, (small, large)


def test_members_that_expire_together_are_removed_in_several_steps() -> None:
    story = Large()
    story.hand_out_ids(2 * EXPIRED_MAX + 1)
    left: list[int] = []
    story.passes(SESSION_MS)
    while story.group().pending:
        story.tick()
        left.append(len(story.group().pending))
    assert left == [EXPIRED_MAX + 1, 1, 0]
