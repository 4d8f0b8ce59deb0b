"""Builds what is published, and checks it as a user would get it.

    python -m release.dist [--quick] [--python VERSION]... [--into DIR]

It builds an sdist, the pure wheel, and for each version of Python a compiled wheel. Each wheel is installed
into an environment of its own, for each version that it supports, and tests run there: test_installed.py, and
the SAMPLE of the repository's tests. The versions are those of the classifiers in pyproject.toml. One
that this machine does not have is skipped, with a line that says so.

--quick           builds no compiled wheel, and installs the pure one for the running Python, without SAMPLE
--python VERSION  uses only these versions
--into DIR        where the sdist and the wheels go: dist/ by default

It needs the network, a C compiler and git. An error ends it with exit code 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hatch_build import DOCUMENTS

ROOT: Final = Path(__file__).resolve().parent.parent
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WHEEL_BYTES_MAX: Final = 2_500_000  # of the pure wheel: a CI job installs it each time
PYTHONPATH: Final = re.compile(r"^pythonpath = .*\n", re.MULTILINE)  # of pytest
PYTHON: Final = "Programming Language :: Python :: "
# Files of an sdist that are in no folder of [tool.hatch.build.targets.sdist].
OF_BUILD: Final = {"pyproject.toml", "hatch_build.py", ".gitignore", "PKG-INFO"}

TEST_PACKAGES: Final = ("hypothesis", "pytest", "pytest-asyncio", "pytest-timeout")
SAMPLE: Final = (
    "tests/unit/protocol/test_batch.py",
    "tests/unit/broker/handlers/groups/test_offset_commit.py",
    "tests/unit/testing/test_lifecycle.py",
    "tests/unit/tools/test_topics.py",
)


class Wrong(Exception):
    """Something that was built is not right. The text is for the user."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m release.dist")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--python", action="append", metavar="VERSION")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", metavar="DIR")
    arguments = parser.parse_args()
    supported = [
        each.removeprefix(PYTHON) for each in PROJECT["project"]["classifiers"] if each.startswith(PYTHON)
    ]
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = arguments.python or ([running] if arguments.quick else supported)
    try:
        with tempfile.TemporaryDirectory(prefix="tidemark-dist-") as folder:
            make(arguments.into.absolute(), Path(folder), wanted, quick=arguments.quick)
    except Wrong as wrong:
        print(f"make dist: {wrong}", file=sys.stderr)
        return 1
    return 0


def make(dist: Path, folder: Path, versions: Sequence[str], *, quick: bool) -> None:
    """Build everything into dist, and check it. folder is empty, and outside of the checkout."""
    pythons = dict(found(versions))
    if not pythons:
        raise Wrong(f"no Python of {', '.join(versions)} is here")
    for old in [*dist.glob("tidemark_broker-*.whl"), *dist.glob("tidemark_broker-*.tar.gz")]:
        old.unlink()

    with step("sdist, and the pure wheel of this checkout"):
        run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(dist))
        (sdist,), (pure,) = dist.glob("*.tar.gz"), dist.glob("*-none-any.whl")
        check_files(sdist, pure)
        if pure.stat().st_size > WHEEL_BYTES_MAX:
            raise Wrong(f"{pure.name} has {pure.stat().st_size:,} bytes, more than {WHEEL_BYTES_MAX:,}")
    with step("the sdist builds the same wheel"):
        build(sdist, folder / "again", python=sys.executable)
        if (folder / "again" / pure.name).read_bytes() != pure.read_bytes():
            raise Wrong(f"{pure.name} differs if it is built from {sdist.name}")
    wheels = [(pure, python, version) for version, python in pythons.items()]
    for version, python in () if quick else pythons.items():
        with step(f"compiled wheel, Python {version}"):
            wheel = build(sdist, dist, python=python, TIDEMARK_COMPILE="1")
            check_files(sdist, wheel)
            wheels.append((wheel, python, version))
    if not quick:  # hatchling has checked the classifiers
        with step("metadata and README, as PyPI checks them"):
            twine = environment(folder / "twine", sys.executable, ["twine"])
            files = map(str, sorted(dist.glob("tidemark_broker-*")))
            run(str(twine), "-m", "twine", "check", "--strict", *files)

    (folder / "run").mkdir()
    copy_tests(folder / "run")
    for number, (wheel, python, version) in enumerate(wheels):
        with step(f"{wheel.name} runs on Python {version}"):
            requirement = f"tidemark-broker[confluent] @ {wheel.as_uri()}"
            installed = environment(folder / str(number), python, [requirement, *TEST_PACKAGES])
            tests = ["-q", "-p", "no:cacheprovider", "test_installed.py", *(() if quick else SAMPLE)]
            variables = {"TIDEMARK_DIST_COMPILED": "0" if wheel is pure else "1"}
            run(str(installed), "-m", "pytest", *tests, cwd=folder / "run", **variables)
    for built in sorted(dist.glob("tidemark_broker-*")):
        print(f"{built.stat().st_size / 1e6:6.2f} MB  {built}")


