"""A cluster without disk and sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tests.unit.broker.story import Story, as_decoded, error_response, finished
from tidemark.core.apply import apply
from tidemark.core.context import (
    Authorizers,
    Caller,
    Context,
    everyone_is_allowed,
    everything_is_allowed,
)
from tidemark.core.decision import Decision, Record
from tidemark.handlers.cluster.incremental_alter_configs import incremental_alter_configs
from tidemark.handlers.topics.create_topics import create_topics
from tidemark.metadata.bootstrap import Endpoint, Start, start_records
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
)
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.stored import decode_metadata, encode_metadata

DIRECTORY_ID = b"directory-of-one"
SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32

# The broker's settings that the stories need.
DEFAULTS = {
    "node.id": "1",
    "message.max.bytes": "1048588",
    "log.retention.hours": "168",
    "log.retention.ms": None,
    "log.cleanup.policy": "delete",
    "log.roll.hours": "168",
    "log.roll.ms": None,
    "log.flush.interval.ms": None,
    "min.insync.replicas": "1",
    "group.consumer.min.session.timeout.ms": "45000",
    "group.consumer.max.session.timeout.ms": "60000",
    "group.consumer.session.timeout.ms": "45000",
}


def new_cluster(settings: BrokerSettings | None = None) -> Cluster:
    return Cluster(Identity("cluster-id", 1, DIRECTORY_ID), settings, DEFAULTS)


def a_start(offset: int = 1, port: int = 9092, nodes: int = 1) -> Start:
    endpoints = {1 + each: (Endpoint("PLAINTEXT", "127.0.0.1", port + each),) for each in range(nodes)}
    ids = iter(range(2, 10))
    return Start(b"incarnation-of-1", endpoints, offset, lambda: bytes([next(ids)]) * 16)


def through_the_log(records: Iterable[Record]) -> list[Record]:
    """Return the records after they were written and read."""
    return [Record(None, decode_metadata(encode_metadata(record.value))) for record in records]


class ClusterStory(Story):
    """The cluster of a started node."""

    def __init__(self, settings: BrokerSettings | None = None, given: dict[str, str] | None = None) -> None:
        super().__init__(new_cluster(settings or BrokerSettings(given=given or {})))
        self.cluster: Cluster = self.state
        self.has_authorizer = False  # besides what `allowed` denies
        self.store(start_records(self.cluster, a_start()))

    def store(self, records: Iterable[Record]) -> None:
        apply(self, Decision(records=tuple(records)), self.wall_ms)

    def context(self, version: int, **more: Any) -> Context:
        caller = Caller(host="broker.test", port=19092, authorizers=self._authorizers())
        return super().context(version, **({"caller": caller, "cluster": self.cluster} | more))

    def _authorizers(self) -> Authorizers:
        if self.allowed is everything_is_allowed and not self.has_authorizer:
            return everyone_is_allowed
        return lambda *_: self.allowed

    def ask(self, decide: Callable[..., Any], request: Any, version: int, **more: Any) -> Any:
        """Return the response as a client decodes it. Raises KafkaError as the handler does."""
        self.effects.clear()
        decided = finished(decide(self.cluster, self.context(version, **more), request), self.accept)
        if isinstance(decided, Decision):
            self.accept(decided)
            decided = decided.response
        return as_decoded(decided, version)

    def response(self, decide: Callable[..., Any], request: Any, version: int, **more: Any) -> Any:
        """Return the response as a client decodes it, also if the handler raises KafkaError."""
        try:
            return self.ask(decide, request, version, **more)
        except KafkaError as refused:
            return as_decoded(error_response(request, refused.code), version)

    def new_producer_id(self, node_id: int | None = None) -> int:
        if not self.cluster.has_producer_ids(self.cluster.identity.node_id):
            self.accept(self.cluster.next_producer_ids(self.cluster.identity.node_id))
        return self.cluster.take_producer_id(self.cluster.identity.node_id)

    def restarted(self) -> Cluster:
        """Return the state that a restart rebuilds from the log."""
        cluster = new_cluster(self.cluster.settings)
        for record in through_the_log(self.log):
            cluster.replay(record)
        return cluster

    # Short forms.

    def create(
        self, name: str, partitions: int = 1, replicas: int = 1, version: int = 7, **more: Any
    ) -> CreatableTopicResult:
        """Return a topic to create. more: configs as a dict, assignments as (partition, brokers),
        validate_only.
        """
        configs = [CreatableTopicConfig(key, value) for key, value in more.get("configs", {}).items()]
        assignments = [
            CreatableReplicaAssignment(index, brokers) for index, brokers in more.get("assignments", [])
        ]
        topic = CreatableTopic(name, partitions, replicas, assignments, configs)
        request = CreateTopicsRequest([topic], validate_only=more.get("validate_only", False))
        result: CreatableTopicResult = self.ask(create_topics, request, version).topics[0]
        return result

    def alter(
        self, kind: int, name: str, *changes: tuple[str, int, str | None], validate_only: bool = False
    ) -> AlterConfigsResourceResponse:
        resource = AlterConfigsResource(kind, name, [AlterableConfig(*change) for change in changes])
        request = IncrementalAlterConfigsRequest([resource], validate_only)
        result: AlterConfigsResourceResponse = self.ask(incremental_alter_configs, request, 1).responses[0]
        return result
