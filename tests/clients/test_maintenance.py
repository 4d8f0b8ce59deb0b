"""docs/maintenance.md: its commands and files do what it says, with a broker that runs."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import subprocess
import sys
import tarfile
from collections.abc import Collection, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Final

import pytest

from tests import needs
from tests.broker_process import BrokerProcess, environment
from tests.clients.client import Client, batch
from tests.clients.load import Committer, IdempotentProducer, LoadClient, Producer, until_cut_off
from tests.wire import Connection
from tidemark.log.directory import FORMAT_VERSION
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_testing.wire import create_topic
from tidemark_tools.http_api import Api

pytestmark = [pytest.mark.contract, pytest.mark.slow]

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "maintenance.md").read_text("utf-8")
EARLY: Final = ROOT / "tests" / "golden" / "tidemark-2026-11-21" / "data.tar.gz"
UNIT: Final = ROOT / "systemd" / "tidemark.service"
SETTINGS: Final = {
    "log.segment.bytes": str(1 << 20),
    "offsets.topic.segment.bytes": str(1 << 20),
    "log.cleaner.backoff.ms": "100",
    "log.flush.offset.checkpoint.interval.ms": "200",
}
ACKNOWLEDGED: Final = 200


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path, SETTINGS)
    running.start()
    yield running
    running.stop()


# Backup.


async def test_backup_has_everything_that_was_acknowledged_before_it_began(
    broker: BrokerProcess, tmp_path: Path
) -> None:
    for topic in ("orders", "records"):
        create_topic(broker.bootstrap, topic, 2, {})
    with Connection(broker.bootstrap) as connection:
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="any"))
    committer = Committer("group", "orders", 2, metadata_bytes=2000)
    producer, idempotent = Producer("records", 0, value_bytes=20_000), IdempotentProducer("records", 1)
    clients = (committer, producer, idempotent)
    running = [asyncio.create_task(until_cut_off(client, broker.bootstrap)) for client in clients]
    await progress(clients)
    backed_up = committer_of, producer_of, idempotent_of = deepcopy(clients)
    await asyncio.to_thread(back_up, broker, tmp_path / "backup")
    # More may be in the backup: what was sent until it was complete.
    committer_of.sent = dict(committer.sent)
    producer_of._sent, idempotent_of._next = producer._sent, idempotent._next
    await progress(clients)
    broker.kill9()
    await asyncio.gather(*running)
    assert not list((broker.data_dir / "tidemark.snapshots").iterdir())

    restored = BrokerProcess(tmp_path / "restored", SETTINGS)
    shutil.copytree(tmp_path / "backup", restored.data_dir)
    restored.start()
    try:
        for client in backed_up:
            assert client.acknowledged > 0
            client.check(restored.bootstrap)
    finally:
        restored.stop()
    broker.restart()
    for client in clients:
        client.check(broker.bootstrap)


async def progress(clients: Collection[LoadClient]) -> None:
    """Wait until each client has got many more acknowledgements."""
    wanted = {client: client.acknowledged + ACKNOWLEDGED for client in clients}
    async with asyncio.timeout(60):
        while any(client.acknowledged < count for client, count in wanted.items()):
            await asyncio.sleep(0.01)


def back_up(broker: BrokerProcess, target: Path) -> None:
    """Run the script of the page."""
    (script,) = re.findall(r"```sh\n(.*?)```", section("Backup"), re.DOTALL)
    script = script.replace("/var/lib/tidemark", str(broker.data_dir)).replace("localhost:9464", broker.http)
    subprocess.run(["sh", "-c", script, "backup", target], check=True, timeout=60)


def test_copy_of_files_from_different_moments_is_refused(broker: BrokerProcess, tmp_path: Path) -> None:
    create_topic(broker.bootstrap, "orders", 1, {})
    with Connection(broker.bootstrap) as connection:
        assert Client(connection).produce("orders", (0, batch(5))) == [0]
        early = tmp_path / "copy" / "data"
        shutil.copytree(broker.data_dir, early)
        assert Client(connection).produce("orders", (0, batch(5))) == [0]
    broker.stop()
    shutil.copy(broker.data_dir / "recovery-point-offset-checkpoint", early)
    copy = BrokerProcess(tmp_path / "copy")
    copy.launch()
    assert copy.wait(30) == 1
    assert "the log ends at offset 5, but 10 was on the disk" in copy.said()


# A full disk.


def test_oldest_segments_can_be_deleted_by_hand(broker: BrokerProcess) -> None:
    create_topic(broker.bootstrap, "orders", 1, {})
    folder = broker.data_dir / "orders-0"
    with Connection(broker.bootstrap) as connection:
        client = Client(connection)
        while len(segments(folder)) < 4:
            assert client.produce("orders", (0, batch(5000))) == [0]
    _, end = ends(broker)
    broker.kill9()
    first, second, third, *_ = segments(folder)
    for number in (first, second):
        for file in folder.glob(f"{number}.*"):
            file.unlink()
    broker.restart()
    assert ends(broker) == (int(third), end)
    with Connection(broker.bootstrap) as connection:
        assert Client(connection).fetch("orders", (0, int(third))) > 0


def ends(broker: BrokerProcess) -> tuple[int, int]:
    """Return the first and the next offset of orders-0."""
    partition, *_ = Api(broker.http).get("/v1/partitions", topic="orders")["partitions"]
    return partition["log_start_offset"], partition["log_end_offset"]


def segments(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.log"))


# Logs.


def test_log_file_can_be_copied_and_truncated(tmp_path: Path) -> None:
    """logrotate's copytruncate does the same."""
    broker = BrokerProcess(tmp_path, {"tidemark.log.level": "info"})
    broker.start()  # it opens the file for appending
    try:
        create_topic(broker.bootstrap, "before", 1, {})
        rotated = broker.output.read_text()
        broker.output.write_bytes(b"")
        create_topic(broker.bootstrap, "after", 1, {})
    finally:
        broker.stop()
    assert "topic created" in rotated and "before" in rotated
    said = broker.output.read_text()
    assert "\0" not in said and "before" not in said
    assert "topic created" in said.splitlines()[0] and "after" in said.splitlines()[0]


