"""The text of a setting is read as Apache Kafka 4.3.1 reads it."""

from __future__ import annotations

import pytest

from tidemark.settings.broker import BROKER_SETTINGS
from tidemark.settings.release import RELEASES
from tidemark.settings.resources import broker_setting_of, check_broker, dynamic_settings
from tidemark.settings.setting import InvalidSetting, Kind, parse, text_of
from tidemark.settings.topic import TOPIC_SETTINGS, TopicConfig


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.BOOLEAN, " TRUE ", True),
        (Kind.INT, "+5", 5),
        (Kind.LONG, " -1", -1),
        (Kind.SHORT, "32767", 32767),
        (Kind.DOUBLE, "1e-1", 0.1),
        (Kind.DOUBLE, "0.5f", 0.5),
        (Kind.LIST, "", ()),
        (Kind.LIST, " a , b,c ", ("a", "b", "c")),
        (Kind.STRING, " x ", "x"),
    ],
)
def test_texts_and_their_values(kind: Kind, text: str, value: object) -> None:
    assert parse("name", kind, text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.BOOLEAN, "1"),
        (Kind.INT, "2147483648"),
        (Kind.INT, "1.0"),
        (Kind.INT, "1_0"),
        (Kind.INT, "٣"),
        (Kind.LONG, "9223372036854775808"),
        (Kind.SHORT, "-32769"),
        (Kind.DOUBLE, "nan(1)"),
        (Kind.DOUBLE, ""),
    ],
)
def test_texts_that_are_refused(kind: Kind, text: str) -> None:
    with pytest.raises(InvalidSetting, match="Invalid value"):
        parse("name", kind, text)


def test_a_repeated_policy_is_dropped_but_not_a_repeated_throttled_replica() -> None:
    policy = TOPIC_SETTINGS["cleanup.policy"].read("delete, compact,delete")
    replicas = TOPIC_SETTINGS["leader.replication.throttled.replicas"].read("0:1,0:1")
    assert (policy, replicas) == (("delete", "compact"), ("0:1", "0:1"))


def test_values_are_printed_as_java_prints_them() -> None:
    assert [text_of(value) for value in (True, 5, 0.5, 1.0, ("a", "b"), ())] == [
        "true",
        "5",
        "0.5",
        "1.0",
        "a,b",
        "",
    ]


def test_the_defaults_of_all_33_settings_are_valid() -> None:
    defaults = {name: setting.default_text for name, setting in TOPIC_SETTINGS.items()}
    config = TopicConfig(defaults)
    assert len(defaults) == 33
    assert (config.segment_bytes, config.cleanup_policy, config.compacted, config.deleted) == (
        1_073_741_824,
        ("delete",),
        False,
        True,
    )


@pytest.mark.parametrize("name", BROKER_SETTINGS)
def test_a_setting_has_the_same_kind_at_run_time_as_at_start(name: str) -> None:
    assert broker_setting_of(name).kind is BROKER_SETTINGS[name].kind


def test_some_settings_are_dynamic_and_others_read_only() -> None:
    dynamic = dynamic_settings(RELEASES[""])
    assert "node.id" not in dynamic
    assert "log.retention.ms" in dynamic


def test_a_broker_accepts_unknown_settings() -> None:
    check_broker({"some.plugin.setting": "x"}, {"node.id": "1"}, dynamic_settings(RELEASES[""]), for_all=True)
