"""A load has the same result as the replay of one record after the other."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from itertools import product, starmap
from random import Random
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.unit.broker.log.builders import a_log
from tidemark.core.context import Now
from tidemark.core.decision import Marker, Record
from tidemark.engine.recovery import load_offsets
from tidemark.groups.forgetting import name_topic
from tidemark.groups.loading import GroupsReplay
from tidemark.groups.state import Groups
from tidemark.log.partition import PartitionLog
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import NewTopic, create_topic_records
from tidemark.settings.broker import BrokerSettings
from tidemark.settings.setting import Setting
from tidemark_protocol.batch import (
    APPEND_TIME,
    TRANSACTIONAL,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
    control_type,
    records,
)
from tidemark_protocol.compression import Codec
from tidemark_protocol.loading import other_record_key
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from tidemark_protocol.records.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from tidemark_protocol.records.consumer_group_partition_metadata import (
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupPartitionMetadataValue,
)
from tidemark_protocol.records.consumer_group_regular_expression import (
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_member import (
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.records.streams_group_metadata import (
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
)
from tidemark_protocol.records.streams_group_topology import (
    StreamsGroupTopologyKey,
    StreamsGroupTopologyValue,
)
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec, UnknownRecordType, decode_coordinator

START_MS = 1_700_000_000_000
TOPIC_IDS = {"old": b"o" * 16, "new": b"n" * 16}

Pair = tuple[Any, bytes | None]

GROUPS = ("g", "h", "group")
TOPICS = ("old", "new", "off")  # the last one does not exist
MEMBERS = ("a", "b")
TIMES = (START_MS, START_MS, START_MS + 10, START_MS + 50, START_MS + 1_000_000, 5)
OFFSETS = [OffsetCommitKey(*each) for each in product(GROUPS, TOPICS, (0, 1))]
NONE, TOPIC_ID = bytes(16), TOPIC_IDS["new"]

# Fields of commits that have the same layout: leader epochs, metadata, expiry times, topic ids.
ALIKE = [
    ((-1,), ("",), (-1,), (NONE,)),
    ((0, 7), ("",), (-1,), (NONE,)),
    ((-1, 7), ("m", "n"), (-1,), (NONE,)),
    ((-1, 0), ("", "m" * 70, "\u00fc"), (-1,), (NONE, TOPIC_ID, b"x" * 16)),
    ((-1,), ("",), (-1, 5), (NONE,)),
]
CLASSIC = [
    GroupMetadataValue(protocol_type, 3, "range", None, since_ms, [MemberMetadata(each) for each in members])
    for protocol_type, since_ms, members in product(("", "consumer"), TIMES, ((), ("a",), MEMBERS))
]
NEXT_GENERATION: list[tuple[Any, Any]] = [
    *product(
        map(ConsumerGroupMetadataKey, GROUPS),
        [None, *(ConsumerGroupMetadataValue(each) for each in range(3))],
    ),
    *product(
        map(ConsumerGroupPartitionMetadataKey, GROUPS), [None, ConsumerGroupPartitionMetadataValue([])]
    ),
    *product(
        map(ConsumerGroupTargetAssignmentMetadataKey, GROUPS),
        [None, *(ConsumerGroupTargetAssignmentMetadataValue(each) for each in range(3))],
    ),
    *product(
        starmap(ConsumerGroupMemberMetadataKey, product(GROUPS, MEMBERS)),
        [
            None,
            *(
                ConsumerGroupMemberMetadataValue(
                    instance_id, None, subscribed_topic_names=["old"], subscribed_topic_regex=regex,
                    classic_member_metadata=None,
                )
                for instance_id, regex in product((None, "i"), (None, "o.*"))
            ),
        ],
    ),
    *product(
        starmap(ConsumerGroupTargetAssignmentMemberKey, product(GROUPS, MEMBERS)),
        [None, ConsumerGroupTargetAssignmentMemberValue([])],
    ),
    *product(
        starmap(ConsumerGroupCurrentMemberAssignmentKey, product(GROUPS, MEMBERS)),
        [
            None,
            ConsumerGroupCurrentMemberAssignmentValue(
                2, assigned_partitions=[], partitions_pending_revocation=[]
            ),
        ],
    ),
    *product(
        (ConsumerGroupRegularExpressionKey(each, "o.*") for each in GROUPS),
        [None, ConsumerGroupRegularExpressionValue(["old"])],
    ),
    *product(map(StreamsGroupMetadataKey, GROUPS), [None, StreamsGroupMetadataValue(1)]),
    *product(map(StreamsGroupTopologyKey, GROUPS), [None, StreamsGroupTopologyValue(0, [])]),
]  # fmt: skip
OTHERS: list[Pair] = [
    *product((b"\0\x1f\0\1g", b"\0\x1f\0\1h"), (b"\0\0", None)),  # groups of a later release
    (b"\x7f\xff", b"unknown"),
    (None, b"no key"),
]


def encoded(pairs: Iterable[tuple[Any, Any]]) -> list[Pair]:
    """Return the records in the versions that Kafka and this broker write."""
    codecs = [CoordinatorCodec(VERSIONS_OF[version]) for version in ("", "4.3", "4.0")]
    return [codec.encode(*pair) for pair in pairs for codec in codecs]


def commits(
    epochs: Sequence[int], metadata: Sequence[str], expire_ms: Sequence[int], topic_ids: Sequence[bytes]
) -> Iterable[tuple[Any, Any]]:
    for key, offset, epoch, text, at_ms, expires, topic_id in product(
        OFFSETS, (1, 2**62), epochs, metadata, TIMES, expire_ms, topic_ids
    ):
        yield key, OffsetCommitValue(offset, epoch, text, at_ms, expires, topic_id)


ALIKE_RECORDS = [encoded(commits(*fields)) for fields in ALIKE]
OTHER_RECORDS = [
    encoded(product(OFFSETS, [None])),
    encoded(product(map(GroupMetadataKey, GROUPS), [None, *CLASSIC])),
    encoded(NEXT_GENERATION),
    OTHERS,
]


def a_random_log(random: Random) -> PartitionLog:
    log = a_log()
    for _ in range(random.randint(1, 30)):
        log.append(a_part(random), leader_epoch=0, now_ms=0, from_client=False)
    return log


def a_part(random: Random) -> bytes:
    """Return a marker, a batch of similar commits, or a batch of all kinds of records."""
    producer = {"producer_id": random.randint(1, 2), "producer_epoch": 0}
    kind = random.random()
    if kind < 0.1:
        return build_control_batch(
            random.choice((ControlType.COMMIT, ControlType.ABORT)), bytes(6), START_MS, **producer
        )
    if kind < 0.75:
        alike = random.choice(ALIKE_RECORDS)
        pairs = [random.choice(alike) for _ in range(random.randint(1, 30))]
    else:
        pairs = [
            random.choice(random.choice(ALIKE_RECORDS + OTHER_RECORDS)) for _ in range(random.randint(1, 6))
        ]
    delta_ms = random.choice((0, 0, 0, 1))
    found = [
        LogRecord(at, START_MS + delta_ms * (at // 3), key, value) for at, (key, value) in enumerate(pairs)
    ]
    is_transactional = random.random() < 0.15
    return build_batch(
        found,
        attributes=random.choice((0, 0, APPEND_TIME)) | (TRANSACTIONAL if is_transactional else 0),
        compression=random.choice((Codec.NONE, Codec.NONE, Codec.NONE, Codec.GZIP)),
        base_sequence=0,
        **(producer if is_transactional else {}),
    )


def a_cluster() -> Cluster:
    """One topic is older than all commits, and one is newer than most."""
    cluster = Cluster(Identity("cluster"))
    for name, created_ms in (("old", 0), ("new", START_MS + 20)):
        for record in create_topic_records(cluster, NewTopic(name, TOPIC_IDS[name], [[1]]), created_ms):
            cluster.replay(record)
    return cluster


def replayed(log: PartitionLog, cluster: Cluster) -> Groups:
    """Replay one record after the other."""
    found = served(cluster)
    for part in log.batches():
        header = part.header
        producer = (header.producer_id, header.producer_epoch) if header.is_transactional else None
        for record in records(part.buf, part.start, header):
            if header.is_control:
                committed = control_type(record.key) == ControlType.COMMIT
                found.replay(Marker(0, header.producer_id, header.producer_epoch, committed))
            elif record.key is not None:
                key: Any
                value: Any
                try:
                    key, value = decode_coordinator(record.key, record.value)
                except UnknownRecordType:
                    key, value = other_record_key(record.key), record.value
                if key is not None:
                    name_topic(cluster, key, value, record.timestamp)
                    found.replay(Record(key, value, producer))
    return found


def served(cluster: Cluster) -> Groups:
    found = Groups()
    found.cluster = cluster
    found.serve(1)
    return found


def described(thing: Any, above: tuple[int, ...] = ()) -> Any:
    """Return all fields of an object, and those of the objects in them, in the order of its dicts."""
    if thing is None or isinstance(thing, bool | int | str | bytes | enum.Enum):
        return thing
    if isinstance(thing, BrokerSettings):
        return vars(thing)
    if isinstance(thing, Setting):
        return thing.name
    if id(thing) in above:
        return "above"
    above += (id(thing),)
    if isinstance(thing, dict):
        return [(described(key, above), described(value, above)) for key, value in thing.items()]
    if isinstance(thing, set | frozenset):
        return sorted(repr(described(each, above)) for each in thing)
    names = {name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())}
    names |= getattr(thing, "__dict__", {}).keys()
    if names:
        fields = {name: getattr(thing, name) for name in names if hasattr(thing, name)}
        return type(thing).__name__, [(name, described(fields[name], above)) for name in sorted(fields)]
    if hasattr(thing, "__next__"):
        return type(thing).__name__
    return [described(each, above) for each in thing]


@given(st.integers(0, 2**32))
@settings(phases=[Phase.explicit, Phase.generate])  # a smaller number is not a simpler log
def test_load_has_the_result_of_a_replay_of_single_records(seed: int) -> None:
    check(a_random_log(Random(seed)))


def check(log: PartitionLog) -> None:
    cluster = a_cluster()
    loaded, wanted = served(cluster), replayed(log, cluster)
    load_offsets(log, GroupsReplay(loaded, cluster, 0), learn_after=1)
    assert described(loaded) == described(wanted)
    for each in (loaded, wanted):
        each.loaded(0, Now(START_MS, 0))
    assert described(loaded) == described(wanted)


def test_groups_whose_names_java_reads_alike_are_one_group() -> None:
    first, second = (b"\0\1\0\1" + name + b"\0\3old\0\0\0\0" for name in (b"\xfe", b"\xff"))
    value = b"\0\2" + bytes(18)
    deleted = (b"\0\2\0\1\xff", None)  # the group, without its offsets
    check(written((first, value), (first, value), (second, value), deleted, (first, value)))


def test_topic_id_of_zeros_is_none() -> None:
    value = b"\0\4" + bytes(12) + b"\1" + bytes(8) + b"\1\0\x10" + bytes(16)
    check(written(*[(b"\0\1\0\1g\0\3old\0\0\0\0", value)] * 4))


def written(*pairs: Pair) -> PartitionLog:
    log = a_log()
    found = [LogRecord(at, START_MS, *pair) for at, pair in enumerate(pairs)]
    log.append(build_batch(found), leader_epoch=0, now_ms=0, from_client=False)
    return log
