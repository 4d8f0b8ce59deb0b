"""Frames that no correct client sends, all derived from one random.Random.

They are random messages, written from the schemas, some with wrong lengths, and valid frames with changed
bytes.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from struct import pack
from typing import Any, Final

from crc32c import crc32c

from tests.unit.protocol.any_message import MESSAGES
from tests.unit.protocol.golden import body, vectors
from tests.wire import header, sized
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.compression import Codec
from tidemark_protocol.generator.schema import Field, Message, Struct
from tidemark_protocol.wire import write_uvarint

API_VERSIONS: Final = 18
LIE_ONCE_IN: Final = 150  # on average, one length or null of this many is wrong
ELEMENTS_MAX: Final = 4
DEPTH_SMALL: Final = 2  # from here on arrays are kept short, so that messages do not explode

NUMBERS: Final = {
    "int8": (8, True),
    "int16": (16, True),
    "uint16": (16, False),
    "int32": (32, True),
    "uint32": (32, False),
    "int64": (64, True),
}
PACKED: Final = {"int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "int64": ">q"}
SMALL: Final = (-1, 0, 0, 0, 1, 1, 2, 3)

TOPICS: Final = tuple(f"fuzz-{i}" for i in range(6))
GROUPS: Final = tuple(f"fuzz-group-{i}" for i in range(6))
CONFIGS: Final = (
    "cleanup.policy", "retention.ms", "segment.bytes", "compression.type", "max.message.bytes",
    "message.timestamp.type", "min.insync.replicas", "max.decompressed.message.bytes", "no.such.setting",
)  # fmt: skip
CONFIG_VALUES: Final = (
    "compact",
    "delete",
    "-1",
    "0",
    "1048576",
    "gzip",
    "zstd",
    "LogAppendTime",
    "1e9",
    " ",
)
TEXTS: Final = (
    b"", b".", b"..", b"/", b"../../etc", b"__consumer_offsets", b"__cluster_metadata", b"range", b"consumer",
    b"a\0b", b"\xed\xa0\x80", b"\xff\xfe", "é\U0001f600".encode(), b"x" * 249, b"x" * 250, b"y" * 32767,
    b"1", b"-1", b"%s%n", b"\r\n",
)  # fmt: skip
# The values that fields usually have, so that a request has an effect.
USUAL: Final[dict[str, tuple[Any, ...]]] = {
    "ProtocolType": ("consumer", "connect"),
    "ProtocolName": ("range", "roundrobin"),
    "SessionTimeoutMs": (6000, 10_000, 1_800_000, 5),
    "RebalanceTimeoutMs": (0, 1, 300, 60_000, -1),
    "MaxWaitMs": (0, 1, 20, 500),
    "TimeoutMs": (0, 1, 1000, 30_000),
    "Acks": (-1, 0, 1, 1, 2),
    "NumPartitions": (-1, 0, 1, 2, 3, 10_001, 0x7FFFFFFF),
    "Count": (-1, 0, 1, 2, 5, 10_001, 0x7FFFFFFF),
    "ReplicationFactor": (-1, 0, 1, 1, 2),
    "ResourceType": (0, 2, 2, 4, 8, 16, 32),
    "KeyType": (0, 0, 0, 1, 2),
    "ConfigOperation": (0, 1, 2, 3, 4, -1),
    "GenerationId": (-1, 0, 1, 2, 3),
    "GenerationIdOrMemberEpoch": (-1, 0, 1, 2, 3),
    "ProducerId": (-1, 0, 1, 2, 1000),
    "ReplicaId": (-1, -1, -2, 0, 1),
    "CurrentLeaderEpoch": (-1, 0, 1),
    "LeaderEpoch": (-1, 0, 1),
    "Timestamp": (-1, -2, -3, -4, -5, 0, 1),
    "MaxBytes": (0, 1, 100, 1 << 20, 0x7FFFFFFF),
    "PartitionMaxBytes": (0, 1, 100, 1 << 20, 0x7FFFFFFF),
    "SessionId": (0, 0, 0, 1, -1),
    "SessionEpoch": (-1, -1, 0, 1),
}
TOPIC_FIELDS: Final = (
    "Topics",
    "TopicNames",
    "ForgottenTopicsData",
    "TopicName",
    "TopicData",
    "TopicsToDelete",
)
GROUP_FIELDS: Final = ("GroupId", "Groups", "GroupsNames", "Key", "CoordinatorKeys")


@dataclass(slots=True)
class Frame:
    """Bytes to send. whole: the size field is correct, so that the frame can get a response."""

    data: bytes
    whole: bool = True

    @property
    def api_key(self) -> int:
        return int.from_bytes(self.data[4:6], "big", signed=True)

    @property
    def version(self) -> int:
        return int.from_bytes(self.data[6:8], "big", signed=True)

    @property
    def correlation_id(self) -> int:
        return int.from_bytes(self.data[8:12], "big", signed=True)

    @property
    def has_head(self) -> bool:
        return len(self.data) >= 14


@dataclass(slots=True)
class Learned:
    """Names and ids from responses, with which later requests refer to existing things."""

    topic_ids: list[bytes] = field(default_factory=list)
    member_ids: deque[str] = field(default_factory=lambda: deque(maxlen=30))


class Frames:
    """A generator of frames. served: (API name, version) of everything in ApiVersions."""

    def __init__(self, served: list[tuple[str, int]], learned: Learned) -> None:
        self._served = served
        self._learned = learned
        self._golden = [
            (line["message"].removesuffix("Request"), line["version"], body(line))
            for name, lines in vectors().items()
            for line in lines
            if name.endswith("Request") and (name.removesuffix("Request"), line["version"]) in set(served)
        ]

    def some(self, chance: random.Random) -> Frame:
        """Return one frame: usually well-formed with random content, else damaged."""
        kind = chance.random()
        if kind < 0.55:
            return self._nonsense(chance, lies=False)
        if kind < 0.70:
            return self._nonsense(chance, lies=True)
        if kind < 0.80:
            return self._golden_frame(chance)
        frame = self._golden_frame(chance) if chance.random() < 0.5 else self._nonsense(chance, lies=False)
        return _bent(frame, chance, self._golden_frame(chance).data)

    def _nonsense(self, chance: random.Random, *, lies: bool) -> Frame:
        name, version = chance.choice(self._served)
        message = MESSAGES[f"{name}Request"]
        written = _Writer(chance, self._learned, version, message, lies=lies).written()
        return _framed(chance, message, version, written)

    def _golden_frame(self, chance: random.Random) -> Frame:
        name, version, data = chance.choice(self._golden)
        return _framed(chance, MESSAGES[f"{name}Request"], version, data)


def _framed(chance: random.Random, message: Message, version: int, written: bytes) -> Frame:
    flexible = version in message.flexible
    client_id = chance.choice(("raw", "raw", "", None, "fuzz", "__admin_client", "é" * 100))
    name = pack(">h", -1) if client_id is None else pack(">h", len(client_id.encode())) + client_id.encode()
    correlation_id = chance.randrange(-(1 << 31), 1 << 31)
    head = header(message.api_key, version, correlation_id, None)[:8] + name
    tags = b"" if not flexible else b"\0" if chance.random() < 0.97 else _tags(chance, [])
    return Frame(sized(head + tags + written))


def _bent(frame: Frame, chance: random.Random, other: bytes) -> Frame:
    """Return a valid frame with one error. Its size field is corrected, unless that is the error."""
    inner = bytearray(frame.data[4:])
    match chance.randrange(9):
        case 0:
            for _ in range(chance.randint(1, 4)):
                inner[chance.randrange(len(inner))] = chance.choice(
                    (0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256))
                )
        case 1:
            bit = chance.randrange(len(inner) * 8)
            inner[bit // 8] ^= 1 << bit % 8
        case 2:
            del inner[chance.randrange(len(inner)) :]
        case 3:
            inner += chance.randbytes(chance.randint(1, 40))
        case 4:
            at = chance.randrange(len(inner))
            inner[at : at + 4] = pack(">i", chance.choice((-1, -2, 0x7FFFFFFF, -(1 << 31), 1 << 24, 65536)))
        case 5:
            inner[2:4] = pack(">h", chance.choice((-1, 0, 1, 5, 9, 12, 99, 0x7FFF)))
        case 6:
            inner[0:2] = pack(">h", chance.choice((*range(96), -1, 1000)))
        case 7:
            at = chance.randrange(len(inner))
            inner[at:] = other[chance.randrange(len(other)) :]
        case _:
            size = chance.choice((len(inner) + 1, len(inner) - 1, 0, 3, -1, 0x7FFFFFFF, 104857600, 104857601))
            return Frame(pack(">i", size) + bytes(inner), whole=False)
    return Frame(sized(bytes(inner)))


class _Writer:
    """Writes one message of one version, field by field. lies: some lengths, counts and nulls are wrong."""

    def __init__(
        self, chance: random.Random, learned: Learned, version: int, message: Message, *, lies: bool
    ) -> None:
        self._chance = chance
        self._learned = learned
        self._version = version
        self._message = message
        self._flexible = version in message.flexible
        self._lies = lies

    def written(self) -> bytes:
        return self._struct(self._message.struct, 0)

    def _struct(self, struct: Struct, depth: int, within: str = "") -> bytes:
        out = bytearray()
        tagged: list[tuple[int, bytes]] = []
        for each in struct.fields:
            if self._version not in each.versions:
                continue
            data = self._field(each, depth, within)
            if self._version not in each.tagged:
                out += data
            elif self._chance.random() < 0.5:
                tagged.append((each.tag, data))
        if self._flexible:
            out += _tags(self._chance, tagged) if self._chance.random() < 0.05 else _plain_tags(tagged)
        return bytes(out)

    def _field(self, each: Field, depth: int, within: str) -> bytes:
        may_be_null = self._version in each.nullable or self._lie()
        flexible = self._flexible and not each.never_flexible
        if each.array:
            if may_be_null and self._chance.random() < 0.15:
                return self._count(None, flexible=flexible)
            most = ELEMENTS_MAX if depth < DEPTH_SMALL else 2
            items = [self._one(each, depth, flexible=flexible) for _ in range(self._chance.randint(0, most))]
            if items and self._chance.random() < 0.1:
                items.append(items[0])  # named twice
            count = len(items) if not self._lie() else self._chance.choice((-2, len(items) + 1, 0x7FFFFFFE))
            return self._count(count, flexible=flexible) + b"".join(items)
        if each.struct is not None and self._version in each.nullable:
            is_null = self._chance.random() < 0.3
            return b"\xff" if is_null else b"\x01" + self._one(each, depth, flexible=flexible)
        if each.kind in ("string", "bytes", "records") and may_be_null and self._chance.random() < 0.15:
            return self._length(None, each.kind, flexible=flexible)
        return self._one(each, depth, flexible=flexible, within=within)

    def _one(self, each: Field, depth: int, *, flexible: bool, within: str = "") -> bytes:
        if each.struct is not None:
            return self._struct(each.struct, depth + 1, each.name)
        if each.kind in NUMBERS:
            return pack(PACKED[each.kind], self._number(each))
        match each.kind:
            case "bool":
                return self._chance.choice((b"\0", b"\x01", b"\x01", b"\x02"))
            case "float64":
                return self._chance.randbytes(8)
            case "uuid":
                return self._uuid()
            case "string":
                data = self._text(each, within)
            case "records":
                data = _records(self._chance)
            case _:
                data = self._chance.choice(
                    (b"", b"\0" * 8, self._chance.randbytes(self._chance.randint(0, 60)))
                )
        size = len(data) if not self._lie() else self._chance.choice((-2, len(data) + 1, 0x7FFE, 0))
        return self._length(size, each.kind, flexible=flexible) + data

    def _number(self, each: Field) -> int:
        bits, signed = NUMBERS[each.kind]
        chance = self._chance
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        usual = USUAL.get(each.name)
        roll = chance.random()
        if usual is not None and roll < 0.85:
            value: int = chance.choice(usual)
            return min(max(value, low), high)
        if roll < 0.85:
            return max(low, chance.choice(SMALL))
        if each.name in ("SessionTimeoutMs", "RebalanceTimeoutMs", "NumPartitions", "Count"):
            return chance.choice((low, high))  # other valid values need much memory or time
        return chance.choice((low, high, low + 1, high - 1, chance.randint(low, high)))

    def _uuid(self) -> bytes:
        known = self._learned.topic_ids
        if known and self._chance.random() < 0.6:
            return self._chance.choice(known)
        return self._chance.choice((bytes(16), bytes(15) + b"\x01", self._chance.randbytes(16)))

    def _text(self, each: Field, within: str) -> bytes:
        chance = self._chance
        name = each.name
        if chance.random() < 0.2:
            return chance.choice((*TEXTS, chance.randbytes(chance.randint(0, 12))))
        if name in USUAL:
            return str(chance.choice(USUAL[name])).encode()
        if name == "MemberId":
            return chance.choice(("", *self._learned.member_ids)).encode()
        if name in GROUP_FIELDS:
            return chance.choice(GROUPS).encode()
        if name in TOPIC_FIELDS or within in TOPIC_FIELDS or name == "ResourceName":
            return chance.choice((*TOPICS, "1", "")).encode() if name == "ResourceName" else self._topic()
        if within == "Protocols":
            return chance.choice((b"range", b"roundrobin"))
        if within in ("Configs", "ConfigurationKeys") or name == "ConfigurationKeys":
            return chance.choice(CONFIGS if name in ("Name", "ConfigurationKeys") else CONFIG_VALUES).encode()
        return self._topic() if name == "Name" else chance.choice((b"", b"fuzz", b"1.0"))

    def _topic(self) -> bytes:
        return self._chance.choice(TOPICS).encode()

    def _count(self, count: int | None, *, flexible: bool) -> bytes:
        return _compact(count) if flexible else pack(">i", -1 if count is None else count)

    def _length(self, size: int | None, kind: str, *, flexible: bool) -> bytes:
        if flexible:
            return _compact(size)
        if kind == "string":
            return pack(">h", -1 if size is None else min(size, 0x7FFF))
        return pack(">i", -1 if size is None else size)

    def _lie(self) -> bool:
        return self._lies and self._chance.randrange(LIE_ONCE_IN) == 0


def _compact(size: int | None) -> bytes:
    out = bytearray()
    write_uvarint(out, 0 if size is None else (size + 1) & 0xFFFFFFFF)
    return bytes(out)


def _plain_tags(tagged: list[tuple[int, bytes]]) -> bytes:
    out = bytearray()
    write_uvarint(out, len(tagged))
    for tag, data in tagged:
        write_uvarint(out, tag)
        write_uvarint(out, len(data))
        out += data
    return bytes(out)


def _tags(chance: random.Random, tagged: list[tuple[int, bytes]]) -> bytes:
    """Write tags, some of them unknown, repeated or out of order. A broker may refuse them."""
    unknown = [(chance.choice((5, 99, 0x7FFFFFFF)), chance.randbytes(chance.randint(0, 9))) for _ in range(2)]
    found = [*tagged, *unknown, *tagged[:1]]
    chance.shuffle(found)
    return _plain_tags(found)


def _records(chance: random.Random) -> bytes:
    """Return a batch with valid or invalid content, sometimes damaged."""
    count = chance.choice((1, 1, 1, 2, 10))
    base_offset = chance.choice((0, 0, 5, -1, (1 << 63) - 11))
    made = [
        LogRecord(
            base_offset + i,
            chance.choice((0, -1, 1_700_000_000_000, (1 << 63) - 1, -(1 << 63))),
            chance.choice((None, b"", b"key", chance.randbytes(5))),
            chance.choice((None, b"", b"value" * 9, chance.randbytes(30))),
            [("h", None), ("", b"x")][: chance.randint(0, 2)],
        )
        for i in range(count)
    ]
    producer_id = chance.choice((-1, -1, -1, 0, 1, 1000, (1 << 63) - 1))
    data = build_batch(
        made,
        base_offset=base_offset,
        compression=chance.choice((Codec.NONE, Codec.NONE, *Codec)),
        attributes=chance.choice((0, 0, 0, 0x08, 0x10, 0x20, 0x40)),
        producer_id=producer_id,
        producer_epoch=chance.choice((-1, 0, 1)) if producer_id >= 0 else -1,
        base_sequence=chance.choice((-1, 0, 1, 2, 0x7FFFFFFF)) if producer_id >= 0 else -1,
    )
    return _bent_batch(chance, bytes(data))


def _bent_batch(chance: random.Random, data: bytes) -> bytes:
    """Return the batch, usually unchanged, else other bytes or the batch with some bytes changed."""
    roll = chance.random()
    if roll < 0.65:
        return data
    if roll < 0.7:
        return chance.choice((b"", b"\0" * 61, chance.randbytes(70), data * 2))
    bent = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        if bent:
            bent[chance.randrange(len(bent))] = chance.choice((0, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    if roll < 0.9 and len(bent) > 61:
        bent[17:21] = pack(">I", crc32c(bytes(bent[21:])))  # the CRC is correct for the damaged bytes
    return bytes(bent)
