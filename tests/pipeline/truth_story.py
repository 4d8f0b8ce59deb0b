"""Random stories of groups whose offsets are removed, played on tidemark, which records why it removed each.

The broker's clock is frozen and moved, so a story of weeks needs seconds. Cleanup passes run on a grid, as a
broker's do. Between them, clients commit, join, leave and delete.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from tests.broker_process import BrokerProcess
from tests.clients.test_expiry_scenarios import Scene
from tests.pipeline import kafka_story
from tidemark_protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_testing.wire import create_topic, delete_topics

MINUTE_MS: Final = 60_000
DAY_MS: Final = 1_440 * MINUTE_MS
SETTINGS: Final = {
    "group.initial.rebalance.delay.ms": "0",
    "tidemark.test.api": "true",
    "group.consumer.max.session.timeout.ms": "1800000",
    "group.consumer.session.timeout.ms": "1800000",
    "transaction.max.timeout.ms": "2147483647",
}
TOPICS: Final = {"orders": 6, "payments": 6}
TRANSACTION: Final = 1  # the type of a coordinator
LEAVES: Final = -1  # the member epoch of a leaving member
OffsetKey = tuple[str, str, int]


@dataclass(slots=True, frozen=True)
class Plan:
    """The choices of a story.

    retention_ms     of the broker; with several, it is restarted with the next one in between
    interval_ms      between two cleanup passes
    script_age_ms    a script deletes groups at this age; None: there is none
    downtime_ms      how long the broker is down, once in each part; 0: not at all
    """

    retention_ms: tuple[int, ...]
    interval_ms: int
    log_partitions: int = 4
    groups: int = 40
    script_age_ms: int | None = None
    downtime_ms: int = 0


@dataclass(slots=True)
class Truth:
    """A log, and the broker's own cause of each removal, in order, for each offset."""

    data_dir: Path
    plan: Plan
    causes: dict[OffsetKey, list[str]] = field(default_factory=dict)

    @property
    def counted(self) -> Counter[str]:
        return Counter(cause for causes in self.causes.values() for cause in causes)


