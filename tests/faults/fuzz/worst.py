"""Searches for the requests that delay other clients most or cost most memory, of every API and version.

    python -m tests.faults.fuzz.worst [--api NAME,...] [--states NAME,...] [--sizes 1,10,100]
                               [--versions all|ends|highest|NUMBER]

A broker with plenty of everything (population.py) receives one hostile request after the other (hostile.py),
each on connections of its own, while a client in another process (probe.py) measures how long the broker
lets it wait. The broker may respond or close the connection. It must serve the next client and log no failure
of its own.

STATES lists the states of the broker in which each request is sent: with ACLs, quotas, the journal of
requests or faults. An idle broker is measured first, as a control.

Each version is searched with the smallest size first. Unless --thorough is given, two rules save time:

- With the larger sizes, only those kinds of request are sent that were the worst so far.
- In the states other than plain, only those kinds are sent that were the worst in the plain state, and a few
  that run most code. For this, the plain state comes first in --states, or its rows are in the file of
  --json. An API version without such rows is searched with all kinds.

A row above a limit is measured up to three times, and the smallest figure counts: on a shared machine, other
processes cause stalls, too.

--json FILE keeps every row as soon as it is measured. A run continues the one that wrote FILE: it does not
repeat rows of the same state, population, API, version, size and kind. Use a new file after changing the
broker.
"""

from __future__ import annotations

import argparse
import json
import re
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from struct import pack, unpack
from types import FrameType
from typing import Final, NoReturn

from tests.broker_process import ROOT, BrokerProcess
from tests.faults.fuzz.campaign import OWN_FAILURES
from tests.faults.fuzz.hostile import ATTACKER, CHANGING, Hostile, Requests, of_connection
from tests.faults.fuzz.ordinary import ALL, UNKNOWN
from tests.faults.fuzz.population import FULL, SESSIONS, SMALL, Scale, populate
from tests.faults.fuzz.probe import Probe
from tests.wire import Connection
from tidemark.settings.broker import STANDARD_AUTHORIZER
from tidemark_protocol.apis import API_NAMES
from tidemark_protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntityData,
    AlterClientQuotasRequestEntryData,
    OpData,
)
from tidemark_protocol.messages.api_versions import ApiVersionsRequest

STALL_MS_MAX: Final = 100.0
MEMORY_MB_MAX: Final = 500.0
ATTEMPTS: Final = 3
MEGABYTE: Final = 1_000_000
KILLED_ABOVE_MB: Final = 4000.0  # other processes need the rest of the memory
PATIENCE_S: Final = 30.0
SHARED_BY_MAX: Final = 20  # on a shared machine, the broker gets at least this part of a core
UNREAD_S: Final = 1.0  # a client that does not read begins to after this long
QUIET_S: Final = 0.03  # a broker that hardly runs for this long has nothing left to do
SILENT_S: Final = 4.0  # after this long without work or bytes no response is expected any more
IDLE_S: Final = 1.5  # a state that delays responses may let the broker be idle for this long in all
WAITED_S: Final = 0.02  # for connections to get ready
CHECKED_S: Final = 0.05  # how often the memory and the work of the broker are read during a request
LEFT_MB_MAX: Final = 50.0  # a broker that keeps more than this of a request is replaced
KEPT_KINDS: Final = 6  # how many of the worst kinds are tried with the next size,
KEPT_IN_STATES: Final = 3  # and in the states other than plain: by stall, and as many by memory
CHUNK: Final = 1 << 20
RECEIVED: Final = bytearray(CHUNK)  # shared by all connections, which only count responses
RESET_AT_CLOSE: Final = pack("ii", 1, 0)
SHORT_PATIENCE_S: Final = 1.5
SHORT_KINDS: Final = (
    f": {UNKNOWN}",
    f"Topics: {ALL}",
    f"Groups: {ALL}",
    f"GroupIds: {ALL}",
    ": null",
    "names that are no UTF-8",
)
SHORT_PIPELINE: Final = "2,000 pipelined, the plain request"
DOCUMENT: Final = ROOT / "docs" / "performance.md"
PLACE: Final = re.compile(r"(<!-- worst requests -->\n).*?(<!-- worst requests: end -->)", re.DOTALL)
CONTROL_S: Final = 5.0
CONTROL: Final = "(idle control)"
HEAD: Final = ("API", "versions", "stall ms", "worst request", "memory MB", "worst request", "outcome")

