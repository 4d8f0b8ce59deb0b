"""The journal of requests: the last decoded requests with their responses, and a log line for slow ones."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from sys import getsizeof
from typing import Any, Final, get_args

from tidemark.clock import Clock
from tidemark.core.log_text import short
from tidemark.metadata.secrets import may_show
from tidemark.seeding import OWN_CLIENT_IDS
from tidemark.server.interceptors import Action, Call, Interceptor, Outcome
from tidemark_protocol.errors import ErrorCode

ELEMENTS_MAX: Final = 5_000  # of one message; a longer one is recorded without its fields
BYTES_SHOWN_MAX: Final = 128  # of one field; longer ones are recorded as their size
ENTRY_BYTES: Final = 1_000  # of an entry, without its messages and names
NAME_BYTES: Final = 100  # of a name, without its text
SIZE_BYTES: Final = 4  # of a frame
CODES: Final = ("error_code", "partition_error_code", "topic_config_error_code")
# Fields that hold passwords, what follows from them, or the secret of a delegation token.
SECRETS: Final = ("auth_bytes", "hmac", "salted_password")
SETTING: Final = "AlterableConfig"  # the part of AlterConfigs and IncrementalAlterConfigs with a new value
HIDDEN: Final = "[hidden]"
PENDING: Final = "pending"
OUTCOMES: Final = (PENDING, *get_args(Outcome))
FAULTS: Final = "faults"  # where faults note their ids in the memory of a call


@dataclass(slots=True, eq=False)
class Entry:
    """One request. Times are in milliseconds.

    number           from 1, in the order of arrival
    at_ms            the node's wall time when the request had been read
    duration_ms      from then until its response was sent, by the host's clock
    request, response  JSON texts; "null" if the message is too long or there is none
    outcome          pending, responded, no_response (acks=0), dropped, closed
    errors           the names of the error codes in the response
    faults           the ids of the faults that were applied
    names_bytes      the memory of its names: a long message may name 100,000 partitions
    """

    number: int
    at_ms: int
    began_ms: int
    call: Call
    groups: list[str]
    transactional_ids: list[str]
    topics: list[tuple[str, int | None]]
    request: str
    request_bytes: int
    response: str = "null"
    response_bytes: int = 0
    duration_ms: int | None = None
    outcome: str = PENDING
    errors: list[str] = field(default_factory=list)
    faults: list[int] = field(default_factory=list)
    names_bytes: int = 0

    @property
    def memory_bytes(self) -> int:
        return ENTRY_BYTES + self.names_bytes + len(self.request) + len(self.response)

    def view(self) -> dict[str, Any]:
        """Return the entry for JSON."""
        caller = self.call.caller
        return {
            "number": self.number,
            "at_ms": self.at_ms,
            "duration_ms": self.duration_ms,
            "api": self.call.api,
            "version": self.call.version,
            "client_id": self.call.client_id,
            "client_host": caller.client_host,
            "principal": caller.principal,
            "listener": caller.listener,
            "connection": caller.connection,
            "groups": self.groups,
            "transactional_ids": self.transactional_ids,
            "topics": [{"topic": topic, "partition": partition} for topic, partition in self.topics],
            "outcome": self.outcome,
            "errors": self.errors,
            "faults": self.faults,
            "request_bytes": self.request_bytes,
            "response_bytes": self.response_bytes,
            "request": json.loads(self.request),
            "response": json.loads(self.response),
        }


@dataclass(slots=True, frozen=True)
class JournalFilter:
    """The entries to return. None: all."""

    api: str | None = None
    group: str | None = None
    transactional_id: str | None = None
    topic: str | None = None
    partition: int | None = None
    client_id: str | None = None
    connection: int | None = None
    error: str | None = None
    outcome: str | None = None
    after: int = 0

    def selects(self, entry: Entry) -> bool:
        return (
            entry.number > self.after
            and self.api in (None, entry.call.api)
            and self.client_id in (None, entry.call.client_id)
            and self.connection in (None, entry.call.caller.connection)
            and self.outcome in (None, entry.outcome)
            and (self.group is None or self.group in entry.groups)
            and (self.transactional_id is None or self.transactional_id in entry.transactional_ids)
            and (self.error is None or self.error in entry.errors)
            and (self.topic is None or any(self._is_about(*each) for each in entry.topics))
        )

    def _is_about(self, topic: str, partition: int | None) -> bool:
        return topic == self.topic and (partition is None or self.partition in (None, partition))


class RequestJournal:
    """The last requests: at most entries_max, with at most bytes_max of memory. Older ones are evicted."""

    def __init__(self, entries_max: int, bytes_max: int) -> None:
        self.entries_max = entries_max
        self.bytes_max = bytes_max
        self.count = 0
        self._cleared = 0  # the number of the last request before the last `clear`
        self._entries: deque[Entry] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def memory_bytes(self) -> int:
        return self._bytes

    def add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._bytes += entry.memory_bytes
        self._trim()

    def finish(self, entry: Entry, response: str) -> None:
        """Store the response of an entry. It may have been dropped meanwhile."""
        if self._entries and entry.number >= self._entries[0].number:
            self._bytes += len(response) - len(entry.response)
            entry.response = response
            self._trim()

    def select(self, wanted: JournalFilter) -> Iterable[Entry]:
        """Return the entries that pass the filter, oldest first."""
        return [entry for entry in self._entries if wanted.selects(entry)]

    def evicted(self, after: int = 0) -> int:
        """Return how many requests with a number above `after` were evicted. `clear` evicts none."""
        first = self._entries[0].number if self._entries else self.count + 1
        return max(0, first - 1 - max(after, self._cleared))

    def clear(self) -> None:
        """Forget all entries. Numbers continue."""
        self._cleared = self.count
        self._entries.clear()
        self._bytes = 0

    def _trim(self) -> None:
        entries = self._entries
        while entries and (len(entries) > self.entries_max or self._bytes > self.bytes_max):
            self._bytes -= entries.popleft().memory_bytes


class Journals:
    """The journal of the clients' requests, and one for those of the fixture and of the HTTP API.

    The latter (`OWN_CLIENT_IDS`) would show a test requests that its client never sent, and evict those that
    it did send. Each journal has its own numbers, and the limits of RequestJournal.
    """

    def __init__(self, entries_max: int, bytes_max: int) -> None:
        self.clients = RequestJournal(entries_max, bytes_max)
        self.own = RequestJournal(entries_max, bytes_max)

    def of(self, client_id: str | None) -> RequestJournal:
        return self.own if client_id in OWN_CLIENT_IDS else self.clients

    def clear(self) -> None:
        self.clients.clear()
        self.own.clear()


@dataclass(slots=True, frozen=True)
class Watch:
    """The functions of a node that its journal needs.

    wall_ms()       the node's wall time
    groups(request), transactional_ids(request), topics(request)  what a request names; topics: partitions
    slow_ms         log a request that needs longer; below 0: log none
    """

    wall_ms: Callable[[], int]
    groups: Callable[[Any], list[str]]
    transactional_ids: Callable[[Any], list[str]]
    topics: Callable[[Any], list[tuple[str, int | None]]]
    slow_ms: int = -1


class JournalInterceptor(Interceptor):
    """Records each request in its journal, and logs slow ones. journals: None records nothing."""

    def __init__(self, journals: Journals | None, watch: Watch, clock: Clock, logger: Any) -> None:
        self._journals = journals
        self._watch = watch
        self._clock = clock
        self._logger = logger

    def request(self, call: Call) -> Action | None:
        if self._journals is None:
            call.memory[self] = self._clock.host_ms()
            return None
        journal = self._journals.of(call.client_id)
        journal.count += 1
        entry = Entry(
            number=journal.count,
            at_ms=self._watch.wall_ms(),
            began_ms=self._clock.host_ms(),
            call=call,
            groups=self._watch.groups(call.request),
            transactional_ids=self._watch.transactional_ids(call.request),
            topics=self._watch.topics(call.request),
            request=message_text(call.request)[0],
            request_bytes=SIZE_BYTES + call.size,
        )
        entry.names_bytes = getsizeof(call.client_id) + sum(
            NAME_BYTES + getsizeof(name)
            for name in chain(entry.groups, entry.transactional_ids, (topic for topic, _ in entry.topics))
        )
        # Without the request: its records may be large.
        entry.call = replace(call, request=None, memory={})
        call.memory[self] = entry
        journal.add(entry)
        return None

    def finished(self, call: Call, response: Any, size: int, outcome: Outcome) -> None:
        found = call.memory.get(self)
        if found is None:  # the request arrived before the journal was switched on
            return
        began_ms = found.began_ms if isinstance(found, Entry) else found
        duration_ms = self._clock.host_ms() - began_ms
        if isinstance(found, Entry) and self._journals is not None:
            text, found.errors = ("null", []) if response is None else message_text(response)
            found.outcome = outcome
            found.duration_ms = duration_ms
            found.response_bytes = size
            found.faults = list(call.memory.get(FAULTS, ()))
            self._journals.of(call.client_id).finish(found, text)
        self._log_if_slow(call, duration_ms, size)

    def _log_if_slow(self, call: Call, duration_ms: int, size: int) -> None:
        # A Fetch may wait for records as long as its client allows.
        allowed_ms = call.request.max_wait_ms if call.api == "Fetch" else 0
        if 0 <= self._watch.slow_ms < duration_ms - allowed_ms:
            self._logger.warning(
                "slow request",
                api=call.api,
                version=call.version,
                client_id=short(call.client_id),
                client_host=call.caller.client_host,
                connection=call.caller.connection,
                ms=duration_ms,
                response_bytes=size,
            )


class _TooLong(Exception):
    """The message has more than ELEMENTS_MAX elements."""


def message_text(message: Any) -> tuple[str, list[str]]:
    """Return the message as JSON with the schema's names, and the names of the error codes in it.

    The text is "null" for a long message; then only its first error codes are returned.
    """
    reader = _Reader()
    try:
        return json.dumps(reader.struct(message)), list(reader.errors)
    except _TooLong:
        return "null", list(reader.errors)


class _Reader:
    def __init__(self) -> None:
        self.errors: dict[str, None] = {}
        self._left = ELEMENTS_MAX

    def struct(self, message: Any) -> dict[str, Any]:
        shown = {}
        for name, attribute, kind, inner in message.FIELDS:
            value = getattr(message, attribute)
            if attribute in CODES and value:
                self.errors[_name_of(value)] = None
            hides = attribute in SECRETS or (attribute == "value" and _is_secret(message))
            shown[name] = HIDDEN if hides and value is not None else self._value(value, kind, inner)
        return shown

    def _value(self, value: Any, kind: str, inner: Any) -> Any:
        if value is None:
            return None
        if kind.startswith("[]"):
            self._left -= len(value)
            if self._left < 0:
                raise _TooLong
            return [self._value(each, kind[2:], inner) for each in value]
        if inner is not None:
            return self.struct(value)
        if isinstance(value, (str, int, float)):
            return value
        data = bytes(value) if len(value) <= BYTES_SHOWN_MAX else None
        return {"bytes": len(value)} if data is None else data.hex()


def _is_secret(message: Any) -> bool:
    return type(message).__name__ == SETTING and not may_show(message.name)


def _name_of(code: int) -> str:
    known = ErrorCode._value2member_map_.get(code)
    return str(code) if known is None else ErrorCode(code).name
