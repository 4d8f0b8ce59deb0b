"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import (
    APPEND,
    BROKER,
    BROKER_LOGGER,
    CLIENT_METRICS,
    DELETE,
    GROUP,
    SET,
    SUBTRACT,
    TOPIC,
    ClusterStory,
)
from tests.unit.broker.story import interrupted
from tidemark.core.context import Operation
from tidemark.core.decision import Record
from tidemark.handlers.cluster.incremental_alter_configs import incremental_alter_configs
from tidemark.handlers.topics.delete_topics import delete_topics
from tidemark.settings.release import RELEASES
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

Change = tuple[str, int, str | None]


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("foo", configs={"cleanup.policy": "compact"})
    return story


def told(story: ClusterStory, kind: int, name: str, *changes: Change) -> tuple[int, str | None]:
    response = story.alter(kind, name, *changes)
    return response.error_code, response.error_message


def test_a_setting_applies_from_its_change_until_its_deletion(story: ClusterStory) -> None:
    assert told(story, TOPIC, "foo", ("retention.ms", SET, "100")) == (0, None)
    assert story.cluster.topic_config("foo").retention_ms == 100
    assert told(story, TOPIC, "foo", ("retention.ms", DELETE, None)) == (0, None)
    assert story.cluster.topic_config("foo").retention_ms == 604_800_000


def test_change_without_effect_writes_nothing(story: ClusterStory) -> None:
    before = len(story.log)
    assert told(story, TOPIC, "foo", ("cleanup.policy", SET, "compact"), ("nope", DELETE, None)) == (0, None)
    assert told(story, TOPIC, "foo") == (0, None)
    assert len(story.log) == before


def test_lists_grow_and_shrink_and_start_from_the_default(story: ClusterStory) -> None:
    def policy() -> str | None:
        return story.cluster.overrides(TOPIC, "foo").get("cleanup.policy")

    for operation, item, after in (
        (APPEND, "delete", "compact,delete"),
        (APPEND, "delete", "compact,delete"),
        (SUBTRACT, "compact", "delete"),
        (SUBTRACT, "compact", "delete"),
        (SUBTRACT, "delete", ""),
        (DELETE, None, None),
        (APPEND, "compact", "delete,compact"),
    ):
        assert told(story, TOPIC, "foo", ("cleanup.policy", operation, item)) == (0, None)
        assert policy() == after


