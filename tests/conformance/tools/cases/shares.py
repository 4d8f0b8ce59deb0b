"""kafka-share-groups, kafka-groups on share groups, kafka-console-share-consumer (KIP-932)."""

from __future__ import annotations

import json
import re

from tests.conformance.build_share import ACCEPT, RELEASE, describe_share, describe_share_offsets
from tests.conformance.consumers import set_group
from tests.conformance.sharing import Sharer, fill, share_topic, sharers
from tests.conformance.tools.given import committed, records
from tests.conformance.tools.terminal import Terminal, squeezed, tool_case

VIEWS = ("", "--offsets", "--verbose", "--members", "--members --verbose", "--state", "--state --verbose")


def topic_of(t: Terminal, *counts: int) -> str:
    """Create a topic that share groups can be assigned, with this many records per partition."""
    topic = share_topic(t, len(counts), retention_ms="-1")
    for partition, count in enumerate(counts):
        if count:
            records(t, topic, count, partition)
    return topic


def members(t: Terminal, count: int, topics: dict[str, int]) -> list[Sharer]:
    """Return members of a new group, whose target assignment is computed at once."""
    return sharers(t, count, topics, share_assignment_interval_ms="0")


def holder(t: Terminal, topic: str, partitions: int = 1) -> Sharer:
    """Return the only member of a new group, which has acquired the records of each partition."""
    (one,) = members(t, 1, {topic: partitions})
    held: set[int] = set()

    def fetch() -> None:
        response = one.fetch({topic: range(partitions)} if one.session == 0 else None, kept=False)
        held.update(
            each["PartitionIndex"]
            for found in response["Responses"]
            for each in found["Partitions"]
            if each["AcquiredRecords"]
        )

    t.until(fetch, lambda _: len(held) == partitions)
    return one


def left(one: Sharer, topic: str, *lasts: int) -> Sharer:
    """Accept the records up to these offsets, one per partition, and leave the group."""
    accepted = {index: [(0, last, ACCEPT)] for index, last in enumerate(lasts) if last >= 0}
    one.acknowledge({topic: accepted}, epoch=-1, kept=False)
    one.session = 0
    one.leave(kept=False)
    until_start(one, topic, *(last + 1 for last in lasts))
    return one


def until_start(one: Sharer, topic: str, *starts: int) -> None:
    """Wait until the partitions of the topic have these start offsets."""

    def offsets() -> list[int]:
        response = one.talk.do(*describe_share_offsets((one.group, {topic: range(len(starts))})))
        (told,) = response["Groups"][0]["Topics"]
        partitions = sorted(told["Partitions"], key=lambda each: each["PartitionIndex"])
        return [each["StartOffset"] for each in partitions]

    one.talk.until(offsets, lambda found: found == list(starts))


def without_states(lines: list[str]) -> list[str]:
    """Remove the valid states, which each JVM prints in another order."""
    return [line.partition(" Valid states")[0] for line in lines]


@tool_case
def shares_list(t: Terminal) -> None:
    topic = topic_of(t, 2)
    living, gone = holder(t, topic), left(holder(t, topic), topic, 0)
    own = f"^GROUP|{living.group}|{gone.group}|{committed(t, topic, 1)}"
    for options in ("", "--state", "--state stable", "--state EMPTY,stable", "--state Dead"):
        t.run(f"kafka-share-groups --list {options}", keep=own, cut=squeezed)
    for states in ("assigning", "nosuch,stable"):
        t.run(f"kafka-share-groups --list --state {states}", cut_err=without_states)
    for options in ("", "--share", "--consumer", "--group-type share", "--protocol share"):
        t.run(f"kafka-groups --list {options}", keep=own, cut=squeezed)
    t.run("kafka-consumer-groups --list", keep=own, cut=squeezed)


@tool_case
def shares_describe_a_living_one(t: Terminal) -> None:
    topic = topic_of(t, 5, 3)
    one = holder(t, topic, 2)
    for view in VIEWS:
        t.run(f"kafka-share-groups --describe --group {one.group} {view}")
    t.run(f"kafka-consumer-groups --describe --group {one.group}")


@tool_case
def shares_describe_an_empty_one(t: Terminal) -> None:
    topic = topic_of(t, 5, 3)
    one = left(holder(t, topic, 2), topic, 2, 1)
    for view in VIEWS:
        t.run(f"kafka-share-groups --describe --group {one.group} {view}")


