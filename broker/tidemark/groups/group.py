"""The interface of a group of any protocol, which the rest of the coordinator uses.

A protocol is a folder beside this file with a subclass of `Group` and the functions that replay its records.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from tidemark.core.context import Context, Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import NOTHING, After, Decision, Record, Steps
from tidemark.core.log_text import short
from tidemark.groups.offsets import is_longer
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.groups.state import Groups
    from tidemark.metadata.model import Topic
    from tidemark_protocol.messages.heartbeat import HeartbeatResponse
    from tidemark_protocol.messages.join_group import JoinGroupRequest
    from tidemark_protocol.messages.offset_commit import (
        OffsetCommitRequest,
        OffsetCommitRequestPartition,
        OffsetCommitRequestTopic,
    )
    from tidemark_protocol.messages.sync_group import SyncGroupRequest
    from tidemark_protocol.messages.txn_offset_commit import (
        TxnOffsetCommitRequest,
        TxnOffsetCommitRequestPartition,
        TxnOffsetCommitRequestTopic,
    )

    # The topics of a request, each with those of its partitions that exist.
    Commits = list[tuple[OffsetCommitRequestTopic, Topic, list[OffsetCommitRequestPartition]]]
    TransactionalCommits = list[
        tuple[TxnOffsetCommitRequestTopic, Topic, list[TxnOffsetCommitRequestPartition]]
    ]

# Values of Group.due_bound_ms: the next cleanup pass must examine the group; no offset of it ever expires.
DUE_UNKNOWN: Final = -(2**63)
NEVER: Final = 2**63

NO_GENERATION: Final = -1
STALLED_MS: Final = 30_000  # a computation that has not ended by then was dropped with its client
FIRST_GROUP_EPOCH: Final = 1  # of a group without records, and of its target assignment
TXN_GROUP_ERRORS_FROM: Final = (
    6  # the version of TxnOffsetCommit with GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH
)


Partitions = Mapping[bytes, Collection[int]]  # by topic id
Roles = Mapping[str, Mapping[str, Collection[int]]]  # tasks: "active", "standby" or "warmup", and subtopology


@dataclass(slots=True, frozen=True)
class StreamsFacts:
    """Facts that only a member of a streams group has (KIP-1071), as `/v1` shows them.

    topology_epoch              of the topology that it runs
    assigned, revoking, target  tasks, otherwise as of MemberFacts
    """

    process_id: str
    endpoint: tuple[str, int] | None
    topology_epoch: int
    assigned: Roles
    revoking: Roles
    target: Roles


@dataclass(slots=True, frozen=True)
class MemberFacts:
    """One member, as `/v1` shows it. None: not known.

    assignment exists only in a classic group of consumers: the bytes that the leader has sent for the member.
    streams exists only in a streams group. The other fields exist only in groups whose members have epochs:

    protocol  "classic" or "consumer"
    epoch     the member's epoch, or the generation of a classic member
    state     "stable", "unrevoked_partitions" or "unreleased_partitions"
    assigned  partitions that it may use
    revoking  partitions that it must give up, and has not given up yet
    target    partitions of its target assignment
    """

    member_id: str
    client_id: str | None
    client_host: str | None
    instance_id: str | None
    subscription: AbstractSet[str] | None
    protocol: str | None = None
    epoch: int | None = None
    state: str | None = None
    assigned: Partitions | None = None
    revoking: Partitions | None = None
    target: Partitions | None = None
    assignment: bytes | None = None
    streams: StreamsFacts | None = None


@dataclass(slots=True, eq=False)
class Group(ABC):
    """One group.

    partition          the partition of `__consumer_offsets` that holds the group's records
    state_since_ms     wall time of the last change of state; None: not known
    protocol_type      "consumer", "connect" or another; None: the group has never had members
    subscribed_topics  None: not known
    due_bound_ms       wall time before which no committed offset of the group expires
    """

    group_id: str
    partition: int
    state_since_ms: int | None
    protocol_type: str | None = None
    subscribed_topics: frozenset[str] | None = None
    due_bound_ms: int = NEVER

    # Facts.

    @property
    @abstractmethod
    def type_name(self) -> str:
        """The type on the wire: "classic", "consumer", "share", "streams"."""

    @property
    @abstractmethod
    def state_name(self) -> str:
        """The state on the wire."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """True if the group has no members: it may be deleted, and its offsets may expire."""

    @property
    @abstractmethod
    def epoch(self) -> int:
        """The number of the current generation, or the group epoch."""

    @property
    def protocol_name(self) -> str | None:
        """The protocol that the members have elected, if the group elects one."""
        return None

    @property
    def offsets_expire(self) -> bool:
        """True if Kafka has a rule by which offsets of this group expire."""
        return True

    @property
    def is_placeholder(self) -> bool:
        """True if the group exists only because offsets were committed: it has no record of its own."""
        return False

    @property
    def target_epoch(self) -> int | None:
        """The epoch of the target assignment, if the coordinator assigns partitions."""
        return None

    @property
    @abstractmethod
    def member_ids(self) -> Collection[str]: ...

    @abstractmethod
    def member_facts(self) -> list[MemberFacts]: ...

    def waits_for(self, topic_name: Callable[[bytes], str], wall_ms: int) -> str | None:
        """Explain in a sentence why the group is not Stable. None: it is, or that is not known."""
        return None

    @property
    def topics_are_known(self) -> bool:
        """True if the group has members, and the topics that they read are known."""
        return False

    @abstractmethod
    def is_subscribed(self, topic: str) -> bool:
        """Return whether a member reads the topic. A subscription that is not known counts as one."""

    # Committed offsets.

    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        """Check the member that commits offsets. Returns what extends its session. Raises KafkaError.

        commits: the partitions that exist and that the client may read.
        Without a member, an empty group accepts every commit. Kafka: Group.validateOffsetCommit.
        """
        if request.generation_id_or_member_epoch < 0 and self.is_empty:
            return ()
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)

    def check_transactional_commit(
        self, version: int, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        """Check the member that commits offsets in a transaction, by a request of this version.

        Raises KafkaError.
        A producer that names no member may always commit.
        """
        if names_member(request):
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)

    def check_fetch(self, member_id: str | None, epoch: int) -> ErrorCode:
        """Return the error for the member that fetches offsets. Kafka: Group.validateOffsetFetch."""
        return ErrorCode.NONE

    @abstractmethod
    def check_offset_delete(self) -> ErrorCode:
        """Return why no offset may be deleted, or NONE. Kafka: Group.validateOffsetDelete."""

    @abstractmethod
    def tombstones(self) -> tuple[Record, ...]:
        """Return the records that delete the group, without those of its offsets."""

    # The state of share groups at the share coordinator.

    def state_deletion(self, *, again: bool = False) -> tuple[Record, Any] | None:
        """Return the record and the effect that delete what is stored elsewhere. None: nothing is.

        again: None, too, if nothing was stored after an earlier deletion.
        """
        return None

    def topics_deleted(self, is_deleted: Callable[[bytes], bool]) -> tuple[Record, ...]:
        """Return what follows for the group itself when topics are deleted, without its offsets."""
        return ()

    # The passage of time, and starts.

    def settle(self, now: Now) -> Decision[None] | int | None:
        """Return the next change that needs no request, or else when the next timer expires (steady ms)."""
        return None

    def unwritten(self, code: ErrorCode, now: Now) -> Decision[None]:
        """Respond to parked requests that wait for a decision whose records cannot be written."""
        return NOTHING

    def coordinator_moved(self, now: Now) -> Decision[None]:
        """Return what follows when another node coordinates the group. It knows only what was recorded."""
        return Decision(after=(partial(self.start_sessions, now),))

    def complete(self) -> None:  # noqa: B027
        """Derive the fields that depend on several records, once the group's partition is loaded."""

    def start_sessions(self, now: Now) -> None:  # noqa: B027
        """Give every member a full session from now on."""

    # Requests of the classic protocol. A group whose members do not speak it refuses them, as in Kafka.

    def join(self, ctx: Context, request: JoinGroupRequest) -> Decision[Any] | Steps[Decision[Any]]:
        """Decide a JoinGroup, in steps if that takes long. Raises KafkaError."""
        from tidemark.groups.classic.member import join_error  # it imports this module

        return Decision(join_error(ctx.version, ErrorCode.INCONSISTENT_GROUP_PROTOCOL))

    def sync(self, ctx: Context, request: SyncGroupRequest) -> Decision[Any]:
        """Decide a SyncGroup. Raises KafkaError."""
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation: int, steady_ms: int
    ) -> Decision[HeartbeatResponse]:
        """Decide a Heartbeat. Raises KafkaError."""
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)

    def leaver(self, member_id: str, instance_id: str | None, left: Collection[str | None]) -> str:
        """Return the id that a LeaveGroup removes. left: ids that the same request has removed.

        Raises KafkaError.
        """
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)

    def removal(self, now: Now, left: Mapping[str, str | None]) -> Decision[Any]:
        """Decide the removal of members that leave: their ids, with the reasons of their clients.

        Ids that have left by themselves are ignored.
        """
        return Decision()


