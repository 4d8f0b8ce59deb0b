"""A directory that Apache Kafka 4.3.1 wrote, replayed: the offsets and classic groups that Kafka itself sees
in it.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tidemark.coordinator.cluster.model import Identity
from tidemark.coordinator.cluster.state import Cluster
from tidemark.coordinator.groups.offsets import forget_dead, name_topic
from tidemark.coordinator.groups.protocols import partition_of_group
from tidemark.coordinator.groups.state import Groups
from tidemark.coordinator.result import Context, Now, Record
from tidemark.handlers.list_groups import list_groups
from tidemark.handlers.offset_fetch import offset_fetch
from tidemark_protocol.batch import headers, records
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest
from tidemark_protocol.stored import UnknownRecordType, decode_coordinator, decode_metadata

GOLDEN = Path(__file__).parents[3] / "golden"
OFFSETS_PARTITIONS = 4

pytestmark = pytest.mark.slow


@dataclass
class Directory:
    """What was replayed; groups that a transaction wrote to are not comparable yet."""

    cluster: Cluster = field(default_factory=lambda: Cluster(Identity("cluster")))
    groups: Groups = field(default_factory=Groups)
    in_transactions: set[str] = field(default_factory=set)
    skipped: int = 0


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    told: dict[str, Any] = json.loads((GOLDEN / "kafka-4.3.1.offsets.json").read_text("utf-8"))
    return told


@pytest.fixture(scope="module")
def directory() -> Directory:
    read = Directory()
    with tarfile.open(GOLDEN / "kafka-4.3.1.tar.gz") as archive:
        for value in _values(archive, "__cluster_metadata-0"):
            read.cluster.replay(Record(None, decode_metadata(value)))
        read.groups.serve(OFFSETS_PARTITIONS)
        for partition in range(OFFSETS_PARTITIONS):
            _load(read, archive, partition)
            read.groups.loaded(partition, Now(0, 0))
    return read


def _batches(archive: tarfile.TarFile, partition: str) -> Iterator[tuple[Any, list[Any]]]:
    names = sorted(
        name for name in archive.getnames() if name.startswith(f"data/{partition}/") and name.endswith(".log")
    )
    for name in names:
        file = archive.extractfile(name)
        assert file is not None
        segment = file.read()
        for pos, header in headers(segment):
            if not header.is_control:
                yield header, records(segment, pos, header)


def _values(archive: tarfile.TarFile, partition: str) -> Iterator[bytes]:
    for _, entries in _batches(archive, partition):
        yield from (entry.value for entry in entries)


def _load(read: Directory, archive: tarfile.TarFile, partition: int) -> None:
    for header, entries in _batches(archive, f"__consumer_offsets-{partition}"):
        for entry in entries:
            try:
                key, value = decode_coordinator(entry.key, entry.value)
            except UnknownRecordType:  # share and streams groups
                read.skipped += 1
                continue
            if header.is_transactional:
                read.in_transactions.add(key.group)
                read.groups.replay(Record(key, value, (header.producer_id, header.producer_epoch)))
                continue
            name_topic(read.cluster, key, value, entry.timestamp)
            read.groups.replay_record(key, value)
            if key.API_KEY in (1, 2):
                assert partition_of_group(key.group, OFFSETS_PARTITIONS) == partition


def test_every_group_has_the_offsets_that_kafka_answers(directory: Directory, truth: dict[str, Any]) -> None:
    compared = set(truth["offsets"]) - directory.in_transactions
    answers = {group: _fetch(directory, group) for group in compared}
    assert answers == {group: {tuple(each) for each in truth["offsets"][group]} for group in compared}
    assert len(compared) > 90
    assert sum(map(len, answers.values())) > 200


def _fetch(directory: Directory, group: str) -> set[tuple[str, int, int, int, str | None]]:
    ctx = Context(wall_ms=0, steady_ms=0, version=7, cluster=directory.cluster)
    return {
        (topic.name, each.partition_index, each.committed_offset, each.committed_leader_epoch, each.metadata)
        for topic in offset_fetch(directory.groups, ctx, OffsetFetchRequest(group, None)).topics
        for each in topic.partitions
    }


def test_classic_groups_are_listed_with_the_state_that_kafka_gives_them(
    directory: Directory, truth: dict[str, Any]
) -> None:
    classic = {
        group: (protocol_type, state)
        for group, (kind, protocol_type, state) in truth["groups"].items()
        if kind == "Classic" and group not in directory.in_transactions
    }
    ctx = Context(wall_ms=0, steady_ms=0, version=5, cluster=directory.cluster)
    listed = {
        group.group_id: (group.protocol_type, group.group_state)
        for group in list_groups(directory.groups, ctx, ListGroupsRequest()).groups
    }
    assert {group: listed.get(group) for group in classic} == classic
    assert len(classic) > 80


def test_groups_that_are_not_served_yet_are_passed_over_and_counted(directory: Directory) -> None:
    assert directory.skipped > 0
    assert directory.groups.passed_over > 0


def test_no_offset_of_it_belongs_to_a_dead_topic(directory: Directory) -> None:
    assert not any(forget_dead(directory.groups, directory.cluster))
