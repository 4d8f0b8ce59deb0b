from __future__ import annotations

import pytest

from tests.unit.broker.share_story import OTHER, TOPIC, ShareStory
from tidemark.handlers.share_state.read_share_group_state_summary import read_share_group_state_summary

ASKED = {TOPIC: [{"Partition": 0, "LeaderEpoch": 0}]}


@pytest.mark.parametrize("leader_epoch", [-1, 0, 99])
def test_a_summary_has_no_batches_and_fences_nobody(leader_epoch: int) -> None:
    story = ShareStory()
    story.initialize(epoch=3)
    story.read(4)
    story.write(7, count=2)
    asked = {TOPIC: [{"Partition": 0, "LeaderEpoch": leader_epoch}]}
    expected = {
        "Partition": 0, "ErrorCode": 0, "ErrorMessage": None, "StateEpoch": 3, "LeaderEpoch": 4,
        "StartOffset": 7, "DeliveryCompleteCount": 2,
    }  # fmt: skip
    assert story.ask(read_share_group_state_summary, asked, version=1) == [(TOPIC, [expected])]
    assert story.kinds() == "SUU"


def test_a_state_that_was_never_initialized_has_no_start() -> None:
    ((_, (summary,)),) = ShareStory().ask(read_share_group_state_summary, ASKED, version=1)
    assert (summary["StartOffset"], summary["DeliveryCompleteCount"]) == (-1, -1)
    assert (summary["ErrorCode"], summary["StateEpoch"], summary["LeaderEpoch"]) == (0, 0, 0)


def test_a_topic_without_partitions_leaves_the_whole_response_empty() -> None:
    assert ShareStory().ask(read_share_group_state_summary, {**ASKED, OTHER: []}) == []
