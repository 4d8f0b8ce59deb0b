"""The state of all groups as seen at one moment, with one retention."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass

from tidemark.clock import turn
from tidemark.groups.expirations import Foresight, expiry_of
from tidemark.groups.explain import Holder, Outlook
from tidemark.groups.group import Group
from tidemark.groups.offsets import TopicPartition
from tidemark_expiry.rules import Expiry
from tidemark_expiry.sentences import MINUTE_MS, Retention
from tidemark_http.paging import OFFSETS_PER_TURN
from tidemark_http.ports import Ports
from tidemark_http.responses import HttpError
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitValue


@dataclass(slots=True, frozen=True)
class View:
    """The state, with the moment and the retention that it is seen with."""

    ports: Ports
    now_ms: int
    retention: Retention

    def group(self, group_id: str) -> Group | None:
        """Return the group, or None if it does not exist or its partition cannot be read."""
        groups = self.ports.groups
        group = groups.groups.get(group_id)
        return group if group is not None and groups.service_error(group_id) is ErrorCode.NONE else None

    def topic_name(self, topic_id: bytes) -> str:
        """Return the name of a topic, or its id as Kafka prints it if the topic was deleted."""
        topic = self.ports.cluster.topics_by_id.get(topic_id)
        return urlsafe_b64encode(topic_id).decode().rstrip("=") if topic is None else topic.name

    def expiry(self, group: Group, where: TopicPartition, value: OffsetCommitValue) -> Expiry:
        return expiry_of(self.ports.groups, group, where, value, self.now_ms, self.retention.ms)

    def holders(self, group: Group, where: TopicPartition) -> list[Holder]:
        """Return the open transactions that have committed an offset of the group for this partition."""
        transactions = self.ports.transactions()
        names = {} if transactions is None else transactions.producers
        return [
            Holder(
                names.get(found.producer.producer_id),
                found.producer.producer_id,
                found.producer_epoch,
                found.since_ms,
            )
            for found in self.ports.groups.offsets.holders(group.group_id, where)
        ]

    def known_group(self, group_id: str) -> Group:
        """Return the group. Raises HttpError if it does not exist or its partition cannot be read."""
        group = self.group(group_id)
        if group is not None:
            return group
        groups = self.ports.groups
        if groups.status and groups.service_error(group_id) is not ErrorCode.NONE:
            reason = (
                f"the partition of __consumer_offsets that would hold group {group_id!r} cannot be read or "
                "is not in this data directory"
            )
            raise HttpError(503, "not_served", reason, "group")
        raise HttpError(404, "unknown_group", f"there is no group {group_id!r}", "group")


def view_of(ports: Ports, minutes: int | None = None) -> View:
    """Return the current view. minutes: a retention to use instead of the broker's."""
    retention = Retention(
        ports.groups.limits.offsets_retention_ms, "assumed" if ports.assumed_retention else "set"
    )
    requested = retention if minutes is None else Retention(minutes * MINUTE_MS, "asked")
    return View(ports, ports.time.state().now_ms, requested)


def expiries(view: View, group: Group) -> Iterator[tuple[TopicPartition, Expiry] | None]:
    """Yield every offset of the group with its expiry, and None where the caller should let others run."""
    offsets = view.ports.groups.offsets.of(group.group_id)
    for number, where in enumerate([*offsets], 1):
        value = offsets.get(where)
        if value is not None:
            yield where, view.expiry(group, where, value)
        if number % OFFSETS_PER_TURN == 0:
            yield None


async def outlook(view: View, group: Group) -> Outlook:
    """Return when the group and its offsets expire."""
    foresight = Foresight(view.ports.groups, group)
    for found in expiries(view, group):
        if found is None:
            await turn()
        else:
            foresight.add(found[1])
    return Outlook(
        foresight.offsets,
        foresight.next_ms,
        foresight.group_due_ms,
        foresight.last_rule,
        view.ports.groups.offsets.has_pending(group.group_id),
    )
