"""SyncGroup."""

from __future__ import annotations

import pytest

from tests.unit.broker.groups.driver import (
    EVERYTHING,
    REBALANCE_MS,
    SESSION_MS,
    Driver,
    PendingResponse,
    a_stable_group,
)
from tidemark.core.result import Record
from tidemark.groups.classic.model import ClassicGroupState
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.sync_group import SyncGroupResponse
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata


def refusal(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(0, code, None, None, b"")


def a_joined_group(driver: Driver) -> tuple[str, str]:
    """Return leader and follower, who must sync generation 2."""
    leader = driver.enter()
    follower = driver.enter()
    driver.join(leader.member_id)
    assert driver.state() is ClassicGroupState.COMPLETING_REBALANCE
    return leader.member_id, follower.member_id


@pytest.mark.parametrize(("protocol_type", "protocol"), [(None, "range"), ("consumer", None)])
def test_from_v5_protocol_type_and_name_are_checked_first(
    protocol_type: str | None, protocol: str | None
) -> None:
    driver = Driver()
    driver.forbidden = {""}
    pending = driver.sync("m", 1, group_id="", protocol_type=protocol_type, protocol=protocol)
    assert pending.response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def test_read_permission_on_the_group_is_checked_second() -> None:
    driver = Driver()
    driver.forbidden = {""}
    assert driver.sync("m", 1, group_id="").response == refusal(ErrorCode.GROUP_AUTHORIZATION_FAILED)


def test_an_empty_group_id_is_invalid() -> None:
    assert Driver().sync("m", 1, group_id="").response == refusal(ErrorCode.INVALID_GROUP_ID)


def test_without_the_offsets_topic_this_broker_coordinates_no_group() -> None:
    assert Driver(partitions=0).sync("m", 1).response == refusal(ErrorCode.NOT_COORDINATOR)


def test_a_group_that_is_unknown_has_no_member() -> None:
    assert Driver().sync("m", 1).response == refusal(ErrorCode.UNKNOWN_MEMBER_ID)


def test_an_empty_group_has_no_member_and_a_pending_id_is_none() -> None:
    driver = Driver()
    pending = driver.join()
    assert driver.sync(pending.member_id, 0).error is ErrorCode.UNKNOWN_MEMBER_ID


def test_an_instance_that_another_member_has_is_fenced() -> None:
    driver = Driver()
    static = driver.join(instance_id="one")
    assert driver.sync("other", static.generation, instance_id="one").error is ErrorCode.FENCED_INSTANCE_ID


def test_another_generation_is_illegal_and_is_checked_before_the_protocol() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    assert driver.sync(member, 7, protocol="sticky").error is ErrorCode.ILLEGAL_GENERATION


@pytest.mark.parametrize(
    ("protocol_type", "protocol"),
    [("connect", "range"), ("consumer", "sticky"), ("", "range"), ("consumer", "")],
)
def test_another_protocol_is_inconsistent(protocol_type: str, protocol: str) -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    pending = driver.sync(member, 1, protocol_type=protocol_type, protocol=protocol)
    assert pending.response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def test_before_v5_the_protocol_is_not_checked() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    assert driver.sync(member, 1, version=4).error is ErrorCode.NONE


def test_while_a_rebalance_is_open_there_is_nothing_to_sync() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    driver.join(leader)
    assert driver.sync(follower, 2).response == refusal(ErrorCode.REBALANCE_IN_PROGRESS)


def test_before_the_first_election_any_protocol_name_is_accepted() -> None:
    driver = Driver(initial_rebalance_delay_ms=1_000)
    driver.join(instance_id="one")
    (member_id,) = driver.group().members
    assert driver.sync(member_id, 0, version=5, protocol="any").error is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_follower_waits_for_the_leader() -> None:
    driver = Driver()
    leader, follower = a_joined_group(driver)
    parked = driver.sync(follower, 2)
    assert parked.parked
    pending = driver.sync(leader, 2, {leader: b"L", follower: b"F"})
    assert pending.response == SyncGroupResponse(0, ErrorCode.NONE, "consumer", "range", b"L")
    assert parked.response == SyncGroupResponse(0, ErrorCode.NONE, "consumer", "range", b"F")
    assert driver.state() is ClassicGroupState.STABLE


def test_the_leader_does_not_wait_for_the_followers() -> None:
    driver = Driver()
    leader, follower = a_joined_group(driver)
    assert driver.sync(leader, 2, {follower: b"F"}).error is ErrorCode.NONE
    assert driver.sync(follower, 2).response.assignment == b"F"


def test_the_record_of_a_leaders_sync_has_the_start_time_of_the_generation() -> None:
    driver = Driver()
    leader, follower = a_joined_group(driver)
    began_ms = driver.wall_ms
    driver.advance(250)
    driver.sync(leader, 2, {leader: b"L", "stranger": b"S"})
    member = ("client", "/127.0.0.1", REBALANCE_MS, SESSION_MS, EVERYTHING["range"])
    assert driver.written[-1] == Record(
        GroupMetadataKey("g"),
        GroupMetadataValue(
            "consumer",
            2,
            "range",
            leader,
            began_ms,
            [MemberMetadata(leader, None, *member, b"L"), MemberMetadata(follower, None, *member, b"")],
        ),
    )
    assert driver.group().state_since_ms == driver.wall_ms == began_ms + 250


def test_a_follower_writes_nothing() -> None:
    driver = Driver()
    _, follower = a_joined_group(driver)
    before = len(driver.written)
    driver.sync(follower, 2, {follower: b"ignored"})
    assert len(driver.written) == before


def test_a_leader_without_assignments_makes_the_group_stable_with_empty_ones() -> None:
    driver = Driver()
    leader, follower = a_joined_group(driver)
    parked = driver.sync(follower, 2)
    assert driver.sync(leader, 2).response.assignment == b""
    assert parked.response.assignment == b""
    assert driver.state() is ClassicGroupState.STABLE


def test_a_stable_group_returns_the_stored_assignment_and_ignores_new_ones() -> None:
    driver = Driver()
    (leader,) = a_stable_group(driver)
    before = len(driver.written)
    assert driver.sync(leader, 1, {leader: b"other"}).response.assignment == leader.encode()
    assert len(driver.written) == before


def test_a_second_sync_replaces_the_first_which_gets_no_response() -> None:
    driver = Driver()
    leader, follower = a_joined_group(driver)
    first: PendingResponse = driver.sync(follower, 2)
    second: PendingResponse = driver.sync(follower, 2)
    driver.sync(leader, 2)
    assert second.error is ErrorCode.NONE
    assert first.parked


def test_assignments_that_cannot_be_written_fail_all_syncs_and_rebalance() -> None:
    driver = Driver()
    _, follower = a_joined_group(driver)
    parked = driver.sync(follower, 2)
    driver.refuse_to_write()
    assert parked.response == refusal(ErrorCode.UNKNOWN_SERVER_ERROR)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


def test_in_other_states_an_unwritten_decision_fails_no_sync() -> None:
    driver = Driver()
    a_stable_group(driver)
    driver.refuse_to_write()
    driver.refuse_to_write("unknown")
    assert driver.state() is ClassicGroupState.STABLE
