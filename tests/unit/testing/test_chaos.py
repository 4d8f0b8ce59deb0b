"""Chaos with a seed: what a schedule has, what it applies, and what the judge finds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.unit.testing.committing import ask, commit
from tests.unit.testing.test_group_assertions import join
from tidemark_protocol.errors import ErrorCode
from tidemark_testing import CHAOS_EVENTS, AsyncTidemark, Chaos, NotRecorded, Tidemark, TidemarkFactory
from tidemark_testing.audit import Commit, Delivery, Facts, Recording, judge
from tidemark_testing.chaos import APIS, SPANS, Step, schedule
from tidemark_tools.client.errors import ClientError

WHERE = ("orders", 0)


@pytest.fixture
def orders(tidemark: Tidemark) -> str:
    """Return a topic with five records, the last of which has 2,000 bytes."""
    tidemark.topic("orders")
    tidemark.produce("orders", *"abcd", "e" * 2_000)
    find_coordinator(tidemark)
    return "orders"


def find_coordinator(tidemark: Tidemark) -> None:
    request = {"KeyType": 0, "CoordinatorKeys": ["billing"]}
    ask(tidemark.bootstrap_servers, "FindCoordinator", 4, request)


def with_steps(chaos: Chaos, *steps: Step) -> Chaos:
    chaos.steps = list(steps)
    return chaos


def try_to_commit(tidemark: Tidemark, offset: int, member: Any = None) -> int | None:
    """Send one OffsetCommit. Return its error code, None if there was no response."""
    where = {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": ""}
    message: dict[str, Any] = {"GroupId": "billing", "Topics": [{"Name": "orders", "Partitions": [where]}]}
    if member is not None:
        message |= {"GenerationIdOrMemberEpoch": member.generation_id, "MemberId": member.member_id}
    try:
        response = ask(tidemark.bootstrap_servers, "OffsetCommit", 7, message)
    except ClientError:
        return None
    code: int = response.topics[0].partitions[0].error_code
    return code


def fetch(tidemark: Tidemark, offset: int, version: int = 12) -> None:
    partition = {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 1_000_000}
    topics = [{"Topic": "orders", "Partitions": [partition]}]
    request = {"MaxWaitMs": 0, "MinBytes": 0, "MaxBytes": 1_000_000, "SessionEpoch": -1, "Topics": topics}
    ask(tidemark.bootstrap_servers, "Fetch", version, request)


class TestSchedule:
    @pytest.mark.parametrize("seed", [0, 1, 48_213, 2**53])
    def test_a_seed_draws_the_same_steps_in_any_order_of_events(self, tidemark: Tidemark, seed: int) -> None:
        drawn = [
            list(map(str, tidemark.chaos("billing", "orders", seed=seed, steps=20, events=events).steps))
            for events in (CHAOS_EVENTS, tuple(reversed(CHAOS_EVENTS)), set(CHAOS_EVENTS))
        ]
        assert drawn[0] == drawn[1] == drawn[2]
        assert len(drawn[0]) == 20

    def test_seeds_draw_different_steps(self) -> None:
        assert len({tuple(map(str, schedule(seed, ["orders"]))) for seed in range(50)}) == 50

    @pytest.mark.parametrize("protocol", ["classic", "consumer"])
    def test_steps_are_at_different_requests_of_the_protocol(self, protocol: Any) -> None:
        for seed in range(50):
            steps = schedule(seed, ["orders", "returns"], steps=20, protocol=protocol, outputs=["bills"])
            assert len({(step.api, step.topic, step.nth) for step in steps}) == len(steps)
            for step in steps:
                assert 1 <= step.nth <= SPANS[step.api]
                assert step.api in {*APIS[protocol], "Produce"}
                topics = {"Fetch": ("orders", "returns"), "Produce": ("bills",)}
                assert step.topic in topics.get(step.api, (None,))

    def test_every_event_is_drawn(self) -> None:
        steps = [step for seed in range(30) for step in schedule(seed, ["orders"], events=CHAOS_EVENTS)]
        assert {step.event for step in steps} == set(CHAOS_EVENTS)
        expelled = [step for step in steps if step.event == "expel"]
        assert {step.loses_response for step in expelled} == {True, False}
        assert all(step.api == "OffsetCommit" for step in expelled if step.loses_response)

    def test_by_default_nothing_affects_other_groups(self, tidemark: Tidemark) -> None:
        for seed in range(30):
            steps = tidemark.chaos("billing", "orders", seed=seed).steps
            assert not {step.event for step in steps} & {"kill", "sessions"}

    def test_a_test_without_a_seed_draws_one_and_counts_on(self, tidemark: Tidemark) -> None:
        first, second = (tidemark.chaos("billing", "orders") for _ in range(2))
        assert second.seed == first.seed + 1
        assert f"repeat it with --tidemark-chaos-seed {first.seed}" in second.report()
        assert "repeat it with seed=5" in tidemark.chaos("billing", "orders", seed=5).report()

    @pytest.mark.parametrize(
        ("chosen", "message"),
        [
            ({"seed": -1}, "seed must be a whole number from 0 to 9007199254740992, got -1"),
            ({"seed": "7"}, "seed must be a whole number from 0 to 9007199254740992, got '7'"),
            ({"steps": 101}, "steps must be a whole number from 0 to 100, got 101"),
            ({"events": ["expell"]}, "events: unknown value 'expell'; did you mean 'expel'?"),
            ({"events": ["x"]}, "events: unknown value 'x': valid are error, delay, close"),
            ({"protocol": "clasic"}, "protocol: unknown value 'clasic'; did you mean 'classic'?"),
            ({"protocol": "consumer", "events": ["rebalance"]}, '"rebalance" needs Heartbeat'),
            ({"topics": []}, "topics must be the name of a topic, or a list of names"),
            ({"outputs": [5]}, "outputs must be the name of a topic, or a list of names"),
        ],
    )
    def test_an_invalid_argument_is_named(
        self, tidemark: Tidemark, chosen: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ValueError) as raised:
            tidemark.chaos("billing", **{"topics": "orders", **chosen})
        assert message in str(raised.value)

    def test_an_unknown_topic_is_an_error_with_similar_names(self, tidemark: Tidemark, orders: str) -> None:
        with (
            pytest.raises(LookupError, match=r"There is no topic ordrs; did you mean orders\?"),
            tidemark.chaos("billing", "ordrs"),
        ):
            pass


class TestSteps:
    def test_a_step_happens_at_its_request_and_ends_with_the_block(
        self, tidemark: Tidemark, orders: str
    ) -> None:
        chaos = with_steps(
            tidemark.chaos("billing", orders, seed=1),
            Step("error", "OffsetCommit", 2, fields={"error": "NOT_COORDINATOR"}),
            Step("error", "OffsetCommit", 4, fields={"error": "COORDINATOR_LOAD_IN_PROGRESS"}),
            Step("delay", "Heartbeat", 1, fields={"delay_ms": 5}),
        )
        with chaos:
            codes = [try_to_commit(tidemark, offset) for offset in range(5)]
        assert codes == [0, ErrorCode.NOT_COORDINATOR, 0, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, 0]
        assert not tidemark.faults
        assert "2 of 3 steps were applied" in chaos.report()
        assert "OffsetCommit 2: error (error='NOT_COORDINATOR'): at 0." in chaos.report()
        assert "Heartbeat 1: delay (delay_ms=5): there was no such request" in chaos.report()

    def test_a_request_waits_until_a_member_is_expelled(self, tidemark: Tidemark, orders: str) -> None:
        member = join(tidemark, "billing")
        with with_steps(tidemark.chaos("billing", orders), Step("expel", "OffsetCommit", 1)) as chaos:
            assert try_to_commit(tidemark, 1, member) == ErrorCode.UNKNOWN_MEMBER_ID
        assert "expelled" in chaos.steps[0].applied
        assert tidemark.groups["billing"].members == []

    def test_a_stored_commit_loses_its_response_and_its_member(self, tidemark: Tidemark, orders: str) -> None:
        lost = Step("expel", "OffsetCommit", 1, fields={"close": True, "when": "after"})
        member = join(tidemark, "billing")
        with with_steps(tidemark.chaos("billing", orders), lost):
            assert try_to_commit(tidemark, 3, member) == ErrorCode.UNKNOWN_MEMBER_ID  # it was sent again
        assert tidemark.groups["billing"].members == []
        assert tidemark.offsets("billing")[orders, 0].offset == 3

    def test_such_a_step_waits_for_the_commit_of_a_member(self, tidemark: Tidemark, orders: str) -> None:
        lost = Step("expel", "OffsetCommit", 1, fields={"close": True, "when": "after"})
        with with_steps(tidemark.chaos("billing", orders), lost) as chaos:
            assert try_to_commit(tidemark, 1) == 0  # of no member
            assert not chaos.steps[0].applied
            member = join(tidemark, "billing")
            try_to_commit(tidemark, 3, member)
        assert "expelled" in lost.applied

    def test_the_coordinator_moves_away_and_sessions_end(self, tidemark: Tidemark, orders: str) -> None:
        member = join(tidemark, "billing")
        steps = (
            Step("coordinator_away", "OffsetCommit", 1, fields={"times": 1, "loading_ms": 20}),
            Step("sessions", "Fetch", 1, topic=orders),
        )
        with with_steps(tidemark.chaos("billing", orders), *steps):
            assert try_to_commit(tidemark, 1, member) in (0, ErrorCode.NOT_COORDINATOR)
            fetch(tidemark, 0)
        assert steps[0].applied.endswith("the coordinator went away")
        assert steps[1].applied.endswith("time moved by a minute, and 1 sessions ended")

    def test_a_kill_keeps_the_counts_and_the_journal(self, tidemark: Tidemark, orders: str) -> None:
        steps = (
            Step("kill", "OffsetCommit", 2),
            Step("error", "OffsetCommit", 4, fields={"error": "NOT_COORDINATOR"}),
        )
        with with_steps(tidemark.chaos("billing", orders), *steps) as chaos:
            fetch(tidemark, 0)
            assert try_to_commit(tidemark, 1) == 0
            # The client may send the second commit again, which counts then.
            codes = [try_to_commit(tidemark, offset) for offset in (2, 3, 4, 5)]
            assert codes.count(ErrorCode.NOT_COORDINATOR) == 1
            assert codes.index(ErrorCode.NOT_COORDINATOR) in (1, 2)
            assert codes[-1] == 0
        assert steps[0].applied.endswith("the broker was killed, and started again")
        assert chaos.judge() == []  # the Fetch before the kill is known

    def test_a_broker_that_cannot_be_started_again_is_not_killed(
        self, tidemark: Tidemark, orders: str
    ) -> None:
        with (
            tidemark.kept(),
            pytest.raises(RuntimeError, match="would lose the state of kept"),
            tidemark.chaos("billing", orders, events=["kill"]),
        ):
            pass


class TestRecording:
    def test_deliveries_and_commits_are_recorded(self, tidemark: Tidemark, orders: str) -> None:
        with tidemark.chaos("billing", orders, steps=0) as chaos:
            fetch(tidemark, 1, version=11)
            fetch(tidemark, 4)
            commit(tidemark.bootstrap_servers, "billing", orders, 5)
            recording = chaos._recording
            chaos.judge()
        assert recording is not None
        found = [(each.where, each.first, each.last) for each in recording.deliveries]
        assert found[-1] == (WHERE, 4, 4)  # it is within a batch, and its record is cut out of the journal
        assert found[0][1] == 1
        assert [(each.where, each.offset, each.is_stored) for each in recording.commits] == [(WHERE, 5, True)]

    def test_a_record_that_was_skipped_is_named_with_its_client(
        self, tidemark: Tidemark, orders: str
    ) -> None:
        with tidemark.chaos("billing", orders, steps=0, seed=7) as chaos:
            fetch(tidemark, 2)
            commit(tidemark.bootstrap_servers, "billing", orders, 4)
        with pytest.raises(AssertionError) as raised:
            chaos.assert_no_record_skipped()
        lines = str(raised.value).splitlines()
        assert lines[0] == "group billing, with chaos of seed 7: 2 skipped"
        assert lines[1].startswith("  offset 0 of orders-0 was committed by ")
        assert lines[1].endswith("but never delivered to it")
        assert len(lines) == 3

    def test_what_was_committed_before_does_not_count(self, tidemark: Tidemark, orders: str) -> None:
        commit(tidemark.bootstrap_servers, "billing", orders, 4)
        with tidemark.chaos("billing", orders, steps=0) as chaos:
            fetch(tidemark, 4)
            commit(tidemark.bootstrap_servers, "billing", orders, 5)
            chaos.assert_every_record_processed([(orders, 0, 4)], exactly_once=True)
            chaos.assert_no_record_skipped()

    def test_records_of_client_libraries_are_accepted(self, tidemark: Tidemark, orders: str) -> None:
        with tidemark.chaos("billing", orders, steps=0) as chaos:
            commit(tidemark.bootstrap_servers, "billing", orders, 5)
            records = tidemark.records(orders)  # attributes, as in kafka-python and aiokafka
            methods = [
                SimpleNamespace(topic=lambda: orders, partition=lambda: 0, offset=lambda at=at: at)
                for at in range(5)
            ]  # as in confluent-kafka
            chaos.assert_every_record_processed(records, exactly_once=True)
            chaos.assert_every_record_processed(methods, exactly_once=True)

    @pytest.mark.parametrize(
        ("processed", "error", "message"),
        [
            (
                [("ordrs", 0, 1)],
                ValueError,
                "topic ordrs, which the chaos does not watch; did you mean orders?",
            ),
            ([("orders", 1, 1)], ValueError, "orders-1, which does not exist"),
            ([("orders", 0, 5)], ValueError, "offset 5 of orders-0, which does not exist: the log ends at 5"),
            ([("orders", 0)], TypeError, "processed must have (topic, partition, offset)"),
            (["orders-0"], TypeError, "got 'orders-0'"),
        ],
    )
    def test_a_record_that_does_not_exist_is_an_error(
        self, tidemark: Tidemark, orders: str, processed: list[Any], error: type[Exception], message: str
    ) -> None:
        with tidemark.chaos("billing", orders, steps=0) as chaos:
            commit(tidemark.bootstrap_servers, "billing", orders, 5)
            with pytest.raises(error) as raised:
                chaos.judge(processed)
        assert message in str(raised.value)

    def test_a_group_without_requests_is_an_error_with_similar_names(
        self, tidemark: Tidemark, orders: str
    ) -> None:
        commit(tidemark.bootstrap_servers, "billing", orders, 5)
        with tidemark.chaos("biling", orders, steps=0) as chaos:
            pass
        with pytest.raises(LookupError, match=r"no client .* for group biling.* did you mean billing\?"):
            chaos.judge()
        with pytest.raises(RuntimeError, match="the chaos has not begun"):
            tidemark.chaos("billing", orders).judge()

    def test_an_evicted_request_means_that_nothing_is_known(self, tidemark_factory: TidemarkFactory) -> None:
        tidemark = tidemark_factory({"tidemark.requests.max": 5})
        tidemark.topic("orders")
        find_coordinator(tidemark)
        with tidemark.chaos("billing", "orders", steps=0) as chaos:
            with chaos._lock:  # its thread does not read the journal meanwhile
                for offset in range(6):
                    try_to_commit(tidemark, offset)
            with pytest.raises(
                NotRecorded, match="requests were evicted from the journal before they were read"
            ):
                chaos.judge()

    def test_a_restart_by_the_test_means_that_nothing_is_known(self, tidemark: Tidemark, orders: str) -> None:
        with tidemark.chaos("billing", orders, steps=0) as chaos:
            commit(tidemark.bootstrap_servers, "billing", orders, 5)
            with chaos._lock:
                chaos._read()
                tidemark.kill()
                tidemark.restart()
            with pytest.raises(NotRecorded, match="the test has restarted the broker"):
                chaos.judge()

    async def test_with_coroutines(self, async_tidemark: AsyncTidemark, orders: str) -> None:
        async with async_tidemark.chaos("billing", orders, seed=7, steps=0) as chaos:
            commit(async_tidemark.bootstrap_servers, "billing", orders, 5)
            with pytest.raises(AssertionError, match="5 lost"):
                await chaos.assert_every_record_processed([])
        assert chaos.seed == 7
        assert (await chaos.report()).startswith("seed 7; ")


class TestJudge:
    """Five records, 0 to 4. app-1 has received 0 to 2, app-2 has received 2 to 4."""

    DELIVERED = (
        Delivery(1, 10, "app-1", WHERE, 0, 2),
        Delivery(2, 20, "app-2", WHERE, 2, 4),
    )

    def judged(
        self, *commits: Commit, processed: list[int] | None = None, committed: int = 0, begin: int = 0
    ) -> list[tuple[str, str]]:
        recording = SimpleNamespace(deliveries=list(self.DELIVERED), commits=list(commits))
        facts = Facts({WHERE: range(5)}, {WHERE: begin}, {WHERE: committed})
        given = None if processed is None else [(*WHERE, offset) for offset in processed]
        return [(each.kind, str(each)) for each in judge(facts, cast(Recording, recording), given)]

    def test_each_record_once_is_no_finding(self) -> None:
        commits = (Commit(3, 30, "app-1", WHERE, 3, True), Commit(4, 40, "app-2", WHERE, 5, True))
        assert self.judged(*commits, processed=[0, 1, 2, 3, 4], committed=5) == []
        assert self.judged(*commits, committed=5) == []

    def test_a_committed_record_that_was_not_processed_is_lost(self) -> None:
        commits = (Commit(3, 30, "app-1", WHERE, 3, True), Commit(4, 40, "app-2", WHERE, 5, True))
        assert self.judged(*commits, processed=[0, 1, 3, 4], committed=5) == [
            (
                "lost",
                "offset 2 of orders-0 was committed by app-1 (offset 3, request 30), but never processed. It "
                "was delivered to app-1 (request 10), then to app-2 (request 20)",
            )
        ]

    def test_a_commit_whose_response_was_lost_counts_if_it_was_stored(self) -> None:
        lost = Commit(3, 30, "app-1", WHERE, 3, None)
        ((kind, text),) = self.judged(lost, processed=[0, 1, 3, 4], committed=3)
        assert kind == "lost"
        assert "was committed by app-1 (offset 3, request 30, whose response was lost)" in text
        ((kind, _),) = self.judged(lost, processed=[0, 1, 3, 4], committed=0)
        assert kind == "unprocessed"

    def test_a_refused_commit_commits_nothing(self) -> None:
        refused = Commit(3, 30, "app-1", WHERE, 5, False)
        assert self.judged(refused) == []

    def test_a_record_that_was_delivered_to_another_client_only_was_skipped(self) -> None:
        jumped = Commit(3, 30, "app-2", WHERE, 5, True)
        assert self.judged(jumped, committed=5) == [
            (
                "skipped",
                f"offset {offset} of orders-0 was committed by app-2 (offset 5, request 30), but never "
                "delivered to it (but to app-1, request 10)",
            )
            for offset in (0, 1)
        ]
        found = self.judged(jumped, processed=[1, 2, 3, 4], committed=5)
        assert found == [("lost", f"{self.judged(jumped, committed=5)[0][1]}, and it was never processed")]

    def test_a_delivery_after_the_commit_does_not_count(self) -> None:
        early = Commit(0, 5, "app-1", WHERE, 1, True)
        assert [kind for kind, _ in self.judged(early, committed=1)] == ["skipped"]

    def test_a_producer_commits_for_a_consumer_that_it_does_not_name(self) -> None:
        commit = Commit(3, 30, "producer", WHERE, 5, None, in_transaction=True)
        assert self.judged(commit, committed=5) == []

    def test_records_before_the_begin_do_not_count(self) -> None:
        jumped = Commit(3, 30, "app-2", WHERE, 5, True)
        assert self.judged(jumped, committed=5, begin=2) == []
        assert self.judged(jumped, processed=[2, 3, 4], committed=5, begin=2) == []

    def test_a_record_that_was_processed_twice_is_named_with_its_deliveries(self) -> None:
        assert self.judged(processed=[0, 1, 2, 2, 3, 4], committed=5) == [
            (
                "repeated",
                "offset 2 of orders-0 was processed 2 times. It was delivered to app-1 (request 10), then to "
                "app-2 (request 20)",
            )
        ]
