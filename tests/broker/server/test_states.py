"""Connection states: the table, and a connection that authenticates with handlers of connection APIs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.broker.server.test_interceptors import OnNth, intercept, is_closed
from tests.broker.server.test_pipelining import a_frame, correlation_ids
from tests.broker.server.test_session import a_session
from tests.broker.whole import Client, Whole, running
from tidemark.core.context import ConnectionControl, Context
from tidemark.handlers import routes
from tidemark.handlers.routes import CLAIMS, Route, connection_api
from tidemark.server.interceptors import Delay
from tidemark.server.network import Address
from tidemark.server.states import RULES, IllegalTransitionError, State
from tidemark.testing.storage import MemoryStorage
from tidemark_protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from tidemark_protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

SASL_AUTHENTICATION_FAILED = 58
LEGAL = {
    ("unauthenticated", "authenticating"),
    ("unauthenticated", "draining"),
    ("unauthenticated", "closed"),
    ("authenticating", "ready"),
    ("authenticating", "draining"),
    ("authenticating", "closed"),
    ("ready", "authenticating"),
    ("ready", "draining"),
    ("ready", "closed"),
    ("draining", "closed"),
}


@pytest.mark.parametrize(("current", "to"), list(product(State, State)), ids=lambda state: state.value)
def test_session_enters_only_states_that_the_table_allows(current: State, to: State) -> None:
    session = a_session(state=current)
    if current is to or (current.value, to.value) in LEGAL:
        session.enter(to)
        assert session.state is to
    else:
        with pytest.raises(IllegalTransitionError, match=f"{current.value} cannot become {to.value}"):
            session.enter(to)
        assert session.state is current


@pytest.mark.parametrize("state", list(State))
def test_flags_of_a_session_follow_from_its_state(state: State) -> None:
    session = a_session(state=state)
    assert session.closed == (state is State.CLOSED)
    assert session.draining == (state in (State.DRAINING, State.CLOSED))
    assert session.held == session.draining


def test_every_state_has_rules() -> None:
    assert set(RULES) == set(State)


# handlers as the SASL issue will write them, with a password for a mechanism


@connection_api(SaslHandshakeRequest, versions=range(0, 2))
def sasl_handshake(connection: ConnectionControl, ctx: Context, request: Any) -> SaslHandshakeResponse:
    connection.begin_authentication()
    return SaslHandshakeResponse(mechanisms=[request.mechanism])


@connection_api(SaslAuthenticateRequest, versions=range(0, 3))
def sasl_authenticate(connection: ConnectionControl, ctx: Context, request: Any) -> SaslAuthenticateResponse:
    if request.auth_bytes != b"secret":
        connection.close_after_response()
        return SaslAuthenticateResponse(error_code=SASL_AUTHENTICATION_FAILED)
    connection.authenticated(replace(connection.caller, principal="User:alice"))
    return SaslAuthenticateResponse()


@pytest.fixture
def sasl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serve the two handlers above."""
    load = routes.load
    added = []
    for decide, name in ((sasl_handshake, "SaslHandshake"), (sasl_authenticate, "SaslAuthenticate")):
        module = ModuleType(f"tidemark.handlers.security.{decide.__name__}")
        setattr(module, decide.__name__, decide)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        path = Path(f"security/{decide.__name__}.py")
        added.append(Route(path, name, "query", "Cluster", CLAIMS[decide.__name__].versions))
    table = load() | {route.api_key: route for route in added}
    monkeypatch.setattr("tidemark.node.serving._load_routes", lambda: table)


@asynccontextmanager
async def sasl_listener(whole: Whole) -> AsyncIterator[Client]:
    """Return a client of a listener whose clients must authenticate."""
    listening = whole.node.env.host.network.bind(Address("SASL_PLAINTEXT", "127.0.0.1", 0))
    await whole.server.listen(Address("SASL_PLAINTEXT", "127.0.0.1", 0, authenticates=True), listening)
    client = Client(*await asyncio.open_connection("127.0.0.1", listening.number))
    yield client
    client.writer.close()


