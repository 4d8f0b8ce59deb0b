"""Records and seed data over HTTP, and the OpenAPI document."""

from __future__ import annotations

import base64
import json
import re
import socket
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any

import pytest

from tests.unit.http.asking import TIMEOUT_S, Answer, Asked, asked
from tests.unit.http.test_transactions import Producer
from tidemark_http.api import ENDPOINTS


@pytest.fixture(scope="module")
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        yield broker


def test_records_are_written_and_read(broker: Asked) -> None:
    broker.topics(orders=2)
    odd = {"base64": base64.b64encode(b"\xff").decode()}
    own = {"key": "k", "value": odd, "headers": [["a", None], ["a", odd]], "timestamp": 5, "partition": 1}
    written = broker.post("/records", topic="orders", records=["one", own, None])["records"]
    assert [(each["partition"], each["offset"]) for each in written] == [(0, 0), (1, 0), (0, 1)]
    found = broker.get("/records", topic="orders")["records"]
    assert [each["value"] for each in found] == ["one", None, odd]
    assert found[2] == {"topic": "orders", "offset": 0, **own}
    assert [each["value"] for each in broker.get("/records", topic="orders", partition=0)["records"]] == [
        "one",
        None,
    ]


def test_records_come_in_pages(broker: Asked) -> None:
    broker.topics(pages=3)
    broker.post("/records", topic="pages", records=[str(number) for number in range(8)])
    found = list(broker.pages("/records", "records", topic="pages", limit=3))
    assert [len(page) for page in found] == [3, 3, 2]
    assert sorted(each["value"] for page in found for each in page) == [str(number) for number in range(8)]


def test_records_are_read_from_a_time_as_list_offsets_finds_it(broker: Asked) -> None:
    broker.topics(timed=2)
    stamps = [(0, 10), (0, 30), (0, 20), (1, 25)]  # by partition; they need not rise
    records = [{"value": str(ms), "partition": partition, "timestamp": ms} for partition, ms in stamps]
    broker.post("/records", topic="timed", records=records)

    def values(from_time_ms: int) -> list[str]:
        found = broker.get("/records", topic="timed", from_time_ms=from_time_ms)["records"]
        return [each["value"] for each in found]

    assert values(0) == ["10", "30", "20", "25"]
    assert values(11) == ["30", "20", "25"]  # 20 follows the first record that is late enough
    assert values(30) == ["30", "20"]
    assert values(31) == []


def test_the_last_records_of_each_partition_are_read(broker: Asked) -> None:
    broker.topics(ends=2)
    records = [{"value": str(number), "partition": number % 2} for number in range(8)]
    broker.post("/records", topic="ends", records=records)
    found = broker.get("/records", topic="ends", last=3)["records"]
    assert [each["value"] for each in found] == ["2", "4", "6", "3", "5", "7"]
    pages = list(broker.pages("/records", "records", topic="ends", last=3, limit=2))
    assert [[each["value"] for each in page] for page in pages] == [["2", "4"], ["6", "3"], ["5", "7"]]
    assert len(broker.get("/records", topic="ends", last=100)["records"]) == 8


def test_the_first_of_many_last_records_are_read(broker: Asked) -> None:
    """More than one fetch returns."""
    broker.topics(large_ends=1)
    for begin in (0, 4, 8):
        records = [{"key": str(number), "value": "x" * 900_000} for number in range(begin, begin + 4)]
        broker.post("/records", topic="large_ends", records=records)
    found = broker.get("/records", topic="large_ends", last=6, limit=1, bytes_max=9)["records"]
    assert [each["key"] for each in found] == ["6"]


def test_the_last_records_are_found_before_the_ends_of_transactions(broker: Asked) -> None:
    broker.topics(paid=1)
    broker.post("/records", topic="paid", records=["before"])
    shop = Producer(broker, "shop")
    shop.send("paid", count=2)
    shop.end()
    found = broker.get("/records", topic="paid", partition=0, last=3)["records"]
    assert [each["offset"] for each in found] == [0, 1, 2]  # offset 3 is the end of the transaction


def test_a_large_value_is_cut_with_its_size(broker: Asked) -> None:
    broker.topics(cut=1)
    text, odd = "é" * 300_000, {"base64": base64.b64encode(b"\xff" * 9).decode()}
    broker.post("/records", topic="cut", records=[{"key": "key", "value": text, "headers": {"h": odd}}])
    answer = broker.get("/records", topic="cut", bytes_max=5)
    (record,) = answer["records"]
    assert record["value"] == {"cut": "éé", "bytes": 600_000}  # a third é would end after 6 bytes
    assert record["key"] == "key"
    assert record["headers"] == [["h", {"cut": {"base64": "//////8="}, "bytes": 9}]]
    assert len(answer.raw) < 500


def test_records_begin_at_one_place(broker: Asked) -> None:
    broker.topics(once=1)
    answer = broker.get("/records", topic="once", from_offset=1, last=1)
    assert answer.refusal == (422, "invalid_value", "last")
    assert answer.why == "give one of from_offset, from_time_ms, last"
    assert broker.get("/records", topic="once", last=0).refusal == (422, "invalid_value", "last")
    assert broker.get("/records", topic="once", from_time_ms="now").refusal[2] == "from_time_ms"


def test_a_seed_is_sown(broker: Asked) -> None:
    sown = broker.post("/seed", topics={"seeded": {"records": ["a", "b"]}}, groups={"g": {"seeded": 1}})
    assert sown.value == {"topics": 1, "records": 2, "offsets": 1}
    assert broker.get("/lag", group="g")["lag"] == 1


