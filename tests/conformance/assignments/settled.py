"""Groups on the wire: members join, leave and change, and the group settles after each step.

Each group was played against Apache Kafka (`recorded("settled_groups")`). The test plays it against tidemark,
which draws the recorded topic ids, because assignments depend on them.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

Fields = dict[str, Any]
Ask = Callable[[str, int, Fields], Awaitable[Fields]]

DEADLINE_S: Final = 20
QUIET_ROUNDS: Final = 2  # of heartbeats that change nothing, after which the group has settled
RESOLVING_ROUNDS: Final = 8  # the same while a regular expression may be being resolved
LEFT: Final = -1
LEFT_FOR_NOW: Final = -2
VERSION: Final = 1
RETRIABLE: Final = (14, 15, 16)  # until the coordinator is ready


@dataclass
class Member:
    member_id: str
    instance_id: str | None
    rack_id: str | None
    names: list[str]
    expression: str | None
    epoch: int = 0
    owned: dict[str, list[int]] = field(default_factory=dict)


class Group:
    """One group and its topics. ask sends a request and returns the response.

    patience_s: how long a round of heartbeats waits, for a broker that learns of topics later.
    """

    def __init__(self, ask: Ask, name: str, assignor: str, patience_s: float) -> None:
        self._ask = ask
        self._name = name
        self._assignor = assignor
        self._patience_s = patience_s
        self._members: dict[str, Member] = {}
        self._partitions: dict[str, int] = {}
        self.topic_ids: dict[str, str] = {}
        self._names: dict[str, str] = {}

    async def play(self, step: Fields) -> Fields:
        """Apply a step, and let the group settle. Return the epoch and the assignments, by topic name."""
        before = max((member.epoch for member in self._members.values()), default=0)
        await getattr(self, f"_{step['do']}")(step)
        resolves = step.get("expression") is not None
        await self._settle(
            before if self._bumps(step) else None, RESOLVING_ROUNDS if resolves else QUIET_ROUNDS
        )
        return {
            "epoch": max((member.epoch for member in self._members.values()), default=0),
            "assigned": {
                member.member_id: {
                    self._names[topic_id]: sorted(owned) for topic_id, owned in sorted(member.owned.items())
                }
                for member in self._members.values()
            },
        }

    def _bumps(self, step: Fields) -> bool:
        """Return whether a change of a topic begins a new epoch."""
        return "topic" in step and any(step["topic"] in member.names for member in self._members.values())

    async def _create(self, step: Fields) -> None:
        name, partitions = step["topic"], step["partitions"]
        made = {"Name": name, "NumPartitions": partitions, "ReplicationFactor": 1}
        response = await self._ask("CreateTopics", 7, {"Topics": [made], "timeoutMs": 10_000})
        assert response["Topics"][0]["ErrorCode"] == 0, response
        self._partitions[name] = partitions
        self.topic_ids[name] = response["Topics"][0]["TopicId"]
        self._names[self.topic_ids[name]] = name
        await self._known(name)

    async def _grow(self, step: Fields) -> None:
        self._partitions[step["topic"]] += step["by"]
        grown = {"Name": step["topic"], "Count": self._partitions[step["topic"]], "Assignments": None}
        response = await self._ask("CreatePartitions", 3, {"Topics": [grown], "TimeoutMs": 10_000})
        assert response["Results"][0]["ErrorCode"] == 0, response
        await self._known(step["topic"])

    async def _delete(self, step: Fields) -> None:
        response = await self._ask("DeleteTopics", 5, {"TopicNames": [step["topic"]], "TimeoutMs": 10_000})
        assert response["Responses"][0]["ErrorCode"] == 0, response
        self._partitions[step["topic"]] = 0
        await self._known(step["topic"])

    async def _known(self, name: str) -> None:
        """Wait until the broker, and soon after it its coordinator, knows the partitions of a topic."""
        asked = {"Topics": [{"Name": name}], "AllowAutoTopicCreation": False}
        while (
            len((await self._ask("Metadata", 9, asked))["Topics"][0]["Partitions"]) != self._partitions[name]
        ):
            await asyncio.sleep(self._patience_s / 10)
        await asyncio.sleep(self._patience_s)

    async def _join(self, step: Fields) -> None:
        member = Member(step["member"], step["instance"], step["rack"], step["names"], step["expression"])
        if (replaced := step["replaces"]) is not None:
            await self._heartbeat(self._members[replaced], LEFT_FOR_NOW)
            del self._members[replaced]
        self._members[member.member_id] = member
        await self._heartbeat(member, 0)

    async def _subscribe(self, step: Fields) -> None:
        member = self._members[step["member"]]
        member.names, member.expression = step["names"], step["expression"]
        await self._heartbeat(member)

    async def _leave(self, step: Fields) -> None:
        member = self._members.pop(step["member"])
        await self._heartbeat(member, LEFT)

    async def _settle(self, before: int | None, quiet_rounds: int) -> None:
        """Send rounds of heartbeats until nothing changes. before: wait for a later epoch than this one."""
        deadline = time.monotonic() + DEADLINE_S
        quiet = 0
        while self._members and quiet < quiet_rounds:
            assert time.monotonic() < deadline, f"{self._name} does not settle"
            changed = [await self._heartbeat(member) for member in [*self._members.values()]]
            epochs = {member.epoch for member in self._members.values()}
            still = (
                not any(changed)
                and len(epochs) == 1
                and (before is None or epochs > {before} or min(epochs) > before)
            )
            quiet = quiet + 1 if still else 0
            await asyncio.sleep(self._patience_s / 10)

    async def _heartbeat(self, member: Member, epoch: int | None = None) -> bool:
        """Send a heartbeat. Return whether it changed the member's epoch or partitions."""
        sent = {
            "GroupId": self._name,
            "MemberId": member.member_id,
            "MemberEpoch": member.epoch if epoch is None else epoch,
            "InstanceId": member.instance_id,
            "RackId": member.rack_id,
            "RebalanceTimeoutMs": 60_000,
            "SubscribedTopicNames": member.names,
            "SubscribedTopicRegex": member.expression or "",
            "ServerAssignor": self._assignor,
            "TopicPartitions": [
                {"TopicId": topic_id, "Partitions": owned} for topic_id, owned in member.owned.items()
            ],
        }
        if epoch == 0:
            sent["TopicPartitions"] = []
        response = await self._ask("ConsumerGroupHeartbeat", VERSION, sent)
        while response["ErrorCode"] in RETRIABLE:
            await asyncio.sleep(self._patience_s)
            response = await self._ask("ConsumerGroupHeartbeat", VERSION, sent)
        assert response["ErrorCode"] == 0, (sent, response)
        if epoch in (LEFT, LEFT_FOR_NOW):
            return True
        before = (member.epoch, member.owned)
        member.epoch = response["MemberEpoch"]
        if response["Assignment"] is not None:
            topics = response["Assignment"]["TopicPartitions"]
            member.owned = {each["TopicId"]: sorted(each["Partitions"]) for each in topics}
        return before != (member.epoch, member.owned)


