"""/v1/faults and /v1/requests: the faults that are set, and the journal of requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.faults.model import FIELDS, FaultField, read_fault, unknown_node
from tidemark.node.node import Node
from tidemark.node.on_request import FaultControl
from tidemark.server.request_journal import OUTCOMES, Entry, JournalFilter, RequestJournal
from tidemark_http.operations import operation
from tidemark_http.parameters import LIMIT, Query, read_body, read_object, wrong
from tidemark_http.responses import HttpError, json_response, long_response, new_slice, write_cursor
from tidemark_protocol.apis import APIS
from tidemark_protocol.errors import ErrorCode

IDS: Final = range(1, 2**53)
ID_CHARS: Final = 18
NUMBERS: Final = range(2**53)
ERRORS: Final = tuple(name for name in ErrorCode.__members__ if name != "NONE")
PARTITIONS: Final = range(2**31)
NODES: Final = range(2**31)
ENTRY_COST: Final = 40  # of decoding and showing a small request, in units of `new_slice`
BYTES_PER_COST: Final = 16


@operation("List the faults that are set, and how often each has matched.", query=("id",))
async def faults(node: Node, query: Query) -> Response:
    wanted = query.number("id", IDS)
    if node.on_request is None or node.on_request.faults is None:
        return json_response({"faults": []})
    active = node.on_request.faults.active
    found = active if wanted is None else [active.get(wanted)]
    return json_response({"faults": [each.view(active.now_ms) for each in found]})


@operation("The fields of a fault: filters, actions, their options, and bounds.", query=("search",))
async def fault_fields(node: Node, query: Query) -> Response:
    searched = (query.text("search") or "").casefold()
    found = [{"name": name, **_field(each)} for name, each in FIELDS.items() if searched in name]
    return json_response({"fields": found})


def _field(about: FaultField) -> dict[str, Any]:
    return {
        "role": about.role,
        "description": about.description,
        "needs": about.needs,
        "of": list(about.of),
        "filters": None if about.filters is None else list(about.filters),
        "schema": about.values.schema,
    }


def _control(node: Node) -> FaultControl:
    assert node.on_request is not None and node.on_request.faults is not None, "the test API is off"
    return node.on_request.faults


def _fault_id(request: Request) -> int:
    text: str = request.path_params["id"]
    if not (text.isascii() and text.isdigit() and len(text) < ID_CHARS and int(text) in IDS):
        wrong("id", "the number of a fault", text)
    return int(text)


@operation("Set a fault for requests that arrive from now on.", body=tuple(FIELDS))
async def add_fault(node: Node, request: Request) -> Response:
    faults = _control(node)
    added = faults.add(read_fault(await read_object(request)))
    return json_response(added.view(faults.active.now_ms))


@operation("Remove all faults.")
async def delete_faults(node: Node, request: Request) -> Response:
    return json_response({"removed": _control(node).clear()})


@operation("Remove a fault. Requests that wait for it continue.")
async def delete_fault(node: Node, request: Request) -> Response:
    faults = _control(node)
    return json_response(faults.remove(_fault_id(request)).view(faults.active.now_ms))


@operation("Let the requests continue that a fault holds back.", body=())
async def release_fault(node: Node, request: Request) -> Response:
    await read_body(request)
    faults, number = _control(node), _fault_id(request)
    released = faults.release(number)
    return json_response({"released": released, **faults.active.get(number).view(faults.active.now_ms)})


@operation(
    "List the last requests with their responses, the oldest first.",
    query=(
        "api", "group", "transactional_id", "topic", "partition", "client_id", "connection", "node_id",
        "error", "outcome", "failed", "after", "last", "messages", "limit", "cursor",
    ),
)  # fmt: skip
async def requests(node: Node, query: Query) -> Response:
    cursor = query.cursor(int)
    client_id = query.text("client_id")
    node_id, known = query.number("node_id", NODES), node.current.state.cluster.node_ids
    if node_id is not None and node_id not in known:
        raise HttpError(422, "invalid_value", unknown_node(node_id, known), "node_id")
    wanted = JournalFilter(
        api=query.one_of("api", "the name of an API of Kafka", APIS),
        group=query.text("group"),
        transactional_id=query.text("transactional_id"),
        topic=query.text("topic"),
        partition=query.number("partition", PARTITIONS),
        client_id=client_id,
        connection=query.number("connection", NUMBERS),
        node_id=node_id,
        error=query.one_of("error", "the name of an error of Kafka", ERRORS),
        outcome=query.one_of("outcome", " or ".join(OUTCOMES), OUTCOMES),
        failed=query.choice("failed", "false", "true") == "true",
        after=cursor[0] if cursor else query.number("after", NUMBERS) or 0,
    )
    limit, last = query.limit(), query.number("last", LIMIT)
    if last is not None and query.text("cursor") is not None:
        raise HttpError(422, "invalid_value", "cursor cannot be combined with last", "cursor")
    with_messages = query.choice("messages", "true", "false") == "true"
    journals = None if node.on_request is None else node.on_request.journals
    journal = None if journals is None else journals.of(client_id)
    count = 0 if journal is None else journal.count
    evicted = 0 if journal is None else journal.evicted(wanted.after)
    entries = [] if journal is None else journal.entries(wanted.after)
    if journal is None:
        found = []
    elif last is None:
        found = await _page(journal, wanted, entries, limit + 1, messages=with_messages)
    else:
        newest = await _page(journal, wanted, entries[::-1], last, messages=with_messages)
        found, limit = newest[::-1], last
    return long_response(
        {
            "requests": found[:limit],
            "recording": journal is not None,
            "count": count,
            "evicted": evicted,
            "cursor": write_cursor(found[limit - 1]["number"]) if len(found) > limit else None,
        }
    )


async def _page(
    journal: RequestJournal, wanted: JournalFilter, entries: Iterable[Entry], limit: int, *, messages: bool
) -> list[dict[str, Any]]:
    """Return the views of the first entries that pass the filter, with request and response if requested.

    Other entries are decoded only as far as the filter needs it. In between, other work gets its turn. Long
    responses are decoded in a thread.
    """
    budget = new_slice()
    found: list[dict[str, Any]] = []
    for entry in entries:
        cost = 1
        if wanted.may_select(entry):
            if not hasattr(entry, "errors" if wanted.needs_errors else "names"):  # it is decoded now
                cost = ENTRY_COST + len(entry.request) // BYTES_PER_COST
            if (wanted.needs_errors or not messages) and entry.response_is_long:
                await asyncio.to_thread(entry.read_errors)
            if journal.selects(wanted, entry):
                cost = ENTRY_COST + len(entry.request) // BYTES_PER_COST
                shown = None
                if messages and entry.response_is_long:
                    shown = await asyncio.to_thread(entry.messages)
                elif messages:
                    shown = entry.messages()
                found.append(journal.view(entry, shown))
                if len(found) == limit:
                    break
        if budget.spend(cost):
            await budget.rest()
    return found
