"""A whole node on storage that crashes: everything that it has acknowledged survives."""

from __future__ import annotations

import asyncio
import errno
import threading
from typing import Any

import pytest

from tests.unit.broker.whole import Client, a_commit, running, start
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.log_files import parse_directory_name
from tidemark_testing.storage import FaultyStorage, MemoryStorage


async def test_a_commit_survives_a_clean_stop() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        client = await whole.client()
        assert await client.make_topic() == 0
        await client.find()
        assert await client.commit("readers", 42) == 0
    async with running(storage) as whole:
        assert await (await whole.client()).committed("readers") == 42


@pytest.mark.parametrize("seed", range(20))
async def test_an_acknowledged_commit_survives_a_power_cut(seed: int) -> None:
    storage = FaultyStorage(seed)
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic()
    await client.find()
    acknowledged = {}
    for number in range(seed % 7 + 1):
        assert await client.commit(f"g{number}", number) == 0
        acknowledged[f"g{number}"] = number
    client.send("OffsetCommit", 8, a_commit("last", 99))
    await whole.abandon()
    storage.crash()
    async with running(storage) as again:
        client = await again.client()
        for group, offset in acknowledged.items():
            assert await client.committed(group) == offset
        assert await client.committed("last") in (-1, 99)


async def test_a_member_that_is_silent_after_a_restart_is_removed_when_its_session_ends() -> None:
    protocols = [{"Name": "range", "Metadata": ""}]
    joining = {"GroupId": "g", "ProtocolType": "consumer", "Protocols": protocols}
    joining |= {"SessionTimeoutMs": 6_000, "RebalanceTimeoutMs": 6_000}

    storage = FaultyStorage(1)
    whole = await start(storage)
    client = await whole.client()
    await client.find()
    joined = await client.ask("JoinGroup", 3, joining)
    member = {"GroupId": "g", "MemberId": joined["MemberId"], "GenerationId": joined["GenerationId"]}
    assert (await client.ask("SyncGroup", 2, member))["ErrorCode"] == 0
    await whole.abandon()
    storage.kill()
    async with running(storage) as again:
        group = again.state.groups.groups["g"]
        again.clock.advance(5_999)
        assert list(group.members) == [joined["MemberId"]]
        again.clock.advance(1)
        await again.reads()
        assert not group.members


@pytest.mark.parametrize("api", ["OffsetCommit", "LeaveGroup"])
async def test_no_response_is_sent_after_a_failed_sync(api: str) -> None:
    """This includes consequences of a request: a group whose last member leaves is stored as Empty."""

    class Stops(FaultyStorage):
        failing = False

        def about_to(self, operation: str) -> None:
            if self.failing and operation == "sync":
                raise OSError(5, "Input/output error")
            super().about_to(operation)

    storage = Stops(1)
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic()
    await client.find()
    member_id = await join(client)
    storage.failing = True
    if api == "OffsetCommit":
        client.send(api, 8, a_commit("another", 1))
    else:
        client.send(api, 2, {"GroupId": "g", "MemberId": member_id})
    async with asyncio.timeout(10):
        reason = await asyncio.shield(whole.node.failed)
    assert "Input/output error" in reason
    assert await client.is_silent()
    assert len(whole.lines.of("cannot write, the broker stops")) == 1
    await whole.abandon()


async def test_a_failed_append_of_user_data_stops_the_broker_too() -> None:
    storage = FaultyStorage(1)
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic()
    storage.fail_next = {"append": 0}
    batch = build_batch([LogRecord(0, 1, b"k", b"v")]).hex()
    data = [{"Name": "orders", "PartitionData": [{"Index": 0, "Records": batch}]}]
    client.send("Produce", 7, {"Acks": -1, "TimeoutMs": 1000, "TopicData": data})
    async with asyncio.timeout(10):
        reason = await asyncio.shield(whole.node.failed)
    assert "the disk failed at this append" in reason
    await whole.abandon()


