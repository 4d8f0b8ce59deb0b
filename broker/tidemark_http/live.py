"""Metrics that are computed at each scrape: topics, groups, offsets, lag and next expiry.

A million offsets take a second to examine, so a scrape works in slices. A metric has at most SERIES_MAX
series; the rest is counted (`Scrape.left_out`). Groups beyond tidemark.metrics.groups.max have no series;
they are counted, and their lag is summed up.

Lag is defined in `tidemark.groups.offsets`. Lag and offsets by partition follow kafka_exporter: if a group
has committed one partition of a topic, all partitions of the topic are reported, with -1 where nothing is
committed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import MovableClock
from tidemark.groups.expirations import expiry_of
from tidemark.groups.group import Group
from tidemark.groups.offsets import add_lag, lag_of
from tidemark.metrics.catalogue import SERIES_MAX
from tidemark.settings.release import Change
from tidemark.transactions.model import EXPIRE, NO_START
from tidemark.transactions.state import Transactions
from tidemark.turns import Slice
from tidemark_protocol.subscriptions import CONSUMER

if TYPE_CHECKING:
    from tidemark.groups.offsets import TopicPartition
    from tidemark.metadata.model import Partition, Topic
    from tidemark.node.incarnation import State
    from tidemark.share.open_partitions import SharePartitions

# Work, in offsets examined: 2 us each, with the expiry.
TURN: Final = 400  # the work of one turn of the loop; other clients wait for up to two turns
NAMES: Final = 20 * TURN  # offsets of which only the topic is read
SUMMED: Final = 100  # offsets of which only the lag is read
RUNS: Final = 10  # batches of a share partition that are counted in the time of one offset
LOG: Final = 25  # reading the ends of a log: it may have to be opened

LATE_AFTER_MS: Final = 300_000  # beyond transaction.max.timeout.ms, as in Kafka

NONE: Final = -1
# Type and state of a group -> the readings that count it under Kafka's oldest names: classic groups alone.
COUNTED_STATES: Final = {
    ("classic", "Empty"): ("classic_groups", "classic_empty"),
    ("classic", "PreparingRebalance"): ("classic_groups", "classic_preparing_rebalance"),
    ("classic", "CompletingRebalance"): ("classic_groups", "classic_completing_rebalance"),
    ("classic", "Stable"): ("classic_groups", "classic_stable"),
    ("classic", "Dead"): ("classic_groups", "classic_dead"),
}
OF_PARTITION: Final = (
    "partition_leader", "partition_replicas", "partition_in_sync", "partition_preferred",
    "partition_under_replicated",
)  # fmt: skip
OF_GROUP: Final = (
    "group_members", "group_total_lag", "group_without_offset", "next_expiry", "unsubscribed_offsets",
)  # fmt: skip
OF_SHARE_PARTITION: Final = ("share_in_flight_records", "share_in_flight_batches")
OF_NODE: Final = ("replicas", "partitions_led", "under_replicated", "under_min_isr", "at_min_isr")
OF_GROUP_AND_TOPIC: Final = ("group_offset_sum", "group_lag_sum")
OF_OFFSET: Final = ("group_offset", "group_lag")


class Scrape:
    """One scrape. Run `steps` to the end, and yield to the loop at each step.

    readings  by attribute of the catalogue: a number, or numbers by label
    left_out  by attribute of the catalogue: the number of series above SERIES_MAX
    """

    def __init__(
        self,
        state: State,
        transactions: Transactions | None,
        groups_max: int,
        shares: SharePartitions | None = None,
    ) -> None:
        """groups_max: groups that have series of their own.

        transactions, shares: None if no client has used any.
        """
        self._state = state
        self._transactions = transactions
        self._shares = shares
        self._groups_max = groups_max
        self._wall_ms = state.clock.wall_ms()
        self._budget = Slice(TURN)
        self._ends: dict[TopicPartition, tuple[int, int] | None] = {}
        self.left_out: Counter[str] = Counter()
        self.readings: dict[str, Any] = dict.fromkeys(
            (
                "offline",
                "not_preferred",
                "producer_ids",
                "late_transactions",
                "markers_to_unknown",
                "markers_retried",
                "groups_left_out",
                "groups_left_out_lag",
                "share_sessions",
                "share_session_partitions",
                "share_session_evictions",
                *chain(*COUNTED_STATES.values()),
            ),
            0,
        )
        for name in ("log_size", "topic_partitions", "partition_start", "partition_end",
                     "last_stable_offset_lag", *OF_PARTITION,
                     *OF_GROUP, *OF_GROUP_AND_TOPIC, *OF_OFFSET, *OF_SHARE_PARTITION):  # fmt: skip
            self.readings[name] = {}

    def steps(self) -> Iterator[None]:
        clock = self._state.clock
        moved_ms = clock.moved_ms if isinstance(clock, MovableClock) else 0
        self.readings["clock_offset"] = moved_ms / 1000
        cluster, readings = self._state.cluster, self.readings
        readings["topics"] = len(cluster.topics)
        readings["brokers"] = len(cluster.brokers)
        readings["broker_info"] = {
            (node, f"{registered.end_points[0].host}:{registered.end_points[0].port}"): 1
            for node, registered in cluster.brokers.items()
            if registered.end_points
        }
        readings["brokers_active"] = len(cluster.living)
        readings["brokers_fenced"] = max(0, len(cluster.brokers) - len(cluster.living))
        self._of_node: dict[str, Counter[int]] = {name: Counter() for name in OF_NODE}
        yield from self._read_topics()
        if self._state.logs.are_here:
            self._read_space()
            yield from self._read_logs()
        else:
            del readings["last_stable_offset_lag"]
        self._sum_nodes()
        yield from self._read_groups()
        yield from self._read_transactions()
        yield from self._read_shares()

    def _sum_nodes(self) -> None:
        """Give each node its series if there are several; else the only one has no label."""
        cluster, nodes = self._state.cluster, self._state.cluster.node_ids
        controllers = {node_id: int(node_id == cluster.quorum_leader) for node_id in nodes}
        for name, counts in {**self._of_node, "controllers": controllers}.items():
            several = {node_id: counts[node_id] for node_id in nodes}
            self.readings[name] = several if len(nodes) > 1 else several[nodes[0]]

    def _turn_is_over(self, work: int) -> bool:
        if not self._budget.spend(work):
            return False
        self._budget.renew()
        return True

    def _has_room(self, name: str) -> bool:
        return len(self.readings[name]) < SERIES_MAX

    # The cluster and its topics.

    def _read_space(self) -> None:
        logs = self._state.logs
        with suppress(OSError):  # the directory was removed or unmounted: these series are absent
            total, usable = logs.storage.space()
            if total >= 0:
                self.readings["log_dir_total"] = {logs.directory: total}
                self.readings["log_dir_usable"] = {logs.directory: usable}

    def _read_logs(self) -> Iterator[None]:
        settings = (self._transactions or Transactions()).settings
        late_before_ms = self._wall_ms - settings.transaction_max_timeout_ms - LATE_AFTER_MS
        for log in self._state.logs.logs():
            where = (log.topic, log.partition)
            self._put("log_size", where, log.size_bytes)
            if where in self.readings["last_stable_offset_lag"]:
                lag = log.high_watermark - log.last_stable_offset
                self.readings["last_stable_offset_lag"][where] = lag
            self.readings["producer_ids"] += len(log.producers.states)
            self.readings["late_transactions"] += log.producers.is_late(late_before_ms)
            if self._turn_is_over(1):
                yield

    def _read_transactions(self) -> Iterator[None]:
        transactions = self._transactions
        states: Counter[str] = Counter()
        oldest_ms: int | None = None
        for transaction in [] if transactions is None else [*transactions.by_id.values()]:
            states[transaction.status.title] += 1
            begun_ms = transaction.start_ms
            is_open = transaction.status not in EXPIRE and begun_ms != NO_START
            if is_open and (oldest_ms is None or begun_ms < oldest_ms):
                oldest_ms = begun_ms
            if self._turn_is_over(1):
                yield
        self.readings["transactional_ids"] = states
        if oldest_ms is not None:
            self.readings["oldest_transaction"] = oldest_ms / 1000

    def _read_shares(self) -> Iterator[None]:
        """Read the share partitions that are in use, and the sessions of their members."""
        readings, states = self.readings, Counter[str]()
        readings["share_records"] = states
        if self._shares is None:
            return
        readings["share_session_evictions"] = self._shares.evictions
        for sessions in self._shares.all_sessions():
            readings["share_sessions"] += len(sessions)
            readings["share_session_partitions"] += sessions.partitions
        for opened in [*self._shares]:
            if (share := opened.active) is None:
                continue
            states.update(share.counts())
            where = (opened.key[0], opened.topic, opened.key[2])
            self._put("share_in_flight_records", where, share.in_flight)
            self._put("share_in_flight_batches", where, share.batches)
            if self._turn_is_over(1 + share.batches // RUNS):
                yield

    def _read_topics(self) -> Iterator[None]:
        count = 0
        for topic in [*self._state.cluster.topics.values()]:
            count += len(topic.partitions)
            self._put("topic_partitions", topic.name, len(topic.partitions))
            isr_min = self._state.cluster.topic_config(topic.name).min_insync_replicas
            for partition in topic.partitions:
                self._count(partition, isr_min)
                if self._turn_is_over(self._read_partition(topic, partition)):
                    yield
        self.readings["partitions"] = count

    def _count(self, partition: Partition, isr_min: int) -> None:
        """Count a partition for the controller, and for each of its nodes. Kafka: Partition.isUnderMinIsr."""
        leader, in_sync, of_node = partition.leader, len(partition.isr), self._of_node
        self.readings["offline"] += leader < 0
        self.readings["not_preferred"] += leader != partition.replicas[0]
        of_node["replicas"].update(partition.replicas)
        isr_min = min(isr_min, len(partition.replicas))
        of_node["partitions_led"][leader] += 1
        of_node["under_replicated"][leader] += in_sync < len(partition.replicas)
        of_node["under_min_isr"][leader] += in_sync < isr_min
        of_node["at_min_isr"][leader] += in_sync == isr_min

    def _read_partition(self, topic: Topic, partition: Partition) -> int:
        """Add the readings of a partition. Return the work done."""
        readings, where = self.readings, (topic.name, partition.index)
        lacking = len(partition.isr) < len(partition.replicas)
        if not self._has_room("partition_leader"):
            self.left_out.update(OF_PARTITION)
            self.left_out.update(("partition_start", "partition_end", "last_stable_offset_lag"))
            return 1
        readings["partition_leader"][where] = partition.leader
        readings["partition_replicas"][where] = len(partition.replicas)
        readings["partition_in_sync"][where] = len(partition.isr)
        readings["partition_preferred"][where] = int(partition.leader == partition.replicas[0])
        readings["partition_under_replicated"][where] = int(lacking)
        readings["last_stable_offset_lag"][where] = 0  # until its log is read
        if (ends := self._log_ends(where)) is not None:
            readings["partition_start"][where], readings["partition_end"][where] = ends
        return LOG

    def _log_ends(self, where: TopicPartition) -> tuple[int, int] | None:
        """Return the start and end offset of a log, the same for all readings of this scrape."""
        if where not in self._ends:
            self._budget.spend(LOG)
            self._ends[where] = self._state.logs.ends(*where)
        return self._ends[where]

    def _put(self, name: str, labels: Any, value: float) -> None:
        """Add a series, or count it as left out."""
        series = self.readings[name]
        if labels in series or len(series) < SERIES_MAX:
            series[labels] = value
        else:
            self.left_out[name] += 1

    # Groups and their offsets.

    def _read_groups(self) -> Iterator[None]:
        groups, readings = self._state.groups, self.readings
        states: Counter[str] = Counter()
        types: Counter[str] = Counter()
        consumer_states: Counter[str] = Counter()
        classic_states: Counter[str] = Counter()
        share_states: Counter[str] = Counter()
        streams_states: Counter[str] = Counter()
        members = 0
        readings["offsets"] = groups.offsets.count
        for group_id in [*groups.groups]:
            group = groups.groups.get(group_id)
            if group is None:  # deleted meanwhile
                continue
            states[group.state_name] += 1
            types[group.type_name] += 1
            consumer_states[group.state_name] += group.type_name == CONSUMER
            share_states[group.state_name] += group.type_name == "share"
            streams_states[group.state_name] += group.type_name == "streams"
            classic_states[group.state_name] += group.type_name == "classic"
            members += len(group.member_ids)
            for reading in COUNTED_STATES.get((group.type_name, group.state_name), ()):
                readings[reading] += 1
            yield from self._read_group(group)
        readings["groups"] = states
        readings["groups_by_type"] = types
        readings["consumer_groups"] = +consumer_states
        readings["share_groups"] = +share_states
        readings["streams_groups"] = +streams_states
        if groups.settings.release.has(Change.METRICS_OF_GROUPS):
            readings["classic_groups_by_state"] = +classic_states
            readings["offsets_of_groups"] = readings["offsets"]
        readings["members"] = members

    def _read_group(self, group: Group) -> Iterator[None]:
        readings = self.readings
        lag, without_offset = yield from self._sum_lag(group)
        if len(readings["group_members"]) < self._groups_max:
            readings["group_members"][group.group_id] = len(group.member_ids)
            readings["group_without_offset"][group.group_id] = without_offset
            if lag is not None:
                readings["group_total_lag"][group.group_id] = lag
            yield from self._read_expiry(group)
            yield from self._read_lag(group)
        else:
            readings["groups_left_out"] += 1
            readings["groups_left_out_lag"] += lag or 0

    def _sum_lag(self, group: Group) -> Generator[None, None, tuple[int | None, int]]:
        """Return the lag of the group, and how many partitions of its topics have no committed offset.

        Its topics are those that it has committed offsets of or is subscribed to.
        """
        offsets = self._state.groups.offsets.of(group.group_id)
        places, cluster = [*offsets], self._state.cluster
        lag: int | None = None
        topics: set[str] = set()
        known = 0
        for begin in range(0, len(places), SUMMED):
            for where in places[begin : begin + SUMMED]:
                value, ends = offsets.get(where), self._log_ends(where)
                if value is not None:
                    lag = add_lag(lag, lag_of(value.offset, None if ends is None else ends[1]))
                    topics.add(where[0])
                    known += ends is not None or cluster.has_partition(*where)
            if self._turn_is_over(SUMMED // 4):
                yield
        topics.update(group.subscribed_topics or ())
        found = map(cluster.topics.get, topics)
        partitions = sum(len(topic.partitions) for topic in found if topic is not None)
        if self._turn_is_over(1 + len(topics) // 4):
            yield
        return lag, partitions - known

    def _read_expiry(self, group: Group) -> Iterator[None]:
        groups = self._state.groups
        offsets = groups.offsets.of(group.group_id)
        subscribed = group.topics_are_known
        next_ms: int | None = None
        unsubscribed = 0
        for where in [*offsets]:
            if (value := offsets.get(where)) is not None:
                due_ms = expiry_of(groups, group, where, value, self._wall_ms).due_ms
                if due_ms is not None and (next_ms is None or due_ms < next_ms):
                    next_ms = due_ms
                unsubscribed += subscribed and not group.is_subscribed(where[0])
            if self._turn_is_over(1):
                yield
        if next_ms is not None:
            self.readings["next_expiry"][group.group_id] = next_ms / 1000
        if subscribed:
            self.readings["unsubscribed_offsets"][group.group_id] = unsubscribed

    def _read_lag(self, group: Group) -> Iterator[None]:
        """Add lag topic by topic, in the order of first commits. Deleted topics are skipped."""
        topics: dict[str, None] = {}
        offsets = [*self._state.groups.offsets.of(group.group_id)]
        for begin in range(0, len(offsets), NAMES):
            topics |= dict.fromkeys(map(itemgetter(0), offsets[begin : begin + NAMES]))
            if self._turn_is_over(1 + min(len(offsets) - begin, NAMES) * TURN // NAMES):
                yield
        for name in topics:
            topic = self._state.cluster.topics.get(name)
            if topic is None:
                continue
            if self._has_room("group_lag_sum"):
                yield from self._read_lag_of(group, topic)
            else:
                self.left_out.update(OF_GROUP_AND_TOPIC)
                self.left_out.update(dict.fromkeys(OF_OFFSET, len(topic.partitions)))

    def _read_lag_of(self, group: Group, topic: Topic) -> Iterator[None]:
        offsets = self._state.groups.offsets.of(group.group_id)
        offset_sum = lag_sum = 0
        for partition in topic.partitions:
            where = (topic.name, partition.index)
            value = offsets.get(where)
            ends = self._log_ends(where)
            offset = NONE if value is None else value.offset
            offset_sum += offset
            self._put("group_offset", (group.group_id, *where), offset)
            if ends is not None:
                lag = lag_of(None if value is None else value.offset, ends[1])
                lag_sum += lag or 0
                self._put("group_lag", (group.group_id, *where), NONE if lag is None else lag)
            if self._turn_is_over(1):
                yield
        self._put("group_offset_sum", (group.group_id, topic.name), offset_sum)
        self._put("group_lag_sum", (group.group_id, topic.name), lag_sum)
