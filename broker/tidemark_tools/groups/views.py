"""The views of `--describe`: offsets, members or state of groups, as tables or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import LATEST, Client, TopicPartition
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import ErrorResponse, Failed
from tidemark_tools.groups.descriptions import Description, Member, committed, describe
from tidemark_tools.java import EXECUTION, error_text, padded, width

MISSING: Final = "-"
NAME_WIDTH: Final = 15
INSTANCE_WIDTH: Final = 17
ASSIGNMENT_WIDTH: Final = 20
COORDINATOR_WIDTH: Final = 25
DEAD: Final = "Dead"
EMPTY: Final = "Empty"
REBALANCING: Final = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")

# (title, minimum width; None for a last column without padding). Only the columns in WIDE grow with their
# longest cell, as in Kafka's tool.
Column = tuple[str, int | None]
WIDE: Final = frozenset((
    "GROUP", "TOPIC", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "COORDINATOR (ID)",
    "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT",
))  # fmt: skip
Row = dict[str, Any]  # by column title; None is shown as MISSING, and as null in JSON
Table = tuple[list[Column], list[Row]]


def offsets(client: Client, groups: Iterable[str], *, verbose: bool) -> Iterator[Table]:
    """Yield the offsets of each group that has some, after printing notes about the groups on stderr."""
    epoch: list[Column] = [("LEADER-EPOCH", 15)] if verbose else []
    columns = [
        ("GROUP", NAME_WIDTH), ("TOPIC", NAME_WIDTH), ("PARTITION", 10), *epoch, ("CURRENT-OFFSET", 15),
        ("LOG-END-OFFSET", 15), ("LAG", 15), ("CONSUMER-ID", NAME_WIDTH), ("HOST", NAME_WIDTH),
        ("CLIENT-ID", None),
    ]  # fmt: skip
    found = [(result, _offset_rows(client, result)) for result in describe(client, groups).values()]
    existing = [rows for result, rows in found if say_state(result.group, result.state)]
    yield from ((columns, rows) for rows in existing if rows)


def _offset_rows(client: Client, result: Description) -> list[Row]:
    """List partitions by member, the one with most partitions first; then partitions without a member."""
    offsets = committed(client, result.group)
    owners: list[tuple[Member | None, TopicPartition]] = [
        (member, partition)
        for member in sorted(result.members, key=lambda member: -len(member.assigned))
        for partition in sorted(set(member.assigned))
    ]
    owned = {partition for _, partition in owners}
    owners += [(None, partition) for partition in sorted(offsets) if partition not in owned]
    ends = _ends(client, owned | offsets.keys())
    rows = []
    for member, partition in owners:
        if partition not in ends:
            continue
        commit, end = offsets.get(partition), ends[partition]
        offset = None if commit is None else commit.offset
        rows.append(
            {
                "GROUP": result.group,
                "TOPIC": partition.topic,
                "PARTITION": partition.partition,
                "LEADER-EPOCH": None if commit is None else commit.leader_epoch,
                "CURRENT-OFFSET": offset,
                "LOG-END-OFFSET": end,
                "LAG": None if offset is None or end is None else end - offset,
                "CONSUMER-ID": None if member is None else member.member_id,
                "HOST": None if member is None else member.host,
                "CLIENT-ID": None if member is None else member.client_id,
            }
        )
    return rows


def _ends(client: Client, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int | None]:
    """Return the log end offsets; None for a partition without a leader.

    Partitions that do not exist are left out. A topic that does not exist ends the command, as in Kafka's
    tool.
    """
    wanted = set(partitions)
    if not wanted:
        return {}
    topics = {partition.topic for partition in wanted}
    leaders = client.leaders(sorted(topics))
    if topics - {partition.topic for partition in leaders}:
        raise Failed(f"{EXECUTION}: {error_text(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)}")
    led = {partition: LATEST for partition in wanted if leaders.get(partition) is not None}
    listed = client.list_offsets(led) if led else {}
    ends: dict[TopicPartition, int | None] = {partition: None for partition in wanted if partition in leaders}
    for partition, result in listed.items():
        if result.error_code:
            raise ErrorResponse(result.error_code)
        ends[partition] = result.offset
    return ends


def members(client: Client, groups: Iterable[str], *, verbose: bool) -> Iterator[Table]:
    """Yield the members of each group. As in Kafka's tool, a dead group has a header, too."""
    found = describe(client, groups)
    for result in found.values():
        say_state(result.group, result.state)
    for result in found.values():
        rows: list[Row] = [
            {
                "GROUP": result.group,
                "CONSUMER-ID": member.member_id,
                "GROUP-INSTANCE-ID": member.instance_id or "",
                "HOST": member.host,
                "CLIENT-ID": member.client_id,
                "#PARTITIONS": len(member.assigned),
                "CURRENT-EPOCH": member.epoch,
                "CURRENT-ASSIGNMENT": partitions_by_topic(member.assigned),
                "TARGET-EPOCH": result.target_epoch,
                "TARGET-ASSIGNMENT": partitions_by_topic(member.target or []),
                "UPGRADED": member.upgraded,
            }
            for member in result.members
        ]
        yield _member_columns(rows, verbose=verbose), rows


