"""Compare our share partition with Kafka's class, or record what that returns.

`python -m tests.conformance.share_partitions.record` writes tests/golden/share_partitions.jsonl.gz.
`python -m tests.conformance.share_partitions.record SEED COUNT` compares scripts and shrinks what differs.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.conformance.by_release import golden, write_golden
from tests.conformance.share_partitions.generated import RARE, generated
from tests.conformance.share_partitions.scripts import Line, Script, normal, played
from tests.kafka_oracle import KAFKA_VERSION, java

PROGRAM: Final = Path(__file__).with_name("Partitions.java")
RECORDED: Final = 300


class Kafka:
    """Plays scripts on Kafka's class."""

    def __enter__(self) -> Kafka:
        command = java(str(PROGRAM))
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_: object) -> None:
        self._program.communicate()

    def played(self, script: Script) -> list[Line]:
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps(script).encode() + b"\n")
        self._program.stdin.flush()
        return normal(script, json.loads(self._program.stdout.readline()))


def recorded() -> list[Any]:
    """Return the recorded scripts with what Kafka returned."""
    with gzip.open(golden("share_partitions.jsonl.gz", KAFKA_VERSION), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def difference(script: Script, kafkas: list[Line]) -> tuple[int, Any, Any] | None:
    """Return the first line that differs: its number, ours, and Kafka's (as `Kafka.played` returns them).

    If Kafka throws, and leaves another state than we do, the lines after it are not compared.
    """
    pairs = zip(normal(script, played(script)), kafkas, strict=False)
    for number, (our, their) in enumerate(pairs):
        if our == their:
            continue
        if str(their[0]).startswith("throws"):
            if our[1:] == their[1:]:
                continue
            return None
        return number, our, their
    return None


def shrunk(kafka: Kafka, script: Script) -> Script:
    """Return a script with fewer operations that still differs."""

    def differs(each: Script) -> bool:
        return difference(each, kafka.played(each)) is not None

    size = len(script["operations"])
    while size:
        size //= 2
        for part in ("operations", "stored"):
            at = 0
            while at < len(script[part]):
                fewer = script[part][:at] + script[part][at + max(1, size) :]
                shorter = {**script, part: fewer}
                if differs(shorter):
                    script = shorter
                else:
                    at += max(1, size)
    return script


def compare(first: int, count: int) -> int:
    compared, different, thrown = 0, 0, Counter[str]()
    with Kafka() as kafka:
        for seed in range(first, first + count):
            compared += 1
            script = generated(seed)
            kafkas = kafka.played(script)
            for operation, line in zip(script["operations"], kafkas[1:], strict=False):
                if str(line[0]).startswith("throws"):
                    thrown[f"{operation[0]} {line[0]}"] += 1
            if difference(script, kafkas) is None:
                continue
            different += 1
            script = shrunk(kafka, script)
            _show(seed, script, kafka.played(script))
            if different == 5:
                break
    print(f"{compared} scripts, {different} differ; {dict(thrown)}")
    return min(1, different)


def _show(seed: int, script: Script, kafkas: list[Line]) -> None:
    found = difference(script, kafkas)
    assert found is not None
    number, ours, theirs = found
    print(f"\nseed {seed}, operation {number}")
    for name, value in script.items():
        if name != "operations":
            print(f"  {name}: {json.dumps(value)[:800]}")
    for operation, line in zip([["new"], *script["operations"]], kafkas, strict=False):
        print("  ", json.dumps(operation))
        print("       ", json.dumps(line))
    print("  kafka", json.dumps(theirs))
    print("  ours ", json.dumps(ours))


def lines() -> Iterator[bytes]:
    with Kafka() as kafka:
        for script in [*RARE, *map(generated, range(RECORDED))]:
            line = {"script": script, "lines": kafka.played(script)}
            yield json.dumps(line, separators=(",", ":")).encode() + b"\n"


def main(arguments: list[str]) -> int:
    if arguments:
        return compare(int(arguments[0]), int(arguments[1]))
    print(write_golden("share_partitions.jsonl.gz", b"".join(lines())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
