"""transaction.version 0, 1 and 2: UpdateFeatures, and transactions at each level.

Levels belong to the whole broker. The cases of one level share a broker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.conformance.build import fetch_offsets
from tests.conformance.build_transactions import describe_producers, marker, set_features, write_markers
from tests.conformance.case import Fields, Talk, case
from tests.conformance.transactional import (
    AT_LEVEL_0,
    AT_LEVEL_1,
    FEATURE,
    FORCE,
    LOWER,
    RAISE,
    Producer,
    ends,
    level,
    look,
    producers_in_order,
)

PRODUCE_VERSIONS: Final = (9, 11)
NEW_PRODUCE_VERSIONS: Final = (12, 13)
END_VERSIONS: Final = (1, 4)
Run = Callable[..., None]


def below_2(versions: Any = None, new: Any = ()) -> Callable[[Run], Run]:
    """Register a case for level 0 and for level 1, each with a broker of its own.

    new: versions for level 1 only. They are of clients that use transactions V2. At level 0 Kafka cannot
    write their records, and the transactional id is stuck.
    """

    def register(run: Run) -> Run:
        _register(run, 0, AT_LEVEL_0, versions)
        _register(run, 1, AT_LEVEL_1, versions and (*versions, *new))
        return run

    return register


def _register(run: Run, number: int, settings: dict[str, str], versions: Any) -> None:
    def at_level(k: Talk, *arguments: Any, **how: Any) -> None:
        level(k, number)
        run(k, *arguments, **how)

    at_level.__name__ = f"{run.__name__}_at_level_{number}"
    at_level.__module__ = run.__module__
    case(settings=settings, versions=versions)(at_level)


def _level_in(response: Fields) -> Any:
    return [feature for feature in response["FinalizedFeatures"] if feature["Name"] == FEATURE]


def _supported(response: Fields) -> Any:
    return [feature for feature in response["SupportedFeatures"] if feature["Name"] == FEATURE]


CLIENT: Final = {"ClientSoftwareName": "cases", "ClientSoftwareVersion": "1"}


@case
def level_of_transactions_in_api_versions(k: Talk) -> None:
    for version in (3, 4):
        k.ask("ApiVersions", version, CLIENT, keep=_level_in)
        k.ask("ApiVersions", version, CLIENT, keep=_supported)


@below_2()
def level_of_transactions_in_api_versions_of_an_older_level(k: Talk) -> None:
    k.ask("ApiVersions", 4, CLIENT, keep=_level_in)


@case(versions=(1, 2))
def level_of_transactions_is_validated(k: Talk, version: int) -> None:
    for wanted in (0, 1, 2, 3, -1):
        for upgrade in (RAISE, LOWER, FORCE, 0, 4):
            request = set_features((FEATURE, wanted), upgrade=upgrade, validate_only=True, version=version)
            k.ask(*request)


@case(versions=range(3))
def level_of_transactions_is_set_to_the_same(k: Talk, version: int) -> None:
    k.ask(*set_features((FEATURE, 2), version=version))
    k.ask(*set_features((FEATURE, 2), (FEATURE, 2), version=version))
    k.ask(*set_features((FEATURE, 2), ("nothing", 1), version=version))


@case(settings={"transaction.state.log.load.buffer.size": "5242883"})
def level_of_transactions_is_lowered_and_raised(k: Talk) -> None:
    """An open transaction goes on, in the way of the level at which it is ended."""
    one, topic = Producer(k), k.topic()
    for wanted in (1, 0, 2, 0, 1, 2):
        one.send({topic: {0: 1}})
        for upgrade in (RAISE, LOWER):
            k.ask(*set_features((FEATURE, wanted), upgrade=upgrade))
        level(k, wanted)
        one.describe()
        one.now_is(k.ask(*one.end(commit=True, version=5 if wanted == 2 else 4)))
        one.settle()
        one.describe()
        one.level = wanted
    look(k, {topic: [0]})


@below_2(versions=PRODUCE_VERSIONS, new=NEW_PRODUCE_VERSIONS)
def transactional_batches_are_written_below_level_2(k: Talk, version: int) -> None:
    one, topic = Producer(k, level=1), k.topic()
    (known,) = (k.topic_id(topic),) if version >= 13 else (topic,)
    k.ask(*one.produce({known: {0: 1}}, version=version))
    one.describe()
    one.has({topic: [0]})
    k.ask(*one.produce({known: {0: 1}}, version=version, base_sequence=3))
    k.ask(*one.produce({known: {0: 1}}, version=version, base_sequence=4, producer_epoch=1))
    one.finish(commit=True)
    one.describe()
    look(k, {topic: [0]})


@below_2(versions=END_VERSIONS, new=(5,))
def transactions_are_ended_below_level_2(k: Talk, version: int) -> None:
    """Version 5 moves the epoch at level 1, too."""
    one, topic = Producer(k, level=1), k.topic()
    for commit in (True, False):
        one.send({topic: {0: 1}})
        for again in (commit, commit, not commit):
            one.now_is(k.ask(*one.end(commit=again, version=version)))
            one.settle()
        one.describe()
    look(k, {topic: [0]})
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)


@below_2(versions=END_VERSIONS, new=(5,))
def transactions_that_never_began_are_ended_below_level_2(k: Talk, version: int) -> None:
    for commit in (True, False):
        one = Producer(k, level=1)
        k.ask(*one.end(commit=commit, version=version))
        one.settle()
        one.describe()


@below_2(versions=(3, 4), new=(5,))
def offsets_are_committed_below_level_2(k: Talk, version: int) -> None:
    one, topic, group = Producer(k, level=1), k.topic(), k.group()
    k.ask(*one.commit_offsets(group, {topic: {0: 4}}, version=version))
    k.do(*one.add_offsets(group))
    k.ask(*one.commit_offsets(group, {topic: {0: 5}}, version=version))
    one.describe_without_partitions()
    one.finish(commit=True)
    k.ask(*fetch_offsets(group, {topic: [0]}))


@below_2(versions=(3, 5))
def transactional_ids_are_initialised_below_level_2(k: Talk, version: int) -> None:
    """The abort of an open transaction moves the epoch at every level."""
    one, topic = Producer(k, level=1), k.topic()
    one.now_is(k.ask(*one.init(version=version)))
    one.send({topic: {0: 1}})
    k.ask(*one.init(one.id, one.epoch, version=version))
    one.settle()
    one.describe()
    for epoch in range(one.epoch - 1, one.epoch + 3):
        k.ask(*one.init(one.id, epoch, version=version))
    one.describe()
    look(k, {topic: [0]})


@below_2(versions=(3,), new=(4, 5))
def partitions_are_added_below_level_2(k: Talk, version: int) -> None:
    one, topic = Producer(k, level=1), k.topic(2)
    k.ask(*one.add({topic: [0, 1]}, version=version))
    k.ask(*one.add({topic: [0, 7]}, version=version))
    k.ask(*one.add({topic: [0]}, epoch=5, version=version))
    one.finish(commit=False)
    one.describe()
    look(k, {topic: [0, 1]})


@below_2()
def markers_below_level_2(k: Talk) -> None:
    """The request says at which level the marker is checked, not the broker."""
    for number in (0, 1, 2):
        one, topic = Producer(k, level=1), k.topic()
        one.send({topic: {0: 1}})
        for epoch in (0, 0, 1):
            k.ask(*write_markers(marker(one.id, epoch, {topic: [0]}, transaction_version=number)))
        ends(k, topic)


@below_2()
def sequences_go_on_in_the_next_transaction_below_level_2(k: Talk) -> None:
    one, topic = Producer(k, level=1), k.topic()
    for commit in (True, False, True):
        one.send({topic: {0: 2}})
        one.finish(commit=commit)
    one.describe()
    k.ask(*describe_producers({topic: [0]}), keep=producers_in_order)
    look(k, {topic: [0]})
