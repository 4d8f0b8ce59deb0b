"""Every kind of group with every kind of offset, for the broker and as columns of the pipeline."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.groups.consumer.group import ConsumerGroup, ConsumerGroupState
from tidemark.groups.group import Group
from tidemark.groups.share.group import ShareGroup
from tidemark.groups.state import Groups
from tidemark.groups.streams.group import StreamsGroup
from tidemark.groups.streams.member import StreamsMember
from tidemark_expiry.rules import ABSENT, LONG_MAX
from tidemark_protocol.records.offset_commit import OffsetCommitValue

NOW_MS: Final = 1_795_000_000_000
DAY_MS: Final = 86_400_000
RETENTIONS_MS: Final = (60_000, 7 * DAY_MS)
FAR_MS: Final = 253_402_300_800_000  # the year 10000
LONG_MIN: Final = -LONG_MAX - 1

STATE_TIMES: Final = (None, NOW_MS - 7 * DAY_MS, NOW_MS - 1, FAR_MS, -2)
COMMIT_TIMES: Final = (
    NOW_MS - 7 * DAY_MS - 1,
    NOW_MS - 7 * DAY_MS,
    NOW_MS - 7 * DAY_MS + 1,
    NOW_MS - 60_000,
    NOW_MS + 5,
    -1,
    FAR_MS,
    LONG_MAX,
    LONG_MAX - 60_000,
    NOW_MS - LONG_MAX - 1,  # the age overflows a long
    NOW_MS - LONG_MAX,
    LONG_MIN,
)
EXPIRE_TIMES: Final = (ABSENT, 0, -2, NOW_MS, NOW_MS + 1, LONG_MAX)
# Subscriptions: not known, with the topic, without it, empty.
SUBSCRIPTIONS: Final[tuple[tuple[str, ...] | None, ...]] = (None, ("orders", "b c"), ("payments",), ())


@dataclass(slots=True, frozen=True)
class Columns:
    """An offset and its group in the columns of the pipeline."""

    group_type: str | None
    protocol_type: str | None
    state: str
    state_timestamp_ms: int | None
    subscribed_topics: Sequence[str] | None
    topic: str
    commit_timestamp_ms: int
    expire_timestamp_ms: int | None
    pending: bool


class Case(NamedTuple):
    """An offset and its group, for the broker and for the pipeline."""

    group: Group
    value: OffsetCommitValue
    columns: Columns
    partition: int


# Names that need quotes, that Spark, Java or JSON could misread, or that only Python counts as letters.
NAMES: Final = (
    "readers-%d",
    'a "b" \\%d',
    "tab\t\x1f\x0b%d ",
    "Ünï²ↅ_%d",
    "{topic} %%1$s%d",
    "\u0301\u200d%d",
    "日%d\x7f",
)


def groups() -> Iterator[tuple[Group, str | None]]:
    """Yield each group with its type in the log, which is None if the log has no record of it."""
    for number, (group, group_type) in enumerate(_groups()):
        group.group_id = NAMES[number % len(NAMES)] % number if number else ""
        yield group, group_type


def _groups() -> Iterator[tuple[Group, str | None]]:
    yield ClassicGroup("", 0, NOW_MS - DAY_MS, store=Groups()), None
    yield ClassicGroup("", 0, NOW_MS - DAY_MS, store=Groups()), "classic"
    classic = itertools.product(
        ("consumer", "connect"),
        (
            ClassicGroupState.EMPTY,
            ClassicGroupState.PREPARING_REBALANCE,
            ClassicGroupState.COMPLETING_REBALANCE,
            ClassicGroupState.STABLE,
        ),
        STATE_TIMES,
        SUBSCRIPTIONS,
    )
    for protocol_type, state, since_ms, topics in classic:
        group = ClassicGroup("", 0, since_ms, state=state, protocol_type=protocol_type, store=Groups())
        if protocol_type == "consumer" and topics is not None:
            group.subscribed_topics = frozenset(topics)
        yield group, "classic"
    for state, topics in itertools.product(ConsumerGroupState, SUBSCRIPTIONS):
        if topics is not None:
            foreign = ConsumerGroup("", 0, None, state=state, protocol_type="consumer", store=Groups())
            foreign.subscribed_topics = frozenset(topics)
            yield foreign, "consumer"
    for member_ids, topics in itertools.product(((), ("m",)), SUBSCRIPTIONS):
        if topics is not None:
            members = {each: StreamsMember(each) for each in member_ids}
            sources = dict.fromkeys(topics, "0")
            streams = StreamsGroup("", 0, None, members=members, sources=sources, store=Groups())
            streams.protocol_type = "streams"
            streams.subscribed_topics = frozenset(sources) if members else frozenset()
            yield streams, "streams"
    yield ShareGroup("", 0, None, "share", store=Groups()), "share"


def values() -> Iterator[OffsetCommitValue]:
    for commit_ms, expire_ms in itertools.product(COMMIT_TIMES, EXPIRE_TIMES):
        yield OffsetCommitValue(42, -1, "", commit_ms, expire_ms)


def cases(topic: str = "orders") -> Iterator[Case]:
    for group, group_type in groups():
        offsets = itertools.product(values(), (False, True))
        for partition, (value, pending) in enumerate(offsets):
            columns = _columns(group, group_type, value, topic, pending=pending)
            yield Case(group, value, columns, partition)


def _columns(
    group: Group, group_type: str | None, value: OffsetCommitValue, topic: str, *, pending: bool
) -> Columns:
    topics = group.subscribed_topics
    return Columns(
        group_type=group_type,
        protocol_type=group.protocol_type,
        state=group.state_name,
        state_timestamp_ms=None if group_type is None else group.state_since_ms,
        subscribed_topics=None if topics is None else sorted(topics),
        topic=topic,
        commit_timestamp_ms=value.commit_timestamp,
        expire_timestamp_ms=None if value.expire_timestamp == ABSENT else value.expire_timestamp,
        pending=pending,
    )
