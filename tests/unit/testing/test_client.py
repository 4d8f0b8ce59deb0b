"""The object behind the fixtures, tested through the fixtures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.unit.testing.committing import ask, commit, topics
from tidemark_testing import Tidemark, TopicPartition, TopicRefused
from tidemark_tools.http_api import ApiError

DAY_MS = 86_400_000
KEPT_AFTER_EMPTY_MS = 7 * DAY_MS  # Kafka's offsets.retention.minutes=10080


@pytest.fixture
def readers(tidemark: Tidemark) -> str:
    """Return a group that has committed orders-0 and orders-1."""
    topic = tidemark.topic("orders", partitions=2)
    for partition in (0, 1):
        commit(tidemark.bootstrap_servers, "readers", topic, 5 + partition, partition)
    return "readers"


class TestTopics:
    def test_a_topic_has_the_requested_partitions_and_settings(self, tidemark: Tidemark) -> None:
        name = tidemark.topic("orders", 3, {"retention.ms": 1000, "preallocate": False})
        found = ask(tidemark.bootstrap_servers, "Metadata", 9, {"Topics": [{"Name": name}]}).topics[0]
        assert (found.error_code, len(found.partitions)) == (0, 3)
        resource = {
            "ResourceType": 2,
            "ResourceName": name,
            "ConfigurationKeys": ["retention.ms", "preallocate"],
        }
        described = ask(tidemark.bootstrap_servers, "DescribeConfigs", 4, {"Resources": [resource]}).results[
            0
        ]
        assert {each.name: each.value for each in described.configs} == {
            "retention.ms": "1000",
            "preallocate": "false",
        }

    def test_a_topic_without_a_name_gets_an_unused_one(self, tidemark: Tidemark) -> None:
        assert len({tidemark.topic(), tidemark.topic(), tidemark.topic("mine")}) == 3
        assert len(topics(tidemark.bootstrap_servers)) == 3

    def test_a_refused_topic_is_an_error_with_the_reason(self, tidemark: Tidemark) -> None:
        tidemark.topic("orders")
        with pytest.raises(TopicRefused, match="TOPIC_ALREADY_EXISTS"):
            tidemark.topic("orders")
        with pytest.raises(TopicRefused, match=r"Unknown topic config name: retention\.msec"):
            tidemark.topic("other", configs={"retention.msec": 1})


def test_transactions_have_states_and_explanations(tidemark: Tidemark) -> None:
    assert tidemark.transactions() == []
    address = tidemark.bootstrap_servers
    ask(address, "FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": ["shop"]})
    begun = ask(address, "InitProducerId", 4, {"TransactionalId": "shop", "TransactionTimeoutMs": 60_000,
                                               "ProducerId": -1, "ProducerEpoch": -1})  # fmt: skip
    (found,) = tidemark.transactions()
    assert (found.transactional_id, found.state, found.producer_id) == ("shop", "Empty", begun.producer_id)
    assert str(found).startswith("Transactional id shop has no open transaction")


def test_a_move_lists_the_transactions_that_it_lets_time_out(tidemark: Tidemark) -> None:
    address = tidemark.bootstrap_servers
    tidemark.topic("orders")
    ask(address, "FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": ["shop"]})
    begun = ask(address, "InitProducerId", 4, {"TransactionalId": "shop", "TransactionTimeoutMs": 60_000,
                                               "ProducerId": -1, "ProducerEpoch": -1})  # fmt: skip
    added = {"V3AndBelowTransactionalId": "shop", "V3AndBelowProducerId": begun.producer_id,
             "V3AndBelowProducerEpoch": 0,
             "V3AndBelowTopics": [{"Name": "orders", "Partitions": [0]}]}  # fmt: skip
    ask(address, "AddPartitionsToTxn", 3, added)
    assert tidemark.clock.advance(minutes=2).transactions == []
    (aborted,) = tidemark.clock.advance(minutes=2, sessions=True).transactions
    assert (aborted.transactional_id, aborted.producer_epoch) == ("shop", 1)
    assert aborted.partitions == [TopicPartition("orders", 0)]


class TestClean:
    """Two tests, each of which would fail after the other without a reset."""

    @pytest.mark.parametrize("_", [1, 2])
    def test_state_of_another_test_is_removed(self, tidemark: Tidemark, _: int) -> None:
        assert topics(tidemark.bootstrap_servers) == []
        assert tidemark.groups == {}
        assert tidemark.removals() == []
        assert tidemark.metrics.value("tidemark_offset_commits_total") == 0
        assert abs(tidemark.clock.now - datetime.now(UTC)) < timedelta(seconds=5)
        commit(tidemark.bootstrap_servers, "readers", tidemark.topic("orders"), 5)
        tidemark.clock.advance(days=30)
        assert tidemark.metrics.value("tidemark_offset_commits_total") == 1


class TestClock:
    def test_units_add_up(self, tidemark: Tidemark) -> None:
        tidemark.clock.freeze()
        before_ms = tidemark.clock.now_ms
        moved = tidemark.clock.advance(days=1, hours=2, minutes=3, seconds=4.5, ms=6)
        assert moved.moved_ms == DAY_MS + 2 * 3_600_000 + 3 * 60_000 + 4_506
        assert tidemark.clock.now_ms == moved.now_ms == before_ms + moved.moved_ms

    @pytest.mark.parametrize(
        ("span", "moved_ms"),
        [
            (timedelta(days=1, milliseconds=5), DAY_MS + 5),
            (timedelta(0), 0),
            (timedelta(microseconds=1_600), 2),
        ],
        ids=str,
    )
    def test_advance_accepts_a_timedelta(self, tidemark: Tidemark, span: timedelta, moved_ms: int) -> None:
        assert tidemark.clock.advance(span).moved_ms == moved_ms

    def test_a_timedelta_and_units_add_up(self, tidemark: Tidemark) -> None:
        assert tidemark.clock.advance(timedelta(days=8), ms=-1).moved_ms == 8 * DAY_MS - 1

    @pytest.mark.parametrize(
        ("arguments", "units", "error", "message"),
        [
            ((), {}, TypeError, "needs a span"),
            ((), {"sessions": True}, TypeError, "needs a span"),
            ((8,), {}, TypeError, r"advance\(8\) has no unit"),
            ((), {"days": -1}, ValueError, "cannot go back by 1 day, 0:00:00"),
            ((timedelta(seconds=-1),), {}, ValueError, "cannot go back by 0:00:01"),
            ((), {"days": 1, "hours": -25}, ValueError, "cannot go back by 1:00:00"),
            ((), {"seconds": 0.0001}, ValueError, "at least one millisecond"),
        ],
    )
    def test_a_span_that_does_not_move_time_forward_is_refused(
        self,
        tidemark: Tidemark,
        arguments: tuple[Any, ...],
        units: dict[str, Any],
        error: type[Exception],
        message: str,
    ) -> None:
        tidemark.clock.freeze()
        before_ms = tidemark.clock.now_ms
        with pytest.raises(error, match=message):
            tidemark.clock.advance(*arguments, **units)
        assert tidemark.clock.now_ms == before_ms

    def test_a_frozen_clock_stops_until_resume(self, tidemark: Tidemark) -> None:
        tidemark.clock.freeze()
        first = tidemark.clock.now
        assert tidemark.clock.now == first
        tidemark.clock.resume()
        while tidemark.clock.now == first:
            pass
        assert tidemark.clock.now > first

    @pytest.mark.parametrize(
        "to",
        [
            datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC),
            "2031-02-03T04:05:06Z",
            int(datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC).timestamp() * 1000),
        ],
        ids=["datetime", "text", "ms"],
    )
    def test_set(self, tidemark: Tidemark, to: datetime | str | int) -> None:
        tidemark.clock.freeze()
        tidemark.clock.set(to)
        assert tidemark.clock.now == datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)

    def test_to_expiry_moves_to_the_end_of_the_retention(self, tidemark: Tidemark, readers: str) -> None:
        tidemark.clock.freeze()
        due_ms = min(each.due_ms or 0 for each in tidemark.offsets(readers).values())
        moved = tidemark.clock.to_expiry(readers, minus_ms=1)
        assert (moved.now_ms, moved.offsets) == (due_ms - 1, [])
        moved = tidemark.clock.to_expiry(readers)
        assert moved.now_ms == due_ms
        assert {each.offset for each in moved.offsets} <= {5, 6} and moved.offsets

    def test_an_impossible_move_is_refused_with_the_brokers_message(
        self, tidemark: Tidemark, readers: str
    ) -> None:
        with pytest.raises(ApiError, match="before stored data"):
            tidemark.clock.set("2001-01-01T00:00:00Z")
        for too_far in (2_932_896, 4_000_000):
            with pytest.raises(ApiError, match="time ends (at 9999-12-31|with the year 9999)"):
                tidemark.clock.advance(days=too_far)
        with pytest.raises(ApiError, match="a time from 1970 to 9999|253402300799999"):
            tidemark.clock.set(253_402_300_800_000)
        with pytest.raises(ApiError, match="there is no group 'nobody'"):
            tidemark.clock.to_expiry("nobody")


class TestAssertions:
    def test_expired_offsets_pass_assert_expired_and_fail_assert_kept(
        self, tidemark: Tidemark, readers: str
    ) -> None:
        moved = tidemark.clock.advance(days=8)
        gone = tidemark.assert_expired(readers)
        assert {(each.topic, each.partition, each.offset) for each in gone} == {
            ("orders", 0, 5),
            ("orders", 1, 6),
        }
        assert moved.groups == [readers]
        assert tidemark.assert_expired(readers, "orders", 1)[0].offset == 6
        with pytest.raises(
            AssertionError, match="was not kept. Offset [56] of orders-[01] of group readers was removed"
        ):
            tidemark.assert_kept(readers)

    def test_existing_offsets_pass_assert_kept_and_fail_assert_expired(
        self, tidemark: Tidemark, readers: str
    ) -> None:
        tidemark.clock.advance(days=6)
        assert {each.offset for each in tidemark.assert_kept(readers)} == {5, 6}
        assert [each.offset for each in tidemark.assert_kept(readers, "orders", 0)] == [5]
        with pytest.raises(AssertionError, match="orders-0 of group readers has not expired"):
            tidemark.assert_expired(readers, "orders", 0)

    def test_a_due_offset_before_the_pass_has_not_expired(self, tidemark: Tidemark, readers: str) -> None:
        tidemark.clock.advance(days=8, cleanup=False)
        with pytest.raises(AssertionError, match=r"expire_offsets\(\) runs one"):
            tidemark.assert_expired(readers)
        removed = tidemark.expire_offsets()
        assert len(removed.offsets) == 2
        tidemark.assert_expired(readers)

    def test_a_deleted_offset_has_not_expired_and_was_not_kept(
        self, tidemark: Tidemark, readers: str
    ) -> None:
        ask(tidemark.bootstrap_servers, "DeleteGroups", 1, {"GroupsNames": [readers]})
        with pytest.raises(AssertionError, match="but did not expire. .*DeleteGroups"):
            tidemark.assert_expired(readers)
        with pytest.raises(AssertionError, match="was not kept. .*DeleteGroups"):
            tidemark.assert_kept(readers)

    @pytest.mark.parametrize("asked", [("nobody",), ("readers", "payments"), ("readers", "orders", 7)])
    def test_an_offset_that_never_existed_fails_both_assertions(
        self, tidemark: Tidemark, readers: str, asked: tuple[str, str, int]
    ) -> None:
        with pytest.raises(AssertionError, match="nothing was ever committed"):
            tidemark.assert_expired(*asked)
        with pytest.raises(AssertionError, match="nothing was ever committed"):
            tidemark.assert_kept(*asked)

    def test_an_offset_that_was_committed_again_is_kept(self, tidemark: Tidemark, readers: str) -> None:
        tidemark.clock.advance(days=8)
        commit(tidemark.bootstrap_servers, readers, "orders", 9)
        assert [each.offset for each in tidemark.assert_kept(readers, "orders", 0)] == [9]
        with pytest.raises(AssertionError, match="has not expired"):
            tidemark.assert_expired(readers)
        with pytest.raises(AssertionError, match="was not kept. Offset 6 of orders-1"):
            tidemark.assert_kept(readers)


class TestWhy:
    def test_an_offset_has_its_rule_and_due_time(self, tidemark: Tidemark, readers: str) -> None:
        offset = tidemark.explain(readers, "orders", 1)
        assert offset.since_ms is not None
        assert offset.due_ms == offset.since_ms + KEPT_AFTER_EMPTY_MS
        assert offset.offset == 6
        assert "readers" in str(offset)

    def test_a_removed_offset_has_its_reason(self, tidemark: Tidemark, readers: str) -> None:
        tidemark.clock.advance(days=8)
        assert "was removed at" in str(tidemark.explain(readers, "orders"))

    def test_explaining_an_offset_that_never_existed_is_an_error(
        self, tidemark: Tidemark, readers: str
    ) -> None:
        for asked in ((readers, "payments"), ("nobody", "orders")):
            with pytest.raises(LookupError, match="nothing was ever committed for it"):
                tidemark.explain(*asked)

    def test_groups_and_offsets(self, tidemark: Tidemark, readers: str) -> None:
        group = tidemark.groups[readers]
        assert (group.state, group.offsets, group.members) == ("Empty", 2, [])
        assert {where: each.offset for where, each in tidemark.offsets(readers).items()} == {
            ("orders", 0): 5,
            ("orders", 1): 6,
        }
        assert tidemark.offsets("nobody") == {}

    def test_names_that_are_invalid_as_file_names_work(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders")
        for group in ("a/b?c&d=e#f", "gruppe ü 漢", "../..", "+ %20"):
            commit(tidemark.bootstrap_servers, group, topic, 1)
            assert tidemark.offsets(group)[topic, 0].offset == 1
            assert tidemark.groups[group].offsets == 1

    def test_more_offsets_than_a_page_are_returned(self, tidemark: Tidemark) -> None:
        topic = tidemark.topic("orders", partitions=1)
        for number in range(30):
            commit(tidemark.bootstrap_servers, f"group-{number:02}", topic, number)
        found = tidemark.api("groups").pages("/v1/groups", "groups", limit=7)
        assert [each["group"] for each in found] == [f"group-{number:02}" for number in range(30)]

    def test_the_story_includes_moves_of_time(self, tidemark: Tidemark, readers: str) -> None:
        tidemark.clock.advance(days=3)
        result = tidemark.story()
        assert "time moved by 3 d" in result
        assert "orders-1 committed at offset 6" in result


class TestSnapshots:
    def test_restore_returns_to_a_snapshot(self, tidemark: Tidemark, readers: str) -> None:
        before = tidemark.snapshot()
        for _ in range(2):
            tidemark.clock.advance(days=8)
            tidemark.assert_expired(readers)
            tidemark.restore(before)
            tidemark.assert_kept(readers)
            assert abs(tidemark.clock.now - datetime.now(UTC)) < timedelta(seconds=5)
        tidemark.restore()
        assert topics(tidemark.bootstrap_servers) == []

    def test_a_snapshot_of_another_test_is_deleted(self, tidemark: Tidemark) -> None:
        taken = tidemark.snapshot()
        tidemark.forget()
        with pytest.raises(ApiError, match="snapshot"):
            tidemark.restore(taken)

    def test_kept_state_lasts_until_the_end_of_its_block(self, tidemark: Tidemark) -> None:
        tidemark.topic("catalogue")
        with tidemark.kept():
            tidemark.topic("orders")
            tidemark.restore()
            assert topics(tidemark.bootstrap_servers) == ["catalogue"]
        assert topics(tidemark.bootstrap_servers) == []


class TestMetrics:
    def test_samples_are_summed_over_labels_that_are_left_out(self, tidemark: Tidemark, readers: str) -> None:
        metrics = tidemark.metrics
        assert metrics.value("tidemark_offset_commits_total") == 2
        both = [metrics.value("kafka_consumergroup_current_offset", partition=str(p)) for p in (0, 1)]
        assert both == [5, 6]
        assert metrics.value("kafka_consumergroup_current_offset", consumergroup=readers) == 11

    def test_a_metric_without_a_sample_is_zero(self, tidemark: Tidemark) -> None:
        assert tidemark.metrics.value("tidemark_requests_total", api="Fetch") == 0
        assert tidemark.metrics.value("tidemark_offset_expirations_total", reason="group_empty") == 0
        assert tidemark.metrics.value("tidemark_group_members") == 0
        assert tidemark.metrics.value("tidemark_flush_records_count") >= 0

    @pytest.mark.parametrize(
        ("name", "labels", "message"),
        [
            ("tidemark_ofset_commits_total", {}, "did you mean 'tidemark_offset_commits_total'"),
            ("no_such_metric", {}, "no metric 'no_such_metric'$"),
            ("tidemark_requests_total", {"apis": "Fetch"}, "no label 'apis' .* did you mean 'api'"),
            ("tidemark_topics", {"topic": "orders"}, r"no label 'topic' \(its labels: none\)"),
            ("tidemark_offset_expirations_total", {"reason": "group_emtpy"}, "did you mean 'group_empty'"),
            ("tidemark_group_members", {"group": "raeders"}, "did you mean 'readers'"),
            (
                "kafka_consumergroup_current_offset",
                {"consumergroup": "readers", "partition": "2"},
                "no series with partition='2'",
            ),
        ],
    )
    def test_an_unknown_name_is_an_error_and_not_zero(
        self, tidemark: Tidemark, readers: str, name: str, labels: dict[str, str], message: str
    ) -> None:
        with pytest.raises(LookupError, match=message):
            tidemark.metrics.value(name, **labels)

    def test_a_combination_of_labels_without_a_series_is_an_error(
        self, tidemark: Tidemark, readers: str
    ) -> None:
        commit(tidemark.bootstrap_servers, "others", tidemark.topic("returns"), 1)
        with pytest.raises(LookupError, match="no series with all of"):
            tidemark.metrics.value(
                "kafka_consumergroup_current_offset", consumergroup="others", topic="orders"
            )
