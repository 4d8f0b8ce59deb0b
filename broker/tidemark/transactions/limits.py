"""Settings of the transaction coordinator, with Kafka's names and code defaults."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class TransactionLimits:
    """partition_verification: False lets Produce and TxnOffsetCommit skip the verification of KIP-890."""

    max_timeout_ms: int = 900_000
    id_expiration_ms: int = 604_800_000
    partition_verification: bool = True
