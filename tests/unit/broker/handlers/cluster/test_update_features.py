"""The expected responses are those of Apache Kafka 4.3.1, with the levels of metadata.version of 4.4.0."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import BROKER, DELETE, SET, ClusterStory
from tidemark.core.context import Operation
from tidemark.handlers.cluster.update_features import update_features
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

UPGRADE, SAFE, UNSAFE = 1, 2, 3
ELR = "eligible.leader.replicas.version"
Update = tuple[str, int, int]
Outcome = tuple[int, str | None, list[tuple[str, int, str | None]]]
FAILED = "The update failed for all features since the following feature had an error: "
NOT_AN_UPGRADE = (
    "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe "
    "downgrade."
)


def update(story: ClusterStory, *updates: Update, version: int = 2, validate_only: bool = False) -> Outcome:
    keys = [FeatureUpdateKey(name, level, upgrade_type=kind) for name, level, kind in updates]
    request = UpdateFeaturesRequest(feature_updates=keys, validate_only=validate_only)
    response = story.ask(update_features, request, version)
    results = [(each.feature, each.error_code, each.error_message) for each in response.results]
    return response.error_code, response.error_message, results


def test_group_version_is_lowered_and_raised() -> None:
    story = ClusterStory()
    assert update(story, ("group.version", 0, SAFE)) == (0, None, [])
    assert "group.version" not in story.cluster.features
    assert update(story, ("group.version", 1, UPGRADE)) == (0, None, [])
    assert story.cluster.features["group.version"] == 1


@pytest.mark.parametrize("version", [0, 1])
def test_versions_before_2_list_the_features(version: int) -> None:
    updates = ("metadata.version", 33, UPGRADE), ("group.version", 1, UPGRADE)
    results = [("metadata.version", 0, "NONE"), ("group.version", 0, "NONE")]
    assert update(ClusterStory(), *updates, version=version) == (0, None, results)
    assert update(ClusterStory(), version=version) == (0, None, [])


def test_version_0_cannot_lower_a_level() -> None:
    story = ClusterStory()
    request = UpdateFeaturesRequest(feature_updates=[FeatureUpdateKey("group.version", 0, True)])
    assert story.ask(update_features, request, 0).error_code == ErrorCode.INVALID_UPDATE_VERSION


def test_validation_changes_nothing() -> None:
    story = ClusterStory()
    before = len(story.log)
    assert update(story, ("group.version", 0, SAFE), validate_only=True) == (0, None, [])
    assert len(story.log) == before


@pytest.mark.parametrize(
    ("updates", "why"),
    [
        (
            [("group.version", 0, UPGRADE)],
            f"Invalid update version 0 for feature group.version. {NOT_AN_UPGRADE}",
        ),
        (
            [("group.version", -1, UPGRADE)],
            "Invalid update version -1 for feature group.version. A feature version cannot be less than 0.",
        ),
        (
            [("group.version", 1, 0)],
            "Invalid update version 1 for feature group.version. The controller does not support the given "
            "upgrade type.",
        ),
        (
            [("group.version", 1, 9)],
            "Invalid update version 1 for feature group.version. The controller does not support the given "
            "upgrade type.",
        ),
        (
            [("group.version", 2, UPGRADE)],
            "Invalid update version 2 for feature group.version. "
            "Local controller 1 only supports versions 0-1",
        ),
        (
            [("metadata.version", 5, UPGRADE)],
            "Invalid update version 5 for feature metadata.version. "
            "Local controller 1 only supports versions 7-33",
        ),
        (
            [("metadata.version", 34, UPGRADE)],
            "Invalid update version 34 for feature metadata.version. "
            "Local controller 1 only supports versions 7-33",
        ),
        (
            [("metadata.version", 29, SAFE)],
            "Unsupported metadata.version downgrade from 33 to 29. "
            "Refusing to perform the requested downgrade because it might delete metadata information.",
        ),
        (
            [("metadata.version", 29, UNSAFE)],
            "Unsupported metadata.version downgrade from 33 to 29. "
            "Unsafe metadata downgrade is not supported in this version.",
        ),
        ([("nosuch", 0, SAFE)], "Invalid update version 0 for feature nosuch. Feature nosuch not found."),
        (
            [("nosuch", 1, UPGRADE)],
            "Invalid update version 1 for feature nosuch. Local controller 1 does not support this feature.",
        ),
        (
            [("kraft.version", 2, UPGRADE)],
            "Invalid update version 2 for feature kraft.version. "
            "Local controller 1 only supports versions 0-1",
        ),
        # As in Kafka, the order of a hash map decides which error is returned.
        (
            [("x", 1, UPGRADE), ("yy", 1, UPGRADE), ("group.version", 2, UPGRADE), ("", 1, UPGRADE)],
            "Invalid update version 1 for feature yy. Local controller 1 does not support this feature.",
        ),
    ],
)
def test_refused_in_kafkas_words(updates: list[Update], why: str) -> None:
    story = ClusterStory()
    before = len(story.log)
    assert update(story, *updates) == (95, FAILED + why, [])
    assert len(story.log) == before


def test_one_refused_feature_refuses_all() -> None:
    story = ClusterStory()
    assert update(story, ("group.version", 0, SAFE), ("nosuch", 1, UPGRADE))[0] == 95
    assert story.cluster.features["group.version"] == 1


def test_the_last_update_of_a_feature_that_is_named_twice_counts() -> None:
    story = ClusterStory()
    updates = ("group.version", 1, UPGRADE), ("group.version", 0, SAFE)
    assert update(story, *updates, version=1) == (0, None, [("group.version", 0, "NONE")] * 2)
    assert "group.version" not in story.cluster.features


def test_a_level_may_not_rise_by_a_downgrade() -> None:
    story = ClusterStory()
    update(story, ("group.version", 0, SAFE))
    why = "Invalid update version 1 for feature group.version. Can't downgrade to a newer version."
    assert update(story, ("group.version", 1, SAFE)) == (95, FAILED + why, [])


def test_enabling_eligible_leader_replicas_sets_min_insync_replicas_for_the_cluster_only() -> None:
    """Kafka: ConfigurationControlManager.maybeGenerateElrSafetyRecords."""
    story = ClusterStory()
    assert update(story, (ELR, 0, UNSAFE)) == (0, None, [])
    assert story.alter(BROKER, "", ("min.insync.replicas", DELETE, None)).error_code == 0
    assert story.alter(BROKER, "1", ("min.insync.replicas", SET, "1")).error_code == 0
    assert update(story, (ELR, 1, UPGRADE)) == (0, None, [])
    assert story.cluster.overrides(BROKER, "") == {"min.insync.replicas": "1"}
    assert story.cluster.overrides(BROKER, "1") == {}


def test_features_of_groups_may_be_lowered() -> None:
    for name in ("share.version", "streams.version"):
        assert update(ClusterStory(), (name, 0, SAFE)) == (0, None, [])


def test_only_who_may_alter_the_cluster_may_update_features() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, kind, name: operation != Operation.ALTER
    code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert update(story, ("group.version", 0, SAFE)) == (code, code.text, [])
    assert story.cluster.features["group.version"] == 1
