"""The options of the source, and the errors for wrong ones."""

from __future__ import annotations

import pytest

from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.source.options import SourceOptions, option_text, source_options


def options(**given: str) -> SourceOptions:
    return source_options({"path": "/logs", **given})


def test_defaults_read_committed_offsets_of_all_groups_with_checks() -> None:
    read = options()
    assert read.paths == ("/logs",)
    assert (read.scan.table, read.scan.transactions, read.scan.on_error) == (
        "offsets",
        "committed",
        "stop_at_tail",
    )
    assert read.scan.verify_crc and not read.scan.latest_only and not read.scan.groups
    assert read.reads(0) and read.reads(49)


def test_several_paths_are_parsed_in_sparks_format() -> None:
    assert source_options({"paths": '["/a","/b c"]'}).paths == ("/a", "/b c")


def test_a_group_is_one_name_or_a_json_array_of_names() -> None:
    assert options(group="a,b").scan.groups == {"a,b"}
    assert options(group="").scan.groups == {""}  # there are groups of that name
    assert options(group='["a", "[b"]').scan.groups == {"a", "[b"}


def test_log_partitions_are_numbers_and_ranges() -> None:
    read = options(log_partitions="0, 3-5")
    assert [number for number in range(8) if read.reads(number)] == [0, 3, 4, 5]


def test_offsets_bound_the_log_partitions_that_they_name() -> None:
    assert options(offsets='{"3": [10, 20], "4": [null, 5], "5": [7, null]}').offsets == {
        3: (10, 20),
        4: (0, 5),
        5: (7, None),
    }


def test_names_and_words_may_be_of_any_case() -> None:
    read = options(VERIFY_CRC="False", Transactions="ALL", maxoffsetspertrigger="10")
    assert not read.scan.verify_crc and read.scan.transactions == "all" and read.max_offsets_per_trigger == 10


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"grop": "g"}, "unknown option grop, did you mean group?"),
        ({"table": "offset"}, "option table: 'offset' is not offsets or groups or raw or segments"),
        ({"verify_crc": "1"}, "option verify_crc: '1' is not true or false"),
        ({"on_error": "ignore"}, "option on_error: 'ignore' is not fail or stop_at_tail or skip"),
        ({"transactions": "none"}, "option transactions: 'none' is not committed or all or open"),
        ({"log_partitions": "1..3"}, "'1..3' is not log partitions such as 0,3-5"),
        ({"log_partitions": ""}, "'' is not log partitions such as 0,3-5"),
        ({"offsets": '{"3": [1]}'}, "is not JSON such as"),
        ({"offsets": '{"3": [-1, 4]}'}, "is not JSON such as"),
        ({"offsets": "3:1-4"}, "is not JSON such as"),
        ({"offsets": '{"3": [4, 1]}'}, "is not JSON such as"),
        ({"log_partitions": "5-3"}, "'5-3' is not log partitions such as 0,3-5"),
        ({"group": "[a"}, "'[a' is not the name of a group or a JSON array of names"),
        ({"group": "[]"}, "'[]' is not a JSON array with a name in it"),
        ({"as_of": "2026-01-01"}, "'2026-01-01' is not a time in milliseconds since 1970"),
        ({"maxOffsetsPerTrigger": "0"}, "'0' is not a number from 1 on"),
        ({"table": "raw", "group": "g"}, "option group: table raw has no column group"),
        ({"path": ""}, "option path is missing"),
    ],
)
def test_an_invalid_option_is_named(given: dict[str, str], said: str) -> None:
    with pytest.raises(PipelineError) as refused:
        options(**given)
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("group", "[b", lambda found: found.scan.groups == {"[b"}),
        ("group", ["a", "b"], lambda found: found.scan.groups == {"a", "b"}),
        ("offsets", {3: [0, None]}, lambda found: found.offsets == {3: (0, None)}),
        ("latest_only", True, lambda found: found.scan.latest_only),
        ("as_of", 17, lambda found: found.scan.as_of_ms == 17),
        ("log_partitions", 2, lambda found: found.reads(2) and not found.reads(0)),
    ],
)
def test_a_value_as_text_is_read_as_that_value(name: str, value: object, read) -> None:  # type: ignore[no-untyped-def]
    assert read(options(**{name: option_text(name, value)}))
