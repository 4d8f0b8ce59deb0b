"""AgeAwareConsumer on a stand-in for confluent-kafka, for situations that a real broker rarely causes.

tests/clients/test_new_partitions.py has the real library. The stand-in calls back as the library does: with
poll or consume, and it assigns all partitions itself if a callback assigns none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import tidemark_tools.client
from tests.unit.tools.client.scripted import ScriptedBroker
from tidemark_protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tidemark_tools.client import UnsupportedVersion

TOPIC = "orders"
BEGINNING, END, STORED, INVALID = -2, -1, -1000, -1001
HOUR = 3_600_000
ON = {"auto.offset.reset": "latest", "auto.offset.reset.latest.max.age": HOUR}


class Partition:
    def __init__(self, topic: str, partition: int, offset: int = INVALID) -> None:
        self.topic, self.partition, self.offset = topic, partition, offset
        self.error: object = None


class StandIn:
    """confluent_kafka.Consumer. script: functions, one for each poll. It returns the result."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.script: list[Callable[[], Any]] = []
        self.stored: dict[int, int] = {}
        self.assigned: dict[int, int] = {}
        self.calls: list[tuple[str, list[int]]] = []
        self.callbacks: dict[str, Any] = {}

    def subscribe(self, topics: list[str], **callbacks: Any) -> None:
        self.callbacks = callbacks

    def poll(self, timeout: float = -1) -> Any:
        return self.script.pop(0)() if self.script else None

    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Any]:
        message = self.poll(timeout)
        return [] if message is None else [message]

    def committed(self, partitions: list[Partition], timeout: float = -1) -> list[Partition]:
        return [
            Partition(TOPIC, each.partition, self.stored.get(each.partition, INVALID)) for each in partitions
        ]

    def assign(self, partitions: list[Partition]) -> None:
        self.calls.append(("assign", [each.partition for each in partitions]))
        self.assigned = {each.partition: each.offset for each in partitions}

    def unassign(self) -> None:
        self.assigned = {}

    def incremental_assign(self, partitions: list[Partition]) -> None:
        self.calls.append(("assign", [each.partition for each in partitions]))
        self.assigned |= {each.partition: each.offset for each in partitions}

    def incremental_unassign(self, partitions: list[Partition]) -> None:
        self.calls.append(("unassign", [each.partition for each in partitions]))
        for each in partitions:
            del self.assigned[each.partition]  # librdkafka refuses a partition that is not assigned

    def close(self) -> None:
        pass

    # for tests

    def gets(self, *indexes: int) -> None:
        self._call_back("on_assign", "assign", indexes)

    def loses(self, *indexes: int) -> None:
        self._call_back("on_revoke", "unassign", indexes)

    def _call_back(self, name: str, wanted: str, indexes: tuple[int, ...]) -> None:
        partitions = [Partition(TOPIC, index) for index in indexes]
        before = len(self.calls)
        try:
            self.callbacks[name](self, partitions)
        finally:
            if wanted not in [call for call, _ in self.calls[before:]]:
                getattr(StandIn, f"incremental_{wanted}")(self, partitions)


class Cluster:
    """A broker that returns these ages of partitions, by index."""

    def __init__(self, highest: int = 14) -> None:
        self.ages: dict[int, int] = {}
        self.ranges = {"Metadata": (0, highest)}
        self.broker = ScriptedBroker({"Metadata": self._metadata}, self.ranges)

    def _metadata(self, _: Any) -> MetadataResponse:
        partitions = [
            MetadataResponsePartition(partition_index=index, partition_age_ms=age)
            for index, age in self.ages.items()
        ]
        return MetadataResponse(topics=[MetadataResponseTopic(name=TOPIC, partitions=partitions)])


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    with made.broker:
        yield made


@pytest.fixture
def consumer_class(monkeypatch: pytest.MonkeyPatch) -> Any:
    """AgeAwareConsumer on top of the stand-in."""
    module: Any = ModuleType("confluent_kafka")
    module.Consumer, module.TopicPartition, module.Message = StandIn, Partition, object
    module.OFFSET_BEGINNING, module.OFFSET_END, module.OFFSET_STORED = BEGINNING, END, STORED
    module.OFFSET_INVALID = INVALID
    module.KafkaException, module.KafkaError = RuntimeError, object
    monkeypatch.setitem(sys.modules, "confluent_kafka", module)
    monkeypatch.delitem(sys.modules, "tidemark_tools.client.age_aware", raising=False)
    yield tidemark_tools.client.AgeAwareConsumer
    sys.modules.pop("tidemark_tools.client.age_aware", None)


@pytest.fixture
def consumer(consumer_class: Any, cluster: Cluster) -> Iterator[Any]:
    with consumer_class({"bootstrap.servers": cluster.broker.bootstrap, "group.id": "g", **ON}) as made:
        yield made


def poll(consumer: Any, *script: Callable[[], Any]) -> Any:
    consumer.script += script
    return consumer.poll(0)


