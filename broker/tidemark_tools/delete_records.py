"""`tidemark delete-records`: deletes records before an offset, as kafka-delete-records does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client, TopicPartition, client_settings, read_text
from tidemark_tools.client.errors import LEADER_NOT_THERE, CannotRead, ErrorResponse, Failed
from tidemark_tools.java import java_text, partitions_in_order
from tidemark_tools.options import JoptTool, Parsed, require, run, table

TOOL: Final = JoptTool(
    "This tool helps to delete records of the given partitions down to the specified offset.",
    table("""
    bootstrap-server <server(s) to use for bootstrapping>  REQUIRED: brokers to connect to.
    offset-json-file <Offset json file path>  REQUIRED: a JSON file with the offset before which records are
        deleted, for each partition; -1 deletes all: {"partitions": [{"topic": "foo", "partition": 1,
        "offset": 1}], "version": 1}
    command-config <command config property file path>  A properties file with settings of the client.
"""),
    lambda parsed: require(parsed, "bootstrap-server", "offset-json-file"),
)
NEWEST_FORMAT: Final = 1
TIMEOUT_MS: Final = 30_000  # within which the broker must have deleted the records


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code: 0 also if a broker refuses some partitions."""
    return run(TOOL, arguments, _delete)


def _delete(parsed: Parsed) -> None:
    try:
        settings = client_settings(parsed.value("command-config"))
        offsets = offsets_in(read_text(parsed.text("offset-json-file")))
    except CannotRead as error:
        if error.missing:
            raise Failed(f"Unable to read file {error.path}") from None
        raise
    with Client(parsed.text("bootstrap-server"), settings=settings) as client:
        print("Executing records delete operation", flush=True)
        results = delete_records(client, offsets)
    print("Records delete operation completed:")
    for partition in partitions_in_order(results):
        result = results[partition]
        if result.error_code:
            shown = f"error: {java_text(ErrorResponse(result.error_code))}"
        else:
            shown = f"low_watermark: {result.low_watermark}"
        print(f"partition: {partition}\t{shown}")


def delete_records(client: Client, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, Any]:
    """Delete the records of each partition before this offset; -1 deletes all. Return the results.

    Waits for a partition that does not exist or has no leader, until the timeout of the client.
    """
    from tidemark_protocol.messages import delete_records as api

    def request(topics: dict[str, list[TopicPartition]]) -> Any:
        wanted = [
            api.DeleteRecordsTopic(
                name, [api.DeleteRecordsPartition(each.partition, offsets[each]) for each in some]
            )
            for name, some in topics.items()
        ]
        return api.DeleteRecordsRequest(topics=wanted, timeout_ms=TIMEOUT_MS)

    return client.call_leaders(
        offsets, request, again=LEADER_NOT_THERE | {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    )


def offsets_in(text: str) -> dict[TopicPartition, int]:
    """Return the offset of each partition in the file. Raises Failed."""
    try:
        content = json.loads(text)
    except ValueError:
        raise Failed("The input string is not a valid JSON") from None
    version = content.get("version", NEWEST_FORMAT) if isinstance(content, dict) else NEWEST_FORMAT
    if version != NEWEST_FORMAT:
        raise Failed(f"Not supported version field value {version}")
    if not isinstance(content, dict) or not isinstance(content.get("partitions"), list):
        raise Failed("Missing partitions field")
    found: dict[TopicPartition, int] = {}
    twice: dict[TopicPartition, None] = {}
    for given in content["partitions"]:
        partition, offset = _partition(given)
        if partition in found:
            twice[partition] = None
        found[partition] = offset
    if twice:
        names = ",".join(map(str, twice))
        raise Failed(f"Offset json file contains duplicate topic partitions: {names}")
    return found


def _partition(given: Any) -> tuple[TopicPartition, int]:
    fields = given if isinstance(given, dict) else {}
    topic, partition, offset = (fields.get(name) for name in ("topic", "partition", "offset"))
    if not (isinstance(topic, str) and type(partition) is int and type(offset) is int):
        raise Failed(f"A partition must have a topic, a partition and an offset, got {json.dumps(given)}")
    return TopicPartition(topic, partition), offset
