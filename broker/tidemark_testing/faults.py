"""Faults for tests: `tidemark.faults.add(api="OffsetCommit", error="NOT_COORDINATOR", times=2)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Final, Unpack, cast

from tidemark.faults.model import FaultFields
from tidemark_testing.isolation import Isolation, wait
from tidemark_testing.report import instead, sentences
from tidemark_tools.http_api import Api, ApiError

__tracebackhide__ = True

# The filters that can hold a name that begins with the prefix of a test.
OWN_NAMES: Final = ("group", "topic", "transactional_id", "client_id")


class SetFault:
    """A fault that was set. As a context manager, it is removed when the block ends."""

    def __init__(self, api: Api, view: dict[str, Any]) -> None:
        self._api = api
        self.id: int = view["id"]
        self._last = view

    def __repr__(self) -> str:
        return f"SetFault(id={self.id}, {self.fields})"

    def __enter__(self) -> SetFault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    @property
    def fields(self) -> FaultFields:
        """The fields that it was set with."""
        return cast("FaultFields", dict(self._last["fault"]))

    @property
    def matched(self) -> int:
        """The number of requests to which it was applied. After its removal: until then.

        A request on which it can have no effect is not counted: its response has no place for the error.
        """
        return int(self._view()["matched"])

    @property
    def seen(self) -> int:
        """The number of requests that passed its filters, including those that nth or every left out."""
        return int(self._view()["seen"])

    @property
    def waiting(self) -> int:
        """The number of requests and responses that wait for `release`."""
        return int(self._view()["waiting"])

    @property
    def active(self) -> bool:
        """False once it was removed, or `times` or `for_ms` have ended it."""
        return bool(self._view()["active"])

    def wait_for(self, matched: int = 1, timeout: float = 5.0) -> SetFault:
        """Return self once it was applied to at least this many requests.

        Raises AssertionError after timeout seconds.
        """

        def too_few() -> str | None:
            found = self.matched
            return None if found >= matched else f"matched {found} instead of {matched} within {timeout:g} s"

        if (reason := wait(too_few, timeout)) is not None:
            raise AssertionError(f"{self}: {sentences(reason, instead(self._api, self.fields))}")
        return self

    def release(self) -> int:
        """Let the requests that wait continue. Return how many. The fault stays."""
        return int(self._api.post(f"/v1/faults/{self.id}/release")["released"])

    def remove(self) -> None:
        """Remove it; requests that wait for it continue. Idempotent."""
        self._view(lambda: self._api.delete(f"/v1/faults/{self.id}"))

    def _view(self, read: Callable[[], Any] | None = None) -> dict[str, Any]:
        try:
            self._last = read() if read else self._api.get("/v1/faults", id=self.id)["faults"][0]
        except ApiError as error:
            if error.status != 404:
                raise
            self._last = {**self._last, "active": False, "waiting": 0}
        return self._last


class Faults:
    """The faults of a broker. Iteration yields them in the order in which they were set.

    If a prefix keeps tests apart, other tests may use the broker: these are the faults of one test.
    """

    def __init__(self, api: Api, isolation: Isolation, made: list[int]) -> None:
        """made: the ids of the faults that this test has set, and sets."""
        self._api = api
        self._isolation = isolation
        self._made = made

    def __iter__(self) -> Iterator[SetFault]:
        return iter([SetFault(self._api, view) for view in self._views()])

    def __len__(self) -> int:
        return len(self._views())

    def clear(self) -> None:
        """Remove all of them. `restore()` does so too."""
        if self._isolation.prefix:
            for fault in self:
                fault.remove()
        else:
            self._api.delete("/v1/faults")
        self._made.clear()

    def _views(self) -> list[dict[str, Any]]:
        views: list[dict[str, Any]] = self._api.get("/v1/faults")["faults"]
        if self._isolation.prefix:
            views = [view for view in views if view["id"] in self._made]
        return views

    def add(self, **fields: Unpack[FaultFields]) -> SetFault:
        """Set a fault for requests that arrive from now on. docs/faults.md explains each field.

        Raises ApiError, with the field, if a field is wrong. Skips the test if the fault could match requests
        of other tests that use the broker at the same time.
        """
        given: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        for name in ("group", "topic"):
            if name in given:
                given[name] = self._isolation.name(given[name])
        if not self._is_of_this_test(given):
            self._isolation.check_alone("faults.add() without group or topic")
        view = self._api.post("/v1/faults", given)
        self._made.append(view["id"])
        return SetFault(self._api, view)

    def _is_of_this_test(self, given: dict[str, Any]) -> bool:
        """Return whether a filter has a name that only this test uses."""
        own = self._isolation.prefix
        named = [given[name] for name in OWN_NAMES if name in given]
        return any(isinstance(name, str) and name.startswith(own) for name in named)
