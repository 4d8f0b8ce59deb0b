"""Settings of a cluster of several brokers."""

from __future__ import annotations

import pytest

from tidemark.config import Config
from tidemark.settings.setting import ConfigError


@pytest.mark.parametrize(
    ("brokers", "partitions", "replicas", "isr_min"),
    [("1", 1, 1, 1), ("2", 50, 2, 1), ("3", 50, 3, 2), ("5", 50, 3, 2)],
)
def test_internal_topics_are_spread_over_several_brokers(
    brokers: str, partitions: int, replicas: int, isr_min: int
) -> None:
    config = Config({"tidemark.brokers": brokers})
    assert config.offsets_topic_num_partitions == partitions
    assert config.offsets_topic_replication_factor == replicas
    assert config.transaction_state_log_replication_factor == replicas
    assert config.transaction_state_log_min_isr == isr_min
    assert config.share_coordinator_state_topic_num_partitions == partitions
    assert config.share_coordinator_state_topic_replication_factor == replicas
    assert config.share_coordinator_state_topic_min_isr == isr_min


def test_a_given_value_has_precedence() -> None:
    config = Config({"tidemark.brokers": "3", "offsets.topic.replication.factor": "1"})
    assert config.offsets_topic_replication_factor == 1


@pytest.mark.parametrize("text", ["0", "17", "-1", "three"])
def test_a_number_of_brokers_that_cannot_be(text: str) -> None:
    with pytest.raises(ConfigError, match=r"tidemark\.brokers"):
        Config({"tidemark.brokers": text})


def test_the_ports_of_all_brokers_must_exist() -> None:
    assert Config({"tidemark.brokers": "3", "listeners": "PLAINTEXT://:65533"}).tidemark_brokers == 3
    with pytest.raises(ConfigError, match="has no 3 ports from 65534 on"):
        Config({"tidemark.brokers": "3", "listeners": "PLAINTEXT://:65534"})


def test_each_broker_has_a_rack() -> None:
    assert Config({"tidemark.brokers": "3", "tidemark.racks": "a,b,a"}).tidemark_racks == ("a", "b", "a")
    with pytest.raises(ConfigError, match="tidemark.racks has 2 racks for 3 brokers"):
        Config({"tidemark.brokers": "3", "tidemark.racks": "a,b"})
    with pytest.raises(ConfigError, match="tidemark.advertised.hosts: 2 hosts, not 3"):
        Config({"tidemark.brokers": "3", "tidemark.advertised.hosts": "a,b"})
