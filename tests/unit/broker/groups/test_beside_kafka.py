"""Random clients of one group: tidemark and Apache Kafka must give the same responses at the same time.

Kafka runs in real time, tidemark on the clock of the story. Requests keep a distance from timers, so that
both see them in the same order. A story whose responses differ is repeated, because a stall may be the
reason. A story that is late, because the machine is busy, is repeated too, and may be skipped.
"""

from __future__ import annotations

import random
import select
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import kafka_oracle
from tests.broker_process import two_free_ports
from tests.kafka_oracle import KafkaNode
from tests.unit.broker.groups.classic_story import SUBSCRIBED_TO_NOTHING, ClassicStory, PendingRequest
from tests.wire import Connection, request, response
from tidemark.groups.classic.member import ClassicGroupState, Member
from tidemark_protocol import decode, encode
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=str(kafka_oracle.missing())),
]

STORIES = 12
STEPS = 40
INITIAL_DELAY_MS = 617
SESSIONS = (583, 1_083, 2_083)  # no common multiples, so that timers rarely fire at the same time
REBALANCES = (333, 833, 1_583)
PROTOCOLS = (
    {"range": SUBSCRIBED_TO_NOTHING},
    {"range": SUBSCRIBED_TO_NOTHING, "sticky": b""},
    {"sticky": b"", "range": SUBSCRIBED_TO_NOTHING},
)
DISTANCE_MS = 90  # between a request and the next timer
LATE_MS = 30
PARTED_MAX = 2
LATE_MAX = 10


class Parted(Exception):
    """Kafka's response differs from ours."""


class Late(Exception):
    """Kafka's time is ahead of ours."""


class Ended(Exception):
    """Kafka elected another leader, as it may. Stories may differ from here on."""


@dataclass(slots=True, eq=False)
class Asked:
    """One request, sent to both coordinators."""

    name: str
    answer: PendingRequest
    connection: Connection
    instance_id: str | None = None


class TimedStory(ClassicStory):
    """Records when a group last changed: by a request, or because a timer fired."""

    happened_ms = 0
    _seen: object = None

    def _check(self) -> None:
        super()._check()
        seen = [
            (group.state, group.generation, repr(group.phase), [*group.members], [*group.pending])
            for group in self.groups.groups.values()
        ]
        if seen != self._seen:
            self._seen = seen
            self.happened_ms = self.steady_ms


