"""The journal of requests: the last requests with their responses, and a log line for slow ones.

`RequestTap` sees each request when it is cut out of the bytes of its connection, and again when its response
leaves. It keeps both frames in a ring. They are decoded only when entries are read. So a request costs less
than a microsecond.

Three kinds of messages are not kept as frames. Passwords are hidden at once. A request that is decoded in
steps is read then, because its frame may have 100 MiB. Records are replaced by their size.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from struct import Struct
from sys import getsizeof
from typing import Any, Final, Literal, get_args

from tidemark.clock import Clock
from tidemark.core.context import EVERY_NODE, Caller
from tidemark.core.log_text import short
from tidemark.engine.request import Frame, PendingRequest, joined, size_of
from tidemark.seeding import OWN_CLIENT_IDS
from tidemark.server.memory import LARGE_BYTES
from tidemark.server.pieces import PIECE_BYTES_MIN
from tidemark.settings.resources import may_show
from tidemark_protocol.batch import HEADER, HEADER_BYTES, LOG_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import Bytes, WireError, write_uvarint

ELEMENTS_MAX: Final = 5_000  # of one message; a longer one is shown without its fields
BYTES_SHOWN_MAX: Final = 128  # of one field; longer ones are shown as their size
ENTRY_BYTES: Final = 600  # of an entry, without its messages and names
NAME_BYTES: Final = 100  # of a name, without its text
SIZE_BYTES: Final = 4  # of a frame
# Records within a frame of this size stay in it. Taking them out would cost more than they do.
WHOLE_BYTES_MAX: Final = 1024
# A longer response is not kept. It would be decoded in 100 ms, and evict many others.
RESPONSE_BYTES_MAX: Final = 1024 * 1024
# A response of more bytes is decoded in a thread: it takes more than a few milliseconds.
RESPONSE_BYTES_AT_ONCE_MAX: Final = 32 * 1024
CODES: Final = ("error_code", "partition_error_code", "topic_config_error_code")
# Fields that hold passwords, what follows from them, or the secret of a delegation token.
SECRETS: Final = ("auth_bytes", "hmac", "salted_password")
SETTING: Final = "AlterableConfig"  # the part of AlterConfigs and IncrementalAlterConfigs with a new value
PLAIN: Final = ("bool", "float64", "int8", "int16", "int32", "int64", "string", "uint16")  # kinds of fields
HIDDEN: Final = "[hidden]"
# The APIs with such fields. Their messages are read at once.
SECRET_APIS: Final = frozenset(
    {"AlterConfigs", "AlterUserScramCredentials", "CreateDelegationToken", "DescribeDelegationToken",
     "ExpireDelegationToken", "IncrementalAlterConfigs", "RenewDelegationToken", "SaslAuthenticate"}
)  # fmt: skip
SPECIAL_APIS: Final = SECRET_APIS | {"Fetch", "Produce"}
# In place of records of a frame: this, and their size, first and last offset (_SIZE_AND_OFFSETS). It is no
# record batch.
RECORDS_CUT: Final = b"records: "
BATCHES_READ_MAX: Final = 2_000  # of one partition, to know its last offset: reading them takes a ms
UNKNOWN_OFFSET: Final = -1
_SIZE_AND_OFFSETS: Final = Struct(">qqq")
NEVER_MS: Final = 2**63
_HEADER_BYTES: Final = 10  # of a request, before its client id
Outcome = Literal["pending", "responded", "no_response", "dropped", "closed"]
OUTCOMES: Final = get_args(Outcome)
FAILED: Final = ("dropped", "closed")

TopicPartition = tuple[str, int | None]  # without a partition: the request names only the topic
NamesOf = Callable[[Any, list[TopicPartition]], "Names"]
Names = tuple[list[str], list[str], list[TopicPartition]]  # groups, transactional ids, topics


class Entry:
    """One request. Times are in milliseconds.

    number           from 1, in the order of arrival; set by `RequestJournal.entries`
    served           its API and version
    at_ms            the node's wall time when the request had been read
    began_ms         the host's time then
    duration_ms      from then until its response left
    request, response  frames; or JSON texts, which are "null" if the message is too long or there is none
    outcome          pending, responded, no_response (acks=0), dropped, closed
    memory_bytes     the memory that it needs; 0 while the journal does not hold it
    faults           the ids of the faults that were applied
    fetched          the partitions of its fetch session, for a Fetch that names only changes of them
    names            the groups, transactional ids and topics that the request names, once it is decoded
    errors           the names of the error codes in the response, once it is decoded

    The last four, and response_bytes, are set once they are known: setting None for each request costs more.
    """

    __slots__ = ("at_ms", "began_ms", "caller", "client_id", "duration_ms", "errors", "faults",
                 "fetched", "journal", "memory_bytes", "names", "number", "outcome", "request",
                 "request_bytes", "response", "response_bytes", "served")  # fmt: skip

    number: int
    journal: RequestJournal
    served: Any
    caller: Caller
    client_id: str
    at_ms: int
    began_ms: int
    duration_ms: int | None
    request: bytes | str
    request_bytes: int
    response: bytes | str | None
    response_bytes: int
    outcome: Outcome
    memory_bytes: int
    faults: list[int]
    fetched: list[TopicPartition]
    names: Names
    errors: list[str]

    @property
    def api(self) -> str:
        name: str = self.served.route.name
        return name

    @property
    def response_is_long(self) -> bool:
        """Return whether `read_errors` and `messages` must run in a thread: they need more than a few ms."""
        return type(self.response) is bytes and len(self.response) > RESPONSE_BYTES_AT_ONCE_MAX

    def decoded_request(self) -> Any:
        """Return the request. Only for one that is kept as a frame."""
        return self.served.decode_request(self.request)

    def read_errors(self) -> list[str]:
        """Return the names of the error codes in the response."""
        if self.duration_ms is None:
            return []
        if not hasattr(self, "errors"):
            self._shown_response()
        return self.errors

    def messages(self) -> tuple[Any, Any]:
        """Return request and response for JSON, None if they are too long or there is none."""
        request = self.request
        shown = json.loads(request) if type(request) is str else message_view(self.decoded_request())[0]
        return shown, None if self.duration_ms is None else self._shown_response()

    def _shown_response(self) -> Any:
        """Return the response for JSON, and set `errors`."""
        response = self.response
        if type(response) is str:
            return json.loads(response)
        shown: Any = None
        errors: list[str] = []
        if response is not None:
            with suppress(WireError, IndexError):  # a fault has replaced it
                shown, errors = message_view(self.served.decode_response(response))
        self.errors = errors
        return shown


@dataclass(slots=True, frozen=True)
class JournalFilter:
    """The entries to return. None: all.

    failed: only those whose response has an error, or that got none: the broker dropped or closed them
    """

    api: str | None = None
    group: str | None = None
    transactional_id: str | None = None
    topic: str | None = None
    partition: int | None = None
    client_id: str | None = None
    connection: int | None = None
    node_id: int | None = None
    error: str | None = None
    outcome: str | None = None
    failed: bool = False
    after: int = 0

    def may_select(self, entry: Entry) -> bool:
        """Return whether an entry passes, as far as that is known without decoding it."""
        return (
            entry.number > self.after
            and self.api in (None, entry.api)
            and self.client_id in (None, entry.client_id)
            and self.connection in (None, entry.caller.connection)
            and self.node_id in (None, entry.caller.node_id)
            and self.outcome in (None, entry.outcome)
        )

    @property
    def needs_errors(self) -> bool:
        return self.failed or self.error is not None

    def has_errors(self, entry: Entry) -> bool:
        """Return whether an entry passes, as far as its errors decide that."""
        errors = entry.read_errors()
        if self.failed and not errors and entry.outcome not in FAILED:
            return False
        return self.error is None or self.error in errors

    @property
    def needs_names(self) -> bool:
        return not (self.group is None and self.transactional_id is None and self.topic is None)

    def names_it(self, names: Names) -> bool:
        groups, transactional_ids, topics = names
        return (
            (self.group is None or self.group in groups)
            and (self.transactional_id is None or self.transactional_id in transactional_ids)
            and (self.topic is None or any(self._is_about(*each) for each in topics))
        )

    def _is_about(self, topic: str, partition: int | None) -> bool:
        return topic == self.topic and (partition is None or self.partition in (None, partition))


class RequestJournal:
    """The last requests: at most entries_max, with at most bytes_max of memory. Older ones are evicted.

    names_of(request, fetched)  returns the names in a request; fetched: see Entry
    """

    def __init__(self, entries_max: int, bytes_max: int, names_of: NamesOf) -> None:
        self.entries_max = entries_max
        self.bytes_max = bytes_max
        self.count = 0
        self.names_of = names_of
        self._cleared = 0  # the number of the last request before the last `clear`
        self._entries: deque[Entry] = deque()
        self.memory_bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Entry, memory_bytes: int) -> None:
        self.count += 1
        entry.memory_bytes = memory_bytes
        self.memory_bytes += memory_bytes
        entries = self._entries
        entries.append(entry)
        if len(entries) > self.entries_max:
            first = entries.popleft()
            self.memory_bytes -= first.memory_bytes
            first.memory_bytes = 0
        if self.memory_bytes > self.bytes_max:
            self.trim()

    def grow(self, entry: Entry, more: int) -> None:
        """Count more memory of an entry, unless it was evicted meanwhile."""
        if entry.memory_bytes:
            entry.memory_bytes += more
            self.memory_bytes += more
            if self.memory_bytes > self.bytes_max:
                self.trim()

    def entries(self, after: int = 0) -> list[Entry]:
        """Return the entries with a number above `after`, oldest first."""
        before = self.count - len(self._entries)  # the number of the last entry that is not kept
        found = [*islice(self._entries, max(0, after - before), None)]
        for number, entry in enumerate(found, max(after, before) + 1):
            entry.number = number
        return found

    def selects(self, wanted: JournalFilter, entry: Entry) -> bool:
        """Return whether an entry passes the filter. It is decoded if the filter needs that."""
        return (
            wanted.may_select(entry)
            and (not wanted.needs_errors or wanted.has_errors(entry))
            and (not wanted.needs_names or wanted.names_it(self.names(entry)))
        )

    def names(self, entry: Entry) -> Names:
        """Return the names in the request. It is decoded once. Its names count as memory of the entry."""
        if not hasattr(entry, "names"):
            self.read_names(entry, entry.decoded_request())
        return entry.names

    def read_names(self, entry: Entry, request: Any) -> None:
        entry.names = names = self.names_of(request, getattr(entry, "fetched", []))
        self.grow(entry, names_bytes(names))

    def view(self, entry: Entry, messages: tuple[Any, Any] | None) -> dict[str, Any]:
        """Return the entry for JSON. messages: the result of `Entry.messages`; None leaves them out."""
        caller = entry.caller
        groups, transactional_ids, topics = self.names(entry)
        return {
            "number": entry.number,
            "at_ms": entry.at_ms,
            "duration_ms": entry.duration_ms,
            "api": entry.api,
            "version": entry.served.version,
            "client_id": entry.client_id,
            "client_host": caller.client_host,
            "principal": caller.principal,
            "listener": caller.listener,
            "connection": caller.connection,
            "node_id": None if caller.node_id == EVERY_NODE else caller.node_id,
            "groups": groups,
            "transactional_ids": transactional_ids,
            "topics": [{"topic": topic, "partition": partition} for topic, partition in topics],
            "outcome": entry.outcome,
            "errors": entry.read_errors(),
            "faults": getattr(entry, "faults", []),
            "request_bytes": entry.request_bytes,
            "response_bytes": getattr(entry, "response_bytes", 0),
            **({} if messages is None else {"request": messages[0], "response": messages[1]}),
        }

    def evicted(self, after: int = 0) -> int:
        """Return how many requests with a number above `after` were evicted. `clear` evicts none."""
        return max(0, self.count - len(self._entries) - max(after, self._cleared))

    def clear(self) -> None:
        """Forget all entries. Numbers continue."""
        self._cleared = self.count
        for entry in self._entries:
            entry.memory_bytes = 0
        self._entries.clear()
        self.memory_bytes = 0

    def trim(self) -> None:
        """Evict the oldest entries until the others are within the limit of bytes."""
        entries = self._entries
        while entries and self.memory_bytes > self.bytes_max:
            first = entries.popleft()
            self.memory_bytes -= first.memory_bytes
            first.memory_bytes = 0


class Journals:
    """The journal of the clients' requests, and one for those of the fixture and of the HTTP API.

    Among the clients' requests, the latter (`OWN_CLIENT_IDS`) would be requests that no client of a test has
    sent, and would evict others. Each journal has its own numbers, and the limits of RequestJournal.
    """

    def __init__(self, entries_max: int, bytes_max: int, names_of: NamesOf) -> None:
        self.clients = RequestJournal(entries_max, bytes_max, names_of)
        self.own = RequestJournal(entries_max, bytes_max, names_of)

    def of(self, client_id: str | None) -> RequestJournal:
        return self.own if client_id in OWN_CLIENT_IDS else self.clients

    def clear(self) -> None:
        self.clients.clear()
        self.own.clear()


class RequestTap:
    """Sees the requests and responses of all connections. journals: None records nothing.

    slow_ms             log a request that needs longer; below 0: log none
    fetched(node, session id) returns the partitions of a fetch session, or its topics if these are too many
    """

    def __init__(
        self,
        journals: Journals | None,
        clock: Clock,
        logger: Any,
        *,
        fetched: Callable[[int, int], list[TopicPartition]],
        slow_ms: int = -1,
    ) -> None:
        self._journals = journals
        self._host_ms = clock.host_ms
        self._logger = logger
        self._wall_ms = clock.wall_ms
        self._fetched = fetched
        self._slow_ms = slow_ms if slow_ms >= 0 else NEVER_MS
        self._now_ms = 0
        self._at_ms = 0

    def follow(self, clock: Clock) -> None:
        """Take the node's wall time from this clock from now on."""
        self._wall_ms = clock.wall_ms

    def enter(self) -> None:
        """Read the time. Requests that arrive before the next call have arrived now."""
        self._now_ms = self._host_ms()
        if self._journals is not None:
            self._at_ms = self._wall_ms()

    def arrived(self, caller: Caller, pending: PendingRequest, data: bytes, start: int, end: int) -> None:
        """See a request, which is this part of data. data itself is not kept: it may hold many requests."""
        pending.entry = entry = Entry()
        entry.served = served = pending.served
        entry.caller = caller
        entry.client_id = client_id = pending.client_id
        entry.at_ms = self._at_ms
        entry.began_ms = self._now_ms
        entry.request_bytes = end - start + SIZE_BYTES
        entry.duration_ms = entry.response = None
        entry.outcome = "pending"
        journals = self._journals
        if journals is None:
            entry.memory_bytes = 0
            return
        entry.journal = journal = journals.own if client_id in OWN_CLIENT_IDS else journals.clients
        if pending.decoding is not None:
            entry.memory_bytes = 0  # until `decoded`
            pending.decoding = partial(self._decode, entry, pending.decoding)
        elif end - start > LARGE_BYTES:
            self._read(entry, pending.body)
        elif served.route.name in SPECIAL_APIS:
            self._special(entry, pending.body, data[start:end])
        else:
            entry.request = frame = data[start:end]
            journal.add(entry, ENTRY_BYTES + len(frame))

    def _special(self, entry: Entry, request: Any, frame: bytes) -> None:
        """Record a request with a password, with records, or with a fetch session."""
        api = entry.api
        if api in SECRET_APIS:
            self._read(entry, request)
            return
        memory_bytes = ENTRY_BYTES
        if api == "Fetch":
            if request.session_id:
                entry.fetched = self._fetched(entry.caller.node_id, request.session_id)
                memory_bytes += names_bytes(([], [], entry.fetched))
        elif len(frame) > WHOLE_BYTES_MAX:
            frame = without_records_of_request(frame, request, entry.served.version)
        entry.request = frame
        entry.journal.add(entry, memory_bytes + len(frame))

    def _decode(self, entry: Entry, decoding: Callable[[], tuple[Any, int]]) -> tuple[Any, int]:
        """Decode a long request in a worker, which also reads it: it may name 99,000 topics."""
        request, memory = decoding()
        entry.request = message_text(request)[0]
        if not getattr(request, "session_id", 0):  # a fetch session changes meanwhile
            entry.names = entry.journal.names_of(request, [])
        return request, memory

    def decoded(self, pending: PendingRequest) -> None:
        """Record a long request, which a worker has decoded."""
        entry = pending.entry
        if self._journals is None or entry is None:
            return
        if hasattr(entry, "names"):
            entry.journal.add(entry, ENTRY_BYTES + len(entry.request) + names_bytes(entry.names))
        else:
            self._read(entry, pending.body)

    def _read(self, entry: Entry, request: Any) -> None:
        """Record a request as text."""
        if entry.api == "Fetch" and request.session_id:
            entry.fetched = self._fetched(entry.caller.node_id, request.session_id)
        entry.request = message_text(request)[0]
        entry.journal.add(entry, ENTRY_BYTES + len(entry.request))
        entry.journal.read_names(entry, request)

    def left(self, gone: list[PendingRequest]) -> None:
        """See responses that leave, and the ends of requests that get none."""
        now_ms = self._host_ms()
        for pending in gone:
            entry = pending.entry
            if entry is None:  # it was cut off, or arrived before there was a tap
                continue
            pending.entry = None
            frame: Any = pending.frame
            entry.duration_ms = duration_ms = now_ms - entry.began_ms
            entry.response_bytes = size = len(frame) if type(frame) is bytes else size_of(frame)
            if entry.outcome == "pending":
                entry.outcome = "responded" if size else "no_response"
            if entry.memory_bytes:
                if type(frame) is bytes and size <= WHOLE_BYTES_MAX and type(entry.request) is bytes:
                    if entry.response is not None:  # a fault has noted the one that is shown
                        frame = entry.response
                    entry.response = frame or None
                    entry.memory_bytes += len(frame)
                    journal = entry.journal
                    journal.memory_bytes += len(frame)
                    if journal.memory_bytes > journal.bytes_max:
                        journal.trim()
                else:
                    self._keep(entry, frame)
            if duration_ms > self._slow_ms:
                self._log_if_slow(entry, pending)

    def closed(self, pending: PendingRequest) -> None:
        """See a request in whose place the connection is closed."""
        entry = pending.entry
        if entry is not None:
            pending.entry = None
            entry.duration_ms = self._host_ms() - entry.began_ms
            entry.outcome = "closed"
            entry.response_bytes = 0
            if entry.duration_ms > self._slow_ms:
                self._log_if_slow(entry, pending)

    def _keep(self, entry: Entry, frame: Any) -> None:
        """Record a response that is not a small frame, or the one that a fault has noted before."""
        if entry.outcome == "dropped":
            return
        if entry.response is not None:
            frame = entry.response
        served = entry.served
        kept: bytes | str | None
        if type(entry.request) is str and entry.api in SECRET_APIS:
            kept, entry.errors = message_text(served.decode_response(joined(frame)))
            entry.outcome = "responded"  # a failed login with tokens without headers has an empty frame
        elif served.carries_records:
            kept = without_records_of_response(frame, served)
        else:
            kept = joined(frame) if size_of(frame) <= RESPONSE_BYTES_MAX else None
        entry.response = kept or None
        entry.journal.grow(entry, len(kept or b""))

    def _log_if_slow(self, entry: Entry, pending: PendingRequest) -> None:
        # A Fetch may wait for records as long as its client allows.
        allowed_ms = getattr(pending.body, "max_wait_ms", 0) if entry.api == "Fetch" else 0
        assert entry.duration_ms is not None
        if self._slow_ms < entry.duration_ms - allowed_ms:
            self._logger.warning(
                "slow request",
                api=entry.api,
                version=entry.served.version,
                client_id=short(entry.client_id),
                client_host=entry.caller.client_host,
                connection=entry.caller.connection,
                ms=entry.duration_ms,
                response_bytes=entry.response_bytes,
            )


