"""Commands of thousands of records are decided, written and replayed in small parts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import finished
from tidemark.core.decision import PART_RECORDS_MAX, Decision, TopicsDeleted
from tidemark.handlers.cluster.alter_client_quotas import alter_client_quotas
from tidemark.handlers.cluster.incremental_alter_configs import incremental_alter_configs
from tidemark.handlers.topics.create_partitions import create_partitions
from tidemark.handlers.topics.create_topics import create_topics
from tidemark.handlers.topics.delete_topics import PART_PARTITIONS, delete_topics
from tidemark.handlers.topics.metadata import metadata
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntityData,
    AlterClientQuotasRequestEntryData,
    OpData,
)
from tidemark_protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

TOPIC, GROUP = 2, 32
SESSION_TIMEOUT = "consumer.session.timeout.ms"


class Parts(ClusterStory):
    """A story that remembers how many records each part had."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[int] = []

    def accept(self, result: Decision[Any]) -> None:
        self.parts.append(len(result.records))
        super().accept(result)


@pytest.fixture
def story() -> Parts:
    return Parts()


def creation(topics: list[CreatableTopic], *, validate_only: bool = False) -> CreateTopicsRequest:
    return CreateTopicsRequest(topics, 1000, validate_only)


def test_many_topics_are_created_in_parts(story: Parts) -> None:
    answer = story.ask(create_topics, creation([CreatableTopic(f"t{n}", 2, 1) for n in range(300)]), 7)
    assert {topic.error_code for topic in answer.topics} == {0}
    assert [topic.name for topic in answer.topics] == [f"t{n}" for n in range(300)]
    assert max(story.parts) <= PART_RECORDS_MAX
    assert sum(story.parts) == 900
    assert story.restarted().hard_state() == story.cluster.hard_state()


@pytest.mark.slow
def test_too_many_topics_are_refused_in_steps(story: Parts) -> None:
    request = creation([CreatableTopic(f"t{n}", 1, 1) for n in range(10_001)])
    steps = create_topics(story.cluster, story.context(7), request)
    assert sum(1 for _ in steps) >= 2 * len(request.topics)
    answer = story.ask(create_topics, request, 7)
    assert {topic.error_code for topic in answer.topics} == {ErrorCode.POLICY_VIOLATION}


def test_resources_are_counted_and_then_altered_in_steps(story: Parts) -> None:
    resources = [AlterConfigsResource(TOPIC, f"t{n}", []) for n in range(5000)]
    request = IncrementalAlterConfigsRequest(resources, False)
    steps = incremental_alter_configs(story.cluster, story.context(1), request)
    assert sum(1 for _ in steps) > len(resources)


@pytest.mark.parametrize("times", [1, 2])
def test_entity_of_a_thousand_types_is_refused_in_steps(story: Parts, times: int) -> None:
    kinds = [AlterClientQuotasRequestEntityData(f"kind-{n}", None) for n in range(1000)]
    request = AlterClientQuotasRequest([AlterClientQuotasRequestEntryData(kinds, [])] * times)
    steps = alter_client_quotas(story.cluster, story.context(1), request)
    assert sum(1 for _ in steps) > 3 * times * len(kinds)
    told = story.ask(alter_client_quotas, request, 1).entries
    assert [(each.error_code, len(each.entity)) for each in told] == [(ErrorCode.INVALID_REQUEST, 1000)]
    assert told[0].error_message.startswith(
        "Unhandled client quota entity type: kind-" if times == 1 else "Ignoring duplicate entity"
    )


def test_thousands_of_quotas_of_an_entity_are_refused_in_steps(story: Parts) -> None:
    alice = [AlterClientQuotasRequestEntityData("user", "alice")]
    quotas = [OpData(f"quota-{n}", 1.0, False) for n in range(5000)]
    request = AlterClientQuotasRequest([AlterClientQuotasRequestEntryData(alice, quotas)])
    steps = alter_client_quotas(story.cluster, story.context(1), request)
    assert sum(1 for _ in steps) > 2 * len(quotas)
    (told,) = story.ask(alter_client_quotas, request, 1).entries
    assert told.error_message.startswith("Invalid configuration key quota-")


def test_a_topic_with_many_partitions_grows_in_parts(story: Parts) -> None:
    answer = story.ask(create_topics, creation([CreatableTopic("wide", 1234, 1)]), 7)
    assert (answer.topics[0].error_code, answer.topics[0].num_partitions) == (0, 1234)
    assert max(story.parts) <= PART_RECORDS_MAX + 1
    assert [each.index for each in story.cluster.topics["wide"].partitions] == list(range(1234))


def test_partitions_are_added_in_parts(story: Parts) -> None:
    story.create("wide", 1)
    answer = story.ask(
        create_partitions, CreatePartitionsRequest([CreatePartitionsTopic("wide", 1000, None)], 1000), 3
    )
    assert answer.results[0].error_code == 0
    assert max(story.parts) <= PART_RECORDS_MAX
    assert [each.index for each in story.cluster.topics["wide"].partitions] == list(range(1000))


