"""The simulation in the test suite, and tests of the law that judges reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.simulation.laws import Register, Write, judge

ROOT = Path(__file__).parents[3]
SEEDS = 150
SEEDS_FOR_MUTANTS = 1_000


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it in separate processes: hashes are the same in each of them."""
    paths = os.pathsep.join(str(ROOT / each) for each in ("broker", "protocol", "pipeline"))
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.simulation", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_every_law_holds_despite_faults() -> None:
    done = simulate("--count", str(SEEDS))
    print(done.stdout, done.stderr)
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_every_mutant_is_found() -> None:
    done = simulate("--mutants", "--count", str(SEEDS_FOR_MUTANTS))
    print(done.stdout, done.stderr)
    assert done.returncode == 0


@pytest.mark.slow
def test_seed_repeats_every_event() -> None:
    first, second = simulate("--seed", "30"), simulate("--seed", "30")
    assert first.returncode == 0, first.stdout[-2_000:] + first.stderr
    assert first.stdout.count("\n") > 500
    assert first.stdout == second.stdout


# judge: moments are numbers, writes are (value, began, applied)


def written(*writes: tuple[int | None, int, int | None]) -> list[Write]:
    register = Register()
    for value, began, applied in writes:
        write = register.begin(value, began, None)
        if applied is not None:
            write.succeed(applied)
    return register.writes


def test_value_overwritten_before_the_read_is_not_returned() -> None:
    writes = written((1, 10, 20), (2, 30, 40))
    assert judge(writes, 2, 50, 60, None) is None
    assert judge(writes, 1, 50, 60, None) is not None
    assert judge(writes, None, 50, 60, None) is not None


def test_either_of_two_concurrent_writes_may_be_the_later_one() -> None:
    for value in (1, 2):
        assert judge(written((1, 10, 30), (2, 20, 40)), value, 50, 60, None) is None


def test_write_without_a_response_may_have_happened_or_not() -> None:
    for value in (1, 2):
        assert judge(written((1, 10, 20), (2, 30, None)), value, 50, 60, None) is None


def test_write_that_was_read_has_happened() -> None:
    writes = written((1, 10, 20), (2, 30, None))
    assert judge(writes, 2, 50, 60, None) is None
    assert judge(writes, 1, 70, 80, None) is not None


def test_refused_write_is_never_read() -> None:
    writes = written((1, 10, None))
    writes[-1].refused = True
    assert judge(writes, 1, 50, 60, None) is not None


def test_pending_write_may_be_read_but_not_one_after_it() -> None:
    assert judge(written((1, 55, None)), 1, 50, 60, None) is None
    assert judge(written((1, 65, None)), 1, 50, 60, None) is not None
