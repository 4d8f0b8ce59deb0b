"""Groups that were played through Kafka's assignors, replayed with ours."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from tests.unit.broker.story import finished
from tidemark.groups.consumer.assignors.spec import MemberSpec, member_order, subscribed_ids
from tidemark.groups.consumer.target import ASSIGNORS

Assigned = dict[bytes, list[int]]
Changes = list[tuple[str, list[tuple[bytes, list[int]]]]]
"""New target assignments in the order of their records, topics and partitions included."""


@dataclass
class Member:
    instance_id: str | None
    rack_id: str | None
    names: list[str]
    expression: str


@dataclass
class Group:
    """A group, as replay of its records leaves it."""

    assignor: str
    topics: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    matched: dict[str, list[str]] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    targets: dict[str, Assigned] = field(default_factory=dict)
    subscribed: dict[tuple[str, ...], Any] = field(default_factory=dict)
    peak: int = 0

    def play(self, step: dict[str, Any]) -> Changes | None:
        """Apply a step. Return the target assignments that it changes, None if it computes none."""
        if "member" not in step:
            self.subscribed.clear()
        if "expression" in step:
            self.matched[step["expression"]] = step["topics"]
        elif "topics" in step:
            self.topics = {name: (topic_id(text), count) for name, (text, count) in step["topics"].items()}
        elif "leaves" in step:
            del self.members[step["leaves"]]
            self.targets.pop(step["leaves"], None)
        else:
            return self._heartbeat(step)
        return None

    def _heartbeat(self, step: dict[str, Any]) -> Changes:
        updated, replaced = step["member"], step["replaces"]
        order = finished(member_order(self.members, self.peak, updated, replaced))
        written = {each: assigned for each, assigned in self.targets.items() if each != replaced}
        if replaced is not None:
            del self.members[replaced]
            self.targets[updated] = self.targets.pop(replaced)
        self.members[updated] = Member(step["instance"], step["rack"], step["names"], step["subscribed"])
        self.peak = max(self.peak, len(self.members))
        specs = {member_id: self._spec(member_id) for member_id in order}
        partitions = dict(self.topics.values())
        result = finished(ASSIGNORS[self.assignor](specs, partitions, step["homogeneous"]))
        assert [*result] == order
        self.members[updated].names.sort()
        changed = {each: own for each, own in result.items() if not _equal(own, written.get(each))}
        self.targets |= changed
        return [(member_id, [*assigned.items()]) for member_id, assigned in changed.items()]

    def _spec(self, member_id: str) -> MemberSpec:
        member = self.members[member_id]
        key = (*member.names, "with", member.expression)
        if key not in self.subscribed:
            ids = {name: each for name, (each, _) in self.topics.items()}
            matched = self.matched.get(member.expression, ())
            self.subscribed[key] = finished(subscribed_ids(member.names, matched, ids.get))
        topic_ids, names = self.subscribed[key]
        return MemberSpec(
            member.instance_id, member.rack_id, topic_ids, self.targets.get(member_id, {}), names
        )


def _equal(one: Assigned, other: Assigned | None) -> bool:
    """Compare as Kafka does: by sets. A member without a record differs from each assignment."""
    return other is not None and _sets(one) == _sets(other)


def _sets(assigned: Assigned) -> dict[bytes, set[int]]:
    return {each: set(owned) for each, owned in assigned.items()}


def topic_id(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "==")
