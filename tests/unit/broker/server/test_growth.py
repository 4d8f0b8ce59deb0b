"""Requests of every API, again and again: nothing grows, and nothing waits for the garbage collector."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from heapq import heapify
from pathlib import Path
from typing import Any, Final

import pytest

from tests.faults.fuzz.ordinary import Ordinary, Values, Variant
from tests.faults.fuzz.population import PACKED, PRODUCERS, SHARED, SINGLE, WIDE, Population
from tests.faults.fuzz.schema_writer import Writer
from tests.unit.broker.garbage import garbage, name_of_type, no_collector
from tests.unit.broker.server.test_states import a_handshake, a_listing, an_authentication, sasl_client
from tests.unit.broker.whole import A_JOIN, Whole, WorkingClock, running
from tests.unit.protocol.any_message import MESSAGES
from tests.wire import header, sized
from tidemark.faults.model import Fault
from tidemark.server.connection import Connection
from tidemark.server.local import LocalClient
from tidemark.turns import TURN_MS
from tidemark_protocol import from_dict, to_dict
from tidemark_protocol.apis import API_NAMES
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import Bytes
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage

DEADLINE_S: Final = 30
TURNS_AT_ONCE: Final = 5  # of the loop, before the clock moves
STEP_MS: Final = 100
ALICE: Final = "User:alice"
ROUNDS: Final = 60
MANY_ROUNDS: Final = 200
WARM_UP: Final = 10
SESSION_MS: Final = 1_800_000
LOGINS: Final = 200
LOGIN_MS: Final = 5_000  # the response to a failed login is sent before
JOIN_MS: Final = 120_000  # after this long members that never come back have left
LONG_MS: Final = 86_400_000
BLOCKS_MAX: Final = 0.5  # of memory that one request may leave, on average: Python's small blocks,
BYTES_MAX: Final = 20  # and bytes of larger ones,
APPENDED_BYTES_MAX: Final = 400  # or of records that it appends to a log in memory
TOPICS: Final = (WIDE.format(0), PACKED, PRODUCERS, SINGLE.format(0), SHARED)
CLASSIC: Final = "classic"
CONSUMER: Final = "consumer"
AN_ID: Final = "AAAAAAAAAAAAAAAAAAAAAQ"
SASL: Final = ("SaslHandshake", "SaslAuthenticate")  # test_logins_leave_no_cycle

# Values with which the broker carries out what `tests/faults/fuzz/ordinary.py` leaves refused.
GOOD: Final[Values] = {
    "TransactionalId": "transaction", "TransactionalIds": ["transaction"], "PatternType": 3,
    "PatternTypeFilter": 3, "ResourcePatternType": 3, "Principal": ALICE, "Host": "*", "Operation": 3,
    "PermissionType": 3, "ResourceTypeFilter": 2, "ResourceNameFilter": TOPICS[0], "PrincipalFilter": None,
    "HostFilter": None, "Mechanism": 1, "GroupId": CLASSIC, "Groups": [CLASSIC],
    "GroupsNames": [CLASSIC], "Entity.EntityType": "client-id", "EntityType": "client-id", "EntityName": "c",
    "Ops.Key": "request_percentage", "Ops.Value": 1e9, "MatchType": 2, "Match": None, "Count": 2,
    "InstanceId": None, "RackId": None, "ServerAssignor": None, "SubscribedTopicRegex": None,
    "TopicPartitions": None, "SubscribedTopicNames": [TOPICS[0]],
}  # fmt: skip
OF_API: Final[dict[str, Values]] = {
    "ConsumerGroupDescribe": {"GroupIds": [CONSUMER]},
    "ConsumerGroupHeartbeat": {"GroupId": CONSUMER, "MemberId": AN_ID, "MemberEpoch": 0},
    "JoinGroup": {"GroupId": "joined"},
    "OffsetCommit": {"GroupId": "committed"},
    "OffsetDelete": {"GroupId": "committed"},
    "OffsetFetch": {"GroupId": "committed"},
    "DeleteGroups": {"GroupsNames": ["deleted"]},
    "DescribeUserScramCredentials": {"Users.Name": "alice"},
    "InitProducerId": {"TransactionalId": "other"},
    "TxnOffsetCommit": {"GroupId": "in-transaction", "GenerationIdOrMemberEpoch": -1, "MemberId": ""},
    "Fetch": {"MaxWaitMs": 50, "RackId": ""},
    "CreateDelegationToken": {"MaxLifetimeMs": 1000, "OwnerPrincipalType": None, "OwnerPrincipalName": None},
}
# Logs that grow, in memory, and timers that are not due: the virtual clock keeps them although cancelled.
OF_TESTS: Final = re.compile(r"tidemark_testing\.(storage|clock)\.")
# A request of these adds to the state, up to a bound or until it expires.
GROWS: Final = ("CreateDelegationToken", "GetTelemetrySubscriptions")
APPENDS: Final = ("InitProducerId", "OffsetCommit", "Produce")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of broker. settings: of Kafka, with underscores."""

    settings: dict[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    quotas: dict[str, float] = field(default_factory=dict)
    in_steps: bool = False


TEST_API: Final = {"tidemark_test_api": "true", "tidemark_requests_max": "2"}
AUTHORIZER: Final = {
    "authorizer_class_name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super_users": "User:root",
}
FAULTS: Final = (
    Fault(delay_ms=1, every=2),
    Fault(delay_ms=1, when="after", every=3),
    Fault(duplicate=True, every=5),
    Fault(throttle_ms=10, api="Metadata", every=5),
    Fault(drop=True, every=7),
    Fault(close=True, every=11),
    Fault(close=True, when="after", every=13),
    Fault(truncate_bytes=5, every=17),
)
QUOTAS: Final = ("request_percentage", "consumer_byte_rate", "producer_byte_rate")
LOW_QUOTAS: Final = dict(zip(QUOTAS, (0.001, 1e3, 1e3), strict=True))
KINDS: Final = {
    "plain": Kind(AUTHORIZER | {"super_users": ALICE}),
    "denied": Kind(AUTHORIZER),
    "test API": Kind(TEST_API),
    "quotas": Kind(quotas=dict.fromkeys(QUOTAS, 1e9)),
    "throttled": Kind({"quota_window_size_seconds": "1"}, quotas=LOW_QUOTAS),
    "faults": Kind(TEST_API, FAULTS),
    "in steps": Kind(in_steps=True),
    "in steps, test API": Kind(TEST_API, in_steps=True),
}


class Sink:
    """A transport that drops what it is sent."""

    def __init__(self) -> None:
        self.closed = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in ("peername", "sockname") else default

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: Bytes) -> None: ...

    def writelines(self, list_of_data: Iterable[Bytes]) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True


