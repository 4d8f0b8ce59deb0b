"""Carries out the exchanges of `tidemark.seeding.calls` with the wire client, on any Kafka."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from tidemark.seeding import FIXTURE_CLIENT_ID, calls
from tidemark.seeding.calls import PAUSE, PAUSE_MS, Call, Exchange, Refused
from tidemark_testing.isolation import pause
from tidemark_testing.server import text
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.connection import BrokerEndpoint, api_name, now_s
from tidemark_tools.client.errors import ClientError, Unreachable

__tracebackhide__ = True

T = TypeVar("T")

TIMEOUT_S: Final = 30.0
DELETE_VERSION: Final = 5  # the last version that identifies topics by name only


class TopicRefused(Exception):
    """The broker did not create the topic. The message names the error."""


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
                    from tidemark.server.request_journal import message_text

                    errors = ", ".join(message_text(response)[1])
                    raise Unreachable(
                        f"{api_name(call.request)} still gets {errors or 'no result'} after {timeout_s:g} s"
                    )
                leaders.clear()
                pause(PAUSE_MS / 1000)
                response = None
                continue
            call = following
            left_ms = max(0, int((deadline - now_s()) * 1000))
            node = _node(client, call, leaders)
            response = client.call(
                call.request, node, max_version=call.max_version, timeout_ms=left_ms, once=call.once
            )


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


def create_topic(
    bootstrap: str,
    name: str,
    partitions: int,
    configs: Mapping[str, object],
    settings: Mapping[str, str] | None = None,
) -> None:
    """Create a topic, and return once every partition has a leader.

    With partitions -1 the broker's num.partitions applies. settings: of the client. Raises
    TopicRefused, also if no broker responds.
    """
    given = {key: text(value) for key, value in configs.items()}
    try:
        carry_out(bootstrap, calls.create_topic(name, partitions, given), settings)
    except Refused as error:
        raise TopicRefused(str(error)) from None
    except ClientError as error:
        raise TopicRefused(f"topic {name}: {error}") from None


def delete_topics(bootstrap: str, names: Iterable[str], settings: Mapping[str, str] | None = None) -> None:
    """Delete the topics. Topics that do not exist are no error."""
    from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest

    with fixture_client(bootstrap, settings) as client:
        request = DeleteTopicsRequest(topic_names=list(names), timeout_ms=calls.TIMEOUT_MS)
        client.call(request, max_version=DELETE_VERSION)
