"""The data of a KIP-848 group, queries about it, and the methods that change its soft state.

Only the functions of groups/consumer/replay.py change the rest. Counts over all members are kept up to date,
so that no heartbeat looks at all members or topics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Final

from tidemark.core.deadlines import Deadlines
from tidemark.core.java import map_order
from tidemark.groups.group import Group, MemberFacts
from tidemark.metadata.model import CREATION_UNKNOWN
from tidemark_expiry.sentences import moment, shown
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.subscriptions import CONSUMER

if TYPE_CHECKING:
    from tidemark.groups.state import Groups
    from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata

# States of a member, as records store them. Kafka: MemberState.
STABLE: Final = 0  # it has all of its target
UNREVOKED: Final = 1  # it must give up partitions, and has not acknowledged that
UNRELEASED: Final = 2  # it waits for partitions that other members still own

# Epochs with a meaning of their own.
JOIN_EPOCH: Final = 0
LEAVE_EPOCH: Final = -1
STATIC_LEAVE_EPOCH: Final = -2
FIRST_GROUP_EPOCH: Final = 1  # of a group without records, and of its target assignment

NEVER: Final = 2**63  # steady ms of a timer that does not run

Partitions = dict[bytes, list[int]]  # topic id -> partitions, ascending
Owned = dict[bytes, dict[int, int]]  # topic id -> partition -> epoch at which the member got it (KIP-1251)


class ConsumerGroupState(StrEnum):
    """The states of a KIP-848 group. The value is the name on the wire."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class MemberTimer(Enum):
    """The timers of a member. The value is the reason for its removal, for the log."""

    SESSION = "session expired"
    JOIN = "no JoinGroup within the rebalance timeout"  # of a classic member
    SYNC = "no SyncGroup within the rebalance timeout"  # of a classic member
    REBALANCE = "partitions not revoked within the rebalance timeout"


@dataclass(slots=True, frozen=True)
class ResolvedRegex:
    """The topics that a regular expression matched.

    version  of the cluster's metadata then
    at_ms    wall time
    """

    topics: frozenset[str]
    version: int
    at_ms: int


@dataclass(slots=True, frozen=True)
class OversizedMatches:
    """Regular expressions that match too many topics for a batch. They are not resolved again soon.

    topics_version  of the cluster then
    at_ms           wall time
    """

    regexes: frozenset[str]
    topics_version: int
    at_ms: int


NOT_RESOLVED: Final = ResolvedRegex(frozenset(), 0, 0)


@dataclass(slots=True)
class ConsumerMember:
    """One member. Two members are equal if their records are.

    rebalance_timeout_ms  how long it may take to revoke partitions
    regex                 "" if it has none; None in records of classic members only
    classic               set if it speaks the classic protocol, in a group that was upgraded
    assigned              partitions that it may use
    pending               partitions that it must give up and still owns

    Soft state: the timers, in steady ms. NEVER: the timer does not run.

    session_ms            the end of its session
    rebalance_ms          the end of its revocation, which counts while its epoch is rebalance_epoch
    join_ms, sync_ms      a classic member must have joined, or synced, by then
    """

    member_id: str
    epoch: int = 0
    previous_epoch: int = -1
    state: int = STABLE
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    client_id: str = ""
    client_host: str = ""
    topic_names: frozenset[str] = frozenset()
    regex: str | None = ""
    assignor: str | None = None
    classic: ClassicMemberMetadata | None = None
    assigned: Owned = field(default_factory=dict)
    pending: Owned = field(default_factory=dict)

    session_ms: int = field(default=NEVER, compare=False)
    rebalance_ms: int = field(default=NEVER, compare=False)
    rebalance_epoch: int = field(default=0, compare=False)
    join_ms: int = field(default=NEVER, compare=False)
    sync_ms: int = field(default=NEVER, compare=False)

    @property
    def is_classic(self) -> bool:
        """True if the member speaks the classic protocol, in a group that was upgraded."""
        return self.classic is not None

    def is_reconciled(self, assignment_epoch: int) -> bool:
        return self.state == STABLE and self.epoch == assignment_epoch

    @property
    def next_timer_ms(self) -> int:
        return min(self.session_ms, self.rebalance_ms, self.join_ms, self.sync_ms)

    def first_passed(self, steady_ms: int) -> MemberTimer:
        """Return which of its timers has passed by then, if one has."""
        if self.session_ms <= steady_ms:
            return MemberTimer.SESSION
        if self.join_ms <= steady_ms:
            return MemberTimer.JOIN
        return MemberTimer.SYNC if self.sync_ms <= steady_ms else MemberTimer.REBALANCE

    def owns(self, topic_id: bytes, partition: int) -> bool:
        """Return whether the member has the partition, or has not given it up yet."""
        return partition in self.assigned.get(topic_id, ()) or partition in self.pending.get(topic_id, ())


