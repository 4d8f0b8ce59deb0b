"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.handlers.cluster.test_alter_client_quotas import RATE, alter, entry
from tidemark.core.context import Operation
from tidemark.handlers.cluster.describe_client_quotas import describe_client_quotas
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest


def test_quotas_of_an_entity_are_one_entry() -> None:
    story = ClusterStory()
    alter(story, entry("alice", RATE, 10), entry("bob", RATE, 20))
    alter(story, entry("alice", "request_percentage", 2.5))
    request = DescribeClientQuotasRequest([ComponentData("user", 0, "alice")])
    (found,) = story.ask(describe_client_quotas, request, 1).entries
    assert [(part.entity_type, part.entity_name) for part in found.entity] == [("user", "alice")]
    assert {each.key: each.value for each in found.values} == {RATE: 10, "request_percentage": 2.5}


def test_wrong_filter_has_no_entries() -> None:
    response = ClusterStory().ask(
        describe_client_quotas, DescribeClientQuotasRequest([ComponentData("user", 9, None)]), 1
    )
    assert (response.error_code, response.entries) == (ErrorCode.INVALID_REQUEST, None)


def test_client_without_describe_configs_on_the_cluster_is_refused() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.DESCRIBE_CONFIGS
    with pytest.raises(KafkaError) as refused:
        story.ask(describe_client_quotas, DescribeClientQuotasRequest(), 1)
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
