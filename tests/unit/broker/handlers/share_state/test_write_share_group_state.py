from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.share_story import KEY, OTHER, TOPIC, ShareStory
from tidemark.handlers.share_state.write_share_group_state import write_share_group_state
from tidemark_protocol.share_batches import StateBatch


def part(partition: int, start: int, *batches: tuple[int, int, int, int], **more: int) -> dict[str, Any]:
    """Return a partition of a request. batches: first and last offset, state and count."""
    names = ("FirstOffset", "LastOffset", "DeliveryState", "DeliveryCount")
    given = [dict(zip(names, each, strict=True)) for each in batches]
    fields = {"StateEpoch": 1, "LeaderEpoch": 0, "StartOffset": start, "StateBatches": given}
    return {"Partition": partition, **fields, **more}


def test_a_start_and_states_are_stored() -> None:
    story = ShareStory()
    story.initialize()
    asked = {TOPIC: [part(0, 4, (4, 6, 2, 1), (9, 9, 0, 2), DeliveryCompleteCount=3)]}
    answered = story.ask(write_share_group_state, asked, version=1)
    assert answered == [(TOPIC, [{"Partition": 0, "ErrorCode": 0, "ErrorMessage": None}])]
    state = story.current()[KEY]
    assert (state.start_offset, state.delivery_complete_count) == (4, 3)
    assert state.batches == (StateBatch(4, 6, 1, 2), StateBatch(9, 9, 2, 0))


def test_the_partitions_of_a_request_are_decided_one_by_one() -> None:
    story = ShareStory()
    story.initialize()
    asked = {TOPIC: [part(0, 4), part(0, 6, StateEpoch=0), part(1, 4), part(0, 5)]}
    ((_, results),) = story.ask(write_share_group_state, asked)
    assert [(each["Partition"], each["ErrorCode"]) for each in results] == [(0, 0), (1, 42)]
    assert story.kinds() == "SUU"
    assert story.current()[KEY].start_offset == 5


@pytest.mark.parametrize("group", ["", "g"])
def test_a_topic_without_partitions_leaves_everything_unwritten(group: str) -> None:
    story = ShareStory()
    story.initialize()
    assert story.ask(write_share_group_state, {TOPIC: [part(0, 4)], OTHER: []}, group=group) == []
    assert story.kinds() == "S"
