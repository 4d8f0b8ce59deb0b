"""A client of a broker's HTTP API: /v1, /metrics and health, over the standard library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from tidemark_tools.client.connection import addresses
from tidemark_tools.client.errors import BadAddress, CannotConnect, ClientError

__tracebackhide__ = True

TIMEOUT_S: Final = 60.0


class ApiError(ClientError):
    """The API returned an error, with its message. status is HTTP's; code and field are the API's.

    code: "" if the response is not one of tidemark's
    """

    def __init__(self, status: int, code: str, field: str | None, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field


class NoResponse(CannotConnect):
    """No HTTP API responded at the address. reason: why, without the address."""

    def __init__(self, address: str, reason: object) -> None:
        super().__init__(f"no HTTP response from {address}: {reason}")
        self.reason = reason


class Api:
    """An HTTP client of one broker. Each call opens its own connection, so none is stale.

    Each call raises ApiError, or NoResponse if the address is wrong or has no tidemark broker.

    address: host:port, also with http:// before it
    token: of a broker whose HTTP needs one (tidemark.http.token)
    """

    def __init__(self, address: str, *, timeout_s: float = TIMEOUT_S, token: str | None = None) -> None:
        self.address = address.removeprefix("http://").rstrip("/")
        self._token = token
        self._timeout_s = timeout_s

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON object of the response. Query parameters that are None are left out."""
        given = {name: value for name, value in query.items() if value is not None}
        found = self._json("GET", f"{path}?{urlencode(given)}" if given else path)
        if not isinstance(found, dict):
            raise NoResponse(self.address, "the response is not a JSON object")
        return found

    def pages(self, path: str, key: str, **query: Any) -> Iterator[Any]:
        """Yield the elements under key of all pages of a response."""
        cursor = None
        while True:
            page = self.get(path, cursor=cursor, **query)
            yield from page[key]
            cursor = page.get("cursor")
            if cursor is None:
                return

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._json("POST", path, json.dumps(body or {}).encode())

    def delete(self, path: str) -> Any:
        return self._json("DELETE", path)

    def text(self, path: str) -> str:
        return self._call("GET", path).decode()

    def _json(self, method: str, path: str, body: bytes | None = None) -> Any:
        content = self._call(method, path, body)
        try:
            return msgspec.json.decode(content or b"null")  # long lists take a third of json's time
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise NoResponse(self.address, f"the response is not JSON: {error}") from None

    def _call(self, method: str, path: str, body: bytes | None = None) -> bytes:
        try:
            _, host, port = addresses(self.address)[0]
        except (BadAddress, IndexError):
            raise NoResponse(self.address, "the address must be HOST:PORT") from None
        connection = HTTPConnection(host, port, timeout=self._timeout_s)
        headers: dict[str, str | bytes] = {"Connection": "close"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}".encode()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, HTTPException) as error:
            raise NoResponse(self.address, error) from None
        finally:
            connection.close()
        if response.status < 400:
            return content
        try:
            given = json.loads(content)["error"]
            raise ApiError(response.status, given["code"], given.get("field"), given["message"])
        except (ValueError, KeyError, TypeError):
            shown = content[:200].decode(errors="replace")
            message = f"{method} {path} was answered with HTTP {response.status}: {shown}"
            raise ApiError(response.status, "", None, message) from None
