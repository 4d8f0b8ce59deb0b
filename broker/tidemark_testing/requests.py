"""The requests that a broker received, for assertions about what a client sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, get_args, overload

from tidemark.server.request_journal import OUTCOMES, Outcome
from tidemark.settings.setting import closest
from tidemark_protocol.names import ApiName, ErrorName
from tidemark_testing.isolation import wait
from tidemark_testing.report import instead, sentences
from tidemark_testing.responses import RequestedTopic, read
from tidemark_tools.http_api import Api

__tracebackhide__ = True

PAGE: Final = 1000
SHOWN_MAX: Final = 10
# The filters with names that Kafka and tidemark define. Those of groups and topics may exist later.
KNOWN: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "api": ("the name of an API of Kafka", get_args(ApiName)),
    "error": ("the name of an error of Kafka", get_args(ErrorName)),
    "outcome": (" or ".join(OUTCOMES), OUTCOMES),
}


@dataclass(frozen=True)
class RecordedRequest:
    """A request and its response. docs/faults.md explains the fields. Times are in milliseconds.

    request, response  the messages with the names of Kafka's schemas; None if there is none, or it is long
    duration_ms        None while it is pending
    """

    number: int
    at_ms: int
    api: ApiName
    version: int
    client_id: str
    outcome: Outcome
    duration_ms: int | None = None
    client_host: str = ""
    principal: str = ""
    listener: str = ""
    connection: int = 0
    node_id: int | None = None
    groups: list[str] = field(default_factory=list)
    transactional_ids: list[str] = field(default_factory=list)
    topics: list[RequestedTopic] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    faults: list[int] = field(default_factory=list)
    request_bytes: int = 0
    response_bytes: int = 0
    request: dict[str, Any] | None = None
    response: dict[str, Any] | None = None

    def __str__(self) -> str:
        ended = f" after {self.duration_ms} ms" if self.duration_ms is not None else ""
        errors = f" {', '.join(self.errors)}" if self.errors else ""
        return (
            f"{self.number}: {self.api} v{self.version} of {self.client_id!r}: {self.outcome}{ended}{errors}"
        )


class NotRecorded(Exception):
    """The journal does not hold every request that the test asks for, so an absence or a count is unknown."""


class Requests(Sequence[RecordedRequest]):
    """The recorded requests that pass the filters. They are read when they are first used.

    `refresh` and `wait_for` read them again. If the journal has evicted requests that might have passed the
    filters, the last ones can be trusted, but not their number: `len`, iteration and an index from the front
    raise NotRecorded, and so does the truth value if there are none.
    """

    def __init__(self, api: Api, filters: dict[str, Any]) -> None:
        self._api = api
        self._filters = {name: value for name, value in filters.items() if value is not None}
        for name, (wanted, known) in KNOWN.items():
            value = self._filters.get(name)
            if value is not None and value not in known:
                raise ValueError(
                    f"requests(): {name} must be {wanted}, got {value!r}{closest(str(value), known)}"
                )
        self._found: list[RecordedRequest] | None = None
        self._unknown = ""  # why there may be more requests than those that were found

    def refresh(self) -> Requests:
        """Read the requests again. Return self."""
        found: list[RecordedRequest] = []
        evicted, cursor = 0, None
        while True:
            page = self._api.get("/v1/requests", limit=PAGE, cursor=cursor, **self._filters)
            found += [read(RecordedRequest, each) for each in page["requests"]]
            evicted += page.get("evicted", 0)
            cursor = page["cursor"]
            if cursor is None:
                break
        self._found = found
        self._unknown = self._why_unknown(page, evicted)
        return self

    def _why_unknown(self, page: dict[str, Any], evicted: int) -> str:
        if not page["recording"]:
            return "the broker records no requests: tidemark.requests.max must be positive"
        after = self._filters.get("after", 0)
        if page["count"] < after:
            return f"after={after} is the number of no request: the broker has received {page['count']}"
        if evicted:
            return (
                f"{evicted} earlier requests were evicted from the journal: raise tidemark.requests.max or "
                "tidemark.requests.max.bytes, or pass after= with the number of a later request"
            )
        return ""

    def wait_for(self, count: int = 1, timeout: float = 5.0) -> Requests:
        """Return self once there are at least count such requests.

        Raises AssertionError after timeout seconds. A request counts when it has arrived; filter by outcome
        or error to wait for its response.
        """

        def too_few() -> str | None:
            found = self.refresh()._read()
            if len(found) >= count:
                return None
            shown = "".join(f"\n  {each}" for each in found[-SHOWN_MAX:])
            unknown = f"; {self._unknown}" if self._unknown else ""
            return f"{len(found)} instead of {count} within {timeout:g} s{unknown}{shown}"

        if (reason := wait(too_few, timeout)) is not None:
            said = reason if self._read() else sentences(reason, instead(self._api, self._filters))
            raise AssertionError(f"{self._named()}: {said}")
        return self

    def _named(self) -> str:
        wanted = ", ".join(f"{name}={value!r}" for name, value in self._filters.items())
        return f"requests({wanted})"

    def _read(self) -> list[RecordedRequest]:
        if self._found is None:
            self.refresh()
        assert self._found is not None
        return self._found

    def _all(self) -> list[RecordedRequest]:
        """Return the requests. Raises NotRecorded if there may have been more."""
        found = self._read()
        if self._unknown:
            raise NotRecorded(f"{self._named()}: {self._unknown}")
        return found

    def __bool__(self) -> bool:
        return bool(self._read() or self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[RecordedRequest]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> RecordedRequest: ...
    @overload
    def __getitem__(self, index: slice) -> list[RecordedRequest]: ...
    def __getitem__(self, index: int | slice) -> RecordedRequest | list[RecordedRequest]:
        if isinstance(index, int) and -len(self._read()) <= index < 0:
            return self._read()[index]
        return self._all()[index]

    def __repr__(self) -> str:
        unknown = f"; {self._unknown}" if self._unknown else ""
        return f"Requests({self._filters}, {len(self._read())} found{unknown})"
