"""kafka-acls."""

from __future__ import annotations

import re
from typing import Final

from tests.conformance.tools.terminal import Terminal, authorized_case, tool_case

_TRACE: Final = re.compile(r"[a-z]+(\.\w+)+(: |$)|Caused by: |\t\.\.\. ")


def in_order(lines: list[str]) -> list[str]:
    """Sort the ACLs of each resource, then the resources: Kafka's order is that of hashes.

    Drop stack traces, and what an answer to a question would be about.
    """
    blocks: list[list[str]] = []
    for line in lines:
        if line and not _TRACE.match(line):
            if not line.lstrip(" ").startswith("\t") or not blocks:
                blocks.append([line])
            else:
                blocks[-1].append(line.lstrip(" "))
    return [line for block in sorted([head, *sorted(rest)] for head, *rest in blocks) for line in block]


def spaced(lines: list[str]) -> list[str]:
    """Return the lines with their order and blanks, of output about one ACL of one resource."""
    return [line for line in lines if not _TRACE.match(line)]


def operations_in_order(lines: list[str]) -> list[str]:
    """Sort the operations of a message: Kafka's order is that of a set."""
    return [
        re.sub(r"\[(.*)\]", lambda found: ", ".join(sorted(found[1].split(", "))), line) for line in lines
    ]


@tool_case
def acls_without_an_authorizer(t: Terminal) -> None:
    t.run("kafka-acls --list", cut=in_order)
    t.run("kafka-acls --add --topic t --allow-principal User:alice", cut=in_order)
    t.run("kafka-acls --remove --topic t --force", cut=in_order)


@tool_case
def acls_usage_errors(t: Terminal) -> None:
    topic = "--topic t --allow-principal User:alice"
    for line in (
        "", "--help", "--version", "--list {alone}", f"--add {topic} --bootstrap-controller c:1",
        "--add --list", "--add", "--remove --force", "--add --allow-principal User:alice",
        "--add --topic t", "--add --topic t --allow-host 10.0.0.1", "--list --producer", "--list --consumer",
        "--list --allow-principal User:alice", "--list --allow-host h", "--list --deny-host h",
        f"--add {topic} --producer --operation Read", "--add --topic t --producer --deny-principal User:a",
        f"--add {topic} --producer --deny-host h", f"--add {topic} --consumer --operation Read",
        f"--add {topic} --consumer", "--add --consumer --group g --allow-principal User:a",
        f"--add {topic} --consumer --group g --cluster", "--add --producer --allow-principal User:alice",
        f"--add {topic} --idempotent", f"--add {topic} --principal User:b", "--list --idempotent",
        f"--add {topic} --resource-pattern-type match", f"--add {topic} --resource-pattern-type ANY",
        "--add --bogus", "--add --group g --operation Write --allow-principal User:a",
        f"--add {topic} --operation Nonsense", f"--add {topic} --operation describe_configs",
        "--add --cluster --operation Read --allow-principal User:a",
        "--add --transactional-id x --operation Read --allow-principal User:a",
        "--add --delegation-token x --operation Read --allow-principal User:a",
        "--add --user-principal x --operation Read --allow-principal User:a",
    ):  # fmt: skip
        t.run(f"kafka-acls {line}", cut_err=operations_in_order)


@tool_case
def acls_that_cannot_be_read(t: Terminal) -> None:
    for line in (
        "--add --topic t --allow-principal alice", "--list --principal alice",
        "--add --topic t --allow-principal User:a --operation any",
        "--list --resource-pattern-type nonsense",
        "--add --topic t --allow-principal User:a --resource-pattern-type nonsense",
    ):  # fmt: skip
        t.run(f"kafka-acls {line}", cut=in_order)


@authorized_case
def acls_of_a_topic(t: Terminal) -> None:
    topic = t.name("topic")
    add = f"kafka-acls --add --topic {topic} --allow-principal User:alice"
    t.run(f"kafka-acls --list --topic {topic}")
    t.run(f"{add} --operation Read", cut=spaced)
    t.run(f"{add} --operation Read", cut=spaced)
    t.run(f"kafka-acls --list --topic {topic}", cut=spaced)
    t.run(f"{add} --operation Read --operation write --allow-host 10.0.0.1 --allow-host 10.0.0.2",
          cut=in_order)  # fmt: skip
    t.run(f"{add} --deny-principal User:bob --deny-host 10.0.0.3", cut=in_order)
    t.run(f"{add} --operation describeConfigs --operation ALTERCONFIGS", cut=in_order)
    t.run(f"kafka-acls --list --topic {topic}", cut=in_order)
    t.run(f"kafka-acls --list --topic {topic} --principal User:alice", cut=in_order)
    t.run(f"kafka-acls --list --topic {topic} --principal User:bob", cut=in_order)
    t.run(f"kafka-acls --list --topic {topic} --principal User:bob --principal User:no", cut=in_order)
    t.run(f"kafka-acls --remove --topic {topic} --allow-principal User:alice --operation Read --force")
    t.run(f"kafka-acls --list --topic {topic}", cut=in_order)
    t.run(f"kafka-acls --remove --topic {topic} --force")
    t.run(f"kafka-acls --list --topic {topic}")
    t.run(f"kafka-acls --remove --topic {topic} --force")


