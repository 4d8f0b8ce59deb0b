"""Read and write the recorded responses, and run many cases at once.

recorded/<module>.json has what the usual release of Kafka responds. recorded/<release>/<case>.json exists for
each case to which another release responds differently.
"""

from __future__ import annotations

import json
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from tests.conformance.by_release import changed
from tests.conformance.case import Broker, Case, Restarting, outcome
from tests.kafka_oracle import KAFKA_VERSION

MODULES_FOLDER: Final = Path(__file__).parent / "recorded"
DRAWS_MAX: Final = 12  # each run has at least one chance in four
BUSY_RUNS_MAX: Final = 6
WATCH_S: Final = 0.02
DELAY_S: Final = 0.1  # cases have sessions of 500 ms, and quiet times of 300
AT_ONCE: Final = 6  # most cases wait for a timer or for the broker, not for a core

# Settings of both brokers, in addition to kafka_oracle.NODE_SETTINGS.
BASE_SETTINGS: Final = {
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "log.retention.ms": "-1",  # the cases' records are old, so that their bytes are the same in every run
}

# Settings of both clusters, in addition to kafka_oracle.CLUSTER_SETTINGS.
CLUSTER_SETTINGS: Final = {
    "offsets.topic.num.partitions": "6",
    "transaction.state.log.num.partitions": "6",
    "group.consumer.assignment.interval.ms": "0",
}

Kept = list[dict[str, Any]]


def by_settings(cases: Iterable[Case]) -> list[tuple[dict[str, str], list[Case]]]:
    """Group the cases that can share a broker or a cluster, with the settings of it."""
    together: dict[tuple[Any, ...], list[Case]] = {}
    for found in cases:
        shared = found.brokers, found.kills, found.restarts, tuple(sorted(found.settings.items()))
        together.setdefault(shared, []).append(found)
    return [(_settings(found[0]), found) for _, found in sorted(together.items(), key=lambda each: each[0])]


def _settings(case: Case) -> dict[str, str]:
    return {**BASE_SETTINGS, **(CLUSTER_SETTINGS if case.brokers > 1 else {}), **case.settings}


def outcomes(
    cases: list[Case], broker: Broker, at_once: int = AT_ONCE, events: Sequence[Callable[[], None]] = ()
) -> dict[str, Kept | str]:
    """Return what each case kept, or the traceback of its failure.

    events: happen where the cases yield: the broker restarts, or a broker of a cluster stops and starts.
    """
    with ThreadPoolExecutor(at_once) as pool:
        if cases and cases[0].restarts:
            assert events, f"{cases[0].name} needs a broker that can be restarted"
            running = [Restarting(c, broker) for c in cases]
            list(pool.map(Restarting.go_on, running))
            for event in events:
                event()
                list(pool.map(Restarting.go_on, running))
            return {each.name: as_json(each.result()) for each in running}
        found = pool.map(lambda c: _outcome(c, broker), cases)
        return {c.name: kept for c, kept in zip(cases, found, strict=True)}


def as_json(kept: Kept | str) -> Kept | str:
    """Convert to JSON and back, so that the value is the same as one read from a file."""
    converted: Kept | str = json.loads(json.dumps(kept))
    return converted


def _outcome(found: Case, broker: Broker) -> Kept | str:
    try:
        return as_json(outcome(found, broker))
    except Exception:  # noqa: BLE001 - any failure is the result of that case, and the others continue
        return traceback.format_exc(limit=-4)


def responses_of(
    cases: list[Case], run: Callable[[list[Case], int], dict[str, Kept | str]], recorded: dict[str, Kept]
) -> dict[str, Kept | str]:
    """Return what a broker responds. run(cases, at_once) starts a broker for some cases.

    Cases that missed a time span run again, one at a time. So do cases that differ from Kafka if the machine
    was too busy meanwhile, because a session may have ended before its next heartbeat was sent; and cases
    that drew another outcome than Kafka.
    """
    with Watch() as watch:
        found = run(cases, AT_ONCE)
    if again := late(cases, found):
        found |= run(again, 1)

    def differ() -> list[Case]:
        return [c for c in cases if not c.differs and not c.draws and found[c.name] != recorded.get(c.name)]

    for case in differ() if watch.saw_delay else ():
        for _ in range(BUSY_RUNS_MAX):
            with Watch() as watch:
                found |= run([case], 1)
            if found[case.name] == recorded.get(case.name) or not watch.saw_delay:
                break
    for _ in range(DRAWS_MAX):
        again = [c for c in cases if c.draws and found[c.name] != recorded.get(c.name)]
        if not again:
            break
        found |= run(again, 1)
    return found


class Watch:
    """Measures in a thread of its own whether the machine runs threads in time."""

    def __init__(self) -> None:
        self.saw_delay = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        before = time.monotonic()
        while not self._ended.wait(WATCH_S):
            now = time.monotonic()
            self.saw_delay |= now - before > WATCH_S + DELAY_S
            before = now


def late(cases: Iterable[Case], found: dict[str, Kept | str]) -> list[Case]:
    """Return the cases that missed a time span (Peer.took).

    The cause is a wrong broker, or a machine that was busy with the other cases. A second run of these
    cases alone shows which.
    """
    return [c for c in cases if not c.differs and any(map(_is_late, found[c.name]))]


def _is_late(step: Any) -> bool:
    return isinstance(step, dict) and any(
        name.endswith(" ms later") and value is not True for name, value in step.items()
    )


def read(version: str = KAFKA_VERSION) -> dict[str, Kept]:
    """Return every recorded case of this version of Kafka."""
    found: dict[str, Kept] = {}
    for path in sorted(MODULES_FOLDER.glob("*.json")):
        found |= json.loads(path.read_text())
    return found | {name: case.responses for name, case in changed(MODULES_FOLDER, version).items()}


def write(module: str, responses: dict[str, Kept]) -> None:
    """Write one file of the usual release, with a line for each kept value, so that diffs are readable."""
    cases = [f"{json.dumps(name)}: {as_lines(responses[name])}" for name in sorted(responses)]
    (MODULES_FOLDER / f"{module}.json").write_text("{\n " + ",\n ".join(cases) + "\n}\n")


def as_lines(kept: Kept) -> str:
    return "[\n  " + ",\n  ".join(json.dumps(step, ensure_ascii=False) for step in kept) + "\n ]"
