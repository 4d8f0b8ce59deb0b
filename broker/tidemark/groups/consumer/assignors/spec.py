"""The input and the output of an assignor. Kafka: GroupSpec, SubscribedTopicDescriber and GroupAssignment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from tidemark.groups.java import HashOrder, table_for_copy, timeline_order
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


Assignor = Callable[
    [Mapping[str, MemberSpec], Mapping[bytes, int], bool],
    Generator[int, None, Assignment],
]
"""Assigns the partitions of the topics to the members.

members: by id, in the order of `member_order`
partitions: the number of partitions of every topic that a member subscribes to
homogeneous: whether all members subscribe to the same topics, as Kafka's `subscriptionType` reports it

A generator: it yields where the work may pause, after some hundred steps.
"""


def member_order(
    member_ids: Collection[str], peak: int, updated: str | None = None, replaced: str | None = None
) -> list[str]:
    """Return the order of the members in which Kafka hands a group to the assignor.

    member_ids: the members of the group, oldest first. peak: how many members it had at most
    updated: the member whose heartbeat causes the assignment. It need not be among the members yet
    replaced: the id that this static member had before
    """
    order = HashOrder(java_hash, keys=timeline_order(member_ids, peak, java_hash))
    changes = HashOrder(java_hash, keys=[each for each in (updated, replaced) if each is not None])
    for changed in changes.in_order():
        if changed == updated:
            order.put(changed)
        else:
            order.remove(changed)
    return order.in_order()


def subscribed_ids(
    names: Sequence[str], matched: Collection[str], topic_id: Callable[[str], bytes | None]
) -> tuple[AbstractSet[bytes], int]:
    """Return `topic_ids` and `names` of a member.

    names: the topics that it names, in the order of its request or record
    matched: the topics that its regular expression matches, in the order of the record
    topic_id: returns the id of a topic, None if it does not exist
    """
    named, found = _set_order(names), _set_order(matched)
    large, small = (named, found) if len(named) > len(found) else (found, named)
    union = dict.fromkeys([*large, *small])
    ids = (topic_id(name) for name in union)
    return dict.fromkeys(each for each in ids if each is not None).keys(), len(union)


def _set_order(names: Collection[str]) -> list[str]:
    """Return the order of a HashSet that copies the names."""
    return HashOrder(java_hash, table_for_copy(len(names)), names).in_order()


__all__ = ["Assignment", "Assignor", "MemberSpec", "member_order", "subscribed_ids"]
