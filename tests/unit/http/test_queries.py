"""The routes of /v1 that read: groups, offsets, expiry and removals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from starlette.requests import Request

from tests.unit.broker.groups.test_read_only_groups import UNREAD_GROUP, current, target
from tests.unit.broker.groups.test_read_only_groups import group as group_record
from tests.unit.broker.groups.test_read_only_groups import member as member_record
from tests.unit.http.asking import DAY_MS, NOV_1, WEEK_MS, Asked, asked
from tidemark.core.decision import Record
from tidemark.groups.share import records as share_records
from tidemark.groups.share.group import ShareMember
from tidemark_http.api import Handler
from tidemark_http.operations import described
from tidemark_http.parameters import Query
from tidemark_http.responses import KEYS_PER_TURN, long_response
from tidemark_http.v1.groups import groups
from tidemark_http.v1.offsets import expiry, offsets
from tidemark_protocol.records.consumer_group_current_member_assignment import TopicPartitions
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue


@pytest.fixture
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=3, payments=1)
        yield broker


@pytest.fixture(scope="module")
def unharmed() -> Iterator[Asked]:
    """A node for requests that change nothing."""
    with asked() as broker:
        broker.topics(orders=1)
        yield broker


def only(entries: list[Any]) -> Any:
    (entry,) = entries
    return entry


# Groups.


def test_a_standalone_group_is_listed_with_its_expiry(broker: Asked) -> None:
    broker.commit("tool")
    group = only(broker.get("/groups", group="tool")["groups"])
    assert {name: group[name] for name in group if name != "explanation"} == {
        "group": "tool",
        "type": "classic",
        "state": "Empty",
        "state_since_ms": NOV_1,
        "protocol_type": "",
        "protocol": None,
        "generation": 0,
        "assignment_epoch": None,
        "members": [],
        "subscribed_topics": None,
        "offsets": 1,
        "due_ms": NOV_1 + WEEK_MS,
        "next_expiry_ms": NOV_1 + WEEK_MS,
        "waits_for": None,
        "coordinator": {"node_id": 1, "partition": 0, "isr": [1]},
    }
    assert "has never had members" in group["explanation"]


def test_a_group_is_listed_with_the_subscriptions_of_its_members(broker: Asked) -> None:
    member_id = broker.join("readers", "orders", "payments")
    group = only(broker.get("/groups", group="readers")["groups"])
    assert (group["state"], group["protocol_type"], group["protocol"]) == ("Stable", "consumer", "range")
    assert (group["generation"], group["due_ms"], group["next_expiry_ms"]) == (1, None, None)
    assert group["subscribed_topics"] == ["orders", "payments"]
    member = only(group["members"])
    assert member["member_id"] == member_id
    assert member["subscription"] == ["orders", "payments"]
    assert member["client_host"] == "/127.0.0.1"


def test_a_member_whose_metadata_cannot_be_read_breaks_nothing(broker: Asked) -> None:
    broker.join("odd", metadata=b"\x00")
    group = only(broker.get("/groups", group="odd")["groups"])
    assert group["subscribed_topics"] is None
    assert only(group["members"])["subscription"] is None


def test_an_unknown_group_is_not_found(broker: Asked) -> None:
    for path in ("/groups", "/offsets", "/expiry"):
        assert broker.get(path, group="nobody").refusal == (404, "unknown_group", "group")
    assert "'nobody'" in broker.get("/groups", group="nobody").why


@pytest.mark.parametrize("name", ["", "a/b", "a b&c=d?", "grüße", "%00", "../groups"])
def test_any_group_name_can_be_requested(broker: Asked, name: str) -> None:
    broker.commit(name)
    assert only(broker.get("/offsets", group=name)["offsets"])["group"] == name
    assert only(broker.get("/groups", group=name)["groups"])["group"] == name


def test_a_kip_848_group_of_another_broker_is_listed_with_its_members(broker: Asked) -> None:
    replay(broker, group_record(7), member_record("payments", "orders"), target(7), current(7))
    broker.whole.state.groups.groups["g"].complete()
    told = only(broker.get("/groups", group="g")["groups"])
    assert (told["type"], told["state"], told["generation"]) == ("consumer", "Stable", 7)
    assert told["subscribed_topics"] == ["orders", "payments"]
    member = only(told["members"])
    assert member["subscription"] == ["orders", "payments"]
    assert (member["protocol"], member["epoch"], member["state"]) == ("consumer", 7, "stable")
    assert (told["assignment_epoch"], told["waits_for"]) == (7, None)


def test_partitions_of_a_kip_848_member_are_shown_by_topic(broker: Asked) -> None:
    place, deleted = current(7), bytes(15) + b"\1"
    place.value.assigned_partitions = [
        TopicPartitions(broker.whole.state.cluster.topics["orders"].topic_id, [2, 0]),
        TopicPartitions(deleted, [0]),
    ]
    replay(broker, group_record(8), member_record("orders"), target(8), place)
    broker.whole.state.groups.groups["g"].complete()
    told = only(broker.get("/groups", group="g")["groups"])
    assert only(told["members"])["assigned"] == {"orders": [0, 2]}
    assert (only(told["members"])["revoking"], only(told["members"])["target"]) == ({}, {})
    assert told["waits_for"] == (
        "Group g is Reconciling at epoch 8: member m has not sent a heartbeat since then (its epoch is 7)."
    )


def test_group_of_an_unknown_type_is_listed_without_an_expiry(broker: Asked) -> None:
    replay(broker, Record(UNREAD_GROUP, b""))
    told = only(broker.get("/groups", group="g")["groups"])
    assert (told["type"], told["due_ms"], told["members"]) == ("unknown", None, [])
    assert "of type unknown" in told["explanation"]


def test_share_group_is_listed_with_its_members(broker: Asked) -> None:
    topic_id = broker.whole.state.cluster.topics["orders"].topic_id
    member = ShareMember(
        "m", 2, 0, client_id="app", topic_names=frozenset(("orders",)), assigned={topic_id: [1]}
    )
    replay(
        broker,
        share_records.member_record("g", member),
        share_records.epoch_record("g", 3, 1),
        share_records.target_epoch_record("g", 2, 5),
        share_records.target_record("g", "m", {topic_id: [1, 2]}),
        share_records.current_record("g", member),
    )
    told = only(broker.get("/groups", group="g")["groups"])
    assert (told["type"], told["state"], told["protocol_type"], told["due_ms"]) == (
        "share", "Stable", "share", None,
    )  # fmt: skip
    assert (told["generation"], told["assignment_epoch"], told["subscribed_topics"]) == (3, 2, ["orders"])
    found = only(told["members"])
    assert (found["client_id"], found["epoch"], found["assigned"], found["target"]) == (
        "app", 2, {"orders": [1]}, {"orders": [1, 2]},
    )  # fmt: skip
    assert told["explanation"] == "Group g is a share group: it does not expire."


def replay(broker: Asked, *records: Record) -> None:
    """Add groups of another broker."""
    broker.client()  # which finds a coordinator
    for record in records:
        broker.whole.state.groups.replay(record)


def asking(handler: Handler, text: str) -> Query:
    """Return the query parameters that the handler gets for this text."""
    request = Request({"type": "http", "method": "GET", "query_string": text.encode(), "headers": []})
    return Query(request, *described(handler).query)


# Offsets.


def test_an_offset_is_listed_with_its_rule_and_its_reason(broker: Asked) -> None:
    broker.commit("tool", "orders", 1, 7)
    offset = only(broker.get("/offsets", group="tool", topic="orders", partition=1)["offsets"])
    assert {name: offset[name] for name in offset if name != "explanation"} == {
        "group": "tool",
        "topic": "orders",
        "partition": 1,
        "offset": 7,
        "leader_epoch": -1,
        "metadata": "",
        "committed_ms": NOV_1,
        "expire_ms": None,
        "log_end_offset": 0,
        "lag": -7,
        "rule": "standalone",
        "since_ms": NOV_1,
        "due_ms": NOV_1 + WEEK_MS,
        "expired": False,
        "subscribed": False,
    }
    assert "orders-1 was committed at 2026-11-01T10:00:00Z" in offset["explanation"]


def test_only_offsets_of_topics_that_the_group_does_not_read_expire(broker: Asked) -> None:
    broker.commit("readers", "orders")
    broker.commit("readers", "payments")
    broker.join("readers", "orders")
    told = {each["topic"]: each for each in broker.get("/offsets", group="readers")["offsets"]}
    assert (told["orders"]["rule"], told["orders"]["due_ms"], told["orders"]["subscribed"]) == (
        "active", None, True,
    )  # fmt: skip
    assert told["payments"]["rule"] == "topic_not_subscribed"
    assert (told["payments"]["due_ms"], told["payments"]["subscribed"]) == (NOV_1 + WEEK_MS, False)
    group = only(broker.get("/groups", group="readers")["groups"])
    assert (group["due_ms"], group["next_expiry_ms"]) == (None, NOV_1 + WEEK_MS)


def test_a_due_offset_exists_until_the_next_pass(broker: Asked) -> None:
    broker.commit("tool")
    broker.post("/clock/advance", ms=WEEK_MS, cleanup=False)
    offset = only(broker.get("/offsets")["offsets"])
    assert offset["expired"] is True
    assert "at the next cleanup pass" in offset["explanation"]


def test_offsets_of_a_topic(broker: Asked) -> None:
    for group in ("b", "a"):
        for topic in ("payments", "orders"):
            broker.commit(group, topic)
    told = broker.get("/offsets", topic="payments")["offsets"]
    assert [(each["group"], each["topic"]) for each in told] == [("a", "payments"), ("b", "payments")]
    assert broker.get("/offsets", group="a", topic="orders", partition=2)["offsets"] == []
    assert broker.get("/offsets", topic="nothing").refusal == (404, "unknown_topic", "topic")


@pytest.mark.parametrize("limit", [1, 2, 5, 12, 13, 1000])
def test_pages_list_everything_once_and_in_order(broker: Asked, limit: int) -> None:
    everything = [(group, "orders", partition) for group in "cbad" for partition in (2, 0, 1)]
    for place in everything:
        broker.commit(*place)
    pages = list(broker.pages("/offsets", "offsets", limit=limit))
    told = [(each["group"], each["topic"], each["partition"]) for page in pages for each in page]
    assert told == sorted(everything)
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    groups = [each["group"] for page in broker.pages("/groups", "groups", limit=limit) for each in page]
    assert groups == ["a", "b", "c", "d"]


def test_a_page_continues_after_a_last_entry_that_was_removed(broker: Asked) -> None:
    for group in ("a", "b", "c"):
        broker.commit(group)
    first = broker.get("/offsets", limit=2)
    for path in ("a", "b"):
        broker.run(broker.client().ask("DeleteGroups", 1, {"GroupsNames": [path]}))
    broker.commit("bb")
    rest = broker.get("/offsets", limit=2, cursor=first["cursor"])["offsets"]
    assert [each["group"] for each in rest] == ["bb", "c"]


# The forecast.


def a_week_of_commits(broker: Asked) -> None:
    """Commit for tool-0 on NOV_1, tool-1 a day later and tool-2 two days later; none has had members."""
    for number in range(3):
        broker.commit(f"tool-{number}", partition=number)
        broker.post("/clock/advance", days=1)


def test_the_offset_that_expires_first_is_listed_first(broker: Asked) -> None:
    a_week_of_commits(broker)
    answer = broker.get("/expiry", within="5d")
    assert (answer["now_ms"], answer["retention_ms"]) == (NOV_1 + 3 * DAY_MS, WEEK_MS)
    assert [(each["group"], each["due_ms"]) for each in answer["offsets"]] == [
        ("tool-0", NOV_1 + WEEK_MS),
        ("tool-1", NOV_1 + WEEK_MS + DAY_MS),
    ]
    assert answer["groups"] == [
        {"group": "tool-0", "due_ms": NOV_1 + WEEK_MS},
        {"group": "tool-1", "due_ms": NOV_1 + WEEK_MS + DAY_MS},
    ]
    assert answer["cursor"] is None
    assert len(broker.get("/expiry", within="6d")["offsets"]) == 3
    assert broker.get("/expiry", within=f"{4 * 24 * 60 - 1}m")["offsets"] == []
    assert len(broker.get("/expiry", within=f"{4 * 24 * 3600}s")["offsets"]) == 1
    assert [each["group"] for each in broker.get("/expiry", group="tool-2")["offsets"]] == ["tool-2"]


def test_another_retention_can_be_tried(broker: Asked) -> None:
    a_week_of_commits(broker)
    answer = broker.get("/expiry", within="0s", retention_minutes=2 * 24 * 60)
    assert answer["retention_ms"] == 2 * DAY_MS
    assert [(each["group"], each["due_ms"], each["expired"]) for each in answer["offsets"]] == [
        ("tool-0", NOV_1 + 2 * DAY_MS, True),
        ("tool-1", NOV_1 + 3 * DAY_MS, True),
    ]
    assert "offsets.retention.minutes=2880, as requested" in answer["offsets"][0]["explanation"]
    assert len(broker.get("/offsets")["offsets"]) == 3  # nothing was removed


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_a_forecast_in_pages_lists_everything_once(broker: Asked, limit: int) -> None:
    a_week_of_commits(broker)
    offsets = [each for page in broker.pages("/expiry", "offsets", limit=limit) for each in page]
    groups = [each for page in broker.pages("/expiry", "groups", limit=limit) for each in page]
    assert [each["group"] for each in offsets] == ["tool-0", "tool-1", "tool-2"]
    assert [each["group"] for each in groups] == ["tool-0", "tool-1", "tool-2"]


def test_the_forecast_comes_true(broker: Asked) -> None:
    a_week_of_commits(broker)
    forecast = broker.get("/expiry", within="7d")["offsets"]
    assert len(forecast) == 3
    for each in forecast:
        assert broker.post("/clock/set", to_ms=each["due_ms"] - 1)["offsets"] == []
        gone = only(broker.post("/clock/set", to_ms=each["due_ms"])["offsets"])
        for name in ("group", "topic", "partition", "rule", "since_ms", "due_ms"):
            assert gone[name] == each[name]


# The log of removals.


def test_a_removal_is_listed_with_its_cause(broker: Asked) -> None:
    broker.commit("expires")
    broker.commit("goes", "payments")
    broker.run(broker.client().ask("DeleteGroups", 1, {"GroupsNames": ["goes"]}))
    broker.post("/clock/advance", days=8)
    told = broker.get("/expiry/log")["removals"]
    assert [(each["group"], each["cause"], each["rule"]) for each in told] == [
        ("goes", "group_delete", None),
        ("expires", "expired", "standalone"),
    ]
    assert (told[0]["at_ms"], told[1]["at_ms"]) == (NOV_1, NOV_1 + 8 * DAY_MS)
    assert (told[1]["since_ms"], told[1]["due_ms"]) == (NOV_1, NOV_1 + WEEK_MS)
    assert "DeleteGroups" in told[0]["explanation"]
    assert [each["group"] for each in broker.get("/expiry/log", topic="payments")["removals"]] == ["goes"]
    assert broker.get("/expiry/log", group="nobody")["removals"] == []


def test_the_removals_in_pages_are_all_removals(broker: Asked) -> None:
    for number in range(5):
        broker.commit(f"g{number}")
    broker.post("/clock/advance", days=8)
    told = [each["group"] for page in broker.pages("/expiry/log", "removals", limit=2) for each in page]
    assert sorted(told) == ["g0", "g1", "g2", "g3", "g4"]


def test_reset_csv_restores_removed_offsets(broker: Asked) -> None:
    """Rows as kafka-consumer-groups --reset-offsets --from-file reads them, of several groups and of one."""
    broker.commit("readers", "orders", 0, 41)
    broker.commit("readers", "orders", 1, 7)
    broker.commit('a,"b"', "payments", 0, 5)
    broker.post("/clock/advance", days=8)
    answer = broker.get("/expiry/log", format="reset-csv")
    assert answer.content_type == "text/csv; charset=utf-8"
    assert sorted(answer.text.splitlines()) == [
        '"a,""b""",payments,0,5', "readers,orders,0,41", "readers,orders,1,7",
    ]  # fmt: skip
    of_one = broker.get("/expiry/log", format="reset-csv", group="readers", topic="orders")
    assert sorted(of_one.text.splitlines()) == ["orders,0,41", "orders,1,7"]


