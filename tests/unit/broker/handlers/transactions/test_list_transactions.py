"""The expected responses are those of Apache Kafka 4.3.1 (TransactionStateManager.listTransactionStates)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.transaction_story import TransactionStory
from tidemark.core.apply import PartitionStatus
from tidemark.handlers.transactions.list_transactions import list_transactions
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.list_transactions import ListTransactionsRequest, ListTransactionsResponse


@pytest.fixture
def story() -> TransactionStory:
    """Four ids, one in each of the states that last, with producer ids 0 to 3."""
    story = TransactionStory()
    for number, transactional_id in enumerate(("empty", "open", "committed", "aborted")):
        story.init(transactional_id=transactional_id)
        if number:
            story.add(number, 0, transactional_id=transactional_id)
    story.end(2, 0, transactional_id="committed")
    story.end(3, 0, committed=False, transactional_id="aborted")
    story.complete()
    return story


def ask(story: TransactionStory, version: int = 2, **filters: Any) -> ListTransactionsResponse:
    response: ListTransactionsResponse = story.ask(
        list_transactions, ListTransactionsRequest(**filters), version
    )
    return response


def listed(story: TransactionStory, **filters: Any) -> list[str]:
    response = ask(story, **filters)
    assert (response.error_code, response.unknown_state_filters) == (0, [])
    return sorted(state.transactional_id for state in response.transaction_states)


def test_all_are_listed_without_filters(story: TransactionStory) -> None:
    states = ask(story, 0).transaction_states
    assert sorted((each.transactional_id, each.producer_id, each.transaction_state) for each in states) == [
        ("aborted", 3, "CompleteAbort"),
        ("committed", 2, "CompleteCommit"),
        ("empty", 0, "Empty"),
        ("open", 1, "Ongoing"),
    ]


def test_filters_of_states_and_producer_ids(story: TransactionStory) -> None:
    assert listed(story, state_filters=["Empty", "Ongoing", "Empty"]) == ["empty", "open"]
    assert listed(story, producer_id_filters=[1, 3, 99]) == ["aborted", "open"]
    assert listed(story, producer_id_filters=[1, 3], state_filters=["Ongoing"]) == ["open"]
    assert listed(story, state_filters=["Dead", "PrepareEpochFence"]) == []


def test_unknown_states_are_returned_and_match_nothing(story: TransactionStory) -> None:
    response = ask(story, state_filters=["ongoing", "", "Empty", "ongoing"])
    assert response.unknown_state_filters == ["ongoing", ""]
    assert [each.transactional_id for each in response.transaction_states] == ["empty"]
    assert ask(story, state_filters=["ongoing"]).transaction_states == []


def test_duration_must_be_exceeded(story: TransactionStory) -> None:
    story.passes(1000)
    assert listed(story, duration_filter=999) == ["aborted", "committed", "empty", "open"]
    assert listed(story, duration_filter=1000) == ["empty"]
    assert listed(story, duration_filter=-5) == ["aborted", "committed", "empty", "open"]


def test_pattern_matches_the_whole_id(story: TransactionStory) -> None:
    assert listed(story, transactional_id_pattern=".*(t|n)") == ["open"]
    assert listed(story, transactional_id_pattern="[ae].*") == ["aborted", "empty"]
    assert listed(story, transactional_id_pattern="ope") == []
    assert len(listed(story, transactional_id_pattern="")) == 4


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"\1", "a{1001}", "*"])
def test_pattern_that_is_not_re2_is_refused(story: TransactionStory, pattern: str) -> None:
    response = ask(story, transactional_id_pattern=pattern, state_filters=["unknown"])
    assert response == ListTransactionsResponse(0, ErrorCode.INVALID_REGULAR_EXPRESSION)


def test_large_pattern_is_refused_if_an_id_is_very_long(story: TransactionStory) -> None:
    """Kafka matches for seconds. Here no other client would be served meanwhile."""
    pattern = ".*x.{500}y"
    assert listed(story, transactional_id_pattern=pattern) == []
    story.init(transactional_id="x" * 32_767)
    response = ask(story, transactional_id_pattern=pattern)
    assert response == ListTransactionsResponse(0, ErrorCode.INVALID_REGULAR_EXPRESSION)
    assert listed(story, transactional_id_pattern="x+") == ["x" * 32_767]


def test_rights_hide_ids(story: TransactionStory) -> None:
    story.allowed = lambda operation, kind, name: name in ("open", "empty")
    assert listed(story) == ["empty", "open"]


def test_nothing_is_listed_while_a_partition_is_loading(story: TransactionStory) -> None:
    story.transactions.status[1] = PartitionStatus.LOADING
    response = ask(story, transactional_id_pattern="(")
    assert response == ListTransactionsResponse(0, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)


def test_list_is_empty_before_the_first_transactional_id() -> None:
    story = TransactionStory()
    story.transactions.status = []
    assert ask(story) == ListTransactionsResponse()


def test_listing_pauses_often() -> None:
    story = TransactionStory()
    for number in range(50):
        story.init(transactional_id=f"tx-{number}")
    request = ListTransactionsRequest()
    steps = list_transactions(story.transactions, story.context(2), request)
    assert sum(1 for _ in steps) >= 100  # type: ignore[arg-type]