def test_offsets_are_committed_on_a_broker_that_never_had_a_group() -> None:
    with asked(tidemark_test_api="true") as fresh:
        sown = fresh.post("/seed", topics={"orders": {"records": ["a"]}}, groups={"billing": {"orders": 0}})
        assert sown["offsets"] == 1
        assert fresh.get("/lag", group="billing")["lag"] == 1


@pytest.mark.parametrize(
    ("path", "body", "refusal", "message"),
    [
        ("/records", {"records": []}, (422, "missing_field", "topic"), "topic is required"),
        ("/records", {"topic": "x", "records": "a"}, (422, "invalid_value", "records"), "must be a list"),
        ("/records", {"topic": "x", "records": [5]}, (422, "invalid_value", "records[0]"), "must be an obj"),
        ("/records", {"topic": "no/", "records": ["a"]}, (409, "refused", None), "INVALID_TOPIC_EXCEPTION"),
        ("/seed", {"topic": {}}, (422, "unknown_field", "topic"), "valid are topics, groups"),
        ("/seed", {"topics": {"a": {"partitions": 0}}},
         (422, "invalid_value", "topics.a.partitions"), "from 1 to"),
        ("/seed", {"topics": {"a": {"configs": {"x": 1}}}},
         (422, "invalid_value", "topics.a"), "Unknown topic config"),
        ("/seed", {"groups": {"a": {"nowhere": 1}}},
         (422, "invalid_value", "groups.a"), "UNKNOWN_TOPIC_OR_PARTITION"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_an_error_that_names_the_place(
    broker: Asked, path: str, body: dict[str, Any], refusal: tuple[Any, ...], message: str
) -> None:
    answer = broker.post(path, **body)
    assert answer.refusal == refusal
    assert message in answer.why


def test_unknown_topics_and_partitions_are_errors(broker: Asked) -> None:
    broker.topics(known=1)
    assert broker.get("/records", topic="nothing").refusal == (404, "unknown_topic", "topic")
    assert broker.get("/records").refusal == (422, "missing_field", "topic")
    assert broker.get("/records", topic="known", partition=4).refusal == (422, "invalid_value", "partition")


def test_the_body_of_a_seed_may_be_larger_than_others(broker: Asked) -> None:
    assert broker.post("/records", topic="large", records=["x" * 900] * 1000)["records"][-1]["offset"] == 999
    huge = json.dumps({"topic": "large", "records": ["x" * 5_000_000]}).encode()
    assert broker.ask("POST", "/v1/records", huge).refusal == (413, "body_too_large", None)


def test_records_need_the_test_api() -> None:
    with asked() as broker:
        broker.topics(orders=1)
        for answer in (
            broker.get("/records", topic="orders"),
            broker.post("/records", topic="orders", records=["a"]),
            broker.post("/seed"),
        ):
            assert answer.refusal == (403, "test_api_off", None)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/records", {"topic": "late", "records": ["a"]}),
        ("/seed", {"topics": {"late": {"records": ["a"]}}}),
    ],
)
def test_a_restore_within_the_body_is_an_error_and_nothing_is_written(
    path: str, body: dict[str, Any]
) -> None:
    with asked(tidemark_test_api="true") as broker:
        snapshot = broker.post("/snapshots")["id"]
        sent = json.dumps(body).encode()
        with socket.create_connection(broker.address.rsplit(":", 1), timeout=TIMEOUT_S) as client:
            head = f"POST /v1{path} HTTP/1.1\r\nHost: {broker.address}\r\nContent-Length: {len(sent)}\r\n\r\n"
            client.sendall(head.encode() + sent[:5])
            broker.run(broker.whole.reads())
            assert broker.post(f"/snapshots/{snapshot}/restore").status == 200
            client.sendall(sent[5:])
            response = HTTPResponse(client)
            response.begin()
            assert Answer(response).refusal == (503, "no_response", None)
        assert broker.get("/topics")["topics"] == []


class TestOpenApi:
    def test_the_document_is_valid(self, broker: Asked) -> None:
        validator = pytest.importorskip("openapi_spec_validator")
        validator.validate(broker.get("/openapi.json").value)

    def test_every_route_is_in_the_document(self, broker: Asked) -> None:
        paths = broker.get("/openapi.json")["paths"]
        assert {(method.upper(), path) for path, methods in paths.items() for method in methods} == {
            (method, f"/v1{path}") for method, path in ENDPOINTS
        }

    def test_a_described_operation_accepts_exactly_what_the_document_lists(self, broker: Asked) -> None:
        paths = broker.get("/openapi.json")["paths"]
        for method, path in ENDPOINTS:
            if method == "DELETE":
                continue
            found = paths[f"/v1{path}"][method.lower()]
            target = f"/v1{path}".replace("{id}", "1")
            if method == "GET":
                names = [each["name"] for each in found["parameters"]]
                answer = broker.ask(method, f"{target}?no_such_name=1")
            else:
                names = list(found["requestBody"]["content"]["application/json"]["schema"]["properties"])
                answer = broker.ask(method, target, b'{"no_such_name": 1}')
            assert answer.refusal == (422, "unknown_field", "no_such_name"), target
            valid = re.search(r"valid are (.*)", answer.why)
            assert (valid[1].split(", ") if valid else []) == names, target
