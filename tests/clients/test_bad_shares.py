"""Hostile members of share groups (KIP-932): ranges that are none, sessions without end, huge requests.

The codes of ordinary mistakes are compared in tests/conformance/cases/share_*.py. After each request, the
next client is still served, and none has waited long meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final
from uuid import UUID

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.copiers import produce
from tests.clients.load import batch_of
from tests.faults.fuzz.probe import Probe
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(300)]

TOPIC: Final = "orders"
UNKNOWN: Final = str(UUID(int=7))
RECORDS: Final = 500
RECORD_MAX: Final = 2**63 - 1
EPOCH_MAX: Final = 2**31 - 1
MANY: Final = 90_000  # a request may have 100,000 elements of arrays
SESSIONS_MAX: Final = 1_000
GROUP_RESOURCE: Final = 32
STALL_MS: Final = 100.0
ACCEPT, REJECT, RENEW = 1, 3, 4
SETTINGS: Final = {
    "group.share.assignment.interval.ms": "0",
    "group.share.max.share.sessions": str(SESSIONS_MAX),
}
NUMBERS: Final = count()
Range = tuple[int, int, list[int]]


class Member:
    """A member of a share group on a connection of its own. `acquired` are the offsets that it holds."""

    def __init__(self, broker: BrokerProcess, group: str, name: str = "m") -> None:
        self.connection = Connection(broker.bootstrap)
        self.bootstrap = broker.bootstrap
        self.group, self.name, self.topic = group, name, f"{TOPIC}-{group}"
        self.epoch = 0

    def ready(self, records: int = RECORDS, batches: int = 1) -> Member:
        """Write records, join the group, and acquire the first batch."""
        self.ask(
            "CreateTopics", 7, {"Topics": [{"Name": self.topic, "NumPartitions": 1, "ReplicationFactor": 1}]}
        )
        config = {"Name": "share.auto.offset.reset", "ConfigOperation": 0, "Value": "earliest"}
        resource = {"ResourceType": GROUP_RESOURCE, "ResourceName": self.group, "Configs": [config]}
        self.ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
        self.topic_id = self.ask("Metadata", 12, {"Topics": [{"Name": self.topic}]})["Topics"][0]["TopicId"]
        for _ in range(batches):
            produce(self.bootstrap, self.topic, 0, batch_of([b"v"] * records))
        self.ask("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": [self.group]})
        epoch, assigned = 0, False
        while not assigned:
            beat = {"GroupId": self.group, "MemberId": self.name, "MemberEpoch": epoch}
            topics = [self.topic] if epoch == 0 else None
            answered = self.ask("ShareGroupHeartbeat", 1, beat | {"SubscribedTopicNames": topics})
            if answered["ErrorCode"] == 0:
                epoch = answered["MemberEpoch"]
            assigned = bool(answered["Assignment"] and answered["Assignment"]["TopicPartitions"])
        (partition,) = self.fetch([(self.topic_id, [0])])["Responses"][0]["Partitions"]
        (acquired,) = partition["AcquiredRecords"]
        assert (acquired["FirstOffset"], acquired["LastOffset"]) == (0, records - 1)
        return self

    def ask(self, api: str, version: int, message: dict[str, Any]) -> dict[str, Any]:
        answered: dict[str, Any] = self.connection.ask(api, version, message)
        return answered

    def of_fetch(
        self, topics: list[tuple[str, list[int]]], epoch: int, ranges: list[Range], **more: Any
    ) -> dict[str, Any]:
        named = [
            {"TopicId": topic, "Partitions": [_partition(index, ranges) for index in partitions]}
            for topic, partitions in topics
        ]
        return {
            "GroupId": self.group, "MemberId": self.name, "ShareSessionEpoch": epoch, "MaxWaitMs": 0,
            "MinBytes": 1, "MaxBytes": 1 << 20, "MaxRecords": RECORDS, "BatchSize": RECORDS, "Topics": named,
            **more,
        }  # fmt: skip

    def fetch(
        self, topics: list[tuple[str, list[int]]], *ranges: Range, epoch: int | None = None, **more: Any
    ) -> dict[str, Any]:
        epoch = self.epoch if epoch is None else epoch
        answered = self.ask("ShareFetch", 2, self.of_fetch(topics, epoch, list(ranges), **more))
        if answered["ErrorCode"] == 0:
            self.epoch = epoch + 1
        return answered

    def acknowledge(self, *ranges: Range) -> int:
        """Return the error of the partition, or of the request."""
        message = {
            "GroupId": self.group, "MemberId": self.name, "ShareSessionEpoch": self.epoch,
            "Topics": [{"TopicId": self.topic_id, "Partitions": [_partition(0, list(ranges))]}],
        }  # fmt: skip
        answered = self.ask("ShareAcknowledge", 2, message)
        assert answered["ErrorCode"] == 0, answered["ErrorCode"]
        self.epoch += 1
        code: int = answered["Responses"][0]["Partitions"][0]["ErrorCode"]
        return code


def _partition(index: int, ranges: list[Range]) -> dict[str, Any]:
    batches = [
        {"FirstOffset": first, "LastOffset": last, "AcknowledgeTypes": types} for first, last, types in ranges
    ]
    return {"PartitionIndex": index, "AcknowledgementBatches": batches}


def errors(answered: dict[str, Any]) -> list[int]:
    return [each["ErrorCode"] for topic in answered["Responses"] for each in topic["Partitions"]]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("broker"), SETTINGS, forked=False)
    running.start()
    Member(running, "first").ready().connection.close()  # the first one lets the broker import what it needs
    yield running
    running.stop()


@pytest.fixture(scope="module")
def prober(broker: BrokerProcess) -> Iterator[Probe]:
    probe = Probe(broker.bootstrap, broker.pid)
    yield probe
    probe.stop()


@pytest.fixture(autouse=True)
def probe(broker: BrokerProcess, prober: Probe, request: pytest.FixtureRequest) -> Iterator[Probe]:
    """Check that no other client has waited for long."""
    prober.begin()
    yield prober
    stall = prober.end()
    print(f"{request.node.name}: {stall.ms:.0f} ms, {stall.by_the_clock_ms:.0f} ms by the clock")
    assert stall.ms < STALL_MS, stall


@pytest.mark.parametrize(
    "ranges",
    [
        [(5, 4, [ACCEPT])],
        [(RECORD_MAX, 0, [ACCEPT])],
        [(0, 9, [ACCEPT]), (5, 14, [ACCEPT])],
        [(10, 19, [ACCEPT]), (0, 9, [ACCEPT])],
        [(0, 9, [])],
        [(0, 9, [ACCEPT] * 9)],
        [(0, 9, [5])],
        [(0, 9, [-1])],
        [(0, RECORD_MAX, [ACCEPT])],
        [(0, RECORDS, [ACCEPT])],
        [(0, MANY - 1, [0, ACCEPT] * (MANY // 2))],
        [(RECORDS, RECORDS + 9, [ACCEPT])],
    ],
    ids=[
        "backwards", "backwards-from-the-largest", "overlap", "unsorted", "no-type", "too-few-types",
        "unknown-type", "negative-type", "up-to-the-largest", "one-too-many", "many-gaps", "not-yet-read",
    ],
)  # fmt: skip
def test_ranges_that_are_refused_acknowledge_nothing(
    broker: BrokerProcess, ranges: list[Range], request: pytest.FixtureRequest
) -> None:
    member = Member(broker, f"ranges-{request.node.callspec.id}").ready()
    assert member.acknowledge(*ranges) == ErrorCode.INVALID_REQUEST
    assert member.acknowledge((0, RECORDS - 1, [ACCEPT])) == 0
    member.connection.close()


@pytest.fixture
def member(broker: BrokerProcess) -> Iterator[Member]:
    member = Member(broker, f"group-{next(NUMBERS)}").ready()
    yield member
    member.connection.close()


def test_a_request_with_a_million_gaps_closes_the_connection(member: Member) -> None:
    with pytest.raises(ConnectionError):
        member.acknowledge((0, 999_999, [0, ACCEPT] * 500_000))


def test_very_many_ranges_are_refused(member: Member) -> None:
    ranges: list[Range] = [(RECORDS + at, RECORDS + at, [ACCEPT]) for at in range(MANY // 2)]
    assert member.acknowledge(*ranges) == ErrorCode.INVALID_REQUEST
    # The same record very many times: the first acknowledgement is undone, too.
    assert member.acknowledge(*[(0, 0, [ACCEPT])] * (MANY // 2)) == ErrorCode.INVALID_RECORD_STATE
    assert member.acknowledge((0, RECORDS - 1, [ACCEPT])) == 0


def test_records_that_the_member_does_not_hold_are_refused(broker: BrokerProcess, member: Member) -> None:
    thief = Member(broker, member.group, "thief")
    thief.topic_id = member.topic_id
    thief.fetch([(member.topic_id, [0])])
    for ranges in ([(0, RECORDS - 1, [ACCEPT])], [(at, at, [REJECT]) for at in range(RECORDS)]):
        assert thief.acknowledge(*ranges) == ErrorCode.INVALID_RECORD_STATE
    assert member.acknowledge((0, RECORDS - 1, [ACCEPT])) == 0
    assert member.acknowledge((0, RECORDS - 1, [REJECT])) == 0  # below the start offset: ignored, as in Kafka
    thief.connection.close()


@pytest.mark.parametrize("epoch", [-(2**31), -2, 2, EPOCH_MAX])
def test_wrong_epochs_of_a_session_are_refused(member: Member, epoch: int) -> None:
    answered = member.fetch([(member.topic_id, [0])], epoch=epoch)
    assert answered["ErrorCode"] == ErrorCode.INVALID_SHARE_SESSION_EPOCH
    message = {"GroupId": member.group, "MemberId": member.name, "ShareSessionEpoch": epoch, "Topics": []}
    refused = member.ask("ShareAcknowledge", 2, message)["ErrorCode"]
    assert refused == ErrorCode.INVALID_SHARE_SESSION_EPOCH
    message["MemberId"] = "unknown"
    assert member.ask("ShareAcknowledge", 2, message)["ErrorCode"] == ErrorCode.SHARE_SESSION_NOT_FOUND
    assert member.acknowledge((0, RECORDS - 1, [ACCEPT])) == 0


def test_two_members_with_one_id_take_the_session_from_each_other(
    broker: BrokerProcess, member: Member
) -> None:
    twin = Member(broker, member.group)
    twin.topic_id = member.topic_id
    assert twin.fetch([(member.topic_id, [0])])["ErrorCode"] == 0
    assert member.acknowledge((0, 9, [ACCEPT])) == 0  # it has guessed the epoch, 1
    assert twin.fetch([(member.topic_id, [0])])["ErrorCode"] == ErrorCode.INVALID_SHARE_SESSION_EPOCH
    assert member.acknowledge((10, RECORDS - 1, [ACCEPT])) == 0
    twin.connection.close()


def test_sessions_without_end_are_limited(broker: BrokerProcess, member: Member) -> None:
    with Connection(broker.bootstrap) as greedy:
        codes = []
        for at in range(SESSIONS_MAX + 5):
            message = member.of_fetch([(member.topic_id, [0])], 0, []) | {"MemberId": f"m{at}"}
            codes.append(greedy.ask("ShareFetch", 2, message)["ErrorCode"])
        opened = codes.count(0)
        assert SESSIONS_MAX - 50 < opened < SESSIONS_MAX
        assert set(codes[opened:]) == {ErrorCode.SHARE_SESSION_LIMIT_REACHED}
    assert member.acknowledge((0, RECORDS - 1, [ACCEPT])) == 0


def test_sessions_with_very_many_partitions_delay_nobody(broker: BrokerProcess, member: Member) -> None:
    """tests/unit/broker/share/test_sessions.py has their limit."""
    greedy = Member(broker, "greedy", "greedy")
    greedy.connection.socket.settimeout(120)
    for first in (0, MANY):
        answered = greedy.fetch([(UNKNOWN, list(range(first, first + MANY)))])
        assert set(errors(answered)) == {ErrorCode.UNKNOWN_TOPIC_ID}
    forgotten = [{"TopicId": UNKNOWN, "Partitions": list(range(MANY))}]
    assert len(errors(greedy.fetch([], ForgottenTopicsData=forgotten))) == MANY
    greedy.connection.close()
    # Partitions of a topic that exists, which has only one.
    other = Member(broker, "greedy", "other")
    other.connection.socket.settimeout(120)
    answered = other.fetch([(member.topic_id, list(range(1, MANY)))])
    assert set(errors(answered)) == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    other.connection.close()


def test_acknowledgements_of_very_many_partitions_are_refused(member: Member) -> None:
    message = {
        "GroupId": member.group, "MemberId": member.name, "ShareSessionEpoch": member.epoch,
        "Topics": [
            {
                "TopicId": member.topic_id,
                "Partitions": [_partition(at, [(0, 0, [ACCEPT])]) for at in range(1, MANY // 3)],
            }
        ],
    }  # fmt: skip
    answered = member.ask("ShareAcknowledge", 2, message)
    assert set(errors(answered)) == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


def test_many_locks_that_are_renewed_and_end_delay_nobody(broker: BrokerProcess) -> None:
    member = Member(broker, "locks").ready()
    for _ in range(50):
        for first in (0, 1):
            ranges: list[Range] = [(at, at, [RENEW]) for at in range(first, RECORDS, 2)]
            message = {
                "GroupId": member.group, "MemberId": member.name, "ShareSessionEpoch": member.epoch,
                "IsRenewAck": True,
                "Topics": [{"TopicId": member.topic_id, "Partitions": [_partition(0, ranges)]}],
            }  # fmt: skip
            answered = member.ask("ShareAcknowledge", 2, message)
            assert errors(answered) == [0]
            member.epoch += 1
    member.connection.close()


@pytest.mark.parametrize("length", [0, 5, 40_000], ids=["single", "overlapping", "layers"])
def test_very_many_state_batches_delay_nobody(broker: BrokerProcess, member: Member, length: int) -> None:
    """A write is combined with the stored batches in steps."""
    some = 22_000
    topics = [{"TopicId": member.topic_id, "Partitions": [{"Partition": 0}]}]

    def state(api: str, **fields: Any) -> dict[str, Any]:
        topics[0]["Partitions"] = [{"Partition": 0, **fields}]
        request = {"GroupId": f"states-{length}", "Topics": topics}
        (partition,) = member.ask(api, 0, request)["Results"][0]["Partitions"]
        return dict(partition)

    assert state("InitializeShareGroupState", StateEpoch=0, StartOffset=0)["ErrorCode"] == 0
    for shift, counts in ((0, 1), (1, 3)):
        batches = [
            {"FirstOffset": at + shift, "LastOffset": at + shift + length, "DeliveryState": 2 * (at % 2),
             "DeliveryCount": 1 + at % counts}
            for at in range(0, 2 * some, 2)
        ]  # fmt: skip
        written = state(
            "WriteShareGroupState", StateEpoch=0, LeaderEpoch=0, StartOffset=0, StateBatches=batches
        )
        assert written["ErrorCode"] in (0, ErrorCode.UNKNOWN_SERVER_ERROR)  # too many are refused
    assert state("ReadShareGroupState", LeaderEpoch=0)["StateBatches"]
