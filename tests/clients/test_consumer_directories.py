"""Directories of Apache Kafka 3.9.1, 4.3.1 and 4.4.0 with groups of the consumer protocol (KIP-848).

Our broker serves every group in Kafka's state and goes on with its epochs. Kafka then opens the directory.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import two_free_ports
from tests.clients.test_opening import Opened, serving
from tests.kafka_oracle import NEWEST, USUAL, KafkaNode
from tests.wire import Connection
from tidemark_protocol import to_dict
from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tidemark_protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]

HOUR_MS: Final = "1800000"  # no member may time out on a slow machine
SETTINGS: Final = {
    "offsets.topic.num.partitions": "2",
    "group.coordinator.rebalance.protocols": "classic,consumer",
    "group.consumer.migration.policy": "bidirectional",
    "group.consumer.max.session.timeout.ms": HOUR_MS,
    "group.consumer.session.timeout.ms": HOUR_MS,
    "group.consumer.assignment.interval.ms": "0",
}
OURS: Final = [f"--set={key}={value}" for key, value in SETTINGS.items() if key.startswith("group.consumer.")]
DEADLINE_S: Final = 30
PARTITIONS: Final = 6
IN_EACH_PARTITION: Final = {"native", "static"}  # groups in the two partitions of __consumer_offsets
PROBE: Final = "probe"  # a group that is not compared
REBALANCE_IN_PROGRESS: Final = 27

Described = dict[str, Any]


@dataclass(slots=True, frozen=True)
class Written:
    """A directory that Kafka wrote and closed, and its groups as Kafka described them."""

    node: KafkaNode
    version: int  # of ConsumerGroupHeartbeat and ConsumerGroupDescribe
    groups: dict[str, Described]
    topic_id: bytes


class Member:
    """A native member, by raw heartbeats."""

    def __init__(
        self, connection: Connection, version: int, group: str, member: str, instance: str | None
    ) -> None:
        self._connection = connection
        self._version = version
        self.group = group
        self.member = member
        self.instance = instance
        self.epoch = 0

    def beat(self, epoch: int | None = None, **fields: Any) -> Any:
        request = ConsumerGroupHeartbeatRequest(
            self.group,
            self.member,
            self.epoch if epoch is None else epoch,
            self.instance,
            **fields,
        )
        answer = self._connection.ask("ConsumerGroupHeartbeat", self._version, request)
        assert answer.error_code == 0, (self.group, self.member, answer)
        self.epoch = answer.member_epoch
        return answer

    def join(self, regex: str | None = None) -> Any:
        names = ["orders"] if regex is None else []
        return self.beat(
            0,
            rebalance_timeout_ms=int(HOUR_MS),
            subscribed_topic_names=names,
            subscribed_topic_regex=regex,
            topic_partitions=[],
        )

    def owns(self, topic_id: bytes, *partitions: int) -> Any:
        return self.beat(
            topic_partitions=[ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, [*partitions])]
        )


def given(answer: Any) -> list[int] | None:
    """Return the partitions in a response; None if it has no assignment."""
    if answer.assignment is None:
        return None
    return sorted(each for topic in answer.assignment.topic_partitions for each in topic.partitions)


def until(ask: Callable[[], Any], accepted: Callable[[Any], bool]) -> Any:
    deadline = time.monotonic() + DEADLINE_S
    while not accepted(answer := ask()):
        assert time.monotonic() < deadline, answer
        time.sleep(0.05)
    return answer


def coordinator(connection: Connection) -> None:
    """Wait until the coordinator serves groups."""
    find = partial(connection.ask, "FindCoordinator", 3, FindCoordinatorRequest("native", 0))
    until(find, lambda answer: answer.error_code == 0)
    listed = partial(connection.ask, "ListGroups", 5, ListGroupsRequest())
    until(listed, lambda answer: answer.error_code == 0)


def told(connection: Connection, version: int) -> dict[str, Described]:
    """Return every group as ListGroups and ConsumerGroupDescribe describe it."""
    coordinator(connection)
    listed = until(
        lambda: {each.group_id for each in connection.ask("ListGroups", 5, ListGroupsRequest()).groups},
        lambda groups: groups >= IN_EACH_PARTITION,
    )
    names = sorted(listed - {PROBE})
    request = ConsumerGroupDescribeRequest(names)
    # Kafka 3.9 asks each partition of __consumer_offsets for all groups, so that others are unknown to it.
    answer = until(
        lambda: connection.ask("ConsumerGroupDescribe", version, request),
        lambda answer: {each.group_id for each in answer.groups if not each.error_code} == set(names),
    )
    return {each.group_id: ordered(to_dict(each)) for each in answer.groups if not each.error_code}


def ordered(value: Any) -> Any:
    """Return a message without the order of its lists, which Kafka does not define."""
    if isinstance(value, dict):
        return {name: ordered(each) for name, each in value.items()}
    if isinstance(value, list):
        return sorted((ordered(each) for each in value), key=repr)
    return value


def tell(connection: Connection, version: int) -> bytes:
    """Create groups of every kind. Return the topic's id."""
    connection.ask("CreateTopics", 7, CreateTopicsRequest([CreatableTopic("orders", PARTITIONS, 1)], 10_000))
    coordinator(connection)
    topic_id = topic_id_of(connection)

    def member(group: str, name: str = "m1", instance: str | None = None) -> Member:
        return Member(connection, version, group, name, instance)

    probe = member(PROBE)
    until(lambda: attempt(probe), lambda answer: answer is not None and given(answer))
    first = member("native").join()
    assert (first.member_epoch, given(first)) == (first_epoch(version), [*range(PARTITIONS)])
    away = member("away", instance="there")
    away.join()
    assert away.beat(-2).member_epoch == -2
    member("static", instance="here").join()
    left = member("left")
    left.join()
    left.beat(-1)
    reconciling(member("two"), member("two", "m2"), topic_id)
    if version > 0:
        matched = member("matched")
        matched.join("ord.*")
        until(matched.beat, lambda answer: given(answer) == [*range(PARTITIONS)])
        # Kafka 3.9 does not upgrade classic groups by default.
        mixed(connection, member("mixed", "native"))
    return topic_id


