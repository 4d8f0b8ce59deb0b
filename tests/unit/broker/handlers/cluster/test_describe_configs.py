"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import (
    BROKER,
    BROKER_LOGGER,
    CLIENT_METRICS,
    GROUP,
    SET,
    TOPIC,
    ClusterStory,
)
from tidemark.core.context import Operation
from tidemark.handlers.cluster.describe_configs import describe_configs
from tidemark_protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResult,
)

PASSWORD = 9


def ask(
    story: ClusterStory,
    kind: int,
    name: str,
    *keys: str,
    version: int = 4,
    synonyms: bool = True,
    documentation: bool = False,
) -> DescribeConfigsResult:
    resource = DescribeConfigsResource(kind, name, list(keys) or None)
    request = DescribeConfigsRequest([resource], synonyms, documentation)
    result: DescribeConfigsResult = story.ask(describe_configs, request, version).results[0]
    return result


def lines(
    result: DescribeConfigsResult,
) -> dict[str, tuple[str | None, int, list[tuple[str, str | None, int]]]]:
    """Return value, source and synonyms by name."""
    return {
        config.name: (
            config.value,
            config.config_source,
            [(s.name, s.value, s.source) for s in config.synonyms],
        )
        for config in result.configs
    }


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("foo", configs={"cleanup.policy": "compact", "preallocate": " TRUE "})
    return story


def test_topic_setting_precedes_the_brokers(story: ClusterStory) -> None:
    told = lines(ask(story, TOPIC, "foo"))
    assert told["cleanup.policy"] == (
        "compact",
        1,
        [("cleanup.policy", "compact", 1), ("log.cleanup.policy", "delete", 5)],
    )
    assert told["preallocate"][0] == "true"
    assert told["min.insync.replicas"] == (
        "1",
        3,
        [("min.insync.replicas", "1", 3), ("min.insync.replicas", "1", 5)],
    )
    assert told["max.message.bytes"] == ("1048588", 5, [("message.max.bytes", "1048588", 5)])
    assert told["retention.ms"] == ("604800000", 5, [])
    assert told["flush.ms"] == ("9223372036854775807", 5, [])


def test_a_static_setting_of_the_broker_is_one_of_the_topic() -> None:
    story = ClusterStory(
        given={"log.roll.ms": "1000000", "log.retention.hours": "24", "log.cleanup.policy": "compact,delete"}
    )
    story.create("t")
    told = lines(ask(story, TOPIC, "t"))
    assert told["segment.ms"] == ("1000000", 4, [("log.roll.ms", "1000000", 4), ("log.roll.hours", "168", 5)])
    assert told["retention.ms"] == ("86400000", 5, [])  # Kafka does not show that it is derived from hours
    assert told["cleanup.policy"][:2] == ("compact,delete", 4)
    assert story.cluster.topic_config("t").retention_ms == 86_400_000


def test_dynamic_settings_of_the_broker_come_before_static_ones() -> None:
    story = ClusterStory(given={"log.roll.ms": "1000000", "log.retention.hours": "24"})
    story.create("t")
    story.alter(BROKER, "", ("log.retention.ms", SET, "9000"))
    story.alter(BROKER, "1", ("log.roll.ms", SET, "8000"))
    told = lines(ask(story, TOPIC, "t"))
    assert told["retention.ms"] == (
        "9000",
        3,
        [
            ("log.retention.ms", "9000", 3),
            ("log.retention.hours", "24", 4),
            ("log.retention.hours", "168", 5),
        ],
    )
    assert told["segment.ms"] == (
        "8000",
        2,
        [("log.roll.ms", "8000", 2), ("log.roll.ms", "1000000", 4), ("log.roll.hours", "168", 5)],
    )
    assert lines(ask(story, BROKER, "1"))["log.roll.ms"] == told["segment.ms"]


def test_unknown_keys_are_omitted(story: ClusterStory) -> None:
    assert list(lines(ask(story, TOPIC, "foo", "retention.ms", "nope"))) == ["retention.ms"]
    assert list(lines(ask(story, BROKER, "1", "node.id", "nope"))) == ["node.id"]


def test_the_broker_lists_its_own_settings_and_which_may_change(story: ClusterStory) -> None:
    configs = {config.name: config for config in ask(story, BROKER, "1").configs}
    assert (configs["node.id"].read_only, configs["node.id"].config_type) == (True, 3)
    assert (configs["log.retention.ms"].value, configs["log.retention.ms"].read_only) == (None, False)
    assert (configs["log.cleanup.policy"].config_type, configs["log.cleanup.policy"].is_sensitive) == (
        7,
        False,
    )


def test_a_setting_of_some_plugin_is_a_secret(story: ClusterStory) -> None:
    story.alter(BROKER, "1", ("my.plugin", SET, "hidden"))
    (config,) = ask(story, BROKER, "1", "my.plugin", synonyms=True).configs
    assert (config.value, config.is_sensitive, config.config_type, config.read_only) == (None, True, 0, True)
    assert [(synonym.value, synonym.source) for synonym in config.synonyms] == [(None, 2)]


