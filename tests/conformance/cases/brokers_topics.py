"""CreateTopics and CreatePartitions on three brokers, with replicas that are chosen or placed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.conformance.build_admin import create, grow, new
from tests.conformance.case import Fields, Talk, case
from tests.conformance.cases.brokers_metadata import by_id, metadata
from tests.conformance.clusters import RUNNING, replicated, until_led, until_partitions

CREATE: range = range(2, 8)
UNKNOWN_BROKER = 9


def without_configs(response: Fields) -> Any:
    """keep=: other cases compare the settings of new topics."""
    return {**response, "Topics": [{**each, "Configs": None} for each in response["Topics"]]}


def with_replicas(name: str, *replicas: Sequence[int]) -> Fields:
    return new(name, -1, -1, assignments=[(at, list(ids)) for at, ids in enumerate(replicas)])


@case(brokers=3, versions=CREATE)
def topics_with_replication_factors(k: Talk, version: int) -> Iterator[None]:
    def ask() -> None:
        for factor in (-1, 0, 1, 2, 3, 4, 100, -2):
            k.ask(*create(new(k.name("topic"), 2, factor), version=version), keep=without_configs)

    ask()
    yield
    ask()
    yield
    ask()


@case(brokers=3, versions=CREATE)
def topics_with_chosen_replicas(k: Talk, version: int) -> Iterator[None]:
    topic = k.name("good")
    k.ask(*create(with_replicas(topic, [3, 1], [1, 2], [2, 3]), version=version), keep=without_configs)
    until_led(k, topic, 3, 1, 2)
    k.ask(*metadata(topic), keep=by_id)
    yield
    for replicas in ([[1, 3]], [[3, 1]], [[3]], [[1, 2], [3, 2]], [[1], [3]]):
        name = k.name("topic")
        k.ask(*create(with_replicas(name, *replicas), version=version), keep=without_configs)
        if replicas[-1] != [3]:
            until_partitions(k, name, lambda found: [p["LeaderId"] > 0 for p in found], RUNNING)
            k.ask(*metadata(name), keep=by_id)


@case(brokers=3)
def topics_with_replicas_that_cannot_be(k: Talk) -> None:
    for replicas in (
        [[]],
        [[1, 1]],
        [[1, 2, 1]],
        [[UNKNOWN_BROKER]],
        [[1, UNKNOWN_BROKER]],
        [[-1]],
        [[0, 1]],
        [[1, 2, 3, 4]],
        [[1], [1, 2]],
        [[1, 2, 3], [1, 2]],
        [[1, 2], []],
        [[1, 2], [1, 1]],
        [[1, 2], [UNKNOWN_BROKER]],
        [[1, 2], [UNKNOWN_BROKER, UNKNOWN_BROKER]],
    ):
        k.ask(*create(with_replicas(k.name("topic"), *replicas)), keep=without_configs)
    name = k.name("twice")
    k.ask(*create(new(name, -1, -1, assignments=[(0, [1]), (0, [2])])), keep=without_configs)
    k.ask(*create(new(name, -1, -1, assignments=[(1, [1]), (2, [2])])), keep=without_configs)
    k.ask(*create(new(name, 1, -1, assignments=[(0, [1])])), keep=without_configs)
    k.ask(*create(new(name, -1, 1, assignments=[(0, [1])])), keep=without_configs)


@case(brokers=3)
def topics_that_are_only_validated(k: Talk) -> Iterator[None]:
    def ask() -> None:
        for topic in (
            new(k.name("topic"), 3, 3),
            new(k.name("topic"), 3, 4),
            with_replicas(k.name("topic"), [1, 2]),
            with_replicas(k.name("topic"), [3]),
        ):
            k.ask(*create(topic, validate_only=True), keep=without_configs)

    ask()
    yield
    ask()


@case(brokers=3)
def topics_created_at_each_broker(k: Talk) -> None:
    for node_id in (1, 2, 3):
        name = k.name("topic")
        k.on(node_id).ask(*create(with_replicas(name, [2, 3])), keep=without_configs)
        until_led(k, name, 2)
        k.on(2).ask(*metadata(name), keep=by_id)


@case(brokers=3, versions=range(4))
def partitions_added_on_three_brokers(k: Talk, version: int) -> Iterator[None]:
    topics = [replicated(k, [1, 2]), replicated(k, [3]), replicated(k, [3, 2, 1])]

    def ask(count: int) -> None:
        for topic in topics:
            k.ask(*grow((topic, count), version=version))
            k.ask(*grow((topic, count), version=version))

    ask(2)
    yield
    ask(3)
    yield
    ask(4)


@case(brokers=3)
def partitions_added_with_chosen_replicas(k: Talk) -> Iterator[None]:
    topic = replicated(k, [1, 2])
    k.ask(*grow((topic, 3, [[3, 1], [2, 3]])))
    until_led(k, topic, 1, 3, 2)
    k.ask(*metadata(topic), keep=by_id)
    yield
    k.ask(*grow((topic, 4, [[3, 1]])))
    until_partitions(k, topic, lambda found: len(found) == 4 and found[3]["LeaderId"] == 1, RUNNING)
    k.ask(*metadata(topic), keep=by_id)
    other = replicated_on_the_first(k)
    k.ask(*grow((other, 2, [[3]])))
    k.ask(*grow((other, 3, [[1], [3]])))


def replicated_on_the_first(k: Talk) -> str:
    """Create a topic while the third broker is stopped."""
    name = k.name("topic")
    made = k.do(*create(with_replicas(name, [1])))["Topics"][0]
    assert made["ErrorCode"] == 0, made
    until_led(k, name, 1, among=RUNNING)
    return name


@case(brokers=3)
def partitions_added_with_replicas_that_cannot_be(k: Talk) -> None:
    topic = replicated(k, [1, 2])
    for count, replicas in (
        (2, [[]]),
        (2, [[1]]),
        (2, [[1, 2, 3]]),
        (2, [[1, 1]]),
        (2, [[1, UNKNOWN_BROKER]]),
        (2, [[UNKNOWN_BROKER]]),
        (2, [[1, 2], [2, 1]]),
        (2, []),
        (3, [[1, 2]]),
        (3, [[1, 2], [2]]),
        (3, [[1, 2], [2, 2]]),
        (1, [[1, 2]]),
        (0, []),
    ):
        k.ask(*grow((topic, count, replicas)))
