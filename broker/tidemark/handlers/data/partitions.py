"""The partition that a request names, and its log; and long work on logs, in short steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Final, TypeVar

from tidemark.core.context import EVERY_NODE, Context
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.metadata.model import Partition
    from tidemark.metadata.state import Cluster


ANY_EPOCH: Final = -1
T = TypeVar("T")


def find_partition(cluster: Cluster, topic: str, index: int) -> Partition:
    """Raises KafkaError 3 if the cluster has no such partition."""
    known = cluster.topics.get(topic)
    if known is None or not 0 <= index < len(known.partitions):
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return known.partitions[index]


def find_log(logs: LogManager, topic: str, index: int) -> PartitionLog:
    """Raises KafkaError 6 if the log is not here, or not yet, and 56 if it is damaged."""
    log = logs.find(topic, index)
    if log is None:
        damaged = (topic, index) in logs.damaged
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR if damaged else ErrorCode.NOT_LEADER_OR_FOLLOWER)
    return log


def check_leader(
    ctx: Context, partition: Partition, epoch: int = ANY_EPOCH, *, follower: bool = False
) -> None:
    """Check that the client's node leads the partition, in the leader epoch that the client knows (KIP-320).

    follower: a node with another replica will do, too. Raises KafkaError 6 for another node, 74 if the
    client's epoch is behind the partition's, and 75 if it is ahead.
    """
    node_id = ctx.caller.node_id
    is_other = partition.leader != node_id and node_id != EVERY_NODE
    if is_other and node_id not in partition.replicas:
        raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    if epoch not in (ANY_EPOCH, partition.leader_epoch):
        is_behind = epoch < partition.leader_epoch
        raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH if is_behind else ErrorCode.UNKNOWN_LEADER_EPOCH)
    if is_other and not follower:
        raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)


async def each(items: Iterable[T], turns: Turns) -> AsyncIterator[T]:
    """Yield the items. Between them, rest if the budget of this turn of the loop is used up."""
    is_first = True
    for item in items:
        if not is_first and turns.spend():
            await turns.rest()
        is_first = False
        yield item
