"""A start imports only what it needs. Each module costs time and memory, and no other test notices it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

# Modules and packages that a start does not need. msgspec imports decimal, platform and uuid.
LATE = (
    "confluent_kafka",
    "cryptography",
    "cramjam.variants",
    "email",  # importlib.metadata, of crc32c
    "hashlib",
    "google",  # regular expressions of consumer groups
    "importlib.metadata",
    "numpy",
    "re2",
    "secrets",
    "starlette",
    "tidemark.authorization.standard",
    "tidemark_tools.groups",
    "tidemark.cleanup.transactions",
    "tidemark_tools.client",
    "tidemark.node.time",
    "tidemark.groups.consumer",
    "tidemark.groups.explain",
    "tidemark.groups.streams",
    "tidemark.groups.unserved",
    "tidemark_http.serving",
    "tidemark_http.tls",
    "tidemark.log.takeover",
    "tidemark.node.share_coordinator",
    "tidemark.node.transactions",
    "tidemark.security",
    "tidemark.server.certificates",
    "tidemark.server.interceptors",
    "tidemark.settings.key_stores",
    "tidemark.server.tls",
    "tidemark.settings.jaas",
    "tidemark.settings.tls",
    "tidemark.settings.sasl",
    "tidemark.share_coordinator",
    "tidemark_testing",
    "tidemark.transactions",
    "tidemark_expiry.sentences",
    "tidemark_protocol.messages.consumer_group_heartbeat",
    "tidemark_protocol.messages.streams_group_heartbeat",
    "tidemark_protocol.records.transaction_log",
    "tidemark_protocol.stored_share_state",
    "tidemark_protocol.stored_transactions",
    "uvicorn",
    "xxhash",
    "yaml",
)

LOGGING = "structlog"  # a slow machine may log a stall, which imports more


def test_a_start_imports_no_module_that_it_does_not_use(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tidemark", "serve", "--port", "0", "--http-port", "0"]
    for _ in range(2):  # a new directory, and one with a stored state
        with (
            (tmp_path / "imports").open("w") as stderr,
            subprocess.Popen(
                [*command, "--data-dir", str(tmp_path / "data")],
                env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"},
                stdout=subprocess.PIPE,
                stderr=stderr,
            ) as broker,
        ):
            assert broker.stdout is not None
            ready = json.loads(broker.stdout.readline())
            broker.kill()
        assert ready["bootstrap_servers"]
        lines = (tmp_path / "imports").read_text().splitlines()
        modules = [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]
        imported = set(takewhile(lambda name: not name.startswith(LOGGING), modules))
        assert "tidemark.groups.state" in imported
        assert not {name for name in imported for late in LATE if f"{name}.".startswith(f"{late}.")}
