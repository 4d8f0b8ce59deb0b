"""Log lines about topics and transactions, for the events that Kafka's controller and coordinator log.

Groups log their changes themselves (`GroupStore.logger`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.log_text import short
from tidemark.core.result import ConsumerGroupRebalances, NotServed, Record, Result, TopicsDeleted
from tidemark.metadata.state import Cluster
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord

if TYPE_CHECKING:
    from tidemark.metrics.registry import Metrics
    from tidemark.transactions.model import Transaction
    from tidemark.transactions.state import Transactions

NOT_SERVED_MAX: Final = 1_000


class TransactionEvents:
    """Logs and counts ends of transactions without a request. Call it once the decision is replayed.

    seen(transaction) is called for each transaction that times out, while it is set
    """

    def __init__(self, transactions: Transactions, metrics: Metrics, log: Any) -> None:
        self._transactions = transactions
        self._metrics = metrics
        self._log = log
        self.seen: Callable[[Transaction], None] | None = None

    def timed_out(self, aborted: Result[Any]) -> None:
        self._metrics.transactions_timed_out += 1
        transaction = self._transactions.by_id[aborted.records[0].key.transactional_id]
        if self.seen is not None:
            self.seen(transaction)
        self._log.info(
            "transaction timed out", transactional_id=short(transaction.transactional_id),
            producer_id=transaction.producer_id, producer_epoch=transaction.producer_epoch,
            timeout_ms=transaction.timeout_ms, partitions=len(transaction.partitions),
        )  # fmt: skip

    def expired(self, removed: Result[Any]) -> None:
        self._metrics.transactional_ids_expired += len(removed.records)
        for record in removed.records:
            self._log.info("transactional id expired", transactional_id=short(record.key.transactional_id))


def log_topics(cluster: Cluster, log: Any, records: tuple[Record, ...]) -> None:
    """Log the topics and partitions that these records create. Call it once they are replayed."""
    created = {record.value.topic_id: None for record in records if isinstance(record.value, TopicRecord)}
    for topic_id in created:
        topic = cluster.topics_by_id[topic_id]
        log.info("topic created", topic=topic.name, partitions=len(topic.partitions))
    grown = Counter(record.value.topic_id for record in records if isinstance(record.value, PartitionRecord))
    for topic_id, count in grown.items():
        if topic_id not in created:
            topic = cluster.topics_by_id[topic_id]
            log.info("partitions created", topic=topic.name, count=count, partitions=len(topic.partitions))


def log_rebalance(log: Any, effect: ConsumerGroupRebalances) -> None:
    log.info("rebalance started", group=short(effect.group_id), epoch=effect.epoch, reason=effect.reason)


def log_deleted_topics(log: Any, effect: TopicsDeleted) -> None:
    for name in effect.names:
        log.info("topic deleted", topic=name)


class NotServedLog:
    """Logs what is not served, once per client id and API, for at most NOT_SERVED_MAX pairs."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self._logged: set[tuple[str, str]] = set()

    def __call__(self, effect: NotServed) -> None:
        pair = (short(effect.client_id) or "", effect.api)
        if pair not in self._logged and len(self._logged) < NOT_SERVED_MAX:
            self._logged.add(pair)
            self._log.warning("not served", client_id=pair[0], api=effect.api)
