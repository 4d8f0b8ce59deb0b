"""kafka-dump-log with unusual files. Files that Kafka wrote: tests/unit/tools/dump/test_dump_log.py."""

from __future__ import annotations

import struct
import tempfile
import uuid
from pathlib import Path
from typing import Any, Final

from tests.conformance.tools.given import START_MS
from tests.conformance.tools.terminal import Terminal, tool_case
from tests.golden_transactions import unpacked
from tidemark_protocol.batch import (
    APPEND_TIME,
    DELETE_HORIZON,
    TRANSACTIONAL,
    LogRecord,
    build_batch,
    build_control_batch,
)
from tidemark_protocol.by_name import encode, from_dict
from tidemark_protocol.compression import Codec
from tidemark_protocol.stored import encode_metadata

FIRST: Final = "00000000000000000000"
GOOD: Final = build_batch([
    LogRecord(0, START_MS, b"a", b"1", [("h1", b"x"), ("h2", None)]),
    LogRecord(1, START_MS + 5, None, b"two"),
    LogRecord(2, START_MS + 9, b"t", None),
    LogRecord(3, START_MS + 9, None, None),
])  # fmt: skip
ODD_TEXT: Final = b'gr\xc3\xbc\xc3\x9fe \x01\x7f "q" \\ \xed\xa0\x80'
SECOND: Final = build_batch([LogRecord(4, START_MS, b"\xff\xc3(", ODD_TEXT)], compression=Codec.GZIP)
CONSUMER: Final = "consumer"


def log(t: Terminal, *batches: bytes, start: str = FIRST) -> str:
    return t.binary_file(f"t-0/{start}.log", b"".join(batches))


def framed(version: int, content: bytes) -> bytes:
    """Return a coordinator's key or value, with its version in front."""
    return version.to_bytes(2, "big", signed=True) + content


def message(name: str, version: int, fields: dict[str, Any]) -> bytes:
    return encode(name, version, from_dict(name, fields))


def in_order(contents: list[tuple[bytes | None, bytes | None]]) -> bytes:
    """Return one batch of these keys and values."""
    return build_batch([LogRecord(n, START_MS, key, value) for n, (key, value) in enumerate(contents)])


@tool_case
def dump_records(t: Terminal) -> None:
    path = log(t, GOOD, SECOND)
    for options in (
        "", "--deep-iteration", "--print-data-log", "--print-data-log --skip-record-metadata",
        "--key-decoder-class", "--max-bytes 150", "--max-bytes 10", "--max-bytes x",
        "--value-decoder-class no.Such",
    ):  # fmt: skip
        t.run(f"kafka-dump-log --files {path} {options}")


@tool_case
def dump_batches_of_every_kind(t: Terminal) -> None:
    log(
        t,
        build_batch(
            [LogRecord(10, START_MS, b"k", b"v"), LogRecord(13, START_MS, b"k2", b"v")],
            attributes=APPEND_TIME, max_timestamp=START_MS + 77,
        ),
        build_batch(
            [LogRecord(20, START_MS, b"k", None)], attributes=DELETE_HORIZON, base_timestamp=START_MS + 1000
        ),
        build_batch(
            [], base_offset=21, next_offset=25, producer_id=7, producer_epoch=2, base_sequence=2**31 - 2,
            base_timestamp=START_MS,
        ),
        build_batch(
            [LogRecord(25 + n, START_MS, None, b"v") for n in range(4)], attributes=TRANSACTIONAL,
            producer_id=5, producer_epoch=1, base_sequence=2**31 - 2,
        ),
        *(
            build_control_batch(kind, value, START_MS, base_offset=29 + kind, producer_id=5, producer_epoch=1)
            for kind, value in ((0, b"\0\0\0\0\0\7"), (1, b"\0\0\0\0\0\0"), (9, b"\0\0\0\0\0\0"))
        ),
        start="00000000000000000010",
    )  # fmt: skip
    path = t.path("t-0/00000000000000000010.log")
    t.run(f"kafka-dump-log --files {path} --print-data-log")
    t.run(f"kafka-dump-log --files {path} --print-data-log --skip-record-metadata")


