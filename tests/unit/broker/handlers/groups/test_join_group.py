"""JoinGroup."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.groups.driver import (
    EVERYTHING,
    REBALANCE_MS,
    SESSION_MS,
    Driver,
    PendingResponse,
    a_stable_group,
    stable,
    subscription,
)
from tidemark.core.result import Record
from tidemark.groups.classic.model import ClassicGroupState
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import (
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue


def refusal(code: ErrorCode, member_id: str = "", protocol_name: str | None = None) -> JoinGroupResponse:
    return JoinGroupResponse(0, code, -1, None, protocol_name, "", False, member_id, [])


def a_static_group(driver: Driver, **fields: Any) -> list[str]:
    """Make a group with members "one" (the leader) and "two", Stable in generation 2."""
    one = driver.join(instance_id="one", **fields)
    two = driver.join(instance_id="two", **fields)
    one = driver.join(one.member_id, instance_id="one", **fields)
    return stable(driver, [one, two])


# checks, in order


def test_a_group_that_may_not_be_read_is_refused_first_without_its_member_id() -> None:
    driver = Driver()
    driver.forbidden = {""}
    pending = driver.join("some-id", group_id="", session_ms=1)
    assert pending.response == refusal(ErrorCode.GROUP_AUTHORIZATION_FAILED)


def test_an_empty_group_id_is_invalid() -> None:
    pending = Driver().join("some-id", group_id="", session_ms=1)
    assert pending.response == refusal(ErrorCode.INVALID_GROUP_ID, "some-id")


@pytest.mark.parametrize("session_ms", [5_999, 1_800_001, -1])
def test_a_session_timeout_out_of_bounds_is_refused(session_ms: int) -> None:
    pending = Driver().join("some-id", session_ms=session_ms)
    assert pending.response == refusal(ErrorCode.INVALID_SESSION_TIMEOUT, "some-id")


@pytest.mark.parametrize("session_ms", [6_000, 1_800_000])
def test_the_bounds_of_the_session_timeout_are_inclusive(session_ms: int) -> None:
    assert Driver().join(session_ms=session_ms).error is ErrorCode.MEMBER_ID_REQUIRED


def test_without_the_offsets_topic_this_broker_coordinates_no_group() -> None:
    assert Driver(partitions=0).join("some-id").response == refusal(ErrorCode.NOT_COORDINATOR)


def test_while_the_partition_loads_the_error_makes_clients_retry() -> None:
    driver = Driver()
    driver.groups.serve(1)
    assert driver.join("some-id").response == refusal(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)


def test_assigning_a_member_id_creates_no_group() -> None:
    driver = Driver()
    assert driver.join("some-id").response == refusal(ErrorCode.UNKNOWN_MEMBER_ID, "some-id")
    assert driver.groups.groups == {}


def test_a_new_group_is_written_as_empty() -> None:
    driver = Driver()
    driver.join()
    assert driver.written == [
        Record(GroupMetadataKey("g"), GroupMetadataValue("", 0, None, None, driver.wall_ms, []))
    ]


def test_a_new_group_is_written_even_if_the_join_is_refused() -> None:
    driver = Driver()
    assert driver.join(protocols={}).response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    assert driver.written[0].key == GroupMetadataKey("g")
    assert (driver.group().state, driver.group().protocol_type) == (ClassicGroupState.EMPTY, None)


def test_joining_a_simple_group_writes_nothing() -> None:
    driver = Driver()
    driver.groups.replay(Record(OffsetCommitKey("g", "t", 0), OffsetCommitValue(5, -1, "", 1)))
    assert driver.join().error is ErrorCode.MEMBER_ID_REQUIRED
    assert driver.written == []


@pytest.mark.parametrize("version", [4, 6])
def test_before_v7_the_protocol_name_is_empty_rather_than_null(version: int) -> None:
    assert Driver().join("id", version=version).response == refusal(ErrorCode.UNKNOWN_MEMBER_ID, "id", "")


# new members


def test_a_dynamic_member_is_given_an_id_first() -> None:
    driver = Driver()
    pending = driver.join(client_id="consumer-1")
    assert pending.response == refusal(ErrorCode.MEMBER_ID_REQUIRED, "consumer-1-0001")
    assert driver.state() is ClassicGroupState.EMPTY
    assert driver.join(pending.member_id).error is ErrorCode.NONE


def test_a_client_without_a_name_gets_an_id_that_begins_with_a_dash() -> None:
    assert Driver().join(client_id="").member_id == "-0001"


def test_before_v4_a_member_joins_at_once() -> None:
    pending = Driver().join(version=3)
    assert pending.error is ErrorCode.NONE
    assert pending.member_id == "client-0001"


def test_a_static_member_joins_at_once_with_an_id_that_contains_its_instance() -> None:
    pending = Driver().join(instance_id="one")
    assert pending.error is ErrorCode.NONE
    assert pending.member_id == "one-0001"


def test_a_static_member_must_not_use_a_pending_id() -> None:
    driver = Driver()
    pending = driver.join().member_id
    assert driver.join(pending, instance_id="one").response == refusal(ErrorCode.UNKNOWN_SERVER_ERROR)


def test_version_0_has_no_rebalance_timeout_of_its_own() -> None:
    driver = Driver()
    driver.join(version=0, session_ms=7_000, rebalance_ms=-1)
    (member,) = driver.group().members.values()
    assert member.rebalance_timeout_ms == 7_000


def test_the_first_member_leads_and_its_response_lists_all_members() -> None:
    driver = Driver()
    pending = driver.enter(protocols={"range": b"mine"})
    assert pending.response == JoinGroupResponse(
        0,
        ErrorCode.NONE,
        1,
        "consumer",
        "range",
        pending.member_id,
        False,
        pending.member_id,
        [JoinGroupResponseMember(pending.member_id, None, b"mine")],
    )


def test_the_response_of_a_follower_lists_no_members() -> None:
    driver = Driver()
    leader = driver.enter()
    follower = driver.enter()
    driver.join(leader.member_id)
    assert follower.response.leader == leader.member_id
    assert follower.response.members == []


def test_completing_a_join_writes_nothing() -> None:
    driver = Driver()
    driver.enter()
    assert driver.state() is ClassicGroupState.COMPLETING_REBALANCE
    assert len(driver.written) == 1  # the group's creation


def test_a_join_waits_for_all_members() -> None:
    driver = Driver()
    first, second = a_stable_group(driver, members=2)
    newcomer = driver.enter()
    again = driver.join(second)
    assert newcomer.parked
    assert again.parked
    last = driver.join(first)
    assert newcomer.generation == again.generation == last.generation == 3


def test_a_pending_id_delays_the_rebalance_until_it_is_dropped() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    driver.join(session_ms=6_000)
    again = driver.join(member)
    driver.advance(5_999)
    assert again.parked
    driver.advance(1)
    assert again.error is ErrorCode.NONE


def test_a_pending_id_that_was_dropped_is_unknown() -> None:
    driver = Driver()
    pending = driver.join(session_ms=6_000).member_id
    driver.advance(6_000)
    assert driver.join(pending).response == refusal(ErrorCode.UNKNOWN_MEMBER_ID, pending)


# protocols


@pytest.mark.parametrize(
    ("protocol_type", "protocols"),
    [("", EVERYTHING), ("consumer", {}), ("connect", EVERYTHING), ("consumer", {"sticky": b""})],
)
def test_protocols_that_do_not_fit_are_refused(protocol_type: str, protocols: dict[str, bytes]) -> None:
    driver = Driver()
    a_stable_group(driver)
    pending = driver.join(protocol_type=protocol_type, protocols=protocols)
    assert pending.response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def test_protocols_are_checked_before_the_member_id() -> None:
    driver = Driver()
    a_stable_group(driver)
    pending = driver.join("nobody", protocol_type="connect")
    assert pending.response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "nobody")


def test_an_empty_group_may_change_its_type_and_keeps_its_generation() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    driver.leave(member)
    pending = driver.enter(protocol_type="connect")
    assert (pending.generation, pending.response.protocol_type) == (3, "connect")


def test_the_protocol_that_most_members_prefer_among_the_common_ones_is_chosen() -> None:
    driver = Driver()
    both = {"range": b"", "sticky": b""}
    joins = [
        driver.enter(protocols=both),
        *(driver.enter(protocols={"sticky": b"", "x": b"", "range": b""}) for _ in "ab"),
    ]
    driver.join(joins[0].member_id, protocols=both)
    assert joins[1].response.protocol_name == "sticky"


# members that join again


def test_an_unchanged_follower_of_a_stable_group_gets_a_response_at_once() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    pending = driver.join(follower)
    assert (pending.generation, pending.response.leader, pending.response.members) == (2, leader, [])
    assert driver.state() is ClassicGroupState.STABLE


def test_a_leader_that_rejoins_a_stable_group_rebalances_it() -> None:
    driver = Driver()
    leader, _ = a_stable_group(driver, members=2)
    assert driver.join(leader).parked
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


@pytest.mark.parametrize("protocols", [{"range": b"other"}, {**EVERYTHING, "sticky": b""}])
def test_a_follower_with_changed_protocols_rebalances_a_stable_group(protocols: dict[str, bytes]) -> None:
    driver = Driver()
    _, follower = a_stable_group(driver, members=2)
    assert driver.join(follower, protocols=protocols).parked
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


def test_while_members_sync_an_unchanged_join_gets_the_same_response() -> None:
    driver = Driver()
    leader = driver.enter()
    again = driver.join(leader.member_id)
    assert again.response == leader.response
    assert driver.state() is ClassicGroupState.COMPLETING_REBALANCE


def test_while_members_sync_a_changed_join_rebalances() -> None:
    driver = Driver()
    leader = driver.enter()
    again = driver.join(leader.member_id, protocols={"range": b"other"})
    assert again.generation == leader.generation + 1


def test_a_parked_sync_gets_a_response_when_another_rebalance_begins() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    driver.join(follower, protocols={"range": b"other"})
    driver.join(leader)
    parked = driver.sync(follower, 3)
    driver.enter()
    assert parked.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert parked.response.protocol_type is None
    assert all(member.assignment == b"" for member in driver.group().members.values())


def test_assignments_of_a_stable_group_outlive_the_rebalance_until_the_next_sync() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    driver.join(leader)
    driver.join(follower)
    assert driver.state() is ClassicGroupState.COMPLETING_REBALANCE
    assert driver.group().members[follower].assignment == follower.encode()


def test_a_second_join_replaces_the_first_which_gets_no_response() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    first = driver.join(leader)
    second = driver.join(leader)
    driver.join(follower)
    assert second.error is ErrorCode.NONE
    assert first.parked


def test_the_error_for_an_unknown_member_contains_its_id() -> None:
    driver = Driver()
    a_stable_group(driver)
    assert driver.join("nobody").response == refusal(ErrorCode.UNKNOWN_MEMBER_ID, "nobody")


def test_an_empty_group_has_no_members() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    driver.leave(member)
    assert driver.join(member).response == refusal(ErrorCode.UNKNOWN_MEMBER_ID, member)


# group.max.size


@pytest.mark.parametrize("version", [0, 3, 4, 9])
def test_a_client_id_that_leaves_no_room_for_a_member_id_leaves_no_member(version: int) -> None:
    driver = Driver()
    refused = driver.join(client_id="c" * 32_763, version=version)  # the id adds "-0001"
    assert refused.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert not driver.group().members
    assert not driver.group().pending
    assert driver.join(client_id="c" * 32_762, version=version).error in (
        ErrorCode.NONE,
        ErrorCode.MEMBER_ID_REQUIRED,
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"client_id": "\ufffd" * 10_923},
        {"instance_id": "\ufffd" * 10_922},
        {"protocol_type": "\ufffd" * 10_923},
        {"protocols": {"range": b"", "\ufffd" * 10_923: b""}},
    ],
)
def test_names_that_outgrow_a_string_are_refused(fields: dict[str, Any]) -> None:
    """A byte that is not UTF-8 is read as U+FFFD, which is written as three bytes."""
    driver = Driver()
    pending = driver.join()
    for member_id in ("", pending.member_id):
        assert driver.join(member_id, **fields).error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert not driver.group().members


def test_a_member_does_not_rejoin_with_a_name_that_outgrows_a_string() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    refused = driver.join(member, protocols={**EVERYTHING, "\ufffd" * 10_923: b""})
    assert refused.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert driver.heartbeat(member, 1) is ErrorCode.NONE


def test_a_full_group_refuses_new_members() -> None:
    driver = Driver(max_size=1)
    a_stable_group(driver)
    assert driver.join().response == refusal(ErrorCode.GROUP_MAX_SIZE_REACHED)
    assert driver.join(instance_id="one").response == refusal(ErrorCode.GROUP_MAX_SIZE_REACHED)


def test_members_of_a_full_group_may_rejoin() -> None:
    driver = Driver(max_size=1)
    (member,) = a_stable_group(driver)
    assert driver.join(member).error is ErrorCode.NONE


def test_a_pending_id_is_dropped_when_the_group_has_become_full() -> None:
    driver = Driver(max_size=1)
    early, late = driver.join(), driver.join()
    driver.join(early.member_id)
    assert driver.join(late.member_id).response == refusal(ErrorCode.GROUP_MAX_SIZE_REACHED)
    assert driver.group().pending == {}


def test_while_a_rebalance_is_open_as_many_may_wait_as_the_group_may_have() -> None:
    driver = Driver(max_size=2)
    leader, follower = a_stable_group(driver, members=2)
    driver.restart(max_size=1)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE
    waiting = driver.join(leader)
    turned_away = driver.join(follower)
    assert turned_away.response == refusal(ErrorCode.GROUP_MAX_SIZE_REACHED)
    assert waiting.generation == 3
    assert list(driver.group().members) == [leader]


def test_a_group_that_is_too_large_after_a_restart_rebalances() -> None:
    driver = Driver()
    a_stable_group(driver, members=2)
    driver.restart(max_size=1)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


# static members


def test_a_static_member_that_restarts_keeps_its_place_without_a_rebalance() -> None:
    driver = Driver()
    leader, follower = a_static_group(driver)
    back = driver.join(
        instance_id="two", protocols={"range": b"changed", "sticky": b""}, client_id="elsewhere"
    )
    assert back.response == JoinGroupResponse(
        0, ErrorCode.NONE, 2, "consumer", "range", leader, False, back.member_id, []
    )
    assert driver.state() is ClassicGroupState.STABLE
    assert follower not in driver.group().members
    assert driver.group().members[back.member_id].assignment == follower.encode()


def test_a_replaced_static_member_is_written_with_its_assignment_and_first_client() -> None:
    driver = Driver()
    leader, follower = a_static_group(driver)
    since_ms = driver.group().state_since_ms
    driver.advance(100)
    back = driver.join(
        instance_id="two",
        protocols={"range": b"changed"},
        client_id="elsewhere",
        session_ms=7_000,
        rebalance_ms=8_000,
    )
    assert driver.written[-1] == Record(
        GroupMetadataKey("g"),
        GroupMetadataValue(
            "consumer",
            2,
            "range",
            leader,
            since_ms,  # type: ignore[arg-type]
            [
                MemberMetadata(
                    leader,
                    "one",
                    "client",
                    "/127.0.0.1",
                    REBALANCE_MS,
                    SESSION_MS,
                    EVERYTHING["range"],
                    leader.encode(),
                ),
                MemberMetadata(
                    back.member_id, "two", "client", "/127.0.0.1", 8_000, 7_000, b"changed", follower.encode()
                ),
            ],
        ),
    )


def test_a_static_leader_that_restarts_skips_the_assignment_from_v9() -> None:
    driver = Driver()
    _, follower = a_static_group(driver)
    back = driver.join(instance_id="one", protocols={"range": b"changed"})
    assert back.response.leader == back.member_id
    assert back.response.skip_assignment is True
    assert back.response.members == [
        JoinGroupResponseMember(back.member_id, "one", b"changed"),
        JoinGroupResponseMember(follower, "two", EVERYTHING["range"]),
    ]


def test_before_v9_the_response_to_a_restarted_static_leader_names_its_old_id() -> None:
    driver = Driver()
    leader, _ = a_static_group(driver, version=8)
    back = driver.join(instance_id="one", version=8)
    assert back.response.leader == leader != back.member_id
    assert back.response.members == []
    assert driver.group().leader == back.member_id


def test_a_static_member_whose_return_changes_the_protocol_rebalances() -> None:
    driver = Driver()
    both = {"range": b"", "roundrobin": b""}
    a_static_group(driver, protocols=both)
    driver.join(instance_id="one", protocols={"roundrobin": b""})
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE


def test_a_static_member_that_returns_while_others_sync_rebalances() -> None:
    driver = Driver()
    one = driver.join(instance_id="one")
    back = driver.join(instance_id="one")
    assert back.generation == one.generation + 1
    assert list(driver.group().members) == [back.member_id]


def test_a_parked_join_of_the_old_id_is_fenced() -> None:
    driver = Driver()
    _, follower = a_static_group(driver)
    parked = driver.join(follower, instance_id="two", protocols={"range": b"changed"})
    back = driver.join(instance_id="two")
    assert parked.response == refusal(ErrorCode.FENCED_INSTANCE_ID, follower)
    assert back.parked


def test_a_parked_sync_of_the_old_id_is_fenced() -> None:
    driver = Driver()
    leader, follower = a_static_group(driver)
    driver.join(leader, instance_id="one")
    driver.join(follower, instance_id="two")
    parked = driver.sync(follower, 3, instance_id="two")
    driver.join(instance_id="two")
    assert parked.error is ErrorCode.FENCED_INSTANCE_ID


def test_the_replaced_id_is_fenced_with_its_instance_and_unknown_without() -> None:
    driver = Driver()
    _, follower = a_static_group(driver)
    driver.join(instance_id="two")
    assert driver.join(follower, instance_id="two").response == refusal(
        ErrorCode.FENCED_INSTANCE_ID, follower
    )
    assert driver.join(follower).response == refusal(ErrorCode.UNKNOWN_MEMBER_ID, follower)


def test_an_unknown_instance_is_an_unknown_member() -> None:
    driver = Driver()
    leader, _ = a_static_group(driver)
    assert driver.join(leader, instance_id="three").error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_static_member_may_leave_its_instance_id_out() -> None:
    driver = Driver()
    _, follower = a_static_group(driver)
    assert driver.join(follower).error is ErrorCode.NONE


def test_the_sync_of_a_replaced_static_member_is_still_awaited() -> None:
    driver = Driver()
    fields: dict[str, Any] = {"rebalance_ms": 8_000, "session_ms": 30_000}
    one, two = driver.join(instance_id="one", **fields), driver.join(instance_id="two", **fields)
    one = driver.join(one.member_id, instance_id="one", **fields)
    driver.sync(one.member_id, one.generation, {two.member_id: b"two"})
    back = driver.join(instance_id="two", **fields)
    assert driver.sync(back.member_id, back.generation, instance_id="two").response.assignment == b"two"
    driver.advance(7_999)
    assert driver.state() is ClassicGroupState.STABLE
    driver.advance(1)
    assert driver.state() is ClassicGroupState.PREPARING_REBALANCE
    assert list(driver.group().members) == [one.member_id, back.member_id]


# the subscription


def test_the_topics_of_a_consumer_group_are_those_of_all_members_under_the_selected_protocol() -> None:
    driver = Driver()
    first = driver.enter(protocols={"range": subscription("a"), "sticky": subscription("x")})
    driver.enter(protocols={"range": subscription("b", "c")})
    assert driver.group().subscribed_topics == frozenset({"a"})
    driver.join(first.member_id, protocols={"range": subscription("a")})
    assert driver.group().subscribed_topics == frozenset({"a", "b", "c"})


@pytest.mark.parametrize("metadata", [b"", b"\x00", b"\x00\x00\x7f\xff\xff\xff", subscription("a")[:-1]])
def test_metadata_that_cannot_be_read_leaves_the_topics_unknown_and_does_no_harm(metadata: bytes) -> None:
    driver = Driver()
    pending: PendingResponse = driver.enter(protocols={"range": metadata})
    assert pending.error is ErrorCode.NONE
    assert driver.group().subscribed_topics is None
    assert driver.group().is_subscribed("anything")


def test_the_topics_of_groups_of_other_protocol_types_are_not_known() -> None:
    driver = Driver()
    driver.enter(protocol_type="connect", protocols={"range": subscription("a")})
    assert driver.group().subscribed_topics is None
    assert not driver.group().is_subscribed("a")


def test_members_keep_their_protocols_in_their_order() -> None:
    driver = Driver()
    driver.enter(protocols={"b": b"1", "a": b"2"})
    (member,) = driver.group().members.values()
    assert member.protocols == [JoinGroupRequestProtocol("b", b"1"), JoinGroupRequestProtocol("a", b"2")]