class Repeating:
    """One client that sends the same request again and again, and connects again if it has to."""

    def __init__(self, whole: Whole, frame: bytes, listener: int = 0) -> None:
        self._whole = whole
        self._frame = frame
        self._listener = listener
        self._connect()

    def _connect(self) -> None:
        self.sink = Sink()
        self._connection: Connection = self._whole.server._listeners[self._listener].accept()
        self._connection.connection_made(self.sink)  # type: ignore[arg-type]  # the part that it needs
        session = self._connection.session
        session.caller = replace(session.caller, principal=ALICE, protocol="SASL_PLAINTEXT")

    def send(self) -> None:
        self._connection.data_received(self._frame)

    async def ask(self) -> None:
        """Send the request, and wait until the broker owes no response."""
        session = self._connection.session
        self.send()
        turns = 0
        journal = self._whole.engine.group_commit
        async with asyncio.timeout(DEADLINE_S):
            while not self.sink.closed and (session.in_flight or session.parked):
                if self._whole.engine.turns._working:
                    await worker_is_idle(self._whole)  # turns in between would contend with it for the GIL
                await asyncio.sleep(0)
                turns += 1
                if turns % TURNS_AT_ONCE == 0 and journal.durable >= journal.appended:
                    self._whole.clock.advance(STEP_MS)
        await asyncio.sleep(0)
        if self.sink.closed:
            self.lose()
            self._connect()

    def lose(self) -> None:
        self._connection.connection_lost(None)


