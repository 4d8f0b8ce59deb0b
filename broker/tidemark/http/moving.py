"""POST /v1/clock/advance, set, freeze and resume, /v1/cleanup, /v1/snapshots: what changes something."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.groups.explain import DATES_MS, explain_group, moment
from tidemark.http.answers import Refused, answer, long_answer
from tidemark.http.parameters import SPAN_MS_MAX, Body, moment_ms, read_body, wrong
from tidemark.http.ports import Moved, Ports, Snapshots
from tidemark.http.reading import View, clock_state, foresee, next_expiry_ms, view

SPANS_MS: Final = {"days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1_000, "ms": 1}
HOW: Final = ("cleanup", "sessions", "logs")
ONLY_TO_EXPIRY: Final = ("group", "minus_ms")
NEXT_EXPIRY: Final = "next_expiry"


# The clock.


async def advance(ports: Ports, request: Request) -> Response:
    body = await read_body(request, *SPANS_MS, "to", *ONLY_TO_EXPIRY, *HOW)
    if "to" in body.given:
        return _moved(await _to_next_expiry(ports, body))
    unused = body.given & {*ONLY_TO_EXPIRY}
    if unused:
        raise Refused(422, "unknown_field", f'{min(unused)} goes with "to": "next_expiry" only', min(unused))
    name = _one_of(body, *SPANS_MS)
    return _moved(await ports.time.advance(body.span_ms(name, SPANS_MS[name]), **_how(body)))


async def set_to(ports: Ports, request: Request) -> Response:
    body = await read_body(request, "to", "to_ms", *HOW)
    if _one_of(body, "to_ms", "to") == "to_ms":
        to_ms = body.whole("to_ms", 0, DATES_MS[-1])
    else:
        to_ms = moment_ms("to", body.text("to") or "")
    if to_ms is None or not 0 <= to_ms <= DATES_MS[-1]:
        wrong("to", "a time from 1970 to 9999", body.text("to"))
    return _moved(await ports.time.set_to(to_ms, **_how(body)))


async def freeze(ports: Ports, request: Request) -> Response:
    await read_body(request)
    await ports.time.freeze()
    return answer(clock_state(ports))


async def resume(ports: Ports, request: Request) -> Response:
    await read_body(request)
    await ports.time.resume()
    return answer(clock_state(ports))


async def cleanup(ports: Ports, request: Request) -> Response:
    await read_body(request)
    return _moved(await ports.time.cleanup())


def _one_of(body: Body, *names: str) -> str:
    given = [name for name in names if name in body.given]
    if len(given) != 1:
        field = given[1] if given else names[0]
        raise Refused(422, "missing_field" if not given else "invalid_value",
                      f"give one of {', '.join(names)}", field)  # fmt: skip
    return given[0]


def _how(body: Body) -> dict[str, bool]:
    return {name: body.flag(name, default=name == "cleanup") for name in HOW}


async def _to_next_expiry(ports: Ports, body: Body) -> Moved:
    if body.text("to") != NEXT_EXPIRY:
        wrong("to", NEXT_EXPIRY, body.text("to"))
    spans = body.given & {*SPANS_MS}
    if spans:
        raise Refused(422, "invalid_value", f'{min(spans)} does not go with "to"', min(spans))
    seen, name, how = view(ports), body.text("group"), _how(body)
    before_ms = body.whole("minus_ms", 0, SPAN_MS_MAX) or 0
    due_ms = await next_expiry_ms(seen, name)
    if due_ms is None:
        raise Refused(409, "nothing_expires", await _why_nothing(seen, name), name and "group")
    if due_ms - before_ms > seen.now_ms:
        return await ports.time.set_to(due_ms - before_ms, **how)
    if before_ms:
        raise Refused(
            409,
            "clock_refused",
            f"that has passed: the next expiry is due at {moment(due_ms)}, now is {moment(seen.now_ms)}",
            "minus_ms",
        )
    return await ports.time.advance(0, **how)


async def _why_nothing(view: View, name: str | None) -> str:
    if name is None:
        return "as things stand, no committed offset ever expires"
    group = view.known_group(name)
    said = explain_group(group, await foresee(view, group), wall_ms=view.now_ms, retention=view.retention)
    return f"as things stand, nothing of this group ever expires. {said}"


def _moved(moved: Moved) -> Response:
    return long_answer(
        {
            "now_ms": moved.now_ms,
            "moved_ms": moved.moved_ms,
            "offsets": moved.offsets,
            "groups": moved.groups,
            "sessions": [{"group": group, "member_id": member_id} for group, member_id in moved.sessions],
        }
    )


# Snapshots.


async def take_snapshot(ports: Ports, request: Request) -> Response:
    await read_body(request)
    return answer({"id": await _snapshots(ports).create()})


async def restore_snapshot(ports: Ports, request: Request) -> Response:
    await read_body(request)
    snapshot_id: str = request.path_params["id"]
    await _snapshots(ports).restore(snapshot_id)
    now_ms = request.app.state.ports().time.state().now_ms  # the time has gone back with everything else
    return answer({"id": snapshot_id, "now_ms": now_ms})


async def delete_snapshot(ports: Ports, request: Request) -> Response:
    snapshot_id: str = request.path_params["id"]
    await _snapshots(ports).delete(snapshot_id)
    return answer({"id": snapshot_id})


def _snapshots(ports: Ports) -> Snapshots:
    if ports.snapshots is None:
        raise Refused(501, "not_supported", "this broker takes no snapshots")
    return ports.snapshots
