"""OffsetCommit: who may commit, what is refused and in which order."""

from __future__ import annotations

from tests.kafka.build import commit, fetch_offsets, join, sync
from tests.kafka.case import Talk, case


@case
def commit_without_a_group(k: Talk) -> None:
    """A consumer that assigns itself its partitions commits with generation -1 and no member id."""
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
