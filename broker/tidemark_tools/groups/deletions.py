"""`--delete` and `--delete-offsets` (KIP-496): the requests and the output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import BrokerEndpoint, TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import COORDINATOR_NOT_THERE, ClientError, ErrorResponse, error_code
from tidemark_tools.columns import padded, width
from tidemark_tools.groups import topic_arguments
from tidemark_tools.java import error_text, java_text

WHOLE_TOPIC: Final = -1  # means a topic without known partitions
PARTITION_ERRORS: Final = frozenset((
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
))  # fmt: skip
GROUP_ERRORS: Final = frozenset((
    ErrorCode.INVALID_GROUP_ID, ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.NON_EMPTY_GROUP,
))  # fmt: skip


def delete_groups(client: Client, groups: Iterable[str]) -> dict[str, str]:
    """Delete groups. Return the error of each as Java prints it, "" if it was deleted. Raises Unreachable."""
    names = list(dict.fromkeys(groups))
    try:
        coordinators = client.coordinators(names)
    except ErrorResponse as error:
        return dict.fromkeys(names, java_text(error))
    found = dict.fromkeys(names, "")
    for node, part in coordinators.items():
        found |= _delete_groups(client, node, part)
    return found


def _delete_groups(client: Client, node: BrokerEndpoint, groups: list[str]) -> dict[str, str]:
    """Delete the groups of one coordinator together; repeat one by one for groups that have moved."""
    from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest

    try:
        results = client.call(DeleteGroupsRequest(groups_names=groups), node).results
        codes = {result.group_id: result.error_code for result in results}
        for group in [group for group, code in codes.items() if code in COORDINATOR_NOT_THERE]:
            client.forget_coordinator(group)
            request = DeleteGroupsRequest(groups_names=[group])
            codes[group] = _delete_error(client.call_coordinator(group, request, _delete_error))
    except ClientError as error:
        return dict.fromkeys(groups, java_text(error))
    return {group: error_text(error_code(code)) if code else "" for group, code in codes.items()}


def _delete_error(response: Any) -> int:
    return int(response.results[0].error_code)


def print_deleted(results: Mapping[str, str]) -> None:
    failed = {group: error for group, error in results.items() if error}
    done = ", ".join(f"'{group}'" for group, error in results.items() if not error)
    if not failed:
        print(f"Deletion of requested consumer groups ({done}) was successful.")
        return
    print("\nError: Deletion of some consumer groups failed:")
    for group, error in failed.items():
        print(f"* Group '{group}' could not be deleted due to: {error}")
    if done:
        print(f"\nThese consumer groups were deleted successfully: {done}")


class Deleted(NamedTuple):
    """The result of `--delete-offsets`.

    error: the top-level error, or the first of a partition. statuses: the error of each partition as Java
    prints it, "" for none. A topic without known partitions has one entry for WHOLE_TOPIC.
    """

    error: ErrorCode
    statuses: dict[TopicPartition, str]


def delete_offsets(client: Client, group: str, topics: Sequence[str]) -> Deleted:
    """Delete the group's offsets of these topics, each `t` or `t:0,1`.

    Raises UsageError if a partition is no number, and Unreachable.
    """
    partitions, whole = topic_arguments.read(topics)
    expanded, wrong = topic_arguments.partitions_of(client, whole)
    partitions = list(dict.fromkeys(partitions + expanded))
    unknown = {TopicPartition(topic, WHOLE_TOPIC): error_text(code) for topic, code in wrong.items()}
    deleted = _delete_offsets(client, group, partitions)
    return Deleted(deleted.error, unknown | deleted.statuses)


def _delete_offsets(client: Client, group: str, partitions: Sequence[TopicPartition]) -> Deleted:
    from tidemark_protocol.messages.offset_delete import (
        OffsetDeleteRequest,
        OffsetDeleteRequestPartition,
        OffsetDeleteRequestTopic,
    )

    by_topic: dict[str, list[OffsetDeleteRequestPartition]] = {}
    for partition in partitions:
        by_topic.setdefault(partition.topic, []).append(OffsetDeleteRequestPartition(partition.partition))
    request = OffsetDeleteRequest(group, [OffsetDeleteRequestTopic(*item) for item in by_topic.items()])
    response = client.call_coordinator(group, request, _top_level_error)
    whole = error_code(response.error_code)
    if whole:
        return Deleted(whole, dict.fromkeys(partitions, error_text(whole)))
    result = {
        TopicPartition(topic.name, each.partition_index): error_code(each.error_code)
        for topic in response.topics
        for each in topic.partitions
    }
    first = next((code for code in result.values() if code), ErrorCode.NONE)
    return Deleted(first, {partition: error_text(code) if code else "" for partition, code in result.items()})


def _top_level_error(response: Any) -> int:
    return int(response.error_code)


def print_deleted_offsets(group: str, deleted: Deleted) -> None:
    if not deleted.error:
        print(f"Request succeeded for deleting offsets from group {group}.")
    elif deleted.error in PARTITION_ERRORS:
        print("\nError: Encountered some partition-level error, see the follow-up details.")
    elif deleted.error in GROUP_ERRORS:
        print(f"\nError: {deleted.error.text}")
    else:
        print(f"\nError: Encountered some unknown error: {deleted.error.name}")
    wide = width(15, (partition.topic for partition in deleted.statuses))
    print(f"\n{'TOPIC':<{wide}} {'PARTITION':<10} {'STATUS':<15}")
    for partition, error in sorted(deleted.statuses.items()):
        index = "-" if partition.partition == WHOLE_TOPIC else partition.partition
        status = f"Error: {error}" if error else "Successful"
        print(f"{padded(partition.topic, wide)} {index!s:<10} {status:<15}")
