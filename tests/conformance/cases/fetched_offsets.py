"""OffsetFetch in every version and form."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import Request, commit, fetch_offsets
from tests.conformance.case import ZERO_UUID, Fields, Talk, case
from tests.conformance.members import Member, some, some_completing, some_stable, stable, wait_for_state

SERVED: Final = range(1, 11)
NOBODYS_ID: Final = "12345678-1234-4234-8234-123456789abc"


def fetch_groups(*groups: Fields, version: int = 9, **more: Any) -> Request:
    return "OffsetFetch", version, {"Groups": list(groups), **more}


def of(group: str, *topics: tuple[str, list[int]], by: str = "Name", **more: Any) -> Fields:
    """Return a group of the request. Topics keep their order and may be repeated."""
    asked = [{by: topic, "PartitionIndexes": partitions} for topic, partitions in topics]
    return {"GroupId": group, "Topics": asked, **more}


def sorted_by_topic(response: Fields) -> Fields:
    """keep= of a fetch of all topics: sort by name, or by offsets. Kafka's order is that of a hash map."""

    def in_order(topics: list[Fields]) -> list[Fields]:
        for topic in topics:
            topic["Partitions"].sort(key=lambda partition: partition["PartitionIndex"])
        return sorted(topics, key=lambda topic: (topic.get("Name", ""), str(topic["Partitions"])))

    groups = [{**group, "Topics": in_order(group["Topics"])} for group in response["Groups"]]
    return {**response, "Topics": in_order(response["Topics"]), "Groups": groups}


def committed(k: Talk, partitions: int = 2) -> tuple[str, str]:
    """Return a group with offsets 11, 12, ... in all partitions of a topic but the last."""
    group, topic = k.group(), k.topic(partitions + 1)
    offsets = {partition: 11 + partition for partition in range(partitions)}
    k.do(*commit(group, {topic: offsets}, leader_epoch=4, metadata="told"))
    return group, topic


@case(versions=SERVED)
def fetch_offsets_of_partitions_in_version(k: Talk, version: int) -> None:
    group, topic = committed(k)
    known = k.topic_id(topic) if version >= 10 else topic
    k.ask(*fetch_offsets(group, {known: [0, 1, 2]}, version=version))


@case(versions=range(2, 11))
def fetch_offsets_of_everything_in_version(k: Talk, version: int) -> None:
    group, _ = committed(k)
    other = k.topic()
    k.do(*commit(group, {other: {0: 5}}))
    k.ask(*fetch_offsets(group, version=version), sorted_by_topic)


@case
def fetch_offsets_of_everything_in_v1_closes_the_connection(k: Talk) -> None:
    group, topic = committed(k)
    k.do(*fetch_offsets(group, {topic: [0]}, version=1))
    known = k.frame(*fetch_offsets(group, {}, version=1))
    k.send_raw(known[:-4] + b"\xff\xff\xff\xff")
    k.closed()


@case(versions=SERVED)
def fetch_offsets_of_no_topics_in_version(k: Talk, version: int) -> None:
    group, _ = committed(k)
    k.ask(*fetch_offsets(group, {}, version=version))


@case(versions=SERVED)
def fetch_offsets_of_a_topic_without_partitions_in_version(k: Talk, version: int) -> None:
    group, topic = committed(k)
    if version >= 10:
        k.ask(*fetch_offsets(group, {k.topic_id(topic): [], NOBODYS_ID: []}, version=version))
    else:
        k.ask(*fetch_offsets(group, {topic: [], k.name("missing"): []}, version=version))


@case(versions=SERVED)
def fetch_offsets_of_an_unknown_group_in_version(k: Talk, version: int) -> None:
    group, topic = k.group(), k.topic()
    known = k.topic_id(topic) if version >= 10 else topic
    k.ask(*fetch_offsets(group, {known: [0, 1]}, version=version))
    if version >= 2:
        k.ask(*fetch_offsets(group, version=version))
    k.ask("DescribeGroups", 6, {"Groups": [group]})


@case(versions=range(1, 10))
def fetch_offsets_of_unknown_topics_in_version(k: Talk, version: int) -> None:
    """Names are not validated: an unknown topic has no offset."""
    group, topic = committed(k)
    missing = k.name("missing")
    k.ask(*fetch_offsets(group, {missing: [0, 1], topic: [0, 77, -1], "": [0], "a/b": [3]}, version=version))


@case
def fetch_offsets_by_unknown_and_zero_topic_ids(k: Talk) -> None:
    group, topic = committed(k)
    known = k.topic_id(topic)
    asked = of(group, (NOBODYS_ID, [0, 1]), (known, [1, 0]), (ZERO_UUID, [5]), (known, [2]), by="TopicId")
    k.ask(*fetch_groups(asked, version=10))
    k.ask(*fetch_groups(of(group, (NOBODYS_ID, [0]), by="TopicId"), version=10))
    k.ask(*fetch_groups(of(k.group(), (NOBODYS_ID, [0]), (known, [0]), by="TopicId"), version=10))


