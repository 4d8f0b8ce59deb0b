"""GET /v1/expiry/log: committed offsets that were removed, and why."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.core.decision import Cause, Removal
from tidemark_http.operations import operation
from tidemark_http.paging import new_slice, write_cursor
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.responses import HttpError, csv_response, long_response

Rows = dict[tuple[str, str, int], int]  # (group, topic, partition) -> offset to reset to


QUERY: Final = ("group", "topic", "format", "limit", "cursor")


@operation("Removed offsets, the oldest first", query=QUERY)
async def removals(ports: Ports, request: Request) -> Response:
    query = Query(request, *QUERY)
    as_csv = query.choice("format", "json", "reset-csv") == "reset-csv"
    name, topic, limit, after = query.text("group"), query.text("topic"), query.limit(), query.cursor(int)
    for unused in ("limit", "cursor"):
        if as_csv and query.text(unused) is not None:
            raise HttpError(
                422, "invalid_value", f"reset-csv does not accept {unused}: it has no pages", unused
            )
    kept_removals = ports.removals()
    entries: list[Removal] = []
    rows: Rows = {}
    position = 0 if after is None else after[0]
    kept, budget = kept_removals.since(position), new_slice()
    position = kept_removals.count - len(kept)
    for number, removal in enumerate(kept, 1):
        await budget.pause(1)
        if name not in (None, removal.group) or topic not in (None, removal.topic):
            continue
        if as_csv:
            _add_reset(ports, rows, removal)
        elif len(entries) == limit:
            return long_response({"removals": entries, "cursor": write_cursor(position + number - 1)})
        else:
            entries.append(removal)
    if as_csv:
        return csv_response((*where, offset) for where, offset in rows.items())
    return long_response({"removals": entries, "cursor": None})


def _add_reset(ports: Ports, rows: Rows, removal: Removal) -> None:
    """Add a row that resets the group to the removed offset.

    The last removal of a partition wins. There is no row if the group has committed since, or if the topic
    was deleted since: a new topic of that name has other offsets.
    """
    where = (removal.group, removal.topic, removal.partition)
    rows.pop(where, None)
    topic = ports.cluster.topics.get(removal.topic)
    if topic is None or removal.cause is Cause.TOPIC_DELETE or removal.at_ms < topic.created_ms:
        return
    if ports.groups.offsets.get(*where) is None:
        rows[where] = removal.offset