def names_bytes(names: Names) -> int:
    """Return the memory of names: a long message may name 100,000 partitions."""
    groups, transactional_ids, topics = names
    texts = chain(groups, transactional_ids, (topic for topic, _ in topics))
    return sum(NAME_BYTES + getsizeof(name) for name in texts)


# records


def without_records_of_request(frame: bytes, request: Any, version: int) -> bytes:
    """Return the frame of a Produce with the size of its records in place of long ones."""
    slim = copy(request)
    slim.topic_data = [_with_cut(topic, "partition_data") for topic in request.topic_data]
    header_bytes = _HEADER_BYTES + max(0, int.from_bytes(frame[8:10], "big", signed=True))
    out = bytearray(frame[:header_bytes])
    if version >= request.FLEXIBLE_FROM:
        out.append(0)
    request.ENCODERS[version](out, slim)
    return bytes(out)


def without_records_of_response(frame: Frame, served: Any) -> bytes | None:
    """Return the frame of a Fetch response with the size of its records in place of long ones.

    Large records are pieces of the frame of their own, behind a piece that ends with their size. They are
    not copied. None: it cannot be cut.
    """
    if isinstance(frame, bytes):
        whole = frame
    else:
        out = bytearray()
        for piece in frame:
            if len(piece) < PIECE_BYTES_MIN:
                out += piece
                continue
            mark = _mark(piece)
            size, cut = (_encoded_size(each, served) for each in (len(piece), len(mark)))
            if not out.endswith(size):
                return None
            out[-len(size) :] = cut + mark
        whole = bytes(out)
    if len(whole) <= WHOLE_BYTES_MAX:
        return whole
    try:
        response = served.decode_response(whole)
    except (WireError, IndexError):
        return None
    slim = copy(response)
    slim.responses = [_with_cut(topic, "partitions") for topic in response.responses]
    head = bytearray(whole[: served.head_bytes])
    served.encode(head, slim)
    return bytes(head)


