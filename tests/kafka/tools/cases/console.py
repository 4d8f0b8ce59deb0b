"""kafka-console-producer and kafka-console-consumer."""

from __future__ import annotations

from tests.kafka.build import commit
from tests.kafka.tools.given import committed, filled, records
from tests.kafka.tools.terminal import Terminal, tool_case, without_log

READ = "--from-beginning --timeout-ms 10000"
EVERYTHING = " ".join(
    f"--formatter-property print.{part}=true"
    for part in ("timestamp", "partition", "offset", "delivery", "epoch", "headers", "key")
)


@tool_case
def console_passes_lines_on(t: Terminal) -> None:
    topic = t.topic()
    t.run(f"kafka-console-producer --topic {topic}", stdin="one\n\nthree\nno newline")
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 4")


@tool_case
def console_shows_every_part(t: Terminal) -> None:
    topic = filled(t, 3)
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 3 {EVERYTHING}")


@tool_case
def console_keys_headers_and_nulls(t: Terminal) -> None:
    topic = t.topic()
    parse = "--reader-property parse.key=true --reader-property parse.headers=true"
    parse += " --reader-property null.marker=NULL"
    lines = "h1:x,h2:NULL\tk\tv\nh:1\tNULL\tv\nNULL\tk\tNULL\n"
    t.run(f"kafka-console-producer --topic {topic} {parse}", stdin=lines)
    shown = EVERYTHING.replace("print.timestamp=true", "print.timestamp=false")
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 3 {shown}")


@tool_case
def console_lines_that_do_not_parse(t: Terminal) -> None:
    topic = t.topic()
    keyed = "--reader-property parse.key=true --reader-property key.separator=:"
    t.run(f"kafka-console-producer --topic {topic} {keyed}", stdin="a:1\nnosep\nb:2\n")
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 1")


@tool_case
def console_with_each_codec(t: Terminal) -> None:
    topic = t.topic()
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        t.run(f"kafka-console-producer --topic {topic} --compression-codec {codec}", stdin=f"{codec}\n" * 3)
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 15")
    t.run(f"kafka-console-producer --topic {topic} --compression-codec rar", stdin="x\n")


@tool_case
def console_with_each_kind_of_acks(t: Terminal) -> None:
    topic = t.topic()
    for acks in ("0 --command-property enable.idempotence=false", "1", "all --sync", "-1", "2"):
        t.run(f"kafka-console-producer --topic {topic} --request-required-acks {acks}", stdin=f"{acks}\n")
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 4", cut=sorted)


@tool_case
def console_makes_a_topic_by_using_it(t: Terminal) -> None:
    name = t.name()
    t.run(f"kafka-console-producer --topic {name}", stdin="one\n", cut_err=without_log)
    t.run(f"kafka-topics --describe --topic {name}")
    t.run(f"kafka-console-consumer --topic {name} {READ} --max-messages 1")


@tool_case
def console_record_too_large(t: Terminal) -> None:
    topic = t.topic(max_message_bytes="100")
    t.run(f"kafka-console-producer --topic {topic}", stdin="x" * 200 + "\n")
    t.run(f"kafka-console-producer --topic {topic} --sync", stdin="x" * 200 + "\n")
    t.run(f"kafka-console-producer --topic {topic} --sync", stdin="small\n")
    t.run(f"kafka-get-offsets --topic {topic}")


@tool_case
def console_invalid_topic_name(t: Terminal) -> None:
    t.run("kafka-console-producer --topic bad/name --max-block-ms 2000", stdin="x\n")
    t.run("kafka-console-consumer --topic bad/name --timeout-ms 2000")


@tool_case
def console_unknown_topic(t: Terminal) -> None:
    never = "--consumer-property allow.auto.create.topics=false"
    t.run(f"kafka-console-consumer --topic nosuch --timeout-ms 1500 {never}", cut_err=without_log)


@tool_case
def console_groups_remember(t: Terminal) -> None:
    topic, group = filled(t, 5), t.group()
    read = f"kafka-console-consumer --topic {topic} --group {group} --timeout-ms 10000"
    t.run(f"{read} --from-beginning --max-messages 2")
    t.run(f"kafka-consumer-groups --describe --group {group}")
    t.run(f"{read} --max-messages 3")
    t.run(f"kafka-consumer-groups --describe --group {group}")
    t.run(f"kafka-consumer-groups --describe --group {group} --state")


@tool_case
def console_reads_one_partition(t: Terminal) -> None:
    topic = filled(t, 3, 4)
    for options in (
        "--partition 1 --offset 2 --max-messages 2", "--partition 1 --offset earliest --max-messages 4",
        "--partition 0 --from-beginning --max-messages 3", "--partition 0 --offset latest --timeout-ms 500",
        "--partition 0 --offset 99 --timeout-ms 500", "--partition 7 --offset 0 --timeout-ms 500",
        "--offset 3", "--partition 0 --offset -2", "--partition 0 --group g",
    ):  # fmt: skip
        t.run(
            f"kafka-console-consumer --topic {topic} {options}",
            cut_err=without_log if "99" in options else list,
        )


@tool_case
def console_reads_topics_by_pattern(t: Terminal) -> None:
    topic = filled(t, 3)
    t.run(f"kafka-console-consumer --include '{topic[:-1]}.' {READ} --max-messages 3")


@tool_case
def console_reads_from_a_commit(t: Terminal) -> None:
    topic = filled(t, 5)
    group = committed(t, topic, 3)
    t.run(f"kafka-console-consumer --topic {topic} --group {group} --max-messages 2 --timeout-ms 10000")


@tool_case
def console_reads_from_a_commit_out_of_range(t: Terminal) -> None:
    topic = filled(t, 5)
    group = committed(t, topic, 77)
    read = f"kafka-console-consumer --topic {topic} --group {group} --timeout-ms 10000"
    t.run(f"{read} --from-beginning --max-messages 5")
    t.do(*commit(group, {topic: {0: 77}}))
    t.run(f"{read} --command-property auto.offset.reset=none --max-messages 1")


@tool_case
def console_reads_only_what_is_committed(t: Terminal) -> None:
    topic = filled(t, 3)
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 3 --isolation-level read_committed")


@tool_case
def console_reads_append_times(t: Terminal) -> None:
    topic = t.topic(message_timestamp_type="LogAppendTime")
    records(t, topic, 2)
    shown = "--formatter-property print.timestamp=true"
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 2 {shown}")


@tool_case
def console_shows_the_offsets_topic(t: Terminal) -> None:
    topic = filled(t, 5)
    group = t.group()
    t.do(*commit(group, {topic: {0: 4}}, metadata="a note"))
    formatter = "org.apache.kafka.tools.consumer.OffsetsMessageFormatter"
    read = f"kafka-console-consumer --topic __consumer_offsets {READ.replace('10000', '1500')}"
    t.run(f"{read} --formatter {formatter}", cut=lambda lines: of_group(lines, group), cut_err=lambda _: [])


def of_group(lines: list[str], group: str) -> list[str]:
    """The group's own objects; they stand without anything between them."""
    return [each for each in "".join(lines).replace('}{"key"', '}\n{"key"').split("\n") if group in each]


@tool_case
def console_usage(t: Terminal) -> None:
    for line in ("kafka-console-consumer", "kafka-console-consumer --topic a --include b",
                 "kafka-console-producer", "kafka-console-producer --topic a --bogus",
                 "kafka-console-consumer --topic a --from-beginning --offset 1 --partition 0",
                 "kafka-console-consumer --topic a --formatter nosuch"):  # fmt: skip
        t.run(line)
