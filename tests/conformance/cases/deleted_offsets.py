"""OffsetDelete, and the offsets that DeleteGroups and DeleteTopics delete."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import commit, delete_offsets, fetch_offsets, join, leave, subscribed
from tests.conformance.case import Fields, Talk, case
from tests.conformance.members import Member, completing, some, some_stable, stable, wait_for_state


def offsets(k: Talk, group: str, topic: str, *partitions: int) -> None:
    k.ask(*fetch_offsets(group, {topic: list(partitions or (0,))}))


def consumer_of(k: Talk, *topics: str, **how: Any) -> Member:
    """Return the one member of a stable group that is subscribed to these topics."""
    (member,) = some_stable(k, 1, protocols=subscribed(*topics), **how)
    return member


@case
def delete_offsets_of_a_simple_group(k: Talk) -> None:
    group, topic, other = k.group(), k.topic(3), k.topic()
    k.do(*commit(group, {topic: {0: 5, 1: 6}, other: {0: 7}}))
    k.ask(*delete_offsets(group, (topic, [0])))
    k.ask(*delete_offsets(group, (topic, [0, 2])))
    offsets(k, group, topic, 0, 1, 2)
    k.ask(*delete_offsets(group, (topic, [1]), (other, [0])))
    offsets(k, group, topic, 0, 1, 2)
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    k.ask(*delete_offsets(group, (topic, [1])))
    k.ask(*fetch_offsets(group))


@case
def delete_offsets_of_an_unknown_group(k: Talk) -> None:
    """The group's error replaces all errors of topics."""
    group, topic, missing = k.group(), k.topic(), k.name("missing")
    k.ask(*delete_offsets(group, (topic, [0])))
    k.ask(*delete_offsets(group))
    k.ask(*delete_offsets(group, (missing, [0])))
    k.ask(*delete_offsets(group, (topic, [0, 7]), (missing, [0])))


@case
def delete_offsets_of_the_empty_group_id(k: Talk) -> None:
    topic = k.topic()
    k.group()
    k.ask(*delete_offsets("", (topic, [0])))
    k.ask(*delete_offsets(""))


@case
def delete_offsets_of_nothing(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*delete_offsets(group))
    k.ask(*delete_offsets(group, (topic, [])))
    k.ask(*delete_offsets(group, (k.name("missing"), [])))
    k.ask(*delete_offsets(group, (topic, []), (k.name("missing"), []), (topic, [0])))


@case
def delete_offsets_of_unknown_topics_and_partitions(k: Talk) -> None:
    group, topic, missing = k.group(), k.topic(2), k.name("missing")
    k.do(*commit(group, {topic: {0: 5, 1: 6}}))
    k.ask(*delete_offsets(group, (missing, [0, 1])))
    k.ask(*delete_offsets(group, (topic, [2, -1, 2**31 - 1])))
    k.ask(*delete_offsets(group, (topic, [0, 9]), (missing, [0])))
    k.ask(*delete_offsets(group, ("", [0]), ("a/b", [0])))
    offsets(k, group, topic, 0, 1)


@case
def delete_offsets_answers_refused_topics_first(k: Talk) -> None:
    group, missing = k.group(), k.name("missing")
    one, two, three = k.topic(), k.topic(2), k.topic()
    k.do(*commit(group, {one: {0: 1}, two: {0: 2, 1: 3}, three: {0: 4}}))
    k.ask(*delete_offsets(group, (one, [0]), (missing, [0]), (two, [1, 5, 0]), (three, [0])))
    k.ask(*delete_offsets(group, (three, [0]), (two, [0]), (one, [0])))


@case
def delete_offsets_of_a_topic_and_a_partition_named_twice(k: Talk) -> None:
    group, one, two = k.group(), k.topic(2), k.topic()
    k.do(*commit(group, {one: {0: 1, 1: 2}, two: {0: 3}}))
    k.ask(*delete_offsets(group, (one, [0, 0]), (two, [0]), (one, [1])))
    k.ask(*delete_offsets(group, (one, [0, 9, 9, 0]), (two, [0]), (one, [1])))
    k.ask(*fetch_offsets(group))


@case
def delete_offsets_that_a_stable_group_is_subscribed_to(k: Talk) -> None:
    topic, other, never = k.topic(2), k.topic(), k.topic()
    member = consumer_of(k, topic, never)
    k.do(*commit(member.group, {topic: {0: 5}, other: {0: 6}}, member=member.id, generation=1))
    k.ask(*delete_offsets(member.group, (topic, [0, 1])))
    k.ask(*delete_offsets(member.group, (topic, [0]), (other, [0]), (never, [0])))
    k.ask(*delete_offsets(member.group, (topic, [0, 7]), (k.name("missing"), [0]), (other, [0])))
    offsets(k, member.group, topic)
    offsets(k, member.group, other)


