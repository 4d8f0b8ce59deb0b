"""`--describe`: topics and partitions as Kafka's tool prints them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark_protocol.kafka_json import uuid_text
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.errors import ClientError
from tidemark_tools.client.topics import (
    PartitionDescription,
    Reassignment,
    Setting,
    TopicDescription,
    describe_topics,
    reassignments,
    serves_creation_times,
    topic_settings,
)
from tidemark_tools.java import map_order, time_text
from tidemark_tools.json_output import print_json
from tidemark_tools.options import Parsed
from tidemark_tools.topics import FILTERS, OVERRIDES, topic_row

ID_BYTES: Final = 16
NO_ID: Final = bytes(ID_BYTES)
ID_CHARACTERS_MAX: Final = 24


@dataclass(slots=True)
class Facts:
    """Facts about the topics that their description does not contain.

    creation_times: whether the broker returns them. live: the ids of the brokers.
    """

    settings: Mapping[str, Mapping[str, Setting]]
    moving: Mapping[TopicPartition, Reassignment]
    live: Collection[int]
    creation_times: bool

    def move_of(self, topic: str, partition: PartitionDescription) -> Reassignment | None:
        """Return the reassignment of a partition, if there is one."""
        return self.moving.get(TopicPartition(topic, partition.partition))


def print_topics(client: Client, parsed: Parsed, topics: Mapping[str, TopicDescription]) -> None:
    """Print the topics: in the order of the HashMap of Kafka's tool, as JSON by name. Raises ClientError."""
    if not topics:
        if parsed.has("json"):
            print_json([])
        return
    facts = Facts(
        topic_settings(client, topics),
        reassignments(client, topics.values()),
        [node.node_id for node in client.nodes()],
        serves_creation_times(client),
    )
    if parsed.has("json"):
        print_json(_rows(client, parsed, [topics[name] for name in sorted(topics)], facts))
        return
    for name in map_order(sorted(topics), len(topics)):
        _print_topic(client, parsed, topics[name], facts)


def _rows(
    client: Client, parsed: Parsed, topics: Sequence[TopicDescription], facts: Facts
) -> Iterator[dict[str, Any]]:
    """Yield the topics that the options choose. A filter of partitions chooses topics, too."""
    filters = [name for name in FILTERS if parsed.has(name)]
    for topic in topics:
        shown = [
            each for each in topic.partitions if not filters or _is_any(filters, topic.name, each, facts)
        ]
        settings = facts.settings[topic.name]
        own = {name: settings[name].value for name in sorted(settings) if not settings[name].is_default}
        if not shown or (parsed.has(OVERRIDES) and not own):
            continue
        created = _created(client, topic, facts)
        first = topic.partitions[0]
        yield {
            **topic_row(topic.name, topic.topic_id, internal=topic.is_internal),
            "replication_factor": _replication_factor(first, facts.move_of(topic.name, first)),
            "configs": own,
            "partitions": [
                _partition_row(each, facts.move_of(topic.name, each), created.get(each.partition))
                for each in shown
            ],
        }


def _partition_row(
    each: PartitionDescription, moving: Reassignment | None, created_ms: int | None
) -> dict[str, Any]:
    return {
        "partition": each.partition,
        "leader": each.leader,
        "replicas": each.replicas,
        "isr": each.isr,
        "eligible_leader_replicas": each.elr,
        "last_known_elr": each.last_known_elr,
        "adding_replicas": [] if moving is None else moving.adding,
        "removing_replicas": [] if moving is None else moving.removing,
        "created_ms": created_ms,
    }


def _created(client: Client, topic: TopicDescription, facts: Facts) -> dict[int, int | None]:
    """Return when each partition was created."""
    dated = topic.partitions
    # Metadata, which describes a topic by its id, does not contain the creation times.
    if facts.creation_times and all(each.elr is None for each in dated):
        dated = describe_topics(client, [topic.name])[topic.name].partitions
    return {each.partition: each.creation_time_ms for each in dated}