ANSWERED: Final = "answered"
CLOSED: Final = "closed"
SILENT: Final = "no response"
CUT_OFF: Final = (
    "cut off"  # by this test: responses still arrived after a long time, or the broker was replaced
)
DIED: Final = "the broker died"
ALLOWED: Final = (ANSWERED, CLOSED, CUT_OFF, SILENT)
PARKED: Final = ("JoinGroup", "SyncGroup")  # these may wait for other members; any other API has to respond
# As in Kafka, the broker appends what it has received even if the client has left. 1 MB may inflate to 10 GB.
OUTLIVES_CLIENT: Final = ("Produce",)
# Members that have joined are in memory only until their group has a new generation.
CHANGING_MEMORY: Final = ("JoinGroup", "SyncGroup", "LeaveGroup")

PLAIN: Final = "plain"
TEST_API: Final = {"tidemark.test.api": "true"}
AUTHORIZER: Final = {"authorizer.class.name": STANDARD_AUTHORIZER}
# The states of the broker, each with its settings. Some have more, see `_prepare`.
STATES: Final[dict[str, dict[str, str]]] = {
    PLAIN: {},
    "denied": AUTHORIZER,
    "allowed": {**AUTHORIZER, "allow.everyone.if.no.acl.found": "true"},
    "quota-limited": {},
    "journaled": TEST_API,
    "faulted": TEST_API,
    "delayed by a fault": TEST_API,
}
DELAYING: Final = ("quota-limited", "delayed by a fault")
QUOTAS: Final = {"producer_byte_rate": 1e6, "consumer_byte_rate": 1e6, "request_percentage": 50.0}

Files = dict[Path, tuple[int, int]]


@dataclass(slots=True)
class Row:
    """The measurements of one request."""

    api: str
    version: int
    kind: str
    bytes: int
    stall_ms: float
    by_the_clock_ms: float
    memory_mb: float
    left_mb: float  # how much of it the broker still used when it was idle again
    seconds: float
    outcome: str
    state: str
    population: str
    size: int  # the size that was aimed at, in bytes
    held_mb: float  # how much of earlier requests the broker still used

    @property
    def key(self) -> tuple[str | int, ...]:
        """Return what was measured, without the measurements."""
        return self.state, self.population, self.api, self.version, self.size, self.kind

    @property
    def too_much(self) -> bool:
        return self.stall_ms > STALL_MS_MAX or self.memory_mb > MEMORY_MB_MAX or self.failed

    @property
    def failed(self) -> bool:
        return self.outcome not in ALLOWED or (self.outcome == SILENT and self.api not in PARKED)


