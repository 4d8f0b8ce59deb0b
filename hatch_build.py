"""Compiles the hot path to C with mypyc, which doubles the speed.

    TIDEMARK_COMPILE=1 pip install .       a wheel with the compiled modules beside the source
    python hatch_build.py DIR [LEVEL [CLASS ...]]
                                           a compiled copy of the packages in DIR, for PYTHONPATH

LEVEL is the optimization level of the C compiler: 2 by default, 0 for a fast build. Interpreted classes may
inherit from each CLASS, which makes it slower.

It needs a C compiler. Pure Python is the default and the reference: the compiled files are the same, except
for the changes in `prepared`. HOT lists the modules that an OffsetCommit passes (docs/architecture.md, 4).
"""

from __future__ import annotations

import ast
import compileall
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).resolve().parent
PACKAGES: Final = (
    "broker/tidemark",
    "broker/tidemark_http",
    "broker/tidemark_tools",
    "broker/tidemark_testing",
    "protocol/tidemark_protocol",
    "protocol/tidemark_expiry",
    "pipeline/tidemark_pipeline",
)
NEEDS: Final = ("mypy", "setuptools")
LEVEL: Final = "2"
DOCUMENTS: Final = (".md", ".png", ".svg")

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
    "tidemark/groups/classic/joining.py",
    "tidemark/groups/classic/member.py",
    "tidemark/groups/consumer/group.py",
    "tidemark/groups/consumer/member.py",
    "tidemark/groups/group.py",
    "tidemark/groups/offsets.py",
    "tidemark/groups/share/group.py",
    "tidemark/groups/streams/group.py",
    "tidemark/groups/state.py",
    "tidemark/groups/unserved.py",
    "tidemark/core/apply.py",
    "tidemark/core/context.py",
    "tidemark/core/decision.py",
    "tidemark/handlers/groups/offset_commit.py",
    "tidemark/engine/group_commit.py",
    "tidemark/engine/coordinator.py",
    "tidemark/engine/request.py",
    "tidemark/server/router.py",
    "tidemark/server/session.py",
)

# Dataclasses of HOT that are arguments of `dataclasses.replace` or `fields`.
DATACLASSES: Final = ("Caller", "ConsumerMember", "Now", "Removal")
BASES: Final = ("Effect", "Machine")  # compiled classes that others inherit from
STRUCT: Final = "Struct"  # of msgspec

CODECS: Final = "tidemark_protocol/messages/"
ARRAY_READ: Final = re.compile(r"^( +)for _ in range\((\w+)_count\):$", re.MULTILINE)
ARRAY_WRITTEN: Final = re.compile(r"^( +)for (\w+)_item in \2:$", re.MULTILINE)
# After so many elements, about 150 microseconds, the event loop may run: a worker decodes long messages.
RELEASE: Final = r"""
\1    if \2_number & 511 == 511:
\1        sleep(0)"""

SETUP: Final = """\
import os
from concurrent.futures import ThreadPoolExecutor

from mypyc.build import mypycify
from setuptools import setup
from setuptools.command.build_ext import build_ext

flags = ["--strict", "--explicit-package-bases", "--ignore-missing-imports"]  # re2 has no types
modules = mypycify([*flags, *{hot!r}], opt_level={level!r}, debug_level="0", multi_file=True)


# One extension has nearly all of the code. Its files are compiled at the same time.
class Parallel(build_ext):
    def build_extensions(self):
        compile_some = self.compiler.compile

        def compile_all(sources, output_dir, **options):
            for name in self.compiler.object_filenames(sources, output_dir=output_dir):
                os.makedirs(os.path.dirname(name), exist_ok=True)  # distutils' own check is no use to threads
            # macOS cannot say which of the processors this process may use.
            usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
            with ThreadPoolExecutor(usable) as pool:
                done = pool.map(lambda source: compile_some([source], output_dir, **options), sources)
                return [name for names in done for name in names]

        self.compiler.compile = compile_all
        super().build_extensions()


setup(
    name="tidemark",
    packages=[],
    ext_modules=modules,
    cmdclass={{"build_ext": Parallel}},
    script_args=["-q", "build_ext", "--inplace"],
)
"""


