"""The internal topics of a streams group, and the number of its tasks.

`configure` compares a topology with the topics of the cluster. It decides how many partitions each internal
topic has, which of them must be created, and how many tasks each subtopology has, or why the topology cannot
run yet.

Kafka: the classes of coordinator.group.streams.topics, as of 4.3.1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from heapq import heappop, heappush
from itertools import chain
from typing import Final, TypeVar

from tidemark.core.decision import Steps
from tidemark.core.java import bucket_order, put_order_in_steps, set_order, table_for_copy
from tidemark.groups.streams.member import StreamsMember
from tidemark.groups.streams.topology import (
    collected,
    in_map_order,
    invalid_topology,
    read_topics,
    required_topics,
    text_order,
    unexpected,
)
from tidemark.metadata.state import Cluster
from tidemark.settings.release import Change
from tidemark_protocol.java import hash_map_order, java_hash
from tidemark_protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig
from tidemark_protocol.messages.streams_group_heartbeat import (
    EndpointToPartitions,
    StreamsGroupHeartbeatResponseEndpoint,
    TopicPartition,
)
from tidemark_protocol.records.streams_group_topology import (
    StreamsGroupTopologyValue,
    Subtopology,
    TopicInfo,
)

T = TypeVar("T")

# The number of tasks of all subtopologies together. Kafka has no limit. A record of 1 MB may name 80,000
# subtopologies that read one topic with 10,000 partitions. No assignor could place their 800 million tasks.
# The largest applications have some thousand tasks.
TASKS_MAX: Final = 100_000
DEFAULT_REPLICATION: Final = -1  # the broker's default.replication.factor
SHOWN_MAX: Final = 3  # names of topics in a message


class Status(IntEnum):
    """Status codes of a heartbeat's response. Kafka: StreamsGroupHeartbeatResponse.Status."""

    STALE_TOPOLOGY = 0
    MISSING_SOURCE_TOPICS = 1
    INCORRECTLY_PARTITIONED_TOPICS = 2
    MISSING_INTERNAL_TOPICS = 3
    SHUTDOWN_APPLICATION = 4
    ASSIGNMENT_DELAYED = 5
    MISSING_CLIENT_TAGS = 6


@dataclass(slots=True, frozen=True)
class InternalTopic:
    """A repartition or changelog topic. replication_factor: 0 for the broker's default.

    Kafka: ConfiguredInternalTopic.
    """

    name: str
    partitions: int
    replication_factor: int
    configs: Mapping[str, str]


@dataclass(slots=True, frozen=True)
class ConfiguredSubtopology:
    """A subtopology whose number of tasks is known."""

    tasks: int
    source_topics: Collection[str]
    repartition_source_topics: Mapping[str, InternalTopic]
    repartition_sink_topics: Collection[str]
    changelog_topics: Mapping[str, InternalTopic]


@dataclass(slots=True, frozen=True)
class ConfiguredTopology:
    """A topology together with the topics of the cluster.

    metadata_hash  of the topics from which it was computed
    subtopologies  by id, sorted. None: their topics are missing or have wrong numbers of partitions
    missing        the internal topics to create
    error          status code and detail for members. None: the topology is ready
    """

    epoch: int
    metadata_hash: int
    subtopologies: Mapping[str, ConfiguredSubtopology] | None
    missing: Mapping[str, CreatableTopic]
    error: tuple[int, str] | None

    @property
    def is_ready(self) -> bool:
        return self.error is None


