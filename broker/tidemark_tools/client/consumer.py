"""A consumer of topics or of one partition. It yields records one by one and commits their offsets."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from tidemark_protocol.batch import LogRecord
from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import PAUSE_MS, Client, check_topic
from tidemark_tools.client.connection import now_s, wall_ms
from tidemark_tools.client.errors import ErrorResponse, Unreachable, error_code
from tidemark_tools.client.fetching import Chunk, Fetcher, OutOfRange
from tidemark_tools.client.group_member import GroupMember, Position
from tidemark_tools.client.partition_ages import partition_ages
from tidemark_tools.client.reset_policy import AGE_UNKNOWN, Reason, ResetPolicy, Start, start_of, time_of
from tidemark_tools.client.settings import TIMEOUT_MS

LOOK_AGAIN_MS: Final = 1_000  # for topics that do not exist yet
METADATA_BY_ID: Final = 12  # the first version of Metadata that finds topics by id


class Consumed(NamedTuple):
    """A record and its partition. append_time: the broker set its timestamp."""

    topic: str
    partition: int
    record: LogRecord
    append_time: bool


class NoRecord(Exception):
    """No record arrived within `idle_ms`."""


class NoOffset(Exception):
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
        found = self._call([self._name], create=self._create).topics[0]
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
        if not requested:
            return {}
        response = self._call(requested, create=False)
        return {topic.name: len(topic.partitions) for topic in response.topics if not topic.error_code}

    def names_of(self, topic_ids: Iterable[bytes]) -> dict[bytes, str]:
        """Return the name of each of these topics that the cluster knows, by id."""
        from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

        requested = [MetadataRequestTopic(topic_id=topic_id, name=None) for topic_id in topic_ids]
        request = MetadataRequest(topics=requested, allow_auto_topic_creation=False)
        response = self._client.call(request, min_version=METADATA_BY_ID)
        return {topic.topic_id: topic.name for topic in response.topics if not topic.error_code}

    def _call(self, names: list[str], *, create: bool) -> Any:
        from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=name) for name in names], allow_auto_topic_creation=create
        )
        response = self._client.call(request)
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
