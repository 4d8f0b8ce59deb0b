from __future__ import annotations

from tests.unit.broker.share_story import KEY, OTHER, TOPIC, ShareStory
from tidemark.handlers.share_state.delete_share_group_state import delete_share_group_state


def test_a_state_is_deleted_once_and_deleting_it_again_succeeds() -> None:
    story = ShareStory()
    story.initialize()
    done = [(TOPIC, [{"Partition": 0, "ErrorCode": 0, "ErrorMessage": None}])]
    for _ in range(2):
        assert story.ask(delete_share_group_state, {TOPIC: [{"Partition": 0}]}) == done
    assert story.kinds() == "ST"
    assert KEY not in story.current()


def test_partitions_that_do_not_exist_are_refused() -> None:
    story = ShareStory()
    ((_, results),) = story.ask(delete_share_group_state, {TOPIC: [{"Partition": 2}, {"Partition": -1}]})
    assert {each["Partition"]: (each["ErrorCode"], each["ErrorMessage"]) for each in results} == {
        2: (3, "This server does not host this topic-partition."),
        -1: (42, "The partition id cannot be a negative number."),
    }
    assert story.ask(delete_share_group_state, {TOPIC: [{"Partition": 0}], OTHER: []}) == []
