"""Kafka's small text files: offset checkpoints, leader epochs, partition.metadata."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

_VERSION: Final = "0"

Offsets = dict[tuple[str, int], int]


class CheckpointCorrupt(Exception):
    """The text is not a valid file of this kind."""


def encode_offsets(offsets: Mapping[tuple[str, int], int]) -> bytes:
    """Encode recovery-point-offset-checkpoint or a similar file: `<topic> <partition> <offset>` per line."""
    return _encode([f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()])


def decode_offsets(data: bytes) -> Offsets:
    offsets: Offsets = {}
    for words in _decode(data, fields=3):
        offsets[words[0], int(words[1])] = int(words[2])
    return offsets


def encode_epochs(epochs: list[tuple[int, int]]) -> bytes:
    """Encode leader-epoch-checkpoint: `<epoch> <start offset>` per line."""
    return _encode([f"{epoch} {start}" for epoch, start in epochs])


def decode_epochs(data: bytes) -> list[tuple[int, int]]:
    return [(int(words[0]), int(words[1])) for words in _decode(data, fields=2)]


def encode_partition_metadata(topic_id: bytes) -> bytes:
    return f"version: 0\ntopic_id: {uuid_text(topic_id)}".encode()


def decode_partition_metadata(data: bytes) -> bytes:
    """Return the topic id in partition.metadata."""
    for line in data.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "topic_id":
            return uuid_bytes(value.strip())
    raise CheckpointCorrupt("partition.metadata without topic_id")


def uuid_text(uuid: bytes) -> str:
    """Read an id as Kafka writes it: 22 characters of base64url."""
    return base64.urlsafe_b64encode(uuid).decode().rstrip("=")


def uuid_bytes(text: str) -> bytes:
    try:
        uuid = base64.urlsafe_b64decode(text + "==")
    except ValueError:
        uuid = b""
    if len(uuid) != 16:
        raise CheckpointCorrupt(f"{text!r} is no id")
    return uuid


def _encode(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in (_VERSION, str(len(lines)), *lines)).encode()


def _decode(data: bytes, fields: int) -> list[list[str]]:
    lines = data.decode("utf-8", "replace").splitlines()
    if len(lines) < 2 or lines[0] != _VERSION or not lines[1].isdigit() or int(lines[1]) != len(lines) - 2:
        raise CheckpointCorrupt(f"malformed checkpoint: {lines[:2]}")
    entries = [line.split() for line in lines[2:]]
    if any(len(words) != fields for words in entries):
        raise CheckpointCorrupt("malformed line in a checkpoint")
    return entries
