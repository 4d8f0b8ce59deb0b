"""A broker in the test's process: a whole node, whose connections and storage are in memory.

There is one thread. The script of a case runs the node while it waits for a response, or for time to pass.
Time moves only then, to the node's next timer, once the node has nothing else to do. So a second of silence
costs nothing, and no session ends because the machine is busy.
"""

from __future__ import annotations

import asyncio
import socket
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Executor, Future
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from tests.conformance.case import Broker
from tests.unit.broker.whole import Lines
from tests.wire import ANSWER_TIMEOUT_S
from tidemark.config import Config
from tidemark.ids import RandomIds
from tidemark.node.environment import Environment, Host, StallWatch
from tidemark.node.node import Node
from tidemark.server.network import Address, Network, Port
from tidemark.workers import R, SystemWorkers, T
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage

ADDRESS: Final = ("127.0.0.1", 9092)
RESPONSE_MS: Final = 1  # until a client has a response, so that no two records have the same time
END_MS_MAX: Final = 60_000  # for a start or a clean stop
CHUNK_BYTES: Final = 256 * 1024


class InProcessBroker(Broker):
    """A node that has started."""

    def __init__(self, settings: dict[str, str]) -> None:
        super().__init__(f"{ADDRESS[0]}:{ADDRESS[1]}")
        self._clock = VirtualClock()
        self._loop = Loop(self._clock)
        self._network = InProcessNetwork()
        given = {"listeners": f"PLAINTEXT://{self.bootstrap}", "tidemark.http.listener": "", **settings}
        host = Host(self._clock, RandomIds(), MemoryStorage(), self._network, InProcessWorkers(self._loop))
        self._node = Node(Environment(Config(given), Lines(), host, new_stall_watch=NoStalls))
        self._run(self._node.start())

    def connect(self, node_id: int = 1) -> socket.socket:
        return ClientSocket(self._loop, self._network.new_protocol())  # type: ignore[return-value]

    def wall_ms(self) -> int:
        return self._clock.wall_ms()

    def steady_ms(self) -> float:
        return self._clock.steady_ms()

    def pause(self, ms: int) -> None:
        self._loop.run_until(_never, ms)

    def stop(self) -> None:
        self._run(self._node.stop())
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        assert self._loop.run_until(task.done, END_MS_MAX), f"{task} does not end"
        task.result()


class Loop(asyncio.BaseEventLoop):
    """An event loop without a selector and a thread of its own. Its time is the clock's."""

    _ready: deque[asyncio.Handle]

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock
        self._errors: list[BaseException] = []

    def run_until(self, done: Callable[[], bool], ms: int) -> bool:
        """Run everything until `done`, and return True; or False once this time has passed.

        Raises the first error that a callback raised.
        """
        clock, ready = self._clock, self._ready
        end_ms = clock.steady_ms() + ms
        events._set_running_loop(self)
        try:
            while True:
                while ready:
                    handle = ready.popleft()
                    if not handle.cancelled():
                        handle._run()
                if self._errors:
                    raise self._errors.pop(0)
                if done():
                    return True
                if not clock.step(end_ms):
                    return False
        finally:
            events._set_running_loop(None)

    def time(self) -> float:
        return self._clock.steady_ms() / 1000

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        return self._clock.call_at(round(when * 1000), partial(callback, *args))

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_at(self.time() + delay, callback, *args)

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self._errors.append(context.get("exception") or AssertionError(context["message"]))


