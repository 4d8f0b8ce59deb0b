"""A consumer joins a classic group that has members. It becomes a consumer group, or the join is refused."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import commit, fetch_offsets, join, leave
from tests.conformance.case import Talk
from tests.conformance.consumers import Consumer, describe_consumers, no_interval, settled
from tests.conformance.members import (
    completing,
    describe,
    groups_in_order,
    stable,
    wait_for_members,
    wait_for_state,
)
from tests.conformance.migrating import (
    Classic,
    GroupLog,
    classics,
    members_by_client,
    mixed,
    stable_classics,
    under_policy,
    upgraded,
)

MALFORMED = "00"


def consumer_group(k: Talk, topic: str) -> Consumer:
    """Return the only member of a new consumer group."""
    one = Consumer(k, k.group(), "c1", topics=[topic])
    settled(one)
    return one


def both_descriptions(k: Talk, group: str) -> None:
    k.ask(*describe(group), keep=groups_in_order)
    k.ask(*describe_consumers(group), keep=members_by_client)


@no_interval()
def upgrade_of_a_stable_group(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    log.keep()
    both_descriptions(k, one.group)
    one.beat()
    one.assigned()
    one.rejoin()
    log.keep()
    one.assigned()
    one.owns = {topic: [0]}
    new.beat()
    one.beat()
    one.rejoin()
    log.keep()
    one.assigned()
    one.beat()
    new.beat()
    new.beat()
    log.keep()
    both_descriptions(k, one.group)


@no_interval()
def upgrade_of_a_group_of_two(k: Talk) -> None:
    topic = k.topic(6)
    one, two = stable_classics(k, topic, [0, 1, 2], [3, 4, 5])
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    for each in (one, two):
        each.beat()
        each.assigned()
    log.keep()
    both_descriptions(k, one.group)


@no_interval()
def upgrade_keeps_the_epochs_of_later_generations(k: Talk) -> None:
    topic = k.topic(2)
    one, _ = stable_classics(k, topic, [0], [1])
    one.beat()
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    new.beat()
    log.keep()


@no_interval(versions=range(4))
def upgrade_with_a_subscription(k: Talk, version: int) -> None:
    """The assignment has the version of the subscription."""
    topic = k.topic(2)
    members, new = upgraded(k, topic, [0, 1], subscription=version)
    (one,) = members
    log = GroupLog(k, one.group)
    one.beat()
    one.rejoin()
    one.owns = {}
    one.rejoin()
    one.assigned()
    new.beat()
    log.keep()


@no_interval()
def upgrade_of_a_member_with_a_rack_and_user_data(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1], rack="a", user_data=b"\1\2")
    log = GroupLog(k, one.group)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    k.ask(*describe_consumers(one.group), keep=members_by_client)
    log.keep()


@no_interval()
def upgrade_of_static_members(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    one, two = (Classic(k, group, n, topic, instance=f"i{n}") for n in (1, 2))
    one.will_own({topic: [0]})
    two.will_own({topic: [1]})
    stable(k, one, two)
    log = GroupLog(k, group)
    Consumer(k, group, "c1", topics=[topic]).join()
    one.beat()
    two.beat(instance=None)
    two.beat(instance="i1")
    one.rejoin()
    one.assigned()
    both_descriptions(k, group)
    log.keep()


@no_interval()
def upgrade_while_members_rejoin(k: Talk) -> None:
    """A parked JoinGroup is answered with the member's id."""
    topic = k.topic(2)
    one, two = stable_classics(k, topic, [0], [1])
    one.peer.park(*one.join())
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    one.peer.receive()
    log.keep()
    one.beat()
    two.beat()
    one.rejoin()
    one.assigned()
    log.keep()


@no_interval(draws=True)
def upgrade_while_a_new_member_waits(k: Talk) -> None:
    """The new member is part of the group, and gets a generation it never had."""
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    two = Classic(k, one.group, 2, topic)
    two.get_id()
    two.peer.send(*two.join())
    wait_for_members(k, one.group, 2)
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    two.peer.receive()
    log.keep()
    both_descriptions(k, one.group)
    two.rejoin()
    two.assigned()
    log.keep()


