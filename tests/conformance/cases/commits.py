"""OffsetCommit: who may commit, which errors have precedence, and what is stored."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import Request, commit, fetch_offsets, heartbeat, join, sync
from tests.conformance.case import ZERO_UUID, Fields, Talk, case
from tests.conformance.members import (
    Member,
    described,
    some_completing,
    some_stable,
    stable,
    wait_for_state,
)

SERVED: Final = range(2, 11)
NOBODYS_ID: Final = "12345678-1234-4234-8234-123456789abc"
METADATA_MAX: Final = 4096  # offset.metadata.max.bytes


def commits(group: str, topics: list[tuple[str, list[dict[str, Any]]]], **how: Any) -> Request:
    """Build an OffsetCommit. Topics keep their order and may be repeated; partitions are fields."""
    version = how.get("version", 9)
    _, _, fields = commit(group, {}, **how)
    key = "TopicId" if version >= 10 else "Name"
    fields["Topics"] = [{key: topic, "Partitions": partitions} for topic, partitions in topics]
    return "OffsetCommit", version, fields


def at(partition: int, offset: int = 5, metadata: str = "") -> dict[str, Any]:
    return {"PartitionIndex": partition, "CommittedOffset": offset, "CommittedMetadata": metadata}


def too_large(topic: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Build a commit that is larger than a batch of the offsets topic may be. The topic has 20 partitions."""
    return [(topic, [at(p, 5, "x" * METADATA_MAX) for p in range(20)]) for _ in range(20)]


def errors_by_topic(response: Fields) -> list[Any]:
    """Return the topic, the number of partitions and the errors of each entry."""
    return [
        [topic["Name"], len(topic["Partitions"]), sorted({p["ErrorCode"] for p in topic["Partitions"]})]
        for topic in response["Topics"]
    ]


def keep_offset(k: Talk, group: str, topic: str, *partitions: int) -> None:
    k.ask(*fetch_offsets(group, {topic: list(partitions or (0,))}))


@case
def commit_without_a_group(k: Talk) -> None:
    """A consumer that assigns its own partitions commits with generation -1 and no member id."""
    group, topic = k.group(), k.topic()
    k.ask(*commit(group, {topic: {0: 5}}))
    k.ask(*fetch_offsets(group, {topic: [0]}))


