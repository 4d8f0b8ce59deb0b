"""A member of a classic consumer group: join, sync, heartbeats, commits, leave.

There is one thread: it sends heartbeats between fetches and between records. If you stop reading the output
for longer than `session.timeout.ms`, the consumer drops out of the group until you resume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.assignment import (
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
    range_assignment,
    subscriber,
)
from tidemark_tools.client.client import Client, pause
from tidemark_tools.client.connection import now_s
from tidemark_tools.client.errors import ErrorResponse, error_code
from tidemark_tools.client.group_member import GroupMember, GroupSettings, left_ms

PROTOCOL: Final = "range"
PROTOCOL_TYPE: Final = "consumer"
JOIN_SLACK_MS: Final = 5_000  # how much longer than the rebalance a JoinGroup may take
LEAVE_REASON: Final = "the consumer is being closed"  # Kafka's consumer sends the same text

# These errors end the generation; MEMBER_OVER also ends the member id.
GENERATION_OVER: Final = frozenset((ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION))
MEMBER_OVER: Final = ErrorCode.UNKNOWN_MEMBER_ID


class Membership(GroupMember):
    """The consumer's membership in its group.

    topics: called at each join for the topics to subscribe to. partitions: returns how many partitions each
    of these topics has.
    """

    def __init__(
        self,
        client: Client,
        settings: GroupSettings,
        topics: Callable[[], list[str]],
        partitions: Callable[[Iterable[str]], Mapping[str, int]],
    ) -> None:
        super().__init__(client, settings)
        self._topics = topics
        self._partitions = partitions
        self._subscribed: list[str] = []
        # Partition counts that our assignment was computed from; None: another member computed it.
        self._seen: Mapping[str, int] | None = None

    def join(self, within_ms: int | None) -> list[TopicPartition]:
        patience_ms = self._settings.rebalance_timeout_ms + JOIN_SLACK_MS
        deadline = self._client.deadline(patience_ms if within_ms is None else min(patience_ms, within_ms))
        while True:
            response = self._join(deadline)
            code = error_code(response.error_code)
            if code == ErrorCode.NONE:
                assigned = self._sync(response, deadline)
                if assigned is not None:
                    return assigned
            elif code == ErrorCode.MEMBER_ID_REQUIRED:
                self._member_id = response.member_id
                continue
            else:
                self._note(code)
            pause(deadline, f"group {self._settings.group_id!r} did not complete its rebalance")

    def _join(self, deadline: float) -> Any:
        from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol

        self._subscribed = self._topics()
        request = JoinGroupRequest(
            **self._identity(),
            session_timeout_ms=self._settings.session_timeout_ms,
            rebalance_timeout_ms=self._settings.rebalance_timeout_ms,
            protocol_type=PROTOCOL_TYPE,
            protocols=[JoinGroupRequestProtocol(PROTOCOL, encode_subscription(self._subscribed))],
        )
        return self._call(request, left_ms(deadline))

    def _sync(self, joined: Any, deadline: float) -> list[TopicPartition] | None:
        """Return the assignment, or None if the group has started another rebalance."""
        from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

        self._member_id, self._generation = joined.member_id, joined.generation_id
        leads = joined.leader == joined.member_id
        self._seen = None
        given = self._assignments(joined) if leads else {}
        request = SyncGroupRequest(
            **self._identity(),
            generation_id=self._generation,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=joined.protocol_name,
            assignments=[
                SyncGroupRequestAssignment(member, encode_assignment(partitions))
                for member, partitions in given.items()
            ],
        )
        response = self._call(request, left_ms(deadline))
        code = error_code(response.error_code)
        if code != ErrorCode.NONE:
            self._note(code)
            return None
        self.joined = True
        self._beat_at = now_s() + self._settings.heartbeat_interval_ms / 1000
        return decode_assignment(response.assignment)

    def _assignments(self, joined: Any) -> dict[str, list[TopicPartition]]:
        subscriptions = {
            subscriber(member.member_id, member.group_instance_id): decode_subscription(member.metadata)
            for member in joined.members
        }
        self._seen = self._partitions(
            sorted({topic for topics in subscriptions.values() for topic in topics})
        )
        return range_assignment(subscriptions, self._seen)

    def beat(self) -> None:
        from tidemark_protocol.messages.heartbeat import HeartbeatRequest

        if not self.joined or now_s() < self._beat_at:
            return
        response = self._call(HeartbeatRequest(**self._identity(), generation_id=self._generation), None)
        self._beat_at = now_s() + self._settings.heartbeat_interval_ms / 1000
        if response.error_code:
            self._note(error_code(response.error_code))

    def look(self) -> None:
        """Rejoin later if the topics, or their numbers of partitions, have changed since the last join."""
        topics = self._topics()
        if topics != self._subscribed:
            self.joined = False
        elif self._seen is not None:
            counts = self._partitions(topics)
            if any(counts.get(topic) != self._seen.get(topic) for topic in topics):
                self.joined = False

    def leave(self) -> None:
        """Leave the group. A static member stays until its session expires."""
        from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity

        if not self._member_id or self._settings.instance_id is not None:
            return
        group, member = self._settings.group_id, self._member_id
        identity = MemberIdentity(member_id=member, group_instance_id=None, reason=LEAVE_REASON)
        self._call(LeaveGroupRequest(group_id=group, member_id=member, members=[identity]), None)
        self._member_id = ""

    def _note(self, code: ErrorCode, message: str | None = None) -> None:
        if self._coordinator_moved(code):
            return
        if code == MEMBER_OVER:
            self._member_id = ""
        elif code not in GENERATION_OVER:
            raise ErrorResponse(code, message)
        self.was_lost = self.was_lost or code != ErrorCode.REBALANCE_IN_PROGRESS
        self.joined = False
