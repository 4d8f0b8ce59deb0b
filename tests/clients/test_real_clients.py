"""Client libraries in ordinary use, each in its own environment and processes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.broker_process import RunningBroker
from tests.clientenv import REQUIREMENTS
from tests.clients.children import Child, python_client
from tests.clients.reading import Reading

pytestmark = [pytest.mark.contract, pytest.mark.slow]

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
RECORDS_PER_CODEC = 2000
PARTITIONS = 6
MEMBERS = 3
TOPIC = "orders"
GROUP = "readers"
NewChild = Callable[[str], Child]


@pytest.fixture(params=list(REQUIREMENTS))
def new_child(request: pytest.FixtureRequest, broker: RunningBroker, tmp_path: Path) -> Iterator[NewChild]:
    """Starts processes with the client under test. All of them end with the test."""
    program = python_client(request.param)
    children: list[Child] = []

    def make(name: str) -> Child:
        children.append(Child(program, [broker.bootstrap], tmp_path, name))
        return children[-1]

    yield make
    for child in children:
        child.close()


def test_a_group_of_three_reads_everything_and_committed_records_only_once_despite_kills(
    broker: RunningBroker, new_child: NewChild
) -> None:
    read_despite_kills(broker, new_child("producer"), new_child)


def read_despite_kills(broker: RunningBroker, producer: Child, new_member: NewChild) -> None:
    """Let three members read what the producer writes, while one of them and the broker are killed.

    Every record must be read, and no record again after its offset was committed.
    """
    producer.ask("created", do="create_topic", topic=TOPIC, partitions=PARTITIONS)
    produce(producer, "none")
    produce(producer, "gzip")

    members = [new_member(f"member-{i}") for i in range(MEMBERS)]
    members[0].begin(do="consume", topic=TOPIC, group=GROUP, client_id="member-0")
    members[0].wait_for("assigned")
    for i in (1, 2):
        members[i].begin(do="consume", topic=TOPIC, group=GROUP, client_id=f"member-{i}")
    wait_until_shared(members, PARTITIONS // MEMBERS)
    produce(producer, "snappy")
    wait_until_read(members, 3 * RECORDS_PER_CODEC)

    begin_produce(producer, "lz4")
    producer.wait_for("acked", after=len(producer.facts))
    members[1].kill9()
    survivors = [members[0], members[2]]
    wait_until_shared(survivors, PARTITIONS // 2)
    producer.wait_until(lambda: producer.facts[-1]["event"] == "produced", "lz4 to be produced")
    wait_until_read(members, 4 * RECORDS_PER_CODEC)

    begin_produce(producer, "zstd")
    producer.wait_for("acked", after=len(producer.facts))
    broker.kill9()
    broker.restart()
    producer.wait_until(lambda: producer.facts[-1]["event"] == "produced", "zstd to be produced")
    wait_until_read(members, 5 * RECORDS_PER_CODEC)
    wait_until_all_is_committed(members)
    for survivor in survivors:
        survivor.stop_consuming()

    reading = Reading.of(members)
    assert reading.numbers() == set(range(5 * RECORDS_PER_CODEC))
    assert reading.repeats_of_committed_work() == []
    result = producer.ask(
        "committed_offsets", do="committed", group=GROUP, topic=TOPIC, partitions=PARTITIONS
    )
    assert {int(p): offset for p, offset in result["offsets"].items()} == ends(reading)
    assert codecs_in_log(broker.data_dir) == set(CODECS.values())


def produce(producer: Child, codec: str) -> None:
    begin_produce(producer, codec)
    producer.wait_until(lambda: producer.facts[-1]["event"] == "produced", f"{codec} to be produced")


def begin_produce(producer: Child, codec: str) -> None:
    first = list(CODECS).index(codec) * RECORDS_PER_CODEC
    producer.begin(do="produce", topic=TOPIC, codec=codec, first=first, count=RECORDS_PER_CODEC)


def assignment(member: Child) -> set[int]:
    """Return the partitions of a member by its last reports, full or incremental."""
    owned: set[int] = set()
    for fact in list(member.facts):
        if fact["event"] == "assigned":
            owned |= set(fact["partitions"])
        elif fact["event"] == "revoked":
            owned -= set(fact["partitions"])
    return owned


def wait_until_shared(members: list[Child], each: int) -> None:
    """Wait until each of these members has its share, without overlap."""

    def shared() -> bool:
        owned = [assignment(member) for member in members]
        return [len(one) for one in owned] == [each] * len(members) and len(set.union(*owned)) == PARTITIONS

    for member in members:
        member.wait_until(shared, f"{len(members)} members to own {each} partitions each")


def wait_until_read(members: list[Child], count: int) -> None:
    members[0].wait_until(lambda: len(Reading.of(members).numbers()) >= count, f"{count} records to be read")


def wait_until_all_is_committed(members: list[Child]) -> None:
    def committed() -> bool:
        reading = Reading.of(members)
        reached: dict[int, int] = {}
        for commit in reading.commits:
            reached[commit.partition] = max(commit.offset, reached.get(commit.partition, 0))
        return reached == ends(reading)

    members[0].wait_until(committed, "everything that was read to be committed")


def ends(reading: Reading) -> dict[int, int]:
    """Return the offset after the last record read, by partition."""
    reached: dict[int, int] = {}
    for delivered in reading.deliveries:
        reached[delivered.partition] = max(delivered.offset + 1, reached.get(delivered.partition, 0))
    return reached


def codecs_in_log(data_dir: Path) -> set[int]:
    """Return the codecs of the topic's stored batches. librdkafka may stop compressing silently."""
    found = set()
    for segment in data_dir.glob(f"{TOPIC}-*/*.log"):
        data = segment.read_bytes()
        position = 0
        while position + 61 <= len(data) and (length := struct.unpack_from(">i", data, position + 8)[0]) > 0:
            found.add(struct.unpack_from(">h", data, position + 21)[0] & 7)
            position += 12 + length
    return found
