"""`tidemark log-dirs`: the size of partitions on the disks of brokers, as kafka-log-dirs prints it."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import ErrorResponse, Failed, error_code
from tidemark_tools.java import error_class, partitions_in_order
from tidemark_tools.json_output import print_json
from tidemark_tools.options import JoptTool, Parsed, connect, require, run, table

TOOL: Final = JoptTool(
    "This tool helps to query log directory usage on the specified brokers.",
    table("""
    bootstrap-server <The server(s) to use for bootstrapping>  REQUIRED: brokers to connect to.
    command-config <Admin client property file>  A properties file with settings of the client.
    describe  Describe the log directories.
    topic-list <Topic list>  Only these topics, separated by commas. (default: )
    broker-list <Broker list>  Only these brokers: ids, separated by commas. (default: )
    json  Print only JSON, with the sizes of the file systems (tidemark's own).
"""),
    lambda parsed: require(parsed, "bootstrap-server", "describe"),
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _describe)


def _describe(parsed: Parsed) -> None:
    topics = _listed(parsed.text("topic-list"))
    with connect(parsed) as client:
        brokers = {node.node_id: node for node in client.nodes()}
        wanted = [_number(text) for text in _listed(parsed.text("broker-list"))] or list(brokers)
        unknown = [str(each) for each in dict.fromkeys(wanted) if each not in brokers]
        if unknown:
            raise Failed(
                f"ERROR: The given brokers do not exist from --broker-list: {','.join(unknown)}. "
                f"Current existent brokers: {','.join(map(str, brokers))}"
            )
        if parsed.has("json"):
            print_json(
                {"broker": each, **_row(result, topics)}
                for each in dict.fromkeys(wanted)
                for result in _results(client, brokers[each])
            )
            return
        print("Querying brokers for log directories information")
        found = {each: log_dirs(client, brokers[each], topics) for each in dict.fromkeys(wanted)}
    print(f"Received log directory information from brokers {','.join(map(str, found))}")
    listed = [{"broker": broker, "logDirs": dirs} for broker, dirs in found.items()]
    print(json.dumps({"brokers": listed, "version": 1}, separators=(",", ":")))


def log_dirs(client: Client, broker: BrokerEndpoint, topics: Collection[str]) -> list[dict[str, Any]]:
    """Return the log directories of a broker, as Kafka's tool prints them. No topics: all."""
    return [_log_dir(result, topics) for result in _results(client, broker)]


def _results(client: Client, broker: BrokerEndpoint) -> list[Any]:
    from tidemark_protocol.messages.describe_log_dirs import DescribeLogDirsRequest

    response = client.call(DescribeLogDirsRequest(topics=None), broker)
    if response.error_code:
        raise ErrorResponse(response.error_code)
    return list(response.results)


def _row(result: Any, topics: Collection[str]) -> dict[str, Any]:
    """Return a log directory for --json. A size is None if the broker does not return it (KIP-827)."""
    return {
        "log_dir": result.log_dir,
        "error": error_code(result.error_code).name if result.error_code else None,
        "total_bytes": result.total_bytes if result.total_bytes >= 0 else None,
        "usable_bytes": result.usable_bytes if result.usable_bytes >= 0 else None,
        "partitions": [
            {
                "topic": topic.name,
                "partition": each.partition_index,
                "size_bytes": each.partition_size,
                "offset_lag": each.offset_lag,
                "future": each.is_future_key,
            }
            for topic in sorted(result.topics, key=lambda topic: topic.name)
            if not topics or topic.name in topics
            for each in sorted(topic.partitions, key=lambda each: each.partition_index)
        ],
    }


def _log_dir(result: Any, topics: Collection[str]) -> dict[str, Any]:
    code = error_code(result.error_code)
    partitions = {
        TopicPartition(topic.name, partition.partition_index): partition
        for topic in result.topics
        if not topics or topic.name in topics
        for partition in topic.partitions
    }
    return {
        "partitions": [
            {
                "partition": str(where),
                "size": partitions[where].partition_size,
                "offsetLag": partitions[where].offset_lag,
                "isFuture": partitions[where].is_future_key,
            }
            for where in partitions_in_order(partitions)
        ],
        "error": None if code == ErrorCode.NONE else error_class(code),
        "logDir": result.log_dir,
    }


def _listed(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _number(text: str) -> int:
    if not text.isascii() or not text.lstrip("-").isdecimal():
        raise Failed(f'For input string: "{text}"')
    return int(text)
