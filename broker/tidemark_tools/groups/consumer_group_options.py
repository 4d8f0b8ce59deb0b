"""The options of `tidemark consumer-groups`, and the checks that need no broker."""

from __future__ import annotations

import sys
from typing import Final

from tidemark_tools.options import HELP, VERSION, Option, OptionError, Parsed, UsageError, refuse, require

PURPOSE: Final = (
    "This tool helps to list all consumer groups, describe a consumer group, delete consumer group info, "
    "or reset consumer group offsets."
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

OPTIONS: Final = (
    Option(
        "bootstrap-server",
        "A broker of the cluster, or several separated by commas. REQUIRED for all but --validate-regex.",
        "server to connect to",
    ),
    Option(
        "command-config", "A properties file with settings of the client.", "command config property file"
    ),
    Option("timeout", "How long to wait for the brokers.", "timeout (ms)", "Long", default="30000"),
    Option("group", "The consumer group; repeatable.", "consumer group"),
    Option("all-groups", "Every consumer group."),
    Option("topic", "A topic, or some of its partitions as topic1:0,1,2; repeatable.", "topic"),
    Option("all-topics", "Every topic for which the group has committed an offset."),
    Option("list", "List the consumer groups."),
    Option(
        "state",
        "With --list: only groups in these states (stable,empty), or in any. With --describe: the "
        "state of the group.",
        None,
        optional=True,
    ),
    Option(
        "type", "With --list: only groups of these types (classic,consumer), or of any.", None, optional=True
    ),
    Option("describe", "Show a group: its committed offsets, and the lag of each."),
    Option("offsets", "With --describe: the offsets, which is the default."),
    Option("members", "With --describe: the members and how many partitions each is assigned."),
    Option("verbose", "With --describe: more columns."),
    Option("delete", "Delete groups that have no members."),
    Option("delete-offsets", "Delete the offsets of a group in some topics."),
    Option(
        "reset-offsets",
        "Change the offsets of groups without members. Needs --dry-run or --execute, a scope "
        "(--topic, --all-topics, or the file) and one of --to-datetime, --by-duration, --to-earliest, "
        "--to-latest, --shift-by, --from-file, --to-current, --to-offset.",
    ),
    Option("dry-run", "With --reset-offsets: show what would be committed."),
    Option("execute", "With --reset-offsets: commit it."),
    Option("export", "With --reset-offsets: print CSV, as --from-file reads it."),
    Option("to-offset", "Reset to this offset.", "offset", "Long"),
    Option(
        "to-datetime",
        "Reset to the first record at or after this time, as 'YYYY-MM-DDThh:mm:ss.sss'.",
        "datetime",
    ),
    Option("by-duration", "Reset to the first record of the last 'PnDTnHnMnS'.", "duration"),
    Option("to-earliest", "Reset to the first offset."),
    Option("to-latest", "Reset to the end."),
    Option("to-current", "Commit the committed offset again; the end if there is none."),
    Option(
        "shift-by",
        "Move the committed offset by this number, forward or (negative) backward.",
        "number-of-offsets",
        "Long",
    ),
    Option("from-file", "Reset to the offsets in a file.", "path to CSV file"),
    Option("validate-regex", "Check whether this is a regular expression in RE2 syntax.", "regex"),
    Option("json", "Print JSON (tidemark's own)."),
    Option(
        "explain",
        "With --describe: why and when each offset expires. With --reset-offsets: warn if the new "
        "offsets will soon expire (tidemark's own; needs a tidemark broker).",
    ),
    Option(
        "http",
        "The address of the broker's HTTP API; by default port 9464 on the first host of "
        "--bootstrap-server (tidemark's own).",
        "host:port",
    ),
    HELP,
    VERSION,
)


def check(parsed: Parsed) -> None:
    """Check the command line itself, in the order of Kafka's tool. Raises UsageError or OptionError."""
    _check_available(parsed)
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


def _check_available(parsed: Parsed) -> None:
    for name, beside in AVAILABLE.items():
        if parsed.has(name) and not any(map(parsed.has, (*beside, "help", "version"))):
            raise OptionError(
                f"Option(s) [{name}] are unavailable given other options on the command line",
                "joptsimple.UnavailableOptionException",
            )


def _check_describe(parsed: Parsed) -> None:
    _check_groups(parsed, "describe")
    if sum(map(parsed.has, ("members", "offsets", "state"))) > 1:
        raise UsageError(
            "Option [describe] takes at most one of these options: [members], [offsets], [state]"
        )
    refuse(parsed, "explain", "members", "state", "verbose")
    if parsed.has("state") and parsed.value("state") is not None:
        raise UsageError("Option [describe] does not take a value for [state]")


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
