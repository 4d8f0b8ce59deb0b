"""One connection's protocol without its socket: bytes in, requests out; answers in, bytes out, in the order
of requests.

A request's Slot keeps the place of its answer. Kafka decides a connection's requests one at a time: a slot
that is parked (a JoinGroup, a SyncGroup, a long-polling Fetch) holds back the frames behind it, one that only
waits for a sync does not.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from io import BytesIO
from struct import Struct
from typing import Any, Final

from tidemark.coordinator.result import CloseConnection
from tidemark.handlers.routes import Route
from tidemark.metrics.catalogue import KIP_496, BadInput
from tidemark.runtime.slot import Frame, Slot
from tidemark.server.pieces import Pieces
from tidemark_protocol.wire import Bytes, Decoder, Encoder, WireError, skip_tags

_INT32: Final = Struct(">i")
_HEAD: Final = Struct(">hhih")  # api key, version, correlation id, length of the client id
_REPLY_HEAD: Final = Struct(">ii")


class Served:
    """What one API in one version needs on its way in and out, and how often it was asked.

    mark is the meter that its Results move (KIP_496); has_error_code: its answer has one error code for the
    whole.
    """

    __slots__ = ("carries_records", "decode", "encode", "flexible_reply", "flexible_request",
                 "has_error_code", "mark", "requests", "route", "version")  # fmt: skip

    def __init__(
        self,
        route: Route,
        version: int,
        decode: Decoder,
        encode: Encoder,
        *,
        flexible_request: bool,
        flexible_reply: bool,
    ) -> None:
        self.route = route
        self.version = version
        self.decode = decode
        self.encode = encode
        self.flexible_request = flexible_request
        self.flexible_reply = flexible_reply
        self.has_error_code = route.has_error_code
        self.mark = KIP_496.get(route.name)
        self.carries_records = route.name == "Fetch"
        self.requests = 0

    def frame(self, correlation_id: int, response: Any, bodies: dict[int, bytes] | None = None) -> Frame:
        """The whole response frame: size, header, body. bodies keeps what follows the correlation id."""
        if bodies is not None:
            body = bodies.get(self.version)
            if body is None:
                body = bodies[self.version] = self._body(response)
            return _REPLY_HEAD.pack(len(body) + 4, correlation_id) + body
        head_bytes = 9 if self.flexible_reply else 8
        if self.carries_records:
            pieces = Pieces(head_bytes)
            self.encode(pieces, response)
            _REPLY_HEAD.pack_into(pieces, 0, len(pieces) + pieces.large_bytes - 4, correlation_id)
            return pieces.frame()
        out = bytearray(head_bytes)
        self.encode(out, response)
        _REPLY_HEAD.pack_into(out, 0, len(out) - 4, correlation_id)
        return bytes(out)

    def _body(self, response: Any) -> bytes:
        out = bytearray(b"\0" if self.flexible_reply else b"")
        self.encode(out, response)
        return bytes(out)


class Session:
    """resolve(api key, version) tells what serves it, and raises CloseConnection for what nobody does."""

    __slots__ = ("_buffered", "_client_id", "_client_id_bytes", "_frame_bytes_max", "_in_flight_max",
                 "_need", "_resolve", "_rest", "_served", "_slots", "_unsent", "_unsent_bytes_max", "abort",
                 "closed", "draining", "parked", "ready", "waiting_task")  # fmt: skip

    def __init__(
        self,
        served: dict[int, Served],
        resolve: Callable[[int, int], Served],
        *,
        ready: Callable[[], None],
        abort: Callable[[CloseConnection | None], None],
        frame_bytes_max: int,
        in_flight_max: int,
        unsent_bytes_max: int,
    ) -> None:
        self._served = served
        self._resolve = resolve
        self._frame_bytes_max = frame_bytes_max
        self._in_flight_max = in_flight_max
        self._unsent_bytes_max = unsent_bytes_max
        self._slots: deque[Slot] = deque()
        self._rest = BytesIO()  # what came and is no whole frame yet: it grows in place, and is read uncopied
        self._buffered = 0
        self._need = 4
        self._unsent = 0
        self._client_id_bytes = b""
        self._client_id = ""
        self.parked: Slot | None = None
        self.closed = False
        self.draining = False  # no further request is taken
        self.ready = ready  # call it after `fill`: there may be something to send, or to go on with
        self.abort = abort  # hang up; a reason is told and counted
        self.waiting_task: asyncio.Future[Any] | None = None  # the transfer that the parked slot waits for

    @property
    def unsent(self) -> bool:
        """Answers stand ready that could not be sent."""
        return self._unsent > 0

    @property
    def in_flight(self) -> int:
        return len(self._slots)

    @property
    def held(self) -> bool:
        """No further request may be taken for now."""
        return (
            self.draining
            or self.parked is not None
            or len(self._slots) >= self._in_flight_max
            or self._unsent > self._unsent_bytes_max
        )

    @property
    def has_more(self) -> bool:
        """Bytes that came and were not looked at, because a request held them back."""
        return self._buffered >= self._need

    @property
    def within_frame(self) -> bool:
        """Some bytes of a request have come and the rest has not."""
        return self._buffered > 0 and not self.held

    def receive(self, data: bytes) -> Iterator[Slot]:
        """The requests that data completes. Stops where one holds back the rest; b"" goes on.

        Raises CloseConnection for what Kafka answers by hanging up.
        """
        if self._buffered:
            self._buffered += self._rest.write(data)
            if self._buffered < self._need or self.held:
                return
            data = self._rest.getvalue()
            self._rest = BytesIO()
            self._buffered = 0
        pos = 0
        size = len(data)
        need = 4
        while size - pos >= 4 and not self.held:
            frame_bytes = _INT32.unpack_from(data, pos)[0]
            if frame_bytes < 0 or frame_bytes > self._frame_bytes_max:
                raise CloseConnection(f"a frame of {frame_bytes} bytes", BadInput.FRAME_SIZE)
            end = pos + 4 + frame_bytes
            if end > size:
                need = 4 + frame_bytes
                break
            slot = self._slot(data, pos + 4, end)
            pos = end
            yield slot
        if pos < size:
            self._buffered = self._rest.write(data[pos:])
        self._need = need

    def _slot(self, data: bytes, pos: int, end: int) -> Slot:
        if end - pos < 10:
            raise CloseConnection(f"a request of {end - pos} bytes", BadInput.HEADER)
        api_key, version, correlation_id, n = _HEAD.unpack_from(data, pos)
        pos += 10
        served = self._served.get(api_key << 16 | version)
        if served is None:
            served = self._resolve(api_key, version)
        if n > 0:
            client_id = data[pos : pos + n]
            pos += n
            if pos > end:
                raise CloseConnection(f"a client id of {n} bytes, past its frame", BadInput.HEADER)
            if client_id != self._client_id_bytes:
                self._client_id_bytes = client_id
                self._client_id = client_id.decode("utf-8", "java")
        elif self._client_id_bytes:
            self._client_id_bytes = b""
            self._client_id = ""
        try:
            if served.flexible_request:
                pos = pos + 1 if pos < end and data[pos] == 0 else skip_tags(data, pos, end)
            body, _ = served.decode(data, pos, end)
        except (WireError, IndexError) as error:
            raise CloseConnection(f"{served.route.name} v{version}: {error}", BadInput.BODY) from None
        served.requests += 1
        slot = Slot(self, served, correlation_id, self._client_id, body)
        self._slots.append(slot)
        return slot

    def fill(self, slot: Slot, frame: Frame) -> None:
        """The answer is there and may leave as soon as those before it have."""
        slot.frame = frame
        self._unsent += _size(frame)
        if slot is self.parked:
            self.parked = None

    def data_to_send(self) -> list[Bytes]:
        """The frames that may leave now, in order."""
        slots = self._slots
        out: list[Bytes] = []
        while slots and (frame := slots[0].frame) is not None:
            slots.popleft()
            if isinstance(frame, list):
                out += frame
            else:
                out.append(frame)
            self._unsent -= _size(frame)
        return out

    def end(self) -> None:
        """The request that was taken last is answered by hanging up; no further one is taken."""
        if self._slots and not self._slots[-1].answered:
            self._slots.pop()
        self.draining = True

    def close(self) -> None:
        """Drops the slots. The members of groups that this client spoke for stay."""
        self.closed = True
        if self.waiting_task is not None:
            self.waiting_task.cancel()
        self._slots.clear()
        self._rest = BytesIO()


def _size(frame: Frame) -> int:
    return sum(len(piece) for piece in frame) if isinstance(frame, list) else len(frame)
