"""One file of a data directory is damaged: the broker recovers, or refuses to start with one line.

python -m tests.faults.fuzz.damage --rounds 1000 [--seed SEED[:ROUND]]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

from tests.broker_process import BrokerProcess
from tests.clients.load import (
    Committer,
    IdempotentProducer,
    LoadClient,
    Member,
    Producer,
    TopicMaker,
    until_cut_off,
)
from tests.faults.fuzz.campaign import OWN_FAILURES, Broken
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.metadata import MetadataRequest
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

LOAD_S: Final = 1.0
STOP_WITHIN_S: Final = 20
SETTINGS: Final = {
    "log.segment.bytes": str(1 << 20),
    "offsets.topic.segment.bytes": str(1 << 20),
    "log.cleaner.backoff.ms": "300",
    "log.cleaner.min.cleanable.ratio": "0.01",
    "group.min.session.timeout.ms": "1000",
}
# An unreadable partition of __consumer_offsets is not served, and is logged. That is no failure.
ALLOWED: Final = ("groups not served",)
ODD_NAMES: Final = (
    "abc.log", "-1.log", "00000000000000000000.log.cleaned", "99999999999999999999999.log",
    "00000000000000000007.snapshot", "x.snapshot", "00000000000000000003.index",
    "leader-epoch-checkpoint.tmp",
    "00000000000000000000-0000000009.checkpoint", "00000000000000000000.log.swap", "é.log",
)  # fmt: skip


def templates(folder: Path) -> list[Path]:
    """Return data directories of a broker under load: after a kill, and after a clean stop."""
    made = []
    for how in ("killed", "stopped"):
        broker = BrokerProcess(folder / how, SETTINGS)
        broker.start()
        with Connection(broker.bootstrap) as connection:
            create = CreateTopicsRequest([CreatableTopic("orders", 2, 1), CreatableTopic("records", 2, 1)])
            assert {t.error_code for t in connection.ask("CreateTopics", 7, create).topics} == {
                ErrorCode.NONE
            }
            connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="any"))
        asyncio.run(_load(broker))
        if how == "killed":
            broker.kill9()
        else:
            broker.stop()
        made.append(broker.data_dir)
    return made


async def _load(broker: BrokerProcess) -> None:
    clients: list[LoadClient] = [
        Committer("group", "orders", 2, metadata_bytes=1000),
        Producer("records", 0, value_bytes=10_000),
        IdempotentProducer("records", 1),
        TopicMaker("made"),
        Member("members"),
    ]
    running = [asyncio.create_task(until_cut_off(client, broker.bootstrap)) for client in clients]
    await asyncio.sleep(LOAD_S)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def damage(directory: Path, chance: random.Random) -> str:
    """Damage one file or its name. Return a description."""
    path = _any_file(directory, chance)
    name = path.relative_to(directory)
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data)) if data else 0
    kind = chance.randrange(10)
    if kind == 8:
        path.unlink()
        return f"{name}: gone"
    if kind == 9:
        other = path.with_name(chance.choice([each for each in ODD_NAMES if each != path.name]))
        shutil.copyfile(path, other)
        return f"{name}: also called {other.name}"
    what = _change(data, at, kind, chance)
    path.write_bytes(data)
    return f"{name}: {what}"


def _any_file(directory: Path, chance: random.Random) -> Path:
    """Choose a file; each kind of file is equally likely."""
    by_kind: dict[str, list[Path]] = {}
    for path in sorted(path for path in directory.rglob("*") if path.is_file() and path.name != ".lock"):
        by_kind.setdefault(path.suffix or path.name, []).append(path)
    return chance.choice(by_kind[chance.choice(sorted(by_kind))])


def _change(data: bytearray, at: int, kind: int, chance: random.Random) -> str:
    match kind:
        case 2:
            if data:
                data[at] ^= 1 << chance.randrange(8)
            return f"a bit of byte {at}"
        case 3:
            del data[at:]
            return f"cut at {at}"
        case 4:
            data += chance.choice((bytes(100), chance.randbytes(100), bytes(data[:200])))
            return "something behind"
        case 5:
            size = chance.choice((1, 16, 4096))
            data[at : at + size] = bytes(len(data[at : at + size]))
            return f"{size} zeros at {at}"
        case 6:
            data.clear()
            return "empty"
        case 7:
            data[:] = chance.randbytes(chance.choice((1, 20, 300)))
            return "other bytes"
    for _ in range(chance.randint(1, 4)):
        if data:
            data[chance.randrange(len(data))] = chance.choice((0, 0x7F, 0xFF, chance.randrange(256)))
    return "bytes changed"


def start_and_stop(folder: Path, what: str) -> str:
    """Start and stop the broker. Return "refused" or "served". Raises Broken for anything else."""
    broker = BrokerProcess(folder, SETTINGS)
    try:
        try:
            broker.start()
        except RuntimeError as error:
            return _refused(broker, what, error)
        try:
            ask_for_everything(broker)
        except (AssertionError, OSError) as error:
            raise Broken(f"{what}: {error!r}\n{broker.said()[-3000:]}") from error
        broker.terminate()
        code = broker.wait(STOP_WITHIN_S)
        said = broker.said()
        if code or _failure_in(said):
            raise Broken(f"{what}: exit code {code}, it said\n{said[-3000:]}")
        return "served"
    finally:
        if broker.started:
            broker.kill9()


def _refused(broker: BrokerProcess, what: str, error: RuntimeError) -> str:
    said = broker.said()
    lines = [line for line in said.splitlines() if line.startswith("tidemark: ")]
    if broker.started or broker.wait(1) != 1 or len(lines) != 1 or _failure_in(said):
        raise Broken(f"{what}: {error}")
    return "refused"


def _failure_in(said: str) -> bool:
    return any(failure in said for failure in OWN_FAILURES if failure not in ALLOWED)


def ask_for_everything(broker: BrokerProcess) -> None:
    """Read everything once. Error codes are fine, a closed connection is not."""
    with Connection(broker.bootstrap) as connection:
        topics = connection.ask("Metadata", 12, MetadataRequest(topics=None)).topics
        for topic in topics:
            for index in range(len(topic.partitions)):
                _read(connection, topic.name, index)
        connection.ask("ListGroups", 4, ListGroupsRequest())
        requested = [OffsetFetchRequestGroup(group, topics=None) for group in ("group", "members")]
        connection.ask("OffsetFetch", 8, OffsetFetchRequest(groups=requested))


def _read(connection: Connection, topic: str, index: int) -> None:
    for offset in (0, 10, 500, 5000):
        part = FetchPartition(index, fetch_offset=offset, partition_max_bytes=1 << 20)
        requested = FetchRequest(
            max_wait_ms=0, min_bytes=0, topics=[FetchTopic(topic=topic, partitions=[part])]
        )
        connection.ask("Fetch", 11, requested)


def rounds(folder: Path, seed: int, first: int, count: int, until: float = float("inf")) -> Counter[str]:
    """Run the rounds. Return the number of each outcome. Raises Broken with SEED:ROUND."""
    made = templates(folder)
    outcomes: Counter[str] = Counter()
    for number in range(first, first + count):
        if time.monotonic() > until:
            break
        chance = random.Random(f"{seed}:{number}")
        place = folder / "damaged"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(chance.choice(made), place / "data")
        what = damage(place / "data", chance)
        try:
            outcomes[start_and_stop(place, what)] += 1
        except Broken as broken:
            raise Broken(f"SEED={seed}:{number}: {broken}") from broken
        if number % 50 == 49:
            print(f"{number + 1} rounds, {dict(outcomes)}", flush=True)
    return outcomes


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", default="", help="SEED or SEED:ROUND, as a failure tells it")
    parser.add_argument("--go-on", action="store_true", help="tell of each failure, and go on")
    given = parser.parse_args(arguments)
    seed, _, first = given.seed.partition(":")
    number = int(seed) if seed else time.time_ns() % 1_000_000_007
    at, failed = int(first or 0), 0
    end = at + given.rounds
    while at < end:
        with tempfile.TemporaryDirectory(prefix="tidemark-damage-") as folder:
            try:
                print(rounds(Path(folder), number, at, end - at), flush=True)
                break
            except Broken as broken:
                print(broken, flush=True)
                failed += 1
                if not given.go_on:
                    break
                at = int(str(broken).partition(":")[2].partition(":")[0]) + 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
