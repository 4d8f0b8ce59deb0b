"""`tidemark verifiable-producer`: writes the numbers 0, 1, 2, ... and prints a line of JSON for each of them.

Kafka: VerifiableProducer.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from tidemark_protocol.batch import LogRecord
from tidemark_tools.client.client import Client
from tidemark_tools.client.connection import now_s, wall_ms
from tidemark_tools.client.errors import ClientError
from tidemark_tools.client.producer import Producer
from tidemark_tools.client.settings import client_settings
from tidemark_tools.console.properties import InvalidProperty, drawn
from tidemark_tools.load.ending import INTERRUPTED, TERMINATED, Terminated, raise_at_sigterm
from tidemark_tools.load.events import emit
from tidemark_tools.load.pace import Pace
from tidemark_tools.load.producing import producer_settings
from tidemark_tools.options import DONE, KAFKA_RELEASE
from tidemark_tools.subcommands import Argument, Given, Tool, run

BATCH_RECORDS: Final = 200
TOOL: Final = Tool(
    "verifiable-producer",
    "This tool produces increasing integers to a topic and prints JSON on stdout for each of them, which "
    "shows the records that were acknowledged.",
    KAFKA_RELEASE,
    (
        Argument("--topic", "The topic to write to.", metavar="TOPIC", required=True),
        Argument(
            "--max-messages",
            "The number of records; -1: until the process is stopped.",
            "Integer",
            "MAX-MESSAGES",
            default=-1,
        ),
        Argument(
            "--throughput",
            "The maximum number of records per second, roughly; -1: no limit.",
            "Integer",
            "THROUGHPUT",
            default=-1,
        ),
        Argument(
            "--acks", "0, 1 or -1: the replicas that must have a record.", "Integer", "ACKS", default=-1
        ),
        Argument("--producer.config", "(DEPRECATED) --command-config", metavar="CONFIG-FILE"),
        Argument(
            "--message-create-time",
            "The time of the first record, in ms; each other is 1 ms later.",
            "Long",
            "CREATE-TIME",
            default=-1,
        ),
        Argument("--value-prefix", "Put this number and a dot before each value.", "Integer", "VALUE-PREFIX"),
        Argument(
            "--repeating-keys",
            "Keys from 0 to this number, excluded, again and again.",
            "Integer",
            "REPEATING-KEYS",
        ),
        Argument(
            "--command-config", "A properties file with settings of the producer.", metavar="CONFIG-FILE"
        ),
        Argument(
            "--bootstrap-server",
            "REQUIRED: brokers to connect to.",
            metavar="HOST1:PORT1[,HOST2:PORT2[...]]",
            required=True,
        ),
    ),
    (),
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    return run(TOOL, arguments, _run, ClientError, InvalidProperty)


class Load:
    """The records to write, and the number of those that were sent and acknowledged."""

    def __init__(self, given: Given) -> None:
        self._topic = given.text("topic")
        self._prefix = given.text_or_none("value_prefix")
        self._keys = given.number("repeating_keys")
        self._first_ms = given.number("message_create_time") or 0
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


def _run(given: Given) -> int:
    properties = {"retries": "0", **client_settings(given.text_or_none("producer.config"))}
    properties |= client_settings(given.text_or_none("command_config"))
    settings = producer_settings(properties | {"acks": str(given.number("acks"))})
    load, began_s = Load(given), now_s()
    raise_at_sigterm()
    code = DONE
    with Client(given.text("bootstrap_server"), settings=properties) as client:
        producer = Producer(client, given.text("topic"), settings, drawn(), load.written)
        emit("startup_complete")
        try:
            _send(given, producer, load)
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Terminated:
            code = TERMINATED
    emit("shutdown_complete")
    emit(
        "tool_data",
        sent=load.sent,
        acked=load.acked,
        target_throughput=given.number("throughput"),
        avg_throughput=load.acked / max(now_s() - began_s, 0.001),
    )
    return code


def _send(given: Given, producer: Producer, load: Load) -> None:
    most = given.number("max_messages") or 0
    pace = Pace(given.number("throughput") or 0, now_s, time.sleep)
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
