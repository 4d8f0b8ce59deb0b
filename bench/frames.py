"""`python -m bench.frames [API ...] [--list] [--brokers N]`: the Python frames on the way of a request.

A node in this process serves the raw requests of a connection without a socket. For each request, the
profiler counts the calls of Python functions in tidemark's packages, the files of these functions, and the
calls of `__init__`. It counts from the arrival of the request to the response, including the flush. The first
columns are of a request that arrives alone. "One more" is the cost of each further request in a chunk of
many.

--list prints the functions that one request calls, and how often.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from tests.unit.broker.whole import A_JOIN, Whole, a_commit, running
from tests.wire import request, response
from tidemark.clock import turn
from tidemark.log.storage import Storage
from tidemark.server.connection import Connection
from tidemark.server.session import SAMPLE, ServedVersion
from tidemark_protocol import to_dict
from tidemark_protocol.batch import BatchBuilder
from tidemark_testing.storage import MemoryStorage

PIPELINED: Final = 100
WARM: Final = 3  # times that a request is sent before one is counted: imports, caches
DEADLINE_S: Final = 20  # until a response must be there
OURS: Final = ("/tidemark/", "/tidemark_http/", "/tidemark_protocol/", "/tidemark_expiry/")
RECORDS: Final = 10


@dataclass(slots=True, frozen=True)
class Way:
    """The cost of one request. functions: the number of calls by "file:function"."""

    frames: float
    files: int
    constructors: float
    functions: dict[str, float]


def way_of(calls: Counter[tuple[str, str]], requests: int = 1) -> Way:
    """Return the mean way of this many requests that made these calls."""
    ours = {key: n / requests for key, n in calls.items() if any(package in key[0] for package in OURS)}
    return Way(
        sum(ours.values()),
        len({path for path, _ in ours}),
        sum(n for (_, name), n in ours.items() if name.endswith("__init__")),
        {f"{path[path.rindex('/tidemark') + 1 :]}:{name}": n for (path, name), n in ours.items()},
    )


class Wire:
    """A connection, and its transport, which keeps the responses.

    The transport of `tidemark.server.local` would add frames of its own to those of a request.
    """

    def __init__(self, whole: Whole) -> None:
        self._whole = whole
        self._connection: Connection = whole.server.local_connection()
        self._received = bytearray()
        self._connection.connection_made(self)  # type: ignore[arg-type]  # the part that it needs

    async def ask(self, api: str, version: int, value: dict[str, Any]) -> dict[str, Any]:
        await self.send(frame(api, version, value))
        return to_dict(response(api, version, bytes(self._received[4:])))

    async def send(self, *frames: bytes) -> Counter[tuple[str, str]]:
        """Send requests in one chunk and wait for their responses. Return the calls that were made."""
        calls: Counter[tuple[str, str]] = Counter()

        def seen(frame: Any, event: str, _: Any) -> None:
            if event == "call":
                calls[frame.f_code.co_filename, frame.f_code.co_qualname] += 1

        chunk = b"".join(frames)
        sys.setprofile(seen)
        try:
            await self.serve(chunk, len(frames))
        finally:
            sys.setprofile(None)
        return calls

    async def serve(self, chunk: bytes, requests: int) -> None:
        """Send a chunk of this many requests and wait for their responses."""
        self._received.clear()
        self._connection.data_received(chunk)
        deadline = time.monotonic() + DEADLINE_S
        while self._count() < requests and time.monotonic() < deadline:  # an Event adds frames
            await asyncio.sleep(0)
            time.sleep(0)  # noqa: ASYNC251  # lets the thread that syncs run
        assert self._count() == requests, "the broker has not answered"

    async def lead(self, node_id: int) -> None:
        """Let this broker lead all partitions, and receive what follows.

        Until then, with several brokers, the connection reaches all.
        """
        for topic in self._whole.state.cluster.topics.values():
            for partition in topic.partitions:
                await self.move_leader(topic.name, partition.index, node_id)

    async def move_leader(self, topic: str, partition: int, node_id: int) -> None:
        """Let this broker lead a partition, and receive what follows."""
        await self._whole.node.brokers.move_leader(topic, partition, node_id)
        session = self._connection.session
        session.caller = replace(session.caller, node_id=node_id)

    def served(self) -> Iterable[ServedVersion]:
        """Return the versions of APIs that were served so far."""
        return self._connection.router.served.values()

    def _count(self) -> int:
        """Return the number of responses that were received."""
        found = pos = 0
        while len(self._received) - pos >= 4:
            pos += 4 + int.from_bytes(self._received[pos : pos + 4], "big")
            found += pos <= len(self._received)
        return found

    # the transport

    def write(self, data: bytes) -> None:
        self._received += data

    def writelines(self, pieces: Iterable[bytes]) -> None:
        self._received += b"".join(pieces)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 0) if name in ("peername", "sockname") else default

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        raise AssertionError("the broker closed the connection")

    abort = close

    def drop(self) -> None:
        self._connection.connection_lost(None)


def frame(api: str, version: int, value: dict[str, Any]) -> bytes:
    return request(api, version, value)


# Each prepares the broker, and returns the request number n.
Prepared = Callable[[int], bytes]


async def offset_commit(wire: Wire) -> Prepared:
    return lambda n: frame("OffsetCommit", 8, a_commit("g", n))


async def offset_fetch(wire: Wire) -> Prepared:
    await wire.ask("OffsetCommit", 8, a_commit("g", 1))
    wanted = {"GroupId": "g", "Topics": [{"Name": "orders", "PartitionIndexes": [0]}]}
    return lambda n: frame("OffsetFetch", 7, wanted)


async def heartbeat(wire: Wire) -> Prepared:
    joined = await wire.ask("JoinGroup", 3, A_JOIN)
    member = {"GroupId": "g", "GenerationId": joined["GenerationId"], "MemberId": joined["MemberId"]}
    await wire.ask("SyncGroup", 3, member | {"Assignments": []})
    return lambda n: frame("Heartbeat", 3, member)


async def consumer_group_heartbeat(wire: Wire) -> Prepared:
    member = {"GroupId": "consumers", "MemberId": "m", "RebalanceTimeoutMs": -1}
    joining = {"RebalanceTimeoutMs": 60_000, "SubscribedTopicNames": ["orders"], "TopicPartitions": []}
    joined = await wire.ask("ConsumerGroupHeartbeat", 1, member | joining)
    return lambda n: frame("ConsumerGroupHeartbeat", 1, member | {"MemberEpoch": joined["MemberEpoch"]})


async def join_group(wire: Wire) -> Prepared:
    return lambda n: frame("JoinGroup", 3, A_JOIN | {"GroupId": f"new-{n}"})


async def produce(wire: Wire) -> Prepared:
    builder = BatchBuilder(0)
    for _ in range(RECORDS):
        builder.add(None, b"x" * 10)
    partition = {"Index": 0, "Records": builder.build(base_sequence=-1, leader_epoch=-1).hex()}
    wanted = {"Acks": -1, "TimeoutMs": 1000, "TopicData": [{"Name": "orders", "PartitionData": [partition]}]}
    return lambda n: frame("Produce", 9, wanted)


async def fetch(wire: Wire) -> Prepared:
    await wire.send((await produce(wire))(0))
    partition = {"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1 << 20}
    wanted = {
        "MaxWaitMs": 500,
        "MinBytes": 1,
        "MaxBytes": 1 << 20,
        "SessionEpoch": -1,
        "Topics": [{"Topic": "orders", "Partitions": [partition]}],
    }
    return lambda n: frame("Fetch", 12, wanted)


async def txn_offset_commit(wire: Wire) -> Prepared:
    await wire.ask("FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": ["t"]})
    begun = {"TransactionalId": "t", "TransactionTimeoutMs": 60_000}
    producer = await wire.ask("InitProducerId", 3, begun)
    ids = {"ProducerId": producer["ProducerId"], "ProducerEpoch": producer["ProducerEpoch"]}
    await wire.ask("AddOffsetsToTxn", 3, {"TransactionalId": "t", "GroupId": "g"} | ids)
    commit = {"PartitionIndex": 0, "CommittedOffset": 1, "CommittedMetadata": ""}
    topics = [{"Name": "orders", "Partitions": [commit]}]
    wanted = {"TransactionalId": "t", "GroupId": "g", "Topics": topics} | ids
    return lambda n: frame("TxnOffsetCommit", 3, wanted)


APIS: Final = {
    "OffsetCommit": offset_commit,
    "OffsetFetch": offset_fetch,
    "Heartbeat": heartbeat,
    "ConsumerGroupHeartbeat": consumer_group_heartbeat,
    "JoinGroup": join_group,
    "Produce": produce,
    "Fetch": fetch,
    "TxnOffsetCommit": txn_offset_commit,
}


@asynccontextmanager
async def prepared(
    api: str, brokers: int = 1, storage: Storage | None = None, **more: str
) -> AsyncIterator[tuple[Wire, Prepared]]:
    """Start brokers whose first one leads everything and receives the requests.

    storage: in memory if it is None. more: settings, with underscores for dots
    """
    settings = {
        "group_initial_rebalance_delay_ms": "0",
        "offsets_topic_num_partitions": "1",  # with several brokers there are 50
        "tidemark_brokers": f"{brokers}",
        "default_replication_factor": f"{brokers}",
    }
    async with running(storage or MemoryStorage(), **settings, **more) as whole:
        client = await whole.client()
        await client.make_topic()
        await client.find()
        wire = Wire(whole)
        make = await APIS[api](wire)
        await wire.lead(1)
        for n in range(WARM):
            await wire.send(make(n))
        for served in wire.served():
            served.unmeasured = SAMPLE - 1  # as after the first MEASURED_MAX requests
        await turn()
        yield wire, make
        wire.drop()


async def measured(api: str, brokers: int = 1) -> tuple[Way, Way]:
    """Return the way of a request alone, and of one more request behind others."""
    async with prepared(api, brokers) as (wire, make):
        alone = await wire.send(make(WARM))
        few = await wire.send(*(make(1_000 + n) for n in range(PIPELINED)))
        many = await wire.send(*(make(2_000 + n) for n in range(2 * PIPELINED)))
    many.subtract(few)
    return way_of(alone), way_of(+many, PIPELINED)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("apis", nargs="*", metavar="API", help=f"of {', '.join(APIS)}")
    parser.add_argument("--list", action="store_true", help="print the functions of one request, too")
    parser.add_argument("--brokers", type=int, default=1, metavar="N", help="brokers of the cluster")
    given = parser.parse_args(arguments)
    for api in given.apis:
        if api not in APIS:
            parser.error(f"{api!r} is none of {', '.join(APIS)}")
    print("| request | frames | files | constructors | one more: frames | files | constructors |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for api in given.apis or APIS:
        alone, more = asyncio.run(measured(api, given.brokers))
        cells = [f"{way.frames:.0f} | {way.files} | {way.constructors:.0f}" for way in (alone, more)]
        print(f"| {api} | {' | '.join(cells)} |")
        if given.list:
            for name, calls in sorted(alone.functions.items()):
                print(f"    {calls:5.1f} {more.functions.get(name, 0):5.1f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
