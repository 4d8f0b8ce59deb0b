"""Regular expressions are accepted, refused and matched as by RE2/J, with its messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.assignments.expressions import NAMES
from tests.conformance.assignments.record import recorded
from tests.unit.broker.story import finished
from tidemark.groups.consumer.regexes import LENGTH_MAX, check_expression, matched
from tidemark_protocol.errors import ErrorCode, KafkaError

EXPRESSIONS = recorded("expressions")
ENCODED = [name.encode() for name in NAMES]

# docs/differences.md: the expressions that only RE2/J accepts, for their size.
TOO_LARGE = {
    "(a{100}){11}",
    "(a{1000}){2}",
    "((a{10}){10}){11}",
    "(a{500}|b{501}){2}",
    "(a{2,}){1000}",
    "(|a{1000}){2}",
    r"\p{L}{1000}",
}
# docs/differences.md: RE2/J adds the upper case to this class.
OTHER_CLASS = r"(?i)\p{Ll}+"


def error_of(expression: str) -> str | None:
    try:
        check_expression(expression)
    except KafkaError as error:
        return error.message if error.code is ErrorCode.INVALID_REGULAR_EXPRESSION else error.code.name
    return None


def message(expression: str, reason: str) -> str:
    return f"SubscribedTopicRegex `{expression}` is not a valid regular expression: {reason}."


def chunks() -> list[list[dict[str, Any]]]:
    return [EXPRESSIONS[start : start + 100] for start in range(0, len(EXPRESSIONS), 100)]


@pytest.mark.parametrize("told", chunks())
def test_messages_equal_kafkas(told: list[dict[str, Any]]) -> None:
    for each in told:
        expression, error = each["expression"], each["error"]
        if expression not in TOO_LARGE:
            assert error_of(expression) == (None if error is None else message(expression, error))


@pytest.mark.parametrize("told", chunks())
def test_matches_equal_kafkas(told: list[dict[str, Any]]) -> None:
    expected = {each["expression"]: each["matches"] for each in told}
    matches = {each: finished(matched(each, NAMES, ENCODED)) for each in expected}
    for expression in TOO_LARGE | {OTHER_CLASS}:
        expected.pop(expression, None)
        matches.pop(expression, None)
    assert matches == expected


@pytest.mark.parametrize("expression", sorted(TOO_LARGE))
def test_large_expressions_are_refused(expression: str) -> None:
    assert error_of(expression) == message(expression, "too many repetitions")


def test_long_expressions_are_refused() -> None:
    assert error_of("a" * LENGTH_MAX) is None
    quoted = "a" * LENGTH_MAX
    assert error_of(quoted + "bc") == message(quoted, "it is longer than 4096 characters")
