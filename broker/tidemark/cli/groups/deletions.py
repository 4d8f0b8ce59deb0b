"""`--delete` and `--delete-offsets` (KIP-496): what goes, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tidemark.cli.columns import padded, width
from tidemark.cli.groups import topic_arguments
from tidemark.cli.java import error_text, java_text
from tidemark.client.client import (
    COORDINATOR_NOT_THERE,
    Client,
    ClientError,
    Node,
    Refused,
    Spot,
    error_code,
)
from tidemark_protocol.errors import ErrorCode

WHOLE_TOPIC: Final = -1  # a topic of which no partition is known
PARTITION_ERRORS: Final = frozenset((
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
))  # fmt: skip
GROUP_ERRORS: Final = frozenset((
    ErrorCode.INVALID_GROUP_ID, ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.NON_EMPTY_GROUP,
))  # fmt: skip


def delete_groups(client: Client, groups: Iterable[str]) -> dict[str, str]:
    """What is wrong with each group, as Java prints it; "" for those that are gone. Raises Unreachable."""
    names = list(dict.fromkeys(groups))
    try:
        coordinators = client.coordinators(names)
    except Refused as error:
        return dict.fromkeys(names, java_text(error))
    found = dict.fromkeys(names, "")
    for node, part in coordinators.items():
        found |= _delete_groups(client, node, part)
    return found


def _delete_groups(client: Client, node: Node, groups: list[str]) -> dict[str, str]:
    """Those of one coordinator together, and again alone what it does not coordinate any more."""
    from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest

    try:
        results = client.ask(DeleteGroupsRequest(groups_names=groups), node).results
        codes = {told.group_id: told.error_code for told in results}
        for group in [group for group, code in codes.items() if code in COORDINATOR_NOT_THERE]:
            client.forget_coordinator(group)
            request = DeleteGroupsRequest(groups_names=[group])
            codes[group] = _delete_error(client.ask_coordinator(group, request, _delete_error))
    except ClientError as error:
        return dict.fromkeys(groups, java_text(error))
    return {group: error_text(error_code(code)) if code else "" for group, code in codes.items()}


def _delete_error(answer: Any) -> int:
    return int(answer.results[0].error_code)


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
    """error: of the whole, or of the first partition that has one. statuses: of each partition, and of topics
    of which none is known, what is wrong as Java prints it; "" for nothing.
    """

    error: ErrorCode
    statuses: dict[Spot, str]


def delete_offsets(client: Client, group: str, topics: Sequence[str]) -> Deleted:
    """topics: as `t` or `t:0,1`. UsageError: a partition is no number. Raises Unreachable."""
    spots, whole = topic_arguments.read(topics)
    expanded, wrong = topic_arguments.partitions_of(client, whole)
    spots = list(dict.fromkeys(spots + expanded))
    unknown = {Spot(topic, WHOLE_TOPIC): error_text(code) for topic, code in wrong.items()}
    deleted = _delete_offsets(client, group, spots)
    return Deleted(deleted.error, unknown | deleted.statuses)


def _delete_offsets(client: Client, group: str, spots: Sequence[Spot]) -> Deleted:
    from tidemark_protocol.messages.offset_delete import (
        OffsetDeleteRequest,
        OffsetDeleteRequestPartition,
        OffsetDeleteRequestTopic,
    )

    by_topic: dict[str, list[OffsetDeleteRequestPartition]] = {}
    for spot in spots:
        by_topic.setdefault(spot.topic, []).append(OffsetDeleteRequestPartition(spot.partition))
    request = OffsetDeleteRequest(group, [OffsetDeleteRequestTopic(*item) for item in by_topic.items()])
    answer = client.ask_coordinator(group, request, _top_level_error)
    whole = error_code(answer.error_code)
    if whole:
        return Deleted(whole, dict.fromkeys(spots, error_text(whole)))
    told = {
        Spot(topic.name, partition.partition_index): error_code(partition.error_code)
        for topic in answer.topics
        for partition in topic.partitions
    }
    first = next((code for code in told.values() if code), ErrorCode.NONE)
    return Deleted(first, {spot: error_text(code) if code else "" for spot, code in told.items()})


def _top_level_error(answer: Any) -> int:
    return int(answer.error_code)


def print_deleted_offsets(group: str, deleted: Deleted) -> None:
    if not deleted.error:
        print(f"Request succeeded for deleting offsets from group {group}.")
    elif deleted.error in PARTITION_ERRORS:
        print("\nError: Encountered some partition-level error, see the follow-up details.")
    elif deleted.error in GROUP_ERRORS:
        print(f"\nError: {deleted.error.text}")
    else:
        print(f"\nError: Encountered some unknown error: {deleted.error.name}")
    wide = width(15, (spot.topic for spot in deleted.statuses))
    print(f"\n{'TOPIC':<{wide}} {'PARTITION':<10} {'STATUS':<15}")
    for spot, error in sorted(deleted.statuses.items()):
        partition = "-" if spot.partition == WHOLE_TOPIC else spot.partition
        status = f"Error: {error}" if error else "Successful"
        print(f"{padded(spot.topic, wide)} {partition!s:<10} {status:<15}")