def test_reset_csv_leaves_out_offsets_that_were_committed_since(broker: Asked) -> None:
    broker.commit("readers", "orders", 0, 41)
    broker.post("/clock/advance", days=8)
    broker.commit("readers", "orders", 0, 99)
    assert broker.get("/expiry/log", format="reset-csv").text == ""
    broker.post("/clock/advance", days=8)
    assert broker.get("/expiry/log", format="reset-csv").text == "readers,orders,0,99\n"


def test_reset_csv_leaves_out_offsets_of_a_deleted_topic(broker: Asked) -> None:
    broker.commit("readers", "payments")
    answer = broker.run(
        broker.client().ask("DeleteTopics", 4, {"TopicNames": ["payments"], "TimeoutMs": 30_000})
    )
    assert answer["Responses"][0]["ErrorCode"] == 0
    assert only(broker.get("/expiry/log")["removals"])["cause"] == "topic_delete"
    assert broker.get("/expiry/log", format="reset-csv").text == ""


def test_reset_csv_leaves_out_an_expiry_before_the_topic_was_deleted(broker: Asked) -> None:
    broker.commit("readers", "payments")
    broker.post("/clock/advance", days=8)
    broker.commit("readers", "payments")
    broker.run(broker.client().ask("DeleteTopics", 4, {"TopicNames": ["payments"], "TimeoutMs": 30_000}))
    assert [each["cause"] for each in broker.get("/expiry/log")["removals"]] == ["expired", "topic_delete"]
    assert broker.get("/expiry/log", format="reset-csv").text == ""


