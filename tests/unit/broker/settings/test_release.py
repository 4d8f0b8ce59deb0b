from __future__ import annotations

import pytest

from tidemark.config import RELEASES, ConfigError
from tidemark.handlers.routes import load
from tidemark.settings.release import NOT_SERVED, Release, release_of
from tidemark_protocol.stored import VERSIONS_OF


def test_our_own_release_serves_what_handlers_claim() -> None:
    assert release_of("").versions("Metadata", range(0, 15)) == range(0, 15)


@pytest.mark.parametrize(
    ("api", "claimed", "served"),
    [
        ("Metadata", range(0, 15), range(0, 14)),
        ("OffsetCommit", range(0, 11), range(2, 11)),
        ("DescribeTopicPartitions", range(0, 2), range(0, 1)),
        ("Fetch", range(4, 12), range(4, 12)),
    ],
)
def test_a_release_narrows_what_handlers_claim(api: str, claimed: range, served: range) -> None:
    assert release_of("4.3").versions(api, claimed) == served


@pytest.mark.parametrize(
    ("api", "release", "served"),
    [
        ("Produce", "4.0", range(3, 13)),
        ("Produce", "3.9", range(3, 12)),
        ("JoinGroup", "4.0", range(2, 10)),
        ("JoinGroup", "4.1", range(0, 10)),
        ("ListOffsets", "4.1", range(1, 11)),
        ("ListOffsets", "4.2", range(1, 12)),
        ("OffsetFetch", "4.1", range(1, 10)),
        ("OffsetFetch", "3.9", range(1, 10)),
    ],
)
def test_releases_differ(api: str, release: str, served: range) -> None:
    (claimed,) = (route.versions for route in load().values() if route.name == api)
    assert RELEASES[release].versions(api, claimed) == served


def test_an_api_that_a_release_does_not_have_is_not_served() -> None:
    without = Release("9.9", {"Fetch": NOT_SERVED}, {})
    assert not without.versions("Fetch", range(4, 12))


def test_a_release_that_is_not_known_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"tidemark\.as: String must be one of: 3\.9, 4\.0, 4\.1, 4\.2, 4\.3, 4\.4$"
    ):
        release_of("2.8")


def test_each_release_has_its_record_versions() -> None:
    assert set(RELEASES) == set(VERSIONS_OF)