def first_epoch(version: int) -> int:
    """Return the epoch of a group's first member: Kafka before 4.0 has no epoch for the group without it."""
    return 2 if version else 1


def attempt(member: Member) -> Any:
    """Join as the first member of all, to learn whether the coordinator knows the topic."""
    try:
        return member.join()
    except AssertionError:
        return None


def topic_id_of(connection: Connection) -> bytes:
    ask = partial(connection.ask, "Metadata", 12, MetadataRequest([MetadataRequestTopic(name="orders")]))
    answer = until(ask, lambda answer: answer.topics[0].error_code == 0)
    return bytes(answer.topics[0].topic_id)


def reconciling(first: Member, second: Member, topic_id: bytes) -> None:
    """Leave a group in which one member has not given up the partitions that the other waits for."""
    first.join()
    second.join()
    assert given(first.owns(topic_id, *range(PARTITIONS))) == [0, 1, 2]
    assert given(second.beat()) is None


def mixed(connection: Connection, native: Member) -> None:
    """Upgrade a classic group by a native member."""
    metadata = b"\0\0\0\0\0\1\0\6orders\xff\xff\xff\xff"
    protocols = [JoinGroupRequestProtocol("range", metadata)]
    session_ms = 60_000
    join = JoinGroupRequest("mixed", session_ms, session_ms, "", None, "consumer", protocols)
    joined = connection.ask("JoinGroup", 3, join)
    assert joined.error_code == 0
    assignment = b"\0\0\0\0\0\1\0\6orders" + bytes((0, 0, 0, 1, 0, 0, 0, 0)) + b"\xff\xff\xff\xff"
    assignments = [SyncGroupRequestAssignment(joined.member_id, assignment)]
    sync = SyncGroupRequest("mixed", 1, joined.member_id, assignments=assignments)
    assert connection.ask("SyncGroup", 3, sync).error_code == 0
    native.join()


@pytest.fixture(scope="module", params=["3.9.1", USUAL, NEWEST])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kafka_oracle, "KAFKA_VERSION", request.param)
        kafka_oracle.tool_class.cache_clear()
        node = KafkaNode(tmp_path_factory.mktemp("node"), two_free_ports(), SETTINGS)
        version = 0 if request.param == "3.9.1" else 1
        node.start()
        try:
            with Connection(node.bootstrap) as connection:
                topic_id = tell(connection, version)
                groups = told(connection, version)
        finally:
            node.stop()
        yield Written(node, version, groups, topic_id)
    kafka_oracle.tool_class.cache_clear()


