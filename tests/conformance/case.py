"""Cases: requests to a broker, and its responses, without what a broker draws at random.

    @case
    def commit_by_an_unknown_member(k: Talk) -> None:
        group, topic = k.group(), k.topic()
        k.ask(*commit(group, {topic: {0: 5}}, member="nobody", generation=1))

`k.ask` sends a request and keeps the response. `k.do` keeps nothing (for set-up). `k.connect()` opens another
connection. What was kept is compared with what Apache Kafka responded (recorded/*.json, by `make record`).

A case that yields is restarted there: the broker stops cleanly and starts again, and the case goes on.

A case with brokers=3 has a cluster. `k` is connected to broker 1, and `k.on(2)` is a connection to broker 2.
Broker 3 stops where the case yields for the first time, and starts again where it yields for the second time.
So all such cases share one stop. Each response has the part in its name: before, stopped, after.

Names from `k.topic()`, `k.group()` and `k.name()` belong to one case, so that cases run in any order and
at the same time. Responses about the whole cluster (ListGroups, Metadata of all topics) are reduced to
these names with keep=.
"""

from __future__ import annotations

import base64
import importlib
import inspect
import json
import pkgutil
import re
import socket
import time
import traceback
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import Any, Final, TypeVar, overload

from tests.conformance import cases as folder
from tests.wire import ANSWER_TIMEOUT_S, Connection, body, correlation_id, request
from tidemark_protocol import decode, encode, to_dict

BROKERS: Final = 3  # of a cluster
PARTS: Final = ("before", "stopped", "after")  # of a case that yields twice
SETUP_MS_MAX: Final = 60_000  # twice the longest rebalance timeout of a case
UNTIL_MS: Final = 20  # between two requests of `Talk.until`
NONE: Final = 0
RETRIABLE: Final = (3, 5, 6, 14, 15, 16)  # errors until a topic or a coordinator is ready
ZERO_UUID: Final = str(uuid.UUID(int=0))
UNSUPPORTED_VERSION: Final = 35

Fields = dict[str, Any]
Keep = Callable[[Fields], Any]
A = TypeVar("A")
Run = TypeVar("Run", bound=Callable[..., None])

# Kafka's order in these responses is that of a hash map.
UNORDERED: Final = (
    "Produce",
    "ListOffsets",
    "Metadata",
    "CreateTopics",
    "DeleteTopics",
    "CreatePartitions",
    "DeleteRecords",
    "OffsetForLeaderEpoch",
    "DescribeLogDirs",
    "DescribeConfigs",
    "AddPartitionsToTxn",
    "TxnOffsetCommit",
    "WriteTxnMarkers",
)
_NAMES: Final = ("TransactionalId", "Name", "Topic", "TopicName", "Index", "Partition", "PartitionIndex")


@dataclass(slots=True)
class Case:
    """One case.

    settings   of its broker, in addition to BASE_SETTINGS
    restarts   the broker restarts at each yield of `run`, once for all such cases
    differs    the heading in docs/differences.md that explains why our response differs
    draws      the outcome depends on ids that the broker draws: one of several runs must equal Kafka's
    in_process a broker in the test's process shows the same (in_process.py)
    is_new     only the newest release of Kafka serves the requests
    brokers    1, or BROKERS
    kills      the broker is killed where others stop it
    """

    name: str
    run: Callable[[Talk], None]
    module: str
    settings: dict[str, str] = field(default_factory=dict)
    differs: str = ""
    draws: bool = False
    in_process: bool = True
    is_new: bool = False
    brokers: int = 1
    kills: bool = False

    @property
    def restarts(self) -> bool:
        return inspect.isgeneratorfunction(getattr(self.run, "func", self.run))


CASES: Final[dict[str, Case]] = {}


