"""The connection: moves bytes between a transport and its Session, with back-pressure in both directions.

While responses wait for a slow client, the connection reads nothing more from it, so that its buffers are
bounded. A client that sends many requests at once shares the loop with the others (`Turns`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from tidemark.core.decision import CloseConnection
from tidemark.engine.request import PendingRequest
from tidemark.metrics.catalogue import BadInput
from tidemark.server.memory import ARRIVING_BYTES_MIN, LARGE_BYTES
from tidemark.server.network import Transport
from tidemark.server.pieces import PIECE_BYTES_MIN
from tidemark.server.router import Router
from tidemark.server.session import Session
from tidemark.settings.broker import BrokerSettings
from tidemark.turns import REQUEST_COST, SHORT_BYTES, Turns

if TYPE_CHECKING:
    from tidemark.server.listener import Listener

# A connection that holds less is not counted: thousands of consumers that wait hold less.
KEPT_BYTES_MIN: Final = 4 * 1024
# A connection is read up to this size while a request holds back the next ones. More than clients pipeline
# behind a Fetch or JoinGroup that waits: a few heartbeats and commits.
READ_AHEAD_BYTES: Final = 16 * 1024


class Room(Enum):
    """The memory for a large request, or for any request while memory is short."""

    AWAITED = "awaited"  # to read or to serve it
    RESERVED = "reserved"
    USED = "used"  # the request is served


class Connection(asyncio.Protocol):
    __slots__ = ("_ended", "_kept", "_last_word", "_listener", "_memory", "_room", "_slow",
                 "_transport", "_unsent_bytes_max", "_waits_for_turn",
                 "last_active_ms", "reading", "router", "session", "steady_ms", "turns")  # fmt: skip

    def __init__(
        self,
        router: Router,
        listener: Listener,
        turns: Turns,
        settings: BrokerSettings,
        *,
        steady_ms: Callable[[], int],
    ) -> None:
        self.router = router
        self._listener = listener
        self.turns = turns
        self.steady_ms = steady_ms
        self._transport: Transport | None = None
        self._slow = False
        self._waits_for_turn = False
        self._memory = listener.memory
        self._room: Room | None = None
        self._kept = 0  # bytes that `Memory` counts besides
        self.reading = True
        self._ended = False  # close once all requests that have arrived have their responses
        self._last_word: CloseConnection | None = None
        self._unsent_bytes_max = settings.tidemark_connection_unsent_max_bytes
        self.last_active_ms = steady_ms()
        self.session = Session(
            router.served,
            router.resolve,
            self,
            settings,
            authentication=listener.new_authentication(),
            tap=listener.tap,
        )

    def connection_made(self, made: asyncio.BaseTransport) -> None:
        transport = cast(Transport, made)
        self._transport = transport
        accepted = False
        try:
            if self._listener.opened(self):
                transport.set_write_buffer_limits(high=self._unsent_bytes_max)
                self.session.caller = self._listener.caller(transport)
                accepted = True
        finally:
            if not accepted:  # also after an error: asyncio would go on, with a client without a caller
                self.session.close()
                transport.abort()

    def identified(self, principal: str) -> None:
        """Serve the client on behalf of this principal, which its certificate names."""
        self.session.caller = replace(self.session.caller, principal=principal)

    def data_received(self, data: bytes) -> None:
        self._listener.received(len(data))
        if self.session.parked is None:  # Kafka reads nothing behind a parked request, and stays idle
            self.last_active_ms = self.steady_ms()
        if self.turns.is_over and not self.session.closed:
            self.session.keep(data)
            self._wait_for_turn()
        else:
            self._serve(data)

    def _serve(self, data: bytes) -> None:
        """Serve the requests that data completes, and continue while responses make room for more."""
        session, router = self.session, self.router
        while not session.closed:
            router.enter(session.caller)
            try:
                has_frames = session.receive(data, router.submit)
            except CloseConnection as reason:
                self.end(reason)
                return
            except Exception as error:  # noqa: BLE001 a bug ends one connection, not the broker
                self._listener.failed(self, error)
                self.hang_up()
                return
            if has_frames:
                self._write()
            if not (session.buffered and self._may_go_on):
                break
            if self.turns.spend():
                self._wait_for_turn()
                break
            data = b""
        if (
            session.buffered
            or session.parked_bytes
            or self._kept
            or self._room
            or session.unsent >= KEPT_BYTES_MIN
        ):
            self._count_memory()
        self._update_reading()

    def decode(self, pending: PendingRequest) -> None:
        """Decode a long request in the worker. It holds back the requests behind it."""
        assert pending.decoding is not None
        self.turns.in_worker(pending.decoding, partial(self._decide_decoded, pending))

    def _decide_decoded(self, pending: PendingRequest, done: asyncio.Future[tuple[Any, int]]) -> None:
        session, router = self.session, self.router
        if session.draining:  # it has not changed anything
            return
        error = done.exception()
        if isinstance(error, CloseConnection):
            self.end(error)
            return
        if error is not None:
            self._listener.failed(self, error)
            self.hang_up()
            return
        pending.decoding = None
        pending.body, memory = done.result()
        router.enter(session.caller)
        try:
            self._memory.shrink_reservation(self, memory)
            if self._listener.tap is not None:
                self._listener.tap.decoded(pending)
            router.submit(pending)
        except CloseConnection as reason:
            self.end(reason)
            return
        except Exception as bug:  # noqa: BLE001 a bug ends one connection, not the broker
            self._listener.failed(self, bug)
            self.hang_up()
            return
        self.ready()

    def _wait_for_turn(self) -> None:
        """Serve what has arrived in a later turn of the loop."""
        if self._waits_for_turn:
            return
        self._waits_for_turn = True
        if self.session.buffered <= SHORT_BYTES:
            self.turns.first(self._my_turn, REQUEST_COST + self.session.buffered)
        else:
            self.turns.later(self._my_turn)
            self._update_reading()

    def may_serve(self, size: int) -> bool:
        """Return whether there is memory to serve a request. If not, `admitted` is called later."""
        if not self._memory.serve(self, size):
            self._room = Room.AWAITED
            return False
        if size > LARGE_BYTES or self._room:
            self._room = Room.USED
        return True

    def shrink_reservation(self, memory: int) -> None:
        self._memory.shrink_reservation(self, memory)

    def _count_memory(self) -> None:
        """Count what this connection holds. Read a large request only while there is memory for it."""
        session = self.session
        if session.closed:
            return
        memory = self._memory
        if self._room is Room.USED and session.parked is None:
            self._room = None
            memory.end(self)
        arriving = session.arriving_bytes
        if arriving > ARRIVING_BYTES_MIN and not self._room:
            self._room = Room.RESERVED if memory.arrive(self, arriving) else Room.AWAITED
        kept = session.unsent + session.parked_bytes
        if self._room is not Room.RESERVED and not (self._room is Room.AWAITED and memory.has_bytes_of(self)):
            kept += session.buffered
        if kept < KEPT_BYTES_MIN:
            kept = 0
        if kept != self._kept:
            change, self._kept = kept - self._kept, kept
            memory.keep(change)

    def admitted(self) -> None:
        """Continue with the request that waited for memory."""
        self._room = Room.RESERVED
        if self._may_go_on:
            self._wait_for_turn()
        else:
            self._update_reading()

    @property
    def _may_go_on(self) -> bool:
        """True if a whole request has arrived and nothing holds it back."""
        return self.session.has_more and not (
            self.session.held or self._slow or self._waits_for_turn or self._room is Room.AWAITED
        )

    def _my_turn(self) -> None:
        self._waits_for_turn = False
        self._go_on()

    def ready(self) -> None:
        """Send responses that were filled in, and serve the requests that they held back."""
        self._write()
        self._go_on()

    def _go_on(self) -> None:
        if self._kept or self._room:
            self._count_memory()
        if self.session.buffered and self._may_go_on:
            if self.turns.is_over:
                self._wait_for_turn()
            else:
                self._serve(b"")
        elif not self.reading:
            self._update_reading()
        if self._ended:
            self._close_if_done()

    def _write(self) -> None:
        frames = self.session.data_to_send()
        if frames and self._transport is not None:
            size = sum(map(len, frames))
            self._listener.sent(size)
            self.last_active_ms = self.steady_ms()
            if size > PIECE_BYTES_MIN:
                self._transport.writelines(frames)
                self._listener.backlog(self)
            elif size:
                self._transport.write(frames[0] if len(frames) == 1 else b"".join(frames))

    def unsent_bytes(self) -> int:
        """Return the size of responses that the client has not read yet."""
        buffered = 0 if self._transport is None else self._transport.get_write_buffer_size()
        return buffered + self.session.unsent

    def _update_reading(self) -> None:
        """Read from the transport only while requests can be accepted, or few bytes wait for that.

        The transport reports a reset only while it is read.
        """
        session = self.session
        reading = not (
            self._slow
            or self._waits_for_turn
            or self._room is Room.AWAITED
            or (session.buffered > READ_AHEAD_BYTES and session.held)
        )
        transport = self._transport
        if (reading and self.reading) or self._ended or transport is None or transport.is_closing():
            return
        if reading:
            transport.resume_reading()
            self._listener.is_read(self)
        elif self.reading:
            transport.pause_reading()
        self.reading = reading
        if not (reading or self._waits_for_turn):  # a turn comes soon
            self._listener.watch_unread(self)

    def eof_received(self) -> bool:
        """The client sends no more. Return True, to keep the connection open for its responses."""
        self._ended = True
        self._close_if_done()
        if not self.session.closed:
            self._listener.watch_unread(self)
        return not self.session.closed

    def end(self, reason: CloseConnection | None) -> None:
        """Close once the requests before the last one have their responses.

        Kafka reads a connection's requests one by one, and rejects a bad one when its turn has come.
        """
        self.session.end()
        self._write()
        self._update_reading()
        self._ended = True
        self._last_word = reason
        self._close_if_done()

    def _close_if_done(self) -> None:
        session = self.session
        if not session.in_flight and (session.draining or not session.has_more):
            self.hang_up(self._last_word)

    def finish(self) -> None:
        """Close once all accepted requests have their responses. Called while one of them is decided."""
        self._ended = True
        asyncio.get_running_loop().call_soon(self._go_on)

    def drain(self) -> None:
        """Accept no further request. Those that were accepted get their responses."""
        self.session.drain()
        self._update_reading()

    def pause_writing(self) -> None:
        self._slow = True
        self._listener.backlog(self)
        self._update_reading()

    def resume_writing(self) -> None:
        self._slow = False
        self._listener.backlog(self)
        self.ready()

    def hang_up(self, reason: CloseConnection | None = None) -> None:
        """Close, and let the client read what was sent. A reason is logged and counted as bad input."""
        if reason is not None and not self.session.closed:
            self._listener.bad_input(self, reason)
        self.session.close()
        if self._transport is not None:
            self._transport.close()

    def abort(self, reason: CloseConnection | None = None) -> None:
        """Close at once and drop unread responses.

        A transport that is only closed would keep them for as long as the client reads nothing.
        """
        self.hang_up(reason)
        if self._transport is not None:
            self._transport.abort()

    def close_idle(self) -> None:
        """Close the connection, which was idle for too long. As in Kafka, a pending response is no excuse."""
        if self.unsent_bytes():
            self.abort(CloseConnection("the client does not read its responses", BadInput.UNREAD))
        elif self.session.within_frame:
            self.abort(CloseConnection("half a frame and silence", BadInput.IDLE))
        else:
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.session.close()
        # Parts with a response for the session may still refer to it. Without the cycle, the reference count
        # frees session and connection at once: the garbage collector skips old objects (node/environment.py).
        session = self.session
        session.ready = session.abort = session.refuse = session.finish = _nothing
        session.shrink_reservation = _nothing
        session.decode = _nothing
        session.may_serve = _never
        self._memory.keep(-self._kept)
        self._kept = 0
        self._last_word = None
        self._transport = None
        self._listener.closed(self)

    def fileno(self) -> int:
        """Return the descriptor of the socket, or -1."""
        found = None if self._transport is None else self._transport.get_extra_info("socket")
        return -1 if found is None else int(found.fileno())

    def peer(self) -> Any:
        return None if self._transport is None else self._transport.get_extra_info("peername")


def _nothing(*_: object) -> None:
    pass


def _never(size: int) -> bool:
    return False
