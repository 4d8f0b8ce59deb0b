"""Regular expressions of the topics that a member subscribes to. Kafka: RE2/J, and TopicRegexResolver.

google-re2 matches, whose time is linear. It is imported with the first expression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tidemark.core.result import Steps
from tidemark.groups.consumer.re2j_syntax import NotRe2j, for_re2
from tidemark_protocol.errors import ErrorCode, KafkaError

LENGTH_MAX: Final = 4096  # characters of an expression; Kafka has no limit
MEMORY_MAX: Final = (
    1 << 20
)  # bytes of a compiled expression, its cache of states included; Kafka has no limit
TOO_LONG: Final = f"it is longer than {LENGTH_MAX} characters"
TOO_LARGE: Final = "too many repetitions"
MATCH_STEPS_MAX: Final = 5_000_000  # instructions of an expression times bytes of a text: up to 50 ms
STEP: Final = 2000  # names, or instructions of a large program, between two pauses


def check_expression(expression: str) -> None:
    """Raise KafkaError with Kafka's message if Kafka refuses an expression, or if it is too large."""
    full_matcher(expression, "SubscribedTopicRegex")


def full_matcher(expression: str, name: str) -> Callable[[str], bool]:
    """Return a function that tells whether the expression matches a text as a whole.

    Raises KafkaError with Kafka's message, in which `name` says what the expression is for. The function
    raises it, too, if a text is so long that to match a large expression would take too much time.
    """
    try:
        compiled = _compiled(expression)
    except NotRe2j as error:
        raise KafkaError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            f"{name} `{expression[:LENGTH_MAX]}` is not a valid regular expression: {error}.",
        ) from None

    def matches(text: str) -> bool:
        data = text.encode()
        if len(data) * compiled.programsize > MATCH_STEPS_MAX:
            raise KafkaError(
                ErrorCode.INVALID_REGULAR_EXPRESSION, f"{name} is too large for {len(data)} bytes."
            )
        return compiled.fullmatch(data) is not None

    return matches


def matched(expression: str, names: Sequence[str], encoded: Sequence[bytes]) -> Steps[list[str]]:
    """Return the names that the expression matches as a whole, in the order of the names.

    An expression that Kafka refuses matches nothing. encoded: the names in UTF-8
    """
    yield 0
    try:
        compiled = _compiled(expression)
    except NotRe2j:
        return []
    matches: list[str] = []
    step = max(1, STEP // compiled.programsize)
    for start in range(0, len(names), step):
        yield 0
        part = range(start, min(start + step, len(names)))
        matches += [names[at] for at in part if compiled.fullmatch(encoded[at])]
    return matches


def _compiled(expression: str) -> Any:
    """Return the compiled expression. Raise NotRe2j if it is invalid or too large."""
    if len(expression) > LENGTH_MAX:
        raise NotRe2j(TOO_LONG)
    import re2

    options = re2.Options()
    options.max_mem = MEMORY_MAX
    options.never_capture = True
    options.log_errors = False
    try:
        return re2.compile(for_re2(expression).encode(), options)
    except re2.error:
        raise NotRe2j(TOO_LARGE) from None
    finally:
        re2.purge()  # its cache would keep 128 expressions, with their caches of states


__all__ = ["LENGTH_MAX", "check_expression", "full_matcher", "matched"]
