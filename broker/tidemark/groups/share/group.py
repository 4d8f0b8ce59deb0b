"""A share group (KIP-932): its data, the decisions about it that no heartbeat makes, and its soft state.

Several members may read a partition. The share coordinator stores how far the group has read each one. The
group assigns a partition once its state exists. So a topic that a member reads for the first time passes
through two lists of one record: *initializing*, while the share coordinator creates the state, and
*initialized*. A third list names the topics whose state is being *deleted*.

Only the functions of replay.py change the hard state.
Kafka: ShareGroup, and the parts of GroupMetadataManager about ShareGroupStatePartitionMetadataInfo.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Now
from tidemark.core.decision import After, ConsumerGroupRebalances, Decision, Record
from tidemark.groups.consumer.assignors.spec import Assignment, is_same
from tidemark.groups.consumer.member import NEVER, STABLE, Partitions, count
from tidemark.groups.consumer.subscriptions import GroupTopics
from tidemark.groups.group import EpochGroup, MemberFacts
from tidemark.groups.share.effects import DeleteShareState, InitializeShareState, NamedPartitions
from tidemark.groups.share.records import (
    StateTopics,
    epoch_record,
    group_tombstones,
    removal_records,
    state_record,
    target_epoch_record,
    target_record,
)
from tidemark.settings.release import Change
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark.metadata.configs import ShareGroupSettings
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

SHARE: Final = "share"
UNKNOWN_TOPIC: Final = "<UNKNOWN>"  # the name that Kafka stores for a topic that was deleted

StateChanges = Mapping[bytes, Collection[int]]
"""Partitions by topic id."""


@dataclass(slots=True)
class ShareMember:
    """One member. Two members are equal if their records are.

    assigned    partitions that it may read, in the order of Kafka's maps
    session_ms  the end of its session (steady ms), which is soft state
    """

    member_id: str
    epoch: int = 0
    previous_epoch: int = -1
    state: int = STABLE
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    topic_names: frozenset[str] = frozenset()
    assigned: Partitions = field(default_factory=dict)

    session_ms: int = field(default=NEVER, compare=False)


@dataclass(slots=True, eq=False)
class ShareGroup(EpochGroup):
    """A share group.

    subscribed_topics is valid once the group's partition is loaded (`complete`).

    targets                        target assignments by member id, in the order of Kafka's maps
    initializing, initialized      topics by id: name, and partitions whose state is created, or exists
    deleting                       names of topics by id, whose state is being deleted
    has_state_record               these three are in a record, even if all of them are empty

    by_name                        topic -> how many members subscribe to it
    assigned                       topic id -> partition -> how many members have it in their target
    latest_names                   the topics that the member names whose record was replayed last

    has_state                      no subscribed partition is missing in initializing and initialized
    awaits                         the result of `awaits_assignment` since the last change; None: not known
    requested                      partitions of initializing that the share coordinator works on
    begins_ms                      steady time before which it is not asked for work: the broker is held
    """

    members: dict[str, ShareMember] = field(default_factory=dict)
    targets: dict[str, Partitions] = field(default_factory=dict)
    initializing: dict[bytes, tuple[str, frozenset[int]]] = field(default_factory=dict)
    initialized: dict[bytes, tuple[str, frozenset[int]]] = field(default_factory=dict)
    deleting: dict[bytes, str] = field(default_factory=dict)
    has_state_record: bool = False

    by_name: dict[str, int] = field(default_factory=dict)
    assigned: dict[bytes, dict[int, int]] = field(default_factory=dict)
    latest_names: frozenset[str] = frozenset()
    is_loading: bool = False

    has_state: bool = False
    awaits: bool | None = None
    requested: dict[bytes, frozenset[int]] = field(default_factory=dict)
    begins_ms: int = 0

    @property
    def type_name(self) -> str:
        return SHARE

    @property
    def state_name(self) -> str:
        return "Stable" if self.members else "Empty"

    @property
    def member_ids(self) -> Collection[str]:
        return self.members

    @property
    def offsets_expire(self) -> bool:
        """Always False: a share group commits no offsets, and does not expire itself."""
        return False

    @property
    def settings(self) -> ShareGroupSettings:
        settings: ShareGroupSettings = self.store.share_settings_of(self.group_id)
        return settings

    def is_subscribed(self, topic: str) -> bool:
        return topic in self.by_name

    def member_facts(self) -> list[MemberFacts]:
        return [
            MemberFacts(
                member.member_id,
                member.client_id,
                member.client_host,
                None,
                member.topic_names,
                epoch=member.epoch,
                state="stable",
                assigned=member.assigned,
                revoking={},
                target=self.targets.get(member.member_id, {}),
            )
            for member in self.members.values()
        ]

    # Requests about committed offsets, which a share group does not have. Kafka's texts name consumer groups.

    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND)

    def check_transactional_commit(
        self, version: int, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND)

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.GROUP_ID_NOT_FOUND

    # Its topics, and its target assignment.

    def topics_after(self, before: ShareMember, after: ShareMember) -> GroupTopics:
        """Return the topics once a member changes. before: a new ShareMember for one that joins."""
        by_name = self.by_name
        if before.topic_names != after.topic_names:
            by_name = dict(by_name)
            for topic in before.topic_names:
                count(by_name, topic, -1)
            for topic in after.topic_names:
                count(by_name, topic, 1)
        size = len(self.members) + (after.member_id not in self.members)
        return GroupTopics(by_name, {}, {}, size)

    def awaits_assignment(self) -> bool:
        """Return whether partitions of subscribed topics have state, and no member has them.

        Kafka: GroupMetadataManager.initializedAssignmentPending.
        """
        if self.awaits is None:
            self.awaits = bool(self.members) and bool(self.by_name) and self._has_unassigned()
        return self.awaits

    def _has_unassigned(self) -> bool:
        assigned, no_partitions = self.assigned, dict[int, int]()
        return any(
            name in self.by_name and assigned.get(topic_id, no_partitions).keys() != partitions
            for topic_id, (name, partitions) in self.initialized.items()
        )

    def target_records(self, assignment: Assignment, epoch: int, wall_ms: int) -> list[Record]:
        """Return the records of a target: those of members whose target changes, then its epoch."""
        records = [
            target_record(self.group_id, member_id, target)
            for member_id, target in assignment.items()
            if not is_same(target, self.targets.get(member_id))
        ]
        return [*records, target_epoch_record(self.group_id, epoch, wall_ms)]

    # The state of its partitions, which the share coordinator stores.

    def missing_state(self, names: Iterable[str]) -> dict[bytes, tuple[str, frozenset[int]]]:
        """Return the partitions of these topics whose state neither exists nor is being created.

        Kafka: GroupMetadataManager.subscribedTopicsChangeMap.
        """
        topics = self.store.cluster.topics
        missing: dict[bytes, tuple[str, frozenset[int]]] = {}
        for name in names:
            topic = topics.get(name)
            if topic is None:
                continue
            known = _partitions(self.initialized, topic.topic_id)
            if len(known) >= len(topic.partitions):
                continue
            known |= _partitions(self.initializing, topic.topic_id)
            if len(known) < len(topic.partitions):
                missing[topic.topic_id] = name, frozenset(range(len(topic.partitions))) - known
        return missing

    def initializing_record(self, missing: StateTopics) -> Record:
        """Return the record of partitions whose state must be created. Their topics stop being deleted."""
        initializing = _combined(self.initializing, missing)
        deleting = {
            topic_id: name for topic_id, name in self._deleting_now().items() if topic_id not in initializing
        }
        return state_record(self.group_id, initializing, self.initialized, deleting)

    def state_deletion(self, *, again: bool = False) -> tuple[Record, DeleteShareState] | None:
        """Return what deletes the state of all partitions. None: the group has never had any.

        Kafka: GroupMetadataManager.shareGroupBuildPartitionDeleteRequest.
        """
        if not self.has_state_record or (again and not self.initialized and not self.initializing):
            return None
        topics = _combined(self.initialized, self.initializing)
        for topic_id in self.deleting:  # of an earlier deletion that has failed
            topic = self.store.cluster.topics_by_id.get(topic_id)
            if topic is not None:
                everything = {topic_id: (topic.name, range(len(topic.partitions)))}
                topics = _combined(topics, everything)
        deleting = {topic_id: name for topic_id, (name, _) in topics.items()}
        record = state_record(self.group_id, {}, {}, deleting)
        return record, DeleteShareState(self.group_id, _named(topics))

    def offsets_deletion(self, topic_ids: Iterable[bytes]) -> tuple[Record, NamedPartitions]:
        """Return the record that begins to delete the state of these topics, and their partitions.

        Topics without state are left out. Kafka: sharePartitionsEligibleForOffsetDeletion.
        """
        topics = self.store.cluster.topics_by_id
        found: dict[bytes, tuple[str, Sequence[int]]] = {}
        for topic_id in topic_ids:
            if topic_id in self.initialized:
                name, partitions = self.initialized[topic_id]
                found[topic_id] = name, sorted(partitions)
            elif topic_id in self.deleting and topic_id in topics:  # an earlier deletion has failed
                topic = topics[topic_id]
                found[topic_id] = topic.name, range(len(topic.partitions))
        initialized = {each: topic for each, topic in self.initialized.items() if each not in found}
        deleting = self._deleting_now() | {topic_id: name for topic_id, (name, _) in found.items()}
        return state_record(self.group_id, self.initializing, initialized, deleting), found

    def offsets_deleted(self, topic_ids: Collection[bytes]) -> Decision[None]:
        """Decide that the state of these topics is deleted. Kafka: completeDeleteShareGroupOffsets."""
        deleting = {each: name for each, name in self._deleting_now().items() if each not in topic_ids}
        return Decision(records=(state_record(self.group_id, self.initializing, self.initialized, deleting),))

    def topics_deleted(self, is_deleted: Callable[[bytes], bool]) -> tuple[Record, ...]:
        """Return the record without deleted topics, if it names one.

        Kafka: GroupMetadataManager.maybeCleanupShareGroupState.
        """
        deleted = {*filter(is_deleted, (*self.initializing, *self.initialized, *self.deleting))}
        if not deleted:
            return ()
        initializing = {each: topic for each, topic in self.initializing.items() if each not in deleted}
        initialized = {each: topic for each, topic in self.initialized.items() if each not in deleted}
        deleting = {each: name for each, name in self._deleting_now().items() if each not in deleted}
        return (state_record(self.group_id, initializing, initialized, deleting),)

    def state_initialized(self, created: StateChanges) -> Decision[None]:
        """Decide that the state of these partitions exists. Kafka: initializeShareGroupState.

        Topics that were deleted meanwhile are left out. Kafka would keep them, without a name.
        """
        topics = self.store.cluster.topics_by_id
        named = {
            topic_id: (topics[topic_id].name, partitions)
            for topic_id, partitions in created.items()
            if topic_id in topics
        }
        initialized = _combined(self.initialized, named)
        initializing = _without(self.initializing, created)
        record = state_record(self.group_id, initializing, initialized, self._deleting_now())
        return Decision(records=(record,), after=(partial(self.state_answered, created),))

    def state_not_initialized(self, refused: StateChanges) -> Decision[None]:
        """Decide that the state of these partitions could not be created. The next heartbeat tries again.

        Kafka: uninitializeShareGroupState.
        """
        after = (partial(self.state_answered, refused),)
        if not self.initializing:
            return Decision(after=after)
        initializing = _without(self.initializing, refused)
        record = state_record(self.group_id, initializing, self.initialized, self._deleting_now())
        return Decision(records=(record,), after=after)

    def _deleting_now(self) -> dict[bytes, str]:
        """Return the topics whose state is being deleted, with the names that they have now."""
        topics = self.store.cluster.topics_by_id
        return {each: topics[each].name if each in topics else UNKNOWN_TOPIC for each in self.deleting}

    # Members leave.

    def member_left(self, member: ShareMember, reason: str) -> Decision[Any]:
        """Remove a member, which raises the group epoch. reason: for the log

        Kafka: GroupMetadataManager.shareGroupFenceMember.
        """
        group_id, epoch = self.group_id, self.group_epoch + 1
        by_name = dict(self.by_name)
        for topic in member.topic_names:
            count(by_name, topic, -1)
        size = len(self.members) - 1
        metadata_hash = GroupTopics(by_name, {}, {}, size).hash(self.store.cluster)
        removal = removal_records(group_id, member.member_id)
        records: tuple[Record, ...] = (*removal, epoch_record(group_id, epoch, metadata_hash))
        if not size and self.store.settings.release.has(Change.SHARE_GROUPS):
            records = (*records, target_epoch_record(group_id, epoch, 0))
        removed = partial(self.store.log_removal, group_id, (member.member_id,), reason)
        rebalances = ConsumerGroupRebalances(group_id, epoch, reason, is_counted=False)
        return Decision(records=records, after=(removed,), effects=(rebalances,) if size else ())

    def settle(self, now: Now) -> Decision[None] | int | None:
        """Request state that must be created, then remove the next member whose session is over.

        State that exists is not created anew: the broker has stopped while AlterShareGroupOffsets changed it.
        """
        waiting: StateTopics = {}
        if self.initializing:
            existing = {each: known for each, (_, known) in self.initialized.items()}
            waiting = _without(_without(self.initializing, existing), self.requested)
        if waiting and now.steady_ms >= self.begins_ms:
            starts: dict[bytes, dict[int, int]] = {}
            if self.store.settings.release.has(Change.SHARE_GROUPS):  # new partitions of topics it knows
                starts = {
                    topic_id: dict.fromkeys(partitions, 0)
                    for topic_id, (_, partitions) in waiting.items()
                    if topic_id in self.initialized
                }
            effect = InitializeShareState(self.group_id, _named(waiting), self.group_epoch, starts)
            return Decision(effects=(effect,), after=(partial(self.state_requested, waiting),))
        expired = self.timers.peek_due(now.due_ms, 1)
        if not expired:
            return self.timers.next()
        return self.member_left(self.members[expired[0]], "session expired")

    def tombstones(self) -> tuple[Record, ...]:
        return group_tombstones(self.group_id, self.members)

    # Soft state. The coordinator calls these methods once the records of a decision are replayed.

    def heard(self, member: ShareMember, until_ms: int) -> None:
        """Set the end of a member's session (steady ms). If it is earlier now, the group is armed again."""
        if until_ms < member.session_ms:
            self.store.marked.add(self.group_id)
        member.session_ms = until_ms
        self.timers.set(member.member_id, until_ms)

    def state_requested(self, topics: StateTopics) -> None:
        """Note that the share coordinator works on these partitions."""
        for topic_id, (_, partitions) in topics.items():
            self.requested[topic_id] = self.requested.get(topic_id, frozenset()) | frozenset(partitions)

    def state_answered(self, topics: StateChanges) -> None:
        """Note that the share coordinator does not work on these partitions any more."""
        for topic_id, partitions in topics.items():
            left = self.requested.pop(topic_id, frozenset()) - frozenset(partitions)
            if left:
                self.requested[topic_id] = left

    def complete(self) -> None:
        self.is_loading = False
        self.subscribed_topics = frozenset(self.by_name)

    def start_sessions(self, now: Now) -> None:
        """Give every member a full session. Work of the share coordinator that has not ended begins again."""
        if self.members or self.initializing:
            timeout_ms = self.settings.session_timeout_ms
            for member in self.members.values():
                self.heard(member, now.steady_ms + timeout_ms)
            self.requested.clear()
            self.begins_ms = now.steady_ms
            self.store.marked.add(self.group_id)