async def prepare(whole: Whole, kind: Kind) -> tuple[Population, dict[str, Values]]:
    """Fill the broker with something to work on. Return it, and values by API that refer to it."""
    client = LocalClient(whole.server)

    async def ask(api: str, version: int, value: dict[str, Any]) -> dict[str, Any]:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                asked = asyncio.ensure_future(client.call(from_dict(f"{api}Request", value), version))
                while not asked.done():
                    await asyncio.sleep(0.001)
                    whole.clock.advance(STEP_MS)
                answered: dict[str, Any] = to_dict(asked.result())
                if answered.get("ErrorCode") != ErrorCode.CONCURRENT_TRANSACTIONS:
                    return answered

    topics = [{"Name": name, "NumPartitions": 1, "ReplicationFactor": 1} for name in TOPICS]
    created = (await ask("CreateTopics", 7, {"Topics": topics}))["Topics"]
    assert {each["ErrorCode"] for each in created} == {0}
    await ask("FindCoordinator", 4, {"CoordinatorKeys": [CLASSIC]})
    await ask("FindCoordinator", 4, {"CoordinatorKeys": ["transaction"], "KeyType": 1})
    joined = {}
    for group in (CLASSIC, "joined"):
        join = A_JOIN | {"GroupId": group, "SessionTimeoutMs": SESSION_MS, "RebalanceTimeoutMs": SESSION_MS}
        joined[group] = (await ask("JoinGroup", 3, join))["MemberId"]
        sync = {"GroupId": group, "GenerationId": 1, "MemberId": joined[group], "Assignments": []}
        assert (await ask("SyncGroup", 3, sync))["ErrorCode"] == 0
    init = {"TransactionalId": "transaction", "TransactionTimeoutMs": 900_000, "ProducerId": -1}
    producer = await ask("InitProducerId", 4, {**init, "ProducerEpoch": -1})
    assert producer["ErrorCode"] == 0
    if kind.quotas:
        entry = {
            "Entity": [{"EntityType": "client-id", "EntityName": None}],
            "Ops": [{"Key": key, "Value": value, "Remove": False} for key, value in kind.quotas.items()],
        }
        (entry,) = (await ask("AlterClientQuotas", 1, {"Entries": [entry], "ValidateOnly": False}))["Entries"]
        assert entry["ErrorCode"] == 0
    client.close()
    ids = {topic.name: topic.topic_id for topic in whole.state.cluster.topics_by_id.values()}
    population = Population(dict.fromkeys(TOPICS, 1), ids, [CLASSIC], [joined[CLASSIC]])
    owner = {"ProducerId": producer["ProducerId"], "ProducerEpoch": producer["ProducerEpoch"]}
    of_transactions = ("AddOffsetsToTxn", "AddPartitionsToTxn", "EndTxn", "TxnOffsetCommit")
    return population, dict.fromkeys(of_transactions, owner) | {"JoinGroup": {"MemberId": joined["joined"]}}


def frames(whole: Whole, population: Population, more: dict[str, Values]) -> Iterable[tuple[str, int, bytes]]:
    """Yield (API, version, request) of each API in its lowest and highest version."""
    for api_key, versions in whole.server._router._versions.items():
        api = API_NAMES[api_key]
        message = MESSAGES[f"{api}Request"]
        ordinary = Ordinary(api, population)
        ordinary.use(Variant("", GOOD | OF_API.get(api, {}) | more.get(api, {})))
        for version in dict.fromkeys((versions[0], versions[-1])):
            if api not in SASL:
                head = header(api_key, version, flexible=version in message.flexible)
                yield api, version, sized(head + Writer(message, version, ordinary.value).body())


async def worker_is_idle(whole: Whole) -> None:
    """Return once the worker has decoded what it was given, also for clients that are gone."""
    idle = asyncio.get_running_loop().create_future()
    whole.engine.turns.in_worker(lambda: None, idle.set_result)
    await idle


