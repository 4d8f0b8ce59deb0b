"""kafka-topics."""

from __future__ import annotations

from tests.conformance.tools.terminal import Terminal, tool_case


@tool_case
def topics_create(t: Terminal) -> None:
    name = t.name()
    t.run(f"kafka-topics --create --topic {name} --partitions 3 --config retention.ms=123456")
    t.run(f"kafka-topics --create --topic {name}")
    t.run(f"kafka-topics --create --topic {name} --if-not-exists")
    t.run(f"kafka-topics --describe --topic {name}")


@tool_case
def topics_create_with_defaults(t: Terminal) -> None:
    name = t.name()
    t.run(f"kafka-topics --create --topic {name}")
    t.run(f"kafka-topics --describe --topic {name}")


@tool_case
def topics_create_names_that_collide(t: Terminal) -> None:
    t.run("kafka-topics --create --topic collide.one")
    t.run("kafka-topics --create --topic collide_one")
    t.run("kafka-topics --create --topic collide_one --if-not-exists")


@tool_case
def topics_create_refused(t: Terminal) -> None:
    t.group()
    for name in ("bad/name", "..", "''", "a" * 250, "__consumer_offsets"):
        t.run(f"kafka-topics --create --topic {name}")
    name = t.name()
    for options in (
        "--partitions 0",
        "--partitions -3",
        "--replication-factor 3",
        "--replication-factor 0",
        "--partitions 100001",
        "--config nope=1",
        "--config retention.ms=abc",
        "--config retention.ms=-2",
        "--config cleanup.policy=shred",
        "--config min.insync.replicas=0",
        "--config segment.bytes=3",
        "--config retention.ms",
        "--replica-assignment 7",
        "--replica-assignment 1:1",
        "--replica-assignment x",
    ):
        t.run(f"kafka-topics --create --topic {name} {options}")


@tool_case
def topics_create_with_replica_assignment(t: Terminal) -> None:
    name = t.name()
    t.run(f"kafka-topics --create --topic {name} --replica-assignment 1,1")
    t.run(f"kafka-topics --describe --topic {name}")


@tool_case
def topics_create_with_many_configs(t: Terminal) -> None:
    name = t.name()
    configs = "cleanup.policy=compact,delete max.message.bytes=2000 compression.type=zstd preallocate=true"
    options = " ".join(f"--config {each}" for each in configs.split())
    t.run(f"kafka-topics --create --topic {name} {options}")
    t.run(f"kafka-topics --describe --topic {name}")


@tool_case
def topics_list(t: Terminal) -> None:
    first, second = t.topic(), t.topic()
    t.group()
    t.run("kafka-topics --list", keep=f"{first}|{second}|^__c")
    t.run("kafka-topics --list --exclude-internal", keep=f"{first}|{second}|^__c")
    t.run(f"kafka-topics --list --topic {second}")
    t.run(f"kafka-topics --list --topic {first[:-1]}.")
    t.run(f"kafka-topics --list --topic {first},{second}")
    t.run("kafka-topics --list --topic nosuch")
    t.run("kafka-topics --list extra words", keep=first)


@tool_case
def topics_describe(t: Terminal) -> None:
    first, second = t.topic(3, retention_ms="-1"), t.topic(2)
    t.run(f"kafka-topics --describe --topic {first}")
    t.run(f"kafka-topics --describe --topic '{first[:-1]}.*'")
    t.run(f"kafka-topics --describe --topic {second},{first} --partition-size-limit-per-response 1")
    for option in (
        "--under-replicated-partitions",
        "--unavailable-partitions",
        "--under-min-isr-partitions",
        "--at-min-isr-partitions",
        "--topics-with-overrides",
    ):
        t.run(f"kafka-topics --describe --topic {first},{second} {option}")


