"""The directory that Kafka 4.4.0 wrote, read by `serve --from`, `explain-log` and the pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.clients.test_opening import Opened, serving
from tests.kafkas_newest_directory import LEFT, committed, groups, unpacked
from tests.pipeline import kafka_story
from tests.pipeline.test_kafka_directories import current, history
from tidemark_pipeline.schemas import OFFSETS
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_tools.main import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GROUP, TOPIC_ID = (OFFSETS.get_field_index(name) for name in ("group", "topic_id"))
TRANSACTIONAL: Final = "transactional"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="module")
def opened(written: Path) -> Iterator[Opened]:
    with serving("--from", written) as broker:
        yield broker


@pytest.mark.slow
def test_groups_are_served_as_kafka_lists_them(opened: Opened) -> None:
    listed = opened.ask("ListGroups", 5, ListGroupsRequest()).groups
    assert {
        each.group_id: [each.group_type, each.protocol_type, each.group_state] for each in listed
    } == groups()


@pytest.mark.slow
def test_committed_offsets_are_served_as_by_kafka(opened: Opened) -> None:
    assert {place: each["offset"] for place, each in opened.offsets().items()} == {
        place: offset for place, (offset, *_) in committed().items()
    }


@pytest.mark.slow
def test_offsets_of_an_empty_consumer_group_are_explained(opened: Opened) -> None:
    explained = opened.offsets()[LEFT, "orders", 2]
    assert explained["rule"] == "topic_not_subscribed"
    assert opened.groups()[LEFT]["state"] == "Empty"


def test_explain_log_says_what_happened_to_a_group(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-log", str(written), "--group", "doomed-readers", "--retention", "7d"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("doomed-readers lost 2 offsets (doomed-0 to 1)"), first
    assert "topic was deleted" in first


@pytest.mark.java
def test_pipeline_reads_the_offsets_that_kafka_read(written: Path, spark: SparkSession) -> None:
    assert current(spark, written) == committed()


def test_offsets_of_transactions_have_the_id_of_their_topic(written: Path) -> None:
    """Kafka 4.3 leaves it out."""
    ids = {row[TOPIC_ID] for row in history(written) if row[GROUP] == TRANSACTIONAL}
    assert len(ids) == 1
    assert None not in ids


def test_the_story_has_left_groups_of_each_served_type() -> None:
    types = {name: type_ for name, (type_, *_) in groups().items()}
    assert types["classic"] == "classic"
    assert types[LEFT] == "consumer"
    assert set(kafka_story.SIMPLE) - {"simple-2"} <= set(types)
