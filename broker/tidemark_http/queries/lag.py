"""GET /v1/lag: the records that a group has not committed, by partition."""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.groups.offsets import add_lag, lag_of
from tidemark_http.operations import operation
from tidemark_http.paging import new_slice
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.queries.view import view_of
from tidemark_http.responses import HttpError, long_response

QUERY: Final = ("group", "topic")


@operation("The records that a group has not committed", query=QUERY, required=("group",))
async def lag(ports: Ports, request: Request) -> Response:
    query = Query(request, *QUERY)
    name, topic = query.text("group"), query.text("topic")
    if name is None:
        raise HttpError(422, "missing_field", "group is required", "group")
    group = view_of(ports).known_group(name)
    if topic is not None and topic not in ports.cluster.topics:
        raise HttpError(404, "unknown_topic", f"there is no topic {topic!r}", "topic")
    budget = new_slice()
    entries: list[dict[str, Any]] = []
    total: int | None = None
    without_offset = 0
    topics = {topic} if topic is not None else {*(group.subscribed_topics or ())}
    for where in [*ports.groups.offsets.of(name)] if topic is None else ():
        topics.add(where[0])
        await budget.pause()
    for each in sorted(topics):
        found = ports.cluster.topics.get(each)
        for partition in range(0 if found is None else len(found.partitions)):
            entry = _entry(ports, name, each, partition)
            total = add_lag(total, entry["lag"])
            without_offset += entry["offset"] is None
            entries.append(entry)
            await budget.pause()
    body = {"group": name, "lag": total, "without_offset": without_offset, "partitions": entries}
    return long_response(body)


def _entry(ports: Ports, group: str, topic: str, partition: int) -> dict[str, Any]:
    """Return the JSON of one partition."""
    ends = ports.log_ends(topic, partition)
    start, end = ends or (0, 0)
    value = ports.groups.offsets.get(group, topic, partition)
    offset = None if value is None else value.offset
    return {
        "topic": topic,
        "partition": partition,
        "offset": offset,
        "log_start_offset": start,
        "log_end_offset": end,
        "lag": lag_of(offset, None if ends is None else end),
    }
