"""The simulated node: a disk, and one process of the broker after the other.

A Process is one run of the real Node on a simulated loop. Nothing of the broker is patched: its clock, disk,
network and workers are given to it. A process ends by a kill (written bytes survive), a power cut (unsynced
bytes may be lost), within any operation on the disk, by a disk that fails, or by a clean stop.
"""

from __future__ import annotations

import asyncio
import traceback
import uuid
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.faults.simulation.loop import Loop, SimulatedWorkers
from tests.faults.simulation.network import FIRST_PORT, HOST, Connection, SimulatedNetwork, SimulatedPort
from tidemark.config import Config
from tidemark.core.apply import LogUnavailable
from tidemark.core.decision import Marker
from tidemark.engine.group_commit import Encoded, GroupCommit, InternalLog, Producer, marker_batch
from tidemark.node.environment import Environment, Host
from tidemark.node.incarnation import State
from tidemark.node.node import Node as TidemarkNode
from tidemark.turns import TURN_MS
from tidemark_protocol.batch import headers, records
from tidemark_testing.clock import VirtualTimer
from tidemark_testing.storage import FaultyStorage, ProcessKilled

if TYPE_CHECKING:
    from random import Random

    from tests.faults.simulation.laws import Laws
    from tests.faults.simulation.network import End
    from tests.faults.simulation.world import World

STOP_MS_MAX: Final = 60_000
Where = tuple[str, int]
NO_PRODUCER: Final = -1


class Stored(NamedTuple):
    """A record of an internal log. producer_id: of the transaction that wrote it. is_marker: it ends one."""

    key: bytes | None
    value: bytes | None
    producer_id: int = NO_PRODUCER
    is_marker: bool = False


class _NoStalls:
    """Simulated loops have no stalls to watch for."""

    def start(self) -> None: ...
    def stop(self) -> None: ...