def partitions_by_topic(partitions: Sequence[TopicPartition]) -> dict[str, list[int]] | None:
    """Return the partition indexes of each topic, or None if there are none."""
    topics: dict[str, list[int]] = {}
    for partition in sorted(partitions):
        topics.setdefault(partition.topic, []).append(partition.partition)
    # Kafka's tool sorts the texts with the colon: "a-b:0" is before "a:0".
    return dict(sorted(topics.items(), key=lambda each: f"{each[0]}:")) or None


def _member_columns(rows: Sequence[Row], *, verbose: bool) -> list[Column]:
    """Return the columns. GROUP-INSTANCE-ID appears if a member has one, UPGRADED during a migration."""
    static = any(row["GROUP-INSTANCE-ID"] for row in rows)
    instance: list[Column] = [("GROUP-INSTANCE-ID", INSTANCE_WIDTH)] if static else []
    columns: list[Column] = [
        ("GROUP", NAME_WIDTH), ("CONSUMER-ID", NAME_WIDTH), *instance, ("HOST", NAME_WIDTH),
        ("CLIENT-ID", NAME_WIDTH), ("#PARTITIONS", 15),
    ]  # fmt: skip
    if verbose:
        columns += [
            ("CURRENT-EPOCH", 15), ("CURRENT-ASSIGNMENT", ASSIGNMENT_WIDTH),
            ("TARGET-EPOCH", 15), ("TARGET-ASSIGNMENT", ASSIGNMENT_WIDTH),
        ]  # fmt: skip
    if verbose and {True, False} <= {row["UPGRADED"] for row in rows}:
        columns.append(("UPGRADED", None))
    return columns


def states(client: Client, groups: Iterable[str], *, verbose: bool) -> Iterator[Table]:
    """Yield one row for each group, after printing notes about the groups on stderr."""
    epochs: list[Column] = [("GROUP-EPOCH", 15), ("TARGET-ASSIGNMENT-EPOCH", 25)] if verbose else []
    columns = [
        ("GROUP", NAME_WIDTH), ("COORDINATOR (ID)", COORDINATOR_WIDTH), ("ASSIGNMENT-STRATEGY", 20),
        ("STATE", 20), *epochs, ("#MEMBERS", None),
    ]  # fmt: skip
    found = describe(client, groups).values()
    for result in [each for each in found if say_state(each.group, each.state)]:
        row = {
            "GROUP": result.group,
            "COORDINATOR (ID)": result.coordinator,
            "ASSIGNMENT-STRATEGY": result.assignor or None,
            "STATE": result.state,
            "GROUP-EPOCH": result.epoch,
            "TARGET-ASSIGNMENT-EPOCH": result.target_epoch,
            "#MEMBERS": len(result.members),
        }
        yield columns, [row]


def say_state(group: str, state: str) -> bool:
    """Print a note if the group's state needs one. Return whether the group exists."""
    if state == DEAD:
        print(f"\nError: Consumer group '{group}' does not exist.")
    elif state == EMPTY:
        print(f"\nConsumer group '{group}' has no active members.", file=sys.stderr)
    elif state in REBALANCING:
        print(f"\nWarning: Consumer group '{group}' is rebalancing.", file=sys.stderr)
    return state != DEAD


def print_table(columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """Print a table. As in Kafka's tool, each line starts with a newline, and the table ends with one."""
    lines = [[title for title, _ in columns], *([_cell(row[title]) for title, _ in columns] for row in rows)]
    widths = [
        width(least, (line[n] for line in lines[1:])) if least and title in WIDE else least or 0
        for n, (title, least) in enumerate(columns)
    ]
    # Kafka's format for members without --verbose has a blank after the last column.
    end = " " if columns[-1][0] == "#PARTITIONS" else ""
    for line in lines:
        print(f"\n{' '.join(map(padded, line, widths))}", end=end)
    print()


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, BrokerEndpoint):
        return f"{value.host}:{value.port}  ({value.node_id})"
    if isinstance(value, dict):
        return ";".join(f"{topic}:{','.join(map(str, indexes))}" for topic, indexes in value.items())
    return MISSING if value is None else str(value)
