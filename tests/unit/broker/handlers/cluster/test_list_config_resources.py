"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import (
    BROKER,
    BROKER_LOGGER,
    CLIENT_METRICS,
    DELETE,
    GROUP,
    SET,
    TOPIC,
    ClusterStory,
)
from tidemark.handlers.cluster.list_config_resources import list_config_resources
from tidemark_protocol.messages.list_config_resources import ListConfigResourcesRequest


def ask(story: ClusterStory, version: int, *kinds: int) -> tuple[int, set[tuple[int, str]]]:
    response = story.ask(list_config_resources, ListConfigResourcesRequest(list(kinds)), version)
    return response.error_code, {(r.resource_type, r.resource_name) for r in response.config_resources}


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("foo")
    story.alter(CLIENT_METRICS, "m1", ("interval.ms", SET, "1000"))
    story.alter(GROUP, "g1", ("consumer.session.timeout.ms", SET, "50000"))
    return story


def test_all_resources_or_requested_types_are_listed(story: ClusterStory) -> None:
    everything = {(TOPIC, "foo"), (BROKER, "1"), (BROKER_LOGGER, "1"), (CLIENT_METRICS, "m1"), (GROUP, "g1")}
    assert ask(story, 1) == (0, everything)
    assert ask(story, 1, TOPIC, BROKER) == (0, {(TOPIC, "foo"), (BROKER, "1")})


def test_version_0_lists_client_metrics(story: ClusterStory) -> None:
    assert ask(story, 0) == (0, {(CLIENT_METRICS, "m1")})


def test_a_group_without_settings_is_not_listed(story: ClusterStory) -> None:
    story.alter(GROUP, "g1", ("consumer.session.timeout.ms", DELETE, None))
    assert ask(story, 1, GROUP) == (0, set())


@pytest.mark.parametrize("kind", [0, 1, 99])
def test_unknown_type_is_refused(story: ClusterStory, kind: int) -> None:
    assert ask(story, 1, TOPIC, kind) == (35, set())


def test_client_without_rights_to_settings_is_refused(story: ClusterStory) -> None:
    story.allowed = lambda operation, kind, name: False
    assert ask(story, 1) == (31, set())
