"""The routes of /v1 that change something: time, cleanup and snapshots, and the requests they refuse."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.http.asking import DAY_MS, NOV_1, WEEK_MS, Asked, asked
from tidemark_http.api import BACKUP, CHANGES, READS


@pytest.fixture
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=3, payments=1)
        yield broker


@pytest.fixture(scope="module")
def untouched() -> Iterator[Asked]:
    """A node for requests that change nothing."""
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=1)
        broker.commit("tool")
        yield broker


# Time.


def test_clock_reports_the_current_time(broker: Asked) -> None:
    assert broker.get("/clock").value == {
        "now_ms": NOV_1,
        "moved_ms": 0,
        "frozen": False,
        "steady_moved_ms": 0,
        "logs_moved_ms": 0,
        "held": False,
        "next_cleanup_ms": NOV_1 + 600_000,  # Kafka's offsets.retention.check.interval.ms
        "test_api": True,
        "retention_ms": WEEK_MS,  # Kafka's offsets.retention.minutes, 10080
        "assumed_retention": False,
    }


@pytest.mark.parametrize(
    ("body", "ms"),
    [
        ({"days": 8}, 8 * DAY_MS),
        ({"days": 0.5}, DAY_MS // 2),
        ({"hours": 1}, 3_600_000),
        ({"minutes": 90}, 5_400_000),
        ({"seconds": 1.5}, 1_500),
        ({"ms": 1}, 1),
        ({"ms": 0}, 0),
    ],
)
def test_time_moves_by_each_unit(broker: Asked, body: dict[str, Any], ms: int) -> None:
    moved = broker.post("/clock/advance", **body)
    assert (moved["now_ms"], moved["moved_ms"]) == (NOV_1 + ms, ms)
    assert broker.get("/clock")["now_ms"] == NOV_1 + ms


def test_a_move_reports_the_offsets_and_groups_that_it_removed(broker: Asked) -> None:
    broker.commit("tool", "orders", 2, 7)
    kept = broker.post("/clock/advance", ms=WEEK_MS - 1)
    assert (kept["offsets"], kept["groups"]) == ([], [])
    gone = broker.post("/clock/advance", ms=1)
    (offset,) = gone["offsets"]
    wanted = ("group", "topic", "partition", "rule", "since_ms", "due_ms")
    assert {name: offset[name] for name in wanted} == {
        "group": "tool",
        "topic": "orders",
        "partition": 2,
        "rule": "standalone",
        "since_ms": NOV_1,
        "due_ms": NOV_1 + WEEK_MS,
    }
    assert gone["groups"] == ["tool"]


def test_without_cleanup_due_offsets_stay_until_the_next_pass(broker: Asked) -> None:
    broker.commit("tool")
    assert broker.post("/clock/advance", days=8, cleanup=False)["offsets"] == []
    assert len(broker.get("/offsets")["offsets"]) == 1
    gone = broker.post("/cleanup")
    assert [each["group"] for each in gone["offsets"]] == ["tool"]
    assert gone["moved_ms"] == 0
    assert broker.get("/offsets")["offsets"] == []


def test_members_keep_their_sessions_unless_time_moves_for_them_too(broker: Asked) -> None:
    member_id = broker.join("readers", "orders")  # for 10 s
    assert broker.post("/clock/advance", days=8)["sessions"] == []
    assert broker.post("/clock/advance", seconds=9, sessions=True)["sessions"] == []
    ended = broker.post("/clock/advance", seconds=1, sessions=True)["sessions"]
    assert ended == [{"group": "readers", "member_id": member_id}]
    assert broker.get("/clock")["steady_moved_ms"] == 10_000


def test_sessions_end_in_a_move_although_work_waits_for_a_turn(broker: Asked) -> None:
    member_id = broker.join("readers", "orders")
    turns, working = broker.whole.engine.turns, [True]

    async def long_work() -> None:
        while working:
            await turns.rest()

    async def begin() -> list[asyncio.Task[None]]:
        return [asyncio.create_task(long_work()) for _ in range(20)]

    tasks = broker.run(begin())
    ended = broker.post("/clock/advance", seconds=10, sessions=True)["sessions"]

    async def end() -> None:
        working.clear()
        await asyncio.gather(*tasks)

    broker.run(end())
    assert ended == [{"group": "readers", "member_id": member_id}]


def test_user_data_ages_only_on_request(broker: Asked) -> None:
    broker.post("/clock/advance", days=1)
    assert broker.get("/clock")["logs_moved_ms"] == 0
    broker.post("/clock/advance", days=1, logs=True)
    assert broker.get("/clock")["logs_moved_ms"] == DAY_MS


def test_time_moves_to_the_next_expiry_or_a_span_before_it(broker: Asked) -> None:
    broker.commit("first", "orders")
    broker.post("/clock/advance", days=1)
    broker.commit("second", "orders")
    before = broker.post("/clock/advance", to="next_expiry", group="second", minus_ms=1, cleanup=False)
    assert before["now_ms"] == NOV_1 + DAY_MS + WEEK_MS - 1
    at = broker.post("/clock/advance", to="next_expiry", group="second")
    assert (at["now_ms"], at["moved_ms"]) == (NOV_1 + DAY_MS + WEEK_MS, 1)
    assert {each["group"] for each in at["offsets"]} == {"first", "second"}


def test_without_a_group_the_next_expiry_of_all_groups_counts(broker: Asked) -> None:
    broker.commit("tool")
    assert broker.post("/clock/advance", to="next_expiry")["now_ms"] == NOV_1 + WEEK_MS


def test_an_overdue_offset_needs_no_move(broker: Asked) -> None:
    broker.commit("tool")
    broker.post("/clock/advance", days=8, cleanup=False)
    moved = broker.post("/clock/advance", to="next_expiry", group="tool")
    assert (moved["moved_ms"], len(moved["offsets"])) == (0, 1)


def test_a_move_to_before_a_past_expiry_is_refused(broker: Asked) -> None:
    broker.commit("tool")
    broker.post("/clock/advance", days=8, cleanup=False)
    refused = broker.post("/clock/advance", to="next_expiry", group="tool", minus_ms=1)
    assert refused.refusal == (409, "clock_refused", "minus_ms")
    assert "2026-11-08T10:00:00Z" in refused.why


def test_a_move_back_to_before_a_near_expiry_is_refused(broker: Asked) -> None:
    broker.commit("tool")
    broker.post("/clock/advance", ms=WEEK_MS - 5)
    refused = broker.post("/clock/advance", to="next_expiry", group="tool", minus_ms=10)
    assert refused.refusal == (409, "clock_refused", "minus_ms")
    assert broker.get("/clock")["now_ms"] == NOV_1 + WEEK_MS - 5


def test_the_response_explains_why_no_offset_of_a_group_expires(broker: Asked) -> None:
    broker.commit("readers")
    broker.join("readers", "orders")
    refused = broker.post("/clock/advance", to="next_expiry", group="readers")
    assert refused.refusal == (409, "nothing_expires", "group")
    assert "Stable" in refused.why
    assert broker.post("/clock/advance", to="next_expiry", group="nobody").refusal == (
        404, "unknown_group", "group",
    )  # fmt: skip


def test_time_can_be_set(broker: Asked) -> None:
    assert broker.post("/clock/set", to="2026-11-02T11:00:00+01:00")["now_ms"] == NOV_1 + DAY_MS
    assert broker.post("/clock/set", to_ms=NOV_1 + 2 * DAY_MS)["moved_ms"] == DAY_MS


def test_time_does_not_move_to_before_stored_data(broker: Asked) -> None:
    broker.post("/clock/advance", days=2)
    broker.commit("tool")
    assert broker.post("/clock/advance", ms=-1).refusal == (409, "clock_refused", None)
    assert "tool" in broker.post("/clock/advance", ms=-1).why
    assert broker.post("/clock/set", to_ms=NOV_1).refusal == (409, "clock_refused", None)
    broker.post("/clock/advance", days=1)
    assert broker.post("/clock/advance", days=-1)["now_ms"] == NOV_1 + 2 * DAY_MS


def test_frozen_time_stops_until_it_is_moved_or_resumed(broker: Asked) -> None:
    assert broker.post("/clock/freeze")["frozen"] is True
    broker.passes(5_000)
    assert broker.get("/clock")["now_ms"] == NOV_1
    assert broker.post("/clock/advance", ms=7)["now_ms"] == NOV_1 + 7
    assert broker.post("/clock/resume")["frozen"] is False
    broker.passes(3)
    assert broker.get("/clock")["now_ms"] == NOV_1 + 10


# Snapshots and restores.


def test_restoring_a_snapshot_brings_back_removed_offsets(broker: Asked) -> None:
    broker.commit("tool")
    taken = broker.post("/snapshots")["id"]
    broker.post("/clock/advance", days=8)
    assert broker.get("/groups")["groups"] == []
    assert broker.post(f"/snapshots/{taken}/restore").value == {"id": taken, "now_ms": NOV_1}
    assert [each["group"] for each in broker.get("/groups")["groups"]] == ["tool"]
    assert broker.ask("DELETE", f"/v1/snapshots/{taken}").value == {"id": taken}
    for method, path in (("POST", f"/v1/snapshots/{taken}/restore"), ("DELETE", f"/v1/snapshots/{taken}")):
        assert broker.ask(method, path).refusal == (404, "unknown_snapshot", "id")


# Refused requests.


def test_snapshot_is_taken_and_deleted_without_the_test_api() -> None:
    with asked() as broker:
        taken = broker.post("/snapshots")["id"]
        assert broker.post(f"/snapshots/{taken}/restore").refusal[:2] == (403, "test_api_off")
        second = broker.post("/snapshots")
        assert second.refusal == (409, "snapshot_exists", None)
        assert second.why.endswith(f"delete snapshot {taken} first (DELETE /v1/snapshots/{taken})")
        assert broker.ask("DELETE", f"/v1/snapshots/{taken}").value == {"id": taken}
        assert broker.ask("DELETE", f"/v1/snapshots/{broker.post('/snapshots')['id']}").status == 200


def test_without_the_test_api_everything_is_readable_and_nothing_can_change() -> None:
    with asked() as broker:
        for path in READS:
            answer = broker.get(path)
            assert answer.status == 200 or answer.refusal[:2] == (422, "missing_field")
        assert broker.get("/clock")["test_api"] is False
        for method, path in CHANGES.keys() - {*BACKUP}:
            refused = broker.ask(method, f"/v1{path.replace('{id}', '1')}", b"{}")
            assert refused.refusal == (403, "test_api_off", None)
            assert "--test-api" in refused.why
            assert f"{method} /v1{path.replace('{id}', '1')} needs" in refused.why
            assert "tidemark.test.api=true" in refused.why


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.example", "{address}"),
        ("null", "{address}"),
        ("http://localhost:1", "{address}"),
        ("", "{address}"),
    ],
)
def test_a_page_of_another_site_changes_nothing(untouched: Asked, origin: str, host: str) -> None:
    headers = {"Origin": origin, "Host": host.format(address=untouched.address)}
    refused = untouched.ask("POST", "/v1/clock/advance", b'{"days": 8}', headers)
    assert refused.refusal == (403, "foreign_origin", None)
    assert untouched.get("/clock")["moved_ms"] == 0


@pytest.mark.parametrize("host", ["127.0.0.1:9464", "localhost:9464", "[::1]:9464", "10.0.0.7"])
def test_a_page_of_the_same_origin_may_make_changes(untouched: Asked, host: str) -> None:
    headers = {"Origin": f"http://{host}", "Host": host}
    assert untouched.ask("POST", "/v1/clock/advance", b'{"ms": 0}', headers).status == 200


# Invalid requests.


@pytest.mark.parametrize(
    "body",
    [
        b"days=8", b"[]", b"8", b"null", b'"days"', b"{", b'{"days": NaN}', b'{"days": Infinity}', b"\xff",
        b'{"days": -Infinity}', b'{"days": 1, "days": 2}', b"[" * 60_000, b'{"a":' * 10_000,
        b'{"ms": ' + b"9" * 5_000 + b"}", '{"days": 8}'.encode("utf-32"),
    ],
)  # fmt: skip
def test_a_body_that_is_not_a_json_object_is_refused(untouched: Asked, body: bytes) -> None:
    refused = untouched.ask("POST", "/v1/clock/advance", body)
    assert refused.refusal == (422, "invalid_body", None)
    assert untouched.get("/clock")["moved_ms"] == 0


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/clock/advance", {"days": "8"}, "days"),
        ("/clock/advance", {"days": True}, "days"),
        ("/clock/advance", {"days": None}, "days"),
        ("/clock/advance", {"days": [8]}, "days"),
        ("/clock/advance", {"days": 1e308}, "days"),
        ("/clock/advance", {"ms": 10**400}, "ms"),
        ("/clock/advance", {"ms": 2**53 + 1}, "ms"),
        ("/clock/advance", {"days": 2_932_897}, "days"),  # by more than the time from 1970 to 9999
        ("/clock/advance", {"days": -2_932_897}, "days"),
        ("/clock/advance", {"days": 8, "hours": 1}, "hours"),
        ("/clock/advance", {"days": 8, "cleanup": 1}, "cleanup"),
        ("/clock/advance", {"days": 8, "sessions": "yes"}, "sessions"),
        ("/clock/advance", {"days": 8, "logs": None}, "logs"),
        ("/clock/advance", {"to": "tomorrow"}, "to"),
        ("/clock/advance", {"to": None}, "to"),
        ("/clock/advance", {"to": "next_expiry", "days": 8}, "days"),
        ("/clock/advance", {"to": "next_expiry", "minus_ms": -1}, "minus_ms"),
        ("/clock/advance", {"to": "next_expiry", "minus_ms": 1.5}, "minus_ms"),
        ("/clock/advance", {"to": "next_expiry", "group": 7}, "group"),
        ("/clock/set", {"to": "yesterday"}, "to"),
        ("/clock/set", {"to": "2026-11-01T10:00:00"}, "to"),  # without a time zone
        ("/clock/set", {"to": "1969-12-31T23:59:59Z"}, "to"),
        ("/clock/set", {"to_ms": -1}, "to_ms"),
        ("/clock/set", {"to_ms": 1.5}, "to_ms"),
        ("/clock/set", {"to_ms": 10**18}, "to_ms"),
        ("/clock/set", {"to_ms": NOV_1, "to": "2026-11-01T10:00:00Z"}, "to"),
    ],
)
def test_a_wrong_field_is_named(untouched: Asked, path: str, body: dict[str, Any], field: str) -> None:
    assert untouched.post(path, **body).refusal == (422, "invalid_value", field)
    assert untouched.get("/clock")["moved_ms"] == 0


@pytest.mark.parametrize(
    ("body", "shown"),
    [({"days": "8"}, 'not "8"'), ({"days": True}, "not true"), ({"days": 8, "logs": None}, "not null")],
)
def test_the_error_shows_the_wrong_value_as_it_was_sent(
    untouched: Asked, body: dict[str, Any], shown: str
) -> None:
    assert untouched.post("/clock/advance", **body).why.endswith(shown)


def test_time_does_not_move_past_the_year_9999(untouched: Asked) -> None:
    far = untouched.post("/clock/advance", days=2_932_896)
    assert far.refusal == (409, "clock_refused", None)
    assert far.why.startswith("time ends at 9999-12-31T23:59:59.999Z: ")
    assert "the year 9999" in untouched.post("/clock/advance", days=4_000_000).why
    for to in ("9999-12-31T23:59:59-01:00", "+010000-01-01T00:00:00Z", "10000-01-01T00:00:00Z"):
        assert untouched.post("/clock/set", to=to).refusal == (422, "invalid_value", "to")
    assert untouched.post("/clock/set", to_ms=253_402_300_800_000).refusal == (422, "invalid_value", "to_ms")
    assert untouched.get("/clock")["moved_ms"] == 0


def test_time_does_not_move_to_an_expiry_after_the_year_9999() -> None:
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=1)
        partition = {"PartitionIndex": 0, "CommittedOffset": 5, "CommittedMetadata": ""}
        topics = [{"Name": "orders", "Partitions": [partition]}]
        commit = {"GroupId": "g", "RetentionTimeMs": 2**60, "Topics": topics}
        commit |= {"GenerationIdOrMemberEpoch": -1, "MemberId": ""}
        broker.run(broker.client().ask("OffsetCommit", 2, commit))
        far = broker.post("/clock/advance", to="next_expiry", group="g")
        assert far.refusal == (409, "clock_refused", None)
        assert far.why.startswith("time ends at 9999-12-31T23:59:59.999Z: ")


def test_the_error_shows_an_invalid_time_as_it_was_sent(untouched: Asked) -> None:
    assert untouched.post("/clock/set", to="1969-12-31T23:59:59Z").why.endswith("not 1969-12-31T23:59:59Z")


@pytest.mark.parametrize(("path", "field"), [("/clock/advance", "days"), ("/clock/set", "to_ms")])
def test_a_move_without_a_target_is_refused(untouched: Asked, path: str, field: str) -> None:
    assert untouched.post(path).refusal == (422, "missing_field", field)


@pytest.mark.parametrize("path", [path for method, path in CHANGES if method == "POST"])
def test_an_unknown_field_is_named(untouched: Asked, path: str) -> None:
    answer = untouched.post(path.replace("{id}", "1"), dayz=8)
    assert answer.refusal == (422, "unknown_field", "dayz")


def test_group_and_minus_ms_need_a_move_to_the_next_expiry(untouched: Asked) -> None:
    answer = untouched.post("/clock/advance", days=8, group="tool")
    assert answer.refusal == (422, "unknown_field", "group")


def test_an_empty_body_is_an_empty_object(untouched: Asked) -> None:
    assert untouched.ask("POST", "/v1/cleanup").status == 200
    assert untouched.ask("POST", "/v1/cleanup", b" \n").status == 200


def test_half_a_surrogate_pair_is_an_unknown_group(untouched: Asked) -> None:
    body = b'{"to": "next_expiry", "group": "\\ud800"}'
    assert untouched.ask("POST", "/v1/clock/advance", body).refusal == (404, "unknown_group", "group")


def test_a_body_that_is_too_large_is_not_read(untouched: Asked) -> None:
    body = json.dumps({"days": 8, "group": "g" * 65_536}).encode()
    assert untouched.ask("POST", "/v1/clock/advance", body).refusal == (413, "body_too_large", None)
    assert untouched.get("/clock").status == 200


def test_a_body_without_an_end_is_cut_off_too(untouched: Asked) -> None:
    host, port = untouched.address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=20) as endless:
        endless.sendall(b"POST /v1/cleanup HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(70):
            endless.sendall(b"400\r\n" + b" " * 1024 + b"\r\n")
        assert endless.recv(100).startswith(b"HTTP/1.1 413 ")
    assert untouched.get("/clock").status == 200
