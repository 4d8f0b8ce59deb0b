"""Responses of /v1 as objects. Times are milliseconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

T = TypeVar("T")


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
    """A committed offset that was removed. cause: expired, offset_delete, group_delete, topic_delete."""

    group: str
    topic: str
    partition: int
    offset: int
    cause: str
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
class Group:
    """The current state of a group. due_ms: when the group itself expires, None if it does not.

    assignment_epoch, waits_for: of a group of the consumer protocol; why it is not Stable, in a sentence.
    """

    group: str
    type: str = "classic"
    state: str = ""
    state_since_ms: int | None = None
    protocol_type: str = ""
    protocol: str | None = None
    generation: int = 0
    assignment_epoch: int | None = None
    members: list[dict[str, Any]] = field(default_factory=list)
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
    partitions: list[dict[str, Any]] = field(default_factory=list)
    pending_offsets: int = 0
    offsets: list[dict[str, Any]] = field(default_factory=list)
    explanation: str = ""

    def __str__(self) -> str:
        return self.explanation


@dataclass(frozen=True)
class Moved:
    """The effects of moving time: offsets that expired, groups that were removed, sessions that ended.

    transactions: those that were aborted because their timeout passed
    """

    now_ms: int
    moved_ms: int
    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    sessions: list[dict[str, Any]] = field(default_factory=list)
    transactions: list[dict[str, Any]] = field(default_factory=list)


def read(kind: type[T], content: dict[str, Any]) -> T:
    """Build an object of this kind. Fields of a later version are ignored."""
    known = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in content.items() if name in known})
