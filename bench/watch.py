"""Time and memory of `tidemark watch` on a large cluster: `python -m bench.watch [GROUPS]` (100,000).

Each group has committed six partitions. The cluster is a tidemark of its own on this machine.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Final

from bench.host import cpu_seconds, resident_megabytes
from tests.broker_process import BrokerProcess
from tests.pipeline import kafka_story as story
from tests.watch_process import WatchProcess
from tests.wire import Connection, request
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

GROUPS: Final = 100_000
PARTITIONS: Final = 6
IN_FLIGHT: Final = 200
REST_S: Final = 10
SETTINGS: Final = {"offsets.topic.num.partitions": "50", "tidemark.sync": "never"}


def main(groups: int) -> None:
    with tempfile.TemporaryDirectory(prefix="tidemark-bench-") as name:
        folder = Path(name)
        broker = BrokerProcess(folder / "broker", SETTINGS)
        broker.start()
        try:
            with Connection(broker.bootstrap) as kafka:
                _commit(kafka, groups)
            began = time.monotonic()
            with WatchProcess(folder / "watch", broker.bootstrap) as watch:
                took_s = time.monotonic() - began
                spent_s = cpu_seconds(watch.pid)
                offsets = watch.get("/v1/broker")["offsets"]
                print(f"{offsets:,} offsets of {groups:,} groups were read {took_s:.1f} s after the start")
                print(f"CPU time {spent_s:.1f} s, memory {resident_megabytes(watch.pid):.0f} MB")
                time.sleep(REST_S)
                idle = (cpu_seconds(watch.pid) - spent_s) / REST_S
                print(f"CPU while nothing is committed: {idle:.1%} of a core, with a look every 200 ms")
        finally:
            broker.stop()


def _commit(kafka: Connection, groups: int) -> None:
    story.create(kafka, {"orders": PARTITIONS})
    story.until_ready(partial(kafka.ask, "FindCoordinator", 3, FindCoordinatorRequest("any", 0)))
    for first in range(0, groups, IN_FLIGHT):
        last = min(first + IN_FLIGHT, groups)
        commits = (
            story.commit_request(f"group-{number:06d}-of-a-team", dict.fromkeys(range(PARTITIONS), number))
            for number in range(first, last)
        )
        kafka.send(b"".join(request("OffsetCommit", 8, each) for each in commits))
        for _ in range(first, last):
            kafka.answer()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else GROUPS)
