"""A hundred thousand long names are hashed for the first time in short steps."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, cast

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.group_story import GroupStory
from tidemark.core.context import Context
from tidemark.core.decision import RUN_LENGTH, counted, in_order
from tidemark.handlers.cluster.alter_configs import alter_configs
from tidemark.handlers.cluster.incremental_alter_configs import incremental_alter_configs
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.list_groups import list_groups
from tidemark.handlers.topics.create_partitions import create_partitions
from tidemark.handlers.topics.create_topics import create_topics
from tidemark.handlers.topics.delete_topics import delete_topics
from tidemark.handlers.topics.describe_topic_partitions import describe_topic_partitions
from tidemark.handlers.topics.metadata import metadata
from tidemark_protocol.messages.alter_configs import AlterableConfig, AlterConfigsRequest
from tidemark_protocol.messages.alter_configs import AlterConfigsResource as AlterableResource
from tidemark_protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from tidemark_protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tidemark_protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from tidemark_protocol.messages.incremental_alter_configs import AlterableConfig as IncrementalConfig
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

NAMES = 2000
IN_ONE_STEP_MAX = 100
TOPIC = 2


class Name(str):
    """Counts in the list `first` how many names are hashed for the first time."""

    __slots__ = ("first", "hashed")
    first: list[str]
    hashed: bool

    def __hash__(self) -> int:
        if not self.hashed:
            self.hashed = True
            self.first.append(self)
        return str.__hash__(self)

    def strip(self, *chars: Any) -> Name:
        return self

    def lower(self) -> Name:
        return self


def names() -> list[Name]:
    first: list[str] = []
    found = [Name(f"name-{n:05d}") for n in range(NAMES)]
    for name in found:
        name.first, name.hashed = first, False
    return found


REQUESTS: dict[Callable[..., Any], Callable[[list[Name]], Any]] = {
    create_partitions: lambda some: CreatePartitionsRequest(
        [CreatePartitionsTopic(name, 2, None) for name in some], 1000
    ),
    create_topics: lambda some: CreateTopicsRequest([CreatableTopic(name, 1, 1) for name in some], 1000),
    delete_topics: lambda some: DeleteTopicsRequest([DeleteTopicState(name) for name in some], [], 1000),
    describe_topic_partitions: lambda some: DescribeTopicPartitionsRequest(
        [TopicRequest(name) for name in some], 2000
    ),
    incremental_alter_configs: lambda some: IncrementalAlterConfigsRequest(
        [AlterConfigsResource(TOPIC, name, []) for name in some], False
    ),
    metadata: lambda some: MetadataRequest([MetadataRequestTopic(name=name) for name in some], False),
    delete_groups: lambda some: DeleteGroupsRequest([*some]),
    list_groups: lambda some: ListGroupsRequest([*some], [*some]),
}
SETTINGS: dict[Callable[..., Any], Callable[[list[Name]], Any]] = {
    alter_configs: lambda some: AlterConfigsRequest(
        [AlterableResource(TOPIC, "orders", [AlterableConfig(name, "1") for name in some])], False
    ),
    create_topics: lambda some: CreateTopicsRequest(
        [CreatableTopic("new", 1, 1, [], [CreatableTopicConfig(name, "1") for name in some])], 1000
    ),
    incremental_alter_configs: lambda some: IncrementalAlterConfigsRequest(
        [AlterConfigsResource(TOPIC, "orders", [IncrementalConfig(name, 0, "1") for name in some])], False
    ),
}
OF_GROUPS = (delete_groups, list_groups)


@pytest.mark.parametrize("handler", REQUESTS, ids=lambda handler: handler.__name__)
def test_few_names_are_hashed_in_one_step(handler: Callable[..., Any]) -> None:
    hashed_in_short_steps(handler, REQUESTS[handler])


@pytest.mark.parametrize("handler", SETTINGS, ids=lambda handler: handler.__name__)
def test_few_settings_of_one_resource_are_hashed_in_one_step(handler: Callable[..., Any]) -> None:
    hashed_in_short_steps(handler, SETTINGS[handler])


def hashed_in_short_steps(handler: Callable[..., Any], request: Callable[[list[Name]], Any]) -> None:
    some = names()
    steps = decided(handler, request(some))
    before = 0
    for _ in steps:
        assert len(some[0].first) - before <= IN_ONE_STEP_MAX
        before = len(some[0].first)
    assert before == NAMES


def decided(handler: Callable[..., Any], request: Any) -> Generator[Any, None, Any]:
    if handler in OF_GROUPS:
        story = GroupStory({"__consumer_offsets": 1})
        context = Context(wall_ms=0, steady_ms=0, version=2, cluster=story.cluster)
        return cast(Generator[Any, None, Any], handler(story.groups, context, request))
    cluster_story = ClusterStory()
    context = cluster_story.context(1)
    return cast(Generator[Any, None, Any], handler(cluster_story.cluster, context, request))


def result_of(steps: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def test_items_are_counted_in_the_order_of_their_first_occurrence() -> None:
    counts = result_of(counted(["b", "a", "b"]))
    assert list(counts.items()) == [("b", 2), ("a", 1)]


@pytest.mark.parametrize("count", [0, 1, RUN_LENGTH, 3 * RUN_LENGTH + 1])
def test_names_are_sorted_in_runs(count: int) -> None:
    mixed = [f"{n * 7919 % 10_007:05d}" for n in range(count)]
    assert list(result_of(in_order(mixed))) == sorted(mixed)
