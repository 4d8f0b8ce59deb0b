"""Topics on logs in memory, without sockets, for tests of the data APIs. The clock moves on request only."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import Callable, Coroutine, Sequence
from struct import Struct
from typing import Any, Final

from crc32c import crc32c

from tidemark.core.context import Caller, Context
from tidemark.core.decision import Record
from tidemark.log.manager import OPEN_FILES_MAX, LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.server.unsent import Unsent
from tidemark.settings.broker import BrokerSettings
from tidemark.turns import Turns
from tidemark_protocol.batch import zigzag_varint
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage

START_MS: Final = 1_700_000_000_000
NODE_ID: Final = 1
TURNS_MAX: Final = 100_000

_CRC_COVERED: Final = Struct(">hiqqqhii")


class TickingClock(VirtualClock):
    """A clock whose host time advances by a millisecond at each reading, to simulate slow work."""

    __slots__ = ("_host_ms",)

    def __init__(self, wall_ms: int) -> None:
        super().__init__(wall_ms)
        self._host_ms = 0

    def host_ms(self) -> int:
        self._host_ms += 1
        return self._host_ms


class DataNode:
    """The topics and logs of one broker. ticking: use a TickingClock."""

    def __init__(
        self,
        settings: BrokerSettings | None = None,
        *,
        ticking: bool = False,
        storage: MemoryStorage | None = None,
        open_files_max: int = OPEN_FILES_MAX,
    ) -> None:
        self.clock = (TickingClock if ticking else VirtualClock)(START_MS)
        self.cluster = Cluster(Identity("cluster", node_id=NODE_ID))
        self.logs = LogManager(
            storage or MemoryStorage(),
            settings or BrokerSettings(),
            self.clock,
            self._log_settings,
            open_files_max=open_files_max,
        )
        self.logs.open()
        self._numbers = itertools.count(1)
        self.unsent = Unsent(100_000_000, self.clock.steady_ms)

    def _log_settings(self, topic: str) -> LogSettings:
        return LogSettings.from_configs(self.cluster.topic_settings(topic))

    def topic(self, name: str, partitions: int = 1, *, logs: bool = True, **configs: object) -> bytes:
        """Create a topic and its logs. Return its id. configs: Kafka's names, with underscores for dots."""
        topic_id = uuid.uuid5(uuid.NAMESPACE_DNS, name).bytes
        self._replay(TopicRecord(name=name, topic_id=topic_id))
        self.configure(name, **configs)
        for index in range(partitions):
            self._replay(
                PartitionRecord(
                    partition_id=index,
                    topic_id=topic_id,
                    replicas=[NODE_ID],
                    isr=[NODE_ID],
                    leader=NODE_ID,
                    leader_epoch=0,
                )
            )
            if logs:
                self.logs.create(name, index, topic_id)
        return topic_id

    def configure(self, topic: str, **configs: object) -> None:
        for key, value in configs.items():
            name = key.replace("_", ".")
            self._replay(ConfigRecord(ResourceConfigType.TOPIC, topic, name, str(value)))
        self.logs.configure(topic, len(self.cluster.topics[topic].partitions))

    def _replay(self, value: Any) -> None:
        self.cluster.replay(Record(None, value))

    def log(self, topic: str, partition: int = 0) -> PartitionLog:
        log = self.logs.get(topic, partition)
        assert log is not None
        return log

    def append(self, topic: str, *batches: bytes, partition: int = 0) -> None:
        """Append batches to the log directly, without Produce."""
        for one in batches:
            self.log(topic, partition).append(one, leader_epoch=0, now_ms=self.clock.wall_ms())

    def context(self, version: int, *, client_id: str = "client", denied: Sequence[int] = ()) -> Context:
        """Return a request context. denied: the operations that authorization refuses."""
        return Context(
            wall_ms=self.clock.wall_ms(),
            steady_ms=self.clock.steady_ms(),
            version=version,
            client_id=client_id,
            caller=Caller(
                node_id=NODE_ID,
                host="broker.example",
                authorizers=lambda *_: lambda operation, _type, _name: operation not in denied,
            ),
            cluster=self.cluster,
            new_id=lambda: str(uuid.UUID(int=next(self._numbers))),
            turns=Turns(self.clock.host_ms),
            unsent=self.unsent,
        )


def answer(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the response of a handler that does not wait."""
    turns, response = in_turns(coroutine)
    assert not turns, "it waits"
    return response


def in_turns(coroutine: Coroutine[Any, Any, Any]) -> tuple[int, Any]:
    """Run a handler in a loop of its own. Return how often it yielded, and its response."""

    async def story() -> tuple[int, Any]:
        task = asyncio.ensure_future(coroutine)
        for turns in itertools.count():
            await asyncio.sleep(0)
            if task.done():
                return turns, task.result()
            assert turns < TURNS_MAX, "it waits"
        raise AssertionError

    # The tests of handlers that do not wait are not async: each call has a loop of its own.
    return asyncio.run(story())


def turns_of(coroutine: Coroutine[Any, Any, Any]) -> int:
    return in_turns(coroutine)[0]


def a_record(
    index: int,
    key: bytes | None = None,
    value: bytes | None = b"v",
    *,
    timestamp_delta: int = 0,
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> bytes:
    """Return one record, encoded as in a batch."""
    parts = [b"\0", zigzag_varint(timestamp_delta), zigzag_varint(index), _sized(key), _sized(value)]
    parts.append(zigzag_varint(len(headers)))
    parts += [_sized(name) + _sized(content) for name, content in headers]
    body = b"".join(parts)
    return zigzag_varint(len(body)) + body


def _sized(value: bytes | None) -> bytes:
    return zigzag_varint(-1) if value is None else zigzag_varint(len(value)) + value


def a_batch(
    count: int = 1,
    records: Sequence[bytes] | None = None,
    *,
    key: bytes | None = None,
    value: bytes = b"v",
    timestamp: int = START_MS,
    max_timestamp: int | None = None,
    attributes: int = 0,
    base_offset: int = 0,
    magic: int = 2,
    producer_id: int = -1,
    producer_epoch: int = -1,
    sequence: int = -1,
    said_count: int | None = None,
    last_offset_delta: int | None = None,
    compress: Callable[[bytes], bytes] = bytes,
) -> bytes:
    """Return a producer's batch with a correct CRC; everything else may be invalid."""
    held = [a_record(index, key, value) for index in range(count)] if records is None else records
    covered = _CRC_COVERED.pack(
        attributes,
        len(held) - 1 if last_offset_delta is None else last_offset_delta,
        timestamp,
        timestamp if max_timestamp is None else max_timestamp,
        producer_id,
        producer_epoch,
        sequence,
        len(held) if said_count is None else said_count,
    ) + compress(b"".join(held))
    return Struct(">qiibI").pack(base_offset, len(covered) + 9, -1, magic, crc32c(covered)) + covered
