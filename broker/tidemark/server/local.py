"""A client inside of the broker: its requests take the path of every other request, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tidemark.seeding import HTTP_CLIENT_ID
from tidemark.server.connection import Connection
from tidemark_protocol.frames import decode_response, encode_request
from tidemark_protocol.wire import Bytes

if TYPE_CHECKING:
    from tidemark.server.listener import Server


class Closed(ConnectionError):
    """The broker closed the connection without a response."""


class LocalClient:
    """A connection without a socket, for one request at a time."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._connection = server.local_connection()
        self._transport = _LocalTransport(self._connection)
        self._correlation_id = 0
        self._connection.connection_made(self._transport)  # type: ignore[arg-type]  # the part that it needs

    async def call(self, request: Any, max_version: int | None = None) -> Any:
        """Return the response to a request in the highest version that is served. Raises Closed."""
        highest = min(request.HIGHEST, self._server.versions(request.API_KEY)[-1])
        version = highest if max_version is None else min(highest, max_version)
        self._correlation_id += 1
        out = encode_request(request, version, self._correlation_id, HTTP_CLIENT_ID)
        arrived = self._transport.expect()
        self._connection.data_received(len(out).to_bytes(4, "big") + out)
        frame = await arrived
        if frame is None:
            raise Closed
        return decode_response(request, version, frame)

    def close(self) -> None:
        self._transport.abort()


class _LocalTransport:
    """The transport of a connection whose responses stay in the process."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._received = bytearray()
        self._arrived: asyncio.Future[bytes | None] | None = None
        self._closing = False

    def expect(self) -> asyncio.Future[bytes | None]:
        """Return a future for the next frame, without its size; None if the broker closes the connection."""
        self._arrived = asyncio.get_running_loop().create_future()
        if self._closing:
            self._arrived.set_result(None)
        return self._arrived

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 0) if name in ("peername", "sockname") else default

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: Bytes) -> None:
        received = self._received
        received += data
        size = 4 + int.from_bytes(received[:4], "big")
        if len(received) >= max(4, size):
            frame = bytes(received[4:size])
            del received[:size]
            if self._arrived is not None and not self._arrived.done():
                self._arrived.set_result(frame)

    def writelines(self, list_of_data: Iterable[Bytes]) -> None:
        self.write(b"".join(list_of_data))

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if self._closing:
            return
        self._closing = True
        if self._arrived is not None and not self._arrived.done():
            self._arrived.set_result(None)
        asyncio.get_running_loop().call_soon(self._connection.connection_lost, None)
