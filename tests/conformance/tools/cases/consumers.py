"""The group tools, kafka-groups and kafka-configs on groups of the consumer protocol (KIP-848)."""

from __future__ import annotations

import re

from tests.conformance.build import commit
from tests.conformance.consumers import Consumer, known_topic, set_group, settled
from tests.conformance.members import stable
from tests.conformance.tools.given import committed, reader, records
from tests.conformance.tools.terminal import Terminal, squeezed, tool_case

VIEWS = ("", "--verbose", "--members", "--members --verbose", "--state", "--state --verbose")


def read_topic(t: Terminal, *counts: int) -> str:
    """Create a topic that consumers can be assigned, with this many records per partition."""
    topic = known_topic(t, len(counts))
    for partition, count in enumerate(counts):
        if count:
            records(t, topic, count, partition)
    return topic


def stay(t: Terminal, *topics: str, **how: str) -> Consumer:
    """Return the only member of a new group. It owns all partitions of these topics."""
    member = Consumer(t, t.group(), "m1", topics=list(topics), **how)
    settled(member)
    return member


def assigned_at_once(t: Terminal, group: str) -> str:
    """Compute target assignments of this group without delay, so that each join has the same result."""
    set_group(t, group, consumer_assignment_interval_ms="0")
    return group


def commit_as(member: Consumer, topic: str, *offsets: int) -> None:
    """Commit these offsets, one per partition, with the member's epoch."""
    wanted = {topic: dict(enumerate(offsets))}
    member.peer.do(*commit(member.group, wanted, member=member.id, generation=member.epoch))


def describe(t: Terminal, group: str) -> None:
    for view in VIEWS:
        t.run(f"kafka-consumer-groups --describe --group {group} {view}", cut=sorted)


@tool_case
def consumers_list(t: Terminal) -> None:
    topic = read_topic(t, 1)
    living, left = stay(t, topic), stay(t, topic)
    left.leave(kept=False)
    own = f"^GROUP|{living.group}|{left.group}|{committed(t, topic, 1)}"
    for options in ("", "--state", "--type", "--state --type", "--type consumer", "--type CONSUMER,classic",
                    "--type consumer --state empty", "--state stable,assigning",
                    "--state reconciling"):  # fmt: skip
        t.run(f"kafka-consumer-groups --list {options}", keep=own, cut=squeezed)
    for options in ("", "--consumer", "--group-type consumer", "--protocol consumer", "--group-type classic",
                    "--group-type consumer --protocol other"):  # fmt: skip
        t.run(f"kafka-groups --list {options}", keep=own, cut=squeezed)


@tool_case
def consumers_describe_one(t: Terminal) -> None:
    topic = read_topic(t, 5, 3, 0)
    member = stay(t, topic)
    commit_as(member, topic, 2, 3)
    describe(t, member.group)


@tool_case
def consumers_describe_two(t: Terminal) -> None:
    topic, other = read_topic(t, 5, 3), read_topic(t, 1)
    one = Consumer(t, assigned_at_once(t, t.group()), "m1", topics=[topic, other])
    two = Consumer(t, one.group, "m2", topics=[topic], rack="r1")
    settled(one, two)
    commit_as(one, topic, 2, 3)
    describe(t, one.group)


@tool_case
def consumers_describe_static_members(t: Terminal) -> None:
    topic = read_topic(t, 5, 3)
    group = assigned_at_once(t, t.group())
    one = Consumer(t, group, "m1", topics=[topic], instance="a-long-instance-id")
    two = Consumer(t, one.group, "m2", topics=[topic])
    settled(one, two)
    describe(t, one.group)
    one.leave(epoch=-2, kept=False)
    describe(t, one.group)


@tool_case
def consumers_describe_while_partitions_move(t: Terminal) -> None:
    """The first member has not given up what the second shall have."""
    topic = read_topic(t, 5, 3)
    one = stay(t, topic)
    Consumer(t, assigned_at_once(t, one.group), "m2", topics=[topic]).join(kept=False)
    describe(t, one.group)
    t.run("kafka-consumer-groups --list --state", keep=one.group, cut=squeezed)
    one.beat(kept=False)
    describe(t, one.group)


@tool_case
def consumers_describe_without_partitions(t: Terminal) -> None:
    one = Consumer(t, t.group(), "m1", topics=["no-such-topic"])
    settled(one)
    describe(t, one.group)


@tool_case
def consumers_describe_after_the_last_left(t: Terminal) -> None:
    topic = read_topic(t, 5, 3)
    member = stay(t, topic)
    commit_as(member, topic, 2)
    member.leave(kept=False)
    describe(t, member.group)


