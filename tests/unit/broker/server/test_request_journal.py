"""The journal keeps frames: what it shows of them later, what it leaves out, and the memory that it needs."""

from __future__ import annotations

import asyncio
import threading
import tracemalloc
from typing import Any

import pytest

from tests.unit.broker.node.test_faults import add, faulty, journal, recorded, view
from tests.unit.broker.server.test_interceptors import fetch, heartbeat_frame, is_closed, send_produce
from tests.unit.broker.server.test_states import sasl_client
from tests.unit.broker.whole import Whole, WorkingClock, a_commit, running
from tests.wire import request
from tidemark.server.request_journal import (
    BATCHES_READ_MAX,
    ELEMENTS_MAX,
    NAME_BYTES,
    RECORDS_CUT,
    RESPONSE_BYTES_AT_ONCE_MAX,
    RESPONSE_BYTES_MAX,
    _offsets_in,
)
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.storage import MemoryStorage

LARGE = 100_000  # a piece of its own in a response


def entry_view(whole: Whole, api: str) -> dict[str, Any]:
    return view(whole, recorded(whole, api=api)[-1])


def records_shown(whole: Whole) -> tuple[Any, Any]:
    """Return the records of the last Produce and of the last Fetch response, as the journal shows them."""
    produced = entry_view(whole, "Produce")["request"]["TopicData"][0]["PartitionData"][0]["Records"]
    fetched = entry_view(whole, "Fetch")["response"]["Responses"][0]["Partitions"][0]["Records"]
    return produced, fetched


