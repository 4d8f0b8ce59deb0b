"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import BROKER, BROKER_LOGGER, GROUP, TOPIC, ClusterStory
from tidemark.handlers.cluster.alter_configs import alter_configs
from tidemark_protocol.messages.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)

Configs = list[tuple[str, str | None]]


def told(story: ClusterStory, kind: int, name: str, configs: Configs) -> tuple[int, str | None]:
    resource = AlterConfigsResource(kind, name, [AlterableConfig(*config) for config in configs])
    response = story.ask(alter_configs, AlterConfigsRequest([resource]), 2).responses[0]
    return response.error_code, response.error_message


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("foo", configs={"cleanup.policy": "compact"})
    return story


def test_settings_that_are_not_named_are_removed(story: ClusterStory) -> None:
    assert told(story, TOPIC, "foo", [("retention.ms", "55")]) == (0, None)
    assert story.cluster.overrides(TOPIC, "foo") == {"retention.ms": "55"}
    assert told(story, TOPIC, "foo", []) == (0, None)
    assert story.cluster.overrides(TOPIC, "foo") == {}


@pytest.mark.parametrize(
    ("kind", "name", "configs", "code", "message"),
    [
        (TOPIC, "nosuch", [("retention.ms", "1")], 3, "The topic 'nosuch' does not exist."),
        (BROKER, "1", [("node.id", "3")], 42, "Cannot update these configs dynamically: [node.id]"),
        (BROKER, "9", [("log.cleaner.threads", "1")], 42, "Unexpected broker id, expected 1, but received 9"),
        (BROKER, "", [], 40, "Cluster-level min.insync.replicas cannot be removed while ELR is enabled."),
        (BROKER_LOGGER, "1", [("kafka", "DEBUG")], 42, "Unknown resource type 8"),
        (GROUP, "g", [("nope", "1")], 40, "Unknown group config name: nope"),
        (99, "x", [("a", "1")], 42, "Unknown resource type 99"),
    ],
)
def test_refused_in_kafkas_words(
    story: ClusterStory, kind: int, name: str, configs: Configs, code: int, message: str
) -> None:
    assert told(story, kind, name, configs) == (code, message)
    assert story.cluster.overrides(TOPIC, "foo") == {"cleanup.policy": "compact"}
