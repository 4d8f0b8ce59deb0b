"""Producer ids. They are taken from blocks of a thousand: a new block is a record, a new id only an event."""

from __future__ import annotations

from typing import Final

from tidemark.core.result import NOTHING, Record, Result
from tidemark.metadata.state import Cluster, ProducerIdTaken
from tidemark_protocol.records.producer_ids_record import ProducerIdsRecord

BLOCK_SIZE: Final = 1000  # Kafka: ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE


def take_producer_id(cluster: Cluster) -> tuple[int, Result[None]]:
    """Return the next producer id, and the decision that takes it."""
    producer_id, end = cluster.producer_block
    records: tuple[Record, ...] = ()
    if producer_id == end:
        producer_id, end = cluster.next_producer_id, cluster.next_producer_id + BLOCK_SIZE
        records = (_block(cluster, end),)
    return producer_id, Result(records=records, events=(ProducerIdTaken(producer_id + 1, end),))


def skip_producer_ids(cluster: Cluster, highest: int) -> Result[None]:
    """Return the decision after which no id up to the highest is assigned."""
    if highest < cluster.next_producer_id:
        return NOTHING
    return Result(records=(_block(cluster, highest + 1),))


def _block(cluster: Cluster, end: int) -> Record:
    return Record(None, ProducerIdsRecord(cluster.identity.node_id, cluster.broker_epoch, end))