def test_a_topic_that_is_deleted_meanwhile_stops_growing(story: Parts) -> None:
    request = creation([CreatableTopic("wide", 1000, 1)])
    steps = create_topics(story.cluster, story.context(7), request)
    for step in steps:
        if isinstance(step, Decision):
            story.accept(step)
            if len(story.parts) == 3:
                story.ask(delete_topics, DeleteTopicsRequest([DeleteTopicState("wide")], [], 1000), 6)
    assert "wide" not in story.cluster.topics
    assert sum(story.parts) < 1000
    assert story.restarted().hard_state() == story.cluster.hard_state()


def test_a_topic_that_another_client_creates_meanwhile_is_reported_as_existing(story: Parts) -> None:
    request = creation([CreatableTopic(f"t{n}", 1, 1) for n in range(100)])
    steps = create_topics(story.cluster, story.context(7), request)
    story.accept(next(step for step in steps if isinstance(step, Decision)))
    story.create("t99")
    last = finished(steps, story.accept)
    story.accept(last)
    codes = {topic.name: topic.error_code for topic in last.response.topics}
    assert (codes["t98"], codes["t99"]) == (0, 36)


def test_a_validated_creation_writes_nothing(story: Parts) -> None:
    topics = [CreatableTopic(f"t{n}", 1, 1) for n in range(100)] + [CreatableTopic("wide", 1000, 1)]
    story.ask(create_topics, creation(topics, validate_only=True), 7)
    assert sum(story.parts) == 0


def test_many_topics_are_deleted_in_parts(story: Parts) -> None:
    for number in range(200):
        story.create(f"t{number}")
    story.parts.clear()
    names = [DeleteTopicState(f"t{number}") for number in range(200)]
    answer = story.ask(delete_topics, DeleteTopicsRequest(names, [], 1000), 6)
    assert {each.error_code for each in answer.responses} == {0}
    assert max(story.parts) <= PART_RECORDS_MAX
    assert not story.cluster.topics
    deleted = [name for each in story.effects if isinstance(each, TopicsDeleted) for name in each.names]
    assert sorted(deleted) == sorted(f"t{number}" for number in range(200))


def test_topics_with_many_partitions_are_deleted_in_parts(story: Parts) -> None:
    for number in range(4):
        story.create(f"t{number}", partitions=PART_PARTITIONS // 2)
    story.parts.clear()
    names = [DeleteTopicState(f"t{number}") for number in range(4)]
    story.ask(delete_topics, DeleteTopicsRequest(names, [], 1000), 6)
    assert story.parts == [2, 2, 0]
    assert not story.cluster.topics


@pytest.mark.parametrize("validate_only", [False, True])
def test_many_settings_are_altered_in_parts(story: Parts, *, validate_only: bool) -> None:
    for number in range(200):
        story.create(f"t{number}")
    story.parts.clear()
    change = [AlterableConfig("retention.ms", 0, "1000"), AlterableConfig("segment.ms", 0, "1000")]
    resources = [AlterConfigsResource(TOPIC, f"t{number}", change) for number in range(200)]
    answer = story.ask(incremental_alter_configs, IncrementalAlterConfigsRequest(resources, validate_only), 1)
    assert {each.error_code for each in answer.responses} == {0}
    assert max(story.parts) <= PART_RECORDS_MAX
    assert sum(story.parts) == (0 if validate_only else 400)


def test_many_topics_are_auto_created_in_parts(story: Parts) -> None:
    names = [MetadataRequestTopic(name=f"t{number}") for number in range(500)]
    story.ask(metadata, MetadataRequest(names, True), 9)
    assert max(story.parts) <= PART_RECORDS_MAX
    assert len(story.cluster.topics) == 500


def test_more_topics_than_one_request_may_create_are_not_auto_created(story: Parts) -> None:
    names = [MetadataRequestTopic(name=f"t{number}") for number in range(5001)]
    answer = story.ask(metadata, MetadataRequest(names, True), 9)
    assert {topic.error_code for topic in answer.topics} == {3}
    assert not story.cluster.topics


def test_more_settings_than_kafkas_controller_writes_at_once_are_all_refused(story: Parts) -> None:
    for number in range(101):
        story.create(f"t{number}")
    story.parts.clear()
    settings = ("retention.ms", "segment.ms", "retention.bytes", "flush.ms")
    change = [AlterableConfig(name, 0, "100000000") for name in settings] * 25
    resources = [AlterConfigsResource(TOPIC, f"t{number}", change[:4]) for number in range(101)]
    resources += [AlterConfigsResource(TOPIC, f"unknown{number}", change) for number in range(100)]
    answer = story.ask(incremental_alter_configs, IncrementalAlterConfigsRequest(resources), 1)
    assert [each.error_code for each in answer.responses] == [0] * 101 + [42] * 100
    groups = [
        AlterConfigsResource(GROUP, f"g{number}", [AlterableConfig(SESSION_TIMEOUT, 0, "50000")])
        for number in range(10_001)
    ]
    answer = story.ask(incremental_alter_configs, IncrementalAlterConfigsRequest(groups), 1)
    assert {(each.error_code, each.error_message) for each in answer.responses} == {
        (44, "Unable to perform excessively large batch operation.")
    }