@dataclass(slots=True, eq=False)
class EpochGroup(Group):
    """A group whose members have epochs, and whose target assignment the coordinator computes (KIP-848).

    store                          all groups: the settings and the cluster
    group_epoch, assignment_epoch  epochs of the group and of its target assignment
    assigned_at_ms                 wall time of the target assignment; 0: not known
    metadata_hash                  of the topics that the members read at group_epoch; 0: none
    peak                           how many members it had at most
    timers                         member id -> its earliest timer
    metadata_seen                  the version of the cluster's topics for which metadata_hash was compared
    assigning_ms                   steady time at which the computation of a target began; None: none runs
    """

    store: Groups = field(kw_only=True)
    group_epoch: int = FIRST_GROUP_EPOCH
    assignment_epoch: int = FIRST_GROUP_EPOCH
    assigned_at_ms: int = 0
    metadata_hash: int = 0
    peak: int = 0
    timers: Deadlines = field(default_factory=Deadlines)
    metadata_seen: int = -1
    assigning_ms: int | None = None

    @property
    def is_empty(self) -> bool:
        return not self.member_ids

    @property
    def epoch(self) -> int:
        return self.group_epoch

    @property
    def target_epoch(self) -> int | None:
        return self.assignment_epoch

    @property
    def topics_are_known(self) -> bool:
        return bool(self.member_ids)

    def must_wait(self, now: Now, interval_ms: int) -> bool:
        """Return whether the next target has to wait.

        One is being computed, or the interval since the last one is not over (KIP-1263).
        """
        began_ms, last_ms = self.assigning_ms, self.assigned_at_ms
        if began_ms is not None and now.steady_ms < began_ms + STALLED_MS:
            return True
        return bool(last_ms and interval_ms) and now.wall_ms < last_ms + interval_ms

    def end_assigning(self, began_ms: int) -> None:
        """Store that the computation that began then has ended. If it stalled, another one may run."""
        if self.assigning_ms == began_ms:
            self.assigning_ms = None

    def replay_target_epoch(self, value: Any) -> None:
        """Replay the record of the target assignment's epoch. None: a tombstone"""
        if value is not None:
            self.assignment_epoch, self.assigned_at_ms = value.assignment_epoch, value.assignment_timestamp
        else:
            self.assignment_epoch, self.assigned_at_ms = FIRST_GROUP_EPOCH, 0