@case
def commit_by_an_unknown_member(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.ask(*commit(group, {topic: {0: 5}}, member="nobody", generation=1))


@case
def commit_by_an_unknown_member_of_a_group_with_members(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    member = k.ask(*join(group))["MemberId"]
    k.ask(*join(group, member))
    k.ask(*sync(group, member, 1, {member: "00"}))
    k.ask(*commit(group, {topic: {0: 5}}, member="nobody", generation=1))
    k.ask(*commit(group, {topic: {0: 5}}, member=member, generation=2))
    k.ask(*commit(group, {topic: {0: 5}}))
    k.ask(*commit(group, {topic: {0: 5}}, member=member, generation=1))


@case(versions=SERVED)
def commit_by_nobody_in_version(k: Talk, version: int) -> None:
    group, topic = k.group(), k.topic(2)
    k.topic()
    known = k.topic_id(topic) if version >= 10 else topic
    k.ask(*commit(group, {known: {0: 5, 1: 6}}, version=version, leader_epoch=3, metadata="m"))
    keep_offset(k, group, topic, 0, 1)


@case(versions=SERVED)
def commit_by_a_member_in_version(k: Talk, version: int) -> None:
    (member,) = some_stable(k, 1)
    topic = k.topic()
    known = k.topic_id(topic) if version >= 10 else topic
    k.ask(*commit(member.group, {known: {0: 5}}, member=member.id, generation=1, version=version))
    k.ask(*commit(member.group, {known: {0: 6}}, member=member.id, generation=2, version=version))
    k.ask(*commit(member.group, {known: {0: 7}}, version=version))
    keep_offset(k, member.group, topic)


@case(versions=SERVED)
def commit_with_a_generation_in_an_unknown_group_in_version(k: Talk, version: int) -> None:
    group, topic = k.group(), k.topic()
    known = k.topic_id(topic) if version >= 10 else topic
    for generation in (0, 1, 2**31 - 1):
        k.ask(*commit(group, {known: {0: 5}}, generation=generation, version=version))
        k.ask(*commit(group, {known: {0: 5}}, member="m", generation=generation, version=version))
    keep_offset(k, group, topic)
    k.ask("DescribeGroups", 6, {"Groups": [group]})


@case(versions=SERVED)
def commit_to_an_unknown_topic_in_version(k: Talk, version: int) -> None:
    group, topic, missing = k.group(), k.topic(), k.name("missing")
    known, unknown = (k.topic_id(topic), NOBODYS_ID) if version >= 10 else (topic, missing)
    k.ask(*commit(group, {known: {0: 5}, unknown: {0: 6, 1: 7}}, version=version))
    keep_offset(k, group, topic)
    keep_offset(k, group, missing)


@case(versions=range(7, 11))
def commit_by_a_static_member_in_version(k: Talk, version: int) -> None:
    (member,) = some_stable(k, 1, instance="i")
    topic = k.topic()
    known = k.topic_id(topic) if version >= 10 else topic
    for instance in ("i", None, "other", ""):
        for member_id in (member.id, "", "nobody"):
            who: dict[str, Any] = {"member": member_id, "instance": instance}
            k.ask(*commit(member.group, {known: {0: 5}}, **who, generation=1, version=version))


@case(versions=range(2, 5))
def commit_with_a_retention_in_version(k: Talk, version: int) -> None:
    group, topic = k.group(), k.topic(6)
    for partition, retention_ms in enumerate((-1, 0, 3600000, -5, 2**63 - 1, -(2**63))):
        k.ask(*commit(group, {topic: {partition: 5}}, retention_ms=retention_ms, version=version))
    keep_offset(k, group, topic, *range(6))


@case
def commit_below_generation_minus_one_to_an_unknown_group(k: Talk) -> None:
    for generation in (-1, -2, -(2**31)):
        group, topic = k.group(), k.topic()
        k.ask(*commit(group, {topic: {0: 5}}, generation=generation))
        keep_offset(k, group, topic)


@case
def commit_to_an_unknown_group_does_not_look_at_ids(k: Talk) -> None:
    topic = k.topic()
    whos: tuple[dict[str, Any], ...] = (
        {"member": "m"},
        {"instance": "i"},
        {"member": "m", "instance": "i"},
    )
    for who in whos:
        group = k.group()
        k.ask(*commit(group, {topic: {0: 5}}, **who))
        k.ask("DescribeGroups", 6, {"Groups": [group]})
        k.ask(*commit(group, {topic: {0: 6}}, **who))
        keep_offset(k, group, topic)


@case
def commit_makes_a_simple_group(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.ask(*commit(group, {topic: {0: 5}}))
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    k.ask("ListGroups", 5, {}, lambda response: [g for g in response["Groups"] if g["GroupId"] == group])


@case
def commit_with_a_generation_to_a_simple_group_is_refused(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    for version in (2, 8, 9):
        for member in ("", "m"):
            k.ask(*commit(group, {topic: {0: 6}}, member=member, generation=0, version=version))
            k.ask(*commit(group, {topic: {0: 6}}, member=member, generation=1, version=version))
    k.ask(*commit(group, {topic: {0: 6}}, generation=1, instance="i"))
    keep_offset(k, group, topic)


@case
def commit_to_an_empty_managed_group(k: Talk) -> None:
    (member,) = some_stable(k, 1)
    topic = k.topic()
    member.peer.do(*member.leave())
    k.ask(*commit(member.group, {topic: {0: 5}}))
    k.ask(*commit(member.group, {topic: {0: 6}}, member=member.id))
    k.ask(*commit(member.group, {topic: {0: 7}}, instance="i"))
    k.ask(*commit(member.group, {topic: {0: 8}}, generation=1))
    k.ask(*commit(member.group, {topic: {0: 9}}, member=member.id, generation=1))
    k.ask(*commit(member.group, {topic: {0: 10}}, member=member.id, generation=2))
    k.ask(*commit(member.group, {topic: {0: 11}}, generation=2, instance="i"))
    keep_offset(k, member.group, topic)


@case
def commit_to_a_group_with_only_a_pending_member(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    pending = k.do(*join(group))["MemberId"]
    k.ask(*commit(group, {topic: {0: 5}}))
    k.ask(*commit(group, {topic: {0: 6}}, member=pending))
    k.ask(*commit(group, {topic: {0: 7}}, member=pending, generation=0))
    k.ask(*commit(group, {topic: {0: 8}}, member=pending, generation=1))
    keep_offset(k, group, topic)


@case
def commit_to_a_stable_group(k: Talk) -> None:
    one, two = some_stable(k, 2)
    topic = k.topic()
    whos: tuple[dict[str, Any], ...] = (
        {},
        {"generation": 2},
        {"generation": -2},
        {"member": one.id},
        {"member": one.id, "generation": -2},
        {"member": one.id, "generation": 1},
        {"member": one.id, "generation": 2},
        {"member": one.id, "generation": 3},
        {"member": two.id, "generation": 2},
        {"member": "nobody", "generation": 2},
        {"member": "nobody"},
        {"member": one.id, "generation": 2, "instance": "i"},
        {"instance": "i"},
        {"instance": "i", "generation": 2},
    )
    for offset, who in enumerate(whos):
        k.ask(*commit(one.group, {topic: {0: offset}}, **who))
    keep_offset(k, one.group, topic)


@case
def commit_while_the_assignment_is_awaited(k: Talk) -> None:
    """Unknown members and other generations are reported before REBALANCE_IN_PROGRESS."""
    (member,) = some_completing(k, 1)
    topic = k.topic()
    k.ask(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    k.ask(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=2))
    k.ask(*commit(member.group, {topic: {0: 5}}, member=member.id))
    k.ask(*commit(member.group, {topic: {0: 5}}, member="nobody", generation=1))
    k.ask(*commit(member.group, {topic: {0: 5}}))
    k.ask(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1, version=2))
    keep_offset(k, member.group, topic)


@case
def commit_while_members_are_joining(k: Talk) -> None:
    """The members and the new member may commit in the last generation."""
    (one,) = some_stable(k, 1)
    topic = k.topic()
    two = Member(k, one.group, 2)
    two.get_id()
    two.peer.send(*two.join())
    wait_for_state(k, one.group, "PreparingRebalance")
    k.ask(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=1))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=two.id, generation=1))
    k.ask(*commit(one.group, {topic: {0: 7}}, member=two.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 8}}, member=one.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 9}}, member="nobody", generation=1))
    k.ask(*commit(one.group, {topic: {0: 10}}))
    keep_offset(k, one.group, topic)
    one.do_join()
    k.ask(*commit(one.group, {topic: {0: 11}}, member=one.id, generation=1))
    k.ask(*commit(one.group, {topic: {0: 12}}, member=one.id, generation=2))


