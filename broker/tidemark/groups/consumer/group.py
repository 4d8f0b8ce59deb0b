"""A KIP-848 group as the rest of the coordinator sees it: its data, and the decisions about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Now
from tidemark.core.result import After, Record, Result, Steps
from tidemark.groups.consumer.classic_joins import join
from tidemark.groups.consumer.facts import member_facts, waits_for
from tidemark.groups.consumer.migration import assignment_bytes, downgrade, may_downgrade
from tidemark.groups.consumer.model import (
    NEVER,
    UNRELEASED,
    UNREVOKED,
    ConsumerGroupModel,
    ConsumerMember,
    MemberTimer,
)
from tidemark.groups.consumer.records import (
    epoch_record,
    group_tombstones,
    regex_tombstone,
    removal_records,
)
from tidemark.groups.consumer.subscriptions import topics_without
from tidemark.groups.group import MemberFacts, names_member
from tidemark.groups.offsets import is_longer
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatResponse
from tidemark_protocol.messages.sync_group import SyncGroupResponse
from tidemark_protocol.subscriptions import CONSUMER, version_of
from tidemark_protocol.wire import WireError

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark_protocol.messages.join_group import JoinGroupRequest
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.sync_group import SyncGroupRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest
    from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata


NO_MEMBER_ID: Final = ""
MEMBER_EPOCHS_FROM: Final = 9  # the first version of OffsetCommit with member epochs


@dataclass(slots=True, eq=False)
class ConsumerGroup(ConsumerGroupModel):
    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        """Check the member and its epoch. As in Kafka, only heartbeats extend its session. Raises KafkaError.

        A member may commit with an older epoch for partitions that it has had since then (KIP-1251), because
        it may not know its new epoch yet. Kafka: ConsumerGroup.validateOffsetCommit.
        """
        epoch = request.generation_id_or_member_epoch
        if epoch < 0 and not self.members:
            return ()
        member = self.members.get(request.member_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if not member.is_classic and ctx.version < MEMBER_EPOCHS_FROM:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
        if epoch != member.epoch and (epoch > member.epoch or not self._had_since(member, epoch, commits)):
            code = ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH
            raise KafkaError(code)
        return ()

    def check_transactional_commit(
        self, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        """Check the member that commits in a transaction, if the request names one. Raises KafkaError.

        The rules are those of `check_commit`, but every wrong epoch is an ILLEGAL_GENERATION, and all
        versions of the request may name an epoch.
        """
        epoch = request.generation_id
        if (epoch < 0 and not self.members) or not names_member(request):
            return
        member = self.members.get(request.member_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if epoch != member.epoch and (epoch > member.epoch or not self._had_since(member, epoch, commits)):
            raise KafkaError(ErrorCode.ILLEGAL_GENERATION)

    def _had_since(self, member: ConsumerMember, epoch: int, commits: Commits | TransactionalCommits) -> bool:
        """Return whether the member has had all these partitions since an epoch.

        As in Kafka, partitions that are refused because of their metadata are not checked.
        """
        metadata_max = self.store.limits.offset_metadata_max_bytes
        for _, topic, partitions in commits:
            assigned = member.assigned.get(topic.topic_id, {})
            pending = member.pending.get(topic.topic_id, {})
            for commit in partitions:
                index = commit.partition_index
                since = assigned.get(index)
                if since is None:
                    since = pending.get(index)
                if (since is None or since > epoch) and not is_longer(
                    commit.committed_metadata or "", metadata_max
                ):
                    return False
        return True

    def check_fetch(self, member_id: str | None, epoch: int) -> ErrorCode:
        """Check the member. A client that names no member may fetch."""
        if member_id is None:
            return ErrorCode.NONE if epoch < 0 else ErrorCode.UNKNOWN_SERVER_ERROR
        member = self.members.get(member_id)
        if member is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if member.epoch == epoch:
            return ErrorCode.NONE
        return ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.NONE

    def member_facts(self) -> list[MemberFacts]:
        return [member_facts(self, member) for member in self.members.values()]

    def waits_for(self, topic_name: Callable[[bytes], str], wall_ms: int) -> str | None:
        return waits_for(self, topic_name, wall_ms)

    def tombstones(self) -> tuple[Record, ...]:
        return group_tombstones(self)

    def settle(self, now: Now) -> Result[None] | int | None:
        """Remove the next member that is too late.

        A heartbeat that moves a member's session leaves the group armed too early, which costs one idle call.
        Each member is removed by a step of its own, as in Kafka: each raises the group epoch.
        """
        expired = self.timers.peek_due(now.due_ms, 1)
        if not expired:
            due_ms = self.timers.next()
            return None if due_ms == NEVER else due_ms
        member = self.members[expired[0]]
        timer = member.first_passed(now.due_ms)
        stopped: Result[None] = Result(after=(partial(self.set_timer, member, timer, NEVER),))
        if timer is MemberTimer.REBALANCE and member.epoch != member.rebalance_epoch:
            return stopped  # it has moved on since
        try:
            return members_left(self, (member,), now, timer.value)
        except KafkaError:  # the others cannot become a classic group, so Kafka keeps the member
            return stopped

    def join(self, ctx: Context, request: JoinGroupRequest) -> Result[Any] | Steps[Result[Any]]:
        return join(ctx, self, request)

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation: int, steady_ms: int
    ) -> Result[HeartbeatResponse]:
        """Decide the Heartbeat of a classic member, whose generation is its epoch. Raises KafkaError.

        It must join again if it is behind, has to give up partitions, or can get more.
        """
        member, classic = self._classic_member(member_id, instance_id, generation)
        heard = partial(self.heard, member, steady_ms + classic.session_timeout_ms)
        if (
            member.epoch < self.assignment_epoch
            or member.state == UNREVOKED
            or (member.state == UNRELEASED and not self._waits_for_others(member))
        ):
            rebalancing = HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
            return Result(rebalancing, after=(heard, partial(self.await_join, member, steady_ms)))
        return Result(HeartbeatResponse(error_code=ErrorCode.NONE), after=(heard,))

    def _waits_for_others(self, member: ConsumerMember) -> bool:
        """Return whether a partition of its target still belongs to another member."""
        return any(
            partition not in member.assigned.get(topic_id, ()) and self.is_owned(topic_id, partition)
            for topic_id, partitions in self.targets.get(member.member_id, {}).items()
            for partition in partitions
        )

    def sync(self, ctx: Context, request: SyncGroupRequest) -> Result[SyncGroupResponse]:
        """Decide the SyncGroup of a classic member. The response has its assignment. Raises KafkaError."""
        member, classic = self._classic_member(
            request.member_id, request.group_instance_id, request.generation_id
        )
        if request.protocol_type is not None and request.protocol_type != CONSUMER:
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        name = classic.supported_protocols[0].name  # as in the response to the join
        if request.protocol_name is not None and request.protocol_name != name:
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if self.assignment_epoch > member.epoch and member.state != UNREVOKED:
            refused = SyncGroupResponse(
                error_code=ErrorCode.REBALANCE_IN_PROGRESS,
                protocol_type=None,
                protocol_name=None,
                assignment=b"",
            )
            return Result(refused, after=(partial(self.await_join, member, ctx.steady_ms),))
        try:
            version = version_of(classic.supported_protocols[0].metadata)
        except WireError:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
        response = SyncGroupResponse(
            error_code=ErrorCode.NONE,
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=assignment_bytes(ctx.cluster, member.assigned, version),
        )
        synced = partial(self.set_timer, member, MemberTimer.SYNC, NEVER)
        heard = partial(self.heard, member, ctx.steady_ms + classic.session_timeout_ms)
        return Result(response, after=(synced, heard))

    def _classic_member(
        self, member_id: str, instance_id: str | None, generation: int
    ) -> tuple[ConsumerMember, ClassicMemberMetadata]:
        """Return a classic member of this generation, and the fields of its JoinGroup. Raises KafkaError."""
        member = self.identified(member_id, instance_id)
        if member.classic is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if member.epoch != generation:
            raise KafkaError(ErrorCode.ILLEGAL_GENERATION)
        return member, member.classic

    def leaver(self, member_id: str, instance_id: str | None, left: Collection[str | None]) -> str:
        """Return the id of the member that a LeaveGroup removes, of either protocol. Raises KafkaError.

        A static member may be named by its instance alone. One that is named twice leaves once.
        """
        if instance_id is None or member_id != NO_MEMBER_ID:
            return self.identified(member_id, instance_id).member_id
        static = self.static_member(instance_id)
        if static is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        return static.member_id

    def removal(self, now: Now, member_ids: Collection[str]) -> Result[Any]:
        known = [self.members[each] for each in member_ids if each in self.members]
        return members_left(self, known, now, "member left") if known else Result()

    def start_sessions(self, now: Now) -> None:
        if self.members:
            self.start_timers(now.steady_ms, self.store.limits_of(self.group_id).session_timeout_ms)


def members_left(
    group: ConsumerGroupModel, members: Sequence[ConsumerMember], now: Now, reason: str
) -> Result[Any]:
    """Remove members, which raises the group epoch once.

    If only classic members stay, the group may become classic. reason: for the log
    Raises GROUP_ID_NOT_FOUND if the metadata of one of them cannot be read.
    Kafka: GroupMetadataManager.consumerGroupFenceMembers.
    """
    group_id = group.group_id
    removed = partial(group.store.log_removal, group_id, [each.member_id for each in members], reason)
    if group.classic_members and may_downgrade(group, members):
        records, completed = downgrade(group, now, f"{reason}: group became classic", members)
        return Result(records=records, after=(removed, completed))
    removals = [record for each in members for record in removal_records(group_id, each.member_id)]
    leaving = Counter(each.regex for each in members if each.regex)
    unused = [regex for regex, count in leaving.items() if group.regex_members.get(regex) == count]
    metadata_hash = topics_without(group, members, unused).hash(group.store.cluster)
    created_ms = group.next_created_ms()
    return Result(
        records=(
            *removals,
            *[regex_tombstone(group_id, regex) for regex in unused],
            epoch_record(group_id, group.group_epoch + 1, metadata_hash, created_ms),
        ),
        after=(removed,),
    )
