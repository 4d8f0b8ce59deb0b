"""The pytest plugin: the fixtures `tidemark`, `async_tidemark`, `tidemark_server` and `tidemark_factory`.

Everything heavy is imported when a fixture is used. A project that does not use the fixtures pays a few
milliseconds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from tidemark_testing.asynchronous import AsyncTidemark
    from tidemark_testing.client import Tidemark, TidemarkFactory
    from tidemark_testing.isolation import Isolation
    from tidemark_testing.server import Server

__tracebackhide__ = True  # a failing test shows its own lines, not these

MODES: Final = ("thread", "subprocess", "docker", "external")
ISOLATIONS: Final = ("snapshot", "prefix")
SEED_MAX: Final = 2**53
CLIENTS: Final = pytest.StashKey["list[Tidemark]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tidemark", "a Kafka broker for tests, with a clock that they move")
    for name, about, choices in (
        ("mode", "where the broker runs: a thread (default), a process, a container, or elsewhere", MODES),
        ("image", "the image, for --tidemark-mode docker (default tidemark:8.0.0)", None),
        ("bootstrap", "HOST:PORT of the broker, for --tidemark-mode external", None),
        ("isolation", "what keeps tests apart: a snapshot (default), or a prefix of their names", ISOLATIONS),
        ("command_config", "a file with TLS and SASL properties, for the connections of the fixtures", None),
        ("chaos_seed", "the seed of tidemark.chaos() in tests that choose none", None),
        ("http", "HOST:PORT of its /v1, for --tidemark-mode external; leave it out for Apache Kafka", None),
    ):
        group.addoption(f"--tidemark-{name.replace('_', '-')}", choices=choices, default=None, help=about)
        parser.addini(f"tidemark_{name}", about, default="")
    parser.addini("tidemark_settings", "settings of the broker, KEY=VALUE each", type="linelist", default=[])


class Unrewritten:
    """A finder that keeps the broker's modules out of pytest's assertion rewriting.

    pytest rewrites every package of a distribution with a plugin, and then ignores its installed bytecode.
    Compiling the broker takes longer than starting it. A PYTEST_DONT_REWRITE docstring avoids the rewriting,
    but not the compiling.
    """

    packages: Final = (
        "tidemark.",
        "tidemark_http.",
        "tidemark_protocol.",
        "tidemark_testing.",
        "tidemark_tools.",
    )

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path) if name.startswith(self.packages) else None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install the finder before a conftest can import one of our modules."""
    finder = Unrewritten()
    sys.meta_path.insert(0, finder)
    early_config.add_cleanup(lambda: sys.meta_path.remove(finder))


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before any test runs. Raises UsageError if they contradict each other."""
    mode = _option(config, "mode")
    if mode and mode not in MODES:
        raise pytest.UsageError(f"tidemark_mode must be one of {', '.join(MODES)}, got {mode!r}")
    isolation = _option(config, "isolation")
    if isolation and isolation not in ISOLATIONS:
        raise pytest.UsageError(
            f"tidemark_isolation must be one of {', '.join(ISOLATIONS)}, got {isolation!r}"
        )
    if mode == "external" and not _option(config, "bootstrap"):
        raise pytest.UsageError("--tidemark-mode external needs --tidemark-bootstrap HOST:PORT")
    if mode != "external" and (_option(config, "bootstrap") or _option(config, "http")):
        raise pytest.UsageError("--tidemark-bootstrap and --tidemark-http need --tidemark-mode external")
    if mode != "docker" and _option(config, "image"):
        raise pytest.UsageError("--tidemark-image needs --tidemark-mode docker")
    _settings(config)
    _chaos_seed(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    if _option(config, "mode") != "external":
        return None
    bootstrap, http = _option(config, "bootstrap"), _option(config, "http")
    if http:
        return f"tidemark: the one at {bootstrap}, HTTP at {http}"
    return (
        f"tidemark: the Kafka at {bootstrap}. It cannot move time, explain offsets or restore snapshots. "
        "Tests that need these are skipped; topics that tests create are deleted one by one"
    )


@pytest.fixture(scope="session")
def tidemark_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tidemark]:
    """The broker of this test session. The fixture `tidemark` resets it for each test.

    `kept()` changes the state that it is reset to.
    """
    from tidemark_testing.client import Tidemark
    from tidemark_testing.server import checked_settings

    config = request.config
    external = _option(config, "mode") == "external"
    settings = {} if external else _settings(config)
    try:
        checked_settings(settings, "tidemark_settings")
    except ValueError as error:
        pytest.fail(str(error), pytrace=False)
    server = _started(config, settings, tmp_path_factory)
    if external and server.ours and _workers() > 1 and _option(config, "isolation") != "prefix":
        pytest.fail(
            "the workers of pytest-xdist would move each other's time in one external tidemark: run it "
            "without -n, let each worker have its own with --tidemark-mode thread, or keep tests that do not "
            "move time apart with --tidemark-isolation prefix",
            pytrace=False,
        )
    try:
        client = Tidemark(server, _isolation(config, None))
        resets = server.ours and not client.isolation.prefix
        if resets:
            client.remember()
        yield client
        if resets and external:
            client.restore()
            client.api("snapshot()").delete(f"/v1/snapshots/{client.clean}")
    finally:
        server.close()


@pytest.fixture
def tidemark(request: pytest.FixtureRequest, tidemark_server: Tidemark) -> Iterator[Tidemark]:
    """The session's broker, reset: no topics, no groups, real time.

    With --tidemark-isolation prefix, it keeps its state, and the names of this test's topics are its own.
    """
    from tidemark_testing.client import Tidemark

    client = Tidemark(tidemark_server.server, _isolation(request.config, request.node.nodeid))
    # Each test restores the state at its end, so that fixtures of a module or session find nothing of it.
    # They may use the broker until the next test begins, and so may clients that a test has left connected.
    # A restore of the state that the broker has does nothing.
    if client.is_reset:
        client.restore()
    request.node.stash.setdefault(CLIENTS, []).append(client)
    yield client
    if client.is_reset:
        client.forget()
        client.restore()
        return
    if client.faults_made:
        client.faults.clear()
    if client.topics_made:
        from tidemark_testing.wire import delete_topics

        settings = client.server_state.client_settings
        delete_topics(client.bootstrap_servers, client.topics_made, settings)


@pytest.fixture
def async_tidemark(tidemark: Tidemark) -> AsyncTidemark:
    """`tidemark`, with coroutines in place of methods."""
    from tidemark_testing.asynchronous import AsyncTidemark

    return AsyncTidemark(tidemark)


@pytest.fixture
def tidemark_factory(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TidemarkFactory]:
    """Starts brokers for one test: `tidemark_factory({"offsets.retention.minutes": 60}, release="3.9")`."""
    from tidemark_testing.client import Tidemark
    from tidemark_testing.server import checked_settings

    config = request.config
    mode = _option(config, "mode") or "thread"
    servers: list[Server] = []

    def make(
        settings: Mapping[str, object] | None = None,
        *,
        brokers: int | None = None,
        release: str | None = None,
        client_settings: Mapping[str, str] | None = None,
    ) -> Tidemark:
        if brokers is not None:
            settings = {**(settings or {}), "tidemark.brokers": brokers}
        if mode == "external":
            pytest.skip("tidemark_factory starts brokers of its own; --tidemark-mode external names one")
        given = {**_settings(config), **checked_settings(settings, "tidemark_factory", release)}
        server = _started(config, given, tmp_path_factory, client_settings)
        servers.append(server)
        client = Tidemark(server)
        request.node.stash.setdefault(CLIENTS, []).append(client)
        return client

    yield make
    for server in servers:
        server.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what explains a failure to the report of a failing test."""
    made = yield
    if made.failed and call.when != "teardown":
        from tidemark_testing.report import report

        for client in item.stash.get(CLIENTS, []):
            if client.server.http is not None:
                try:
                    for title, text in report(client):
                        made.sections.append((f"tidemark: {title}", text))
                except Exception as error:  # noqa: BLE001 the test's own failure is what matters
                    made.sections.append(("tidemark: there is no report", str(error)))
    return made


