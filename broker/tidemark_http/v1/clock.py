"""/v1/broker, /v1/clock, /v1/cleanup and /v1/snapshots: the broker, its time, and earlier states of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark import __version__
from tidemark.groups.explain import explain_group
from tidemark.node.node import Node
from tidemark.node.time import MoveResult, MovingTime
from tidemark.settings.listeners import PROTOCOLS, in_brackets
from tidemark_expiry.durations import DURATION_MS_MAX
from tidemark_expiry.sentences import DATES_MS, moment
from tidemark_http.operations import operation
from tidemark_http.parameters import Body, Query, moment_ms, read_body, wrong
from tidemark_http.responses import HttpError, json_response, long_response
from tidemark_http.v1.groups import View, outlook
from tidemark_http.v1.offsets import next_expiry_ms

SPANS_MS: Final = {"days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1_000, "ms": 1}
OPTIONS: Final = ("cleanup", "sessions", "logs")
ONLY_TO_EXPIRY: Final = ("group", "minus_ms")
NEXT_EXPIRY: Final = "next_expiry"
ADVANCE: Final = (*SPANS_MS, "to", *ONLY_TO_EXPIRY, *OPTIONS)
SET: Final = ("to", "to_ms", *OPTIONS)


@operation("Which broker this is, how it is, and how much it holds")
async def broker(node: Node, _: Query) -> Response:
    state = node.current.state
    failure = node.unready()
    return json_response(
        {
            "version": __version__,
            "listeners": [
                {
                    "name": each.name,
                    "protocol": PROTOCOLS[each.security_protocol],
                    "address": f"{in_brackets(each.host)}:{each.port}",
                }
                for each in node.listeners.endpoints().get(state.cluster.identity.node_id, ())
            ],
            "uptime_ms": node.env.host.clock.host_ms() - node.started_ms,
            "ready": failure is None,
            "failure": failure,
            "warnings": {"count": node.warnings.count, "last": node.warnings.newest_first()},
            "cluster_id": state.cluster.identity.cluster_id,
            "node_id": state.cluster.identity.node_id,
            "test_api": node.env.config.tidemark_test_api,
            "watches": node.watches(),
            "brokers": len(state.cluster.brokers if node.env.watched else state.cluster.node_ids),
            "topics": len(state.cluster.topics),
            "groups": len(state.groups.groups),
            "offsets": state.groups.offsets.count,
        }
    )


@operation("The broker's time, and how far it was moved")
async def clock(node: Node, _: Query) -> Response:
    return _clock_response(node)


def _clock_response(node: Node) -> Response:
    return json_response(
        {
            **MovingTime(node).state(),
            "test_api": node.env.config.tidemark_test_api,
            "retention_ms": node.current.state.groups.settings.offsets_retention_ms,
            "assumed_retention": node.env.assumes_retention,
        }
    )


@operation("Move time forward", body=ADVANCE)
async def advance(node: Node, request: Request) -> Response:
    time, body = MovingTime(node), await read_body(request, *ADVANCE)
    if "to" in body.given:
        return _moved(await _to_next_expiry(node, time, body))
    unused = body.given & {*ONLY_TO_EXPIRY}
    if unused:
        raise HttpError(
            422, "unknown_field", f'{min(unused)} is valid with "to": "next_expiry" only', min(unused)
        )
    name = _one_of(body, *SPANS_MS)
    return _moved(await time.advance(body.span_ms(name, SPANS_MS[name]), **_options(body)))


@operation("Move time to a moment", body=SET)
async def set_to(node: Node, request: Request) -> Response:
    time, body = MovingTime(node), await read_body(request, *SET)
    if _one_of(body, "to_ms", "to") == "to_ms":
        to_ms = body.whole("to_ms", 0, DATES_MS[-1])
    else:
        to_ms = moment_ms("to", body.text("to") or "")
    if to_ms is None or not 0 <= to_ms <= DATES_MS[-1]:
        wrong("to", "a time from 1970 to 9999", body.text("to"))
    return _moved(await time.set_to(to_ms, **_options(body)))


@operation("Stop wall time", body=())
async def freeze(node: Node, request: Request) -> Response:
    time = MovingTime(node)
    await read_body(request)
    await time.freeze()
    return _clock_response(node)


@operation("Let wall time continue", body=())
async def resume(node: Node, request: Request) -> Response:
    time = MovingTime(node)
    await read_body(request)
    await time.resume()
    return _clock_response(node)


@operation("Run a cleanup pass", body=())
async def cleanup(node: Node, request: Request) -> Response:
    time = MovingTime(node)
    await read_body(request)
    return _moved(await time.cleanup())


@operation("Take a snapshot of the broker", body=())
async def take_snapshot(node: Node, request: Request) -> Response:
    await read_body(request)
    return json_response({"id": await node.snapshots.create()})


@operation("Restore a snapshot", body=())
async def restore_snapshot(node: Node, request: Request) -> Response:
    await read_body(request)
    snapshot_id: str = request.path_params["id"]
    await node.snapshots.restore(snapshot_id)
    return json_response({"id": snapshot_id, "now_ms": node.current.state.clock.wall_ms()})


@operation("Delete a snapshot")
async def delete_snapshot(node: Node, request: Request) -> Response:
    snapshot_id: str = request.path_params["id"]
    await node.snapshots.delete(snapshot_id)
    return json_response({"id": snapshot_id})


def _one_of(body: Body, *names: str) -> str:
    given = [name for name in names if name in body.given]
    if len(given) != 1:
        field = given[1] if given else names[0]
        raise HttpError(422, "missing_field" if not given else "invalid_value",
                        f"give one of {', '.join(names)}", field)  # fmt: skip
    return given[0]


def _options(body: Body) -> dict[str, bool]:
    return {name: body.flag(name, default=name == "cleanup") for name in OPTIONS}


async def _to_next_expiry(node: Node, time: MovingTime, body: Body) -> MoveResult:
    if body.text("to") != NEXT_EXPIRY:
        wrong("to", NEXT_EXPIRY, body.text("to"))
    spans = body.given & {*SPANS_MS}
    if spans:
        raise HttpError(422, "invalid_value", f'{min(spans)} cannot be combined with "to"', min(spans))
    view, name, options = View(node), body.text("group"), _options(body)
    before_ms = body.whole("minus_ms", 0, DURATION_MS_MAX) or 0
    due_ms = await next_expiry_ms(view, name)
    if due_ms is None:
        raise HttpError(409, "nothing_expires", await _why_nothing(view, name), name and "group")
    if due_ms - before_ms > view.now_ms:
        return await time.set_to(due_ms - before_ms, **options)
    if before_ms:
        raise HttpError(
            409,
            "clock_refused",
            f"that has passed: the next expiry is due at {moment(due_ms)}, now is {moment(view.now_ms)}",
            "minus_ms",
        )
    return await time.advance(0, **options)


async def _why_nothing(view: View, name: str | None) -> str:
    if name is None:
        return "currently no committed offset will expire"
    group = view.known_group(name)
    explanation = explain_group(
        group, await outlook(view, group), wall_ms=view.now_ms, retention=view.retention
    )
    return f"currently nothing of this group will expire. {explanation}"


def _moved(moved: MoveResult) -> Response:
    return long_response(
        {
            "now_ms": moved.now_ms,
            "moved_ms": moved.moved_ms,
            "offsets": moved.offsets,
            "groups": moved.groups,
            "sessions": [{"group": group, "member_id": member_id} for group, member_id in moved.sessions],
            "transactions": [
                {
                    **asdict(each),
                    "partitions": [
                        {"topic": topic, "partition": partition} for topic, partition in each.partitions
                    ],
                }
                for each in moved.transactions
            ],
        }
    )
