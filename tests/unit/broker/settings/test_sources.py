from __future__ import annotations

import pytest

from tidemark.config import (
    LOG_LEVEL,
    LOGGERS,
    NOT_SETTINGS,
    ROOT_LEVEL,
    name_variable,
    read_environment,
    read_flags,
)
from tidemark.settings.setting import ConfigError


@pytest.mark.parametrize(
    ("variable", "setting"),
    [
        ("KAFKA_OFFSETS_RETENTION_MINUTES", "offsets.retention.minutes"),
        ("KAFKA_CFG_NODE_ID", "node.id"),
        ("KAFKA_A__B___C_D", "a_b-c.d"),
        ("KAFKA_TIDEMARK_SYNC", "tidemark.sync"),
    ],
)
def test_variables_are_named_as_in_kafkas_images(variable: str, setting: str) -> None:
    assert read_environment({variable: "v"}) == {setting: "v"}


@pytest.mark.parametrize(
    "variable", [*sorted(NOT_SETTINGS - {LOGGERS, ROOT_LEVEL}), "PATH", "TIDEMARK_TEST_CI"]
)
def test_variables_for_other_programs_are_no_settings(variable: str) -> None:
    assert read_environment({variable: "value"}) == {}


@pytest.mark.parametrize(
    ("variable", "setting"),
    [("CLUSTER_ID", "tidemark.cluster.id"), ("TIDEMARK_TEST_API", "tidemark.test.api")],
)
def test_two_settings_have_variables_without_the_prefix(variable: str, setting: str) -> None:
    assert read_environment({variable: "abc"}) == {setting: "abc"}
    assert read_environment({variable: ""}) == {}


@pytest.mark.parametrize(
    ("root", "loggers", "level"),
    [
        ("WARN", "", "warning"),
        ("INFO, stdout", "", "info"),
        ("trace", "", "debug"),
        ("OFF", "", "error"),
        ("", "kafka.controller=INFO,kafka=ERROR", "info"),
        ("ERROR", "kafka=WARN, kafka.server=DEBUG", "debug"),
        ("ERROR", "org.apache.zookeeper=DEBUG", "error"),
    ],
)
def test_log_level_is_the_most_detailed_of_log4js(root: str, loggers: str, level: str) -> None:
    assert read_environment({ROOT_LEVEL: root, LOGGERS: loggers}) == {LOG_LEVEL: level}


def test_setting_of_the_log_level_replaces_that_of_log4j() -> None:
    given = {ROOT_LEVEL: "INFO", "KAFKA_TIDEMARK_LOG_LEVEL": "error"}
    assert read_environment(given) == {LOG_LEVEL: "error"}


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (ROOT_LEVEL, "LOUD", "^KAFKA_LOG4J_ROOT_LOGLEVEL must have one of the levels ALL, .*, got 'LOUD'$"),
        (LOGGERS, "kafka=", "^KAFKA_LOG4J_LOGGERS must have one of the levels ALL, .*, got ''$"),
        (LOGGERS, "kafka", "^KAFKA_LOG4J_LOGGERS needs NAME=LEVEL,..., got 'kafka'$"),
    ],
)
def test_wrong_log_level_is_named_with_its_variable(variable: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_environment({variable: value})


def test_error_names_the_variable_of_the_setting() -> None:
    error = ConfigError("Invalid value x for configuration num.partitions: Not a number of type INT")
    named = name_variable(error, {"KAFKA_NUM": "1", "KAFKA_CFG_NUM_PARTITIONS": "x"})
    assert str(named) == f"{error} (from the variable KAFKA_CFG_NUM_PARTITIONS)"
    assert name_variable(error, {"KAFKA_PARTITIONS": "x"}) is error


def test_a_flag_is_key_equals_value() -> None:
    assert read_flags(["a=1", "b=x=y", "a=2"]) == {"a": "2", "b": "x=y"}
    with pytest.raises(ConfigError, match="^--set needs key=value, got 'a'$"):
        read_flags(["a"])
