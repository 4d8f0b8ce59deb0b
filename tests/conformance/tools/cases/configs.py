"""kafka-configs."""

from __future__ import annotations

import re

from tests.conformance.build import commit
from tests.conformance.tools.terminal import Terminal, differing, tool_case


def ordered(lines: list[str]) -> list[str]:
    """Sort the lines, and the quotas or mechanisms in each. Kafka prints both in the order of a hash map."""
    return sorted(
        re.sub(r"(?<= are )[\w.,= -]+$", lambda found: ", ".join(sorted(found[0].split(", "))), line)
        for line in lines
    )


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
        "--broker 1 --delete-config log.cleaner.threads,nosuch",
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


@tool_case
def configs_of_a_scram_user(t: Terminal) -> None:
    user = t.name("user")
    alter = f"kafka-configs --alter --entity-type users --entity-name {user}"
    describe = f"kafka-configs --describe --user {user}"
    t.run(f"{alter} --add-config 'SCRAM-SHA-256=[iterations=8192,password=pw]'")
    t.run(describe, cut=ordered)
    t.run(f"kafka-configs --alter --user {user} --add-config 'SCRAM-SHA-512=[password=pw]'")
    t.run(describe, cut=ordered)
    t.run("kafka-configs --describe --entity-type users", keep=user, cut=ordered)
    t.run(f"{alter} --add-config 'SCRAM-SHA-256=[iterations=10,password=pw]'")
    t.run(f"{alter} --add-config 'SCRAM-SHA-256=[iterations=-1,password=pw]'")
    both = t.file("both", "SCRAM-SHA-256=password=pw\nSCRAM-SHA-512=iterations=4096,password=pw\n")
    t.run(f"{alter} --add-config-file {both}")
    many = t.file("many", "SCRAM-SHA-256=iterations=100000,password=pw\n")
    t.run(f"{alter} --add-config-file {many}")
    t.run(f"{alter} --delete-config SCRAM-SHA-256")
    t.run(f"{alter} --delete-config SCRAM-SHA-256")
    t.run(f"{alter} --delete-config SCRAM-SHA-512")
    t.run(describe, cut=ordered)
    t.run(f"{alter} --add-config 'SCRAM-SHA-256=[password=pw],producer_byte_rate=1'")
    t.run(f"{alter} --add-config nosuch=1")
    t.run(f"{alter} --add-config nosuch=1,other=2")
    t.run(f"{alter} --delete-config nosuch")
    t.run("kafka-configs --alter --user-defaults --add-config 'SCRAM-SHA-256=[password=pw]'")
    t.run("kafka-configs --describe --user nosuch")


@tool_case
def configs_of_quotas(t: Terminal) -> None:
    user, client = t.name("user"), t.name("client")
    both = f"--entity-type users --entity-name {user} --entity-type clients --entity-name {client}"
    t.run(f"kafka-configs --alter --user {user} --add-config producer_byte_rate=1024,consumer_byte_rate=2048")
    t.run(f"kafka-configs --describe --user {user}", cut=ordered)
    t.run(
        f"kafka-configs --alter --user {user} --delete-config consumer_byte_rate --add-config "
        "request_percentage=50"
    )
    t.run(f"kafka-configs --describe --user {user}", cut=ordered)
    t.run(f"kafka-configs --alter --user {user} --delete-config consumer_byte_rate")
    t.run(f"kafka-configs --alter --user {user} --add-config producer_byte_rate=abc")
    t.run(f"kafka-configs --alter --user {user} --add-config producer_byte_rate=-1")
    t.run(f"kafka-configs --alter --user {user} --add-config producer_byte_rate=1.5")
    t.run(f"kafka-configs --alter --user {user} --add-config request_percentage=12345678.5")
    t.run(f"kafka-configs --describe --user {user}", cut=ordered)
    t.run(f"kafka-configs --alter {both} --add-config controller_mutation_rate=5")
    t.run(f"kafka-configs --alter --client {client} --user-defaults --add-config consumer_byte_rate=1e9")
    t.run(f"kafka-configs --alter --client {client} --add-config consumer_byte_rate=1000000000")
    for options in (
        both, f"--client {client}", f"--client {client} --user {user}", f"--client {client} --user-defaults",
        f"--entity-type clients --entity-default --entity-type users --entity-name {user}",
        f"--entity-type clients --entity-name {client} --entity-type users",
        f"--entity-type users --entity-name {user} --entity-type clients",
    ):  # fmt: skip
        t.run(f"kafka-configs --describe {options}", cut=ordered)
    for options in (
        "--entity-type users",
        "--entity-type clients",
        "--entity-type users --entity-type clients",
    ):
        t.run(f"kafka-configs --describe {options}", keep=f"{user}|{client}", cut=ordered)
    t.run(f"kafka-configs --alter {both} --delete-config controller_mutation_rate")
    t.run(f"kafka-configs --alter --client {client} --user-defaults --delete-config consumer_byte_rate")
    t.run(f"kafka-configs --alter --client {client} --delete-config consumer_byte_rate")
    t.run(f"kafka-configs --alter --user {user} --delete-config producer_byte_rate,request_percentage")
    t.run(
        f"kafka-configs --alter --user {user} --delete-config producer_byte_rate --delete-config "
        "request_percentage"
    )
    t.run(f"kafka-configs --describe --user {user}", cut=ordered)
    t.run(f"kafka-configs --alter --client {client} --add-config 'SCRAM-SHA-256=[password=pw]'")
    t.run(f"kafka-configs --alter --client {client} --add-config nosuch=1")
    t.run(f"kafka-configs --alter --client {client} --delete-config SCRAM-SHA-256,nosuch")
    t.run(f"kafka-configs --alter --client {client} --delete-config nosuch")