class Story:
    def __init__(self, seed: int, node: KafkaNode, **limits: int) -> None:
        self.chance = random.Random(seed)
        self.node = node
        self.group_id = f"story-{seed}-{time.monotonic_ns()}"
        self.ours = TimedStory(min_session_timeout_ms=500, **limits)
        self.began_s = time.monotonic() - self.ours.steady_ms / 1000
        self.theirs: dict[str, str] = {}  # our member id -> Kafka's
        self.known: dict[str, tuple[str | None, int]] = {}  # our member id -> its instance, and generation
        self.plain = Connection(node.bootstrap)  # for requests that are never parked
        self.asked: list[Asked] = []
        self.lines: list[str] = []

    def tell(self) -> None:
        try:
            for _ in range(STEPS):
                self._come_to_a_quiet_moment()
                self._compare()
                self._step()
                self._compare()
        except Ended:
            pass
        finally:
            for connection in (self.plain, *(asked.connection for asked in self.asked)):
                connection.socket.close()

    # one step

    def _step(self) -> None:
        steps = [self._join, self._join, self._rejoin, self._rejoin, self._sync, self._leave]
        steps += [self._all_follow] * 5 + [self._all_beat] * 3
        self.chance.choice(steps)()

    def _join(self) -> None:
        version = self.chance.choice((3, 5, 8, 9))
        instance_id = self.chance.choice((None, None, "one", "two")) if version >= 5 else None
        protocols = {"unknown": b""} if self.chance.random() < 0.05 else self.chance.choice(PROTOCOLS)
        self._ask_to_join("", instance_id, version, protocols)

    def _rejoin(self) -> None:
        if not self.known:
            return
        member_id, (instance_id, _) = self.chance.choice(list(self.known.items()))
        if self.chance.random() < 0.1:
            instance_id = self.chance.choice(("one", "three", None))
        group = self.ours.groups.get(self.group_id)
        if group is not None and member_id in group.pending:
            instance_id = None
        member = None if group is None else group.members.get(member_id)
        protocols = self.chance.choice(PROTOCOLS)
        if member is not None and self.chance.random() < 0.6:
            protocols = {each.name: each.metadata for each in member.protocols}
        self._ask_to_join(member_id, instance_id, self.chance.choice((5, 8, 9)), protocols)

    def _sync(self) -> None:
        if not self.known:
            return
        member_id, (instance_id, generation) = self.chance.choice(list(self.known.items()))
        if self.chance.random() < 0.1:
            generation += 1
        protocol_type = self.chance.choice(["consumer"] * 8 + ["connect", None])
        protocol = self.chance.choice(["range"] * 3 + ["sticky"])
        self._ask_to_sync(member_id, instance_id, generation, 5, (protocol_type, protocol))

    def _leave(self) -> None:
        named = []
        for _ in range(self.chance.choice((0, 1, 1, 1, 2, 3))):
            if self.known and self.chance.random() < 0.8:
                member_id, (instance_id, _) = self.chance.choice(list(self.known.items()))
                named.append((member_id, instance_id if self.chance.random() < 0.8 else None))
            else:
                named.append(("", self.chance.choice(("one", "two", None))))
        if any(self._has_parked_sync(each) for each in named):
            return  # Kafka never responds to these; tidemark does
        self._say(f"leave {named}")
        ours = self.ours.leave(*named, group_id=self.group_id)
        members = [MemberIdentity(self._their_id(each), instance_id) for each, instance_id in named]
        theirs = self.plain.ask("LeaveGroup", 5, LeaveGroupRequest(self.group_id, "", members))
        self._hold_together("LeaveGroup", 5, ours, theirs)

    def _has_parked_sync(self, named: tuple[str, str | None]) -> bool:
        return any(
            member.parked_sync is not None
            and (
                member.member_id == named[0]
                or (member.instance_id is not None and member.instance_id == named[1])
            )
            for member in self._members()
        )

    def _all_follow(self) -> None:
        """Let members do what the protocol requires."""
        for member in self._members():
            group = self.ours.group(self.group_id)
            if member.member_id not in group.members:
                continue
            if group.state is ClassicGroupState.PREPARING_REBALANCE and member.parked_join is None:
                protocols = {each.name: each.metadata for each in member.protocols}
                timeouts = (member.session_timeout_ms, member.rebalance_timeout_ms)
                self._ask_to_join(member.member_id, member.instance_id, 9, protocols, timeouts)
            elif group.state is ClassicGroupState.COMPLETING_REBALANCE and member.parked_sync is None:
                self._ask_to_sync(member.member_id, None, group.generation, 4, (None, None))
            self._exchange()

    def _all_beat(self) -> None:
        for member in self._members():
            if self.chance.random() < 0.8:
                generation = self.ours.group(self.group_id).generation
                self._say(f"heartbeat {member.member_id} {generation}")
                ours = self.ours.heartbeat(member.member_id, generation, group_id=self.group_id)
                beat = HeartbeatRequest(self.group_id, generation, self._their_id(member.member_id))
                theirs = self.plain.ask("Heartbeat", 4, beat)
                if ours != theirs.error_code:
                    raise Parted(f"heartbeat: {ours!r}, Kafka {theirs.error_code}")

    def _ask_to_join(
        self,
        member_id: str,
        instance_id: str | None,
        version: int,
        protocols: Mapping[str, bytes],
        timeouts: tuple[int, int] | None = None,
    ) -> None:
        session_ms, rebalance_ms = timeouts or (self.chance.choice(SESSIONS), self.chance.choice(REBALANCES))
        self._say(
            f"join {member_id!r} {instance_id} v{version} {list(protocols)} {session_ms} {rebalance_ms}"
        )
        answer = self.ours.join(
            member_id,
            group_id=self.group_id,
            version=version,
            instance_id=instance_id,
            protocols=protocols,
            session_ms=session_ms,
            rebalance_ms=rebalance_ms,
            client_id="raw",
        )
        listed = [JoinGroupRequestProtocol(*each) for each in protocols.items()]
        message = JoinGroupRequest(
            self.group_id,
            session_ms,
            rebalance_ms,
            self._their_id(member_id),
            instance_id,
            "consumer",
            listed,
        )
        self._send(Asked("JoinGroup", answer, self._connection(), instance_id), message)

    def _ask_to_sync(
        self,
        member_id: str,
        instance_id: str | None,
        generation: int,
        version: int,
        protocol: tuple[str | None, str | None],
    ) -> None:
        assignments = {member.member_id: member.member_id[-4:].encode() for member in self._members()}
        self._say(f"sync {member_id} {instance_id} {generation} v{version} {protocol}")
        answer = self.ours.sync(
            member_id,
            generation,
            assignments,
            group_id=self.group_id,
            version=version,
            instance_id=instance_id,
            protocol_type=protocol[0],
            protocol=protocol[1],
        )
        brought = [
            SyncGroupRequestAssignment(self._their_id(each), given) for each, given in assignments.items()
        ]
        message = SyncGroupRequest(
            self.group_id, generation, self._their_id(member_id), instance_id, *protocol, brought
        )
        self._send(Asked("SyncGroup", answer, self._connection()), message)

    def _send(self, asked: Asked, message: Any) -> None:
        asked.connection.send(request(asked.name, asked.answer.api_version, message))
        self.asked.append(asked)

    # time

    def _come_to_a_quiet_moment(self) -> None:
        at_ms = self.ours.steady_ms + self.chance.choice((130, 250, 250, 600, 1_100))
        while True:
            self.ours.advance(at_ms - self.ours.steady_ms)
            group = self.ours.groups.get(self.group_id)
            next_ms = None if group is None else group.settle(self.ours.now)
            if self.ours.happened_ms <= at_ms - DISTANCE_MS and (
                next_ms is None or next_ms >= at_ms + DISTANCE_MS
            ):
                break
            at_ms += 40
        ahead_s = self.began_s + at_ms / 1000 - time.monotonic()
        if ahead_s < -LATE_MS / 1000:
            raise Late
        time.sleep(max(ahead_s, 0))
        self._say(f"@ {at_ms} {ahead_s:.3f}")

    # comparison

    def _compare(self) -> None:
        """Compare the responses so far. A request that Kafka parks may not have arrived there yet."""
        self._exchange()
        patience_s = time.monotonic() + 1
        while True:
            ours, theirs = self._both_described()
            if ours == theirs:
                return
            if time.monotonic() > patience_s:
                raise Parted(f"the group: {ours}\n Kafka's: {theirs}")

    def _both_described(self) -> tuple[Any, Any]:
        (described,) = self.plain.ask("DescribeGroups", 5, DescribeGroupsRequest([self.group_id])).groups
        self._learn_who_is_parked(described.members)
        group = self.ours.groups.get(self.group_id)
        ours = (
            "Dead" if group is None else str(group.state),
            sorted(
                (self._their_id(each.member_id), each.instance_id, each.assignment)
                for each in self._members()
            ),
        )
        theirs = (
            described.group_state,
            sorted(
                (each.member_id, each.group_instance_id, each.member_assignment) for each in described.members
            ),
        )
        return ours, theirs

    def _exchange(self) -> None:
        """Check that Kafka has responded to the same requests."""
        received: list[tuple[Asked, Any]] = []
        patience_s = time.monotonic() + 1
        while any(not asked.answer.parked for asked in self.asked) and time.monotonic() < patience_s:
            received += self._receive(0.02)
        received += self._receive(0.02)
        left = [asked.name for asked in self.asked if not asked.answer.parked]
        early = [theirs for asked, theirs in received if asked.answer.parked]
        if left or early:
            raise Parted(f"not answered by Kafka: {left}; answered by Kafka alone: {early}")
        for asked, theirs in received:
            if asked.name == "JoinGroup" and asked.answer.member_id:
                self.theirs.setdefault(asked.answer.member_id, theirs.member_id)
        for asked, theirs in received:
            self._hold_together(asked.name, asked.answer.api_version, asked.answer.response, theirs)
            self._learn(asked)

    def _receive(self, wait_s: float) -> list[tuple[Asked, Any]]:
        sockets = {asked.connection.socket: asked for asked in self.asked}
        ready, _, _ = select.select(list(sockets), [], [], wait_s) if sockets else ((), (), ())
        received = []
        for each in ready:
            asked = sockets[each]
            self.asked.remove(asked)
            received.append(
                (asked, response(asked.name, asked.answer.api_version, asked.connection.answer()))
            )
            each.close()
        return received

    def _hold_together(self, name: str, version: int, ours: Any, theirs: Any) -> None:
        seen = decode(f"{name}Response", version, encode(f"{name}Response", version, ours))
        self._say(f"{name} answered {seen}")
        if name == "JoinGroup":
            seen.member_id, seen.leader = self._their_id(seen.member_id), self._their_id(seen.leader)
            theirs.members.sort(key=lambda each: each.member_id)
        for each in getattr(seen, "members", ()):
            each.member_id = self._their_id(each.member_id)
        if name == "JoinGroup":
            seen.members.sort(key=lambda each: each.member_id)
            if seen.error_code == theirs.error_code == ErrorCode.NONE and seen.leader != theirs.leader:
                raise Ended
        if seen != theirs:
            raise Parted(f"{name} v{version}: {seen}\n Kafka: {theirs}")

    def _learn(self, asked: Asked) -> None:
        if asked.name != "JoinGroup":
            return
        if asked.answer.error is ErrorCode.MEMBER_ID_REQUIRED:
            self.known[asked.answer.member_id] = (None, 0)
        elif asked.answer.error is ErrorCode.NONE:
            self.known[asked.answer.member_id] = (asked.instance_id, asked.answer.generation)

    def _learn_who_is_parked(self, described: list[Any]) -> None:
        """Return members without those whose first join is parked: no response contains their ids yet."""
        told = set(self.theirs.values())
        for member in self._members():
            found = [
                each.member_id
                for each in described
                if each.member_id not in told and each.group_instance_id == member.instance_id
            ]
            if member.member_id not in self.theirs and len(found) == 1:
                self.theirs[member.member_id] = found[0]

    def _members(self) -> list[Member]:
        group = self.ours.groups.get(self.group_id)
        return [] if group is None else list(group.members.values())

    def _their_id(self, our_id: str) -> str:
        return self.theirs.get(our_id, our_id)

    def _connection(self) -> Connection:
        return Connection(self.node.bootstrap)

    def _say(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    settings = {
        "group.initial.rebalance.delay.ms": str(INITIAL_DELAY_MS),
        "group.min.session.timeout.ms": "500",
        "group.max.size": "3",
    }
    running = KafkaNode(Path(tmp_path_factory.mktemp("kafka")), two_free_ports(), settings)
    running.start()
    try:
        wait_for_the_coordinator(running)
        yield running
    finally:
        running.stop()


def wait_for_the_coordinator(node: KafkaNode) -> None:
    asked = FindCoordinatorRequest("", 0, ["any"])
    heartbeat = HeartbeatRequest("any", 0, "nobody")
    patience_s = time.monotonic() + 60
    connection = Connection(node.bootstrap)
    connection.ask("FindCoordinator", 4, asked)
    while connection.ask("Heartbeat", 4, heartbeat).error_code != ErrorCode.UNKNOWN_MEMBER_ID:
        assert time.monotonic() < patience_s
        time.sleep(0.2)
    connection.socket.close()


def told(seed: int, node: KafkaNode) -> str | None:
    """Return None if both agree, or else the story and the difference, which a second run confirmed."""
    parted = 0
    for _ in range(LATE_MAX):
        story = Story(seed, node, initial_rebalance_delay_ms=INITIAL_DELAY_MS, max_size=3)
        try:
            story.tell()
        except Late:
            continue
        except Parted as how:
            parted += 1
            if parted == PARTED_MAX:
                return "\n".join([f"story {seed}", *story.lines, str(how)])
        else:
            return None
    return None


def test_kafka_responds_as_tidemark_does(node: KafkaNode) -> None:
    with ThreadPoolExecutor(STORIES) as at_once:
        parted = [
            how for how in at_once.map(lambda seed: told(seed, node), range(STORIES)) if how is not None
        ]
    assert not parted, parted[0]
