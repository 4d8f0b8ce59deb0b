"""Carries out the exchanges of `tidemark.seeding.calls` with the wire client, on any Kafka."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from tidemark.seeding import FIXTURE_CLIENT_ID
from tidemark.seeding.calls import PAUSE, PAUSE_MS, Call, Exchange
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.connection import BrokerEndpoint, api_name, now_s
from tidemark_tools.client.errors import Unreachable

__tracebackhide__ = True

T = TypeVar("T")

TIMEOUT_S: Final = 30.0


def fixture_client(
    bootstrap: str, settings: Mapping[str, str] | None, timeout_s: float = TIMEOUT_S
) -> Client:
    """Return a client whose requests faults and the journal of requests can tell from those of a test.

    settings: of the client. timeout_s: of each call.
    """
    named = {**(settings or {}), "client.id": FIXTURE_CLIENT_ID}
    return Client(bootstrap, timeout_ms=int(timeout_s * 1000), settings=named)


def carry_out(
    bootstrap: str,
    exchange: Exchange[T],
    settings: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> T:
    """Send the requests of the exchange, and return its result.

    settings: of the client. Raises ClientError if no broker responds, or if the exchange is not complete
    after timeout_s.
    """
    deadline = now_s() + timeout_s
    with fixture_client(bootstrap, settings, timeout_s) as client:
        leaders: dict[TopicPartition, BrokerEndpoint | None] = {}
        call, response = PAUSE, None
        while True:
            try:
                following = exchange.send(response)
            except StopIteration as done:
                result: T = done.value
                return result
            if following is PAUSE:
                if now_s() + 2 * PAUSE_MS / 1000 >= deadline:  # the next attempt would only time out
                    raise Unreachable(_why_not(call, response, timeout_s))
                leaders.clear()
                time.sleep(PAUSE_MS / 1000)
                response = None
                continue
            call = following
            left_ms = max(0, int((deadline - now_s()) * 1000))
            node = _node(client, call, leaders)
            response = client.call(
                call.request, node, max_version=call.max_version, timeout_ms=left_ms, once=call.once
            )


def _why_not(call: Call, response: Any, timeout_s: float) -> str:
    from tidemark.server.request_journal import message_text

    errors = ", ".join(message_text(response)[1])
    return f"{api_name(call.request)} still gets {errors or 'no result'} after {timeout_s:g} s"


def _node(
    client: Client, call: Call, leaders: dict[TopicPartition, BrokerEndpoint | None]
) -> BrokerEndpoint | None:
    if call.group is not None:
        client.forget_coordinator(call.group)  # it may have moved since the last attempt
        return client.coordinator(call.group)
    if call.partition is None:
        return None
    partition = TopicPartition(*call.partition)
    if partition not in leaders:
        leaders.update(client.leaders([partition.topic]))
    return leaders.get(partition)
