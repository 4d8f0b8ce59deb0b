"""The logs get the settings of the cluster, at a cost that does not grow with the number of records."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.data_node import DataNode
from tidemark.core.decision import Record
from tidemark.engine.cluster_logs import follow, log_settings
from tidemark.log.manager import LogManager
from tidemark.log.settings import LogSettings
from tidemark.metadata.configs import ResourceConfigType
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_testing.storage import MemoryStorage


class Followed:
    """The logs of a cluster. Records the topics whose settings are looked up."""

    def __init__(self, node: DataNode) -> None:
        self.node = node
        self.looked_up: list[str] = []
        self.logs = LogManager(MemoryStorage(), BrokerSettings(), node.clock, self._settings_of)
        self.logs.open()
        for topic in node.cluster.topics.values():
            for partition in topic.partitions:
                self.logs.create(topic.name, partition.index, topic.topic_id)
        self.looked_up.clear()

    def change(self, *values: Any) -> None:
        records = tuple(Record(None, value) for value in values)
        for record in records:
            self.node.cluster.replay(record)
        follow(self.node.cluster, self.logs, records)

    def segment_bytes(self, topic: str, partition: int) -> int:
        log = self.logs.get(topic, partition)
        assert log is not None
        return log.settings.segment_bytes

    def _settings_of(self, topic: str) -> LogSettings:
        self.looked_up.append(topic)
        return log_settings(self.node.cluster, topic, internal_waits=False)


def test_many_settings_of_a_topic_configure_its_logs_once() -> None:
    node = DataNode()
    node.topic("orders", 2)
    node.topic("other")
    followed = Followed(node)
    followed.change(*(of_topic("orders", "segment.bytes", str(2_000_000 + i)) for i in range(50)))
    assert followed.looked_up == ["orders"]
    assert [followed.segment_bytes("orders", i) for i in (0, 1)] == [2_000_049, 2_000_049]
    assert followed.segment_bytes("other", 0) == 1 << 30


def test_settings_of_the_broker_configure_all_logs_once() -> None:
    node = DataNode()
    node.topic("orders", 2)
    node.topic("other")
    node.topic("own", segment_bytes=3_000_000)
    followed = Followed(node)
    followed.change(*(of_broker("log.segment.bytes", str(2_000_000 + i)) for i in range(50)))
    assert sorted(followed.looked_up) == ["orders", "other", "own"]
    assert followed.segment_bytes("orders", 1) == followed.segment_bytes("other", 0) == 2_000_049
    assert followed.segment_bytes("own", 0) == 3_000_000


def test_topics_without_settings_of_their_own_share_the_brokers() -> None:
    node = DataNode()
    for name in ("orders", "other"):
        node.topic(name)
    node.topic("own", segment_bytes=3_000_000)
    orders, other, own = (
        log_settings(node.cluster, name, internal_waits=False) for name in ("orders", "other", "own")
    )
    assert orders is other
    assert orders != own


def test_verification_of_transactions_is_a_dynamic_setting_of_the_broker() -> None:
    node = DataNode()
    node.topic("orders")
    followed = Followed(node)
    for value in ("false", "true", "false"):
        followed.change(of_broker("transaction.partition.verification.enable", value))
        log = followed.logs.get("orders", 0)
        assert log is not None
        assert log.settings.verifies_transactions == (value == "true")


def test_log_settings_say_whether_the_broker_sets_timestamps() -> None:
    node = DataNode()
    node.topic("orders")
    node.topic("stamped", message_timestamp_type="LogAppendTime")
    found = [log_settings(node.cluster, name, internal_waits=False) for name in ("orders", "stamped")]
    assert [settings.append_time for settings in found] == [False, True]


def of_topic(topic: str, name: str, value: str) -> ConfigRecord:
    return ConfigRecord(ResourceConfigType.TOPIC, topic, name, value)


def of_broker(name: str, value: str) -> ConfigRecord:
    return ConfigRecord(ResourceConfigType.BROKER, "", name, value)


def test_verification_of_transactions_is_a_setting_of_the_broker_that_may_change() -> None:
    node = DataNode()
    node.topic("orders")
    followed = Followed(node)
    log = followed.logs.get("orders", 0)
    assert log is not None
    assert log.settings.verifies_transactions
    followed.change(of_broker("transaction.partition.verification.enable", "false"))
    assert not log.settings.verifies_transactions
    assert not node.cluster.verifies_transactions
