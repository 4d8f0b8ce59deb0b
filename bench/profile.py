"""`python -m bench.profile [--shape 64x16] [--write]`: the time of one OffsetCommit, step by step.

The broker runs under the load twice: unchanged, to measure the CPU time of a commit, and sampled
(bench/sampled.py), to measure the share of each step. --write writes the table to docs/performance.md,
between `<!-- profile -->` and `<!-- profile: end -->`.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

from bench import load
from bench.commits import commits
from bench.rows import OURS, Effort
from bench.servers import SERVER_CORE, Ours, create_topic
from tests.broker_process import BrokerProcess

DOCUMENT: Final = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
PLACE: Final = re.compile(r"(<!-- profile -->\n).*?(<!-- profile: end -->)", re.DOTALL)
EFFORT: Final = Effort(warmup_ms=1000, measure_ms=10_000)
OTHER: Final = "anything else"
OTHERS_SHOWN: Final = 8
BUDGET_TOTAL_US: Final = 1e6 / 150_000

# The steps of a commit (docs/architecture.md, section 4), the budget of each in us, and the functions that it
# owns. A sample belongs to the step that owns the innermost of its frames.
STEPS: Final = (
    ("receive: the loop, recv, the Context", 0.50, (
        r"server/connection.py:Connection\.(data_received|_serve)", r"server/listener.py:.*received",
        r"server/router.py:Router\.enter", r"tidemark/clock.py:")),
    ("frames: cut, header, PendingResponse", 0.70, (
        r"server/session.py:Session\.(receive|_slot|held)", r"server/session.py:PendingResponse\.")),
    ("decode the body", 0.85, (r"messages/.*:.*decode_", r"messages/.*Request.*\.__init__")),
    ("dispatch, submit", 0.45, (
        r"server/router.py:Router\.(dispatch|resolve)",
        r"runtime/runtime.py:Runtime\.(submit|_count|_settle)")),
    ("decide", 1.20, (r"handlers/", r"core/result.py:", r"records/.*\.__init__")),
    ("write down: encode the record", 0.50, (
        r"runtime/record_writers.py:.*encode", r"tidemark_protocol/stored.py:", r"records/.*:encode_")),
    ("write down: into the journal", 0.45, (
        r"runtime/journal.py:Journal\.add", r"runtime/journal.py:JournaledLog\.room_for",
        r"tidemark_protocol/batch.py:BatchBuilder\.add", r"runtime/record_writers.py:",
        r"runtime/runtime.py:Runtime\.(_accept|_write_down|_arm)")),
    ("write down: replay", 0.50, (
        r"groups/.*:Groups\.(replay|partition_of)", r"groups/.*replay", r"groups/offsets.py:",
        r"groups/.*events.py:", r"core/deadlines.py:")),
    ("answer: encode, frame", 0.45, (
        r"server/session.py:Served\.", r"messages/.*:encode_", r"messages/.*Response.*\.__init__",
        r"server/pieces.py:", r"runtime/runtime.py:(Runtime\._reply|_frame)")),
    ("answer: hold", 0.20, (r"runtime/runtime.py:Runtime\._hold", r"log/flusher.py:Flusher\.wake")),
    ("flush: build the batch, write it", 0.25, (
        r"log/", r"runtime/journal.py:", r"tidemark_protocol/batch.py:", r"tidemark/node/engine.py:")),
    ("release: fill the slots", 0.30, (
        r"runtime/runtime.py:Runtime\.(release|_touch|_resume|_fill)", r"server/session.py:",
        r"server/connection.py:Connection\._ready")),
    ("send: join the frames, send", 0.30, (
        r"server/connection.py:Connection\._write", r"server/listener.py:.*sent",
        r"server/connection.py:Connection\._hold_back")),
)  # fmt: skip
START_OR_SAMPLER: Final = re.compile(r"bench/sampled.py|importlib|cli/|re/_")
CLAIMS: Final = [(name, re.compile("|".join(owned))) for name, _, owned in STEPS]


class SampledBroker(BrokerProcess):
    """A broker process that runs under the sampler."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        super().__init__(folder, settings, SERVER_CORE)
        self.samples = folder / "samples.json"

    def _command(self) -> list[str]:
        plain = super()._command()
        at = plain.index("tidemark")
        return [*plain[:at], "bench.sampled", str(self.samples), *plain[at + 1 :]]


class Sampled(Ours):
    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.name = OURS
        self.process = self.broker = SampledBroker(folder, settings)
        self.process.start()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description=__doc__)
    parser.add_argument("--shape", default="64x16", help="connections x pending requests of each")
    parser.add_argument("--write", action="store_true", help="write the table to docs/performance.md")
    arguments = parser.parse_args()
    connections, depth = map(int, arguments.shape.split("x"))
    load.RESULTS.mkdir(exist_ok=True)
    lines = []
    for sync in ("never", "always"):
        cpu_us, stacks = measure((connections, depth), sync)
        lines += table(f"Commits {arguments.shape}, sync={sync}", cpu_us, stacks)
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        document = DOCUMENT.read_text()
        DOCUMENT.write_text(PLACE.sub(lambda place: place[1] + text + "\n" + place[2], document))


def measure(shape: tuple[int, int], sync: str) -> tuple[float, dict[str, float]]:
    """Return the CPU microseconds of a commit, and the samples."""
    folder = Path(tempfile.mkdtemp(prefix="profile-", dir=load.RESULTS))
    try:
        plain = Ours(folder / "plain", {"tidemark.sync": sync})
        try:
            create_topic(plain)
            cpu_us = commits(plain, shape, EFFORT, "plain").cpu_us
        finally:
            plain.stop()
        sampled = Sampled(folder / "sampled", {"tidemark.sync": sync})
        try:
            create_topic(sampled)
            commits(sampled, shape, EFFORT, "sampled")
        finally:
            sampled.stop()
        stacks: dict[str, float] = json.loads(sampled.broker.samples.read_text())
    finally:
        shutil.rmtree(folder)
    assert cpu_us is not None
    return cpu_us, stacks


def table(title: str, cpu_us: float, stacks: dict[str, float]) -> list[str]:
    """Return a Markdown table. Microseconds are shares of a commit's CPU time in the run without sampler."""
    seconds: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for stack, taken in stacks.items():
        if START_OR_SAMPLER.search(stack):
            continue
        step = step_of(stack)
        seconds[step] += taken
        if step == OTHER:
            others[stack.partition(";")[0] or "the loop itself"] += taken
    total = seconds.total()
    lines = [
        "",
        f"{title}: {cpu_us:.2f} us of CPU each.",
        "",
        "| step | budget us | measured us | share |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, budget, _ in STEPS:
        lines.append(
            f"| {name} | {budget:.2f} | {seconds[name] / total * cpu_us:.2f} | {seconds[name] / total:.0%} |"
        )
    lines.append(f"| {OTHER} | | {seconds[OTHER] / total * cpu_us:.2f} | {seconds[OTHER] / total:.0%} |")
    budgets = sum(budget for _, budget, _ in STEPS)
    lines.append(f"| **all** | **{budgets:.2f}** | **{cpu_us:.2f}** | |")
    result = ", ".join(f"{name} {taken / total:.1%}" for name, taken in others.most_common(OTHERS_SHOWN))
    return [*lines, "", f"Anything else: {result}."] if result else lines


def step_of(stack: str) -> str:
    for frame in stack.split(";"):
        for name, claims in CLAIMS:
            if claims.search(frame):
                return name
    return OTHER


if __name__ == "__main__":
    main()