@no_interval(draws=True)
def upgrade_while_members_wait_for_assignments(k: Talk) -> None:
    topic = k.topic(2)
    one, two = classics(k, 2, topic)
    one.will_own({topic: [0, 1]})
    completing(k, one, two)
    two.peer.park(*two.sync())
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    two.peer.receive()
    log.keep()
    one.peer.ask(*one.sync({one.id: one.assignment}))
    one.beat()
    one.rejoin()
    one.assigned()
    log.keep()


@no_interval()
def upgrade_of_a_group_with_an_id_handed_out(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    two = Classic(k, one.group, 2, topic)
    two.get_id()
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    two.rejoin()
    two.assigned()
    both_descriptions(k, one.group)


@no_interval()
def upgrade_of_a_group_with_only_an_id_handed_out(k: Talk) -> None:
    """Such a group is empty: its record is deleted."""
    topic = k.topic(2)
    group = k.group()
    log = GroupLog(k, group)
    one = Classic(k, group, 1, topic)
    one.get_id()
    one.peer.quiet(100)  # Kafka writes after 5 ms, together with what follows until then
    new = Consumer(k, group, "c1", topics=[topic])
    new.join()
    log.keep()
    one.rejoin()
    one.assigned()


@no_interval()
def upgrade_of_an_empty_group(k: Talk) -> None:
    """Committed offsets stay."""
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    k.do(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=one.generation))
    k.do(*leave(one.group, one.id))
    log = GroupLog(k, one.group)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    log.keep()
    k.ask(*fetch_offsets(one.group, {topic: [0, 1]}, version=7))


