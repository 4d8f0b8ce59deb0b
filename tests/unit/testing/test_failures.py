"""The messages of assertions and waits that fail, and what a report says about faults and requests."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.unit.testing.committing import ask, commit
from tests.unit.testing.test_group_assertions import join
from tidemark_testing import Mode, Tidemark
from tidemark_tools.client.errors import CannotConnect

pytest_plugins = ["pytester"]

TIME = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d\d\d)?Z"
Use = Callable[[Tidemark], object]


@pytest.fixture
def billing(tidemark: Tidemark) -> Tidemark:
    """Return a broker with four records in orders-0, of which group billing has committed three."""
    tidemark.produce(tidemark.topic("orders", 2), *"abcd", partition=0)
    commit(tidemark.bootstrap_servers, "billing", "orders", 3)
    return tidemark


SENT = "Client tidemark has sent 1 OffsetCommit for group billing."


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            lambda it: it.assert_committed("billing", "orders", 4),
            f"orders-0 of group billing: it has committed 3, not 4. The commit is of {TIME}; "
            f"the log ends at 4. {SENT}",
        ),
        (
            lambda it: it.assert_committed("billing", "orders", metadata="x"),
            f"orders-0 of group billing: it has committed the metadata '', not 'x'. The commit is of {TIME}; "
            f"the log ends at 4. {SENT}",
        ),
        (
            lambda it: it.assert_committed("billing", "orders", partition=1),
            "orders-1 of group billing: no offset is committed. It has committed orders-0 at 3. "
            f"Group billing is Empty with 0 members. {SENT}",
        ),
        (
            lambda it: it.assert_committed("biling", "orders"),
            "orders-0 of group biling: no offset is committed. "
            rf"There is no group biling; did you mean billing\? {SENT}",
        ),
        (
            lambda it: it.assert_expired("biling"),
            "group biling has not expired: nothing was ever committed for it. "
            rf"There is no group biling; did you mean billing\? {SENT}",
        ),
        (
            lambda it: it.assert_expired("billing", "order"),
            "order of group billing has not expired: nothing was ever committed for it. "
            rf"There is no topic order; did you mean orders\? {SENT}",
        ),
        (
            lambda it: it.assert_kept("shipping"),
            "group shipping was not kept: nothing was ever committed for it. "
            f"There is no group shipping. {SENT}",
        ),
        (
            lambda it: it.assert_rebalanced("bill", timeout=0),
            "group bill has not rebalanced after 0 s: There is no group bill; did you mean billing[?] "
            "The journal has no JoinGroup or ConsumerGroupHeartbeat of a client, but .*1 OffsetCommit[.]",
        ),
        (
            lambda it: it.assert_rebalanced("billing", timeout=0),
            "group billing has not rebalanced after 0 s: its generation is 0, not above 0. "
            "Group billing is Empty with 0 members. "
            "The journal has no JoinGroup or ConsumerGroupHeartbeat of a client, but .*1 OffsetCommit[.]",
        ),
        (
            lambda it: it.wait_until_caught_up("billing", timeout=0),
            "group billing has not caught up after 0 s: its lag is 1 .orders-0 lacks 1: committed 3, "
            f"the log ends at 4.. Group billing is Empty with 0 members. {SENT}",
        ),
        (
            lambda it: it.wait_until_caught_up("Billing", timeout=0),
            "group Billing has not caught up after 0 s: "
            rf"There is no group Billing; did you mean billing\? {SENT}",
        ),
        (
            lambda it: it.records("orders", count=5, timeout=0),
            "orders has 4 records after 0 s, not 5. The last are 0:1 b'b', 0:2 b'c', 0:3 b'd'. "
            "The journal has no Produce of a client, but .*1 OffsetCommit[.]",
        ),
        (
            lambda it: it.requests(api="OffsetCommit", group="biling").wait_for(timeout=0),
            r"requests\(api='OffsetCommit', group='biling'\): 0 instead of 1 within 0 s. "
            rf"There is no group biling; did you mean billing\? {SENT}",
        ),
        (
            lambda it: it.requests(api="OffsetCommit", client_id="app").wait_for(timeout=0),
            r"requests\(api='OffsetCommit', client_id='app'\): 0 instead of 1 within 0 s. "
            f"No client app has sent a request. {SENT}",
        ),
        (
            lambda it: it.requests(api="Heartbeat").wait_for(timeout=0),
            r"requests\(api='Heartbeat'\): 0 instead of 1 within 0 s. The journal has no Heartbeat "
            r"of a client, but .*1 OffsetCommit[.]",
        ),
        (
            lambda it: it.faults.add(api="OffsetCommit", group="biling", delay_ms=1).wait_for(timeout=0),
            r"SetFault\(id=\d+, .*\): matched 0 instead of 1 within 0 s. "
            rf"There is no group biling; did you mean billing\? {SENT}",
        ),
    ],
)
def test_failure_says_what_is_there_instead(billing: Tidemark, use: Use, message: str) -> None:
    with pytest.raises(AssertionError) as failure:
        use(billing)
    assert re.fullmatch(message, str(failure.value)), str(failure.value)


def test_requests_of_several_clients_are_counted_by_what_they_name(billing: Tidemark) -> None:
    for _ in range(2):
        commit(billing.bootstrap_servers, "returns", "orders", 1)
    commit(billing.bootstrap_servers, "billing", "orders", 4)
    expected = (
        r"2 OffsetCommit for group billing; client tidemark has sent 2 OffsetCommit for group returns\."
    )
    with pytest.raises(AssertionError, match=expected):
        billing.assert_committed("shop", "orders")


@pytest.mark.parametrize(
    "use",
    [
        lambda it: it.clock.now_ms,
        lambda it: it.groups,
        lambda it: it.assert_committed("billing", "orders"),
        lambda it: it.topic("more"),
        lambda it: it.produce("orders", "x"),
        lambda it: it.records("orders"),
        lambda it: it.faults.add(api="Fetch", delay_ms=1),
        lambda it: it.snapshot(),
    ],
)
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_use_of_a_broker_that_the_test_has_ended_names_the_call(ended: Tidemark, end: str, use: Use) -> None:
    getattr(ended, end)()
    message = rf"the broker at {ended.bootstrap_servers} does not run: the test has called tidemark.{end}\(\)"
    with pytest.raises(CannotConnect, match=message):
        use(ended)
    ended.restart()
    assert ended.groups == {}


@pytest.fixture(scope="module")
def own() -> Tidemark:
    with Tidemark.start() as own:
        yield own


@pytest.fixture
def ended(own: Tidemark) -> Tidemark:
    own.restore()
    return own


def test_report_lists_faults_with_their_requests_and_misspelt_names(billing: Tidemark) -> None:
    billing.faults.add(api="OffsetCommit", group="biling", error="NOT_COORDINATOR")
    billing.faults.add(api="Heartbeat", group="billing", error="REBALANCE_IN_PROGRESS")
    ask(billing.bootstrap_servers, "Heartbeat", 3, {"GroupId": "billing", "MemberId": "m"})
    faults = billing.report().split("\n\n")[0].splitlines()
    assert faults[0] == "faults that are set:"
    assert re.fullmatch(
        r"\d+: api='OffsetCommit', group='biling', error='NOT_COORDINATOR': matched no request. "
        rf"There is no group biling; did you mean billing\? {SENT}",
        faults[1],
    )
    assert re.fullmatch(r"\d+: api='Heartbeat', .*: matched 1 request", faults[2])


def test_report_lists_requests_that_failed_but_no_normal_errors(billing: Tidemark) -> None:
    join(billing, "billing")
    ask(billing.bootstrap_servers, "Heartbeat", 3, {"GroupId": "shop", "MemberId": "m", "GenerationId": 1})
    sections = billing.report().split("\n\n")
    title, *lines = sections[0].splitlines()
    assert title == "requests that failed:"
    assert re.fullmatch(
        rf"{TIME} *Heartbeat v3 of client tidemark for group shop: UNKNOWN_MEMBER_ID", lines[-1]
    )
    assert not any("MEMBER_ID_REQUIRED" in line for line in lines)


@pytest.mark.parametrize("mode", ["thread", pytest.param("subprocess", marks=pytest.mark.slow)])
def test_report_has_the_output_of_a_broker_since_the_test_began(mode: Mode) -> None:
    with Tidemark.start({"tidemark.requests.slow.ms": 0}, mode=mode) as own:
        own.topic("first")
        before = own.report()
        assert "output of the broker:\n" in before
        assert "slow request" in before
        assert "output of the broker" not in Tidemark(own.server).report()


@pytest.mark.slow
def test_traceback_has_no_line_of_the_library(pytester: pytest.Pytester, no_worker: None) -> None:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("use", [
            lambda it: it.assert_committed("a", "b"),
            lambda it: it.assert_expired("a"),
            lambda it: it.wait_until_caught_up("a", timeout=0),
            lambda it: it.records("a", count=1, timeout=0),
            lambda it: it.records("a"),
            lambda it: it.produce("a" * 300, "x"),
            lambda it: it.topic("a/b"),
            lambda it: it.create_topics({"topic": {}}),
            lambda it: it.clock.advance(),
            lambda it: it.clock.set("tomorrow"),
            lambda it: it.faults.add(api="Fetsch"),
            lambda it: it.requests(api="Heartbeat").wait_for(timeout=0),
            lambda it: it.restore("no-such"),
            lambda it: it.explain("a", "b"),
            lambda it: it.lag("a"),
            lambda it: it.metrics.value("no_such"),
        ])
        def test_it(tidemark, use):
            use(tidemark)
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=16)
    result.stdout.no_re_match_line(r".*(broker|protocol)/tidemark_?\w*/.*\.py:\d+: ")


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("order", r"There is no topic order; did you mean orders\? It has committed orders-0 at 3\."),
        ("a\nb", r'^"a\\nb"-0 of group billing: no offset is committed\.'),
    ],
)
def test_commit_of_another_topic_lists_what_is_committed(billing: Tidemark, topic: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        billing.assert_committed("billing", topic)


def test_explain_of_an_unknown_group_lists_similar_names(billing: Tidemark) -> None:
    with pytest.raises(LookupError, match=r"There is no group biling; did you mean billing\?"):
        billing.explain("biling", "orders")


def test_report_lists_clients_that_asked_for_the_end_of_a_log(billing: Tidemark) -> None:
    ends = [{"PartitionIndex": partition, "Timestamp": -1} for partition in (0, 1)]  # 1 is empty
    message = {"ReplicaId": -1, "Topics": [{"Name": "orders", "Partitions": ends}]}
    ask(billing.bootstrap_servers, "ListOffsets", 5, message)
    sections = billing.report().split("\n\n")
    assert (
        "clients that asked for the end of a log:\n"
        "client tidemark has requested the end of orders-0, which is 4: with auto.offset.reset=latest and no "
        "committed offset, it reads from there"
    ) in sections


def test_open_transaction_explains_missing_committed_records(billing: Tidemark) -> None:
    address = billing.bootstrap_servers
    ask(address, "FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": ["shop"]})
    begin = {"TransactionalId": "shop", "TransactionTimeoutMs": 60_000, "ProducerId": -1, "ProducerEpoch": -1}
    begun = ask(address, "InitProducerId", 4, begin)
    topics = [{"Name": "orders", "Partitions": [0]}]
    of_it = {"ProducerId": begun.producer_id, "ProducerEpoch": begun.producer_epoch}
    message = {"V3AndBelowTransactionalId": "shop", "V3AndBelowTopics": topics}
    message |= {f"V3AndBelow{name}": value for name, value in of_it.items()}
    ask(address, "AddPartitionsToTxn", 3, message)
    held = "Transactional id shop .* has had an open transaction since"
    with pytest.raises(AssertionError, match=f"orders has 4 records after 0 s, not 5.* {held}"):
        billing.records("orders", count=5, committed=True, timeout=0)
    assert re.search(f"open transactions:\n{held}", billing.report())


def test_error_that_came_in_place_of_another_is_named(billing: Tidemark) -> None:
    ask(billing.bootstrap_servers, "Heartbeat", 3, {"GroupId": "shop", "MemberId": "m", "GenerationId": 1})
    expected = r"Client tidemark has sent 1 Heartbeat for group shop \(response: UNKNOWN_MEMBER_ID\)\."
    with pytest.raises(AssertionError, match=expected):
        billing.requests(api="Heartbeat", error="ILLEGAL_GENERATION").wait_for(timeout=0)


def test_use_of_a_closed_broker_names_the_call() -> None:
    own = Tidemark.start()
    own.close()
    with pytest.raises(CannotConnect, match=r"the test has called tidemark.close\(\)$"):
        own.topic("orders")
