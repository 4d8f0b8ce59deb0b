"""The changes that a release of Kafka made, and the page that describes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.broker.whole import running
from tidemark.config import RELEASES, Config
from tidemark.metadata.bootstrap import finalized_features
from tidemark.metadata.configs import Configs
from tidemark.settings.release import Change
from tidemark.settings.setting import InvalidSetting
from tidemark_testing.storage import MemoryStorage

PAGE = Path(__file__).resolve().parents[4] / "docs" / "kafka-4.4.md"


@pytest.mark.parametrize("change", Change)
def test_each_change_is_described_as_done(change: Change) -> None:
    done, _, _ = PAGE.read_text("utf-8").partition("## Not in")
    assert change.value in re.findall(r"^### (.+)$", done, re.MULTILINE)


def test_4_4_has_every_change_and_older_releases_have_none() -> None:
    assert all(map(RELEASES["4.4"].has, Change))
    for name in ("3.9", "4.0", "4.1", "4.2", "4.3"):
        assert not any(map(RELEASES[name].has, Change))


def test_a_setting_that_4_4_added_is_unknown_to_4_3() -> None:
    given = {"remote.copy.lag.ms": "5", "errors.deadletterqueue.group.enable": "true"}
    Configs(1, Config({"tidemark.as": "4.4"})).check_topic(given)
    with pytest.raises(InvalidSetting, match=r"^Unknown topic config name: remote\.copy\.lag\.ms$"):
        Configs(1, Config({"tidemark.as": "4.3"})).check_topic(given)


def test_a_setting_of_brokers_that_4_4_added_has_no_effect_as_4_3() -> None:
    given = {"max.decompressed.message.bytes": "5"}
    known, unknown = (Config({**given, "tidemark.as": release}) for release in ("4.4", "4.3"))
    assert (known.max_decompressed_message_bytes, known.unknown) == (5, [])
    assert (unknown.max_decompressed_message_bytes, unknown.unknown) == (2**31 - 9, [*given])


@pytest.mark.parametrize(("first", "level"), [("4.3", 30), ("4.4", 33)])
async def test_a_directory_keeps_its_level_under_the_other_release(first: str, level: int) -> None:
    storage = MemoryStorage()
    async with running(storage, tidemark_as=first) as whole:
        assert whole.state.cluster.features["metadata.version"] == level
    for release, reported in (("4.3", 30), ("4.4", level), (first, level)):
        async with running(storage, tidemark_as=release) as whole:
            assert whole.state.cluster.features["metadata.version"] == level
            assert finalized_features(whole.state.cluster)["metadata.version"] == reported
