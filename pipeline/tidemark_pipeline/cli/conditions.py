"""The conditions of `check`: the option, the table, the sentences and the metrics of each. Needs no Spark to
be imported.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidemark_pipeline.cli.words import count_text, duration_ms, number_text, printable, time_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LONG_MIN: Final = -(2**63)
LONG_MAX: Final = 2**63 - 1
OPTIONS: Final = ("expires-within", "lag-over", "rewind", "rewind-since", "removed-since")
Finding = Mapping[str, Any]


@dataclass(slots=True, frozen=True)
class Asked:
    """A condition of this call.

    option  its name without dashes
    text    the limit as given; "": none
    limit   a duration in ms, or a number; None: none
    """

    condition: str
    option: str
    text: str
    limit: int | None

    @property
    def title(self) -> str:
        return f"{self.option} {self.text}".rstrip()


@dataclass(slots=True, frozen=True)
class Outcome:
    """The result of a condition.

    count     the matching rows of its table
    groups    the groups with one
    also      further totals
    findings  the first of the groups; as many as were requested
    """

    asked: Asked
    count: int
    groups: int
    also: Mapping[str, Any] = field(default_factory=dict)
    findings: Sequence[Finding] = ()

    @property
    def matched(self) -> bool:
        return self.groups > 0


class Gauge(NamedTuple):
    """A metric, by its name without our prefix, with the values for each set of labels."""

    name: str
    help: str
    values: Sequence[tuple[Mapping[str, str], float]]


@dataclass(slots=True, frozen=True)
class Condition:
    """A condition.

    command  whose table it filters
    find     return what matches, from the table, the limit, the current time, and the number of groups
    total    describes all matches
    line     describes the matches of a group
    gauges   the metrics
    """

    command: str
    find: Callable[[DataFrame, int | None, int, int], DataFrame]
    total: Callable[[Outcome], str]
    line: Callable[[Finding], str]
    gauges: Callable[[Outcome], Iterator[Gauge]]


def add_options(options: argparse._ArgumentGroup) -> None:
    """Add the options of the conditions, whose values are Asked."""

    def add(condition: str, option: str, parse: Callable[[str], int], metavar: str, text: str) -> None:
        kind = partial(_asked, condition, option, parse)
        options.add_argument(f"--{option}", type=kind, metavar=metavar, help=text)

    add(
        "expires-within",
        "expires-within",
        duration_ms,
        "DURATION",
        "committed offsets expire within this time, or are overdue; 90s, 15min, 1h, 1d, 2w",
    )
    in_total = "groups have more than N unread records, all partitions together"
    add("lag-over", "lag-over", _records, "N", in_total)
    options.add_argument(
        "--rewind",
        action="store_const",
        const=Asked("rewind", "rewind", "", None),
        help="groups committed a lower offset than before, at any time in the log",
    )
    add("rewind", "rewind-since", duration_ms, "DURATION", "the same, within the last DURATION")
    add(
        "removed-since",
        "removed-since",
        duration_ms,
        "DURATION",
        "committed offsets were removed within the last DURATION, for any cause",
    )


def given(values: argparse.Namespace) -> tuple[Asked, ...]:
    """Return the conditions of a command line. --rewind-since limits --rewind."""
    found = (
        values.expires_within,
        values.lag_over,
        values.rewind_since or values.rewind,
        values.removed_since,
    )
    return tuple(each for each in found if each is not None)


def _asked(condition: str, option: str, parse: Callable[[str], int], text: str) -> Asked:
    return Asked(condition, option, text, parse(text))


def _records(text: str) -> int:
    if not re.fullmatch(r"\d{1,18}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)


# expires-within


def _find_expiring(forecast: DataFrame, limit: int | None, as_of_ms: int, most: int) -> DataFrame:
    from tidemark_pipeline.tables import findings

    return findings.expiring(forecast, _long(as_of_ms + (limit or 0)), most)


def _total_expiring(outcome: Outcome) -> str:
    first = time_text(outcome.also["earliest_expiry_ms"])
    return f"{_of_groups(outcome, 'offset')}, {_overdue(outcome.also)}the first from {first} on"


def _line_expiring(found: Finding) -> str:
    from tidemark_pipeline.report.words import rule_words  # --help works without the packages that it needs

    first = f"{_offset(found)} from {time_text(found['first_expires_at_ms'])} on"
    rules = ", ".join(map(rule_words, found["rules"]))
    return f"{count_text(found['count'], 'offset')}, {_overdue(found)}the first {first}: {rules}"


def _overdue(totals: Mapping[str, Any]) -> str:
    return f"{number_text(totals['overdue'])} overdue, " if totals["overdue"] else ""


def _gauges_expiring(outcome: Outcome) -> Iterator[Gauge]:
    yield Gauge(
        "expiring_offsets",
        "Committed offsets that expire within the limit of --expires-within, or are overdue.",
        [({}, outcome.count)],
    )
    yield Gauge(
        "group_expiring_offsets",
        "Committed offsets of a group that expire within the limit of --expires-within, or are overdue.",
        [({"group": each["group"]}, each["count"]) for each in outcome.findings],
    )
    earliest = outcome.also["earliest_expiry_ms"]
    yield Gauge(
        "earliest_expiry_timestamp_seconds",
        "When the first committed offset expires, within the limit or later. Missing if none expires.",
        [] if earliest is None else [({}, earliest / 1000)],
    )


# lag-over


def _find_lagging(lag: DataFrame, limit: int | None, as_of_ms: int, most: int) -> DataFrame:
    from tidemark_pipeline.tables import findings

    return findings.lagging(lag, limit or 0, most)


def _total_lagging(outcome: Outcome) -> str:
    lag, partitions = number_text(outcome.also["lag"]), count_text(outcome.count, "partition")
    return f"{count_text(outcome.groups, 'group')}, {lag} unread records on {partitions}"


def _line_lagging(found: Finding) -> str:
    most = f"most on {_offset(found)}: {number_text(found['partition_lag'])}"
    said = f"lag {number_text(found['lag'])} on {count_text(found['count'], 'partition')}, {most}"
    unknown = found["unknown"]
    return said + (f"; not known for {count_text(unknown, 'partition')}" if unknown else "")


def _gauges_lagging(outcome: Outcome) -> Iterator[Gauge]:
    yield Gauge(
        "group_lag_records",
        "Unread records of a group with more than the limit of --lag-over, all partitions together.",
        [({"group": each["group"]}, each["lag"]) for each in outcome.findings],
    )
    yield Gauge(
        "lag_unknown_offsets",
        "Committed offsets whose lag is not known, because the log of the partition was not found.",
        [({}, outcome.also["unknown"])],
    )


# rewind


def _find_rewound(rewinds: DataFrame, limit: int | None, as_of_ms: int, most: int) -> DataFrame:
    from tidemark_pipeline.tables import findings

    return findings.rewound(rewinds, None if limit is None else _long(as_of_ms - limit), most)


def _total_rewound(outcome: Outcome) -> str:
    return f"{_of_groups(outcome, 'rewind')}, the last at {time_text(outcome.also['last_at_ms'])}"


def _line_rewound(found: Finding) -> str:
    last = f"{_offset(found)} from {found['from_offset']} to {found['to_offset']}"
    return f"{count_text(found['count'], 'rewind')}, the last at {time_text(found['last_at_ms'])}, {last}"


def _gauges_rewound(outcome: Outcome) -> Iterator[Gauge]:
    yield Gauge(
        "rewinds",
        "Commits of a lower offset than before, within the limit of --rewind-since.",
        [({}, outcome.count)],
    )
    yield Gauge(
        "group_rewinds",
        "Commits of a lower offset than before in a group, within the limit of --rewind-since.",
        [({"group": each["group"]}, each["count"]) for each in outcome.findings],
    )


# removed-since


def _find_removed(removals: DataFrame, limit: int | None, as_of_ms: int, most: int) -> DataFrame:
    from tidemark_pipeline.tables import findings

    return findings.removed(removals, _long(as_of_ms - (limit or 0)), most)


def _total_removed(outcome: Outcome) -> str:
    return f"{_of_groups(outcome, 'offset')}: {_causes(outcome.also['causes'], outcome.also['likely'])}"


def _line_removed(found: Finding) -> str:
    first, last = time_text(found["first_at_ms"]), time_text(found["last_at_ms"])
    when = f"at {last}" if first == last else f"from {first} to {last}"
    causes = _causes(found["causes"], found["likely"], found["possible_causes"])
    said = f"{count_text(found['count'], 'offset')} {when}: {causes}"
    again = found["committed_again"]
    return said + (f"; {number_text(again)} committed again since" if again else "")


def _causes(counts: Mapping[str, int], likely: int, possible: Sequence[str] = ()) -> str:
    """Return `28 expired, 2 unknown (expired or group_delete; 1 of them likely expired)`."""
    parts = [f"{number_text(count)} {cause}" for cause, count in counts.items() if count]
    beside = [" or ".join(possible)] if possible else []
    beside += [f"{number_text(likely)} of them likely expired"] if likely else []
    return ", ".join(parts) + (f" ({'; '.join(beside)})" if beside else "")


def _gauges_removed(outcome: Outcome) -> Iterator[Gauge]:
    yield Gauge(
        "removed_offsets",
        "Committed offsets that were removed within the limit of --removed-since.",
        [({"cause": cause}, count) for cause, count in outcome.also["causes"].items()],
    )
    yield Gauge(
        "group_removed_offsets",
        "Committed offsets of a group that were removed within the limit of --removed-since.",
        [
            ({"group": each["group"], "cause": cause}, count)
            for each in outcome.findings
            for cause, count in each["causes"].items()
            if count
        ],
    )


def _long(ms: int) -> int:
    """Return the time, or the nearest one that Spark can compare with."""
    return max(LONG_MIN, min(ms, LONG_MAX))


def _of_groups(outcome: Outcome, what: str) -> str:
    return f"{count_text(outcome.count, what)} of {count_text(outcome.groups, 'group')}"


def _offset(found: Finding) -> str:
    return f"{printable(found['topic'])}-{found['partition']}"


CONDITIONS: Final[Mapping[str, Condition]] = {
    "expires-within": Condition(
        "forecast", _find_expiring, _total_expiring, _line_expiring, _gauges_expiring
    ),
    "lag-over": Condition("lag", _find_lagging, _total_lagging, _line_lagging, _gauges_lagging),
    "rewind": Condition("rewinds", _find_rewound, _total_rewound, _line_rewound, _gauges_rewound),
    "removed-since": Condition("removals", _find_removed, _total_removed, _line_removed, _gauges_removed),
}
