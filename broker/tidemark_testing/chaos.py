"""Chaos with a seed: faults and events for a consumer group that a seed draws, and a judge over the journal.

    with tidemark.chaos("billing", "orders") as chaos:
        processed = run_my_consumer(tidemark.bootstrap_servers)
    chaos.assert_every_record_processed(processed)

Each step has a place in the sequence of requests, such as "the 3rd OffsetCommit of the group", and not in
time. So the same seed makes the same step happen at the same request. A step that does more than change one
request is an event: a fault holds its request back until a thread of this module has carried it out.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar, get_args

from tidemark.faults.matching import draw
from tidemark.settings.setting import closest
from tidemark_expiry.sentences import shown
from tidemark_testing.audit import Facts, Finding, Recording, judge, places, topic_ids
from tidemark_testing.faults import SetFault
from tidemark_testing.isolation import NotAvailable
from tidemark_testing.report import sentences, unlike
from tidemark_testing.responses import Member
from tidemark_testing.server import Restartable
from tidemark_testing.wire import carry_out
from tidemark_tools.client.errors import ClientError

if TYPE_CHECKING:
    from tidemark_testing.client import Tidemark

__tracebackhide__ = True

T = TypeVar("T")

ChaosEvent = Literal[
    "error", "delay", "close", "lost_response", "rebalance", "coordinator_away", "expel", "sessions", "kill"
]
GroupProtocol = Literal["classic", "consumer"]
CHAOS_EVENTS: Final[tuple[ChaosEvent, ...]] = get_args(ChaosEvent)
PROTOCOLS: Final = get_args(GroupProtocol)
# Those that every test can bear. The others move time or stop the broker, which affects other groups, too.
DEFAULT_EVENTS: Final = tuple(event for event in CHAOS_EVENTS if event not in ("sessions", "kill"))
SEED_MAX: Final = 2**53
DRAWN_SEEDS: Final = 1_000_000  # a drawn seed is short, so that it is easy to type
STEPS: Final = 8
STEPS_MAX: Final = 100
POLL_S: Final = 0.02
READ_EVERY: Final = 5  # polls, so that the journal does not evict what was not read
JOIN_S: Final = 30.0
SHOWN_MAX: Final = 10  # records in a failing assertion
DELAYS_MS: Final = (20, 300)
AWAY_REQUESTS: Final = (1, 3)
LOADING_MS: Final = (20, 200)
MEMBERS_DRAWN: Final = 8
NO_MEMBER: Final = "there was no such member"

_MOVED = ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE")
# The errors from which a client must recover, as Kafka sends them.
ERRORS: Final[dict[str, tuple[str, ...]]] = {
    "ConsumerGroupHeartbeat": _MOVED,
    "Fetch": ("NOT_LEADER_OR_FOLLOWER", "KAFKA_STORAGE_ERROR", "UNKNOWN_LEADER_EPOCH"),
    "FindCoordinator": ("COORDINATOR_NOT_AVAILABLE",),
    "Heartbeat": _MOVED,
    "JoinGroup": _MOVED,
    "OffsetCommit": _MOVED,
    "OffsetFetch": _MOVED[:2],
    "Produce": ("NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS", "KAFKA_STORAGE_ERROR"),
    "SyncGroup": _MOVED,
}
# How many requests of each API the steps are spread over.
SPANS: Final = {
    "ConsumerGroupHeartbeat": 10, "Fetch": 12, "FindCoordinator": 2, "Heartbeat": 10, "JoinGroup": 4,
    "OffsetCommit": 10, "OffsetFetch": 3, "Produce": 10, "SyncGroup": 3,
}  # fmt: skip
# The choices of a draw. APIs that a consumer uses often, or that often go wrong, are listed more than once.
_COMMON: Final = ("OffsetCommit",) * 4 + ("Fetch",) * 3 + ("OffsetFetch", "FindCoordinator")
APIS: Final = {
    "classic": (*_COMMON, "Heartbeat", "Heartbeat", "JoinGroup", "SyncGroup"),
    "consumer": (*_COMMON, "ConsumerGroupHeartbeat", "ConsumerGroupHeartbeat"),
}
OF_TOPICS: Final = ("Fetch", "Produce")  # the APIs that name no group
MOMENTS: Final = ("OffsetCommit", "OffsetCommit", "Fetch")  # the requests at which events happen


@dataclass(eq=False)
class Step:
    """One step of a schedule.

    event     what it does
    api, nth  the request at which it happens: the nth of this API, from 1, that names the group or the topic
    fields    of the fault that does it, or with which an event begins; empty for other events
    member    for expel before a request: which member, in the order of client ids and then of member ids,
              modulo their number
    applied   what happened, and to which request; "" if there was no such request
    """

    event: ChaosEvent
    api: str
    nth: int
    topic: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    member: int = 0
    applied: str = ""
    faults: list[SetFault] = field(default_factory=list, repr=False)

    @property
    def loses_response(self) -> bool:
        """Whether it expels the member whose commit was stored, and the response is lost."""
        return self.event == "expel" and bool(self.fields)

    @property
    def is_event(self) -> bool:
        return self.event in ("coordinator_away", "expel", "kill", "rebalance", "sessions")

    def __str__(self) -> str:
        details = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        if self.event == "expel":
            details = "its member, and lose the response" if self.loses_response else f"member {self.member}"
        of = "" if self.topic is None else f" of {self.topic}"
        return f"{self.api} {self.nth}{of}: {self.event}{f' ({details})' if details else ''}"


class _Draw:
    """Draws of a seed, the same on every platform and version of Python."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._number = 0

    def below(self, end: int) -> int:
        self._number += 1
        return int(draw(self._seed, self._number) * end)

    def between(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]


