"""The settings in force for a group. Kafka: GroupConfigManager and GroupConfig.evaluate of 4.3.1."""

from __future__ import annotations

from tests.unit.broker.cluster_story import BROKER, DELETE, GROUP, SET, ClusterStory
from tidemark.core.decision import Record
from tidemark.metadata.configs import GroupSettings, ShareGroupSettings
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.records.config_record import ConfigRecord

SESSION, HEARTBEAT, INTERVAL = (
    "consumer.session.timeout.ms",
    "consumer.heartbeat.interval.ms",
    "consumer.assignment.interval.ms",
)
DEFAULTS = GroupSettings(45_000, 5_000, 1_000)


def in_force(story: ClusterStory, group_id: str = "g") -> GroupSettings:
    return story.cluster.configs.group_settings(group_id)


def test_a_group_without_settings_has_kafkas_defaults() -> None:
    assert in_force(ClusterStory()) == DEFAULTS


def test_a_group_without_settings_has_those_of_the_broker() -> None:
    of_broker = BrokerSettings(
        group_consumer_session_timeout_ms=50_000,
        group_consumer_heartbeat_interval_ms=6_000,
        group_consumer_assignment_interval_ms=0,
    )
    assert in_force(ClusterStory(of_broker)) == GroupSettings(50_000, 6_000, 0)


def test_own_settings_of_a_group_apply_until_they_are_deleted() -> None:
    story = ClusterStory()
    assert story.alter(GROUP, "g", (SESSION, SET, "46000"), (INTERVAL, SET, "7")).error_code == 0
    assert in_force(story) == GroupSettings(46_000, 5_000, 7)
    assert in_force(story, "another") == DEFAULTS
    assert story.alter(GROUP, "g", (SESSION, DELETE, None), (HEARTBEAT, SET, "9000")).error_code == 0
    assert in_force(story) == GroupSettings(45_000, 9_000, 7)
    assert story.alter(GROUP, "g", (HEARTBEAT, DELETE, None), (INTERVAL, DELETE, None)).error_code == 0
    assert in_force(story) == DEFAULTS


def test_the_brokers_assignment_interval_may_change_at_run_time() -> None:
    story = ClusterStory()
    assert in_force(story).assignment_interval_ms == 1_000
    change = ("group.consumer.assignment.interval.ms", SET, "2500")
    assert story.alter(BROKER, "", change).error_code == 0
    assert in_force(story).assignment_interval_ms == 2_500


def test_a_value_outside_of_the_bounds_counts_as_the_bound() -> None:
    """Bounds of the broker may have changed since the group's value was set. Kafka: clampToRange."""
    story = ClusterStory()
    for name, value in ((SESSION, "1"), (HEARTBEAT, "99999"), (INTERVAL, "15001")):
        story.store([Record(None, ConfigRecord(GROUP, "g", name, value))])
    assert in_force(story) == GroupSettings(45_000, 15_000, 15_000)


# Share groups. Kafka: ShareGroupConfigProvider.

SHARE_DEFAULTS = ShareGroupSettings(
    45_000, 5_000, 1_000, 30_000, 5, 2_000, "latest", "read_uncommitted", renew_acknowledge_enable=True,
    dead_letter_topic="", copy_dead_letters=False,
)  # fmt: skip


def shared(story: ClusterStory, group_id: str = "g") -> ShareGroupSettings:
    return story.cluster.configs.share_group_settings(group_id)


def test_share_group_without_settings_has_kafkas_defaults() -> None:
    assert shared(ClusterStory()) == SHARE_DEFAULTS


def test_share_group_has_the_settings_of_the_broker_without_its_own() -> None:
    story = ClusterStory(
        BrokerSettings(group_share_delivery_count_limit=7, group_share_record_lock_duration_ms=20_000)
    )
    own = ("share.delivery.count.limit", SET, "3"), ("share.auto.offset.reset", SET, "earliest")
    assert story.alter(GROUP, "g", *own, ("share.renew.acknowledge.enable", SET, "False")).error_code == 0
    assert shared(story) == SHARE_DEFAULTS._replace(
        record_lock_duration_ms=20_000,
        delivery_count_limit=3,
        auto_offset_reset="earliest",
        renew_acknowledge_enable=False,
    )
    assert shared(story, "h") == SHARE_DEFAULTS._replace(
        record_lock_duration_ms=20_000, delivery_count_limit=7
    )
    assert story.alter(GROUP, "g", ("share.delivery.count.limit", DELETE, None)).error_code == 0
    assert shared(story).delivery_count_limit == 7


def test_share_settings_outside_of_the_bounds_count_as_the_bound() -> None:
    story = ClusterStory()
    for name, value in (
        ("share.session.timeout.ms", "1"),
        ("share.record.lock.duration.ms", "3600000"),
        ("share.partition.max.record.locks", "10000"),
        ("share.delivery.count.limit", "25"),
    ):
        story.store([Record(None, ConfigRecord(GROUP, "g", name, value))])
    assert shared(story) == SHARE_DEFAULTS._replace(
        record_lock_duration_ms=60_000, delivery_count_limit=10, partition_max_record_locks=4_000
    )


def test_assignment_interval_of_share_groups_may_change_at_run_time() -> None:
    story = ClusterStory()
    assert story.alter(BROKER, "", ("group.share.assignment.interval.ms", SET, "0")).error_code == 0
    assert shared(story).assignment_interval_ms == 0
