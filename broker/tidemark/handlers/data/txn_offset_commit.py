"""TxnOffsetCommit: a transaction commits offsets of a group. They are pending until the transaction ends.

v2  leader epoch per partition (KIP-320)
v3  member and generation of the group (KIP-447)
v4  TRANSACTION_ABORTABLE (KIP-890)
v5  the partition of `__consumer_offsets` joins the transaction without AddOffsetsToTxn (KIP-890)

Order of the checks [4.3.1]: authorization, topics, the producer's epoch in the partition of
`__consumer_offsets`, the transaction, group and member, metadata. The transaction is checked once: while the
producer has an open transaction in the partition, nothing looks at the transactional id.

An offset is written only after the transaction's record of the partition is durable, and only if the
transaction is still open by then. So no offset is pending forever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidemark.core.context import Context, Now, Operation, ResourceType
from tidemark.core.in_steps import at_once, mapped
from tidemark.core.result import OffsetsCommitted, Record, Result, Steps
from tidemark.groups.forgetting import COMMIT_BYTES_MIN, batch_bytes_max
from tidemark.groups.offsets import is_longer
from tidemark.groups.state import Groups
from tidemark.groups.topic_responses import merge, split
from tidemark.groups.transactions import check_group
from tidemark.handlers.data.turns import each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.transactions.decisions import add_partitions, verify
from tidemark.transactions.state import Transactions
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

if TYPE_CHECKING:
    from tidemark.groups.group import TransactionalCommits
    from tidemark.transactions.model import TopicPartition

IMPLICIT_ADDITION_FROM: Final = 5
TRANSACTIONS_V2: Final = 2
ABORTABLE_ERRORS_FROM: Final = 4
LOADING_ERROR_FROM: Final = 2
STEP_PARTITIONS: Final = 500

Refused = dict[str, TxnOffsetCommitResponseTopic]


@log_api(TxnOffsetCommitRequest, versions=range(0, 6))
async def txn_offset_commit(
    logs: LogManager, ctx: Context, request: TxnOffsetCommitRequest
) -> TxnOffsetCommitResponse:
    if not ctx.allowed(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, request.transactional_id):
        raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    refused: Refused = {}
    commits = await _sort_out(ctx, request.topics, refused)
    if not commits:  # then neither the transaction nor the group is checked
        return _response(refused, [])
    commit = TransactionalCommit(logs, ctx, request, commits)
    try:
        await commit.join_transaction()
        topics: list[TxnOffsetCommitResponseTopic] = await ctx.decisions.decide("Groups", commit.decide)
    except KafkaError as error:
        code = _shown(error.code, ctx.version)
        return _response(refused, [_refuse(requested.name, given, code) for requested, _, given in commits])
    return _response(refused, topics)


def error_response(request: TxnOffsetCommitRequest, code: int) -> TxnOffsetCommitResponse:
    """Return the error for every partition, because the response has no error code of its own."""
    return at_once(error_response_in_steps(request, code))


def error_response_in_steps(request: TxnOffsetCommitRequest, code: int) -> Steps[TxnOffsetCommitResponse]:
    """Return the same for a request that may be long."""
    topics: list[TxnOffsetCommitResponseTopic] = []
    for topic in request.topics:
        partitions = yield from mapped(
            lambda each: TxnOffsetCommitResponsePartition(each.partition_index, code), topic.partitions
        )
        topics.append(TxnOffsetCommitResponseTopic(topic.name, partitions))
    return TxnOffsetCommitResponse(0, topics)


async def _sort_out(
    ctx: Context, topics: list[TxnOffsetCommitRequestTopic], refused: Refused
) -> TransactionalCommits:
    """Return the partitions that exist and may be read. Adds the responses for the others to refused."""
    commits: TransactionalCommits = []
    async for requested in each(topics, ctx.turns):
        name, given = requested.name, requested.partitions
        topic = ctx.cluster.topics.get(name)
        if not ctx.allowed(Operation.READ, ResourceType.TOPIC, name):
            merge(refused, name, _refuse(name, given, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
        elif topic is None:
            merge(refused, name, _refuse(name, given, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        else:
            existing, missing = split(given, len(topic.partitions))
            if missing:
                merge(refused, name, _refuse(name, missing, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
            if existing:
                commits.append((requested, topic, existing))
    return commits


class TransactionalCommit:
    """A request, while it is decided.

    commits: the partitions that exist and that the client may read.
    """

    def __init__(
        self,
        logs: LogManager,
        ctx: Context,
        request: TxnOffsetCommitRequest,
        commits: TransactionalCommits,
    ) -> None:
        self._logs = logs
        self._ctx = ctx
        self._request = request
        self._commits = commits

    # The transaction.

    async def join_transaction(self) -> None:
        """Add the group's partition of `__consumer_offsets` to the transaction, or check that it is in it.

        Returns once that is durable. Raises KafkaError.
        """
        request, ctx = self._request, self._ctx
        if not request.group_id:
            raise KafkaError(ErrorCode.INVALID_GROUP_ID)
        groups: Groups = ctx.decisions.state("Groups")
        if not groups.status:  # there is no `__consumer_offsets`
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        partition = self._unverified(groups)
        if partition is None:
            return
        producer = request.transactional_id, request.producer_id, request.producer_epoch

        def decide(transactions: Transactions, now: Now) -> Result[ErrorCode]:
            if self._adds:
                return add_partitions(transactions, now, *producer, (partition,), TRANSACTIONS_V2)
            return Result(verify(transactions, *producer, (partition,))[partition])

        clock = self._logs.clock
        began_ms = clock.host_ms()
        code = await ctx.decisions.decide("Transactions", decide)
        ctx.decisions.verified(int(code is not ErrorCode.NONE), clock.host_ms() - began_ms)
        _check(code, ctx.version)

    @property
    def _adds(self) -> bool:
        return self._ctx.version >= IMPLICIT_ADDITION_FROM

    def _unverified(self, groups: Groups) -> TopicPartition | None:
        """Return the partition that the coordinator must verify or add, or None. Raises KafkaError."""
        request, ctx = self._request, self._ctx
        if self._has_open_transaction(groups):
            return None
        if not self._adds and not ctx.cluster.verifies_transactions:
            return None
        if not ctx.transactions.status:  # there is no `__transaction_state`
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return OFFSETS_TOPIC, groups.partition_for(request.group_id)

    def _has_open_transaction(self, groups: Groups) -> bool:
        """Return whether the producer has an open transaction in the partition of `__consumer_offsets`.

        Raises INVALID_PRODUCER_EPOCH if the epoch is older than the producer's last one there.
        """
        partition = groups.partition_for(self._request.group_id)
        producer_id, epoch = self._request.producer_id, self._request.producer_epoch
        transaction = groups.offsets.open_transaction(partition, producer_id)
        log = self._logs.find(OFFSETS_TOPIC, partition)
        written = None if log is None else log.producers.states.get(producer_id)
        # Before a flush, the log knows neither the newest commit nor the newest marker.
        if written is not None and epoch < written.epoch:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        if transaction is None:
            return False
        if epoch < transaction.producer_epoch:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        return epoch == transaction.producer_epoch

    def _check_transaction(self, groups: Groups) -> None:
        """Check that the transaction has not ended since it was joined.

        A new producer may have fenced this one meanwhile. Then the error is the one that the producer would
        have got on joining: clients take INVALID_TXN_STATE for a bug.
        """
        partition = self._unverified(groups)
        if partition is not None:
            request = self._request
            producer = request.transactional_id, request.producer_id, request.producer_epoch
            codes = verify(self._ctx.transactions, *producer, (partition,))
            _check(codes[partition], self._ctx.version)

    # The group.

    def decide(self, groups: Groups, now: Now) -> Steps[Result[list[TxnOffsetCommitResponseTopic]]]:
        """Decide the records in steps, and then check everything that may have changed meanwhile."""
        request, cluster = self._request, self._ctx.cluster
        producer = (request.producer_id, request.producer_epoch)
        too_large = _bytes_at_least(request.group_id, self._commits) > batch_bytes_max(cluster)
        records: list[list[Record]] = []
        topics: list[TxnOffsetCommitResponseTopic] = []
        for requested, _, given in self._commits:
            response = TxnOffsetCommitResponseTopic(requested.name)
            made: list[Record] = []
            for start in range(0, len(given), STEP_PARTITIONS):
                part = given[start : start + STEP_PARTITIONS]
                if not too_large:
                    made += self._records(groups, now, producer, requested.name, part)
                response.partitions += _stored_or_too_large(groups, part)
                if start + STEP_PARTITIONS < len(given):
                    yield 0
            records.append(made)
            topics.append(response)
            yield 0
        self._check_transaction(groups)
        check_group(groups, request, self._commits)
        if too_large:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        written: list[Record] = []
        for index, (requested, topic, given) in enumerate(self._commits):
            if cluster.topics_by_id.get(topic.topic_id) is topic:
                written += records[index]
            else:  # the topic was deleted meanwhile
                topics[index] = _refuse(requested.name, given, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        counted = (OffsetsCommitted(len(written)),) if written else ()
        return Result(topics, tuple(written), effects=counted)

    def _records(
        self,
        groups: Groups,
        now: Now,
        producer: tuple[int, int],
        topic: str,
        partitions: list[TxnOffsetCommitRequestPartition],
    ) -> list[Record]:
        """Return the records. As in Kafka, they do not name the topic id."""
        group_id = self._request.group_id
        metadata_max = groups.limits.offset_metadata_max_bytes
        records: list[Record] = []
        for commit in partitions:
            metadata = commit.committed_metadata or ""
            if is_longer(metadata, metadata_max):
                continue
            value = OffsetCommitValue(
                commit.committed_offset, commit.committed_leader_epoch, metadata, now.wall_ms
            )
            records.append(Record(OffsetCommitKey(group_id, topic, commit.partition_index), value, producer))
        return records


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


def _shown(code: int, version: int) -> int:
    """Return the code that clients of a version know."""
    if code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS and version < LOADING_ERROR_FROM:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    return code


def _bytes_at_least(group_id: str, commits: TransactionalCommits) -> int:
    least = COMMIT_BYTES_MIN + len(group_id)
    return sum((least + len(topic.name)) * len(given) for _, topic, given in commits)


def _stored_or_too_large(
    groups: Groups, partitions: list[TxnOffsetCommitRequestPartition]
) -> list[TxnOffsetCommitResponsePartition]:
    metadata_max = groups.limits.offset_metadata_max_bytes
    return [
        TxnOffsetCommitResponsePartition(
            commit.partition_index,
            ErrorCode.OFFSET_METADATA_TOO_LARGE
            if is_longer(commit.committed_metadata or "", metadata_max)
            else ErrorCode.NONE,
        )
        for commit in partitions
    ]


def _refuse(
    name: str, partitions: list[TxnOffsetCommitRequestPartition], code: int
) -> TxnOffsetCommitResponseTopic:
    return TxnOffsetCommitResponseTopic(
        name, [TxnOffsetCommitResponsePartition(each.partition_index, code) for each in partitions]
    )


def _response(refused: Refused, others: list[TxnOffsetCommitResponseTopic]) -> TxnOffsetCommitResponse:
    if not refused:
        return TxnOffsetCommitResponse(0, others)
    for topic in others:
        merge(refused, topic.name, topic)
    return TxnOffsetCommitResponse(0, list(refused.values()))
