"""Settings of the group coordinator, with Kafka's names and code defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidemark.late_dataclass import dataclass
from tidemark.metadata.group_settings import ConsumerGroupLimits
from tidemark.settings.broker import MINUTE_MS, BrokerSettings

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster

GROUP_VERSION: Final = "group.version"


@dataclass(slots=True, frozen=True)
class GroupLimits:
    """consumer_protocol: True if group.coordinator.rebalance.protocols enables the consumer protocol.

    creation_times: True if records of consumer groups contain when the group was created (KIP-1327).
    """

    min_session_timeout_ms: int = BrokerSettings.group_min_session_timeout_ms.default
    max_session_timeout_ms: int = BrokerSettings.group_max_session_timeout_ms.default
    max_size: int = BrokerSettings.group_max_size.default
    initial_rebalance_delay_ms: int = 3_000  # tidemark's default is 0
    offset_metadata_max_bytes: int = BrokerSettings.offset_metadata_max_bytes.default
    offsets_retention_ms: int = BrokerSettings.offsets_retention_minutes.default * MINUTE_MS
    consumer_protocol: bool = True
    creation_times: bool = True


def serves_consumer_protocol(limits: GroupLimits, cluster: Cluster) -> bool:
    """Return whether the requests of KIP-848 are served. Kafka: KafkaApis.isConsumerGroupProtocolEnabled."""
    return limits.consumer_protocol and cluster.features.get(GROUP_VERSION, 0) > 0


__all__ = ["ConsumerGroupLimits", "GroupLimits", "serves_consumer_protocol"]
