"""The same random requests about groups and offsets get the same responses from Apache Kafka and from us.

Random ids of topics and members are compared by the thing that they identify. If Kafka's order is that of a
hash map, the responses are sorted. A group has at most one member, so that no join is parked. Metadata that
is too long is not sent, because Kafka creates a group for it that ListGroups does not list.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, two_free_ports
from tests.unit.broker.group_story import subscription
from tests.wire import Connection
from tidemark_protocol.by_name import to_dict
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.metadata import MetadataRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]

STEPS: Final = 500
TOPICS: Final = {"one": 1, "two": 2, "three": 3}
NO_TOPIC: Final = bytes(15) + b"\x09"
COORDINATOR_TIMEOUT_S: Final = 30
RETRIABLE: Final = (14, 15, 16)
UNKNOWN_MEMBER_ID: Final = 25

Answers = dict[str, Any]
Making = Callable[["Side"], Any]


class Side:
    """One of the two brokers, with its ids."""

    def __init__(self, bootstrap: str) -> None:
        self.connection = Connection(bootstrap)
        self.topic_ids: dict[str, bytes] = {}
        self.member_ids: dict[str, str] = {}
        self.generations: dict[str, int] = {}

    def ask(self, name: str, version: int, request: Any) -> Any:
        return self.connection.ask(name, version, request)

    def prepare(self) -> None:
        topics = [CreatableTopic(name, count, 1) for name, count in TOPICS.items()]
        self.ask("CreateTopics", 7, CreateTopicsRequest(topics, 10_000))
        deadline = time.monotonic() + COORDINATOR_TIMEOUT_S
        while not self._serves() and time.monotonic() < deadline:
            time.sleep(0.1)
        known = self.ask("Metadata", 12, MetadataRequest(None)).topics
        self.topic_ids = {topic.name: topic.topic_id for topic in known if topic.name in TOPICS}

    def _serves(self) -> bool:
        """Return whether groups are served in all partitions of `__consumer_offsets`; Kafka has four."""
        names = [f"group-{number}" for number in range(16)]
        found = self.ask("FindCoordinator", 4, FindCoordinatorRequest("", 0, names)).coordinators
        if any(each.error_code for each in found):
            return False
        described = self.ask("DescribeGroups", 5, DescribeGroupsRequest(names)).groups
        return not any(each.error_code in RETRIABLE for each in described)

    def in_common_words(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self.in_common_words(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.in_common_words(each) for each in value]
        if isinstance(value, str):
            return self._names().get(value, value)
        return value

    def _names(self) -> dict[str, str]:
        topics = {str(uuid.UUID(bytes=topic_id)): f"<{name}>" for name, topic_id in self.topic_ids.items()}
        members = {member: f"<member of {group}>" for group, member in self.member_ids.items() if member}
        return topics | members


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side]]:
    """Ours and Kafka's, with the same topics."""
    folder: Path = tmp_path_factory.mktemp("beside")
    kafka = kafka_oracle.KafkaNode(folder / "kafka", two_free_ports())
    broker = BrokerProcess(folder / "ours", {"group.initial.rebalance.delay.ms": "0"})
    kafka.start()
    try:
        broker.start()
        ours, real = Side(broker.bootstrap), Side(kafka.bootstrap)
        with ours.connection, real.connection:
            ours.prepare()
            real.prepare()
            yield ours, real
    finally:
        broker.stop()
        kafka.stop()


