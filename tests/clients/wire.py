"""Handmade frames on a plain socket, for requests and responses that no client library sends or exposes."""

from __future__ import annotations

import socket
from struct import pack, unpack
from types import TracebackType
from typing import Any, Final

from tidemark_protocol import decode, encode
from tidemark_protocol.by_name import message_class

ANSWER_TIMEOUT_S: Final = 30


def sized(body: bytes) -> bytes:
    """Return the body as a frame, preceded by its size."""
    return pack(">i", len(body)) + body


def header(
    api_key: int,
    version: int,
    correlation_id: int = 7,
    client_id: str | None = "raw",
    *,
    flexible: bool = False,
) -> bytes:
    """Return a request header: v1, or v2 with an empty tag section."""
    name = b"" if client_id is None else client_id.encode()
    size = -1 if client_id is None else len(name)
    return pack(">hhih", api_key, version, correlation_id, size) + name + (b"\0" if flexible else b"")


def request(name: str, version: int, message: Any, correlation_id: int = 7) -> bytes:
    """Return the frame of a well-formed request. name: the message's name without "Request"."""
    known = message_class(f"{name}Request")
    head = header(known.API_KEY, version, correlation_id, flexible=version >= known.FLEXIBLE_FROM)
    return sized(head + encode(f"{name}Request", version, message))


def response(name: str, version: int, frame: bytes) -> Any:
    """Decode the message in the frame of a response, without its size."""
    known = message_class(f"{name}Response")
    flexible = version >= known.FLEXIBLE_FROM and name != "ApiVersions"
    return decode(f"{name}Response", version, frame[5 if flexible else 4 :])


class Connection:
    """A connection to a broker. Reading raises TimeoutError after ANSWER_TIMEOUT_S."""

    def __init__(self, bootstrap: str) -> None:
        host, _, port = bootstrap.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=ANSWER_TIMEOUT_S)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, name: str, version: int, message: Any) -> Any:
        """Send one well-formed request and return its response."""
        self.send(request(name, version, message))
        return response(name, version, self.answer())

    def answer(self) -> bytes:
        """Return the next frame. Raises ConnectionError if the broker closes the connection instead."""
        size: int = unpack(">i", self._exactly(4))[0]
        return self._exactly(size)

    def is_hung_up_on(self) -> bool:
        """Return whether the broker closes the connection without sending a byte. Raises TimeoutError."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            chunk = self.socket.recv(size - len(data))
            if not chunk:
                raise ConnectionError(f"the broker hung up after {len(data)} of {size} bytes")
            data += chunk
        return bytes(data)

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()
