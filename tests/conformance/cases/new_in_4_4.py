"""Requests in versions that only Kafka 4.4 serves."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import commit, fetch_offsets
from tests.conformance.case import ZERO_UUID, Talk, case
from tests.conformance.cases.versions import asking
from tests.conformance.consumers import NO_INTERVAL, consumers, known_topic
from tests.conformance.members import some_stable
from tests.conformance.transactional import Producer

UNKNOWN_ID: Final = "00000000-0000-4000-8000-000000000001"


def _error(response: dict[str, Any]) -> Any:
    return [response["ErrorCode"], bool(response["ApiKeys"])]


@case(is_new=True)
def api_versions_name_a_cluster_and_a_node(k: Talk) -> None:
    cluster = k.do("DescribeCluster", 0, {})["ClusterId"]
    for cluster_id, node_id in (
        (None, -1), (cluster, 1), (cluster, 2), ("another", 1), ("another", 2), ("", 1),
        (cluster, -1), (None, 1), (None, 2), (cluster, -2),
    ):  # fmt: skip
        fields = {**asking(), "ClusterId": cluster_id, "NodeId": node_id}
        k.ask("ApiVersions", 5, fields, keep=_error)
    fields = {**asking("-"), "ClusterId": "another", "NodeId": 1}
    k.ask("ApiVersions", 5, fields, keep=_error)
    k.ask("Heartbeat", 4, {"GroupId": k.group(), "MemberId": "m"})


@case(is_new=True)
def deleted_groups_have_messages(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 1}}))
    for name in (group, one.group, k.name("nothing")):
        k.ask("DeleteGroups", 3, {"GroupsNames": [name]})


@case(is_new=True)
def offsets_by_topic_id_are_committed_in_a_transaction(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(2), k.group()
    topic_id = k.topic_id(topic)
    k.ask(*one.commit_offsets(group, {topic_id: {0: 5, 1: 6, 2: 7}}, metadata="a note", version=6))
    k.ask(*one.commit_offsets(group, {UNKNOWN_ID: {0: 5}}, version=6))
    k.ask(*one.commit_offsets(group, {ZERO_UUID: {0: 5}}, version=6))
    k.ask(*one.commit_offsets(group, {topic_id: {0: 8}, UNKNOWN_ID: {0: 5}}, version=6))
    k.ask(*one.commit_offsets(k.group(), {topic_id: {0: 8}}, member="m", generation=3, version=6))
    one.finish(commit=True)
    k.ask(*fetch_offsets(group, {topic: [0, 1]}))


@case(is_new=True, settings=NO_INTERVAL)
def offsets_by_topic_id_of_a_consumer_are_committed_in_a_transaction(k: Talk) -> None:
    topic = known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    producer, topic_id = Producer(k), k.topic_id(topic)
    for member, epoch in (("m1", 9), ("nobody", 2), ("m1", 1), ("m1", 2), ("m1", -1), ("", -1)):
        k.ask(
            *producer.commit_offsets(
                one.group, {topic_id: {0: 5}}, member=member, generation=epoch, version=6
            )
        )