@case
def commit_of_a_member_that_has_left(k: Talk) -> None:
    one, two = some_stable(k, 2)
    topic = k.topic()
    two.peer.do(*two.leave())
    k.ask(*commit(one.group, {topic: {0: 5}}, member=two.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=one.id, generation=2))


@case
def commit_with_the_replaced_id_of_a_static_member(k: Talk) -> None:
    (old,) = some_stable(k, 1, instance="i")
    topic = k.topic()
    new = Member(k, old.group, 1, instance="i")
    new.do_join()
    k.ask(*commit(old.group, {topic: {0: 5}}, member=old.id, generation=1, instance="i"))
    k.ask(*commit(old.group, {topic: {0: 6}}, member=old.id, generation=2, instance="i"))
    k.ask(*commit(old.group, {topic: {0: 7}}, member=old.id, generation=1))
    k.ask(*commit(old.group, {topic: {0: 8}}, member=new.id, generation=2, instance="i"))
    k.ask(*commit(old.group, {topic: {0: 9}}, member=new.id, generation=1))
    k.ask(*commit(old.group, {topic: {0: 10}}, member=new.id, generation=1, instance="i"))
    keep_offset(k, old.group, topic)


@case
def commit_of_a_group_of_another_protocol_type(k: Talk) -> None:
    (member,) = some_stable(k, 1, protocol_type="connect", protocols={"p": "00"})
    topic = k.topic()
    k.ask(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    k.ask(*commit(member.group, {topic: {0: 6}}))
    keep_offset(k, member.group, topic)


@case
def commit_of_partitions_that_nobody_assigned(k: Talk) -> None:
    """The coordinator does not parse assignments, so any member may commit any partition."""
    one, two = some_stable(k, 2)
    topic = k.topic(2)
    k.ask(*commit(one.group, {topic: {0: 5, 1: 5}}, member=one.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 6, 1: 6}}, member=two.id, generation=2))
    keep_offset(k, one.group, topic, 0, 1)


