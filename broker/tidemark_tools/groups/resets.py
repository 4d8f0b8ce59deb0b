"""`--reset-offsets`: compute new offsets for a group without members, and commit them."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import (
    EARLIEST,
    LATEST,
    OFFSETS_BY_NAME,
    Client,
    TopicPartition,
    commit_error,
    read_text,
)
from tidemark_tools.client.connection import wall_ms
from tidemark_tools.client.errors import ErrorResponse, Failed
from tidemark_tools.client.membership import Position, commit_request
from tidemark_tools.client.reset_policy import duration_ms
from tidemark_tools.groups.consumer_groups import SCENARIOS
from tidemark_tools.groups.deletions import named_partitions, partitions_of
from tidemark_tools.groups.descriptions import (
    NotAConsumerGroup,
    committed,
    describe,
)
from tidemark_tools.java import EXECUTION, error_text, java_length, java_text, padded, width
from tidemark_tools.options import Parsed, UsageError

CAN_BE_RESET: Final = ("Empty", "Dead")
QUOTED_FROM: Final = 25  # Jackson puts values of this many characters or more in quotes
PLAIN_FROM: Final = "-"  # Jackson puts a value with a character below this one in quotes

Offsets = dict[TopicPartition, int]
Plan = dict[str, Offsets]

_DATETIME: Final = re.compile(
    r"(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)\.(\d+)(?:(Z)|([+-])(\d\d)(?::(\d\d))?)", re.ASCII
)


def reset(client: Client, parsed: Parsed, groups: Iterable[str]) -> Plan:
    """Return the new offsets of each group, none for a group with members. With `--execute`, commit them."""
    plan: Plan = {}
    for group in dict.fromkeys(groups):
        state = _state(client, group)
        if state not in CAN_BE_RESET:
            print(
                f"\nError: Assignments can only be reset if the group '{group}' is inactive, "
                f"but the current state is {state}."
            )
            plan[group] = {}
            continue
        plan[group] = _prepare(client, parsed, group, _scope(client, parsed, group))
        if parsed.has("execute"):
            _commit(client, group, plan[group])
    return plan


def _state(client: Client, group: str) -> str:
    """Return the group's state. An unknown group is Dead: the commit creates it."""
    try:
        return describe(client, [group])[group].state
    except NotAConsumerGroup as error:
        raise Failed(f"{EXECUTION}: {error}") from None
    except ErrorResponse as error:
        if error.code == ErrorCode.GROUP_ID_NOT_FOUND:
            return "Dead"
        raise _wrapped(error) from None


def _wrapped(error: ErrorResponse) -> Failed:
    return Failed(f"{EXECUTION}: {java_text(error)}")


def _scope(client: Client, parsed: Parsed, group: str) -> list[TopicPartition]:
    if parsed.has("all-topics"):
        return sorted(committed(client, group))
    if parsed.has("topic"):
        return topic_partitions(client, parsed.values("topic"))
    if not parsed.has("from-file"):
        raise UsageError("One of the reset scopes should be defined: --all-topics, --topic.")
    return []


def topic_partitions(client: Client, arguments: Sequence[str]) -> list[TopicPartition]:
    """Return the partitions that `--topic t:0,1` or `--topic t` names, all of which exist.

    Raises UsageError, and Failed with the message of Kafka's tool.
    """
    named, whole = named_partitions(arguments)
    expanded, wrong = partitions_of(client, whole)
    if wrong:
        raise Failed(next(iter(wrong.values())).text)
    return sorted({*existing(client, named), *expanded})


def existing(client: Client, partitions: Collection[TopicPartition]) -> list[TopicPartition]:
    """Return these partitions, in order. Raises Failed, as Kafka's tool does, if one does not exist."""
    if not partitions:
        return []
    leaders = client.leaders(sorted({partition.topic for partition in partitions}))
    topics = {partition.topic for partition in leaders}
    for partition in partitions:
        if partition.topic not in topics:
            raise Failed(f"{EXECUTION}: {error_text(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)}")
    missing = [str(partition) for partition in partitions if partition not in leaders]
    if missing:
        raise Failed(f'The partitions "{",".join(missing)}" do not exist')
    return sorted(partitions)


