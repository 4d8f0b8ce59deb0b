"""Lag, committed offsets and rebalances through the fixture."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer
from typing import Any, Final

import pytest

from tests.unit.broker.group_story import subscription
from tests.unit.testing.committing import ask, commit
from tidemark_protocol.subscriptions import write_assignment
from tidemark_testing import Refused, Tidemark


@pytest.fixture
def orders(tidemark: Tidemark) -> str:
    """Return a topic of two partitions with three records: two and one."""
    topic = tidemark.topic("orders", partitions=2)
    tidemark.produce(topic, *"abc")
    return topic


def join(
    tidemark: Tidemark, group: str, member_id: str = "", kind: str = "consumer", assignment: bytes = b""
) -> Any:
    """Join as a client that sends no heartbeats, and sync as its leader. kind: the protocol type."""
    ask(tidemark.bootstrap_servers, "FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": [group]})
    protocols = [{"Name": "range", "Metadata": subscription(["orders"]).hex()}]
    joined = ask(tidemark.bootstrap_servers, "JoinGroup", 3,
                 {"GroupId": group, "SessionTimeoutMs": 60_000, "RebalanceTimeoutMs": 60_000,
                  "MemberId": member_id, "ProtocolType": kind, "Protocols": protocols})  # fmt: skip
    assert joined.error_code == 0
    member = {"GroupId": group, "MemberId": joined.member_id, "GenerationId": joined.generation_id}
    assigned = [{"MemberId": joined.member_id, "Assignment": assignment.hex()}]
    ask(tidemark.bootstrap_servers, "SyncGroup", 2, {**member, "Assignments": assigned})
    return joined


class TestLag:
    def test_lag_is_the_end_of_the_log_minus_the_committed_offset(
        self, tidemark: Tidemark, orders: str
    ) -> None:
        commit(tidemark.bootstrap_servers, "billing", orders, 1, partition=0)
        found = tidemark.lags("billing")
        assert {where: (each.offset, each.log_end_offset, each.lag) for where, each in found.items()} == {
            (orders, 0): (1, 2, 1),
            (orders, 1): (None, 1, None),
        }
        commit(tidemark.bootstrap_servers, "billing", orders, 0, partition=1)
        assert tidemark.lag("billing") == 2

    def test_lag_is_not_known_without_a_committed_offset(self, tidemark: Tidemark, orders: str) -> None:
        commit(tidemark.bootstrap_servers, "billing", orders, 2, partition=0)
        message = "lag of group billing is not known: orders-1 has no committed offset: the log ends at 1"
        with pytest.raises(LookupError, match=message):
            tidemark.lag("billing")

    def test_lag_has_one_definition(self, tidemark: Tidemark, orders: str) -> None:
        """One partition is behind, one is ahead, one has no committed offset, one is empty."""
        mixed = tidemark.topic("mixed", 4)
        for partition, values in enumerate(("abcdefghi", "ab", "abc")):
            tidemark.produce(mixed, *values, partition=partition)
        commit(tidemark.bootstrap_servers, "billing", mixed, 2, partition=0)
        commit(tidemark.bootstrap_servers, "billing", mixed, 5, partition=1)
        api = tidemark.api("")
        full = api.get("/v1/lag", group="billing")
        assert [each["lag"] for each in full["partitions"]] == [7, -3, None, None]
        (line,) = api.get("/v1/groups/summary")["groups"]
        assert (full["lag"], full["without_offset"]) == (line["lag"], line["without_offset"]) == (7, 2)
        offsets = api.get("/v1/offsets", group="billing")["offsets"]
        assert [each["lag"] for each in offsets] == [7, -3]
        value = tidemark.metrics.value
        assert value("tidemark_group_lag", group="billing") == 7
        assert value("tidemark_group_partitions_without_offset", group="billing") == 2
        by_partition = [
            value("kafka_consumergroup_lag", consumergroup="billing", topic=mixed, partition=str(each))
            for each in range(4)
        ]
        assert by_partition == [7, -3, -1, -1]  # kafka_exporter's -1

    def test_a_topic_may_be_chosen(self, tidemark: Tidemark, orders: str) -> None:
        commit(tidemark.bootstrap_servers, "billing", tidemark.topic("returns"), 0)
        assert tidemark.lag("billing") == 0
        assert {each.lag for each in tidemark.lags("billing", orders).values()} == {None}

    def test_what_does_not_exist_has_no_lag(self, tidemark: Tidemark, orders: str) -> None:
        with pytest.raises(LookupError, match="there is no group 'bilding'"):
            tidemark.lag("bilding")
        commit(tidemark.bootstrap_servers, "billing", orders, 1)
        with pytest.raises(LookupError, match="there is no topic 'order'"):
            tidemark.lags("billing", "order")


class TestCaughtUp:
    def test_it_waits_for_the_commits(self, tidemark: Tidemark, orders: str) -> None:
        def finish() -> None:
            for partition, offset in enumerate((2, 1)):
                commit(tidemark.bootstrap_servers, "billing", orders, offset, partition)

        later = Timer(0.05, finish)
        later.start()
        tidemark.wait_until_caught_up("billing")
        later.join()
        assert tidemark.lag("billing") == 0

    def test_an_empty_partition_needs_no_offset(self, tidemark: Tidemark, orders: str) -> None:
        topic = tidemark.topic("returns", 2)
        tidemark.produce(topic, "one", partition=0)
        commit(tidemark.bootstrap_servers, "billing", topic, 1)
        tidemark.wait_until_caught_up("billing", timeout=0)
        tidemark.produce(topic, "two", partition=1)
        with pytest.raises(AssertionError, match="returns-1 has no committed offset: the log ends at 1"):
            tidemark.wait_until_caught_up("billing", timeout=0)

    def test_a_commit_beyond_the_end_hides_no_lag(self, tidemark: Tidemark, orders: str) -> None:
        for partition, offset in enumerate((1, 2)):
            commit(tidemark.bootstrap_servers, "billing", orders, offset, partition)
        with pytest.raises(AssertionError, match=r"its lag is 1 \(orders-0 lacks 1: committed 1"):
            tidemark.wait_until_caught_up("billing", timeout=0)

    def test_an_error_of_the_api_ends_the_wait_only_after_the_timeout(self) -> None:
        with Tidemark.start({"tidemark.http.token": "the-right-token-0123"}) as tidemark:
            tidemark.server.http_token = "wrong"
            with pytest.raises(AssertionError, match="billing has not caught up after 0 s: .*token"):
                tidemark.wait_until_caught_up("billing", timeout=0)

    def test_a_failure_shows_what_is_missing(self, tidemark: Tidemark, orders: str) -> None:
        with pytest.raises(AssertionError, match="has not caught up after 0 s: There is no group billing"):
            tidemark.wait_until_caught_up("billing", timeout=0)
        joined = join(tidemark, "billing")
        with pytest.raises(
            AssertionError, match="has committed nothing. Group billing is Stable with 1 member: "
        ):
            tidemark.wait_until_caught_up("billing", orders, timeout=0)
        commit_as(tidemark, "billing", joined, orders, 1)
        message = (
            r"its lag is 1 \(orders-0 lacks 1: committed 1, the log ends at 2, "
            r"orders-1 has no committed offset: the log ends at 1\)"
        )
        with pytest.raises(AssertionError, match=message):
            tidemark.wait_until_caught_up("billing", timeout=0)


def commit_as(tidemark: Tidemark, group: str, joined: Any, topic: str, offset: int) -> None:
    where = {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": "m"}
    message = {"GroupId": group, "MemberId": joined.member_id,
               "GenerationIdOrMemberEpoch": joined.generation_id,
               "Topics": [{"Name": topic, "Partitions": [where]}]}  # fmt: skip
    assert ask(tidemark.bootstrap_servers, "OffsetCommit", 8, message).topics[0].partitions[0].error_code == 0


class TestCommitted:
    def test_a_committed_offset_is_returned(self, tidemark: Tidemark, orders: str) -> None:
        commit(tidemark.bootstrap_servers, "billing", orders, 1, partition=1)
        assert tidemark.assert_committed("billing", orders, 1, partition=1).offset == 1
        assert tidemark.assert_committed("billing", orders, partition=1, metadata="").lag == 0

    def test_a_failure_shows_what_was_committed(self, tidemark: Tidemark, orders: str) -> None:
        with pytest.raises(AssertionError, match="no offset is committed. There is no group billing"):
            tidemark.assert_committed("billing", orders, 1)
        commit(tidemark.bootstrap_servers, "billing", orders, 1)
        with pytest.raises(
            AssertionError, match="orders-0 of group billing: it has committed 1, not 2. The commit"
        ):
            tidemark.assert_committed("billing", orders, 2)
        with pytest.raises(AssertionError, match="orders-1 of group billing: no offset is committed"):
            tidemark.assert_committed("billing", orders, partition=1)
        with pytest.raises(AssertionError, match="it has committed the metadata '', not 'done'"):
            tidemark.assert_committed("billing", orders, metadata="done")

    def test_it_waits_on_request(self, tidemark: Tidemark, orders: str) -> None:
        later = Timer(0.05, lambda: commit(tidemark.bootstrap_servers, "billing", orders, 1))
        later.start()
        tidemark.assert_committed("billing", orders, 1, timeout=10)
        later.join()


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda it: it.lag("a\nb"), r'^the lag of group "a\\nb" is not known: orders-1 has no'),
        (
            lambda it: it.wait_until_caught_up("a\nb", timeout=0),
            r'^group "a\\nb" has not caught up after 0 s: ',
        ),
        (
            lambda it: it.assert_rebalanced("a\nb", timeout=0),
            r'^group "a\\nb" has not rebalanced after 0 s: ',
        ),
        (lambda it: it.records("a\nb", count=1, timeout=0), r'^topic "a\\nb": INVALID_TOPIC_EXCEPTION: '),
    ],
    ids=["lag", "wait_until_caught_up", "assert_rebalanced", "records"],
)
def test_a_name_with_a_newline_is_escaped(
    tidemark: Tidemark, orders: str, use: Callable[[Tidemark], object], message: str
) -> None:
    commit(tidemark.bootstrap_servers, "a\nb", orders, 1)
    with pytest.raises((AssertionError, LookupError, Refused), match=message) as failed:
        use(tidemark)
    assert "\n" not in str(failed.value)


class TestRebalanced:
    def test_generations_are_counted(self, tidemark: Tidemark) -> None:
        first = join(tidemark, "billing")
        before = tidemark.assert_rebalanced("billing")
        assert before == first.generation_id
        with pytest.raises(
            AssertionError, match="its generation is 1, not above 1. Group billing is Stable with 1"
        ):
            tidemark.assert_rebalanced("billing", since=before, timeout=0)
        ask(tidemark.bootstrap_servers, "LeaveGroup", 2, {"GroupId": "billing", "MemberId": first.member_id})
        assert tidemark.assert_rebalanced("billing", since=before) == before + 1

    def test_a_group_that_does_not_exist_has_not_rebalanced(self, tidemark: Tidemark) -> None:
        with pytest.raises(AssertionError, match="has not rebalanced after 0 s: There is no group billing"):
            tidemark.assert_rebalanced("billing", timeout=0)


class TestAssigned:
    ASSIGNMENT: Final = write_assignment([("orders", [1, 0])], 3)

    def test_members_of_a_classic_group_have_what_their_leader_assigned(
        self, tidemark: Tidemark, orders: str
    ) -> None:
        joined = join(tidemark, "billing", assignment=self.ASSIGNMENT)
        (member,) = tidemark.groups["billing"].members
        assert (member.member_id, member.assigned) == (joined.member_id, {orders: [0, 1]})
        assert (member.subscription, member.protocol, member.target) == (["orders"], None, None)

    @pytest.mark.parametrize(
        ("kind", "assignment"), [("connect", ASSIGNMENT), ("consumer", b"\0"), ("consumer", b"")]
    )
    def test_other_protocol_types_and_unknown_bytes_have_none(
        self, tidemark: Tidemark, orders: str, kind: str, assignment: bytes
    ) -> None:
        join(tidemark, "workers", kind=kind, assignment=assignment)
        assert [each.assigned for each in tidemark.groups["workers"].members] == [None]


class TestExpel:
    @pytest.fixture
    def expelled(self, tidemark: Tidemark, orders: str) -> Tidemark:
        join(tidemark, "billing")
        return tidemark

    def test_a_member_is_removed_by_its_client_id(self, expelled: Tidemark) -> None:
        client_id = expelled.groups["billing"].members[0].client_id
        assert expelled.expel("billing", client_id).client_id == client_id
        assert expelled.groups["billing"].members == []

    def test_an_unknown_name_is_an_error_with_similar_names(self, expelled: Tidemark) -> None:
        with pytest.raises(LookupError, match=r"There is no group biling; did you mean billing\?"):
            expelled.expel("biling", "raw")
        (member,) = expelled.groups["billing"].members
        with pytest.raises(LookupError, match="has no member .*; did you mean"):
            expelled.expel("billing", (member.client_id or "")[:-1])
        expelled.expel("billing", member.member_id)
        with pytest.raises(LookupError, match="group 'billing' has no member 'raw': it has no members"):
            expelled.expel("billing", "raw")