@tool_case
def topics_describe_by_id(t: Terminal) -> None:
    topic = t.topic()
    told = t.run(f"kafka-topics --describe --topic {topic}")
    topic_id = told.split("TopicId: ")[1][:22]
    t.run(f"kafka-topics --describe --topic-id={topic_id}")


@tool_case
def topics_describe_the_offsets_topic(t: Terminal) -> None:
    t.group()
    t.run("kafka-topics --describe --topic __consumer_offsets")


@tool_case
def topics_describe_unknown(t: Terminal) -> None:
    t.run("kafka-topics --describe --topic nosuch")
    t.run("kafka-topics --describe --topic nosuch --if-exists")
    t.run("kafka-topics --describe --topic bad/name")
    t.run("kafka-topics --describe --topic-id AAAAAAAAAAAAAAAAAAAAIA")
    t.run("kafka-topics --describe --topic-id AAAAAAAAAAAAAAAAAAAAIA --if-exists")
    t.run("kafka-topics --describe --topic-id short")


@tool_case
def topics_alter(t: Terminal) -> None:
    topic = t.topic()
    t.run(f"kafka-topics --alter --topic {topic} --partitions 3")
    for options in ("--partitions 3", "--partitions 2", "--partitions 0"):
        t.run(f"kafka-topics --alter --topic {topic} {options}")
    t.run(f"kafka-topics --alter --topic {topic} --partitions 5 --replica-assignment 1,1,1,1,1")
    t.run(f"kafka-topics --alter --topic {topic} --partitions 6 --replica-assignment 1,1,1,1,1,7")
    t.run(f"kafka-topics --alter --topic {topic} --partitions 7 --replica-assignment 1")
    t.run(f"kafka-topics --describe --topic {topic}")


@tool_case
def topics_alter_unknown(t: Terminal) -> None:
    t.run("kafka-topics --alter --topic nosuch --partitions 3")
    t.run("kafka-topics --alter --topic nosuch --partitions 3 --if-exists")


@tool_case
def topics_delete(t: Terminal) -> None:
    first, second, third = t.topic(), t.topic(), t.topic()
    t.run(f"kafka-topics --delete --topic {first}")
    t.until_gone(first)  # Kafka's broker learns of it with a delay
    t.run(f"kafka-topics --delete --topic {first}")
    t.run(f"kafka-topics --delete --topic {first} --if-exists")
    t.run(f"kafka-topics --delete --topic '{first[:-1]}.'")
    t.until_gone(second)
    t.until_gone(third)
    t.run(f"kafka-topics --list --topic {first},{second},{third}")


@tool_case
def topics_usage(t: Terminal) -> None:
    t.run("kafka-topics")
    t.run("kafka-topics --list --describe")
    t.run("kafka-topics --create")
    t.run("kafka-topics --list --bogus")
    t.run("kafka-topics --create --topic x --partitions 1 --replica-assignment 1")


@tool_case
def topics_usage_of_each_action(t: Terminal) -> None:
    for line in (
        "--alter --topic x",
        "--alter --topic x --replica-assignment 1",
        "--alter --topic x --partitions 2 --config a=b",
        "--alter --topic x --partitions 2 --replication-factor 1",
        "--alter --topic x --partitions 2 --if-not-exists",
        "--alter --topic x --partitions 2 --exclude-internal",
        "--create --topic x --replication-factor 1 --replica-assignment 1",
        "--create --topic x --if-exists",
        "--create --topic x --under-replicated-partitions",
        "--delete",
        "--delete --topic x --config a=b",
        "--describe --topic x --config a=b",
        "--describe --topic x --replica-assignment 1",
        "--describe --if-exists",
        "--describe --under-replicated-partitions --topics-with-overrides",
        "--describe --at-min-isr-partitions --topics-with-overrides",
        "--list --partitions 1",
        "--list --if-exists",
        "--list --topics-with-overrides",
        "--list --unavailable-partitions",
        "--list --delete-config x --partitions 1",
    ):
        t.run(f"kafka-topics {line}")


