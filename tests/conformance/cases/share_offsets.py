"""DescribeShareGroupOffsets, AlterShareGroupOffsets and DeleteShareGroupOffsets."""

from __future__ import annotations

from tests.conformance.build_admin import delete_records
from tests.conformance.build_share import (
    ACCEPT,
    REJECT,
    RELEASE,
    alter_share_offsets,
    delete_share_offsets,
    describe_share_offsets,
)
from tests.conformance.case import Fields, Talk
from tests.conformance.cases.share_states import State
from tests.conformance.sharing import (
    Sharer,
    a_sharer,
    ask_described,
    fill,
    filled_topic,
    share_topic,
    sharers,
    shares,
    started,
)


def in_order(response: Fields) -> Fields:
    """keep= of DescribeShareGroupOffsets: sort topics and partitions."""
    groups = [
        {
            **group,
            "Topics": [
                {**t, "Partitions": sorted(t["Partitions"], key=lambda p: p["PartitionIndex"])}
                for t in sorted(group["Topics"], key=lambda t: t["TopicName"])
            ],
        }
        for group in response["Groups"]
    ]
    return {**response, "Groups": groups}


def topics_in_order(response: Fields) -> Fields:
    """keep= of the other two."""
    return {**response, "Responses": sorted(response["Responses"], key=lambda t: t["TopicName"])}


def ask_offsets(one: Sharer, version: int = 1) -> None:
    one.talk.ask(*describe_share_offsets((one.group, None), version=version), keep=in_order)


def gone(one: Sharer, topic: str = "", first: int = 0, last: int = -1) -> Sharer:
    """Release the records that the member holds, close its session and leave the group."""
    released = {topic: {0: [(first, last, RELEASE)]}} if last >= first else None
    one.acknowledge(released, epoch=-1, kept=False)
    one.session = 0
    one.leave(kept=False)
    return one


@shares(versions=(0, 1))
def offsets_of_a_share_group(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = a_sharer(k, topic)
    ask_offsets(one, version)
    one.fetch_until({topic: [0]}, kept=False)
    ask_offsets(one, version)
    one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}}, kept=False)
    ask_offsets(one, version)
    one.acknowledge({topic: {0: [(6, 7, ACCEPT)]}}, kept=False)
    ask_offsets(one, version)
    one.acknowledge({topic: {0: [(3, 5, REJECT), (8, 9, RELEASE)]}}, kept=False)
    ask_offsets(one, version)
    fill(k, topic, 4)
    ask_offsets(one, version)


@shares
def offsets_of_several_topics(k: Talk) -> None:
    first, second = filled_topic(k, 5, partitions=2), filled_topic(k, 3)
    (one,) = sharers(k, 1, {first: 2, second: 1})
    one.fetch_until({first: [0]}, kept=False)
    one.acknowledge({first: {0: [(0, 3, ACCEPT)]}}, kept=False)
    ask_offsets(one)
    for wanted in (
        {first: [0]}, {first: [1, 0], second: [0]}, {first: [7, -1]}, {"nothing": [0]}, {first: []}, {},
        {first: [0, 0]},
    ):  # fmt: skip
        k.ask(*describe_share_offsets((one.group, wanted)), keep=in_order)


@shares
def offsets_of_several_groups(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one, two = started(k, topic), a_sharer(k, topic)
    k.ask(
        *describe_share_offsets(
            (one.group, None), (two.group, {topic: [0]}), (k.name("nothing"), None), ("", {topic: [0]})
        ),
        keep=in_order,
    )
    k.ask(*describe_share_offsets((one.group, None), (one.group, {topic: [0]})), keep=in_order)
    k.ask(*describe_share_offsets())
    k.ask(*describe_share_offsets(("", None)))


@shares
def offsets_after_records_are_deleted(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}}, kept=False)
    k.do(*delete_records({topic: {0: 7}}))
    ask_offsets(one)
    one.fetch({topic: [0]}, kept=False)
    one.acknowledge({topic: {0: [(2, 9, RELEASE)]}}, kept=False)
    ask_offsets(one)


@shares
def offsets_of_an_empty_group_are_altered(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}}, kept=False)
    gone(one, topic, 5, 9)
    k.ask(*alter_share_offsets(one.group, {topic: {0: 2}}), keep=topics_in_order)
    ask_offsets(one)
    one.join(topic, kept=False)
    one.beat_until({topic: [0]})
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(5, 9, RELEASE)]}})
    gone(one)
    k.ask(*alter_share_offsets(one.group, {topic: {0: 9}}), keep=topics_in_order)
    ask_offsets(one)
    one.fetch_until({topic: [0]})


