"""The tests: which worker loses an order or bills it twice, if the broker is in a bad mood."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest
from billing import CommitsFirst, CommitsRarely, Worker
from confluent_kafka import Message

from tidemark_testing import Chaos, Tidemark

ORDERS = [f"order {number}" for number in range(120)]
SEEDS = range(6)
REPEATS = 3
FEW = range(3)
# An error, a delay or an expelled member may make a careful worker bill an order twice, but never lose one.
LOSING: dict[str, Any] = {"events": ["expel", "error", "delay"]}
# In a rebalance, members may commit what they have billed. So a careful worker bills no order twice.
REBALANCING: dict[str, Any] = {"events": ["rebalance", "delay"], "steps": 10}


@pytest.fixture
def bill_orders(tidemark: Tidemark) -> Callable[..., tuple[Chaos, list[Message]]]:
    """Let two workers bill all orders with chaos. Return the chaos, and the orders that they have billed."""

    def run(kind: type[Worker], **chosen: Any) -> tuple[Chaos, list[Message]]:
        tidemark.restore()
        tidemark.create_topics({"topics": {"orders": {"partitions": 2, "records": ORDERS}}})
        billed: list[Message] = []
        stop = Event()
        with tidemark.chaos("billing", "orders", **chosen) as chaos:
            workers = [
                Thread(target=kind(tidemark.bootstrap_servers, name, billed.append, stop).run)
                for name in ("app-1", "app-2")
            ]
            for worker in workers:
                worker.start()
            try:
                tidemark.wait_until_caught_up("billing", timeout=60)
            finally:
                stop.set()
                for worker in workers:
                    worker.join()
        return chaos, billed

    return run


def test_a_worker_that_commits_first_loses_orders_and_the_seed_repeats_it(bill_orders) -> None:
    found = next(seed for seed in SEEDS if loses(*bill_orders(CommitsFirst, seed=seed, **LOSING)))
    for _ in range(REPEATS):
        chaos, billed = bill_orders(CommitsFirst, seed=found, **LOSING)
        with pytest.raises(
            AssertionError, match=r"offset \d+ of orders-\d was committed by app-\d .* but never"
        ):
            chaos.assert_every_record_processed(billed)


def test_a_worker_that_commits_rarely_bills_twice_and_the_seed_repeats_it(bill_orders) -> None:
    found = next(seed for seed in SEEDS if repeats(*bill_orders(CommitsRarely, seed=seed, **REBALANCING)))
    for _ in range(REPEATS):
        chaos, billed = bill_orders(CommitsRarely, seed=found, **REBALANCING)
        chaos.assert_every_record_processed(billed)
        with pytest.raises(AssertionError, match=r"offset \d+ of orders-\d was processed 2 times"):
            chaos.assert_every_record_processed(billed, exactly_once=True)


@pytest.mark.parametrize("seed", FEW)
def test_the_careful_worker_loses_no_order(bill_orders, seed: int) -> None:
    for chosen in ({}, LOSING):
        chaos, billed = bill_orders(Worker, seed=seed, **chosen)
        chaos.assert_every_record_processed(billed)
        chaos.assert_no_record_skipped()


@pytest.mark.parametrize("seed", FEW)
def test_the_careful_worker_bills_no_order_twice_in_a_rebalance(bill_orders, seed: int) -> None:
    chaos, billed = bill_orders(Worker, seed=seed, **REBALANCING)
    chaos.assert_every_record_processed(billed, exactly_once=True)


def loses(chaos: Chaos, billed: list[Message]) -> bool:
    return any(found.kind == "lost" for found in chaos.judge(billed))


def repeats(chaos: Chaos, billed: list[Message]) -> bool:
    return any(found.kind == "repeated" for found in chaos.judge(billed))
