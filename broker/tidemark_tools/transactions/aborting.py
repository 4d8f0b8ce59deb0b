"""`tidemark transactions abort`: ends a hanging transaction in one partition."""

from __future__ import annotations

from typing import Final

from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.transactions import Marker, describe_producers, write_abort_marker
from tidemark_tools.options import Failed
from tidemark_tools.subcommands import Given
from tidemark_tools.transactions.tables import failing

UNIDENTIFIED: Final = (
    "The transaction to abort must be identified either with --start-offset (for brokers on 3.0 or above) or "
    "with --producer-id, --producer-epoch, and --coordinator-epoch (for older brokers)"
)


def abort(client: Client, given: Given) -> None:
    """Write an abort marker to the partition. Raises Failed."""
    marker = _marker(client, given)
    with failing(client, f"Failed to abort transaction {marker}"):
        write_abort_marker(client, marker)


def _marker(client: Client, given: Given) -> Marker:
    partition = TopicPartition(given.text("topic"), given.number("partition") or 0)
    start_offset, producer_id = given.number("start_offset"), given.number("producer_id")
    if start_offset is not None:
        return _at_offset(client, partition, start_offset)
    if producer_id is None:
        raise Failed(UNIDENTIFIED)
    epochs = []
    for name in ("producer-epoch", "coordinator-epoch"):
        epoch = given.number(name.replace("-", "_"))
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
