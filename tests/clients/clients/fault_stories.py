"""Stories of faults, each told with two client libraries. `test_faults.py` runs this file by pytest.

A story sets a fault, lets the client work, and asserts what the client's documentation says: it retries,
rebalances or raises. The journal shows what it sent.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioPartition
from aiokafka.errors import KafkaError as AioError
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka import TopicPartition as ConfluentPartition
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata

from tidemark_testing.client import Tidemark

FAST_MS = 1000
DEADLINE_S = 15


class Confluent:
    """confluent-kafka, which is librdkafka. Methods return None, or the name of the error."""

    def __init__(self, bootstrap: str) -> None:
        self.settings = {
            "bootstrap.servers": bootstrap,
            "socket.timeout.ms": FAST_MS,
            "retry.backoff.ms": 20,
            "reconnect.backoff.ms": 10,
            "log_level": 0,
        }

    def produce(self, topic: str) -> str | None:
        producer = Producer({**self.settings, "request.timeout.ms": FAST_MS, "message.timeout.ms": 10_000})
        errors: list[Any] = []
        producer.produce(topic, b"one", on_delivery=lambda error, _: errors.append(error))
        producer.flush(DEADLINE_S)
        return None if errors[0] is None else str(errors[0].name())

    def commit(self, topic: str, group: str) -> str | None:
        consumer = Consumer({**self.settings, "group.id": group})
        try:
            consumer.commit(offsets=[ConfluentPartition(topic, 0, 7)], asynchronous=False)
        except KafkaException as error:
            return str(error.args[0].name())
        finally:
            consumer.close()
        return None

    def read(self, topic: str, group: str, until: Callable[[int], bool]) -> int:
        """Return the number of records that a member of the group has read when until(number) is true."""
        consumer = Consumer(
            {**self.settings, "group.id": group, "auto.offset.reset": "earliest", "heartbeat.interval.ms": 50}
        )
        consumer.subscribe([topic])
        count = 0
        try:
            for _ in range(DEADLINE_S * 20):
                record = consumer.poll(0.05)
                count += record is not None and record.error() is None
                if until(count):
                    return count
        finally:
            consumer.close()
        raise AssertionError(f"{count} records, and no end")


class KafkaPython:
    """kafka-python."""

    def __init__(self, bootstrap: str) -> None:
        self.settings = {
            "bootstrap_servers": bootstrap,
            "retry_backoff_ms": 20,
            "reconnect_backoff_ms": 10,
            "request_timeout_ms": 2 * FAST_MS,
        }

    def produce(self, topic: str) -> str | None:
        producer = KafkaProducer(**self.settings, enable_idempotence=False, retries=10)
        try:
            producer.send(topic, b"one").get(DEADLINE_S)
        except KafkaError as error:
            return type(error).__name__
        finally:
            producer.close(1)
        return None

    def commit(self, topic: str, group: str) -> str | None:
        consumer = KafkaConsumer(**self.settings, group_id=group, enable_auto_commit=False)
        try:
            consumer.commit({TopicPartition(topic, 0): OffsetAndMetadata(7, "", -1)})
        except KafkaError as error:
            return type(error).__name__
        finally:
            consumer.close()
        return None

    def read(self, topic: str, group: str, until: Callable[[int], bool]) -> int:
        settings = {**self.settings, "request_timeout_ms": 20_000, "session_timeout_ms": 10_000}
        consumer = KafkaConsumer(
            topic, **settings, group_id=group, auto_offset_reset="earliest", heartbeat_interval_ms=50
        )
        # A member that joins without metadata joins again at once, and then may never send a heartbeat.
        consumer.partitions_for_topic(topic)
        count = 0
        try:
            for _ in range(DEADLINE_S * 20):
                count += sum(map(len, consumer.poll(50).values()))
                if until(count):
                    return count
        finally:
            consumer.close()
        raise AssertionError(f"{count} records, and no end")


class AioKafka:
    """aiokafka."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def produce(self, topic: str) -> str | None:
        return asyncio.run(self._produce(topic))

    async def _produce(self, topic: str) -> str | None:
        producer = AIOKafkaProducer(
            bootstrap_servers=self.bootstrap, request_timeout_ms=2 * FAST_MS, retry_backoff_ms=20
        )
        await producer.start()
        try:
            await producer.send_and_wait(topic, b"one")
        except AioError as error:
            return type(error).__name__
        finally:
            await producer.stop()
        return None

    def commit(self, topic: str, group: str) -> str | None:
        return asyncio.run(self._commit(topic, group))

    async def _commit(self, topic: str, group: str) -> str | None:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap, group_id=group, enable_auto_commit=False, retry_backoff_ms=20
        )
        await consumer.start()
        consumer.assign([AioPartition(topic, 0)])
        consumer.pause(AioPartition(topic, 0))  # `stop` fails while a fetch waits until it is repeated
        try:
            await consumer.commit({AioPartition(topic, 0): 7})
        except AioError as error:
            return type(error).__name__
        finally:
            await consumer.stop()
        return None


