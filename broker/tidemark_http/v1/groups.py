"""/v1/groups, /v1/groups/summary and /v1/rebalances: groups with their members, and when they expire.

/v1/groups/expel removes a member.
"""

from __future__ import annotations

import heapq
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.clock import turn
from tidemark.core.log_text import short
from tidemark.groups.expirations import Foresight, expiry_of
from tidemark.groups.explain import Holder, Outlook, explain_group
from tidemark.groups.group import Group, MemberFacts, Partitions, Roles
from tidemark.groups.offsets import TopicPartition, add_lag, lag_of
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.node.node import Node
from tidemark.seeding.calls import leave, leave_share_group, leave_streams_group
from tidemark.settings.setting import closest
from tidemark.turns import Slice
from tidemark_expiry.rules import Expiry
from tidemark_expiry.sentences import MINUTE_MS, Retention
from tidemark_http.operations import operation
from tidemark_http.parameters import Query, read_body, unknown_topic
from tidemark_http.responses import (
    ENTRY,
    OFFSETS_PER_TURN,
    HttpError,
    in_order,
    json_response,
    long_response,
    new_slice,
    write_cursor,
)
from tidemark_http.v1.records import carry_out, required
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitValue
from tidemark_protocol.subscriptions import assigned_to

QUERY: Final = ("group", "limit", "cursor")
EXPEL: Final = ("group", "member")
EXPELLED: Final = "expelled by a test"
MEMBERS_LISTED: Final = 5  # in an error
GROUP: Final = 4  # the work of a group, and of four of its offsets, in offsets examined elsewhere
NAMES_MAX: Final = 100_000  # characters of group ids that are encoded in one turn
# An offset expires soon if it does so within a day, or within a seventh of a retention below a week.
SOON_MS: Final = 24 * 60 * MINUTE_MS
SOON_SHARE: Final = 7
TROUBLE: Final = ("expires_soon", "unread", "rebalancing")
SETTLED: Final = ("Stable", "Dead")  # states in which a group with members does not rebalance
Committed = tuple[TopicPartition, OffsetCommitValue]
Ends = dict[TopicPartition, int | None]  # log end offsets, read once for all groups


class View:
    """The state of a node as seen at one moment. minutes: a retention to use instead of the broker's."""

    def __init__(self, node: Node, minutes: int | None = None) -> None:
        self.node = node
        self.state = node.current.state
        self.groups = self.state.groups
        self.now_ms = self.state.clock.wall_ms()
        self.retention = Retention(
            self.groups.settings.offsets_retention_ms, "assumed" if node.env.assumes_retention else "set"
        )
        if minutes is not None:
            self.retention = Retention(minutes * MINUTE_MS, "asked")
        transactions = node.current.engine.transactions_state()
        self._transactional_ids = {} if transactions is None else transactions.producers

    def group(self, group_id: str) -> Group | None:
        """Return the group, or None if it does not exist or its partition cannot be read."""
        group = self.groups.groups.get(group_id)
        return group if group is not None and self.groups.service_error(group_id) is ErrorCode.NONE else None

    def topic_name(self, topic_id: bytes) -> str:
        """Return the name of a topic, or its id as Kafka prints it if the topic was deleted."""
        topic = self.state.cluster.topics_by_id.get(topic_id)
        return urlsafe_b64encode(topic_id).decode().rstrip("=") if topic is None else topic.name

    def expiry(self, group: Group, where: TopicPartition, value: OffsetCommitValue) -> Expiry:
        return expiry_of(self.groups, group, where, value, self.now_ms, self.retention.ms)

    def holders(self, group: Group, where: TopicPartition) -> list[Holder]:
        """Return the open transactions that have committed an offset of the group for this partition."""
        return [
            Holder(
                self._transactional_ids.get(found.transaction.producer.producer_id),
                found.transaction.producer.producer_id,
                found.transaction.producer_epoch,
                found.transaction.since_ms,
            )
            for found in self.groups.offsets.pending_of(group.group_id, where)
        ]

    def known_group(self, group_id: str) -> Group:
        """Return the group. Raises HttpError if it does not exist or its partition cannot be read."""
        group = self.group(group_id)
        if group is not None:
            return group
        if self.groups.status and self.groups.service_error(group_id) is not ErrorCode.NONE:
            reason = (
                f"the partition of __consumer_offsets that would hold group {group_id!r} cannot be read or "
                "is not in this data directory"
            )
            raise HttpError(503, "not_served", reason, "group")
        raise HttpError(404, "unknown_group", f"there is no group {group_id!r}", "group")


