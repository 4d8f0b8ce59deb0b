"""What the forecast says of an offset in plain English, as SQL expressions.

The texts are those of the broker (`groups/explain.py`), to which a test holds them, wherever the
log can know what the broker knows. A group that may be rebalancing gets a sentence of its own: not before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from tidemark_pipeline.model import ASSUMED
from tidemark_pipeline.tables.longs import has_date, within_dates

if TYPE_CHECKING:
    from pyspark.sql import Column

MINUTE_MS: Final = 60_000
DAY_MS: Final = 86_400_000

Choice = Sequence[
    tuple[str, str]
]  # a condition in SQL and the template to take where it holds; the first does

_PASS: Final[Choice] = (
    ("due", "the next cleanup pass, being due since {expires_at}"),
    ("true", "the first cleanup pass from {expires_at} on"),
)
_GOES: Final[Choice] = (
    ("expires_at_ms IS NULL", "never goes, as nothing gets that old ({retention})"),
    ("not_before", "goes not before {pass} ({retention})"),
    ("true", "goes at {pass} ({retention})"),
)

_AGES: Final = "{where} was committed at {committed} and {goes}"
_IN_USE: Final = "Group {group} is {state}"
_UNTIL_EMPTY: Final = "so none of its offsets goes until it has no members"
_HELD_BACK: Final = " Nothing goes while the group rebalances, which the log does not tell."

# Active: why.
_READ_BY_A_MEMBER: Final = (
    "A member of group {group} is subscribed to {topic}: {where} stays. Once nobody is, the age of its "
    "commit of {committed} counts: a group of KIP-848 gets no new retention when its last member leaves."
)
_REBALANCING: Final = f"{_IN_USE}: none of its offsets goes during a rebalance."
_ANOTHER_PROTOCOL: Final = (
    f"{_IN_USE} and its protocol type is {{protocol_type}}: only of consumer groups are the topics known, "
    f"{_UNTIL_EMPTY}."
)
_UNREADABLE: Final = (
    f"{_IN_USE} and the subscription of a member cannot be read: it counts as subscribed to every topic, "
    f"{_UNTIL_EMPTY}."
)
_SUBSCRIBED: Final = (
    f"{_IN_USE} and subscribed to {{topic}}: {{where}} stays. When its last member has left, the clock of "
    "the whole group starts; when only this subscription ends, the age of the commit of {committed} counts."
)

_ACTIVE: Final[Choice] = (
    ("group_type = 'consumer'", _READ_BY_A_MEMBER),
    ("state IN ('PreparingRebalance', 'CompletingRebalance')", _REBALANCING),
    ("protocol_type <> 'consumer'", _ANOTHER_PROTOCOL),
    ("subscribed_topics IS NULL", _UNREADABLE),
    ("true", _SUBSCRIBED),
)

# Each rule.
_EMPTY: Final = "Group {group} has been Empty since {emptied}: {where} {goes}."
_EMPTY_AND_COMMITTED: Final = (
    f"{_EMPTY} The commit at {{committed}} did not restart this clock, which is the group's: only a join "
    "does."
)
_JUST_EMPTY: Final = f"{_EMPTY} A commit does not restart this clock, which is the group's."
_EMPTY_UNKNOWN_SINCE: Final = (
    "Group {group} is Empty, but its record, written by a Kafka before 2.1, does not say since when, "
    "so each of its offsets has its own clock: {ages}."
)
_NOT_SUBSCRIBED: Final = (
    "Nobody in group {group} is subscribed to {topic}, so the age of the commit counts: {ages}. A commit "
    "restarts this clock"
)
_NOT_SUBSCRIBED_KIP_848: Final = (
    f"{_NOT_SUBSCRIBED}; the last member's leaving does not, as the group is one of KIP-848."
)
_STANDALONE: Final = (
    "Group {group} has never had members, so each of its offsets has its own clock: {ages}. A commit "
    "restarts this clock.{held_back}"
)
_EXPLICIT: Final = (
    "{where} of group {group} was committed at {committed} with a retention of its own (OffsetCommit v2 to "
    "v4): it goes {at} {pass}. offsets.retention.minutes does not count for it until it is committed again "
    "without one.{held_back}"
)
_ACTIVE_ALL_THE_SAME: Final = (
    "{active} That its commit asked to be kept until {expire_time} does not count meanwhile."
)
_PENDING: Final = (
    "A transaction that is still open has an offset for {where} of group {group}: the committed one stays "
    "until it ends, however old it is."
)
_NOT_SERVED: Final = (
    "Group {group} is of type {group_type}, whose offsets expire by no rule of this broker: {where} is kept "
    "as it was found."
)

_SAY: Final[Choice] = (
    ("rule = 'group_empty' AND state_timestamp_ms IS NULL", _EMPTY_UNKNOWN_SINCE),
    ("rule = 'group_empty' AND commit_timestamp_ms > state_timestamp_ms", _EMPTY_AND_COMMITTED),
    ("rule = 'group_empty'", _JUST_EMPTY),
    ("rule = 'topic_not_subscribed' AND group_type = 'consumer'", _NOT_SUBSCRIBED_KIP_848),
    ("rule = 'topic_not_subscribed'", f"{_NOT_SUBSCRIBED}.{{held_back}}"),
    ("rule = 'standalone'", _STANDALONE),
    ("rule = 'explicit_retention'", _EXPLICIT),
    ("rule = 'active' AND expire_timestamp_ms IS NOT NULL", _ACTIVE_ALL_THE_SAME),
    ("rule = 'active'", "{active}"),
    ("rule = 'pending_transaction'", _PENDING),
    ("true", _NOT_SERVED),
)


# What a sentence is put together of before the words are filled in: each may hold those behind it.
_PIECES: Final[Mapping[str, Choice]] = {
    "active": _ACTIVE,
    "goes": _GOES,
    "at": (("not_before", "not before"), ("true", "at")),
    "pass": _PASS,
    "held_back": (("not_before", _HELD_BACK), ("true", "")),
}


def sentence() -> Column:
    """Of a row of the forecast. It takes the columns of rules.Situation and of what follows from them, group,
    partition, not_before, and retention: the text that names it.
    """
    topic = shown(F.col("topic"))
    words = {
        "group": shown(F.col("group")),
        "topic": topic,
        "where": F.concat(topic, F.lit("-"), F.col("partition").cast("string")),
        "protocol_type": shown(F.col("protocol_type")),
        "group_type": F.col("group_type"),
        "state": F.col("state"),
        "retention": F.col("retention"),
        "committed": moment(F.col("commit_timestamp_ms")),
        "emptied": moment(F.col("state_timestamp_ms")),
        "expires_at": moment(F.col("expires_at_ms")),
        "expire_time": moment(F.col("expire_timestamp_ms")),
    }
    # Java's formatter fills them all in at once: no name is taken for a part of the template.
    places = {name: f"%{at}$s" for at, name in enumerate(words, 1)}
    template = _chosen(_SAY, places)
    for name, choice in _PIECES.items():
        template = F.replace(template, F.lit(f"{{{name}}}"), _chosen(choice, places))
    return F.call_function("format_string", template, *words.values())


def retention_text(retention_ms: int, *, assumed: bool) -> str:
    """How a sentence names offsets.retention.minutes."""
    named = f"offsets.retention.minutes={retention_ms // MINUTE_MS}"
    return f"{named}, {ASSUMED}" if assumed else named


def _chosen(choice: Choice, places: Mapping[str, str]) -> Column:
    """The template of the first condition that holds, with the words' places in it."""
    chosen = F.lit(None)
    for condition, template in reversed(choice):
        text = template.replace("{ages}", _AGES)
        text = re.sub(r"\{(\w+)\}", lambda word: places.get(word[1], word[0]), text)
        chosen = F.when(F.expr(condition), text).otherwise(chosen)
    return chosen