def not_a_share_group(group_id: str) -> KafkaError:
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a share group.")


def _partitions(topics: StateTopics, topic_id: bytes) -> frozenset[int]:
    return frozenset(topics[topic_id][1]) if topic_id in topics else frozenset()


def _combined(one: StateTopics, other: StateTopics) -> dict[bytes, tuple[str, frozenset[int]]]:
    """Return the partitions of both. Kafka: GroupMetadataManager.combineInitMaps."""
    combined = {topic_id: (name, frozenset(partitions)) for topic_id, (name, partitions) in one.items()}
    for topic_id, (name, partitions) in other.items():
        combined[topic_id] = name, _partitions(combined, topic_id) | frozenset(partitions)
    return combined


def _without(topics: StateTopics, removed: StateChanges) -> dict[bytes, tuple[str, frozenset[int]]]:
    """Return the partitions that are not removed, without topics that have none left."""
    kept = {
        topic_id: (name, frozenset(partitions) - frozenset(removed.get(topic_id, ())))
        for topic_id, (name, partitions) in topics.items()
    }
    return {topic_id: topic for topic_id, topic in kept.items() if topic[1]}


def _named(topics: StateTopics) -> NamedPartitions:
    ordered: dict[bytes, tuple[str, Sequence[int]]] = {
        topic_id: (name, sorted(partitions)) for topic_id, (name, partitions) in topics.items()
    }
    return ordered
