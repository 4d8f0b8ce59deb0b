"""The timers of a classic group, what follows from them, and the election of a protocol by the members."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.groups.classic_story import (
    REBALANCE_MS,
    SESSION_MS,
    ClassicStory,
    a_stable_group,
    stable,
)
from tidemark.groups.classic.member import ClassicGroupState, vote
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol

# initial rebalance delay


def test_the_first_member_waits_for_others_as_long_as_the_initial_delay() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    alone = story.enter()
    story.advance(1_999)
    assert alone.parked
    story.advance(1)
    assert alone.generation == 1


def test_members_whose_joins_are_read_in_one_turn_share_the_first_generation() -> None:
    """Kafka also ends a delay of 0 by its timer, after the requests that are queued by then."""
    story = ClassicStory()
    story.settles_after_requests = False
    ids = [story.join().member_id for _ in range(3)]
    joins = [story.join(member_id) for member_id in ids]
    assert all(join.parked for join in joins)
    story.advance(0)
    assert [join.generation for join in joins] == [1, 1, 1]


def test_a_request_does_not_trigger_deadlines() -> None:
    """After a stall the heartbeats of others may still be unread when a request is decided."""
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    generation = story.group().generation
    story.settles_after_requests = False
    story.passes(SESSION_MS)
    story.join()
    assert story.heartbeat(leader, generation) is ErrorCode.NONE
    assert story.heartbeat(follower, generation) is ErrorCode.NONE
    story.advance(SESSION_MS - 1)
    assert [*story.group().members] == [leader, follower]


def test_group_is_empty_before_response_to_last_leave_even_with_a_pending_id() -> None:
    """Kafka 4.3.1: a DescribeGroups that follows the LeaveGroup never sees the rebalance."""
    story = ClassicStory()
    (only,) = a_stable_group(story, members=1)
    story.join()
    story.settles_after_requests = False
    story.leave(only)
    assert story.status() is ClassicGroupState.EMPTY


def test_a_join_during_the_initial_delay_extends_it() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    first = story.enter()
    story.advance(1_500)
    second = story.enter()
    story.advance(2_499)
    assert first.parked
    story.advance(1)
    assert first.generation == second.generation == 1


def test_the_initial_delay_is_extended_no_longer_than_the_rebalance_timeout() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    first = story.enter(rebalance_ms=5_000)
    for _ in range(4):
        story.advance(1_000)
        story.enter(rebalance_ms=5_000)
    story.advance(999)
    assert first.parked
    story.advance(1)
    assert first.generation == 1


def test_a_rebalance_timeout_below_the_initial_delay_does_not_shorten_it() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    first = story.enter(rebalance_ms=500)
    story.enter(rebalance_ms=500)
    story.advance(1_999)
    assert first.parked
    story.advance(1)
    assert first.generation == 1


def test_a_group_whose_members_leave_during_the_initial_delay_is_empty_after_it() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    story.join(instance_id="one")
    story.leave(("", "one"))
    story.advance(1_999)
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE
    story.advance(1)
    assert story.status() is ClassicGroupState.EMPTY
    assert story.group().generation == 1


def test_an_expired_pending_id_ends_the_initial_delay_if_no_other_member_is_awaited() -> None:
    """Kafka 4.3.1 does so, though leaving and joining never end the delay."""
    story = ClassicStory(initial_rebalance_delay_ms=20_000)
    story.join(session_ms=6_000)
    alone = story.enter()
    story.advance(5_999)
    assert alone.parked
    story.advance(1)
    assert alone.generation == 1


def test_a_pending_id_that_leaves_does_not_end_the_initial_delay() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    pending = story.join()
    alone = story.enter()
    story.leave(pending.member_id)
    story.advance(1_999)
    assert alone.parked
    story.advance(1)
    assert alone.generation == 1


def test_a_group_that_was_empty_has_an_initial_delay_again() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    first = story.enter()
    story.advance(2_000)
    story.leave(first.member_id)
    again = story.enter()
    assert again.parked
    story.advance(2_000)
    assert again.generation == 3


def test_a_join_after_the_longest_initial_delay_extends_the_next_initial_delay() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=2_000)
    first, second = story.enter(rebalance_ms=500), story.enter(rebalance_ms=500)
    story.advance(2_000)
    story.leave(first.member_id, second.member_id)
    again = story.enter(rebalance_ms=10_000)
    story.advance(3_999)
    assert again.parked
    story.advance(1)
    assert again.generation == 3


# the join phase


def test_a_member_that_does_not_rejoin_in_time_is_removed_despite_heartbeats() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    waiting = story.join(leader)
    for _ in range(10):
        story.advance(REBALANCE_MS // 10)
        story.heartbeat(follower, 2)
    assert waiting.generation == 3
    assert list(story.group().members) == [leader]


def test_the_longest_rebalance_timeout_of_all_members_counts() -> None:
    story = ClassicStory()
    (leader,) = a_stable_group(story, rebalance_ms=5_000, session_ms=100_000)
    newcomer = story.enter(rebalance_ms=20_000)
    story.advance(19_999)
    assert newcomer.parked
    story.advance(1)
    assert newcomer.error is ErrorCode.NONE
    assert leader not in story.group().members


def test_a_leader_that_does_not_rejoin_is_replaced() -> None:
    story = ClassicStory()
    fields: dict[str, Any] = {"session_ms": 120_000}
    one, two = story.join(instance_id="one", **fields), story.join(instance_id="two", **fields)
    one = story.join(one.member_id, instance_id="one", **fields)
    stable(story, [one, two])
    rejoined = story.join(two.member_id, instance_id="two", protocols={"range": b"changed"}, **fields)
    story.advance(REBALANCE_MS)
    assert rejoined.response.leader == two.member_id
    assert [member.member_id for member in rejoined.response.members] == [one.member_id, two.member_id]


def test_a_leader_that_rejoins_stays_leader() -> None:
    story = ClassicStory()
    fields: dict[str, Any] = {"session_ms": 120_000}
    one, two = story.join(instance_id="one", **fields), story.join(instance_id="two", **fields)
    one = story.join(one.member_id, instance_id="one", **fields)
    stable(story, [one, two])
    story.join(two.member_id, instance_id="two", protocols={"range": b"changed"}, **fields)
    story.advance(REBALANCE_MS)  # two leads now
    again = story.join(one.member_id, instance_id="one", protocols={"range": b"changed"}, **fields)
    story.join(two.member_id, instance_id="two", protocols={"range": b"again"}, **fields)
    assert again.generation == 4
    assert again.response.leader == two.member_id


def two_static_members(story: ClassicStory, session_ms: int, rebalance_ms: int) -> None:
    fields: dict[str, Any] = {"session_ms": session_ms, "rebalance_ms": rebalance_ms}
    one, two = story.join(instance_id="one", **fields), story.join(instance_id="two", **fields)
    one = story.join(one.member_id, instance_id="one", **fields)
    stable(story, [one, two])


def test_static_members_that_all_fail_to_rejoin_are_waited_for_once_more() -> None:
    story = ClassicStory()
    two_static_members(story, session_ms=500_000, rebalance_ms=60_000)
    story.leave(("", "two"))
    story.advance(2 * 60_000 + 1)
    assert (story.status(), story.group().generation) == (ClassicGroupState.PREPARING_REBALANCE, 2)
    back = story.join(instance_id="one")
    assert back.generation == 3


def test_static_members_with_a_rebalance_timeout_of_0_are_waited_for_without_spinning() -> None:
    story = ClassicStory()
    two_static_members(story, session_ms=10_000, rebalance_ms=1)
    story.join(instance_id="one", session_ms=10_000, rebalance_ms=0)
    story.join(instance_id="two", session_ms=10_000, rebalance_ms=0)
    story.leave(("", "two"))
    story.advance(5)
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE


# the sync phase


def test_a_member_that_does_not_sync_in_time_is_removed_before_the_leader_syncs() -> None:
    story = ClassicStory()
    leader = story.enter(session_ms=120_000)
    follower = story.enter(session_ms=120_000)
    story.join(leader.member_id, session_ms=120_000)
    parked = story.sync(follower.member_id, 2)
    story.advance(REBALANCE_MS)
    assert parked.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert list(story.group().members) == [follower.member_id]
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE


def test_a_member_that_does_not_sync_in_time_is_removed_from_a_stable_group() -> None:
    story = ClassicStory()
    leader = story.enter(session_ms=120_000)
    static = story.join(instance_id="one", session_ms=120_000)
    story.join(leader.member_id, session_ms=120_000)
    story.sync(leader.member_id, 2)
    assert story.status() is ClassicGroupState.STABLE
    story.advance(REBALANCE_MS)
    assert static.member_id not in story.group().members
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE


def test_no_member_is_awaited_once_all_have_synced() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2, session_ms=1_000_000)
    story.advance(2 * REBALANCE_MS)
    assert story.status() is ClassicGroupState.STABLE
    assert list(story.group().members) == [leader, follower]


# sessions


def test_a_member_is_removed_exactly_when_its_session_expires() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    story.advance(1)
    story.heartbeat(leader, 2)
    story.advance(SESSION_MS - 2)
    assert follower in story.group().members
    story.advance(1)
    assert list(story.group().members) == [leader]
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE


def test_the_last_member_that_expires_empties_the_group() -> None:
    story = ClassicStory()
    a_stable_group(story)
    story.advance(SESSION_MS)
    assert story.status() is ClassicGroupState.EMPTY
    assert story.group().generation == 2


def test_a_static_member_expires_like_any_other() -> None:
    story = ClassicStory()
    stable(story, [story.join(instance_id="one")])
    story.advance(SESSION_MS)
    assert story.status() is ClassicGroupState.EMPTY
    assert story.group().static_members == {}


def test_a_parked_join_outlives_its_session() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    parked = story.join(leader)
    for _ in range(5):
        story.advance(SESSION_MS - 1)
        story.heartbeat(follower, 2)
    assert parked.parked
    assert leader in story.group().members


def test_a_parked_sync_outlives_its_session_and_starts_a_new_one_with_its_response() -> None:
    story = ClassicStory()
    leader, follower = story.enter(), story.enter()
    story.join(leader.member_id)
    parked = story.sync(follower.member_id, 2)
    for _ in range(3):
        story.advance(SESSION_MS - 1)
        story.heartbeat(leader.member_id, 2)
    assert parked.parked
    story.sync(leader.member_id, 2)
    story.advance(SESSION_MS - 1)
    assert follower.member_id in story.group().members
    story.advance(1)
    assert story.status() is ClassicGroupState.EMPTY


def test_the_join_response_starts_a_full_session() -> None:
    story = ClassicStory()
    joined = story.enter()
    story.advance(SESSION_MS - 1)
    assert joined.member_id in story.group().members
    story.advance(1)
    assert story.status() is ClassicGroupState.EMPTY


def test_a_sync_in_a_stable_group_does_not_refresh_the_session() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    story.advance(SESSION_MS - 1)
    story.sync(member, 1)
    story.advance(1)
    assert story.status() is ClassicGroupState.EMPTY


def test_a_join_that_is_not_parked_does_not_refresh_the_session() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    story.advance(SESSION_MS - 1)
    story.heartbeat(leader, 2)
    story.join(follower)
    story.advance(1)
    assert list(story.group().members) == [leader]


def test_a_new_member_may_wait_five_minutes_with_any_session_timeout() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2, rebalance_ms=1_000_000, session_ms=1_800_000)
    newcomer = story.enter(rebalance_ms=1_000_000)
    story.advance(299_999)
    assert newcomer.parked
    story.advance(1)
    assert newcomer.error is ErrorCode.UNKNOWN_MEMBER_ID
    assert newcomer.member_id == ""
    assert list(story.group().members) == [leader, follower]


def test_a_heartbeat_of_a_new_member_limits_its_wait_to_its_session() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2, rebalance_ms=1_000_000, session_ms=1_800_000)
    required = story.join(session_ms=1_800_000)
    newcomer = story.join(required.member_id)
    story.heartbeat(required.member_id, 2)
    story.advance(SESSION_MS)
    assert newcomer.error is ErrorCode.UNKNOWN_MEMBER_ID
    assert list(story.group().members) == [leader, follower]


def test_a_parked_sync_that_must_rejoin_gets_a_full_session() -> None:
    story = ClassicStory()
    leader, follower = story.enter(), story.enter()
    story.join(leader.member_id)
    parked = story.sync(follower.member_id, 2)
    for _ in range(3):
        story.advance(SESSION_MS - 1)
        story.heartbeat(leader.member_id, 2)
    story.enter()
    assert parked.error is ErrorCode.REBALANCE_IN_PROGRESS
    story.advance(SESSION_MS - 1)
    assert follower.member_id in story.group().members
    story.advance(1)
    assert follower.member_id not in story.group().members


# Groups at rest


def test_settling_a_settled_group_returns_nothing() -> None:
    story = ClassicStory()
    a_stable_group(story, members=3)
    assert story.group().settle(story.now) == story.group().roster.timers.next()


def test_an_empty_group_has_no_deadline() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    story.leave(member)
    story.advance(10 * SESSION_MS)
    assert story.groups.deadlines.next() is None


def test_heartbeats_do_not_arm_the_group_again() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    armed_ms = story.groups.deadlines.at.get("g")
    story.advance(500)
    story.heartbeat(member, 1)
    assert story.groups.deadlines.at.get("g") == armed_ms


# the election of a protocol


def ballot(*names: str) -> list[JoinGroupRequestProtocol]:
    return [JoinGroupRequestProtocol(name) for name in names]


def test_the_protocol_with_most_votes_is_elected() -> None:
    assert vote([ballot("a", "b"), ballot("b", "a"), ballot("b", "a")]) == "b"


def test_only_a_protocol_that_all_members_support_is_elected() -> None:
    assert vote([ballot("a", "b"), ballot("a", "b"), ballot("b")]) == "b"


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ("range", "roundrobin"),
        ("range", "cooperative-sticky"),
        ("roundrobin", "cooperative-sticky"),
        ("sticky", "range"),
        ("zeta", "alpha"),
        ("p1", "p2"),
    ],
)
def test_a_tie_is_decided_by_the_names_not_by_the_order_of_joins(winner: str, loser: str) -> None:
    assert vote([ballot(winner, loser), ballot(loser, winner)]) == winner
    assert vote([ballot(loser, winner), ballot(winner, loser)]) == winner
