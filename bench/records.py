"""Produce and Fetch: megabytes per second, and per CPU second of the server."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import load
from bench.host import touch_memory
from bench.rows import Case, Effort, Row, load_row
from bench.servers import SERVER_CORE, Ours, Server, create_topic, port_of
from tests.kafka_oracle import READY_TIMEOUT_S
from tests.wire import Connection, request, response
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)

PRODUCE_VERSION: Final = 7
FETCH_VERSION: Final = 11
CONNECTIONS: Final = 4  # each uses its own partition
DEPTH: Final = 4
FETCH_BYTES: Final = 1024 * 1024  # the clients' max.partition.fetch.bytes
FETCH_FRAMES: Final = 8  # the log is read from this many positions, one after the other
ACKS_ALL: Final = -1
MEGABYTE: Final = 1e6


@dataclass(slots=True, frozen=True)
class Size:
    """Records of one size. each: the number in a batch (the clients' batch.size is 16 KiB)."""

    label: str
    record_bytes: int
    each: int

    @property
    def topic(self) -> str:
        return f"records-{self.record_bytes}"


# message.max.bytes allows a batch of 1 MiB and 12 bytes, so the largest record is a little smaller.
SIZES: Final = (Size("200 B", 200, 80), Size("64 KiB", 65536, 1), Size("1 MiB", 1048576 - 128, 1))


def case(size: Size) -> Case:
    """Return the case for Produce, then Fetch of the same records."""

    def measure(folder: Path, effort: Effort) -> list[Row]:
        server = Ours(folder)
        try:
            return produce_and_fetch(server, size, effort)
        finally:
            server.stop()

    return measure


def produce_and_fetch(server: Server, size: Size, effort: Effort) -> list[Row]:
    touch_memory(effort.record_ms + effort.warmup_ms // 3)  # a megabyte per millisecond
    create_topic(server, size.topic, CONNECTIONS)
    batch = batch_of(size)
    frames = [[produce_frame(size.topic, p, batch)] for p in range(CONNECTIONS)]
    fill(server, [frame for (frame,) in frames], batches_read(len(batch)))
    produced = _run(server, frames, effort, head_bytes=produce_head_bytes(size.topic))
    assert error_of_produce(produced.first_response[4:]) == 0, "the records were refused"
    row = _row(f"produce {size.label}", produced, len(frames[0][0]), server)
    row.stall_ms = server.stall_ms()
    fetches = [
        [fetch_frame(size.topic, p, n * size.each) for n in range(FETCH_FRAMES)] for p in range(CONNECTIONS)
    ]
    fetched = _run(server, fetches, effort, head_bytes=fetch_head_bytes(size.topic))
    check_fetch(fetched.response_bytes, len(batch))
    second = _row(f"fetch {size.label}", fetched, fetched.response_bytes, server)
    second.stall_ms = server.stall_ms()
    return [row, second]


def fill(server: Server, frames: list[bytes], times: int) -> None:
    """Produce each frame this many times, and repeat errors: Kafka lists a topic before it has leaders."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    with Connection(server.bootstrap) as connection:
        for frame in frames:
            taken = 0
            while taken < times:
                assert time.monotonic() < deadline, "the records are not taken"
                connection.send(frame)
                if error_of_produce(connection.answer()):
                    time.sleep(0.05)
                else:
                    taken += 1


def ceiling(folder: Path, effort: Effort) -> list[Row]:
    """Measure the generator's limit with a C server that drops requests and sends a megabyte."""
    size = SIZES[-1]
    batch = batch_of(size)
    rows = []
    for name, reply_bytes, frame in (
        ("produce 1 MiB", 64, produce_frame(size.topic, 0, batch)),
        ("fetch 1 MiB", FETCH_BYTES, fetch_frame(size.topic, 0, 0)),
    ):
        echo = load.Echo(reply_bytes, SERVER_CORE)
        try:
            wanted = load.Load(CONNECTIONS, DEPTH, 200, effort.record_ms // 2)
            measured = load.run(wanted, echo.port, echo.pid, [[frame]] * CONNECTIONS)
        finally:
            echo.stop()
        row = _row(f"ceiling of the load generator, {name}", measured, max(len(frame), reply_bytes), None)
        rows.append(row)
    return rows


def _run(server: Server, frames: list[list[bytes]], effort: Effort, head_bytes: int) -> load.Measured:
    wanted = load.Load(len(frames), DEPTH, effort.warmup_ms // 3, effort.record_ms)
    return load.run(wanted, port_of(server), server.pid, frames, head_bytes)


def _row(name: str, measured: load.Measured, payload_bytes: int, server: Server | None) -> Row:
    row = load_row(name, measured) if server is None else load_row(name, measured, server.name)
    row.value = measured.per_second * payload_bytes / MEGABYTE
    row.unit = "MB/s"
    row.mb_per_cpu_s = payload_bytes / measured.cpu_us if measured.cpu_us else None
    return row


def batch_of(size: Size) -> bytes:
    value = os.urandom(size.record_bytes)
    return build_batch(LogRecord(n, 0, None, value) for n in range(size.each))


def produce_frame(topic: str, partition: int, batch: bytes) -> bytes:
    data = [TopicProduceData(topic, partition_data=[PartitionProduceData(partition, batch)])]
    body = ProduceRequest(acks=ACKS_ALL, timeout_ms=30_000, topic_data=data)
    return request("Produce", PRODUCE_VERSION, body)


def produce_head_bytes(topic: str) -> int:
    """Return the length of everything before the offset, which varies."""
    return 4 + 4 + 4 + 2 + len(topic) + 4 + 4 + 2


def fetch_head_bytes(topic: str) -> int:
    """Return the length of everything before the offsets, which vary."""
    return 4 + 4 + 4 + 2 + 4 + 4 + 2 + len(topic) + 4 + 4 + 2


def batches_read(batch_bytes: int) -> int:
    """Return how many batches the Fetch requests of one partition cover, each with a full response."""
    return FETCH_FRAMES + max(1, FETCH_BYTES // batch_bytes) + 1


def fetch_frame(topic: str, partition: int, offset: int) -> bytes:
    asked = FetchPartition(partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES)
    body = FetchRequest(
        max_wait_ms=500,
        min_bytes=1,
        max_bytes=50 * FETCH_BYTES,
        session_epoch=-1,
        topics=[FetchTopic(topic, partitions=[asked])],
    )
    return request("Fetch", FETCH_VERSION, body)


def error_of_produce(answer: bytes) -> int:
    result: ProduceResponse = response("Produce", PRODUCE_VERSION, answer)
    return result.responses[0].partition_responses[0].error_code


def check_fetch(response_bytes: int, batch_bytes: int) -> None:
    assert response_bytes > batch_bytes, f"a Fetch returned {response_bytes} bytes, less than a batch"
