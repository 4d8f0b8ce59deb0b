"""What a decision has to do elsewhere once it is durable: groups forget the offsets of deleted topics, and
their logs are deleted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from tidemark.core.context import Now
from tidemark.core.result import Effect, OffsetsTopicCreated, Result, TopicsDeleted
from tidemark.groups.forgetting import Forgotten, forget_dead, forget_topics
from tidemark.groups.state import Groups
from tidemark.metadata.state import Cluster
from tidemark.runtime.journal import Journal

FORGOTTEN_PER_TURN: Final = 256  # groups that are looked at, and offsets that go: 10 us each


class Effects:
    """accept(result) writes down what was decided about groups. delete_logs(names, topic_ids) is called
    once the deletion of these topics is durable.

    Their offsets are forgotten no earlier. Otherwise a power cut might take the deletion, which is in another
    log, and leave the topic without its offsets.
    """

    def __init__(
        self,
        groups: Groups,
        journal: Journal,
        *,
        accept: Callable[[Result[None]], None],
        now: Callable[[], Now],
        delete_logs: Callable[[tuple[str, ...], tuple[bytes, ...]], None],
    ) -> None:
        self._groups = groups
        self._journal = journal
        self._accept = accept
        self._now = now
        self._delete_logs = delete_logs
        self._forgetting: deque[Iterator[Forgotten]] = deque()
        self._when_durable: deque[tuple[int, Callable[[], None]]] = deque()
        self._is_stopping = False

    def carry_out(self, effect: Effect) -> None:
        if isinstance(effect, TopicsDeleted):
            self._when_durable.append((self._journal.appended, partial(self._finish_deletion, effect)))
        elif isinstance(effect, OffsetsTopicCreated):
            self._groups.serve(effect.partitions)
            for partition in range(effect.partitions):
                self._groups.loaded(partition, self._now())

    def forget_dead(self, cluster: Cluster) -> None:
        """At start-up, at once: what a crash left behind of topics that were deleted."""
        self._forgetting.append(forget_dead(self._groups, cluster, self._now().wall_ms))
        while self._forgetting:
            self._forget_some()

    def durable(self) -> None:
        """The journal's durable count has risen."""
        while self._when_durable and self._when_durable[0][0] <= self._journal.durable:
            self._when_durable.popleft()[1]()

    def stop(self) -> None:
        """Forget nothing more: the next start forgets the rest."""
        self._is_stopping = True
        self._forgetting.clear()

    def _finish_deletion(self, deleted: TopicsDeleted) -> None:
        self._delete_logs(deleted.names, deleted.topic_ids)
        if self._is_stopping:
            return
        now = self._now()
        self._forgetting.append(forget_topics(self._groups, deleted.names, deleted.topic_ids, now.wall_ms))
        if len(self._forgetting) == 1:
            self._forget_on()

    def _forget_on(self) -> None:
        """Some of them now, the rest in later turns."""
        if self._forgetting:  # else the broker is stopping
            self._forget_some()
        if self._forgetting:
            asyncio.get_running_loop().call_soon(self._forget_on)

    def _forget_some(self) -> None:
        left = FORGOTTEN_PER_TURN
        for results in self._forgetting[0]:
            for result in results:
                self._accept(result)
            left -= 1 + len(results)
            if left <= 0:
                return
        self._forgetting.popleft()
