"""GET /v1/requests: the journal of requests, oldest first."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.server.request_journal import OUTCOMES, JournalFilter, RequestJournal
from tidemark_http.operations import operation
from tidemark_http.paging import new_slice, write_cursor
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.responses import long_response
from tidemark_protocol.apis import APIS
from tidemark_protocol.errors import ErrorCode

NUMBERS: Final = range(2**53)
ERRORS: Final = tuple(name for name in ErrorCode.__members__ if name != "NONE")
PARTITIONS: Final = range(2**31)
ENTRY_COST: Final = 40  # of decoding and showing a small request, in units of `new_slice`
BYTES_PER_COST: Final = 16
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
    count = 0 if journal is None else journal.count
    evicted = 0 if journal is None else journal.evicted(wanted.after)
    found = [] if journal is None else await _page(journal, wanted, limit + 1)
    return long_response(
        {
            "requests": found[:limit],
            "recording": journal is not None,
            "count": count,
            "evicted": evicted,
            "cursor": write_cursor(found[limit - 1]["number"]) if len(found) > limit else None,
        }
    )


async def _page(journal: RequestJournal, wanted: JournalFilter, limit: int) -> list[dict[str, Any]]:
    """Return the views of the first entries that pass the filter.

    Other entries are decoded only as far as the filter needs it. In between, other work gets its turn. Long
    responses are decoded in a thread.
    """
    budget = new_slice()
    found: list[dict[str, Any]] = []
    for entry in journal.entries():
        if wanted.may_select(entry):
            if wanted.error is not None and entry.response_is_long:
                await asyncio.to_thread(entry.read_errors)
            if journal.selects(wanted, entry):
                if entry.response_is_long:
                    messages = await asyncio.to_thread(entry.messages)
                else:
                    messages = entry.messages()
                found.append(journal.view(entry, messages))
                if len(found) == limit:
                    break
            await budget.pause(ENTRY_COST + len(entry.request) // BYTES_PER_COST)
        else:
            await budget.pause()
    return found
