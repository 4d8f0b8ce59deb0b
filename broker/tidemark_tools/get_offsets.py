"""`tidemark get-offsets`: the offsets of partitions at a time, as kafka-get-offsets prints them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import java_integer
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.errors import Failed, error_code
from tidemark_tools.options import (
    JoptTool,
    Parsed,
    check_bootstrap,
    comma_separated,
    connect,
    require,
    run,
    table,
    topic_filter,
)

OPTIONS: Final = table("""
    bootstrap-server <HOST1:PORT1,...,HOST3:PORT3>  REQUIRED: brokers to connect to.
    topic-partitions <topic1:1,topic2:0-3,topic3,topic4:5-,topic5:-3>  Patterns of partitions, separated by
        commas: a regular expression for the topic (none: all topics), then, after a colon, a partition, a
        range (the end excluded), 'from-' or '-to'.
    topic <topic>  A regular expression for topics. Not with --topic-partitions.
    partitions <partition ids>  Ids, separated by commas. Not with --topic-partitions.
    time <<timestamp> / -1 or latest / -2 or earliest / -3 or max-timestamp / -4 or earliest-local / -5 or
        latest-tiered / -6 or earliest-pending-upload>  Offsets as of this time. A partition without records
        at or after it has no line. (default: latest)
    command-config <config file>  A properties file with settings of the client.
    exclude-internal-topics  Leave out internal topics such as __consumer_offsets.
    json  Print JSON (tidemark's own).
""")
TIMES: Final = {
    "latest": -1,
    "earliest": -2,
    "max-timestamp": -3,
    "earliest-local": -4,
    "latest-tiered": -5,
    "earliest-pending-upload": -6,
}
NO_OFFSET: Final = -1  # the result for a partition without records at or after that time
PATTERN: Final = re.compile(r"([^:,]*)(?::(?:([0-9]*)|(?:([0-9]*)-([0-9]*))))?")

Wanted = Callable[[str, int], bool]


def _check(parsed: Parsed) -> None:
    require(parsed, "bootstrap-server")
    check_bootstrap(parsed.text("bootstrap-server"))


TOOL: Final = JoptTool(
    "An interactive shell for getting topic-partition offsets.", OPTIONS, _check, quiet=True
)


def main(arguments: list[str]) -> int:
    return run(
        TOOL,
        arguments,
        lambda parsed: _print(parsed, _offsets(parsed)),
        lambda error: print(f"Error occurred: {error}", file=sys.stderr),
    )


def _print(parsed: Parsed, offsets: dict[TopicPartition, int]) -> None:
    if parsed.has("json"):
        from tidemark_tools.json_output import print_json

        print_json(
            {"topic": partition.topic, "partition": partition.partition, "offset": at}
            for partition, at in offsets.items()
        )
        return
    for partition, offset in offsets.items():
        print(f"{partition.topic}:{partition.partition}:{offset}")


def _offsets(parsed: Parsed) -> dict[TopicPartition, int]:
    """Return the offsets, ordered by partition name: 10 before 2."""
    if parsed.has("topic-partitions") and (parsed.has("topic") or parsed.has("partitions")):
        raise Failed("--topic-partitions cannot be used with --topic or --partitions")
    at = time_of(parsed.text("time"))
    wanted = _wanted(parsed)
    with connect(parsed, {"client.id": "GetOffsetShell"}) as client:
        partitions = _matching(client, wanted, with_internal=not parsed.has("exclude-internal-topics"))
        if not partitions:
            raise Failed("Could not match any topic-partitions with the specified filters")
        found = client.list_offsets(dict.fromkeys(partitions, at))
    return {
        partition: found[partition].offset
        for partition in sorted(partitions, key=str)
        if _has_offset(partition, found[partition]) and found[partition].offset != NO_OFFSET
    }


def _has_offset(partition: TopicPartition, listed: Any) -> bool:
    """Return whether the partition has no error; print an error on stderr."""
    if listed.error_code == ErrorCode.NONE:
        return True
    text = error_code(listed.error_code).text
    print(f"Skip getting offsets for topic-partition {partition} due to error: {text}", file=sys.stderr)
    return False


def _matching(client: Client, wanted: Wanted, *, with_internal: bool) -> list[TopicPartition]:
    response = client.metadata()
    return [
        TopicPartition(topic.name, partition.partition_index)
        for topic in response.topics
        if topic.error_code == ErrorCode.NONE and (with_internal or not topic.is_internal)
        for partition in topic.partitions
        if wanted(topic.name, partition.partition_index)
    ]


def time_of(text: str) -> int:
    """Return the timestamp for ListOffsets. Raises Failed."""
    if text in TIMES:
        return TIMES[text]
    timestamp = java_integer(text, 64)
    if timestamp is None:
        raise Failed(
            f"Malformed time argument {text}. Please use -1 or latest / -2 or earliest / -3 or max-timestamp "
            "/ -4 or earliest-local / -5 or latest-tiered / -6 or earliest-pending-upload, or a specified "
            "long format timestamp"
        )
    return timestamp


def _wanted(parsed: Parsed) -> Wanted:
    rules = parsed.value("topic-partitions")
    if rules is not None:
        wanted = [_rule(rule) for rule in comma_separated(rules)]
        return lambda name, partition: any(rule(name, partition) for rule in wanted)
    topic = topic_filter(parsed.text("topic") or ".*")
    partitions = _partitions(parsed.text("partitions"))
    return lambda name, partition: topic(name) and (not partitions or partition in partitions)


def _rule(text: str) -> Wanted:
    matched = PATTERN.fullmatch(text)
    if matched is None:
        raise Failed(f"Invalid rule specification: {text}")
    name, one, low, high = matched.groups()
    topic = topic_filter(name or ".*")
    span = range(int(one), int(one) + 1) if one else range(int(low or 0), int(high or 2**31 - 1))
    return lambda name, partition: topic(name) and partition in span


def _partitions(text: str) -> set[int]:
    """Return the partitions that were given, an empty set for none. Raises Failed."""
    parts = comma_separated(text) if text else []
    if any(not re.fullmatch(r"[+-]?[0-9]+", part) for part in parts):
        raise Failed(
            f"--partitions expects a comma separated list of numeric partition ids, but received: {text}"
        )
    return {int(part) for part in parts}
