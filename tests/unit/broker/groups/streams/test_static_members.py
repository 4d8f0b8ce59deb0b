"""Static members and task offsets of Kafka 4.4. tests/conformance compares their responses with Kafka's."""

from __future__ import annotations

from tests.conformance.build_streams import NO_TASKS, streams_heartbeat
from tests.conformance.streaming import one_source
from tests.unit.broker.groups.streams_story import GROUP, MEMBER, TOPIC, StreamsStory
from tidemark.core.decision import Decision
from tidemark.groups.streams.group import StreamsGroup
from tidemark.groups.streams.heartbeat import ALL_TASK_OFFSETS_BYTES_MAX
from tidemark.handlers.groups.streams_group_heartbeat import streams_group_heartbeat
from tidemark_protocol.by_name import from_dict

TASKS = 500


def test_task_offsets_beyond_the_limit_are_not_kept() -> None:
    """docs/kafka-4.4.md: 1 MiB, which is those of 10,000 tasks."""
    story = StreamsStory(1, release="4.4")
    epoch = story.join()["MemberEpoch"]
    many = [("0", partition, partition) for partition in range(20_000)]
    assert story.beat(epoch, offsets=many, end_offsets=[("x" * 30_000, 0, 1), *many])["ErrorCode"] == 0
    (member,) = story.describe()["Groups"][0]["Members"]
    assert 10_000 < len(member["TaskOffsets"]) < 11_000
    assert 10_000 < len(member["TaskEndOffsets"]) < 10_500
    names = [("x" * 30_000 + str(number), 0, 1) for number in range(100)]
    story.beat(epoch, offsets=names)
    (member,) = story.describe()["Groups"][0]["Members"]
    assert len(member["TaskOffsets"]) == 34


def test_names_of_a_subtopology_are_kept_once() -> None:
    story = StreamsStory(1, release="4.4")
    epoch = story.join()["MemberEpoch"]
    story.beat(epoch, offsets=[("x" * 30_000, partition, 1) for partition in range(5000)])
    (member,) = story.describe()["Groups"][0]["Members"]
    assert len(member["TaskOffsets"]) == 5000


def test_static_member_that_returns_while_a_large_target_is_computed_has_its_tasks() -> None:
    story = StreamsStory(TASKS, release="4.4")
    epoch = story.join(instance="i1")["MemberEpoch"]
    story.beat(epoch, instance="i1")
    _, version, fields = streams_heartbeat(
        GROUP, "m2", 0, topology=one_source(TOPIC), rebalance_ms=30_000, process="p2",
        active=NO_TASKS, standby=NO_TASKS, warmup=NO_TASKS,
    )  # fmt: skip
    request = from_dict("StreamsGroupHeartbeatRequest", fields)
    joining = streams_group_heartbeat(story.groups, story.context(version, client_id="m2"), request)
    has_returned = False
    while True:
        try:
            step = next(joining)
        except StopIteration as last:
            story.accept(last.value)
            break
        if isinstance(step, Decision):
            story.accept(step)
        elif not has_returned and len(group_of(story).members) == 2:
            story.beat(-2, instance="i1")
            assert story.join(instance="i1", member="m3")["ErrorCode"] == 0
            has_returned = True
    assert has_returned
    assert group_of(story).targets.keys() == {"m2", "m3"}
    active = [task for target in group_of(story).targets.values() for task in target.active["0"]]
    assert sorted(active) == list(range(TASKS))


def group_of(story: StreamsStory) -> StreamsGroup:
    group = story.groups.groups[GROUP]
    assert isinstance(group, StreamsGroup)
    return group


def test_static_member_that_is_away_is_removed_when_its_session_ends() -> None:
    story = StreamsStory(1, release="4.4")
    story.join(instance="i1")
    story.passes(20_000)
    story.beat(-2, instance="i1")  # the session goes on
    story.passes(24_999)
    story.settle()
    assert [*group_of(story).members] == [MEMBER]
    story.passes(1)
    story.settle()
    assert not group_of(story).members
    assert not group_of(story).static_members


def test_static_members_are_known_after_a_restart() -> None:
    story = StreamsStory(1, release="4.4")
    story.join(instance="i1")
    story.join(instance="i2", member="m2")
    story.join(instance="i3", member="m2", process="p9")
    story.beat(-2, instance="i1")
    story.join(instance="i1", member="m3")
    assert group_of(story).static_members == {"i1": "m3", "i3": "m2"}
    restarted = story.restarted("4.4").groups[GROUP]
    assert isinstance(restarted, StreamsGroup)
    assert restarted.static_members == group_of(story).static_members
    assert restarted.members == group_of(story).members


def test_task_offsets_of_all_members_are_bounded_together() -> None:
    story = StreamsStory(1, release="4.4")
    many = [("x", partition, partition) for partition in range(10_400)]
    for number in range(2):
        epoch = story.join(member=f"hostile-{number}")["MemberEpoch"]
        story.beat(epoch, member=f"hostile-{number}", offsets=many, end_offsets=many)
    each = story.groups.task_offsets_bytes // 2
    assert 2_000_000 < each < 2_100_000
    story.groups.task_offsets_bytes += ALL_TASK_OFFSETS_BYTES_MAX - 2 * each - 1000  # as if of other groups
    epoch = story.join()["MemberEpoch"]
    assert story.beat(epoch, offsets=many, end_offsets=many)["ErrorCode"] == 0
    assert reported(story, MEMBER) == ([], [])
    assert story.beat(epoch, offsets=many[:5], end_offsets=[])["ErrorCode"] == 0
    assert story.beat(epoch, offsets=many)["ErrorCode"] == 0
    assert len(reported(story, MEMBER)[0]) == 5
    story.beat(-1, member="hostile-0")
    assert story.beat(epoch, offsets=many, end_offsets=many)["ErrorCode"] == 0
    assert len(reported(story, MEMBER)[0]) == len(reported(story, MEMBER)[1]) == len(many)


def test_memory_of_task_offsets_is_given_back() -> None:
    story = StreamsStory(1, release="4.4")
    for member, instance in (("m1", None), ("m2", "i2"), ("m3", None)):
        story.join(member=member, instance=instance)
    for member, instance in (("m1", None), ("m2", "i2"), ("m3", None)):
        epoch = group_of(story).members[member].epoch
        story.beat(epoch, member=member, instance=instance, offsets=[("0", 0, 1)], end_offsets=[("0", 0, 2)])
    assert story.groups.task_offsets_bytes == 3 * 2 * 201
    story.beat(group_of(story).members["m1"].epoch, member="m1", offsets=[], end_offsets=[])
    assert story.groups.task_offsets_bytes == 2 * 2 * 201
    story.beat(-2, member="m2", instance="i2")
    story.join(member="m4", instance="i2")
    story.beat(-1, member="m3")
    assert story.groups.task_offsets_bytes == 0


def reported(story: StreamsStory, member_id: str) -> tuple[list[object], list[object]]:
    described = story.describe()["Groups"][0]["Members"]
    (member,) = (each for each in described if each["MemberId"] == member_id)
    return member["TaskOffsets"], member["TaskEndOffsets"]
