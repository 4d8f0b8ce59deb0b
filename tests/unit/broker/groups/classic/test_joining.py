"""The timers of a classic group, what follows from them, and the election of a protocol by the members."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.groups.driver import REBALANCE_MS, SESSION_MS, Driver, a_stable_group, stable
from tidemark.groups.classic.joining import vote
from tidemark.groups.classic.model import ClassicGroupState
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol

# initial rebalance delay


def test_the_first_member_waits_for_others_as_long_as_the_initial_delay() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    alone = driver.enter()
    driver.advance(1_999)
    assert alone.parked
    driver.advance(1)
    assert alone.generation == 1


def test_members_whose_joins_are_read_in_one_turn_share_the_first_generation() -> None:
    """Kafka also ends a delay of 0 by its timer, after the requests that are queued by then."""
    driver = Driver()
    driver.a_turn_between_requests = False
    ids = [driver.join().member_id for _ in range(3)]
    joins = [driver.join(member_id) for member_id in ids]
    assert all(join.parked for join in joins)
    driver.advance(0)
    assert [join.generation for join in joins] == [1, 1, 1]


def test_a_request_does_not_trigger_deadlines() -> None:
    """After a stall the heartbeats of others may still be unread when a request is decided."""
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    generation = driver.group().generation
    driver.a_turn_between_requests = False
    driver._move_to(driver.steady_ms + SESSION_MS)
    driver.join()
    assert driver.heartbeat(leader, generation) is ErrorCode.NONE
    assert driver.heartbeat(follower, generation) is ErrorCode.NONE
    driver.advance(SESSION_MS - 1)
    assert [*driver.group().members] == [leader, follower]


def test_group_is_empty_before_response_to_last_leave_even_with_a_pending_id() -> None:
    """Kafka 4.3.1: a DescribeGroups that follows the LeaveGroup never sees the rebalance."""
    driver = Driver()
    (only,) = a_stable_group(driver, members=1)
    driver.join()
    driver.a_turn_between_requests = False
    driver.leave(only)
    assert driver.state() is ClassicGroupState.EMPTY


def test_a_join_during_the_initial_delay_extends_it() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    first = driver.enter()
    driver.advance(1_500)
    second = driver.enter()
    driver.advance(2_499)
    assert first.parked
    driver.advance(1)
    assert first.generation == second.generation == 1


def test_the_initial_delay_is_extended_no_longer_than_the_rebalance_timeout() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    first = driver.enter(rebalance_ms=5_000)
    for _ in range(4):
        driver.advance(1_000)
        driver.enter(rebalance_ms=5_000)
    driver.advance(999)
    assert first.parked
    driver.advance(1)
    assert first.generation == 1


def test_a_rebalance_timeout_below_the_initial_delay_does_not_shorten_it() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    first = driver.enter(rebalance_ms=500)
    driver.enter(rebalance_ms=500)
    driver.advance(1_999)
    assert first.parked
    driver.advance(1)
    assert first.generation == 1


def test_a_group_whose_members_leave_during_the_initial_delay_is_empty_after_it() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    driver.join(instance_id="one")
    driver.leave(("", "one"))
    driver.advance(1_999)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE
    driver.advance(1)
    assert driver.state() is ClassicGroupState.EMPTY
    assert driver.group().generation == 1


def test_an_expired_pending_id_ends_the_initial_delay_if_no_other_member_is_awaited() -> None:
    """Kafka 4.3.1 does so, though leaving and joining never end the delay."""
    driver = Driver(initial_rebalance_delay_ms=20_000)
    driver.join(session_ms=6_000)
    alone = driver.enter()
    driver.advance(5_999)
    assert alone.parked
    driver.advance(1)
    assert alone.generation == 1


def test_a_pending_id_that_leaves_does_not_end_the_initial_delay() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    pending = driver.join()
    alone = driver.enter()
    driver.leave(pending.member_id)
    driver.advance(1_999)
    assert alone.parked
    driver.advance(1)
    assert alone.generation == 1


def test_a_group_that_was_empty_has_an_initial_delay_again() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    first = driver.enter()
    driver.advance(2_000)
    driver.leave(first.member_id)
    again = driver.enter()
    assert again.parked
    driver.advance(2_000)
    assert again.generation == 3


def test_a_join_after_the_longest_initial_delay_extends_the_next_initial_delay() -> None:
    driver = Driver(initial_rebalance_delay_ms=2_000)
    first, second = driver.enter(rebalance_ms=500), driver.enter(rebalance_ms=500)
    driver.advance(2_000)
    driver.leave(first.member_id, second.member_id)
    again = driver.enter(rebalance_ms=10_000)
    driver.advance(3_999)
    assert again.parked
    driver.advance(1)
    assert again.generation == 3


# the join phase


def test_a_member_that_does_not_rejoin_in_time_is_removed_despite_heartbeats() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    waiting = driver.join(leader)
    for _ in range(10):
        driver.advance(REBALANCE_MS // 10)
        driver.heartbeat(follower, 2)
    assert waiting.generation == 3
    assert list(driver.group().members) == [leader]


def test_the_longest_rebalance_timeout_of_all_members_counts() -> None:
    driver = Driver()
    (leader,) = a_stable_group(driver, rebalance_ms=5_000, session_ms=100_000)
    newcomer = driver.enter(rebalance_ms=20_000)
    driver.advance(19_999)
    assert newcomer.parked
    driver.advance(1)
    assert newcomer.error is ErrorCode.NONE
    assert leader not in driver.group().members


def test_a_leader_that_does_not_rejoin_is_replaced() -> None:
    driver = Driver()
    fields: dict[str, Any] = {"session_ms": 120_000}
    one, two = driver.join(instance_id="one", **fields), driver.join(instance_id="two", **fields)
    one = driver.join(one.member_id, instance_id="one", **fields)
    stable(driver, [one, two])
    rejoined = driver.join(two.member_id, instance_id="two", protocols={"range": b"changed"}, **fields)
    driver.advance(REBALANCE_MS)
    assert rejoined.response.leader == two.member_id
    assert [member.member_id for member in rejoined.response.members] == [one.member_id, two.member_id]


def test_a_leader_that_rejoins_stays_leader() -> None:
    driver = Driver()
    fields: dict[str, Any] = {"session_ms": 120_000}
    one, two = driver.join(instance_id="one", **fields), driver.join(instance_id="two", **fields)
    one = driver.join(one.member_id, instance_id="one", **fields)
    stable(driver, [one, two])
    driver.join(two.member_id, instance_id="two", protocols={"range": b"changed"}, **fields)
    driver.advance(REBALANCE_MS)  # two leads now
    again = driver.join(one.member_id, instance_id="one", protocols={"range": b"changed"}, **fields)
    driver.join(two.member_id, instance_id="two", protocols={"range": b"again"}, **fields)
    assert again.generation == 4
    assert again.response.leader == two.member_id


def two_static_members(driver: Driver, session_ms: int, rebalance_ms: int) -> None:
    fields: dict[str, Any] = {"session_ms": session_ms, "rebalance_ms": rebalance_ms}
    one, two = driver.join(instance_id="one", **fields), driver.join(instance_id="two", **fields)
    one = driver.join(one.member_id, instance_id="one", **fields)
    stable(driver, [one, two])


def test_static_members_that_all_fail_to_rejoin_are_waited_for_once_more() -> None:
    driver = Driver()
    two_static_members(driver, session_ms=500_000, rebalance_ms=60_000)
    driver.leave(("", "two"))
    driver.advance(2 * 60_000 + 1)
    assert (driver.state(), driver.group().generation) == (ClassicGroupState.PREPARING_REBALANCE, 2)
    back = driver.join(instance_id="one")
    assert back.generation == 3


def test_static_members_with_a_rebalance_timeout_of_0_are_waited_for_without_spinning() -> None:
    driver = Driver()
    two_static_members(driver, session_ms=10_000, rebalance_ms=1)
    driver.join(instance_id="one", session_ms=10_000, rebalance_ms=0)
    driver.join(instance_id="two", session_ms=10_000, rebalance_ms=0)
    driver.leave(("", "two"))
    driver.advance(5)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


# the sync phase


def test_a_member_that_does_not_sync_in_time_is_removed_before_the_leader_syncs() -> None:
    driver = Driver()
    leader = driver.enter(session_ms=120_000)
    follower = driver.enter(session_ms=120_000)
    driver.join(leader.member_id, session_ms=120_000)
    parked = driver.sync(follower.member_id, 2)
    driver.advance(REBALANCE_MS)
    assert parked.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert list(driver.group().members) == [follower.member_id]
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


def test_a_member_that_does_not_sync_in_time_is_removed_from_a_stable_group() -> None:
    driver = Driver()
    leader = driver.enter(session_ms=120_000)
    static = driver.join(instance_id="one", session_ms=120_000)
    driver.join(leader.member_id, session_ms=120_000)
    driver.sync(leader.member_id, 2)
    assert driver.state() is ClassicGroupState.STABLE
    driver.advance(REBALANCE_MS)
    assert static.member_id not in driver.group().members
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


def test_no_member_is_awaited_once_all_have_synced() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2, session_ms=1_000_000)
    driver.advance(2 * REBALANCE_MS)
    assert driver.state() is ClassicGroupState.STABLE
    assert list(driver.group().members) == [leader, follower]


# sessions


def test_a_member_is_removed_exactly_when_its_session_expires() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    driver.advance(1)
    driver.heartbeat(leader, 2)
    driver.advance(SESSION_MS - 2)
    assert follower in driver.group().members
    driver.advance(1)
    assert list(driver.group().members) == [leader]
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


def test_the_last_member_that_expires_empties_the_group() -> None:
    driver = Driver()
    a_stable_group(driver)
    driver.advance(SESSION_MS)
    assert driver.state() is ClassicGroupState.EMPTY
    assert driver.group().generation == 2


def test_a_static_member_expires_like_any_other() -> None:
    driver = Driver()
    stable(driver, [driver.join(instance_id="one")])
    driver.advance(SESSION_MS)
    assert driver.state() is ClassicGroupState.EMPTY
    assert driver.group().static_members == {}


def test_a_parked_join_outlives_its_session() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    parked = driver.join(leader)
    for _ in range(5):
        driver.advance(SESSION_MS - 1)
        driver.heartbeat(follower, 2)
    assert parked.parked
    assert leader in driver.group().members


def test_a_parked_sync_outlives_its_session_and_starts_a_new_one_with_its_response() -> None:
    driver = Driver()
    leader, follower = driver.enter(), driver.enter()
    driver.join(leader.member_id)
    parked = driver.sync(follower.member_id, 2)
    for _ in range(3):
        driver.advance(SESSION_MS - 1)
        driver.heartbeat(leader.member_id, 2)
    assert parked.parked
    driver.sync(leader.member_id, 2)
    driver.advance(SESSION_MS - 1)
    assert follower.member_id in driver.group().members
    driver.advance(1)
    assert driver.state() is ClassicGroupState.EMPTY


def test_the_join_response_starts_a_full_session() -> None:
    driver = Driver()
    joined = driver.enter()
    driver.advance(SESSION_MS - 1)
    assert joined.member_id in driver.group().members
    driver.advance(1)
    assert driver.state() is ClassicGroupState.EMPTY


def test_a_sync_in_a_stable_group_does_not_refresh_the_session() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    driver.advance(SESSION_MS - 1)
    driver.sync(member, 1)
    driver.advance(1)
    assert driver.state() is ClassicGroupState.EMPTY


def test_a_join_that_is_not_parked_does_not_refresh_the_session() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    driver.advance(SESSION_MS - 1)
    driver.heartbeat(leader, 2)
    driver.join(follower)
    driver.advance(1)
    assert list(driver.group().members) == [leader]


def test_a_new_member_may_wait_five_minutes_with_any_session_timeout() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2, rebalance_ms=1_000_000, session_ms=1_800_000)
    newcomer = driver.enter(rebalance_ms=1_000_000)
    driver.advance(299_999)
    assert newcomer.parked
    driver.advance(1)
    assert newcomer.error is ErrorCode.UNKNOWN_MEMBER_ID
    assert newcomer.member_id == ""
    assert list(driver.group().members) == [leader, follower]


def test_a_heartbeat_of_a_new_member_limits_its_wait_to_its_session() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2, rebalance_ms=1_000_000, session_ms=1_800_000)
    required = driver.join(session_ms=1_800_000)
    newcomer = driver.join(required.member_id)
    driver.heartbeat(required.member_id, 2)
    driver.advance(SESSION_MS)
    assert newcomer.error is ErrorCode.UNKNOWN_MEMBER_ID
    assert list(driver.group().members) == [leader, follower]


def test_a_parked_sync_that_must_rejoin_gets_a_full_session() -> None:
    driver = Driver()
    leader, follower = driver.enter(), driver.enter()
    driver.join(leader.member_id)
    parked = driver.sync(follower.member_id, 2)
    for _ in range(3):
        driver.advance(SESSION_MS - 1)
        driver.heartbeat(leader.member_id, 2)
    driver.enter()
    assert parked.error is ErrorCode.REBALANCE_IN_PROGRESS
    driver.advance(SESSION_MS - 1)
    assert follower.member_id in driver.group().members
    driver.advance(1)
    assert follower.member_id not in driver.group().members


# Groups at rest


def test_settling_a_settled_group_returns_nothing() -> None:
    driver = Driver()
    a_stable_group(driver, members=3)
    assert driver.group().settle(driver.now) == driver.group().roster.timers.next()


def test_an_empty_group_has_no_deadline() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    driver.leave(member)
    driver.advance(10 * SESSION_MS)
    assert driver.groups.deadlines.next() is None


def test_heartbeats_do_not_arm_the_group_again() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    armed_ms = driver.groups.deadlines.at.get("g")
    driver.advance(500)
    driver.heartbeat(member, 1)
    assert driver.groups.deadlines.at.get("g") == armed_ms


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
