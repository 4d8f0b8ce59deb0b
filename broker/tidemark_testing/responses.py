"""Responses of /v1 as objects. Times are milliseconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass, field, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

Cause = Literal["expired", "offset_delete", "group_delete", "topic_delete"]
ShareState = Literal[
    "available", "acquired", "acknowledged", "archiving", "archived", "undelivered", "forgotten"
]
ShareCause = Literal["rejected", "delivered_too_often", "gap", "deleted", "compacted", "aborted"]
GroupType = Literal["classic", "consumer", "streams", "share", "unknown"]


@dataclass(frozen=True)
class Offset:
    """A committed offset, and which expiry rule applies to it. due_ms: None if it does not expire now."""

    group: str
    topic: str
    partition: int
    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    committed_ms: int = 0
    expire_ms: int | None = None
    log_end_offset: int | None = None
    lag: int | None = None
    rule: str | None = None
    since_ms: int | None = None
    due_ms: int | None = None
    expired: bool = False
    subscribed: bool = False
    explanation: str = ""

    def __str__(self) -> str:
        return self.explanation


@dataclass(frozen=True)
class Removal:
    """A committed offset that was removed."""

    group: str
    topic: str
    partition: int
    offset: int
    cause: Cause
    at_ms: int
    leader_epoch: int = -1
    metadata: str = ""
    committed_ms: int = 0
    rule: str | None = None
    since_ms: int | None = None
    due_ms: int | None = None
    explanation: str = ""

    def __str__(self) -> str:
        return self.explanation


@dataclass(frozen=True)
class Member:
    """A member of a group. None: not known.

    assigned  the partitions that it owns, by topic. None in a classic group of another protocol type, such as
              that of Kafka Connect, and while its assignment is not known

    The other fields exist only in a group of the consumer protocol (KIP-848):

    protocol  "classic" or "consumer"
    epoch     the member's epoch, or the generation of a classic member
    state     "stable", "unrevoked_partitions" or "unreleased_partitions"
    revoking  partitions that it must give up, and has not given up yet
    target    partitions of its target assignment
    """

    member_id: str
    client_id: str | None = None
    client_host: str | None = None
    instance_id: str | None = None
    subscription: list[str] | None = None
    assigned: dict[str, list[int]] | None = None
    protocol: str | None = None
    epoch: int | None = None
    state: str | None = None
    revoking: dict[str, list[int]] | None = None
    target: dict[str, list[int]] | None = None


@dataclass(frozen=True)
class Group:
    """The current state of a group. due_ms: when the group itself expires, None if it does not.

    assignment_epoch, waits_for: of a group of the consumer protocol; why it is not Stable, in a sentence.
    """

    group: str
    type: GroupType = "classic"
    state: str = ""
    state_since_ms: int | None = None
    protocol_type: str = ""
    protocol: str | None = None
    generation: int = 0
    assignment_epoch: int | None = None
    members: list[Member] = field(default_factory=list)
    subscribed_topics: list[str] | None = None
    offsets: int = 0
    due_ms: int | None = None
    next_expiry_ms: int | None = None
    waits_for: str | None = None
    explanation: str = ""


@dataclass(frozen=True)
class PartitionLag:
    """The lag of a group in a partition: the end of the log minus the committed offset.

    offset, lag: None if the group has committed no offset of the partition, for which kafka-consumer-groups
    prints `-`. The lag is negative after a commit beyond the end.
    """

    topic: str
    partition: int
    offset: int | None = None
    log_start_offset: int = 0
    log_end_offset: int = 0
    lag: int | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether there are records, but no committed offset: the group may have read none or all of them."""
        return self.offset is None and self.log_end_offset > self.log_start_offset


@dataclass(frozen=True)
class Lag:
    """The lag of a group: the sum of the positive lags of its partitions, None if no partition has one.

    without_offset: the number of partitions without a committed offset
    """

    group: str
    lag: int | None = None
    without_offset: int = 0
    partitions: list[PartitionLag] = field(default_factory=list)


@dataclass(frozen=True)
class TransactionPartition:
    """A partition of a transaction.

    first_offset       of the transaction; None: it has written nothing here
    records_held_back  how many records readers with read_committed cannot read because of it
    blocks             whether it is the first open transaction of the partition
    """

    topic: str
    partition: int
    first_offset: int | None = None
    last_stable_offset: int = 0
    high_watermark: int = 0
    records_held_back: int = 0
    blocks: bool = False


