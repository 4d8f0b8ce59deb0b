"""`tidemark topics`: kafka-topics, with the creation time of partitions (KIP-1327)."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.kafka_json import uuid_text
from tidemark_tools.client.client import Client, client_settings
from tidemark_tools.client.errors import (
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    ConfigError,
    ErrorResponse,
    Failed,
    Unreachable,
)
from tidemark_tools.client.topics import (
    PARTITIONS_AT_ONCE,
    NewTopic,
    create_partitions,
    create_topic,
    delete_topics,
    describe_topic_id,
    describe_topics,
)
from tidemark_tools.json_output import errors_to, print_json
from tidemark_tools.options import (
    FAILED,
    JoptTool,
    OptionError,
    Parsed,
    UsageError,
    comma_separated,
    refuse,
    require,
    run,
    table,
    topic_filter,
)

ACTIONS: Final = ("list", "describe", "create", "alter", "delete")
# The options that choose partitions of `--describe`, in the order of Kafka's checks.
FILTERS: Final = (
    "under-replicated-partitions", "under-min-isr-partitions", "at-min-isr-partitions",
    "unavailable-partitions",
)  # fmt: skip
OVERRIDES: Final = "topics-with-overrides"
# The actions with which an option is allowed, in the order of Kafka's checks.
ALLOWED: Final = {
    "config": ("alter", "create"),
    "partitions": ("alter", "create"),
    "replication-factor": ("create",),
    "replica-assignment": ("alter", "create"),
}
ALLOWED_LATER: Final = {
    OVERRIDES: ("describe",),
    "if-exists": ("alter", "delete", "describe"),
    "if-not-exists": ("create",),
    "exclude-internal": ("list", "describe"),
    "json": ("list", "describe"),
}
REPLICATION_FACTOR_MAX: Final = 32_767
COLLISIONS: Final = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could "
    "collide. To avoid issues it is best to use either, but not both."
)
_INT: Final = re.compile(r"[+-]?\d{1,10}", re.ASCII)
OPTIONS: Final = table("""
    bootstrap-server <server to connect to>  REQUIRED: a broker of the cluster.
    command-config <command config property file>  A properties file with settings of the client.
    list  List all topics.
    create  Create a topic.
    delete  Delete topics.
    alter  Change the number of partitions. (kafka-configs changes the configuration of a topic.)
    describe  Show topics and their partitions.
    topic <topic>  The topic. For all but --create, a regular expression, in which a comma means 'or'.
    topic-id <topic-id>  The id of the topic to describe.
    config <name=value>  With --create: a configuration of the topic; repeatable.
    delete-config <name>  Not supported since Kafka 4.0.
    partitions <Integer: # of partitions>  The number of partitions that the topic shall have. By default,
        --create uses the broker's default. A higher number changes the partition of most keys.
    replication-factor <Integer: replication factor>  With --create: the number of replicas of each partition.
        By default, the broker's default.
    replica-assignment <broker_id_for_part1_replica1 : broker_id_for_part1_replica2 ,
        broker_id_for_part2_replica1 : broker_id_for_part2_replica2 , ...>  The brokers of each partition,
        instead of an assignment by the controller.
    under-replicated-partitions  With --describe: only partitions with replicas out of sync.
    unavailable-partitions  With --describe: only partitions without a leader that is alive.
    under-min-isr-partitions  With --describe: only partitions with fewer replicas in sync than
        min.insync.replicas.
    at-min-isr-partitions  With --describe: only partitions with exactly min.insync.replicas replicas in sync.
    topics-with-overrides  With --describe: only topics with a configuration of their own.
    if-exists  With --alter, --delete or --describe: do nothing if no such topic exists.
    if-not-exists  With --create: do nothing if the topic exists.
    exclude-internal  With --list or --describe: leave out internal topics.
    json  With --list or --describe: print JSON (tidemark's own).
    partition-size-limit-per-response <Integer: maximum number of partitions per response>  With --describe:
        the number of partitions in one response of the broker.
""")


def _check(parsed: Parsed) -> None:
    """Check the command line itself, in the order of Kafka's tool. Raises UsageError or Failed."""
    if sum(map(parsed.has, ACTIONS)) != 1:
        raise UsageError(
            "Command must include exactly one action: --list, --describe, --create, --alter or --delete"
        )
    if parsed.has("delete-config"):
        print(
            "delete-config option is no longer supported and deprecated since version 4.0. The config "
            "will be fully removed in future releases.",
            file=sys.stderr,
        )
    if not parsed.has("bootstrap-server"):
        raise Failed("--bootstrap-server must be specified")  # without the table of options
    if parsed.has("describe") and parsed.has("if-exists"):
        if not (parsed.has("topic") or parsed.has("topic-id")):
            raise UsageError("--topic or --topic-id is required to describe a topic")
        if parsed.has("topic") and parsed.has("topic-id"):
            print(
                "Only topic id will be used when both --topic and --topic-id are specified and topicId is "
                "not Uuid.ZERO_UUID"
            )
    if not (parsed.has("list") or parsed.has("describe")):
        require(parsed, "topic")
    if parsed.has("alter"):
        if parsed.has("config"):
            raise UsageError(
                'Option combination "[[bootstrap-server], [config]]" can\'t be used with option "[alter]" '
                "(To alter topic configurations, the kafka-configs tool can be used.)"
            )
        require(parsed, "partitions")
    _refuse_other_actions(parsed, ALLOWED)
    if parsed.has("create"):
        refuse(parsed, "replica-assignment", "partitions", "replication-factor")
    for name in FILTERS:
        _refuse_other_actions(parsed, {name: ("describe",)})
        refuse(parsed, name, OVERRIDES)
    _refuse_other_actions(parsed, ALLOWED_LATER)


def _refuse_other_actions(parsed: Parsed, allowed: dict[str, tuple[str, ...]]) -> None:
    for name, actions in allowed.items():
        refuse(parsed, name, *(action for action in ACTIONS if action not in actions))


TOOL: Final = JoptTool(
    "This tool helps to create, delete, describe, or change a topic.",
    OPTIONS,
    _check,
    quiet=True,
    no_arguments="Create, delete, describe, or change a topic.",
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> int | None:
    """Run the action. An error goes to stdout, as in Kafka's tool, but not that no broker responds."""
    # Kafka's tool reads these two before it catches its errors.
    address, config = parsed.text("bootstrap-server"), parsed.value("command-config")
    try:
        with Client(address, settings=client_settings(config)) as client:
            _act(client, parsed)
    except (BadAddress, CannotConnect, CannotRead, ConfigError, Unreachable) as error:
        raise Failed(f"Error: {error}") from None
    except (ClientError, OptionError) as error:
        print(f"Error while executing topic command : {error}", file=errors_to(parsed))
        return FAILED
    return None


def _act(client: Client, parsed: Parsed) -> None:
    if parsed.has("list"):
        _list(client, parsed)
    elif parsed.has("describe"):
        _describe(client, parsed)
    elif parsed.has("create"):
        _create(client, parsed)
    elif parsed.has("alter"):
        _alter(client, parsed)
    elif names := _existing(client, parsed):
        delete_topics(client, names)


def _list(client: Client, parsed: Parsed) -> None:
    topics = _topics(client, parsed)
    if parsed.has("json"):
        print_json(topic_row(each.name, each.topic_id, internal=each.is_internal) for each in topics)
    else:
        print("\n".join(each.name for each in topics))


def topic_row(name: str, topic_id: bytes, *, internal: bool) -> dict[str, Any]:
    """Return what --list and --describe print as JSON. A topic_id of zeros: the broker has no topic ids."""
    return {"topic": name, "topic_id": uuid_text(topic_id) if any(topic_id) else None, "internal": internal}


def _describe(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.topic_descriptions import print_topics, read_topic_id

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
    from tidemark_tools.topic_descriptions import print_topics

    if topic_id in [topic.topic_id for topic in _listed(client, parsed)]:
        topic = describe_topic_id(client, topic_id)
        print_topics(client, parsed, {topic.name: topic})
    elif parsed.has("if-exists"):
        print_topics(client, parsed, {})
    else:
        raise ClientError(f"TopicId '{uuid_text(topic_id)}' does not exist as expected")


def _alter(client: Client, parsed: Parsed) -> None:
    count = parsed.number("partitions") or 0
    replicas = _replica_assignment(parsed)  # of all partitions, the existing ones included
    names = _existing(client, parsed)
    if names:
        existing = describe_topics(client, names) if replicas else {}
        assigned = {name: replicas[len(topic.partitions) :] for name, topic in existing.items()}
        create_partitions(client, dict.fromkeys(names, count), assigned)


def _existing(client: Client, parsed: Parsed) -> list[str]:
    """Return the topics that are named. Raises ClientError if none exists and --if-exists is missing."""
    names = [topic.name for topic in _topics(client, parsed)]
    wanted = parsed.value("topic")
    if wanted and not names and not parsed.has("if-exists"):
        raise ClientError(f"Topic '{wanted}' does not exist as expected")
    return names


def _topics(client: Client, parsed: Parsed) -> list[Any]:
    """Return the topics that --topic matches, by name; without it, all."""
    given = parsed.value("topic")
    topics = sorted(_listed(client, parsed), key=lambda topic: topic.name)
    if given is None:
        return topics
    matches = topic_filter(given)
    return [topic for topic in topics if matches(topic.name)]


def _listed(client: Client, parsed: Parsed) -> list[Any]:
    """Return the cluster's topics, internal ones only without --exclude-internal."""
    topics = client.metadata().topics
    return [topic for topic in topics if not (topic.is_internal and parsed.has("exclude-internal"))]


def _create(client: Client, parsed: Parsed) -> None:
    """Create the topic and say so. Raises ClientError."""
    partitions, factor = parsed.number("partitions"), parsed.number("replication-factor")
    topic = NewTopic(
        parsed.text("topic"),
        -1 if partitions is None else partitions,
        -1 if factor is None else factor,
        _replica_assignment(parsed),
        _settings(parsed.values("config")),
    )
    if "." in topic.name or "_" in topic.name:
        print(COLLISIONS)
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


def _replica_assignment(parsed: Parsed) -> list[list[int]]:
    """Return the brokers of each partition that --replica-assignment names. Raises ClientError."""
    given = parsed.value("replica-assignment")
    partitions: list[list[int]] = []
    for place, text in enumerate(comma_separated(given) if given else ()):
        brokers = []
        for one in map(str.strip, text.split(":")):
            if not _INT.fullmatch(one) or not -(2**31) <= int(one) < 2**31:
                raise ClientError(f'For input string: "{one}"')
            brokers.append(int(one))
        twice = [broker for broker, count in Counter(brokers).items() if count > 1]
        if twice:
            raise ClientError(
                "Partition replica lists may not contain duplicate entries: " + ",".join(map(str, twice))
            )
        partitions.append(brokers)
        if len(brokers) != len(partitions[0]):
            raise ClientError(f"Partition {place} has different replication factor: {brokers}")
    return partitions
