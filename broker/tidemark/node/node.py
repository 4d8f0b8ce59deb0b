"""A node: the parts that live as long as the process, the incarnation that runs on it, and its snapshots."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tidemark.clock import MovableClock, Moves
from tidemark.log import copies, restore
from tidemark.log.storage import LOCK, Storage
from tidemark.node.brokers import Brokers
from tidemark.node.environment import Environment, free_replaced, tune
from tidemark.node.incarnation import Incarnation, begin, save_moves
from tidemark.node.listeners import Listeners
from tidemark.node.recent_warnings import RecentWarnings
from tidemark.platform import LOCKS
from tidemark.settings.listeners import in_brackets

if TYPE_CHECKING:
    from tidemark.log.takeover import Opening
    from tidemark.node.on_request import OnRequest


class Http(Protocol):
    """The HTTP port of a node, which `tidemark_http` serves."""

    @property
    def address(self) -> str:
        """host:port"""

    def bind(self) -> None: ...

    def start(self) -> None: ...

    async def stop(self) -> None: ...


class Node:
    """One broker. Call start, then stop.

    new_http: returns the HTTP port of this node, None if the settings want none. See `tidemark_http.server`.
    failed (after start): done, with the reason, once an error stops the node.
    warnings: the logger of the node, which keeps the last warnings.
    lock: must be held to move time or to replace the incarnation.
    """

    failed: asyncio.Future[str]
    started_ms: int  # of the host's steady time

    def __init__(self, env: Environment, new_http: Callable[[Node], Http | None] | None = None) -> None:
        """Raises ConfigError for an invalid file of faults, and for certificates that cannot be used.

        Raises FewDescriptors.
        """
        self.warnings = RecentWarnings(env.logger, env.host.clock.wall_ms)
        self.env = env = replace(env, logger=self.warnings)
        self.on_request: OnRequest | None = None
        if env.config.tidemark_test_api or env.config.tidemark_requests_slow_ms >= 0:
            from tidemark.node.on_request import OnRequest  # other brokers pay nothing for it

            self.on_request = OnRequest(self)
            self.env = self.on_request.env
        if env.owns_process:
            tune()
        self.lock = asyncio.Lock()
        self.listeners = Listeners(self.env)
        self.http = new_http(self) if new_http is not None else None
        self.snapshots = Snapshots(self)
        self.brokers = Brokers(self)
        self._current: Incarnation | None = None

    @property
    def current(self) -> Incarnation:
        """The incarnation that runs now. A restore replaces it."""
        assert self._current is not None, "not started"
        return self._current

    async def start(self) -> None:
        """Read the data directory, then listen. Raises errors that explain why the node cannot start."""
        env, opening = self.env, self.env.opening
        self.failed = asyncio.get_running_loop().create_future()
        self.started_ms = env.host.clock.host_ms()
        try:
            # All ports are bound before the directory is touched, so that a port in use is reported first.
            self.listeners.bind()
            if self.http is not None:
                self.http.bind()
            for keys in self.listeners.keys:
                await env.host.workers.run(keys.load)  # in a thread: a server may be slow
            if opening is not None:
                # In a thread: copying a large disk takes long, and a signal must be able to interrupt it.
                new_id, now_ms = env.host.ids.topic_id(), env.host.clock.wall_ms()
                await env.host.workers.run(open_as_found, env.host.storage, opening, new_id, now_ms)
            held = opening is not None and opening.held
            adopt = opening is not None and not all(origin.ours for origin in opening.origins)
            self._current = await begin(env, self.listeners, self.fail, held=held, adopt=adopt)
            if not LOCKS:
                env.logger.warning("directory not locked", data_dir=str(env.config.data_dir))
            if self.on_request is not None:
                self.on_request.begin()
            await self._current.listen(self.listeners)
        except BaseException:
            await self._give_up()
            raise
        self.snapshots.forget()
        if self.http is not None:
            self.http.start()
        self._current.run()

    async def _give_up(self) -> None:
        """Stop everything after a failed start, and release the directory for the next start."""
        if self._current is not None:
            await self._current.engine.group_commit.close()
        self.listeners.close()
        if self.http is not None:
            await self.http.stop()
        self.env.host.storage.close()

    def unready(self) -> str | None:
        """Return why the node is not ready; None if it is."""
        return self.failed.result() if self.failed.done() else None

    def watches(self) -> dict[str, Any] | None:
        """Return how far another cluster is watched (`tidemark watch`); None: this is a broker."""
        return None

    def fail(self, error: BaseException) -> None:
        """Accept nothing more because a write or sync failed. Only a restart recovers."""
        if self.failed.done():
            return
        self.failed.set_result(str(error))
        if self._current is not None:  # otherwise the start raises the error
            self.env.logger.critical("cannot write, the broker stops", reason=str(error))
            self._current.server.drain()

    async def stop(self) -> None:
        """Stop cleanly. When this returns, everything that was acknowledged is on disk."""
        async with self.lock:
            if self.on_request is not None:
                self.on_request.end()
            await self.listeners.pause()
            current = self.current
            await current.close()
        self.listeners.end()
        if self.http is not None:
            await self.http.stop()
        self.snapshots.forget()
        if not self.failed.done():
            try:
                current.leave_in_order()
            except OSError as error:
                self.fail(error)
        self.env.host.storage.close()

    async def abandon(self) -> None:
        """Stop as a kill would: nothing is finished, and records that wait to be written are lost."""
        async with self.lock:
            await self.current.abandon()
        self.listeners.end()
        if self.http is not None:
            await self.http.stop()
        self.env.host.storage.close()

    async def replace(self, swap: Callable[[], None], *, held: bool, racks: Container[int]) -> None:
        """Replace the incarnation by one that begins with the data directory as swap leaves it.

        racks: the brokers that it has, all of which are bound. swap runs in a thread. The ports stay open,
        connections do not. Clients that connect meanwhile wait to be accepted.
        """
        if self.on_request is not None:
            self.on_request.end()
        await self.listeners.pause()
        self.listeners.duplicate()
        try:
            await self.current.abandon()
            for node_id in [*self.listeners.racks]:
                if node_id not in racks:
                    self.listeners.remove(node_id)
            await self.env.host.workers.run(swap)
            self.env.host.storage.close()
            self._current = await begin(self.env, self.listeners, self.fail, held=held, restored=True)
            cluster = self._current.state.cluster
            for node_id in cluster.node_ids:
                if node_id not in cluster.living:
                    self.listeners.refuse(node_id)
            if self.on_request is not None:
                self.on_request.begin()
            if self.env.owns_process:
                free_replaced()
            await self._current.listen(self.listeners)
        except BaseException as error:
            self.fail(error)
            self.listeners.close()
            raise
        self._current.run()

    def ready(self) -> dict[str, Any]:
        """Return the addresses and the directory of the node, for the line that reports its start."""
        first = [of_node[0] for of_node in self.listeners.endpoints().values()]
        current, opening = self.current, self.env.opening
        facts: dict[str, Any] = {
            "bootstrap_servers": ",".join(f"{in_brackets(each.host)}:{each.port}" for each in first),
            "http": None if self.http is None else self.http.address,
            "pid": os.getpid(),
            "cluster_id": current.state.directory.cluster_id,
            "data_dir": str(self.env.config.data_dir.absolute()),
            "event_loop": type(asyncio.get_running_loop()).__module__.partition(".")[0],
        }
        if opening is not None:  # the user of another broker's directory needs these
            facts |= {
                "from": [str(origin.path.absolute()) for origin in opening.origins],
                "held": current.held,
                "at_ms": current.state.clock.wall_ms(),
                "retention_minutes": self.env.config.offsets_retention_minutes,
                "assumed_retention": self.env.assumes_retention,
            }
        return facts


def open_as_found(storage: Storage, opening: Opening, new_directory_id: bytes, host_ms: int) -> None:
    """Copy another broker's directories into the storage's directory, and store the time at which it stopped.

    If it is killed, the directory is incomplete: no start opens it, and calling this again fills it anew.
    Raises DirectoryRefused and DirectoryLocked; then nothing is left behind.
    """
    from tidemark.log.takeover import check_target, take_over

    path = storage.real_path("")
    assert path is not None, "only a directory on a disk can be filled from another"
    root = Path(path)
    made = not root.exists()
    check_target(opening.origins, root)
    storage.lock()
    try:
        restore.discard(storage)
        newest_ms = take_over(opening.origins, root / restore.BUILDING, new_directory_id, host_ms)
        at_ms = opening.at_ms
        if at_ms is None and opening.held:
            at_ms = host_ms if newest_ms is None else newest_ms
        if at_ms is not None:  # otherwise the host's time
            away_ms = at_ms - host_ms
            moves = Moves(wall_ms=away_ms, logs_ms=away_ms, frozen_at_ms=at_ms if opening.held else None)
            save_moves(storage, moves, directory=restore.BUILDING)
    except BaseException:
        restore.discard(storage)
        storage.remove(LOCK)
        if made:
            with suppress(OSError):
                root.rmdir()
        raise
    else:
        restore.swap(storage, sync=False)
    finally:
        storage.close()


class UnknownSnapshot(Exception):
    """There is no snapshot with this id."""


class SnapshotExists(Exception):
    """There is a snapshot already, and only a broker of tests may have several: each needs space."""


class Snapshots:
    """Snapshots of the whole broker: topics, data, groups, producers and time. A test can restore them.

    They do not outlive the process: a stop deletes them, and so does a start. An id that does not exist
    raises UnknownSnapshot.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._storage = node.env.host.storage
        self._sync = node.env.config.tidemark_sync != "never"  # a restored snapshot survives a power cut
        self._numbers = count(1)
        # By the id of each snapshot: was the node held, and the brokers with their racks.
        self._taken: dict[str, tuple[bool, dict[int, str | None]]] = {}
        # The snapshot that the broker still equals, and the mark of then.
        self._unchanged: tuple[str, object] | None = None

    async def create(self) -> str:
        """Take a snapshot and return its id. Raises SnapshotExists."""
        async with self._node.lock, self._node.current.engine.housekeeping.compacting:
            if self._taken and not self._node.env.config.tidemark_test_api:
                (other,) = self._taken
                raise SnapshotExists(
                    "without the test API, there can be one snapshot at a time: "
                    f"delete snapshot {other} first (DELETE /v1/snapshots/{other})"
                )
            current = self._node.current
            await current.engine.whole_and_durable()
            snapshot_id = str(next(self._numbers))
            taken = current.held, self._node.listeners.racks
            mark = self._mark()
            growing = copies.begin(self._storage, current.state.logs, snapshot_id)
            await asyncio.to_thread(copies.finish, self._storage, snapshot_id, growing)
            self._taken[snapshot_id] = taken
            self._unchanged = (snapshot_id, mark)
            return snapshot_id

    async def restore(self, snapshot_id: str) -> None:
        """Restore a snapshot. Does nothing if the broker has not changed since it was taken or restored.

        A test is then as fast as its own requests, although the state is restored before and after it.
        Raises BrokerRefused if a port of a broker that was removed since is in use.
        """
        async with self._node.lock:
            self._check(snapshot_id)
            mark = self._mark()
            if mark is not None and self._unchanged == (snapshot_id, mark):
                return
            self._unchanged = None
            held, racks = self._taken[snapshot_id]
            self._node.brokers.bind_again(racks)
            await asyncio.to_thread(restore.build, self._storage, snapshot_id, sync=self._sync)
            swap = partial(restore.swap, self._storage, sync=self._sync)
            await self._node.replace(swap, held=held, racks=racks)
            self._unchanged = (snapshot_id, self._mark())

    def changed(self) -> None:
        """Note that HTTP changes the broker: `restore` cannot notice all such changes by itself."""
        self._unchanged = None

    def _mark(self) -> object:
        """Return a value that changes with connections, scheduled tasks and moves of time.

        None if the state may change without them: a client is connected, or a fault or a deadline may end.
        """
        node, current = self._node, self._node.current
        engine, on_request = current.engine, node.on_request
        faults = () if on_request is None or on_request.faults is None else (*on_request.faults.active,)
        deadline = current.state.groups.deadlines.next()
        if current.server.is_connected or faults or deadline is not None or engine.transactions is not None:
            return None
        if node.failed.done():
            return None
        clock = current.state.clock
        moved = (replace(clock.moves), clock.steady_moved_ms) if isinstance(clock, MovableClock) else None
        seen = (current.server.attempts, engine.group_commit.appended, engine.housekeeping.passes)
        return current.server, seen, moved

    async def delete(self, snapshot_id: str) -> None:
        async with self._node.lock:
            self._check(snapshot_id)
            del self._taken[snapshot_id]
            await asyncio.to_thread(copies.remove, self._storage, snapshot_id)

    def forget(self) -> None:
        """Delete the snapshots of this run, and those of a run that was killed."""
        self._taken.clear()
        restore.discard(self._storage)
        copies.remove_all(self._storage)

    def _check(self, snapshot_id: str) -> None:
        if snapshot_id not in self._taken:
            raise UnknownSnapshot(f"there is no snapshot {snapshot_id}")
