"""GET /v1/rebalances: the last rebalances of groups, newest first."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark_http.operations import operation
from tidemark_http.paging import new_slice, write_cursor
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.responses import long_response

QUERY: Final = ("group", "limit", "cursor")


@operation("Rebalances of groups", query=QUERY)
async def rebalances(ports: Ports, request: Request) -> Response:
    query = Query(request, *QUERY)
    name, limit, after = query.text("group"), query.limit(), query.cursor(int)
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    for each in ports.rebalances():
        if (after is not None and each.number >= after[0]) or name not in (None, each.group):
            continue
        if len(entries) == limit:
            return long_response({"rebalances": entries, "cursor": write_cursor(entries[-1]["number"])})
        entries.append(asdict(each))
        await budget.pause(2)
    return long_response({"rebalances": entries, "cursor": None})