@case
def commit_keeps_a_session_alive(k: Talk) -> None:
    """A commit refused for its metadata extends the session; one of unknown topics only does not."""
    (member,) = some_stable(k, 1, session_ms=1500)
    topic = k.topic()
    who: dict[str, Any] = {"member": member.id, "generation": 1}
    for metadata in ("", "", "x" * (METADATA_MAX + 1), ""):
        k.quiet(700)
        k.ask(*commit(member.group, {topic: {0: 5}}, metadata=metadata, **who))
    for _ in range(3):
        k.quiet(700)
        k.do(*commit(member.group, {k.name("missing"): {0: 5}}, **who))
    k.ask(*commit(member.group, {topic: {0: 5}}, **who))


@case
def commit_of_nothing(k: Talk) -> None:
    """An empty commit checks neither group, member nor generation, and creates no group."""
    for version in (2, 7, 9, 10):
        group = k.group()
        k.ask(*commit(group, {}, version=version))
        k.ask(*commit(group, {}, member="nobody", generation=7, version=version))
        k.ask("DescribeGroups", 6, {"Groups": [group]})


@case
def commit_of_a_topic_without_partitions(k: Talk) -> None:
    group, topic, missing = k.group(), k.topic(), k.name("missing")
    k.ask(*commits(group, [(topic, [])]))
    k.ask(*commits(group, [(topic, []), (missing, [])]))
    k.ask(*commits(group, [(missing, []), (topic, []), (missing, [at(0)])]))
    k.ask(*commits(group, [(topic, []), (topic, [at(0)])]))
    k.ask(*commits(group, [(k.topic_id(topic), []), (NOBODYS_ID, [])], version=10))
    k.ask("DescribeGroups", 6, {"Groups": [group]})