@authorized_case
def acls_of_every_kind_of_resource(t: Terminal) -> None:
    names = [t.name(kind) for kind in ("topic", "group", "id", "token", "user")]
    topic, group, transactional_id, token, user = names
    own = f"{'|'.join(names)}|resourceType=CLUSTER"
    who = f"--allow-principal User:{group}"
    t.run(f"kafka-acls --add --topic {topic} --group {group} {who} --operation Describe", cut=in_order)
    t.run(f"kafka-acls --add --transactional-id {transactional_id} {who}", cut=in_order)
    t.run(f"kafka-acls --add --delegation-token {token} {who} --operation Describe", cut=in_order)
    t.run(f"kafka-acls --add --user-principal User:{user} {who} --operation CreateTokens", cut=in_order)
    t.run(f"kafka-acls --add --cluster {who} --operation ClusterAction", cut=in_order)
    t.run(f"kafka-acls --list --topic {topic} --group {group} --transactional-id {transactional_id} "
          f"--delegation-token {token} --user-principal User:{user}", cut=in_order)  # fmt: skip
    t.run(f"kafka-acls --list --principal User:{group}", cut=in_order)
    t.run("kafka-acls --list", keep=own, cut=in_order)
    t.run(f"kafka-acls --remove --cluster {who} --operation ClusterAction --force")
    t.run(f"kafka-acls --remove --topic {topic} --group {group} --force")
    t.run(f"kafka-acls --list --principal User:{group}", cut=in_order)


@authorized_case
def acls_of_patterns(t: Terminal) -> None:
    topic = t.name("topic")
    prefix = topic[:-1]
    who = "--allow-principal User:alice --operation Read"
    t.run(f"kafka-acls --add --topic {topic} {who}", cut=in_order)
    t.run(f"kafka-acls --add --topic {prefix} --resource-pattern-type prefixed {who}", cut=in_order)
    for pattern in ("literal", "prefixed", "any", "match"):
        for name in (topic, prefix):
            t.run(f"kafka-acls --list --topic {name} --resource-pattern-type {pattern}", cut=in_order)
    t.run(f"kafka-acls --remove --topic {topic} --resource-pattern-type match --force")
    t.run(f"kafka-acls --list --topic {topic} --resource-pattern-type match", cut=in_order)


@authorized_case
def acls_of_producers_and_consumers(t: Terminal) -> None:
    topic, group, transactional_id = t.name("topic"), t.name("group"), t.name("id")
    who = f"--allow-principal User:{group}"
    t.run(f"kafka-acls --add --producer --topic {topic} {who}", cut=in_order)
    t.run(f"kafka-acls --add --consumer --topic {topic} --group {group} {who}", cut=in_order)
    t.run(f"kafka-acls --add --producer --consumer --topic {topic} --group {group} --idempotent "
          f"--transactional-id {transactional_id} {who} --allow-host 10.0.0.1", cut=in_order)  # fmt: skip
    t.run(f"kafka-acls --add --producer --topic {topic} --cluster {who}", cut=in_order)
    t.run(f"kafka-acls --list --principal User:{group}", cut=in_order)
    t.run(f"kafka-acls --remove --consumer --topic {topic} --group {group} {who} --force")
    t.run(f"kafka-acls --list --topic {topic} --group {group}", cut=in_order)


@authorized_case
def acls_that_the_broker_refuses(t: Terminal) -> None:
    t.run("kafka-acls --add --topic '' --allow-principal User:alice", cut=in_order)
    t.run("kafka-acls --list --topic ''")


@authorized_case
def acls_are_removed_after_a_question(t: Terminal) -> None:
    topic = t.name("topic")
    t.run(f"kafka-acls --add --topic {topic} --allow-principal User:alice", cut=in_order)
    asked = "^(?!Error while)"  # there is no terminal for the answer
    t.run(f"kafka-acls --remove --topic {topic}", keep=asked, cut=in_order)
    t.run(f"kafka-acls --remove --topic {topic} --allow-principal User:alice", keep=asked, cut=in_order)
    t.run(f"kafka-acls --list --topic {topic}", cut=in_order)
