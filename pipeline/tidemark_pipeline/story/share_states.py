"""The states of a share partition over time: Kafka's replay of `__share_group_state`.

A snapshot replaces the state, an update changes it, and a tombstone deletes it. Kafka: ShareCoordinatorShard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tidemark_protocol.share_batches import NO_OFFSET, StateBatch, combine

Row = Mapping[str, Any]

STATES: Final = ("available", "acquired", "acknowledged", "archiving", "archived")
ARCHIVED: Final = STATES.index("archived")
KEPT: Final = ("log_partition", "log_offset", "record_timestamp_ms", "group", "topic_id", "partition")
# group.share.delivery.count.limit of Kafka, where share.delivery.count.limit of the group is not set.
DELIVERY_LIMIT: Final = 5


class ShareStates:
    """The current state of each share partition, from records in the order of the log."""

    def __init__(self) -> None:
        self._states: dict[tuple[str, str, int], dict[str, Any]] = {}

    def add(self, record: Row) -> tuple[Row | None, Row]:
        """Add a record of schemas.SHARE_STATE. Return the state before it, and the one after it.

        The state after a tombstone has no values but those of its key.
        """
        key = record["group"], record["topic_id"], record["partition"]
        before = self._states.get(key)
        after = {name: record[name] for name in KEPT}
        if record["tombstone"]:
            self._states.pop(key, None)
            return before, {**after, "event": "deleted"}
        values = _snapshot(record) if _replaces(before, record) else _updated(before or {}, record)
        after |= {"event": _event(before, record), **values}
        self._states[key] = after
        return before, after


def states_over_time(records: Iterable[Row]) -> Iterator[Row]:
    """Yield the state after each record, as columns.SHARE_STATES. records: in the order of each log."""
    states = ShareStates()
    for record in records:
        yield _shown(states.add(record)[1])


def archived_over_time(records: Iterable[Row], delivery_limit: int = DELIVERY_LIMIT) -> Iterator[Row]:
    """Yield the records of topics that were archived, as columns.SHARE_ARCHIVED, at the first write of it.

    delivery_limit: share.delivery.count.limit of the groups. A record with fewer deliveries was rejected.
    """
    states = ShareStates()
    for record in records:
        before, after = states.add(record)
        known = [] if before is None else [each for each in before["batches"] if each[3] == ARCHIVED]
        for batch in after.get("batches", ()):
            if batch.delivery_state != ARCHIVED:
                continue
            for first_offset, last_offset in _without(batch, known):
                is_limit = batch.delivery_count >= delivery_limit
                yield {
                    **{name: after[name] for name in KEPT},
                    "first_offset": first_offset,
                    "last_offset": last_offset,
                    "delivery_count": batch.delivery_count,
                    "reason": "delivery_limit" if is_limit else "rejected",
                }


def _replaces(before: Row | None, record: Row) -> bool:
    return before is None or record["record_type"] == "ShareSnapshot"


def _event(before: Row | None, record: Row) -> str:
    if before is None:
        return "initialized" if record["record_type"] == "ShareSnapshot" else "updated"
    return "snapshot" if record["record_type"] == "ShareSnapshot" else "updated"


def _snapshot(record: Row) -> dict[str, Any]:
    return {
        "snapshot_epoch": record["snapshot_epoch"],
        "state_epoch": record["state_epoch"],
        "leader_epoch": record["leader_epoch"],
        "start_offset": record["start_offset"],
        "delivery_complete_count": record["delivery_complete_count"],
        "batches": _batches(record),
    }


def _updated(before: Row, record: Row) -> dict[str, Any]:
    start_offset = before["start_offset"] if record["start_offset"] is None else record["start_offset"]
    leader_epoch = before["leader_epoch"] if record["leader_epoch"] is None else record["leader_epoch"]
    least = NO_OFFSET if start_offset is None else start_offset
    return {
        "snapshot_epoch": before["snapshot_epoch"],
        "state_epoch": before["state_epoch"],
        "leader_epoch": leader_epoch,
        "start_offset": start_offset,
        "delivery_complete_count": record["delivery_complete_count"],
        "batches": combine(before["batches"], _batches(record), least),
    }


def _batches(record: Row) -> tuple[StateBatch, ...]:
    return tuple(
        StateBatch(each["first_offset"], each["last_offset"], each["delivery_count"], _number(each["state"]))
        for each in record["batches"]
    )


def _number(state: str) -> int:
    return STATES.index(state) if state in STATES else int(state)


def _shown(state: Row) -> Row:
    """Return the state with its batches as rows."""
    if "batches" not in state:
        return state
    batches = [
        {
            "first_offset": each.first_offset,
            "last_offset": each.last_offset,
            "state": STATES[each.delivery_state]
            if each.delivery_state < len(STATES)
            else str(each.delivery_state),
            "delivery_count": each.delivery_count,
        }
        for each in state["batches"]
    ]
    return {**state, "batches": batches}


def _without(batch: StateBatch, known: Sequence[StateBatch]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a batch that none of the known ones has. known: in order, without overlaps."""
    at = batch.first_offset
    for each in sorted(known):
        if each.last_offset < at or each.first_offset > batch.last_offset:
            continue
        if each.first_offset > at:
            yield at, each.first_offset - 1
        at = each.last_offset + 1
    if at <= batch.last_offset:
        yield at, batch.last_offset
