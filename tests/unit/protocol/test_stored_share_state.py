from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.share_coordinator.recorded import RECORDS
from tidemark_protocol import to_dict
from tidemark_protocol.records.share_snapshot import ShareSnapshotKey
from tidemark_protocol.stored import UnknownRecordType
from tidemark_protocol.stored_share_state import decode_share_state, encode_share_state
from tidemark_protocol.wire import WireError

STORED = [record for records in RECORDS.values() for record in records]


@pytest.mark.parametrize("record", STORED)
def test_records_of_kafka_are_read_and_written_byte_by_byte(record: list[Any]) -> None:
    kind, key, value, key_hex, value_hex = record
    value_bytes = None if value_hex is None else bytes.fromhex(value_hex)
    read_key, read_value = decode_share_state(bytes.fromhex(key_hex), value_bytes)
    assert kind == read_key.API_KEY
    assert (read_key.group_id, read_key.partition) == (key["groupId"], key["partition"])
    if value is None:
        assert read_value is None
    else:
        read = {name[0].lower() + name[1:]: each for name, each in to_dict(read_value).items()}
        batches = [
            {name[0].lower() + name[1:]: number for name, number in each.items()}
            for each in read.pop("stateBatches")
        ]
        assert batches == value["stateBatches"]
        for name, each in value.items():
            if name not in ("stateBatches", "cold"):
                assert read[name] == each
        assert read["deliveryCompleteCount"] == value.get("deliveryCompleteCount", -1)
    assert encode_share_state(read_key, read_value) == (bytes.fromhex(key_hex), value_bytes)


def test_unknown_types_of_records_and_versions_of_values_are_told_apart_from_damage() -> None:
    key, _ = encode_share_state(ShareSnapshotKey("g", bytes(16), 1), None)
    with pytest.raises(UnknownRecordType, match="record type 2"):
        decode_share_state(b"\0\2" + key[2:], None)
    with pytest.raises(UnknownRecordType, match="ShareSnapshotValue version 1"):
        decode_share_state(key, b"\0\1")
    for damaged in (b"", b"\0", key[:-1]):
        with pytest.raises(WireError):
            decode_share_state(damaged, None)
    with pytest.raises(WireError):
        decode_share_state(key, b"\0\0")
