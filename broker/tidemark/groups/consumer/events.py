"""Events about the soft state of a KIP-848 group. Each is replayed once and then forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from tidemark.groups.events import GroupEvent

if TYPE_CHECKING:
    from tidemark.groups.consumer.model import OversizedMatches


class MemberTimer(Enum):
    REBALANCE = auto()  # the member must have given up its partitions
    JOIN = auto()  # a classic member must have joined again
    SYNC = auto()  # a classic member must have fetched its assignment


@dataclass(slots=True)
class ConsumerSeen(GroupEvent):
    """A member sent a heartbeat. Its session lasts until then (steady ms)."""

    member_id: str
    until_ms: int


@dataclass(slots=True)
class ConsumerSessionsStarted(GroupEvent):
    """The group was loaded: every member gets a full session from now on, and a full time to revoke."""

    steady_ms: int
    session_timeout_ms: int


@dataclass(slots=True)
class TimerStarted(GroupEvent):
    """The member is removed at this moment (steady ms) unless it does what the timer waits for.

    epoch: a REBALANCE timer counts only while the member has this epoch
    """

    member_id: str
    timer: MemberTimer
    until_ms: int
    epoch: int = 0


@dataclass(slots=True)
class TimerStopped(GroupEvent):
    """The member did what the timer waits for."""

    member_id: str
    timer: MemberTimer


@dataclass(slots=True)
class MetadataChecked(GroupEvent):
    """The hash of the subscribed topics was compared at this version of the cluster's topics."""

    version: int
    metadata_hash: int


@dataclass(slots=True)
class RegexesRequested(GroupEvent):
    """Regular expressions are being resolved. Until that has ended, no other resolution begins."""


@dataclass(slots=True)
class RegexesResolved(GroupEvent):
    """The resolution of regular expressions has ended. oversized: set if it had no result."""

    oversized: OversizedMatches | None = None


@dataclass(slots=True)
class AssignmentBegun(GroupEvent):
    """A target is computed in steps, from this moment on (steady ms)."""

    steady_ms: int


@dataclass(slots=True)
class AssignmentEnded(GroupEvent):
    """The computation of the target has ended."""


@dataclass(slots=True)
class ConsumersRemoved(GroupEvent):
    """Members left or expired; the records of the decision have removed them. For the log.

    reason: for the log
    """

    member_ids: tuple[str, ...]
    reason: str
