"""Counts, logs and keeps parts of decisions: effects and removed offsets.

Groups log their changes themselves (`Groups.logger`), and so do the passes over transactions.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import partial
from sys import getsizeof
from typing import Any, Final, Generic, TypeVar

from tidemark.clock import Clock
from tidemark.core.decision import (
    AuthenticationEnded,
    Cause,
    ClassicGroupRebalanced,
    ConsumerGroupRebalances,
    Record,
    Released,
    Removal,
    RespondLater,
    TopicsDeleted,
)
from tidemark.core.log_text import short
from tidemark.groups.state import Groups
from tidemark.late_dataclass import dataclass
from tidemark.metadata.state import Cluster
from tidemark.metrics.rates import LineLimit
from tidemark.metrics.registry import Metrics
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord
from tidemark_protocol.subscriptions import CONSUMER


def log_topics(cluster: Cluster, log: Any, records: tuple[Record, ...]) -> None:
    """Log the topics and partitions that these records create. Call it once they are replayed."""
    created = {record.value.topic_id: None for record in records if isinstance(record.value, TopicRecord)}
    for topic_id in created:
        topic = cluster.topics_by_id[topic_id]
        log.info("topic created", topic=topic.name, partitions=len(topic.partitions))
    grown = Counter(record.value.topic_id for record in records if isinstance(record.value, PartitionRecord))
    for topic_id, count in grown.items():
        if topic_id not in created:
            topic = cluster.topics_by_id[topic_id]
            log.info("partitions created", topic=topic.name, count=count, partitions=len(topic.partitions))


def log_rebalance(log: Any, effect: ConsumerGroupRebalances) -> None:
    log.info("rebalance started", group=short(effect.group_id), epoch=effect.epoch, reason=effect.reason)


def log_deleted_topics(log: Any, effect: TopicsDeleted) -> None:
    for name in effect.names:
        log.info("topic deleted", topic=name)


class Authentications:
    """release(released) responds to a parked request."""

    def __init__(
        self, clock: Clock, metrics: Metrics, logger: Any, release: Callable[[Released], None]
    ) -> None:
        self._clock = clock
        self._metrics = metrics
        self._logger = logger
        self._release = release
        self._lines = LineLimit()

    def count(self, ended: AuthenticationEnded) -> None:
        result = "success" if ended.failure is None else "failure"
        self._metrics.authentications[ended.listener, ended.mechanism, result] += 1
        if ended.failure is None:
            return
        more = self._lines.take(self._clock.host_ms())
        if more is None:
            return
        self._logger.warning(
            "authentication failed",
            ip=ended.client_host.removeprefix("/"),
            listener=ended.listener,
            mechanism=ended.mechanism,
            reason=ended.failure,
            **more,
        )

    def respond_later(self, effect: RespondLater) -> None:
        """Respond after the delay. The connection reads nothing more meanwhile, and is closed then."""
        released = Released(effect.pending, effect.response)
        self._clock.call_at(self._clock.steady_ms() + effect.delay_ms, partial(self._release, released))


K = TypeVar("K")


class Recent(Generic[K]):
    """The newest items, as many as count and memory allow, oldest first. `count`: of all since the start."""

    def __init__(self, kept_max: int, bytes_max: int, bytes_of: Callable[[K], int]) -> None:
        self._kept: deque[K] = deque()
        self._kept_max = kept_max
        self._bytes_max = bytes_max
        self._bytes_of = bytes_of
        self._bytes = 0
        self.count = 0

    def __iter__(self) -> Iterator[K]:
        return iter(self._kept)

    def keep(self, item: K) -> None:
        self.count += 1
        self._kept.append(item)
        self._bytes += self._bytes_of(item)
        while len(self._kept) > self._kept_max or self._bytes > self._bytes_max:
            self._bytes -= self._bytes_of(self._kept.popleft())

    @property
    def forgotten(self) -> int:
        """The number of items before those that are kept."""
        return self.count - len(self._kept)

    def since(self, count: int) -> list[K]:
        """Return the items after the first `count`, as far as they are kept."""
        return list(self._kept)[max(count - self.forgotten, 0) :]


# Ten thousand removals with usual names need a fifth of it. The id of a group may have 32 KB, and the
# metadata of an offset 4 KB, which one emoji makes four times as large.
REMOVALS_BYTES_MAX: Final = 32_000_000
REMOVAL_BYTES: Final = 500  # without its texts


class Removals(Recent[Removal]):
    """The last removed committed offsets, which are counted and logged, so that `/v1` can explain them."""

    def __init__(self, metrics: Metrics, log: Any, kept_max: int) -> None:
        super().__init__(kept_max, REMOVALS_BYTES_MAX, _bytes_of_removal)
        self._metrics = metrics
        self._log = log

    def add(self, removed: tuple[Removal, ...]) -> None:
        metrics = self._metrics
        for removal in removed:
            self.keep(removal)
            metrics.offsets_removed[removal.cause] += 1
            if removal.cause is Cause.EXPIRED and removal.rule is not None:
                metrics.offset_expirations[removal.rule] += 1
            self._log.info(
                "offset removed", group=short(removal.group), topic=removal.topic,
                partition=removal.partition, offset=removal.offset, cause=removal.cause, rule=removal.rule,
                since_ms=removal.since_ms, due_ms=removal.due_ms,
            )  # fmt: skip


def _bytes_of_removal(removal: Removal) -> int:
    return REMOVAL_BYTES + getsizeof(removal.group) + getsizeof(removal.topic) + getsizeof(removal.metadata)


REBALANCES_MAX: Final = 1_000
# The id of a group and the reason of a client may have 32 KB, which one emoji makes four times as large.
REBALANCES_BYTES_MAX: Final = 8_000_000
REBALANCE_BYTES: Final = 200  # without its texts
CLASSIC: Final = "classic"


@dataclass(slots=True, frozen=True)
class Rebalance:
    """A rebalance of one group.

    number   counts all rebalances since the start, from 1
    at_ms    wall time at which the generation began (classic), or the epoch rose (consumer)
    type     "classic" or "consumer"
    epoch    the new generation, or the new group epoch
    members  the number of members at that time
    """

    number: int
    at_ms: int
    group: str
    type: str
    epoch: int
    members: int
    reason: str


class Rebalances(Recent[Rebalance]):
    """The last rebalances of groups, so that `/v1/rebalances` can list them."""

    def __init__(self, groups: Groups, wall_ms: Callable[[], int]) -> None:
        super().__init__(REBALANCES_MAX, REBALANCES_BYTES_MAX, _bytes_of_rebalance)
        self._groups = groups
        self._wall_ms = wall_ms

    def newest_first(self) -> list[Rebalance]:
        return list(reversed(self._kept))

    def add(self, effect: ClassicGroupRebalanced | ConsumerGroupRebalances) -> None:
        if isinstance(effect, ClassicGroupRebalanced):
            type_name, epoch, members = CLASSIC, effect.generation, effect.members
        else:
            group = self._groups.groups.get(effect.group_id)
            type_name = CONSUMER if group is None else group.type_name
            epoch, members = effect.epoch, 0 if group is None else len(group.member_ids)
        number, at_ms = self.count + 1, self._wall_ms()
        self.keep(Rebalance(number, at_ms, effect.group_id, type_name, epoch, members, effect.reason))


def _bytes_of_rebalance(rebalance: Rebalance) -> int:
    return REBALANCE_BYTES + getsizeof(rebalance.group) + getsizeof(rebalance.reason)
