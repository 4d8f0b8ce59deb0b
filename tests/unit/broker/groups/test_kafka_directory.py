"""Replay a directory that Apache Kafka 4.3.1 wrote, and compare offsets and groups with Kafka's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kafkas_directory import unpacked
from tests.unit.broker.story import finished
from tidemark.clock import SystemClock
from tidemark.core.context import Context, Now
from tidemark.engine.recovery import load_metadata, load_offsets
from tidemark.groups.forgetting import forget_dead
from tidemark.groups.group import Group
from tidemark.groups.loading import GroupsReplay
from tidemark.groups.state import Groups
from tidemark.handlers.groups.consumer_group_describe import consumer_group_describe
from tidemark.handlers.groups.describe_groups import describe_groups
from tidemark.handlers.groups.list_groups import list_groups
from tidemark.handlers.groups.offset_fetch import offset_fetch
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    DescribedGroup,
)
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)

GOLDEN = Path(__file__).parents[3] / "golden"
OFFSETS_PARTITIONS = 4
UNSTABLE_OFFSET_COMMIT = 88

pytestmark = pytest.mark.slow


class Directory:
    """The result of a replay."""

    def __init__(self, root: Path) -> None:
        self.cluster = Cluster(Identity("cluster"))
        self.groups = Groups()
        self.skipped: dict[str, int] = {}
        self._logs = LogManager(
            FileStorage(root),
            BrokerSettings(producer_id_expiration_ms=10**15),
            SystemClock(),
            lambda topic: LogSettings(),
        )
        self._logs.open()
        load_metadata(self._log("__cluster_metadata", 0), 0, self.cluster.replay)
        self.groups.serve(OFFSETS_PARTITIONS)
        for partition in range(OFFSETS_PARTITIONS):
            replay = GroupsReplay(self.groups, self.cluster, partition)
            self.skipped |= load_offsets(self._log("__consumer_offsets", partition), replay).skipped
            self.groups.loaded(partition, Now(0, 0))

    def _log(self, topic: str, partition: int) -> PartitionLog:
        log = self._logs.get(topic, partition)
        assert log is not None
        return log

    def ask(self, decide: Any, version: int, request: Any) -> Any:
        ctx = Context(wall_ms=0, steady_ms=0, version=version, cluster=self.cluster)
        return finished(decide(self.groups, ctx, request))


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    """Return groups and offsets, with the responses of the describe APIs."""
    told: dict[str, Any] = json.loads((GOLDEN / "kafka-4.3.1.offsets.json").read_text("utf-8"))
    told |= json.loads((GOLDEN / "kafka-4.3.1" / "groups.json").read_text("utf-8"))
    return told


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Directory:
    folder = tmp_path_factory.mktemp("kafka")
    return Directory(unpacked(folder))


def test_every_group_has_the_offsets_that_kafka_returns(directory: Directory, truth: dict[str, Any]) -> None:
    answers = {group: _fetch(directory, group) for group in truth["offsets"]}
    assert answers == {group: {tuple(each) for each in told} for group, told in truth["offsets"].items()}
    assert len(answers) > 100


def _fetch(directory: Directory, group: str) -> set[tuple[str, int, int, int, str | None]]:
    answer = directory.ask(offset_fetch, 7, OffsetFetchRequest(group, None))
    return {
        (topic.name, each.partition_index, each.committed_offset, each.committed_leader_epoch, each.metadata)
        for topic in answer.topics
        for each in topic.partitions
    }


def test_every_group_is_listed_with_kafkas_type_and_state(
    directory: Directory, truth: dict[str, Any]
) -> None:
    told = {
        group: (kind.lower(), protocol_type, state)
        for group, (kind, protocol_type, state) in truth["groups"].items()
    }
    listed = {
        group.group_id: (group.group_type, group.protocol_type, group.group_state)
        for group in directory.ask(list_groups, 5, ListGroupsRequest()).groups
    }
    assert listed == told
    assert {kind for kind, _, _ in told.values()} == {"classic", "consumer", "share", "streams"}


def test_groups_are_listed_by_type_and_state(directory: Directory, truth: dict[str, Any]) -> None:
    def names(states: list[str], types: list[str]) -> set[str]:
        answer = directory.ask(list_groups, 5, ListGroupsRequest(states, types))
        return {group.group_id for group in answer.groups}

    assert names([], ["CONSUMER"]) == set(truth["consumerGroups"])
    assert names(["assigning"], []) == {"next-narrow-now", "next-narrowed", "next-stable"}
    assert names([], ["share", "streams"]) == {"shared", "streamed"}
    assert names(["Empty"], ["consumer"]) == {"next-gone", "real-next"}


def test_kip_848_groups_are_described_as_kafka_does(directory: Directory, truth: dict[str, Any]) -> None:
    request = ConsumerGroupDescribeRequest([*truth["consumerGroups"]])
    described = directory.ask(consumer_group_describe, 1, request).groups
    assert {group.group_id: _described(group) for group in described} == truth["consumerGroups"]
    assert len(described) > 8


def _described(group: DescribedGroup) -> dict[str, Any]:
    """Return the group in the terms of AdminClient, which the expectations use."""
    assert (group.error_code, group.error_message) == (0, None)
    return {
        "type": "Consumer",
        "state": group.group_state,
        "simple": False,
        "assignor": group.assignor_name,
        "groupEpoch": group.group_epoch,
        "targetAssignmentEpoch": group.assignment_epoch,
        "members": sorted(
            (
                {
                    "memberId": member.member_id,
                    "groupInstanceId": member.instance_id,
                    "clientId": member.client_id,
                    "host": member.client_host,
                    "memberEpoch": member.member_epoch,
                    "upgraded": member.member_type == 1,
                    "assignment": _partitions(member.assignment),
                    "targetAssignment": _partitions(member.target_assignment),
                }
                for member in group.members
            ),
            key=lambda member: member["memberId"],
        ),
    }


def _partitions(assignment: Assignment) -> list[str]:
    return sorted(
        f"{topic.topic_name}-{partition}"
        for topic in assignment.topic_partitions
        for partition in topic.partitions
    )


def test_classic_groups_are_described_as_kafka_does(directory: Directory, truth: dict[str, Any]) -> None:
    told = truth["classicGroups"]
    described = directory.ask(describe_groups, 6, DescribeGroupsRequest([*told])).groups
    assert {
        group.group_id: (
            group.group_state,
            group.protocol_type,
            group.protocol_data,
            {(each.member_id, each.group_instance_id, each.client_id) for each in group.members},
        )
        for group in described
    } == {
        name: (
            group["state"],
            group["protocolType"],
            group["protocol"],
            {(each["memberId"], each["groupInstanceId"], each["clientId"]) for each in group["members"]},
        )
        for name, group in told.items()
    }


def test_describing_a_group_of_another_type_is_an_error(directory: Directory) -> None:
    request = ConsumerGroupDescribeRequest(["stable-range", "shared", "nobody", ""])
    told = {
        group.group_id: (group.error_code, group.error_message)
        for group in directory.ask(consumer_group_describe, 1, request).groups
    }
    assert told == {
        "stable-range": (69, "Group stable-range is not a consumer group."),
        "shared": (69, "Group shared is not a consumer group."),
        "nobody": (69, "Group nobody not found."),
        "": (24, None),
    }
    for name in ("next", "shared"):
        (group,) = directory.ask(describe_groups, 6, DescribeGroupsRequest([name])).groups
        said = (group.error_code, group.error_message, group.group_state)
        assert said == (69, f"Group {name} is not a classic group.", "Dead")
        (group,) = directory.ask(describe_groups, 5, DescribeGroupsRequest([name])).groups
        assert (group.error_code, group.group_state) == (0, "Dead")


def test_with_require_stable_offsets_in_open_transactions_are_unstable(directory: Directory) -> None:
    held = {
        name: {*directory.groups.offsets.pending(name)}
        for name in directory.groups.groups
        if directory.groups.offsets.pending(name)
    }
    assert held == {"pending": {("orders", 0)}, "txn-tail": {("orders", 0), ("orders", 2)}}
    asked = [OffsetFetchRequestTopic("orders", [0, 1])]
    plain: OffsetFetchResponse = directory.ask(offset_fetch, 7, OffsetFetchRequest("pending", asked))
    stable: OffsetFetchResponse = directory.ask(
        offset_fetch, 7, OffsetFetchRequest("pending", asked, require_stable=True)
    )
    assert [each.error_code for each in plain.topics[0].partitions] == [0, 0]
    first, second = stable.topics[0].partitions
    assert (first.error_code, first.committed_offset, first.metadata) == (UNSTABLE_OFFSET_COMMIT, -1, "")
    assert second == plain.topics[0].partitions[1]


def test_the_subscription_of_a_kip_848_group_includes_regular_expressions(
    directory: Directory,
) -> None:
    def group(name: str) -> Group:
        return directory.groups.groups[name]

    assert group("next-regex").is_subscribed("clicks.eu-west_1")
    assert not group("next-regex").is_subscribed("orders")
    assert group("next").is_subscribed("payments")
    assert not group("next-gone").is_subscribed("orders")


def test_records_of_groups_are_read(directory: Directory) -> None:
    assert not any("Group" in kind for kind in directory.skipped)


def test_the_topics_of_a_streams_group_are_those_of_its_topology(directory: Directory) -> None:
    group = directory.groups.groups["streamed"]
    assert (group.subscribed_topics, group.epoch, len(group.member_ids)) == ({"orders"}, 2, 1)


def test_no_offset_belongs_to_a_deleted_topic(directory: Directory) -> None:
    assert not any(forget_dead(directory.groups, directory.cluster, 0))
