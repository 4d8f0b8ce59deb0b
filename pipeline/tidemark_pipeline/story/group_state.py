"""The state of a group after some of its records: Kafka's replay, as `tables.groups` has it in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Row = Mapping[str, Any]

# Key versions.
CLASSIC, EPOCH, MEMBER, TARGET_EPOCH, TARGET, CURRENT, EXPRESSION = 2, 3, 5, 6, 7, 8, 16
CONSUMER_KEYS: Final = (EPOCH, MEMBER, TARGET_EPOCH, TARGET, CURRENT, EXPRESSION)
SHARE_MEMBER, SHARE, SHARE_CURRENT = 10, 11, 14
SHARE_KEYS: Final = range(10, 16)  # Kafka skips 9
STREAMS, STREAMS_MEMBER, STREAMS_TARGET_EPOCH, STREAMS_CURRENT, TOPOLOGY = 17, 19, 20, 22, 23
STREAMS_KEYS: Final = (STREAMS, STREAMS_MEMBER, STREAMS_TARGET_EPOCH, 21, STREAMS_CURRENT, TOPOLOGY)  # not 18
MEMBER_STABLE: Final = 0
STREAMS_MEMBER_STABLE: Final = 1


@dataclass(slots=True, frozen=True)
class GroupState:
    """The columns of `current_groups` on which the expiry of an offset depends, and the number of members.

    subscribed_topics: None if they are not known. state_ms: since when a classic group is Empty or Stable.
    """

    group_type: str
    protocol_type: str | None
    state: str
    state_ms: int | None
    subscribed_topics: frozenset[str] | None
    members: int | None


class GroupRecords:
    """The last record and the last tombstone of each key of one group."""

    __slots__ = ("_gone_at", "_last")

    def __init__(self) -> None:
        self._last: dict[bytes, Row] = {}
        self._gone_at: dict[bytes, int] = {}

    def add(self, row: Row) -> None:
        """Add the next record of the log. row: of schemas.GROUPS."""
        key = row["key"]
        self._last[key] = row
        if row["tombstone"]:
            self._gone_at[key] = row["log_offset"]

    def state(self) -> GroupState | None:
        """Return the state after these records; None if the group does not exist.

        Log offsets decide, because the cleaner leaves the keys of a KIP-848 group in any order. The log does
        not record rebalances: a classic group with members is Stable.
        """
        classic = next(self._of(CLASSIC), None)
        told_at = -1 if classic is None else classic["log_offset"]
        standing = self._standing(CONSUMER_KEYS, max(told_at, self._ended_at(EPOCH)))
        if standing:
            return self._consumer(standing)
        if classic is not None and not classic["tombstone"]:
            members = len(classic["members"] or ())
            topics = classic["subscribed_topics"]
            return GroupState(
                "classic",
                classic["protocol_type"] or None,
                "Stable" if members else "Empty",
                classic["state_timestamp_ms"],
                None if topics is None else frozenset(topics),
                members,
            )
        streams = self._standing(STREAMS_KEYS, max(told_at, self._ended_at(STREAMS)))
        share = self._standing(SHARE_KEYS, max(told_at, self._ended_at(SHARE)))
        if not share and not streams:
            return None
        kind = min((row["log_offset"], row["group_type"]) for row in (*share, *streams))[1]
        return self._streams(streams) if kind == "streams" else self._share(share)

    def _of(self, *versions: int) -> Iterator[Row]:
        return (row for row in self._last.values() if row["key_version"] in versions)

    def _standing(self, versions: Iterable[int], after: int) -> list[Row]:
        return [row for row in self._of(*versions) if not row["tombstone"] and row["log_offset"] > after]

    def _ended_at(self, version: int) -> int:
        """Return the offset of the last tombstone of the group's own key."""
        return max((self._gone_at.get(row["key"], -1) for row in self._of(version)), default=-1)

    def _without_departed(self, currents: Iterable[Row], member_version: int) -> list[Row]:
        """Return the current assignments that were written after their member left for the last time."""
        left_at = {
            row["member_id"]: self._gone_at[row["key"]]
            for row in self._of(member_version)
            if row["key"] in self._gone_at
        }
        return [row for row in currents if left_at.get(row["member_id"], -1) <= row["log_offset"]]

    def _consumer(self, standing: list[Row]) -> GroupState:
        """Kafka: ConsumerGroup.maybeUpdateGroupState."""
        by_version: dict[int, list[Row]] = {}
        for row in standing:
            by_version.setdefault(row["key_version"], []).append(row)
        members = by_version.get(MEMBER, [])
        currents = self._without_departed(by_version.get(CURRENT, []), MEMBER)
        epoch = next((row["epoch"] for row in by_version.get(EPOCH, [])), 1)
        target = next((row["epoch"] for row in by_version.get(TARGET_EPOCH, [])), 1)
        ids = {row["member_id"] for row in (*members, *currents)}
        arrived = {
            row["member_id"] for row in currents if row["state"] == MEMBER_STABLE and row["epoch"] == target
        }
        topics = {
            topic
            for row in (*members, *by_version.get(EXPRESSION, []))
            for topic in row["subscribed_topics"] or ()
        }
        state = (
            "Empty" if not ids else "Assigning" if epoch > target
            else "Stable" if ids <= arrived else "Reconciling"
        )  # fmt: skip
        return GroupState("consumer", "consumer", state, None, frozenset(topics), len(ids))

    def _streams(self, streams: list[Row]) -> GroupState:
        """Kafka: StreamsGroup.maybeUpdateGroupState."""
        by_version: dict[int, list[Row]] = {}
        for row in streams:
            by_version.setdefault(row["key_version"], []).append(row)
        members = by_version.get(STREAMS_MEMBER, [])
        currents = self._without_departed(by_version.get(STREAMS_CURRENT, []), STREAMS_MEMBER)
        ids = {row["member_id"] for row in (*members, *currents)}
        group = next(iter(by_version.get(STREAMS, [])), {"epoch": 1, "validated_topology_epoch": 0})
        topology = next(iter(by_version.get(TOPOLOGY, [])), None)
        target = next((row["epoch"] for row in by_version.get(STREAMS_TARGET_EPOCH, [])), 1)
        arrived = {
            row["member_id"]
            for row in currents
            if row["state"] == STREAMS_MEMBER_STABLE and row["epoch"] == target
        }
        state = (
            "Empty" if not ids
            else "NotReady" if topology is None or topology["epoch"] != group["validated_topology_epoch"]
            else "Assigning" if group["epoch"] > target
            else "Stable" if ids <= arrived else "Reconciling"
        )  # fmt: skip
        topics = topology["subscribed_topics"] if topology is not None and ids else ()
        return GroupState("streams", "streams", state, None, frozenset(topics), len(ids))

    def _share(self, share: list[Row]) -> GroupState:
        members = [row for row in share if row["key_version"] == SHARE_MEMBER]
        currents = [row for row in share if row["key_version"] == SHARE_CURRENT]
        ids = {row["member_id"] for row in (*members, *self._without_departed(currents, SHARE_MEMBER))}
        topics = frozenset(topic for row in members for topic in row["subscribed_topics"])
        return GroupState("share", "share", "Stable" if ids else "Empty", None, topics, len(ids))
