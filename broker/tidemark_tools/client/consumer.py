"""A consumer of topics or of one partition. It yields records one by one and commits their offsets."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from tidemark_protocol.batch import APPEND_TIME, BatchError, LogRecord, headers, records
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.visible import visible_batches
from tidemark_tools.client.client import PAUSE_MS, TIMEOUT_MS, Client, TopicPartition, by_topic, check_topic
from tidemark_tools.client.connection import BrokerEndpoint, now_s, wall_ms
from tidemark_tools.client.errors import LEADER_NOT_THERE, ErrorResponse, Failed, Unreachable, error_code
from tidemark_tools.client.membership import GroupMember, Position
from tidemark_tools.client.reset_policy import AGE_UNKNOWN, Reason, ResetPolicy, Start, start_of, time_of
from tidemark_tools.client.topics import partition_ages

LOOK_AGAIN_MS: Final = 1_000  # for topics that do not exist yet
METADATA_BY_ID: Final = 12  # the first version of Metadata that finds topics by id

VERSION_BY_NAME: Final = 12  # of Fetch: later ones name topics by id
READ_COMMITTED: Final = 1

# After these errors the leader is looked up, and the fetch repeated.
ELSEWHERE: Final = LEADER_NOT_THERE | {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.REPLICA_NOT_AVAILABLE,
    ErrorCode.OFFSET_NOT_AVAILABLE,
}


class FetchSettings(NamedTuple):
    """Kafka's consumer settings of these names."""

    isolation_level: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    partition_bytes: int


class Chunk(NamedTuple):
    """The records that a fetch returned of one partition.

    append_times: whether the broker set the timestamp, for each record. following: the next position, which
    is past records that are not visible, too.
    """

    partition: TopicPartition
    records: list[LogRecord]
    append_times: list[bool]
    following: Position


class OutOfRange(Exception):
    """The position is outside of the log."""

    def __init__(self, partition: TopicPartition) -> None:
        super().__init__(str(partition))
        self.partition = partition


class Fetcher:
    """Sends fetches to partition leaders and caches their addresses."""

    def __init__(self, client: Client, settings: FetchSettings) -> None:
        self._client = client
        self._settings = settings
        self._leaders: dict[TopicPartition, BrokerEndpoint | None] = {}

    def fetch(self, positions: Mapping[TopicPartition, Position], wait_ms: int) -> list[Chunk]:
        """Return the next records, or nothing after wait_ms.

        Raises OutOfRange, ErrorResponse, Unreachable.
        """
        unknown = [partition for partition in positions if self._leaders.get(partition) is None]
        if unknown:
            self._leaders |= self._client.leaders(by_topic(unknown))
        by_node: dict[BrokerEndpoint, dict[TopicPartition, Position]] = {}
        for partition, position in positions.items():
            leader = self._leaders.get(partition)
            if leader is not None:
                by_node.setdefault(leader, {})[partition] = position
        wait_ms = min(wait_ms, self._settings.max_wait_ms) // max(1, len(by_node))
        return [chunk for node, some in by_node.items() for chunk in self._fetch(node, some, wait_ms)]

    def _fetch(
        self, node: BrokerEndpoint, positions: Mapping[TopicPartition, Position], wait_ms: int
    ) -> list[Chunk]:
        response = self._client.call(self._request(positions, wait_ms), node, max_version=VERSION_BY_NAME)
        if response.error_code:
            raise ErrorResponse(response.error_code)
        chunks = []
        for topic in response.responses:
            for result in topic.partitions:
                partition = TopicPartition(topic.topic, result.partition_index)
                code = error_code(result.error_code)
                if code in ELSEWHERE:
                    self._leaders.pop(partition, None)
                elif code == ErrorCode.OFFSET_OUT_OF_RANGE:
                    raise OutOfRange(partition)
                elif code != ErrorCode.NONE:
                    raise ErrorResponse(code)
                elif result.records:
                    committed = self._settings.isolation_level == READ_COMMITTED
                    aborted = result.aborted_transactions if committed else None
                    try:
                        chunks.append(
                            chunk_of(partition, result.records, positions[partition], aborted or ())
                        )
                    except BatchError as error:
                        raise BrokenRecords(f"{partition}: {error}") from None
        return chunks

    def _request(self, positions: Mapping[TopicPartition, Position], wait_ms: int) -> Any:
        from tidemark_protocol.messages import fetch as api

        settings = self._settings
        topics = [
            api.FetchTopic(
                topic=name,
                partitions=[
                    api.FetchPartition(
                        partition=each.partition,
                        fetch_offset=positions[each].offset,
                        partition_max_bytes=settings.partition_bytes,
                    )
                    for each in partitions
                ],
            )
            for name, partitions in by_topic(positions).items()
        ]
        return api.FetchRequest(
            max_wait_ms=wait_ms,
            min_bytes=settings.min_bytes,
            max_bytes=settings.max_bytes,
            isolation_level=settings.isolation_level,
            topics=topics,
        )


