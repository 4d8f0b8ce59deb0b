"""/v1/records and /v1/seed: the data of a test.

The requests take the path of any client's requests through the broker. Records that have no time get the
host's: a client's clock does not move with the broker's.
"""

from __future__ import annotations

import base64
from codecs import utf_8_decode
from functools import partial
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from tidemark.clock import turn
from tidemark.node.node import Node
from tidemark.seeding.calls import PAUSE, Exchange, Record, Refused, Wanted, produce, read_partition
from tidemark.seeding.document import SeedError, new_record, read_seed, sow
from tidemark.server.listener import Server
from tidemark.server.local import LocalClient
from tidemark_http.operations import operation
from tidemark_http.parameters import LIMIT, Query, read_body, unknown_topic, wrong
from tidemark_http.responses import HttpError, json_response, long_response, write_cursor

T = TypeVar("T")

BODY_BYTES_MAX: Final = 4 * 1024 * 1024
PRODUCE: Final = ("topic", "records")
BEGINNINGS: Final = ("from_offset", "from_time_ms", "last")  # of a list of records
SEED: Final = ("topics", "groups")


@operation(
    "Records of a topic, by partition and offset",
    query=(
        "topic", "partition", "from_offset", "from_time_ms", "last", "committed", "bytes_max", "limit",
        "cursor",
    ),
    required=("topic",),
)  # fmt: skip
async def read_records(node: Node, query: Query) -> Response:
    topic = required(query.text("topic"), "topic")
    committed = query.choice("committed", "false", "true") == "true"
    partition, offset = query.number("partition", range(2**31)), query.number("from_offset", range(2**63))
    time_ms, last = query.number("from_time_ms", range(2**63)), query.number("last", LIMIT)
    given = [name for name in BEGINNINGS if query.text(name) is not None]
    if len(given) > 1:
        raise HttpError(422, "invalid_value", f"give one of {', '.join(BEGINNINGS)}", given[1])
    limit, after = query.limit(), query.cursor(int, int)
    server = node.current.server
    show = partial(_shown, bytes_max=query.number("bytes_max", range(1, 2**31)))
    found: list[dict[str, Any]] = []
    following = None
    for each in await _partitions(node, topic, partition):
        if after is not None and each < after[0]:
            continue
        start = after[1] + 1 if after is not None and each == after[0] else offset
        left = limit + 1 - len(found)
        wanted = Wanted(start or 0, time_ms, last, committed, left, show)
        found += await carry_out(node, server, read_partition(topic, each, wanted))
        if len(found) > limit:
            following = write_cursor(found[limit - 1]["partition"], found[limit - 1]["offset"])
            break
        await turn()
    return long_response({"records": found[:limit], "cursor": following})


async def _partitions(node: Node, topic: str, partition: int | None) -> list[int]:
    known = node.current.state.cluster.topics.get(topic)
    if known is None:
        raise unknown_topic(topic)
    if partition is None:
        return list(range(len(known.partitions)))
    if partition >= len(known.partitions):
        wrong("partition", f"less than {len(known.partitions)}, as {topic} has so many", str(partition))
    return [partition]


@operation("Write records", body=PRODUCE, required=PRODUCE)
async def produce_records(node: Node, request: Request) -> Response:
    server = node.current.server
    body = await read_body(request, *PRODUCE, bytes_max=BODY_BYTES_MAX)
    topic = required(body.text("topic"), "topic")
    given = body.value("records")
    if not isinstance(given, list):
        raise HttpError(422, "invalid_value", "records must be a list of records", "records")
    try:
        new = [new_record(f"records[{at}]", each) for at, each in enumerate(given)]
    except SeedError as error:
        raise _wrong_seed(error) from None
    written = await carry_out(node, server, produce(topic, new, node.env.host.clock.wall_ms()))
    return json_response(
        {
            "records": [
                {"topic": each.topic, "partition": each.partition, "offset": each.offset,
                 "timestamp": each.timestamp}
                for each in written
            ]
        }
    )  # fmt: skip


@operation("Create topics with records, and commit offsets", body=SEED)
async def seed(node: Node, request: Request) -> Response:
    server = node.current.server
    body = await read_body(request, *SEED, bytes_max=BODY_BYTES_MAX)
    try:
        checked = read_seed({name: body.value(name) for name in body.given})
        return json_response(await carry_out(node, server, sow(checked, node.env.host.clock.wall_ms())))
    except SeedError as error:
        raise _wrong_seed(error) from None


async def carry_out(node: Node, server: Server, exchange: Exchange[T]) -> T:
    """Decide the requests of the exchange in the broker, and return its result. Raises HttpError.

    server: of the node when the request arrived. If a restore has replaced it, nothing is decided.
    """
    if node.current.server is not server:
        raise HttpError(503, "no_response", "a restore has replaced the state that this request is for")
    client = LocalClient(server)
    response: Any = None
    try:
        while True:
            call = exchange.send(response)
            if call is PAUSE:
                await turn()
                response = None
            else:
                response = await client.call(call.request, call.max_version)
    except StopIteration as done:
        result: T = done.value
        return result
    except Refused as refused:
        raise HttpError(409, "refused", str(refused)) from None
    except ConnectionError:
        raise HttpError(503, "no_response", "the broker closed the connection of this request") from None
    finally:
        client.close()


def required(value: str | None, name: str) -> str:
    """Return the value. Raises HttpError if it is not given."""
    if value is None:
        raise HttpError(422, "missing_field", f"{name} is required", name)
    return value


def _wrong_seed(error: SeedError) -> HttpError:
    return HttpError(422, "invalid_value", str(error), error.place.rstrip(":") or None)


def _shown(record: Record, bytes_max: int | None) -> dict[str, Any]:
    return {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp,
        "key": _content(record.key, bytes_max),
        "value": _content(record.value, bytes_max),
        "headers": [[name, _content(value, bytes_max)] for name, value in record.headers],
    }


def _content(content: bytes | None, bytes_max: int | None) -> str | dict[str, Any] | None:
    """Return UTF-8 as a text, and other bytes as {"base64": "..."}.

    More than bytes_max bytes are cut: {"cut": the beginning, "bytes": the full size}.
    """
    if content is None:
        return None
    if bytes_max is not None and len(content) > bytes_max:
        return {"cut": _text(content[:bytes_max], final=False), "bytes": len(content)}
    return _text(content, final=True)


def _text(content: bytes, *, final: bool) -> str | dict[str, str]:
    """final: False if content may end within a character, which is dropped then."""
    try:
        return utf_8_decode(content, "strict", final)[0]
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}