@no_interval()
def upgrade_of_a_simple_group(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    k.do(*commit(group, {topic: {0: 5}}))
    log = GroupLog(k, group)
    Consumer(k, group, "c1", topics=[topic]).join()
    log.keep()


@no_interval()
def upgrade_of_a_group_with_malformed_metadata(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    one = Classic(k, group, 1, topic)
    one.get_id()
    one.joined(one.peer.do(*join(group, one.id, protocols={"range": MALFORMED})))
    one.do_sync()
    log = GroupLog(k, group)
    Consumer(k, group, "c1", topics=[topic]).join()
    one.beat()
    log.keep()


@no_interval()
def upgrade_of_a_group_with_malformed_metadata_releases_requests(k: Talk) -> None:
    """The join is refused, but a parked JoinGroup has been answered."""
    topic = k.topic(2)
    group = k.group()
    one, two = Classic(k, group, 1, topic), Classic(k, group, 2, topic)
    stable(k, one, two)
    one.peer.park(*join(group, one.id, protocols={"range": MALFORMED}))
    Consumer(k, group, "c1", topics=[topic]).join()
    one.peer.receive()
    one.beat()
    k.ask(*describe(group), keep=groups_in_order)
    one.peer.park(*one.join())
    two.peer.ask(*two.join(), keep=lambda response: response["ErrorCode"])
    one.peer.receive(lambda response: response["ErrorCode"])


@no_interval()
def upgrade_of_a_group_without_assignments(k: Talk) -> None:
    topic, other = k.topic(2), k.topic()
    (one,) = stable_classics(k, topic, [])
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[other])
    new.join()
    new.beat()
    one.beat()
    one.rejoin()
    one.assigned()
    log.keep()


@no_interval(draws=True)
def upgrade_of_a_member_that_the_leader_left_out(k: Talk) -> None:
    """Its assignment has no bytes."""
    topic = k.topic(2)
    one, two = classics(k, 2, topic)
    completing(k, one, two)
    one.will_own({topic: [0, 1]})
    one.do_sync()
    two.peer.do(*two.sync())
    log = GroupLog(k, one.group)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    log.keep()


@no_interval()
def upgrade_of_a_malformed_assignment(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = classics(k, 1, topic)
    one.assignment = "00"
    stable(k, one)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.beat()
    k.ask(*describe(one.group), keep=groups_in_order)


@no_interval()
def upgrade_of_an_assignment_with_user_data(k: Talk) -> None:
    """A custom assignor would lose it."""
    topic = k.topic(2)
    (one,) = classics(k, 1, topic)
    one.will_own({topic: [0, 1]}, user_data=b"\1")
    stable(k, one)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.beat()


@no_interval()
def upgrade_of_an_assignment_with_empty_user_data(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = classics(k, 1, topic)
    one.will_own({topic: [0, 1]}, user_data=b"")
    stable(k, one)
    Consumer(k, one.group, "c1", topics=[topic]).join()


@no_interval()
def upgrade_of_an_assignment_with_unknown_topics(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = classics(k, 1, topic, "nosuch")
    one.will_own({topic: [0, 1, 7], "nosuch": [0]})
    stable(k, one)
    log = GroupLog(k, one.group)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    log.keep()
    k.ask(*describe_consumers(one.group), keep=members_by_client)


@no_interval(versions=range(2))
def upgrade_of_an_assignment_with_unknown_partitions(k: Talk, version: int) -> None:
    """The second is a negative number."""
    topic = k.topic(2)
    (one,) = classics(k, 1, topic)
    one.will_own({topic: [0, (7, -2)[version]]})
    stable(k, one)
    log = GroupLog(k, one.group)
    last = Consumer(k, one.group, "c1", topics=[topic])
    last.join()
    one.beat()
    one.rejoin()
    one.assigned()
    one.owns = {topic: [0]}
    one.rejoin()
    one.assigned()
    last.beat()
    log.keep()
    k.ask(*describe_consumers(one.group), keep=members_by_client)


@no_interval()
def upgrade_of_partitions_with_two_owners(k: Talk) -> None:
    topic = k.topic(2)
    one, two = stable_classics(k, topic, [0, 1], [1])
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.beat()
    two.beat()


@no_interval()
def upgrade_of_another_protocol_type(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = classics(k, 1, topic, protocol_type="connect")
    stable(k, one)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.beat()


@no_interval()
def upgrade_by_anything_but_a_join(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.beat(epoch=1)
    new.leave()
    new.leave(-2, instance="i")
    new.send(epoch=1, instance="i")
    k.ask(*describe_consumers(one.group), keep=members_by_client)
    one.beat()


@no_interval()
def upgrade_takes_over_a_static_member(k: Talk) -> None:
    """A member that restarts with the consumer protocol needs no leave before."""
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1], instance="i")
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic], instance="i")
    new.join()
    new.beat()
    log.keep()
    one.beat()
    one.beat(instance=None)
    both_descriptions(k, one.group)


@no_interval()
def upgrade_takes_over_one_of_two_static_members(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    one, two = (Classic(k, group, n, topic, instance=f"i{n}") for n in (1, 2))
    one.will_own({topic: [0]})
    two.will_own({topic: [1]})
    stable(k, one, two)
    log = GroupLog(k, group)
    new = Consumer(k, group, "c1", topics=[topic], instance="i2")
    new.join()
    one.beat()
    two.beat()
    log.keep()


@no_interval()
def upgrade_by_the_id_of_a_classic_member(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.id = one.id
    new.join()
    log.keep()
    one.beat()
    both_descriptions(k, one.group)


@no_interval()
def upgrade_by_another_subscription(k: Talk) -> None:
    topic, other = k.topic(1), k.topic(1)
    (one,) = stable_classics(k, topic, [0])
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[other])
    new.join()
    log.keep()
    one.beat()
    one.rejoin()
    one.assigned()
    log.keep()


@no_interval()
def upgrade_by_a_member_without_topics(k: Talk) -> None:
    """The group epoch stays that of the classic group."""
    topic = k.topic(1)
    (one,) = stable_classics(k, topic, [0])
    log = GroupLog(k, one.group)
    new = Consumer(k, one.group, "c1", topics=[])
    new.join()
    one.beat()
    one.rejoin()
    one.assigned()
    log.keep()


@no_interval()
def upgrade_refused_for_the_members_regular_expression(k: Talk) -> None:
    topic = k.topic(1)
    one, two = stable_classics(k, topic, [0], [])
    one.peer.park(*one.join())
    log = GroupLog(k, one.group)
    Consumer(k, one.group, "c1", topics=[topic], regex="(").join()
    one.peer.receive()
    log.keep()
    k.ask(*describe(one.group), keep=groups_in_order)
    two.beat()


@no_interval()
def upgrade_refused_for_the_members_assignor(k: Talk) -> None:
    topic = k.topic(1)
    one, _ = stable_classics(k, topic, [0], [])
    one.peer.park(*one.join())
    Consumer(k, one.group, "c1", topics=[topic], assignor="nosuch").join()
    one.peer.quiet()


@under_policy("bidirectional", **{"group.consumer.max.size": "2"})
def upgrade_of_a_group_with_the_largest_size(k: Talk) -> None:
    """Nobody else has room. A parked JoinGroup has been answered, and the group stays classic."""
    topic = k.topic(2)
    one, two = stable_classics(k, topic, [0], [1])
    one.peer.park(*one.join())
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.peer.receive()
    k.ask(*describe(one.group), keep=groups_in_order)
    two.beat()


@under_policy("bidirectional", **{"group.consumer.max.size": "1"})
def upgrade_of_a_group_that_is_too_large(k: Talk) -> None:
    topic = k.topic(2)
    one, _ = stable_classics(k, topic, [0], [1])
    one.peer.park(*one.join())
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.peer.quiet()


@no_interval()
def upgrade_keeps_the_sessions_of_classic_members(k: Talk) -> None:
    """A classic member has the session timeout of its JoinGroup."""
    topic = k.topic(2)
    group = k.group()
    one, two = Classic(k, group, 1, topic, session_ms=700), Classic(k, group, 2, topic)
    one.will_own({topic: [0]})
    two.will_own({topic: [1]})
    stable(k, one, two)
    log = GroupLog(k, group)
    new = Consumer(k, group, "c1", topics=[topic])
    new.join()
    k.until(
        lambda: k.do(*describe_consumers(group))["Groups"][0]["Members"], lambda members: len(members) == 2
    )
    one.beat()
    two.beat()
    log.keep()


@no_interval()
def upgrade_and_commits_of_classic_members(k: Talk) -> None:
    topic = k.topic(2)
    members, new = upgraded(k, topic, [0, 1])
    (one,) = members
    known: dict[str, Any] = {"member": one.id, "generation": one.generation}
    k.ask(*commit(one.group, {topic: {0: 5}}, **known))
    k.ask(*commit(one.group, {topic: {0: 6}}, **known, version=8))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=one.id, generation=one.generation + 1))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=one.id, generation=one.generation - 1))
    k.ask(*commit(one.group, {topic: {0: 6}}))
    k.ask(*commit(one.group, {topic: {0: 6}}, member="nobody", generation=1))
    one.beat()
    one.rejoin()
    k.ask(*commit(one.group, {topic: {0: 7, 1: 7}}, **known))
    one.owns = {topic: [0]}
    one.rejoin()
    k.ask(*commit(one.group, {topic: {0: 8, 1: 8}}, **known))
    one.assigned()
    known["generation"] = one.generation
    k.ask(*commit(one.group, {topic: {0: 9}}, **known))
    k.ask(*commit(one.group, {topic: {0: 9}}, member=new.id, generation=new.epoch, version=8))
    k.ask(*fetch_offsets(one.group, {topic: [0, 1]}, version=7))


