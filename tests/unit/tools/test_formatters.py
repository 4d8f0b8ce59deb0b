"""The formatter of transactions, which our broker never writes, and JSON. Recorded cases test the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidemark_protocol.batch import NO_TIMESTAMP, LogRecord
from tidemark_protocol.by_name import encode, from_dict
from tidemark_tools.client.consumer import Consumed
from tidemark_tools.formatters import FormatError, UnknownFormatter, as_json, formatter

PACKAGE = "org.apache.kafka.tools.consumer"


def stored(name: str, version: int, fields: dict[str, Any], prefix: int | None = None) -> bytes:
    front = version if prefix is None else prefix
    return front.to_bytes(2, "big", signed=True) + encode(name, version, from_dict(name, fields))


def consumed(key: bytes | None, value: bytes | None, **record: Any) -> Consumed:
    return Consumed(
        "t", 1, LogRecord(7, record.get("timestamp", 1000), key, value, record.get("headers", ())), False
    )


def test_a_transaction_is_printed_as_kafka_prints_it() -> None:
    key = stored("TransactionLogKey", 0, {"TransactionalId": "t"})
    fields = {
        "ProducerId": 14, "PreviousProducerId": 14, "ProducerEpoch": 0, "TransactionTimeoutMs": 60000,
        "TransactionStatus": 0, "TransactionPartitions": None, "TransactionLastUpdateTimestampMs": 5,
        "TransactionStartTimestampMs": -1,
    }  # fmt: skip
    result = formatter(f"{PACKAGE}.TransactionLogMessageFormatter", {})
    # Printed by Kafka 4.3.1's console consumer.
    assert result(consumed(key, stored("TransactionLogValue", 1, fields))) == (
        b'{"key":{"type":0,"data":{"transactionalId":"t"}},"value":{"version":1,"data":{"producerId":14,'
        b'"previousProducerId":14,"producerEpoch":0,"transactionTimeoutMs":60000,"transactionStatus":0,'
        b'"transactionPartitions":null,"transactionLastUpdateTimestampMs":5,"transactionStartTimestampMs":-1}}}'
    )
    assert result(consumed(key, None)) == b'{"key":{"type":0,"data":{"transactionalId":"t"}},"value":null}'


@pytest.mark.parametrize(
    ("name", "key_type", "printed"),
    [
        ("OffsetsMessageFormatter", 1, True),
        ("OffsetsMessageFormatter", 2, False),
        ("OffsetsMessageFormatter", 3, False),
        ("GroupMetadataMessageFormatter", 2, True),
        ("GroupMetadataMessageFormatter", 1, False),
        ("GroupMetadataMessageFormatter", 27440, False),
    ],
)
def test_records_of_other_types_are_skipped(name: str, key_type: int, printed: bool) -> None:
    keys = {
        1: stored("OffsetCommitKey", 0, {"group": "g", "topic": "t", "partition": 0}, 1),
        2: stored("GroupMetadataKey", 0, {"group": "g"}, 2),
    }
    key = keys.get(key_type, key_type.to_bytes(2, "big") + b"xx")
    assert bool(formatter(f"{PACKAGE}.{name}", {})(consumed(key, None))) is printed


def test_a_record_without_a_key_is_skipped() -> None:
    assert formatter(f"{PACKAGE}.OffsetsMessageFormatter", {})(consumed(None, b"v")) == b""


def test_an_undecodable_record_is_an_error_with_its_offset() -> None:
    key = stored("OffsetCommitKey", 0, {"group": "g", "topic": "t", "partition": 0}, 1)
    with pytest.raises(FormatError, match="^Could not read record at offset 7 due to: Found an unknown"):
        formatter(f"{PACKAGE}.OffsetsMessageFormatter", {})(consumed(key, b"\0\x63"))


@pytest.mark.parametrize("name", ["nosuch", "DefaultMessageFormatter", f"{PACKAGE}.NoSuch", ""])
def test_a_formatter_needs_its_full_class_name(name: str) -> None:
    with pytest.raises(UnknownFormatter, match=f"^{name}$"):
        formatter(name, {})


def test_json_has_all_of_a_record_in_one_line() -> None:
    line = as_json(consumed(b"k\n", None, timestamp=NO_TIMESTAMP, headers=[("h", b"\xff"), ("n", None)]))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "topic": "t", "partition": 1, "offset": 7, "timestamp": None, "timestamp_type": "CreateTime",
        "headers": [["h", "\ufffd"], ["n", None]], "key": "k\n", "value": None,
    }  # fmt: skip
