"""Two nodes in one process, each with its own id, ports and data directory."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.conformance.build import Request
from tests.conformance.build_data import batch, list_offsets, produce, record
from tests.conformance.build_transactions import describe_transactions, end, init
from tests.unit.broker.whole import Client, Lines, Whole
from tidemark.clock import SystemClock
from tidemark.config import Config
from tidemark.ids import RandomIds
from tidemark.log.storage import FileStorage
from tidemark.node.environment import Environment, Host
from tidemark.node.node import Node
from tidemark_http import http_server
from tidemark_protocol.batch import TRANSACTIONAL
from tidemark_testing.clock import LoopClock

ADVANCED_MS = 3_600_000
JOIN = {
    "GroupId": "members",
    "SessionTimeoutMs": 10_000,
    "RebalanceTimeoutMs": 10_000,
    "ProtocolType": "consumer",
    "Protocols": [{"Name": "range", "Metadata": ""}],
}


async def start_node(node_id: int, data_dir: Path) -> Whole:
    values = {
        "node.id": str(node_id),
        "log.dirs": str(data_dir),
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "tidemark.http.listener": "127.0.0.1:0",
        "tidemark.test.api": "true",
        "group.initial.rebalance.delay.ms": "0",
    }
    clock, lines = LoopClock(SystemClock().wall_ms()), Lines()
    config = Config(values)
    env = Environment(config, lines, Host(clock, RandomIds(), FileStorage(config.data_dir)))
    node = Node(env, http_server)
    await node.start()
    return Whole(node, clock, lines)


@asynccontextmanager
async def two_nodes(tmp_path: Path) -> AsyncIterator[tuple[Whole, Whole]]:
    first = await start_node(1, tmp_path / "first")
    second = await start_node(2, tmp_path / "second")
    try:
        yield first, second
    finally:
        for whole in (first, second):
            for client in whole._clients:
                client.writer.close()
            if not whole.lines.of("stopped by the test"):
                await whole.node.stop()


async def client_of(whole: Whole, offset: int) -> Client:
    """A client that has made topic "orders" and committed an offset of group "readers"."""
    client = await whole.client()
    assert await client.make_topic() == 0
    await client.find("readers")
    assert await client.commit("readers", offset) == 0
    return client


async def join(client: Client) -> dict[str, Any]:
    joined = await client.ask("JoinGroup", 3, JOIN)
    member = {"GroupId": "members", "MemberId": joined["MemberId"], "GenerationId": joined["GenerationId"]}
    assert (await client.ask("SyncGroup", 2, member))["ErrorCode"] == 0
    return member


class Producer:
    """A transactional producer of topic "orders" in one node. Both nodes have one with the same id."""

    def __init__(self, whole: Whole, id_and_epoch: tuple[int, int] = (-1, -1)) -> None:
        self._whole = whole
        self._client: Client | None = None
        self.id, self.epoch = id_and_epoch
        self._sequence = 0

    async def ask(self, request: Request) -> dict[str, Any]:
        if self._client is None:
            self._client = await self._whole.client()
        return await self._client.ask(*request)

    async def begin(self) -> Producer:
        """Get a producer id, and write the first record of a transaction."""
        await self.ask(("FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": ["shop"]}))
        begun = await self.ask(init("shop"))
        assert begun["ErrorCode"] == 0
        self.id, self.epoch = begun["ProducerId"], begun["ProducerEpoch"]
        await self.send()
        return self

    async def send(self) -> None:
        data = batch(
            record(timestamp=self._whole.clock.wall_ms()), attributes=TRANSACTIONAL, producer_id=self.id,
            producer_epoch=self.epoch, base_sequence=self._sequence,
        )  # fmt: skip
        sent = await self.ask(produce({"orders": {0: data}}, transactional_id="shop", version=12))
        assert sent["Responses"][0]["PartitionResponses"][0]["ErrorCode"] == 0, sent
        self._sequence += 1

    async def commit(self) -> int:
        """Commit the transaction. Return the next epoch."""
        ended = await self.ask(end("shop", self.id, self.epoch, commit=True, version=5))
        assert ended["ErrorCode"] == 0, ended
        epoch: int = ended["ProducerEpoch"]
        return epoch

    async def state(self) -> str:
        (described,) = (await self.ask(describe_transactions("shop")))["TransactionStates"]
        state: str = described["TransactionState"]
        return state

    async def ends(self) -> tuple[int, int]:
        """Return the last stable offset, and the end of the log."""
        found = []
        for isolation in (1, 0):
            answered = await self.ask(list_offsets({"orders": {0: -1}}, isolation=isolation))
            found.append(answered["Topics"][0]["Partitions"][0]["Offset"])
        return found[0], found[1]


async def both_begin(first: Whole, second: Whole) -> tuple[Producer, Producer]:
    for whole in (first, second):
        assert await (await whole.client()).make_topic() == 0
    return await Producer(first).begin(), await Producer(second).begin()


async def http_status(whole: Whole, path: str) -> str:
    host, _, port = whole.http.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    async with asyncio.timeout(10):
        status = await reader.readline()
    writer.close()
    return status.decode().split(" ", 1)[1].strip()


async def test_two_nodes_in_one_process_serve_their_own_clients(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (first, second):
        clients = [await client_of(first, 11), await client_of(second, 22)]
        assert [await client.committed("readers") for client in clients] == [11, 22]
        described = [await client.ask("DescribeCluster", 0, {}) for client in clients]
        assert [each["ControllerId"] for each in described] == [1, 2]
        assert described[0]["ClusterId"] != described[1]["ClusterId"]
        ports = [first.node.ready()["bootstrap_servers"], second.node.ready()["bootstrap_servers"]]
        assert len(set(ports)) == 2
        assert [await http_status(whole, "/readyz") for whole in (first, second)] == ["200 OK"] * 2


async def test_restoring_one_node_does_not_affect_the_other(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (first, second):
        client, other = await client_of(first, 11), await client_of(second, 22)
        member = await join(other)
        incarnation, kept = first.node.current, second.node.current
        snapshot = await first.node.snapshots.create()
        assert await client.commit("readers", 12) == 0
        await first.time.advance(ADVANCED_MS, cleanup=True, sessions=True, logs=True)
        await first.node.snapshots.restore(snapshot)

        assert first.node.current is not incarnation
        assert await (await first.client()).committed("readers") == 11
        assert second.node.current is kept
        assert (await other.ask("Heartbeat", 3, member))["ErrorCode"] == 0
        assert await other.commit("readers", 23) == 0
        assert await other.committed("readers") == 23
        assert second.time.state()["moved_ms"] == 0


async def test_stopping_one_node_does_not_affect_the_other(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (first, second):
        await client_of(first, 11)
        other = await client_of(second, 22)
        member = await join(other)
        await first.node.stop()
        first.lines.info("stopped by the test")

        assert (await other.ask("Heartbeat", 3, member))["ErrorCode"] == 0
        assert await other.commit("readers", 23) == 0
        assert await http_status(second, "/readyz") == "200 OK"
    again = await start_node(1, tmp_path / "first")
    client = await again.client()
    assert await client.committed("readers") == 11
    client.writer.close()
    await again.node.stop()


async def test_a_disk_that_fails_one_node_leaves_the_other_serving(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (first, second):
        await client_of(first, 11)
        other = await client_of(second, 22)
        first.node.fail(OSError(5, "Input/output error"))
        assert first.node.failed.done()
        assert not second.node.failed.done()
        assert (await http_status(first, "/readyz")).startswith("503")
        assert await other.commit("readers", 23) == 0


async def test_a_node_in_a_shared_process_does_not_change_interpreter_settings(tmp_path: Path) -> None:
    before = gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()
    async with two_nodes(tmp_path):
        assert (gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()) == before


async def test_restoring_one_node_does_not_affect_a_transaction_of_the_other(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (first, second):
        one, other = await both_begin(first, second)
        snapshot = await first.node.snapshots.create()
        assert await one.commit() == one.epoch + 1
        await other.send()
        await first.node.snapshots.restore(snapshot)

        assert (await other.state(), await other.ends()) == ("Ongoing", (0, 2))
        again = Producer(first, (one.id, one.epoch))
        assert (await again.state(), await again.ends()) == ("Ongoing", (0, 1))
        moved = await first.time.advance(ADVANCED_MS, cleanup=True, sessions=True, logs=False)
        assert [each.transactional_id for each in moved.transactions] == ["shop"]
        assert (await again.state(), await again.ends()) == ("CompleteAbort", (2, 2))
        assert await other.state() == "Ongoing"
        await other.send()
        assert await other.commit() == other.epoch + 1
        assert (await other.state(), await other.ends()) == ("CompleteCommit", (4, 4))


async def test_stopping_one_node_does_not_affect_a_transaction_of_the_other(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (first, second):
        one, other = await both_begin(first, second)
        await first.node.stop()
        first.lines.info("stopped by the test")
        await other.send()
        assert await other.commit() == other.epoch + 1
        assert (await other.state(), await other.ends()) == ("CompleteCommit", (3, 3))
    again = await start_node(1, tmp_path / "first")
    same = Producer(again, (one.id, one.epoch))
    assert (await same.state(), await same.ends()) == ("Ongoing", (0, 1))
    assert await same.commit() == one.epoch + 1
    assert (await same.state(), await same.ends()) == ("CompleteCommit", (2, 2))
    for client in again._clients:
        client.writer.close()
    await again.node.stop()
