"""Commits to groups with the consumer protocol, and offsets that are fetched and deleted."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import Request, commit, delete_offsets, fetch_offsets
from tests.conformance.case import Talk
from tests.conformance.consumers import (
    NO_INTERVAL,
    Consumer,
    ask_described,
    consumers,
    known_topic,
    no_interval,
    set_group,
    settle,
    settled,
)

COMMIT_VERSIONS = range(2, 11)
FETCH_VERSIONS = range(1, 11)


def by(one: Consumer, topic: str, offsets: dict[int, int], epoch: int | None = None, **how: Any) -> Request:
    """Build a commit of this member. Version 10 names the topic by its id."""
    name = one.talk.topic_id(topic) if how.get("version", 9) >= 10 else topic
    generation = one.epoch if epoch is None else epoch
    return commit(one.group, {name: offsets}, **{"member": one.id, "generation": generation, **how})


def fetched(
    group: str, topic: str, partitions: list[int], member: str | None, epoch: int, version: int = 9
) -> Request:
    api, _, fields = fetch_offsets(group, {topic: partitions}, version=version)
    fields["Groups"][0].update(MemberId=member, MemberEpoch=epoch)
    return api, version, fields


@no_interval(versions=COMMIT_VERSIONS)
def consumer_commits(k: Talk, version: int) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    for epoch in (2, 1, 3, 0, -1, -2):
        k.ask(*by(one, topic, {0: 5, 1: 6}, epoch=epoch, version=version))
    k.ask(*fetch_offsets(one.group, {topic: [0, 1]}))


@no_interval(versions=COMMIT_VERSIONS)
def commit_by_somebody_who_is_no_consumer_of_the_group(k: Talk, version: int) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    for member in ("nobody", ""):
        for epoch in (2, -1, 0):
            k.ask(*by(one, topic, {0: 5}, epoch=epoch, member=member, version=version))
    k.ask(*fetch_offsets(one.group, {topic: [0]}))


@no_interval(versions=COMMIT_VERSIONS)
def commit_to_an_empty_consumer_group(k: Talk, version: int) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.leave(kept=False)
    for member in ("m1", ""):
        for epoch in (-1, 0, 2, -5):
            k.ask(*by(one, topic, {0: 5}, epoch=epoch, member=member, version=version))
    k.ask(*fetch_offsets(one.group, {topic: [0]}))


@no_interval()
def consumer_commits_with_an_instance_id(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    for instance in ("i1", "i2", "", None):
        k.ask(*by(one, topic, {0: 5}, instance=instance))
    one.leave(-2)
    k.ask(*by(one, topic, {0: 6}, epoch=2, instance="i1"))
    k.ask(*by(one, topic, {0: 6}, epoch=-2, instance="i1"))
    again = Consumer(k, one.group, "m9", **one.how)
    again.join()
    k.ask(*by(one, topic, {0: 7}, epoch=2, instance="i1"))
    k.ask(*by(again, topic, {0: 8}, instance="i1"))


@no_interval()
def commit_with_an_older_epoch_of_partitions_that_it_still_has(k: Talk) -> None:
    """KIP-1251: the epoch must not be older than the assignment of the partition."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    for partition in range(4):
        for epoch in (1, 2, 3, 4):
            k.ask(*by(one, topic, {partition: epoch}, epoch=epoch))
    for partition in range(4):
        for epoch in (2, 3):
            k.ask(*by(two, topic, {partition: epoch}, epoch=epoch))


@no_interval()
def commit_with_an_older_epoch_of_several_partitions(k: Talk) -> None:
    """One refused partition refuses the whole request."""
    topic, other = known_topic(k, 4), known_topic(k, 1)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    k.ask(*by(one, topic, {0: 1, 1: 1}, epoch=2))
    k.ask(*by(one, topic, {0: 2, 2: 2}, epoch=2))
    k.ask(*commit(one.group, {topic: {0: 3}, other: {0: 3}}, member="m1", generation=2))
    k.ask(*commit(one.group, {topic: {0: 4}, other: {0: 4}}, member="m1", generation=3))
    k.ask(*fetch_offsets(one.group, {topic: [0, 1, 2], other: [0]}))


