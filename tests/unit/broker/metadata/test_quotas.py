"""The expected errors are those of Apache Kafka 4.3.1; tests/conformance/cases/client_quotas.py has more."""

from __future__ import annotations

import pytest

from tidemark.metadata.quotas import ANY_NAME, CLIENT_ID, DEFAULT, EXACT, USER, Filter, is_address
from tidemark_protocol.errors import KafkaError

ALICE = ((USER, "alice"),)
ALICE_ON_APP = ((CLIENT_ID, "app"), (USER, "alice"))
EVERY_USER = ((USER, None),)


@pytest.mark.parametrize("text", ["1.2.3.4", "1.65535", "0", "4294967295", "::1", "localhost"])
def test_addresses_in_each_form_of_java_are_valid(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "1.2.3.256",
        "1.65536.1",
        "4294967296",
        "1.2.3.4.5",
        "-1",
        "::g",
        "example.com",
        "",
        "0" * 16,
        "1" * 32_767,
    ],
)
def test_anything_else_is_no_address(text: str) -> None:
    assert not is_address(text)


def test_filter_selects_by_the_types_that_it_names() -> None:
    wanted = Filter([(USER, EXACT, "alice")], strict=False)
    assert [wanted.selects(each) for each in (ALICE, ALICE_ON_APP, EVERY_USER)] == [True, True, False]


def test_strict_filter_selects_no_entity_with_other_types() -> None:
    wanted = Filter([(USER, EXACT, "alice")], strict=True)
    assert [wanted.selects(each) for each in (ALICE, ALICE_ON_APP)] == [True, False]


def test_default_entities_have_a_match_of_their_own() -> None:
    default, any_name = (Filter([(USER, match, None)], strict=True) for match in (DEFAULT, ANY_NAME))
    assert [default.selects(each) for each in (ALICE, EVERY_USER)] == [False, True]
    assert [any_name.selects(each) for each in (ALICE, EVERY_USER)] == [True, True]


def test_entity_type_may_be_named_once() -> None:
    with pytest.raises(KafkaError, match="cannot appear more than once"):
        Filter([(USER, EXACT, "a"), (USER, EXACT, "b")], strict=False)
