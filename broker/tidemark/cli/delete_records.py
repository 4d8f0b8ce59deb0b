"""`tidemark delete-records`: deletes records before an offset, as kafka-delete-records does."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from tidemark.cli.java import java_text, partitions_in_order
from tidemark.cli.options import (
    DONE,
    FAILED,
    HELP,
    VERSION,
    Option,
    OptionError,
    Parsed,
    UsageError,
    help_or_version,
    parse,
    require,
    usage_error,
)
from tidemark.client.addresses import TopicPartition
from tidemark.client.client import Client
from tidemark.client.errors import CannotRead, ClientError
from tidemark.client.record_deletion import Outcome, delete_records
from tidemark.client.settings import client_settings, read_text

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


class Wrong(Exception):
    """The file is wrong. The message is Kafka's where it has one."""


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code: 0 also if a broker refuses some partitions."""
    try:
        parsed = parse(OPTIONS, arguments)
        code = help_or_version(PURPOSE, OPTIONS, parsed)
        if code is not None:
            return code
        require(parsed, "bootstrap-server", "offset-json-file")
    except (UsageError, OptionError) as error:
        return usage_error(str(error), OPTIONS)
    try:
        _run(parsed)
    except CannotRead as error:
        print(f"Unable to read file {error.path}" if error.missing else error, file=sys.stderr)
        return FAILED
    except (ClientError, OptionError, Wrong) as error:
        print(error, file=sys.stderr)
        return FAILED
    return DONE


def _run(parsed: Parsed) -> None:
    settings = client_settings(parsed.value("command-config"))
    offsets = offsets_in(read_text(parsed.value("offset-json-file") or ""))
    with Client(parsed.value("bootstrap-server") or "", settings=settings) as client:
        print("Executing records delete operation", flush=True)
        results = delete_records(client, offsets) if offsets else {}
    print("Records delete operation completed:")
    for partition in partitions_in_order(results):
        print(f"partition: {partition}\t{_shown(results[partition])}")


def _shown(outcome: Outcome) -> str:
    return f"low_watermark: {outcome}" if isinstance(outcome, int) else f"error: {java_text(outcome)}"


def offsets_in(text: str) -> dict[TopicPartition, int]:
    """Return the offset of each partition in the file. Raises Wrong."""
    try:
        content = json.loads(text)
    except ValueError:
        raise Wrong("The input string is not a valid JSON") from None
    version = content.get("version", NEWEST_FORMAT) if isinstance(content, dict) else NEWEST_FORMAT
    if version != NEWEST_FORMAT:
        raise Wrong(f"Not supported version field value {version}")
    if not isinstance(content, dict) or not isinstance(content.get("partitions"), list):
        raise Wrong("Missing partitions field")
    found: dict[TopicPartition, int] = {}
    twice: dict[TopicPartition, None] = {}
    for given in content["partitions"]:
        partition, offset = _partition(given)
        if partition in found:
            twice[partition] = None
        found[partition] = offset
    if twice:
        names = ",".join(map(str, twice))
        raise Wrong(f"Offset json file contains duplicate topic partitions: {names}")
    return found


def _partition(given: Any) -> tuple[TopicPartition, int]:
    fields = given if isinstance(given, dict) else {}
    topic, partition, offset = (fields.get(name) for name in ("topic", "partition", "offset"))
    if not (isinstance(topic, str) and type(partition) is int and type(offset) is int):
        raise Wrong(f"A partition must have a topic, a partition and an offset, got {json.dumps(given)}")
    return TopicPartition(topic, partition), offset
