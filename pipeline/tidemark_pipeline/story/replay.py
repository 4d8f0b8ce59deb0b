"""Replay the rows of a log: the offsets that ended, and what happened to each group, in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import merge
from typing import Any, Final

from tidemark_pipeline.story.group_state import CLASSIC, EPOCH, GroupRecords, GroupState
from tidemark_pipeline.story.removal import Ended

Row = Mapping[str, Any]
Key = tuple[str, int]

_LIVING: Final = (CLASSIC, EPOCH)  # the key versions whose tombstone removes a group


@dataclass(slots=True, frozen=True)
class Moment:
    """The state of a group from this time on, and the row that begins it."""

    at_ms: int
    log_offset: int
    state: GroupState | None


@dataclass(slots=True)
class GroupLog:
    """The records of one group in the log.

    moments   the changes of its state, in order
    commits   of each partition, commits and tombstones in order
    """

    group: str
    log_partition: int
    moments: list[Moment] = field(default_factory=list)
    commits: dict[Key, list[Row]] = field(default_factory=dict)
    records: GroupRecords = field(default_factory=GroupRecords)
    ended: list[Ended] = field(default_factory=list)
    state: GroupState | None = None

    def state_at(self, log_offset: int) -> GroupState | None:
        """Return the state before the record with this offset."""
        before = [each for each in self.moments if each.log_offset < log_offset]
        return before[-1].state if before else None


def replayed(offsets: Iterable[Row], groups: Iterable[Row]) -> dict[tuple[int, str], GroupLog]:
    """Return what the log has of each group, by log partition and name.

    offsets, groups: rows of schemas.OFFSETS and schemas.GROUPS, in the order of the log, without aborted and
    open transactions.
    """
    found: dict[tuple[int, str], GroupLog] = {}
    batches: dict[tuple[int, str], dict[tuple[int, int], bool]] = defaultdict(dict)
    for row in merge(
        _placed(offsets), _placed(groups), key=lambda row: (row["log_partition"], row["log_offset"])
    ):
        place = row["log_partition"], row["group"]
        log = found.get(place)
        if log is None:
            log = found[place] = GroupLog(row["group"], row["log_partition"])
        if "topic" in row:
            _offset(log, row)
        else:
            _group(log, row)
            if row["key_version"] in _LIVING:
                batch = row["batch_base_offset"], row["batch_last_offset"]
                batches[place][batch] = batches[place].get(batch, True) and row["tombstone"]
    for place, log in found.items():
        removing = sorted(batch for batch, gone in batches[place].items() if gone)
        _finish(log, removing)
    return found


def _placed(rows: Iterable[Row]) -> Iterator[Row]:
    """Return the rows by log partition, as they are read."""
    return iter(sorted(rows, key=lambda row: (row["log_partition"], row["log_offset"])))


def _group(log: GroupLog, row: Row) -> None:
    log.records.add(row)
    log.state = log.records.state()
    moment = Moment(row["record_timestamp_ms"], row["log_offset"], log.state)
    log.moments.append(moment)


def _offset(log: GroupLog, row: Row) -> None:
    of_key = log.commits.setdefault((row["topic"], row["partition"]), [])
    if row["committed_offset"] is None:
        before = of_key[-1] if of_key else None
        nothing = before is not None and before["committed_offset"] is None
        log.ended.append(
            Ended(
                log.log_partition, log.group, row["topic"], row["partition"], row["log_offset"],
                row["record_timestamp_ms"], None if nothing else before, nothing, log.state,
            )
        )  # fmt: skip
    of_key.append(row)


def _finish(log: GroupLog, removing: list[tuple[int, int]]) -> None:
    """Add the commits that the log leaves, and what is known only at the end.

    removing: first and last offset of the batches that remove the group.
    """
    last: dict[Key, int] = {}
    for (topic, partition), rows in log.commits.items():
        commits = [row["log_offset"] for row in rows if row["committed_offset"] is not None]
        last[topic, partition] = commits[-1] if commits else -1
    for each in log.ended:
        assert each.log_offset is not None
        each.committed_again = last[each.topic, each.partition] > each.log_offset
        each.group_batch = next((first for first, end in removing if first <= each.log_offset <= end), None)
    for (topic, partition), rows in log.commits.items():
        if rows[-1]["committed_offset"] is not None:
            log.ended.append(
                Ended(log.log_partition, log.group, topic, partition, None, None, rows[-1], False, log.state)
            )
