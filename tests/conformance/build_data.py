"""Build requests about the data of topics, like build.py, and record batches, valid and invalid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from crc32c import crc32c

from tests.conformance.build import Request
from tidemark_protocol.batch import CRC, CRC_POSITION, CRC_START, LogRecord, build_batch, headers, records
from tidemark_protocol.compression import Codec

FIRST_VERSION_WITH_IDS: Final = 13
OLD_MS: Final = 1_000  # a time that is the same in every run; BASE_SETTINGS keep what is old


def record(
    value: bytes | None = b"value",
    key: bytes | None = b"key",
    timestamp: int = OLD_MS,
    headers: tuple[tuple[str, bytes | None], ...] = (),
) -> LogRecord:
    return LogRecord(0, timestamp, key, value, headers)


def batch(*given: LogRecord, **header: Any) -> bytes:
    """Build a batch of these records (by default one), at offsets from 0. header: as in `build_batch`."""
    kept = [
        LogRecord(index, one.timestamp, one.key, one.value, one.headers)
        for index, one in enumerate(given or [record()])
    ]
    return build_batch(kept, **header)


def bent(data: bytes, at: int, to: bytes, *, crc: bool = True) -> bytes:
    """Return the batch with other bytes at a position. The CRC is updated unless `crc` is False."""
    out = bytearray(data)
    out[at : at + len(to)] = to
    if crc:
        CRC.pack_into(out, CRC_POSITION, crc32c(out[CRC_START:]))
    return bytes(out)


def produce(
    what: Mapping[str, Mapping[int, bytes | None]],
    *,
    acks: int = -1,
    transactional_id: str | None = None,
    timeout_ms: int = 30000,
    version: int = 9,
) -> Request:
    """Build a Produce. what: topic (its id since version 13) to partition to records."""
    key = "TopicId" if version >= FIRST_VERSION_WITH_IDS else "Name"
    topics = [
        {
            key: topic,
            "PartitionData": [
                {"Index": index, "Records": None if data is None else data.hex()}
                for index, data in partitions.items()
            ],
        }
        for topic, partitions in what.items()
    ]
    fields = {
        "TransactionalId": transactional_id,
        "Acks": acks,
        "TimeoutMs": timeout_ms,
        "TopicData": topics,
    }
    return "Produce", version, fields


def fetch(
    offsets: Mapping[str, Mapping[int, int | dict[str, Any]]],
    *,
    max_wait_ms: int = 0,
    min_bytes: int = 0,
    max_bytes: int = 1 << 25,
    partition_bytes: int = 1 << 20,
    isolation: int = 0,
    session: int = 0,
    epoch: int = -1,
    forgotten: Mapping[str, list[int]] | None = None,
    version: int = 12,
    **others: Any,
) -> Request:
    """Build a Fetch.

    offsets: topic (its id since version 13) to partition to offset, or to the fields that differ.
    epoch: the session epoch; -1 requests no session, 0 a new one.
    others: more fields of the request.
    """
    key = "TopicId" if version >= FIRST_VERSION_WITH_IDS else "Topic"
    topics = []
    for topic, partitions in offsets.items():
        wanted = []
        for index, given in partitions.items():
            fields = given if isinstance(given, dict) else {"FetchOffset": given}
            wanted.append(
                {"Partition": index, "FetchOffset": 0, "PartitionMaxBytes": partition_bytes} | fields
            )
        topics.append({key: topic, "Partitions": wanted})
    fields = {
        "MaxWaitMs": max_wait_ms,
        "MinBytes": min_bytes,
        "MaxBytes": max_bytes,
        "IsolationLevel": isolation,
        "SessionId": session,
        "SessionEpoch": epoch,
        "Topics": topics,
        "ForgottenTopicsData": [{key: t, "Partitions": p} for t, p in (forgotten or {}).items()],
        "RackId": "",
    }
    return "Fetch", version, fields | others


def list_offsets(
    wanted: Mapping[str, Mapping[int, int | dict[str, Any]]],
    *,
    isolation: int = 0,
    replica: int = -1,
    version: int = 6,
) -> Request:
    """Build a ListOffsets. wanted: topic to partition to timestamp, or to the fields that differ."""
    topics = []
    for topic, partitions in wanted.items():
        asked = []
        for index, given in partitions.items():
            fields = given if isinstance(given, dict) else {"Timestamp": given}
            asked.append({"PartitionIndex": index, "CurrentLeaderEpoch": -1, "Timestamp": -1} | fields)
        topics.append({"Name": topic, "Partitions": asked})
    fields = {"ReplicaId": replica, "IsolationLevel": isolation, "Topics": topics, "TimeoutMs": 30000}
    return "ListOffsets", version, fields


def in_the_clear(data: bytes) -> list[dict[str, Any]]:
    """Return the decoded batches at the start of data. Compressed bytes differ between libraries."""
    found = []
    for pos, header in headers(data):
        found.append(
            {
                "offset": header.base_offset,
                "codec": Codec(header.compression).name,
                "attributes": header.attributes,
                "max timestamp": header.max_timestamp,
                "producer": [header.producer_id, header.producer_epoch, header.base_sequence],
                "records": [_readable(one) for one in records(data, pos, header)],
            }
        )
    return found


def _readable(one: LogRecord) -> list[Any]:
    return [
        one.offset,
        one.timestamp,
        None if one.key is None else one.key.hex(),
        None if one.value is None else one.value.hex(),
        [[name, None if value is None else value.hex()] for name, value in one.headers],
    ]


def fetched(response: dict[str, Any]) -> list[Any]:
    """keep= of a Fetch: compare decoded records, since their bytes depend on a compressor or a clock."""
    return [
        {**partition, "Records": in_the_clear(bytes.fromhex(partition["Records"] or ""))}
        for topic in response["Responses"]
        for partition in topic["Partitions"]
    ]