def test_young_partitions_begin_and_others_end_and_committed_ones_continue(
    consumer: Any, cluster: Cluster
) -> None:
    cluster.ages = {0: 0, 1: HOUR, 2: HOUR + 1, 3: -1, 4: 0}
    consumer.stored = {4: 17}
    told: list[list[tuple[int, int]]] = []
    consumer.subscribe(
        [TOPIC], on_assign=lambda _, given: told.append([(each.partition, each.offset) for each in given])
    )
    poll(consumer, lambda: consumer.gets(0, 1, 2, 3, 4))
    assert consumer.assigned == {0: BEGINNING, 1: BEGINNING, 2: END, 3: END, 4: STORED}
    assert told == [list(consumer.assigned.items())]
    assert consumer.config["group.protocol"] == "consumer"
    assert "auto.offset.reset.latest.max.age" not in consumer.config


def test_each_assignment_requests_ages_again_and_a_decision_is_made_once(
    consumer: Any, cluster: Cluster
) -> None:
    consumer.subscribe([TOPIC])
    cluster.ages = {0: 2 * HOUR}
    poll(consumer, lambda: consumer.gets(0))
    cluster.ages = {0: 2 * HOUR, 1: 0}
    poll(consumer, lambda: consumer.gets(1))
    cluster.ages = {0: 3 * HOUR, 1: HOUR + 1}
    for _ in range(3):
        poll(consumer)
    assert consumer.assigned == {0: END, 1: BEGINNING}
    assert cluster.broker.names() == ["Metadata"] * 2


def test_no_age_is_requested_if_every_partition_has_a_committed_offset(
    consumer: Any, cluster: Cluster
) -> None:
    consumer.subscribe([TOPIC])
    consumer.stored = {0: 5}
    poll(consumer, lambda: consumer.gets(0))
    assert (consumer.assigned, cluster.broker.names()) == ({0: STORED}, [])


def test_partition_that_the_broker_does_not_list_yet_starts_once_it_does(
    consumer: Any, cluster: Cluster
) -> None:
    cluster.ages = {0: 0}
    consumer.subscribe([TOPIC])
    poll(consumer, lambda: consumer.gets(0, 1))
    assert consumer.assigned == {0: BEGINNING}
    cluster.ages[1] = 5
    poll(consumer)
    assert consumer.assigned == {0: BEGINNING, 1: BEGINNING}


def test_partition_revoked_before_it_started_is_forgotten(consumer: Any, cluster: Cluster) -> None:
    revoked: list[list[int]] = []
    cluster.ages = {0: 0}
    consumer.subscribe([TOPIC], on_revoke=lambda _, given: revoked.append([each.partition for each in given]))
    poll(consumer, lambda: consumer.gets(0, 1))
    poll(consumer, lambda: consumer.loses(0, 1))
    cluster.ages[1] = 0
    poll(consumer)
    assert (revoked, consumer.assigned) == ([[0]], {})


def test_callback_may_assign_by_itself(consumer: Any, cluster: Cluster) -> None:
    def on_assign(given: Any, partitions: list[Any]) -> None:
        given.incremental_assign([Partition(TOPIC, each.partition, 42) for each in partitions])

    cluster.ages = {0: 0}
    consumer.subscribe([TOPIC], on_assign=on_assign)
    poll(consumer, lambda: consumer.gets(0))
    assert consumer.assigned == {0: 42}
    assert consumer.calls == [("assign", [0])]


@pytest.mark.parametrize("read", ["poll", "consume"])
def test_old_broker_raises_until_it_is_upgraded_and_nothing_is_read_before(
    consumer_class: Any, read: str
) -> None:
    cluster = Cluster(highest=13)
    settings = {"bootstrap.servers": cluster.broker.bootstrap, "group.id": "g", **ON}
    with cluster.broker, consumer_class(settings) as consumer:
        consumer.subscribe([TOPIC])
        cluster.ages = {0: 0}
        consumer.script.append(lambda: consumer.gets(0))
        for _ in range(2):
            with pytest.raises(UnsupportedVersion, match="Metadata: .* version 14 is needed"):
                getattr(consumer, read)(timeout=0)
            assert consumer.assigned == {}
        cluster.ranges["Metadata"] = (0, 14)
        consumer._client.close()  # a broker that is upgraded closes its connections
        getattr(consumer, read)(timeout=0)
        assert consumer.assigned == {0: BEGINNING}


@pytest.mark.parametrize("read", ["poll", "consume"])
def test_old_broker_is_refused_before_any_partition_needs_an_age(consumer_class: Any, read: str) -> None:
    """At the first connection, when versions are negotiated. librdkafka is not called before."""
    cluster = Cluster(highest=13)
    settings = {"bootstrap.servers": cluster.broker.bootstrap, "group.id": "g", **ON}
    with cluster.broker, consumer_class(settings) as consumer:
        consumer.subscribe([TOPIC])
        consumer.script.append(lambda: pytest.fail("the consumer was polled"))
        with pytest.raises(UnsupportedVersion, match="Metadata: .* version 14 is needed"):
            getattr(consumer, read)(timeout=0)
        assert cluster.broker.names() == []
        consumer.script.clear()


