"""Groups that migrate while they have members. conformance/cases/consumer_migration*.py has the rest."""

from __future__ import annotations

from tests.unit.broker.groups.migration_story import MigrationStory, assigned
from tests.unit.broker.story import finished
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.groups.consumer.group import ConsumerGroup, ConsumerGroupState
from tidemark.handlers.groups.leave_group import leave_group
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity

NONE, REBALANCE, UNKNOWN_MEMBER = (
    ErrorCode.NONE,
    ErrorCode.REBALANCE_IN_PROGRESS,
    ErrorCode.UNKNOWN_MEMBER_ID,
)
SECOND = 1_000


def test_a_consumer_joins_a_classic_group_and_both_share_its_partitions() -> None:
    story = MigrationStory()
    (old,) = story.stable_classic([0, 1, 2, 3, 4, 5])
    assert story.shown(story.join("new")) == (2, {})

    assert story.classic_beat(old, 1) == REBALANCE
    rejoined = story.classic_join(old, owns={"c": [0, 1, 2, 3, 4, 5]})
    assert rejoined.response.generation_id == 1  # it must give up its partitions first
    assert assigned(story.classic_sync(old, 1).response) == {"c": [0, 1, 2]}
    assert story.shown(story.beat("new", 2)) == (2, None)
    assert story.classic_join(old, owns={"c": [0, 1, 2]}).response.generation_id == 2
    assert assigned(story.classic_sync(old, 2).response) == {"c": [0, 1, 2]}
    assert story.classic_beat(old, 2) == NONE
    assert story.shown(story.beat("new", 2)) == (2, {"c": [3, 4, 5]})
    assert story.group.state is ConsumerGroupState.STABLE


def test_parked_requests_are_answered_when_a_consumer_joins() -> None:
    story = MigrationStory()
    one, two = story.stable_classic([0, 1, 2], [3, 4, 5])
    parked = story.classic_join(one)
    assert parked.response is None
    story.join("new")
    assert parked.error == REBALANCE
    assert parked.response.member_id == one
    assert story.classic_beat(two, 2) == REBALANCE


def test_parked_syncs_are_answered_when_a_consumer_joins() -> None:
    story = MigrationStory()
    one, two = story.stable_classic([0, 1, 2], [3, 4, 5])
    joining = [story.classic_join(each) for each in (one, two)]
    generation = joining[0].response.generation_id
    follower = two if story.classic.leader == one else one
    parked = story.classic_sync(follower, generation)
    assert parked.response is None
    story.join("new")
    assert parked.error == REBALANCE


def test_parked_requests_are_answered_even_if_the_consumer_is_refused() -> None:
    story = MigrationStory(max_size=2)
    one, two = story.stable_classic([0, 1, 2], [3, 4, 5])
    parked = story.classic_join(one)
    assert story.join("new").error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert parked.error == REBALANCE
    again = [story.classic_join(each) for each in (one, two)]
    assert [each.error for each in again] == [NONE, NONE]


def test_a_member_leaves_even_if_its_group_migrates_while_the_request_is_decided() -> None:
    story = MigrationStory()
    one, two = story.stable_classic([0, 1, 2], [3, 4, 5])
    request = LeaveGroupRequest("g", members=[MemberIdentity(one), MemberIdentity("unknown")])
    ctx = story.context(3)
    steps = leave_group(story.groups, ctx, request)
    next(steps)
    story.join("new")
    story.accept(finished(steps, story.accept))
    assert {*story.group.members} == {two, "new"}


def test_a_classic_member_keeps_its_own_session_timeout() -> None:
    story = MigrationStory()
    old, other = story.stable_classic([0, 1, 2], [3, 4, 5])
    story.join("new")
    story.passes(9 * SECOND)
    story.settle()
    story.classic_beat(old, 2)
    story.passes(2 * SECOND)
    story.settle()
    assert {*story.group.members} == {old, "new"}
    assert story.classic_beat(other, 2) == UNKNOWN_MEMBER


