"""Members of a consumer group: what both protocols share, and the classic protocol.

A classic member joins, syncs, sends heartbeats, commits and leaves. There is one thread: it sends heartbeats
between fetches and between records. If you stop reading the output for longer than `session.timeout.ms`, the
consumer drops out of the group until you resume.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from tidemark_protocol.by_name import decode, encode
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records import consumer_protocol_assignment as assignment
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.wire import WireError
from tidemark_tools.client.client import (
    OFFSETS_BY_NAME,
    Client,
    TopicPartition,
    by_topic,
    commit_error,
    pause,
)
from tidemark_tools.client.connection import now_s
from tidemark_tools.client.errors import COORDINATOR_NOT_THERE, ErrorResponse, error_code

NO_GENERATION: Final = -1
PROTOCOL: Final = "range"
PROTOCOL_TYPE: Final = "consumer"
JOIN_SLACK_MS: Final = 5_000  # how much longer than the rebalance a JoinGroup may take
LEAVE_REASON: Final = "the consumer is being closed"  # Kafka's consumer sends the same text

# These errors end the generation; MEMBER_OVER also ends the member id.
GENERATION_OVER: Final = frozenset((ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION))
MEMBER_OVER: Final = ErrorCode.UNKNOWN_MEMBER_ID
SUBSCRIPTION_VERSION = 3
ASSIGNMENT_VERSION = 0
VERSION_BYTES = 2


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
    rack_id: str | None = None
    remote_assignor: str | None = None


class GroupMember(ABC):
    """A member of a group: its commits, and what a consumer calls, in groups of either protocol.

    joined: False if `join` must be called, also to take over a new assignment. was_lost: another member may
    have had our partitions in the meantime. new_partitions: those of the assignment that the coordinator
    calls new.
    """

    FIRST_COMMIT_VERSION: ClassVar = 0  # of OffsetCommit and OffsetFetch

    def __init__(self, client: Client, settings: GroupSettings) -> None:
        self._client = client
        self._settings = settings
        self._member_id = ""
        self._generation = NO_GENERATION  # or the member epoch
        self._beat_at = 0.0
        self.joined = False
        self.was_lost = False
        self.new_partitions: Collection[TopicPartition] = ()

    @abstractmethod
    def join(self, within_ms: int | None) -> list[TopicPartition]:
        """Join the group if we are not in it, and return the assigned partitions.

        Raises ErrorResponse for an error that is not temporary, and Unreachable if joining takes longer
        than within_ms or than a rebalance may take.
        """

    @abstractmethod
    def beat(self) -> None:
        """Send a heartbeat if one is due. `joined` is False afterwards if `join` must be called."""

    @abstractmethod
    def look(self) -> None:
        """Check whether the topics to subscribe to have changed."""

    @abstractmethod
    def leave(self) -> None:
        """Leave the group. A static member may return."""

    @abstractmethod
    def _note(self, code: ErrorCode, message: str | None = None) -> None:
        """Apply an error to the membership. Raises ErrorResponse if joining again cannot cure it."""

    def commit(self, positions: Mapping[TopicPartition, Position]) -> None:
        """Commit the positions. A generation that has ended makes us join again; it is no error."""
        if not positions:
            return
        request = commit_request(
            positions, **self._identity(), generation_id_or_member_epoch=self._generation
        )
        response = self._client.call_coordinator(
            self._settings.group_id,
            request,
            commit_error,
            max_version=OFFSETS_BY_NAME,
            min_version=self.FIRST_COMMIT_VERSION,
        )
        code = error_code(commit_error(response))
        if code != ErrorCode.NONE:
            self._note(code)

    def committed(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, Position]:
        """Return the committed position of each of these partitions that has one.

        If the generation has ended, `joined` is False afterwards, and none is returned.
        """
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
                self._note(worst)
                return {}
            pause(deadline, f"the offsets of group {self._settings.group_id!r} are not stable")
        for name, result in results:
            if result.committed_offset >= 0:
                found[TopicPartition(name, result.partition_index)] = Position(
                    result.committed_offset, result.committed_leader_epoch
                )
        return found

    def _fetch_offsets(self, partitions: list[TopicPartition]) -> Any:
        """Return the response for one group: the response itself before version 8, an element of it after."""
        from tidemark_protocol.messages import offset_fetch as api

        group = self._settings.group_id
        topics = {name: [at.partition for at in some] for name, some in by_topic(partitions).items()}
        of_group = [
            api.OffsetFetchRequestTopics(name=name, partition_indexes=at) for name, at in topics.items()
        ]
        request = api.OffsetFetchRequest(
            group_id=group,
            topics=[api.OffsetFetchRequestTopic(name, at) for name, at in topics.items()],
            groups=[api.OffsetFetchRequestGroup(group_id=group, **self._fetch_identity(), topics=of_group)],
            require_stable=True,
        )
        response = self._client.call_coordinator(
            group,
            request,
            lambda given: _of_group(given).error_code,
            max_version=OFFSETS_BY_NAME,
            min_version=self.FIRST_COMMIT_VERSION,
        )
        return _of_group(response)

    def _identity(self) -> dict[str, Any]:
        return {
            "group_id": self._settings.group_id,
            "member_id": self._member_id,
            "group_instance_id": self._settings.instance_id,
        }

    def _fetch_identity(self) -> dict[str, Any]:
        """Return who fetches offsets. A classic group does not ask."""
        return {}

    def _call(self, request: Any, timeout_ms: int | None) -> Any:
        node = self._client.coordinator(self._settings.group_id)
        return self._client.call(request, node, timeout_ms=timeout_ms)

    def _coordinator_moved(self, code: ErrorCode) -> bool:
        """Whether the coordinator must be looked up again, which this arranges."""
        if code in COORDINATOR_NOT_THERE:
            self._client.forget_coordinator(self._settings.group_id)
        return code in COORDINATOR_NOT_THERE


def commit_request(positions: Mapping[TopicPartition, Position], **identity: Any) -> Any:
    """Return an OffsetCommit. identity: the other fields of the request."""
    from tidemark_protocol.messages import offset_commit as api

    topics = [
        api.OffsetCommitRequestTopic(
            name=name,
            partitions=[api.OffsetCommitRequestPartition(at.partition, *positions[at]) for at in some],
        )
        for name, some in by_topic(positions).items()
    ]
    return api.OffsetCommitRequest(**identity, topics=topics)


def left_ms(deadline: float) -> int:
    """Return the ms until the deadline, at least 1."""
    return max(1, int((deadline - now_s()) * 1000))


def _of_group(response: Any) -> Any:
    return response.groups[0] if response.groups else response


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


class Subscriber(NamedTuple):
    """A member, in the order of assignment: static members first, by instance id."""

    is_dynamic: bool
    name: str
    member_id: str


def subscriber(member_id: str, instance_id: str | None) -> Subscriber:
    return Subscriber(instance_id is None, member_id if instance_id is None else instance_id, member_id)


def range_assignment(
    subscriptions: Mapping[Subscriber, Iterable[str]], partitions: Mapping[str, int]
) -> dict[str, list[TopicPartition]]:
    """Assign each subscriber of a topic a contiguous range of its partitions. Return them by member id.

    partitions: the number of partitions of each topic that exists. Kafka: RangeAssignor.
    """
    assigned: dict[str, list[TopicPartition]] = {each.member_id: [] for each in subscriptions}
    for topic in sorted(partitions):
        readers = sorted(each for each, topics in subscriptions.items() if topic in set(topics))
        begin = 0
        for place, reader in enumerate(readers):
            share, rest = divmod(partitions[topic], len(readers))
            end = begin + share + (place < rest)
            assigned[reader.member_id] += [TopicPartition(topic, index) for index in range(begin, end)]
            begin = end
    return assigned


def encode_subscription(topics: Iterable[str]) -> bytes:
    """Encode a subscription as Kafka's consumer does with its default settings."""
    message = ConsumerProtocolSubscription(
        topics=list(topics), user_data=b"", owned_partitions=[], generation_id=-1, rack_id=""
    )
    return _version(SUBSCRIPTION_VERSION) + encode(message.NAME, SUBSCRIPTION_VERSION, message)


def decode_subscription(data: bytes) -> list[str]:
    """Return the topics of a subscription of any version; none if it cannot be decoded."""
    try:
        message = decode("ConsumerProtocolSubscription", 0, data[VERSION_BYTES:])
    except WireError:
        return []
    topics: list[str] = message.topics
    return topics


def encode_assignment(partitions: Iterable[TopicPartition]) -> bytes:
    message = assignment.ConsumerProtocolAssignment(
        assigned_partitions=[
            assignment.TopicPartition(topic=name, partitions=[each.partition for each in held])
            for name, held in by_topic(partitions).items()
        ],
        user_data=b"",
    )
    return _version(ASSIGNMENT_VERSION) + encode(message.NAME, ASSIGNMENT_VERSION, message)


def decode_assignment(data: bytes) -> list[TopicPartition]:
    """Decode an assignment. No bytes mean no partitions. Raises WireError."""
    if not data:
        return []
    message = decode("ConsumerProtocolAssignment", 0, data[VERSION_BYTES:])
    return [
        TopicPartition(each.topic, index) for each in message.assigned_partitions for index in each.partitions
    ]


def _version(number: int) -> bytes:
    return number.to_bytes(VERSION_BYTES, "big")