@overload
def case(run: Callable[[Talk], None], /) -> Callable[[Talk], None]: ...
@overload
def case(
    *,
    settings: dict[str, str] | None = None,
    differs: str = "",
    draws: bool = False,
    in_process: bool = True,
    is_new: bool = False,
    brokers: int = 1,
    kills: bool = False,
    versions: Iterable[int] | None = None,
) -> Callable[[Run], Run]: ...
def case(
    *arguments: Callable[[Talk], None],
    settings: dict[str, str] | None = None,
    differs: str = "",
    draws: bool = False,
    in_process: bool = True,
    is_new: bool = False,
    brokers: int = 1,
    kills: bool = False,
    versions: Iterable[int] | None = None,
) -> Any:
    """Register a function as a case: `@case`, or `@case(settings={...}, differs="...")`.

    versions: register it once for each version, as `<name>_v<version>`, and pass the version.
    """

    def register(run: Run) -> Run:
        if versions is None:
            add(run.__name__, run)
        for version in versions or ():
            add(f"{run.__name__}_v{version}", partial(run, version=version))
        return run

    def add(name: str, run: Callable[[Talk], None]) -> None:
        assert name not in CASES, f"two cases are called {name}"
        module = getattr(run, "func", run).__module__.rpartition(".")[2]
        known = Case(name, run, module, settings or {}, differs, draws, in_process, is_new, brokers, kills)
        known.in_process &= not known.restarts and brokers == 1
        CASES[name] = known

    return register(*arguments) if arguments else register


def load() -> dict[str, Case]:
    """Return every case, by name."""
    for found in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{found.name}")
    return CASES


def in_order(response: Any) -> Any:
    """Return the response with topics and partitions sorted by name and number.

    Topics with ids only come last.
    """
    if isinstance(response, dict):
        return {name: item if name == "Synonyms" else in_order(item) for name, item in response.items()}
    if not isinstance(response, list):
        return response
    items = [in_order(item) for item in response]
    if items and isinstance(items[0], dict) and any(name in items[0] for name in _NAMES):
        items.sort(key=_without_id)
    return items


def _without_id(item: Fields) -> tuple[Any, ...]:
    first = tuple(str(item.get(name)).zfill(10) for name in _NAMES)
    return (
        *first,
        item.get("TopicId") == ZERO_UUID,
        json.dumps({name: value for name, value in item.items() if name != "TopicId"}),
    )


