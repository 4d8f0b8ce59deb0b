"""`tidemark transactions`: kafka-transactions (KIP-664)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeVar

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import hash_map_order, long_hash
from tidemark_tools.argparse4j import WITH_COMMIT, Argparse4jTool, Command, OptionGroup
from tidemark_tools.client.client import TRANSACTION, Client, TopicPartition, client_settings
from tidemark_tools.client.connection import wall_ms
from tidemark_tools.client.errors import CannotRead, ClientError, ErrorResponse, Failed, Unreachable
from tidemark_tools.client.topics import describe_topics
from tidemark_tools.client.transactions import (
    NO_FILTER_MS,
    Filter,
    Marker,
    describe_producers,
    describe_transaction,
    fence_producer,
    list_transactions,
    write_abort_marker,
)
from tidemark_tools.java import padded, partitions_in_order, width
from tidemark_tools.json_output import print_json
from tidemark_tools.options import Parsed, run, table

_PARTITION: Final = table("""
    * topic <String>  The topic.
    * partition <Integer>  The number of the partition.
""")
TOOL: Final = Argparse4jTool(
    "kafka-transactions.sh",
    "This tool shows the transactions and producers of a cluster. It finds and aborts hanging transactions.",
    table("""
    command-config <FILE>  A properties file with settings of the client.
    * bootstrap-server <host:port>  Brokers to connect to, separated by commas.