@dataclass(slots=True, eq=False)
class ConsumerGroupModel(Group):
    """A group of the consumer protocol (KIP-848).

    state and subscribed_topics are valid once the group's partition is loaded (`complete`).

    store                          all groups: the settings and the cluster
    group_epoch, assignment_epoch  epochs of the group and of its target assignment
    assigned_at_ms                 wall time of the target assignment; 0: not known
    metadata_hash                  of the subscribed topics at group_epoch; 0: none
    created_ms                     wall time of the first epoch record; CREATION_UNKNOWN in older records
    targets                        target assignments by member id; static members keep theirs while away
    regexes                        what regular expressions matched last
    has_partition_metadata         a record of Kafka before 4.0 is left, which the next write deletes

    by_name, by_regex              topic -> how many members, or regular expressions, subscribe to it
    regex_members                  regular expression -> how many members use it
    votes                          assignor -> how many members request it
    classic_protocols              protocol -> how many classic members support it
    owners                         topic id -> partition -> epoch of the member that owns it
    peak                           how many members it had at most
    unreconciled                   how many members do not have their target
    timers                         member id -> its earliest timer
    latest_names                   the topics that the member names whose record was replayed last

    metadata_seen                  the version of the cluster's topics for which hash_seen was compared
    hash_seen                      metadata_hash, without the topics of an expression that was dropped since
    resolving                      regular expressions are being resolved
    oversized                      set if the last resolution had no result
    assigning_ms                   steady time at which the computation of a target began; None: none runs
    """

    store: Groups = field(kw_only=True)
    state: ConsumerGroupState = ConsumerGroupState.EMPTY
    group_epoch: int = FIRST_GROUP_EPOCH
    assignment_epoch: int = FIRST_GROUP_EPOCH
    assigned_at_ms: int = 0
    metadata_hash: int = 0
    created_ms: int = CREATION_UNKNOWN
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    targets: dict[str, Partitions] = field(default_factory=dict)
    regexes: dict[str, ResolvedRegex] = field(default_factory=dict)
    has_partition_metadata: bool = False

    by_name: dict[str, int] = field(default_factory=dict)
    by_regex: dict[str, int] = field(default_factory=dict)
    regex_members: dict[str, int] = field(default_factory=dict)
    votes: dict[str, int] = field(default_factory=dict)
    classic_members: int = 0
    classic_protocols: dict[str, int] = field(default_factory=dict)
    owners: dict[bytes, dict[int, int]] = field(default_factory=dict)
    peak: int = 0
    unreconciled: int = 0
    timers: Deadlines = field(default_factory=Deadlines)
    latest_names: frozenset[str] = frozenset()
    is_loading: bool = False

    metadata_seen: int = -1
    hash_seen: int = 0
    resolving: bool = False
    oversized: OversizedMatches | None = None
    assigning_ms: int | None = None

    @property
    def type_name(self) -> str:
        return CONSUMER

    @property
    def state_name(self) -> str:
        return self.state.value

    @property
    def is_empty(self) -> bool:
        return self.state is ConsumerGroupState.EMPTY

    @property
    def epoch(self) -> int:
        return self.group_epoch

    @property
    def protocol_name(self) -> str | None:
        return self.assignor

    @property
    def target_epoch(self) -> int | None:
        return self.assignment_epoch

    @property
    def assignor(self) -> str:
        """The assignor that most members request, or else the broker's first one."""
        return preferred_assignor(self.votes) or self.store.settings.assignors[0]

    @property
    def member_ids(self) -> Collection[str]:
        return self.members

    @property
    def topics_are_known(self) -> bool:
        return bool(self.members)

    def is_subscribed(self, topic: str) -> bool:
        return self.subscribed_topics is not None and topic in self.subscribed_topics

    def next_created_ms(self, wall_ms: int = CREATION_UNKNOWN) -> int:
        """Return the creation time for the next epoch record. wall_ms: the time if this is the first one.

        An older group has no creation time (KIP-1327).
        """
        if self.store.settings.profile.name:  # no release has it yet
            return CREATION_UNKNOWN
        if self.created_ms == CREATION_UNKNOWN and self.group_epoch == FIRST_GROUP_EPOCH:
            return wall_ms
        return self.created_ms

    def topics_of(self, member: ConsumerMember) -> frozenset[str]:
        """Return the topics that a member names, and those that its regular expression matched."""
        if not member.regex:
            return member.topic_names
        matched = self.regexes.get(member.regex, NOT_RESOLVED).topics
        return member.topic_names | matched if member.topic_names else matched

    def static_member(self, instance_id: str) -> ConsumerMember | None:
        member_id = self.static_members.get(instance_id)
        return None if member_id is None else self.members.get(member_id)

    def identified(self, member_id: str, instance_id: str | None) -> ConsumerMember:
        """Return the member with these ids. Raises UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID.

        A static member that leaves out its instance is found by its id. Kafka: validateConsumerGroupMember.
        """
        member = self.members.get(member_id) if instance_id is None else self.static_member(instance_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if member.member_id != member_id:
            raise KafkaError(ErrorCode.FENCED_INSTANCE_ID)
        return member

    def target_of(self, member: ConsumerMember) -> Partitions:
        """Return the last target of a member. A static member has that of its instance."""
        if member.instance_id is not None:
            known = self.static_members.get(member.instance_id)
            return {} if known is None else self.targets.get(known, {})
        return self.targets.get(member.member_id, {})

    def is_owned(self, topic_id: bytes, partition: int) -> bool:
        owners = self.owners.get(topic_id)
        return owners is not None and partition in owners

    def derived_state(self) -> ConsumerGroupState:
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.group_epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        return ConsumerGroupState.RECONCILING if self.unreconciled else ConsumerGroupState.STABLE

    # Soft state. The coordinator calls these methods once the records of a decision are replayed.

    def heard(self, member: ConsumerMember, until_ms: int) -> None:
        """Set the end of a member's session (steady ms). If it is earlier now, the group is armed again."""
        if until_ms < member.session_ms:
            self.store.marked.add(self.group_id)
        member.session_ms = until_ms
        self.timers.set(member.member_id, member.next_timer_ms)

    def set_timer(self, member: ConsumerMember, timer: MemberTimer, at_ms: int) -> None:
        """Set when a timer removes the member (steady ms). NEVER: stop the timer."""
        if timer is MemberTimer.SESSION:
            member.session_ms = at_ms
        elif timer is MemberTimer.JOIN:
            member.join_ms = at_ms
        elif timer is MemberTimer.SYNC:
            member.sync_ms = at_ms
        else:
            member.rebalance_ms = at_ms
        self.timers.set(member.member_id, member.next_timer_ms)
        self.store.marked.add(self.group_id)

    def await_join(self, member: ConsumerMember, steady_ms: int) -> None:
        """Start the timer within which a classic member must join again, unless it is running."""
        if member.join_ms == NEVER:
            self.set_timer(member, MemberTimer.JOIN, steady_ms + member.rebalance_timeout_ms)

    def time_revocation(self, member: ConsumerMember, steady_ms: int) -> None:
        """Start the timer within which the member must give up partitions. Stop it if there are none.

        The timer counts only while the member keeps its current epoch.
        """
        until_ms = NEVER
        if member.state == UNREVOKED:
            until_ms = steady_ms + member.rebalance_timeout_ms
            member.rebalance_epoch = member.epoch
        self.set_timer(member, MemberTimer.REBALANCE, until_ms)

    def start_timers(self, steady_ms: int, session_timeout_ms: int) -> None:
        """Give every member of a loaded group a full session, and a full time to revoke.

        Kafka: GroupMetadataManager.onLoaded.
        """
        for member in self.members.values():
            member.session_ms = steady_ms + session_timeout_ms
            self.time_revocation(member, steady_ms)

    def metadata_checked(self, version: int, metadata_hash: int) -> None:
        """Note at which version of the cluster's topics the hash of the subscribed ones was compared."""
        self.metadata_seen, self.hash_seen = version, metadata_hash

    def regexes_resolved(self, oversized: OversizedMatches | None = None) -> None:
        """Allow the next resolution of regular expressions. oversized: set if this one had no result."""
        self.resolving = False
        self.oversized = oversized

    def complete(self) -> None:
        self.is_loading = False
        self.subscribed_topics = frozenset(self.by_name.keys() | self.by_regex.keys())
        epoch = self.assignment_epoch
        self.unreconciled = sum(not each.is_reconciled(epoch) for each in self.members.values())
        self.state = self.derived_state()


def preferred_assignor(votes: Mapping[str, int]) -> str | None:
    """Return the name with most votes. The order of Java's map decides a tie."""
    if len(votes) < 2:
        return next(iter(votes), None)
    return max(map_order([*votes], java_hash), key=votes.__getitem__)


def count(counts: dict[str, int], name: str, by: int) -> bool:
    """Change a count, which is removed at 0. Return True if the name was added or removed."""
    before = counts.get(name, 0)
    if before + by > 0:
        counts[name] = before + by
        return before == 0
    counts.pop(name, None)
    return before > 0


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
    interval_ms = group.store.settings_of(group.group_id).assignment_interval_ms
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


def _listed(partitions: Mapping[bytes, Collection[int]], topic_name: TopicName) -> str:
    """Return names of partitions, of bounded length."""
    names = (
        f"{shown(topic_name(topic_id))}-{each}" for topic_id, some in partitions.items() for each in some
    )
    left = sum(map(len, partitions.values())) - PARTITIONS_MAX
    first = ", ".join(islice(names, PARTITIONS_MAX))
    return f"{first} and {left} more" if left > 0 else first or "partitions"