class Target:
    """The attacked broker. `fresh` replaces it by one on an untouched copy of the data."""

    def __init__(
        self, folder: Path, scale: Scale, settings: dict[str, str], patience_s: float = PATIENCE_S
    ) -> None:
        self._folder = folder
        self.patience_s = patience_s
        self.state = PLAIN
        self._peak_mb = 0.0  # of a broker that had to be killed
        self._settings = settings
        self.scale = "full" if scale is FULL else "small"
        self.population = populate(folder / "prepared", scale)
        self._broker: BrokerProcess | None = None
        self._probe: Probe | None = None
        self._files: Files = {}  # of the broker before the first request
        self._idle_mb = 0.0
        self._heard = 0
        self._number = 0

    @property
    def broker(self) -> BrokerProcess:
        assert self._broker is not None, "no broker was started"
        return self._broker

    def fresh(self) -> None:
        self._end()
        self._number += 1
        folder = self._folder / f"run-{self._number}"
        shutil.copytree(self._folder / "prepared" / "data", folder / "data")
        self._broker = BrokerProcess(
            folder, {**SESSIONS, **STATES[self.state], **self._settings}, forked=False
        )
        self._broker.start()
        self._prepare()
        if self._probe is None:
            self._probe = Probe(self._broker.bootstrap, self._broker.pid)
        else:
            self._probe.attach(self._broker.bootstrap, self._broker.pid)
        self._heard = 0
        self.served()
        self._wait_until_idle(PATIENCE_S)
        self._idle_mb = _memory_mb(self.broker.pid, "VmRSS")
        self._files = _files_in(folder / "data")

    def stop(self) -> None:
        """Stop the broker and the probe, and remove the broker's data."""
        if self._probe is not None:
            self._probe.stop()
        self._probe = None
        self._end()

    def _end(self) -> None:
        if self._broker is not None:
            if self._broker.started:
                self._broker.kill9()
            shutil.rmtree(self._broker.data_dir.parent)
        self._broker = None

    def _prepare(self) -> None:
        """Set the quotas or faults of the state."""
        if self.state == "quota-limited":
            everyone = [AlterClientQuotasRequestEntityData("client-id", None)]
            ops = [OpData(key, value, False) for key, value in QUOTAS.items()]
            request = AlterClientQuotasRequest([AlterClientQuotasRequestEntryData(everyone, ops)], False)
            with Connection(self.broker.bootstrap) as connection:
                altered = connection.ask("AlterClientQuotas", 1, request)
            assert altered.entries[0].error_code == 0, altered
        elif self.state == "faulted":
            for api, _, _ in self.served():
                assert self._fault(api=api, error="NOT_COORDINATOR"), api
        elif self.state == "delayed by a fault":
            assert self._fault(delay_ms=1)

    def _fault(self, **fault: str | int) -> bool:
        """Set a fault for the attacker. Return False if it is refused."""
        body = json.dumps({"client_id": ATTACKER, **fault})
        connection = HTTPConnection(self.broker.http.removeprefix("http://"), timeout=PATIENCE_S)
        with closing(connection):
            connection.request("POST", "/v1/faults", body, {"Content-Type": "application/json"})
            status = connection.getresponse().status
        assert status in (200, 422), status
        return status == 200

    def control(self) -> Row:
        """Measure a broker that receives nothing but the requests of the probe."""
        self.fresh()
        assert self._probe is not None
        self._probe.begin()
        time.sleep(CONTROL_S)
        stall = self._probe.end()
        ms, by_the_clock_ms = round(stall.ms, 1), round(stall.by_the_clock_ms, 1)
        return Row(
            CONTROL,
            0,
            "nothing",
            0,
            ms,
            by_the_clock_ms,
            0,
            0,
            CONTROL_S,
            ANSWERED,
            self.state,
            self.scale,
            0,
            0,
        )

    def measure(self, request: Hostile, size: int, *, keep: bool = False) -> Row:
        """Send a request and measure its effects. First replace the broker if it has changed since its start.

        size: the size that the request has about. keep: leave the changes of the request to the next one.
        """
        if self._broker is None or not self._broker.started:
            self.fresh()
        data = request.data()
        assert self._probe is not None
        pid = self.broker.pid
        held_mb = _memory_mb(pid, "VmRSS") - self._idle_mb
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        self._probe.begin()
        began = time.monotonic()
        outcome = self._attack(request, data)
        idle = self._wait_until_idle(self.patience_s)
        seconds = time.monotonic() - began
        peak, left = _memory_mb(pid, "VmHWM"), _memory_mb(pid, "VmRSS")
        if outcome in ALLOWED:
            outcome = self._complaint() or outcome
        if self.broker.started and not idle:
            self.broker.kill9()
            allowed = request.api in OUTLIVES_CLIENT and outcome in ALLOWED
            outcome = CUT_OFF if allowed else f"still busy after {self.patience_s} s more of work"
        peak = max(peak, self._peak_mb)
        self._peak_mb = 0.0
        stall = self._probe.end()
        row = Row(
            request.api,
            request.version,
            request.kind,
            len(data),
            round(stall.ms, 1),
            round(stall.by_the_clock_ms, 1),
            round(peak - self._idle_mb, 1),
            round(left - self._idle_mb, 1),
            round(seconds, 2),
            outcome,
            self.state,
            self.scale,
            size,
            round(held_mb, 1),
        )
        changed = request.changes and not keep and self._has_changed(request.api)
        if changed or row.failed or row.left_mb > LEFT_MB_MAX:
            self._end()
        return row

    def _has_changed(self, api: str) -> bool:
        """Return if a request of this API may have changed what the next one finds."""
        return api in CHANGING_MEMORY or _files_in(self.broker.data_dir) != self._files

    def served(self) -> list[tuple[str, int, int]]:
        """Return (API, lowest version, highest version), requested on a connection of its own."""
        with Connection(self.broker.bootstrap) as connection:
            keys = connection.ask("ApiVersions", 3, ApiVersionsRequest("worst", "1")).api_keys
        return [(API_NAMES[each.api_key], each.min_version, each.max_version) for each in keys]

    def is_too_large(self) -> bool:
        """Kill a broker that uses the memory that other processes need."""
        memory = _memory_mb(self.broker.pid, "VmRSS")
        if memory > KILLED_ABOVE_MB:
            self._peak_mb = memory
            self.broker.kill9()
        return memory > KILLED_ABOVE_MB

    def _complaint(self) -> str:
        """Return what is wrong with a broker that survived a request."""
        try:
            self.served()
        except (OSError, AssertionError) as error:
            return DIED if not self.broker.started else f"the next client is not served: {error!r}"
        with self.broker.output.open("rb") as output:
            output.seek(self._heard)
            said = output.read().decode(errors="replace")
        self._heard += len(said.encode())
        found = next((failure for failure in OWN_FAILURES if failure in said), "")
        if found:
            print(said[-3000:], file=sys.stderr)
        return f"logged: {found}" if found else ""

    def _attack(self, request: Hostile, data: bytes) -> str:
        exchanges = [
            _Exchange(self.broker, request, of_connection(data, i)) for i in range(request.connections)
        ]
        try:
            return self._exchange(exchanges, request.reads)
        finally:
            for each in exchanges:
                each.connection.close()

    def _exchange(self, exchanges: list[_Exchange], reads: bool) -> str:
        """Return the outcome once every connection has one, or is cut off."""
        pid = self.broker.pid
        began = active = checked = time.monotonic()
        began_ms = active_ms = _busy_ms(pid)
        moved = False
        with closing(_Clients(exchanges, began if reads else began + UNREAD_S)) as clients:
            while clients.going:
                moved |= clients.step()
                now = time.monotonic()
                if now - checked < CHECKED_S:
                    continue
                checked, busy_ms = now, _busy_ms(pid)
                if self.is_too_large():
                    return f"killed at {KILLED_ABOVE_MB:,.0f} MB"
                if now - began > self.patience_s:
                    return CUT_OFF
                if self._delays(exchanges[0].api) and now - began - (busy_ms - began_ms) / 1000 > IDLE_S:
                    return CUT_OFF
                if moved:
                    active, active_ms, moved = now, busy_ms, False
                elif now - active > SILENT_S:
                    if busy_ms - active_ms < SILENT_S * 1000 * 0.2:
                        return SILENT
                    active, active_ms = now, busy_ms
        if CLOSED in {each.outcome for each in exchanges}:
            return CLOSED if self.broker.started else DIED
        return ANSWERED

    def _delays(self, api: str) -> bool:
        """Return if this state delays responses that the API does not."""
        return self.state in DELAYING and api not in PARKED

    def _wait_until_idle(self, patience_s: float) -> bool:
        """Return False once the broker has worked for this long, which takes longer on a shared machine."""
        worked_ms = _worked_ms(self.broker.pid) + patience_s * 1000
        deadline = time.monotonic() + patience_s * SHARED_BY_MAX
        while _worked_ms(self.broker.pid) < worked_ms and time.monotonic() < deadline:
            before = _busy_ms(self.broker.pid)
            time.sleep(QUIET_S)
            if _busy_ms(self.broker.pid) - before < QUIET_S * 1000 * 0.4:
                return True
        return False


