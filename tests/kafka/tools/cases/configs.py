"""kafka-configs."""

from __future__ import annotations

from tests.kafka.tools.terminal import Terminal, differing, tool_case


@tool_case
def configs_of_a_topic(t: Terminal) -> None:
    topic = t.topic()
    t.run(f"kafka-configs --describe --topic {topic}")
    t.run(f"kafka-configs --alter --topic {topic} --add-config segment.ms=8,cleanup.policy=[compact,delete]")
    t.run(f"kafka-configs --describe --topic {topic}")
    t.run(f"kafka-configs --describe --entity-type topics --entity-name {topic}")
    t.run(f"kafka-configs --alter --topic {topic} --delete-config segment.ms --add-config flush.ms=60000")
    t.run(f"kafka-configs --alter --topic {topic} --delete-config segment.ms,flush.ms")
    t.run(f"kafka-configs --describe --topic {topic}")


@tool_case
def configs_of_a_topic_all(t: Terminal) -> None:
    topic = t.topic(retention_ms="7", compression_type="lz4")
    t.run(f"kafka-configs --describe --topic {topic} --all")


@tool_case
def configs_of_a_topic_refused(t: Terminal) -> None:
    topic = t.topic()
    for config in (
        "nosuch=1", "retention.ms=abc", "retention.ms=-2", "cleanup.policy=shred", "segment.bytes=1",
        "min.insync.replicas=0", "compression.type=rar", "message.timestamp.type=never", "retention.ms=",
        "unclean.leader.election.enable=perhaps", "min.cleanable.dirty.ratio=1.1", "retention.ms",
        "max.message.bytes=2147483648", "flush.messages=0", "remote.storage.enable=true",
        "min.compaction.lag.ms=10,max.compaction.lag.ms=5", "retention.ms=1,nosuch=1",
        "local.retention.ms=8", "local.retention.bytes=8", "segment.jitter.ms=-1", "preallocate=1",
        "message.timestamp.before.max.ms=-1", "compression.gzip.level=0", "compression.zstd.level=23",
        "follower.replication.throttled.replicas=x", "remote.log.copy.disable=true",
        "cleanup.policy=[delete,delete,shred]",
    ):  # fmt: skip
        t.run(f"kafka-configs --alter --topic {topic} --add-config {config}")
    t.run(f"kafka-configs --alter --topic {topic} --delete-config nosuch")
    t.run(f"kafka-configs --describe --topic {topic}")


@tool_case
def configs_accepted_in_odd_forms(t: Terminal) -> None:
    topic = t.topic()
    for config in (
        "retention.ms=-1", "'retention.ms= 7 '", "cleanup.policy=[delete,compact]", "cleanup.policy=[]",
        "cleanup.policy=[delete,delete]", "preallocate=TRUE", "min.cleanable.dirty.ratio=1",
        "retention.bytes=0", "leader.replication.throttled.replicas=*",
        "leader.replication.throttled.replicas=[0:1,1:2]", "segment.jitter.ms=0",
        "follower.replication.throttled.replicas=[0:1,0:1,1:1]",
    ):  # fmt: skip
        t.run(f"kafka-configs --alter --topic {topic} --add-config {config}")
    t.run(f"kafka-configs --describe --topic {topic}")


@tool_case
def configs_from_a_file(t: Terminal) -> None:
    topic = t.topic()
    file = t.file("configs", "retention.ms=9\n# a comment\nflush.messages = 12\n")
    t.run(f"kafka-configs --alter --topic {topic} --add-config-file {file}")
    t.run(f"kafka-configs --alter --topic {topic} --add-config-file {file}.not")
    t.run(f"kafka-configs --describe --topic {topic}")


@tool_case
def configs_of_what_is_not_there(t: Terminal) -> None:
    t.run("kafka-configs --describe --topic nosuch")
    t.run("kafka-configs --alter --topic nosuch --add-config retention.ms=1")
    t.run("kafka-configs --describe --topic bad/name")
    t.run("kafka-configs --alter --topic bad/name --add-config retention.ms=1")
    t.run("kafka-configs --describe --broker 7")
    t.run("kafka-configs --describe --broker x")
    t.run("kafka-configs --describe --group nosuch")
    t.run("kafka-configs --describe --client-metrics nosuch")


@tool_case
def configs_of_the_offsets_topic(t: Terminal) -> None:
    t.group()
    t.run("kafka-configs --describe --topic __consumer_offsets")


@tool_case
def configs_of_every_topic(t: Terminal) -> None:
    topic = t.topic(retention_ms="77")
    t.run("kafka-configs --describe --entity-type topics", keep=rf"{topic}|=77\b")


@tool_case
def configs_of_the_broker(t: Terminal) -> None:
    t.run("kafka-configs --describe --broker 1")
    t.run("kafka-configs --describe --broker-defaults")
    t.run("kafka-configs --describe --entity-type brokers")
    for names in (
        "num.partitions|offsets.(c|l|m|re|topic.[cnps])|message|auto.create|log.re|log.seg|unclean|min.insync",
        "group.(consumer|initial|min|max|coordinator.(append|reb))",
        "log.cleaner.(b|de.*ret|en|m)|log.message|log.index",
    ):
        t.run("kafka-configs --describe --broker 1 --all", keep=f"^All|^  ({names})")


@tool_case
def configs_altered_of_the_broker(t: Terminal) -> None:
    for options in (
        "--broker 1 --add-config log.cleaner.threads=1",
        "--broker 1 --add-config node.id=2",
        "--broker 1 --add-config nosuch=2",
        "--broker-defaults --add-config log.retention.ms=abc",
        "--broker 1 --delete-config log.retention.ms",
    ):
        t.run(f"kafka-configs --alter {options}")


@tool_case
def configs_of_a_group(t: Terminal) -> None:
    group = t.name("group")
    t.run(f"kafka-configs --alter --group {group} --add-config consumer.session.timeout.ms=50000")
    t.run(f"kafka-configs --describe --group {group}")
    t.run(f"kafka-configs --describe --group {group} --all")
    t.run(f"kafka-configs --alter --group {group} --add-config consumer.session.timeout.ms=1")
    t.run(f"kafka-configs --alter --group {group} --add-config nosuch=1")
    t.run(f"kafka-configs --alter --group {group} --delete-config consumer.session.timeout.ms")
    t.run(f"kafka-configs --describe --group {group}")


@differing("Settings of one node")
def configs_with_another_default(t: Terminal) -> None:
    t.run("kafka-configs --describe --broker 1 --all", keep="^  (node.id|offsets.topic.rep)")


@tool_case
def configs_of_users_and_clients(t: Terminal) -> None:
    t.run("kafka-configs --describe --user alice")
    t.run("kafka-configs --describe --ip 127.0.0.1")
    t.run("kafka-configs --alter --client c --add-config producer_byte_rate=1024")


@tool_case
def configs_usage(t: Terminal) -> None:
    t.run("kafka-configs")
    t.run("kafka-configs --describe")
    t.run("kafka-configs --alter --topic x")
    t.run("kafka-configs --describe --entity-type bogus")
    t.run("kafka-configs --describe --alter --topic x")
    t.run("kafka-configs --alter --topic x --add-config a")
