"""Seed documents: what they may contain, and messages that name the wrong place."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.broker_process import ROOT
from tidemark.seeding.calls import NewOffset, NewRecord
from tidemark.seeding.document import SeedError, read_seed, read_seed_file


def test_a_seed_has_topics_records_and_offsets() -> None:
    seed = read_seed(
        {
            "topics": {
                "orders": {
                    "partitions": 2,
                    "configs": {"retention.ms": 1000, "preallocate": False},
                    "records": [
                        "text",
                        b"bytes",
                        None,
                        {"base64": "AP8="},
                        {"key": "k", "value": "v", "headers": {"trace": "1"}, "partition": 1,
                         "timestamp": "1970-01-01T00:00:01Z"},
                        {"value": None, "headers": [["a", None], ["a", "2"]], "timestamp": 5},
                        {"value": "x", "timestamp": datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC)},
                    ],
                },
                "empty": None,
            },
            "groups": {"billing": {"orders": {0: 2, "1": {"offset": 1, "metadata": "m"}}, "empty": 0}},
        }
    )  # fmt: skip
    orders = seed.topics["orders"]
    assert (orders.partitions, orders.configs) == (2, {"retention.ms": "1000", "preallocate": "false"})
    assert [each.value for each in orders.records] == [b"text", b"bytes", None, b"\0\xff", b"v", None, b"x"]
    assert orders.records[4] == NewRecord(b"v", b"k", [("trace", b"1")], 1000, 1)
    assert orders.records[5].headers == [("a", None), ("a", b"2")]
    assert orders.records[6].timestamp == 2000
    assert seed.topics["empty"].partitions == 1
    assert seed.groups == {
        "billing": {("orders", 0): NewOffset(2), ("orders", 1): NewOffset(1, "m"), ("empty", 0): NewOffset(0)}
    }


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "the seed must be an object with topics or groups, got []"),
        (
            {"topic": {}},
            "the seed has no field 'topic': valid are topics, groups; did you mean 'topics'?",
        ),
        (
            {"topics": ["orders"]},
            "topics must be an object with the name of a topic for each entry, got ['orders']",
        ),
        (
            {"topics": {1: {}}},
            "topics must have texts as names, so write quotes around the name of a topic, got 1",
        ),
        (
            {"topics": {"orders": {"partition": 3}}},
            "topics.orders has no field 'partition': valid are partitions, configs, records; did you mean "
            "'partitions'?",
        ),
        (
            {"topics": {"orders": {"partitions": 0}}},
            "topics.orders.partitions must be a whole number from 1 to 10000, got 0",
        ),
        (
            {"topics": {"orders": {"partitions": True}}},
            "topics.orders.partitions must be a whole number from 1 to 10000, got True",
        ),
        (
            {"topics": {"orders": {"configs": {"retention.ms": [1]}}}},
            "topics.orders.configs['retention.ms'] must be a text or a number, got [1]",
        ),
        (
            {"topics": {"orders": {"records": "one"}}},
            "topics.orders.records must be a list of records, got 'one'",
        ),
        (
            {"topics": {"orders": {"records": ["one", {"key": "k"}]}}},
            "topics.orders.records[1] has no value; write null for a tombstone",
        ),
        (
            {"topics": {"orders": {"partitions": 3, "records": [{"value": "v", "partition": 7}]}}},
            "topics.orders.records[0].partition must be a whole number from 0 to 2, got 7",
        ),
        (
            {"topics": {"orders": {"records": [{"value": {"total": 1}}]}}},
            'topics.orders.records[0].value must be a text, null, or {"base64": "..."}; pass other data '
            "as a text, such as JSON, got {'total': 1}",
        ),
        (
            {"topics": {"orders": {"records": [{"base64": "???"}]}}},
            "topics.orders.records[0] is not valid base64, got '???'",
        ),
        (
            {"topics": {"orders": {"records": [{"value": "v", "headers": ["a"]}]}}},
            "topics.orders.records[0].headers[0] must be a [name, value] pair, got 'a'",
        ),
        (
            {"topics": {"orders": {"records": [{"value": "v", "timestamp": "yesterday"}]}}},
            "topics.orders.records[0].timestamp must be milliseconds since the epoch, or a time like "
            "2026-11-01T10:00:00Z, got 'yesterday'",
        ),
        (
            {"topics": {"orders": {"partitions": 2}}, "groups": {"billing": {"orders": 3}}},
            "groups.billing.orders must list offsets by partition, because orders has 2, got 3",
        ),
        (
            {"groups": {"billing": {"orders": {"0": -1}}}},
            f"groups.billing.orders.0 must be a whole number from 0 to {2**63 - 1}, got -1",
        ),
        (
            {"topics": {"orders": {}}, "groups": {"billing": {"orders": {"one": 1}}}},
            "groups.billing.orders: the partition must be 0, got 'one'",
        ),
        (
            {"groups": {"a b": {"orders": {"0": {"offset": 1, "metadata": 2}}}}},
            "groups['a b'].orders.0.metadata must be a text, got 2",
        ),
    ],
)  # fmt: skip
def test_a_wrong_seed_is_one_line_that_names_the_place(document: Any, message: str) -> None:
    with pytest.raises(SeedError) as wrong:
        read_seed(document)
    assert str(wrong.value) == message


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["topics", "groups", "records", "partitions", "configs", "value", "headers", "offset", "0"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(anything)
def test_any_document_is_accepted_or_refused_in_one_line(document: Any) -> None:
    message = ""
    try:
        read_seed(document)
    except SeedError as wrong:
        message = str(wrong)
    assert "\n" not in message


def test_the_seed_in_the_documentation_is_valid(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    (shown,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "seed.yaml").write_text(shown)
    seed = read_seed_file(tmp_path / "seed.yaml")
    assert [each.value for each in seed.topics["orders"].records] == [b"one order", b"another", b"\0\xff"]
    assert seed.groups["billing"]["orders", 1] == NewOffset(0, "from a test")


class TestFiles:
    def test_yaml_and_json_mean_the_same(self, tmp_path: Path) -> None:
        yaml, json = tmp_path / "seed.yaml", tmp_path / "seed.json"
        yaml.write_text("topics:\n  orders: {records: [one]}\ngroups:\n  billing:\n    orders: {0: 1}\n")
        json.write_text(
            '{"topics": {"orders": {"records": ["one"]}}, "groups": {"billing": {"orders": {"0": 1}}}}'
        )
        assert read_seed_file(yaml) == read_seed_file(json)

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("seed.yaml", "topics: [", "line 1, column 10: it is not valid YAML: expected the node content"),
            (
                "seed.yaml",
                "topics: {orders: {partitions: none}}",
                "topics.orders.partitions must be a whole number",
            ),
            ("seed.json", "{", "it is not valid JSON: Expecting property name"),
            ("seed.txt", "", "must end with .yaml, .yml or .json"),
            ("seed.yaml", "", "the seed must be an object"),
            ("seed.yaml", "a: !!python/name:os.system", "it is not valid YAML"),
        ],
    )
    def test_an_error_names_the_file(self, tmp_path: Path, name: str, text: str, message: str) -> None:
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(SeedError) as wrong:
            read_seed_file(path)
        assert str(wrong.value).startswith(f"{path}: ") and message in str(wrong.value)
        assert "\n" not in str(wrong.value)

    def test_a_file_that_cannot_be_read_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(SeedError, match=r"cannot read .*no\.yaml: No such file"):
            read_seed_file(tmp_path / "no.yaml")
        (tmp_path / "latin.yaml").write_bytes(b"\xe9")
        with pytest.raises(SeedError, match="it is not UTF-8"):
            read_seed_file(tmp_path / "latin.yaml")
