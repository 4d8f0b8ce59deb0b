"""ConsumerGroupHeartbeat: subscriptions by regular expression. Brokers resolve them after the response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.conformance.case import Fields, Talk
from tests.conformance.consumers import (
    Consumer,
    ask_described,
    consumers,
    described,
    known_topic,
    no_interval,
    settle,
)


def of(*topics: str) -> str:
    """Return an expression that matches these topics."""
    return "|".join(topic.replace(".", "\\.") for topic in topics)


def all_of(k: Talk) -> str:
    """Return an expression that matches every topic of this case."""
    return k.name("x").rpartition(".")[0] + "\\.topic.*"


def assigned(count: int) -> Callable[[Fields], bool]:
    """Return whether a response assigns this number of partitions."""

    def is_so(response: Fields) -> bool:
        given = (response["Assignment"] or {}).get("TopicPartitions", [])
        return sum(len(topic["Partitions"]) for topic in given) == count

    return is_so


def epoch_is(epoch: int) -> Callable[[Fields], bool]:
    return lambda response: response["MemberEpoch"] == epoch


@no_interval()
def consumer_joins_with_an_expression(k: Talk) -> None:
    known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, regex=all_of(k))
    one.join()
    one.beat_until(assigned(5))
    one.beat()
    one.full()
    ask_described(one)


@no_interval()
def expression_that_matches_nothing(k: Talk) -> None:
    (one,) = consumers(k, 1, regex=of(k.name("nothing")))
    one.join()
    one.beat_until(lambda _: described(one)["GroupEpoch"] == 1 and described(one)["GroupState"] == "Stable")
    one.full()
    ask_described(one)


@no_interval()
def expression_must_match_the_whole_name(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, regex=topic.replace(".", "\\.")[:-1])
    two = Consumer(k, one.group, "m2", regex=topic.replace(".", "\\."))
    one.join()
    two.join()
    two.beat_until(assigned(2))
    settle(one, two)
    ask_described(one)


@no_interval()
def expression_and_names(k: Talk) -> None:
    first, second = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[first], regex=of(second))
    one.join()
    one.beat_until(assigned(5))
    ask_described(one)


@no_interval()
def expression_and_names_overlap(k: Talk) -> None:
    first = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[first], regex=of(first))
    one.join()
    one.beat_until(epoch_is(3))
    one.full()
    ask_described(one)


@no_interval()
def consumer_changes_its_expression(k: Talk) -> None:
    first, second = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, regex=of(first))
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.beat(regex=of(second), owns={first: [0, 1]})
    one.beat_until(assigned(3), owns={})
    one.beat(owns={second: [0, 1, 2]})
    ask_described(one)


@no_interval()
def consumer_replaces_names_by_an_expression(k: Talk) -> None:
    first = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[first])
    one.join(kept=False)
    one.beat(topics=[], regex=of(first), owns={first: [0, 1]})
    one.beat_until(assigned(2), owns={})
    ask_described(one)


@no_interval()
def consumer_replaces_an_expression_by_names(k: Talk) -> None:
    first, second = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, regex=of(first))
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.beat(topics=[second], regex="", owns={first: [0, 1]})
    one.beat(owns={})
    one.beat(owns={second: [0, 1, 2]})
    ask_described(one)


@no_interval()
def consumer_drops_its_expression(k: Talk) -> None:
    first = known_topic(k, 2)
    (one,) = consumers(k, 1, regex=of(first))
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.beat(regex="", owns={first: [0, 1]})
    one.beat(owns={})
    ask_described(one)


@no_interval()
def consumer_repeats_its_expression(k: Talk) -> None:
    first = known_topic(k, 2)
    expression = of(first)
    (one,) = consumers(k, 1, regex=expression)
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.beat(regex=expression)
    one.full()
    one.join()
    ask_described(one)


@no_interval()
def two_consumers_with_the_same_expression(k: Talk) -> None:
    first = known_topic(k, 4)
    one, two = consumers(k, 2, regex=of(first))
    one.join(kept=False)
    one.beat_until(assigned(4))
    two.join()
    one.beat(owns={first: range(4)})
    one.beat(owns=one.owns)
    two.beat()
    ask_described(one)


@no_interval()
def two_consumers_with_different_expressions(k: Talk) -> None:
    first, second = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, regex=of(first))
    two = Consumer(k, one.group, "m2", regex=of(second))
    one.join(kept=False)
    one.beat_until(assigned(2))
    two.join()
    two.beat_until(assigned(3))
    settle(one, two)
    ask_described(one)


@no_interval()
def consumer_with_an_expression_leaves(k: Talk) -> None:
    first = known_topic(k, 4)
    (one,) = consumers(k, 1, regex=of(first))
    two = Consumer(k, one.group, "m2", topics=[first])
    one.join(kept=False)
    one.beat_until(assigned(4))
    two.join()
    settle(one, two)
    one.leave()
    two.beat(owns=two.owns)
    ask_described(two)


@no_interval()
def consumer_with_an_expression_rejoins_an_empty_group(k: Talk) -> None:
    first = known_topic(k, 2)
    (one,) = consumers(k, 1, regex=of(first))
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.leave()
    ask_described(one)
    one.join()
    one.beat_until(assigned(2))
    ask_described(one)


@no_interval()
def expression_becomes_invalid(k: Talk) -> None:
    first = known_topic(k, 2)
    (one,) = consumers(k, 1, regex=of(first))
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.beat(regex="(")
    one.beat()
    ask_described(one)


ACCEPTED: Final = (
    "(?i)TOPIC1",
    "\\w+1",
    "t[[:alpha:]]+\\d",
    "\\p{L}+1",
    "topic1??",
    "(?:topic)(1)$",
    "\\Qtopic1\\E",
    "(?P<name>topic)1",
    "topic[^0]",
    "topic1\\z",
    "\\btopic1\\b",
    "t.{4}\\x31",
)


@no_interval()
def expressions_of_re2(k: Talk) -> None:
    """Perl's classes, flags, Unicode classes and lazy repetitions are accepted."""
    topic = known_topic(k, 1)
    prefix = topic.rpartition(".")[0].replace(".", "\\.")
    for expression in ACCEPTED:
        (one,) = consumers(k, 1, regex=f"{prefix}\\.{expression}")
        one.join()
        if one.epoch:
            one.beat_until(assigned(1))


