"""The parts that both directions of a migration between the classic and the consumer protocol share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from tidemark.core.java import timeline_slot
from tidemark.groups.classic.model import Protocols
from tidemark_protocol.java import java_hash
from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata, ClassicProtocol

# Values of group.consumer.migration.policy.
UPGRADES: Final = ("bidirectional", "upgrade")
DOWNGRADES: Final = ("bidirectional", "downgrade")
DISABLED: Final = "disabled"


def classic_metadata_of(session_timeout_ms: int, protocols: Protocols) -> ClassicMemberMetadata:
    """Return what the record of a classic member holds of its JoinGroup."""
    return ClassicMemberMetadata(
        session_timeout_ms, [ClassicProtocol(each.name, each.metadata) for each in protocols]
    )


def in_kafkas_order(
    member_ids: Collection[str], peak: int, hash_of: Callable[[str], int] = java_hash
) -> list[str]:
    """Return the order in which Kafka's TimelineHashMap has these members, oldest first.

    peak: how many members it had at most
    """
    newest_first = [*member_ids][::-1]
    return sorted(newest_first, key=lambda member_id: timeline_slot(hash_of(member_id), peak))
