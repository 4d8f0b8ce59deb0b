"""Command lines with subcommands. tests/conformance/tools compares the errors with those of Kafka's tools."""

from __future__ import annotations

import pytest

from tidemark_tools.argparse4j import Argparse4jTool, Command, OptionGroup, justified
from tidemark_tools.options import Ended, run, table

TOOL = Argparse4jTool(
    "kafka-things.sh",
    "This tool shows things.",
    table("* bootstrap-server <host:port>  The brokers."),
    (
        Command(
            "list",
            "List things.",
            table("""
    age-filter <Long>  Only things of this age.
    json  Print JSON (tidemark's own).
"""),
        ),
        Command(
            "destroy",
            "Destroy a thing.",
            table("* name <String>  The thing."),
            (OptionGroup("Old brokers", "Options for these.", table("id <Short>  The id. (default: 7)")),),
        ),
    ),
)
AT = ("--bootstrap-server", "localhost:9092")


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Return the lines of the error, without the usage."""
    assert run(TOOL, arguments, lambda parsed: None) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    return lines[next(n for n, line in enumerate(lines) if "error:" in line) :]


def test_options_of_tool_and_command_are_returned_with_defaults() -> None:
    parsed = TOOL.parse([*AT, "destroy", "--name=a=b"])
    assert parsed.command == "destroy"
    assert (parsed.text("bootstrap-server"), parsed.text("name")) == ("localhost:9092", "a=b")
    assert (parsed.number("id"), parsed.has("id")) == (7, False)


def test_options_and_commands_may_be_abbreviated() -> None:
    assert TOOL.parse(["--boot", "x:1", "dest", "--n", "a"]).text("name") == "a"


def test_the_last_of_repeated_options_counts() -> None:
    assert TOOL.parse([*AT, "list", "--age-filter", "1", "--age-filter", "2"]).number("age-filter") == 2


def test_a_negative_number_is_a_value() -> None:
    assert TOOL.parse([*AT, "list", "--age-filter", "-5"]).number("age-filter") == -5


def test_an_option_of_the_command_before_it_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    (line, *_) = refused(capsys, *AT, "--name", "a", "destroy")
    assert line == "kafka-things.sh: error: unrecognized arguments: '--name'"


def test_a_missing_option_of_the_tool_is_reported_before_one_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert refused(capsys, "destroy") == ["kafka-things.sh: error: argument --bootstrap-server is required"]
    assert refused(capsys, *AT, "destroy") == ["kafka-things.sh: error: argument --name is required"]


def test_a_wrong_value_is_reported_before_a_missing_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "destroy", "--id", "40000") == [
        "kafka-things.sh: error: argument --id: could  not  convert '40000' to Short",
        '(Value out of range. Value:"40000" Radix:10)',
    ]


def test_similar_names_are_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, *AT, "lsit") == [
        "kafka-things.sh:  error:  invalid  choice:   'lsit'  (choose  from  'list',",
        "'destroy')",
        "",
        "Did you mean:",
        "\tlist",
    ]
    assert refused(capsys, *AT, "list", "--agefilter")[2:] == ["Did you mean:", "\t--age-filter"]


def test_help_of_a_command_needs_no_other_option_and_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Ended) as ended:
        TOOL.parse(["destroy", "--help"])
    assert ended.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        "usage: kafka-things.sh --bootstrap-server host:port destroy [-h]",
        "                       --name NAME [--id ID]",
        "",
        "optional arguments:",
        "  -h, --help             Show this help.",
        "  --name NAME            The thing.",
        "",
        "Old brokers:",
        "  Options for these.",
        "",
        "  --id ID                The id.",
    ]


def test_an_option_of_our_own_is_in_the_help_but_not_in_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """Errors show the usage, and scripts compare them with those of Kafka's tool."""
    with pytest.raises(Ended):
        TOOL.parse([*AT, "list", "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "usage: kafka-things.sh --bootstrap-server host:port list [-h]"
    assert lines[1].strip() == "[--age-filter AGE_FILTER]"
    assert any(line.startswith("  --json ") for line in lines)
    assert TOOL.parse([*AT, "list", "--json"]).has("json")


def test_the_version_needs_no_other_option_and_exits_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Ended) as ended:
        TOOL.parse(["-v", "nosuch"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == "4.3.1\n"


# The expected lines are those of argparse4j 0.7.0, net.sourceforge.argparse4j.helper.TextHelper.wrap.
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three four five six", ["one   two   three", "four five six"]),
        ("a-long-word-that-is-cut", ["a-long-word-that-", "is-cut"]),
        ("averyverylongwordthatfits nowhere", ["", "averyverylongwordthatfits", "nowhere"]),
        ("two words\nand a line", ["two words", "and a line"]),
        ("range 100-200 and 1,000.5 more", ["range   100-200   and", "1,000.5 more"]),
    ],
)
def test_text_is_justified(text: str, lines: list[str]) -> None:
    assert justified(text, 17 if "range" not in text else 21).splitlines() == lines
