"""`tidemark verifiable-producer`: writes the numbers 0, 1, 2, ... and prints a line of JSON for each of them.

Kafka: VerifiableProducer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, Final

from tidemark_protocol.batch import LogRecord
from tidemark_tools.argparse4j import Argparse4jTool
from tidemark_tools.client.client import Client, client_settings
from tidemark_tools.client.connection import now_s, wall_ms
from tidemark_tools.client.producer import Producer
from tidemark_tools.client_properties import drawn, producer_settings
from tidemark_tools.main import INTERRUPTED, TERMINATED, Terminated, raise_at_sigterm
from tidemark_tools.options import DONE, Parsed, run, table
from tidemark_tools.producer_perf_test import Pace

BATCH_RECORDS: Final = 200
TOOL: Final = Argparse4jTool(
    "verifiable-producer",
    "This tool produces increasing integers to a topic and prints JSON on stdout for each of them, which "
    "shows the records that were acknowledged.",
    table("""
    * topic <TOPIC>  The topic to write to.
    max-messages <Integer: MAX-MESSAGES>  The number of records; -1: until the process is stopped. (default:
        -1)
    throughput <Integer: THROUGHPUT>  The maximum number of records per second, roughly; -1: no limit.
        (default: -1)
    acks <Integer: ACKS>  0, 1 or -1: the replicas that must have a record. (default: -1)
    producer.config <CONFIG-FILE>  (DEPRECATED) --command-config
    message-create-time <Long: CREATE-TIME>  The time of the first record, in ms; each other is 1 ms later.
        (default: -1)
    value-prefix <Integer: VALUE-PREFIX>  Put this number and a dot before each value.
    repeating-keys <Integer: REPEATING-KEYS>  Keys from 0 to this number, excluded, again and again.
    command-config <CONFIG-FILE>  A properties file with settings of the producer.
    * bootstrap-server <HOST1:PORT1[,HOST2:PORT2[...]]>  REQUIRED: brokers to connect to.
"""),
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def emit(name: str, **fields: Any) -> None:
    """Print an event as a line of JSON, as Kafka's system tests read it: a time, a name and fields."""
    event = {"timestamp": wall_ms(), "name": name, **fields}
    print(json.dumps(event, separators=(",", ":"), ensure_ascii=False), flush=True)


class Load:
    """The records to write, and the number of those that were sent and acknowledged."""

    def __init__(self, parsed: Parsed) -> None:
        self._topic = parsed.text("topic")
        self._prefix = parsed.value("value-prefix")
        self._keys = parsed.number("repeating-keys")
        self._first_ms = parsed.number("message-create-time") or 0
        self.sent = 0
        self.acked = 0

    def records(self, count: int) -> list[LogRecord]:
        """Return the next records."""
        return [self._record(self.sent + n) for n in range(count)]

    def _record(self, number: int) -> LogRecord:
        at_ms = self._first_ms + number if self._first_ms >= 0 else wall_ms()
        key = None if self._keys is None else str(number % self._keys).encode()
        value = str(number) if self._prefix is None else f"{self._prefix}.{number}"
        return LogRecord(0, at_ms, key, value.encode(), ())

    def written(self, partition: int, base_offset: int, records: Sequence[LogRecord]) -> None:
        """Print the records of a batch that was acknowledged."""
        self.acked += len(records)
        for number, record in enumerate(records):
            emit(
                "producer_send_success",
                **_shown(record),
                offset=base_offset + number if base_offset >= 0 else -1,
                topic=self._topic,
                partition=partition,
            )

    def failed(self, record: LogRecord, error: str) -> None:
        emit("producer_send_error", exception=error, message=error, topic=self._topic, **_shown(record))


def _shown(record: LogRecord) -> dict[str, str | None]:
    return {
        "key": None if record.key is None else record.key.decode(),
        "value": (record.value or b"").decode(),
    }


def _run(parsed: Parsed) -> int:
    properties = {"retries": "0", **client_settings(parsed.value("producer.config"))}
    properties |= client_settings(parsed.value("command-config"))
    settings = producer_settings(properties | {"acks": str(parsed.number("acks"))})
    load, began_s = Load(parsed), now_s()
    raise_at_sigterm()
    code = DONE
    with Client(parsed.text("bootstrap-server"), settings=properties) as client:
        producer = Producer(client, parsed.text("topic"), settings, drawn(), load.written)
        emit("startup_complete")
        try:
            _send(parsed, producer, load)
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Terminated:
            code = TERMINATED
    emit("shutdown_complete")
    emit(
        "tool_data",
        sent=load.sent,
        acked=load.acked,
        target_throughput=parsed.number("throughput"),
        avg_throughput=load.acked / max(now_s() - began_s, 0.001),
    )
    return code


def _send(parsed: Parsed, producer: Producer, load: Load) -> None:
    most = parsed.number("max-messages") or 0
    pace = Pace(parsed.number("throughput") or 0, now_s, time.sleep)
    while most < 0 or load.sent < most:
        left = BATCH_RECORDS if most < 0 else most - load.sent
        records = load.records(min(left, pace.batch(BATCH_RECORDS)))
        failures = producer.send(records)
        if producer.unreachable is not None:
            raise producer.unreachable
        load.sent += len(records)
        for failure in failures:
            load.failed(failure.record, failure.error)
        pace.wait(load.sent)
