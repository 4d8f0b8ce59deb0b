"""A log with transactions is cut or has flipped bits: consumers see nothing that was not committed.

python -m tests.faults.fuzz.transaction_damage --rounds 1000 [--seed SEED[:ROUND]]

The broker either starts, or refuses with one line that names the damaged file. If it starts, a consumer with
read_committed gets committed records only, in their order. It lacks none unless the log itself is damaged: as
in Kafka, a clean start reads the last segment only. The offset of a group, if any, is one that a committed
transaction has stored.

A `.txnindex` has no checksum. Damage that leaves a possible index is not made, because neither Kafka nor our
broker can find it at a start.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.broker_process import BrokerProcess
from tests.clients.committed_reading import CommittedReading, CorruptBatch
from tests.clients.test_bad_transactions import Client
from tests.faults.fuzz.campaign import OWN_FAILURES, Broken
from tests.wire import Connection
from tidemark.log.index import ENTRY_BYTES, IndexCorrupt, TransactionIndex
from tidemark_protocol.batch import TRANSACTIONAL, LogRecord, build_batch
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

TOPICS: Final = ("orders", "payments")
GROUP: Final = "readers"
DAMAGED: Final = (*TOPICS, "__consumer_offsets", "__transaction_state")
SUFFIXES: Final = (".log", ".txnindex", ".snapshot")
TRANSACTIONS: Final = 12
ABORTED_EVERY: Final = 3
VALUE_BYTES: Final = 400
STOP_WITHIN_S: Final = 30
SETTINGS: Final = {
    "log.roll.ms": "60",  # so that there are several snapshots and indexes
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
}
UNREADABLE: Final = (1, 2, 56)  # OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE, KAFKA_STORAGE_ERROR
# A partition of an internal topic that cannot be read is not served, and is logged.
ALLOWED: Final = ("groups not served",)


@dataclass(slots=True, frozen=True)
class Template:
    """A data directory. committed: the values of each topic that were committed, in their order."""

    directory: Path
    committed: dict[str, list[bytes]]
    offsets: frozenset[int]


def templates(folder: Path) -> Iterator[Template]:
    """Yield directories with committed, aborted and open transactions: after a kill, and after a stop."""
    for how in ("killed", "stopped"):
        broker = BrokerProcess(folder / how, SETTINGS)
        broker.start()
        try:
            committed, offsets = _write(broker)
            if how == "killed":
                broker.kill9()
        finally:
            broker.stop()
        yield Template(broker.data_dir, committed, frozenset(offsets))


def _write(broker: BrokerProcess) -> tuple[dict[str, list[bytes]], set[int]]:
    committed: dict[str, list[bytes]] = {topic: [] for topic in TOPICS}
    offsets = set()
    open_one = Client(broker, "open").ready()
    for topic in TOPICS:
        open_one.create(topic)
    ended = Client(broker, "ended").ready()
    for number in range(TRANSACTIONS):
        commits = number % ABORTED_EVERY != 0
        result = "committed" if commits else "aborted"
        for topic in TOPICS:
            value = f"{result} {number} ".encode().ljust(VALUE_BYTES, b".")
            _produce(ended, topic, number, value)
            if commits:
                committed[topic].append(value)
        _commit(ended, number)
        if commits:
            offsets.add(number)
        ended.end_completely(committed=commits)
    for topic in TOPICS:
        _produce(open_one, topic, 0, b"open".ljust(VALUE_BYTES, b"."))
    _commit(open_one, TRANSACTIONS)
    for client in (open_one, ended):
        client.close()
    return committed, offsets


def _produce(client: Client, topic: str, sequence: int, value: bytes) -> None:
    assert client.add(topic, 0) == [0]
    producer_id, epoch = client.producer
    data = build_batch(
        [LogRecord(0, time.time_ns() // 1_000_000, None, value)],
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        attributes=TRANSACTIONAL,
    )
    wanted = [TopicProduceData(name=topic, partition_data=[PartitionProduceData(0, data)])]
    found = client.ask("Produce", 9, ProduceRequest(client.name, -1, 5000, wanted))
    assert found.responses[0].partition_responses[0].error_code == 0, found


def _commit(client: Client, offset: int) -> None:
    partitions = [TxnOffsetCommitRequestPartition(0, offset, -1, "")]
    wanted = [TxnOffsetCommitRequestTopic(TOPICS[0], partitions=partitions)]
    request = TxnOffsetCommitRequest(client.name, GROUP, *client.producer, topics=wanted)
    found = client.ask("TxnOffsetCommit", 5, request)
    assert found.topics[0].partitions[0].error_code == 0, found


def damage(directory: Path, chance: random.Random) -> tuple[Path, str]:
    """Damage one file. Return it, and a description."""
    path = _any_file(directory, chance)
    name = path.relative_to(directory)
    whole = path.read_bytes()
    while True:
        data = bytearray(whole)
        if chance.random() < 0.5:
            at = chance.randrange(len(data))
            del data[at:]
            what = f"{name}: cut at {at} of {len(whole)}"
        else:
            bits = [chance.randrange(len(data) * 8) for _ in range(chance.choice((1, 1, 4, 16)))]
            for bit in bits:
                data[bit // 8] ^= 1 << bit % 8
            what = f"{name}: flipped bits {bits} of {len(whole)} bytes"
        if path.suffix != ".txnindex" or not _is_possible(bytes(data), int(path.stem)):
            break
    path.write_bytes(data)
    return path, what


def _any_file(directory: Path, chance: random.Random) -> Path:
    """Choose a file that is not empty; each kind of file of each topic is equally likely."""
    kinds: dict[tuple[str, str], list[Path]] = {}
    for topic in DAMAGED:
        for path in sorted(directory.glob(f"{topic}-*/*")):
            if path.suffix in SUFFIXES and path.stat().st_size:
                kinds.setdefault((topic, path.suffix), []).append(path)
    return chance.choice(kinds[chance.choice(sorted(kinds))])


def _is_possible(data: bytes, base_offset: int) -> bool:
    """Return whether an index of aborted transactions passes the check of a start, as it does in Kafka."""
    if len(data) % ENTRY_BYTES:
        return False
    try:
        TransactionIndex(data).check(base_offset)
    except IndexCorrupt:
        return False
    return True


def start_and_check(folder: Path, template: Template, damaged: Path, what: str) -> str:
    """Start the broker. Return "refused" or "served". Raises Broken for a wrong result."""
    broker = BrokerProcess(folder, SETTINGS)
    try:
        try:
            broker.start()
        except RuntimeError as error:
            return _refused(broker, damaged, f"{what}: {error}")
        try:
            with Connection(broker.bootstrap) as connection:
                for topic in TOPICS:
                    is_cut = damaged.suffix == ".log" and damaged.parent.name == f"{topic}-0"
                    _check_records(connection, topic, template.committed[topic], may_lack=is_cut)
                lost = damaged.suffix == ".log" and damaged.parent.name == "__consumer_offsets-0"
                _check_offset(connection, template.offsets, may_lack=lost)
        except (AssertionError, OSError) as error:
            raise Broken(f"{what}: {error!r}\n{broker.said()[-3000:]}") from error
        broker.terminate()
        code, said = broker.wait(STOP_WITHIN_S), broker.said()
        if code or any(failure in said for failure in OWN_FAILURES if failure not in ALLOWED):
            raise Broken(f"{what}: exit code {code}, it said\n{said[-3000:]}")
        return "served"
    finally:
        if broker.started:
            broker.kill9()


def _refused(broker: BrokerProcess, damaged: Path, what: str) -> str:
    lines = [line for line in broker.said().splitlines() if line.startswith("tidemark: ")]
    named = f"{damaged.parent.name}/{damaged.name}"
    if broker.started or broker.wait(STOP_WITHIN_S) != 1 or len(lines) != 1 or named not in lines[0]:
        raise Broken(what)
    return "refused"


def _check_records(connection: Connection, topic: str, committed: list[bytes], *, may_lack: bool) -> None:
    """may_lack: records may be missing, but those that are left are committed ones in their order."""
    reading = CommittedReading(topic, 0, unreadable=UNREADABLE)
    try:
        reading.read(connection)
    except CorruptBatch:
        pass  # a consumer stops here: it checks the CRC, too
    values = [value for _, value in reading.found]
    expected = [value for value in committed if value in {*values}] if may_lack else committed
    assert values == expected, (topic, [value[:20] for value in values])


def _check_offset(connection: Connection, committed: frozenset[int], *, may_lack: bool) -> None:
    requested = OffsetFetchRequestGroup(GROUP, topics=None)
    (group,) = connection.ask("OffsetFetch", 8, OffsetFetchRequest(groups=[requested])).groups
    found = {each.committed_offset for topic in group.topics for each in topic.partitions}
    assert found <= committed if may_lack else found == {max(committed)}, found


def rounds(folder: Path, seed: int, first: int, count: int) -> dict[str, int]:
    """Run the rounds. Return the number of each outcome. Raises Broken with SEED:ROUND."""
    made = [*templates(folder)]
    outcomes = {"served": 0, "refused": 0}
    for number in range(first, first + count):
        chance = random.Random(f"{seed}:{number}")
        template, place = chance.choice(made), folder / "damaged"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(template.directory, place / "data")
        damaged, what = damage(place / "data", chance)
        try:
            outcomes[start_and_check(place, template, damaged, what)] += 1
        except Broken as broken:
            raise Broken(f"SEED={seed}:{number}: {broken}") from broken
        if number % 50 == 49:
            print(f"{number + 1} rounds, {outcomes}", flush=True)
    return outcomes


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", default="", help="SEED or SEED:ROUND, as a failure prints it")
    given = parser.parse_args(arguments)
    seed, _, first = given.seed.partition(":")
    number = int(seed) if seed else time.time_ns() % 1_000_000_007
    with tempfile.TemporaryDirectory(prefix="tidemark-damage-") as folder:
        try:
            print(rounds(Path(folder), number, int(first or 0), given.rounds), flush=True)
        except Broken as broken:
            print(broken, flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
