"""The list of interceptors of a node. The interceptors themselves are imported only if there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Interceptors:
    """The interceptors of a node (`Interceptor`), in the order in which they see requests and responses.

    Each sees the result of those before it. An interceptor that is added sees requests that arrive from now
    on; one that is removed sees nothing more.

    of_apis  the results of `of` since the last change; a look-up in it costs less than the call
    """

    __slots__ = ("_all", "_watchers", "of_apis")

    def __init__(self) -> None:
        self._all: tuple[Any, ...] = ()
        self.of_apis: dict[str, tuple[Any, ...]] = {}
        self._watchers: list[Callable[[], None]] = []

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def of(self, api: str) -> tuple[Any, ...]:
        """Return those that may see requests of this API."""
        found = self.of_apis.get(api)
        if found is None:
            found = tuple(each for each in self._all if each.apis is None or api in each.apis)
            self.of_apis[api] = found
        return found

    def refresh(self) -> None:
        """Call this after the `apis` of an interceptor have changed."""
        self.of_apis.clear()

    def add(self, interceptor: Any) -> None:
        self._set((*self._all, interceptor))

    def remove(self, interceptor: Any) -> None:
        """Raises ValueError if it is not in the list."""
        position = self._all.index(interceptor)
        self._set(self._all[:position] + self._all[position + 1 :])

    def watch(self, changed: Callable[[], None]) -> None:
        """Call changed after each change of the list."""
        self._watchers.append(changed)

    def unwatch(self, changed: Callable[[], None]) -> None:
        """Undo `watch`. Idempotent."""
        if changed in self._watchers:
            self._watchers.remove(changed)

    def _set(self, interceptors: tuple[Any, ...]) -> None:
        self._all = interceptors
        self.refresh()
        for changed in tuple(self._watchers):
            changed()
