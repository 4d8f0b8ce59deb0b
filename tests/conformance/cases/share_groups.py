"""ShareGroupDescribe, and a share group in the requests about groups of any type."""

from __future__ import annotations

from tests.conformance.build import (
    Request,
    commit,
    delete_offsets,
    fetch_offsets,
    heartbeat,
    join,
    leave,
    sync,
)
from tests.conformance.build_share import (
    ACCEPT,
    SHARE,
    alter_share_offsets,
    delete_share_offsets,
    describe_share,
    describe_share_offsets,
)
from tests.conformance.case import Fields, Keep, Talk
from tests.conformance.consumers import Consumer, consumer_heartbeat, describe_consumers
from tests.conformance.members import describe, some_stable
from tests.conformance.sharing import (
    Sharer,
    a_group,
    a_sharer,
    as_text,
    filled_topic,
    groups_in_order,
    member_id,
    share_topic,
    shares,
    started,
)
from tests.conformance.transactional import Producer


def an_empty_one(k: Talk, topic: str, partitions: int = 1) -> Sharer:
    """Return the former member of a share group."""
    one = a_sharer(k, topic, partitions)
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


@shares
def groups_are_described(k: Talk) -> None:
    topic = share_topic(k, 2)
    one = a_sharer(k, topic, 2)
    empty = an_empty_one(k, topic, 2)
    (classic,) = some_stable(k, 1)
    unknown = k.group()

    def keep(response: Fields) -> Fields:
        groups = groups_in_order(response)["Groups"]
        return {**response, "Groups": sorted(groups, key=lambda each: each["GroupId"])}

    k.ask(*describe_share(one.group, empty.group, classic.group, unknown, ""), keep=keep)
    k.ask(*describe_share(one.group, operations=True), keep=groups_in_order)
    k.ask(*describe_share(one.group, one.group), keep=groups_in_order)
    k.ask(*describe_share(unknown, operations=True))
    k.ask(*describe_share())


@shares
def description_of_a_consumer_group(k: Talk) -> None:
    topic = share_topic(k)
    one = Consumer(k, k.group(), "m1", topics=[topic])
    one.join(kept=False)
    k.ask(*describe_share(one.group, operations=True))


@shares
def share_group_is_described_as_another_type(k: Talk) -> None:
    topic = share_topic(k)
    one, empty = a_sharer(k, topic), an_empty_one(k, topic)
    for group in (one.group, empty.group):
        for version in range(7):
            k.ask(*describe(group, version=version))
        k.ask(*describe(group, operations=True))
        k.ask(*describe_consumers(group))


@shares
def share_groups_are_listed(k: Talk) -> None:
    topic = share_topic(k)
    one, empty = a_sharer(k, topic), an_empty_one(k, topic)
    (classic,) = some_stable(k, 1)
    keep = only(one.group, empty.group, classic.group)
    for version in range(6):
        k.ask(*list_groups(version=version), keep=keep)
    for types in (("share",), ("Share",), ("SHARE", "classic"), ("consumer",), ("streams",), ("nothing",)):
        k.ask(*list_groups(types=types), keep=keep)
    for states in (("Stable",), ("Empty",), ("stable", "dead"), ("Assigning",), ("Dead",), ("nothing",)):
        k.ask(*list_groups(states), keep=keep)
    k.ask(*list_groups(("Empty",), ("share",)), keep=keep)
    k.ask(*list_groups(("Stable",), ("classic",)), keep=keep)


@shares
def share_groups_are_deleted(k: Talk) -> None:
    topic = share_topic(k)
    one, empty = a_sharer(k, topic), an_empty_one(k, topic)
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    k.ask("DeleteGroups", 2, {"GroupsNames": [empty.group]})
    k.ask("DeleteGroups", 2, {"GroupsNames": [empty.group]})
    k.ask(*describe_share(empty.group))
    k.ask(*list_groups(), keep=only(empty.group))
    k.ask(*describe_share_offsets((empty.group, None)))


@shares
def deleted_share_group_begins_again(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}}, kept=False)
    one.acknowledge(epoch=-1, kept=False)
    one.leave(kept=False)
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.session = 0
    one.fetch({topic: [0]}, max_wait_ms=500)
    one.join(topic)
    one.beat_until({topic: [0]})
    one.fetch_until({topic: [0]})


@shares
def group_with_a_session_is_deleted(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.leave(kept=False)
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}})
    one.fetch({topic: [0]})
    one.fetch({topic: [0]}, max_wait_ms=500)


@shares
def classic_requests_to_a_share_group(k: Talk) -> None:
    topic = share_topic(k)
    for one in (a_sharer(k, topic), an_empty_one(k, topic)):
        for version in (3, 9):
            k.ask(*join(one.group, version=version))
        k.ask(*join(one.group, one.id))
        k.ask(*sync(one.group, one.id, 1))
        k.ask(*heartbeat(one.group, one.id, 1))
        k.ask(*leave(one.group, one.id))
        k.ask(*leave(one.group, one.id, version=2))