def test_broker_is_asked_for_its_versions_once(consumer: Any, cluster: Cluster) -> None:
    consumer.subscribe([TOPIC])
    for _ in range(3):
        poll(consumer)
    assert [name for name, _, _ in cluster.broker.requests] == ["ApiVersions"]


# Assignments by hand: the draft decides about any partition without a committed offset.


@pytest.mark.parametrize("assign", ["assign", "incremental_assign"])
def test_partitions_assigned_by_hand_start_by_their_age(consumer: Any, cluster: Cluster, assign: str) -> None:
    cluster.ages = {0: 0, 1: HOUR + 1, 2: 0, 4: 0, 5: 0}
    consumer.stored = {2: 17}
    given = [Partition(TOPIC, index) for index in range(3)]
    given += [Partition(TOPIC, 3, 42), Partition(TOPIC, 4, STORED), Partition(TOPIC, 5, END)]
    getattr(consumer, assign)(given)
    assert consumer.assigned == {3: 42, 5: END}
    poll(consumer)
    assert consumer.assigned == {3: 42, 5: END, 0: BEGINNING, 1: END, 2: STORED, 4: BEGINNING}


def test_assignment_by_hand_replaces_the_one_before(consumer: Any, cluster: Cluster) -> None:
    consumer.assign([Partition(TOPIC, 0)])
    consumer.assign([Partition(TOPIC, 1)])
    cluster.ages = {0: 0, 1: 0}
    poll(consumer)
    assert consumer.assigned == {1: BEGINNING}


def test_partition_unassigned_by_hand_before_it_started_is_forgotten(consumer: Any, cluster: Cluster) -> None:
    consumer.assign([Partition(TOPIC, 0), Partition(TOPIC, 1)])
    consumer.incremental_unassign([Partition(TOPIC, 0)])
    cluster.ages = {0: 0, 1: 0}
    poll(consumer)
    assert consumer.assigned == {1: BEGINNING}
    consumer.incremental_unassign([Partition(TOPIC, 1)])
    assert consumer.assigned == {}
    consumer.assign([Partition(TOPIC, 0)])
    consumer.unassign()
    poll(consumer)
    assert consumer.assigned == {}


def test_callbacks_of_a_subscription_are_not_called_for_assignments_by_hand(
    consumer: Any, cluster: Cluster
) -> None:
    cluster.ages = {0: 0}
    consumer.subscribe([TOPIC], on_assign=lambda *_: pytest.fail("called"))
    consumer.assign([Partition(TOPIC, 0)])
    poll(consumer)
    assert consumer.assigned == {0: BEGINNING}


def test_without_the_setting_assignments_by_hand_are_those_of_confluent_kafka(
    consumer_class: Any, cluster: Cluster
) -> None:
    with consumer_class({"bootstrap.servers": cluster.broker.bootstrap, "group.id": "g"}) as consumer:
        consumer.assign([Partition(TOPIC, 0)])
        assert consumer.assigned == {0: INVALID}
    assert cluster.broker.requests == []


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"auto.offset.reset": "latest", "auto.offset.reset.latest.max.age": -1},
        {"auto.offset.reset": "earliest", "auto.offset.reset.latest.max.age": 5},
        {"group.protocol": "classic"},
    ],
)
def test_without_the_setting_it_is_the_consumer_of_confluent_kafka(
    consumer_class: Any, cluster: Cluster, settings: dict[str, Any]
) -> None:
    def on_assign(*_: Any) -> None:
        pass

    with consumer_class(
        {"bootstrap.servers": cluster.broker.bootstrap, "group.id": "g", **settings}
    ) as consumer:
        consumer.subscribe([TOPIC], on_assign=on_assign)
        assert consumer.callbacks == {"on_assign": on_assign}
        poll(consumer, lambda: consumer.gets(0))
        assert consumer.assigned == {0: INVALID}
    assert cluster.broker.names() == []


def test_librdkafkas_names_of_latest_count_as_latest(consumer_class: Any, cluster: Cluster) -> None:
    cluster.ages = {0: 0}
    for name in ("largest", "end", "latest"):
        settings = {"bootstrap.servers": cluster.broker.bootstrap, **ON, "auto.offset.reset": name}
        with consumer_class(settings) as consumer:
            consumer.subscribe([TOPIC])
            poll(consumer, lambda given=consumer: given.gets(0))
            assert consumer.assigned == {0: BEGINNING}


def test_consume_returns_messages_of_several_polls(consumer: Any, cluster: Cluster) -> None:
    consumer.subscribe([TOPIC])
    consumer.script = [lambda: "a", lambda: None, lambda: "b"]
    assert consumer.consume(2, 10) == ["a", "b"]


def test_missing_library_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    monkeypatch.delitem(sys.modules, "tidemark_tools.client.age_aware", raising=False)
    with pytest.raises(ImportError, match="pip install 'confluent-kafka"):
        tidemark_tools.client.AgeAwareConsumer  # noqa: B018
    assert tidemark_tools.client.describe_topics
    with pytest.raises(AttributeError, match="Wrong"):
        tidemark_tools.client.Wrong  # noqa: B018
