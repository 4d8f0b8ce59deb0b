"""The hash of the topics that a group subscribes to, which a group's record holds in a tagged field.

Kafka: Utils.computeTopicHash, Utils.computeGroupHash and ModernGroup.computeMetadataHash. Both hashes are
XXH3 with 64 bits, whose seed is 0.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from typing import Final

from tidemark.core.in_steps import at_once, in_order
from tidemark.core.result import Steps
from tidemark.metadata.model import Partition, Topic
from tidemark.metadata.state import Cluster

MAGIC: Final = b"\0"  # the first byte of a topic's hashed form; it names the layout
STEP: Final = 100  # topics between two pauses
PREPARED: Final = "metadata_hash"  # the place in Topic.prepared, which a change of the topic clears
NO_TOPICS: Final = 0


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


__all__ = ["metadata_hash", "subscription_hash"]
