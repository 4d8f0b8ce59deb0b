"""Snapshots of the whole broker: topics, data, groups, producers and time. A test can restore them.

They do not outlive the process: a stop deletes them, and so does a start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Protocol

from tidemark.log import copies, restore
from tidemark.log.manager import LogManager
from tidemark.log.storage import Storage


class UnknownSnapshot(Exception):
    """There is no snapshot with this id."""


class Restorable(Protocol):
    """The node whose state is copied and restored.

    lock        must be held to move time or to replace the state
    compacting  held while segments are replaced
    held        True while no timer or task runs (--from)
    """

    lock: asyncio.Lock

    @property
    def logs(self) -> LogManager: ...

    @property
    def compacting(self) -> asyncio.Lock: ...

    @property
    def held(self) -> bool: ...

    async def whole_and_durable(self) -> None:
        """Return at a moment at which no request is half done, and everything that was decided is durable."""

    async def replace(self, swap: Callable[[], None], *, held: bool) -> None:
        """Begin anew with the data directory as swap leaves it. swap blocks: call it in a thread."""


class StoredSnapshots:
    """The snapshots of this run. sync: a restored snapshot must survive a power cut."""

    def __init__(self, storage: Storage, node: Restorable, *, sync: bool) -> None:
        self._storage = storage
        self._node = node
        self._sync = sync
        self._numbers = count(1)
        self._held: dict[str, bool] = {}  # by the id of each snapshot: was the node held

    async def create(self) -> str:
        async with self._node.lock, self._node.compacting:
            await self._node.whole_and_durable()
            snapshot_id = str(next(self._numbers))
            held = self._node.held
            growing = copies.begin(self._storage, self._node.logs, snapshot_id)
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
