"""GET /v1/expiry: the offsets and groups that expire next."""

from __future__ import annotations

import heapq
from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.clock import turn
from tidemark.groups.expirations import Foresight
from tidemark_http.operations import operation
from tidemark_http.paging import ENTRY, OFFSETS_PER_TURN, new_slice, write_cursor
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.queries.offsets import offset_entry
from tidemark_http.queries.view import View, expiries, view_of
from tidemark_http.responses import long_response

INT_MAX: Final = 2**31 - 1
FOREVER_MS: Final = 2**64
OFFSET: Final = 0
GROUP: Final = 1
Due = tuple[int, int, str, str, int]  # due_ms, OFFSET or GROUP, group id, topic, partition


QUERY: Final = ("within", "group", "retention_minutes", "limit", "cursor")


@operation("What expires within a time, the soonest first", query=QUERY)
async def expiry(ports: Ports, request: Request) -> Response:
    query = Query(request, *QUERY)
    view = view_of(ports, query.number("retention_minutes", range(1, INT_MAX + 1)))
    until_ms = view.now_ms + query.duration_ms("within", "7d")
    limit, after, name = query.limit(), query.cursor(int, int, str, str, int), query.text("group")
    if name is not None:
        view.known_group(name)
    due = await _soonest(view, name, until_ms, after, limit + 1)
    return long_response(
        {
            "now_ms": view.now_ms,
            "retention_ms": view.retention.ms,
            "offsets": await _due_offsets(view, due[:limit]),
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


async def _due_offsets(view: View, due: list[Due]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    for _, kind, group_id, topic, partition in due:
        group, value = view.group(group_id), view.ports.groups.offsets.get(group_id, topic, partition)
        if kind == OFFSET and group is not None and value is not None:
            entries.append(offset_entry(view, group, (topic, partition), value))
            await budget.pause(ENTRY)
    return entries


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
    groups = view.ports.groups
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