def had_since(
    commits: Commits | TransactionalCommits,
    epoch: int,
    since_of: Callable[[Topic, int], int | None],
    metadata_max: int,
) -> bool:
    """Return whether a member has had all partitions of a commit since an epoch (KIP-1251).

    As in Kafka, partitions that are refused because of their metadata are not checked.

    since_of      returns the epoch at which the member got a partition; None: it does not have it
    metadata_max  offset.metadata.max.bytes
    """
    for _, topic, partitions in commits:
        for commit in partitions:
            since = since_of(topic, commit.partition_index)
            if (since is None or since > epoch) and not is_longer(
                commit.committed_metadata or "", metadata_max
            ):
                return False
    return True


class _Identified(Protocol):
    member_id: str


M = TypeVar("M", bound=_Identified)


def owner_of(instance_id: str, owner: M | None, member_id: str) -> M:
    """Return the member that has an instance. owner: None if no member has.

    Raises KafkaError UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID if it is not the member with the given id.
    """
    if owner is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if owner.member_id != member_id:
        raise KafkaError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member "
            f"{owner.member_id}.",
        )
    return owner


def why_left(reasons: Iterable[str | None]) -> str:
    """Return the reason for the log and `/v1/rebalances`, with the first one that a client has given."""
    given = short(next(filter(None, reasons), None))
    return f"member left: {given}" if given else "member left"


def names_member(request: TxnOffsetCommitRequest) -> bool:
    """Return whether a TxnOffsetCommit names a member or a generation. Versions before 3 do not (KIP-447)."""
    return (
        request.generation_id != NO_GENERATION
        or bool(request.member_id)
        or request.group_instance_id is not None
    )
