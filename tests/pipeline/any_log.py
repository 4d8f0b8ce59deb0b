"""Segments of any kind: current and old formats, and valid records that no Kafka writes.

Hypothesis draws a seed and the number of batches. The rest follows from these, which is thirty times faster
than drawing each field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from struct import pack
from typing import Final

from hypothesis import strategies as st

from tidemark_pipeline.model import Marker, Segment, Task
from tidemark_protocol.batch import (
    APPEND_TIME,
    DELETE_HORIZON,
    TRANSACTIONAL,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
)
from tidemark_protocol.compression import Codec

ALL_OFFSETS: Final = 2**63 - 1
PRODUCERS: Final = (7, 8, 9)
NAMES: Final = (b"", b"readers", b"readers", b"orders", "päckchen-中文".encode(), b"a\0b", b"'\"", b"n" * 250)
NO_TEXT: Final = (b"bad-\xff", b"\xed\xa0\x80", b"\xc3", b"cut-\xf0\x9f\x98")
SPECIAL: Final = (0, -1, -5, 2**62, -(2**63), 2**63 - 1)
COMMON_MS: Final = 1_790_000_000_000

Content = tuple[bytes, bytes | None]


@dataclass
class Log:
    """The bytes of a segment, and the outcomes of its transactions."""

    data: bytes
    markers: dict[int, Sequence[Marker]]

    def task(
        self, first_offset: int = 0, end_offset: int = ALL_OFFSETS, *, is_last: bool = True, path: str = "seg"
    ) -> Task:
        segment = Segment(path, 3, 0, len(self.data), is_last)
        return Task(segment, first_offset, end_offset, self.markers)


def name(random: Random) -> bytes:
    kind = random.random()
    if kind < 0.8:
        return random.choice(NAMES)
    return random.choice(NO_TEXT) if kind < 0.9 else random.randbytes(random.randrange(6))


def note(random: Random) -> bytes:
    """Return metadata of a commit. A compact string's length needs two bytes from 127, three from 16,383."""
    kind = random.random()
    if kind < 0.4:
        return b""
    if kind < 0.8:
        return name(random)
    return b"m" * random.choice((125, 126, 127, 128, 300) if kind < 0.98 else (16_382, 16_383, 32_767))


def int64(random: Random) -> int:
    return random.choice(SPECIAL) if random.random() < 0.5 else random.randrange(-(2**63), 2**63)


def int32(random: Random) -> int:
    return random.choice((0, 0, 1, -1, 5, -(2**31), 2**31 - 1))


def time_ms(random: Random) -> int:
    return int64(random) if random.random() < 0.2 else COMMON_MS + random.randrange(200_000)


def sized(text: bytes) -> bytes:
    return pack(">h", len(text)) + text


def uvarint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def tags(random: Random) -> bytes:
    every = []
    if random.random() < 0.7:
        every.append((0, random.choice((bytes(16), b"same topic's id!", random.randbytes(16)))))
    if random.random() < 0.2:
        every += [(random.randrange(1, 300), random.randbytes(random.randrange(4))) for _ in range(2)]
    return uvarint(len(every)) + b"".join(uvarint(tag) + uvarint(len(body)) + body for tag, body in every)


def offset_value(random: Random, version: int) -> bytes:
    text = note(random)
    value = pack(">hq", version, int64(random))
    if version >= 3:
        value += pack(">i", int32(random))
    value += uvarint(len(text) + 1) + text if version == 4 else sized(text)
    value += pack(">q", int64(random))
    if version == 1:
        value += pack(">q", int64(random))
    if version == 4:
        value += tags(random)
    return value + random.choice((b"", b"", b"", b"more"))  # bytes after a message are ignored


def offset_commit(random: Random) -> Content:
    key_version = random.choice((1, 1, 1, 1, 0))
    key = pack(">h", key_version) + sized(name(random)) + sized(name(random)) + pack(">i", int32(random))
    key += random.choice((b"", b"", b"", b"more"))
    version = random.choice((4, 4, 3, 2, 1, 0)) if key_version else 0
    return key, None if random.random() < 0.2 else offset_value(random, version)


def other_record(random: Random) -> Content:
    """Return a record of a group that is decoded by name only, or of an unknown type."""
    key = pack(">h", random.choice((9, 15, 17, 23, 24, 77, -3, 32767))) + sized(name(random))
    return key + random.randbytes(random.randrange(3)), random.choice((None, random.randbytes(9)))


def content(random: Random) -> Content:
    return offset_commit(random) if random.random() < 0.8 else other_record(random)


def batch_of_records(random: Random, base_offset: int) -> tuple[bytes, int]:
    """Return a batch with gaps, as the cleaner leaves them, and the offset after it."""
    offset, now_ms = base_offset, time_ms(random)
    written = []
    for _ in range(random.randrange(7)):
        offset += random.choice((0, 0, 0, 0, 1, 70, 20_000))
        now_ms = now_ms if random.random() < 0.8 else time_ms(random)
        headers = [("a", None), ("bc", b"12")] if random.random() < 0.05 else []
        written.append(LogRecord(offset, now_ms, *content(random), headers))
        offset += 1
    next_offset = max(offset, base_offset + 1) + random.choice((0, 0, 3))
    producer = random.choice((-1, -1, *PRODUCERS))
    attributes = random.choice((0, 0, APPEND_TIME, DELETE_HORIZON))
    attributes |= random.choice((0, TRANSACTIONAL)) if producer != -1 else 0
    batch = build_batch(
        written,
        base_offset=base_offset,
        next_offset=next_offset,
        compression=random.choice((Codec.NONE, Codec.NONE, Codec.NONE, *Codec)),
        attributes=attributes,
        producer_id=producer,
        producer_epoch=0 if producer != -1 else -1,
        base_timestamp=random.choice((None, None, time_ms(random))),
        max_timestamp=random.choice((None, None, time_ms(random))),
    )
    return batch, next_offset


def any_log(seed: int, batches: int) -> Log:
    """Return whole batches and markers. Some markers are after the segment, some transactions are open."""
    random = Random(seed)
    offset = random.choice((0, 5, 2**40))
    parts: list[bytes] = []
    markers: dict[int, list[Marker]] = {}
    for _ in range(batches):
        if random.random() < 0.8:
            batch, offset = batch_of_records(random, offset)
        else:
            batch = _marker(random, markers, offset)
            offset += 1
        parts.append(batch)
    for producer in random.sample(PRODUCERS, random.randrange(3)):
        markers.setdefault(producer, []).append(Marker(offset + producer, random.random() < 0.5, 0))
    return Log(b"".join(parts), {**markers})


def _marker(random: Random, markers: dict[int, list[Marker]], offset: int) -> bytes:
    producer, committed = random.choice(PRODUCERS), random.random() < 0.5
    markers.setdefault(producer, []).append(Marker(offset, committed, 0))
    kind = ControlType.COMMIT if committed else ControlType.ABORT
    return build_control_batch(
        kind, bytes(6), time_ms(random), base_offset=offset, producer_id=producer, producer_epoch=0
    )


seeds = st.integers(0, 2**32)
logs = st.builds(any_log, seeds, st.integers(0, 12))
contents = st.builds(
    lambda seed, size: [content(Random(seed + i)) for i in range(size)], seeds, st.integers(0, 9)
)
