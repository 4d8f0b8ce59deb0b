"""Stories: requests whose records in `__consumer_offsets` and `__cluster_metadata` are compared.

    @story
    def commit_one(k: Talk) -> None:
        k.do(*commit(k.group(), {k.topic(): {0: 5}}))

No response is kept. Names from `k.topic()`, `k.group()` and `k.name()` identify the records of a story.
A story waits until the effects of its requests are complete, since the next record belongs to the next story.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.conformance.build import commit, leave, subscribed
from tests.conformance.build_data import OLD_MS, batch, produce, record
from tests.conformance.case import Talk
from tests.conformance.members import AT_ONCE, Member, some, some_stable, stable, wait_for_state
from tidemark_protocol.batch import LogRecord
from tidemark_protocol.compression import Codec

Run = Callable[[Talk], None]


@dataclass(slots=True)
class Story:
    """One story. settings: of its broker, in addition to the usual ones."""

    name: str
    run: Run
    settings: dict[str, str] = field(default_factory=dict)


STORIES: Final[dict[str, Story]] = {}


def story(run: Run) -> Run:
    """Register a story."""
    STORIES[run.__name__] = Story(run.__name__, run)
    return run


def of_expiry(run: Run) -> Run:
    """Register a story on a broker with frequent cleanup passes."""
    settings = {"offsets.retention.check.interval.ms": "500"}
    STORIES[run.__name__] = Story(run.__name__, run, settings)
    return run


@story
def commit_one(k: Talk) -> None:
    k.do(*commit(k.group(), {k.topic(): {0: 5}}))


@story
def commit_again_and_back(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    for offset in (5, 6, 6, 0):
        k.do(*commit(group, {topic: {0: offset}}))


@story
def commit_several_partitions_of_several_topics(k: Talk) -> None:
    group, topic, other = k.group(), k.topic(3), k.topic(2)
    k.do(*commit(group, {other: {1: 1, 0: 2}, topic: {2: 3, 0: 4, 1: 5}}))


@story
def commit_with_metadata_and_leader_epoch(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    k.do(*commit(group, {topic: {0: 5}}, metadata="a note, é and 😀", leader_epoch=3))
    k.do(*commit(group, {topic: {1: 5}}, metadata=None))
    k.do(*commit(group, {topic: {0: 6}}, leader_epoch=0))


@story
def commit_in_every_version(k: Talk) -> None:
    group, topic = k.group(), k.topic(11)
    for version in range(2, 10):
        k.do(*commit(group, {topic: {version: version}}, version=version))
    k.do(*commit(group, {k.topic_id(topic): {10: 10}}, version=10))


@story
def commit_with_a_retention_of_its_own(k: Talk) -> None:
    group, topic = k.group(), k.topic(4)
    for version in (2, 3, 4):
        retained = commit(group, {topic: {version - 2: 1}}, version=version, retention_ms=86_400_000)
        k.do(*retained)
    k.do(*commit(group, {topic: {3: 1}}, version=2, retention_ms=-1))


@story
def commit_the_same_partition_twice_in_one_request(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    api, version, fields = commit(group, {topic: {0: 5}})
    fields["Topics"][0]["Partitions"].append({**fields["Topics"][0]["Partitions"][0], "CommittedOffset": 6})
    k.do(api, version, fields)


@story
def commit_partly_refused(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    k.do(*commit(group, {k.name("unknown"): {0: 1}, topic: {0: 1, 7: 1}}))
    k.do(*commit(group, {topic: {1: 1}}, metadata="x" * 5000))
    k.do(*commit(group, {topic: {1: 2}}, generation=3, member="nobody"))
    k.do(*commit(group, {topic: {1: 3}}))


@story
def a_member_joins_commits_and_leaves(k: Talk) -> None:
    topic = k.topic()
    (member,) = some(k, 1)
    stable(k, member)
    member.peer.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=member.generation))
    member.peer.do(*member.heartbeat())
    member.peer.do(*member.leave())


@story
def a_member_rejoins_as_it_was_and_with_other_metadata(k: Talk) -> None:
    (member,) = some_stable(k, 1)
    member.do_join()
    member.do_sync()
    member.how = {"protocols": {"range": "ff"}}
    member.do_join()
    member.do_sync()
    member.do_sync()


@story
def a_member_joins_and_never_syncs(k: Talk) -> None:
    (member,) = some(k, 1)
    member.get_id()
    member.do_join()
    member.peer.do(*member.leave())


@story
def an_id_is_handed_out_and_nobody_joins(k: Talk) -> None:
    (member,) = some(k, 1)
    member.get_id()


@story
def a_member_of_version_3_joins_at_once(k: Talk) -> None:
    (member,) = some(k, 1)
    member.joined(member.peer.do(*member.join(version=3)))
    member.do_sync()


@story
def another_protocol_type_and_several_protocols(k: Talk) -> None:
    stable(k, *some(k, 1, protocol_type="connect", protocols={"sessioned": "01", "compatible": "02"}))


@story
def two_members_one_after_the_other(k: Talk) -> None:
    first, second = some_stable(k, 2)
    second.peer.do(*second.leave())
    first.do_join()
    first.do_sync()
    first.peer.do(*first.leave())


@story
def a_consumers_own_metadata_and_assignment(k: Talk) -> None:
    topic = k.name("topic")
    subscription = (
        b"\0\1" + b"\0\0\0\1" + len(topic).to_bytes(2, "big") + topic.encode() + b"\xff" * 4 + bytes(4)
    )
    (member,) = some(k, 1, protocols={"range": subscription.hex()})
    named = len(topic).to_bytes(2, "big") + topic.encode()
    member.assignment = (b"\0\0" + b"\0\0\0\1" + named + b"\0\0\0\1" + bytes(4) + b"\xff" * 4).hex()
    stable(k, member)


@story
def a_static_member_joins_and_comes_back(k: Talk) -> None:
    (member,) = some(k, 1, instance="static-1")
    stable(k, member)
    again = Member(k, member.group, 1, instance="static-1")
    again.do_join()
    again.peer.do(*again.leave())


@story
def a_static_member_comes_back_with_other_metadata(k: Talk) -> None:
    (member,) = some(k, 1, instance="static-1")
    stable(k, member)
    again = Member(k, member.group, 1, instance="static-1", protocols={"range": "ff"})
    again.do_join()
    again.do_sync()


@story
def a_session_ends(k: Talk) -> None:
    (member,) = some_stable(k, 1, session_ms=1000)
    wait_for_state(k, member.group, "Empty")


@story
def a_rebalance_times_out(k: Talk) -> None:
    (first,) = some_stable(k, 1, rebalance_ms=1000)
    second = Member(k, first.group, 2, rebalance_ms=1000)
    second.get_id()
    second.joined(second.peer.do(*second.join()))
    second.do_sync()


@story
def the_last_member_is_gone_and_a_simple_commit_follows(k: Talk) -> None:
    topic = k.topic()
    (member,) = some_stable(k, 1)
    member.peer.do(*member.leave())
    k.do(*commit(member.group, {topic: {0: 5}}))
    (another,) = [Member(k, member.group, 1)]
    stable(k, another)


@story
def several_members_leave_at_once(k: Talk) -> None:
    first, second = some_stable(k, 2)
    k.do("LeaveGroup", 5, {"GroupId": first.group, "Members": [{"MemberId": m.id} for m in (first, second)]})


def _delete_offsets(k: Talk, group: str, what: dict[str, list[int]]) -> None:
    topics = [
        {"Name": topic, "Partitions": [{"PartitionIndex": p} for p in partitions]}
        for topic, partitions in what.items()
    ]
    k.do("OffsetDelete", 0, {"GroupId": group, "Topics": topics})


@story
def offsets_are_deleted(k: Talk) -> None:
    group, topic, other = k.group(), k.topic(3), k.topic()
    k.do(*commit(group, {topic: {0: 1, 1: 2, 2: 3}, other: {0: 4}}))
    _delete_offsets(k, group, {topic: [2, 0, 0]})
    _delete_offsets(k, group, {topic: [0], k.name("unknown"): [0]})
    _delete_offsets(k, group, {other: [0], topic: [1, 9]})


@story
def offsets_of_a_living_group_are_deleted(k: Talk) -> None:
    topic = k.topic(2)
    (member,) = some_stable(k, 1, protocol_type="connect")
    k.do(*commit(member.group, {topic: {0: 1}}, member=member.id, generation=member.generation))
    _delete_offsets(k, member.group, {topic: [0]})
    member.peer.do(*member.leave())
    _delete_offsets(k, member.group, {topic: [0]})


@story
def groups_are_deleted(k: Talk) -> None:
    topic = k.topic(3)
    simple = k.group()
    k.do(*commit(simple, {topic: {1: 1}}))
    k.do("DeleteGroups", 2, {"GroupsNames": [simple, simple, k.name("unknown")]})
    (member,) = some_stable(k, 1)
    k.do(*commit(member.group, {topic: {0: 1}}, member=member.id, generation=member.generation))
    member.peer.do(*member.leave())
    k.do("DeleteGroups", 2, {"GroupsNames": [member.group]})


@story
def a_group_without_offsets_is_deleted(k: Talk) -> None:
    (member,) = some_stable(k, 1)
    member.peer.do(*member.leave())
    k.do("DeleteGroups", 2, {"GroupsNames": [member.group]})


def _delete_topics(k: Talk, *names: str) -> None:
    k.do("DeleteTopics", 6, {"Topics": [{"Name": name} for name in names], "TimeoutMs": 30000})


@story
def a_topic_with_offsets_is_deleted(k: Talk) -> None:
    group, topic, other = k.group(), k.topic(), k.topic()
    k.do(*commit(group, {topic: {0: 1}, other: {0: 2}}))
    _delete_topics(k, topic)
    wait_for_offsets(k, group, 1)


@story
def a_topic_with_offsets_of_a_living_group_is_deleted(k: Talk) -> None:
    topic = k.topic()
    (member,) = some_stable(k, 1)
    k.do(*commit(member.group, {topic: {0: 1}}, member=member.id, generation=member.generation))
    _delete_topics(k, topic)
    wait_for_offsets(k, member.group, 0)


def wait_for_offsets(k: Talk, group: str, count: int) -> None:
    """Wait until the group has offsets for this many topics."""
    everything = {"GroupId": group, "Topics": None}
    k.until(lambda: k.do("OffsetFetch", 7, everything)["Topics"], lambda topics: len(topics) == count)


@of_expiry
def offsets_expire_and_the_group_goes(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    k.do(*commit(group, {topic: {0: 1, 1: 2}}, version=2, retention_ms=300))
    wait_for_state(k, group, "Dead")


@of_expiry
def some_offsets_expire(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    api, version, fields = commit(group, {topic: {0: 1}}, version=2, retention_ms=300)
    k.do(*commit(group, {topic: {1: 2}}))
    k.do(api, version, fields)
    k.until(lambda: _committed(k, group, topic), lambda offsets: offsets == [-1, 2])


def _committed(k: Talk, group: str, topic: str) -> list[int]:
    asked = {"GroupId": group, "Topics": [{"Name": topic, "PartitionIndexes": [0, 1]}]}
    response = k.do("OffsetFetch", 7, asked)
    return [p["CommittedOffset"] for p in response["Topics"][0]["Partitions"]]


@of_expiry
def an_empty_group_goes_by_itself(k: Talk) -> None:
    (member,) = some_stable(k, 1, **AT_ONCE)
    member.peer.do(*member.leave())
    wait_for_state(k, member.group, "Dead")


@of_expiry
def a_managed_group_expires(k: Talk) -> None:
    topic = k.topic(2)
    (member,) = some_stable(k, 1, **AT_ONCE)
    how: dict[str, Any] = {"member": member.id, "generation": member.generation, "version": 4}
    for partition in range(2):
        k.do(*commit(member.group, {topic: {partition: 1}}, retention_ms=1, **how))
    member.peer.do(*member.leave())
    wait_for_state(k, member.group, "Dead")


@of_expiry
def an_offset_of_a_topic_that_nobody_reads_expires(k: Talk) -> None:
    topic, other = k.topic(), k.topic()
    (member,) = some_stable(k, 1, **AT_ONCE, protocols=subscribed(topic))
    how: dict[str, Any] = {"member": member.id, "generation": member.generation, "version": 4}
    k.do(*commit(member.group, {topic: {0: 1}, other: {0: 2}}, retention_ms=1, **how))
    wait_for_offsets(k, member.group, 1)


@of_expiry
def the_last_offset_is_deleted_and_the_group_goes(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 1}}))
    _delete_offsets(k, group, {topic: [0]})
    wait_for_state(k, group, "Dead")


@of_expiry
def a_member_that_only_has_an_id_keeps_no_group(k: Talk) -> None:
    (member,) = some(k, 1)
    member.get_id()
    wait_for_state(k, member.group, "Empty")
    wait_for_state(k, member.group, "Dead")


@of_expiry
def a_topic_is_deleted_and_the_group_goes(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 1}}))
    _delete_topics(k, topic)
    wait_for_state(k, group, "Dead")


@story
def a_topic_is_created_altered_and_deleted(k: Talk) -> None:
    topic = k.topic(2, retention_ms="5000", cleanup_policy="compact")
    k.do("CreatePartitions", 3, {"Topics": [{"Name": topic, "Count": 4}], "TimeoutMs": 30000})
    _alter(k, 2, topic, [("retention.ms", 0, "6000"), ("segment.ms", 0, "7000"), ("cleanup.policy", 1, None)])
    _alter(k, 2, topic, [("cleanup.policy", 2, "compact"), ("cleanup.policy", 3, "delete")])
    configs = [{"Name": "flush.ms", "Value": "9"}]
    resource = {"ResourceType": 2, "ResourceName": topic, "Configs": configs}
    k.do("AlterConfigs", 2, {"Resources": [resource]})
    _delete_topics(k, topic)


def _alter(k: Talk, resource_type: int, name: str, changes: list[tuple[str, int, str | None]]) -> None:
    """Send IncrementalAlterConfigs.

    changes: setting, operation (0 set, 1 delete, 2 append, 3 subtract) and value.
    """
    configs = [{"Name": key, "ConfigOperation": how, "Value": value} for key, how, value in changes]
    resource = {"ResourceType": resource_type, "ResourceName": name, "Configs": configs}
    k.do("IncrementalAlterConfigs", 1, {"Resources": [resource]})


@story
def in_sync_replicas_of_a_topic_are_altered(k: Talk) -> None:
    topic = k.topic(min_insync_replicas="1", retention_ms="7000")
    _alter(k, 2, topic, [("min.insync.replicas", 0, "1")])
    _alter(k, 2, topic, [("min.insync.replicas", 1, None)])
    resource = {"ResourceType": 2, "ResourceName": topic, "Configs": []}
    k.do("AlterConfigs", 2, {"Resources": [resource]})


@story
def topics_are_created_in_one_request(k: Talk) -> None:
    first, second, third = k.name("topic"), k.name("topic"), k.name("topic")
    topics = [
        {"Name": first, "NumPartitions": -1, "ReplicationFactor": -1},
        {"Name": second, "NumPartitions": 1, "ReplicationFactor": 7},
        {"Name": third, "NumPartitions": -1, "ReplicationFactor": -1,
         "Assignments": [{"PartitionIndex": 0, "BrokerIds": [1]}, {"PartitionIndex": 1, "BrokerIds": [1]}]},
    ]  # fmt: skip
    k.do("CreateTopics", 7, {"Topics": topics, "timeoutMs": 30000})
    _delete_topics(k, third, first)


@story
def a_topic_is_made_by_asking_for_it(k: Talk) -> None:
    name = k.name("topic")
    asked = {"Topics": [{"Name": name}], "AllowAutoTopicCreation": True}
    k.until(lambda: k.do("Metadata", 9, asked)["Topics"][0], lambda found: found["ErrorCode"] == 0)


@story
def a_topic_is_created_anew(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    _delete_topics(k, topic)
    wait_for_offsets(k, group, 0)
    create = {"Name": topic, "NumPartitions": 1, "ReplicationFactor": 1}
    made = {"Topics": [create], "timeoutMs": 30000}
    k.until(lambda: k.do("CreateTopics", 7, made)["Topics"][0], lambda found: found["ErrorCode"] in (0, 36))
    k.until(
        lambda: k.do(*commit(group, {topic: {0: 6}}))["Topics"][0]["Partitions"][0],
        lambda found: found["ErrorCode"] == 0,
    )


@story
def groups_and_metrics_have_settings(k: Talk) -> None:
    group, metrics = k.name("group"), k.name("metrics")
    _alter(k, 32, group, [("consumer.session.timeout.ms", 0, "50000")])
    _alter(k, 32, group, [("consumer.session.timeout.ms", 1, None)])
    _alter(k, 16, metrics, [("interval.ms", 0, "5000"), ("metrics", 0, "a,b")])


@story
def a_producer_id_is_handed_out(k: Talk) -> None:
    k.topic()
    k.do("InitProducerId", 4, {"TransactionTimeoutMs": 60000, "ProducerId": -1, "ProducerEpoch": -1})


@story
def a_leader_that_never_syncs(k: Talk) -> None:
    (member,) = some(k, 1, rebalance_ms=1000)
    member.get_id()
    member.do_join()
    wait_for_state(k, member.group, "Empty")


@story
def another_protocol_type_after_the_last_member(k: Talk) -> None:
    (member,) = some_stable(k, 1)
    member.peer.do(*member.leave())
    stable(k, Member(k, member.group, 1, protocol_type="connect", protocols={"compatible": "01"}))


@story
def a_topic_with_offsets_of_two_groups_is_deleted(k: Talk) -> None:
    topic, first, second = k.topic(), k.group(), k.group()
    k.do(*commit(first, {topic: {0: 1}}))
    k.do(*commit(second, {topic: {0: 2}}))
    _delete_topics(k, topic)
    wait_for_offsets(k, first, 0)
    wait_for_offsets(k, second, 0)


@story
def a_static_member_is_removed_by_its_instance_id(k: Talk) -> None:
    first, second = some(k, 1, instance="static-1"), some(k, 1, instance="static-2")
    stable(k, *first)
    stable(k, *second)
    k.do(*leave(first[0].group, ("", "static-1"), version=3))
    k.do(*leave(second[0].group, ("", "nobody"), version=3))


@story
def a_leader_assigns_to_nobody_and_to_somebody_unknown(k: Talk) -> None:
    (member,) = some(k, 1)
    member.get_id()
    member.do_join()
    member.peer.do(*member.sync({"somebody": "aa"}))


@story
def a_member_without_an_assignment_and_one_with_a_long_one(k: Talk) -> None:
    first, second = some(k, 2)
    first.assignment, second.assignment = "", "ab" * 3000
    stable(k, first, second)


@story
def groups_with_odd_names(k: Talk) -> None:
    topic = k.topic()
    for odd in ("é and 😀", " ", "a" * 1000):
        k.do(*commit(f"{k.group()} {odd}", {topic: {0: 1}}))


@story
def a_member_commits_in_every_state(k: Talk) -> None:
    topic = k.topic(4)
    (member,) = some(k, 1)
    member.get_id()
    k.do(*commit(member.group, {topic: {0: 0}}))
    member.do_join()
    k.do(*commit(member.group, {topic: {1: 1}}, member=member.id, generation=member.generation))
    member.do_sync()
    k.do(*commit(member.group, {topic: {2: 2}}, member=member.id, generation=member.generation))
    k.do(*commit(member.group, {topic: {2: 3}}))
    k.do(*commit(member.group, {topic: {2: 4}}, member=member.id, generation=member.generation + 1))
    member.peer.do(*member.leave())
    k.do(*commit(member.group, {topic: {3: 3}}, member=member.id, generation=member.generation))


@story
def versions_of_a_join(k: Talk) -> None:
    for version in (0, 1, 4, 5, 9):
        (member,) = some(k, 1)
        if version >= 4:
            member.id = member.peer.do(*member.join(version=version))["MemberId"]
        member.joined(member.peer.do(*member.join(version=version)))
        member.do_sync()


MINUTE_MS: Final = 60_000


def _write(k: Talk, topic: str, data: bytes, partition: int = 0) -> None:
    response = k.do(*produce({topic: {partition: data}}))["Responses"][0]["PartitionResponses"][0]
    assert response["ErrorCode"] == 0, response


def _records(number: int, count: int = 3, size: int = 20, at_ms: int = 0) -> list[LogRecord]:
    """Return records that are the same in every run."""
    value = f"{number:04}".encode() * (size // 4)
    return [record(value, f"k{n}".encode(), OLD_MS + at_ms + n, (("h", b"x"),)) for n in range(count)]


@story
def a_log_and_its_indexes(k: Talk) -> None:
    topic = k.topic(2, index_interval_bytes="100", retention_ms="-1")
    for number in range(12):
        _write(k, topic, batch(*_records(number, at_ms=number * 1000)))
    for codec in Codec:
        _write(k, topic, batch(*_records(7, size=400), compression=codec), partition=1)


@story
def a_log_rolls_by_size(k: Talk) -> None:
    topic = k.topic(segment_bytes="1048576", retention_ms="-1")
    for number in range(8):
        _write(k, topic, batch(*_records(number, size=100_000)))


@story
def a_log_rolls_by_time(k: Talk) -> None:
    topic = k.topic(segment_ms=str(MINUTE_MS), retention_ms="-1")
    for number in range(6):
        _write(k, topic, batch(*_records(number, at_ms=number * MINUTE_MS // 2)))


@story
def a_log_of_idempotent_producers(k: Talk) -> None:
    topic = k.topic(retention_ms="-1")
    for number in range(4):
        how = {"producer_epoch": number % 2, "base_sequence": 3 * (number // 2)}
        _write(k, topic, batch(*_records(number), producer_id=4242 + number % 2, **how))
    _write(k, topic, batch(*_records(9), producer_id=4242, producer_epoch=5, base_sequence=0))


@story
def a_log_with_times_that_go_back(k: Talk) -> None:
    topic = k.topic(index_interval_bytes="0", retention_ms="-1")
    for number, at_ms in enumerate((5000, 1000, 9000, 9000, 2000)):
        _write(k, topic, batch(*_records(number, at_ms=at_ms)))
