"""Short campaigns: random frames and HTTP requests, damaged files, the most expensive requests."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.broker_process import ROOT, BrokerProcess, RunningBroker, environment
from tests.faults.fuzz import transaction_damage
from tests.faults.fuzz.campaign import OWN_FAILURES, campaign
from tests.faults.fuzz.damage import rounds
from tests.faults.fuzz.ordinary import ALL
from tests.faults.fuzz.worst import CONTROL, MEMORY_MB_MAX, PLAIN, main, rows_of, short, table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CAMPAIGN_S = 20
DAMAGED = 40
TRANSACTIONS_DAMAGED = 3
HTTP_REQUESTS = 300
HTTP_TIMEOUT_S = 15
ENDED_WITHIN_S = 30
# `make worst` holds 100 ms to a request of 100 MB. Other tests run on the same cores as this one.
SHORT_STALL_MS_MAX = 500
SOME_HTTP = (
    b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"POST /readyz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
    b"GET /../etc/passwd HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"\x00\x00\x00\x0d\x00\x12\x00\x00\x00\x00\x00\x07\x00\x03raw",
)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_frames_do_no_harm(seed: int, tmp_path: Path) -> None:
    outcome = campaign(tmp_path, seed, CAMPAIGN_S)
    print(outcome)
    assert outcome.answers.total() > outcome.rounds / 2, "hardly anything was answered"


def test_a_broker_with_a_damaged_file_recovers_or_refuses_in_one_line(tmp_path: Path) -> None:
    outcomes = rounds(tmp_path, seed=1, first=0, count=DAMAGED)
    assert outcomes.total() == DAMAGED
    assert outcomes["served"] > outcomes["refused"] > 0


def test_no_record_of_an_aborted_transaction_is_seen_after_a_file_was_damaged(tmp_path: Path) -> None:
    outcomes = transaction_damage.rounds(tmp_path, seed=1, first=0, count=TRANSACTIONS_DAMAGED)
    assert sum(outcomes.values()) == TRANSACTIONS_DAMAGED


def test_random_http_does_no_harm(broker: RunningBroker) -> None:
    if not isinstance(broker, BrokerProcess):
        pytest.skip("only ours speaks HTTP")
    chance = random.Random(1)
    for _ in range(HTTP_REQUESTS):
        send_http(broker, bent(chance))
    address = broker.http.removeprefix("http://")
    with urllib.request.urlopen(f"http://{address}/livez", timeout=HTTP_TIMEOUT_S) as page:
        assert page.status == 200
    said = broker.said()
    assert not any(failure in said for failure in OWN_FAILURES), said[-4000:]


def test_no_request_of_a_megabyte_stalls_other_clients_or_costs_much_memory(tmp_path: Path) -> None:
    rows = short(tmp_path)
    print(table(rows))
    assert not [row for row in rows if row.failed]
    assert not [row for row in rows if row.stall_ms > SHORT_STALL_MS_MAX or row.memory_mb > MEMORY_MB_MAX]


def test_a_campaign_is_continued_and_sends_few_kinds_in_other_states(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    options = ["--small", "--sizes", "1", "--versions", "highest", "--json", str(file)]
    main([*options, "--api", "OffsetDelete", "--kind", "Topics", "--states", "plain"])
    in_plain = [row for row in rows_of(file) if row.api != CONTROL]
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]))  # as if it had been interrupted before the last row
    main([*options, "--api", "OffsetDelete", "--kind", "Topics", "--states", "plain,denied"])
    continued = file.read_text().splitlines()[len(lines) - 1 :]
    rows = [row for row in rows_of(file) if row.api != CONTROL]
    assert [row.kind for row in rows if row.state == PLAIN] == [row.kind for row in in_plain]
    denied = {row.kind for row in rows if row.state == "denied"}
    assert f"Topics: {ALL}" in denied
    assert denied < {row.kind for row in in_plain}
    assert len(continued) == 2 + 1 + len(denied)  # two controls, and the row that was missing


def test_a_terminated_campaign_leaves_neither_broker_nor_data(tmp_path: Path) -> None:
    campaign_of_heartbeats = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.fuzz.worst", "--small", "--api", "Heartbeat", "--sizes", "1"],
        stdout=subprocess.PIPE,
        env={**environment(), "TMPDIR": str(tmp_path)},
        cwd=ROOT,
    )
    try:
        assert campaign_of_heartbeats.stdout is not None
        assert b"idle control" in campaign_of_heartbeats.stdout.readline()
        assert b"Heartbeat" in campaign_of_heartbeats.stdout.readline()
        assert brokers_on(tmp_path) != []
        campaign_of_heartbeats.terminate()
        assert campaign_of_heartbeats.wait(ENDED_WITHIN_S) == 128 + signal.SIGTERM
    finally:
        campaign_of_heartbeats.kill()
        campaign_of_heartbeats.communicate()
    assert brokers_on(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def brokers_on(folder: Path) -> list[int]:
    """Return the processes that serve a data directory below the folder."""
    return [
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdigit() and names(process, folder)
    ]


def names(process: Path, folder: Path) -> bool:
    try:
        return str(folder).encode() in (process / "cmdline").read_bytes()
    except OSError:  # it has ended
        return False


def bent(chance: random.Random) -> bytes:
    data = bytearray(chance.choice(SOME_HTTP) * chance.choice((1, 1, 2)))
    for _ in range(chance.randint(0, 4)):
        data[chance.randrange(len(data))] = chance.choice((0, 10, 13, 32, 0xFF, chance.randrange(256)))
    if chance.random() < 0.2:
        del data[chance.randrange(1, len(data)) :]
    if chance.random() < 0.1:
        data[5:5] = b"x" * 20_000
    return bytes(data)


def send_http(broker: BrokerProcess, data: bytes) -> None:
    """Send bytes and end the stream. The server may respond or not, but must close the connection."""
    host, _, port = broker.http.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=HTTP_TIMEOUT_S) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass
        except ConnectionError:
            return
