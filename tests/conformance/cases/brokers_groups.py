"""Groups at their coordinator and at other brokers; the third broker stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.build import commit, delete_offsets, fetch_offsets, heartbeat, join, leave, sync
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.clusters import NODES, RUNNING, coordinated, each_on, group_of, ready_group, replicated
from tests.conformance.consumers import consumer_heartbeat, consumers_in_order, describe_consumers

OTHERS = (1, 2)  # not the coordinator


@case(brokers=3, versions=range(2, 10))
def commits_at_coordinators_and_other_brokers(k: Talk, version: int) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    given = commit(group, {topic: {0: 5, 1: 6}}, version=version)
    each_on(k, lambda peer: peer.ask(*given))
    yield
    ready_group(k, group, 1)
    each_on(k, lambda peer: peer.ask(*given), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*given))


@case(brokers=3, versions=range(1, 10))
def offsets_at_coordinators_and_other_brokers(k: Talk, version: int) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    k.on(3).do(*commit(group, {topic: {0: 5}}))
    wanted = fetch_offsets(group, {topic: [0, 1]}, version=version)
    each_on(k, lambda peer: peer.ask(*wanted))
    yield
    ready_group(k, group, 1)
    each_on(k, lambda peer: peer.ask(*wanted), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*wanted))


@case(brokers=3)
def offsets_of_groups_with_three_coordinators(k: Talk) -> Iterator[None]:
    topic, groups = replicated(k), [group_of(k, node_id) for node_id in NODES]
    for node_id, group in zip(NODES, groups, strict=True):
        k.on(node_id).do(*commit(group, {topic: {0: node_id}}))
    wanted = {"Groups": [{"GroupId": each, "Topics": None} for each in groups], "RequireStable": False}
    each_on(k, lambda peer: peer.ask("OffsetFetch", 9, wanted))
    yield
    ready_group(k, groups[2], 1)
    each_on(k, lambda peer: peer.ask("OffsetFetch", 9, wanted), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask("OffsetFetch", 9, wanted))


def in_partition_order(response: Any) -> Any:
    """keep=: Kafka's sets of partitions have no order."""
    if isinstance(response, dict):
        return {
            name: sorted(item)
            if name == "Partitions" and item and isinstance(item[0], int)
            else in_partition_order(item)
            for name, item in response.items()
        }
    return [in_partition_order(item) for item in response] if isinstance(response, list) else response


def joined(k: Talk, topic: str, group: str) -> int:
    """Let a consumer join at broker 3, whose coordinator knows the topic. Return the member's epoch."""
    k.until(
        lambda: k.on(3).do(*first_heartbeat(coordinated(k, 3, "probe"), topic)),
        lambda told: told["Assignment"] and told["Assignment"]["TopicPartitions"],
    )
    epoch: int = k.on(3).ask(*first_heartbeat(group, topic), keep=in_partition_order)["MemberEpoch"]
    return epoch


def first_heartbeat(group: str, topic: str) -> tuple[str, int, Fields]:
    return consumer_heartbeat(group, "member", 0, rebalance_ms=30000, topics=[topic], owns={})


def at_other_brokers(k: Talk, *requests: tuple[str, int, Fields]) -> Iterator[None]:
    """Send requests for a group that broker 3 coordinates to the others, and then to the one before."""
    for given in requests:
        each_on(k, lambda peer, given=given: peer.ask(*given), OTHERS)
    yield
    for given in requests:
        k.on(2).ask(*given)
    yield
    for given in requests:
        each_on(k, lambda peer, given=given: peer.ask(*given), (2, 3))


