"""Replay of records of share groups and of unknown types. Only their keys are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidemark.groups.group import Group
from tidemark.groups.share import model as share
from tidemark.groups.store import GroupStore
from tidemark.groups.unread import UnreadGroup
from tidemark_protocol.loading import OtherRecordKey

_TYPES: Final[dict[int, type[UnreadGroup]]] = dict.fromkeys(share.RECORD_TYPES, share.ShareGroup)
# StreamsGroupPartitionMetadata of Kafka 4.0. Later releases skip it.
_SKIPPED: Final = 18


def _replay_other(groups: GroupStore, key: OtherRecordKey, value: bytes | None) -> None:
    """Create the group with its first key, and delete it with its last. A group of another type stays."""
    if key.record_type == _SKIPPED:
        return
    known = groups.of_type(UnreadGroup, key.group_id)
    if known is not None:
        (known.keys.discard if value is None else known.keys.add)(key.data)
        if not known.keys:
            del groups.groups[key.group_id]
    elif value is not None and _may_be_replaced(groups.groups.get(key.group_id)):
        group = _TYPES.get(key.record_type, UnreadGroup)(
            key.group_id, groups.partition_for(key.group_id), None
        )
        group.protocol_type = group.type_name
        group.keys.add(key.data)
        groups.groups[key.group_id] = group


def _may_be_replaced(group: Group | None) -> bool:
    return group is None or group.is_placeholder


RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {"OtherRecordKey": _replay_other}
