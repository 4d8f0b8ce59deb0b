from __future__ import annotations

import pytest

from tidemark.settings.setting import ConfigError
from tidemark.settings.sources import read_environment, read_flags


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


def test_variables_for_the_java_process_are_no_settings() -> None:
    assert (
        read_environment({"KAFKA_HEAP_OPTS": "-Xmx1g", "KAFKA_LOG4J_LOGGERS": "a=DEBUG", "PATH": "/bin"})
        == {}
    )


def test_the_cluster_id_has_its_own_environment_variable() -> None:
    assert read_environment({"CLUSTER_ID": "abc"}) == {"tidemark.cluster.id": "abc"}


def test_a_flag_is_key_equals_value() -> None:
    assert read_flags(["a=1", "b=x=y", "a=2"]) == {"a": "2", "b": "x=y"}
    with pytest.raises(ConfigError, match="^--set needs key=value, got 'a'$"):
        read_flags(["a"])
