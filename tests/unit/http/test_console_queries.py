"""The routes of /v1 that the console needs: the broker, groups in one line each, rebalances, topics."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests.unit.broker.group_story import GroupStory, subscription
from tests.unit.http.asking import DAY_MS, NOV_1, TIMEOUT_S, WEEK_MS, Asked, asked, join_request
from tests.unit.http.test_queries import asking, only, turns_of
from tidemark import __version__
from tidemark.core.decision import ClassicGroupRebalanced, ConsumerGroupRebalances
from tidemark.engine.events import REBALANCES_MAX, Rebalances
from tidemark.faults.model import ACTIONS, FIELDS
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.node.recent_warnings import KEPT_MAX
from tidemark_http.responses import KEYS_PER_TURN
from tidemark_http.v1.groups import summary
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.subscriptions import write_assignment


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
    (listener,) = found["listeners"]
    assert (listener["name"], listener["protocol"]) == ("PLAINTEXT", "PLAINTEXT")
    ((endpoint,),) = broker.whole.node.listeners.endpoints().values()
    assert listener["address"] == f"{endpoint.host}:{endpoint.port}"
    assert (found["ready"], found["failure"], found["uptime_ms"]) == (True, None, 0)
    broker.passes(5_000)
    assert broker.get("/broker")["uptime_ms"] == 5_000


def test_the_last_warnings_are_listed(broker: Asked) -> None:
    logger = broker.whole.node.env.logger
    logger.info("nothing to see")
    logger.warning("slow request", api="Fetch", ms=700, client_id="x" * 300)
    for number in range(KEPT_MAX):
        logger.error("disk is full", number=number)
    warnings = broker.get("/broker")["warnings"]
    assert (warnings["count"], len(warnings["last"])) == (KEPT_MAX + 1, KEPT_MAX)
    assert warnings["last"][0] == {
        "at_ms": NOV_1, "level": "error", "event": "disk is full", "fields": {"number": str(KEPT_MAX - 1)},
    }  # fmt: skip
    assert {each["event"] for each in warnings["last"]} == {"disk is full"}


def test_the_names_in_a_warning_are_cut(broker: Asked) -> None:
    broker.whole.node.env.logger.warning("slow request", client_id="x" * 300)
    (line,) = broker.get("/broker")["warnings"]["last"]
    assert line["fields"]["client_id"] == "x" * 256 + "..."


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


# Groups that need attention.


def troubles(broker: Asked, **query: object) -> dict[str, list[str]]:
    found = broker.get("/groups/summary", sort="trouble", **query)["groups"]
    return {each["group"]: each["trouble"] for each in found}


def test_groups_with_trouble_come_first(broker: Asked) -> None:
    broker.post("/records", topic="orders", records=[{"value": "x", "partition": 0}] * 9)
    broker.commit("no-members-ever", "orders", 0, 0)
    broker.leave("unread", broker.join("unread", "orders"))
    broker.commit("unread", "orders", 0, 5)
    broker.post("/clock/advance", days=1)
    broker.commit("busy", "orders", 0, 1)
    broker.join("busy", "orders")
    assert troubles(broker) == {"unread": ["unread"], "no-members-ever": [], "busy": []}
    broker.post("/clock/advance", hours=5 * 24 + 1)
    assert troubles(broker) == {
        "unread": ["expires_soon", "unread"], "no-members-ever": ["expires_soon"], "busy": [],
    }  # fmt: skip
    found = broker.get("/groups/summary", sort="trouble", limit=1)
    assert [each["group"] for each in found["groups"]] == ["unread"]
    assert (found["total"], found["troubled"], found["states"]) == (3, 2, {"Empty": 2, "Stable": 1})
    assert found["cursor"] is None
    assert troubles(broker, search="BUSY") == {"busy": []}


def test_soon_is_a_seventh_of_a_short_retention() -> None:
    with asked(tidemark_test_api="true", offsets_retention_minutes="70") as broker:
        broker.topics(orders=1)
        broker.commit("tool")
        broker.post("/clock/advance", minutes=59)
        assert troubles(broker) == {"tool": []}
        broker.post("/clock/advance", minutes=1)
        assert troubles(broker) == {"tool": ["expires_soon"]}


def test_a_group_that_waits_for_its_members_is_rebalancing(broker: Asked) -> None:
    broker.join("billing", "orders")
    broker.asks("JoinGroup", 3, join_request("billing", subscription(["orders"])))
    wait_until(lambda: troubles(broker) == {"billing": ["rebalancing"]})


def test_groups_of_a_topic_are_listed_with_its_offsets_alone(broker: Asked) -> None:
    broker.post("/records", topic="orders", records=[{"value": "x", "partition": 1}] * 4)
    broker.commit("both", "orders", 1, 1)
    broker.commit("both", "payments", 0, 0)
    broker.commit("other", "payments", 0, 0)
    broker.join("subscribed", "orders")
    found = broker.get("/groups/summary", topic="orders")["groups"]
    shown = [(each["group"], each["offsets"], each["lag"], each["without_offset"]) for each in found]
    assert shown == [("both", 1, 3, 2), ("subscribed", 0, None, 3)]
    pages = broker.pages("/groups/summary", "groups", topic="orders", limit=1)
    assert [[each["group"] for each in page] for page in pages] == [["both"], ["subscribed"]]
    assert broker.get("/groups/summary", topic="nothing").refusal == (404, "unknown_topic", "topic")


def test_groups_by_trouble_have_no_cursor(broker: Asked) -> None:
    broker.commit("a")
    broker.commit("b")
    cursor = broker.get("/groups/summary", limit=1)["cursor"]
    refused = broker.get("/groups/summary", sort="trouble", cursor=cursor)
    assert refused.refusal == (422, "invalid_value", "cursor")
    assert broker.get("/groups/summary", sort="size").refusal == (422, "invalid_value", "sort")


# Lag and rules of a group.


def test_lag_is_listed_by_its_size(broker: Asked) -> None:
    for partition, count in ((0, 2), (1, 7), (2, 4)):
        broker.post("/records", topic="orders", records=[{"value": "x", "partition": partition}] * count)
    broker.commit("tool", "orders", 0, 0)
    broker.commit("tool", "orders", 1, 6)
    found = broker.get("/lag", group="tool", sort="lag", limit=2)
    assert (found["lag"], found["without_offset"], found["total"]) == (3, 1, 3)
    assert [(each["partition"], each["lag"]) for each in found["partitions"]] == [(2, None), (0, 2)]
    assert found["partitions"][1]["due_ms"] == NOV_1 + WEEK_MS
    assert (found["partitions"][0]["rule"], found["partitions"][1]["rule"]) == (None, "standalone")
    assert broker.get("/lag", group="tool", sort="lag").refusal == (422, "missing_field", "limit")
    assert [each["partition"] for each in broker.get("/lag", group="tool", limit=2)["partitions"]] == [0, 1]


def test_each_rule_of_a_group_is_explained_once(broker: Asked) -> None:
    broker.commit("readers", "payments", 0)
    broker.post("/clock/advance", hours=1)
    for partition in range(3):
        broker.commit("readers", "orders", partition)
    broker.join("readers", "orders")
    rules = broker.get("/expiry/rules", group="readers")["rules"]
    assert [(each["rule"], each["offsets"], each["topic"]) for each in rules] == [
        ("topic_not_subscribed", 1, "payments"), ("active", 3, "orders"),
    ]  # fmt: skip
    assert (rules[0]["first_due_ms"], rules[0]["last_due_ms"]) == (NOV_1 + WEEK_MS,) * 2
    assert rules[1]["first_due_ms"] is rules[1]["last_due_ms"] is None
    (offset,) = broker.get("/offsets", group="readers", topic="payments")["offsets"]
    assert rules[0]["explanation"] == offset["explanation"]
    assert broker.get("/expiry/rules", group="nobody").refusal == (404, "unknown_group", "group")


def test_the_first_and_the_last_expiry_of_a_rule(broker: Asked) -> None:
    for number in range(3):
        broker.commit("tool", "orders", number)
        broker.post("/clock/advance", hours=1)
    (rule,) = broker.get("/expiry/rules", group="tool")["rules"]
    assert rule["partition"] == 0
    assert (rule["first_due_ms"], rule["last_due_ms"]) == (NOV_1 + WEEK_MS, NOV_1 + WEEK_MS + 2 * 3_600_000)


def test_members_of_a_classic_group_are_listed_with_their_partitions(broker: Asked) -> None:
    broker.join("others", "orders")
    assert only(only(broker.get("/groups", group="others")["groups"])["members"])["assigned"] is None
    broker.join("readers", "orders", assignment=write_assignment([("orders", [2, 0])], 0))
    member = only(only(broker.get("/groups", group="readers")["groups"])["members"])
    assert member["assigned"] == {"orders": [0, 2]}


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


# Requests and faults.


def test_the_last_requests_are_listed_without_their_messages(broker: Asked) -> None:
    for number in range(5):
        broker.commit(f"g{number}")
    found = broker.get("/requests", api="OffsetCommit", last=2, messages="false")
    assert [each["groups"] for each in found["requests"]] == [["g3"], ["g4"]]
    assert all("request" not in each and "response" not in each for each in found["requests"])
    assert found["cursor"] is None
    whole = broker.get("/requests", api="OffsetCommit", last=1)["requests"]
    assert only(whole)["request"]["GroupId"] == "g4"
    cursor = broker.get("/requests", limit=1)["cursor"]
    assert broker.get("/requests", last=1, cursor=cursor).refusal == (422, "invalid_value", "cursor")


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def send_commit(broker: Asked, group: str) -> None:
    """Send an OffsetCommit, and return once the broker has responded to it or dropped it."""
    broker.asks("OffsetCommit", 8, {"GroupId": group, "Topics": [{"Name": "orders", "Partitions": [{}]}]})
    ended = ("responded", "dropped")
    wait_until(
        lambda: any(each["outcome"] in ended for each in broker.get("/requests", group=group)["requests"])
    )


def test_failed_requests_have_an_error_or_no_response(broker: Asked) -> None:
    broker.commit("fine")
    broker.post("/faults", api="OffsetCommit", group="refused", error="NOT_COORDINATOR")
    broker.post("/faults", api="OffsetCommit", group="lost", drop=True)
    for group in ("refused", "lost"):
        send_commit(broker, group)
    for messages in ("true", "false"):
        found = broker.get("/requests", failed="true", messages=messages)["requests"]
        shown = [(each["groups"], each["errors"], each["outcome"]) for each in found]
        assert shown == [(["refused"], ["NOT_COORDINATOR"], "responded"), (["lost"], [], "dropped")]
    assert broker.get("/requests", failed="yes").refusal == (422, "invalid_value", "failed")


def test_every_field_of_a_fault_is_described_for_a_form(broker: Asked) -> None:
    fields = {each["name"]: each for each in broker.get("/faults/fields")["fields"]}
    assert list(fields) == list(FIELDS)
    assert {name for name, each in fields.items() if each["role"] == "action"} == {*ACTIONS}
    assert fields["errno"]["of"] == ["disk"]
    assert fields["partition"]["needs"] == "topic"
    assert "OffsetCommit" in fields["api"]["schema"]["enum"]
    assert "NOT_COORDINATOR" in fields["error"]["schema"]["anyOf"][0]["enum"]
    assert [each["name"] for each in broker.get("/faults/fields", search="GROUP")["fields"]] == ["group"]


def test_a_fault_is_shown_as_a_sentence(broker: Asked) -> None:
    broker.post("/faults", api="OffsetCommit", group="g", error="NOT_COORDINATOR", times=2)
    send_commit(broker, "g")
    sentence = "The next OffsetCommit of group g gets NOT_COORDINATOR; 1 of 2 matched."
    assert only(broker.get("/faults")["faults"])["explanation"] == sentence


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
        "size_bytes": 0,
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
        "replicas": [1],
        "isr": [1],
        "log_start_offset": 0,
        "log_end_offset": 0,
        "size_bytes": 0,
        "created_ms": NOV_1,
        "age_ms": DAY_MS,
    }
    assert broker.get("/partitions", topic="nothing").refusal == (404, "unknown_topic", "topic")


def test_the_size_of_a_topic_is_that_of_its_logs(broker: Asked) -> None:
    broker.post("/records", topic="orders", records=[{"value": "x" * 1000, "partition": 1}])
    sizes = [each["size_bytes"] for each in broker.get("/partitions", topic="orders")["partitions"]]
    assert (sizes[0], sizes[2]) == (0, 0)
    assert 1000 < sizes[1] < 1200
    assert only(broker.get("/topics", search="orders")["topics"])["size_bytes"] == sizes[1]


def test_settings_of_a_topic_say_who_set_them() -> None:
    with asked(tidemark_test_api="true", log_segment_bytes="2000000") as broker:
        broker.post("/seed", topics={"orders": {"configs": {"retention.ms": "1000"}}})
        settings = {each["name"]: each for each in broker.get("/topics/settings", topic="orders")["settings"]}
        shown = {name: (settings[name]["value"], settings[name]["source"]) for name in settings}
        assert shown["retention.ms"] == ("1000", "topic")
        assert shown["segment.bytes"] == ("2000000", "broker")
        assert shown["cleanup.policy"] == ("delete", "default")
        assert broker.get("/topics/settings", topic="nothing").refusal == (404, "unknown_topic", "topic")


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


# Several brokers.


@pytest.fixture
def three() -> Iterator[Asked]:
    with asked(tidemark_test_api="true", tidemark_brokers="3", default_replication_factor="3") as cluster:
        cluster.topics(orders=2)
        yield cluster


def test_the_number_of_brokers_is_reported(broker: Asked, three: Asked) -> None:
    assert (broker.get("/broker")["brokers"], three.get("/broker")["brokers"]) == (1, 3)


def test_a_partition_lists_its_replicas_and_its_isr(three: Asked) -> None:
    before = three.get("/partitions", topic="orders")["partitions"][0]
    follower = before["replicas"][1]
    assert before["leader"] == before["replicas"][0]
    three.post("/brokers/isr/shrink", topic="orders", partition=0, node_id=follower)
    after = three.get("/partitions", topic="orders")["partitions"][0]
    assert after["replicas"] == before["replicas"]
    assert sorted([*after["isr"], follower]) == sorted(before["isr"]) == [1, 2, 3]


def test_a_group_names_its_coordinator(three: Asked) -> None:
    three.run(three.client().ask("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": ["billing"]}))
    three.post("/brokers/coordinator", group="billing", to=1)
    three.commit("billing", "orders", 0)
    (group,) = three.get("/groups", group="billing")["groups"]
    assert group["coordinator"]["node_id"] == 1
    for to in (2, 3):
        three.post("/brokers/coordinator", group="billing", to=to)
        (group,) = three.get("/groups")["groups"]
        assert group["coordinator"]["node_id"] == to
        assert sorted(group["coordinator"]["isr"]) == [1, 2, 3]
    partition = three.get("/partitions", topic=OFFSETS_TOPIC, limit=1000)["partitions"]
    assert partition[group["coordinator"]["partition"]]["leader"] == 3


def test_an_election_of_preferred_leaders_counts_those_that_began_to_lead(three: Asked) -> None:
    partitions = three.get("/partitions", topic="orders")["partitions"]
    for each in partitions:
        three.post("/brokers/leader", topic="orders", partition=each["partition"], to=each["replicas"][1])
    refused = three.ask("POST", "/v1/brokers/preferred", b'{"topic": "orders"}')
    assert refused.refusal == (422, "unknown_field", "topic")
    found = three.post("/brokers/preferred")
    assert found["elected"] == 2
    assert found["brokers"] == three.get("/brokers")["brokers"]
    assert three.get("/partitions", topic="orders")["partitions"] == partitions
    assert three.post("/brokers/preferred")["elected"] == 0
