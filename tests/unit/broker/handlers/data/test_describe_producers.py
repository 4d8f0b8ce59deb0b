"""DescribeProducers. Codes, texts and numbers are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

from tests.unit.broker.data_node import DataNode, a_batch, answer
from tidemark.core.context import Operation
from tidemark.handlers.data.describe_producers import describe_producers
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicRequest,
)


def ask(node: DataNode, topic: str, *indexes: int, denied: tuple[int, ...] = ()) -> list[PartitionResponse]:
    request = DescribeProducersRequest([TopicRequest(topic, list(indexes))])
    response = answer(describe_producers(node.logs, node.context(0, denied=denied), request))
    assert isinstance(response, DescribeProducersResponse)
    response.ENCODERS[0](bytearray(), response)
    assert response.topics[0].name == topic
    return response.topics[0].partitions


def by_producer(
    producer_id: int, epoch: int, sequence: int, timestamp: int, count: int = 2, bits: int = 0
) -> bytes:
    return a_batch(
        count,
        attributes=bits,
        producer_id=producer_id,
        producer_epoch=epoch,
        sequence=sequence,
        timestamp=timestamp,
    )


def test_each_producer_of_a_partition_is_listed_with_its_last_batch() -> None:
    node = DataNode()
    node.topic("orders", partitions=2)
    node.append(
        "orders", by_producer(900, 3, 0, 1234), by_producer(900, 3, 2, 1230), by_producer(901, 0, 7, 99, 1)
    )
    assert ask(node, "orders", 0, 1) == [
        PartitionResponse(
            0,
            ErrorCode.NONE,
            None,
            [ProducerState(900, 3, 3, 1230, -1, -1), ProducerState(901, 0, 7, 99, -1, -1)],
        ),
        PartitionResponse(1),
    ]


def test_open_transaction_has_its_first_offset() -> None:
    node = DataNode()
    node.topic("orders")
    node.append("orders", a_batch(4), by_producer(7, 0, 0, 5, bits=16))
    assert ask(node, "orders", 0)[0].active_producers == [ProducerState(7, 0, 1, 5, -1, 4)]


def test_missing_topic_or_partition_is_unknown_the_topic_with_a_text() -> None:
    node = DataNode()
    node.topic("orders")
    assert ask(node, "orders", 7) == [PartitionResponse(7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
    text = "This server does not host this topic-partition."
    assert ask(node, "nope", 0) == [PartitionResponse(0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)]


def test_a_name_that_no_topic_can_have_is_refused() -> None:
    text = (
        "Topic name is invalid: 'a b' contains one or more characters other than ASCII alphanumerics, "
        "'.', '_' and '-'"
    )
    assert ask(DataNode(), "a b", 0) == [PartitionResponse(0, ErrorCode.INVALID_TOPIC_EXCEPTION, text)]


def test_authorization_is_checked_before_existence() -> None:
    refused = ask(DataNode(), "nope", 0, denied=(Operation.READ,))[0]
    assert refused.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_a_partition_whose_log_is_not_here_yet_has_no_leader() -> None:
    node = DataNode()
    node.topic("orders", logs=False)
    assert ask(node, "orders", 0) == [PartitionResponse(0, ErrorCode.NOT_LEADER_OR_FOLLOWER)]


def test_producers_are_in_the_order_of_kafkas_hash_map() -> None:
    node = DataNode()
    node.topic("orders")
    node.append("orders", *(by_producer(each, 0, 0, 5) for each in (1005, 2000, 7)))
    (found,) = ask(node, "orders", 0)
    assert [each.producer_id for each in found.active_producers] == [2000, 7, 1005]
