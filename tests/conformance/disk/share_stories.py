"""Stories of share groups (KIP-932): records in `__consumer_offsets` and `__share_group_state`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.conformance.build_admin import grow
from tests.conformance.build_share import (
    ACCEPT,
    GAP,
    REJECT,
    RELEASE,
    alter_share_offsets,
    delete_share_offsets,
    describe_share,
    share_state,
)
from tests.conformance.case import Talk
from tests.conformance.consumers import set_group
from tests.conformance.disk.stories import Run, Story
from tests.conformance.sharing import (
    SHARE_SETTINGS,
    Sharer,
    a_sharer,
    fill,
    filled_topic,
    share_topic,
    sharers,
    started,
)

SHARE_STORIES: Final[dict[str, Story]] = {}
# Kafka's coordinators append a record when it is decided, rather than together with later ones.
AT_ONCE: Final = {
    **SHARE_SETTINGS,
    "group.coordinator.append.linger.ms": "0",
    "share.coordinator.append.linger.ms": "0",
}
SNAPSHOTS: Final = {**AT_ONCE, "share.coordinator.snapshot.update.records.per.snapshot": "2"}


def with_settings(settings: dict[str, str]) -> Callable[[Run], Run]:
    """Register a story on a broker with these settings."""

    def register(run: Run) -> Run:
        SHARE_STORIES[run.__name__] = Story(run.__name__, run, settings)
        return run

    return register


shared: Final = with_settings(AT_ONCE)


def gone(one: Sharer) -> None:
    one.acknowledge(epoch=-1, kept=False)
    one.session = 0
    one.leave(kept=False)


@shared
def a_sharer_joins_beats_and_leaves(k: Talk) -> None:
    topic = share_topic(k, 3)
    one = a_sharer(k, topic, 3)
    one.beat(kept=False)
    one.beat([topic], kept=False)
    one.leave(kept=False)


@shared
def a_sharer_without_known_topics_joins(k: Talk) -> None:
    one = Sharer(k, k.group())
    one.join(k.name("nothing"), kept=False)
    one.beat([k.name("nothing")], kept=False, rack="r1")
    one.beat(kept=False, rack="r2")


@shared
def a_sharer_changes_its_subscription(k: Talk) -> None:
    first, second = share_topic(k), share_topic(k)
    one = a_sharer(k, first)
    one.beat([first, second], kept=False)
    one.beat_until({first: [0], second: [0]})
    one.beat([second], kept=False)
    one.beat([], kept=False)


@shared
def two_sharers_of_a_partition(k: Talk) -> None:
    topic = share_topic(k)
    one, two = sharers(k, 2, {topic: 1})
    two.leave(kept=False)
    one.beat(kept=False)


@shared
def a_sharer_joins_again(k: Talk) -> None:
    topic = share_topic(k)
    one = a_sharer(k, topic)
    one.join(topic, kept=False)
    one.leave(kept=False)
    one.join(topic, kept=False)


@shared
def a_session_of_a_sharer_ends(k: Talk) -> None:
    topic = share_topic(k)
    one = a_sharer(k, topic)
    set_group(k, one.group, share_heartbeat_interval_ms="500", share_session_timeout_ms="1000")
    one.beat(kept=False)
    k.until(lambda: k.do(*describe_share(one.group))["Groups"][0], lambda told: told["GroupState"] == "Empty")


@shared
def partitions_are_added_for_a_sharer(k: Talk) -> None:
    topic = share_topic(k)
    one = a_sharer(k, topic)
    k.do(*grow((topic, 2)))
    k.until_there(topic, 2)
    one.beat_until({topic: [0, 1]})


@shared
def a_share_group_is_deleted(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}}, kept=False)
    gone(one)
    k.do("DeleteGroups", 2, {"GroupsNames": [one.group]})


@shared
def records_are_acknowledged(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(2, 3, ACCEPT), (5, 5, RELEASE), (7, 7, REJECT), (9, 9, GAP)]}}, kept=False)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}}, kept=False)
    one.fetch({topic: [0]}, kept=False)
    one.acknowledge({topic: {0: [(4, 4, ACCEPT), (6, 6, ACCEPT), (8, 8, RELEASE)]}}, kept=False)
    fill(k, topic, 5)
    one.fetch({topic: [0]}, kept=False)
    one.acknowledge({topic: {0: [(5, 5, ACCEPT), (8, 8, ACCEPT), (10, 14, ACCEPT)]}}, kept=False)


@shared
def records_are_released_until_they_are_archived(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = started(k, topic, share_delivery_count_limit="2")
    for _ in range(2):
        one.acknowledge({topic: {0: [(0, 2, RELEASE)]}}, kept=False)
        one.fetch({topic: [0]}, kept=False)
    fill(k, topic, 1)
    one.fetch_until({topic: [0]}, kept=False)
    one.acknowledge({topic: {0: [(3, 3, ACCEPT)]}}, kept=False)


@with_settings(SNAPSHOTS)
def updates_are_followed_by_snapshots(k: Talk) -> None:
    topic = filled_topic(k, 12)
    one = started(k, topic)
    for offset in range(0, 12, 2):
        one.acknowledge({topic: {0: [(offset, offset, ACCEPT)]}}, kept=False)


@shared
def offsets_of_a_share_group_are_altered(k: Talk) -> None:
    first, second = filled_topic(k, 5), share_topic(k)
    one = started(k, first)
    one.acknowledge({first: {0: [(0, 4, ACCEPT)]}}, kept=False)
    gone(one)
    k.do(*alter_share_offsets(one.group, {first: {0: 2}, second: {0: 0}}))


@shared
def offsets_of_a_new_share_group_are_altered(k: Talk) -> None:
    topic = share_topic(k)
    k.do(*alter_share_offsets(k.group(), {topic: {0: 2}}))


@shared
def offsets_of_a_share_group_are_deleted(k: Talk) -> None:
    first, second = share_topic(k), share_topic(k)
    (one,) = sharers(k, 1, {first: 1, second: 1})
    one.leave(kept=False)
    k.do(*delete_share_offsets(one.group, first))
    k.do(*delete_share_offsets(one.group, first, second))


@shared
def a_topic_with_shares_is_deleted(k: Talk) -> None:
    first, second = share_topic(k), share_topic(k)
    (one,) = sharers(k, 1, {first: 1, second: 1})
    k.delete_topic(first)
    k.broker.pause(1500)  # the coordinator learns of it, and deletes the state
    one.beat_until({second: [0]})


@shared
def states_are_written_directly(k: Talk) -> None:
    topic = share_topic(k)
    a_sharer(k, topic).leave(kept=False)
    group, topic_id = k.name("stated"), k.topic_id(topic)

    def ask(api: str, version: int = 0, **fields: object) -> None:
        k.do(*share_state(api, group, {topic_id: {0: fields}}, version=version))

    batches = [{"FirstOffset": 5, "LastOffset": 9, "DeliveryState": 0, "DeliveryCount": 1}]
    ask("Initialize", StateEpoch=1, StartOffset=3)
    ask("Read", LeaderEpoch=4)
    ask("Write", StateEpoch=1, LeaderEpoch=4, StartOffset=-1, StateBatches=batches)
    ask("Write", 1, StateEpoch=1, LeaderEpoch=7, StartOffset=5, DeliveryCompleteCount=2, StateBatches=[])
    ask("Read", LeaderEpoch=8)
    ask("Read", LeaderEpoch=-1)
    ask("Initialize", StateEpoch=2, StartOffset=-1)
    ask("Delete")
    ask("Delete")