class InProcessWorkers(SystemWorkers):
    """Work that the loop does itself, later. `for_each` does it at once."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def run(self, work: Callable[..., R], *arguments: Any) -> asyncio.Future[R]:
        return asyncio.wrap_future(InProcessThread(self._loop).submit(work, *arguments), loop=self._loop)

    def thread(self, name: str) -> Executor:
        return InProcessThread(self._loop)

    def for_each(self, work: Callable[[T], R], items: Any) -> list[R]:
        return [work(item) for item in items]


class InProcessThread(Executor):
    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def submit(self, work: Callable[..., R], /, *arguments: Any, **named: Any) -> Future[R]:
        future: Future[R] = Future()
        self._loop.call_soon(self._do, future, partial(work, *arguments, **named))
        return future

    def _do(self, future: Future[R], work: Callable[[], R]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 raised where the result is awaited
            future.set_exception(error)


class NoStalls(StallWatch):
    """A loop that runs only while a case waits has no stalls."""

    def start(self) -> None:
        """Set no timer."""


class InProcessNetwork(Network):
    """A network with one port."""

    new_protocol: Callable[[], asyncio.Protocol]

    def bind(self, address: Address) -> Port:
        return InProcessPort(self)


class InProcessPort(Port, asyncio.AbstractServer):
    number = ADDRESS[1]

    def __init__(self, network: InProcessNetwork) -> None:
        self._network = network

    async def accept(self, new_protocol: Callable[[], asyncio.Protocol]) -> asyncio.AbstractServer:
        self._network.new_protocol = new_protocol
        return self

    def duplicate(self) -> Port:
        return self

    def refuse(self) -> None:
        raise NotImplementedError("its only broker is not stopped")

    def close(self) -> None:
        """Nothing is open."""


class ClientSocket:
    """The client's end of a connection: the part of socket.socket that cases use."""

    def __init__(self, loop: Loop, protocol: asyncio.Protocol) -> None:
        self._loop = loop
        self._timeout_ms = ANSWER_TIMEOUT_S * 1000
        self._resets = False
        self._transport = BrokerTransport(loop, protocol)
        loop.call_soon(protocol.connection_made, self._transport)

    def sendall(self, data: bytes) -> None:
        self._transport.arrive(data)

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Return bytes that the broker has sent, or nothing if it has closed the connection."""
        sent = self._transport.sent
        if not sent:
            if not self._loop.run_until(self._transport.is_readable, self._timeout_ms):
                raise TimeoutError
            self._loop.run_until(_never, RESPONSE_MS)
        data = bytes(sent[:size])
        if not flags & socket.MSG_PEEK:
            del sent[:size]
        return data

    def settimeout(self, seconds: float) -> None:
        self._timeout_ms = round(seconds * 1000)

    def setsockopt(self, level: int, option: int, value: bytes) -> None:
        """Let `close` reset the connection (SO_LINGER)."""
        assert (level, option) == (socket.SOL_SOCKET, socket.SO_LINGER)
        self._resets = True

    def shutdown(self, how: int) -> None:
        assert how == socket.SHUT_WR
        self._transport.end(End.HALF)

    def close(self) -> None:
        self._transport.end(End.RESET if self._resets else End.CLOSED)


class End(Enum):
    """How the client has ended its half of a connection."""

    HALF = auto()  # it still reads
    CLOSED = auto()
    RESET = auto()


class BrokerTransport(asyncio.Transport):
    """The broker's end of a connection. It keeps the bytes that arrive while it does not read."""

    def __init__(self, loop: Loop, protocol: asyncio.Protocol) -> None:
        super().__init__({"sockname": ADDRESS, "peername": (ADDRESS[0], 40_000)})
        self.sent = bytearray()
        self._loop = loop
        self._protocol = protocol
        self._arrived = bytearray()
        self._end: End | None = None
        self._has_ended = False  # and the broker knows
        self._is_reading = True
        self._reads_soon = False
        self._closing = False

    # for the client

    def arrive(self, data: bytes) -> None:
        """Let the broker read this with everything else that the client sends until it waits."""
        self._arrived += data
        self._read_soon()

    def end(self, end: End) -> None:
        if self._end in (None, End.HALF):
            self._end = end
            self._read_soon()

    def is_readable(self) -> bool:
        return bool(self.sent) or self._closing

    def _read_soon(self) -> None:
        if not self._reads_soon:
            self._reads_soon = True
            self._loop.call_soon(self._read)

    def _read(self) -> None:
        self._reads_soon = False
        while self._arrived and self._is_reading and not self._closing:
            data = bytes(self._arrived[:CHUNK_BYTES])
            del self._arrived[:CHUNK_BYTES]
            self._protocol.data_received(data)
        if self._closing or self._end is None:
            return
        if self._end is End.RESET:
            self.close()
        elif not self._arrived and not self._has_ended:
            self._has_ended = True
            if not self._protocol.eof_received():
                self.close()

    # for the broker

    def write(self, data: Any) -> None:
        if self._end in (End.CLOSED, End.RESET):
            self.close()
        if not self._closing:
            self.sent += data

    def writelines(self, list_of_data: Iterable[Any]) -> None:
        self.write(b"".join(list_of_data))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Clients of this transport always read."""

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        self._is_reading = False

    def resume_reading(self) -> None:
        self._is_reading = True
        self._read_soon()

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._loop.call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.close()


def _never() -> bool:
    return False
