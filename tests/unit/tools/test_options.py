"""Options as jopt-simple parses them. The expectations were observed on Kafka's tools, which use it."""

from __future__ import annotations

import pytest

from tidemark_tools.options import (
    JoptTool,
    Option,
    OptionError,
    UsageError,
    option_table,
    parse,
    refuse,
    require,
    run,
    table,
)

OPTIONS = table("""
    topic <topic>  The topic.
    count <Integer: n>  How many. (default: 3)
    state [String]  A state.
    list  List.
""")
TOOL = JoptTool("What it is for.", OPTIONS)


def test_options_are_read_from_a_table() -> None:
    assert list(OPTIONS) == [
        Option("topic", "The topic.", "topic"),
        Option("count", "How many.", "n", "Integer", default="3"),
        Option("state", "A state.", None, optional=True),
        Option("list", "List."),
    ]
    (option,) = table("""
        * server <server,
            or several>  Where.
            It is needed.
    """)
    assert option == Option("server", "Where. It is needed.", "server, or several", required=True)


def test_a_value_follows_its_option_or_an_equals_sign() -> None:
    parsed = parse(OPTIONS, ["--topic", "a", "--count=5", "--list"])
    assert (parsed.value("topic"), parsed.number("count"), parsed.has("list")) == ("a", 5, True)


def test_a_value_may_look_like_an_option() -> None:
    parsed = parse(OPTIONS, ["--topic", "--list"])
    assert (parsed.value("topic"), parsed.has("list")) == ("--list", False)


def test_words_that_are_no_options_are_collected_separately() -> None:
    parsed = parse(OPTIONS, ["extra", "--list", "-", "words", "--", "--topic"])
    assert parsed.words == ["extra", "-", "words", "--topic"]
    assert not parsed.has("topic")


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (["--state"], None),
        (["--state", "Stable"], "Stable"),
        (["--state", "--list"], None),
        (["--state="], ""),
    ],
)
def test_a_value_that_may_be_left_out(arguments: list[str], value: str | None) -> None:
    parsed = parse(OPTIONS, arguments)
    assert (parsed.has("state"), parsed.value("state")) == (True, value)


def test_a_missing_option_has_its_default() -> None:
    parsed = parse(OPTIONS, [])
    assert (parsed.number("count"), parsed.has("count"), parsed.value("topic")) == (3, False, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bogus"], "bogus is not a recognized option"),
        (["--bogus=1"], "bogus is not a recognized option"),
        (["--top", "a"], "top is not a recognized option"),
        (["-xy"], "x is not a recognized option"),
        (["--topic"], "Option topic requires an argument"),
    ],
)
def test_invalid_options_are_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}$"):
        parse(OPTIONS, arguments)


@pytest.mark.parametrize("value", ["abc", "", "1.5", "1_000", " 1", "2147483648", "-2147483649"])
def test_an_invalid_number_is_refused_when_it_is_read(value: str) -> None:
    parsed = parse(OPTIONS, ["--count", value])
    with pytest.raises(OptionError, match=f"^Cannot parse argument '{value}' of option count$"):
        parsed.number("count")


@pytest.mark.parametrize("value", ["-2147483648", "2147483647", "+7", "007"])
def test_numbers_in_javas_syntax_are_accepted(value: str) -> None:
    assert parse(OPTIONS, ["--count", value]).number("count") == int(value)


def test_a_repeated_option_is_refused_when_one_value_is_read() -> None:
    parsed = parse(OPTIONS, ["--topic", "a", "--topic", "b"])
    assert parsed.values("topic") == ["a", "b"]
    with pytest.raises(
        OptionError, match="^Found multiple arguments for option topic, but you asked for only one$"
    ):
        parsed.value("topic")


def test_require_and_refuse() -> None:
    parsed = parse(OPTIONS, ["--topic", "a", "--list"])
    with pytest.raises(UsageError, match=r'^Missing required argument "\[state\]"$'):
        require(parsed, "topic", "state")
    with pytest.raises(UsageError, match=r'^Option "\[topic\]" can\'t be used with option "\[list\]"$'):
        refuse(parsed, "topic", "state", "list")


def test_a_missing_required_option_is_refused_by_the_parser() -> None:
    options = table("* server <address>  Where.\nhelp  Help.")
    with pytest.raises(OptionError, match=r"^Missing required option\(s\) \[server\]$"):
        parse(options, [])
    assert parse(options, ["--help"]).has("help")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--list", "--help"]])
def test_help_goes_to_stderr_and_fails(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TOOL, arguments, lambda parsed: None) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("What it is for.\nOption ")


def test_the_version_is_that_of_the_tools(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TOOL, ["--version"], lambda parsed: None) == 0
    assert capsys.readouterr() == ("4.3.1\n", "")


def test_the_table() -> None:
    """The layout is that of kafka-groups: both columns wrap at 39, the left one is as wide as needed."""
    options = table("""
        * server <server to connect to>  REQUIRED: the server, or servers, to connect to.
        state [String]  A state.
        count <Integer: n>  How many. (default: 3)
        list  List.
    """)
    lines = option_table(options).split("\n")
    assert [line.rstrip() for line in lines] == [
        "Option (* = required)                  Description",
        "---------------------                  -----------",
        "--count <Integer: n>                   How many. (default: 3)",
        "--list                                 List.",
        "* --server <String: server to connect  REQUIRED: the server, or servers, to",
        "  to>                                    connect to.",
        "--state [String]                       A state.",
    ]
    assert len({len(line) for line in lines}) == 1
