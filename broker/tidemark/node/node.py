"""A node: the parts that live as long as the process, and the incarnation that runs on it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from tidemark.node import process
from tidemark.node.environment import Environment
from tidemark.node.incarnation import Incarnation, begin
from tidemark.node.listeners import Listeners
from tidemark.node.snapshots import Snapshots
from tidemark.node.state import open_as_found
from tidemark.settings.listeners import in_brackets

if TYPE_CHECKING:
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
    lock: must be held to move time or to replace the incarnation.
    """

    failed: asyncio.Future[str]

    def __init__(self, env: Environment, new_http: Callable[[Node], Http | None] | None = None) -> None:
        """Raises ConfigError for an invalid file of faults, and for certificates that cannot be used.

        Raises FewDescriptors.
        """
        self.env = env
        self.on_request: OnRequest | None = None
        if env.config.tidemark_test_api or env.config.tidemark_requests_slow_ms >= 0:
            from tidemark.node.on_request import OnRequest  # other brokers pay nothing for it

            self.on_request = OnRequest(self)
            self.env = self.on_request.env
        if env.owns_process:
            process.tune()
        self.lock = asyncio.Lock()
        self.listeners = Listeners(self.env)
        self.http = new_http(self) if new_http is not None else None
        self.snapshots = Snapshots(self)
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
            current = self.current
            await current.close()
        self.listeners.close_keys()
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
        self.listeners.close_keys()
        if self.http is not None:
            await self.http.stop()
        self.env.host.storage.close()

    async def replace(self, swap: Callable[[], None], *, held: bool) -> None:
        """Replace the incarnation by one that begins with the data directory as swap leaves it.

        swap runs in a thread. The ports stay open, connections do not. Clients that connect meanwhile wait to
        be accepted.
        """
        if self.on_request is not None:
            self.on_request.end()
        self.listeners.duplicate()
        try:
            await self.current.abandon()
            await self.env.host.workers.run(swap)
            self.env.host.storage.close()
            self._current = await begin(self.env, self.listeners, self.fail, held=held)
            if self.on_request is not None:
                self.on_request.begin()
            if self.env.owns_process:
                process.free_replaced()
            await self._current.listen(self.listeners)
        except BaseException as error:
            self.fail(error)
            self.listeners.close()
            raise
        self._current.run()

    def ready(self) -> dict[str, Any]:
        """Return the addresses and the directory of the node, for the line that reports its start."""
        first = self.listeners.endpoints()[0]
        current, opening = self.current, self.env.opening
        facts: dict[str, Any] = {
            "bootstrap_servers": f"{in_brackets(first.host)}:{first.port}",
            "http": None if self.http is None else self.http.address,
            "pid": os.getpid(),
            "cluster_id": current.state.directory.cluster_id,
            "data_dir": str(self.env.config.data_dir.absolute()),
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