@case
def delete_offsets_that_any_member_is_subscribed_to(k: Talk) -> None:
    group, one, two, three = k.group(), k.topic(), k.topic(), k.topic()
    first = Member(k, group, 1, protocols=subscribed(one))
    second = Member(k, group, 2, protocols=subscribed(two))
    stable(k, first, second)
    k.ask(*delete_offsets(group, (one, [0]), (two, [0]), (three, [0])))


@case
def delete_offsets_of_a_group_that_was_left(k: Talk) -> None:
    topic = k.topic()
    member = consumer_of(k, topic)
    k.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    k.ask(*delete_offsets(member.group, (topic, [0])))
    k.do(*leave(member.group, member.id))
    k.ask(*delete_offsets(member.group, (topic, [0])))
    offsets(k, member.group, topic)
    k.ask("DescribeGroups", 6, {"Groups": [member.group]})


@case
def delete_offsets_while_the_assignment_is_awaited(k: Talk) -> None:
    """The subscription of a new member applies once the join phase has ended."""
    topic, other = k.topic(), k.topic()
    (member,) = some(k, 1, protocols=subscribed(topic))
    completing(k, member)
    k.ask(*delete_offsets(member.group, (topic, [0]), (other, [0])))


@case
def delete_offsets_while_a_first_member_has_only_an_id(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*join(group, protocols=subscribed(topic)))
    k.ask(*delete_offsets(group, (topic, [0])))
    k.ask(*delete_offsets(group))


@case
def delete_offsets_while_members_are_joining(k: Talk) -> None:
    """The subscriptions of the last generation apply, not that of the new member."""
    topic, wanted = k.topic(), k.topic()
    one = consumer_of(k, topic)
    two = Member(k, one.group, 2, protocols=subscribed(wanted))
    two.get_id()
    two.peer.send(*two.join())
    wait_for_state(k, one.group, "PreparingRebalance")
    k.ask(*delete_offsets(one.group, (topic, [0]), (wanted, [0])))
    one.do_join()
    two.joined(two.peer.take())
    k.ask(*delete_offsets(one.group, (topic, [0]), (wanted, [0])))


@case
def delete_offsets_when_a_member_has_changed_its_subscription(k: Talk) -> None:
    topic, other = k.topic(), k.topic()
    member = consumer_of(k, topic)
    member.how["protocols"] = subscribed(other)
    member.do_join()
    k.ask(*delete_offsets(member.group, (topic, [0]), (other, [0])))
    member.do_sync()
    k.ask(*delete_offsets(member.group, (topic, [0]), (other, [0])))


@case
def delete_offsets_of_a_group_whose_subscription_cannot_be_read(k: Talk) -> None:
    """The broker then treats the group as subscribed to every topic."""
    topic = k.topic()
    for metadata in ("", "00", "0000", "000000", "0000000000"):
        (member,) = some_stable(k, 1, protocols={"range": metadata})
        k.ask(*delete_offsets(member.group, (topic, [0])))
        k.do(*leave(member.group, member.id))
        k.ask(*delete_offsets(member.group, (topic, [0])))


@case
def delete_offsets_of_a_group_whose_subscription_is_of_another_version(k: Talk) -> None:
    """It is parsed as version 0, and trailing bytes are ignored."""
    topic, other = k.topic(), k.topic()
    plain = subscribed(topic)["range"]
    for metadata in (
        f"0003{plain[4:]}",
        f"ffff{plain[4:]}",
        f"7fff{plain[4:]}",
        f"{plain}abcdef",
        plain[:-8],
    ):
        (member,) = some_stable(k, 1, protocols={"range": metadata})
        k.ask(*delete_offsets(member.group, (topic, [0]), (other, [0])))


@case
def delete_offsets_of_a_group_subscribed_to_nothing(k: Talk) -> None:
    topic = k.topic()
    member = consumer_of(k)
    k.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    k.ask(*delete_offsets(member.group, (topic, [0])))
    offsets(k, member.group, topic)


@case
def delete_offsets_of_a_group_of_another_protocol_type(k: Talk) -> None:
    """The whole request fails while the group has members, since its subscription is unknown."""
    topic = k.topic()
    (member,) = some(k, 1, protocol_type="connect", protocols=subscribed())
    member.get_id()
    k.ask(*delete_offsets(member.group, (topic, [0])))
    member.do_join()
    k.ask(*delete_offsets(member.group, (topic, [0])))
    member.do_sync()
    k.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    k.ask(*delete_offsets(member.group, (topic, [0])))
    k.ask(*delete_offsets(member.group, (k.name("missing"), [0])))
    k.ask(*delete_offsets(member.group))
    offsets(k, member.group, topic)
    k.do(*leave(member.group, member.id))
    k.ask(*delete_offsets(member.group, (topic, [0])))
    offsets(k, member.group, topic)


