"""The position of a stream: the next offset of each log partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark_pipeline.model import OffsetsLog, PipelineError

Positions = Mapping[int, int]

_TOPIC_ID: Final = "topic_id"


@dataclass(slots=True, frozen=True)
class StreamPosition:
    """The next offset of each log partition.

    topic_id: of the topic, as Kafka prints it; None: its directories do not have it.
    """

    offsets: Positions
    topic_id: str | None = None

    def is_of(self, topic_id: str | None) -> bool:
        """Return False if both ids are known and differ: the topic was deleted and created again."""
        return self.topic_id == topic_id or None in (self.topic_id, topic_id)


def to_json(position: StreamPosition) -> dict[str, Any]:
    """Return the form for the checkpoint. Spark compares it as text, so the order is fixed."""
    offsets = {str(number): position.offsets[number] for number in sorted(position.offsets)}
    return offsets if position.topic_id is None else {**offsets, _TOPIC_ID: position.topic_id}


def from_json(kept: Mapping[str, Any]) -> StreamPosition:
    """Parse a checkpoint. Raises PipelineError for a checkpoint of another source."""
    offsets = {number: offset for number, offset in kept.items() if number != _TOPIC_ID}
    if not all(number.isdecimal() and isinstance(offset, int) for number, offset in offsets.items()):
        raise PipelineError(f"the checkpoint is not of the source tidemark: it has {dict(kept)}")
    return StreamPosition({int(number): offset for number, offset in offsets.items()}, kept.get(_TOPIC_ID))


def limited(start: Positions, end: Positions, offsets_max: int) -> dict[int, int]:
    """Return the position between start and end that is at most offsets_max offsets after start.

    The offsets are shared evenly, and unused shares go to the others: a short log partition never waits for a
    long one.
    """
    reached: dict[int, int] = {}
    left = offsets_max
    waiting = sorted(end, key=lambda number: end[number] - start[number])
    for index, number in enumerate(waiting):
        taken = max(0, min(end[number] - start[number], left // (len(waiting) - index)))
        reached[number] = start[number] + taken
        left -= taken
    return reached


def losses(logs: Mapping[int, OffsetsLog], start: Positions, end: Positions) -> dict[int, str]:
    """Return for each log partition why start to end cannot be read, as a sentence.

    The log begins later now, ends earlier, or does not exist. A new log partition has no start.
    """
    found = {number: _loss(number, logs.get(number), start.get(number), end[number]) for number in end}
    return {number: sentence for number, sentence in found.items() if sentence is not None}


def _loss(number: int, log: OffsetsLog | None, start: int | None, end: int) -> str | None:
    if log is None:
        is_read = end > (start or 0)
        return (
            f"log partition {number} does not exist, but must be read up to offset {end}" if is_read else None
        )
    if start is not None and start < log.start_offset:
        return f"{log.directory} begins at offset {log.start_offset} now, but was only read up to {start}"
    if end > log.end_offset:
        why = "it was truncated or recreated"
        return f"{log.directory} ends at offset {log.end_offset}, but was read further: {why}"
    return None