@tool_case
def dump_damaged_files(t: Terminal) -> None:
    wrong = bytearray(GOOD)
    wrong[80] ^= 1
    for name, data in {
        "torn": GOOD + SECOND[:-10], "torn early": GOOD + SECOND[:12], "zeros": GOOD + bytes(100),
        "few zeros": GOOD + bytes(10), "nonsense": GOOD + b"\x7f" * 100, "empty": b"", "crc": bytes(wrong),
    }.items():  # fmt: skip
        path = t.binary_file(f"{name}/{FIRST}.log", data)
        t.run(f"kafka-dump-log --print-data-log --files '{path}'")


@tool_case
def dump_files_of_other_names(t: Terminal) -> None:
    for name in ("noextension", f"{FIRST[:-1]}7-0000000003.checkpoint"):
        t.run(f"kafka-dump-log --files {t.binary_file(name, GOOD)}")
    folder = t.path("missing")
    for suffix in ("log", "index", "timeindex", "snapshot"):
        t.run(f"kafka-dump-log --files {folder}/{FIRST}.{suffix}")
    good, text = log(t, GOOD), t.binary_file("a.txt", GOOD)
    t.run(f"kafka-dump-log --files {good},{good.replace('/t-0/', '/./t-0///')},{text},")


@tool_case
def dump_files_that_are_no_segments(t: Terminal) -> None:
    for name in ("orders.log", "x.checkpoint"):
        t.run(f"kafka-dump-log --files {t.binary_file(name, GOOD)}")
    folder = t.path("missing")
    for name in (f"{FIRST}.txnindex", "a.txt"):
        t.run(f"kafka-dump-log --files {folder}/{name}")


@tool_case
def dump_usage(t: Terminal) -> None:
    for options in (
        "", "--print-data-log", "--help", "--version", "--bogus", "--files", "--files a.log --files b.log",
    ):  # fmt: skip
        t.run(f"kafka-dump-log {options}")


@tool_case
def dump_commits_of_every_version(t: Terminal) -> None:
    key = message("OffsetCommitKey", 0, {"group": 'g"\n\u00fc\x1f', "topic": "t", "partition": 3})
    fields: dict[str, Any] = {"offset": 7, "metadata": "m\x01", "commitTimestamp": START_MS}
    new = {1: {"expireTimestamp": START_MS + 9}, 3: {"leaderEpoch": 4}, 4: {"leaderEpoch": 4}}
    values = [message("OffsetCommitValue", n, fields | new.get(n, {})) for n in range(5)]
    rows = [(framed(1, key), framed(n, value)) for n, value in enumerate(values)]
    rows += [(framed(0, key), framed(1, message("OffsetCommitValue", 1, fields)))]
    rows += [(framed(1, key), value) for value in (None, b"\0", framed(9, b"zz"))]
    rows += [(framed(27440, b"xx"), b"v"), (framed(-3, key), b""), (b"\0", None)]
    t.run(f"kafka-dump-log --offsets-decoder --files {log(t, in_order(rows))}")


@tool_case
def dump_groups_of_every_version(t: Terminal) -> None:
    owned = [{"Topic": "a", "Partitions": [1, 2]}]
    subscribed = {"Topics": ["a", "b"], "UserData": "00ff", "OwnedPartitions": owned}
    subscription = framed(1, message("ConsumerProtocolSubscription", 1, subscribed))
    assigned = {"AssignedPartitions": owned, "UserData": None}
    assignment = framed(0, message("ConsumerProtocolAssignment", 0, assigned))
    key = framed(2, message("GroupMetadataKey", 0, {"group": "g"}))
    rows: list[tuple[bytes | None, bytes | None]] = []
    for version in range(4):
        for kind, metadata, given in (
            (CONSUMER, subscription, assignment),
            (CONSUMER, framed(7, subscription[2:]), b"x"),  # of a future version, and invalid
            ("connect", subscription, assignment),
        ):
            rows.append((key, framed(version, group(version, kind, metadata, given))))
    t.run(f"kafka-dump-log --offsets-decoder --files {log(t, in_order(rows))}")


