"""The command line of `tidemark-pipeline`: its help, and the given options as values."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Final, Literal, NoReturn, get_args

from tidemark_pipeline.cli import conditions
from tidemark_pipeline.cli.conditions import CONDITIONS, Asked
from tidemark_pipeline.cli.outdir import TABLES
from tidemark_pipeline.cli.server_properties import INT_MAX, Expiry, read_expiry
from tidemark_pipeline.cli.words import EPOCH, duration_ms
from tidemark_pipeline.logs.cluster import Cluster
from tidemark_pipeline.model import OnError
from tidemark_pipeline.retention import MINUTE_MS, SETTING, Retention
from tidemark_protocol.java_properties import read_properties

Format = Literal["parquet", "csv", "json", "delta", "iceberg"]
AsOf = int | Literal["log", "now"]

SHOWN: Final = 20
WRONG: Final = 2  # the exit code of a wrong command line
TABLE_EVERY_S: Final = 60  # each commit adds files that someone must compact; Iceberg advises a minute
PORT_MAX: Final = 65_535
CONNECT: Final = "sc://"  # the scheme of a --master on Spark Connect

COMMANDS: Final = {
    "history": "every offset commit and every tombstone of one, in the order of the log",
    "groups": "every record about a group: states, members, assignments",
    "current": "the current committed offsets",
    "timeline": "the states and rebalances of each group",
    "forecast": "which committed offsets expire next, when, and by which rule",
    "removals": "which committed offsets were removed, when, and why",
    "lag": "how far each group is behind the end of its partitions",
    "rates": "offset commits per minute",
    "rewinds": "commits of a lower offset than the one before",
    "report": "all tables on one HTML page",
    "check": "for cron and CI: exit with 3 if a condition matches",
}

TABLE_COMMANDS: Final = frozenset(COMMANDS) - {"report", "check"}
WITH_RETENTION: Final = ("forecast", "removals", "report", "check")
USERS: Final[Mapping[str, Collection[str]]] = {  # of the options that not every command uses
    "transactions": ("history",),
    "retention": WITH_RETENTION,
    "retention-minutes": WITH_RETENTION,
    "config": WITH_RETENTION,
    "out": TABLE_COMMANDS | {"report"},
    "format": TABLE_COMMANDS,
    "show": TABLE_COMMANDS | {"check"},
    "columns": TABLE_COMMANDS,
    "reset-csv": ("removals",),
    **dict.fromkeys(conditions.OPTIONS, ("check",)),
    "quiet": ("check",),
    "prometheus": ("check",),
    "follow": ("history",),
    "once": ("history",),
    "every-seconds": ("history",),
    "settle": ("history",),
}

DESCRIPTION: Final = """\
Show when and why committed offsets were removed or will expire. Reads the `__consumer_offsets` of tidemark
and Apache Kafka, from directories or from a running cluster.

commands:
{commands}

tidemark-pipeline COMMAND --help lists the options of that command only.
"""
CHECK_HELP: Final = """\
Exit with 3 if one of these conditions matches, with 0 if none does. At least one is required."""
EPILOG: Final = """\
{rows}TIME is ISO 8601 (2026-11-21T13:00:00Z; UTC without a zone) or
milliseconds since 1970. docs/pipeline.md explains every column.

{examples}

