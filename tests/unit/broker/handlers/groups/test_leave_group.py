"""LeaveGroup."""

from __future__ import annotations

import pytest

from tests.unit.broker.groups.driver import Driver, a_stable_group
from tidemark.core.result import Record
from tidemark.groups.classic.model import ClassicGroupState
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import JoinGroupResponse
from tidemark_protocol.messages.leave_group import LeaveGroupResponse, MemberResponse
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue


def leave_response(*members: MemberResponse, code: ErrorCode = ErrorCode.NONE) -> LeaveGroupResponse:
    return LeaveGroupResponse(0, code, list(members))


def left(member_id: str, instance_id: str | None = None) -> MemberResponse:
    return MemberResponse(member_id, instance_id, ErrorCode.NONE)


def unknown(member_id: str, instance_id: str | None = None) -> MemberResponse:
    return MemberResponse(member_id, instance_id, ErrorCode.UNKNOWN_MEMBER_ID)


def test_a_group_that_may_not_be_read_is_refused_without_members() -> None:
    driver = Driver()
    driver.forbidden = {""}
    assert driver.leave("m", group_id="") == leave_response(code=ErrorCode.GROUP_AUTHORIZATION_FAILED)


def test_an_empty_group_id_is_invalid() -> None:
    assert Driver().leave("m", group_id="") == leave_response(code=ErrorCode.INVALID_GROUP_ID)


def test_without_the_offsets_topic_this_broker_coordinates_no_group() -> None:
    assert Driver(partitions=0).leave("m") == leave_response(code=ErrorCode.NOT_COORDINATOR)


def test_an_unknown_group_has_no_members() -> None:
    assert Driver().leave("a", ("b", "one")) == leave_response(unknown("a"), unknown("b", "one"))


@pytest.mark.parametrize("version", [0, 2])
def test_before_v3_the_error_of_the_member_is_that_of_the_response(version: int) -> None:
    driver = Driver()
    assert driver.leave("m", version=version) == leave_response(code=ErrorCode.UNKNOWN_MEMBER_ID)
    (member,) = a_stable_group(driver)
    assert driver.leave(member, version=version) == leave_response()


def test_no_members_are_no_error_whether_the_group_exists_or_not() -> None:
    driver = Driver()
    assert driver.leave() == leave_response()
    a_stable_group(driver)
    assert driver.leave() == leave_response()
    assert driver.state() is ClassicGroupState.STABLE


def test_members_are_returned_with_their_ids_in_the_order_of_the_request() -> None:
    driver = Driver()
    first, second = a_stable_group(driver, members=2)
    assert driver.leave(second, "nobody", (first, "one")) == leave_response(
        left(second), unknown("nobody"), unknown(first, "one")
    )


def test_a_member_that_is_named_twice_is_unknown_the_second_time() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    assert driver.leave(member, member) == leave_response(left(member), unknown(member))


def test_an_instance_that_has_just_left_is_unknown_and_fences_no_member() -> None:
    driver = Driver()
    first = driver.join(instance_id="one").member_id
    second = driver.join(instance_id="one").member_id
    assert driver.leave((second, "one"), (first, "one"), ("", "one")) == leave_response(
        left(second, "one"), unknown(first, "one"), unknown("", "one")
    )


def test_a_static_member_is_removed_by_its_instance_alone() -> None:
    driver = Driver()
    driver.join(instance_id="one")
    assert driver.leave(("", "one"), ("", "two"), ("", None)) == leave_response(
        left("", "one"), unknown("", "two"), unknown("")
    )
    assert driver.state() is ClassicGroupState.EMPTY


def test_another_id_for_a_known_instance_is_fenced() -> None:
    driver = Driver()
    driver.join(instance_id="one")
    response = driver.leave(("other", "one"))
    assert response == leave_response(MemberResponse("other", "one", ErrorCode.FENCED_INSTANCE_ID))


def test_a_pending_id_can_leave() -> None:
    driver = Driver()
    pending = driver.join().member_id
    assert driver.leave(pending) == leave_response(left(pending))
    assert driver.group().pending == {}
    assert (driver.state(), driver.group().generation) == (ClassicGroupState.EMPTY, 0)


def test_a_pending_id_that_leaves_a_stable_group_rebalances_it() -> None:
    driver = Driver()
    a_stable_group(driver)
    driver.leave(driver.join().member_id)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


def test_a_leave_makes_the_others_rejoin() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    driver.leave(leader)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE
    assert driver.heartbeat(follower, 2) is ErrorCode.REBALANCE_IN_PROGRESS
    rejoined = driver.join(follower)
    assert (rejoined.generation, rejoined.response.leader) == (3, follower)


def test_a_leave_completes_the_join_that_waited_for_the_member() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    waiting = driver.join(leader)
    driver.leave(follower)
    assert waiting.generation == 3


def test_the_last_leave_empties_the_group_in_one_call() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    driver.advance(500)
    driver.leave(member)
    assert driver.state() is ClassicGroupState.EMPTY
    assert driver.written[-1] == Record(
        GroupMetadataKey("g"), GroupMetadataValue("consumer", 2, None, None, driver.wall_ms, [])
    )
    assert driver.group().subscribed_topics == frozenset()


def test_the_parked_join_of_a_removed_member_gets_unknown_member_id() -> None:
    driver = Driver()
    leader, _ = a_stable_group(driver, members=2)
    parked = driver.join(leader)
    driver.leave(leader)
    assert parked.response == JoinGroupResponse(
        0, ErrorCode.UNKNOWN_MEMBER_ID, -1, None, None, "", False, "", []
    )


def test_the_parked_sync_of_a_removed_member_gets_unknown_member_id() -> None:
    """Kafka 4.3.1 never responds, and the connection hangs until the client gives up."""
    driver = Driver()
    leader = driver.enter()
    follower = driver.enter()
    driver.join(leader.member_id)
    parked = driver.sync(follower.member_id, 2)
    driver.leave(follower.member_id)
    assert parked.error is ErrorCode.UNKNOWN_MEMBER_ID


def test_the_parked_sync_of_another_member_gets_rebalance_in_progress() -> None:
    driver = Driver()
    leader = driver.enter()
    follower = driver.enter()
    driver.join(leader.member_id)
    parked = driver.sync(follower.member_id, 2)
    driver.leave(leader.member_id)
    assert parked.error is ErrorCode.REBALANCE_IN_PROGRESS
