"""The token that HTTP clients of other machines must send."""

from __future__ import annotations

import hmac
from base64 import b64decode
from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tidemark.http.responses import HttpError, error_response

# Browsers ask their user for the password of Basic.
CHALLENGE: Final = 'Basic realm="tidemark", Bearer'


class TokenCheck:
    """Refuses requests without the token, except for open paths.

    The token is a bearer token (RFC 6750), or the password of Basic authentication (RFC 7617) with any user.
    """

    def __init__(self, app: ASGIApp, token: str, open_paths: Collection[str]) -> None:
        self._app = app
        self._token = token.encode()
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["path"] not in self._open_paths and not self._accepts(Headers(scope=scope)):
            refusal = error_response(_refused())
            refusal.headers["WWW-Authenticate"] = CHALLENGE
            app = refusal
        await app(scope, receive, send)

    def _accepts(self, headers: Headers) -> bool:
        given = _token_of(headers.get("authorization", ""))
        return given is not None and hmac.compare_digest(given, self._token)


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


def _refused() -> HttpError:
    return HttpError(
        401,
        "token_required",
        "send the token of tidemark.http.token, or the one that the broker logged at its start, as "
        "'Authorization: Bearer TOKEN' or as the password of Basic authentication",
    )
