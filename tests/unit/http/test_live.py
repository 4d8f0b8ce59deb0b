"""Metrics computed at a scrape. Lag and offsets equal those of kafka_exporter."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.broker.data_node import a_batch
from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import START_MS
from tests.unit.broker.whole import Lines
from tidemark.clock import MovableClock
from tidemark.config import Config
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.ids import RandomIds
from tidemark.log.storage import FileStorage
from tidemark.metrics.catalogue import SERIES_MAX
from tidemark.node.environment import Environment, Host
from tidemark.node.incarnation import State, open_state
from tidemark.settings.release import RELEASES
from tidemark_http.live import LOG, TURN, Scrape
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.leave_group import LeaveGroupRequest
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage

Ends = Callable[[str, int], tuple[int, int] | None]  # the log start offset and the high watermark
RETENTION_S = 7 * 24 * 3600  # offsets.retention.minutes by default


def state_of(story: GroupStory, ends: Ends = lambda topic, partition: (0, 0)) -> State:
    """Return the state of a node with the groups and topics of the story, and logs with these ends."""
    host = Host(VirtualClock(story.wall_ms), RandomIds(), MemoryStorage())
    state = open_state(Environment(Config({"tidemark.test.api": "true"}), Lines(), host))
    for topic in story.cluster.topics.values():
        for partition in range(len(topic.partitions)):
            found = ends(topic.name, partition)
            if found is None:
                continue
            state.logs.expect(topic.name, partition, topic.topic_id)
            if found[1]:
                log = state.logs.get(topic.name, partition)
                assert log is not None
                log.append(a_batch(found[1]), leader_epoch=0, now_ms=START_MS)
                log.mark_synced(found[1])
                log.advance_log_start(found[0])
    return replace(state, groups=story.groups, cluster=story.cluster)


def scrape_of(
    story: GroupStory, ends: Ends = lambda topic, partition: (0, 0), groups_max: int = SERIES_MAX
) -> Scrape:
    return Scrape(state_of(story, ends), None, groups_max)


def looked(story: GroupStory, ends: Ends = lambda topic, partition: (0, 0)) -> Scrape:
    return finished(scrape_of(story, ends))


def finished(look: Scrape) -> Scrape:
    for _ in look.steps():
        pass
    return look


def read(story: GroupStory, ends: Ends = lambda topic, partition: (0, 0)) -> dict[str, Any]:
    return looked(story, ends).readings


# Lag.


def test_lag_is_from_the_committed_offset_to_the_end() -> None:
    story = GroupStory({"orders": 3, "payments": 2})
    story.commit("readers", "orders", 0, 5)
    story.commit("readers", "orders", 1, 20)
    told = read(story, lambda topic, partition: (2, 20))
    assert told["group_offset"] == {
        ("readers", "orders", 0): 5,
        ("readers", "orders", 1): 20,
        ("readers", "orders", 2): -1,  # of a subscribed topic without a commit
    }
    assert told["group_lag"] == {
        ("readers", "orders", 0): 15,
        ("readers", "orders", 1): 0,
        ("readers", "orders", 2): -1,
    }
    assert told["group_offset_sum"] == {("readers", "orders"): 24}  # the -1 counts
    assert told["group_lag_sum"] == {("readers", "orders"): 15}  # here the -1 does not count


def test_lag_is_negative_after_a_commit_past_the_end() -> None:
    story = GroupStory({"orders": 1})
    story.commit("readers", "orders", 0, 25)
    assert read(story, lambda topic, partition: (0, 20))["group_lag"] == {("readers", "orders", 0): -5}


def test_a_partition_without_a_log_has_an_offset_and_no_lag() -> None:
    story = GroupStory({"orders": 1})
    story.commit("readers")
    told = read(story, lambda topic, partition: None)
    assert told["group_offset"] == {("readers", "orders", 0): 42}
    assert told["group_lag"] == {}
    assert told["partition_end"] == {}


def exported(
    commits: dict[tuple[str, str, int], int], topics: dict[str, int], ends: dict[tuple[str, int], int]
) -> dict[str, dict[Any, int]]:
    """Compute lag as kafka_exporter does: it queries every group for every partition."""
    told: dict[str, dict[Any, int]] = {
        name: {} for name in ("group_offset", "group_lag", "group_offset_sum", "group_lag_sum")
    }
    for group in {group for group, _, _ in commits}:
        for topic, count in topics.items():
            fetched = {index: commits.get((group, topic, index), -1) for index in range(count)}
            if all(offset == -1 for offset in fetched.values()):
                continue
            lags = {index: ends[topic, index] - at for index, at in fetched.items() if at != -1}
            for index, offset in fetched.items():
                told["group_offset"][group, topic, index] = offset
                told["group_lag"][group, topic, index] = lags.get(index, -1)
            told["group_offset_sum"][group, topic] = sum(fetched.values())
            told["group_lag_sum"][group, topic] = sum(lags.values())
    return told


TOPICS = {"orders": 3, "payments": 2, "empty": 1}
places = st.sampled_from([(topic, index) for topic, count in TOPICS.items() for index in range(count)])


@given(
    st.dictionaries(st.tuples(st.sampled_from(["a", "b", "c"]), places), st.integers(0, 50)),
    st.fixed_dictionaries(
        {(topic, index): st.integers(0, 50) for topic, count in TOPICS.items() for index in range(count)}
    ),
)
def test_offsets_and_lag_are_those_of_kafka_exporter(
    commits: dict[tuple[str, tuple[str, int]], int], ends: dict[tuple[str, int], int]
) -> None:
    story = GroupStory(TOPICS)
    flat = {(group, *where): offset for (group, where), offset in commits.items()}
    for (group, topic, index), offset in flat.items():
        story.commit(group, topic, index, offset)
    told = read(story, lambda topic, index: (0, ends[topic, index]))
    expected = exported(flat, TOPICS, ends)
    assert {name: told[name] for name in expected} == expected


def test_a_deleted_group_leaves_no_series() -> None:
    story = GroupStory()
    story.commit("readers")
    story.commit("others")
    story.ask(delete_groups, DeleteGroupsRequest(["readers"]), 2)
    told = read(story)
    for name in ("group_offset", "group_lag", "group_offset_sum", "group_lag_sum"):
        assert {labels[0] for labels in told[name]} == {"others"}
    for name in ("group_members", "next_expiry"):
        assert set(told[name]) == {"others"}


# Groups.


def test_groups_are_counted_by_state_and_members_by_group() -> None:
    story = GroupStory()
    story.a_stable_group("stable")
    story.join_group("completing")
    story.commit("simple")
    told = read(story)
    assert told["groups"] == {"Stable": 1, "CompletingRebalance": 1, "Empty": 1}
    assert told["group_members"] == {"stable": 1, "completing": 1, "simple": 0}
    assert told["members"] == 2
    assert told["offsets"] == 1
    assert (told["classic_groups"], told["classic_stable"], told["classic_empty"]) == (3, 1, 1)
    assert (told["classic_completing_rebalance"], told["classic_preparing_rebalance"]) == (1, 0)
    assert told["classic_groups_by_state"] == {"Stable": 1, "CompletingRebalance": 1, "Empty": 1}
    assert told["offsets_of_groups"] == 1


def test_metrics_that_4_4_added_are_absent_as_4_3() -> None:
    story = GroupStory()
    story.groups.settings.release = RELEASES["4.3"]
    assert not {"classic_groups_by_state", "offsets_of_groups"} & set(read(story))


def test_the_next_expiry_is_that_of_the_first_offset_to_expire() -> None:
    story = GroupStory()
    story.commit("readers", "orders", 0)
    story.passes(5_000)
    story.commit("readers", "orders", 1)
    assert read(story)["next_expiry"] == {"readers": START_MS / 1000 + RETENTION_S}


def test_an_explicit_retention_has_precedence() -> None:
    story = GroupStory()
    story.commit("readers", "orders", 0)
    story.commit("readers", "orders", 1, version=4, retention_time_ms=60_000)
    assert read(story)["next_expiry"] == {"readers": START_MS / 1000 + 60}


def test_an_active_group_has_no_next_expiry_until_it_is_empty() -> None:
    story = GroupStory()
    member = story.a_stable_group("readers")
    story.commit("readers", member_id=member, generation_id_or_member_epoch=1)
    assert read(story)["next_expiry"] == {}
    story.passes(9_000)
    story.ask(leave_group, LeaveGroupRequest("readers", member), 1)
    assert story.groups.groups["readers"].state is ClassicGroupState.EMPTY
    assert read(story)["next_expiry"] == {"readers": (START_MS + 9_000) / 1000 + RETENTION_S}


def test_offsets_of_topics_that_no_member_reads_are_counted() -> None:
    story = GroupStory({"orders": 3, "payments": 2})
    member = story.a_stable_group("readers", ["orders"])
    more = {"member_id": member, "generation_id_or_member_epoch": 1}
    story.commit("readers", "orders", 0, **more)
    story.commit("readers", "payments", 0, **more)
    story.commit("readers", "payments", 1, **more)
    story.commit("simple", "payments", 1)
    told = read(story)
    assert told["unsubscribed_offsets"] == {"readers": 2}  # the subscription of a simple group is not known


def test_the_topics_of_other_protocol_types_are_unknown() -> None:
    story = GroupStory()
    story.a_stable_group("workers", protocol_type="connect")
    assert read(story)["unsubscribed_offsets"] == {}


# Topics.


def test_partitions_are_reported_with_their_ends_and_replicas() -> None:
    story = GroupStory({"orders": 2})
    told = read(story, lambda topic, partition: (3, 10 + partition))
    assert told["topic_partitions"] == {"orders": 2}
    assert told["partition_start"] == {("orders", 0): 3, ("orders", 1): 3}
    assert told["partition_end"] == {("orders", 0): 10, ("orders", 1): 11}
    assert told["partition_leader"] == {("orders", 0): 1, ("orders", 1): 1}
    assert told["partition_replicas"] == told["partition_in_sync"] == {("orders", 0): 1, ("orders", 1): 1}
    assert told["partition_preferred"] == {("orders", 0): 1, ("orders", 1): 1}
    assert set(told["partition_under_replicated"].values()) == {0}
    assert (told["partitions"], told["partitions_led"], told["offline"]) == (2, 2, 0)


def test_open_logs_are_reported_with_their_size() -> None:
    look = looked(GroupStory({"orders": 2}), lambda topic, partition: (0, 3 - 3 * partition))
    assert look.readings["log_size"]["orders", 0] == len(a_batch(3))


def test_partitions_without_a_leader_are_offline() -> None:
    story = GroupStory({"orders": 3})
    story.cluster.topics["orders"].partitions[1].leader = -1
    story.cluster.topics["orders"].partitions[2].leader = 7
    told = read(story)
    assert (told["partitions"], told["partitions_led"], told["offline"]) == (3, 1, 1)


def test_partitions_of_all_brokers_are_counted() -> None:
    story = GroupStory({"orders": 3}, tidemark_brokers=3)
    for partition in story.cluster.topics["orders"].partitions:
        partition.leader, partition.replicas = 1 + partition.index, [1, 2, 3]
    told = read(story)
    each = {1: 1, 2: 1, 3: 1}
    assert (told["partitions_led"], told["under_replicated"], told["offline"]) == (each, each, 0)
    assert told["replicas"] == {1: 3, 2: 3, 3: 3}


def test_moved_time_is_reported_in_seconds() -> None:
    state = state_of(GroupStory())
    assert isinstance(state.clock, MovableClock)
    state.clock.move_wall(691_200_500)
    look = finished(Scrape(state, None, SERIES_MAX))
    assert look.readings["clock_offset"] == 691_200.5


# Disk.


def test_space_is_that_of_the_file_system(tmp_path: Path) -> None:
    state = state_of(GroupStory())
    state.logs.storage = FileStorage(tmp_path)
    disk = os.statvfs(tmp_path)
    readings = finished(Scrape(state, None, SERIES_MAX)).readings
    assert readings["log_dir_total"] == {str(tmp_path): disk.f_blocks * disk.f_frsize}
    (usable,) = readings["log_dir_usable"].values()
    assert 0 < usable <= readings["log_dir_total"][str(tmp_path)]


def test_space_is_absent_if_the_directory_was_removed(tmp_path: Path) -> None:
    state = state_of(GroupStory())
    state.logs.storage = FileStorage(tmp_path / "data")
    readings = finished(Scrape(state, None, SERIES_MAX)).readings
    assert "log_dir_usable" not in readings and "topics" in readings


# Bounds.


def test_series_above_the_maximum_are_counted() -> None:
    partitions, groups = 7, 600
    story = GroupStory({"orders": partitions})
    for group in range(groups):
        story.commit(f"group-{group}", "orders", group % partitions)
    look = looked(story)
    assert len(look.readings["group_lag"]) == SERIES_MAX
    assert look.left_out["group_lag"] == look.left_out["group_offset"] == groups * partitions - SERIES_MAX
    assert len(look.readings["group_lag_sum"]) == groups
    assert look.left_out["group_lag_sum"] == look.left_out["next_expiry"] == 0


def test_groups_above_the_maximum_are_counted() -> None:
    story = GroupStory({"orders": 3})
    for group in range(SERIES_MAX + 5):
        story.commit(f"group-{group}")
    look = looked(story)
    for name in ("group_members", "next_expiry", "group_lag_sum", "group_offset_sum"):
        assert (len(look.readings[name]), look.left_out[name]) == (SERIES_MAX, 0)
    assert look.readings["groups_left_out"] == 5
    assert look.left_out["group_lag"] == SERIES_MAX * 3 - SERIES_MAX


def test_partitions_above_the_maximum_are_counted() -> None:
    look = looked(GroupStory({"orders": SERIES_MAX + 9}))
    assert look.readings["partitions"] == SERIES_MAX + 9
    for name in ("partition_leader", "partition_end"):
        assert (len(look.readings[name]), look.left_out[name]) == (SERIES_MAX, 9)


def test_one_turn_reads_few_logs() -> None:
    look = scrape_of(GroupStory({"orders": 1000}))
    ends = look.readings["partition_end"]
    counts = [0, *(len(ends) for _ in look.steps()), len(ends)]
    assert counts[-1] == 1000
    assert max(after - before for before, after in pairwise(counts)) <= TURN // LOG + 1


def test_many_offsets_are_examined_in_many_turns() -> None:
    offsets = 20 * TURN
    story = GroupStory({"orders": offsets})
    story.commit("readers")
    value = story.log[-1].value
    for partition in range(offsets):
        story.groups.offsets.store("readers", ("orders", partition), value)
    turns = sum(1 for _ in scrape_of(story).steps())
    assert turns >= 2 * offsets // TURN  # once for the expiry, once for the lag


def test_changes_between_two_turns_break_nothing() -> None:
    story = GroupStory({"orders": 2 * TURN, "payments": 2 * TURN})
    for group in range(20):
        story.commit(f"group-{group}", "orders")
        story.commit(f"group-{group}", "payments")
    look = scrape_of(story)
    for turn, _ in enumerate(look.steps()):
        story.ask(delete_groups, DeleteGroupsRequest([f"group-{turn // 12}"]), 2)
        story.commit(f"new-{turn}")
        if turn == 70:
            del story.cluster.topics["payments"]
    assert ("group-19", "orders") in look.readings["group_lag_sum"]


# A limit for the series of groups.


def test_groups_beyond_the_limit_are_counted_and_their_lag_is_summed_up() -> None:
    story = GroupStory({"orders": 2})
    for number in range(5):
        story.commit(f"group-{number}", "orders", 0, number)
        story.commit(f"group-{number}", "orders", 1, 10)
    told = finished(scrape_of(story, lambda topic, partition: (0, 10), groups_max=2)).readings
    assert told["group_total_lag"] == {"group-0": 10, "group-1": 9}
    assert set(told["group_members"]) == set(told["next_expiry"]) == {"group-0", "group-1"}
    assert {group for group, _, _ in told["group_lag"]} == {"group-0", "group-1"}
    assert (told["groups_left_out"], told["groups_left_out_lag"]) == (3, 8 + 7 + 6)


def test_a_group_without_offsets_has_no_lag() -> None:
    story = GroupStory({"orders": 1})
    story.commit("readers", "orders", 0, 5)
    told = read(story, lambda topic, partition: None)
    assert told["group_total_lag"] == {}  # its partition has no log
    assert told["group_without_offset"] == {"readers": 0}
    assert told["groups_left_out"] == 0
