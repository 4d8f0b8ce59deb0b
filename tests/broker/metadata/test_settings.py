"""How Kafka reads the text of a setting. Expectations are Apache Kafka 4.3.1's."""

from __future__ import annotations

import pytest

from tidemark.metadata.broker_settings import DYNAMIC, KINDS, check_broker, read_only
from tidemark.metadata.settings import InvalidSetting, Kind, parse, text_of
from tidemark.metadata.topic_settings import TOPIC_SETTINGS, typed


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.BOOLEAN, " TRUE ", True),
        (Kind.INT, "+5", 5),
        (Kind.LONG, " -1", -1),
        (Kind.SHORT, "32767", 32767),
        (Kind.DOUBLE, "1e-1", 0.1),
        (Kind.LIST, "", []),
        (Kind.LIST, " a , b,c ", ["a", "b", "c"]),
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
def test_texts_that_are_none(kind: Kind, text: str) -> None:
    with pytest.raises(InvalidSetting, match="Invalid value"):
        parse("name", kind, text)


def test_a_second_copy_of_a_policy_is_dropped_as_in_kafka_but_not_of_a_throttled_replica() -> None:
    policy = TOPIC_SETTINGS["cleanup.policy"].parse("delete, compact,delete")
    replicas = TOPIC_SETTINGS["leader.replication.throttled.replicas"].parse("0:1,0:1")
    assert (policy, replicas) == (["delete", "compact"], ["0:1", "0:1"])


def test_values_are_printed_as_java_prints_them() -> None:
    assert [text_of(value) for value in (True, 5, 0.5, 1.0, ["a", "b"], [])] == [
        "true",
        "5",
        "0.5",
        "1.0",
        "a,b",
        "",
    ]


def test_the_defaults_of_all_33_settings_are_valid() -> None:
    defaults = {name: setting.default or "" for name, setting in TOPIC_SETTINGS.items()}
    config = typed(defaults)
    assert len(defaults) == 33
    assert (config.segment_bytes, config.cleanup_policy, config.compacted, config.deleted) == (
        1_073_741_824,
        ["delete"],
        False,
        True,
    )


def test_a_name_is_dynamic_or_read_only_not_both() -> None:
    assert not set(KINDS) & set(DYNAMIC)
    assert read_only("node.id")
    assert not read_only("log.retention.ms")


def test_a_broker_takes_settings_that_nobody_knows() -> None:
    check_broker({"some.plugin.setting": "x"}, {"node.id": "1"}, for_all=True)
