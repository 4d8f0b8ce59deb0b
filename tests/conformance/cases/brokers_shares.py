"""Share partitions on three brokers, while the replicas of their partitions change."""

from __future__ import annotations

from tests.conformance.build_share import ACCEPT
from tests.conformance.case import Talk, case
from tests.conformance.cases.brokers_reassignments import until_replicas
from tests.conformance.cases.elections import reassign
from tests.conformance.clusters import group_of, move_leader, replicated
from tests.conformance.consumers import set_group
from tests.conformance.sharing import SHARE_SETTINGS, Sharer, fill, name_id


def started(k: Talk, topic: str) -> Sharer:
    """Return the only member of a new group, which has acquired records of partition 0."""
    name_id(k, topic)
    fill(k, topic, 4)
    group = group_of(k, 1)
    set_group(k, group, share_auto_offset_reset="earliest")
    one = Sharer(k, group)
    one.join(topic, kept=False)
    one.beat_until({topic: [0]})
    one.fetch_until({topic: [0]}, kept=False)
    return one


@case(brokers=3, settings=SHARE_SETTINGS)
def share_partition_whose_leader_stays(k: Talk) -> None:
    topic = replicated(k, [1, 2, 3])
    one = started(k, topic)
    k.do(*reassign({topic: {0: [1, 2]}}))
    until_replicas(k, topic, [1, 2])
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(2, 3, ACCEPT)]}})


@case(brokers=3, settings=SHARE_SETTINGS)
def share_partition_whose_leader_moves_and_returns(k: Talk) -> None:
    topic = replicated(k, [1, 2, 3])
    one = started(k, topic)
    move_leader(k, topic, 0, 2)
    move_leader(k, topic, 0, 1)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 3, ACCEPT)]}})
