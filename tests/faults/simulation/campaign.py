"""`make simulate`: ten thousand seeds on all cores; `make simulate SEED=n`: one seed, with its trace.

For a failure, print its seed, the command that repeats it, and the end of a trace without the actors and
kinds of fault that the failure does not need.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SEEDS: Final = 10_000
TRACE_LINES: Final = 60
LINE_LENGTH: Final = 400
# The seed that found each mutant last is tried first. It is right until the broker or the simulation changes.
FOUND: Final = Path(__file__).parent / "found_mutants.json"
# A mutant that itself fails, because the code that it patches has changed.
STALE_MUTANT: Final = re.compile(
    r"(Attribute|Type|Name)Error\(.* at (consumer_|share_|streams_|transaction_)?mutants\.py"
)


def main() -> int:
    arguments = _arguments()
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of a set of strings depends on it
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.faults.simulation", *sys.argv[1:]])
    if arguments.mutants:
        return _find_mutants(arguments)
    if arguments.seed is not None:
        return _replay(arguments)
    return _campaign(arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.simulation")
    parser.add_argument("--seed", type=int, help="this one alone, with its trace")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=SEEDS)
    parser.add_argument("--without", help="actors and faults to leave out, with commas; drawn if not given")
    parser.add_argument("--mutant", default="", help="one of tests/faults/simulation/mutants.py")
    parser.add_argument("--mutants", action="store_true", help="find every mutant: its first seed")
    parser.add_argument("--write", action="store_true", help=f"with --mutants: write {FOUND.name}")
    parser.add_argument("names", nargs="*", help="with --mutants: these alone")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _begin(mutant: str) -> None:
    from tests.faults.simulation import mutants

    # A killed process leaves coroutines behind, which warn when they are collected.
    warnings.simplefilter("ignore", RuntimeWarning)
    sys.unraisablehook = lambda _: None
    if mutant:
        mutants.MUTANTS[mutant].apply()
    gc.freeze()  # otherwise each collection would look at all modules again: a sixth of the time


def _replay(arguments: argparse.Namespace) -> int:
    from tests.faults.simulation.run import run

    _begin(arguments.mutant)
    outcome = run(arguments.seed, tracing=True, without=_without(arguments, arguments.seed))
    print("\n".join(outcome.lines))
    if outcome.broken is None:
        print(f"seed {arguments.seed}: every law held; {sum(outcome.counted.values())} requests")
        return 0
    print(f"seed {arguments.seed}: {outcome.broken}")
    return 1


def _without(arguments: argparse.Namespace, seed: int) -> frozenset[str]:
    from tests.faults.simulation.run import absent

    if arguments.without is None:
        return absent(seed)
    return frozenset(filter(None, arguments.without.split(",")))


def _campaign(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    counted: Counter[str] = Counter()
    done = 0
    numbers = range(arguments.first, arguments.first + arguments.count)
    seeds = ((seed, _without(arguments, seed)) for seed in numbers)
    for seed, broken, requests in _outcomes(seeds, arguments.mutant, arguments.processes):
        done += 1
        counted.update(requests)
        if broken is not None:
            print(f"seed {seed}: {broken}", flush=True)
            _explain(seed, arguments.mutant, _without(arguments, seed))
            return 1
        if done % 1_000 == 0:
            print(f"{done} seeds, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{done} seeds, {sum(counted.values())} requests, every law held; {time.monotonic() - began:.0f} s")
    print(", ".join(f"{name} {count}" for name, count in sorted(counted.items())))
    return 0


Seed = tuple[int, frozenset[str]]  # and the actors and faults that are left out


def _outcomes(
    seeds: Iterable[Seed], mutant: str, processes: int
) -> Iterator[tuple[int, str | None, dict[str, int]]]:
    """Yield the outcomes in the order of the seeds, so that the first failure is the same in every run."""
    if processes == 1:
        _begin(mutant)
        yield from map(_one, seeds)
        return
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, _begin, (mutant,), maxtasksperchild=None) as pool:
        yield from pool.imap(_one, seeds, chunksize=5)


def _one(chosen: Seed) -> tuple[int, str | None, dict[str, int]]:
    from tests.faults.simulation.run import run

    seed, without = chosen
    outcome = run(seed, without=without)
    return seed, None if outcome.broken is None else str(outcome.broken), outcome.counted


def _explain(seed: int, mutant: str, without: frozenset[str]) -> None:
    """Leave out every actor and fault without which the law is still broken."""
    from tests.faults.simulation.run import ACTORS, FAULTS, run

    _begin(mutant)
    whole = run(seed, tracing=True, without=without)
    if whole.broken is None:
        print("It does not break alone: the simulation depends on something besides its seed.")
        return
    all_of_it = _command(seed, mutant, without)
    shortest = whole
    for part in (*FAULTS, *ACTORS):
        if part in without:
            continue
        tried = run(seed, tracing=True, without=without | {part})
        if tried.broken is not None and tried.broken.law == whole.broken.law:
            without, shortest = without | {part}, tried
    for line in shortest.lines[-TRACE_LINES:]:
        print(line[:LINE_LENGTH])
    print(f"all of it:   {all_of_it}")
    print(f"shortened:   {_command(seed, mutant, without)}   ({len(shortest.lines)} lines)")


def _command(seed: int, mutant: str, without: frozenset[str]) -> str:
    broken = f" MUTANT='{mutant}'" if mutant else ""
    return f"make simulate SEED={seed}{broken} ARGS='--without \"{','.join(sorted(without))}\"'"


@dataclass(slots=True, frozen=True)
class _Hunt:
    """The search for a mutant. known: the seed that found it last."""

    name: str
    seeds: range
    known: int | None
    without: frozenset[str]

    def in_order(self) -> Iterator[int]:
        if self.known is not None:
            yield self.known
        yield from (seed for seed in self.seeds if seed != self.known)


@dataclass(slots=True)
class _Found:
    """The first seed that finds a mutant, and the law that it breaks; None if no seed does."""

    seed: int | None
    broken: str
    seconds: float


def _find_mutants(arguments: argparse.Namespace) -> int:
    """Run a process for each mutant, which ends at the first seed that finds it.

    Modules are imported before the processes fork.
    """
    from tests.faults.simulation.mutants import MUTANTS

    known: dict[str, int] = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    hunts = _hunts(arguments, known)
    context = multiprocessing.get_context("fork")
    needed: dict[Seed, None] = {}
    lost = 0
    with context.Pool(arguments.processes, maxtasksperchild=1) as pool:
        for hunt, found in zip(hunts, pool.imap(_hunt, hunts, chunksize=1), strict=True):
            if found.seed is None:
                lost += 1
                print(f"{hunt.name}: not found in {arguments.count} seeds, {found.seconds:.0f} s", flush=True)
                continue
            known[hunt.name] = found.seed
            needed[found.seed, hunt.without] = None
            print(
                f"{hunt.name}: seed {found.seed}, {found.seconds:.0f} s: {found.broken[:LINE_LENGTH]}",
                flush=True,
            )
    if arguments.write:
        still = {name: known[name] for name in MUTANTS if name in known}
        FOUND.write_text(json.dumps(still, indent=2) + "\n")
    for seed, broken, _ in _outcomes(needed, "", arguments.processes):
        if broken is not None:
            print(f"seed {seed} breaks a law without a mutant", flush=True)
            return 1
    return 1 if lost else 0


def _hunts(arguments: argparse.Namespace, known: dict[str, int]) -> list[_Hunt]:
    from tests.faults.simulation.mutants import MUTANTS
    from tests.faults.simulation.run import ACTORS, LETTERS, SHARING, STREAMING, TRANSACTIONAL

    seeds = range(arguments.first, arguments.first + arguments.count)
    hunts = []
    for name in arguments.names or MUTANTS:
        wanted = MUTANTS[name].actors
        left_out = {each for each in ACTORS if not {each, each.rpartition("-")[0]} & {*wanted}}
        without = frozenset(left_out if wanted else (*TRANSACTIONAL, *SHARING, *STREAMING, *LETTERS))
        if not MUTANTS[name].several:
            without |= {"moves"}
        hunts.append(_Hunt(name, seeds, known.get(name), without))
    return hunts


def _hunt(hunt: _Hunt) -> _Found:
    began = time.monotonic()
    _begin(hunt.name)
    for seed in hunt.in_order():
        _, broken, _ = _one((seed, hunt.without))
        if broken is not None:
            if STALE_MUTANT.search(broken):
                raise AssertionError(f"mutant {hunt.name!r} no longer fits the code: {broken}")
            return _Found(seed, broken, time.monotonic() - began)
    return _Found(None, "", time.monotonic() - began)
