"""The topics that a group reads by name or by regular expression, and their hash.

A group's record holds the hash in a tagged field. Kafka: Utils.computeTopicHash, Utils.computeGroupHash and
ModernGroup.computeMetadataHash. All hashes are XXH3 with 64 bits, whose seed is 0.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import (
    Steps,
    at_once,
    in_order,
)
from tidemark.metadata.model import Partition, Topic
from tidemark.metadata.state import Cluster

if TYPE_CHECKING:
    pass

MAGIC: Final = b"\0"  # the first byte of a topic's hashed form; it names the layout
STEP: Final = 100  # topics between two pauses
PREPARED: Final = "metadata_hash"  # the place in Topic.prepared, which a change of the topic clears
NO_TOPICS: Final = 0


@dataclass(slots=True, frozen=True)
class GroupTopics:
    """by_name, by_regex: as in the group. regex_members, members: how many members there are."""

    by_name: dict[str, int]
    by_regex: dict[str, int]
    regex_members: dict[str, int]
    members: int

    def hash(self, cluster: Any) -> int:
        """Return the hash of the topics that exist; 0: there are none."""
        names: Collection[str] = self.by_name
        if self.by_regex:
            names = self.by_name.keys() | self.by_regex.keys()
        return subscription_hash(cluster, names)

    @property
    def are_homogeneous(self) -> bool:
        """True if all members read the same topics. Kafka: ConsumerGroup.subscriptionType."""
        if not self.regex_members:
            return all(each == self.members for each in self.by_name.values()) and all(
                topic in self.by_name for topic in self.by_regex
            )
        return (
            next(iter(self.regex_members.values())) == self.members
            and not self.by_name
            and all(each == 1 for each in self.by_regex.values())
        )


def metadata_hash(cluster: Cluster, names: Collection[str]) -> Steps[int]:
    """Return the hash of the topics with these names, signed, of 64 bits. Missing topics have no part in it.

    A generator: it yields where the work may pause.
    """
    hashes: list[bytes] = []
    sorted_names = yield from in_order([name for name in names if name in cluster.topics])
    for number, name in enumerate(sorted_names):
        if number % STEP == 0:
            yield 0
        topic = cluster.topics.get(name)
        if topic is not None:
            hashes.append(_topic_hash(cluster, topic).to_bytes(8, "little", signed=True))
    return _xxh3(b"".join(hashes)) if hashes else NO_TOPICS


def subscription_hash(cluster: Cluster, names: Collection[str]) -> int:
    """Return the same hash at once."""
    return at_once(metadata_hash(cluster, names))


def _topic_hash(cluster: Cluster, topic: Topic) -> int:
    """Return the hash of a topic: its id, its name, its partitions and the racks of their replicas."""
    known: int | None = topic.prepared.get(PREPARED)
    if known is None:
        known = topic.prepared[PREPARED] = _xxh3(_hashed_form(cluster, topic))
    return known


def _hashed_form(cluster: Cluster, topic: Topic) -> bytes:
    parts = [
        MAGIC,
        topic.topic_id[7::-1],  # both halves of the id as little-endian numbers
        topic.topic_id[:7:-1],
        _text(topic.name),
        _number(len(topic.partitions)),
    ]
    for partition in topic.partitions:
        parts.append(_number(partition.index))
        for rack in _racks(cluster, partition):
            parts += (_number(_java_length(rack)), _text(rack))
    return b"".join(parts)


def _racks(cluster: Cluster, partition: Partition) -> list[str]:
    """Return the racks of the replicas, as Java sorts texts."""
    brokers = (cluster.brokers.get(replica) for replica in partition.replicas)
    racks = [broker.rack for broker in brokers if broker is not None and broker.rack is not None]
    return sorted(racks, key=lambda rack: rack.encode("utf-16-be", "surrogatepass"))


def _text(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass") + _number(_java_length(text))


def _java_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _number(value: int) -> bytes:
    return struct.pack("<i", value)


def _xxh3(data: bytes) -> int:
    import xxhash

    value = xxhash.xxh3_64_intdigest(data)
    return value - (1 << 64) if value >> 63 else value


class RegexChange(Enum):
    NONE = auto()
    CHANGED = auto()  # its topics are not known yet
    RESOLVED = auto()  # its topics are known
