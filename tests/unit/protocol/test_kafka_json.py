"""Stored records in the JSON of Kafka's tools. tests/conformance/tools/cases/dumps.py has Kafka's output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.protocol.any_message import MESSAGES
from tidemark_protocol.by_name import message_class
from tidemark_protocol.generator.schema import Message
from tidemark_protocol.kafka_json import kafka_json, text, uuid_text
from tidemark_protocol.records.offset_commit import OffsetCommitValue

RECORDS = {name: message for name, message in MESSAGES.items() if message.module.startswith("records.")}


@pytest.mark.parametrize("name", RECORDS)
def test_record_shows_the_fields_of_its_version(name: str) -> None:
    """A record of defaults shows every field but the tagged ones, in the order of the schema."""
    message: Message = RECORDS[name]
    for version in message.versions:
        expected = [
            field.name[0].lower() + field.name[1:]
            for field in message.struct.fields
            if version in field.versions and version not in field.tagged
        ]
        assert list(kafka_json(message_class(name)(), version)) == expected


def test_tagged_field_is_shown_unless_it_is_the_default() -> None:
    value = OffsetCommitValue(offset=1, topic_id=bytes(15) + b"\1")
    assert kafka_json(value, 4)["topicId"] == "AAAAAAAAAAAAAAAAAAAAAQ"
    assert "topicId" not in kafka_json(value, 3)


# The recorded cases contain floats as Java prints them.
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
)


@given(values)
def test_text_is_json_on_one_line(value: Any) -> None:
    written = text(value)
    assert json.loads(written) == value
    assert not any(character < " " for character in written)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        # Jackson uses short escapes if they exist, hex in upper case, and leaves DEL and others unchanged.
        ("\x1f\b\t\n\f\r", r'"\u001F\b\t\n\f\r"'),
        ('"\\/', '"\\"\\\\/"'),
        ("\x7f\u00fc\u2028", '"\x7f\u00fc\u2028"'),
    ],
)
def test_text_is_escaped_as_jackson_does(value: str, written: str) -> None:
    assert text(value) == written


def test_a_uuid_is_22_characters() -> None:
    assert uuid_text(b"\xff" * 16) == "_____________________w"
