"""The command line: options become values, and a wrong one is refused with exit code 2."""

from __future__ import annotations

import json
import re
from contextlib import redirect_stdout
from datetime import UTC, datetime
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import pytest

from tidemark_pipeline.cli.commands import shown_columns
from tidemark_pipeline.cli.options import COMMANDS, SHOWN, USERS, Options, parse
from tidemark_pipeline.retention import Retention


def asked(line: str) -> Options:
    return parse(line.split())


def test_defaults_are_kafkas_and_suit_a_first_run() -> None:
    options = asked("forecast --log-dir /data")
    assert options.retention.ms == (7 * 24 * 3_600_000,)  # offsets.retention.minutes=10080
    assert options.retention.check_interval_ms == 600_000  # offsets.retention.check.interval.ms
    assert options.retention.origin == "assumed"
    assert (options.as_of, options.transactions, options.format) == ("log", "committed", "parquet")
    assert (options.out, options.group, options.master) == (None, None, None)
    assert options.rows_shown == SHOWN


def test_several_directories_at_once_or_one_by_one() -> None:
    assert asked("lag --log-dir /a /b --log-dir /c").log_dirs == ("/a", "/b", "/c")


def test_with_out_rows_are_shown_only_on_request() -> None:
    assert asked("lag --log-dir /a --out o").rows_shown == 0
    assert asked("lag --log-dir /a --out o --show 3").rows_shown == 3


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("log", "log"),
        ("now", "now"),
        ("1795227464125", 1_795_227_464_125),
        ("-1", -1),
        ("2026-11-21T02:17:44.125Z", datetime(2026, 11, 21, 2, 17, 44, 125_000, UTC)),
        ("2026-11-21T03:17:44.125+01:00", datetime(2026, 11, 21, 2, 17, 44, 125_000, UTC)),
        ("2026-11-21T02:17", datetime(2026, 11, 21, 2, 17, tzinfo=UTC)),
        ("2026-11-21", datetime(2026, 11, 21, tzinfo=UTC)),
    ],
)
def test_as_of_accepts_a_word_milliseconds_or_iso_8601_in_utc(text: str, meant: object) -> None:
    wanted = round(meant.timestamp() * 1000) if isinstance(meant, datetime) else meant
    assert asked(f"current --log-dir /a --as-of {text}").as_of == wanted


def test_retentions_keep_their_order_without_duplicates() -> None:
    options = asked("forecast --log-dir /a --retention-minutes 10080,1440,1440")
    assert options.retention.ms == (604_800_000, 86_400_000)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("7d", (7 * 86_400_000,)),
        ("36h", (36 * 3_600_000,)),
        ("90min", (90 * 60_000,)),
        ("1d12h,90m,2w", (129_600_000, 5_400_000, 1_209_600_000)),
        ("120s", (120_000,)),
    ],
)
def test_a_retention_is_a_duration(text: str, ms: tuple[int, ...]) -> None:
    assert asked(f"forecast --log-dir /a --retention {text}").retention == Retention.known(ms)


def test_a_given_retention_is_not_assumed() -> None:
    options = asked("removals --log-dir /a --retention-minutes 10080")
    assert options.retention == Retention.known([604_800_000])


@pytest.mark.parametrize("command", ["forecast", "removals", "report --out o.html"])
@pytest.mark.parametrize(
    ("text", "retention_ms", "check_interval_ms"),
    [
        ("offsets.retention.minutes=1", 60_000, 600_000),
        (
            "# a comment\noffsets.retention.minutes: 1440 \noffsets.retention.check.interval.ms = 2000\n",
            86_400_000,
            2_000,
        ),
        ("log.dirs=/data\nno.such.setting=\\u00e9\noffsets.retention.hours=3", 604_800_000, 600_000),
        ("", 604_800_000, 600_000),
        ("offsets.retention.minutes=2147483647", 2_147_483_647 * 60_000, 600_000),
        ("offsets.retention.minutes=1\noffsets.retention.minutes=2", 120_000, 600_000),
        ("offsets.retention.check.interval.ms=9223372036854775807", 604_800_000, 2**63 - 1),
    ],
)
def test_the_retention_is_read_from_a_brokers_properties(
    command: str, text: str, retention_ms: int, check_interval_ms: int, tmp_path: Path
) -> None:
    (tmp_path / "server.properties").write_text(text)
    options = asked(f"{command} --log-dir /a --config {tmp_path}/server.properties")
    assert options.retention == Retention.known([retention_ms], check_interval_ms)


