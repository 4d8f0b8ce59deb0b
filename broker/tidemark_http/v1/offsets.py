"""/v1/offsets, /v1/lag, /v1/expiry and /v1/expiry/log: committed offsets, and when and why they expire."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import AsyncIterator
from operator import itemgetter
from typing import Any, Final

from starlette.responses import Response

from tidemark.clock import turn
from tidemark.core.decision import Cause, Removal
from tidemark.groups.expirations import Foresight
from tidemark.groups.explain import explain_offset
from tidemark.groups.group import Group
from tidemark.groups.offsets import TopicPartition, add_lag, lag_of
from tidemark.node.node import Node
from tidemark_expiry.rules import ABSENT, Rule
from tidemark_http.operations import operation
from tidemark_http.parameters import Query, unknown_topic
from tidemark_http.responses import (
    ENTRY,
    OFFSETS_PER_TURN,
    HttpError,
    csv_response,
    in_order,
    json_response,
    long_response,
    new_slice,
    write_cursor,
)
from tidemark_http.v1.groups import View, expiries
from tidemark_http.v1.records import required
from tidemark_protocol.records.offset_commit import OffsetCommitValue

INT_MAX: Final = 2**31 - 1
FOREVER_MS: Final = 2**64
OFFSET: Final = 0
GROUP: Final = 1
Due = tuple[int, int, str, str, int]  # due_ms, OFFSET or GROUP, group id, topic, partition


@operation(
    "Committed offsets, each with its lag and its expiry",
    query=("group", "topic", "partition", "limit", "cursor"),
)
async def offsets(node: Node, query: Query) -> Response:
    view, limit, after = View(node), query.limit(), query.cursor(str, str, int)
    name, topic, partition = query.text("group"), query.text("topic"), query.number("partition", range(2**31))
    if name is not None:
        view.known_group(name)
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    async for group_id, where in _keys(view, name, topic, partition, after):
        group, value = view.group(group_id), view.groups.offsets.get(group_id, *where)
        if group is None or value is None:
            continue
        if len(entries) == limit:
            last = entries[-1]
            cursor = write_cursor(last["group"], last["topic"], last["partition"])
            return long_response({"offsets": entries, "cursor": cursor})
        entries.append(offset_entry(view, group, where, value))
        await budget.pause(ENTRY)
    if topic is not None and not entries and topic not in view.state.cluster.topics:
        raise unknown_topic(topic)
    return long_response({"offsets": entries, "cursor": None})


async def _keys(
    view: View, name: str | None, topic: str | None, partition: int | None, after: tuple[Any, ...] | None
) -> AsyncIterator[tuple[str, TopicPartition]]:
    """Yield the keys of the requested offsets, in order of group, topic and partition.

    A key may lack an offset: it may have been deleted since, or never committed.
    """
    groups = view.groups

    def wanted(where: TopicPartition) -> bool:
        return (topic is None or where[0] == topic) and (partition is None or where[1] == partition)

    if name is not None and topic is not None and partition is not None:
        if after is None or (name, topic, partition) > after:
            yield name, (topic, partition)
        return
    first, begin = ("", None) if after is None else (after[0], after[1:])
    names = [*groups.groups] if name is None else [name]
    budget = new_slice()
    async for group_id in in_order(names, lambda each: each >= first):
        keys: list[TopicPartition] = [*groups.offsets.of(group_id)]
        begun = begin is not None and group_id == first
        keep = (lambda where: wanted(where) and where > begin) if begun else wanted
        async for where in in_order(keys, keep):
            yield group_id, where
        await budget.pause(1 + len(keys) // 2)


def offset_entry(view: View, group: Group, where: TopicPartition, value: OffsetCommitValue) -> dict[str, Any]:
    """Return the JSON of a committed offset."""
    expiry = view.expiry(group, where, value)
    ends = view.state.logs.ends(*where)
    log_end = None if ends is None else ends[1]
    return {
        "group": group.group_id,
        "topic": where[0],
        "partition": where[1],
        "offset": value.offset,
        "leader_epoch": value.leader_epoch,
        "metadata": value.metadata,
        "committed_ms": value.commit_timestamp,
        "expire_ms": None if value.expire_timestamp == ABSENT else value.expire_timestamp,
        "log_end_offset": log_end,
        "lag": lag_of(value.offset, log_end),
        "rule": expiry.rule,
        "since_ms": expiry.since_ms,
        "due_ms": expiry.due_ms,
        "expired": expiry.expired(view.now_ms),
        "subscribed": group.is_subscribed(where[0]),
        "explanation": explain_offset(
            group,
            where,
            value,
            expiry,
            wall_ms=view.now_ms,
            retention=view.retention,
            holders=view.holders(group, where) if expiry.rule is Rule.PENDING_TRANSACTION else (),
        ),
    }


@operation(
    "The records that a group has not committed",
    query=("group", "topic", "sort", "limit"),
    required=("group",),
)
async def lag(node: Node, query: Query) -> Response:
    name, topic = required(query.text("group"), "group"), query.text("topic")
    by_lag = query.choice("sort", "name", "lag") == "lag"
    limit = None if query.text("limit") is None else query.limit()
    view, state = View(node), node.current.state
    group = view.known_group(name)
    if topic is not None and topic not in state.cluster.topics:
        raise unknown_topic(topic)
    budget = new_slice()
    entries: list[dict[str, Any]] = []
    total: int | None = None
    without_offset = 0
    topics = {topic} if topic is not None else {*(group.subscribed_topics or ())}
    for where in [*state.groups.offsets.of(name)] if topic is None else ():
        topics.add(where[0])
        await budget.pause()
    for each in sorted(topics):
        found = state.cluster.topics.get(each)
        for partition in range(0 if found is None else len(found.partitions)):
            ends = state.logs.ends(each, partition)
            start, end = ends or (0, 0)
            value = state.groups.offsets.get(name, each, partition)
            offset = None if value is None else value.offset
            behind = lag_of(offset, None if ends is None else end)
            total = add_lag(total, behind)
            without_offset += offset is None
            entries.append(
                {
                    "topic": each,
                    "partition": partition,
                    "offset": offset,
                    "log_start_offset": start,
                    "log_end_offset": end,
                    "lag": behind,
                }
            )
            await budget.pause()
    body: dict[str, Any] = {"group": name, "lag": total, "without_offset": without_offset}
    if limit is not None:
        body["total"] = len(entries)
        entries = heapq.nsmallest(limit, entries, _uncommitted) if by_lag else entries[:limit]
        for entry in entries:
            entry |= _when(view, group, (entry["topic"], entry["partition"]))
    elif by_lag:
        raise HttpError(422, "missing_field", "sort=lag needs limit", "limit")
    return long_response({**body, "partitions": entries})


def _uncommitted(entry: dict[str, Any]) -> int:
    """Return the negative number of records after the committed offset, or of all without one."""
    if entry["offset"] is None:
        return int(entry["log_start_offset"] - entry["log_end_offset"])
    return -int(entry["lag"] or 0)


def _when(view: View, group: Group, where: TopicPartition) -> dict[str, Any]:
    """Return when the offset was committed and when it expires, None without an offset."""
    value = view.groups.offsets.get(group.group_id, *where)
    if value is None:
        return {"committed_ms": None, "metadata": None, "rule": None, "due_ms": None}
    expiry = view.expiry(group, where, value)
    return {
        "committed_ms": value.commit_timestamp,
        "metadata": value.metadata,
        "rule": expiry.rule,
        "due_ms": expiry.due_ms,
    }


@operation("The rules that decide when the offsets of a group expire", query=("group",), required=("group",))
async def expiry_rules(node: Node, query: Query) -> Response:
    view, name = View(node), required(query.text("group"), "group")
    group = view.known_group(name)
    counts: Counter[Rule] = Counter()
    first: dict[Rule, tuple[int, TopicPartition]] = {}  # the offset of each rule that expires first
    last_ms: dict[Rule, int | None] = {}
    for found in expiries(view, group):
        if found is None:
            await turn()
            continue
        where, each = found
        counts[each.rule] += 1
        due = (FOREVER_MS if each.due_ms is None else each.due_ms, where)
        first[each.rule] = min(first.get(each.rule, due), due)
        last_ms[each.rule] = max(last_ms.get(each.rule) or 0, each.due_ms or 0) or None
    rules = []
    for rule, (_, where) in sorted(first.items(), key=itemgetter(1)):
        value = view.groups.offsets.get(name, *where)
        if value is not None:  # it was not deleted meanwhile
            shown = offset_entry(view, group, where, value)
            rules.append(
                {
                    "rule": rule,
                    "offsets": counts[rule],
                    "first_due_ms": shown["due_ms"],
                    "last_due_ms": last_ms[rule],
                    "topic": where[0],
                    "partition": where[1],
                    "explanation": shown["explanation"],
                }
            )
    return json_response({"group": name, "rules": rules})


@operation(
    "What expires within a time, the soonest first",
    query=("within", "group", "retention_minutes", "limit", "cursor"),
)
async def expiry(node: Node, query: Query) -> Response:
    view = View(node, query.number("retention_minutes", range(1, INT_MAX + 1)))
    until_ms = view.now_ms + query.duration_ms("within", "7d")
    limit, after, name = query.limit(), query.cursor(int, int, str, str, int), query.text("group")
    if name is not None:
        view.known_group(name)
    due = await _soonest(view, name, until_ms, after, limit + 1)
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    for _, kind, group_id, topic, partition in due[:limit]:
        group, value = view.group(group_id), view.groups.offsets.get(group_id, topic, partition)
        if kind == OFFSET and group is not None and value is not None:
            entries.append(offset_entry(view, group, (topic, partition), value))
            await budget.pause(ENTRY)
    return long_response(
        {
            "now_ms": view.now_ms,
            "retention_ms": view.retention.ms,
            "offsets": entries,
            "groups": [{"group": each[2], "due_ms": each[0]} for each in due[:limit] if each[1] == GROUP],
            "cursor": write_cursor(*due[limit - 1]) if len(due) > limit else None,
        }
    )


async def next_expiry_ms(view: View, name: str | None) -> int | None:
    """Return when the next offset expires, or the group if it has none; None if nothing ever expires.

    name: consider this group only.
    """
    due = await _soonest(view, name, FOREVER_MS, None, 1)
    return due[0][0] if due else None


async def _soonest(
    view: View, name: str | None, until_ms: int, after: tuple[Any, ...] | None, count: int
) -> list[Due]:
    """Return the first `count` that are due by until_ms and follow the cursor position."""
    best: list[Due] = []
    waiting: list[Due] = []
    async for due in _all_due(view, name):
        if due[0] <= until_ms and (after is None or due > after):
            waiting.append(due)
            if len(waiting) >= OFFSETS_PER_TURN:
                best = heapq.nsmallest(count, best + waiting)
                waiting = []
                await turn()
    return heapq.nsmallest(count, best + waiting)


async def _all_due(view: View, name: str | None) -> AsyncIterator[Due]:
    groups = view.groups
    budget = new_slice()
    for group_id in [*groups.groups] if name is None else [name]:
        group = view.group(group_id)
        if group is None:
            continue
        foresight = Foresight(groups, group)
        for found in expiries(view, group):
            if found is None:
                await turn()
                continue
            where, outcome = found
            foresight.add(outcome)
            if outcome.due_ms is not None:
                yield outcome.due_ms, OFFSET, group_id, *where
        if foresight.group_due_ms is not None:
            yield foresight.group_due_ms, GROUP, group_id, "", 0
        await budget.pause(1 + foresight.offsets)


@operation("Removed offsets, the oldest first", query=("group", "topic", "format", "limit", "cursor"))
async def removals(node: Node, query: Query) -> Response:
    as_csv = query.choice("format", "json", "reset-csv") == "reset-csv"
    name, topic, limit, after = query.text("group"), query.text("topic"), query.limit(), query.cursor(int)
    for unused in ("limit", "cursor"):
        if as_csv and query.text(unused) is not None:
            raise HttpError(
                422, "invalid_value", f"reset-csv does not accept {unused}: it has no pages", unused
            )
    state, log = node.current.state, node.current.engine.removals
    entries: list[Removal] = []
    rows: dict[tuple[str, str, int], int] = {}  # (group, topic, partition) -> offset to reset to
    kept, budget = log.since(0 if after is None else after[0]), new_slice()
    position = log.count - len(kept)
    for number, removal in enumerate(kept, 1):
        await budget.pause(1)
        if name not in (None, removal.group) or topic not in (None, removal.topic):
            continue
        if as_csv:
            # The last removal of a partition wins. There is no row if the group has committed since, or if
            # the topic was deleted since: a new topic of that name has other offsets.
            where = (removal.group, removal.topic, removal.partition)
            rows.pop(where, None)
            known = state.cluster.topics.get(removal.topic)
            if known is None or removal.cause is Cause.TOPIC_DELETE or removal.at_ms < known.created_ms:
                continue
            if state.groups.offsets.get(*where) is None:
                rows[where] = removal.offset
        elif len(entries) == limit:
            return long_response({"removals": entries, "cursor": write_cursor(position + number - 1)})
        else:
            entries.append(removal)
    if as_csv:
        # Kafka's tool first reads rows without a group, and prints a stack trace if they have one.
        cells = ((*where, offset) for where, offset in rows.items())
        return csv_response(cells if name is None else (row[1:] for row in cells))
    return long_response({"removals": entries, "cursor": None})
