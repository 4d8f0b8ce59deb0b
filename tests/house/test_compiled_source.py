"""The source that mypyc compiles means the same as ours (hatch_build.py)."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

import pytest

from hatch_build import HOT, ROOT, prepared

SOURCE: Final = '''\
from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from tidemark.core.decision import Effect
from tidemark.late_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class Point:
    """A docstring."""

    x: int
    y: int = (
        3
    )
    KIND: ClassVar[int] = 7

    @property
    def size(self) -> int:
        return self.x * self.y


@dataclass(slots=True)
class Line(Effect):
    points: list[Point] = field(default_factory=list)
    name: str | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass(slots=True, eq=False)
class Thing:
    key: str


@dataclass(slots=True)
class Base:
    key: str


@dataclass(slots=True)
class Below(Base):
    more: int = 1
'''


def classes(source: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    module = ModuleType("written_out")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look ClassVar up
    exec(compile(source, "source", "exec"), module.__dict__)
    return module.__dict__


def test_methods_of_dataclasses_are_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = classes(prepared(SOURCE), monkeypatch)
    for name in ("Point", "Line", "Thing"):
        assert not hasattr(compiled[name], "__dataclass_fields__")

    def seen(made: dict[str, Any]) -> list[Any]:
        point, line, thing = made["Point"], made["Line"], made["Thing"]
        return [
            repr(point(1)),
            (point(1).size, point.KIND, point.__doc__),
            point(1) == point(1, 3),
            point(1) == point(2),
            point(1) == (1, 3),
            hash(point(1, y=4)) == hash(point(1, 4)),
            repr(line(name="n")),
            line().points,
            line().points is line().points,
            line([point(1)]) == line([point(1)], None),
            line.__hash__ is None,
            thing("k") == thing("k"),
            thing("k").key,
            repr(made["Below"]("k")),
        ]

    assert seen(compiled) == seen(classes(SOURCE, monkeypatch))


@pytest.mark.parametrize("name", HOT)
def test_compiled_modules_exist_and_are_valid_once_prepared(name: str) -> None:
    found = [path for path in (ROOT / "broker" / name, ROOT / "protocol" / name) if path.exists()]
    compile(prepared(found[0].read_text()), name, "exec")
