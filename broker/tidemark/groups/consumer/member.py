"""The members of a KIP-848 group, their states and epochs, and what their regular expressions matched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.java import map_order, timeline_slot
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata, ClassicProtocol
from tidemark_protocol.subscriptions import write_assignment
from tidemark_protocol.wire import WireError

if TYPE_CHECKING:
    from tidemark.groups.classic.member import Protocols

# States of a member, as records store them. Kafka: MemberState.
STABLE: Final = 0  # it has all of its target
UNREVOKED: Final = 1  # it must give up partitions, and has not acknowledged that
UNRELEASED: Final = 2  # it waits for partitions that other members still own

# Epochs with a meaning of their own.
JOIN_EPOCH: Final = 0
LEAVE_EPOCH: Final = -1
STATIC_LEAVE_EPOCH: Final = -2

NEVER: Final = 2**63  # steady ms of a timer that does not run

Partitions = dict[bytes, list[int]]  # topic id -> partitions, ascending
Owned = dict[bytes, dict[int, int]]  # topic id -> partition -> epoch at which the member got it (KIP-1251)


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

    @property
    def protocols(self) -> Protocols:
        """The protocols of the last JoinGroup of a classic member."""
        assert self.classic is not None, self
        return [
            JoinGroupRequestProtocol(each.name, each.metadata) for each in self.classic.supported_protocols
        ]


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


def count_topics(counts: dict[str, int], topics: Iterable[str], by: int) -> bool:
    """Change the count of each topic. Return True if a topic was added or removed."""
    changed = False
    for topic in topics:
        changed |= count(counts, topic, by)
    return changed


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
