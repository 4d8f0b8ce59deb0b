"""`--create` and `--alter`: Kafka's checks of the new topic or partitions, and the requests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ClientError, ErrorResponse
from tidemark_tools.client.topics import NewTopic, create_partitions, create_topic, describe_topics
from tidemark_tools.options import Parsed, comma_separated

REPLICATION_FACTOR_MAX: Final = 32_767
COLLISIONS: Final = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could "
    "collide. To avoid issues it is best to use either, but not both."
)
_INT: Final = re.compile(r"[+-]?\d{1,10}", re.ASCII)


def create(client: Client, parsed: Parsed) -> None:
    """Create the topic and say so. Raises ClientError."""
    topic = _new_topic(parsed)
    if "." in topic.name or "_" in topic.name:
        print(COLLISIONS)
    factor, partitions = parsed.number("replication-factor"), parsed.number("partitions")
    if factor is not None and not 1 <= factor <= REPLICATION_FACTOR_MAX:
        raise ClientError(f"The replication factor must be between 1 and {REPLICATION_FACTOR_MAX} inclusive")
    if partitions is not None and partitions < 1:
        raise ClientError("The partitions must be greater than 0")
    try:
        create_topic(client, topic)
    except ErrorResponse as error:
        if error.code == ErrorCode.TOPIC_ALREADY_EXISTS and parsed.has("if-not-exists"):
            return
        raise
    print(f"Created topic {topic.name}.")


def _new_topic(parsed: Parsed) -> NewTopic:
    partitions, factor = parsed.number("partitions"), parsed.number("replication-factor")
    return NewTopic(
        parsed.value("topic") or "",
        -1 if partitions is None else partitions,
        -1 if factor is None else factor,
        replica_assignment(parsed),
        _settings(parsed.values("config")),
    )


def _settings(given: Iterable[str]) -> dict[str, str]:
    """Return the values of --config by name. Raises ClientError."""
    settings: dict[str, str] = {}
    for one in given:
        parts = re.split(r"\s*=\s*", re.sub(r"[\s=]+$", "", one))
        if len(parts) != 2:
            raise ClientError(
                "requirement failed: Invalid topic config: all configs to be added must be in the format "
                '"key=val".'
            )
        settings[parts[0].strip()] = parts[1]
    return settings


def replica_assignment(parsed: Parsed) -> list[list[int]]:
    """Return the brokers of each partition that --replica-assignment names. Raises ClientError."""
    given = parsed.value("replica-assignment")
    partitions: list[list[int]] = []
    for place, text in enumerate(comma_separated(given) if given else ()):
        brokers = [_broker(one) for one in text.split(":")]
        twice = [broker for broker, count in Counter(brokers).items() if count > 1]
        if twice:
            raise ClientError(
                "Partition replica lists may not contain duplicate entries: " + ",".join(map(str, twice))
            )
        partitions.append(brokers)
        if len(brokers) != len(partitions[0]):
            raise ClientError(f"Partition {place} has different replication factor: {brokers}")
    return partitions


def _broker(text: str) -> int:
    trimmed = text.strip()
    if not _INT.fullmatch(trimmed) or not -(2**31) <= int(trimmed) < 2**31:
        raise ClientError(f'For input string: "{trimmed}"')
    return int(trimmed)


def alter(client: Client, names: Sequence[str], count: int, replicas: Sequence[list[int]]) -> None:
    """Raise the number of partitions. replicas: the brokers of all partitions, the existing ones included.

    Raises ClientError.
    """
    existing = describe_topics(client, names) if replicas else {}
    assigned = {name: replicas[len(topic.partitions) :] for name, topic in existing.items()}
    create_partitions(client, dict.fromkeys(names, count), assigned)
