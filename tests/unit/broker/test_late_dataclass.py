"""Late dataclasses are the standard library's, except for the time at which their methods are made."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from threading import Barrier
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from tidemark.late_dataclass import dataclass

T = TypeVar("T")
Decorate = Callable[..., Any]
OPTIONS: list[dict[str, bool]] = [
    {},
    {"frozen": True},
    {"eq": False},
    {"order": True},
    {"frozen": True, "order": True},
]


@dataclass(slots=True, frozen=True)
class Frozen:
    name: str
    size: int = 3


@dataclass(slots=True)
class Plain(Generic[T]):
    value: T
    items: list[int] = field(default_factory=list)
    hidden: int = field(default=1, repr=False, compare=False)
    KINDS: ClassVar[tuple[str, ...]] = ("a", "b")


@dataclass(slots=True)
class Derived(Plain[int]):
    more: str = ""

    def __repr__(self) -> str:
        return f"<{self.more}>"


def family(decorate: Decorate, options: dict[str, bool]) -> tuple[Any, Any]:
    """Return a class and a subclass, decorated."""

    @decorate(slots=True, **options)
    class Base:
        """Has a docstring."""

        name: str
        size: int = 3
        items: list[int] = field(default_factory=list)
        given: int = field(default=1, init=False)
        made: list[int] = field(default_factory=list, init=False)
        unset: int = field(init=False, repr=False, compare=False)
        KIND: ClassVar[int] = 7

        def __post_init__(self) -> None:
            object.__setattr__(self, "unset", 8)

        def twice(self) -> int:
            return self.size * 2

    @decorate(slots=True, **options)
    class Below(Base):
        size: int = 4
        extra: str = "x"

    return Base, Below


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("which", [0, 1], ids=["base", "subclass"])
def test_class_has_the_attributes_of_the_standard_one(options: dict[str, bool], which: int) -> None:
    late, standard = (family(each, options)[which] for each in (dataclass, dataclasses.dataclass))
    _ = late.__dataclass_fields__  # makes the methods
    assert vars(late).keys() == vars(standard).keys()
    assert late.__slots__ == standard.__slots__
    assert late.__match_args__ == standard.__match_args__
    assert late.__qualname__ == standard.__qualname__
    assert late.__doc__ == standard.__doc__
    assert (late.__hash__ is None) == (standard.__hash__ is None)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("which", [0, 1], ids=["base", "subclass"])
def test_instances_behave_as_the_standard_ones(options: dict[str, bool], which: int) -> None:
    def seen(decorate: Decorate) -> list[Any]:
        made = family(decorate, options)[which]
        one, same, other = made("n"), made("n"), made("m", size=5, items=[1])
        return [
            repr(one),
            one == same,
            one == other,
            one.twice(),
            other.items,
            one.KIND,
            (one.given, one.made, one.unset),
            dataclasses.asdict(one),
            dataclasses.replace(one, name="r").name,
            outcome(lambda: hash(one) == hash(same)),
            outcome(lambda: one < other),
            outcome(lambda: setattr(one, "size", 9)),
            outcome(lambda: setattr(one, "unknown", 9)),
            outcome(lambda: delattr(one, "size")),
            outcome(made),
            outcome(lambda: made("n", unknown=1)),
        ]

    assert seen(dataclass) == seen(dataclasses.dataclass)


def outcome(do: Callable[[], Any]) -> Any:
    """Return a value, or the type of an error and its text."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001 the error is compared
        return type(error), str(error)


def test_methods_of_its_own_are_kept() -> None:
    one = Derived(1, more="m")
    assert repr(one) == "<m>"
    assert repr(Plain(1)) == "Plain(value=1, items=[])"
    assert one == Derived(1, [], 5, "m")
    assert Plain.KINDS == ("a", "b")


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_are_equal(remake: Callable[[Any], Any]) -> None:
    for one in (Frozen("n", 4), Plain([1], [2], 3), Derived(1, more="m")):
        again = remake(one)
        assert again == one
        assert again is not one


def test_unpickled_instance_is_the_first_one_of_its_class() -> None:
    pickled = pickle.dumps(Frozen("n", 4))
    code = f"import pickle; print(pickle.loads({pickled!r}) == pickle.loads({pickled!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_class_pattern_matches_by_position() -> None:
    match Frozen("n", 4):
        case Frozen(name, size):
            assert (name, size) == ("n", 4)
        case _:
            pytest.fail("it does not match")


def test_methods_are_made_at_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    standard = dataclasses.dataclass

    def counted(*arguments: Any, **options: Any) -> Any:
        made.append("methods")
        return standard(*arguments, **options)

    monkeypatch.setattr(dataclasses, "dataclass", counted)
    base, below = family(dataclass, {})
    assert made == []
    base("n")
    assert made == []  # only __init__
    assert base("n") == base("n")
    assert made == ["methods"]
    below("n")  # its fields follow those of its base
    assert made == ["methods", "methods"]


def test_threads_may_use_a_class_at_the_same_time() -> None:
    threads = 4
    for _ in range(50):
        _, below = family(dataclass, {"frozen": True})
        together = Barrier(threads)

        def make(made: Any = below, together: Barrier = together) -> Any:
            together.wait()
            return made("n")

        with ThreadPoolExecutor(threads) as pool:
            results = [each.result() for each in [pool.submit(make) for _ in range(threads)]]
        assert results == [below("n")] * threads
