"""ShareGroupHeartbeat. Codes and messages are those of Apache Kafka 4.3.1."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.groups.share_story import FIRST, SECOND, ShareStory
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Record
from tidemark.handlers.groups.share_group_heartbeat import share_group_heartbeat_in_steps
from tidemark_protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

UNKNOWN_MEMBER_ID, TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED = 25, 29, 30
UNSUPPORTED_VERSION, INVALID_REQUEST, GROUP_ID_NOT_FOUND, GROUP_MAX_SIZE_REACHED = 35, 42, 69, 81
FENCED_MEMBER_EPOCH = 110
ABANDON = "The member must abandon all its partitions and rejoin."


def error(response: ShareGroupHeartbeatResponse) -> tuple[int, str | None]:
    assert (response.member_id, response.member_epoch, response.heartbeat_interval_ms) == (None, 0, 0)
    assert response.assignment is None
    return response.error_code, response.error_message


def with_members(**settings: Any) -> ShareStory:
    """Return a group at epoch 3 whose first member has the partitions of topic a."""
    story = ShareStory(**settings)
    story.beat(FIRST, 0, ["a"])
    story.initialize()
    story.passes(1000)
    assert story.shown(story.beat(FIRST, 2)) == (3, {"a": [0, 1, 2]})
    return story


# The request by itself.


@pytest.mark.parametrize(
    ("member_id", "epoch", "topics", "fields", "message"),
    [
        (FIRST, 0, None, {}, "SubscribedTopicNames must be set in first request."),
        (FIRST, 0, [], {}, "SubscribedTopicNames must be set in first request."),
        (FIRST, 0, ["a"], {"group": ""}, "GroupId can't be empty."),
        (FIRST, 0, ["a"], {"group": " "}, "GroupId can't be empty."),
        ("", 0, ["a"], {}, None),
        ("x" * 37, 0, ["a"], {}, None),
        (" ", 0, ["a"], {}, "MemberId can't be empty."),
        (FIRST, -2, ["a"], {}, "MemberEpoch is invalid."),
        (FIRST, 0, ["a"], {"rack_id": ""}, "RackId can't be empty."),
    ],
)
def test_invalid_request_is_refused(
    member_id: str, epoch: int, topics: list[str] | None, fields: dict[str, Any], message: str | None
) -> None:
    story = ShareStory()
    assert error(story.beat(member_id, epoch, topics, **fields)) == (INVALID_REQUEST, message)
    assert story.log == []


def test_share_groups_need_their_feature() -> None:
    story = ShareStory()
    story.cluster.replay(Record(None, FeatureLevelRecord("share.version", 0)))
    assert error(story.beat(FIRST, 0, ["a"])) == (UNSUPPORTED_VERSION, None)


def test_group_must_be_readable_and_topics_visible() -> None:
    story = ShareStory()

    def no_group(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.READ, ResourceType.GROUP, "s")

    def no_topic(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.TOPIC, "b")

    assert error(story.beat(FIRST, 0, ["a"], allowed=no_group)) == (GROUP_AUTHORIZATION_FAILED, None)
    assert error(story.beat(FIRST, 0, ["a", "b"], allowed=no_topic)) == (TOPIC_AUTHORIZATION_FAILED, None)
    assert story.log == []


# The group and its member.


def test_unknown_group() -> None:
    story = ShareStory()
    assert error(story.beat(FIRST, 1, ["a"])) == (GROUP_ID_NOT_FOUND, "Share group s not found.")
    assert error(story.beat(FIRST, -1)) == (GROUP_ID_NOT_FOUND, "Group s not found.")


def test_group_of_another_type() -> None:
    story = ShareStory()
    assert story.commit("s", "a") == 0
    for epoch in (0, 1, -1):
        refused = (GROUP_ID_NOT_FOUND, "Group s is not a share group.")
        assert error(story.beat(FIRST, epoch, ["a"])) == refused


def test_unknown_member() -> None:
    story = with_members()
    refused = (UNKNOWN_MEMBER_ID, f"Member {SECOND} is not a member of group s.")
    assert error(story.beat(SECOND, 5)) == refused
    assert error(story.beat(SECOND, -1)) == refused


def test_epochs_are_compared() -> None:
    story = with_members()
    assert error(story.beat(FIRST, 99)) == (
        FENCED_MEMBER_EPOCH,
        "The share group member has a greater member epoch (99) than the one known by the group coordinator "
        f"(3). {ABANDON}",
    )
    assert error(story.beat(FIRST, 1)) == (
        FENCED_MEMBER_EPOCH,
        "The share group member has a smaller member epoch (1) than the one known by the group coordinator "
        f"(3), and it does not match the previous member epoch (2). {ABANDON}",
    )
    assert story.shown(story.beat(FIRST, 2)) == (3, None)  # the response to the last one may be lost


def test_member_that_joins_again_gets_its_assignment() -> None:
    story = with_members()
    story.written()
    assert story.shown(story.beat(FIRST, 0, ["a"])) == (3, {"a": [0, 1, 2]})
    assert story.log == []


def test_full_group_refuses_another_member() -> None:
    story = with_members(max_size=1)
    message = "The share group has reached its maximum capacity of 1 members."
    assert error(story.beat(SECOND, 0, ["a"])) == (GROUP_MAX_SIZE_REACHED, message)
    assert story.shown(story.beat(FIRST, 3)) == (3, None)


def test_changed_client_is_recorded_without_a_new_epoch() -> None:
    story = with_members()
    story.written()
    assert story.shown(story.beat(FIRST, 3, client_id="other")) == (3, None)
    ((key, value),) = story.written()
    assert (key.API_KEY, value.client_id) == (10, "other")
    assert story.shown(story.beat(FIRST, 3, rack_id="r", client_id="other")) == (3, None)
    assert story.group.members[FIRST].rack_id == "r"


def test_topics_count_in_any_order() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a", "b"])
    story.written()
    assert story.shown(story.beat(FIRST, 2, ["b", "a"])) == (2, {})
    assert story.log == []


def test_heartbeat_interval_is_that_of_the_group() -> None:
    story = ShareStory(heartbeat_interval_ms=7000)
    assert story.beat(FIRST, 0, ["a"]).heartbeat_interval_ms == 7000


def test_long_request_is_decided_in_steps() -> None:
    names = [f"t{number}" for number in range(600)]
    story = ShareStory(dict.fromkeys(names, 1), assignment_interval_ms=0)
    request = ShareGroupHeartbeatRequest("s", FIRST, 0, None, [*names, *names])
    joined = story.ask(share_group_heartbeat_in_steps, request, 1)
    assert story.shown(joined) == (2, {})
    story.initialize()
    epoch, assigned = story.shown(story.beat(FIRST, 2))
    assert (epoch, assigned) == (3, {name: [0] for name in names})