class Broker:
    """A broker in a process of its own, in the machine's time. `InProcessBroker` overrides all of it.

    bootstrap: its address, or those of all brokers of a cluster, separated by commas and ordered by id
    """

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def connect(self, node_id: int = 1) -> socket.socket:
        host, _, port = self.bootstrap.split(",")[node_id - 1].rpartition(":")
        return socket.create_connection((host, int(port)), ANSWER_TIMEOUT_S)

    def wall_ms(self) -> int:
        """Return the time of its records and tokens, in milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def steady_ms(self) -> float:
        return time.monotonic() * 1000

    def pause(self, ms: int) -> None:
        """Let time pass."""
        time.sleep(ms / 1000)


class Peer:
    """One connection of a case. Requests are numbered from 1, and responses must arrive in this order."""

    def __init__(self, talk: Talk, client_id: str | None = "raw", node_id: int = 1) -> None:
        self.client_id = client_id
        self._shown = f" of {node_id}" if node_id > 1 else ""
        self._talk = talk
        self._connection = Connection(talk.broker.connect(node_id))
        self._number = 0
        self._pending: list[tuple[int, str, int]] = []
        self._sent_ms = 0.0

    def frame(self, api: str, version: int, fields: Fields) -> bytes:
        """Return a complete frame, to be damaged before `send_raw`.

        It counts as the connection's next request.
        """
        self._number += 1
        return request(api, version, fields, self._number, self.client_id)

    def send(self, api: str, version: int, fields: Fields) -> None:
        """Send a request without waiting for its response."""
        frame = self.frame(api, version, fields)
        self._pending.append((self._number, api, version))
        self.send_raw(frame)

    def send_raw(self, data: bytes) -> None:
        """Send any bytes."""
        self._sent_ms = self._talk.broker.steady_ms()
        self._connection.send(data)

    def expect(self, api: str, version: int) -> None:
        """Expect a response to what was sent raw, as to a request of this API and version."""
        self._pending.append((self._number, api, version))

    def receive(self, keep: Keep | None = None) -> Fields:
        """Receive the next response and keep it. keep: returns the part that is comparable."""
        name, response, odd = self._read()
        if name.partition(" ")[0] in UNORDERED:
            response = in_order(response)
        name += self._shown
        self._talk.keep(name, response if keep is None else keep(response))
        if odd and keep is None:
            self._talk.keep(f"{name}, its bytes", odd)
        return response

    def ask(self, api: str, version: int, fields: Fields, keep: Keep | None = None) -> Fields:
        """Send a request, keep its response and return it."""
        self.send(api, version, fields)
        return self.receive(keep)

    def do(self, api: str, version: int, fields: Fields) -> Fields:
        """Send a request and return its response without keeping it."""
        self.send(api, version, fields)
        return self.take()

    def take(self) -> Fields:
        """Return the next response without keeping it."""
        return self._read()[1]

    def quiet(self, ms: int = 300) -> None:
        """Keep whether nothing arrives within this time."""
        self._talk.keep("quiet", self.is_quiet(ms))

    def is_quiet(self, ms: int) -> bool:
        """Return whether nothing arrives within this time."""
        opened = self._connection.socket
        opened.settimeout(ms / 1000)
        try:
            opened.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return True
        except ConnectionResetError:
            return False
        finally:
            opened.settimeout(ANSWER_TIMEOUT_S)
        return False

    def park(self, api: str, version: int, fields: Fields, ms: int = 300) -> None:
        """Send a request that the broker must hold back. Keep whether nothing arrives within this time."""
        self.send(api, version, fields)
        self.quiet(ms)

    def took(self, least_ms: int, most_ms: int) -> None:
        """Keep whether the time since the last request is within these bounds."""
        elapsed = self._talk.broker.steady_ms() - self._sent_ms
        within = least_ms <= elapsed <= most_ms
        self._talk.keep(f"{least_ms} to {most_ms} ms later", within or f"{elapsed:.0f} ms")

    def closed(self) -> None:
        """Keep whether the broker closes the connection, or the bytes that arrive instead."""
        try:
            more = self._connection.socket.recv(4096)
        except ConnectionResetError:
            more = b""
        except TimeoutError:
            self._talk.keep("closed", "neither closed nor answered")
            return
        self._talk.keep("closed", more.hex() or True)

    def fate(self) -> str:
        """Return what the broker does with a raw request: `answered`, `closed` or `neither`."""
        response = self.frame_or_fate()
        return response if response in ("closed", "neither") else "answered"

    def frame_or_fate(self) -> str:
        """Return the response's frame in hex, without its size, or `closed` or `neither`."""
        try:
            return self._connection.answer().hex()
        except TimeoutError:
            return "neither"
        except ConnectionError:
            return "closed"

    def close(self) -> None:
        self._connection.socket.close()

    def say_no_more(self) -> None:
        """Close the sending half. Responses may still arrive."""
        self._connection.socket.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        """Reset the connection, as after a crash of the client's machine."""
        self._connection.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, bytes((1, 0, 0, 0, 0, 0, 0, 0))
        )
        self._connection.socket.close()

    def _read(self) -> tuple[str, Fields, str]:
        """Return API and version, the response, and its body in hex if its fields encode to other bytes."""
        number, api, version = self._pending.pop(0)
        frame = self._connection.answer()
        found = correlation_id(frame)
        assert found == number, f"expected response {number}, received {found}"
        content = body(api, version, frame)
        if api == "ApiVersions" and content[:2] == UNSUPPORTED_VERSION.to_bytes(2, "big"):
            version = 0
        message = decode(f"{api}Response", version, content)
        odd = "" if encode(f"{api}Response", version, message) == content else content.hex()
        return f"{api} v{version}", to_dict(message), odd


