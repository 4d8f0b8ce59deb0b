"""The console as a reader sees it, in headless Chromium."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests import needs
from tests.clientenv import client_python
from tests.unit.http.asking import Asked, asked

pytestmark = [pytest.mark.ecosystem, pytest.mark.timeout(600)]

SCRIPT: Final = Path(__file__).with_name("console_browser.py")
HOSTILE: Final = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    "\"><svg onload=alert('3')>",
    "javascript:alert(4)",
)
CONTRAST_MIN: Final = 4.5
EVERY_SECTION: Final = [
    "Broker and clock",
    "Groups",
    "Rebalances",
    "Topics",
    "Transactions",
    "Faults",
    "Recent requests",
]


def commit_with_metadata(broker: Asked, group: str, partition: int, metadata: str) -> None:
    where = {"PartitionIndex": partition, "CommittedOffset": 7, "CommittedMetadata": metadata}
    request = {"GroupId": group, "Topics": [{"Name": "orders", "Partitions": [where]}]}
    response = broker.run(broker.client().ask("OffsetCommit", 8, request))
    assert response["Topics"][0]["Partitions"][0]["ErrorCode"] == 0


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    needs.program("chromium", "chromium")
    folder = tmp_path_factory.mktemp("screenshots")
    print(f"screenshots: {folder}")
    with (
        asked(tidemark_test_api="true", group_initial_rebalance_delay_ms="0") as broker,
        asked() as read_only,
    ):
        broker.topics(orders=2)
        assert broker.post("/faults", api="Heartbeat", group="held", block=True).status == 200
        broker.asks("Heartbeat", 3, {"GroupId": "held", "MemberId": "m", "GenerationId": 1})
        broker.commit("readers", "orders", 0)
        commit_with_metadata(broker, "readers", 1, HOSTILE[0])
        broker.leave("readers", broker.join("readers", "orders"))
        for name in HOSTILE:
            broker.commit(name, "orders")
            broker.join(name, "orders")
        command = [
            str(client_python("playwright")), str(SCRIPT), f"http://{broker.address}",
            f"http://{read_only.address}", str(folder),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_groups_appear_and_hostile_ids_and_metadata_stay_text(found: dict[str, Any]) -> None:
    seen = found["console"]
    assert seen["groups"] == sorted([*HOSTILE, "readers"])
    assert seen["metadata"] == HOSTILE[0]
    assert seen["images"] == 0
    assert seen["problems"] == []
    assert [each for each in EVERY_SECTION if each not in seen["sections"]] == []


def test_countdown_follows_the_moved_clock(found: dict[str, Any]) -> None:
    seen = found["console"]
    assert seen["frozen"].startswith(("7d 00:00:0", "6d 23:59:"))
    assert seen["now"].startswith("2026-11-02 10:00:0")
    assert seen["running"].startswith("5d 23:59:")


def test_an_opened_group_shows_the_brokers_sentence_for_each_offset(found: dict[str, Any]) -> None:
    seen = found["console"]
    assert seen["address"] == "#group=readers"
    for partition, sentence in enumerate(seen["why"]):
        assert "Group readers has been Empty since 2026-11-01T10:00:00Z" in sentence
        assert f"orders-{partition} expires at the first cleanup pass" in sentence
    assert seen["chart"] == "Rebalances over time: 5 rebalances"


def test_a_fault_is_released_and_removed(found: dict[str, Any]) -> None:
    (fault,) = found["console"]["faults"]
    assert '"group":"held"' in fault


def test_a_refused_fault_shows_the_brokers_sentence_and_marks_the_field(found: dict[str, Any]) -> None:
    seen = found["console"]
    assert "'OffsetComit'; did you mean 'OffsetCommit'?" in seen["refused fault"]
    assert seen["wrong fields"] == ["api"]


def test_faults_are_set_by_the_form(found: dict[str, Any]) -> None:
    assert [json.loads(each) for each in found["console"]["set faults"]] == [
        {"api": "Heartbeat", "group": "held", "block": True},
        {"api": "OffsetCommit", "group": "readers", "error": "NOT_COORDINATOR", "times": 2},
        {"client_id": "<img src=x onerror=alert(5)>", "block": True, "when": "after"},
    ]


def test_recent_requests_are_listed_newest_first(found: dict[str, Any]) -> None:
    first, *_ = found["console"]["requests"]
    assert "SyncGroup" in first and HOSTILE[-1] in first


def test_nothing_moves_when_the_page_refreshes(found: dict[str, Any]) -> None:
    assert found["console"]["shifts"] == 0


def test_light_and_dark_are_the_systems_or_the_readers_choice(found: dict[str, Any]) -> None:
    seen = found["console"]
    assert seen["light"] != seen["dark"] == seen["dark after a reload"] == found["system theme"]


def test_each_text_is_readable_also_under_the_mouse(found: dict[str, Any]) -> None:
    """A contrast of 4.5, which WCAG 2 requires at level AA."""
    contrasts = found["console"]["contrasts"]
    hovered = [name for name in contrasts if ", hover: BUTTON" in name and "Set the fault" in name]
    assert [name.partition(",")[0] for name in hovered] == ["light", "dark"]
    assert {name: value for name, value in contrasts.items() if value < CONTRAST_MIN} == {}


def test_the_page_fits_a_narrow_screen(found: dict[str, Any]) -> None:
    needed, given = found["console"]["narrow"]
    assert needed <= given == 360


def test_the_keyboard_is_enough(found: dict[str, Any]) -> None:
    assert found["console"]["focus after closing"] == "readers"
    assert found["console"]["focus after up"] == "javascript:alert(4)"


def test_the_page_is_read_only_without_the_test_api(found: dict[str, Any]) -> None:
    assert found["read only"]["forms"] == [False, False]
    assert found["read only"]["faults"].startswith("Faults need the test API.")


def test_the_documentation_is_shown_with_its_sections(found: dict[str, Any]) -> None:
    assert found["documentation"]["title"] == "tidemark: HTTP API"
    assert found["documentation"]["tables"] > 3