def test_the_story_leaves_groups_in_every_state(written: Written) -> None:
    states = {name: group["GroupState"] for name, group in written.groups.items()}
    assert states == {
        "native": "Stable", "static": "Stable", "away": "Reconciling", "left": "Empty", "two": "Reconciling",
        **({"matched": "Stable", "mixed": "Reconciling"} if written.version else {}),
    }  # fmt: skip


def test_groups_are_served_in_kafkas_state(written: Written) -> None:
    with serving("--from", written.node.data_dir, *OURS) as opened:
        with Connection(opened.ready["bootstrap_servers"]) as connection:
            enable(connection, written)
            ours = told(connection, written.version)
        if not written.version:  # Kafka 4 describes partitions that a member must give up, too
            for groups in (ours, written.groups):
                for member in groups["two"]["Members"]:
                    del member["Assignment"]
        assert ours == written.groups
        opened.stop()


def test_groups_go_on_with_their_epochs_and_kafka_opens_the_directory_again(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_oracle, "KAFKA_VERSION", NEWEST)
    ours = tmp_path / "kafka" / "data"
    ours.parent.mkdir()
    with serving("--from", written.node.data_dir, "--data-dir", ours, *OURS) as opened:
        opened.http.post("/v1/clock/resume", {})
        with Connection(opened.ready["bootstrap_servers"]) as connection:
            enable(connection, written)
            go_on(connection, written)
            before = told(connection, written.version)
        check_http(opened, before)
        opened.stop()
    node = KafkaNode(tmp_path / "kafka", two_free_ports(), SETTINGS)
    node.start()
    try:
        with Connection(node.bootstrap) as connection:
            assert told(connection, written.version) == before
            native = Member(connection, written.version, "native", "m2", None)
            native.epoch = before["native"]["GroupEpoch"]
            assert native.beat().member_epoch == native.epoch
    finally:
        node.stop()
        shutil.rmtree(ours)


def enable(connection: Connection, written: Written) -> None:
    """Raise group.version, which Kafka 3.9 does not have. Kafka 4 serves its groups only after that, too."""
    if not written.version:
        update = FeatureUpdateKey("group.version", 1, upgrade_type=1)
        answer = connection.ask("UpdateFeatures", 1, UpdateFeaturesRequest(10_000, [update]))
        assert answer.error_code == 0, answer


def go_on(connection: Connection, written: Written) -> None:
    """Continue the story: the expected epochs and assignments are those of Kafka.

    Kafka 3.9 stored no hash of the topics, so that the first heartbeat raises the epoch.
    """

    def member(group: str, name: str, epoch: int, instance: str | None = None) -> Member:
        known = Member(connection, written.version, group, name, instance)
        known.epoch = epoch
        return known

    topic_id, first = written.topic_id, first_epoch(written.version)
    now = 2  # of a group with one member, after its next heartbeat
    native, joiner = member("native", "m1", first), member("native", "m2", 0)
    assert (native.beat().member_epoch, joiner.join().member_epoch) == (now, now + 1)
    assert given(native.owns(topic_id, *range(PARTITIONS))) == [0, 1, 2]
    assert native.owns(topic_id, 0, 1, 2).member_epoch == now + 1
    assert given(joiner.beat()) == [3, 4, 5]

    slow, waiting = member("two", "m1", first), member("two", "m2", first + 1)
    assert slow.owns(topic_id, 0, 1, 2).member_epoch == now + 1
    assert given(waiting.beat()) == [3, 4, 5]

    assert member("static", "m1", first, "here").beat().member_epoch == now
    returned = member("away", "m2", 0, "there").join()
    assert (returned.member_epoch, given(returned)) == (now, [*range(PARTITIONS)])
    assert member("left", "m2", 0).join().member_epoch == first + 2


def check_http(opened: Opened, described: dict[str, Described]) -> None:
    """Check that /v1/groups says the same."""
    shown = opened.groups()
    for name, group in described.items():
        ours = shown[name]
        assert (ours["state"], ours["generation"], ours["assignment_epoch"]) == (
            group["GroupState"], group["GroupEpoch"], group["AssignmentEpoch"],
        )  # fmt: skip
        assert {each["member_id"]: each["epoch"] for each in ours["members"]} == {
            each["MemberId"]: each["MemberEpoch"] for each in group["Members"]
        }
        assert (ours["waits_for"] is None) == (group["GroupState"] in ("Stable", "Empty"))
