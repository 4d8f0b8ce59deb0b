"""Records of share groups through the fixture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from tidemark_protocol import from_dict
from tidemark_protocol.errors import ErrorCode
from tidemark_testing import AsyncTidemark, Tidemark
from tidemark_tools.client.client import Client

ACCEPT, RELEASE, REJECT = 1, 2, 3
MEMBER = str(UUID(int=7))


class Worker:
    """A member of the share group `workers`, which reads partition 0 of a topic from its beginning."""

    def __init__(self, tidemark: Tidemark, topic: str) -> None:
        self.client = Client(tidemark.bootstrap_servers)
        self.topic = topic
        config = {"Name": "share.auto.offset.reset", "ConfigOperation": 0, "Value": "earliest"}
        resource = {"ResourceType": 32, "ResourceName": "workers", "Configs": [config]}
        self.ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
        described = self.ask("Metadata", 12, {"Topics": [{"Name": topic}]})
        self.topic_id = str(UUID(bytes=bytes(described.topics[0].topic_id)))
        self.session = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def join(self) -> int:
        joining = {
            "GroupId": "workers", "MemberId": MEMBER, "MemberEpoch": 0, "SubscribedTopicNames": [self.topic]
        }  # fmt: skip
        self.ask("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": ["workers"]})
        joined = self.ask("ShareGroupHeartbeat", 1, joining)
        code: int = joined.error_code
        return code

    def ask(self, api: str, version: int, message: dict[str, Any]) -> Any:
        return self.client.call(from_dict(f"{api}Request", message), max_version=version)

    def fetch(self, *acks: tuple[int, int]) -> Any:
        """Acknowledge each (offset, type), then acquire. Return the response."""
        batches = [
            {"FirstOffset": offset, "LastOffset": offset, "AcknowledgeTypes": [kind]} for offset, kind in acks
        ]
        partition = {"PartitionIndex": 0, "AcknowledgementBatches": batches}
        request = {
            "GroupId": "workers", "MemberId": MEMBER, "ShareSessionEpoch": self.session,
            "MaxWaitMs": 0 if acks else 5_000, "MinBytes": 1, "MaxBytes": 1 << 20, "MaxRecords": 500,
            "BatchSize": 500, "Topics": [{"TopicId": self.topic_id, "Partitions": [partition]}],
        }  # fmt: skip
        self.session += 1
        return self.ask("ShareFetch", 2, request)


@pytest.fixture
def worker(tidemark: Tidemark) -> Iterator[Worker]:
    """Return a worker that has acquired the three records of `jobs`."""
    tidemark.produce(tidemark.topic("jobs"), *"abc")
    with Worker(tidemark, "jobs") as worker:
        assert worker.join() == ErrorCode.NONE
        worker.fetch()
        yield worker


def test_records_in_flight_have_their_holder(tidemark: Tidemark, worker: Worker) -> None:
    (held,) = tidemark.share_records("workers", "jobs")
    assert (held.state, held.first_offset, held.last_offset, held.member_id) == ("acquired", 0, 2, MEMBER)
    assert held.delivery_count == 1
    assert held.lock_end_ms is not None
    assert str(held).startswith(f"Member {MEMBER} has acquired offsets 0 to 2 at ")
    partition = tidemark.share_partitions("workers")["jobs", 0]
    assert (partition.start_offset, partition.end_offset, partition.undelivered) == (0, 2, 0)
    assert tidemark.share_records("nobody") == []


def test_an_accepted_record_is_acknowledged(tidemark: Tidemark, worker: Worker) -> None:
    worker.fetch((1, ACCEPT))
    tidemark.assert_acknowledged("workers", "jobs", 1)
    with pytest.raises(AssertionError, match="offset 0 of jobs-0: Member .* has acquired offset 0 "):
        tidemark.assert_acknowledged("workers", "jobs", 0)
    with pytest.raises(AssertionError, match="offset 7 of jobs-0: Offset 7 was not delivered yet"):
        tidemark.assert_acknowledged("workers", "jobs", 7)


def test_every_record_of_a_topic_may_be_asserted(tidemark: Tidemark, worker: Worker) -> None:
    with pytest.raises(AssertionError, match="has not acknowledged jobs: jobs-0: Member .* has acquired"):
        tidemark.assert_acknowledged("workers", "jobs")
    worker.fetch((0, ACCEPT), (1, ACCEPT), (2, ACCEPT))
    tidemark.assert_acknowledged("workers", "jobs")
    tidemark.produce("jobs", "d")
    with pytest.raises(AssertionError, match="1 offset of jobs-0 were not delivered yet"):
        tidemark.assert_acknowledged("workers", "jobs", timeout=0.1)


def test_a_rejected_record_fails_the_assertion_with_the_reason(tidemark: Tidemark, worker: Worker) -> None:
    worker.fetch((0, ACCEPT), (1, REJECT), (2, ACCEPT))
    with pytest.raises(AssertionError, match="Offset 1 is not delivered any more: a member has rejected it"):
        tidemark.assert_acknowledged("workers", "jobs")
    assert tidemark.share_record("workers", "jobs", 1).cause == "rejected"


def test_locks_expire_on_request_until_records_are_archived(tidemark: Tidemark, worker: Worker) -> None:
    for delivery in range(1, 6):
        assert tidemark.share_record("workers", "jobs", 2).delivery_count == delivery
        assert tidemark.expire_locks("workers")
        while delivery < 5 and tidemark.share_record("workers", "jobs", 2).state != "acquired":
            worker.fetch()  # from the third delivery on, Kafka delivers records in smaller parts
    found = tidemark.share_record("workers", "jobs", 2)
    assert (found.state, found.cause) == ("archived", "delivered_too_often")
    assert "delivered 5 times, as often as share.delivery.count.limit allows" in str(found)


def test_an_acknowledgement_after_the_lock_is_refused(tidemark: Tidemark, worker: Worker) -> None:
    assert tidemark.expire_locks("workers", "jobs", 0) == 3
    fetched = worker.fetch((0, ACCEPT))
    assert fetched.responses[0].partitions[0].acknowledge_error_code == ErrorCode.INVALID_RECORD_STATE
    assert tidemark.expire_locks("workers", "jobs", 0) == 3  # the fetch has acquired them again


def test_unknown_groups_are_named(tidemark: Tidemark, worker: Worker) -> None:
    with pytest.raises(LookupError, match="there is no group 'werkers'"):
        tidemark.expire_locks("werkers")
    with pytest.raises(LookupError, match="group werkers has not read jobs-0"):
        tidemark.share_record("werkers", "jobs", 0)
    with pytest.raises(AssertionError, match="group werkers has not acknowledged jobs: it does not read"):
        tidemark.assert_acknowledged("werkers", "jobs")


async def test_the_methods_are_coroutines_of_the_asynchronous_fixture(
    async_tidemark: AsyncTidemark,
) -> None:
    assert await async_tidemark.share_records("nobody") == []
    assert await async_tidemark.share_partitions("nobody") == {}


@pytest.mark.parametrize(
    ("api", "filters"),
    [
        ("ShareFetch", {"group": "workers"}),
        ("ShareFetch", {"topic": "jobs", "partition": 0}),
        ("ShareGroupHeartbeat", {"group": "workers", "topic": "jobs"}),
    ],
)
def test_faults_match_requests_of_share_groups(tidemark: Tidemark, api: Any, filters: Any) -> None:
    tidemark.produce(tidemark.topic("jobs"), *"abc")
    fault = tidemark.faults.add(api=api, error="COORDINATOR_NOT_AVAILABLE", **filters)
    other = tidemark.faults.add(api=api, error="UNKNOWN_SERVER_ERROR", group="others")
    with Worker(tidemark, "jobs") as worker:
        codes = {worker.join()}
        if api == "ShareFetch":
            fetched = worker.fetch()
            codes |= {fetched.error_code}
            codes |= {each.error_code for topic in fetched.responses for each in topic.partitions}
    assert ErrorCode.COORDINATOR_NOT_AVAILABLE in codes
    assert (fault.matched, other.matched) == (1, 0)


def test_a_fault_matches_a_topic_that_only_the_session_names(tidemark: Tidemark, worker: Worker) -> None:
    fault = tidemark.faults.add(api="ShareFetch", topic="jobs", partition=0, error="KAFKA_STORAGE_ERROR")
    other = tidemark.faults.add(api="ShareFetch", topic=tidemark.topic("other"), error="UNKNOWN_SERVER_ERROR")
    worker.ask("ShareFetch", 2, {
        "GroupId": "workers", "MemberId": MEMBER, "ShareSessionEpoch": 1, "MaxWaitMs": 0, "MinBytes": 1,
        "MaxBytes": 1 << 20, "MaxRecords": 500, "BatchSize": 500,
    })  # fmt: skip
    assert fault.matched == 1
    assert other.matched == 0
