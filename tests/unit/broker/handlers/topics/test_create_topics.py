"""The expected responses are those of Apache Kafka 4.3.1 to the same requests."""

from __future__ import annotations

from itertools import count

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import START_MS
from tidemark.core.context import Operation
from tidemark.core.decision import Decision, OffsetsTopicCreated
from tidemark.handlers.topics.create_topics import create_topics
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.wire import ZERO_UUID

NOT_LETTERS = "contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"


@pytest.fixture
def story() -> ClusterStory:
    return ClusterStory()


def test_creation_writes_the_topic_then_its_settings_then_its_partitions(story: ClusterStory) -> None:
    before = len(story.log)
    made = story.create("orders", 2, configs={"retention.ms": "5000"})
    assert (made.error_code, made.error_message, made.num_partitions, made.replication_factor) == (
        0,
        None,
        2,
        1,
    )
    kinds = [type(record.value).__name__ for record in story.log[before:]]
    assert kinds == ["TopicRecord", "ConfigRecord", "PartitionRecord", "PartitionRecord"]
    topic = story.cluster.topics["orders"]
    assert topic.topic_id == made.topic_id
    assert [(p.index, p.leader, p.leader_epoch, p.isr, p.created_ms) for p in topic.partitions] == [
        (0, 1, 0, [1], START_MS),
        (1, 1, 0, [1], START_MS),
    ]
    assert topic.configs == {"retention.ms": "5000"}


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("..", 17, "Topic name is invalid: '..' is not allowed"),
        (
            "a" * 250,
            17,
            f"Topic name is invalid: the length of '{'a' * 250}' is longer than the max allowed length 249",
        ),
        ("__cluster_metadata", 42, "Creation of internal topic __cluster_metadata is prohibited."),
    ],
)
def test_an_invalid_name_is_refused_in_kafkas_words(
    story: ClusterStory, name: str, code: int, message: str
) -> None:
    story.create("x.y")
    before = len(story.log)
    refused = story.create(name)
    assert (refused.error_code, refused.error_message) == (code, message)
    assert (refused.num_partitions, refused.replication_factor, refused.configs) == (-1, -1, [])
    assert refused.topic_id == ZERO_UUID
    assert len(story.log) == before


@pytest.mark.parametrize(
    ("partitions", "replicas", "code", "message"),
    [
        (1, 0, 38, "Replication factor must be larger than 0, or -1 to use the default value."),
        (
            1,
            3,
            38,
            "Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be "
            "reached because only 1 broker(s) are registered or some brokers have all their log "
            "directories cordoned.",
        ),
        (10_000, 1, 44, "Unable to perform excessively large batch operation."),
    ],
)
def test_invalid_counts_are_refused(
    story: ClusterStory, partitions: int, replicas: int, code: int, message: str
) -> None:
    refused = story.create("c", partitions, replicas)
    assert (refused.error_code, refused.error_message) == (code, message)


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        ([(1, [1])], "partitions should be a consecutive 0-based integer sequence"),
        ([(0, [1]), (0, [1])], "Found multiple manual partition assignments for partition 0"),
        ([(0, [1, 1])], "The manual partition assignment includes the broker 1 more than once."),
        ([(0, [1]), (1, [])], "The manual partition assignment includes an empty replica list."),
    ],
)
def test_an_invalid_assignment_is_refused(
    story: ClusterStory, assignments: list[tuple[int, list[int]]], message: str
) -> None:
    refused = story.create("a", -1, -1, assignments=assignments)
    assert (refused.error_code, refused.error_message) == (39, message)


def test_an_assignment_excludes_counts(story: ClusterStory) -> None:
    both = story.create("a", 3, 3, assignments=[(0, [1])])
    assert both.error_message == (
        "A manual partition assignment was specified, but replication factor was not set to -1."
    )
    partitions = story.create("a", 1, -1, assignments=[(0, [1])])
    assert (partitions.error_code, partitions.error_message) == (
        42,
        "A manual partition assignment was specified, but numPartitions was not set to -1.",
    )


def test_an_assignment_may_be_in_any_order(story: ClusterStory) -> None:
    assert story.create("a", -1, -1, assignments=[(1, [1]), (0, [1])]).num_partitions == 2
    assert [partition.index for partition in story.cluster.topics["a"].partitions] == [0, 1]