@tool_case
def consumers_describe_assignments_in_order(t: Terminal) -> None:
    """The tool sorts assignments as texts, in which a colon follows each name."""
    topic = read_topic(t, 1, 1)
    longer = f"{topic}-a"
    t.run(f"kafka-topics --create --topic {longer}")
    member = Consumer(t, t.group(), "m1", topics=[topic, longer], assignor="range")
    member.join(kept=False)
    t.until(lambda: member.full(kept=False), lambda _: len(member.owns) == 2)
    member.settle(beats=2)
    line = f"kafka-consumer-groups --describe --group {member.group} --members --verbose"
    t.run(line, keep=topic, cut=assignments)  # the epoch depends on when the broker knew the second topic


def assignments(lines: list[str]) -> list[str]:
    return [found for line in lines for found in re.findall(r"\S+:\S+", line)]


@tool_case
def consumers_describe_a_migration(t: Terminal) -> None:
    """A classic member and one of the consumer protocol share a group."""
    topic = read_topic(t, 5, 3)
    old = reader(t, t.group(), {topic: [0, 1]})
    stable(t, old)
    assigned_at_once(t, old.group)
    t.do(*commit(old.group, {topic: {0: 1}}, member=old.id, generation=old.generation))
    Consumer(t, old.group, "m2", topics=[topic]).join(kept=False)
    describe(t, old.group)
    t.run("kafka-consumer-groups --list --state --type", keep=old.group, cut=squeezed)
    t.run("kafka-groups --list", keep=old.group, cut=squeezed)


@tool_case
def consumers_delete(t: Terminal) -> None:
    topic = read_topic(t, 1)
    member = stay(t, topic)
    t.run(f"kafka-consumer-groups --delete --group {member.group}")
    member.leave(kept=False)
    t.run(f"kafka-consumer-groups --delete --group {member.group}")
    t.run(f"kafka-consumer-groups --delete --group {member.group}")
    t.run(f"kafka-consumer-groups --describe --group {member.group}")


@tool_case
def consumers_delete_offsets(t: Terminal) -> None:
    topic, other = read_topic(t, 5, 3), read_topic(t, 2)
    member = stay(t, topic)
    commit_as(member, topic, 2, 3)
    commit_as(member, other, 1)
    delete = f"kafka-consumer-groups --delete-offsets --group {member.group}"
    t.run(f"{delete} --topic {topic}")
    t.run(f"{delete} --topic {topic}:0 --topic {other}")
    t.run(f"kafka-consumer-groups --describe --group {member.group}", cut=sorted)
    member.leave(kept=False)
    t.run(f"{delete} --topic {topic}:0,1")
    t.run(f"kafka-consumer-groups --describe --group {member.group}")


@tool_case
def consumers_reset_offsets(t: Terminal) -> None:
    topic = read_topic(t, 5, 3)
    member = stay(t, topic)
    commit_as(member, topic, 2, 3)
    reset = f"kafka-consumer-groups --reset-offsets --group {member.group} --topic {topic}"
    t.run(f"{reset} --to-earliest --dry-run")
    t.run(f"{reset} --to-earliest --execute")
    member.leave(kept=False)
    for scenario in ("--to-earliest", "--shift-by 1", "--to-latest", "--to-current", "--to-offset 1"):
        t.run(f"{reset} {scenario} --execute", cut=sorted)
    t.run(f"kafka-consumer-groups --describe --group {member.group}")


@tool_case
def consumers_regular_expressions(t: Terminal) -> None:
    for regex in ("orders-.*", "[bad", "a{1001}", "(?=x)", r"\1", "(a", "*", ""):
        t.run(f"kafka-consumer-groups --validate-regex '{regex}' {{alone}}")
    topic = read_topic(t, 2, 2)
    member = Consumer(t, t.group(), "m1", regex=f"{topic[:-1]}.")
    member.join(kept=False)
    t.until(lambda: member.full(kept=False), lambda _: member.owns)
    member.settle(beats=2)
    t.run(f"kafka-consumer-groups --describe --group {member.group} --members")
    delete = f"kafka-consumer-groups --delete-offsets --group {member.group}"
    commit_as(member, topic, 1, 1)
    t.run(f"{delete} --topic {topic}")


@tool_case
def consumers_configs_of_a_group(t: Terminal) -> None:
    member = stay(t, read_topic(t, 1))
    configs = f"kafka-configs --group {member.group}"
    t.run(f"{configs} --describe")
    t.run(f"{configs} --alter --add-config consumer.session.timeout.ms=50000")
    t.run(f"{configs} --describe")
    t.run(f"{configs} --alter --add-config consumer.session.timeout.ms=5")
    t.run(f"{configs} --alter --add-config consumer.heartbeat.interval.ms=1000000")
    t.run(f"{configs} --alter --delete-config consumer.session.timeout.ms")
    t.run(f"{configs} --describe --all")
