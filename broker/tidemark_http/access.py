"""Access to HTTP: clients must use a known name of the broker, and have its token if it needs one.

A web page can make a browser send requests here under a name of its own (DNS rebinding) and read the
responses, so unknown names are refused.
"""

from __future__ import annotations

import hmac
import re
from base64 import b64decode
from collections.abc import Collection
from ipaddress import IPv4Address, ip_address
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tidemark.clock import Clock
from tidemark_http.responses import HttpError, error_response

OPEN_PATHS: Final = ("/livez", "/readyz")  # health probes use any name, and these reveal nothing
SHOWN_MAX: Final = 200  # characters of a wrong name that the response repeats
HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:@/?#\s]+))(?::[0-9]*)?")
# Browsers ask their user for the password of Basic.
CHALLENGE: Final = 'Basic realm="tidemark", Bearer'
# An address may send so many wrong tokens in such a time: too few to guess a token of 8 characters.
WRONG_MAX: Final = 20
WRONG_MS: Final = 20_000
# Addresses whose wrong tokens are counted. The one that was counted first makes room for another.
ADDRESSES_MAX: Final = 1000
# The network of one IPv6 host: it may use any address in it.
HOST_BITS: Final = 64


class HostCheck:
    """Accepts IP addresses, localhost and the given names (in lower case) as Host, and requests without one,
    which no browser sends.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(names) | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = None if scope["path"] in OPEN_PATHS else Headers(scope=scope).get("host")
        app = self._app
        if host is not None and not self._accepts(host):
            shown = host[:SHOWN_MAX]
            app = error_response(
                HttpError(
                    421,
                    "unknown_host",
                    f"{shown!r} is not a known name of this broker: use an IP address or localhost, or add "
                    "the name to tidemark.http.hosts",
                )
            )
        await app(scope, receive, send)

    def _accepts(self, host: str) -> bool:
        match = HOST.fullmatch(host)
        if match is None:
            return False
        name = (match[1] or match[2]).lower().removesuffix(".")
        try:
            return name in self._names or bool(ip_address(name))
        except ValueError:
            return False


class TokenCheck:
    """Refuses requests without the token, except for open paths.

    The token is a bearer token (RFC 6750), or the password of Basic authentication (RFC 7617) with any user.
    After WRONG_MAX wrong tokens, no token of the address is checked until WRONG_MS have passed.
    """

    def __init__(self, app: ASGIApp, token: str, open_paths: Collection[str], clock: Clock) -> None:
        self._app = app
        self._token = token.encode()
        self._open_paths = frozenset(open_paths)
        self._wrong = WrongTokens(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["path"] not in self._open_paths:
            app = self._refusal(scope) or app
        await app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        given = _token_of(Headers(scope=scope).get("authorization", ""))
        address = _network_of(scope)
        wait_ms = 0 if given is None else self._wrong.wait_ms(address)
        if wait_ms:
            refusal = error_response(
                HttpError(
                    429,
                    "too_many_wrong_tokens",
                    f"this address sent {WRONG_MAX} wrong tokens within {WRONG_MS // 1000} s: "
                    "send the right one later",
                )
            )
            refusal.headers["Retry-After"] = str(-(-wait_ms // 1000))
            return refusal
        if given is not None and hmac.compare_digest(given, self._token):
            return None
        if given is not None:
            self._wrong.count(address)
        refusal = error_response(
            HttpError(
                401,
                "token_required",
                "send the token of tidemark.http.token, or the one that the broker logged at its start, as "
                "'Authorization: Bearer TOKEN' or as the password of Basic authentication",
            )
        )
        refusal.headers["WWW-Authenticate"] = CHALLENGE
        return refusal


class WrongTokens:
    """The number of wrong tokens of each address, since the first one of its last WRONG_MS."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counts: dict[str, tuple[int, int]] = {}  # the time of the first one, and how many

    def wait_ms(self, address: str) -> int:
        """Return how long the address must wait before another token of it is checked."""
        since_ms, count = self._counts.get(address, (0, 0))
        return max(since_ms + WRONG_MS - self._clock.steady_ms(), 0) if count >= WRONG_MAX else 0

    def count(self, address: str) -> None:
        now_ms = self._clock.steady_ms()
        since_ms, count = self._counts.get(address, (now_ms, 0))
        if now_ms >= since_ms + WRONG_MS:
            del self._counts[address]
            since_ms, count = now_ms, 0
        elif address not in self._counts and len(self._counts) >= ADDRESSES_MAX:
            del self._counts[next(iter(self._counts))]
        self._counts[address] = since_ms, count + 1


def _network_of(scope: Scope) -> str:
    """Return the address of the client, or the network of an IPv6 host."""
    host = scope["client"][0] if scope.get("client") else ""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return str(host)
    if isinstance(address, IPv4Address):
        return str(address)
    # A dual-stack socket reports IPv4 clients as ::ffff:a.b.c.d, all in one network, that of ::1.
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address) if address.is_loopback else str(int(address) >> HOST_BITS)


def _token_of(authorization: str) -> bytes | None:
    scheme, _, credentials = authorization.partition(" ")
    credentials = credentials.strip()
    if scheme.lower() == "bearer":
        return credentials.encode("latin-1")
    if scheme.lower() == "basic":
        try:
            return b64decode(credentials, validate=True).partition(b":")[2]
        except ValueError:
            return None
    return None
