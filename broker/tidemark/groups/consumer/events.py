"""Events about the soft state of a KIP-848 group. Each is replayed once and then forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from tidemark.groups.events import GroupEvent


@dataclass(slots=True)
class ConsumerSeen(GroupEvent):
    """A classic member sent a Heartbeat. Its session lasts until then (steady ms)."""

    member_id: str
    until_ms: int


@dataclass(slots=True)
class JoinAwaited(GroupEvent):
    """A classic member must join again within its rebalance timeout, from this moment on (steady ms)."""

    member_id: str
    steady_ms: int
