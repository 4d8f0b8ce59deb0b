"""`tidemark share-groups`: kafka-share-groups (KIP-932), with --json of our own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import EARLIEST, LATEST, Client, TopicPartition, by_topic, client_settings
from tidemark_tools.client.errors import ErrorResponse, Failed, check_results, error_code
from tidemark_tools.groups.consumer_groups import (
    Refused,
    carry_out,
    check_available,
    check_view,
    wanted_values,
)
from tidemark_tools.java import (
    EXECUTION,
    error_text,
    java_text,
    map_order,
    padded,
    partitions_in_order,
    width,
)
from tidemark_tools.json_output import print_json
from tidemark_tools.options import JoptTool, Parsed, UsageError, refuse, require, run, table

ACTIONS: Final = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
SCENARIOS: Final = ("to-datetime", "to-earliest", "to-latest")
STATES: Final = ("Stable", "Dead", "Empty")
CAN_BE_RESET: Final = ("Empty", "Dead")
NAME_WIDTH: Final = 15
AVAILABLE: Final = {
    "members": ("describe",), "offsets": ("describe",), "state": ("describe", "list"),
    "verbose": ("describe",),
}  # fmt: skip
# Errors of DeleteShareGroupOffsets that the tool prints only in the table, and only above it.
OF_A_TOPIC: Final = (ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
OF_THE_GROUP: Final = (
    ErrorCode.INVALID_GROUP_ID, ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.NON_EMPTY_GROUP,
)  # fmt: skip

OPTIONS: Final = table("""
    bootstrap-server <server to connect to>  REQUIRED: a broker of the cluster, or several separated by
        commas.
    command-config <command config property file>  A properties file with settings of the client.
    timeout <Long: timeout (ms)>  How long to wait for the brokers. (default: 30000)
    group <share group>  The share group; repeatable.
    all-groups  Every share group.
    topic <topic>  With --delete-offsets and --reset-offsets: a topic; repeatable. With --reset-offsets, some
        of its partitions can be named as topic1:0,1,2.
    all-topics  With --reset-offsets: every topic that the group has a start offset of.
    list  List the share groups.
    state [String]  With --list: show states, or only groups in these states (stable,empty). With --describe:
        the state of the group.
    describe  Show a group: the start offset of each partition, and the lag.
    offsets  With --describe: the offsets, which is the default.
    members  With --describe: the members and the partitions that each is assigned.
    verbose  With --describe: more columns.
    delete  Delete groups that have no members.
    delete-offsets  Delete the offsets of a group in some topics.
    reset-offsets  Change the start offsets of a group without members. Needs --dry-run or --execute,
        --topic or --all-topics, and one of --to-datetime, --to-earliest, --to-latest.
    dry-run  With --reset-offsets: show the new offsets.
    execute  With --reset-offsets: change the offsets.
    to-datetime <datetime>  Reset to the first record at or after this time, as 'YYYY-MM-DDThh:mm:ss.sss'.
    to-earliest  Reset to the first offset.
    to-latest  Reset to the end.
    json  Print JSON (tidemark's own).
""")


def _check(parsed: Parsed) -> None:
    """Check the command line itself, in the order of Kafka's tool. Raises UsageError or OptionError."""
    check_available(parsed, AVAILABLE)
    require(parsed, "bootstrap-server")
    if parsed.has("describe"):
        _one_of(parsed, "describe", "group", "all-groups")
        check_view(parsed)
    if parsed.has("delete"):
        if not (parsed.has("group") or parsed.has("all-groups")):
            raise UsageError("Option [delete] takes the options [group] or [all-groups]")
        if parsed.has("group") and parsed.has("all-groups"):
            raise UsageError("Option [delete] takes either [group] or [all-groups], not both.")
        if parsed.has("topic"):
            raise UsageError("Option [delete] does not take the option: [topic]")
    if parsed.has("delete-offsets") and not (parsed.has("group") and parsed.has("topic")):
        raise UsageError("Option [delete-offsets] takes the following options: [group], [topic]")
    if parsed.has("reset-offsets"):
        _check_reset(parsed)
    refuse(parsed, "group", "all-groups")
    refuse(parsed, "group", "list")
    refuse(parsed, "topic", "list", "describe")
    if sum(map(parsed.has, ACTIONS)) != 1:
        names = ", ".join(f"--{action}" for action in ACTIONS)
        raise UsageError(f"Command must include exactly one action: {names}.")


def _check_reset(parsed: Parsed) -> None:
    if parsed.has("dry-run") and parsed.has("execute"):
        raise UsageError("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    if not parsed.has("dry-run") and not parsed.has("execute"):
        raise UsageError("Option [reset-offsets] takes the option: [execute] or [dry-run]")
    if not parsed.has("group"):
        raise UsageError("Option [reset-offsets] takes the option: [group]")
    _one_of(parsed, "reset-offsets", "topic", "all-topics")
    _one_of(parsed, "reset-offsets", *SCENARIOS)
    for name in SCENARIOS:
        refuse(parsed, name, *(other for other in SCENARIOS if other != name))


def _one_of(parsed: Parsed, action: str, *names: str) -> None:
    if not any(map(parsed.has, names)):
        listed = ", ".join(f"[{name}]" for name in sorted(names))
        raise UsageError(f"Option [{action}] takes one of these options: {listed}")


TOOL: Final = JoptTool(
    "This tool helps to list, describe, reset and delete share groups.", OPTIONS, _check, quiet=True
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    As in Kafka's tool, an error that a broker returns exits with 0. With --json it exits with 1.
    """
    return run(TOOL, arguments, lambda parsed: carry_out(parsed, "share", _act))


def _act(parsed: Parsed) -> None:
    settings = client_settings(parsed.value("command-config"))
    timeout_ms = parsed.number("timeout") or 0
    with Client(parsed.text("bootstrap-server"), timeout_ms=timeout_ms, settings=settings) as client:
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


def _share_groups(client: Client) -> list[Any]:
    """Return the ListedGroup of every share group."""
    from tidemark_tools.groups.groups import all_groups

    return [group for group in all_groups(client) if group.group_type == "Share"]


def _list(client: Client, parsed: Parsed) -> None:
    states = wanted_values(parsed, "state", STATES, "Invalid state list '{}'. Valid states are: {}")
    try:
        found = _share_groups(client)
    except ErrorResponse as error:
        if parsed.has("state"):
            raise
        raise Failed(f"{EXECUTION}: {java_text(error)}") from None
    groups = [group for group in found if group.group_state in states]
    if parsed.has("json"):
        print_json({"GROUP": group.group_id, "STATE": group.group_state} for group in groups)
    elif parsed.has("state"):
        wide = width(NAME_WIDTH, (group.group_id for group in groups))
        print(f"{'GROUP':<{wide}} STATE")
        for group in groups:
            print(f"{padded(group.group_id, wide)} {group.group_state}")
    else:
        for group in groups:
            print(group.group_id)


def _groups(client: Client, parsed: Parsed) -> list[str]:
    """Return the groups that are named, or all."""
    if parsed.has("all-groups"):
        return [group.group_id for group in _share_groups(client)]
    return parsed.values("group")


# --describe


def _describe(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.views import print_table

    groups = described(client, _groups(client, parsed))
    if parsed.has("members"):
        show: Callable[..., Iterator[Any]] = _members
    else:
        show = _states if parsed.has("state") else _offsets
    found = show(client, groups, verbose=parsed.has("verbose"))
    if parsed.has("json"):
        print_json(row for _, rows in found for row in rows)
        return
    for columns, rows in found:
        if rows:
            print_table(columns, rows)


def described(client: Client, groups: Iterable[str]) -> list[Any]:
    """Return the DescribedGroup of each group, ordered by id. Raises ErrorResponse for an unknown group."""
    from tidemark_protocol.messages.share_group_describe import ShareGroupDescribeRequest
    from tidemark_tools.groups.descriptions import described as described_by

    names = set(groups)
    found = described_by(client, sorted(names), lambda some: ShareGroupDescribeRequest(group_ids=some))
    check_results(found[name] for name in map_order(names))
    return [found[name] for name in sorted(names)]


def _offsets(client: Client, groups: Sequence[Any], *, verbose: bool) -> Iterator[Any]:
    epoch = [("LEADER-EPOCH", 13)] if verbose else []
    columns = [
        ("GROUP", NAME_WIDTH), ("TOPIC", NAME_WIDTH), ("PARTITION", 10), *epoch, ("START-OFFSET", 13),
        ("LAG", None),
    ]  # fmt: skip
    found = [(group.group_id, start_offsets(client, group.group_id)) for group in groups]
    for group, partitions in found:
        if not partitions:
            # On stderr if stdout has JSON or a table only: Kafka's tool prints it among the tables.
            print(f"\nShare group '{group}' has no offset information.")
        rows = [
            {
                "GROUP": group,
                "TOPIC": partition.topic,
                "PARTITION": partition.partition,
                "LEADER-EPOCH": _known(result and result.leader_epoch),
                "START-OFFSET": _known(result and result.start_offset),
                "LAG": _known(result and result.lag),
            }
            for partition, result in sorted(partitions.items())
        ]
        yield columns, rows


def _known(value: int | None) -> int | None:
    """Return None for a negative value, which means that the broker does not know it."""
    return None if value is None or value < 0 else value


def start_offsets(client: Client, group: str) -> dict[TopicPartition, Any]:
    """Return the result of DescribeShareGroupOffsets for each partition of the group.

    None: the group has not read the partition yet. A partition with an error is left out, with a warning.
    """
    from tidemark_protocol.messages import describe_share_group_offsets as api

    request = api.DescribeShareGroupOffsetsRequest(
        groups=[api.DescribeShareGroupOffsetsRequestGroup(group_id=group, topics=None)]
    )
    response = client.call_coordinator(group, request, lambda response: response.groups[0].error_code)
    try:
        check_results(response.groups)
    except ErrorResponse as error:
        raise Failed(f"{EXECUTION}: {java_text(error)}") from None
    found: dict[TopicPartition, Any] = {}
    for topic in response.groups[0].topics:
        for result in topic.partitions:
            partition = TopicPartition(topic.topic_name, result.partition_index)
            if result.error_code:
                print(
                    f"WARN Skipping return offset for {partition} due to error {result.error_code}: "
                    f"{result.error_message or 'null'}.",
                    file=sys.stderr,
                )
            else:
                found[partition] = result if result.start_offset >= 0 else None
    return found


def _members(client: Client, groups: Sequence[Any], *, verbose: bool) -> Iterator[Any]:
    from tidemark_tools.groups.views import partitions_by_topic

    epoch = [("MEMBER-EPOCH", 13)] if verbose else []
    columns = [
        ("GROUP", NAME_WIDTH), ("CONSUMER-ID", NAME_WIDTH), ("HOST", NAME_WIDTH), ("CLIENT-ID", NAME_WIDTH),
        ("#PARTITIONS", 12), *epoch, ("ASSIGNMENT", None),
    ]  # fmt: skip
    for group in groups:
        _say_state(group)
        rows = []
        for member in sorted(group.members, key=lambda member: member.member_id):
            assigned = [
                TopicPartition(topic.topic_name, index)
                for topic in member.assignment.topic_partitions
                for index in topic.partitions
            ]
            row = {
                "GROUP": group.group_id,
                "CONSUMER-ID": member.member_id,
                "HOST": member.client_host,
                "CLIENT-ID": member.client_id,
                "#PARTITIONS": len(assigned),
                "MEMBER-EPOCH": member.member_epoch,
                "ASSIGNMENT": partitions_by_topic(assigned) or {},
            }
            rows.append(row)
        yield columns, rows


def _states(client: Client, groups: Sequence[Any], *, verbose: bool) -> Iterator[Any]:
    epochs = [("GROUP-EPOCH", 12), ("ASSIGNMENT-EPOCH", 17)] if verbose else []
    columns = [
        ("GROUP", NAME_WIDTH), ("COORDINATOR (ID)", 25), ("STATE", 15), *epochs, ("#MEMBERS", None),
    ]  # fmt: skip
    for group in groups:
        _say_state(group)
        row = {
            "GROUP": group.group_id,
            "COORDINATOR (ID)": client.coordinator(group.group_id),
            "STATE": group.group_state,
            "GROUP-EPOCH": group.group_epoch,
            "ASSIGNMENT-EPOCH": group.assignment_epoch,
            "#MEMBERS": len(group.members),
        }
        yield columns, [row]


def _say_state(group: Any) -> None:
    if group.group_state == "Empty":
        print(f"\nShare group '{group.group_id}' has no active members.", file=sys.stderr)


# --delete, --delete-offsets


def _delete(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.deletions import delete_groups, print_deleted

    states = {group.group_id: group.group_state for group in _share_groups(client)}
    names = dict.fromkeys(states if parsed.has("all-groups") else parsed.values("group"))
    results = {name: _undeletable(name, states) for name in names}
    results |= delete_groups(client, [name for name, error in results.items() if not error])
    results = {name: results[name] for name in map_order(results)}
    if parsed.has("json"):
        print_json({"GROUP": group, "ERROR": error or None} for group, error in results.items())
    else:
        print_deleted(results, "share")


def _undeletable(group: str, states: dict[str, str]) -> str:
    """Return why the tool does not delete a group, as Java prints it; "" if it does."""
    match states.get(group):
        case None:
            return f"java.lang.IllegalArgumentException: Group '{group}' is not a share group."
        case "Dead":
            return f"java.lang.IllegalStateException: Share group '{group}' group state is DEAD."
        case "Empty":
            return ""
    return error_text(ErrorCode.NON_EMPTY_GROUP, f"Share group '{group}' is not EMPTY.")


def _delete_offsets(client: Client, parsed: Parsed) -> None:
    from tidemark_protocol.messages import delete_share_group_offsets as api

    group, topics = parsed.text("group"), sorted(set(parsed.values("topic")))
    wanted = [api.DeleteShareGroupOffsetsRequestTopic(topic_name=topic) for topic in topics]
    request = api.DeleteShareGroupOffsetsRequest(group_id=group, topics=wanted)
    response = client.call_coordinator(group, request, lambda response: response.error_code)
    if response.error_code:
        results = dict.fromkeys(topics, response)
    else:
        results = {result.topic_name: result for result in response.responses}
    errors: dict[str, ErrorResponse | None] = {}
    for topic in topics:
        code, message = results[topic].error_code, results[topic].error_message
        errors[topic] = ErrorResponse(code, message) if code else None
    if parsed.has("json"):
        print_json(
            {"GROUP": group, "TOPIC": topic, "ERROR": None if error is None else java_text(error)}
            for topic, error in errors.items()
        )
        return
    first = next((errors[topic] for topic in map_order(topics) if errors[topic] is not None), None)
    if first is not None and first.code in OF_THE_GROUP:
        print(f"\nError: {first}")
    elif first is not None and first.code not in OF_A_TOPIC:
        print(f"\nError: Encounter some unknown error: {java_text(first)}")
    wide = width(NAME_WIDTH, topics)
    print(f"\n{'TOPIC':<{wide}} STATUS", end="")
    for topic, error in errors.items():
        print(f"\n{padded(topic, wide)} {'Successful' if error is None else f'Error: {error}'}", end="")
    print()


# --reset-offsets


def _reset(client: Client, parsed: Parsed) -> None:
    from tidemark_tools.groups.resets import plan_rows, print_plan

    group = parsed.text("group")
    try:
        state = described(client, [group])[0].group_state
    except ErrorResponse as error:
        if error.code != ErrorCode.GROUP_ID_NOT_FOUND:
            raise Refused(str(error)) from None
        state = "Dead"  # the first offset creates the group
    if state not in CAN_BE_RESET:
        raise Refused(f"Share group '{group}' is not empty.")
    offsets = _new_offsets(client, parsed, group)
    if parsed.has("execute"):
        _alter(client, group, offsets)
    if parsed.has("json"):
        print_json(plan_rows({group: offsets}))
    else:
        print_plan({group: offsets})


def _new_offsets(client: Client, parsed: Parsed, group: str) -> dict[TopicPartition, int]:
    from tidemark_tools.groups.resets import (
        datetime_ms,
        existing,
        offsets_at,
        offsets_at_time,
        topic_partitions,
    )

    if parsed.has("topic"):
        partitions = topic_partitions(client, parsed.values("topic"))
    else:
        partitions = existing(client, start_offsets(client, group))
    if parsed.has("to-datetime"):
        return offsets_at_time(client, partitions, datetime_ms(parsed.text("to-datetime")))
    return offsets_at(client, partitions, EARLIEST if parsed.has("to-earliest") else LATEST)


def _alter(client: Client, group: str, offsets: dict[TopicPartition, int]) -> None:
    """Set the start offsets. Raises Failed with the message of Kafka's tool."""
    from tidemark_protocol.messages import alter_share_group_offsets as api

    if not offsets:
        return
    topics = [
        api.AlterShareGroupOffsetsRequestTopic(
            topic_name=topic,
            partitions=[
                api.AlterShareGroupOffsetsRequestPartition(
                    partition_index=each.partition, start_offset=offsets[each]
                )
                for each in partitions
            ],
        )
        for topic, partitions in by_topic(offsets).items()
    ]
    request = api.AlterShareGroupOffsetsRequest(group_id=group, topics=topics)
    response = client.call_coordinator(group, request, lambda response: response.error_code)
    failed = [
        TopicPartition(topic.topic_name, result.partition_index)
        for topic in response.responses
        for result in topic.partitions
        if error_code(result.error_code)
    ]
    if response.error_code:
        failed = list(offsets)
    if failed:
        shown = ", ".join(map(str, partitions_in_order(failed)))
        raise Failed(f"Failed altering group offsets for the following partitions: [{shown}]")
