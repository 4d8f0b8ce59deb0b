"""The brokers of the cluster, as tests stop and start them, and move leaders and coordinators between them.

All brokers run in this process and share its state and its logs. A broker that is stopped leads nothing and
refuses connections. Nothing is lost by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import turn
from tidemark.core.decision import PART_RECORDS_MAX, Record
from tidemark.metadata.bootstrap import UNFENCED
from tidemark.metadata.model import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, Partition, Topic
from tidemark.metadata.replicas import changes_with, changes_without, new_leader
from tidemark_protocol.records.broker_registration_change_record import BrokerRegistrationChangeRecord

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster
    from tidemark.node.incarnation import Incarnation
    from tidemark.node.node import Node

FENCED: Final = 1
HANG_UP_TURNS: Final = 4


class BrokerRefused(Exception):
    """A broker cannot be stopped, or cannot lead. The text is for the user."""


class Brokers:
    """Stops and starts the brokers of a cluster, and moves leaders. All calls hold the lock of the node."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @property
    def _current(self) -> Incarnation:
        return self._node.current

    @property
    def _cluster(self) -> Cluster:
        return self._node.current.state.cluster

    def state(self) -> list[dict[str, Any]]:
        """Return the address of each broker, whether it runs, what it leads, and its connections."""
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
                "running": each in cluster.living,
                "leads": leaders[each],
                "group_partitions": coordinators[OFFSETS_TOPIC][each],
                "transaction_partitions": coordinators[TRANSACTIONS_TOPIC][each],
                "connections": connections[each],
            }
            for each in cluster.node_ids
        ]

    async def stop(self, node_id: int) -> None:
        """Let a broker hand over its partitions, then close its connections. Raises BrokerRefused."""
        async with self._node.lock:
            self._check(node_id)
            cluster = self._cluster
            if node_id not in cluster.living:
                raise BrokerRefused(f"broker {node_id} is stopped already")
            if len(cluster.living) == 1:
                raise BrokerRefused(f"broker {node_id} is the last one that runs: stop the process instead")
            await self._write((self._registration(node_id, FENCED), *changes_without(cluster, node_id)))
            self._node.listeners.duplicate(node_id)
            self._current.server.stop_node(node_id)
            self._node.listeners.refuse(node_id)
            for _ in range(HANG_UP_TURNS):  # until its connections are gone
                await turn()
            self._current.forget_node(node_id)

    async def start(self, node_id: int) -> None:
        """Let a broker that was stopped serve again. It leads nothing at first. Raises BrokerRefused."""
        async with self._node.lock:
            self._check(node_id)
            cluster = self._cluster
            if node_id in cluster.living:
                raise BrokerRefused(f"broker {node_id} runs already")
            await self._write((self._registration(node_id, UNFENCED), *changes_with(cluster, node_id)))
            await self._current.listen_as(self._node.listeners, node_id)

    async def restart_all(self) -> None:
        """Stop and start each running broker, one after the other, as a rolling upgrade does.

        Raises BrokerRefused.
        """
        for node_id in sorted(self._cluster.living):
            await self.stop(node_id)
            await self.start(node_id)

    async def move_leader(self, topic: str, partition: int, to: int) -> None:
        """Let a replica in the ISR lead a partition. Raises BrokerRefused."""
        async with self._node.lock:
            await self._lead(topic, partition, to)

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
        self._check(to)
        topic, partition = self._partition(name, index)
        if to not in partition.replicas:
            raise BrokerRefused(
                f"{name}-{index} has no replica on broker {to}: its replicas are on {partition.replicas}"
            )
        if to not in partition.isr:
            raise BrokerRefused(f"broker {to} is not in the ISR {partition.isr} of {name}-{index}")
        if partition.leader != to:
            await self._write([new_leader(topic, partition, to)])

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

    def _registration(self, node_id: int, fenced: int) -> BrokerRegistrationChangeRecord:
        epoch = self._cluster.brokers[node_id].broker_epoch
        return BrokerRegistrationChangeRecord(broker_id=node_id, broker_epoch=epoch, fenced=fenced)

    async def _write(self, changes: Iterable[Any]) -> None:
        """Write the changes and apply them. When this returns, they are durable."""
        records = iter([Record(None, change) for change in changes])
        engine = self._current.engine
        while part := tuple(islice(records, PART_RECORDS_MAX)):
            engine.accept_cluster(part)
        await engine.group_commit.drain()