def group(version: int, kind: str, metadata: bytes, given: bytes) -> bytes:
    """Return a GroupMetadataValue with one member."""
    member: dict[str, Any] = {
        "memberId": "m", "clientId": "c", "clientHost": "/1", "sessionTimeout": 6,
        "subscription": metadata.hex(), "assignment": given.hex(),
    }  # fmt: skip
    fields: dict[str, Any] = {"protocolType": kind, "generation": 3, "protocol": None, "leader": "m"}
    if version >= 1:
        member["rebalanceTimeout"] = 9
    if version >= 2:
        fields["currentStateTimestamp"] = START_MS
    if version >= 3:
        member["groupInstanceId"] = "i"
    return message("GroupMetadataValue", version, {**fields, "members": [member]})


@tool_case
def dump_transactions_of_every_version(t: Terminal) -> None:
    key = framed(0, message("TransactionLogKey", 0, {"TransactionalId": "tx"}))
    fields: dict[str, Any] = {
        "ProducerId": 5, "ProducerEpoch": 1, "TransactionTimeoutMs": 60000, "TransactionStatus": 1,
        "TransactionPartitions": [{"Topic": "a", "PartitionIds": [0, 1]}],
        "TransactionLastUpdateTimestampMs": START_MS, "TransactionStartTimestampMs": START_MS,
    }  # fmt: skip
    tagged = {"PreviousProducerId": 4, "NextProducerId": 9, "ClientTransactionVersion": 2}
    rows = [
        (key, framed(0, message("TransactionLogValue", 0, fields))),
        (key, framed(1, message("TransactionLogValue", 1, fields))),
        (key, framed(1, message("TransactionLogValue", 1, fields | tagged))),
        (key, None),
    ]
    t.run(f"kafka-dump-log --transaction-log-decoder --files {log(t, in_order(rows))}")


@tool_case
def dump_metadata(t: Terminal) -> None:
    quotas = (1024.0, 10485760.0, 0.0001, 0.001, 1e7, 123456789.125, 0.0, -2.5e-5, 9999999.0)
    entity = [{"EntityType": "user", "EntityName": None}]
    records = [
        encode_metadata(from_dict("ClientQuotaRecord", {"Entity": entity, "Key": "k", "Value": quota}))
        for quota in quotas
    ]
    unreadable = [b"\1\xff\x7f\0", b"\0\0\0", b"\2\0\0", b"\1\2\x63", b"", b"\1", records[0] + b"xyz"]
    path = log(t, in_order([(None, value) for value in (*records, *unreadable)]))
    t.run(f"kafka-dump-log --cluster-metadata-decoder --skip-record-metadata --files {path}")


