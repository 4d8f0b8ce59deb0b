"""StreamsGroupHeartbeat: checks of a topology, internal topics, and copartitioning."""

from __future__ import annotations

from typing import Any

from tests.conformance.build_admin import create, delete, grow, new
from tests.conformance.build_streams import describe_streams, internal, subtopology, topology
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import known_topic
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    Streamer,
    a_streamer,
    ask_described,
    one_source,
    settle,
    state,
    streamers,
    streams,
    topics_made,
)


def joined(k: Talk, *topologies: Fields, **how: Any) -> list[Streamer]:
    """Join one new group with each topology, and keep the responses."""
    members = [Streamer(k, k.group(), topology=made, **how) for made in topologies]
    for each in members:
        each.join()
    return members


@streams
def topology_without_subtopologies(k: Talk) -> None:
    (one,) = joined(k, topology())
    one.full()
    ask_described(one)


@streams
def topology_without_sources(k: Talk) -> None:
    """Kafka cannot compute the number of tasks."""
    joined(k, topology(subtopology()), topology(subtopology(sinks=["sink"])))
    joined(k, topology(subtopology("0", [known_topic(k)]), subtopology("1")))


@streams
def topology_repeats_a_subtopology(k: Talk) -> None:
    topic = known_topic(k)
    joined(k, topology(subtopology("0", [topic]), subtopology("0", [topic])))


