"""DescribeLogDirs. The listed partitions are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import pytest

from tests.unit.broker.data_node import DataNode, a_batch, answer
from tidemark.core.context import Operation
from tidemark.handlers.data.describe_log_dirs import describe_log_dirs
from tidemark.log.storage import FileStorage
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsTopic,
)


def a_node() -> DataNode:
    node = DataNode()
    node.topic("orders", partitions=2)
    node.topic("payments")
    node.append("orders", a_batch(3))
    node.logs.create("__cluster_metadata", 0, bytes(15) + b"\1")
    return node


def ask(
    node: DataNode,
    topics: list[DescribableLogDirTopic] | None,
    version: int = 5,
    denied: tuple[int, ...] = (),
) -> DescribeLogDirsResponse:
    request = DescribeLogDirsRequest(topics)
    response = answer(describe_log_dirs(node.logs, node.context(version, denied=denied), request))
    assert isinstance(response, DescribeLogDirsResponse)
    response.ENCODERS[version](bytearray(), response)
    return response


ORDERS = DescribeLogDirsTopic(
    "orders", [DescribeLogDirsPartition(0, len(a_batch(3))), DescribeLogDirsPartition(1, 0)]
)


@pytest.mark.parametrize("version", range(1, 6))
def test_null_means_every_partition_except_the_metadata_log(version: int) -> None:
    directory = ask(a_node(), None, version).results[0]
    assert directory.error_code == ErrorCode.NONE
    assert directory.topics == [ORDERS, DescribeLogDirsTopic("payments", [DescribeLogDirsPartition(0, 0)])]


def test_requested_partition_that_is_not_here_is_not_listed() -> None:
    asked = [DescribableLogDirTopic("orders", [0, 1, 9]), DescribableLogDirTopic("nope", [0])]
    assert ask(a_node(), asked).results[0].topics == [ORDERS]


@pytest.mark.parametrize("asked", [[], [DescribableLogDirTopic("orders", [])]])
def test_directory_is_listed_without_partitions(asked: list[DescribableLogDirTopic]) -> None:
    response = ask(a_node(), asked)
    assert [directory.topics for directory in response.results] == [[]]


def test_directory_is_listed_with_its_path_and_space(tmp_path_factory: pytest.TempPathFactory) -> None:
    node = a_node()
    path = tmp_path_factory.mktemp("data")
    node.logs.storage = FileStorage(path)
    directory = ask(node, []).results[0]
    assert directory.log_dir == str(path)
    assert 0 < directory.usable_bytes <= directory.total_bytes


def test_right_to_describe_the_cluster_is_needed() -> None:
    response = ask(a_node(), None, denied=(Operation.DESCRIBE,))
    assert response == DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
