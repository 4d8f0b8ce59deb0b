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

ADDED: Final = ("node_id", "rack")
LEADER: Final = ("topic", "partition", "to")
COORDINATOR: Final = ("group", "transactional_id", "to")
CONTROLLER: Final = ("to",)
CUT_OFF: Final = ("from",)
REPLICA: Final = ("topic", "partition", "node_id")
PARTITION_MAX: Final = 2**31 - 1
NODE_ID_MAX: Final = 2**31 - 1


@operation("The brokers of the cluster: whether they run, and what they lead")
async def brokers(node: Node, _: Query) -> Response:
    return _response(node)


@operation("Add a broker to the cluster", body=ADDED)
async def add(node: Node, request: Request) -> Response:
    body = await read_body(request, *ADDED)
    node_id = await node.brokers.add(body.whole("node_id", 0, NODE_ID_MAX), body.text("rack"))
    return _response(node, node_id=node_id)


@operation("Remove a broker from the cluster: partitions keep their replicas on it")
async def remove(node: Node, request: Request) -> Response:
    await node.brokers.remove(_id(request))
    return _response(node)


@operation("Stop a broker: others lead its partitions, and it refuses connections", body=())
async def stop(node: Node, request: Request) -> Response:
    await read_body(request)
    await node.brokers.stop(_id(request))
    return _response(node)


@operation("Kill a broker: it leads its partitions until broker.session.timeout.ms has passed", body=())
async def kill(node: Node, request: Request) -> Response:
    await read_body(request)
    await node.brokers.kill(_id(request))
    return _response(node)


@operation("Cut a broker off from clients, from the controller or from leaders", body=CUT_OFF)
async def cut_off(node: Node, request: Request) -> Response:
    body = await read_body(request, *CUT_OFF)
    from_ = required(body.text("from"), "from")
    if from_ not in ("clients", "controller", "leaders"):
        wrong("from", "clients, controller or leaders", from_)
    await node.brokers.cut_off(_id(request), from_)
    return _response(node)


@operation("Reconnect a broker that was cut off", body=())
async def reconnect(node: Node, request: Request) -> Response:
    await read_body(request)
    await node.brokers.reconnect(_id(request))
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


@operation("Let another broker be the controller", body=CONTROLLER)
async def move_controller(node: Node, request: Request) -> Response:
    await node.brokers.move_controller(_number(await read_body(request, *CONTROLLER), "to"))
    return _response(node)


@operation("Let the first replica of each partition lead, if it is in the ISR", body=())
async def elect_preferred(node: Node, request: Request) -> Response:
    await read_body(request)
    return _response(node, elected=await node.brokers.elect_preferred())


@operation("Take a follower out of the ISR of a partition", body=REPLICA)
async def shrink_isr(node: Node, request: Request) -> Response:
    await node.brokers.shrink_isr(*await _replica(request))
    return _response(node)


@operation("Take a follower into the ISR of a partition again", body=REPLICA)
async def grow_isr(node: Node, request: Request) -> Response:
    await node.brokers.grow_isr(*await _replica(request))
    return _response(node)


async def _replica(request: Request) -> tuple[str, int, int]:
    body = await read_body(request, *REPLICA)
    return required(body.text("topic"), "topic"), _number(body, "partition"), _number(body, "node_id")


@operation("Let another broker coordinate a group or transactional id, and its partition", body=COORDINATOR)
async def move_coordinator(node: Node, request: Request) -> Response:
    body = await read_body(request, *COORDINATOR)
    group, transactional_id = body.text("group"), body.text("transactional_id")
    to = _number(body, "to")
    if transactional_id is None:
        await node.brokers.move_coordinator(required(group, "group"), to)
    elif group is None:
        await node.brokers.move_transactional_id(transactional_id, to)
    else:
        wrong("group", "null, because there is a transactional_id", group)
    return _response(node)


def _number(body: Body, name: str) -> int:
    value = body.whole(name, 0, PARTITION_MAX)
    return wrong(name, "a whole number", None) if value is None else value


def _id(request: Request) -> int:
    text: str = request.path_params["id"]
    return int(text) if text.isascii() and text.isdecimal() else wrong("id", "the id of a broker", text)


def _response(node: Node, **added: int) -> Response:
    controller = node.current.state.cluster.quorum_leader
    return json_response({**added, "brokers": node.brokers.state(), "controller": controller})
