"""The faults and the journal of requests of a node. Imported only if a setting needs them."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidemark.core.decision import TopicsDeleted
from tidemark.faults.active import ActiveFault, ActiveFaults
from tidemark.faults.disk import DiskFaults, FaultyStorage
from tidemark.faults.errors import check
from tidemark.faults.file import read_faults
from tidemark.faults.interceptor import FaultInterceptor, NodeView, SlowDisk
from tidemark.faults.matching import (
    TopicPartition,
    groups_of,
    partitions_of,
    topics_of,
    transactional_ids_of,
)
from tidemark.faults.model import Fault
from tidemark.server.interceptors import Interceptor
from tidemark.server.request_journal import ELEMENTS_MAX, Journals, Names, RequestTap
from tidemark.server.router import Interceptors

if TYPE_CHECKING:
    from tidemark.node.node import Node

DELETED_NAMES_MAX: Final = 10_000  # of topics, whose requests the journal may still hold
NOT_REQUESTS: Final = ("disk", "refuse_connections")  # actions that are not applied by an interceptor


class OnRequest:
    """Faults and journal of one node.

    env: the node's environment, with a disk that can fail and what records requests, as far as settings need
        them
    """

    def __init__(self, node: Node) -> None:
        """Raises ConfigError for an invalid file of faults."""
        self.env = env = node.env
        config = env.config
        self._node = node
        self._view = NodeView()
        self._deleted: dict[bytes, str] = {}  # topics by their ids, oldest first
        file = config.tidemark_faults_file
        nodes = range(config.node_id, config.node_id + config.tidemark_brokers)
        defaults = [] if file is None else read_faults(Path(file), nodes)
        self.faults: FaultControl | None = None
        if config.tidemark_test_api:
            self.faults = faults = FaultControl(env.interceptors, self._view, defaults)
            disk = DiskFaults(lambda: faults.active, self._view.steady_ms)
            host = replace(env.host, storage=FaultyStorage(env.host.storage, disk))
            self.env = replace(self.env, host=host)
        self.journals: Journals | None = None
        if config.tidemark_test_api and config.tidemark_requests_max > 0:
            self.journals = Journals(
                config.tidemark_requests_max, config.tidemark_requests_max_bytes, self._names_of
            )
        self._tap: RequestTap | None = None
        if self.journals is not None or config.tidemark_requests_slow_ms >= 0:
            self._tap = RequestTap(
                self.journals,
                env.host.clock,
                env.logger,
                fetched=self._fetched_briefly,
                slow_ms=config.tidemark_requests_slow_ms,
            )
            self.env = replace(self.env, tap=self._tap)

    def begin(self) -> None:
        """Set the faults of the file, and forget everything else. Call it for each new incarnation."""
        current = self._node.current
        engine = current.engine
        self._view.follow(
            current.state.clock, current.state.cluster, current.state.logs, lambda: engine.shares
        )
        if self._tap is not None:
            self._tap.follow(current.state.clock)
        if self.journals is not None:
            self.journals.clear()
            current.engine.effects.register(TopicsDeleted, self._topics_deleted)
        if self.faults is not None:
            self.faults.reset()
            current.server.refuses_connection = self.faults.refuses_connection

    def end(self) -> None:
        """Remove all faults: what they hold back could not end otherwise."""
        if self.faults is not None:
            self.faults.clear()

    def _fetched_briefly(self, node_id: int, session_id: int) -> list[TopicPartition]:
        """Return the partitions of a fetch session, or its topics if these are too many partitions."""
        found: list[TopicPartition] = []
        for topic, partition in self._view.fetched(node_id, session_id):
            name = topic if isinstance(topic, str) else self._view.name_of(topic)
            if name is not None:
                found.append((name, partition))
        if len(found) <= ELEMENTS_MAX:
            return found
        return [(topic, None) for topic in dict.fromkeys(topic for topic, _ in found)]

    # The journal reads requests later: topics may have been deleted by then.

    def _names_of(self, request: object, fetched: list[TopicPartition]) -> Names:
        """Return groups, transactional ids and partitions that a request names.

        Too many partitions are returned as their topics.
        """

        def name_of(topic_id: bytes) -> str | None:
            return self._view.name_of(topic_id) or self._deleted.get(topic_id)

        named = list(islice(chain(partitions_of(request, name_of), fetched), ELEMENTS_MAX + 1))
        if len(named) > ELEMENTS_MAX:
            topics = chain(topics_of(request, name_of), (topic for topic, _ in fetched))
            named = [(name, None) for name in topics]
        return groups_of(request), transactional_ids_of(request), list(dict.fromkeys(named))

    def _topics_deleted(self, effect: TopicsDeleted) -> None:
        self._deleted.update(zip(effect.topic_ids, effect.names, strict=True))
        while len(self._deleted) > DELETED_NAMES_MAX:
            del self._deleted[next(iter(self._deleted))]


class FaultControl:
    """The faults of a node. defaults: set at the start, and again by each `reset`."""

    def __init__(self, interceptors: Interceptors, view: NodeView, defaults: list[Fault]) -> None:
        self._of_node = interceptors
        self._view = view
        self._defaults = defaults
        self._interceptors: dict[int, Interceptor] = {}
        self.active = ActiveFaults(view.steady_ms)

    def reset(self) -> None:
        """Remove all faults, and set the defaults."""
        self.clear()
        for fault in self._defaults:
            self._set(fault)

    def add(self, fault: Fault) -> ActiveFault:
        """Set a fault for requests that arrive from now on. Raises InvalidFault, TooManyFaults."""
        check(fault)
        if fault.node_id is not None:
            self._view.check_node(fault.node_id)
        return self._set(fault)

    def _set(self, fault: Fault) -> ActiveFault:
        added = self.active.add(fault)
        interceptor: Interceptor | None = None
        if fault.disk is not None and fault.delay_ms is not None:
            interceptor = SlowDisk(added)
        elif fault.action not in NOT_REQUESTS:
            interceptor = FaultInterceptor(added, self._view)
        if interceptor is not None:
            self._interceptors[added.id] = interceptor
            self._of_node.add(interceptor)
        if fault.for_ms is not None:
            self._view.clock.call_at(added.added_ms + fault.for_ms, added.gate.open)
        return added

    def remove(self, fault_id: int) -> ActiveFault:
        """Remove a fault. Requests that wait for it continue. Raises UnknownFault."""
        removed = self.active.get(fault_id)
        interceptor = self._interceptors.pop(fault_id, None)
        if interceptor is not None:
            self._of_node.remove(interceptor)
        return self.active.remove(removed.id)

    def release(self, fault_id: int) -> int:
        """Let the requests that wait continue. Return how many. Raises UnknownFault."""
        return self.active.get(fault_id).release(self.active.now_ms)

    def clear(self) -> int:
        """Remove all faults. Return how many."""
        found = list(self.active)
        for each in found:
            self.remove(each.id)
        return len(found)

    def refuses_connection(self, node_id: int) -> bool:
        """Count a new connection to this broker. Return whether a fault refuses it."""
        now_ms = self.active.now_ms
        return any(
            active.fault.refuse_connections
            and active.fault.node_id in (None, node_id)
            and active.count(now_ms)
            for active in self.active
        )
