from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.broker_process import environment

LINES = """
from tidemark.cli.logs import Log
import sys
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