@pytest.mark.parametrize(
    ("configs", "message"),
    [
        (
            {"retention.ms": "1e3"},
            "Invalid value 1e3 for configuration retention.ms: Not a number of type LONG",
        ),
        (
            {"compression.gzip.level": "0"},
            "Invalid value 0 for configuration compression.gzip.level: "
            "Value must be between 1 and 9 or equal to -1",
        ),
        (
            {"compression.zstd.level": "23"},
            "Invalid value 23 for configuration compression.zstd.level: Value must be no more than 22",
        ),
        ({"cleanup.policy": "compact,,delete"}, "Configuration 'cleanup.policy' values must not be empty."),
        (
            {"max.compaction.lag.ms": "5", "min.compaction.lag.ms": "10"},
            "conflict topic config setting min.compaction.lag.ms (10) > max.compaction.lag.ms (5)",
        ),
        (
            {"remote.storage.enable": "true"},
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage.",
        ),
        (
            {"leader.replication.throttled.replicas": "x"},
            "Invalid value [x] for configuration leader.replication.throttled.replicas: "
            "leader.replication.throttled.replicas must be the literal '*' or a list of replicas in the "
            "following format: [partitionId]:[brokerId],[partitionId]:[brokerId],...",
        ),
    ],
)
def test_an_invalid_setting_is_refused_in_kafkas_words(
    story: ClusterStory, configs: dict[str, str | None], message: str
) -> None:
    refused = story.create("cfg", configs=configs)
    assert (refused.error_code, refused.error_message) == (40, message)


@pytest.mark.parametrize(
    "configs",
    [
        {"cleanup.policy": ""},
        {"cleanup.policy": "compact, delete"},
        {"retention.ms": " 5 "},
        {"retention.ms": "+5"},
        {"retention.bytes": "-2"},
        {"preallocate": "TRUE"},
        {"min.insync.replicas": "2"},
        {"leader.replication.throttled.replicas": "0:1,1:2"},
        {"local.retention.ms": "100", "retention.ms": "50"},
    ],
)
def test_request_that_kafka_accepts_is_accepted(story: ClusterStory, configs: dict[str, str]) -> None:
    assert story.create("cfg", configs=configs).error_code == 0
    story.cluster.topic_config("cfg")


def test_a_name_given_twice_is_refused_once_and_the_others_are_created(story: ClusterStory) -> None:
    request = CreateTopicsRequest(
        [CreatableTopic(name, 1, 1) for name in ("d1", "d1", "d2", "d2", "d2", "ok1")]
    )
    told = {
        topic.name: (topic.error_code, topic.error_message)
        for topic in story.ask(create_topics, request, 7).topics
    }
    assert told == {
        "d1": (42, "Duplicate topic name."),
        "d2": (42, "Duplicate topic name."),
        "ok1": (0, None),
    }
    assert list(story.cluster.topics) == ["ok1"]


def test_minus_one_means_the_brokers_default_in_every_version() -> None:
    story = ClusterStory(BrokerSettings(num_partitions=3))
    for version in range(2, 8):
        assert story.create(f"t{version}", -1, -1, version=version).error_code == 0
        assert len(story.cluster.topics[f"t{version}"].partitions) == 3


def test_client_that_may_not_create_learns_nothing_of_the_topic(story: ClusterStory) -> None:
    story.create("there")
    story.allowed = lambda operation, kind, name: operation != Operation.CREATE
    for name in ("there", "bad/name"):
        refused = story.create(name)
        assert (refused.error_code, refused.error_message) == (29, "Authorization failed.")


def test_client_without_rights_to_settings_gets_none(story: ClusterStory) -> None:
    story.allowed = lambda operation, kind, name: operation != Operation.DESCRIBE_CONFIGS
    made = story.create("blind")
    assert (made.error_code, made.topic_config_error_code, made.num_partitions, made.configs) == (
        0,
        29,
        -1,
        [],
    )


def test_creating_the_offsets_topic_has_an_effect(story: ClusterStory) -> None:
    story.create("__consumer_offsets", 5, configs={"cleanup.policy": "compact"})
    assert story.effects == [OffsetsTopicCreated(5)]


def test_no_pause_is_between_a_decision_and_its_records() -> None:
    replicas = {"orders": 1, "too-many": 3, "payments": 1, "again-too-many": 3, "last": 1}
    request = CreateTopicsRequest(
        [CreatableTopic(name, 1, factor, [], []) for name, factor in replicas.items()]
    )
    good = ["last", "orders", "payments"]
    for other_at in count():  # the pause in which another request is served
        story = ClusterStory()
        steps, pauses, last = create_topics(story.cluster, story.context(7), request), 0, None
        while last is None:
            try:
                step = next(steps)
            except StopIteration as done:
                step = last = done.value
            if isinstance(step, Decision):
                story.accept(step)
                continue
            if pauses == other_at:
                for name in good:
                    story.create(name)
            pauses += 1
        names = [each.value.name for each in story.log if type(each.value).__name__ == "TopicRecord"]
        assert sorted(names) == good, other_at
        if pauses <= other_at:
            assert pauses > len(replicas)
            return
