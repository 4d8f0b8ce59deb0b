"""`python -m bench.profile [--shape 64x16] [--write]`: the time of one OffsetCommit, step by step.

The broker runs under the load twice: unchanged, to measure the CPU time of a commit, and sampled
(bench/sampled.py), to measure the share of each step. --write writes the table to docs/performance.md,
between `<!-- profile -->` and `<!-- profile: end -->`.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from bench import load
from bench.commits import commits
from bench.rows import OURS, Effort
from bench.sampled import name_of
from bench.servers import SERVER_CORE, Ours, create_topic
from tests.broker_process import BrokerProcess

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENT: Final = ROOT / "docs" / "performance.md"
PLACE: Final = re.compile(r"(<!-- profile -->\n).*?(<!-- profile: end -->)", re.DOTALL)
EFFORT: Final = Effort(warmup_ms=1000, measure_ms=10_000)
OTHER: Final = "anything else"
OTHERS_SHOWN_FROM: Final = 0.005  # of the time

# The steps of a commit (docs/architecture.md, section 4), the budget of each in us, and the functions that it
# owns, as expressions that a whole name matches. A sample belongs to the step that owns the innermost of its
# frames, or to the first of them.
STEPS: Final = (
    ("receive: the loop, recv, the Context", 0.50, (
        r"tidemark/server/connection.py:Connection\.data_received",
        r"tidemark/server/connection.py:Connection\._serve",
        r"tidemark/server/connection.py:Connection\._my_turn",
        r"tidemark/server/listener.py:Listener\.received",
        r"tidemark/core/context.py:.*",
        r"tidemark/turns.py:.*",
        r"tidemark/clock.py:.*")),
    ("frames: cut, header, PendingRequest", 0.70, (
        r"tidemark/server/session.py:Session\.receive",
        r"tidemark/server/session.py:Session\._next",
        r"tidemark/server/session.py:Session\._token",
        r"tidemark/server/session.py:Session\.held",
        r"tidemark/server/session.py:Session\.has_more",
        r"tidemark/server/session.py:Session\.arriving_bytes",
        r"tidemark/engine/request.py:PendingRequest\..*")),
    ("decode the body", 0.85, (
        r"tidemark_protocol/messages/.*:decode_.*",
        r"tidemark_protocol/wire.py:.*")),
    ("dispatch, submit", 0.45, (
        r"tidemark/server/router.py:Router\.resolve",
        r"tidemark/engine/coordinator.py:Runtime\.submit",
        r"tidemark/core/apply.py:settle_marked",
        r"tidemark/core/apply.py:settle")),
    ("decide", 1.20, (
        r"tidemark/handlers/groups/.*",
        r"tidemark/core/decision.py:.*",
        r"tidemark/groups/state.py:Groups\.(serving|service_error|partition_for)",
        r"tidemark/groups/classic/.*",
        r"tidemark/settings/.*",
        r"tidemark/metadata/.*")),
    ("write: encode the record", 0.50, (
        r"tidemark_protocol/stored.py:.*",
        r"tidemark_protocol/records/.*:encode_.*")),
    ("write: into the open batch", 0.45, (
        r"tidemark/engine/group_commit.py:GroupCommit\.add",
        r"tidemark/engine/group_commit.py:GroupCommit\.add_all",
        r"tidemark/engine/group_commit.py:InternalLog\.room_for",
        r"tidemark_protocol/batch.py:BatchBuilder\.add",
        r"tidemark/core/apply.py:apply",
        r"tidemark/engine/coordinator.py:Runtime\.arm",
        r"tidemark/engine/coordinator.py:DurableMachine\..*")),
    ("replay", 0.50, (
        r"tidemark/groups/state.py:(replay|Groups\.replay|Groups\.partition_of).*",
        r"tidemark/groups/offsets.py:.*",
        r"tidemark/core/deadlines.py:.*")),
    ("respond: encode, frame", 0.45, (
        r"tidemark/server/session.py:ServedVersion\..*",
        r"tidemark_protocol/messages/.*:encode_.*",
        r"tidemark/engine/coordinator.py:Runtime\._respond")),
    ("respond: hold", 0.20, (
        r"tidemark/engine/group_commit.py:GroupCommit\.wake",)),
    ("flush: build the batch, write it", 0.25, (
        r"tidemark/log/.*",
        r"tidemark/engine/group_commit.py:.*",
        r"tidemark_protocol/batch.py:.*",
        r"tidemark_protocol/checksum.py:.*",
        r"tidemark/node/engine.py:.*")),
    ("release: fill the pending responses", 0.30, (
        r"tidemark/engine/coordinator.py:Runtime\.release",
        r"tidemark/engine/coordinator.py:Runtime\._fill",
        r"tidemark/engine/coordinator.py:Runtime\._resume",
        r"tidemark/server/session.py:Session\.fill",
        r"tidemark/server/connection.py:Connection\.ready")),
    ("send: join the frames, send", 0.30, (
        r"tidemark/server/session.py:Session\.data_to_send",
        r"tidemark/server/session.py:Session\._measure",
        r"tidemark/server/connection.py:Connection\._write",
        r"tidemark/server/listener.py:Listener\.sent",
        r"tidemark/server/connection.py:Connection\._update_reading")),
)  # fmt: skip
START_OR_SAMPLER: Final = re.compile(r"bench/sampled.py|importlib|cli/|re/_")
CLAIMS: Final = [(name, re.compile("|".join(owned))) for name, _, owned in STEPS]
SOURCES: Final = (ROOT / "broker", ROOT / "protocol")


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
    if stale := names_without_function():
        parser.exit(1, "bench/profile.py: no function has these names: " + ", ".join(stale) + "\n")
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
    result = ", ".join(
        f"{name} {taken / total:.1%}"
        for name, taken in others.most_common()
        if taken / total >= OTHERS_SHOWN_FROM
    )
    return [*lines, "", f"Anything else: {result}."] if result else lines


def names_without_function() -> list[str]:
    """Return the names in STEPS that match no function of the source. A renamed function leaves its step."""
    known = functions()
    return [
        owned for _, _, names in STEPS for owned in names if not any(map(re.compile(owned).fullmatch, known))
    ]


@cache
def functions() -> tuple[str, ...]:
    """Return the functions of the source, named as in a sample."""
    return tuple(name for folder in SOURCES for file in folder.rglob("*.py") for name in _functions(file))


def _functions(file: Path) -> Iterator[str]:
    name = name_of(str(file))

    def inside(node: ast.AST, scope: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{name}:{scope}{child.name}"
                yield from inside(child, f"{scope}{child.name}.<locals>.")
            else:
                yield from inside(
                    child, f"{scope}{child.name}." if isinstance(child, ast.ClassDef) else scope
                )

    yield from inside(ast.parse(file.read_text("utf-8")), "")


def step_of(stack: str) -> str:
    for frame in stack.split(";"):
        for name, claims in CLAIMS:
            if claims.fullmatch(frame):
                return name
    return OTHER


if __name__ == "__main__":
    main()
