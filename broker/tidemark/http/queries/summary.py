"""GET /v1/groups/summary: one short line about each group, cheap enough to be requested every second.

A group's line has no sentence and no members: `/v1/groups?group=` has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.clock import turn
from tidemark.groups.group import Group
from tidemark.groups.pending import TopicPartition
from tidemark.groups.retention import Foresight
from tidemark.http.paging import OFFSETS_PER_TURN, in_order, new_slice, write_cursor
from tidemark.http.parameters import Query
from tidemark.http.ports import Ports
from tidemark.http.queries.view import View, view_of
from tidemark.http.responses import json_response, long_response
from tidemark_protocol.records.offset_commit import OffsetCommitValue

GROUP: Final = 4  # the work of a group, and of four of its offsets, in offsets examined elsewhere

NAMES_MAX: Final = 100_000  # characters of group ids that are encoded in one turn
Ends = dict[TopicPartition, int | None]  # log end offsets, read once for all groups


async def summary(ports: Ports, request: Request) -> Response:
    query = Query(request, "search", "limit", "cursor")
    view, limit, after = view_of(ports), query.limit(), query.cursor(str)
    searched = (query.text("search") or "").casefold()
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    ends: Ends = {}
    budget = new_slice()

    def wanted(group_id: str) -> bool:
        return (after is None or group_id > after[0]) and (not searched or searched in group_id.casefold())

    async for group_id in in_order([*ports.groups.groups], wanted):
        group = view.group(group_id)
        if group is None:
            continue
        if len(entries) == limit:
            cursor = write_cursor(entries[-1]["group"])
            break
        entry = await _line(view, group, ends)
        entries.append(entry)
        await budget.checkpoint(GROUP + entry["offsets"] // 4)
    total = len(ports.groups.groups)
    body = {"now_ms": view.now_ms, "total": total, "groups": entries, "cursor": cursor}
    # A response in pieces costs 2 ms more.
    at_once = sum(len(each["group"]) for each in entries) < NAMES_MAX
    return json_response(body) if at_once else long_response(body)


async def _line(view: View, group: Group, ends: Ends) -> dict[str, Any]:
    offsets = view.ports.groups.offsets.of(group.group_id)
    foresight = Foresight(view.ports.groups, group)
    lags = _Lags(view, ends)
    if len(offsets) <= OFFSETS_PER_TURN:
        _examine(view, group, offsets.items(), foresight, lags)
    else:
        items = [*offsets.items()]
        for begin in range(0, len(items), OFFSETS_PER_TURN):
            _examine(view, group, items[begin : begin + OFFSETS_PER_TURN], foresight, lags)
            await turn()
    return {
        "group": group.group_id,
        "type": group.type_name,
        "state": group.state_name,
        "members": len(group.member_ids),
        "topics": len(lags.topics),
        "offsets": len(offsets),
        "lag": lags.total,
        "next_expiry_ms": foresight.next_ms,
    }


def _examine(
    view: View,
    group: Group,
    offsets: Iterable[tuple[TopicPartition, OffsetCommitValue]],
    foresight: Foresight,
    lags: _Lags,
) -> None:
    """Add these offsets to the group's line.

    One commit of many partitions gives them the same time: then they expire together, and the rule is
    evaluated once for each topic.
    """
    ends, topics, total = lags.ends, lags.topics, lags.total
    has_pending = view.ports.groups.offsets.has_pending(group.group_id)
    topic: str | None = None
    commit_ms = expire_ms = 0
    for where, value in offsets:
        if (
            value.commit_timestamp != commit_ms
            or where[0] is not topic
            or value.expire_timestamp != expire_ms
            or has_pending
        ):
            topic, commit_ms, expire_ms = where[0], value.commit_timestamp, value.expire_timestamp
            topics.add(topic)
            foresight.add(view.expiry(group, where, value))
        end = ends[where] if where in ends else lags.read_end(where)
        if end is not None:
            lag = end - value.offset
            if total is None or lag > 0:
                total = (total or 0) + max(lag, 0)
    lags.total = total


class _Lags:
    """The topics of a group, and the sum of its positive lags. None: no partition exists."""

    __slots__ = ("_log_ends", "ends", "topics", "total")

    def __init__(self, view: View, ends: Ends) -> None:
        self._log_ends = view.ports.log_ends
        self.ends = ends
        self.topics: set[str] = set()
        self.total: int | None = None

    def read_end(self, where: TopicPartition) -> int | None:
        found = self._log_ends(*where)
        self.ends[where] = end = None if found is None else found[1]
        return end