@case
def fetch_offsets_of_a_topic_and_a_partition_named_twice(k: Talk) -> None:
    group, topic = committed(k)
    other = k.name("missing")
    k.ask(*fetch_groups(of(group, (topic, [0, 1, 0, 0]), (other, [0]), (topic, [1])), version=8))
    asked = [{"Name": topic, "PartitionIndexes": [0, 0]}, {"Name": topic, "PartitionIndexes": [1]}]
    k.ask("OffsetFetch", 7, {"GroupId": group, "Topics": asked})
    known = k.topic_id(topic)
    k.ask(*fetch_groups(of(group, (known, [1, 1]), (known, [0]), by="TopicId"), version=10))


@case
def fetch_offsets_is_answered_in_the_order_asked(k: Talk) -> None:
    group, one = committed(k, 9)
    two = k.topic(3)
    k.do(*commit(group, {two: {2: 1, 0: 3}}))
    k.ask(*fetch_groups(of(group, (two, [2, 0, 1]), (one, [7, 3, 8, 0, 5, 1]))))


@case(versions=(8, 9, 10))
def fetch_offsets_of_no_groups_in_version(k: Talk, version: int) -> None:
    k.ask(*fetch_groups(version=version))


@case(versions=(8, 9, 10))
def fetch_offsets_of_several_groups_in_version(k: Talk, version: int) -> None:
    """The response has the order of the request, with repeated groups, in any partition."""
    topic = k.topic()
    known, by = (k.topic_id(topic), "TopicId") if version >= 10 else (topic, "Name")
    groups = [k.group() for _ in range(7)]
    for offset, group in enumerate(groups[:6]):
        k.do(*commit(group, {topic: {0: offset}}))
    asked = [of(group, (known, [0]), by=by) for group in (*groups[::-1], groups[2], groups[2])]
    k.ask(*fetch_groups(*asked, version=version))
    everything = [{"GroupId": group, "Topics": None} for group in (groups[3], groups[6], groups[3])]
    k.ask(*fetch_groups(*everything, of(groups[0], (known, [0]), by=by), version=version))


@case
def fetch_offsets_of_one_group_in_several_forms(k: Talk) -> None:
    group, topic = committed(k, 1)
    k.ask(*fetch_groups(of(group), {"GroupId": group, "Topics": None}, of(group, (topic, [1]))))


@case(versions=range(7, 11))
def fetch_stable_offsets_in_version(k: Talk, version: int) -> None:
    """Without a pending transaction, RequireStable has no effect."""
    group, topic = committed(k, 1)
    known = k.topic_id(topic) if version >= 10 else topic
    _, _, fields = fetch_offsets(group, {known: [0, 1]}, version=version)
    k.ask("OffsetFetch", version, {**fields, "RequireStable": True})
    _, _, fields = fetch_offsets(group, version=version)
    k.ask("OffsetFetch", version, {**fields, "RequireStable": True})


@case(versions=(9, 10))
def fetch_offsets_for_a_member_of_a_classic_group_in_version(k: Talk, version: int) -> None:
    """A classic group ignores member id and epoch, which belong to KIP-848."""
    (member,) = some_stable(k, 1)
    topic = k.topic()
    known, by = (k.topic_id(topic), "TopicId") if version >= 10 else (topic, "Name")
    k.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    for member_id in (None, "", "nobody", member.id):
        for epoch in (-2, -1, 0, 1, 7):
            asked = of(member.group, (known, [0]), by=by, MemberId=member_id, MemberEpoch=epoch)
            k.ask(*fetch_groups(asked, version=version), _offset)


def _offset(response: Fields) -> Any:
    (group,) = response["Groups"]
    return [group["ErrorCode"], [topic["Partitions"] for topic in group["Topics"]]]


@case
def fetch_offsets_for_a_member_of_an_unknown_or_a_simple_group(k: Talk) -> None:
    simple, topic = committed(k, 1)
    for group in (simple, k.group()):
        for member_id, epoch in ((None, 0), ("", -1), ("m", -1), ("m", 3)):
            asked = of(group, (topic, [0]), MemberId=member_id, MemberEpoch=epoch)
            k.ask(*fetch_groups(asked))


@case
def fetch_offsets_in_every_state_of_a_group(k: Talk) -> None:
    """A fetch never waits and needs no membership."""
    one, two = some(k, 2)
    topic = k.topic()
    asked = fetch_offsets(one.group, {topic: [0]})
    k.do(*commit(one.group, {topic: {0: 5}}))
    one.get_id()
    k.ask(*asked)
    one.do_join()
    k.ask(*asked)
    one.do_sync()
    k.ask(*asked)
    two.get_id()
    two.peer.send(*two.join())
    wait_for_state(k, one.group, "PreparingRebalance")
    k.ask(*asked)
    one.do_join()
    two.joined(two.peer.take())
    one.peer.do(*one.leave())
    k.ask(*asked)
    two.peer.do(*two.leave())
    k.ask(*asked)


