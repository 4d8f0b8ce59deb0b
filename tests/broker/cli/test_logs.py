from __future__ import annotations

import json
import subprocess
import sys
from threading import Timer

import pytest

from tests.broker_process import environment

LINES = """
from tidemark.cli.logs import Log
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
    unwanted = "import sys; from tidemark.cli.logs import Log; Log('error', 'json').info('i')"
    code = f"{unwanted}; assert 'structlog' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True)


UNREAD = """
from tidemark.cli.logs import Log
import sys
from threading import Timer
log = Log("warning", "json")
for n in range(1000):
    log.warning("w", reason="x" * 1000, n=n)
log.warning("long", reason="y" * 300_000)
print("still served", flush=True)
sys.stdin.readline()
log.warning("last")
"""


def test_lines_that_nobody_reads_are_dropped_and_counted() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", UNREAD],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    assert process.stdout
    watch = Timer(60, process.kill)  # a line that blocks fails the test below
    watch.start()
    try:
        assert process.stdout.readline() == "still served\n"
        _, err = process.communicate("\n")
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