@tool_case
def dump_remote_log_metadata(t: Terminal) -> None:
    partition = {"Name": "orders", "Id": str(uuid.UUID(int=5)), "Partition": 3}
    segment = {"TopicIdPartition": partition, "Id": str(uuid.UUID(int=2**127 + 9))}
    told: dict[str, Any] = {
        "RemoteLogSegmentId": segment, "StartOffset": 1, "EndOffset": 9, "BrokerId": 1,
        "MaxTimestampMs": START_MS, "EventTimestampMs": START_MS + 1,
        "SegmentLeaderEpochs": [{"LeaderEpoch": 2, "Offset": 5}, {"LeaderEpoch": 0, "Offset": 1}],
        "SegmentSizeInBytes": 99, "CustomMetadata": None, "RemoteLogSegmentState": 0,
    }  # fmt: skip
    update = {key: told[key] for key in ("RemoteLogSegmentId", "BrokerId", "EventTimestampMs")}
    deletion = {
        "TopicIdPartition": partition, "BrokerId": 1, "EventTimestampMs": START_MS,
        "RemotePartitionDeleteState": 2,
    }  # fmt: skip
    kinds: list[tuple[int, str, dict[str, Any]]] = [
        (0, "RemoteLogSegmentMetadataRecord", told),
        (0, "RemoteLogSegmentMetadataRecord", told | {"CustomMetadata": "0102", "TxnIndexEmpty": True}),
        (1, "RemoteLogSegmentMetadataUpdateRecord", update | {"RemoteLogSegmentState": 1}),
        (2, "RemotePartitionDeleteMetadataRecord", deletion),
    ]
    records = [bytes([1, api_key, 0]) + message(name, 0, fields) for api_key, name, fields in kinds]
    path = log(t, in_order([(None, value) for value in (*records, b"\1\x09\0", b"")]))
    t.run(f"kafka-dump-log --remote-log-metadata-decoder --files {path}")


@tool_case
def dump_indexes(t: Terminal) -> None:
    pairs = {
        "good": (struct.pack(">ii", 3, 0), struct.pack(">qi", START_MS + 9, 3)),
        "of a broker that runs": (
            struct.pack(">iiii", 3, 0, 4, len(GOOD)) + bytes(16),
            struct.pack(">qiqi", START_MS + 9, 3, START_MS + 10, 4) + bytes(24),
        ),
        "wrong": (
            struct.pack(">iiii", 2, 0, 3, len(GOOD)),
            struct.pack(">qiqiqi", START_MS + 9, 3, START_MS, 4, START_MS + 3, 2),
        ),
        "far": (struct.pack(">ii", 3, 99999), struct.pack(">qiqi", START_MS + 9, 3, START_MS + 10, 99)),
        "cut": (struct.pack(">ii", 3, 0) + b"xyz", struct.pack(">qi", START_MS + 9, 3) + b"xyz"),
        "empty": (b"", b""),
    }
    for name, (offsets, times) in pairs.items():
        t.binary_file(f"{name}/{FIRST}.log", GOOD + SECOND)
        for options in ("", "--index-sanity-check", "--verify-index-only", "--max-message-size 10"):
            # Write the file again: Kafka's tool truncates an index to whole entries when it opens it.
            index = t.binary_file(f"{name}/{FIRST}.index", offsets)
            times_index = t.binary_file(f"{name}/{FIRST}.timeindex", times)
            t.run(f"kafka-dump-log {options} --files '{index},{times_index}'")
            t.run(f"kafka-dump-log {options} --files '{times_index}'")


@tool_case
def dump_what_is_beside_a_log(t: Terminal) -> None:
    aborted = t.binary_file(f"t-0/{FIRST}.txnindex", struct.pack(">hqqqq", 0, 1, 2, 3, 4) * 2)
    unknown = t.binary_file(f"t-0/{FIRST}.snapshot", b"\0\7efghijklmnop")
    t.run(f"kafka-dump-log --files {aborted},{unknown}")


@tool_case
def dump_logs_with_transactions(t: Terminal) -> None:
    """Committed and aborted transactions, in the logs of Apache Kafka, with the files beside them."""
    with tempfile.TemporaryDirectory() as folder:
        written = unpacked(Path(folder)) / "written" / "orders-0"
        for name in ("00000000000000000000", "00000000000000000019"):
            files = [
                t.binary_file(f"orders-0/{path.name}", path.read_bytes())
                for path in sorted(written.glob(f"{name}.*"))
                if path.suffix in (".log", ".txnindex", ".snapshot")
            ]
            t.run(f"kafka-dump-log --print-data-log --files {','.join(files)}")
