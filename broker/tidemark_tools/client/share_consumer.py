"""A consumer of one topic in a share group (KIP-932). It yields records, each of which is acknowledged.

There is one thread: a heartbeat is sent between two records or fetches. Kafka: ShareConsumerImpl,
ShareConsumeRequestManager, ShareHeartbeatRequestManager.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, Final, NamedTuple

from tidemark_protocol.batch import APPEND_TIME, BatchError, records
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.visible import visible_batches
from tidemark_tools.client.client import PAUSE_MS, TIMEOUT_MS, Client, TopicPartition, nodes_of, pause
from tidemark_tools.client.connection import BrokerEndpoint, now_s
from tidemark_tools.client.consumer import ELSEWHERE, BrokenRecords, Consumed, NoRecord
from tidemark_tools.client.errors import (
    Disconnected,
    ErrorResponse,
    Unreachable,
    UnsupportedVersion,
    check_results,
    error_code,
)

JOIN: Final = 0  # the member epochs and session epochs that are none
LEAVE: Final = -1
LOOK_AGAIN_MS: Final = 1_000
FENCED: Final = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH)
SESSION_LOST: Final = (
    ErrorCode.SHARE_SESSION_NOT_FOUND, ErrorCode.INVALID_SHARE_SESSION_EPOCH,
    ErrorCode.SHARE_SESSION_LIMIT_REACHED,
)  # fmt: skip
STALE: Final = ELSEWHERE | {ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INCONSISTENT_TOPIC_ID}
NOT_SERVED: Final = "The cluster does not support share groups."

Place = tuple[bytes, int]  # a partition: topic id and index


class AcknowledgeType(IntEnum):
    """An acknowledgement, as ShareAcknowledge has it. GAP: the offset has no record."""

    GAP = 0
    ACCEPT = 1
    RELEASE = 2
    REJECT = 3


class ShareSettings(NamedTuple):
    """Kafka's settings of a share consumer: group.id, client.rack, max.poll.records, fetch.*."""

    group_id: str
    rack_id: str | None
    max_records: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int


class Acquired(NamedTuple):
    """A record that the group has acquired, and its place, for the acknowledgement."""

    consumed: Consumed
    place: Place