def test_retentions_on_the_command_line_override_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("offsets.retention.minutes=1\noffsets.retention.check.interval.ms=5")
    options = asked(f"forecast --log-dir /a --config {tmp_path}/p --retention-minutes 2,3")
    assert options.retention == Retention.known([120_000, 180_000], 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "offsets.retention.minutes=abc",
            "offsets.retention.minutes must be a whole number from 1 to 2147483647",
        ),
        ("offsets.retention.minutes=0", "got '0'"),
        ("offsets.retention.minutes=-1", "got '-1'"),
        ("offsets.retention.minutes=", "got ''"),
        ("offsets.retention.minutes=1.5", "got '1.5'"),
        ("offsets.retention.minutes=2147483648", "got '2147483648'"),
        ("offsets.retention.minutes=" + "9" * 5_000, "offsets.retention.minutes must be a whole number"),
        (
            "offsets.retention.check.interval.ms=ten",
            "offsets.retention.check.interval.ms must be a whole number from 1 to 9223372036854775807, got "
            "'ten'",
        ),
    ],
)
def test_a_wrong_value_in_the_file_is_one_plain_sentence(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p").write_text(text)
    with pytest.raises(SystemExit) as refused:
        asked(f"removals --log-dir /a --config {tmp_path}/p")
    assert refused.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"tidemark-pipeline: error: argument --config: {tmp_path}/p: ") and said in last


@pytest.mark.parametrize(
    ("name", "said"), [("nothing", "No such file or directory"), (".", "Is a directory")]
)
def test_a_file_that_cannot_be_read_is_named(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        asked(f"removals --log-dir /a --config {tmp_path}/{name}")
    assert f"cannot be read: {said}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "COMMAND"),
        ("everything --log-dir /a", "invalid choice: 'everything'"),
        ("current", "--log-dir is missing"),
        ("current --log-dir /a --as-of yesterday", "'yesterday' is not a time"),
        ("current --log-dir /a --retention-minutes 0", "from 1 to 2147483647"),
        ("current --log-dir /a --retention-minutes 2147483648", "from 1 to 2147483647"),
        ("current --log-dir /a --retention-minutes 1,x", "'1,x' is not a number of minutes"),
        ("current --log-dir /a --show many", "'many' is not a number of rows"),
        ("current --log-dir /a --format xml", "invalid choice: 'xml'"),
        ("current --log-dir /a --follow --out o", "--follow requires the command history"),
        ("current --log-dir /a --settle --out o", "--settle requires the command history"),
        ("current --log-dir /a --transactions all", "--transactions requires the command history"),
        ("lag --log-dir /a --transactions committed", "--transactions requires the command history"),
        (
            "lag --log-dir /a --retention 7d",
            "--retention requires the command forecast, removals, report or check",
        ),
        ("current --log-dir /a --retention-minutes 5", "--retention-minutes requires the command forecast"),
        ("history --log-dir /a --config /dev/null", "--config requires the command forecast, removals,"),
        (
            "check --log-dir /a --rewind --columns group",
            "--columns cannot be combined with check: use --json",
        ),
        ("check --log-dir /a --rewind --format csv", "--format cannot be combined with check: use --json"),
        ("report --log-dir /a --out o.html --reset-csv f", "--reset-csv requires the command removals"),
        (
            "forecast --log-dir /a --retention 7",
            "'7' has no unit: use --retention-minutes, or 7d, 36h, 90min",
        ),
        ("forecast --log-dir /a --retention 7d,week", "'week' is not a duration such as 90s"),
        ("forecast --log-dir /a --retention 90s", "'90s': offsets.retention.minutes must be a whole number"),
        ("forecast --log-dir /a --retention 0d", "a whole number of minutes from 1 to 2147483647"),
        ("forecast --log-dir /a --retention 999999w", "a whole number of minutes from 1 to 2147483647"),
        ("forecast --log-dir /a --retention 7d --retention-minutes 5", "cannot be combined"),
        ("history --log-dir /a --once --out o", "--once requires --follow"),
        (
            "history --log-dir /a --out o --every-seconds 5",
            "--every-seconds requires --follow without --once",
        ),
        ("history --log-dir /a --follow --once --out o --every-seconds 5", "without --once"),
        ("history --log-dir /a --follow", "--out is missing"),
        ("history --log-dir /a --follow --out o --as-of now", "--as-of cannot be combined with --follow"),
        ("history --log-dir /a --follow --out o --show 5", "--show cannot be combined with --follow"),
        (
            "history --log-dir /a --follow --out o --master sc://host",
            "--follow cannot run on Spark Connect",
        ),
        ("history --settle --follow --out o --log-dir /a", "cannot be combined"),
        ("history --log-dir /a --follow --out o --skip-damaged", "cannot be combined with --follow"),
        ("lag --log-dir /a --reset-csv f", "--reset-csv requires the command removals"),
        ("report --log-dir /a", "--out is missing"),
        ("report --log-dir /a --out o.html --show 5", "--show cannot be combined with report"),
        ("report --log-dir /a --out o.html --format csv", "--format cannot be combined with report"),
        ("lag --log-dir /a --format json", "--format requires --out"),
        ("lag --log-dir /a --conf spark.x", "'spark.x' is not KEY=VALUE"),
        ("check --log-dir /a", "check needs a condition: --expires-within, --lag-over, --rewind"),
        ("check --rewind", "--log-dir is missing"),
        ("check --log-dir /a --expires-within 1y", "'1y' is not a duration such as 90s"),
        ("check --log-dir /a --removed-since -1h", "--removed-since: expected one argument"),
        ("check --log-dir /a --removed-since 1", "'1' is not a duration"),
        ("check --log-dir /a --lag-over 10k", "'10k' is not a number of records"),
        ("check --log-dir /a --rewind --out o", "--out cannot be combined with check"),
        ("check --log-dir /a --rewind --prometheus /a/b.txt", "a file name that ends in .prom"),
        ("lag --log-dir /a --lag-over 5", "--lag-over requires the command check"),
        ("rewinds --log-dir /a --rewind-since 1h", "--rewind-since requires the command check"),
        ("lag --log-dir /a --quiet", "--quiet requires the command check"),
    ],
)
def test_a_wrong_command_line_is_refused_in_a_sentence(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        asked(line)
    assert refused.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0s", 0),
        ("90s", 90_000),
        ("15m", 900_000),
        ("15min", 900_000),
        ("1h", 3_600_000),
        ("1d12h", 129_600_000),
        ("2w", 1_209_600_000),
    ],
)
def test_a_duration_is_a_number_with_a_unit(text: str, ms: int) -> None:
    (asked_for,) = asked(f"check --log-dir /a --expires-within {text}").conditions
    assert (asked_for.limit, asked_for.title) == (ms, f"expires-within {text}")


