"""A transaction coordinator without disk and sockets.

Every record is encoded and decoded. Markers are written when the test calls `complete`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import PendingRequest, Story, as_decoded, error_response, finished
from tidemark.core.apply import settle_marked
from tidemark.core.context import Context
from tidemark.core.decision import Decision, Effect, Record, Released, WriteMarkers
from tidemark.handlers.transactions.add_offsets_to_txn import add_offsets_to_txn
from tidemark.handlers.transactions.add_partitions_to_txn import add_partitions_to_txn
from tidemark.handlers.transactions.end_txn import end_txn
from tidemark.handlers.transactions.init_producer_id import init_producer_id
from tidemark.metadata.model import TRANSACTION_VERSION
from tidemark.settings.broker import BrokerSettings
from tidemark.transactions.model import Transaction
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from tidemark_protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from tidemark_protocol.messages.end_txn import EndTxnRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.records.transaction_log import TransactionLogKey, TransactionLogValue

TIMEOUT_MS = 60_000
PARTITIONS = 3  # of `__transaction_state`

Topics = dict[str, list[int]]
Stored = tuple[bytes, bytes | None, int]  # key, value, version of the value
Producer = tuple[int, int, int]  # error code, producer id, epoch


class TransactionStory(Story):
    """A coordinator whose partitions are loaded. The topics `orders` and `table` have three partitions each.

    level     the feature transaction.version
    log       the stored records
    owed      markers that are not yet written
    written   markers that were written
    released  responses to requests that waited for markers
    """

    def __init__(self, level: int = 2, settings: BrokerSettings | None = None) -> None:
        self.cluster_story = ClusterStory()
        self.cluster_story.create("orders", 3)
        self.cluster_story.create("table", 3)
        self.cluster = self.cluster_story.cluster
        self.cluster.features[TRANSACTION_VERSION] = level
        self.owed: list[WriteMarkers] = []
        self.written: list[WriteMarkers] = []
        self.released: list[Any] = []
        self._settings = settings
        super().__init__(None)
        self._serve()

    def _serve(self) -> None:
        self.state = self.transactions = self.loaded()
        settle_marked(self, self.now)

    def loaded(self) -> Transactions:
        """Return the state that a load of the log makes."""
        transactions = Transactions(self._settings)
        transactions.cluster = self.cluster
        transactions.serve(PARTITIONS)
        for key, value, version in self.log:
            transactions.replay(restored(key, value, version))
        transactions.loaded(range(PARTITIONS), self.now)
        return transactions

    def restart(self) -> None:
        """Begin again from the log. Steady time begins elsewhere."""
        self.owed = []
        self.steady_ms += 1_000_000
        self._serve()

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        assert len({self.transactions.partition_of(record) for record in records}) == 1
        self.log += [self.stored(record) for record in records]

    def release_parked(self, released: Released) -> None:
        self.released.append(released.response)

    def carry_out(self, effect: Effect) -> None:
        assert isinstance(effect, WriteMarkers)
        self.owed.append(effect)

    def stored(self, record: Record) -> Stored:
        """Encode a record as the level of transaction.version requires."""
        key, version = bytearray(), min(self.cluster.transaction_version, 1)
        TransactionLogKey.ENCODERS[0](key, record.key)
        if record.value is None:
            return bytes(key), None, version
        value = bytearray()
        TransactionLogValue.ENCODERS[version](value, record.value)
        return bytes(key), bytes(value), version

    def accept(self, result: Decision[Any]) -> None:
        super().accept(result)
        settle_marked(self, self.now)

    def new_producer_id(self, node_id: int | None = None) -> int:
        return self.cluster_story.new_producer_id()

    def context(self, version: int, **more: Any) -> Context:
        given = {"cluster": self.cluster, "new_producer_id": self.new_producer_id}
        return super().context(version, **given, pending=PendingRequest(version), **more)

    def ask(self, decide: Callable[..., Any], request: Any, version: int, **more: Any) -> Any:
        """Return the response as a client decodes it. If it waits for markers, return it at once."""
        request = as_decoded(request, version)
        try:
            decided = finished(decide(self.transactions, self.context(version, **more), request), self.accept)
        except KafkaError as refused:
            decided = error_response(request, refused.code)
        if isinstance(decided, Decision):
            self.accept(decided)
            decided = decided.response or self.transaction(request.transactional_id).ended[-1].response
        return as_decoded(decided, version)

    def complete(self) -> None:
        """Write all markers that are owed, and end their transactions."""
        while self.owed:
            markers = self.owed.pop(0)
            self.written.append(markers)
            self.accept(self.transactions.completed(markers.transactional_id, self.now))

    # Short forms.

    def transaction(self, transactional_id: str = "tx") -> Transaction:
        return self.transactions.by_id[transactional_id]

    @property
    def status(self) -> str:
        return self.transaction().status.title

    @property
    def newest(self) -> TransactionLogValue:
        """The value of the newest record."""
        value: TransactionLogValue = restored(*self.log[-1]).value
        return value

    def init(
        self,
        producer_id: int = -1,
        epoch: int = -1,
        *,
        transactional_id: str | None = "tx",
        timeout_ms: int = TIMEOUT_MS,
        version: int = 5,
    ) -> Producer:
        request = InitProducerIdRequest(transactional_id, timeout_ms, producer_id, epoch)
        response = self.ask(init_producer_id, request, version)
        return response.error_code, response.producer_id, response.producer_epoch

    def add(
        self,
        producer_id: int,
        epoch: int,
        topics: Topics | None = None,
        *,
        transactional_id: str = "tx",
        version: int = 3,
        verify_only: bool = False,
    ) -> list[tuple[str, int, int]]:
        """Return (topic, partition, error code) in the order of the response."""
        requested = [AddPartitionsToTxnTopic(*each) for each in (topics or {"orders": [0]}).items()]
        if version < 4:
            request = AddPartitionsToTxnRequest([], transactional_id, producer_id, epoch, requested)
        else:
            one = AddPartitionsToTxnTransaction(transactional_id, producer_id, epoch, verify_only, requested)
            request = AddPartitionsToTxnRequest([one])
        response = self.ask(add_partitions_to_txn, request, version)
        results = response.results_by_topic_v3_and_below
        if version >= 4:
            (of_transaction,) = response.results_by_transaction
            assert of_transaction.transactional_id == transactional_id
            results = of_transaction.topic_results
        return [
            (topic.name, partition.partition_index, partition.partition_error_code)
            for topic in results
            for partition in topic.results_by_partition
        ]

    def add_offsets(
        self,
        producer_id: int,
        epoch: int,
        group: str = "g",
        *,
        transactional_id: str = "tx",
        version: int = 4,
    ) -> int:
        request = AddOffsetsToTxnRequest(transactional_id, producer_id, epoch, group)
        code: int = self.ask(add_offsets_to_txn, request, version).error_code
        return code

    def end(
        self,
        producer_id: int,
        epoch: int,
        *,
        committed: bool = True,
        transactional_id: str = "tx",
        version: int = 5,
    ) -> Producer:
        request = EndTxnRequest(transactional_id, producer_id, epoch, committed)
        response = self.ask(end_txn, request, version)
        return response.error_code, response.producer_id, response.producer_epoch


def restored(key: bytes, value: bytes | None, version: int) -> Record:
    decoded_key, _ = TransactionLogKey.DECODERS[0](key, 0, len(key))
    if value is None:
        return Record(decoded_key, None)
    decoded_value, _ = TransactionLogValue.DECODERS[version](value, 0, len(value))
    return Record(decoded_key, decoded_value)
