"""GET /v1/groups/summary: one short line about each group, cheap enough to be requested every second.

A group's line has no sentence and no members: `/v1/groups?group=` has them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.groups.group import Group
from tidemark.groups.offsets import TopicPartition, add_lag, lag_of
from tidemark_http.paging import OFFSETS_PER_TURN, in_order, new_slice, write_cursor
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.queries.view import View, view_of
from tidemark_http.responses import json_response, long_response
from tidemark_protocol.records.offset_commit import OffsetCommitValue

GROUP: Final = 4  # the work of a group, and of four of its offsets, in offsets examined elsewhere

NAMES_MAX: Final = 100_000  # characters of group ids that are encoded in one turn
Committed = tuple[TopicPartition, OffsetCommitValue]
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
        line = _Line(view, group, ends)
        for offsets in line.parts():
            line.examine(offsets)
            if budget.spend(GROUP + len(offsets) // 4):
                await budget.rest()
        entries.append(line.entry())
        if budget.spend(len(group.subscribed_topics or ()) // 4):
            await budget.rest()
    total = len(ports.groups.groups)
    body = {"now_ms": view.now_ms, "total": total, "groups": entries, "cursor": cursor}
    # A response in pieces costs 2 ms more.
    at_once = sum(len(each["group"]) for each in entries) < NAMES_MAX
    return json_response(body) if at_once else long_response(body)


class _Line:
    """The line of one group. Examine all parts of its offsets, then call entry."""

    __slots__ = ("_ends", "_group", "_known", "_lag", "_next_ms", "_offsets", "_topics", "_view")

    def __init__(self, view: View, group: Group, ends: Ends) -> None:
        self._view = view
        self._group = group
        self._ends = ends
        self._offsets = view.ports.groups.offsets.of(group.group_id)
        self._topics: set[str] = set()
        self._lag: int | None = None
        self._known = 0  # partitions with a committed offset
        self._next_ms: int | None = None

    def parts(self) -> Iterable[Collection[Committed]]:
        """Return the offsets in parts that are examined at once each."""
        if len(self._offsets) <= OFFSETS_PER_TURN:
            return (self._offsets.items(),)
        items = [*self._offsets.items()]
        return [items[begin : begin + OFFSETS_PER_TURN] for begin in range(0, len(items), OFFSETS_PER_TURN)]

    def examine(self, offsets: Collection[Committed]) -> None:
        """One commit of many partitions gives them the same time: then they expire together, and the rule is
        evaluated once for each topic.
        """
        ends, lag, cluster = self._ends, self._lag, self._view.ports.cluster
        has_pending = self._view.ports.groups.offsets.has_pending(self._group.group_id)
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
                self._topics.add(topic)
                self._expires(self._view.expiry(self._group, where, value).due_ms)
            end = ends[where] if where in ends else self._read_end(where)
            lag = add_lag(lag, lag_of(value.offset, end))
            self._known += end is not None or cluster.has_partition(*where)
        self._lag = lag

    def _expires(self, due_ms: int | None) -> None:
        if due_ms is not None and (self._next_ms is None or due_ms < self._next_ms):
            self._next_ms = due_ms

    def _read_end(self, where: TopicPartition) -> int | None:
        found = self._view.ports.log_ends(*where)
        self._ends[where] = end = None if found is None else found[1]
        return end

    def _count_partitions(self) -> int:
        """Return how many partitions the topics have that the group has committed or is subscribed to."""
        topics = self._view.ports.cluster.topics
        named = self._topics.union(self._group.subscribed_topics or ())
        return sum(len(topics[each].partitions) for each in named if each in topics)

    def entry(self) -> dict[str, Any]:
        group = self._group
        return {
            "group": group.group_id,
            "type": group.type_name,
            "state": group.state_name,
            "members": len(group.member_ids),
            "topics": len(self._topics),
            "offsets": len(self._offsets),
            "lag": self._lag,
            "without_offset": self._count_partitions() - self._known,
            "next_expiry_ms": self._next_ms,
        }
