"""A restart in the middle of a retention (scenarios 17 and 23): what is counted goes on counting."""

from __future__ import annotations

import time

from tests.broker_process import BrokerProcess, OracleBroker
from tests.kafka.build import commit, subscribed
from tests.kafka.case import Talk
from tests.kafka.expiry.stories import (
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
from tests.kafka.members import AT_ONCE, completing, some, some_stable, wait_for_state
from tests.kafka.recorded_answers import Kept

NAME = "restart"
RESTART_AFTER_S = 8


def a_restart(broker: BrokerProcess | OracleBroker) -> Kept:
    """What is kept of the story; the broker is started and stopped in it."""
    broker.start()
    k = Talk(broker.bootstrap, NAME)
    topic, simple = k.topic(2), k.group()
    member = reader(k, topic)
    k.do(*by(member, {topic: {0: 1}}))
    left = at(k, member.leave())
    wait(left + RESTART_AFTER_S)
    committed = at(k, commit(simple, {topic: {1: 2}}))
    (joined,), (silent,) = (
        some(k, 1, **AT_ONCE),
        some_stable(k, 1, **AT_ONCE, protocols=subscribed(topic), session_ms=2000),
    )
    completing(k, joined)
    k.do(*by(silent, {topic: {0: 1}}))
    k.hang_up()
    broker.stop()
    broker.restart()
    return _afterwards(Talk(broker.bootstrap, f"{NAME}ed"), topic, member.group, simple, silent.group,
                       joined.group, left=left, committed=committed)  # fmt: skip


def _afterwards(
    k: Talk, topic: str, managed: str, simple: str, silent: str, joined: str, *, left: float, committed: float
) -> Kept:
    for _ in range(8):
        k.group()  # every partition of the offsets topic is loaded
    group_gone(k, joined, time.monotonic(), AT_THE_NEXT_PASS)
    wait_for_state(k, silent, "Empty")
    silenced = time.monotonic()
    gone(k, managed, topic, [0], GROUP_EMPTY, left)
    group_gone(k, managed, left)
    gone(k, simple, topic, [1], STANDALONE, committed)
    group_gone(k, simple, committed)
    gone(k, silent, topic, [0], GROUP_EMPTY, silenced)
    group_gone(k, silent, silenced)
    k.hang_up()
    return k.kept
