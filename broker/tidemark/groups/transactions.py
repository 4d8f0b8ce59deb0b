"""Decisions about committed offsets of transactions. Kafka: OffsetMetadataManager.

A TxnOffsetCommit leaves pending offsets, and the marker of the transaction stores or drops them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidemark.core.decision import DecidePendingOffsets, Decision, Marker
from tidemark.groups.offsets import STEP_OFFSETS
from tidemark.groups.store import GroupStore
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.groups.group import TransactionalCommits
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest


def end_transaction(groups: GroupStore, marker: Marker) -> Decision[None]:
    """Decide the end of a transaction in one partition of `__consumer_offsets`."""
    transaction = groups.offsets.open_transaction(marker.partition, marker.producer_id)
    is_large = transaction is not None and sum(map(len, transaction.keys.values())) >= STEP_OFFSETS
    return Decision(markers=(marker,), effects=(DecidePendingOffsets(),) if is_large else ())


def check_group(groups: GroupStore, request: TxnOffsetCommitRequest, commits: TransactionalCommits) -> None:
    """Check the group of a TxnOffsetCommit and the member that it may name. Raises KafkaError."""
    group = groups.serving(request.group_id)
    if group is not None:
        group.check_transactional_commit(request, commits)
    elif request.generation_id >= 0:  # else the record makes a simple group
        raise KafkaError(ErrorCode.ILLEGAL_GENERATION)
