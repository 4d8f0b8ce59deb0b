"""`tidemark consumer-groups`: kafka-consumer-groups, with --explain and --json of our own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from tidemark_tools.client.client import Client, client_settings, read_text
from tidemark_tools.client.errors import (
    AuthenticationFailed,
    BadAddress,
    CannotConnect,
    CannotRead,
    ConfigError,
    Failed,
    Unreachable,
)
from tidemark_tools.java import java_text, padded, width
from tidemark_tools.json_output import print_json
from tidemark_tools.options import (
    DONE,
    FAILED,
    JoptTool,
    OptionError,
    Parsed,
    UsageError,
    refuse,
    require,
    run,
    table,
)

ACTIONS: Final = ("list", "describe", "delete", "reset-offsets", "delete-offsets", "validate-regex")
# Kafka checks them in this order.
SCENARIOS: Final = (
    "to-offset", "to-datetime", "by-duration", "to-earliest", "to-latest", "to-current", "shift-by",
    "from-file",
)  # fmt: skip
STATES: Final = (
    "Stable", "CompletingRebalance", "Reconciling", "Empty", "PreparingRebalance", "Dead",
    "Assigning",
)  # fmt: skip
TYPES: Final = ("Consumer", "Classic")
# Options that are available only together with one of these others.
AVAILABLE: Final = {
    "verbose": ("describe",), "members": ("describe",), "offsets": ("describe",),
    "state": ("describe", "list"), "type": ("list",), "explain": ("describe", "reset-offsets"),
    "http": ("explain",),
}  # fmt: skip
NOTICE: Final = (
    "WARN: No action will be performed as the --execute option is missing. In version 5.0, this command will "
    "require either --dry-run or --execute to be specified. You should add the --dry-run option explicitly "
    "if you are scripting this command and want to keep the current default behavior without prompting."
)
NAME_WIDTH: Final = 15
# Kafka's words for a file that does not exist.
NO_SUCH_FILE: Final = {
    "command-config": "java.nio.file.NoSuchFileException: ",
    "from-file": "java.io.IOException: Unable to read file ",
}
LIST_EXTRA: Final = 10  # by which the first column of `--list --state` is wider than the longest name

OPTIONS: Final = table("""
    bootstrap-server <server to connect to>  A broker of the cluster, or several separated by commas. REQUIRED
        for all but --validate-regex.
    command-config <command config property file>  A properties file with settings of the client.
    timeout <Long: timeout (ms)>  How long to wait for the brokers. (default: 30000)
    group <consumer group>  The consumer group; repeatable.
    all-groups  Every consumer group.
    topic <topic>  A topic, or some of its partitions as topic1:0,1,2; repeatable.
    all-topics  Every topic for which the group has committed an offset.
    list  List the consumer groups.
    state [String]  With --list: only groups in these states (stable,empty), or in any. With --describe: the
        state of the group.
    type [String]  With --list: only groups of these types (classic,consumer), or of any.
    describe  Show a group: its committed offsets, and the lag of each.
    offsets  With --describe: the offsets, which is the default.
    members  With --describe: the members and how many partitions each is assigned.
    verbose  With --describe: more columns.
    delete  Delete groups that have no members.
    delete-offsets  Delete the offsets of a group in some topics.
    reset-offsets  Change the offsets of groups without members. Needs --dry-run or --execute, a scope
        (--topic, --all-topics, or the file) and one of --to-datetime, --by-duration, --to-earliest,
        --to-latest, --shift-by, --from-file, --to-current, --to-offset.
    dry-run  With --reset-offsets: show what would be committed.
    execute  With --reset-offsets: commit it.
    export  With --reset-offsets: print CSV, as --from-file reads it.
    to-offset <Long: offset>  Reset to this offset.
    to-datetime <datetime>  Reset to the first record at or after this time, as 'YYYY-MM-DDThh:mm:ss.sss'.
    by-duration <duration>  Reset to the first record of the last 'PnDTnHnMnS'.
    to-earliest  Reset to the first offset.
    to-latest  Reset to the end.
    to-current  Commit the committed offset again; the end if there is none.
    shift-by <Long: number-of-offsets>  Move the committed offset by this number, forward or (negative)
        backward.
    from-file <path to CSV file>  Reset to the offsets in a file.
    validate-regex <regex>  Check whether this is a regular expression in RE2 syntax.
    json  Print JSON (tidemark's own).
    explain  With --describe: why and when each offset expires. With --reset-offsets: warn if the new offsets
        will soon expire (tidemark's own; needs a tidemark broker).
    http <host:port>  The address of the broker's HTTP API, with https:// before it if it serves TLS; by
        default port 9464 on the first host of --bootstrap-server. If it needs a token: tidemark.http.token in
        --command-config, or the variable TIDEMARK_HTTP_TOKEN (tidemark's own).
""")


class Refused(Failed):
    """An error that ends the tool with exit code 1. The message goes to stderr, as it is."""


def _check(parsed: Parsed) -> None:
    """Check the command line itself, in the order of Kafka's tool. Raises UsageError or OptionError."""
    check_available(parsed, AVAILABLE)
    if not parsed.has("validate-regex"):
        require(parsed, "bootstrap-server")
    if parsed.has("describe"):
        _check_describe(parsed)
    if parsed.has("delete"):
        _check_groups(parsed, "delete")
        if parsed.has("topic"):
            raise UsageError(
                "The consumer does not support topic-specific offset deletion from a consumer group."
            )
    if parsed.has("delete-offsets") and not (parsed.has("group") and parsed.has("topic")):
        raise UsageError("Option [delete-offsets] takes the following options: [topic], [group]")
    if parsed.has("reset-offsets"):
        _check_reset(parsed)
    refuse(parsed, "group", "all-groups")
    refuse(parsed, "group", "list")
    refuse(parsed, "topic", "list", "describe")
    if sum(map(parsed.has, ACTIONS)) != 1:
        names = ", ".join(f"--{action}" for action in ACTIONS)
        raise UsageError(f"Command must include exactly one action: {names}")


def _check_describe(parsed: Parsed) -> None:
    _check_groups(parsed, "describe")
    check_view(parsed)
    refuse(parsed, "explain", "members", "state", "verbose")


def check_view(parsed: Parsed) -> None:
    """Raise UsageError if `--describe` has more than one view."""
    if sum(map(parsed.has, ("members", "offsets", "state"))) > 1:
        raise UsageError(
            "Option [describe] takes at most one of these options: [members], [offsets], [state]"
        )
    if parsed.has("state") and parsed.value("state") is not None:
        raise UsageError("Option [describe] does not take a value for [state]")


def check_available(parsed: Parsed, available: Mapping[str, Sequence[str]]) -> None:
    """Raise OptionError for an option that needs one of these others."""
    for name, beside in available.items():
        if parsed.has(name) and not any(map(parsed.has, (*beside, "help", "version"))):
            raise OptionError(
                f"Option(s) [{name}] are unavailable given other options on the command line",
                "UnavailableOptionException",
            )


def _check_groups(parsed: Parsed, action: str) -> None:
    if not parsed.has("group") and not parsed.has("all-groups"):
        raise UsageError(f"Option [{action}] takes one of these options: [group], [all-groups]")


def _check_reset(parsed: Parsed) -> None:
    if parsed.has("dry-run") and parsed.has("execute"):
        raise UsageError("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    if not parsed.has("dry-run") and not parsed.has("execute"):
        print(NOTICE, file=sys.stderr)
    _check_groups(parsed, "reset-offsets")
    for name in SCENARIOS:
        refuse(parsed, name, *(other for other in SCENARIOS if other != name))


TOOL: Final = JoptTool(
    "This tool helps to list all consumer groups, describe a consumer group, delete consumer group info, or "
    "reset consumer group offsets.",
    OPTIONS,
    _check,
    quiet=True,
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    As in Kafka's tool, an error that a broker returns exits with 0. With --json or --explain it exits with 1.
    """
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> int:
    """Run the action. Errors of a broker go to stdout with exit code 0, as in Kafka's tool.

    If no broker can be reached, stderr says so and the exit code is 1.
    """
    if parsed.has("validate-regex"):
        from tidemark.groups.consumer.regexes import NotRe2j, for_re2

        verdict = "valid"
        try:
            for_re2(parsed.text("validate-regex"))
        except NotRe2j as error:
            verdict = f"invalid: {error}"
        print(f"The regular expression `{parsed.text('validate-regex')}` is {verdict}.")
        return DONE
    return carry_out(parsed, "consumer", _act)


def carry_out(parsed: Parsed, kind: str, act: Callable[[Parsed], None]) -> int:
    """Run an action on groups of this kind, print the error if it fails, and return the exit code."""
    try:
        act(parsed)
    except (AuthenticationFailed, BadAddress, CannotConnect, ConfigError, Unreachable) as error:
        raise Failed(f"Error: {error}") from None
    except CannotRead as error:
        for option, text in NO_SUCH_FILE.items():
            if error.missing and parsed.has(option) and error.path == parsed.value(option):
                return _failed(parsed, kind, text + error.path)
        raise Failed(f"Error: {error}") from None
    except Refused:
        raise
    except Failed as error:
        return _failed(parsed, kind, java_text(error))
    return DONE


def _failed(parsed: Parsed, kind: str, message: str) -> int:
    """Print an error and return the exit code.

    With our own options, programs read stdout and the exit code: the error goes to stderr, and the code is 1.
    """
    text = f"\nError: Executing {kind} group command failed due to {message}"
    if parsed.has("json") or parsed.has("explain"):
        print(text.lstrip(), file=sys.stderr)
        return FAILED
    print(text)
    return DONE


def _act(parsed: Parsed) -> None:
    settings = client_settings(parsed.value("command-config"))
    timeout_ms = parsed.number("timeout")
    if parsed.has("from-file"):
        read_text(parsed.text("from-file"))  # fails before a broker is called
    with Client(parsed.text("bootstrap-server"), timeout_ms=timeout_ms or 0, settings=settings) as client:
        if parsed.has("list"):
            _list(client, parsed)
        elif parsed.has("describe"):
            _describe(client, parsed, settings)
        elif parsed.has("delete"):
            _delete(client, parsed)
        elif parsed.has("delete-offsets"):
            _delete_offsets(client, parsed)
        else:
            _reset(client, parsed, settings)


def _list(client: Client, parsed: Parsed) -> None:

    states = wanted_values(parsed, "state", STATES, "Invalid state list '{}'. Valid states are: {}")
    types = wanted_values(parsed, "type", TYPES, "Invalid types list '{}'. Valid types are: {}")
    groups = [
        group
        for group in consumer_groups(client)
        if group.group_type in types and (group.group_state in states or not parsed.has("state"))
    ]
    if parsed.has("json"):
        print_json({"GROUP": g.group_id, "TYPE": g.group_type, "STATE": g.group_state} for g in groups)
    elif parsed.has("state") or parsed.has("type"):  # Kafka's lines end in blanks, too
        rows = [("GROUP", "TYPE", "STATE"), *((g.group_id, g.group_type, g.group_state) for g in groups)]
        wide = width(NAME_WIDTH, (row[0] for row in rows[1:])) + LIST_EXTRA
        shown = [True, parsed.has("type"), parsed.has("state")]
        for row in rows:
            print(" ".join(padded(cell, wide if n == 0 else 20) for n, cell in enumerate(row) if shown[n]))
    else:
        for group in groups:
            print(group.group_id)


def wanted_values(parsed: Parsed, name: str, known: Sequence[str], complaint: str) -> list[str]:
    """Return the values of a list option in Kafka's spelling; all known ones if it has no value."""
    given = parsed.value(name) if parsed.has(name) else None
    if not given:
        return list(known)
    spelled = {one.lower(): one for one in known}
    requested = [part.strip().lower() for part in given.split(",")]
    if not all(one in spelled for one in requested):
        raise UsageError(complaint.format(given, ", ".join(known)))
    return [spelled[one] for one in requested]


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


def _describe(client: Client, parsed: Parsed, settings: Mapping[str, str]) -> None:
    from tidemark_tools.groups import views

    groups = _groups(client, parsed)
    if parsed.has("explain"):
        _explain(parsed, groups, settings)
        return
    if parsed.has("members"):
        show = views.members
    else:
        show = views.states if parsed.has("state") else views.offsets
    found = show(client, groups, verbose=parsed.has("verbose"))
    if parsed.has("json"):
        print_json(row for _, rows in found for row in rows)
        return
    for columns, rows in found:
        views.print_table(columns, rows)


def _explain(parsed: Parsed, groups: Iterable[str], settings: Mapping[str, str]) -> None:
    """Print our own view of the offsets, for groups of every type."""
    from tidemark_tools.groups import views
    from tidemark_tools.groups.explanations import explained, http_api, print_explained

    with http_api(parsed, settings) as api:
        result = explained(api, groups)
    if parsed.has("json"):
        print_json(offset for found in result.values() for offset in found.offsets)
        return
    for group, found in result.items():
        views.say_state(group, found.state)
        print_explained(found.offsets)


def _delete(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.deletions import delete_groups, print_deleted

    results = delete_groups(client, _groups(client, parsed))
    if parsed.has("json"):
        print_json({"GROUP": group, "ERROR": error or None} for group, error in results.items())
    else:
        print_deleted(results)


def _delete_offsets(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.deletions import WHOLE_TOPIC, delete_offsets, print_deleted_offsets

    group = parsed.text("group")
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
    print_json(rows)


def _reset(client: Client, parsed: Parsed, settings: Mapping[str, str]) -> None:
    from tidemark_tools.groups.resets import exported, plan_rows, print_plan, reset

    groups = _groups(client, parsed)
    if parsed.has("explain"):
        from tidemark_tools.groups.explanations import http_api, warn_of_resets

        with http_api(parsed, settings) as api:
            warn_of_resets(api, groups)
    plan = reset(client, parsed, groups)
    if parsed.has("json"):
        print_json(plan_rows(plan))
    elif parsed.has("export"):
        print(exported(plan, with_group=len(plan) != 1))
    else:
        print_plan(plan)
