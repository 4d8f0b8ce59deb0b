"""The directories of a cluster of three brokers, of Kafka and of ours, read by the pipeline.

A broker is stopped and started between commits, so that coordinators have moved.
"""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess
from tests.clients.copiers import any_connection, coordinator_of, leader_of
from tests.kafka_oracle import KafkaCluster
from tests.pipeline.kafka_story import LATEST, OFFSETS_TOPIC, Committed, commit_request
from tests.pipeline.test_kafka_directories import current, ends
from tests.wire import Connection
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GROUPS: Final = tuple(f"group-{number}" for number in range(8))
DELETED: Final = GROUPS[:2]
STOPPED: Final = 2
DEADLINE_S: Final = 60
PARTITIONS: Final = 6
SETTINGS: Final = {"offsets.topic.num.partitions": f"{PARTITIONS}"}

pytestmark = [pytest.mark.slow, pytest.mark.java]


def ask(bootstrap: str, group: str, api: str, version: int, request: Any, code: Callable[[Any], int]) -> Any:
    """Ask the coordinator of a group until it responds without an error."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        coordinator = coordinator_of(bootstrap, group)
        found = None
        if coordinator is not None:
            with Connection(coordinator) as connection:
                answer = connection.ask(api, version, request)
            found = code(answer)
            if found == 0:
                return answer
        assert time.monotonic() < deadline, f"{api} of {group}: error {found}"
        time.sleep(0.05)


def commit(bootstrap: str, offset: int) -> None:
    for number, group in enumerate(GROUPS):
        request = commit_request(group, {0: offset + number, number % 3: offset})
        ask(
            bootstrap, group, "OffsetCommit", 8, request, lambda told: told.topics[0].partitions[0].error_code
        )


def story(bootstrap: str, stop: Callable[[], None], start: Callable[[], None]) -> Committed:
    """Commit offsets before, during and after the stop of a broker. Return what OffsetFetch returns then."""
    with any_connection(bootstrap) as connection:
        request = CreateTopicsRequest([CreatableTopic("orders", 3, 3)], 10_000)
        assert connection.ask("CreateTopics", 7, request).topics[0].error_code == 0
    commit(bootstrap, 10)
    stop()
    commit(bootstrap, 20)
    start()
    commit(bootstrap, 30)
    for group in DELETED:
        request = DeleteGroupsRequest([group])
        ask(bootstrap, group, "DeleteGroups", 2, request, lambda answer: answer.results[0].error_code)
    found: Committed = {}
    for group in GROUPS:
        fetch = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)])
        answer = ask(bootstrap, group, "OffsetFetch", 8, fetch, lambda answer: answer.groups[0].error_code)
        for topic in answer.groups[0].topics:
            for each in topic.partitions:
                place = group, topic.name, each.partition_index
                found[place] = each.committed_offset, each.committed_leader_epoch, each.metadata
    assert {group for group, _, _ in found} == {*GROUPS} - {*DELETED}
    return found


def test_our_directory_has_the_offsets_of_all_brokers(tmp_path: Path, spark: SparkSession) -> None:
    broker = BrokerProcess(tmp_path, SETTINGS | {"tidemark.brokers": "3", "tidemark.test.api": "true"})
    broker.start()

    def post(path: str) -> None:
        address = f"http://{broker.http}/v1/brokers/{STOPPED}/{path}"
        urllib.request.urlopen(address, json.dumps({}).encode(), timeout=30).close()

    try:
        told = story(broker.bootstrap, lambda: post("stop"), lambda: post("start"))
    finally:
        broker.stop()
    assert current(spark, broker.data_dir) == told


@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or "")
def test_each_directory_of_kafkas_brokers_has_the_offsets_of_all(tmp_path: Path, spark: SparkSession) -> None:
    cluster = KafkaCluster(tmp_path, SETTINGS | {"replica.high.watermark.checkpoint.interval.ms": "200"})
    directories = [node.data_dir for node in cluster.nodes.values()]
    try:
        cluster.start()
        told = story(
            cluster.bootstrap, lambda: cluster.stop_broker(STOPPED), lambda: cluster.start_broker(STOPPED)
        )
        wait_until_noted(directories, log_ends(cluster.bootstrap))
    finally:
        cluster.stop()
    for each in directories:
        assert current(spark, each) == told


def log_ends(bootstrap: str) -> dict[int, int]:
    """Return the high watermark of each partition of `__consumer_offsets`."""
    found = {}
    for partition in range(PARTITIONS):
        leader = leader_of(bootstrap, OFFSETS_TOPIC, partition)
        assert leader is not None, partition
        asked = ListOffsetsTopic(OFFSETS_TOPIC, [ListOffsetsPartition(partition, timestamp=LATEST)])
        with Connection(leader) as connection:
            answer = connection.ask("ListOffsets", 7, ListOffsetsRequest(-1, topics=[asked]))
        found[partition] = answer.topics[0].partitions[0].offset
    return found


def wait_until_noted(directories: list[Path], wanted: dict[int, int]) -> None:
    """Wait until each node has noted the high watermarks. The pipeline reads no record after them."""
    deadline = time.monotonic() + DEADLINE_S
    while any(ends(each) != wanted for each in directories):
        assert time.monotonic() < deadline, ([ends(each) for each in directories], wanted)
        time.sleep(0.1)