# As a service.


@pytest.mark.parametrize("kind", ["file", "abstract"])
def test_systemd_is_told_when_the_broker_serves_and_when_it_stops(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(tmp_path / "notify") if kind == "file" else f"\0tidemark-{tmp_path.name}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", address.replace("\0", "@"))
        broker = BrokerProcess(tmp_path)
        broker.start()
        assert manager.recv(1000).decode() == f"READY=1\nSTATUS=Serving {broker.bootstrap}"
        broker.stop()
        assert manager.recv(1000) == b"STOPPING=1"


def test_broker_starts_if_nobody_listens_at_the_socket_of_systemd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "missing"))
    broker = BrokerProcess(tmp_path)
    broker.start()
    broker.stop()


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    needs.program("systemd-analyze", "systemd")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/tidemark/bin/tidemark", sys.executable))
    checked = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


# Upgrade.


def test_directory_of_an_early_version_is_served_with_all_features(tmp_path: Path) -> None:
    with tarfile.open(EARLY) as archive:
        archive.extractall(tmp_path, filter="data")
    forever = {"offsets.retention.minutes": str(2**31 - 1), "log.retention.ms": "-1"}
    broker = BrokerProcess(tmp_path, forever)
    broker.start()
    try:
        assert ends(broker) == (0, 5)
        (committed,) = Api(broker.http).get("/v1/offsets", group="billing")["offsets"]
        assert (committed["topic"], committed["partition"], committed["offset"]) == ("orders", 0, 5)
        described = said(broker, "tidemark features --bootstrap-server localhost:9092 describe")
    finally:
        broker.stop()
    levels = dict(re.findall(r"Feature: (\S+) .*FinalizedVersionLevel: (\S+)", described))
    assert (levels["group.version"], levels["transaction.version"]) == ("1", "2")


def test_newer_format_is_refused_and_unchanged(tmp_path: Path) -> None:
    with tarfile.open(EARLY) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "data" / "tidemark.properties").write_text(f"tidemark.version={FORMAT_VERSION + 1}\n")
    before = contents(tmp_path / "data")
    broker = BrokerProcess(tmp_path)
    broker.launch()
    assert broker.wait(30) == 1
    (line,) = broker.said().splitlines()
    assert "written by a newer version of tidemark" in line
    assert contents(tmp_path / "data") == before


def contents(folder: Path) -> dict[Path, bytes]:
    """Return the content of all files but the lock, which is empty."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


# Commands and numbers of the page.


def said(broker: BrokerProcess, line: str) -> str:
    """Run a command of the page, and return its output."""
    command = [sys.executable, "-m", *line.replace("localhost:9092", broker.bootstrap).split()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment())
    assert (ran.returncode, ran.stderr) == (0, ""), line
    return ran.stdout


def test_commands_of_the_page_work(broker: BrokerProcess) -> None:
    create_topic(broker.bootstrap, "orders", 1, {})
    lines = re.findall(r"^\$ (tidemark .*--bootstrap-server .*)$", PAGE, re.MULTILINE)
    lines += re.findall(r"`(tidemark .*--bootstrap-server .*?)`", PAGE)
    assert len(lines) == 3
    for line in lines:
        assert said(broker, line)


def test_page_names_the_format_of_the_data_directory() -> None:
    assert f"it is {FORMAT_VERSION} in all versions so far" in section("Upgrade and downgrade")