class Compiling(BuildHookInterface[Any]):
    """The build hook of hatchling. It does nothing unless TIDEMARK_COMPILE is 1."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [*NEEDS, *self.metadata.core.dependencies] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or self.target_name != "wheel":
            return
        # The HTTP port serves the documentation. A checkout has it beside the package.
        for page in sorted((ROOT / "docs").rglob("*")) if (ROOT / "docs").is_dir() else []:
            if page.suffix in DOCUMENTS:
                build_data["force_include"][str(page)] = f"tidemark_http/{page.relative_to(ROOT).as_posix()}"
        if not _wanted():
            return
        self._folder = Path(tempfile.mkdtemp())
        for module in compile_into(self._folder):
            build_data["force_include"][str(module)] = str(module.relative_to(self._folder))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if not build_data.get("pure_python", True):
            shutil.rmtree(self._folder)


def compile_into(folder: Path, level: str = LEVEL, bases: Iterable[str] = ()) -> list[Path]:
    """Copy the packages to folder and compile the hot modules there. Return the compiled files."""
    for package in PACKAGES:
        target = folder / Path(package).name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(ROOT / package, target, ignore=shutil.ignore_patterns("__pycache__"))
    for name in HOT:
        path = folder / name
        source = prepared(path.read_text(), (*BASES, *bases))
        path.write_text(_releasing(source) if name.startswith(CODECS) else source)
    (folder / "setup.py").write_text(SETUP.format(hot=HOT, level=level))
    # In a process of its own, because setuptools and mypy change the state of the interpreter.
    subprocess.run([sys.executable, "setup.py"], cwd=folder, check=True)
    shutil.rmtree(folder / "build")
    return sorted(folder.rglob("*.so"))


def prepared(source: str, bases: Iterable[str] = BASES) -> str:
    """Adapt the source to mypyc.

    It rejects `slots=True`, because every compiled class has slots. A compiled dataclass cannot have the
    metaclass of ABC, and must be one of the standard library. Interpreted classes may inherit only from
    compiled classes that allow it.
    """
    source = _without_dataclasses(source)
    source = source.replace("from tidemark.late_dataclass import", "from dataclasses import")
    source = source.replace("@dataclass(slots=True, ", "@dataclass(")
    source = source.replace("@dataclass(slots=True)", "@dataclass")
    source = source.replace("(ABC):\n", ":\n")
    # A compiled dataclass reads the types of its fields when it is made. `Groups` does not exist by then.
    source = source.replace("    store: Groups = field(", "    store: Any = field(")
    attribute = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n"
        "    from mypy_extensions import mypyc_attr\n"
        "@mypyc_attr(allow_interpreted_subclasses=True)\n"
    )
    for base in bases:
        source = source.replace(f"\nclass {base}:\n", f"\n{attribute}class {base}:\n")
    return source


def _releasing(source: str) -> str:
    """Let a codec release the interpreter in long arrays, which only interpreted code does by itself."""
    source = ARRAY_READ.sub(r"\1for \2_number in range(\2_count):" + RELEASE, source)
    source = ARRAY_WRITTEN.sub(r"\1for \2_number, \2_item in enumerate(\2):" + RELEASE, source)
    return source.replace("\nimport struct\n", "\nimport struct\nfrom time import sleep\n", 1)


def _without_dataclasses(source: str) -> str:
    """Write the methods of dataclasses and of msgspec's structs out.

    mypyc does not compile those of dataclasses: the standard library makes them at each import, in 0.3 to 1
    ms for a class. A class stays a dataclass if it inherits fields, or another class does from it, or
    DATACLASSES names it. Compiled code reads the attributes of its own classes faster than those of msgspec.
    """
    lines = source.splitlines(keepends=True)
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    bases = {node.name: {ast.unparse(base) for base in node.bases} for node in classes}
    kept = {*DATACLASSES}.union(*bases.values())  # others inherit their fields
    for node in reversed(classes):
        options, fields = _options(node), _fields(node)
        base_names = bases[node.name] - {STRUCT, "Generic[A]"}
        if options is None or fields is None or node.name in kept or not base_names <= {*BASES}:
            continue
        lines[node.end_lineno or 0 : node.end_lineno or 0] = _methods(node, fields, options)
        for field in reversed(fields):
            lines[field.first - 1 : field.last] = [f"    {field.name}: {field.annotation}\n"]
        if node.decorator_list:
            decorator = node.decorator_list[0]
            del lines[decorator.lineno - 1 : decorator.end_lineno]
        else:
            others = bases[node.name] - {STRUCT}
            lines[node.lineno - 1] = (
                f"class {node.name}" + (f"({', '.join(others)})" if others else "") + ":\n"
            )
    return "".join(lines)


class _Field(NamedTuple):
    """A field of a dataclass: its lines in the source, and the text of its default or default_factory."""

    name: str
    annotation: str
    first: int
    last: int
    default: str | None
    factory: str | None


def _options(node: ast.ClassDef) -> dict[str, bool] | None:
    """Return the options of a dataclass or a struct, or None if the class is neither."""
    if any(ast.unparse(base) == STRUCT for base in node.bases):
        return {str(each.arg): ast.unparse(each.value) == "True" for each in node.keywords}
    match node.decorator_list:
        case [ast.Call(func=ast.Name(id="dataclass"), keywords=keywords)]:
            options = {str(each.arg): ast.unparse(each.value) == "True" for each in keywords}
            return options if options.keys() <= {"slots", "frozen", "eq"} else None
    return None


def _fields(node: ast.ClassDef) -> list[_Field] | None:
    """Return the fields, or None if one of them is unusual."""
    found = []
    for line in node.body:
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
            continue
        annotation = ast.unparse(line.annotation)
        if annotation.startswith("ClassVar"):
            continue
        default = factory = None
        match line.value:
            case ast.Call(func=ast.Name(id="field"), keywords=[ast.keyword("default_factory", value)]):
                factory = ast.unparse(value)
            case ast.Call(func=ast.Name(id="field")):
                return None
            case ast.List(elts=[]):
                factory = "list"
            case ast.expr() as value:
                default = ast.unparse(value)
        if factory is not None and "None" in annotation:  # None would mean both
            return None
        last = line.end_lineno or line.lineno
        found.append(_Field(line.target.id, annotation, line.lineno, last, default, factory))
    return found


def _methods(node: ast.ClassDef, fields: list[_Field], options: dict[str, bool]) -> list[str]:
    """Return the methods that the standard library would make, and that the class does not have."""
    parameters = ["self"]
    body = []
    for field in fields:
        if field.factory is not None:
            parameters.append(f"{field.name}: {field.annotation} | None = None")
            body.append(f"self.{field.name} = {field.factory}() if {field.name} is None else {field.name}")
        else:
            default = "" if field.default is None else f" = {field.default}"
            parameters.append(f"{field.name}: {field.annotation}{default}")
            body.append(f"self.{field.name} = {field.name}")
    own = {line.name for line in node.body if isinstance(line, ast.FunctionDef)}
    if "__post_init__" in own:
        body.append("self.__post_init__()")
    mine, others = (
        "(" + "".join(f"{one}.{field.name}, " for field in fields) + ")" for one in ("self", "other")
    )
    shown = ", ".join(f"{field.name}={{self.{field.name}!r}}" for field in fields)
    methods = {
        f"__init__({', '.join(parameters)}) -> None": body or ["pass"],
        "__repr__(self) -> str": [f"return f'{node.name}({shown})'"],
    }
    if options.get("eq", True):
        methods["__eq__(self, other: object) -> bool"] = [
            f"return isinstance(other, {node.name}) and {mine} == {others}"
        ]
        if not node.decorator_list:  # a struct
            arguments = ", ".join(f"self.{field.name}" for field in fields)
            methods[f"__copy__(self) -> {node.name}"] = [f"return {node.name}({arguments})"]
        if options.get("frozen"):
            methods["__hash__(self) -> int"] = [f"return hash({mine})"]
    lines = []
    for head, statements in methods.items():
        if head.partition("(")[0] not in own:
            lines += [f"    def {head}:\n", *(f"        {statement}\n" for statement in statements)]
    return lines


def _wanted() -> bool:
    return os.environ.get("TIDEMARK_COMPILE") == "1"


if __name__ == "__main__":
    target = Path(sys.argv[1]).absolute()
    compile_into(target, *sys.argv[2:3], bases=sys.argv[3:])
    # As pip does. Where PYTHONDONTWRITEBYTECODE is set, each start would compile the other modules: 0.2 s.
    compileall.compile_dir(target, quiet=1)
