"""kafka-consumer-groups, kafka-groups."""

from __future__ import annotations

import re

from tests.kafka.build import commit
from tests.kafka.members import completing, stable
from tests.kafka.tools.given import START_MS, committed, filled, read_by, reader
from tests.kafka.tools.terminal import Terminal, squeezed, tool_case


@tool_case
def groups_list(t: Terminal) -> None:
    topic = filled(t, 2)
    simple, living = committed(t, topic, 1), read_by(t, topic, 0).group
    own = f"^GROUP|{simple}|{living}"
    t.run("kafka-consumer-groups --list", keep=own, cut=squeezed)
    t.run("kafka-consumer-groups --list --state", keep=own, cut=squeezed)
    t.run("kafka-consumer-groups --list --state --type", keep=own, cut=squeezed)
    for options in ("--state stable", "--state EMPTY,stable", "--state Dead", "--type classic",
                    "--type consumer", "--type classic --state empty"):  # fmt: skip
        t.run(f"kafka-consumer-groups --list {options}", keep=own, cut=squeezed)


@tool_case
def groups_list_in_every_form(t: Terminal) -> None:
    topic = filled(t, 2)
    simple, living = committed(t, topic, 1), read_by(t, topic, 0).group
    for options in ("", "--consumer", "--share", "--streams", "--group-type classic", "--group-type consumer",
                    "--protocol consumer", "--protocol connect", "--group-type share"):  # fmt: skip
        t.run(f"kafka-groups --list {options}", keep=f"^GROUP|{simple}|{living}", cut=squeezed)
    t.run("kafka-groups --list --group-type bogus")
    t.run("kafka-groups --list --group-type classic --consumer")
    t.run("kafka-groups")


@tool_case
def groups_of_other_kinds(t: Terminal) -> None:
    t.run("kafka-share-groups --list")
    t.run("kafka-streams-groups --list")


@tool_case
def groups_describe_an_empty_one(t: Terminal) -> None:
    topic = filled(t, 5, 3, 0)
    group = committed(t, topic, 2, 3, 0)
    for view in (
        "",
        "--offsets",
        "--verbose",
        "--members",
        "--members --verbose",
        "--state",
        "--state --verbose",
    ):
        t.run(f"kafka-consumer-groups --describe --group {group} {view}")


@tool_case
def groups_describe_a_living_one(t: Terminal) -> None:
    topic = filled(t, 5, 3, 0)
    group = read_by(t, topic, 0, 2).group
    for view in ("", "--verbose", "--members", "--members --verbose", "--state", "--state --verbose"):
        t.run(f"kafka-consumer-groups --describe --group {group} {view}")


@tool_case
def groups_describe_two_members(t: Terminal) -> None:
    topic, other = filled(t, 5, 3), filled(t, 1)
    first = reader(t, t.group(), {topic: [0, 1], other: [0]})
    second = reader(t, first.group, {topic: [], other: []}, 2)
    stable(t, first, second)
    for view in ("", "--members", "--members --verbose", "--state"):
        t.run(f"kafka-consumer-groups --describe --group {first.group} {view}", cut=sorted)


@tool_case
def groups_describe_a_static_member(t: Terminal) -> None:
    topic = filled(t, 5)
    group = read_by(t, topic, 0, instance="static-1").group
    for view in ("", "--members", "--members --verbose"):
        t.run(f"kafka-consumer-groups --describe --group {group} {view}")


@tool_case
def groups_describe_while_they_rebalance(t: Terminal) -> None:
    topic = filled(t, 5)
    member = reader(t, t.group(), {topic: [0]})
    completing(t, member)
    for view in ("", "--members", "--state"):
        t.run(f"kafka-consumer-groups --describe --group {member.group} {view}")
    t.run("kafka-consumer-groups --list --state", keep=member.group, cut=squeezed)


@tool_case
def groups_describe_members_without_offsets(t: Terminal) -> None:
    topic = filled(t, 5)
    member = reader(t, t.group(), {topic: [0]})
    stable(t, member)
    t.run(f"kafka-consumer-groups --describe --group {member.group}")


@tool_case
def groups_describe_after_the_last_left(t: Terminal) -> None:
    topic = filled(t, 5)
    member = read_by(t, topic, 0)
    member.peer.do(*member.leave())
    for view in ("", "--members", "--state"):
        t.run(f"kafka-consumer-groups --describe --group {member.group} {view}")


@tool_case
def groups_describe_another_protocol(t: Terminal) -> None:
    member = reader(t, t.group(), {"x": [0]}, protocol_type="connect")
    stable(t, member)
    t.run(f"kafka-consumer-groups --describe --group {member.group}")
    t.run("kafka-consumer-groups --list", keep=member.group)
    t.run("kafka-groups --list", keep=member.group, cut=squeezed)
    t.run(f"kafka-consumer-groups --delete --group {member.group}")


