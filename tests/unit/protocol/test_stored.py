"""Encoding of records in a log: the preceding version, the version to write, and unreadable records."""

from __future__ import annotations

import pytest

from tidemark_protocol import WireError
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.records.no_op_record import NoOpRecord
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import (
    VERSIONS_OF,
    CoordinatorCodec,
    UnknownRecordType,
    decode_coordinator,
    decode_metadata,
    encode_metadata,
)

KEY = OffsetCommitKey("g", "t", 3)
KEY_BYTES = bytes.fromhex("0001 0001 67 0001 74 00000003")


def version_written(value: object, release: str = "") -> int:
    key = KEY if isinstance(value, OffsetCommitValue) else GroupMetadataKey("g")
    _, written = CoordinatorCodec(VERSIONS_OF[release]).encode(key, value)
    assert written is not None
    return int.from_bytes(written[:2], "big")


def test_type_precedes_a_key_and_version_precedes_a_value() -> None:
    key, value = CoordinatorCodec().encode(KEY, OffsetCommitValue(7, metadata="m", commit_timestamp=9))
    assert key == KEY_BYTES
    assert value == bytes.fromhex("0002 0000000000000007 0001 6d 0000000000000009")
    assert decode_coordinator(key, value) == (KEY, OffsetCommitValue(7, metadata="m", commit_timestamp=9))


def test_a_tombstone_is_a_key_without_a_value() -> None:
    assert CoordinatorCodec().encode(KEY, None) == (KEY_BYTES, None)
    assert decode_coordinator(KEY_BYTES, None) == (KEY, None)


def test_offset_is_written_in_the_lowest_lossless_version() -> None:
    assert version_written(OffsetCommitValue(1, commit_timestamp=9)) == 2
    assert version_written(OffsetCommitValue(1, leader_epoch=0)) == 3
    assert version_written(OffsetCommitValue(1, expire_timestamp=9)) == 1


def test_group_with_a_static_member_is_written_in_version_3() -> None:
    assert version_written(GroupMetadataValue(members=[MemberMetadata("m")])) == 2
    assert version_written(GroupMetadataValue(members=[MemberMetadata("m", group_instance_id="i")])) == 3


def test_profile_of_kafka_writes_kafkas_versions() -> None:
    for release, version in (("3.9", 3), ("4.0", 3), ("4.1", 3), ("4.2", 4), ("4.3", 4)):
        assert version_written(OffsetCommitValue(1), release) == version
        assert version_written(OffsetCommitValue(1, expire_timestamp=9), release) == 1
        assert version_written(GroupMetadataValue(), release) == 3


@pytest.mark.parametrize("value", [None, "0000 0000000000000007 0001 6d 0000000000000009"])
def test_offset_of_type_0_is_read_as_a_current_one(value: str | None) -> None:
    stored = None if value is None else bytes.fromhex(value)
    wanted = None if value is None else OffsetCommitValue(7, metadata="m", commit_timestamp=9)
    assert decode_coordinator(b"\0\0" + KEY_BYTES[2:], stored) == (KEY, wanted)


@pytest.mark.parametrize("key", ["0009 0001 67", "7fff", "ffff 00"])
def test_unknown_type_is_distinguished_from_broken_bytes(key: str) -> None:
    with pytest.raises(UnknownRecordType):
        decode_coordinator(bytes.fromhex(key), b"\0\0")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"", None),
        (b"\0", None),
        (KEY_BYTES[:-1], None),
        (KEY_BYTES, b""),
        (KEY_BYTES, b"\0"),
        (KEY_BYTES, b"\0\x05" + bytes(100)),
        (KEY_BYTES, b"\xff\xff" + bytes(100)),
        (KEY_BYTES, b"\0\x02" + bytes(5)),
    ],
)
def test_unreadable_record_is_a_wire_error(key: bytes, value: bytes | None) -> None:
    with pytest.raises(WireError) as caught:
        decode_coordinator(key, value)
    assert not isinstance(caught.value, UnknownRecordType)


def test_a_name_too_long_for_its_key_is_a_wire_error() -> None:
    for key in (OffsetCommitKey("g" * 32_768, "t", 0), GroupMetadataKey("g" * 32_768)):
        with pytest.raises(WireError):
            CoordinatorCodec().encode(key, None)


def test_frame_type_and_version_precede_a_metadata_record() -> None:
    assert encode_metadata(NoOpRecord()) == b"\x01\x14\x00\x00"
    assert decode_metadata(b"\x01\x14\x00\x00") == NoOpRecord()


@pytest.mark.parametrize(
    "data", [b"", b"\x01", b"\x01\x14", b"\x01\x14\x00", b"\x00\x14\x00\x00", b"\x01\x14\x01\x00"]
)
def test_a_metadata_record_that_cannot_be_read_is_a_wire_error(data: bytes) -> None:
    with pytest.raises(WireError) as caught:
        decode_metadata(data)
    assert not isinstance(caught.value, UnknownRecordType)


def test_unknown_metadata_type_is_distinguished() -> None:
    with pytest.raises(UnknownRecordType):
        decode_metadata(b"\x01\x7f\x00\x00")
