"""`tidemark verifiable-consumer`: consumes a topic in a group, and prints a line of JSON for each event.

Kafka: VerifiableConsumer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tidemark_tools.argparse4j import Argparse4jTool
from tidemark_tools.client.client import Client, TopicPartition, client_settings
from tidemark_tools.client.consumer import Consumed, Consumer
from tidemark_tools.client_properties import consumer_config, open_consumer
from tidemark_tools.main import INTERRUPTED, TERMINATED, Terminated, raise_at_sigterm
from tidemark_tools.options import DONE, Parsed, run, table
from tidemark_tools.verifiable_producer import emit

TOOL: Final = Argparse4jTool(
    "verifiable-consumer",
    "This tool consumes messages from a topic and prints events (rebalances, received messages, committed "
    "offsets) as JSON on stdout.",
    table("""
    * topic <TOPIC>  The topic to read.
    group-protocol <GROUP-PROTOCOL>  classic or consumer. (default: classic)
    group-remote-assignor <GROUP-REMOTE-ASSIGNOR>  The assignor of the coordinator; only for the protocol
        consumer.
    * group-id <GROUP-ID>  The consumer group.
    group-instance-id <GROUP-INSTANCE-ID>  The id of a static member.
    max-messages <Integer: MAX-MESSAGES>  End after this number of records; -1: run until stopped. (default:
        -1)
    session-timeout <Integer: TIMEOUT-MS>  Session timeout in ms; only for the protocol classic. (default:
        30000)
    verbose  Print a line for each record.
    enable-autocommit  Commit in intervals, not after each poll.
    reset-policy <RESET-POLICY>  Where to start without a commit: earliest, latest or none. (default:
        earliest)
    assignment-strategy <ASSIGNMENT-STRATEGY>  The assignor; only for the protocol classic. (default:
        org.apache.kafka.clients.consumer.RangeAssignor)
    consumer.config <CONFIG-FILE>  (DEPRECATED) --command-config
    command-config <CONFIG-FILE>  A properties file with settings of the consumer.
    * bootstrap-server <HOST1:PORT1[,HOST2:PORT2[...]]>  Brokers to connect to.
"""),
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def _properties(parsed: Parsed) -> dict[str, str]:
    properties = client_settings(parsed.value("consumer.config"))
    properties |= client_settings(parsed.value("command-config"))
    protocol = parsed.text("group-protocol").lower()
    properties |= {
        "group.protocol": protocol,
        "group.id": parsed.text("group-id"),
        "enable.auto.commit": "true" if parsed.has("enable-autocommit") else "false",
        "auto.offset.reset": parsed.text("reset-policy"),
    }
    if protocol != "consumer":
        properties["partition.assignment.strategy"] = parsed.text("assignment-strategy")
        properties["session.timeout.ms"] = parsed.text("session-timeout")
    elif parsed.has("group-remote-assignor"):
        properties["group.remote.assignor"] = parsed.text("group-remote-assignor")
    if parsed.has("group-instance-id"):
        properties["group.instance.id"] = parsed.text("group-instance-id")
    return properties


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


def _run(parsed: Parsed) -> int:
    properties = _properties(parsed)
    most = parsed.number("max-messages") or 0
    raise_at_sigterm()
    code = DONE
    with Client(parsed.text("bootstrap-server"), settings=properties) as client:
        consumer = open_consumer(client, consumer_config(properties), topic=parsed.text("topic"))
        commits = not parsed.has("enable-autocommit")
        events = Events(consumer, verbose=parsed.has("verbose"), commits=commits)
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
