"""A disk that fails under load: the broker stops with one line that says what and where, and a start on a
sound disk finds all that was acknowledged.

Root may write anywhere, so a read-only directory and most other faults are made by a library that is loaded
in front of libc (`shim.c`); one full disk is a real one, a small tmpfs, where the machine lets us mount it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from struct import pack
from typing import Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.load import (
    Committer,
    IdempotentProducer,
    LoadClient,
    Member,
    Producer,
    TopicMaker,
    until_cut_off,
)
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("TIDEMARK_TEST_ORACLE") == "1", reason="ours"),
]

WRITES, SYNCS, NAMES = 1, 2, 4
FOREVER: Final = 0
STOP_WITHIN_S: Final = 20
CANNOT_WRITE: Final = "cannot write, the broker stops"
LOAD_S: Final = 0.4
RECORDS: Final = "records"
SETTINGS: Final = {
    "log.flush.interval.messages": "1",
    "log.segment.bytes": str(1 << 20),
    "offsets.topic.segment.bytes": str(1 << 20),
    "log.flush.offset.checkpoint.interval.ms": "300",
    "group.min.session.timeout.ms": "1000",
}
LOGS: Final = {
    "a user log": f"/{RECORDS}-0",
    "the offsets": "/__consumer_offsets-0",
    "the metadata": "/__cluster_metadata-0",
}


@dataclass(frozen=True)
class Fault:
    kinds: int
    error: int
    tear: bool = False
    times: int = FOREVER


FAULTS: Final = {
    "a full disk": Fault(WRITES, errno.ENOSPC, tear=True),
    "a disk that is full once": Fault(WRITES, errno.ENOSPC, tear=True, times=2),
    "an I/O error": Fault(WRITES, errno.EIO),
    "a sync that fails once": Fault(SYNCS, errno.EIO, times=1),
    "syncs that fail": Fault(SYNCS, errno.EIO),
    "a file system gone read-only": Fault(WRITES | NAMES, errno.EROFS),
}


class Disk:
    """Controls the shim: every process that has it reads this file on each call."""

    FORM: Final = "=6i"

    def __init__(self, library: Path, control: Path) -> None:
        self._library = library
        self._control = control
        control.write_bytes(bytes(256))

    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "FAULTS": str(self._control)}

    def fail(self, fault: Fault, where: str, let_pass: int = 0) -> None:
        """Fail calls on paths that contain where, from now on."""
        fields = pack(self.FORM, 0, fault.error, let_pass, fault.tear, fault.times, 0)
        with self._control.open("r+b") as file:
            file.write(fields + where.encode().ljust(256 - len(fields), b"\0"))
            file.flush()
            file.seek(0)
            file.write(pack("=i", fault.kinds))

    def failed(self) -> int:
        """Return how many calls have failed."""
        return int.from_bytes(self._control.read_bytes()[20:24], "little")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    target = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", target, source, "-ldl"], check=True)
    return target


@pytest.fixture
def disk(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    """Preload the shim in all processes until `monkeypatch.undo()`."""
    made = Disk(library, tmp_path / "faults")
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker that is not started yet."""
    broker = BrokerProcess(tmp_path, SETTINGS)
    yield broker
    if broker.started:
        broker.kill9()
        print(broker.said()[-5000:])


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("kind", FAULTS)
async def test_the_broker_stops_and_nothing_acknowledged_is_lost(
    kind: str, log: str, disk: Disk, failing: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, where = FAULTS[kind], LOGS[log]
    clients = start_under_load(failing)
    await load_until_stopped(failing, clients, lambda: disk.fail(fault, where, let_pass=3))
    assert disk.failed() > 0
    assert_stopped(failing, os.strerror(fault.error), where)
    monkeypatch.undo()
    failing.restart()
    for client in clients:
        client.check(failing.bootstrap)
    await a_little_load(failing, clients, failing.kill9)
    failing.restart()
    for client in clients:
        client.check(failing.bootstrap)


@pytest.mark.parametrize("log", LOGS)
async def test_a_read_only_directory_stops_the_broker_at_the_next_segment_or_checkpoint(
    log: str, disk: Disk, failing: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients = start_under_load(failing)
    where = str(failing.data_dir)
    paths = where + LOGS[log] if log != "the metadata" else where
    await load_until_stopped(failing, clients, lambda: disk.fail(Fault(NAMES, errno.EROFS), paths))
    assert_stopped(failing, os.strerror(errno.EROFS), where)
    monkeypatch.undo()
    failing.restart()
    for client in clients:
        client.check(failing.bootstrap)


async def test_a_removed_directory_stops_the_broker(failing: BrokerProcess) -> None:
    clients = start_under_load(failing)
    await load_until_stopped(failing, clients, lambda: shutil.rmtree(failing.data_dir, ignore_errors=True))
    assert_stopped(failing, os.strerror(errno.ENOENT), str(failing.data_dir))


@pytest.mark.parametrize("kind", ["a full disk", "a sync that fails once", "a file system gone read-only"])
async def test_a_stop_on_a_failing_disk_reports_it(kind: str, disk: Disk, failing: BrokerProcess) -> None:
    clients = start_under_load(failing)
    await a_little_load(failing, clients)
    disk.fail(FAULTS[kind], str(failing.data_dir))
    failing.terminate()
    assert_stopped(failing, os.strerror(FAULTS[kind].error), str(failing.data_dir))


@pytest.mark.parametrize("kind", ["a full disk", "syncs that fail", "a file system gone read-only"])
@pytest.mark.parametrize("before", ["on an empty directory", "after a kill"])
async def test_a_start_on_a_failing_disk_prints_one_line(
    kind: str, before: str, disk: Disk, failing: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[LoadClient] = []
    if before == "after a kill":
        clients = start_under_load(failing)
        await a_little_load(failing, clients, failing.kill9)
    said = failing.said() if clients else ""
    disk.fail(FAULTS[kind], str(failing.data_dir))
    failing.launch()
    assert failing.wait(STOP_WITHIN_S) == 1
    words = failing.said()[len(said) :]
    assert "Traceback" not in words, words
    # Where there was nothing to write it starts, and stops at its first checkpoint.
    lines = [line for line in words.splitlines() if line.startswith("tidemark: ") or CANNOT_WRITE in line]
    assert len(lines) == 1, words
    assert os.strerror(FAULTS[kind].error) in lines[0]
    assert str(failing.data_dir) in lines[0]
    monkeypatch.undo()
    failing.restart()
    for client in clients:
        client.check(failing.bootstrap)


async def test_a_full_disk_stops_the_broker(tmp_path: Path) -> None:
    """A tmpfs of 12 MB: the next start gets a larger one."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "none", folder], capture_output=True
    ).returncode:
        pytest.skip("this machine does not let us mount a tmpfs")
    broker = BrokerProcess(folder, SETTINGS)
    try:
        clients = start_under_load(broker)
        await load_until_stopped(broker, clients, lambda: None)
        assert_stopped(broker, os.strerror(errno.ENOSPC), str(broker.data_dir))
        subprocess.run(["mount", "-o", "remount,size=200m", folder], check=True)
        broker.restart()
        for client in clients:
            client.check(broker.bootstrap)
        broker.stop()
    finally:
        if broker.started:
            broker.kill9()
        subprocess.run(["umount", "-l", folder], check=True)


def start_under_load(broker: BrokerProcess) -> list[LoadClient]:
    broker.start()
    with Connection(broker.bootstrap) as connection:
        create = CreateTopicsRequest([CreatableTopic("orders", 2, 1), CreatableTopic(RECORDS, 2, 1)])
        assert {t.error_code for t in connection.ask("CreateTopics", 7, create).topics} == {ErrorCode.NONE}
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="any"))
    return [
        Committer("group", "orders", 2, metadata_bytes=2000),
        Producer(RECORDS, 0, value_bytes=20_000),
        IdempotentProducer(RECORDS, 1),
        TopicMaker("made"),
        Member("members"),
    ]


async def load_until_stopped(broker: BrokerProcess, clients: list[LoadClient], harm: object) -> None:
    """Produce load, then break the disk, then produce load until every client is disconnected."""
    running = [asyncio.create_task(until_cut_off(client, broker.bootstrap)) for client in clients]
    await asyncio.sleep(LOAD_S)
    assert callable(harm)
    harm()
    done, pending = await asyncio.wait(running, timeout=STOP_WITHIN_S)
    for task in pending:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    assert not pending, f"{len(pending)} clients are still connected"
    for task in done:
        task.result()


async def a_little_load(broker: BrokerProcess, clients: list[LoadClient], end: object = None) -> None:
    running = [asyncio.create_task(until_cut_off(client, broker.bootstrap)) for client in clients]
    await asyncio.sleep(LOAD_S)
    if callable(end):
        await asyncio.to_thread(end)
    else:
        for task in running:
            task.cancel()
    for outcome in await asyncio.gather(*running, return_exceptions=True):
        assert outcome is None or isinstance(outcome, asyncio.CancelledError), outcome


def assert_stopped(broker: BrokerProcess, what: str, where: str) -> None:
    """Check that the broker exits with code 1 and logs one line with the error and the path."""
    assert broker.wait(STOP_WITHIN_S) == 1
    said = broker.said()
    assert "Traceback" not in said, said[-4000:]
    lines = [line for line in said.splitlines() if CANNOT_WRITE in line]
    assert len(lines) == 1, lines
    assert what in lines[0], lines[0]
    assert where in lines[0], lines[0]