@case
def commit_to_unknown_partitions(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    k.ask(*commit(group, {topic: {2: 5}}))
    k.ask(*commit(group, {topic: {-1: 5, 0: 6, 7: 7, 1: 8, -(2**31): 9, 2**31 - 1: 10}}))
    k.ask(*commit(group, {topic: {5: 5}}, member="nobody", generation=9))
    keep_offset(k, group, topic, 0, 1, 2)


@case
def commit_refused_by_the_group_beside_unknown_topics(k: Talk) -> None:
    """Unknown partitions keep their own error; the others get the group's error."""
    group, topic, missing = k.group(), k.topic(2), k.name("missing")
    k.ask(*commit(group, {topic: {0: 5, 7: 5}, missing: {0: 5}}, member="nobody", generation=9))
    k.ask(*commit(group, {missing: {0: 5}, topic: {1: 5}}, member="nobody", generation=9, version=8))
    k.ask(*commit(group, {missing: {0: 5}}, member="nobody", generation=9))


@case
def commit_answers_refused_topics_first(k: Talk) -> None:
    group, missing = k.group(), k.name("missing")
    one, two, three = k.topic(), k.topic(2), k.topic()
    k.ask(*commit(group, {one: {0: 1}, missing: {0: 2}, two: {1: 3, 5: 4, 0: 5}, three: {0: 6}}))
    k.ask(*commit(group, {two: {9: 1}, one: {0: 2}, missing: {3: 3}}))
    k.ask(*commit(group, {three: {0: 1}, two: {0: 2}, one: {0: 3}}))


@case
def commit_of_a_topic_named_twice(k: Talk) -> None:
    """Repeated entries stay apart, but are merged if one of the topic's partitions is refused."""
    group, one, two = k.group(), k.topic(2), k.topic()
    k.ask(*commits(group, [(one, [at(0, 1)]), (two, [at(0, 2)]), (one, [at(1, 3)])]))
    k.ask(*commits(group, [(one, [at(0, 4)]), (one, [at(0, 5)])]))
    keep_offset(k, group, one, 0, 1)
    k.ask(*commits(group, [(one, [at(0, 6)]), (two, [at(0, 7)]), (one, [at(9, 8), at(1, 9)])]))
    keep_offset(k, group, one, 0, 1)
    missing = k.name("missing")
    k.ask(*commits(group, [(missing, [at(0)]), (one, [at(0)]), (missing, [at(1)])]))


@case
def commit_of_a_partition_named_twice_takes_the_last(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.ask(*commits(group, [(topic, [at(0, 7), at(0, 5)])]))
    keep_offset(k, group, topic)
    k.ask(*commits(group, [(topic, [at(0, 3), at(9, 1), at(9, 2)]), (topic, [at(0, 4)])]))
    keep_offset(k, group, topic)


@case
def commit_by_unknown_and_zero_topic_ids(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    known = k.topic_id(topic)
    k.ask(*commits(group, [(known, [at(0)]), (NOBODYS_ID, [at(0), at(1)]), (ZERO_UUID, [at(2)])], version=10))
    k.ask(*commits(group, [(NOBODYS_ID, [at(0)])], version=10, member="nobody", generation=9))
    k.ask(*commits(group, [(known, [at(5), at(1)]), (NOBODYS_ID, [])], version=10))
    k.ask(*commits(group, [(known, [at(0)])], version=10, member="nobody", generation=9))
    keep_offset(k, group, topic, 0, 1)


@case
def commit_by_the_id_of_a_deleted_topic(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    gone = k.topic_id(topic)
    k.delete_topic(topic)
    k.ask(*commit(group, {gone: {0: 5}}, version=10))
    k.ask(*commit(group, {topic: {0: 5}}))


@case
def commit_of_any_offset_is_accepted(k: Talk) -> None:
    """Offsets are not validated: they may be negative or beyond the end of the log."""
    offsets = (0, -1, -2, -(2**63), 2**63 - 1, 1000000)
    group, topic = k.group(), k.topic(len(offsets))
    k.ask(*commit(group, {topic: dict(enumerate(offsets))}))
    keep_offset(k, group, topic, *range(len(offsets)))


@case
def commit_of_a_smaller_offset_is_taken(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    for offset in (10, 3, 3):
        k.ask(*commit(group, {topic: {0: offset}}))
        keep_offset(k, group, topic)


@case
def commit_of_any_leader_epoch_is_taken(k: Talk) -> None:
    epochs = (-1, 0, 5, -7, 2**31 - 1, -(2**31))
    group, topic = k.group(), k.topic(len(epochs))
    for partition, epoch in enumerate(epochs):
        k.ask(*commit(group, {topic: {partition: 5}}, leader_epoch=epoch))
    k.ask(*fetch_offsets(group, {topic: list(range(len(epochs)))}, version=5))
    k.ask(*fetch_offsets(group, {topic: list(range(len(epochs)))}, version=4))


@case
def commit_below_v6_has_no_leader_epoch(k: Talk) -> None:
    """It also removes the leader epoch of an earlier commit."""
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}, leader_epoch=3))
    keep_offset(k, group, topic)
    k.ask(*commit(group, {topic: {0: 6}}, version=5))
    keep_offset(k, group, topic)


@case
def commit_with_a_retention_forgets_the_metadata_no_less(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}, metadata="first", leader_epoch=3))
    k.ask(*commit(group, {topic: {0: 6}}, retention_ms=3600000, metadata="second", version=4))
    keep_offset(k, group, topic)


