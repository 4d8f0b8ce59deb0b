"""Follow the logs while brokers append, roll, clean and delete.

Each look lists the directories and reads the headers of appended batches. A segment that was rolled, or
rewritten by a cleaner, therefore needs no special case. Needs no Spark.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from tidemark_pipeline.logs.directories import OFFSETS_TOPIC, Found, find_logs
from tidemark_pipeline.logs.files import looked_again
from tidemark_pipeline.logs.survey import survey_all, tasks
from tidemark_pipeline.model import OffsetsLog, PipelineError, Survey, Task
from tidemark_pipeline.source.options import SourceOptions
from tidemark_pipeline.source.positions import Positions, StreamPosition, limited, losses
from tidemark_pipeline.source.scan import bounds_of, logs_of

PIECE_OFFSETS: Final = 100_000  # starting a Spark task costs as much as reading some thousand records

_NOTHING: Final = StreamPosition({})

_logger = logging.getLogger(__name__)


class Following:
    """The logs, as a stream sees them.

    A StreamPosition says how far each log partition was read. With transactions=committed it never exceeds
    the last stable offset, so the outcome of everything that was read is known. newest: the readable end at
    the last look; None: there was none.
    """

    def __init__(self, options: SourceOptions) -> None:
        self.newest: dict[int, int] | None = None
        self._options = options
        self._logs: Mapping[int, OffsetsLog] = {}
        self._surveys: Mapping[int, Survey] = {}
        self._topic_id: str | None = None
        self._warned: set[str] = set()

    def beginning(self) -> StreamPosition:
        """Return the position at which a new stream starts."""
        self._look(_NOTHING, _NOTHING)
        return StreamPosition({number: self._first(number) for number in self._logs}, self._topic_id)

    def onward(
        self, read: StreamPosition, *, target: Positions | None = None, offsets_max: int | None = None
    ) -> StreamPosition:
        """Look, and return the position to read to.

        It is not beyond target and its log partitions, and at most offsets_max offsets away. Raises
        PipelineError with failOnDataLoss if records were lost before they were read.
        """
        lost = self._look(read, read)
        offsets = read.offsets if read.is_of(self._topic_id) else {}
        self.newest = self._readable()
        end = self.newest if target is None else _not_beyond(self.newest, target)
        begin = {number: self._begin(number, offsets, is_lost=number in lost) for number in end}
        end = {number: max(begin[number], end[number]) for number in end}
        reached = end if offsets_max is None else limited(begin, end, offsets_max)
        return StreamPosition({**offsets, **reached}, self._topic_id or read.topic_id)

    def pieces(self, start: StreamPosition, end: StreamPosition) -> Iterator[list[Task]]:
        """Yield the tasks of a micro-batch, small ones together. After a restart, it may have been planned
        before.
        """
        if not start.is_of(end.topic_id):
            start = _NOTHING
        if not self._has_seen(end):
            self._look(start, end)
        return _together(self._tasks(start.offsets, end.offsets) if end.is_of(self._topic_id) else ())

    def forget(self, read: StreamPosition) -> None:
        """Drop the markers of transactions that are not needed any more."""
        self._surveys = {
            number: _without_markers(found, read.offsets.get(number, 0))
            for number, found in self._surveys.items()
        }

    def _look(self, start: StreamPosition, end: StreamPosition) -> set[int]:
        """Look at the logs. Returns the log partitions that lost records between start and end."""
        return looked_again(lambda: self._looked(start, end))

    def _looked(self, start: StreamPosition, end: StreamPosition) -> set[int]:
        found = find_logs(self._options.paths)
        if not end.is_of(found.topic_id):
            self._report([_recreated(found, end)])
            start = end = _NOTHING
        lost = {
            number: sentence
            for number, sentence in losses(found.logs, start.offsets, end.offsets).items()
            if self._options.reads(number) and start.offsets.get(number, 0) < self._bounds(number)[1]
        }
        self._report(lost.values())
        self._logs = logs_of(found, self._options)
        goes_on = found.topic_id == self._topic_id
        known = {n: survey for n, survey in self._surveys.items() if n not in lost and goes_on}
        logs = [_from(log, start.offsets.get(number, 0)) for number, log in self._logs.items()]
        self._surveys = survey_all(logs, cached=known)
        self._topic_id = found.topic_id
        return set(lost)

    def _report(self, lost: Iterable[str]) -> None:
        for sentence in lost:
            if self._options.fail_on_data_loss:
                raise PipelineError(f"{sentence} (failOnDataLoss=false reads what there is)")
            if sentence not in self._warned:
                self._warned.add(sentence)
                _logger.warning("%s", sentence)

    def _has_seen(self, end: StreamPosition) -> bool:
        return end.is_of(self._topic_id) and all(
            number in self._surveys and offset <= self._surveys[number].next_offset
            for number, offset in end.offsets.items()
        )

    def _readable(self) -> dict[int, int]:
        committed = self._options.scan.transactions == "committed"
        return {
            number: min(found.last_stable_offset if committed else found.next_offset, self._bounds(number)[1])
            for number, found in self._surveys.items()
        }

    def _bounds(self, number: int) -> tuple[int, int]:
        return bounds_of(number, self._options)

    def _first(self, number: int) -> int:
        """Return where a log partition that was not read yet begins."""
        wanted, _ = self._bounds(number)
        return max(self._logs[number].start_offset, min(wanted, self._readable()[number]))

    def _begin(self, number: int, read: Positions, *, is_lost: bool) -> int:
        if number not in read:
            return self._first(number)
        if not is_lost:
            return read[number]
        return max(self._logs[number].start_offset, min(read[number], self._readable()[number]))

    def _tasks(self, start: Positions, end: Positions) -> Iterator[Task]:
        for number in sorted(end.keys() & self._logs.keys()):
            first, last = self._bounds(number)
            first, last = max(first, start.get(number, 0)), min(last, end[number])
            yield from tasks(self._logs[number], self._surveys[number], first, last)


def _recreated(found: Found, read: StreamPosition) -> str:
    directory = found.logs[min(found.logs)].directory
    ids = f"has topic id {found.topic_id}, but {read.topic_id} was read"
    return f"{OFFSETS_TOPIC} was created again: {directory} {ids}"


def _not_beyond(newest: Positions, target: Positions) -> dict[int, int]:
    return {number: min(newest[number], target[number]) for number in newest if number in target}


def _from(log: OffsetsLog, offset: int) -> OffsetsLog:
    """Return the log without the segments that end before the offset.

    A transaction that began in them and is still open would have held back the last stable offset.
    """
    ended = sum(segment.base_offset <= offset for segment in log.segments[1:])
    return replace(log, segments=log.segments[ended:]) if ended else log


def _without_markers(found: Survey, below: int) -> Survey:
    left = {
        producer_id: tuple(marker for marker in markers if marker.offset >= below)
        for producer_id, markers in found.markers.items()
    }
    return replace(found, markers={producer_id: markers for producer_id, markers in left.items() if markers})


def _together(each: Iterable[Task]) -> Iterator[list[Task]]:
    piece: list[Task] = []
    offsets = 0
    for task in each:
        count = task.end_offset - task.first_offset
        if piece and offsets + count > PIECE_OFFSETS:
            yield piece
            piece, offsets = [], 0
        piece.append(task)
        offsets += count
    if piece:
        yield piece