def test_check_uses_the_clock_of_this_computer_and_other_commands_the_newest_record() -> None:
    assert asked("check --log-dir /a --rewind").as_of == "now"
    assert asked("check --log-dir /a --rewind --as-of log").as_of == "log"
    assert asked("rewinds --log-dir /a").as_of == "log"


def test_a_condition_uses_its_table_only() -> None:
    assert asked("check --log-dir /a --lag-over 0").tables == {"lag"}
    options = asked("check --log-dir /a --removed-since 1h --expires-within 1d --rewind")
    assert options.tables == {"forecast", "removals", "rewinds"}
    assert asked("report --log-dir /a --out o.html").tables > {"forecast", "removals", "history"}


def test_a_wrong_command_line_is_json_if_json_is_requested(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        asked("check --json --log-dir /a --lag-over many")
    assert refused.value.code == 2
    said = capsys.readouterr()
    assert said.out == "" and json.loads(said.err) == {
        "error": "argument --lag-over: 'many' is not a number of records",
        "exit_code": 2,
    }


@pytest.mark.parametrize(("given", "has"), [("1440", False), ("1440,10080", True), ("60,60", False)])
def test_forecast_prints_the_retention_if_there_are_several(given: str, has: bool) -> None:
    options = asked(f"forecast --log-dir /a --retention-minutes {given}")
    assert ("retention_ms" in shown_columns(options)) is has
    assert "retention_ms" not in shown_columns(asked(f"removals --log-dir /a --retention-minutes {given}"))


@pytest.mark.parametrize(
    ("more", "seconds"),
    [("", 0), ("--format csv", 0), ("--format delta", 60), ("--format iceberg --every-seconds 5", 5)],
)
def test_commits_to_tables_with_versions_are_a_minute_apart(more: str, seconds: int) -> None:
    assert asked(f"history --log-dir /a --follow --out o {more}").every_s == seconds


def test_the_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked("--help")
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(any(line.startswith(f"  {name} ") for line in lines) for name in COMMANDS)
    assert options_in("") >= {"--follow", "--lag-over", "--reset-csv", "--retention"}


def options_in(command: str) -> set[str]:
    with pytest.raises(SystemExit) as ended, redirect_stdout(StringIO()) as said:
        asked(f"{command} --help")
    assert ended.value.code == 0
    return set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", said.getvalue(), re.MULTILINE))


COMMON = {
    "--skip-damaged",
    "--bootstrap-server",
    "--command-config",
    "--log-dir",
    "--group",
    "--as-of",
    "--json",
    "--master",
    "--conf",
    "--traceback",
    "--help",
    "--version",
}
TABLE = {"--out", "--format", "--show", "--columns"}
RETENTION = {"--retention", "--retention-minutes", "--config"}


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("lag", TABLE),
        ("history", TABLE | {"--transactions", "--follow", "--once", "--every-seconds", "--settle"}),
        ("removals", TABLE | RETENTION | {"--reset-csv"}),
        ("report", RETENTION | {"--out"}),
        (
            "check",
            RETENTION
            | {"--show", "--quiet", "--prometheus", "--expires-within", "--lag-over", "--rewind"}
            | {"--rewind-since", "--removed-since"},
        ),
    ],
)
def test_the_help_of_a_command_lists_the_options_that_it_uses(command: str, more: set[str]) -> None:
    assert options_in(command) == COMMON | more


def test_every_option_of_the_help_of_a_command_is_accepted_by_it() -> None:
    """USERS names no option that does not exist, and no command that does not."""
    assert {f"--{name}" for name in USERS} < options_in("")
    assert all(set(users) <= set(COMMANDS) for users in USERS.values())


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked("--version")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"tidemark-pipeline {version('tidemark-broker')}\n"