The exit code is 0 for success, 1 for a failure, 2 for a wrong command line, 3 if check matches.
"""
EXAMPLES: Final = (
    "history --log-dir /var/lib/kafka --follow --out history",
    "current --log-dir /var/lib/kafka --group billing",
    "forecast --log-dir /var/lib/kafka",
    "forecast --log-dir /var/lib/kafka --as-of now --retention 1d,7d --out next",
    "removals --log-dir /var/lib/kafka --config /etc/kafka/server.properties",
    "removals --log-dir /disk1 /disk2 --group 'billing*' --reset-csv lost.csv",
    "report --log-dir /var/lib/kafka --out report.html",
    "removals --bootstrap-server kafka:9092 --command-config client.properties",
    "check --log-dir /var/lib/kafka --expires-within 1d --lag-over 10000",
)


@dataclass(slots=True, frozen=True)
class Options:
    """One call of the command.

    as_of       "log": the newest record; a time in ms; "now"
    retention   known if it was given, else assumed
    show        rows to print; None: a few if there is no out
    columns     to print; None: the most important ones
    every_s     seconds between the micro-batches of --follow, at least
    spark       Spark settings
    json        print JSON
    conditions  of check
    quiet       check prints nothing if no condition matches
    prometheus  the file of check for the textfile collector
    on_error    skip: read on behind damage
    cluster     to read instead of log_dirs; None: log_dirs
    """

    command: str
    log_dirs: Sequence[str]
    out: str | None
    as_of: AsOf
    retention: Retention
    group: str | None
    transactions: Literal["committed", "all"]
    master: str | None
    format: Format
    show: int | None
    columns: Sequence[str] | None
    follow: bool
    once: bool
    settle: bool
    every_s: int
    reset_csv: str | None
    traceback: bool
    spark: Mapping[str, str]
    json: bool = False
    conditions: Sequence[Asked] = ()
    quiet: bool = False
    prometheus: str | None = None
    on_error: OnError = "stop_at_tail"
    cluster: Cluster | None = None

    @property
    def tables(self) -> frozenset[str]:
        """Return the commands whose tables this call makes."""
        if self.command == "report":
            return TABLE_COMMANDS
        if self.command == "check":
            return frozenset(CONDITIONS[each.condition].command for each in self.conditions)
        return frozenset({self.command})

    @property
    def rows_shown(self) -> int:
        if self.show is not None:
            return self.show
        return 0 if self.out else SHOWN


def parse(arguments: Sequence[str]) -> Options:
    """Return the options. Raises SystemExit: 2 with a sentence on stderr for a wrong command line, 0 for
    --help.
    """
    parser = _parser(None)
    parser.json = "--json" in arguments
    given = parser.parse_args(arguments)
    _check(given, parser.error)
    return Options(
        command=given.command,
        log_dirs=tuple(map(_absolute, given.log_dir)),
        out=given.out,
        as_of=given.as_of or ("now" if given.command == "check" else "log"),
        retention=_retention(given.retention or given.retention_minutes, given.config),
        group=given.group,
        transactions=given.transactions or "committed",
        master=given.master,
        format=given.format or "parquet",
        show=given.show,
        columns=given.columns,
        follow=given.follow,
        once=given.once,
        settle=given.settle,
        every_s=_every_s(given),
        reset_csv=given.reset_csv,
        traceback=given.traceback,
        json=given.json,
        conditions=conditions.given(given),
        quiet=given.quiet,
        prometheus=given.prometheus,
        on_error="skip" if given.skip_damaged else "stop_at_tail",
        spark=dict(given.conf),
        cluster=_cluster(given),
    )


def _cluster(given: argparse.Namespace) -> Cluster | None:
    if given.bootstrap_server is None:
        return None
    return Cluster(given.bootstrap_server, given.command_config or {})


def _retention(given_ms: Sequence[int] | None, config: Expiry | None) -> Retention:
    interval_ms = (config or Expiry()).check_interval_ms
    known_ms = given_ms or (config and [config.retention_ms])
    return Retention.known(known_ms, interval_ms) if known_ms else Retention.assumed(interval_ms)


def _every_s(given: argparse.Namespace) -> int:
    if given.every_seconds is not None:
        return int(given.every_seconds)
    return TABLE_EVERY_S if given.format in TABLES else 0


def _absolute(path: str) -> str:
    """Make a path absolute: Spark's workers may have another working directory."""
    return path if "://" in path else str(Path(path).absolute())


