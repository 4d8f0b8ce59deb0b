"""`tidemark watch` as a process of its own."""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

from tests.broker_process import BrokerProcess

DEADLINE_S: Final = 240


class WatchProcess(BrokerProcess):
    """`python -m tidemark watch` on a cluster. options: more of the command line."""

    def __init__(self, folder: Path, cluster: str, *options: str) -> None:
        super().__init__(folder)
        self._cluster = cluster
        self._options = options

    def __enter__(self) -> WatchProcess:
        self.start()
        self.until_read()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _command(self) -> list[str]:
        return [
            sys.executable, "-m", "tidemark", "watch", "--bootstrap-server", self._cluster,
            "--http", f"127.0.0.1:{self.http.rpartition(':')[2] or 0}", "--refresh", "200ms",
            "--ready-file", str(self._ready_file), *self._options,
        ]  # fmt: skip

    def _wait_until_ready(self, deadline: float) -> dict[str, str]:
        return {"bootstrap_servers": self._cluster, **super()._wait_until_ready(deadline)}

    def get(self, path: str, **query: object) -> Any:
        """Return the response of the HTTP API, as JSON if it is."""
        url = f"http://{self.http}{quote(path)}?{urlencode(query)}"
        with urllib.request.urlopen(url, timeout=10) as response:
            text = response.read().decode()
        return json.loads(text) if path.startswith("/v1") else text

    def refused(self, path: str, method: str = "GET") -> tuple[int, str]:
        """Return status and text of a response that is an error."""
        request = urllib.request.Request(f"http://{self.http}{path}", method=method)
        try:
            urllib.request.urlopen(request, timeout=10)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        raise AssertionError(f"{method} {path} was not refused")

    def until_read(self) -> None:
        """Wait until the log was read to its end."""
        self.until(lambda: self.get("/readyz") == "ok\n")

    def until(self, is_so: Callable[[], object]) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while True:
            try:
                if is_so():
                    return
            except urllib.error.HTTPError as error:
                error.close()
            assert time.monotonic() < deadline, self.said()[-4000:]
            time.sleep(0.05)

    def offsets(self, **query: object) -> dict[tuple[str, str, int], dict[str, Any]]:
        """Return the committed offsets by group, topic and partition."""
        found = self.get("/v1/offsets", limit=1000, **query)
        assert found["cursor"] is None
        return {(each["group"], each["topic"], each["partition"]): each for each in found["offsets"]}