class _Exchange:
    """The bytes of one connection in both directions, until the last response or its end."""

    def __init__(self, broker: BrokerProcess, request: Hostile, data: bytes) -> None:
        host, _, port = broker.bootstrap.rpartition(":")
        self.connection = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
        self.connection.setblocking(False)
        # A client that gives up resets its connection. An end alone means that it sends nothing more: the
        # broker does what was requested all the same, as Kafka does.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
        self.api = request.api
        self.outcome = ""
        self.watched = 0  # the events that its selector waits for
        self._unsent = memoryview(data)
        self._due = request.responses
        self._awaits_end = not request.responses  # the end of the connection is the only response
        self._frame_left = 0  # bytes of the response that is being received
        self._head = b""

    def events(self, *, reads: bool) -> int:
        """Return what the client waits for; 0 for nothing."""
        if self.outcome:
            return 0
        return (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if self._unsent else 0)

    def step(self, events: int) -> None:
        """Receive and send what is possible, and find out if this was all."""
        try:
            if events & selectors.EVENT_READ and not self._receive():
                self.outcome = ANSWERED if self._awaits_end and not self._unsent else CLOSED
                return
            if events & selectors.EVENT_WRITE:
                self._unsent = self._unsent[self.connection.send(self._unsent[:CHUNK]) :]
                if self._awaits_end and not self._unsent:
                    self.connection.shutdown(socket.SHUT_WR)
        except (ConnectionResetError, BrokenPipeError):
            self.outcome = CLOSED
            return
        if not (self._unsent or self._due > 0 or self._awaits_end):
            self.outcome = ANSWERED

    def _receive(self) -> bool:
        """Count the responses in the received bytes. Return False at the end of the connection."""
        size = self.connection.recv_into(RECEIVED)
        at = 0
        while at < size:
            if self._frame_left:
                taken = min(self._frame_left, size - at)
                self._frame_left -= taken
                at += taken
            else:
                taken = min(4 - len(self._head), size - at)
                self._head += RECEIVED[at : at + taken]
                at += taken
                if len(self._head) == 4:
                    self._frame_left = unpack(">i", self._head)[0]
                    self._head = b""
            if not self._frame_left and not self._head:
                self._due -= 1
        return size > 0


