"""GET /v1/groups, /v1/offsets, /v1/expiry, /v1/expiry/log, /v1/clock: what is there, and what becomes of it.

A million offsets are looked at and sorted in slices, so that no other client waits; what comes or goes
meanwhile is seen or not. A page ends with a cursor that names its last entry: the next one begins after it,
whatever has changed.
"""

from __future__ import annotations

import heapq
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from tidemark.clock import turn
from tidemark.core.removal import Cause, Removal
from tidemark.groups.classic.model import Group
from tidemark.groups.explain import (
    MINUTE_MS,
    Outlook,
    Retention,
    explain_group,
    explain_offset,
)
from tidemark.groups.foreign import ConsumerGroup
from tidemark.groups.offsets import TopicPartition
from tidemark.groups.retention import ABSENT, Expiry, Foresight, expiry_of
from tidemark.http.answers import Refused, answer, csv, long_answer
from tidemark.http.parameters import Query, write_cursor
from tidemark.http.ports import Ports
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitValue
from tidemark_protocol.subscriptions import subscribed_topics

K = TypeVar("K", bound="str | tuple[str, int]")

INT_MAX: Final = 2**31 - 1

# As much as a loop turn may take, about 2 ms: offsets looked at, 2 us each, or keys sorted. An entry of an
# answer, with its sentence, costs as much as some offsets.
LOOKED_PER_TURN: Final = 800
SORTED_PER_TURN: Final = 3_000
ENTRY: Final = 10

Entry = dict[str, Any]


@dataclass(slots=True, frozen=True)
class View:
    """The state, with the moment and the retention that it is seen with."""

    ports: Ports
    now_ms: int
    retention: Retention

    def group(self, group_id: str) -> Group | None:
        """None: unknown, or the partition that holds it cannot be read."""
        groups = self.ports.groups
        group = groups.groups.get(group_id)
        return group if group is not None and groups.service_error(group_id) is ErrorCode.NONE else None

    def expiry(self, group: Group, where: TopicPartition, value: OffsetCommitValue) -> Expiry:
        return expiry_of(self.ports.groups, group, where, value, self.now_ms, self.retention.ms)

    def known_group(self, group_id: str) -> Group:
        """Raises Refused."""
        group = self.group(group_id)
        if group is not None:
            return group
        groups = self.ports.groups
        if groups.status and groups.service_error(group_id) is not ErrorCode.NONE:
            why = (
                f"the partition of __consumer_offsets that holds group {group_id!r}, if there is one, cannot "
                "be read or is not here"
            )
            raise Refused(503, "not_served", why, "group")
        raise Refused(404, "unknown_group", f"there is no group {group_id!r}", "group")


def view(ports: Ports, minutes: int | None = None) -> View:
    """minutes: another retention than the broker's."""
    retention = Retention(
        ports.groups.limits.offsets_retention_ms, "assumed" if ports.assumed_retention else "set"
    )
    asked = retention if minutes is None else Retention(minutes * MINUTE_MS, "asked")
    return View(ports, ports.time.state().now_ms, asked)


# Slices.


class Turns:
    """Others have theirs whenever enough was done."""

    def __init__(self) -> None:
        self._done = 0

    async def after(self, work: int) -> None:
        """work: in offsets looked at."""
        self._done += work
        if self._done >= LOOKED_PER_TURN:
            self._done = 0
            await turn()


async def in_order(keys: list[K], keep: Callable[[K], bool]) -> AsyncIterator[K]:
    """Those that are to be kept, sorted."""
    runs = []
    for start in range(0, len(keys), SORTED_PER_TURN):
        runs.append(sorted(filter(keep, keys[start : start + SORTED_PER_TURN])))
        if len(keys) > SORTED_PER_TURN:
            await turn()
    for number, key in enumerate(heapq.merge(*runs), 1):
        yield key
        if number % SORTED_PER_TURN == 0:
            await turn()


