"""`tidemark watch` on our own broker, whose time a test can move: removals, restarts, and bad input."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests import certificates
from tests.broker_process import BrokerProcess, environment, free_port
from tests.pipeline import kafka_story as story
from tests.watch_process import WatchProcess
from tests.wire import Connection
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_testing import Tidemark

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SETTINGS: Final = {"tidemark.test.api": "true", "offsets.topic.num.partitions": "4"}
DAY_MS: Final = 86_400_000
SEGMENT_BYTES: Final = 1 << 20  # as small as Kafka allows
CLEANED: Final = {
    **SETTINGS,
    "offsets.topic.segment.bytes": str(SEGMENT_BYTES),
    "log.cleaner.backoff.ms": "100",
    "log.cleaner.min.cleanable.ratio": "0.01",
}
WIDE: Final = range(200)  # the partitions of a topic. A commit to all of them has 800 KB
CLEANED_WITHIN_S: Final = 120


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    process = BrokerProcess(tmp_path / "broker", SETTINGS)
    process.start()
    yield process
    process.stop()


def watching(broker: BrokerProcess, tmp_path: Path, *options: str) -> WatchProcess:
    return WatchProcess(tmp_path / "watch", broker.bootstrap, *options)


def post(broker: BrokerProcess, path: str, **body: Any) -> None:
    request = urllib.request.Request(f"http://{broker.http}{path}", json.dumps(body).encode(), method="POST")
    urllib.request.urlopen(request, timeout=10).close()


def causes(watch: WatchProcess) -> dict[tuple[str, str, int], str]:
    found = watch.get("/v1/expiry/log", limit=1000)["removals"]
    return {(each["group"], each["topic"], each["partition"]): each["cause"] for each in found}


def tell(kafka: Connection) -> None:
    story.create(kafka, {"orders": 6, "fleeting": 1})
    story.until_ready(partial(kafka.ask, "FindCoordinator", 3, FindCoordinatorRequest("left", 0)))
    for group in ("by-client", "with-group", "expiring", "left"):
        story.commit(kafka, group, {0: 10, 1: 11})
    story.commit(kafka, "with-topic", {0: 3}, topic="fleeting")
    story.join_classic(kafka, "classic")
    story.join_consumer(kafka, "consumers")


REMOVED: Final = {
    ("by-client", "orders", 1): "offset_delete",
    ("with-group", "orders", 0): "group_delete",
    ("with-group", "orders", 1): "group_delete",
    ("with-topic", "fleeting", 0): "topic_delete",
}


def remove(kafka: Connection) -> None:
    story.delete_offset(kafka, "by-client", 1)
    assert kafka.ask("DeleteGroups", 2, DeleteGroupsRequest(["with-group"])).results[0].error_code == 0
    kafka.ask("DeleteTopics", 5, DeleteTopicsRequest(topic_names=["fleeting"], timeout_ms=10_000))


def test_it_follows_what_the_broker_knows(broker: BrokerProcess, tmp_path: Path) -> None:
    with Connection(broker.bootstrap) as kafka:
        tell(kafka)
        with watching(broker, tmp_path) as watch:
            assert {place: each["offset"] for place, each in watch.offsets().items()}.items() >= {
                ("left", "orders", 0): 10, ("with-topic", "fleeting", 0): 3,
            }.items()  # fmt: skip
            states = {each["group"]: each["state"] for each in watch.get("/v1/groups")["groups"]}
            assert states["classic"] == "Stable" and states["left"] == "Empty"
            for path in ("/v1/transactions", "/v1/rebalances", "/v1/brokers", "/v1/requests"):
                assert watch.refused(path)[0] == 404
            assert watch.get("/v1/topics/settings", topic="orders")["settings"] == []
            remove(kafka)
            watch.until(lambda: causes(watch) == REMOVED)
            due_ms = watch.offsets(group="expiring")["expiring", "orders", 0]["due_ms"]
            post(broker, "/v1/clock/advance", days=7)
            watch.until(lambda: ("expiring", "orders", 0) in causes(watch))
            gone = watch.get("/v1/expiry/log", group="expiring")["removals"][0]
            assert (gone["cause"], gone["due_ms"], gone["rule"]) == ("expired", due_ms, "standalone")
            assert gone["at_ms"] >= due_ms and "inferred" in gone["explanation"]


def test_the_past_of_the_log_has_the_same_causes(broker: BrokerProcess, tmp_path: Path) -> None:
    with Connection(broker.bootstrap) as kafka:
        tell(kafka)
        remove(kafka)
        story.until_gone(kafka, "with-topic", "fleeting")
    with watching(broker, tmp_path) as watch:
        assert causes(watch) == REMOVED
        # Nothing of the state depends on when the reading began.
        assert watch.get("/v1/broker")["watches"]["compacted_percent"] == 0.0


def test_a_killed_broker_is_followed_again(broker: BrokerProcess, tmp_path: Path) -> None:
    with Connection(broker.bootstrap) as kafka:
        tell(kafka)
    with watching(broker, tmp_path) as watch:
        broker.kill9()
        watch.until(lambda: watch.get("/v1/broker")["watches"]["trouble"])
        broker.restart()
        with Connection(broker.bootstrap) as kafka:
            story.commit(kafka, "left", {0: 12})
            watch.until(lambda: watch.offsets(group="left")["left", "orders", 0]["offset"] == 12)
        assert watch.get("/v1/broker")["watches"]["trouble"] is None


def test_a_cluster_without_committed_offsets_is_followed_from_the_first(
    broker: BrokerProcess, tmp_path: Path
) -> None:
    with watching(broker, tmp_path) as watch, Connection(broker.bootstrap) as kafka:
        assert watch.offsets() == {}
        tell(kafka)
        watch.until(lambda: ("left", "orders", 0) in watch.offsets())
        remove(kafka)
        watch.until(lambda: causes(watch) == REMOVED)


def test_replicas_and_coordinators_are_those_of_the_watched_brokers(tmp_path: Path) -> None:
    several = {"tidemark.brokers": 3, "default.replication.factor": 3, "offsets.topic.num.partitions": 4}
    with Tidemark.start(several) as cluster:
        groups = {"billing": {"orders": {"0": 0}}}
        cluster.create_topics({"topics": {"orders": {"partitions": 3}}, "groups": groups})
        cluster.brokers.stop(2)
        to = 4 - cluster.brokers.coordinator("billing")
        cluster.brokers.move_coordinator("billing", to=to)
        with WatchProcess(tmp_path / "watch", cluster.bootstrap_servers) as watch:
            watch.until(lambda: watch.get("/v1/groups")["groups"])
            (group,) = watch.get("/v1/groups")["groups"]
            assert (group["coordinator"]["node_id"], sorted(group["coordinator"]["isr"])) == (to, [1, 3])
            for each in watch.get("/v1/partitions", topic="orders")["partitions"]:
                assert each["leader"] == cluster.brokers.leader("orders", each["partition"])
                assert (sorted(each["replicas"]), sorted(each["isr"])) == ([1, 2, 3], [1, 3])
            assert watch.get("/v1/broker")["brokers"] == 2  # Metadata does not name the stopped one


def test_since_leaves_out_what_is_older(broker: BrokerProcess, tmp_path: Path) -> None:
    with Connection(broker.bootstrap) as kafka:
        tell(kafka)
        post(broker, "/v1/clock/advance", days=2)
        story.commit(kafka, "young", {0: 1})
    with watching(broker, tmp_path, "--since", "1d", "--retention", "30d") as watch:
        # The clock of the watch is not that of the broker: a day before now, for it, is before all records.
        assert watch.get("/v1/broker")["watches"]["since_ms"] is not None
        assert watch.get("/v1/clock")["retention_ms"] == 30 * 86_400_000


def test_a_cluster_that_was_made_anew_ends_the_watch(broker: BrokerProcess, tmp_path: Path) -> None:
    with Connection(broker.bootstrap) as kafka:
        tell(kafka)
    with watching(broker, tmp_path) as watch:
        broker.stop()
        shutil.rmtree(broker.data_dir)
        broker.restart()
        with Connection(broker.bootstrap) as kafka:
            tell(kafka)
        assert watch.wait(60) == 1
        assert "start anew" in watch.said() and "Traceback" not in watch.said()


@pytest.fixture
def cleaned(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[BrokerProcess]:
    """A broker whose cleaner always runs. The parameter has more settings."""
    process = BrokerProcess(tmp_path / "broker", CLEANED | request.param)
    process.start()
    yield process
    process.stop()


def flood(broker: BrokerProcess, kafka: Connection, offsets: range) -> None:
    """Commit so often that the cleaner removes all but the last segments, and wait for it."""
    for offset in offsets:
        story.commit(kafka, "flood", dict.fromkeys(WIDE, offset), topic="wide", metadata="x" * 4096)
    deadline = time.monotonic() + CLEANED_WITHIN_S
    while log_bytes(broker) > 5 * SEGMENT_BYTES:
        assert time.monotonic() < deadline, "the log is not cleaned"
        time.sleep(0.02)


def log_bytes(broker: BrokerProcess) -> int:
    while True:
        with suppress(FileNotFoundError):  # the cleaner has removed a file since it was listed
            return sum(log.stat().st_size for log in broker.data_dir.glob("__consumer_offsets-*/*.log"))


@contextmanager
def paused(watch: WatchProcess) -> Iterator[None]:
    os.kill(watch.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(watch.pid, signal.SIGCONT)


def committed(kafka: Connection) -> dict[tuple[str, str, int], int]:
    return {place: offset for place, (offset, _, _) in story.committed_of(kafka, "flood").items()}


def watched(watch: WatchProcess) -> dict[tuple[str, str, int], int]:
    return {place: each["offset"] for place, each in watch.offsets(group="flood").items()}


@pytest.mark.parametrize("cleaned", [{}], indirect=True)
def test_segments_that_the_cleaner_removes_are_not_missed(cleaned: BrokerProcess, tmp_path: Path) -> None:
    with Connection(cleaned.bootstrap) as kafka:
        tell(kafka)
        story.create(kafka, {"wide": len(WIDE)})
        story.commit(kafka, "flood", {0: 1, 1: 1})
        with watching(cleaned, tmp_path) as watch:
            with paused(watch):
                story.delete_offset(kafka, "flood", 1)
                flood(cleaned, kafka, range(12))
            watch.until(lambda: watched(watch) == committed(kafka))
            assert causes(watch) == {("flood", "orders", 1): "offset_delete"}
            flood(cleaned, kafka, range(12, 22))  # while it reads
            watch.until(lambda: watched(watch) == committed(kafka))
            assert len(watched(watch)) == len(WIDE) + 1
        with watching(cleaned, tmp_path) as watch:
            assert watched(watch) == committed(kafka)
            assert watch.get("/v1/broker")["watches"]["compacted_percent"] > 50


@pytest.mark.parametrize("cleaned", [{"log.cleaner.delete.retention.ms": "0"}], indirect=True)
def test_a_watch_that_may_have_missed_tombstones_ends(cleaned: BrokerProcess, tmp_path: Path) -> None:
    with Connection(cleaned.bootstrap) as kafka:
        tell(kafka)
        story.create(kafka, {"wide": len(WIDE)})
        story.commit(kafka, "flood", {0: 1, 1: 1})
        with watching(cleaned, tmp_path) as watch:
            with paused(watch):
                flood(cleaned, kafka, range(8))
                story.delete_offset(kafka, "flood", 1)
                flood(cleaned, kafka, range(8, 20))
            assert watch.wait(60) == 1
            assert "start anew" in watch.said() and "Traceback" not in watch.said()
        with watching(cleaned, tmp_path) as watch:
            assert watched(watch) == committed(kafka)
            assert ("flood", "orders", 1) not in watched(watch)


def test_due_times_follow_a_change_of_the_retention(tmp_path: Path) -> None:
    settings = dict(SETTINGS)
    broker = BrokerProcess(tmp_path / "broker", settings)
    broker.start()
    place = "left", "orders", 0
    try:
        with Connection(broker.bootstrap) as kafka:
            tell(kafka)
        fixed = WatchProcess(tmp_path / "fixed", broker.bootstrap, "--retention", "30d")
        with watching(broker, tmp_path) as watch, fixed:
            before = watch.offsets(group="left")[place]
            assert before["due_ms"] == before["committed_ms"] + 7 * DAY_MS
            broker.stop()
            settings["offsets.retention.minutes"] = "1440"
            broker.restart()
            watch.until(
                lambda: watch.offsets(group="left")[place]["due_ms"] == before["committed_ms"] + DAY_MS
            )
            clock = watch.get("/v1/clock")
            assert (clock["retention_ms"], clock["assumed_retention"]) == (DAY_MS, False)
            assert fixed.offsets(group="left")[place]["due_ms"] == before["committed_ms"] + 30 * DAY_MS
    finally:
        broker.stop()


def test_a_cluster_with_tls_is_watched(tmp_path: Path) -> None:
    address = f"localhost:{free_port()}"  # the name in the certificate
    listener = {
        "listener.security.protocol.map": "PLAINTEXT:SSL",
        "advertised.listeners": f"PLAINTEXT://{address}",
    }
    broker = BrokerProcess(tmp_path / "broker", {**SETTINGS, **certificates.SERVER_STORES, **listener})
    broker.bootstrap = address
    broker.start()
    files = {name: tmp_path / f"{name}.properties" for name in ("trusting", "distrusting")}
    files["distrusting"].write_text("security.protocol=SSL\ndefault.api.timeout.ms=3000\n")
    files["trusting"].write_text(
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={certificates.CA}\n"
    )
    try:
        port = int(broker.bootstrap.rpartition(":")[2])
        secured = ssl.create_default_context(cafile=certificates.CA).wrap_socket(
            socket.create_connection(("localhost", port), 30), server_hostname="localhost"
        )
        with Connection(secured) as kafka:
            tell(kafka)
            with watching(broker, tmp_path, "--command-config", str(files["trusting"])) as watch:
                assert watch.offsets(group="left")["left", "orders", 0]["offset"] == 10
                remove(kafka)
                watch.until(lambda: causes(watch) == REMOVED)
        run = started("--bootstrap-server", broker.bootstrap, "--command-config", str(files["distrusting"]))
        assert run.returncode == 1 and "certificate" in run.stderr and "Traceback" not in run.stderr
    finally:
        broker.stop()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "REQUIRED"),
        (("--bootstrap-server", "localhost"), "Invalid url in bootstrap.servers: localhost"),
        (("--bootstrap-server", "localhost:1", "--since", "yesterday"), "--since must be a duration such as"),
        (("--bootstrap-server", "localhost:1", "--retention", "0d"), "--retention must be a duration"),
        (("--bootstrap-server", "localhost:1", "--retention", "90s"), "a whole number of minutes, got '90s'"),
        (("--bootstrap-server", "localhost:1", "--command-config", "/none"), "cannot read /none"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_named(options: tuple[str, ...], said: str) -> None:
    run = started(*options)
    assert run.returncode == 1
    assert said in run.stdout + run.stderr and "Traceback" not in run.stderr


def test_a_cluster_that_does_not_respond_is_named(tmp_path: Path) -> None:
    impatient = tmp_path / "client.properties"
    impatient.write_text("default.api.timeout.ms=1000\n")
    more = ("--command-config", str(impatient))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        run = started("--bootstrap-server", address, *more)
        assert run.returncode == 1 and address in run.stderr and "Traceback" not in run.stderr
    run = started("--bootstrap-server", f"127.0.0.1:{free_port()}", *more)
    assert run.returncode == 1 and "no broker responds" in run.stderr


def started(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tidemark", "watch", *options],
        capture_output=True, text=True, timeout=60, env=environment(),
    )  # fmt: skip
