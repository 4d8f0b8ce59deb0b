"""The logs that bench/pipeline generates are valid, and have the reported number of records of each kind."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.pipeline.generate import Generated, generate
from tests.kafka_oracle import missing, run_tool
from tidemark_pipeline.model import ScanOptions, Transactions
from tidemark_pipeline.source.options import SourceOptions
from tidemark_pipeline.source.scan import plan, read_task
from tidemark_protocol.batch import check_crc, headers, records
from tidemark_protocol.compression import Codec
from tidemark_protocol.stored import decode_coordinator

RECORDS = 20_000
OFFSET_COMMIT = 1


@pytest.mark.parametrize("codec", Codec)
def test_generate_reports_what_it_wrote(tmp_path: Path, codec: Codec) -> None:
    made = generate(tmp_path / "data", records=RECORDS, segments=4, group_count=40, codec=codec)
    found: Counter[str] = Counter()
    next_offsets: dict[int, int] = {}
    for segment in made.segments:
        log_partition = int(segment.parent.name.rpartition("-")[2])
        assert int(segment.stem) == next_offsets.get(log_partition, 0)
        next_offsets[log_partition] = counted(segment.read_bytes(), int(segment.stem), found)
    assert next_offsets == made.next_offsets
    assert found == {
        "offsets": made.offsets,
        "tombstones": made.tombstones,
        "groups": made.groups,
        "control": made.control,
        "transactional": made.transactional,
    }
    assert 0.9 * RECORDS < made.records < 1.1 * RECORDS


def counted(data: bytes, offset: int, found: Counter[str]) -> int:
    """Count the contents of a segment that starts at this offset. Return the next offset."""
    for position, header in headers(data):
        assert check_crc(data, position, header)
        assert header.base_offset == offset
        offset = header.next_offset
        for record in records(data, position, header):
            if header.is_control:
                found["control"] += 1
                continue
            assert record.key is not None
            decode_coordinator(record.key, record.value)
            is_offset = record.key[1] == OFFSET_COMMIT
            found["offsets" if is_offset else "groups"] += 1
            found["tombstones"] += is_offset and record.value is None
            found["transactional"] += header.is_transactional
    return offset


def test_generated_transactions_end_as_reported(tmp_path: Path) -> None:
    made = generate(tmp_path / "data", records=RECORDS, segments=8, group_count=100)
    assert made.aborted and made.open
    assert rows(made, "all") == made.offsets
    assert rows(made, "open") == made.open
    assert rows(made, "committed") == made.offsets - made.aborted - made.open


def rows(made: Generated, transactions: Transactions) -> int:
    scan = ScanOptions(transactions=transactions)
    found = plan(SourceOptions((str(made.directory),), scan))
    return sum(batch.num_rows for task in found for batch in read_task(task, scan))


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_kafka_reads_generated_logs(tmp_path: Path) -> None:
    made = generate(tmp_path / "data", records=2_000, segments=4, group_count=20, codec=Codec.LZ4)
    files = ",".join(map(str, made.segments))
    ended = run_tool("kafka-dump-log", "--files", files, "--offsets-decoder")
    told = [line for line in ended.stdout.split("\n") if line.startswith("| offset:")]
    assert len(told) == made.records
    assert ended.stdout.count("isvalid: true") == made.batches
    assert sum(': {"type":"1","data":' in line for line in told) == made.offsets
    assert sum("payload: <DELETE>" in line and '"type":"1"' in line for line in told) == made.tombstones
