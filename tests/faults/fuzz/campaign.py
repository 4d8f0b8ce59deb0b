"""Random frames are sent to a running broker, and these conditions are checked.

    python -m tests.faults.fuzz.campaign --minutes 60 [--seed SEED[:ROUND]]

The process stays alive, its memory is bounded, and it logs no internal error. Each request gets a response
with its correlation id that can be decoded, or its connection is closed. Another client is served in time,
and after a restart everything that was acknowledged to it exists. Round i of a seed uses
Random(f"{seed}:{i}"); a failure is reported as SEED:ROUND with the last frames.
"""

from __future__ import annotations

import argparse
import random
import socket
import sys
import tempfile
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from struct import unpack
from typing import Final

from tests.broker_process import BrokerProcess
from tests.faults.fuzz.frames import API_VERSIONS, TOPICS, Frame, Frames, Learned
from tests.faults.fuzz.healthy import HealthyClient
from tests.wire import Connection
from tidemark_protocol.apis import API_NAMES
from tidemark_protocol.by_name import message_class
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.metadata import MetadataRequest
from tidemark_protocol.wire import WireError

RSS_BYTES_MAX: Final = 200 << 20
ANSWER_TIMEOUT_S: Final = 30.0
PARKED_S: Final = 0.02  # how long to wait for the response of a request that may be parked
PIPELINED_MAX: Final = 20
OPEN_CONNECTIONS_MAX: Final = 20  # connections with a parked request stay open for a while
LAST_FRAMES: Final = 25
LOOK_EVERY: Final = 20  # rounds between checks of memory
# Produce with acks=0 and null records has no response; the others may be parked.
SILENT: Final = frozenset((0, 1, 11, 14))
OWN_FAILURES: Final = (
    "a request failed", "Traceback", "Exception in", "cannot write", "never awaited", "never retrieved",
    "AssertionError", "compaction failed", "groups not served",
)  # fmt: skip
# Small logs, rolled and compacted all the time, so that written records are also read.
SETTINGS: Final = {
    "group.min.session.timeout.ms": "100",
    "log.cleaner.backoff.ms": "200",
    "log.cleaner.min.cleanable.ratio": "0.01",
    "offsets.topic.segment.bytes": str(1 << 20),
    "log.retention.check.interval.ms": "1000",
    "tidemark.sync": "never",
}


class Broken(AssertionError):
    """One of the conditions does not hold."""


@dataclass(slots=True)
class Outcome:
    """The results of a campaign."""

    rounds: int = 0
    frames: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    closed: int = 0
    parked: int = 0
    largest_rss: int = 0

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds, {self.frames} frames: {self.answers.total()} answers of"
            f" {len(self.answers)} APIs, {self.closed} connections closed,"
            f" {self.parked} left without an answer for now, at most {self.largest_rss >> 20} MB"
        )


