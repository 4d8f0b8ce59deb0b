"""What brokers say of consumer groups, asked as Kafka's admin client asks: groups of the new protocol first,
what is none of these as classic ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.cli.client import CannotConnect, Client, Node, Refused, Spot
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import WireError

DESCRIBE: Final = "describeConsumerGroups"
LIST_OFFSETS_OF: Final = "listConsumerGroupOffsets"
CLASSIC: Final = "Classic"
CONSUMER: Final = "Consumer"
CLASSIC_MEMBER: Final = 0  # the member type of one that still speaks the classic protocol (KIP-1099)
NOT_OF_THE_NEW_PROTOCOL: Final = (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNSUPPORTED_VERSION)
OFFSETS_BY_NAME: Final = 9  # the last version of OffsetFetch and OffsetCommit that names topics


class NotAConsumerGroup(Exception):
    """A group of another protocol, such as Connect's; in the words of Kafka's admin client."""


@dataclass(slots=True)
class Member:
    """A member. target: None for one of a classic group; upgraded: whether it speaks the new protocol."""

    member_id: str
    instance_id: str | None
    client_id: str
    host: str
    assigned: list[Spot]
    epoch: int | None = None
    target: list[Spot] | None = None
    upgraded: bool | None = None


@dataclass(slots=True)
class Description:
    """A group. assignor: "" while there is none; epoch, target_epoch: None for a classic group."""

    group: str
    kind: str
    state: str
    assignor: str
    coordinator: Node
    members: list[Member] = field(default_factory=list)
    epoch: int | None = None
    target_epoch: int | None = None


@dataclass(slots=True)
class Committed:
    """leader_epoch: None where the commit named none."""

    offset: int
    leader_epoch: int | None
    metadata: str


def describe(client: Client, groups: Iterable[str]) -> dict[str, Description]:
    """Every group, in the order of their ids. Refused for the first that is unknown; NotAConsumerGroup."""
    return {group: describe_one(client, group) for group in sorted(set(groups))}


def describe_one(client: Client, group: str) -> Description:
    """Refused: GROUP_ID_NOT_FOUND and others. NotAConsumerGroup. Brokers before Kafka 4.0 call a group
    that they do not know Dead.
    """
    told = _of_the_new_protocol(client, group)
    if isinstance(told, Description):
        return told
    try:
        return _classic(client, group)
    except Refused as error:
        if error.code == ErrorCode.GROUP_ID_NOT_FOUND and told:
            raise Refused(error.code, told) from None
        raise


def _of_the_new_protocol(client: Client, group: str) -> Description | str | None:
    """What it is, or what the broker says that it is not: if it is no classic group either, that is told."""
    from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest

    request = ConsumerGroupDescribeRequest(group_ids=[group])
    try:
        answer = client.ask_coordinator(group, request, _group_error, call=DESCRIBE)
    except CannotConnect:  # a broker that does not know this protocol
        return None
    found = answer.groups[0]
    if found.error_code in NOT_OF_THE_NEW_PROTOCOL:
        message: str | None = found.error_message
        return message if found.error_code == ErrorCode.GROUP_ID_NOT_FOUND else None
    _check(found)
    members = [_new_member(member) for member in found.members]
    return Description(
        group, CONSUMER, found.group_state, found.assignor_name, client.coordinator(group), members,
        found.group_epoch, found.assignment_epoch,
    )  # fmt: skip


def _new_member(member: Any) -> Member:
    return Member(
        member.member_id, member.instance_id, member.client_id, member.client_host,
        _spots(member.assignment), member.member_epoch, _spots(member.target_assignment),
        None if member.member_type < 0 else member.member_type != CLASSIC_MEMBER,
    )  # fmt: skip


def _spots(assignment: Any) -> list[Spot]:
    return [Spot(part.topic_name, index) for part in assignment.topic_partitions for index in part.partitions]


def _classic(client: Client, group: str) -> Description:
    from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest

    request = DescribeGroupsRequest(groups=[group])
    answer = client.ask_coordinator(group, request, _group_error, call=DESCRIBE)
    found = answer.groups[0]
    _check(found)
    if found.protocol_type not in ("consumer", ""):
        raise NotAConsumerGroup(f"GroupId {group} is not a consumer group ({found.protocol_type}).")
    members = [
        Member(
            member.member_id, member.group_instance_id, member.client_id, member.client_host,
            _assigned(member.member_assignment),
        )
        for member in found.members
    ]  # fmt: skip
    return Description(
        group, CLASSIC, found.group_state, found.protocol_data, client.coordinator(group), members
    )


def _group_error(answer: Any) -> int:
    return int(answer.groups[0].error_code)


def _check(found: Any) -> None:
    if found.error_code:
        raise Refused(found.error_code, found.error_message)


def _assigned(data: bytes) -> list[Spot]:
    """The partitions in a classic member's assignment. Bytes that are no consumer's: none."""
    from tidemark_protocol.records.consumer_protocol_assignment import ConsumerProtocolAssignment

    if len(data) < 2:
        return []
    raw = bytes(data)
    version = min(int.from_bytes(raw[:2], "big"), ConsumerProtocolAssignment.HIGHEST)
    try:
        message, _ = ConsumerProtocolAssignment.DECODERS[version](raw, 2, len(raw))
    except WireError:
        return []
    return [Spot(part.topic, index) for part in message.assigned_partitions for index in part.partitions]


def committed(client: Client, group: str) -> dict[Spot, Committed]:
    """Every offset that the group has committed."""
    from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

    request = OffsetFetchRequest(
        group_id=group, topics=None, groups=[OffsetFetchRequestGroup(group_id=group, topics=None)]
    )
    answer = client.ask_coordinator(
        group, request, _fetch_error, at_most=OFFSETS_BY_NAME, call=LIST_OFFSETS_OF
    )
    code = _fetch_error(answer)
    if code:
        raise Refused(code)
    topics: Sequence[Any] = answer.groups[0].topics if answer.groups else answer.topics
    return {
        Spot(topic.name, told.partition_index): Committed(
            told.committed_offset,
            told.committed_leader_epoch if told.committed_leader_epoch >= 0 else None,
            told.metadata or "",
        )
        for topic in topics
        for told in topic.partitions
        if told.committed_offset >= 0 and not told.error_code
    }


def _fetch_error(answer: Any) -> int:
    """Before version 8 the answer is of one group."""
    return int(answer.groups[0].error_code if answer.groups else answer.error_code)