@tool_case
def shares_describe_after_acknowledgements(t: Terminal) -> None:
    topic = topic_of(t, 8)
    one = holder(t, topic)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}}, kept=False)
    one.acknowledge({topic: {0: [(3, 4, ACCEPT), (5, 5, RELEASE)]}}, kept=False)  # writes the new start
    until_start(one, topic, 2)
    t.run(f"kafka-share-groups --describe --group {one.group}")
    t.run(f"kafka-share-groups --describe --group {one.group} --verbose")
    records(t, topic, 2)
    t.run(f"kafka-share-groups --describe --group {one.group}")


@tool_case
def shares_describe_two_members(t: Terminal) -> None:
    topic, other = topic_of(t, 5), topic_of(t, 1, 2)
    shared, _ = members(t, 2, {topic: 1})
    (both,) = members(t, 1, {topic: 1, other: 2})
    for view in VIEWS:
        t.run(f"kafka-share-groups --describe --group {shared.group} {view}")
        t.run(f"kafka-share-groups --describe --group {both.group} {view}")


@tool_case
def shares_describe_without_fetches(t: Terminal) -> None:
    topic = topic_of(t, 2)
    (one,) = members(t, 1, {topic: 1})
    t.run(f"kafka-share-groups --describe --group {one.group}")
    nothing = Sharer(t, t.group())
    nothing.join(t.name("nosuch"), kept=False)
    for view in VIEWS:
        t.run(f"kafka-share-groups --describe --group {nothing.group} {view}")


@tool_case
def shares_describe_several(t: Terminal) -> None:
    topic = topic_of(t, 5)
    one, gone = holder(t, topic), left(holder(t, topic), topic, 2)
    both = f"--group {gone.group} --group {one.group}"
    for view in ("", "--members", "--state"):
        t.run(f"kafka-share-groups --describe {both} {view}")
    own = f"{one.group}|{gone.group}"
    for view in ("", "--verbose", "--members", "--state"):
        t.run(
            f"kafka-share-groups --describe --all-groups {view}",
            keep=own,
            cut=squeezed,
            cut_err=lambda lines: sorted(line for line in lines if gone.group in line),
        )


@tool_case
def shares_describe_unknown_ones(t: Terminal) -> None:
    topic = topic_of(t, 2)
    consumers = committed(t, topic, 1)
    for view in ("", "--members", "--state"):
        t.run(f"kafka-share-groups --describe --group nosuch {view}")
    t.run(f"kafka-share-groups --describe --group {consumers}")
    t.run(f"kafka-share-groups --describe --group {left(holder(t, topic), topic, 0).group} --group nosuch")
    t.run("kafka-share-groups --describe --group ''")


@tool_case
def shares_describe_a_topic_that_is_gone(t: Terminal) -> None:
    topic = topic_of(t, 2)
    one = left(holder(t, topic), topic, 0)
    t.delete_topic(topic)
    asked = describe_share_offsets((one.group, None))
    t.until(lambda: t.do(*asked), lambda response: not response["Groups"][0]["Topics"])
    t.run(f"kafka-share-groups --describe --group {one.group}")
    t.run(f"kafka-share-groups --reset-offsets --to-latest --all-topics --dry-run --group {one.group}")


@tool_case
def shares_delete(t: Terminal) -> None:
    topic = topic_of(t, 2)
    living, gone, other = holder(t, topic), left(holder(t, topic), topic, 0), left(holder(t, topic), topic, 0)
    consumers = committed(t, topic, 1)
    t.run(f"kafka-share-groups --delete --group {living.group}")
    t.run(f"kafka-share-groups --delete --group {consumers}")
    t.run("kafka-share-groups --delete --group nosuch")
    t.run(f"kafka-share-groups --delete --group {living.group} --group {gone.group}", cut=sorted)
    t.run(f"kafka-share-groups --delete --group {other.group}")
    t.run(f"kafka-share-groups --delete --group {other.group}")
    t.run("kafka-share-groups --list", keep=f"{living.group}|{gone.group}|{other.group}")
    t.run(f"kafka-consumer-groups --delete --group {living.group}")


@tool_case
def shares_delete_offsets(t: Terminal) -> None:
    topic, other = topic_of(t, 4, 2), topic_of(t, 1)
    living = holder(t, topic, 2)
    gone = left(holder(t, topic, 2), topic, 2, 0)
    t.run(f"kafka-share-groups --delete-offsets --group {living.group} --topic {topic}")
    t.run(f"kafka-share-groups --delete-offsets --group nosuch --topic {topic}")
    t.run(f"kafka-share-groups --delete-offsets --group {committed(t, topic, 1)} --topic {topic}")
    t.run(f"kafka-share-groups --delete-offsets --group {gone.group} --topic {other}")
    t.run(f"kafka-share-groups --delete-offsets --group {gone.group} --topic nosuch")
    t.run(f"kafka-share-groups --delete-offsets --group {gone.group} --topic nosuch --topic {topic}")
    t.run(f"kafka-share-groups --describe --group {gone.group}")
    t.run(f"kafka-share-groups --delete-offsets --group {gone.group} --topic {topic}")