async def growth(whole: Whole, step: Callable[[], Awaitable[None]], rounds: int, *, later_ms: int = 0) -> str:
    """Repeat a step. Return what it leaves behind after a time, or ""."""
    for _ in range(WARM_UP):
        await step()
    gc.freeze()
    for _ in range(rounds):
        await step()
    await whole.passes(later_ms)
    await whole.engine.group_commit.drain()
    await worker_is_idle(whole)
    await whole.reads()
    whole.lines.lines.clear()
    used = Counter(map(name_of_type, gc.get_objects()))
    left = garbage()
    used = Counter({name: count for name, count in (used - left).items() if count >= rounds * 3 // 4})
    if left or (used and not any(map(OF_TESTS.match, used))):
        return f"garbage: {dict(left)}, in use: {dict(used)}"
    return ""


@asynccontextmanager
async def broker(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Whole, Population, dict[str, Values]]]:
    clock = WorkingClock(TURN_MS if kind.in_steps else 0)
    async with running(MemoryStorage(), clock, **kind.settings) as whole:
        population, values = await prepare(whole, kind)
        if kind.in_steps:
            monkeypatch.setattr("tidemark.server.session.FRAME_BYTES_AT_ONCE_MAX", 0)
            monkeypatch.setattr("tidemark.server.session.ELEMENTS_AT_ONCE_MAX", -1)
        if kind.faults:
            assert whole.node.on_request is not None
            assert whole.node.on_request.faults is not None
            for fault in kind.faults:
                whole.node.on_request.faults.add(fault)
        yield whole, population, values


async def sweep(
    kind: Kind, rounds: int, monkeypatch: pytest.MonkeyPatch, *, of_memory: bool = False
) -> list[str]:
    """Send the requests of each API many times. Return what they leave behind.

    of_memory: also memory that objects unknown to the garbage collector use, such as strings.
    """
    found = []
    async with broker(kind, monkeypatch) as (whole, population, more):
        files = open_files()
        with no_collector():
            for api, version, frame in frames(whole, population, more):
                client = Repeating(whole, frame)
                if of_memory:
                    await growth(whole, client.ask, WARM_UP)
                    forget_cancelled_timers(whole.clock)
                before = Memory.now()
                told = await growth(whole, client.ask, rounds)
                if of_memory and not told:
                    forget_cancelled_timers(whole.clock)
                    told = before.growth(rounds, APPENDED_BYTES_MAX if api in APPENDS else BYTES_MAX)
                client.lose()
                if told and api not in GROWS:
                    found.append(f"{api} v{version}: {told}")
        if open_files() > files:
            found.append(f"{open_files()} descriptors, before {files}")
    return found


def forget_cancelled_timers(clock: VirtualClock) -> None:
    clock._heap[:] = [each for each in clock._heap if not each[2].cancelled]
    heapify(clock._heap)
    gc.collect()  # clears lists of free tuples, too


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class _MallInfo(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
            "keepcost",
        )
    )  # fmt: skip


