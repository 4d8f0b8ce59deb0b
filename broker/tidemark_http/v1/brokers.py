"""/v1/brokers: the brokers of the cluster, which stop and start, and exchange leaders and coordinators."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.node.node import Node
from tidemark_http.operations import operation
from tidemark_http.parameters import Body, Query, read_body, wrong
from tidemark_http.responses import json_response
from tidemark_http.v1.records import required

LEADER: Final = ("topic", "partition", "to")
COORDINATOR: Final = ("group", "to")
PARTITION_MAX: Final = 2**31 - 1


@operation("The brokers of the cluster: whether they run, and what they lead")
async def brokers(node: Node, _: Query) -> Response:
    return _response(node)


@operation("Stop a broker: others lead its partitions, and it refuses connections", body=())
async def stop(node: Node, request: Request) -> Response:
    await read_body(request)
    await node.brokers.stop(_id(request))
    return _response(node)


@operation("Start a broker that was stopped", body=())
async def start(node: Node, request: Request) -> Response:
    await read_body(request)
    await node.brokers.start(_id(request))
    return _response(node)


@operation("Stop and start each broker, one after the other", body=())
async def restart_all(node: Node, request: Request) -> Response:
    await read_body(request)
    await node.brokers.restart_all()
    return _response(node)


@operation("Let another broker lead a partition", body=LEADER)
async def move_leader(node: Node, request: Request) -> Response:
    body = await read_body(request, *LEADER)
    topic = required(body.text("topic"), "topic")
    partition = _number(body, "partition")
    to = _number(body, "to")
    await node.brokers.move_leader(topic, partition, to)
    return _response(node)


@operation("Let another broker coordinate a group, and all groups of its partition", body=COORDINATOR)
async def move_coordinator(node: Node, request: Request) -> Response:
    body = await read_body(request, *COORDINATOR)
    group = required(body.text("group"), "group")
    to = _number(body, "to")
    await node.brokers.move_coordinator(group, to)
    return _response(node)


def _number(body: Body, name: str) -> int:
    value = body.whole(name, 0, PARTITION_MAX)
    return wrong(name, "a whole number", None) if value is None else value


def _id(request: Request) -> int:
    text: str = request.path_params["id"]
    return int(text) if text.isascii() and text.isdecimal() else wrong("id", "the id of a broker", text)


def _response(node: Node) -> Response:
    return json_response({"brokers": node.brokers.state()})
