"""Connection states: the table, and a connection that authenticates with handlers of connection APIs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import product

import pytest

from tests.unit.broker.server.test_interceptors import OnNth, intercept, is_closed
from tests.unit.broker.server.test_session import a_session
from tests.unit.broker.whole import Client, Whole, running
from tests.wire import request
from tidemark.security.mechanisms import sasl_listener
from tidemark.security.sasl import SaslListener
from tidemark.server.interceptors import Delay
from tidemark.server.local import LocalClient
from tidemark.server.network import Address
from tidemark.server.session import RULES, ConnectionState, IllegalTransitionError
from tidemark.settings.sasl import SaslSettings
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_testing.storage import MemoryStorage

ILLEGAL_SASL_STATE = 34
LEGAL = {
    ("unauthenticated", "authenticating"),
    ("unauthenticated", "draining"),
    ("unauthenticated", "closed"),
    ("unauthenticated", "about to authenticate"),
    ("about to authenticate", "authenticating"),
    ("about to authenticate", "draining"),
    ("about to authenticate", "closed"),
    ("authenticating", "ready"),
    ("authenticating", "draining"),
    ("authenticating", "closed"),
    ("ready", "authenticating"),
    ("ready", "draining"),
    ("ready", "closed"),
    ("draining", "closed"),
}


@pytest.mark.parametrize(
    ("current", "to"), list(product(ConnectionState, ConnectionState)), ids=lambda state: state.value
)
def test_session_enters_only_states_that_the_table_allows(
    current: ConnectionState, to: ConnectionState
) -> None:
    session = a_session(state=current)
    if current is to or (current.value, to.value) in LEGAL:
        session.enter(to)
        assert session.state is to
    else:
        with pytest.raises(IllegalTransitionError, match=f"{current.value} cannot become {to.value}"):
            session.enter(to)
        assert session.state is current


@pytest.mark.parametrize("state", list(ConnectionState))
def test_flags_of_a_session_follow_from_its_state(state: ConnectionState) -> None:
    session = a_session(state=state)
    assert session.closed == (state is ConnectionState.CLOSED)
    assert session.draining == (state in (ConnectionState.DRAINING, ConnectionState.CLOSED))
    assert session.held == session.draining


def test_every_state_has_rules() -> None:
    assert set(RULES) == set(ConnectionState)


SASL = sasl_listener(SaslSettings(("PLAIN",), {"alice": "secret"}, {"PLAIN": 0}))


@asynccontextmanager
async def sasl_client(whole: Whole, sasl: SaslListener = SASL) -> AsyncIterator[Client]:
    """Return a client of a listener whose clients must authenticate."""
    address = Address("SASL_PLAINTEXT", "127.0.0.1", 0, sasl=sasl)
    listening = whole.node.env.host.network.bind(address)
    await whole.server.listen(address, listening)
    client = Client(*await asyncio.open_connection("127.0.0.1", listening.number))
    yield client
    client.writer.close()


def a_handshake(number: int) -> bytes:
    return request("SaslHandshake", 1, {"Mechanism": "PLAIN"}, number)


def an_authentication(number: int, password: str = "secret") -> bytes:
    return request("SaslAuthenticate", 1, {"AuthBytes": f"\0alice\0{password}".encode().hex()}, number)


def a_listing(number: int) -> bytes:
    return request("ListGroups", 0, {}, number)


@pytest.mark.parametrize("intercepted", [False, True])
async def test_connection_authenticates_and_is_served_as_its_principal(*, intercepted: bool) -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole) as client:
        seen = intercept(whole, OnNth("ListGroups")) if intercepted else None
        frames = request("ApiVersions", 0, {}, 0) + a_handshake(1) + an_authentication(2) + a_listing(3)
        client.writer.write(frames)
        assert await client.correlation_ids(4) == [0, 1, 2, 3]
        if seen is not None:
            assert seen.requests[0].caller.principal == "User:alice"
            assert seen.requests[0].caller.listener == "SASL_PLAINTEXT"
        (connection,) = (each for each in whole.server._connections if each.session.caller.principal != "")
        assert connection.session.state is ConnectionState.READY
        assert connection.session.caller.principal == "User:alice"


@pytest.mark.parametrize(
    ("frames", "answers"),
    [
        (a_listing(0), []),
        (an_authentication(0), []),
        (request("ApiVersions", 0, {}, 0) + a_listing(1), [0]),
        (request("ApiVersions", 0, {}, 0) + request("ApiVersions", 0, {}, 1) + a_handshake(2), [0]),
        (request("ApiVersions", 3, {}, 0) * 2 + request("ApiVersions", 0, {}, 1) * 2, [0, 0, 1]),
    ],
    ids=[
        "first",
        "no handshake",
        "after ApiVersions",
        "ApiVersions twice",
        "ApiVersions twice after errors",
    ],
)
async def test_api_that_its_state_does_not_serve_closes_the_connection(
    frames: bytes, answers: list[int]
) -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole) as client:
        client.writer.write(frames)
        assert await client.correlation_ids(len(answers)) == answers
        assert await is_closed(client)
        assert whole.metrics.bad_input["api_key"] == 1


async def test_failed_authentication_gets_a_response_after_a_delay_and_closes_the_connection() -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole) as client:
        client.writer.write(a_handshake(0) + an_authentication(1, "wrong") + a_listing(2))
        assert await client.correlation_ids(1) == [0]
        assert await client.is_silent()
        whole.clock.advance(100)
        assert await client.correlation_ids(1) == [1]
        assert await is_closed(client)
        assert not whole.metrics.bad_input
        assert whole.metrics.authentications == {("SASL_PLAINTEXT", "PLAIN", "failure"): 1}
        (line,) = whole.lines.of("authentication failed")
        assert line["reason"] == "Authentication failed: Invalid username or password"
        assert "wrong" not in str(whole.lines.lines)


@pytest.mark.parametrize("request_frame", [a_listing(1), request("ApiVersions", 0, {}, 1), a_handshake(1)])
async def test_other_request_during_authentication_gets_an_error_and_closes_the_connection(
    request_frame: bytes,
) -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole) as client:
        client.writer.write(a_handshake(0) + request_frame + an_authentication(2))
        assert await client.correlation_ids(1) == [0]
        whole.clock.advance(100)
        assert await client.correlation_ids(1) == [1]
        assert await is_closed(client)


async def test_client_that_disconnects_during_the_delay_disturbs_nobody(whole: Whole) -> None:
    async with sasl_client(whole) as client:
        client.writer.write(a_handshake(0) + an_authentication(1, "wrong"))
        assert await client.correlation_ids(1) == [0]
    await whole.reads()
    whole.clock.advance(100)
    other = await whole.client()
    other.writer.write(a_listing(0))
    assert await other.correlation_ids(1) == [0]
    assert not whole.lines.of("a request failed")


def with_lifetime(ms: int) -> SaslListener:
    return replace(SASL, max_reauth_ms={"PLAIN": ms})


async def test_connection_ends_with_its_session() -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole, with_lifetime(5_000)) as client:
        await client.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})
        token = {"AuthBytes": b"\0alice\0secret".hex()}
        assert (await client.ask("SaslAuthenticate", 1, token))["SessionLifetimeMs"] == 5_000
        whole.clock.advance(4_999)
        client.writer.write(a_listing(0))
        assert await client.correlation_ids(1) == [0]
        whole.clock.advance(1)
        client.writer.write(a_listing(1))
        assert await is_closed(client)
        assert whole.metrics.bad_input["session"] == 1


async def test_client_that_authenticates_again_gets_another_session() -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole, with_lifetime(5_000)) as client:
        client.writer.write(a_handshake(0) + an_authentication(1))
        assert await client.correlation_ids(2) == [0, 1]
        whole.clock.advance(6_000)  # even after its session has expired
        client.writer.write(a_handshake(2) + an_authentication(3) + a_listing(4))
        assert await client.correlation_ids(3) == [2, 3, 4]
        whole.clock.advance(4_000)
        client.writer.write(a_listing(5))
        assert await client.correlation_ids(1) == [5]


async def test_client_may_authenticate_again_once_a_second() -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole, with_lifetime(5_000)) as client:
        client.writer.write((a_handshake(0) + an_authentication(1)) * 2)
        assert await client.correlation_ids(4) == [0, 1, 0, 1]
        whole.clock.advance(999)
        refused = await client.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})
        assert refused == {"ErrorCode": ILLEGAL_SASL_STATE, "Mechanisms": []}
        whole.clock.advance(1)
        begun = await client.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})
        assert begun == {"ErrorCode": 0, "Mechanisms": ["PLAIN"]}


async def test_large_request_is_accepted_after_authentication_only() -> None:
    small = replace(SASL, receive_bytes_max=1_000)
    large = request("FindCoordinator", 4, {"CoordinatorKeys": ["g" * 2_000]}, 2)
    async with running(MemoryStorage()) as whole, sasl_client(whole, small) as client:
        client.writer.write(a_handshake(0) + an_authentication(1) + large)
        assert await client.correlation_ids(3) == [0, 1, 2]
        async with sasl_client(whole, small) as other:
            other.writer.write(large[:4])
            assert await is_closed(other)
        assert whole.metrics.bad_input["frame_size"] == 1


async def test_token_without_a_header_may_arrive_byte_by_byte() -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole) as client:
        token = b"\0alice\0secret"
        client.writer.write(request("SaslHandshake", 0, {"Mechanism": "PLAIN"}, 0))
        assert await client.correlation_ids(1) == [0]
        for byte in len(token).to_bytes(4, "big") + token:
            client.writer.write(bytes((byte,)))
            await client.writer.drain()
            await whole.reads()
        assert await client.reader.readexactly(4) == bytes(4)  # an empty token
        client.writer.write(a_listing(1))
        assert await client.correlation_ids(1) == [1]


async def test_client_within_the_process_need_not_authenticate() -> None:
    settings = {
        "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    }
    async with running(MemoryStorage(), **settings) as whole:
        local = LocalClient(whole.server)
        assert (await local.call(ListGroupsRequest())).error_code == 0
        local.close()


async def test_delayed_authentication_holds_back_the_requests_behind_it() -> None:
    async with running(MemoryStorage()) as whole, sasl_client(whole) as client:
        intercept(whole, OnNth("SaslAuthenticate", request=Delay(1_000)))
        client.writer.write(a_handshake(0) + an_authentication(1) + a_listing(2))
        assert await client.correlation_ids(1) == [0]
        assert await client.is_silent()
        whole.clock.advance(1_000)
        assert await client.correlation_ids(2) == [1, 2]


async def test_connections_of_a_plaintext_listener_are_ready_at_once(client: Client) -> None:
    client.writer.write(a_listing(0))
    assert await client.correlation_ids(1) == [0]
