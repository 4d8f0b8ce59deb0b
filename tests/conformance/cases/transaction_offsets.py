"""TxnOffsetCommit, and pending offsets in OffsetFetch, OffsetDelete and DeleteGroups."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import Request, commit, delete_offsets, fetch_offsets
from tests.conformance.build_transactions import commit_offsets, list_transactions
from tests.conformance.case import Talk, case
from tests.conformance.consumers import consumers, known_topic, no_interval, settled
from tests.conformance.members import some, some_completing, some_stable
from tests.conformance.transactional import Producer, own, transactional_id

VERSIONS: Final = range(6)
WITH_MEMBERS: Final = range(3, 6)
WITH_STABLE: Final = range(7, 11)


def stable_offsets(
    k: Talk, group: str, wanted: dict[str, list[int]] | None = None, *, version: int = 9
) -> Request:
    """Build an OffsetFetch that requires stable offsets."""
    if wanted is not None and version >= 10:
        wanted = {k.topic_id(topic): partitions for topic, partitions in wanted.items()}
    api, version, fields = fetch_offsets(group, wanted, version=version)
    return api, version, {**fields, "RequireStable": True}


def both(k: Talk, group: str, topic: str, partitions: list[int] | None = None) -> None:
    """Keep the committed offsets, and those that are stable."""
    wanted = {topic: partitions or [0]}
    k.ask(*fetch_offsets(group, wanted))
    k.ask(*stable_offsets(k, group, wanted))


def pending(k: Talk, one: Producer, group: str, offsets: dict[str, dict[int, int]], **how: Any) -> None:
    """Commit these offsets in the transaction, which stays open."""
    response = k.do(*one.commit_offsets(group, offsets, **how))
    codes = [p["ErrorCode"] for topic in response["Topics"] for p in topic["Partitions"]]
    assert not any(codes), response


@case(versions=VERSIONS)
def offsets_are_committed_in_a_transaction(k: Talk, version: int) -> None:
    one, topic, group = Producer(k), k.topic(2), k.group()
    k.do(*one.add_offsets(group))
    k.ask(*one.commit_offsets(group, {topic: {0: 5, 1: 6}}, metadata="a note", version=version))
    both(k, group, topic, [0, 1])
    one.describe()
    one.finish(commit=True)
    both(k, group, topic, [0, 1])


@case(versions=VERSIONS)
def offsets_are_aborted(k: Talk, version: int) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    k.do(*commit(group, {topic: {0: 3}}))
    k.do(*one.add_offsets(group))
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, version=version))
    both(k, group, topic)
    one.finish(commit=False)
    both(k, group, topic)


@case(versions=VERSIONS)
def offsets_are_committed_without_adding_the_group(k: Talk, version: int) -> None:
    """Version 5 adds it."""
    one, topic, group = Producer(k), k.topic(), k.group()
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, version=version))
    one.describe()
    k.do(*one.add({topic: [0]}))
    k.ask(*one.commit_offsets(group, {topic: {0: 6}}, version=version))
    one.describe()
    both(k, group, topic)


@case(versions=VERSIONS)
def offsets_are_committed_by_the_wrong_producer(k: Talk, version: int) -> None:
    one, other, topic, group = Producer(k), Producer(k), k.topic(), k.group()
    one.start()
    k.do(*one.add_offsets(group))
    for epoch in (0, 2, -1):
        k.ask(*one.commit_offsets(group, {topic: {0: 5}}, epoch=epoch, version=version))
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, id=other.id, epoch=0, version=version))
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, id=-1, epoch=-1, version=version))
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, name=other.name, version=version))
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, name=transactional_id(k), version=version))
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, name="", version=version))
    both(k, group, topic)


@case(versions=VERSIONS)
def offsets_are_committed_by_the_wrong_producer_after_the_right_one(k: Talk, version: int) -> None:
    """The partition is not verified again while the transaction has data there."""
    one, other, topic, group = Producer(k), Producer(k), k.topic(2), k.group()
    one.start()
    k.do(*one.add_offsets(group))
    pending(k, one, group, {topic: {0: 4}})
    for epoch in (0, 2):
        k.ask(*one.commit_offsets(group, {topic: {0: 5}}, epoch=epoch, version=version))
    k.ask(*one.commit_offsets(group, {topic: {0: 6}}, name=other.name, version=version))
    k.ask(*one.commit_offsets(group, {topic: {1: 7}}, name="", version=version))
    one.finish(commit=True)
    both(k, group, topic, [0, 1])


@case(versions=VERSIONS)
def offsets_of_unknown_topics_are_committed(k: Talk, version: int) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    k.do(*one.add_offsets(group))
    k.ask(*one.commit_offsets(group, {k.name(): {0: 1}, topic: {0: 2, 7: 3, -1: 4}}, version=version))
    k.ask(*one.commit_offsets(group, {k.name(): {0: 1}}, version=version))
    k.ask(*one.commit_offsets(group, {}, version=version))
    k.ask(*one.commit_offsets(group, {topic: {}}, version=version))
    k.ask(*one.commit_offsets(group, {k.name(): {0: 1}}, epoch=99, version=version))
    one.finish(commit=True)
    both(k, group, topic)


@case(versions=VERSIONS)
def offsets_of_the_group_without_a_name_are_committed(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    k.group()
    k.do(*one.add_offsets(""))
    k.ask(*one.commit_offsets("", {topic: {0: 1}}, version=version))
    k.ask(*one.commit_offsets("", {k.name(): {0: 1}}, version=version))
    one.describe()


@case(versions=VERSIONS)
def offsets_are_committed_with_large_metadata(k: Talk, version: int) -> None:
    one, topic, group = Producer(k), k.topic(2), k.group()
    k.do(*one.add_offsets(group))
    for size in (4096, 4097):
        k.ask(*one.commit_offsets(group, {topic: {0: size}}, metadata="x" * size, version=version))
    k.ask(*one.commit_offsets(group, {topic: {1: 1}}, metadata=None, version=version))
    one.finish(commit=True)
    k.ask(*fetch_offsets(group, {topic: [0, 1]}), keep=_offsets)


def _offsets(response: dict[str, Any]) -> Any:
    return [
        (p["PartitionIndex"], p["CommittedOffset"], p["CommittedLeaderEpoch"], len(p["Metadata"] or ""))
        for group in response["Groups"]
        for topic in group["Topics"]
        for p in topic["Partitions"]
    ]


@case
def offsets_of_any_size_are_committed(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(4), k.group()
    for index, offset in enumerate((0, -1, 2**63 - 1, -5)):
        k.ask(*one.commit_offsets(group, {topic: {index: offset}}, leader_epoch=index))
    one.finish(commit=True)
    k.ask(*fetch_offsets(group, {topic: [0, 1, 2, 3]}))


@case(versions=WITH_MEMBERS)
def offsets_of_an_unknown_group_with_a_generation(k: Talk, version: int) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    k.do(*one.add_offsets(group))
    for generation, member in ((1, "nobody"), (0, ""), (1, ""), (-1, "nobody"), (-2, ""), (-1, "")):
        request = one.commit_offsets(
            group, {topic: {0: 5}}, generation=generation, member=member, version=version
        )
        k.ask(*request)
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, instance="i1", version=version))


@case(versions=WITH_MEMBERS)
def offsets_of_a_member_are_committed(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    (member,) = some_stable(k, 1)
    k.do(*one.add_offsets(member.group))
    for generation in (1, 0, 2, -1):
        for name in (member.id, "nobody", ""):
            request = one.commit_offsets(
                member.group, {topic: {0: 5}}, generation=generation, member=name, version=version
            )
            k.ask(*request)
    one.finish(commit=True)
    both(k, member.group, topic)


@case(versions=range(3))
def offsets_of_a_group_with_members_are_committed_without_a_member(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    (member,) = some_stable(k, 1)
    k.do(*one.add_offsets(member.group))
    k.ask(*one.commit_offsets(member.group, {topic: {0: 5}}, version=version))
    one.finish(commit=True)
    both(k, member.group, topic)


@case(versions=WITH_MEMBERS)
def offsets_of_a_static_member_are_committed(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    (member,) = some_stable(k, 1, instance="i1")
    k.do(*one.add_offsets(member.group))
    for name, instance in ((member.id, "i1"), (member.id, "i2"), ("nobody", "i1"), ("", "i1"), ("", "i2")):
        for generation in (1, 2, -1):
            request = one.commit_offsets(
                member.group, {topic: {0: 5}}, generation=generation, member=name, instance=instance,
                version=version,
            )  # fmt: skip
            k.ask(*request)


@case(versions=WITH_MEMBERS)
def offsets_are_committed_while_the_group_rebalances(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    (member,) = some_completing(k, 1)
    k.do(*one.add_offsets(member.group))
    for generation, name in ((1, member.id), (0, member.id), (-1, "")):
        request = one.commit_offsets(
            member.group, {topic: {0: 5}}, generation=generation, member=name, version=version
        )
        k.ask(*request)


@case(versions=WITH_MEMBERS)
def offsets_are_committed_to_a_group_without_members(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    (member,) = some_stable(k, 1)
    member.peer.do(*member.leave())
    k.do(*one.add_offsets(member.group))
    for generation, name in ((1, member.id), (2, ""), (0, ""), (-1, ""), (-1, "nobody")):
        request = one.commit_offsets(
            member.group, {topic: {0: 5}}, generation=generation, member=name, version=version
        )
        k.ask(*request)


@case(versions=WITH_MEMBERS)
def offsets_are_committed_by_a_member_that_only_has_an_id(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    (member,) = some(k, 1)
    member.get_id()
    k.do(*one.add_offsets(member.group))
    for generation, name in ((-1, member.id), (0, member.id), (1, member.id), (-1, "")):
        request = one.commit_offsets(
            member.group, {topic: {0: 5}}, generation=generation, member=name, version=version
        )
        k.ask(*request)


@no_interval(versions=WITH_MEMBERS)
def offsets_of_a_consumer_are_committed_in_a_transaction(k: Talk, version: int) -> None:
    one, topic = Producer(k), known_topic(k, 2)
    (member,) = consumers(k, 1, topics=[topic])
    member.join(kept=False)
    k.do(*one.add_offsets(member.group))
    for name in ("m1", "nobody", ""):
        for epoch in (2, 1, 3, 0, -1):
            request = one.commit_offsets(
                member.group, {topic: {0: 5}}, generation=epoch, member=name, version=version
            )
            k.ask(*request)
    one.finish(commit=True)
    both(k, member.group, topic)


@no_interval(versions=WITH_MEMBERS)
def offsets_of_a_consumer_with_an_older_epoch_are_committed_in_a_transaction(k: Talk, version: int) -> None:
    """KIP-1251 is for OffsetCommit only."""
    one, topic = Producer(k), known_topic(k, 4)
    first, second = consumers(k, 2, topics=[topic])
    settled(first, second)
    k.do(*one.add_offsets(first.group))
    for epoch in (1, 2, 3, 4):
        request = one.commit_offsets(
            first.group, {topic: {0: epoch}}, generation=epoch, member="m1", version=version
        )
        k.ask(*request)


@no_interval(versions=range(3))
def offsets_of_a_consumer_group_are_committed_without_a_member(k: Talk, version: int) -> None:
    one, topic = Producer(k), known_topic(k, 1)
    (member,) = consumers(k, 1, topics=[topic])
    member.join(kept=False)
    k.do(*one.add_offsets(member.group))
    k.ask(*one.commit_offsets(member.group, {topic: {0: 5}}, version=version))
    one.finish(commit=True)
    both(k, member.group, topic)


@no_interval(versions=WITH_MEMBERS)
def offsets_of_an_empty_consumer_group_are_committed_in_a_transaction(k: Talk, version: int) -> None:
    one, topic = Producer(k), known_topic(k, 1)
    (member,) = consumers(k, 1, topics=[topic])
    member.join(kept=False)
    member.leave(kept=False)
    k.do(*one.add_offsets(member.group))
    for name in ("m1", ""):
        for epoch in (3, 2, -1):
            request = one.commit_offsets(
                member.group, {topic: {0: 5}}, generation=epoch, member=name, version=version
            )
            k.ask(*request)


@no_interval()
def offsets_of_a_static_consumer_are_committed_in_a_transaction(k: Talk) -> None:
    one, topic = Producer(k), known_topic(k, 1)
    (member,) = consumers(k, 1, topics=[topic], instance="i1")
    member.join(kept=False)
    for instance in ("i1", "i2", None):
        for name, epoch in (("m1", 2), ("m1", 1), ("nobody", 2)):
            request = one.commit_offsets(
                member.group, {topic: {0: 5}}, generation=epoch, member=name, instance=instance
            )
            k.ask(*request)


@case(versions=WITH_STABLE)
def stable_offsets_are_required(k: Talk, version: int) -> None:
    one, topic, other, group = Producer(k), k.topic(3), k.topic(), k.group()
    k.do(*commit(group, {topic: {0: 1, 1: 1}, other: {0: 1}}))
    pending(k, one, group, {topic: {0: 5, 2: 5}})
    k.ask(*stable_offsets(k, group, {topic: [0, 1, 2], other: [0]}, version=version))
    k.ask(*stable_offsets(k, group, version=version), keep=_sorted_topics)
    one.finish(commit=True)
    k.ask(*stable_offsets(k, group, {topic: [0, 1, 2], other: [0]}, version=version))
    k.ask(*stable_offsets(k, group, version=version), keep=_sorted_topics)


def _sorted_topics(response: dict[str, Any]) -> Any:
    """keep= of an OffsetFetch of all topics, whose order is that of a hash map."""
    groups = response["Groups"] or [response]
    return [
        {
            "ErrorCode": group["ErrorCode"],
            "Topics": sorted(
                (t["Name"], p["PartitionIndex"], p["CommittedOffset"], p["ErrorCode"])
                for t in group["Topics"]
                for p in t["Partitions"]
            ),
        }
        for group in groups
    ]


@case
def plain_commit_during_a_transaction(k: Talk) -> None:
    """The later commit wins when the transaction is committed."""
    one, topic, group = Producer(k), k.topic(2), k.group()
    k.do(*commit(group, {topic: {1: 1}}))
    pending(k, one, group, {topic: {0: 5, 1: 5}})
    k.ask(*commit(group, {topic: {0: 3}}))
    both(k, group, topic, [0, 1])
    one.finish(commit=True)
    both(k, group, topic, [0, 1])


@case
def offsets_are_committed_twice_in_a_transaction(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    for offset in (5, 9, 2):
        pending(k, one, group, {topic: {0: offset}})
    one.finish(commit=True)
    both(k, group, topic)


@case
def offsets_are_pending_in_two_transactions(k: Talk) -> None:
    one, two, topic, group = Producer(k), Producer(k), k.topic(), k.group()
    pending(k, one, group, {topic: {0: 5}})
    pending(k, two, group, {topic: {0: 6}})
    two.finish(commit=True)
    both(k, group, topic)
    one.finish(commit=True)
    both(k, group, topic)


@case
def offsets_are_pending_in_two_transactions_and_one_aborts(k: Talk) -> None:
    one, two, topic, group = Producer(k), Producer(k), k.topic(), k.group()
    pending(k, one, group, {topic: {0: 5}})
    pending(k, two, group, {topic: {0: 6}})
    one.finish(commit=True)
    both(k, group, topic)
    two.finish(commit=False)
    both(k, group, topic)


@case
def transaction_has_offsets_of_several_groups(k: Talk) -> None:
    one, topic, groups = Producer(k), k.topic(), [k.group() for _ in range(5)]
    for number, group in enumerate(groups):
        pending(k, one, group, {topic: {0: number}})
    one.send({topic: {0: 1}})
    one.describe()
    one.finish(commit=True)
    for group in groups:
        both(k, group, topic)


@case
def pending_offsets_are_deleted(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(2), k.group()
    k.do(*commit(group, {topic: {0: 1}}))
    pending(k, one, group, {topic: {0: 5, 1: 5}})
    k.ask(*delete_offsets(group, (topic, [0, 1])))
    both(k, group, topic, [0, 1])
    one.finish(commit=True)
    both(k, group, topic, [0, 1])


@case
def group_with_pending_offsets_is_deleted(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(2), k.group()
    k.do(*commit(group, {topic: {0: 1}}))
    pending(k, one, group, {topic: {0: 5, 1: 5}})
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    both(k, group, topic, [0, 1])
    one.finish(commit=True)
    both(k, group, topic, [0, 1])
    k.ask("DescribeGroups", 6, {"Groups": [group]})


@case
def group_with_pending_offsets_only(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    pending(k, one, group, {topic: {0: 5}})
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    k.ask("ListGroups", 5, {"StatesFilter": [], "TypesFilter": []}, keep=lambda told: _named(told, group))
    k.ask(*fetch_offsets(group))
    k.ask(*stable_offsets(k, group))
    one.finish(commit=False)
    k.ask("DescribeGroups", 6, {"Groups": [group]})
    k.ask("ListGroups", 5, {"StatesFilter": [], "TypesFilter": []}, keep=lambda told: _named(told, group))
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    k.ask("DescribeGroups", 6, {"Groups": [group]})


def _named(response: dict[str, Any], group: str) -> Any:
    return [one for one in response["Groups"] if one["GroupId"] == group]


@case
def topic_with_pending_offsets_is_deleted(k: Talk) -> None:
    one, topic, other, group = Producer(k), k.topic(), k.topic(), k.group()
    k.do(*commit(group, {topic: {0: 1}, other: {0: 1}}))
    pending(k, one, group, {topic: {0: 5}, other: {0: 5}})
    k.delete_topic(topic)
    k.until(lambda: k.do(*fetch_offsets(group))["Groups"][0]["Topics"], lambda topics: len(topics) == 1)
    both(k, group, other)
    one.finish(commit=True)
    k.ask(*fetch_offsets(group))
    k.ask(*fetch_offsets(group, {topic: [0]}))


@case
def offsets_are_committed_after_the_transaction(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    pending(k, one, group, {topic: {0: 5}})
    before = one.epoch
    one.finish(commit=True)
    k.ask(*one.commit_offsets(group, {topic: {0: 6}}, epoch=before))
    k.ask(*one.commit_offsets(group, {topic: {0: 6}}, epoch=before, version=3))
    k.ask(*one.commit_offsets(group, {topic: {0: 7}}, version=3))
    k.ask(*one.commit_offsets(group, {topic: {0: 7}}))
    one.finish(commit=False)
    both(k, group, topic)


@case
def offsets_are_committed_with_a_transaction_of_data(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(), k.group()
    for number, ends in enumerate((True, False, True)):
        one.send({topic: {0: 2}})
        pending(k, one, group, {topic: {0: number}})
        k.ask(*list_transactions(["Ongoing"]), keep=own(k, one.name))
        one.finish(commit=ends)
        both(k, group, topic)


@case
def offsets_are_committed_by_nobody_for_nothing(k: Talk) -> None:
    """Without a known topic, nothing else is checked."""
    k.group()
    for version in VERSIONS:
        k.ask(*commit_offsets("", "", -1, -1, {k.name(): {0: 1}}, version=version))
        k.ask(*commit_offsets("", "", -1, -1, {}, version=version))
