"""`tidemark verifiable-consumer`: consumes a topic in a group, and prints a line of JSON for each event.

Kafka: VerifiableConsumer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.consumer import Consumed, Consumer, NoOffset
from tidemark_tools.client.errors import ClientError
from tidemark_tools.client.fetching import BrokenRecords
from tidemark_tools.client.settings import client_settings
from tidemark_tools.console.properties import InvalidProperty
from tidemark_tools.load.consuming import opened
from tidemark_tools.load.ending import INTERRUPTED, TERMINATED, Terminated, raise_at_sigterm
from tidemark_tools.load.events import emit
from tidemark_tools.options import DONE, KAFKA_RELEASE
from tidemark_tools.subcommands import Argument, Given, Tool, run

RANGE_ASSIGNOR: Final = "org.apache.kafka.clients.consumer.RangeAssignor"
TOOL: Final = Tool(
    "verifiable-consumer",
    "This tool consumes messages from a topic and prints events (rebalances, received messages, committed "
    "offsets) as JSON on stdout.",
    KAFKA_RELEASE,
    (
        Argument("--topic", "The topic to read.", metavar="TOPIC", required=True),
        Argument("--group-protocol", "classic or consumer.", metavar="GROUP-PROTOCOL", default="classic"),
        Argument(
            "--group-remote-assignor",
            "The assignor of the coordinator; only for the protocol consumer.",
            metavar="GROUP-REMOTE-ASSIGNOR",
        ),
        Argument("--group-id", "The consumer group.", metavar="GROUP-ID", required=True),
        Argument("--group-instance-id", "The id of a static member.", metavar="GROUP-INSTANCE-ID"),
        Argument(
            "--max-messages",
            "End after this number of records; -1: run until stopped.",
            "Integer",
            "MAX-MESSAGES",
            default=-1,
        ),
        Argument(
            "--session-timeout",
            "Session timeout in ms; only for the protocol classic.",
            "Integer",
            "TIMEOUT-MS",
            default=30000,
        ),
        Argument("--verbose", "Print a line for each record.", "Flag"),
        Argument("--enable-autocommit", "Commit in intervals, not after each poll.", "Flag"),
        Argument(
            "--reset-policy",
            "Where to start without a commit: earliest, latest or none.",
            metavar="RESET-POLICY",
            default="earliest",
        ),
        Argument(
            "--assignment-strategy",
            "The assignor; only for the protocol classic.",
            metavar="ASSIGNMENT-STRATEGY",
            default=RANGE_ASSIGNOR,
        ),
        Argument("--consumer.config", "(DEPRECATED) --command-config", metavar="CONFIG-FILE"),
        Argument(
            "--command-config", "A properties file with settings of the consumer.", metavar="CONFIG-FILE"
        ),
        Argument(
            "--bootstrap-server",
            "Brokers to connect to.",
            metavar="HOST1:PORT1[,HOST2:PORT2[...]]",
            required=True,
        ),
    ),
    (),
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    return run(TOOL, arguments, _run, ClientError, InvalidProperty, NoOffset, BrokenRecords)


def _properties(given: Given) -> dict[str, str]:
    properties = client_settings(given.text_or_none("consumer.config"))
    properties |= client_settings(given.text_or_none("command_config"))
    protocol = given.text("group_protocol").lower()
    properties |= {
        "group.protocol": protocol,
        "group.id": given.text("group_id"),
        "enable.auto.commit": "false" if given.values["enable_autocommit"] is None else "true",
        "auto.offset.reset": given.text("reset_policy"),
    }
    if protocol == "consumer":
        properties |= _named("group.remote.assignor", given.text_or_none("group_remote_assignor"))
    else:
        properties["partition.assignment.strategy"] = given.text("assignment_strategy")
        properties["session.timeout.ms"] = given.text("session_timeout")
    return properties | _named("group.instance.id", given.text_or_none("group_instance_id"))


def _named(name: str, value: str | None) -> dict[str, str]:
    return {} if value is None else {name: value}


class Events:
    """Prints what the consumer does. Records are summed up until the next poll."""

    def __init__(self, consumer: Consumer, *, verbose: bool, commits: bool) -> None:
        self._consumer = consumer
        self._verbose = verbose
        self._commits = commits
        self._held: list[TopicPartition] = []
        self._polled: dict[TopicPartition, list[int]] = {}
        self.count = 0

    def assigned(self, partitions: Iterable[TopicPartition]) -> None:
        self.revoked()
        self._held = sorted(partitions)
        emit("partitions_assigned", partitions=list(map(_place, self._held)))

    def revoked(self) -> None:
        if self._held:
            emit("partitions_revoked", partitions=list(map(_place, self._held)))
        self._held = []

    def received(self, consumed: Consumed) -> None:
        where = TopicPartition(consumed.topic, consumed.partition)
        self.count += 1
        self._polled.setdefault(where, []).append(consumed.record.offset)
        if self._verbose:
            key, value = consumed.record.key, consumed.record.value
            emit(
                "record_data",
                key=_text(key),
                value=_text(value),
                **_place(where),
                offset=consumed.record.offset,
            )

    def polled(self) -> None:
        """Print the records since the last poll, and commit them unless the consumer commits by itself."""
        polled, self._polled = self._polled, {}
        if not polled:
            return
        partitions = [
            {**_place(where), "count": len(offsets), "minOffset": offsets[0], "maxOffset": offsets[-1]}
            for where, offsets in polled.items()
        ]
        emit("records_consumed", count=sum(map(len, polled.values())), partitions=partitions)
        if self._commits:
            self._consumer.commit()
            emit(
                "offsets_committed",
                offsets=[{**_place(where), "offset": offsets[-1] + 1} for where, offsets in polled.items()],
                success=True,
            )


def _place(where: TopicPartition) -> Mapping[str, Any]:
    return {"topic": where.topic, "partition": where.partition}


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _run(given: Given) -> int:
    properties = _properties(given)
    most = given.number("max_messages") or 0
    raise_at_sigterm()
    code = DONE
    with Client(given.text("bootstrap_server"), settings=properties) as client:
        consumer = opened(client, properties, topic=given.text("topic"))
        commits = given.values["enable_autocommit"] is None
        events = Events(consumer, verbose=given.values["verbose"] is not None, commits=commits)
        consumer.on_assigned = events.assigned
        emit("startup_complete")
        try:
            for consumed in consumer.records(events.polled):
                events.received(consumed)
                if events.count == most:
                    break
            events.polled()
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Terminated:
            code = TERMINATED
        if code != DONE:
            client.close()  # a response may still arrive on the old connection
        consumer.close()
        events.revoked()
    emit("shutdown_complete")
    return code
