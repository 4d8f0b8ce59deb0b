"""AddPartitionsToTxn: partitions join a transaction.

v0-3  from clients, for one transaction
v2    PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588)
v4    from brokers, for several transactions, which may only be verified (KIP-890)
v5    the same; TRANSACTION_ABORTABLE is possible
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from tidemark.core.context import CLUSTER_NAME, Context, Operation, ResourceType
from tidemark.core.decision import NOTHING, Decision, Steps, at_once
from tidemark.core.java import HashOrder
from tidemark.handlers.routes import command
from tidemark.metadata.model import INTERNAL_TOPICS
from tidemark.transactions.model import EPOCH_BUMP_FROM, ORDERED_MAX, TopicPartition
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash, topic_partition_hash
from tidemark_protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)

FROM_BROKERS: Final = 4
FENCED_FROM: Final = 2
STEP: Final = 100  # topics and partitions between two pauses

Errors = dict[TopicPartition, ErrorCode]


@command(AddPartitionsToTxnRequest, state=Transactions, versions=range(0, 6))
def add_partitions_to_txn(
    transactions: Transactions, ctx: Context, request: AddPartitionsToTxnRequest
) -> Steps[Decision[AddPartitionsToTxnResponse]]:
    if ctx.version < FROM_BROKERS:
        one = AddPartitionsToTxnTransaction(
            request.v3_and_below_transactional_id,
            request.v3_and_below_producer_id,
            request.v3_and_below_producer_epoch,
            False,
            request.v3_and_below_topics,
        )
        decided, results = yield from _decide(transactions, ctx, one, one.topics)
        response = AddPartitionsToTxnResponse(results_by_topic_v3_and_below=results)
        return Decision(response, decided.records, after=decided.after)
    if not ctx.allowed(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME):
        return Decision(AddPartitionsToTxnResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED))
    if not request.transactions:
        return Decision(AddPartitionsToTxnResponse())  # Kafka never responds (docs/differences.md)
    return (yield from _decide_all(transactions, ctx, request.transactions))


def _decide_all(
    transactions: Transactions, ctx: Context, requested: Sequence[AddPartitionsToTxnTransaction]
) -> Steps[Decision[AddPartitionsToTxnResponse]]:
    """Decide one transaction after the other.

    If an id is named twice, the last one's partitions count and the response names those of the first.
    """
    firsts: dict[str, list[AddPartitionsToTxnTopic]] = {}
    lasts: dict[str, list[AddPartitionsToTxnTopic]] = {}
    for each in requested:
        firsts.setdefault(each.transactional_id, each.topics)
        lasts[each.transactional_id] = each.topics
        yield 0
    results: list[AddPartitionsToTxnResult] = []
    for each in requested:
        each.topics = lasts[each.transactional_id]
        decided, topics = yield from _decide(transactions, ctx, each, firsts[each.transactional_id])
        results.append(AddPartitionsToTxnResult(each.transactional_id, topics))
        yield Decision(records=decided.records, after=decided.after)
    return Decision(AddPartitionsToTxnResponse(results_by_transaction=results))


def _decide(
    transactions: Transactions,
    ctx: Context,
    requested: AddPartitionsToTxnTransaction,
    named: list[AddPartitionsToTxnTopic],
) -> Steps[tuple[Decision[Any], list[AddPartitionsToTxnTopicResult]]]:
    """Decide about one transaction. Returns the decision and its part of the response.

    named: the topics that the response repeats.
    """
    transactional_id = requested.transactional_id
    if ctx.version < FROM_BROKERS and not ctx.allowed(
        Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id
    ):
        return NOTHING, (yield from _repeated(named, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
    partitions, errors = yield from _checked(ctx, requested.topics)
    if errors:
        for partition in partitions:
            errors[partition] = ErrorCode.OPERATION_NOT_ATTEMPTED
            yield 0
        return NOTHING, (yield from _by_topic(errors))
    try:
        transactions.check_coordinates(transactional_id, ctx.caller.node_id)
    except KafkaError as moved:
        return NOTHING, (yield from _repeated(named, moved.code))
    producer = transactional_id, requested.producer_id, requested.producer_epoch
    if requested.verify_only:
        return NOTHING, (yield from _by_topic(transactions.verify(*producer, partitions)))
    client_version = EPOCH_BUMP_FROM if ctx.version >= FROM_BROKERS else 0
    decide = partial(transactions.add_partitions, ctx.now, *producer, partitions, client_version)
    if len(named) + sum(len(topic.partitions) for topic in named) <= STEP:
        decided = decide()
        return decided, at_once(_repeated(named, _shown(ctx, decided)))
    code = _shown(ctx, decide())
    response = yield from _repeated(named, code)
    decided = decide()  # from the state after the last pause
    if _shown(ctx, decided) != code:
        response = at_once(_repeated(named, _shown(ctx, decided)))
    return decided, response


def _shown(ctx: Context, decided: Decision[ErrorCode]) -> ErrorCode:
    """Return the code that clients of this version know."""
    code = decided.response
    assert isinstance(code, ErrorCode)
    if code is ErrorCode.PRODUCER_FENCED and ctx.version < FENCED_FROM:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code


def _checked(
    ctx: Context, topics: Iterable[AddPartitionsToTxnTopic]
) -> Steps[tuple[dict[TopicPartition, None], Errors]]:
    """Return the partitions that may be added, and the errors of the others.

    Kafka logs TOPIC_AUTHORIZATION_FAILED for its internal topics, too, unless a broker requests them.
    """
    partitions: dict[TopicPartition, None] = {}
    errors: Errors = {}
    checked = 0
    for requested in topics:
        name = requested.name
        allowed = ctx.version >= FROM_BROKERS or (
            name not in INTERNAL_TOPICS and ctx.allowed(Operation.WRITE, ResourceType.TOPIC, name)
        )
        topic = ctx.cluster.topics.get(name)
        count = 0 if topic is None else len(topic.partitions)
        checked += 1
        if checked % STEP == 0:
            yield 0
        for index in requested.partitions:
            if not allowed:
                errors[name, index] = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            elif not 0 <= index < count:
                errors[name, index] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            else:
                partitions[name, index] = None
            checked += 1
            if checked % STEP == 0:
                yield 0
    return partitions, errors


def _repeated(
    topics: Iterable[AddPartitionsToTxnTopic], code: int
) -> Steps[list[AddPartitionsToTxnTopicResult]]:
    """Return the code for every partition, in the order of the request."""
    results: list[AddPartitionsToTxnTopicResult] = []
    for topic in topics:
        partitions: list[AddPartitionsToTxnPartitionResult] = []
        for start in range(0, len(topic.partitions), STEP):
            some = topic.partitions[start : start + STEP]
            partitions += [AddPartitionsToTxnPartitionResult(index, code) for index in some]
            yield len(some)
        results.append(AddPartitionsToTxnTopicResult(topic.name, partitions))
        yield 1
    return results


def _by_topic(errors: Errors) -> Steps[list[AddPartitionsToTxnTopicResult]]:
    """Return one result per topic, in the order of Java's maps unless there are many."""
    order = errors if len(errors) > ORDERED_MAX else HashOrder(topic_partition_hash, keys=errors).in_order()
    topics: dict[str, list[AddPartitionsToTxnPartitionResult]] = {}
    for name, index in order:
        topics.setdefault(name, []).append(AddPartitionsToTxnPartitionResult(index, errors[name, index]))
        yield 1
    names = topics if len(topics) > ORDERED_MAX else HashOrder(java_hash, keys=topics).in_order()
    return [AddPartitionsToTxnTopicResult(name, topics[name]) for name in names]
