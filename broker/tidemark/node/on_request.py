"""The faults and the journal of requests of a node. Imported only if a setting needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from tidemark.config import Config
from tidemark.control.faults import FaultControl, NodeParts
from tidemark.core.decision import TopicsDeleted
from tidemark.faults.active import ActiveFault
from tidemark.faults.disk import DiskFaults, FaultyStorage
from tidemark.faults.file import read_faults
from tidemark.faults.interceptor import Surroundings
from tidemark.faults.matching import (
    NO_TOPIC_ID,
    TopicPartition,
    groups_of,
    partitions_of,
    topics_of,
    transactional_ids_of,
)
from tidemark.faults.model import Fault
from tidemark.node.environment import Environment
from tidemark.node.incarnation import Incarnation
from tidemark.server.request_journal import ELEMENTS_MAX, Journals, Names, RequestTap

DELETED_NAMES_MAX: Final = 10_000  # of topics, whose requests the journal may still hold


class OnRequest:
    """Faults and journal of one node. current(): the incarnation that runs now, once there is one."""

    def __init__(self, env: Environment, current: Callable[[], Incarnation]) -> None:
        config = env.config
        self._current = current
        self._defaults = _faults_of(config)
        self._deleted: dict[bytes, str] = {}  # topics by their ids, oldest first
        self.faults: FaultControl | None = None
        if config.tidemark_test_api:
            surroundings = Surroundings(self._steady_ms, self._name_of, self._id_of, self._fetched)
            parts = NodeParts(env.interceptors, lambda: current().state.clock, surroundings)
            self.faults = FaultControl(parts, self._defaults)
        self.journals: Journals | None = None
        if config.tidemark_test_api and config.tidemark_requests_max > 0:
            self.journals = Journals(
                config.tidemark_requests_max, config.tidemark_requests_max_bytes, self._names_of
            )
        self.tap: RequestTap | None = None
        if self.journals is not None or config.tidemark_requests_slow_ms >= 0:
            self.tap = RequestTap(
                self.journals,
                env.host.clock,
                env.logger,
                fetched=self._fetched_briefly,
                slow_ms=config.tidemark_requests_slow_ms,
            )

    def begin(self) -> None:
        """Set the faults of the file, and forget everything else. Call it for each new incarnation."""
        if self.tap is not None:
            self.tap.follow(self._current().state.clock)
        if self.journals is not None:
            self.journals.clear()
            self._current().engine.effects.register(TopicsDeleted, self._topics_deleted)
        if self.faults is not None:
            self.faults.reset()
            self._current().server.refuses_connection = self.faults.refuses_connection

    def end(self) -> None:
        """Remove all faults: what they hold back could not end otherwise."""
        if self.faults is not None:
            self.faults.clear()

    def active_faults(self) -> Iterable[ActiveFault]:
        return () if self.faults is None else self.faults.active

    def steady_ms(self) -> int:
        return self._steady_ms()

    # The current state of the node.

    def _steady_ms(self) -> int:
        return self._current().state.clock.steady_ms()

    def _name_of(self, topic_id: bytes) -> str | None:
        topic = self._current().state.cluster.topics_by_id.get(topic_id)
        return None if topic is None else topic.name

    def _id_of(self, name: str) -> bytes:
        topic = self._current().state.cluster.topic(name)
        return NO_TOPIC_ID if topic is None else topic.topic_id

    def _fetched(self, session_id: int) -> tuple[tuple[str | bytes, int], ...]:
        return self._current().state.logs.fetch_sessions.partitions_in(session_id)

    def _fetched_briefly(self, session_id: int) -> list[TopicPartition]:
        """Return the partitions of a fetch session, or its topics if these are too many partitions."""
        found: list[TopicPartition] = []
        for topic, partition in self._fetched(session_id):
            name = topic if isinstance(topic, str) else self._name_of(topic)
            if name is not None:
                found.append((name, partition))
        if len(found) <= ELEMENTS_MAX:
            return found
        return [(topic, None) for topic in dict.fromkeys(topic for topic, _ in found)]

    # The journal reads requests later: topics may have been deleted by then.

    def _names_of(self, request: object, fetched: list[TopicPartition]) -> Names:
        return groups_of(request), transactional_ids_of(request), self._topics_of(request, fetched)

    def _topics_of(self, request: object, fetched: list[TopicPartition]) -> list[TopicPartition]:
        """Return the partitions that a request names, or the topics if these are too many partitions."""
        name_of = self._name_of_any
        named = list(islice(chain(partitions_of(request, name_of), fetched), ELEMENTS_MAX + 1))
        if len(named) <= ELEMENTS_MAX:
            return list(dict.fromkeys(named))
        topics = dict.fromkeys(chain(topics_of(request, name_of), (topic for topic, _ in fetched)))
        return [(name, None) for name in topics]

    def _name_of_any(self, topic_id: bytes) -> str | None:
        return self._name_of(topic_id) or self._deleted.get(topic_id)

    def _topics_deleted(self, effect: TopicsDeleted) -> None:
        self._deleted.update(zip(effect.topic_ids, effect.names, strict=True))
        while len(self._deleted) > DELETED_NAMES_MAX:
            del self._deleted[next(iter(self._deleted))]


def on_request(env: Environment, current: Callable[[], Incarnation]) -> tuple[Environment, OnRequest | None]:
    """Return the environment with a disk that can fail, and faults and journal, as far as settings need them.

    Raises ConfigError for an invalid file of faults.
    """
    made = OnRequest(env, current)
    env = replace(env, tap=made.tap)
    if made.faults is None:
        return env, made
    disk = DiskFaults(made.active_faults, made.steady_ms)
    return replace(env, host=replace(env.host, storage=FaultyStorage(env.host.storage, disk))), made


def _faults_of(config: Config) -> list[Fault]:
    name = config.tidemark_faults_file
    return [] if name is None else read_faults(Path(name))
