"""The start of partitions with the console consumer's client: decided once, on ages requested for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.tools.client.scripted import SILENCE, ScriptedBroker
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages import describe_topic_partitions as describing
from tidemark_protocol.messages.fetch import FetchResponse
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tidemark_protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tidemark_tools.client.client import EARLIEST, LATEST, Client, TopicPartition
from tidemark_tools.client.consumer import (
    Consumer,
    ConsumerSettings,
    Fetcher,
    FetchSettings,
    NoRecord,
    Topics,
)
from tidemark_tools.client.errors import UnsupportedVersion
from tidemark_tools.client.membership import GroupMember, GroupSettings, Position
from tidemark_tools.client.reset_policy import ResetPolicy
from tidemark_tools.client.topics import describe_topics

TOPIC = "orders"
HOUR = 3_600_000
YOUNG_BEGIN = ResetPolicy(LATEST, HOUR)


class Member(GroupMember):
    """A member whose assignments the test sets."""

    def __init__(self, client: Client) -> None:
        super().__init__(client, GroupSettings("g", None, 1, 1, 1))
        self.assigned: list[int] = []
        self.stored: dict[int, int] = {}

    def gets(self, *indexes: int) -> None:
        self.assigned, self.joined = list(indexes), False

    def join(self, within_ms: int | None) -> list[TopicPartition]:
        self.joined = True
        return [TopicPartition(TOPIC, index) for index in self.assigned]

    def committed(self, partitions: Any) -> dict[TopicPartition, Position]:
        return {at: Position(self.stored[at.partition]) for at in partitions if at.partition in self.stored}

    def commit(self, positions: Any) -> None: ...
    def beat(self) -> None: ...
    def look(self) -> None: ...
    def leave(self) -> None: ...
    def _note(self, code: ErrorCode, message: str | None = None) -> None: ...


class Cluster:
    """A broker with these ages by partition, and errors of ListOffsets, one for each request."""

    def __init__(self, ranges: dict[str, tuple[int, int]] | None = None) -> None:
        self.ages: dict[int, int] = {}
        self.errors: list[ErrorCode] = []
        self.times: list[tuple[int, int]] = []
        self.fetched: dict[int, int] = {}
        self.silent = False  # whether a fetch gets no response
        scripts = {"Metadata": self._metadata, "ListOffsets": self._list_offsets, "Fetch": self._fetch}
        self.broker = ScriptedBroker(scripts, ranges)

    def _metadata(self, _: Any) -> MetadataResponse:
        host, _, port = self.broker.bootstrap.partition(":")
        partitions = [
            MetadataResponsePartition(partition_index=index, leader_id=1, partition_age_ms=age)
            for index, age in self.ages.items()
        ]
        return MetadataResponse(
            brokers=[MetadataResponseBroker(1, host, int(port))],
            topics=[MetadataResponseTopic(name=TOPIC, partitions=partitions)],
        )

    def _list_offsets(self, request: Any) -> ListOffsetsResponse:
        error = self.errors.pop(0) if self.errors else ErrorCode.NONE
        asked = [(each.partition_index, each.timestamp) for each in request.topics[0].partitions]
        self.times += asked
        results = [
            ListOffsetsPartitionResponse(partition_index=index, error_code=error, offset=100)
            for index, _ in asked
        ]
        return ListOffsetsResponse(topics=[ListOffsetsTopicResponse(TOPIC, results)])

    def _fetch(self, request: Any) -> Any:
        self.fetched = {each.partition: each.fetch_offset for each in request.topics[0].partitions}
        return SILENCE if self.silent else FetchResponse()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    with made.broker:
        yield made


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(cluster.broker.bootstrap, timeout_ms=5_000) as opened:
        yield opened


def consumer(client: Client, member: Member, policy: ResetPolicy = YOUNG_BEGIN, idle_ms: int = 0) -> Consumer:
    settings = ConsumerSettings(policy, False, 5_000, 300_000, 0, False, idle_ms)
    fetcher = Fetcher(client, FetchSettings(0, 0, 1, 1000, 1000))
    return Consumer(
        client, fetcher, Topics(client, TOPIC, None, create=False), settings, member, managed=True
    )


def poll(polled: Consumer) -> None:
    with pytest.raises(NoRecord):
        next(polled.records(lambda: None))


def test_young_partitions_begin_and_others_end(cluster: Cluster, client: Client) -> None:
    cluster.ages = {0: 0, 1: HOUR, 2: HOUR + 1, 3: -1, 4: 0}
    member = Member(client)
    member.stored = {4: 17}
    member.gets(0, 1, 2, 3, 4)
    poll(consumer(client, member))
    assert cluster.times == [(0, EARLIEST), (1, EARLIEST), (2, LATEST), (3, LATEST)]
    assert cluster.fetched == {0: 100, 1: 100, 2: 100, 3: 100, 4: 17}


def test_decision_is_not_repeated_if_the_offset_cannot_be_listed_at_first(
    cluster: Cluster, client: Client
) -> None:
    cluster.ages = {0: HOUR}
    cluster.errors = [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    member = Member(client)
    member.gets(0)
    polled = consumer(client, member)
    poll(polled)
    cluster.ages = {0: HOUR + 1, 1: 2 * HOUR}
    poll(polled)
    assert cluster.times == [(0, EARLIEST)] * 2


def test_decision_survives_a_new_assignment_with_the_same_partition(cluster: Cluster, client: Client) -> None:
    cluster.ages = {0: HOUR, 1: 0}
    cluster.errors = [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    member = Member(client)
    member.gets(0)
    polled = consumer(client, member)
    poll(polled)
    cluster.ages = {0: HOUR + 1, 1: HOUR + 1}
    member.gets(0, 1)
    poll(polled)
    assert cluster.times == [(0, EARLIEST), (0, EARLIEST), (1, LATEST)]


def test_lost_partition_is_decided_again(cluster: Cluster, client: Client) -> None:
    cluster.ages = {0: HOUR}
    cluster.errors = [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    member = Member(client)
    member.gets(0)
    polled = consumer(client, member)
    poll(polled)
    cluster.ages = {0: HOUR + 1}
    member.was_lost = True
    member.gets(0)
    poll(polled)
    assert cluster.times == [(0, EARLIEST), (0, LATEST)]


def test_partition_that_metadata_does_not_list_yet_is_decided_once_it_does(
    cluster: Cluster, client: Client
) -> None:
    cluster.ages = {0: 0}
    member = Member(client)
    member.gets(0, 1)
    polled = consumer(client, member)
    poll(polled)
    cluster.ages = {0: 5, 1: 5}
    poll(polled)
    assert cluster.times == [(0, EARLIEST), (1, EARLIEST)]


def test_partitions_that_the_coordinator_calls_new_start_by_their_own_policy(
    cluster: Cluster, client: Client
) -> None:
    cluster.ages = {0: -1, 1: -1}
    member = Member(client)
    member.gets(0, 1)
    member.new_partitions = {TopicPartition(TOPIC, 1)}
    poll(consumer(client, member, ResetPolicy(LATEST, new_partitions=EARLIEST)))
    assert cluster.times == [(0, LATEST), (1, EARLIEST)]


def test_broker_without_ages_is_an_error_only_with_the_setting() -> None:
    cluster = Cluster({"Metadata": (0, 13)})
    cluster.ages = {0: 0}
    with cluster.broker, Client(cluster.broker.bootstrap, timeout_ms=5_000) as client:
        member = Member(client)
        member.gets(0)
        poll(consumer(client, member, ResetPolicy(LATEST)))
        member.was_lost = True
        member.gets(0)
        with pytest.raises(UnsupportedVersion, match="version 14 is needed"):
            poll(consumer(client, member))
    assert cluster.times == [(0, LATEST)]


def test_topics_are_described_page_by_page_with_the_creation_time_of_each_partition() -> None:
    first = [(0, 1_700_000_000_000), (1, -1)]
    pages = [
        _page(first, describing.DescribeTopicPartitionsResponseCursor(TOPIC, 2)),
        _page([(2, 1_700_000_000_001)], None),
    ]
    with (
        ScriptedBroker({"DescribeTopicPartitions": lambda _: pages.pop(0)}) as broker,
        Client(broker.bootstrap, timeout_ms=5_000) as client,
    ):
        found = describe_topics(client, [TOPIC])[TOPIC]
        (_, _, one), (_, _, two) = (each for each in broker.requests if each[0] != "ApiVersions")
    assert [each.creation_time_ms for each in found.partitions] == [
        1_700_000_000_000,
        None,
        1_700_000_000_001,
    ]
    assert one.cursor is None
    assert (two.cursor.topic_name, two.cursor.partition_index) == (TOPIC, 2)


@pytest.mark.parametrize("highest", [0, -1])
def test_no_creation_time_is_known_of_a_broker_that_does_not_return_it(highest: int) -> None:
    cluster = Cluster({"DescribeTopicPartitions": (0, highest)})
    cluster.broker._answers["DescribeTopicPartitions"] = lambda _: _page([(0, 5)], None)
    cluster.ages = {0: 5}
    with cluster.broker, Client(cluster.broker.bootstrap, timeout_ms=5_000) as client:
        (described,) = describe_topics(client, [TOPIC])[TOPIC].partitions
    assert (described.partition, described.creation_time_ms) == (0, None)


def _page(created: list[tuple[int, int]], cursor: Any) -> Any:
    partitions = [
        describing.DescribeTopicPartitionsResponsePartition(partition_index=index, creation_time_ms=at)
        for index, at in created
    ]
    topic = describing.DescribeTopicPartitionsResponseTopic(name=TOPIC, partitions=partitions)
    return describing.DescribeTopicPartitionsResponse(topics=[topic], next_cursor=cursor)


def test_unanswered_fetch_counts_as_no_record(cluster: Cluster) -> None:
    """Kafka's tool polls until its time is over, whether or not the broker responds."""
    cluster.ages = {0: 0}
    cluster.silent = True
    with Client(cluster.broker.bootstrap, timeout_ms=300) as client:
        member = Member(client)
        member.gets(0)
        poll(consumer(client, member, idle_ms=250))
        assert cluster.fetched == {0: 100}
