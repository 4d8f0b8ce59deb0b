"""Requests that are as expensive as their size allows.

Each is an ordinary request (`ordinary.py`) with one part multiplied: the elements of one array, unknown tags,
one string, or the request itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from struct import pack
from typing import Any, Final
from uuid import UUID

from tests.faults.fuzz.ordinary import (
    ALL,
    ALL_OF_ONE,
    BY_ID,
    EVERYTHING,
    NUMBERED,
    OF_SHARE_SESSION,
    ONE,
    PARTITION_NAMES,
    PLAIN,
    RANGES,
    SESSION_EPOCH,
    SMALLEST,
    TOPIC_NAMES,
    UNKNOWN,
    Ordinary,
    Variant,
    variants,
)
from tests.faults.fuzz.population import SHARE_MEMBER, SHARED, WIDE, Population
from tests.faults.fuzz.schema_writer import NOTHING, Writer, empty, uvarint
from tests.unit.protocol.any_message import MESSAGES
from tests.wire import header, request, sized
from tidemark_protocol.by_name import encode, from_dict
from tidemark_protocol.generator.schema import Field, Struct

PIPELINED: Final = 2000
PIPELINED_MAX: Final = 20_000
CONNECTIONS: Final = 300
ATTACKER: Final = "worst"  # its client id
TEXT_BYTES: Final = 32_000  # about the longest string
BOUNDED_ELEMENTS: Final = 99_000  # just below the elements that one request may have
UNKNOWN_TAG: Final = 100
TAGS_OF_AN_ELEMENT: Final = 5
FIRST_UNKNOWN: Final = 1_000_000  # no partition has this number
# Placeholders for a key, until each element gets its own.
MARKERS: Final = {"string": b"\x16\x16??\x16\x16??", "uuid": b"\x16\x16??" * 4, "int32": b"\x16?\x16?"}
SESSION: Final = pack(">i", SESSION_EPOCH)
OF_SESSIONS: Final = ("ShareAcknowledge", "ShareFetch")
OF_VARIANTS: Final = (UNKNOWN, ONE, ALL, EVERYTHING)
OF_PIPELINES: Final = (UNKNOWN, ONE, ALL, ALL_OF_ONE)
# These change the broker, so the next request needs another one.
CHANGING: Final = frozenset((
    "AddOffsetsToTxn", "AddPartitionsToTxn", "AlterClientQuotas", "AlterConfigs", "AlterUserScramCredentials",
    "ConsumerGroupHeartbeat", "CreateAcls", "CreateDelegationToken", "CreatePartitions", "CreateTopics",
    "DeleteAcls", "DeleteGroups", "DeleteRecords", "DeleteTopics", "EndTxn", "IncrementalAlterConfigs",
    "InitProducerId", "JoinGroup", "LeaveGroup", "Metadata", "OffsetCommit", "OffsetDelete", "Produce",
    "SyncGroup", "TxnOffsetCommit", "WriteTxnMarkers", "AlterShareGroupOffsets", "DeleteShareGroupOffsets",
    "DeleteShareGroupState", "InitializeShareGroupState", "ReadShareGroupState", "ShareAcknowledge",
    "ShareFetch", "ShareGroupHeartbeat", "StreamsGroupHeartbeat", "WriteShareGroupState",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hostile:
    """The bytes to send on each of `connections` connections."""

    api: str
    version: int
    kind: str
    data: Callable[[], bytes]
    responses: int  # the broker sends this many on each connection that it does not close
    reads: bool = True  # the client reads what it receives
    grows: bool = True  # the request depends on the size
    connections: int = 1

    @property
    def changes(self) -> bool:
        return self.api in CHANGING


@dataclass(frozen=True, slots=True)
class Key:
    """The field that identifies an array's elements."""

    path: str
    field: Field


