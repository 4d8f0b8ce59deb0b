"""Filters of faults choose requests by their content and by their number."""

from __future__ import annotations

from typing import Any

import pytest

from tidemark.faults.matching import (
    Facts,
    draw,
    groups_of,
    is_chosen,
    partitions_of,
    passes_filters,
    transactional_ids_of,
)
from tidemark.faults.model import Fault
from tidemark_protocol import from_dict

ORDERS_ID = bytes(15) + b"\1"


def names(topic_id: bytes) -> str | None:
    return "orders" if topic_id == ORDERS_ID else None


def commit(group: str = "billing", topic: str = "orders", partition: int = 1) -> Any:
    partitions = [{"PartitionIndex": partition}]
    return from_dict(
        "OffsetCommitRequest", {"GroupId": group, "Topics": [{"Name": topic, "Partitions": partitions}]}
    )


def facts(request: Any = None, **given: Any) -> Facts:
    values = {
        "api": "OffsetCommit",
        "version": 8,
        "client_id": "shop",
        "principal": "User:x",
        "connection": 3,
    }
    return Facts(**{**values, "request": request or commit(), **given})


@pytest.mark.parametrize(
    ("fault", "matches"),
    [
        (Fault(), True),
        (Fault(api="OffsetCommit", versions=(8, 9)), True),
        (Fault(api="OffsetCommit", versions=(9, 9)), False),
        (Fault(api="Heartbeat"), False),
        (Fault(client_id="shop", principal="User:x", connection=3, group="billing"), True),
        (Fault(client_id="other"), False),
        (Fault(principal="User:y"), False),
        (Fault(connection=4), False),
        (Fault(group="shipping"), False),
        (Fault(topic="orders", partition=1), True),
        (Fault(topic="orders", partition=0), False),
        (Fault(topic="returns"), False),
    ],
)
def test_request_must_pass_every_filter(fault: Fault, *, matches: bool) -> None:
    assert passes_filters(fault, facts()) == matches


@pytest.mark.parametrize(
    ("api", "request_", "groups", "partitions"),
    [
        ("FindCoordinator", {"CoordinatorKeys": ["a", "b"]}, ["a", "b"], []),
        ("FindCoordinator", {"Key": "a"}, ["a"], []),
        ("FindCoordinator", {"Key": "a", "KeyType": 1}, [], []),
        ("DescribeGroups", {"Groups": ["a"]}, ["a"], []),
        ("DeleteGroups", {"GroupsNames": ["a"]}, ["a"], []),
        ("Metadata", {"Topics": [{"Name": "orders"}]}, [], [("orders", None)]),
        ("Fetch", {"Topics": [{"Topic": "t", "Partitions": [{"Partition": 2}]}]}, [], [("t", 2)]),
        ("Produce", {"TopicData": [{"Name": "t", "PartitionData": [{"Index": 2}]}]}, [], [("t", 2)]),
        (
            "OffsetFetch",
            {"Groups": [{"GroupId": "a", "Topics": [{"Name": "t", "PartitionIndexes": [1, 2]}]}]},
            ["a"],
            [("t", 1), ("t", 2)],
        ),
        ("DeleteTopics", {"TopicNames": ["t"]}, [], [("t", None)]),
        ("ConsumerGroupHeartbeat", {"GroupId": "a", "SubscribedTopicNames": ["t"]}, ["a"], [("t", None)]),
        (
            "AddPartitionsToTxn",
            {"Transactions": [{"TransactionalId": "x", "Topics": [{"Name": "t", "Partitions": [0]}]}]},
            [],
            [("t", 0)],
        ),
    ],
)
def test_groups_and_partitions_are_found_in_every_kind_of_request(
    api: str, request_: dict[str, Any], groups: list[str], partitions: list[Any]
) -> None:
    request = from_dict(f"{api}Request", request_)
    assert groups_of(request) == groups
    assert list(partitions_of(request)) == partitions


@pytest.mark.parametrize(
    ("api", "request_"),
    [
        ("FindCoordinator", {"CoordinatorKeys": ["x"], "KeyType": 1}),
        ("FindCoordinator", {"Key": "x", "KeyType": 1}),
        ("InitProducerId", {"TransactionalId": "x"}),
        ("AddPartitionsToTxn", {"V3AndBelowTransactionalId": "x"}),
        ("AddPartitionsToTxn", {"Transactions": [{"TransactionalId": "x"}]}),
        ("AddOffsetsToTxn", {"TransactionalId": "x", "GroupId": "billing"}),
        ("TxnOffsetCommit", {"TransactionalId": "x", "GroupId": "billing"}),
        ("EndTxn", {"TransactionalId": "x"}),
        ("Produce", {"TransactionalId": "x"}),
        ("DescribeTransactions", {"TransactionalIds": ["x"]}),
    ],
)
def test_transactional_id_is_found_in_every_kind_of_request(api: str, request_: dict[str, Any]) -> None:
    request = from_dict(f"{api}Request", request_)
    assert transactional_ids_of(request) == ["x"]
    assert passes_filters(Fault(transactional_id="x"), facts(request, api=api))
    assert not passes_filters(Fault(transactional_id="y"), facts(request, api=api))


@pytest.mark.parametrize(
    ("api", "request_"),
    [
        ("FindCoordinator", {"CoordinatorKeys": ["x"]}),
        ("InitProducerId", {}),
        ("Produce", {}),
        ("WriteTxnMarkers", {}),
    ],
)
def test_request_without_a_transactional_id_names_none(api: str, request_: dict[str, Any]) -> None:
    assert transactional_ids_of(from_dict(f"{api}Request", request_)) == []


def test_topic_id_is_resolved() -> None:
    request = from_dict("FetchRequest", {"Topics": [{"Partitions": [{"Partition": 2}]}]})
    request.topics[0].topic_id = ORDERS_ID
    assert list(partitions_of(request, names)) == [("orders", 2)]
    request.topics[0].topic_id = bytes(15) + b"\2"
    assert list(partitions_of(request, names)) == []


def test_partition_of_a_fetch_session_matches() -> None:
    request = from_dict("FetchRequest", {"SessionId": 7})
    assert passes_filters(Fault(topic="orders"), facts(request, api="Fetch", fetched=[("orders", 0)]))


def chosen(fault: Fault, count: int = 10) -> list[int]:
    return [number for number in range(1, count + 1) if is_chosen(fault, number)]


def test_nth_and_every_count_from_one() -> None:
    assert chosen(Fault(nth=3)) == [3]
    assert chosen(Fault(every=4)) == [4, 8]
    assert chosen(Fault()) == list(range(1, 11))


def test_seed_determines_which_requests_are_chosen() -> None:
    first, again, other = (chosen(Fault(probability=0.25, seed=seed), 1000) for seed in (1, 1, 2))
    assert first == again != other
    assert 180 < len(first) < 320
    assert chosen(Fault(probability=0.0)) == []
    assert chosen(Fault(probability=1.0)) == list(range(1, 11))
    assert all(0 <= draw(seed, 1) < 1 for seed in range(100))