def _check(given: argparse.Namespace, refuse: Callable[[str], object]) -> None:
    """Check the rules that concern more than one option."""
    _check_command(given, refuse)
    if given.retention and given.retention_minutes:
        refuse("--retention and --retention-minutes cannot be combined")
    if given.once and not given.follow:
        refuse("--once requires --follow")
    if given.every_seconds is not None and (given.once or not given.follow):
        refuse("--every-seconds requires --follow without --once")
    if given.follow and given.settle:
        refuse("--follow and --settle cannot be combined: stop --follow first, then run --settle")
    if (given.follow or given.settle or (given.command == "report" and not given.json)) and not given.out:
        refuse("--out is missing")
    if given.follow and (given.master or "").startswith(CONNECT):
        refuse("--follow cannot run on Spark Connect: run it on the host of the log")
    if given.follow and given.skip_damaged:
        refuse("--skip-damaged cannot be combined with --follow, which writes each row once and for all")
    if given.follow and given.show is not None:
        refuse("--show cannot be combined with --follow")
    if given.follow and given.as_of not in (None, "log"):
        refuse("--as-of cannot be combined with --follow, which reads on as the log grows")
    if given.format and not given.out:
        refuse("--format requires --out")
    if given.command == "check" and not conditions.given(given):
        refuse(f"check needs a condition: {', '.join(f'--{name}' for name in conditions.OPTIONS)}")
    if given.prometheus and not given.prometheus.endswith(".prom"):
        refuse("--prometheus needs a file name that ends in .prom, because node_exporter reads no other file")
    if given.bootstrap_server:
        _check_cluster(given, refuse)
    elif given.command_config:
        refuse("--command-config requires --bootstrap-server")
    elif not given.log_dir and not given.settle:
        refuse("--log-dir is missing, or --bootstrap-server for a running cluster")


def _check_cluster(given: argparse.Namespace, refuse: Callable[[str], object]) -> None:
    if given.log_dir:
        refuse("--bootstrap-server and --log-dir cannot be combined")
    if given.skip_damaged:
        refuse("--skip-damaged requires --log-dir: brokers do not send damaged batches")
    if (given.master or "").startswith(CONNECT):
        refuse("--bootstrap-server cannot be read on Spark Connect, whose client has no JVM")


def _check_command(given: argparse.Namespace, refuse: Callable[[str], object]) -> None:
    """Refuse the options that the command does not use."""
    instead = {"report": ", which writes a page", "check": ": use --json or --prometheus"}
    for option, users in USERS.items():
        value = getattr(given, option.replace("-", "_"))
        if value is None or value is False or given.command in users:
            continue
        if given.command in instead and TABLE_COMMANDS.issubset(users):
            refuse(f"--{option} cannot be combined with {given.command}{instead[given.command]}")
        names = [*users] if len(users) == 1 else [", ".join([*users][:-1]), [*users][-1]]
        refuse(f"--{option} requires the command {' or '.join(names)}")


class _Parser(argparse.ArgumentParser):
    """A parser that reports a wrong command line as JSON if JSON was requested."""

    json = False

    def error(self, message: str) -> NoReturn:
        if not self.json:
            super().error(message)
        self.exit(WRONG, error_document(message, WRONG) + "\n")


def error_document(message: str, exit_code: int) -> str:
    """Return a failure as JSON."""
    return json.dumps({"error": message, "exit_code": exit_code}, ensure_ascii=False)


