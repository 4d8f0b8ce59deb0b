"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.data_node import DataNode, answer
from tests.unit.broker.story import error_response
from tidemark.core.context import Operation
from tidemark.handlers.data.alter_replica_log_dirs import alter_replica_log_dirs
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)


def moving(*directories: tuple[str, list[int]]) -> AlterReplicaLogDirsRequest:
    return AlterReplicaLogDirsRequest(
        [AlterReplicaLogDir(path, [AlterReplicaLogDirTopic("orders", found)]) for path, found in directories]
    )


def test_last_directory_that_names_a_partition_counts() -> None:
    node = DataNode()
    node.topic("orders", partitions=2)
    request = moving(("/other", [0, 1]), (node.logs.directory, [1, 2]))
    response = answer(alter_replica_log_dirs(node.logs, node.context(2), request))
    (topic,) = response.results
    assert {each.partition_index: each.error_code for each in topic.partitions} == {
        0: ErrorCode.LOG_DIR_NOT_FOUND,
        1: ErrorCode.NONE,
        2: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }


def test_client_without_alter_on_the_cluster_is_refused_for_each_directory() -> None:
    node = DataNode()
    request = moving(("/one", [0]), ("/two", [0, 1]))
    with pytest.raises(KafkaError) as refused:
        answer(alter_replica_log_dirs(node.logs, node.context(2, denied=(Operation.ALTER,)), request))
    code = refused.value.code
    assert code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    topics = error_response(request, code).results
    assert [[each.error_code for each in topic.partitions] for topic in topics] == [[code], [code, code]]
