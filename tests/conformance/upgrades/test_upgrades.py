"""tidemark does what each release of Kafka did, and docs/upgrading-kafka.md says what was observed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.in_process import InProcessBroker
from tests.conformance.recorded_responses import BASE_SETTINGS
from tests.conformance.upgrades.record import facts_of, recorded
from tests.conformance.upgrades.stories import NOT_OURS, SETTINGS, STORIES
from tests.kafka_oracle import NEWEST, USUAL, short_name

RECORDED: Final = recorded()
RELEASES: Final = ["3.9.1", "4.0.0", "4.1.0", "4.2.0", USUAL, NEWEST]
PAGE: Final = (Path(__file__).parents[3] / "docs" / "upgrading-kafka.md").read_text("utf-8")
# The last column of a row that says what changes.
EVIDENCE: Final = re.findall(r"^\| .* \| ((?:observed|read)[^|]*) \|$", PAGE, re.MULTILINE)
SERVED: Final = [name for name in STORIES if name not in NOT_OURS]
# In a new cluster of 4.1, share.version is 0. tidemark serves share groups there.
PLAYED: Final = [
    (name, version)
    for name in SERVED
    for version in RELEASES
    if (name, version) != ("a_share_group", "4.1.0")
]


@pytest.mark.parametrize(("name", "version"), PLAYED)
def test_tidemark_does_the_same_as_the_release(name: str, version: str) -> None:
    broker = InProcessBroker({**BASE_SETTINGS, **SETTINGS, "tidemark.as": short_name(version)})
    try:
        assert facts_of(name, broker) == RECORDED[name][version]
    finally:
        broker.stop()


def test_every_story_is_recorded_on_every_release() -> None:
    assert {name: sorted(versions) for name, versions in RECORDED.items()} == dict.fromkeys(STORIES, RELEASES)


def test_page_has_rows_with_evidence_of_both_kinds() -> None:
    kinds = [evidence.partition(" ")[0].rstrip(":") for evidence in EVIDENCE]
    assert kinds.count("observed") > 10
    assert kinds.count("read") > 4
    rows = re.findall(r"^\| (?!---|release)[^|]*(?:3\.9|4\.\d|5\.0|6\.0)[^|]* \|.*\|$", PAGE, re.MULTILINE)
    assert len(rows) == len(EVIDENCE)


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_evidence_names_a_recorded_story_or_a_kip(evidence: str) -> None:
    if evidence.startswith("observed"):
        stories = re.findall(r"`(\w+)`", evidence)
        assert stories
        assert set(stories) <= set(STORIES)
    else:
        assert re.search(r"\bKIP-\d+\b|\bKAFKA-\d+\b", evidence)
