"""kafka-console-producer and kafka-console-consumer."""

from __future__ import annotations

import re
import struct

from tests.conformance.build import commit
from tests.conformance.build_data import batch, produce, record
from tests.conformance.tools.given import START_MS, committed, filled, read_by, records
from tests.conformance.tools.terminal import Terminal, squeezed, tool_case, without_log

READ = "--from-beginning --timeout-ms 10000"
AUTO_COMMIT = "--command-property enable.auto.commit=true"
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
    """keep=: the JSON objects of the group, which follow one another without a separator.

    Ids count all groups.
    """
    told = re.sub(r"<id \d+>", "<id>", "".join(lines))
    return [each for each in told.replace('}{"key"', '}\n{"key"').split("\n") if group in each]


@tool_case
def console_usage(t: Terminal) -> None:
    for line in ("kafka-console-consumer", "kafka-console-consumer --topic a --include b",
                 "kafka-console-producer", "kafka-console-producer --topic a --bogus",
                 "kafka-console-consumer --topic a --from-beginning --offset 1 --partition 0",
                 "kafka-console-consumer --topic a --formatter nosuch"):  # fmt: skip
        t.run(line)


@tool_case
def console_group_that_is_made_up(t: Terminal) -> None:
    """KIP-211: the group is listed, has no offsets, and expires at the next cleanup pass."""
    topic = filled(t, 5)
    before = set(t.run("kafka-consumer-groups --list", keep="^$").split())
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 2")
    made_up = set(t.run("kafka-consumer-groups --list", keep="^$").split()) - before
    for group in made_up:
        t.run(f"kafka-consumer-groups --describe --group {group}")
        t.run(f"kafka-consumer-groups --describe --state --group {group}", cut=squeezed)
    t.run(f"kafka-console-consumer --topic {topic} {READ} --max-messages 2 {AUTO_COMMIT}")
    for group in set(t.run("kafka-consumer-groups --list", keep="^$").split()) - before - made_up:
        t.run(f"kafka-consumer-groups --describe --group {group}", cut=squeezed)


@tool_case
def console_one_partition_makes_no_group(t: Terminal) -> None:
    topic = filled(t, 5)
    before = set(t.run("kafka-consumer-groups --list", keep="^$").split())
    t.run(f"kafka-console-consumer --topic {topic} --partition 0 --from-beginning --max-messages 2")
    after = set(t.run("kafka-consumer-groups --list", keep="^$").split())
    assert after == before


@tool_case
def console_commits_what_was_printed(t: Terminal) -> None:
    topic, group = filled(t, 10, 0), t.group()
    read = f"kafka-console-consumer --topic {topic} --group {group} --timeout-ms 5000"
    for options in ("--from-beginning --max-messages 3", "--max-messages 0", "--max-messages 7"):
        t.run(f"{read} {options}")
        t.run(f"kafka-consumer-groups --describe --verbose --group {group}", cut_err=lambda _: [])


@tool_case
def console_commits_nothing_when_told_so(t: Terminal) -> None:
    topic, group = filled(t, 3), t.group()
    never = "--command-property enable.auto.commit=false"
    t.run(f"kafka-console-consumer --topic {topic} --group {group} {READ} --max-messages 3 {never}")
    t.run(f"kafka-consumer-groups --describe --group {group}")


@tool_case
def console_takes_settings_from_everywhere(t: Terminal) -> None:
    topic, group = filled(t, 3), t.group()
    settings = t.file("consumer.properties", f"group.id={group}\nauto.offset.reset = earliest\n")
    shown = t.file("formatter.properties", "print.key=true\nkey.separator=\\ is\\ \n")
    read = f"kafka-console-consumer --topic {topic} --timeout-ms 5000 --max-messages 1"
    t.run(f"{read} --command-config {settings} --formatter-config {shown}")
    t.run(f"{read} --consumer.config {settings} --property print.offset=true")
    t.run(f"{read} --command-config {settings} --group {group} --formatter-property print.key")
    t.run(f"kafka-consumer-groups --describe --group {group}", cut_err=lambda _: [])


