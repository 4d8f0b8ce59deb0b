"""Scripts of operations on a share partition, and a player that applies them to ours.

A script is JSON. Partitions.java plays the same ones on Kafka's class.

    limits       [lock_ms, deliveries_max, locks_max, renews]
    start        start offset
    stored       [first, last, state, delivery count] of what the share coordinator has stored
    log          [first, last, kind, producer id] of each record batch.
                 Kinds: plain, transactional, commit, abort
    aborted      [producer id, first, last] of each aborted transaction, its marker included
    operations   a list for each: a name, and arguments

    remember           keeps the next fetch offset and the log start, for a fetch that needs longer
    acquire            member, strict, batch_size, records_max, record batches to read, read_committed,
                       at what `remember` has kept
    acknowledge        member, [[first, last, types], ...], outcome of the write
    release            member, outcome of the write
    advance            the time (ms), outcome of the write of the locks that end
    log start          offset
    limits             as above
    complete           number of a write whose outcome was "later", whether it was written

The outcome of a write is "ok", "fails" or "later".

Each operation has a line: its result, the writes as [start offset, complete count, batches], and the state as
[start offset, end offset, complete count, next fetch offset, can acquire, batches]. A batch is [is divided,
runs]. A run is [first, last, state, delivery count, member, has a transition, lock end].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidemark.share.partition import (
    AVAILABLE,
    Acknowledgement,
    Acquired,
    Batch,
    Limits,
    SharePartition,
    Write,
)
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.share_batches import StateBatch

Script = dict[str, Any]
Line = list[Any]
# Locks that end in one step, so that steps end amid what a batch has.
LOCKS_IN_A_STEP = 3


class Player:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.now_ms = 0
        self.log_start: int = script["start"]
        self.remembered = 0, 0
        # Kafka and we differ from here on, for a reason that `run` names.
        self.ends = False
        # Each returns whether the start offset has moved.
        self.pending: list[Callable[[bool], object]] = []
        stored = [StateBatch(first, last, count, state) for first, last, state, count in script["stored"]]
        self.partition = SharePartition(Limits(*script["limits"]), script["start"], 7, stored)

    def run(self, operation: list[Any]) -> Line:
        name, *arguments = operation
        self.writes: list[Any] = []
        releasing = [each for each in self.partition._batches if not each.is_divided and _is_releasing(each)]
        gap = self.partition._open_gap
        gap_start = None if gap is None else gap.start
        result = getattr(self, "_" + name.replace(" ", "_"))(*arguments)
        # A batch was divided while it was being released. Kafka forgets the release: its records are
        # available at once, and it throws when they are acquired.
        forgotten = any(each.is_divided for each in releasing)
        # The log start has passed the start of a gap. Kafka goes on to read there.
        passed = gap is not None and name == "log start" and gap_start != gap.start
        self.ends = forgotten or passed
        return [result, self.writes, self.state()]

    def state(self) -> list[Any]:
        partition = self.partition
        batches = []
        for batch in partition._batches:
            runs: list[list[Any]] = []
            for run in batch.runs:
                lock = -1 if run.lock_end_ms is None else run.lock_end_ms
                transition = run.transition is not None
                values = [run.state, run.delivery_count, run.member_id, transition, lock]
                if runs and runs[-1][2:] == values:
                    runs[-1][1] = run.last
                else:
                    runs.append([run.first, run.last, *values])
            batches.append([batch.is_divided, runs])
        return [
            partition.start_offset,
            partition.end_offset,
            partition.complete_count,
            partition.next_fetch_offset(),
            partition.can_acquire(),
            batches,
        ]

    def _remember(self) -> str:
        self.remembered = self.partition.next_fetch_offset(), self.log_start
        return "ok"

    def _acquire(
        self,
        member: str,
        strict: bool,
        batch_size: int,
        records_max: int,
        batches: int,
        committed: bool,
        remembered: bool,
    ) -> list[Any]:
        offset, log_start = self.partition.next_fetch_offset(), self.log_start
        if remembered:
            offset, log_start = self.remembered
        log = [each for each in self.script["log"] if each[1] >= max(offset, log_start)][:batches]
        acquired = self.partition.acquire(
            member,
            [(each[0], each[1]) for each in log],
            offset,
            records_max=records_max,
            batch_size=batch_size,
            strict=bool(strict),
            now_ms=self.now_ms,
        )
        if committed and acquired:
            aborted = self._aborted(log, offset)
            acquired = self.partition.archive_aborted(aborted, acquired)
        return [[list(each) for each in acquired], _count(acquired)]

    def _aborted(self, log: list[Any], offset: int) -> list[tuple[int, int]]:
        """Return the record batches of transactions that the log of a fetch names as aborted."""
        begin = sorted(
            (first, producer)
            for producer, first, last in self.script["aborted"]
            if last >= offset and first <= log[-1][1]
        )
        producers: set[int] = set()
        found = []
        for first, last, kind, producer in log:
            while producer >= 0 and begin and begin[0][0] <= last:
                producers.add(begin.pop(0)[1])
            if kind == "abort":
                producers.discard(producer)
            elif producer in producers:
                found.append((first, last))
        return found

    def _acknowledge(self, member: str, batches: list[Any], outcome: str) -> str | list[str]:
        requested = [Acknowledgement(*each) for each in batches]
        try:
            write = self.partition.acknowledge(member, requested, self.now_ms)
        except KafkaError as error:
            return [error.code.name, str(error.message)]
        return self._written(write, outcome)

    def _release(self, member: str, outcome: str) -> str:
        return self._written(self.partition.release(member), outcome)

    def _written(self, write: Write | None, outcome: str) -> str:
        if write is None:
            return "nothing"
        self._record(write.state_batches)
        self._end(
            outcome,
            lambda written: self.partition.complete(write, written=written, now_ms=self.now_ms),
        )
        return outcome

    def _advance(self, now_ms: int, outcome: str) -> str:
        self.now_ms = now_ms
        changed: list[StateBatch] = []
        while (end := self.partition.next_lock_end()) is not None and end <= now_ms:
            changed += self.partition.end_locks(now_ms, LOCKS_IN_A_STEP)
        if changed:
            self._record(changed)
            self._end(outcome, lambda written: self.partition.advance())
        return "ok"

    def _record(self, state_batches: list[StateBatch]) -> None:
        partition = self.partition
        batches = [[first, last, state, count] for first, last, count, state in state_batches]
        self.writes.append([partition.start_offset, partition.complete_count, batches])

    def _end(self, outcome: str, end: Callable[[bool], object]) -> None:
        if outcome == "later":
            self.pending.append(end)
        else:
            end(outcome == "ok")

    def _log_start(self, offset: int) -> str:
        self.log_start = offset
        self.partition.move_log_start(offset)
        return "ok"

    def _limits(self, limits: list[Any]) -> str:
        self.partition.limits = Limits(*limits)
        return "ok"

    def _complete(self, number: int, written: bool) -> str:
        if not self.pending:
            return "nothing"
        self.pending.pop(number % len(self.pending))(written)
        return "ok"


def _is_releasing(batch: Batch) -> bool:
    return batch.runs[0].state == AVAILABLE and batch.runs[0].transition is not None


def _count(acquired: list[Acquired]) -> int:
    return sum(each.last - each.first + 1 for each in acquired)


def played(script: Script) -> list[Line]:
    """Return a line for the new partition, and one for each operation."""
    try:
        player = Player(script)
    except ValueError:
        return [["invalid"]]
    lines = [["ok", [], player.state()]]
    for each in script["operations"]:
        line = player.run(each)
        if player.ends:
            break
        lines.append(line)
    return lines


def normal(script: Script, lines: list[Line]) -> list[Line]:
    """Return lines without the differences that do not matter.

    Kafka writes each offset of a divided batch, and each lock that ends. We write runs, and the locks that
    end together at once.
    """
    operations = [["new"], *script["operations"]]
    result: list[Line] = []
    for operation, line in zip(operations, lines, strict=False):
        if len(line) == 3 and line[1]:
            writes = [[start, complete, _joined(batches)] for start, complete, batches in line[1]]
            if operation[0] == "advance":
                writes = [_joined(sorted(each for write in writes for each in write[2]))]
            line = [line[0], writes, line[2]]
        result.append(line)
    return result


def _joined(batches: list[list[int]]) -> list[list[int]]:
    joined: list[list[int]] = []
    for first, last, *values in batches:
        if joined and joined[-1][1] + 1 == first and joined[-1][2:] == values:
            joined[-1][1] = last
        else:
            joined.append([first, last, *values])
    return joined