class Dialogue:
    """A run of random requests, each sent to both sides."""

    def __init__(self, sides: tuple[Side, Side], seed: int) -> None:
        self.sides = sides
        self.random = random.Random(seed)
        self.groups = [f"group-{seed}-{number}" for number in range(4)]

    def step(self) -> None:
        talk = self.random.choices(
            [*self._about_offsets(), *self._about_members()], weights=[30, 12, 8, 3, 3, 6, 8, 6, 2, 4]
        )[0]
        talk(self.random.choice(self.groups))

    def _about_offsets(self) -> list[Callable[[str], None]]:
        return [self.commit, self.fetch, self.delete_offsets, self.delete_groups, self.list, self.describe]

    def _about_members(self) -> list[Callable[[str], None]]:
        return [self.join, self.sync, self.heartbeat, self.leave]

    def both(
        self, name: str, version: int, make: Making, order: Callable[[Answers], Any] = lambda it: it
    ) -> None:
        responses = []
        for side in self.sides:
            response = side.ask(name, version, make(side))
            self._learn(side, name, make(side), response)
            responses.append(order(side.in_common_words(to_dict(response))))
        assert responses[0] == responses[1], f"{name} v{version}: {make(self.sides[1])!r}"

    def _learn(self, side: Side, name: str, request: Any, response: Any) -> None:
        if name == "JoinGroup" and not response.error_code:
            side.member_ids[request.group_id] = response.member_id
            side.generations[request.group_id] = response.generation_id
        elif name == "LeaveGroup" or (name == "JoinGroup" and response.error_code == UNKNOWN_MEMBER_ID):
            side.member_ids[request.group_id] = ""

    def some_topics(self, partitions: Callable[[], Any]) -> list[tuple[str, list[Any]]]:
        """Return up to three topics of up to three partitions; some are unknown or repeated."""
        names = [*TOPICS, "one", "nowhere"]
        entries = range(self.random.randint(0, 3))
        return [
            (self.random.choice(names), [partitions() for _ in range(self.random.randint(0, 3))])
            for _ in entries
        ]

    def commit(self, group: str) -> None:
        draw = self.random
        version = draw.randint(2, 10)
        by_id = version >= 10
        generation = draw.choice([-1, -1, -2, 0, "current", "current", "next"])
        member = draw.choice(["", "current", "current", "nobody"])
        instance = draw.choice([None, None, None, "nobody"]) if version >= 7 else None
        retention_ms = draw.choice([-1, 60_000_000, 2**40]) if version <= 4 else -1

        def a_partition() -> OffsetCommitRequestPartition:
            epoch = draw.choice([-1, 0, 3]) if version >= 6 else -1
            metadata = draw.choice(["", None, "md", "é" * 4096])
            return OffsetCommitRequestPartition(
                draw.randint(-1, 3), draw.randint(-3, 100), epoch, -1, metadata
            )

        topics = self.some_topics(a_partition)

        def make(side: Side) -> OffsetCommitRequest:
            at = side.generations.get(group, 0)
            return OffsetCommitRequest(
                group,
                generation if isinstance(generation, int) else at + (generation == "next"),
                side.member_ids.get(group, "") if member == "current" else member,
                instance,
                retention_ms,
                [
                    OffsetCommitRequestTopic("", side.topic_ids.get(name, NO_TOPIC), partitions)
                    if by_id
                    else OffsetCommitRequestTopic(name, partitions=partitions)
                    for name, partitions in topics
                ],
            )

        self.both("OffsetCommit", version, make)

    def fetch(self, group: str) -> None:
        version = self.random.randint(1, 10)
        stable = version >= 7 and self.random.random() < 0.3
        topics = self.some_topics(lambda: self.random.randint(-1, 4))
        everything = version >= 2 and self.random.random() < 0.5

        def make(side: Side) -> OffsetFetchRequest:
            if version < 8:
                old = [OffsetFetchRequestTopic(name, partitions) for name, partitions in topics]
                return OffsetFetchRequest(group, None if everything else old, require_stable=stable)
            new = [
                OffsetFetchRequestTopics("", side.topic_ids.get(name, NO_TOPIC), partitions)
                if version >= 10
                else OffsetFetchRequestTopics(name, partition_indexes=partitions)
                for name, partitions in topics
            ]
            requested = OffsetFetchRequestGroup(group, None, -1, None if everything else new)
            return OffsetFetchRequest(groups=[requested], require_stable=stable)

        self.both("OffsetFetch", version, make, _sorted_deep if everything else lambda it: it)

    def delete_offsets(self, group: str) -> None:
        topics = self.some_topics(lambda: OffsetDeleteRequestPartition(self.random.randint(0, 3)))
        requested = [OffsetDeleteRequestTopic(name, partitions) for name, partitions in topics]
        self.both("OffsetDelete", 0, lambda _: OffsetDeleteRequest(group, requested))

    def delete_groups(self, group: str) -> None:
        version = self.random.randint(0, 2)
        self.both(
            "DeleteGroups", version, lambda _: DeleteGroupsRequest([group, "nobody", group]), _sorted_deep
        )

    def list(self, _: str) -> None:
        version = self.random.randint(0, 5)
        states = self.random.choice([[], ["Stable"], [" empty"], ["x"]]) if version >= 4 else []
        self.both("ListGroups", version, lambda _: ListGroupsRequest(states), _sorted_deep)

    def describe(self, group: str) -> None:
        version = self.random.randint(0, 6)
        operations = version >= 3 and self.random.random() < 0.5
        names = [group, "nobody"]
        self.both("DescribeGroups", version, lambda _: DescribeGroupsRequest(names, operations), _sorted_deep)

    def join(self, group: str) -> None:
        protocol_type = self.random.choice(["consumer", "consumer", "connect"])
        protocols = [JoinGroupRequestProtocol("range", subscription(["one"]))]
        self.both(
            "JoinGroup",
            3,
            lambda side: JoinGroupRequest(
                group, 60_000, 60_000, side.member_ids.get(group, ""), None, protocol_type, protocols
            ),
        )

    def sync(self, group: str) -> None:
        def make(side: Side) -> SyncGroupRequest:
            member_id = side.member_ids.get(group, "")
            assignments = [SyncGroupRequestAssignment(member_id, b"assigned")]
            return SyncGroupRequest(group, side.generations.get(group, 0), member_id, assignments=assignments)

        self.both("SyncGroup", 3, make)

    def heartbeat(self, group: str) -> None:
        self.both(
            "Heartbeat",
            3,
            lambda side: HeartbeatRequest(
                group, side.generations.get(group, 0), side.member_ids.get(group, "")
            ),
        )

    def leave(self, group: str) -> None:
        self.both("LeaveGroup", 1, lambda side: LeaveGroupRequest(group, side.member_ids.get(group, "")))


def _sorted_deep(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted_deep(each) for name, each in value.items()}
    if isinstance(value, list):
        return sorted((_sorted_deep(each) for each in value), key=repr)
    return value


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_requests_get_kafkas_responses(sides: tuple[Side, Side], seed: int) -> None:
    dialogue = Dialogue(sides, seed)
    for _ in range(STEPS):
        dialogue.step()
