"""A member of a group of the consumer protocol (KIP-848). Its heartbeats carry what the coordinator assigns.

There is one thread, as in membership.py. Kafka: ConsumerHeartbeatRequestManager, ConsumerMembershipManager.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client, TopicPartition, pause
from tidemark_tools.client.connection import now_s
from tidemark_tools.client.errors import ErrorResponse, UnsupportedVersion, error_code
from tidemark_tools.client.membership import GroupMember, GroupSettings, Position, left_ms

JOIN: Final = 0  # the member epochs that are none
LEAVE: Final = -1
LEAVE_FOR_NOW: Final = -2  # of a static member, which is expected to return
FENCED: Final = frozenset((ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH))
NOT_SERVED: Final = (
    "The cluster does not support the new CONSUMER group protocol. Set group.protocol=classic on the "
    "consumer configs to revert to the CLASSIC protocol until the cluster is upgraded."
)

Partitions = dict[bytes, tuple[int, ...]]  # by topic id


class ConsumerMembership(GroupMember):
    """The consumer's membership in its group.

    topics: returns the topics to subscribe to. topic_names: returns the name of each topic, by id.
    """

    FIRST_COMMIT_VERSION = 9  # of OffsetCommit and OffsetFetch: the first that has member epochs

    def __init__(
        self,
        client: Client,
        settings: GroupSettings,
        topics: Callable[[], list[str]],
        topic_names: Callable[[Iterable[bytes]], Mapping[bytes, str]],
    ) -> None:
        super().__init__(client, settings)
        self._topics = topics
        self._topic_names = topic_names
        self._names: dict[bytes, str] = {}
        self._member_id = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        self._generation = JOIN
        self._is_stale = False  # the coordinator has another epoch, which the next heartbeat returns
        self._subscribed: list[str] = []
        self._sent: dict[str, Any] = {}  # the fields that the coordinator knows already
        self._target: Partitions = {}
        self._new: Partitions = {}
        self._owned: Partitions = {}

    def join(self, within_ms: int | None) -> list[TopicPartition]:
        deadline = self._client.deadline(within_ms)
        while self._generation == JOIN or self._is_stale:
            if self._generation == JOIN:
                self._forget()
                self._subscribed = self._topics()
            self._heartbeat(deadline)
            if self._generation == JOIN or self._is_stale:
                pause(deadline, f"group {self._settings.group_id!r} did not accept this member")
        self._own()
        self.joined = True
        return [
            TopicPartition(self._names[topic], index)
            for topic, indexes in self._owned.items()
            for index in indexes
        ]

    def _own(self) -> None:
        """Take over the target, as far as the names of its topics are known. The next heartbeat says so."""
        unknown = [topic for topic in self._target if topic not in self._names]
        if unknown:
            self._names |= self._topic_names(unknown)
        owned = {topic: indexes for topic, indexes in self._target.items() if topic in self._names}
        if owned != self._owned:
            self._owned = owned
            self._beat_at = 0.0
        self.new_partitions = {
            TopicPartition(self._names[topic], index)
            for topic, indexes in self._new.items()
            if topic in self._names
            for index in indexes
        }

    def beat(self) -> None:
        if self._generation != JOIN and now_s() >= self._beat_at:
            self._heartbeat(self._client.deadline(None))

    def look(self) -> None:
        topics = self._topics()
        if topics != self._subscribed:
            self._subscribed = topics
            self._beat_at = 0.0

    def leave(self) -> None:
        if self._generation == JOIN:
            return
        is_static = self._settings.instance_id is not None
        self._call(self._request(LEAVE_FOR_NOW if is_static else LEAVE), None)
        self._generation = JOIN

    def _heartbeat(self, deadline: float) -> None:
        """Send a heartbeat with what has changed, and apply the response."""
        fields = self._fields()
        changed = {name: value for name, value in fields.items() if self._sent.get(name) != value}
        try:
            response = self._call(self._request(self._generation, changed), left_ms(deadline))
        except UnsupportedVersion:
            raise UnsupportedVersion(NOT_SERVED) from None
        except Exception:
            self._sent = {}
            raise
        code = error_code(response.error_code)
        if code != ErrorCode.NONE:
            self._sent = {}
            self._note(code, response.error_message)
            return
        self._sent = fields
        self._generation = response.member_epoch
        self._is_stale = False
        self._beat_at = now_s() + response.heartbeat_interval_ms / 1000
        self._assigned(response.assignment)

    def _assigned(self, assignment: Any) -> None:
        if assignment is not None:
            self._target = {
                topic.topic_id: tuple(sorted(topic.partitions)) for topic in assignment.topic_partitions
            }
            self._new = {topic.topic_id: tuple(topic.new_partitions) for topic in assignment.topic_partitions}
        if self._target != self._owned:
            self.joined = False  # the consumer joins again, and so takes the target over

    def _fields(self) -> dict[str, Any]:
        """Return the fields of a full heartbeat. A later one leaves out what has not changed."""
        return {
            "rebalance_timeout_ms": self._settings.rebalance_timeout_ms,
            "subscribed_topic_names": self._subscribed,
            "server_assignor": self._settings.remote_assignor,
            "topic_partitions": self._owned,
        }

    def commit(self, positions: Mapping[TopicPartition, Position]) -> None:
        if self._generation != JOIN:
            super().commit(positions)

    def _fetch_identity(self) -> dict[str, Any]:
        return {"member_id": self._member_id, "member_epoch": self._generation}

    def _request(self, epoch: int, fields: Mapping[str, Any] | None = None) -> Any:
        from tidemark_protocol.messages import consumer_group_heartbeat as api

        given = dict(fields or {})
        if "topic_partitions" in given:
            given["topic_partitions"] = [
                api.ConsumerGroupHeartbeatRequestTopicPartitions(topic, list(indexes))
                for topic, indexes in given["topic_partitions"].items()
            ]
        if epoch == JOIN:
            given["rack_id"] = self._settings.rack_id
        return api.ConsumerGroupHeartbeatRequest(
            group_id=self._settings.group_id,
            member_id=self._member_id,
            member_epoch=epoch,
            instance_id=self._settings.instance_id,
            **given,
        )

    def _forget(self) -> None:
        self._sent = {}
        self._target, self._new, self._owned = {}, {}, {}

    def _note(self, code: ErrorCode, message: str | None = None) -> None:
        if self._coordinator_moved(code):
            return
        if code == ErrorCode.STALE_MEMBER_EPOCH:
            self._is_stale = True
        elif code in FENCED:
            self._generation = JOIN
            self.was_lost = True
        elif code == ErrorCode.UNSUPPORTED_VERSION:
            raise UnsupportedVersion(NOT_SERVED)
        else:
            raise ErrorResponse(code, message)
        self.joined = False
