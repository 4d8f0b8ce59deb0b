"""Facts about a KIP-848 group, as /v1 shows them. The scenes are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.groups.test_read_only_groups import group, loaded, member, target
from tidemark.core.decision import Record
from tidemark.groups.consumer.group import MEMBERS_MAX
from tidemark.groups.group import Group
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ClassicMemberMetadata,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_member import (
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    TopicPartition,
)

ORDERS = b"o" * 16
NAMES = {ORDERS: "orders"}
STABLE, UNREVOKED, UNRELEASED = 0, 1, 2
NOW_MS = 1_793_527_200_500  # 2026-11-01 at 10:00:00.500


def current(
    member_id: str, epoch: int, state: int, assigned: list[int], revoking: list[int] | None = None
) -> Record:
    value = ConsumerGroupCurrentMemberAssignmentValue(
        epoch,
        epoch - 1,
        state,
        [TopicPartitions(ORDERS, assigned)] if assigned else [],
        [TopicPartitions(ORDERS, revoking)] if revoking else [],
    )
    return Record(ConsumerGroupCurrentMemberAssignmentKey("g", member_id), value)


def target_of(member_id: str, partitions: list[int]) -> Record:
    value = ConsumerGroupTargetAssignmentMemberValue([TopicPartition(ORDERS, partitions)])
    return Record(ConsumerGroupTargetAssignmentMemberKey("g", member_id), value)


def of(*records: Record) -> Group:
    return loaded(*records).groups["g"]


def why(found: Group) -> str | None:
    return found.waits_for(NAMES.__getitem__, NOW_MS)


REVOKING = (
    group(3), target(3),
    member("orders", member_id="m1"), target_of("m1", [0, 1, 2]),
    current("m1", 2, UNREVOKED, [0, 1, 2], [3, 4, 5]),
    member("orders", member_id="m2"), target_of("m2", [3, 4, 5]), current("m2", 3, UNRELEASED, []),
)  # fmt: skip


def test_members_are_shown_with_epochs_states_and_partitions() -> None:
    found = of(*REVOKING)
    first, second = found.member_facts()
    assert (first.protocol, first.epoch, first.state) == ("consumer", 2, "unrevoked_partitions")
    assert first.assigned is not None and first.revoking is not None and first.target is not None
    assert [*first.assigned[ORDERS]] == [0, 1, 2]
    assert [*first.revoking[ORDERS]] == [3, 4, 5]
    assert [*first.target[ORDERS]] == [0, 1, 2]
    assert (second.epoch, second.state, second.assigned) == (3, "unreleased_partitions", {})
    assert (found.epoch, found.target_epoch, found.protocol_name) == (3, 3, "uniform")


def test_a_classic_member_of_an_upgraded_group_is_named() -> None:
    value = ConsumerGroupMemberMetadataValue(
        subscribed_topic_names=["orders"], classic_member_metadata=ClassicMemberMetadata(30_000)
    )
    found = of(group(3), target(3), Record(ConsumerGroupMemberMetadataKey("g", "m"), value))
    assert [each.protocol for each in found.member_facts()] == ["classic"]


def test_a_reconciling_group_names_the_partitions_that_it_waits_for() -> None:
    assert why(of(*REVOKING)) == (
        "Group g is Reconciling at epoch 3: member m1 has not given up orders-3, orders-4, orders-5 yet; "
        "member m2 waits for orders-3, orders-4, orders-5, which other members still own."
    )


def test_a_member_without_a_heartbeat_since_the_assignment_is_named() -> None:
    records = (group(3), target(3), member("orders"), current("m", 2, STABLE, [0]))
    assert why(of(*records)) == (
        "Group g is Reconciling at epoch 3: member m has not sent a heartbeat since then (its epoch is 2)."
    )


def test_a_static_member_that_is_away_is_named() -> None:
    value = ConsumerGroupMemberMetadataValue(instance_id="i", subscribed_topic_names=["orders"])
    away = Record(ConsumerGroupMemberMetadataKey("g", "m"), value)
    told = why(of(group(3), target(3), away, current("m", -2, STABLE, [0])))
    assert told is not None
    assert "member m has left, and its instance i may return" in told


def test_many_members_are_counted() -> None:
    members = [
        record
        for at in range(MEMBERS_MAX + 2)
        for record in (member("orders", member_id=f"m{at}"), current(f"m{at}", 2, STABLE, []))
    ]
    told = why(of(group(3), target(3), *members))
    assert told is not None
    assert told.endswith("; 2 more members.")


@pytest.mark.parametrize(
    ("assigned_at_ms", "when"),
    [(NOW_MS - 400, " from 2026-11-01T10:00:01.100Z on"), (NOW_MS - 1_000, ""), (0, "")],
)
def test_an_assigning_group_waits_for_the_interval_and_a_heartbeat(assigned_at_ms: int, when: str) -> None:
    assigned = target(3)
    assigned.value.assignment_timestamp = assigned_at_ms
    assert why(of(group(4), assigned, member("orders"), current("m", 3, STABLE, [0]))) == (
        "Group g is at epoch 4, and its target assignment at epoch 3: the first heartbeat of a member"
        f"{when} computes the next one (group.consumer.assignment.interval.ms=1000)."
    )


@pytest.mark.parametrize(
    "records", [(group(3),), (group(3), target(3), member("orders"), current("m", 3, STABLE, [0]))]
)
def test_an_empty_or_stable_group_waits_for_nothing(records: tuple[Record, ...]) -> None:
    assert why(of(*records)) is None