async def test_a_topic_whose_log_cannot_be_made_stops_the_broker() -> None:
    """The first record creates the log."""

    storage = FaultyStorage(1)
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic()
    storage.fail_next = {"write": 0}
    records = build_batch([LogRecord(0, 1_000, None, b"value")]).hex()
    data = [{"Name": "orders", "PartitionData": [{"Index": 0, "Records": records}]}]
    client.send("Produce", 7, {"Acks": -1, "TimeoutMs": 1000, "TopicData": data})
    async with asyncio.timeout(10):
        reason = await asyncio.shield(whole.node.failed)
    assert "the disk failed at this write" in reason
    await whole.abandon()


async def test_groups_keep_generation_and_members_after_a_restart() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        client = await whole.client()
        await client.make_topic()
        await client.find()
        member_id = await join(client)
    async with running(storage) as whole:
        client = await whole.client()
        beat = await client.ask("Heartbeat", 3, {"GroupId": "g", "GenerationId": 1, "MemberId": member_id})
        assert beat["ErrorCode"] == 0
        whole.clock.advance(6_001)  # its session timeout is 6 s, counted from the start
        await whole.reads()
        described = await client.ask("DescribeGroups", 5, {"Groups": ["g"]})
        assert described["Groups"][0]["GroupState"] == "Empty"


async def join(client: Any) -> str:
    asked = {
        "GroupId": "g",
        "SessionTimeoutMs": 6000,
        "RebalanceTimeoutMs": 6000,
        "ProtocolType": "consumer",
        "Protocols": [{"Name": "range", "Metadata": ""}],
    }
    joining = client.ask("JoinGroup", 3, asked)
    joined = await joining
    assert joined["ErrorCode"] == 0, joined
    member_id: str = joined["MemberId"]
    synced = await client.ask(
        "SyncGroup",
        2,
        {
            "GroupId": "g",
            "GenerationId": 1,
            "MemberId": member_id,
            "Assignments": [{"MemberId": member_id, "Assignment": "00"}],
        },
    )
    assert synced["ErrorCode"] == 0
    return member_id


async def test_deleting_a_topic_deletes_data_and_offsets_even_after_a_kill() -> None:
    storage = MemoryStorage()
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic()
    await client.find()
    await client.commit("readers", 5)
    deleted = await client.ask("DeleteTopics", 5, {"TopicNames": ["orders"], "TimeoutMs": 1000})
    assert deleted["Responses"][0]["ErrorCode"] == 0
    await whole.abandon()
    storage.close()
    async with running(storage) as again:
        client = await again.client()
        assert not [name for name, _ in storage.list() if name.startswith("orders-")]
        assert await client.make_topic() == 0
        assert await client.committed("readers") == -1


async def test_metadata_is_kept_short_by_a_snapshot_at_a_clean_stop() -> None:
    storage = MemoryStorage()
    async with running(storage, metadata_log_max_record_bytes_between_snapshots="1000") as whole:
        client = await whole.client()
        for number in range(3):
            assert await client.make_topic(f"wide{number}", 20) == 0
    names = [name for name, _ in storage.list("__cluster_metadata-0")]
    assert [name for name in names if name.endswith(".checkpoint")]
    async with running(storage) as whole:
        client = await whole.client()
        described = await client.ask("Metadata", 12, {"Topics": [{"Name": "wide1"}]})
        assert len(described["Topics"][0]["Partitions"]) == 20
        assert await client.make_topic("late") == 0
    async with running(storage) as whole:
        assert await (await whole.client()).make_topic("late") == 36


async def test_writing_a_metadata_snapshot_blocks_no_client_and_loses_nothing() -> None:
    """It is written every minute if the metadata log has grown. Here a topic is created meanwhile."""

    class Slow(MemoryStorage):
        """A disk on which writing a snapshot lasts until the test lets it end."""

        def __init__(self) -> None:
            super().__init__()
            self.begun, self.may_end = threading.Event(), threading.Event()

        def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
            if path.endswith(".checkpoint"):
                self.begun.set()
                assert self.may_end.wait(10)
            super().write(path, data, sync=sync)

    storage = Slow()
    whole = await start(storage, metadata_log_max_record_bytes_between_snapshots="1000")
    client = await whole.client()
    assert await client.make_topic("before", 40) == 0
    whole.clock.advance(60_000)
    assert await asyncio.to_thread(storage.begun.wait, 10)
    assert await client.make_topic("meanwhile") == 0
    storage.may_end.set()
    async with asyncio.timeout(10):
        while whole.state.metadata_log.log_start_offset == 0:
            await asyncio.sleep(0)
    await whole.abandon()
    storage.close()
    async with running(storage) as again:
        client = await again.client()
        assert [await client.make_topic(name) for name in ("before", "meanwhile")] == [36, 36]


