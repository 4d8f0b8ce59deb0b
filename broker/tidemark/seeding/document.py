"""Declarative seed data: topics with records, and committed offsets of groups.

    {"topics": {"orders": {"partitions": 2, "configs": {"retention.ms": 3600000},
                           "records": ["one order", {"key": "k", "value": "another", "partition": 1}]}},
     "groups": {"billing": {"orders": {"0": 1, "1": {"offset": 0, "metadata": "from a test"}}}}}

Texts are stored as UTF-8. Other bytes are written as {"base64": "..."}; Python may also pass bytes.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NoReturn

from tidemark.seeding.calls import Exchange, NewOffset, NewRecord, Refused, commit, create_topic, produce
from tidemark.settings.setting import closest
from tidemark_expiry.sentences import EPOCH

__tracebackhide__ = True  # a failing test shows its own lines, not these

PARTITIONS: Final = range(1, 10_001)
OFFSETS: Final = range(2**63)
SHOWN_MAX: Final = 80  # characters of a wrong value that the message repeats
DOCUMENT: Final = ("topics", "groups")
TOPIC: Final = ("partitions", "configs", "records")
RECORD: Final = ("value", "key", "headers", "timestamp", "partition")
OFFSET: Final = ("offset", "metadata")


class SeedError(ValueError):
    """The seed is wrong. The message is one line that names the place.

    place: for example topics.orders.records[2].key; "" for the whole document.
    """

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place} {message}" if place else message)
        self.place = place


@dataclass(frozen=True)
class SeedTopic:
    """A topic to create. partitions: -1 for the broker's num.partitions."""

    partitions: int = 1
    configs: dict[str, str] = field(default_factory=dict)
    records: list[NewRecord] = field(default_factory=list)


@dataclass(frozen=True)
class Seed:
    """Topics by name; committed offsets by group, then by topic and partition."""

    topics: dict[str, SeedTopic]
    groups: dict[str, dict[tuple[str, int], NewOffset]]


def read_seed(document: Any) -> Seed:
    """Check the document. Raises SeedError for the first thing that is wrong."""
    given = _fields("", document, DOCUMENT)
    topics = {
        name: _topic(_below("topics", name), value)
        for name, value in _named("topics", given.get("topics"), "a topic")
    }
    groups = {
        name: _group(_below("groups", name), value, topics)
        for name, value in _named("groups", given.get("groups"), "a group")
    }
    return Seed(topics, groups)


