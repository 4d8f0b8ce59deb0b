"""HTTP over TLS, with the keys of the broker's settings."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from tests.authorities import Authority
from tests.broker_process import ROOT
from tests.unit.broker.whole import Whole, running
from tidemark.config import Config, ConfigError
from tidemark_testing.storage import MemoryStorage

CA: Final = Authority()
KEYS: Final = CA.sign()
TOKEN: Final = "token-secret"
SETTINGS: Final = {
    "tidemark_http_listener": "127.0.0.1:0",
    "tidemark_http_tls": "true",
    "tidemark_http_token": TOKEN,
    "ssl_keystore_type": "PEM",
    "ssl_keystore_key": KEYS.key(),
    "ssl_keystore_certificate_chain": KEYS.chain,
}


@asynccontextmanager
async def https(**settings: str) -> AsyncIterator[Whole]:
    async with running(MemoryStorage(), **SETTINGS, **settings) as whole:
        yield whole


async def got(whole: Whole, path: str, token: str = TOKEN, *, tls: bool = True) -> bytes:
    """Return the response to a GET request, or b"" if the broker closes the connection."""
    host, _, port = whole.node.ready()["http"].rpartition(":")
    context = ssl.create_default_context(cadata=CA.pem) if tls else None
    async with asyncio.timeout(30):
        reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        writer.write(request.encode() + b"Connection: close\r\n\r\n")
        try:
            return await reader.read()
        finally:
            writer.close()


async def test_http_is_served_over_tls_and_needs_the_token() -> None:
    async with https() as whole:
        assert (await got(whole, "/livez")).startswith(b"HTTP/1.1 200")
        page = await got(whole, "/metrics")
        assert page.startswith(b"HTTP/1.1 200")
        assert b"tidemark_bad_input_total" in page
        assert page.rstrip().endswith(b"# EOF") or len(page) > 10_000
        assert (await got(whole, "/metrics", "wrong-token")).startswith(b"HTTP/1.1 401")
        assert sum(whole.metrics.bad_input.values()) == 0


async def test_the_health_check_of_the_image_uses_tls() -> None:
    async def checked(tls: str) -> int:
        variables = {"KAFKA_TIDEMARK_HTTP_LISTENER": f":{port}", "KAFKA_TIDEMARK_HTTP_TLS": tls}
        check = await asyncio.create_subprocess_exec(
            "bash", ROOT / "docker" / "bin" / "healthcheck", env={**os.environ, **variables}
        )
        return await asyncio.wait_for(check.wait(), 30)

    async with https() as whole:
        port = whole.node.ready()["http"].rpartition(":")[2]
        assert await checked("true") == 0
        assert await checked("false") == 1
    assert await checked("true") == 1


async def test_http_client_without_tls_is_closed_and_counted() -> None:
    async with https() as whole:
        assert await got(whole, "/livez", tls=False) == b""
        assert whole.metrics.bad_input["tls"] == 1
        (line,) = whole.lines.of("connection closed after invalid input")
        assert line["reason"] == "TLS handshake failed: the client does not use TLS: its first byte is 71"
        assert (await got(whole, "/livez")).startswith(b"HTTP/1.1 200")


async def test_silent_clients_make_room_for_others() -> None:
    async with https(tidemark_http_connections_max="3") as whole:
        host, _, port = whole.node.ready()["http"].rpartition(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(5)]
        assert (await got(whole, "/livez")).startswith(b"HTTP/1.1 200")
        for _, writer in silent:
            writer.close()


def test_keys_of_http_may_have_its_prefix() -> None:
    own = {"listener.name.http.ssl.keystore.type": "PEM", "listener.name.http.ssl.keystore.location": "/k"}
    read = Config({"tidemark.http.tls": "true", "ssl.client.auth": "required", **own}).http_tls
    assert read is not None
    assert (read.keys.location, read.client_auth) == ("/k", "none")


def test_http_over_tls_without_keys_is_refused() -> None:
    with pytest.raises(ConfigError, match="^Listener HTTP: no key store is set"):
        Config({"tidemark.http.tls": "true"})
