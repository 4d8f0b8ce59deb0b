"""Topology descriptions (KIP-1331), and the assignor of StreamsGroupDescribe v1, both new in Kafka 4.4.

The broker has no plugin for descriptions, which is the default.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, Final

from tests.conformance.build_acls import ALL, DESCRIBE, GROUP, READ, TOPIC
from tests.conformance.build_streams import (
    PROCESSOR,
    SINK,
    SOURCE,
    describe_streams,
    describe_topology,
    description,
    internal,
    node,
    subtopology,
    topology,
)
from tests.conformance.build_transactions import set_features
from tests.conformance.case import Fields, Talk, case
from tests.conformance.cases.frames import bent_in_every_way, bent_tags, fates
from tests.conformance.cases.streams_describe import AUTHORIZED, allowed, an_empty_one, denied
from tests.conformance.consumers import Consumer, known_topic
from tests.conformance.members import some_stable
from tests.conformance.pieces import frame, joined, pieces
from tests.conformance.sharing import Sharer
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    Streamer,
    a_streamer,
    groups_in_order,
    one_source,
    settle,
    settled,
    state,
    streamers,
)
from tests.conformance.transactional import FORCE
from tests.wire import header, sized

UPDATE: Final = "StreamsGroupTopologyDescriptionUpdate"
KEYS: Final = {"StreamsGroupHeartbeat": 88, "StreamsGroupDescribe": 89, UPDATE: 93}
new: Final = case(settings=STREAMS_SETTINGS, is_new=True)
authorized: Final = case(settings=AUTHORIZED, is_new=True)
# Two nodes, a sink, and a global store.
PLAIN: Final = description(
    {
        "0": [
            node("in", SOURCE, sources=["topic"], successors=["count"]),
            node("count", PROCESSOR, stores=["store"], successors=["out"]),
            node("out", SINK, sink="result"),
        ]
    },
    (node("global", SOURCE, sources=["table"], successors=["keep"]), node("keep", PROCESSOR, stores=["all"])),
)


def described(k: Talk, *groups: str, **how: Any) -> None:
    """Keep StreamsGroupDescribe v1, with and without topology descriptions. Groups are sorted."""

    def keep(response: Fields) -> Fields:
        found = groups_in_order(response)["Groups"]
        return {**response, "Groups": sorted(found, key=lambda each: each["GroupId"])}

    for asks in (False, True):
        k.ask(*describe_streams(*groups, description=asks, version=1, **how), keep=keep)


@new
def streams_member_of_version_1_joins_and_leaves(k: Talk) -> None:
    one = Streamer(k, k.group(), topology=one_source(known_topic(k, 3)), version=1)
    one.join()
    one.beat(version=1)
    one.full(version=1)
    described(k, one.group)
    one.beat(version=1, shutdown=True)
    one.leave(version=1)
    one.beat(version=1)
    described(k, one.group)


@new
def streams_member_uses_both_versions(k: Talk) -> None:
    one = Streamer(k, k.group(), topology=one_source(known_topic(k, 2)))
    one.join()
    one.full(version=1)
    one.full(version=0)
    one.join(version=1)
    one.leave(version=0)


@new
def streams_heartbeats_of_version_1_are_refused(k: Talk) -> None:
    topic = known_topic(k)
    one = a_streamer(k, topic)
    one.beat(version=1, epoch=9)
    one.beat(version=1, member="nobody")
    one.beat(version=1, group=k.group())
    one.beat(version=1, group="")
    one.beat(version=1, member="")
    one.join(version=1, active=None)
    one.join(version=1, topology=None)
    one.join(version=1, topology=one_source(topic, topic, copartitioned=[([7], [])]))
    one.leave(version=1, epoch=-3)
    one.leave(version=1, member="nobody")


@new
def streams_statuses_in_version_1(k: Talk) -> None:
    topic, store = known_topic(k), k.name("changelog")
    waiting = Streamer(k, k.group(), topology=one_source(k.name("missing")), version=1)
    waiting.join()
    (first,) = streamers(k, 1, one_source(topic, changelogs=[internal(store)]), version=1)
    first.join()
    settled(one := Streamer(k, k.group(), topology=one_source(topic)))
    two = Streamer(k, one.group, "m2", topology=one_source(topic, epoch=1), version=1)
    two.join()
    one.full(version=1)
    described(k, waiting.group, one.group)


@new
def topology_description_is_never_required(k: Talk) -> None:
    """Neither of a new topology, nor after a description was sent, nor at a later topology epoch."""
    topic = known_topic(k)
    one = Streamer(k, k.group(), topology=one_source(topic), version=1)
    one.join()
    k.ask(*describe_topology(one.group, one.id, 0, PLAIN))
    one.beat(version=1)
    one.join(topology=one_source(topic, epoch=1))
    one.beat(version=1)
    k.ask(*describe_topology(one.group, one.id, 1, PLAIN))
    one.beat(version=1)
    described(k, one.group)


@new
def streams_groups_are_described_in_version_1(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    (classic,) = some_stable(k, 1)
    consumer = Consumer(k, k.group(), "m1", topics=[topic])
    consumer.join(kept=False)
    share = Sharer(k, k.group())
    share.join(topic, kept=False)
    unknown = k.group()
    described(k, one.group, empty.group, classic.group, consumer.group, share.group, unknown, "")
    described(k, one.group, operations=True)
    described(k, one.group, one.group)
    described(k, unknown, operations=True)
    described(k)


@new
def streams_group_with_all_fields_is_described_in_version_1(k: Talk) -> None:
    first, second = known_topic(k, 2), known_topic(k)
    between, store = k.name("repartition"), k.name("changelog")
    made = topology(
        subtopology("z", [second, first], sinks=[between], changelogs=[internal(store, retention_ms="9")]),
        subtopology("a", repartitions=[internal(between, 3, 1, cleanup_policy="delete")]),
        epoch=7,
    )
    (one,) = streamers(k, 1, made, rack="r", tags={"zone": "z"}, endpoint=("host", 65535), version=1)
    one.join(kept=False)
    one.beat_until_ready()
    settle(one)
    described(k, one.group)


@new
def streams_groups_are_described_in_version_1_after_their_deletion(k: Talk) -> None:
    one = an_empty_one(k, known_topic(k))
    k.ask("DeleteGroups", 3, {"GroupsNames": [one.group]})
    described(k, one.group)


@authorized
def permissions_on_a_streams_group_in_version_1(k: Talk) -> None:
    topic, hidden = known_topic(k), known_topic(k)
    first, second, third = a_streamer(k, topic), a_streamer(k, topic), a_streamer(k, hidden)
    denied(k, first.group, DESCRIBE)
    denied(k, second.group, READ)
    denied(k, hidden, DESCRIBE, kind=TOPIC)
    for one in (first, second, third):
        one.full(version=1)
        one.join(version=1)
        described(k, one.group, operations=True)
    described(k, first.group, second.group, third.group)


@new
def topology_is_described_without_a_plugin(k: Talk) -> None:
    topic = known_topic(k)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    for member, epoch in (
        (one.id, 0),
        (one.id, 1),
        (one.id, -1),
        (one.id, 2**31 - 1),
        ("nobody", 0),
        ("", 0),
    ):
        k.ask(*describe_topology(one.group, member, epoch, PLAIN))
    k.ask(*describe_topology(empty.group, empty.id, 0, PLAIN))
    state(one)
    described(k, one.group, empty.group)


@new
def topology_of_another_group_is_described_without_a_plugin(k: Talk) -> None:
    topic = known_topic(k)
    (classic,) = some_stable(k, 1)
    consumer = Consumer(k, k.group(), "m1", topics=[topic])
    consumer.join(kept=False)
    share = Sharer(k, k.group())
    share.join(topic, kept=False)
    for group in (classic.group, consumer.group, share.group, k.group(), "", " ", "x" * 300):
        k.ask(*describe_topology(group, "m1", 0, PLAIN))


@new
def odd_topologies_are_described_without_a_plugin(k: Talk) -> None:
    one = a_streamer(k, known_topic(k))
    a = partial(node, "a")
    for odd in (
        description({}),
        description({"": []}),
        description({"0": [a(0), a(4), a(-128), a(127)]}),
        description({"0": [a(SOURCE), a(SOURCE)], "1": [a(SOURCE)]}),
        description({"0": [a(SOURCE, successors=["a"])]}),
        description({"0": [a(SINK, successors=["nothing"])]}),
        description({"0": [a(SINK, sink=""), a(SOURCE, sources=["in valid!"]), a(PROCESSOR, sources=["t"])]}),
        description({}, (a(SINK), a(SOURCE)), (a(SOURCE), a(SOURCE))),
        description({"0": [node("", SOURCE, stores=["s", "s"])]}),
    ):
        k.ask(*describe_topology(one.group, one.id, 0, odd))
    described(k, one.group)


@new
def long_topology_is_described_without_a_plugin(k: Talk) -> None:
    """A chain of 2,000 nodes, one node with as many successors, and a name that is long."""
    one = a_streamer(k, known_topic(k))
    names = [f"n{number}" for number in range(2000)]
    chain = [node(name, PROCESSOR, successors=[after]) for name, after in pairwise(names)]
    for made in ({"0": chain}, {"0": [node("a", SOURCE, successors=names)]}, {"x" * 20000: chain[:1]}):
        k.ask(*describe_topology(one.group, one.id, 0, description(made)))
    one.beat(version=1)


@authorized
def permissions_to_describe_a_topology(k: Talk) -> None:
    """READ of the group is needed, and nothing of the topics that the description names."""
    topic = known_topic(k)
    for operation in (READ, DESCRIBE, ALL):
        one = a_streamer(k, topic)
        denied(k, one.group, operation)
        k.ask(*describe_topology(one.group, one.id, 0, PLAIN))
        k.ask(*describe_topology(one.group, "", 0, PLAIN))
    for operation in (READ, DESCRIBE):
        one = a_streamer(k, topic)
        allowed(k, one.group, operation)
        k.ask(*describe_topology(one.group, one.id, 0, PLAIN))
    one = a_streamer(k, topic)
    denied(k, "result", ALL, kind=TOPIC)
    k.ask(*describe_topology(one.group, one.id, 0, PLAIN))
    missing = k.name("nothing")
    denied(k, missing, READ, kind=GROUP)
    k.ask(*describe_topology(missing, "m1", 0, PLAIN))


@case(settings={**AUTHORIZED, "group.coordinator.rebalance.protocols": "classic,consumer"}, is_new=True)
def topologies_are_described_without_streams_groups(k: Talk) -> None:
    group, hidden = k.group(), k.name("group")
    denied(k, hidden, READ)
    for name in (group, hidden, ""):
        k.ask(*describe_topology(name, "m1", 0, PLAIN))
    one = Streamer(k, group, topology=one_source(known_topic(k)), version=1)
    one.join()
    described(k, group, "")


@case(settings={**STREAMS_SETTINGS, "group.streams.max.session.timeout.ms": "60003"}, is_new=True)
def topologies_are_described_at_streams_version_0(k: Talk) -> None:
    """This broker has no other case."""
    one = a_streamer(k, known_topic(k))
    k.ask(*describe_topology(one.group, one.id, 0, PLAIN))
    k.ask(*set_features(("streams.version", 0), upgrade=FORCE))
    k.until(lambda: one.full(kept=False), lambda told: told["ErrorCode"] != 0)
    one.full(version=1)
    k.ask(*describe_topology(one.group, one.id, 0, PLAIN))
    described(k, one.group)


def _cut(api: str, version: int) -> None:
    def run(k: Talk) -> None:
        whole = frame(api, version, joined(pieces(api, version, k.name("x"))))[4:]
        tries = {str(cut): sized(whole[:cut]) for cut in range(0, len(whole), 3)}
        fates(k, {**tries, "whole": sized(whole), "longer": sized(whole + b"\0\1")})

    _add(run, f"{_words(api)}_is_cut")


def _bent(api: str, version: int) -> None:
    def run(k: Talk) -> None:
        found = pieces(api, version, k.name("x"))
        for at, piece in enumerate(found):
            if piece.kind in ("length", "tags"):
                bent = bent_tags() if piece.kind == "tags" else bent_in_every_way(piece)
                k.keep(piece.field, "")
                fates(k, {name: frame(api, version, joined(found, at, data)) for name, data in bent.items()})

    _add(run, f"{_words(api)}_is_bent")


def _add(run: Any, name: str) -> None:
    run.__name__, run.__module__ = name, __name__
    new(run)


def _words(api: str) -> str:
    return {UPDATE: "topology_description", "StreamsGroupDescribe": "streams_describe_v1"}[api]


for _api, _version in ((UPDATE, 0), ("StreamsGroupDescribe", 1)):
    _cut(_api, _version)
    _bent(_api, _version)


@new
def streams_messages_in_versions_that_are_not_served(k: Talk) -> None:
    for api, key in KEYS.items():
        for version in (-1, 1 if api == UPDATE else 2, 127):
            peer = k.connect()
            peer.send_raw(sized(header(key, version, flexible=True) + bytes(64)))
            k.keep(f"{api} v{version}", peer.fate())


@case(is_new=True)
def versions_of_streams_messages(k: Talk) -> None:
    told = k.do("ApiVersions", 4, {"ClientSoftwareName": "tests", "ClientSoftwareVersion": "1"})
    k.keep("versions", [each for each in told["ApiKeys"] if each["ApiKey"] in KEYS.values()])
