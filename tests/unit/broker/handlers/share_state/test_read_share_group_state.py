from __future__ import annotations

from tests.unit.broker.share_story import KEY, OTHER, TOPIC, ShareStory
from tidemark.handlers.share_state.read_share_group_state import read_share_group_state
from tidemark_protocol.share_batches import StateBatch


def part(partition: int, leader_epoch: int = 0) -> dict[str, int]:
    return {"Partition": partition, "LeaderEpoch": leader_epoch}


def test_the_state_is_returned_with_its_batches() -> None:
    story = ShareStory()
    story.initialize(epoch=3)
    story.write(5, StateBatch(5, 7, 1, 2), StateBatch(9, 9, 2, 0), count=3)
    expected = {
        "Partition": 0,
        "ErrorCode": 0,
        "ErrorMessage": None,
        "StateEpoch": 3,
        "StartOffset": 5,
        "StateBatches": [
            {"FirstOffset": 5, "LastOffset": 7, "DeliveryState": 2, "DeliveryCount": 1},
            {"FirstOffset": 9, "LastOffset": 9, "DeliveryState": 0, "DeliveryCount": 2},
        ],
    }
    assert story.ask(read_share_group_state, {TOPIC: [part(0)]}) == [(TOPIC, [expected])]
    assert story.kinds() == "SU"


def test_a_new_leader_is_stored_and_an_old_one_gets_an_error_and_nothing_else() -> None:
    story = ShareStory()
    story.initialize(epoch=3, start=8)
    story.ask(read_share_group_state, {TOPIC: [part(0, 4)]})
    assert story.current()[KEY].leader_epoch == 4
    ((_, (refused,)),) = story.ask(read_share_group_state, {TOPIC: [part(0, 3)]})
    assert refused == {
        "Partition": 0,
        "ErrorCode": 74,
        "ErrorMessage": "The leader epoch in the request is older than the epoch on the broker.",
        "StateEpoch": 0,
        "StartOffset": 0,
        "StateBatches": [],
    }


def test_a_topic_without_partitions_leaves_the_whole_response_empty() -> None:
    story = ShareStory()
    story.initialize()
    assert story.ask(read_share_group_state, {TOPIC: [part(0, 4)], OTHER: []}) == []
    assert story.current()[KEY].leader_epoch == 0