def _print_topic(client: Client, parsed: Parsed, topic: TopicDescription, facts: Facts) -> None:
    filters = [name for name in FILTERS if parsed.has(name)]
    settings = facts.settings[topic.name]
    own = ",".join(
        f"{name}={'null' if settings[name].value is None else settings[name].value}"
        for name in map_order(settings)
        if not settings[name].is_default
    )
    if not filters and (own or not parsed.has(OVERRIDES)):
        first = topic.partitions[0]
        factor = _replication_factor(first, facts.move_of(topic.name, first))
        named = "" if topic.topic_id == NO_ID else f"\tTopicId: {uuid_text(topic.topic_id)}"
        print(
            f"Topic: {topic.name}{named}\tPartitionCount: {len(topic.partitions)}"
            f"\tReplicationFactor: {factor}\tConfigs: {own}"
        )
    if parsed.has(OVERRIDES):
        return
    shown = [each for each in topic.partitions if not filters or _is_any(filters, topic.name, each, facts)]
    created = _created(client, topic, facts)
    for each in shown:
        line = _partition_line(topic.name, each, facts.move_of(topic.name, each))
        if facts.creation_times:
            line += f"\tCreationTimeMs: {time_text(created.get(each.partition))}"
        print(line)


def _partition_line(topic: str, each: PartitionDescription, moving: Reassignment | None) -> str:
    fields = {
        "Topic": topic,
        "Partition": str(each.partition),
        "Leader": "none" if each.leader is None else str(each.leader),
        "Replicas": _ids(each.replicas),
        "Isr": _ids(each.isr),
    }
    if moving is not None:
        fields |= {"Adding Replicas": _ids(moving.adding), "Removing Replicas": _ids(moving.removing)}
    fields |= {"Elr": _ids(each.elr), "LastKnownElr": _ids(each.last_known_elr)}
    return "".join(f"\t{name}: {value}" for name, value in fields.items())


def _ids(brokers: Sequence[int] | None) -> str:
    return "N/A" if brokers is None else ",".join(map(str, brokers))


def _replication_factor(each: PartitionDescription, moving: Reassignment | None) -> int:
    """Return the number of replicas, without those that a reassignment adds."""
    if moving is None or not {*moving.adding, *moving.removing} & set(each.replicas):
        return len(each.replicas)
    return len(moving.replicas) - len(moving.adding)


def _is_any(filters: Sequence[str], topic: str, each: PartitionDescription, facts: Facts) -> bool:
    """Return whether one of these filters shows the partition."""
    factor = _replication_factor(each, facts.move_of(topic, each))
    least = int(facts.settings[topic]["min.insync.replicas"].value or 0)
    found = {
        "under-replicated-partitions": factor > len(each.isr),
        "under-min-isr-partitions": each.leader is None or len(each.isr) < least,
        "at-min-isr-partitions": len(each.isr) == least,
        "unavailable-partitions": each.leader not in facts.live,
    }
    return any(found[name] for name in filters)


def read_topic_id(text: str | None) -> bytes | None:
    """Return the id, None for zeros. Raises ClientError in the words of Kafka's Uuid."""
    if text is None:
        return None
    if len(text) > ID_CHARACTERS_MAX:
        raise ClientError(
            f"Input string with prefix `{text[:ID_CHARACTERS_MAX]}` is too long to be decoded as a base64 "
            "UUID"
        )
    data = _decoded(text)
    if len(data) != ID_BYTES:
        raise ClientError(
            f"Input string `{text}` decoded as {len(data)} bytes, which is not equal to the expected "
            f"{ID_BYTES} bytes of a base64-encoded UUID"
        )
    return data if data != NO_ID else None


def _decoded(text: str) -> bytes:
    """Decode base64 as Java's URL decoder does, which accepts missing padding. Raises ClientError."""
    plain = text.rstrip("=")
    wrong = next((one for one in plain if not (one.isascii() and (one.isalnum() or one in "-_"))), None)
    if wrong is not None:
        raise ClientError(f"Illegal base64 character {ord(wrong):x}")
    if len(plain) % 4 == 1:
        raise ClientError("Last unit does not have enough valid bits")
    if plain != text and len(text) % 4:
        raise ClientError("Input byte array has wrong 4-byte ending unit")
    try:
        return base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4))
    except binascii.Error as error:
        raise ClientError(str(error)) from None
