"""The wire client of the command line tools: plain sockets, one request at a time, no asyncio.

It speaks with any Kafka: each request goes out in the highest version that the broker and tidemark_protocol
both know. PLAINTEXT only. What may be asked twice is asked again while the broker cannot be reached or is
not ready yet, until `timeout_ms` is over.
"""

from __future__ import annotations

import importlib
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from struct import pack, unpack
from types import TracebackType
from typing import Any, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import WireError, skip_tags

TIMEOUT_MS: Final = 60_000  # Kafka's default.api.timeout.ms
CONNECT_TIMEOUT_MS: Final = 10_000  # Kafka's socket.connection.setup.timeout.ms
PAUSE_MS: Final = 100  # Kafka's retry.backoff.ms
WARN_AFTER_S: Final = 1.5  # without a broker; a person begins to wonder after two seconds
FRAME_BYTES_MAX: Final = 2**28  # no answer of Kafka's is longer; what a TLS server or HTTP says looks longer
CLIENT_ID: Final = "tidemark"
EARLIEST: Final = -2  # the times of ListOffsets that are none
LATEST: Final = -1
OFFSETS_BY_NAME: Final = 9  # the last version of OffsetFetch and OffsetCommit that names topics

# What a coordinator says of itself until it is there.
COORDINATOR_NOT_THERE: Final = frozenset((
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR,
))  # fmt: skip
# What a leader says of itself until it is there, or has gone elsewhere.
LEADER_NOT_THERE: Final = frozenset((
    ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.KAFKA_STORAGE_ERROR,
))  # fmt: skip


class ClientError(Exception):
    """What a tool says and gives up on. The message is for the person who called it."""


class BadAddress(ClientError):
    """An address that cannot be read, as Kafka words it."""


class CannotConnect(ClientError):
    """A broker that cannot be asked for what it is: another protocol, a request that it does not serve."""


class Unreachable(ClientError):
    """No broker answered in time."""


class CannotRead(ClientError):
    """A file that an option names and that cannot be read."""

    def __init__(self, path: str, reason: str, *, missing: bool = False) -> None:
        super().__init__(f"cannot read {path}: {reason}")
        self.path = path
        self.missing = missing


class Refused(ClientError):
    """The broker answered with an error code."""

    def __init__(self, code: int, message: str | None = None) -> None:
        super().__init__(message or message_of(code))
        self.code = error_code(code)


def message_of(code: int) -> str:
    """Kafka's own words for an error code."""
    return error_code(code).text


def error_code(code: int) -> ErrorCode:
    """The code of an answer. One that is newer than we are is UNKNOWN_SERVER_ERROR, as in Kafka's client."""
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR


class Node(NamedTuple):
    """A broker of the cluster; node_id is -1 until Metadata has told it."""

    node_id: int
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Spot(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class Listed(NamedTuple):
    """What ListOffsets said of one partition: offset and timestamp are -1 where there is none."""

    offset: int
    timestamp: int
    leader_epoch: int
    error_code: int


def addresses(bootstrap: str) -> list[Node]:
    """The brokers of a `--bootstrap-server`: host:port, separated by commas. BadAddress: one is none."""
    return [_address(part.strip()) for part in bootstrap.split(",") if part.strip()]


def _address(text: str) -> Node:
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isascii() and port.isdecimal() and int(port) <= 65535):
        raise BadAddress(f"Invalid url in bootstrap.servers: {text}")
    return Node(-1, host.removeprefix("[").removesuffix("]"), int(port))


def client_settings(path: str | None) -> dict[str, str]:
    """The settings in a `--command-config` file, or none without a file.

    Raises CannotRead, and CannotConnect if they ask for another protocol than PLAINTEXT.
    """
    if path is None:
        return {}
    from tidemark_protocol.java_properties import read_properties

    settings = read_properties(read_text(path))
    check_protocol(settings)
    return settings


def read_text(path: str) -> str:
    """The text of a file that an option names. Raises CannotRead."""
    from pathlib import Path

    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise CannotRead(path, error.strerror or str(error), missing=missing) from None
    except UnicodeDecodeError:
        raise CannotRead(path, "it is not UTF-8") from None