@case
def fetch_offsets_sees_a_commit_of_another_connection(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    other = k.connect()
    for offset in range(5):
        k.ask(*commit(group, {topic: {0: offset}}))
        other.ask(*fetch_offsets(group, {topic: [0]}))


@case
def fetch_offsets_of_an_empty_group_id(k: Talk) -> None:
    """The empty group id is valid."""
    topic = k.topic()
    k.group()
    for version in (1, 5, 8, 9):
        k.ask(*fetch_offsets("", {topic: [0]}, version=version))


@case
def fetch_offsets_of_group_ids_of_every_kind(k: Talk) -> None:
    topic = k.topic()
    k.group()
    for group in (" ", "\u00e9\u20ac\U0001f600", "x" * 30000, "\n", "\0"):
        response = k.do(*fetch_offsets(k.name() + group, {topic: [0]}))
        k.keep("answer", _offset(response))


@case
def fetch_offsets_of_a_deleted_topic(k: Talk) -> None:
    """They are deleted with the topic, whether or not the group has members."""
    (member,) = some_stable(k, 1)
    simple, kept, topic = k.group(), k.topic(), k.topic(2)
    k.do(*commit(member.group, {topic: {0: 5, 1: 6}, kept: {0: 7}}, member=member.id, generation=1))
    k.do(*commit(simple, {topic: {0: 5, 1: 6}}))
    k.delete_topic(topic)
    until_gone(k, member.group, topic)
    until_gone(k, simple, topic)
    k.ask(*fetch_offsets(member.group, {topic: [0, 1], kept: [0]}))
    k.ask(*fetch_offsets(member.group))
    k.ask(*fetch_offsets(simple))
    k.ask("DescribeGroups", 6, {"Groups": [simple]})


def until_gone(k: Talk, group: str, topic: str) -> None:
    """Wait until the group has no offset for the topic's first partition."""
    k.until(
        lambda: k.do(*fetch_offsets(group, {topic: [0]})),
        lambda response: response["Groups"][0]["Topics"][0]["Partitions"][0]["CommittedOffset"] == -1,
    )


@case
def fetch_offsets_of_a_topic_made_anew(k: Talk) -> None:
    group, topic = committed(k, 1)
    old = k.topic_id(topic)
    k.delete_topic(topic)
    until_gone(k, group, topic)
    anew = {"Name": topic, "NumPartitions": 1, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [anew], "timeoutMs": 30000})
    k.until_there(topic)
    new = k.topic_id(topic)
    k.ask(*fetch_offsets(group, {topic: [0]}))
    k.ask(*fetch_offsets(group, {new: [0], old: [0]}, version=10))
    k.do(*commit(group, {topic: {0: 7}}))
    k.ask(*fetch_offsets(group, {topic: [0]}))
    k.ask(*fetch_offsets(group, {new: [0], old: [0]}, version=10))
    k.ask(*fetch_offsets(group, version=10))


@case
def fetch_offsets_of_an_internal_topic(k: Talk) -> None:
    group = k.group()
    k.do(*commit(group, {"__consumer_offsets": {0: 5}}))
    k.ask(*fetch_offsets(group, {"__consumer_offsets": [0, 1]}))
    k.ask(*fetch_offsets(group, {k.topic_id("__consumer_offsets"): [0, 1]}, version=10))


@case
def fetch_offsets_of_a_large_group(k: Talk) -> None:
    group = k.group()
    topics = [k.topic(5) for _ in range(4)]
    for topic in topics:
        k.do(*commit(group, {topic: {p: p for p in range(5)}}, metadata="x" * 4096))
    response = sorted_by_topic(k.do(*fetch_offsets(group)))
    found = response["Groups"][0]["Topics"]
    k.keep("offsets", [[t["Name"], [p["CommittedOffset"] for p in t["Partitions"]]] for t in found])
    k.keep("metadata", {len(p["Metadata"]) for t in found for p in t["Partitions"]} == {4096})


@case
def fetch_offsets_while_members_wait_for_their_assignment(k: Talk) -> None:
    one, two = some_completing(k, 2)
    topic = k.topic()
    k.ask(*fetch_offsets(one.group, {topic: [0]}))
    one.do_sync(two)
    k.do(*commit(one.group, {topic: {0: 5}}, member=two.id, generation=2))
    k.ask(*fetch_offsets(one.group, {topic: [0]}))


@case
def fetch_offsets_after_their_member_was_replaced(k: Talk) -> None:
    (old,) = some_stable(k, 1, instance="i")
    topic = k.topic()
    k.do(*commit(old.group, {topic: {0: 5}}, member=old.id, generation=1, instance="i"))
    new = Member(k, old.group, 1, instance="i")
    new.do_join()
    k.ask(*fetch_offsets(old.group, {topic: [0]}))


@case
def fetch_offsets_of_a_group_that_lives_again(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    topic = k.topic()
    k.do(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=1))
    one.peer.do(*one.leave())
    two = Member(k, one.group, 2, protocol_type="connect", protocols={"p": "00"})
    stable(k, two)
    k.ask(*fetch_offsets(one.group, {topic: [0]}))
