"""The options of `tidemark topics`, and the checks that need no broker."""

from __future__ import annotations

import sys
from typing import Final

from tidemark_tools.options import HELP, VERSION, Option, Parsed, UsageError, refuse, require

PURPOSE: Final = "This tool helps to create, delete, describe, or change a topic."
NO_ARGUMENTS: Final = "Create, delete, describe, or change a topic."
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
}

OPTIONS: Final = (
    Option("bootstrap-server", "REQUIRED: a broker of the cluster.", "server to connect to"),
    Option(
        "command-config", "A properties file with settings of the client.", "command config property file"
    ),
    Option("list", "List all topics."),
    Option("create", "Create a topic."),
    Option("delete", "Delete topics."),
    Option("alter", "Change the number of partitions. (kafka-configs changes the configuration of a topic.)"),
    Option("describe", "Show topics and their partitions."),
    Option(
        "topic",
        "The topic. For all but --create, a regular expression, in which a comma means 'or'.",
        "topic",
    ),
    Option("topic-id", "The id of the topic to describe.", "topic-id"),
    Option("config", "With --create: a configuration of the topic; repeatable.", "name=value"),
    Option("delete-config", "Not supported since Kafka 4.0.", "name"),
    Option(
        "partitions",
        "The number of partitions that the topic shall have. By default, --create uses the broker's default. "
        "A higher number changes the partition of most keys.",
        "# of partitions",
        "Integer",
    ),
    Option(
        "replication-factor",
        "With --create: the number of replicas of each partition. By default, the broker's default.",
        "replication factor",
        "Integer",
    ),
    Option(
        "replica-assignment",
        "The brokers of each partition, instead of an assignment by the controller.",
        "broker_id_for_part1_replica1 : broker_id_for_part1_replica2 , broker_id_for_part2_replica1 : "
        "broker_id_for_part2_replica2 , ...",
    ),
    Option("under-replicated-partitions", "With --describe: only partitions with replicas out of sync."),
    Option("unavailable-partitions", "With --describe: only partitions without a leader that is alive."),
    Option(
        "under-min-isr-partitions",
        "With --describe: only partitions with fewer replicas in sync than min.insync.replicas.",
    ),
    Option(
        "at-min-isr-partitions",
        "With --describe: only partitions with exactly min.insync.replicas replicas in sync.",
    ),
    Option(OVERRIDES, "With --describe: only topics with a configuration of their own."),
    Option("if-exists", "With --alter, --delete or --describe: do nothing if no such topic exists."),
    Option("if-not-exists", "With --create: do nothing if the topic exists."),
    Option("exclude-internal", "With --list or --describe: leave out internal topics."),
    Option(
        "partition-size-limit-per-response",
        "With --describe: the number of partitions in one response of the broker.",
        "maximum number of partitions per response",
        "Integer",
    ),
    HELP,
    VERSION,
)


class NoAddress(Exception):
    """`--bootstrap-server` is missing. Kafka's tool prints no table of options for it."""


def check(parsed: Parsed) -> None:
    """Check the command line itself, in the order of Kafka's tool. Raises UsageError or NoAddress."""
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
    _check_required(parsed)
    _check_allowed(parsed)


def _check_required(parsed: Parsed) -> None:
    if not parsed.has("bootstrap-server"):
        raise NoAddress("--bootstrap-server must be specified")
    if parsed.has("describe") and parsed.has("if-exists"):
        _check_described(parsed)
    if not (parsed.has("list") or parsed.has("describe")):
        require(parsed, "topic")
    if parsed.has("alter"):
        if parsed.has("config"):
            raise UsageError(
                'Option combination "[[bootstrap-server], [config]]" can\'t be used with option "[alter]" '
                "(To alter topic configurations, the kafka-configs tool can be used.)"
            )
        require(parsed, "partitions")


def _check_described(parsed: Parsed) -> None:
    if not (parsed.has("topic") or parsed.has("topic-id")):
        raise UsageError("--topic or --topic-id is required to describe a topic")
    if parsed.has("topic") and parsed.has("topic-id"):
        print(
            "Only topic id will be used when both --topic and --topic-id are specified and topicId is not "
            "Uuid.ZERO_UUID"
        )


def _check_allowed(parsed: Parsed) -> None:
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
