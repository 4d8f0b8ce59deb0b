"""StreamsGroupDescribe, and a streams group in the requests about groups of any type."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import (
    Request,
    commit,
    delete_offsets,
    fetch_offsets,
    heartbeat,
    join,
    leave,
    subscribed,
    sync,
)
from tests.conformance.build_acls import (
    ALL,
    CLUSTER,
    CLUSTER_NAME,
    CREATE,
    DELETE,
    DENY,
    DESCRIBE,
    GROUP,
    READ,
    STANDARD_AUTHORIZER,
    TOPIC,
    acl,
    acl_filter,
)
from tests.conformance.build_admin import GROUP as GROUP_CONFIG
from tests.conformance.build_admin import SET, change
from tests.conformance.build_admin import describe as describe_configs
from tests.conformance.build_share import describe_share
from tests.conformance.build_streams import describe_streams, internal, subtopology, topology
from tests.conformance.build_transactions import set_features
from tests.conformance.case import Fields, Keep, Talk, case, in_order
from tests.conformance.consumers import (
    Consumer,
    consumer_heartbeat,
    describe_consumers,
    known_topic,
    set_group,
)
from tests.conformance.members import describe, some_stable
from tests.conformance.sharing import Sharer
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    Streamer,
    a_streamer,
    ask_described,
    groups_in_order,
    one_source,
    settle,
    settled,
    state,
    streamers,
    streams,
)
from tests.conformance.transactional import FORCE, LOWER, RAISE, Producer

ANONYMOUS: Final = "User:ANONYMOUS"
AUTHORIZED: Final = {
    **STREAMS_SETTINGS,
    "authorizer.class.name": STANDARD_AUTHORIZER,
    "allow.everyone.if.no.acl.found": "true",
}
authorized: Final = case(settings=AUTHORIZED)


def an_empty_one(k: Talk, topic: str) -> Streamer:
    """Return the former member of a streams group."""
    one = a_streamer(k, topic)
    one.leave(kept=False)
    return one


def only(*groups: str) -> Keep:
    """keep= of ListGroups: only these groups."""

    def keep(response: Fields) -> Fields:
        found = [each for each in response["Groups"] if each["GroupId"] in groups]
        return {**response, "Groups": sorted(found, key=lambda each: groups.index(each["GroupId"]))}

    return keep


def list_groups(states: tuple[str, ...] = (), types: tuple[str, ...] = (), version: int = 5) -> Request:
    return "ListGroups", version, {"StatesFilter": list(states), "TypesFilter": list(types)}


@streams
def streams_groups_are_described(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    (classic,) = some_stable(k, 1)
    consumer = Consumer(k, k.group(), "m1", topics=[topic])
    consumer.join(kept=False)
    unknown = k.group()

    def keep(response: Fields) -> Fields:
        groups = groups_in_order(response)["Groups"]
        return {**response, "Groups": sorted(groups, key=lambda each: each["GroupId"])}

    k.ask(*describe_streams(one.group, empty.group, classic.group, consumer.group, unknown, ""), keep=keep)
    k.ask(*describe_streams(one.group, operations=True), keep=groups_in_order)
    k.ask(*describe_streams(one.group, one.group), keep=groups_in_order)
    k.ask(*describe_streams(unknown, operations=True))
    k.ask(*describe_streams())


@streams
def streams_group_with_all_fields_is_described(k: Talk) -> None:
    first, second = known_topic(k, 2), known_topic(k)
    between, store, other = k.name("repartition"), k.name("changelog"), k.name("changelog")
    source = internal(between, 3, 1, cleanup_policy="delete")
    made = topology(
        subtopology(
            "z", [second, first], sinks=[between], changelogs=[internal(store, replicas=1, retention_ms="9")]
        ),
        subtopology("a", repartitions=[source], changelogs=[internal(other)]),
        epoch=7,
    )
    (one,) = streamers(k, 1, made, rack="r", tags={"zone": "z", "cloud": "c"}, endpoint=("host", 65535))
    one.join(kept=False)
    ask_described(one)
    one.beat_until_ready()
    settle(one)
    ask_described(one)


@streams
def streams_group_in_each_state_is_described(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = streamers(k, 2, one_source(topic))
    waiting, delayed = Streamer(k, k.group(), topology=one_source(k.name("missing"))), k.group()
    set_group(k, delayed, streams_initial_rebalance_delay_ms="60000")
    settled(one)
    ask_described(one)
    two.join(kept=False)
    ask_described(one)
    one.full(kept=False)
    ask_described(one)
    waiting.join(kept=False)
    ask_described(waiting)
    late = Streamer(k, delayed, topology=one_source(topic))
    late.join(kept=False)
    ask_described(late)
    keep = only(one.group, waiting.group, delayed)
    k.ask(*list_groups(), keep=keep)
    for wanted in ("NotReady", "notready", "not_ready", "NOT_READY", "Not_Ready", "Assigning", "Reconciling"):
        k.ask(*list_groups((wanted,)), keep=keep)
    two.leave(kept=False)
    one.leave(kept=False)
    waiting.leave(kept=False)
    for each in (one, waiting):
        ask_described(each)


@streams
def streams_group_is_described_as_another_type(k: Talk) -> None:
    topic = known_topic(k)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    for group in (one.group, empty.group):
        for version in range(7):
            k.ask(*describe(group, version=version))
        k.ask(*describe(group, operations=True))
        k.ask(*describe_consumers(group))
        k.ask(*describe_share(group))


@streams
def streams_groups_are_listed(k: Talk) -> None:
    topic = known_topic(k)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    (classic,) = some_stable(k, 1)
    keep = only(one.group, empty.group, classic.group)
    for version in range(6):
        k.ask(*list_groups(version=version), keep=keep)
    for types in (("streams",), ("Streams",), ("STREAMS", "classic"), ("consumer",), ("share",)):
        k.ask(*list_groups(types=types), keep=keep)
    for states in (("Stable",), ("Empty",), ("stable", "dead"), ("Dead",), ("nothing",)):
        k.ask(*list_groups(states), keep=keep)
    k.ask(*list_groups(("Empty",), ("streams",)), keep=keep)


@streams
def streams_groups_are_deleted(k: Talk) -> None:
    topic = known_topic(k)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    waiting = Streamer(k, k.group(), topology=one_source(k.name("missing")))
    waiting.join(kept=False)
    k.do(*commit(empty.group, {topic: {0: 5}}))
    for group in (one.group, waiting.group, empty.group, empty.group):
        k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    k.ask(*describe_streams(empty.group))
    k.ask(*list_groups(), keep=only(empty.group))
    k.ask(*fetch_offsets(empty.group, {topic: [0]}))
    empty.full()
    empty.join()
    ask_described(empty)
    k.ask(*fetch_offsets(empty.group, {topic: [0]}))


@streams
def offsets_of_streams_members_are_committed(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k)
    one = a_streamer(k, topic)
    one.full(kept=False, rack="r1")
    one.full(kept=False, rack="r2")

    def ask(member: str, epoch: int, *topics: str, **how: Any) -> None:
        offsets = {each: {0: 5, 1: 6, 9: 7} for each in topics or (topic,)}
        k.ask(*commit(one.group, offsets, member=member, generation=epoch, **how))

    for version in range(2, 10):
        ask(one.id, one.epoch, version=version)
        ask("", -1, version=version)
    ask("", -1)
    ask("", 0)
    ask("nobody", one.epoch)
    ask("nobody", -1)
    for epoch in (one.epoch + 1, one.epoch - 1, one.epoch - 2, 1, 0, -1):
        ask(one.id, epoch)
        ask(one.id, epoch, topic, other)
    ask(one.id, one.epoch, other)
    ask(one.id, one.epoch, instance="i1")
    ask(one.id, one.epoch, "nothing")
    k.ask(*fetch_offsets(one.group), keep=in_order)


@streams
def offsets_of_tasks_that_move_are_committed(k: Talk) -> None:
    """A task keeps the epoch in which it was assigned, also while it is being revoked."""
    topic = known_topic(k, 4)
    one, two = streamers(k, 2, one_source(topic))
    settled(one)
    two.join(kept=False)
    one.full(kept=False)

    def ask(member: Streamer, *epochs: int) -> None:
        for epoch in epochs:
            offsets = {topic: dict.fromkeys(range(5), epoch)}
            k.ask(*commit(one.group, offsets, member=member.id, generation=epoch))

    ask(one, 1, 2, 3)
    ask(two, 2, 3)
    one.beat(kept=False, active=one.active, standby={}, warmup={})
    two.full(kept=False)
    state(one)
    ask(one, 1, 2, 3)
    ask(two, 2, 3)
    one.full(kept=False, rack="r1")
    settle(one, two)
    ask(two, 2, 3, 4)
    ask(one, 2, 3, 4)


@streams
def offsets_of_an_empty_streams_group_are_committed(k: Talk) -> None:
    topic = known_topic(k)
    one = an_empty_one(k, topic)
    for version in (2, 8, 9):
        k.ask(*commit(one.group, {topic: {0: 5}}, version=version))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=one.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 6}}, member=one.id, generation=-1))
    k.ask(*commit(one.group, {topic: {0: 7}}, member=one.id, generation=0))
    k.ask(*fetch_offsets(one.group), keep=in_order)
    k.ask(*delete_offsets(one.group, (topic, [0, 1])), keep=in_order)
    k.ask(*fetch_offsets(one.group), keep=in_order)


@streams
def offsets_are_fetched_by_streams_members(k: Talk) -> None:
    topic = known_topic(k)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    for each in (one, empty):
        k.do(
            *commit(
                each.group,
                {topic: {0: 5}},
                member=each.id if each is one else "",
                generation=each.epoch or -1,
            )
        )
        for version in (1, 5, 7, 8, 9):
            k.ask(*fetch_offsets(each.group, {topic: [0]}, version=version))
        for whom, at in (
            (one.id, 2), (one.id, 3), (one.id, 1), (one.id, -1), ("nobody", 2), ("", 2), (None, 2), ("", -1),
            ("nobody", -1),
        ):  # fmt: skip
            asked = {"GroupId": each.group, "MemberId": whom, "MemberEpoch": at, "Topics": None}
            k.ask("OffsetFetch", 9, {"Groups": [asked]})


@streams
def offsets_of_a_streams_group_are_deleted(k: Talk) -> None:
    """Those of topics that the topology reads cannot be deleted."""
    topic, other = known_topic(k, 2), known_topic(k)
    between = k.name("repartition")
    made = topology(
        subtopology("0", [topic], sinks=[between]), subtopology("1", repartitions=[internal(between)])
    )
    (one,) = streamers(k, 1, made)
    one.join(kept=False)
    one.beat_until_ready()
    settle(one)
    offsets = {each: {0: 5} for each in (topic, other, between)}
    k.ask(*commit(one.group, offsets, member=one.id, generation=one.epoch))
    k.ask(
        *delete_offsets(one.group, (topic, [0, 1]), (other, [0, 7]), (between, [0]), ("nothing", [0])),
        keep=in_order,
    )
    k.ask(*fetch_offsets(one.group), keep=in_order)
    one.leave(kept=False)
    k.ask(*delete_offsets(one.group, (topic, [0, 1]), (between, [0])), keep=in_order)
    k.ask(*fetch_offsets(one.group), keep=in_order)


@streams
def transactions_commit_offsets_of_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    one, empty = a_streamer(k, topic), an_empty_one(k, topic)
    one.full(kept=False, rack="r1")
    for each in (one, empty):
        writer = Producer(k)
        for member, generation in (
            (one.id, one.epoch), (one.id, one.epoch + 1), (one.id, one.epoch - 1), (one.id, 0), (one.id, -1),
            ("", -1), ("", 2), ("nobody", one.epoch), ("nobody", -1),
        ):  # fmt: skip
            k.ask(*writer.commit_offsets(each.group, {topic: {0: 1}}, member=member, generation=generation))
        k.ask(*writer.commit_offsets(each.group, {topic: {0: 2}}, version=2))
        k.ask(*writer.end(commit=True))
        k.until(
            lambda each=each: k.do(*fetch_offsets(each.group))["Groups"][0]["Topics"],  # type: ignore[misc]
            bool,
        )
        k.ask(*fetch_offsets(each.group))


@streams
def classic_requests_to_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    for one in (a_streamer(k, topic), an_empty_one(k, topic)):
        k.ask(*sync(one.group, one.id, 1))
        k.ask(*heartbeat(one.group, one.id, one.epoch))
        k.ask(*leave(one.group, one.id))
        k.ask(*leave(one.group, one.id, version=2))
        k.ask(*join(one.group, one.id))
        k.ask(*join(one.group, version=9))
    other = a_streamer(k, topic)
    k.ask(*join(other.group, version=3))
    k.ask(*join(other.group, version=3, protocol_type="streams"))


@streams
def consumer_heartbeats_to_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    for one in (a_streamer(k, topic), an_empty_one(k, topic)):
        how: dict[str, Any] = {"topics": [topic], "rebalance_ms": 1000, "owns": {}}
        k.ask(*consumer_heartbeat(one.group, one.id, 1))
        k.ask(*consumer_heartbeat(one.group, one.id, -1))
        k.ask(*consumer_heartbeat(one.group, "m9", 0, **how))
        k.ask(*list_groups(), keep=only(one.group))


@streams
def share_heartbeats_to_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    for one in (a_streamer(k, topic), an_empty_one(k, topic)):
        sharer = Sharer(k, one.group)
        sharer.join(topic)
        sharer.beat(epoch=1)
        sharer.leave()
        k.ask(*list_groups(), keep=only(one.group))


@streams
def streams_heartbeats_to_a_classic_group(k: Talk) -> None:
    topic = known_topic(k)
    (one,) = some_stable(k, 1)
    two = Streamer(k, one.group, "m2", topology=one_source(topic))
    two.join()
    two.beat(epoch=1)
    two.leave()
    k.do(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=one.generation))
    k.do(*one.leave())
    two.beat(epoch=1)
    two.leave()
    two.join()
    k.ask(*list_groups(), keep=only(one.group))
    k.ask(*fetch_offsets(one.group), keep=in_order)
    k.ask(*describe(one.group))


@streams
def streams_heartbeats_to_a_consumer_group(k: Talk) -> None:
    topic = known_topic(k)
    one = Consumer(k, k.group(), "m1", topics=[topic])
    one.join(kept=False)
    two = Streamer(k, one.group, "m2", topology=one_source(topic))
    two.join()
    two.beat(epoch=1)
    two.leave()
    one.leave(kept=False)
    two.join()
    two.leave()


@streams
def streams_heartbeats_to_a_share_group(k: Talk) -> None:
    topic = known_topic(k)
    one = Sharer(k, k.group())
    one.join(topic, kept=False)
    two = Streamer(k, one.group, "m2", topology=one_source(topic))
    two.join()
    two.beat(epoch=1)
    two.leave()
    one.leave(kept=False)
    two.join()


@streams
def group_with_offsets_only_becomes_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    group = k.group()
    k.ask(*commit(group, {topic: {0: 5}}))
    one = Streamer(k, group, topology=one_source(topic))
    one.join()
    k.ask(*fetch_offsets(group, {topic: [0]}))
    k.ask(*list_groups(), keep=only(group))


@streams
def empty_streams_group_becomes_a_classic_group(k: Talk) -> None:
    topic = known_topic(k)
    one = an_empty_one(k, topic)
    k.do(*commit(one.group, {topic: {0: 5}}))
    k.ask(*join(one.group, version=3, protocols=subscribed(topic)), keep=lambda told: told["ErrorCode"])
    k.ask(*list_groups(), keep=only(one.group))
    k.ask(*describe_streams(one.group))
    k.ask(*fetch_offsets(one.group), keep=in_order)
    one.join()


@streams
def failed_join_leaves_no_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    (classic,) = some_stable(k, 1)
    k.do(*classic.leave())
    one = Streamer(k, k.group(), topology=one_source(topic, topic, copartitioned=[([7], [])]))
    two = Streamer(k, classic.group, "m2", **one.how)
    one.join()
    two.join()
    k.ask(*list_groups(), keep=only(one.group, two.group))


@case(settings={k: v for k, v in STREAMS_SETTINGS.items() if "offload" not in k})
def streams_configurations_of_a_group(k: Talk) -> None:
    group = k.group()
    k.ask(*describe_configs((GROUP_CONFIG, group, None)), keep=_of_streams)
    for key, values in {
        "streams.session.timeout.ms": ("999", "1000", "60000", "60001", "x", "5000"),
        "streams.heartbeat.interval.ms": ("499", "500", "15000", "15001", "0", "4999"),
        "streams.num.standby.replicas": ("-1", "0", "2", "3"),
        "streams.initial.rebalance.delay.ms": ("-1", "0", "2147483647", "2147483648"),
        "streams.assignment.interval.ms": ("-1", "0", "15000", "15001"),
        "streams.assignor.offload.enable": ("true", "false", "x"),
    }.items():
        for value in values:
            k.ask(*change((GROUP_CONFIG, group, [(key, SET, value)])))
    k.ask(*list_groups(), keep=only(group))
    k.ask(*describe_streams(group))


def _of_streams(response: Fields) -> Fields:
    (found,) = response["Results"]
    return {each["Name"]: each["Value"] for each in found["Configs"] if each["Name"].startswith("streams.")}


def denied(k: Talk, name: str, *operations: int, kind: int = GROUP) -> None:
    """Allow every operation on this resource but these."""
    refused = [acl(name, ANONYMOUS, each, kind=kind, permission=DENY) for each in operations]
    _add(k, name, acl(name, ANONYMOUS, ALL, kind=kind), *refused)


def allowed(k: Talk, name: str, *operations: int, kind: int = GROUP) -> None:
    """Allow these operations on this resource, and no other one."""
    _add(k, name, *(acl(name, ANONYMOUS, each, kind=kind) for each in operations))


def _add(k: Talk, name: str, *acls: Fields) -> None:
    made = k.do("CreateAcls", 3, {"Creations": list(acls)})
    assert not any(each["ErrorCode"] for each in made["Results"]), made
    k.until(
        lambda: k.do("DescribeAcls", 3, acl_filter(name, kind=acls[0]["ResourceType"]))["Resources"],
        lambda found: found and len(found[0]["Acls"]) == len(acls),
    )


@authorized
def permissions_on_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    denying = {operation: a_streamer(k, topic) for operation in (READ, DESCRIBE, DELETE)}
    for operation, one in denying.items():
        denied(k, one.group, operation)
        one.full()
        one.join()
        one.join(topology=one_source("in valid!"))
        one.leave(epoch=-3)
        k.ask(*describe_streams(one.group, operations=True), keep=groups_in_order)
    for operation in (READ, DESCRIBE, DELETE):
        one = a_streamer(k, topic)
        allowed(k, one.group, operation)
        one.full()
        k.ask(*describe_streams(one.group, operations=True), keep=groups_in_order)


@authorized
def permissions_on_topics_of_a_streams_group(k: Talk) -> None:
    """DESCRIBE is needed of every topic of a topology, also of those that do not exist."""
    topic, hidden = known_topic(k), known_topic(k)
    store, missing = k.name("changelog"), k.name("missing")
    for name in (hidden, store, missing):
        denied(k, name, DESCRIBE, kind=TOPIC)
    group = k.group()
    for made in (
        one_source(hidden),
        one_source(topic, hidden),
        one_source(missing),
        one_source(topic, changelogs=[internal(store)]),
        one_source(topic, sinks=[hidden]),
        one_source(topic, repartitions=[internal(hidden)]),
        one_source(hidden, "in valid!"),
        one_source(hidden, "__consumer_offsets"),
    ):
        one = Streamer(k, group, topology=made)
        one.join()
        one.join(member="")
    one = a_streamer(k, topic)
    denied(k, topic, DESCRIBE, kind=TOPIC)
    one.full()
    one.join()
    ask_described(one)


@case(settings={**AUTHORIZED, "group.streams.max.session.timeout.ms": "60002"})
def internal_topics_need_create(k: Talk) -> None:
    """CREATE of the cluster or of the topic is needed. This broker has no other case."""
    topic = known_topic(k)
    first, second = k.name("changelog"), k.name("changelog")
    denied(k, CLUSTER_NAME, CREATE, kind=CLUSTER)
    denied(k, first, CREATE, kind=TOPIC)
    one, two = streamers(k, 2, one_source(topic, changelogs=[internal(first), internal(second)]))
    one.join()
    one.full()
    k.keep("made", [_exists(k, first), _exists(k, second)])
    two.join()
    (three,) = streamers(k, 1, one_source(topic, changelogs=[internal(first)]))
    three.join()
    state(three)
    (four,) = streamers(k, 1, one_source(topic, changelogs=[internal(second)]))
    four.join()
    four.beat_until_ready()


def _exists(k: Talk, name: str) -> bool:
    told = k.do("Metadata", 12, {"Topics": [{"Name": name}], "AllowAutoTopicCreation": False})
    return not told["Topics"][0]["ErrorCode"]


@case(settings={**STREAMS_SETTINGS, "group.coordinator.rebalance.protocols": "classic,consumer"})
def streams_groups_are_not_enabled(k: Talk) -> None:
    topic = known_topic(k)
    one = Streamer(k, k.group(), topology=one_source(topic))
    one.join()
    one.join(member="", group="")
    one.leave()
    k.ask(*describe_streams(one.group, ""))
    k.ask(*describe_streams())


@case(settings={**STREAMS_SETTINGS, "group.streams.max.session.timeout.ms": "60001"})
def streams_version_is_lowered(k: Talk) -> None:
    """This broker has no other case."""
    topic = known_topic(k)
    one = a_streamer(k, topic)
    for upgrade in (RAISE, LOWER, FORCE):
        k.ask(*set_features(("streams.version", 0), upgrade=upgrade))
    k.until(lambda: one.full(kept=False), lambda told: told["ErrorCode"] != 0)
    one.full()
    one.join()
    k.ask(*describe_streams(one.group))
    k.ask(*list_groups(), keep=only(one.group))
    k.ask(*set_features(("streams.version", 2)))
    k.ask(*set_features(("streams.version", 1)))
    k.until(lambda: one.full(kept=False), lambda told: told["ErrorCode"] == 0)
    one.full()
    ask_described(one)


@case
def features_of_streams_groups(k: Talk) -> None:
    def of_streams(response: Fields) -> Fields:
        return {
            "apis": [api for api in response["ApiKeys"] if api["ApiKey"] in (88, 89)],
            "supported": [f for f in response["SupportedFeatures"] if f["Name"] == "streams.version"],
            "finalized": [f for f in response["FinalizedFeatures"] if f["Name"] == "streams.version"],
        }

    fields = {"ClientSoftwareName": "tests", "ClientSoftwareVersion": "1"}
    k.ask("ApiVersions", 4, fields, keep=of_streams)


def restart_with_streams_groups(k: Talk) -> Any:
    """Members continue after their coordinator has loaded the group again."""
    topic = known_topic(k, 4)
    store = k.name("changelog")
    one, two = streamers(k, 2, one_source(topic, changelogs=[internal(store)]))
    one.how["endpoint"] = ("one", 1)
    one.join(kept=False)
    one.beat_until_ready()
    two.join(kept=False)
    one.full(kept=False)  # is to revoke
    ask_described(one)
    yield
    one.peer, two.peer = k.connect("m1"), k.connect("m2")
    k.until(lambda: one.beat(kept=False), lambda told: told["ErrorCode"] not in (14, 15, 16))
    ask_described(one)
    one.full(endpoint_epoch=9)
    two.full()
    settle(one, two)
    ask_described(one)


case(settings=STREAMS_SETTINGS)(restart_with_streams_groups)
