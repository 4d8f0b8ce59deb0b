"""Any content of a message survives encoding and decoding."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tidemark_protocol
from tests.unit.protocol.any_message import MESSAGES, VERSIONS, drawn, values
from tests.unit.protocol.golden import only_fields_of


def assert_comes_back(name: str, version: int, value: dict[str, Any]) -> None:
    message = tidemark_protocol.from_dict(name, value)
    encoded = tidemark_protocol.encode(name, version, message)
    decoded = tidemark_protocol.decode(name, version, encoded)
    assert only_fields_of(value, tidemark_protocol.to_dict(decoded)) == value
    assert tidemark_protocol.to_dict(decoded) == tidemark_protocol.to_dict(message)
    assert tidemark_protocol.encode(name, version, decoded) == encoded


@pytest.mark.slow
@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_message_survives_a_round_trip(data: st.DataObject) -> None:
    name, version = data.draw(st.sampled_from(VERSIONS))
    assert_comes_back(name, version, data.draw(values(name, version)))


@pytest.mark.slow
@pytest.mark.parametrize("name", MESSAGES)
def test_every_version_survives_a_round_trip(name: str) -> None:
    for version in MESSAGES[name].versions:
        for value in drawn(name, version, 25):
            assert_comes_back(name, version, value)


@pytest.mark.parametrize("name", MESSAGES)
def test_message_of_defaults_survives_a_round_trip_in_every_version(name: str) -> None:
    empty = tidemark_protocol.message_class(name)()
    for version in MESSAGES[name].versions:
        encoded = tidemark_protocol.encode(name, version, empty)
        assert tidemark_protocol.to_dict(
            tidemark_protocol.decode(name, version, encoded)
        ) == tidemark_protocol.to_dict(empty)


@pytest.mark.parametrize("name", MESSAGES)
def test_unknown_version_is_refused(name: str) -> None:
    message = tidemark_protocol.message_class(name)()
    for version in (MESSAGES[name].valid.low - 1, MESSAGES[name].valid.high + 1):
        with pytest.raises(tidemark_protocol.WireError):
            tidemark_protocol.decode(name, version, b"")
        with pytest.raises(tidemark_protocol.WireError):
            tidemark_protocol.encode(name, version, message)
