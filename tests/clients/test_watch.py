"""`tidemark watch` on our own broker, whose time a test can move: removals, restarts, and bad input."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess, environment, free_port
from tests.pipeline import kafka_story as story
from tests.watch_process import WatchProcess
from tests.wire import Connection
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SETTINGS: Final = {"tidemark.test.api": "true", "offsets.topic.num.partitions": "4"}


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
            for path in ("/v1/transactions", "/v1/rebalances", "/v1/requests"):
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