def _started(
    config: pytest.Config,
    settings: dict[str, str],
    folders: pytest.TempPathFactory,
    client_settings: Mapping[str, str] | None = None,
) -> Server:
    """Return a running server, as the options want it. Fails the test if it cannot start.

    client_settings: by default those of --tidemark-command-config
    """
    from tidemark_testing.server import CannotServe, ExternalServer, new_server

    mode = _option(config, "mode") or "thread"
    server: Server
    if mode == "external":
        server = ExternalServer(_option(config, "bootstrap"), _option(config, "http") or None)
    elif mode == "docker":
        from tidemark_testing.container import IMAGE, ContainerServer

        server = ContainerServer(_option(config, "image") or IMAGE, settings)
    else:
        server = new_server(mode, folders.mktemp("tidemark"), settings)
    server.state.chaos_seed = _chaos_seed(config)
    server.state.client_settings = client_settings or _client_settings(config)
    try:
        server.start()
    except CannotServe as error:
        pytest.fail(str(error), pytrace=False)
    return server


def _isolation(config: pytest.Config, test: str | None) -> Isolation:
    """Return how this test, or the session, is kept apart from others."""
    from tidemark_testing.isolation import SNAPSHOT, Isolation

    if _option(config, "isolation") != "prefix":
        return SNAPSHOT
    from hashlib import blake2s

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    digest = blake2s(f"{run} {worker} {test}".encode(), digest_size=4).hexdigest()
    return Isolation(f"t{digest}-", shared=_option(config, "mode") == "external" and _workers() > 1)


def _workers() -> int:
    return int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


def _option(config: pytest.Config, name: str) -> str:
    """Return the option from the command line, or else from the ini file."""
    chosen: str = config.getoption(f"tidemark_{name}") or config.getini(f"tidemark_{name}")
    return chosen


def _chaos_seed(config: pytest.Config) -> int | None:
    """Return the seed of --tidemark-chaos-seed. Raises UsageError."""
    text = _option(config, "chaos_seed")
    if text and not (text.isascii() and text.isdigit() and int(text) <= SEED_MAX):
        raise pytest.UsageError(
            f"--tidemark-chaos-seed must be a whole number from 0 to {SEED_MAX}, got {text!r}"
        )
    return int(text) if text else None


def _client_settings(config: pytest.Config) -> dict[str, str]:
    """Return the properties in --tidemark-command-config."""
    path = _option(config, "command_config")
    if not path:
        return {}
    from tidemark_tools.client.client import client_settings
    from tidemark_tools.client.errors import CannotRead

    try:
        return client_settings(path)
    except CannotRead as error:
        pytest.fail(f"--tidemark-command-config: {error}", pytrace=False)


def _settings(config: pytest.Config) -> dict[str, str]:
    """Return tidemark_settings of the ini file. Raises UsageError."""
    given = {}
    for line in config.getini("tidemark_settings"):
        key, equals, value = line.partition("=")
        if not equals:
            raise pytest.UsageError(f"tidemark_settings: each line must be KEY=VALUE, got {line!r}")
        given[key.strip()] = value.strip()
    return given
