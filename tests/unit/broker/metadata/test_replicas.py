"""Replicas are placed, and leaders elected, as three nodes of Apache Kafka 4.4.0 did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.unit.broker.cluster_story import DIRECTORY_ID, a_start, new_cluster
from tidemark.core.context import Context
from tidemark.core.decision import Record
from tidemark.metadata.bootstrap import FIRST_LEVELS, start_records
from tidemark.metadata.model import Partition
from tidemark.metadata.replicas import (
    balanced,
    cancel_reassignment,
    changes_with,
    changes_without,
    factor_of,
    join_isr,
    leave_isr,
    place,
    preferred,
    reassign,
    unclean,
)
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import NewTopic, assigned, create_topic_records
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.broker_registration_change_record import BrokerRegistrationChangeRecord
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

NO_LEADER = -1
# What kafka-topics printed: leader, replicas, ISR, eligible leader replicas and last known ones.
Row = tuple[int, list[int], list[int], list[int], list[int]]


def brokers(count: int) -> BrokerSettings:
    settings = BrokerSettings()
    settings.tidemark_brokers = count
    return settings


def a_cluster(count: int = 3) -> Cluster:
    cluster = new_cluster(brokers(count))
    replay(cluster, (record.value for record in start_records(cluster, a_start(nodes=count))))
    return cluster


def replay(cluster: Cluster, values: Iterable[object]) -> None:
    for value in values:
        cluster.replay(Record(None, value))


def a_topic(cluster: Cluster, name: str, *replicas: list[int], **configs: str) -> None:
    given = {key.replace("_", "."): value for key, value in configs.items()}
    new = NewTopic(name, name.encode().ljust(16, b"-"), replicas, given)
    replay(cluster, (record.value for record in create_topic_records(cluster, new, 0)))


def stop(cluster: Cluster, node_id: int) -> None:
    change = BrokerRegistrationChangeRecord(broker_id=node_id, broker_epoch=0, fenced=1)
    replay(cluster, [change, *changes_without(cluster, node_id)])


def start(cluster: Cluster, node_id: int) -> None:
    change = BrokerRegistrationChangeRecord(broker_id=node_id, broker_epoch=0, fenced=-1)
    replay(cluster, [change, *changes_with(cluster, node_id)])


def rows(cluster: Cluster, topic: str) -> list[Row]:
    return [row(each) for each in cluster.topics[topic].partitions]


def row(partition: Partition) -> Row:
    eligible, last = partition.eligible_leader_replicas, partition.last_known_elr
    return partition.leader, partition.replicas, partition.isr, eligible, last


def test_node_that_starts_during_a_pause_leads_partitions_of_one_that_stops() -> None:
    cluster = a_cluster()
    a_topic(cluster, "first", [2, 1])
    a_topic(cluster, "second", [2, 3])
    stop(cluster, 3)
    changes = changes_without(cluster, 2)
    replay(cluster, [next(changes)])
    start(cluster, 3)
    replay(cluster, [*changes])
    assert rows(cluster, "second") == [(3, [2, 3], [3], [], [])]


def test_no_topic_is_created_if_no_broker_runs() -> None:
    cluster, unused = a_cluster(), Context(wall_ms=0, steady_ms=0, version=7)
    for node_id in (1, 2, 3):
        stop(cluster, node_id)
    with pytest.raises(KafkaError, match="All brokers are currently fenced") as raised:
        assigned(cluster, unused, 3, 3)
    assert raised.value.code == ErrorCode.INVALID_REPLICATION_FACTOR


def test_one_broker_stops_and_returns() -> None:
    cluster = a_cluster()
    a_topic(cluster, "two", [2, 3], [3, 1], [1, 2], min_insync_replicas="2")
    a_topic(cluster, "orders", [3, 1, 2], [1, 2, 3], [2, 3, 1], [1, 3, 2], [3, 2, 1], [2, 1, 3])
    a_topic(cluster, "one", [1], [2], [3])
    stop(cluster, 2)
    assert rows(cluster, "two") == [
        (3, [2, 3], [3], [2], []),
        (3, [3, 1], [3, 1], [], []),
        (1, [1, 2], [1], [2], []),
    ]
    assert rows(cluster, "orders") == [
        (3, [3, 1, 2], [3, 1], [], []),
        (1, [1, 2, 3], [1, 3], [], []),
        (3, [2, 3, 1], [3, 1], [], []),
        (1, [1, 3, 2], [1, 3], [], []),
        (3, [3, 2, 1], [3, 1], [], []),
        (1, [2, 1, 3], [1, 3], [], []),
    ]
    assert rows(cluster, "one") == [
        (1, [1], [1], [], []),
        (NO_LEADER, [2], [], [2], [2]),
        (3, [3], [3], [], []),
    ]
    start(cluster, 2)
    assert rows(cluster, "two") == [
        (3, [2, 3], [2, 3], [], []),
        (3, [3, 1], [3, 1], [], []),
        (1, [1, 2], [1, 2], [], []),
    ]
    assert [each[2] for each in rows(cluster, "orders")] == [[1, 2, 3]] * 6
    assert rows(cluster, "one")[1] == (2, [2], [2], [], [])


def test_without_eligible_leader_replicas_the_last_one_stays_in_the_isr() -> None:
    cluster = a_cluster()
    replay(cluster, [FeatureLevelRecord(name="eligible.leader.replicas.version", feature_level=0)])
    assert FIRST_LEVELS["eligible.leader.replicas.version"] == 1
    a_topic(cluster, "one", [2])
    stop(cluster, 2)
    assert rows(cluster, "one") == [(NO_LEADER, [2], [2], [], [])]
    start(cluster, 2)
    assert rows(cluster, "one") == [(2, [2], [2], [], [])]


def test_only_elections_begin_leader_epochs() -> None:
    cluster = a_cluster()
    a_topic(cluster, "orders", [1, 2], [2, 1])
    stop(cluster, 2)
    start(cluster, 2)
    assert [(each.leader_epoch, each.partition_epoch) for each in cluster.topics["orders"].partitions] == [
        (0, 2),
        (1, 2),
    ]


def test_the_first_replica_is_preferred() -> None:
    cluster = a_cluster()
    a_topic(cluster, "orders", [1, 2], [2, 1])
    stop(cluster, 2)
    topic = cluster.topics["orders"]
    assert refusal(lambda: preferred(cluster, topic, topic.partitions[0])) == ErrorCode.ELECTION_NOT_NEEDED
    unavailable = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert refusal(lambda: preferred(cluster, topic, topic.partitions[1])) == unavailable
    start(cluster, 2)
    replay(cluster, [preferred(cluster, topic, topic.partitions[1])])
    assert topic.partitions[1].leader == 2


def test_leaders_are_balanced_where_the_first_replica_can_lead() -> None:
    cluster = a_cluster()
    a_topic(cluster, "orders", [1, 2], [2, 1], [2, 3], [3, 1])
    stop(cluster, 2)
    stop(cluster, 3)
    start(cluster, 2)
    assert [each.leader for each in cluster.topics["orders"].partitions] == [1, 1, -1, 1]
    replay(cluster, [*balanced(cluster)])
    assert [each.leader for each in cluster.topics["orders"].partitions] == [1, 2, -1, 1]
    assert [*balanced(cluster)] == []


def test_a_follower_leaves_the_isr_and_joins_it_again() -> None:
    cluster = a_cluster()
    a_topic(cluster, "orders", [1, 2], min_insync_replicas="2")
    topic = cluster.topics["orders"]
    (partition,) = topic.partitions
    replay(cluster, leave_isr(cluster, topic, partition, 2))
    assert row(partition) == (1, [1, 2], [1], [2], [])
    replay(cluster, join_isr(cluster, topic, partition, 2))
    assert row(partition) == (1, [1, 2], [1, 2], [], [])


def test_an_unclean_election_takes_any_replica_whose_broker_serves() -> None:
    cluster = a_cluster()
    a_topic(cluster, "orders", [2, 3])
    topic = cluster.topics["orders"]
    (partition,) = topic.partitions
    stop(cluster, 3)
    stop(cluster, 2)
    assert row(partition) == (NO_LEADER, [2, 3], [], [2], [2])
    unavailable = ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    assert refusal(lambda: unclean(cluster, topic, partition)) == unavailable
    start(cluster, 3)
    assert partition.leader == NO_LEADER, "it was not eligible when the last one stopped"
    replay(cluster, [unclean(cluster, topic, partition)])
    assert row(partition) == (3, [2, 3], [3], [], [])
    assert refusal(lambda: unclean(cluster, topic, partition)) == ErrorCode.ELECTION_NOT_NEEDED


def refusal(elect: Callable[[], object]) -> ErrorCode:
    with pytest.raises(KafkaError) as refused:
        elect()
    return refused.value.code


# Leader, leader epoch, replicas and ISR, as DescribeTopicPartitions returned them.
Moved = tuple[int, int, list[int], list[int]]


def moved(cluster: Cluster, topic: str) -> list[Moved]:
    return [
        (each.leader, each.leader_epoch, each.replicas, each.isr) for each in cluster.topics[topic].partitions
    ]


def pending(cluster: Cluster, topic: str) -> list[tuple[int, list[int], list[int]]]:
    """Return the adding and removing replicas of partitions with a reassignment."""
    return [
        (each.index, each.adding_replicas, each.removing_replicas)
        for each in cluster.topics[topic].partitions
        if each.adding_replicas or each.removing_replicas
    ]


def alter(cluster: Cluster, name: str, index: int, replicas: list[int] | None) -> None:
    topic = cluster.topics[name]
    partition = topic.partitions[index]
    if replicas is None:
        replay(cluster, cancel_reassignment(cluster, topic, partition))
    else:
        replay(cluster, reassign(cluster, topic, partition, replicas))


@pytest.mark.parametrize(
    ("before", "target", "after"),
    [
        ([1, 2], [1, 3], (1, 1, [1, 3], [1, 3])),
        ([1, 2], [2, 1], (1, 0, [2, 1], [1, 2])),
        ([1, 2], [2, 3], (2, 1, [2, 3], [2, 3])),
        ([1, 2], [1, 2, 3], (1, 0, [1, 2, 3], [1, 2, 3])),
        ([2, 1], [2, 1], (2, 0, [2, 1], [2, 1])),
        ([1, 2, 3], [1], (1, 1, [1], [1])),
        ([1, 2, 3], [3], (3, 1, [3], [3])),
        ([1, 2, 3], [2, 1], (1, 1, [2, 1], [1, 2])),
        ([1], [3], (3, 1, [3], [3])),
        ([2], [3, 1], (3, 1, [3, 1], [1, 3])),
    ],
)
def test_a_reassignment_to_brokers_that_run(before: list[int], target: list[int], after: Moved) -> None:
    cluster = a_cluster()
    a_topic(cluster, "orders", before)
    alter(cluster, "orders", 0, target)
    assert moved(cluster, "orders") == [after]
    assert pending(cluster, "orders") == []
    (partition,) = cluster.topics["orders"].partitions
    assert partition.directories == [cluster.directory_of(each) for each in target]


def test_a_reassignment_waits_for_a_broker_that_is_stopped() -> None:
    cluster = a_cluster()
    a_topic(cluster, "b", *[[1, 2]] * 10)
    stop(cluster, 3)
    targets = [1, 3], [3, 1], [2, 3], [3], [1, 2, 3], [3, 2, 1], [1, 2], [2, 3], [1], [3, 2]
    for index, target in enumerate(targets):
        alter(cluster, "b", index, target)
    assert moved(cluster, "b") == [
        (1, 0, [1, 3, 2], [1, 2]),
        (1, 0, [3, 1, 2], [1, 2]),
        (1, 0, [2, 3, 1], [1, 2]),
        (1, 0, [3, 1, 2], [1, 2]),
        (1, 0, [1, 2, 3], [1, 2]),
        (1, 0, [3, 2, 1], [1, 2]),
        (1, 0, [1, 2], [1, 2]),
        (1, 0, [2, 3, 1], [1, 2]),
        (1, 1, [1], [1]),
        (1, 0, [3, 2, 1], [1, 2]),
    ]
    assert pending(cluster, "b") == [
        (0, [3], [2]), (1, [3], [2]), (2, [3], [1]), (3, [3], [1, 2]), (4, [3], []), (5, [3], []),
        (7, [3], [1]), (9, [3], [1]),
    ]  # fmt: skip
    assert [factor_of(each) for each in cluster.topics["b"].partitions] == [2, 2, 2, 1, 3, 3, 2, 2, 1, 2]
    alter(cluster, "b", 0, None)
    alter(cluster, "b", 1, [1, 2])
    alter(cluster, "b", 2, [1, 3])
    alter(cluster, "b", 3, None)
    topic = cluster.topics["b"]
    no_reassignment = ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    assert refusal(lambda: cancel_reassignment(cluster, topic, topic.partitions[0])) == no_reassignment
    assert moved(cluster, "b")[:4] == [
        (1, 1, [1, 2], [1, 2]),
        (1, 0, [1, 2, 3], [1, 2]),
        (1, 0, [1, 3, 2], [1, 2]),
        (1, 1, [1, 2], [1, 2]),
    ]
    assert pending(cluster, "b")[:2] == [(1, [3], [3]), (2, [3], [2])], "as Kafka, it keeps what it adds"
    alter(cluster, "b", 1, [1, 2])
    alter(cluster, "b", 1, None)
    start(cluster, 3)
    assert moved(cluster, "b") == [
        (1, 1, [1, 2], [1, 2]),
        (1, 1, [1, 2], [1, 2]),
        (1, 1, [1, 3], [1, 3]),
        (1, 1, [1, 2], [1, 2]),
        (1, 0, [1, 2, 3], [1, 2, 3]),
        (1, 0, [3, 2, 1], [1, 2, 3]),
        (1, 0, [1, 2], [1, 2]),
        (2, 1, [2, 3], [2, 3]),
        (1, 1, [1], [1]),
        (3, 1, [3, 2], [2, 3]),
    ]
    assert pending(cluster, "b") == []


def test_the_preferred_leader_of_a_reassignment_is_the_first_of_its_replicas() -> None:
    cluster = a_cluster()
    a_topic(cluster, "el", [1, 2], [2, 1], [1, 2])
    stop(cluster, 3)
    for index, target in enumerate(([3, 2], [3, 1], [2, 3])):
        alter(cluster, "el", index, target)
    topic = cluster.topics["el"]
    unavailable = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert refusal(lambda: preferred(cluster, topic, topic.partitions[0])) == unavailable
    replay(cluster, [preferred(cluster, topic, topic.partitions[2])])
    assert moved(cluster, "el")[2] == (2, 1, [2, 3, 1], [1, 2])
    start(cluster, 3)
    assert moved(cluster, "el") == [
        (3, 1, [3, 2], [2, 3]),
        (3, 1, [3, 1], [1, 3]),
        (2, 2, [2, 3], [2, 3]),
    ]


@pytest.mark.parametrize("also_stopped", [(), (1,), (1, 2)])
def test_a_start_of_the_process_completes_the_reassignments(also_stopped: tuple[int, ...]) -> None:
    cluster = a_cluster()
    a_topic(cluster, "orders", [1, 2], [1])
    stop(cluster, 3)
    alter(cluster, "orders", 0, [2, 3])
    alter(cluster, "orders", 1, [3])
    for node_id in also_stopped:
        stop(cluster, node_id)
    replay(cluster, (record.value for record in start_records(cluster, a_start(offset=9, nodes=3))))
    assert pending(cluster, "orders") == []
    assert [each[0::2] for each in moved(cluster, "orders")] == [(2, [2, 3]), (3, [3])]
    assert [each.isr for each in cluster.topics["orders"].partitions] == [[2, 3], [3]]


def test_a_reassignment_that_only_its_new_replica_could_serve_cannot_be_cancelled() -> None:
    cluster = a_cluster()
    a_topic(cluster, "one", [1])
    stop(cluster, 2)
    alter(cluster, "one", 0, [2, 3])
    assert pending(cluster, "one") == [(0, [2, 3], [1])]
    stop(cluster, 1)
    topic = cluster.topics["one"]
    with pytest.raises(
        KafkaError, match="Unable to revert partition reassignment for one:0 because it would"
    ):
        cancel_reassignment(cluster, topic, topic.partitions[0])


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_leaders_and_replicas_are_spread_evenly(factor: int) -> None:
    placed = place(dict.fromkeys((1, 2, 3)), 6, factor, Random(1).randrange)
    assert [len(set(replicas)) for replicas in placed] == [factor] * 6
    assert sorted(replicas[0] for replicas in placed) == [1, 1, 2, 2, 3, 3]
    counts = [sum(node in replicas for replicas in placed) for node in (1, 2, 3)]
    assert counts == [2 * factor] * 3


def test_each_stripe_begins_with_the_next_node_and_each_round_has_another_order() -> None:
    placed = place(dict.fromkeys((1, 2, 3)), 300, 3, Random(1).randrange)
    for first, second in zip(placed[::3], placed[1::3], strict=True):
        assert second == first[1:] + first[:1]
    assert {tuple(each) for each in placed} == {
        (1, 2, 3), (2, 3, 1), (3, 1, 2), (1, 3, 2), (3, 2, 1), (2, 1, 3),
    }  # fmt: skip


@given(
    racks=st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=9),
    stopped=st.sets(st.integers(1, 9)),
    factor=st.integers(1, 9),
    seed=st.integers(0, 2**16),
)
def test_replicas_are_on_different_nodes_and_on_as_many_racks_as_possible(
    racks: list[str | None], stopped: set[int], factor: int, seed: int
) -> None:
    rack_of = dict(enumerate(racks, 1))
    running = rack_of.keys() - stopped
    assume(running)
    factor = min(factor, len(racks))
    for replicas in place(rack_of, 20, factor, Random(seed).randrange, stopped):
        assert len({*replicas}) == factor
        assert replicas[0] in running
        counts = {rack: [rack_of[each] for each in replicas].count(rack) for rack in racks}
        assert len({*racks}.intersection(map(rack_of.__getitem__, replicas))) == min(factor, len({*racks}))
        for rack, count in counts.items():
            has_left = racks.count(rack) > count
            assert not (has_left and count < max(counts.values()) - 1), "another rack has two more"


@pytest.mark.parametrize("racks", ["abcabc", "aabbcc", "abc"])
def test_leaders_are_spread_evenly_over_racks_of_the_same_size(racks: str) -> None:
    rack_of: dict[int, str | None] = dict(enumerate(racks, 1))
    placed = place(rack_of, len(racks), 3, Random(5).randrange)
    assert sorted(each[0] for each in placed) == [*rack_of]
    for replicas in placed:
        assert {rack_of[each] for each in replicas} == {"a", "b", "c"}


def test_every_start_registers_all_brokers_with_a_directory_of_their_own() -> None:
    cluster = a_cluster()
    assert cluster.living == {1, 2, 3}
    directories = [cluster.directory_of(each) for each in (1, 2, 3)]
    assert directories[0] == DIRECTORY_ID
    assert len(set(directories)) == 3
    again = a_start(offset=9, nodes=3)
    assert start_records(cluster, again) == (), "nothing has changed"
    stop(cluster, 2)
    replay(cluster, (record.value for record in start_records(cluster, again)))
    assert cluster.living == {1, 2, 3}
    assert [cluster.directory_of(each) for each in (1, 2, 3)] == directories


def test_a_directory_of_three_brokers_opens_with_one_and_with_three_again() -> None:
    before = a_cluster()
    a_topic(before, "orders", [2, 3, 1], [3, 2], [1])
    one = new_cluster()
    for record in before.snapshot_records():
        one.replay(record)
    replay(one, (record.value for record in start_records(one, a_start(offset=20))))
    assert [*one.brokers] == [1]
    assert [row(each)[:3] for each in one.topics["orders"].partitions] == [(1, [1], [1])] * 3
    three = new_cluster(brokers(3))
    for record in one.snapshot_records():
        three.replay(record)
    replay(three, (record.value for record in start_records(three, a_start(offset=40, nodes=3))))
    assert three.living == {1, 2, 3}
    assert [row(each)[:3] for each in three.topics["orders"].partitions] == [(1, [1], [1])] * 3
