"""`tidemark groups`: kafka-groups (KIP-1043), which lists groups of every type."""

from __future__ import annotations

from typing import Any, Final

from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import (
    COORDINATOR_NOT_THERE,
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    Failed,
    Unreachable,
    check_results,
)
from tidemark_tools.java import padded, width
from tidemark_tools.json_output import errors_to, print_json
from tidemark_tools.options import FAILED, JoptTool, Parsed, UsageError, connect, refuse, run, table

TYPES: Final = ("classic", "consumer", "share", "streams")
COLUMN_WIDTH: Final = 20
OPTIONS: Final = table("""
    * bootstrap-server <server to connect to>  REQUIRED: a broker of the cluster.
    command-config <config file>  A properties file with settings of the client.
    list  List the groups.
    group-type <type>  Only groups of this type: classic, consumer, share or streams.
    protocol <protocol>  Only groups of this protocol type.
    consumer  Only consumer groups: type consumer, or classic with the protocol consumer or none.
    share  Only share groups.
    streams  Only streams groups.
    json  Print JSON (tidemark's own).
""")


def _check(parsed: Parsed) -> None:
    if not parsed.has("list"):
        raise UsageError("Command must include exactly one action: --list.")
    refuse(parsed, "consumer", "group-type", "protocol", "share", "streams")
    refuse(parsed, "share", "consumer", "group-type", "protocol", "streams")
    refuse(parsed, "streams", "consumer", "group-type", "protocol", "share")


TOOL: Final = JoptTool("This tool helps to list groups of all types.", OPTIONS, _check)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> int | None:
    kind = parsed.value("group-type")
    if kind is not None and kind.lower() not in TYPES:
        raise Failed("--group-type must be a valid group type.")
    try:
        with connect(parsed) as client:
            groups = [group for group in all_groups(client) if _wanted(parsed, group)]
    except (BadAddress, CannotConnect, Unreachable) as error:
        raise Failed(f"Error: {error}") from None
    except CannotRead:
        raise
    except ClientError as error:
        print(f"Error while executing groups command : {error}", file=errors_to(parsed))
        return FAILED
    rows = [(group.group_id, group.group_type, group.protocol_type) for group in groups]
    if parsed.has("json"):
        names = ("group", "type", "protocol_type")
        print_json(dict(zip(names, row, strict=True)) for row in rows)
        return None
    lines = [("GROUP", "TYPE", "PROTOCOL"), *rows]
    wide = width(COLUMN_WIDTH, (cell for row in lines for cell in row))
    for row in lines:
        end = "" if row is lines[0] else " "  # Kafka's rows have one more blank than its header
        print(" ".join(padded(cell, wide) for cell in row) + end)
    return None


def all_groups(client: Client) -> list[Any]:
    """Return every ListedGroup of every broker. Without a type, as from old brokers, it is Classic."""
    from tidemark_protocol.messages.list_groups import ListGroupsRequest

    found: list[Any] = []
    for node in client.nodes():
        response = client.call_until(
            ListGroupsRequest(), node, lambda response: response.error_code not in COORDINATOR_NOT_THERE
        )
        check_results([response])
        found += response.groups
    for group in found:
        group.group_type = group.group_type.capitalize() or "Classic"  # Java prints its enum
    return found


def _wanted(parsed: Parsed, group: Any) -> bool:
    kind = group.group_type.lower()
    if parsed.has("consumer"):
        return kind == "consumer" or (kind == "classic" and group.protocol_type in ("consumer", ""))
    for name in ("share", "streams"):
        if parsed.has(name):
            return bool(kind == name)
    requested, protocol = parsed.value("group-type"), parsed.value("protocol")
    return (requested is None or kind == requested.lower()) and (
        protocol is None or group.protocol_type == protocol
    )
