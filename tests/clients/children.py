"""The test's side of a child that drives a client library (clients/child.py documents the protocol)."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.clientenv import client_python

CLIENTS: Final = Path(__file__).parent / "clients"
SCRIPTS: Final = {
    "kafka-python-ng": "with_kafka_python.py",
    "kafka-python": "with_kafka_python.py",
    "aiokafka": "with_aiokafka.py",
    "confluent-kafka": "with_confluent_kafka.py",
}
Fact = dict[str, Any]


def python_client(client: str) -> list[str]:
    """Return the command line of a child with this library, without its arguments."""
    return [str(client_python(client)), "-u", str(CLIENTS / SCRIPTS[client])]


class Child:
    """One process with one client. `facts` are the reports of the child so far.

    arguments: the address of the broker, then settings of the client.
    """

    def __init__(
        self,
        program: Sequence[str],
        arguments: Sequence[str],
        folder: Path,
        name: str,
        told: threading.Condition | None = None,
    ) -> None:
        """told: is notified of each fact, so that a test can wait for several children at once."""
        self.name = name
        self.facts: list[Fact] = []
        self._told = told or threading.Condition()
        self._complaints = folder / f"{name}.err"
        with self._complaints.open("wb") as complaints:
            self._process = subprocess.Popen(
                [*program, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def begin(self, **command: Any) -> None:
        """Send a command without waiting."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def ask(self, until: str, timeout_s: float = 60, **command: Any) -> Fact:
        """Send a command. Return the first fact of kind `until`."""
        before = len(self.facts)
        self.begin(**command)
        return self.wait_for(until, after=before, timeout_s=timeout_s)

    def wait_for(self, event: str, after: int = 0, timeout_s: float = 60) -> Fact:
        """Return the first fact of this kind after the first `after` facts."""
        found: list[Fact] = []

        def result() -> bool:
            found[:] = [fact for fact in self.facts[after:] if fact["event"] == event][:1]
            return bool(found)

        self.wait_until(result, f"{self.name} to tell {event!r}", timeout_s)
        return found[0]

    def wait_until(self, reached: Callable[[], bool], what: str, timeout_s: float = 60) -> None:
        """Wait for a condition on the facts, which is checked after each new fact."""
        deadline = time.monotonic() + timeout_s
        with self._told:
            while not reached():
                left = deadline - time.monotonic()
                if left <= 0 or self.has_ended():
                    last = [str(fact)[:300] for fact in self.facts[-8:]]
                    raise AssertionError(
                        f"waited in vain for {what}; last {last}; stderr {self.complaints()}"
                    )
                self._told.wait(min(left, 0.2))

    def has_ended(self) -> bool:
        """Return whether the process has ended and all of its facts were read."""
        return self._process.poll() is not None and not self._reader.is_alive()

    def stop_consuming(self) -> None:
        """Close the consumer cleanly, so that it leaves its group."""
        self.ask("closed", do="stop")

    def kill9(self) -> None:
        self._process.kill()
        self._end()

    def close(self) -> None:
        """Close stdin, which ends the child. Kill it if it does not end in time."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(10)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self._process.kill()
        self._end()

    def freeze(self) -> None:
        """Stop the process, as a long pause of its machine does, until `thaw`."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def complaints(self) -> str:
        return self._complaints.read_text(errors="replace")[-2000:]

    def _end(self) -> None:
        self._process.wait()
        self._reader.join(10)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            fact = json.loads(line)
            with self._told:
                self.facts.append(fact)
                self._told.notify_all()
