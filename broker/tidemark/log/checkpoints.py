"""Kafka's small text files: offset checkpoints, leader epochs, partition.metadata."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

_VERSION: Final = "0"

Offsets = dict[tuple[str, int], int]


class CheckpointCorrupt(Exception):
    """This text is no such file."""


def encode_offsets(offsets: Mapping[tuple[str, int], int]) -> bytes:
    """recovery-point-offset-checkpoint and its like: `<topic> <partition> <offset>` a line."""
    return _encode([f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()])


def decode_offsets(data: bytes) -> Offsets:
    offsets: Offsets = {}
    for words in _decode(data, fields=3):
        offsets[words[0], int(words[1])] = int(words[2])
    return offsets


def encode_epochs(epochs: list[tuple[int, int]]) -> bytes:
    """leader-epoch-checkpoint: `<epoch> <start offset>` a line."""
    return _encode([f"{epoch} {start}" for epoch, start in epochs])


def decode_epochs(data: bytes) -> list[tuple[int, int]]:
    return [(int(words[0]), int(words[1])) for words in _decode(data, fields=2)]


def encode_partition_metadata(topic_id: bytes) -> bytes:
    return f"version: 0\ntopic_id: {uuid_text(topic_id)}".encode()


def decode_partition_metadata(data: bytes) -> bytes:
    """The topic id."""
    for line in data.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "topic_id":
            return uuid_bytes(value.strip())
    raise CheckpointCorrupt("partition.metadata without topic_id")


def uuid_text(uuid: bytes) -> str:
    """22 characters base64url, as Kafka writes its ids."""
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


class LeaderEpochs:
    """The leader epochs of one log: (epoch, first offset), both rising."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[tuple[int, int]] | None = None) -> None:
        self.entries = entries or []

    @property
    def latest(self) -> int:
        return self.entries[-1][0] if self.entries else -1

    def assign(self, epoch: int, start_offset: int) -> bool:
        """An epoch begins; an earlier one with the same start had no records and goes. True: it is new."""
        if epoch <= self.latest:
            return False
        self.entries = [entry for entry in self.entries if entry[1] < start_offset]
        self.entries.append((epoch, start_offset))
        return True

    def end_offset(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """(epoch, end offset) of the largest epoch not above the one asked for; (-1, -1) when unknown."""
        if epoch == -1 or not self.entries or epoch > self.latest:
            return -1, -1
        if epoch == self.latest:
            return epoch, log_end_offset
        higher_start = next(start for known, start in self.entries if known > epoch)
        floor = max((known for known, _ in self.entries if known <= epoch), default=epoch)
        return floor, higher_start

    def epoch_at(self, offset: int) -> int:
        """The epoch in which an offset was written; -1 when unknown."""
        return max((epoch for epoch, start in self.entries if start <= offset), default=-1)

    def truncate_end(self, offset: int) -> bool:
        """Forgets the epochs that began at or after offset. True: something changed."""
        kept = [entry for entry in self.entries if entry[1] < offset]
        changed = len(kept) != len(self.entries)
        self.entries = kept
        return changed

    def truncate_start(self, offset: int) -> bool:
        """Forgets what ended before offset; the epoch that holds it begins there. True: something changed."""
        before = [entry for entry in self.entries if entry[1] <= offset]
        if not before or before == [(before[-1][0], offset)]:
            return False
        kept = [(before[-1][0], offset), *(entry for entry in self.entries if entry[1] > offset)]
        changed = kept != self.entries
        self.entries = kept
        return changed
