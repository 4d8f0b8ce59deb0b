"""One member of a classic group, and the counts that a group keeps about its members."""

from __future__ import annotations

from typing import Final

from tidemark.core.deadlines import Deadlines
from tidemark.core.result import ParkedRequest
from tidemark.groups.classic.protocols import Protocols, metadata_of
from tidemark.late_dataclass import dataclass

NEW_MEMBER_JOIN_TIMEOUT_MS: Final = 300_000  # fixed in Kafka as well


@dataclass(slots=True, eq=False)
class Member:
    """One member of a classic group.

    instance_id          static membership (KIP-345); None: dynamic
    protocols            of its last JoinGroup, in order of preference
    assignment           of the last sync
    parked_join          its parked JoinGroup, if any
    parked_sync          its parked SyncGroup, if any
    is_new               its first join has no response yet; it may expire while it is parked
    session_deadline_ms  steady; ignored while a request of the member is parked
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocols: Protocols
    assignment: bytes = b""
    parked_join: ParkedRequest | None = None
    parked_sync: ParkedRequest | None = None
    is_new: bool = False
    session_deadline_ms: int = 0

    @property
    def expires_at_ms(self) -> int | None:
        """When the session expires (steady). None: never, because the broker owes the member a response."""
        parked = self.parked_join is not None or self.parked_sync is not None
        return None if parked and not self.is_new else self.session_deadline_ms

    def metadata(self, protocol: str | None) -> bytes:
        return metadata_of(self.protocols, protocol)


class Roster:
    """Counts about a group's members and pending ids, so that no request has to look at all of them.

    joined     how many members have a parked join
    supported  protocol name -> how many members support it
    timers     member id or pending id -> when it expires (steady)
    """

    __slots__ = ("joined", "supported", "timers")

    def __init__(self) -> None:
        self.joined = 0
        self.supported: dict[str, int] = {}
        self.timers = Deadlines()
