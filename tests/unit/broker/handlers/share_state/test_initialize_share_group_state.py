"""InitializeShareGroupState, and what it shares with the other APIs of share state. Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.share_story import OTHER, TOPIC, ShareStory
from tidemark.core.apply import PartitionStatus
from tidemark.handlers.share_state.initialize_share_group_state import initialize_share_group_state
from tidemark.share_coordinator.state import SharePartition

UNKNOWN = bytes(15) + b"\2"  # its hash is 2, that of OTHER is 0


def part(partition: int, epoch: int = 0, start: int = 0) -> dict[str, int]:
    return {"Partition": partition, "StateEpoch": epoch, "StartOffset": start}


def result(partition: int, code: int = 0, message: str | None = None) -> dict[str, object]:
    return {"Partition": partition, "ErrorCode": code, "ErrorMessage": message}


def test_results_are_in_the_order_of_hash_maps_and_the_last_of_a_partition_counts() -> None:
    story = ShareStory()
    text = "This server does not host this topic-partition."
    asked = [
        (UNKNOWN, [part(2)]),
        (OTHER, [part(1), part(0), part(17), part(1, 0, 9)]),
        (TOPIC, []),
        (OTHER, []),
    ]
    answered = story.ask(initialize_share_group_state, asked)
    assert answered == [
        (OTHER, [result(0), result(1), result(17, 3, text)]),
        (UNKNOWN, [result(2, 3, text)]),
    ]
    assert story.current()[SharePartition("g", OTHER, 1)].start_offset == 9
    assert story.kinds() == "SSS"


@pytest.mark.parametrize(("group", "partitions"), [("", [part(0)]), ("g", [])])
def test_a_request_without_a_group_or_partitions_gets_no_results(
    group: str, partitions: list[dict[str, int]]
) -> None:
    story = ShareStory()
    assert story.ask(initialize_share_group_state, {TOPIC: partitions}, group=group) == []
    assert story.kinds() == ""


@pytest.mark.parametrize(
    ("status", "code", "text"),
    [
        (PartitionStatus.LOADING, 14, "The coordinator is loading and hence can't process requests."),
        (PartitionStatus.FAILED, 16, "This is not the correct coordinator."),
    ],
)
def test_the_message_of_a_partition_that_is_not_served_says_what_was_not_done(
    status: PartitionStatus, code: int, text: str
) -> None:
    story = ShareStory()
    story.states.status[0] = status
    message = f"Unable to initialize share group state: {text}"
    assert story.ask(initialize_share_group_state, {TOPIC: [part(0)]}) == [
        (TOPIC, [result(0, code, message)])
    ]


def test_partitions_of_a_caller_without_cluster_action_are_refused_in_the_order_of_the_request() -> None:
    story = ShareStory()
    asked = [(TOPIC, [part(1), part(0), part(1)]), (OTHER, []), (TOPIC, [part(0)])]
    refused = [result(index, 31, "Cluster authorization failed.") for index in (1, 0, 1)]
    assert story.ask(initialize_share_group_state, asked, group="", allowed=False) == [
        (TOPIC, refused), (OTHER, []), (TOPIC, refused[1:2])
    ]  # fmt: skip
    assert story.kinds() == ""


def test_thousands_of_partitions_are_decided_in_steps() -> None:
    story = ShareStory()
    answered = story.ask(initialize_share_group_state, {TOPIC: [part(index) for index in range(3_000)]})
    assert [each["ErrorCode"] for each in answered[0][1]] == [0, 0] + [3] * 2_998
