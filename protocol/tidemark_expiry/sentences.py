"""The sentences that explain when and why an offset expires.

The broker fills them in here. The pipeline chooses and fills them in SQL, from the same tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from tidemark_expiry.rules import ABSENT, Expiry, Rule
from tidemark_protocol.subscriptions import CONSUMER

MINUTE_MS: Final = 60_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
DATES_MS: Final = range(-62_135_596_800_000, 253_402_300_800_000)  # the years 1 to 9999
REBALANCING: Final = ("PreparingRebalance", "CompletingRebalance")

_PLAIN: Final = re.compile(r"[\w.:/@-]+")


def moment(ms: int) -> str:
    """Return a time as ISO text in UTC. Java's longs reach beyond dates: then it is a number."""
    if ms not in DATES_MS:
        return f"{ms} ms since 1970"
    date = EPOCH + timedelta(milliseconds=ms)
    return date.replace(tzinfo=None).isoformat(timespec="milliseconds" if ms % 1000 else "seconds") + "Z"


def shown(name: str) -> str:
    """Return a name for a sentence: quoted as JSON if a reader could not see where it begins and ends."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


@dataclass(slots=True, frozen=True)
class Retention:
    """offsets.retention.minutes: configured, assumed to be Kafka's default, or requested."""

    ms: int
    origin: Literal["set", "assumed", "asked"] = "set"

    def __str__(self) -> str:
        setting = f"offsets.retention.minutes={self.ms // MINUTE_MS}"
        return setting + _ORIGINS[self.origin]


_ORIGINS: Final = {"set": "", "assumed": ", assumed", "asked": ", as requested"}


@dataclass(slots=True, frozen=True)
class Explained:
    """An offset with the state of its group, and when it expires.

    state_ms: None if not known. topics_known: the group's subscription can be read. expire_ms: `ABSENT`
    unless the commit set its own retention. retention: the text that names it.
    """

    group: str
    group_type: str
    protocol_type: str | None
    state: str
    state_ms: int | None
    topics_known: bool
    topic: str
    partition: int
    commit_ms: int
    expire_ms: int
    expiry: Expiry
    wall_ms: int
    retention: str


# A condition, by name, and the sentence if it holds. The first one that holds is chosen.
Choice = Sequence[tuple[str, str]]

ALWAYS: Final = "always"
MAY_REBALANCE: Final = "may_rebalance"  # only the pipeline does not know: a log does not record rebalances

CONDITIONS: Final[Mapping[str, Callable[[Explained], bool]]] = {
    ALWAYS: lambda it: True,
    MAY_REBALANCE: lambda it: False,
    "due": lambda it: it.expiry.expired(it.wall_ms),
    "never_due": lambda it: it.expiry.due_ms is None,
    "kip_848": lambda it: it.group_type == "consumer",
    "streams": lambda it: it.group_type == "streams",
    "streams_empty": lambda it: it.group_type == "streams" and it.state == "Empty",
    "rebalancing": lambda it: it.state in REBALANCING,
    "another_protocol": lambda it: it.protocol_type != CONSUMER,
    "topics_unknown": lambda it: not it.topics_known,
    "own_retention": lambda it: it.expire_ms != ABSENT,
    "empty_time_unknown": lambda it: it.state_ms is None,
    "committed_after_empty": lambda it: it.state_ms is not None and it.commit_ms > it.state_ms,
}

PASS: Final[Choice] = (
    ("due", "the next cleanup pass, because it has been due since {expires_at}"),
    (ALWAYS, "the first cleanup pass from {expires_at} on"),
)
EXPIRES: Final[Choice] = (
    ("never_due", "never expires, because no offset reaches that age ({retention})"),
    (MAY_REBALANCE, "expires not before {pass} ({retention})"),
    (ALWAYS, "expires at {pass} ({retention})"),
)
AT: Final[Choice] = ((MAY_REBALANCE, "not before"), (ALWAYS, "at"))
REBALANCE_DELAYS: Final[Choice] = (
    (MAY_REBALANCE, " Offsets do not expire while the group rebalances, and the log does not record that."),
    (ALWAYS, ""),
)

_AGES: Final = "{offset} was committed at {committed} and {expires}"
_EMPTY: Final = "Group {group} has been Empty since {emptied}: {offset} {expires}."
_NOT_SUBSCRIBED: Final = (
    f"No member of group {{group}} is subscribed to {{topic}}, so the age counts from the commit: {_AGES}. "
    "A commit restarts this clock."
)
_WHILE_MEMBERS: Final = "so none of its offsets expires while it has members."