@case(brokers=3)
def joins_at_other_brokers(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    yield from at_other_brokers(k, *(join(group, version=version) for version in range(2, 10)))


@case(brokers=3)
def syncs_at_other_brokers(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    yield from at_other_brokers(k, *(sync(group, "nobody", 1, version=version) for version in range(1, 6)))


@case(brokers=3)
def heartbeats_at_other_brokers(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    yield from at_other_brokers(
        k, *(heartbeat(group, "nobody", 1, version=version) for version in range(1, 5))
    )


@case(brokers=3)
def leaves_at_other_brokers(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    yield from at_other_brokers(k, *(leave(group, "nobody", version=version) for version in range(1, 6)))


@case(brokers=3)
def groups_described_at_other_brokers(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    wanted = {"Groups": [group], "IncludeAuthorizedOperations": False}
    yield from at_other_brokers(k, *(("DescribeGroups", version, wanted) for version in range(3, 7)))


@case(brokers=3)
def groups_deleted_at_other_brokers(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    requests = (("DeleteGroups", version, {"GroupsNames": [group]}) for version in range(3))
    yield from at_other_brokers(k, *requests)


@case(brokers=3)
def offsets_deleted_at_other_brokers(k: Talk) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    yield from at_other_brokers(k, delete_offsets(group, (topic, [0])))


@case(brokers=3)
def consumer_heartbeats_at_other_brokers(k: Talk) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    yield from at_other_brokers(
        k,
        first_heartbeat(group, topic),
        consumer_heartbeat(group, "member", 1),
        consumer_heartbeat(group, "member", -1),
    )


@case(brokers=3)
def consumer_groups_described_at_other_brokers(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    yield from at_other_brokers(k, describe_consumers(group))


@case(brokers=3, versions=range(6))
def groups_listed_by_each_broker(k: Talk, version: int) -> Iterator[None]:
    topic, groups = replicated(k), [group_of(k, node_id) for node_id in NODES]
    for node_id, group in zip(NODES, groups, strict=True):
        k.on(node_id).do(*commit(group, {topic: {0: node_id}}))

    def of_the_case(response: Fields) -> Any:
        found = [each for each in response["Groups"] if each["GroupId"] in groups]
        return {**response, "Groups": sorted(found, key=lambda each: each["GroupId"])}

    each_on(k, lambda peer: peer.ask("ListGroups", version, {}, keep=of_the_case))
    yield
    ready_group(k, groups[2], 1)
    each_on(k, lambda peer: peer.ask("ListGroups", version, {}, keep=of_the_case), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask("ListGroups", version, {}, keep=of_the_case))


def stable_member(k: Talk, peer: Peer, group: str, **how: Any) -> str:
    """Let a classic member join alone and get its assignment. Return its id."""
    first = peer.do(*join(group, **how))
    member: str = first["MemberId"]
    if first["ErrorCode"] == 79:  # MEMBER_ID_REQUIRED
        first = peer.do(*join(group, member, **how))
    assert first["ErrorCode"] == 0, first
    k.alias(member, "<member>")
    peer.ask(*sync(group, member, 1, {member: "61"}))
    return member


@case(brokers=3)
def classic_member_whose_coordinator_stops(k: Talk) -> Iterator[None]:
    """It is known to the next coordinator, in the same generation."""
    topic, group = replicated(k), group_of(k, 3)
    member = stable_member(k, k.on(3), group)
    beat, committed = heartbeat(group, member, 1), commit(group, {topic: {0: 7}}, member=member, generation=1)
    k.on(3).ask(*beat)
    k.on(3).ask(*committed)
    yield
    ready_group(k, group, 1)
    each_on(k, lambda peer: peer.ask(*beat), RUNNING)
    k.ask(*committed)
    k.ask(*sync(group, member, 1))
    k.ask("DescribeGroups", 5, {"Groups": [group]})
    yield
    each_on(k, lambda peer: peer.ask(*beat))
    k.ask(*fetch_offsets(group))
    k.ask(*leave(group, member))


@case(brokers=3)
def static_member_whose_coordinator_stops(k: Talk) -> Iterator[None]:
    group = group_of(k, 3)
    member = stable_member(k, k.on(3), group, instance="one")
    yield
    ready_group(k, group, 1)
    k.ask(*heartbeat(group, member, 1, instance="one"))
    k.ask(*join(group, instance="one"), keep=lambda told: (told["ErrorCode"], told["GenerationId"]))
    yield
    k.ask(*leave(group, ("", "one")))


@case(brokers=3)
def consumer_whose_coordinator_stops(k: Talk) -> Iterator[None]:
    """A member of a group of the consumer protocol goes on at the next coordinator."""
    topic, group = replicated(k), group_of(k, 3)
    epoch = joined(k, topic, group)
    beat = consumer_heartbeat(group, "member", epoch)
    k.on(3).ask(*beat)
    k.on(3).ask(*commit(group, {topic: {0: 3}}, member="member", generation=epoch))
    yield
    ready_group(k, group, 1)
    each_on(k, lambda peer: peer.ask(*beat), RUNNING)
    k.ask(*commit(group, {topic: {0: 4}}, member="member", generation=epoch))
    k.ask(*describe_consumers(group), keep=consumers_in_order)
    yield
    each_on(k, lambda peer: peer.ask(*beat))
    k.ask(*fetch_offsets(group))
    k.ask(*consumer_heartbeat(group, "member", -1))
    k.ask(*describe_consumers(group), keep=consumers_in_order)


@case(brokers=3)
def group_without_members_whose_coordinator_stops(k: Talk) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    k.on(3).do(*commit(group, {topic: {0: 5}}))
    yield
    ready_group(k, group, 1)
    k.ask("DescribeGroups", 5, {"Groups": [group]})
    k.ask(*delete_offsets(group, (topic, [0])))
    yield
    k.ask(*fetch_offsets(group))
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})


@case(brokers=3, kills=True)
def classic_member_whose_coordinator_is_killed(k: Talk) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    member = stable_member(k, k.on(3), group)
    k.on(3).ask(*commit(group, {topic: {0: 7}}, member=member, generation=1))
    yield
    ready_group(k, group, 1)
    each_on(k, lambda peer: peer.ask(*heartbeat(group, member, 1)), RUNNING)
    k.ask(*fetch_offsets(group))
    yield
    each_on(k, lambda peer: peer.ask(*heartbeat(group, member, 1)))


@case(brokers=3, kills=True)
def consumer_whose_coordinator_is_killed(k: Talk) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    epoch = joined(k, topic, group)
    yield
    ready_group(k, group, 1)
    each_on(k, lambda peer: peer.ask(*consumer_heartbeat(group, "member", epoch)), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*consumer_heartbeat(group, "member", epoch)))
