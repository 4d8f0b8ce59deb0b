"""GET /v1/groups/summary: one short line about each group, cheap enough to be requested every second.

A group's line has no sentence and no members: `/v1/groups?group=` has them.
"""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.clock import turn
from tidemark.groups.group import Group
from tidemark.groups.pending import TopicPartition
from tidemark.groups.retention import Foresight, expiries_of
from tidemark.http.operations import operation
from tidemark.http.paging import OFFSETS_PER_TURN, in_order, new_slice, write_cursor
from tidemark.http.parameters import Query
from tidemark.http.ports import Ports
from tidemark.http.queries.view import View, view_of
from tidemark.http.responses import long_response
from tidemark_expiry.rules import Expiry

Ends = dict[TopicPartition, int | None]  # log end offsets, read once for all groups


QUERY: Final = ("search", "limit", "cursor")


@operation("Groups with few facts each, for a list", query=QUERY)
async def summary(ports: Ports, request: Request) -> Response:
    query = Query(request, *QUERY)
    view, limit, after = view_of(ports), query.limit(), query.cursor(str)
    searched = (query.text("search") or "").casefold()
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    ends: Ends = {}
    budget = new_slice()

    def wanted(group_id: str) -> bool:
        return (after is None or group_id > after[0]) and searched in group_id.casefold()

    async for group_id in in_order([*ports.groups.groups], wanted):
        group = view.group(group_id)
        if group is None:
            continue
        if len(entries) == limit:
            cursor = write_cursor(entries[-1]["group"])
            break
        entry = await _line(view, group, ends)
        entries.append(entry)
        await budget.checkpoint(1 + entry["offsets"])
    total = len(ports.groups.groups)
    return long_response({"now_ms": view.now_ms, "total": total, "groups": entries, "cursor": cursor})


async def _line(view: View, group: Group, ends: Ends) -> dict[str, Any]:
    groups = view.ports.groups
    foresight = Foresight(groups, group)
    lag: int | None = None
    last: Expiry | None = None
    topic, topics = None, set()
    places = [*groups.offsets.of(group.group_id)]
    for begin in range(0, len(places), OFFSETS_PER_TURN):
        if begin:
            await turn()
        some = places if len(places) <= OFFSETS_PER_TURN else places[begin : begin + OFFSETS_PER_TURN]
        for where, value, expiry in expiries_of(groups, group, some, view.now_ms, view.retention.ms):
            if expiry is not last:
                foresight.add(expiry)
                last = expiry
            if where[0] is not topic:
                topic = where[0]
                topics.add(topic)
            try:
                end = ends[where]
            except KeyError:
                end = ends[where] = _log_end(view, where)
            if end is not None:
                lag = (lag or 0) + max(end - value.offset, 0)
    return {
        "group": group.group_id,
        "type": group.type_name,
        "state": group.state_name,
        "state_since_ms": group.state_since_ms,
        "members": len(group.member_ids),
        "topics": len(topics),
        "offsets": len(places),
        "lag": lag,
        "next_expiry_ms": foresight.next_ms,
        "due_ms": foresight.group_due_ms,
    }


def _log_end(view: View, where: TopicPartition) -> int | None:
    found = view.ports.log_ends(*where)
    return None if found is None else found[1]