@case
def delete_offsets_then_commit_again(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}, metadata="first", leader_epoch=2))
    k.ask(*delete_offsets(group, (topic, [0])))
    k.ask(*commit(group, {topic: {0: 6}}))
    offsets(k, group, topic)


@case
def delete_offsets_of_another_group_leaves_ones_own(k: Talk) -> None:
    one, two, topic = k.group(), k.group(), k.topic()
    for group in (one, two):
        k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*delete_offsets(one, (topic, [0])))
    offsets(k, one, topic)
    offsets(k, two, topic)


@case
def delete_offsets_of_a_deleted_topic(k: Talk) -> None:
    group, topic, kept = k.group(), k.topic(), k.topic()
    k.do(*commit(group, {topic: {0: 5}, kept: {0: 6}}))
    k.delete_topic(topic)
    k.ask(*delete_offsets(group, (topic, [0]), (kept, [0])))


@case
def delete_offsets_of_an_internal_topic(k: Talk) -> None:
    group = k.group()
    k.do(*commit(group, {"__consumer_offsets": {0: 5}}))
    k.ask(*delete_offsets(group, ("__consumer_offsets", [0, 9])))
    offsets(k, group, "__consumer_offsets")


@case(versions=(0, 1, 2))
def offsets_of_a_deleted_group_are_gone_in_version(k: Talk, version: int) -> None:
    group, topic, other = k.group(), k.topic(2), k.topic()
    k.do(*commit(group, {topic: {0: 5, 1: 6}, other: {0: 7}}))
    k.ask("DeleteGroups", version, {"GroupsNames": [group]})
    offsets(k, group, topic, 0, 1)
    k.ask(*fetch_offsets(group))
    k.ask(*delete_offsets(group, (topic, [0])))
    k.ask("DeleteGroups", version, {"GroupsNames": [group]})
    k.ask(*commit(group, {topic: {0: 8}}))
    offsets(k, group, topic, 0, 1)


@case
def offsets_of_a_group_with_members_are_not_deleted_with_it(k: Talk) -> None:
    topic = k.topic()
    member = consumer_of(k, topic)
    k.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    k.ask("DeleteGroups", 2, {"GroupsNames": [member.group]})
    offsets(k, member.group, topic)
    k.do(*leave(member.group, member.id))
    offsets(k, member.group, topic)
    k.ask("DeleteGroups", 2, {"GroupsNames": [member.group]})
    offsets(k, member.group, topic)


@case
def offsets_of_a_group_with_only_a_pending_member_are_deleted_with_it(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    pending = k.do(*join(group))["MemberId"]
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    offsets(k, group, topic)
    k.ask(*join(group, pending), in_which_the_id_is_new)


def in_which_the_id_is_new(response: Fields) -> Any:
    """keep= of a JoinGroup with the member id of a deleted group."""
    return [response["ErrorCode"], response["GenerationId"], len(response["Members"])]


@case
def offsets_of_several_deleted_groups(k: Talk) -> None:
    """Sorted by name here. Kafka's order is that of the partitions of the offsets topic."""
    topic = k.topic()
    groups = [k.group() for _ in range(5)]
    for group in groups[:4]:
        k.do(*commit(group, {topic: {0: 5}}))
    k.ask("DeleteGroups", 2, {"GroupsNames": [*groups, groups[0]]}, by_group)
    for group in groups:
        offsets(k, group, topic)


def by_group(response: Fields) -> Any:
    return sorted((each["GroupId"], each["ErrorCode"]) for each in response["Results"])


@case
def offsets_of_a_deleted_topic_leave_the_group_there(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.delete_topic(topic)
    k.until(
        lambda: k.do(*fetch_offsets(group)),
        lambda response: not response["Groups"][0]["Topics"],
    )
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    k.ask(*delete_offsets(group))
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})


@case
def offsets_of_a_deleted_topic_go_from_a_group_that_is_subscribed_to_it(k: Talk) -> None:
    topic, kept = k.topic(2), k.topic()
    member = consumer_of(k, topic, kept)
    who: dict[str, Any] = {"member": member.id, "generation": 1}
    k.do(*commit(member.group, {topic: {0: 5, 1: 6}, kept: {0: 7}}, **who))
    k.delete_topic(topic)
    k.until(
        lambda: k.do(*fetch_offsets(member.group)),
        lambda response: len(response["Groups"][0]["Topics"]) == 1,
    )
    k.ask(*fetch_offsets(member.group))
    k.ask(*commit(member.group, {topic: {0: 8}, kept: {0: 9}}, **who))
    k.ask(*delete_offsets(member.group, (topic, [0]), (kept, [0])))