class _NotReady(Exception):
    """The topology cannot run with the topics of the cluster. Kafka: TopicConfigurationException."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


def configure(
    topology: StreamsGroupTopologyValue, cluster: Cluster, metadata_hash: int
) -> Steps[ConfiguredTopology]:
    """Decide the internal topics and the tasks of a topology.

    The topics may change while it pauses. It reads each of them once. Compute metadata_hash before, so that
    the next heartbeat notices such a change.
    Raises KafkaError if the topology is invalid or has more than TASKS_MAX tasks.
    Kafka: InternalTopicManager.configureTopics.
    """
    existing: dict[str, int] = {}
    for name in (yield from required_topics(topology)):
        yield 0
        topic = cluster.topics.get(name)
        if topic is not None:
            existing[name] = len(topic.partitions)
    planner = _Planner(topology, (yield from in_map_order(topology)), existing)
    yield from planner.check_copartition_groups()
    try:
        yield from planner.check_sources()
        yield from planner.decide_repartition_topics()
        yield from planner.enforce_copartitioning()
        yield from planner.decide_changelog_topics()
        configured = yield from planner.configured()
        missing = yield from planner.missing(configured)
    except _NotReady as error:
        return ConfiguredTopology(topology.epoch, metadata_hash, None, {}, (error.status, error.detail))
    problem = None
    if missing:
        problem = (Status.MISSING_INTERNAL_TOPICS, f"Internal topics are missing: {_summary(missing)}")
    return ConfiguredTopology(topology.epoch, metadata_hash, configured, missing, problem)


class _Planner:
    """Decides the numbers of partitions of internal topics. Call its methods in their order.

    subtopologies  in the order of Kafka's map
    existing       numbers of partitions of the topics that exist
    decided        numbers of partitions of internal topics
    fixed          repartition topics whose number of partitions the application chose
    fixed_counts   these numbers, or the real ones of topics that exist
    flexible       other repartition topics
    """

    def __init__(
        self,
        topology: StreamsGroupTopologyValue,
        subtopologies: Sequence[Subtopology],
        existing: Mapping[str, int],
    ) -> None:
        self.topology = topology
        self.subtopologies = subtopologies
        self.existing = existing
        self.decided: dict[str, int] = {}
        self.fixed: set[str] = set()
        self.fixed_counts: set[int] = set()
        self.flexible: set[str] = set()

    def count(self, topic: str) -> int:
        """Return the number of partitions of a topic that exists or is decided."""
        existing = self.existing.get(topic)
        return self.decided[topic] if existing is None else existing

    def check_copartition_groups(self) -> Steps[None]:
        """Raise KafkaError if a group has an index without a topic."""
        for each in self.subtopologies:
            yield 0
            for group in each.copartition_groups:
                yield 0
                for indexes, topics in (
                    (group.source_topics, each.source_topics),
                    (group.repartition_source_topics, each.repartition_source_topics),
                ):
                    if indexes and not (min(indexes) >= 0 and max(indexes) < len(topics)):
                        raise unexpected()

    def check_sources(self) -> Steps[None]:
        missing: set[str] = set()
        for each in self.subtopologies:
            yield 0
            for name in each.source_topics:
                yield 0
                if name not in self.existing:
                    missing.add(name)
        if missing:
            ordered = yield from collected(text_order(missing))
            raise _NotReady(Status.MISSING_SOURCE_TOPICS, f"Source topics {_summary(ordered)} are missing.")

    def decide_repartition_topics(self) -> Steps[None]:
        """Give each repartition topic the largest number of partitions among its writer's source topics.

        Kafka visits the subtopologies in rounds, until all topics have a number. A visit considers the
        source topics that have a number by then. A chain of subtopologies needs as many rounds as it has
        links, so the heap names only those visits that decide something: (round, subtopology).
        Kafka: RepartitionTopics.
        """
        counts = self.decided
        readers: dict[str, list[int]] = {}
        for number, each in enumerate(self.subtopologies):
            yield 0
            for topic in each.repartition_source_topics:
                yield 0
                readers.setdefault(topic.name, []).append(number)
                if topic.partitions:
                    counts[topic.name] = topic.partitions
                (self.fixed if topic.partitions else self.flexible).add(topic.name)
        visits: list[tuple[int, int]] = []
        for number, each in enumerate(self.subtopologies):
            yield 0
            if each.source_topics or any(
                topic.name in self.fixed for topic in each.repartition_source_topics
            ):
                visits.append((0, number))
        visited: set[int] = set()
        while visits:
            yield 0
            at, number = heappop(visits)
            if number in visited:
                continue
            visited.add(number)
            each = self.subtopologies[number]
            largest: int | None = None
            for sink in each.repartition_sink_topics:
                yield 0
                if sink in counts:
                    continue
                if largest is None:
                    largest = yield from self._largest_known(each)
                counts[sink] = largest
                for reader in readers.get(sink, ()):
                    yield 0
                    heappush(visits, (at if reader > number else at + 1, reader))
        yield from self._check_repartition_topics()
        for name in self.fixed:
            yield 0
            self.fixed_counts.add(self.count(name))

    def _largest_known(self, subtopology: Subtopology) -> Steps[int]:
        known: list[int] = []
        for topic in subtopology.repartition_source_topics:
            yield 0
            if topic.name in self.decided:
                known.append(self.decided[topic.name])
        for name in subtopology.source_topics:
            yield 0
            known.append(self.existing[name])
        return max(known)

    def _check_repartition_topics(self) -> Steps[None]:
        for each in self.subtopologies:
            yield 0
            for sink in each.repartition_sink_topics:
                yield 0
                if sink not in self.decided:
                    raise invalid_topology(
                        "Failed to compute number of partitions for all repartition topics. "
                        "There may be loops in the topology that cannot be resolved."
                    )
        for each in self.subtopologies:
            yield 0
            for topic in each.repartition_source_topics:
                yield 0
                if topic.name not in self.decided:
                    raise invalid_topology(
                        "Failed to compute number of partitions for all repartition topics, "
                        "because a repartition source topic is never used as a sink topic."
                    )

    def enforce_copartitioning(self) -> Steps[None]:
        """Decide copartition groups one after the other. A later one sees what an earlier one has decided."""
        for each in self.subtopologies:
            yield 0
            for group in each.copartition_groups:
                names: dict[str, None] = {}
                for index in group.source_topics:
                    names[each.source_topics[index]] = None
                    yield 0
                for index in group.repartition_source_topics:
                    names[each.repartition_source_topics[index].name] = None
                    yield 0
                if names:
                    yield from self._enforce(names)

    def _enforce(self, group: Collection[str]) -> Steps[None]:
        """Give the repartition topics of a group the number of partitions of its other topics.

        Without others they get the number that the application chose for repartition topics (of the whole
        topology, as in Kafka), or else the largest of the group. Kafka: CopartitionedTopicsEnforcer.
        """
        repartition: dict[str, int] = {}
        others: dict[str, int] = {}
        for name in group:
            yield 0
            own = repartition if name in self.fixed or name in self.flexible else others
            own[name] = self.count(name)
        partitions = {*others.values()} or self.fixed_counts or {max(repartition.values())}
        if len(partitions) > 1:
            text = yield from _sorted_map(others or repartition)
            raise _NotReady(
                Status.INCORRECTLY_PARTITIONED_TOPICS,
                f"Following topics do not have the same number of partitions: [{text}]",
            )
        (chosen,) = partitions
        is_fitting = True
        for name, count in repartition.items():
            yield 0
            self.decided[name] = chosen
            is_fitting = is_fitting and (count == chosen or name not in self.fixed)
        if not is_fitting:
            in_group = yield from collected(put_order_in_steps(group))
            in_map = yield from put_order_in_steps([name for name in in_group if name in repartition])
            first = next(name for name in in_map if name in self.fixed and repartition[name] != chosen)
            raise _NotReady(
                Status.INCORRECTLY_PARTITIONED_TOPICS,
                f"Number of partitions [{repartition[first]}] of repartition topic [{first}] "
                f"doesn't match number of partitions [{chosen}] of the source topic.",
            )

    def decide_changelog_topics(self) -> Steps[None]:
        """Give changelog topics a partition per task. Kafka: ChangelogTopics."""
        changelogs: dict[str, int] = {}
        for each in self.subtopologies:
            largest = yield from self._tasks(each)
            for topic in each.state_changelog_topics:
                yield 0
                changelogs[topic.name] = largest
        self.decided |= changelogs

    def _tasks(self, subtopology: Subtopology) -> Steps[int]:
        counts: list[int] = []
        for name in read_topics(subtopology):
            yield 0
            counts.append(self.count(name))
        if not counts:
            raise invalid_topology(f"No source topics found for subtopology {subtopology.subtopology_id}")
        return max(counts)

    def configured(self) -> Steps[dict[str, ConfiguredSubtopology]]:
        """Return the subtopologies by id, sorted. Raises KafkaError for repeated names and too many tasks."""
        by_id: dict[str, Subtopology] = {}
        for each in self.subtopologies:
            by_id[each.subtopology_id] = each
            yield 0
        configured: dict[str, ConfiguredSubtopology] = {}
        total = 0
        for subtopology_id in (yield from text_order(by_id)):
            each = by_id[subtopology_id]
            tasks = yield from self._tasks(each)
            configured[subtopology_id] = ConfiguredSubtopology(
                tasks,
                (yield from collected(set_order(each.source_topics))),
                (yield from self._internal_topics(each.repartition_source_topics)),
                (yield from collected(set_order(each.repartition_sink_topics))),
                (yield from self._internal_topics(each.state_changelog_topics)),
            )
            total += tasks
        if total > TASKS_MAX:
            raise invalid_topology(
                f"The topology has {total} tasks, but a streams group may have {TASKS_MAX}."
            )
        return configured

    def _internal_topics(self, topics: Sequence[TopicInfo]) -> Steps[dict[str, InternalTopic]]:
        by_name: dict[str, InternalTopic] = {}
        for topic in topics:
            yield 0
            configs: dict[str, str] = {}
            for config in topic.topic_configs:
                configs[config.key] = config.value
                yield 0
            partitions = topic.partitions or self.decided[topic.name]
            if topic.name in by_name or len(configs) < len(topic.topic_configs) or partitions < 1:
                raise unexpected()
            by_name[topic.name] = InternalTopic(
                topic.name, partitions, topic.replication_factor, (yield from _in_put_order(configs))
            )
        return (yield from _in_put_order(by_name))

    def missing(self, configured: Mapping[str, ConfiguredSubtopology]) -> Steps[dict[str, CreatableTopic]]:
        """Return the internal topics that do not exist. Kafka: InternalTopicManager.missingInternalTopics."""
        expected: dict[str, InternalTopic] = {}
        for each in configured.values():
            yield 0
            for topic in chain(each.repartition_source_topics.values(), each.changelog_topics.values()):
                yield 0
                expected[topic.name] = topic
        differing: set[str] = set()
        absent = False
        for name, topic in expected.items():
            yield 0
            if name not in self.existing:
                absent = True
            elif self.existing[name] != topic.partitions:
                differing.add(name)
        if differing:
            required = yield from required_topics(self.topology)
            first = next(name for name in (yield from put_order_in_steps(required)) if name in differing)
            raise _NotReady(
                Status.INCORRECTLY_PARTITIONED_TOPICS,
                f"Existing topic {first} has different number of partitions: "
                f"expected {expected[first].partitions}, found {self.existing[first]}",
            )
        missing: dict[str, CreatableTopic] = {}
        for name in (yield from put_order_in_steps(expected)) if absent else ():
            yield 0
            if name not in self.existing:
                missing[name] = _creatable(expected[name])
        return missing


def _creatable(topic: InternalTopic) -> CreatableTopic:
    return CreatableTopic(
        name=topic.name,
        num_partitions=topic.partitions,
        replication_factor=topic.replication_factor or DEFAULT_REPLICATION,
        configs=[CreatableTopicConfig(key, value) for key, value in topic.configs.items()],
    )


def endpoint_partitions(
    member: StreamsMember, configured: ConfiguredTopology, cluster: Cluster
) -> Steps[EndpointToPartitions | None]:
    """Return the partitions whose tasks the member runs behind its endpoint. None: it has no endpoint.

    It yields the number of items that it adds to the response. Raises KafkaError if the topology or a topic
    is missing. Kafka: EndpointToPartitionsManager, which lists the active tasks of several subtopologies in a
    random order.
    """
    if member.endpoint is None:
        return None
    subtopologies = configured.subtopologies
    if subtopologies is None:
        raise unexpected()
    assigned = member.assigned
    active: list[TopicPartition] = []
    for subtopology_id in (yield from put_order_in_steps(assigned.active)):
        partitions = hash_map_order(sorted(assigned.active[subtopology_id]), int)
        active += yield from _task_partitions(subtopologies.get(subtopology_id), partitions, cluster)
    standby: list[TopicPartition] = []
    copies = assigned.standby
    if assigned.warmup and cluster.settings.release.has(Change.TASKS_CHANGE_THEIR_ROLE):
        copies = {
            each: {*copies.get(each, ()), *assigned.warmup.get(each, ())}
            for each in (*copies, *(each for each in assigned.warmup if each not in copies))
        }
    for subtopology_id in (yield from put_order_in_steps(copies)):
        ordered = sorted(copies[subtopology_id])
        partitions = hash_map_order(ordered, int, table_for_copy(len(ordered)))
        standby += yield from _task_partitions(subtopologies.get(subtopology_id), partitions, cluster)
    return EndpointToPartitions(StreamsGroupHeartbeatResponseEndpoint(*member.endpoint), active, standby)


def _task_partitions(
    subtopology: ConfiguredSubtopology | None, partitions: list[int], cluster: Cluster
) -> Steps[list[TopicPartition]]:
    """Return the partitions of each topic that these tasks read."""
    if subtopology is None:
        raise unexpected()
    found: list[TopicPartition] = []
    within = cluster.settings.release.has(Change.ENDPOINTS_HAVE_EXISTING_PARTITIONS)
    names = chain(subtopology.source_topics, subtopology.repartition_source_topics)
    table = table_for_copy(len(subtopology.source_topics))
    for name in chain.from_iterable((yield from bucket_order(names, java_hash, table))):
        topic = cluster.topics.get(name)
        if topic is None:
            raise unexpected()
        size = len(topic.partitions)
        yield 1 + min(size, len(partitions))
        if within:
            own = sorted(partition for partition in partitions if partition < size)
        else:
            own = sorted(partitions)[:size] if size < len(partitions) else [*partitions]
        if own:
            found.append(TopicPartition(name, own))
    return found


def _in_put_order(items: Mapping[str, T]) -> Steps[dict[str, T]]:
    """Return the items in the order of a HashMap."""
    ordered: dict[str, T] = {}
    for key in (yield from put_order_in_steps(items)):
        ordered[key] = items[key]
        yield 0
    return ordered


def _summary(topics: Collection[str]) -> str:
    shown = ", ".join(name for name, _ in zip(topics, range(SHOWN_MAX), strict=False))
    more = len(topics) - SHOWN_MAX
    return f"{shown} and {more} additional topics" if more > 0 else shown


def _sorted_map(counts: Mapping[str, int]) -> Steps[str]:
    """Return the text of a TreeMap."""
    ordered = yield from collected(text_order(counts))
    return f"{{{', '.join(f'{name}={counts[name]}' for name in ordered)}}}"