async def test_a_disk_error_of_a_scheduled_task_during_a_stop_is_reported() -> None:
    class Failing(MemoryStorage):
        """A disk on which the checkpoint that is written during the stop fails."""

        def __init__(self) -> None:
            super().__init__()
            self.begun, self.may_fail = threading.Event(), threading.Event()

        def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
            if path == "recovery-point-offset-checkpoint" and not self.begun.is_set():
                self.begun.set()
                assert self.may_fail.wait(10)
                raise OSError(errno.EIO, "Input/output error", path)
            super().write(path, data, sync=sync)

    storage = Failing()
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic()
    whole.clock.advance(60_000)
    assert await asyncio.to_thread(storage.begun.wait, 10)
    stopping = asyncio.ensure_future(whole.node.stop())
    await asyncio.sleep(0)
    storage.may_fail.set()
    await stopping
    client.writer.close()
    assert "Input/output error" in whole.node.failed.result()
    assert not storage.exists(".kafka_cleanshutdown")


async def test_pipelined_responses_arrive_in_order(client: Client) -> None:
    await client.make_topic()
    await client.find()
    for number in range(50):
        client.send("OffsetCommit", 8, a_commit("g", number))
        client.send(
            "OffsetFetch",
            7,
            {"GroupId": "g", "Topics": [{"Name": "orders", "PartitionIndexes": [0]}]},
        )
    for number in range(50):
        await client.answer("OffsetCommit", 8)
        fetched = await client.answer("OffsetFetch", 7)
        assert fetched["Topics"][0]["Partitions"][0]["CommittedOffset"] == number


@pytest.mark.parametrize("policy", ["always", "interval", "never"])
async def test_every_sync_policy_survives_a_kill(policy: str) -> None:
    storage = FaultyStorage(3)
    whole = await start(storage, tidemark_sync=policy)
    client = await whole.client()
    await client.make_topic()
    await client.find()
    assert await client.commit("readers", 7) == 0
    await whole.abandon()
    storage.kill()
    async with running(storage) as again:
        assert await (await again.client()).committed("readers") == 7


class SlowSyncs(MemoryStorage):
    """A disk whose syncs wait for the test once it is slow."""

    def __init__(self) -> None:
        super().__init__()
        self.is_slow = False
        self.begun, self.may_end = threading.Event(), threading.Event()

    def about_to(self, operation: str) -> None:
        if operation == "sync" and self.is_slow:
            self.begun.set()
            assert self.may_end.wait(10)


async def test_no_response_waits_for_a_sync_at_an_interval() -> None:
    storage = SlowSyncs()
    async with running(storage, tidemark_sync="interval") as whole:
        client = await whole.client()
        await client.make_topic()
        await client.find()
        storage.is_slow = True
        assert await client.commit("readers", 1) == 0
        whole.clock.advance(1_000)
        assert await asyncio.to_thread(storage.begun.wait, 10)
        for offset in range(2, 5):
            assert await client.commit("readers", offset) == 0
            whole.clock.advance(1_000)
        log = whole.state.logs.get("__consumer_offsets", 0)
        assert log is not None
        assert log.recovery_point < log.log_end_offset
        storage.is_slow = False
        storage.may_end.set()
        async with asyncio.timeout(10):
            while log.recovery_point < log.log_end_offset:
                whole.clock.advance(1_000)
                await asyncio.sleep(0.001)


async def test_a_start_that_fails_leaves_nothing_behind() -> None:
    storage = FaultyStorage(1)
    storage.fail_next = {"append": 0}
    with pytest.raises(OSError, match="the disk failed"):
        async with running(storage):
            raise AssertionError("it started")
    async with running(storage) as whole:
        assert await (await whole.client()).make_topic() == 0


