"""The expected precedence is that of Kafka's DefaultQuotaCallback."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from bench.frames import Wire, frame
from tests.unit.broker.groups.test_large_groups import calls
from tests.unit.broker.whole import Client, Whole, a_commit, running
from tests.wire import request
from tidemark.core.context import Caller
from tidemark.server.interceptors import BODY_BYTES, Call, Throttle
from tidemark.server.quotas import (
    CLIENTS_BYTES_MAX,
    RATE_UNUSED_MS,
    ClientLimits,
    QuotaInterceptor,
    QuotaWindows,
    Rate,
)
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from tidemark_protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tidemark_testing.storage import MemoryStorage

RATE = "producer_byte_rate"
# From the most to the least specific one.
ENTITIES: list[dict[str, str | None]] = [
    {"user": "alice", "client-id": "app"},
    {"user": "alice", "client-id": None},
    {"user": "alice"},
    {"user": None, "client-id": "app"},
    {"user": None, "client-id": None},
    {"user": None},
    {"client-id": "app"},
    {"client-id": None},
]


def limits(*entities: dict[str, str | None]) -> ClientLimits:
    """Return limits whose value is the place of the entity in ENTITIES, from 1. It is 0 for others."""
    values = [ENTITIES.index(each) + 1.0 if each in ENTITIES else 0.0 for each in entities]
    return ClientLimits(
        (tuple(each.items()), RATE, value) for each, value in zip(entities, values, strict=True)
    )


def test_most_specific_entity_decides() -> None:
    for first in range(len(ENTITIES)):
        assert limits(*ENTITIES[first:]).of("alice", "app")[RATE][0] == first + 1


def test_quota_of_a_user_is_shared_by_all_clients_of_the_user() -> None:
    of_user = limits({"user": "alice"})
    assert of_user.of("alice", "app")[RATE] == of_user.of("alice", "other")[RATE]


def test_quota_of_a_client_id_is_shared_by_all_users() -> None:
    of_client = limits({"client-id": "app"})
    assert of_client.of("alice", "app")[RATE] == of_client.of("bob", "app")[RATE]


def test_default_quota_is_not_shared() -> None:
    default = limits({"client-id": None})
    assert default.of("alice", "app")[RATE] != default.of("alice", "other")[RATE]


def test_quota_of_another_user_does_not_count() -> None:
    assert limits({"user": "bob"}).of("alice", "app") == {}


class Clock:
    now_ms = 1000

    def __call__(self) -> int:
        return self.now_ms


REQUEST_BYTES = 1100
MANY = 1000  # partitions


def produce(acks: int, memory: dict[Any, Any] | None = None) -> Call:
    data = [TopicProduceData("orders", partition_data=[PartitionProduceData(0, bytes(1000))])]
    request = ProduceRequest(None, acks, 1000, data)
    caller = Caller(principal="User:alice", connection=7)
    memory = {} if memory is None else memory
    return Call(caller, "Produce", 9, "app", request, REQUEST_BYTES, lambda *_: None, memory)


def test_produce_without_a_response_mutes_its_connection() -> None:
    quotas = QuotaInterceptor(limits({"user": "alice"}), QuotaWindows(11, 1), Clock())
    call = produce(0)
    assert quotas.request(call) is None
    assert quotas.unanswered(call) > 100_000


def test_client_without_a_quota_is_not_touched() -> None:
    quotas = QuotaInterceptor(limits({"user": "bob"}), QuotaWindows(11, 1), Clock())
    call = produce(1)
    assert quotas.request(call) is None
    assert quotas.response(call, object()) is None


def test_rate_is_kept_if_the_limit_changes() -> None:
    quotas = QuotaInterceptor(limits({"client-id": "app"}), QuotaWindows(11, 1), Clock())
    call = produce(1)
    quotas.request(call)
    first = quotas.response(call, ProduceResponse())
    quotas.limit(limits({"client-id": "app"}))
    call = produce(1)
    quotas.request(call)
    second = quotas.response(call, ProduceResponse())
    assert isinstance(first, Throttle)
    assert isinstance(second, Throttle)
    assert second.ms > first.ms


def test_request_counts_with_the_size_in_which_it_arrived() -> None:
    """It may have fields that the broker does not know. Kafka: Request.sizeInBytes."""
    throttles = []
    for size in (REQUEST_BYTES, 10 * REQUEST_BYTES):
        quotas = QuotaInterceptor(limits({"client-id": "app"}), QuotaWindows(11, 1), Clock())
        call = replace(produce(1), size=size)
        quotas.request(call)
        throttle = quotas.response(call, ProduceResponse())
        assert isinstance(throttle, Throttle)
        throttles.append(throttle.ms)
    assert throttles[1] > 9 * throttles[0]


def test_large_messages_are_not_encoded_to_measure_them() -> None:
    entity = (("client-id", "app"),)
    quotas = QuotaInterceptor(
        ClientLimits([(entity, RATE, 1e9), (entity, "consumer_byte_rate", 1e9)]),
        QuotaWindows(11, 1),
        Clock(),
    )
    data = [TopicProduceData("t", partition_data=[PartitionProduceData(n, b"") for n in range(MANY)])]
    partitions = [PartitionData(n, high_watermark=n) for n in range(MANY)]
    fetched = FetchResponse(responses=[FetchableTopicResponse("t", partitions=partitions)])
    produced = replace(produce(1), request=ProduceRequest(None, 1, 1, data))
    fetch = replace(produced, api="Fetch", version=12, request=FetchRequest(), memory={BODY_BYTES: 1})
    for call, response in ((produced, ProduceResponse()), (fetch, fetched)):
        quotas.request(call)
        assert calls(partial(quotas.response, call, response)) < MANY


def produces(quotas: QuotaInterceptor, client_id: str) -> Any:
    """Send a Produce as this client. Return what the interceptor makes of its response."""
    call = replace(produce(1), client_id=client_id)
    assert quotas.request(call) is None
    return quotas.response(call, ProduceResponse())


def test_memory_for_long_client_ids_is_bounded() -> None:
    quotas = QuotaInterceptor(limits({"client-id": None}), QuotaWindows(11, 1), Clock())
    wave = "\N{WATER WAVE}"  # it makes each of the other characters four bytes long
    tracemalloc.start()
    try:
        for number in range(2000):
            produces(quotas, f"{number}{wave}" + 32_000 * "a")
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert used < 2 * CLIENTS_BYTES_MAX
    assert isinstance(produces(quotas, "app"), Throttle)


def test_rate_is_forgotten_after_an_hour_without_requests() -> None:
    clock = Clock()
    quotas = QuotaInterceptor(limits({"client-id": None}), QuotaWindows(11, 1), clock)
    for number in range(10):
        produces(quotas, f"app-{number}")
    clock.now_ms += RATE_UNUSED_MS
    produces(quotas, "another")
    assert len(quotas._rates) == 1


@asynccontextmanager
async def with_quota(key: str, value: float) -> AsyncIterator[tuple[Whole, Client]]:
    """Run a node on which all client ids have this quota."""
    async with running(MemoryStorage()) as whole:
        client = await whole.client()
        await client.make_topic()
        await client.find()
        entity = [{"EntityType": "client-id", "EntityName": None}]
        entry = {"Entity": entity, "Ops": [{"Key": key, "Value": value, "Remove": False}]}
        await client.ask("AlterClientQuotas", 1, {"Entries": [entry], "ValidateOnly": False})
        yield whole, client


async def test_connection_is_muted_after_a_produce_without_a_response() -> None:
    async with with_quota(RATE, 10) as (whole, client):
        batch = build_batch([LogRecord(0, 0, None, bytes(1000))])
        topic = TopicProduceData("orders", partition_data=[PartitionProduceData(0, batch)])
        client.writer.write(request("Produce", 9, ProduceRequest(acks=0, timeout_ms=1, topic_data=[topic])))
        client.send("Heartbeat", 4, {"GroupId": "g", "MemberId": "m"})
        assert await client.is_silent()
        whole.clock.advance(200_000)
        assert (await client.answer("Heartbeat", 4))["ErrorCode"] == 25


@pytest.mark.parametrize("key", [RATE, "request_percentage"])
async def test_commit_far_below_a_quota_costs_few_calls(key: str) -> None:
    async with with_quota(key, 1e6) as (whole, _):
        wire = Wire(whole)
        commits = [frame("OffsetCommit", 8, a_commit("g", n)) for n in range(20)]
        await wire.send(*commits)  # the first one makes the rate
        called = await wire.send(*commits)
        assert not [name for _, name in called if name.startswith(("_Exchange.", "Call.", "_Plan."))]
        by_quotas = {each: times for each, times in called.items() if "server/quota" in each[0]}
        assert sum(by_quotas.values()) <= 3 * len(commits), by_quotas
        wire.drop()


async def test_request_above_a_quota_of_time_is_throttled_and_mutes_those_behind_it() -> None:
    async with with_quota("request_percentage", 1e-6) as (whole, client):
        client.writer.write(b"".join(request("OffsetCommit", 8, a_commit("g", n), n) for n in range(3)))
        answered = await client.answer("OffsetCommit", 8)
        assert answered["ThrottleTimeMs"] == 1_000
        assert await client.is_silent()
        whole.clock.advance(1_000)
        assert (await client.answer("OffsetCommit", 8))["ThrottleTimeMs"] == 1_000


def test_total_of_a_rate_bounds_it() -> None:
    rate = Rate(11, 1000)
    draw = Random(1)
    now_ms = 0
    for _ in range(2_000):
        now_ms += draw.randrange(3_000)
        rate.record(draw.random(), now_ms)
        total = rate.total
        assert rate.per_second(now_ms) <= total / 10 + 1e-9
        assert rate.total <= total + 1e-9
