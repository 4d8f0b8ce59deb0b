"""`tidemark consumer-perf-test`: reads records as fast as it can, as kafka-consumer-perf-test does."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from tidemark_tools.client.client import Client, TopicPartition, client_settings
from tidemark_tools.client.connection import wall_ms
from tidemark_tools.client.consumer import Consumer, NoRecord
from tidemark_tools.client.errors import Unreachable
from tidemark_tools.client_properties import consumer_config, drawn, given_properties, open_consumer
from tidemark_tools.options import JoptTool, Parsed, UsageError, require, run, table

MEGABYTE: Final = 1024 * 1024
FETCHED: Final = "fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec"
CONSUMED: Final = (
    f"data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, {FETCHED}"
)
OPTIONS: Final = table("""
    bootstrap-server <server to connect to>  REQUIRED: brokers to connect to.
    topic <topic>  The topic to read.
    include <Java regex (String)>  A regular expression for topics.
    group <gid>  The consumer group. Default: a generated name.
    num-records <Long: count>  REQUIRED: the number of records to read.
    messages <Long: count>  (DEPRECATED) --num-records
    fetch-size <Integer: size>  Bytes of one partition in a fetch. (default: 1048576)
    from-latest  Start at the end if nothing is committed.
    socket-buffer-size <Integer: size>  Ignored. (default: 2097152)
    timeout <Long: milliseconds>  End if no record arrives for this time. (default: 10000)
    hide-header  Print no header.
    show-detailed-stats  Print a line in each reporting interval.
    reporting-interval <Long: interval_ms>  Milliseconds between two lines. (default: 5000)
    date-format <date format>  Only the default works. (default: yyyy-MM-dd HH:mm:ss:SSS)
    print-metrics  Ignored: this client has no metrics.
    command-property <prop1=val1>  A setting of the consumer, key=value.
    command-config <config file>  A properties file with settings of the consumer.
    consumer.config <config file>  (DEPRECATED) --command-config
""")


def _check(parsed: Parsed) -> None:
    if parsed.has("topic") == parsed.has("include"):
        raise UsageError("Exactly one of the following arguments is required: [topic], [include]")
    require(parsed, "bootstrap-server")
    if parsed.has("num-records") == parsed.has("messages"):
        raise UsageError("Exactly one of the following arguments is required: [num-records], [messages]")


TOOL: Final = JoptTool("This tool is used to verify the consumer performance.", OPTIONS, _check)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def _properties(parsed: Parsed) -> dict[str, str]:
    properties = client_settings(parsed.value("consumer.config"))
    properties |= client_settings(parsed.value("command-config"))
    properties |= given_properties(parsed.values("command-property"))
    properties["group.id"] = parsed.value("group") or f"perf-consumer-{drawn() % 100_000}"
    properties["max.partition.fetch.bytes"] = parsed.text("fetch-size")
    properties["auto.offset.reset"] = "latest" if parsed.has("from-latest") else "earliest"
    return {"client.id": "perf-consumer-client", **properties}


class Figures:
    """Counts of records and bytes, and the time that the consumer waited for its partitions, in ms."""

    def __init__(self) -> None:
        self.began_ms = wall_ms()
        self.records = 0
        self.size = 0
        self.rebalanced_ms = 0
        self._joins_since_ms: int | None = self.began_ms

    def assigned(self, partitions: Iterable[TopicPartition]) -> None:
        """The first assignment ends the time of the rebalance that began with the tool."""
        if self._joins_since_ms is not None:
            self.rebalanced_ms += wall_ms() - self._joins_since_ms
            self._joins_since_ms = None

    def line(self, since: Figures | None = None) -> str:
        """Return the columns that both forms of a line share, since other figures or the beginning."""
        now_ms = wall_ms()
        began_ms = self.began_ms if since is None else since.began_ms
        records = self.records - (since.records if since else 0)
        size = self.size - (since.size if since else 0)
        rebalanced_ms = self.rebalanced_ms - (since.rebalanced_ms if since else 0)
        took_ms = max(now_ms - began_ms, 1)
        fetched_ms = max(took_ms - rebalanced_ms, 1)
        megabytes = size / MEGABYTE
        total = f"{self.size / MEGABYTE:.4f}, {megabytes * 1000 / took_ms:.4f}, {self.records}"
        rates = f"{records * 1000 / took_ms:.4f}, {rebalanced_ms}, {fetched_ms}"
        return f"{total}, {rates}, {megabytes * 1000 / fetched_ms:.4f}, {records * 1000 / fetched_ms:.4f}"

    def copy(self) -> Figures:
        """Return these figures as the beginning of an interval."""
        made = Figures()
        made.records, made.size, made.rebalanced_ms = self.records, self.size, self.rebalanced_ms
        return made


def _time(ms: int) -> str:
    at = datetime.fromtimestamp(ms / 1000, UTC).astimezone()
    return f"{at:%Y-%m-%d %H:%M:%S}:{ms % 1000:03}"


def _run(parsed: Parsed) -> None:
    properties, detailed = _properties(parsed), parsed.has("show-detailed-stats")
    if not parsed.has("hide-header"):
        print(f"time, threadId, {CONSUMED}" if detailed else f"start.time, end.time, {CONSUMED}", flush=True)
    with Client(parsed.text("bootstrap-server"), settings=properties) as client:
        config = consumer_config(properties, parsed.number("timeout"))
        consumer = open_consumer(client, config, topic=parsed.value("topic"), include=parsed.value("include"))
        figures = Figures()
        consumer.on_assigned = figures.assigned
        try:
            _read(parsed, consumer, figures, detailed=detailed)
        except (NoRecord, Unreachable):
            if not client.connected:
                raise
            print(
                "WARNING: Exiting before consuming the expected number of records: timeout "
                f"({parsed.value('timeout')} ms) exceeded. You can use the --timeout option to increase the "
                "timeout."
            )
        if not detailed:
            print(f"{_time(figures.began_ms)}, {_time(wall_ms())}, {figures.line()}")
        consumer.close()


def _read(parsed: Parsed, consumer: Consumer, figures: Figures, *, detailed: bool) -> None:
    wanted = parsed.number("num-records") or parsed.number("messages") or 0
    interval_ms = parsed.number("reporting-interval") or 0
    last = figures.copy()
    if wanted <= 0:
        return
    for consumed in consumer.records(lambda: None):
        figures.records += 1
        figures.size += len(consumed.record.key or b"") + len(consumed.record.value or b"")
        if detailed and wall_ms() - last.began_ms >= interval_ms:
            print(f"{_time(wall_ms())}, 0, {figures.line(last)}", flush=True)
            last = figures.copy()
        if figures.records >= wanted:
            return
