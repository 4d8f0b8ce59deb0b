"""The measured cases, and their logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from bench.pipeline import processes
from bench.pipeline.floor import FloorSource, store
from bench.pipeline.generate import NEWEST_MS, Generated, generate
from bench.pipeline.processes import Cost
from bench.rows import Row
from tidemark_pipeline.cli.commands import COMMANDS
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.cli.reading import Scan, begin
from tidemark_pipeline.decode import read_segment
from tidemark_pipeline.logs.directories import find_logs
from tidemark_pipeline.logs.files import open_segment
from tidemark_pipeline.logs.survey import survey_all, tasks
from tidemark_pipeline.model import ScanOptions, Task
from tidemark_pipeline.retention import Retention
from tidemark_pipeline.source.session import read_table
from tidemark_protocol.compression import Codec

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PER_CPU_S: Final = "/CPU s"
RETENTION_MINUTES: Final = ("1440", "10080", "43200")
SMALL: Final = 200_000  # records, for the warm-up and for cases without an aim
LEAST: Final = 2_000  # so few that Spark itself needs all of the time
MEMORY_RECORDS: Final = 970_000  # some 100 MB


@dataclass(slots=True)
class Bench:
    """Directories, repetitions, and the generated logs by name."""

    folder: Path
    times: int = 5
    logs: dict[str, Generated] = field(default_factory=dict)

    def log(self, records: int, segments: int = 8, **how: int | Codec) -> Generated:
        """Return a log of this kind, generated once."""
        name = f"{records}-{segments}" + "".join(f"-{key}-{int(value)}" for key, value in how.items())
        if name not in self.logs:
            made = generate(self.folder / name, records=records, segments=segments, **how)  # type: ignore[arg-type]
            self.logs[name] = made
        return self.logs[name]


def per_cpu_second(name: str, records: int, cost: Cost) -> Row:
    return Row(name, records / cost.cpu_s, PER_CPU_S, others=cost.others, note=f"{cost.wall_s:.1f} s")


def seconds(name: str, cost: Cost) -> Row:
    return Row(name, cost.wall_s, "s", others=cost.others, note=f"{cost.cpu_s:.1f} s of CPU")


def planned(made: Generated) -> list[Task]:
    logs = find_logs([str(made.directory)]).logs
    surveys = survey_all(logs.values())
    return [task for number, log in logs.items() for task in tasks(log, surveys[number])]


def decoded(to_read: list[Task], options: ScanOptions) -> Iterator[pa.RecordBatch]:
    for task in to_read:
        with open_segment(task.segment) as data:
            yield from read_segment(data, task, options)


def exhaust(batches: Iterator[pa.RecordBatch]) -> int:
    return sum(batch.num_rows for batch in batches)


def decode(bench: Bench, records: int) -> Iterator[Row]:
    """Decode in this process, with one thread."""
    made = bench.log(records)
    yield seconds("survey of batch headers", processes.typical(lambda: planned(made), bench.times))
    for what, options in {
        "decode, no CRC": ScanOptions(verify_crc=False),
        "decode, CRC": ScanOptions(),
        "decode, CRC, table raw": ScanOptions(table="raw"),
        "decode, CRC, latest_only": ScanOptions(latest_only=True),
    }.items():
        yield per_cpu_second(what, made.records, decode_cost(bench, made, options))
    for what, other in {
        "decode, CRC, lz4": bench.log(SMALL, codec=Codec.LZ4),
        "decode, CRC, a record a batch": bench.log(SMALL, batch_max=1),
    }.items():
        yield per_cpu_second(what, other.records, decode_cost(bench, other, ScanOptions()))


def decode_cost(bench: Bench, made: Generated, options: ScanOptions) -> Cost:
    to_read = planned(made)
    return processes.typical(lambda: exhaust(decoded(to_read, options)), bench.times)


class Spark:
    """Cases that need a session."""

    def __init__(self, bench: Bench, spark: SparkSession) -> None:
        self.bench = bench
        self.spark = spark
        spark.dataSource.register(FloorSource)

    def warm_up(self) -> None:
        """Run until the JVM has compiled the hot code, and the workers run."""
        small = self.bench.log(SMALL)
        for _ in range(2):
            for sink in self.sinks().values():
                sink(self.offsets(small))

    def offsets(self, made: Generated, **options: object) -> DataFrame:
        return read_table(self.spark, str(made.directory), "offsets", **options)

    def sinks(self) -> Mapping[str, Callable[[DataFrame], None]]:
        return {"noop": to_noop, "Parquet": lambda rows: to_parquet(rows, self.bench.folder / "sink")}

    def source(self, records: int) -> Iterator[Row]:
        made = self.bench.log(records)
        for name, sink in self.sinks().items():
            cost = processes.typical(lambda: sink(self.offsets(made)), self.bench.times)  # noqa: B023
            yield per_cpu_second(f"source to {name}", made.records, cost)
        least = self.bench.log(LEAST)
        cost = processes.typical(lambda: to_noop(self.offsets(least)), self.bench.times)
        yield seconds("source to noop, 2,000 records", cost)

    def floor(self, records: int) -> Iterator[Row]:
        made = self.bench.log(records)
        files = self._stored(made)
        for name, sink in self.sinks().items():
            rows = self.spark.read.format("floor").option("files", files)
            cost = processes.typical(lambda: sink(rows.load()), self.bench.times)  # noqa: B023
            yield per_cpu_second(f"floor to {name}", made.records, cost)

    def forecast(self, records: int) -> Iterator[Row]:
        """Compute the forecast for three retentions at once, as the command does, and discard the rows."""
        made = self.bench.log(records)
        self._keep_as_parquet(made)
        to_noop(self.forecast_of_segments(self.bench.log(SMALL)))
        for name, table in {
            "from Parquet": self.forecast_of_parquet,
            "from segments": self.forecast_of_segments,
        }.items():
            cost = processes.typical(lambda: to_noop(table(made)), self.bench.times)  # noqa: B023
            yield seconds(f"forecast, 3 retentions, {name}", cost)

    def forecast_of_segments(self, made: Generated) -> DataFrame:
        asked = parse([
            "forecast", "--log-dir", str(made.directory), "--retention-minutes", ",".join(RETENTION_MINUTES),
        ])  # fmt: skip
        return COMMANDS["forecast"].table(Scan(self.spark, begin(asked, now_ms=0)))

    def forecast_of_parquet(self, made: Generated) -> DataFrame:
        from tidemark_pipeline.tables.current import current_offsets
        from tidemark_pipeline.tables.forecast import expiry_forecast
        from tidemark_pipeline.tables.groups import current_groups

        history, groups, pending = (
            self.spark.read.parquet(str(made.directory / name)) for name in ("history", "groups", "pending")
        )
        return expiry_forecast(
            current_offsets(history),
            current_groups(groups),
            pending,
            retention=Retention.known([int(minutes) * 60_000 for minutes in RETENTION_MINUTES]),
            as_of_ms=NEWEST_MS,
        )

    def _keep_as_parquet(self, made: Generated) -> None:
        from tidemark_pipeline.tables.history import group_history, offset_history

        to_parquet(offset_history(self.offsets(made)), made.directory / "history")
        to_parquet(self.offsets(made, transactions="open"), made.directory / "pending")
        groups = read_table(self.spark, str(made.directory), "groups")
        to_parquet(group_history(groups), made.directory / "groups")

    def memory(self) -> Iterator[Row]:
        """Measure memory for one segment of the maximum size of `__consumer_offsets`."""
        made = self.bench.log(MEMORY_RECORDS, 1, group_count=50, log_partitions=1)
        for name, options in {"": {}, ", latest_only": {"latest_only": True}}.items():
            processes.forget_peaks()
            to_noop(self.offsets(made, **options))
            megabytes = processes.peak_megabytes()
            note = f"{made.bytes / 1e6:.0f} MB uncompressed; mapped pages of it count"
            yield Row(f"peak of a worker{name}", megabytes, "MB", note=note)

    def growth(self, name: str, records: int, more: int) -> Iterator[Row]:
        """Yield for each kind of work the time for many records as a multiple of the time for few."""
        few, many = self.bench.log(records), self.bench.log(more)
        if more > 2 * records:
            self.bench.times = 1
        for what, work in self.works().items():
            short, long = (processes.typical(lambda: work(log), self.bench.times) for log in (few, many))  # noqa: B023
            note = (
                f"{short.wall_s:.1f} to {long.wall_s:.1f} s; of CPU {short.cpu_s:.1f} to {long.cpu_s:.1f} s"
            )
            yield Row(f"{name}: {what}", long.wall_s / short.wall_s, "times", others=long.others, note=note)

    def works(self) -> Mapping[str, Callable[[Generated], None]]:
        sinks = self.sinks()
        return {
            "source to noop": lambda made: sinks["noop"](self.offsets(made)),
            "source to Parquet": lambda made: sinks["Parquet"](self.offsets(made)),
            "forecast from segments": lambda made: to_noop(self.forecast_of_segments(made)),
        }

    def _stored(self, made: Generated) -> str:
        folder = made.directory / "floor"
        folder.mkdir(exist_ok=True)
        files = []
        for number, task in enumerate(planned(made)):
            path = folder / f"{number}.arrow"
            store(path, decoded([task], ScanOptions()))
            files.append(str(path))
        return json.dumps(files)


def to_noop(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def to_parquet(rows: DataFrame, folder: Path) -> None:
    rows.write.mode("overwrite").parquet(str(folder))