@tool_case
def groups_describe_several(t: Terminal) -> None:
    topic = filled(t, 5, 3)
    first, second = committed(t, topic, 2), committed(t, topic, 1, 3)
    t.run(f"kafka-consumer-groups --describe --group {first} --group {second}")
    t.run(f"kafka-consumer-groups --describe --group {first} --group nosuch")
    t.run(f"kafka-consumer-groups --describe --group {first} --group {second} --state")


@tool_case
def groups_describe_offsets_of_a_topic_that_is_gone(t: Terminal) -> None:
    topic, other = filled(t, 5), filled(t, 2)
    group = committed(t, topic, 2)
    t.do(*commit(group, {other: {0: 2}}))
    t.run(f"kafka-topics --delete --topic {other}")
    t.run(f"kafka-consumer-groups --describe --group {group}")


@tool_case
def groups_describe_with_epochs_and_notes(t: Terminal) -> None:
    topic = filled(t, 5, 5)
    group = t.group()
    t.do(*commit(group, {topic: {0: 2}}, leader_epoch=0, metadata="a note"))
    t.do(*commit(group, {topic: {1: 7}}))
    t.run(f"kafka-consumer-groups --describe --group {group} --verbose")


@tool_case
def groups_describe_unknown(t: Terminal) -> None:
    for view in ("", "--members", "--state", "--members --verbose"):
        t.run(f"kafka-consumer-groups --describe --group nosuch {view}")


@tool_case
def groups_delete(t: Terminal) -> None:
    topic = filled(t, 5)
    first, second, third = committed(t, topic, 2), committed(t, topic, 2), committed(t, topic, 2)
    living = read_by(t, topic, 0).group
    t.run(f"kafka-consumer-groups --delete --group {first}")
    t.run(f"kafka-consumer-groups --delete --group {first}")
    t.run(f"kafka-consumer-groups --delete --group {living}")
    t.run(f"kafka-consumer-groups --delete --group {second} --group {third}", cut=in_no_order)
    t.run(f"kafka-consumer-groups --delete --group {living} --group nosuch", cut=sorted)
    t.run(f"kafka-consumer-groups --describe --group {first}")


def in_no_order(lines: list[str]) -> list[str]:
    """The names within a line stand in the order of a hash map."""
    return [" ".join(sorted(re.sub("[,()]", "", line).split())) for line in lines]


@tool_case
def groups_delete_some(t: Terminal) -> None:
    group = committed(t, filled(t, 5), 2)
    t.run(f"kafka-consumer-groups --delete --group {group} --group nosuch")


@tool_case
def groups_delete_offsets(t: Terminal) -> None:
    topic, other = filled(t, 5, 3), filled(t, 2)
    group = committed(t, topic, 2, 1)
    t.do(*commit(group, {other: {0: 2}}))
    t.run(f"kafka-consumer-groups --delete-offsets --group {group} --topic {topic}:0")
    t.run(f"kafka-consumer-groups --describe --group {group}")
    t.run(f"kafka-consumer-groups --delete-offsets --group {group} --topic {topic}:0,1")
    t.run(f"kafka-consumer-groups --delete-offsets --group {group} --topic {topic} --topic {other}")
    t.run(f"kafka-consumer-groups --describe --group {group}")


@tool_case
def groups_delete_offsets_refused(t: Terminal) -> None:
    topic, other = filled(t, 5, 3), filled(t, 2)
    group = committed(t, topic, 2, 1)
    living = read_by(t, topic, 0)
    t.do(*commit(living.group, {other: {0: 2}}, member=living.id, generation=living.generation))
    t.run(f"kafka-consumer-groups --delete-offsets --group {living.group} --topic {topic}")
    t.run(f"kafka-consumer-groups --delete-offsets --group {living.group} --topic {topic}:0 --topic {other}")
    for topics in ("--topic nosuch", "--topic nosuch:0", f"--topic nosuch --topic {topic}:0",
                   f"--topic {topic}:7", f"--topic {topic}:x", "--all-topics", ""):  # fmt: skip
        t.run(f"kafka-consumer-groups --delete-offsets --group {group} {topics}")
    t.run(f"kafka-consumer-groups --delete-offsets --group nosuch --topic {topic}")
    t.run(f"kafka-consumer-groups --delete-offsets --topic {topic}")


@tool_case
def groups_reset_in_each_way(t: Terminal) -> None:
    topic = filled(t, 5, 3, 0)
    group = committed(t, topic, 2, 3)
    for scenario in (
        "--to-earliest", "--to-latest", "--to-current", "--to-offset 1", "--to-offset 999", "--to-offset -7",
        "--by-duration P1D", "--by-duration PT0S",
        "--to-datetime 2017-07-14T02:40:02.000", "--to-datetime 2017-07-14T04:40:02.000+0200",
        "--to-datetime 2030-01-01T00:00:00.000", "--to-datetime 1999-01-01T00:00:00.000Z",
    ):  # fmt: skip
        line = f"kafka-consumer-groups --reset-offsets --group {group} --topic {topic} {scenario} --dry-run"
        t.run(line, cut=sorted)
    t.run(f"kafka-consumer-groups --describe --group {group}")


