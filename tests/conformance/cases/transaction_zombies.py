"""A producer that was fenced goes on, at each point of the next producer's transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tests.conformance.build import Request
from tests.conformance.case import Talk, case
from tests.conformance.transactional import Producer

COMMIT_VERSIONS: Final = (3, 4, 5)
PRODUCE_VERSIONS: Final = (11, 12)
END_VERSIONS: Final = (4, 5)


def _points(k: Talk, one: Producer, topic: str, group: str, opened: str) -> Iterator[str]:
    """Yield after each step: the producer opens a transaction, is fenced, and its successor goes on."""
    if opened == "with a topic":
        one.has({topic: [0]})
    elif opened == "with the group":
        k.do(*one.add_offsets(group))
    elif opened == "with offsets":
        k.do(*one.add_offsets(group))
        k.do(*one.commit_offsets(group, {topic: {0: 1}}))
    k.ask(*one.init())
    one.settle()
    yield "fenced"
    one.start()
    yield "the next has started"
    one.has({topic: [0]})
    yield "the next has added a topic"
    k.do(*one.add_offsets(group))
    yield "the next has added the group"
    k.do(*one.commit_offsets(group, {topic: {0: 2}}))
    yield "the next has committed offsets"
    one.finish(commit=True)
    yield "the next has ended"


def _zombie(k: Talk, level: int, send: Callable[[Producer, str, str, tuple[int, int]], Request]) -> None:
    """Keep the responses to a request under the first epoch, and under one that is not assigned yet."""
    for opened in ("not", "with a topic", "with the group", "with offsets"):
        one, topic, group = Producer(k, level=level), k.topic(), k.group()
        first = (one.id, one.epoch)
        for point in _points(k, one, topic, group, opened):
            k.keep("point", point)
            k.ask(*send(one, topic, group, first))
            k.ask(*send(one, topic, group, (one.id, one.epoch + 9)))


@case(versions=COMMIT_VERSIONS)
def zombie_commits_offsets(k: Talk, version: int) -> None:
    def send(one: Producer, topic: str, group: str, who: tuple[int, int]) -> Request:
        return one.commit_offsets(group, {topic: {0: 9}}, id=who[0], epoch=who[1], version=version)

    _zombie(k, 2 if version >= 5 else 1, send)


@case(versions=PRODUCE_VERSIONS)
def zombie_produces(k: Talk, version: int) -> None:
    def send(one: Producer, topic: str, group: str, who: tuple[int, int]) -> Request:
        return one.produce(
            {topic: {0: 1}}, version=version, producer_id=who[0], producer_epoch=who[1], base_sequence=0
        )

    _zombie(k, 2 if version >= 12 else 1, send)


@case(versions=(3, 4))
def zombie_adds_the_group(k: Talk, version: int) -> None:
    def send(one: Producer, topic: str, group: str, who: tuple[int, int]) -> Request:
        return one.add_offsets(group, id=who[0], epoch=who[1], version=version)

    _zombie(k, 1, send)


@case(versions=END_VERSIONS)
def zombie_ends_a_transaction(k: Talk, version: int) -> None:
    def send(one: Producer, topic: str, group: str, who: tuple[int, int]) -> Request:
        return one.end(commit=False, id=who[0], epoch=who[1], version=version)

    _zombie(k, 2 if version >= 5 else 1, send)


# In versions before 5, Kafka's producer must have added the group before: TRANSACTION_ABORTABLE (120), or
# INVALID_TXN_STATE (48) for older clients and if the marker is written between verification and append.
EXPECTED: Final = {3: {0, 47, 48, 51, 120}, 4: {0, 47, 48, 51, 120}, 5: {0, 47, 51}}
ROUNDS: Final = 60


@case(versions=COMMIT_VERSIONS)
def zombie_commits_offsets_while_it_is_fenced(k: Talk, version: int) -> None:
    """The requests arrive at the same time on two connections. Which one is first is chance."""
    one, topic, group = Producer(k, level=2 if version >= 5 else 1), k.topic(), k.group()
    zombie, successor = k.connect(), k.connect()
    found: set[int] = set()
    for number in range(ROUNDS):
        if number % 3 == 0:
            one.has({topic: [0]})
        elif number % 3 == 1:
            k.do(*one.add_offsets(group))
        commit = one.commit_offsets(group, {topic: {0: number}}, version=version)
        zombie.send(*commit)
        successor.send(*one.init())
        for response in (zombie.take(), zombie.do(*commit)):
            found.add(response["Topics"][0]["Partitions"][0]["ErrorCode"])
        successor.take()
        one.start()
    k.keep("unexpected errors", sorted(found - EXPECTED[version]))