def schedule(
    seed: int,
    topics: Sequence[str],
    *,
    steps: int = STEPS,
    events: Sequence[ChaosEvent] = DEFAULT_EVENTS,
    protocol: GroupProtocol = "classic",
    outputs: Sequence[str] = (),
) -> list[Step]:
    """Return the steps that the seed draws, in the order of their requests, each at another request."""
    chosen = _Draw(seed)
    apis = APIS[protocol] + ("Produce", "Produce") * bool(outputs)
    found: dict[tuple[str, str | None, int], Step] = {}
    for _ in range(steps * 10):  # attempts: a place may be taken already
        if len(found) == steps:
            break
        step = _drawn(chosen, chosen.one_of(events), apis, topics, outputs)
        found.setdefault((step.api, step.topic, step.nth), step)
    return sorted(found.values(), key=lambda step: (step.nth, step.api, step.topic or ""))


def _drawn(
    chosen: _Draw, event: ChaosEvent, apis: Sequence[str], topics: Sequence[str], outputs: Sequence[str]
) -> Step:
    fields: dict[str, Any] = {}
    member = 0
    api = chosen.one_of(apis)
    if event == "error":
        fields["error"] = chosen.one_of(ERRORS[api])
    elif event == "delay":
        fields = {"delay_ms": chosen.between(*DELAYS_MS), "when": chosen.one_of(("before", "after"))}
    elif event == "close":
        fields = {"close": True}
    elif event == "lost_response":
        fields = {"close": True, "when": "after"}
    else:
        api = chosen.one_of(MOMENTS)
        if event == "coordinator_away":
            fields = {"times": chosen.between(*AWAY_REQUESTS), "loading_ms": chosen.between(*LOADING_MS)}
        elif event == "expel":
            member = chosen.below(MEMBERS_DRAWN)
            if chosen.below(2):  # the member sends the commit again, and is no member any more
                api, fields = "OffsetCommit", {"close": True, "when": "after"}
    topic = None
    if api in OF_TOPICS:
        topic = chosen.one_of(outputs if api == "Produce" else topics)
    return Step(event, api, chosen.between(1, SPANS[api]), topic, fields, member)