def expiries(view: View, group: Group) -> Iterator[tuple[TopicPartition, Expiry] | None]:
    """Yield every offset of the group with its expiry, and None where the caller should let others run."""
    offsets = view.groups.offsets.of(group.group_id)
    for number, where in enumerate([*offsets], 1):
        value = offsets.get(where)
        if value is not None:
            yield where, view.expiry(group, where, value)
        if number % OFFSETS_PER_TURN == 0:
            yield None


async def outlook(view: View, group: Group) -> Outlook:
    """Return when the group and its offsets expire."""
    foresight = Foresight(view.groups, group)
    for found in expiries(view, group):
        if found is None:
            await turn()
        else:
            foresight.add(found[1])
    return Outlook(
        foresight.offsets,
        foresight.next_ms,
        foresight.group_due_ms,
        foresight.last_rule,
        view.groups.offsets.has_pending(group.group_id),
    )


@operation("Groups with their members, and when they expire", query=QUERY)
async def groups(node: Node, query: Query) -> Response:
    view, limit, after, name = View(node), query.limit(), query.cursor(str), query.text("group")
    if name is not None:
        known = view.known_group(name)
        return json_response({"groups": [_group(view, known, await outlook(view, known))], "cursor": None})
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    async for group_id in in_order([*view.groups.groups], lambda each: after is None or each > after[0]):
        group = view.group(group_id)
        if group is None:
            continue
        if len(entries) == limit:
            return long_response({"groups": entries, "cursor": write_cursor(entries[-1]["group"])})
        expected = await outlook(view, group)
        entries.append(_group(view, group, expected))
        await budget.pause(ENTRY + len(group.member_ids) + expected.offsets)
    return long_response({"groups": entries, "cursor": None})


def _group(view: View, group: Group, expected: Outlook) -> dict[str, Any]:
    topics = group.subscribed_topics
    return {
        "group": group.group_id,
        "type": group.type_name,
        "state": group.state_name,
        "state_since_ms": group.state_since_ms,
        "protocol_type": group.protocol_type or "",
        "protocol": group.protocol_name,
        "generation": group.epoch,
        "assignment_epoch": group.target_epoch,
        "members": [_member(view, each) for each in group.member_facts()],
        "subscribed_topics": None if topics is None else sorted(topics),
        "offsets": expected.offsets,
        "due_ms": expected.due_ms,
        "next_expiry_ms": expected.next_ms,
        "waits_for": group.waits_for(view.topic_name, view.now_ms),
        "explanation": explain_group(group, expected, wall_ms=view.now_ms, retention=view.retention),
        "coordinator": _coordinator(view, group),
    }


def _coordinator(view: View, group: Group) -> dict[str, Any] | None:
    """Return the broker that leads the group's partition, and its ISR; None: there is no such partition."""
    topic = view.state.cluster.topics.get(OFFSETS_TOPIC)
    if topic is None or group.partition >= len(topic.partitions):
        return None
    partition = topic.partitions[group.partition]
    return {"node_id": partition.leader, "partition": partition.index, "isr": partition.isr}


def _member(view: View, member: MemberFacts) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "member_id": member.member_id,
        "client_id": member.client_id,
        "client_host": member.client_host,
        "instance_id": member.instance_id,
        "subscription": None if member.subscription is None else sorted(member.subscription),
        "protocol": member.protocol,
        "epoch": member.epoch,
        "state": member.state,
        "assigned": by_topic(view, member.assigned)
        if member.assignment is None
        else _assigned(member.assignment),
        "revoking": by_topic(view, member.revoking),
        "target": by_topic(view, member.target),
    }
    if (facts := member.streams) is not None:
        endpoint = facts.endpoint
        shown |= {
            "assigned": _tasks(facts.assigned),
            "revoking": _tasks(facts.revoking),
            "target": _tasks(facts.target),
            "process_id": facts.process_id,
            "endpoint": None if endpoint is None else {"host": endpoint[0], "port": endpoint[1]},
            "topology_epoch": facts.topology_epoch,
        }
    return shown


def _tasks(roles: Roles) -> dict[str, dict[str, list[int]]]:
    return {
        role: {each: sorted(tasks[each]) for each in sorted(tasks) if tasks[each]}
        for role, tasks in roles.items()
    }