@tool_case
def topics_usage_without_a_broker(t: Terminal) -> None:
    t.run("kafka-topics {alone}")
    t.run("kafka-topics --help {alone}")
    t.run("kafka-topics --version {alone}")
    t.run("kafka-topics --list {alone}")
    t.run("kafka-topics --create {alone}")
    t.run("kafka-topics --list {alone} --bootstrap-server")
    t.run("kafka-topics --list {at} --bootstrap-server localhost:1")


@tool_case
def topics_values_that_cannot_be_read(t: Terminal) -> None:
    name = t.name()
    for line in (
        "--create --topic {} --partitions abc",
        "--create --topic {} --partitions 3000000000",
        "--create --topic {} --partitions 1 --partitions 2",
        "--create --topic {} --topic other",
        "--create --topic {} --replication-factor 32768",
        "--create --topic {} --config a=b=c",
        "--create --topic {} --config retention.ms=",
        "--create --topic {} --replica-assignment 1,1:2",
        "--create --topic {} --replica-assignment 1,,1",
        "--alter --topic {} --partitions abc",
        "--alter --topic {} --partitions 2 --replica-assignment x",
        "--describe --topic [bad",
        "--describe --topic {} --partition-size-limit-per-response abc",
        "--describe --topic-id illegal/base64",
        "--describe --topic-id AAAA",
        "--describe --topic-id AAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "--describe --topic-id AAAAAAAAAAAAAAAAAAAAIA==",
        "--describe --topic-id AAAAAAAAAAAAAAAAAAAAIA=",
        "--delete --topic ''",
    ):
        t.run(f"kafka-topics {line.format(name)}")


@tool_case
def topics_describe_many(t: Terminal) -> None:
    name = t.name()
    for number in range(14):
        t.run(f"kafka-topics --create --topic {name}-{number} --partitions 2")
    t.run(f"kafka-topics --describe --topic '{name}.*'")
    t.run(
        f"kafka-topics --describe --topic '{name}.*' --exclude-internal --partition-size-limit-per-response 3"
    )
    t.run(f"kafka-topics --describe --topic '{name}-1.' --partition-size-limit-per-response 0")
    t.run(f"kafka-topics --describe --topic '{name}-1.' --partition-size-limit-per-response -1")


@tool_case
def topics_describe_with_an_id_and_a_name(t: Terminal) -> None:
    first, second = t.topic(), t.topic(2)
    told = t.run(f"kafka-topics --describe --topic {second}")
    topic_id = told.split("TopicId: ")[1][:22]
    t.run(f"kafka-topics --describe --topic {first} --topic-id={topic_id}")
    t.run(f"kafka-topics --describe --topic {first} --topic-id={topic_id} --if-exists")
    t.run(f"kafka-topics --describe --topic-id={topic_id} --at-min-isr-partitions")
    t.run(f"kafka-topics --describe --topic {first} --topic-id AAAAAAAAAAAAAAAAAAAAAA")


@tool_case
def topics_alter_several(t: Terminal) -> None:
    first, second = t.topic(1), t.topic(2)
    t.run(f"kafka-topics --alter --topic '{first[:-1]}.' --partitions 3 --replica-assignment 1,1,1")
    t.run(f"kafka-topics --describe --topic {first}")
    t.run(f"kafka-topics --describe --topic {second}")
    t.run(f"kafka-topics --alter --topic {first} --partitions 4")
    t.run(f"kafka-topics --alter --topic '{first}|nosuch' --partitions 5 --if-exists")


@tool_case
def topics_create_with_every_number(t: Terminal) -> None:
    name = t.name()
    numbers = "--partitions 2 --replication-factor 1"
    t.run(f"kafka-topics --create --topic {name} {numbers} --config 'retention.ms = 5'")
    t.run(f"kafka-topics --describe --topic {name} --topics-with-overrides")
