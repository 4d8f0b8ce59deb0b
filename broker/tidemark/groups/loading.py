"""Replays the records of `__consumer_offsets` at a start: ten million commits in a few seconds.

Most records are commits of offsets that change nothing about their group. Only their values are stored. All
other records are replayed one by one, as while the broker runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import Marker, Record
from tidemark.groups.forgetting import name_topic
from tidemark.groups.offsets import NO_OFFSETS, OffsetsOfGroup, TopicPartition
from tidemark.groups.state import group_of
from tidemark_protocol.loading import CommitRow, OffsetCommits, decode_place, decode_text
from tidemark_protocol.records.offset_commit import OffsetCommitValue
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.groups.state import Groups
    from tidemark.metadata.state import Cluster

CACHED_MAX: Final = 65_536  # names of groups, and of partitions. The caches are then emptied

_UNKNOWN_MS: Final = 2**64  # later than every commit


class _Group:
    """A group since its last record that is no commit.

    offsets    its stored offsets
    oldest_ms  the earliest time of its commits. A later one changes nothing but its offset. _UNKNOWN_MS: the
               next commit must be replayed as any other record
    """

    __slots__ = ("group_id", "offsets", "oldest_ms")

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.offsets: OffsetsOfGroup = NO_OFFSETS
        self.oldest_ms = _UNKNOWN_MS


class GroupsReplay:
    """Replays the records of one partition of `__consumer_offsets`. Offsets get the ids of their topics."""

    __slots__ = ("_cluster", "_groups", "_known", "_names", "_partition", "_places")

    def __init__(self, groups: Groups, cluster: Cluster, partition: int) -> None:
        self._groups = groups
        self._cluster = cluster
        self._partition = partition
        self._known: dict[str, _Group] = {}
        # By their bytes. Different bytes may be the same text, where they are not UTF-8.
        self._names: dict[bytes, _Group] = {}
        self._places: dict[bytes, tuple[TopicPartition, int, bytes]] = {}

    def record(self, key: Any, value: Any, appended_ms: int) -> None:
        self._forget(key)
        name_topic(self._cluster, key, value, appended_ms)
        self._groups.replay_record(key, value)

    def pending(self, key: Any, value: Any, appended_ms: int, producer: tuple[int, int]) -> None:
        """Replay a record of a transaction. It counts once a marker commits it."""
        self._forget(key)
        name_topic(self._cluster, key, value, appended_ms)
        self._groups.replay(Record(key, value, producer))

    def marker(self, producer: tuple[int, int], *, committed: bool) -> None:
        self._groups.replay(Marker(self._partition, *producer, committed))

    def _forget(self, key: Any) -> None:
        known = self._known.get(group_of(key))
        if known is not None:
            known.oldest_ms = _UNKNOWN_MS

    def commits(self, found: OffsetCommits) -> None:
        """Replay offset commits that belong to no transaction."""
        names, places = self._names, self._places
        store = self._groups.offsets.store
        epoch_base, appended_ms = found.epoch_base, found.timestamp
        same_name, same_ms = None, 0
        for row in found.rows:
            name, place, offset, leader_epoch, metadata, commit_ms, topic_id = row
            if name != same_name:
                group = names.get(name) or self._group(name)
                same_name, oldest_ms, before_of = name, group.oldest_ms, group.offsets.get
            if commit_ms < oldest_ms:
                self._replay(group, found, row)
                oldest_ms, before_of = group.oldest_ms, group.offsets.get
                continue
            if commit_ms == same_ms:
                commit_ms = same_ms  # one object for all commits of a request
            else:
                same_ms = commit_ms
            tp, created_ms, named_id = places.get(place) or self._place(place)
            if not topic_id or topic_id == ZERO_UUID:  # as `name_topic` decides
                topic_id = named_id if created_ms <= appended_ms or created_ms <= commit_ms else ZERO_UUID
            text = decode_text(metadata) if metadata else ""
            before = before_of(tp)
            if before is not None and before.topic_id == topic_id:
                before.offset = offset
                before.leader_epoch = leader_epoch + epoch_base
                before.metadata = text
                before.commit_timestamp = commit_ms
                before.expire_timestamp = -1
            else:
                value = OffsetCommitValue(offset, leader_epoch + epoch_base, text, commit_ms, -1, topic_id)
                store(group.group_id, tp, value)

    def _replay(self, group: _Group, found: OffsetCommits, row: CommitRow) -> None:
        """Replay a commit that may change its group."""
        key, value = found.decode(row)
        self.record(key, value, found.timestamp)
        offsets = self._groups.offsets
        if not offsets.has_pending(group.group_id):  # a later commit overtakes them
            group.offsets = offsets.of(group.group_id)
            group.oldest_ms = value.commit_timestamp

    def _group(self, name: bytes) -> _Group:
        if len(self._names) >= CACHED_MAX:
            self._names.clear()
            self._known.clear()
        group_id = decode_text(name)
        group = self._known.get(group_id)
        if group is None:
            group = self._known[group_id] = _Group(group_id)
        self._names[name] = group
        return group

    def _place(self, data: bytes) -> tuple[TopicPartition, int, bytes]:
        """Return topic and partition, and the time from which on they belong to the topic with this id."""
        if len(self._places) >= CACHED_MAX:
            self._places.clear()
        tp = decode_place(data)
        topic = self._cluster.topics.get(tp[0])
        found = (tp, 0, ZERO_UUID) if topic is None else (tp, topic.created_ms, topic.topic_id)
        self._places[data] = found
        return found
