"""A whole node in this process: real sockets, a clock that the test moves, and storage in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from tests.unit.broker.garbage import no_garbage_of_ours
from tests.wire import AsyncConnection, correlation_id
from tidemark.clock import AfterReading, turn
from tidemark.config import Config
from tidemark.ids import Ids, RandomIds
from tidemark.log.storage import Storage
from tidemark.metrics.registry import Metrics
from tidemark.node.engine import Engine
from tidemark.node.environment import Environment, Host
from tidemark.node.incarnation import State
from tidemark.node.node import Node
from tidemark.node.time import MovingTime
from tidemark.server.listener import Server
from tidemark_http import HttpServer, http_server
from tidemark_protocol import to_dict
from tidemark_testing.clock import LoopClock

DEADLINE_S: Final = 10
STEP_MS: Final = 1_000
SESSION_MS: Final = 10_000
A_JOIN: Final = {
    "GroupId": "g",
    "SessionTimeoutMs": SESSION_MS,
    "RebalanceTimeoutMs": SESSION_MS,
    "MemberId": "",
    "ProtocolType": "consumer",
    "Protocols": [{"Name": "range", "Metadata": ""}],
}


class WorkingClock(LoopClock):
    """A clock to which each reading adds look_ms, to simulate slow work.

    At TURN_MS, work in steps yields to the loop after each step.
    """

    def __init__(self, look_ms: int = 1) -> None:
        super().__init__()
        self.look_ms = look_ms
        self._worked_ms = 0

    def host_ms(self) -> int:
        self._worked_ms += self.look_ms
        return super().host_ms() + self._worked_ms


class Lines:
    """The log lines of a node, as (event, fields)."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, Any]]] = []

    def wants(self, level: str) -> bool:
        return True

    def __getattr__(self, level: str) -> Any:
        return lambda event, **fields: self.lines.append((event, fields))

    def of(self, event: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.lines if name == event]


class Client(AsyncConnection):
    """One connection. Its messages are dicts."""

    async def frame(self) -> bytes:
        async with asyncio.timeout(DEADLINE_S):
            return await super().frame()

    async def answer(self, api: str, version: int) -> dict[str, Any]:
        return to_dict(await super().answer(api, version))

    async def correlation_ids(self, count: int) -> list[int]:
        """Return the correlation ids of the next responses."""
        return [correlation_id(await self.frame()) for _ in range(count)]

    async def is_silent(self) -> bool:
        """Return True if no response arrives while the loop has work to do."""
        for _ in range(50):
            await asyncio.sleep(0.002)
        return not self.reader._buffer  # type: ignore[attr-defined]

    async def commit(self, group: str, offset: int, topic: str = "orders") -> int:
        """Commit an offset. Return the error code."""
        answered = await self.ask("OffsetCommit", 8, a_commit(group, offset, topic))
        code: int = answered["Topics"][0]["Partitions"][0]["ErrorCode"]
        return code

    async def committed(self, group: str, topic: str = "orders") -> int:
        answered = await self.ask(
            "OffsetFetch", 7, {"GroupId": group, "Topics": [{"Name": topic, "PartitionIndexes": [0]}]}
        )
        offset: int = answered["Topics"][0]["Partitions"][0]["CommittedOffset"]
        return offset

    async def make_topic(self, name: str = "orders", partitions: int = 1) -> int:
        answered = await self.ask(
            "CreateTopics",
            7,
            {"Topics": [{"Name": name, "NumPartitions": partitions, "ReplicationFactor": -1}]},
        )
        code: int = answered["Topics"][0]["ErrorCode"]
        return code

    async def find(self, group: str = "g") -> None:
        await self.ask("FindCoordinator", 4, {"CoordinatorKeys": [group]})


def a_commit(group: str, offset: int, topic: str = "orders") -> dict[str, Any]:
    partition = {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": ""}
    return {"GroupId": group, "Topics": [{"Name": topic, "Partitions": [partition]}]}


async def stable_member(client: Client) -> str:
    """Join group g, which is empty, and return the member id; the generation is 1."""
    await client.find("g")
    member_id: str = (await client.ask("JoinGroup", 3, A_JOIN))["MemberId"]
    sync = {"GroupId": "g", "GenerationId": 1, "MemberId": member_id, "Assignments": []}
    assert (await client.ask("SyncGroup", 3, sync))["ErrorCode"] == 0
    return member_id


class Whole:
    """A running node. clock: the host's."""

    def __init__(self, node: Node, clock: LoopClock, lines: Lines) -> None:
        self.node = node
        self.clock = clock
        self.lines = lines
        self._clients: list[Client] = []

    @property
    def state(self) -> State:
        """The state of the current incarnation."""
        return self.node.current.state

    @property
    def http(self) -> HttpServer:
        assert isinstance(self.node.http, HttpServer)
        return self.node.http

    @property
    def engine(self) -> Engine:
        return self.node.current.engine

    @property
    def metrics(self) -> Metrics:
        return self.engine.metrics

    @property
    def server(self) -> Server:
        return self.node.current.server

    @property
    def time(self) -> MovingTime:
        """The time of the current incarnation, as /v1 moves it."""
        return MovingTime(self.node)

    async def client(self) -> Client:
        client = await Client.to(self.node.ready()["bootstrap_servers"].partition(",")[0])
        self._clients.append(client)
        return client

    async def passes(self, ms: int) -> None:
        """Move time in steps of a second, with turns of the loop in between, so that no timer is late."""
        for _ in range(0, ms, STEP_MS):
            self.clock.advance(STEP_MS)
            await self.reads()

    async def reads(self) -> None:
        """Let the loop read what has arrived, and run what waited for that."""
        for _ in range(AfterReading.TURNS + 1):
            await turn()

    async def abandon(self) -> None:
        """Stop as a kill does: nothing more is written, and no client gets a response."""
        current = self.node.current
        current.engine.runtime.close()
        current.server.close()
        await current.engine.housekeeping.stop()
        for client in self._clients:
            client.writer.close()


async def start(
    storage: Storage, clock: LoopClock | None = None, ids: Ids | None = None, **settings: str
) -> Whole:
    """Start a node on this storage. settings: Kafka's names, with underscores for dots."""
    values = {"listeners": "PLAINTEXT://127.0.0.1:0", "tidemark.http.listener": ""}
    values |= {name.replace("_", "."): value for name, value in settings.items()}
    clock = clock or LoopClock()
    lines = Lines()
    env = Environment(Config(values), lines, Host(clock, ids or RandomIds(), storage))
    node = Node(env, http_server)
    await node.start()
    return Whole(node, clock, lines)


@asynccontextmanager
async def running(storage: Storage, clock: LoopClock | None = None, **settings: str) -> AsyncIterator[Whole]:
    """Start a node, and stop it cleanly at the end."""
    whole = await start(storage, clock, **settings)
    first = whole.node.current
    try:
        with no_garbage_of_ours(unless=lambda: whole.node.current is not first):  # a restore collects itself
            yield whole
            for client in whole._clients:
                client.writer.close()
            await whole.reads()
    finally:
        for client in whole._clients:
            client.writer.close()
        await whole.node.stop()
