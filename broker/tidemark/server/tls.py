"""TLS between a connection and its socket.

asyncio has TLS of its own. This one shares the event loop fairly: every step of a handshake, and every slice
of a large read or write, spends from the budget of `Turns`. So many handshakes do not stall other clients.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter, deque
from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from typing import Any, Final, Protocol, cast

from tidemark.clock import Clock, Timer
from tidemark.core.decision import CloseConnection
from tidemark.metrics.catalogue import BadInput
from tidemark.security.distinguished_names import MalformedCertificate
from tidemark.server.certificates import Certificates
from tidemark.settings.key_stores import reason_of
from tidemark.settings.tls import NoMatchingRule
from tidemark.turns import Turns
from tidemark_protocol.wire import Bytes

HANDSHAKE: Final = 22  # the first byte of every TLS connection
# A handshake may have this size, with the first requests, which may arrive together with its end.
HELLO_BYTES_MAX: Final = 1024 * 1024
RECORD_BYTES: Final = 16 * 1024
# A client can fill a slice with records that cost a microsecond each and carry nothing.
SLICE_BYTES: Final = 16 * 1024
# The encrypted part of responses that the socket does not accept yet. The rest stays plain and is shared
# with the log.
ENCRYPTED_BYTES_MAX: Final = 256 * 1024
PIECE_BYTES: Final = 64 * 1024
UNREAD_BYTES_MAX: Final = 2 * ENCRYPTED_BYTES_MAX  # beyond it, answers to KeyUpdate close the connection
UNSENT_BYTES_MAX: Final = 64 * 1024  # that of asyncio, unless the connection sets another


class Secured(Protocol):
    """A connection that receives its data over TLS."""

    def connection_made(self, made: asyncio.BaseTransport) -> None: ...
    def data_received(self, data: bytes) -> None: ...
    def eof_received(self) -> bool: ...
    def connection_lost(self, exc: Exception | None) -> None: ...
    def pause_writing(self) -> None: ...
    def resume_writing(self) -> None: ...

    def identified(self, principal: str) -> None:
        """Accept the principal that the client's certificate names."""

    def hang_up(self, reason: CloseConnection | None = None) -> None:
        """Close the connection. A reason is logged and counted."""

    def abort(self, reason: CloseConnection | None = None) -> None:
        """Close it at once, and drop what the client has not read."""


class Phase(Enum):
    HANDSHAKING = "handshaking"
    OPEN = "open"
    CLOSING = "closing"  # the client gets what was written, and nothing is read from it


class Handshakes:
    """The handshakes that are not complete, oldest first: how many there may be, and for how long.

    One address may have half of them. Beyond a bound, the oldest is closed, so that clients that stay silent
    do not keep out others.
    """

    def __init__(self, clock: Clock, count_max: int, timeout_ms: int) -> None:
        self._clock = clock
        self._count_max = count_max
        self._timeout_ms = timeout_ms
        self._begun: dict[TlsTransport, tuple[str, int]] = {}  # address, and the steady time of its end
        self._per_ip: Counter[str] = Counter()
        self._timer: Timer | None = None

    def __len__(self) -> int:
        return len(self._begun)

    def begin(self, transport: TlsTransport, ip: str) -> None:
        self._begun[transport] = (ip, self._clock.steady_ms() + self._timeout_ms)
        self._per_ip[ip] += 1
        if self._per_ip[ip] > self._count_max // 2:
            next(one for one, (whose, _) in self._begun.items() if whose == ip).crowded_out()
        elif len(self._begun) > self._count_max:
            next(iter(self._begun)).crowded_out()
        self._arm()

    def end(self, transport: TlsTransport) -> None:
        """Forget a handshake, if it has begun: it is complete, or the connection is closed."""
        found = self._begun.pop(transport, None)
        if found is None:
            return
        ip, _ = found
        self._per_ip[ip] -= 1
        if not self._per_ip[ip]:
            del self._per_ip[ip]

    def stop(self) -> None:
        """Close no handshake any more: the server closes all connections."""
        if self._timer is not None:
            self._timer.cancel()

    def _arm(self) -> None:
        if self._timer is None and self._begun:
            _, ends_ms = next(iter(self._begun.values()))
            self._timer = self._clock.call_at(ends_ms, self._look)

    def _look(self) -> None:
        # Data that has arrived by now is read first.
        self._timer = self._clock.after_reading(partial(self._close_late, self._clock.steady_ms()))

    def _close_late(self, now_ms: int) -> None:
        self._timer = None
        for transport, (_, ends_ms) in list(self._begun.items()):
            if ends_ms > now_ms:
                break
            transport.give_up(f"not complete after {self._timeout_ms} ms")
        self._arm()