@case
def commit_of_null_metadata_is_read_as_empty(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    for version in (2, 7, 8, 9):
        k.ask(*commit(group, {topic: {0: version}}, metadata=None, version=version))
        keep_offset(k, group, topic)


@case
def commit_replaces_metadata(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    for metadata in ("something", "", "other", None):
        k.ask(*commit(group, {topic: {0: 5}}, metadata=metadata))
        keep_offset(k, group, topic)


@case
def commit_of_metadata_of_the_largest_size(k: Talk) -> None:
    """The limit counts UTF-16 units, as Java does: two for a character beyond the basic plane."""
    group, topic = k.group(), k.topic()
    for letter, size in (("x", 1), ("\u00e9", 1), ("\u20ac", 1), ("\U0001f600", 2)):
        most = METADATA_MAX // size
        k.ask(*commit(group, {topic: {0: most}}, metadata=letter * most))
        k.ask(*commit(group, {topic: {0: most + 1}}, metadata=letter * (most + 1)))
    k.ask(*commit(group, {topic: {0: 1}}, metadata="x" + "\U0001f600" * (METADATA_MAX // 2)))
    stored = k.do(*fetch_offsets(group))["Groups"][0]["Topics"][0]["Partitions"][0]
    k.keep("stored", [stored["CommittedOffset"], len(stored["Metadata"])])


@case
def commit_of_too_large_metadata_refuses_its_partition_alone(k: Talk) -> None:
    group, one, two = k.group(), k.topic(2), k.topic()
    large = "x" * (METADATA_MAX + 1)
    k.ask(*commits(group, [(one, [at(0, 5, large), at(1, 5)]), (two, [at(0, 6)])]))
    k.ask(*commits(group, [(two, [at(0, 5, large)]), (one, [at(9, 5, large), at(0, 7)])]))
    keep_offset(k, group, one, 0, 1)
    keep_offset(k, group, two)


@case
def commit_of_too_large_metadata_by_who_may_not(k: Talk) -> None:
    group, topic, missing = k.group(), k.topic(), k.name("missing")
    large = "x" * (METADATA_MAX + 1)
    k.ask(*commit(group, {topic: {0: 5, 9: 5}, missing: {0: 5}}, metadata=large, member="m", generation=1))
    k.ask(*commit(group, {missing: {0: 5}}, metadata=large))


@case
def commit_of_nothing_but_too_large_metadata_makes_no_group(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.ask(*commit(group, {topic: {0: 5}}, metadata="x" * (METADATA_MAX + 1)))
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    k.ask(*fetch_offsets(group))


@case(differs="A group without anything in it")
def commit_of_too_large_metadata_leaves_a_group_behind(k: Talk) -> None:
    """Kafka creates the group before it checks the metadata, and writes no record.

    Requests that may write see the group at once. Read-only requests see it after the next write to the
    group's partition.
    """
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}, metadata="x" * (METADATA_MAX + 1)))
    k.ask(*commit(group, {topic: {0: 5}}, member="nobody", generation=1))
    k.ask("OffsetDelete", 0, {"GroupId": group, "Topics": []})
    k.ask(*heartbeat(group, "nobody", 1))
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})


@case
def commit_with_an_empty_group_id_is_accepted(k: Talk) -> None:
    """It creates the group "". The case commits a partition that no other case uses."""
    topic = k.topic()
    k.group()
    for version in (2, 8, 9):
        k.ask(*commit("", {topic: {0: version}}, version=version))
        k.ask(*fetch_offsets("", {topic: [0]}))
    k.ask(*commit("", {topic: {0: 1}}, member="m", generation=1))


@case
def commit_to_group_ids_of_every_kind(k: Talk) -> None:
    topic = k.topic()
    k.group()
    for odd in (" ", "a b", "/", "\u00e9\u20ac\U0001f600", "x" * 1000, "\n", "."):
        group = k.name() + odd
        k.ask(*commit(group, {topic: {0: 5}}))
        keep_offset(k, group, topic)


@case
def commit_to_an_internal_topic_is_taken(k: Talk) -> None:
    group = k.group()
    k.ask(*commit(group, {"__consumer_offsets": {0: 5, 3: 6, 4: 7}}))
    k.ask(*fetch_offsets(group))


@case
def commit_to_names_that_no_topic_can_have(k: Talk) -> None:
    group = k.group()
    for name in ("", ".", "..", "a/b", "x" * 250, "\u00e9"):
        k.ask(*commit(group, {name: {0: 5}}))


@case
def commit_of_a_thousand_partitions(k: Talk) -> None:
    group, topic = k.group(), k.topic(20)
    entries = [(topic, [at(p, p) for p in range(20)]) for _ in range(50)]
    response = k.do(*commits(group, entries))
    k.keep("topics", len(response["Topics"]))
    k.keep("refused", [p for t in response["Topics"] for p in t["Partitions"] if p["ErrorCode"]])
    keep_offset(k, group, topic, *range(20))


@case
def commit_of_many_partitions_is_answered_in_their_order(k: Talk) -> None:
    group, topic = k.group(), k.topic(12)
    order = (7, 3, 11, 0, 5, 2, 10, 1, 9, 4, 8, 6)
    k.ask(*commits(group, [(topic, [at(p, p) for p in order])]))


@case(versions=(2, 6, 9, 10))
def commit_twice_to_a_topic_made_anew(k: Talk, version: int) -> None:
    """The offset is deleted with its topic. A new topic of the same name has none."""
    group, topic = k.group(), k.topic()
    known = k.topic_id(topic) if version >= 10 else topic
    k.do(*commit(group, {known: {0: 5}}, version=version))
    k.delete_topic(topic)
    k.ask(*commit(group, {known: {0: 6}}, version=version))
    anew = {"Name": topic, "NumPartitions": 1, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [anew], "timeoutMs": 30000})
    k.until_there(topic)
    keep_offset(k, group, topic)
    known = k.topic_id(topic) if version >= 10 else topic
    k.ask(*commit(group, {known: {0: 7}}, version=version))
    keep_offset(k, group, topic)


