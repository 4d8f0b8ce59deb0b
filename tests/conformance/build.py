"""Build requests with few arguments.

Each function returns (api, version, fields), for `ask`, `do` or `send`.
"""

from __future__ import annotations

from typing import Any

Request = tuple[str, int, dict[str, Any]]


def join(
    group: str,
    member: str = "",
    *,
    instance: str | None = None,
    protocols: dict[str, str] | None = None,
    protocol_type: str = "consumer",
    session_ms: int = 30000,
    rebalance_ms: int = 30000,
    version: int = 9,
    reason: str | None = None,
) -> Request:
    """Build a JoinGroup. protocols: name to metadata in hex; `range` with empty metadata by default."""
    offered = {"range": ""} if protocols is None else protocols
    fields = {
        "GroupId": group,
        "SessionTimeoutMs": session_ms,
        "RebalanceTimeoutMs": rebalance_ms,
        "MemberId": member,
        "GroupInstanceId": instance,
        "ProtocolType": protocol_type,
        "Protocols": [{"Name": name, "Metadata": metadata} for name, metadata in offered.items()],
        "Reason": reason,
    }
    return "JoinGroup", version, fields


def sync(
    group: str,
    member: str,
    generation: int,
    assignments: dict[str, str] | None = None,
    *,
    instance: str | None = None,
    protocol_type: str | None = "consumer",
    protocol_name: str | None = "range",
    version: int = 5,
) -> Request:
    """Build a SyncGroup. assignments: member to assignment in hex."""
    given = [{"MemberId": to, "Assignment": what} for to, what in (assignments or {}).items()]
    fields = {
        "GroupId": group,
        "GenerationId": generation,
        "MemberId": member,
        "GroupInstanceId": instance,
        "ProtocolType": protocol_type,
        "ProtocolName": protocol_name,
        "Assignments": given,
    }
    return "SyncGroup", version, fields


def heartbeat(
    group: str, member: str, generation: int, *, instance: str | None = None, version: int = 4
) -> Request:
    fields = {
        "GroupId": group,
        "GenerationId": generation,
        "MemberId": member,
        "GroupInstanceId": instance,
    }
    return "Heartbeat", version, fields


def leave(group: str, *members: str | tuple[str, str | None], version: int = 5) -> Request:
    """Build a LeaveGroup. members: member ids, or (member id, instance id)."""
    if version < 3:
        (member,) = members
        return "LeaveGroup", version, {"GroupId": group, "MemberId": member}
    pairs = [member if isinstance(member, tuple) else (member, None) for member in members]
    given = [{"MemberId": member, "GroupInstanceId": instance, "Reason": None} for member, instance in pairs]
    return "LeaveGroup", version, {"GroupId": group, "Members": given}


def commit(
    group: str,
    offsets: dict[str, dict[int, int]],
    *,
    member: str = "",
    generation: int = -1,
    instance: str | None = None,
    metadata: str | None = "",
    leader_epoch: int = -1,
    retention_ms: int = -1,
    version: int = 9,
) -> Request:
    """Build an OffsetCommit. offsets: topic (its id since version 10) to partition to offset."""
    topics = []
    for topic, partitions in offsets.items():
        given = [
            {
                "PartitionIndex": index,
                "CommittedOffset": offset,
                "CommittedLeaderEpoch": leader_epoch,
                "CommittedMetadata": metadata,
            }
            for index, offset in partitions.items()
        ]
        topics.append({("TopicId" if version >= 10 else "Name"): topic, "Partitions": given})
    fields = {
        "GroupId": group,
        "GenerationIdOrMemberEpoch": generation,
        "MemberId": member,
        "GroupInstanceId": instance,
        "RetentionTimeMs": retention_ms,
        "Topics": topics,
    }
    return "OffsetCommit", version, fields


def fetch_offsets(group: str, wanted: dict[str, list[int]] | None = None, *, version: int = 9) -> Request:
    """Build an OffsetFetch. wanted: topic (its id since version 10) to partitions; None means all."""
    if version < 8:
        topics = None if wanted is None else [{"Name": t, "PartitionIndexes": p} for t, p in wanted.items()]
        return "OffsetFetch", version, {"GroupId": group, "Topics": topics}
    key = "TopicId" if version >= 10 else "Name"
    asked = None if wanted is None else [{key: t, "PartitionIndexes": p} for t, p in wanted.items()]
    return "OffsetFetch", version, {"Groups": [{"GroupId": group, "Topics": asked}]}


def delete_offsets(group: str, *topics: tuple[str, list[int]]) -> Request:
    """Build an OffsetDelete. Topics keep their order and are repeated if they are given twice."""
    asked = [
        {"Name": t, "Partitions": [{"PartitionIndex": p} for p in partitions]} for t, partitions in topics
    ]
    return "OffsetDelete", 0, {"GroupId": group, "Topics": asked}


def subscribed(*topics: str) -> dict[str, str]:
    """Return one protocol whose metadata is a Subscription v0 to these topics, without user data."""
    names = b"".join(len(name.encode()).to_bytes(2, "big") + name.encode() for name in topics)
    subscription = b"\0\0" + len(topics).to_bytes(4, "big") + names + b"\xff\xff\xff\xff"
    return {"range": subscription.hex()}