def produced(topic: str, partitions: int, value: bytes) -> dict[str, Any]:
    batch = build_batch([LogRecord(0, 1, b"k", value)]).hex()
    data = [{"Index": index, "Records": batch} for index in range(partitions)]
    return {"Acks": -1, "TimeoutMs": 1000, "TopicData": [{"Name": topic, "PartitionData": data}]}


def directories(storage: MemoryStorage, topic: str) -> list[str]:
    """Return the directories of the topic's partitions. Those to be deleted have other names."""
    places = [parse_directory_name(name) for name, size in storage.list() if size < 0]
    return [f"{place[0]}-{place[1]}" for place in places if place is not None and place[0] == topic]


async def test_logs_of_a_deleted_topic_are_deleted_and_those_of_its_successor_kept() -> None:
    """The logs are deleted a few at a time, and the topic is created again before the first of them."""

    storage = MemoryStorage()
    async with running(storage) as whole:
        client = await whole.client()
        await client.make_topic("orders", partitions=40)
        await client.make_topic("gone", partitions=40)
        for topic in ("orders", "gone"):
            await client.ask("Produce", 7, produced(topic, 40, b"old"))
        assert len(directories(storage, "orders")) == 40
        for name in ("orders", "gone"):
            client.send("DeleteTopics", 5, {"TopicNames": [name], "TimeoutMs": 1000})
        again = {"Name": "orders", "NumPartitions": 2, "ReplicationFactor": 1}
        client.send("CreateTopics", 7, {"Topics": [again]})
        client.send("Produce", 7, produced("orders", 2, b"new"))
        for api, version in (("DeleteTopics", 5), ("DeleteTopics", 5), ("CreateTopics", 7)):
            await client.answer(api, version)
        await client.answer("Produce", 7)
        async with asyncio.timeout(10):
            while len(directories(storage, "orders")) > 2 or directories(storage, "gone"):
                await asyncio.sleep(0)
    async with running(storage) as restarted:
        logs = restarted.state.logs
        log = logs.get("orders", 1)
        assert log is not None
        assert log.log_end_offset == 1
        assert (logs.get("orders", 2), logs.get("gone", 0)) == (None, None)


@pytest.mark.parametrize("killed", [False, True])
async def test_more_offsets_of_a_deleted_topic_are_deleted_than_fit_into_one_batch(killed: bool) -> None:
    storage = FaultyStorage(1)
    whole = await start(storage, message_max_bytes="2000")
    client = await whole.client()
    await client.make_topic()
    await client.make_topic("payments")
    await client.find()
    for number in range(1_000):
        client.send("OffsetCommit", 8, a_commit(f"g{number}", number))
    client.send("OffsetCommit", 8, a_commit("g7", 7, "payments"))
    for _ in range(1_001):
        await client.answer("OffsetCommit", 8)
    offsets = whole.state.groups.offsets
    assert offsets.count == 1_001
    await client.ask("DeleteTopics", 5, {"TopicNames": ["orders"], "TimeoutMs": 1000})
    if not killed:
        async with asyncio.timeout(10):
            while offsets.count > 1:
                await asyncio.sleep(0)
    await whole.abandon()
    storage.kill()
    async with running(storage, message_max_bytes="2000") as again:
        assert again.state.groups.offsets.count == 1
        assert await (await again.client()).committed("g7", "payments") == 7


async def test_an_unused_topic_of_many_partitions_survives_a_power_cut() -> None:
    storage = FaultyStorage(3)
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic("orders", partitions=200)
    assert directories(storage, "orders") == []
    await whole.abandon()
    storage.crash()
    async with running(storage) as again:
        client = await again.client()
        answered = await client.ask("Produce", 7, produced("orders", 200, b"v"))
        (topic,) = answered["Responses"]
        assert {part["ErrorCode"] for part in topic["PartitionResponses"]} == {0}
        assert len(directories(storage, "orders")) == 200


