"""A correct client beside the others, on its own connection.

It commits, produces and fetches all the time, checks that it is served within a deadline, and remembers
everything that was acknowledged.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch, headers, records
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

TOPIC: Final = "healthy"
GROUP: Final = "healthy"
DEADLINE_S: Final = 5.0
PAUSE_S: Final = 0.002
FETCH_BYTES: Final = 1 << 20


class HealthyClient(threading.Thread):
    """The client. complaint: what went wrong, or None."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(name="healthy", daemon=True)
        self._broker = bootstrap
        self._ending = threading.Event()
        self.complaint: str | None = None
        self.committed = -1
        self.produced: list[bytes] = []
        self.slowest_s = 0.0
        with Connection(bootstrap) as connection:
            create = CreateTopicsRequest([CreatableTopic(TOPIC, 1, 1)])
            code = connection.ask("CreateTopics", 7, create).topics[0].error_code
            assert code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS), ErrorCode(code)
            connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key=GROUP))

    def run(self) -> None:
        try:
            with Connection(self._broker) as connection:
                connection.socket.settimeout(DEADLINE_S)
                while not self._ending.is_set():
                    began = time.monotonic()
                    self._commit(connection)
                    self._produce(connection)
                    self._fetch(connection)
                    self.slowest_s = max(self.slowest_s, time.monotonic() - began)
                    self._ending.wait(PAUSE_S)
        except (AssertionError, OSError) as error:
            self.complaint = f"the healthy client, after {self.committed} commits: {error!r}"

    def stop(self) -> None:
        self._ending.set()
        self.join()

    def _commit(self, connection: Connection) -> None:
        offset = self.committed + 1
        commit = OffsetCommitRequestPartition(0, offset)
        requested = OffsetCommitRequest(
            GROUP, topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=[commit])]
        )
        code = connection.ask("OffsetCommit", 8, requested).topics[0].partitions[0].error_code
        assert code == ErrorCode.NONE, ErrorCode(code)
        self.committed = offset

    def _produce(self, connection: Connection) -> None:
        value = b"healthy-%d" % len(self.produced)
        batch = build_batch([LogRecord(0, int(time.time() * 1000), b"key", value, [])])
        data = TopicProduceData(name=TOPIC, partition_data=[PartitionProduceData(0, batch)])
        response = connection.ask("Produce", 9, ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[data]))
        part = response.responses[0].partition_responses[0]
        assert part.error_code == ErrorCode.NONE, ErrorCode(part.error_code)
        assert part.base_offset == len(self.produced), (part.base_offset, len(self.produced))
        self.produced.append(value)

    def _fetch(self, connection: Connection) -> None:
        last = len(self.produced) - 1
        assert fetched(connection, last) == self.produced[last:]

    def check(self, bootstrap: str) -> None:
        """Check that everything acknowledged exists."""
        with Connection(bootstrap) as connection:
            requested = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(GROUP, topics=None)])
            group = connection.ask("OffsetFetch", 8, requested).groups[0]
            assert group.error_code == ErrorCode.NONE, ErrorCode(group.error_code)
            offsets = {part.partition_index: part.committed_offset for part in group.topics[0].partitions}
            assert offsets[0] in (self.committed, self.committed + 1), (offsets, self.committed)
            found: list[bytes] = []
            while len(found) < len(self.produced):
                more = fetched(connection, len(found))
                assert more, f"{len(found)} of {len(self.produced)} records"
                found += more
        assert found[: len(self.produced)] == self.produced


def fetched(connection: Connection, offset: int) -> list[bytes]:
    """Return the values of the records from that offset on, as many as one Fetch returns."""
    requested = FetchTopic(
        topic=TOPIC, partitions=[FetchPartition(0, fetch_offset=offset, partition_max_bytes=FETCH_BYTES)]
    )
    response = connection.ask(
        "Fetch", 11, FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=FETCH_BYTES, topics=[requested])
    )
    data = bytes(response.responses[0].partitions[0].records or b"")
    values: list[bytes] = []

    for at, head in headers(data):
        values += [r.value for r in records(data, at, head) if r.offset >= offset and r.value is not None]

    return values