@case
def commit_too_large_for_the_log_is_refused_whole(k: Talk) -> None:
    """All records of a request are one batch. If it is larger than the topic allows, none is stored."""
    group, topic = k.group(), k.topic(20)
    response = k.do(*commits(group, too_large(topic)))
    k.keep("answers", errors_by_topic(response))
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    keep_offset(k, group, topic)


@case
def commit_too_large_for_the_log_beside_unknown_topics(k: Talk) -> None:
    group, topic, missing = k.group(), k.topic(20), k.name("missing")
    response = k.do(*commits(group, [*too_large(topic), (missing, [at(0)])]))
    k.keep("answers", errors_by_topic(response))
    response = k.do(*commits(group, [*too_large(topic), (missing, [at(0)]), (topic, [at(77)])]))
    k.keep("answers", errors_by_topic(response))


@case
def commit_after_the_group_was_deleted(k: Talk) -> None:
    (member,) = some_stable(k, 1)
    topic = k.topic()
    member.peer.do(*member.leave())
    k.do(*commit(member.group, {topic: {0: 5}}))
    k.ask("DeleteGroups", 2, {"GroupsNames": [member.group]})
    k.ask(*commit(member.group, {topic: {0: 6}}, member=member.id, generation=1))
    keep_offset(k, member.group, topic)
    k.ask(*commit(member.group, {topic: {0: 7}}))
    keep_offset(k, member.group, topic)
    k.ask("DescribeGroups", 6, {"Groups": [member.group]})


@case
def commits_of_a_simple_group_outlive_its_becoming_a_managed_one(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    member = Member(k, group)
    stable(k, member)
    keep_offset(k, group, topic)
    k.ask(*commit(group, {topic: {0: 6}}))
    k.ask(*commit(group, {topic: {0: 7}}, member=member.id, generation=1))
    member.peer.do(*member.leave())
    keep_offset(k, group, topic)
    k.keep("state", described(k, group)["GroupState"])


@case
def commit_of_a_member_that_was_put_out_by_its_session(k: Talk) -> None:
    (member,) = some_stable(k, 1, session_ms=600)
    topic = k.topic()
    wait_for_state(k, member.group, "Empty")
    k.ask(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=1))
    k.ask(*commit(member.group, {topic: {0: 6}}, member=member.id, generation=1, version=8))
    k.ask(*commit(member.group, {topic: {0: 7}}))
    keep_offset(k, member.group, topic)