def a_handshake(number: int) -> bytes:
    return a_frame("SaslHandshake", 1, {"Mechanism": "PLAIN"}, number)


def an_authentication(number: int, password: str = "secret") -> bytes:
    return a_frame("SaslAuthenticate", 1, {"AuthBytes": password.encode().hex()}, number)


def a_listing(number: int) -> bytes:
    return a_frame("ListGroups", 0, {}, number)


@pytest.mark.asyncio
@pytest.mark.usefixtures("sasl")
@pytest.mark.parametrize("intercepted", [False, True])
async def test_connection_authenticates_and_is_served_as_its_principal(*, intercepted: bool) -> None:
    async with running(MemoryStorage()) as whole, sasl_listener(whole) as client:
        seen = intercept(whole, OnNth("ListGroups")) if intercepted else None
        frames = a_frame("ApiVersions", 0, {}, 0) + a_handshake(1) + an_authentication(2) + a_listing(3)
        client.writer.write(frames)
        assert await correlation_ids(client, 4) == [0, 1, 2, 3]
        if seen is not None:
            assert seen.requests[0].caller.principal == "User:alice"
            assert seen.requests[0].caller.listener == "SASL_PLAINTEXT"
        (connection,) = (each for each in whole.server._connections if each.session.caller.principal != "")
        assert connection.session.state is State.READY
        assert connection.session.caller.principal == "User:alice"


@pytest.mark.asyncio
@pytest.mark.usefixtures("sasl")
@pytest.mark.parametrize(
    ("frames", "answers"),
    [
        (a_listing(0), []),
        (an_authentication(0), []),
        (a_frame("ApiVersions", 0, {}, 0) + a_listing(1), [0]),
        (a_handshake(0) + a_listing(1), [0]),
        (a_handshake(0) + a_frame("ApiVersions", 0, {}, 1), [0]),
    ],
    ids=[
        "first",
        "no handshake",
        "after ApiVersions",
        "after the handshake",
        "ApiVersions after the handshake",
    ],
)
async def test_api_that_its_state_does_not_serve_closes_the_connection(
    frames: bytes, answers: list[int]
) -> None:
    async with running(MemoryStorage()) as whole, sasl_listener(whole) as client:
        client.writer.write(frames)
        assert await correlation_ids(client, len(answers)) == answers
        assert await is_closed(client)
        assert whole.metrics.bad_input["api_key"] == 1


@pytest.mark.asyncio
@pytest.mark.usefixtures("sasl")
async def test_failed_authentication_gets_a_response_and_closes_the_connection() -> None:
    async with running(MemoryStorage()) as whole, sasl_listener(whole) as client:
        client.writer.write(a_handshake(0) + an_authentication(1, "wrong") + a_listing(2))
        assert await correlation_ids(client, 2) == [0, 1]
        assert await is_closed(client)
        assert not whole.metrics.bad_input


@pytest.mark.asyncio
@pytest.mark.usefixtures("sasl")
async def test_delayed_authentication_holds_back_the_requests_behind_it() -> None:
    async with running(MemoryStorage()) as whole, sasl_listener(whole) as client:
        intercept(whole, OnNth("SaslAuthenticate", request=Delay(1_000)))
        client.writer.write(a_handshake(0) + an_authentication(1) + a_listing(2))
        assert await correlation_ids(client, 1) == [0]
        assert await client.is_silent()
        whole.clock.advance(1_000)
        assert await correlation_ids(client, 2) == [1, 2]


@pytest.mark.asyncio
@pytest.mark.usefixtures("sasl")
async def test_connections_of_a_plaintext_listener_are_ready_at_once() -> None:
    async with running(MemoryStorage()) as whole:
        client = await whole.client()
        client.writer.write(a_listing(0))
        assert await correlation_ids(client, 1) == [0]
