"""What a decider may know besides the state and the request: time, caller, identifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tidemark.core.result import ParkedRequest

NOTHING_DUE: Final = -(2**63)


@dataclass(slots=True, frozen=True)
class Now:
    """Both timelines at one moment, in milliseconds. Wall is written down, steady is waited for.

    due_ms  deadlines up to here (steady) have passed. Requests that arrived by then were read, but for those
            behind more requests of their connection than two turns of the loop allow (`Turns`), or behind one
            that is not answered yet. A request makes no deadline pass, since heartbeats that arrived with it
            may still be unread
    """

    wall_ms: int
    steady_ms: int
    due_ms: int = NOTHING_DUE


class Operation:
    """Kafka's AclOperation codes."""

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


class ResourceType:
    """Kafka's ResourceType codes."""

    TOPIC: Final = 2
    GROUP: Final = 3
    CLUSTER: Final = 4
    TRANSACTIONAL_ID: Final = 5


CLUSTER_NAME: Final = "kafka-cluster"


def everything_is_allowed(operation: int, resource_type: int, name: str) -> bool:
    """The authorizer of a broker without one."""
    return True


class Context:
    """What a decider may know beyond state and request. One serves all requests of a chunk of bytes.

    wall_ms, steady_ms   now, on both timelines
    version              of the request
    client_id            "" where the client sent null
    client_host          as Kafka writes it: "/127.0.0.1"
    host, port           where this client was told to reach us
    listener             the name of the listener it came in by
    pending               the place of the answer: park it in a note to answer later
    cluster              the Cluster state, read-only
    served               (API key, lowest, highest version) of every API that is served, by key
    features_epoch       the metadata offset at which the features stand
    new_id()             a fresh random UUID as text
    turns, unsent        for handlers of kind transfer: `await ctx.turns.rest()` once `ctx.turns.spend()`, and
                         how much memory responses may take
    allowed(operation, resource_type, name)   True where authorization permits
    """

    __slots__ = (
        "allowed",
        "client_host",
        "client_id",
        "cluster",
        "features_epoch",
        "host",
        "listener",
        "new_id",
        "pending",
        "port",
        "principal",
        "served",
        "steady_ms",
        "turns",
        "unsent",
        "version",
        "wall_ms",
    )

    def __init__(
        self,
        *,
        wall_ms: int,
        steady_ms: int,
        version: int,
        pending: ParkedRequest | None = None,
        client_id: str = "",
        client_host: str = "/127.0.0.1",
        host: str = "127.0.0.1",
        port: int = 9092,
        listener: str = "PLAINTEXT",
        principal: str = "User:ANONYMOUS",
        cluster: Any = None,
        served: tuple[tuple[int, int, int], ...] = (),
        features_epoch: int = 0,
        new_id: Callable[[], str] | None = None,
        allowed: Callable[[int, int, str], bool] = everything_is_allowed,
        turns: Any = None,
        unsent: Any = None,
    ) -> None:
        self.wall_ms = wall_ms
        self.steady_ms = steady_ms
        self.version = version
        self.pending = pending
        self.client_id = client_id
        self.client_host = client_host
        self.host = host
        self.port = port
        self.listener = listener
        self.principal = principal
        self.cluster = cluster
        self.served = served
        self.features_epoch = features_epoch
        self.new_id: Callable[[], str] = new_id if new_id is not None else _no_ids
        self.allowed = allowed
        self.turns = turns
        self.unsent = unsent

    def copy(self) -> Context:
        """For a request that outlives its chunk of bytes."""
        return Context(
            wall_ms=self.wall_ms,
            steady_ms=self.steady_ms,
            version=self.version,
            pending=self.pending,
            client_id=self.client_id,
            client_host=self.client_host,
            host=self.host,
            port=self.port,
            listener=self.listener,
            principal=self.principal,
            cluster=self.cluster,
            served=self.served,
            features_epoch=self.features_epoch,
            new_id=self.new_id,
            allowed=self.allowed,
            turns=self.turns,
            unsent=self.unsent,
        )

    @property
    def now(self) -> Now:
        return Now(self.wall_ms, self.steady_ms)


def _no_ids() -> str:
    raise AssertionError("this context was built without ids")