def _with_cut(topic: Any, partitions: str) -> Any:
    """Return a copy of a topic of a message, without the records of its partitions."""
    slim = copy(topic)
    setattr(slim, partitions, [_without_records(each) for each in getattr(topic, partitions)])
    return slim


def _without_records(partition: Any) -> Any:
    records = partition.records
    if records is None or len(records) <= BYTES_SHOWN_MAX:
        return partition
    slim = copy(partition)
    slim.records = _mark(records)
    return slim


def _mark(records: Bytes) -> bytes:
    return RECORDS_CUT + _SIZE_AND_OFFSETS.pack(len(records), *_offsets_in(records))


def _offsets_in(records: Bytes) -> tuple[int, int]:
    """Return the first and the last offset of record batches, UNKNOWN_OFFSET for one that is not known.

    They are those of the batches: a client skips what is before its position.
    """
    end, at = len(records), 0
    first = last = UNKNOWN_OFFSET
    for _ in range(BATCHES_READ_MAX):
        if end - at < HEADER_BYTES:
            return first, last
        base, length, _, _, _, _, last_delta, *_ = HEADER.unpack_from(records, at)
        following = at + LOG_OVERHEAD_BYTES + length
        if length < HEADER_BYTES - LOG_OVERHEAD_BYTES or following > end:
            return first, last
        first = base if first == UNKNOWN_OFFSET else first
        last = base + last_delta
        at = following
    return first, UNKNOWN_OFFSET


