"""`history --follow`: write appended records to files or to a table of Delta Lake or Iceberg.

The checkpoint in the directory lets a later run continue after a stop or a kill.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli import continuing, iceberg, outdir, output, packages, reading, session
from tidemark_pipeline.cli.options import Options
from tidemark_pipeline.logs.cluster import Cluster, explained
from tidemark_pipeline.logs.directories import find_logs
from tidemark_pipeline.logs.files import looked_again
from tidemark_pipeline.model import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOOK_S: Final = 1.0
PRINT_EVERY_S: Final = 10.0
FINISH_S: Final = 10.0
FINISH_LOOK_S: Final = 0.05


def follow(options: Options) -> None:
    """Write until Ctrl-C, or with --once up to the current end. Raises PipelineError: out is not ours, no
    log.
    """
    output.check_local(options.out, options.format, follow=True)
    local = output.local_path(options.out or "")
    if local is not None:
        continuing.check_goes_on(local, _facts(options))
    if options.cluster is None:
        looked_again(lambda: find_logs(options.log_dirs))
    with (
        session.session(options.master, "tidemark-pipeline --follow", options.spark) as spark,
        explained(options.cluster),
    ):
        packages.check_loaded(spark, options)
        rows = appended(spark, options)
        out = _begun(options)
        shaped = output.as_csv(rows) if options.format == "csv" else rows
        with output.full_disk_reported(str(options.out)):
            stopped = _wait(_query(shaped, out, options), as_json=options.json)
    if stopped and not options.json:
        sys.stderr.write(f"{options.out} has them; the same command continues after them\n")


def _wait(query: Any, *, as_json: bool) -> bool:
    """Block until the query ends or the user interrupts. A restart resumes from the checkpoint.

    Returns whether the user has interrupted.
    """
    watch = _Watch(query, as_json=as_json)
    with _stop_requested() as stop:
        while not stop.is_set() and not query.awaitTermination(LOOK_S):
            watch.look()
        _finish_batch(query)
        query.stop()
        watch.end()
    return stop.is_set()


def _finish_batch(query: Any) -> None:
    """Wait for the end of the micro-batch that runs, so that its rows are counted, for at most FINISH_S."""
    before, deadline = _latest_batch(query), time.perf_counter() + FINISH_S
    while (
        query.status["isTriggerActive"] and _latest_batch(query) == before and time.perf_counter() < deadline
    ):
        time.sleep(FINISH_LOOK_S)


def _latest_batch(query: Any) -> int | None:
    """Return the number of the latest batch that has ended."""
    progress = query.lastProgress
    return None if progress is None else progress["batchId"]


@contextmanager
def _stop_requested() -> Iterator[Event]:
    """Set the event on Ctrl-C and SIGTERM, without interrupting a call of Java."""
    stop = Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (SIGINT, SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def appended(spark: SparkSession, options: Options) -> DataFrame:
    """Return offset_history as a stream."""
    from tidemark_pipeline import register
    from tidemark_pipeline.tables.history import offset_history

    if options.cluster is not None:
        return offset_history(_received(spark, options, options.cluster))
    register(spark)
    stream: Any = spark.readStream.format("tidemark").option("transactions", options.transactions)
    exact = reading.exact_name(options.group)
    if exact is not None:
        from tidemark_pipeline.source.options import option_text

        stream = stream.option("group", option_text("group", exact))
    rows = reading.of_groups(_loaded(stream, options), options.group)
    return offset_history(rows)


def _received(spark: SparkSession, options: Options, cluster: Cluster) -> DataFrame:
    """Return the rows of committed offsets that the cluster sends."""
    from tidemark_pipeline.cli.wire import offsets_partitions
    from tidemark_pipeline.source.decoded import decode_offsets
    from tidemark_pipeline.source.kafka import Admin, stream

    with Admin(spark, cluster) as admin:
        partitions = offsets_partitions(admin, options.group).read
    committed = options.transactions == "committed"
    rows = decode_offsets(stream(spark, cluster, partitions, committed=committed))
    exact = reading.exact_name(options.group)
    return reading.of_groups(rows, options.group) if exact is None else rows.where(rows["group"] == exact)


def _loaded(stream: Any, options: Options) -> DataFrame:
    """Load the stream. Spark's load accepts one path; several need an option of the source."""
    import json

    if len(options.log_dirs) == 1:
        return stream.load(options.log_dirs[0])
    return stream.option("paths", json.dumps(list(options.log_dirs))).load()


def _begun(options: Options) -> str:
    """Create the directory with our marker, and return its URL."""
    assert options.out is not None
    local = output.local_path(options.out)
    if local is None:
        return options.out
    try:
        local.mkdir(parents=True, exist_ok=True)
        outdir.mark(local, _facts(options))
    except OSError as error:
        raise PipelineError(f"{options.out} cannot be written: {error.strerror}") from error
    return f"file://{local.absolute()}"


def _facts(options: Options) -> dict[str, object]:
    """Return the content of the marker."""
    return {
        "command": "history",
        "follow": True,
        "log_dirs": list(options.log_dirs),
        "bootstrap_server": None if options.cluster is None else options.cluster.bootstrap,
        "transactions": options.transactions,
        "group": options.group,
        "format": options.format,
    }


def _query(rows: DataFrame, out: str, options: Options) -> Any:
    checkpoint = f"{out}/{outdir.CHECKPOINT}"
    writer: Any = rows.writeStream.option("checkpointLocation", checkpoint)
    if options.once:
        writer = writer.trigger(availableNow=True)
    elif options.every_s:
        writer = writer.trigger(processingTime=f"{options.every_s} seconds")
    if options.format == "iceberg":
        return writer.foreachBatch(iceberg.appender(out, checkpoint)).start()
    return writer.format(options.format).options(**output.OPTIONS[options.format]).start(out)


class _Watch:
    """Count the rows that a query has written, and print the count now and then."""

    def __init__(self, query: Any, *, as_json: bool) -> None:
        self._query = query
        self._as_json = as_json
        self._rows: dict[int, int] = {}
        self._printed = self._started = time.perf_counter()

    def look(self) -> None:
        for progress in self._query.recentProgress:
            self._rows[progress["batchId"]] = progress["numInputRows"]
        if time.perf_counter() - self._printed >= PRINT_EVERY_S:
            self._print(ended=False)

    def end(self) -> None:
        self.look()
        self._print(ended=True)

    def _print(self, *, ended: bool) -> None:
        self._printed = time.perf_counter()
        rows, seconds = sum(self._rows.values()), self._printed - self._started
        said = f"{rows} rows {'in total' if ended else 'so far'}, {seconds:.0f} s"
        if self._as_json:
            said = json.dumps({"rows": rows, "seconds": round(seconds, 3), "ended": ended})
        sys.stderr.write(f"{said}\n")
        sys.stderr.flush()