def look(view: View, group: Group) -> Iterator[tuple[TopicPartition, Expiry] | None]:
    """Every offset of the group with what becomes of it, and None where others are to have their turn."""
    offsets = view.ports.groups.offsets.of(group.group_id)
    for number, where in enumerate([*offsets], 1):
        value = offsets.get(where)
        if value is not None:
            yield where, view.expiry(group, where, value)
        if number % LOOKED_PER_TURN == 0:
            yield None


async def foresee(view: View, group: Group) -> Outlook:
    foresight = Foresight(view.ports.groups, group)
    for found in look(view, group):
        if found is None:
            await turn()
        else:
            foresight.add(found[1])
    return _outlook(foresight)


def _outlook(foresight: Foresight) -> Outlook:
    return Outlook(foresight.offsets, foresight.next_ms, foresight.group_due_ms, foresight.last_rule)


# Groups.


async def groups(ports: Ports, request: Request) -> Response:
    query = Query(request, "group", "limit", "cursor")
    seen, limit, after, name = view(ports), query.limit(), query.cursor(str), query.text("group")
    if name is not None:
        known = seen.known_group(name)
        return answer({"groups": [_group(seen, known, await foresee(seen, known))], "cursor": None})
    entries: list[Entry] = []
    turns = Turns()
    async for group_id in in_order([*ports.groups.groups], lambda each: after is None or each > after[0]):
        group = seen.group(group_id)
        if group is None:
            continue
        if len(entries) == limit:
            return long_answer({"groups": entries, "cursor": write_cursor(entries[-1]["group"])})
        outlook = await foresee(seen, group)
        entries.append(_group(seen, group, outlook))
        await turns.after(ENTRY + len(group.members) + outlook.offsets)
    return long_answer({"groups": entries, "cursor": None})


def _group(view: View, group: Group, outlook: Outlook) -> Entry:
    topics = group.subscribed_topics
    return {
        "group": group.group_id,
        "type": group.type_name,
        "state": group.state.value,
        "state_since_ms": group.state_since_ms,
        "protocol_type": group.protocol_type or "",
        "protocol": group.protocol,
        "generation": group.epoch if isinstance(group, ConsumerGroup) else group.generation,
        "members": _members(group),
        "subscribed_topics": None if topics is None else sorted(topics),
        "offsets": outlook.offsets,
        "due_ms": outlook.due_ms,
        "next_expiry_ms": outlook.next_ms,
        "explanation": explain_group(group, outlook, wall_ms=view.now_ms, retention=view.retention),
    }


def _members(group: Group) -> list[Entry]:
    if isinstance(group, ConsumerGroup):
        return [
            _member(each.member_id, each.subscription, each.subscribed_topics(group.regexes))
            for each in group.consumers.values()
        ]
    return [
        _member(each.member_id, each, subscribed_topics(group.protocol_type, [each.metadata(group.protocol)]))
        for each in group.members.values()
    ]


def _member(member_id: str, said: Any, subscription: set[str] | frozenset[str] | None) -> Entry:
    """said: what it has told of itself; subscription None: not known."""
    return {
        "member_id": member_id,
        "client_id": said and said.client_id,
        "client_host": said and said.client_host,
        "instance_id": said and said.instance_id,
        "subscription": None if subscription is None else sorted(subscription),
    }


# Offsets.


async def offsets(ports: Ports, request: Request) -> Response:
    query = Query(request, "group", "topic", "partition", "limit", "cursor")
    seen, limit, after = view(ports), query.limit(), query.cursor(str, str, int)
    name, topic, partition = query.text("group"), query.text("topic"), query.number("partition", range(2**31))
    if name is not None:
        seen.known_group(name)
    entries: list[Entry] = []
    turns = Turns()
    async for group_id, where in _places(seen, name, topic, partition, after):
        group, value = seen.group(group_id), ports.groups.offsets.get(group_id, *where)
        if group is None or value is None:
            continue
        if len(entries) == limit:
            last = entries[-1]
            cursor = write_cursor(last["group"], last["topic"], last["partition"])
            return long_answer({"offsets": entries, "cursor": cursor})
        entries.append(_offset(seen, group, where, value))
        await turns.after(ENTRY)
    if topic is not None and not entries and topic not in ports.cluster.topics:
        raise Refused(404, "unknown_topic", f"there is no topic {topic!r}", "topic")
    return long_answer({"offsets": entries, "cursor": None})


