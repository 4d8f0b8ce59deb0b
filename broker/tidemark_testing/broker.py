"""The part of the object behind the fixtures that its other parts share: addresses, topics and names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final, NoReturn
from unittest import SkipTest
from weakref import WeakKeyDictionary

from tidemark.seeding import FIXTURE_CLIENT_ID
from tidemark_testing.http import Api, ApiError, NoResponse
from tidemark_testing.server import Server

__tracebackhide__ = True  # a failing test shows its own lines, not these


@dataclass(frozen=True)
class Isolation:
    """How tests are kept apart.

    prefix  "" if each test restores a snapshot; else what the names of topics and groups of a test begin with
    shared  other tests use the broker at the same time: time must not move, and nothing may be restored
    """

    prefix: str = ""
    shared: bool = False


SNAPSHOT: Final = Isolation()


class NotAvailable(SkipTest):
    """The broker cannot do what the test needs. pytest and unittest skip the test, and show the reason."""


@dataclass
class ServerState:
    """The facts that all objects for one server share.

    clean            the snapshot that restore() restores by default; None: there is none
    kept             how many kept() blocks are open
    lost             a stop has deleted the clean snapshot: restore() must start the server on an empty
                     directory
    client_settings  Kafka's client properties for the connections of these objects: TLS and SASL
    """

    clean: str | None = None
    kept: int = 0
    lost: bool = False
    client_settings: Mapping[str, str] = field(default_factory=dict, repr=False)


_STATES: Final[WeakKeyDictionary[Server, ServerState]] = WeakKeyDictionary()


class Broker:
    """A server with its addresses and topics."""

    def __init__(self, server: Server, isolation: Isolation = SNAPSHOT) -> None:
        self.server = server
        self.isolation = isolation
        self.topics_made: list[str] = []
        self.faults_made: list[int] = []  # the ids of the faults that this test has set
        self._numbers = count(1)

    @property
    def server_state(self) -> ServerState:
        """The facts that all objects for this server share."""
        return _STATES.setdefault(self.server, ServerState())

    @property
    def bootstrap_servers(self) -> str:
        """The address for Kafka clients, host:port."""
        return self.server.bootstrap_servers

    @property
    def http(self) -> str:
        """The address of /metrics and /v1, host:port."""
        return self.api("http").address

    def api(self, wanted: str) -> Api:
        """Return the client of /v1. wanted: what the test used, for the skip reason if there is no /v1."""
        if self.server.http is None:
            _no_http(wanted, self.bootstrap_servers)
        return Api(self.server.http, token=self.server.http_token)

    def check_alone(self, wanted: str) -> None:
        """Skip the test if other tests use the broker at the same time."""
        if self.isolation.shared:
            raise NotAvailable(
                f"tidemark.{wanted} would disturb the other workers of pytest-xdist, which share the broker: "
                "run this test without -n, or with --tidemark-mode thread"
            )

    def name(self, name: str) -> str:
        """Return the name of a topic or a group in this test.

        It is the same name, or with --tidemark-isolation prefix, the name with the prefix of this test.
        """
        prefix = self.isolation.prefix
        return name if name.startswith(prefix) else prefix + name

    def topic(
        self, name: str | None = None, partitions: int = 1, configs: Mapping[str, object] | None = None
    ) -> str:
        """Create a topic and return its name once it is usable. Without a name, an unused one is chosen.

        Raises TopicRefused with Kafka's error if the broker does not create it.
        """
        from tidemark_testing.topics import create_topic

        chosen = self._free_name() if name is None else self.name(name)
        settings = self.server_state.client_settings
        with self._naming_faults():
            create_topic(self.bootstrap_servers, chosen, partitions, configs or {}, settings=settings)
        self.topics_made.append(chosen)
        return chosen

    @contextmanager
    def _naming_faults(self) -> Iterator[None]:
        """Add a note to an exception that names the faults that apply to the fixture's own requests."""
        try:
            yield
        except Exception as error:
            for note in self._faults_met():
                error.add_note(note)
            raise

    def _faults_met(self) -> list[str]:
        if self.server.http is None:
            return []
        try:
            views = self.api("faults").get("/v1/faults")["faults"]
        except (ApiError, NoResponse):  # it is no tidemark with the test API, or the fault has stopped it
            return []
        return [
            f"fault {view['id']} applies to the fixture's own requests: {view['fault']}"
            for view in views
            if view["matched"] and _may_meet(view["fault"])
        ]

    def _free_name(self) -> str:
        number = next(self._numbers)
        if self.server.mode != "external" or self.isolation.prefix:
            return self.name(f"topic-{number}")
        from secrets import token_hex

        return f"topic-{number}-{token_hex(4)}"


def _may_meet(fault: Mapping[str, object]) -> bool:
    """Return whether a fault applies to the fixture's own requests. docs/faults.md explains it."""
    anyones = "refuse_connections" in fault or "disk" in fault
    return anyones or fault.get("client_id") == FIXTURE_CLIENT_ID


def _no_http(wanted: str, bootstrap: str) -> NoReturn:
    raise NotAvailable(
        f"tidemark.{wanted} is not available: {bootstrap} was given without an HTTP address, and Kafka's "
        "protocol can neither move time nor explain offsets. For a tidemark, pass --tidemark-http HOST:PORT"
    )
