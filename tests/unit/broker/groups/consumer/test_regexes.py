"""The verdicts of RE2/J 1.8, which Kafka 4.3.1 ships, on regular expressions."""

from __future__ import annotations

import pytest

from tidemark.groups.consumer.regexes import NotRe2j, for_re2


@pytest.mark.parametrize(
    "text",
    [
        "", "orders.*", "(?i)orders", "(?-s:a)", "(?P<n>a)", "(?<n>a)", "a||b", "a*?", "a{2,}", "a{,2}",
        "x{2", "[]a]", "[^]a]", "[a-]", "[[:alpha:]]", "[[:^digit:]]", "[\\d-z]", "\\pL", "\\PN",
        "\\p{Greek}", "\\x41",
        "\\x{1F600}", "\\012", "\\12", "\\Qa(b\\E", "\\_", "\\é", "^$", "(a{500}){3}", "a(?i)*", "\\z",
    ],
)  # fmt: skip
def test_valid_expressions_are_accepted(text: str) -> None:
    for_re2(text)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("[bad", "missing closing ]"),
        ("(a", "missing closing )"),
        ("a)", "regexp/syntax: internal error"),
        ("*a", "missing argument to repetition operator"),
        ("a|*", "missing argument to repetition operator"),
        ("(?i)*", "missing argument to repetition operator"),
        ("a**", "invalid nested repetition operator"),
        ("a{2}{3}", "invalid nested repetition operator"),
        ("{*", "invalid nested repetition operator"),
        ("a{2,1}", "invalid repeat count"),
        ("a{1001}", "invalid repeat count"),
        ("(?=a)", "invalid or unsupported Perl syntax"),
        ("(?z)", "invalid or unsupported Perl syntax"),
        ("(?<n>a)(?<n>b)", "duplicate capture group name"),
        ("(?<>a)", "invalid named capture"),
        ("[z-a]", "invalid character class range"),
        ("[[:none:]]", "invalid character class range"),
        ("\\p", "invalid character class range"),
        ("\\8", "invalid escape sequence"),
        ("\\1", "invalid escape sequence"),
        ("\\C", "invalid escape sequence"),
        ("a\\", "trailing backslash at end of expression"),
    ],
)
def test_invalid_expressions_are_refused_with_re2js_message(text: str, verdict: str) -> None:
    with pytest.raises(NotRe2j) as error:
        for_re2(text)
    assert str(error.value) == verdict
