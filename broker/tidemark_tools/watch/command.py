"""`tidemark watch`: run until a signal. It prints its address as one JSON object, as `serve` does."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tidemark_expiry.sentences import MINUTE_MS
from tidemark_tools.client.client import Client, client_settings
from tidemark_tools.client.connection import wall_ms
from tidemark_tools.client.errors import ErrorResponse, Failed
from tidemark_tools.options import FAILED, JoptTool, Parsed, UsageError, require, run, table

if TYPE_CHECKING:
    from tidemark.config import Config
    from tidemark.node.node import Node
    from tidemark_tools.logs import Log

PROGRAM: Final = "tidemark watch"
TIMEOUT_MS: Final = 15_000  # to reach the cluster at the start; later it is tried without end
DURATION_OPTIONS: Final = ("retention", "since", "refresh")
NODE_ID: Final = 2**31 - 1  # no broker of the cluster
NOT_OF_A_WATCH: Final = ("log.dir", "log.dirs", "node.id", "broker.id", "listeners", "advertised.listeners",
                         "process.roles", "tidemark.test.api", "tidemark.faults.file")  # fmt: skip


def _check(parsed: Parsed) -> None:
    require(parsed, "bootstrap-server")
    for name in DURATION_OPTIONS:
        parsed.duration_ms(name)
    if (parsed.duration_ms("retention") or 0) % MINUTE_MS:
        raise UsageError(f"--retention must be a whole number of minutes, got {parsed.text('retention')!r}")


TOOL: Final = JoptTool(
    "Watch the committed offsets of any Kafka cluster: what expires when and why, lag, and what was removed. "
    "The cluster is only read.",
    table("""
    bootstrap-server <The server(s) to use for bootstrapping>  REQUIRED: brokers of the cluster.
    command-config <Client property file>  A properties file with settings of the client.
    retention <7d>  The cluster's offsets.retention.minutes, as 7d, 36h or 90min, if it may not be described.
    since <7d>  Read only the records of this time, in a large cluster: older offsets are then unknown.
    refresh <10s>  How often topics and ends of logs are looked at. (default: 10s)
    http <HOST:PORT>  Where to serve HTTP. (default: localhost:9464)
    config <server.properties>  A file with settings of tidemark's HTTP: token, TLS, host names.
    set <Append: KEY=VALUE>  One such setting.
    ready-file <file>  Write one JSON object here once the cluster has responded.
    stop-with-parent  Stop when the process that has started this one ends.
"""),
    _check,
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _watch, lambda error: print(f"{PROGRAM}: {error}", file=sys.stderr))


def _watch(parsed: Parsed) -> int:
    from tidemark.config import ConfigError
    from tidemark_tools.ready_file import ReadyFile, ReadyFileInUse
    from tidemark_tools.serve import CannotStart
    from tidemark_tools.serve import run as run_node

    ready_file = ReadyFile(None if (name := parsed.value("ready-file")) is None else Path(name))
    try:
        ready_file.clear()
        with TemporaryDirectory(prefix="tidemark-watch-") as data_dir:
            config = _config(parsed, data_dir)
            return run_node(
                config, ready_file, partial(_node, parsed, config),
                stop_with_parent=parsed.has("stop-with-parent"),
            )  # fmt: skip
    except (ConfigError, CannotStart, ReadyFileInUse) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return FAILED


def _config(parsed: Parsed, data_dir: str) -> Config:
    """Return the settings: those of HTTP from the user, those of expiry from the cluster."""
    from tidemark.config import load
    from tidemark_tools.watch.cluster import RETENTION, broker_settings

    with _client(parsed) as client:
        cluster_id = client.metadata([]).cluster_id or ""
        try:
            settings = broker_settings(client)
        except ErrorResponse as error:
            settings = {}
            if parsed.value("retention") is None:
                print(
                    f"WARN the settings of the brokers may not be described ({error}): Kafka's default "
                    "retention is assumed; --retention names another",
                    file=sys.stderr,
                )
    retention_ms = parsed.duration_ms("retention")
    if retention_ms is not None:
        settings[RETENTION] = str(retention_ms // MINUTE_MS)
    settings |= {"node.id": str(NODE_ID), "tidemark.cluster.id": cluster_id}
    if (http := parsed.value("http")) is not None:
        settings["tidemark.http.listener"] = http
    config = load(
        [Path(name) for name in parsed.values("config")],
        flags=[*parsed.values("set"), *(f"{name}={value}" for name, value in settings.items())],
        data_dir=data_dir,
        not_from_file=NOT_OF_A_WATCH,
    )
    if config.http_address is None:
        raise Failed("tidemark.http.listener is empty, and a watch serves nothing but HTTP")
    return config


def _node(parsed: Parsed, config: Config, logger: Log) -> Node:
    from tidemark.node.environment import Environment, Host
    from tidemark_http import http_server
    from tidemark_tools.watch.node import Watched, WatchNode

    since_ms = parsed.duration_ms("since")
    watched = Watched(
        parsed.text("bootstrap-server"),
        partial(_client, parsed),
        None if since_ms is None else max(wall_ms() - since_ms, 0),
        parsed.duration_ms("refresh") or 10_000,
        "offsets.retention.minutes" in config.given and parsed.value("retention") is None,
    )
    env = Environment(config, logger, Host.real(config.data_dir), watched=True, owns_process=True)
    return WatchNode(env, watched, http_server)


def _client(parsed: Parsed) -> Client:
    settings = {"default.api.timeout.ms": str(TIMEOUT_MS), **client_settings(parsed.value("command-config"))}
    return Client(parsed.text("bootstrap-server"), settings=settings)
