"""The command `tidemark explain-log`: what happened to committed offsets, from a log, without Spark.

The records are decoded, judged and put into sentences in this process. For logs above some GB,
`tidemark-pipeline` does the same on Spark.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

from tidemark_pipeline.cli import options as command_line
from tidemark_pipeline.cli import reading
from tidemark_pipeline.cli.show import cell
from tidemark_pipeline.logs.metadata_log import topics_told
from tidemark_pipeline.model import NoSuchGroup, PipelineError
from tidemark_pipeline.report.words import count, listed, moment, plural, seen, worded
from tidemark_pipeline.retention import Retention
from tidemark_pipeline.source.arrow_tables import changes, transactional_groups
from tidemark_pipeline.story.passes import contradiction, find_likely
from tidemark_pipeline.story.removal import Ended, judge
from tidemark_pipeline.story.replay import GroupLog, replayed
from tidemark_pipeline.story.verdict import (
    Loss,
    Verdict,
    events_of,
    losses,
    verdict,
    why,
)

GIVE_BACK: Final = (
    "kafka-consumer-groups --bootstrap-server HOST:PORT --reset-offsets --from-file FILE --execute"
)
PROGRAM: Final = "tidemark explain-log"
FAILED: Final = 1
USAGE_ERROR: Final = 2
DEFAULT_PARTITIONS: Final = 50  # Kafka's default of offsets.topic.num.partitions


class TooLarge(PipelineError):
    """A single process has no room for the log."""


@dataclass(slots=True, frozen=True)
class Wire:
    """The facts about a running cluster whose log was copied into the directory that is explained.

    address         its bootstrap servers
    log_partitions  of `__consumer_offsets`
    topics          id, as Kafka prints it, and name of the topics that existed when the copy was complete
    since_ms        the copy begins with the records of this time; None: with the first ones
    """

    address: str
    log_partitions: int
    topics: Mapping[str, str]
    since_ms: int | None = None


@dataclass(frozen=True)
class Told:
    """A log, replayed and judged."""

    read: reading.Reading
    logs: Mapping[tuple[int, str], GroupLog]
    removed: Sequence[Ended]
    retention: Retention
    wire: Wire | None = None

    @cached_property
    def losses(self) -> Mapping[tuple[int, str], Sequence[Loss]]:
        """Return the losses of each group that has some."""
        by_group: dict[tuple[int, str], list[Ended]] = defaultdict(list)
        for each in self.removed:
            by_group[each.log_partition, each.group].append(each)
        found = {place: losses(ended) for place, ended in by_group.items()}
        return {place: of_group for place, of_group in found.items() if of_group}

    @cached_property
    def doubt(self) -> str | None:
        return contradiction(self.removed, self.retention)

    def of_group(self, name: str) -> Verdict:
        """Return the verdict about a group. Raises NoSuchGroup."""
        places = [place for place in self.logs if place[1] == name]
        if not places:
            raise self.read.unknown_group(name, {group for _, group in self.logs})
        place = max(places, key=lambda place: len(self.logs[place].commits))
        return verdict(
            self.logs[place],
            self.losses.get(place, ()),
            self.retention,
            self.read.coverage(place[0]),
            self.doubt,
        )


def told(read: reading.Reading, wire: Wire | None = None) -> Told:
    """Replay and judge a log. Raises TooLarge, or PipelineError if it cannot be read."""
    if wire is not None:
        found = replace(read.found, group_partition_count=wire.log_partitions)
        read = replace(read, found=found, since_ms=wire.since_ms)
    events, kafka_4_from_ms = topics_told(read.options.log_dirs)
    logs = replayed(_rows(read, "offsets"), _rows(read, "groups"))
    in_transactions = [
        number for number, survey in read.surveys.items() if survey.markers or survey.open_transactions
    ]
    transactional: set[tuple[int, str]] = set()
    if in_transactions:
        given = {"as_of": read.as_of_ms, "on_error": read.options.on_error}
        numbers = ",".join(map(str, in_transactions))
        transactional = transactional_groups(read.options.log_dirs, log_partitions=numbers, **given)
    retention, removed = judge(
        [each for log in logs.values() for each in log.ended],
        topic_events=events,
        retention=read.options.retention,
        kafka_4_from_ms=kafka_4_from_ms,
        transactional=transactional,
        topics_now={} if wire is None else wire.topics,
    )
    find_likely(removed, retention)
    return Told(read, logs, removed, retention, wire)


def _rows(read: reading.Reading, table: str) -> list[dict[str, Any]]:
    rows = changes(read.options.log_dirs, table, as_of=read.as_of_ms, on_error=read.options.on_error)
    if rows is None:
        raise TooLarge(
            "the log is too large to be explained in one process: use tidemark-pipeline, which needs Java"
        )
    found: list[dict[str, Any]] = rows.to_pylist()
    return found


def options_of(
    log_dirs: Sequence[str], *, retention: str | None, config: str | None, as_of: str
) -> command_line.Options:
    """Return the options of `tidemark-pipeline` with these values. Raises SystemExit, after a sentence on
    stderr, for a wrong value.
    """
    words = ["removals", "--log-dir", *log_dirs, "--as-of", as_of, "--skip-damaged"]
    for name, value in {"retention": retention, "config": config}.items():
        words += [] if value is None else [f"--{name}", value]
    return command_line.parse(words)


def explain(
    options: command_line.Options, *, group: str | None, show: int, as_json: bool, wire: Wire | None = None
) -> int:
    """Print what happened to a group, or to all. Return the exit code.

    0 for success, 1 for a failure, 2 for a group that is not there. wire: the log directory is a copy of the
    log of that cluster.
    """
    try:
        found = told(reading.begin(options, reading.now_ms()), wire)
        document = _of_all(found, show) if group is None else _of_group(found, group)
    except PipelineError as error:
        code = USAGE_ERROR if isinstance(error, NoSuchGroup) else FAILED
        sentence = command_line.error_document(str(error), code) if as_json else f"{PROGRAM}: {error}"
        sys.stderr.write(f"{_without_copy(sentence, options, wire)}\n")
        return code
    shown = json.dumps(document.as_json, ensure_ascii=False) if as_json else "\n".join(document.lines)
    sys.stdout.write(f"{_without_copy(shown, options, wire)}\n")
    return 0


def _without_copy(text: str, options: command_line.Options, wire: Wire | None) -> str:
    """Return the text without the directory of the copy, which is deleted when it is read."""
    return text if wire is None else text.replace(f"{options.log_dirs[0]}{os.sep}", "")


@dataclass(slots=True, frozen=True)
class Document:
    lines: Sequence[str]
    as_json: Mapping[str, object]


def _of_group(found: Told, name: str) -> Document:
    it = found.of_group(name)
    lines = [it.headline, ""]
    lines += [f"  {moment(event.at_ms)}  {event.sentence}" for event in it.events]
    lines += ["", *it.now] if it.events else it.now
    lines += [_sentence(limit) for limit in it.limits if limit not in it.headline]
    if it.give_back:
        lost = "the lost offset" if len(it.give_back) == 1 else "the lost offsets"
        lines.append(f"To give {lost} back, stop the consumers of the group, write this into a file,")
        lines += [f"  {line}" for line in it.give_back]
        lines.append(f"and run {GIVE_BACK} --group {cell(it.group)}")
    lines.append(_how(found))
    return Document(
        lines,
        {
            "group": it.group,
            "verdict": it.headline,
            "events": [event.as_json() for event in it.events],
            "now": it.now,
            "give_back": it.give_back,
            "limits": it.limits,
            **_facts(found),
        },
    )


def _of_all(found: Told, show: int) -> Document:
    coverage = found.read.coverage()
    lost = sorted(found.losses.items(), key=lambda item: -item[1][-1].at_ms)
    removed = sum(len(loss.offsets) for _, of_group in lost for loss in of_group)
    missing = sum(len(loss.missing) for _, of_group in lost for loss in of_group)
    rewound = {
        group: [event for event in events_of(log, (), found.retention) if event.what == "rewound"]
        for (_, group), log in found.logs.items()
    }
    rewound = {group: events for group, events in rewound.items() if events}
    if removed:
        headline = f"{plural(removed, 'committed offset')} of {plural(len(lost), 'group')} were removed"
        headline += f"; {count(missing)} of them {'is' if missing == 1 else 'are'} still missing."
        headline += "".join(f" But {limit}." for limit in list(coverage.limits())[:1])
    else:
        headline = f"{coverage.nothing_lost()}."
    if rewound:
        names = listed([seen(name) for name in sorted(rewound)])
        headline += f" Offsets of {plural(len(rewound), 'group')} were rewound: {names}."
    if found.doubt is not None:
        headline += f" Warning: {worded(found.doubt)}{'' if found.doubt.endswith('?') else '.'}"
    lines = [headline]
    for (_, group), of_group in lost[:show]:
        last = of_group[-1]
        number = plural(len(last.offsets), "offset")
        lines.append(f"  {moment(last.at_ms)}  {cell(group)}: {number}, {why(last, found.retention)}")
    if len(lost) > show:
        lines.append(f"  (and {plural(len(lost) - show, 'more group')}; --show N shows more)")
    if lost or rewound:
        first = lost[0][0][1] if lost else next(iter(rewound))
        lines.append(f"What happened to one group: {PROGRAM} ... --group {cell(first)}")
    lines += [_sentence(limit) for limit in coverage.limits() if limit not in headline]
    lines.append(_how(found))
    return Document(
        lines,
        {
            "verdict": headline,
            "groups": len(found.logs),
            "removals": [each.row() for each in found.removed],
            "rewound": {name: [event.as_json() for event in events] for name, events in rewound.items()},
            "limits": [*coverage.limits()],
            **_facts(found),
        },
    )


def _facts(found: Told) -> dict[str, object]:
    coverage = found.read.coverage()
    return {
        "as_of_ms": found.read.as_of_ms,
        **(
            {"log_dirs": list(found.read.options.log_dirs)}
            if found.wire is None
            else {"bootstrap_servers": found.wire.address}
        ),
        **found.retention.facts(),
        "coverage": {**asdict(coverage), "absent_log_partitions": sorted(found.read.absent)},
    }


def _how(found: Told) -> str:
    how = {"log": " (the newest record)", "now": " (now)"}.get(str(found.read.options.as_of), "")
    said = f"As of {moment(found.read.as_of_ms)}{how}; {found.retention.text}."
    if found.wire is None:
        return said
    return f"{said} Read from {found.wire.address}, which does not tell when topics were deleted."


def _sentence(limit: str) -> str:
    """Return a limit, whose subject is the log, as a sentence of its own."""
    limit = f"this log {limit[3:]}" if limit.startswith("it ") else limit
    return f"{limit[:1].upper()}{limit[1:]}."
