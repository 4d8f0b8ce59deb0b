"""The brokers of the cluster, as tests stop and start them, and move leaders and coordinators between them.

All brokers run in this process and share its state and its logs. A broker that is stopped leads nothing and
refuses connections. Nothing is lost by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import turn
from tidemark.core.decision import PART_RECORDS_MAX, Record
from tidemark.metadata.bootstrap import UNFENCED, Start, registration
from tidemark.metadata.model import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, Partition, Topic
from tidemark.metadata.replicas import (
    balanced,
    changes_with,
    changes_without,
    followers_leave,
    join_isr,
    leave_isr,
    new_leader,
)
from tidemark.server.network import CannotListen
from tidemark.settings.broker import BROKERS_MAX
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.records.broker_registration_change_record import BrokerRegistrationChangeRecord

if TYPE_CHECKING:
    from tidemark.clock import Clock, Timer
    from tidemark.metadata.state import Cluster
    from tidemark.node.incarnation import Incarnation
    from tidemark.node.node import Node

FENCED: Final = 1
ELECTIONS_PER_CHECK: Final = 1000  # Kafka: MAX_ELECTIONS_PER_IMBALANCE
HANG_UP_TURNS: Final = 4
NODE_IDS_MAX: Final = 1000  # ids of added brokers, and so their ports, are near the first one


class BrokerRefused(Exception):
    """A broker cannot be stopped, or cannot lead. The text is for the user."""


class Brokers:
    """Stops and starts the brokers of a cluster, and moves leaders. All calls hold the lock of the node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        # Brokers that were killed and are not fenced yet, with the timers that fence them.
        self._killed: dict[int, tuple[Incarnation, Timer]] = {}
        # Brokers that are cut off; from the controller or the leaders, with the timers of what follows.
        self._cut_off: dict[int, tuple[Incarnation, Timer | None]] = {}

    @property
    def _current(self) -> Incarnation:
        return self._node.current

    @property
    def _cluster(self) -> Cluster:
        return self._node.current.state.cluster

    def state(self) -> list[dict[str, Any]]:
        """Return each broker: whether it runs or is cut off, what it leads, and its connections."""
        cluster = self._cluster
        leaders: Counter[int] = Counter()
        coordinators: dict[str, Counter[int]] = {OFFSETS_TOPIC: Counter(), TRANSACTIONS_TOPIC: Counter()}
        for topic in cluster.topics.values():
            leads = coordinators.get(topic.name, leaders)
            leads.update(partition.leader for partition in topic.partitions)
        connections = self._current.server.connections_by_node()
        endpoints = self._node.listeners.endpoints()
        return [
            {
                "node_id": each,
                "address": f"{endpoints[each][0].host}:{endpoints[each][0].port}",
                "running": self._runs(each),
                "leads": leaders[each],
                "group_partitions": coordinators[OFFSETS_TOPIC][each],
                "transaction_partitions": coordinators[TRANSACTIONS_TOPIC][each],
                "connections": connections[each],
                "cut_off": self._is_cut_off(each),
            }
            for each in cluster.node_ids
        ]

    async def stop(self, node_id: int) -> None:
        """Let a broker hand over its partitions, then close its connections. Raises BrokerRefused."""
        async with self._node.lock:
            self._check(node_id)
            self._check_is_not_last(node_id)
            await self._write(self._fencing(node_id))
            await self._hang_up(node_id)

    async def kill(self, node_id: int) -> None:
        """Close the connections of a broker, as the death of its process would. Raises BrokerRefused.

        It leads its partitions and is in their ISRs until `broker.session.timeout.ms` has passed.
        """
        async with self._node.lock:
            self._check(node_id)
            self._check_is_not_last(node_id)
            self._killed[node_id] = self._current, self._fence_later(node_id)
            await self._hang_up(node_id)

    def _fence_later(self, node_id: int) -> Timer:
        """Fence a broker when its session ends, because the controller hears nothing of it."""
        clock = self._current.state.clock
        due_ms = clock.steady_ms() + self._cluster.settings.broker_session_timeout_ms
        return clock.call_at(due_ms, partial(self._session_ended, self._current, node_id))

    def _session_ended(self, incarnation: Incarnation, node_id: int) -> None:
        if incarnation is self._current:
            self._killed.pop(node_id, None)
            self._accept(self._fencing(node_id))

    async def cut_off(self, node_id: int, from_: str) -> None:
        """Cut a broker off. Raises BrokerRefused.

        from_: "clients": it leads, but refuses connections. "controller": it serves until
        `broker.session.timeout.ms` has passed; then others lead its partitions. "leaders": it leads and
        serves, but leaves the ISR of each partition that it follows after `replica.lag.time.max.ms`.
        """
        async with self._node.lock:
            self._check(node_id)
            self._check_is_not_last(node_id)
            timer = None
            if from_ == "controller":
                timer = self._fence_later(node_id)
            elif from_ == "leaders":
                timer = self._lag_later(node_id)
            self._cut_off[node_id] = self._current, timer
            if timer is None:
                await self._hang_up(node_id)

    def _lag_later(self, node_id: int) -> Timer:
        clock = self._current.state.clock
        due_ms = clock.steady_ms() + self._cluster.settings.replica_lag_time_max_ms
        return clock.call_at(due_ms, partial(self._lags, self._current, node_id))

    def _lags(self, incarnation: Incarnation, node_id: int) -> None:
        """Take a broker that fetches from no leader out of the ISRs. Again later: there may be new ones."""
        if incarnation is self._current and self._is_cut_off(node_id):
            self._accept(followers_leave(self._cluster, node_id))
            self._cut_off[node_id] = incarnation, self._lag_later(node_id)

    async def reconnect(self, node_id: int) -> None:
        """End what `cut_off` began. Raises BrokerRefused."""
        async with self._node.lock:
            self._check(node_id)
            incarnation, timer = self._cut_off.pop(node_id, (None, None))
            if incarnation is not self._current:
                raise BrokerRefused(f"broker {node_id} is not cut off")
            if timer is None:
                await self._current.listen_as(self._node.listeners, node_id)
                return
            timer.cancel()
            fenced = node_id not in self._cluster.living
            registered = self._unfencing(node_id) if fenced else ()
            await self._write((*registered, *changes_with(self._cluster, node_id)))

    def _is_cut_off(self, node_id: int) -> bool:
        incarnation, _ = self._cut_off.get(node_id, (None, None))
        return incarnation is self._current

    async def _hang_up(self, node_id: int) -> None:
        await self._node.listeners.pause(node_id)
        self._node.listeners.duplicate(node_id)
        self._current.server.stop_node(node_id)
        self._node.listeners.refuse(node_id)
        for _ in range(HANG_UP_TURNS):  # until its connections are gone
            await turn()
        self._current.forget_node(node_id)

    def _accepts(self, node_id: int) -> bool:
        return any(each.node_id == node_id and not bound.refuses for each, bound in self._node.listeners)

    def _runs(self, node_id: int) -> bool:
        return node_id in self._cluster.living and not self._is_killed(node_id)

    def _is_killed(self, node_id: int) -> bool:
        incarnation, _ = self._killed.get(node_id, (None, None))
        return incarnation is self._current

    def _check_is_not_cut_off(self, node_id: int) -> None:
        if self._is_cut_off(node_id):
            raise BrokerRefused(f"broker {node_id} is cut off: reconnect it first")

    def _check_is_not_last(self, node_id: int) -> None:
        self._check_is_not_cut_off(node_id)
        if not self._runs(node_id):
            raise BrokerRefused(f"broker {node_id} is stopped already")
        if sum(map(self._runs, self._cluster.living)) == 1:
            raise BrokerRefused(f"broker {node_id} is the last one that runs: stop the process instead")

    async def start(self, node_id: int) -> None:
        """Let a broker that was stopped serve again. It leads nothing at first. Raises BrokerRefused."""
        async with self._node.lock:
            self._check(node_id)
            cluster = self._cluster
            self._check_is_not_cut_off(node_id)
            if self._runs(node_id):
                raise BrokerRefused(f"broker {node_id} runs already")
            if self._is_killed(node_id):
                # As in Kafka, a new process of the broker can register once the session of the old one ends.
                _, timer = self._killed[node_id]
                timer.cancel()
                self._session_ended(self._current, node_id)
            if self._accepts(node_id):
                await self._hang_up(node_id)  # it was unregistered: connections to it are open
            await self._write((*self._unfencing(node_id), *changes_with(cluster, node_id)))
            await self._current.listen_as(self._node.listeners, node_id)

    async def add(self, node_id: int | None, rack: str | None) -> int:
        """Add a broker to the cluster, and let it serve. Return its id.

        It leads nothing and has no replicas at first. node_id: None is the lowest that is above all others.
        rack: None is that of the first broker. The next start of the process has the brokers of its
        settings again. Raises BrokerRefused.
        """
        async with self._node.lock:
            listeners, first = self._node.listeners, self._cluster.identity.node_id
            known = listeners.racks
            if self._cluster.settings.tidemark_brokers == 1:
                raise BrokerRefused("the broker is the only one: start it with tidemark.brokers=2 or more")
            if len(known) == BROKERS_MAX:
                raise BrokerRefused(f"the cluster has {BROKERS_MAX} brokers: it can have no more")
            added = max(known) + 1 if node_id is None else node_id
            if added in known:
                raise BrokerRefused(f"there is a broker {added} already")
            if not first < added < first + NODE_IDS_MAX:
                raise BrokerRefused(f"the id of a broker is from {first + 1} to {first + NODE_IDS_MAX - 1}")
            self._bind(added, known[first] if rack is None else rack)
            self._follow_listeners()
            await self._write((*self._unfencing(added), *changes_with(self._cluster, added)))
            await self._current.listen_as(listeners, added)
            return added

    def bind_again(self, racks: Mapping[int, str | None]) -> None:
        """Bind the ports of those of these brokers that were removed. Raises BrokerRefused."""
        for node_id, rack in racks.items():
            if node_id not in self._node.listeners.racks:
                self._bind(node_id, rack)

    def _bind(self, node_id: int, rack: str | None) -> None:
        try:
            self._node.listeners.add(node_id, rack)
        except CannotListen as error:
            raise BrokerRefused(str(error)) from None

    async def remove(self, node_id: int) -> None:
        """Remove a broker for good: it stops, is unregistered, and frees its ports. Raises BrokerRefused.

        As in Kafka, partitions keep the replicas that they had on it, until they are reassigned.
        """
        async with self._node.lock:
            self._check(node_id)
            cluster = self._cluster
            if node_id == cluster.identity.node_id:
                raise BrokerRefused(f"broker {node_id} is the first one: it cannot be removed")
            self._check_is_not_cut_off(node_id)
            if self._runs(node_id):
                self._check_is_not_last(node_id)
            elif self._is_killed(node_id):
                self._killed.pop(node_id)[1].cancel()
            await self._write(self._fencing(node_id))
            if self._accepts(node_id):
                await self._hang_up(node_id)
            if node_id in cluster.brokers:
                # A start imports this module, and does not need this record.
                from tidemark_protocol.records.unregister_broker_record import UnregisterBrokerRecord

                await self._write([UnregisterBrokerRecord(node_id, cluster.brokers[node_id].broker_epoch)])
            self._node.listeners.remove(node_id)
            self._follow_listeners()

    def _follow_listeners(self) -> None:
        current, listeners = self._current, self._node.listeners
        current.state.cluster.set_nodes(listeners.racks)
        current.note_addresses(listeners)
        current.state.logs.fetch_sessions.share(len(listeners.racks))

    async def restart_all(self) -> None:
        """Stop and start each running broker, one after the other, as a rolling upgrade does.

        Raises BrokerRefused.
        """
        running = [each for each in self._cluster.node_ids if self._runs(each)]
        for node_id in running:
            self._check_is_not_cut_off(node_id)  # before the first one stops
        for node_id in running:
            await self.stop(node_id)
            await self.start(node_id)

    async def move_leader(self, topic: str, partition: int, to: int) -> None:
        """Let a replica in the ISR lead a partition. Raises BrokerRefused."""
        async with self._node.lock:
            await self._lead(topic, partition, to)

    async def move_controller(self, to: int) -> None:
        """Let a broker lead the quorum of controllers, until the process starts again.

        Raises BrokerRefused.
        """
        async with self._node.lock:
            self._check(to)
            if to not in self._cluster.voters:
                raise BrokerRefused(f"broker {to} was added at run time: it is no controller")
            if not self._runs(to):
                raise BrokerRefused(f"broker {to} is stopped: start it first")
            self._cluster.lead_quorum(to)

    async def elect_preferred(self) -> int:
        """Let the first replica of each partition lead, if it is in the ISR. Return how many changed."""
        async with self._node.lock:
            changes = [*balanced(self._cluster)]
            await self._write(changes)
            return len(changes)

    async def shrink_isr(self, topic: str, partition: int, node_id: int) -> None:
        """Take a follower out of the ISR, as if it had stopped fetching. Raises BrokerRefused."""
        async with self._node.lock:
            found, state = self._replica(topic, partition, node_id)
            if state.leader == node_id:
                raise BrokerRefused(f"broker {node_id} leads {topic}-{partition}: let another one lead first")
            if node_id not in state.isr:
                raise BrokerRefused(f"broker {node_id} is not in the ISR {state.isr} of {topic}-{partition}")
            await self._write(leave_isr(self._cluster, found, state, node_id))

    async def grow_isr(self, topic: str, partition: int, node_id: int) -> None:
        """Take a follower that runs into the ISR again. Raises BrokerRefused."""
        async with self._node.lock:
            found, state = self._replica(topic, partition, node_id)
            if node_id in state.isr:
                raise BrokerRefused(f"broker {node_id} is in the ISR {state.isr} of {topic}-{partition}")
            if not self._runs(node_id):
                raise BrokerRefused(f"broker {node_id} is stopped: start it, and it joins the ISR")
            await self._write(join_isr(self._cluster, found, state, node_id))

    async def move_transactional_id(self, transactional_id: str, to: int) -> int:
        """Let a broker coordinate a transactional id, and all of its partition. Return the partition.

        Raises BrokerRefused.
        """
        async with self._node.lock:
            topic = self._cluster.topics.get(TRANSACTIONS_TOPIC)
            if topic is None:
                raise BrokerRefused("no transactional id has a coordinator yet: no client has looked for one")
            partition = partition_of_group(transactional_id, len(topic.partitions))
            await self._lead(TRANSACTIONS_TOPIC, partition, to)
            return partition

    async def move_coordinator(self, group_id: str, to: int) -> int:
        """Let a broker coordinate a group, and all groups of its partition. Return the partition.

        Raises BrokerRefused.
        """
        async with self._node.lock:
            if OFFSETS_TOPIC not in self._cluster.topics:
                raise BrokerRefused("no group has a coordinator yet: no client has looked for one")
            partition = self._current.state.groups.partition_for(group_id)
            await self._lead(OFFSETS_TOPIC, partition, to)
            return partition

    async def _lead(self, name: str, index: int, to: int) -> None:
        topic, partition = self._replica(name, index, to)
        if to not in partition.isr:
            raise BrokerRefused(f"broker {to} is not in the ISR {partition.isr} of {name}-{index}")
        if self._is_killed(to):
            raise BrokerRefused(f"broker {to} is stopped: start it first")
        if partition.leader != to:
            await self._write([new_leader(topic, partition, to)])

    def _replica(self, name: str, index: int, node_id: int) -> tuple[Topic, Partition]:
        self._check(node_id)
        topic, partition = self._partition(name, index)
        if node_id not in partition.replicas:
            raise BrokerRefused(
                f"{name}-{index} has no replica on broker {node_id}: its replicas are on {partition.replicas}"
            )
        return topic, partition

    def _partition(self, name: str, index: int) -> tuple[Topic, Partition]:
        topic = self._cluster.topics.get(name)
        if topic is None:
            raise BrokerRefused(f"there is no topic {name}")
        if not 0 <= index < len(topic.partitions):
            raise BrokerRefused(f"{name} has no partition {index}: it has {len(topic.partitions)}")
        return topic, topic.partitions[index]

    def _check(self, node_id: int) -> None:
        known = self._cluster.node_ids
        if node_id not in known:
            raise BrokerRefused(f"there is no broker {node_id}: the brokers are {', '.join(map(str, known))}")

    def _fencing(self, node_id: int) -> Iterator[Any]:
        """Yield the changes when a broker stops serving, and elect another controller if it was the one."""
        cluster = self._cluster
        if node_id in cluster.living:
            yield self._registration(node_id, FENCED)
            yield from changes_without(cluster, node_id)
        others = cluster.living.intersection(cluster.voters) - {node_id}
        if node_id == cluster.quorum_leader and others:
            cluster.lead_quorum(min(others))

    def _unfencing(self, node_id: int) -> Iterator[Any]:
        """Yield the registration of a broker that starts, anew if it was unregistered."""
        if node_id in self._cluster.brokers:
            yield self._registration(node_id, UNFENCED)
            return
        ids = self._node.env.host.ids
        incarnation_id = self._cluster.brokers[self._cluster.identity.node_id].incarnation_id
        start = Start(
            incarnation_id,
            self._node.listeners.endpoints(),
            self._current.state.metadata_log.log_end_offset,
            ids.topic_id,
        )
        yield from registration(self._cluster, start, node_id, start.next_offset)

    def _registration(self, node_id: int, fenced: int) -> BrokerRegistrationChangeRecord:
        epoch = self._cluster.brokers[node_id].broker_epoch
        return BrokerRegistrationChangeRecord(broker_id=node_id, broker_epoch=epoch, fenced=fenced)

    async def _write(self, changes: Iterable[Any]) -> None:
        """Write the changes and apply them. When this returns, they are durable."""
        self._accept(changes)
        await self._current.engine.group_commit.drain()

    def _accept(self, changes: Iterable[Any]) -> None:
        records = iter([Record(None, change) for change in changes])
        while part := tuple(islice(records, PART_RECORDS_MAX)):
            self._current.engine.accept_cluster(part)


class LeaderBalance:
    """Lets first replicas lead again from time to time: `auto.leader.rebalance.enable`.

    accept(records): writes and applies them
    """

    def __init__(self, cluster: Cluster, clock: Clock, accept: Callable[[tuple[Record, ...]], None]) -> None:
        self._cluster = cluster
        self._clock = clock
        self._accept = accept
        self._timer: Timer | None = None

    def start(self) -> None:
        """Check the leaders after each interval. With one broker, there is nothing to check."""
        settings = self._cluster.settings
        if len(self._cluster.node_ids) > 1 and settings.auto_leader_rebalance_enable:
            interval_ms = settings.leader_imbalance_check_interval_seconds * 1000
            self._timer = self._clock.call_at(self._clock.steady_ms() + interval_ms, self._check)

    def _check(self) -> None:
        records = tuple(
            Record(None, change) for change in islice(balanced(self._cluster), ELECTIONS_PER_CHECK)
        )
        if records:
            self._accept(records)
        self.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
