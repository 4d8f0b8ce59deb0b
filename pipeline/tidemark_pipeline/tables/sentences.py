"""The sentences of `tidemark_expiry.sentences`, chosen and filled in by Spark.

A log does not record rebalances, so a group that may be rebalancing gets a sentence of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from tidemark_expiry.sentences import ALWAYS, MAY_REBALANCE, PARTS, SENTENCES, WORDS, Choice
from tidemark_pipeline.tables.longs import has_date, within_dates

if TYPE_CHECKING:
    from pyspark.sql import Column

DAY_MS: Final = 86_400_000

# The conditions of tidemark_expiry.sentences, over the columns of the forecast.
_CONDITIONS: Final[Mapping[str, str]] = {
    ALWAYS: "true",
    MAY_REBALANCE: "not_before",
    "due": "due",
    "never_due": "expires_at_ms IS NULL",
    "kip_848": "group_type = 'consumer'",
    "streams": "group_type = 'streams'",
    "streams_empty": "group_type = 'streams' AND state = 'Empty'",
    "rebalancing": "state IN ('PreparingRebalance', 'CompletingRebalance')",
    "another_protocol": "coalesce(protocol_type <> 'consumer', true)",
    "topics_unknown": "subscribed_topics IS NULL",
    "own_retention": "expire_timestamp_ms IS NOT NULL",
    "empty_time_unknown": "state_timestamp_ms IS NULL",
    "committed_after_empty": "commit_timestamp_ms > state_timestamp_ms",
}


def sentence() -> Column:
    """Return the sentence of a row of the forecast.

    The row has the columns of `expiry_sql`, those that follow from them, group, partition, not_before, and
    retention, which is text.
    """
    topic = shown(F.col("topic"))
    words = {
        "group": shown(F.col("group")),
        "topic": topic,
        "offset": F.concat(topic, F.lit("-"), F.col("partition").cast("string")),
        "protocol_type": shown(F.col("protocol_type")),
        "group_type": F.col("group_type"),
        "state": F.col("state"),
        "retention": F.col("retention"),
        "committed": moment(F.col("commit_timestamp_ms")),
        "emptied": moment(F.col("state_timestamp_ms")),
        "expires_at": moment(F.col("expires_at_ms")),
        "expire_time": moment(F.col("expire_timestamp_ms")),
    }
    assert set(words) == set(WORDS)
    # Java's formatter fills in all words at once, so braces in a name are not a part of the template.
    numbered = {name: f"%{at}$s" for at, name in enumerate(words, 1)}
    template = F.lit(None)
    for rule, choice in SENTENCES.items():
        template = F.when(F.col("rule") == rule, _chosen(choice, numbered)).otherwise(template)
    for name, choice in PARTS.items():
        template = F.replace(template, F.lit(f"{{{name}}}"), _chosen(choice, numbered))
    return F.call_function("format_string", template, *words.values())


def _chosen(choice: Choice, numbered: Mapping[str, str]) -> Column:
    """Return the text of the first condition that holds, with %1$s and so on in place of the words."""
    chosen = F.lit(None)
    for condition, template in reversed(choice):
        text = re.sub(r"\{(\w+)\}", lambda word: numbered.get(word[1], word[0]), template)
        chosen = F.when(F.expr(_CONDITIONS[condition]), text).otherwise(chosen)
    return chosen


# Times and names.


def moment(ms: Column) -> Column:
    """Return a time as ISO text in UTC, in any time zone of the session; a number if it has no date."""
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


_PLAIN: Final = r"\A[\p{L}\p{N}_.:/@-]+\z"  # Java's \w differs from Python's
_ESCAPES: Final = {char: json.dumps(char)[1:-1] for char in ("\\", '"', *map(chr, range(32)))}


def shown(name: Column) -> Column:
    """Return a name for a sentence: quoted as JSON if a reader could not see where it begins and ends."""
    table = F.create_map(*(F.lit(text) for pair in _ESCAPES.items() for text in pair))
    escaped = F.transform(F.split(name, ""), lambda char: F.coalesce(F.try_element_at(table, char), char))
    quoted = F.concat(F.lit('"'), F.array_join(escaped, ""), F.lit('"'))
    return F.when(name.rlike(_PLAIN), name).otherwise(quoted)