@streams
def topology_repeats_a_source(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = joined(k, one_source(topic, topic))
    ask_described(one)
    made = topology(subtopology("0", [topic]), subtopology("1", [topic]))
    (two,) = joined(k, made, endpoint=("two", 2), endpoint_epoch=-1)
    ask_described(two)


@streams
def topology_has_odd_epochs(k: Talk) -> None:
    topic = known_topic(k)
    for epoch in (-1, -(2**31), 1, 2**31 - 1):
        (one,) = joined(k, one_source(topic, epoch=epoch))
        if one.epoch:
            ask_described(one)


@streams
def topology_names_topics_that_are_not_allowed(k: Talk) -> None:
    topic = known_topic(k)
    bad = ("", ".", "..", "in valid", "a" * 250, "ä")
    for name in bad:
        joined(k, one_source(name))
    joined(
        k,
        one_source(*bad),
        one_source("__consumer_offsets"),
        one_source("__transaction_state"),
        one_source("__share_group_state"),
        one_source("__cluster_metadata"),
        one_source("__consumer_offsets", "__transaction_state", ""),
        one_source(topic, changelogs=[internal("__consumer_offsets")]),
        one_source(topic, changelogs=[internal("in valid")]),
        one_source(topic, sinks=["__consumer_offsets"]),
        one_source(topic, sinks=["in valid"]),
        one_source(topic, repartitions=[internal("__consumer_offsets")]),
        one_source(topic, repartitions=[internal("in valid")]),
        one_source("in valid", "in valid"),
    )


@streams
def changelog_has_a_number_of_partitions(k: Talk) -> None:
    topic = known_topic(k)
    for partitions in (1, -1, 2**31 - 1):
        joined(k, one_source(topic, changelogs=[internal("log", partitions)]))
    joined(k, one_source(topic, changelogs=[internal("first"), internal("second", 2), internal("third", 3)]))


@streams
def sources_are_missing(k: Talk) -> None:
    topic = known_topic(k)
    names = [k.name("missing") for _ in range(5)]
    (one, *_) = joined(
        k,
        one_source(names[0]),
        one_source(topic, names[0]),
        one_source(*names[:3]),
        one_source(*names),
        topology(subtopology("a", [names[1]]), subtopology("b", [names[0]])),
    )
    ask_described(one)
    one.full()
    one.full(active={"0": [7]}, standby={"9": [1]})
    state(one)
    one.join()


@streams
def missing_source_is_created(k: Talk) -> None:
    known_topic(k)
    name = k.name("missing")
    one, two = streamers(k, 2, one_source(name))
    one.join()
    two.join()
    state(one)
    k.do(*create(new(name, 2)))
    k.until_there(name, 2)
    one.beat_until(lambda told: not told["Status"])
    settle(one, two)
    ask_described(one)


@streams
def missing_source_with_an_endpoint(k: Talk) -> None:
    """Kafka fails to compute the partitions of the endpoint."""
    known_topic(k)
    one, two = streamers(k, 2, one_source(k.name("missing")))
    one.join()
    one.full(endpoint=("one", 1), endpoint_epoch=0)
    one.full(endpoint=("one", 1), endpoint_epoch=1)
    two.join(endpoint_epoch=3)
    state(one)


@streams
def source_with_an_endpoint_is_deleted(k: Talk) -> None:
    topic = known_topic(k)
    one = a_streamer(k, topic, endpoint=("one", 1))
    k.delete_topic(topic)
    one.beat_until(lambda told: told["Status"] or told["ErrorCode"])
    one.full()
    one.full(endpoint_epoch=9)


@streams
def changelogs_are_created(k: Talk) -> None:
    topic = known_topic(k, 3)
    store = k.name("changelog")
    log = internal(store, cleanup_policy="compact", retention_ms="5000")
    (one,) = joined(k, one_source(topic, changelogs=[log]))
    ask_described(one)
    one.beat_until_ready()
    settle(one)
    ask_described(one)
    topics_made(k, store)


@streams
def five_changelogs_are_created(k: Talk) -> None:
    topic = known_topic(k, 2)
    stores = [k.name("changelog") for _ in range(5)]
    (one,) = streamers(k, 1, one_source(topic, changelogs=[internal(store) for store in stores]))
    told = one.join(kept=False)
    k.keep("topics", [told["Status"][0]["StatusCode"], told["Status"][0]["StatusDetail"].count(",")])
    one.beat_until_ready()
    state(one)
    topics_made(k, *stores)


@streams
def changelog_cannot_be_created(k: Talk) -> None:
    topic = known_topic(k)
    failing = internal(k.name("changelog"), replicas=3)
    other = internal(k.name("changelog"), nothing="5")
    odd = internal(k.name("changelog"), retention_ms="x")
    for each in (failing, other, odd):
        (one,) = joined(k, one_source(topic, changelogs=[each]))
        one.beat_until(lambda told: "fail" in str(told["Status"]).lower())
        one.full()
        state(one)
        topics_made(k, each["Name"])


@streams
def changelog_exists(k: Talk) -> None:
    topic, same, fewer, more = known_topic(k, 2), known_topic(k, 2), known_topic(k, 1), known_topic(k, 3)
    (one, two, three) = joined(
        k,
        one_source(topic, changelogs=[internal(same)]),
        one_source(topic, changelogs=[internal(fewer)]),
        one_source(topic, changelogs=[internal(more)]),
    )
    for each in (one, two, three):
        each.full()
        ask_described(each)


@streams
def changelog_is_deleted(k: Talk) -> None:
    topic = known_topic(k)
    store = k.name("changelog")
    (one,) = streamers(k, 1, one_source(topic, changelogs=[internal(store)]))
    one.join(kept=False)
    one.beat_until_ready()
    settle(one)
    k.do(*delete(store))
    k.until_gone(store)
    k.until(lambda: one.full(kept=False), lambda told: told["MemberEpoch"] > 3)
    one.beat_until_ready()
    settle(one)
    k.keep("tasks", one.active)


@streams
def changelog_is_named_twice(k: Talk) -> None:
    topic = known_topic(k)
    store = k.name("changelog")
    joined(k, one_source(topic, changelogs=[internal(store), internal(store)]))
    made = topology(
        subtopology("a", [topic], changelogs=[internal(store)]),
        subtopology("b", [topic], changelogs=[internal(store)]),
    )
    (one,) = joined(k, made)
    one.beat_until_ready()


@streams
def changelog_repeats_a_configuration(k: Talk) -> None:
    topic = known_topic(k)
    store = internal(k.name("changelog"))
    store["TopicConfigs"] = [{"Key": "retention.ms", "Value": value} for value in ("1", "2")]
    joined(k, one_source(topic, changelogs=[store]))


@streams
def source_is_its_own_changelog(k: Talk) -> None:
    """As with topology.optimization."""
    topic = known_topic(k, 2)
    (one,) = joined(k, one_source(topic, changelogs=[internal(topic)]))
    ask_described(one)


@streams
def repartition_topic_has_the_partitions_of_its_source(k: Talk) -> None:
    topic = known_topic(k, 3)
    between, store = k.name("repartition"), k.name("changelog")
    made = topology(
        subtopology("0", [topic], sinks=[between]),
        subtopology("1", repartitions=[internal(between)], changelogs=[internal(store)]),
    )
    (one,) = streamers(k, 1, made)
    one.join()
    one.beat_until_ready()
    settle(one)
    k.keep("tasks", one.active)
    ask_described(one)
    topics_made(k, between, store)


@streams
def repartition_topic_has_a_number_of_partitions(k: Talk) -> None:
    topic = known_topic(k, 3)
    for partitions in (2, 5):
        between, store = k.name("repartition"), k.name("changelog")
        made = topology(
            subtopology("0", [topic], sinks=[between]),
            subtopology("1", repartitions=[internal(between, partitions)], changelogs=[internal(store)]),
        )
        (one,) = streamers(k, 1, made)
        one.join(kept=False)
        one.beat_until_ready()
        settle(one)
        k.keep("tasks", one.active)
        topics_made(k, between, store)


@streams
def chain_of_repartition_topics(k: Talk) -> None:
    """The middle one has the most partitions."""
    topic = known_topic(k, 2)
    first, second, third = (k.name("repartition") for _ in range(3))
    made = topology(
        subtopology("c", repartitions=[internal(second)], sinks=[third]),
        subtopology("d", repartitions=[internal(third)]),
        subtopology("a", [topic], sinks=[first]),
        subtopology("b", repartitions=[internal(first, 4)], sinks=[second]),
    )
    (one,) = streamers(k, 1, made)
    one.join(kept=False)
    one.beat_until_ready()
    settle(one)
    k.keep("tasks", one.active)
    topics_made(k, first, second, third)


@streams
def repartition_topic_has_several_writers(k: Talk) -> None:
    few, many = known_topic(k), known_topic(k, 4)
    between = k.name("repartition")
    made = topology(
        subtopology("a", [few, many], sinks=[between]),
        subtopology("b", [few], sinks=[between]),
        subtopology("c", repartitions=[internal(between)]),
    )
    (one,) = streamers(k, 1, made)
    one.join(kept=False)
    one.beat_until_ready()
    settle(one)
    k.keep("tasks", one.active)
    topics_made(k, between)


@streams
def repartition_topics_that_cannot_be_resolved(k: Talk) -> None:
    topic = known_topic(k, 2)
    first, second = k.name("repartition"), k.name("repartition")
    joined(
        k,
        one_source(topic, repartitions=[internal(first)]),  # never a sink
        topology(  # a loop
            subtopology("a", repartitions=[internal(first)], sinks=[second]),
            subtopology("b", repartitions=[internal(second)], sinks=[first]),
        ),
        topology(subtopology("a", sinks=[first]), subtopology("b", repartitions=[internal(first)])),
        topology(subtopology("a", repartitions=[internal(first, -1)])),
        topology(subtopology("a", repartitions=[internal(first), internal(first)], sinks=[first])),
    )


@streams
def sink_that_is_not_a_repartition_topic(k: Talk) -> None:
    topic = known_topic(k)
    (one,) = joined(k, one_source(topic, sinks=[k.name("sink")]))
    ask_described(one)


@streams
def repartition_topic_exists(k: Talk) -> None:
    topic, same, fewer, more = known_topic(k, 2), known_topic(k, 2), known_topic(k, 1), known_topic(k, 3)
    for between in (same, fewer, more):
        for partitions in (0, 2):
            made = topology(
                subtopology("0", [topic], sinks=[between]),
                subtopology("1", repartitions=[internal(between, partitions)]),
            )
            (one,) = joined(k, made)
            state(one)


def copartitioned(sources: list[str], *repartitions: Fields, **other: Any) -> Fields:
    """Return a topology with one group of copartitioned topics.

    written_by: the source of the subtopology that writes the repartition topics
    """
    both = (range(len(sources)), range(len(repartitions)))
    return topology(
        subtopology("0", sources, repartitions=list(repartitions), copartitioned=[both]),
        subtopology("1", [other.pop("written_by")], sinks=[each["Name"] for each in repartitions])
        if "written_by" in other
        else subtopology("1", sources),
        **other,
    )


@streams
def copartitioned_sources(k: Talk) -> None:
    first, second, other, third = known_topic(k, 2), known_topic(k, 2), known_topic(k, 3), known_topic(k)
    one, two, three = joined(
        k, copartitioned([first, second]), copartitioned([first, other]), copartitioned([other, first, third])
    )
    for each in (one, two, three):
        state(each)
    k.do(*grow((first, 3)))
    k.until_there(first, 3)
    two.beat_until(lambda told: not told["Status"])
    settle(two)
    k.keep("tasks", two.active)


@streams
def repartition_topic_follows_a_copartitioned_source(k: Talk) -> None:
    topic, writer = known_topic(k, 2), known_topic(k, 5)
    between = k.name("repartition")
    (one,) = streamers(k, 1, copartitioned([topic], internal(between), written_by=writer))
    one.join(kept=False)
    one.beat_until_ready()
    settle(one)
    k.keep("tasks", one.active)
    topics_made(k, between)


@streams
def repartition_topic_differs_from_a_copartitioned_source(k: Talk) -> None:
    topic, writer = known_topic(k, 2), known_topic(k, 5)
    between = k.name("repartition")
    joined(k, copartitioned([topic], internal(between, 3), written_by=writer))
    (one,) = joined(k, copartitioned([topic], internal(between, 2), written_by=writer))
    one.beat_until_ready()


@streams
def copartitioned_repartition_topics(k: Talk) -> None:
    writer = known_topic(k, 2)
    names = [k.name("repartition") for _ in range(4)]
    for partitions in ((0, 0), (3, 0), (3, 3), (3, 4)):
        pair = [internal(f"{names[0]}.{len(k.kept)}.{at}", count) for at, count in enumerate(partitions)]
        (one,) = joined(k, copartitioned([], *pair, written_by=writer))
        if partitions != (3, 4):
            one.beat_until_ready()
            settle(one)
            k.keep("tasks", one.active)
            topics_made(k, *(each["Name"] for each in pair))


def long_names(k: Talk, count: int) -> list[Fields]:
    """Return repartition topics of two sizes with names of 220 characters and more."""
    prefix = k.name("repartition")
    return [internal(f"{prefix}.{at:04}.{'x' * 200}", 3 + at % 2) for at in range(count)]


@streams
def very_many_topics_with_long_names_are_missing(k: Talk) -> None:
    writer = known_topic(k, 2)
    sources = [each["Name"] for each in long_names(k, 2_000)]
    (one, *_) = joined(k, one_source(*sources), one_source(writer, changelogs=long_names(k, 2_000)))
    one.full()
    one.leave()


@streams
def detail_of_a_status_is_long(k: Talk) -> None:
    """The detail names all topics of a copartition group: about 30,000 bytes, and about 200,000."""
    writer = known_topic(k, 2)
    for count in (130, 900):
        made = copartitioned([], *long_names(k, count), written_by=writer)
        one = Streamer(k, k.group(), topology=made)
        response = one.join(kept=False)
        k.keep("StreamsGroupHeartbeat", brief(response))
        k.keep("the member is stored", k.do(*describe_streams(one.group))["Groups"][0]["GroupState"])
        k.keep("StreamsGroupHeartbeat, again", brief(one.full(kept=False)))


def brief(response: Fields) -> Fields:
    """Show only the beginning of details, and how many topics they name."""
    response = {name: value for name, value in response.items() if name != "TaskOffsetIntervalMs"}
    if not response["Status"]:
        return response
    details = [f"{each['StatusCode']} {each['StatusDetail'][:60]}" for each in response["Status"]]
    named = sum(each["StatusDetail"].count("=") for each in response["Status"])
    return {**response, "Status": [*details, f"{named} topics"]}


@streams
def copartition_groups_are_odd(k: Talk) -> None:
    first, second = known_topic(k), known_topic(k, 2)
    groups: list[Any]
    for groups in (
        [([], [])],
        [([0], [])],
        [([0, 0], [])],
        [([0], []), ([1], [])],
        [([2], [])],
        [([-1], [])],
        [([], [0])],
        [([0], [5])],
    ):
        joined(k, one_source(first, second, copartitioned=groups))
    regex = one_source(first)
    regex["Subtopologies"][0]["CopartitionGroups"] = [
        {"SourceTopics": [0], "SourceTopicRegex": [0], "RepartitionSourceTopics": []}
    ]
    joined(k, regex)


@streams
def topology_changes(k: Talk) -> None:
    first, second = known_topic(k), known_topic(k)
    one = a_streamer(k, first)
    one.join(topology=one_source(second))
    one.join(topology=one_source(first, second))
    one.join(topology=one_source(first, sinks=["sink"]))
    one.join(topology=one_source(first, epoch=1))
    one.join(topology=topology(subtopology("1", [first])))
    one.join(topology=topology())
    two = Streamer(k, one.group, "m2", **{**one.how, "topology": one_source(second)})
    two.join()
    two.join(topology=one_source(first, epoch=1))
    one.leave(kept=False)
    one.join(topology=one_source(second))
    ask_described(one)
    k.do("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.join(topology=one_source(second))
    ask_described(one)


@streams
def topology_with_another_order(k: Talk) -> None:
    first, second = known_topic(k), known_topic(k)
    a, b = subtopology("a", [first]), subtopology("b", [second])
    (one,) = joined(k, topology(a, b))
    one.join(topology=topology(b, a))
    (two,) = joined(k, one_source(first, second))
    two.join(topology=one_source(second, first))


@streams
def member_has_a_stale_topology(k: Talk) -> None:
    first, second = known_topic(k, 2), known_topic(k)
    one, two = streamers(k, 2, one_source(first, epoch=3))
    one.join()
    two.join(topology=one_source(second, epoch=2))
    settle(one, two)
    two.full()
    one.full()
    ask_described(one)
    two.join(topology=one_source(first, epoch=3))
    two.full()
    one.join(topology=one_source(first, epoch=0))
    ask_described(one)
    two.join(topology=one_source(first, epoch=4))


@case(settings={**STREAMS_SETTINGS, "auto.create.topics.enable": "false", "num.partitions": "7"})
def internal_topics_without_automatic_creation(k: Talk) -> None:
    topic = known_topic(k, 2)
    store = k.name("changelog")
    (one,) = joined(k, one_source(topic, changelogs=[internal(store)]))
    one.beat_until_ready()
    topics_made(k, store)
    joined(k, one_source(k.name("missing")))


@streams
def topology_is_large(k: Talk) -> None:
    """A thousand subtopologies of one topic."""
    topic = known_topic(k, 2)
    made = topology(*(subtopology(f"{number:04}", [topic]) for number in range(1000)))
    (one,) = streamers(k, 1, made)
    told = one.join(kept=False)
    k.keep("tasks", [told["ErrorCode"], sum(map(len, one.active.values()))])
    state(one)
