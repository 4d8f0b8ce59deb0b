"""kafka-consumer-groups, kafka-groups."""

from __future__ import annotations

import re

from tests.conformance.build import commit
from tests.conformance.members import completing, stable
from tests.conformance.tools.given import START_MS, committed, filled, read_by, reader
from tests.conformance.tools.terminal import Terminal, squeezed, tool_case, without_log


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
    t.run("kafka-share-groups --list", keep=t.group())  # those of other cases are left out
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
    t.until_gone(other)
    offsets = {"GroupId": group, "Topics": None}
    t.until(
        lambda: t.do("OffsetFetch", 7, offsets),
        lambda told: [each["Name"] for each in told["Topics"]] == [topic],
    )
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
    """Sort the names within a line, which have the order of a hash map."""
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


@tool_case
def groups_usage_in_full(t: Terminal) -> None:
    for options in (
        "", "--list --verbose", "--list --members", "--list --offsets", "--describe --group g --type classic",
        "--delete --group g --state", "--list --type share", "--list --all-groups --group g",
        "--list --topic t",
        "--describe --group g --state x", "--describe --group g --topic t", "--describe --group g --delete",
        "--list --delete-offsets", "--delete-offsets --group a --group b --topic t",
        "--delete-offsets --all-groups --topic t", "--list --timeout abc",
        "--describe --group g --timeout 1.5",
        "--reset-offsets --group g --to-latest --to-earliest --dry-run",
        "--reset-offsets --group g --to-latest --shift-by 1 --dry-run",
        "--reset-offsets --group g --to-offset 1 --to-current --dry-run",
        "--reset-offsets --group g --from-file x --to-current --dry-run",
        "--reset-offsets --group g --by-duration P1D --to-datetime x --dry-run",
        "--reset-offsets --group g --topic t:0:1 --to-latest --dry-run",
        "--reset-offsets --group g --topic t: --to-latest --dry-run",
        "--list -x", "--describe --group=nosuch words that are no options",
        "--list --command-config /no/such",
    ):  # fmt: skip
        t.run(f"kafka-consumer-groups {options}")
    t.run("kafka-consumer-groups --reset-offsets --group g --all-topics --dry-run", cut_err=of_any_scenario)
    t.run("kafka-consumer-groups --list --state bogus", cut_err=in_no_order)
    t.run("kafka-consumer-groups --list --state dead,bogus", cut_err=in_no_order)
    t.run("kafka-consumer-groups --list --type bogus", cut_err=in_no_order)
    t.run("kafka-consumer-groups --list --state ''", keep="^GROUP", cut=squeezed)
    for options in (
        "",
        "--list",
        "--help",
        "--version",
        "--list --group",
        "--describe --group g --verbose --help",
    ):
        t.run(f"kafka-consumer-groups {{alone}} {options}")


def of_any_scenario(lines: list[str]) -> list[str]:
    """Sort the scenarios, which have the order of a hash map."""
    return [re.sub(r"scenarios: .*", "scenarios: ...", line) for line in lines]


@tool_case
def groups_usage_of_all_kinds(t: Terminal) -> None:
    for options in ("--list --timeout 3", "--list --share --streams", "--list --protocol x --consumer",
                    "--list --command-config /no/such", "--list --group-type", "extra words"):  # fmt: skip
        t.run(f"kafka-groups {options}")
    for options in ("", "--list", "--help", "--version", "--list --protocol"):
        t.run(f"kafka-groups {{alone}} {options}")


@tool_case
def groups_at_a_wrong_address(t: Terminal) -> None:
    for action in ("--list", "--describe --all-groups", "--describe --group g", "--delete --group g",
                   "--delete-offsets --group g --topic t:0", "--delete-offsets --group g --topic t",
                   "--reset-offsets --group g --topic t --to-latest --dry-run"):  # fmt: skip
        line = f"kafka-consumer-groups {{alone}} {action} --timeout 300 --bootstrap-server 127.0.0.1:1"
        t.run(line, cut_err=without_log)


@tool_case
def groups_validate_regex(t: Terminal) -> None:
    for regex in ("orders.*", "(?i)orders", "a{2,1}", "(a", "a)", "*a", "a**", "(?=a)", "(?P<n>a)", "(?<n>a)",
                  "(?<n>a)(?<n>b)", "[z-a]", "[[:alpha:]]", "[[:none:]]", "a{1001}", "(a{500}){3}",
                  "\\8", "\\pL",
                  "\\p{Greek}", "\\p", "a|*", "x{2", "^$", "[]a]", "(?z)", "a\\"):  # fmt: skip
        t.run(f"kafka-consumer-groups {{alone}} --validate-regex '{regex}'")


