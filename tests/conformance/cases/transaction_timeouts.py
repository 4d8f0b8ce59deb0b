"""Transactions that time out, and transactional ids and producers that expire."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from tests.conformance.build import fetch_offsets
from tests.conformance.build_transactions import describe_producers, describe_transactions, list_transactions
from tests.conformance.case import Talk, case
from tests.conformance.transactional import (
    TRANSACTIONAL_ID_NOT_FOUND,
    Producer,
    described,
    look,
    own,
    producers_in_order,
    transactional_id,
    wait_for_state,
)

PASSES: Final = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": "100"}
EXPIRY: Final = {
    "transactional.id.expiration.ms": "800",
    "transaction.remove.expired.transaction.cleanup.interval.ms": "100",
}
NO_EXPIRY: Final = {"transaction.max.timeout.ms": "5000"}
with_passes: Final = partial(case, settings=PASSES)
with_expiry: Final = partial(case, settings=EXPIRY)


def timed_out(k: Talk) -> tuple[Producer, str]:
    """Return a producer whose transaction was aborted by its timeout, and the topic in it."""
    topic = k.topic()
    one = Producer(k, timeout_ms=1)
    one.has({topic: [0]})
    wait_for_state(k, one.name, "CompleteAbort")
    return one, topic


@with_passes()
def transaction_times_out(k: Talk) -> None:
    one, topic = Producer(k, timeout_ms=300), k.topic()
    one.send({topic: {0: 2}})
    one.describe()
    wait_for_state(k, one.name, "CompleteAbort")
    one.describe()
    look(k, {topic: [0]})
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@with_passes(versions=range(6))
def transaction_that_timed_out_is_ended(k: Talk, version: int) -> None:
    """Its epoch has moved, so the producer is fenced. At level 2, an abort is the retry of an abort."""
    for commit in (True, False):
        one, _ = timed_out(k)
        k.ask(*one.end(commit=commit, version=version))
        one.settle()
        one.describe()


@with_passes()
def transaction_that_timed_out_goes_on(k: Talk) -> None:
    one, topic = timed_out(k)
    group = k.group()
    for version in (3, 5):
        k.ask(*one.add({topic: [0]}, version=version))
    for version in (9, 11, 12):
        k.ask(*one.produce({topic: {0: 1}}, version=version))
    for version in (3, 4, 5):
        k.ask(*one.commit_offsets(group, {topic: {0: 1}}, version=version))
    k.ask(*one.add_offsets(group))
    one.describe()


@with_passes(versions=(3, 5))
def producer_whose_transaction_timed_out_asks_for_its_next_epoch(k: Talk, version: int) -> None:
    one, topic = timed_out(k)
    one.now_is(k.ask(*one.init(one.id, one.epoch, version=version, timeout_ms=60000)))
    one.describe()
    one.send({topic: {0: 1}})
    one.finish(commit=True)
    one.describe()


@with_passes()
def producer_whose_transaction_timed_out_starts_again(k: Talk) -> None:
    one, topic = timed_out(k)
    one.now_is(k.ask(*one.init(timeout_ms=60000)))
    one.send({topic: {0: 1}})
    one.finish(commit=True)
    one.describe()


@with_passes()
def pending_offsets_of_a_transaction_that_times_out(k: Talk) -> None:
    one, topic, group = Producer(k, timeout_ms=300), k.topic(), k.group()
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}))
    wait_for_state(k, one.name, "CompleteAbort")
    k.ask(*fetch_offsets(group, {topic: [0]}))


@with_passes()
def timeout_of_a_transaction_without_data(k: Talk) -> None:
    one, topic = Producer(k, timeout_ms=1), k.topic()
    one.has({topic: [0]})
    wait_for_state(k, one.name, "CompleteAbort")
    one.describe()
    look(k, {topic: [0]})


@with_passes()
def timeout_without_a_transaction(k: Talk) -> None:
    """Only an open transaction times out."""
    one, topic = Producer(k, timeout_ms=1), k.topic()
    other = Producer(k, timeout_ms=1)
    other.has({topic: [0]})
    wait_for_state(k, other.name, "CompleteAbort")
    one.describe()


@with_passes()
def transactions_that_time_out_one_after_the_other(k: Talk) -> None:
    one, topic = Producer(k, timeout_ms=1), k.topic()
    for _ in range(3):
        one.has({topic: [0]})
        wait_for_state(k, one.name, "CompleteAbort")
        one.describe()
        one.start()
    one.describe()


@with_passes()
def duration_of_transactions_is_listed(k: Talk) -> None:
    one, two, topic = Producer(k), Producer(k), k.topic()
    one.send({topic: {0: 1}})
    keep = own(k, one.name, two.name)
    k.until(
        lambda: k.do(*list_transactions(["Ongoing"], duration_ms=150)),
        lambda told: one.name in {state["TransactionalId"] for state in told["TransactionStates"]},
    )
    k.ask(*list_transactions(duration_ms=150), keep=keep)
    k.ask(*list_transactions(duration_ms=10**9), keep=keep)
    one.finish(commit=True)
    k.ask(*list_transactions(duration_ms=150), keep=keep)


def gone(k: Talk, name: str) -> None:
    """Wait until the transactional id has expired."""
    k.until(
        lambda: k.do(*describe_transactions(name))["TransactionStates"][0]["ErrorCode"],
        lambda error: error == TRANSACTIONAL_ID_NOT_FOUND,
    )


@with_expiry()
def transactional_id_expires(k: Talk) -> None:
    """The next producer gets another producer id."""
    one = Producer(k)
    before = one.id
    gone(k, one.name)
    k.ask(*describe_transactions(one.name), keep=described)
    k.ask(*list_transactions(), keep=own(k, one.name))
    k.ask(*one.add_offsets("group"))
    k.ask(*one.end(commit=True))
    one.start()
    k.keep("the same id", one.id == before)
    k.keep("epoch", one.epoch)


@with_expiry()
def transactional_id_with_an_ended_transaction_expires(k: Talk) -> None:
    for commit in (True, False):
        topic = k.topic()
        one = Producer(k)
        one.send({topic: {0: 1}})
        one.finish(commit=commit)
        gone(k, one.name)
        look(k, {topic: [0]})


@with_expiry()
def producer_of_an_expired_transactional_id_asks_for_its_next_epoch(k: Talk) -> None:
    one = Producer(k)
    gone(k, one.name)
    response = k.do(*one.init(one.id, one.epoch))
    k.keep("outcome", [response["ErrorCode"], response["ProducerId"] == one.id, response["ProducerEpoch"]])


@with_expiry()
def transactional_id_with_an_open_transaction_does_not_expire(k: Talk) -> None:
    topic = k.topic()
    one = Producer(k)
    one.send({topic: {0: 1}})
    other = Producer(k)
    gone(k, other.name)
    one.describe()
    one.finish(commit=True)
    gone(k, one.name)


@case(settings=NO_EXPIRY)
def timeouts_have_the_bound_of_the_broker(k: Talk) -> None:
    Producer(k, timeout_ms=5000)
    name = transactional_id(k)
    for timeout_ms in (5001, 5000, 60000):
        k.ask("InitProducerId", 5, _with_timeout(name, timeout_ms))
    k.ask(*describe_transactions(name), keep=described)


def _with_timeout(name: str, timeout_ms: int) -> dict[str, Any]:
    return {
        "TransactionalId": name,
        "TransactionTimeoutMs": timeout_ms,
        "ProducerId": -1,
        "ProducerEpoch": -1,
    }
