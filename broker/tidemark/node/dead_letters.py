"""Writes dead letters: records that a share group has archived, to the topic that the group names (KIP-1191).

They are written as a client would write them, with Produce and acks=all, and a queue that does not exist is
created with CreateTopics. A dead letter has headers about its record. It has the key and value of the record
only if errors.deadletterqueue.copy.record.enable is true.

The share coordinator stores that records are archiving before their dead letters are written, and that they
are archived afterwards. A crash in between writes dead letters again, and loses none.

Kafka: ShareGroupDLQStateManager and ShareGroupDLQRecordFetcher of 4.4.0.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from tidemark.clock import Clock
from tidemark.core.context import Caller, Context
from tidemark.core.decision import Decision
from tidemark.engine.coordinator import Runtime
from tidemark.handlers.data.produce import produce
from tidemark.handlers.topics.create_topics import create_topics
from tidemark.log.manager import LogManager
from tidemark.metadata.model import NO_LEADER
from tidemark.metrics.definition import Counter
from tidemark.metrics.registry import Metrics
from tidemark.share.open_partitions import RETRIED, OpenPartition
from tidemark.share.partition import DELIVERED_TOO_OFTEN, REJECTED, Letters
from tidemark.turns import Turns
from tidemark.workers import Workers
from tidemark_protocol.batch import (
    COMPRESSION_MASK,
    BatchBuilder,
    BatchError,
    BatchHeader,
    LogRecord,
    headers,
    read_header,
    records,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from tidemark_protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)

if TYPE_CHECKING:
    from tidemark.metadata.configs import ShareGroupSettings
    from tidemark.metadata.model import Topic
    from tidemark.metadata.state import Cluster

AT_ONCE: Final = 4  # share partitions that write. Each holds a batch, and the records to copy into it
READ_BYTES: Final = 1_048_576  # of the log of the records, at once
PRODUCE_VERSION: Final = 13
CREATE_VERSION: Final = 7
ALL_IN_SYNC: Final = -1
DEFAULT: Final = -1  # the number of partitions and replicas that the broker chooses
COUNTED_GROUPS_MAX: Final = 1_000
RECORDS_PER_TURN: Final = 1_000  # of a batch that is not read in a worker thread
MESSAGES: Final = {
    REJECTED: b"Offset rejected by client.",
    DELIVERED_TOO_OFTEN: b"Offset delivery count exceeded the threshold.",
}


class DeadLetters:
    """Writes dead letters, for a few share partitions at a time.

    new_id()   a fresh random UUID as text
    """

    def __init__(
        self,
        cluster: Cluster,
        logs: LogManager,
        clock: Clock,
        turns: Turns,
        workers: Workers,
        runtime: Runtime,
        metrics: Metrics,
        new_id: Callable[[], str],
    ) -> None:
        self._cluster = cluster
        self._logs = logs
        self._clock = clock
        self._turns = turns
        self._workers = workers
        self._runtime = runtime
        self._metrics = metrics
        self._new_id = new_id
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def write(self, opened: OpenPartition, letters: Sequence[Letters]) -> list[KafkaError | None]:
        """Write the dead letters of a share partition. Returns for each entry why it was not written.

        Ends early with an error of RETRIED, which is then the last one. The entry may be written in part.

        letters: in the order of their offsets
        """
        async with self._slots:
            writing = _Writing(opened, letters, [None] * len(letters), letters[0].first)
            while writing.at < len(letters):
                begin = writing.at
                try:
                    topic = await self._queue(writing)
                    await self._produce(topic, writing)
                except KafkaError as error:
                    failed = KafkaError(error.code, error.message)  # without its traceback
                    if error.code in RETRIED:
                        return [*writing.errors[:begin], failed]
                    writing.fail(begin, failed)
                except OSError as error:
                    writing.fail(begin, KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)))
            return writing.errors

    async def _queue(self, writing: _Writing) -> Topic:
        """Return the topic, which may have to be created. Raises KafkaError if there can be none."""
        cluster, group_id = self._cluster, writing.opened.key[0]
        name = writing.settings.dead_letter_topic
        prefix = cluster.settings.errors_deadletterqueue_topic_name_prefix
        topic = cluster.topics.get(name)
        if not name:
            raise _unusable(f"Group {group_id} no longer has a dead-letter queue.")
        if topic is not None and not cluster.topic_config(name).errors_deadletterqueue_group_enable:
            raise _unusable(f"errors.deadletterqueue.group.enable of topic {name} is not true.")
        if topic is None and not cluster.settings.errors_deadletterqueue_auto_create_topics_enable:
            raise _unusable(
                f"Topic {name} does not exist, and errors.deadletterqueue.auto.create.topics.enable is false."
            )
        if not name.startswith(prefix):
            raise _unusable(
                f"The name of topic {name} does not begin with {prefix}, the value of "
                "errors.deadletterqueue.topic.name.prefix."
            )
        return topic or await self._create(name)

    async def _create(self, name: str) -> Topic:
        request = CreateTopicsRequest(
            topics=[
                CreatableTopic(
                    name=name,
                    num_partitions=DEFAULT,
                    replication_factor=DEFAULT,
                    configs=[
                        CreatableTopicConfig("errors.deadletterqueue.group.enable", "true"),
                        CreatableTopicConfig("message.timestamp.type", "CreateTime"),
                    ],
                )
            ]
        )
        steps = create_topics(self._cluster, self._context(CREATE_VERSION), request)
        while True:
            try:
                part = next(steps)
            except StopIteration as last:
                response = self._runtime.apply("Cluster", last.value)
                break
            if isinstance(part, Decision):
                self._runtime.apply("Cluster", part)
                await self._turns.pause()
        await self._runtime.durable()
        (result,) = response.topics
        if result.error_code:
            raise KafkaError(ErrorCode(result.error_code), result.error_message)
        topic = self._cluster.topics.get(name)
        if topic is None:  # it was deleted meanwhile
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return topic

    async def _batch(self, topic: Topic, writing: _Writing) -> bytes:
        """Return the next dead letters, as many as a batch of the topic may have, but at least one."""
        bytes_max = self._cluster.topic_config(topic.name).max_message_bytes
        builder = BatchBuilder(self._clock.log_ms())
        for at, offset in writing.rest():
            if writing.settings.copy_dead_letters and offset > writing.known_to:
                if builder.count:
                    break
                await self._read(writing, bytes_max)
            size = len(builder.out)
            record = writing.originals.get(offset)
            key, value = (None, None) if record is None else (record.key, record.value)
            builder.add(key, value, writing.headers(writing.letters[at], offset))
            if len(builder.out) > bytes_max and builder.count > 1:
                del builder.out[size:]
                builder.count -= 1
                break
            writing.at, writing.offset = at, offset + 1
            if self._turns.spend():
                await self._turns.rest()
        writing.end_entry()
        return builder.build()

    async def _produce(self, topic: Topic, writing: _Writing) -> None:
        """Write the next dead letters, as many as fit into a batch. Raises KafkaError."""
        index = writing.opened.key[2] % len(topic.partitions)
        leader = topic.partitions[index].leader
        if leader == NO_LEADER:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{topic.name}-{index} has no leader.")
        batch = await self._batch(topic, writing)
        context = self._context(PRODUCE_VERSION, leader)
        data = TopicProduceData(topic_id=topic.topic_id, partition_data=[PartitionProduceData(index, batch)])
        request = ProduceRequest(acks=ALL_IN_SYNC, timeout_ms=30_000, topic_data=[data])
        response = await produce(self._logs, context, request)
        assert isinstance(response, ProduceResponse)
        (partition,) = response.responses[0].partition_responses
        self._count(self._metrics.dead_letter_requests, writing)
        if partition.error_code:
            if partition.error_code not in RETRIED:
                self._count(self._metrics.dead_letter_failures, writing)
            raise KafkaError(ErrorCode(partition.error_code), partition.error_message)
        self._count(self._metrics.dead_letters, writing, read_header(batch).count)

    def _count(self, counter: Counter, writing: _Writing, count: int = 1) -> None:
        """Count for the group, unless very many groups have dead letters."""
        group_id = writing.opened.key[0]
        if group_id in counter or len(counter) < COUNTED_GROUPS_MAX:
            counter[group_id] += count

    async def _read(self, writing: _Writing, bytes_max: int) -> None:
        """Read the next records to copy, up to so many bytes.

        A record batch that has more bytes after its decompression has no copy, nor has a record that is
        larger. If an offset cannot be read, this and what follows it in its entry have none. Kafka:
        ShareGroupDLQRecordFetcher.
        """
        writing.originals = {}
        size = 0
        log, rest = writing.opened.log, [*writing.rest(READ_BYTES)]
        wanted = [offset for _, offset in rest]
        last, at = wanted[-1], 0
        while at < len(wanted) and not log.closed:
            begin, data = at, b""
            with suppress(KafkaError):
                data = log.read(wanted[at], READ_BYTES, up_to=log.high_watermark, at_least_one_batch=True)
            for position, header in headers(data):
                for record in await self._records(data, position, header, bytes_max):
                    while at < len(wanted) and wanted[at] < record.offset:
                        at += 1
                    if at == len(wanted):
                        break
                    if wanted[at] != record.offset:
                        continue
                    record_size = len(record.key or b"") + len(record.value or b"")
                    if size and size + record_size > bytes_max:
                        writing.known_to = record.offset - 1
                        return
                    if record_size <= bytes_max:
                        writing.originals[record.offset] = record
                        size += record_size
                    at += 1
                following = header.base_offset + header.last_offset_delta + 1
                while at < len(wanted) and wanted[at] < following:
                    at += 1
                if at == len(wanted):
                    break
            if at == begin:
                at = bisect_right(rest, rest[at][0], key=itemgetter(0))
        writing.known_to = last

    async def _records(
        self, data: bytes, position: int, header: BatchHeader, bytes_max: int
    ) -> Sequence[LogRecord]:
        try:
            if header.attributes & COMPRESSION_MASK or header.count > RECORDS_PER_TURN:
                limit = bytes_max if header.attributes & COMPRESSION_MASK else len(data)
                return await self._workers.run(records, data, position, header, limit)
            return records(data, position, header)
        except BatchError:
            return ()

    def _context(self, version: int, node_id: int | None = None) -> Context:
        now = self._runtime.now()
        node_id = self._cluster.identity.node_id if node_id is None else node_id
        return Context(
            wall_ms=now.wall_ms,
            steady_ms=now.steady_ms,
            version=version,
            caller=Caller(node_id=node_id),
            cluster=self._cluster,
            new_id=self._new_id,
            turns=self._turns,
            decisions=self._runtime,
        )


@dataclass(slots=True)
class _Writing:
    """The dead letters of a share partition, and how far they are written.

    errors      for each entry: why it was not written, so far None
    at, offset  the next entry, and the next offset of it
    originals   the records to copy, by offset
    known_to    up to this offset, a record without an original has no copy
    """

    opened: OpenPartition
    letters: Sequence[Letters]
    errors: list[KafkaError | None]
    offset: int
    at: int = 0
    originals: dict[int, LogRecord] = field(default_factory=dict)
    known_to: int = -1

    @property
    def settings(self) -> ShareGroupSettings:
        return self.opened.settings

    def rest(self, offsets_max: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield the entries and offsets that are left."""
        offset = self.offset
        for at in range(self.at, len(self.letters)):
            for each in range(max(offset, self.letters[at].first), self.letters[at].last + 1):
                if offsets_max is not None:
                    if not offsets_max:
                        return
                    offsets_max -= 1
                yield at, each

    def end_entry(self) -> None:
        """Go on with the next entry if this one is at its end."""
        if self.offset > self.letters[self.at].last:
            self.at += 1

    def fail(self, begin: int, error: KafkaError) -> None:
        """Give up the entries from `begin` on that the last batch was for, and go on with the next one."""
        end = max(self.at, begin + 1)
        if self.at < len(self.letters) and self.letters[self.at].first < self.offset:
            end = self.at + 1
        self.errors[begin:end] = [error] * (end - begin)
        self.at = end

    def headers(self, letters: Letters, offset: int) -> list[tuple[str, bytes]]:
        group_id, _, index = self.opened.key
        return [
            ("__dlq.errors.topic", self.opened.topic.encode()),
            ("__dlq.errors.partition", b"%d" % index),
            ("__dlq.errors.offset", b"%d" % offset),
            ("__dlq.errors.group", group_id.encode("utf-8", "surrogateescape")),
            ("__dlq.errors.delivery.count", b"%d" % letters.delivery_count),
            ("__dlq.errors.message", MESSAGES[letters.cause]),
        ]


def _unusable(message: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_CONFIG, message)
