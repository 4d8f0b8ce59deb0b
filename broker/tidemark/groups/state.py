"""Groups: the state machine of all groups. Its log is `__consumer_offsets`; a group lives in one partition.

The records of a Result are replayed in order, then its events in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from typing import Any, Final

from tidemark.core.context import Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.result import NOTHING, Event, Marker, Record, Result, Steps
from tidemark.groups.classic.events import SessionsStarted
from tidemark.groups.classic.model import Group, GroupLimits
from tidemark.groups.classic.replay import NOTES, RECORDS, replay_pending
from tidemark.groups.classic.responses import refuse_assignment
from tidemark.groups.classic.settle import settle_group
from tidemark.groups.foreign import replay_foreign
from tidemark.groups.java import map_order, partition_hash
from tidemark.groups.offsets import Offsets
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group


class PartitionStatus(Enum):
    LOADING = auto()
    ACTIVE = auto()
    FAILED = auto()


_ACTIVE: Final = PartitionStatus.ACTIVE  # to look a member up in an enum costs as much as a call

_SERVICE_ERRORS = {
    PartitionStatus.LOADING: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    PartitionStatus.ACTIVE: ErrorCode.NONE,
    PartitionStatus.FAILED: ErrorCode.NOT_COORDINATOR,
}


class Groups:
    """Built empty, serving nothing; `serve`, `replay` and `loaded` fill it.

    groups     every group by its id, simple ones too. An unknown group has no entry: only replay makes one
    offsets    committed offsets, beside the groups
    status     of each partition of `__consumer_offsets`
    deadlines  when `settle` has to be asked for a group again: never too late, sometimes too early
    marked     groups that something has happened to since they were last settled
    """

    def __init__(self, limits: GroupLimits | None = None) -> None:
        self.limits = limits or GroupLimits()
        self.groups: dict[str, Group] = {}
        self.offsets = Offsets()
        self.status: list[PartitionStatus] = []
        self.deadlines = Deadlines()
        self.marked: set[str] = set()

    # The state machine.

    def settle(self, key: str, now: Now) -> Result[None]:
        """What follows by itself for the group. Asked again until it is NOTHING."""
        group = self.groups.get(key)
        return NOTHING if group is None else settle_group(group, now, self.deadlines.get(key))

    def replay(self, change: Record | Event | Marker) -> None:
        """Total for what deciders and settle produced, and for all that Kafka writes."""
        if isinstance(change, Record):
            if change.producer is None:
                self.replay_record(change.key, change.value)
            else:
                replay_pending(self, change.key, change.value, change.producer[0])
        elif isinstance(change, Marker):
            self.offsets.end_transaction(change.partition, change.producer_id, committed=change.committed)
        else:
            NOTES[type(change)](self, change)

    def replay_record(self, key: Any, value: Any) -> None:
        """A record that no transaction wrote: a load has a million of them and builds no Record for each."""
        replay = RECORDS.get(type(key))
        if replay is None:
            replay_foreign(self, key, value)
        else:
            replay(self, key, value)

    def partition_of(self, record: Record) -> int:
        key = record.key
        try:
            return self.partition_for(key.group)
        except AttributeError:  # a key of KIP-848 has the other name for it
            return self.partition_for(key.group_id)

    def refused(self, key: str, code: ErrorCode, now: Now) -> Result[Any]:
        """What was decided about this group cannot be written: answers who hung on it, but for the asker."""
        group = self.groups.get(key)
        return NOTHING if group is None else refuse_assignment(group, code, now)

    # Partitions.

    def serve(self, partitions: int) -> None:
        """`__consumer_offsets` has this many partitions; each has to be loaded."""
        assert not self.groups, "the number of partitions never changes"
        self.status = [PartitionStatus.LOADING] * partitions

    def loaded(self, partition: int, now: Now) -> None:
        """The partition was read to its end and is served from now on; its members get a full session.

        What it marks has to be settled by the caller.
        """
        self.status[partition] = PartitionStatus.ACTIVE
        for group in self.groups.values():
            if group.partition == partition:
                group.complete()
                self._start_sessions(group, now)

    def start_sessions(self, now: Now) -> None:
        """All members get a full session from now on."""
        for group in self.groups.values():
            self._start_sessions(group, now)

    def _start_sessions(self, group: Group, now: Now) -> None:
        if group.members:
            self.replay(SessionsStarted(group.group_id, now.steady_ms))

    def failed(self, partition: int) -> None:
        """A record of the partition cannot be read: its groups are not served."""
        self.status[partition] = PartitionStatus.FAILED

    def is_loading(self, partition: int) -> bool:
        return self.status[partition] is PartitionStatus.LOADING

    def partition_for(self, group_id: str) -> int:
        group = self.groups.get(group_id)
        if group is not None:
            return group.partition
        return 0 if len(self.status) == 1 else partition_of_group(group_id, len(self.status))

    def by_partition(self, group_ids: Iterable[str]) -> Steps[list[list[str]]]:
        """Return the groups partition by partition, in the order in which Kafka answers for several.

        A generator: it yields after each group, because the hash of a long name takes some time.
        """
        if not self.status:
            return [[*group_ids]]
        together: dict[int, list[str]] = {}
        for group_id in group_ids:
            together.setdefault(self.partition_for(group_id), []).append(group_id)
            yield 0
        return [together[partition] for partition in map_order(together, partition_hash)]

    # What deciders ask.

    def get(self, group_id: str) -> Group | None:
        return self.groups.get(group_id)

    def service_error(self, group_id: str) -> ErrorCode:
        """NONE where the group's partition is served."""
        if not self.status:
            return ErrorCode.NOT_COORDINATOR
        return _SERVICE_ERRORS[self.status[self.partition_for(group_id)]]

    def serving(self, group_id: str) -> Group | None:
        """The group, None if it is unknown. Raises as check_served. The one look-up of a commit."""
        group = self.groups.get(group_id)
        if group is None or self.status[group.partition] is not _ACTIVE:
            self.check_served(group_id)
        return group

    def check_served(self, group_id: str) -> None:
        """Raises NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS."""
        error = self.service_error(group_id)
        if error is not ErrorCode.NONE:
            raise KafkaError(error)
