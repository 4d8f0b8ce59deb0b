"""A client of /v1 and /metrics over the standard library, and what keeps the tests on one broker apart."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from unittest import SkipTest
from urllib.parse import urlencode

from tidemark_tools.client.connection import now_s

__tracebackhide__ = True

TIMEOUT_S: Final = 60.0
POLL_S: Final = 0.01


class ApiError(Exception):
    """The API returned an error, with its message. status is HTTP's; code and field are the API's."""

    def __init__(self, status: int, code: str, field: str | None, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field


class NoResponse(Exception):
    """No HTTP server responded at the address."""


class NotAvailable(SkipTest):
    """The broker cannot do what the test needs. pytest and unittest skip the test, and show the reason."""


@dataclass(frozen=True)
class Isolation:
    """How tests are kept apart.

    prefix  "" if each test restores a snapshot; else what the names of topics and groups of a test begin with
    shared  other tests use the broker at the same time: time must not move, and nothing may be restored
    """

    prefix: str = ""
    shared: bool = False

    def name(self, name: str) -> str:
        """Return the name of a topic or a group, with the prefix."""
        return name if name.startswith(self.prefix) else self.prefix + name

    def check_alone(self, wanted: str) -> None:
        """Skip the test if other tests use the broker at the same time. wanted: what the test used."""
        if self.shared:
            raise NotAvailable(
                f"tidemark.{wanted} would disturb the other workers of pytest-xdist, which share the broker: "
                "run this test without -n, or with --tidemark-mode thread"
            )


SNAPSHOT: Final = Isolation()


class Api:
    """An HTTP client of one broker at host:port. Each call opens its own connection, so none is stale.

    token: of a broker whose HTTP needs one (tidemark.http.token)
    """

    def __init__(self, address: str, *, timeout_s: float = TIMEOUT_S, token: str | None = None) -> None:
        self.address = address
        self._token = token
        self._timeout_s = timeout_s

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON of the response. Query parameters that are None are left out."""
        given = {name: value for name, value in query.items() if value is not None}
        return json.loads(self._call("GET", f"{path}?{urlencode(given)}" if given else path))

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
        return json.loads(self._call("POST", path, json.dumps(body or {}).encode()) or b"null")

    def delete(self, path: str) -> Any:
        return json.loads(self._call("DELETE", path) or b"null")

    def text(self, path: str) -> str:
        return self._call("GET", path).decode()

    def _call(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Raises ApiError, NoResponse."""
        host, _, port = self.address.rpartition(":")
        connection = HTTPConnection(host.strip("[]"), int(port), timeout=self._timeout_s)
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
            raise NoResponse(f"no HTTP response from {self.address}: {error}") from None
        finally:
            connection.close()
        if response.status >= 400:
            raise _refusal(response.status, content, f"{method} {path}")
        return content


def _refusal(status: int, content: bytes, call: str) -> ApiError:
    try:
        error = json.loads(content)["error"]
        return ApiError(status, error["code"], error.get("field"), error["message"])
    except (ValueError, KeyError, TypeError):
        text = content[:200].decode(errors="replace")
        return ApiError(status, "", None, f"{call} was answered with HTTP {status}: {text}")


def wait(why_not: Callable[[], str | None], timeout_s: float) -> str | None:
    """Call until it returns None, for at most so many seconds. Return what it returned last."""
    deadline = now_s() + timeout_s
    while True:
        reason = why_not()
        if reason is None or now_s() >= deadline:
            return reason
        time.sleep(POLL_S)