class Campaign:
    """Rounds of frames against a running broker."""

    def __init__(self, broker: BrokerProcess, seed: int) -> None:
        self.broker = broker
        self.seed = seed
        self.outcome = Outcome()
        self.learned = Learned()
        self.last: deque[Frame] = deque(maxlen=LAST_FRAMES)
        self._open: deque[socket.socket] = deque()
        self._said = 0
        with Connection(broker.bootstrap) as connection:
            promised = connection.ask("ApiVersions", 3, ApiVersionsRequest("fuzz", "1")).api_keys
        self.served = [
            (API_NAMES[api.api_key], version)
            for api in promised
            for version in range(api.min_version, api.max_version + 1)
            if version in message_class(f"{API_NAMES[api.api_key]}Request").DECODERS
        ]
        self._of_api_versions = next(
            range(api.min_version, api.max_version + 1) for api in promised if api.api_key == API_VERSIONS
        )
        self.frames = Frames(self.served, self.learned)

    def run(self, until: float, first: int = 0, rounds: int | None = None) -> None:
        """Run rounds until that monotonic time, or this number of rounds. Raises Broken."""
        healthy = HealthyClient(self.broker.bootstrap)
        healthy.start()
        number = first
        try:
            while time.monotonic() < until and (rounds is None or number < first + rounds):
                self.round(number)
                if number % LOOK_EVERY == 0:
                    self.look(healthy)
                number += 1
        finally:
            healthy.stop()
            for each in self._open:
                each.close()
        self.look(healthy)
        self.restart(healthy)

    def round(self, number: int) -> None:
        """Open a connection, send some frames at once, and read their responses."""
        chance = random.Random(f"{self.seed}:{number}")
        try:
            frames = [self.frames.some(chance) for _ in range(chance.choice((1, 1, 2, 5, PIPELINED_MAX)))]
            if not all(frame.whole for frame in frames):
                frames = [next(frame for frame in frames if not frame.whole)]
            self.last.extend(frames)
            self.send(frames, chance)
            if number % 50 == 0:
                self._learn_topic_ids()
            self._listen()
        except (Broken, WireError, OSError, AssertionError, IndexError) as error:
            raise Broken(self._report(number, error)) from error
        self.outcome.rounds += 1
        self.outcome.frames += len(frames)

    def send(self, frames: list[Frame], chance: random.Random) -> None:
        host, _, port = self.broker.bootstrap.rpartition(":")
        connection = socket.create_connection((host, int(port)), timeout=ANSWER_TIMEOUT_S)
        keep = False
        try:
            connection.sendall(b"".join(frame.data for frame in frames))
            may_be_parked = any(frame.api_key in SILENT for frame in frames)
            if not frames[0].whole or (chance.random() < 0.05 and not may_be_parked):
                connection.shutdown(socket.SHUT_WR)
                _read_to_the_end(connection, PARKED_S if may_be_parked else ANSWER_TIMEOUT_S)
                return
            keep = self._take_answers(connection, frames)
        except (ConnectionResetError, BrokenPipeError):
            self.outcome.closed += 1
        finally:
            if keep:
                self._open.append(connection)
                if len(self._open) > OPEN_CONNECTIONS_MAX:
                    self._open.popleft().close()
            else:
                connection.close()

    def _take_answers(self, connection: socket.socket, frames: list[Frame]) -> bool:
        """Read responses. Return whether some are still missing."""
        owed = deque(frames)
        while owed:
            patience = ANSWER_TIMEOUT_S
            if owed[0].api_key in SILENT:
                patience = PARKED_S
            data = _frame(connection, patience)
            if data is None:
                if owed[0].api_key in SILENT:
                    self.outcome.parked += 1
                    return True
                raise Broken(f"no answer to {_name(owed[0])} within {ANSWER_TIMEOUT_S} s")
            if not data:
                self.outcome.closed += 1
                return False
            self._match(data, owed)
        return False

    def _match(self, data: bytes, owed: deque[Frame]) -> None:
        correlation_id: int = unpack(">i", data[:4])[0]
        while owed and owed[0].correlation_id != correlation_id and owed[0].api_key == 0:
            owed.popleft()
        if not owed or owed[0].correlation_id != correlation_id:
            expected = _name(owed[0]) if owed else "nothing"
            raise Broken(f"an answer with correlation id {correlation_id} where {expected} is due")
        self._decode(owed.popleft(), data)

    def _decode(self, frame: Frame, data: bytes) -> None:
        name = API_NAMES[frame.api_key]
        version = frame.version
        if frame.api_key == API_VERSIONS and version not in self._of_api_versions:
            version = 0
        known = message_class(f"{name}Response")
        start = 5 if version >= known.FLEXIBLE_FROM and frame.api_key != API_VERSIONS else 4
        response, end = known.DECODERS[version](data, start, len(data))
        if end != len(data):
            raise Broken(f"{len(data) - end} bytes behind the answer to {_name(frame)}")
        self.outcome.answers[name] += 1
        if name == "JoinGroup" and response.member_id:
            self.learned.member_ids.append(response.member_id)

    def _learn_topic_ids(self) -> None:
        with Connection(self.broker.bootstrap) as connection:
            topics = connection.ask("Metadata", 12, MetadataRequest(topics=None)).topics
        known = set(TOPICS)
        self.learned.topic_ids = [topic.topic_id for topic in topics if topic.name in known]

    def _listen(self) -> None:
        """Check that the new log lines have no internal error."""
        with self.broker.output.open("rb") as output:
            output.seek(self._said)
            said = output.read()
        self._said += len(said)
        text = said.decode(errors="replace")
        if any(failure in text for failure in OWN_FAILURES):
            raise Broken(f"it said:\n{text[-4000:]}")

    def look(self, healthy: HealthyClient) -> None:
        """Check memory and the other client."""
        try:
            resident = int(Path(f"/proc/{self.broker.pid}/statm").read_text().split()[1]) * 4096
        except FileNotFoundError:
            resident = 0
        self.outcome.largest_rss = max(self.outcome.largest_rss, resident)
        if not resident:
            raise Broken(
                self._report(self.outcome.rounds, "the process is gone:\n" + self.broker.said()[-4000:])
            )
        if resident > RSS_BYTES_MAX:
            raise Broken(self._report(self.outcome.rounds, f"{resident >> 20} MB resident"))
        if healthy.complaint:
            raise Broken(self._report(self.outcome.rounds, healthy.complaint))

    def restart(self, healthy: HealthyClient) -> None:
        """Check after kill -9, and after a clean stop, everything acknowledged to the healthy client."""
        try:
            self.broker.kill9()
            self.broker.restart()
            healthy.check(self.broker.bootstrap)
            self.broker.stop()
            self.broker.restart()
            healthy.check(self.broker.bootstrap)
            self._listen()
        except (AssertionError, RuntimeError, OSError) as error:
            raise Broken(self._report(self.outcome.rounds, f"after a restart: {error}")) from error

    def _report(self, number: int, what: object) -> str:
        frames = "\n".join(frame.data.hex()[:1500] for frame in self.last)
        return f"SEED={self.seed}:{number}: {what}\nthe last frames, the latest at the end:\n{frames}"


