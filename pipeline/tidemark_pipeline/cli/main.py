"""The command `tidemark-pipeline`: read log directories, make one table, print it or write it.

Failures become one sentence and an exit code here.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidemark_pipeline.cli import failures, packages, session
from tidemark_pipeline.cli.options import WRONG, Options, error_document, parse
from tidemark_pipeline.logs.cluster import explained
from tidemark_pipeline.model import NoSuchGroup, PipelineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidemark_pipeline.cli.commands import Command
    from tidemark_pipeline.cli.reading import Reading, Scan

PROGRAM: Final = "tidemark-pipeline"
FAILED: Final = 1
INTERRUPTED: Final = 130
DAMAGE: Final = re.compile(r"further segments follow$|a whole batch stands at byte \d+$")  # of `logs.tail`


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 for success, 1 for a failure, 2 for a wrong command line, 3 if a condition of
    `check` matches.
    """
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
    before = outputs(options)
    try:
        return _run(options)
    except NoSuchGroup as error:
        return _failed(str(error), options, WRONG)
    except PipelineError as error:
        return _failed(str(error), options)
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, SystemExit) as ended:  # Ctrl-C and SIGTERM
        code = ended.code if isinstance(ended, SystemExit) else INTERRUPTED
        return _failed(interrupted(options, before), options, int(code or 0))
    except Exception as error:
        if options.traceback or not (failures.of_spark(error) or failures.is_of_full_disk(error)):
            raise
        return _failed(failures.sentence(error), options)


def _failed(sentence: str, options: Options, code: int = FAILED) -> int:
    if DAMAGE.search(sentence) and not options.follow:
        sentence += "; --skip-damaged reads on behind it, and says which offsets are missing"
    _say([error_document(sentence, code) if options.json else f"{PROGRAM}: {sentence}"])
    return code


def outputs(options: Options) -> dict[str, object]:
    """Return the version of each output of the command; None: it does not exist, "": it is not local."""
    from tidemark_pipeline.cli import output

    return {out: output.version(out) for out in (options.out, options.reset_csv, options.prometheus) if out}


def interrupted(options: Options, before: Mapping[str, object]) -> str:
    """Return which outputs are complete. Each replaces that of an earlier run at once, except with --follow.

    before: the `outputs` when the command began.
    """
    said = []
    for out, now in outputs(options).items():
        if now is None:
            said.append(f"{out} was not written")
        elif options.follow:
            said.append(f"{out} keeps its rows, and the same command continues after them")
        elif now == "":
            said.append(f"{out} is complete only if it has _SUCCESS")
        else:
            said.append(f"{out} is {'unchanged' if now == before[out] else 'complete'}")
    return ": ".join(["interrupted", ", ".join(said)] if said else ["interrupted"])


def _say(lines: Iterable[str]) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


def _run(options: Options) -> int:
    """Return the exit code."""
    session.check_installed(options.master)
    if options.settle:
        _settle(options)
        return 0
    session.check_java(options.master)
    session.check_server(options.master)
    if options.cluster is not None:
        options.cluster.check_reachable()
    options = packages.added(options, submitted=session.is_given())
    if options.follow:
        from tidemark_pipeline.cli.follow import follow

        follow(options)
        return 0
    return _once(options)


def _settle(options: Options) -> None:
    from tidemark_pipeline.cli import continuing
    from tidemark_pipeline.source.settle import settle

    assert options.out is not None
    continuing.check_settles(options.out)
    done = settle(options.out)
    if options.json:
        _say([json.dumps({"out": options.out, "files": done.files, "orphans": done.orphans, "exit_code": 0})])
        return
    orphans = f"{done.orphans} of unfinished micro-batches moved to _orphans"
    _say([f"{options.out}: {done.files} files kept, {orphans}"])


@dataclass(slots=True, frozen=True)
class Done:
    """The end of a command that has written its output. remarks: sentences for the summary."""

    remarks: Sequence[str] = ()
    code: int = 0


