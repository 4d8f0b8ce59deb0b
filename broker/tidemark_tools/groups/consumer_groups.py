"""`tidemark consumer-groups`: kafka-consumer-groups, with --explain and --json of our own."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import (
    AuthenticationFailed,
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    ConfigError,
    Unreachable,
)
from tidemark_tools.client.settings import client_settings, read_text
from tidemark_tools.columns import padded, width
from tidemark_tools.groups.consumer_group_options import OPTIONS, PURPOSE, STATES, TYPES, check
from tidemark_tools.java import java_text
from tidemark_tools.options import (
    DONE,
    FAILED,
    OptionError,
    Parsed,
    UsageError,
    help_or_version,
    parse,
    usage_error,
)

if TYPE_CHECKING:
    from tidemark_tools.groups.views import Column, Row

NAME_WIDTH: Final = 15
# Kafka's words for a file that does not exist.
NO_SUCH_FILE: Final = {
    "command-config": "java.nio.file.NoSuchFileException: ",
    "from-file": "java.io.IOException: Unable to read file ",
}
LIST_EXTRA: Final = 10  # by which the first column of `--list --state` is wider than the longest name


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    As in Kafka's tool, an error that a broker returns exits with 0. With --json or --explain it exits with 1.
    """
    try:
        parsed = parse(OPTIONS, arguments)
        done = help_or_version(PURPOSE, OPTIONS, parsed)
        if done is not None:
            return done
        check(parsed)
        return _run(parsed)
    except UsageError as error:
        return usage_error(str(error), OPTIONS)
    except OptionError as error:
        print(error, file=sys.stderr)
        return FAILED


def _run(parsed: Parsed) -> int:
    """Run the action. Errors of a broker go to stdout with exit code 0, as in Kafka's tool.

    If no broker can be reached, stderr says so and the exit code is 1.
    """
    from tidemark_tools.groups.descriptions import Failed, NotAConsumerGroup
    from tidemark_tools.groups.explanations import CannotExplain

    if parsed.has("validate-regex"):
        return _validate(parsed.value("validate-regex") or "")
    try:
        return _act(parsed)
    except CannotExplain as error:
        print(f"Error: {error}", file=sys.stderr)
        return FAILED
    except NotAConsumerGroup as error:
        return _failed(parsed, f"java.lang.IllegalArgumentException: {error}")
    except (AuthenticationFailed, BadAddress, CannotConnect, ConfigError, Unreachable) as error:
        print(f"Error: {error}", file=sys.stderr)
        return FAILED
    except CannotRead as error:
        for option, text in NO_SUCH_FILE.items():
            if error.missing and error.path == parsed.value(option):
                return _failed(parsed, text + error.path)
        print(f"Error: {error}", file=sys.stderr)
        return FAILED
    except ClientError as error:
        return _failed(parsed, java_text(error))
    except (Failed, OptionError) as error:
        return _failed(parsed, str(error))


def _failed(parsed: Parsed, message: str) -> int:
    """Print an error and return the exit code.

    With our own options, programs read stdout and the exit code: the error goes to stderr, and the code is 1.
    """
    text = f"\nError: Executing consumer group command failed due to {message}"
    if parsed.has("json") or parsed.has("explain"):
        print(text.lstrip(), file=sys.stderr)
        return FAILED
    print(text)
    return DONE


def _act(parsed: Parsed) -> int:
    settings = client_settings(parsed.value("command-config"))
    timeout_ms = parsed.number("timeout")
    bootstrap = parsed.value("bootstrap-server") or ""
    if parsed.has("from-file"):
        read_text(parsed.value("from-file") or "")  # fails before a broker is called
    with Client(bootstrap, timeout_ms=timeout_ms or 0, settings=settings) as client:
        if parsed.has("list"):
            _list(client, parsed)
        elif parsed.has("describe"):
            _describe(client, parsed)
        elif parsed.has("delete"):
            _delete(client, parsed)
        elif parsed.has("delete-offsets"):
            _delete_offsets(client, parsed)
        else:
            _reset(client, parsed)
    return DONE


