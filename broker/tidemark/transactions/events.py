"""Events about transactions: what Kafka keeps in memory beside the newest record."""

from __future__ import annotations

from dataclasses import dataclass

from tidemark.core.result import Event, Released


@dataclass(slots=True)
class TransactionEvent(Event):
    """Base of all events about a transactional id."""

    transactional_id: str


@dataclass(slots=True)
class EpochReplaced(TransactionEvent):
    """The producer's epoch before this one. A retry of the request that replaced it is recognised by it."""

    last_producer_epoch: int


@dataclass(slots=True)
class TimeoutArmed(TransactionEvent):
    """The transaction may be aborted after this moment (steady ms)."""

    at_ms: int


@dataclass(slots=True)
class MarkersBegun(TransactionEvent):
    """The markers of the transaction are being written."""


@dataclass(slots=True)
class EndParked(TransactionEvent):
    """The request that ended the transaction gets its response when the markers are written."""

    released: Released