def script(number: int) -> tuple[str, str, list[Fields]]:
    """Return a random group: its name, its assignor and its steps."""
    return _Script(number).drawn()


class _Script:
    def __init__(self, number: int) -> None:
        self._draw = random.Random(number)
        self._name = f"settled-{number}"
        self._topics: list[str] = []
        self._made = 0
        self._members: dict[str, str | None] = {}
        self._steps: list[Fields] = []
        self._resolves = number % 4 == 3
        self._alike = self._draw.random() < 0.4 and not self._resolves
        self._shared: list[str] = []
        self._members_max = self._draw.choice([3, 6, 9, 14])

    def drawn(self) -> tuple[str, str, list[Fields]]:
        for _ in range(self._draw.randint(1, 6)):
            self._create()
        self._shared = self._some()
        while len(self._steps) < 12 + self._members_max:
            self._step()
        return self._name, "range" if self._draw.random() < 0.25 else "uniform", self._steps

    def _step(self) -> None:
        dice = self._draw.random()
        if not self._members or (dice < 0.5 and len(self._members) < self._members_max):
            self._join(None)
        elif dice < 0.6:
            self._do("leave", member=self._member(leaves=True))
        elif dice < 0.75 and not self._resolves:
            self._change_topics()
        elif dice < 0.85:
            static = [member for member, instance in self._members.items() if instance is not None]
            if static:
                self._join(self._draw.choice(static))
        elif not self._alike:
            self._do("subscribe", member=self._member(), **self._subscription())

    def _change_topics(self) -> None:
        dice = self._draw.random()
        if dice < 0.4:
            self._create()
        elif dice < 0.85 or len(self._topics) < 2:
            self._do("grow", topic=self._draw.choice(self._topics), by=self._draw.randint(1, 3))
        else:
            topic = self._draw.choice(self._topics)
            self._topics.remove(topic)
            self._do("delete", topic=topic)

    def _create(self) -> None:
        self._topics.append(f"{self._name}-t{self._made}")
        self._made += 1
        self._do("create", topic=self._topics[-1], partitions=self._draw.randint(1, 8))

    def _join(self, replaces: str | None) -> None:
        member = self._draw.randbytes(12).hex()
        instance = f"i{len(self._steps)}" if self._draw.random() < 0.3 else None
        if replaces is not None:
            instance = self._members.pop(replaces)
        self._members[member] = instance
        rack = self._draw.choice([None, "a", "b"])
        self._do(
            "join", member=member, instance=instance, rack=rack, replaces=replaces, **self._subscription()
        )

    def _member(self, *, leaves: bool = False) -> str:
        member = self._draw.choice([*self._members])
        if leaves:
            del self._members[member]
        return member

    def _subscription(self) -> Fields:
        if self._alike:
            return {"names": self._draw.sample(self._shared, len(self._shared)), "expression": None}
        if self._resolves and self._draw.random() < 0.6:
            expression = f"{self._name}-t" + self._draw.choice(["[0-2]", ".*", "[1-9]+", "x"])
            return {"names": self._some() if self._draw.random() < 0.4 else [], "expression": expression}
        return {"names": self._some(), "expression": None}

    def _some(self) -> list[str]:
        names = self._draw.sample(self._topics, self._draw.randint(1, len(self._topics)))
        return [*names, f"{self._name}-absent"] if self._draw.random() < 0.2 else names

    def _do(self, what: str, **fields: Any) -> None:
        self._steps.append({"do": what, **fields})
