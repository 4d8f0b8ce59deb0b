"""`tidemark topics`: kafka-topics, with the creation time of partitions (KIP-1327)."""

from __future__ import annotations

import sys
from typing import Any

from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import (
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    ConfigError,
    Unreachable,
)
from tidemark_tools.client.settings import client_settings
from tidemark_tools.options import (
    DONE,
    FAILED,
    KAFKA_RELEASE,
    OptionError,
    Parsed,
    UsageError,
    parse,
    usage_error,
)
from tidemark_tools.topic_filter import topic_filter
from tidemark_tools.topics.topic_options import NO_ARGUMENTS, OPTIONS, PURPOSE, NoAddress, check


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    try:
        parsed = parse(OPTIONS, arguments)
        if parsed.is_empty():
            raise UsageError(NO_ARGUMENTS)
        if parsed.has("help"):
            raise UsageError(PURPOSE)
        if parsed.has("version"):
            print(KAFKA_RELEASE)
            return DONE
        check(parsed)
        # Kafka's tool reads these two before it catches its errors.
        address, config = parsed.value("bootstrap-server") or "", parsed.value("command-config")
        return _run(parsed, address, config)
    except UsageError as error:
        return usage_error(str(error), OPTIONS)
    except (OptionError, NoAddress) as error:
        print(error, file=sys.stderr)
        return FAILED


def _run(parsed: Parsed, address: str, config: str | None) -> int:
    """Run the action. An error goes to stdout, as in Kafka's tool, but not that no broker responds."""
    try:
        with Client(address, settings=client_settings(config)) as client:
            _act(client, parsed)
        return DONE
    except (BadAddress, CannotConnect, CannotRead, ConfigError, Unreachable) as error:
        print(f"Error: {error}", file=sys.stderr)
    except (ClientError, OptionError) as error:
        print(f"Error while executing topic command : {error}")
    return FAILED


def _act(client: Client, parsed: Parsed) -> None:
    if parsed.has("list"):
        print("\n".join(_topics(client, parsed)))
    elif parsed.has("describe"):
        _describe(client, parsed)
    elif parsed.has("create"):
        from tidemark_tools.topics.changes import create

        create(client, parsed)
    elif parsed.has("alter"):
        _alter(client, parsed)
    else:
        _delete(client, parsed)


def _describe(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.client.topics import PARTITIONS_AT_ONCE, describe_topics
    from tidemark_tools.topics.descriptions import print_topics, read_topic_id

    wanted = read_topic_id(parsed.value("topic-id"))
    if wanted is not None:
        _describe_id(client, parsed, wanted)
        return
    names = _existing(client, parsed)
    limit = parsed.number("partition-size-limit-per-response") if names else None
    found = describe_topics(client, names, partitions_at_once=PARTITIONS_AT_ONCE if limit is None else limit)
    print_topics(client, parsed, found)


def _describe_id(client: Client, parsed: Parsed, topic_id: bytes) -> None:
    """Describe the topic with this id, if it is listed. Kafka's tool looks it up in the list first."""
    from tidemark_protocol.kafka_json import uuid_text
    from tidemark_tools.client.topics import describe_topic_id
    from tidemark_tools.topics.descriptions import print_topics

    if topic_id in [topic.topic_id for topic in _listed(client, parsed)]:
        topic = describe_topic_id(client, topic_id)
        print_topics(client, parsed, {topic.name: topic})
    elif not parsed.has("if-exists"):
        raise ClientError(f"TopicId '{uuid_text(topic_id)}' does not exist as expected")


def _alter(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.topics.changes import alter, replica_assignment

    count = parsed.number("partitions") or 0
    assignment = replica_assignment(parsed)
    names = _existing(client, parsed)
    if names:
        alter(client, names, count, assignment)


def _delete(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.client.topics import delete_topics

    names = _existing(client, parsed)
    if names:
        delete_topics(client, names)


def _existing(client: Client, parsed: Parsed) -> list[str]:
    """Return the topics that are named. Raises ClientError if none exists and --if-exists is missing."""
    names = _topics(client, parsed)
    wanted = parsed.value("topic")
    if wanted and not names and not parsed.has("if-exists"):
        raise ClientError(f"Topic '{wanted}' does not exist as expected")
    return names


def _topics(client: Client, parsed: Parsed) -> list[str]:
    """Return the topics that --topic matches, sorted; without it, all."""
    given = parsed.value("topic")
    names = sorted(topic.name for topic in _listed(client, parsed))
    if given is None:
        return names
    matches = topic_filter(given)
    return [name for name in names if matches(name)]


def _listed(client: Client, parsed: Parsed) -> list[Any]:
    """Return the cluster's topics, internal ones only without --exclude-internal."""
    topics = client.metadata().topics
    return [topic for topic in topics if not (topic.is_internal and parsed.has("exclude-internal"))]
