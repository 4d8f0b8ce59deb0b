"""Snapshots of a running node, with real connections and real files."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import uvloop

from tests.kafkas_directory import unpacked
from tests.unit.broker.whole import Client, Lines, Whole, running, stable_member
from tidemark.config import Config
from tidemark.faults.model import read_fault
from tidemark.ids import RandomIds
from tidemark.log.storage import FileStorage, Storage
from tidemark.log.takeover import Opening, read_origins
from tidemark.node.environment import Environment, Host
from tidemark.node.node import Node, UnknownSnapshot
from tidemark.node.time import ClockRefused
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.clock import START_WALL_MS, LoopClock
from tidemark_testing.storage import MemoryStorage

DAY_MS = 86_400_000
Story = Callable[[Whole], Awaitable[None]]


@pytest.fixture(params=["asyncio", "uvloop"])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Story], None]]:
    """Return a function that runs a story on a node with the test API."""

    async def whole_story(story: Story) -> None:
        async with running(FileStorage(tmp_path), tidemark_test_api="true") as whole:
            await story(whole)
            assert not whole.node.failed.done()

    def played(story: Story) -> None:
        loop = uvloop.new_event_loop if request.param == "uvloop" else None
        # A story runs on each kind of loop; pytest-asyncio has only one.
        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(whole_story(story))

    return played  # type: ignore[return-value]


async def topics_of(client: Client) -> list[str]:
    answered = await client.ask("Metadata", 9, {"Topics": None})
    return sorted(topic["Name"] for topic in answered["Topics"] if not topic["IsInternal"])


async def produce(client: Client, topic: str, *values: bytes, **producer: int) -> tuple[int, int]:
    """Produce records. Return the error code and the base offset."""
    found = [LogRecord(n, START_WALL_MS, None, value) for n, value in enumerate(values)]
    batch = build_batch(found, leader_epoch=-1, **producer)
    partition = {"Index": 0, "Records": batch.hex()}
    asked = {"Acks": -1, "TimeoutMs": 1000, "TopicData": [{"Name": topic, "PartitionData": [partition]}]}
    answered = (await client.ask("Produce", 8, asked))["Responses"][0]["PartitionResponses"][0]
    return answered["ErrorCode"], answered["BaseOffset"]


async def end_of(client: Client, topic: str) -> int:
    asked = {"Name": topic, "Partitions": [{"PartitionIndex": 0, "Timestamp": -1}]}
    answered = await client.ask("ListOffsets", 5, {"ReplicaId": -1, "Topics": [asked]})
    end: int = answered["Topics"][0]["Partitions"][0]["Offset"]
    return end


def test_a_move_that_waited_for_a_restore_is_refused_and_changes_nothing(
    play: Callable[[Story], None],
) -> None:
    async def story(whole: Whole) -> None:
        client = await whole.client()
        await client.make_topic("orders")
        await client.find()
        assert await client.commit("g", 5) == 0
        snapshots = whole.node.snapshots
        snapshot_id = await snapshots.create()
        time = whole.time
        back, moved, cleaned = await asyncio.gather(
            snapshots.restore(snapshot_id),
            time.advance(8 * DAY_MS, cleanup=True, sessions=False, logs=False),
            time.cleanup(),
            return_exceptions=True,
        )
        assert back is None
        assert isinstance(moved, ClockRefused)
        assert isinstance(cleaned, ClockRefused)
        assert whole.time.state()["moved_ms"] == 0
        assert await (await whole.client()).committed("g") == 5

    play(story)


def test_a_restore_undoes_changes_after_the_snapshot_and_keeps_earlier_ones(
    play: Callable[[Story], None],
) -> None:
    async def story(whole: Whole) -> None:
        client = await whole.client()
        await client.make_topic("orders")
        await client.find()
        await produce(client, "orders", b"a", b"b")
        await client.commit("readers", 1)
        snapshot = await whole.node.snapshots.create()
        for _ in range(3):
            await client.make_topic("later")
            await produce(client, "orders", b"c")
            await produce(client, "later", b"d")
            await client.commit("readers", 3)
            await client.commit("others", 1, "later")
            await client.ask("DeleteTopics", 1, {"TopicNames": ["orders"], "TimeoutMs": 1000})
            await whole.node.snapshots.restore(snapshot)
            client = await whole.client()
            assert await topics_of(client) == ["orders"]
            assert await end_of(client, "orders") == 2
            assert await client.committed("readers") == 1
            assert list(whole.state.groups.groups) == ["readers"]

    play(story)


def test_connections_are_closed_and_the_port_stays(play: Callable[[Story], None]) -> None:
    async def story(whole: Whole) -> None:
        before = whole.node.ready()
        client = await whole.client()
        await client.make_topic()
        snapshot = await whole.node.snapshots.create()
        await client.ask("Metadata", 9, {"Topics": None})
        restoring = asyncio.ensure_future(whole.node.snapshots.restore(snapshot))
        assert await client.reader.read() == b""
        late = await whole.client()  # it connects while the listener is closed
        await restoring
        assert await topics_of(late) == ["orders"]
        assert whole.node.ready() == before

    play(story)


def test_a_restore_ends_parked_requests_with_their_connection(play: Callable[[Story], None]) -> None:
    async def story(whole: Whole) -> None:
        fetching, joining, client = [await whole.client() for _ in range(3)]
        await client.make_topic()
        await client.find()
        snapshot = await whole.node.snapshots.create()
        partition = {"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1000}
        wanted = {"Topic": "orders", "Partitions": [partition]}
        fetching.send("Fetch", 4, {"MaxWaitMs": 60_000, "MinBytes": 1, "MaxBytes": 1000, "Topics": [wanted]})
        protocols = [{"Name": "range", "Metadata": ""}]
        member = {"SessionTimeoutMs": 6_000, "RebalanceTimeoutMs": 6_000, "ProtocolType": "consumer"}
        member |= {"GroupId": "g", "Protocols": protocols}
        assert (await joining.ask("JoinGroup", 3, member))["ErrorCode"] == 0
        joining.send("JoinGroup", 3, member)
        assert await fetching.is_silent()
        await whole.node.snapshots.restore(snapshot)
        assert await fetching.reader.read() == b""
        again = await whole.client()
        assert await produce(again, "orders", b"a") == (0, 0)
        assert not whole.state.groups.groups

    play(story)


def test_a_restored_member_gets_a_full_session(play: Callable[[Story], None]) -> None:
    async def story(whole: Whole) -> None:
        client = await whole.client()
        await client.find()
        member = {"SessionTimeoutMs": 6_000, "RebalanceTimeoutMs": 6_000, "ProtocolType": "consumer"}
        member |= {"GroupId": "g", "Protocols": [{"Name": "range", "Metadata": ""}]}
        joined = await client.ask("JoinGroup", 3, member)
        me = {"GroupId": "g", "MemberId": joined["MemberId"], "GenerationId": joined["GenerationId"]}
        await client.ask("SyncGroup", 2, me)
        snapshot = await whole.node.snapshots.create()
        await client.ask("LeaveGroup", 2, {"GroupId": "g", "MemberId": joined["MemberId"]})
        whole.clock.advance(60_000)
        await whole.node.snapshots.restore(snapshot)
        client = await whole.client()
        assert (await client.ask("Heartbeat", 2, me))["ErrorCode"] == 0
        whole.clock.advance(5_999)
        assert (await client.ask("Heartbeat", 2, me))["ErrorCode"] == 0

    play(story)


def test_a_producer_continues_after_a_restore(play: Callable[[Story], None]) -> None:
    async def story(whole: Whole) -> None:
        client = await whole.client()
        await client.make_topic()
        me = {"producer_id": 7, "producer_epoch": 0}
        assert await produce(client, "orders", b"a", base_sequence=0, **me) == (0, 0)
        snapshot = await whole.node.snapshots.create()
        assert await produce(client, "orders", b"b", base_sequence=1, **me) == (0, 1)
        assert await produce(client, "orders", b"c", base_sequence=2, **me) == (0, 2)
        await whole.node.snapshots.restore(snapshot)
        client = await whole.client()
        out_of_order = 45
        assert (await produce(client, "orders", b"c", base_sequence=2, **me))[0] == out_of_order
        assert await produce(client, "orders", b"b", base_sequence=1, **me) == (0, 1)

    play(story)


def test_a_restore_brings_back_the_time_of_the_snapshot(play: Callable[[Story], None]) -> None:
    async def story(whole: Whole) -> None:
        def now_ms() -> int:
            return whole.state.clock.wall_ms()

        async def advance(days: int) -> None:
            time = whole.time
            await time.advance(days * DAY_MS, cleanup=True, sessions=False, logs=False)

        real = await whole.node.snapshots.create()
        await advance(3)
        later = await whole.node.snapshots.create()
        await advance(10)
        await whole.node.snapshots.restore(later)
        assert now_ms() == whole.clock.wall_ms() + 3 * DAY_MS
        await whole.node.snapshots.restore(real)
        assert now_ms() == whole.clock.wall_ms()
        await whole.node.snapshots.restore(later)
        assert now_ms() == whole.clock.wall_ms() + 3 * DAY_MS
        await advance(1)
        assert now_ms() == whole.clock.wall_ms() + 4 * DAY_MS

    play(story)


async def connect(whole: Whole) -> None:
    await whole.client()


async def leave(whole: Whole) -> None:
    """Connect and leave."""
    client = await whole.client()
    client.close()
    while whole.server.is_connected:
        await asyncio.sleep(0)


async def refuse(whole: Whole) -> None:
    """Refuse a connection, by a fault that ends with it."""
    assert whole.node.on_request is not None and whole.node.on_request.faults is not None
    whole.node.on_request.faults.add(read_fault({"refuse_connections": True, "once": True}))
    with suppress(ConnectionError, EOFError):
        await whole.client()
    whole.node.on_request.faults.clear()


async def set_fault(whole: Whole) -> None:
    assert whole.node.on_request is not None and whole.node.on_request.faults is not None
    whole.node.on_request.faults.add(read_fault({"api": "Fetch", "drop": True}))


async def move(whole: Whole) -> None:
    await whole.time.advance(1, cleanup=False, sessions=False, logs=False)


async def retain(whole: Whole) -> None:
    await whole.engine.housekeeping.retain()


async def write(whole: Whole) -> None:
    whole.engine.new_producer_id()


async def note_http(whole: Whole) -> None:
    whole.node.snapshots.changed()


@pytest.mark.parametrize("change", [connect, leave, refuse, set_fault, move, retain, write, note_http])
async def test_each_change_is_undone(change: Story) -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        snapshot = await whole.node.snapshots.create()
        await change(whole)
        before = whole.server
        await whole.node.snapshots.restore(snapshot)
        assert whole.server is not before


async def test_a_restore_of_the_current_state_does_nothing() -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        first, second = [await whole.node.snapshots.create() for _ in range(2)]
        before = whole.server
        await whole.node.snapshots.restore(second)
        assert whole.server is before
        await whole.node.snapshots.restore(first)  # another one, though it equals this
        restored = whole.server
        assert restored is not before
        await whole.passes(1000)
        await whole.node.snapshots.restore(first)
        assert whole.server is restored


async def test_a_group_whose_session_runs_is_restored_each_time() -> None:
    """Its members get a full session with each restore."""
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        client = await whole.client()
        await stable_member(client)
        snapshot = await whole.node.snapshots.create()
        for _ in range(2):
            before = whole.server
            await whole.node.snapshots.restore(snapshot)
            assert whole.server is not before


async def test_a_client_that_was_connected_to_the_snapshot_may_have_changed_it() -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        client = await whole.client()
        snapshot = await whole.node.snapshots.create()
        await client.make_topic("orders")
        await whole.node.snapshots.restore(snapshot)
        assert await topics_of(await whole.client()) == []


def test_metrics_and_removals_are_reset_by_a_restore(play: Callable[[Story], None]) -> None:
    async def story(whole: Whole) -> None:
        client = await whole.client()
        await client.make_topic()
        await client.find()
        snapshot = await whole.node.snapshots.create()
        await client.commit("readers", 1)
        await client.ask("DeleteGroups", 1, {"GroupsNames": ["readers"]})
        assert whole.engine.removals.count == 1
        await whole.node.snapshots.restore(snapshot)
        assert whole.engine.removals.count == 0
        assert whole.metrics.reading("offset_commits") == 0
        client = await whole.client()
        await client.find()
        await client.commit("readers", 1)
        assert whole.metrics.reading("offset_commits") == 1

    play(story)


def test_an_unknown_snapshot_is_reported(play: Callable[[Story], None]) -> None:
    async def story(whole: Whole) -> None:
        snapshots = whole.node.snapshots
        snapshot = await snapshots.create()
        assert await snapshots.create() != snapshot
        await snapshots.delete(snapshot)
        for refused in (snapshots.restore(snapshot), snapshots.delete(snapshot), snapshots.restore("../x")):
            with pytest.raises(UnknownSnapshot):
                await refused

    play(story)


@pytest.mark.parametrize("make", [FileStorage, None], ids=["disk", "memory"])
async def test_changes_after_a_restore_survive_a_stop_and_snapshots_do_not(
    make: type[FileStorage] | None, tmp_path: Path
) -> None:
    storage: Storage = make(tmp_path) if make else MemoryStorage()

    async with running(storage, tidemark_test_api="true") as whole:
        client = await whole.client()
        await client.make_topic("orders")
        snapshot = await whole.node.snapshots.create()
        await client.make_topic("gone")
        await whole.node.snapshots.restore(snapshot)
        client = await whole.client()
        await client.make_topic("stays")
        await produce(client, "orders", b"a")
    assert not storage.exists("tidemark.snapshots")
    storage.make_directory("tidemark.snapshots/of-a-run-that-was-killed")
    async with running(storage, tidemark_test_api="true") as whole:
        client = await whole.client()
        assert await topics_of(client) == ["orders", "stays"]
        assert await end_of(client, "orders") == 1
        assert not storage.exists("tidemark.snapshots")
        with pytest.raises(UnknownSnapshot):
            await whole.node.snapshots.restore(snapshot)


class Full(MemoryStorage):
    """A disk that has no room for further copies once it is full. A broken one cannot rename either."""

    full = broken = False

    def copy(
        self, old: str, new: str, *, link: bool = False, size: int | None = None, sync: bool = True
    ) -> None:
        super().copy(old, new, link=link, size=size, sync=sync)
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device", new)

    def rename(self, old: str, new: str, *, sync: bool = True) -> None:
        if self.broken:
            raise OSError(errno.EIO, "Input/output error", new)
        super().rename(old, new, sync=sync)


@pytest.mark.parametrize("what", ["taken", "restored"])
async def test_a_snapshot_without_room_on_disk_changes_nothing(what: str) -> None:
    storage = Full()
    async with running(storage, tidemark_test_api="true") as whole:
        client = await whole.client()
        snapshot = await whole.node.snapshots.create()
        await client.make_topic("orders")
        storage.full = True
        before = sorted(storage.list("tidemark.snapshots"))
        with pytest.raises(OSError, match="No space left"):
            await (
                whole.node.snapshots.create() if what == "taken" else whole.node.snapshots.restore(snapshot)
            )
        assert storage.list("tidemark.snapshots") == before
        assert not storage.exists("tidemark.restore.building")
        assert not whole.node.failed.done()
        assert await topics_of(client) == ["orders"]
        storage.full = False
        await whole.node.snapshots.restore(snapshot)
        assert await topics_of(await whole.client()) == []


class Slow(MemoryStorage):
    """A disk whose copies of growing files wait for the test."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_end = threading.Event(), threading.Event()

    def copy(
        self, old: str, new: str, *, link: bool = False, size: int | None = None, sync: bool = True
    ) -> None:
        if size is not None:
            self.begun.set()
            assert self.may_end.wait(10)
        super().copy(old, new, link=link, size=size, sync=sync)


