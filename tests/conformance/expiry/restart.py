"""Restart a broker in the middle of a retention: the retention must continue from its old start."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tests.broker_process import BrokerProcess, OracleBroker
from tests.conformance.build import commit, subscribed
from tests.conformance.case import Broker, Talk
from tests.conformance.expiry.stories import (
    AT_THE_NEXT_PASS,
    GROUP_EMPTY,
    STANDALONE,
    at,
    by,
    gone,
    group_gone,
    reader,
    wait,
)
from tests.conformance.members import AT_ONCE, completing, some, some_stable, wait_for_state
from tests.conformance.recorded_responses import Kept

RESTART_AFTER_S = 8


@dataclass(slots=True)
class Groups:
    """The groups that exist when the broker stops. Times are of the monotonic clock.

    managed   Empty since `left`
    simple    its partition 1 was committed at `committed`
    silent    its member does not return
    joined    its member never received an assignment
    """

    topic: str
    managed: str
    left: float
    simple: str
    committed: float
    silent: str
    joined: str


def a_restart(broker: BrokerProcess | OracleBroker) -> Kept:
    """Start the broker, run the story, stop the broker, and return what was kept."""
    broker.start()
    try:
        groups = _before(Talk(Broker(broker.bootstrap), "before"))
        broker.stop()
        broker.restart()
        return _afterwards(Talk(Broker(broker.bootstrap), "afterwards"), groups)
    finally:
        broker.stop()


def _before(k: Talk) -> Groups:
    topic, simple = k.topic(2), k.group()
    member = reader(k, topic)
    k.do(*by(member, {topic: {0: 1}}))
    left = at(k, member.leave())
    wait(left + RESTART_AFTER_S)
    committed = at(k, commit(simple, {topic: {1: 2}}))
    (silent,) = some_stable(k, 1, **AT_ONCE, protocols=subscribed(topic), session_ms=2000)
    (joined,) = some(k, 1, **AT_ONCE)
    completing(k, joined)
    k.do(*by(silent, {topic: {0: 1}}))
    k.hang_up()
    return Groups(topic, member.group, left, simple, committed, silent.group, joined.group)


def _afterwards(k: Talk, groups: Groups) -> Kept:
    for _ in range(8):
        k.group()  # so that every partition of the offsets topic is loaded
    group_gone(k, groups.joined, time.monotonic(), AT_THE_NEXT_PASS)
    wait_for_state(k, groups.silent, "Empty")
    silenced = time.monotonic()
    gone(k, groups.managed, groups.topic, [0], GROUP_EMPTY, groups.left)
    group_gone(k, groups.managed, groups.left)
    gone(k, groups.simple, groups.topic, [1], STANDALONE, groups.committed)
    group_gone(k, groups.simple, groups.committed)
    gone(k, groups.silent, groups.topic, [0], GROUP_EMPTY, silenced)
    group_gone(k, groups.silent, silenced)
    k.hang_up()
    return k.kept
