"""An incarnation: everything that is created anew when the node restores a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

from tidemark.clock import turn
from tidemark.core.decision import NOTHING
from tidemark.late_dataclass import dataclass
from tidemark.log.errors import OutOfDescriptors
from tidemark.metadata.configs import ResourceConfigType
from tidemark.node.engine import Engine
from tidemark.node.environment import Environment
from tidemark.node.listeners import Listeners
from tidemark.node.load import load
from tidemark.node.process import loading
from tidemark.node.serving import new_server
from tidemark.node.state import State, open_state
from tidemark.server.listener import Server

SNAPSHOT_AT_STOP_BYTES: Final = 256 * 1024  # a clean stop shortens a metadata log longer than this
HANG_UP_TURNS: Final = 4  # turns of the loop after which waiters know that their connection is closed


@dataclass(slots=True, frozen=True)
class Incarnation:
    """State machines, logs and server. Nothing in it is replaced; a restore makes a new incarnation.

    Call listen, run, then either close and leave_in_order, or abandon.
    """

    env: Environment
    state: State
    engine: Engine
    server: Server

    async def listen(self, listeners: Listeners) -> None:
        node = str(self.env.config.node_id)
        listeners.follow(lambda: self.state.cluster.configs.overrides(ResourceConfigType.BROKER, node))
        self.engine.runtime.context.check_tls = listeners.check
        for address, bound in listeners:
            await self.server.listen(address, bound)

    def run(self) -> None:
        """Start timers and scheduled tasks, unless the incarnation is held."""
        if not self.held:
            self.engine.release()
        self.engine.stalls.start()
        if self.env.owns_process:
            self.engine.pauses.start()

    @property
    def held(self) -> bool:
        """True if it was opened as found, so that no timer or task runs until `resume`."""
        return self.engine.runtime.held

    def resume(self) -> None:
        """Start the timers and tasks that were held. Every member gets a full session timeout."""
        if self.held:
            now = self.engine.runtime.now()
            self.state.groups.start_sessions(now)
            self.engine.accept_groups(NOTHING)
            if self.engine.transactions is not None:
                self.engine.transactions.resume(now)
            self.engine.release()
            self.env.logger.lifecycle("resumed", now_ms=self.state.clock.wall_ms())

    async def close(self) -> None:
        """Accept nothing more, finish open requests, respond once they are durable, and close connections."""
        self.server.drain()
        await self.engine.finish()
        await self._halt()
        await self.engine.group_commit.close()
        self.engine.runtime.send_all()
        self.server.close()

    async def abandon(self) -> None:
        """Stop as a kill would. Records that wait to be written are lost."""
        await self._halt()
        await self.engine.group_commit.abandon()
        self.server.close()
        for _ in range(HANG_UP_TURNS):
            await turn()
        self.server.abort()
        self.state.logs.abandon()

    async def _halt(self) -> None:
        self.server.drain()
        await self.engine.halt()

    def leave_in_order(self) -> None:
        """Finish deletions, shorten the metadata log and close all logs, for a quick next start.

        Without a free descriptor, leave that to the next start, as after a kill.
        """
        try:
            self.engine.housekeeping.finish_deletions()
            between = self.env.config.metadata_log_max_record_bytes_between_snapshots
            snapshot = self.engine.snapshot(min(SNAPSHOT_AT_STOP_BYTES, between))
            if snapshot is not None:
                snapshot.write()
                snapshot.finish()
            self.state.logs.close()
        except OutOfDescriptors as error:
            self.state.logs.abandon()
            self.env.logger.warning("the next start recovers the logs", reason=str(error))


async def begin(
    env: Environment,
    listeners: Listeners,
    fail: Callable[[BaseException], None],
    *,
    held: bool,
    adopt: bool = False,
) -> Incarnation:
    """Load the data directory. Return an incarnation that is ready to listen.

    held and adopt: see `Engine` and `load`. Raises errors that explain why the node
    cannot start; nothing keeps running then.
    """
    with loading() if env.owns_process else nullcontext():
        state = open_state(env)
        engine = Engine(env, state, held=held, fail=fail)
        try:
            load(env, state, engine, listeners.endpoints(), adopt=adopt)
        except BaseException:
            await engine.group_commit.close()
            raise
    try:
        await engine.group_commit.drain()
        engine.quotas.follow()
        return Incarnation(env, state, engine, new_server(env, state, engine))
    except BaseException:
        await engine.group_commit.close()
        raise