@dataclass(frozen=True)
class PendingOffset:
    """An offset that a transaction commits once it is committed itself."""

    group: str
    topic: str
    partition: int


@dataclass(frozen=True)
class Transaction:
    """The transaction of a transactional id.

    transactional_id  None for a hanging transaction, which its coordinator does not know
    aborted_ms        when the coordinator aborts it; None if it does not
    partitions        of the transaction, each with what it holds back
    offsets           the first of its pending offsets
    """

    transactional_id: str | None
    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int | None = None
    last_update_ms: int = 0
    started_ms: int | None = None
    age_ms: int | None = None
    aborted_ms: int | None = None
    expires_ms: int | None = None
    partitions: list[TransactionPartition] = field(default_factory=list)
    pending_offsets: int = 0
    offsets: list[PendingOffset] = field(default_factory=list)
    explanation: str = ""

    def __str__(self) -> str:
        return self.explanation


@dataclass(frozen=True)
class ShareRecords:
    """Consecutive offsets of a share partition with the same state.

    state          available, acquired, acknowledged or archived; undelivered, or forgotten if it ended too
                   long ago
    member_id      who has acquired them
    lock_end_ms    when the lock of the member ends, if time passes as it does now
    is_stored      the share coordinator has stored the state
    cause          why they are archived: rejected, delivered_too_often, gap, deleted, compacted or aborted
    in_flight      not below the start offset, and not above the end offset
    """

    topic: str
    partition: int
    first_offset: int
    last_offset: int
    state: ShareState
    delivery_count: int = 0
    member_id: str | None = None
    client_id: str | None = None
    since_ms: int | None = None
    lock_end_ms: int | None = None
    is_stored: bool = False
    cause: ShareCause | None = None
    in_flight: bool = False
    explanation: str = ""

    def __str__(self) -> str:
        return self.explanation


@dataclass(frozen=True)
class SharePartition:
    """A partition that a share group reads.

    start_offset   all offsets below it have ended. None: nothing was delivered yet
    end_offset     nothing above it was delivered yet
    records        the number of offsets in flight by state
    undelivered    the number of offsets that were not delivered yet
    in_use         a member has read it, and the group has an open session
    """

    topic: str
    partition: int
    state: Literal["initialized", "initializing"] = "initialized"
    in_use: bool = False
    start_offset: int | None = None
    end_offset: int | None = None
    state_epoch: int | None = None
    log_start_offset: int | None = None
    log_end_offset: int | None = None
    records: dict[str, int] | None = None
    undelivered: int | None = None
    next_lock_end_ms: int | None = None


@dataclass(frozen=True)
class EndedSession:
    """A session that ended while time moved."""

    group: str
    member_id: str


@dataclass(frozen=True)
class TopicPartition:
    """A partition of a topic."""

    topic: str
    partition: int


@dataclass(frozen=True)
class AbortedTransaction:
    """A transaction that was aborted because its timeout passed. producer_epoch: after the abort."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    started_ms: int
    partitions: list[TopicPartition] = field(default_factory=list)


@dataclass(frozen=True)
class Moved:
    """The effects of moving time: offsets that expired, groups that were removed, sessions that ended.

    transactions: those that were aborted because their timeout passed
    """

    now_ms: int
    moved_ms: int
    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    sessions: list[EndedSession] = field(default_factory=list)
    transactions: list[AbortedTransaction] = field(default_factory=list)


@dataclass(frozen=True)
class RequestedTopic:
    """A topic or a partition that a request names. partition: None if it names only the topic."""

    topic: str
    partition: int | None = None


def read(kind: type[T], content: dict[str, Any]) -> T:
    """Build an object of this kind, and those in it. Fields of a later version are ignored."""
    known, lists = _fields_of(cast("Any", kind))
    given = {name: value for name, value in content.items() if name in known}
    for name, element in lists.items():
        if name in given:
            given[name] = [read(element, each) for each in given[name]]
    return kind(**given)


@cache
def _fields_of(kind: type[Any]) -> tuple[frozenset[str], dict[str, type[Any]]]:
    """Return the names of the fields, and the class of the objects in each list of objects."""
    hints = get_type_hints(kind)
    lists = {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is list}
    return frozenset(hints), {
        name: each for name, each in lists.items() if isinstance(each, type) and is_dataclass(each)
    }
