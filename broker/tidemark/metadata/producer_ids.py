"""Producer ids. They are taken from blocks of a thousand: only a new block is a record."""

from __future__ import annotations

from functools import partial
from typing import Final

from tidemark.core.decision import NOTHING, Decision, Record
from tidemark.metadata.state import Cluster
from tidemark_protocol.records.producer_ids_record import ProducerIdsRecord

BLOCK_SIZE: Final = 1000  # Kafka: ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE


def next_block(cluster: Cluster) -> Decision[None]:
    """Return the decision that reserves the next block."""
    start, end = cluster.next_producer_id, cluster.next_producer_id + BLOCK_SIZE
    return Decision(records=(_block(cluster, end),), after=(partial(cluster.use_producer_ids, start, end),))


def skip_producer_ids(cluster: Cluster, highest: int) -> Decision[None]:
    """Return the decision after which no id up to the highest is assigned."""
    if highest < cluster.next_producer_id:
        return NOTHING
    return Decision(records=(_block(cluster, highest + 1),))


def _block(cluster: Cluster, end: int) -> Record:
    return Record(None, ProducerIdsRecord(cluster.identity.node_id, cluster.broker_epoch, end))