@tool_case
def groups_delete_offsets_of_wrong_names(t: Terminal) -> None:
    topic = filled(t, 5, 3)
    group = committed(t, topic, 2, 1)
    t.run("kafka-consumer-groups --delete-offsets --group nosuch --topic nosuch")
    t.run(f"kafka-consumer-groups --delete-offsets --group {group} --topic {topic}:0,0 --topic {topic}:1")
    t.run(f"kafka-consumer-groups --delete-offsets --group '' --topic {topic}:0")
    t.run(f"kafka-consumer-groups --delete-offsets --group {group} --topic 'bad name'")
    t.run("kafka-consumer-groups --delete --group ''")
    t.run("kafka-consumer-groups --describe --group ''", cut_err=without_log)


@tool_case
def groups_reset_of_wrong_things(t: Terminal) -> None:
    topic = filled(t, 5, 3)
    group = committed(t, topic, 2)
    reset = f"kafka-consumer-groups --reset-offsets --dry-run --group {group}"
    for options in (
        "--topic nosuch:0 --to-latest", f"--topic nosuch:0 --topic {topic} --to-latest",
        f"--topic nosuch --topic {topic}:9 --to-latest", f"--topic {topic}:8,9,9 --to-latest",
        f"--topic {topic}:-1 --to-latest", f"--topic {topic}:+1 --to-latest",
        f"--topic '{topic}: 1' --to-latest",
        "--topic 'bad name' --to-latest", f"--topic {topic} --to-offset 1 --to-offset 2",
        f"--topic {topic} --to-offset 99999999999999999999",
        f"--topic {topic} --to-datetime 2023-11-14", f"--topic {topic} --to-datetime 2023-13-14T22:13:24.123",
        f"--topic {topic} --to-datetime 2023-11-14T22:13:24.1234",
        f"--topic {topic} --to-datetime 2023-11-14T22:13",
        f"--topic {topic} --by-duration P", f"--topic {topic} --by-duration PT",
        f"--topic {topic} --by-duration P1H",
    ):  # fmt: skip
        t.run(f"{reset} {options}", cut=sorted, cut_err=sorted)
    t.run(
        "kafka-consumer-groups --reset-offsets --dry-run --group '' --all-topics --to-latest",
        cut_err=without_log,
    )


@tool_case
def groups_reset_by_times_in_every_form(t: Terminal) -> None:
    topic = filled(t, 5)
    group = committed(t, topic, 5)
    reset = f"kafka-consumer-groups --reset-offsets --dry-run --group {group} --topic {topic}"
    for at in ("2017-07-14T02:40:02.5", "2017-7-14T2:40:2.001", "2017-07-14T05:10:02.000+02:30",
               "2017-07-14T00:40:02.000-02", "2017-07-14T00:10:02.0-0230zzz",
               "2017-07-14T02:40:01.999Z"):  # fmt: skip
        t.run(f"{reset} --to-datetime {at}")
    for duration in ("PT1H30M", "-PT1H30M", "P1DT1.5S", "p1d", "P36500D", "PT-5M"):
        t.run(f"{reset} --by-duration {duration}", cut_err=without_log)


@tool_case
def groups_reset_from_files(t: Terminal) -> None:
    topic = filled(t, 5, 3)
    group, other = committed(t, topic, 2), committed(t, topic, 1)
    reset = "kafka-consumer-groups --reset-offsets --dry-run"
    with_groups = t.file("groups.csv", f'"{group}",{topic},0,1\n{other},{topic},1,1\n')
    t.run(f"{reset} --group {group} --from-file {with_groups}", cut_err=without_log)
    t.run(f"{reset} --group {group} --topic {topic} --from-file {t.file('topic.csv', f'{topic},1,1')}")
    t.run(f"{reset} --group {group} --from-file {t.file('x.csv', f'{topic},x,1')}", cut_err=without_log)
    t.run(f"{reset} --all-groups --topic {topic} --to-latest --export", keep=f"{group}|{other}", cut=sorted)


@tool_case
def groups_reset_exports_odd_names(t: Terminal) -> None:
    topic = t.topic()
    reset = "kafka-consumer-groups --reset-offsets --dry-run --to-latest --export"
    t.run(f"{reset} --group g --group 'my group' --group 'q\"x' --group \u00fc --topic {topic}", cut=sorted)
    t.run(
        f"{reset} --group abcdefghijklmnopqrstuvwx --group abcdefghijklmnopqrstuvwxy --topic {topic}",
        cut=sorted,
    )


@tool_case
def groups_reset_to_current_where_nothing_is(t: Terminal) -> None:
    topic, other = filled(t, 5, 3), filled(t, 2)
    group = committed(t, topic, 2)
    reset = f"kafka-consumer-groups --reset-offsets --group {group}"
    t.run(f"{reset} --topic {topic} --topic {other} --to-current --execute", cut=sorted)
    t.run(f"{reset} --all-topics --topic {other} --to-earliest --execute", cut=sorted)
    t.run(f"kafka-consumer-groups --describe --group {group} --verbose")
