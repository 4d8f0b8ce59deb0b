"""Facts about a KIP-848 group for people: its members, and why it is not Stable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from tidemark.groups.consumer.model import (
    STABLE,
    UNRELEASED,
    UNREVOKED,
    ConsumerGroupModel,
    ConsumerGroupState,
    ConsumerMember,
)
from tidemark.groups.group import MemberFacts, Partitions
from tidemark_expiry.sentences import moment, shown

MEMBERS_MAX: Final = 5  # in one sentence
PARTITIONS_MAX: Final = 5  # of one member in a sentence

_STATES: Final = {
    STABLE: "stable",
    UNREVOKED: "unrevoked_partitions",
    UNRELEASED: "unreleased_partitions",
}

TopicName = Callable[[bytes], str]


def member_facts(group: ConsumerGroupModel, member: ConsumerMember) -> MemberFacts:
    return MemberFacts(
        member.member_id,
        member.client_id,
        member.client_host,
        member.instance_id,
        group.topics_of(member),
        protocol="classic" if member.is_classic else "consumer",
        epoch=member.epoch,
        state=_STATES.get(member.state),
        assigned=member.assigned,
        revoking=member.pending,
        target=group.target_of(member),
    )


def waits_for(group: ConsumerGroupModel, topic_name: TopicName, wall_ms: int) -> str | None:
    """Explain why the group is not Stable; None: it is, or it is Empty."""
    if group.state is ConsumerGroupState.ASSIGNING:
        return _waits_for_target(group, wall_ms)
    if group.state is not ConsumerGroupState.RECONCILING:
        return None
    waiting = _members_that_wait(group, topic_name)
    named = list(islice(waiting, MEMBERS_MAX))
    left = group.unreconciled - len(named)
    if left > 0:
        named.append(f"{left} more {'members' if left > 1 else 'member'}")
    return (
        f"Group {shown(group.group_id)} is Reconciling at epoch {group.assignment_epoch}: {'; '.join(named)}."
    )


def _waits_for_target(group: ConsumerGroupModel, wall_ms: int) -> str:
    begun = (
        f"Group {shown(group.group_id)} is at epoch {group.group_epoch}, and its target assignment at epoch "
        f"{group.assignment_epoch}"
    )
    if group.assigning_ms is not None:
        return f"{begun}: the next one is being computed."
    interval_ms = group.store.limits_of(group.group_id).assignment_interval_ms
    from_ms = group.assigned_at_ms + interval_ms
    when = f" from {moment(from_ms)} on" if group.assigned_at_ms > 0 and from_ms > wall_ms else ""
    return (
        f"{begun}: the first heartbeat of a member{when} computes the next one "
        f"(group.consumer.assignment.interval.ms={interval_ms})."
    )


def _members_that_wait(group: ConsumerGroupModel, topic_name: TopicName) -> Iterator[str]:
    for member in group.members.values():
        if not member.is_reconciled(group.assignment_epoch):
            yield f"member {shown(member.member_id)} {_reason(group, member, topic_name)}"


def _reason(group: ConsumerGroupModel, member: ConsumerMember, topic_name: TopicName) -> str:
    if member.epoch < 0:
        return f"has left, and its instance {shown(member.instance_id or '')} may return"
    if member.state == UNREVOKED:
        return f"has not given up {_listed(member.pending, topic_name)} yet"
    if member.state == UNRELEASED:
        missing = _missing(group.target_of(member), member)
        return f"waits for {_listed(missing, topic_name)}, which other members still own"
    return f"has not sent a heartbeat since then (its epoch is {member.epoch})"


def _missing(target: Partitions, member: ConsumerMember) -> Partitions:
    return {
        topic_id: [each for each in partitions if each not in member.assigned.get(topic_id, ())]
        for topic_id, partitions in target.items()
    }


def _listed(partitions: Partitions, topic_name: TopicName) -> str:
    """Return names of partitions, of bounded length."""
    names = (
        f"{shown(topic_name(topic_id))}-{each}" for topic_id, some in partitions.items() for each in some
    )
    left = sum(map(len, partitions.values())) - PARTITIONS_MAX
    first = ", ".join(islice(names, PARTITIONS_MAX))
    return f"{first} and {left} more" if left > 0 else first or "partitions"
