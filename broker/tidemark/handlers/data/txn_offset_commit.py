"""TxnOffsetCommit: a transaction commits offsets of a group. They are pending until the transaction ends.

v2  leader epoch per partition (KIP-320)
v3  member and generation of the group (KIP-447)
v4  TRANSACTION_ABORTABLE (KIP-890)
v5  the partition of `__consumer_offsets` joins the transaction without AddOffsetsToTxn (KIP-890)
v6  topics by id; GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH (KIP-1319)

Order of the checks [4.3.1]: authorization, topics, the producer's epoch in the partition of
`__consumer_offsets`, the transaction, group and member, metadata. The transaction is checked once: while the
producer has an open transaction in the partition, nothing looks at the transactional id.

An offset is written only after the transaction's record of the partition is durable, and only if the
transaction is still open by then. So no offset is pending forever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision, OffsetsCommitted, Record
from tidemark.groups.forgetting import COMMIT_BYTES_MIN, batch_bytes_max
from tidemark.groups.offsets import is_longer
from tidemark.groups.state import Groups
from tidemark.handlers.groups.offset_commit import existing, merge, why_unknown
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.settings.release import Change
from tidemark.transactions.state import NAME as TRANSACTIONS
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.groups.group import TransactionalCommits
    from tidemark.transactions.model import TopicPartition

IMPLICIT_ADDITION_FROM: Final = 5
ABORTABLE_ERRORS_FROM: Final = 4
LOADING_ERROR_FROM: Final = 2
TOPIC_IDS_FROM: Final = 6
TRANSACTIONS_V2: Final = 2
STEP_TOPICS: Final = 64
STEP_PARTITIONS: Final = 500

Refused = dict[tuple[str, bytes], TxnOffsetCommitResponseTopic]


@log_api(TxnOffsetCommitRequest, versions=range(0, 7))
async def txn_offset_commit(
    logs: LogManager, ctx: Context, request: TxnOffsetCommitRequest
) -> TxnOffsetCommitResponse:
    allowed, turns = ctx.allowed, ctx.turns
    if not allowed(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, request.transactional_id):
        raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    refused: Refused = {}
    commits: TransactionalCommits = []  # to partitions that exist and may be read
    by_id = ctx.version >= TOPIC_IDS_FROM
    for start in range(0, len(request.topics), STEP_TOPICS):
        commits += existing(ctx, request.topics[start : start + STEP_TOPICS], refused, _put, by_id=by_id)
        if len(request.topics) >= start + STEP_TOPICS and turns.spend():
            await turns.rest()
    topics: list[TxnOffsetCommitResponseTopic] = []
    if commits:  # else neither the transaction nor the group is checked
        groups: Groups = ctx.decisions.state("Groups")
        try:
            await _join_transaction(logs, ctx, request, groups)
            topics = await _commit(logs, ctx, request, groups, commits)
        except KafkaError as error:
            code = error.code
            if code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS and ctx.version < LOADING_ERROR_FROM:
                code = ErrorCode.COORDINATOR_NOT_AVAILABLE
            topics = [_refuse(requested, given, code) for requested, _, given in commits]
    if not refused:
        return TxnOffsetCommitResponse(0, topics)
    for each in topics:
        merge(refused, (each.name, each.topic_id), each)
    return TxnOffsetCommitResponse(0, list(refused.values()))


async def _join_transaction(
    logs: LogManager, ctx: Context, request: TxnOffsetCommitRequest, groups: Groups
) -> None:
    """Add the group's partition of `__consumer_offsets` to the transaction, or check that it is in it.

    Returns once that is durable. Raises KafkaError.
    """
    if not request.group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    if not groups.status:  # there is no `__consumer_offsets`
        raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    if not groups.coordinates(groups.partition_for(request.group_id), ctx.caller.node_id):
        raise KafkaError(ErrorCode.NOT_COORDINATOR)
    partition = _unverified(logs, ctx, request, groups)
    if partition is None:
        return
    decisions = ctx.decisions
    producer = request.transactional_id, request.producer_id, request.producer_epoch
    transactions = decisions.state(TRANSACTIONS)
    began_ms = logs.clock.host_ms()
    if ctx.version >= IMPLICIT_ADDITION_FROM:
        added = transactions.add_partitions(decisions.now(), *producer, (partition,), TRANSACTIONS_V2)
        code: ErrorCode = decisions.apply(TRANSACTIONS, added)
    else:
        code = transactions.verify(*producer, (partition,))[partition]
    await decisions.durable()
    decisions.verified(int(code is not ErrorCode.NONE), logs.clock.host_ms() - began_ms)
    _check(code, ctx.version)


def _unverified(
    logs: LogManager, ctx: Context, request: TxnOffsetCommitRequest, groups: Groups
) -> TopicPartition | None:
    """Return the partition of `__consumer_offsets` that the transaction coordinator must verify or add.

    None if the producer has an open transaction there, or if nothing is verified. Raises
    INVALID_PRODUCER_EPOCH if the epoch is older than the producer's last one there.
    """
    producer_id, epoch = request.producer_id, request.producer_epoch
    partition = groups.partition_for(request.group_id)
    log = logs.find(OFFSETS_TOPIC, partition)
    # Before a flush, the log knows neither the newest commit nor the newest marker.
    written = None if log is None else log.producers.states.get(producer_id)
    if written is not None and epoch < written.epoch:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
    transaction = groups.offsets.open_transaction(partition, producer_id)
    if transaction is not None:
        if epoch < transaction.producer_epoch:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        if epoch == transaction.producer_epoch:
            return None
    if ctx.version < IMPLICIT_ADDITION_FROM and not ctx.cluster.verifies_transactions:
        return None
    if not ctx.decisions.state(TRANSACTIONS).status:  # there is no `__transaction_state`
        raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return OFFSETS_TOPIC, partition


def _check(code: ErrorCode, version: int) -> None:
    """Raise the error of the transaction coordinator, as the producer's request has it.

    Kafka: AddPartitionsToTxnManager.AddPartitionsToTxnHandler.onComplete.
    """
    if code is ErrorCode.PRODUCER_FENCED:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
    if code is ErrorCode.TRANSACTION_ABORTABLE and version < ABORTABLE_ERRORS_FROM:
        raise KafkaError(ErrorCode.INVALID_TXN_STATE)
    if code is not ErrorCode.NONE:
        raise KafkaError(code)


async def _commit(
    logs: LogManager,
    ctx: Context,
    request: TxnOffsetCommitRequest,
    groups: Groups,
    commits: TransactionalCommits,
) -> list[TxnOffsetCommitResponseTopic]:
    """Write the offsets as pending. Return the response once they are durable. Raises KafkaError.

    The records are made in steps. Everything that may have changed meanwhile is checked after that.
    """
    decisions, cluster, group_id = ctx.decisions, ctx.cluster, request.group_id
    metadata_max, bytes_left = groups.settings.offset_metadata_max_bytes, batch_bytes_max(cluster)
    producer = (request.producer_id, request.producer_epoch)
    wall_ms = decisions.now().wall_ms
    names_topic_ids = groups.settings.release.has(Change.TOPIC_IDS_OF_TRANSACTIONAL_OFFSETS)
    made: list[tuple[list[Record], TxnOffsetCommitResponseTopic]] = []
    for requested, topic, given in commits:
        name, topic_id = topic.name, topic.topic_id if names_topic_ids else ZERO_UUID
        bytes_left -= (COMMIT_BYTES_MIN + len(group_id) + len(topic.name)) * len(given)
        if bytes_left < 0:
            break
        records: list[Record] = []
        responses: list[TxnOffsetCommitResponsePartition] = []
        made.append((records, TxnOffsetCommitResponseTopic(requested.name, requested.topic_id, responses)))
        for number, commit in enumerate(given, 1):
            index, metadata = commit.partition_index, commit.committed_metadata or ""
            if is_longer(metadata, metadata_max):
                responses.append(TxnOffsetCommitResponsePartition(index, ErrorCode.OFFSET_METADATA_TOO_LARGE))
            else:
                value = OffsetCommitValue(
                    commit.committed_offset,
                    commit.committed_leader_epoch,
                    metadata,
                    wall_ms,
                    topic_id=topic_id,
                )
                records.append(Record(OffsetCommitKey(group_id, name, index), value, producer))
                responses.append(TxnOffsetCommitResponsePartition(index, ErrorCode.NONE))
            if number % STEP_PARTITIONS == 0 and ctx.turns.spend():
                await ctx.turns.rest()
        if len(made) % STEP_TOPICS == 0 and ctx.turns.spend():
            await ctx.turns.rest()

    # A new producer may have fenced this one meanwhile. Then the error is the one that the producer would
    # have got on joining: clients take INVALID_TXN_STATE for a bug.
    partition = _unverified(logs, ctx, request, groups)
    if partition is not None:
        transactions = decisions.state(TRANSACTIONS)
        codes = transactions.verify(request.transactional_id, *producer, (partition,))
        _check(codes[partition], ctx.version)
    groups.check_transactional_commit(ctx, request, commits)
    if bytes_left < 0:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    written: list[Record] = []
    topics: list[TxnOffsetCommitResponseTopic] = []
    for (requested, topic, given), (records, accepted) in zip(commits, made, strict=True):
        if cluster.topics_by_id.get(topic.topic_id) is topic:
            written += records
            topics.append(accepted)
        else:  # the topic was deleted meanwhile
            by_id = ctx.version >= TOPIC_IDS_FROM
            topics.append(_refuse(requested, given, why_unknown(ctx, requested, by_id=by_id)))
    counted = (OffsetsCommitted(len(written)),) if written else ()
    decisions.apply("Groups", Decision(None, tuple(written), effects=counted))
    await decisions.durable()
    return topics


def _put(
    refused: Refused,
    requested: TxnOffsetCommitRequestTopic,
    partitions: list[TxnOffsetCommitRequestPartition],
    error: ErrorCode,
) -> None:
    merge(refused, (requested.name, requested.topic_id), _refuse(requested, partitions, error))


def _refuse(
    requested: TxnOffsetCommitRequestTopic, partitions: list[TxnOffsetCommitRequestPartition], code: int
) -> TxnOffsetCommitResponseTopic:
    refused = [TxnOffsetCommitResponsePartition(each.partition_index, code) for each in partitions]
    return TxnOffsetCommitResponseTopic(requested.name, requested.topic_id, refused)
