"""The host names to which HTTP responds. A web page can make a browser send requests here under a name of its
own (DNS rebinding) and read the responses, so unknown names are refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tidemark_http.responses import HttpError, error_response

OPEN_PATHS: Final = ("/livez", "/readyz")  # health probes use any name, and these reveal nothing
SHOWN_MAX: Final = 200  # characters of a wrong name that the response repeats
_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:@/?#\s]+))(?::[0-9]*)?")


class HostCheck:
    """Accepts IP addresses, localhost and the given names (in lower case) as Host, and requests without one,
    which no browser sends.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(names) | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = None if scope["path"] in OPEN_PATHS else Headers(scope=scope).get("host")
        app = self._app if host is None or self._accepts(host) else error_response(_unknown(host))
        await app(scope, receive, send)

    def _accepts(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = (match[1] or match[2]).lower().removesuffix(".")
        return name in self._names or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


def _unknown(host: str) -> HttpError:
    return HttpError(
        421,
        "unknown_host",
        f"{host[:SHOWN_MAX]!r} is not a known name of this broker: use an IP address or localhost, or add "
        "the name to tidemark.http.hosts",
    )
