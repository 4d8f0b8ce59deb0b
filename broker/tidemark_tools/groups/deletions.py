"""`--delete` and `--delete-offsets` (KIP-496): the partitions that are named, the requests and the output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client, TopicPartition, by_topic
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import COORDINATOR_NOT_THERE, ClientError, ErrorResponse, error_code
from tidemark_tools.java import error_text, java_text, padded, width
from tidemark_tools.options import UsageError

_JAVA_INT: Final = re.compile(r"[+-]?\d+", re.ASCII)
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
        try:
            codes = _deleted(client, node, part)
        except ClientError as error:
            found |= dict.fromkeys(part, java_text(error))
        else:
            found |= {group: error_text(error_code(code)) if code else "" for group, code in codes.items()}
    return found


def _deleted(client: Client, node: BrokerEndpoint, groups: list[str]) -> dict[str, int]:
    """Delete the groups of one coordinator together; repeat one by one for groups that have moved."""
    from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest

    results = client.call(DeleteGroupsRequest(groups_names=groups), node).results
    codes: dict[str, int] = {result.group_id: result.error_code for result in results}
    for group in [group for group, code in codes.items() if code in COORDINATOR_NOT_THERE]:
        client.forget_coordinator(group)
        request = DeleteGroupsRequest(groups_names=[group])
        response = client.call_coordinator(group, request, lambda response: response.results[0].error_code)
        codes[group] = response.results[0].error_code
    return codes


def print_deleted(results: Mapping[str, str], kind: str = "consumer") -> None:
    failed = {group: error for group, error in results.items() if error}
    done = ", ".join(f"'{group}'" for group, error in results.items() if not error)
    if not failed:
        print(f"Deletion of requested {kind} groups ({done}) was successful.")
        return
    print(f"\nError: Deletion of some {kind} groups failed:")
    for group, error in failed.items():
        print(f"* Group '{group}' could not be deleted due to: {error}")
    if done:
        print(f"\nThese {kind} groups were deleted successfully: {done}")


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
    from tidemark_protocol.messages import offset_delete as api

    partitions, whole = named_partitions(topics)
    expanded, wrong = partitions_of(client, whole)
    partitions = list(dict.fromkeys(partitions + expanded))
    statuses = {TopicPartition(topic, WHOLE_TOPIC): error_text(code) for topic, code in wrong.items()}
    wanted = [
        api.OffsetDeleteRequestTopic(name, [api.OffsetDeleteRequestPartition(at.partition) for at in some])
        for name, some in by_topic(partitions).items()
    ]
    request = api.OffsetDeleteRequest(group, wanted)
    response = client.call_coordinator(group, request, lambda response: response.error_code)
    error = error_code(response.error_code)
    if error:
        return Deleted(error, statuses | dict.fromkeys(partitions, error_text(error)))
    for topic in response.topics:
        for each in topic.partitions:
            code = error_code(each.error_code)
            error = error or code
            status = error_text(code) if code else ""
            statuses[TopicPartition(topic.name, each.partition_index)] = status
    return Deleted(error, statuses)


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


def named_partitions(arguments: Iterable[str]) -> tuple[list[TopicPartition], list[str]]:
    """Return the partitions that `--topic t:0,1` names, and the topics of `--topic t`. Raises UsageError."""
    partitions: list[TopicPartition] = []
    whole: list[str] = []
    for argument in arguments:
        topic, colon, indexes = argument.partition(":")
        if not colon:
            whole.append(topic)
        elif not indexes or ":" in indexes:
            raise UsageError(f"Invalid topic arg '{argument}', expected topic name and partitions")
        else:
            for index in indexes.split(","):
                if not _JAVA_INT.fullmatch(index):
                    raise UsageError(f"Invalid partition '{index}' specified in topic arg '{argument}''")
                partitions.append(TopicPartition(topic, int(index)))
    return partitions, list(dict.fromkeys(whole))


def partitions_of(client: Client, topics: Iterable[str]) -> tuple[list[TopicPartition], dict[str, ErrorCode]]:
    """Return all partitions of these topics, and the error of each topic that has one."""
    names = list(topics)
    if not names:
        return [], {}
    response = client.metadata(names)
    partitions = [
        TopicPartition(topic.name, partition.partition_index)
        for topic in response.topics
        for partition in topic.partitions
    ]
    return sorted(partitions), {t.name: error_code(t.error_code) for t in response.topics if t.error_code}