class BrokenRecords(Failed):
    """A fetch returned records that cannot be decoded."""


def chunk_of(partition: TopicPartition, data: bytes, position: Position, aborted: Iterable[Any]) -> Chunk:
    """Return the visible records from the position on. Raises BatchError if they cannot be decoded."""
    found: list[LogRecord] = []
    append_times: list[bool] = []
    for at, header in visible_batches(data, aborted):
        fresh = [record for record in records(data, at, header) if record.offset >= position.offset]
        found += fresh
        append_times += [bool(header.attributes & APPEND_TIME)] * len(fresh)
    following = position
    for _, header in headers(data):
        following = Position(max(following.offset, header.next_offset), header.leader_epoch)
    return Chunk(partition, found, append_times, following)


class Consumed(NamedTuple):
    """A record and its partition.

    append_time: the broker set its timestamp. delivery_count: of a record that a share group has acquired.
    """

    topic: str
    partition: int
    record: LogRecord
    append_time: bool
    delivery_count: int | None = None


class NoRecord(Failed):
    """No record arrived within `idle_ms`."""


class NoOffset(Failed):
    """There is no position to start at, and `auto.offset.reset` is none. The message is Kafka's."""


class ConsumerSettings(NamedTuple):
    """Kafka's settings of these names.

    idle_ms: give up if no record arrives for this time; None: never.
    """

    reset: ResetPolicy
    auto_commit: bool
    auto_commit_interval_ms: int
    metadata_max_age_ms: int
    isolation_level: int
    allow_auto_create: bool
    idle_ms: int | None


class Topics:
    """The topics that a name or a pattern subscribes to. Each call queries the cluster."""

    def __init__(self, client: Client, name: str | None, pattern: str | None, *, create: bool) -> None:
        self._client = client
        self._name = name
        self._pattern = re.compile(pattern) if pattern is not None else None
        self._create = create
        self._warned = False

    def names(self) -> list[str]:
        """Return the topics to subscribe to. A named topic is returned even if it does not exist.

        Raises ErrorResponse if the name is invalid or not authorized.
        """
        if self._name is None:
            return sorted(self._matching())
        found = self._described([self._name], create=self._create).topics[0]
        if found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and not self._warned:
            self._warned = True
            print(f"WARN {self._name}: UNKNOWN_TOPIC_OR_PARTITION", file=sys.stderr)
        return [self._name]

    def _matching(self) -> Iterator[str]:
        assert self._pattern is not None
        for topic in self._client.metadata().topics:
            if not topic.error_code and not topic.is_internal and self._pattern.fullmatch(topic.name):
                yield topic.name

    def counts(self, names: Iterable[str]) -> dict[str, int]:
        """Return the number of partitions of each topic that exists."""
        requested = list(names)
        topics = self._described(requested, create=False).topics if requested else ()
        return {topic.name: len(topic.partitions) for topic in topics if not topic.error_code}

    def names_of(self, topic_ids: Iterable[bytes]) -> dict[bytes, str]:
        """Return the name of each of these topics that the cluster knows, by id."""
        response = self._client.metadata(topic_ids=topic_ids, min_version=METADATA_BY_ID)
        return {topic.topic_id: topic.name for topic in response.topics if not topic.error_code}

    def _described(self, names: list[str], *, create: bool) -> Any:
        response = self._client.metadata(names, create=create)
        for topic in response.topics:
            check_topic(topic)
        return response