@pytest.mark.parametrize("version", [11, 12])
@pytest.mark.parametrize("value_bytes", [200, 2_000, LARGE])
async def test_records_are_shown_as_their_size_and_not_kept(version: int, value_bytes: int) -> None:
    async with faulty() as (whole, client):
        value = b"a record of this client" * (value_bytes // 20)
        size = len(build_batch([LogRecord(0, 0, None, value)]))
        send_produce(client, value)
        await client.answer("Produce", 9)
        await client.ask("Fetch", version, fetch())
        fetched = {"bytes": size, "first_offset": 0, "last_offset": 0}
        assert records_shown(whole) == ({"bytes": size}, fetched)
        entry = recorded(whole, api="Fetch")[-1]
        assert entry.response_bytes > size
        assert (entry.outcome, entry.read_errors()) == ("responded", [])
        assert journal(whole).memory_bytes < 10_000
        for each in recorded(whole, api="Produce") + recorded(whole, api="Fetch"):
            for kept in (each.request, each.response):
                assert isinstance(kept, str) or value_bytes == 200 or value not in kept


@pytest.mark.parametrize("version", [11, 12])
@pytest.mark.parametrize("value_bytes", [20, 200, 2_000, LARGE])
async def test_the_offsets_of_fetched_records_are_shown(version: int, value_bytes: int) -> None:
    """They are those of the batches: the second batch has two records, and the fetch begins within it."""
    async with faulty() as (whole, client):
        for values in ([b"first"], [b"v" * value_bytes] * 2, [b"v" * value_bytes]):
            send_produce(client, *values)
            await client.answer("Produce", 9)
        await client.ask("Fetch", version, fetch(offset=2))
        shown = records_shown(whole)[1]
        assert (shown["first_offset"], shown["last_offset"]) == (1, 3)


async def test_the_last_offset_of_very_many_batches_is_not_known() -> None:
    batch = build_batch([LogRecord(0, 0, None, b"")])
    assert _offsets_in(batch * BATCHES_READ_MAX) == (0, -1)
    assert _offsets_in(batch * (BATCHES_READ_MAX - 1)) == (0, 0)
    assert _offsets_in(batch + batch[:-1]) == (0, 0)
    assert _offsets_in(batch[:60]) == _offsets_in(b"no batch at all" * 9) == (-1, -1)


async def test_short_records_are_shown() -> None:
    async with faulty() as (whole, client):
        send_produce(client, b"v")
        await client.answer("Produce", 9)
        fetched = await client.ask("Fetch", 12, fetch())
        records = fetched["Responses"][0]["Partitions"][0]["Records"]
        assert records_shown(whole)[1] == records
        assert len(records) > 2 * len(RECORDS_CUT)


async def test_frames_do_not_pin_the_bytes_that_they_arrived_in() -> None:
    async with faulty() as (whole, client):
        client.writer.write(b"".join(request("OffsetCommit", 8, a_commit("g", n), n) for n in range(200)))
        await client.correlation_ids(200)
        commits = recorded(whole, api="OffsetCommit")
        assert [len(entry.request) + 4 for entry in commits] == [entry.request_bytes for entry in commits]


async def test_memory_of_entries_is_counted() -> None:
    commits = 500
    async with faulty() as (whole, client):
        tracemalloc.start()
        try:
            before = journal(whole).memory_bytes
            for offset in range(commits):
                await client.commit("g", offset)
            used = tracemalloc.get_traced_memory()[0]
            counted = journal(whole).memory_bytes - before
            for entry in recorded(whole, api="OffsetCommit", group="g", topic="orders"):
                entry.read_errors()
            used_then = tracemalloc.get_traced_memory()[0]
            counted_then = journal(whole).memory_bytes - before
        finally:
            tracemalloc.stop()
        assert used < counted + 200_000
        assert used_then - used < counted_then - counted + 200_000


async def test_entries_after_a_number_are_those_that_are_kept() -> None:
    async with faulty(tidemark_requests_max="3") as (whole, client):
        for offset in range(5):
            await client.commit("g", offset)
        count = journal(whole).count
        kept = [count - 2, count - 1, count]
        for after, wanted in (
            (0, kept),
            (count - 3, kept),
            (count - 1, [count]),
            (count, []),
            (count + 9, []),
        ):
            assert [entry.number for entry in journal(whole).entries(after)] == wanted


async def test_response_leaves_behind_those_before_it() -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", delay_ms=5_000, when="after", once=True)
        client.writer.write(request("OffsetCommit", 8, a_commit("g", 1), 0) + heartbeat_frame(1))
        assert await client.is_silent()
        assert [entry.outcome for entry in recorded(whole)[-2:]] == ["pending", "pending"]
        whole.clock.advance(5_000)
        assert await client.correlation_ids(2) == [0, 1]
        assert [entry.outcome for entry in recorded(whole)[-2:]] == ["responded", "responded"]
        assert recorded(whole)[-1].read_errors() == ["UNKNOWN_MEMBER_ID"]


async def test_truncated_and_duplicated_responses_are_shown_whole() -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", duplicate=True, once=True)
        client.send("OffsetCommit", 8, a_commit("g", 1))
        for _ in range(2):
            await client.answer("OffsetCommit", 8)
        add(whole, api="OffsetCommit", truncate_bytes=5)
        client.send("OffsetCommit", 8, a_commit("g", 2))
        async with asyncio.timeout(10):
            assert len(await client.reader.read()) == 5
        twice, cut = (view(whole, entry) for entry in recorded(whole, api="OffsetCommit"))
        assert twice["response"] == cut["response"] is not None
        assert (twice["outcome"], cut["outcome"]) == ("responded", "closed")
        assert (twice["response_bytes"] % 2, cut["response_bytes"]) == (0, 5)


async def test_malformed_request_is_not_recorded() -> None:
    async with running(MemoryStorage(), clock=WorkingClock(), tidemark_test_api="true") as whole:
        client = await whole.client()
        broken = bytearray(request("DescribeGroups", 0, {"Groups": ["a-group"] * 10_000}, 1))
        broken[-9:-7] = b"\x07\xd0"
        client.writer.write(heartbeat_frame(0) + bytes(broken) + heartbeat_frame(2))
        assert await client.correlation_ids(1) == [0]
        assert await is_closed(client)
        assert [entry.api for entry in recorded(whole)] == ["Heartbeat"]


@pytest.mark.parametrize("topics", [500, 3_000, 15_000])
async def test_long_response_is_kept_up_to_its_limit(topics: int) -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        client = await whole.client()
        names = [{"Name": f"a-topic-that-does-not-exist-{n:050}"} for n in range(topics)]
        await client.ask("Metadata", 12, {"Topics": names, "AllowAutoTopicCreation": False})
        (entry,) = recorded(whole, api="Metadata")
        shown = view(whole, entry)
        assert shown["response_bytes"] > 50 * topics
        if shown["response_bytes"] > RESPONSE_BYTES_MAX:
            assert (shown["response"], shown["errors"]) == (None, [])
        else:
            assert entry.response_is_long == (shown["response_bytes"] > RESPONSE_BYTES_AT_ONCE_MAX)
            assert len(shown["response"]["Topics"]) == topics
            assert shown["errors"] == ["UNKNOWN_TOPIC_OR_PARTITION"]


async def test_names_of_deleted_topics_are_shown() -> None:
    async with faulty() as (whole, client):
        described = await client.ask("Metadata", 12, {"Topics": [{"Name": "orders"}]})
        topic_id = described["Topics"][0]["TopicId"]
        commit = a_commit("g", 1)
        commit["Topics"][0] = {"TopicId": topic_id, "Partitions": commit["Topics"][0]["Partitions"]}
        await client.ask("OffsetCommit", 10, commit)
        await client.ask("DeleteTopics", 6, {"Topics": [{"Name": "orders"}]})
        assert recorded(whole, api="OffsetCommit", topic="orders", partition=0)


async def test_partitions_of_a_fetch_session_are_those_of_its_time() -> None:
    async with faulty() as (whole, client):
        begun = await client.ask("Fetch", 12, fetch() | {"SessionEpoch": 0})
        session = {"SessionId": begun["SessionId"]}
        await client.ask("Fetch", 12, fetch() | session | {"SessionEpoch": 1, "Topics": []})
        await client.ask("Fetch", 12, fetch() | session | {"SessionEpoch": -1, "Topics": []})
        assert len(recorded(whole, api="Fetch", topic="orders", partition=0)) == 3


async def test_values_of_secret_settings_are_not_kept() -> None:
    async with faulty() as (whole, client):
        change = {"Name": "ssl.keystore.password", "ConfigOperation": 0, "Value": "of the key store"}
        resource = {"ResourceType": 4, "ResourceName": "1", "Configs": [change]}
        await client.ask("IncrementalAlterConfigs", 1, {"Resources": [resource], "ValidateOnly": True})
        (entry,) = recorded(whole, api="IncrementalAlterConfigs")
        assert isinstance(entry.request, str)
        assert "of the key store" not in entry.request
        assert "[hidden]" in entry.request


async def test_fault_that_is_set_later_sees_the_response_of_a_waiting_request() -> None:
    async with faulty() as (whole, client):
        client.send("Fetch", 12, fetch(5_000))
        assert await client.is_silent()
        fault = add(whole, pause=True)
        whole.clock.advance(5_000)
        assert await client.is_silent()
        whole.node.on_request.faults.remove(fault.id)  # type: ignore[union-attr]
        assert (await client.answer("Fetch", 12))["ErrorCode"] == 0


@pytest.mark.parametrize(
    ("password", "errors"), [(b"secret", []), (b"wrong", ["SASL_AUTHENTICATION_FAILED"])]
)
async def test_tokens_without_headers_are_recorded_without_them(password: bytes, errors: list[str]) -> None:
    async with (
        running(MemoryStorage(), tidemark_test_api="true") as whole,
        sasl_client(whole) as client,
    ):
        client.writer.write(request("SaslHandshake", 0, {"Mechanism": "PLAIN"}, 0))
        assert await client.correlation_ids(1) == [0]
        token = b"\0alice\0" + password
        client.writer.write(len(token).to_bytes(4, "big") + token)
        if errors:  # the response to a failed login is delayed
            assert await client.is_silent()
            whole.clock.advance(1_000)
        async with asyncio.timeout(10):
            await client.reader.read(4)
        shown = entry_view(whole, "SaslAuthenticate")
        assert shown["request"] == {"AuthBytes": "[hidden]"}
        assert (shown["outcome"], shown["errors"]) == ("responded", errors)
        assert shown["request_bytes"] == 4 + len(token)
        assert shown["response_bytes"] == (0 if errors else 4)


async def test_the_worker_that_decodes_a_long_request_also_reads_its_names() -> None:
    async with faulty() as (whole, client):
        names_of, threads = journal(whole).names_of, []

        def in_thread(*arguments: Any) -> Any:
            threads.append(threading.current_thread())
            return names_of(*arguments)

        journal(whole).names_of = in_thread
        topics = [{"Topic": f"t{number}", "Partitions": []} for number in range(ELEMENTS_MAX + 1)]
        await client.ask("OffsetForLeaderEpoch", 4, {"ReplicaId": -1, "Topics": topics})
        (entry,) = recorded(whole, api="OffsetForLeaderEpoch")
        assert len(journal(whole).names(entry)[2]) == len(topics)
        assert len(threads) == 1
        assert threads[0] is not threading.main_thread()
        assert journal(whole).memory_bytes > NAME_BYTES * len(topics)
