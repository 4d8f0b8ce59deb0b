"""A streams group (KIP-1071): its data, the decisions about it that no heartbeat makes, and its soft state.

The members are instances of one Kafka Streams application. They send its topology, and the coordinator
creates the topics that the application needs, and assigns tasks to the members.

Only the functions of replay.py change the hard state. Kafka: StreamsGroup.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Now
from tidemark.core.decision import After, ConsumerGroupRebalances, Decision, Record, Steps, at_once
from tidemark.groups.classic.member import NO_MEMBER_ID
from tidemark.groups.consumer.group import MEMBER_EPOCHS_FROM
from tidemark.groups.consumer.member import NEVER, STATIC_LEAVE_EPOCH
from tidemark.groups.consumer.target import AT_ONCE_MAX
from tidemark.groups.group import (
    TXN_GROUP_ERRORS_FROM,
    EpochGroup,
    MemberFacts,
    Roles,
    StreamsFacts,
    had_since,
    names_member,
    owner_of,
)
from tidemark.groups.streams.assignor import Subtopology, TaskAssignorError, changed, new_targets
from tidemark.groups.streams.member import (
    UNRELEASED_TASKS,
    UNREVOKED_TASKS,
    MemberTasks,
    StreamsMember,
    TaskSets,
)
from tidemark.groups.streams.reconciliation import TaskOwners
from tidemark.groups.streams.records import (
    current_record,
    epoch_record,
    group_tombstones,
    removal_records,
    target_epoch_record,
    target_record,
)
from tidemark.settings.release import Change
from tidemark_expiry.sentences import shown
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark.groups.streams.internal_topics import ConfiguredTopology
    from tidemark.metadata.configs import StreamsGroupSettings
    from tidemark.metadata.model import Topic
    from tidemark_protocol.messages.join_group import JoinGroupRequest
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest
    from tidemark_protocol.records.streams_group_topology import StreamsGroupTopologyValue

STREAMS: Final = "streams"
NO_TASKS: Final = TaskSets()
NOT_VALIDATED: Final = -1
STATES: Final = {UNREVOKED_TASKS: "unrevoked_tasks", UNRELEASED_TASKS: "unreleased_tasks"}


@dataclass(slots=True, eq=False)
class StreamsGroup(EpochGroup):
    """A streams group.

    validated_topology_epoch       the epoch of the topology whose topics all exist; NOT_VALIDATED: of none
    configs                        the settings of the assignor at group_epoch
    topology                       None: no member has sent one
    static_members                 instance id -> member id
    targets                        target assignments by member id

    sources                        source topic -> id of the subtopology that reads it
    owners                         which processes have a task
    unreconciled                   how many members do not have their target

    configured                     the topology with the topics of the cluster; None: not known
    described                      what StreamsGroupDescribe sees: as of the last records of the group
    delay_ms                       when the first assignment is due (steady ms), which waits for more members
    shutdown_by                    the member that asked all others to shut down
    endpoint_epoch                 rises when an endpoint or the tasks of a member with one change
    creation_errors                internal topic -> why it was not created, and until when members learn that
    reached_epoch                  the epoch of the target assignment at the last heartbeat
    left_targets                   targets of members that have left since the last assignment, by member id
    """

    validated_topology_epoch: int = 0
    configs: dict[str, str] = field(default_factory=dict)
    topology: StreamsGroupTopologyValue | None = None
    members: dict[str, StreamsMember] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    targets: dict[str, TaskSets] = field(default_factory=dict)

    sources: dict[str, str] = field(default_factory=dict)
    owners: TaskOwners = field(default_factory=TaskOwners)
    unreconciled: int = 0

    configured: ConfiguredTopology | None = None
    described: ConfiguredTopology | None = None
    delay_ms: int | None = None
    shutdown_by: str | None = None
    endpoint_epoch: int = 0
    creation_errors: dict[str, tuple[str, int]] = field(default_factory=dict)
    reached_epoch: int = NOT_VALIDATED
    left_targets: dict[str, TaskSets] = field(default_factory=dict)

    @property
    def type_name(self) -> str:
        return STREAMS

    @property
    def state_name(self) -> str:
        """The state on the wire. Kafka: StreamsGroup.maybeUpdateGroupState."""
        if not self.members:
            return "Empty"
        if self.topology is None or self.topology.epoch != self.validated_topology_epoch:
            return "NotReady"
        if self.group_epoch > self.assignment_epoch:
            return "Assigning"
        return "Reconciling" if self.unreconciled else "Stable"

    @property
    def member_ids(self) -> Collection[str]:
        return self.members

    @property
    def settings(self) -> StreamsGroupSettings:
        settings: StreamsGroupSettings = self.store.streams_settings_of(self.group_id)
        return settings

    def static_member(self, instance_id: str | None) -> StreamsMember | None:
        member_id = None if instance_id is None else self.static_members.get(instance_id)
        return None if member_id is None else self.members.get(member_id)

    def identified(self, member_id: str, instance_id: str | None) -> StreamsMember:
        """Return the member with these ids. Raises KafkaError.

        A static member that leaves out its instance is found by its id.
        """
        if instance_id is None:
            member = self.members.get(member_id)
            if member is None:
                raise self.unknown_member(member_id)
            return member
        return owner_of(instance_id, self.static_member(instance_id), member_id)

    def unknown_member(self, member_id: str) -> KafkaError:
        text = f"Member {member_id} is not a member of group {self.group_id}."
        return KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, text)

    def target_of(self, member_id: str, replaced: str | None = None) -> TaskSets:
        """Return the target of a member. replaced: the id that it had until now, if it is another one

        A member that joins again before the next assignment has the target that it had before it left.
        """
        for each in (member_id,) if replaced is None else (replaced, member_id):
            for targets in (self.left_targets, self.targets):
                if each in targets:
                    return targets[each]
        return NO_TASKS

    def is_subscribed(self, topic: str) -> bool:
        """Return whether the members read the topic. Kafka: StreamsGroup.isSubscribedToTopic."""
        return bool(self.members) and topic in self.sources

    def member_facts(self) -> list[MemberFacts]:
        subscribed = frozenset(self.sources)
        return [
            MemberFacts(
                member.member_id,
                member.client_id,
                member.client_host,
                member.instance_id,
                subscribed,
                epoch=member.epoch,
                state=STATES.get(member.state, "stable"),
                streams=StreamsFacts(
                    member.process_id,
                    member.endpoint,
                    member.topology_epoch,
                    _by_role(member.assigned),
                    _by_role(member.revoking),
                    _by_role(self.targets.get(member.member_id, NO_TASKS)),
                ),
            )
            for member in self.members.values()
        ]

    def waits_for(self, topic_name: Callable[[bytes], str], wall_ms: int) -> str | None:
        if self.state_name == "NotReady":
            if self.configured is None or self.configured.error is None:
                return "the topics of the topology were not checked yet: a heartbeat checks them"
            return self.configured.error[1]
        if self.state_name == "Assigning":
            return (
                "the next heartbeat computes an assignment"
                if self.delay_ms is None
                else ("the first assignment waits for more members (streams.initial.rebalance.delay.ms)")
            )
        if self.shutdown_by is not None and self.members:
            return f"member {shown(self.shutdown_by)} has asked all members to shut down"
        for member in self.members.values():
            if not member.is_reconciled(self.assignment_epoch):
                return f"member {shown(member.member_id)} does not have its tasks yet"
        return None

    # Commits and fetches of offsets.

    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        """Check the member and its epoch. Raises KafkaError. Kafka: StreamsGroup.validateOffsetCommit."""
        epoch = request.generation_id_or_member_epoch
        if epoch < 0 and not self.members:
            return ()
        member = self.members.get(request.member_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if ctx.version < MEMBER_EPOCHS_FROM:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
        if epoch != member.epoch and (epoch > member.epoch or not self._had_since(member, epoch, commits)):
            raise KafkaError(ErrorCode.STALE_MEMBER_EPOCH)
        return ()

    def check_transactional_commit(
        self, version: int, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        """Check the member that commits in a transaction, if the request names one. Raises KafkaError."""
        epoch = request.generation_id
        if (epoch < 0 and not self.members) or not names_member(request):
            return
        member = self.members.get(request.member_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if epoch != member.epoch and (epoch > member.epoch or not self._had_since(member, epoch, commits)):
            is_stale = version >= TXN_GROUP_ERRORS_FROM
            raise KafkaError(ErrorCode.STALE_MEMBER_EPOCH if is_stale else ErrorCode.ILLEGAL_GENERATION)

    def _had_since(self, member: StreamsMember, epoch: int, commits: Commits | TransactionalCommits) -> bool:
        def since(topic: Topic, partition: int) -> int | None:
            subtopology_id = self.sources.get(topic.name)
            if subtopology_id is None:
                return None
            assigned = member.assigned.active.get(subtopology_id, {}).get(partition)
            if assigned is None:
                return member.revoking.active.get(subtopology_id, {}).get(partition)
            return assigned

        return had_since(commits, epoch, since, self.store.settings.offset_metadata_max_bytes)

    def check_fetch(self, member_id: str | None, epoch: int) -> ErrorCode:
        """Check the member. A client that names no member may fetch."""
        if member_id is None and epoch < 0:
            return ErrorCode.NONE
        if member_id is None:
            return ErrorCode.UNKNOWN_SERVER_ERROR
        member = self.members.get(member_id)
        if member is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return ErrorCode.NONE if member.epoch == epoch else ErrorCode.STALE_MEMBER_EPOCH

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.NONE

    def tombstones(self) -> tuple[Record, ...]:
        """Return Kafka's records. The group is Empty, so there are none of members."""
        return group_tombstones(self.group_id)

    def join(self, ctx: Context, request: JoinGroupRequest) -> Decision[Any] | Steps[Decision[Any]]:
        """Decide a JoinGroup. An empty group becomes classic."""
        if not self.is_empty:
            return EpochGroup.join(self, ctx, request)
        if request.member_id != NO_MEMBER_ID:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        created: Decision[Any] = self.store.create_by_join(ctx, request, self.tombstones())
        return created

    # Targets, members that leave, and the passage of time.

    def new_target(
        self,
        configured: ConfiguredTopology,
        configs: Mapping[str, str],
        epoch: int,
        wall_ms: int,
        updated: StreamsMember | None = None,
    ) -> Steps[tuple[dict[str, TaskSets], list[Record]]]:
        """Compute the target assignment of this epoch. Return it with its records.

        updated: the member whose heartbeat causes the assignment, as the heartbeat changes it. A static
            member that has returned under another id takes the place of the one that it replaces
        Raises KafkaError. Kafka: TargetAssignmentBuilder, UpdatedMembersAndTargetAssignmentView.
        """
        members, targets = self.members, self.targets
        replaced = None if updated is None else self.static_member(updated.instance_id)
        if updated is not None and replaced is not None and replaced.member_id != updated.member_id:
            members, targets = {**members}, {**targets}
            del members[replaced.member_id]
            if replaced.member_id in targets:
                targets[updated.member_id] = targets.pop(replaced.member_id)
        subtopologies = configured.subtopologies
        known = None
        if subtopologies is not None and configured.is_ready:
            known = {
                each: Subtopology(found.tasks, bool(found.changelog_topics))
                for each, found in subtopologies.items()
            }
        try:
            release = self.store.settings.release
            assignment = yield from new_targets(members, self.peak, updated, targets, known, configs, release)
        except TaskAssignorError as error:
            raise KafkaError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                f"Failed to compute a new target assignment for epoch {epoch}: {error}",
            ) from None
        written = yield from changed(assignment, targets)
        records = [target_record(self.group_id, each, target) for each, target in written.items()]
        return assignment, [*records, target_epoch_record(self.group_id, epoch, wall_ms)]

    def member_left(self, member: StreamsMember, reason: str) -> Decision[Any]:
        """Remove a member, which raises the group epoch. reason: for the log

        Kafka: GroupMetadataManager.streamsGroupFenceMember.
        """
        group_id, epoch = self.group_id, self.group_epoch + 1
        records: tuple[Record, ...] = (
            *removal_records(group_id, member.member_id),
            epoch_record(group_id, epoch, self.metadata_hash, self.validated_topology_epoch, self.configs),
        )
        is_last = len(self.members) == 1
        if is_last and self.store.settings.release.has(Change.EMPTY_STREAMS_GROUP_HAS_ITS_TARGET):
            records = (*records, target_epoch_record(group_id, epoch, 0))
        removed = partial(self.store.log_removal, group_id, (member.member_id,), reason)
        kept = () if is_last else self._kept_target(member.member_id)
        rebalances = ConsumerGroupRebalances(group_id, epoch, reason, is_counted=False, group_type=STREAMS)
        return Decision(records=records, after=(removed, *kept), effects=() if is_last else (rebalances,))

    def _kept_target(self, member_id: str) -> After:
        """Return how to keep the target of a member that leaves until the next assignment, if 4.4 does.

        Kafka keeps the refined assignment since the first heartbeat after an assignment.
        """
        target = self.targets.get(member_id)
        is_refined = self.reached_epoch == self.assignment_epoch
        keeps = self.store.settings.release.has(Change.STREAMS_MEMBER_JOINS_AGAIN)
        if target is None or not is_refined or not keeps:
            return ()
        return (partial(self.left_targets.__setitem__, member_id, target),)

    def static_member_left(self, member: StreamsMember) -> Decision[Any]:
        """Keep the tasks of a static member, which may return until its session ends.

        Kafka: GroupMetadataManager.streamsGroupStaticMemberGroupLeave.
        """
        assigned = member.assigned
        active = {each: dict.fromkeys(found, 0) for each, found in assigned.active.items()}
        left = replace(
            member,
            epoch=STATIC_LEAVE_EPOCH,
            assigned=replace(assigned, active=active),
            revoking=MemberTasks(),
        )
        stopped = partial(self.await_revocation, member, NEVER)
        return Decision(records=(current_record(self.group_id, left),), after=(stopped,))

    def settle(self, now: Now) -> Decision[None] | int | None:
        """Compute the first assignment once its delay is over, then remove the next member that is too late.

        Each member is removed by a step of its own, as in Kafka: each raises the group epoch.
        """
        delay_ms = self.delay_ms
        if delay_ms is not None and delay_ms <= now.due_ms:
            return self._delayed_assignment(now)
        expired = self.timers.peek_due(now.due_ms, 1)
        if expired:
            member = self.members[expired[0]]
            is_session = member.session_ms <= now.due_ms
            why = "session expired" if is_session else "tasks not revoked within the rebalance timeout"
            return self.member_left(member, why)
        next_ms = self.timers.next()
        if delay_ms is not None:
            next_ms = delay_ms if next_ms is None else min(next_ms, delay_ms)
        return None if next_ms == NEVER else next_ms

    def _delayed_assignment(self, now: Now) -> Decision[None]:
        """Compute the first target assignment. Kafka: computeDelayedTargetAssignment.

        That of a large group is left to the next heartbeat, which computes it in steps.
        """
        ended = partial(self.delay_until, None)
        configured = self.configured
        is_due = (
            self.members
            and configured is not None
            and self.group_epoch > self.assignment_epoch
            and not self.must_wait(now, self.settings.assignment_interval_ms)
            and self.size(configured) <= AT_ONCE_MAX
        )
        if not is_due:
            return Decision(after=(ended,))
        assert configured is not None
        _, records = at_once(self.new_target(configured, self.configs, self.group_epoch, now.wall_ms))
        return Decision(records=tuple(records), after=(ended,))

    def size(self, configured: ConfiguredTopology) -> int:
        """Return the number of members and tasks, which is what an assignment costs."""
        subtopologies = configured.subtopologies or {}
        return len(self.members) + sum(each.tasks for each in subtopologies.values())

    # Soft state. The coordinator calls these methods once the records of a decision are replayed.

    def heard(self, member: StreamsMember, until_ms: int) -> None:
        """Set the end of a member's session (steady ms). If it is earlier now, the group is armed again."""
        if until_ms < member.session_ms:
            self.store.marked.add(self.group_id)
        member.session_ms = until_ms
        self.timers.set(member.member_id, min(until_ms, member.rebalance_ms))

    def await_revocation(self, member: StreamsMember, until_ms: int) -> None:
        """Set by when the member must have revoked its tasks (steady ms). NEVER: it revokes none."""
        member.rebalance_ms = until_ms
        self.timers.set(member.member_id, min(until_ms, member.session_ms))
        self.store.marked.add(self.group_id)

    def rename_target(self, replaced: str, member_id: str, *, has_target: bool) -> None:
        """Let a static member that returns keep the target that it had, if that is not recorded.

        replaced: its former id. has_target: its target was recorded
        Kafka: StreamsGroup.relabelRefinedAssignment.
        """
        left = self.left_targets.pop(replaced, None)
        if left is not None:
            self.left_targets[member_id] = left
        elif has_target:
            self.left_targets.pop(member_id, None)

    def delay_until(self, at_ms: int | None) -> None:
        """Set when the first assignment is computed (steady ms)."""
        self.delay_ms = at_ms
        self.store.marked.add(self.group_id)

    def start_sessions(self, now: Now) -> None:
        timeout_ms = self.settings.session_timeout_ms if self.members else 0
        for member in self.members.values():
            self.heard(member, now.steady_ms + timeout_ms)
            if member.state == UNREVOKED_TASKS:
                self.await_revocation(member, now.steady_ms + member.rebalance_timeout_ms)
            self.store.marked.add(self.group_id)


def _by_role(tasks: TaskSets | MemberTasks) -> Roles:
    return {"active": tasks.active, "standby": tasks.standby, "warmup": tasks.warmup}


def not_a_streams_group(group_id: str) -> KafkaError:
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a streams group.")
