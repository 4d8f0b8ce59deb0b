"""JoinGroup."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.group_story import subscription
from tests.unit.broker.groups.classic_story import (
    EVERYTHING,
    REBALANCE_MS,
    SESSION_MS,
    ClassicStory,
    PendingRequest,
    a_stable_group,
    stable,
)
from tidemark.core.decision import Record
from tidemark.groups.classic.member import ClassicGroupState
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import (
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue


def refusal(code: ErrorCode, member_id: str = "", protocol_name: str | None = None) -> JoinGroupResponse:
    return JoinGroupResponse(0, code, -1, None, protocol_name, "", False, member_id, [])


def a_static_group(story: ClassicStory, **fields: Any) -> list[str]:
    """Make a group with members "one" (the leader) and "two", Stable in generation 2."""
    one = story.join(instance_id="one", **fields)
    two = story.join(instance_id="two", **fields)
    one = story.join(one.member_id, instance_id="one", **fields)
    return stable(story, [one, two])


# checks, in order


def test_a_group_that_may_not_be_read_is_refused_first_without_its_member_id() -> None:
    story = ClassicStory()
    story.forbid("")
    pending = story.join("some-id", group_id="", session_ms=1)
    assert pending.response == refusal(ErrorCode.GROUP_AUTHORIZATION_FAILED)


def test_an_empty_group_id_is_invalid() -> None:
    pending = ClassicStory().join("some-id", group_id="", session_ms=1)
    assert pending.response == refusal(ErrorCode.INVALID_GROUP_ID, "some-id")


@pytest.mark.parametrize("session_ms", [5_999, 1_800_001, -1])
def test_a_session_timeout_out_of_bounds_is_refused(session_ms: int) -> None:
    pending = ClassicStory().join("some-id", session_ms=session_ms)
    assert pending.response == refusal(ErrorCode.INVALID_SESSION_TIMEOUT, "some-id")


def test_while_the_partition_loads_the_error_makes_clients_retry() -> None:
    story = ClassicStory()
    story.groups.serve(1)
    assert story.join("some-id").response == refusal(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)


def test_a_new_group_is_written_as_empty() -> None:
    story = ClassicStory()
    story.join()
    assert story.log == [
        Record(GroupMetadataKey("g"), GroupMetadataValue("", 0, None, None, story.wall_ms, []))
    ]


def test_a_new_group_is_written_even_if_the_join_is_refused() -> None:
    story = ClassicStory()
    assert story.join(protocols={}).response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    assert story.log[0].key == GroupMetadataKey("g")
    assert (story.group().state, story.group().protocol_type) == (ClassicGroupState.EMPTY, None)


def test_joining_a_simple_group_writes_nothing() -> None:
    story = ClassicStory()
    story.groups.replay(Record(OffsetCommitKey("g", "t", 0), OffsetCommitValue(5, -1, "", 1)))
    assert story.join().error is ErrorCode.MEMBER_ID_REQUIRED
    assert story.log == []


@pytest.mark.parametrize("version", [4, 6])
def test_before_v7_the_protocol_name_is_empty_rather_than_null(version: int) -> None:
    assert ClassicStory().join("id", version=version).response == refusal(
        ErrorCode.UNKNOWN_MEMBER_ID, "id", ""
    )


# new members


def test_version_0_has_no_rebalance_timeout_of_its_own() -> None:
    story = ClassicStory()
    story.join(version=0, session_ms=7_000, rebalance_ms=-1)
    (member,) = story.group().members.values()
    assert member.rebalance_timeout_ms == 7_000


def test_completing_a_join_writes_nothing() -> None:
    story = ClassicStory()
    story.enter()
    assert story.status() is ClassicGroupState.COMPLETING_REBALANCE
    assert len(story.log) == 1  # the group's creation


# protocols


@pytest.mark.parametrize(
    ("protocol_type", "protocols"),
    [("", EVERYTHING), ("consumer", {}), ("connect", EVERYTHING), ("consumer", {"sticky": b""})],
)
def test_protocols_that_do_not_fit_are_refused(protocol_type: str, protocols: dict[str, bytes]) -> None:
    story = ClassicStory()
    a_stable_group(story)
    pending = story.join(protocol_type=protocol_type, protocols=protocols)
    assert pending.response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def test_the_protocol_that_most_members_prefer_among_the_common_ones_is_chosen() -> None:
    story = ClassicStory()
    both = {"range": b"", "sticky": b""}
    joins = [
        story.enter(protocols=both),
        *(story.enter(protocols={"sticky": b"", "x": b"", "range": b""}) for _ in "ab"),
    ]
    story.join(joins[0].member_id, protocols=both)
    assert joins[1].response.protocol_name == "sticky"


# members that join again


def test_a_parked_sync_gets_a_response_when_another_rebalance_begins() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    story.join(follower, protocols={"range": b"other"})
    story.join(leader)
    parked = story.sync(follower, 3)
    story.enter()
    assert parked.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert parked.response.protocol_type is None
    assert all(member.assignment == b"" for member in story.group().members.values())


def test_assignments_of_a_stable_group_outlive_the_rebalance_until_the_next_sync() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    story.join(leader)
    story.join(follower)
    assert story.status() is ClassicGroupState.COMPLETING_REBALANCE
    assert story.group().members[follower].assignment == follower.encode()


# group.max.size


@pytest.mark.parametrize("version", [0, 3, 4, 9])
def test_a_client_id_that_leaves_no_room_for_a_member_id_leaves_no_member(version: int) -> None:
    story = ClassicStory()
    refused = story.join(client_id="c" * 32_763, version=version)  # the id adds "-0001"
    assert refused.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert not story.group().members
    assert not story.group().pending
    assert story.join(client_id="c" * 32_762, version=version).error in (
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
    story = ClassicStory()
    pending = story.join()
    for member_id in ("", pending.member_id):
        assert story.join(member_id, **fields).error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert not story.group().members


def test_a_member_does_not_rejoin_with_a_name_that_outgrows_a_string() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    refused = story.join(member, protocols={**EVERYTHING, "\ufffd" * 10_923: b""})
    assert refused.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert story.heartbeat(member, 1) is ErrorCode.NONE


def test_a_pending_id_is_dropped_when_the_group_has_become_full() -> None:
    story = ClassicStory(max_size=1)
    early, late = story.join(), story.join()
    story.join(early.member_id)
    assert story.join(late.member_id).response == refusal(ErrorCode.GROUP_MAX_SIZE_REACHED)
    assert story.group().pending == {}


def test_while_a_rebalance_is_open_as_many_may_wait_as_the_group_may_have() -> None:
    story = ClassicStory(max_size=2)
    leader, follower = a_stable_group(story, members=2)
    story.restart(max_size=1)
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE
    waiting = story.join(leader)
    turned_away = story.join(follower)
    assert turned_away.response == refusal(ErrorCode.GROUP_MAX_SIZE_REACHED)
    assert waiting.generation == 3
    assert list(story.group().members) == [leader]


def test_a_group_that_is_too_large_after_a_restart_rebalances() -> None:
    story = ClassicStory()
    a_stable_group(story, members=2)
    story.restart(max_size=1)
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE


# static members


def test_a_replaced_static_member_is_written_with_its_assignment_and_first_client() -> None:
    story = ClassicStory()
    leader, follower = a_static_group(story)
    since_ms = story.group().state_since_ms
    story.advance(100)
    back = story.join(
        instance_id="two",
        protocols={"range": b"changed"},
        client_id="elsewhere",
        session_ms=7_000,
        rebalance_ms=8_000,
    )
    assert story.log[-1] == Record(
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


def test_the_sync_of_a_replaced_static_member_is_still_awaited() -> None:
    story = ClassicStory()
    fields: dict[str, Any] = {"rebalance_ms": 8_000, "session_ms": 30_000}
    one, two = story.join(instance_id="one", **fields), story.join(instance_id="two", **fields)
    one = story.join(one.member_id, instance_id="one", **fields)
    story.sync(one.member_id, one.generation, {two.member_id: b"two"})
    back = story.join(instance_id="two", **fields)
    assert story.sync(back.member_id, back.generation, instance_id="two").response.assignment == b"two"
    story.advance(7_999)
    assert story.status() is ClassicGroupState.STABLE
    story.advance(1)
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE
    assert list(story.group().members) == [one.member_id, back.member_id]


# the subscription


def test_the_topics_of_a_consumer_group_are_those_of_all_members_under_the_selected_protocol() -> None:
    story = ClassicStory()
    first = story.enter(protocols={"range": subscription(["a"]), "sticky": subscription(["x"])})
    story.enter(protocols={"range": subscription(["b", "c"])})
    assert story.group().subscribed_topics == frozenset({"a"})
    story.join(first.member_id, protocols={"range": subscription(["a"])})
    assert story.group().subscribed_topics == frozenset({"a", "b", "c"})


@pytest.mark.parametrize("metadata", [b"", b"\x00", b"\x00\x00\x7f\xff\xff\xff", subscription(["a"])[:-1]])
def test_metadata_that_cannot_be_read_leaves_the_topics_unknown_and_does_no_harm(metadata: bytes) -> None:
    story = ClassicStory()
    pending: PendingRequest = story.enter(protocols={"range": metadata})
    assert pending.error is ErrorCode.NONE
    assert story.group().subscribed_topics is None
    assert story.group().is_subscribed("anything")


def test_the_topics_of_groups_of_other_protocol_types_are_not_known() -> None:
    story = ClassicStory()
    story.enter(protocol_type="connect", protocols={"range": subscription(["a"])})
    assert story.group().subscribed_topics is None
    assert not story.group().is_subscribed("a")


def test_members_keep_their_protocols_in_their_order() -> None:
    story = ClassicStory()
    story.enter(protocols={"b": b"1", "a": b"2"})
    (member,) = story.group().members.values()
    assert member.protocols == [JoinGroupRequestProtocol("b", b"1"), JoinGroupRequestProtocol("a", b"2")]