def _encoded_size(size: int, served: Any) -> bytes:
    """Return the size of records as it is encoded before them."""
    if not served.flexible_response:
        return size.to_bytes(4, "big")
    out = bytearray()
    write_uvarint(out, size + 1)
    return bytes(out)


# messages


class _TooLong(Exception):
    """The message has more than ELEMENTS_MAX elements."""


def message_view(message: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the message for JSON, with the schema's names, and the names of the error codes in it.

    None for a long message; then only its first error codes are returned.
    """
    reader = _Reader()
    try:
        shown = reader.struct(message)
    except _TooLong:
        shown = None
    return shown, list(reader.errors)


def message_text(message: Any) -> tuple[str, list[str]]:
    """Return the same with the message as JSON text."""
    shown, errors = message_view(message)
    return json.dumps(shown), errors


class _Reader:
    def __init__(self) -> None:
        self.errors: dict[str, None] = {}
        self._left = ELEMENTS_MAX

    def struct(self, message: Any) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        view: Any
        message_class: Any = type(message)
        for name, attribute, is_plain, kind, inner in _fields_of(message_class):
            value = getattr(message, attribute)
            if is_plain:
                shown[name] = value
                continue
            if attribute in CODES and value:
                self.errors[_name_of(value)] = None
            hides = attribute in SECRETS or (attribute == "value" and _is_secret(message))
            view = HIDDEN if hides and value is not None else self._value(value, kind, inner)
            if kind == "records" and type(view) is dict and not hasattr(message, "high_watermark"):
                view = {"bytes": view["bytes"]}  # a producer numbers its records from 0
            shown[name] = view
        return shown

    def _value(self, value: Any, kind: str, inner: Any) -> Any:
        if value is None:
            return None
        if kind.startswith("[]"):
            self._left -= len(value)
            if self._left < 0:
                raise _TooLong
            if inner is not None:
                return [self.struct(each) for each in value]
            return [self._value(each, kind[2:], None) for each in value]
        if inner is not None:
            return self.struct(value)
        if isinstance(value, (str, int, float)):
            return value
        if kind == "records":
            return _shown_records(value)
        if len(value) > BYTES_SHOWN_MAX:
            return {"bytes": len(value)}
        return bytes(value).hex()


def _shown_records(records: Bytes) -> str | dict[str, Any]:
    """Return short records as hexadecimal digits, and others as their size and their offsets."""
    head = bytes(records[: len(RECORDS_CUT) + _SIZE_AND_OFFSETS.size])
    if head.startswith(RECORDS_CUT):
        size, first, last = _SIZE_AND_OFFSETS.unpack_from(head, len(RECORDS_CUT))
    elif len(records) > BYTES_SHOWN_MAX:
        size, (first, last) = len(records), _offsets_in(records)
    else:
        return bytes(records).hex()
    known = {"first_offset": first, "last_offset": last}
    return {"bytes": size, **{name: None if at == UNKNOWN_OFFSET else at for name, at in known.items()}}


@cache
def _fields_of(message_class: Any) -> list[tuple[str, str, bool, str, Any]]:
    """Return the fields. The third value: whether their values are shown as they are, and are no errors."""
    return [
        (name, attribute, kind in PLAIN and attribute not in (*CODES, *SECRETS, "value"), kind, inner)
        for name, attribute, kind, inner in message_class.FIELDS
    ]


def _is_secret(message: Any) -> bool:
    return type(message).__name__ == SETTING and not may_show(message.name)


def _name_of(code: int) -> str:
    known = ErrorCode._value2member_map_.get(code)
    return str(code) if known is None else ErrorCode(code).name
