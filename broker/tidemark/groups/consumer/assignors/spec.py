"""The input and the output of an assignor. Kafka: GroupSpec, SubscribedTopicDescriber and GroupAssignment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

from tidemark.core.java import STEP, HashOrder, bucket_order, table_for_copy, timeline_slot
from tidemark.core.result import Steps
from tidemark_protocol.java import java_hash

Assignment = dict[str, dict[bytes, list[int]]]
"""Partitions by member id and topic id, for every member. Topics and partitions are in Kafka's order."""


@dataclass(slots=True, frozen=True)
class MemberSpec:
    """A member of the group.

    topic_ids: the subscribed topics that exist, 16 bytes each, in the order of `subscribed_ids`
    assigned: its target assignment. The order is that of the record that holds it
    names: how many topics it subscribes to, with those that do not exist
    """

    instance_id: str | None
    rack_id: str | None
    topic_ids: AbstractSet[bytes]
    assigned: Mapping[bytes, Sequence[int]]
    names: int = 0


Assignor = Callable[[Mapping[str, MemberSpec], Mapping[bytes, int], bool], Steps[Assignment]]
"""Assigns the partitions of the topics to the members.

members: by id, in the order of `member_order`
partitions: the number of partitions of every topic that a member subscribes to
homogeneous: whether all members subscribe to the same topics, as Kafka's `subscriptionType` reports it

A generator: it yields where the work may pause, after some hundred steps.
"""


def member_order(
    member_ids: Iterable[str], peak: int, updated: str, replaced: str | None = None
) -> Steps[list[str]]:
    """Return the order of the members in which Kafka hands a group to the assignor. A generator.

    member_ids: the members of the group, oldest first. peak: how many members it had at most
    updated: the member whose heartbeat causes the assignment. It need not be among the members yet
    replaced: the id that this static member had before
    """
    kept = dict.fromkeys(member_ids)
    joins = updated not in kept
    most = len(kept) + joins
    if replaced in kept:
        del kept[replaced]
        if HashOrder(java_hash, keys=[updated, replaced]).in_order()[0] == replaced:
            most -= joins  # it was removed before the other was put
    buckets = yield from bucket_order([*kept, *([updated] if joins else [])], java_hash, peak=most)
    order: list[str] = []
    for bucket in buckets:
        if len(bucket) > 1:
            if joins and bucket[-1] == updated:
                bucket = [*_timeline_order(bucket[:-1], peak), updated]
            else:
                bucket = _timeline_order(bucket, peak)
        order += bucket
    return order


def subscribed_ids(
    names: Collection[str], matched: Collection[str], topic_id: Callable[[str], bytes | None]
) -> Steps[tuple[AbstractSet[bytes], int]]:
    """Return `topic_ids` and `names` of a member. A generator.

    names: the topics that it names, in the order of its request or record
    matched: the topics that its regular expression matches, in the order of the record
    topic_id: returns the id of a topic, None if it does not exist
    """
    sets: list[dict[str, None]] = []
    for copied in (names, matched):
        buckets = yield from bucket_order(copied, java_hash, table_for_copy(len(copied)))
        sets.append(dict.fromkeys(chain.from_iterable(buckets)))
    named, found = sets
    union = named | found if len(named) > len(found) else found | named
    ids: dict[bytes, None] = {}
    for number, name in enumerate(union):
        if number % STEP == 0:
            yield 0
        existing = topic_id(name)
        if existing is not None:
            ids[existing] = None
    return ids.keys(), len(union)


def _timeline_order(member_ids: list[str], peak: int) -> list[str]:
    """Return the order in Kafka's map of members. member_ids: oldest first."""
    newest_first = member_ids[::-1]
    return sorted(newest_first, key=lambda member_id: timeline_slot(java_hash(member_id), peak))


__all__ = ["Assignment", "Assignor", "MemberSpec", "member_order", "subscribed_ids"]