def _list(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.views import as_json

    states = _wanted(parsed, "state", STATES, "Invalid state list '{}'. Valid states are: {}")
    types = _wanted(parsed, "type", TYPES, "Invalid types list '{}'. Valid types are: {}")
    groups = [
        group
        for group in consumer_groups(client)
        if group.group_type in types and (group.group_state in states or not parsed.has("state"))
    ]
    if parsed.has("json"):
        print(as_json({"GROUP": g.group_id, "TYPE": g.group_type, "STATE": g.group_state} for g in groups))
    elif parsed.has("state") or parsed.has("type"):
        _print_list(parsed, groups)
    else:
        for group in groups:
            print(group.group_id)


def _wanted(parsed: Parsed, name: str, known: Sequence[str], complaint: str) -> list[str]:
    """Return the values of a list option in Kafka's spelling; all known ones if it has no value."""
    given = parsed.value(name) if parsed.has(name) else None
    if not given:
        return list(known)
    spelled = {one.lower(): one for one in known}
    requested = [part.strip().lower() for part in given.split(",")]
    if not all(one in spelled for one in requested):
        raise UsageError(complaint.format(given, ", ".join(known)))
    return [spelled[one] for one in requested]


def _print_list(parsed: Parsed, groups: Sequence[Any]) -> None:
    """Print group, type and state, the last two only if requested. Kafka.s lines end in blanks, too."""
    rows = [("GROUP", "TYPE", "STATE"), *((g.group_id, g.group_type, g.group_state) for g in groups)]
    wide = width(NAME_WIDTH, (row[0] for row in rows[1:])) + LIST_EXTRA
    shown = [True, parsed.has("type"), parsed.has("state")]
    for row in rows:
        cells = [padded(cell, wide if n == 0 else 20) for n, cell in enumerate(row) if shown[n]]
        print(" ".join(cells))


def consumer_groups(client: Client) -> list[Any]:
    """Return every consumer group: type Consumer, or Classic with the protocol type consumer or none."""
    from tidemark_tools.groups.groups import all_groups

    groups = all_groups(client)
    return [g for g in groups if g.group_type in TYPES and g.protocol_type in ("consumer", "")]


def _groups(client: Client, parsed: Parsed) -> list[str]:
    """Return the groups that are named, or all.

    A group may have an empty name, because an offset commit can create one. Brokers list and delete it, but
    do not describe it.
    """
    if not parsed.has("all-groups"):
        return parsed.values("group")
    groups = [group.group_id for group in consumer_groups(client)]
    if "" in groups and not (parsed.has("delete") or parsed.has("explain")):
        print(
            "WARN the group '' is left out: brokers do not describe a group without a name", file=sys.stderr
        )
        groups.remove("")
    return groups


def _describe(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups import views

    groups = _groups(client, parsed)
    verbose = parsed.has("verbose")
    if parsed.has("members"):
        members = views.describe_members(client, groups)
        _show(
            parsed, members, {g: views.member_columns(rows, verbose=verbose) for g, rows in members.items()}
        )
    elif parsed.has("state"):
        states = views.describe_states(client, groups)
        _show(parsed, states, dict.fromkeys(states, views.state_columns(verbose=verbose)))
    elif parsed.has("explain"):
        _explain(parsed, groups)
    else:
        offsets = {group: rows for group, rows in views.describe_offsets(client, groups).items() if rows}
        _show(parsed, offsets, dict.fromkeys(offsets, views.offset_columns(verbose=verbose)))


def _show(parsed: Parsed, found: dict[str, list[Row]], columns: dict[str, list[Column]]) -> None:
    from tidemark_tools.groups.views import as_json, print_table

    if parsed.has("json"):
        print(as_json(row for rows in found.values() for row in rows))
        return
    for group, rows in found.items():
        print_table(columns[group], rows)


def _explain(parsed: Parsed, groups: Iterable[str]) -> None:
    """Print our own view of the offsets, for groups of every type."""
    from tidemark_tools.groups.explanations import explained, print_explained
    from tidemark_tools.groups.views import say_state

    result = explained(_http(parsed), groups)
    if parsed.has("json"):
        import json

        print(json.dumps([offset for found in result.values() for offset in found.offsets], indent=1))
        return
    for group, found in result.items():
        say_state(group, found.state)
        print_explained(found.offsets)


def _http(parsed: Parsed) -> Any:
    from tidemark_tools.groups.explanations import HttpApi

    return HttpApi(parsed.value("http"), parsed.value("bootstrap-server") or "")


def _delete(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.deletions import delete_groups, print_deleted
    from tidemark_tools.groups.views import as_json

    results = delete_groups(client, _groups(client, parsed))
    if parsed.has("json"):
        print(as_json({"GROUP": group, "ERROR": error or None} for group, error in results.items()))
    else:
        print_deleted(results)


def _delete_offsets(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.deletions import WHOLE_TOPIC, delete_offsets, print_deleted_offsets
    from tidemark_tools.groups.views import as_json

    group = parsed.value("group") or ""
    deleted = delete_offsets(client, group, parsed.values("topic"))
    if not parsed.has("json"):
        print_deleted_offsets(group, deleted)
        return
    rows = [
        {
            "GROUP": group,
            "TOPIC": partition.topic,
            "PARTITION": None if partition.partition == WHOLE_TOPIC else partition.partition,
            "ERROR": error or None,
        }
        for partition, error in sorted(deleted.statuses.items())
    ]
    print(as_json(rows))


def _reset(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.resets import exported, plan_rows, print_plan, reset
    from tidemark_tools.groups.views import as_json

    groups = _groups(client, parsed)
    if parsed.has("explain"):
        from tidemark_tools.groups.explanations import warn_of_resets

        warn_of_resets(_http(parsed), groups)
    plan = reset(client, parsed, groups)
    if parsed.has("json"):
        print(as_json(plan_rows(plan)))
    elif parsed.has("export"):
        print(exported(plan, with_group=len(plan) != 1))
    else:
        print_plan(plan)


def _validate(text: str) -> int:
    from tidemark_tools.groups.re2 import wrong_with

    wrong = wrong_with(text)
    verdict = f"invalid: {wrong}." if wrong else "valid."
    print(f"The regular expression `{text}` is {verdict}")
    return DONE
