"""Build requests about share groups (KIP-932), like build.py.

Members and share coordinators name topics by id, and admins by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.conformance.build import Request

GAP, ACCEPT, RELEASE, REJECT, RENEW = range(5)  # types of acknowledgements
AVAILABLE, ACQUIRED, ACKNOWLEDGED, ARCHIVING, ARCHIVED = range(5)  # delivery states of records
SHARE: Final = 2  # key type of FindCoordinator

# A batch of acknowledgements: first and last offset, and one type for all of them or one for each.
Acks = Sequence[tuple[int, int, int | Sequence[int]]]
# Topic id to partitions, or to acknowledgements by partition.
Wanted = Mapping[str, Mapping[int, Acks] | Sequence[int]]


def share_heartbeat(
    group: str,
    member: str,
    epoch: int,
    topics: Sequence[str] | None = None,
    *,
    rack: str | None = None,
    version: int = 1,
) -> Request:
    fields = {
        "GroupId": group,
        "MemberId": member,
        "MemberEpoch": epoch,
        "RackId": rack,
        "SubscribedTopicNames": None if topics is None else list(topics),
    }
    return "ShareGroupHeartbeat", version, fields


def describe_share(*groups: str, operations: bool = False, version: int = 1) -> Request:
    return (
        "ShareGroupDescribe",
        version,
        {"GroupIds": list(groups), "IncludeAuthorizedOperations": operations},
    )


def share_fetch(
    group: str | None,
    member: str | None,
    epoch: int,
    wanted: Wanted | None = None,
    *,
    forgotten: Mapping[str, Sequence[int]] | None = None,
    max_wait_ms: int = 0,
    min_bytes: int = 0,
    max_bytes: int = 1 << 25,
    max_records: int = 500,
    batch_size: int = 500,
    version: int = 1,
    mode: int = 0,
    renew: bool = False,
) -> Request:
    """Build a ShareFetch. mode, renew: ShareAcquireMode and IsRenewAck of version 2."""
    fields: dict[str, Any] = {
        "GroupId": group,
        "MemberId": member,
        "ShareSessionEpoch": epoch,
        "MaxWaitMs": max_wait_ms,
        "MinBytes": min_bytes,
        "MaxBytes": max_bytes,
        "MaxRecords": max_records,
        "BatchSize": batch_size,
        "Topics": _topics(wanted or {}),
        "ForgottenTopicsData": [
            {"TopicId": topic_id, "Partitions": list(partitions)}
            for topic_id, partitions in (forgotten or {}).items()
        ],
    }
    if version >= 2:
        fields |= {"ShareAcquireMode": mode, "IsRenewAck": renew}
    return "ShareFetch", version, fields


def share_acknowledge(
    group: str | None,
    member: str | None,
    epoch: int,
    wanted: Wanted | None = None,
    *,
    version: int = 1,
    renew: bool = False,
) -> Request:
    """Build a ShareAcknowledge. renew: IsRenewAck of version 2."""
    fields: dict[str, Any] = {
        "GroupId": group,
        "MemberId": member,
        "ShareSessionEpoch": epoch,
        "Topics": _topics(wanted or {}),
    }
    if version >= 2:
        fields["IsRenewAck"] = renew
    return "ShareAcknowledge", version, fields


def _topics(wanted: Wanted) -> list[dict[str, Any]]:
    topics = []
    for topic_id, given in wanted.items():
        partitions = given if isinstance(given, Mapping) else dict.fromkeys(given, ())
        topics.append(
            {
                "TopicId": topic_id,
                "Partitions": [
                    {"PartitionIndex": index, "AcknowledgementBatches": [_batch(*one) for one in acks]}
                    for index, acks in partitions.items()
                ],
            }
        )
    return topics


def _batch(first: int, last: int, types: int | Sequence[int]) -> dict[str, Any]:
    given = [types] if isinstance(types, int) else list(types)
    return {"FirstOffset": first, "LastOffset": last, "AcknowledgeTypes": given}


def describe_share_offsets(
    *groups: tuple[str, Mapping[str, Sequence[int]] | None], version: int = 1
) -> Request:
    """Build a DescribeShareGroupOffsets. groups: a group id, and partitions by topic name; None means all."""
    asked = [
        {
            "GroupId": group,
            "Topics": None
            if topics is None
            else [{"TopicName": topic, "Partitions": list(p)} for topic, p in topics.items()],
        }
        for group, topics in groups
    ]
    return "DescribeShareGroupOffsets", version, {"Groups": asked}


def alter_share_offsets(group: str, offsets: Mapping[str, Mapping[int, int]]) -> Request:
    topics = [
        {
            "TopicName": topic,
            "Partitions": [{"PartitionIndex": index, "StartOffset": to} for index, to in partitions.items()],
        }
        for topic, partitions in offsets.items()
    ]
    return "AlterShareGroupOffsets", 0, {"GroupId": group, "Topics": topics}


def delete_share_offsets(group: str, *topics: str) -> Request:
    return (
        "DeleteShareGroupOffsets",
        0,
        {"GroupId": group, "Topics": [{"TopicName": topic} for topic in topics]},
    )


def share_state(
    api: str, group: str, partitions: Mapping[str, Mapping[int, Mapping[str, Any]]], *, version: int = 0
) -> Request:
    """Build a request to the share coordinator: Initialize, Read, Write, Delete or ReadSummary.

    partitions: topic id to partition to its fields
    """
    name = {"ReadSummary": "ReadShareGroupStateSummary"}.get(api, f"{api}ShareGroupState")
    topics = [
        {
            "TopicId": topic_id,
            "Partitions": [{"Partition": index, **fields} for index, fields in given.items()],
        }
        for topic_id, given in partitions.items()
    ]
    return name, version, {"GroupId": group, "Topics": topics}
