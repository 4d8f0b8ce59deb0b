"""The journal of requests through the fixture: what it cannot know is an error, not an empty list."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit.testing.committing import ask, commit
from tidemark.seeding import FIXTURE_CLIENT_ID, HTTP_CLIENT_ID
from tidemark_testing import ApiError, NotRecorded, RequestedTopic, Tidemark, TidemarkFactory

KEPT = 20


@pytest.fixture
def small(tidemark_factory: TidemarkFactory) -> Tidemark:
    """Return a broker whose journal keeps few requests."""
    return tidemark_factory({"tidemark.requests.max": KEPT})


def send(tidemark: Tidemark, requests: int) -> None:
    for _ in range(requests // 2):  # each connection sends an ApiVersions first
        ask(tidemark.bootstrap_servers, "ListGroups", 4, {})


class TestEvicted:
    def test_absence_is_not_asserted_over_evicted_requests(self, small: Tidemark) -> None:
        small.topic("orders")
        commit(small.bootstrap_servers, "billing", "orders", 1)
        assert len(small.requests(api="OffsetCommit")) == 1
        send(small, 2 * KEPT)
        commits = small.requests(api="OffsetCommit")
        for use in (len, bool, list, lambda found: found[0], lambda found: found[:1]):
            with pytest.raises(NotRecorded, match=r"requests\(api='OffsetCommit'\): \d+ earlier requests"):
                use(commits)
        assert "evicted" in repr(commits)

    def test_last_requests_are_known(self, small: Tidemark) -> None:
        send(small, 2 * KEPT)
        listed = small.requests(api="ListGroups")
        assert listed
        assert listed[-1].api == "ListGroups"
        assert listed.wait_for(5) is listed
        with pytest.raises(NotRecorded):
            len(listed)

    def test_requests_after_a_number_are_complete_if_those_are_kept(self, small: Tidemark) -> None:
        send(small, 2 * KEPT)
        last = small.requests()[-1].number
        assert not small.requests(after=last)
        send(small, 4)
        assert len(small.requests(after=last)) == 4
        send(small, 2 * KEPT)
        with pytest.raises(NotRecorded):
            len(small.requests(after=last))

    def test_wait_names_evicted_requests(self, small: Tidemark) -> None:
        send(small, 2 * KEPT)
        with pytest.raises(AssertionError, match="0 instead of 1 within 0 s; .* were evicted"):
            small.requests(api="Produce").wait_for(1, timeout=0)

    def test_restore_evicts_nothing(self, small: Tidemark) -> None:
        clean = small.snapshot()
        send(small, 2 * KEPT)
        small.restore(clean)
        assert not small.requests()

    def test_http_counts_evicted_requests_above_a_number(self, small: Tidemark) -> None:
        send(small, 2 * KEPT)
        count = small.api("").get("/v1/requests")["count"]
        assert count == 2 * KEPT
        evicted = {
            after: small.api("").get("/v1/requests", after=after)["evicted"] for after in (0, 5, KEPT, count)
        }
        assert evicted == {0: KEPT, 5: KEPT - 5, KEPT: 0, count: 0}


def test_a_journal_that_is_off_is_an_error(tidemark_factory: TidemarkFactory) -> None:
    with pytest.raises(NotRecorded, match=r"tidemark\.requests\.max must be positive"):
        len(tidemark_factory({"tidemark.requests.max": 0}).requests())


def test_a_number_of_an_earlier_start_is_an_error(tidemark: Tidemark) -> None:
    send(tidemark, 10)
    last = tidemark.requests()[-1].number
    tidemark.kill()
    tidemark.restart()
    with pytest.raises(NotRecorded, match=f"after={last} is the number of no request"):
        len(tidemark.requests(after=last))


@pytest.mark.parametrize(
    ("name", "value", "wanted", "similar"),
    [
        ("api", "OffsetComit", "the name of an API of Kafka", "; did you mean 'OffsetCommit'?"),
        ("error", "NOT_CORDINATOR", "the name of an error of Kafka", "; did you mean 'NOT_COORDINATOR'?"),
        ("error", "NONE", "the name of an error of Kafka", ""),
        ("outcome", "drop", "pending or .* or closed", "; did you mean 'dropped'?"),
    ],
)
def test_a_name_that_does_not_exist_is_an_error_at_once(
    tidemark: Tidemark, name: str, value: str, wanted: str, similar: str
) -> None:
    filters: dict[str, Any] = {name: value}
    end = re.escape(similar)
    with pytest.raises(ValueError, match=rf"requests\(\): {name} must be {wanted}, got '{value}'{end}"):
        tidemark.requests(**filters)
    with pytest.raises(ApiError, match=f"{name} must be {wanted}, not {value}{end}") as refused:
        tidemark.api("").get("/v1/requests", **filters)
    assert (refused.value.status, refused.value.field) == (422, name)


def test_a_group_that_does_not_exist_may_come_later(tidemark: Tidemark) -> None:
    assert not tidemark.requests(group="later", topic="later", client_id="later")


def test_topics_of_a_request_are_objects(tidemark: Tidemark) -> None:
    tidemark.topic("orders")
    commit(tidemark.bootstrap_servers, "billing", "orders", 1)
    (found,) = tidemark.requests(api="OffsetCommit")
    assert found.topics == [RequestedTopic("orders", 0)]


class TestOwn:
    def test_own_requests_are_listed_only_on_request(self, small: Tidemark) -> None:
        small.topic("orders")
        small.produce("orders", *"abc")
        for _ in range(KEPT):
            small.records("orders")
        api = small.api("")
        api.post("/v1/records", {"topic": "orders", "records": ["d"]})
        assert not small.requests()
        apis = {
            client_id: {each["api"] for each in api.get("/v1/requests", client_id=client_id)["requests"]}
            for client_id in (FIXTURE_CLIENT_ID, HTTP_CLIENT_ID)
        }
        assert "Fetch" in apis[FIXTURE_CLIENT_ID]
        assert "Produce" in apis[HTTP_CLIENT_ID]

    def test_own_client_id_is_not_that_of_the_settings(self, tidemark_factory: TidemarkFactory) -> None:
        named = tidemark_factory(client_settings={"client.id": "shop"})
        named.topic("orders")
        assert not named.requests()
