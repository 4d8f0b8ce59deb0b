"""Parts shared by members of groups of both protocols: settings, positions, commits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import OFFSETS_BY_NAME, Client, commit_error, pause
from tidemark_tools.client.connection import now_s
from tidemark_tools.client.errors import COORDINATOR_NOT_THERE, error_code

NO_GENERATION: Final = -1


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
                    **self._fetch_identity(),
                    topics=[
                        OffsetFetchRequestTopics(name=name, partition_indexes=held)
                        for name, held in topics.items()
                    ],
                )
            ],
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


def left_ms(deadline: float) -> int:
    """Return the ms until the deadline, at least 1."""
    return max(1, int((deadline - now_s()) * 1000))


def _of_group(response: Any) -> Any:
    return response.groups[0] if response.groups else response
