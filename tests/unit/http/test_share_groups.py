"""/v1/share-groups: share groups, and the records that they have in flight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

import pytest

from tests.conformance.build_data import batch, produce, record
from tests.unit.http.asking import NOV_1, Asked, asked
from tidemark_testing.metrics import read_metrics

LOCK_MS: Final = 30_000
EARLIEST: Final = {
    "Resources": [
        {
            "ResourceType": 32,
            "ResourceName": "workers",
            "Configs": [
                {"Name": "share.auto.offset.reset", "ConfigOperation": 0, "Value": "earliest"},
                {"Name": "share.delivery.count.limit", "ConfigOperation": 0, "Value": "2"},
            ],
        }
    ]
}
ACCEPT, RELEASE, REJECT = 1, 2, 3
MEMBER: Final = str(UUID(int=7))


@pytest.fixture
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=2)
        yield broker


class Consumer:
    """A member of the share group `workers`, which reads `orders` from its beginning."""

    def __init__(self, broker: Asked, member: str = MEMBER) -> None:
        self.broker = broker
        self.client = broker.client()
        self.member = member
        self.epoch = 0
        self.topic_id = str(UUID(bytes=broker.whole.state.cluster.topics["orders"].topic_id))
        assert self.ask("IncrementalAlterConfigs", 1, EARLIEST)["Responses"][0]["ErrorCode"] == 0
        self.heartbeat(0, SubscribedTopicNames=["orders"])

    def ask(self, api: str, version: int, request: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self.broker.run(self.client.ask(api, version, request))
        return answer

    def heartbeat(self, epoch: int, **fields: Any) -> dict[str, Any]:
        request = {"GroupId": "workers", "MemberId": self.member, "MemberEpoch": epoch, **fields}
        answer = self.ask("ShareGroupHeartbeat", 1, request)
        assert answer["ErrorCode"] == 0, answer
        return answer

    def fetch(self, *acks: tuple[int, int, int], partition: int = 0, wait_ms: int = 0) -> list[Any]:
        """Acknowledge, then return (first, last, delivery count) of what is acquired."""
        batches = [{"FirstOffset": a, "LastOffset": b, "AcknowledgeTypes": [kind]} for a, b, kind in acks]
        wanted = [{"PartitionIndex": partition, "AcknowledgementBatches": batches}]
        request = {
            "GroupId": "workers", "MemberId": self.member, "ShareSessionEpoch": self.epoch,
            "MaxWaitMs": wait_ms, "MinBytes": 1, "MaxBytes": 1 << 20, "MaxRecords": 500, "BatchSize": 500,
            "Topics": [{"TopicId": self.topic_id, "Partitions": wanted}],
        }  # fmt: skip
        answer = self.ask("ShareFetch", 2, request)
        assert answer["ErrorCode"] == 0, answer
        self.epoch += 1
        partitions = [each for topic in answer["Responses"] for each in topic["Partitions"]]
        assert all(each["ErrorCode"] == each["AcknowledgeErrorCode"] == 0 for each in partitions), answer
        return [[*each.values()] for found in partitions for each in found["AcquiredRecords"]]

    def acknowledge(self, *acks: tuple[int, int, int]) -> None:
        batches = [{"FirstOffset": a, "LastOffset": b, "AcknowledgeTypes": [kind]} for a, b, kind in acks]
        topics = [
            {"TopicId": self.topic_id,
             "Partitions": [{"PartitionIndex": 0, "AcknowledgementBatches": batches}]}
        ]  # fmt: skip
        request = {
            "GroupId": "workers", "MemberId": self.member, "ShareSessionEpoch": self.epoch, "Topics": topics
        }  # fmt: skip
        answer = self.ask("ShareAcknowledge", 2, request)
        self.epoch += 1
        assert answer["ErrorCode"] == 0, answer
        assert answer["Responses"][0]["Partitions"][0]["ErrorCode"] == 0, answer

    def close(self) -> None:
        self.client.writer.close()
        self.broker.run(self.broker.whole.reads())


def send(broker: Asked, count: int, partition: int = 0) -> None:
    data = batch(*[record(timestamp=NOV_1)] * count)
    (answer,) = broker.run(broker.client().ask(*produce({"orders": {partition: data}})))["Responses"]
    assert answer["PartitionResponses"][0]["ErrorCode"] == 0, answer


def records(broker: Asked, **query: object) -> list[Any]:
    found: list[Any] = broker.get("/share-groups/records", group="workers", **query)["records"]
    return found


def states(broker: Asked) -> list[tuple[int, int, str]]:
    return [(each["first_offset"], each["last_offset"], each["state"]) for each in records(broker)]


def why(broker: Asked, offset: int) -> str:
    (found,) = (each for each in records(broker) if each["first_offset"] <= offset <= each["last_offset"])
    explanation: str = found["explanation"]
    return explanation


def consumer_of(broker: Asked, count: int) -> Consumer:
    """Return a consumer that has acquired so many records."""
    send(broker, count)
    consumer = Consumer(broker)
    acquired = consumer.fetch(wait_ms=10_000)
    assert acquired == [[0, count - 1, 1]]
    return consumer


def test_a_share_group_has_its_members_and_partitions(broker: Asked) -> None:
    consumer = consumer_of(broker, 3)
    (group,) = broker.get("/share-groups")["groups"]
    assert (group["group"], group["state"], group["partitions"]) == ("workers", "Stable", 2)
    assert group["settings"]["share.delivery.count.limit"] == 2
    (member,) = group["members"]
    assert (member["member_id"], member["subscription"]) == (consumer.member, ["orders"])
    first, second = broker.get("/share-groups/partitions", group="workers")["partitions"]
    assert (first["partition"], first["start_offset"], first["end_offset"]) == (0, 0, 2)
    assert first["records"] == {
        "available": 0,
        "acquired": 3,
        "acknowledged": 0,
        "archiving": 0,
        "archived": 0,
    }
    assert first["next_lock_end_ms"] == NOV_1 + LOCK_MS
    assert (first["in_use"], second["in_use"], second["start_offset"]) == (True, False, None)


def test_acquired_records_name_their_member_and_the_end_of_its_lock(broker: Asked) -> None:
    consumer = consumer_of(broker, 3)
    broker.passes(1_000)
    (held,) = records(broker)
    assert held.pop("explanation") == (
        f"Member {MEMBER} has acquired offsets 0 to 2 at 2026-11-01T10:00:00Z, in delivery 1 of 2. If it "
        "does not acknowledge them before 2026-11-01T10:00:30Z, they are available again."
    )
    assert held.pop("client_id") is not None
    assert held == {
        "topic": "orders", "partition": 0, "first_offset": 0, "last_offset": 2, "state": "acquired",
        "delivery_count": 1, "member_id": consumer.member, "since_ms": NOV_1, "lock_end_ms": NOV_1 + LOCK_MS,
        "is_stored": False, "cause": None, "in_flight": True,
    }  # fmt: skip


def test_a_lock_ends_at_the_time_that_was_shown(broker: Asked) -> None:
    consumer_of(broker, 1)
    broker.passes(LOCK_MS - 1)
    assert states(broker) == [(0, 0, "acquired")]
    broker.passes(1)
    assert states(broker) == [(0, 0, "available")]
    assert why(broker, 0) == (
        "Offset 0 is available after 1 delivery: the next fetch delivers it again, for the last time."
    )


def test_moved_wall_time_moves_the_shown_end_of_a_lock(broker: Asked) -> None:
    consumer_of(broker, 1)
    broker.post("/clock/advance", hours=1)
    (held,) = records(broker)
    assert held["state"] == "acquired"
    assert held["lock_end_ms"] == NOV_1 + 3_600_000 + LOCK_MS


def test_archived_records_say_why(broker: Asked) -> None:
    consumer = consumer_of(broker, 4)
    consumer.acknowledge((1, 1, REJECT), (2, 2, RELEASE), (3, 3, ACCEPT))
    assert consumer.fetch() == [[2, 2, 2]]
    consumer.acknowledge((2, 2, RELEASE))
    assert states(broker) == [
        (0, 0, "acquired"), (1, 1, "archived"), (2, 2, "archived"), (3, 3, "acknowledged"),
    ]  # fmt: skip
    assert why(broker, 1) == "Offset 1 is not delivered any more: a member has rejected it."
    assert why(broker, 2) == (
        "Offset 2 is not delivered any more: it was delivered 2 times, as often as "
        "share.delivery.count.limit allows, and never accepted."
    )
    assert why(broker, 3) == "Offset 3 was accepted by a member."


def test_archived_records_are_remembered_below_the_start_offset(broker: Asked) -> None:
    consumer = consumer_of(broker, 3)
    consumer.acknowledge((0, 0, ACCEPT), (1, 1, REJECT), (2, 2, ACCEPT))
    (first, _) = broker.get("/share-groups/partitions", group="workers")["partitions"]
    assert (first["start_offset"], first["end_offset"]) == (3, 3)
    assert states(broker) == [(0, 0, "acknowledged"), (1, 1, "archived"), (2, 2, "acknowledged")]
    assert [(each["in_flight"], each["cause"]) for each in records(broker)] == [
        (False, None), (False, "rejected"), (False, None),
    ]  # fmt: skip


def test_accepted_records_are_remembered_as_one_range(broker: Asked) -> None:
    consumer = consumer_of(broker, 3)
    consumer.acknowledge((0, 2, ACCEPT))
    send(broker, 4)
    assert consumer.fetch() == [[3, 6, 1]]
    consumer.acknowledge((3, 6, ACCEPT))
    assert states(broker) == [(0, 6, "acknowledged")]


def test_one_record_may_be_queried(broker: Asked) -> None:
    consumer = consumer_of(broker, 3)
    consumer.acknowledge((0, 0, REJECT), (1, 1, ACCEPT))

    def state_of(offset: int) -> str:
        (found,) = records(broker, topic="orders", partition=0, offset=offset)
        assert found["first_offset"] <= offset <= found["last_offset"]
        state: str = found["state"]
        return state

    found = [state_of(offset) for offset in range(4)]
    assert found == ["archived", "acknowledged", "acquired", "undelivered"]
    refusal = broker.get("/share-groups/records", group="workers", offset=3).refusal
    assert refusal == (422, "missing_field", "partition")


def test_nothing_is_known_of_records_below_the_beginning_of_a_group(broker: Asked) -> None:
    send(broker, 3)
    consumer = Consumer(broker)
    broker.run(consumer.client.ask("DeleteRecords", 2, {
        "Topics": [{"Name": "orders", "Partitions": [{"PartitionIndex": 0, "Offset": 2}]}], "TimeoutMs": 1000
    }))  # fmt: skip
    assert consumer.fetch(wait_ms=10_000) == [[2, 2, 1]]
    (found,) = records(broker, topic="orders", partition=0, offset=1)
    assert found["state"] == "forgotten"
    assert "below the start offset 2" in found["explanation"]


def test_causes_are_remembered_when_the_last_consumer_has_closed(broker: Asked) -> None:
    consumer = consumer_of(broker, 3)
    consumer.acknowledge((1, 1, REJECT))
    consumer.close()
    assert states(broker) == [(0, 0, "available"), (1, 1, "archived"), (2, 2, "available")]
    assert why(broker, 1) == "Offset 1 is not delivered any more: a member has rejected it."
    (first, _) = broker.get("/share-groups/partitions", group="workers")["partitions"]
    assert (first["in_use"], first["start_offset"]) == (False, 0)


def test_pages_have_each_run_once(broker: Asked) -> None:
    consumer = consumer_of(broker, 20)
    consumer.acknowledge(*((offset, offset, REJECT) for offset in range(1, 20, 2)))
    whole = records(broker)
    assert len(whole) == 20
    pages = [*broker.pages("/share-groups/records", "records", group="workers", limit=3)]
    assert [len(page) for page in pages] == [3] * 6 + [2]
    assert [each for page in pages for each in page] == whole
    partitions = [*broker.pages("/share-groups/partitions", "partitions", group="workers", limit=1)]
    assert [each["partition"] for page in partitions for each in page] == [0, 1]
    assert records(broker, topic="orders", partition=1) == []


def test_locks_end_on_request(broker: Asked) -> None:
    consumer = consumer_of(broker, 3)
    ended = broker.post("/share-groups/expire_locks", group="workers")
    assert ended["partitions"] == [{"topic": "orders", "partition": 0, "records": 3}]
    assert states(broker) == [(0, 2, "available")]
    assert consumer.fetch() == [[0, 2, 2]]
    assert broker.post("/share-groups/expire_locks", group="workers", topic="orders", partition=0)[
        "partitions"
    ]
    assert states(broker) == [(0, 2, "archived")]
    assert broker.post("/share-groups/expire_locks", group="workers")["partitions"] == []


def test_wrong_requests_are_refused(broker: Asked) -> None:
    broker.commit("billing")
    assert broker.get("/share-groups", group="nobody").refusal == (404, "unknown_group", "group")
    assert broker.get("/share-groups", group="billing").refusal == (404, "not_a_share_group", "group")
    assert broker.get("/share-groups/records").refusal == (422, "missing_field", "group")
    assert broker.get("/share-groups/records", group="workers", partition=0).refusal[2] == "topic"
    refused = broker.get("/share-groups/records", group="workers", topic="nothing").refusal
    assert refused == (404, "unknown_topic", "topic")
    assert broker.post("/share-groups/expire_locks").refusal[2] == "group"
    assert broker.get("/share-groups")["groups"] == []


def test_metrics_have_the_names_of_kafka(broker: Asked) -> None:
    before = read_metrics(broker.ask("GET", "/metrics").text)
    assert before.value("kafka_server_group_coordinator_metrics_share_group_count", state="Stable") == 0
    assert before.value("kafka_server_sharesessioncache_sharesessionscount") == 0
    consumer = consumer_of(broker, 3)
    consumer.acknowledge((1, 1, ACCEPT))
    value = read_metrics(broker.ask("GET", "/metrics").text).value
    assert value("kafka_server_group_coordinator_metrics_share_group_count", state="Stable") == 1
    assert value("kafka_server_group_coordinator_metrics_group_count", protocol="share") == 1
    assert value("kafka_server_group_coordinator_metrics_consumer_group_count", state="Stable") == 0
    assert value("kafka_server_group_coordinator_metrics_share_group_rebalance_count") == 1
    assert value("tidemark_consumer_group_rebalances_total") == 0  # they count elsewhere
    assert value("kafka_server_sharesessioncache_sharesessionscount") == 1
    assert value("kafka_server_sharesessioncache_sharepartitionscount") == 1
    where = {"group": "workers", "topic": "orders", "partition": "0"}
    assert value("kafka_server_sharepartitionmetrics_inflightmessagecount", **where) == 3
    assert value("kafka_server_sharepartitionmetrics_inflightbatchcount", **where) == 1
    assert value("tidemark_share_records", state="acquired") == 2
    assert value("tidemark_share_records", state="acknowledged") == 1
    consumer.close()
    after = read_metrics(broker.ask("GET", "/metrics").text).value
    assert after("kafka_server_sharesessioncache_sharesessionscount") == 0
    assert after("kafka_server_sharesessioncache_sharesessionevictions_total") == 1
