"""The context of a decision: time, caller, identifiers."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import field
from typing import Any, Final, Protocol

from msgspec import Struct

from tidemark.core.decision import ParkedRequest
from tidemark.late_dataclass import dataclass

CheckTls = Callable[[Mapping[str, str], Mapping[str, str]], Awaitable[str | None] | None]

NOTHING_DUE: Final = -(2**63)


@dataclass(slots=True, frozen=True)
class Now:
    """One moment on both timelines, in milliseconds. Records carry wall time; timeouts use steady time.

    due_ms  Deadlines up to this steady time have passed. Requests that arrived by then were read, except
            those behind an earlier request that has no response yet, or behind more requests than two turns
            of the loop allow (`Turns`). A request lets no deadline pass, because heartbeats that arrived
            with it may still be unread.
    """

    wall_ms: int
    steady_ms: int
    due_ms: int = NOTHING_DUE


class Operation:
    """Kafka's AclOperation codes."""

    UNKNOWN: Final = 0
    ANY: Final = 1  # in filters
    ALL: Final = 2
    READ: Final = 3
    WRITE: Final = 4
    CREATE: Final = 5
    DELETE: Final = 6
    ALTER: Final = 7
    DESCRIBE: Final = 8
    CLUSTER_ACTION: Final = 9
    DESCRIBE_CONFIGS: Final = 10
    ALTER_CONFIGS: Final = 11
    IDEMPOTENT_WRITE: Final = 12
    CREATE_TOKENS: Final = 13
    DESCRIBE_TOKENS: Final = 14
    TWO_PHASE_COMMIT: Final = 15


class ResourceType:
    """Kafka's ResourceType codes."""

    UNKNOWN: Final = 0
    ANY: Final = 1  # in filters
    TOPIC: Final = 2
    GROUP: Final = 3
    CLUSTER: Final = 4
    TRANSACTIONAL_ID: Final = 5
    DELEGATION_TOKEN: Final = 6
    USER: Final = 7


CLUSTER_NAME: Final = "kafka-cluster"


# (operation, resource type, name) for one caller. None as the name: some resource of this type.
Authorizer = Callable[[int, int, str | None], bool]
Authorizers = Callable[[str, str], Authorizer]  # (principal, client_host) of a caller


def everything_is_allowed(operation: int, resource_type: int, name: str | None) -> bool:
    """Permit everything: the authorizer of a broker that has none configured, and that of super users."""
    return True


def quietly(allowed: Authorizer) -> Authorizer:
    """Return the authorizer for decisions that refuse no request: no denial is counted or logged.

    They hide entries of a list, or another permission is enough. Kafka: `logIfDenied` of an Action.
    """
    quiet: Authorizer = getattr(allowed, "quietly", allowed)
    return quiet


def super_user(principal: str, client_host: str) -> Authorizer:
    """Return the authorizer of a caller that needs no permission, although there is an authorizer."""
    return everything_is_allowed


def everyone_is_allowed(principal: str, client_host: str) -> Authorizer:
    """Return the authorizer of every caller of a broker that has none configured."""
    return everything_is_allowed


ANONYMOUS_PRINCIPAL: Final = "User:ANONYMOUS"
EVERY_NODE: Final = -2  # the node of clients within the process, which may ask for all partitions and groups


@dataclass(slots=True, frozen=True)
class Caller:
    """The client of a connection. All requests of the connection share one Caller.

    client_host  in Kafka's format: "/127.0.0.1"
    node_id      the node to which it is connected
    host, port   the address at which this client reaches the node
    listener     the name of the listener that accepted the connection
    protocol     the security protocol of this listener
    by_token     the client has logged in with a delegation token
    connection   the number of the connection since the start of the broker, from 1
    authorizers  returns the authorizer of a principal
    authorizer   decides which operations this principal may perform. It always belongs to the principal: a
                 copy with another principal has another authorizer
    """

    client_host: str = "/127.0.0.1"
    node_id: int = 1
    host: str = "127.0.0.1"
    port: int = 9092
    listener: str = "PLAINTEXT"
    principal: str = ANONYMOUS_PRINCIPAL
    connection: int = 0
    protocol: str = "PLAINTEXT"
    by_token: bool = False
    authorizers: Authorizers = everyone_is_allowed
    authorizer: Authorizer = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "authorizer", self.authorizers(self.principal, self.client_host))