def _assigned(assignment: bytes) -> dict[str, list[int]] | None:
    found = assigned_to(assignment)
    return None if found is None else {each.topic: sorted(each.partitions) for each in found}


def by_topic(view: View, partitions: Partitions | None) -> dict[str, list[int]] | None:
    """Return the partitions by the name of their topic. Deleted topics are left out, as by Kafka's tools."""
    if partitions is None:
        return None
    topics = view.state.cluster.topics_by_id
    return {
        topics[topic_id].name: sorted(some) for topic_id, some in partitions.items() if topic_id in topics
    }


@operation("Remove a member of a group, as if its session had expired", body=EXPEL, required=EXPEL)
async def expel(node: Node, request: Request) -> Response:
    server = node.current.server
    body = await read_body(request, *EXPEL)
    view = View(node)
    group = view.known_group(required(body.text("group"), "group"))
    member = _find_member(group, required(body.text("member"), "member"))
    shown = _member(view, member)
    if group.type_name == "share":
        leaving = leave_share_group(group.group_id, member.member_id)
    elif group.type_name == "streams":
        leaving = leave_streams_group(group.group_id, member.member_id)
    else:
        leaving = leave(group.group_id, member.member_id, member.instance_id, EXPELLED)
    await carry_out(node, server, leaving)
    return json_response({"group": group.group_id, "member": shown})


