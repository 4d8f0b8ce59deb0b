"""kafka-get-offsets, kafka-delete-records, kafka-log-dirs."""

from __future__ import annotations

import json

from tests.conformance.tools.given import START_MS, filled, records
from tests.conformance.tools.terminal import Terminal, tool_case


@tool_case
def get_offsets_at_each_time(t: Terminal) -> None:
    topic = filled(t, 5, 3, 0)
    for time in (-1, -2, -3, -4, -5, -6, "latest", "earliest", "max-timestamp", "earliest-local",
                 "latest-tiered", "earliest-pending-upload", 0, START_MS, START_MS + 1,
                 START_MS + 3000, START_MS + 60_000, "bogus"):  # fmt: skip
        t.run(f"kafka-get-offsets --topic {topic} --time {time}")


@tool_case
def get_offsets_of_some_partitions(t: Terminal) -> None:
    topic = filled(t, 2, 1, 0)
    other = filled(t, 1)
    t.run(f"kafka-get-offsets --topic {topic} --partitions 0,2")
    t.run(f"kafka-get-offsets --topic {topic} --partitions 7")
    t.run(f"kafka-get-offsets --topic {topic} --partitions x")
    t.run(f"kafka-get-offsets --topic '{topic}|{other}'")
    t.run(f"kafka-get-offsets --topic-partitions {topic}:0-2,{other}")
    t.run(f"kafka-get-offsets --topic-partitions {topic}:1-,{other}:0")
    t.run(f"kafka-get-offsets --topic-partitions {topic}:-1")
    t.run(f"kafka-get-offsets --topic-partitions {topic} --topic {topic}")


@tool_case
def get_offsets_of_no_topic(t: Terminal) -> None:
    t.run("kafka-get-offsets --topic nosuch")
    t.run("kafka-get-offsets --topic-partitions nosuch:0")
    t.run("kafka-get-offsets --topic __consumer_offsets --exclude-internal-topics")
    t.run("kafka-get-offsets --bogus")


@tool_case
def get_offsets_of_everything(t: Terminal) -> None:
    topic = filled(t, 2)
    t.group()
    t.run("kafka-get-offsets", keep=topic)
    t.run("kafka-get-offsets --time earliest", keep=f"{topic}|__consumer_offsets")
    t.run("kafka-get-offsets --time earliest --exclude-internal-topics", keep=f"{topic}|__consumer_offsets")


def wanted(*partitions: tuple[str, int, int], version: int = 1) -> str:
    listed = [{"topic": topic, "partition": index, "offset": offset} for topic, index, offset in partitions]
    return json.dumps({"partitions": listed, "version": version})


@tool_case
def delete_records(t: Terminal) -> None:
    topic = filled(t, 5, 3)
    for name, offset in (("some", 3), ("again", 3), ("earlier", 1), ("all", -1), ("too many", 6)):
        t.run(f"kafka-delete-records --offset-json-file '{t.file(name, wanted((topic, 0, offset)))}'")
        t.run(f"kafka-get-offsets --topic {topic} --time earliest")
    both = t.file("both", wanted((topic, 0, 2), (topic, 1, 2)))
    t.run(f"kafka-delete-records --offset-json-file {both}", cut=sorted)


@tool_case
def delete_records_then_read(t: Terminal) -> None:
    topic = filled(t, 5)
    t.run(f"kafka-delete-records --offset-json-file {t.file('f', wanted((topic, 0, 4)))}")
    records(t, topic, 1)
    t.run(f"kafka-console-consumer --topic {topic} --from-beginning --max-messages 2 --timeout-ms 10000")


@tool_case
def delete_records_with_bad_files(t: Terminal) -> None:
    topic = filled(t, 2)
    for name, text in (
        ("empty", ""), ("nonsense", "{"), ("no version", '{"partitions":[]}'),
        ("version 2", wanted((topic, 0, 1), version=2)),
        ("twice", wanted((topic, 0, 1), (topic, 0, 1))),
        ("negative", wanted((topic, 0, -2))), ("compacted", wanted(("__consumer_offsets", 0, 0))),
    ):  # fmt: skip
        t.run(f"kafka-delete-records --offset-json-file '{t.file(name, text)}'")
    t.run("kafka-delete-records --offset-json-file nosuch.json")
    t.run("kafka-delete-records")


def in_order(lines: list[str]) -> list[str]:
    """Sort the partitions. Kafka's order is that of a hash map, ours that of the folder."""
    told = json.loads(lines[2])
    for directory in told["brokers"][0]["logDirs"]:
        directory["partitions"].sort(key=lambda each: str(each["partition"]))
        directory["logDir"] = "<folder>"
    return [*lines[:2], json.dumps(told), *lines[3:]]


@tool_case
def log_dirs(t: Terminal) -> None:
    topic = filled(t, 5, 0, 1)
    t.run(f"kafka-log-dirs --describe --topic-list {topic}", cut=in_order)
    t.run("kafka-log-dirs --describe --topic-list nosuch", cut=in_order)
    t.run(f"kafka-log-dirs --describe --topic-list {topic} --broker-list 1", cut=in_order)
    t.run("kafka-log-dirs --describe --broker-list 7")
    t.run("kafka-log-dirs --describe --broker-list x")
    t.run("kafka-log-dirs")
