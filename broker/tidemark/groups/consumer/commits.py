"""The checks of a member that commits offsets. Kafka: ConsumerGroup.validateOffsetCommit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidemark.groups.consumer.model import ConsumerGroupModel, ConsumerMember
from tidemark.groups.group import names_member
from tidemark.groups.offsets import is_longer
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.core.context import Context
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

MEMBER_EPOCHS_FROM: Final = 9  # the first version of OffsetCommit with member epochs


def check_commit(
    group: ConsumerGroupModel, ctx: Context, request: OffsetCommitRequest, commits: Commits
) -> None:
    """Check the member and its epoch. Raises KafkaError.

    A member may commit with an older epoch for partitions that it has had since then (KIP-1251), because it
    may not know its new epoch yet.
    """
    epoch = request.generation_id_or_member_epoch
    if epoch < 0 and not group.members:
        return
    member = group.members.get(request.member_id)
    if member is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    if not member.is_classic and ctx.version < MEMBER_EPOCHS_FROM:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if epoch == member.epoch:
        return
    if epoch > member.epoch or not _had_since(group, member, epoch, commits):
        raise KafkaError(ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH)


def check_transactional_commit(
    group: ConsumerGroupModel, request: TxnOffsetCommitRequest, commits: TransactionalCommits
) -> None:
    """Check the member that commits in a transaction, if the request names one. Raises KafkaError.

    The rules are those of `check_commit`, but every wrong epoch is an ILLEGAL_GENERATION, and all versions of
    the request may name an epoch.
    """
    epoch = request.generation_id
    if (epoch < 0 and not group.members) or not names_member(request):
        return
    member = group.members.get(request.member_id)
    if member is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    if epoch > member.epoch or (epoch < member.epoch and not _had_since(group, member, epoch, commits)):
        raise KafkaError(ErrorCode.ILLEGAL_GENERATION)


def _had_since(
    group: ConsumerGroupModel, member: ConsumerMember, epoch: int, commits: Commits | TransactionalCommits
) -> bool:
    """Return whether the member has had all these partitions since an epoch.

    As in Kafka, partitions that are refused because of their metadata are not checked.
    """
    assert group.store is not None
    metadata_max = group.store.limits.offset_metadata_max_bytes
    for _, topic, partitions in commits:
        assigned = member.assigned.get(topic.topic_id, {})
        pending = member.pending.get(topic.topic_id, {})
        for commit in partitions:
            index = commit.partition_index
            since = assigned.get(index)
            if since is None:
                since = pending.get(index)
            if (since is None or since > epoch) and not is_longer(
                commit.committed_metadata or "", metadata_max
            ):
                return False
    return True
