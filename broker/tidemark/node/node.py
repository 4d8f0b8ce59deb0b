"""A node: the parts that live as long as the process, and the incarnation that runs on it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidemark.control.snapshots import StoredSnapshots
from tidemark.core.decision import CloseConnection
from tidemark.log.manager import LogManager
from tidemark.metrics.registry import Metrics
from tidemark.node import limits, process
from tidemark.node.environment import Environment
from tidemark.node.incarnation import Incarnation, begin
from tidemark.node.listeners import Listeners
from tidemark.settings.listeners import in_brackets
from tidemark_http.server import HttpServer
from tidemark_http.site import Secure, Site

if TYPE_CHECKING:
    from tidemark.node.on_request import OnRequest
    from tidemark_http.ports import Ports


class Node:
    """One broker. Call start, then stop.

    failed (after start): done, with the reason, once an error stops the node.
    lock: must be held to move time or to replace the incarnation.
    """

    failed: asyncio.Future[str]

    def __init__(self, env: Environment) -> None:
        """Raises ConfigError for an invalid file of faults, and for certificates that cannot be used.

        Raises FewDescriptors.
        """
        self.on_request: OnRequest | None = None
        if env.config.tidemark_test_api or env.config.tidemark_requests_slow_ms >= 0:
            from tidemark.node.on_request import on_request  # other brokers pay nothing for it

            env, self.on_request = on_request(env, lambda: self.current)
        if env.owns_process:
            process.tune()
        self.env = env
        self.lock = asyncio.Lock()
        self.listeners = Listeners(env)
        self.http = self._http_server()
        self.snapshots = StoredSnapshots(env.host.storage, self, sync=env.config.tidemark_sync != "never")
        self._current: Incarnation | None = None

    def _http_server(self) -> HttpServer | None:
        config = self.env.config
        if config.http_address is None:
            return None
        site = Site(
            metrics=self._metrics,
            clock=self.env.host.clock,
            connections_max=limits.http_connections(config),
            why_not_ready=lambda: self.failed.result() if self.failed.done() else None,
            hosts=config.http_hosts,
            ports=self.ports,
            token=config.tidemark_http_token,
            metrics_public=config.tidemark_http_metrics_public,
        )
        new_token = None if config.tidemark_http_public else self.env.host.ids.secret
        return HttpServer(config.http_address, site, new_token, self._secure_http())

    def _secure_http(self) -> Secure | None:
        """Return what puts TLS between HTTP connections and their sockets. Raises ConfigError."""
        host, logger, settings = self.env.host, self.env.logger, self.env.config.http_tls
        if settings is None:
            return None
        from tidemark.server.certificates import Certificates
        from tidemark_http.tls import HttpOverTls

        certificates = Certificates(settings, host.clock.steady_ms, logger)

        def refused(reason: CloseConnection, ip: str) -> None:
            self._metrics().bad_input[reason.kind] += 1
            logger.warning("connection closed after invalid input", ip=ip, reason=str(reason))

        return lambda connection: HttpOverTls(connection, certificates, host.clock, refused)

    @property
    def current(self) -> Incarnation:
        """The incarnation that runs now. A restore replaces it."""
        assert self._current is not None, "not started"
        return self._current

    def _metrics(self) -> Metrics:
        return self.current.engine.metrics

    def ports(self) -> Ports:
        """Return the state that the HTTP API uses until the next restore."""
        from tidemark.node.ports import ports_of  # only the HTTP API needs it

        current = self.current
        return ports_of(
            current, self.snapshots, self.lock, lambda: self._current is current, self.fail, self.on_request
        )

    async def start(self) -> None:
        """Read the data directory, then listen. Raises errors that explain why the node cannot start."""
        env, opening = self.env, self.env.opening
        self.failed = asyncio.get_running_loop().create_future()
        try:
            self._bind()
            for keys in self.listeners.keys:
                await env.host.workers.run(keys.load)  # in a thread: a server may be slow
            if opening is not None:
                from tidemark.control.opening import open_as_found

                # In a thread: copying a large disk takes long, and a signal must be able to interrupt it.
                new_id, now_ms = env.host.ids.topic_id(), env.host.clock.wall_ms()
                await env.host.workers.run(open_as_found, env.host.storage, opening, new_id, now_ms)
            held = opening is not None and opening.held
            adopt = opening is not None and not all(origin.ours for origin in opening.origins)
            self._current = await begin(env, self.listeners, self.fail, held=held, adopt=adopt)
            self._set_faults()
            await self._current.listen(self.listeners)
        except BaseException:
            await self._give_up()
            raise
        self.snapshots.forget()
        if self.http is not None:
            self.http.start()
        self._current.run()

    def _set_faults(self) -> None:
        if self.on_request is not None:
            self.on_request.begin()

    def _bind(self) -> None:
        """Bind all ports before the directory is touched, so that a port in use is reported first."""
        self.listeners.bind()
        if self.http is not None:
            self.http.bind()
            if self.http.generated_token is not None:
                self.env.logger.warning("HTTP needs a token", generated=self.http.generated_token)

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

    # For snapshots.

    @property
    def logs(self) -> LogManager:
        return self.current.state.logs

    @property
    def compacting(self) -> asyncio.Lock:
        return self.current.engine.housekeeping.compacting

    @property
    def held(self) -> bool:
        return self.current.held

    async def whole_and_durable(self) -> None:
        """Return at a moment at which no request is half done, and everything that was decided is durable."""
        await self.current.engine.whole_and_durable()

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
            self._set_faults()
            if self.env.owns_process:
                process.free_replaced()
            await self._current.listen(self.listeners)
        except BaseException as error:
            self.fail(error)
            self.listeners.close()
            raise
        self._current.run()

    # Logged and printed once the node is ready.

    def ready(self) -> dict[str, Any]:
        """Return the addresses and the directory of the node, for the line that reports its start."""
        first = self.listeners.endpoints()[0]
        return {
            "bootstrap_servers": f"{in_brackets(first.host)}:{first.port}",
            "http": None if self.http is None else self.http.address,
            "pid": os.getpid(),
            "cluster_id": self.current.state.directory.cluster_id,
            "data_dir": str(self.env.config.data_dir.absolute()),
        } | self._opened()

    def _opened(self) -> dict[str, Any]:
        """Return the facts that the user of another broker's directory needs."""
        if self.env.opening is None:
            return {}
        return {
            "from": [str(origin.path.absolute()) for origin in self.env.opening.origins],
            "held": self.current.held,
            "at_ms": self.current.state.clock.wall_ms(),
            "retention_minutes": self.env.config.offsets_retention_minutes,
            "assumed_retention": self.env.assumes_retention,
        }
