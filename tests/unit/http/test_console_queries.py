"""The routes of /v1 that the console needs: the broker, groups in one line each, rebalances, topics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.http.asking import DAY_MS, NOV_1, WEEK_MS, Asked, asked
from tests.unit.http.test_queries import asking, only, turns_of
from tidemark import __version__
from tidemark.core.decision import ClassicGroupRebalanced, ConsumerGroupRebalances
from tidemark.engine.events import REBALANCES_MAX, Rebalances
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark_http.responses import KEYS_PER_TURN
from tidemark_http.v1.groups import summary
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue


@pytest.fixture
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true", group_initial_rebalance_delay_ms="0") as broker:
        broker.topics(orders=3, payments=1)
        yield broker


def test_the_broker_reports_itself(broker: Asked) -> None:
    broker.commit("tool")
    found = broker.get("/broker").value
    assert (found["version"], found["node_id"], found["test_api"]) == (__version__, 1, True)
    assert (found["groups"], found["offsets"]) == (1, 1)
    assert found["topics"] == 3  # with __consumer_offsets
    assert found["cluster_id"] == broker.whole.state.cluster.identity.cluster_id


# Groups in one line each.


def test_a_line_says_the_same_as_the_full_response(broker: Asked) -> None:
    broker.commit("readers", "orders", 0)
    broker.commit("readers", "payments", 0)
    broker.join("readers", "orders")
    broker.commit("tool", "orders", 1)
    full = {each["group"]: each for each in broker.get("/groups")["groups"]}
    lines = broker.get("/groups/summary")
    assert (lines["now_ms"], lines["total"], lines["cursor"]) == (NOV_1, 2, None)
    assert [each["group"] for each in lines["groups"]] == ["readers", "tool"]
    for line in lines["groups"]:
        group = full[line["group"]]
        assert line["members"] == len(group["members"])
        for name in ("type", "state", "offsets", "next_expiry_ms"):
            assert line[name] == group[name]
    assert [each["topics"] for each in lines["groups"]] == [2, 1]


def test_lag_is_the_sum_of_positive_lags(broker: Asked) -> None:
    broker.commit("tool", "orders", 0, 5)  # beyond the end
    assert only(broker.get("/groups/summary")["groups"])["lag"] == 0


def test_lag_is_null_without_partitions(broker: Asked) -> None:
    broker.whole.state.groups.replay_record(OffsetCommitKey("g", "gone", 0), OffsetCommitValue(1))
    assert only(broker.get("/groups/summary")["groups"])["lag"] is None


def test_groups_are_found_by_a_part_of_their_id_in_any_case(broker: Asked) -> None:
    for name in ("Billing", "bill", "other"):
        broker.commit(name)
    found = broker.get("/groups/summary", search="BILL")
    assert [each["group"] for each in found["groups"]] == ["Billing", "bill"]
    assert found["total"] == 3


def test_lines_come_in_pages(broker: Asked) -> None:
    for number in range(5):
        broker.commit(f"g{number}")
    pages = broker.pages("/groups/summary", "groups", limit=2)
    assert [[each["group"] for each in page] for page in pages] == [["g0", "g1"], ["g2", "g3"], ["g4"]]


def test_very_long_ids_are_listed_as_well(broker: Asked) -> None:
    names = [letter * 30_000 for letter in "abcd"]
    for name in names:
        broker.commit(name)
    assert [each["group"] for each in broker.get("/groups/summary")["groups"]] == names


def test_a_line_follows_the_clock(broker: Asked) -> None:
    broker.commit("tool")
    broker.post("/clock/advance", days=3)
    lines = broker.get("/groups/summary")
    assert lines["now_ms"] == NOV_1 + 3 * DAY_MS
    assert only(lines["groups"])["next_expiry_ms"] == NOV_1 + WEEK_MS


def test_a_group_in_a_partition_that_cannot_be_read_has_no_line(broker: Asked) -> None:
    broker.commit("tool")
    broker.whole.state.groups.failed(0)
    assert broker.get("/groups/summary")["groups"] == []


@pytest.mark.parametrize("group_count", [1, 2_000])
def test_long_summaries_leave_others_their_turns(broker: Asked, group_count: int) -> None:
    state = broker.whole.state
    for number in range(10 * KEYS_PER_TURN):
        key = OffsetCommitKey(f"g{number % group_count}", "orders", number)
        state.groups.replay_record(key, OffsetCommitValue(1, commit_timestamp=NOV_1))
    assert turns_of(summary(broker.whole.node, asking(summary, "limit=1000"))) >= 7


def test_a_line_has_the_first_expiry_of_offsets_with_different_times(broker: Asked) -> None:
    groups = broker.whole.state.groups
    for number, (topic, after_ms, expire_ms) in enumerate(
        [
            ("orders", 5, -1),
            ("orders", 5, -1),
            ("payments", 5, -1),
            ("orders", 4, -1),
            ("orders", 4, NOV_1 + 9),
        ]
    ):
        value = OffsetCommitValue(1, commit_timestamp=NOV_1 + after_ms, expire_timestamp=expire_ms)
        groups.replay_record(OffsetCommitKey("g", topic, number), value)
        line, group = (only(broker.get(path)["groups"]) for path in ("/groups/summary", "/groups"))
        for name in ("offsets", "next_expiry_ms"):
            assert line[name] == group[name]
    assert (line["topics"], line["next_expiry_ms"]) == (2, NOV_1 + 9)


# Rebalances.


def test_rebalances_are_listed_newest_first(broker: Asked) -> None:
    member_id = broker.join("readers", "orders")
    broker.post("/clock/advance", hours=1)
    broker.leave("readers", member_id)
    broker.join("readers", "orders")
    broker.join("billing", "payments")
    found = broker.get("/rebalances")["rebalances"]
    assert [(each["number"], each["group"], each["epoch"]) for each in found] == [
        (3, "billing", 1), (2, "readers", 3), (1, "readers", 1),
    ]  # fmt: skip
    assert found[-1] == {
        "number": 1,
        "at_ms": NOV_1,
        "group": "readers",
        "type": "classic",
        "epoch": 1,
        "members": 1,
        "reason": "member joined",
    }
    assert found[1]["at_ms"] == NOV_1 + 3_600_000
    assert [each["number"] for each in broker.get("/rebalances", group="readers")["rebalances"]] == [2, 1]
    pages = broker.pages("/rebalances", "rebalances", limit=2)
    assert [[each["number"] for each in page] for page in pages] == [[3, 2], [1]]


def test_epochs_of_kip_848_groups_are_listed() -> None:
    rebalances = Rebalances(GroupStory().groups, lambda: 7)
    rebalances.add(ConsumerGroupRebalances("g", 3, "topics changed"))
    (found,) = rebalances.newest_first()
    assert (found.type, found.epoch, found.at_ms, found.reason) == ("consumer", 3, 7, "topics changed")


def test_the_last_rebalances_are_kept() -> None:
    rebalances = Rebalances(GroupStory().groups, lambda: 0)
    for number in range(REBALANCES_MAX + 5):
        rebalances.add(ClassicGroupRebalanced("g", number, 1, "member joined"))
    found = rebalances.newest_first()
    assert (len(found), found[0].number, found[-1].number) == (REBALANCES_MAX, REBALANCES_MAX + 5, 6)


# Topics.


def test_topics_are_listed_with_the_age_of_their_partitions(broker: Asked) -> None:
    broker.post("/clock/advance", days=1)
    assert broker.run(broker.client().make_topic("new", 1)) == 0
    found = broker.get("/topics")
    assert (found["total"], found["now_ms"]) == (4, NOV_1 + DAY_MS)
    internal, new, orders, _ = found["topics"]
    assert [each["topic"] for each in found["topics"]] == [OFFSETS_TOPIC, "new", "orders", "payments"]
    assert (internal["internal"], new["oldest_partition_ms"]) == (True, NOV_1 + DAY_MS)
    assert orders == {
        "topic": "orders",
        "internal": False,
        "partitions": 3,
        "records": 0,
        "oldest_partition_ms": NOV_1,
        "newest_partition_ms": NOV_1,
    }
    assert [each["topic"] for each in broker.get("/topics", search="ORD")["topics"]] == ["orders"]
    pages = broker.pages("/topics", "topics", limit=2)
    assert [len(page) for page in pages] == [2, 2]


def test_partitions_are_listed_with_their_ages(broker: Asked) -> None:
    broker.post("/clock/advance", days=1)
    found = broker.get("/partitions", topic="orders")["partitions"]
    assert [each["partition"] for each in found] == [0, 1, 2]
    assert found[0] == {
        "topic": "orders",
        "partition": 0,
        "leader": 1,
        "log_start_offset": 0,
        "log_end_offset": 0,
        "created_ms": NOV_1,
        "age_ms": DAY_MS,
    }
    assert broker.get("/partitions", topic="nothing").refusal == (404, "unknown_topic", "topic")


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_pages_of_partitions_are_all_partitions(broker: Asked, limit: int) -> None:
    pages = list(broker.pages("/partitions", "partitions", limit=limit))
    assert all(0 < len(page) <= limit for page in pages)
    assert [(each["topic"], each["partition"]) for page in pages for each in page] == [
        (OFFSETS_TOPIC, 0), ("orders", 0), ("orders", 1), ("orders", 2), ("payments", 0),
    ]  # fmt: skip


def test_the_age_of_a_partition_that_kafka_wrote_without_a_time_is_not_known(broker: Asked) -> None:
    for partition in broker.whole.state.cluster.topics["orders"].partitions:
        partition.created_ms = -1
    found = only(broker.get("/topics", search="orders")["topics"])
    assert (found["oldest_partition_ms"], found["newest_partition_ms"]) == (None, None)
    assert {each["age_ms"] for each in broker.get("/partitions", topic="orders")["partitions"]} == {None}
