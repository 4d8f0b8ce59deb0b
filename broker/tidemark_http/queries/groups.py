"""GET /v1/groups: groups with their members, and when they expire."""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.groups.explain import Outlook, explain_group
from tidemark.groups.group import Group, MemberFacts, Partitions
from tidemark_http.operations import operation
from tidemark_http.paging import ENTRY, in_order, new_slice, write_cursor
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.queries.view import View, outlook, view_of
from tidemark_http.responses import json_response, long_response

QUERY: Final = ("group", "limit", "cursor")


@operation("Groups with their members, and when they expire", query=QUERY)
async def groups(ports: Ports, request: Request) -> Response:
    query = Query(request, *QUERY)
    view, limit, after, name = view_of(ports), query.limit(), query.cursor(str), query.text("group")
    if name is not None:
        known = view.known_group(name)
        return json_response({"groups": [_group(view, known, await outlook(view, known))], "cursor": None})
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    async for group_id in in_order([*ports.groups.groups], lambda each: after is None or each > after[0]):
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
    }


def _member(view: View, member: MemberFacts) -> dict[str, Any]:
    return {
        "member_id": member.member_id,
        "client_id": member.client_id,
        "client_host": member.client_host,
        "instance_id": member.instance_id,
        "subscription": None if member.subscription is None else sorted(member.subscription),
        "protocol": member.protocol,
        "epoch": member.epoch,
        "state": member.state,
        "assigned": _by_topic(view, member.assigned),
        "revoking": _by_topic(view, member.revoking),
        "target": _by_topic(view, member.target),
    }


def _by_topic(view: View, partitions: Partitions | None) -> dict[str, list[int]] | None:
    """Return the partitions by the name of their topic. Deleted topics are left out, as by Kafka's tools."""
    if partitions is None:
        return None
    topics = view.ports.cluster.topics_by_id
    return {
        topics[topic_id].name: sorted(some) for topic_id, some in partitions.items() if topic_id in topics
    }
