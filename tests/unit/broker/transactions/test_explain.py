"""The sentences about transactions: what they hold back, and when they end."""

from __future__ import annotations

from typing import Final

from tidemark.transactions.explain import (
    HeldBack,
    HeldPartition,
    explain_hanging,
    explain_transaction,
    outlook,
)
from tidemark.transactions.model import Transaction, TransactionStatus

NOV_1: Final = 1_793_527_200_000  # 2026-11-01T10:00:00Z
DAY_MS: Final = 86_400_000
ORDERS: Final = HeldPartition("orders", 0, 17, 17, 30)


def transaction(status: TransactionStatus = TransactionStatus.ONGOING, **fields: object) -> Transaction:
    made = Transaction(
        "payments", 0, producer_id=4000, producer_epoch=3, timeout_ms=60_000, status=status, start_ms=NOV_1,
        last_update_ms=NOV_1,
    )  # fmt: skip
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def explained(
    of: Transaction, *holds: HeldPartition, groups: tuple[str, ...] = (), left_ms: int | None = 45_000
) -> str:
    ends = outlook(of, left_ms=left_ms, now_ms=NOV_1 + 15_000, id_expiration_ms=7 * DAY_MS)
    return explain_transaction(of, HeldBack(holds, groups), ends, NOV_1 + 15_000)


def test_an_open_transaction_names_what_it_holds_back_and_its_timeout() -> None:
    assert explained(transaction(), ORDERS) == (
        "Transactional id payments (producer 4000, epoch 3) has had an open transaction since "
        "2026-11-01T10:00:00Z. Consumers with isolation.level=read_committed do not see orders-0 from offset "
        "17 on (13 offsets) until it ends. If its producer does not end it, the coordinator aborts it at the "
        "first pass from 2026-11-01T10:01:00Z on (transaction.timeout.ms=60000)."
    )


def test_groups_whose_offsets_cannot_expire_are_named() -> None:
    text = explained(transaction(), groups=("billing", "a b"))
    assert 'pending offsets of groups billing and "a b": the committed offsets that they replace' in text
    assert "Consumers with" not in text


def test_internal_topics_hold_back_no_consumer() -> None:
    text = explained(transaction(), HeldPartition("__consumer_offsets", 0, 3, 3, 4), groups=("billing",))
    assert "__consumer_offsets" not in text


def test_a_partition_behind_an_earlier_transaction_is_not_blamed_on_this_one() -> None:
    text = explained(transaction(), HeldPartition("orders", 0, 20, 17, 30))
    assert "In orders-0, an earlier transaction holds back the same records." in text
    assert "do not see" not in text


def test_a_transaction_that_has_written_nothing_holds_back_nothing() -> None:
    text = explained(transaction(), HeldPartition("orders", 0, None, 30, 30))
    assert "It has written nothing yet, and holds back nothing." in text


def test_only_the_first_partitions_are_named_and_all_are_counted() -> None:
    text = explained(transaction(), *(HeldPartition("orders", n, 1, 1, 3) for n in range(5)))
    assert "orders-2 from offset 1 on and 2 more (10 offsets)" in text


def test_an_overdue_timeout_ends_at_the_next_pass() -> None:
    text = explained(transaction(), ORDERS, left_ms=-5_000)
    assert "at the next pass, because it has been due since 2026-11-01T10:00:10Z" in text


def test_a_timeout_does_not_run_while_time_is_held() -> None:
    assert "Its timeout does not run" in explained(transaction(), ORDERS, left_ms=None)


def test_a_transaction_that_owes_markers_ends_by_itself() -> None:
    text = explained(transaction(TransactionStatus.PREPARE_ABORT), ORDERS)
    assert "has aborted its transaction at 2026-11-01T10:00:00Z, and writes its markers." in text
    assert text.endswith("the markers are repeated until they are written, also after a restart.")


def test_an_idle_id_expires_a_week_after_its_last_use() -> None:
    of = transaction(TransactionStatus.COMPLETE_COMMIT)
    ends = outlook(of, left_ms=None, now_ms=NOV_1, id_expiration_ms=7 * DAY_MS)
    assert (ends.aborted_ms, ends.expires_ms) == (None, NOV_1 + 7 * DAY_MS)
    assert explained(of) == (
        "Transactional id payments has no open transaction and holds back nothing: it expires at the first "
        "cleanup pass from 2026-11-08T10:00:00Z on, unless it is used before "
        "(transactional.id.expiration.ms)."
    )


def test_a_hanging_transaction_comes_with_the_command_that_aborts_it() -> None:
    text = explain_hanging(4000, 3, ORDERS)
    assert "the coordinator does not know, so no timeout ends it." in text
    assert "abort --topic orders --partition 0 --start-offset 17` aborts it there." in text