_ACTIVE: Final[Choice] = (
    (
        "kip_848",
        (
            "A member of group {group} is subscribed to {topic}, so {offset} does not expire. Once no member "
            "is, its age counts from the commit at {committed}: a KIP-848 group gets no new retention when "
            "its last member leaves."
        ),
    ),
    (
        "streams",
        (
            "{topic} is a source topic of the topology of streams group {group}, so {offset} does not "
            "expire. Once the group has no members, its age counts from the commit at {committed}: a streams "
            "group gets no new retention when its last member leaves."
        ),
    ),
    ("rebalancing", "Group {group} is {state}: none of its offsets expires during a rebalance."),
    (
        "another_protocol",
        (
            "Group {group} is {state} and its protocol type is {protocol_type}. Subscriptions are known of "
            f"consumer groups only, {_WHILE_MEMBERS}"
        ),
    ),
    (
        "topics_unknown",
        (
            "Group {group} is {state} and the subscription of a member cannot be read. It counts as "
            f"subscribed to every topic, {_WHILE_MEMBERS}"
        ),
    ),
    (
        ALWAYS,
        (
            "Group {group} is {state} and subscribed to {topic}, so {offset} does not expire. When its last "
            "member leaves, the clock of the whole group starts. If only this subscription ends, the age "
            "counts from the commit at {committed}."
        ),
    ),
)
_ACTIVE_PIECE: Final[Choice] = (
    ("own_retention", "{in_use} Its own retention, until {expire_time}, does not apply meanwhile."),
    (ALWAYS, "{in_use}"),
)

# The sentence for each rule.
SENTENCES: Final[Mapping[Rule, Choice]] = {
    Rule.GROUP_EMPTY: (
        (
            "empty_time_unknown",
            (
                "Group {group} is Empty. Its record, written by Kafka before 2.1, does not say since when, "
                f"so the age of each offset counts from its commit: {_AGES}."
            ),
        ),
        (
            "committed_after_empty",
            f"{_EMPTY} The commit at {{committed}} did not restart the group's clock: only a join does.",
        ),
        (ALWAYS, f"{_EMPTY} A commit does not restart the group's clock."),
    ),
    Rule.TOPIC_NOT_SUBSCRIBED: (
        (
            "kip_848",
            f"{_NOT_SUBSCRIBED} The departure of the last member does not, because this is a KIP-848 group.",
        ),
        (
            "streams_empty",
            (
                "Streams group {group} is Empty. The departure of its last member starts no clock, so the "
                f"age of each offset counts from its commit: {_AGES}. A commit restarts this clock."
            ),
        ),
        (
            "streams",
            (
                "{topic} is not a source topic of the topology of streams group {group}, so the age counts "
                f"from the commit: {_AGES}. A commit restarts this clock."
            ),
        ),
        (ALWAYS, f"{_NOT_SUBSCRIBED}{{rebalance_delays}}"),
    ),
    Rule.STANDALONE: (
        (
            ALWAYS,
            (
                "Group {group} has never had members, so the age of each offset counts from its commit: "
                f"{_AGES}. A commit restarts this clock.{{rebalance_delays}}"
            ),
        ),
    ),
    Rule.EXPLICIT_RETENTION: (
        (
            ALWAYS,
            (
                "{offset} of group {group} was committed at {committed} with its own retention (OffsetCommit "
                "v2 to v4): it expires {at} {pass}. offsets.retention.minutes does not apply to it until it "
                "is committed again without one.{rebalance_delays}"
            ),
        ),
    ),
    Rule.ACTIVE: _ACTIVE_PIECE,
    Rule.PENDING_TRANSACTION: (
        (
            ALWAYS,
            (
                "An open transaction has an offset for {offset} of group {group}: the committed one does not "
                "expire until the transaction ends, however old it is."
            ),
        ),
    ),
    Rule.NOT_SERVED: (
        (
            ALWAYS,
            "Group {group} is of type {group_type}, which tidemark does not serve: {offset} does not expire.",
        ),
    ),
}

# Parts of a sentence that are chosen by themselves. Each may contain those that follow it.
PARTS: Final[Mapping[str, Choice]] = {
    "in_use": _ACTIVE,
    "expires": EXPIRES,
    "at": AT,
    "pass": PASS,
    "rebalance_delays": REBALANCE_DELAYS,
}

_WORD: Final = re.compile(r"\{(\w+)\}")


def explain(it: Explained) -> str:
    """Return the sentences about one offset."""
    template = _chosen(SENTENCES[it.expiry.rule], it)
    for name, choice in PARTS.items():
        if f"{{{name}}}" in template:
            template = template.replace(f"{{{name}}}", _chosen(choice, it))
    # All words at once: braces in a name are not a part of the template.
    return _WORD.sub(lambda word: _WORDS[word[1]](it), template)


def _chosen(choice: Choice, it: Explained) -> str:
    return next(text for condition, text in choice if CONDITIONS[condition](it))


def pass_text(due_ms: int, wall_ms: int) -> str:
    """Return the name of the cleanup pass that removes an offset which is due then."""
    text = dict(PASS)["due" if due_ms <= wall_ms else ALWAYS]
    return text.replace("{expires_at}", moment(due_ms))


def _maybe(ms: int | None) -> str:
    return "" if ms is None else moment(ms)


_WORDS: Final[Mapping[str, Callable[[Explained], str]]] = {
    "group": lambda it: shown(it.group),
    "topic": lambda it: shown(it.topic),
    "offset": lambda it: f"{shown(it.topic)}-{it.partition}",
    "protocol_type": lambda it: shown(it.protocol_type or ""),
    "group_type": lambda it: it.group_type,
    "state": lambda it: it.state,
    "retention": lambda it: it.retention,
    "committed": lambda it: moment(it.commit_ms),
    "emptied": lambda it: _maybe(it.state_ms),
    "expires_at": lambda it: _maybe(it.expiry.due_ms),
    "expire_time": lambda it: moment(it.expire_ms),
}
WORDS: Final = tuple(_WORDS)