def test_defaults_of_all_brokers_list_set_values_only(story: ClusterStory) -> None:
    assert lines(ask(story, BROKER, "")) == {
        "min.insync.replicas": ("1", 3, [("min.insync.replicas", "1", 3)])
    }


def test_group_and_subscription_have_settings_before_they_exist(story: ClusterStory) -> None:
    told = lines(ask(story, GROUP, "g1"))
    assert told["consumer.session.timeout.ms"] == (
        "45000",
        5,
        [("group.consumer.session.timeout.ms", "45000", 5)],
    )
    assert len(told) == 21
    assert lines(ask(story, CLIENT_METRICS, "m1")) == {
        "interval.ms": ("300000", 5, []),
        "match": ("", 5, []),
        "metrics": ("", 5, []),
    }
    story.alter(GROUP, "g1", ("consumer.session.timeout.ms", SET, "50000"))
    assert lines(ask(story, GROUP, "g1"))["consumer.session.timeout.ms"] == (
        "50000",
        8,
        [("consumer.session.timeout.ms", "50000", 8), ("group.consumer.session.timeout.ms", "45000", 5)],
    )
    story.alter(CLIENT_METRICS, "m1", ("interval.ms", SET, "1000"))
    assert lines(ask(story, CLIENT_METRICS, "m1"))["interval.ms"] == ("1000", 7, [("interval.ms", "1000", 7)])


def test_synonyms_and_documentation_are_returned_if_requested(story: ClusterStory) -> None:
    (config,) = ask(story, TOPIC, "foo", "retention.bytes", synonyms=False).configs
    assert (config.synonyms, config.documentation) == ([], None)
    (config,) = ask(story, TOPIC, "foo", "retention.bytes", documentation=True).configs
    assert config.documentation


@pytest.mark.parametrize(("given", "level"), [({}, "WARN"), ({"tidemark.log.level": "debug"}, "DEBUG")])
def test_the_level_of_the_root_logger_is_returned(given: dict[str, str], level: str) -> None:
    story = ClusterStory(given=given)
    for result in (ask(story, BROKER_LOGGER, "1"), ask(story, BROKER_LOGGER, "+1", "root")):
        (config,) = result.configs
        assert (config.name, config.value, config.config_source, config.config_type) == ("root", level, 6, 0)
        assert (config.read_only, config.is_sensitive, config.documentation) == (False, False, "")
    assert ask(story, BROKER_LOGGER, "1", "kafka").configs == []


@pytest.mark.parametrize(
    ("kind", "name", "code", "message"),
    [
        (TOPIC, "nosuch", 3, ""),
        (TOPIC, "", 17, "Topic name is invalid: the empty string is not allowed"),
        (BROKER, "x", 42, "Broker id must be an integer, but it is: x"),
        (BROKER_LOGGER, "2", 42, "Unexpected broker id, expected 1 but received 2"),
        (BROKER_LOGGER, "", 42, "Broker id must not be empty"),
        (CLIENT_METRICS, "", 42, "Client metrics subscription name must not be empty"),
        (GROUP, "", 42, "Group name must not be empty"),
    ],
)
def test_refused_in_kafkas_words(story: ClusterStory, kind: int, name: str, code: int, message: str) -> None:
    refused = ask(story, kind, name)
    assert (refused.error_code, refused.error_message, refused.configs) == (code, message, [])


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        (TOPIC, "nosuch", 29),
        (BROKER, "1", 31),
        (BROKER_LOGGER, "1", 31),
        (CLIENT_METRICS, "m", 31),
        (GROUP, "g", 30),
    ],
)
def test_rights_are_checked_first(story: ClusterStory, kind: int, name: str, code: int) -> None:
    story.allowed = lambda operation, kind, name: operation != Operation.DESCRIBE_CONFIGS
    assert ask(story, kind, name).error_code == code


def test_secrets_of_listeners_and_users_are_never_shown() -> None:
    secrets = {
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": 'a.PlainLoginModule required user_a="hidden";',
        "listener.name.internal.ssl.keystore.password": "hidden",
        "sasl.jaas.config": "hidden",
        "delegation.token.secret.key": "hidden",
        "tidemark.scram.users": "SCRAM-SHA-256=[name=a,password=hidden]",
    }
    story = ClusterStory(given=secrets | {"listener.name.internal.ssl.keystore.type": "PEM"})
    result = ask(story, BROKER, "1", documentation=True)
    described = {config.name: config for config in result.configs}
    for name in secrets:
        assert described[name].is_sensitive, name
        assert described[name].config_type == PASSWORD
    assert "hidden" not in str(result)
    assert described["listener.name.internal.ssl.keystore.type"].value == "PEM"
