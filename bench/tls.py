"""Small requests with TLS and without: commits of many connections on two listeners of one broker."""

from __future__ import annotations

from pathlib import Path

from bench import load
from bench.commits import check_commit, commit_frames
from bench.rows import Effort, Row, load_row
from bench.servers import Ours, create_topic, port_of
from tests.authorities import Authority
from tests.broker_process import free_port

SHAPES = ((64, 1), (64, 16), (1, 1))


def tls(folder: Path, effort: Effort) -> list[Row]:
    keys = Authority().sign(use_rsa=True)
    file = folder / "keys.pem"
    file.write_text(keys.key() + keys.chain)
    port = free_port()
    settings = {
        "tidemark.sync": "never",
        "listeners": f"PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:{port}",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(file),
    }
    server = Ours(folder / "broker", settings)
    rows = []
    try:
        create_topic(server)
        for connections, pipelining in SHAPES:
            for encrypted in (False, True):
                wanted = load.Load(connections, pipelining, effort.warmup_ms, effort.measure_ms, encrypted)
                where = port if encrypted else port_of(server)
                measured = load.run(wanted, where, server.pid, commit_frames(connections))
                check_commit(measured.first_response)
                name = f"{'TLS' if encrypted else 'plain'} commit {connections}x{pipelining}"
                rows.append(load_row(name, measured))
                rows[-1].stall_ms = server.stall_ms()
    finally:
        server.stop()
    return rows
