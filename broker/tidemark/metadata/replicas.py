"""Placement of replicas, and elections: the nodes of a partition, those in sync, and the one that leads.

All nodes share one log for each partition. So a replica is in sync as soon as its node serves clients, and
an election loses nothing. Kafka: StripedReplicaPlacer, PartitionChangeBuilder,
PartitionReassignmentReplicas, ReplicationControlManager.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any, Final

from tidemark.metadata.model import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    LEADER_UNCHANGED,
    NO_LEADER,
    Partition,
    Topic,
)
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord

# The fields of a partition that a change sets if they differ. A leader also begins a new epoch.
_CHANGED: Final = (
    "replicas",
    "isr",
    "removing_replicas",
    "adding_replicas",
    "directories",
    "eligible_leader_replicas",
    "last_known_elr",
)


def place(
    racks: Mapping[int, str | None],
    partitions: int,
    factor: int,
    draw: Callable[[int], int],
    stopped: Container[int] = (),
) -> list[list[int]]:
    """Return the replicas of each new partition, its leader first.

    The leader is in the rack after the leader's rack of the partition before. The other replicas are in the
    racks that follow, so that each rack has a replica before one has two. After as many partitions as there
    are nodes that run, the orders of racks and nodes are drawn anew. Kafka: StripedReplicaPlacer.

    racks: of each node. draw(n): a random number below n. stopped: nodes that do not lead, and that have
    replicas only if the others of their rack have one
    """
    if len(racks) == 1:
        return [[*racks]] * partitions
    striped = _Stripes(racks, stopped, draw)
    return [striped.next(factor) for _ in range(partitions)]


class _Stripes:
    """The orders of racks and nodes. Kafka: StripedReplicaPlacer.RackList."""

    def __init__(
        self, racks: Mapping[int, str | None], stopped: Container[int], draw: Callable[[int], int]
    ) -> None:
        self._draw = draw
        self._running = sum(each not in stopped for each in racks)
        names = sorted({*racks.values()}, key=lambda name: (name is not None, name or ""))
        self._racks = []
        for name in names:
            nodes = sorted(each for each, rack in racks.items() if rack == name)
            running = _Ring([each for each in nodes if each not in stopped], draw)
            self._racks.append((running, _Ring([each for each in nodes if each in stopped], draw)))
        self._first = draw(len(self._racks))
        self._epoch = 0

    def next(self, factor: int) -> list[int]:
        """Return the replicas of the next partition."""
        if self._epoch == self._running and self._running > 1:
            self._shuffle()
            self._epoch = 0
        count, epoch = len(self._racks), self._epoch
        self._first %= count
        at = self._first
        while (leader := self._racks[at][0].next(epoch)) is None:
            at = (at + 1) % count
        replicas, skipped, at = [leader], at, self._first
        while len(replicas) < factor:
            if at == skipped:  # once: the leader is in this rack
                skipped = -1
            else:
                running, stopped = self._racks[at]
                node = running.next(epoch)
                if node is None:
                    node = stopped.next(epoch)
                if node is not None:
                    replicas.append(node)
            at = (at + 1) % count
        self._epoch += 1
        self._first += 1
        return replicas

    def _shuffle(self) -> None:
        _shuffle(self._racks, self._draw)
        for running, stopped in self._racks:
            _shuffle(running.nodes, self._draw)
            _shuffle(stopped.nodes, self._draw)


class _Ring:
    """Nodes of a rack. Each epoch begins with the next one. Kafka: StripedReplicaPlacer.BrokerList."""

    def __init__(self, nodes: list[int], draw: Callable[[int], int]) -> None:
        self.nodes = nodes
        self._first = draw(len(nodes)) if nodes else 0
        self._given = 0
        self._epoch = 0

    def next(self, epoch: int) -> int | None:
        """Return the next node of this epoch; None: it has had all."""
        if self._epoch != epoch:
            self._epoch, self._given = epoch, 0
            self._first = (self._first + 1) % len(self.nodes) if self.nodes else 0
        if self._given == len(self.nodes):
            return None
        self._given += 1
        return self.nodes[(self._first + self._given - 1) % len(self.nodes)]


def _shuffle(items: list[Any], draw: Callable[[int], int]) -> None:
    for at in range(len(items) - 1, 0, -1):
        other = draw(at + 1)
        items[at], items[other] = items[other], items[at]


def changes_without(cluster: Cluster, node_id: int) -> Iterator[PartitionChangeRecord]:
    """Return the changes of all partitions when a node stops serving: it leaves each ISR, and leads none.

    Topics may be deleted, and other nodes stop or start, before the last change is taken.
    """
    for topic in list(cluster.topics.values()):
        for partition in topic.partitions:
            if node_id in partition.isr and topic.topic_id in cluster.topics_by_id:
                living = cluster.living - {node_id}
                yield from _Draft(cluster, topic, partition, living).leave(node_id)


def changes_with(cluster: Cluster, node_id: int) -> Iterator[PartitionChangeRecord]:
    """Return the changes of all partitions when a node serves again.

    It leads those without a leader, and joins each ISR. This completes reassignments that waited for it.
    """
    living = cluster.living | {node_id}
    for topic in cluster.topics.values():
        for partition in topic.partitions:
            if node_id in partition.replicas and not partition.is_lost:
                yield from _Draft(cluster, topic, partition, living).join(node_id)


def changes_with_all(cluster: Cluster, topic: Topic, partition: Partition) -> list[PartitionChangeRecord]:
    """Return the changes of a partition when all nodes serve; none if it still has no leader then."""
    draft = _Draft(cluster, topic, partition, {*cluster.node_ids})
    ours = [each for each in partition.replicas if each in cluster.node_ids]
    return [change for each in ours for change in draft.join(each)]


def followers_leave(cluster: Cluster, node_id: int) -> Iterator[PartitionChangeRecord]:
    """Return the changes that take a node out of the ISR of each partition that it does not lead.

    Topics may be deleted before the last change is taken.
    """
    for topic in list(cluster.topics.values()):
        for partition in topic.partitions:
            follows = node_id in partition.isr and node_id != partition.leader
            if follows and topic.topic_id in cluster.topics_by_id:
                yield from leave_isr(cluster, topic, partition, node_id)


def leave_isr(
    cluster: Cluster, topic: Topic, partition: Partition, node_id: int
) -> list[PartitionChangeRecord]:
    """Return the change that takes a replica out of the ISR, as that of a follower that stops fetching."""
    return [*_Draft(cluster, topic, partition, cluster.living).leave(node_id)]


def join_isr(
    cluster: Cluster, topic: Topic, partition: Partition, node_id: int
) -> list[PartitionChangeRecord]:
    """Return the changes that take a replica into the ISR, and those that this completes."""
    return [*_Draft(cluster, topic, partition, cluster.living).join(node_id)]


def balanced(cluster: Cluster) -> Iterator[PartitionChangeRecord]:
    """Return the changes that let the first replica of each partition lead again, where it can.

    Kafka: ReplicationControlManager.maybeBalancePartitionLeaders, which has no threshold.
    """
    for topic in cluster.topics.values():
        for partition in topic.partitions:
            if partition.leader != partition.replicas[0]:
                with suppress(KafkaError):
                    yield preferred(cluster, topic, partition)


def reassign(
    cluster: Cluster, topic: Topic, partition: Partition, replicas: Sequence[int]
) -> list[PartitionChangeRecord]:
    """Return the changes that give a partition these replicas.

    New replicas join the ISR at once if their nodes run. The others are in the adding replicas until their
    nodes start, and the replicas to remove stay until then. Kafka: changePartitionReassignment.
    """
    draft = _Draft(cluster, topic, partition, cluster.living)
    current = partition.replicas
    removing = sorted({*current}.difference(replicas))
    adding = sorted({*replicas}.difference(current))
    first = draft.change(
        replicas=[*replicas, *removing],
        # As in Kafka, a second reassignment keeps those of the first, unless it has others.
        removing=removing or partition.removing_replicas,
        adding=adding or partition.adding_replicas,
    )
    return [*first, *(change for each in adding if each in cluster.living for change in draft.join(each))]


def cancel_reassignment(cluster: Cluster, topic: Topic, partition: Partition) -> list[PartitionChangeRecord]:
    """Return the change that ends a reassignment: the adding replicas are removed, and the others stay.

    Raises KafkaError without a reassignment, and if no replica that stays is in sync: an election would be
    unclean. Kafka: cancelPartitionReassignment, PartitionReassignmentRevert.
    """
    adding = partition.adding_replicas
    if not adding and not partition.removing_replicas:
        raise KafkaError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)
    replicas = [each for each in partition.replicas if each not in adding]
    isr = [each for each in partition.isr if each not in adding]
    if not isr:
        text = (
            f"Unable to revert partition reassignment for {topic.name}:{partition.index} because it would "
            "require an unclean leader election."
        )
        raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)
    draft = _Draft(cluster, topic, partition, cluster.living)
    return [*draft.change(replicas=replicas, isr=isr, adding=[], removing=[])]


def factor_of(partition: Partition) -> int:
    """Return how many replicas a partition has after its reassignment, if there is one."""
    return len({*partition.replicas, *partition.adding_replicas}.difference(partition.removing_replicas))


class _Draft:
    """A partition of which several changes are decided before the first of them is replayed.

    Kafka: PartitionChangeBuilder.
    """

    def __init__(
        self, cluster: Cluster, topic: Topic, partition: Partition, living: AbstractSet[int]
    ) -> None:
        """living: the nodes that serve clients after the change"""
        self._cluster = cluster
        self._topic = topic
        self._partition = Partition.of(partition.record(topic.topic_id))
        self._living = living

    def leave(self, node_id: int) -> Iterator[PartitionChangeRecord]:
        """Take a replica out of the ISR."""
        yield from self.change(isr=[each for each in self._partition.isr if each != node_id])

    def join(self, node_id: int) -> Iterator[PartitionChangeRecord]:
        """Let a replica lead a partition without a leader, and join the ISR."""
        partition = self._partition
        joining = [node_id]
        if partition.leader == NO_LEADER:
            if node_id not in (*partition.isr, *partition.eligible_leader_replicas):
                return
            yield from self.change()
            # The replicas whose nodes serve already have waited for a leader.
            joining = [each for each in partition.replicas if each in self._living]
        for each in joining:
            # The first one to join may complete a reassignment, which removes others.
            if each in partition.replicas and each not in partition.isr:
                yield from self.change(isr=sorted((*partition.isr, each)))

    def change(
        self,
        *,
        isr: list[int] | None = None,
        replicas: list[int] | None = None,
        removing: list[int] | None = None,
        adding: list[int] | None = None,
    ) -> Iterator[PartitionChangeRecord]:
        """Yield the change to these replicas and this ISR, which None keeps; nothing if nothing changes.

        It elects a leader and completes the reassignment if necessary.
        """
        partition, was = self._partition, Partition.of(self._partition.record(self._topic.topic_id))
        partition.isr = was.isr if isr is None else isr
        partition.replicas = was.replicas if replicas is None else replicas
        partition.removing_replicas = was.removing_replicas if removing is None else removing
        partition.adding_replicas = was.adding_replicas if adding is None else adding
        self._complete_reassignment()
        has_elr = self._cluster.features.get(ELIGIBLE_LEADER_REPLICAS_VERSION, 0) > 0
        if has_elr:
            self._update_eligible(was.isr)
        self._elect()
        if not has_elr and not partition.isr:  # the last one stays
            partition.isr = was.isr
        change = PartitionChangeRecord(partition.index, self._topic.topic_id)
        if partition.leader != was.leader or not {*was.replicas}.issubset(partition.replicas):
            change.leader = partition.leader  # a new leader epoch: replicas that were removed are fenced
        if has_elr:
            self._update_last_known(was, has_leader=change.leader != LEADER_UNCHANGED)
        if partition.replicas != was.replicas:
            partition.directories = self._directories(was)
        for name in _CHANGED:
            value = getattr(partition, name)
            if value != getattr(was, name):
                setattr(change, name, value)
        if change != PartitionChangeRecord(partition.index, self._topic.topic_id):
            yield change

    def _complete_reassignment(self) -> None:
        """Remove replicas once all adding ones are in the ISR.

        Kafka: PartitionReassignmentReplicas.maybeCompleteReassignment.
        """
        partition = self._partition
        adding, removing = partition.adding_replicas, partition.removing_replicas
        if not adding and not removing:
            return
        isr = [each for each in partition.isr if each not in removing]
        replicas = [each for each in partition.replicas if each not in removing]
        if (removing and not (isr and replicas)) or not {*isr}.issuperset(adding):
            return
        if len(adding) < len(removing) and not {*isr}.issuperset(replicas):
            return
        partition.isr, partition.replicas = isr, replicas
        partition.adding_replicas, partition.removing_replicas = [], []

    def _update_eligible(self, isr_before: list[int]) -> None:
        partition = self._partition
        eligible: set[int] = set()
        if len(partition.isr) < _isr_min(self._cluster, self._topic, partition):
            eligible = {*partition.eligible_leader_replicas, *isr_before}.difference(partition.isr)
        partition.eligible_leader_replicas = sorted(eligible)

    def _elect(self) -> None:
        """Keep the leader if it is in the ISR, or elect the first replica that may lead."""
        partition = self._partition
        eligible = partition.isr or partition.eligible_leader_replicas
        candidates = [each for each in partition.replicas if each in eligible and each in self._living]
        if partition.leader in candidates:
            return
        partition.leader = candidates[0] if candidates else NO_LEADER
        if partition.leader in partition.eligible_leader_replicas:
            partition.isr = [partition.leader]
            partition.eligible_leader_replicas = [
                each for each in partition.eligible_leader_replicas if each != partition.leader
            ]

    def _update_last_known(self, was: Partition, *, has_leader: bool) -> None:
        partition = self._partition
        if partition.leader == NO_LEADER:
            if not partition.isr and was.leader != NO_LEADER and partition.eligible_leader_replicas:
                partition.last_known_elr = [was.leader]
        elif has_leader:
            partition.last_known_elr = []

    def _directories(self, was: Partition) -> list[bytes]:
        known = dict(zip(was.replicas, was.directories, strict=False))
        return [known.get(each) or self._cluster.directory_of(each) for each in self._partition.replicas]


def new_leader(topic: Topic, partition: Partition, node_id: int) -> PartitionChangeRecord:
    """Return the change that makes a replica in the ISR the leader."""
    return PartitionChangeRecord(partition.index, topic.topic_id, leader=node_id)


def preferred(cluster: Cluster, topic: Topic, partition: Partition) -> PartitionChangeRecord:
    """Return the change that makes the first replica the leader. Raises KafkaError (ElectLeaders)."""
    first = partition.replicas[0]
    if partition.leader == first:
        raise KafkaError(ErrorCode.ELECTION_NOT_NEEDED)
    if first not in partition.isr or first not in cluster.living or partition.is_lost:
        raise KafkaError(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)
    return new_leader(topic, partition, first)


def unclean(cluster: Cluster, topic: Topic, partition: Partition) -> PartitionChangeRecord:
    """Return the change that gives a partition a leader again, in the ISR or not. Raises KafkaError.

    All replicas share the log, so that no record is lost.
    """
    if partition.leader != NO_LEADER:
        raise KafkaError(ErrorCode.ELECTION_NOT_NEEDED)
    serving = [each for each in partition.replicas if each in cluster.living]
    if not serving or partition.is_lost:
        raise KafkaError(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE)
    change = new_leader(topic, partition, serving[0])
    change.isr, change.eligible_leader_replicas, change.last_known_elr = [serving[0]], [], []
    return change


def _isr_min(cluster: Cluster, topic: Topic, partition: Partition) -> int:
    return min(cluster.topic_config(topic.name).min_insync_replicas, len(partition.replicas))