def _name(frame: Frame) -> str:
    return f"{API_NAMES.get(frame.api_key, frame.api_key)} v{frame.version} ({frame.correlation_id})"


def _frame(connection: socket.socket, patience_s: float) -> bytes | None:
    """Return the next response; b"" if the broker closes the connection, None after the timeout."""
    connection.settimeout(patience_s)
    try:
        first = connection.recv(1)
    except TimeoutError:
        return None
    connection.settimeout(ANSWER_TIMEOUT_S)
    if not first:
        return b""
    size: int = unpack(">i", first + _exactly(connection, 3))[0]
    return _exactly(connection, size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = connection.recv(min(size - len(data), 1 << 20))
        if not chunk:
            raise Broken(f"the connection ended within an answer, after {len(data)} of {size} bytes")
        data += chunk
    return bytes(data)


def _read_to_the_end(connection: socket.socket, patience_s: float) -> None:
    connection.settimeout(patience_s)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        if patience_s == ANSWER_TIMEOUT_S:
            raise Broken("a connection whose client has ended it stays open") from None


def campaign(folder: Path, seed: int, seconds: float, first: int = 0) -> Outcome:
    """Run a campaign on a broker of its own. Raises Broken."""
    broker = BrokerProcess(folder, SETTINGS, forked=False)
    broker.start()
    try:
        running = Campaign(broker, seed)
        running.run(time.monotonic() + seconds, first)
        return running.outcome
    finally:
        broker.stop()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", default="", help="SEED or SEED:ROUND, as a failure tells it")
    given = parser.parse_args(arguments)
    seed, _, first = given.seed.partition(":")
    end = time.monotonic() + given.minutes * 60
    number = int(seed) if seed else time.time_ns() % 1_000_000_007
    while time.monotonic() < end:
        print(f"SEED={number}", flush=True)
        with tempfile.TemporaryDirectory(prefix="tidemark-fuzz-") as folder:
            try:
                outcome = campaign(Path(folder), number, min(300.0, end - time.monotonic()), int(first or 0))
            except Broken as broken:
                print(broken, flush=True)
                return 1
        print(outcome, flush=True)
        number, first = number + 1, ""
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
