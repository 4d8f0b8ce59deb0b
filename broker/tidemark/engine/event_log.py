"""Log lines about groups and topics, for the events that Kafka's coordinator and controller log.

The events and records of a decision contain what happened and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tidemark.core import result as effects
from tidemark.core.log_text import listed, short
from tidemark.core.result import ConsumerGroupRebalances, Event, NotServed, Record, Result, TopicsDeleted
from tidemark.groups.classic.events import (
    GroupDowngraded,
    GroupEmptied,
    GroupUpgraded,
    JoinCompleted,
    MemberAdded,
    MemberReplaced,
    MembersRemoved,
    RebalanceOpened,
)
from tidemark.groups.classic.model import ClassicModel
from tidemark.groups.group import Group
from tidemark.groups.state import Groups
from tidemark.metadata.state import Cluster
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord

if TYPE_CHECKING:
    from tidemark.metrics.registry import Metrics
    from tidemark.transactions.model import Transaction
    from tidemark.transactions.state import Transactions

NOT_SERVED_MAX: Final = 1_000


class GroupEvents:
    """Logs events. Call it once they are replayed."""

    def __init__(self, groups: Groups, log: Any) -> None:
        self._groups = groups
        self._log = log

    def __call__(self, events: tuple[Event, ...]) -> None:
        for event in events:
            say = LINES.get(type(event))
            if say is not None:
                group = self._groups.get(event.group_id)  # type: ignore[attr-defined]
                assert group is not None, event
                say(self._log, group, event)


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


def _member_added(log: Any, group: ClassicModel, event: MemberAdded) -> None:
    member = event.member
    log.info(
        "member joined", group=short(group.group_id), member=short(member.member_id),
        instance=short(member.instance_id), client_id=short(member.client_id), host=member.client_host,
    )  # fmt: skip


def _member_replaced(log: Any, group: ClassicModel, event: MemberReplaced) -> None:
    instance_id = group.members[event.new_id].instance_id
    log.info(
        "static member replaced", group=short(group.group_id), instance=short(instance_id),
        member=short(event.new_id), old_member=short(event.old_id),
    )  # fmt: skip


def _members_removed(log: Any, group: ClassicModel, event: MembersRemoved) -> None:
    log.info(
        "members removed", group=short(group.group_id), count=len(event.member_ids),
        members=listed(event.member_ids), reason=event.reason,
    )  # fmt: skip


def _rebalance_opened(log: Any, group: ClassicModel, event: RebalanceOpened) -> None:
    log.info(
        "rebalance started", group=short(group.group_id), generation=group.generation,
        reason=group.rebalance_reason,
    )  # fmt: skip


def _join_completed(log: Any, group: ClassicModel, event: JoinCompleted) -> None:
    log.info(
        "group rebalanced", group=short(group.group_id), generation=group.generation,
        members=len(group.members), reason=group.rebalance_reason,
    )  # fmt: skip


def _group_emptied(log: Any, group: ClassicModel, event: GroupEmptied) -> None:
    log.info(
        "group emptied", group=short(group.group_id), generation=group.generation,
        reason=group.rebalance_reason,
    )  # fmt: skip


def _group_upgraded(log: Any, group: Group, event: GroupUpgraded) -> None:
    log.info(
        "group migrated", group=short(group.group_id), protocol="consumer", epoch=group.epoch,
        members=len(group.member_ids),
    )  # fmt: skip


def _group_downgraded(log: Any, group: Group, event: GroupDowngraded) -> None:
    log.info(
        "group migrated", group=short(group.group_id), protocol="classic", epoch=group.epoch,
        members=len(group.member_ids),
    )  # fmt: skip


LINES: Final[dict[type[Any], Callable[[Any, Any, Any], None]]] = {
    GroupDowngraded: _group_downgraded,
    GroupEmptied: _group_emptied,
    GroupUpgraded: _group_upgraded,
    JoinCompleted: _join_completed,
    MemberAdded: _member_added,
    MemberReplaced: _member_replaced,
    MembersRemoved: _members_removed,
    RebalanceOpened: _rebalance_opened,
}


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


def log_removal(log: Any, effect: effects.MembersRemoved) -> None:
    log.info(
        "members removed", group=short(effect.group_id), count=len(effect.member_ids),
        members=listed(effect.member_ids), reason=effect.reason,
    )  # fmt: skip


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