@no_interval()
def commit_of_partitions_that_it_should_give_up(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    k.ask(*by(one, topic, {3: 1}))
    one.beat(owns={topic: range(4)})
    k.ask(*by(one, topic, {3: 2}))
    k.ask(*by(one, topic, {3: 3}, epoch=1))
    one.beat(owns={topic: [0, 1]})
    k.ask(*by(one, topic, {3: 4}, epoch=2))
    k.ask(*by(one, topic, {3: 5}))
    k.ask(*by(one, topic, {0: 6}, epoch=2))


@no_interval()
def commit_with_the_epoch_of_an_earlier_assignment(k: Talk) -> None:
    """A partition that left and returned has the epoch of its return."""
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    two.leave(kept=False)
    settle(one)
    for partition in (0, 1):
        for epoch in (1, 2, 3, 4):
            k.ask(*by(one, topic, {partition: epoch}, epoch=epoch))


@no_interval()
def commit_with_an_older_epoch_after_rejoining(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    one.join(kept=False)
    for epoch in (1, 2, 3):
        k.ask(*by(one, topic, {0: epoch}, epoch=epoch))
    two.leave(kept=False)
    one.join(kept=False)
    for epoch in (2, 3, 4):
        k.ask(*by(one, topic, {0: epoch, 1: epoch}, epoch=epoch))


@no_interval(versions=range(8, 11))
def commit_with_an_older_epoch_by_version(k: Talk, version: int) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    k.ask(*by(one, topic, {0: 1}, epoch=2, version=version))
    k.ask(*by(one, topic, {1: 1}, epoch=2, version=version))


@no_interval()
def commit_of_a_topic_that_the_consumer_has_not(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.ask(*by(one, other, {0: 5}))
    k.ask(*by(one, topic, {7: 5}))
    k.ask(*by(one, topic, {0: 5}, metadata="x" * 5000))
    k.ask(*by(one, topic, {0: 5}, metadata="x" * 5000, epoch=9))


@no_interval()
def commit_by_a_consumer_whose_session_ended(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    set_group(k, one.group, consumer_heartbeat_interval_ms="500", consumer_session_timeout_ms="1000")
    one.join(kept=False)
    one.beat_until(lambda response: response["ErrorCode"] == 25, epoch=9)
    k.ask(*by(one, topic, {0: 5}))
    k.ask(*by(one, topic, {0: 5}, epoch=-1))


@no_interval(versions=FETCH_VERSIONS)
def offsets_of_a_consumer_group_are_fetched(k: Talk, version: int) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*by(one, topic, {0: 5}))
    name = k.topic_id(topic) if version >= 10 else topic
    k.ask(*fetch_offsets(one.group, {name: [0, 1]}, version=version))
    if version > 1:
        k.ask(*fetch_offsets(one.group, version=version))


@no_interval(versions=(9, 10))
def offsets_are_fetched_with_a_member_epoch(k: Talk, version: int) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*by(one, topic, {0: 5}))
    name = k.topic_id(topic) if version >= 10 else topic
    for member in ("m1", "nobody", "", None):
        for epoch in (2, 1, 3, 0, -1, -2):
            k.ask(*fetched(one.group, name, [0, 1], member, epoch, version))


@no_interval()
def offsets_of_an_empty_consumer_group_are_fetched(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*by(one, topic, {0: 5}))
    one.leave(kept=False)
    for member in ("m1", "", None):
        for epoch in (2, -1):
            k.ask(*fetched(one.group, topic, [0], member, epoch))


@no_interval()
def offsets_are_fetched_with_an_older_epoch(k: Talk) -> None:
    """Unlike commits, fetches need the current epoch."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    for epoch in (2, 3):
        k.ask(*fetched(one.group, topic, [0], "m1", epoch))


@no_interval()
def offsets_of_unknown_and_classic_groups_are_fetched_with_an_epoch(k: Talk) -> None:
    topic = known_topic(k, 1)
    group = k.group()
    k.ask(*fetched(group, topic, [0], "m1", 3))
    k.do(*commit(group, {topic: {0: 1}}))
    k.ask(*fetched(group, topic, [0], "m1", 3))


@no_interval()
def offsets_of_a_consumer_group_are_deleted(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*commit(one.group, {topic: {0: 1}, other: {0: 1}}, member="m1", generation=2))
    k.ask(*delete_offsets(one.group, (topic, [0, 1]), (other, [0]), (k.name("missing"), [0])))
    one.leave(kept=False)
    k.ask(*delete_offsets(one.group, (topic, [0, 1]), (other, [0])))
    k.ask(*fetch_offsets(one.group))


@no_interval()
def offsets_of_topics_that_an_expression_matches_are_deleted(k: Talk) -> None:
    topic, other = known_topic(k, 1), known_topic(k, 1)
    (one,) = consumers(k, 1, regex=topic.replace(".", "\\."))
    one.join(kept=False)
    one.beat_until(lambda response: response["Assignment"])
    k.do(*commit(one.group, {topic: {0: 1}, other: {0: 1}}, member="m1", generation=one.epoch))
    k.ask(*delete_offsets(one.group, (topic, [0]), (other, [0])))


@no_interval()
def consumer_group_is_deleted(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*by(one, topic, {0: 5}))
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.leave(kept=False)
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    ask_described(one)
    k.ask(*fetch_offsets(one.group, {topic: [0]}))
    one.join()


@no_interval()
def consumer_group_is_deleted_while_a_static_member_is_away(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(-2)
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})


@no_interval()
def topic_with_offsets_of_a_consumer_group_is_deleted(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*by(one, topic, {0: 5}))
    k.delete_topic(topic)
    one.beat_until(lambda response: response["Assignment"] is not None)
    k.until(lambda: k.do(*fetch_offsets(one.group))["Groups"][0]["Topics"], lambda topics: not topics)
    k.ask(*fetch_offsets(one.group, {topic: [0]}))


# Alone, because __transaction_state must not exist yet.
@no_interval(settings={**NO_INTERVAL, "transaction.state.log.num.partitions": "3"})
def transactional_commit_of_a_consumer(k: Talk) -> None:
    """The group checks the member and its epoch before the producer is looked at."""
    topic = known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    for member, epoch in (("m1", 9), ("nobody", 2), ("m1", 1)):
        fields = {
            "TransactionalId": k.name("tx"),
            "GroupId": one.group,
            "ProducerId": 4242,
            "ProducerEpoch": 0,
            "GenerationId": epoch,
            "MemberId": member,
            "Topics": [{"Name": topic, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 1}]}],
        }
        k.ask("TxnOffsetCommit", 3, fields)
