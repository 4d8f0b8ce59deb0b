"""The expected responses are those of Apache Kafka 4.3.1, but for transactional ids, which are not served."""

from __future__ import annotations

from tests.broker.cluster_story import ClusterStory
from tidemark.core.context import Operation
from tidemark.handlers.cluster.init_producer_id import init_producer_id
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.records.producer_ids_record import ProducerIdsRecord


def ask(story: ClusterStory, version: int = 5, **fields: object) -> tuple[int, int, int]:
    request = InitProducerIdRequest(**{"transactional_id": None, "transaction_timeout_ms": -1, **fields})  # type: ignore[arg-type]
    response = story.ask(init_producer_id, request, version)
    return response.error_code, response.producer_id, response.producer_epoch


def blocks(story: ClusterStory) -> list[int]:
    return [
        record.value.next_producer_id for record in story.log if isinstance(record.value, ProducerIdsRecord)
    ]


def test_ids_go_up_by_one_and_a_block_of_a_thousand_is_one_record() -> None:
    story = ClusterStory()
    assert [ask(story) for _ in range(3)] == [(0, 0, 0), (0, 1, 0), (0, 2, 0)]
    assert blocks(story) == [1000]
    ids = [ask(story, version=0)[1] for _ in range(1000)]
    assert ids == list(range(3, 1003))
    assert blocks(story) == [1000, 2000]


def test_restart_continues_with_the_next_block() -> None:
    story = ClusterStory()
    ask(story)
    story.cluster = story.restarted()
    assert ask(story) == (0, 1000, 0)
    assert blocks(story) == [1000, 2000]


def test_a_snapshot_keeps_the_block() -> None:
    story = ClusterStory()
    ask(story)
    story.log = story.cluster.snapshot_records()
    story.cluster = story.restarted()
    assert ask(story) == (0, 1000, 0)


def test_the_record_names_the_broker_and_its_epoch() -> None:
    story = ClusterStory()
    ask(story)
    assert story.log[-1].value == ProducerIdsRecord(1, story.cluster.broker_epoch, 1000)


def test_previous_producer_id_and_epoch_must_both_be_set() -> None:
    story = ClusterStory()
    assert ask(story, producer_id=5, producer_epoch=1) == (0, 0, 0)
    assert ask(story, producer_id=5, producer_epoch=-1) == (42, -1, -1)
    assert ask(story, producer_id=-1, producer_epoch=1) == (42, -1, -1)


def test_transactional_ids_get_a_final_error() -> None:
    story = ClusterStory()
    for transactional_id in ("tx", ""):
        assert ask(story, transactional_id=transactional_id) == (53, -1, -1)


def test_either_right_is_enough() -> None:
    story = ClusterStory()
    story.create("orders")
    story.allowed = lambda operation, kind, name: operation != Operation.IDEMPOTENT_WRITE
    assert ask(story)[0] == 0
    story.allowed = lambda operation, kind, name: False
    assert ask(story) == (31, -1, -1)