def test_reset_csv_leaves_out_an_expiry_under_an_earlier_topic_of_that_name(broker: Asked) -> None:
    broker.commit("readers", "payments")
    broker.post("/clock/advance", days=8)
    assert broker.get("/expiry/log", format="reset-csv").text == "readers,payments,0,42\n"
    broker.run(broker.client().ask("DeleteTopics", 4, {"TopicNames": ["payments"], "TimeoutMs": 30_000}))
    assert broker.get("/expiry/log", format="reset-csv").text == ""
    broker.post("/clock/advance", ms=1)
    assert broker.run(broker.client().make_topic("payments")) == 0
    assert broker.get("/expiry/log", format="reset-csv").text == ""


# Invalid queries.


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [
        ("/offsets", "limit", "0"),
        ("/offsets", "limit", "1001"),
        ("/offsets", "limit", "-1"),
        ("/offsets", "limit", "ten"),
        ("/offsets", "limit", "1" * 40),
        ("/offsets", "limit", "1" * 5_000),  # more digits than Python converts
        ("/offsets", "limit", "\u0661"),
        ("/offsets", "cursor", "x"),
        ("/offsets", "cursor", "W10"),  # []
        ("/offsets", "cursor", "WyJhIiwgImIiLCB0cnVlXQ"),  # ["a", "b", true]
        ("/offsets", "cursor", "é"),
        ("/offsets", "partition", "-1"),
        ("/offsets", "partition", "2147483648"),
        ("/expiry", "within", "7"),
        ("/expiry", "within", "-7d"),
        ("/expiry", "within", "7 d"),
        ("/expiry", "within", "999999999999d"),
        ("/expiry", "retention_minutes", "0"),
        ("/expiry", "retention_minutes", "2147483648"),
        ("/expiry/log", "format", "xml"),
        ("/expiry", "cursor", "WyJhIiwgImIiLCAxXQ"),  # of /offsets
    ],
)
def test_a_wrong_value_is_named(unharmed: Asked, path: str, field: str, value: str) -> None:
    answer = unharmed.get(path, **{field: value})
    assert answer.refusal == (422, "invalid_value", field)
    assert answer.why.startswith(f"{field} must be ")


