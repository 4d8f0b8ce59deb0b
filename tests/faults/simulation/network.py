"""Connections in memory: bytes are split, delayed, or lost because the connection is cut."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from tidemark.server.network import Address, Network, Port

if TYPE_CHECKING:
    from tests.faults.simulation.node import Process
    from tests.faults.simulation.world import World

HOST: Final = "127.0.0.1"
FIRST_PORT: Final = 9092  # of the broker with the first id
PIECES_MAX: Final = 3


class End(Protocol):
    """The client's end of a connection."""

    def received(self, data: bytes) -> None: ...
    def lost(self) -> None: ...


class Connection:
    """One connection that a broker has accepted. number: in the order of connecting."""

    def __init__(self, world: World, process: Process, node_id: int, number: int, client: End) -> None:
        self.node_id = node_id
        self.number = number
        self.process = process
        self.open = True
        self.server_left: int | None = None  # from this moment on the broker reads nothing from it
        self._world = world
        self._client = client
        self._rng = world.rng(f"connection {number}")
        self._slow = self._rng.random() < 0.1
        self._there_ms = 0  # when the last bytes that were sent arrive at the broker
        self._back_ms = 0
        self._transport = Transport(self)
        self._protocol: asyncio.Protocol | None = None
        self._inbox: deque[bytes] = deque()  # arrived while the broker does not read

    def accept(self, make: Callable[[], asyncio.Protocol]) -> None:
        self._protocol = make()
        self._protocol.connection_made(self._transport)

    # client to broker

    def send(self, data: bytes) -> None:
        for piece in _pieces(data, self._rng):
            self._there_ms = max(self._there_ms, self._now_ms()) + self._delay_ms()
            self._world.clock.call_at(self._there_ms, partial(self._arrive, piece))

    def _arrive(self, piece: bytes) -> None:
        if self.open and self.process.alive:
            self._inbox.append(piece)
            self.process.enter(self.read)

    def read(self) -> None:
        while self._inbox and self._transport.reading and self.open and self._protocol is not None:
            self._protocol.data_received(self._inbox.popleft())

    # broker to client

    def answer(self, data: bytes) -> None:
        for piece in _pieces(data, self._rng):
            self._back_ms = max(self._back_ms, self._now_ms()) + self._delay_ms()
            self._world.clock.call_at(self._back_ms, partial(self._answered, piece))

    def _answered(self, piece: bytes) -> None:
        """Deliver bytes that were handed to the kernel, even if the process has ended."""
        if not self.open:
            return
        if self.process.alive:
            self.process.enter(self._transport.left, len(piece))
        if self.open:
            self._client.received(piece)

    # ends

    def cut(self) -> None:
        """Cut the network: both ends notice it, each at its own time, and bytes in transit are lost."""
        if self.open:
            self.open = False
            self._client.lost()
            if self.process.alive:
                self.process.after(self._delay_ms(), self.server_lost)
            else:
                self.server_gone()

    def hung_up(self) -> None:
        """Close it as the broker: the client receives the bytes in transit, then the end."""
        self.server_gone()
        self._back_ms = max(self._back_ms, self._now_ms()) + self._delay_ms()
        self._world.clock.call_at(self._back_ms, self._over)

    def _over(self) -> None:
        if self.open:
            self.open = False
            self._client.lost()

    def server_lost(self) -> None:
        protocol, self._protocol = self._protocol, None
        self.server_gone()
        if protocol is not None:
            protocol.connection_lost(None)

    def server_gone(self) -> None:
        if self.server_left is None:
            self.server_left = self._world.moment()

    def _now_ms(self) -> int:
        return self._world.clock.steady_ms()

    def _delay_ms(self) -> int:
        chance = self._rng.random()
        if chance < 0.5:
            return 0
        return self._rng.randrange(300) if chance > 0.97 or (self._slow and chance > 0.8) else int(chance * 6)


def _pieces(data: bytes, rng: Any) -> Iterable[bytes]:
    if len(data) < 2 or rng.random() < 0.8:
        yield data
        return
    cuts = sorted(rng.randrange(1, len(data)) for _ in range(rng.randrange(1, PIECES_MAX)))
    start = 0
    for cut in (*cuts, len(data)):
        if cut > start:
            yield data[start:cut]
        start = cut


class SimulatedNetwork(Network):
    """A network with a port for each broker of one process."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def bind(self, address: Address) -> Port:
        return SimulatedPort(self._process, address)


class SimulatedPort(Port):
    """A port, and what accepts its connections: None while it accepts none."""

    def __init__(self, process: Process, address: Address) -> None:
        self.number = address.port
        self.new_protocol: Callable[[], asyncio.Protocol] | None = None
        self._node_id = address.node_id
        self._process = process

    async def accept(self, new_protocol: Callable[[], asyncio.Protocol]) -> Any:
        self.refuses = False
        self.new_protocol = new_protocol
        self._process.listen(self._node_id, self)
        return self

    def duplicate(self) -> Port:
        return self

    def refuse(self) -> None:
        self.refuses = True

    def close(self) -> None:
        """Accept no further connection."""
        self.new_protocol = None


class Transport(asyncio.Transport):
    """The broker's end, as its Protocol uses it."""

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection
        self._closing = False
        self._unsent = 0
        self._high = 64 * 1024
        self._paused = False
        self.reading = True

    def write(self, data: Any) -> None:
        if self._closing or not self._connection.open:
            return
        self._unsent += len(data)
        self._connection.answer(bytes(data))
        if self._unsent > self._high and not self._paused:
            self._paused = True
            self._protocol().pause_writing()

    def writelines(self, list_of_data: Iterable[Any]) -> None:
        self.write(b"".join(list_of_data))

    def left(self, size: int) -> None:
        self._unsent -= size
        if self._paused and self._unsent <= self._high // 4:
            self._paused = False
            if not self._closing:
                self._protocol().resume_writing()

    def _protocol(self) -> asyncio.Protocol:
        protocol = self._connection._protocol
        assert protocol is not None
        return protocol

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._high = self._high if high is None else high

    def get_write_buffer_size(self) -> int:
        return self._unsent

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True
        self._connection.process.loop.call_soon(self._connection.read)

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            connection = self._connection
            connection._inbox.clear()
            connection.process.loop.call_soon(connection.server_lost)
            connection.hung_up()

    def abort(self) -> None:
        self.close()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        connection = self._connection
        if name == "sockname":
            return HOST, FIRST_PORT + connection.node_id - 1
        return (HOST, 40_000 + connection.number) if name == "peername" else default