def check_protocol(settings: Mapping[str, str]) -> None:
    """CannotConnect where they ask for TLS or SASL."""
    protocol = settings.get("security.protocol", "PLAINTEXT")
    if protocol.upper() != "PLAINTEXT":
        raise CannotConnect(
            f"security.protocol={protocol}: tidemark's tools speak PLAINTEXT only; use Kafka's own there"
        )


def _default_timeout_ms(settings: Mapping[str, str]) -> int:
    text = settings.get("default.api.timeout.ms", str(TIMEOUT_MS)).strip()
    if not (text.isascii() and text.isdecimal()):
        raise ClientError(f"default.api.timeout.ms must be a number of milliseconds, got {text!r}")
    return int(text)


class Connection:
    """One socket to one broker, and the versions that this broker serves."""

    def __init__(self, node: Node, client_id: str, deadline: float) -> None:
        left_s = min(CONNECT_TIMEOUT_MS / 1000, _left_s(deadline))
        self._socket = socket.create_connection((node.host, node.port), timeout=left_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client_id = client_id
        self._correlation_id = 0
        self.node = node
        self.ranges: dict[int, tuple[int, int]] = {}
        try:
            self._negotiate(deadline)
        except BaseException:
            self.close()
            raise

    def _negotiate(self, deadline: float) -> None:
        from tidemark_protocol.messages.api_versions import ApiVersionsRequest

        request = ApiVersionsRequest(client_software_name="tidemark", client_software_version="1")
        answer = self._exchange(request, 3, deadline)
        if answer.error_code == ErrorCode.UNSUPPORTED_VERSION:  # older than 2.4, or much newer
            answer = self._exchange(request, 0, deadline)
        if answer.error_code:
            raise Refused(answer.error_code)
        self.ranges = {api.api_key: (api.min_version, api.max_version) for api in answer.api_keys}

    def version(self, request: Any, at_most: int | None = None) -> int:
        """The version to speak. CannotConnect: there is none that both know."""
        lowest, highest = self.ranges.get(request.API_KEY, (0, -1))
        chosen = min(highest, request.HIGHEST if at_most is None else min(at_most, request.HIGHEST))
        if chosen < max(lowest, request.LOWEST):
            name = _api(request)
            served = f"serves it in versions {lowest} to {highest}" if highest >= 0 else "does not serve it"
            raise CannotConnect(f"{name}: the broker at {self.node} {served}")
        return int(chosen)

    def ask(self, request: Any, deadline: float, at_most: int | None = None) -> Any:
        """The answer. OSError: the connection is no longer usable."""
        return self._exchange(request, self.version(request, at_most), deadline)

    def _exchange(self, request: Any, version: int, deadline: float) -> Any:
        self.send(request, version, deadline)
        return self.receive(request, version, deadline)

    def send(self, request: Any, version: int, deadline: float) -> None:
        """Send a request and wait for nothing: one with acks 0, or one that is waited for later."""
        self._correlation_id += 1
        name = self._client_id.encode()
        out = bytearray(pack(">hhih", request.API_KEY, version, self._correlation_id, len(name)) + name)
        if version >= request.FLEXIBLE_FROM:
            out.append(0)
        request.ENCODERS[version](out, request)
        self._socket.settimeout(_left_s(deadline))
        self._socket.sendall(pack(">i", len(out)) + out)

    def receive(self, request: Any, version: int, deadline: float) -> Any:
        """The answer to the request that was sent before. OSError: it does not come."""
        size = unpack(">i", self._exactly(4, deadline))[0]
        if not 4 <= size <= FRAME_BYTES_MAX:
            raise self._is_no_kafka()
        frame = self._exactly(size, deadline)
        if int.from_bytes(frame[:4], "big") != self._correlation_id:
            raise self._is_no_kafka()
        try:
            return _decode(request, version, frame)
        except (WireError, IndexError):
            raise self._is_no_kafka() from None

    def _is_no_kafka(self) -> CannotConnect:
        return CannotConnect(f"what listens at {self.node} does not speak Kafka's protocol")

    def _exactly(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._socket.settimeout(_left_s(deadline))
            chunk = self._socket.recv(min(size - len(data), 2**20))
            if not chunk:
                raise ConnectionError("the broker hung up")
            data += chunk
        return bytes(data)

    def close(self) -> None:
        self._socket.close()


def _decode(request: Any, version: int, frame: bytes) -> Any:
    response = response_class(request)
    pos = 4
    if request.NAME == "ApiVersionsRequest":
        if int.from_bytes(frame[4:6], "big") == ErrorCode.UNSUPPORTED_VERSION:
            version = 0  # as KIP-511 has it
    elif version >= request.FLEXIBLE_FROM:
        pos = skip_tags(frame, pos, len(frame))
    message, _ = response.DECODERS[version](frame, pos, len(frame))
    return message


def response_class(request: Any) -> Any:
    """The class of what answers this request: both are in one module."""
    name = request.NAME.removesuffix("Request") + "Response"
    return getattr(importlib.import_module(type(request).__module__), name)


def now_s() -> float:
    """Steady time. Clock would bring asyncio, a third of what a command may take."""
    return time.monotonic()  # noqa: TID251


def _left_s(deadline: float) -> float:
    left = deadline - now_s()
    if left <= 0:
        raise TimeoutError("no answer in time")
    return left


class Client:
    """A cluster, by the addresses of some of its brokers. Connections are made when they are needed.

    timeout_ms bounds each call. Every call raises Unreachable, CannotConnect or Refused.
    """

    def __init__(
        self,
        bootstrap: str,
        *,
        timeout_ms: int | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """timeout_ms None: default.api.timeout.ms of the settings, or Kafka's default."""
        self._bootstrap = addresses(bootstrap)
        if not self._bootstrap:
            raise BadAddress("No resolvable bootstrap urls given in bootstrap.servers")
        check_protocol(settings or {})
        self._client_id = (settings or {}).get("client.id", "") or CLIENT_ID
        self._timeout_ms = _default_timeout_ms(settings or {}) if timeout_ms is None else timeout_ms
        self._warned = False
        self.connected = False  # some broker has answered since the start
        self._connections: dict[tuple[str, int], Connection] = {}
        self._coordinators: dict[str, Node] = {}

    def ask(
        self,
        request: Any,
        node: Node | None = None,
        *,
        at_most: int | None = None,
        timeout_ms: int | None = None,
        once: bool = False,
    ) -> Any:
        """The answer of that broker, or of any where node is None.

        at_most: the highest version that the caller can fill in. once: not again after a connection broke,
        because it may have been done (ConnectionError then).
        """
        deadline = self.deadline(timeout_ms)
        while True:
            connection = self.connection(node, deadline)
            try:
                return connection.ask(request, deadline, at_most)
            except OSError as error:
                self._forget(connection)
                silence = f"the broker at {connection.node} did not answer {_api(request)}"
                if isinstance(error, TimeoutError):
                    raise Unreachable(f"{silence} in time") from None
                if once:
                    raise ConnectionError(f"{connection.node}: {error}") from None
            pause(deadline, f"{silence} but closed the connection")

    def ask_until(self, request: Any, node: Node | None, is_done: Callable[[Any], bool], **how: Any) -> Any:
        """`ask` again, with a pause, until the answer is one to go by; the last answer when time is over."""
        deadline = self.deadline(how.get("timeout_ms"))
        while True:
            answer = self.ask(request, node, **how)
            if is_done(answer) or now_s() + PAUSE_MS / 1000 >= deadline:
                return answer
            time.sleep(PAUSE_MS / 1000)

    def ask_coordinator(
        self,
        group: str,
        request: Any,
        error_of: Callable[[Any], int],
        *,
        at_most: int | None = None,
    ) -> Any:
        """The answer of the group's coordinator. error_of: the code in an answer that may tell that the
        coordinator is loading or elsewhere; then it is looked up and asked again.
        """
        deadline = self.deadline(None)
        while True:
            answer = self.ask(request, self.coordinator(group), at_most=at_most)
            code = error_of(answer)
            if code not in COORDINATOR_NOT_THERE:
                return answer
            self._coordinators.pop(group, None)
            pause(deadline, f"the coordinator of group {group!r} is not ready")

    def coordinator(self, group: str) -> Node:
        """The broker that coordinates this group. Refused: for what does not pass by itself."""
        if group not in self._coordinators:
            self._coordinators[group] = self._find_coordinator(group)
        return self._coordinators[group]

    def coordinators(self, groups: Iterable[str]) -> dict[Node, list[str]]:
        """The groups of each coordinator, as `coordinator`; looked up together where brokers can do that."""
        names = list(groups)
        self._find_coordinators([name for name in names if name not in self._coordinators])
        found: dict[Node, list[str]] = {}
        for name in names:
            found.setdefault(self.coordinator(name), []).append(name)
        return found

    def _find_coordinators(self, groups: list[str]) -> None:
        """What is found by one question is kept. Before FindCoordinator v4 that is nothing."""
        from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

        if len(groups) < 2:
            return
        request = FindCoordinatorRequest(key=groups[0], key_type=0, coordinator_keys=groups)
        for found in self.ask(request).coordinators:
            if found.error_code == ErrorCode.NONE:
                self._coordinators[found.key] = Node(found.node_id, found.host, found.port)

    def forget_coordinator(self, group: str) -> None:
        """It said that it is none: the next call looks it up again."""
        self._coordinators.pop(group, None)

    def _find_coordinator(self, group: str) -> Node:
        from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

        deadline = self.deadline(None)
        request = FindCoordinatorRequest(key=group, key_type=0, coordinator_keys=[group])
        while True:
            answer = self.ask(request)
            found = answer.coordinators[0] if answer.coordinators else answer
            if found.error_code == ErrorCode.NONE:
                return Node(found.node_id, found.host, found.port)
            if found.error_code not in COORDINATOR_NOT_THERE:
                raise Refused(found.error_code, found.error_message)
            pause(deadline, f"group {group!r} has no coordinator that is ready")

    def metadata(self, topics: Iterable[str] | None = None) -> Any:
        """MetadataResponse. topics: None for all. No topic is created by asking."""
        from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

        asked = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        request = MetadataRequest(topics=asked, allow_auto_topic_creation=False)
        return self.ask(request)

    def nodes(self) -> list[Node]:
        """Every broker, in the order of their ids."""
        return sorted(nodes_of(self.metadata([])).values())

    def leaders(self, topics: Iterable[str]) -> dict[Spot, Node | None]:
        """Who leads each partition of these topics; None: nobody. Topics that do not exist are not in it."""
        answer = self.metadata(topics)
        known = nodes_of(answer)
        return {
            Spot(topic.name or "", partition.partition_index): known.get(partition.leader_id)
            for topic in answer.topics
            if topic.error_code == ErrorCode.NONE
            for partition in topic.partitions
        }

    def list_offsets(self, times: Mapping[Spot, int], *, isolation_level: int = 0) -> dict[Spot, Listed]:
        """Of each partition the offset at that time: -1 end, -2 start, -3 the record of the largest
        timestamp, else the first record at or after it. A partition that does not exist, or that nobody
        leads while time lasts, has its error code.
        """
        deadline = self.deadline(None)
        found: dict[Spot, Listed] = {}
        while True:
            left = {spot: at for spot, at in times.items() if spot not in found}
            found |= self._list_offsets(left, isolation_level)
            again = [spot for spot in left if found[spot].error_code in LEADER_NOT_THERE]
            if not again or now_s() >= deadline:
                return found
            for spot in again:
                del found[spot]
            pause(deadline, f"partition {again[0]} has no leader that is ready")

    def _list_offsets(self, times: Mapping[Spot, int], isolation_level: int) -> dict[Spot, Listed]:
        leaders = self.leaders(sorted({spot.topic for spot in times}))
        by_node: dict[Node, dict[Spot, int]] = {}
        found: dict[Spot, Listed] = {}
        for spot, at in times.items():
            leader = leaders.get(spot)
            if leader is not None:
                by_node.setdefault(leader, {})[spot] = at
                continue
            missing = spot not in leaders
            code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if missing else ErrorCode.LEADER_NOT_AVAILABLE
            found[spot] = Listed(-1, -1, -1, code)
        for node, asked in by_node.items():
            found |= _listed(self.ask(_list_offsets_request(asked, isolation_level), node))
        return found

    def connection(self, node: Node | None, deadline: float) -> Connection:
        """Return an open connection to that broker, or to any.

        Warns on stderr if no broker answers soon. Raises Unreachable if none does until the deadline, and
        BadAddress if no name can be resolved.
        """
        for standing in self._connections.values():
            if node is None or standing.node[1:] == node[1:]:
                return standing
        nodes = self._bootstrap if node is None else [node]
        warn_at = now_s() + WARN_AFTER_S
        reason = "no answer in time"
        while True:
            found = self._connect(nodes, deadline if self._warned else min(deadline, warn_at))
            if isinstance(found, Connection):
                self._connections[found.node[1:]] = found
                self.connected, self._warned = True, False
                return found
            reason = found or reason
            silence = f"no broker answers at {', '.join(map(str, nodes))} ({reason})"
            if now_s() >= warn_at:
                self.warn(silence)
            pause(deadline, silence)

    def _connect(self, nodes: Sequence[Node], deadline: float) -> Connection | str:
        """A connection to the first that answers, or why the last one did not; "" if no time is left."""
        unknown = 0
        reason = ""
        for left, node in zip(range(len(nodes), 0, -1), nodes, strict=True):
            share_s = (deadline - now_s()) / left
            if share_s <= 0:
                break
            try:
                return Connection(node, self._client_id, now_s() + share_s)
            except socket.gaierror:
                unknown += 1
                reason = f"cannot resolve {node.host}"
            except OSError as error:
                reason = error.strerror or str(error)
        if unknown == len(nodes):
            raise BadAddress(reason)
        return reason

    def warn(self, text: str) -> None:
        """Say on stderr why nothing happens, once until a broker answers again."""
        if not self._warned:
            self._warned = True
            print(f"WARN {text}; trying again", file=sys.stderr, flush=True)

    def deadline(self, timeout_ms: int | None) -> float:
        """The moment, on the clock of `now_s`, until which a call that begins now may wait."""
        return now_s() + (self._timeout_ms if timeout_ms is None else timeout_ms) / 1000

    def _forget(self, connection: Connection) -> None:
        connection.close()
        self._connections.pop(connection.node[1:], None)

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def pause(deadline: float, reason: str) -> None:
    """Wait before something is tried again. Raises Unreachable with the reason if the time is over."""
    left_s = deadline - now_s()
    if left_s <= 0:
        raise Unreachable(reason)
    time.sleep(min(PAUSE_MS / 1000, left_s))


def _api(request: Any) -> str:
    return str(request.NAME.removesuffix("Request"))


def nodes_of(answer: Any) -> dict[int, Node]:
    """The brokers in a MetadataResponse, by their ids."""
    return {broker.node_id: Node(broker.node_id, broker.host, broker.port) for broker in answer.brokers}


def check_topic(told: Any) -> None:
    """Refused for a topic of a MetadataResponse that never will be there, in the words of Kafka's clients."""
    if told.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION:
        raise Refused(told.error_code, f"Invalid topics: [{told.name}]")
    if told.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
        raise Refused(told.error_code, f"Not authorized to access topics: [{told.name}]")


def commit_error(answer: Any) -> int:
    """Of an OffsetCommitResponse the first error of any partition: what refuses one refuses all, as far as it
    matters to the tools.
    """
    codes = (told.error_code for topic in answer.topics for told in topic.partitions)
    return next((int(code) for code in codes if code), 0)


def _list_offsets_request(times: Mapping[Spot, int], isolation_level: int) -> Any:
    from tidemark_protocol.messages.list_offsets import (
        ListOffsetsPartition,
        ListOffsetsRequest,
        ListOffsetsTopic,
    )

    topics: dict[str, list[Any]] = {}
    for spot, at in times.items():
        asked = ListOffsetsPartition(partition_index=spot.partition, timestamp=at)
        topics.setdefault(spot.topic, []).append(asked)
    return ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation_level,
        topics=[ListOffsetsTopic(name=name, partitions=asked) for name, asked in topics.items()],
    )


def _listed(answer: Any) -> dict[Spot, Listed]:
    return {
        Spot(topic.name, told.partition_index): Listed(
            told.offset, told.timestamp, told.leader_epoch, told.error_code
        )
        for topic in answer.topics
        for told in topic.partitions
    }
