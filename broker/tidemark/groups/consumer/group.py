"""A KIP-848 group as the rest of the coordinator sees it: its data, and the decisions about it.

Classic members join a group that was upgraded. The response to their JoinGroup comes at once, because the
coordinator assigns. Kafka: GroupMetadataManager.classicGroupJoinToConsumerGroup. The checks are in its order.

When only classic members stay, the group becomes classic again. This is one decision: its records delete the
consumer group and create the classic one. The generation goes on from the epoch. heartbeat.py has the other
way. Kafka: GroupMetadataManager.convertToClassicGroup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Now
from tidemark.core.decision import After, Decision, Record, Steps
from tidemark.core.java import timeline_slot
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import (
    NO_MEMBER_ID,
    Protocols,
    all_fit,
    group_record,
    join_error,
    join_response,
    metadata_of,
    rebalance_timeout_ms,
    vote,
)
from tidemark.groups.consumer.member_change import MemberChange, OwnedPartitions
from tidemark.groups.consumer.model import (
    NEVER,
    UNRELEASED,
    UNREVOKED,
    ConsumerGroupModel,
    ConsumerMember,
    MemberTimer,
    member_facts,
    waits_for,
)
from tidemark.groups.consumer.records import (
    epoch_record,
    group_tombstones,
    regex_tombstone,
    removal_records,
)
from tidemark.groups.consumer.subscriptions import GroupTopics, RegexChange, topics_without
from tidemark.groups.group import MemberFacts, names_member
from tidemark.groups.offsets import is_longer
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequestTopicPartitions as ReportedPartitions,
)
from tidemark_protocol.messages.heartbeat import HeartbeatResponse
from tidemark_protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from tidemark_protocol.messages.sync_group import SyncGroupResponse
from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata, ClassicProtocol
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.records.group_metadata import GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import CONSUMER, read_subscription, version_of, write_assignment
from tidemark_protocol.wire import WireError

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark.groups.state import Groups
    from tidemark_protocol.messages.join_group import JoinGroupRequest
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.sync_group import SyncGroupRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest
    from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata

# Values of group.consumer.migration.policy.
UPGRADES: Final = ("bidirectional", "upgrade")
DOWNGRADES: Final = ("bidirectional", "downgrade")
DISABLED: Final = "disabled"


def may_downgrade(group: ConsumerGroupModel, leaving: Collection[ConsumerMember]) -> bool:
    """Return whether the group becomes classic once these members have left."""
    staying = len(group.members) - len(leaving)
    classic = group.classic_members - sum(each.is_classic for each in leaving)
    return staying > 0 and classic == staying and _is_downgradable(group, staying)


def may_downgrade_by(group: ConsumerGroupModel, replaced: ConsumerMember) -> bool:
    """Return whether the group becomes classic once a classic member takes the place of this static one."""
    if replaced.is_classic or group.classic_members != len(group.members) - 1:
        return False
    return _is_downgradable(group, len(group.members))


def _is_downgradable(group: ConsumerGroupModel, size: int) -> bool:
    settings = group.store.settings
    return settings.group_consumer_migration_policy in DOWNGRADES and size <= settings.group_max_size


def downgrade(
    group: ConsumerGroupModel,
    now: Now,
    reason: str,
    leaving: Collection[ConsumerMember] = (),
    joining: ConsumerMember | None = None,
) -> tuple[tuple[Record, ...], Callable[[], None]]:
    """Return the records that make the group classic, and the change after them. Raises GROUP_ID_NOT_FOUND.

    reason   why the classic group rebalances at once; "": it does not
    leaving  members that do not stay
    joining  a classic member that takes the place of a static one
    """
    group_id, known = group.group_id, group.members
    renamed: dict[str, str] = {}  # the new id of the static member that is replaced, by its old one
    if joining is not None and joining.instance_id is not None:
        renamed[group.static_members[joining.instance_id]] = joining.member_id
    gone = {each.member_id for each in leaving} | renamed.keys()
    members = [known[each] for each in in_kafkas_order(known, group.peak) if each not in gone]
    if joining is not None:
        members.append(joining)
    protocols = {each.member_id: _protocols_of(each) for each in members}
    protocol = vote([*protocols.values()])
    stored: list[MemberMetadata] = []
    for member in members:
        assert member.classic is not None, member
        metadata = metadata_of(protocols[member.member_id], protocol)
        try:
            target = group.target_of(member)
            assignment = assignment_bytes(group.store.cluster, target, version_of(metadata))
        except WireError:
            why = "Buffer underflow while parsing consumer protocol's header"
            message = f"Cannot downgrade the classic group {group_id}: {why}."
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, message) from None
        stored.append(
            MemberMetadata(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.rebalance_timeout_ms,
                member.classic.session_timeout_ms,
                metadata,
                assignment,
            )
        )
    leader = members[0].member_id
    value = GroupMetadataValue(CONSUMER, group.group_epoch, protocol, leader, now.wall_ms, stored)
    records = (*group_tombstones(group, renamed), group_record(group_id, value))
    return records, partial(_downgraded, group.store, group_id, protocols, now, reason)


def _downgraded(
    store: Groups, group_id: str, protocols: Mapping[str, Protocols], now: Now, reason: str
) -> None:
    """Give the members of the classic group what its record does not hold."""
    group = store.groups[group_id]
    assert isinstance(group, ClassicGroup), group
    group.downgraded(protocols, now, reason)
    store.log_migration(group_id, "classic")


def _protocols_of(member: ConsumerMember) -> Protocols:
    assert member.classic is not None, member
    return [JoinGroupRequestProtocol(each.name, each.metadata) for each in member.classic.supported_protocols]


# Shared by both ways.


def classic_metadata_of(session_timeout_ms: int, protocols: Protocols) -> ClassicMemberMetadata:
    """Return what the record of a classic member holds of its JoinGroup."""
    return ClassicMemberMetadata(
        session_timeout_ms, [ClassicProtocol(each.name, each.metadata) for each in protocols]
    )


def assignment_bytes(cluster: Any, partitions: Mapping[bytes, Iterable[int]], version: int) -> bytes:
    """Return an assignment as classic members read it. Topics that do not exist are left out.

    partitions: by topic id. Raises WireError if there is no such version.
    """
    if version < 0:
        raise WireError(f"version {version} does not exist")
    named = [
        (topic.name, sorted(indexes))
        for topic_id, indexes in partitions.items()
        if (topic := cluster.topics_by_id.get(topic_id)) is not None
    ]
    return write_assignment(named, version)


def in_kafkas_order(
    member_ids: Collection[str], peak: int, hash_of: Callable[[str], int] = java_hash
) -> list[str]:
    """Return the order in which Kafka's TimelineHashMap has these members, oldest first.

    peak: how many members it had at most
    """
    newest_first = [*member_ids][::-1]
    return sorted(newest_first, key=lambda member_id: timeline_slot(hash_of(member_id), peak))


FIRST_VERSION_WITH_KNOWN_IDS: Final = 4  # KIP-394
NOT_GIVEN: Final = -1
STALE: Final = "group became classic with a stale assignment"

Decided = Decision[JoinGroupResponse] | Steps[Decision[JoinGroupResponse]]


def join(ctx: Context, group: ConsumerGroupModel, request: JoinGroupRequest) -> Decided:
    """Decide a JoinGroup. An empty group becomes classic. Raises UNKNOWN_MEMBER_ID."""
    if group.is_empty:
        if request.member_id != NO_MEMBER_ID:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        return group.store.create_by_join(ctx, request, group.tombstones())
    try:
        return ClassicJoin(ctx, group, request).decide()
    except KafkaError as refused:
        return Decision(join_error(ctx.version, refused.code))


class ClassicJoin(MemberChange[JoinGroupRequest, JoinGroupResponse]):
    """One JoinGroup while it is decided."""

    subscription: ConsumerProtocolSubscription

    def decide(self) -> Decided:
        request, ctx = self.request, self.ctx
        self.subscription = ConsumerProtocolSubscription()
        if self.group.store.settings.group_consumer_migration_policy == DISABLED:
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        is_new = request.member_id == NO_MEMBER_ID
        if is_new:
            self.member_id = ctx.new_uuid()
        self.check_room()
        self._check_protocols()
        instance_id = request.group_instance_id
        if is_new and instance_id is None and ctx.version >= FIRST_VERSION_WITH_KNOWN_IDS:
            # The id is not remembered. Any id that a client sends joins.
            return Decision(join_error(ctx.version, ErrorCode.MEMBER_ID_REQUIRED, self.member_id))
        before = self._member(instance_id, is_new=is_new)
        try:
            self.subscription = read_subscription(request.protocols[0].metadata)
        except WireError:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
        return self.changed(before, self._updated(before))

    def _check_protocols(self) -> None:
        """Raise INCONSISTENT_GROUP_PROTOCOL unless all classic members support one of the protocols."""
        group, request = self.group, self.request
        supported, count = group.classic_protocols, group.classic_members
        if request.protocol_type != CONSUMER or not any(
            supported.get(protocol.name, 0) == count for protocol in request.protocols
        ):
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        names = [protocol.name for protocol in request.protocols]
        if not all_fit(self.ctx.client_id, request.group_instance_id, self.member_id, *names):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)

    def _member(self, instance_id: str | None, *, is_new: bool) -> ConsumerMember:
        """Return the member as it was before this request. One that joins may be new.

        A static member without its id takes the place of the one that has its instance, of either protocol.
        """
        group, member_id = self.group, self.member_id
        if instance_id is not None and not is_new:
            return group.identified(member_id, instance_id)
        known = None if instance_id is None else group.static_member(instance_id)
        if known is not None:
            return self.replaced(known)
        return group.members.get(member_id) or ConsumerMember(member_id)

    def _updated(self, member: ConsumerMember) -> ConsumerMember:
        """Return the member with the fields of the request: the same object if all are equal."""
        request, ctx = self.request, self.ctx
        timeout_ms = rebalance_timeout_ms(ctx.version, request)
        updated = replace(
            member,
            instance_id=request.group_instance_id or member.instance_id,
            rack_id=self.subscription.rack_id or member.rack_id,
            rebalance_timeout_ms=member.rebalance_timeout_ms if timeout_ms == NOT_GIVEN else timeout_ms,
            topic_names=frozenset(self.subscription.topics),
            regex="",
            client_id=ctx.client_id,
            client_host=ctx.caller.client_host,
            classic=classic_metadata_of(request.session_timeout_ms, request.protocols),
        )
        return member if updated == member else updated

    # Differences from a heartbeat.

    def reported(self) -> Sequence[OwnedPartitions]:
        """Return the partitions in the subscription. Those of unknown topics do not count."""
        topics = self.ctx.cluster.topics
        return [
            ReportedPartitions(topics[part.topic].topic_id, part.partitions)
            for part in self.subscription.owned_partitions
            if part.topic in topics
        ]

    def named_topics(self) -> Sequence[str] | None:
        return self.subscription.topics

    def raises_epoch(self, regex: RegexChange, *, names_changed: bool) -> bool:
        return names_changed or regex is not RegexChange.NONE

    def assigned(
        self, before: ConsumerMember, member: ConsumerMember, epoch: int, topics: GroupTopics | None
    ) -> Any:
        instance_id = self.request.group_instance_id
        replaced = None if instance_id is None else self.group.static_member(instance_id)
        if replaced is None or not may_downgrade_by(self.group, replaced):
            return super().assigned(before, member, epoch, topics)
        return self._downgraded(member, is_stale=self.group.assignment_epoch < epoch)

    def _downgraded(self, member: ConsumerMember, *, is_stale: bool) -> Decision[JoinGroupResponse]:
        """Make the group classic, because its last consumer was replaced. It is Stable if nothing changed."""
        group = self.group
        if not is_stale:
            member = self.moved(member, group.assignment_epoch, group.target_of(member))
        records, completed = downgrade(group, self.ctx.now, STALE if is_stale else "", joining=member)
        return Decision(self._response(member), (*self.records, *records), after=(completed,))

    def heard(self, group: ConsumerGroupModel, member: ConsumerMember) -> None:
        assert member.classic is not None
        group.heard(member, self.ctx.steady_ms + member.classic.session_timeout_ms)

    def decided(self) -> None:
        super().decided()
        group = self.stored()
        member = group.members[self.member_id]
        group.set_timer(member, MemberTimer.JOIN, NEVER)
        timeout_ms = rebalance_timeout_ms(self.ctx.version, self.request)
        group.set_timer(member, MemberTimer.SYNC, self.ctx.steady_ms + timeout_ms)

    def result(self, before: ConsumerMember, member: ConsumerMember) -> Decision[JoinGroupResponse]:
        return self.whole(self._response(member))

    def _response(self, member: ConsumerMember) -> JoinGroupResponse:
        protocol = self.request.protocols[0].name
        return join_response(self.ctx.version, member.member_id, member.epoch, CONSUMER, protocol, leader="")


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
        metadata_max = self.store.settings.offset_metadata_max_bytes
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

    def settle(self, now: Now) -> Decision[None] | int | None:
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
        stopped: Decision[None] = Decision(after=(partial(self.set_timer, member, timer, NEVER),))
        if timer is MemberTimer.REBALANCE and member.epoch != member.rebalance_epoch:
            return stopped  # it has moved on since
        try:
            return members_left(self, (member,), now, timer.value)
        except KafkaError:  # the others cannot become a classic group, so Kafka keeps the member
            return stopped

    def join(self, ctx: Context, request: JoinGroupRequest) -> Decision[Any] | Steps[Decision[Any]]:
        return join(ctx, self, request)

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation: int, steady_ms: int
    ) -> Decision[HeartbeatResponse]:
        """Decide the Heartbeat of a classic member, whose generation is its epoch. Raises KafkaError.

        It must join again if it is behind, has to give up partitions, or can get more.
        """
        member, classic = self._classic_member(member_id, instance_id, generation)
        heard = partial(self.heard, member, steady_ms + classic.session_timeout_ms)
        if (
            member.epoch < self.assignment_epoch
            or member.state == UNREVOKED
            or (
                member.state == UNRELEASED
                and not any(
                    (
                        partition not in member.assigned.get(topic_id, ())
                        and self.is_owned(topic_id, partition)
                        for topic_id, partitions in self.targets.get(member.member_id, {}).items()
                        for partition in partitions
                    )
                )
            )
        ):
            rebalancing = HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
            return Decision(rebalancing, after=(heard, partial(self.await_join, member, steady_ms)))
        return Decision(HeartbeatResponse(error_code=ErrorCode.NONE), after=(heard,))

    def sync(self, ctx: Context, request: SyncGroupRequest) -> Decision[SyncGroupResponse]:
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
            return Decision(refused, after=(partial(self.await_join, member, ctx.steady_ms),))
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
        return Decision(response, after=(synced, heard))

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

    def removal(self, now: Now, member_ids: Collection[str]) -> Decision[Any]:
        known = [self.members[each] for each in member_ids if each in self.members]
        return members_left(self, known, now, "member left") if known else Decision()

    def start_sessions(self, now: Now) -> None:
        if self.members:
            self.start_timers(now.steady_ms, self.store.settings_of(self.group_id).session_timeout_ms)


def members_left(
    group: ConsumerGroupModel, members: Sequence[ConsumerMember], now: Now, reason: str
) -> Decision[Any]:
    """Remove members, which raises the group epoch once.

    If only classic members stay, the group may become classic. reason: for the log
    Raises GROUP_ID_NOT_FOUND if the metadata of one of them cannot be read.
    Kafka: GroupMetadataManager.consumerGroupFenceMembers.
    """
    group_id = group.group_id
    removed = partial(group.store.log_removal, group_id, [each.member_id for each in members], reason)
    if group.classic_members and may_downgrade(group, members):
        records, completed = downgrade(group, now, f"{reason}: group became classic", members)
        return Decision(records=records, after=(removed, completed))
    removals = [record for each in members for record in removal_records(group_id, each.member_id)]
    leaving = Counter(each.regex for each in members if each.regex)
    unused = [regex for regex, count in leaving.items() if group.regex_members.get(regex) == count]
    metadata_hash = topics_without(group, members, unused).hash(group.store.cluster)
    created_ms = group.next_created_ms()
    return Decision(
        records=(
            *removals,
            *[regex_tombstone(group_id, regex) for regex in unused],
            epoch_record(group_id, group.group_epoch + 1, metadata_hash, created_ms),
        ),
        after=(removed,),
    )
