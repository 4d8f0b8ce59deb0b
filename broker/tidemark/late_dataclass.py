"""`dataclass` of the standard library, but the methods of a class are made when they are first used.

The standard library compiles each method from text, which takes 0.3 to 1 ms for a class. The broker defines
about 80 dataclasses before it is ready, and this was a quarter of its start. Here the first instance of a
class compiles `__init__`. The first use of another method lets the standard library make all methods. From
then on, the class is like one of the standard library, and as fast.

Modules that a start imports use it; other modules may. Every class must have slots. The only other options
are those that a class here uses: `frozen`, `eq` and `order`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, KeysView
from functools import partial
from threading import RLock
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass

_making: Final = RLock()  # reentrant, because a class needs the fields of its bases


class _Definition:
    """How to make the methods of a dataclass.

    source   the class as it was written, without slots; None once all methods are made
    made     the dataclass
    """

    __slots__ = ("made", "options", "source")

    made: type

    def __init__(self, source: type, options: dict[str, bool]) -> None:
        self.source: type | None = source
        self.options = options

    def make(self, name: str) -> Any:
        """Return an attribute of the class, and make it if it is not made yet."""
        with _making:
            if (source := self.source) is not None:
                if name == "__init__" and _fields(source) <= source.__annotations__.keys():
                    setattr(self.made, name, _init(source, frozen=self.options["frozen"]))
                else:
                    self._make_all(source)
        return vars(self.made)[name]

    def _make_all(self, source: type) -> None:
        full: Any = dataclasses.dataclass(slots=True, **self.options)(source)
        for name, value in list(vars(self.made).items()):
            if type(value) is _Later:
                setattr(self.made, name, vars(full)[name])
        self.made.__doc__ = full.__doc__
        self.source = None


class _Later:
    """An attribute of a dataclass until its first use, which makes it."""

    __slots__ = ("definition", "name")

    def __init__(self, definition: _Definition, name: str) -> None:
        self.definition = definition
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        value = self.definition.make(self.name)
        bind = getattr(value, "__get__", None)
        return value if bind is None else bind(instance, owner)


def _late_dataclass(
    *, slots: bool, frozen: bool = False, eq: bool = True, order: bool = False
) -> Callable[[type], type]:
    assert slots
    return partial(_define, options={"frozen": frozen, "eq": eq, "order": order})


def _define(source: type, options: dict[str, bool]) -> type:
    """Return a copy of the class that has slots, because they cannot be added to a class."""
    definition = _Definition(source, options)
    fields = _fields(source)
    taken = {name for base in source.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    namespace = {
        name: value
        for name, value in source.__dict__.items()
        if name not in fields and name not in ("__dict__", "__weakref__")
    }
    for name in _names_of_methods(options):
        if namespace.get(name) is None:
            namespace[name] = _Later(definition, name)
    namespace["__slots__"] = tuple(name for name in fields if name not in taken)
    definition.made = type(source)(source.__name__, source.__bases__, namespace)
    definition.made.__qualname__ = source.__qualname__
    return definition.made


def _names_of_methods(options: dict[str, bool]) -> list[str]:
    """Return the attributes that the standard library may add to the class."""
    names = ["__dataclass_fields__", "__dataclass_params__", "__match_args__", "__init__", "__repr__"]
    if options["eq"]:
        names += ("__eq__", "__hash__")
    if options["order"]:
        names += ("__lt__", "__le__", "__gt__", "__ge__")
    if options["frozen"]:
        names += ("__setattr__", "__delattr__", "__getstate__", "__setstate__")
    return names


def _fields(source: type) -> KeysView[str]:
    """Return the fields of a class, those of its bases first."""
    return {
        name: None
        for base in reversed(source.__mro__)
        if base is source or "__dataclass_params__" in base.__dict__
        for name, annotation in base.__annotations__.items()
        if not annotation.startswith("ClassVar")  # text, because every module postpones annotations
    }.keys()


def _init(source: type, *, frozen: bool) -> Callable[..., None]:
    """Compile `__init__` of a class that inherits no fields."""
    parameters, lines = ["self"], []
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    for name in _fields(source):
        one: Any = getattr(source, name, dataclasses.MISSING)
        if not isinstance(one, dataclasses.Field):
            one = dataclasses.field(
                default=dataclasses.MISSING if isinstance(one, MemberDescriptorType) else one
            )
        assert one.kw_only is dataclasses.MISSING, f"{name}: kw_only is for classes that inherit fields"
        default, value = f"_default_{name}", name
        if one.default_factory is not dataclasses.MISSING:
            names[default] = one.default_factory
            parameters += [f"{name}=_missing"] * one.init
            value = f"{default}() if {name} is _missing else {name}" if one.init else f"{default}()"
        elif one.default is not dataclasses.MISSING:
            names[default] = one.default
            parameters += [f"{name}={default}"] * one.init
            value = name if one.init else default
        elif one.init:
            parameters.append(name)
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(source, "__post_init__"):
        lines.append("self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"])
    exec(text, names)  # noqa: S102 the names of our own fields, as the standard library does it
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{source.__qualname__}.__init__"
    return init


if not TYPE_CHECKING:
    dataclass = _late_dataclass

__all__ = ["dataclass"]