@pytest.mark.parametrize(
    ("kind", "name", "changes", "code", "message"),
    [
        (TOPIC, "foo", [("retention.ms", 9, "1")], -1, None),
        (
            TOPIC,
            "nosuch",
            [("retention.ms", SET, "x")],
            40,
            "Invalid value x for configuration retention.ms: Not a number of type LONG",
        ),
        (BROKER, "1", [("node.id", 4, "1")], 42, "Unknown operations type 4"),
        (
            BROKER,
            "1",
            [("log.retention.ms", APPEND, "1")],
            40,
            "Config value append is not allowed for config key: log.retention.ms",
        ),
        (
            BROKER,
            "2",
            [("log.segment.bytes", 4, "1")],
            42,
            "Unexpected broker id, expected 1, but received 2",
        ),
        (
            CLIENT_METRICS,
            "",
            [("metrics", APPEND, "x")],
            40,
            "Can't APPEND to key metrics because its type is not LIST.",
        ),
        (
            BROKER_LOGGER,
            "1",
            [("kafka", 4, "INFO")],
            42,
            "Unknown operation type 4 is not allowed for the BROKER_LOGGER resource",
        ),
        (
            BROKER,
            "1",
            [("message.max.bytes", SET, "-5")],
            42,
            "Invalid value -5 for configuration message.max.bytes: Value must be at least 0",
        ),
        (
            BROKER,
            "",
            [("listeners", SET, "PLAINTEXT://:1")],
            42,
            "Cannot update these configs at default cluster level, broker id must be specified: [listeners]",
        ),
        (
            BROKER,
            "1",
            [("min.insync.replicas", SET, "2")],
            40,
            "Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
        ),
        (BROKER_LOGGER, "1", [("kafka", SET, "DEBUG")], 40, "Logger kafka does not exist!"),
        (
            BROKER_LOGGER,
            "1",
            [("root", SET, "LOUD")],
            40,
            "Cannot set the log level of root to LOUD as it is not a supported log level. "
            "Valid log levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN",
        ),
        (
            BROKER_LOGGER,
            "1",
            [("root", DELETE, None)],
            42,
            "Removing the log level of the root logger is not allowed",
        ),
        (
            BROKER_LOGGER,
            "1",
            [("root", SET, "DEBUG")],
            40,
            "The log level is fixed while the broker runs. Set tidemark.log.level and restart the broker.",
        ),
        (BROKER_LOGGER, "1", [("root", SET, "WARN")], 0, None),
        (BROKER_LOGGER, "2", [("kafka", SET, "DEBUG")], 42, "Unexpected node id. Expected 1, but received 2"),
        (
            BROKER_LOGGER,
            "1",
            [("kafka", APPEND, "INFO")],
            42,
            "APPEND operation is not allowed for the BROKER_LOGGER resource",
        ),
        (
            CLIENT_METRICS,
            "m1",
            [("interval.ms", SET, "1")],
            42,
            "Invalid value 1 for interval.ms, interval must be between 100 and 3600000 (1 hour)",
        ),
        (
            CLIENT_METRICS,
            "m1",
            [("interval.ms", SET, "x")],
            40,
            "Invalid value x for configuration interval.ms: Not a number of type INT",
        ),
        (CLIENT_METRICS, "m1", [("nope", SET, "1")], 42, "Unknown client metrics configuration: nope"),
        (
            GROUP,
            "g1",
            [("consumer.session.timeout.ms", SET, "99999999")],
            40,
            "consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.",
        ),
        (
            GROUP,
            "g1",
            [("consumer.session.timeout.ms", SET, "1"), ("consumer.heartbeat.interval.ms", SET, "1")],
            40,
            "consumer.heartbeat.interval.ms must be in the range 5000 to 15000 inclusive.",
        ),
        (
            CLIENT_METRICS,
            "m1",
            [("match", SET, "client_id=[")],
            40,
            "Illegal client matching pattern: client_id=[",
        ),
        (BROKER_LOGGER, "x", [("a", SET, "INFO")], 42, "Node id must be an integer, but it is: x"),
        (
            BROKER,
            "1",
            [("ssl.keystore.password", SET, "x"), ("num.io.threads", SET, "x")],
            42,
            "These security configs can be dynamically updated only per-listener using the listener prefix: "
            "[ssl.keystore.password]",
        ),
    ],
)
def test_refused_in_kafkas_words(
    story: ClusterStory, kind: int, name: str, changes: list[Change], code: int, message: str | None
) -> None:
    before = len(story.log)
    assert told(story, kind, name, *changes) == (code, message)
    assert len(story.log) == before


@pytest.mark.parametrize(
    ("kind", "name", "change"),
    [
        (BROKER, "1", ("log.cleaner.threads", SET, "2")),
        (BROKER, "1", ("nope", SET, "2")),
        (BROKER, "", ("message.max.bytes", SET, "1000000")),
        (CLIENT_METRICS, "m1", ("match", SET, "client_id=a.*")),
        (GROUP, "g1", ("consumer.session.timeout.ms", SET, "50000")),
        (GROUP, "g1", ("share.auto.offset.reset", SET, "by_duration:PT1H30M")),
    ],
)
def test_request_that_kafka_accepts_is_accepted(
    story: ClusterStory, kind: int, name: str, change: Change
) -> None:
    assert told(story, kind, name, change) == (0, None)
    assert story.cluster.overrides(kind, name)[change[0]] == change[2]


def test_a_default_of_all_brokers_reaches_every_topic_that_does_not_set_it(story: ClusterStory) -> None:
    story.create("own", configs={"max.message.bytes": "5"})
    assert story.cluster.topic_config("foo").max_message_bytes == 1_048_588
    story.alter(BROKER, "", ("message.max.bytes", SET, "1000000"))
    assert story.cluster.topic_config("foo").max_message_bytes == 1_000_000
    assert story.cluster.topic_config("own").max_message_bytes == 5