class _Clients:
    """The connections of one request. going: how many of them have no outcome yet."""

    def __init__(self, exchanges: list[_Exchange], reads_from: float) -> None:
        self.going = len(exchanges)
        self._exchanges = exchanges
        self._reads_from = reads_from
        self._reads = False
        self._selector = selectors.DefaultSelector()
        for each in exchanges:
            self._watch(each)

    def step(self) -> bool:
        """Let each connection that is ready go on. Return False if none was, though all of them wait."""
        if not self._reads and time.monotonic() >= self._reads_from:
            self._reads = True
            for each in self._exchanges:
                self._watch(each)
        ready = self._selector.select(WAITED_S)
        for key, events in ready:
            key.data.step(events)
            self._watch(key.data)
            self.going -= bool(key.data.outcome)
        return bool(ready) or not self._reads

    def close(self) -> None:
        self._selector.close()

    def _watch(self, each: _Exchange) -> None:
        events = each.events(reads=self._reads)
        if events and not each.watched:
            self._selector.register(each.connection, events, each)
        elif events and events != each.watched:
            self._selector.modify(each.connection, events, each)
        elif each.watched and not events:
            self._selector.unregister(each.connection)
        each.watched = events


def _files_in(folder: Path) -> Files:
    """Return size and time of change of every file."""
    found = {}
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            status = path.stat()
            found[path] = (status.st_size, status.st_mtime_ns)
    return found


def _memory_mb(pid: int, name: str) -> float:
    """Return VmRSS or VmHWM; 0 for a process that has ended."""
    with suppress(OSError):
        found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        if found is not None:
            return int(found[1]) * 1024 / MEGABYTE
    return 0.0


def _busy_ms(pid: int) -> float:
    """Return how long its threads ran, or were ready to run while other processes used the cores."""
    return sum(running + waiting for running, waiting in _times_ms(pid))


def _worked_ms(pid: int) -> float:
    """Return how long its threads ran."""
    return sum(running for running, _ in _times_ms(pid))


def _times_ms(pid: int) -> Iterator[tuple[float, float]]:
    """Yield for each thread how long it ran, and how long it was ready but did not."""
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, ValueError):
                running, waiting, _ = (task / "schedstat").read_text().split()
                yield int(running) / 1e6, int(waiting) / 1e6