@tool_case
def console_separates_as_told(t: Terminal) -> None:
    topic = t.topic()
    parse = "--reader-property parse.key=true --reader-property parse.headers=true"
    parse += " --reader-property null.marker=NULL"
    t.run(f"kafka-console-producer --topic {topic} {parse}", stdin="h1:x,h2:NULL\tk\tv\nNULL\tNULL\tNULL\n")
    read = f"kafka-console-consumer --topic {topic} --partition 0 --from-beginning --max-messages 2"
    every = EVERYTHING.replace("print.timestamp=true", "print.timestamp=false")
    for properties in (
        "key.separator=<> line.separator=$ headers.separator=; null.literal=(none)",
        "print.value=false", "print.value=false print.key=false",
        "print.value=false print.key=false print.headers=false",
        "print.value=TRUE print.key=yes print.headers=1", "unknown.thing=1",
    ):  # fmt: skip
        given = " ".join(f"--formatter-property '{each}'" for each in properties.split())
        t.run(f"{read} {every} {given}")
    nothing = "--formatter-property print.value=false"
    t.run(f"{read} {nothing}")


@tool_case
def console_reads_numbers(t: Terminal) -> None:
    topic = t.topic()
    values = (b"\0\0\0\7", b"\xff\xff\xff\xff", b"long way")
    t.do(*produce({topic: {0: batch(*(record(value, b"\0\1", START_MS) for value in values))}}))
    read = f"kafka-console-consumer --topic {topic} --partition 0 --from-beginning --timeout-ms 1000"
    number = "--value-deserializer org.apache.kafka.common.serialization.IntegerDeserializer"
    key = "--key-deserializer org.apache.kafka.common.serialization.ShortDeserializer"
    t.run(f"{read} --max-messages 2 {number} {key} --formatter-property print.key=true")
    t.run(f"{read} {number}")
    t.run(f"{read} {number} --skip-message-on-error")
    t.run(f"{read} --max-messages 1 --value-deserializer no.Such")


@tool_case
def console_reads_every_type(t: Terminal) -> None:
    topic = t.topic()
    values = {
        "Short": (b"\x80\0",), "Long": (b"\x7f" + b"\xff" * 7,), "Boolean": (b"\0", b"\1"),
        "Double": (struct.pack(">d", 1e7), struct.pack(">d", 0.1), struct.pack(">d", -2.5e-5)),
        "String": ("gr\u00fc\u00df".encode(), b"\xff\xc3("),
        "UUID": (b"00000000-0000-0000-0000-00000000002a",),
    }  # fmt: skip
    offset = 0
    for name, contents in values.items():
        t.do(*produce({topic: {0: batch(*(record(content, None, START_MS) for content in contents))}}))
        read = f"kafka-console-consumer --topic {topic} --partition 0 --offset {offset}"
        kind = f"org.apache.kafka.common.serialization.{name}Deserializer"
        t.run(f"{read} --max-messages {len(contents)} --value-deserializer {kind}")
        offset += len(contents)


@tool_case
def console_shows_groups(t: Terminal) -> None:
    topic = filled(t, 1)
    member = read_by(t, topic, 0)
    formatter = "org.apache.kafka.tools.consumer.GroupMetadataMessageFormatter"
    read = f"kafka-console-consumer --topic __consumer_offsets {READ.replace('10000', '1500')}"
    t.run(
        f"{read} --formatter {formatter}",
        cut=lambda lines: of_group(lines, member.group),
        cut_err=lambda _: [],
    )


@tool_case
def console_shows_nothing(t: Terminal) -> None:
    topic = filled(t, 2)
    package = "org.apache.kafka.tools.consumer"
    for name in ("NoOpMessageFormatter", "LoggingMessageFormatter", "DefaultMessageFormatter"):
        read = f"kafka-console-consumer --topic {topic} --partition 0 --from-beginning --max-messages 2"
        t.run(f"{read} --formatter {package}.{name}")


