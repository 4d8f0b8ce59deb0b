"""Clients that send random requests and report the responses to the laws."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tests.faults.simulation.brokers import ASTRAY, Leader, check_served, leader_for
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
    leader: Leader | None = None  # of its partition, when it was sent
    answered: int = 0


class Link:
    """A connection to one broker, with its responses in order."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.connection: Connection | None = None
        self.due: deque[Asked] = deque()
        self._buffer = bytearray()

    def received(self, data: bytes) -> None:
        self._buffer += data
        for frame in frames(self._buffer):
            self._answer(frame)

    def _answer(self, frame: bytes) -> None:
        client, told = self.client, correlation_id(frame)
        if not self.due:
            client.world.break_law("one answer", f"{client.name} is told {told}, and asked nothing")
            return
        asked = self.due.popleft()
        if asked.correlation_id != told:
            due = f"{asked.correlation_id} {asked.api} is due"
            client.world.break_law("one answer", f"{client.name} is told {told}, and {due}")
            return
        answer = response(asked.api, asked.version, frame)
        asked.answered = client.world.moment()
        client.world.trace(client.name, lambda: f"<- {told} {answer}")
        check_served(client.laws, asked, answer)
        asked.wait.set(answer)

    def lost(self) -> None:
        client = self.client
        client.world.trace(client.name, "connection lost")
        client.links = {node_id: link for node_id, link in client.links.items() if link is not self}
        due, self.due = self.due, deque()
        for asked in due:
            asked.wait.set(error=Lost())


class Client:
    """A connection to each broker that it needs. With one broker, there is one at a time."""

    def __init__(self, world: World, node: Node, laws: Laws, name: str) -> None:
        self.world = world
        self.node = node
        self.laws = laws
        self.name = name
        self.rng = world.rng(name)
        self.links: dict[int, Link] = {}  # the open ones
        self._correlation_id = 0

    @property
    def connection(self) -> Connection | None:
        """The oldest open connection."""
        return next((link.connection for link in self.links.values()), None)

    @property
    def due(self) -> Iterator[Asked]:
        """Return the requests that have no response yet."""
        return (asked for link in self.links.values() for asked in link.due)

    async def connect(self, *, at_rest: bool = False) -> None:
        """Connect to any broker. at_rest: although all faults and other actors have ended."""
        while not self.links:
            if self.world.over and not at_rest:
                raise Lost
            await self.world.sleep(self.rng.randrange(RECONNECT_MS_MAX))
            self._open(self.node.any_broker(self.rng))

    def _open(self, node_id: int) -> Link | None:
        link = Link(self)
        connection = link.connection = self.node.connect(node_id, link)
        if connection is None:
            return None
        self.links[node_id] = link
        self.world.trace(self.name, lambda: f"connection {connection.number} to broker {node_id}")
        return link

    def send(
        self, api: str, version: int, message: Any, *, answered: bool = True, node_id: int | None = None
    ) -> Asked:
        """Send a request without waiting for its response.

        answered=False: it has none. node_id: the broker for it; None: the one that it belongs to
        """
        if not self.links:
            raise Lost
        link, leader = self._link_for(api, message) if node_id is None else (self._link_to(node_id), None)
        connection = link.connection
        assert connection is not None
        self._correlation_id += 1
        asked = Asked(self._correlation_id, api, version, self.world.moment(), connection, Wait(), leader)
        flexible = version >= message_class(f"{api}Request").FLEXIBLE_FROM
        tags = self._tags() if flexible else b""
        frame = request(api, version, message, asked.correlation_id, self.name, tags)
        if answered:
            link.due.append(asked)
        self.world.trace(self.name, lambda: f"-> {asked.correlation_id} {api} v{version} {message}")
        self.world.count(api)
        connection.send(frame)
        return asked

    def _link_for(self, api: str, message: Any) -> tuple[Link, Leader | None]:
        """Return the connection to the broker that leads the partition of a request, or to another one."""
        process = self.node.process
        if self.node.brokers == 1 or process is None or not process.serving:
            return next(iter(self.links.values())), None
        leader = leader_for(process, api, message, self.rng)
        if leader is None:
            node_id = self.rng.choice([*self.links])
        elif leader.node_id not in process.ports or self.rng.random() < ASTRAY:
            node_id = self.node.any_broker(self.rng)
        else:
            node_id = leader.node_id
        return self._link_to(node_id), leader

    def _link_to(self, node_id: int) -> Link:
        link = self.links.get(node_id) or self._open(node_id)
        if link is None:
            raise Lost
        return link

    def _tags(self) -> bytes:
        """Return the tagged fields of a header: none, or unknown ones that make the request large."""
        return _padding(self.rng.choice(TAGS)) if self.rng.random() < LARGE else b"\0"

    async def ask(self, api: str, version: int, message: Any) -> tuple[Asked, Any]:
        if not self.links:
            await self.connect()
        asked = self.send(api, version, message)
        return asked, await asked.wait

    def hang_up(self) -> None:
        for link in [*self.links.values()]:
            assert link.connection is not None
            link.connection.cut()


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
