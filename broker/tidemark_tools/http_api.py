"""A client of a broker's HTTP API: /v1, /metrics and health, over the standard library."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection, RemoteDisconnected
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec

from tidemark_tools.client.connection import addresses
from tidemark_tools.client.errors import BadAddress, CannotConnect, ClientError, ConfigError

if TYPE_CHECKING:
    import ssl

__tracebackhide__ = True

TIMEOUT_S: Final = 60.0
HTTPS: Final = "https://"
TOKEN: Final = "tidemark.http.token"  # noqa: S105 - the name of a setting
TOKEN_VARIABLE: Final = "TIDEMARK_HTTP_TOKEN"  # noqa: S105 - the name of a variable


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


def serves_https(settings: Mapping[str, str]) -> bool:
    """Return whether a broker with these settings serves HTTP over TLS."""
    return settings.get("tidemark.http.tls", "false").strip().lower() == "true"


class Token(NamedTuple):
    """A token for HTTP, None if there is none. origin: the name of the property or variable that has it."""

    value: str | None
    origin: str


def read_token(settings: Mapping[str, str]) -> Token:
    """Return the token in the properties of a client, or else the one in the environment.

    Raises ConfigError for one that no HTTP header can have.
    """
    found = Token(settings.get(TOKEN, "").strip() or None, TOKEN)
    if found.value is None:
        found = Token(os.environ.get(TOKEN_VARIABLE, "").strip() or None, TOKEN_VARIABLE)
    if found.value is not None and not found.value.isprintable():
        raise ConfigError(f"{found.origin} has a character that cannot be printed")
    return found


class Api:
    """An HTTP client of one broker. Each call opens its own connection, so none is stale.

    Each call raises ApiError, or NoResponse if the address is wrong or has no tidemark broker.

    address: host:port, also with http:// before it; https://host:port if the broker has tidemark.http.tls
    token: of a broker whose HTTP needs one (tidemark.http.token)
    settings: Kafka's client properties, whose `ssl.*` apply to https://. Raises ConfigError
    """

    def __init__(
        self,
        address: str,
        *,
        timeout_s: float = TIMEOUT_S,
        token: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.address = address.removeprefix("http://").rstrip("/")
        self._token = token
        self._timeout_s = timeout_s
        self._tls: ssl.SSLContext | None = None
        if self.address.startswith(HTTPS):
            from tidemark_tools.client.tls import tls_context

            self._tls = tls_context(settings or {})

    @property
    def url(self) -> str:
        return self.address if self._tls is not None else f"http://{self.address}"

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
            _, host, port = addresses(self.address.removeprefix(HTTPS))[0]
        except (BadAddress, IndexError):
            raise NoResponse(self.address, "the address must be HOST:PORT") from None
        if self._tls is None:
            connection = HTTPConnection(host, port, timeout=self._timeout_s)
        else:
            connection = HTTPSConnection(host, port, timeout=self._timeout_s, context=self._tls)
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
            raise NoResponse(self.address, self._reason(error)) from None
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

    def _reason(self, error: Exception) -> object:
        """Return why there is no response, with a hint if the server may serve TLS."""
        if self._tls is None:
            if isinstance(error, RemoteDisconnected | ConnectionResetError):
                return f"{error}; if it serves TLS, its address begins with {HTTPS}"
            return error
        import ssl

        from tidemark.settings.key_stores import reason_of

        if not isinstance(error, ssl.SSLError):
            return error
        return f"the TLS handshake failed: {reason_of(error)}"
