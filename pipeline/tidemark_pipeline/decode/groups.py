"""Decode records of groups: key versions 2 to 23, row by row, as the columns of schemas.GROUPS. They are few.

Tasks of streams groups (21 and 22) are not decoded. Kafka has no schema for key versions 9 and 18 any more:
only the name is decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tidemark_protocol.kafka_json import uuid_text
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.stored import COORDINATOR, RECORD_TYPES, decode_coordinator
from tidemark_protocol.subscriptions import CONSUMER, assigned_to, source_topics, subscribed_topics, topics_of

Row = dict[str, Any]

GROUP_KEYS: Final = range(2, 24)
SHARE_KEYS: Final = range(9, 16)
STREAMS_KEYS: Final = range(17, 24)

_CLASSIC: Final = GroupMetadataKey.API_KEY


def group_name(key: bytes) -> str:
    """Return the group name at the start of a key. Raises WireError if there is none."""
    name: str = GroupMetadataKey.DECODERS[0](key, 2, len(key))[0].group
    return name


def group_row(key: bytes, value: bytes | None) -> Row:
    """Return the fields of key and value; a missing column is null. Raises WireError."""
    version = int.from_bytes(key[:2], "big")
    row: Row = {
        "key_version": version,
        "record_type": RECORD_TYPES[version],
        "group_type": _group_type(version),
        "group": group_name(key),
        "key": key,
        "tombstone": value is None,
    }
    if version in COORDINATOR:
        decoded_key, decoded_value = decode_coordinator(key, value)
        row["member_id"] = getattr(decoded_key, "member_id", None)
        row["regular_expression"] = getattr(decoded_key, "regular_expression", None)
        if value is not None:
            row |= _VALUES[version](decoded_value)
    if value is not None and len(value) >= 2:
        row["value_version"] = int.from_bytes(value[:2], "big", signed=True)
    return row


def _group_type(key_version: int) -> str:
    if key_version == _CLASSIC:
        return "classic"
    if key_version in SHARE_KEYS:
        return "share"
    return "streams" if key_version in STREAMS_KEYS else "consumer"


def _classic_group(value: Any) -> Row:
    topics = subscribed_topics(value.protocol_type, (member.subscription for member in value.members))
    return {
        "protocol_type": value.protocol_type,
        "generation": value.generation,
        "protocol": value.protocol,
        "leader": value.leader,
        "state_timestamp_ms": _unless_absent(value.current_state_timestamp),
        "members": [_classic_member(each, value.protocol_type) for each in value.members],
        "subscribed_topics": None if topics is None else sorted(topics),
    }


def _unless_absent(number: int) -> int | None:
    return None if number == -1 else number


def _classic_member(member: Any, protocol_type: str) -> Row:
    is_consumer = protocol_type == CONSUMER
    return {
        "member_id": member.member_id,
        "group_instance_id": member.group_instance_id,
        "client_id": member.client_id,
        "client_host": member.client_host,
        "rebalance_timeout_ms": member.rebalance_timeout,
        "session_timeout_ms": member.session_timeout,
        "subscribed_topics": topics_of(member.subscription) if is_consumer else None,
        "assignment": _assigned(member.assignment) if is_consumer else None,
    }


def _assigned(assignment: bytes) -> list[Row] | None:
    assigned = assigned_to(assignment)
    if assigned is None:
        return None
    return [{"topic": each.topic, "partitions": each.partitions} for each in assigned]


def _member(value: Any) -> Row:
    return {
        "instance_id": value.instance_id,
        "client_id": value.client_id,
        "client_host": value.client_host,
        "subscribed_topics": value.subscribed_topic_names,
        "subscribed_regex": value.subscribed_topic_regex or None,
        "classic_member": value.classic_member_metadata is not None,
    }


def _share_member(value: Any) -> Row:
    return {
        "client_id": value.client_id,
        "client_host": value.client_host,
        "subscribed_topics": value.subscribed_topic_names,
    }


def _share_partitions(value: Any) -> Row:
    return {
        "initializing_topics": _named(value.initializing_topics),
        "initialized_topics": _named(value.initialized_topics),
        "deleting_topics": [
            {"topic_id": uuid_text(each.topic_id), "topic": each.topic_name, "partitions": None}
            for each in value.deleting_topics
        ],
    }


def _named(topics: Sequence[Any]) -> list[Row]:
    return [
        {"topic_id": uuid_text(each.topic_id), "topic": each.topic_name, "partitions": each.partitions}
        for each in topics
    ]


def _streams_member(value: Any) -> Row:
    return {
        "instance_id": value.instance_id,
        "client_id": value.client_id,
        "client_host": value.client_host,
    }


def _current_assignment(value: Any) -> Row:
    return {
        "epoch": value.member_epoch,
        "state": value.state,
        "assignment": _by_id(value.assigned_partitions),
        "pending_revocation": _by_id(value.partitions_pending_revocation),
    }


def _by_id(assigned: Sequence[Any]) -> list[Row]:
    return [{"topic": uuid_text(each.topic_id), "partitions": each.partitions} for each in assigned]


# Key version -> the columns of its value.
_VALUES: Final[Mapping[int, Callable[[Any], Row]]] = {
    2: _classic_group,
    3: lambda value: {"epoch": value.epoch},
    4: lambda value: {},
    5: _member,
    6: lambda value: {"epoch": value.assignment_epoch},
    7: lambda value: {"assignment": _by_id(value.topic_partitions)},
    8: _current_assignment,
    10: _share_member,
    11: lambda value: {"epoch": value.epoch},
    12: lambda value: {"epoch": value.assignment_epoch},
    13: lambda value: {"assignment": _by_id(value.topic_partitions)},
    14: lambda value: {
        "epoch": value.member_epoch,
        "state": value.state,
        "assignment": _by_id(value.assigned_partitions),
    },
    15: _share_partitions,
    16: lambda value: {"subscribed_topics": value.topics},
    17: lambda value: {
        "epoch": value.epoch,
        "validated_topology_epoch": value.validated_topology_epoch,
    },
    19: _streams_member,
    20: lambda value: {"epoch": value.assignment_epoch},
    21: lambda value: {},
    22: lambda value: {"epoch": value.member_epoch, "state": value.state},
    23: lambda value: {"epoch": value.epoch, "subscribed_topics": sorted(source_topics(value))},
}
