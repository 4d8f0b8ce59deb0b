"""States of the broker to go back to, topics, data, groups, producers and time: the HTTP port `Snapshots`.

They are good while this process runs; a stop and a start remove them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count

from tidemark.log import copies, restore
from tidemark.log.manager import LogManager
from tidemark.log.storage import Storage


class UnknownSnapshot(Exception):
    """There is no snapshot with this id."""


class StoredSnapshots:
    """one_at_a_time: held by whatever moves time or replaces the state. durable() returns once no request
    is half done, and all that was decided is durable. rebuild(swap, held) begins anew with what swap, which
    blocks, makes of the data directory. sync: a restored snapshot has to survive a power cut, too.
    """

    def __init__(
        self,
        storage: Storage,
        one_at_a_time: asyncio.Lock,
        *,
        logs: Callable[[], LogManager],
        compacting: Callable[[], asyncio.Lock],
        held: Callable[[], bool],
        durable: Callable[[], Awaitable[None]],
        rebuild: Callable[[Callable[[], None], bool], Awaitable[None]],
        sync: bool,
    ) -> None:
        self._storage = storage
        self._one_at_a_time = one_at_a_time
        self._logs = logs
        self._compacting = compacting
        self._held = held
        self._durable = durable
        self._rebuild = rebuild
        self._sync = sync
        self._numbers = count(1)
        self._known: dict[str, bool] = {}  # was it held

    async def create(self) -> str:
        async with self._one_at_a_time, self._compacting():
            await self._durable()
            snapshot_id = str(next(self._numbers))
            copies.take(self._storage, self._logs(), snapshot_id)
            self._known[snapshot_id] = self._held()
            return snapshot_id

    async def restore(self, snapshot_id: str) -> None:
        async with self._one_at_a_time:
            self._check(snapshot_id)
            await asyncio.to_thread(restore.build, self._storage, snapshot_id, sync=self._sync)
            swap = partial(restore.swap, self._storage, sync=self._sync)
            await self._rebuild(swap, self._known[snapshot_id])

    async def delete(self, snapshot_id: str) -> None:
        async with self._one_at_a_time:
            self._check(snapshot_id)
            del self._known[snapshot_id]
            await asyncio.to_thread(copies.remove, self._storage, snapshot_id)

    def forget(self) -> None:
        """Remove the snapshots of this run, and what a run that was killed has left."""
        self._known.clear()
        restore.discard(self._storage)
        copies.remove_all(self._storage)

    def _check(self, snapshot_id: str) -> None:
        if snapshot_id not in self._known:
            raise UnknownSnapshot(f"there is no snapshot {snapshot_id}")
