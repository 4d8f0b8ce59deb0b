"""Invalid bytes raise WireError and nothing else. Bytes after a frame do not affect how it is read."""

from __future__ import annotations

import codecs
import random
import tracemalloc
from typing import Any

import pytest

import tidemark_protocol
from tests.unit.protocol.golden import Line, body, vectors
from tidemark_protocol import WireError
from tidemark_protocol.wire import write_uvarint

VECTORS = vectors()


def outcome(line: Line, data: bytes, end: int) -> Any:
    """Return the message and its end, or None if it is refused."""
    decode = tidemark_protocol.message_class(line["message"]).DECODERS[line["version"]]
    try:
        message, pos = decode(data, 0, end)
    except WireError:
        return None
    assert pos <= end, "it read past its frame and kept what it found"
    return repr(message), pos


def shortest(message: str) -> dict[int, Line]:
    """Return one vector per version: the plain one if it exists, else the shortest."""
    found: dict[int, Line] = {}
    for line in sorted(VECTORS[message], key=lambda line: (line["case"] != "plain", len(line["hex"]))):
        found.setdefault(line["version"], line)
    return found


def cuts(size: int) -> list[int]:
    return sorted(
        {*range(min(size, 24)), *(size * i // 16 for i in range(16)), *range(max(0, size - 8), size)}
    )


@pytest.mark.parametrize("message", VECTORS)
def test_bytes_after_a_frame_are_ignored(message: str) -> None:
    for line in shortest(message).values():
        data = body(line)
        for cut in cuts(len(data)):
            behind = (data[cut:], bytes(64), b"\xff" * 64, b"")
            outcomes = {outcome(line, data[:cut] + more, cut) for more in behind}
            assert len(outcomes) == 1, f"{message} v{line['version']} cut at {cut}"


@pytest.mark.parametrize("message", VECTORS)
def test_changed_bytes_are_read_or_refused(message: str) -> None:
    chance = random.Random(message)
    for line in shortest(message).values():
        change_and_read(line, chance, times=10)


@pytest.mark.slow
@pytest.mark.parametrize("message", VECTORS)
def test_repeatedly_changed_bytes_are_read_or_refused(message: str) -> None:
    chance = random.Random(f"often {message}")
    for line in VECTORS[message]:
        change_and_read(line, chance, times=100)


def change_and_read(line: Line, chance: random.Random, times: int) -> None:
    original = body(line)
    for _ in range(times if original else 0):
        data = bytearray(original)
        for _ in range(chance.randint(1, 4)):
            # Extreme values make lengths and counts invalid.
            data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        outcome(line, bytes(data), len(data))


@pytest.mark.parametrize("count", ["7fffffff", "00ffffff", "80000000"])
def test_a_huge_count_is_refused_before_anything_is_built(count: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            tidemark_protocol.decode("OffsetCommitRequest", 0, bytes.fromhex("000167" + count) + bytes(100))
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_a_compact_count_that_wraps_is_null() -> None:
    """To Java, ff ff ff ff 0f is -1. The length is one less, -2, which Kafka reads as null."""
    wrapped = bytes.fromhex("ffffffff0f")
    request = tidemark_protocol.decode("MetadataRequest", 9, wrapped + bytes(4))
    assert request.topics is None
    with pytest.raises(WireError):
        tidemark_protocol.decode("OffsetCommitRequest", 8, b"\x02g" + bytes(4) + b"\x01\0" + wrapped + b"\0")


def test_compact_string_has_the_limit_of_an_int16() -> None:
    """Kafka closes the connection on 32,768 bytes."""
    for size, refused in ((32_767, False), (32_768, True)):
        data = b"\x02" + write_size(size + 1) + b"x" * size + bytes(5)
        if refused:
            with pytest.raises(WireError):
                tidemark_protocol.decode("MetadataRequest", 9, data)
        else:
            request = tidemark_protocol.decode("MetadataRequest", 9, data)
            assert tidemark_protocol.encode("MetadataRequest", 9, request) == data
            request.topics[0].name += "x"
            with pytest.raises(WireError):
                tidemark_protocol.encode("MetadataRequest", 9, request)


def write_size(size: int) -> bytes:
    out = bytearray()
    write_uvarint(out, size)
    return bytes(out)


def test_a_varint_of_six_bytes_is_refused() -> None:
    with pytest.raises(WireError):
        tidemark_protocol.decode("MetadataRequest", 9, b"\x80\x80\x80\x80\x80\x00" + bytes(4))


def test_bytes_after_the_message_are_ignored() -> None:
    """Kafka does the same, in old versions and in flexible ones."""
    for line in (VECTORS["MetadataRequest"][0], VECTORS["MetadataRequest"][-1]):
        data = body(line)
        assert tidemark_protocol.decode(
            "MetadataRequest", line["version"], data + b"more"
        ) == tidemark_protocol.decode("MetadataRequest", line["version"], data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("ff67", "\ufffdg"),
        ("c3", "\ufffd"),
        ("f09f98", "\ufffd"),
        ("f4908080", "\ufffd" * 4),
        ("c080", "\ufffd" * 2),
        ("eda080", "\ufffd"),
        ("eda080c3a9", "\ufffd\u00e9"),
        ("eda0", "\ufffd"),
        ("eda041", "\ufffdA"),
        ("ed", "\ufffd"),
        ("edbfbfedb0", "\ufffd\ufffd"),
        ("61ffc3a9eda080ffed9fbff09f98f09f9880", "a\ufffd\u00e9\ufffd\ufffd\ud7ff\ufffd\U0001f600"),
    ],
)
def test_text_that_is_not_utf8_is_read_as_java_reads_it(data: str, text: str) -> None:
    """The expected text is that of java.lang.String, so that Kafka and tidemark use the same group names."""
    name = bytes.fromhex(data)
    request = tidemark_protocol.decode(
        "OffsetCommitRequest", 0, len(name).to_bytes(2, "big") + name + bytes(4)
    )
    assert request.group_id == text


def test_one_call_decodes_everything_from_the_first_malformed_byte_on() -> None:
    """A call for each malformed byte would make such a text a hundred times as expensive."""
    data = b"good" + b"\xff" * 32_000
    error = UnicodeDecodeError("utf-8", data, 4, 5, "malformed")
    assert codecs.lookup_error("java")(error) == ("\ufffd" * 32_000, len(data))


def test_message_that_cannot_be_encoded_is_refused() -> None:
    for name, version, field, value in (
        ("OffsetCommitRequest", 5, "group_id", "x" * 40_000),
        ("OffsetCommitRequest", 8, "generation_id_or_member_epoch", 1 << 31),
        ("OffsetCommitRequest", 8, "group_id", "\ud800"),
        ("OffsetCommitRequest", 8, "group_id", None),
    ):
        message = tidemark_protocol.message_class(name)()
        setattr(message, field, value)
        with pytest.raises(WireError):
            tidemark_protocol.encode(name, version, message)