def read_seed_file(path: Path) -> Seed:
    """Read and check a file. Raises SeedError with one line that names the file and the wrong place."""
    try:
        text = path.read_text("utf-8")
        return read_seed(_parse(path, text))
    except OSError as error:
        raise SeedError("", f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SeedError("", f"cannot read {path}: it is not UTF-8") from None
    except SeedError as error:
        raise SeedError("", f"{path}: {error}") from None


def _parse(path: Path, text: str) -> Any:
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise SeedError("", f"it is not valid JSON: {error}") from None
    if path.suffix not in (".yaml", ".yml"):
        raise SeedError("", "the name of a seed file must end with .yaml, .yml or .json")
    try:
        import yaml
    except ImportError:
        raise SeedError("", "YAML needs PyYAML (pip install pyyaml); JSON does not") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SeedError("", f"{where}it is not valid YAML: {problem}") from None


def _topic(place: str, value: Any) -> SeedTopic:
    if value is None:
        return SeedTopic()
    given = _fields(place, value, TOPIC)
    partitions = _whole(f"{place}.partitions", given.get("partitions", 1), PARTITIONS)
    configs = {
        name: _config(_below(f"{place}.configs", name), each)
        for name, each in _named(f"{place}.configs", given.get("configs"), "a setting")
    }
    records = given.get("records") or []
    if not isinstance(records, list | tuple):
        _wrong(f"{place}.records", "must be a list of records", records)
    found = [new_record(f"{place}.records[{at}]", each, partitions) for at, each in enumerate(records)]
    return SeedTopic(partitions, configs, found)


def _config(place: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    return _wrong(place, "must be a text or a number", value)


def new_record(place: str, value: Any, partitions: int | None = None) -> NewRecord:
    """Return a record: a text, bytes, null for a tombstone, or an object with its fields.

    partitions: the number of partitions of the topic, if it is known. Raises SeedError.
    """
    if isinstance(value, NewRecord):
        return value
    if value is None or isinstance(value, str | bytes) or _is_base64(value):
        return NewRecord(_bytes(place, value))
    given = _fields(place, value, RECORD)
    if "value" not in given:
        raise SeedError(place, "has no value; write null for a tombstone")
    partition = given.get("partition")
    if partition is not None:
        allowed = range(partitions if partitions is not None else 2**31)
        partition = _whole(f"{place}.partition", partition, allowed)
    return NewRecord(
        _bytes(f"{place}.value", given["value"]),
        _bytes(f"{place}.key", given.get("key")),
        _headers(f"{place}.headers", given.get("headers")),
        _timestamp(f"{place}.timestamp", given.get("timestamp")),
        partition,
    )


def _headers(place: str, value: Any) -> list[tuple[str, bytes | None]]:
    """Return headers from an object, or from a list of pairs, in which a name may repeat."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        pairs: Iterable[Any] = value.items()
    elif isinstance(value, list | tuple):
        pairs = value
    else:
        _wrong(place, "must be an object, or a list of [name, value] pairs", value)
    found = []
    for at, pair in enumerate(pairs):
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            _wrong(f"{place}[{at}]", "must be a [name, value] pair", pair)
        found.append((pair[0], _bytes(_below(place, pair[0]), pair[1])))
    return found


def _timestamp(place: str, value: Any) -> int | None:
    """Return milliseconds since the epoch, from a number, an ISO 8601 text or a datetime with its zone."""
    if value is None or (type(value) is int and value >= 0):
        number: int | None = value
        return number
    moment = value
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        _wrong(place, "must be milliseconds since the epoch, or a time like 2026-11-01T10:00:00Z", value)
    return (moment - EPOCH) // timedelta(milliseconds=1)


def _group(place: str, value: Any, topics: Mapping[str, SeedTopic]) -> dict[tuple[str, int], NewOffset]:
    found: dict[tuple[str, int], NewOffset] = {}
    for topic, offsets in _named(place, value, "a topic"):
        below = _below(place, topic)
        count = topics[topic].partitions if topic in topics else None
        if not isinstance(offsets, Mapping) or "offset" in offsets:
            if count not in (None, 1):
                _wrong(below, f"must list offsets by partition, because {topic} has {count}", offsets)
            found[topic, 0] = _offset(below, offsets)
            continue
        for number, offset in offsets.items():
            allowed = range(count if count is not None else 2**31)
            text = str(number)
            partition = int(text) if text.isascii() and text.isdecimal() and len(text) < 11 else number
            where = _whole(f"{below}: the partition", partition, allowed)
            found[topic, where] = _offset(f"{below}.{where}", offset)
    return found


def _offset(place: str, value: Any) -> NewOffset:
    if not isinstance(value, Mapping):
        return NewOffset(_whole(place, value, OFFSETS))
    given = _fields(place, value, OFFSET)
    metadata = given.get("metadata", "")
    if not isinstance(metadata, str):
        _wrong(f"{place}.metadata", "must be a text", metadata)
    return NewOffset(_whole(f"{place}.offset", given.get("offset"), OFFSETS), metadata)


def _bytes(place: str, value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    if _is_base64(value):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (binascii.Error, TypeError, ValueError):
            _wrong(place, "is not valid base64", value["base64"])
    wanted = 'must be a text, null, or {"base64": "..."}; pass other data as a text, such as JSON'
    return _wrong(place, wanted, value)


def _is_base64(value: Any) -> bool:
    return isinstance(value, Mapping) and list(value) == ["base64"]


def _named(place: str, value: Any, what: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of an object whose names the user chose."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        _wrong(place, f"must be an object with the name of {what} for each entry", value)
    for name, each in value.items():
        if not isinstance(name, str):
            _wrong(place, f"must have texts as names, so write quotes around the name of {what}", name)
        yield name, each


def _fields(place: str, value: Any, known: tuple[str, ...]) -> Mapping[str, Any]:
    """Return an object with known fields only."""
    if not isinstance(value, Mapping):
        _wrong(place or "the seed", f"must be an object with {_listed(known)}", value)
    for name in value:
        if name not in known:
            valid = f"valid are {', '.join(known)}{closest(str(name), known)}"
            raise SeedError(place or "the seed", f"has no field {_shown(name)}: {valid}")
    return value


def _whole(place: str, value: Any, allowed: range) -> int:
    if type(value) is not int or value not in allowed:
        if allowed[0] == allowed[-1]:
            _wrong(place, f"must be {allowed[0]}", value)
        _wrong(place, f"must be a whole number from {allowed[0]} to {allowed[-1]}", value)
    number: int = value
    return number


def _below(place: str, name: str) -> str:
    """Return the place of a named entry. A name with other letters is quoted, so that the place is clear."""
    plain = name and name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return f"{place}.{name}" if plain else f"{place}[{_shown(name)}]"


def _listed(known: tuple[str, ...]) -> str:
    return f"{', '.join(known[:-1])} or {known[-1]}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def _wrong(place: str, wanted: str, value: Any) -> NoReturn:
    raise SeedError(place, f"{wanted}, got {_shown(value)}")


def sow(seed: Seed, now_ms: int) -> Exchange[dict[str, int]]:
    """Create the topics, write the records and commit the offsets. Return the number of each.

    now_ms: the timestamp of records that have none. Raises Refused, and SeedError with the place for a topic
    or an offset that the broker refuses. Records that were written before remain.
    """
    for name, topic in seed.topics.items():
        try:
            yield from create_topic(name, topic.partitions, topic.configs)
        except Refused as refused:
            raise SeedError(f"{_below('topics', name)}:", str(refused)) from None
    for name, topic in seed.topics.items():
        if topic.records:
            try:
                yield from produce(name, topic.records, now_ms)
            except Refused as refused:
                raise SeedError(f"{_below('topics', name)}.records:", str(refused)) from None
    for group, offsets in seed.groups.items():
        if offsets:
            try:
                yield from commit(group, offsets)
            except Refused as refused:
                raise SeedError(f"{_below('groups', group)}:", str(refused)) from None
    return {
        "topics": len(seed.topics),
        "records": sum(len(topic.records) for topic in seed.topics.values()),
        "offsets": sum(map(len, seed.groups.values())),
    }
