"""Create groups of all kinds that Apache Kafka 4.3 has, with and without members, over a plain connection.

A cleanup pass deletes an empty group without offsets, so each group without members has committed one.
"""

from __future__ import annotations

import uuid
from typing import Any, Final

from tests.pipeline import kafka_story as story
from tests.wire import Connection
from tidemark_protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from tidemark_protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    Topology,
)

LEAVE: Final = -1  # a member epoch
MEMBERS_COMMIT: Final = 9  # the first version of OffsetCommit for members of the newer protocols
OF_EACH_TYPE: Final = 28  # every third one is left by its member
TRANSACTIONS: Final = 24  # committed, aborted, open, each in a group of its own


def tell(kafka: Connection) -> None:
    """Create the groups: classic, consumer, streams and share ones, and some with transactions."""
    for number in range(OF_EACH_TYPE):
        for kind, join in (("classic", _classic), ("consumer", _consumer), ("streams", streams)):
            group = f"{kind}-{number}"
            member = join(kafka, group)
            commit(kafka, group, member, {number % 6: 1000 + number})
            if number % 3 == 0:
                leave(kafka, kind, group, member)
        group = f"share-{number}"
        member = share(kafka, group)
        if number % 3 == 0:
            leave(kafka, "share", group, member)
    for number in range(TRANSACTIONS):
        outcome = (True, False, None)[number % 3]
        story.in_transaction(
            kafka, f"of-{number}", f"transaction-{number}", {number % 6: number}, commits=outcome
        )


Member = tuple[str, int]  # member id, and its generation or epoch


def commit(
    kafka: Connection, group: str, member: Member, offsets: dict[int, int], topic: str = "orders"
) -> None:
    """Commit as this member."""
    story.until_ready(lambda: committing(kafka, group, member, offsets, topic))


def committing(
    kafka: Connection, group: str, member: Member, offsets: dict[int, int], topic: str = "orders"
) -> Any:
    """Commit as this member. Return the result of the first partition."""
    partitions = [OffsetCommitRequestPartition(partition, offset) for partition, offset in offsets.items()]
    topics = [OffsetCommitRequestTopic(topic, partitions=partitions)]
    asked = OffsetCommitRequest(group, member[1], member[0], topics=topics)
    return kafka.ask("OffsetCommit", MEMBERS_COMMIT, asked).topics[0].partitions[0]


def leave(kafka: Connection, kind: str, group: str, member: Member) -> None:
    match kind:
        case "classic":
            response = kafka.ask(
                "LeaveGroup", 3, LeaveGroupRequest(group, members=[MemberIdentity(member[0])])
            )
        case "consumer":
            response = _heartbeat(kafka, "Consumer", ConsumerGroupHeartbeatRequest(group, member[0], LEAVE))
        case "streams":
            response = _heartbeat(kafka, "Streams", StreamsGroupHeartbeatRequest(group, member[0], LEAVE))
        case _:
            response = _heartbeat(kafka, "Share", ShareGroupHeartbeatRequest(group, member[0], LEAVE))
    assert response.error_code == 0, response


def _classic(kafka: Connection, group: str) -> Member:
    return story.join_classic(kafka, group), 1


def _consumer(kafka: Connection, group: str) -> Member:
    member_id = str(uuid.uuid4())
    join = ConsumerGroupHeartbeatRequest(
        group,
        member_id,
        0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["orders"],
        topic_partitions=[],
    )
    return member_id, _heartbeat(kafka, "Consumer", join).member_epoch


def streams(kafka: Connection, group: str) -> Member:
    """Join a streams group (KIP-1071) whose topology reads `orders`."""
    member_id = str(uuid.uuid4())
    join = StreamsGroupHeartbeatRequest(
        group,
        member_id,
        rebalance_timeout_ms=60_000,
        topology=Topology(0, [Subtopology("0", source_topics=["orders"])]),
        active_tasks=[],
        standby_tasks=[],
        warmup_tasks=[],
        process_id=member_id,
        client_tags=[],
    )
    return member_id, _heartbeat(kafka, "Streams", join).member_epoch


def share(kafka: Connection, group: str) -> Member:
    """Join a share group (KIP-932)."""
    member_id = str(uuid.uuid4())
    join = ShareGroupHeartbeatRequest(group, member_id, subscribed_topic_names=["orders"])
    return member_id, _heartbeat(kafka, "Share", join).member_epoch


def _heartbeat(kafka: Connection, kind: str, asked: Any) -> Any:
    version = 1 if kind == "Share" else 0
    return story.until_ready(lambda: kafka.ask(f"{kind}GroupHeartbeat", version, asked))
