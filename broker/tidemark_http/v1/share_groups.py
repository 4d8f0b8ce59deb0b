"""/v1/share-groups: share groups with their members, partitions and records in flight (KIP-932).

/v1/share-groups/expire_locks ends the locks of acquired records.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from starlette.requests import Request
from starlette.responses import Response

from tidemark.node.node import Node
from tidemark_http.operations import operation
from tidemark_http.parameters import Query, read_body, unknown_topic
from tidemark_http.responses import (
    ENTRY,
    HttpError,
    in_order,
    json_response,
    long_response,
    new_slice,
    write_cursor,
)
from tidemark_http.v1.groups import View, by_topic
from tidemark_http.v1.records import required

if TYPE_CHECKING:
    from tidemark.groups.group import Group
    from tidemark.groups.share.group import ShareGroup
    from tidemark.share.explain import Described
    from tidemark.share.open_partitions import SharePartitions
    from tidemark.share.partition import SharePartition

PARTITION_MAX: Final = range(2**31)
OFFSET_MAX: Final = range(2**63)
RUN: Final = 1  # the work to count a run of offsets, in offsets examined
LOCKS: Final = ("group", "topic", "partition")
# States of a partition's offsets in the share coordinator.
INITIALIZED, INITIALIZING = "initialized", "initializing"


class ShareView(View):
    """Share groups as seen at one moment. topic, partition: only those that a request wants."""

    def __init__(self, node: Node, topic: str | None = None, partition: int | None = None) -> None:
        super().__init__(node)
        self.steady_ms = self.state.clock.steady_ms()
        self._topic, self._partition = topic, partition
        if topic is not None and topic not in self.state.cluster.topics:
            raise unknown_topic(topic)

    @property
    def shares(self) -> SharePartitions | None:
        """The share partitions. None: no group has had any since the start, and none is stored."""
        engine = self.node.current.engine
        return None if engine.share is None else engine.share_partitions()

    def share_group(self, group_id: str) -> ShareGroup:
        group = self.known_group(group_id)
        if not _is_share(group):
            message = f"group {group_id!r} is a {group.type_name} group, not a share group"
            raise HttpError(404, "not_a_share_group", message, "group")
        return cast("ShareGroup", group)

    async def partitions(
        self, group: ShareGroup, after: tuple[str, int]
    ) -> AsyncIterator[tuple[str, bytes, int, str]]:
        """Yield topic, topic id, partition and state of each share partition from this one on, in order.

        Topics that were deleted are left out.
        """
        topics = self.state.cluster.topics
        states = {INITIALIZING: group.initializing, INITIALIZED: group.initialized}
        names = {name for state in states.values() for name, _ in state.values()}
        async for name in in_order([*names], lambda each: each >= after[0] and self._topic in (None, each)):
            topic = topics.get(name)
            if topic is None:
                continue
            found: dict[int, str] = {}
            for state, by_id in states.items():
                found |= dict.fromkeys(by_id.get(topic.topic_id, ("", ()))[1], state)
            first = after[1] if name == after[0] else 0
            for index in sorted(found):
                if index >= first and self._partition in (None, index):
                    yield name, topic.topic_id, index, found[index]

    def share(self, group: ShareGroup, topic_id: bytes, partition: int) -> SharePartition | None:
        shares = self.shares
        return None if shares is None else shares.view((group.group_id, topic_id, partition))


def _is_share(group: Group) -> bool:
    return group.type_name == "share"


@operation("Share groups with their members", query=("group", "limit", "cursor"))
async def share_groups(node: Node, query: Query) -> Response:
    view, limit, after, name = ShareView(node), query.limit(), query.cursor(str), query.text("group")
    if name is not None:
        return json_response({"groups": [_group(view, view.share_group(name))], "cursor": None})
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    async for group_id in in_order([*view.groups.groups], lambda each: after is None or each > after[0]):
        group = view.group(group_id)
        if group is not None and _is_share(group):
            if len(entries) == limit:
                return long_response({"groups": entries, "cursor": write_cursor(entries[-1]["group"])})
            entries.append(_group(view, cast("ShareGroup", group)))
            await budget.pause(ENTRY + len(group.member_ids))
        await budget.pause()
    return long_response({"groups": entries, "cursor": None})


def _group(view: ShareView, group: ShareGroup) -> dict[str, Any]:
    settings = group.settings
    return {
        "group": group.group_id,
        "state": group.state_name,
        "epoch": group.group_epoch,
        "assignment_epoch": group.assignment_epoch,
        "members": [
            {
                "member_id": each.member_id,
                "client_id": each.client_id,
                "client_host": each.client_host,
                "rack": each.rack_id,
                "epoch": each.epoch,
                "subscription": sorted(each.topic_names),
                "assigned": by_topic(view, each.assigned),
                "target": by_topic(view, group.targets.get(each.member_id, {})),
            }
            for each in group.members.values()
        ],
        "subscribed_topics": sorted(group.by_name),
        "partitions": sum(len(some) for _, some in group.initialized.values()),
        "initializing": sum(len(some) for _, some in group.initializing.values()),
        "settings": {
            "share.record.lock.duration.ms": settings.record_lock_duration_ms,
            "share.delivery.count.limit": settings.delivery_count_limit,
            "share.partition.max.record.locks": settings.partition_max_record_locks,
            "share.auto.offset.reset": settings.auto_offset_reset,
            "share.isolation.level": settings.isolation_level,
            "share.renew.acknowledge.enable": settings.renew_acknowledge_enable,
        },
    }


@operation(
    "Share partitions of a group",
    query=("group", "topic", "partition", "limit", "cursor"),
    required=("group",),
)
async def share_partitions(node: Node, query: Query) -> Response:
    view, group = _wanted(node, query)
    limit, after = query.limit(), query.cursor(str, int)
    first = ("", 0) if after is None else (after[0], after[1] + 1)
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    budget = new_slice()
    async for topic, topic_id, index, state in view.partitions(group, first):
        if len(entries) == limit:
            cursor = write_cursor(entries[-1]["topic"], entries[-1]["partition"])
            break
        share = view.share(group, topic_id, index)
        shares = view.shares
        opened = None if shares is None else shares.get((group.group_id, topic_id, index))
        ends = view.state.logs.ends(topic, index)
        runs = [] if share is None else [*share.runs()]
        locks = [each.lock_end_ms for each in runs if each.lock_end_ms is not None]
        entries.append(
            {
                "topic": topic,
                "partition": index,
                "state": state,
                "in_use": opened is not None and opened.active is not None,
                "start_offset": None if share is None else share.start_offset,
                "end_offset": None if share is None else share.end_offset,
                "state_epoch": None if share is None else share.state_epoch,
                "log_start_offset": None if ends is None else ends[0],
                "log_end_offset": None if ends is None else ends[1],
                "records": None if share is None else share.counts(),
                "undelivered": None if share is None or ends is None else share.undelivered(ends[1]),
                "next_lock_end_ms": view.now_ms + min(locks) - view.steady_ms if locks else None,
            }
        )
        await budget.pause(ENTRY + len(runs) * RUN)
    body = {"now_ms": view.now_ms, "group": group.group_id, "partitions": entries, "cursor": cursor}
    return long_response(body)


@operation(
    "Records that a share group has in flight: who holds them, and why they are not delivered any more",
    query=("group", "topic", "partition", "offset", "limit", "cursor"),
    required=("group",),
)
async def share_records(node: Node, query: Query) -> Response:
    # A broker without share groups does not import it.
    from tidemark.share.explain import describe_offset, describe_run

    view, group = _wanted(node, query)
    offset = query.number("offset", OFFSET_MAX)
    if offset is not None and query.number("partition", PARTITION_MAX) is None:
        raise HttpError(422, "missing_field", "offset needs partition", "partition")
    limit, after = query.limit(), query.cursor(str, int, int)
    first = ("", 0) if after is None else (after[0], after[1])
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    budget = new_slice()
    async for topic, topic_id, index, _ in view.partitions(group, first):
        share = view.share(group, topic_id, index)
        await budget.pause()
        if share is None:
            continue
        if offset is not None:
            described = describe_offset(share, offset, steady_ms=view.steady_ms, wall_ms=view.now_ms)
            entries.append(_entry(group, share, topic, index, described))
            break
        begin = after[2] + 1 if after is not None and after[:2] == (topic, index) else 0
        for run in share.copied_from(begin, limit + 1 - len(entries)):
            described = describe_run(run, share.limits, steady_ms=view.steady_ms, wall_ms=view.now_ms)
            entries.append(_entry(group, share, topic, index, described))
            await budget.pause(ENTRY)
        if len(entries) > limit:
            del entries[limit:]
            last = entries[-1]
            cursor = write_cursor(last["topic"], last["partition"], last["first_offset"])
            break
    return long_response(
        {"now_ms": view.now_ms, "group": group.group_id, "records": entries, "cursor": cursor}
    )


def _entry(
    group: ShareGroup, share: SharePartition, topic: str, partition: int, described: Described
) -> dict[str, Any]:
    member = group.members.get(described.member_id or "")
    return {
        "topic": topic,
        "partition": partition,
        **asdict(described),
        "client_id": None if member is None else member.client_id,
        "in_flight": share.is_in_flight(described.last_offset),
    }


def _wanted(node: Node, query: Query) -> tuple[ShareView, ShareGroup]:
    topic, partition = query.text("topic"), query.number("partition", PARTITION_MAX)
    if partition is not None:
        required(topic, "topic")
    view = ShareView(node, topic, partition)
    return view, view.share_group(required(query.text("group"), "group"))


@operation("End the locks of acquired records, as if their time had passed", body=LOCKS, required=("group",))
async def expire_locks(node: Node, request: Request) -> Response:
    body = await read_body(request, *LOCKS)
    topic, partition = body.text("topic"), body.whole("partition", 0, PARTITION_MAX[-1])
    if partition is not None:
        required(topic, "topic")
    view = ShareView(node, topic, partition)
    group = view.share_group(required(body.text("group"), "group"))
    ended: list[dict[str, Any]] = []
    budget = new_slice()
    async for name, topic_id, index, _ in view.partitions(group, ("", 0)):
        shares = view.shares
        opened = None if shares is None else shares.get((group.group_id, topic_id, index))
        if shares is not None and opened is not None:
            count = await shares.expire_locks(opened)
            if count:
                ended.append({"topic": name, "partition": index, "records": count})
        await budget.pause(ENTRY)
    return long_response({"group": group.group_id, "partitions": ended})