class Chaos:
    """Faults and events for one consumer group while a `with` block runs. `Tidemark.chaos` makes it.

    seed        repeats it
    first_seed  the first seed that its test has drawn, None if the test has chosen the seed
    steps       its schedule, with what was applied
    """

    def __init__(
        self,
        tidemark: Tidemark,
        group: str,
        topics: str | Sequence[str],
        *,
        seed: int,
        first_seed: int | None,
        steps: int = STEPS,
        events: Collection[ChaosEvent] | None = None,
        protocol: GroupProtocol = "classic",
        outputs: str | Sequence[str] = (),
    ) -> None:
        _check("protocol", protocol, PROTOCOLS)
        for event in events or ():
            _check("events", event, CHAOS_EVENTS)
        if events is None:
            events = [event for event in DEFAULT_EVENTS if protocol == "classic" or event != "rebalance"]
        elif protocol == "consumer" and "rebalance" in events:
            raise ValueError(
                'events: "rebalance" needs Heartbeat, which members with protocol="consumer" do not send'
            )
        if type(seed) is not int or not 0 <= seed <= SEED_MAX:
            raise ValueError(f"seed must be a whole number from 0 to {SEED_MAX}, got {seed!r}")
        if type(steps) is not int or not 0 <= steps <= STEPS_MAX:
            raise ValueError(f"steps must be a whole number from 0 to {STEPS_MAX}, got {steps!r}")
        self.seed = seed
        self.first_seed = first_seed
        self._tidemark = tidemark
        self.group = tidemark.name(group)
        self.topics = _names(tidemark, "topics", topics)
        self._outputs = _names(tidemark, "outputs", outputs) if outputs else []
        if not events:
            steps = 0
        ordered = [event for event in CHAOS_EVENTS if event in events]  # a set has no order
        self.steps = schedule(
            seed, self.topics, steps=steps, events=ordered, protocol=protocol, outputs=self._outputs
        )
        self._ended = threading.Event()
        self._lock = threading.RLock()  # of what both threads use: the recording, and the faults
        self._failure = ""
        self._recording: Recording | None = None

    # its life

    def __enter__(self) -> Self:
        tidemark, api = self._tidemark, self._tidemark.api("chaos()")
        if any(step.event == "kill" for step in self.steps):
            if not isinstance(tidemark.server, Restartable):
                raise NotAvailable(f'chaos() with "kill" cannot start {tidemark.bootstrap_servers} again')
            if tidemark.server_state.kept:
                raise RuntimeError(
                    'chaos() with "kill" would lose the state of kept(): use tidemark_factory()'
                )
        if any(step.event in ("kill", "sessions") for step in self.steps):
            tidemark.isolation.check_alone('chaos() with "kill" or "sessions"')
        for name in (*self.topics, *self._outputs):
            if hint := unlike(api, "topic", name):
                raise LookupError(f"chaos: {sentences(hint)}")
        self._begins = self._committed()
        ids = carry_out(
            tidemark.bootstrap_servers, topic_ids(self.topics), tidemark.server_state.client_settings
        )
        self._recording = Recording(api, self.group, ids)
        self._began_ms = tidemark.clock.now_ms
        self._set_faults()
        self._thread = threading.Thread(target=self._run, name="tidemark-chaos", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join(JOIN_S)
        with self._lock, suppress(ClientError):  # the test has stopped the broker
            self._read()
            self._remove_faults(*self.steps)

    def _set_faults(self, seen: dict[int, int] | None = None) -> None:
        """Set the fault of each step that was not applied. seen: its requests so far, by the id of its fault.

        A fault that ends a request hides it from the faults after it. So those with a later request come
        first: then each counts every request until its own.
        """
        for step in sorted(self.steps, key=lambda step: -step.nth):
            done = 0
            if step.faults:
                done = (seen or {}).get(step.faults[0].id, step.nth)
            if step.applied or done >= step.nth:
                continue
            step.faults = self._faults_of(step, step.nth - done)

    def _faults_of(self, step: Step, nth: int) -> list[SetFault]:
        about: dict[str, Any] = {"api": step.api, "nth": nth}
        about |= {"group": self.group} if step.topic is None else {"topic": step.topic}
        wanted = [{"block": True} if step.is_event else step.fields]
        if step.loses_response:
            wanted = [{"block": True, "when": "after"}, step.fields]
        return [self._tidemark.faults.add(**about, **fields) for fields in wanted]

    def _remove_faults(self, *steps: Step) -> None:
        for step in steps:
            for fault in step.faults:
                fault.remove()

    # the thread

    def _run(self) -> None:
        polls = 0
        while not self._ended.wait(POLL_S):
            try:
                with self._lock:
                    self._carry_out_events()
                    polls += 1
                    if polls % READ_EVERY == 0:
                        self._read()
            except ClientError:  # the test has stopped the broker
                continue
            except Exception as error:  # noqa: BLE001  the judge reports it
                self._failure = f"{type(error).__name__}: {error}"
                return

    def _carry_out_events(self) -> None:
        """Carry out the events whose requests have arrived, and let the requests go."""
        views = {each["id"]: each for each in self._tidemark.api("chaos()").get("/v1/faults")["faults"]}
        for step in self.steps:
            if step.is_event and not step.applied and step.faults:
                blocked = step.faults[0]
                if views.get(blocked.id, {"waiting": 0})["waiting"]:
                    after = self._since()
                    step.applied = f"at {after}: it failed"  # unless it does not
                    step.applied = f"at {after}: {self._carry_out(step)}"
                    blocked.remove()
                    if step.loses_response and step.applied.endswith(NO_MEMBER):
                        # The commit of a former member was refused. It is sent again, because its response is
                        # lost as well; wait for the commit after that.
                        self._remove_faults(step)
                        step.applied, step.faults = "", self._faults_of(step, 2)

    def _carry_out(self, step: Step) -> str:
        """Carry out an event. Return what happened."""
        tidemark = self._tidemark
        if step.event == "coordinator_away":
            step.faults.append(tidemark.faults.add(coordinator_away=True, group=self.group, **step.fields))
            return "the coordinator went away"
        if step.event == "rebalance":
            refused = tidemark.faults.add(
                api="Heartbeat", group=self.group, error="REBALANCE_IN_PROGRESS", once=True
            )
            step.faults.append(refused)
            return "REBALANCE_IN_PROGRESS for the next Heartbeat"
        if step.event == "sessions":
            ended = tidemark.clock.advance(minutes=1, sessions=True).sessions
            return f"time moved by a minute, and {len(ended)} sessions ended"
        if step.event == "kill":
            self._kill()
            return "the broker was killed, and started again"
        group = tidemark.groups.get(self.group)
        members = sorted(group.members, key=_in_order) if group is not None else []
        if step.loses_response:
            self._read()
            assert self._recording is not None
            sender = self._recording.sender(step.faults[0].id, "OffsetCommit")
            members = [each for each in members if each.member_id == sender]
        if not members:
            return NO_MEMBER
        member = members[step.member % len(members)]
        try:
            tidemark.expel(self.group, member.member_id)
        except LookupError:
            return "the member to expel had left"
        return f"expelled {shown(member.client_id or '')} (member id {shown(member.member_id)})"

    def _kill(self) -> None:
        """Kill the broker, and start it again, without losing the journal or the counts of the faults."""
        tidemark = self._tidemark
        tidemark.faults.add(pause=True)
        self._read()  # from now on, nothing is decided and nothing is sent
        faults = tidemark.api("chaos()").get("/v1/faults")["faults"]
        tidemark.kill()
        tidemark.restart()
        assert self._recording is not None
        self._recording.restarted()
        self._set_faults({each["id"]: each["seen"] for each in faults})

    def _read(self) -> None:
        assert self._recording is not None
        self._recording.read()
        for step in self.steps:
            if not step.is_event and not step.applied and step.faults:
                entry = self._recording.by_fault.get(step.faults[0].id)
                if entry is not None:
                    after = self._since(entry["at_ms"])
                    step.applied = f"at {after}: to request {entry['number']} of {shown(entry['client_id'])}"

    def _since(self, now_ms: int | None = None) -> str:
        now_ms = self._tidemark.clock.now_ms if now_ms is None else now_ms
        return f"{(now_ms - self._began_ms) / 1000:.3f} s"

    # the judge

    def judge(self, processed: Iterable[Any] | None = None) -> list[Finding]:
        """Return each record of the topics with which something went wrong, in order.

        processed: what the consumers have processed, of all members: tuples (topic, partition, offset), or
        records of a client library. None: only skipped records are found, which a client has committed
        although they were never delivered to it.

        Records that were committed before the block do not count. Raises NotRecorded if the journal does not
        hold what is needed, LookupError if no client has sent a request for the group, and ValueError if
        processed has a record that does not exist.
        """
        recording = self._recording
        if recording is None:
            raise RuntimeError("the chaos has not begun: use `with tidemark.chaos(...) as chaos`")
        if self._failure:
            raise RuntimeError(f"the chaos of seed {self.seed} has failed: {self._failure}")
        api = self._tidemark.api("chaos()")
        with self._lock:
            self._read()
        recording.check()
        if not recording.clients:
            hint = unlike(api, "group", self.group)
            raise LookupError(sentences(f"no client has sent a request for group {shown(self.group)}", hint))
        partitions = [
            each for name in self.topics for each in api.pages("/v1/partitions", "partitions", topic=name)
        ]
        ends = {(each["topic"], each["partition"]): each["log_end_offset"] for each in partitions}
        existing: dict[tuple[str, int], list[int]] = {where: [] for where in ends}
        for name in self.topics:
            for record in self._tidemark.records(name, committed=True):
                existing[record.topic, record.partition].append(record.offset)
        given = None if processed is None else places(processed, self.topics, ends)
        return judge(Facts(existing, self._begins, self._committed()), recording, given)

    def assert_every_record_processed(self, processed: Iterable[Any], *, exactly_once: bool = False) -> None:
        """Assert that each record of the topics was processed: at least once, or exactly once.

        processed: as in `judge`. Raises AssertionError, which names each record, and what `judge` raises.
        """
        found = self.judge(processed)
        if not exactly_once:
            found = [each for each in found if each.kind != "repeated"]
        self._fail_if(found)

    def assert_no_record_skipped(self) -> None:
        """Assert that no client has committed a record that was never delivered to it.

        This needs no help of the consumer. Raises AssertionError, which names each record, and what `judge`
        raises.
        """
        self._fail_if(self.judge())

    def _fail_if(self, found: Sequence[Finding]) -> None:
        if found:
            listed = "".join(f"\n  {each}" for each in found[:SHOWN_MAX])
            more = f"\n  and {len(found) - SHOWN_MAX} more" if len(found) > SHOWN_MAX else ""
            counts = ", ".join(
                f"{sum(each.kind == kind for each in found)} {kind}"
                for kind in dict.fromkeys(each.kind for each in found)
            )
            raise AssertionError(
                f"group {shown(self.group)}, with chaos of seed {self.seed}: {counts}{listed}{more}"
            )

    def _committed(self) -> dict[tuple[str, int], int]:
        return {where: each.offset for where, each in self._tidemark.offsets(self.group).items()}

    # the report

    def __repr__(self) -> str:
        return f"Chaos(seed={self.seed}, group={self.group!r}, {len(self.steps)} steps)"

    def report(self) -> str:
        """Return the seed, how to repeat it, and the schedule with what was applied."""
        repeat = (
            f"seed={self.seed}" if self.first_seed is None else f"--tidemark-chaos-seed {self.first_seed}"
        )
        applied = f"{sum(bool(step.applied) for step in self.steps)} of {len(self.steps)} steps were applied"
        lines = [
            f"seed {self.seed}; repeat it with {repeat}",
            f"group {self.group}, topic {', '.join(self.topics)}: {applied}",
        ]
        lines += [f"  {step}: {step.applied or 'there was no such request'}" for step in self.steps]
        if self._failure:
            lines.append(f"the chaos has failed: {self._failure}")
        return "\n".join(lines)


def _check(name: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        valid = closest(str(value), known) or f": valid are {', '.join(known)}"
        raise ValueError(f"{name}: unknown value {value!r:.80}{valid}")


def _names(tidemark: Tidemark, field: str, given: str | Sequence[str]) -> list[str]:
    """Return the names of topics in this test."""
    names = [given] if isinstance(given, str) else list(given)
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{field} must be the name of a topic, or a list of names, got {given!r:.80}")
    return [tidemark.name(name) for name in names]


def _in_order(member: Member) -> tuple[str, str]:
    return member.client_id or "", member.member_id
