"""Client libraries copy records in transactions while brokers stop, start, and hand over what they lead.

Producers, consumers and their commits must survive what they survive on Kafka: each record has one copy, in
the order of its source. TIDEMARK_TEST_ROUNDS is the number of rounds, shared by the libraries, and
TIDEMARK_TEST_SEED the first seed. `make moves ROUNDS=50` is a long run with all libraries.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.copiers import (
    LIBRARIES,
    SETTINGS,
    SOURCE_PARTITIONS,
    TARGET_PARTITIONS,
    Copier,
    Round,
    coordinator_of,
    leader_of,
)
from tests.clients.test_exactly_once import FOREIGN
from tidemark_protocol.errors import ErrorCode

ROUNDS: Final = int(os.environ.get("TIDEMARK_TEST_ROUNDS", f"{len(LIBRARIES)}"))
SEED: Final = int(os.environ.get("TIDEMARK_TEST_SEED", "1"))
FAULTS: Final = 5 if "TIDEMARK_TEST_ROUNDS" in os.environ else 2  # of a round
SECONDS_PER_ROUND: Final = 180  # at most, on a busy machine
MOVES_MAX: Final = 5
OURS: Final = "raw"  # the client id of tests.wire
BROKERS: Final = (1, 2, 3)
# When a coordinator stops while they send offsets to a transaction, they may wait forever. Observed on three
# nodes of Kafka 4.3.1, too.
HANGING: Final = ("confluent-kafka", "kafka-python")
SESSION_MS: Final = 1000
SESSION_ENDS_S: Final = 30
HANGS_S: Final = 10  # more than the timeout of a transaction
# Requests that reached a broker after it had lost what they were for.
HITS: Final = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR)

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(300 + ROUNDS * SECONDS_PER_ROUND)]


class MovingRound(Round):
    """A round on three brokers. Its faults are those of brokers, and a kill of their process."""

    replicas = len(BROKERS)
    _broker: BrokerProcess

    def _kinds(self) -> list[Callable[[Copier], None]]:
        return [
            self._stop_a_broker,
            self._kill_a_broker,
            self._cut_off_a_broker,
            self._move_leaders,
            self._move_coordinators,
            self._restart_all,
            self._kill_broker,
        ]

    def _stop_a_broker(self, _: Copier) -> None:
        """Stop a broker while the others serve, and start it again after they have copied something."""
        self._while_away("stop", "start")

    def _kill_a_broker(self, _: Copier) -> None:
        """The same, but others lead its partitions only when its session has ended."""
        self._while_away("kill", "start")

    def _cut_off_a_broker(self, _: Copier) -> None:
        """Let a broker serve without the controller, until its session has ended."""
        self._while_away("cut_off", "reconnect", {"from": "controller"})

    def _while_away(self, leave: str, come_back: str, how: dict[str, str] | None = None) -> None:
        node_id = self._chance.choice(BROKERS)
        self._post(f"{node_id}/{leave}", **(how or {}))
        deadline = time.monotonic() + SESSION_ENDS_S
        while self._leads_anything(node_id):
            assert time.monotonic() < deadline, f"broker {node_id} still leads"
            time.sleep(0.05)
        self._write_burst()
        self._wait("the others to copy", self._all_committed)
        self._count_hits()
        self._post(f"{node_id}/{come_back}")

    def _leads_anything(self, node_id: int) -> bool:
        with urllib.request.urlopen(f"http://{self._broker.http}/v1/brokers", timeout=30) as response:
            found = {each["node_id"]: each for each in json.load(response)["brokers"]}[node_id]
        return any(found[name] for name in ("leads", "group_partitions", "transaction_partitions"))

    def _move_leaders(self, _: Copier) -> None:
        def move() -> None:
            for topic, partitions in ((self.source, SOURCE_PARTITIONS), (self.target, TARGET_PARTITIONS)):
                for partition in range(partitions):
                    self._move_leader(topic, partition)

        self._until_hit(move)

    def _move_coordinators(self, _: Copier) -> None:
        def move() -> None:
            to = self._another(coordinator_of(self._broker.bootstrap, self.name))
            self._post("coordinator", group=self.name, to=to)
            for partition in range(int(SETTINGS["transaction.state.log.num.partitions"])):
                self._move_leader("__transaction_state", partition)

        self._until_hit(move)

    def _until_hit(self, move: Callable[[], None]) -> None:
        """Move until a client notices: one that reads the metadata just after a move sees no error."""
        for _ in range(MOVES_MAX):
            move()
            self._serve_after()
            if self.hits:
                break

    @property
    def hits(self) -> int:
        return sum(self.outcome.events[error.name] for error in HITS)

    def _move_leader(self, topic: str, partition: int) -> None:
        to = self._another(leader_of(self._broker.bootstrap, topic, partition))
        self._post("leader", topic=topic, partition=partition, to=to)

    def _another(self, address: str | None) -> int:
        """Draw the id of a broker with another address."""
        assert address is not None, "all brokers run"
        port = address.rpartition(":")[2]
        ports = [each.rpartition(":")[2] for each in self._broker.bootstrap.split(",")]
        return self._chance.choice([node_id for node_id in BROKERS if ports[node_id - 1] != port])

    def _restart_all(self, _: Copier) -> None:
        self._post("restart")
        self._serve_after()

    def _serve_after(self) -> None:
        self._write_burst()
        self._wait("the copiers to go on", self._all_committed)
        self._count_hits()

    def _revive(self, copier: Copier) -> None:
        super()._revive(copier)
        last = copier.child.facts[-1] if copier.child.facts else None
        if (
            self._name in HANGING
            and last is not None
            and last["event"] in ("begun", "sent", "offsets")
            and time.monotonic() - last["at"] > HANGS_S
        ):
            self.outcome.events["replaced"] += 1
            self._kill_copier(copier)

    def _count_hits(self) -> None:
        for error in HITS:
            address = f"http://{self._broker.http}/v1/requests?messages=false&limit=1000&error={error.name}"
            with urllib.request.urlopen(address, timeout=30) as response:
                found = json.load(response)["requests"]
            self.outcome.events[error.name] += sum(self._is_of_a_client(each) for each in found)

    def _is_of_a_client(self, request: dict[str, Any]) -> bool:
        return not str(request["client_id"]).startswith(OURS)

    def _post(self, path: str, **body: Any) -> None:
        address = f"http://{self._broker.http}/v1/brokers/{path}"
        try:
            urllib.request.urlopen(address, json.dumps(body).encode(), timeout=30).close()
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{path} {body}: {refused.read().decode()}") from None


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[BrokerProcess]:
    settings = {**SETTINGS, "tidemark.brokers": f"{len(BROKERS)}", "tidemark.test.api": "true"}
    settings["broker.session.timeout.ms"] = f"{SESSION_MS}"
    running = BrokerProcess(tmp_path, settings)
    running.start()
    yield running
    running.stop()
    print(running.said()[-5000:])


@pytest.mark.parametrize("library", [pytest.param(name, marks=FOREIGN.get(name, [])) for name in LIBRARIES])
def test_each_record_is_copied_exactly_once_while_brokers_come_and_go(
    brokers: BrokerProcess, tmp_path: Path, library: str
) -> None:
    for seed in range(SEED, SEED + ROUNDS, len(LIBRARIES)):
        moved = MovingRound(brokers, library, tmp_path, seed)
        try:
            moved.run(FAULTS)
        finally:
            print(f"TIDEMARK_TEST_SEED={seed} {library}, {moved.protocol}: {moved.outcome}")
        struck = {fault.partition(" ")[0] for fault in moved.outcome.faults}
        if struck & {"move_leaders", "move_coordinators"}:
            assert moved.hits, moved.outcome
