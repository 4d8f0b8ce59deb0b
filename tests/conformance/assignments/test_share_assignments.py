"""Assignments of random share groups equal those of Kafka's SimpleAssignor, in the order of the records, too.

In these groups members join, leave and change their subscriptions, while topics are created, grow and are
deleted, and some partitions are not initialized. Each assignment starts from the one before.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.assignments.played import topic_id
from tests.conformance.assignments.record import recorded
from tests.unit.broker.story import finished
from tidemark.groups.consumer.assignors.spec import MemberSpec, is_same, member_order, subscribed_ids
from tidemark.groups.share.assignor import assign_simply

GROUPS = recorded("share_assignments")

Assigned = dict[bytes, list[int]]


class Played:
    """A share group, as replay of its records leaves it."""

    def __init__(self) -> None:
        self._topics: dict[str, bytes] = {}
        self._initialized: Assigned = {}
        self._names: dict[str, list[str]] = {}
        self._targets: dict[str, Assigned] = {}
        self._peak = 0

    def play(self, step: dict[str, Any]) -> list[tuple[str, list[tuple[bytes, list[int]]]]] | None:
        """Apply a step. Return the targets that it changes, None if it computes none."""
        if "topics" in step:
            self._topics = {name: topic_id(text) for name, text in step["topics"].items()}
            living = {*self._topics.values()}
            self._initialized = {each: some for each, some in self._initialized.items() if each in living}
        elif "initialized" in step:
            self._initialized = {topic_id(text): each for text, each in step["initialized"].items()}
        elif "leaves" in step:
            del self._names[step["leaves"]]
            self._targets.pop(step["leaves"], None)
        else:
            return self._heartbeat(step["member"], step["names"], homogeneous=step["homogeneous"])
        return None

    def _heartbeat(
        self, member_id: str, names: list[str], *, homogeneous: bool
    ) -> list[tuple[str, list[tuple[bytes, list[int]]]]]:
        self._names[member_id] = names
        order = finished(member_order(self._names, self._peak, member_id))
        self._peak = max(self._peak, len(self._names))
        specs = {each: self._spec(each) for each in order}
        result = finished(assign_simply(specs, self._initialized, homogeneous=homogeneous))
        self._names[member_id] = sorted(names)
        changed = {each: own for each, own in result.items() if not is_same(own, self._targets.get(each))}
        self._targets |= changed
        return [(each, [*own.items()]) for each, own in changed.items()]

    def _spec(self, member_id: str) -> MemberSpec:
        topic_ids, _ = finished(subscribed_ids(self._names[member_id], (), self._topics.get))
        return MemberSpec(None, None, topic_ids, self._targets.get(member_id, {}))


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_share_assignments_equal_kafkas(number: int) -> None:
    group = Played()
    for step in GROUPS[number]:
        changes = group.play(step)
        if changes is not None:
            assert changes == [
                (member, [(topic_id(text), partitions) for text, partitions in topics])
                for member, topics in step["targets"]
            ]