class Search:
    """Measures requests one after the other. sizes: in bytes, ascending. done: rows not to repeat."""

    def __init__(
        self,
        target: Target,
        sizes: list[int],
        tell: Callable[[Row], None],
        *,
        wanted: Callable[[Hostile], bool],
        thorough: bool = False,
        attempts: int = ATTEMPTS,
        done: Iterable[Row] = (),
    ) -> None:
        self._target = target
        self._sizes = sizes
        self._wanted = wanted
        self._thorough = thorough
        self._tell = tell
        self._attempts = attempts
        self._rows = {row.key: row for row in done}

    def control(self) -> Row:
        row = self._target.control()
        self._tell(row)
        return row

    def version(self, api: str, version: int, *, keep: bool = False) -> Iterator[Row]:
        """Yield all kinds of request at the smallest size, and the worst of them at the larger ones."""
        requests = Requests(api, version, self._target.population)
        chosen: set[str] | None = None
        seen: set[str] = set()
        for size in self._sizes:
            worst = self._worst_in_plain(api, version, size)
            rows = []
            for request in requests.of_size(size):
                if not self._wanted(request) or (
                    worst and request.kind not in worst and not is_short(request)
                ):
                    continue
                new = request.kind not in seen
                if (new or request.grows) and (new or chosen is None or request.kind in chosen):
                    seen.add(request.kind)
                    rows.append(self._least(request, size, keep=keep))
            yield from rows
            chosen = None if self._thorough else _worst_kinds(rows, KEPT_KINDS)

    def _worst_in_plain(self, api: str, version: int, size: int) -> set[str]:
        """Return the kinds to send in a state other than plain; none if every kind has to be sent."""
        if self._thorough or self._target.state == PLAIN:
            return set()
        wanted = (PLAIN, self._target.scale, api, version, size)
        rows = [row for row in self._rows.values() if row.key[:-1] == wanted]
        return _worst_kinds(rows, KEPT_IN_STATES)

    def _least(self, request: Hostile, size: int, *, keep: bool) -> Row:
        """Return the least of up to three measurements, or the row of an earlier run."""
        target = self._target
        key = (target.state, target.scale, request.api, request.version, size, request.kind)
        if key in self._rows:
            return self._rows[key]
        row = target.measure(request, size, keep=keep)
        for _ in range(self._attempts - 1):
            if not row.too_much or row.failed:
                break
            target.stop()
            again = target.measure(request, size, keep=keep)
            row = replace(
                min(row, again, key=lambda each: each.stall_ms),
                memory_mb=min(row.memory_mb, again.memory_mb),
                outcome=again.outcome if again.failed else row.outcome,
            )
        self._rows[key] = row
        self._tell(row)
        return row


def _worst_kinds(rows: list[Row], count: int) -> set[str]:
    by_stall = sorted(rows, key=lambda row: -row.stall_ms)[:count]
    by_memory = sorted(rows, key=lambda row: row.held_mb - row.memory_mb)[:count]
    return {row.kind for row in (*by_stall, *by_memory)}


def versions_of(low: int, high: int, which: str) -> list[int]:
    match which:
        case "highest":
            return [high]
        case "ends":
            return sorted({high, low}, reverse=True)
        case "all":
            return list(range(high, low - 1, -1))
    return [int(which)]


def table(rows: Iterable[Row]) -> str:
    """Return a Markdown table with a line for each API and its worst requests."""
    by_api: dict[str, list[Row]] = {}
    for row in rows:
        by_api.setdefault(row.api, []).append(row)
    lines = [_line(HEAD), _line("---" for _ in HEAD)]
    lines += [_line(_cells(api, some)) for api, some in sorted(by_api.items())]
    return "\n".join(lines) + "\n"


def _cells(api: str, rows: list[Row]) -> Iterator[str]:
    stall = max(rows, key=lambda row: row.stall_ms)
    memory = max(rows, key=lambda row: row.memory_mb)
    versions = {row.version for row in rows}
    yield api
    yield f"{min(versions)} to {max(versions)}"
    yield _bold(stall.stall_ms, STALL_MS_MAX)
    yield _told(stall)
    yield _bold(memory.memory_mb, MEMORY_MB_MAX)
    yield "the same" if memory is stall else _told(memory)
    yield ", ".join(sorted({row.outcome for row in rows}))


def _bold(value: float, limit: float) -> str:
    return f"**{value:,.0f}**" if value > limit else f"{value:,.0f}"


def _told(row: Row) -> str:
    size = f"{row.bytes / MEGABYTE:.0f} MB" if row.bytes > MEGABYTE / 2 else f"{row.bytes / 1000:,.1f} kB"
    state = "" if row.state == PLAIN else f"{row.state}: "
    return f"{state}v{row.version}, {size}, {row.kind}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def short(folder: Path, *, megabytes: float = 1) -> list[Row]:
    """Measure every API in less than a minute: its highest version, a few kinds of request, one broker."""
    target = Target(folder, SMALL, {}, SHORT_PATIENCE_S)
    rows: list[Row] = []
    search = Search(target, [int(megabytes * MEGABYTE)], rows.append, wanted=is_short, attempts=2)
    try:
        target.fresh()
        for api, _, high in sorted(target.served(), key=_destroys):
            for _ in search.version(api, high, keep=True):
                pass
    finally:
        target.stop()
    return rows