def _prepare(client: Client, parsed: Parsed, group: str, partitions: list[TopicPartition]) -> Offsets:
    """Compute the new offset of each partition by the requested scenario."""
    given = next((name for name in SCENARIOS if parsed.has(name)), None)
    match given:
        case "to-earliest":
            return offsets_at(client, partitions, EARLIEST)
        case "to-latest":
            return offsets_at(client, partitions, LATEST)
        case "to-offset":
            return clamped(client, dict.fromkeys(partitions, int(parsed.values(given)[0])))
        case "shift-by":
            return _shifted(client, group, partitions, int(parsed.values(given)[0]))
        case "to-current":
            return _current(client, group, partitions)
        case "to-datetime":
            return offsets_at_time(client, partitions, datetime_ms(parsed.text("to-datetime")))
        case "by-duration":
            by_ms = duration_ms(parsed.text("by-duration"))
            if by_ms is None:
                raise Failed("Text cannot be parsed to a Duration")
            return offsets_at_time(client, partitions, wall_ms() - by_ms)
        case "from-file":
            return _planned(client, parsed, group)
    names = ", ".join(f"[{name}]" for name in SCENARIOS)
    raise UsageError(f"Option '[reset-offsets]' requires one of the following scenarios: [{names}]")


def offsets_at(client: Client, partitions: Iterable[TopicPartition], time: int) -> Offsets:
    times = dict.fromkeys(partitions, time)
    listed = client.list_offsets(times) if times else {}
    for result in listed.values():
        if result.error_code:
            raise _wrapped(ErrorResponse(result.error_code))
    return {partition: listed[partition].offset for partition in sorted(listed)}


def offsets_at_time(client: Client, partitions: Iterable[TopicPartition], time_ms: int) -> Offsets:
    """Return the offset of the first record at or after the time; the end if there is none."""
    found = offsets_at(client, partitions, time_ms)
    none = [partition for partition, offset in found.items() if offset < 0]
    for partition in none:
        print(
            f"\nWarn: Partition {partition.partition} from topic {partition.topic} is empty. "
            "Falling back to latest known offset."
        )
    return found | offsets_at(client, none, LATEST)


def _shifted(client: Client, group: str, partitions: Iterable[TopicPartition], by: int) -> Offsets:
    now = {at: commit.offset for at, commit in committed(client, group).items() if commit is not None}
    for partition in partitions:
        if partition not in now:
            raise UsageError(
                f"Cannot shift offset for partition {partition} since there is no current committed offset"
            )
    return clamped(client, {partition: now[partition] + by for partition in partitions})


def _current(client: Client, group: str, partitions: Iterable[TopicPartition]) -> Offsets:
    now = committed(client, group)
    kept: Offsets = {}
    for partition in partitions:
        result = now.get(partition)
        if result is not None:
            kept[partition] = result.offset
        elif partition in now:
            raise Failed(f"Expected a valid current offset for topic partition: {partition}")
    return kept | offsets_at(client, [partition for partition in partitions if partition not in now], LATEST)


def clamped(client: Client, wanted: Mapping[TopicPartition, int]) -> Offsets:
    """Clamp each offset to [start, end] of its partition, with a warning on stderr if that changes it."""
    starts, ends = offsets_at(client, wanted, EARLIEST), offsets_at(client, wanted, LATEST)
    found: Offsets = {}
    for partition, offset in wanted.items():
        found[partition] = taken = max(starts[partition], min(offset, ends[partition]))
        if taken != offset:
            bound = "higher than latest" if offset > taken else "lower than earliest"
            print(
                f"WARN New offset ({offset}) is {bound} offset for topic partition {partition}. "
                f"Value will be set to {taken}",
                file=sys.stderr,
            )
    return found


def _planned(client: Client, parsed: Parsed, group: str) -> Offsets:
    path = parsed.text("from-file")
    groups = parsed.values("group")
    plan = read_plan(path, groups[0] if len(groups) == 1 else None)
    if group not in plan:
        print(f"\nError: No reset plan for group {group} found")
        return {}
    return clamped(client, plan[group])


