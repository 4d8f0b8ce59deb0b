"""The output of kafka-dump-log as rows of `offset_history`, to compare our decoder with Kafka's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.kafka_oracle import run_tool

OFFSET_KEYS: Final = ("0", "1")
FILE: Final = re.compile(r"Dumping .*/__consumer_offsets-(\d+)/\d+\.log")
BATCH: Final = re.compile(
    r"baseOffset: .* producerId: (-?\d+) producerEpoch: (-?\d+) .* isTransactional: (true|false)"
)
RECORD: Final = re.compile(
    r"\| offset: (\d+) (?:CreateTime|LogAppendTime): (-?\d+) .*? key: (\{.*\}) payload: (.*)"
)
Row = tuple[Any, ...]


@cache
def offset_rows(data_dir: Path) -> list[Row]:
    """Return every offset commit and tombstone, in the order of the log."""
    logs = [str(path) for path in sorted(data_dir.glob("__consumer_offsets-*/*.log")) if path.stat().st_size]
    ended = run_tool("kafka-dump-log", "--files", ",".join(logs), "--offsets-decoder")
    assert ended.returncode == 0, ended.stdout[-500:] + ended.stderr[-500:]
    return sorted(_rows(ended.stdout))


def _rows(text: str) -> Iterator[Row]:
    log_partition = -1
    producer: tuple[int | None, int | None, bool] = (None, None, False)
    for line in text.split("\n"):  # text in a record may contain characters at which splitlines would split
        if found := FILE.match(line):
            log_partition = int(found[1])
        elif found := BATCH.match(line):
            producer = (_given(int(found[1])), _given(int(found[2])), found[3] == "true")
        elif found := RECORD.match(line):
            key = json.loads(found[3])
            if key["type"] in OFFSET_KEYS:
                place = (log_partition, int(found[1]), int(found[2]))
                yield (*place, *key["data"].values(), *_value(found[4]), *producer)


def _value(payload: str) -> Row:
    if payload == "<DELETE>":
        return (None,) * 7
    value = json.loads(payload)
    fields = value["data"]
    return (
        fields["offset"],
        _given(fields.get("leaderEpoch", -1)),
        fields["metadata"],
        fields["commitTimestamp"],
        _given(fields.get("expireTimestamp", -1)),
        fields.get("topicId"),
        int(value["version"]),
    )


def _given(number: int) -> int | None:
    """Turn Kafka's -1 into None."""
    return None if number == -1 else number
