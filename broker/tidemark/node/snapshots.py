"""Snapshots of the whole broker: topics, data, groups, producers and time. A test can restore them.

They do not outlive the process: a stop deletes them, and so does a start.
"""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from tidemark.log import copies, restore

if TYPE_CHECKING:
    from tidemark.node.node import Node


class UnknownSnapshot(Exception):
    """There is no snapshot with this id."""


class Snapshots:
    """The snapshots of a node in this run. An id that does not exist raises UnknownSnapshot."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._storage = node.env.host.storage
        self._sync = node.env.config.tidemark_sync != "never"  # a restored snapshot survives a power cut
        self._numbers = count(1)
        self._held: dict[str, bool] = {}  # by the id of each snapshot: was the node held

    async def create(self) -> str:
        async with self._node.lock, self._node.current.engine.housekeeping.compacting:
            current = self._node.current
            await current.engine.whole_and_durable()
            snapshot_id = str(next(self._numbers))
            held = current.held
            growing = copies.begin(self._storage, current.state.logs, snapshot_id)
            await asyncio.to_thread(copies.finish, self._storage, snapshot_id, growing)
            self._held[snapshot_id] = held
            return snapshot_id

    async def restore(self, snapshot_id: str) -> None:
        async with self._node.lock:
            self._check(snapshot_id)
            await asyncio.to_thread(restore.build, self._storage, snapshot_id, sync=self._sync)
            swap = partial(restore.swap, self._storage, sync=self._sync)
            await self._node.replace(swap, held=self._held[snapshot_id])

    async def delete(self, snapshot_id: str) -> None:
        async with self._node.lock:
            self._check(snapshot_id)
            del self._held[snapshot_id]
            await asyncio.to_thread(copies.remove, self._storage, snapshot_id)

    def forget(self) -> None:
        """Delete the snapshots of this run, and those of a run that was killed."""
        self._held.clear()
        restore.discard(self._storage)
        copies.remove_all(self._storage)

    def _check(self, snapshot_id: str) -> None:
        if snapshot_id not in self._held:
            raise UnknownSnapshot(f"there is no snapshot {snapshot_id}")