def played(folder: Path, plan: Plan, seed: int) -> Truth:
    """Play a story, and return what happened."""
    truth = Truth(folder / "data", plan)
    settings = dict(SETTINGS)
    broker = BrokerProcess(folder, settings)
    for number, retention_ms in enumerate(plan.retention_ms):
        settings["offsets.retention.minutes"] = str(retention_ms // MINUTE_MS)
        settings["offsets.topic.num.partitions"] = str(plan.log_partitions)
        broker.restart() if number else broker.start()
        scene = Scene(broker)
        try:
            _Story(scene, plan, retention_ms, random.Random(f"{seed} {number}"), number).play()
            for each in scene.api.pages("/v1/expiry/log", "removals", limit=1000):
                key = (each["group"], each["topic"], each["partition"])
                truth.causes.setdefault(key, []).append(each["cause"])
            broker.kill9()
        finally:
            scene.close()
            broker.stop()
    return truth


class _Story:
    """One part of a story, with one retention."""

    def __init__(self, scene: Scene, plan: Plan, retention_ms: int, drawn: random.Random, part: int) -> None:
        self.scene = scene
        self.kafka = scene.client._connection
        self.plan = plan
        self.retention_ms = retention_ms
        self.drawn = drawn
        self.part = part
        self.due: list[tuple[int, int, Callable[[], Any]]] = []
        self.numbers = count()
        self.start_ms = 0
        self.down: range = range(0)

    def play(self) -> None:
        self.scene.api.post("/v1/clock/freeze")
        if not self.part:
            for topic, partitions in TOPICS.items():
                create_topic(self.scene.broker.bootstrap, topic, partitions, {})
        self.scene.client.ask(3, FindCoordinatorRequest("any", TRANSACTION))
        self.start_ms = self.scene.now_ms()
        length_ms = 3 * self.retention_ms + 5 * self.plan.interval_ms
        if self.plan.downtime_ms:
            begin = self.start_ms + length_ms // 2
            self.down = range(begin, begin + self.plan.downtime_ms)
        kinds = [self.simple, self.emptied, self.narrow, self.next_emptied, self.next_narrow, self.own,
                 self.transaction, self.doomed]  # fmt: skip
        for number in range(self.plan.groups):
            kind = kinds[number % len(kinds)]
            name = f"{kind.__name__}-{self.part}-{number}"
            self.at(self.drawn.randrange(length_ms // 2), partial(kind, name))
        if self.plan.script_age_ms is not None:
            for number in range(8):
                at_ms = self.drawn.randrange(length_ms // 2)
                self.at(at_ms, partial(self.scripted, f"scripted-{self.part}-{number}"))
        while self.due:
            at_ms, _, step = heapq.heappop(self.due)
            self.move(at_ms)
            step()
        self.move(self.start_ms + length_ms + self.plan.downtime_ms)

    # time

    def at(self, after_ms: int, step: Callable[[], Any], *, now_ms: int | None = None) -> None:
        """Do this later. While the broker is down, clients do nothing."""
        at_ms = (self.start_ms if now_ms is None else now_ms) + after_ms
        if at_ms in self.down:
            at_ms = self.down.stop + self.plan.interval_ms + 1
        heapq.heappush(self.due, (at_ms, next(self.numbers), step))

    def soon(self, after_ms: int, step: Callable[[], Any]) -> None:
        self.at(after_ms, step, now_ms=self.scene.now_ms())

    def move(self, to_ms: int) -> None:
        """Move time. Run the passes in between that remove something."""
        while (pass_ms := self.next_pass_ms()) is not None and pass_ms <= to_ms:
            self.scene.api.post("/v1/clock/set", {"to_ms": pass_ms})
        if to_ms > self.scene.now_ms():
            self.scene.api.post("/v1/clock/set", {"to_ms": to_ms, "cleanup": False})

    def next_pass_ms(self) -> int | None:
        due = [each["due_ms"] for each in self.scene.api.pages("/v1/offsets", "offsets", limit=1000)]
        at_ms = min((ms for ms in due if ms is not None), default=None)
        if at_ms is None:
            return None
        at_ms = max(at_ms, self.scene.now_ms())
        grid_ms = at_ms + -(at_ms - self.start_ms) % self.plan.interval_ms
        if grid_ms in self.down:
            grid_ms = self.down.stop + self.plan.interval_ms // 2
        return grid_ms

    def some_ms(self, most_ms: int) -> int:
        return self.drawn.randrange(1, most_ms)

    # groups

    def places(self) -> dict[int, int]:
        return {partition: self.drawn.randrange(100) for partition in range(self.drawn.randint(1, 3))}

    def simple(self, group: str) -> None:
        for partition, offset in self.places().items():
            commit = partial(kafka_story.commit, self.kafka, group, {partition: offset})
            self.soon(self.some_ms(self.retention_ms // 4), commit)
        self.soon(self.retention_ms // 4, lambda: self.fate(group, "orders"))

    def emptied(self, group: str) -> None:
        member = self.scene.client.join(group, "orders")
        self.member_commits(group, member, "orders")
        self.soon(self.some_ms(self.retention_ms), lambda: self.leave(group, member))

    def leave(self, group: str, member: str) -> None:
        self.scene.client.leave(group, member)
        if self.drawn.random() < 0.3:
            self.soon(self.some_ms(self.retention_ms * 3 // 4), lambda: self.again(group))
        else:
            self.fate(group, "orders")

    def again(self, group: str) -> None:
        member = self.scene.client.ask(3, self.joining(group)).member_id
        self.soon(self.some_ms(self.retention_ms // 2), lambda: self.leave_unsynced(group, member))

    def joining(self, group: str) -> Any:
        from tests.pipeline.test_forecast_comes_true import joining, subscription

        return joining(group, subscription(["orders"]))

    def leave_unsynced(self, group: str, member: str) -> None:
        self.scene.client.leave(group, member)
        self.fate(group, "orders")

    def narrow(self, group: str) -> None:
        member = self.scene.client.join(group, "orders")
        self.member_commits(group, member, "orders", "payments")
        self.single_fate(group, "payments")

    def member_commits(self, group: str, member: str, *topics: str, epoch: int = 1, version: int = 8) -> None:
        for topic in topics:
            assert not any(
                self.scene.client.commit(
                    group,
                    topic,
                    self.places(),
                    version,
                    member_id=member,
                    generation_id_or_member_epoch=epoch,
                )
            )

    def beat(self, group: str, epoch: int, **fields: Any) -> int:
        request = ConsumerGroupHeartbeatRequest(group, f"member of {group}", epoch, **fields)
        answer = self.scene.client.ask(1, request)
        assert answer.error_code == 0, answer
        joined: int = answer.member_epoch
        return joined

    def next_joined(self, group: str, *topics: str) -> int:
        epoch = self.beat(
            group, 0, rebalance_timeout_ms=60_000, subscribed_topic_names=["orders"], topic_partitions=[]
        )
        self.member_commits(group, f"member of {group}", *topics, epoch=epoch, version=9)
        return epoch

    def next_emptied(self, group: str) -> None:
        self.next_joined(group, "orders")
        self.soon(self.some_ms(self.retention_ms * 3 // 2), lambda: self.next_left(group))

    def next_left(self, group: str) -> None:
        self.beat(group, LEAVES)
        self.fate(group, "orders")

    def next_narrow(self, group: str) -> None:
        self.next_joined(group, "orders", "payments")
        self.single_fate(group, "payments")

    def own(self, group: str) -> None:
        for partition in self.places():
            version = self.drawn.choice((2, 3, 4))
            own_ms = self.drawn.choice((self.retention_ms // 3, self.retention_ms, 2 * self.retention_ms))
            kafka_story.commit(self.kafka, group, {partition: 7}, version=version, retention_ms=own_ms)
        kafka_story.commit(self.kafka, group, {5: 8})
        self.fate(group, "orders")

    def transaction(self, group: str) -> None:
        kafka_story.commit(self.kafka, group, {0: 1, 1: 2})
        commits = self.drawn.choice((True, False, None))
        kafka_story.in_transaction(self.kafka, f"id of {group}", group, {1: 3, 2: 4}, commits=commits)
        self.fate(group, "orders")

    def doomed(self, group: str) -> None:
        topic = f"topic-of-{group}"
        create_topic(self.scene.broker.bootstrap, topic, 6, {})
        assert not any(self.scene.client.commit(group, topic, self.places(), 9))
        kafka_story.commit(self.kafka, group, {0: 1})
        self.soon(self.some_ms(self.retention_ms * 3 // 2), lambda: self.drop(group, topic))

    def drop(self, group: str, topic: str) -> None:
        delete_topics(self.scene.broker.bootstrap, [topic])
        if self.drawn.random() < 0.5:
            create_topic(self.scene.broker.bootstrap, topic, 6, {})
            assert not any(self.scene.client.commit(group, topic, {0: 1}, 9))
            self.single_fate(group, topic)

    def scripted(self, group: str) -> None:
        """A group whose offsets a script removes at the same age each time."""
        assert self.plan.script_age_ms is not None
        kafka_story.commit(self.kafka, group, {0: 1, 1: 2})
        self.soon(self.plan.script_age_ms + self.some_ms(2_000), lambda: self.delete_group(group))

    # their end

    def fate(self, group: str, topic: str) -> None:
        chance = self.drawn.random()
        after_ms = self.some_ms(self.retention_ms)
        if chance < 0.15:
            self.soon(after_ms, lambda: self.delete_group(group))
        elif chance < 0.3:
            self.soon(after_ms, lambda: self.delete_offsets(group, topic))

    def single_fate(self, group: str, topic: str) -> None:
        if self.drawn.random() < 0.3:
            self.soon(self.some_ms(self.retention_ms), lambda: self.delete_offsets(group, topic))

    def stored(self, group: str, topic: str) -> Iterator[dict[str, Any]]:
        for each in self.scene.api.pages("/v1/offsets", "offsets", limit=1000):
            if (each["group"], each["topic"]) == (group, topic):
                yield each

    def delete_group(self, group: str) -> None:
        """Delete the group, unless that looks like expiry."""
        stored = list(self.stored(group, "orders"))
        if stored and not any(self.just_due(each) for each in stored):
            self.scene.client.delete_group(group)

    def delete_offsets(self, group: str, topic: str) -> None:
        for each in list(self.stored(group, topic)):
            if not self.just_due(each) and self.drawn.random() < 0.7:
                self.scene.client.delete_offset(group, topic, each["partition"])

    def just_due(self, offset: dict[str, Any]) -> bool:
        """Return whether the offset is due, for less than a tenth of its age: a limit of the table."""
        now_ms = self.scene.now_ms()
        late_ms = now_ms - offset["due_ms"] if offset["due_ms"] is not None else -1
        return late_ms >= 0 and late_ms * 10 <= now_ms - offset["since_ms"]
