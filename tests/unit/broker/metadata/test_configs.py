"""The settings in force for a group. Kafka: GroupConfigManager and GroupConfig.evaluate of 4.3.1."""

from __future__ import annotations

from tests.unit.broker.cluster_story import BROKER, DELETE, GROUP, SET, ClusterStory
from tidemark.core.decision import Record
from tidemark.metadata.configs import GroupSettings
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
