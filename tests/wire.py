"""The wire client of the tests: frames, and connections that send single requests.

`request` and `response` do no I/O. A message is an object of tidemark_protocol, or a dict with Kafka's names
of its fields. The response to a dict is a dict.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from struct import pack, unpack, unpack_from
from types import TracebackType
from typing import Any, Final, Self

from tidemark_protocol import decode, encode, from_dict, to_dict
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
    tags: bytes = b"\0",
) -> bytes:
    """Return a request header: v1, or v2 with the encoded tagged fields."""
    name = b"" if client_id is None else client_id.encode()
    size = -1 if client_id is None else len(name)
    return pack(">hhih", api_key, version, correlation_id, size) + name + (tags if flexible else b"")


def request(
    name: str,
    version: int,
    message: Any,
    correlation_id: int = 7,
    client_id: str | None = "raw",
    tags: bytes = b"\0",
) -> bytes:
    """Return the frame of a well-formed request. name: the message's name without "Request"."""
    if isinstance(message, dict):
        message = from_dict(f"{name}Request", message)
    known = message_class(f"{name}Request")
    flexible = version >= known.FLEXIBLE_FROM
    head = header(known.API_KEY, version, correlation_id, client_id, flexible=flexible, tags=tags)
    return sized(head + encode(f"{name}Request", version, message))


def correlation_id(frame: bytes) -> int:
    """Return the correlation id in the frame of a response, without its size."""
    found: int = unpack_from(">i", frame)[0]
    return found


def body(name: str, version: int, frame: bytes) -> bytes:
    """Return what follows the header in the frame of a response, without its size."""
    flexible = version >= message_class(f"{name}Response").FLEXIBLE_FROM and name != "ApiVersions"
    return frame[5 if flexible else 4 :]


def response(name: str, version: int, frame: bytes) -> Any:
    """Decode the message in the frame of a response, without its size."""
    return decode(f"{name}Response", version, body(name, version, frame))


def frames(received: bytearray) -> Iterator[bytes]:
    """Remove the complete frames from the received bytes, and yield them without their sizes."""
    while len(received) >= 4 and len(received) >= (end := 4 + unpack_from(">i", received)[0]):
        frame = bytes(received[4:end])
        del received[:end]
        yield frame


class Connection:
    """A connection to a broker. Reading raises TimeoutError after ANSWER_TIMEOUT_S.

    to      an address, or a socket that is connected
    source  the address from which the client connects
    """

    def __init__(self, to: str | socket.socket, source: str = "") -> None:
        if isinstance(to, str):
            host, _, port = to.rpartition(":")
            to = socket.create_connection((host, int(port)), ANSWER_TIMEOUT_S, (source, 0))
        self.socket = to
        self._number = 0

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, name: str, version: int, message: Any) -> Any:
        """Send one well-formed request and return its response."""
        self._number += 1
        self.send(request(name, version, message, self._number))
        frame = self.answer()
        assert correlation_id(frame) == self._number, f"expected response {self._number}: {frame.hex()}"
        found = response(name, version, frame)
        return to_dict(found) if isinstance(message, dict) else found

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

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncConnection:
    """A connection of an event loop. Reading raises ConnectionError when it ends."""

    client_id: str | None = "raw"

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def to(cls, bootstrap: str, source: str = "") -> Self:
        """Connect. source: the address from which the client connects."""
        host, _, port = bootstrap.rpartition(":")
        local = (source, 0) if source else None
        return cls(*await asyncio.open_connection(host, int(port), local_addr=local))

    def send(self, name: str, version: int, message: Any, correlation_id: int = 7) -> None:
        self.writer.write(request(name, version, message, correlation_id, client_id=self.client_id))

    async def answer(self, name: str, version: int) -> Any:
        return response(name, version, await self.frame())

    async def frame(self) -> bytes:
        """Return the next frame without its size."""
        try:
            size: int = unpack(">i", await self.reader.readexactly(4))[0]
            return await self.reader.readexactly(size)
        except asyncio.IncompleteReadError as cut:
            raise ConnectionError("the broker hung up") from cut

    async def ask(self, name: str, version: int, message: Any) -> Any:
        self.send(name, version, message)
        found = response(name, version, await self.frame())
        return to_dict(found) if isinstance(message, dict) else found

    def close(self) -> None:
        self.writer.close()
