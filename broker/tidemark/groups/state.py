"""Groups: the state machine of all groups. Its log is `__consumer_offsets`.

Each group lives in one partition of the log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from tidemark.core.apply import PartitionStatus
from tidemark.core.context import Now
from tidemark.core.decision import NOTHING, Decision, Marker, Record
from tidemark.groups.classic.joining import ClassicGroup
from tidemark.groups.classic.model import ClassicModel, load
from tidemark.groups.group import DUE_UNKNOWN
from tidemark.groups.offsets import overtake
from tidemark.groups.store import GroupStore, group_of
from tidemark_expiry.rules import due_bound_ms
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue


def replay_offset_commit(groups: GroupStore, key: OffsetCommitKey, value: OffsetCommitValue | None) -> None:
    """Store or delete an offset. An unknown group becomes a simple group."""
    if value is None:
        groups.offsets.forget(key)
        return
    group = groups.groups.get(key.group)
    if group is None:
        partition = groups.partition_for(key.group)
        group = ClassicGroup(key.group, partition, value.commit_timestamp, store=groups)
        groups.groups[key.group] = group
        if groups.offsets.of(key.group):  # a tombstone of the group has left them
            group.due_bound_ms = DUE_UNKNOWN
    empty_since_ms = group.state_since_ms
    if empty_since_ms is not None and (group.protocol_type is None or not group.is_empty):
        empty_since_ms = None
    due_ms = due_bound_ms(
        value.commit_timestamp, value.expire_timestamp, empty_since_ms, groups.settings.offsets_retention_ms
    )
    if due_ms < group.due_bound_ms:
        group.due_bound_ms = due_ms
    offsets, tp = groups.offsets, (key.topic, key.partition)
    offsets.store(key.group, tp, value)
    if offsets.undecided:
        overtake(offsets.undecided.get(key.group, {}).get(tp))


def replay_classic_group(groups: GroupStore, key: GroupMetadataKey, value: GroupMetadataValue | None) -> None:
    """Create or delete a classic group.

    While the broker runs, the decision also has the changes that make the group what its record says
    (`Decision.after`).
    """
    if value is None:
        groups.groups.pop(key.group, None)
        groups.deadlines.set(key.group, None)
        return
    group = groups.groups.get(key.group)
    if group is not None and not groups.is_loading(group.partition):
        cast(ClassicModel, group).stored = value
        return
    loaded = ClassicGroup(key.group, groups.partition_for(key.group), None, store=groups)
    load(loaded, value)
    if group is not None:
        loaded.due_bound_ms = group.due_bound_ms
    elif groups.offsets.of(key.group):  # a tombstone of the group has left them
        loaded.due_bound_ms = DUE_UNKNOWN
    if loaded.state_since_ms is not None:
        emptied_due_ms = loaded.state_since_ms + groups.settings.offsets_retention_ms
        loaded.due_bound_ms = min(loaded.due_bound_ms, emptied_due_ms)
    groups.groups[key.group] = loaded


def replay_pending_offset(
    groups: GroupStore, key: OffsetCommitKey, value: OffsetCommitValue, producer: tuple[int, int]
) -> None:
    """Keep an offset of an open transaction. Creates its group if it is unknown.

    Such a record does not name the topic id. Here it is added, as `name_topic` does at a load.
    """
    group = groups.groups.get(key.group)
    if group is None:
        partition = groups.partition_for(key.group)
        group = ClassicGroup(key.group, partition, value.commit_timestamp, store=groups)
        groups.groups[key.group] = group
    group.due_bound_ms = DUE_UNKNOWN
    if groups.cluster is not None and not groups.is_loading(group.partition):
        topic = groups.cluster.topics.get(key.topic)
        if topic is not None:
            value.topic_id = topic.topic_id
    groups.offsets.put_pending(group.partition, producer, key, value)


RECORDS: Final[dict[type[Any], Callable[[Any, Any, Any], None]]] = {
    OffsetCommitKey: replay_offset_commit,
    GroupMetadataKey: replay_classic_group,
}
# By the name of the key's class. They begin empty: `_import_rare` fills them when a group first needs them.
RARE_RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {}


def _import_rare() -> None:
    """Import the replay of protocols that many brokers never see. They cost memory and time of a start."""
    from tidemark.groups import streams, unread
    from tidemark.groups.consumer import replay

    for records in (replay.RECORDS, streams.RECORDS, unread.RECORDS):
        RARE_RECORDS.update(records)


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

    def refused(self, key: str, code: ErrorCode, now: Now) -> Decision[Any]:
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
