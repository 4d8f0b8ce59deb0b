"""The next assignment of one member, on its way from what it owns to its target.

A member gives up partitions first, and keeps its epoch until it has acknowledged that. Then it advances to
the epoch of the target and gets the partitions that no other member owns. Kafka: CurrentAssignmentBuilder.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.core.result import Steps
from tidemark.groups.consumer.model import STABLE, UNRELEASED, UNREVOKED, ConsumerMember, Owned
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequestTopicPartitions,
)

STEP_PARTITIONS: Final = 1_000
NO_TOPIC: Final = bytes(16)
UNKNOWN: Final = -1


OwnedPartitions = ConsumerGroupHeartbeatRequestTopicPartitions


@dataclass(slots=True, frozen=True)
class Reconciliation:
    """The input of the next assignment of a member.

    epoch, target         of the target assignment
    topics                the topics that the member reads, by name, of which some may not exist
    subscription_changed  by this request
    owners                topic id -> the partitions that a member owns
    owned                 the partitions that the member reports; None: it does not report any
    """

    epoch: int
    target: Mapping[bytes, Sequence[int]]
    topics: AbstractSet[str]
    subscription_changed: bool
    owners: Mapping[bytes, Collection[int]]
    owned: Sequence[OwnedPartitions] | None
    cluster: Any

    def apply(self, member: ConsumerMember) -> ConsumerMember:
        """Return the member with its next assignment: the same object if nothing changes.

        Raises FENCED_MEMBER_EPOCH.
        """
        if member.state == STABLE:
            if member.epoch != self.epoch:
                return self._advanced(member)
            return self._without_unsubscribed(member) if self.subscription_changed else member
        if member.state == UNREVOKED:
            if not self._owns_any(member.pending):
                return self._advanced(member)
            return self._without_unsubscribed(member) if self.subscription_changed else member
        if member.state == UNRELEASED:
            return self._advanced(member)
        if self.owned is None or self.owned:  # a state of a later release
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                "The consumer group member is in a unknown state. The member must abandon all its "
                "partitions and rejoin.",
            )
        return self._advanced(member)

    def _owns_any(self, revoked: Owned) -> bool:
        """Return whether the member still owns one of the partitions. It does until it reports otherwise."""
        if self.owned is None:
            return True
        for each in self.owned:
            partitions = revoked.get(each.topic_id)
            if partitions is not None and not partitions.keys().isdisjoint(each.partitions):
                return True
        return False

    def _without_unsubscribed(self, member: ConsumerMember) -> ConsumerMember:
        """Take partitions of topics from a member that has just unsubscribed from them. Its epoch stays."""
        if not member.pending and not any(name in self.cluster.topics for name in self.topics):
            assigned: Owned = {}
            pending = member.assigned
        else:
            gone = [topic_id for topic_id in member.assigned if not self._reads(topic_id)]
            if not gone:
                return member
            assigned = {each: owned for each, owned in member.assigned.items() if each not in gone}
            pending = dict(member.pending)
            for topic_id in gone:
                pending[topic_id] = {**pending.get(topic_id, {}), **member.assigned[topic_id]}
        if pending and self._owns_any(pending):
            return _moved(member, member.epoch, UNREVOKED, assigned, pending)
        return _moved(member, member.epoch, member.state, assigned, member.pending)

    def _advanced(self, member: ConsumerMember) -> ConsumerMember:
        """Move the member as far as other members allow."""
        assigned: Owned = {}
        revoked: Owned = {}
        gained: dict[bytes, list[int]] = {}
        is_waiting = False
        for topic_id in dict.fromkeys((*self.target, *member.assigned)):
            target = self.target.get(topic_id, ()) if self._reads(topic_id) else ()
            current = member.assigned.get(topic_id, {})
            if current:
                wanted = frozenset(target)
                kept = {each: epoch for each, epoch in current.items() if each in wanted}
                if kept:
                    assigned[topic_id] = kept
                if len(kept) < len(current):
                    revoked[topic_id] = {each: epoch for each, epoch in current.items() if each not in wanted}
            missing = [each for each in target if each not in current]
            free = [each for each in missing if self._is_free(member, topic_id, each)]
            is_waiting |= len(free) < len(missing)
            if free:
                gained[topic_id] = free
        if revoked and self._owns_any(revoked):
            return _moved(member, member.epoch, UNREVOKED, assigned, revoked)
        for topic_id, partitions in gained.items():
            assigned[topic_id] = {**assigned.get(topic_id, {}), **dict.fromkeys(partitions, self.epoch)}
        return _moved(member, self.epoch, UNRELEASED if is_waiting else STABLE, assigned, {})

    def _is_free(self, member: ConsumerMember, topic_id: bytes, partition: int) -> bool:
        return partition not in self.owners.get(topic_id, ()) or partition in member.pending.get(topic_id, ())

    def _reads(self, topic_id: bytes) -> bool:
        topic = self.cluster.topics_by_id.get(topic_id)
        return topic is not None and topic.name in self.topics


def _moved(member: ConsumerMember, epoch: int, state: int, assigned: Owned, pending: Owned) -> ConsumerMember:
    return replace(
        member, epoch=epoch, previous_epoch=member.epoch, state=state, assigned=assigned, pending=pending
    )


def without_repetitions(cluster: Any, owned: Sequence[OwnedPartitions]) -> Steps[list[OwnedPartitions]]:
    """Return the partitions that a member reports, each once. UNKNOWN stands for all that do not exist.

    So the checks of a report need little time, however long it is. A generator: it yields after each step.
    """
    found: dict[bytes, set[int]] = {}
    for each in owned:
        topic = cluster.topics_by_id.get(each.topic_id)
        partitions = found.setdefault(NO_TOPIC if topic is None else each.topic_id, set())
        count = 0 if topic is None else len(topic.partitions)
        for start in range(0, len(each.partitions), STEP_PARTITIONS):
            part = each.partitions[start : start + STEP_PARTITIONS]
            partitions.update(number if 0 <= number < count else UNKNOWN for number in part)
            yield 0
        yield 0
    return [OwnedPartitions(topic_id, [*partitions]) for topic_id, partitions in found.items()]
