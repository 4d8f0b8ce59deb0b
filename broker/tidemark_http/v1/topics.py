"""/v1/topics and /v1/partitions: topics, and their partitions with their ages."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from tidemark.handlers.cluster.describe_configs import describe_topic
from tidemark.metadata.configs import Source
from tidemark.metadata.model import CREATION_UNKNOWN, INTERNAL_TOPICS, Partition, Topic
from tidemark.node.incarnation import State
from tidemark.node.node import Node
from tidemark_http.operations import operation
from tidemark_http.parameters import Query, unknown_topic
from tidemark_http.responses import (
    in_order,
    json_response,
    long_response,
    new_slice,
    write_cursor,
)
from tidemark_http.v1.records import required

SOURCES: Final = {Source.DYNAMIC_TOPIC: "topic", Source.DEFAULT: "default"}
LOG: Final = 25  # reading the ends of a log, in offsets examined: it may have to be opened


@operation("Topics by name", query=("search", "limit", "cursor"))
async def topics(node: Node, query: Query) -> Response:
    limit, after = query.limit(), query.cursor(str)
    searched = (query.text("search") or "").casefold()
    state = node.current.state
    known = state.cluster.topics
    entries: list[dict[str, Any]] = []
    cursor: str | None = None

    def wanted(name: str) -> bool:
        return (after is None or name > after[0]) and searched in name.casefold()

    async for name in in_order([*known], wanted):
        if (topic := known.get(name)) is None:
            continue
        if len(entries) == limit:
            cursor = write_cursor(entries[-1]["topic"])
            break
        entries.append(await _topic(state, topic))
    now_ms = state.clock.wall_ms()
    return long_response({"now_ms": now_ms, "total": len(known), "topics": entries, "cursor": cursor})


async def _topic(state: State, topic: Topic) -> dict[str, Any]:
    created = [ms for each in topic.partitions if (ms := _created_ms(each)) is not None]
    budget, records, size_bytes = new_slice(), 0, 0
    for partition in [*topic.partitions]:
        first, end = state.logs.ends(topic.name, partition.index) or (0, 0)
        records += end - first
        size_bytes += _size_bytes(state, topic.name, partition) or 0
        await budget.pause(LOG)
    return {
        "topic": topic.name,
        "internal": topic.name in INTERNAL_TOPICS,
        "partitions": len(topic.partitions),
        "records": records,
        "size_bytes": size_bytes if state.logs.are_here else None,
        "oldest_partition_ms": min(created, default=None),
        "newest_partition_ms": max(created, default=None),
    }


@operation("Settings of a topic", query=("topic", "search"), required=("topic",))
async def topic_settings(node: Node, query: Query) -> Response:
    name, cluster = required(query.text("topic"), "topic"), node.current.state.cluster
    searched = (query.text("search") or "").casefold()
    topic = cluster.topics.get(name)
    if topic is None:
        raise unknown_topic(name)
    known = describe_topic(cluster.configs, topic.configs) if node.current.state.logs.are_here else ()
    settings = [
        {
            "name": each.setting.name,
            "value": each.value,
            "source": SOURCES.get(each.source, "broker"),
            "description": each.setting.about,
        }
        for each in known
        if searched in each.setting.name
    ]
    return json_response({"topic": name, "settings": settings})


@operation("Partitions of a topic", query=("topic", "limit", "cursor"))
async def partitions(node: Node, query: Query) -> Response:
    name, limit, after = query.text("topic"), query.limit(), query.cursor(str, int)
    state = node.current.state
    known = state.cluster.topics
    if name is not None and name not in known:
        raise unknown_topic(name)
    now_ms = state.clock.wall_ms()
    first, begin = ("", 0) if after is None else (after[0], max(after[1] + 1, 0))
    entries: list[dict[str, Any]] = []
    budget = new_slice()
    async for each in in_order([*known] if name is None else [name], lambda topic: topic >= first):
        topic = known.get(each)
        start = begin if each == first else 0
        for partition in [] if topic is None else topic.partitions[start : start + limit + 1]:
            if len(entries) == limit:
                cursor = write_cursor(entries[-1]["topic"], entries[-1]["partition"])
                return long_response({"now_ms": now_ms, "partitions": entries, "cursor": cursor})
            entries.append(_partition(state, each, partition, now_ms))
            await budget.pause(LOG)
    return long_response({"now_ms": now_ms, "partitions": entries, "cursor": None})


def _partition(state: State, name: str, partition: Partition, now_ms: int) -> dict[str, Any]:
    ends = state.logs.ends(name, partition.index)
    created_ms = _created_ms(partition)
    return {
        "topic": name,
        "partition": partition.index,
        "leader": partition.leader,
        "replicas": partition.replicas,
        "isr": partition.isr,
        "log_start_offset": None if ends is None else ends[0],
        "log_end_offset": None if ends is None else ends[1],
        "size_bytes": _size_bytes(state, name, partition),
        "created_ms": created_ms,
        "age_ms": None if created_ms is None else now_ms - created_ms,
    }


def _size_bytes(state: State, name: str, partition: Partition) -> int | None:
    """Return the size of the partition's segments, None if they are those of another cluster."""
    if not state.logs.are_here:
        return None
    log = state.logs.written(name, partition.index)
    return 0 if log is None else log.size_bytes


def _created_ms(partition: Partition) -> int | None:
    return None if partition.created_ms == CREATION_UNKNOWN else partition.created_ms