def _find_member(group: Group, name: str) -> MemberFacts:
    """Return the member with this member id, else instance id, else client id. Raises HttpError."""
    members = group.member_facts()
    for found in (
        [each for each in members if each.member_id == name],
        [each for each in members if each.instance_id == name],
        [each for each in members if each.client_id == name],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            message = (
                f"{len(found)} members of group {group.group_id!r} have the client id {name!r}: name one by"
            )
            raise HttpError(409, "ambiguous_member", f"{message} its member id: {_listed(found)}", "member")
    names = [known for each in members for known in (each.client_id, each.instance_id) if known]
    has = f"its members are {_listed(members)}" if members else "it has no members"
    message = f"group {group.group_id!r} has no member {name!r}{closest(name, names) or f': {has}'}"
    raise HttpError(404, "unknown_member", message, "member")


def _listed(members: list[MemberFacts]) -> str:
    """Return the first members as "app-1 (member id app-1-5f0c...)"."""
    named = [
        f"{short(each.client_id)} (member id {short(each.member_id)})" for each in members[:MEMBERS_LISTED]
    ]
    more = f" and {len(members) - MEMBERS_LISTED} more" if len(members) > MEMBERS_LISTED else ""
    return ", ".join(named) + more


@operation("Rebalances of groups", query=QUERY)
async def rebalances(node: Node, query: Query) -> Response:
    name, limit, after = query.text("group"), query.limit(), query.cursor(int)
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    for each in node.current.engine.rebalances.newest_first():
        if (after is not None and each.number >= after[0]) or name not in (None, each.group):
            continue
        if len(entries) == limit:
            return long_response({"rebalances": entries, "cursor": write_cursor(entries[-1]["number"])})
        entries.append(asdict(each))
        await budget.pause(2)
    return long_response({"rebalances": entries, "cursor": None})


# It is cheap enough to be requested every second. It has no sentence and no members: `/v1/groups?group=`
# has them.
@operation("A short line about each group", query=("search", "topic", "sort", "limit", "cursor"))
async def summary(node: Node, query: Query) -> Response:
    view, limit, after = View(node), query.limit(), query.cursor(str)
    searched, topic = (query.text("search") or "").casefold(), query.text("topic")
    by_name = query.choice("sort", "name", "trouble") == "name"
    if not by_name and after is not None:
        raise HttpError(422, "invalid_value", "cursor is valid with sort=name only", "cursor")
    if topic is not None and topic not in view.state.cluster.topics:
        raise unknown_topic(topic)
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    ends: Ends = {}
    budget = new_slice()

    def wanted(group_id: str) -> bool:
        return (after is None or group_id > after[0]) and (not searched or searched in group_id.casefold())

    async for group_id in in_order([*view.groups.groups], wanted):
        group = view.group(group_id)
        if group is None:
            continue
        line = await _summary(view, group, topic, ends, budget)
        if line is not None and by_name and len(entries) == limit:
            cursor = write_cursor(entries[-1]["group"])
            break
        if line is not None:
            entries.append(line)
        if budget.spend(len(group.subscribed_topics or ()) // 4):
            await budget.rest()
    total = len(view.groups.groups)
    counts: dict[str, Any] = {}
    if not by_name:
        troubled = sum(bool(each["trouble"]) for each in entries)
        counts = {"troubled": troubled, "states": Counter(each["state"] for each in entries)}
        entries = heapq.nsmallest(limit, entries, key=_by_trouble)
    body = {"now_ms": view.now_ms, "total": total, **counts, "groups": entries, "cursor": cursor}
    # A response in pieces costs 2 ms more.
    at_once = sum(len(each["group"]) for each in entries) < NAMES_MAX
    return json_response(body) if at_once else long_response(body)


async def _summary(
    view: View, group: Group, only: str | None, ends: Ends, budget: Slice
) -> dict[str, Any] | None:
    """Return the line of a group.

    only: count the offsets of this topic; None if the group has no offset of it and is not subscribed to it.
    """
    offsets = view.groups.offsets.of(group.group_id)
    cluster = view.state.cluster
    subscribed: Collection[str] = group.subscribed_topics or ()
    if only is not None:
        places = [(only, each.index) for each in cluster.topics[only].partitions]
        offsets = {where: offsets[where] for where in places if where in offsets}
        if not offsets and only not in subscribed:
            return None
        subscribed = (only,)
        await budget.pause(len(places) // 4)
    topics: set[str] = set()
    lag: int | None = None
    next_ms: int | None = None
    known = 0  # partitions with a committed offset
    in_parts = len(offsets) > OFFSETS_PER_TURN
    items = [*offsets.items()] if in_parts else []
    for begin in range(0, len(items) or 1, OFFSETS_PER_TURN):
        part: Collection[Committed] = items[begin : begin + OFFSETS_PER_TURN] if in_parts else offsets.items()
        has_pending = view.groups.offsets.has_pending(group.group_id)
        topic: str | None = None
        commit_ms = expire_ms = 0
        for where, value in part:
            # One commit of many partitions gives them the same time: then they expire together, and the rule
            # is evaluated once for each topic.
            if (
                value.commit_timestamp != commit_ms
                or where[0] is not topic
                or value.expire_timestamp != expire_ms
                or has_pending
            ):
                topic, commit_ms, expire_ms = where[0], value.commit_timestamp, value.expire_timestamp
                topics.add(topic)
                due_ms = view.expiry(group, where, value).due_ms
                if due_ms is not None and (next_ms is None or due_ms < next_ms):
                    next_ms = due_ms
            if where not in ends:
                found = view.state.logs.ends(*where)
                ends[where] = None if found is None else found[1]
            end = ends[where]
            lag = add_lag(lag, lag_of(value.offset, end))
            known += end is not None or cluster.has_partition(*where)
        if budget.spend(GROUP + len(part) // 4):
            await budget.rest()
    partitions = sum(
        len(cluster.topics[each].partitions) for each in topics.union(subscribed) if each in cluster.topics
    )
    return {
        "group": group.group_id,
        "type": group.type_name,
        "state": group.state_name,
        "members": len(group.member_ids),
        "topics": len(topics),
        "offsets": len(offsets),
        "lag": lag,
        "without_offset": partitions - known,
        "next_expiry_ms": next_ms,
        "trouble": _trouble(view, group, lag, next_ms),
    }


def _trouble(view: View, group: Group, lag: int | None, next_expiry_ms: int | None) -> list[str]:
    """Return what needs attention, the worst first: names of TROUBLE.

    unread: it has lag and no members. A group that never had any does not count: its consumers assign their
    partitions themselves.
    """
    soon_ms = view.now_ms + min(SOON_MS, view.retention.ms // SOON_SHARE)
    settled = group.is_empty or group.state_name in SETTLED or not group.offsets_expire
    found = {
        "expires_soon": next_expiry_ms is not None and next_expiry_ms <= soon_ms,
        "unread": group.is_empty and group.protocol_type is not None and bool(lag),
        "rebalancing": not settled,
    }
    return [name for name in TROUBLE if found[name]]


def _by_trouble(line: dict[str, Any]) -> tuple[int, int, int, str]:
    trouble = line["trouble"]
    worst = TROUBLE.index(trouble[0]) if trouble else len(TROUBLE)
    return worst, -len(trouble), -(line["lag"] or 0), line["group"]
