"""`--json` of the tools: the names in docs/tools.md, and errors on stderr.

tests/unit/tools/groups/test_group_tools.py has the tools of groups.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conformance.build_data import OLD_MS, batch, produce
from tests.unit.testing.committing import ask, commit
from tidemark_protocol.batch import TRANSACTIONAL
from tidemark_testing import Tidemark
from tidemark_tools.main import main

DOCS: Final = (Path(__file__).parents[3] / "docs" / "tools.md").read_text("utf-8")
NAMES: Final = dict(re.findall(r"^\| (`[^|]+) \| (`[^|]+|the same[^|]+) \|$", DOCS, re.MULTILINE))
SETTINGS: Final = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
    "transaction.partition.verification.enable": "false",  # so that a transaction can hang
}


def documented(row: str) -> set[str]:
    """Return the names in a row of the table in docs/tools.md, without those in parentheses."""
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", NAMES[row])))


@pytest.fixture(scope="module")
def broker() -> Iterator[Tidemark]:
    with Tidemark.start(SETTINGS) as running:
        running.create_topics({"topics": {"orders": {"partitions": 2, "configs": {"retention.ms": -1}}}})
        running.create_topics({"topics": {"payments": {}}})
        begin_transaction(running.bootstrap_servers)
        yield running


def begin_transaction(address: str) -> None:
    """Leave a transaction of `shop` open in orders-0. Its record in orders-1 is that of a hanging one."""
    ask(address, "FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": ["shop"]})
    begin = {"TransactionalId": "shop", "TransactionTimeoutMs": 60_000, "ProducerId": -1, "ProducerEpoch": -1}
    begun = ask(address, "InitProducerId", 4, begin)
    message = {
        "V3AndBelowTransactionalId": "shop",
        "V3AndBelowTopics": [{"Name": "orders", "Partitions": [0]}],
        "V3AndBelowProducerId": begun.producer_id,
        "V3AndBelowProducerEpoch": begun.producer_epoch,
    }
    ask(address, "AddPartitionsToTxn", 3, message)
    of_shop = {"producer_id": begun.producer_id, "producer_epoch": begun.producer_epoch, "base_sequence": 0}
    data = batch(attributes=TRANSACTIONAL, **of_shop)
    for partition in (0, 1):
        written = ask(address, *produce({"orders": {partition: data}}, transactional_id="shop"))
        assert written.responses[0].partition_responses[0].error_code == 0


@pytest.fixture
def tool(broker: Tidemark, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a tool with --json, and returns what it prints on stdout."""

    def run(name: str, *options: str) -> list[dict[str, Any]]:
        address = ["--bootstrap-server", broker.bootstrap_servers]
        assert main([name, *address, *options, "--json"]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        rows: list[dict[str, Any]] = json.loads(printed.out)
        return rows

    return run


def names(rows: list[Mapping[str, Any]]) -> set[str]:
    """Return the names of the objects, which are the same in all of them."""
    found = {frozenset(row) for row in rows}
    (one,) = found
    return set(one)


def test_topics_are_listed_with_their_ids(tool: Any) -> None:
    rows = tool("topics", "--list", "--exclude-internal")
    assert names(rows) == documented("`topics --list`")
    assert [(each["topic"], each["internal"]) for each in rows] == [("orders", False), ("payments", False)]
    assert all(re.fullmatch(r"[\w-]{22}", each["topic_id"]) for each in rows)
    assert [each["topic"] for each in tool("topics", "--list", "--topic", "pay.*")] == ["payments"]


def test_topics_are_described_with_their_partitions(tool: Any) -> None:
    rows = tool("topics", "--describe", "--exclude-internal")
    assert names(rows) == documented("`topics --describe`")
    assert [each["topic"] for each in rows] == ["orders", "payments"]
    orders = rows[0]
    assert orders["configs"]["retention.ms"] == "-1"
    assert "retention.ms" not in rows[1]["configs"]
    assert orders["replication_factor"] == 1
    assert names(orders["partitions"]) == documented("`partitions` of `topics`")
    assert [(each["partition"], each["leader"], each["isr"]) for each in orders["partitions"]] == [
        (0, 1, [1]),
        (1, 1, [1]),
    ]
    assert all(each["created_ms"] > 0 for each in orders["partitions"])


def test_filters_of_partitions_choose_topics(tool: Any) -> None:
    assert tool("topics", "--describe", "--unavailable-partitions") == []
    at_min = tool("topics", "--describe", "--topic", "orders", "--at-min-isr-partitions")
    assert [len(each["partitions"]) for each in at_min] == [2]
    assert tool("topics", "--describe", "--topic", "none", "--if-exists") == []


def test_settings_are_described_with_source_and_synonyms(tool: Any) -> None:
    rows = tool("configs", "--describe", "--topic", "orders")
    assert names(rows) == documented("`configs --describe`")
    assert rows[0]["entity"] == {"topic": "orders"}
    assert names(rows[0]["configs"]) == documented("`configs` of `configs`")
    assert rows[0]["configs"] == [
        {
            "name": "retention.ms",
            "value": "-1",
            "source": "DYNAMIC_TOPIC_CONFIG",
            "sensitive": False,
            "read_only": False,
            "synonyms": [{"name": "retention.ms", "value": "-1", "source": "DYNAMIC_TOPIC_CONFIG"}],
        }
    ]
    entities = [each["entity"] for each in tool("configs", "--describe", "--entity-type", "brokers")]
    assert entities == [{"broker": "1"}, {"broker": None}]


def test_quotas_and_scram_users_are_described(
    tool: Any, broker: Tidemark, capsys: pytest.CaptureFixture[str]
) -> None:
    alter = ["configs", "--bootstrap-server", broker.bootstrap_servers, "--alter"]
    assert (
        main([*alter, "--user", "alice", "--client-defaults", "--add-config", "producer_byte_rate=1024"]) == 0
    )
    assert main([*alter, "--user", "bob", "--add-config", "SCRAM-SHA-256=[password=bob-secret]"]) == 0
    capsys.readouterr()
    quotas = tool("configs", "--describe", "--entity-type", "users", "--entity-type", "clients")
    assert names(quotas) == documented("`configs --describe` of quotas")
    assert quotas == [
        {"entity": {"user": "alice", "client_id": None}, "quotas": {"producer_byte_rate": 1024.0}}
    ]
    users = tool("configs", "--describe", "--entity-type", "users")
    assert names(users) == documented("`configs --describe` of users, beside their quotas")
    assert users == [
        {"entity": {"user": "bob"}, "scram_credentials": [{"mechanism": "SCRAM-SHA-256", "iterations": 4096}]}
    ]


def test_log_dirs_are_described_without_other_lines(tool: Any) -> None:
    rows = tool("log-dirs", "--describe", "--topic-list", "orders")
    assert names(rows) == documented("`log-dirs --describe`")
    (row,) = rows
    assert row["broker"] == 1 and row["error"] is None and row["total_bytes"] > row["usable_bytes"] > 0
    assert names(row["partitions"]) == documented("`partitions` of `log-dirs`")
    assert [(each["topic"], each["partition"], each["future"]) for each in row["partitions"]] == [
        ("orders", 0, False),
        ("orders", 1, False),
    ]


def test_acls_are_listed_one_by_one(tool: Any, broker: Tidemark, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool("acls", "--list") == []
    add = ["acls", "--bootstrap-server", broker.bootstrap_servers, "--add"]
    assert main([*add, "--allow-principal", "User:alice", "--operation", "Read", "--topic", "orders"]) == 0
    assert main([*add, "--deny-principal", "User:bob", "--operation", "Write", "--topic", "orders"]) == 0
    capsys.readouterr()
    rows = tool("acls", "--list")
    assert names(rows) == documented("`acls --list`")
    alice = {
        "resource_type": "TOPIC",
        "resource_name": "orders",
        "pattern_type": "LITERAL",
        "principal": "User:alice",
        "host": "*",
        "operation": "READ",
        "permission_type": "ALLOW",
    }
    bob = {**alice, "principal": "User:bob", "operation": "WRITE", "permission_type": "DENY"}
    assert rows == [alice, bob]
    assert tool("acls", "--list", "--principal", "User:bob") == [bob]


def test_transactions_are_listed_and_described(tool: Any) -> None:
    rows = tool("transactions", "list")
    assert names(rows) == documented("`transactions list`")
    (row,) = rows
    assert (row["transactional_id"], row["coordinator_id"], row["state"]) == ("shop", 1, "Ongoing")
    described = tool("transactions", "describe", "--transactional-id", "shop")
    assert names(described) == documented("`transactions describe`")
    assert described[0] | row == described[0]
    assert described[0]["partitions"] == [{"topic": "orders", "partition": 0}]
    assert (described[0]["timeout_ms"], described[0]["age_ms"] >= 0) == (60_000, True)


def test_producers_of_a_partition_and_hanging_transactions_are_listed(tool: Any) -> None:
    (shop,) = tool("transactions", "list")
    partition = ["--topic", "orders", "--partition", "1"]
    rows = tool("transactions", "describe-producers", *partition)
    assert names(rows) == documented("`transactions describe-producers`")
    expected = {
        "producer_id": shop["producer_id"],
        "producer_epoch": 0,
        "coordinator_epoch": None,  # it has no marker yet
        "last_sequence": 0,
        "last_timestamp_ms": OLD_MS,
        "current_txn_start_offset": 0,
    }
    assert rows == [expected]
    hanging = tool("transactions", "find-hanging", "--topic", "orders")
    more = documented("`transactions find-hanging`")
    assert names(hanging) == documented("`transactions describe-producers`") | more
    (found,) = hanging
    assert found | expected | {"topic": "orders", "partition": 1} == found
    assert found["age_ms"] > 0
    assert tool("transactions", "describe-producers", "--topic", "payments", "--partition", "0") == []


def test_offsets_and_groups_have_the_documented_names(tool: Any, broker: Tidemark) -> None:
    assert names(tool("get-offsets", "--topic", "payments")) == documented("`get-offsets`")
    commit(broker.bootstrap_servers, "billing", "payments", 0)
    assert names(tool("groups", "--list")) == documented("`groups`")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("topics --describe --topic none", "Topic 'none' does not exist as expected"),
        ("configs --describe --topic none", "The topic 'none' doesn't exist"),
        ("configs --describe --broker 7 --all", "There is no broker 7"),
        ("log-dirs --describe --broker-list 7", "The given brokers do not exist"),
        ("acls --list --principal alice", "expected a string in format principalType:principalName"),
        ("transactions describe --transactional-id none", "the ID could not be found"),
    ],
)
def test_a_failure_is_on_stderr_and_in_the_exit_code(
    broker: Tidemark, capsys: pytest.CaptureFixture[str], line: str, reason: str
) -> None:
    name, *options = line.split()
    assert main([name, "--bootstrap-server", broker.bootstrap_servers, *options, "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert reason in printed.err


@pytest.mark.parametrize(
    "line",
    [
        "topics --create --topic new",
        "topics --delete --topic orders",
        "configs --alter --topic orders --add-config retention.ms=1",
        "acls --add --topic orders --allow-principal User:alice",
    ],
)
def test_json_is_refused_with_an_action_that_changes_something(
    broker: Tidemark, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    name, action, *options = line.split()
    assert main([name, "--bootstrap-server", broker.bootstrap_servers, action, *options, "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f'Option "[json]" can\'t be used with option "[{action.lstrip("-")}]"')
    assert printed.out == ""