async def test_clients_are_served_while_a_large_segment_is_copied() -> None:
    storage = Slow()
    async with running(storage, tidemark_test_api="true") as whole:
        client = await whole.client()
        await client.make_topic("orders")
        await client.find()
        assert await client.commit("g", 1) == 0
        creating = asyncio.ensure_future(whole.node.snapshots.create())
        assert await asyncio.to_thread(storage.begun.wait, 10)
        assert await client.commit("g", 2) == 0
        assert await client.make_topic("later") == 0
        assert not creating.done()
        storage.may_end.set()
        await whole.node.snapshots.restore(await creating)
        client = await whole.client()
        await client.find()
        assert await client.committed("g") == 1
        assert await topics_of(client) == ["orders"]


async def test_a_broker_whose_disk_fails_during_a_restore_stops() -> None:
    storage = Full()
    async with running(storage, tidemark_test_api="true") as whole:
        snapshot = await whole.node.snapshots.create()
        await whole.client()
        storage.broken = True
        with pytest.raises(OSError, match="Input/output error"):
            await whole.node.snapshots.restore(snapshot)
        assert "Input/output error" in whole.node.failed.result()


@pytest.mark.slow
async def test_a_restore_brings_back_a_held_broker(tmp_path: Path) -> None:
    unpacked(tmp_path)
    settings = {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "tidemark.http.listener": "",
        "tidemark.test.api": "true",
    }

    clock = LoopClock()
    opening = Opening(read_origins([tmp_path / "data"]))
    storage = FileStorage(tmp_path / "ours")
    lines = Lines()
    host = Host(clock, RandomIds(), storage)
    node = Node(Environment(Config(settings), lines, host, opening))
    await node.start()
    whole = Whole(node, clock, lines)
    try:
        found = {name: len(topic.partitions) for name, topic in whole.state.cluster.topics.items()}
        groups = set(whole.state.groups.groups)
        now_ms = whole.state.clock.wall_ms()
        await (await whole.client()).make_topic("without-a-record")
        as_found = await node.snapshots.create()
        async with node.lock:
            node.current.resume()
        await whole.time.advance(30 * DAY_MS, cleanup=True, sessions=False, logs=False)
        going_on = await node.snapshots.create()
        assert set(whole.state.groups.groups) < groups

        await node.snapshots.restore(as_found)
        assert node.current.held
        assert whole.state.clock.wall_ms() == now_ms
        assert set(whole.state.groups.groups) == groups
        assert {name: len(topic.partitions) for name, topic in whole.state.cluster.topics.items()} == {
            **found,
            "without-a-record": 1,
        }
        assert await produce(await whole.client(), "without-a-record", b"a") == (0, 0)

        await node.snapshots.restore(going_on)
        assert not node.current.held
        assert set(whole.state.groups.groups) < groups
    finally:
        for client in whole._clients:
            client.writer.close()
        await node.stop()
