"""ConsumerGroupHeartbeat: epochs of members, and partitions that move from one member to another."""

from __future__ import annotations

from typing import Final

from tests.conformance.case import Talk
from tests.conformance.consumers import ask_described, consumers, known_topic, no_interval, settle, settled

FOREIGN_ID: Final = "11111111-1111-1111-1111-111111111111"


@no_interval()
def previous_epoch_with_owned_partitions_is_accepted(k: Talk) -> None:
    """The response with the new epoch was lost. The partitions prove that the member is up to date."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    one.beat(epoch=2, owns={topic: [0, 1]})
    one.beat(epoch=2, owns={topic: [0]})
    one.beat(epoch=2, owns={})
    one.beat(epoch=2, owns={topic: []})


@no_interval()
def previous_epoch_with_other_partitions_is_fenced(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    one.beat(epoch=2)
    one.beat(epoch=2, owns={topic: [0, 1, 2]})
    one.beat(epoch=2, owns={topic: [7]})
    one.beat(epoch=2, owns={FOREIGN_ID: [0]})
    one.beat(epoch=2, owns={topic: [0], FOREIGN_ID: [0]})
    one.beat(epoch=1, owns={topic: [0, 1]})
    ask_described(one)


@no_interval()
def older_than_the_previous_epoch_is_fenced(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 3, topics=[topic])
    one = members[0]
    for count in range(1, 4):
        members[count - 1].join(kept=False)
        settle(*members[:count])
    one.beat(epoch=2, owns=one.owns)
    one.beat(epoch=3, owns=one.owns)
    one.beat(epoch=4, owns=one.owns)
    one.beat(epoch=5, owns=one.owns)


@no_interval()
def previous_epoch_of_a_new_member(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join()
    one.beat(epoch=1, owns={})
    one.beat(epoch=1, owns={topic: [0, 1]})
    one.beat(epoch=1, owns={topic: [0]})


@no_interval()
def fenced_member_rejoins(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join()
    one.beat(epoch=3)
    one.beat(epoch=1)
    one.join()
    one.beat()
    ask_described(one)


@no_interval()
def revocation_is_not_acknowledged_by_null(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat()
    one.beat()
    one.beat()
    two.beat()
    ask_described(one)
    one.beat(owns={topic: [0, 1]})
    two.beat()


@no_interval()
def revocation_is_acknowledged_before_it_was_requested(k: Talk) -> None:
    """The member owns less than it was assigned already, so it moves to the new epoch at once."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: [0, 1]})
    one.beat(owns={topic: [0, 1]})
    two.beat()
    ask_described(one)


@no_interval()
def revocation_is_acknowledged_in_part(k: Talk) -> None:
    topic = known_topic(k, 6)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(6)})
    one.beat(owns={topic: [0, 1, 2, 4]})
    two.beat()
    ask_described(one)
    one.beat(owns={topic: [0, 1, 2]})
    two.beat()
    ask_described(one)


@no_interval()
def revocation_is_acknowledged_with_fewer_than_assigned(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    one.beat(owns={})
    two.beat()
    one.beat(owns={})
    ask_described(one)


@no_interval()
def revocation_is_acknowledged_with_foreign_partitions(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1, 9], FOREIGN_ID: [2]})
    two.beat()
    ask_described(one)


@no_interval()
def third_member_joins_during_a_revocation(k: Talk) -> None:
    """The target changes while the first still has to give up partitions for the old one."""
    topic = known_topic(k, 6)
    one, two, three = consumers(k, 3, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(6)})
    three.join()
    one.beat(owns={topic: range(6)})
    one.beat(owns={topic: [0, 1, 2]})
    one.beat(owns={topic: [0, 1]})
    two.beat()
    three.beat()
    ask_described(one)
    settle(one, two, three)
    ask_described(one)


@no_interval()
def member_receives_partitions_one_after_the_other(k: Talk) -> None:
    """Two members give up partitions for a third; each release reaches it at its next heartbeat."""
    topic = known_topic(k, 6)
    one, two, three = consumers(k, 3, topics=[topic])
    settled(one, two)
    three.join()
    three.beat()
    one.beat(owns=one.owns)
    one.beat(owns=one.owns)
    three.beat()
    ask_described(one)
    two.beat(owns=two.owns)
    two.beat(owns=two.owns)
    three.beat()
    three.beat()
    ask_described(one)


@no_interval()
def member_gains_partitions_when_it_acknowledges(k: Talk) -> None:
    """With range the second of three members gives up partitions and gains others."""
    topic = known_topic(k, 6)
    members = consumers(k, 3, topics=[topic], assignor="range")
    one, two, three = members
    settled(one, two)
    three.join()
    for _ in range(4):
        for member in members:
            member.beat(owns=member.owns)
    ask_described(one)


@no_interval()
def full_heartbeats_show_the_assignment_each_time(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join()
    two.full()
    one.full()
    one.full()
    two.full()
    two.full()
    one.full(topics=None)
    one.full(rebalance_ms=-1)
    one.full(owns=None)


@no_interval()
def owned_partitions_of_a_stable_member_are_ignored(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.beat(owns={})
    one.beat(owns={topic: [5]})
    one.beat(owns={FOREIGN_ID: [0]})
    one.beat(owns={topic: [0, 0, 1]})
    ask_described(one)


@no_interval()
def member_that_did_nothing_yet_is_reconciling(k: Talk) -> None:
    topic = known_topic(k, 1)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join()
    ask_described(one)
    one.beat()
    ask_described(one)


@no_interval()
def member_skips_several_targets(k: Talk) -> None:
    topic = known_topic(k, 6)
    one, two, three = consumers(k, 3, topics=[topic])
    one.join(kept=False)
    two.join()
    three.join()
    two.leave()
    ask_described(one)
    one.beat(owns={topic: range(6)})
    one.beat(owns=one.owns)
    three.beat()
    ask_described(one)


@no_interval()
def partitions_go_back_to_a_member_that_gave_them_up(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    two.leave()
    one.beat(owns={topic: [0, 1]})
    one.beat(owns=one.owns)
    ask_described(one)


@no_interval()
def both_members_leave_and_return(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    one.leave()
    two.leave()
    ask_described(one)
    two.join()
    one.join()
    two.beat(owns=two.owns)
    two.beat(owns=two.owns)
    one.beat()
    ask_described(one)


@no_interval()
def member_rejoins_before_it_received_its_part(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join()
    two.join()
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    two.join()
    ask_described(one)


@no_interval()
def heartbeat_with_the_epoch_of_the_group(k: Talk) -> None:
    """A member's epoch is behind the group's until it has given up its partitions."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(epoch=3)
    one.beat(owns={topic: range(4)})
    one.beat(epoch=3, owns={topic: [0, 1]})
    one.beat(owns={topic: [0, 1]})


@no_interval()
def six_members_join_and_leave(k: Talk) -> None:
    topic = known_topic(k, 12)
    members = consumers(k, 6, topics=[topic])
    for member in members:
        member.join()
    settle(*members)
    ask_described(members[0])
    for member in members[::2]:
        member.leave()
    settle(*members[1::2])
    ask_described(members[1])