ANONYMOUS: Final = Caller()


class ConnectionControl(Protocol):
    """A connection, for handlers that may change it (`connection_api`)."""

    caller: Caller
    authentication: Any  # its `security.sasl.Authentication`. None: the listener has no SASL

    def steady_ms(self) -> int:
        """Return the time by which the lifetime of the session is measured."""

    def negotiated(self) -> bool:
        """Count a response to ApiVersions. Return whether the client must authenticate before the next."""

    def begin_authentication(self, *, with_headers: bool) -> None:
        """Serve only the APIs of authentication until `authenticated`.

        with_headers: the client's tokens are in SaslAuthenticate requests, not in frames of their own
        """

    def authenticated(self, principal: str, *, by_token: bool = False) -> None:
        """Serve all APIs, on behalf of this principal, until the session expires.

        by_token: the client has logged in with a delegation token
        """

    def close_after_response(self) -> None:
        """Accept no further request. Close the connection once all responses are sent."""


def _no_ids(*_: object) -> Any:
    raise AssertionError("this context was built without ids")


def _no_tls(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    return None


class Context(Struct, kw_only=True):
    """The input of a decider besides state and request. One object serves all requests until one waits.

    wall_ms, steady_ms   the current time, on both timelines
    version              of the request
    client_id            "" if the client sent null
    caller               the client of the connection; `enter` sets it
    allowed(operation, resource_type, name)   True if the caller's authorizer permits it
    pending              the pending request: a handler that parks it keeps it
    cluster              the Cluster state, read-only
    advertised           (API key, lowest, highest version) of every API that is served, by key
    features_epoch       the metadata offset of the feature levels at the start, less their changes until then
    new_id()             a fresh random UUID as text
    new_producer_id(node)  a fresh producer id of the node's block; the response waits until it is durable
    decisions            for log APIs: the state machines (`state`, `now`, `apply`, `durable`, `verified`,
                         `shares` of `Runtime`). A handler decides from a state and applies before it awaits
                         anything
    check_tls(before, after)  checks new settings of this broker: the reason why its listeners with TLS cannot
                         use them, None if they can. Returns None if these settings do not change
    derive(work)         calls work in a thread that derives keys, which takes milliseconds. Awaitable
    turns, unsent        for log APIs: the budget of the event loop, and the memory for unsent responses
    """

    wall_ms: int
    steady_ms: int
    version: int
    pending: ParkedRequest | None = None
    client_id: str = ""
    caller: Caller = ANONYMOUS
    cluster: Any = None
    advertised: tuple[tuple[int, int, int], ...] = ()
    features_epoch: int = 0
    new_id: Callable[[], str] = _no_ids
    turns: Any = None
    unsent: Any = None
    new_producer_id: Callable[[int], int] = _no_ids
    decisions: Any = None
    check_tls: CheckTls = _no_tls
    derive: Any = None
    allowed: Authorizer = everything_is_allowed

    def __post_init__(self) -> None:
        self.allowed = self.caller.authorizer

    def enter(self, caller: Caller) -> None:
        """Serve this caller from now on."""
        self.caller = caller
        self.allowed = caller.authorizer

    def copy(self) -> Context:
        """Return a context for the next requests: a request that waits keeps its own."""
        return copy(self)

    def new_uuid(self) -> str:
        """Return a new id in the form of Kafka's Uuid. None begins with a dash."""
        while True:
            text = urlsafe_b64encode(bytes.fromhex(self.new_id().replace("-", ""))).decode().rstrip("=")
            if not text.startswith("-"):
                return text

    @property
    def transactions(self) -> Any:
        """The Transactions state, read-only. It exists once a client or the directory needs it."""
        return self.decisions.state("Transactions")

    @property
    def shares(self) -> Any:
        """The share partitions in use, with the sessions of their members. Created by their first use."""
        return self.decisions.shares()

    @property
    def node_id(self) -> int:
        """The node that received the request; the first one if the client is within the process."""
        node_id = self.caller.node_id
        return int(self.cluster.identity.node_id) if node_id == EVERY_NODE else node_id

    @property
    def now(self) -> Now:
        return Now(self.wall_ms, self.steady_ms)