@tool_case
def console_wrong_ways_to_read(t: Terminal) -> None:
    topic = filled(t, 1)
    for options in (
        "--property a=b --formatter-property c=d", "--consumer-property a=b --command-property c=d",
        "--consumer.config /dev/null --command-config /dev/null", "--command-config /no/such",
        "--formatter-config /no/such", "--timeout-ms abc", "--max-messages abc", "--partition abc",
        "--command-property auto.offset.reset=foo", "--command-property isolation.level=foo",
        "--isolation-level foo", "--command-property session.timeout.ms=x", "--group ''",
        "--group a --command-property group.id=a --consumer-property c=d", "--topic u",
        "--from-beginning --command-property auto.offset.reset=latest", "--offset x --partition 0",
        "--max-messages 0", "--enable-systest-events --max-messages 0", "--include a --partition 0",
        "--partition 0 --from-beginning --offset 3",
    ):  # fmt: skip
        t.run(f"kafka-console-consumer --topic {topic} {options}")
    t.run("kafka-console-consumer --include a --partition 0")
    # Java prints the pattern and a mark below it.
    t.run("kafka-console-consumer --include '['", cut_err=lambda lines: lines[:2])
    other = "--group a --command-property group.id=b"
    t.run(f"kafka-console-consumer --topic {topic} {other}", cut_err=lambda lines: [_sorted(lines[0])])


def _sorted(line: str) -> str:
    """Sort the detected group ids, which are a set."""
    said, colon, ids = line.rpartition(": ")
    return said + colon + ", ".join(sorted(ids.split(", ")))


@tool_case
def console_wrong_ways_to_write(t: Terminal) -> None:
    topic = t.topic()
    for options in (
        "--property a=b --reader-property c=d", "--producer-property a=b --command-property c=d",
        "--producer.config /dev/null --command-config /dev/null", "--command-config /no/such",
        "--reader-config /no/such", "--timeout abc", "--line-reader no.Such", "--batch-size 1.5",
        "--reader-property headers.separator=:", "--reader-property null.marker=,",
        "--reader-property headers.delimiter=, --reader-property headers.separator=,",
        "--command-property linger.ms=x", "--command-property acks=3", "--topic other",
        "--request-required-acks 0 --command-property enable.idempotence=true",
    ):  # fmt: skip
        t.run(f"kafka-console-producer --topic {topic} {options}", stdin="x\n")


@tool_case
def console_writes_as_told(t: Terminal) -> None:
    topic = t.topic()
    keyed = "--reader-property parse.key=true --reader-property key.separator=:"
    settings = t.file("reader.properties", "parse.key=true\nkey.separator=|\n")
    for options, lines in (
        ("--compression-codec", "gzip\n"), ("--max-partition-memory-bytes 100", "a\r\nb\rc\n"),
        ("--property parse.key=true --producer-property a=b --producer.config /dev/null", "k\tv\n"),
        (f"--reader-config {settings}", "k|v|w\n"),
        (f"{keyed} --reader-property ignore.error=true", "k\n:v\n"),
        (f"{keyed} --reader-property null.marker=", ":v\nk:\n"), ("--reader-property nonsense", "x\n"),
        ("--sync --batch-size 1", "s1\ns2\n"), ("--command-property client.id=me", "gr\u00fc\u00df\n"),
    ):  # fmt: skip
        t.run(f"kafka-console-producer --topic {topic} {options}", stdin=lines)
    read = f"kafka-console-consumer --topic {topic} --partition 0 --from-beginning --max-messages 14"
    t.run(f"{read} --formatter-property print.key=true")


@tool_case
def console_headers_that_do_not_parse(t: Terminal) -> None:
    topic = t.topic()
    parse = "--reader-property parse.headers=true --reader-property null.marker=N"
    for line in ("h1:x", "h1x\tv", "a:1,,b:2\tv", "N:1\tv", "a:1,\tv", "\tv", ":1\tv"):
        t.run(f"kafka-console-producer --topic {topic} {parse}", stdin=f"a:1\tbefore\n{line}\n")
    read = f"kafka-console-consumer --topic {topic} --partition 0 --from-beginning --timeout-ms 1000"
    t.run(f"{read} --formatter-property print.headers=true")
