"""The command line of `tidemark-pipeline`: what may be asked, in words, and what was asked, as values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from tidemark_pipeline.cli.server_properties import INT_MAX, RETENTION, WEEK_MINUTES, Expiry, read_expiry

Format = Literal["parquet", "csv", "json"]
AsOf = int | Literal["log", "now"]

SHOWN: Final = 20
CONNECT: Final = "sc://"  # begins a --master of Spark Connect
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

COMMANDS: Final = {
    "history": "every offset commit and every tombstone of one, in the order of the log",
    "groups": "every record about a group: states, members, assignments",
    "current": "the committed offsets as the log leaves them",
    "timeline": "the states and rebalances of each group",
    "forecast": "which committed offsets go next, when, and by which rule",
    "removals": "which committed offsets went, when, and why",
    "lag": "how far each group is behind the end of what it reads",
    "rates": "offset commits per minute",
    "rewinds": "where a group committed an offset below its last one",
    "report": "all of it on one HTML page",
}

DESCRIPTION: Final = """\
What became of committed offsets: a reader of `__consumer_offsets`, as tidemark and Apache Kafka write it.

commands:
{commands}
"""
EPILOG: Final = """\
Without --out the first rows are shown. TIME is ISO 8601 (2026-11-21T13:00:00Z; UTC where it names no zone) or
milliseconds since 1970. Every column is explained in docs/pipeline.md.

  tidemark-pipeline forecast --log-dir /var/lib/kafka
  tidemark-pipeline forecast --log-dir /var/lib/kafka --as-of now --retention-minutes 1440,10080 --out next
  tidemark-pipeline removals --log-dir /var/lib/kafka --config /etc/kafka/server.properties
  tidemark-pipeline removals --log-dir /disk1 /disk2 --group 'billing*' --reset-csv lost.csv
  tidemark-pipeline report --log-dir /var/lib/kafka --out report.html
"""


@dataclass(slots=True, frozen=True)
class Options:
    """One call of the command.

    as_of            "log": the newest record; a time in ms; "now"
    retention_ms     in the order given, at least one
    retention_assumed  nobody gave a retention: it is Kafka's default
    show             rows to be shown; None: as many as is usual if there is no out
    columns          to be shown; None: those that say most
    spark            settings of Spark
    """

    command: str
    log_dirs: Sequence[str]
    out: str | None
    as_of: AsOf
    retention_ms: Sequence[int]
    retention_assumed: bool
    check_interval_ms: int
    group: str | None
    transactions: Literal["committed", "all"]
    master: str | None
    format: Format
    show: int | None
    columns: Sequence[str] | None
    follow: bool
    once: bool
    settle: bool
    reset_csv: str | None
    traceback: bool
    spark: Mapping[str, str]

    @property
    def known_retention_ms(self) -> Sequence[int]:
        return () if self.retention_assumed else self.retention_ms

    @property
    def rows_shown(self) -> int:
        if self.show is not None:
            return self.show
        return 0 if self.out else SHOWN


def parse(arguments: Sequence[str]) -> Options:
    """SystemExit 2 with a sentence on stderr: a wrong command line. SystemExit 0: --help."""
    parser = _parser()
    given = parser.parse_args(arguments)
    _check(given, parser.error)
    configured: Expiry = given.config or Expiry()
    return Options(
        command=given.command,
        log_dirs=tuple(map(_absolute, given.log_dir)),
        out=given.out,
        as_of=given.as_of,
        retention_ms=given.retention_minutes or (configured.retention_ms,),
        retention_assumed=given.retention_minutes is None and given.config is None,
        check_interval_ms=configured.check_interval_ms,
        group=given.group,
        transactions=given.transactions,
        master=given.master,
        format=given.format or "parquet",
        show=given.show,
        columns=given.columns,
        follow=given.follow,
        once=given.once,
        settle=given.settle,
        reset_csv=given.reset_csv,
        traceback=given.traceback,
        spark=dict(given.conf),
    )


def _absolute(path: str) -> str:
    """Spark's workers may run somewhere else."""
    return path if "://" in path else str(Path(path).absolute())


