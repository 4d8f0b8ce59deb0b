"""Build requests about transactions, like build.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.conformance.build import Request

Partitions = Mapping[str, Sequence[int]]
TRANSACTION, GROUP = 1, 0  # key types of FindCoordinator


def init(
    transactional_id: str | None,
    producer: int = -1,
    epoch: int = -1,
    *,
    timeout_ms: int = 60000,
    version: int = 5,
    **others: Any,
) -> Request:
    """Build an InitProducerId."""
    fields: dict[str, Any] = {"TransactionalId": transactional_id, "TransactionTimeoutMs": timeout_ms}
    if version >= 3:
        fields |= {"ProducerId": producer, "ProducerEpoch": epoch}
    return "InitProducerId", version, fields | others


def topics_of(partitions: Partitions) -> list[dict[str, Any]]:
    return [{"Name": topic, "Partitions": list(indexes)} for topic, indexes in partitions.items()]


def add(
    transactional_id: str, producer: int, epoch: int, partitions: Partitions, *, version: int = 3
) -> Request:
    """Build an AddPartitionsToTxn of one transaction, in the form of its version."""
    if version > 3:
        return add_all(
            transaction(transactional_id, producer, epoch, partitions, verify=False), version=version
        )
    fields = {
        "V3AndBelowTransactionalId": transactional_id,
        "V3AndBelowProducerId": producer,
        "V3AndBelowProducerEpoch": epoch,
        "V3AndBelowTopics": topics_of(partitions),
    }
    return "AddPartitionsToTxn", version, fields


def transaction(
    transactional_id: str, producer: int, epoch: int, partitions: Partitions, *, verify: bool
) -> dict[str, Any]:
    """Return one transaction of a batched AddPartitionsToTxn."""
    return {
        "TransactionalId": transactional_id,
        "ProducerId": producer,
        "ProducerEpoch": epoch,
        "VerifyOnly": verify,
        "Topics": topics_of(partitions),
    }


def add_all(*transactions: dict[str, Any], version: int = 5) -> Request:
    """Build the form of AddPartitionsToTxn that brokers send to each other, since version 4."""
    return "AddPartitionsToTxn", version, {"Transactions": list(transactions)}


def add_offsets(transactional_id: str, producer: int, epoch: int, group: str, *, version: int = 4) -> Request:
    fields = {
        "TransactionalId": transactional_id,
        "ProducerId": producer,
        "ProducerEpoch": epoch,
        "GroupId": group,
    }
    return "AddOffsetsToTxn", version, fields


def end(transactional_id: str, producer: int, epoch: int, *, commit: bool, version: int = 5) -> Request:
    fields = {
        "TransactionalId": transactional_id,
        "ProducerId": producer,
        "ProducerEpoch": epoch,
        "Committed": commit,
    }
    return "EndTxn", version, fields


def commit_offsets(
    transactional_id: str,
    group: str,
    producer: int,
    epoch: int,
    offsets: Mapping[str, Mapping[int, int]],
    *,
    member: str = "",
    generation: int = -1,
    instance: str | None = None,
    metadata: str | None = "",
    leader_epoch: int = -1,
    version: int = 5,
) -> Request:
    """Build a TxnOffsetCommit. offsets: topic, from v6 on its id, to partition to offset."""
    topics = [
        {
            "Name" if version < 6 else "TopicId": topic,
            "Partitions": [
                {
                    "PartitionIndex": index,
                    "CommittedOffset": offset,
                    "CommittedLeaderEpoch": leader_epoch,
                    "CommittedMetadata": metadata,
                }
                for index, offset in partitions.items()
            ],
        }
        for topic, partitions in offsets.items()
    ]
    fields: dict[str, Any] = {
        "TransactionalId": transactional_id,
        "GroupId": group,
        "ProducerId": producer,
        "ProducerEpoch": epoch,
        "Topics": topics,
    }
    if version >= 3:
        fields |= {"GenerationId": generation, "MemberId": member, "GroupInstanceId": instance}
    return "TxnOffsetCommit", version, fields


def marker(
    producer: int,
    epoch: int,
    partitions: Partitions,
    *,
    commit: bool = True,
    coordinator_epoch: int = 0,
    transaction_version: int = 0,
) -> dict[str, Any]:
    """Return one marker of a WriteTxnMarkers."""
    return {
        "ProducerId": producer,
        "ProducerEpoch": epoch,
        "TransactionResult": commit,
        "Topics": [{"Name": topic, "PartitionIndexes": list(p)} for topic, p in partitions.items()],
        "CoordinatorEpoch": coordinator_epoch,
        "TransactionVersion": transaction_version,
    }


def write_markers(*markers: dict[str, Any], version: int = 2) -> Request:
    """Build a WriteTxnMarkers. Version 1 has no transaction version."""
    given = [
        {name: value for name, value in one.items() if version > 1 or name != "TransactionVersion"}
        for one in markers
    ]
    return "WriteTxnMarkers", version, {"Markers": given}


def describe_transactions(*transactional_ids: str) -> Request:
    return "DescribeTransactions", 0, {"TransactionalIds": list(transactional_ids)}


def list_transactions(
    states: Iterable[str] = (),
    producers: Iterable[int] = (),
    *,
    duration_ms: int = -1,
    pattern: str | None = None,
    version: int = 2,
) -> Request:
    fields: dict[str, Any] = {"StateFilters": list(states), "ProducerIdFilters": list(producers)}
    if version >= 1:
        fields["DurationFilter"] = duration_ms
    if version >= 2:
        fields["TransactionalIdPattern"] = pattern
    return "ListTransactions", version, fields


def describe_producers(partitions: Partitions) -> Request:
    asked = [{"Name": topic, "PartitionIndexes": list(p)} for topic, p in partitions.items()]
    return "DescribeProducers", 0, {"Topics": asked}


def set_features(
    *changes: tuple[str, int], upgrade: int = 1, validate_only: bool = False, version: int = 2
) -> Request:
    """Build an UpdateFeatures. upgrade: 1 raises levels, 2 lowers them safely, 3 lowers them unsafely."""
    if version == 0:
        given: list[dict[str, Any]] = [
            {"Feature": name, "MaxVersionLevel": level, "AllowDowngrade": upgrade > 1}
            for name, level in changes
        ]
        return "UpdateFeatures", 0, {"timeoutMs": 30000, "FeatureUpdates": given}
    given = [{"Feature": name, "MaxVersionLevel": level, "UpgradeType": upgrade} for name, level in changes]
    fields = {"timeoutMs": 30000, "FeatureUpdates": given, "ValidateOnly": validate_only}
    return "UpdateFeatures", version, fields
