"""Topologies of streams groups: names, order, and what a large one costs.

tests/conformance/assignments/test_topologies.py compares the results with those of Kafka's classes.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.broker.garbage import no_collector
from tests.unit.broker.story import finished
from tidemark.core.decision import Record
from tidemark.core.java import put_order
from tidemark.groups.streams.internal_topics import TASKS_MAX, ConfiguredTopology, configure
from tidemark.groups.streams.topology import (
    NAMES_MAX,
    check_topic_names,
    describe,
    is_same_topology,
    metadata_hash,
    topology_record,
)
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.streams_group_heartbeat import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
    Topology,
)
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.streams_group_topology import StreamsGroupTopologyValue
from tidemark_protocol.records.topic_record import TopicRecord

LARGE = 4_000  # a record of 1 MB may have ten times as many
STEP_MS_MAX = 4
ATTEMPTS_MAX = 5  # the machine may be busy


def cluster_with(**topics: int) -> Cluster:
    cluster = Cluster(Identity("topologies"))
    for number, (name, partitions) in enumerate(topics.items(), 1):
        topic_id = number.to_bytes(16, "big")
        cluster.replay(Record(None, TopicRecord(name=name, topic_id=topic_id)))
        for index in range(partitions):
            cluster.replay(Record(None, PartitionRecord(topic_id=topic_id, partition_id=index, replicas=[1])))
    return cluster


def record_of(*subtopologies: Subtopology) -> StreamsGroupTopologyValue:
    record: StreamsGroupTopologyValue = finished(topology_record(Topology(1, [*subtopologies])))
    return record


def configured(record: StreamsGroupTopologyValue, cluster: Cluster) -> ConfiguredTopology:
    found: ConfiguredTopology = finished(configure(record, cluster, 0))
    return found


def refusal(steps: Any) -> tuple[ErrorCode, str | None]:
    with pytest.raises(KafkaError) as raised:
        finished(steps)
    return raised.value.code, raised.value.message


# The messages were recorded on Kafka 4.3.1.


def test_names_of_a_topology_are_returned_once_in_the_order_of_the_request() -> None:
    topology = Topology(
        subtopologies=[
            Subtopology("1", ["b", "a"], [], [TopicInfo("log")], ["r"], [TopicInfo("a")]),
            Subtopology("0", ["a"], [], [TopicInfo("more")], [], [TopicInfo("r")]),
        ]
    )
    assert finished(check_topic_names(topology)) == ["b", "a", "r", "log", "more"]


def test_topology_must_not_use_internal_topics() -> None:
    topology = Topology(
        subtopologies=[Subtopology("0", ["in valid", "__consumer_offsets"], [], [], ["__transaction_state"])]
    )
    names = "__consumer_offsets,__transaction_state"
    text = f"Use of Kafka internal topics {names} in a Kafka Streams topology is prohibited."
    assert refusal(check_topic_names(topology)) == (ErrorCode.STREAMS_INVALID_TOPOLOGY, text)


@pytest.mark.parametrize("name", ["", ".", "..", "in valid", "a" * 250, "ä"])
def test_topology_must_not_use_invalid_names(name: str) -> None:
    topology = Topology(subtopologies=[Subtopology("0", ["in", name])])
    text = f"Topic names {name} are not valid topic names."
    assert refusal(check_topic_names(topology)) == (ErrorCode.STREAMS_INVALID_TOPOLOGY, text)


# Numbers of partitions


def rounds(subtopologies: list[Subtopology], sources: dict[str, int]) -> dict[str, int] | None:
    """Decide repartition topics in rounds, as RepartitionTopics.computeRepartitionTopicPartitionCount does.

    None: a topic gets no number.
    """
    counts = {
        topic.name: topic.partitions
        for each in subtopologies
        for topic in each.repartition_source_topics
        if topic.partitions
    }
    while True:
        before, is_complete = len(counts), True
        for each in subtopologies:
            for sink in each.repartition_sink_topics:
                read = [topic.name for topic in each.repartition_source_topics]
                known = [counts[name] for name in read if name in counts]
                known += [sources[name] for name in each.source_topics]
                if sink not in counts and known:
                    counts[sink] = max(known)
                is_complete = is_complete and sink in counts
        if is_complete:
            return counts
        if len(counts) == before:
            return None


REPARTITION = st.sampled_from([f"r{number}" for number in range(6)])
SUBTOPOLOGIES = st.lists(
    st.builds(
        lambda sources, sinks, read: Subtopology(
            source_topics=sources,
            repartition_sink_topics=sinks,
            repartition_source_topics=[TopicInfo(name, count) for name, count in read.items()],
        ),
        st.lists(st.sampled_from(["a", "b", "c"]), max_size=1),
        st.lists(REPARTITION, max_size=2),
        st.dictionaries(REPARTITION, st.sampled_from([0, 0, 0, 4, 5]), max_size=3),
    ),
    min_size=1,
    max_size=9,
)
SOURCES = {"a": 1, "b": 2, "c": 3}
CLUSTER = cluster_with(**SOURCES)


@given(SUBTOPOLOGIES)
def test_repartition_topics_get_the_numbers_that_kafkas_rounds_give(subtopologies: list[Subtopology]) -> None:
    for number, each in enumerate(subtopologies):
        each.subtopology_id = f"{number}"
        each.source_topics = each.source_topics or ([] if each.repartition_source_topics else ["a"])
    in_map = [subtopologies[int(each)] for each in put_order([each.subtopology_id for each in subtopologies])]
    counts = rounds(in_map, SOURCES)
    read = {topic.name for each in subtopologies for topic in each.repartition_source_topics}
    if counts is None or not read <= counts.keys():
        code, _ = refusal(configure(record_of(*subtopologies), CLUSTER, 0))
        assert code == ErrorCode.STREAMS_INVALID_TOPOLOGY
        return
    missing = configured(record_of(*subtopologies), CLUSTER).missing
    fixed = {topic.name for each in in_map for topic in each.repartition_source_topics if topic.partitions}
    for name, topic in missing.items():
        if name not in fixed:
            assert topic.num_partitions == counts[name]
    assert missing.keys() == read


def test_topology_with_too_many_tasks_is_refused() -> None:
    cluster = cluster_with(wide=1000)
    most = [Subtopology(str(number), ["wide"]) for number in range(TASKS_MAX // 1000)]
    assert configured(record_of(*most), cluster).is_ready
    code, text = refusal(configure(record_of(*most, Subtopology("one more", ["wide"])), cluster, 0))
    assert code == ErrorCode.STREAMS_INVALID_TOPOLOGY
    assert text == "The topology has 101000 tasks, but a streams group may have 100000."


def test_topology_with_too_many_names_is_refused() -> None:
    topics = [f"t{number}" for number in range(NAMES_MAX - 1)]
    assert record_of(Subtopology("0", topics)).subtopologies[0].source_topics == topics
    sent = Topology(0, [Subtopology("0", [*topics, "t0"])])
    code, text = refusal(topology_record(sent))
    assert code == ErrorCode.STREAMS_INVALID_TOPOLOGY
    assert text == "The topology has more than 20000 subtopologies and topics."


# Large topologies


def chain(*, backwards: bool) -> list[Subtopology]:
    """Return subtopologies each of which reads what the one before writes."""
    links = [
        Subtopology(str(number), [], [], [], [f"r{number + 1}"], [TopicInfo(f"r{number}")])
        for number in range(1, LARGE)
    ]
    first = Subtopology("0", ["a"], [], [], ["r1"])
    last = Subtopology("end", [], [], [], [], [TopicInfo(f"r{LARGE}")])
    return [last, *links[::-1], first] if backwards else [first, *links, last]


TOPICS = [TopicInfo(f"t{number}") for number in range(LARGE)]
NAMES = [topic.name for topic in TOPICS]
LARGE_TOPOLOGIES = {
    "subtopologies": [Subtopology(str(number), ["a"]) for number in range(LARGE)],
    "subtopologies without topics": [Subtopology(str(number)) for number in range(LARGE)],
    "chain": chain(backwards=False),
    "chain backwards": chain(backwards=True),
    "missing sources": [Subtopology("0", NAMES)],
    "changelog topics": [Subtopology("0", ["a"], state_changelog_topics=TOPICS)],
    "copartition groups": [
        Subtopology("0", ["a", "b"], copartition_groups=[CopartitionGroup([0])] * LARGE),
    ],
    "large copartition groups": [
        Subtopology("0", ["a"], repartition_sink_topics=NAMES),
        Subtopology(
            "1",
            repartition_source_topics=TOPICS,
            copartition_groups=[CopartitionGroup([], [], [*range(LARGE)])] * 3,
        ),
    ],
    "different partitions": [
        Subtopology("0", ["a"], repartition_sink_topics=NAMES),
        Subtopology(
            "1",
            repartition_source_topics=[TopicInfo(name, 1 + (name == "t7")) for name in NAMES],
            copartition_groups=[CopartitionGroup([], [], [*range(LARGE)])],
        ),
    ],
}


class Stepping:
    """Runs generators and keeps the longest CPU time between two of their yields."""

    def __init__(self) -> None:
        self.longest_ms = 0.0

    def run(self, steps: Any) -> Any:
        while True:
            before = time.thread_time()
            try:
                next(steps)
            except StopIteration as done:
                return done.value
            except KafkaError:
                return None
            finally:
                self.longest_ms = max(self.longest_ms, (time.thread_time() - before) * 1000)


@pytest.mark.parametrize("name", LARGE_TOPOLOGIES)
def test_large_topology_is_handled_in_short_steps(name: str) -> None:
    with no_collector():
        assert any(longest_step_ms(LARGE_TOPOLOGIES[name]) < STEP_MS_MAX for _ in range(ATTEMPTS_MAX))


def longest_step_ms(subtopologies: list[Subtopology]) -> float:
    stepping = Stepping()
    topology = Topology(1, subtopologies)
    stepping.run(check_topic_names(topology))
    record, again = stepping.run(topology_record(topology)), stepping.run(topology_record(topology))
    assert stepping.run(is_same_topology(record, again))
    cluster = cluster_with(a=2, b=2)
    found = stepping.run(configure(record, cluster, stepping.run(metadata_hash(record, cluster))))
    stepping.run(describe(record, found))
    return stepping.longest_ms