async def _places(
    view: View, name: str | None, topic: str | None, partition: int | None, after: tuple[Any, ...] | None
) -> AsyncIterator[tuple[str, TopicPartition]]:
    """Where offsets may be, in order of group, topic and partition."""
    groups = view.ports.groups

    def wanted(where: TopicPartition) -> bool:
        return (topic is None or where[0] == topic) and (partition is None or where[1] == partition)

    if name is not None and topic is not None and partition is not None:
        if after is None or (name, topic, partition) > after:
            yield name, (topic, partition)
        return
    first, begin = ("", None) if after is None else (after[0], after[1:])
    names = [*groups.groups] if name is None else [name]
    turns = Turns()
    async for group_id in in_order(names, lambda each: each >= first):
        places: list[TopicPartition] = [*groups.offsets.of(group_id)]
        begun = begin is not None and group_id == first
        keep = (lambda where: wanted(where) and where > begin) if begun else wanted
        async for where in in_order(places, keep):
            yield group_id, where
        await turns.after(1 + len(places) // 2)


def _offset(view: View, group: Group, where: TopicPartition, value: OffsetCommitValue) -> Entry:
    found = view.expiry(group, where, value)
    ends = view.ports.log_ends(*where)
    return {
        "group": group.group_id,
        "topic": where[0],
        "partition": where[1],
        "offset": value.offset,
        "leader_epoch": value.leader_epoch,
        "metadata": value.metadata,
        "committed_ms": value.commit_timestamp,
        "expire_ms": None if value.expire_timestamp == ABSENT else value.expire_timestamp,
        "log_end_offset": None if ends is None else ends[1],
        "lag": None if ends is None else ends[1] - value.offset,
        "rule": found.rule,
        "since_ms": found.since_ms,
        "due_ms": found.due_ms,
        "expired": found.expired(view.now_ms),
        "subscribed": group.is_subscribed(where[0]),
        "explanation": explain_offset(
            group, where, value, found, wall_ms=view.now_ms, retention=view.retention
        ),
    }


# What goes next.

OFFSET: Final = 0
GROUP: Final = 1
Due = tuple[int, int, str, str, int]  # when, OFFSET or GROUP, and which


async def expiry(ports: Ports, request: Request) -> Response:
    query = Query(request, "within", "group", "retention_minutes", "limit", "cursor")
    seen = view(ports, query.number("retention_minutes", range(1, INT_MAX + 1)))
    until_ms = seen.now_ms + query.duration_ms("within", "7d")
    limit, after, name = query.limit(), query.cursor(int, int, str, str, int), query.text("group")
    if name is not None:
        seen.known_group(name)
    due = await _soonest(seen, name, until_ms, after, limit + 1)
    return long_answer(
        {
            "now_ms": seen.now_ms,
            "retention_ms": seen.retention.ms,
            "offsets": await _due_offsets(seen, due[:limit]),
            "groups": [{"group": each[2], "due_ms": each[0]} for each in due[:limit] if each[1] == GROUP],
            "cursor": write_cursor(*due[limit - 1]) if len(due) > limit else None,
        }
    )


async def _due_offsets(view: View, due: list[Due]) -> list[Entry]:
    entries: list[Entry] = []
    turns = Turns()
    for _, kind, group_id, topic, partition in due:
        group, value = view.group(group_id), view.ports.groups.offsets.get(group_id, topic, partition)
        if kind == OFFSET and group is not None and value is not None:
            entries.append(_offset(view, group, (topic, partition), value))
            await turns.after(ENTRY)
    return entries


async def _soonest(
    view: View, name: str | None, until_ms: int, after: tuple[Any, ...] | None, count: int
) -> list[Due]:
    """The first `count` that are due until then, and after the place of the cursor."""
    best: list[Due] = []
    waiting: list[Due] = []
    async for due in _all_due(view, name):
        if due[0] <= until_ms and (after is None or due > after):
            waiting.append(due)
            if len(waiting) >= LOOKED_PER_TURN:
                best = heapq.nsmallest(count, best + waiting)
                waiting = []
                await turn()
    return heapq.nsmallest(count, best + waiting)


async def _all_due(view: View, name: str | None) -> AsyncIterator[Due]:
    groups = view.ports.groups
    turns = Turns()
    for group_id in [*groups.groups] if name is None else [name]:
        group = view.group(group_id)
        if group is None:
            continue
        foresight = Foresight(groups, group)
        for found in look(view, group):
            if found is None:
                await turn()
                continue
            where, outcome = found
            foresight.add(outcome)
            if outcome.due_ms is not None:
                yield outcome.due_ms, OFFSET, group_id, *where
        if foresight.group_due_ms is not None:
            yield foresight.group_due_ms, GROUP, group_id, "", 0
        await turns.after(1 + foresight.offsets)


async def next_expiry_ms(view: View, name: str | None) -> int | None:
    """When the next offset of the group goes (of any group, without a name), or else the group; None: never
    as things stand.
    """
    due = await _soonest(view, name, 2**64, None, 1)
    return due[0][0] if due else None


# What is gone.


async def log(ports: Ports, request: Request) -> Response:
    query = Query(request, "group", "topic", "format", "limit", "cursor")
    as_csv = query.choice("format", "json", "reset-csv") == "reset-csv"
    name, topic, limit, after = query.text("group"), query.text("topic"), query.limit(), query.cursor(int)
    for unused in ("limit", "cursor"):
        if as_csv and query.text(unused) is not None:
            raise Refused(422, "invalid_value", f"{unused} is not for reset-csv: it is given whole", unused)
    removals = ports.removals()
    entries: list[Removal] = []
    rows: dict[tuple[str, str, int], int] = {}
    place = 0 if after is None else after[0]
    kept, turns = removals.since(place), Turns()
    place = removals.count - len(kept)
    for number, removal in enumerate(kept, 1):
        await turns.after(1)
        if name not in (None, removal.group) or topic not in (None, removal.topic):
            continue
        if as_csv:
            _give_back(ports, rows, removal)
        elif len(entries) == limit:
            return long_answer({"removals": entries, "cursor": write_cursor(place + number - 1)})
        else:
            entries.append(removal)
    if as_csv:
        return csv((*where, offset) for where, offset in rows.items())
    return long_answer({"removals": entries, "cursor": None})


def _give_back(ports: Ports, rows: dict[tuple[str, str, int], int], removal: Removal) -> None:
    """The last that was removed counts, unless it was committed anew. Another life of a topic has other
    offsets.
    """
    where = (removal.group, removal.topic, removal.partition)
    rows.pop(where, None)
    topic = ports.cluster.topics.get(removal.topic)
    if topic is None or removal.cause is Cause.TOPIC_DELETE or removal.at_ms < topic.created_ms:
        return
    if ports.groups.offsets.get(*where) is None:
        rows[where] = removal.offset


# The time.


async def clock(ports: Ports, request: Request) -> Response:
    Query(request)
    return answer(clock_state(ports))


def clock_state(ports: Ports) -> Entry:
    return {
        **asdict(ports.time.state()),
        "test_api": ports.test_api,
        "retention_ms": ports.groups.limits.offsets_retention_ms,
        "assumed_retention": ports.assumed_retention,
    }