class Consumer:
    """A consumer that reads and commits.

    managed: the group assigns the partitions. Otherwise `assign` does, and the group only stores commits.
    on_assigned is called with the partitions of each new assignment.
    """

    on_assigned: Callable[[list[TopicPartition]], None]

    def __init__(
        self,
        client: Client,
        fetcher: Fetcher,
        topics: Topics,
        settings: ConsumerSettings,
        membership: GroupMember,
        *,
        managed: bool,
    ) -> None:
        self._client = client
        self._fetcher = fetcher
        self._topics = topics
        self._settings = settings
        self._membership = membership
        self._managed = managed
        self._positions: dict[TopicPartition, Position] = {}
        self._undecided: set[TopicPartition] = set()  # without a position, and without an age that is needed
        self._lacking: dict[TopicPartition, Start] = {}  # partitions without a position, and where to begin
        self._commit_at = now_s() + settings.auto_commit_interval_ms / 1000
        self._look_at = 0.0
        self._looked = False
        self._handed_out_at = now_s()
        self.on_assigned = lambda partitions: None

    def assign(self, partition: TopicPartition, offset: int) -> None:
        """Read this partition, without a group. offset: EARLIEST, LATEST or a number."""
        if offset >= 0:
            self._positions[partition] = Position(offset)
        else:
            self._lacking[partition] = offset

    def records(self, flush: Callable[[], None]) -> Iterator[Consumed]:
        """Yield every record, without end. flush is called before each wait.

        Raises NoRecord if none arrives for `idle_ms`, even if the broker does not respond to the last fetch.
        Raises Unreachable if no broker accepts a connection for that time, or within the first minute. After
        a first connection, the consumer waits for the broker to return.
        """
        self._handed_out_at = now_s()
        give_up_at = now_s() + TIMEOUT_MS / 1000
        while True:
            flush()
            try:
                chunks = self._poll()
            except Unreachable as error:
                if not self._client.connected:
                    if self._left_ms() == 0 or now_s() >= give_up_at:
                        raise
                else:
                    self._check_idle()
                self._client.warn(str(error))
                continue
            for chunk in chunks:
                yield from self._handed_out(chunk)
                if self._managed and not self._membership.joined:
                    break
            self._check_idle()

    def _handed_out(self, chunk: Chunk) -> Iterator[Consumed]:
        """Yield the records of a chunk. The position is already past the record that the caller has."""
        partition, found, append_times, following = chunk
        last = len(found) - 1
        for number, record in enumerate(found):
            self._positions[partition] = following if number == last else Position(found[number + 1].offset)
            yield Consumed(partition.topic, partition.partition, record, append_times[number])
            self._handed_out_at = now_s()
            self._keep_up()
            if self._managed and not self._membership.joined:
                return
        self._positions[partition] = following

    def _check_idle(self) -> None:
        if self._left_ms() == 0:
            raise NoRecord

    def _left_ms(self) -> int | None:
        """Return the time until `idle_ms` are over; None if there is no limit."""
        if self._settings.idle_ms is None:
            return None
        return max(0, int((self._handed_out_at - now_s()) * 1000) + self._settings.idle_ms)

    def _poll(self) -> list[Chunk]:
        if not self._managed and not self._looked:
            self._topics.names()  # the request may make the broker create the topic
            self._looked = True
        if self._managed and not self._membership.joined:
            self._join()
        self._keep_up()
        self._find_positions()
        left_ms = self._left_ms()
        began = now_s()
        try:
            chunks = self._fetcher.fetch(self._positions, LOOK_AGAIN_MS if left_ms is None else left_ms)
        except OutOfRange as error:
            self._out_of_range(error.partition)
            return []
        # Without this, a fetch that returned at once, or had no leader to go to, would repeat in a busy loop.
        rest_s = min(PAUSE_MS, PAUSE_MS if left_ms is None else left_ms) / 1000 - (now_s() - began)
        if not chunks and rest_s > 0:
            time.sleep(rest_s)
        return chunks

    def _join(self) -> None:
        if self._settings.auto_commit and not self._membership.was_lost:
            self._membership.commit(self._positions)
        assigned = self._membership.join(self._left_ms())
        self.on_assigned(assigned)
        # A position that no other consumer can have moved is still valid, even if nothing is committed. So
        # is a decision where to begin.
        if self._membership.was_lost:
            self._positions.clear()
            self._lacking.clear()
        self._membership.was_lost = False
        held = set(assigned)
        self._positions = {at: position for at, position in self._positions.items() if at in held}
        self._lacking = {at: start for at, start in self._lacking.items() if at in held}
        missing = [at for at in assigned if at not in self._positions and at not in self._lacking]
        self._undecided = set()
        if missing:
            committed = self._membership.committed(missing)
            if not self._membership.joined:
                return
            self._positions |= committed
            self._undecided = set(missing) - set(committed)
        self._look_at = now_s() + self._look_every_s()

    def _decide(self) -> None:
        """Decide, once for each partition, where to begin. One whose age is not known yet is retried."""
        if not self._undecided:
            return
        policy = self._settings.reset
        ages = None
        if policy.needs_ages:
            ages = partition_ages(self._client, {partition.topic for partition in self._undecided})
        for partition in sorted(self._undecided):
            if ages is not None and partition not in ages:
                continue
            age_ms = AGE_UNKNOWN if ages is None else ages[partition]
            is_new = partition in self._membership.new_partitions
            start = start_of(policy, Reason.NO_COMMITTED_OFFSET, age_ms, is_new=is_new)
            if start is None:
                raise NoOffset(f"Undefined offset with no reset policy for partitions: [{partition}]")
            self._lacking[partition] = start
            self._undecided.discard(partition)

    def _out_of_range(self, partition: TopicPartition) -> None:
        position = self._positions.pop(partition)
        start = start_of(self._settings.reset, Reason.OUT_OF_RANGE)
        if start is None:
            raise NoOffset(f"Fetch position {position.offset} is out of range for partition {partition}")
        self._lacking[partition] = start

    def _find_positions(self) -> None:
        """Find the start of partitions without a position. One that does not exist yet is retried.

        So is one that has no record within the duration of `by_duration`, as in Kafka's consumer.
        """
        self._decide()
        if not self._lacking:
            return
        now_ms = wall_ms()
        times = {partition: time_of(start, now_ms) for partition, start in self._lacking.items()}
        found = self._client.list_offsets(times, isolation_level=self._settings.isolation_level)
        for partition, listed in found.items():
            code = error_code(listed.error_code)
            if code == ErrorCode.NONE:
                if listed.offset >= 0:
                    self._positions[partition] = Position(listed.offset)
                    del self._lacking[partition]
            elif code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and not code.retriable:
                raise ErrorResponse(code)

    def _keep_up(self) -> None:
        """Do the work that is due: send a heartbeat, commit, check the topics for changes."""
        now = now_s()
        if self._managed:
            self._membership.beat()
            if now >= self._look_at:
                self._look_at = now + self._look_every_s()
                self._membership.look()
        if self._settings.auto_commit and now >= self._commit_at:
            self._commit_at = now + self._settings.auto_commit_interval_ms / 1000
            self._membership.commit(self._positions)

    def _look_every_s(self) -> float:
        held = self._positions or self._lacking or self._undecided
        every_ms = self._settings.metadata_max_age_ms if held else LOOK_AGAIN_MS
        return every_ms / 1000

    def commit(self) -> None:
        """Commit the positions of all records that were yielded."""
        self._membership.commit(self._positions)

    def close(self) -> None:
        """Commit and leave the group."""
        if self._settings.auto_commit:
            self._membership.commit(self._positions)
        if self._managed:
            self._membership.leave()
