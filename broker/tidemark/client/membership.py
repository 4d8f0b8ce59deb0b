"""A member of a classic consumer group: join, sync, heartbeats, commits, leave.

There is one thread: it sends heartbeats between fetches and between records. If you stop reading the output
for longer than `session.timeout.ms`, the consumer drops out of the group until you resume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from tidemark.client.addresses import TopicPartition
from tidemark.client.assignment import (
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
    range_assignment,
    subscriber,
)
from tidemark.client.client import OFFSETS_BY_NAME, Client, commit_error, pause
from tidemark.client.connection import now_s
from tidemark.client.errors import COORDINATOR_NOT_THERE, ErrorResponse, error_code
from tidemark_protocol.errors import ErrorCode

PROTOCOL: Final = "range"
PROTOCOL_TYPE: Final = "consumer"
NO_GENERATION: Final = -1
JOIN_SLACK_MS: Final = 5_000  # how much longer than the rebalance a JoinGroup may take
LEAVE_REASON: Final = "the consumer is being closed"  # Kafka's consumer sends the same text

# These errors end the generation; MEMBER_OVER also ends the member id.
GENERATION_OVER: Final = frozenset((ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION))
MEMBER_OVER: Final = ErrorCode.UNKNOWN_MEMBER_ID


class Position(NamedTuple):
    """The next offset to read. leader_epoch is -1 if unknown."""

    offset: int
    leader_epoch: int = -1


class GroupSettings(NamedTuple):
    """Kafka's consumer settings of these names."""

    group_id: str
    instance_id: str | None
    session_timeout_ms: int
    heartbeat_interval_ms: int
    rebalance_timeout_ms: int


class Membership:
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
        self._client = client
        self._settings = settings
        self._topics = topics
        self._partitions = partitions
        self._member_id = ""
        self._generation = NO_GENERATION
        self._beat_at = 0.0
        self.joined = False
        self.was_lost = False  # another member may have had our partitions in the meantime
        self._subscribed: list[str] = []
        # Partition counts that our assignment was computed from; None: another member computed it.
        self._seen: Mapping[str, int] | None = None

    def join(self, within_ms: int | None) -> list[TopicPartition]:
        """Join the group and return the assigned partitions.

        Raises ErrorResponse for an error that is not temporary, and Unreachable if joining takes longer
        than within_ms or than a rebalance may take.
        """
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
        return self._call(request, _left_ms(deadline))

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
        response = self._call(request, _left_ms(deadline))
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
        """Send a heartbeat if one is due. `joined` is False afterwards if we must join again."""
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

    def commit(self, positions: Mapping[TopicPartition, Position]) -> None:
        """Commit the positions. A generation that has ended makes us join again; it is no error."""
        from tidemark_protocol.messages.offset_commit import (
            OffsetCommitRequest,
            OffsetCommitRequestPartition,
            OffsetCommitRequestTopic,
        )

        topics: dict[str, list[Any]] = {}
        for partition, position in positions.items():
            topics.setdefault(partition.topic, []).append(
                OffsetCommitRequestPartition(partition.partition, position.offset, position.leader_epoch)
            )
        if not topics:
            return
        request = OffsetCommitRequest(
            **self._identity(),
            generation_id_or_member_epoch=self._generation,
            topics=[OffsetCommitRequestTopic(name=name, partitions=held) for name, held in topics.items()],
        )
        response = self._client.call_coordinator(
            self._settings.group_id, request, commit_error, max_version=OFFSETS_BY_NAME
        )
        code = error_code(commit_error(response))
        if code != ErrorCode.NONE:
            self._note(code)

    def committed(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, Position]:
        """Return the committed position of each of these partitions that has one."""
        found: dict[TopicPartition, Position] = {}
        deadline = self._client.deadline(None)
        while True:
            response = self._fetch_offsets(list(partitions))
            code = error_code(response.error_code)
            results = [(each.name, result) for each in response.topics for result in each.partitions]
            codes = {error_code(result.error_code) for _, result in results} - {ErrorCode.NONE}
            if code == ErrorCode.NONE and not codes:
                break
            worst = code if code != ErrorCode.NONE else next(iter(codes))
            if worst != ErrorCode.UNSTABLE_OFFSET_COMMIT:
                raise ErrorResponse(worst)
            pause(deadline, f"the offsets of group {self._settings.group_id!r} are not stable")
        for name, result in results:
            if result.committed_offset >= 0:
                found[TopicPartition(name, result.partition_index)] = Position(
                    result.committed_offset, result.committed_leader_epoch
                )
        return found

    def _fetch_offsets(self, partitions: list[TopicPartition]) -> Any:
        """Return the response for one group: the response itself before version 8, an element of it after."""
        from tidemark_protocol.messages.offset_fetch import (
            OffsetFetchRequest,
            OffsetFetchRequestGroup,
            OffsetFetchRequestTopic,
            OffsetFetchRequestTopics,
        )

        topics: dict[str, list[int]] = {}
        for partition in partitions:
            topics.setdefault(partition.topic, []).append(partition.partition)
        group = self._settings.group_id
        request = OffsetFetchRequest(
            group_id=group,
            topics=[OffsetFetchRequestTopic(name, held) for name, held in topics.items()],
            groups=[
                OffsetFetchRequestGroup(
                    group_id=group,
                    topics=[
                        OffsetFetchRequestTopics(name=name, partition_indexes=held)
                        for name, held in topics.items()
                    ],
                )
            ],
            require_stable=True,
        )
        response = self._client.call_coordinator(
            group, request, lambda given: _of_group(given).error_code, max_version=OFFSETS_BY_NAME
        )
        return _of_group(response)

    def _identity(self) -> dict[str, Any]:
        return {
            "group_id": self._settings.group_id,
            "member_id": self._member_id,
            "group_instance_id": self._settings.instance_id,
        }

    def _call(self, request: Any, timeout_ms: int | None) -> Any:
        node = self._client.coordinator(self._settings.group_id)
        return self._client.call(request, node, timeout_ms=timeout_ms)

    def _note(self, code: ErrorCode) -> None:
        """Apply an error to the membership. Raises ErrorResponse if joining again cannot cure it."""
        if code in COORDINATOR_NOT_THERE:
            self._client.forget_coordinator(self._settings.group_id)
            return
        if code == MEMBER_OVER:
            self._member_id = ""
        elif code not in GENERATION_OVER:
            raise ErrorResponse(code)
        self.was_lost = self.was_lost or code != ErrorCode.REBALANCE_IN_PROGRESS
        self.joined = False


def _left_ms(deadline: float) -> int:
    return max(1, int((deadline - now_s()) * 1000))


def _of_group(response: Any) -> Any:
    return response.groups[0] if response.groups else response
