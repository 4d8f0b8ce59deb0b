"""The command `tidemark-pipeline`: read log directories, make one table, print it or write it.

Failures become one sentence and an exit code here.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from tidemark_pipeline.cli import failures, session
from tidemark_pipeline.cli.options import Options, parse
from tidemark_pipeline.model import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidemark_pipeline.cli.commands import Command
    from tidemark_pipeline.cli.reading import Scan

PROGRAM: Final = "tidemark-pipeline"
FAILED: Final = 1
INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 for success, 1 for a failure, 2 for a wrong command line."""
    try:
        code = _main(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of stdout has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


def _main(arguments: Sequence[str] | None) -> int:
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
    except SystemExit as said:
        return int(said.code or 0)
    try:
        _run(options)
    except PipelineError as error:
        return _failed(str(error))
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if options.traceback or not failures.of_spark(error):
            raise
        return _failed(failures.sentence(error))
    return 0


def _failed(sentence: str) -> int:
    _say([f"{PROGRAM}: {sentence}"])
    return FAILED


def _say(lines: Iterable[str]) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


def _run(options: Options) -> None:
    session.check_installed(options.master)
    if options.settle:
        _settle(options)
        return
    session.check_java(options.master)
    session.check_server(options.master)
    if options.follow:
        from tidemark_pipeline.cli.follow import follow

        follow(options)
    else:
        _once(options)


def _settle(options: Options) -> None:
    from tidemark_pipeline.source.settle import settle

    assert options.out is not None
    done = settle(options.out)
    orphans = f"{done.orphans} of unfinished micro-batches moved to _orphans"
    _say([f"{options.out}: {done.files} files kept, {orphans}"])


def _once(options: Options) -> None:
    """Make one table, or the report, from the current logs. Check what can fail before Spark starts, which is
    slow.
    """
    from tidemark_pipeline.cli import progress, reading, summary

    started = time.perf_counter()
    now_ms = reading.now_ms()
    make = _prepared(options)
    read = reading.begin(options, now_ms)
    app_name = f"{PROGRAM} {options.command}"
    with session.session(options.master, app_name, options.spark, shortly=read.is_small) as spark:
        scan = reading.Scan(spark, read)
        with progress.shown(spark, options.command):
            said = make(scan)
            counts = summary.counted(scan.segments)
            retention = summary.used(scan)
    seconds = time.perf_counter() - started
    _say([*said, *summary.lines(read, counts, seconds, now_ms, retention)])


def _prepared(options: Options) -> Callable[[Scan], list[str]]:
    """Return the function that makes the output. Raises PipelineError if it cannot be made."""
    from tidemark_pipeline.cli import commands, output

    if options.command == "report":
        output.check_file(options.out)
        return _reported
    output.check_file(options.reset_csv)
    commands.shown_columns(options)
    output.check_local(options.out)
    return _made


def _reported(scan: Scan) -> list[str]:
    from tidemark_pipeline.cli import output
    from tidemark_pipeline.cli.reporting import collect
    from tidemark_pipeline.report import page

    assert scan.reading.options.out is not None
    output.write_file(scan.reading.options.out, page(collect(scan)))
    return [f"wrote {scan.reading.options.out}"]


def _made(scan: Scan) -> list[str]:
    """Print and write the table. Returns sentences for the summary."""
    from tidemark_pipeline.cli import output, reset_csv, summary
    from tidemark_pipeline.cli.commands import COMMANDS

    options = scan.reading.options
    command = COMMANDS[options.command]
    table = command.table(scan)
    if sum(map(bool, (options.out, options.reset_csv, options.rows_shown))) > 1:
        table = table.persist()  # otherwise each of them would read the log again
    said = []
    if options.out is not None:
        ordered = table if command.as_it_comes else _ordered(table, command)
        output.write(ordered, options.out, options.format, summary.facts(scan.reading, summary.used(scan)))
    if options.reset_csv is not None:
        said.append(reset_csv.write(table, options.reset_csv).sentence(options.reset_csv))
    if options.rows_shown:
        _show(_ordered(table, command), options)
    table.unpersist()
    return said


def _ordered(table: DataFrame, command: Command) -> DataFrame:
    from pyspark.sql.functions import col

    return table.orderBy(*[col(name).asc_nulls_last() for name in command.order])


def _show(table: DataFrame, options: Options) -> None:
    from tidemark_pipeline.cli import show
    from tidemark_pipeline.cli.commands import shown_columns

    chosen = show.for_people(table, shown_columns(options))
    sys.stdout.write(show.text(chosen, options.rows_shown) + "\n")
    sys.stdout.flush()