class _Help(argparse.Action):
    """Print the options of the command before --help, or of all commands."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: object) -> None:
        _parser(namespace.command).print_help()
        parser.exit()


def _parser(command: str | None) -> _Parser:
    """Return a parser of all options. Its help lists those of the command, if there is one."""
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    examples = (each for each in EXAMPLES if command is None or each.startswith(command))
    parser = _Parser(
        prog="tidemark-pipeline",
        usage=f"%(prog)s {command or 'COMMAND'} --log-dir DIR [DIR ...] [option ...]\n"
        f"       %(prog)s {command or 'COMMAND'} --bootstrap-server HOST:PORT [option ...]",
        description=f"{command}: {COMMANDS[command]}" if command else DESCRIPTION.format(commands=listed),
        epilog=EPILOG.format(
            rows="" if command in ("report", "check") else "Without --out the first rows are printed. ",
            examples="\n".join(f"  tidemark-pipeline {each}" for each in examples),
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    parser.add_argument(
        "command",
        choices=COMMANDS,
        metavar="COMMAND",
        help=argparse.SUPPRESS if command else "one of the above",
    )
    _add_reading(parser.add_argument_group("input"))
    _add_assumed(parser.add_argument_group("assumptions"))
    _add_written(parser.add_argument_group("output"))
    _add_check(parser.add_argument_group("check", CHECK_HELP if command in (None, "check") else None))
    _add_running(parser.add_argument_group("execution"))
    for action in parser._actions:
        name = action.option_strings[0].removeprefix("--") if action.option_strings else ""
        if command and command not in USERS.get(name, COMMANDS):
            action.help = argparse.SUPPRESS
    return parser


def _add_reading(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--log-dir",
        nargs="+",
        action="extend",
        default=[],
        metavar="DIR",
        help="log.dirs of one or more brokers, or one directory "
        "__consumer_offsets-N; also s3://, s3a://, gs://, abfs://",
    )
    options.add_argument(
        "--bootstrap-server",
        type=_addresses,
        metavar="HOST:PORT[,...]",
        help="read a running cluster instead, with Spark's source for Kafka; it never writes or commits",
    )
    options.add_argument(
        "--command-config",
        type=_client_properties,
        metavar="FILE",
        help="--bootstrap-server: properties of a Kafka client: security.protocol, sasl.jaas.config, ...",
    )
    options.add_argument("--group", metavar="GLOB", help="only matching groups; * ? [] as in a shell")
    options.add_argument(
        "--transactions",
        choices=("committed", "all"),
        help="history: all includes aborted and open transactions (default: committed)",
    )
    options.add_argument(
        "--skip-damaged",
        action="store_true",
        help="read on behind damaged bytes, and say which offsets are missing (default: fail)",
    )


def _add_assumed(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--as-of",
        type=as_of,
        metavar="TIME",
        help="ignore later records, and use TIME as the current time; now: this computer's clock (default of "
        "check); log: the time of the newest record (default of all other commands)",
    )
    options.add_argument(
        "--retention",
        type=retentions_ms,
        metavar="DURATION[,DURATION...]",
        help=f"{SETTING} of the broker: 7d, 36h, 90min; several to compare (default: that of --config; "
        "without it, one inferred from the log, else Kafka's default, 7d)",
    )
    options.add_argument(
        "--retention-minutes",
        type=retention_minutes_ms,
        metavar="N[,N...]",
        help="the same in minutes",
    )
    options.add_argument(
        "--config",
        type=read_expiry,
        metavar="FILE",
        help=f"server.properties of the broker, for {SETTING} and its check interval",
    )


def _add_written(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--json",
        action="store_true",
        help="print JSON: the rows, or the result, on stdout, and the summary or the error on stderr",
    )
    options.add_argument(
        "--out",
        metavar="DIR",
        help="write exactly this table there; output of an earlier run is replaced, any other content is an "
        "error (report: an .html file)",
    )
    options.add_argument(
        "--format",
        choices=get_args(Format),
        help="format of --out (default: parquet); delta and iceberg load the engine's Spark package",
    )
    options.add_argument(
        "--show",
        type=_count,
        metavar="N",
        help=f"print N rows; check: N groups (default: {SHOWN} without --out)",
    )
    options.add_argument(
        "--columns",
        type=lambda text: tuple(text.split(",")),
        metavar="NAME[,NAME...]",
        help="columns to print; all: every column (default: the most important ones)",
    )
    options.add_argument(
        "--reset-csv",
        metavar="FILE",
        help="removals: write the removed offsets as kafka-consumer-groups --reset-offsets --from-file reads "
        "them",
    )


def _add_check(options: argparse._ArgumentGroup) -> None:
    conditions.add_options(options)
    options.add_argument("--quiet", action="store_true", help="print nothing if no condition matches")
    options.add_argument(
        "--prometheus",
        metavar="FILE.prom",
        help="write the result for the textfile collector of node_exporter",
    )


def _add_running(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--master", metavar="URL", help="Spark master: local[4], spark://..., sc://... (default: local[*])"
    )
    options.add_argument(
        "--conf",
        type=_setting,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a Spark setting; repeatable",
    )
    options.add_argument(
        "--follow", action="store_true", help="history: continue with appended records, until Ctrl-C"
    )
    options.add_argument("--once", action="store_true", help="--follow: stop at the current end of the log")
    options.add_argument(
        "--every-seconds",
        type=_count,
        metavar="N",
        help=f"--follow: write at most every N seconds (default: {TABLE_EVERY_S} for delta and iceberg, "
        "otherwise 0)",
    )
    options.add_argument(
        "--settle",
        action="store_true",
        help="history: clean up --out after --follow, so that every reader finds each row once",
    )
    options.add_argument("--traceback", action="store_true", help="print failures with Spark's full trace")
    options.add_argument("-h", "--help", action=_Help, nargs=0, help="print this help")
    options.add_argument("--version", action="version", version=f"tidemark-pipeline {_version()}")


def _addresses(text: str) -> str:
    for address in text.split(","):
        found = re.fullmatch(r"(?:\[[0-9a-fA-F:.]+\]|[^:\s/]+):(\d{1,5})", address.strip(), re.ASCII)
        if found is None or not 1 <= int(found[1]) <= PORT_MAX:
            raise argparse.ArgumentTypeError(f"{address.strip()!r} is not HOST:PORT")
    return ",".join(address.strip() for address in text.split(","))


def _client_properties(path: str) -> dict[str, str]:
    try:
        return read_properties(Path(path).read_text("iso-8859-1"))  # as Java reads it
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{path}: {error}") from None


def as_of(text: str) -> AsOf:
    """Return a time in ms, "log" or "now". Raises argparse.ArgumentTypeError for anything else."""
    if text == "log" or text == "now":
        return text  # type: ignore[return-value] # mypy does not narrow str by ==
    if re.fullmatch(r"-?\d{1,19}", text, re.ASCII):
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time: use ISO 8601 or milliseconds since 1970"
        ) from None
    return _epoch_ms(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _epoch_ms(moment: datetime) -> int:
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def _version() -> str:
    try:
        return metadata.version("tidemark-broker")
    except metadata.PackageNotFoundError:  # run from a checkout, or shipped with --py-files
        return "(not installed)"


def retentions_ms(text: str) -> tuple[int, ...]:
    """Return durations in ms, each a whole number of minutes that Kafka accepts.

    Raises argparse.ArgumentTypeError for anything else.
    """
    given = [part.strip() for part in text.split(",")]
    if all(re.fullmatch(r"\d+", part, re.ASCII) for part in given):
        raise argparse.ArgumentTypeError(f"{text!r} has no unit: use --retention-minutes, or 7d, 36h, 90min")
    found = [duration_ms(part) for part in given]
    for part, ms in zip(given, found, strict=True):
        if ms % MINUTE_MS or not 1 <= ms // MINUTE_MS <= INT_MAX:
            raise argparse.ArgumentTypeError(
                f"{part!r}: {SETTING} must be a whole number of minutes from 1 to {INT_MAX}"
            )
    return tuple(dict.fromkeys(found))


def retention_minutes_ms(text: str) -> tuple[int, ...]:
    """Return minutes in ms, each at least 1 as in Kafka. Raises argparse.ArgumentTypeError for anything
    else.
    """
    given = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"\d{1,10}", part, re.ASCII) for part in given):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of minutes, or several separated by commas"
        )
    minutes = [int(part) for part in given]
    if any(not 1 <= number <= INT_MAX for number in minutes):
        raise argparse.ArgumentTypeError(f"{SETTING} must be from 1 to {INT_MAX}")
    return tuple(dict.fromkeys(number * MINUTE_MS for number in minutes))


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows")
    return int(text)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value
