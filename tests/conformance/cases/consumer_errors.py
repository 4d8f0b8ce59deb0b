"""Errors of ConsumerGroupHeartbeat, in Kafka's order: the first of two errors is the response."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import commit, join
from tests.conformance.case import Talk, case
from tests.conformance.consumers import (
    NO_INTERVAL,
    ask_described,
    consumer_heartbeat,
    consumers,
    known_topic,
    no_interval,
    set_group,
    settled,
)
from tests.conformance.members import some_stable

VERSIONS: Final = range(2)
SOME_ID: Final = "11111111-1111-1111-1111-111111111111"
JOIN: Final[dict[str, Any]] = {"rebalance_ms": 1000, "topics": ["t"], "owns": {}}
INVALID: Final = ("(", "[", "*", "a**", "(?<", "a{2000}", "\\", "(?=a)", "\\1", "[b-a]", "(?P<n", "x{2,1}")
FULL_AT_ONE: Final = {**NO_INTERVAL, "group.consumer.max.size": "1"}


def ask(k: Talk, group: str, member: str, epoch: int, **fields: Any) -> None:
    k.ask(*consumer_heartbeat(group, member, epoch, **fields))


@no_interval(versions=VERSIONS)
def consumer_heartbeat_without_a_group_id(k: Talk, version: int) -> None:
    for group in ("", " ", "\t"):
        ask(k, group, "m1", 0, version=version, **JOIN)
        ask(k, group, "m1", 1, version=version)


@no_interval(versions=VERSIONS)
def consumer_heartbeat_without_a_member_id(k: Talk, version: int) -> None:
    group = k.group()
    for member in ("", " "):
        for epoch in (5, -1, -2, -3):
            ask(k, group, member, epoch, version=version)


@no_interval()
def consumer_joins_without_a_member_id_in_version_1(k: Talk) -> None:
    group = k.group()
    ask(k, group, "", 0, **JOIN)
    ask(k, group, "  ", 0, **JOIN)


@no_interval(versions=VERSIONS)
def consumer_heartbeat_with_an_empty_instance_id(k: Talk, version: int) -> None:
    group = k.group()
    for instance in ("", " "):
        ask(k, group, "m1", 0, instance=instance, version=version, **JOIN)
        ask(k, group, "m1", 3, instance=instance, version=version)
        ask(k, group, "m1", -2, instance=instance, version=version)


@no_interval(versions=VERSIONS)
def consumer_heartbeat_with_an_empty_rack(k: Talk, version: int) -> None:
    group = k.group()
    for rack in ("", " "):
        ask(k, group, "m1", 0, rack=rack, version=version, **JOIN)
        ask(k, group, "m1", 3, rack=rack, version=version)
        ask(k, group, "m1", -1, rack=rack, version=version)


@no_interval(versions=VERSIONS)
def consumer_joins_without_a_rebalance_timeout(k: Talk, version: int) -> None:
    group = k.group()
    for rebalance_ms in (-1, -2, 0):
        ask(k, group, "m1", 0, **{**JOIN, "rebalance_ms": rebalance_ms}, version=version)


@no_interval(versions=VERSIONS)
def consumer_joins_without_owned_partitions(k: Talk, version: int) -> None:
    ask(k, k.group(), "m1", 0, **{**JOIN, "owns": None}, version=version)


@no_interval(versions=VERSIONS)
def consumer_joins_with_owned_partitions(k: Talk, version: int) -> None:
    group = k.group()
    ask(k, group, "m1", 0, **{**JOIN, "owns": {SOME_ID: [0]}}, version=version)
    ask(k, group, "m1", 0, **{**JOIN, "owns": {SOME_ID: []}}, version=version)


@no_interval(versions=VERSIONS)
def consumer_joins_without_a_subscription(k: Talk, version: int) -> None:
    ask(k, k.group(), "m1", 0, **{**JOIN, "topics": None}, version=version)


@no_interval()
def consumer_joins_with_an_empty_subscription(k: Talk) -> None:
    """An empty list of topics is enough, and an empty regular expression too."""
    ask(k, k.group(), "m1", 0, **{**JOIN, "topics": []})
    ask(k, k.group(), "m1", 0, **{**JOIN, "topics": None, "regex": ""})
    ask(k, k.group(), "m1", 0, **{**JOIN, "topics": [], "regex": ""})


@no_interval(versions=VERSIONS)
def static_consumer_leaves_without_an_instance_id(k: Talk, version: int) -> None:
    ask(k, k.group(), "m1", -2, version=version)


@no_interval(versions=VERSIONS)
def consumer_heartbeat_with_an_epoch_below_minus_2(k: Talk, version: int) -> None:
    group = k.group()
    for epoch in (-3, -4, -2147483648):
        ask(k, group, "m1", epoch, version=version)
        ask(k, group, "m1", epoch, instance="i1", version=version, **JOIN)


@no_interval(versions=VERSIONS)
def consumer_heartbeat_with_an_unknown_assignor(k: Talk, version: int) -> None:
    group = k.group()
    for assignor in ("nonsense", "", "Uniform", "RANGE"):
        ask(k, group, "m1", 0, assignor=assignor, version=version, **JOIN)
        ask(k, group, "m1", 7, assignor=assignor, version=version)
        ask(k, group, "m1", -1, assignor=assignor, version=version)


@no_interval(versions=VERSIONS)
def consumer_heartbeat_in_an_unknown_group(k: Talk, version: int) -> None:
    group = k.group()
    for epoch in (1, 7, 2147483647, -1):
        ask(k, group, "m1", epoch, version=version)
    ask(k, group, "m1", -2, instance="i1", version=version)


@no_interval(versions=VERSIONS)
def consumer_heartbeat_of_an_unknown_member(k: Talk, version: int) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join(kept=False)
    for epoch in (1, 2, 9, -1):
        ask(k, one.group, "nobody", epoch, version=version)
    ask(k, one.group, "nobody", -2, instance="i1", version=version)
    ask(k, one.group, "nobody", 2, instance="i1", version=version)


@no_interval(versions=VERSIONS)
def consumer_with_a_newer_epoch(k: Talk, version: int) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")], version=version)
    one.join(kept=False)
    for epoch in (3, 2147483647):
        one.beat(epoch=epoch)
        one.full(epoch=epoch)
    one.beat()


@no_interval(versions=VERSIONS)
def consumer_with_an_older_epoch(k: Talk, version: int) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")], version=version)
    one.join(kept=False)
    one.beat(epoch=1)
    one.beat(epoch=1, owns={SOME_ID: [0]})
    one.beat()


@no_interval()
def consumer_heartbeat_in_a_simple_group(k: Talk) -> None:
    group, topic = k.group(), known_topic(k)
    k.do(*commit(group, {topic: {0: 5}}))
    ask(k, group, "m1", 4)
    ask(k, group, "m1", -1)
    ask(k, group, "m1", -2, instance="i1")


@no_interval()
def consumer_heartbeat_in_a_classic_group(k: Talk) -> None:
    (member,) = some_stable(k, 1, version=3)
    ask(k, member.group, "m1", 4)
    ask(k, member.group, member.id, 1)
    ask(k, member.group, "m1", -1)
    ask(k, member.group, "m1", -2, instance="i1")
    member.peer.ask(*member.heartbeat())


@case(settings=FULL_AT_ONE)
def consumer_joins_a_full_group(k: Talk) -> None:
    one, two = consumers(k, 2, topics=[k.name("missing")])
    one.join()
    two.join()
    two.join(instance="i2")
    one.join()
    two.beat(epoch=2)
    two.leave()
    one.leave()
    two.join()


@case(settings=FULL_AT_ONE)
def full_group_comes_before_the_expression_and_after_the_request(k: Talk) -> None:
    one, two = consumers(k, 2, topics=[k.name("missing")])
    one.join(kept=False)
    two.join(regex="(")
    two.join(rebalance_ms=-1)
    two.join(assignor="nonsense")
    two.join(instance="")


@case(settings=FULL_AT_ONE)
def static_consumer_replaces_itself_in_a_full_group(k: Talk) -> None:
    one, two = consumers(k, 2, topics=[k.name("missing")], instance="i1")
    one.join(kept=False)
    two.join()
    one.leave(-2)
    two.join()


@no_interval()
def consumer_with_an_invalid_expression(k: Talk) -> None:
    group = k.group()
    for regex in INVALID:
        ask(k, group, "m1", 0, **{**JOIN, "topics": None, "regex": regex})


@no_interval()
def invalid_expression_comes_after_the_member(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    ask(k, one.group, "m1", 4, regex="(")
    one.join(kept=False)
    ask(k, one.group, "nobody", 4, regex="(")
    one.beat(regex="(", epoch=9)
    one.beat(regex="(", epoch=1)
    one.beat(regex="(")
    one.beat(regex="(", instance="i1")
    one.leave(regex="(")


# Pairs of errors of the request itself. Each pair is one request that has both errors.
FAULTS: Final[dict[str, dict[str, Any]]] = {
    "member": {"member": ""},
    "group": {"group": ""},
    "instance": {"instance": " "},
    "rack": {"rack": ""},
    "timeout": {"rebalance_ms": -1},
    "owned": {"owns": {SOME_ID: [1]}},
    "subscription": {"topics": None},
    "assignor": {"assignor": "nonsense"},
    "expression": {"regex": "("},
}


@no_interval(versions=VERSIONS)
def pairs_of_errors_in_a_join(k: Talk, version: int) -> None:
    group = k.group()
    names = list(FAULTS)
    for first in names:
        for second in names[names.index(first) + 1 :]:
            fields = {"group": group, "member": "m1", **JOIN, **FAULTS[first], **FAULTS[second]}
            if fields["topics"] is None and "expression" in (first, second):
                continue  # an expression is a subscription
            if version == 0 and "member" in (first, second):
                continue  # the coordinator generates an id
            if version == 0 and "expression" in (first, second):
                continue
            response = k.do(
                *consumer_heartbeat(fields.pop("group"), fields.pop("member"), 0, version=version, **fields)
            )
            k.keep(f"{first} and {second}", [response["ErrorCode"], response["ErrorMessage"]])


@no_interval(versions=VERSIONS)
def pairs_of_errors_in_a_heartbeat(k: Talk, version: int) -> None:
    group = k.group()
    faults = {
        name: FAULTS[name] for name in ("member", "group", "instance", "rack", "assignor", "expression")
    }
    names = list(faults)[: len(faults) - (version == 0)]
    for first in names:
        for second in names[names.index(first) + 1 :]:
            for epoch in (3, -1, -2, -3):
                fields = {
                    "group": group,
                    "member": "m1",
                    "version": version,
                    **faults[first],
                    **faults[second],
                }
                response = k.do(
                    *consumer_heartbeat(fields.pop("group"), fields.pop("member"), epoch, **fields)
                )
                k.keep(f"{first} and {second}, {epoch}", [response["ErrorCode"], response["ErrorMessage"]])


@no_interval()
def unknown_assignor_comes_before_the_group_and_the_member(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    ask(k, one.group, "m1", 5, assignor="nonsense")
    one.join(kept=False)
    ask(k, one.group, "nobody", 5, assignor="nonsense")
    one.beat(epoch=9, assignor="nonsense")
    one.leave(assignor="nonsense")
    one.beat()


@no_interval()
def errors_of_a_static_member_come_before_its_epoch(k: Talk) -> None:
    one, two = consumers(k, 2, topics=[k.name("missing")])
    one.how["instance"], two.how["instance"] = "i1", "i2"
    settled(one, two)
    one.beat(instance="i2", epoch=99)
    one.beat(instance="i9", epoch=99)
    one.beat(instance=None, epoch=99)
    one.beat(epoch=99)
    one.leave(-2, instance="i2")
    one.leave(-1, instance="i2")
    one.leave(-1, instance="i9")
    one.leave(-2, instance="i9")
    ask_described(one)


@no_interval()
def refused_heartbeats_create_no_group(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join(assignor="nonsense")
    one.join(rebalance_ms=-1)
    one.join(regex="(")
    one.beat(epoch=1)
    ask_described(one)
    k.ask("ListGroups", 5, {}, lambda response: [g for g in response["Groups"] if g["GroupId"] == one.group])


@no_interval()
def refused_heartbeats_change_nothing(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.full(topics=[], epoch=9)
    one.full(topics=[], assignor="nonsense")
    one.full(topics=[], regex="(")
    one.full(rack="r", rebalance_ms=5, instance=" ")
    ask_described(one)


@no_interval()
def refused_heartbeats_do_not_prolong_a_session(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    set_group(k, one.group, consumer_heartbeat_interval_ms="500", consumer_session_timeout_ms="1000")
    one.join()
    one.beat_until(lambda response: response["ErrorCode"] == 25, epoch=7)


@case(settings={"group.coordinator.rebalance.protocols": "classic"})
def consumer_protocol_is_off(k: Talk) -> None:
    group = k.group()
    ask(k, group, "m1", 0, **JOIN)
    ask(k, "", "", 0, **JOIN)
    ask(k, group, "m1", 5, assignor="nonsense")
    k.ask("ConsumerGroupDescribe", 1, {"GroupIds": [group, ""]})
    k.ask(*join(group, version=3, protocols={"range": ""}), keep=lambda response: response["ErrorCode"])


@case(settings={"group.consumer.assignors": "range"})
def assignor_that_is_not_configured(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(assignor="uniform")
    one.join(assignor="range")
    ask_described(one)
    one.join()