def _check(given: argparse.Namespace, refuse: Callable[[str], object]) -> None:
    """What no single option tells."""
    for name in ("follow", "settle", "once"):
        if getattr(given, name) and given.command != "history":
            refuse(f"--{name} goes with history")
    if given.once and not given.follow:
        refuse("--once goes with --follow")
    if given.follow and given.settle:
        refuse("--follow and --settle exclude each other: settle what was followed when it has stopped")
    if (given.follow or given.settle or given.command == "report") and not given.out:
        refuse("--out is missing")
    if given.transactions == "all" and given.command != "history":
        refuse("--transactions all goes with history: every other table is about what holds")
    if given.follow and (given.master or "").startswith(CONNECT):
        refuse("--follow does not go with Spark Connect: run it where the log is")
    if given.follow and given.show is not None:
        refuse("--show does not go with --follow")
    if given.follow and given.as_of != "log":
        refuse("--as-of does not go with --follow, which reads on as the log grows")
    for name in ("show", "columns", "format"):
        if getattr(given, name) is not None and given.command == "report":
            refuse(f"--{name} does not go with report, which is a page")
    if given.format and not given.out:
        refuse("--format is that of --out, which is missing")
    if given.reset_csv and given.command != "removals":
        refuse("--reset-csv goes with removals")
    if not given.log_dir and not given.settle:
        refuse("--log-dir is missing")


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="tidemark-pipeline",
        usage="%(prog)s COMMAND --log-dir DIR [DIR ...] [--out DIR] [option ...]",
        description=DESCRIPTION.format(commands=listed),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the above")
    _add_reading(parser.add_argument_group("what is read"))
    _add_assumed(parser.add_argument_group("what is assumed"))
    _add_written(parser.add_argument_group("what is written"))
    _add_running(parser.add_argument_group("how it runs"))
    return parser


def _add_reading(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--log-dir",
        nargs="+",
        action="extend",
        default=[],
        metavar="DIR",
        help="a broker's log.dirs (all of several brokers' at once, if you like), or one directory "
        "__consumer_offsets-N; also s3://, s3a://, gs://, abfs://",
    )
    options.add_argument("--group", metavar="GLOB", help="only groups of this name; * ? [] as in a shell")
    options.add_argument(
        "--transactions",
        choices=("committed", "all"),
        default="committed",
        help="all: with history, also what aborted and open transactions wrote (default: committed)",
    )


def _add_assumed(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--as-of",
        type=as_of,
        default="log",
        metavar="TIME",
        help="what was written up to TIME counts, and it is TIME; now: this computer's clock; log (the "
        "default): the time of the newest record",
    )
    options.add_argument(
        "--retention-minutes",
        type=retentions_ms,
        metavar="N[,N...]",
        help=f"{RETENTION} of the broker, several for what-if (default: that of --config; without it "
        f"forecast assumes {WEEK_MINUTES}, as Kafka does, and removals infers what it can)",
    )
    options.add_argument(
        "--config",
        type=read_expiry,
        metavar="FILE",
        help=f"server.properties of the broker, for {RETENTION} and its check interval",
    )


def _add_written(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--out",
        metavar="DIR",
        help="gets exactly this table; what this command wrote there before is replaced, anything else is "
        "left alone (report: an .html file)",
    )
    options.add_argument("--format", choices=("parquet", "csv", "json"), help="of --out (default: parquet)")
    options.add_argument(
        "--show", type=_count, metavar="N", help=f"print N rows (default: {SHOWN} without --out)"
    )
    options.add_argument(
        "--columns",
        type=lambda text: tuple(text.split(",")),
        metavar="NAME[,NAME...]",
        help="of what is printed; all: every one (default: those that say most)",
    )
    options.add_argument(
        "--reset-csv",
        metavar="FILE",
        help="removals: the last committed offset of what went, as kafka-consumer-groups --reset-offsets "
        "--from-file reads it",
    )


def _add_running(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--master", metavar="URL", help="of Spark: local[4], spark://..., sc://... (default: local[*])"
    )
    options.add_argument(
        "--conf",
        type=_setting,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting of Spark; repeatable",
    )
    options.add_argument(
        "--follow", action="store_true", help="history: go on with what is appended, until Ctrl-C"
    )
    options.add_argument("--once", action="store_true", help="--follow: up to what is there now, and end")
    options.add_argument(
        "--settle",
        action="store_true",
        help="history: rewrite --out of --follow so that every reader finds each row once",
    )
    options.add_argument(
        "--traceback", action="store_true", help="a failure with everything Spark says of it"
    )


def as_of(text: str) -> AsOf:
    """A time in ms, or "log" or "now". argparse.ArgumentTypeError: it is none of these."""
    if text == "log" or text == "now":
        return text  # type: ignore[return-value] # mypy does not narrow str by ==
    if re.fullmatch(r"-?\d{1,19}", text, re.ASCII):
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time") from None
    return _epoch_ms(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _epoch_ms(moment: datetime) -> int:
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def retentions_ms(text: str) -> tuple[int, ...]:
    """Minutes, at least 1 as Kafka's setting has it. argparse.ArgumentTypeError: they are not."""
    given = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"\d{1,10}", part, re.ASCII) for part in given):
        raise argparse.ArgumentTypeError(f"{text!r} is not minutes, one number or several with commas")
    minutes = [int(part) for part in given]
    if any(not 1 <= number <= INT_MAX for number in minutes):
        raise argparse.ArgumentTypeError(f"{RETENTION} is from 1 to {INT_MAX}")
    return tuple(dict.fromkeys(number * 60_000 for number in minutes))


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows")
    return int(text)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value
