from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from threading import Timer
from typing import IO

import pytest

from tests.broker_process import environment

LINES = """
from tidemark_tools.logs import Log
import sys
from threading import Timer
log = Log({level!r}, {form!r})
log.debug("d"); log.info("i"); log.warning("w", topic="orders"); log.error("e")
log.lifecycle("serving")
"""


def said(level: str, form: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", LINES.format(level=level, form=form)],
        capture_output=True, text=True, env=environment(), check=True,
    )  # fmt: skip
    assert run.stdout == ""
    return run.stderr.splitlines()


@pytest.mark.parametrize(
    ("level", "events"),
    [("debug", ["d", "i", "w", "e"]), ("warning", ["w", "e"]), ("error", ["e"])],
)
def test_lines_below_the_level_are_not_written_except_lifecycle_lines(level: str, events: list[str]) -> None:
    assert [json.loads(line)["event"] for line in said(level, "json")] == [*events, "serving"]


def test_a_json_line_has_a_time_a_level_and_its_fields() -> None:
    line = json.loads(said("warning", "json")[0])
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "w", "level": "warning", "topic": "orders"}


def test_a_console_line_has_no_colors_without_a_terminal() -> None:
    line = said("warning", "console")[0]
    assert "\x1b" not in line
    assert "orders" in line


def test_a_line_below_the_level_does_not_import_structlog() -> None:
    unwanted = "import sys; from tidemark_tools.logs import Log; Log('error', 'json').info('i')"
    code = f"{unwanted}; assert 'structlog' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True)


UNREAD = """
from tidemark_tools.logs import Log
import sys
from threading import Timer
log = Log("warning", "json")
for n in range(1000):
    log.warning("w", reason="x" * 1000, n=n)
log.warning("long", **{f"reason{n}": "y" * 4000 for n in range(75)})
print("still served", flush=True)
sys.stdin.readline()
log.warning("last")
"""


def test_lines_that_nobody_reads_are_dropped_and_counted() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", UNREAD],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    assert process.stdout and process.stderr
    watch = Timer(60, process.kill)  # a line that blocks fails the test below
    watch.start()
    try:
        assert process.stdout.readline() == "still served\n"
        err = drained(process.stderr)
        err += process.communicate("\n")[1]
    finally:
        watch.cancel()
        process.kill()
    whole = [json.loads(line) for line in err.splitlines() if line.endswith("}")]
    written = [line["n"] for line in whole if line["event"] == "w"]
    assert written == list(range(len(written)))
    assert 0 < len(written) < 1000
    dropped, last = whole[-2:]
    assert dropped == {"event": "log lines dropped", "level": "warning", "lines": 1001 - len(written)}
    assert last["event"] == "last"


def drained(pipe: IO[str]) -> str:
    """Return what is in the pipe now."""
    os.set_blocking(pipe.fileno(), False)
    data = b""
    with contextlib.suppress(BlockingIOError):
        while True:
            data += os.read(pipe.fileno(), 1 << 20)
    os.set_blocking(pipe.fileno(), True)
    return data.decode()


NOT_BLOCKING = """
from tidemark_tools.logs import Log
import os, sys
os.set_blocking(2, False)
log = Log("warning", {form!r})
for n in range(1000):
    log.warning("w", reason="x" * 1000, n=n)
print("full", flush=True)
sys.stdin.readline()
log.warning("last")
"""


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_stderr_that_does_not_block_drops_lines_and_counts_them_in_the_format_of_the_log(form: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", NOT_BLOCKING.format(form=form)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment(),
        )  # fmt: skip
        watch = Timer(60, process.kill)
        watch.start()
        try:
            assert process.stdout and process.stdin
            assert process.stdout.readline() == "full\n"
            theirs.close()
            ours.setblocking(False)
            data = b""
            with contextlib.suppress(BlockingIOError):
                while True:
                    data += ours.recv(1 << 20)
            ours.settimeout(30)
            process.communicate("\n")
            while more := ours.recv(1 << 20):
                data += more
        finally:
            watch.cancel()
            process.kill()
    lines = data.decode().splitlines()
    written = sum("x" * 1000 in line for line in lines)
    count, last = lines[-2:]
    assert "last" in last
    assert 0 < written < 1000
    if form == "json":
        assert json.loads(count) == {
            "event": "log lines dropped",
            "level": "warning",
            "lines": 1000 - written,
        }
    else:
        assert count.split() == ["[warning", "]", "log", "lines", "dropped", f"lines={1000 - written}"]


def test_long_texts_are_cut() -> None:
    code = "from tidemark_tools.logs import Log; Log('warning', 'json').warning('w', reason='x' * 32_000)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert json.loads(run.stderr)["reason"] == "x" * 4096 + "..."
