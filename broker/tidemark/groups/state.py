"""Groups: the state machine of all groups. Its log is `__consumer_offsets`.

Each group lives in one partition of the log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidemark.core.context import Now
from tidemark.core.partition_status import PartitionStatus
from tidemark.core.result import NOTHING, Marker, Record, Result
from tidemark.groups.replay import replay_classic_group, replay_offset_commit, replay_pending_offset
from tidemark.groups.store import GroupStore, group_of
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey

RECORDS: Final[dict[type[Any], Callable[[Any, Any, Any], None]]] = {
    OffsetCommitKey: replay_offset_commit,
    GroupMetadataKey: replay_classic_group,
}
# By the name of the key's class. They begin empty: `_import_rare` fills them when a group first needs them.
RARE_RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {}


def _import_rare() -> None:
    """Import the replay of protocols that many brokers never see. They cost memory and time of a start."""
    from tidemark.groups import unread_replay
    from tidemark.groups.consumer import replay as consumer
    from tidemark.groups.streams import replay as streams

    RARE_RECORDS.update(consumer.RECORDS)
    RARE_RECORDS.update(streams.RECORDS)
    RARE_RECORDS.update(unread_replay.RECORDS)


class Groups(GroupStore):
    """The state of all groups. `serve`, `replay` and `loaded` fill it."""

    def replay(self, change: Record | Marker) -> None:
        """Apply a change. Accepts every change of deciders and settle, and every record that Kafka writes."""
        if isinstance(change, Record):
            key = change.key
            if change.producer is None:
                replay = RECORDS.get(type(key))
                if replay is None:
                    self.replay_record(key, change.value)
                else:
                    replay(self, key, change.value)
            else:
                self.replay_pending(key, change.value, change.producer)
        else:
            assert isinstance(change, Marker), change
            self.offsets.end_transaction(change.partition, change.producer_id, committed=change.committed)

    def replay_record(self, key: Any, value: Any) -> None:
        """Replay a record outside of a transaction. A load has a million, and builds no Record for each."""
        replay = RECORDS.get(type(key))
        if replay is None:
            if not RARE_RECORDS:
                _import_rare()
            replay = RARE_RECORDS[type(key).__name__]
        replay(self, key, value)

    def replay_pending(self, key: Any, value: Any, producer: tuple[int, int]) -> None:
        """Replay a record of a transaction that is still open: an offset that a marker decides about.

        Kafka's transactions write nothing else; any other record counts at once.
        """
        if isinstance(key, OffsetCommitKey) and value is not None:
            replay_pending_offset(self, key, value, producer)
        else:
            self.replay_record(key, value)

    def partition_of(self, record: Record) -> int:
        key = record.key
        group = self.groups.get(key.group) if type(key) is OffsetCommitKey else None
        return self.partition_for(group_of(key)) if group is None else group.partition

    def refused(self, key: str, code: ErrorCode, now: Now) -> Result[Any]:
        """Respond to parked requests that wait for a decision about this group that cannot be written."""
        group = self.groups.get(key)
        return NOTHING if group is None else group.unwritten(code, now)

    def loaded(self, partition: int, now: Now) -> None:
        """Serve a partition that was read to its end. Its members get a full session.

        The caller must settle the groups that this marks.
        """
        self.status[partition] = PartitionStatus.ACTIVE
        while self.offsets.is_ending():
            self.offsets.end_some()
        for group in self.groups.values():
            if group.partition == partition:
                group.complete()
                group.start_sessions(now)

    def start_sessions(self, now: Now) -> None:
        """Give all members a full session from now on."""
        for group in self.groups.values():
            group.start_sessions(now)
