"""Topics, as Kafka's admin client lists, describes, creates, extends and deletes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client, TopicPartition, nodes_of
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import CannotConnect, ErrorResponse, check_results

TIMEOUT_MS: Final = 30_000  # within which the controller must have made a change
PARTITIONS_AT_ONCE: Final = 2000  # in one response; the default of Kafka's admin client
WITH_AGES: Final = 14  # the first version of Metadata that has the age of a partition
CREATION_TIME_SINCE: Final = 1  # the version of DescribeTopicPartitions that has it (KIP-1327)
TOPIC_RESOURCE: Final = 2
DEFAULT_CONFIG: Final = 5  # the source of a default that was not overridden


@dataclass(slots=True)
class PartitionDescription:
    """A partition. Kafka: TopicPartitionInfo.

    leader: None if the partition has none. elr, last_known_elr: None if the broker does not return them.
    creation_time_ms: None if it is unknown, or if the broker has no DescribeTopicPartitions v1.
    """

    partition: int
    leader: int | None
    replicas: list[int]
    isr: list[int]
    elr: list[int] | None = None
    last_known_elr: list[int] | None = None
    creation_time_ms: int | None = None


@dataclass(slots=True)
class TopicDescription:
    """A topic, with its partitions in order. topic_id: zeros if the broker does not know topic ids."""

    name: str
    topic_id: bytes
    is_internal: bool
    partitions: list[PartitionDescription]


class Setting(NamedTuple):
    """A configuration of a topic. is_default: whether it is the default of the broker's release."""

    value: str | None
    is_default: bool


class Reassignment(NamedTuple):
    """A reassignment of a partition that is not complete."""

    replicas: list[int]
    adding: list[int]
    removing: list[int]


def serves_creation_times(client: Client) -> bool:
    """Return whether the broker returns creation times of partitions (KIP-1327)."""
    from tidemark_protocol.messages.describe_topic_partitions import DescribeTopicPartitionsRequest

    connection = client.connection(None, client.deadline(None))
    try:
        return connection.version(DescribeTopicPartitionsRequest()) >= CREATION_TIME_SINCE
    except CannotConnect:
        return False


def describe_topics(
    client: Client, names: Iterable[str], *, partitions_at_once: int = PARTITIONS_AT_ONCE
) -> dict[str, TopicDescription]:
    """Describe these topics. Raises ErrorResponse for the first that cannot be described.

    A broker without DescribeTopicPartitions is asked for its metadata instead.
    """
    wanted = sorted(set(names))
    if not wanted:
        return {}
    try:
        return _described(client, wanted, partitions_at_once)
    except CannotConnect:
        found = client.metadata(wanted)
        return {topic.name: _from_metadata(topic) for topic in found.topics}


def describe_topic_id(client: Client, topic_id: bytes) -> TopicDescription:
    """Describe the topic with this id. Kafka's admin client uses Metadata for it, which knows no ELR.

    Raises ErrorResponse if there is no such topic.
    """
    return _from_metadata(client.metadata(topic_ids=[topic_id]).topics[0])


def _described(client: Client, names: Sequence[str], partitions_at_once: int) -> dict[str, TopicDescription]:
    """Describe the topics page by page. Raises CannotConnect if the broker cannot."""
    from tidemark_protocol.messages import describe_topic_partitions as api

    request = api.DescribeTopicPartitionsRequest(
        topics=[api.TopicRequest(name=name) for name in names], response_partition_limit=partitions_at_once
    )
    found: dict[str, TopicDescription] = {}
    while True:
        response = client.call(request)
        for topic in response.topics:
            check_results([topic])
            known = found.setdefault(
                topic.name, TopicDescription(topic.name, topic.topic_id, topic.is_internal, [])
            )
            known.partitions += map(_partition, topic.partitions)
        following = response.next_cursor
        if following is None:
            return found
        request.cursor = api.DescribeTopicPartitionsRequestCursor(
            following.topic_name, following.partition_index
        )


def _partition(partition: Any) -> PartitionDescription:
    created = partition.creation_time_ms
    return PartitionDescription(
        *_placement(partition), partition.eligible_leader_replicas or [], partition.last_known_elr or [],
        None if created < 0 else created,
    )  # fmt: skip


def _from_metadata(topic: Any) -> TopicDescription:
    check_results([topic])
    partitions = [PartitionDescription(*_placement(each)) for each in topic.partitions]
    partitions.sort(key=lambda each: each.partition)
    return TopicDescription(topic.name, topic.topic_id, topic.is_internal, partitions)


def _placement(partition: Any) -> tuple[int, int | None, list[int], list[int]]:
    leader = None if partition.leader_id < 0 else partition.leader_id
    return partition.partition_index, leader, partition.replica_nodes, partition.isr_nodes


