"""The wire client of the command line tools: plain sockets, one request at a time, no asyncio.

It works with any Kafka: it sends each request in the highest version that both the broker and
tidemark_protocol know. While a broker cannot be reached or is not ready, the client repeats requests that are
safe to repeat, until `timeout_ms` is over.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.connection import (
    BrokerEndpoint,
    Connection,
    addresses,
    api_name,
    now_s,
    read_security,
)
from tidemark_tools.client.errors import (
    COORDINATOR_NOT_THERE,
    LEADER_NOT_THERE,
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    Disconnected,
    ErrorResponse,
    HandshakeCutOff,
    Unreachable,
)

TIMEOUT_MS: Final = 60_000  # Kafka's default.api.timeout.ms
PAUSE_MS: Final = 100  # Kafka's retry.backoff.ms
WARN_AFTER_S: Final = 1.5  # without a broker; a person begins to wonder after two seconds
CLIENT_ID: Final = "tidemark"
EARLIEST: Final = -2  # the times of ListOffsets that are none
LATEST: Final = -1
GROUP: Final = 0  # the types of coordinators
TRANSACTION: Final = 1
OFFSETS_BY_NAME: Final = 9  # the last version of OffsetFetch and OffsetCommit that names topics


class TopicPartition(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class NoLeader(NamedTuple):
    """The result for a partition that does not exist or has no leader."""

    error_code: int
    offset: int = -1


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[TopicPartition]]:
    """Return the partitions of each topic."""
    topics: dict[str, list[TopicPartition]] = {}
    for partition in partitions:
        topics.setdefault(partition.topic, []).append(partition)
    return topics


class Client:
    """A cluster, named by the addresses of some of its brokers. It connects to a broker at the first call.

    timeout_ms bounds each call. Every call may raise Unreachable, CannotConnect or ErrorResponse.
    """

    def __init__(
        self,
        bootstrap: str,
        *,
        timeout_ms: int | None = None,
        settings: Mapping[str, str] | None = None,
        coordinates: int = GROUP,
    ) -> None:
        """Without timeout_ms, default.api.timeout.ms of the settings applies, or else Kafka's default.

        coordinates: the type of the keys whose coordinators it finds, GROUP or TRANSACTION.
        """
        self._bootstrap = addresses(bootstrap)
        if not self._bootstrap:
            raise BadAddress("No resolvable bootstrap urls given in bootstrap.servers")
        self._security = read_security(settings or {})
        self._client_id = (settings or {}).get("client.id", "") or CLIENT_ID
        self._timeout_ms = default_timeout_ms(settings or {}) if timeout_ms is None else timeout_ms
        self._warned = False
        self.connected = False  # whether any broker has accepted a connection so far
        self._connections: dict[tuple[str, int], Connection] = {}
        self._key_type = coordinates
        self._coordinators: dict[str, BrokerEndpoint] = {}

    def call(
        self,
        request: Any,
        node: BrokerEndpoint | None = None,
        *,
        max_version: int | None = None,
        min_version: int = 0,
        timeout_ms: int | None = None,
        once: bool = False,
    ) -> Any:
        """Send a request to this broker, or to any, and return the response.

        max_version, min_version: the versions that the caller can use. once: do not repeat the request after
        the connection broke, because the broker may have carried it out; raise Disconnected instead.
        Raises UnsupportedVersion if the broker serves none of these versions.
        """
        deadline = self.deadline(timeout_ms)
        warn_at = now_s() + WARN_AFTER_S
        closed = ""
        while True:
            try:
                connection = self.connection(node, deadline)
            except Unreachable as error:
                raise Unreachable(closed or str(error)) from None
            try:
                return connection.call(request, deadline, max_version, min_version)
            except OSError as error:
                self._forget(connection)
                silence = f"the broker at {connection.node} did not respond to {api_name(request)}"
                if isinstance(error, TimeoutError):
                    raise Unreachable(f"{silence} in time") from None
                if once:
                    raise Disconnected(f"{connection.node}: {error}") from None
            closed = f"{silence} but closed the connection"
            if connection.is_new and self._security.login is None:
                closed += "; does this listener require SASL?"
                if now_s() >= warn_at:
                    self.warn(closed)
                    warn_at = deadline
            pause(deadline, closed)

    def call_until(
        self, request: Any, node: BrokerEndpoint | None, is_done: Callable[[Any], bool], **how: Any
    ) -> Any:
        """Repeat `call`, with pauses, until is_done accepts the response. Return the last response.

        When the time is over, that response is one that is_done refused.
        """
        deadline = self.deadline(how.get("timeout_ms"))
        while True:
            response = self.call(request, node, **how)
            if is_done(response) or now_s() + PAUSE_MS / 1000 >= deadline:
                return response
            time.sleep(PAUSE_MS / 1000)

    def call_coordinator(
        self,
        group: str,
        request: Any,
        error_of: Callable[[Any], int],
        *,
        max_version: int | None = None,
        min_version: int = 0,
    ) -> Any:
        """Send a request to the coordinator of a group (or transactional id) and return the response.

        error_of returns the error code of a response. If it says that the coordinator is loading or has
        moved, the coordinator is looked up again and the request repeated.
        """
        deadline = self.deadline(None)
        while True:
            response = self.call(
                request, self.coordinator(group), max_version=max_version, min_version=min_version
            )
            code = error_of(response)
            if code not in COORDINATOR_NOT_THERE:
                return response
            self._coordinators.pop(group, None)
            pause(deadline, f"the coordinator of {self._kind()} {group!r} is not ready")

    def coordinator(self, group: str) -> BrokerEndpoint:
        """Return the broker that coordinates this group.

        Raises ErrorResponse for an error that waiting does not cure.
        """
        deadline = self.deadline(None)
        while group not in self._coordinators:
            response = self._find_coordinators([group])
            found = response.coordinators[0] if response.coordinators else response
            if found.error_code == ErrorCode.NONE:
                self._coordinators[group] = BrokerEndpoint(found.node_id, found.host, found.port)
            elif found.error_code not in COORDINATOR_NOT_THERE:
                raise ErrorResponse(found.error_code, found.error_message)
            else:
                pause(deadline, f"{self._kind()} {group!r} has no coordinator that is ready")
        return self._coordinators[group]

    def coordinators(self, groups: Iterable[str]) -> dict[BrokerEndpoint, list[str]]:
        """Return the groups of each coordinator. One request finds them all from FindCoordinator v4 on."""
        names = list(groups)
        unknown = [name for name in names if name not in self._coordinators]
        if len(unknown) > 1:
            for each in self._find_coordinators(unknown).coordinators:
                if each.error_code == ErrorCode.NONE:
                    self._coordinators[each.key] = BrokerEndpoint(each.node_id, each.host, each.port)
        found: dict[BrokerEndpoint, list[str]] = {}
        for name in names:
            found.setdefault(self.coordinator(name), []).append(name)
        return found

    def _find_coordinators(self, groups: list[str]) -> Any:
        from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

        request = FindCoordinatorRequest(key=groups[0], key_type=self._key_type, coordinator_keys=groups)
        return self.call(request)

    def forget_coordinator(self, group: str) -> None:
        """Look the coordinator up again at the next call."""
        self._coordinators.pop(group, None)

    def _kind(self) -> str:
        return "group" if self._key_type == GROUP else "transactional id"

    def metadata(
        self,
        topics: Iterable[str] | None = None,
        *,
        topic_ids: Iterable[bytes] | None = None,
        create: bool = False,
        **how: Any,
    ) -> Any:
        """Return the MetadataResponse for these topics, or for all. how: as for `call`.

        create: the request may create topics, if auto.create.topics.enable is true.
        """
        from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

        wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        if topic_ids is not None:
            wanted = [MetadataRequestTopic(topic_id=each, name=None) for each in topic_ids]
        return self.call(MetadataRequest(topics=wanted, allow_auto_topic_creation=create), **how)

    def nodes(self) -> list[BrokerEndpoint]:
        """Return every broker, ordered by id."""
        return sorted(nodes_of(self.metadata([])).values())

    def leaders(self, topics: Iterable[str]) -> dict[TopicPartition, BrokerEndpoint | None]:
        """Return the leader of each partition, None for a partition without one.

        Topics that do not exist are left out.
        """
        response = self.metadata(sorted(topics))
        known = nodes_of(response)
        return {
            TopicPartition(topic.name or "", partition.partition_index): known.get(partition.leader_id)
            for topic in response.topics
            if topic.error_code == ErrorCode.NONE
            for partition in topic.partitions
        }

    def list_offsets(
        self, times: Mapping[TopicPartition, int], *, isolation_level: int = 0
    ) -> dict[TopicPartition, Any]:
        """Return the result of ListOffsets for each partition.

        A time is -1 for the end, -2 for the start, -3 for the record with the largest timestamp, else ms: the
        first record at or after it. A partition that does not exist, or has no leader until the timeout, has
        an error code.
        """
        from tidemark_protocol.messages import list_offsets as api

        def request(topics: dict[str, list[TopicPartition]]) -> Any:
            wanted = [
                api.ListOffsetsTopic(
                    name=name,
                    partitions=[
                        api.ListOffsetsPartition(partition_index=at.partition, timestamp=times[at])
                        for at in some
                    ],
                )
                for name, some in topics.items()
            ]
            return api.ListOffsetsRequest(replica_id=-1, isolation_level=isolation_level, topics=wanted)

        return self.call_leaders(times, request)

    def call_leaders(
        self,
        partitions: Iterable[TopicPartition],
        request: Callable[[dict[str, list[TopicPartition]]], Any],
        again: Collection[ErrorCode] = LEADER_NOT_THERE,
    ) -> dict[TopicPartition, Any]:
        """Send a request to the leaders of these partitions, and return the result of each partition.

        request: returns the request about the partitions of these topics. again: errors after which it is
        repeated until the timeout. A partition without a leader has a NoLeader.
        """
        deadline = self.deadline(None)
        found: dict[TopicPartition, Any] = {}
        left = list(partitions)
        while left:
            leaders = self.leaders(by_topic(left))
            by_node: dict[BrokerEndpoint, list[TopicPartition]] = {}
            for partition in left:
                leader = leaders.get(partition)
                if leader is not None:
                    by_node.setdefault(leader, []).append(partition)
                    continue
                missing = partition not in leaders
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if missing else ErrorCode.LEADER_NOT_AVAILABLE
                found[partition] = NoLeader(code)
            for node, some in by_node.items():
                for topic in self.call(request(by_topic(some)), node).topics:
                    for result in topic.partitions:
                        found[TopicPartition(topic.name, result.partition_index)] = result
            left = [partition for partition in left if found[partition].error_code in again]
            if left:
                if now_s() >= deadline:
                    break
                time.sleep(PAUSE_MS / 1000)
        return found

    def connection(self, node: BrokerEndpoint | None, deadline: float) -> Connection:
        """Return an open connection to that broker, or to any.

        Warns on stderr if no broker responds soon. Raises Unreachable if none does until the deadline, and
        BadAddress if no name can be resolved.
        """
        for existing in self._connections.values():
            if node is None or existing.node[1:] == node[1:]:
                return existing
        nodes = self._bootstrap if node is None else [node]
        warn_at = now_s() + WARN_AFTER_S
        reason = "no response in time"
        while True:
            found = self._connect(nodes, deadline if self._warned else min(deadline, warn_at))
            if isinstance(found, Connection):
                self._connections[found.node[1:]] = found
                self.connected, self._warned = True, False
                return found
            reason = found or reason
            silence = f"no broker responds at {', '.join(map(str, nodes))} ({reason})"
            if now_s() >= warn_at:
                self.warn(silence)
            pause(deadline, silence)

    def _connect(self, nodes: Sequence[BrokerEndpoint], deadline: float) -> Connection | str:
        """Connect to the first broker that accepts. Otherwise return why the last one did not.

        The reason is "" if no time is left.
        """
        unknown = 0
        reason = ""
        cut_off = False
        for left, node in zip(range(len(nodes), 0, -1), nodes, strict=True):
            share_s = (deadline - now_s()) / left
            if share_s <= 0:
                break
            try:
                return Connection(node, self._client_id, now_s() + share_s, self._security)
            except socket.gaierror:
                unknown += 1
                reason = f"cannot resolve {node.host}"
            except OSError as error:
                reason = error.strerror or str(error)
                cut_off = isinstance(error, HandshakeCutOff)
        if cut_off and not self.connected:  # a broker that restarts may do so, but this one never served TLS
            raise CannotConnect(reason)
        if unknown == len(nodes):
            raise BadAddress(reason)
        return reason

    def warn(self, text: str) -> None:
        """Print a warning on stderr, once until a broker accepts a connection again."""
        if not self._warned:
            self._warned = True
            print(f"WARN {text}; trying again", file=sys.stderr, flush=True)

    def deadline(self, timeout_ms: int | None) -> float:
        """Return the time, on the clock of `now_s`, until which a call that starts now may wait."""
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

    def __exit__(self, *error: object) -> None:
        self.close()


def client_settings(path: str | None) -> dict[str, str]:
    """Return the settings in a `--command-config` file; no file means no settings.

    Raises CannotRead. `Client` checks the settings.
    """
    if path is None:
        return {}
    from tidemark_protocol.java_properties import read_properties

    return read_properties(read_text(path))


def read_text(path: str) -> str:
    """Return the text of a file that an option names. Raises CannotRead."""
    from pathlib import Path

    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise CannotRead(path, error.strerror or str(error), missing=missing) from None
    except UnicodeDecodeError:
        raise CannotRead(path, "it is not UTF-8") from None


def default_timeout_ms(settings: Mapping[str, str]) -> int:
    text = settings.get("default.api.timeout.ms", str(TIMEOUT_MS)).strip()
    if not (text.isascii() and text.isdecimal()):
        raise ClientError(f"default.api.timeout.ms must be a number of milliseconds, got {text!r}")
    return int(text)


def pause(deadline: float, reason: str) -> None:
    """Wait before the next attempt. Raises Unreachable with the reason if the deadline has passed."""
    left_s = deadline - now_s()
    if left_s <= 0:
        raise Unreachable(reason)
    time.sleep(min(PAUSE_MS / 1000, left_s))


def nodes_of(response: Any) -> dict[int, BrokerEndpoint]:
    """Return the brokers of a MetadataResponse by id."""
    return {
        broker.node_id: BrokerEndpoint(broker.node_id, broker.host, broker.port)
        for broker in response.brokers
    }


def check_topic(result: Any) -> None:
    """Raise ErrorResponse, in the words of Kafka's clients, for a topic that cannot exist or be read."""
    if result.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION:
        raise ErrorResponse(result.error_code, f"Invalid topics: [{result.name}]")
    if result.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
        raise ErrorResponse(result.error_code, f"Not authorized to access topics: [{result.name}]")


def commit_error(response: Any) -> int:
    """Return the first error of any partition in an OffsetCommitResponse, or 0.

    The errors that matter to the tools concern the whole commit.
    """
    codes = (result.error_code for topic in response.topics for result in topic.partitions)
    return next((int(code) for code in codes if code), 0)
