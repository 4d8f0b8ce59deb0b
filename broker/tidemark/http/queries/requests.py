"""GET /v1/requests: the journal of requests, oldest first."""

from __future__ import annotations

from itertools import islice
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.http.operations import operation
from tidemark.http.paging import write_cursor
from tidemark.http.parameters import Query
from tidemark.http.ports import Ports
from tidemark.http.responses import long_response
from tidemark.server.request_journal import OUTCOMES, JournalFilter
from tidemark_protocol.apis import APIS
from tidemark_protocol.errors import ErrorCode

NUMBERS: Final = range(2**53)
ERRORS: Final = tuple(name for name in ErrorCode.__members__ if name != "NONE")
PARTITIONS: Final = range(2**31)
PARAMETERS: Final = (
    "api", "group", "transactional_id", "topic", "partition", "client_id", "connection", "error",
    "outcome", "after", "limit", "cursor",
)  # fmt: skip


@operation("List the last requests with their responses, the oldest first.", query=PARAMETERS)
async def requests(ports: Ports, request: Request) -> Response:
    query = Query(request, *PARAMETERS)
    cursor = query.cursor(int)
    client_id = query.text("client_id")
    wanted = JournalFilter(
        api=query.one_of("api", "the name of an API of Kafka", APIS),
        group=query.text("group"),
        transactional_id=query.text("transactional_id"),
        topic=query.text("topic"),
        partition=query.number("partition", PARTITIONS),
        client_id=client_id,
        connection=query.number("connection", NUMBERS),
        error=query.one_of("error", "the name of an error of Kafka", ERRORS),
        outcome=query.one_of("outcome", " or ".join(OUTCOMES), OUTCOMES),
        after=cursor[0] if cursor else query.number("after", NUMBERS) or 0,
    )
    limit = query.limit()
    journal = None if ports.requests is None else ports.requests.of(client_id)
    found = [] if journal is None else list(islice(journal.select(wanted), limit + 1))
    page = found[:limit]
    return long_response(
        {
            "requests": [entry.view() for entry in page],
            "recording": journal is not None,
            "count": 0 if journal is None else journal.count,
            "evicted": 0 if journal is None else journal.evicted(wanted.after),
            "cursor": write_cursor(page[-1].number) if len(found) > limit else None,
        }
    )