def test_a_classic_member_that_does_not_rejoin_is_removed_after_its_rebalance_timeout() -> None:
    story = MigrationStory()
    (old,) = story.stable_classic([0, 1, 2, 3, 4, 5])
    story.join("new")
    for _ in range(12):
        assert story.classic_beat(old, 1) == REBALANCE
        story.passes(5 * SECOND)
        story.beat("new", 2)
    story.settle()
    assert {*story.group.members} == {"new"}


def test_a_classic_member_that_does_not_sync_is_removed_after_its_rebalance_timeout() -> None:
    story = MigrationStory()
    story.join("old")
    member_id = story.classic_join().response.member_id
    for _ in range(12):
        assert story.classic_beat(member_id, story.group.group_epoch) == NONE
        story.passes(5 * SECOND)
        story.beat("old", story.group.members["old"].epoch)
    story.settle()
    assert {*story.group.members} == {"old"}


def test_the_group_is_classic_again_when_the_last_consumer_leaves() -> None:
    story = MigrationStory()
    (old,) = story.stable_classic([0, 1, 2, 3, 4, 5])
    story.join("new")
    assert story.beat("new", -1).error_code == NONE
    assert story.classic.state is ClassicGroupState.PREPARING_REBALANCE
    assert story.classic_beat(old, 2) == REBALANCE
    rejoined = story.classic_join(old)
    assert (rejoined.error, rejoined.response.generation_id, rejoined.response.leader) == (NONE, 3, old)
    synced = story.classic_sync(old, 3, {old: {"c": [0, 1, 2, 3, 4, 5]}})
    assert assigned(synced.response) == {"c": [0, 1, 2, 3, 4, 5]}


def test_the_group_is_classic_again_when_the_last_consumers_session_ends() -> None:
    story = MigrationStory(session_timeout_ms=5_000)
    (old,) = story.stable_classic([0, 1, 2, 3, 4, 5])
    story.join("new")
    story.passes(6 * SECOND)
    story.settle()
    assert story.classic.state is ClassicGroupState.PREPARING_REBALANCE
    story.passes(9 * SECOND)  # the session of the classic member began anew
    story.settle()
    assert story.classic_beat(old, 2) == REBALANCE
    story.passes(11 * SECOND)
    story.settle()
    assert story.classic.state is ClassicGroupState.EMPTY


def test_a_downgraded_group_knows_all_protocols_of_its_members() -> None:
    """Its record holds one protocol of each member only."""
    story = MigrationStory()
    story.join("new")
    story.classic_join(names=("range", "sticky"))
    story.beat("new", -1)
    assert story.classic_join(names=("sticky",), version=4).error == ErrorCode.MEMBER_ID_REQUIRED
    assert story.classic_join(names=("other",), version=4).error == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_a_restart_keeps_a_mixed_group() -> None:
    story = MigrationStory()
    (old,) = story.stable_classic([0, 1, 2, 3, 4, 5], instances=("i",))
    story.join("new")
    live = story.group
    story.groups = story.restarted()
    assert isinstance(story.group, ConsumerGroup)
    assert story.group.members == live.members
    assert (story.group.group_epoch, story.group.targets) == (live.group_epoch, live.targets)
    assert story.group.members[old].is_classic

    rejoined = story.classic_join(old, instance_id="i", owns={"c": [0, 1, 2]})
    assert rejoined.response.generation_id == 2
    assert story.shown(story.beat("new", 2)) == (2, {"c": [3, 4, 5]})


def test_a_restart_keeps_a_downgraded_group() -> None:
    story = MigrationStory()
    (old,) = story.stable_classic([0, 1, 2, 3, 4, 5])
    story.join("new")
    story.beat("new", -1)
    story.groups = story.restarted()
    assert story.classic.generation == 2
    assert story.classic_beat(old, 2) == NONE  # a rebalance is not recorded


def test_a_group_migrates_in_one_batch() -> None:
    """A crash leaves the group as it was before or after."""
    story = MigrationStory()
    story.stable_classic([0, 1, 2, 3, 4, 5])
    batches: list[int] = []
    write = story.write
    story.write = lambda records, ms: (batches.append(len(records)), write(records, ms))[1]  # type: ignore[method-assign]
    story.join("new")
    story.beat("new", -1)
    assert batches == [12, 10]