Library = type[Confluent] | type[KafkaPython]
BOTH = pytest.mark.parametrize("library", [Confluent, KafkaPython], ids=lambda each: each.__name__)
COMMITTERS = pytest.mark.parametrize(
    "library", [Confluent, KafkaPython, AioKafka], ids=lambda each: each.__name__
)


def records(tidemark: Tidemark, topic: str) -> int:
    """Return the number of records in the topic."""
    admin = Consumer({"bootstrap.servers": tidemark.bootstrap_servers, "group.id": "counting"})
    low, high = admin.get_watermark_offsets(ConfluentPartition(topic, 0), timeout=5)
    admin.close()
    return int(high) - int(low)


@COMMITTERS
def test_commit_is_repeated_after_a_retriable_error(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    fault = tidemark.faults.add(api="OffsetCommit", group="billing", error="NOT_COORDINATOR", times=2)
    assert library(tidemark.bootstrap_servers).commit(topic, "billing") is None
    assert fault.matched == 2
    commits = tidemark.requests(api="OffsetCommit", group="billing").wait_for(count=3)
    assert [commit.errors for commit in commits[:3]] == [["NOT_COORDINATOR"]] * 2 + [[]]
    assert tidemark.offsets("billing")[topic, 0].offset == 7


@COMMITTERS
def test_commit_raises_an_error_that_no_retry_can_help(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(api="OffsetCommit", topic=topic, partition=0, error="GROUP_AUTHORIZATION_FAILED")
    raised = library(tidemark.bootstrap_servers).commit(topic, "billing")
    assert raised in ("GROUP_AUTHORIZATION_FAILED", "GroupAuthorizationFailedError")
    assert len(tidemark.requests(api="OffsetCommit", error="GROUP_AUTHORIZATION_FAILED")) == 1
    assert not tidemark.offsets("billing")


@COMMITTERS
def test_producer_asks_for_the_leader_and_sends_again(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(api="Produce", topic=topic, error="NOT_LEADER_OR_FOLLOWER", once=True)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    first, second = tidemark.requests(api="Produce").wait_for(count=2)
    assert (first.errors, second.errors) == (["NOT_LEADER_OR_FOLLOWER"], [])
    if library is AioKafka:  # the others may send again, and be closed, before they ask
        assert tidemark.requests(api="Metadata", after=first.number)[0].number < second.number
    assert records(tidemark, topic) == 1


@COMMITTERS
def test_producer_raises_an_error_that_no_retry_can_help(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(api="Produce", error="TOPIC_AUTHORIZATION_FAILED")
    raised = library(tidemark.bootstrap_servers).produce(topic)
    assert raised in ("TOPIC_AUTHORIZATION_FAILED", "TopicAuthorizationFailedError")
    assert len(tidemark.requests(api="Produce")) == 1


@BOTH
@pytest.mark.parametrize(
    ("fault", "outcome", "stored"),
    [
        ({"drop": True}, "dropped", 2),
        ({"close": True}, "closed", 1),
        ({"close": True, "when": "after"}, "closed", 2),
        ({"truncate_bytes": 10}, "closed", 2),
    ],
    ids=["drop", "close", "close-after", "truncate"],
)
def test_producer_without_idempotence_sends_again_what_it_has_no_response_to(
    tidemark: Tidemark, library: Any, fault: dict[str, Any], outcome: str, stored: int
) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(api="Produce", once=True, **fault)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    first, second = tidemark.requests(api="Produce").wait_for(count=2)
    assert (first.outcome, second.outcome) == (outcome, "responded")
    assert records(tidemark, topic) == stored


@BOTH
def test_duplicated_response_does_not_disturb_the_client(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    fault = tidemark.faults.add(api="Metadata", duplicate=True, once=True)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    assert fault.matched == 1
    assert records(tidemark, topic) == 1


@BOTH
@pytest.mark.parametrize("when", ["before", "after"])
def test_client_waits_for_a_late_response(tidemark: Tidemark, library: Any, when: Any) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(api="Produce", delay_ms=150, when=when)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    (produce,) = tidemark.requests(api="Produce")
    assert produce.duration_ms is not None and produce.duration_ms >= 150


@BOTH
def test_client_gets_the_throttle_time(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(api="Produce", throttle_ms=50)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    (produce,) = tidemark.requests(api="Produce")
    assert produce.response is not None and produce.response["ThrottleTimeMs"] == 50


@BOTH
def test_client_waits_until_a_blocked_request_is_released(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    fault = tidemark.faults.add(api="Produce", block=True, once=True)
    client, results = library(tidemark.bootstrap_servers), []
    thread = threading.Thread(target=lambda: results.append(client.produce(topic)))
    thread.start()
    fault.wait_for(matched=1)
    assert tidemark.requests(api="Produce", outcome="pending")
    assert fault.release() == 1
    thread.join(DEADLINE_S)
    assert results == [None]
    assert records(tidemark, topic) == 1


@BOTH
def test_member_joins_again_after_an_error_of_its_heartbeat(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(api="Heartbeat", group="billing", error="REBALANCE_IN_PROGRESS", times=50)

    def rejoined(_: int) -> bool:
        beats = tidemark.requests(api="Heartbeat", error="REBALANCE_IN_PROGRESS")
        return bool(beats and tidemark.requests(api="SyncGroup", after=beats[0].number))

    library(tidemark.bootstrap_servers).read(topic, "billing", rejoined)
    beat = tidemark.requests(api="Heartbeat", error="REBALANCE_IN_PROGRESS")[0]
    again = tidemark.requests(api="JoinGroup", after=beat.number)[0]
    assert again.request is not None and beat.request is not None
    assert again.request["MemberId"] == beat.request["MemberId"]


@BOTH
def test_consumer_starts_over_when_its_offset_is_out_of_range(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    client = library(tidemark.bootstrap_servers)
    client.produce(topic)
    fault = tidemark.faults.add(api="Fetch", topic=topic, error="OFFSET_OUT_OF_RANGE", once=True)
    assert client.read(topic, "billing", lambda count: count == 1) == 1
    assert fault.matched == 1
    (refused,) = tidemark.requests(api="Fetch", error="OFFSET_OUT_OF_RANGE")
    assert tidemark.requests(api="ListOffsets", after=refused.number)


@BOTH
def test_member_finds_the_coordinator_that_moved_away_and_back(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    client = library(tidemark.bootstrap_servers)
    client.produce(topic)
    away = tidemark.faults.add(coordinator_away=True, group="billing", loading_ms=100)
    unavailable = tidemark.requests(api="FindCoordinator", error="COORDINATOR_NOT_AVAILABLE")
    released = False

    def read_one(count: int) -> bool:
        nonlocal released
        if not released and unavailable.refresh():
            away.release()
            released = True
        return count == 1

    assert client.read(topic, "billing", read_one) == 1
    assert released


@BOTH
def test_client_continues_after_a_pause(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    tidemark.faults.add(pause=True, for_ms=200)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    assert records(tidemark, topic) == 1


@BOTH
def test_client_connects_again_after_refused_connections(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    fault = tidemark.faults.add(refuse_connections=True, times=2)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    assert fault.matched == 2


@BOTH
def test_slow_disk_delays_acknowledgements(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    fault = tidemark.faults.add(disk="write", delay_ms=100, once=True)
    assert library(tidemark.bootstrap_servers).produce(topic) is None
    assert fault.matched == 1
    (produce,) = tidemark.requests(api="Produce")
    assert produce.duration_ms is not None and produce.duration_ms >= 100


@COMMITTERS
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_restore_undoes_a_request_that_a_fault_holds_back(
    tidemark: Tidemark, library: Any, when: Any
) -> None:
    """It is let go, and decided before the restore, which undoes it. The client is not stuck."""
    topic = tidemark.topic("orders")
    before = tidemark.snapshot()
    fault = tidemark.faults.add(api="OffsetCommit", group="billing", block=True, when=when)
    client, results = library(tidemark.bootstrap_servers), []
    thread = threading.Thread(target=lambda: results.append(client.commit(topic, "billing")))
    thread.start()
    fault.wait_for(matched=1)
    tidemark.restore(before)
    thread.join(DEADLINE_S)
    assert len(results) == 1
    assert len(tidemark.faults) == 0
    sent_again = tidemark.requests(api="OffsetCommit", group="billing")
    assert set(tidemark.offsets("billing")) == ({(topic, 0)} if len(sent_again) else set())
    assert client.commit(topic, "billing") is None


@BOTH
def test_delayed_request_is_not_decided_after_a_restore(tidemark: Tidemark, library: Any) -> None:
    topic = tidemark.topic("orders")
    before = tidemark.snapshot()
    fault = tidemark.faults.add(api="OffsetCommit", group="billing", delay_ms=300)
    client = library(tidemark.bootstrap_servers)
    thread = threading.Thread(target=lambda: client.commit(topic, "billing"))
    thread.start()
    fault.wait_for(matched=1)
    tidemark.restore(before)
    thread.join(DEADLINE_S)
    tidemark.restore(before)  # undoes the commit of a client that sent it again
    tidemark.faults.add(api="OffsetCommit", group="later", delay_ms=600)  # ends after the first delay
    assert client.commit(topic, "later") is None
    assert not tidemark.offsets("billing")


@BOTH
def test_a_restore_removes_faults_and_sets_those_of_the_file_again(
    tidemark_factory: Any, tmp_path: Any, library: Any
) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("- {api: OffsetCommit, group: billing, error: GROUP_AUTHORIZATION_FAILED, times: 1}\n")
    tidemark = tidemark_factory({"tidemark.faults.file": str(file)})
    topic = tidemark.topic("orders")
    before = tidemark.snapshot()
    client = library(tidemark.bootstrap_servers)
    assert client.commit(topic, "billing") is not None
    assert client.commit(topic, "billing") is None
    added = tidemark.faults.add(api="OffsetCommit", group="shipping", error="GROUP_AUTHORIZATION_FAILED")
    tidemark.restore(before)
    assert not added.active
    assert client.commit(topic, "shipping") is None
    assert client.commit(topic, "billing") is not None
    assert client.commit(topic, "billing") is None


def test_a_fault_that_is_set_after_a_restore_meets_the_clients_that_reconnect(tidemark: Tidemark) -> None:
    """A member that was connected before the restore joins again, and its commits are refused."""
    topic = tidemark.topic("orders")
    before = tidemark.snapshot()
    settings = {"bootstrap.servers": tidemark.bootstrap_servers, "reconnect.backoff.ms": 10, "log_level": 0}
    consumer = Consumer({**settings, "group.id": "billing", "socket.timeout.ms": FAST_MS})
    consumer.commit(offsets=[ConfluentPartition(topic, 0, 7)], asynchronous=False)
    tidemark.restore(before)
    refused = tidemark.faults.add(api="OffsetCommit", group="billing", error="NOT_COORDINATOR", times=2)
    consumer.commit(offsets=[ConfluentPartition(topic, 0, 8)], asynchronous=False)
    assert refused.matched == 2
    assert tidemark.offsets("billing")[topic, 0].offset == 8
    consumer.close()