# Times and names.


def moment(ms: Column) -> Column:
    """UTC as ISO text, whatever the session's time zone; the number where there is no date."""
    at = within_dates(ms)
    in_day = F.pmod(at, F.lit(DAY_MS))
    day = F.date_from_unix_date(F.floor(at / DAY_MS).cast("int"))
    seconds = F.floor(in_day / 1000)
    clock = [_digits(F.floor(seconds / 3600), 2), _digits(F.floor(seconds / 60) % 60, 2)]
    text = F.concat(
        day, F.lit("T"), F.concat_ws(":", *clock, _digits(seconds % 60, 2)), _fraction(in_day % 1000)
    )
    return F.when(has_date(ms), text).otherwise(F.concat(ms, F.lit(" ms since 1970")))


def _fraction(ms: Column) -> Column:
    return F.when(ms == 0, "Z").otherwise(F.concat(F.lit("."), _digits(ms, 3), F.lit("Z")))


def _digits(number: Column, width: int) -> Column:
    return F.lpad(number.cast("string"), width, "0")


_PLAIN: Final = r"\A[\p{L}\p{N}_.:/@-]+\z"  # Java's \w is not Python's
_ESCAPES: Final = {char: json.dumps(char)[1:-1] for char in ("\\", '"', *map(chr, range(32)))}


def shown(name: Column) -> Column:
    """A name in a sentence: quoted as in JSON where it would not be seen to begin or to end."""
    table = F.create_map(*(F.lit(text) for pair in _ESCAPES.items() for text in pair))
    escaped = F.transform(F.split(name, ""), lambda char: F.coalesce(F.try_element_at(table, char), char))
    quoted = F.concat(F.lit('"'), F.array_join(escaped, ""), F.lit('"'))
    return F.when(name.rlike(_PLAIN), name).otherwise(quoted)