@case
def commit_in_the_next_generation(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    topic = k.topic()
    one.do_join()
    k.keep("generation", one.generation)
    one.do_sync()
    for generation in (1, 2, 3):
        k.ask(*commit(one.group, {topic: {0: generation}}, member=one.id, generation=generation))
    keep_offset(k, one.group, topic)


@case(settings={"offset.metadata.max.bytes": "3"})
def commit_with_a_small_limit_of_metadata(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    for metadata in ("", None, "xxx", "xxxx", "\u20ac\u20ac\u20ac", "\U0001f600x", "\U0001f600\U0001f600"):
        k.ask(*commit(group, {topic: {0: 5}}, metadata=metadata))
        keep_offset(k, group, topic)


@case(settings={"offset.metadata.max.bytes": "0"})
def commit_with_no_room_for_metadata(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    for metadata in ("", None, "x"):
        k.ask(*commit(group, {topic: {0: 5}}, metadata=metadata))


@case
def commits_of_several_groups_to_one_topic_are_apart(k: Talk) -> None:
    topic = k.topic()
    groups = [k.group() for _ in range(6)]
    for offset, group in enumerate(groups):
        k.ask(*commit(group, {topic: {0: offset}}))
    for group in groups:
        keep_offset(k, group, topic)


@case
def commit_by_one_connection_for_a_member_of_another(k: Talk) -> None:
    """A member is identified by its id, not by its connection."""
    one, two = some_stable(k, 2)
    topic = k.topic()
    two.peer.ask(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=2))
    one.peer.close()
    k.ask(*commit(one.group, {topic: {0: 6}}, member=one.id, generation=2))


@case
def commit_while_a_new_member_waits_for_its_first_generation(k: Talk) -> None:
    """No member has synced yet: the group is rebalancing, and the new member is unknown."""
    one, two = some_completing(k, 2)
    topic = k.topic()
    k.ask(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=two.id, generation=1))
    one.do_sync(two)
    k.ask(*commit(one.group, {topic: {0: 7}}, member=one.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 8}}, member=two.id, generation=2))
    keep_offset(k, one.group, topic)


@case
def commit_of_a_leader_that_rejoins(k: Talk) -> None:
    one, two = some_stable(k, 2)
    topic = k.topic()
    one.peer.send(*one.join())
    wait_for_state(k, one.group, "PreparingRebalance")
    k.ask(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=two.id, generation=2))
    two.do_join()
    one.joined(one.peer.take())
    k.ask(*commit(one.group, {topic: {0: 7}}, member=two.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 8}}, member=two.id, generation=3))
    keep_offset(k, one.group, topic)


@case
def commit_to_an_unknown_topic_does_not_make_it(k: Talk) -> None:
    group, missing = k.group(), k.name("missing")
    k.ask(*commit(group, {missing: {0: 5}}))
    k.ask(*fetch_offsets(group, {missing: [0]}))
    asked = {"Topics": [{"Name": missing}], "AllowAutoTopicCreation": False}
    found = k.do("Metadata", 9, asked)["Topics"]
    k.keep("topic", [found[0]["ErrorCode"], found[0]["Partitions"]])


@case(settings={"offsets.topic.segment.bytes": "20971520"})
def commit_before_there_is_an_offsets_topic(k: Talk) -> None:
    """Every group request fails with NOT_COORDINATOR until a client has sent FindCoordinator."""
    group, topic = k.name("group"), k.topic()
    for version in (2, 5, 9):
        k.ask(*commit(group, {topic: {0: 5}, k.name("missing"): {0: 5}}, version=version))
    k.ask(*commit(group, {}))
    k.ask(*commit("", {topic: {0: 5}}))
    k.ask(*commit(group, {topic: {0: 5}}, member="nobody", generation=3))
    for version in (1, 2, 7, 8, 9):
        k.ask(*fetch_offsets(group, {topic: [0]}, version=version))
        if version > 1:
            k.ask(*fetch_offsets(group, version=version))
    k.ask("OffsetDelete", 0, {"GroupId": group, "Topics": []})
    k.ask("OffsetDelete", 0, {"GroupId": "", "Topics": []})
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    k.ask("ListGroups", 5, {})
    k.ask(*join(group))
    k.ask(*join(""))
    k.ask(*sync(group, "m", 1))
    k.ask(*heartbeat(group, "m", 1))
    k.ask("LeaveGroup", 5, {"GroupId": group, "Members": [{"MemberId": "m"}]})
    k.ask("LeaveGroup", 1, {"GroupId": group, "MemberId": "m"})