@no_interval()
def internal_topics_match_no_expression(k: Talk) -> None:
    (one,) = consumers(k, 1, regex="__consumer_off.*")
    one.join()
    two = Consumer(k, one.group, "m2", regex=all_of(k))
    known_topic(k, 1)
    two.join()
    two.beat_until(assigned(1))
    one.beat_until(lambda _: described(one)["GroupState"] == "Stable")
    ask_described(one)


@no_interval()
def consumer_with_an_expression_and_range(k: Talk) -> None:
    known_topic(k, 2), known_topic(k, 3)
    one, two = consumers(k, 2, regex=all_of(k), assignor="range")
    one.join(kept=False)
    one.beat_until(assigned(5))
    two.join()
    settle(one, two)
    ask_described(one)


@no_interval()
def static_consumer_with_an_expression_returns(k: Talk) -> None:
    first = known_topic(k, 2)
    (one,) = consumers(k, 1, regex=of(first), instance="i1")
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.leave(-2)
    again = Consumer(k, one.group, "m9", **one.how)
    again.join()
    again.beat()
    ask_described(one)


@no_interval()
def expression_in_version_0_is_not_sent(k: Talk) -> None:
    """Version 0 has no such field, so that a heartbeat keeps the expression that a join in version 1 set."""
    first = known_topic(k, 2)
    (one,) = consumers(k, 1, regex=of(first))
    one.join(kept=False)
    one.beat_until(assigned(2))
    one.beat(version=0, regex=None)
    one.full(version=0, regex=None, topics=[])
    ask_described(one)
