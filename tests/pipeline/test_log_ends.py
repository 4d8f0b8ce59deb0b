"""Start and end of consumed logs, as Kafka reported them, and of logs with an incomplete index."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import truth
from tests.pipeline.made_logs import batch, checkpoint, epochs, metadata, segment, topic
from tidemark_pipeline.logs.log_ends import LogEnd, log_ends
from tidemark_protocol.checkpoints import encode_partition_metadata, uuid_text
from tidemark_protocol.log_files import LOG_STARTS
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord


def test_starts_and_ends_are_those_that_kafka_reported(tmp_path: Path) -> None:
    found = log_ends([str(unpacked(tmp_path))])
    assert found == [
        LogEnd(name, each["partition"], told["id"], each["logStartOffset"], each["logEndOffset"])
        for name, told in sorted(truth()["beforeShutdown"]["topics"].items())
        for each in sorted(told["partitions"], key=lambda each: each["partition"])
    ]


def positions(content: list[bytes]) -> list[int]:
    return [sum(map(len, content[:at])) for at in range(len(content))]


@pytest.mark.parametrize("preallocated", [0, 8, 10_485_752])
@pytest.mark.parametrize("entries", [[], [(5, 5)], [(3, 3), (8, 8)]])
def test_the_end_is_found_from_the_index(
    tmp_path: Path, entries: list[tuple[int, int]], preallocated: int
) -> None:
    content = [batch(offset) for offset in range(10)]
    log = segment(tmp_path / "orders-0", 0, *content)
    index = b"".join(pack(">ii", offset, positions(content)[number]) for offset, number in entries)
    with log.with_suffix(".index").open("wb") as file:
        file.write(index)
        file.truncate(len(index) + preallocated)
    assert log_ends([str(tmp_path)]) == [LogEnd("orders", 0, None, 0, 10)]


@pytest.mark.parametrize("position", [1, 77, 10_000_000])
def test_an_index_with_a_wrong_position_is_ignored(tmp_path: Path, position: int) -> None:
    log = segment(tmp_path / "orders-0", 0, *(batch(offset) for offset in range(10)))
    log.with_suffix(".index").write_bytes(pack(">ii", 5, position))
    assert log_ends([str(tmp_path)])[0].log_end_offset == 10


@pytest.mark.parametrize(
    ("rest", "end"),
    [
        (b"", 4),
        (bytes(5000), 4),
        (batch(4)[:40], 4),
        (batch(4) + batch(5)[:-1], 5),
        (batch(4)[:-1] + b"\1", 4),
    ],
)
def test_a_log_ends_after_its_last_complete_batch(tmp_path: Path, rest: bytes, end: int) -> None:
    segment(tmp_path / "orders-0", 0, batch(0, 4), rest)
    assert log_ends([str(tmp_path)])[0].log_end_offset == end


def test_an_empty_active_segment_begins_where_the_log_ends(tmp_path: Path) -> None:
    segment(tmp_path / "orders-0", 0, batch(0, 4))
    segment(tmp_path / "orders-0", 9)
    checkpoint(tmp_path, LOG_STARTS, {("orders", 0): 2})
    assert log_ends([str(tmp_path)]) == [LogEnd("orders", 0, None, 2, 9)]


def test_the_copy_with_the_latest_leader_epoch_is_used(tmp_path: Path) -> None:
    for name, epoch, end in (("1", 3, 10), ("2", 4, 8)):
        segment(tmp_path / name / "orders-0", 0, batch(0, end, epoch=epoch))
        epochs(tmp_path / name / "orders-0", (epoch, 0))
    found = log_ends([str(tmp_path / "1"), str(tmp_path / "2")])
    assert [each.log_end_offset for each in found] == [8]


def test_a_copy_of_an_earlier_topic_of_the_name_does_not_count(tmp_path: Path) -> None:
    """Its broker was down when the topic was created again, and leader epochs start at 0 again."""
    old, new = b"1" * 16, b"2" * 16
    for name, topic_id, epoch, end in (("1", old, 7, 10), ("2", new, 0, 3)):
        here = tmp_path / name / "orders-0"
        segment(here, 0, batch(0, end, epoch=epoch))
        epochs(here, (epoch, 0))
        (here / "partition.metadata").write_bytes(encode_partition_metadata(topic_id))
    removed = metadata([RemoveTopicRecord(topic_id=old)], offset=2)
    created = metadata(topic("orders", old)), metadata(topic("orders", new), offset=3)
    segment(tmp_path / "2" / "__cluster_metadata-0", 0, created[0], removed, created[1])
    found = log_ends([str(tmp_path / "1"), str(tmp_path / "2")])
    assert found == [LogEnd("orders", 0, uuid_text(new), 0, 3)]
