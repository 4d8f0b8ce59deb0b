"""Kafka Connect, distributed with connectors for files, Debezium and MirrorMaker 2, and standalone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle, maven, needs
from tests.broker_process import RunningBroker, free_port, start_broker
from tests.clients.copiers import committed
from tests.clients.load import NOT_YET
from tests.ecosystem.works_with.programs import DEADLINE_S, SETTINGS, Program, Topics, http
from tests.ecosystem.works_with.rows import works_with
from tests.wire import Connection
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

CONNECT: Final = "4.3.1"
DEBEZIUM: Final = "3.6.1.Final"
POSTGRES: Final = Path("/usr/lib/postgresql/15/bin")
LOGGER: Final = "2.24.3"
INTERNAL: Final = {"connect-configs": 1, "connect-offsets": 2, "connect-status": 1}  # partitions
WORKER: Final = """\
bootstrap.servers={bootstrap}
listeners=http://127.0.0.1:{port}
group.id=connect
config.storage.topic=connect-configs
offset.storage.topic=connect-offsets
status.storage.topic=connect-status
config.storage.replication.factor=1
offset.storage.replication.factor=1
status.storage.replication.factor=1
offset.storage.partitions=2
status.storage.partitions=1
exactly.once.source.support=enabled
scheduled.rebalance.max.delay.ms=0
session.timeout.ms=3000
heartbeat.interval.ms=300
connector.client.config.override.policy=All
plugin.path={plugins}
"""
STANDALONE: Final = """\
bootstrap.servers={bootstrap}
listeners=http://127.0.0.1:{port}
offset.storage.file.filename={offsets}
"""
BOTH: Final = """\
offset.flush.interval.ms=200
plugin.discovery=service_load
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
"""

pytestmark = [pytest.mark.ecosystem, pytest.mark.java, pytest.mark.timeout(600)]


def jars() -> Path:
    if (no_java := kafka_oracle.missing()) is not None:
        pytest.skip(no_java)
    needs.program("mvn", "maven")
    parts = (f"org.apache.kafka:connect-{part}:{CONNECT}" for part in ("runtime", "file", "mirror"))
    loggers = (f"org.apache.logging.log4j:{name}:{LOGGER}" for name in ("log4j-slf4j-impl", "log4j-core"))
    return maven.jars(maven.CACHE / f"connect-{CONNECT}", [*parts, *loggers])


class Workers:
    """Two workers of one cluster. Connectors are created at one that runs."""

    def __init__(self, broker: RunningBroker, folder: Path) -> None:
        archive = f"io.debezium:debezium-connector-postgres:{DEBEZIUM}:tar.gz:plugin"
        plugins = maven.unpacked(maven.CACHE / f"debezium-postgres-{DEBEZIUM}", archive)
        self.by_address: dict[str, Program] = {}
        for _ in range(2):
            port = free_port()
            settings = folder / f"{port}.properties"
            settings.write_text(WORKER.format(bootstrap=broker.bootstrap, port=port, plugins=plugins) + BOTH)
            self.by_address[f"127.0.0.1:{port}"] = worker("Distributed", settings)

    @property
    def address(self) -> str:
        return next(iter(self.by_address))

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Send a request until it succeeds: a worker refuses some while it rebalances."""
        url = f"http://{self.address}/{path}"
        program = self.by_address[self.address]
        return program.until(lambda: (http(method, url, body),), f"{method} {path}")[0]

    def create(self, name: str, **config: object) -> None:
        """Create a connector, and wait until its tasks run. Underscores in names of settings are dots."""
        self.ask(
            "PUT",
            f"connectors/{name}/config",
            {key.replace("_", "."): value for key, value in config.items()},
        )
        self.running(name)

    def running(self, name: str) -> str:
        """Wait until the connector and its task run. Return the address of the task's worker."""

        def found() -> str | None:
            status = http("GET", f"http://{self.address}/connectors/{name}/status")
            states = [status["connector"], *status["tasks"]]
            for each in states:
                if each["state"] == "FAILED":
                    pytest.fail(f"connector {name} failed: {each['trace']}")
            if len(states) < 2 or any(each["state"] != "RUNNING" for each in states):
                return None
            address: str = states[1]["worker_id"]
            return address if address in self.by_address else None

        return self.by_address[self.address].until(found, f"connector {name} runs")

    def kill9(self, address: str) -> None:
        self.by_address.pop(address).kill9()

    def until(self, wanted: Any, what: str) -> Any:
        return self.by_address[self.address].until(wanted, what)