@tool_case
def shares_reset_offsets(t: Terminal) -> None:
    topic = topic_of(t, 5, 3)
    gone = left(holder(t, topic, 2), topic, 2, 0)
    reset = f"kafka-share-groups --reset-offsets --group {gone.group}"
    for scenario in (
        "--to-latest",
        "--to-earliest",
        "--to-datetime 2017-07-14T02:40:02.000",
        "--to-datetime 2017-07-14T02:40:02.500Z",
        "--to-datetime 2037-01-01T00:00:00.000",
    ):
        t.run(f"{reset} {scenario} --dry-run --topic {topic}", cut=sorted)
        t.run(f"{reset} {scenario} --dry-run --all-topics", cut=sorted)
        t.run(f"{reset} {scenario} --execute --topic {topic}:1", cut=sorted)
        t.run(f"kafka-share-groups --describe --group {gone.group}")
    t.run(f"{reset} --to-latest --execute --all-topics", cut=sorted)
    t.run(f"{reset} --to-earliest --execute --topic {topic}:0,1", cut=sorted)
    t.run(f"kafka-share-groups --describe --group {gone.group} --verbose")


@tool_case
def shares_reset_offsets_that_fail(t: Terminal) -> None:
    topic = topic_of(t, 5, 3)
    living = holder(t, topic, 2)
    gone = left(holder(t, topic, 2), topic, 2, 0)
    consumers = committed(t, topic, 1)
    reset = "kafka-share-groups --reset-offsets --to-latest"
    t.run(f"{reset} --group {living.group} --topic {topic} --dry-run")
    t.run(f"{reset} --group {living.group} --topic {topic} --execute")
    t.run(f"{reset} --group {consumers} --topic {topic} --dry-run", cut=sorted)
    t.run(f"{reset} --group {consumers} --topic {topic} --execute")
    for topics in ("nosuch", "nosuch:0", f"{topic}:7", f"{topic}:x", f"{topic}:", f"{topic}:0:1"):
        t.run(f"{reset} --group {gone.group} --topic {topics} --dry-run")
    t.run(f"kafka-share-groups --reset-offsets --to-datetime x --group {gone.group} --all-topics --dry-run")
    t.run(
        f"kafka-share-groups --reset-offsets --to-datetime 2017-07-14Tx --group {gone.group} --all-topics"
        " --dry-run"
    )


@tool_case
def shares_reset_offsets_of_a_new_group(t: Terminal) -> None:
    topic = topic_of(t, 5, 3)
    group = t.group()
    reset = f"kafka-share-groups --reset-offsets --group {group}"
    t.run(f"{reset} --to-latest --all-topics --dry-run")
    t.run(f"{reset} --to-latest --topic {topic} --dry-run", cut=sorted)
    t.run(f"{reset} --to-latest --topic {topic} --execute", cut=sorted)
    t.run(f"kafka-share-groups --describe --group {group}")
    t.run("kafka-share-groups --list", keep=group)


@tool_case
def shares_wrong_options(t: Terminal) -> None:
    for options in (
        "",
        "--list --describe --group a",
        "--group a",
        "--list {alone}",
        "--describe",
        "--describe --group a --all-groups",
        "--describe --group a --members --state",
        "--describe --group a --state stable",
        "--describe --group a --topic b",
        "--list --group a",
        "--list --members",
        "--list --verbose",
        "--list --offsets",
        "--delete",
        "--delete --group a --all-groups",
        "--delete --group a --topic b",
        "--delete --state",
        "--delete-offsets",
        "--delete-offsets --group a",
        "--delete-offsets --topic a",
        "--delete-offsets --all-groups --topic a",
        "--reset-offsets",
        "--reset-offsets --dry-run",
        "--reset-offsets --dry-run --execute --group a --topic b --to-latest",
        "--reset-offsets --dry-run --group a",
        "--reset-offsets --dry-run --group a --all-topics",
        "--reset-offsets --dry-run --group a --topic b --to-latest --to-earliest",
        "--reset-offsets --dry-run --group a --topic b --to-datetime x --to-earliest",
        "--reset-offsets --dry-run --group a --group b --topic b --to-latest",
        "--reset-offsets --dry-run --all-groups --topic b --to-latest",
        "--reset-offsets --dry-run --group a --topic b --to-offset 3",
        "--list --timeout x",
        "--list --bogus",
        "--list --group",
        "--version",
    ):
        t.run(f"kafka-share-groups {options}")
    t.run("kafka-share-groups {alone}")
    t.run("kafka-share-groups --list --command-config nosuch.properties")