class RecordingGroupCommit(GroupCommit):
    """Keeps all records and markers in the history of its process: where, and the records of one decision."""

    def __init__(self, process: Process, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.history = process.history
        process.group_commit = self

    def add(self, log: InternalLog, key: bytes | None, value: bytes | None, now_ms: int) -> None:
        super().add(log, key, value, now_ms)
        self.history.append(((log.log.topic, log.log.partition), [Stored(key, value)]))

    def add_all(
        self, by_log: dict[InternalLog, list[Encoded]], now_ms: int, producer: Producer | None = None
    ) -> None:
        super().add_all(by_log, now_ms, producer)
        producer_id = NO_PRODUCER if producer is None else producer[0]
        for log, encoded in by_log.items():
            stored = [Stored(key, value, producer_id) for key, value in encoded]
            self.history.append(((log.log.topic, log.log.partition), stored))

    def end_transaction(self, log: InternalLog, marker: Marker, now_ms: int) -> None:
        super().end_transaction(log, marker, now_ms)
        batch = marker_batch(marker, now_ms)
        ((position, header),) = headers(batch)
        (record,) = records(batch, position, header)
        stored = Stored(bytes(record.key or b""), bytes(record.value or b""), marker.producer_id, True)
        self.history.append(((log.log.topic, log.log.partition), [stored]))


class SeededIds:
    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def secret(self) -> str:
        return self._rng.randbytes(16).hex()

    def uuid_text(self) -> str:
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    def topic_id(self) -> bytes:
        return uuid.UUID(int=self._rng.getrandbits(128) >> 1, version=4).bytes


class Process:
    """One run of the broker: also its Clock, and the collector of its log lines."""

    def __init__(self, node: Node, number: int) -> None:
        self.node = node
        self.world: World = node.world
        self.number = number
        self.alive = True
        self.started = False
        self.stopping = False
        self.lines: list[tuple[str, dict[str, Any]]] = []
        self.connections: list[Connection] = []
        self._rng = self.world.rng(f"process {number}")
        self._slow_disk_ms = self._rng.choice((1, 3, 20))
        self._slow_turn_ms = self._rng.choice((1, 1, 10))
        self._work_rng = self.world.rng(f"work of process {number}")
        self._turn_ends = self._work_rng.choice((0.0, 0.02, 0.3, 1.0))  # probability at each query
        self._worked_ms = 0
        self.ports: dict[int, SimulatedPort] = {}  # by broker, once it has listened
        self.loop = Loop(self)
        self.history: list[tuple[Where, list[Stored]]] = []
        self.group_commit: GroupCommit | None = None  # until the broker starts
        stalls: Any = _NoStalls()
        network, workers = SimulatedNetwork(self), SimulatedWorkers(self, self.loop)
        host = Host(self, SeededIds(self._rng), node.storage, network, workers)
        self.broker = TidemarkNode(
            Environment(
                node.config,
                self,
                host,
                new_group_commit=partial(RecordingGroupCommit, self),
                new_stall_watch=lambda clock, metrics: stalls,
            )
        )

    @property
    def state(self) -> State:
        return self.broker.current.state

    # the loop's

    def at(self, steady_ms: int, callback: Callable[[], None]) -> VirtualTimer:
        return self.world.clock.call_at(steady_ms, lambda: self.enter(callback))

    def after(self, delay_ms: int, callback: Callable[[], None]) -> VirtualTimer:
        return self.at(self.world.clock.steady_ms() + delay_ms, callback)

    def enter(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Run something of the process, which may die within it."""
        if not self.alive:
            return
        try:
            self.loop.enter(callback, *arguments)
            if self.started and not self.stopping:
                self.node.laws.groups_are_as_recorded(self.state.groups)
                if self.node.brokers > 1:
                    self.node.laws.follow_coordinators(self)
        except ProcessKilled:
            pass
        except Exception as error:  # noqa: BLE001 a loop would log it and go on
            self.unexpected("a callback failed", error)
        if self.node.storage.dead and self.alive:
            self.node.died()

    def job_delay_ms(self) -> int:
        delay_ms = self._rng.randrange(self._slow_disk_ms) if self._rng.random() < 0.7 else 0
        return delay_ms + self.node.disk_delay_ms

    def turn_delay_ms(self) -> int:
        return 0 if self._rng.random() < 0.9 else self._rng.randint(1, self._slow_turn_ms)

    def unexpected(self, message: str, error: BaseException | None) -> None:
        if self.alive and not isinstance(error, ProcessKilled):
            self.world.break_law("bug", f"{message}: {error!r}{_where(error)}")

    # Clock

    def wall_ms(self) -> int:
        return self.world.clock.wall_ms()

    def log_ms(self) -> int:
        return self.wall_ms()

    def steady_ms(self) -> int:
        return self.world.clock.steady_ms()

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> VirtualTimer:
        return self.at(steady_ms, callback)

    def after_reading(self, callback: Callable[[], None]) -> VirtualTimer:
        return self.after(self.turn_delay_ms(), callback)

    def host_ms(self) -> int:
        """Return the time of the host, which also passes during work.

        The seed decides after which query a whole turn has passed, and so where long work yields the loop.
        """
        if self._work_rng.random() < self._turn_ends:
            self._worked_ms += TURN_MS
        return self.steady_ms() + self._worked_ms

    async def sleep_until(self, host_ms: int) -> None:
        woken = self.loop.create_future()
        steady_ms = host_ms - self._worked_ms
        timer = self.call_at(steady_ms, lambda: None if woken.done() else woken.set_result(None))
        try:
            await woken
        finally:
            timer.cancel()

    # the log

    def wants(self, level: str) -> bool:
        return True

    def _say(self, event: str, **fields: Any) -> None:
        error = fields.get("exc_info")
        self.world.trace("broker", lambda: f"{event} {fields}")
        self.lines.append((event, fields))
        if event == "offset removed":
            place = (fields["group"], fields["topic"], fields["partition"])
            self.node.laws.removed(fields["cause"], fields["rule"], place, fields["offset"])
        if event == "group migrated" and fields["protocol"] == "classic":
            self.node.laws.downgraded[fields["group"]] = self.steady_ms()
        if event == "a request failed":
            self.unexpected(event, error)

    warning = error = critical = info = lifecycle = _say

    # the network

    @property
    def serving(self) -> bool:
        """Return if a broker accepts connections."""
        return self.alive and any(port.new_protocol is not None for port in self.ports.values())

    def listen(self, node_id: int, port: SimulatedPort) -> None:
        """Let a broker accept connections. The first one begins before any client connects."""
        is_first = not self.ports
        self.ports[node_id] = port
        if is_first:
            self.node.laws.started(self)

    def accept(self, connection: Connection) -> None:
        make = self.ports[connection.node_id].new_protocol
        assert make is not None
        self.connections.append(connection)
        connection.accept(make)

    def run(self, work: Coroutine[Any, Any, None], failed: str) -> None:
        """Run a coroutine of the process. It may end early if the disk fails or the process stops."""

        def done(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                if isinstance(error, OSError | ProcessKilled | LogUnavailable) or self.stopping:
                    return
                self.unexpected(failed, error)

        self.enter(lambda: self.loop.create_task(work).add_done_callback(done))

    # its end

    def end(self) -> None:
        self.alive = False
        self.node.storage.dead = True
        self.loop.drop()
        for connection in self.connections:
            connection.server_gone()
            if connection.open:
                connection.hung_up()


class Node:
    """A machine: a disk, and the process that runs on it, if any."""

    def __init__(self, world: World, laws: Laws, settings: dict[str, str]) -> None:
        self.world = world
        self.laws = laws
        self.config = Config(
            {
                "listeners": f"PLAINTEXT://{HOST}:{FIRST_PORT}",
                "advertised.listeners": f"PLAINTEXT://{HOST}:{FIRST_PORT}",
                "tidemark.http.listener": "",
                **settings,
            }
        )
        self.brokers = self.config.tidemark_brokers
        self.storage = FaultyStorage(world.seed)
        self.process: Process | None = None
        self.descriptors_back = 0  # the moment when the process last got descriptors again
        self.disk_delay_ms = 0  # more for each job of a worker
        # If the disk loses unsynced writes when the process is killed within an operation.
        self.power_cut = False
        self._rng = world.rng("node")
        self._connections = 0
        self._processes = 0

    @property
    def up(self) -> bool:
        """Return if the process serves and is not ending."""
        process = self.process
        return (
            process is not None
            and process.serving
            and not process.stopping
            and not process.broker.failed.done()
        )

    def start(self) -> None:
        if self.process is not None:
            return
        self._processes += 1
        self.storage.now_ms = self.world.clock.wall_ms()
        process = self.process = Process(self, self._processes)
        self.world.trace("node", "starts")
        process.enter(lambda: self._starting(process))

    def _starting(self, process: Process) -> None:
        task = process.loop.create_task(process.broker.start())
        task.add_done_callback(lambda done: self._started(process, done))

    def _started(self, process: Process, done: Any) -> None:
        if not process.alive:
            return
        error = done.exception()
        if isinstance(error, ProcessKilled):
            return
        if isinstance(error, OSError) and error.filename is None:
            self.world.trace("node", f"cannot start: {error}")
            self._exits(process)
        elif error is not None:
            self.world.break_law("start", f"the broker does not start: {error!r}{_where(error)}")
        else:
            self.world.trace("node", "serves")
            process.started = True
            process.broker.failed.add_done_callback(lambda _: self._failed(process))

    def _failed(self, process: Process) -> None:
        if not process.stopping and not self.storage.has_failed:
            self.world.break_law("stopped", "the broker has stopped although its disk is sound")
        self.stop("the disk failed")

    def stop(self, why: str) -> None:
        """Stop it like tidemark_tools/serve.py."""
        process = self.process
        if process is None or not process.started or process.stopping:
            return
        process.stopping = True
        self.world.trace("node", f"stops: {why}")

        def begin() -> None:
            task = process.loop.create_task(process.broker.stop())
            task.add_done_callback(lambda done: self._stopped(process, done))

        process.after(0, begin)
        process.after(STOP_MS_MAX, lambda: self._stops_too_long(process))

    def _stops_too_long(self, process: Process) -> None:
        """A stop that does not end is a violation. This is not called once the process has ended."""
        waiting = "; ".join(_awaited(task) for task in process.loop.tasks if not task.done())
        self.world.break_law("no end", f"the broker still stops after {STOP_MS_MAX} ms: {waiting}")

    def _stopped(self, process: Process, done: Any) -> None:
        if process.alive:
            error = done.exception()
            if error is not None and not isinstance(error, OSError | ProcessKilled):
                self.world.break_law("bug", f"the stop failed: {error!r}{_where(error)}")
            elif not isinstance(error, ProcessKilled):
                self._exits(process)

    def _exits(self, process: Process) -> None:
        failed = process.broker.failed.done()
        process.end()
        self.laws.died(process)
        self.process = None
        # Data in the page cache after a failed sync may never reach the disk.
        self._disk_after(power_cut=failed and self._rng.random() < 0.5)

    def kill(self, *, power_cut: bool) -> None:
        if self.process is not None:
            self.power_cut = power_cut
            self.died()

    def died(self) -> None:
        process = self.process
        assert process is not None
        self.world.trace("node", f"dies: {'power cut' if self.power_cut else 'kill -9'}")
        process.end()
        self.laws.died(process)
        self.process = None
        self._disk_after(power_cut=self.power_cut)

    def _disk_after(self, *, power_cut: bool) -> None:
        if power_cut:
            self.storage.crash()
        else:
            self.storage.kill()
        self.laws.disk_left(self.storage, power_cut=power_cut)
        self.world.after(self._rng.randrange(500), self.start)

    def any_broker(self, rng: Random) -> int:
        """Draw the id of a broker, which may be stopped."""
        return 1 if self.brokers == 1 else rng.randint(1, self.brokers)

    def connect(self, node_id: int, client: End) -> Connection | None:
        """Connect a client to a broker. Return None if it does not listen."""
        process = self.process
        port = process.ports.get(node_id) if process is not None and process.alive else None
        if process is None or port is None or port.new_protocol is None:
            return None
        self._connections += 1
        connection = Connection(self.world, process, node_id, self._connections, client)
        process.enter(process.accept, connection)
        return connection


def _awaited(task: asyncio.Task[Any]) -> str:
    """Return where a task waits, the outermost call first."""
    calls = []
    awaitable: Any = task.get_coro()
    while (frame := getattr(awaitable, "cr_frame", None)) is not None:
        calls.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
        awaitable = awaitable.cr_await
    return " > ".join(calls)


def _where(error: BaseException | None) -> str:
    """Return the innermost lines of our own code."""
    if error is None:
        return ""
    found = traceback.extract_tb(error.__traceback__)[-4:]
    return " at " + " < ".join(
        f"{each.filename.rsplit('/', 1)[-1]}:{each.lineno}" for each in reversed(found)
    )
