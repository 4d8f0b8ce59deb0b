"""The hot path compiled to C by mypyc, for who wants twice the speed from the same source.

    TIDEMARK_COMPILE=1 pip install .       a wheel with the compiled modules beside the source
    python hatch_build.py DIR [LEVEL]      a compiled copy of the packages in DIR, for PYTHONPATH

LEVEL is how far the C compiler optimizes: 3, unless it is to be done soon (0).

Needs a C compiler. Pure Python stays the default and the reference: what is compiled is the same files, but
for what `_prepared` says. Which modules: those that an OffsetCommit walks through (docs/architecture.md, 4).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).resolve().parent
PACKAGES: Final = (
    "broker/tidemark",
    "protocol/tidemark_protocol",
    "protocol/tidemark_expiry",
    "pipeline/tidemark_pipeline",
)
NEEDS: Final = ("mypy", "setuptools")
LEVEL: Final = "3"

HOT: Final = (
    "tidemark_expiry/rules.py",
    "tidemark_protocol/batch.py",
    "tidemark_protocol/messages/offset_commit.py",
    "tidemark_protocol/records/offset_commit.py",
    "tidemark_protocol/stored.py",
    "tidemark_protocol/wire.py",
    "tidemark/metadata/model.py",
    "tidemark/core/deadlines.py",
    "tidemark/groups/classic/group.py",
    "tidemark/groups/classic/member.py",
    "tidemark/groups/classic/membership.py",
    "tidemark/groups/classic/model.py",
    "tidemark/groups/consumer/model.py",
    "tidemark/groups/group.py",
    "tidemark/groups/offsets.py",
    "tidemark/groups/pending.py",
    "tidemark/groups/classic/replay.py",
    "tidemark/groups/replay.py",
    "tidemark/groups/share/model.py",
    "tidemark/groups/state.py",
    "tidemark/core/apply.py",
    "tidemark/groups/store.py",
    "tidemark/groups/streams/model.py",
    "tidemark/groups/unread.py",
    "tidemark/core/context.py",
    "tidemark/core/removal.py",
    "tidemark/core/result.py",
    "tidemark/handlers/groups/offset_commit.py",
    "tidemark/log/flusher.py",
    "tidemark/runtime/journal.py",
    "tidemark/runtime/record_writers.py",
    "tidemark/runtime/runtime.py",
    "tidemark/runtime/pending.py",
    "tidemark/server/router.py",
    "tidemark/server/session.py",
)

BASES: Final = ("Struct", "Event", "Effect", "Machine")  # compiled classes that others inherit from

SETUP: Final = """\
from mypyc.build import mypycify
from setuptools import setup

modules = mypycify(["--strict", "--explicit-package-bases", *{hot!r}], opt_level={level!r})
setup(name="tidemark", packages=[], ext_modules=modules, script_args=["-q", "build_ext", "--inplace"])
"""


class Compiling(BuildHookInterface[Any]):
    """hatchling's hook: does nothing unless TIDEMARK_COMPILE is 1."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [*NEEDS, *self.metadata.core.dependencies] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not _wanted() or version == "editable" or self.target_name != "wheel":
            return
        self._folder = Path(tempfile.mkdtemp())
        for module in compile_into(self._folder):
            build_data["force_include"][str(module)] = str(module.relative_to(self._folder))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if not build_data.get("pure_python", True):
            shutil.rmtree(self._folder)


def compile_into(folder: Path, level: str = LEVEL) -> list[Path]:
    """A copy of the packages with the hot modules compiled; the compiled modules."""
    for package in PACKAGES:
        target = folder / Path(package).name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(ROOT / package, target, ignore=shutil.ignore_patterns("__pycache__"))
    for name in HOT:
        path = folder / name
        path.write_text(_prepared(path.read_text()))
    (folder / "setup.py").write_text(SETUP.format(hot=HOT, level=level))
    # Its own process: setuptools and mypy change the working directory's meaning and the interpreter's state.
    subprocess.run([sys.executable, "setup.py"], cwd=folder, check=True)
    shutil.rmtree(folder / "build")
    return sorted(folder.rglob("*.so"))


def _prepared(source: str) -> str:
    """Every compiled class has slots, and mypyc does not know the word; and what is not compiled may inherit
    from what is only where that says so.
    """
    source = source.replace("@dataclass(slots=True, ", "@dataclass(")
    source = source.replace("@dataclass(slots=True)", "@dataclass")
    attribute = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n"
        "    from mypy_extensions import mypyc_attr\n"
        "@mypyc_attr(allow_interpreted_subclasses=True)\n"
    )
    for base in BASES:
        source = source.replace(f"\nclass {base}:\n", f"\n{attribute}class {base}:\n")
    return source


def _wanted() -> bool:
    return os.environ.get("TIDEMARK_COMPILE") == "1"


if __name__ == "__main__":
    compile_into(Path(sys.argv[1]).absolute(), *sys.argv[2:3])
