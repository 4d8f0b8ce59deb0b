"""The tests: no broker to install, no container, and a week passes in a moment."""

import pytest
from billing import bill_orders

from tidemark_testing import Tidemark


@pytest.fixture(autouse=True)
def orders(tidemark: Tidemark) -> None:
    tidemark.create_topics({"topics": {"orders": {"records": ["one", "two", "three"]}, "bills": {}}})


def test_every_order_gets_a_bill(tidemark: Tidemark) -> None:
    bill_orders(tidemark.bootstrap_servers, 3)
    bills = [bill.text for bill in tidemark.records("bills", count=3)]
    assert bills == ["bill for one", "bill for two", "bill for three"]
    tidemark.wait_until_caught_up("billing", "orders")


def test_billing_continues_after_six_days(tidemark: Tidemark) -> None:
    bill_orders(tidemark.bootstrap_servers, 2)
    tidemark.clock.advance(days=6)
    bill_orders(tidemark.bootstrap_servers, 1)
    assert [bill.text for bill in tidemark.records("bills")][2:] == ["bill for three"]


def test_after_eight_days_customers_are_billed_twice(tidemark: Tidemark) -> None:
    bill_orders(tidemark.bootstrap_servers, 3)
    tidemark.clock.advance(days=8)
    tidemark.assert_expired("billing", "orders")
    bill_orders(tidemark.bootstrap_servers, 3)
    assert len(tidemark.records("bills")) == 6