def found(versions: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (version, interpreter) for the versions that this machine has, and report the others."""
    for version in versions:
        pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        for candidate in [sys.executable, shutil.which(f"python{version}"), *map(str, pyenv)]:
            if candidate is not None and version_of(candidate) == version:
                yield version, candidate
                break
        else:
            print(
                f"skipped: Python {version}. There is no python{version} in PATH, nor in ~/.pyenv/versions",
                flush=True,
            )


def version_of(python: str) -> str:
    """Return the version of an interpreter, such as 3.12. Empty: it does not run, as some shims of pyenv."""
    program = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')"
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=False).stdout.strip()


def environment(folder: Path, python: str, packages: Sequence[str]) -> Path:
    """Make an environment with these packages. Return its interpreter."""
    run(python, "-m", "venv", "--without-pip", str(folder))
    made = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", str(made), "install", "-q", *packages)
    return made


def build(sdist: Path, target: Path, *, python: str, **variables: str) -> Path:
    """Build a wheel from the sdist with this Python. Return the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        empty = environment(Path(folder, "python"), python, ["setuptools"])
        pip = [sys.executable, "-m", "pip", "--python", str(empty)]
        run(*pip, "wheel", "-q", "--no-deps", "--wheel-dir", folder, str(sdist), **variables)
        (wheel,) = Path(folder).glob("*.whl")
        target.mkdir(exist_ok=True)
        return Path(shutil.copy(wheel, target))


def check_files(sdist: Path, wheel: Path) -> None:
    """Check that both have all files of the repository that belong in them, and no other.

    A compiled wheel has its compiled modules besides.
    """
    in_git = set(run("git", "ls-files", cwd=ROOT).splitlines())
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    folders = tuple(name.removeprefix("/") for name in targets["sdist"]["include"])
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    compare(sdist, packed, {name for name in in_git if name.split("/")[0] in folders} | OF_BUILD)

    expected = {
        f"tidemark_http/{name}" for name in in_git if name.startswith("docs/") and name.endswith(DOCUMENTS)
    }
    for package in targets["wheel"]["packages"]:
        parent = package.rpartition("/")[0]
        expected |= {name.removeprefix(f"{parent}/") for name in in_git if name.startswith(f"{package}/")}
    with zipfile.ZipFile(wheel) as archive:
        packed = {
            name for name in archive.namelist() if ".dist-info/" not in name and not name.endswith(".so")
        }
    compare(wheel, packed, expected)


def compare(built: Path, packed: set[str], expected: set[str]) -> None:
    if missing := sorted(expected - packed):
        raise Wrong(f"{built.name} lacks {', '.join(missing)}, which git has")
    if surplus := sorted(packed - expected):
        raise Wrong(f"{built.name} has {', '.join(surplus)}, which git does not have: commit or remove it")


def copy_tests(folder: Path) -> None:
    """Copy the tests, but not what they test, and pytest's configuration without the checkout's folders."""
    shutil.copy(ROOT / "release" / "test_installed.py", folder)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    text, count = PYTHONPATH.subn("", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert count == 1, "pyproject.toml has one pythonpath"
    (folder / "pyproject.toml").write_text(text, "utf-8")


@contextmanager
def step(about: str) -> Iterator[None]:
    """Print what is done, and the seconds that it needed."""
    began = time.monotonic()
    print(f"{about} ...", end=" ", flush=True)
    yield
    print(f"{time.monotonic() - began:.0f} s", flush=True)


def run(*command: str, cwd: Path | None = None, **variables: str) -> str:
    """Run a command without the checkout on its path. Return its output. Raises Wrong if it fails."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    kept["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    done = subprocess.run(
        command, cwd=cwd or ROOT, env=kept | variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Wrong(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