class ShareConsumer:
    """A member of a share group, which has a share session with each leader of its partitions."""

    def __init__(self, client: Client, topic: str, settings: ShareSettings) -> None:
        self._client = client
        self._topic = topic
        self._settings = settings
        self._member_id = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        self._epoch = JOIN
        self._beat_at = 0.0
        self._assigned: set[Place] = set()
        self._names: dict[bytes, str] = {}
        self._leaders: dict[Place, BrokerEndpoint] = {}
        self._sessions: dict[BrokerEndpoint, _Session] = {}
        self._look_at = 0.0

    def records(self, idle_ms: int | None, when_idle: Callable[[], object]) -> Iterator[Acquired]:
        """Yield records. The caller acknowledges each before it asks for the next one.

        when_idle: called before each fetch. Raises NoRecord if no record arrives for idle_ms. Raises
        Unreachable if no broker accepts a connection for that time, or within the first minute. After a first
        connection, the consumer waits for the broker to return.
        """
        waits_since = now_s()
        give_up_at = waits_since + TIMEOUT_MS / 1000
        while True:
            when_idle()
            began = now_s()
            found: list[Acquired] = []
            try:
                self._keep_up()
                found = self._fetch(LOOK_AGAIN_MS if idle_ms is None else idle_ms)
            except Unreachable as error:
                is_over = idle_ms is not None and now_s() - waits_since >= idle_ms / 1000
                if not self._client.connected and (is_over or now_s() >= give_up_at):
                    raise
                self._client.warn(str(error))
            for record in found:
                yield record
                self._beat()
                waits_since = now_s()
            if found:
                continue
            if idle_ms is not None and self._client.connected and now_s() - waits_since >= idle_ms / 1000:
                raise NoRecord
            rest_s = PAUSE_MS / 1000 - (now_s() - began)
            if rest_s > 0:  # not to repeat in a busy loop while nothing is assigned
                time.sleep(rest_s)

    def acknowledge(self, acquired: Acquired, how: AcknowledgeType) -> None:
        """Acknowledge a record. The next fetch, or `close`, sends it."""
        leader = self._leaders.get(acquired.place)
        if leader is not None and leader in self._sessions:
            self._sessions[leader].acknowledge(acquired.place, acquired.consumed.record.offset, how)

    def close(self) -> None:
        """Send the acknowledgements, close the sessions, and leave the group. Other records are released."""
        for node, session in self._sessions.items():
            if session.epoch != JOIN:
                response = self._client.call(
                    session.closing(self._settings.group_id, self._member_id), node, once=True
                )
                if response.error_code not in SESSION_LOST:
                    check_results([response])
                for topic in response.responses:
                    check_results(topic.partitions)
        self._sessions = {}
        if self._epoch != JOIN:
            self._call_coordinator(LEAVE)
            self._epoch = JOIN

    # Membership

    def _keep_up(self) -> None:
        deadline = self._client.deadline(None)
        self._beat()
        while self._epoch == JOIN:
            pause(deadline, f"share group {self._settings.group_id!r} did not accept this member")
            self._beat()
        if now_s() >= self._look_at or any(place not in self._leaders for place in self._assigned):
            self._look()

    def _beat(self) -> None:
        """Send a heartbeat if one is due, and take over what the coordinator assigns."""
        if now_s() < self._beat_at and self._epoch != JOIN:
            return
        response = self._call_coordinator(self._epoch)
        code = error_code(response.error_code)
        if code in FENCED:
            self._epoch, self._assigned = JOIN, set()
            return
        if code == ErrorCode.UNSUPPORTED_VERSION:
            raise UnsupportedVersion(NOT_SERVED)
        check_results([response])
        self._epoch = response.member_epoch
        self._beat_at = now_s() + response.heartbeat_interval_ms / 1000
        if response.assignment is not None:
            self._assigned = {
                (topic.topic_id, index)
                for topic in response.assignment.topic_partitions
                for index in topic.partitions
            }

    def _call_coordinator(self, epoch: int) -> Any:
        from tidemark_protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest

        joins = epoch == JOIN
        request = ShareGroupHeartbeatRequest(
            group_id=self._settings.group_id,
            member_id=self._member_id,
            member_epoch=epoch,
            rack_id=self._settings.rack_id if joins else None,
            subscribed_topic_names=[self._topic] if joins else None,
        )
        try:
            return self._client.call_coordinator(
                self._settings.group_id, request, lambda response: response.error_code, min_version=1
            )
        except UnsupportedVersion:
            raise UnsupportedVersion(NOT_SERVED) from None

    def _look(self) -> None:
        """Look up the names and leaders of the assigned partitions."""
        self._look_at = now_s() + LOOK_AGAIN_MS / 1000
        wanted = {topic for topic, _ in self._assigned}
        if not wanted or all(place in self._leaders for place in self._assigned):
            return
        response = self._client.metadata(topic_ids=sorted(wanted))
        nodes = nodes_of(response)
        for topic in response.topics:
            if topic.error_code:
                continue
            self._names[topic.topic_id] = topic.name
            for partition in topic.partitions:
                if partition.leader_id in nodes:
                    self._leaders[topic.topic_id, partition.partition_index] = nodes[partition.leader_id]

    # Records

    def _fetch(self, wait_ms: int) -> list[Acquired]:
        """Fetch from each leader, with the acknowledgements of what it returned last."""
        by_node: dict[BrokerEndpoint, set[Place]] = {node: set() for node in self._sessions}
        for place in self._assigned:
            leader = self._leaders.get(place)
            if leader is not None:
                by_node.setdefault(leader, set()).add(place)
        found: list[Acquired] = []
        wait_ms = min(wait_ms, self._settings.max_wait_ms) // max(1, len(by_node))
        for node, places in by_node.items():
            session = self._sessions.setdefault(node, _Session())
            request = session.fetch(self._settings, self._member_id, places, 0 if found else wait_ms)
            try:
                response = self._client.call(request, node, once=True)
            except (Disconnected, Unreachable):
                del self._sessions[node]  # the broker has released its records, and another one may lead now
                self._leaders = {place: each for place, each in self._leaders.items() if each != node}
                continue
            code = error_code(response.error_code)
            if code in SESSION_LOST:
                self._sessions[node] = _Session()
                continue
            check_results([response])
            session.succeeded(places)
            for topic in response.responses:
                for result in topic.partitions:
                    found += self._acquired(session, (topic.topic_id, result.partition_index), result)
        return found

    def _acquired(self, session: _Session, place: Place, result: Any) -> list[Acquired]:
        code = error_code(result.error_code)
        if code in STALE:
            self._leaders.pop(place, None)
            return []
        if code != ErrorCode.NONE:
            raise ErrorResponse(code, result.error_message)
        counts = {
            offset: acquired.delivery_count
            for acquired in result.acquired_records
            for offset in range(acquired.first_offset, acquired.last_offset + 1)
        }
        found: list[Acquired] = []
        name = self._names.get(place[0], self._topic)
        try:
            for at, header in visible_batches(result.records or b"", ()):
                append_time = bool(header.attributes & APPEND_TIME)
                found += [
                    Acquired(Consumed(name, place[1], record, append_time, counts.pop(record.offset)), place)
                    for record in records(result.records, at, header)
                    if record.offset in counts
                ]
        except BatchError as error:
            raise BrokenRecords(f"{TopicPartition(name, place[1])}: {error}") from None
        for offset in counts:  # control records, or what compaction has removed
            session.acknowledge(place, offset, AcknowledgeType.GAP)
        return found