@shares
def offsets_of_a_share_group_are_committed(k: Talk) -> None:
    topic = share_topic(k)
    for one in (a_sharer(k, topic), an_empty_one(k, topic)):
        for version in (2, 8, 9):
            k.ask(*commit(one.group, {topic: {0: 5}}, version=version))
        k.ask(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=one.epoch))
        for version in (1, 7, 9):
            k.ask(*fetch_offsets(one.group, {topic: [0]}, version=version))
        k.ask(*fetch_offsets(one.group))
        k.ask(*delete_offsets(one.group, (topic, [0])))


@shares
def transaction_commits_to_a_share_group(k: Talk) -> None:
    topic = share_topic(k)
    for one in (a_sharer(k, topic), an_empty_one(k, topic)):
        writer = Producer(k)
        k.ask(*writer.commit_offsets(one.group, {topic: {0: 1}}))


@shares
def consumer_heartbeats_to_a_share_group(k: Talk) -> None:
    topic = share_topic(k)
    for one in (a_sharer(k, topic), an_empty_one(k, topic)):
        how = {"topics": [topic], "rebalance_ms": 1000, "owns": {}}
        k.ask(*consumer_heartbeat(one.group, one.id, 0, **how))
        k.ask(*consumer_heartbeat(one.group, one.id, 1))
        k.ask(*consumer_heartbeat(one.group, one.id, -1))


@shares
def share_requests_to_a_classic_group(k: Talk) -> None:
    topic = share_topic(k)
    (one,) = some_stable(k, 1)
    two = Sharer(k, one.group, 2)
    two.join(topic)
    two.beat(epoch=1)
    two.leave()
    k.ask(*describe_share_offsets((one.group, None)))
    k.ask(*describe_share_offsets((one.group, {topic: [0]})))
    k.ask(*alter_share_offsets(one.group, {topic: {0: 1}}))
    k.ask(*delete_share_offsets(one.group, topic))


@shares
def share_requests_to_a_consumer_group(k: Talk) -> None:
    topic = share_topic(k)
    one = Consumer(k, k.group(), "m1", topics=[topic])
    one.join(kept=False)
    two = Sharer(k, one.group, 2)
    two.join(topic)
    two.beat(epoch=1)
    two.leave()
    k.ask(*describe_share_offsets((one.group, {topic: [0]})))
    k.ask(*alter_share_offsets(one.group, {topic: {0: 1}}))
    k.ask(*delete_share_offsets(one.group, topic))


@shares
def group_with_offsets_only_becomes_a_share_group(k: Talk) -> None:
    topic = share_topic(k)
    group = k.group()
    k.ask(*commit(group, {topic: {0: 5}}))
    one = Sharer(k, group)
    one.join(topic)
    k.ask(*fetch_offsets(group, {topic: [0]}))
    k.ask(*list_groups(), keep=only(group))


@shares
def empty_classic_group_becomes_a_share_group(k: Talk) -> None:
    topic = share_topic(k)
    (one,) = some_stable(k, 1)
    k.do(*one.leave())
    two = Sharer(k, one.group)
    two.join(topic)
    k.ask(*list_groups(), keep=only(one.group))


@shares
def empty_share_group_becomes_another_type(k: Talk) -> None:
    topic = share_topic(k)
    one, two = an_empty_one(k, topic), an_empty_one(k, topic)
    k.ask(*join(one.group, version=3))
    how = {"topics": [topic], "rebalance_ms": 1000, "owns": {}}
    k.ask(*consumer_heartbeat(two.group, "m", 0, **how))
    k.ask(*list_groups(), keep=only(one.group, two.group))


@shares
def type_of_a_group_is_configured(k: Talk) -> None:
    """share.* may be set for a group that has not begun."""
    topic = share_topic(k)
    group = a_group(k)
    k.ask(*describe_share(group))
    k.ask(*list_groups(), keep=only(group))
    one = Sharer(k, group)
    one.join(topic)


@shares
def coordinators_of_share_state(k: Talk) -> None:
    """FindCoordinator with key type 2: the key is group:topic id:partition."""
    topic = share_topic(k)
    a_sharer(k, topic)
    topic_id = k.topic_id(topic)
    an_id = member_id(1)
    keys = [
        f"g:{as_text(topic_id)}:0", f"g:{an_id}:1", f"g:{an_id}:-1", f"g:{an_id}", "g", "", ":",
        "g:not-an-id:0", f"g:{an_id}:x", f"g:{an_id}:0:0", f":{an_id}:0", f"a:b:{an_id}:0",
    ]  # fmt: skip
    for key in keys:
        k.ask("FindCoordinator", 6, {"KeyType": SHARE, "CoordinatorKeys": [key]})
    k.ask("FindCoordinator", 6, {"KeyType": SHARE, "CoordinatorKeys": keys[:5]})
    k.ask("FindCoordinator", 6, {"KeyType": SHARE, "CoordinatorKeys": []})
    for version in range(4, 7):
        k.ask("FindCoordinator", version, {"KeyType": SHARE, "CoordinatorKeys": [keys[1]]})
    for version in range(1, 4):
        k.ask("FindCoordinator", version, {"KeyType": SHARE, "Key": keys[1]})
    k.ask("FindCoordinator", 6, {"KeyType": 3, "CoordinatorKeys": [keys[1]]})