@tool_case
def configs_of_default_quotas(t: Terminal) -> None:
    for kind, key in (
        ("user", "producer_byte_rate"), ("client", "request_percentage"), ("ip", "connection_creation_rate"),
    ):  # fmt: skip
        t.run(f"kafka-configs --alter --{kind}-defaults --add-config {key}=1000000000")
        t.run(f"kafka-configs --describe --entity-type {kind}s --entity-default")
        t.run(f"kafka-configs --describe --{kind}-defaults")
        t.run(f"kafka-configs --describe --entity-type {kind}s", keep="default")
        t.run(f"kafka-configs --alter --entity-type {kind}s --entity-default --delete-config {key}")
        t.run(f"kafka-configs --describe --{kind}-defaults")


@tool_case
def configs_of_an_address(t: Terminal) -> None:
    t.run("kafka-configs --alter --ip 127.0.0.9 --add-config connection_creation_rate=100")
    t.run("kafka-configs --describe --ip 127.0.0.9")
    t.run("kafka-configs --describe --entity-type ips", keep="127.0.0.9")
    t.run("kafka-configs --alter --ip 127.0.0.9 --add-config connection_creation_rate=1.5")
    t.run("kafka-configs --alter --ip 127.0.0.9 --add-config producer_byte_rate=1")
    t.run("kafka-configs --alter --ip 127.0.0.9 --delete-config nosuch,other")
    t.run("kafka-configs --alter --ip 127.0.0.9 --delete-config connection_creation_rate")
    t.run("kafka-configs --describe --ip 127.0.0.9")
    t.run(
        "kafka-configs --alter --entity-type ips --entity-name 1.2.3.400 --add-config "
        "connection_creation_rate=1"
    )


@tool_case
def configs_of_client_metrics(t: Terminal) -> None:
    name = t.name("metrics")
    alter = f"kafka-configs --alter --client-metrics {name}"
    t.run(f"{alter} --add-config metrics=[org.apache.kafka.producer.],interval.ms=15000,match=[client_id=a]")
    t.run(f"kafka-configs --describe --client-metrics {name}")
    t.run(f"kafka-configs --describe --entity-type client-metrics --entity-name {name} --all")
    t.run("kafka-configs --describe --entity-type client-metrics", keep=name)
    t.run(f"{alter} --add-config interval.ms=1")
    t.run(f"{alter} --add-config nosuch=1")
    t.run(f"{alter} --delete-config metrics --delete-config interval.ms --delete-config match")
    t.run(f"kafka-configs --describe --client-metrics {name}")


@tool_case
def configs_of_every_group(t: Terminal) -> None:
    group, other = t.name("group"), t.group()
    t.run(
        f"kafka-configs --alter --entity-type groups --entity-name {group} --add-config "
        "share.session.timeout.ms=50000"
    )
    t.do(*commit(other, {t.topic(): {0: 1}}))
    t.run("kafka-configs --describe --entity-type groups", keep=f"{group}|{other}", cut=ordered)
    t.run(f"kafka-configs --alter --group {group} --delete-config share.session.timeout.ms")


@tool_case
def configs_of_broker_loggers(t: Terminal) -> None:
    t.run("kafka-configs --alter --broker-logger 1 --add-config nosuch.Logger=INFO")
    t.run("kafka-configs --alter --broker-logger 1 --delete-config nosuch.Logger")
    t.run("kafka-configs --describe --broker-logger 7")
    t.run("kafka-configs --describe --broker-logger x")
    t.run("kafka-configs --describe --entity-type broker-loggers")


@tool_case
def configs_of_the_broker_altered_and_described(t: Terminal) -> None:
    for which in ("--broker 1", "--broker-defaults", "--entity-type brokers --entity-default"):
        t.run(f"kafka-configs --alter {which} --add-config message.max.bytes=1048588")
        t.run(f"kafka-configs --describe {which}", keep="configs|message.max")
        t.run(f"kafka-configs --alter {which} --delete-config message.max.bytes")
        t.run(f"kafka-configs --describe {which}", keep="configs|message.max")


@tool_case
def configs_usage_refused(t: Terminal) -> None:
    file = t.file("configs", "retention.ms=9\n")
    for options in (
        "--describe --entity-type topics --entity-type brokers",
        "--describe --entity-type topics --entity-type topics",
        "--describe --entity-type users --topic x",
        "--describe --topic x --broker 1",
        "--describe --entity-type topics --entity-default",
        "--describe --entity-type groups --entity-default",
        "--describe --topic x --add-config a=1",
        "--describe --topic x --delete-config a",
        "--describe --entity-type users --entity-name a --entity-name b",
        "--describe --topic a --topic b",
        "--describe --bogus",
        "--describe --topic",
        "--describe --ip 1.2.3.400",
        "--alter --entity-type topics --add-config a=1",
        "--alter --entity-type groups --add-config a=1",
        "--alter --entity-type users --add-config producer_byte_rate=1",
        "--alter --entity-type users --entity-type clients --entity-name a --add-config producer_byte_rate=1",
        f"--alter --topic x --add-config a=1 --add-config-file {file}",
        "--alter --topic x --add-config 'bad key=1'",
        "--alter --topic x --delete-config 'bad key'",
        "--alter --topic x --add-config a=1,b",
        "--alter --broker x --add-config a=1",
        "--alter --entity-type brokers --entity-name x --add-config a=1",
    ):
        t.run(f"kafka-configs {options}")
    t.run("kafka-configs --describe --topic x {alone}")
    t.run("kafka-configs --describe --topic x --bootstrap-controller localhost:1 {at}")
    t.run("kafka-configs --help {alone}")
    t.run("kafka-configs --version {alone}")
    t.run(f"kafka-configs --describe --topic x --command-config {file}.not")
