"""`dataclass` as in the standard library, except that the methods of a class are made when they are needed.

The standard library compiles each method from text, which takes 0.3 to 1 ms for a class. The broker defines a
hundred dataclasses before it is ready; this was a quarter of its start. Here the first instance of a class
compiles `__init__`, and the first use of another method lets the standard library make all of them. From then
on, the class is the same as one of the standard library, and as fast.

Options that no class here uses (`kw_only`, `unsafe_hash`, `weakref_slot`, `match_args`) do not exist.
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

ORDER: Final = ("__lt__", "__le__", "__gt__", "__ge__")
_making: Final = RLock()  # reentrant, because a class needs the fields of its bases


class _Definition:
    """A dataclass. source: as it was written, without slots, until the methods of `made` are made."""

    __slots__ = ("made", "options", "source")

    made: type

    def __init__(self, source: type, options: dict[str, bool]) -> None:
        self.source: type | None = source
        self.options = options

    def make(self, name: str) -> Any:
        """Return an attribute of the class. The first call makes it."""
        with _making:
            if (source := self.source) is not None:
                if name == "__init__" and _fields(source) <= source.__annotations__.keys():
                    setattr(self.made, name, _init(source, frozen=self.options.get("frozen", False)))
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
    """Stands for an attribute of a dataclass until its first use."""

    __slots__ = ("definition", "name")

    def __init__(self, definition: _Definition, name: str) -> None:
        self.definition = definition
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        value = self.definition.make(self.name)
        bind = getattr(value, "__get__", None)
        return value if bind is None else bind(instance, owner)


def _late_dataclass(cls: type | None = None, /, *, slots: bool = False, **options: bool) -> Any:
    if not slots:
        return dataclasses.dataclass(cls, **options)
    return partial(_define, options=options) if cls is None else _define(cls, options)


def _define(source: type, options: dict[str, bool]) -> type:
    """Return the class again, with slots, which cannot be added to a class."""
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
    names = ["__dataclass_fields__", "__dataclass_params__", "__match_args__"]
    names += [f"__{name}__" for name in ("init", "repr", "eq") if options.get(name, True)]
    if options.get("eq", True):
        names.append("__hash__")
    if options.get("order"):
        names += ORDER
    if options.get("frozen"):
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
