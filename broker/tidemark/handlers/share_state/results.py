"""The common part of the five APIs of share state: checks of the request, and the order of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from tidemark.core.context import CLUSTER_NAME, Context, Operation, ResourceType
from tidemark.core.decision import Decision, Steps
from tidemark.core.java import bucket_order, map_order, uuid_hash
from tidemark.share_coordinator.state import SharePartition, ShareStates
from tidemark_protocol.errors import ErrorCode, KafkaError

T = TypeVar("T")

# Errors of the coordinator, and not of the decision.
SERVICE_CODES: Final = (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
ORDERED_MAX: Final = 1_000  # topics, or partitions of one, that are sorted as Kafka's hash maps


def decided(
    states: ShareStates,
    ctx: Context,
    request: Any,
    verb: str,
    decide: Callable[[SharePartition, Any], Decision[Any]],
    result: Callable[[int, Any], T],
    failed: Callable[[int, int, str | None], T],
    *,
    skips_empty_topics: bool = False,
    prepare: Callable[[SharePartition, Any], Steps[None]] | None = None,
) -> Steps[list[tuple[bytes, list[T]]]]:
    """Decide each partition of a request, and return the results of each topic id, in Kafka's order.

    decide(key, partition) decides one element of the request, result(partition, response) builds its result,
    and failed(partition, code, message) that of one that is refused. prepare(key, partition): steps before
    decide. verb: what fails, in Kafka's messages.

    A request without a group gets no results, nor does one with a topic without partitions unless such
    topics are skipped. If a partition is named twice, both are decided, and the last result counts. Kafka:
    ShareCoordinatorService.
    """
    if not ctx.allowed(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME):
        return (yield from _unauthorized(request, failed))
    is_complete = skips_empty_topics or all(topic.partitions for topic in request.topics)
    if not request.group_id or not is_complete:
        return []
    found: dict[bytes, dict[int, T]] = {}
    for topic in request.topics:
        for each in topic.partitions:
            of_topic = found.setdefault(topic.topic_id, {})
            key = SharePartition(request.group_id, topic.topic_id, each.partition)
            try:
                states.check_coordinates(key, ctx.caller.node_id)
                if prepare is not None:
                    yield from prepare(key, each)
                decision = decide(key, each)
            except KafkaError as error:
                text = error.message or error.code.text
                if error.code in SERVICE_CODES:
                    text = f"Unable to {verb}: {text}"
                of_topic[each.partition] = failed(each.partition, error.code, text)
                yield 1
            else:
                if decision.records:
                    yield Decision(records=decision.records)
                one = of_topic[each.partition] = result(each.partition, decision.response)
                yield 1 + len(getattr(one, "state_batches", ()))
    in_order: list[tuple[bytes, list[T]]] = []
    for topic_id in map_order(found, uuid_hash) if 1 < len(found) <= ORDERED_MAX else found:
        of_topic = found[topic_id]
        partitions: Iterable[int] = of_topic
        if 1 < len(of_topic) <= ORDERED_MAX:
            buckets = yield from bucket_order(of_topic, int)
            partitions = (each for bucket in buckets for each in bucket)
        in_order.append((topic_id, [of_topic[each] for each in partitions]))
    return in_order


def _unauthorized(
    request: Any, failed: Callable[[int, int, str | None], T]
) -> Steps[list[tuple[bytes, list[T]]]]:
    code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    results: list[tuple[bytes, list[T]]] = []
    for topic in request.topics:
        results.append(
            (topic.topic_id, [failed(each.partition, code, code.text) for each in topic.partitions])
        )
        yield len(topic.partitions)
    return results