@pytest.mark.parametrize(
    ("field", "value", "meant"),
    [
        ("api", "OffsetComit", "OffsetCommit"),
        ("error", "REBALANCE_IN_PROGRES", "REBALANCE_IN_PROGRESS"),
        ("outcome", "respondet", "responded"),
    ],
)
def test_an_unknown_name_in_a_filter_of_requests_is_refused(
    unharmed: Asked, field: str, value: str, meant: str
) -> None:
    answer = unharmed.get("/requests", **{field: value})
    assert answer.refusal == (422, "invalid_value", field)
    assert answer.why.endswith(f"; did you mean {meant!r}?")
    assert unharmed.get("/requests", **{field: meant})["cursor"] is None


@pytest.mark.parametrize("path", ["/clock", "/groups", "/offsets", "/expiry", "/expiry/log"])
def test_an_unknown_parameter_is_named(unharmed: Asked, path: str) -> None:
    assert unharmed.get(path, grop="g").refusal == (422, "unknown_field", "grop")


def test_a_parameter_may_be_given_once(unharmed: Asked) -> None:
    answer = unharmed.ask("GET", "/v1/offsets?group=a&group=b")
    assert answer.refusal == (422, "invalid_value", "group")


def test_a_group_in_a_partition_that_cannot_be_read_is_not_served() -> None:
    with asked() as broker:
        broker.topics(orders=1)
        broker.commit("tool")
        broker.whole.state.groups.failed(0)
        assert broker.get("/offsets", group="tool").refusal == (503, "not_served", "group")
        assert broker.get("/groups")["groups"] == broker.get("/offsets")["offsets"] == []


