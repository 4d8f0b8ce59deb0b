"""The faults and the journal of requests of a node. Imported only if a setting needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from tidemark.config import Config
from tidemark.control.faults import FaultControl, NodeParts
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
from tidemark.server.request_journal import ELEMENTS_MAX, JournalInterceptor, Journals, Watch


class OnRequest:
    """Faults and journal of one node. current(): the incarnation that runs now, once there is one."""

    def __init__(self, env: Environment, current: Callable[[], Incarnation]) -> None:
        config = env.config
        self._current = current
        self._defaults = _faults_of(config)
        self.faults: FaultControl | None = None
        if config.tidemark_test_api:
            surroundings = Surroundings(self._steady_ms, self._name_of, self._id_of, self._fetched)
            parts = NodeParts(env.interceptors, lambda: current().state.clock, surroundings)
            self.faults = FaultControl(parts, self._defaults)
        self.journals: Journals | None = None
        if config.tidemark_test_api and config.tidemark_requests_max > 0:
            self.journals = Journals(config.tidemark_requests_max, config.tidemark_requests_max_bytes)
        if self.journals is not None or config.tidemark_requests_slow_ms >= 0:
            watch = Watch(
                self._wall_ms,
                groups_of,
                transactional_ids_of,
                self._topics_of,
                config.tidemark_requests_slow_ms,
            )
            env.interceptors.add(JournalInterceptor(self.journals, watch, env.host.clock, env.logger))

    def begin(self) -> None:
        """Set the faults of the file, and forget everything else. Call it for each new incarnation."""
        if self.journals is not None:
            self.journals.clear()
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

    def _wall_ms(self) -> int:
        return self._current().state.clock.wall_ms()

    def _name_of(self, topic_id: bytes) -> str | None:
        topic = self._current().state.cluster.topics_by_id.get(topic_id)
        return None if topic is None else topic.name

    def _id_of(self, name: str) -> bytes:
        topic = self._current().state.cluster.topic(name)
        return NO_TOPIC_ID if topic is None else topic.topic_id

    def _fetched(self, session_id: int) -> Iterable[TopicPartition]:
        for topic, partition in self._current().state.logs.fetch_sessions.partitions_in(session_id):
            name = topic if isinstance(topic, str) else self._name_of(topic)
            if name is not None:
                yield name, partition

    def _topics_of(self, request: object) -> list[TopicPartition]:
        """Return the partitions that a request names, or the topics if these are too many partitions."""
        session_id = getattr(request, "session_id", 0)
        fetched = self._fetched(session_id) if session_id else ()
        named = list(islice(chain(partitions_of(request, self._name_of), fetched), ELEMENTS_MAX + 1))
        if len(named) <= ELEMENTS_MAX:
            return list(dict.fromkeys(named))
        topics = dict.fromkeys(topics_of(request, self._name_of))
        if session_id:
            keys = self._current().state.logs.fetch_sessions.partitions_in(session_id)
            for topic in dict.fromkeys(topic for topic, _ in keys):
                name = topic if isinstance(topic, str) else self._name_of(topic)
                if name is not None:
                    topics[name] = None
        return [(name, None) for name in topics]


def on_request(env: Environment, current: Callable[[], Incarnation]) -> tuple[Environment, OnRequest | None]:
    """Return the environment with a disk that can fail, and faults and journal, as far as settings need them.

    Raises ConfigError for an invalid file of faults.
    """
    made = OnRequest(env, current)
    if made.faults is None:
        return env, made
    disk = DiskFaults(made.active_faults, made.steady_ms)
    return replace(env, host=replace(env.host, storage=FaultyStorage(env.host.storage, disk))), made


def _faults_of(config: Config) -> list[Fault]:
    name = config.tidemark_faults_file
    return [] if name is None else read_faults(Path(name))
