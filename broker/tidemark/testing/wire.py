"""Carries out the exchanges of `tidemark.seeding.calls` with the wire client, on any Kafka."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, TypeVar

from tidemark.client.addresses import BrokerEndpoint, TopicPartition
from tidemark.client.client import Client
from tidemark.seeding.calls import PAUSE, PAUSE_MS, Call, Exchange

__tracebackhide__ = True

T = TypeVar("T")

TIMEOUT_MS = 30_000


def carry_out(bootstrap: str, exchange: Exchange[T], settings: Mapping[str, str] | None = None) -> T:
    """Send the requests of the exchange, and return its result. Raises ClientError if no broker responds.

    settings: of the client.
    """
    with Client(bootstrap, timeout_ms=TIMEOUT_MS, settings=settings) as client:
        leaders: dict[TopicPartition, BrokerEndpoint | None] = {}
        response: Any = None
        while True:
            try:
                call = exchange.send(response)
            except StopIteration as done:
                result: T = done.value
                return result
            if call is PAUSE:
                leaders.clear()
                time.sleep(PAUSE_MS / 1000)
                response = None
            else:
                node = _node(client, call, leaders)
                response = client.call(call.request, node, max_version=call.max_version, once=call.once)


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
