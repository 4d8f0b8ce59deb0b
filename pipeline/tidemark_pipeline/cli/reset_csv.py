"""Write removed offsets for `kafka-consumer-groups --reset-offsets --from-file`."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from tidemark_pipeline.cli.output import replaced_file
from tidemark_pipeline.cli.words import count_text, printable
from tidemark_pipeline.report import give_back

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(slots=True, frozen=True)
class Written:
    """The number of rows by group, and the number of omitted removals by reason."""

    groups: Counter[str]
    left_out: Counter[str]

    @property
    def rows(self) -> int:
        return self.groups.total()

    def sentence(self, path: str) -> str:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.left_out.items()))
        said = f"{path}: {count_text(self.rows, 'offset')}"
        if len(self.groups) == 1:
            said += f" of group {printable(*self.groups)}"
        elif self.groups:
            said += f" of {count_text(len(self.groups), 'group')}"
        said += " to give back"
        return f"{said}; left out: {reasons}" if reasons else said


@dataclass(slots=True, frozen=True)
class Lost:
    group: str
    topic: str
    partition: int
    offset: int | None
    topic_removed: bool
    committed_again: bool


def write(removals: DataFrame, path: str) -> Written:
    """Write the last removed offset of each group and partition. Raises PipelineError: path cannot be
    written.
    """
    return write_rows(_last_ones(removals), path)


def _last_ones(removals: DataFrame) -> Iterable[Lost]:
    from pyspark.sql.functions import col, max_by, struct

    wanted = struct("committed_offset", "topic_removed_ms", "committed_again")
    last = (
        removals.groupBy("group", "topic", "partition")
        .agg(max_by(wanted, col("log_offset")).alias("last"))
        .orderBy("group", "topic", "partition")
    )
    return (
        Lost(
            row["group"],
            row["topic"],
            row["partition"],
            row["last"]["committed_offset"],
            row["last"]["topic_removed_ms"] is not None,
            bool(row["last"]["committed_again"]),
        )
        for row in last.toLocalIterator()
    )


def write_rows(lost: Iterable[Lost], path: str) -> Written:
    """Write the file of these offsets, ordered by group. Raises PipelineError: path cannot be written."""
    with replaced_file(path) as file:
        return _write(lost, file)


def text(lost: Iterable[Lost]) -> str:
    """Return the content of the file. lost: ordered by group."""
    file = io.StringIO(newline="")
    _write(lost, file)
    return file.getvalue()


def _write(lost: Iterable[Lost], file: TextIO) -> Written:
    written = Written(Counter(), Counter())

    def rows() -> Iterator[tuple[str, str, int, int]]:
        for one in lost:
            if (reason := why_not(one)) is not None:
                written.left_out[reason] += 1
                continue
            assert one.offset is not None
            written.groups[one.group] += 1
            yield one.group, one.topic, one.partition, one.offset

    give_back.write_rows(rows(), file)
    return written


def why_not(lost: Lost) -> str | None:
    """Return why the offset is omitted: Kafka's tool would refuse the file or set another offset, or a reset
    would do harm.
    """
    if lost.committed_again:
        return "committed again since"
    if lost.offset is None:
        return "whose commit the log has no more"
    if lost.offset < 0:
        return "of a negative offset"
    if lost.topic_removed:  # for any cause of the removal
        return "of a topic that was deleted"
    return None
