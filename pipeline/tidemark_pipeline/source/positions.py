"""Where a stream stands: the next offset of each log partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark_pipeline.model import OffsetsLog, PipelineError

Positions = Mapping[int, int]

_TOPIC_ID: Final = "topic_id"


@dataclass(slots=True, frozen=True)
class StreamPosition:
    """offsets: the next one of each log partition. topic_id: of the topic that has these offsets, as Kafka
    prints it; None: its directories do not tell.
    """

    offsets: Positions
    topic_id: str | None = None

    def is_of(self, topic_id: str | None) -> bool:
        """Not where both are known and differ: the topic was deleted and made anew in between."""
        return self.topic_id == topic_id or None in (self.topic_id, topic_id)


def to_json(position: StreamPosition) -> dict[str, Any]:
    """As Spark keeps it in the checkpoint. It compares them as text, so their order is always the same."""
    offsets = {str(number): position.offsets[number] for number in sorted(position.offsets)}
    return offsets if position.topic_id is None else {**offsets, _TOPIC_ID: position.topic_id}


def from_json(kept: Mapping[str, Any]) -> StreamPosition:
    """PipelineError: a checkpoint of another source."""
    offsets = {number: offset for number, offset in kept.items() if number != _TOPIC_ID}
    if not all(number.isdecimal() and isinstance(offset, int) for number, offset in offsets.items()):
        raise PipelineError(f"the checkpoint is of another source than tidemark: it holds {dict(kept)}")
    return StreamPosition({int(number): offset for number, offset in offsets.items()}, kept.get(_TOPIC_ID))


def limited(start: Positions, end: Positions, offsets_max: int) -> dict[int, int]:
    """From start towards end, of the same log partitions, as far as that many offsets go.

    They are shared out evenly, and who needs less than its share leaves the rest to the others: a short log
    partition never waits for a long one.
    """
    reached: dict[int, int] = {}
    left = offsets_max
    waiting = sorted(end, key=lambda number: end[number] - start[number])
    for place, number in enumerate(waiting):
        taken = max(0, min(end[number] - start[number], left // (len(waiting) - place)))
        reached[number] = start[number] + taken
        left -= taken
    return reached


def losses(logs: Mapping[int, OffsetsLog], start: Positions, end: Positions) -> dict[int, str]:
    """By log partition what stands against reading from start to below end, as a sentence: the log begins
    later now, ends earlier, or is not there. A new log partition has no start.
    """
    found = {number: _loss(number, logs.get(number), start.get(number), end[number]) for number in end}
    return {number: sentence for number, sentence in found.items() if sentence is not None}


def _loss(number: int, log: OffsetsLog | None, start: int | None, end: int) -> str | None:
    if log is None:
        is_read = end > (start or 0)
        return (
            f"log partition {number} is not there, and is to be read up to offset {end}" if is_read else None
        )
    if start is not None and start < log.start_offset:
        return f"{log.directory} begins at offset {log.start_offset} now, and was read up to {start} only"
    if end > log.end_offset:
        return (
            f"{log.directory} ends at offset {log.end_offset} and was read further: it was cut, or made anew"
        )
    return None