_C_LIBRARY: Final = ctypes.CDLL(None)
if hasattr(_C_LIBRARY, "mallinfo2"):
    _C_LIBRARY.mallinfo2.restype = _MallInfo


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory in use. blocks: of up to 512 bytes, which Python allocates; bytes: of larger ones.

    Both are exact, unlike the memory of the process, so that few requests show what one of them leaves.
    """

    blocks: int
    bytes: int

    @classmethod
    def now(cls) -> Memory:
        if not hasattr(_C_LIBRARY, "mallinfo2"):
            return cls(sys.getallocatedblocks(), 0)
        of_c = _C_LIBRARY.mallinfo2()
        return cls(sys.getallocatedblocks(), of_c.uordblks + of_c.hblkhd)

    def growth(self, rounds: int, bytes_max: int) -> str:
        """Return how much more is used now, or "" if that is too little for one part in each round."""
        now = Memory.now()
        blocks, size = (now.blocks - self.blocks) / rounds, (now.bytes - self.bytes) / rounds
        return f"{blocks} blocks, {size} bytes a request" if blocks > BLOCKS_MAX or size > bytes_max else ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_requests_of_every_api_leave_nothing_behind(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await sweep(KINDS[kind], ROUNDS, monkeypatch) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "test API"])
async def test_requests_of_every_api_use_no_more_memory(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await sweep(KINDS[kind], MANY_ROUNDS, monkeypatch, of_memory=True) == []


RESETS: Final[dict[str, tuple[str, Kind]]] = {
    "its Fetch waits": ("Fetch", Kind()),
    "its Fetch waits, test API": ("Fetch", Kind(TEST_API)),
    "its commit waits for a sync": ("OffsetCommit", Kind()),
    "its commit waits for a sync, test API": ("OffsetCommit", Kind(TEST_API)),
    "its request is delayed": ("OffsetCommit", Kind(TEST_API, (Fault(delay_ms=LONG_MS),))),
    "its response is delayed": ("OffsetCommit", Kind(TEST_API, (Fault(delay_ms=LONG_MS, when="after"),))),
    "its request is blocked": ("OffsetCommit", Kind(TEST_API, (Fault(block=True),))),
    "its response is blocked": ("OffsetCommit", Kind(TEST_API, (Fault(block=True, when="after"),))),
    "the broker is paused": ("OffsetCommit", Kind(TEST_API, (Fault(pause=True),))),
    "it is muted": ("Metadata", Kind(TEST_API, (Fault(throttle_ms=LONG_MS, api="Metadata"),))),
    "its request is decoded": ("OffsetCommit", Kind(in_steps=True)),
    "its request is decoded, test API": ("OffsetCommit", Kind(TEST_API, in_steps=True)),
    "its JoinGroup waits": ("JoinGroup", Kind()),
    "its JoinGroup waits, test API": ("JoinGroup", Kind(TEST_API)),
}


@pytest.mark.parametrize("when", RESETS)
async def test_connection_that_is_reset_leaves_nothing_behind(
    when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock stands still: what a fault holds back for hours is freed at once."""
    wanted, kind = RESETS[when]
    async with broker(kind, monkeypatch) as (whole, population, more):
        more |= {
            "JoinGroup": {"GroupId": "waiting", "MemberId": ""},
            "Fetch": {"MaxWaitMs": LONG_MS, "RackId": ""},
        }
        (frame, *_) = (frame for api, _, frame in frames(whole, population, more) if api == wanted)

        async def step() -> None:
            client = Repeating(whole, frame)
            client.send()
            client.lose()
            for _ in range(10):
                await asyncio.sleep(0)

        with no_collector():
            assert await growth(whole, step, ROUNDS, later_ms=JOIN_MS if wanted == "JoinGroup" else 0) == ""


@pytest.mark.parametrize("settings", [{}, TEST_API])
@pytest.mark.parametrize("password", ["wrong", "secret"])
async def test_login_that_is_reset_leaves_nothing_behind(password: str, settings: dict[str, str]) -> None:
    """The response to a failed login is delayed."""
    async with running(MemoryStorage(), **settings) as whole, sasl_client(whole):

        async def step() -> None:
            client = Repeating(whole, a_handshake(0) + an_authentication(1, password), listener=-1)
            client.send()
            client.lose()
            await asyncio.sleep(0)

        with no_collector():
            assert await growth(whole, step, LOGINS, later_ms=LOGIN_MS) == ""


MALFORMED: Final = {
    "a size below 0": b"\xff\xff\xff\xff",
    "an unknown API": sized(b"\x7f\xff" + bytes(20)),
    "a body that ends too early": sized(header(3, 9, flexible=True) + b"\x05"),
    "half a frame": b"\0\0\1\0half",
}


@pytest.mark.parametrize("kind", ["plain", "faults", "in steps, test API"])
@pytest.mark.parametrize("malformed", MALFORMED)
async def test_malformed_request_leaves_nothing_behind(
    malformed: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with broker(KINDS[kind], monkeypatch) as (whole, _, _):

        async def step() -> None:
            client = Repeating(whole, a_listing(1) + MALFORMED[malformed])
            client.send()
            await asyncio.sleep(0)
            client.lose()

        with no_collector():
            assert await growth(whole, step, ROUNDS) == ""