class _Session:
    """A share session with a broker: its next epoch, its partitions, and acknowledgements to send."""

    def __init__(self) -> None:
        self.epoch = JOIN
        self._places: set[Place] = set()
        self._acks: dict[Place, dict[int, AcknowledgeType]] = {}

    def acknowledge(self, place: Place, offset: int, how: AcknowledgeType) -> None:
        self._acks.setdefault(place, {})[offset] = how

    def fetch(self, settings: ShareSettings, member_id: str, places: set[Place], wait_ms: int) -> Any:
        """Return the ShareFetch that makes these the partitions of the session."""
        from tidemark_protocol.messages import share_fetch as api

        acks = self._batches(api.AcknowledgementBatch)
        topics = [
            api.FetchTopic(
                topic_id=topic,
                partitions=[
                    api.FetchPartition(
                        partition_index=index, acknowledgement_batches=acks.get((topic, index), [])
                    )
                    for index in indexes
                ],
            )
            for topic, indexes in _by_topic((places - self._places) | acks.keys()).items()
        ]
        forgotten = [
            api.ForgottenTopic(topic_id=topic, partitions=indexes)
            for topic, indexes in _by_topic(self._places - places).items()
        ]
        return api.ShareFetchRequest(
            group_id=settings.group_id,
            member_id=member_id,
            share_session_epoch=self.epoch,
            max_wait_ms=wait_ms,
            min_bytes=settings.min_bytes,
            max_bytes=settings.max_bytes,
            max_records=settings.max_records,
            batch_size=settings.max_records,
            topics=topics,
            forgotten_topics_data=forgotten,
        )

    def succeeded(self, places: set[Place]) -> None:
        self.epoch += 1
        self._places = set(places)
        self._acks = {}

    def closing(self, group_id: str, member_id: str) -> Any:
        """Return the ShareAcknowledge that closes the session."""
        from tidemark_protocol.messages import share_acknowledge as api

        acks = self._batches(api.AcknowledgementBatch)
        topics = [
            api.AcknowledgeTopic(
                topic_id=topic,
                partitions=[
                    api.AcknowledgePartition(
                        partition_index=index, acknowledgement_batches=acks[topic, index]
                    )
                    for index in indexes
                ],
            )
            for topic, indexes in _by_topic(acks).items()
        ]
        return api.ShareAcknowledgeRequest(
            group_id=group_id, member_id=member_id, share_session_epoch=LEAVE, topics=topics
        )

    def _batches(self, batch: Callable[[int, int, list[int]], Any]) -> dict[Place, list[Any]]:
        """Return the acknowledgements as ranges of offsets with the same type."""
        return {place: [batch(*one) for one in _ranges(acks)] for place, acks in self._acks.items()}


def _ranges(acks: Mapping[int, AcknowledgeType]) -> list[tuple[int, int, list[int]]]:
    found: list[tuple[int, int, list[int]]] = []
    for offset in sorted(acks):
        how = int(acks[offset])
        if found and found[-1][1] == offset - 1 and found[-1][2] == [how]:
            found[-1] = (found[-1][0], offset, [how])
        else:
            found.append((offset, offset, [how]))
    return found


def _by_topic(places: Iterable[Place]) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = {}
    for topic, index in sorted(places):
        found.setdefault(topic, []).append(index)
    return found