@no_interval()
def upgrade_after_which_all_catch_up(k: Talk) -> None:
    topic = k.topic(6)
    members, _ = mixed(k, topic, [0, 1, 2], [3, 4, 5])
    for each in members:
        each.beat()
    both_descriptions(k, members[0].group)


@no_interval()
def upgrade_of_a_group_whose_members_offer_two_protocols(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = classics(k, 1, topic, names=["range", "roundrobin"])
    one.will_own({topic: [0, 1]})
    stable(k, one)
    log = GroupLog(k, one.group)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.beat()
    one.rejoin()
    one.assigned()
    one.assigned(protocol_name="roundrobin")
    log.keep()


@no_interval()
def upgrade_ends_the_rebalance_of_the_classic_group(k: Talk) -> None:
    """The rebalance timeout of the classic group removes nobody any more."""
    topic = k.topic(2)
    one, two = stable_classics(k, topic, [0], [1], rebalance_ms=800)
    one.peer.park(*one.join())
    new = Consumer(k, one.group, "c1", topics=[topic])
    new.join()
    one.peer.receive()
    one.peer.quiet(1200)
    one.beat()
    two.beat()
    wait_for_state(k, one.group, "Dead")


READ_AS_MALFORMED = (
    "",
    "ffff00000000ffffffff",  # version -1
    "00000000",
    "00010000000000000000ffffffff",  # owned partitions: null
)


@no_interval(versions=range(len(READ_AS_MALFORMED)))
def upgrade_of_broken_metadata(k: Talk, version: int) -> None:
    """With other broken bytes, the rebalance of a classic group never ends in Kafka."""
    topic = k.topic(2)
    group = k.group()
    one = Classic(k, group, 1, topic)
    one.get_id()
    one.joined(one.peer.do(*join(group, one.id, protocols={"range": READ_AS_MALFORMED[version]})))
    one.do_sync()
    Consumer(k, group, "c1", topics=[topic]).join()
    one.beat()


BROKEN_ASSIGNMENTS = (
    "ffff00000000ffffffff",
    "00000000",
    "0000ffffffff",
    "00007fffffff",
    "000000000001ffff00000000",
    "00000000000100016100000002000000",
    "00000000000100016100000000",
    "000000000000",
)


@no_interval(versions=range(len(BROKEN_ASSIGNMENTS)))
def upgrade_of_broken_assignments(k: Talk, version: int) -> None:
    topic = k.topic(2)
    (one,) = classics(k, 1, topic)
    one.assignment = BROKEN_ASSIGNMENTS[version]
    stable(k, one)
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.beat()


@no_interval()
def upgrade_with_the_second_protocol_broken(k: Talk) -> None:
    """Only the metadata of the first protocol is read while the group is a consumer group."""
    topic = k.topic(2)
    group = k.group()
    one = Classic(k, group, 1, topic)
    one.will_own({topic: [0, 1]})
    one.get_id()
    one.how["protocols"] = {"range": one.subscription_of(), "other": ""}
    one.do_join()
    one.do_sync()
    last = Consumer(k, group, "c1", topics=[topic])
    last.join()
    two = Classic(k, group, 2, topic, names=["other"])
    two.rejoin()
    two.rejoin()
    k.ask(*leave(group, last.id))
    last.leave()
    k.ask(*describe_consumers(group), keep=members_by_client)


@under_policy("bidirectional", **{"group.initial.rebalance.delay.ms": "2000"})
def upgrade_during_the_initial_delay(k: Talk) -> None:
    """The group has no protocol yet, which Kafka does not expect. The parked JoinGroup is answered."""
    topic = k.topic(2)
    group = k.group()
    one = Classic(k, group, 1, topic)
    one.get_id()
    one.peer.park(*one.join())
    Consumer(k, group, "c1", topics=[topic]).join()
    one.peer.receive()
    k.ask(*describe(group), keep=groups_in_order)


@no_interval()
def upgrade_while_a_member_without_the_protocol_waits(k: Talk) -> None:
    """The new member does not know the protocol of the group, only another one that all members know."""
    topic = k.topic(2)
    (one,) = classics(k, 1, topic, names=["range", "other"])
    one.will_own({topic: [0, 1]})
    stable(k, one)
    two = Classic(k, one.group, 2, topic, names=["other"])
    two.get_id()
    two.peer.park(*two.join())
    Consumer(k, one.group, "c1", topics=[topic]).join()
    two.peer.receive()
    one.beat()
