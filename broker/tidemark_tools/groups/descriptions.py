"""Descriptions of consumer groups, requested as Kafka's admin client does.

Every group is first described as one of the new protocol (KIP-848), and if it is none, as a classic group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import WireError
from tidemark_tools.client.client import OFFSETS_BY_NAME, Client, TopicPartition
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import (
    COORDINATOR_NOT_THERE,
    CannotConnect,
    ErrorResponse,
    Failed,
    check_results,
)
from tidemark_tools.client.membership import decode_assignment

CLASSIC: Final = "Classic"
CONSUMER: Final = "Consumer"
CLASSIC_MEMBER: Final = 0  # the type of a member that still uses the classic protocol (KIP-1099)
NOT_OF_THE_NEW_PROTOCOL: Final = (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNSUPPORTED_VERSION)
AT_ONCE: Final = 500  # groups in one request


class NotAConsumerGroup(Failed):
    """The group has another protocol type, such as Connect's. The message is that of Kafka's admin client."""


@dataclass(slots=True)
class Member:
    """A member. target: None in a classic group. upgraded: whether the member uses the new protocol."""

    member_id: str
    instance_id: str | None
    client_id: str
    host: str
    assigned: list[TopicPartition]
    epoch: int | None = None
    target: list[TopicPartition] | None = None
    upgraded: bool | None = None


@dataclass(slots=True)
class Description:
    """A group. assignor: "" if it has none. epoch, target_epoch: None for a classic group."""

    group: str
    kind: str
    state: str
    assignor: str
    coordinator: BrokerEndpoint
    members: list[Member] = field(default_factory=list)
    epoch: int | None = None
    target_epoch: int | None = None


@dataclass(slots=True)
class Committed:
    """A committed offset. leader_epoch: None if the commit had none."""

    offset: int
    leader_epoch: int | None
    metadata: str


def describe(client: Client, groups: Iterable[str]) -> dict[str, Description]:
    """Describe the groups, ordered by id.

    Raises ErrorResponse for the first unknown group, and NotAConsumerGroup. Brokers before Kafka 4.0 describe
    an unknown group as Dead.
    """
    from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
    from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest

    names = sorted(set(groups))
    new: dict[str, Any] = {}
    with suppress(CannotConnect):  # a broker does not serve the new protocol
        new = described(client, names, lambda some: ConsumerGroupDescribeRequest(group_ids=some))
    older = [name for name in names if name not in new or new[name].error_code in NOT_OF_THE_NEW_PROTOCOL]
    classic = described(client, older, lambda some: DescribeGroupsRequest(groups=some))
    return {
        name: _as_classic(client, classic[name], new.get(name))
        if name in classic
        else _as_new(client, new[name])
        for name in names
    }


def described(client: Client, groups: Sequence[str], about: Callable[[list[str]], Any]) -> dict[str, Any]:
    """Return the DescribedGroup of each group, which may have an error.

    Sends one request to each coordinator, and another for a group that has moved.
    """
    found: dict[str, Any] = {}
    for node, names in client.coordinators(groups).items():
        for start in range(0, len(names), AT_ONCE):
            response = client.call(about(names[start : start + AT_ONCE]), node)
            found |= {result.group_id: result for result in response.groups}
    for name, result in found.items():
        if result.error_code in COORDINATOR_NOT_THERE:
            client.forget_coordinator(name)
            found[name] = client.call_coordinator(
                name, about([name]), lambda response: response.groups[0].error_code
            ).groups[0]
    return found


def _as_new(client: Client, result: Any) -> Description:
    check_results([result])
    members = [
        Member(
            member.member_id, member.instance_id, member.client_id, member.client_host,
            _partitions_of(member.assignment), member.member_epoch, _partitions_of(member.target_assignment),
            None if member.member_type < 0 else member.member_type != CLASSIC_MEMBER,
        )
        for member in result.members
    ]  # fmt: skip
    node = client.coordinator(result.group_id)
    return Description(
        result.group_id, CONSUMER, result.group_state, result.assignor_name, node, members,
        result.group_epoch, result.assignment_epoch,
    )  # fmt: skip


def _partitions_of(assignment: Any) -> list[TopicPartition]:
    return [
        TopicPartition(part.topic_name, index)
        for part in assignment.topic_partitions
        for index in part.partitions
    ]


def _as_classic(client: Client, result: Any, new: Any) -> Description:
    """Convert the description of a classic group.

    new: its description as a group of the new protocol. Its error is raised if neither protocol knows it.
    """
    if new is not None and result.error_code == new.error_code == ErrorCode.GROUP_ID_NOT_FOUND:
        check_results([new])
    check_results([result])
    if result.protocol_type not in ("consumer", ""):
        raise NotAConsumerGroup(
            f"java.lang.IllegalArgumentException: GroupId {result.group_id} is not a consumer group "
            f"({result.protocol_type})."
        )
    members = [
        Member(
            member.member_id, member.group_instance_id, member.client_id, member.client_host,
            _assigned(member.member_assignment),
        )
        for member in result.members
    ]  # fmt: skip
    node = client.coordinator(result.group_id)
    return Description(result.group_id, CLASSIC, result.group_state, result.protocol_data, node, members)


def _assigned(data: bytes) -> list[TopicPartition]:
    """Return the partitions in a classic member's assignment; none if it is not a consumer's."""
    try:
        return decode_assignment(bytes(data))
    except WireError:
        return []


def committed(client: Client, group: str) -> dict[TopicPartition, Committed | None]:
    """Return the group's committed offsets. A negative one is None, as in Kafka's clients."""
    from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

    request = OffsetFetchRequest(
        group_id=group, topics=None, groups=[OffsetFetchRequestGroup(group_id=group, topics=None)]
    )
    response = client.call_coordinator(group, request, _fetch_error, max_version=OFFSETS_BY_NAME)
    code = _fetch_error(response)
    if code:
        raise ErrorResponse(code)
    topics: Sequence[Any] = response.groups[0].topics if response.groups else response.topics
    return {
        TopicPartition(topic.name, result.partition_index): None
        if result.committed_offset < 0
        else Committed(
            result.committed_offset,
            result.committed_leader_epoch if result.committed_leader_epoch >= 0 else None,
            result.metadata or "",
        )
        for topic in topics
        for result in topic.partitions
        if not result.error_code
    }


def _fetch_error(response: Any) -> int:
    """Return the group's error code; before version 8 the response is about one group."""
    return int(response.groups[0].error_code if response.groups else response.error_code)
