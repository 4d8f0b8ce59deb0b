"""`tidemark delete-records`: deletes records before an offset, as kafka-delete-records does."""

from __future__ import annotations

import json
from typing import Any, Final

from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import CannotRead, ClientError
from tidemark_tools.client.record_deletion import Outcome, delete_records
from tidemark_tools.client.settings import client_settings, read_text
from tidemark_tools.java import java_text, partitions_in_order
from tidemark_tools.options import HELP, VERSION, CommandLine, Failed, Option, Parsed, require, run

PURPOSE: Final = "This tool helps to delete records of the given partitions down to the specified offset."
FORMAT: Final = (
    "REQUIRED: a JSON file with the offset before which records are deleted, for each partition; -1 deletes "
    'all: {"partitions": [{"topic": "foo", "partition": 1, "offset": 1}], "version": 1}'
)
OPTIONS: Final = (
    HELP,
    VERSION,
    Option("bootstrap-server", "REQUIRED: brokers to connect to.", "server(s) to use for bootstrapping"),
    Option("offset-json-file", FORMAT, "Offset json file path"),
    Option(
        "command-config",
        "A properties file with settings of the client.",
        "command config property file path",
    ),
)
NEWEST_FORMAT: Final = 1


def _check(parsed: Parsed) -> None:
    require(parsed, "bootstrap-server", "offset-json-file")


LINE: Final = CommandLine(PURPOSE, OPTIONS, _check)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code: 0 also if a broker refuses some partitions."""
    return run(LINE, arguments, _delete, ClientError)


def _delete(parsed: Parsed) -> None:
    try:
        settings = client_settings(parsed.value("command-config"))
        offsets = offsets_in(read_text(parsed.value("offset-json-file") or ""))
    except CannotRead as error:
        if error.missing:
            raise Failed(f"Unable to read file {error.path}") from None
        raise
    with Client(parsed.value("bootstrap-server") or "", settings=settings) as client:
        print("Executing records delete operation", flush=True)
        results = delete_records(client, offsets) if offsets else {}
    print("Records delete operation completed:")
    for partition in partitions_in_order(results):
        print(f"partition: {partition}\t{_shown(results[partition])}")


def _shown(outcome: Outcome) -> str:
    return f"low_watermark: {outcome}" if isinstance(outcome, int) else f"error: {java_text(outcome)}"


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
