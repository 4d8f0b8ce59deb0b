"""Clients that send random requests and report the responses to the laws."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tests.faults.simulation.world import Wait
from tests.wire import correlation_id, frames, message_class, request, response
from tidemark.server.session import ELEMENTS_AT_ONCE_MAX, FRAME_BYTES_AT_ONCE_MAX
from tidemark_protocol.wire import write_tags

if TYPE_CHECKING:
    from tests.faults.simulation.laws import Laws
    from tests.faults.simulation.network import Connection
    from tests.faults.simulation.node import Node
    from tests.faults.simulation.world import World

RECONNECT_MS_MAX: Final = 300
LARGE: Final = 0.05  # the probability that a request is large
# In the header of a large request. A request with many elements is decoded in a worker and decided in steps.
TAGS: Final = (1, ELEMENTS_AT_ONCE_MAX + 1)
FIRST_TAG: Final = 100  # higher than any tag of Kafka


@cache
def _padding(tags: int) -> bytes:
    out = bytearray()
    field = bytearray(FRAME_BYTES_AT_ONCE_MAX // tags + 1)
    write_tags(out, [(FIRST_TAG + number, field) for number in range(tags)])
    return bytes(out)


class Lost(Exception):
    """The connection was lost, or could not be opened."""


@dataclass(slots=True, eq=False)
class Asked:
    """One request without a response yet. began, answered: moments."""

    correlation_id: int
    api: str
    version: int
    began: int
    connection: Connection
    wait: Wait
    answered: int = 0


class Client:
    """One connection at a time, with its responses in order."""

    def __init__(self, world: World, node: Node, laws: Laws, name: str) -> None:
        self.world = world
        self.node = node
        self.laws = laws
        self.name = name
        self.rng = world.rng(name)
        self.connection: Connection | None = None
        self.due: deque[Asked] = deque()
        self._buffer = bytearray()
        self._correlation_id = 0

    async def connect(self) -> None:
        while self.connection is None:
            if self.world.over:
                raise Lost
            await self.world.sleep(self.rng.randrange(RECONNECT_MS_MAX))
            self._buffer = bytearray()
            self.node.connect(self, self._opened)

    def _opened(self, connection: Connection | None) -> None:
        self.connection = connection
        if connection is not None:
            self.world.trace(self.name, lambda: f"connection {connection.number}")

    def send(self, api: str, version: int, message: Any, *, answered: bool = True) -> Asked:
        """Send a request without waiting for its response. answered=False: it has none."""
        connection = self.connection
        if connection is None:
            raise Lost
        self._correlation_id += 1
        asked = Asked(self._correlation_id, api, version, self.world.moment(), connection, Wait())
        flexible = version >= message_class(f"{api}Request").FLEXIBLE_FROM
        tags = self._tags() if flexible else b""
        frame = request(api, version, message, asked.correlation_id, self.name, tags)
        if answered:
            self.due.append(asked)
        self.world.trace(self.name, lambda: f"-> {asked.correlation_id} {api} v{version} {message}")
        self.world.count(api)
        connection.send(frame)
        return asked

    def _tags(self) -> bytes:
        """Return the tagged fields of a header: none, or unknown ones that make the request large."""
        return _padding(self.rng.choice(TAGS)) if self.rng.random() < LARGE else b"\0"

    async def ask(self, api: str, version: int, message: Any) -> tuple[Asked, Any]:
        if self.connection is None:
            await self.connect()
        asked = self.send(api, version, message)
        return asked, await asked.wait

    # the connection's

    def received(self, data: bytes) -> None:
        self._buffer += data
        for frame in frames(self._buffer):
            self._answer(frame)

    def _answer(self, frame: bytes) -> None:
        told = correlation_id(frame)
        if not self.due:
            self.world.break_law("one answer", f"{self.name} is told {told}, and asked nothing")
            return
        asked = self.due.popleft()
        if asked.correlation_id != told:
            self.world.break_law(
                "one answer", f"{self.name} is told {told}, and {asked.correlation_id} {asked.api} is due"
            )
            return
        answer = response(asked.api, asked.version, frame)
        asked.answered = self.world.moment()
        self.world.trace(self.name, lambda: f"<- {told} {answer}")
        asked.wait.set(answer)

    def lost(self) -> None:
        self.world.trace(self.name, "connection lost")
        self.connection = None
        due, self.due = self.due, deque()
        for asked in due:
            asked.wait.set(error=Lost())

    def hang_up(self) -> None:
        if self.connection is not None:
            self.connection.cut()


class Actor:
    """Runs one action after the other, with pauses. It reopens a lost connection."""

    PAUSE_MS: ClassVar[int] = 250

    def __init__(self, client: Client) -> None:
        self.client = client
        self.world = client.world
        self.laws = client.laws
        self.rng = client.rng

    async def run(self) -> None:
        while not self.world.over:
            try:
                if self.client.connection is None:
                    await self.client.connect()
                await self.step()
            except Lost:
                self.lost()
            await self.world.sleep(self.pause_ms())
        self.end()

    def pause_ms(self) -> int:
        return int(self.rng.expovariate(1 / self.PAUSE_MS)) if self.rng.random() < 0.8 else 0

    async def step(self) -> None:
        raise NotImplementedError

    def lost(self) -> None:
        """Handle a lost connection: pending requests will have no response."""

    def end(self) -> None:
        """Handle the end of the world."""