def test_a_repeated_resource_is_refused_and_others_are_altered(story: ClusterStory) -> None:
    story.create("bar")
    change = [AlterableConfig("retention.ms", SET, "1")]
    request = IncrementalAlterConfigsRequest(
        [AlterConfigsResource(TOPIC, name, change) for name in ("foo", "foo", "bar")]
    )
    responses = story.ask(incremental_alter_configs, request, 1).responses
    assert [(r.error_code, r.error_message) for r in responses] == [
        (42, "Each resource must appear at most once."),
        (42, "Each resource must appear at most once."),
        (0, None),
    ]
    assert story.cluster.topic_config("bar").retention_ms == 1


def test_validate_only_writes_nothing(story: ClusterStory) -> None:
    before = len(story.log)
    assert story.alter(TOPIC, "foo", ("retention.ms", SET, "7"), validate_only=True).error_code == 0
    assert len(story.log) == before


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [(TOPIC, "nosuch", 29), (BROKER, "1", 31), (GROUP, "", 30), (BROKER_LOGGER, "9", 31)],
)
def test_rights_are_checked_before_settings(story: ClusterStory, kind: int, name: str, code: int) -> None:
    story.allowed = lambda operation, kind, name: operation != Operation.ALTER_CONFIGS
    assert told(story, kind, name, ("a", SET, "x"))[0] == code


def test_form_of_the_request_is_checked_before_rights(story: ClusterStory) -> None:
    story.allowed = lambda operation, kind, name: operation != Operation.ALTER_CONFIGS
    for kind in (TOPIC, BROKER, GROUP, BROKER_LOGGER):
        assert told(story, kind, "", ("a", SET, None))[0] == 42
        assert told(story, kind, "", ("a", SET, "x"), ("a", SET, "x"))[0] == 42
    assert told(story, 99, "x", ("a", SET, "x"))[0] == 42


@pytest.mark.parametrize(("release", "code"), [("4.3", 42), ("4.4", 31)])
def test_the_id_of_the_broker_is_checked_before_rights_until_kafka_4_3(
    story: ClusterStory, release: str, code: int
) -> None:
    story.cluster.settings.release = RELEASES[release]
    story.allowed = lambda operation, kind, name: operation != Operation.ALTER_CONFIGS
    assert told(story, BROKER, "9", ("a", SET, "x"))[0] == code


@pytest.mark.parametrize(
    "changes", [{"session": "30000"}, {"session": "25000", "heartbeat": "28000"}, {"heartbeat": "45000"}]
)
def test_the_session_of_a_group_must_be_longer_than_its_heartbeat_interval(changes: dict[str, str]) -> None:
    """The bounds of the broker may overlap. The broker supplies what the group does not set."""
    bounds = {
        "group.consumer.min.session.timeout.ms": "4000",
        "group.consumer.max.heartbeat.interval.ms": "50000",
        "group.consumer.heartbeat.interval.ms": "30000",
    }
    names = {"session": "consumer.session.timeout.ms", "heartbeat": "consumer.heartbeat.interval.ms"}
    story = ClusterStory(given=bounds)
    assert told(story, GROUP, "g1", *((names[key], SET, value) for key, value in changes.items())) == (
        40,
        "consumer.session.timeout.ms must be greater than consumer.heartbeat.interval.ms",
    )


@pytest.mark.parametrize("pause", range(12))
def test_topic_that_is_deleted_during_a_pause_keeps_no_settings(story: ClusterStory, pause: int) -> None:
    changed = [AlterableConfig("min.insync.replicas", SET, "2")]
    request = IncrementalAlterConfigsRequest(
        [AlterConfigsResource(TOPIC, name, changed) for name in ("foo", "unknown", "__consumer_offsets")]
    )
    story.store([Record(None, FeatureLevelRecord("eligible.leader.replicas.version", 1))])
    interrupted(
        incremental_alter_configs(story.cluster, story.context(1), request),
        pause,
        story.accept,
        lambda: story.ask(delete_topics, DeleteTopicsRequest([DeleteTopicState("foo")], timeout_ms=1), 6),
    )
    if "foo" not in story.cluster.topics:
        assert not story.cluster.overrides(TOPIC, "foo")
    assert story.restarted().hard_state() == story.cluster.hard_state()