def topic_settings(client: Client, names: Iterable[str]) -> dict[str, dict[str, Setting]]:
    """Return the configuration of each topic, in the broker's order. Raises ErrorResponse."""
    from tidemark_protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource

    resources = [DescribeConfigsResource(TOPIC_RESOURCE, name, None) for name in names]
    response = client.call(DescribeConfigsRequest(resources=resources))
    found: dict[str, dict[str, Setting]] = {}
    check_results(response.results)
    for result in response.results:
        found[result.resource_name] = {
            each.name: Setting(each.value, each.config_source == DEFAULT_CONFIG) for each in result.configs
        }
    return found


def reassignments(client: Client, topics: Iterable[TopicDescription]) -> dict[TopicPartition, Reassignment]:
    """Return the reassignments of these topics; none if the broker cannot or may not return them."""
    from tidemark_protocol.messages import list_partition_reassignments as api

    wanted = [
        api.ListPartitionReassignmentsTopics(topic.name, [each.partition for each in topic.partitions])
        for topic in topics
    ]
    request = api.ListPartitionReassignmentsRequest(timeout_ms=TIMEOUT_MS, topics=wanted)
    try:
        response = client.call(request, _controller(client))
    except CannotConnect:
        return {}
    if response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
        return {}
    check_results([response])
    return {
        TopicPartition(topic.name, each.partition_index): Reassignment(
            each.replicas, each.adding_replicas, each.removing_replicas
        )
        for topic in response.topics
        for each in topic.partitions
    }


class NewTopic(NamedTuple):
    """A topic to create. partitions, replication_factor: -1 for the broker's default.

    replicas: the brokers of each partition, if the caller assigns them; both numbers are -1 then.
    """

    name: str
    partitions: int = -1
    replication_factor: int = -1
    replicas: Sequence[list[int]] = ()
    settings: Mapping[str, str] = {}


def create_topic(client: Client, topic: NewTopic) -> None:
    """Create a topic. Raises ErrorResponse."""
    from tidemark_protocol.messages import create_topics as api

    if not topic.name:
        raise ErrorResponse(
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            f"The given topic name '{topic.name}' cannot be represented in a request.",
        )
    wanted = api.CreatableTopic(
        name=topic.name,
        num_partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        assignments=[api.CreatableReplicaAssignment(at, ids) for at, ids in enumerate(topic.replicas)],
        configs=[api.CreatableTopicConfig(name, value) for name, value in topic.settings.items()],
    )
    request = api.CreateTopicsRequest(topics=[wanted], timeout_ms=TIMEOUT_MS)
    check_results(client.call(request, _controller(client)).topics)


def create_partitions(
    client: Client, counts: Mapping[str, int], replicas: Mapping[str, Sequence[list[int]]]
) -> None:
    """Raise the number of partitions of each topic to this count. Raises the first ErrorResponse.

    replicas: the brokers of each new partition, for topics for which the caller assigns them.
    """
    from tidemark_protocol.messages import create_partitions as api

    assigned = {
        name: [api.CreatePartitionsAssignment(ids) for ids in some] for name, some in replicas.items()
    }
    topics = [api.CreatePartitionsTopic(name, count, assigned.get(name)) for name, count in counts.items()]
    request = api.CreatePartitionsRequest(topics=topics, timeout_ms=TIMEOUT_MS)
    check_results(client.call(request, _controller(client)).results)


def delete_topics(client: Client, names: Sequence[str]) -> None:
    """Delete these topics. Raises the first ErrorResponse."""
    from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState

    request = DeleteTopicsRequest(
        topics=[DeleteTopicState(name=name) for name in names], topic_names=list(names), timeout_ms=TIMEOUT_MS
    )
    check_results(client.call(request, _controller(client)).responses)


def _controller(client: Client) -> BrokerEndpoint | None:
    """Return the broker that changes topics. With KRaft, every broker does."""
    response = client.metadata([])
    return nodes_of(response).get(response.controller_id)


def check_ages(client: Client) -> None:
    """Raise UnsupportedVersion if the broker has no ages."""
    from tidemark_protocol.messages.metadata import MetadataRequest

    client.connection(None, client.deadline(None)).version(MetadataRequest(), min_version=WITH_AGES)


def partition_ages(client: Client, topics: Iterable[str]) -> dict[TopicPartition, int]:
    """Return the age in ms of each partition of these topics, AGE_UNKNOWN if the broker does not know it.

    Each call queries the cluster. A partition that the broker does not list yet is left out: ask again.
    Raises UnsupportedVersion if the broker has no ages.
    """
    response = client.metadata(sorted(set(topics)), min_version=WITH_AGES)
    return {
        TopicPartition(topic.name or "", partition.partition_index): partition.partition_age_ms
        for topic in response.topics
        if topic.error_code == ErrorCode.NONE
        for partition in topic.partitions
    }
