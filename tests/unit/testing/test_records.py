"""Records and seed data through the fixture."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Timer

import pytest

from tests.unit.testing.committing import ask, topics
from tidemark.seeding.calls import BATCH_BYTES_MAX
from tidemark_protocol.java import murmur2
from tidemark_testing import NewRecord, Record, Refused, SeedError, Tidemark


def record(value: bytes | None) -> Record:
    return Record("orders", 2, 17, 0, None, value)


class TestValues:
    @pytest.mark.parametrize(
        ("value", "parsed"), [(b'{"id": 1}', {"id": 1}), ('"ü"'.encode(), "ü"), (b"null", None), (None, None)]
    )
    def test_json_is_parsed(self, value: bytes | None, parsed: object) -> None:
        assert record(value).json() == parsed

    @pytest.mark.parametrize("value", [b"", b"{'id': 1}", b"\xff\xfe\x00", b"[" * 100_000])
    def test_a_value_that_is_not_json_names_its_record(self, value: bytes) -> None:
        message = r"the value of the record at offset 17 of orders-2 is not JSON: "
        with pytest.raises(ValueError, match=message) as found:
            record(value).json()
        assert len(str(found.value)) < 300

    def test_a_value_that_is_not_text_names_its_record(self) -> None:
        with pytest.raises(UnicodeDecodeError) as found:
            _ = record(b"\xff").text
        assert found.value.__notes__ == ["This is the value of the record at offset 17 of orders-2."]


class TestProduce:
    def test_records_have_what_was_produced(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders")
        written = tidemark.produce(topic, "ü", b"\xff", None, key="k", headers={"trace": "1"}, timestamp=5)
        assert [each.offset for each in written] == [0, 1, 2]
        assert tidemark.records(topic) == written
        assert [each.value for each in written] == ["ü".encode(), b"\xff", None]
        assert [each.text for each in written[::2]] == ["ü", None]
        assert {(each.key, each.timestamp, *each.headers) for each in written} == {(b"k", 5, ("trace", b"1"))}

    def test_a_record_may_have_fields_of_its_own(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders", 3)
        own = NewRecord(b"two", b"key", [("a", None), ("a", b"2")], 7, partition=2)
        tidemark.produce(topic, "one", own)
        (found,) = tidemark.records(topic, 2)
        assert (found.key, found.value, found.headers, found.timestamp) == (b"key", b"two", own.headers, 7)

    def test_a_key_selects_the_partition_as_in_kafkas_clients(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders", 5)
        for key in (b"a", b"order-17", b""):
            (written,) = tidemark.produce(topic, "x", key=key)
            assert written.partition == (murmur2(key) & 0x7FFFFFFF) % 5

    def test_records_without_a_key_go_to_the_partitions_in_turn(self, tidemark: Tidemark) -> None:
        written = tidemark.produce(tidemark.topic("orders", 2), "a", "b", "c")
        assert [(each.partition, each.offset) for each in written] == [(0, 0), (1, 0), (0, 1)]

    def test_a_topic_is_created_as_by_a_producer(self, tidemark: Tidemark) -> None:
        tidemark.produce("new", "x")
        assert topics(tidemark.bootstrap_servers) == ["new"]

    def test_many_and_large_records_are_split_into_batches(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders")
        values = [bytes(BATCH_BYTES_MAX // 3) for _ in range(8)]
        tidemark.produce(topic, *values)
        assert [each.value for each in tidemark.records(topic)] == values

    def test_a_refused_record_is_an_error_with_kafkas_reason(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders", configs={"max.message.bytes": 100})
        with pytest.raises(Refused, match="orders-0: MESSAGE_TOO_LARGE"):
            tidemark.produce(topic, bytes(1000))
        with pytest.raises(Refused, match="orders-4: .*the topic has 1 partitions"):
            tidemark.produce(topic, "x", partition=4)
        with pytest.raises(SeedError, match=r"produce\(\)\.value must be a text"):
            tidemark.produce(topic, 5)  # type: ignore[arg-type]


class TestRecords:
    def test_a_partition_and_an_offset_select_records(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders", 2)
        tidemark.produce(topic, *"abcd")
        assert [each.text for each in tidemark.records(topic)] == ["a", "c", "b", "d"]
        assert [each.text for each in tidemark.records(topic, 1)] == ["b", "d"]
        assert [each.text for each in tidemark.records(topic, 1, from_offset=1)] == ["d"]
        assert tidemark.records(topic, 1, from_offset=9) == []

    def test_count_waits_for_records(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders")
        later = Timer(0.05, lambda: tidemark.produce(topic, "late"))
        later.start()
        assert [each.text for each in tidemark.records(topic, count=1)] == ["late"]
        later.join()
        with pytest.raises(
            AssertionError, match=r"orders has 1 records after 0 s, not 2. The last are 0:0 b'late'"
        ):
            tidemark.records(topic, count=2, timeout=0)

    @pytest.mark.parametrize("partition", [None, 0])
    def test_count_waits_for_a_topic(self, tidemark: Tidemark, partition: int | None) -> None:
        later = Timer(0.05, lambda: tidemark.produce("orders", "late"))
        later.start()
        assert [each.text for each in tidemark.records("orders", partition, count=1)] == ["late"]
        later.join()
        with pytest.raises(
            AssertionError,
            match=r"bills has 0 records after 0 s, not 1. topic bills: UNKNOWN_TOPIC_OR_PARTITION",
        ):
            tidemark.records("bills", count=1, timeout=0)
        assert topics(tidemark.bootstrap_servers) == ["orders"]

    def test_a_topic_that_does_not_exist_is_an_error(self, tidemark: Tidemark) -> None:
        with pytest.raises(Refused, match="topic nothing: UNKNOWN_TOPIC_OR_PARTITION"):
            tidemark.records("nothing")
        assert topics(tidemark.bootstrap_servers) == []
        with pytest.raises(Refused, match="orders-3: .*the topic has 1 partitions"):
            tidemark.records(tidemark.topic("orders"), 3)

    def test_deleted_records_are_not_returned(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders")
        tidemark.produce(topic, *"abc")
        where = {"Name": topic, "Partitions": [{"PartitionIndex": 0, "Offset": 2}]}
        ask(tidemark.bootstrap_servers, "DeleteRecords", 2, {"Topics": [where], "TimeoutMs": 10_000})
        assert [each.text for each in tidemark.records(topic)] == ["c"]


SEED = {
    "topics": {"orders": {"partitions": 2, "records": ["a", "b", {"value": "c", "partition": 1}]},
               "returns": {}},
    "groups": {"billing": {"orders": {"0": 1, "1": {"offset": 0, "metadata": "seeded"}}}},
}  # fmt: skip


class TestSeed:
    def test_a_seed_creates_topics_records_and_offsets(self, tidemark: Tidemark) -> None:
        assert tidemark.create_topics(SEED) == {"orders": "orders", "returns": "returns"}
        assert [each.text for each in tidemark.records("orders")] == ["a", "b", "c"]
        assert {
            where: (each.offset, each.metadata) for where, each in tidemark.offsets("billing").items()
        } == {
            ("orders", 0): (1, ""),
            ("orders", 1): (0, "seeded"),
        }
        assert tidemark.lag("billing") == 2

    def test_a_seed_may_be_a_file(self, tidemark: Tidemark, tmp_path: Path) -> None:
        path = tmp_path / "seed.json"
        path.write_text(json.dumps(SEED))
        tidemark.create_topics(path)
        assert tidemark.lag("billing") == 2

    def test_a_wrong_seed_creates_nothing(self, tidemark: Tidemark) -> None:
        with pytest.raises(SeedError, match=r"topics\.returns\.partitions"):
            tidemark.create_topics({"topics": {"orders": {}, "returns": {"partitions": "many"}}})
        assert topics(tidemark.bootstrap_servers) == []

    def test_what_the_broker_refuses_is_named(self, tidemark: Tidemark) -> None:
        with pytest.raises(
            SeedError, match=r"topics\.orders: topic orders: INVALID_CONFIG: Unknown topic config"
        ):
            tidemark.create_topics({"topics": {"orders": {"configs": {"retention.msec": 1}}}})
        with pytest.raises(SeedError, match=r"groups\.billing: .*nothing-0: UNKNOWN_TOPIC_OR_PARTITION"):
            tidemark.create_topics({"groups": {"billing": {"nothing": 1}}})