class Array:
    """One array of one request. `fillings` returns the ways of filling it."""

    def __init__(self, path: str, field: Field, writer: Writer, ordinary: Ordinary) -> None:
        self.path = path
        self._field = field
        self._writer = writer
        self._ordinary = ordinary
        self._key = self._find_key()
        self._nested = [each for each in writer.fields(field.struct) if each.array]
        self._existing = None if self._key is None else ordinary.existing(self._key.field, path)

    def fillings(self, size: int) -> dict[str, Callable[[], list[bytes]]]:
        """Return, by kind, a function that makes elements of about `size` bytes."""
        found: dict[str, Callable[[], list[bytes]]] = {
            ONE: lambda: self._repeated(size),
            SMALLEST: lambda: self._repeated(size, self._smallest()),
        }
        if self._key is not None:
            found[UNKNOWN] = lambda: self._unknown(size)
            if self._nested:
                found["unknown names with nothing in them"] = lambda: self._unknown(
                    size, self._without_nested()
                )
            if self._key.field.kind == "string":
                found["long names"] = lambda: self._repeated(size, self._named(b"x" * TEXT_BYTES))
                found["names that are no UTF-8"] = lambda: self._repeated(
                    size, self._named(b"\xff" * TEXT_BYTES)
                )
                if size > BOUNDED_ELEMENTS * 12:
                    found["just below the bound"] = lambda: self._bounded(size)
        if (ranges := self._ranges(size)) is not None:
            found[RANGES] = ranges
        if self._existing is not None:
            found[ALL] = lambda: self._filled(map(self._element_of, self._existing or ()), size)
            if (partitions := self._partitions()) is not None:
                found[EVERYTHING] = lambda: self._everything(partitions, size)
        if any(map(self._writer.nullable, self._nested)):
            found[ALL_OF_ONE] = lambda: self._repeated(size, self._nulls())
        if self._writer.flexible and self._field.struct is not None:
            found["unknown tags in each"] = lambda: self._repeated(
                size, tags={self.path: distinct_tags(TAGS_OF_AN_ELEMENT)}
            )
        return found

    def encoded(self, elements: list[bytes]) -> dict[str, bytes]:
        return {self.path: self._writer.array(self._field, elements)}

    def _find_key(self) -> Key | None:
        """Return a name if the elements have one, else an id, else a number."""
        if self._field.struct is None:
            return Key(self.path + "[]", self._field) if self._field.kind in MARKERS else None
        for kind in MARKERS:
            for each in self._writer.fields(self._field.struct):
                path = f"{self.path}.{each.name}"
                if each.kind == kind and not each.array and self._ordinary.value(each, path) is not None:
                    return Key(path, each)
        return None

    def _element(self, replaced: Mapping[str, bytes] = NOTHING, tags: Mapping[str, bytes] = NOTHING) -> bytes:
        return self._writer.element(self._field, self.path, replaced, tags)

    def _repeated(
        self, size: int, replaced: Mapping[str, bytes] = NOTHING, tags: Mapping[str, bytes] = NOTHING
    ) -> list[bytes]:
        element = self._element(replaced, tags)
        return [element] * max(1, size // len(element))

    def _named(self, value: Any) -> dict[str, bytes]:
        assert self._key is not None
        return {self._key.path: self._writer.scalar(self._key.field, value)}

    def _element_of(self, value: Any) -> bytes:
        return self._element(self._named(value))

    def _unknown(
        self,
        size: int,
        replaced: Mapping[str, bytes] = NOTHING,
        count_max: int | None = None,
        name_bytes: int = 0,
    ) -> list[bytes]:
        """Return elements that differ only in their key."""
        assert self._key is not None
        kind = self._key.field.kind
        marker = MARKERS[kind].ljust(name_bytes, b"?")
        value = int.from_bytes(marker, "big") if kind == "int32" else marker
        before, found, after = self._element({**replaced, **self._named(value)}).partition(marker)
        assert found, f"{self.path}: the key is not where it was expected"
        count = max(1, size // len(before + found + after))
        numbers = range(count if count_max is None else min(count, count_max))
        if kind == "int32":
            return [before + pack(">i", FIRST_UNKNOWN + i) + after for i in numbers]
        return [before + b"%0*x" % (len(marker), i) + after for i in numbers]

    def _bounded(self, size: int) -> list[bytes]:
        """Return as many elements as one request may have, each as large as the size allows."""
        count = BOUNDED_ELEMENTS - self.path.count(".")
        for each in self._nested:
            count //= 1 if self._ordinary.value(each, f"{self.path}.{each.name}") in ((), None) else 2
        return self._unknown(size, count_max=count, name_bytes=size // count - 40)

    def _smallest(self) -> dict[str, bytes]:
        if self._field.struct is None:
            return {self.path + "[]": self._writer.scalar(self._field, empty(self._field))}
        fields = [
            each for each in self._writer.fields(self._field.struct) if each.array or each.struct is None
        ]
        return {f"{self.path}.{each.name}": self._writer.empty(each) for each in fields}

    def _without_nested(self) -> dict[str, bytes]:
        return {f"{self.path}.{each.name}": self._writer.empty(each) for each in self._nested}

    def _nulls(self) -> dict[str, bytes]:
        nullable = filter(self._writer.nullable, self._nested)
        return {f"{self.path}.{each.name}": self._writer.null(each) for each in nullable}

    def _partitions(self) -> Array | None:
        """Return the array of partitions, if this is an array of topics."""
        if self._key is None or self._key.field.name not in (*TOPIC_NAMES, "TopicId"):
            return None
        for each in self._nested:
            inner = Array(f"{self.path}.{each.name}", each, self._writer, self._ordinary)
            if inner._key is not None and inner._key.field.name in PARTITION_NAMES:
                return inner
        return None

    def _everything(self, partitions: Array, size: int) -> list[bytes]:
        """Return every topic with all its partitions."""

        def of(topic: str | bytes) -> bytes:
            numbers = range(self._ordinary.partitions_of(topic))
            elements = first(map(partitions._element_of, numbers), size)
            return self._element({**self._named(topic), **partitions.encoded(elements)})

        return self._filled(map(of, self._existing or ()), size)

    def _filled(self, elements: Iterable[bytes], size: int) -> list[bytes]:
        return first(elements, size) if self._ordinary.is_distinct else filled(elements, size)

    def _ranges(self, size: int) -> Callable[[], list[bytes]] | None:
        """Return what makes ranges of one offset each, if the elements are ranges of offsets."""
        by_name = {each.name: each for each in self._writer.fields(self._field.struct)}
        if not by_name.keys() >= {"FirstOffset", "LastOffset"}:
            return None

        def of(offset: int) -> bytes:
            replaced = {
                f"{self.path}.{name}": self._writer.scalar(by_name[name], offset)
                for name in ("FirstOffset", "LastOffset")
            }
            if (state := by_name.get("DeliveryState")) is not None:
                replaced[f"{self.path}.DeliveryState"] = self._writer.scalar(state, offset % 2 * 2)
            return self._element(replaced)

        return lambda: first(map(of, range(size)), size)


class Requests:
    """The hostile requests of one API in one version."""

    def __init__(self, api: str, version: int, population: Population) -> None:
        self._api = api
        self._version = version
        self._population = population
        self._message = MESSAGES[f"{api}Request"]
        self._ordinary = Ordinary(api, population)
        self._writer = Writer(self._message, version, self._ordinary.value)

    def of_size(self, size: int) -> Iterator[Hostile]:
        """Yield every kind of request, of about `size` bytes."""
        for variant, path, kind, body in self._filled(size):
            yield self._request(_told(f"{path}: {kind}", variant), body)
        yield from self._texts(size)
        if self._writer.flexible:
            yield from self._tags(size)
        yield from self._pipelined(size)
        if self._api == "StreamsGroupHeartbeat":
            join = self._joining()
            yield self._request("members join the large group", lambda: join, max(1, size // len(join)))

    def _filled(self, size: int) -> Iterator[tuple[Variant, str, str, Callable[[], bytes]]]:
        """Yield (variant, path of an array, kind, function that writes the body) for each filling."""
        for variant in (PLAIN, *variants(self._api)):
            if variant.label == BY_ID and not self._has_topic_ids():
                continue
            self._ordinary.use(variant)
            for path, field in tuple(self._arrays()):
                self._ordinary.use(variant, path)
                array = Array(path, field, self._writer, self._ordinary)
                for kind, fill in array.fillings(size).items():
                    if variant is PLAIN or kind in (variant.only or OF_VARIANTS):
                        yield variant, path, kind, partial(self._with, variant, array, fill)

    def _with(self, variant: Variant, array: Array, fill: Callable[[], list[bytes]]) -> bytes:
        self._ordinary.use(variant, array.path)
        return self._writer.body(array.encoded(fill()))

    def _plain(self, replaced: Mapping[str, bytes] = NOTHING, tags: Mapping[str, bytes] = NOTHING) -> bytes:
        self._ordinary.use(PLAIN)
        return self._writer.body(replaced, tags)

    def _texts(self, size: int) -> Iterator[Hostile]:
        """Yield requests for everything by a null array, with long strings, and with large bytes."""
        writer = self._writer
        for kind, null in self._nulls():
            yield self._request(kind, partial(self._plain, null), grows=False)
        for path, struct in self._structs():
            for each in writer.fields(struct):
                below = f"{path}.{each.name}" if path else each.name
                if each.kind == "bytes":
                    yield self._request(f"{below}: all of it", partial(self._long_bytes, below, each, size))
                elif each.kind == "string" and not path and not each.array:
                    for filler, told in ((b"x", "long"), (b"\xff", "no UTF-8")):
                        replaced = {below: writer.scalar(each, filler * TEXT_BYTES)}
                        yield self._request(f"{below}: {told}", partial(self._plain, replaced), grows=False)

    def _long_bytes(self, path: str, field: Field, size: int) -> bytes:
        return self._plain({path: self._writer.scalar(field, bytes(size))})

    def _nulls(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        for each in self._writer.fields(self._message.struct):
            if each.array and self._writer.nullable(each):
                yield f"{each.name}: null", {each.name: self._writer.null(each)}

    def _tags(self, size: int) -> Iterator[Hostile]:
        """Yield unknown tags in the header, in the body and in one element, and known tags that repeat."""
        sections = {
            "unknown tags in order": partial(distinct_tags, size // 5),
            "one unknown tag again and again": partial(_repeated_tag, UNKNOWN_TAG, b"", size),
        }
        for told, section in sections.items():
            yield self._request(f"header: {told}", self._plain, header_tags=section)
        for path, struct in self._structs():
            for told, section in sections.items():
                yield self._request(f"{path or 'body'}: {told}", partial(self._tagged, path, section))
            for each in self._writer.tagged(struct):
                data = self._writer.empty(each) if each.struct is None else self._writer.element(each, path)
                again = partial(_repeated_tag, each.tag, data, size)
                told = f"{path or 'body'}: tag {each.name} again and again"
                yield self._request(told, partial(self._tagged, path, again))

    def _tagged(self, path: str, section: Callable[[], bytes]) -> bytes:
        return self._plain(tags={path: section()})

    def _pipelined(self, size: int) -> Iterator[Hostile]:
        """Yield many requests at once: small ones, and those that share the size."""
        small: dict[str, Callable[[], bytes]] = {"the plain request": self._plain}
        for kind, null in self._nulls():
            small[kind] = partial(self._plain, null)
        for kind, body in small.items():
            for count in (PIPELINED, PIPELINED_MAX):
                yield self._request(f"{count:,} pipelined, {kind}", body, count, grows=False)
            yield self._request(
                f"{PIPELINED:,} pipelined and not read, {kind}", body, PIPELINED, False, grows=False
            )
        for variant, path, kind, body in self._filled(size // PIPELINED):
            if kind in OF_PIPELINES and (variant.is_pipelined or not variant.only):
                yield self._request(
                    _told(f"{PIPELINED:,} pipelined, {path}: {kind}", variant), body, PIPELINED
                )
        for variant, path, kind, body in self._filled(size // CONNECTIONS):
            if kind in OF_PIPELINES and (variant.is_pipelined or not variant.only):
                told = _told(f"{CONNECTIONS} connections, {path}: {kind}", variant)
                yield self._request(told, body, connections=CONNECTIONS)
        yield self._request(
            f"{CONNECTIONS} connections, 100 pipelined each, the plain request",
            self._plain,
            100,
            connections=CONNECTIONS,
            grows=False,
        )
        count = max(1, size // (2 * TEXT_BYTES))
        ids = [bytes([byte]) * TEXT_BYTES for byte in (0xFE, 0xFF)]
        yield self._request("long client ids that are no UTF-8", self._plain, count, client_ids=ids)

    def _request(
        self,
        kind: str,
        body: Callable[[], bytes],
        count: int = 1,
        reads: bool = True,
        *,
        grows: bool = True,
        client_ids: Iterable[bytes] = (ATTACKER.encode(),),
        header_tags: Callable[[], bytes] = lambda: b"\0",
        connections: int = 1,
    ) -> Hostile:
        """Return the body repeated this many times, with these client ids in turn."""
        names = list(client_ids)

        def data() -> bytes:
            made, tags = body(), header_tags()
            if SESSION in made or NUMBERED.encode() in made:
                opening = self._opening(everything=count > 1 and connections == 1) if SESSION in made else b""
                ids = (names[i % len(names)] for i in range(count * len(names)))
                return opening + b"".join(
                    self._frame(numbered(made, i), tags, each) for i, each in enumerate(ids, 1)
                )
            return b"".join(self._frame(made, tags, client_id) for client_id in names) * count

        responses = 0 if "acks=0" in kind else count * len(names)
        responses += self._api in OF_SESSIONS and "a new session" not in kind  # that of the opening
        return Hostile(self._api, self._version, kind, data, responses, reads, grows, connections)

    def _frame(self, body: bytes, tags: bytes, client_id: bytes) -> bytes:
        head = (
            header(self._message.api_key, self._version, 7, None)[:8] + pack(">h", len(client_id)) + client_id
        )
        return sized(head + (tags if self._writer.flexible else b"") + body)

    def _opening(self, *, everything: bool) -> bytes:
        """Return the ShareFetch that opens a session, with all partitions or those with large states."""
        population = self._population
        names = [SHARED]
        if everything:
            names += [WIDE.format(i) for i in range(population.share_topics)]
        topics = [
            {
                "TopicId": str(UUID(bytes=population.topic_ids[name])),
                "Partitions": [{"PartitionIndex": i} for i in range(population.topics[name])],
            }
            for name in names
        ]
        fields = ("GroupId", "MemberId", "MaxRecords", "BatchSize")
        opening = {name: OF_SHARE_SESSION[name] for name in fields}
        return request("ShareFetch", self._version, {**opening, "Topics": topics}, client_id=ATTACKER)

    def _joining(self) -> bytes:
        """Return the request of a member that joins the large streams group."""
        joining = {**self._population.streams_join, "MemberId": NUMBERED}
        name = f"{self._api}Request"
        return encode(name, self._version, from_dict(name, joining))

    def _has_topic_ids(self) -> bool:
        return any(
            each.name == "TopicId" for _, struct in self._structs() for each in self._writer.fields(struct)
        )

    def _arrays(self) -> Iterator[tuple[str, Field]]:
        """Yield every array with its path."""
        for path, struct in self._structs():
            for each in self._writer.fields(struct):
                if each.array:
                    yield f"{path}.{each.name}" if path else each.name, each

    def _structs(self, path: str = "", struct: Struct | None = None) -> Iterator[tuple[str, Struct]]:
        """Yield the request, its structs and the elements of its arrays, with their paths."""
        struct = struct or self._message.struct
        yield path, struct
        for each in self._writer.fields(struct):
            below = f"{path}.{each.name}" if path else each.name
            if each.struct is not None and (
                each.array or not self._writer.nullable(each) or self._ordinary.value(each, below) is not None
            ):
                yield from self._structs(below, each.struct)


def _told(kind: str, variant: Variant) -> str:
    return f"{kind}, {variant.label}" if variant.label else kind


def numbered(body: bytes, number: int) -> bytes:
    """Return the body of a request with this number as its session epoch, and in its member id."""
    name = NUMBERED.replace("?" * 8, f"{number:08}")
    return body.replace(SESSION, pack(">i", number), 1).replace(NUMBERED.encode(), name.encode(), 1)


def of_connection(data: bytes, number: int) -> bytes:
    """Return requests of another member of the share group for each connection."""
    return data.replace(SHARE_MEMBER.format(0).encode(), SHARE_MEMBER.format(number).encode())


def first(elements: Iterable[bytes], size: int) -> list[bytes]:
    """Return the first elements, up to the size, but at least one."""
    found: list[bytes] = []
    left = size
    for each in elements:
        left -= len(each)
        if left < 0 and found:
            break
        found.append(each)
    return found


def filled(elements: Iterable[bytes], size: int) -> list[bytes]:
    """Repeat these elements up to the size."""
    some = first(elements, size)
    return some * max(1, size // sum(map(len, some)))


@lru_cache(maxsize=2)  # six kinds of request of an API need the same
def distinct_tags(count: int) -> bytes:
    return uvarint(count) + b"".join(uvarint(UNKNOWN_TAG + i) + b"\0" for i in range(count))


def _repeated_tag(tag: int, data: bytes, size: int) -> bytes:
    one = uvarint(tag) + uvarint(len(data)) + data
    count = max(1, size // len(one))
    return uvarint(count) + one * count