@shares
def odd_offsets_are_altered(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = gone(started(k, topic), topic, 0, 9)
    for offset in (0, 10, 11, 1000, -1, -2, 2**63 - 1):
        k.ask(*alter_share_offsets(one.group, {topic: {0: offset}}), keep=topics_in_order)
        ask_offsets(one)


@shares
def altered_offset_is_beyond_the_end(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = gone(started(k, topic), topic, 0, 9)
    k.ask(*alter_share_offsets(one.group, {topic: {0: 20}}), keep=topics_in_order)
    one.fetch({topic: [0]}, max_wait_ms=500)
    one.fetch({topic: [0]}, max_wait_ms=500)
    fill(k, topic, 15)
    one.fetch_until({topic: [0]})


@shares
def altered_offset_is_below_the_start_of_the_log(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = gone(started(k, topic), topic, 0, 9)
    k.do(*delete_records({topic: {0: 6}}))
    k.ask(*alter_share_offsets(one.group, {topic: {0: 2}}), keep=topics_in_order)
    ask_offsets(one)
    one.fetch_until({topic: [0]})


@shares
def offsets_of_a_group_with_members_are_altered(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = a_sharer(k, topic)
    k.ask(*alter_share_offsets(one.group, {topic: {0: 2}}), keep=topics_in_order)
    k.ask(*delete_share_offsets(one.group, topic), keep=topics_in_order)
    k.ask(*alter_share_offsets(one.group, {}), keep=topics_in_order)
    k.ask(*delete_share_offsets(one.group), keep=topics_in_order)


@shares
def unknown_offsets_are_altered(k: Talk) -> None:
    topic, other = filled_topic(k, 10), share_topic(k, 2)
    one = gone(a_sharer(k, topic))
    for offsets in (
        {"nothing": {0: 1}}, {topic: {7: 1}}, {topic: {-1: 1}}, {topic: {0: 1, 3: 1}, "nothing": {0: 1}},
        {topic: {}}, {},
    ):  # fmt: skip
        k.ask(*alter_share_offsets(one.group, offsets), keep=topics_in_order)
    ask_offsets(one)
    k.ask(*alter_share_offsets(one.group, {other: {0: 0, 1: 5}}), keep=topics_in_order)
    ask_offsets(one)
    ask_described(one)


@shares
def offsets_of_unknown_groups_are_altered(k: Talk) -> None:
    topic = filled_topic(k, 10)
    for group in (k.group(), "", " "):
        k.ask(*alter_share_offsets(group, {topic: {0: 2}}), keep=topics_in_order)
        k.ask(*delete_share_offsets(group, topic), keep=topics_in_order)
        k.ask(*alter_share_offsets(group, {}), keep=topics_in_order)
        k.ask(*delete_share_offsets(group), keep=topics_in_order)


@shares
def offsets_are_altered_while_a_session_is_open(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.leave(kept=False)
    k.ask(*alter_share_offsets(one.group, {topic: {0: 2}}), keep=topics_in_order)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.fetch_until({topic: [0]})
    ask_offsets(one)


@shares
def offsets_of_an_empty_group_are_deleted(k: Talk) -> None:
    first, second = filled_topic(k, 5), filled_topic(k, 3)
    (one,) = sharers(k, 1, {first: 1, second: 1})
    one.fetch_until({first: [0]}, kept=False)
    one.acknowledge({first: {0: [(0, 2, ACCEPT)]}}, kept=False)
    gone(one, first, 3, 4)
    k.ask(*delete_share_offsets(one.group, first), keep=topics_in_order)
    ask_offsets(one)
    k.ask(*delete_share_offsets(one.group, first), keep=topics_in_order)
    k.ask(*delete_share_offsets(one.group, first, second, "nothing"), keep=topics_in_order)
    ask_offsets(one)
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})


@shares
def group_begins_again_after_its_offsets_are_deleted(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}}, kept=False)
    gone(one, topic, 3, 4)
    k.ask(*delete_share_offsets(one.group, topic), keep=topics_in_order)
    one.join(topic)
    one.beat_until({topic: [0]})
    one.beat()
    ask_offsets(one)


@shares
def unknown_offsets_are_deleted(k: Talk) -> None:
    topic, other = filled_topic(k, 5), share_topic(k)
    one = gone(a_sharer(k, topic))
    for topics in ((), ("nothing",), (other,), ("",), (topic, topic)):
        k.ask(*delete_share_offsets(one.group, *topics), keep=topics_in_order)


@shares
def topic_with_offsets_is_deleted(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = gone(a_sharer(k, topic))
    k.delete_topic(topic)
    k.broker.pause(1000)  # the group coordinator learns of it
    ask_offsets(one)
    k.ask(*describe_share_offsets((one.group, {topic: [0]})))
    k.ask(*delete_share_offsets(one.group, topic), keep=topics_in_order)
    k.ask(*alter_share_offsets(one.group, {topic: {0: 2}}), keep=topics_in_order)


def deleted_with_a_session(k: Talk, topic: str, alterations: int) -> Sharer:
    """Return a member that has acquired the first four records of a group, which was deleted meanwhile.

    alterations: of the offsets of the group before. Each raises the epoch of the state that the leader has
    """
    one = a_sharer(k, topic)
    one.leave(kept=False)
    for _ in range(alterations):
        k.do(*alter_share_offsets(one.group, {topic: {0: 0}}))
    one.join(topic, kept=False)
    one.beat_until({topic: [0]})
    one.fetch_until({topic: [0]}, max_records=4, batch_size=1)
    one.leave(kept=False)
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    ask_offsets(one)
    return one


def begins_again(one: Sharer, topic: str, start: int | None) -> State:
    """Let the member join a new group of that name and leave. Alter the start then, and describe it."""
    k = one.talk
    one.join(topic, kept=False)
    one.beat_until({topic: [0]})
    one.leave(kept=False)
    if start is not None:
        k.ask(*alter_share_offsets(one.group, {topic: {0: start}}), keep=topics_in_order)
    state = State(k, topic)
    state.group = one.group
    state.summary()
    ask_offsets(one)
    return state


def goes_on(one: Sharer, topic: str, state: State, *ranges: tuple[int, int, int]) -> None:
    """Let the member acknowledge and fetch in its session, and show what is stored."""
    one.acknowledge({topic: {0: ranges}})
    state.read()
    one.fetch_until({topic: [0]})
    state.summary()
    ask_offsets(one)


@shares
def group_is_deleted_while_a_session_is_open(k: Talk) -> None:
    """The member goes on after the deletion, and the group is not begun again."""
    topic = filled_topic(k, 1, batches=10)
    one = deleted_with_a_session(k, topic, 0)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.acknowledge({topic: {0: [(2, 3, ACCEPT)]}})
    ask_offsets(one)


@shares
def group_is_deleted_and_begins_again_while_a_session_is_open(k: Talk) -> None:
    """The new state has the epoch of the old one."""
    topic = filled_topic(k, 1, batches=10)
    one = deleted_with_a_session(k, topic, 0)
    goes_on(one, topic, begins_again(one, topic, None), (0, 1, ACCEPT))


@shares
def new_group_of_a_session_is_altered(k: Talk) -> None:
    """The new state has a higher epoch than the one that the leader has."""
    topic = filled_topic(k, 1, batches=10)
    one = deleted_with_a_session(k, topic, 0)
    goes_on(one, topic, begins_again(one, topic, 6), (0, 1, ACCEPT))


@shares
def new_group_of_a_session_is_altered_to_a_later_start(k: Talk) -> None:
    """The new state has a lower epoch than the one that the leader has, which has an earlier start."""
    topic = filled_topic(k, 1, batches=10)
    one = deleted_with_a_session(k, topic, 5)
    state = begins_again(one, topic, 6)
    goes_on(one, topic, state, (0, 1, ACCEPT))
    fill(k, topic, 1)
    goes_on(one, topic, state, (2, 9, ACCEPT))


@shares
def new_group_of_a_session_is_altered_to_an_earlier_start(k: Talk) -> None:
    """The new state has a lower epoch than the one that the leader has, which has a later start."""
    topic = filled_topic(k, 1, batches=10)
    one = deleted_with_a_session(k, topic, 5)
    state = begins_again(one, topic, 1)
    fill(k, topic, 1)
    goes_on(one, topic, state, (0, 3, ACCEPT))