class Talk(Peer):
    """The argument of a case: a connection, names of its own, and the kept responses."""

    def __init__(self, broker: Broker, name: str) -> None:
        self.broker = broker
        self.kept: list[dict[str, Any]] = []
        self.aliases: dict[str, str] = {}
        self.case_name = self._name = name
        self._count = 0
        self._peers: list[Peer] = []
        self._on: dict[int, Peer] = {}
        self.part = ""  # of a case that runs in parts
        super().__init__(self)

    def keep(self, name: str, value: Any) -> None:
        """Keep another value that must be the same."""
        self.kept.append({self.part + name: value})

    def on(self, node_id: int) -> Peer:
        """Return a connection to a broker of a cluster: always the same one, until the broker stops."""
        if node_id not in self._on:
            self._on[node_id] = peer = Peer(self, node_id=node_id)
            self._peers.append(peer)
        return self._on[node_id]

    def alias(self, drawn: str, name: str) -> None:
        """Show this name in place of a text that the broker has drawn at random."""
        self.aliases[drawn] = name

    def connect(self, client_id: str | None = "raw") -> Peer:
        """Open another connection."""
        peer = Peer(self, client_id)
        self._peers.append(peer)
        return peer

    def name(self, of: str = "name") -> str:
        """Return a name that is not used yet."""
        self._count += 1
        return f"{self._name}.{of}{self._count}"

    def topic(self, partitions: int = 1, **configs: str) -> str:
        """Create a topic and wait until it can be written and read. configs:

        Kafka's names with _ for the dots.
        """
        name = self.name("topic")
        given = [{"Name": key.replace("_", "."), "Value": value} for key, value in configs.items()]
        topic = {"Name": name, "NumPartitions": partitions, "ReplicationFactor": 1, "Configs": given}
        made = self.do("CreateTopics", 7, {"Topics": [topic], "timeoutMs": 30000})["Topics"][0]
        assert made["ErrorCode"] == NONE, made
        self.until_there(name, partitions)
        return name

    def until_there(self, name: str, partitions: int = 1) -> None:
        """Wait until a new topic can be written and read."""
        self.until(lambda: self._ends(name, partitions), lambda ends: self._is_up(*map(_error_code, ends)))

    def _ends(self, name: str, partitions: int = 1) -> list[Fields]:
        """Return the response of ListOffsets for the partitions."""
        asked = [{"PartitionIndex": p, "CurrentLeaderEpoch": -1, "Timestamp": -1} for p in range(partitions)]
        question = {"ReplicaId": -1, "Topics": [{"Name": name, "Partitions": asked}]}
        ends: list[Fields] = self.do("ListOffsets", 4, question)["Topics"][0]["Partitions"]
        return ends

    def _is_up(self, *errors: int) -> bool:
        """Return False for errors that will pass. Any other error fails the set-up."""
        assert all(error in (NONE, *RETRIABLE) for error in errors), f"the set-up of {self._name}: {errors}"
        return not any(errors)

    def topic_id(self, name: str) -> str:
        """Return the id of a topic that exists."""
        found = self.do("Metadata", 12, {"Topics": [{"Name": name}]})["Topics"][0]
        assert found["ErrorCode"] == NONE, found
        topic_id: str = found["TopicId"]
        return topic_id

    def delete_topic(self, name: str) -> None:
        """Delete a topic and wait until it is unknown."""
        made = self.do("DeleteTopics", 5, {"TopicNames": [name], "TimeoutMs": 30000})["Responses"][0]
        assert made["ErrorCode"] == NONE, made
        self.until_gone(name)

    def until_gone(self, name: str) -> None:
        """Wait until a topic that is being deleted is unknown."""
        self.until(lambda: self._ends(name), lambda ends: _error_code(ends[0]) != NONE)

    def until_config(self, kind: int, name: str, key: str, value: str | None) -> None:
        """Wait until DescribeConfigs returns this value: Kafka's broker learns of a change with a delay."""
        wanted = {"ResourceType": kind, "ResourceName": name, "ConfigurationKeys": [key]}
        self.until(
            lambda: self.do("DescribeConfigs", 4, {"Resources": [wanted]})["Results"][0],
            lambda told: [config["Value"] for config in told["Configs"]] == [value],
        )

    def group(self) -> str:
        """Return a group id that is not used yet, once its coordinator is loaded."""
        name = self.name("group")
        self.until(
            lambda: self.do("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": [name]}),
            lambda response: self._is_up(_error_code(response["Coordinators"][0])),
        )
        self.until(
            lambda: self.do("OffsetFetch", 7, {"GroupId": name, "Topics": None}),
            lambda response: self._is_up(_error_code(response)),
        )
        return name

    def reconnect(self) -> None:
        """Connect again, after a restart of the broker."""
        self.close()
        self._connection = Connection(self.broker.connect())
        self._pending.clear()

    def hang_up(self) -> None:
        """Close every connection of the case."""
        for peer in (self, *self._peers):
            peer.close()
        self._peers.clear()
        self._on.clear()

    def until(self, ask: Callable[[], A], done: Callable[[A], Any]) -> A:
        """Repeat a request until its response is as expected, and return that."""
        deadline_ms = self.broker.steady_ms() + SETUP_MS_MAX
        while not done(response := ask()):
            assert self.broker.steady_ms() < deadline_ms, f"{self._name} waited for more than {response}"
            self.broker.pause(UNTIL_MS)
        return response


def _error_code(of: Fields) -> int:
    code: int = of["ErrorCode"]
    return code


def outcome(found: Case, broker: Broker) -> list[dict[str, Any]]:
    """Run a case against a broker and return everything it kept, in a comparable form."""
    talk = Talk(broker, found.name)
    try:
        found.run(talk)
    finally:
        talk.hang_up()
    return comparable(talk)


