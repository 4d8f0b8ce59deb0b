"""Creates and deletes topics over Kafka's protocol, on any Kafka."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tidemark_testing.wire import fixture_client
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ClientError, error_code

__tracebackhide__ = True

TIMEOUT_MS: Final = 30_000
DELETE_VERSION: Final = 5  # the last version that identifies topics by name only


class TopicRefused(Exception):
    """The broker did not create the topic. The message names the error."""


def create_topic(
    bootstrap: str,
    name: str,
    partitions: int,
    configs: Mapping[str, object],
    *,
    settings: Mapping[str, str] | None = None,
) -> None:
    """Create a topic, and return once every partition has a leader.

    With partitions -1 the broker's num.partitions applies. settings: of the client. Raises
    TopicRefused, also if no broker responds.
    """
    try:
        with fixture_client(bootstrap, settings) as client:
            _create_topic(client, name, partitions, configs)
    except ClientError as error:
        raise TopicRefused(f"topic {name}: {error}") from None


def _create_topic(client: Client, name: str, partitions: int, configs: Mapping[str, object]) -> None:
    given = [CreatableTopicConfig(name=key, value=text(value)) for key, value in configs.items()]
    topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=-1, configs=given)
    request = CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS)
    made = client.call(request, once=True).topics[0]
    if made.error_code:
        code = error_code(made.error_code)
        raise TopicRefused(f"topic {name}: {code.name}: {made.error_message or code.text}")
    _await_leaders(client, name, max(partitions, made.num_partitions))


def delete_topics(bootstrap: str, names: Iterable[str], *, settings: Mapping[str, str] | None = None) -> None:
    """Delete the topics. Topics that do not exist are no error."""
    with fixture_client(bootstrap, settings) as client:
        request = DeleteTopicsRequest(topic_names=list(names), timeout_ms=TIMEOUT_MS)
        client.call(request, max_version=DELETE_VERSION)


def text(value: object) -> str:
    """Return the value as text for a setting."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _await_leaders(client: Client, name: str, partitions: int) -> None:
    """Wait for leaders: a Kafka cluster responds to CreateTopics before all of its nodes know the topic."""

    def led(answer: Any) -> bool:
        found = answer.topics[0]
        return (
            found.error_code == ErrorCode.NONE
            and len(found.partitions) == partitions
            and all(each.leader_id >= 0 for each in found.partitions)
        )

    request = MetadataRequest(topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=False)
    if not led(client.call_until(request, None, led)):
        raise TopicRefused(f"topic {name} was created, but not all of its partitions have a leader")
