"""The topology of a streams group (KIP-1071): its checks, its record and its description.

A topology consists of subtopologies. Each reads source topics and repartition topics, and may write
repartition topics and changelog topics. Kafka Streams calls the latter two *internal topics*; the module
`internal_topics` decides how many partitions they have.

Functions that return `Steps` yield at each topic, because clients send topologies of any size. Results are in
the order of Kafka's hash maps where clients see it. Where Kafka's classes throw an unchecked exception, these
functions raise KafkaError with UNKNOWN_SERVER_ERROR and no message, which is what the client gets.

Kafka: StreamsTopology, and the checks in GroupCoordinatorService.streamsGroupHeartbeat, as of 4.3.1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

from tidemark.core.decision import Steps, in_order
from tidemark.core.java import put_order_in_steps
from tidemark.groups.consumer import subscriptions
from tidemark.metadata.model import INTERNAL_TOPICS
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import name_error
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages import streams_group_describe as described
from tidemark_protocol.messages import streams_group_heartbeat as heartbeat
from tidemark_protocol.records.streams_group_topology import (
    CopartitionGroup,
    StreamsGroupTopologyValue,
    Subtopology,
    TopicConfig,
    TopicInfo,
)

if TYPE_CHECKING:
    from tidemark.groups.streams.internal_topics import ConfiguredTopology, InternalTopic

T = TypeVar("T")

# Names that a topology may have, of subtopologies and of topics, repetitions included. Replay reads them all
# at once: about 10 ms. Kafka has no limit but that of a record.
NAMES_MAX: Final = 20_000


# The request


def check_topic_names(sent: heartbeat.Topology) -> Steps[list[str]]:
    """Return the topics that the member must be allowed to describe, each once.

    Raises KafkaError if a name is invalid or belongs to an internal topic of the broker.
    Kafka: KafkaApis.handleStreamsGroupHeartbeat, before the coordinator sees the request.
    """
    names: dict[str, None] = {}
    for each in sent.subtopologies:
        yield 0
        internal = chain(each.repartition_source_topics, each.state_changelog_topics)
        sent_names = chain(
            each.source_topics, each.repartition_sink_topics, (topic.name for topic in internal)
        )
        for name in sent_names:
            names[name] = None
            yield 0
    prohibited: list[str] = []
    invalid: list[str] = []
    for name in names:
        yield 0
        if name in INTERNAL_TOPICS:
            prohibited.append(name)
        elif name_error(name) is not None:
            invalid.append(name)
    if prohibited:
        text = ",".join(prohibited)
        raise invalid_topology(
            f"Use of Kafka internal topics {text} in a Kafka Streams topology is prohibited."
        )
    if invalid:
        raise invalid_topology(f"Topic names {','.join(invalid)} are not valid topic names.")
    return [*names]


def check_supported(sent: heartbeat.Topology) -> Steps[None]:
    """Raise KafkaError if the topology reads topics by regular expressions.

    Kafka: the last check of throwIfStreamsGroupHeartbeatRequestIsUsingUnsupportedFeatures.
    """
    for each in sent.subtopologies:
        yield 0
        if each.source_topic_regex:
            raise KafkaError(
                ErrorCode.INVALID_REQUEST, "Regular expressions for source topics are not supported yet."
            )


def check_topology(sent: heartbeat.Topology) -> Steps[None]:
    """Raise KafkaError if a changelog topic has a number of partitions: the broker decides it.

    Kafka: throwIfInvalidTopology, when a member joins.
    """
    for each in sent.subtopologies:
        yield 0
        for topic in each.state_changelog_topics:
            yield 0
            if topic.partitions != 0:
                raise invalid_topology(
                    f"Changelog topic {topic.name} must have an undefined partition count, "
                    f"but it is set to {topic.partitions}."
                )


def topology_record(sent: heartbeat.Topology) -> Steps[StreamsGroupTopologyValue]:
    """Return the record of a topology, in the order of the request.

    Raises KafkaError if two subtopologies have the same id or the epoch is negative.
    Kafka: StreamsTopology.fromHeartbeatRequest.
    """
    subtopologies: dict[str, Subtopology] = {}
    names = 0
    for each in sent.subtopologies:
        yield 0
        if each.subtopology_id in subtopologies:
            raise unexpected()
        names += 1 + len(each.source_topics) + len(each.repartition_sink_topics)
        names += len(each.state_changelog_topics) + len(each.repartition_source_topics)
        if names > NAMES_MAX:
            raise invalid_topology(f"The topology has more than {NAMES_MAX} subtopologies and topics.")
        groups: list[CopartitionGroup] = []
        for group in each.copartition_groups:
            yield 0
            groups.append(
                CopartitionGroup(
                    group.source_topics, group.source_topic_regex, group.repartition_source_topics
                )
            )
        subtopologies[each.subtopology_id] = Subtopology(
            subtopology_id=each.subtopology_id,
            source_topics=each.source_topics,
            source_topic_regex=each.source_topic_regex,
            state_changelog_topics=(yield from _recorded(each.state_changelog_topics)),
            repartition_sink_topics=each.repartition_sink_topics,
            repartition_source_topics=(yield from _recorded(each.repartition_source_topics)),
            copartition_groups=groups,
        )
    if sent.epoch < 0:
        raise unexpected()
    return StreamsGroupTopologyValue(sent.epoch, [*subtopologies.values()])


def _recorded(topics: Sequence[heartbeat.TopicInfo]) -> Steps[list[TopicInfo]]:
    recorded: list[TopicInfo] = []
    for topic in topics:
        configs: list[TopicConfig] = []
        for config in topic.topic_configs:
            yield 0
            configs.append(TopicConfig(config.key, config.value))
        yield 0
        recorded.append(TopicInfo(topic.name, topic.partitions, topic.replication_factor, configs))
    return recorded


def is_same_topology(one: StreamsGroupTopologyValue, other: StreamsGroupTopologyValue) -> Steps[bool]:
    """Return whether epochs and subtopologies are equal; their lists must have the same order.

    The order of the subtopologies matters only if two of them read the same topic and share a bucket of
    Kafka's map, because Kafka also compares which of them `source_topics` returns.
    Kafka: StreamsTopology.equals.
    """
    if one.epoch != other.epoch or len(one.subtopologies) != len(other.subtopologies):
        return False
    others = yield from _by_id(other)
    is_aligned = True
    for each, beside in zip(one.subtopologies, other.subtopologies, strict=True):
        yield 0
        if others.get(each.subtopology_id) != each:
            return False
        is_aligned = is_aligned and each.subtopology_id == beside.subtopology_id
    return is_aligned or (yield from source_topics(one)) == (yield from source_topics(other))


# The topics


def required_topics(topology: StreamsGroupTopologyValue) -> Steps[dict[str, None]]:
    """Return the source, repartition and changelog topics, which the metadata hash covers, each once.

    They are in the order in which Kafka collects them: put_order returns the order of its set.
    """
    names: dict[str, None] = {}
    for each in (yield from in_map_order(topology)):
        yield 0
        for name in chain(read_topics(each), (topic.name for topic in each.state_changelog_topics)):
            names[name] = None
            yield 0
    return names


def source_topics(topology: StreamsGroupTopologyValue) -> Steps[dict[str, str]]:
    """Return the id of the subtopology that reads each topic, the last one in the order of Kafka's map.

    Kafka: StreamsTopology.sourceTopicMap.
    """
    readers: dict[str, str] = {}
    for each in (yield from in_map_order(topology)):
        yield 0
        for name in read_topics(each):
            readers[name] = each.subtopology_id
            yield 0
    return readers


def metadata_hash(topology: StreamsGroupTopologyValue, cluster: Cluster) -> Steps[int]:
    """Return the hash of the required topics that exist. Kafka: StreamsGroup.computeMetadataHash."""
    existing: list[str] = []
    for name in (yield from required_topics(topology)):
        yield 0
        if name in cluster.topics:
            existing.append(name)
    return (yield from subscriptions.metadata_hash(cluster, existing))


def read_topics(subtopology: Subtopology) -> Iterable[str]:
    """Return the source topics and repartition topics that the subtopology reads."""
    return chain(subtopology.source_topics, (topic.name for topic in subtopology.repartition_source_topics))


def in_map_order(topology: StreamsGroupTopologyValue) -> Steps[list[Subtopology]]:
    """Return the subtopologies in the order of the HashMap in which Kafka keeps them."""
    by_id = yield from _by_id(topology)
    ordered: list[Subtopology] = []
    for each in (yield from put_order_in_steps(by_id)):
        ordered.append(by_id[each])
        yield 0
    return ordered


def _by_id(topology: StreamsGroupTopologyValue) -> Steps[dict[str, Subtopology]]:
    by_id: dict[str, Subtopology] = {}
    for each in topology.subtopologies:
        by_id[each.subtopology_id] = each
        yield 0
    return by_id


def collected(order: Steps[Iterator[T]], items: int = 0) -> Steps[list[T]]:
    """Return a list of what the order iterates over, which costs a comparison or more for each.

    items: for how many items of a response each counts
    """
    found: list[T] = []
    for each in (yield from order):
        found.append(each)
        yield items
    return found


def text_order(texts: Collection[str]) -> Steps[Iterator[str]]:
    """Return the texts as String.compareTo sorts them."""
    return (yield from in_order([*texts], _text_key))


# The description


def describe(
    topology: StreamsGroupTopologyValue, configured: ConfiguredTopology | None
) -> Steps[described.Topology]:
    """Return the topology for StreamsGroupDescribe: with the decided numbers of partitions if it is ready.

    It yields the number of items that it adds to the response.
    Kafka: asStreamsGroupDescribeTopology of ConfiguredTopology and StreamsTopology.
    """
    subtopologies: list[described.Subtopology] = []
    if configured is not None and configured.is_ready and configured.subtopologies is not None:
        for subtopology_id, ready in configured.subtopologies.items():
            yield 1
            subtopologies.append(
                described.Subtopology(
                    subtopology_id=subtopology_id,
                    source_topics=(yield from collected(text_order(ready.source_topics), 1)),
                    repartition_sink_topics=(
                        yield from collected(text_order(ready.repartition_sink_topics), 1)
                    ),
                    repartition_source_topics=(
                        yield from _described_topics(
                            map(_described, ready.repartition_source_topics.values())
                        )
                    ),
                    state_changelog_topics=(
                        yield from _described_topics(map(_described, ready.changelog_topics.values()))
                    ),
                )
            )
        return described.Topology(configured.epoch, subtopologies)
    by_id = yield from _by_id(topology)
    for subtopology_id in (yield from text_order(by_id)):
        yield 1
        each = by_id[subtopology_id]
        subtopologies.append(
            described.Subtopology(
                subtopology_id=subtopology_id,
                source_topics=(yield from collected(text_order(each.source_topics), 1)),
                repartition_sink_topics=(yield from collected(text_order(each.repartition_sink_topics), 1)),
                repartition_source_topics=(
                    yield from _described_topics(map(_described_as_sent, each.repartition_source_topics))
                ),
                state_changelog_topics=(
                    yield from _described_topics(map(_described_as_sent, each.state_changelog_topics))
                ),
            )
        )
    return described.Topology(topology.epoch, subtopologies)


def _described_topics(topics: Iterable[described.TopicInfo]) -> Steps[list[described.TopicInfo]]:
    built: list[described.TopicInfo] = []
    for topic in topics:
        built.append(topic)
        yield 1 + len(topic.topic_configs)
    return (yield from collected(in_order(built, lambda topic: _text_key(topic.name))))


def _described(topic: InternalTopic) -> described.TopicInfo:
    return described.TopicInfo(
        topic.name,
        topic.partitions,
        topic.replication_factor,
        [described.KeyValue(key, value) for key, value in topic.configs.items()],
    )


def _described_as_sent(topic: TopicInfo) -> described.TopicInfo:
    return described.TopicInfo(
        topic.name,
        topic.partitions,
        topic.replication_factor,
        [described.KeyValue(config.key, config.value) for config in topic.topic_configs],
    )


def _text_key(text: str) -> bytes:
    """Return a key that sorts texts as String.compareTo does."""
    return text.encode("utf-16-be", "surrogatepass")


def invalid_topology(message: str) -> KafkaError:
    return KafkaError(ErrorCode.STREAMS_INVALID_TOPOLOGY, message)


def unexpected() -> KafkaError:
    return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
