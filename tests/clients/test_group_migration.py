"""A group of real clients whose members change their protocol one by one, under load, there and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.broker_process import RunningBroker, start_broker
from tests.clients.children import Child, python_client
from tests.clients.reading import Reading
from tests.clients.test_real_clients import assignment, ends, wait_until_all_is_committed

pytestmark = [pytest.mark.contract, pytest.mark.slow]

SETTINGS = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "group.consumer.heartbeat.interval.ms": "300",
    "group.consumer.min.heartbeat.interval.ms": "300",
    "group.consumer.assignment.interval.ms": "100",
}
TOPIC, GROUP, PARTITIONS, RECORDS = "orders", "movers", 6, 20_000
CONSUMER = "group.protocol=consumer"
NewChild = Callable[..., Child]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path, SETTINGS)
    yield running
    running.stop()


@pytest.fixture
def new_child(broker: RunningBroker, tmp_path: Path) -> Iterator[NewChild]:
    children: list[Child] = []

    def make(client: str, name: str, *settings: str) -> Child:
        program, arguments = python_client(client), [broker.bootstrap, *settings]
        children.append(Child(program, arguments, tmp_path, name))
        return children[-1]

    yield make
    for child in children:
        child.close()


def test_a_rolling_upgrade_and_downgrade_loses_and_repeats_no_committed_work(new_child: NewChild) -> None:
    producer = new_child("confluent-kafka", "producer")
    producer.ask("created", do="create_topic", topic=TOPIC, partitions=PARTITIONS)
    producer.begin(do="produce", topic=TOPIC, codec="none", first=0, count=RECORDS)
    members: list[Child] = []

    def begin(client: str, *settings: str) -> Child:
        member = new_child(client, f"member-{len(members)}", *settings)
        member.begin(do="consume", topic=TOPIC, group=GROUP, client_id=member.name)
        members.append(member)
        return member

    one, two = begin("confluent-kafka"), begin("kafka-python")
    wait_until_spread(one, two)
    three = begin("confluent-kafka", CONSUMER)
    wait_until_spread(one, two, three)
    one.stop_consuming()
    wait_until_spread(two, three)
    four = begin("confluent-kafka", CONSUMER)
    two.stop_consuming()
    wait_until_spread(three, four)

    five = begin("kafka-python")
    three.stop_consuming()
    wait_until_spread(four, five)
    six = begin("confluent-kafka")
    four.stop_consuming()
    wait_until_spread(five, six)

    def all_is_read() -> bool:
        return len(Reading.of(members).numbers()) == RECORDS

    six.wait_until(all_is_read, "everything to be read")
    wait_until_all_is_committed(members)
    for member in (five, six):
        member.stop_consuming()
    reading = Reading.of(members)
    assert reading.numbers() == set(range(RECORDS))
    assert reading.repeats_of_committed_work() == []
    told = producer.ask("committed_offsets", do="committed", group=GROUP, topic=TOPIC, partitions=PARTITIONS)
    assert {int(partition): offset for partition, offset in told["offsets"].items()} == ends(reading)


def wait_until_spread(*members: Child) -> None:
    """Wait until the members own the same number of partitions, and together all of them."""

    def spread() -> bool:
        owned = [assignment(member) for member in members]
        return {*map(len, owned)} == {PARTITIONS // len(members)} and len(set.union(*owned)) == PARTITIONS

    for member in members:
        member.wait_until(spread, f"{len(members)} members to own equal parts", timeout_s=30)
