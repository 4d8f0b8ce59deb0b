"""Committed offsets that are deleted, and why."""

from __future__ import annotations

from enum import StrEnum

from tidemark.late_dataclass import dataclass
from tidemark_protocol.records.offset_commit import OffsetCommitValue


class Cause(StrEnum):
    """Why a committed offset was deleted. The value is its name in JSON, log lines and metrics."""

    EXPIRED = "expired"
    OFFSET_DELETE = "offset_delete"
    GROUP_DELETE = "group_delete"
    TOPIC_DELETE = "topic_delete"


@dataclass(slots=True)
class Removal:
    """A committed offset that a tombstone of the same Result deletes, and the reason.

    Times are wall time. rule, since_ms and due_ms are set if it expired (`retention.Expiry`).
    """

    at_ms: int
    group: str
    topic: str
    partition: int
    offset: int
    leader_epoch: int
    metadata: str
    committed_ms: int
    cause: Cause
    rule: str | None = None
    since_ms: int | None = None
    due_ms: int | None = None

    @classmethod
    def of(
        cls,
        group_id: str,
        where: tuple[str, int],
        value: OffsetCommitValue,
        cause: Cause,
        at_ms: int,
        *,
        rule: str | None = None,
        since_ms: int | None = None,
        due_ms: int | None = None,
    ) -> Removal:
        return cls(
            at_ms, group_id, *where, value.offset, value.leader_epoch, value.metadata, value.commit_timestamp,
            cause, rule, since_ms, due_ms,
        )  # fmt: skip