def worker(mode: str, settings: Path, *connectors: Path) -> Program:
    main = f"org.apache.kafka.connect.cli.Connect{mode}"
    files = [str(file) for file in (settings, *connectors)]
    return Program(kafka_oracle.java(main, *files, libraries=jars()), settings.with_suffix(".out"))


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path_factory.mktemp("broker"), SETTINGS)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def workers(broker: RunningBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    started = Workers(broker, tmp_path_factory.mktemp("connect"))
    with ExitStack() as until_the_end:
        for program in started.by_address.values():
            until_the_end.enter_context(program)
        for address, program in started.by_address.items():
            release = program.until(lambda at=address: http("GET", f"http://{at}/"), "it responds")  # type: ignore[misc]
            assert release["version"] == CONNECT
        yield started


@pytest.fixture
def database() -> Iterator[str]:
    """The port of a PostgreSQL with logical decoding. It does not run as root."""
    if not (POSTGRES / "initdb").exists():
        needs.missing("PostgreSQL 15 is not installed (apt-get install postgresql-15)")
    user = "postgres" if os.geteuid() == 0 else None
    port = str(free_port())
    folder = Path(tempfile.mkdtemp(prefix="tidemark-postgres-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        initdb = [POSTGRES / "initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "--no-sync"]
        subprocess.run(initdb, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        settings = ("wal_level=logical", "fsync=off", "listen_addresses=127.0.0.1", f"port={port}")
        options = [word for each in (*settings, "unix_socket_directories=") for word in ("-c", each)]
        command = [POSTGRES / "postgres", "-D", folder / "data", *options]
        with Program(command, folder / "postgres.out", user=user) as server:
            server.until(lambda: "ready to accept" in server.said(), "PostgreSQL is ready")
            yield port
    finally:
        shutil.rmtree(folder)


def sql(port: str, text: str) -> None:
    options = ["-h", "127.0.0.1", "-p", port, "-U", "postgres", "-v", "ON_ERROR_STOP=1"]
    subprocess.run(["psql", *options, "-qc", text], check=True)


@works_with(
    "Debezium (PostgreSQL)",
    f"{DEBEZIUM}, PostgreSQL 15",
    """A snapshot, inserts, updates and deletes of a table become change events in a topic, in
    transactions of Kafka Connect. A tombstone follows a delete. A restarted connector continues
    without a second snapshot.""",
)
def test_changes_of_a_table_are_events_of_a_topic(
    workers: Workers, broker: RunningBroker, database: str
) -> None:
    sql(database, "create table orders (id int primary key, item text); insert into orders values (1, 'tea')")
    workers.create(
        "debezium",
        connector_class="io.debezium.connector.postgresql.PostgresConnector",
        database_hostname="127.0.0.1",
        database_port=database,
        database_user="postgres",
        database_password="-",
        database_dbname="postgres",
        topic_prefix="shop",
        plugin_name="pgoutput",
        poll_interval_ms=50,
        value_converter="org.apache.kafka.connect.json.JsonConverter",
        **{"value.converter.schemas.enable": "false"},
    )
    topics = Topics(broker)

    def events() -> list[tuple[str, Any]]:
        found = [json.loads(value) if value else None for value in topics.read("shop.public.orders")]
        return [
            (event["op"], event["after"] and event["after"]["item"]) if event else ("", None)
            for event in found
        ]

    snapshot = [("r", "tea")]
    workers.until(lambda: events() == snapshot, "the snapshot is in the topic")
    sql(database, "insert into orders values (2, 'mug')")
    sql(database, "update orders set item = 'cup' where id = 2; delete from orders where id = 1")
    changes = [("c", "mug"), ("u", "cup"), ("d", None), ("", None)]
    workers.until(lambda: events() == snapshot + changes, "the changes are in the topic")
    workers.ask("POST", "connectors/debezium/restart?includeTasks=true")
    sql(database, "insert into orders values (3, 'pot')")
    workers.until(lambda: events() == [*snapshot, *changes, ("c", "pot")], "it continues")
    workers.ask("DELETE", "connectors/debezium")


@works_with(
    "MirrorMaker 2",
    CONNECT,
    """The source connector copies a topic from a second broker, with its number of partitions and its
    settings. The checkpoint connector translates the offset that a group has committed there, and
    commits it.""",
)
def test_mirror_maker_copies_topics_and_offsets_of_groups(
    workers: Workers, broker: RunningBroker, tmp_path: Path
) -> None:
    there = start_broker(tmp_path / "there", SETTINGS)
    try:
        original, copies = Topics(there), Topics(broker)
        original.create("orders", partitions=2, **{"cleanup.policy": "compact"})
        original.write("orders", "tea", "mug", partition=1)
        commit(there.bootstrap, "billing", "orders", 1, 2)
        clusters = {
            "source_cluster_alias": "there",
            "target_cluster_alias": "here",
            "source_cluster_bootstrap_servers": there.bootstrap,
            "target_cluster_bootstrap_servers": broker.bootstrap,
            "key_converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
            "value_converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
        }
        mirror = "org.apache.kafka.connect.mirror.Mirror"
        workers.create(
            "mirror",
            connector_class=f"{mirror}SourceConnector",
            topics="orders",
            replication_factor=1,
            offset_lag_max=0,
            **{"offset-syncs.topic.replication.factor": 1},
            **clusters,
        )
        workers.create(
            "checkpoints",
            connector_class=f"{mirror}CheckpointConnector",
            groups="billing",
            emit_checkpoints_interval_seconds=1,
            sync_group_offsets_enabled="true",
            sync_group_offsets_interval_seconds=1,
            checkpoints_topic_replication_factor=1,
            **clusters,
        )
        copy = "there.orders"
        workers.until(lambda: copies.read(copy, 1) == ["tea", "mug"], "the records are copied")
        assert copies.partitions(copy) == 2
        assert copies.setting(copy, "cleanup.policy") == "compact"
        workers.until(lambda: committed(broker.bootstrap, "billing") == {1: 2}, "the offset is translated")
        for name in ("checkpoints", "mirror"):
            workers.ask("DELETE", f"connectors/{name}")
    finally:
        there.stop()


@works_with(
    "Kafka Connect, distributed",
    CONNECT,
    """Two workers run the file source, with `exactly.once.source.support`, and the file sink. Each line
    is produced once although a task is restarted, a worker is killed and the broker is killed, and
    the sink writes each. The three internal topics are compacted. The REST API stops both connectors,
    resets their offsets and resumes them.""",
)
def test_distributed_workers_copy_files_despite_kills(
    workers: Workers, broker: RunningBroker, tmp_path: Path
) -> None:
    source, sink = tmp_path / "source.txt", tmp_path / "sink.txt"
    topics = Topics(broker)
    topics.create("lines")
    written: list[str] = []

    def copied(what: str) -> None:
        """Write lines, and wait until they are in the topic and in the file of the sink."""
        lines = [f"{what} {n}" for n in range(10)]
        written.extend(lines)
        with source.open("a") as file:
            file.writelines(f"{line}\n" for line in lines)
        workers.until(lambda: topics.read("lines")[len(written) - 1 :], f"lines are produced: {what}")
        assert topics.read("lines") == written
        workers.until(lambda: set(sink.read_text().splitlines()) == {*written}, f"lines are consumed: {what}")

    source.touch()
    sink.touch()
    workers.create(
        "source",
        connector_class="FileStreamSource",
        file=source,
        topic="lines",
        exactly_once_support="required",
    )
    workers.create(
        "sink",
        connector_class="FileStreamSink",
        file=sink,
        topics="lines",
        consumer_override_session_timeout_ms=3000,
        consumer_override_heartbeat_interval_ms=300,
    )
    copied("started")
    assert sink.read_text().splitlines() == written
    workers.ask("POST", "connectors/source/tasks/0/restart")
    copied("after the restart of the task")
    workers.kill9(workers.running("source"))
    copied("after the kill of a worker")
    broker.kill9()
    broker.restart()
    copied("after the kill of the broker")
    for name, partitions in INTERNAL.items():
        assert topics.setting(name, "cleanup.policy") == "compact"
        assert topics.partitions(name) == partitions

    for name in ("source", "sink"):
        workers.ask("PUT", f"connectors/{name}/stop")
    beginning = [{"partition": {"filename": str(source)}, "offset": {"position": 0}}]
    workers.ask("PATCH", "connectors/source/offsets", {"offsets": beginning})
    workers.ask("DELETE", "connectors/sink/offsets")
    assert not committed(broker.bootstrap, "connect-sink")
    for name in ("source", "sink"):
        workers.ask("PUT", f"connectors/{name}/resume")
    workers.until(lambda: topics.read("lines")[2 * len(written) - 1 :], "the source starts again")
    assert topics.read("lines") == written * 2
    workers.until(
        lambda: sink.read_text().splitlines()[-len(written) * 2 :] == written * 2, "so does the sink"
    )
    for name in ("source", "sink"):
        workers.ask("DELETE", f"connectors/{name}")


@works_with(
    "Kafka Connect, standalone",
    CONNECT,
    """One worker copies the lines of a file to a topic, and from there to another file. When it is
    started again, it continues after the last line.""",
)
def test_standalone_worker_copies_files(broker: RunningBroker, tmp_path: Path) -> None:
    source, sink = tmp_path / "source.txt", tmp_path / "sink.txt"
    settings = tmp_path / "worker.properties"
    text = STANDALONE.format(bootstrap=broker.bootstrap, port=free_port(), offsets=tmp_path / "offsets")
    settings.write_text(text + BOTH)
    connectors = {"source": ("topic", source), "sink": ("topics", sink)}
    for name, (topic, file) in connectors.items():
        lines = (
            f"name=alone-{name}",
            f"connector.class=FileStream{name.title()}",
            f"{topic}=alone",
            f"file={file}",
        )
        (tmp_path / f"{name}.properties").write_text("\n".join(lines))
    program = worker("Standalone", settings, *(tmp_path / f"{name}.properties" for name in connectors))
    for run in ("first", "second"):
        with source.open("a") as file:
            file.write(f"{run}\n")
        with program:
            program.until(lambda now=run: sink.exists() and now in sink.read_text(), f"{run} line is copied")
            program.stop()
    assert sink.read_text().splitlines() == Topics(broker).read("alone") == ["first", "second"]


def commit(bootstrap: str, group: str, topic: str, partition: int, offset: int) -> None:
    """Commit an offset of a group without members."""
    partitions = [OffsetCommitRequestPartition(partition, offset, committed_metadata="")]
    request = OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic(topic, partitions=partitions)])
    deadline = time.monotonic() + DEADLINE_S
    with Connection(bootstrap) as connection:
        while True:
            # This creates __consumer_offsets.
            connection.ask("FindCoordinator", 4, FindCoordinatorRequest(coordinator_keys=[group]))
            response = connection.ask("OffsetCommit", 8, request).topics[0].partitions[0]
            if response.error_code not in NOT_YET:
                break
            assert time.monotonic() < deadline, response
            time.sleep(0.05)
    assert response.error_code == 0, response