def test_reset_csv_has_no_pages(unharmed: Asked) -> None:
    answer = unharmed.get("/expiry/log", format="reset-csv", limit=5)
    assert answer.refusal == (422, "invalid_value", "limit")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/metrics/", 404, "not_found"),
        ("GET", "/v1/groups/", 404, "not_found"),
        ("POST", "/v1/groups", 405, "method_not_allowed"),
        ("GET", "/v1/cleanup", 405, "method_not_allowed"),
        ("PUT", "/v1/clock", 405, "method_not_allowed"),
        ("POST", "/v1", 405, "method_not_allowed"),
        ("POST", "/metrics", 405, "method_not_allowed"),
    ],
)
def test_unknown_paths_and_methods_get_a_json_error(
    unharmed: Asked, method: str, path: str, status: int, code: str
) -> None:
    assert unharmed.ask(method, path).refusal == (status, code, None)


# Other clients run in between.


@pytest.mark.parametrize("group_count", [1, 2_000])
@pytest.mark.parametrize(
    ("act", "query"),
    [
        (expiry, "within=30d"),
        (expiry, "within=1h"),
        (groups, "limit=1000"),
        (offsets, "topic=payments"),
    ],
)
def test_a_long_response_leaves_others_their_turns(
    broker: Asked, group_count: int, act: Handler, query: str
) -> None:
    offsets = 10 * KEYS_PER_TURN
    state = broker.whole.state
    for number in range(offsets):
        key = OffsetCommitKey(f"g{number % group_count}", "orders", number)
        state.groups.replay_record(key, OffsetCommitValue(1, commit_timestamp=NOV_1))
    assert turns_of(act(broker.whole.node, asking(act, query))) >= 9


def test_a_long_response_is_encoded_in_several_turns() -> None:
    async def written() -> bytes:
        entries = [{"group": f"g{number}"} for number in range(1_000)]
        return b"".join([bytes(piece) async for piece in long_response({"n": 1, "l": entries}).body_iterator])

    assert turns_of(written()) >= 4


def turns_of(answering: Any) -> int:
    """Return how often a coroutine yields to the loop."""
    for turns in count():
        try:
            answering.send(None)
        except StopIteration:
            return turns
    raise AssertionError
