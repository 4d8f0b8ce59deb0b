"""A directory that Apache Kafka wrote with share groups: records in flight, and archived ones.

`write` tells the story with raw requests. ACCEPTED, REJECTED and OPEN
have the offsets of the topic's records by what became of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.broker_process import two_free_ports
from tests.conformance.build_share import ACCEPT, REJECT, RELEASE
from tests.conformance.case import Broker, Talk
from tests.conformance.sharing import SHARE_SETTINGS, Sharer, filled_topic, name_id, sharers, until_shared
from tests.kafka_oracle import KafkaNode

# A snapshot follows every third update.
SETTINGS: Final = {**SHARE_SETTINGS, "share.coordinator.snapshot.update.records.per.snapshot": "3"}
RECORDS: Final = 12
ACCEPTED: Final = (0, 1, 2, 3, 7, 8)
REJECTED: Final = (5,)
OPEN: Final = (4, 6, 9, 10, 11)  # of which 10 was released, and the others are in flight
DELIVERY_LIMIT: Final = 2


@dataclass(slots=True, frozen=True)
class Written:
    """The directory. reader: the group with a member. limited: the group whose records were all archived."""

    data: Path
    topic: str
    reader: str
    limited: str


def write(folder: Path, settings: dict[str, str] | None = None) -> Written:
    """Let Kafka write the directory, and stop it while the member still has records."""
    node = KafkaNode(folder / "kafka", two_free_ports(), {**SETTINGS, **(settings or {})})
    node.start()
    talk = Talk(Broker(node.bootstrap), "share")
    try:
        topic = filled_topic(talk, RECORDS, retention_ms="-1")
        reader = read(talk, topic)
        limited = exhaust(talk, topic)
    finally:
        node.stop()
        talk.hang_up()
    return Written(node.data_dir, topic, reader, limited)


def read(k: Talk, topic: str) -> str:
    """Return a group that has accepted, rejected and released records, one request for each range."""
    (one,) = sharers(k, 1, {topic: 1})
    one.fetch_until({topic: [0]}, kept=False)
    for first, last, how in ((0, 3, ACCEPT), (5, 5, REJECT), (7, 8, ACCEPT), (10, 10, RELEASE)):
        response = one.acknowledge({topic: {0: [(first, last, how)]}}, kept=False)
        assert no_errors(response), response
    return one.group


def exhaust(k: Talk, topic: str) -> str:
    """Return a group to which each record was delivered as often as it allows."""
    (one,) = sharers(k, 1, {topic: 1}, share_delivery_count_limit=str(DELIVERY_LIMIT))
    for _ in range(DELIVERY_LIMIT):
        one.fetch_until({topic: [0]}, kept=False)
        response = one.acknowledge({topic: {0: [(0, RECORDS - 1, RELEASE)]}}, kept=False)
        assert no_errors(response), response
    one.acknowledge(epoch=-1, kept=False)
    one.session = 0
    one.leave(kept=False)
    return one.group


def no_errors(response: dict[str, object]) -> bool:
    topics: Sequence[dict[str, object]] = response["Responses"]  # type: ignore[assignment]
    codes = [partition["ErrorCode"] for topic in topics for partition in topic["Partitions"]]  # type: ignore[attr-defined]
    return response["ErrorCode"] == 0 and not any(codes)


def delivered(bootstrap: str, group: str, topic: str, number: int = 9) -> dict[int, int]:
    """Return the delivery count of each record that a new member of the group acquires."""
    talk = Talk(Broker(bootstrap), "share")
    with ExitStack() as opened:
        opened.callback(talk.hang_up)
        name_id(talk, topic)
        for shard in range(4):
            until_shared(talk, topic, shard)
        one = Sharer(talk, group, number)
        one.join(topic, kept=False)
        one.beat_until({topic: [0]})
        response = one.fetch_until({topic: [0]}, kept=False)
        assert response["ErrorCode"] == 0, response
        return {
            offset: batch["DeliveryCount"]
            for shown in response["Responses"]
            for partition in shown["Partitions"]
            for batch in partition["AcquiredRecords"]
            for offset in range(batch["FirstOffset"], batch["LastOffset"] + 1)
        }