class TlsTransport(asyncio.Protocol):
    """The transport of a connection, and the protocol of its socket's transport.

    The connection counts for all limits from the beginning. It receives data, and the principal that the
    client's certificate names, once the handshake is complete.
    """

    __slots__ = ("_backlog", "_backlog_bytes", "_certificates", "_connection", "_full", "_handshakes",
                 "_hello_bytes", "_incoming", "_outgoing", "_paused", "_phase", "_raw", "_reads_raw",
                 "_scheduled", "_sends_later", "_ssl", "_told_slow", "_turns", "_unread", "_unsent_bytes_max",
                 "_uses_certificate")  # fmt: skip

    def __init__(
        self,
        connection: Secured,
        certificates: Certificates,
        handshakes: Handshakes,
        turns: Turns,
        *,
        uses_certificate: bool,
    ) -> None:
        """uses_certificate: the principal is the one that the certificate names, not that of SASL."""
        self._connection = connection
        self._certificates = certificates
        self._handshakes = handshakes
        self._turns = turns
        self._uses_certificate = uses_certificate
        self._raw: asyncio.Transport | None = None
        self._ssl: ssl.SSLObject | None = None
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._phase = Phase.HANDSHAKING
        self._hello_bytes = 0
        self._unread: deque[bytes] = deque()  # arrived, and not yet given to OpenSSL
        self._scheduled = False  # a job waits for its turn
        self._paused = False  # the connection wants no data
        self._reads_raw = True
        self._backlog: deque[memoryview] = deque()  # written, and not yet encrypted
        self._backlog_bytes = 0
        self._full = False  # the socket accepts no more for now
        self._sends_later = False  # a job waits for its turn
        self._told_slow = False
        self._unsent_bytes_max = UNSENT_BYTES_MAX

    # The protocol of the socket.

    def connection_made(self, made: asyncio.BaseTransport) -> None:
        raw = cast(asyncio.Transport, made)
        self._raw = raw
        self._connection.connection_made(cast(asyncio.BaseTransport, self))
        if not self.is_closing():
            peer = raw.get_extra_info("peername")
            self._handshakes.begin(self, peer[0] if peer else "")

    def data_received(self, data: bytes) -> None:
        if self._phase is Phase.OPEN:
            self._unread.append(data)
            if not (self._scheduled or self._paused):
                self._read()
        elif self._phase is Phase.HANDSHAKING:
            if not self._hello_bytes and data[0] != HANDSHAKE:
                self._fail(f"the client does not use TLS: its first byte is {data[0]}")
                return
            self._hello_bytes += len(data)
            self._unread.append(data)
            if self._hello_bytes > HELLO_BYTES_MAX:
                self._fail(f"more than {HELLO_BYTES_MAX} bytes")
            else:
                self._later(self._begin_step)

    def eof_received(self) -> bool:
        if self._phase is Phase.OPEN and not (self._unread or self._scheduled):
            return self._connection.eof_received()
        if self._phase is Phase.HANDSHAKING and self._hello_bytes:
            self._fail("the client closed the connection")
        return False

    def pause_writing(self) -> None:
        self._full = True

    def resume_writing(self) -> None:
        self._full = False
        if not self._sends_later:
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        self._handshakes.end(self)
        if self._phase is Phase.HANDSHAKING and self._hello_bytes:
            self._fail("the client closed the connection")
        self._phase = Phase.CLOSING
        self._drop()
        self._raw = self._ssl = None
        self._connection.connection_lost(exc)

    # The transport of the connection.

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if name == "sslcontext":
            return self._certificates.context
        return default if self._raw is None else self._raw.get_extra_info(name, default)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high is not None, "a connection has a limit"
        self._unsent_bytes_max = high
        if self._raw is not None:
            self._raw.set_write_buffer_limits(high=min(high, ENCRYPTED_BYTES_MAX))

    def get_write_buffer_size(self) -> int:
        return self._backlog_bytes + (0 if self._raw is None else self._raw.get_write_buffer_size())

    def write(self, data: Bytes) -> None:
        session = self._ssl
        waits = bool(self._backlog) or self._full or len(data) > PIECE_BYTES
        if waits or session is None:
            self.writelines((data,))
        elif self._phase is Phase.OPEN:  # nearly every response
            try:
                session.write(data)
            except ssl.SSLError as error:
                self._broken(error)
                return
            self._flush()
            if self._full:
                self._tell_if_slow()

    def writelines(self, list_of_data: Iterable[Bytes]) -> None:
        if self._phase is not Phase.OPEN or self._raw is None:
            return
        for data in list_of_data:
            if data:
                self._backlog.append(memoryview(data))
                self._backlog_bytes += len(data)
        if not self._sends_later:
            self._send()
        self._tell_if_slow()

    def _tell_if_slow(self) -> None:
        if not self._told_slow and self.get_write_buffer_size() > self._unsent_bytes_max:
            self._told_slow = True
            self._connection.pause_writing()

    def pause_reading(self) -> None:
        self._paused = True
        self._read_raw_if_wanted()

    def resume_reading(self) -> None:
        self._paused = False
        if self._phase is Phase.OPEN and (self._unread or self._incoming.pending):
            self._later(self._read)
        self._read_raw_if_wanted()

    def is_closing(self) -> bool:
        return self._phase is Phase.CLOSING or self._raw is None or self._raw.is_closing()

    def close(self) -> None:
        """Close once the client has everything that was written."""
        if self._phase is Phase.CLOSING:
            return
        greeted = self._phase is Phase.OPEN
        self._phase = Phase.CLOSING
        self._handshakes.end(self)
        self._unread.clear()
        if greeted and self._backlog:
            self._send()
        else:
            self._say_goodbye()

    def abort(self) -> None:
        self._phase = Phase.CLOSING
        self._handshakes.end(self)
        self._drop()
        if self._raw is not None:
            self._raw.abort()

    # The handshake.

    def _begin_step(self) -> None:
        if self._phase is not Phase.HANDSHAKING:
            return
        if self._ssl is None and not self._certificates.is_current():
            self._certificates.when_current(partial(self._turns.later, self._step))
        else:
            self._step()

    def _step(self) -> None:
        self._scheduled = False
        if self._phase is not Phase.HANDSHAKING or self._raw is None:
            return
        if self._ssl is None:
            context = self._certificates.context
            self._ssl = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        while self._unread:
            self._incoming.write(self._unread.popleft())
        try:
            self._ssl.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            self._read_raw_if_wanted()
            return
        except ssl.SSLError as error:
            self._flush()  # the alert that says why
            self._fail(reason_of(error))
            return
        self._flush()
        self._complete(self._ssl)

    def _complete(self, session: ssl.SSLObject) -> None:
        self._handshakes.end(self)
        if self._uses_certificate:
            try:
                principal = self._certificates.principal(session.getpeercert(binary_form=True))
            except (NoMatchingRule, MalformedCertificate) as error:
                self._fail(str(error))
                return
            self._connection.identified(principal)
        self._phase = Phase.OPEN
        self._read()

    def _fail(self, reason: str) -> None:
        """Close the connection, whose handshake has failed. The reason is logged and counted."""
        self._connection.hang_up(CloseConnection(f"TLS handshake failed: {reason}", BadInput.TLS))

    def crowded_out(self) -> None:
        """Close a connection because there are too many handshakes, and this one is the oldest."""
        self.give_up("too many handshakes at a time")

    def give_up(self, reason: str) -> None:
        # A client that has sent nothing, as a port scanner or a health check, has done nothing wrong.
        wrong = (
            CloseConnection(f"TLS handshake failed: {reason}", BadInput.TLS) if self._hello_bytes else None
        )
        self._connection.abort(wrong)

    # Reading.

    def _later(self, job: Callable[[], None]) -> None:
        """Run a step when it is its turn. Nothing is read from the socket until then."""
        if not self._scheduled:
            self._scheduled = True
            self._turns.later(job)
        self._read_raw_if_wanted()

    def _read_raw_if_wanted(self) -> None:
        """Read from the socket unless the connection wants no data, or a step has to use what has arrived."""
        raw = self._raw
        paused = self._paused and self._phase is not Phase.HANDSHAKING
        wanted = not (paused or self._scheduled or self._unread)
        if raw is None or wanted == self._reads_raw or raw.is_closing():
            return
        self._reads_raw = wanted
        if wanted:
            raw.resume_reading()
        else:
            raw.pause_reading()

    def _read(self) -> None:
        """Decrypt what has arrived, and give it to the connection."""
        self._scheduled = False
        while self._phase is Phase.OPEN and not self._paused:
            if self._unread:
                self._feed_slice()
            if not self._serve():
                break
            if not self._unread:
                break
            if self._turns.spend():
                self._later(self._read)
                return
        self._read_raw_if_wanted()

    def _feed_slice(self) -> None:
        data = self._unread.popleft()
        if len(data) > SLICE_BYTES:
            self._unread.appendleft(data[SLICE_BYTES:])
            data = data[:SLICE_BYTES]
        self._incoming.write(data)

    def _serve(self) -> bool:
        """Give the connection what OpenSSL can decrypt now. Return False if that was the end."""
        session = self._ssl
        assert session is not None, "the handshake is complete"
        found: list[bytes] = []
        ended = False
        try:
            while True:
                data = session.read(RECORD_BYTES)
                if not data:
                    ended = True
                    break
                found.append(data)
                # Without this, each request would cost an exception.
                if not (self._incoming.pending or session.pending()):
                    break
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._broken(error)
            return False
        if self._outgoing.pending and not self._answer_key_update():
            return False
        if found:
            self._connection.data_received(found[0] if len(found) == 1 else b"".join(found))
        if ended and self._phase is Phase.OPEN and not self._connection.eof_received():
            self.close()
        return not ended

    def _answer_key_update(self) -> bool:
        """Answer a KeyUpdate (RFC 8446, 4.6.3). Return False if the client leaves too many answers unread.

        OpenSSL answers each, and does not count them.
        """
        self._flush()
        if self._raw is not None and self._raw.get_write_buffer_size() <= UNREAD_BYTES_MAX:
            return True
        self._connection.abort(
            CloseConnection("TLS: the client requests new keys and reads nothing", BadInput.TLS)
        )
        return False

    def _broken(self, error: ssl.SSLError) -> None:
        self._flush()
        self._connection.hang_up(CloseConnection(f"TLS: {reason_of(error)}", BadInput.TLS))
        if not self._backlog:
            self._say_goodbye()

    # Writing.

    def _flush(self) -> None:
        """Send what OpenSSL has encrypted."""
        if self._outgoing.pending and self._raw is not None and not self._raw.is_closing():
            self._raw.write(self._outgoing.read())

    def _send(self) -> None:
        """Encrypt the backlog piece by piece, as far as the socket accepts it."""
        self._sends_later = False
        session, backlog = self._ssl, self._backlog
        while backlog and not self._full and session is not None:
            piece = backlog.popleft()
            if len(piece) > PIECE_BYTES:
                backlog.appendleft(piece[PIECE_BYTES:])
                piece = piece[:PIECE_BYTES]
            self._backlog_bytes -= len(piece)
            try:
                session.write(piece)
            except ssl.SSLError as error:
                self._drop()
                self._broken(error)
                return
            self._flush()
            if backlog and self._turns.spend():
                self._sends_later = True
                self._turns.later(self._send)
                return
        if self._phase is Phase.CLOSING:
            if not backlog:
                self._say_goodbye()
        elif self._told_slow and not backlog and not self._full:
            self._told_slow = False
            self._connection.resume_writing()

    def _say_goodbye(self) -> None:
        raw = self._raw
        if raw is None or raw.is_closing():
            return
        if self._ssl is not None:
            try:
                self._ssl.unwrap()
            except ssl.SSLError:
                pass  # it waits for the answer of the client, which does not matter
            self._flush()
        raw.close()

    def _drop(self) -> None:
        self._unread.clear()
        self._backlog.clear()
        self._backlog_bytes = 0
