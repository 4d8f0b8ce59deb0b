"""GET /v1/offsets: committed offsets, each with its lag and its expiry."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.groups.explain import explain_offset
from tidemark.groups.group import Group
from tidemark.groups.offsets import TopicPartition, lag_of
from tidemark_expiry.rules import ABSENT, Rule
from tidemark_http.operations import operation
from tidemark_http.paging import ENTRY, in_order, new_slice, write_cursor
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.queries.view import View, view_of
from tidemark_http.responses import HttpError, long_response
from tidemark_protocol.records.offset_commit import OffsetCommitValue

QUERY: Final = ("group", "topic", "partition", "limit", "cursor")


@operation("Committed offsets, each with its lag and its expiry", query=QUERY)
async def offsets(ports: Ports, request: Request) -> Response:
    query = Query(request, *QUERY)
    view, limit, after = view_of(ports), query.limit(), query.cursor(str, str, int)
    name, topic, partition = query.text("group"), query.text("topic"), query.number("partition", range(2**31))
    if name is not None:
        view.known_group(name)
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    async for group_id, where in _keys(view, name, topic, partition, after):
        group, value = view.group(group_id), ports.groups.offsets.get(group_id, *where)
        if group is None or value is None:
            continue
        if len(entries) == limit:
            last = entries[-1]
            cursor = write_cursor(last["group"], last["topic"], last["partition"])
            return long_response({"offsets": entries, "cursor": cursor})
        entries.append(offset_entry(view, group, where, value))
        await budget.pause(ENTRY)
    if topic is not None and not entries and topic not in ports.cluster.topics:
        raise HttpError(404, "unknown_topic", f"there is no topic {topic!r}", "topic")
    return long_response({"offsets": entries, "cursor": None})


async def _keys(
    view: View, name: str | None, topic: str | None, partition: int | None, after: tuple[Any, ...] | None
) -> AsyncIterator[tuple[str, TopicPartition]]:
    """Yield the keys of the requested offsets, in order of group, topic and partition.

    A key may lack an offset: it may have been deleted since, or never committed.
    """
    groups = view.ports.groups

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
    ends = view.ports.log_ends(*where)
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