def comparable(talk: Talk) -> list[dict[str, Any]]:
    """Return everything that a case kept, without what differs in each run."""
    drawn = _Comparable(talk.broker.bootstrap, talk.case_name, talk.aliases)
    kept: list[dict[str, Any]] = drawn.value(talk.kept)
    return kept


class Restarting:
    """A case that yields where a broker stops, starts or restarts. It runs in parts."""

    def __init__(self, found: Case, broker: Broker) -> None:
        self.name = found.name
        self._talk = Talk(broker, found.name)
        self._parts: Any = found.run(self._talk)
        self._names = iter(f"{part}: " for part in PARTS) if found.brokers > 1 else repeat("")
        self._failed = ""

    def go_on(self) -> None:
        """Run the next part."""
        if self._failed:
            return
        self._talk.part = next(self._names)
        try:
            self._talk.reconnect()
            next(self._parts, None)
        except Exception:  # noqa: BLE001 - any failure is the result of that case, and the others continue
            self._failed = traceback.format_exc(limit=-4)
        finally:
            self._talk.hang_up()

    def result(self) -> list[dict[str, Any]] | str:
        """Return everything it kept, or the traceback of its failure."""
        return self._failed or comparable(self._talk)


_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NOW_MS: Final = range(1_600_000_000_000, 2_500_000_000_000)
_LONG_MAX: Final = 2**63 - 1
_LONG_NUMBER: Final = re.compile(r"-?\b[0-9]{13,19}\b")


def _time_or_number(found: re.Match[str]) -> str:
    """Replace a time in a message, also if "any time before" (the lowest long) was subtracted from it."""
    number = int(found[0])
    return "<time>" if number in _NOW_MS or number + _LONG_MAX in _NOW_MS else found[0]


class _Comparable:
    """Replaces ids by their order of appearance, times and addresses by what they are, and drops prefixes."""

    def __init__(self, bootstrap: str, name: str, aliases: dict[str, str]) -> None:
        self._prefix = f"{name}."
        self._aliases = aliases
        ports = [each.rpartition(":")[2] for each in bootstrap.split(",")]
        self._host = bootstrap.partition(":")[0]
        # The first port has no number: a case of one broker sees only this one.
        self._ports = {port: f"port {at}" if at > 1 else "port" for at, port in enumerate(ports, 1)}
        self._ids: dict[str, str] = {}
        self._shorts: dict[str, str] = {}
        self._producers: dict[int, str] = {}
        self._sessions: dict[int, str] = {}

    def value(self, given: Any, key: str = "") -> Any:
        if isinstance(given, dict):
            return {self.text(name): self.value(item, name) for name, item in given.items()}
        if isinstance(given, list | tuple):
            return [self.value(item, key) for item in given]
        if isinstance(given, str):
            return self._cluster_or_text(given, key)
        if isinstance(given, int) and not isinstance(given, bool):
            return self._number(given, key)
        return given

    def text(self, given: str) -> str:
        """Return the text without drawn ids, the broker's address and the case's own prefix."""
        for drawn, name in self._aliases.items():
            given = given.replace(drawn, name)
        given = _UUID.sub(self._id, given)
        for short, known in self._shorts.items():
            given = given.replace(short, known)
        given = _LONG_NUMBER.sub(_time_or_number, given)
        given = given.replace(self._prefix, "")
        for port, name in self._ports.items():
            given = given.replace(f"{self._host}:{port}", f"<{name.replace('port', 'address')}>")
        return given

    def _cluster_or_text(self, given: str, key: str) -> str:
        if key == "ClusterId":
            return "<cluster>"
        if key == "Host" and given in (self._host, "127.0.0.1"):
            return "<host>"
        return self.text(given)

    def _number(self, given: int, key: str) -> int | str:
        if key == "Port" and str(given) in self._ports:
            return f"<{self._ports[str(given)]}>"
        if key == "ProducerId" and given >= 0:
            return self._producers.setdefault(given, f"<producer {len(self._producers) + 1}>")
        if key == "SessionId" and given > 0:
            return self._sessions.setdefault(given, f"<session {len(self._sessions) + 1}>")
        return "<time>" if given in _NOW_MS else given

    def _id(self, found: re.Match[str]) -> str:
        text = found[0]
        if text == ZERO_UUID:
            return text
        if text not in self._ids:
            self._ids[text] = f"<id {len(self._ids) + 1}>"
            # Kafka prints an id in this form in a message.
            short = base64.urlsafe_b64encode(uuid.UUID(text).bytes).decode().rstrip("=")
            self._shorts[short] = self._ids[text]
        return self._ids[text]