def read_plan(path: str, only_group: str | None) -> Plan:
    """Parse a CSV file of `group,topic,partition,offset`; with only_group, `group` may be left out.

    Raises CannotRead, and Failed for a malformed line.
    """
    import csv
    from io import StringIO

    lines = [line for line in csv.reader(StringIO(read_text(path), newline="")) if line]
    if not lines:
        raise Failed(f"{path} is empty")
    without_group = only_group is not None and _is_offset(lines[0])
    plan: Plan = {}
    for number, line in enumerate(lines, 1):
        group, fields = (only_group, line) if without_group else (line[0], line[1:])
        if not without_group and number == 1 and len(line) < 4:
            return {}  # Kafka's tool reads such a file as the plan of some other group
        if not _is_offset(fields):
            shape = "topic,partition,offset" if without_group else "group,topic,partition,offset"
            raise Failed(f"{path}: line {number} is not {shape}")
        plan.setdefault(group or "", {})[TopicPartition(fields[0], int(fields[1]))] = int(fields[2])
    return plan


def _is_offset(fields: Sequence[str]) -> bool:
    return len(fields) == 3 and all(re.fullmatch(r"[+-]?\d+", field, re.ASCII) for field in fields[1:])


def _commit(client: Client, group: str, offsets: Mapping[TopicPartition, int]) -> None:
    if not offsets:
        return
    positions = {partition: Position(offset) for partition, offset in offsets.items()}
    request = commit_request(positions, group_id=group, generation_id_or_member_epoch=-1)
    response = client.call_coordinator(group, request, commit_error, max_version=OFFSETS_BY_NAME)
    if code := commit_error(response):
        raise _wrapped(ErrorResponse(code))


def print_plan(plan: Plan) -> None:
    """Print a table of the new offsets."""
    topics = [partition.topic for offsets in plan.values() for partition in offsets]
    wide = width(15, plan), width(15, topics)
    rows: list[tuple[Any, ...]] = [tuple(row.values()) for row in plan_rows(plan)]
    if plan:
        rows.insert(0, ("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"))
    for group, topic, partition, offset in rows:
        print(f"\n{padded(group, wide[0])} {padded(topic, wide[1])} {partition!s:<10} {offset}", end="")
    print()


def plan_rows(plan: Plan) -> list[dict[str, Any]]:
    return [
        {"GROUP": group, "TOPIC": partition.topic, "PARTITION": partition.partition, "NEW-OFFSET": offset}
        for group, offsets in plan.items()
        for partition, offset in sorted(offsets.items())
    ]


def exported(plan: Plan, *, with_group: bool) -> str:
    """Return the plan as CSV for `--from-file`, one line per partition."""
    lines = []
    for row in plan_rows(plan):
        named = [_quoted(row["GROUP"])] if with_group else []
        lines.append(f"{','.join([*named, _quoted(row['TOPIC'])])},{row['PARTITION']},{row['NEW-OFFSET']}\n")
    return "".join(lines)


def _quoted(text: str) -> str:
    if java_length(text) < QUOTED_FROM and not any(character < PLAIN_FROM for character in text):
        return text
    return '"' + text.replace('"', '""') + '"'


def datetime_ms(text: str) -> int:
    """Parse `YYYY-MM-DDTHH:mm:SS.sss`, then Z, +02, +02:00 or nothing (UTC). Return milliseconds.

    As in Java's SimpleDateFormat, the fraction is a number of milliseconds, and trailing text is ignored.
    """
    parts = text.split("T")
    if len(parts) < 2:
        raise Failed(
            "java.text.ParseException: Error parsing timestamp. "
            "It does not contain a 'T' according to ISO8601 format"
        )
    zoned = text if any(mark in parts[1] for mark in "+-Z") else text + "Z"
    found = _DATETIME.match(zoned)
    try:
        if found is None or int(found[7]) > 999:
            raise ValueError
        year, month, day, hour, minute, second, millis = (int(found[n]) for n in range(1, 8))
        away = timedelta(hours=int(found[10] or 0), minutes=int(found[11] or 0))
        zone = timezone(-away if found[9] == "-" else away)
        at = datetime(year, month, day, hour, minute, second, millis * 1000, zone)
    except ValueError:
        raise Failed(f'java.text.ParseException: Unparseable date: "{zoned}"') from None
    return round((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))