def is_short(request: Hostile) -> bool:
    """Return if the kind is one of those that run most code."""
    if request.connections > 1:
        return False
    if "pipelined" in request.kind:
        return request.kind == SHORT_PIPELINE
    return request.kind.endswith(SHORT_KINDS)


def _destroys(served: tuple[str, int, int]) -> int:
    """Sort key: APIs that change nothing first, those that delete what the others need last."""
    api = served[0]
    return ("Delete" in api) + (api in CHANGING)


def _campaign(given: argparse.Namespace, folder: Path) -> list[Row]:
    settings = dict(each.split("=", 1) for each in given.set)
    target = Target(folder, SMALL if given.small else FULL, settings, given.patience)
    rows: list[Row] = []

    def tell(row: Row) -> None:
        mark = "!" if row.too_much else " "
        print(
            f"{mark} {row.stall_ms:8,.0f} ms ({row.by_the_clock_ms:,.0f}) {row.memory_mb:7,.0f} MB"
            f" ({row.left_mb:,.0f} left) {row.seconds:6.1f} s  {row.api} {_told(row)}: {row.outcome}",
            flush=True,
        )
        if given.json is not None:
            with given.json.open("a") as file:
                file.write(json.dumps(asdict(row)) + "\n")

    sizes = [int(float(each) * MEGABYTE) for each in given.sizes.split(",")]
    search = Search(
        target,
        sizes,
        tell,
        wanted=lambda request: given.kind in request.kind,
        thorough=given.thorough,
        attempts=given.attempts,
        done=rows_of(given.json) if given.json is not None and given.json.exists() else (),
    )
    try:
        for target.state in given.states.split(","):
            rows.append(search.control())
            served = target.served()
            for api, low, high in served:
                if not given.api or api in given.api.split(","):
                    for version in versions_of(low, high, given.versions):
                        rows += search.version(api, version)
    finally:
        target.stop()
    return rows


def _write(made: str) -> None:
    text = DOCUMENT.read_text()
    assert PLACE.search(text), f"{DOCUMENT} has no place for the table"
    DOCUMENT.write_text(PLACE.sub(lambda place: place[1] + made + place[2], text))


def rows_of(path: Path) -> list[Row]:
    """Return the last row of each key."""
    rows = [Row(**json.loads(line)) for line in path.read_text().splitlines()]
    return list({row.key: row for row in rows}.values())


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    """Exit as after an exception, which stops the broker and removes the data."""
    sys.exit(128 + number)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--api", default="", metavar="NAME,...", help="these APIs only")
    parser.add_argument(
        "--states", default=",".join(STATES), metavar="NAME,...", help=f"of {', '.join(STATES)}"
    )
    parser.add_argument("--kind", default="", metavar="TEXT", help="only requests whose kind contains this")
    parser.add_argument(
        "--sizes", default="1,10,100", metavar="MB,...", help="sizes of the requests in megabytes"
    )
    parser.add_argument("--versions", default="all", metavar="all|ends|highest|NUMBER")
    parser.add_argument("--thorough", action="store_true", help="every kind of request at every size")
    parser.add_argument("--small", action="store_true", help="a broker that holds little")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the broker"
    )
    parser.add_argument(
        "--attempts", type=int, default=ATTEMPTS, help="how often to measure a row above a limit"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_S,
        metavar="S",
        help="maximal duration of one row in seconds",
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="append every row to this file, and continue the run that wrote it",
    )
    parser.add_argument(
        "--read", type=Path, metavar="FILE", help="measure nothing: read the rows of such a file"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"write the table into {DOCUMENT.relative_to(ROOT)}"
    )
    given = parser.parse_args(arguments)
    for names, known in ((given.states, STATES), (given.api, API_NAMES.values())):
        for name in filter(None, names.split(",")):
            if name not in known:
                parser.error(f"{name!r} is none of {', '.join(known)}")
    signal.signal(signal.SIGTERM, _terminated)
    if given.read is not None:
        rows = rows_of(given.read)
    else:
        with tempfile.TemporaryDirectory(prefix="tidemark-worst-") as folder:
            rows = _campaign(given, Path(folder))
    made = table(rows)
    print(made)
    if given.write:
        _write(made)
    return int(any(row.too_much for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
