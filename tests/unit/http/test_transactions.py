"""GET /v1/transactions: transactional ids, and what their transactions hold back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.conformance.build import Request
from tests.conformance.build_data import batch, produce, record
from tests.conformance.build_transactions import add_offsets, commit_offsets, end, init
from tests.unit.http.asking import DAY_MS, NOV_1, Asked, asked
from tidemark_protocol.batch import TRANSACTIONAL
from tidemark_testing.metrics import read_metrics

TIMEOUT_MS: Final = 60_000
WEEK_MS: Final = 7 * DAY_MS


@pytest.fixture
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=2, payments=1)
        yield broker


class Producer:
    """A transactional producer of transactions V2."""

    def __init__(self, broker: Asked, name: str, timeout_ms: int = TIMEOUT_MS) -> None:
        self._broker = broker
        self._client = broker.client()
        self.name = name
        assert self.ask(("FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": [name]}))
        self.begun = self.ask(init(name, timeout_ms=timeout_ms))
        assert self.begun["ErrorCode"] == 0
        self.id, self.epoch = self.begun["ProducerId"], self.begun["ProducerEpoch"]

    def ask(self, request: Request) -> dict[str, Any]:
        answer: dict[str, Any] = self._broker.run(self._client.ask(*request))
        return answer

    def send(self, topic: str, partition: int = 0, count: int = 1, sequence: int = 0) -> None:
        data = batch(
            *[record(timestamp=NOV_1)] * count, attributes=TRANSACTIONAL, producer_id=self.id,
            producer_epoch=self.epoch, base_sequence=sequence,
        )  # fmt: skip
        request = produce({topic: {partition: data}}, transactional_id=self.name, version=12)
        (answer,) = self.ask(request)["Responses"]
        assert answer["PartitionResponses"][0]["ErrorCode"] == 0, answer

    def commit(self, group: str, topic: str = "orders", partition: int = 0, offset: int = 5) -> None:
        """Add the offset of a group to the transaction."""
        assert self.ask(add_offsets(self.name, self.id, self.epoch, group))["ErrorCode"] == 0
        request = commit_offsets(self.name, group, self.id, self.epoch, {topic: {partition: offset}})
        (answer,) = self.ask(request)["Topics"]
        assert answer["Partitions"][0]["ErrorCode"] == 0, answer

    def end(self, *, commit: bool = True) -> None:
        assert self.ask(end(self.name, self.id, self.epoch, commit=commit))["ErrorCode"] == 0


def of(broker: Asked, name: str) -> dict[str, Any]:
    (entry,) = broker.get("/transactions", transactional_id=name)["transactions"]
    found: dict[str, Any] = entry
    return found


def names(broker: Asked, **query: object) -> list[str | None]:
    return [each["transactional_id"] for each in broker.get("/transactions", **query)["transactions"]]


def test_an_open_transaction_shows_what_it_holds_back(broker: Asked) -> None:
    producer = Producer(broker, "shop")
    producer.send("orders", count=3)
    broker.passes(20_000)
    entry = of(broker, "shop")
    explanation = entry.pop("explanation")
    assert entry == {
        "transactional_id": "shop",
        "state": "Ongoing",
        "producer_id": producer.id,
        "producer_epoch": 0,
        "timeout_ms": TIMEOUT_MS,
        "last_update_ms": NOV_1,
        "started_ms": NOV_1,
        "age_ms": 20_000,
        "aborted_ms": NOV_1 + TIMEOUT_MS,
        "expires_ms": None,
        "partitions": [
            {
                "topic": "orders", "partition": 0, "first_offset": 0, "last_stable_offset": 0,
                "high_watermark": 3, "records_held_back": 3, "blocks": True,
            }
        ],
        "pending_offsets": 0,
        "offsets": [],
    }  # fmt: skip
    assert "do not see orders-0 from offset 0 on (3 offsets)" in explanation


def test_only_the_first_transaction_blocks_a_partition(broker: Asked) -> None:
    first, second = Producer(broker, "first"), Producer(broker, "second")
    first.send("orders", count=2)
    second.send("orders")
    (partition,) = of(broker, "second")["partitions"]
    assert (partition["first_offset"], partition["last_stable_offset"]) == (2, 0)
    assert not partition["blocks"]
    first.end()
    (partition,) = of(broker, "second")["partitions"]
    assert partition["blocks"]


def test_pending_offsets_and_their_groups_are_shown(broker: Asked) -> None:
    broker.commit("billing", offset=1)
    producer = Producer(broker, "shop")
    producer.commit("billing")
    entry = of(broker, "shop")
    assert entry["pending_offsets"] == 1
    assert entry["offsets"] == [{"group": "billing", "topic": "orders", "partition": 0}]
    assert "It has pending offsets of group billing" in entry["explanation"]
    (offset,) = broker.get("/offsets", group="billing")["offsets"]
    assert offset["rule"] == "pending_transaction"
    assert f"transactional id shop (producer {producer.id}, epoch 0)" in offset["explanation"]
    producer.end()
    assert of(broker, "shop")["pending_offsets"] == 0


def test_an_ended_transaction_holds_back_nothing_and_its_id_expires(broker: Asked) -> None:
    producer = Producer(broker, "shop")
    producer.send("orders")
    producer.end(commit=False)
    entry = of(broker, "shop")
    assert entry["state"] == "CompleteAbort"
    assert (entry["started_ms"], entry["age_ms"], entry["aborted_ms"]) == (None, None, None)
    assert entry["expires_ms"] == NOV_1 + WEEK_MS
    assert entry["partitions"] == []


def test_ids_are_listed_in_order_and_in_pages(broker: Asked) -> None:
    for name in ("b", "", "a b", "c"):
        if name:
            Producer(broker, name)
    assert names(broker) == ["a b", "b", "c"]
    pages = list(broker.pages("/transactions", "transactions", limit=2))
    assert [[each["transactional_id"] for each in page] for page in pages] == [["a b", "b"], ["c"]]


def test_filters_by_state_and_topic(broker: Asked) -> None:
    Producer(broker, "idle")
    Producer(broker, "orders").send("orders")
    Producer(broker, "payments").send("payments")
    assert names(broker, state="Ongoing") == ["orders", "payments"]
    assert names(broker, topic="payments") == ["payments"]
    assert names(broker, state="Empty", topic="payments") == []
    assert broker.get("/transactions", state="Open").refusal == (422, "invalid_value", "state")


def test_a_transaction_that_the_coordinator_does_not_know_is_listed_as_hanging(broker: Asked) -> None:
    producer = Producer(broker, "lost")
    producer.send("orders", 1, count=2)
    for _ in range(2):  # as if the record of the transaction had been lost
        transaction = broker.whole.engine.transactions.transactions.by_id["lost"]  # type: ignore[union-attr]
        transaction.partitions.clear()
    (entry,) = broker.get("/transactions", state="Hanging")["transactions"]
    assert (entry["transactional_id"], entry["producer_id"]) == (None, producer.id)
    assert entry["partitions"][0]["blocks"]
    assert "--topic orders --partition 1 --start-offset 0` aborts it there." in entry["explanation"]
    assert names(broker) == ["lost", None]
    pages = list(broker.pages("/transactions", "transactions", limit=1))
    assert [[each["transactional_id"] for each in page] for page in pages] == [["lost"], [None]]


def test_an_unknown_id_is_404_and_no_id_at_all_is_an_empty_list(broker: Asked) -> None:
    refusal = (404, "unknown_transactional_id", "transactional_id")
    assert names(broker) == []
    assert broker.get("/transactions", transactional_id="nosuch").refusal == refusal
    Producer(broker, "shop")
    assert broker.get("/transactions", transactional_id="nosuch").refusal == refusal


def metric(broker: Asked, name: str, **labels: str) -> float:
    return read_metrics(broker.ask("GET", "/metrics").text).value(name, **labels)


def test_metrics_count_ids_by_state_and_show_what_is_held_back(broker: Asked) -> None:
    assert metric(broker, "tidemark_transactional_ids") == 0
    Producer(broker, "idle")
    Producer(broker, "busy").send("orders", count=3)
    lag = "kafka_cluster_partition_laststableoffsetlag"
    assert [metric(broker, lag, topic="orders", partition=str(index)) for index in (0, 1)] == [3, 0]
    for state, count in (("Empty", 1), ("Ongoing", 1), ("PrepareCommit", 0)):
        assert metric(broker, "tidemark_transactional_ids", state=state) == count
    assert metric(broker, "tidemark_oldest_transaction_start_timestamp_seconds") == NOV_1 / 1000
    assert metric(broker, "kafka_server_replicamanager_produceridcount") == 1


def test_a_partition_with_a_late_transaction_is_counted(broker: Asked) -> None:
    Producer(broker, "busy").send("orders")
    broker.whole.engine.transactions.transactions.timeouts.set("busy", None)  # type: ignore[union-attr]
    late = "kafka_server_replicamanager_partitionswithlatetransactionscount"
    broker.passes(15 * 60_000 + 5 * 60_000)
    assert metric(broker, late) == 0
    broker.passes(1)
    assert metric(broker, late) == 1


def test_a_move_lists_the_transactions_that_it_lets_time_out(broker: Asked) -> None:
    producer = Producer(broker, "late")
    producer.send("orders")
    producer.send("payments")
    Producer(broker, "patient", timeout_ms=10 * TIMEOUT_MS).send("orders")
    assert broker.post("/clock/advance", ms=1)["transactions"] == []
    moved = broker.post("/clock/advance", ms=2 * TIMEOUT_MS, sessions=True)
    assert moved["transactions"] == [
        {
            "transactional_id": "late",
            "producer_id": producer.id,
            "producer_epoch": producer.epoch + 1,
            "timeout_ms": TIMEOUT_MS,
            "started_ms": NOV_1,
            "partitions": [{"topic": "orders", "partition": 0}, {"topic": "payments", "partition": 0}],
        }
    ]
    assert broker.post("/clock/advance", ms=2 * TIMEOUT_MS, sessions=True)["transactions"] == []


def test_ends_of_transactions_are_counted(broker: Asked) -> None:
    producer = Producer(broker, "shop")
    producer.send("orders")
    producer.end()
    late = Producer(broker, "late")
    late.send("orders")
    broker.post("/clock/advance", ms=2 * TIMEOUT_MS, sessions=True)
    ended = "tidemark_transactions_ended_total"
    assert [metric(broker, ended, result=result) for result in ("commit", "abort")] == [1, 1]
    assert metric(broker, "tidemark_transactions_timed_out_total") == 1
    broker.post("/clock/advance", days=8)
    assert metric(broker, "tidemark_transactional_ids_expired_total") == 2
    assert names(broker) == []
