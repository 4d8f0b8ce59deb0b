"""Loading: from an opened data directory to state machines that are complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.core.decision import NOTHING
from tidemark.engine import cluster_logs
from tidemark.engine.recovery import CannotLoad, load_offsets
from tidemark.groups.loading import GroupsReplay
from tidemark.metadata.bootstrap import Endpoint, NodeStart, adoption_records, start_records
from tidemark.metadata.model import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from tidemark.node.engine import Engine
from tidemark.node.environment import Environment
from tidemark.node.state import State

HELD_MS: Final = 2**62  # steady time; a session that begins then does not end before `release`
LOST_NAMED_MAX: Final = 20


def load(
    env: Environment, state: State, engine: Engine, endpoints: Sequence[Endpoint], *, adopt: bool
) -> None:
    """Record this start, bring the disk in line with the cluster, and replay all committed offsets.

    adopt: this node becomes the leader of every partition in the directories of another broker.
    """
    if adopt:
        _adopt(state, engine, env.logger)
    node = NodeStart(
        env.host.ids.topic_id(),
        tuple(endpoints),
        state.metadata_log.log_end_offset,
        _first_users(env, state),
    )
    engine.accept_cluster(start_records(state.cluster, node))
    _settle_disk(state, engine, env.logger)
    _load_groups(state, engine, env.logger)
    transactions = state.cluster.topic(TRANSACTIONS_TOPIC)
    if transactions is not None:
        engine.transaction_coordinator().load(transactions)
    if env.opening is None and state.cluster.topic(OFFSETS_TOPIC) is not None:
        # Not in the directory of another broker: Kafka does not delete these when it starts either, and they
        # are evidence.
        engine.deletions.forget_dead(state.cluster)
    state.skipped.warn()


def _first_users(env: Environment, state: State) -> tuple[Any, ...]:
    """Return the records of the SCRAM users that a new cluster begins with."""
    if state.cluster.features or not env.config.first_scram_users:
        return ()
    from tidemark.security.first_users import first_users  # other starts do not need it

    return tuple(first_users(env.config.first_scram_users, env.host.ids.topic_id))


def _adopt(state: State, engine: Engine, logger: Any) -> None:
    """Lead every partition whose log is here, and log those whose log is missing."""
    engine.accept_cluster(adoption_records(state.cluster, state.logs.holds))
    lost = [
        f"{topic.name}-{partition.index}"
        for topic in state.cluster.topics.values()
        for partition in topic.partitions
        if partition.is_lost
    ]
    if lost:
        logger.warning("partitions without a log", count=len(lost), first=lost[:LOST_NAMED_MAX])


def _settle_disk(state: State, engine: Engine, logger: Any) -> None:
    """Set directories of unknown topics aside before anything in them is read, then recover the logs."""
    cluster, logs = state.cluster, state.logs
    for directory, renamed in cluster_logs.settle(cluster, logs, state.deleted_topics):
        logger.warning("stray directory kept", directory=directory, renamed_to=renamed)
    logs.recover()
    cut = [(each.topic, each.partition) for each in logs.recovered if each.topic in cluster.topics]
    if cut:
        engine.accept_cluster(cluster.leader_epoch_records(cut))


def _load_groups(state: State, engine: Engine, logger: Any) -> None:
    topic = state.cluster.topic(OFFSETS_TOPIC)
    if topic is None:
        return
    groups = state.groups
    groups.serve(len(topic.partitions))
    for partition in topic.partitions:
        log = state.logs.get(OFFSETS_TOPIC, partition.index)
        if log is None:
            groups.failed(partition.index)  # lost or damaged, which has been logged
            continue
        try:
            loaded = load_offsets(log, GroupsReplay(groups, state.cluster, partition.index))
        except CannotLoad as error:
            groups.failed(partition.index)
            logger.error(
                "groups not served", topic=OFFSETS_TOPIC, partition=partition.index, reason=str(error)
            )
            continue
        state.skipped.add(OFFSETS_TOPIC, partition.index, loaded.skipped)
        now = engine.runtime.now()
        groups.loaded(partition.index, replace(now, steady_ms=HELD_MS) if engine.runtime.held else now)
    engine.accept_groups(NOTHING)  # settle the loaded groups: their sessions begin now
