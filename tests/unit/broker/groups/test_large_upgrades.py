"""A large classic group becomes a consumer group in short steps, between which other requests are served."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.unit.broker.groups.migration_story import MigrationStory, assignment, subscription
from tests.unit.broker.groups.test_large_groups import calls
from tests.unit.broker.story import PendingRequest
from tidemark.core.decision import Decision
from tidemark.groups.classic.member import group_record
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.heartbeat import RECORDS_OF_A_MEMBER, STEP_MEMBERS
from tidemark.handlers.groups.consumer_group_heartbeat import consumer_group_heartbeat
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tidemark_protocol.records.group_metadata import GroupMetadataValue, MemberMetadata

TOO_MANY: Final = 4_000  # their records exceed a batch of 1 MiB
STEP_CALLS_MAX: Final = 8 * TOO_MANY  # about 5 ms. To convert all of them needs 200 calls for each
MEMBERS: Final = 4 * STEP_MEMBERS
MANY: Final = 2_000  # their records fit in a batch of 1 MiB


def a_group(members: int) -> MigrationStory:
    """Return a Stable classic group, in which each member has a partition of c."""
    story = MigrationStory({"c": members})
    each = [
        MemberMetadata(
            f"client-{number:036}",
            None,
            "client",
            "/127.0.0.1",
            60_000,
            45_000,
            subscription("c"),
            assignment({"c": [number]}),
        )
        for number in range(members)
    ]
    value = GroupMetadataValue("consumer", 1, "range", each[0].member_id, 1, each)
    story.accept(Decision(records=(group_record("g", value),)))
    story.groups.start_sessions(story.now)
    return story


class Joining:
    """A consumer that joins, step by step."""

    def __init__(self, story: MigrationStory) -> None:
        self.story = story
        self.ctx = story.context(1, pending=PendingRequest(1))
        self.request = ConsumerGroupHeartbeatRequest(
            "g", "new", 0, rebalance_timeout_ms=60_000, subscribed_topic_names=["c"], topic_partitions=[]
        )
        self.decided: Any = None
        self.steps: Any = None

    def begin(self) -> None:
        self.steps = consumer_group_heartbeat(self.story.groups, self.ctx, self.request)

    def step(self) -> None:
        try:
            part = next(self.steps)
        except StopIteration as done:
            self.decided = done.value
        else:
            if isinstance(part, Decision):
                self.story.accept(part)

    def ends(self) -> Any:
        """Return the response."""
        while self.decided is None:
            self.step()
        self.story.accept(self.decided)
        self.story.settle()
        return self.decided.response


def test_a_join_that_is_refused_for_its_size_takes_short_steps() -> None:
    story = a_group(TOO_MANY)
    joining = Joining(story)
    assert calls(joining.begin) <= STEP_CALLS_MAX
    while joining.decided is None:
        assert calls(joining.step) <= STEP_CALLS_MAX
    assert joining.decided.response.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert not joining.decided.records
    assert len(story.classic.members) == TOO_MANY
    assert story.classic_beat(next(iter(story.classic.members)), 1) == ErrorCode.NONE


@pytest.mark.slow
def test_records_of_a_conversion_are_made_in_short_steps() -> None:
    joining = Joining(a_group(MANY))
    joining.begin()
    part = None
    while not isinstance(part, Decision):
        steps: list[Any] = []
        assert calls(lambda: steps.append(next(joining.steps))) <= STEP_CALLS_MAX  # noqa: B023
        part = steps[0]
    assert len(part.records) > RECORDS_OF_A_MEMBER * MANY


def test_a_large_group_is_upgraded_as_a_small_one() -> None:
    story = a_group(MEMBERS)
    joining = Joining(story)
    joining.begin()
    response = joining.ends()
    assert (response.error_code, response.member_epoch) == (ErrorCode.NONE, 2)
    assert len(story.group.members) == MEMBERS + 1


def leaves(story: MigrationStory) -> None:
    story.classic_leave(*[*story.classic.members][-3:])


def rejoins(story: MigrationStory) -> None:
    story.classic_join([*story.classic.members][-1], names=("roundrobin", "range"))


def adds_a_topic(story: MigrationStory) -> None:
    story.create_topic("other", 1, story.wall_ms)


@pytest.mark.parametrize("change", [leaves, rejoins, adds_a_topic])
def test_a_change_during_the_upgrade_counts(change: Callable[[MigrationStory], None]) -> None:
    story = a_group(MEMBERS)
    joining = Joining(story)
    joining.begin()
    joining.step()
    assert joining.decided is None
    change(story)
    members = {each.member_id: each.protocols for each in story.classic.members.values()}
    assert joining.ends().error_code == ErrorCode.NONE
    joined = dict(story.group.members)
    del joined["new"]
    assert {each.member_id: each.classic.supported_protocols[0].name for each in joined.values()} == {  # type: ignore[union-attr]
        member_id: protocols[0].name for member_id, protocols in members.items()
    }


def test_a_group_that_is_deleted_during_the_upgrade_is_created_anew() -> None:
    story = a_group(MEMBERS)
    joining = Joining(story)
    joining.begin()
    joining.step()
    story.accept(Decision(records=(group_record("g", None),)))
    assert joining.ends().error_code == ErrorCode.NONE
    assert [*story.group.members] == ["new"]


def test_two_consumers_join_at_once() -> None:
    story = a_group(MEMBERS)
    first, second = Joining(story), Joining(story)
    second.request.member_id = "newer"
    for joining in (first, second):
        joining.begin()
        joining.step()
    assert first.ends().error_code == ErrorCode.NONE
    assert second.ends().error_code == ErrorCode.NONE
    assert isinstance(story.groups.groups["g"], ConsumerGroup)
    assert {"new", "newer"} <= story.group.members.keys()
    assert len(story.group.members) == MEMBERS + 2


def test_requests_that_wait_are_answered_after_the_steps() -> None:
    story = a_group(MEMBERS)
    member_id = next(iter(story.classic.members))
    joining = Joining(story)
    joining.begin()
    joining.step()
    parked = story.classic_join(member_id)
    assert parked.response is None
    assert joining.ends().error_code == ErrorCode.NONE
    assert parked.error == ErrorCode.REBALANCE_IN_PROGRESS