def shared_group(t: Terminal) -> str:
    """Return a new group that begins with the earliest record and is assigned partitions at once."""
    group = t.group()
    set_group(t, group, share_auto_offset_reset="earliest", share_assignment_interval_ms="0")
    return group


@tool_case
def console_share_consumer(t: Terminal) -> None:
    topic, group = topic_of(t, 6), shared_group(t)
    read = f"kafka-console-share-consumer --topic {topic} --group {group} --timeout-ms 9000"
    t.run(f"{read} --max-messages 2")
    t.run(f"{read} --max-messages 4")
    t.run(f"kafka-share-groups --describe --group {group}")
    records(t, topic, 3)
    every = " ".join(
        f"--formatter-property print.{part}=true"
        for part in ("timestamp", "partition", "offset", "delivery", "epoch", "headers", "key")
    )
    t.run(f"{read} --max-messages 3 {every}")
    t.run(f"kafka-console-share-consumer --topic {topic} --group {group} --timeout-ms 3000 --max-messages 1")


@tool_case
def console_share_consumer_that_releases(t: Terminal) -> None:
    topic, group = topic_of(t, 3), shared_group(t)
    read = (
        f"kafka-console-share-consumer --topic {topic} --group {group} --timeout-ms 9000 --max-messages 3 "
        "--formatter-property print.delivery=true"
    )
    t.run(f"{read} --release")
    t.run(f"kafka-share-groups --describe --group {group}")
    t.run(f"{read} --reject")
    t.run(f"kafka-share-groups --describe --group {group}")
    fill(t, topic, 1)
    t.run(read.replace("messages 3", "messages 1"))


@tool_case
def console_share_consumer_of_broken_records(t: Terminal) -> None:
    topic, group = topic_of(t, 2), shared_group(t)
    read = (
        f"kafka-console-share-consumer --topic {topic} --group {group} --timeout-ms 9000 --max-messages 2 "
        "--value-deserializer org.apache.kafka.common.serialization.IntegerDeserializer"
    )
    t.run(f"{read} --reject-message-on-error")
    t.run(f"kafka-share-groups --describe --group {group}")
    fill(t, topic, 1)
    t.run(read.replace("messages 2", "messages 1"))


@tool_case
def console_share_consumer_wrong_options(t: Terminal) -> None:
    files = t.file("a.properties", "group.id=a\n")
    for options in (
        "",
        "--topic a {alone}",
        "--topic a --reject --release",
        "--topic a --consumer-property x=y --command-property x=y",
        f"--topic a --consumer-config {files} --command-config {files}",
        f"--topic a --group b --command-config {files}",
        "--topic a --property x=y --formatter-property x=y",
        "--topic a --formatter nosuch",
        "--topic a --timeout-ms x",
        "--topic a --from-beginning",
        "--version",
    ):
        t.run(f"kafka-console-share-consumer {options}")
    t.run("kafka-console-share-consumer {alone}")


@tool_case
def console_consumer_of_share_records(t: Terminal) -> None:
    topic = topic_of(t, 4)
    one = left(holder(t, topic), topic, 1)
    t.until(lambda: t.do(*describe_share(one.group)), lambda told: told["Groups"][0]["GroupState"] == "Empty")
    package = "org.apache.kafka.tools.consumer"
    for read, formatter in (
        ("__consumer_offsets", "ShareGroupMessageFormatter"),
        ("__share_group_state", "group.share.ShareGroupStateMessageFormatter"),
    ):
        t.run(
            f"kafka-console-consumer --topic {read} --from-beginning --timeout-ms 8000 "
            f"--formatter {package}.{formatter}",
            cut=lambda lines: own_records(lines, one.group),
            cut_err=lambda lines: [],  # the number of all records
        )


def own_records(lines: list[str], group: str) -> list[str]:
    """Return the sorted records of a group, whose output has no line ends, without what is random."""
    text = "".join(lines).replace("<time>", "0")
    found, reader = [], json.JSONDecoder()
    while text:
        record, end = reader.raw_decode(text)
        text = text[end:]
        if record["key"]["data"]["groupId"] == group:
            shown = re.sub(r'"topicId": "[^"]*"', '"topicId": "<id>"', json.dumps(record))
            found.append(re.sub(r'"metadataHash": -?[1-9]\d*', '"metadataHash": "<hash>"', shown))
    return sorted(found)