"""),
    (
        Command(
            "list",
            "List transactional ids and their states.",
            table("""
    duration-filter <Long>  Only transactions that have been open for more milliseconds than this. A negative
        number: all.
    transactional-id-pattern <String>  Only transactional ids that this regular expression (RE2) matches.
    json  Print JSON (tidemark's own).
"""),
        ),
        Command(
            "describe",
            "Show the transaction of a transactional id.",
            table("""
    * transactional-id <String>  The transactional id.
    json  Print JSON (tidemark's own).
"""),
            description="Show the transaction of a transactional id.",
        ),
        Command(
            "describe-producers",
            "Show the producers that have written to a partition.",
            table("""
    broker-id <Integer>  The broker to ask. By default, the leader of the partition.
    * topic <String>  The topic.
    * partition <Integer>  The number of the partition.
    json  Print JSON (tidemark's own).
"""),
        ),
        Command(
            "abort",
            "Abort a hanging transaction in one partition (requires administrative privileges).",
            _PARTITION,
            (
                OptionGroup(
                    "Brokers on versions 3.0 and above",
                    "The first offset of the transaction is enough.",
                    table("""
    start-offset <Long>  The first offset of the transaction.
"""),
                ),
                OptionGroup(
                    "Brokers on versions older than 3.0",
                    "All of these options are required.",
                    table("""
    producer-id <Long>  The id of the producer.
    producer-epoch <Short>  The epoch of the producer.
    coordinator-epoch <Integer>  The epoch of the coordinator.
"""),
                ),
            ),
        ),
        Command(
            "find-hanging",
            "Find transactions that are open in a partition although the coordinator does not know them.",
            table("""
    broker-id <Integer>  The broker whose partitions are searched.
    max-transaction-timeout <Integer>  Only transactions that have been open for more than this many minutes
        (15 by default). (default: 15)
    topic <String>  The topic whose partitions are searched; required with --partition.
    partition <Integer>  The number of the partition.
    json  Print JSON (tidemark's own).
"""),
        ),
        Command(
            "forceTerminateTransaction",
            "Abort the open transaction of a transactional id (requires administrative privileges).",
            table("""
    * transactionalId <String>  The transactional id.
"""),
            description="Abort the open transaction of a transactional id, and fence its producer.",
        ),
    ),
    WITH_COMMIT,
)
NONE: Final = "None"
UNKNOWN: Final = "Unknown"
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
AT_ONCE: Final = 500  # topics or partitions in one request
MINUTE_MS: Final = 60_000
UNLIMITED: Final = (
    "The `find-hanging` command requires either --topic or --broker-id to limit the scope of the search"
)
HEADERS: Final = (
    "Topic", "Partition", "ProducerId", "ProducerEpoch", "CoordinatorEpoch", "StartOffset", "LastTimestamp",
    "Duration(min)",
)  # fmt: skip

T = TypeVar("T")
UNIDENTIFIED: Final = (
    "The transaction to abort must be identified either with --start-offset (for brokers on 3.0 or above) or "
    "with --producer-id, --producer-epoch, and --coordinator-epoch (for older brokers)"
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> None:
    try:
        settings = client_settings(parsed.value("command-config"))
    except CannotRead as error:
        reason = error.path if error.missing else str(error)
        failed = f"Failed to load admin client properties: {reason}"
        raise Failed(f"{failed}. Enable debug logging for additional detail.") from None
    try:
        with Client(parsed.text("bootstrap-server"), settings=settings, coordinates=TRANSACTION) as client:
            match parsed.command:
                case "list":
                    _list(client, parsed)
                case "describe":
                    _describe(client, parsed)
                case "describe-producers":
                    _describe_producers(client, parsed)
                case "abort":
                    _abort(client, parsed)
                case "find-hanging":
                    _find_hanging(client, parsed)
                case _:
                    _force_terminate(client, parsed.text("transactionalId"), settings)
    except ClientError as error:
        raise Failed(f"Error: {error}") from None


@contextmanager
def failing(client: Client, action: str) -> Iterator[None]:
    """Raise Failed with this prefix for an error of the client, unless no broker was reached at all."""
    try:
        yield
    except (ClientError, ConnectionError) as error:
        if isinstance(error, Unreachable) and not client.connected:
            raise
        raise Failed(f"{action}: {error}. Enable debug logging for additional detail.") from None


def print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table. A tab follows each cell, also the last one of a row."""
    cells = [list(headers), *([str(cell) for cell in row] for row in rows)]
    widths = [width(0, column) for column in zip(*cells, strict=True)]
    for row in cells:
        print("".join(f"{padded(cell, wide)}\t" for cell, wide in zip(row, widths, strict=True)))


def _list(client: Client, parsed: Parsed) -> None:
    duration_ms = parsed.number("duration-filter")
    wanted = Filter(
        duration_ms=NO_FILTER_MS if duration_ms is None else duration_ms,
        pattern=parsed.value("transactional-id-pattern"),
    )
    with failing(client, "Failed to list transactions"):
        found = list_transactions(client, wanted)
    rows = [
        (each.transactional_id, broker, each.producer_id, each.transaction_state or None)
        for broker, listed in found.items()
        for each in listed
    ]
    if parsed.has("json"):
        names = ("transactional_id", "coordinator_id", "producer_id", "state")
        print_json(dict(zip(names, row, strict=True)) for row in rows)
        return
    print_table(LISTED, [(*row[:-1], row[-1] or UNKNOWN) for row in rows])


def _describe(client: Client, parsed: Parsed) -> None:
    transactional_id = parsed.text("transactional-id")
    with failing(client, f"Failed to describe transaction state of transactional-id `{transactional_id}`"):
        coordinator, found = describe_transaction(client, transactional_id)
    partitions = {TopicPartition(topic.topic, index) for topic in found.topics for index in topic.partitions}
    start_ms = found.transaction_start_time_ms if found.transaction_start_time_ms >= 0 else None
    age_ms = None if start_ms is None else wall_ms() - start_ms
    if parsed.has("json"):
        row = {
            "transactional_id": transactional_id,
            "coordinator_id": coordinator,
            "producer_id": found.producer_id,
            "producer_epoch": found.producer_epoch,
            "state": found.transaction_state or None,
            "timeout_ms": found.transaction_timeout_ms,
            "started_ms": start_ms,
            "age_ms": age_ms,
            "partitions": [{"topic": topic, "partition": index} for topic, index in sorted(partitions)],
        }
        print_json([row])
        return
    cells = (
        coordinator, transactional_id, found.producer_id, found.producer_epoch,
        found.transaction_state or UNKNOWN, found.transaction_timeout_ms,
        NONE if start_ms is None else start_ms, NONE if age_ms is None else age_ms,
        ",".join(map(str, partitions_in_order(sorted(partitions)))),
    )  # fmt: skip
    print_table(DESCRIBED, [cells])


def _describe_producers(client: Client, parsed: Parsed) -> None:
    partition = TopicPartition(parsed.text("topic"), parsed.number("partition") or 0)
    broker = parsed.number("broker-id")
    on = "leader" if broker is None else f"broker {broker}"
    with failing(client, f"Failed to describe producers for partition {partition} on {on}"):
        producers = describe_producers(client, [partition], broker)[partition]
    if parsed.has("json"):
        print_json(map(_producer_row, producers))
        return
    rows = [
        (
            each.producer_id, each.producer_epoch, max(each.coordinator_epoch, -1), each.last_sequence,
            each.last_timestamp, NONE if each.current_txn_start_offset < 0 else each.current_txn_start_offset,
        )
        for each in producers
    ]  # fmt: skip
    print_table(PRODUCERS, rows)


def _producer_row(producer: Any) -> dict[str, Any]:
    """Return a producer of a partition for --json. A number of -1 does not exist."""
    values = {
        "producer_id": producer.producer_id,
        "producer_epoch": producer.producer_epoch,
        "coordinator_epoch": producer.coordinator_epoch,
        "last_sequence": producer.last_sequence,
        "last_timestamp_ms": producer.last_timestamp,
        "current_txn_start_offset": producer.current_txn_start_offset,
    }
    return {name: None if value < 0 else value for name, value in values.items()}


def _force_terminate(client: Client, transactional_id: str, settings: Mapping[str, str]) -> None:
    timeout_ms = int(settings.get("request.timeout.ms", REQUEST_TIMEOUT_MS))
    with failing(client, f"Failed to force terminate transactionalId `{transactional_id}`"):
        fence_producer(client, transactional_id, timeout_ms)


def _abort(client: Client, parsed: Parsed) -> None:
    """Write an abort marker to the partition. Raises Failed."""
    marker = _marker(client, parsed)
    with failing(client, f"Failed to abort transaction {marker}"):
        write_abort_marker(client, marker)


def _marker(client: Client, parsed: Parsed) -> Marker:
    partition = TopicPartition(parsed.text("topic"), parsed.number("partition") or 0)
    start_offset, producer_id = parsed.number("start-offset"), parsed.number("producer-id")
    if start_offset is not None:
        return _at_offset(client, partition, start_offset)
    if producer_id is None:
        raise Failed(UNIDENTIFIED)
    epochs = []
    for name in ("producer-epoch", "coordinator-epoch"):
        epoch = parsed.number(name)
        if epoch is None:
            raise Failed(f"Missing required argument --{name}")
        epochs.append(epoch)
    return Marker(partition, producer_id, epochs[0], max(epochs[1], 0))


def _at_offset(client: Client, partition: TopicPartition, start_offset: int) -> Marker:
    """Return the marker for the transaction that begins at this offset."""
    with failing(client, f"Failed to validate producer state for partition {partition}"):
        producers = describe_producers(client, [partition])[partition]
    for each in producers:
        if each.current_txn_start_offset == start_offset >= 0:
            epoch = max(each.coordinator_epoch, 0)
            return Marker(partition, each.producer_id, each.producer_epoch, epoch)
    raise Failed(
        f"Could not find any open transactions starting at offset {start_offset} on partition {partition}"
    )


class Open(NamedTuple):
    """An open transaction in a partition. producer: as DescribeProducers returns it."""

    partition: TopicPartition
    producer: Any


def _find_hanging(client: Client, parsed: Parsed) -> None:
    """Print the hanging transactions. Raises Failed."""
    broker = parsed.number("broker-id")
    partitions = _partitions(client, parsed, broker)
    longer_than_ms = (parsed.number("max-transaction-timeout") or 0) * MINUTE_MS
    candidates = [
        each
        for some in _parts(partitions)
        for each in _open(client, some, broker)
        if wall_ms() - each.producer.last_timestamp > longer_than_ms
    ]
    now = wall_ms()
    hanging = _hanging(client, candidates)
    if parsed.has("json"):
        print_json(
            {
                "topic": each.partition.topic,
                "partition": each.partition.partition,
                **_producer_row(each.producer),
                "age_ms": now - each.producer.last_timestamp,
            }
            for each in hanging
        )
        return
    rows = [
        (
            *each.partition, each.producer.producer_id, each.producer.producer_epoch,
            max(each.producer.coordinator_epoch, -1), each.producer.current_txn_start_offset,
            each.producer.last_timestamp, int((now - each.producer.last_timestamp) / MINUTE_MS),
        )
        for each in hanging
    ]  # fmt: skip
    print_table(HEADERS, rows)


def _partitions(client: Client, parsed: Parsed, broker: int | None) -> list[TopicPartition]:
    """Return the partitions to search. Raises Failed."""
    topic, partition = parsed.value("topic"), parsed.number("partition")
    if topic is None and broker is None:
        raise Failed(UNLIMITED)
    if topic is None and partition is not None:
        raise Failed("The --partition argument requires --topic to be provided")
    if topic is not None and partition is not None:
        return [TopicPartition(topic, partition)]
    if topic is not None:
        topics = [topic]
    else:
        with failing(client, "Failed to list topics"):
            topics = [each.name for each in client.metadata().topics]
    found = []
    for some in _parts(topics):
        with failing(client, f"Failed to describe {len(some)} topics"):
            described = describe_topics(client, some)
        found += [
            TopicPartition(name, each.partition)
            for name, described_topic in described.items()
            for each in described_topic.partitions
            if broker is None or broker in each.replicas
        ]
    return found


def _open(client: Client, partitions: Sequence[TopicPartition], broker: int | None) -> list[Open]:
    """Return the open transactions in these partitions, in the order of Kafka's hash map."""
    where = "Optional.empty" if broker is None else f"Optional[{broker}]"
    failed = f"Failed to describe producers for {len(partitions)} partitions on broker {where}"
    with failing(client, failed):
        found = describe_producers(client, partitions, broker)
    return [
        Open(partition, producer)
        for partition in partitions_in_order(sorted(found), len(found))
        for producer in found[partition]
        if producer.current_txn_start_offset >= 0
    ]


def _hanging(client: Client, candidates: Sequence[Open]) -> list[Open]:
    """Return the candidates whose partition is in no transaction of a coordinator."""
    by_producer: dict[int, list[Open]] = {}
    for each in candidates:
        by_producer.setdefault(each.producer.producer_id, []).append(each)
    ids: dict[int, str] = {}
    if by_producer:
        with failing(client, f"Failed to list transactions for {len(by_producer)} producers"):
            listed = list_transactions(client, Filter(producer_ids=tuple(by_producer)))
        ids = {each.producer_id: each.transactional_id for some in listed.values() for each in some}
    known = _known_partitions(client, ids)
    return [
        each
        for producer_id in hash_map_order(by_producer, long_hash)
        for each in by_producer[producer_id]
        if each.partition not in known.get(producer_id, ())
    ]


def _known_partitions(client: Client, ids: dict[int, str]) -> dict[int, set[TopicPartition]]:
    """Return the partitions of the transaction of each producer."""
    found: dict[int, set[TopicPartition]] = {}
    with failing(client, f"Failed to describe {len(ids)} transactions"):
        for producer_id, transactional_id in ids.items():
            try:
                _, described = describe_transaction(client, transactional_id)
            except ErrorResponse as error:
                if error.code != ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
                    raise
                continue
            found[producer_id] = {
                TopicPartition(topic.topic, index) for topic in described.topics for index in topic.partitions
            }
    return found


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), AT_ONCE):
        yield items[start : start + AT_ONCE]
