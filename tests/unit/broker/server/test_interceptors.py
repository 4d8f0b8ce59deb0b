"""Interceptors, over real sockets: each action on requests and responses, and what they leave untouched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from struct import pack, unpack
from typing import Any

import pytest

from bench.frames import Wire
from tests.unit.broker.whole import A_JOIN, Client, Whole, WorkingClock, a_commit, running
from tests.wire import request
from tidemark.server.interceptors import (
    Action,
    Call,
    Close,
    Delay,
    Drop,
    Interceptor,
    Interceptors,
    Replace,
    Respond,
)
from tidemark.turns import TURN_MS
from tidemark_protocol import from_dict
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_testing.storage import MemoryStorage

ILLEGAL_GENERATION = 22
OFFSET_OUT_OF_RANGE = 1
DELAY_MS = 5_000


class OnNth(Interceptor):
    """Does something to the nth call of an API, counted from 0, and records every call."""

    def __init__(
        self,
        api: str,
        *,
        request: Action | Callable[[Call], Action] | None = None,
        response: Action | Callable[[Call, Any], Action] | None = None,
        nth: int = 0,
    ) -> None:
        self._api = api
        self._request = request
        self._response = response
        self._nth = nth
        self.requests: list[Call] = []
        self.responses: list[Any] = []

    def request(self, call: Call) -> Action | None:
        if call.api != self._api:
            return None
        self.requests.append(call)
        if len(self.requests) != self._nth + 1:
            return None
        return self._request(call) if callable(self._request) else self._request

    def response(self, call: Call, response: Any) -> Action | None:
        if call.api != self._api:
            return None
        self.responses.append(response)
        if len(self.responses) != self._nth + 1:
            return None
        return self._response(call, response) if callable(self._response) else self._response


def interceptors(whole: Whole) -> Interceptors:
    return whole.node.env.interceptors


def intercept(whole: Whole, interceptor: OnNth) -> OnNth:
    interceptors(whole).add(interceptor)
    return interceptor


async def is_closed(client: Client) -> bool:
    async with asyncio.timeout(10):
        return await client.reader.read() == b""


async def ready_client(whole: Whole) -> Client:
    client = await whole.client()
    await client.make_topic()
    await client.find()
    return client


def commit_frame(offset: int, correlation_id: int) -> bytes:
    return request("OffsetCommit", 8, a_commit("g", offset), correlation_id)


def heartbeat_frame(correlation_id: int) -> bytes:
    return request("Heartbeat", 4, {"GroupId": "g", "MemberId": "m"}, correlation_id)


def send_produce(client: Client, *values: bytes) -> None:
    batch = build_batch([LogRecord(offset, 0, None, value) for offset, value in enumerate(values)])
    topic = TopicProduceData("orders", partition_data=[PartitionProduceData(0, batch)])
    client.writer.write(request("Produce", 9, ProduceRequest(acks=1, timeout_ms=1000, topic_data=[topic])))


def fetch(max_wait_ms: int = 0, offset: int = 0) -> dict[str, Any]:
    partition = {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 1_000_000}
    return {
        "MaxWaitMs": max_wait_ms,
        "MinBytes": 1,
        "MaxBytes": 1_000_000,
        "SessionEpoch": -1,
        "Topics": [{"Topic": "orders", "Partitions": [partition]}],
    }


def refused(call: Call, *_: Any) -> Respond:
    return Respond(call.failed(ILLEGAL_GENERATION))


# requests


async def test_replaced_request_is_decided_in_place_of_the_original(whole: Whole) -> None:
    client = await ready_client(whole)
    replacement = from_dict("OffsetCommitRequest", a_commit("g", 99))
    seen = intercept(whole, OnNth("OffsetCommit", request=Replace(replacement)))
    assert await client.commit("g", 1) == 0
    assert await client.committed("g") == 99
    (call,) = seen.requests
    assert (call.caller.listener, call.caller.principal) == ("PLAINTEXT", "User:ANONYMOUS")
    assert (call.version, call.request.topics[0].partitions[0].committed_offset) == (8, 1)


async def test_delayed_request_is_decided_late_and_holds_back_those_behind_it(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", request=Delay(DELAY_MS), nth=1))
    client.writer.write(b"".join(commit_frame(number, number) for number in range(3)))
    assert await client.correlation_ids(1) == [0]
    assert await client.is_silent()
    assert await (await whole.client()).committed("g") == 0
    whole.clock.advance(DELAY_MS)
    assert await client.correlation_ids(2) == [1, 2]
    assert await client.committed("g") == 2


async def test_dropped_request_is_not_decided_and_later_ones_get_responses(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", request=Drop(), nth=2))
    client.writer.write(b"".join(commit_frame(number, number) for number in range(3)))
    client.writer.write(heartbeat_frame(3))
    assert await client.correlation_ids(3) == [0, 1, 3]
    assert await client.committed("g") == 1


async def test_request_closes_connection_after_the_responses_before_it(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", request=Close(), nth=2))
    client.writer.write(b"".join(commit_frame(number, number) for number in range(4)))
    assert await client.correlation_ids(2) == [0, 1]
    assert await is_closed(client)
    assert await (await whole.client()).committed("g") == 1
    assert not whole.metrics.bad_input
    assert whole.lines.of("a request failed") == []


async def test_request_gets_an_error_without_being_decided(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", request=refused))
    assert await client.commit("g", 5) == ILLEGAL_GENERATION
    assert await client.commit("g", 6) == 0
    assert await client.committed("g") == 6


async def test_error_that_cannot_be_encoded_closes_the_connection_and_is_no_failure_of_the_broker(
    whole: Whole,
) -> None:
    """Bytes that are no UTF-8 become characters of three bytes each, and the name is too long then."""
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", request=refused))
    name = "x" * 20_000
    commit = a_commit("g", 5)
    commit["Topics"][0]["Name"] = name
    client.writer.write(request("OffsetCommit", 8, commit, 1).replace(name.encode(), b"\xff" * len(name)))
    assert await is_closed(client)
    assert whole.lines.of("a request failed") == []


async def test_other_clients_are_served_while_a_long_error_is_encoded() -> None:
    async with running(MemoryStorage(), WorkingClock(TURN_MS)) as whole:
        client, other = await ready_client(whole), await whole.client()
        intercept(whole, OnNth("OffsetCommit", request=refused))
        commit = a_commit("g", 5)
        commit["Topics"][0]["Partitions"] *= 5000
        client.writer.write(request("OffsetCommit", 8, commit, 1) + heartbeat_frame(2))
        await other.ask("Metadata", 9, {"Topics": []})
        answered = await client.answer("OffsetCommit", 8)
        codes = [each["ErrorCode"] for each in answered["Topics"][0]["Partitions"]]
        assert codes == [ILLEGAL_GENERATION] * 5000
        assert await client.correlation_ids(1) == [2]


# responses


async def test_replaced_response_is_sent_and_the_request_is_decided(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", response=lambda call, _: Replace(call.failed(ILLEGAL_GENERATION))))
    assert await client.commit("g", 5) == ILLEGAL_GENERATION
    assert await client.committed("g") == 5


async def test_delayed_response_holds_back_the_responses_behind_it(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", response=Delay(DELAY_MS), nth=1))
    client.writer.write(b"".join(commit_frame(number, number) for number in range(3)))
    assert await client.correlation_ids(1) == [0]
    assert await client.is_silent()
    assert await (await whole.client()).committed("g") == 2
    whole.clock.advance(DELAY_MS)
    assert await client.correlation_ids(2) == [1, 2]


async def test_dropped_response_leaves_the_others_in_order(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", response=Drop(), nth=1))
    client.writer.write(b"".join(commit_frame(number, number) for number in range(4)))
    assert await client.correlation_ids(3) == [0, 2, 3]
    assert await client.committed("g") == 3


async def test_response_closes_connection_in_its_place_in_the_order(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", response=Close(), nth=2))
    client.writer.write(b"".join(commit_frame(number, number) for number in range(5)))
    assert await client.correlation_ids(2) == [0, 1]
    assert await is_closed(client)
    assert not whole.metrics.bad_input


# log APIs, parked requests, requests in steps


async def test_produce_is_dropped_before_it_appends(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("Produce", request=Drop()))
    send_produce(client, b"dropped")
    assert await client.is_silent()
    send_produce(client, b"kept")
    answered = await client.answer("Produce", 9)
    assert answered["Responses"][0]["PartitionResponses"][0]["BaseOffset"] == 0


@pytest.mark.parametrize("max_wait_ms", [0, 500])
async def test_fetch_response_is_replaced_by_an_error(whole: Whole, max_wait_ms: int) -> None:
    client = await ready_client(whole)
    seen = intercept(
        whole, OnNth("Fetch", response=lambda call, _: Replace(call.failed(OFFSET_OUT_OF_RANGE)))
    )
    client.send("Fetch", 12, fetch(max_wait_ms))
    if max_wait_ms:
        assert await client.is_silent()
        whole.clock.advance(max_wait_ms)
    assert (await client.answer("Fetch", 12))["ErrorCode"] == OFFSET_OUT_OF_RANGE
    assert len(seen.responses) == 1
    assert (await client.ask("Fetch", 12, fetch()))["ErrorCode"] == 0


async def test_fetch_is_delayed_before_it_reads(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("Fetch", request=Delay(DELAY_MS)))
    client.send("Fetch", 12, fetch())
    assert await client.is_silent()
    other = await whole.client()
    send_produce(other, b"v")
    await other.answer("Produce", 9)
    whole.clock.advance(DELAY_MS)
    answered = await client.answer("Fetch", 12)
    assert answered["Responses"][0]["Partitions"][0]["HighWatermark"] == 1


@pytest.mark.parametrize(
    ("action", "answers"), [(None, [0, 1]), (Drop(), [1]), (Delay(DELAY_MS), [0, 1]), (Close(), [])]
)
async def test_response_of_a_parked_request_is_intercepted(action: Action | None, answers: list[int]) -> None:
    async with running(MemoryStorage(), group_initial_rebalance_delay_ms="3000") as whole:
        client = await ready_client(whole)
        intercept(whole, OnNth("JoinGroup", response=action))
        client.writer.write(request("JoinGroup", 3, A_JOIN, 0) + heartbeat_frame(1))
        assert await client.is_silent()
        await whole.passes(3_000)
        if isinstance(action, Delay):
            assert await client.is_silent()
            whole.clock.advance(DELAY_MS)
        assert await client.correlation_ids(len(answers)) == answers
        if isinstance(action, Close):
            assert await is_closed(client)


NAMES = [f"a-group-with-a-long-name-{number:08}" for number in range(5_000)]


@pytest.mark.parametrize("clock", [None, WorkingClock])
async def test_large_request_is_seen_decoded_and_keeps_its_place(clock: Any) -> None:
    async with running(MemoryStorage(), clock=clock and clock()) as whole:
        client = await ready_client(whole)
        seen = intercept(whole, OnNth("DescribeGroups"))
        client.writer.write(
            heartbeat_frame(0) + request("DescribeGroups", 0, {"Groups": NAMES}, 1) + heartbeat_frame(2)
        )
        assert await client.correlation_ids(3) == [0, 1, 2]
        assert [len(call.request.groups) for call in seen.requests] == [len(NAMES)]
        assert [len(response.groups) for response in seen.responses] == [len(NAMES)]


async def test_large_request_is_replaced_after_decoding(whole: Whole) -> None:
    client = await ready_client(whole)
    one = from_dict("DescribeGroupsRequest", {"Groups": ["one"]})
    intercept(whole, OnNth("DescribeGroups", request=Replace(one)))
    answered = await client.ask("DescribeGroups", 0, {"Groups": NAMES})
    assert [group["GroupId"] for group in answered["Groups"]] == ["one"]


async def test_malformed_large_request_still_closes_its_connection() -> None:
    async with running(MemoryStorage(), clock=WorkingClock()) as whole:
        client = await ready_client(whole)
        intercept(whole, OnNth("DescribeGroups"))
        broken = bytearray(request("DescribeGroups", 0, {"Groups": ["a-group"] * 10_000}, 1))
        broken[-9:-7] = pack(">h", 2000)
        client.writer.write(heartbeat_frame(0) + bytes(broken) + heartbeat_frame(2))
        assert await client.correlation_ids(1) == [0]
        assert await is_closed(client)
        assert whole.metrics.bad_input["body"] == 1


# the ends of connections, and of the list


@pytest.mark.parametrize("where", ["request", "response"])
async def test_connection_that_closes_during_a_delay_disturbs_no_other(whole: Whole, where: str) -> None:
    client = await ready_client(whole)
    arguments: dict[str, Any] = {where: Delay(DELAY_MS)}
    intercept(whole, OnNth("OffsetCommit", **arguments))
    client.send("OffsetCommit", 8, a_commit("g", 7))
    assert await client.is_silent()
    server = whole.server
    for connection in tuple(server._connections):
        connection.abort()
    assert await is_closed(client)
    whole.clock.advance(DELAY_MS)
    other = await whole.client()
    assert await other.committed("g") == (-1 if where == "request" else 7)
    assert whole.lines.of("a request failed") == []


async def test_delayed_request_of_a_client_that_closed_its_sending_side_gets_a_response(whole: Whole) -> None:
    client = await ready_client(whole)
    intercept(whole, OnNth("OffsetCommit", request=Delay(DELAY_MS)))
    client.writer.write(commit_frame(7, 1))
    client.writer.write_eof()
    assert await client.is_silent()
    whole.clock.advance(DELAY_MS)
    assert await client.correlation_ids(1) == [1]
    assert await is_closed(client)


async def test_interceptor_that_raises_closes_one_connection_and_is_logged() -> None:
    def fail(*_: Any) -> Action:
        raise RuntimeError("a bug")

    for where in ("request", "response"):
        async with running(MemoryStorage()) as whole:
            client = await ready_client(whole)
            arguments: dict[str, Any] = {where: fail}
            intercept(whole, OnNth("OffsetCommit", **arguments))
            client.send("OffsetCommit", 8, a_commit("g", 7))
            assert await is_closed(client)
            assert [line["api"] for line in whole.lines.of("a request failed")] == ["OffsetCommit"]
            assert await (await whole.client()).commit("g", 8) == 0


async def test_each_interceptor_sees_what_those_before_it_left(whole: Whole) -> None:
    client = await ready_client(whole)
    replacement = from_dict("OffsetCommitRequest", a_commit("g", 99))
    intercept(whole, OnNth("OffsetCommit", request=Replace(replacement)))
    second = intercept(whole, OnNth("OffsetCommit", request=Drop(), nth=1))
    third = intercept(whole, OnNth("OffsetCommit"))
    assert await client.commit("g", 1) == 0
    assert second.requests[0].request is replacement
    client.send("OffsetCommit", 8, a_commit("g", 2))
    assert await client.is_silent()
    assert len(third.requests) == 1


async def test_list_may_change_while_connections_are_open(whole: Whole) -> None:
    client = await ready_client(whole)
    server = whole.server
    router = server._router
    seen = intercept(whole, OnNth("OffsetCommit", nth=99))
    assert router.submit != router.decide
    assert await client.commit("g", 1) == 0
    interceptors(whole).remove(seen)
    assert await client.commit("g", 2) == 0
    assert len(seen.requests) == 1
    assert router.submit == router.decide
    with pytest.raises(ValueError, match="not in tuple"):
        interceptors(whole).remove(seen)


async def test_interceptor_of_some_apis_costs_other_requests_one_look_up(whole: Whole) -> None:
    client = await ready_client(whole)
    wire = Wire(whole)
    commits = [commit_frame(number, number) for number in range(20)]
    seen = OnNth("Produce", request=Drop())
    seen.apis = frozenset({"Produce"})
    intercept(whole, seen)
    await wire.send(*commits)
    called = await wire.send(*commits)
    calls = [times for (path, _), times in called.items() if "server/interceptor" in path]
    assert sum(calls) == len(commits)
    wire.drop()
    send_produce(client, b"dropped")
    assert await client.is_silent()
    assert len(seen.requests) == 1


async def test_interceptors_stay_when_the_incarnation_is_replaced(whole: Whole) -> None:
    client = await ready_client(whole)
    seen = intercept(whole, OnNth("OffsetCommit", request=refused, nth=1))
    assert await client.commit("g", 1) == 0
    before = whole.server
    await whole.node.snapshots.restore(await whole.node.snapshots.create())
    assert await (await whole.client()).commit("g", 2) == ILLEGAL_GENERATION
    assert whole.server is not before
    interceptors(whole).remove(seen)
    assert await (await whole.client()).commit("g", 3) == 0


async def test_pipelined_requests_that_are_not_touched_keep_their_responses() -> None:
    async with running(MemoryStorage(), tidemark_connection_requests_max="20") as whole:
        client = await ready_client(whole)
        intercept(whole, OnNth("OffsetCommit", request=refused, nth=37))
        client.writer.write(b"".join(commit_frame(number, number) for number in range(100)))
        codes = []
        for number in range(100):
            size, correlation_id = unpack(">ii", await client.reader.readexactly(8))
            body = await client.reader.readexactly(size - 4)
            assert correlation_id == number
            codes.append(unpack(">h", body[-4:-2])[0])
        assert [number for number, code in enumerate(codes) if code] == [37]
        assert await client.committed("g") == 99
