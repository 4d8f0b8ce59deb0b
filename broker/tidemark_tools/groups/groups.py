"""`tidemark groups`: kafka-groups (KIP-1043), which lists groups of every type."""

from __future__ import annotations

import sys
from typing import Any, Final

from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import (
    COORDINATOR_NOT_THERE,
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    ErrorResponse,
    Unreachable,
)
from tidemark_tools.client.settings import client_settings
from tidemark_tools.columns import padded, width
from tidemark_tools.options import FAILED, HELP, VERSION, CommandLine, Option, Parsed, UsageError, refuse, run

PURPOSE: Final = "This tool helps to list groups of all types."
TYPES: Final = ("classic", "consumer", "share", "streams")
COLUMN_WIDTH: Final = 20
OPTIONS: Final = (
    Option("bootstrap-server", "REQUIRED: a broker of the cluster.", "server to connect to", required=True),
    Option("command-config", "A properties file with settings of the client.", "config file"),
    Option("list", "List the groups."),
    Option("group-type", "Only groups of this type: classic, consumer, share or streams.", "type"),
    Option("protocol", "Only groups of this protocol type.", "protocol"),
    Option("consumer", "Only consumer groups: type consumer, or classic with the protocol consumer or none."),
    Option("share", "Only share groups."),
    Option("streams", "Only streams groups."),
    Option("json", "Print JSON (tidemark's own)."),
    HELP,
    VERSION,
)


def _check(parsed: Parsed) -> None:
    if not parsed.has("list"):
        raise UsageError("Command must include exactly one action: --list.")
    refuse(parsed, "consumer", "group-type", "protocol", "share", "streams")
    refuse(parsed, "share", "consumer", "group-type", "protocol", "streams")
    refuse(parsed, "streams", "consumer", "group-type", "protocol", "share")


LINE: Final = CommandLine(PURPOSE, OPTIONS, _check)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    return run(LINE, arguments, _run)


def _run(parsed: Parsed) -> int:
    kind = parsed.value("group-type")
    if kind is not None and kind.lower() not in TYPES:
        print("--group-type must be a valid group type.", file=sys.stderr)
        return FAILED
    try:
        return _list(parsed)
    except (BadAddress, CannotConnect, Unreachable) as error:
        print(f"Error: {error}", file=sys.stderr)
    except CannotRead as error:
        print(error, file=sys.stderr)
    except ClientError as error:
        print(f"Error while executing groups command : {error}")
    return FAILED


def _list(parsed: Parsed) -> int:
    address = parsed.value("bootstrap-server") or ""
    with Client(address, settings=client_settings(parsed.value("command-config"))) as client:
        groups = [group for group in all_groups(client) if _wanted(parsed, group)]
    rows = [(group.group_id, group.group_type, group.protocol_type) for group in groups]
    if parsed.has("json"):
        import json

        names = ("group", "type", "protocol_type")
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=1))
        return 0
    table = [("GROUP", "TYPE", "PROTOCOL"), *rows]
    wide = width(COLUMN_WIDTH, (cell for row in table for cell in row))
    for row in table:
        end = "" if row is table[0] else " "  # Kafka's rows have one more blank than its header
        print(" ".join(padded(cell, wide) for cell in row) + end)
    return 0


def all_groups(client: Client) -> list[Any]:
    """Return every ListedGroup of every broker. Without a type, as from old brokers, it is Classic."""
    from tidemark_protocol.messages.list_groups import ListGroupsRequest

    found: list[Any] = []
    for node in client.nodes():
        response = client.call_until(ListGroupsRequest(), node, _is_loaded)
        if response.error_code:
            raise ErrorResponse(response.error_code)
        found += response.groups
    for group in found:
        group.group_type = group.group_type.capitalize() or "Classic"  # Java prints its enum
    return found


def _is_loaded(response: Any) -> bool:
    return response.error_code not in COORDINATOR_NOT_THERE


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
