"""Our broker opens a directory that Kafka wrote with share groups, and goes on where they were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import kafka_oracle
from tests.clients import share_directory
from tests.clients.share_directory import OPEN, Written, delivered
from tests.clients.test_opening import serving
from tests.conformance.build_share import describe_share, describe_share_offsets
from tests.conformance.case import Broker, Talk
from tests.conformance.sharing import fill, member_id

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}"),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return share_directory.write(tmp_path_factory.mktemp("shares"))


@pytest.fixture(scope="module")
def bootstrap(written: Written) -> Iterator[str]:
    with serving("--from", written.data, "--as", "4.3", "--live") as opened:
        yield opened.ready["bootstrap_servers"]


@pytest.fixture
def talk(bootstrap: str) -> Iterator[Talk]:
    made = Talk(Broker(bootstrap), "opened")
    yield made
    made.hang_up()


def test_the_member_of_a_share_group_is_still_there(written: Written, talk: Talk) -> None:
    group = talk.do(*describe_share(written.reader))["Groups"][0]
    assert (group["ErrorCode"], group["GroupState"]) == (0, "Stable")
    assert [member["MemberId"] for member in group["Members"]] == [member_id(1)]


def test_the_start_offset_is_that_of_kafka(written: Written, talk: Talk) -> None:
    group = talk.do(*describe_share_offsets((written.reader, None)))["Groups"][0]
    (topic,) = group["Topics"]
    assert [(each["PartitionIndex"], each["StartOffset"]) for each in topic["Partitions"]] == [(0, 4)]


def test_only_records_that_are_not_done_are_delivered_again(written: Written, bootstrap: str) -> None:
    found = delivered(bootstrap, written.reader, written.topic)
    assert sorted(found) == list(OPEN)
    assert found[10] == 2  # Kafka stored the count of the record that was released


def test_archived_records_are_not_delivered_again(written: Written, bootstrap: str, talk: Talk) -> None:
    fill(talk, written.topic, 1)
    assert delivered(bootstrap, written.limited, written.topic) == {share_directory.RECORDS: 1}
