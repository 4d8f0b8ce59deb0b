"""An S3 server: moto's, in its own environment."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from pyarrow import fs

from tests.clientenv import client_python

START_SECONDS: Final = 60
RUNNING: Final = re.compile(r"Running on (http://\S+)")
KEYS: Final = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
}


@contextmanager
def serving(place: Path) -> Iterator[str]:
    """Yield the endpoint of a server that runs until the block ends."""
    said = place / "log"
    command = [str(client_python("moto")), "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with said.open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            yield _endpoint(said)
        finally:
            server.kill()


def bucket(endpoint: str, name: str) -> Any:
    """Create a bucket. Returns the file system, which takes the keys from the environment."""
    system = fs.S3FileSystem(
        endpoint_override=endpoint.removeprefix("http://"),
        scheme="http",
        allow_bucket_creation=True,
        allow_delayed_open=True,  # one request a file, not three
    )
    system.create_dir(name)
    return system


def _endpoint(said: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if match := RUNNING.search(said.read_text()):
            return match[1]
        time.sleep(0.05)
    pytest.fail("the server did not start within a minute")
