"""The expected responses are those of Apache Kafka 4.3.1 (KafkaApis.handleAddOffsetsToTxnRequest)."""

from __future__ import annotations

import pytest

from tests.unit.broker.transaction_story import TransactionStory
from tidemark.core.context import ResourceType
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import partition_of_group


def started() -> TransactionStory:
    story = TransactionStory()
    story.init()
    return story


def test_partition_of_the_groups_offsets_is_added() -> None:
    story = started()
    assert story.add_offsets(0, 0, "billing") == 0
    partition = partition_of_group("billing", story.cluster.settings.offsets_topic_num_partitions)
    assert {*story.transaction().partitions} == {("__consumer_offsets", partition)}
    assert story.newest.client_transaction_version == 0


def test_number_of_partitions_is_that_of_the_topic_if_it_exists() -> None:
    story = started()
    story.cluster_story.create("__consumer_offsets", 7)
    story.add_offsets(0, 0, "billing")
    assert {*story.transaction().partitions} == {("__consumer_offsets", partition_of_group("billing", 7))}


def test_empty_group_id_is_accepted() -> None:
    assert started().add_offsets(0, 0, "") == 0


def test_errors() -> None:
    story = started()
    assert story.add_offsets(0, 0, transactional_id="") == ErrorCode.INVALID_REQUEST
    assert story.add_offsets(0, 0, transactional_id="unknown") == ErrorCode.INVALID_PRODUCER_ID_MAPPING
    assert story.add_offsets(9, 0) == ErrorCode.INVALID_PRODUCER_ID_MAPPING
    assert story.status == "Empty"


@pytest.mark.parametrize("version", range(5))
def test_another_epoch_is_fenced(version: int) -> None:
    error = ErrorCode.PRODUCER_FENCED if version >= 2 else ErrorCode.INVALID_PRODUCER_EPOCH
    assert started().add_offsets(0, 1, version=version) == error


def test_client_needs_the_rights() -> None:
    story = started()
    story.allowed = lambda operation, kind, name: kind != ResourceType.GROUP
    assert story.add_offsets(0, 0) == ErrorCode.GROUP_AUTHORIZATION_FAILED
    story.allowed = lambda operation, kind, name: False
    assert story.add_offsets(0, 0) == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
