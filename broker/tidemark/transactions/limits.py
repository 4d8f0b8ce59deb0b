"""Settings of the transaction coordinator, with Kafka's names and code defaults."""

from __future__ import annotations

from dataclasses import dataclass

from tidemark.settings.broker import BrokerSettings


@dataclass(slots=True, frozen=True)
class TransactionLimits:
    max_timeout_ms: int = BrokerSettings.transaction_max_timeout_ms.default
    id_expiration_ms: int = BrokerSettings.transactional_id_expiration_ms.default