async def test_a_cut_tail_begins_a_new_leader_epoch() -> None:
    storage = FaultyStorage(1)
    whole = await start(storage)
    client = await whole.client()
    await client.make_topic()
    batch = build_batch([LogRecord(0, 1, b"k", b"v")])
    data = [{"Name": "orders", "PartitionData": [{"Index": 0, "Records": batch.hex()}]}]
    await client.ask("Produce", 7, {"Acks": -1, "TimeoutMs": 1000, "TopicData": data})
    await whole.abandon()
    storage.kill()
    with_torn_tail = storage.open("orders-0/00000000000000000000.log")
    with_torn_tail.append(batch[:30])
    with_torn_tail.close()
    async with running(storage) as again:
        client = await again.client()
        described = await client.ask("Metadata", 12, {"Topics": [{"Name": "orders"}]})
        assert described["Topics"][0]["Partitions"][0]["LeaderEpoch"] == 1
        (cut,) = again.lines.of("recovered")
        assert (cut["topic"], cut["bytes_dropped"], cut["log_end_offset"]) == ("orders", 30, 1)


@pytest.mark.parametrize("dynamic", [False, True])
async def test_a_commit_larger_than_a_segment_is_refused_and_the_broker_continues(dynamic: bool) -> None:
    """Kafka 4.3.1 responds with UNKNOWN_SERVER_ERROR for every partition too."""
    partitions = [
        {"PartitionIndex": index, "CommittedOffset": 1, "CommittedMetadata": "m" * 1400}
        for index in range(1000)
    ]
    large = {"GroupId": "g", "Topics": [{"Name": "orders", "Partitions": partitions}]}

    async with running(
        MemoryStorage(), offsets_topic_segment_bytes=str(104_857_600 if dynamic else 1_048_576)
    ) as whole:
        client = await whole.client()
        await client.make_topic(partitions=1000)
        await client.find()
        await configure(client, {"max.message.bytes": "10000000"})
        if dynamic:
            assert await commit_codes(client, large) == {0}, "a raised max.message.bytes is not followed"
            await configure(client, {"segment.bytes": "1048576"})
        assert await commit_codes(client, large) == {-1}
        assert not whole.node.failed.done()
        assert await client.commit("g", 7) == 0
        assert await client.committed("g") == 7


async def configure(client: Client, configs: dict[str, str]) -> None:
    chosen = [{"Name": name, "ConfigOperation": 0, "Value": value} for name, value in configs.items()]
    resource = {"ResourceType": 2, "ResourceName": "__consumer_offsets", "Configs": chosen}
    answered = await client.ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
    assert answered["Responses"][0]["ErrorCode"] == 0


async def commit_codes(client: Client, request: dict[str, Any]) -> set[int]:
    answered = await client.ask("OffsetCommit", 8, request)
    return {partition["ErrorCode"] for partition in answered["Topics"][0]["Partitions"]}


async def test_a_batch_that_was_begun_before_segments_became_smaller_is_written() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        client = await whole.client()
        await client.make_topic()
        await client.find()
        small = {"ResourceType": 2, "ResourceName": "__consumer_offsets"}
        small["Configs"] = [{"Name": "segment.bytes", "ConfigOperation": 0, "Value": "1048576"}]  # type: ignore[assignment]
        for number in range(600):  # 1.2 MB, gathered for one flush
            client.send("OffsetCommit", 8, a_commit_with("m" * 2000, f"g{number}"))
        client.send("IncrementalAlterConfigs", 1, {"Resources": [small]})
        for _ in range(600):
            await client.answer("OffsetCommit", 8)
        await client.answer("IncrementalAlterConfigs", 1)
    async with running(storage) as whole:
        assert await (await whole.client()).committed("g599") == 1


def a_commit_with(metadata: str, group: str) -> dict[str, Any]:
    value = a_commit(group, 1)
    value["Topics"][0]["Partitions"][0]["CommittedMetadata"] = metadata
    return value


async def test_a_foreign_directory_is_kept_as_a_stray_and_logged_once() -> None:
    storage = FaultyStorage(1)
    said = []
    storage.make_directory("backup-2024")
    storage.write("backup-2024/00000000000000000000.log", b"no log of ours")
    for _ in range(3):
        whole = await start(storage)
        said += whole.lines.of("stray directory kept")
        await whole.abandon()
        storage.kill()
    (line,) = said
    assert line["directory"] == "backup-2024"
    assert storage.read(f"{line['renamed_to']}/00000000000000000000.log") == b"no log of ours"
