"""ConsumerGroupDescribe, DescribeGroups and ListGroups of groups with the consumer protocol."""

from __future__ import annotations

from collections.abc import Callable

from tests.conformance.build import commit
from tests.conformance.case import Fields, Talk
from tests.conformance.consumers import (
    Consumer,
    ask_described,
    consumers,
    consumers_in_order,
    describe_consumers,
    known_topic,
    no_interval,
    settled,
)
from tests.conformance.members import describe, some_stable


def only(*groups: str) -> Callable[[Fields], Fields]:
    """keep= of ListGroups: these groups only."""

    def chosen(response: Fields) -> Fields:
        found = sorted(
            (g for g in response["Groups"] if g["GroupId"] in groups), key=lambda g: str(g["GroupId"])
        )
        return {**response, "Groups": found}

    return chosen


@no_interval(versions=range(2))
def consumer_group_is_described(k: Talk, version: int) -> None:
    topic, other = known_topic(k, 3), known_topic(k, 1)
    one, two = consumers(k, 2, topics=[topic], rack="r1", assignor="range")
    two.how.update(instance="i2", topics=[topic, other], rack=None)
    settled(one, two)
    k.ask(*describe_consumers(one.group, version=version), keep=consumers_in_order)
    k.ask(*describe_consumers(one.group, version=version, operations=True), keep=consumers_in_order)


@no_interval(versions=range(2))
def groups_that_are_no_consumer_groups_are_described(k: Talk, version: int) -> None:
    (classic,) = some_stable(k, 1, version=3)
    simple, topic = k.group(), k.topic()
    k.do(*commit(simple, {topic: {0: 5}}))
    for group in (k.name("unknown"), classic.group, simple, ""):
        k.ask(*describe_consumers(group, version=version), keep=consumers_in_order)
        k.ask(*describe_consumers(group, version=version, operations=True), keep=consumers_in_order)


@no_interval()
def several_consumer_groups_are_described(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,), (two,) = consumers(k, 1, topics=[topic]), consumers(k, 1, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    names = [two.group, k.name("unknown"), one.group, two.group, ""]

    def in_order(response: Fields) -> Fields:
        shown = consumers_in_order(response)
        return {**shown, "Groups": sorted(shown["Groups"], key=lambda group: str(group["GroupId"]))}

    k.ask(*describe_consumers(*names), keep=in_order)
    k.ask(*describe_consumers(), keep=in_order)


@no_interval()
def states_of_a_consumer_group(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])

    def show() -> None:
        ask_described(one)
        k.ask("ListGroups", 5, {}, keep=only(one.group))
        k.ask(*describe(one.group))

    show()
    one.join()
    show()
    two.join()
    show()
    one.beat(owns={topic: range(4)})
    show()
    one.beat(owns={topic: [0, 1]})
    show()
    two.beat()
    show()
    one.leave()
    show()
    two.leave()
    show()


@no_interval(versions=range(6))
def consumer_group_is_listed(k: Talk, version: int) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join(kept=False)
    k.ask("ListGroups", version, {}, keep=only(one.group))


@no_interval()
def consumer_groups_are_listed_by_state_and_type(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,), (empty,) = consumers(k, 1, topics=[topic]), consumers(k, 1, topics=[topic])
    (classic,) = some_stable(k, 1, version=3)
    one.join(kept=False)
    empty.join(kept=False)
    empty.leave(kept=False)
    groups = only(one.group, empty.group, classic.group)
    for types in (
        ["consumer"],
        ["Consumer"],
        ["CLASSIC"],
        ["consumer", "classic"],
        ["share"],
        ["nonsense"],
        [""],
    ):
        k.ask("ListGroups", 5, {"TypesFilter": types}, keep=groups)
    for states in (["Stable"], ["stable"], ["Empty"], ["EMPTY", "Stable"], ["Assigning"], ["nonsense"]):
        k.ask("ListGroups", 5, {"StatesFilter": states}, keep=groups)
        k.ask("ListGroups", 4, {"StatesFilter": states}, keep=groups)
    k.ask("ListGroups", 5, {"StatesFilter": ["Empty"], "TypesFilter": ["consumer"]}, keep=groups)


@no_interval(versions=range(7))
def consumer_group_is_described_as_a_classic_one(k: Talk, version: int) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.ask(*describe(one.group, version=version))
    k.ask(*describe(one.group, version=version, operations=True))


@no_interval()
def assignor_of_a_group_is_described_after_its_vote(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    ask_described(one)
    one.beat(assignor="range")
    ask_described(one)
    two.join(assignor="uniform")
    ask_described(one)
    one.leave()
    ask_described(one)


@no_interval()
def client_of_a_member_is_described(k: Talk) -> None:
    topic = known_topic(k, 1)
    group = k.group()
    for client_id in ("a client", "", None):
        one = Consumer(k, group, f"of {client_id}", topics=[topic])
        one.peer = k.connect(client_id)
        one.join(kept=False)
    ask_described(one)
    again = Consumer(k, group, "of None", topics=[topic])
    again.join(kept=False)
    ask_described(one)


@no_interval()
def deleted_topic_disappears_from_the_assignments(k: Talk) -> None:
    topic, other = known_topic(k, 1), known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic, other])
    one.join(kept=False)
    k.delete_topic(topic)

    def topics_of(response: Fields) -> int:
        assignment = response["Groups"][0]["Members"][0]["Assignment"]
        return len(assignment["TopicPartitions"])

    k.until(lambda: topics_of(k.do(*describe_consumers(one.group))), lambda count: count == 1)
    ask_described(one)
