"""`make simulate`: ten thousand seeds on all cores; `make simulate SEED=n`: one seed, with its trace.

For a failure, print its seed, the command that repeats it, and the end of a trace without the actors and
kinds of fault that the failure does not need.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

SEEDS: Final = 10_000
TRACE_LINES: Final = 60
LINE_LENGTH: Final = 400
# A mutant that itself fails, because the code that it patches has changed.
STALE_MUTANT: Final = re.compile(r"(Attribute|Type|Name)Error\(.* at (consumer_)?mutants\.py")


def main() -> int:
    arguments = _arguments()
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of a set of strings depends on it
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])
    if arguments.mutants:
        return _find_mutants(arguments)
    if arguments.seed is not None:
        return _replay(arguments)
    return _campaign(arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seed", type=int, help="this one alone, with its trace")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=SEEDS)
    parser.add_argument("--without", default="", help="actors and faults to leave out, with commas")
    parser.add_argument("--mutant", default="", help="one of tests/simulation/mutants.py")
    parser.add_argument("--mutants", action="store_true", help="find every mutant: its first seed")
    parser.add_argument("names", nargs="*", help="with --mutants: these alone")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _begin(mutant: str) -> None:
    from tests.simulation import mutants

    # A killed process leaves coroutines behind, which warn when they are collected.
    warnings.simplefilter("ignore", RuntimeWarning)
    sys.unraisablehook = lambda _: None
    if mutant:
        mutants.MUTANTS[mutant].apply()


def _replay(arguments: argparse.Namespace) -> int:
    from tests.simulation.run import run

    _begin(arguments.mutant)
    outcome = run(arguments.seed, tracing=True, without=_without(arguments))
    print("\n".join(outcome.lines))
    if outcome.broken is None:
        print(f"seed {arguments.seed}: every law held; {sum(outcome.counted.values())} requests")
        return 0
    print(f"seed {arguments.seed}: {outcome.broken}")
    return 1


def _without(arguments: argparse.Namespace) -> frozenset[str]:
    return frozenset(filter(None, arguments.without.split(",")))


def _campaign(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    counted: Counter[str] = Counter()
    done = 0
    seeds = range(arguments.first, arguments.first + arguments.count)
    for seed, broken, requests in _outcomes(seeds, arguments.mutant, arguments.processes):
        done += 1
        counted.update(requests)
        if broken is not None:
            print(f"seed {seed}: {broken}", flush=True)
            _explain(seed, arguments.mutant)
            return 1
        if done % 1_000 == 0:
            print(f"{done} seeds, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{done} seeds, {sum(counted.values())} requests, every law held; {time.monotonic() - began:.0f} s")
    print(", ".join(f"{name} {count}" for name, count in sorted(counted.items())))
    return 0


def _outcomes(
    seeds: Iterable[int], mutant: str, processes: int
) -> Iterator[tuple[int, str | None, dict[str, int]]]:
    """Yield the outcomes in the order of the seeds, so that the first failure is the same in every run."""
    if processes == 1:
        _begin(mutant)
        yield from map(_one, seeds)
        return
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, _begin, (mutant,), maxtasksperchild=None) as pool:
        yield from pool.imap(_one, seeds, chunksize=5)


def _one(seed: int) -> tuple[int, str | None, dict[str, int]]:
    from tests.simulation.run import run

    outcome = run(seed)
    return seed, None if outcome.broken is None else str(outcome.broken), outcome.counted


def _explain(seed: int, mutant: str) -> None:
    """Leave out every actor and fault without which the law is still broken."""
    from tests.simulation.run import ACTORS, FAULTS, run

    _begin(mutant)
    whole = run(seed, tracing=True)
    if whole.broken is None:
        print("It does not break alone: the simulation depends on something besides its seed.")
        return
    without: frozenset[str] = frozenset()
    shortest = whole
    for part in (*FAULTS, *ACTORS):
        tried = run(seed, tracing=True, without=without | {part})
        if tried.broken is not None and tried.broken.law == whole.broken.law:
            without, shortest = without | {part}, tried
    for line in shortest.lines[-TRACE_LINES:]:
        print(line[:LINE_LENGTH])
    shortened = f" ARGS='--without {','.join(sorted(without))}'" if without else ""
    broke = f" MUTANT='{mutant}'" if mutant else ""
    print(f"all of it:   make simulate SEED={seed}{broke}")
    print(f"shortened:   make simulate SEED={seed}{broke}{shortened}   ({len(shortest.lines)} lines)")


def _find_mutants(arguments: argparse.Namespace) -> int:
    """Run a process for each mutant, which ends at the first seed that finds it.

    Modules are imported before the processes fork.
    """
    import tests.simulation.run  # noqa: F401
    from tests.simulation.mutants import MUTANTS

    names = arguments.names or list(MUTANTS)
    hunts = [(name, arguments.first, arguments.count) for name in names]
    context = multiprocessing.get_context("fork")
    found: list[tuple[int, str] | None] = []
    with context.Pool(arguments.processes, maxtasksperchild=1) as pool:
        for name, (first, took) in zip(names, pool.imap(_hunt, hunts, chunksize=1), strict=True):
            found.append(first)
            told = f"not found in {arguments.count} seeds" if first is None else f"seed {first[0]}"
            why = "" if first is None else f": {first[1][:LINE_LENGTH]}"
            print(f"{name}: {told}, {took:.0f} s{why}", flush=True)
    seeds = sorted({first[0] for first in found if first is not None})
    for seed, broken, _ in _outcomes(seeds, "", arguments.processes):
        if broken is not None:
            print(f"seed {seed} breaks a law without a mutant", flush=True)
            return 1
    return 1 if None in found else 0


def _hunt(hunted: tuple[str, int, int]) -> tuple[tuple[int, str] | None, float]:
    """Return the first seed that finds a mutant, the law that it breaks, and the seconds needed.

    A rare mutant is searched first at the seed that found it before.
    """
    from tests.simulation.mutants import MUTANTS

    name, first, count = hunted
    began = time.monotonic()
    _begin(name)
    seeds = range(first, first + count)
    near = MUTANTS[name].near
    for seed in (*seeds[near:], *seeds[:near]):
        _, broken, _ = _one(seed)
        if broken is not None:
            if STALE_MUTANT.search(broken):
                raise AssertionError(f"mutant {name!r} no longer fits the code: {broken}")
            return (seed, broken), time.monotonic() - began
    return None, time.monotonic() - began