@tool_case
def groups_reset_and_execute(t: Terminal) -> None:
    topic, other = filled(t, 5, 3), filled(t, 4)
    group = committed(t, topic, 2, 3)
    t.do(*commit(group, {other: {0: 4}}))
    reset = f"kafka-consumer-groups --reset-offsets --group {group}"
    t.run(f"{reset} --topic {topic}:0 --to-earliest --execute")
    t.run(f"{reset} --topic {topic}:0,1 --topic {other} --shift-by -1 --execute", cut=sorted)
    t.run(f"{reset} --all-topics --shift-by 2 --execute", cut=sorted)
    t.run(f"kafka-consumer-groups --describe --group {group}")
    t.run(f"{reset} --all-topics --to-latest", cut=sorted)
    t.run(f"kafka-consumer-groups --describe --group {group}")


@tool_case
def groups_reset_makes_a_group(t: Terminal) -> None:
    topic, group = filled(t, 5, 3), t.group()
    t.run(
        f"kafka-consumer-groups --reset-offsets --group {group} --topic {topic} --to-latest --execute",
        cut=sorted,
    )
    t.run(f"kafka-consumer-groups --describe --group {group}")
    t.run(f"kafka-consumer-groups --describe --group {group} --state")


@tool_case
def groups_reset_exports_and_imports(t: Terminal) -> None:
    topic = filled(t, 5, 3)
    first, second = committed(t, topic, 2, 3), committed(t, topic, 1)
    reset = "kafka-consumer-groups --reset-offsets"
    t.run(f"{reset} --group {first} --topic {topic} --to-earliest --export --dry-run", cut=sorted)
    t.run(
        f"{reset} --group {first} --group {second} --topic {topic} --to-earliest --export --dry-run",
        cut=sorted,
    )
    one = t.file("one.csv", f"{topic},0,4\n{topic},1,99\n")
    t.run(f"{reset} --group {first} --from-file {one} --execute", cut=sorted)
    two = t.file("two.csv", f"{first},{topic},0,1\n{second},{topic},1,1\n")
    t.run(f"{reset} --group {first} --group {second} --from-file {two} --execute", cut=sorted)
    t.run(f"kafka-consumer-groups --describe --group {first} --group {second}")
    t.run(f"{reset} --group {first} --from-file {t.file('bad.csv', 'a,b')} --execute")
    t.run(f"{reset} --group {first} --from-file no.csv --execute")


@tool_case
def groups_reset_all_groups(t: Terminal) -> None:
    topic = filled(t, 5)
    group = committed(t, topic, 2)
    line = f"kafka-consumer-groups --reset-offsets --all-groups --topic {topic} --to-latest --dry-run"
    t.run(line, keep=f"^GROUP|{group}", cut=squeezed)


@tool_case
def groups_reset_a_living_one(t: Terminal) -> None:
    topic = filled(t, 5)
    group = read_by(t, topic, 0).group
    for how in ("--dry-run", "--execute"):
        t.run(f"kafka-consumer-groups --reset-offsets --group {group} --topic {topic} --to-earliest {how}")


@tool_case
def groups_reset_refused(t: Terminal) -> None:
    topic = filled(t, 5, 3)
    group = committed(t, topic, 2)
    reset = f"kafka-consumer-groups --reset-offsets --group {group}"
    for options in (
        "--topic nosuch --to-earliest", f"--topic {topic}:7 --to-earliest",
        f"--topic {topic}:x --to-earliest", f"--topic {topic}:1 --shift-by 1", "--to-earliest",
        f"--topic {topic} --to-offset x",
        f"--topic {topic} --to-earliest --execute --dry-run",
        f"--topic {topic} --to-datetime 2023-11-14T22:13:24Z", f"--topic {topic} --by-duration 7",
    ):  # fmt: skip
        t.run(f"{reset} {options}" + ("" if "dry-run" in options else " --dry-run"))
    t.run(f"{reset} --topic {topic} --to-earliest")


@tool_case
def groups_reset_by_time_between_records(t: Terminal) -> None:
    topic = filled(t, 5)
    group = committed(t, topic, 5)
    reset = f"kafka-consumer-groups --reset-offsets --group {group} --topic {topic} --execute"
    assert START_MS == 1_500_000_000_000  # 02:40:00
    t.run(f"{reset} --to-datetime 2017-07-14T02:40:02.001")
    t.run(f"kafka-consumer-groups --describe --group {group}")


@tool_case
def groups_usage(t: Terminal) -> None:
    for options in ("--list --describe", "--describe", "--delete", "--reset-offsets",
                    "--describe --group g --all-groups",
                    "--describe --group g --members --offsets", "--delete --group g --topic x",
                    "--list --group g", "--list --bogus", "--list --group",
                    "--validate-regex orders.*", "--validate-regex [bad"):  # fmt: skip
        t.run(f"kafka-consumer-groups {options}")
