"""ConsumerGroupHeartbeat: sessions and rebalances that time out, and the size of a group."""

from __future__ import annotations

from typing import Final

from tests.conformance.build import commit
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import (
    NO_INTERVAL,
    ask_described,
    consumers,
    described,
    known_topic,
    no_interval,
    set_group,
    settle,
    settled,
)

SHORT: Final = {"consumer_heartbeat_interval_ms": "500", "consumer_session_timeout_ms": "1000"}
TWO_SECONDS: Final = {"consumer_heartbeat_interval_ms": "500", "consumer_session_timeout_ms": "2000"}
BRIEF_SESSIONS: Final = {
    **NO_INTERVAL,
    "group.consumer.session.timeout.ms": "1500",
    "group.consumer.heartbeat.interval.ms": "700",
}


def unknown(response: Fields) -> bool:
    return bool(response["ErrorCode"] == 25)


@no_interval()
def session_of_the_only_consumer_ends(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    set_group(k, one.group, **SHORT)
    one.join()
    k.until(lambda: described(one), lambda group: group["GroupState"] == "Empty")
    ask_described(one)
    one.beat()
    one.join()


@no_interval()
def session_of_one_of_two_consumers_ends(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    set_group(k, one.group, **TWO_SECONDS)
    settled(one, two)
    two.beat_until(lambda response: response["Assignment"], owns=two.owns)
    one.beat()
    ask_described(two)


@no_interval()
def heartbeats_prolong_a_session(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    set_group(k, one.group, **TWO_SECONDS)
    one.join()
    for _ in range(4):
        k.quiet(700)
        one.beat()


@no_interval()
def commits_do_not_prolong_a_session(k: Talk) -> None:
    topic = known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic])
    set_group(k, one.group, **SHORT)
    one.join()
    request = commit(one.group, {topic: {0: 1}}, member="m1", generation=2)
    k.until(lambda: k.do(*request)["Topics"][0]["Partitions"][0]["ErrorCode"], bool)
    k.ask(*request)
    one.beat()


@no_interval()
def rejoining_prolongs_a_session(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    set_group(k, one.group, **TWO_SECONDS)
    for _ in range(4):
        one.join()
        k.quiet(700)


@case(settings=BRIEF_SESSIONS)
def session_timeout_of_the_broker(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join()
    k.until(lambda: described(one), lambda group: group["GroupState"] == "Empty")
    one.peer.took(1200, 5000)
    one.beat()


@no_interval()
def rebalance_timeout_ends_before_partitions_are_given_up(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["rebalance_ms"] = 1000
    one.join()
    two.join()
    one.beat(owns={topic: range(4)})
    two.beat_until(lambda response: response["Assignment"])
    one.beat(owns={topic: [0, 1]})
    ask_described(two)


@no_interval()
def rebalance_timeout_of_0(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["rebalance_ms"] = 0
    one.join()
    two.join()
    one.beat(owns={topic: range(4)})
    two.beat_until(lambda response: response["Assignment"])
    one.beat_until(unknown, owns={topic: range(4)})
    ask_described(two)


@no_interval()
def heartbeats_do_not_prolong_a_rebalance(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["rebalance_ms"] = 1000
    one.join()
    two.join()
    one.beat(owns={topic: range(4)})
    one.beat_until(unknown, owns={topic: range(4)})
    two.beat()
    ask_described(two)


@no_interval()
def rebalance_ends_in_time(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["rebalance_ms"] = 1000
    one.join()
    two.join()
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    k.quiet(1500)
    one.beat()
    two.beat()
    ask_described(one)


@no_interval()
def rebalance_timeout_is_the_one_at_its_start(k: Talk) -> None:
    """A longer timeout that arrives later is not applied to the rebalance that runs."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["rebalance_ms"] = 1000
    one.join()
    two.join()
    one.beat(owns={topic: range(4)})
    one.full(rebalance_ms=60000, owns={topic: range(4)})
    one.beat_until(unknown, owns={topic: range(4)})
    ask_described(two)


@no_interval()
def waiting_member_has_no_rebalance_timeout(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    two.how["rebalance_ms"] = 500
    one.join()
    two.join()
    one.beat(owns={topic: range(4)})
    k.quiet(1200)
    two.beat()
    one.beat(owns={topic: [0, 1]})
    two.beat()
    ask_described(one)


@no_interval()
def static_consumer_times_out_and_returns(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    set_group(k, one.group, **SHORT)
    one.join()
    k.until(lambda: described(one), lambda group: group["GroupState"] == "Empty")
    one.beat()
    one.beat(instance=None)
    one.join()
    ask_described(one)


@no_interval()
def heartbeat_interval_of_one_group(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join()
    set_group(k, one.group, consumer_heartbeat_interval_ms="700")
    one.beat_until(lambda response: response["HeartbeatIntervalMs"] == 700)
    one.leave()


@case(settings={**NO_INTERVAL, "group.consumer.heartbeat.interval.ms": "6000"})
def heartbeat_interval_of_the_broker(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join()
    one.beat()
    one.beat(epoch=9)


@case(settings={**NO_INTERVAL, "group.consumer.max.size": "2"})
def group_of_two_is_full(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two, three = consumers(k, 3, topics=[topic])
    settled(one, two)
    three.join()
    one.join()
    two.beat()
    ask_described(one)
    one.leave()
    three.join()
    settle(two, three)
    ask_described(two)
