"""`tidemark transactions`: kafka-transactions (KIP-664)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import TRANSACTION, Client
from tidemark_tools.client.errors import CannotRead, ClientError
from tidemark_tools.client.settings import client_settings
from tidemark_tools.client.transactions import (
    NO_FILTER_MS,
    Filter,
    describe_producers,
    describe_transaction,
    fence_producer,
    list_transactions,
)
from tidemark_tools.java import partitions_in_order
from tidemark_tools.options import Failed
from tidemark_tools.subcommands import Given, run
from tidemark_tools.transactions.arguments import TOOL
from tidemark_tools.transactions.tables import failing, print_table

NONE: Final = "None"
REQUEST_TIMEOUT_MS: Final = 30_000  # Kafka's request.timeout.ms
LISTED: Final = ("TransactionalId", "Coordinator", "ProducerId", "TransactionState")
DESCRIBED: Final = (
    "CoordinatorId", "TransactionalId", "ProducerId", "ProducerEpoch", "TransactionState",
    "TransactionTimeoutMs", "CurrentTransactionStartTimeMs", "TransactionDurationMs", "TopicPartitions",
)  # fmt: skip
PRODUCERS: Final = (
    "ProducerId", "ProducerEpoch", "LatestCoordinatorEpoch", "LastSequence", "LastTimestamp",
    "CurrentTransactionStartOffset",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    return run(TOOL, arguments, _run)


def _run(given: Given) -> None:
    try:
        _act(given)
    except ClientError as error:
        raise Failed(f"Error: {error}") from None


def _act(given: Given) -> None:
    settings = _settings(given.text_or_none("command_config"))
    with Client(given.text("bootstrap_server"), settings=settings, coordinates=TRANSACTION) as client:
        if given.command in COMMANDS:
            COMMANDS[given.command](client, given)
        elif given.command == "forceTerminateTransaction":
            _force_terminate(client, given, settings)
        elif given.command == "abort":
            from tidemark_tools.transactions.aborting import abort

            abort(client, given)
        else:
            from tidemark_tools.transactions.hanging import find_hanging

            find_hanging(client, given)


def _settings(path: str | None) -> dict[str, str]:
    try:
        return client_settings(path)
    except CannotRead as error:
        reason = error.path if error.missing else str(error)
        failed = f"Failed to load admin client properties: {reason}"
        raise Failed(f"{failed}. Enable debug logging for additional detail.") from None


def _list(client: Client, given: Given) -> None:
    duration_ms = given.number("duration_filter")
    wanted = Filter(
        duration_ms=NO_FILTER_MS if duration_ms is None else duration_ms,
        pattern=given.text_or_none("transactional_id_pattern"),
    )
    with failing(client, "Failed to list transactions"):
        found = list_transactions(client, wanted)
    rows = [
        (each.transactional_id, broker, each.producer_id, _state(each.transaction_state))
        for broker, listed in found.items()
        for each in listed
    ]
    print_table(LISTED, rows)


def _state(text: str) -> str:
    return text or "Unknown"


def _describe(client: Client, given: Given) -> None:
    from tidemark_tools.client.connection import wall_ms

    transactional_id = given.text("transactional_id")
    with failing(client, f"Failed to describe transaction state of transactional-id `{transactional_id}`"):
        coordinator, found = describe_transaction(client, transactional_id)
    partitions = {TopicPartition(topic.topic, index) for topic in found.topics for index in topic.partitions}
    start_ms: object = NONE
    duration_ms: object = NONE
    if found.transaction_start_time_ms >= 0:
        start_ms = found.transaction_start_time_ms
        duration_ms = wall_ms() - found.transaction_start_time_ms
    row = (
        coordinator, transactional_id, found.producer_id, found.producer_epoch,
        _state(found.transaction_state), found.transaction_timeout_ms, start_ms, duration_ms,
        ",".join(map(str, partitions_in_order(sorted(partitions)))),
    )  # fmt: skip
    print_table(DESCRIBED, [row])


def _describe_producers(client: Client, given: Given) -> None:
    partition = TopicPartition(given.text("topic"), given.number("partition") or 0)
    broker = given.number("broker_id")
    on = "leader" if broker is None else f"broker {broker}"
    with failing(client, f"Failed to describe producers for partition {partition} on {on}"):
        producers = describe_producers(client, [partition], broker)[partition]
    rows = [
        (
            each.producer_id, each.producer_epoch, max(each.coordinator_epoch, -1), each.last_sequence,
            each.last_timestamp, NONE if each.current_txn_start_offset < 0 else each.current_txn_start_offset,
        )
        for each in producers
    ]  # fmt: skip
    print_table(PRODUCERS, rows)


def _force_terminate(client: Client, given: Given, settings: Mapping[str, str]) -> None:
    transactional_id = given.text("transactionalId")
    timeout_ms = int(settings.get("request.timeout.ms", REQUEST_TIMEOUT_MS))
    with failing(client, f"Failed to force terminate transactionalId `{transactional_id}`"):
        fence_producer(client, transactional_id, timeout_ms)


COMMANDS: Final[dict[str, Callable[[Client, Given], None]]] = {
    "list": _list,
    "describe": _describe,
    "describe-producers": _describe_producers,
}
