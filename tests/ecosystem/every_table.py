"""Run every command of the pipeline on one log directory, as a process of its own.

every_table.py LOG_DIR OUT [sc://HOST:PORT]

OUT contains one folder of JSON lines for each table, and report.html.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tidemark_pipeline import send_code
from tidemark_pipeline.cli.commands import COMMANDS
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.options import USERS


def run(log_dir: str, out: str, master: str | None) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.config("spark.sql.session.timeZone", "UTC")
    spark = builder.remote(master).getOrCreate() if master else builder.getOrCreate()
    if master:
        send_code(spark)
    where = ["--log-dir", log_dir, "--master", master or "local[2]"]
    retention = ["--retention-minutes", "1,10080"]
    for command in COMMANDS:
        table = ["--out", str(Path(out, command)), "--format", "json"]
        given = retention if command in USERS["retention-minutes"] else []
        assert main([command, *where, *given, *table]) == 0, command
    assert main(["report", *where, *retention, "--out", str(Path(out, "report.html"))]) == 0
    spark.stop()


if __name__ == "__main__":
    run(*(sys.argv[1:] if len(sys.argv) > 3 else [*sys.argv[1:], None]))  # type: ignore[arg-type]
