"""The command line: what is asked becomes values, and what makes no sense is refused with exit code 2."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tidemark_pipeline.cli.options import COMMANDS, SHOWN, Options, parse


def asked(line: str) -> Options:
    return parse(line.split())


def test_defaults_are_those_of_kafka_and_of_a_first_look() -> None:
    options = asked("forecast --log-dir /data")
    assert options.retention_ms == (7 * 24 * 3_600_000,)  # offsets.retention.minutes=10080
    assert (options.as_of, options.transactions, options.format) == ("log", "committed", "parquet")
    assert (options.out, options.group, options.master) == (None, None, None)
    assert options.rows_shown == SHOWN


def test_several_directories_at_once_or_one_by_one() -> None:
    assert asked("lag --log-dir /a /b --log-dir /c").log_dirs == ("/a", "/b", "/c")


def test_nothing_is_shown_of_what_is_written_unless_asked_for() -> None:
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
def test_as_of_is_a_word_milliseconds_or_iso_8601_in_utc(text: str, meant: object) -> None:
    wanted = round(meant.timestamp() * 1000) if isinstance(meant, datetime) else meant
    assert asked(f"current --log-dir /a --as-of {text}").as_of == wanted


def test_retentions_keep_their_order_and_come_once() -> None:
    options = asked("forecast --log-dir /a --retention-minutes 10080,1440,1440")
    assert options.retention_ms == (604_800_000, 86_400_000)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "COMMAND"),
        ("everything --log-dir /a", "invalid choice: 'everything'"),
        ("current", "--log-dir is missing"),
        ("current --log-dir /a --as-of yesterday", "'yesterday' is no time"),
        ("current --log-dir /a --retention-minutes 0", "from 1 to 2147483647"),
        ("current --log-dir /a --retention-minutes 2147483648", "from 1 to 2147483647"),
        ("current --log-dir /a --retention-minutes 1,x", "'1,x' is not minutes"),
        ("current --log-dir /a --show many", "'many' is no number of rows"),
        ("current --log-dir /a --format xml", "invalid choice: 'xml'"),
        ("current --log-dir /a --follow --out o", "--follow goes with history"),
        ("current --log-dir /a --settle --out o", "--settle goes with history"),
        ("current --log-dir /a --transactions all", "--transactions all goes with history"),
        ("history --log-dir /a --once --out o", "--once goes with --follow"),
        ("history --log-dir /a --follow", "--out is missing"),
        ("history --log-dir /a --follow --out o --as-of now", "--as-of does not go with --follow"),
        ("history --log-dir /a --follow --out o --show 5", "--show does not go with --follow"),
        (
            "history --log-dir /a --follow --out o --master sc://host",
            "--follow does not go with Spark Connect",
        ),
        ("history --settle --follow --out o --log-dir /a", "exclude each other"),
        ("lag --log-dir /a --reset-csv f", "--reset-csv goes with removals"),
        ("report --log-dir /a", "--out is missing"),
        ("report --log-dir /a --out o.html --show 5", "--show does not go with report"),
        ("report --log-dir /a --out o.html --format csv", "--format does not go with report"),
        ("lag --log-dir /a --format json", "--format is that of --out, which is missing"),
        ("lag --log-dir /a --conf spark.x", "'spark.x' is not KEY=VALUE"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        asked(line)
    assert refused.value.code == 2
    assert said in capsys.readouterr().err


def test_the_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked("--help")
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(any(line.startswith(f"  {name} ") for line in lines) for name in COMMANDS)
