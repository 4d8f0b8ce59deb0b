"""`python wire_tables.py BOOTSTRAP DATA COPY JARS`: print each table of a cluster and of its directory.

COPY has the logs of `__consumer_offsets` only. First with an open transaction (tx-2), then after its end. The
rows are those that a consumer can know: without producers and batches.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tests.pipeline import kafka_story as story
from tests.wire import Connection
from tidemark_pipeline.cli import reading, session, wire
from tidemark_pipeline.cli.commands import COMMANDS
from tidemark_pipeline.cli.options import WITH_RETENTION, Options, parse
from tidemark_pipeline.cli.progress import Progress
from tidemark_pipeline.source.session import register
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

bootstrap, data, copy, jars = sys.argv[1:]
UNSEEN: Final = {
    "producer_id",
    "producer_epoch",
    "transactional",
    "transactional_commits",
    "batch_base_offset",
    "batch_last_offset",
    "history_complete_from",
    "history_complete_from_ms",
}


def asked(command: str, *source: str) -> Options:
    retention = ["--retention", "7d"] if command in WITH_RETENTION else []
    return parse([command, *source, *retention, "--as-of", str(reading.now_ms() + 1000)])


def rows(scan: reading.Scan, command: str) -> list[str]:
    table = COMMANDS[command].table(scan)
    table = table.select(*(name for name in table.columns if name not in UNSEEN))
    return sorted(
        json.dumps(row.asDict(recursive=True), default=str, sort_keys=True) for row in table.collect()
    )


def of_cluster(spark: SparkSession, command: str) -> wire.ClusterScan:
    return wire.begin(spark, asked(command, "--bootstrap-server", bootstrap), reading.now_ms(), Progress())


def of_directory(spark: SparkSession, scan: reading.Scan, command: str, directory: str) -> reading.Scan:
    options = asked(command, "--log-dir", directory)
    read = reading.begin(replace(options, as_of=scan.reading.as_of_ms), reading.now_ms())
    return reading.Scan(spark, read)


def main() -> None:
    found: dict[str, Any] = {}
    with session.session("local[2]", settings={"spark.jars": jars}, shortly=True) as spark:
        register(spark)
        open_scan = of_cluster(spark, "history")
        found["missing"] = list(open_scan.reading.missing)
        ends = {number: survey.next_offset for number, survey in open_scan.reading.surveys.items()}
        directory = of_directory(spark, open_scan, "history", data)
        for command in ("history", "groups"):
            stable = [each for each in rows(directory, command) if _is_below(each, ends)]
            found[f"{command}, open"] = [rows(open_scan, command), stable]
        with Connection(bootstrap) as kafka:
            begin = InitProducerIdRequest("tx-2", 600_000)  # aborts the open one
            story.until_ready(partial(kafka.ask, "InitProducerId", 4, begin))
        scan = of_cluster(spark, "removals")
        found["missing, ended"] = list(scan.reading.missing)
        for command in COMMANDS:
            whole = of_directory(spark, scan, command, copy if command == "removals" else data)
            found[command] = [rows(scan, command), rows(whole, command)]
    print(json.dumps(found))


def _is_below(row: str, ends: dict[int, int]) -> bool:
    read = json.loads(row)
    return bool(read["log_offset"] < ends[read["log_partition"]])


main()
