"""Log lines about topics, for the events that Kafka's controller logs, and about unserved requests.

Groups log their changes themselves (`GroupStore.logger`), and so do the passes over transactions.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from tidemark.core.log_text import short
from tidemark.core.result import ConsumerGroupRebalances, NotServed, Record, TopicsDeleted
from tidemark.metadata.state import Cluster
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord

NOT_SERVED_MAX: Final = 1_000


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
    """Logs requests that are not served, once per client id and API.

    It remembers at most NOT_SERVED_MAX pairs, and logs no others.
    """

    def __init__(self, log: Any) -> None:
        self._log = log
        self._logged: set[tuple[str, str]] = set()

    def __call__(self, effect: NotServed) -> None:
        pair = (short(effect.client_id) or "", effect.api)
        if pair not in self._logged and len(self._logged) < NOT_SERVED_MAX:
            self._logged.add(pair)
            self._log.warning("not served", client_id=pair[0], api=effect.api)