def _once(options: Options) -> int:
    """Make one table, the report or a check from the current logs, and return the exit code. Check what can
    fail before Spark starts, which is slow.
    """
    from tidemark_pipeline.cli import progress, reading, summary, wire

    started = time.perf_counter()
    now_ms = reading.now_ms()
    make = _prepared(options)
    read = None
    if options.cluster is None:
        read = reading.begin(options, now_ms)
        read.check_group()
    app_name = f"{PROGRAM} {options.command}"
    shortly, decodes = read is None or read.is_small, read is not None and _decodes(read)
    with (
        progress.shown(options.command, shows=_shows_progress(options)) as at,
        tempfile.TemporaryDirectory(prefix="tidemark-decoded-") as place,
        session.session(options.master, app_name, options.spark, shortly=shortly, decoded=decodes) as spark,
        explained(options.cluster),
    ):
        packages.check_loaded(spark, options)
        with at.watching(spark):
            if read is None:
                scan: reading.Scan = wire.begin(spark, options, now_ms, at)
                read = scan.reading
            else:
                scan = reading.Scan(spark, read, at, Path(place) if decodes else None)
            done = make(scan)
            counts = summary.counted(scan.segments)
            retention = summary.used(scan)
        at.step("ending Spark")
    seconds = time.perf_counter() - started
    run = summary.Run(read, counts, seconds, now_ms, retention, done.remarks, done.code)
    if done.code or not options.quiet:
        document = [json.dumps(summary.document(run), ensure_ascii=False)] if options.json else None
        _say(document or summary.lines(run))
    return done.code


def _decodes(read: Reading) -> bool:
    """Return whether this process decodes the log into files for Spark.

    Not for tables in the order of the log, which Spark's Python source keeps, and which are read once.
    """
    from tidemark_pipeline.cli.commands import COMMANDS

    options = read.options
    own = session.is_one_process(options.master) and not session.is_given()
    table = COMMANDS.get(options.command)
    return own and read.is_medium and not (table and table.as_it_comes)


def _shows_progress(options: Options) -> bool:
    """Return whether to show progress: stderr has nothing else than JSON if a program reads it."""
    return sys.stderr.isatty() or not (options.json or options.quiet)


def _prepared(options: Options) -> Callable[[Scan], Done]:
    """Return the function that makes the output. Raises PipelineError if it cannot be made."""
    from tidemark_pipeline.cli import commands, output

    if options.command == "check":
        output.check_file(options.prometheus)
        return _checked
    if options.command == "report":
        output.check_file(options.out)
        return _reported
    output.check_file(options.reset_csv)
    commands.shown_columns(options)
    output.check_local(options.out, options.format)
    return _made


def _checked(scan: Scan) -> Done:
    from tidemark_pipeline.cli.check import check

    result = check(scan)
    return Done(result.remarks, result.code)


def _reported(scan: Scan) -> Done:
    from tidemark_pipeline.cli import output
    from tidemark_pipeline.cli.reporting import collect
    from tidemark_pipeline.report import page

    options = scan.reading.options
    data = collect(scan)
    if options.json:
        sys.stdout.write(f"{json.dumps(asdict(data), ensure_ascii=False)}\n")
    if options.out is None:
        return Done()
    output.write_file(options.out, page(data))
    return Done([f"wrote {options.out}"])


def _made(scan: Scan) -> Done:
    """Print and write the table."""
    from tidemark_pipeline.cli import output, reset_csv, summary
    from tidemark_pipeline.cli.commands import COMMANDS

    options = scan.reading.options
    command = COMMANDS[options.command]
    table = command.table(scan)
    if sum(map(bool, (options.out, options.reset_csv, options.rows_shown))) > 1:
        table = table.persist()  # otherwise each of them would read the log again
    said = []
    scan.progress.step(options.command)
    if options.out is not None:
        ordered = table if command.as_it_comes else _ordered(table, command)
        output.write(ordered, options.out, options.format, summary.facts(scan.reading, summary.used(scan)))
    if options.reset_csv is not None:
        said.append(reset_csv.write(table, options.reset_csv).sentence(options.reset_csv))
    if options.rows_shown:
        _show(table, command, scan)
    table.unpersist()
    return Done(said)


def _ordered(table: DataFrame, command: Command) -> DataFrame:
    from pyspark.sql.functions import col

    return table.orderBy(*[col(name).asc_nulls_last() for name in command.order])


def _show(table: DataFrame, command: Command, scan: Scan) -> None:
    from tidemark_pipeline.cli import show
    from tidemark_pipeline.cli.commands import shown_columns

    options = scan.reading.options
    if options.json:
        every = command.as_it_comes and options.show is None
        rows = table if every else _ordered(table, command)
        chosen = rows if options.columns is None else rows.select(*shown_columns(options))
        sys.stdout.writelines(f"{line}\n" for line in show.json_lines(chosen, options.show))
    else:
        chosen = show.for_people(_ordered(table, command), shown_columns(options))
        text = show.text(chosen, options.rows_shown)
        scan.progress.clear()
        sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
